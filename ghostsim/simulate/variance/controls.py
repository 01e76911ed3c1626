"""Control variates: numbers that go with what is estimated, and whose mean is known exactly.

If the controls of the sampled deals came out too high, what goes with them did too, and is put
right. The exact odds are such controls: they are known for every hand, so their mean over all
134,596 hands is an exact fraction.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ghostsim.cards import Suit
from ghostsim.class_odds import LAYOUTS, class_odds, hand_counts
from ghostsim.hand_classes import all_hands
from ghostsim.kernels.game import HAND_HIGH, HAND_LOW
from ghostsim.rules import STANDARD, Bid, Rules, RulesError
from ghostsim.simulate.moments import Moments, Weights
from ghostsim.stats import Estimate, EstimateError, normal_quantile


@dataclass(frozen=True, eq=False)
class HandControl:
    """A whole number that a hand alone decides, with its exact mean over all hands.

    It may be a control for any hand of a deal, the ghost's as well, since each of the four is any
    hand with the same probability.

    Attributes
    ----------
    by_hand : int64 (134596,)
        In the order of ``hand_classes.all_hands()``. Small numbers: sums of their squares must
        stay within 64 bits, as up to 3,000 do for 10**12 deals.

    Examples
    --------
    >>> from ghostsim.hand_classes import counts
    >>> control = HandControl(counts(all_hands()))
    >>> control.of(np.array([63])), control.mean
    (array([7]), Fraction(145427, 33649))
    """

    by_hand: NDArray[np.int64]

    def __post_init__(self) -> None:
        values = np.asarray(self.by_hand)
        if values.shape != _hands().shape or values.dtype.kind not in "iub":
            raise EstimateError(
                f"by_hand must be {len(_hands()):,} whole numbers, one a hand, not "
                f"{values.dtype} {values.shape}"
            )
        values = values.astype(np.int64)
        values.flags.writeable = False  # those below are cached: all callers share them
        object.__setattr__(self, "by_hand", values)

    @property
    def mean(self) -> Fraction:
        """The exact mean over all hands."""
        return Fraction(int(self.by_hand.sum()), len(self.by_hand))

    def of(self, masks: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of some hands; int64, the same shape."""
        numbers = HAND_LOW[masks & 4095] + HAND_HIGH[masks >> 12]  # as kernels.game.hand_number
        found: NDArray[np.int64] = self.by_hand[numbers]
        return found

    @classmethod
    @functools.lru_cache(maxsize=8)
    def solo_points(cls, rules: Rules = STANDARD) -> HandControl:
        """The solo value of keeping the hand, in hundredths of a point."""
        odds = class_odds(rules)
        points = np.rint(odds.keep_totals * 100 / LAYOUTS).astype(np.int64)
        return cls(points[odds.classes.number(_hands())])

    @classmethod
    def bid_points(cls, bid: Bid | str | int, rules: Rules = STANDARD) -> HandControl:
        """The solo value of a bid in its best trump, in hundredths of a point.

        Raises
        ------
        RulesError
            If the rules do not allow such a bid.
        """
        named = Bid.parse(bid)
        if named not in rules.bids:
            raise RulesError(f"bid {named} is below the lowest bid, {rules.bids[0]}")
        return _bid_points(named, rules)

    @classmethod
    def makes(cls, bid: Bid | str | int, trump: Suit | str | int) -> HandControl:
        """P_coalition(make a bid) in a trump, the ghost unknown, in thousandths.

        Raises
        ------
        RulesError, CardError
            If there is no such bid, or no such suit.

        Examples
        --------
        >>> HandControl.makes(5, "H") is HandControl.makes("5", "hearts")
        True
        """
        return _makes(Bid.parse(bid), Suit.parse(trump, "trump"))


@functools.lru_cache(maxsize=8)
def _bid_points(bid: Bid, rules: Rules) -> HandControl:
    odds = class_odds(rules)
    totals = odds.totals[:, :, rules.bids.index(bid)].max(axis=1)
    points = np.rint(totals * 100 / LAYOUTS).astype(np.int64)
    return HandControl(points[odds.classes.number(_hands())])


@functools.lru_cache(maxsize=8)
def _makes(bid: Bid, trump: Suit) -> HandControl:
    made = hand_counts(_hands(), trump)[:, int(bid) :].sum(axis=1)
    return HandControl(np.rint(made * 1000 / LAYOUTS).astype(np.int64))


@functools.cache
def _hands() -> NDArray[np.int64]:
    hands = all_hands()
    hands.flags.writeable = False  # cached: all callers share it
    return hands


