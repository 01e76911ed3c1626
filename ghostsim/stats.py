"""Estimates from simulation: a mean or a proportion, its standard error and its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
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
        Independent deals.
    method : str
        How the interval was made.
    model : str
        The completion model that played the deals.
    """

    value: float
    standard_error: float
    low: float
    high: float
    level: float
    n: int
    method: str
    model: str

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
            f"({100 * self.level:g}% {self.method} interval, {self.n:,} deals, {self.model})"
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
    reach = _z(level) * error
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
    z = _z(level)
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low = 0.0 if successes == 0 else centre - reach
    high = 1.0 if successes == n else centre + reach
    return Estimate(p, math.sqrt(p * (1 - p) / n), low, high, level, n, "Wilson", model)


def _z(level: float) -> float:
    return NormalDist().inv_cdf(0.5 + check_level(level) / 2)
