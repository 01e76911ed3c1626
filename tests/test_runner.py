"""The one runner: every unit once, wherever it runs; and a stop that is always the same."""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib.parallel import BACKENDS as BACKENDS_OF_JOBLIB
from joblib.parallel import ThreadingBackend
from numpy.typing import NDArray

from ghostsim.errors import GhostsimError
from ghostsim.sequential import MeanSequence, ProportionSequence
from ghostsim.simulate import runner as module
from ghostsim.simulate.runner import Runner, Simulation, SimulationError, Watch, add_sums

Sums = NDArray[np.int64]
Span = tuple[int, int]

#: Those of this machine; dask has tests of its own.
BACKENDS = ("threads", "loky", "sequential")


def values(seed: int, start: int, count: int) -> Sums:
    """A number from 0 to 6 for each unit."""
    units = np.arange(start, start + count, dtype=np.uint64)
    mixed = (units + np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
    return ((mixed >> np.uint64(40)) % np.uint64(7)).astype(np.int64)


def block(seed: int, start: int, count: int) -> Sums:
    """Units, the sum of their numbers, the sum of these numbers, of their squares, and sixes."""
    units, found = np.arange(start, start + count), values(seed, start, count)
    return np.array([count, units.sum(), found.sum(), (found * found).sum(), (found == 6).sum()])


def expected(seed: int, amount: int) -> list[int]:
    found: list[int] = block(seed, 0, amount).tolist()
    assert found[:2] == [amount, amount * (amount - 1) // 2]
    return found


def read_mean(sums: Sums, n: int) -> tuple[int, int, int]:
    assert n == sums[0]
    return n, int(sums[2]), int(sums[3])


def read_sixes(sums: Sums, n: int) -> tuple[int, int, int]:
    return n, int(sums[4]), int(sums[4])


MEAN = Watch("the number", read_mean, "some model", "numbers", bounds=(0, 6))
THIRD = Watch("a third of it", read_mean, "some model", "numbers", bounds=(0, 6), per=3)
SIXES = Watch("sixes", read_sixes, "some model", "share of units")


@dataclass
class Counted:
    """A block that remembers what was asked for; in threads only."""

    spans: list[Span] = field(default_factory=list)

    def __call__(self, seed: int, start: int, count: int) -> Sums:
        self.spans.append((start, count))
        return block(seed, start, count)


@dataclass
class Memory:
    """A store as the runner sees one, which remembers what it was asked."""

    blocks: dict[tuple[str, int, int], Sums] = field(default_factory=dict)
    reads: list[Span] = field(default_factory=list)
    writes: list[Span] = field(default_factory=list)

    @classmethod
    def holding(cls, spans: list[Span], seed: int) -> Memory:
        name = f"units, seed {seed}"
        return cls({(name, start, count): block(seed, start, count) for start, count in spans})

    def spans(self, name: str) -> Iterator[Span]:
        kept = [(start, count) for of, start, count in self.blocks if of == name]
        return iter(sorted(kept, key=lambda span: (span[0], -span[1])))

    def read(self, name: str, start: int, count: int) -> Sums:
        self.reads.append((start, count))
        return self.blocks[name, start, count]

    def write(self, name: str, start: int, count: int, sums: Sums) -> None:
        self.writes.append((start, count))
        self.blocks[name, start, count] = sums


def units_of(spans: list[Span]) -> list[int]:
    """All units of some blocks, one by one."""
    return sorted(unit for start, count in spans for unit in range(start, start + count))


def simulation(of: Callable[[int, int, int], Sums] = block, **how: Any) -> Simulation:
    return Simulation("units", of, **({"per_block": 50} | how))


# ------------------------------------------------------------------------------ every unit once


@given(
    amount=st.integers(1, 400),
    per_block=st.integers(1, 500),
    block_size=st.none() | st.integers(1, 500),
    n_jobs=st.sampled_from([None, 1, 2, -1]),
    seed=st.integers(0, 9),
)
def test_blocks_cover_every_unit_once(
    amount: int, per_block: int, block_size: int | None, n_jobs: int | None, seed: int
) -> None:
    counted, store = Counted(), Memory()
    runner = Runner(n_jobs=n_jobs, block_size=block_size, store=store)
    ran = runner.run(simulation(counted, per_block=per_block), amount, seed=seed)
    assert (ran.sums.tolist(), ran.n, ran.stop) == (expected(seed, amount), amount, None)
    assert ran.sums.dtype == np.int64
    size = block_size or per_block
    whole = [(start, min(size, amount - start)) for start in range(0, amount, size)]
    assert sorted(store.writes) == whole
    # A block that is longer than usual is computed in parts.
    assert units_of(counted.spans) == list(range(amount))
    assert all(count <= per_block for _, count in counted.spans)
    assert runner.stops == []


@given(
    spans=st.lists(st.tuples(st.integers(0, 300), st.integers(1, 120)), max_size=12, unique=True),
    amount=st.integers(1, 300),
    block_size=st.integers(1, 130),
    n_jobs=st.sampled_from([1, 2]),
    with_precision=st.booleans(),
)
def test_what_a_store_has_is_not_computed_again(
    spans: list[Span], amount: int, block_size: int, n_jobs: int, with_precision: bool
) -> None:
    # Blocks of other sizes, with gaps between them, that overlap, or reach beyond the end.
    store, counted = Memory.holding(spans, seed=3), Counted()
    precision = 1e-9 if with_precision else None  # never reached
    runner = Runner(n_jobs=n_jobs, block_size=block_size, store=store, precision=precision)
    some = simulation(counted, watch=MEAN)
    ran = runner.run(some, amount, seed=3)
    assert (ran.sums.tolist(), ran.n) == (expected(3, amount), amount)
    assert units_of(store.reads + counted.spans) == list(range(amount))
    assert units_of(store.writes) == units_of(counted.spans)
    assert set(store.reads) <= set(spans)
    if with_precision:
        for start, count in store.reads + counted.spans:
            assert start // 50 == (start + count - 1) // 50
    # The next time all is there.
    counted.spans.clear()
    assert runner.run(some, amount, seed=3).sums.tolist() == expected(3, amount)
    assert counted.spans == []


def test_a_longer_run_begins_with_a_shorter_one() -> None:
    store = Memory()
    for amount, fresh in (
        (120, [(0, 50), (50, 50), (100, 20)]),
        (260, [(120, 30), (150, 50), (200, 50), (250, 10)]),
        (90, [(50, 40)]),  # that of 50 units would be too long
        (260, []),
    ):
        counted = Counted()
        ran = Runner(store=store).run(simulation(counted), amount, seed=1)
        assert ran.sums.tolist() == expected(1, amount)
        assert sorted(counted.spans) == fresh


def test_simulations_of_one_store_keep_apart() -> None:
    store = Memory()
    one = simulation()
    other = Simulation("doubled", functools.partial(doubled, 2), per_block=50)
    for _ in range(2):
        assert Runner(store=store).run(one, 70, seed=1).sums.tolist() == expected(1, 70)
        twice = Runner(store=store).run(other, 70, seed=1).sums
        assert twice.tolist() == [2 * number for number in expected(1, 70)]
    assert len(store.writes) == 4


def test_seeds_of_one_store_keep_apart() -> None:
    store = Memory()
    for _ in range(2):
        for seed in (1, 2, 12):
            ran = Runner(store=store).run(simulation(), 70, seed=seed)
            assert ran.sums.tolist() == expected(seed, 70)
    assert len(store.writes) == 6


def doubled(times: int, seed: int, start: int, count: int) -> Sums:
    return times * block(seed, start, count)


def test_what_a_store_holds_is_not_changed() -> None:
    store = Memory()
    for _ in range(3):  # the first block is where the total begins
        Runner(store=store).run(simulation(), 200, seed=1)
    for (_, start, count), sums in store.blocks.items():
        assert sums.tolist() == block(1, start, count).tolist()


def test_blocks_merge_in_order() -> None:
    def join(total: Sums | None, sums: Sums, start: int) -> Sums:
        before = np.zeros(0, dtype=np.int64) if total is None else total
        assert len(before) == start
        return np.concatenate([before, sums])

    for n_jobs, block_size in ((1, None), (2, 7), (-1, 64)):
        ran = Runner(n_jobs=n_jobs, block_size=block_size).run(
            simulation(values, merge=join), 500, seed=2
        )
        assert ran.sums.tolist() == values(2, 0, 500).tolist()


@pytest.mark.parametrize("block_size", [None, 400])
def test_a_block_may_give_the_same_array_again(block_size: int | None) -> None:
    same = np.array([1, 10])
    ran = Runner(block_size=block_size).run(simulation(lambda *_: same), 400, seed=1)
    assert (ran.sums.tolist(), same.tolist()) == ([8, 80], [1, 10])


@given(
    order=st.permutations(range(30)),
    most=st.integers(0, 35),
    stored=st.booleans(),
)
def test_blocks_that_wait_are_read_back_from_a_store(
    order: list[int], most: int, stored: bool
) -> None:
    # They come in any order, the first perhaps last: few sums wait in memory, if there is a store.
    def in_an_order(calls: Iterator[Any], *_: Any, **__: Any) -> Iterator[Any]:
        some = list(calls)
        for number in order:
            yield some[number]()

    store = Memory() if stored else None
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "run_apart", in_an_order)
        patched.setattr(module, "_MOST_WAITING", most)
        ran = Runner(store=store).run(simulation(), 1_500, seed=3)
    assert ran.sums.tolist() == expected(3, 1_500)
    if store is not None:
        assert len(store.writes) == 30
        full = 0
        for number in range(30):
            there = set(order[:number])
            following = min(set(range(30)) - there)
            full += sum(one > following for one in there) >= most
        assert len(store.reads) == full


def test_sums_add_up_in_place_but_for_the_first() -> None:
    first, second = np.array([1, 2]), np.array([10, 20])
    total = add_sums(None, first)
    assert add_sums(total, second) is total
    assert (total.tolist(), first.tolist()) == ([11, 22], [1, 2])


@pytest.mark.parametrize("backend", BACKENDS)
def test_sums_do_not_depend_on_the_backend(backend: str) -> None:
    ran = Runner(n_jobs=2, backend=backend, block_size=70).run(simulation(), 1_000, seed=5)
    assert ran.sums.tolist() == expected(5, 1_000)


def test_an_ambient_backend_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    class AllAtOnce(ThreadingBackend):  # type: ignore[misc]  # joblib has no types
        supports_return_generator = False
        asked = 0

        def effective_n_jobs(self, n_jobs: int | None) -> int:
            AllAtOnce.asked += 1
            return int(super().effective_n_jobs(n_jobs))

    monkeypatch.setitem(BACKENDS_OF_JOBLIB, "all at once", AllAtOnce)
    with joblib.parallel_config("all at once", n_jobs=2):
        assert Runner().run(simulation(), 1_000, seed=5).sums.tolist() == expected(5, 1_000)
    assert AllAtOnce.asked


# --------------------------------------------------------------------------------------- errors


def fails_at_300(seed: int, start: int, count: int) -> Sums:
    if start == 300:
        raise ZeroDivisionError("in block 6")
    return block(seed, start, count)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("precision", [None, 1e-9])
def test_an_error_in_a_block_comes_out(backend: str, precision: float | None) -> None:
    store, watcher = Memory(), Told()
    for n_jobs in (1, 2):
        runner = Runner(
            n_jobs=n_jobs, backend=backend, precision=precision, store=store, watcher=watcher
        )
        with pytest.raises(ZeroDivisionError, match="in block 6"):
            runner.run(simulation(fails_at_300, watch=MEAN), 1_000, seed=0)
        assert watcher.events[-1] == ("end",)
    # What was done before is kept, and serves.
    assert store.writes
    store.reads.clear()
    counted = Counted()
    Runner(store=store).run(simulation(counted), 1_000, seed=0)
    assert units_of(store.reads + counted.spans) == list(range(1_000))
    assert not set(counted.spans) & set(store.reads)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"precision": 0}, "precision must be above 0, like 0.01, not 0"),
        ({"block_size": 0}, "block_size must be 1 or more, not 0"),
        ({"precision": 0.0}, "precision must be above 0, like 0.01, not 0.0"),
        ({"precision": -0.1}, "precision must be above 0, like 0.01, not -0.1"),
        ({"precision": float("nan")}, "precision must be above 0, like 0.01, not nan"),
        ({"precision": float("inf")}, "precision must be above 0, like 0.01, not inf"),
    ],
)
def test_settings_with_which_nothing_runs(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        Runner(**settings)


def test_settings_of_another_type() -> None:
    with pytest.raises(TypeError, match="block_size must be a whole number"):
        Runner(block_size=1.5)  # type: ignore[arg-type]
    for precision in ("0.01", True):
        with pytest.raises(TypeError, match="precision must be a number above 0"):
            Runner(precision=precision)  # type: ignore[arg-type]


@pytest.mark.parametrize("amount", [0, -1, 2**63])
def test_amounts_out_of_range(amount: int) -> None:
    with pytest.raises(SimulationError, match=f"amount must be 1 or more, .*, not {amount}"):
        Runner().run(simulation(), amount, seed=1)


@pytest.mark.parametrize("amount", [True, 100.0, "100", None])
def test_amounts_that_are_no_whole_numbers(amount: Any) -> None:
    with pytest.raises(TypeError, match="amount must be a whole number"):
        Runner().run(simulation(), amount, seed=1)


def test_seeds_are_checked() -> None:
    with pytest.raises(TypeError, match="seed must be a whole number"):
        Runner().run(simulation(), 10, seed=1.0)  # type: ignore[arg-type]
    with pytest.raises(GhostsimError, match="seed must be from 0"):
        Runner().run(simulation(), 10, seed=-1)


def test_simulations_that_cannot_be() -> None:
    with pytest.raises(SimulationError, match="per_block must be 1 or more, not 0"):
        simulation(per_block=0)
    with pytest.raises(SimulationError, match="block must be a function of seed, start and count"):
        simulation(np.array([1]))  # type: ignore[arg-type]


#: What blocks give that they must not, and what is said of it.
WRONG = {
    "floats": (np.array([1.0, 2.0]), "an array of float64"),
    "short": (np.array([1, 2], dtype=np.int32), "an array of int32"),
    "truths": (np.array([True]), "an array of bool"),
    "objects": (np.array([1, None]), "an array of object"),
    "a list": ([1, 2], r"\[1, 2\] \(list\)"),
    "a number": (7, r"7 \(int\)"),
    "a numpy number": (np.int64(7), r".*7.* \(int64\)"),
    "nothing": (None, r"None \(NoneType\)"),
}


def gives(kind: str, seed: int, start: int, count: int) -> Any:
    return WRONG[kind][0]


def in_shapes(shapes: dict[int, tuple[int, ...]], seed: int, start: int, count: int) -> Sums:
    """Ones, in the shape of the block at 300 or of all others."""
    return np.ones(shapes.get(start, (2,)), dtype=np.int64)


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("stored", [False, True])
def test_what_a_block_gives_is_checked(kind: str, stored: bool) -> None:
    store = Memory() if stored else None
    for block_size in (None, 400):  # a long one is a sum of parts
        runner = Runner(store=store, block_size=block_size)
        for merge in (add_sums, lambda *_: np.zeros(1, dtype=np.int64)):
            wrong = simulation(functools.partial(gives, kind), merge=merge)
            with pytest.raises(SimulationError, match=f"'units' gave {WRONG[kind][1]}.*int64 arr"):
                runner.run(wrong, 400, seed=1)
    assert store is None or store.writes == []


@pytest.mark.parametrize("shape", [(), (1,), (3,), (1, 2)])
@pytest.mark.parametrize("block_size", [None, 400])
def test_all_blocks_have_one_shape(shape: tuple[int, ...], block_size: int | None) -> None:
    # Some of them numpy would add up.
    uneven = simulation(functools.partial(in_shapes, {300: shape}))
    with pytest.raises(SimulationError, match=r"'units' gave an array of shape .* after one of"):
        Runner(block_size=block_size).run(uneven, 400, seed=1)


def test_blocks_of_a_store_have_that_shape_too() -> None:
    store = Memory()
    Runner(store=store).run(simulation(), 200, seed=1)
    with pytest.raises(SimulationError, match=r"shape \(2,\) after one of \(5,\)"):
        Runner(store=store).run(simulation(functools.partial(in_shapes, {})), 400, seed=1)


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_a_block_gives_is_checked_on_all_backends(backend: str) -> None:
    runner = Runner(n_jobs=2, backend=backend)
    with pytest.raises(SimulationError, match=r"gave \[1, 2\] \(list\)"):
        runner.run(simulation(functools.partial(gives, "a list")), 400, seed=1)
    with pytest.raises(SimulationError, match="after one of"):
        runner.run(simulation(functools.partial(in_shapes, {300: (3,)})), 400, seed=1)


# ------------------------------------------------------------------------------------ precision


def plain_stop(watch: Watch, amount: int, step: int, precision: float, seed: int) -> Span:
    """How many units it takes, and looks: one after the other, from the numbers themselves."""
    numbers = values(seed, 0, amount)
    if watch.bounds is None:
        numbers = (numbers == 6).astype(np.int64)
    sequence: MeanSequence | ProportionSequence = (
        ProportionSequence(0.95) if watch.bounds is None else MeanSequence(*watch.bounds, 0.95)
    )
    n = looks = 0
    while n < amount:
        n, looks = min(n + step, amount), looks + 1
        part = numbers[:n]
        sequence.look(n, int(part.sum()), int((part * part).sum()))
        if (sequence.high - sequence.low) / 2 <= precision * watch.per:
            break
    return n, looks


PRECISIONS = {"mean": (MEAN, 0.2), "a third": (THIRD, 0.07), "sixes": (SIXES, 0.04)}


@pytest.mark.parametrize("kind", PRECISIONS)
@pytest.mark.parametrize("step", [1, 17, 50, 1_000])
def test_the_stop_is_at_the_first_look_that_is_narrow(kind: str, step: int) -> None:
    watch, precision = PRECISIONS[kind]
    runner = Runner(precision=precision)
    ran = runner.run(simulation(per_block=step, watch=watch), 9_000, seed=4)
    n, looks = plain_stop(watch, 9_000, step, precision, seed=4)
    assert 200 < n < 9_000
    assert ran.n == n
    assert ran.sums.tolist() == expected(4, n)
    (stop,) = runner.stops
    assert stop is ran.stop
    assert (stop.n, stop.looks, stop.reached, stop.unit) == (n, looks, True, "deals")
    assert (stop.precision, stop.watch) == (precision, watch)
    found = stop.estimate
    assert 0 < (found.high - found.low) / 2 <= precision
    total = expected(4, n)[4 if watch is SIXES else 2]
    assert found.value == pytest.approx(total / n / watch.per, rel=1e-12)
    assert found.low < found.value < found.high
    assert (found.n, found.model, found.level) == (n, "some model", 0.95)


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
@pytest.mark.parametrize("block_size", [None, 1, 13, 50, 51, 70, 10_000])
def test_the_stop_does_not_depend_on_jobs_and_blocks(n_jobs: int | None, block_size: int) -> None:
    counted = Counted()
    ran = Runner(n_jobs=n_jobs, block_size=block_size, precision=0.2).run(
        simulation(counted, watch=MEAN), 5_000, seed=4
    )
    assert ran.n == plain_stop(MEAN, 5_000, 50, 0.2, seed=4)[0]
    assert ran.sums.tolist() == expected(4, ran.n)
    # Blocks are as long as asked for, but none reaches over a look.
    size = block_size or 50
    for start, count in counted.spans:
        assert start // 50 == (start + count - 1) // 50
        assert start // size == (start + count - 1) // size


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_stop_does_not_depend_on_the_backend(backend: str) -> None:
    # Many blocks are under way when it stops: nothing warns of them.
    runner = Runner(n_jobs=2, backend=backend, precision=0.2)
    ran = runner.run(simulation(watch=MEAN), 10**9, seed=4)
    assert ran.n == plain_stop(MEAN, 5_000, 50, 0.2, seed=4)[0]
    assert ran.sums.tolist() == expected(4, ran.n)


@given(
    spans=st.lists(st.tuples(st.integers(0, 1_500), st.integers(1, 120)), max_size=40, unique=True),
    amount=st.integers(1, 2_000),
    precision=st.sampled_from([0.15, 0.25, 0.5, 2.0]),
    block_size=st.none() | st.integers(1, 130),
    seed=st.integers(0, 5),
)
def test_the_stop_does_not_depend_on_what_is_kept(
    spans: list[Span], amount: int, precision: float, block_size: int | None, seed: int
) -> None:
    store = Memory.holding(spans, seed)
    runner = Runner(precision=precision, block_size=block_size, store=store)
    ran = runner.run(simulation(watch=MEAN), amount, seed=seed)
    n, looks = plain_stop(MEAN, amount, 50, precision, seed)
    assert (ran.n, ran.sums.tolist()) == (n, expected(seed, n))
    assert ran.stop is not None
    assert ran.stop.looks == looks
    assert ran.stop.reached == (plain_half_width(amount, seed, n) <= precision)


def plain_half_width(amount: int, seed: int, n: int) -> float:
    sequence = MeanSequence(0, 6, 0.95)
    for end in [*range(50, n, 50), n]:
        part = values(seed, 0, end)
        sequence.look(end, int(part.sum()), int((part * part).sum()))
    return (sequence.high - sequence.low) / 2


def test_the_most_units_end_it_too() -> None:
    runner = Runner(precision=1e-6)
    ran = runner.run(simulation(watch=MEAN), 333, seed=4)  # the last step is not a whole one
    assert (ran.n, ran.sums.tolist()) == (333, expected(4, 333))
    assert ran.stop is not None
    assert (ran.stop.reached, ran.stop.n, ran.stop.looks) == (False, 333, 7)


def test_looks_are_at_whole_steps_and_in_order() -> None:
    seen: list[int] = []

    def read(sums: Sums, n: int) -> tuple[int, int, int]:
        seen.append(n)
        return read_mean(sums, n)

    watch = Watch("the number", read, "some model", "numbers", bounds=(0, 6))
    Runner(n_jobs=2, precision=1e-9, block_size=7).run(simulation(watch=watch), 333, seed=4)
    assert seen == [50, 100, 150, 200, 250, 300, 333]


def test_a_level_reaches_the_looks() -> None:
    at_95, at_50 = (
        Runner(precision=0.2).run(simulation(watch=MEAN), 5_000, seed=4, level=level)
        for level in (0.95, 0.5)
    )
    assert at_50.n < at_95.n
    assert at_50.stop is not None
    assert at_50.stop.estimate.level == 0.5


def test_a_precision_is_of_something() -> None:
    watcher = Told()
    runner = Runner(precision=0.2, watcher=watcher)
    with pytest.raises(SimulationError, match="'units' cannot be run to a precision"):
        runner.run(simulation(), 300, seed=1)
    assert watcher.events == []
    # But what follows a watched one may have none: the games of a study that watches its deals.
    assert runner.run(simulation(watch=MEAN), 5_000, seed=4).stop is not None
    watcher.events.clear()
    ran = runner.run(simulation(), 300, seed=1)
    assert (ran.n, ran.stop, len(runner.stops)) == (300, None, 1)
    assert watcher.events[0] == ("begin", "dealing", "deals", 300, 0, None)


def test_what_a_run_gave_can_be_read() -> None:
    assert repr(Runner().run(simulation(), 70, seed=1)) == "70 units, sums [70 2415 201 861 8]"
    for amount, end in (
        (5_000, r"deals, half-width 0\.\d+ of 0\.2"),
        (100, r"100 deals, the most that was allowed, half-width 1\.\d+ of 0\.2"),
    ):
        ran = Runner(precision=0.2).run(simulation(watch=MEAN), amount, seed=4)
        said = r"the number: \d\.\d+ \[.*\(95% .* interval, .*, some model\); stopped after .*"
        assert re.fullmatch(said + end, str(ran.stop))
        assert repr(ran).endswith(f"; {ran.stop}")


def test_an_early_stop_leaves_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(threading.enumerate())
    running = threading.Semaphore(0)
    ended: list[int] = []

    def slow(seed: int, start: int, count: int) -> Sums:
        running.acquire(timeout=0.002)  # a little while, in which others are begun
        sums = block(seed, start, count)
        ended.append(start)
        return sums

    ran = Runner(n_jobs=2, precision=0.5).run(simulation(slow, watch=MEAN), 10**6, seed=4)
    assert ran.stop is not None and ran.stop.reached
    done = len(ended)
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
        assert not thread.is_alive()
    assert len(ended) == done  # nothing went on after the run


# ------------------------------------------------------------------------------------ a watcher


@dataclass
class Told:
    """Remembers what a watcher is told."""

    events: list[tuple[Any, ...]] = field(default_factory=list)

    def begin(self, title: str, unit: str, total: int, kept: int, precision: float | None) -> None:
        self.events.append(("begin", title, unit, total, kept, precision))

    def advance(self, fresh: int, half_width: float | None) -> None:
        self.events.append(("advance", fresh, half_width))

    def end(self) -> None:
        self.events.append(("end",))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_watcher_is_told_in_order(n_jobs: int) -> None:
    watcher = Told()
    Runner(n_jobs=n_jobs, watcher=watcher).run(
        simulation(title="counting", unit="units"), 170, seed=1
    )
    begin, *steps, end = watcher.events
    assert begin == ("begin", "counting", "units", 170, 0, None)
    assert end == ("end",)
    assert [step[0] for step in steps] == ["advance"] * 4
    fresh = [step[1] for step in steps]
    assert (fresh == sorted(fresh), fresh[-1]) == (True, 170)
    assert all(step[2] is None for step in steps)


def test_a_watcher_knows_what_is_kept_and_how_narrow_it_is() -> None:
    watcher, store = Told(), Memory.holding([(0, 50), (100, 50)], seed=4)
    runner = Runner(precision=0.2, store=store, watcher=watcher)
    ran = runner.run(simulation(watch=MEAN), 5_000, seed=4)
    begin, *steps, end = watcher.events
    assert begin == ("begin", "dealing", "deals", 5_000, 100, 0.2)
    assert end == ("end",)
    fresh = [step[1] for step in steps]
    assert fresh[:4] == [0, 50, 50, 100]  # of four blocks, two were kept
    assert fresh[-1] == ran.n - 100
    widths = [step[2] for step in steps]
    assert widths == [plain_half_width(5_000, 4, n) for n in range(50, ran.n + 1, 50)]
    assert widths[-1] <= 0.2 < widths[-2]


def test_without_a_watcher_nobody_is_told() -> None:
    nobody = module._Nobody()
    nobody.begin("", "", 0, 0, None)
    nobody.advance(0, None)
    nobody.end()
    assert Runner().watcher is None
