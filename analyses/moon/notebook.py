# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # When should you shoot the moon?
#
# Everything down to the last section is drawn from the published tables in
# `reports/moon`; nothing is computed again. What a hand holds is exact, over all
# layouts; what happens at the table is a sample, so those numbers have intervals.

# %%
from pathlib import Path

import pandas as pd

from ghostsim import plots

# Run anywhere inside a clone: the reports lie at its top.
clone = next(p for p in [Path.cwd(), *Path.cwd().parents] if (p / "reports").is_dir())
report = clone / "reports" / "moon"
tables = {path.stem: pd.read_csv(path) for path in sorted(report.glob("*.csv"))}
tables["when"].round(3)

# %% [markdown]
# ## Rare by the odds
#
# Left: the more the moon scores, the more hands should shoot. Middle: there are more deals
# with a moon, and it decides more games. Right: a player who made one wins most of these games. Not
# all of that is the moon's doing.

# %%
plots.moon_points(tables)

# %% [markdown]
# ## Rules of thumb
#
# What each loses to the exact odds, a hand kept and nobody bidding. Shooting from a count of 6 is
# the worst of them, and never to shoot is better than that.

# %%
thumb = tables["thumb"].iloc[::-1]
ax = plots.new_axes(None, (7, 3.5))
bars = ax.barh(thumb["rule"], thumb["lost"], color=plots.KEEP)
ax.bar_label(bars, fmt="%.3f", padding=2, fontsize=8)
ax.margins(x=0.12)
_ = ax.set(xlabel="points lost a hand, exact", title="rules of thumb for the moon")

# %% [markdown]
# ## One hand
#
# Four spades with one bower, and two aces outside: the exact odds of every bid.

# %%
from ghostsim import bid_table
from ghostsim.rules import STANDARD

hand = bid_table("JS AS KS QS AH AC")
hand

# %%
_ = hand.plot()

# %% [markdown]
# The moon scores more than the next best bid if it makes more often than this:

# %%
frame = hand.to_frame()
best = frame.loc[frame["bid"] < 6, "points"].max()
moon = frame[frame["bid"] == 6].sort_values("points").iloc[-1]
made, lost = STANDARD.moon_points, STANDARD.moon_set_points
break_even = (max(best, 0) + lost) / (made + lost)
print(
    f"next best bid {best:+.2f}; break-even {break_even:.1%}; the moon makes {moon['p_make']:.1%}"
)
print("shoot" if moon["p_make"] > break_even else "do not shoot")