def controlled_mean(
    moments: Moments,
    y: Weights,
    controls: Mapping[str, Fraction | int],
    *,
    per: int = 1,
    coefficients: Mapping[str, Fraction] | None = None,
) -> Estimate:
    """The mean of a column, put right by controls.

    The mean of y less coefficient times how far each control's mean came out above its known one
    (Glasserman 2004, 4.1). Left out, the coefficients are those of the regression on the same
    sums; then the estimate has a bias of the order of 1/n, against an error of the order of
    1/sqrt(n), and the standard error allows for their being estimated (Lavenberg and Welch 1981).
    With coefficients from other deals, ``control_coefficients``, it is exactly unbiased.

    Parameters
    ----------
    moments : Moments
        Of columns that include the controls.
    y : Weights
    controls : dict of Fraction
        The exact mean of each control, by its column.
    per : int
        What the column is divided by, as in ``Moments.mean``.
    coefficients : dict of Fraction, optional
        One for each control.

    Returns
    -------
    Estimate

    Raises
    ------
    EstimateError
        If a control is no column, a coefficient is missing, or there are not two units more than
        controls.

    Examples
    --------
    >>> from ghostsim.simulate.moments import moment_sums
    >>> columns = {"y": np.array([1, 3, 5, 8]), "x": np.array([0, 1, 2, 3])}
    >>> moments = Moments(tuple(columns), moment_sums(columns), 4, 0.95, "line")
    >>> moments.mean("y").value, controlled_mean(moments, "y", {"x": Fraction(1)}).value
    (4.25, 3.1)
    """
    sums = _Centred.of(moments, y, controls)
    if coefficients is None:
        b, used = sums.solve(sums.xy)
        off, _ = sums.solve(sums.excess)
        leverage = moments.n * _dot(off, sums.excess)
    else:
        if missing := [name for name in controls if name not in coefficients]:
            raise EstimateError(f"coefficients has none for the control {missing[0]!r}")
        b, used = [Fraction(coefficients[name]) for name in controls], 0
        leverage = Fraction(0)
    n = moments.n
    scatter = sums.yy - 2 * _dot(b, sums.xy) + _dot(b, [_dot(row, b) for row in sums.xx])
    variance = scatter / (n * (n - 1 - used)) * (Fraction(1, n) + leverage)
    value = float((Fraction(moments.total(y), n) - _dot(b, sums.excess)) / per)
    error = math.sqrt(variance / per**2)
    reach = normal_quantile(moments.level) * error
    return Estimate(
        value,
        error,
        value - reach,
        value + reach,
        moments.level,
        n,
        "controlled normal",
        moments.model,
        moments.unit,
    )


def control_coefficients(
    moments: Moments, y: Weights, controls: Mapping[str, Fraction | int]
) -> dict[str, Fraction]:
    """The coefficients of the regression of a column on its controls, for use on other deals.

    Parameters, errors: as ``controlled_mean``. A control that the others make superfluous gets 0.
    """
    sums = _Centred.of(moments, y, controls)
    return dict(zip(controls, sums.solve(sums.xy)[0], strict=True))


def variance_factor(plain: Estimate, reduced: Estimate) -> float:
    """How many times the deals a plain estimate takes for the interval of a reduced one.

    The ratio of the variances that one unit brings, so the two may have different n. Deals saved
    are ``1 - 1 / factor``, if a unit costs the same.
    """
    return (plain.standard_error / reduced.standard_error) ** 2 * plain.n / reduced.n


@dataclass(frozen=True)
class _Centred:
    """Sums of products about the means, times n, in whole numbers: they may nearly cancel."""

    yy: Fraction
    xy: list[Fraction]
    xx: list[list[Fraction]]
    #: How far each control's mean is above its known one.
    excess: list[Fraction]

    @classmethod
    def of(cls, moments: Moments, y: Weights, controls: Mapping[str, Fraction | int]) -> _Centred:
        if unknown := [name for name in controls if name not in moments.names]:
            raise EstimateError(
                f"the control {unknown[0]!r} is no column: {', '.join(moments.names)}"
            )
        n = moments.n
        if n < len(controls) + 2:
            raise EstimateError(
                f"a mean with {len(controls)} controls takes {len(controls) + 2} units or more, "
                f"not {n}"
            )

        def centred(a: Weights, b: Weights) -> Fraction:
            return Fraction(n * moments.product(a, b) - moments.total(a) * moments.total(b))

        return cls(
            centred(y, y),
            [centred(name, y) for name in controls],
            [[centred(name, other) for other in controls] for name in controls],
            [Fraction(moments.total(name), n) - mean for name, mean in controls.items()],
        )

    def solve(self, right: list[Fraction]) -> tuple[list[Fraction], int]:
        """``xx @ b = right`` by elimination, in fractions; and how many controls are used.

        A control that is a sum of those before it, or the same in all units, gets 0.
        """
        k = len(self.xx)
        rows = [[*row, last] for row, last in zip(self.xx, right, strict=True)]
        used = [False] * k
        for i in range(k):
            # No search for a pivot: where it is 0, so is its row, as in any matrix of variances.
            if rows[i][i] == 0:
                continue
            used[i] = True
            for j in range(k):
                if j != i and rows[j][i]:
                    ratio = rows[j][i] / rows[i][i]
                    rows[j] = [a - ratio * b for a, b in zip(rows[j], rows[i], strict=True)]
        found = [rows[i][k] / rows[i][i] if used[i] else Fraction(0) for i in range(k)]
        return found, sum(used)


def _dot(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return sum((u * v for u, v in zip(a, b, strict=True)), Fraction(0))
