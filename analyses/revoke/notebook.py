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
# # What does a revoke pay?
#
# Everything down to the last section is drawn from the published tables in
# `reports/revoke`; nothing is computed again. Every deal was played honestly by `odds`, and
# again with `cheat` in one seat; the deals are a sample, so every number has its interval.

# %%
from pathlib import Path

import pandas as pd

from ghostsim import plots

# Run anywhere inside a clone: the reports lie at its top.
clone = next(p for p in [Path.cwd(), *Path.cwd().parents] if (p / "reports").is_dir())
report = clone / "reports" / "revoke"
tables = {path.stem: pd.read_csv(path) for path in sorted(report.glob("*.csv"))}
tables["by_role"].round(3)

# %% [markdown]
# ## The declarer gains most
#
# Left: one revoke brings a declarer much more than a defender, in every trick, before any penalty.
# Right: who cheats at every chance gains if no revoke is found out, and loses if half of them are.

# %%
plots.revoke_gains(tables)

# %% [markdown]
# ## How likely must it be found out?
#
# Above this chance honesty wins.

# %%
roles = tables["by_role"]
value, low, high = (100 * roles[f"break_even{end}"] for end in ("", "_low", "_high"))
ax = plots.new_axes(None)
bars = ax.bar(roles["role"], value, 0.6, yerr=[value - low, high - value], color=plots.SWAP)
ax.bar_label(bars, fmt="%.0f%%", padding=3, fontsize=8)
_ = ax.set(ylabel="revokes found out, %", title="the chance that breaks even, with intervals")

# %% [markdown]
# ## One deal, honest and not
#
# Played here by the referee: deal 24 of seed 2026, seat 1 declaring. First three times `odds`, then
# with `cheat` in seat 1, and nobody finds a revoke out.

# %%
from ghostsim import Deal
from ghostsim.strategies import find_strategy
from ghostsim.table import DealState, play_deal

deal = Deal.random(seed=2026, index=24)
odds, cheat = find_strategy("odds"), find_strategy("cheat")
honest = play_deal([odds] * 3, deal, seed=2026, index=24)
cheated = play_deal([odds, cheat, odds], deal, seed=2026, index=24, revoke_detection=0.0)


def tricks(state: DealState) -> pd.DataFrame:
    """A row a trick: what each seat played, and who led and won."""
    rows = [
        [
            *(trick.card_of(seat).pretty for seat in range(3)),
            trick.leader,
            trick.winner,
        ]
        for trick in state.tricks
    ]
    return pd.DataFrame(
        rows, range(1, len(rows) + 1), ["seat 0", "seat 1", "seat 2", "leader", "winner"]
    )


print(f"honest: bid {honest.bid} in {honest.trump.letter}, points {honest.points}")
tricks(honest)

# %%
for revoke in cheated.revokes:
    print(f"seat {revoke.seat} revokes in trick {revoke.trick}: {revoke.card.pretty}")
print(f"cheated: bid {cheated.bid} in {cheated.trump.letter}, points {cheated.points}")
tricks(cheated)

# %%
points = pd.DataFrame({"honest": honest.points, "seat 1 cheats": cheated.points})
ax = points.plot.bar(ax=plots.new_axes(None), rot=0)
ax.axhline(0, color=plots.NEUTRAL, linewidth=0.8)
_ = ax.set(xlabel="seat", ylabel="points", title="deal 24 of seed 2026")
