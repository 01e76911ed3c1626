"""Estimates from simulation: a mean, a proportion or a ratio, its error and its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from ghostsim.errors import GhostsimError

#: Beyond this level a normal interval means nothing.
MAX_LEVEL = 0.999999999


class EstimateError(GhostsimError):
    """Sums from which nothing can be estimated, or a level that is not one."""


@dataclass(frozen=True)
class Estimate:
    """A number estimated by simulation.

    Attributes
    ----------
    value : float
        The estimate.
    standard_error : float
    low, high : float
        The interval.
    level : float
        Its confidence level, between 0 and 1.
    n : int
        Independent units.
    method : str
        How the interval was made.
    model : str
        The completion model that played the deals.
    unit : str
        What there are n of.
    """

    value: float
    standard_error: float
    low: float
    high: float
    level: float
    n: int
    method: str
    model: str
    unit: str = "deals"

    def contains(self, exact: float) -> bool:
        """Whether the interval contains a number."""
        return self.low <= exact <= self.high

    def standard_errors_from(self, exact: float) -> float:
        """How far the estimate lies from a number, in standard errors, with its sign."""
        difference = self.value - exact
        if self.standard_error == 0:
            return 0.0 if difference == 0 else math.copysign(math.inf, difference)
        return difference / self.standard_error

    def __str__(self) -> str:
        return (
            f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}] "
            f"({100 * self.level:g}% {self.method} interval, {self.n:,} {self.unit}, "
            f"{self.model})"
        )


def check_level(level: float) -> float:
    """A confidence level above 0 and at most ``MAX_LEVEL``."""
    if not 0 < level <= MAX_LEVEL:
        raise EstimateError(f"level must be between 0 and 1, like 0.95, not {level!r}")
    return float(level)


def estimate_mean(total: int, squares: int, n: int, *, level: float, model: str) -> Estimate:
    """The mean of n whole numbers from their sum and their sum of squares.

    The interval is the normal one, mean plus and minus z standard errors: the numbers are points
    of a deal, bounded, and n is large.

    >>> str(estimate_mean(10, 60, 4, level=0.95, model="coin"))
    '2.5000 [-0.8473, 5.8473] (95% normal interval, 4 deals, coin)'
    """
    if n < 2:
        raise EstimateError(f"a mean and its standard error take two deals or more, not {n}")
    mean = total / n
    # In whole numbers until here: n * squares and total**2 may nearly cancel.
    variance = (n * squares - total * total) / (n * (n - 1))
    error = math.sqrt(variance / n)
    reach = normal_quantile(level) * error
    return Estimate(mean, error, mean - reach, mean + reach, level, n, "normal", model)


def estimate_proportion(successes: int, n: int, *, level: float, model: str) -> Estimate:
    """A proportion with its Wilson score interval (Wilson 1927).

    >>> estimate = estimate_proportion(8, 10, level=0.95, model="coin")
    >>> round(estimate.low, 4), round(estimate.high, 4)
    (0.4902, 0.9433)
    """
    if n < 1 or not 0 <= successes <= n:
        raise EstimateError(f"{successes} successes of {n} deals are no proportion")
    p = successes / n
    low, high = wilson_interval(p, n, level)
    return Estimate(p, math.sqrt(p * (1 - p) / n), low, high, level, n, "Wilson", model)


def estimate_ratio(
    total_y: int,
    total_x: int,
    yy: int,
    xx: int,
    xy: int,
    n: int,
    *,
    level: float,
    model: str,
) -> Estimate:
    """The ratio of two sums over n independent units, from sums of products of whole numbers.

    For a mean over a number of observations that is itself chance, like points a bid: a unit (a
    deal, a game) brings y points and x bids. The standard error is that of the linearised ratio
    (Cochran 1977, 6.4): the scatter of ``y - ratio * x`` over the units. The interval is the
    normal one. Where x is 1 in every unit, it is ``estimate_mean``.

    Parameters
    ----------
    total_y, total_x : int
        The sums of y and of x; ``total_x`` above 0.
    yy, xx, xy : int
        The sums of ``y * y``, ``x * x`` and ``x * y``.
    n : int
        Units, also those with x = 0.
    level : float
    model : str

    Examples
    --------
    >>> str(estimate_ratio(4, 4, 10, 8, 8, 2, level=0.95, model="coin"))
    '1.0000 [0.0200, 1.9800] (95% ratio interval, 2 deals, coin)'

    Raises
    ------
    EstimateError
        If there are fewer than two units, nothing to divide by, sums that no numbers have, or a
        level that is not one.
    """
    ratio, error = _ratio(total_y, total_x, yy, xx, xy, n)
    reach = normal_quantile(level) * error
    return Estimate(ratio, error, ratio - reach, ratio + reach, level, n, "ratio", model)


def estimate_share(
    total_y: int,
    total_x: int,
    yy: int,
    xx: int,
    xy: int,
    n: int,
    *,
    level: float,
    model: str,
) -> Estimate:
    """A share of things of which a unit brings several: a ratio that stays between 0 and 1.

    A unit brings x things, of which y count: a deal played three times, and the bids made in it.
    The standard error is that of ``estimate_ratio``; the interval is Wilson's (1927) for as many
    independent things as would have that error (Korn and Graubard 1998), and for one a unit where
    there is no error to go by. Parameters as for ``estimate_ratio``.

    >>> str(estimate_share(2, 4, 2, 8, 4, 2, level=0.95, model="coin"))
    '0.5000 [0.5000, 0.5000] (95% ratio interval, 2 deals, coin)'

    Raises
    ------
    EstimateError
        As ``estimate_ratio``; and if more things count than there are.
    """
    p, error = _ratio(total_y, total_x, yy, xx, xy, n)
    if not 0 <= total_y <= total_x:
        raise EstimateError(f"{total_y} of {total_x} are no share")
    if error == 0 and 0 < p < 1:  # the same share of every unit
        return Estimate(p, 0.0, p, p, level, n, "ratio", model)
    things = min(n, total_x) if error == 0 else p * (1 - p) / error**2
    low, high = wilson_interval(p, things, level)
    return Estimate(p, error, low, high, level, n, "clustered Wilson", model)


def _ratio(total_y: int, total_x: int, yy: int, xx: int, xy: int, n: int) -> tuple[float, float]:
    """The ratio of two sums over units, and its linearised standard error."""
    if n < 2:
        raise EstimateError(f"a ratio and its standard error take two deals or more, not {n}")
    if total_x <= 0:
        raise EstimateError(f"a ratio takes something to divide by, not a total_x of {total_x}")
    # The squares of total_x * y - total_y * x, in whole numbers: they may nearly cancel.
    scatter = yy * total_x**2 - 2 * xy * total_x * total_y + xx * total_y**2
    if scatter < 0:
        raise EstimateError(f"no numbers have the sums of products yy {yy}, xx {xx}, xy {xy}")
    return total_y / total_x, math.sqrt(Fraction(n * scatter, (n - 1) * total_x**4))


def wilson_interval(p: float, n: float, level: float) -> tuple[float, float]:
    """Wilson's score interval (1927) of a proportion of n, which need not be a whole number."""
    z = normal_quantile(level)
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (0.0 if p == 0 else centre - reach), (1.0 if p == 1 else centre + reach)


def normal_quantile(level: float) -> float:
    """How many standard errors a normal interval of a confidence level reaches to either side."""
    return NormalDist().inv_cdf(0.5 + check_level(level) / 2)
