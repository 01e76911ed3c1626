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
# # What does each rule change?
#
# Everything down to the last section is drawn from the published tables in
# `reports/variants`; nothing is computed again. Every rule was changed alone, with the
# same cards; the games and deals are a sample, so every number has its interval.

# %%
from pathlib import Path

import pandas as pd

from ghostsim import plots

# Run anywhere inside a clone: the reports lie at its top.
clone = next(p for p in [Path.cwd(), *Path.cwd().parents] if (p / "reports").is_dir())
report = clone / "reports" / "variants"
tables = {path.stem: pd.read_csv(path) for path in sorted(report.glob("*.csv"))}
tables["games"].drop(columns=["rule", "variant"]).round(3)

# %% [markdown]
# ## One rule at a time
#
# Left: the target changes the length of a game most. Middle: a moon that scores less decides far
# fewer games. Right: what the declarer and the defenders score; the target leaves
# both alone.

# %%
plots.variants(tables)

# %% [markdown]
# ## What is done
#
# How often nobody bids, and how often the declarer is set. A lowest bid of 4 leaves far more deals
# without one, and a set that keeps its tricks makes players dare more.

# %%
deals = tables["deals"].iloc[::-1]
ax = plots.new_axes(None, (7, 4.5))
for i, (name, label) in enumerate([("is_set", "declarer is set"), ("redealt", "nobody bids")]):
    value, low, high = (100 * deals[f"{name}{end}"] for end in ("", "_low", "_high"))
    rows = [y + 0.4 * (i - 0.5) for y in range(len(deals))]
    ax.barh(rows, value, 0.38, xerr=[value - low, high - value], label=label)
ax.set_yticks(range(len(deals)), deals["words"])
ax.set(xlabel="%: of deals declared, and of all deals", title="under each rule, with intervals")
_ = ax.legend(frameon=False)

# %% [markdown]
# ## One deal under two rules
#
# Played here by the referee: deal 41 of seed 2026, under the standard rules and where a made moon
# scores 12. Seat 2 shoots under the first only.

# %%
from ghostsim import Deal, Rules, bid_table
from ghostsim.rules import STANDARD
from ghostsim.strategies import find_strategy
from ghostsim.table import play_deal

half = Rules(moon_points=12)
deal = Deal.random(seed=2026, index=41)
odds = [find_strategy("odds")] * 3
plays = [play_deal(odds, deal, rules=rules, seed=2026, index=41) for rules in (STANDARD, half)]
assert [str(state.bid) for state in plays] == ["moon", "4"]
for state in plays:
    print(state.rules)
    print(state.table(symbols=True), end="\n\n")

# %% [markdown]
# The odds of seat 2's hand, by both rules:

# %%
for rules in (STANDARD, half):
    ax = bid_table(deal.hands[2], rules=rules).plot()
    ax.set_title(f"a made moon scores {rules.moon_points}")
