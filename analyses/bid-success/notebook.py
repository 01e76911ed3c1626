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
# # How often does each bid make, and which bid is worth most?
#
# Everything below is drawn from the published tables in `reports/bid-success`; nothing is computed
# again. All numbers are exact unless an interval stands beside them. The model is `P_coalition`:
# double dummy against both defenders.

# %%
from pathlib import Path

import pandas as pd

from ghostsim import plots

# Run anywhere inside a clone: the reports lie at its top.
clone = next(p for p in [Path.cwd(), *Path.cwd().parents] if (p / "reports").is_dir())
report = clone / "reports" / "bid-success"
tables = {path.stem: pd.read_csv(path) for path in sorted(report.glob("*.csv"))}
tables["bids"].round(4)

# %% [markdown]
# ## Over all hands

# %%
plots.bid_points(tables)

# %% [markdown]
# ## By what you see
#
# Longest trump holding (the left bower counts), bowers in it, aces outside it.

# %%
plots.bid_success_by_holding(tables)

# %% [markdown]
# ## When is the moon worth shooting?
#
# The moon scores 24 or costs 6, and a hand that would take five tricks anyway gives up five points
# to try: it needs a chance of 11 in 30, a little less if it might not make even three. Below, every
# kind of hand by its chance of all six tricks: points of the best ordinary bid and of the moon.

# %%
classes = tables["classes"].sort_values("p_make_moon")
ax = plots.new_axes(None)
ax.scatter(classes["p_make_moon"], classes["points_3"], s=4, color=plots.KEEP, label="bid 3")
ax.scatter(classes["p_make_moon"], classes["points_moon"], s=4, color=plots.SWAP, label="moon")
ax.set(xlabel="P_coalition(make the moon)", ylabel="mean points a deal")
ax.set_title("The moon pays from a chance of 0.35 to 0.37 (exact)")
_ = ax.legend(frameon=False)

# %%
better = classes[classes["points_moon"] > classes["points_3"]]
worse = classes[classes["points_moon"] <= classes["points_3"]]
print(f"least chance with which the moon beats bid 3: {better['p_make_moon'].min():.3f}")
print(f"greatest chance with which it does not: {worse['p_make_moon'].max():.3f}")
print(f"hands that should shoot: {better['hands'].sum():,} of {classes['hands'].sum():,}")

# %% [markdown]
# ## The check by simulation

# %%
tables["check"].round(4)
