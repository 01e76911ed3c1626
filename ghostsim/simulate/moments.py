"""What strategies did at a table, added up: sums from which every kind of estimate can be told.

A unit is a game, or a deal in all its rotations: what is independent. It has a row of whole
numbers, its columns; the sums of columns and of products of two columns are all that means, shares,
ratios and paired differences take, with their standard errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ghostsim._checks import whole_number
from ghostsim.rules import Rules
from ghostsim.simulate.runner import SimulationError
from ghostsim.stats import (
    Estimate,
    EstimateError,
    estimate_mean,
    estimate_proportion,
    estimate_ratio,
    estimate_share,
)

#: The columns of units, int (units,) each, by name.
Columns: TypeAlias = Mapping[str, NDArray[Any]]
#: A column, or a sum of columns with whole-number weights: ``{"winner": 1, "last": -1}``.
Weights: TypeAlias = str | Mapping[str, int]


def table_model(strategies: Sequence[str]) -> str:
    """The completion model's name: who played, by seat, or once if all seats are alike.

    >>> table_model(["odds", "odds", "odds"]), table_model(["odds", "steady", "odds"])
    ('table(odds)', 'table(odds, steady, odds)')
    """
    names = strategies[:1] if len(set(strategies)) == 1 else strategies
    return f"table({', '.join(names)})"


def check_units(count: int, unit: str) -> int:
    """A number of games or deals from which an error can be told: two or more."""
    number = whole_number(count, unit)
    if number < 2:
        raise SimulationError(f"a simulation takes two {unit} or more, not {number}")
    return number


def moment_sums(columns: Columns) -> NDArray[np.int64]:
    """The sums of columns, then those of all products of two, row by row.

    Parameters
    ----------
    columns : dict of int or bool (units,)
        One or more, of one length.

    Returns
    -------
    int64 (k + k * k,)
        For k columns; blocks of units add up.

    Raises
    ------
    EstimateError
        If a column is not of whole numbers, or has another length than the first.

    Examples
    --------
    >>> moment_sums({"points": np.array([4, -3, 0]), "declares": np.array([True, True, False])})
    array([ 1,  2, 25,  1,  1,  2])
    """
    rows = np.stack(_checked(columns))
    return np.concatenate([rows.sum(axis=1), (rows @ rows.T).ravel()])


def _checked(columns: Columns) -> list[NDArray[np.int64]]:
    if not columns:
        raise EstimateError("columns must be one or more, not none")
    found = {name: np.asarray(column) for name, column in columns.items()}
    first = next(iter(found))
    for name, column in found.items():
        if column.dtype.kind not in "iub":
            raise EstimateError(
                f"the column {name!r} must be whole numbers, or True and False, not {column.dtype}"
            )
        if column.ndim != 1 or len(column) != len(found[first]):
            raise EstimateError(
                f"columns must have one number a unit: {name!r} has the shape {column.shape}, "
                f"{first!r} {found[first].shape}"
            )
    return [column.astype(np.int64) for column in found.values()]


def n_sums(columns: Sequence[str] | Columns) -> int:
    """How many sums ``moment_sums`` makes of some columns."""
    return len(columns) * (len(columns) + 1)


def read_moments(
    sums: NDArray[np.int64],
    n: int,
    *,
    names: tuple[str, ...],
    y: Weights,
    among: str | None = None,
    before: int = 0,
    units: int = 1,
) -> tuple[int, int, int]:
    """How many numbers a column has, their sum, and of their squares: what a ``Watch`` reads.

    Parameters
    ----------
    sums : int64 (sums,)
    n : int
        Units of the simulation.
    names, y, among
        As in ``Moments`` and ``Moments.mean``.
    before : int
        Sums before those of ``names``.
    units : int
        Units of the moments for each of the simulation: ten deals for each game.
    """
    part = sums[before : before + n_sums(names)]
    found = Moments(names, part, n * units, level=0.95, model="")
    return found.n if among is None else found.total(among), found.total(y), found.product(y, y)


def point_bounds(rules: Rules) -> tuple[int, int]:
    """The fewest and the most points that a seat can have in a deal without revokes.

    >>> point_bounds(Rules())
    (-6, 24)
    """
    fewest = min(rules.declarer_points(bid, tricks) for bid in rules.bids for tricks in range(7))
    most = max(rules.declarer_points(bid, tricks) for bid in rules.bids for tricks in range(7))
    return min(fewest, 0), max(most, 6)


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over units, and the estimates they give.

    Attributes
    ----------
    names : tuple of str
        Of the columns.
    sums : int64 (k + k * k,)
        As ``moment_sums`` makes them.
    n : int
        Units, two or more.
    level : float
    model : str
    unit : str
        What there are n of.

    Raises
    ------
    EstimateError
        If there are not as many sums as so many columns make; and if a method is asked for a
        column that is not there.
    """

    names: tuple[str, ...]
    sums: NDArray[np.int64]
    n: int
    level: float
    model: str
    unit: str = "deals"

    def __post_init__(self) -> None:
        if np.shape(self.sums) != (n_sums(self.names),):
            raise EstimateError(
                f"sums of {len(self.names)} columns ({', '.join(self.names)}) have the shape "
                f"({n_sums(self.names)},), as moment_sums makes them, not {np.shape(self.sums)}"
            )

    def total(self, of: Weights) -> int:
        """The sum of a column over all units."""
        return sum(weight * int(self.sums[self._at(name)]) for name, weight in _pairs(of))

    def product(self, a: Weights, b: Weights) -> int:
        """The sum of the products of two columns."""
        k = len(self.names)
        return sum(
            u * v * int(self.sums[k + k * self._at(one) + self._at(other)])
            for one, u in _pairs(a)
            for other, v in _pairs(b)
        )

    def mean(self, y: Weights, *, among: str | None = None, per: int = 1) -> Estimate | None:
        """The mean of a column.

        Parameters
        ----------
        y : Weights
        among : str, optional
            A column of 0 and 1: only those units; ``y`` must be 0 in all others.
        per : int
            What the column is divided by: the sum of three seats is told as a mean of them by 3.

        Returns
        -------
        Estimate or None
            None for fewer than two units.
        """
        n = self.n if among is None else self.total(among)
        if n < 2:
            return None
        found = estimate_mean(
            self.total(y), self.product(y, y), n, level=self.level, model=self.model
        )
        return replace(
            found,
            value=found.value / per,
            standard_error=found.standard_error / per,
            low=found.low / per,
            high=found.high / per,
            unit=self.unit,
        )

    def proportion(self, y: Weights, *, among: str | None = None) -> Estimate | None:
        """How many units have a 1 in a column of 0 and 1; None if there are no units.

        ``among`` as in ``mean``.
        """
        n = self.n if among is None else self.total(among)
        if n < 1:
            return None
        found = estimate_proportion(self.total(y), n, level=self.level, model=self.model)
        return replace(found, unit=self.unit)

    def ratio(self, y: Weights, x: Weights) -> Estimate | None:
        """The sum of one column over the sum of another, ``estimate_ratio``; None if that is 0."""
        return self._ratio(estimate_ratio, y, x)

    def share(self, y: Weights, x: Weights) -> Estimate | None:
        """How many of the things that x counts y counts too, ``estimate_share``; None of none."""
        return self._ratio(estimate_share, y, x)

    def _ratio(self, estimate: Any, y: Weights, x: Weights) -> Estimate | None:
        if self.total(x) <= 0:
            return None
        found: Estimate = estimate(
            self.total(y),
            self.total(x),
            self.product(y, y),
            self.product(x, x),
            self.product(x, y),
            self.n,
            level=self.level,
            model=self.model,
        )
        return replace(found, unit=self.unit)

    def _at(self, name: str) -> int:
        if name not in self.names:
            raise EstimateError(f"there is no column {name!r}: there are {', '.join(self.names)}")
        return self.names.index(name)


def _pairs(weights: Weights) -> list[tuple[str, int]]:
    return [(weights, 1)] if isinstance(weights, str) else list(weights.items())
