"""Confidence sequences: intervals that hold at every look at once, so that one may stop at any.

They are made of bets. A bettor against a number stakes 1 on "the mean is higher", divided over bets
of many sizes. If the number is the mean, his wealth is a fair game or worse, and so it ever reaches
2 / alpha with probability alpha / 2 at most (Ville 1939). The lower end of the interval at a look
is the number against which he has just got so rich: against higher ones he has won less. A second
bettor does the same from above.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from operator import index
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ghostsim.errors import GhostsimError
from ghostsim.stats import Estimate, check_level

#: How far too far out an end of an interval may be, as a part of its distance from the mean; and
#: the most steps to get there.
_TOLERANCE = 1e-6
_MOST_STEPS = 100


class SequenceError(GhostsimError):
    """Looks that are out of order, or sums that no whole numbers within the bounds have."""


class _Sequence(ABC):
    """What both sequences share: looks in order, and the interval of the last one."""

    method: ClassVar[str]

    def __init__(self, low: float, high: float, level: float) -> None:
        self.bounds = (low, high)
        self.level = check_level(level)
        self.looks = 0
        self.low, self.high = low, high
        self._n = self._total = self._squares = 0
        #: What a bettor must have made of 1 for a number to be out, as a logarithm.
        self._rich = math.log(2 / (1 - self.level))

    def look(self, n: int, total: int, squares: int) -> None:
        """See the first n numbers, whole ones, those of earlier looks among them.

        Parameters
        ----------
        n : int
            How many there are by now; nothing is done if none is new.
        total, squares : int
            Their sum, and the sum of their squares.

        Raises
        ------
        SequenceError
            If there are fewer than before, or no whole numbers within the bounds have such sums.
        """
        n, total, squares = index(n), index(total), index(squares)
        new, sum_new, squares_new = n - self._n, total - self._total, squares - self._squares
        if new < 0:
            raise SequenceError(f"n must not fall from look to look: {n:,} after {self._n:,}")
        low, high = map(Fraction, self.bounds)
        # A number x within the bounds has (x - low) * (high - x) >= 0, and so has the sum of these.
        if (
            not low * new <= sum_new <= high * new
            or squares_new > (low + high) * sum_new - low * high * new
            or squares_new * new < sum_new * sum_new
            or squares_new < abs(sum_new)  # they are whole numbers
        ):
            raise SequenceError(
                f"no {new:,} whole numbers from {self.bounds[0]:g} to {self.bounds[1]:g} have "
                f"the sum {sum_new:,} and the sum of squares {squares_new:,}"
            )
        if new:
            self._n, self._total, self._squares = n, total, squares
            self.looks += 1
            low_end, high_end = self._ends()
            self.low, self.high = min(low_end, total / n), max(high_end, total / n)

    @property
    def half_width(self) -> float:
        """Half of the interval's width; infinite before the first number."""
        return (self.high - self.low) / 2 if self._n else math.inf

    def estimate(self, *, model: str, unit: str = "deals") -> Estimate:
        """The mean of what has been seen, with the interval of the last look.

        Raises
        ------
        SequenceError
            If nothing has been seen.
        """
        if not self._n:
            raise SequenceError("there is no estimate before the first look")
        n = self._n
        error = math.sqrt(self._variance() / n)
        return Estimate(
            self._total / n, error, self.low, self.high, self.level, n, self.method, model, unit
        )

    def _variance(self) -> Fraction:
        """Of what has been seen; exact, as of numbers that are nearly equal it all but cancels."""
        return Fraction(self._n * self._squares - self._total * self._total, self._n * self._n)

    @abstractmethod
    def _ends(self) -> tuple[float, float]:
        """The ends of the interval, by what has been seen."""

    def _end(self, log_wealth: Callable[[float], float], out: float, inside: float) -> float:
        """By bisection, where a bettor has just got rich enough; on the outer side of it."""
        if log_wealth(out) < self._rich:
            return out
        mean = inside
        for _ in range(_MOST_STEPS):
            if abs(inside - out) <= _TOLERANCE * abs(mean - out):
                break
            middle = (out + inside) / 2
            if log_wealth(middle) < self._rich:
                inside = middle
            else:
                out = middle
        return out


