"""The one runner of all simulations: blocks of deals, wherever they are computed, to one sum.

A simulation says what a block of deals gives, whole numbers, and how blocks merge. The runner does
the rest: seeds, jobs, backends, what a run folder has kept, progress, and when to stop.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import numbers
import reprlib
from array import array
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ghostsim._checks import whole_number
from ghostsim._parallel import go_on_if_wanted, run_apart, use_backend
from ghostsim.deals import check_seed
from ghostsim.errors import GhostsimError
from ghostsim.sequential import MeanSequence, ProportionSequence
from ghostsim.stats import Estimate

#: Deals a block: a good part of a second of work.
DEALS_PER_BLOCK = 50_000

#: With a store, the sums of so many blocks at most wait in memory for their turn.
_MOST_WAITING = 100

#: ``block(seed, start, count)``: the sums of deals ``start`` to ``start + count - 1`` of a seed.
Block: TypeAlias = Callable[[int, int, int], NDArray[np.int64]]
#: ``merge(total, sums, start)``: the total with the block from ``start`` on in it as well, perhaps
#: in place; ``total`` is None before the first block.
Merge: TypeAlias = Callable[[NDArray[np.int64] | None, NDArray[np.int64], int], NDArray[np.int64]]


class SimulationError(GhostsimError):
    """A number of deals that cannot be simulated, or a setting with which nothing can."""


@dataclass(frozen=True)
class Watch:
    """The quantity that ``--precision`` narrows down: a mean of bounded numbers, or a proportion.

    Attributes
    ----------
    quantity : str
        What it is, in words.
    read : callable
        ``read(sums, n)`` of the first n deals: how many numbers there were, their sum, the sum of
        their squares. A module's function, or a partial of one.
    model : str
        The completion model.
    unit : str
        Of the quantity: ``"points a deal"``, ``"share of games"``.
    bounds : tuple of float, optional
        Between which a single number lies; left out, the numbers are 0 and 1.
    per : int
        What numbers are divided by to be told: the sum of three plays is told as a mean by 3.
    """

    quantity: str
    read: Callable[[NDArray[np.int64], int], tuple[int, int, int]]
    model: str
    unit: str
    bounds: tuple[float, float] | None = None
    per: int = 1

    def sequence(self, level: float) -> MeanSequence | ProportionSequence:
        """The confidence sequence that looks at it."""
        if self.bounds is None:
            return ProportionSequence(level)
        return MeanSequence(*self.bounds, level)


def add_sums(
    total: NDArray[np.int64] | None, sums: NDArray[np.int64], _: int = 0
) -> NDArray[np.int64]:
    """How most blocks merge: number by number."""
    if total is None:
        return sums.copy()
    total += sums
    return total


@dataclass(frozen=True)
class Simulation:
    """What is simulated.

    Attributes
    ----------
    name : str
        Of its blocks in a store, together with the seed; different for each simulation of a study.
    block : callable
        ``block(seed, start, count)`` gives the sums of units ``start`` to ``start + count - 1`` of
        a seed: an int64 array, always of one shape. A unit may depend on the seed and its number
        only. To travel to other processes it is best a function of a module or a script, or a
        ``functools.partial`` of one; a module that is not installed must be given to the workers
        of a cluster, by ``client.upload_file`` or on their ``PYTHONPATH``.
    title : str
        Of the progress bar: what is being done.
    unit : str
        What is counted: ``"deals"``, ``"games"``.
    per_block : int
        Units a block: about a second of work, or less. Precision is looked at after each.
    merge : callable
        How blocks become one; left out, they are added up.
    prefer : {"threads", "processes"}
        Where blocks run unless told otherwise: plain Python holds the lock.
    watch : Watch, optional
        What a precision is of. Without one all units are run, and the first simulation of a runner
        with a precision must have one.

    Raises
    ------
    SimulationError
        If ``block`` cannot be called, or ``per_block`` is less than 1.
    """

    name: str
    block: Block
    title: str = "dealing"
    unit: str = "deals"
    per_block: int = DEALS_PER_BLOCK
    merge: Merge = add_sums
    prefer: Literal["threads", "processes"] = "threads"
    watch: Watch | None = None

    def __post_init__(self) -> None:
        if not callable(self.block):
            raise SimulationError(
                f"block must be a function of seed, start and count, not {self.block!r}"
            )
        if whole_number(self.per_block, "per_block") < 1:
            raise SimulationError(f"per_block must be 1 or more, not {self.per_block}")

    def in_parts(self) -> Block:
        """The block, its sums checked; a long one is the sum of usual ones: its memory does not
        grow.
        """
        size = self.per_block if self.merge is add_sums else None
        return functools.partial(_sum_of_parts, self.name, self.block, size)


@dataclass(frozen=True, repr=False)
class Stop:
    """Why a run to a precision stopped.

    Attributes
    ----------
    watch : Watch
        What was looked at.
    precision : float
        The half-width that was asked for.
    reached : bool
        Whether it was reached, and not only the most units.
    n : int
        Units run, of ``unit``.
    unit : str
    looks : int
    estimate : Estimate
        The quantity, with the interval of its confidence sequence.
    """

    watch: Watch
    precision: float
    reached: bool
    n: int
    unit: str
    looks: int
    estimate: Estimate

    def __repr__(self) -> str:
        half_width = (self.estimate.high - self.estimate.low) / 2
        wanted = "" if self.reached else ", the most that was allowed"
        return (
            f"{self.watch.quantity}: {self.estimate}; stopped after {self.n:,} {self.unit}"
            f"{wanted}, half-width {half_width:.3g} of {self.precision:g}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Simulated:
    """What a run gave.

    Attributes
    ----------
    sums : int64 array
        Of the first n units.
    n : int
    stop : Stop or None
        Why it stopped, if it was run to a precision.
    """

    sums: NDArray[np.int64]
    n: int
    stop: Stop | None = None

    def __repr__(self) -> str:
        sums = " ".join(str(number) for number in self.sums.flat[:6])
        more = " ..." if self.sums.size > 6 else ""
        stop = "" if self.stop is None else f"; {self.stop}"
        return f"{self.n:,} units, sums [{sums}{more}]{stop}"


class BlockStore(Protocol):
    """Where blocks are kept, by a name of simulation and seed: ``"deals, seed 0"``."""

    def spans(self, name: str) -> Iterator[tuple[int, int]]:
        """Start and count of all blocks of a name, by start, of one start the longest first."""

    def read(self, name: str, start: int, count: int) -> NDArray[np.int64]: ...

    def write(self, name: str, start: int, count: int, sums: NDArray[np.int64]) -> None: ...


class Watcher(Protocol):
    """Is told how a run goes: a progress bar."""

    def begin(self, title: str, unit: str, total: int, kept: int, precision: float | None) -> None:
        """A simulation of at most ``total`` units begins; a run folder holds ``kept`` of them."""

    def advance(self, fresh: int, half_width: float | None) -> None:
        """So many units are done beside those kept; how narrow the interval is, where asked."""

    def end(self) -> None:
        """The simulation is over, or interrupted."""


@dataclass
class Runner:
    """Runs simulations, all in the same way. No result depends on how, but for ``precision``.

    Attributes
    ----------
    n_jobs : int, optional
        As joblib counts them; left out, one, or what an ambient ``joblib.parallel_config`` says.
    backend : str, optional
        ``"threads"``, ``"loky"``, ``"sequential"``, ``"dask"`` or another that joblib knows; left
        out, the ambient one, or threads.
    scheduler : str, optional
        The address of a dask scheduler; ``backend="dask"`` goes without saying then.
    block_size : int, optional
        Units a block, in place of the simulation's own. With ``precision`` blocks end where it is
        looked at nevertheless.
    precision : float, optional
        Stop as soon as the watched quantity's interval is no wider than this to either side.
    store : BlockStore, optional
        Keeps finished blocks, and has those of earlier runs.
    watcher : Watcher, optional
        Is told how a run goes: ``ghostsim.progress.ProgressDisplay()`` shows it.
    stops : list of Stop
        One for each simulation that was run to a precision.

    Examples
    --------
    How often the left bower of a spade trump lies in the ghost; it is 1/4.

    >>> from ghostsim import Card
    >>> from ghostsim.deals import random_hands
    >>> def left_bower(seed, start, count):
    ...     held = random_hands(count, seed=seed, start=start) & Card("JC").mask
    ...     return np.array([(held == 0).all(axis=1).sum()])
    >>> ran = Runner(n_jobs=2).run(Simulation("left bower", left_bower), 200_000, seed=1)
    >>> ran
    200,000 units, sums [50060]
    """

    n_jobs: int | None = None
    backend: str | None = None
    scheduler: str | None = None
    block_size: int | None = None
    precision: float | None = None
    store: BlockStore | None = None
    watcher: Watcher | None = None
    stops: list[Stop] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.block_size is not None and whole_number(self.block_size, "block_size") < 1:
            raise SimulationError(f"block_size must be 1 or more, not {self.block_size}")
        if self.precision is not None:
            _check_precision(self.precision)
        if self.scheduler is not None and self.backend not in (None, "dask"):
            raise SimulationError("a scheduler is for the backend 'dask'")

    def run(
        self, simulation: Simulation, amount: int, *, seed: int, level: float = 0.95
    ) -> Simulated:
        """Run units 0 to ``amount - 1`` of a seed, or fewer if the precision is reached before.

        Sums are whole numbers and each unit depends on the seed and its number only, so the result
        does not depend on jobs, backend, block size, or what was kept of an earlier run. Precision
        is looked at after every ``simulation.per_block`` units, in order, so it does not depend
        on them either.

        Parameters
        ----------
        simulation : Simulation
        amount : int
            Units, 1 or more; at most so many if there is a precision.
        seed : int
            0 to 2**64 - 1.
        level : float
            Of the confidence sequence, if there is a precision.

        Raises
        ------
        SimulationError
            If ``amount`` is out of range, if there is a precision and neither this simulation nor
            an earlier one has a watch, or if a block gives something else than whole-number sums.
        """
        amount, seed = whole_number(amount, "amount"), check_seed(seed)
        if not 1 <= amount < 1 << 63:
            raise SimulationError(f"amount must be 1 or more, and below 2**63, not {amount}")
        looks = None
        if self.precision is not None:
            if simulation.watch is not None:
                looks = _Looks(simulation.watch, simulation.per_block, self.precision, level)
            elif not self.stops:
                raise SimulationError(
                    f"the simulation {simulation.name!r} cannot be run to a precision: it has no "
                    "watch, which says what to narrow down. Leave precision out"
                )
        # Blocks end where the precision is looked at.
        step = None if looks is None else looks.step
        name = f"{simulation.name}, seed {seed}"
        kept = _Kept.of(self.store, name, amount, step)
        calls = (
            functools.partial(_piece, simulation.in_parts(), seed, start, count)
            for start, count in kept.missing(self.block_size or simulation.per_block, step)
        )
        watcher = self.watcher or _Nobody()
        precision = None if looks is None else self.precision
        total: NDArray[np.int64] | None = None
        done = fresh = 0
        with contextlib.ExitStack() as stack:
            stack.callback(watcher.end)
            watcher.begin(simulation.title, simulation.unit, amount, kept.units, precision)
            stack.enter_context(use_backend(self.backend, self.n_jobs, self.scheduler))
            computed = run_apart(calls, self.n_jobs, prefer=simulation.prefer, in_order=False)
            stack.push(functools.partial(_end, computed))
            waiting: dict[int, tuple[int, NDArray[np.int64] | None]] = {}
            sums: NDArray[np.int64] | None
            while done < amount and not (looks and looks.narrow):
                if (count := kept.count_at(done)) is not None:
                    sums = None
                elif done in waiting:
                    count, sums = waiting.pop(done)
                else:
                    start, count, sums = next(computed)
                    if self.store is not None:
                        self.store.write(name, start, count, sums)
                        if len(waiting) >= _MOST_WAITING:
                            sums = None
                    waiting[start] = count, sums
                    fresh += count
                    continue
                if sums is None:
                    assert self.store is not None
                    sums = self.store.read(name, done, count)
                if simulation.merge is add_sums:
                    _check_shape(simulation.name, sums, total)
                total = simulation.merge(total, sums, done)
                done += count
                if looks and (done % looks.step == 0 or done == amount):
                    looks.look(total, done)
                watcher.advance(fresh, looks.half_width if looks else None)
        assert total is not None
        stop = None
        if looks is not None:
            stop = looks.stop(done, simulation.unit)
            self.stops.append(stop)
        return Simulated(total, done, stop)


class _Looks:
    """The looks at a watched quantity, until it is as narrow as was asked."""

    def __init__(self, watch: Watch, step: int, precision: float, level: float) -> None:
        self.step = step
        self._watch, self._precision = watch, precision
        self._sequence = watch.sequence(level)

    def look(self, sums: NDArray[np.int64], n: int) -> None:
        self._sequence.look(*self._watch.read(sums, n))

    @property
    def half_width(self) -> float:
        return self._sequence.half_width / self._watch.per

    @property
    def narrow(self) -> bool:
        return self.half_width <= self._precision

    def stop(self, n: int, unit: str) -> Stop:
        found, per = self._sequence.estimate(model=self._watch.model, unit=unit), self._watch.per
        estimate = replace(
            found,
            value=found.value / per,
            standard_error=found.standard_error / per,
            low=found.low / per,
            high=found.high / per,
        )
        return Stop(
            watch=self._watch,
            precision=self._precision,
            reached=self.narrow,
            n=n,
            unit=unit,
            looks=self._sequence.looks,
            estimate=estimate,
        )


def _check_precision(precision: object) -> None:
    if isinstance(precision, bool) or not isinstance(precision, numbers.Real):
        raise TypeError(f"precision must be a number above 0, like 0.01, not {precision!r}")
    if not 0 < float(precision) < math.inf:
        raise SimulationError(f"precision must be above 0, like 0.01, not {precision}")


def _sum_of_parts(
    name: str, block: Block, size: int | None, seed: int, start: int, count: int
) -> NDArray[np.int64]:
    """The sums of a block; one longer than ``size`` in parts."""
    total: NDArray[np.int64] | None = None
    end = start + count
    for begin in range(start, end, size or count):
        go_on_if_wanted()  # a long block does not keep an interrupt waiting
        sums = block(seed, begin, min(size or count, end - begin))
        _check_sums(name, sums)
        if total is not None:
            _check_shape(name, sums, total)
        total = add_sums(total, sums)
    assert total is not None
    return total


def _check_sums(name: str, sums: object) -> None:
    """SimulationError if what a block gave is no array of whole numbers."""
    if isinstance(sums, np.ndarray):
        if sums.dtype == np.int64:
            return
        found = f"an array of {sums.dtype}"
    else:
        found = f"{reprlib.repr(sums)} ({type(sums).__name__})"
    raise SimulationError(
        f"a block of the simulation {name!r} gave {found}: it must give an int64 array, like "
        "np.array([7, 12], dtype=np.int64)"
    )


def _check_shape(name: str, sums: NDArray[np.int64], total: NDArray[np.int64] | None) -> None:
    """SimulationError if the sums of a block cannot be added to those before."""
    if total is not None and sums.shape != total.shape:
        raise SimulationError(
            f"a block of the simulation {name!r} gave an array of shape {sums.shape} after one of "
            f"{total.shape}: all its blocks, those in a store too, must have one shape"
        )


def _piece(block: Block, seed: int, start: int, count: int) -> tuple[int, int, NDArray[np.int64]]:
    """A block that says which it is: they are done in any order."""
    return start, count, block(seed, start, count)


def _end(
    computed: Generator[object, None, None], _: object, error: BaseException | None, __: object
) -> None:
    """Have no more blocks computed; if that is because of an error, as if it had come from them."""
    if error is None:
        computed.close()
    else:
        with contextlib.suppress(BaseException):
            computed.throw(error)


class _Nobody:
    """Watches no run."""

    def begin(
        self, title: str, unit: str, total: int, kept: int, precision: float | None
    ) -> None: ...

    def advance(self, fresh: int, half_width: float | None) -> None: ...

    def end(self) -> None: ...


class _Kept:
    """The blocks of a store that lie end to end, from the first deal on, with gaps between them."""

    def __init__(self, amount: int) -> None:
        self._amount = amount
        # Of many small blocks: two whole numbers each, not a tuple.
        self._starts, self._counts = array("q"), array("q")
        self._next = 0

    @classmethod
    def of(cls, store: BlockStore | None, name: str, amount: int, step: int | None) -> _Kept:
        """Those that a run of some amount can use; none that reaches over a multiple of step."""
        kept = cls(amount)
        end = 0
        for start, count in store.spans(name) if store is not None else ():
            over = step is not None and start // step != (start + count - 1) // step
            if start >= end and start + count <= amount and not over:
                kept._starts.append(start)
                kept._counts.append(count)
                end = start + count
        return kept

    @property
    def units(self) -> int:
        return sum(self._counts)

    def count_at(self, start: int) -> int | None:
        """How long the block is that begins there; to be asked in order."""
        if self._next < len(self._starts) and self._starts[self._next] == start:
            self._next += 1
            return self._counts[self._next - 1]
        return None

    def missing(self, size: int, step: int | None) -> Iterator[tuple[int, int]]:
        """Start and count of the blocks that are still to be run, each within a multiple of size
        and of step.
        """
        end = 0
        for start, count in itertools.chain(
            zip(self._starts, self._counts, strict=True), [(self._amount, 0)]
        ):
            while end < start:
                stop = min(start, (end // size + 1) * size)
                if step is not None:
                    stop = min(stop, (end // step + 1) * step)
                yield end, stop - end
                end = stop
            end = start + count
