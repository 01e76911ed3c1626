"""What the studies share: hand classes as rows, and their means by what a player sees."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ghostsim.cards import Hand
from ghostsim.class_odds import LAYOUTS
from ghostsim.hand_classes import HandClasses, holdings
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
    frame = pd.DataFrame(
        {
            "hand": [str(Hand.from_mask(int(mask))) for mask in classes.masks],
            "hands": classes.hands,
        }
    )
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


def mean_over_hands(hands: NDArray[np.int64], total: NDArray[np.int64]) -> float:
    """The mean over all hands of a sum over layouts."""
    return int(hands @ total) / (int(hands.sum()) * LAYOUTS)
