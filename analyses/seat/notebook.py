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
# # Is first seat worse, and what is the deal worth?
#
# Everything down to the last section is drawn from the published tables in
# `reports/seat`; nothing is computed again. Each deal was played with each
# of the three dealers, by `odds` in all seats; the deals are a sample, so every number has its
# interval.

# %%
from pathlib import Path

import pandas as pd

from ghostsim import plots

# Run anywhere inside a clone: the reports lie at its top.
clone = next(p for p in [Path.cwd(), *Path.cwd().parents] if (p / "reports").is_dir())
report = clone / "reports" / "seat"
tables = {path.stem: pd.read_csv(path) for path in sorted(report.glob("*.csv"))}
tables["positions"].round(3)

# %% [markdown]
# ## First is best, in a deal
#
# Left: who bids first scores most, and the dealer, who bids last, least. Middle: the first to bid
# swaps most and is set least. Right: the deal passes on, so in a game little of it is left.

# %%
plots.seat_values(tables)

# %% [markdown]
# ## Between two positions
#
# The same hands, moved around the table: what is left is the position alone.

# %%
pairs = tables["differences"]
value, low, high = (pairs[name] for name in ("points", "points_low", "points_high"))
ax = plots.new_axes(None, (7, 3))
names = pairs["position"] + " - " + pairs["less"]
ax.errorbar(value, names, xerr=[value - low, high - value], fmt="o", color=plots.KEEP, capsize=3)
ax.axvline(0, color=plots.NEUTRAL, linewidth=0.8, linestyle="--")
ax.invert_yaxis()
_ = ax.set(xlabel="points a deal", title="differences, with intervals")

# %% [markdown]
# ## One deal, three dealers
#
# Played here by the referee: deal 1 of seed 2026. The hands stay where they are, the dealer moves.

# %%
from ghostsim import Deal
from ghostsim.strategies import find_strategy
from ghostsim.table import play_deal

deal = Deal.random(seed=2026, index=1)
three = [find_strategy("odds")] * 3
plays = [play_deal(three, deal, dealer, seed=2026, index=1) for dealer in range(3)]
for state in plays:
    print(state.table(symbols=True).split("\n\n")[0], end="\n\n")

# %%
places = ["left of dealer", "right of dealer", "dealer"]
points = pd.DataFrame(
    [[state.points[(state.dealer + turn) % 3] for turn in (1, 2, 3)] for state in plays],
    index=[f"seat {state.dealer} deals" for state in plays],
    columns=places,
)
points

# %%
ax = points.plot.bar(ax=plots.new_axes(None), rot=0)
ax.axhline(0, color=plots.NEUTRAL, linewidth=0.8)
_ = ax.set(ylabel="points", title="one deal, by position")
