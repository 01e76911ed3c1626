"""Estimates from games that share their cards: what is independent is a group, not a game.

In duplicate play one set of cards is played in every seat order and at every table. Those games
hang together, and intervals that take them for independent are wrong. Here every number is a sum
over groups of whole sets of cards, and its standard error is the scatter of the groups about what
they would be if all were alike: the linearised variance of a ratio of clustered samples (Cochran
1977, 6.4 and 11.7). Totals are whole numbers, so nothing depends on the order they were added in.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ghostsim.stats import Estimate, EstimateError, normal_quantile, wilson_interval

NORMAL, WILSON = "clustered normal", "clustered Wilson"


#: What is independent: all the games that were played with the same cards.
UNIT = "sets of cards"


def ratio_influence(tops: Sequence[int], bottoms: Sequence[int]) -> NDArray[np.float64]:
    """How far each group moves the ratio of the sums, to first order.

    Parameters
    ----------
    tops, bottoms : sequences of int, one a group

    Returns
    -------
    float64 (groups,)
        ``(top - ratio * bottom) / sum of bottoms``; they add up to 0.
    """
    top, bottom = sum(tops), sum(bottoms)
    if bottom == 0:
        raise EstimateError("nothing is known of a ratio whose denominators are all 0")
    # In whole numbers: groups that all have the same ratio have no scatter at all.
    parts = [a * bottom - top * b for a, b in zip(tops, bottoms, strict=True)]
    return np.array([part / bottom**2 for part in parts])


def clustered_error(influence: Iterable[float]) -> float:
    """The standard error of a number from what each group contributes to it.

    >>> clustered_error([0.5, -0.5])
    1.0
    """
    parts = list(influence)
    if len(parts) < 2:
        raise EstimateError(f"a standard error takes two groups or more, not {len(parts)}")
    return math.sqrt(len(parts) / (len(parts) - 1) * math.fsum(part * part for part in parts))


def estimate_from(
    value: float, influence: Iterable[float], *, n: int, level: float, model: str
) -> Estimate:
    """An estimate with the normal interval, from what each group contributes to it."""
    error = clustered_error(influence)
    reach = normal_quantile(level) * error
    return Estimate(value, error, value - reach, value + reach, level, n, NORMAL, model, UNIT)


def ratio_of_groups(
    tops: Sequence[int], bottoms: Sequence[int], *, n: int, level: float, model: str
) -> Estimate:
    """The ratio of two sums over groups, like points over deals, with the normal interval.

    Parameters
    ----------
    tops, bottoms : sequences of int, one a group
    n : int
        Sets of cards in all groups together.
    level : float
        Confidence level.
    model : str
        Who played.

    Examples
    --------
    >>> str(ratio_of_groups([1, 3], [2, 2], n=2, level=0.95, model="coin"))
    '1.0000 [0.0200, 1.9800] (95% clustered normal interval, 2 sets of cards, coin)'
    """
    influence = ratio_influence(tops, bottoms)
    return estimate_from(sum(tops) / sum(bottoms), influence, n=n, level=level, model=model)


def share_of_groups(
    tops: Sequence[int], bottoms: Sequence[int], *, n: int, level: float, model: str
) -> Estimate:
    """A share of games, like games won over games played: never below 0 nor above 1.

    Wilson's interval (1927) for as many independent games as would have the same standard error
    (Korn and Graubard 1998). Where all or none of the games count there is no scatter to go by,
    and each set of cards counts as one game. Parameters as in ``ratio_of_groups``.
    """
    error = clustered_error(ratio_influence(tops, bottoms))
    p = sum(tops) / sum(bottoms)
    if error == 0 and 0 < p < 1:  # every group has the same share
        return Estimate(p, 0.0, p, p, level, n, NORMAL, model, UNIT)
    games = n if error == 0 else p * (1 - p) / error**2
    low, high = wilson_interval(p, games, level)
    return Estimate(p, error, low, high, level, n, WILSON, model, UNIT)
