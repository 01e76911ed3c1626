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
# # Does the player behind ever win a tie?
#
# Everything down to the last section is drawn from the published tables in
# `reports/tie-break`; nothing is computed again. Games by `odds` in all
# seats; they are a sample, so every number has its interval.

# %%
from pathlib import Path

import pandas as pd

from ghostsim import plots

# Run anywhere inside a clone: the reports lie at its top.
clone = next(p for p in [Path.cwd(), *Path.cwd().parents] if (p / "reports").is_dir())
report = clone / "reports" / "tie-break"
tables = {path.stem: pd.read_csv(path) for path in sorted(report.glob("*.csv"))}
tables["ties"].round(4)

# %% [markdown]
# ## He does, if he is close
#
# Left: the third player wins most from a few points behind, and seldom from far, where
# nearly only a moon does it. Right: nearly always one more deal decides.

# %%
plots.tie_breaks(tables)

# %%
ties = tables["ties"].set_index("sharing").loc["all"]
print(f"{ties['games']:.0f} games tied, {ties['of_games']:.2%} of all")
print(f"two share the lead: the third wins {tables['ties']['behind_wins'].iloc[0]:.1%} of these")

# %% [markdown]
# ## How ties end
#
# Usually somebody makes a bid, and it is the winner's own. He who comes from behind needs a bid or
# a moon of his own, but for a few games in which another is set.

# %%
ends = tables["how_won"].iloc[::-1]
ax = plots.new_axes(None, (7, 3))
for i, (name, label) in enumerate([("of_behind", "from behind"), ("of_tied", "all ties")]):
    value, low, high = (100 * ends[column] for column in (name, f"{name}_low", f"{name}_high"))
    rows = [y + 0.4 * (i - 0.5) for y in range(len(ends))]
    ax.barh(rows, value, 0.38, xerr=[value - low, high - value], label=label)
ax.set_yticks(range(len(ends)), ends["ending"])
ax.set(xlabel="games, %", title="the deal that decides a tie, with intervals")
_ = ax.legend(frameon=False, loc="lower right")

# %% [markdown]
# ## A tie at the target
#
# Played here by the referee: game 39 of seed 2026, three times `novice`. After the last deal but
# one two share the highest score; here are that deal and the one that decides.

# %%
from ghostsim.strategies import find_strategy
from ghostsim.table import play_game

record = play_game([find_strategy("novice")] * 3, seed=2026, game=39)
before = record.scores[-2]
assert max(before) >= record.rules.target and before.count(max(before)) == 2
for state in record.deals[-2:]:
    print(state.table(symbols=True), end=f"\nscores: {state.scores_after}\n\n")
print(f"seat {record.winner} wins")

# %%
scores = pd.DataFrame([(0, 0, 0), *record.scores], columns=["seat 0", "seat 1", "seat 2"])
ax = scores.plot(ax=plots.new_axes(None), marker="o", markersize=4)
ax.axhline(record.rules.target, color=plots.NEUTRAL, linestyle="--", linewidth=0.8)
_ = ax.set(xlabel="deals played", ylabel="score (dashed: the target)", title="game 39 of seed 2026")
