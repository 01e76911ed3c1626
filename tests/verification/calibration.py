"""Do confidence sequences hold at every look? Many runs of numbers whose mean is known exactly.

The numbers are those of the study ``swap-value``: what a deal gives a player who always keeps his
hand, as distributed over all 134,596 hands and, for each, all 17,153,136 layouts. Deals are drawn
from that distribution, not dealt and solved, so that thousands of runs take a minute or two. Run
number i of a quantity and a seed is always the same.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ghostsim.sequential import MeanSequence, ProportionSequence
    from ghostsim.stats import Estimate

NAME = "stopping"
LEVEL = 0.95
DEALS_PER_LOOK = 1_000
LOOKS = 100
#: A run stops at the precision that an interval of 95 % has, looked at once, with so many deals.
FIXED_DEALS = 20_000
RUNS_PER_PIECE = 20


@dataclass(frozen=True)
class Quantity:
    """A mean that is known exactly.

    Attributes
    ----------
    name : str
    values, weights : tuple of int
        What a number may be, and how often it is; the weights are exact counts.
    bounds : tuple of int, optional
        Of a mean; a proportion has none.
    """

    name: str
    values: tuple[int, ...]
    weights: tuple[int, ...]
    bounds: tuple[int, int] | None = None

    @property
    def mean(self) -> Fraction:
        total = sum(w * x for w, x in zip(self.weights, self.values, strict=True))
        return Fraction(total, sum(self.weights))

    @property
    def deviation(self) -> float:
        """The standard deviation of a number."""
        squares = sum(w * x * x for w, x in zip(self.weights, self.values, strict=True))
        return math.sqrt(Fraction(squares, sum(self.weights)) - self.mean**2)

    @property
    def precision(self) -> float:
        """The half-width at which a run stops."""
        from ghostsim.stats import normal_quantile

        return normal_quantile(LEVEL) * self.deviation / math.sqrt(FIXED_DEALS)

    def sequence(self) -> MeanSequence | ProportionSequence:
        from ghostsim.sequential import MeanSequence, ProportionSequence

        return MeanSequence(*self.bounds, LEVEL) if self.bounds else ProportionSequence(LEVEL)

    def looks(self, seed: int, run: int, looks: int) -> Iterator[tuple[int, int, int]]:
        """How many deals there are at each look, their sum, and that of their squares."""
        import numpy as np

        rng = np.random.default_rng([seed, run, *self.name.encode()])
        shares = np.array(self.weights, dtype=float) / sum(self.weights)
        drawn = rng.multinomial(DEALS_PER_LOOK, shares, looks).cumsum(axis=0)
        values = np.array(self.values)
        rows = np.stack([drawn.sum(axis=1), drawn @ values, drawn @ values**2], axis=1)
        yield from map(tuple, rows.tolist())

    def looked_at_once(self, n: int, total: int, squares: int) -> Estimate:
        """The interval that holds if it is looked at once, which here it is not."""
        from ghostsim.stats import estimate_mean, estimate_proportion

        if self.bounds:
            return estimate_mean(total, squares, n, level=LEVEL, model="")
        return estimate_proportion(total, n, level=LEVEL, model="")


@functools.cache
def quantities() -> dict[str, Quantity]:
    """The quantities, by name."""
    from ghostsim.class_odds import class_odds, points_by_tricks
    from ghostsim.rules import STANDARD

    odds = class_odds(STANDARD)
    layouts: Counter[int] = Counter()
    passes = 0
    for hands, of_class, bid, trump in zip(
        odds.classes.hands.tolist(), odds.counts.tolist(), *odds.best_actions(), strict=True
    ):
        if bid < 0:  # a pass, which scores nothing
            passes += hands
            layouts[0] += hands * sum(of_class[0])
            continue
        points = points_by_tricks(STANDARD.bids[bid], STANDARD).tolist()
        for value, count in zip(points, of_class[trump], strict=True):
            layouts[value] += hands * count
    # What a deal gives beyond another one.
    gaps: Counter[int] = Counter()
    for (x, count), (y, other) in itertools.product(layouts.items(), repeat=2):
        gaps[x - y] += count * other
    low, high = -STANDARD.moon_set_points, STANDARD.moon_points
    all_hands, moons = int(odds.classes.hands.sum()), layouts[high]
    found = (
        Quantity("points of a kept hand", *_columns(layouts), (low, high)),
        Quantity("points less those of another deal", *_columns(gaps), (low - high, high - low)),
        Quantity("hands that would pass", (0, 1), (all_hands - passes, passes)),
        Quantity("moons made", (0, 1), (layouts.total() - moons, moons)),
    )
    return {quantity.name: quantity for quantity in found}


def _columns(counts: Counter[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    values = tuple(sorted(counts))
    return values, tuple(counts[value] for value in values)


@dataclass
class Outcome:
    """How runs of a quantity went.

    Attributes
    ----------
    runs : int
    sequence, once : Counter
        Runs by the look, from 1, at which the interval first missed the truth: the confidence
        sequence's, and the one that holds if it is looked at once. Other runs never missed it.
    stopped, missed_at_stop, deals_at_stop : int
        Runs that came to their precision, those of them whose interval then missed the truth, and
        how many deals they all took.
    """

    runs: int = 0
    sequence: Counter[int] = field(default_factory=Counter)
    once: Counter[int] = field(default_factory=Counter)
    stopped: int = 0
    missed_at_stop: int = 0
    deals_at_stop: int = 0

    def add(self, other: Outcome) -> None:
        self.runs += other.runs
        self.sequence += other.sequence
        self.once += other.once
        self.stopped += other.stopped
        self.missed_at_stop += other.missed_at_stop
        self.deals_at_stop += other.deals_at_stop

    @property
    def holds(self) -> bool:
        """Whether the confidence sequence missed the truth no more often than it may."""
        return self.sequence.total() <= most_misses(self.runs)

    def plain(self) -> dict[str, Any]:
        """For a JSON file."""
        return {
            "runs": self.runs,
            "sequence_missed": self.sequence.total(),
            "once_missed": self.once.total(),
            "most_misses": most_misses(self.runs),
            "stopped": self.stopped,
            "missed_at_stop": self.missed_at_stop,
            "mean_deals_at_stop": self.deals_at_stop / self.stopped if self.stopped else None,
            "sequence_by_look": _running(self.sequence),
            "once_by_look": _running(self.once),
        }


def most_misses(runs: int) -> int:
    """Misses in so many runs that chance explains: three standard errors more than the level's."""
    missing = 1 - LEVEL
    return math.floor(missing * runs + 3 * math.sqrt(missing * LEVEL * runs))


