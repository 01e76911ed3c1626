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
# # Should you trade a hand you dislike for one nobody has seen?
#
# Everything below is drawn from the published tables in `reports/swap-value`; nothing is computed
# again. All numbers are exact unless an interval stands beside them. The model is `P_coalition`,
# solo: double dummy against both defenders, and nobody else bids.

# %%
from pathlib import Path

import pandas as pd

from ghostsim import plots

# Run anywhere inside a clone: the reports lie at its top.
clone = next(p for p in [Path.cwd(), *Path.cwd().parents] if (p / "reports").is_dir())
report = clone / "reports" / "swap-value"
tables = {path.stem: pd.read_csv(path) for path in sorted(report.glob("*.csv"))}
tables["headline"]

# %% [markdown]
# ## By what you see
#
# Take your longest trump holding (the left bower counts), the bowers in it and the aces outside it.
# Orange cells gain by a swap, blue ones lose. Numbers are points a deal.

# %%
plots.swap_gain_by_holding(tables)

# %% [markdown]
# ## A rule of thumb
#
# The ghost is worth nearly the same whatever you give up for it, so all that matters is what your
# own hand is worth. In the suit where it comes to most, add up trumps, bowers (once more) and
# outside aces:

# %%
plots.swap_gain_by_count(tables)

# %%
tables["count_rule"].round(3)

# %% [markdown]
# The last column is what the rule "keep with this count or more, else swap" loses to the exact
# choice. The best count and its loss:

# %%
rule = tables["count_rule"].sort_values("lost_by_rule").iloc[0]
print(f"keep with {rule['count']:.0f} or more: {rule['lost_by_rule']:.3f} points a deal lost")

# %% [markdown]
# ## Where it hardly matters
#
# The hands nearest to break-even, on both sides:

# %%
tables["break_even"].round(5)

# %% [markdown]
# ## Every kind of hand
#
# How many hands gain how much? Each class counts for the hands it stands for.

# %%
classes = tables["classes"]
ax = plots.new_axes(None)
ax.hist(classes["gain"], bins=60, weights=100 * classes["hands"] / classes["hands"].sum())
ax.axvline(0, color="black", linewidth=0.8)
ax.set(xlabel="gain by a swap, points a deal", ylabel="share of hands, %")
_ = ax.set_title("The gain of a swap over all hands (exact)")

# %% [markdown]
# ## The check by simulation

# %%
tables["check"].round(4)
