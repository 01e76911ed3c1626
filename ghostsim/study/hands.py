"""What the studies share: hand classes as rows, and their means by what a player sees."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ghostsim.class_odds import LAYOUTS, MODEL
from ghostsim.hand_classes import HandClasses, holdings, written
from ghostsim.rules import Rules
from ghostsim.study.result import Column

HOLDING = ["trumps", "bowers", "outside_aces"]


def percent(value: float) -> str:
    """A share as a percentage, to a tenth."""
    return f"{value:.1%}"


def points(value: float) -> str:
    """Points to three decimals."""
    return f"{value:.3f}"


def signed_points(value: float) -> str:
    """A difference of points, with its sign; a plain zero where it would round to one."""
    return f"{value:+.3f}" if round(value, 3) else "0.000"


def whole(value: float) -> str:
    """A whole number with separators."""
    return f"{value:,.0f}"


HOLDING_COLUMNS = {
    "trumps": Column("trumps"),
    "bowers": Column("bowers"),
    "outside_aces": Column("aces"),
    "hands": Column("hands", whole),
}


def class_frame(classes: HandClasses) -> pd.DataFrame:
    """One row a class: the hand that stands for it, how many hands it has, its best holding."""
    held = holdings(classes.masks)
    frame = pd.DataFrame({"hand": written(classes.masks), "hands": classes.hands})
    for i, name in enumerate(HOLDING):
        frame[name] = held[:, i]
    return frame


def means_by(
    keys: pd.DataFrame, hands: NDArray[np.int64], totals: Mapping[str, NDArray[np.int64]]
) -> pd.DataFrame:
    """Means over hands, for each combination of keys.

    Parameters
    ----------
    keys : DataFrame
        One row a class.
    hands : int64 (classes,)
        How many hands each class stands for.
    totals : mapping of int64 (classes,)
        Sums over the layouts of one hand of the class: points, or layouts themselves.

    Returns
    -------
    DataFrame
        The keys, ``hands``, and the mean of each total; added up as whole numbers, so exact.
    """
    frame = keys.assign(hands=hands, **{name: total * hands for name, total in totals.items()})
    sums = frame.groupby(list(keys.columns), as_index=False).sum()
    for name in totals:
        sums[name] = sums[name] / (sums["hands"] * LAYOUTS)
    return sums


#: What the model means; a note of every study.
MODEL_NOTE = (
    f"Exact: every layout counted, nothing sampled. The model is {MODEL}: each layout is played "
    "double dummy, all three see all cards, and both defenders play together against the declarer, "
    "who leads first. A way to value hands, not a forecast of real play, and no bound for it: the "
    "declarer sees too much as well."
)

#: Rules that a hand's solo value depends on.
_SOLO_RULES = {"moon_points", "moon_set_points", "min_bid", "swaps_per_deal", "set_keeps_tricks"}


def rules_note(rules: Rules) -> str:
    """The rules in force, and which of the changed ones make no difference here."""
    idle = [name for name in rules.changes() if name not in _SOLO_RULES]
    note = f" No number here depends on {', '.join(idle)}." if idle else ""
    return f"Rules: {rules}.{note}"


def mean_over_hands(hands: NDArray[np.int64], total: NDArray[np.int64]) -> float:
    """The mean over all hands of a sum over layouts."""
    return int(hands @ total) / (int(hands.sum()) * LAYOUTS)
