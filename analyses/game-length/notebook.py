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
# # How long is a game?
#
# Everything down to the last section is drawn from the published tables in
# `reports/game-length`; nothing is computed again. `odds` played whole games in all three
# seats; they are a sample, so every number has its interval.

# %%
from pathlib import Path

import pandas as pd

from ghostsim import plots

# Run anywhere inside a clone: the reports lie at its top.
clone = next(p for p in [Path.cwd(), *Path.cwd().parents] if (p / "reports").is_dir())
report = clone / "reports" / "game-length"
tables = {path.stem: pd.read_csv(path) for path in sorted(report.glob("*.csv"))}
tables["facts"].drop(columns="method").round(3)

# %% [markdown]
# ## Two humps
#
# The facts tell why there are two: games in which somebody makes a moon are far shorter than games
# in which nobody does.

# %%
plots.game_lengths(tables)

# %%
deals = tables["facts"].set_index("name")["value"]
print(
    f"with a made moon {deals['deals_with_moon']:.1f} deals, without {deals['deals_without']:.1f}"
)

# %% [markdown]
# ## Who plays matters
#
# The same cards, played by three of a kind. `novice` hardly ever makes a moon, and needs the most
# deals.

# %%
players = tables["by_strategy"]
ax = plots.new_axes(None)
value, low, high = (players[name] for name in ("deals", "deals_low", "deals_high"))
ax.bar(players["strategies"], value, 0.6, yerr=[value - low, high - value], color=plots.KEEP)
shares = [f"{100 * share:.1f}% end by a moon" for share in players["by_moon"]]
ax.bar_label(ax.containers[-1], labels=shares, padding=3, fontsize=8)
_ = ax.set(ylabel="deals a game", title="length of a game by who plays, with intervals")

# %% [markdown]
# ## A short game that a moon decides
#
# Played here by the referee, card by card: game 24 of seed 2026.

# %%
from ghostsim.strategies import find_strategy
from ghostsim.table import play_game

record = play_game([find_strategy("odds")] * 3, seed=2026, game=24)
assert record.deals[-1].is_made and str(record.deals[-1].bid) == "moon"
print(record.text)

# %%
scores = pd.DataFrame([(0, 0, 0), *record.scores], columns=["seat 0", "seat 1", "seat 2"])
ax = scores.plot(ax=plots.new_axes(None), marker="o")
ax.axhline(record.rules.target, color=plots.NEUTRAL, linestyle="--", linewidth=0.8)
ax.set_xticks(scores.index)
_ = ax.set(xlabel="deals played", ylabel="score (dashed: the target)", title="game 24 of seed 2026")
