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
# # What do defenders lose by not helping each other?
#
# Everything below is drawn from the published tables in `reports/defence-model`; nothing is
# computed again. Each deal was solved exactly by both defences, all cards seen; the deals are a
# sample, so every number has its interval.

# %%
from pathlib import Path

import pandas as pd

from ghostsim import plots

# Run anywhere inside a clone: the reports lie at its top.
clone = next(p for p in [Path.cwd(), *Path.cwd().parents] if (p / "reports").is_dir())
report = clone / "reports" / "defence-model"
tables = {path.stem: pd.read_csv(path) for path in sorted(report.glob("*.csv"))}
tables["by_bid"].round(4)

# %% [markdown]
# ## By bid
#
# Left: selfish defenders let a few more bids make. Right: the points that the declarer gains
# because defenders play each for itself, and then because those who are indifferent turn the other
# way. The tie rule decides more than the model of the defence. (A declarer who is set scores the
# same however badly, so that an indifferent declarer changes tricks, and hardly any points.)

# %%
plots.defence_by_bid(tables)

# %% [markdown]
# ## By how much
#
# Nearly always by one trick, if at all. Deals in which the declarer gains, by the tricks he gains:

# %%
changes = tables["changes"][tables["changes"]["objective"] == "points"].set_index("bid")
ax = plots.new_axes(None)
for i, gain in enumerate(["share_1", "share_2", "share_3"]):
    value, low, high = (100 * changes[name] for name in (gain, f"{gain}_low", f"{gain}_high"))
    places = [x + 0.26 * (i - 1) for x in range(len(changes))]
    ax.bar(places, value, 0.24, yerr=[value - low, high - value], label=f"+{gain[-1]}")
ax.set_xticks(range(len(changes)), changes.index)
ax.set(
    xlabel="bid", ylabel="deals, %", title="tricks gained from selfish defenders, with intervals"
)
_ = ax.legend(frameon=False)

# %% [markdown]
# ## What an indifferent defender may give away
#
# Points a deal that the declarer gains if defenders with nothing to win or lose turn the other way:

# %%
ties = tables["ties"]
reversed_defenders = ties[(ties["ties"] == "defenders reversed") & (ties["objective"] == "points")]
reversed_defenders[["bid", "points", "points_low", "points_high", "declarer"]].round(3)

# %% [markdown]
# ## One deal in which it matters
#
# The first deal of seed 2026 in which selfish defenders, playing for tricks, give the declarer more
# than a coalition would, spades being trump. Each card that costs the coalition a trick is named.

# %%
import numpy as np

from ghostsim import Deal, Position, best_line, review, solve_many
from ghostsim.deals import random_hands

hands = random_hands(5_000, seed=2026)
together = solve_many(hands, "S")
alone = solve_many(hands, "S", defence="selfish")[:, 0]
index = int(np.flatnonzero(alone > together)[0])
deal = Deal.random(seed=2026, index=index)
position = Position.from_plays(deal, "S")
position

# %%
line = best_line(position, defence="selfish")
played = [card for _, card in line]
print(f"deal {index}: together they hold him to {together[index]}, alone to {alone[index]}")
reviewed = review(deal, played, "S")
print(reviewed)

# %%
_ = reviewed.plot()

# %% [markdown]
# ## The check

# %%
tables["check"].round(4)