def _running(first: Counter[int]) -> list[int]:
    """How many runs have missed the truth by each look."""
    return list(itertools.accumulate(first[look] for look in range(1, LOOKS + 1)))


def pieces(runs: int) -> list[tuple[str, range]]:
    """Quantities, and which of their runs are done together."""
    return [
        (name, range(first, min(first + RUNS_PER_PIECE, runs)))
        for name in quantities()
        for first in range(0, runs, RUNS_PER_PIECE)
    ]


def do_runs(name: str, seed: int, runs: range, looks: int = LOOKS) -> Outcome:
    """Do some runs; what a worker process is told."""
    quantity = quantities()[name]
    truth, precision = float(quantity.mean), quantity.precision
    outcome = Outcome(len(runs))
    for run in runs:
        sequence = quantity.sequence()
        missed = once_missed = stopped = False
        for look, sums in enumerate(quantity.looks(seed, run, looks), start=1):
            sequence.look(*sums)
            outside = not sequence.low <= truth <= sequence.high
            if outside and not missed:
                missed = True
                outcome.sequence[look] += 1
            if not once_missed and not quantity.looked_at_once(*sums).contains(truth):
                once_missed = True
                outcome.once[look] += 1
            if not stopped and sequence.half_width <= precision:
                stopped = True
                outcome.stopped += 1
                outcome.missed_at_stop += outside
                outcome.deals_at_stop += sums[0]
    return outcome