class ProportionSequence(_Sequence):
    """A confidence sequence for a proportion, of numbers that are 0 or 1.

    A bet of size b against p is the likelihood ratio of the proportion whose log-odds are higher
    than those of p by b: of 1 it makes exp(b * successes) / (1 + p * (exp(b) - 1))**n, a fair game
    at every n. Sizes are 8, 4, 2, ... 2**-19, which serves from a few numbers to 10**13 of them.

    Parameters
    ----------
    level : float
        The confidence level of all looks together.

    Attributes
    ----------
    low, high : float
        The interval of the last look.
    looks : int

    Examples
    --------
    >>> sequence = ProportionSequence(0.95)
    >>> sequence.look(100, 50, 50)
    >>> sequence.look(1000, 500, 500)
    >>> str(sequence.estimate(model="coin"))
    '0.5000 [0.4428, 0.5572] (95% anytime-valid Bernoulli interval, 1,000 deals, coin)'
    """

    method = "anytime-valid Bernoulli"
    _BETS: ClassVar[NDArray[np.float64]] = np.exp2(np.arange(3.0, -20.0, -1.0))

    def __init__(self, level: float) -> None:
        super().__init__(0.0, 1.0, level)

    def _ends(self) -> tuple[float, float]:
        # To bet that the proportion is lower is to bet that that of the others is higher.
        return self._lowest(self._total), 1 - self._lowest(self._n - self._total)

    def _lowest(self, successes: int) -> float:
        n, won, odds = float(self._n), self._BETS * float(successes), np.expm1(self._BETS)
        return self._end(
            lambda p: _log_mean_exp(won - n * np.log1p(p * odds)), 0.0, successes / self._n
        )


class MeanSequence(_Sequence):
    """A confidence sequence for the mean of bounded whole numbers.

    Measure numbers in units of the range from ``low`` to ``high``. A bet of size b against m makes
    of 1 the product of 1 + b * (x - m), a fair game if m is the mean, and that is never less than
    exp(b * sum(x - m) - cost(b) * sum((x - m)**2)) with cost(b) = -log(1 - b) - b, which asks for
    sums only (Fan, Grama and Liu 2015). It is the empirical Bernstein bound of Howard, Ramdas,
    McAuliffe and Sekhon (2021, theorem 4), with m as what is expected of every x. Sizes are 1/2,
    1/4, ... 2**-19.

    Parameters
    ----------
    low, high : float
        Bounds of a single number.
    level : float
        The confidence level of all looks together.

    Attributes
    ----------
    low, high : float
        The interval of the last look.
    looks : int

    Raises
    ------
    SequenceError
        If low is not below high, or one of them is infinite.

    Examples
    --------
    A die, each face equally often, looked at twice:

    >>> sequence = MeanSequence(1, 6, 0.95)
    >>> sequence.look(600, 2100, 9100)
    >>> sequence.look(6000, 21000, 91000)
    >>> str(sequence.estimate(model="die"))
    '3.5000 [3.4174, 3.5826] (95% anytime-valid empirical Bernstein interval, 6,000 deals, die)'
    """

    method = "anytime-valid empirical Bernstein"
    # The largest is 1/2: larger ones would not always win less against a higher number.
    _BETS: ClassVar[NDArray[np.float64]] = np.exp2(np.arange(-1.0, -20.0, -1.0))

    def __init__(self, low: float, high: float, level: float) -> None:
        if not -math.inf < low < high < math.inf:
            raise SequenceError(f"bounds must be numbers low < high, not {low} and {high}")
        super().__init__(low, high, level)

    def _ends(self) -> tuple[float, float]:
        (low, high), n = self.bounds, float(self._n)
        mean, width = self._total / self._n, high - low
        variance = float(self._variance()) / width**2
        costs = -np.log1p(-self._BETS) - self._BETS
        # Against a number at some distance from the mean, below or above.
        reach = width * self._end(
            lambda far: _log_mean_exp(n * (self._BETS * far - costs * (variance + far * far))),
            1.0,
            0.0,
        )
        return max(low, mean - reach), min(high, mean + reach)


def _log_mean_exp(logs: NDArray[np.float64]) -> float:
    top = float(logs.max())
    return top + math.log(float(np.exp(logs - top).mean()))
