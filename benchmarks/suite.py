"""The benchmarks. Each is a function whose docstring says what is timed; run.py calls them.

Every benchmark has a process to itself. ghostsim is imported inside the functions, because those
that measure whole processes must stay small (see ``measure.run_process``).
"""

from __future__ import annotations

import importlib
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import (
    Bar,
    Row,
    Timing,
    Work,
    in_fresh_process,
    in_turn,
    peak_memory,
    rates,
    ratios,
    run_process,
    warm_up,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TESTS = Path(__file__).resolve().parent.parent / "tests"

#: DESIGN 9.
SOLVE_BAR = Bar(100, at_least=True)
SOLVE_WHY = "DESIGN 9: 100 x DDS on one core"


def _dds() -> Any:
    """Bridge's DDS, as the tests' second oracle drives it: tests/dds.py."""
    # The tests are no package, and must not become one to lend us a module.
    sys.path.insert(0, str(TESTS))
    try:
        return importlib.import_module("dds")
    except ModuleNotFoundError as error:
        raise RuntimeError(
            f"the comparison with DDS needs {error.name}: pip install 'ghostsim[test]'"
        ) from error


@dataclass(frozen=True)
class Deals:
    """Random deals: ``hands`` int64 (n, 3), the others int64 (n,)."""

    hands: NDArray[np.int64]
    trump: NDArray[np.int64]
    declarer: NDArray[np.int64]
    leader: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.hands)

    def take(self, rows: NDArray[np.int64]) -> Deals:
        """Some of the deals, as numbered."""
        return Deals(self.hands[rows], self.trump[rows], self.declarer[rows], self.leader[rows])

    def for_dds(self) -> list[Any]:
        """The same deals as tests/dds.py takes them."""
        from ghostsim.cards import cards_of

        names = {bit: str(cards_of(1 << bit)[0]) for bit in range(24)}
        hands = [
            [[name for bit, name in names.items() if mask >> bit & 1] for mask in masks]
            for masks in self.hands.tolist()
        ]
        trumps = ["SCHD"[trump] for trump in self.trump]
        seats = self.declarer.tolist(), self.leader.tolist()
        return list(zip(hands, trumps, *seats, strict=True))


def _random_deals(n: int, seed: int) -> Deals:
    import numpy as np

    from ghostsim.deals import random_hands

    random = np.random.default_rng(seed)
    trump, declarer, leader = (random.integers(0, limit, n) for limit in (4, 3, 3))
    return Deals(random_hands(n, seed=seed), trump, declarer, leader)


def _solver(batches: Sequence[Deals], depth: int, n_jobs: int = 1) -> Work:
    """``solve_many``, as anybody calls it, on the deals of a round."""
    from ghostsim import solve_many

    def work(number: int) -> NDArray[np.int8]:
        deals = batches[number]
        return solve_many(
            deals.hands, deals.trump, deals.declarer, deals.leader, n_jobs, depth=depth
        )

    return work


def _dds_solver(batches: Sequence[Deals], threads: int) -> Work:
    """DDS on the deals of a round. Turning deals into its form is not timed."""
    dds = _dds()
    dds.set_threads(threads)
    prepared = [dds.prepare(deals.for_dds()) for deals in batches]
    return lambda number: dds.solve_prepared(prepared[number])


def _agreement(reference: Timing, others: Sequence[Timing]) -> Row:
    """The share of DDS's answers that all others give as well."""
    import numpy as np

    shares = []
    for number, expected in enumerate(reference.results):
        answers = [other.results[number][: len(expected)] == expected for other in others]
        shares.append(float(np.all(answers, axis=0).mean()))
    deals = sum(len(answers) for answers in reference.results)
    note = f"1 = all; {deals:,} deals compared"
    return Row("answers that agree", "x", tuple(shares), Bar(1, at_least=True), note)


def _solve_rows(batches: Sequence[Deals], bar: Bar | None, note: str) -> list[Row]:
    works = {
        "DDS": _dds_solver(batches, threads=1),
        "solve_many, 4-trick table": _solver(batches, depth=4),
        "solve_many, 5-trick table": _solver(batches, depth=5),
    }
    warm_up(works)
    timings = in_turn(works, len(batches) - 1)
    speeds = {name: rates(len(batches[0]), timing) for name, timing in timings.items()}
    peer, *ours = works
    rows = [Row(f"{name}, 1 core", "deals/s", speeds[name]) for name in works]
    rows += [
        Row(f"{name}, over DDS", "x", ratios(speeds[name], speeds[peer]), bar, note)
        for name in ours
    ]
    return [*rows, _agreement(timings[peer], [timings[name] for name in ours])]


def solve() -> list[Row]:
    """`solve_many` beside DDS on one core: the same 20,000 random deals, other ones each round."""
    batches = [_random_deals(20_000, seed) for seed in range(8)]
    return _solve_rows(batches, SOLVE_BAR, SOLVE_WHY)


def solve_leaders() -> list[Row]:
    """The same where DDS is at its best: each deal comes three times running, once a leader."""
    import numpy as np

    def three_leaders(deals: Deals) -> Deals:
        deals = deals.take(np.repeat(np.arange(len(deals)), 3))
        leaders = np.arange(len(deals)) % 3
        return Deals(deals.hands, deals.trump, deals.declarer, leaders)

    batches = [three_leaders(_random_deals(7_000, seed)) for seed in range(6)]
    return _solve_rows(batches, None, "DDS keeps its tables from leader to leader")


def solve_cores() -> list[Row]:
    """`solve_many` on one core and two, a million deals, beside DDS with two threads on 20,000."""
    import numpy as np

    batches = [_random_deals(1_000_000, seed) for seed in range(4)]
    samples = [deals.take(np.arange(20_000)) for deals in batches]
    works = {"DDS, 2 threads": _dds_solver(samples, threads=2)}
    for depth in (4, 5):
        for cores in ("1 core", "2 cores"):
            work = _solver(batches, depth, n_jobs=int(cores[0]))
            works[f"solve_many, {depth}-trick table, {cores}"] = work
    warm_up(works)
    timings = in_turn(works, 3)
    peer, *ours = works
    sizes = dict.fromkeys(ours, len(batches[0])) | {peer: len(samples[0])}
    speeds = {name: rates(sizes[name], timing) for name, timing in timings.items()}
    rows = [Row(name, "deals/s", speeds[name]) for name in works]
    for depth in (4, 5):
        one, two = (
            speeds[f"solve_many, {depth}-trick table, {cores}"] for cores in ("1 core", "2 cores")
        )
        rows.append(Row(f"{depth}-trick table, 2 cores over 1", "x", ratios(two, one)))
        over = ratios(two, speeds[peer])
        rows.append(Row(f"{depth}-trick table, 2 cores, over DDS, 2 threads", "x", over))
    return [*rows, _agreement(timings[peer], [timings[name] for name in ours])]


def _on_cores(function: Callable[[int], Any]) -> dict[str, Work]:
    """A function of ``n_jobs`` as two works."""
    return {"1 core": lambda _: function(1), "2 cores": lambda _: function(2)}


def tables() -> list[Row]:
    """Building endgame tables in memory: that for 4 tricks from nothing, that for 5 from 4."""
    from ghostsim import endgames

    def build_four(n_jobs: int) -> None:
        endgames._tables.clear()
        endgames._build(4, n_jobs)

    four = _on_cores(build_four)
    warm_up(four)  # this compiles what both need
    rows = [
        Row(f"4-trick table, {cores}", "s", timing.seconds)
        for cores, timing in in_turn(four, 5).items()
    ]
    endgames.endgame_table(4)
    five = in_turn(_on_cores(lambda n_jobs: len(endgames._build(5, n_jobs))), 3)
    rows += [Row(f"5-trick table, {cores}", "s", timing.seconds) for cores, timing in five.items()]
    return rows


def patterns() -> list[Row]:
    """Counting opening patterns with the 5-trick table: 27 runs of 200, extrapolated to all."""
    import numpy as np

    from ghostsim.kernels.openings import N_PATTERNS
    from ghostsim.openings import build_patterns

    # Neighbours, because they share table entries, as they do when all are counted.
    starts = np.linspace(0, N_PATTERNS - 200, 27).astype(np.int64)
    numbers = (starts[:, np.newaxis] + np.arange(200)).ravel()
    works = _on_cores(lambda n_jobs: build_patterns(numbers, n_jobs=n_jobs))
    warm_up(works)
    share = N_PATTERNS / len(numbers)
    return [
        Row(
            f"all {N_PATTERNS:,} patterns, {cores}",
            "s",
            tuple(seconds * share for seconds in timing.seconds),
            note=f"EXTRAPOLATED from {len(numbers):,}",
        )
        for cores, timing in in_turn(works, 5).items()
    ]


def hand() -> list[Row]:
    """Exact answers about one hand, ghost unknown, 200 random hands; and loading the patterns."""
    from ghostsim import Deal, swap_value, trick_distribution
    from ghostsim.openings import load_patterns

    hands = [Deal.random(seed=1, index=i).hands[0] for i in range(201)]
    works: dict[str, Work] = {
        "trick_distribution": lambda number: trick_distribution(hands[number], number % 4),
        "swap_value": lambda number: swap_value(hands[number]),
    }
    warm_up(works)
    timings = in_turn(works, 200)
    load = in_turn({"load": lambda _: load_patterns()}, 10)["load"]
    return [
        Row(
            "trick_distribution of a hand",
            "s",
            timings["trick_distribution"].seconds,
            Bar(0.005),
            "DESIGN 9: 17,153,136 layouts in 5 ms",
        ),
        Row("swap_value of a hand", "s", timings["swap_value"].seconds),
        Row("reading the shipped patterns, checksum included", "s", load.seconds),
    ]


def all_hands() -> list[Row]:
    """Exact trick distribution of all hands in all trumps: `class_counts`, which uses one core."""
    from ghostsim.class_odds import class_counts
    from ghostsim.hand_classes import hand_classes

    classes = hand_classes()
    works: dict[str, Work] = {"class_counts": lambda _: class_counts(classes)}
    warm_up(works)
    seconds = in_turn(works, 5)["class_counts"].seconds
    note = "DESIGN 9: 69,750 distributions; the library counts 72,532 (18,133 classes x 4 trumps)"
    return [Row("distribution of every hand, 1 core", "s", seconds, Bar(60), note)]


def all_classes() -> list[Row]:
    """Exact solo swap value of all 18,133 hand classes: `swap_totals`."""
    from ghostsim import Rules
    from ghostsim.class_odds import swap_totals
    from ghostsim.hand_classes import hand_classes

    masks = hand_classes().masks
    works = _on_cores(lambda n_jobs: swap_totals(masks, Rules(), n_jobs))
    warm_up(works)
    bars = {"1 core": Bar(60), "2 cores": Bar(30)}
    return [
        Row(f"swap value of every class, {cores}", "s", timing.seconds, bars[cores], "DESIGN 9")
        for cores, timing in in_turn(works, 5).items()
    ]


def dealing() -> list[Row]:
    """Dealing a million deals on one core: the public call, and its kernel into memory at hand."""
    import numpy as np

    from ghostsim.deals import random_hands
    from ghostsim.kernels.rng import deal_many

    n = 1_000_000
    hands = np.empty((n, 3), dtype=np.int64)
    works: dict[str, Work] = {
        "random_hands": lambda number: len(random_hands(n, seed=number)),
        "its kernel alone": lambda number: deal_many(np.uint64(number), np.uint64(0), hands),
    }
    warm_up(works)
    notes = {
        "random_hands": "DESIGN 9; includes getting 24 MB from the system",
        "its kernel alone": "DESIGN 9",
    }
    return [
        Row(name, "deals/s", rates(n, timing), Bar(20e6, at_least=True), notes[name])
        for name, timing in in_turn(works, 15).items()
    ]


def start() -> list[Row]:
    """Whole processes, from start to exit: an import, and a help page, beside bare Python."""
    commands = {
        "python -c pass": ["-c", "pass"],
        'python -c "import ghostsim"': ["-c", "import ghostsim"],
        "python -m ghostsim.study --help": ["-m", "ghostsim.study", "--help"],
    }
    bars = dict(zip(commands, (None, Bar(0.5), Bar(0.2)), strict=True))

    def process(arguments: list[str]) -> Work:
        return lambda _: run_process([sys.executable, *arguments])

    works = {name: process(arguments) for name, arguments in commands.items()}
    warm_up(works)
    return [
        Row(
            name,
            "s",
            timing.seconds,
            bars[name],
            "DESIGN 9" if bars[name] else "the part that is Python's own",
        )
        for name, timing in in_turn(works, 15).items()
    ]


def main_job() -> list[Row]:
    """`python -m ghostsim.study swap-value` on all cores: with an empty cache, and again."""
    command = [sys.executable, "-m", "ghostsim.study", "swap-value"]
    with tempfile.TemporaryDirectory() as root:

        def work(number: int) -> int:
            return run_process(command, GHOSTSIM_CACHE_DIR=f"{root}/{number}")

        # No warm-up: the first of the two is the cold one in every round.
        timings = in_turn({"empty cache": work, "second time": work}, 3)
    bars = {"empty cache": Bar(60), "second time": Bar(10)}
    whys = {
        "empty cache": "DESIGN 9; compiles and builds the 4-trick table",
        "second time": "DESIGN 9",
    }
    rows = [
        Row(f"swap-value, {name}", "s", timing.seconds, bars[name], whys[name])
        for name, timing in timings.items()
    ]
    rows += [
        Row(f"swap-value, {name}, peak memory", "B", timing.results)
        for name, timing in timings.items()
    ]
    return rows


@dataclass(frozen=True)
class Cost:
    """Seconds of a call after warm-up, and the peak memory of its process in bytes."""

    seconds: float
    memory: int


def _cost(call: Callable[[int], object], deals: int) -> Cost:
    begin = time.perf_counter()
    call(deals)
    return Cost(time.perf_counter() - begin, peak_memory())


def simulation_cost(deals: int) -> Cost:
    """What a simulation of bids costs, on one core."""
    from ghostsim.simulate.solo import simulate_bids

    simulate_bids(2)  # warm-up
    return _cost(simulate_bids, deals)


def solving_cost(deals: int) -> Cost:
    """What solving many deals in one call costs, on one core."""
    from ghostsim import solve_many
    from ghostsim.deals import random_hands

    hands = random_hands(deals)
    solve_many(hands[:1], "S", depth=4)  # warm-up
    return _cost(lambda n: solve_many(hands[:n], "S", depth=4), deals)


def _twice(
    name: str, cost: Callable[[int], Cost], n: int, memory_bar: Bar | None, memory_note: str
) -> list[Row]:
    def fresh(deals: int) -> Work:
        return lambda _: in_fresh_process(cost, deals)

    once, twice = f"{name}, {n:,} deals", f"{name}, {2 * n:,} deals"
    works = {once: fresh(n), twice: fresh(2 * n)}
    warm_up(works)
    timings = in_turn(works, 3)
    seconds = {work: tuple(cost.seconds for cost in timings[work].results) for work in works}
    memory = {work: tuple(cost.memory for cost in timings[work].results) for work in works}
    return [
        *(Row(work, "s", seconds[work]) for work in works),
        *(Row(f"{work}, peak memory", "B", memory[work]) for work in works),
        Row(
            f"{name}, time of twice the deals",
            "x",
            ratios(seconds[twice], seconds[once]),
            Bar(2.2),
            "DESIGN 9: twice, and a tenth for noise",
        ),
        Row(
            f"{name}, memory of twice the deals",
            "x",
            ratios(memory[twice], memory[once]),
            memory_bar,
            memory_note,
        ),
    ]


def scaling() -> list[Row]:
    """Twice the deals, each in a fresh process: the time and the peak memory over those of once."""
    flat = Bar(1.05), "DESIGN 9: flat, and a twentieth for noise"
    arrays = None, "deals and answers are the caller's arrays"
    return [
        *_twice("simulate_bids", simulation_cost, 150_000, *flat),
        *_twice("solve_many", solving_cost, 1_000_000, *arrays),
    ]


BENCHMARKS: dict[str, Callable[[], list[Row]]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        solve,
        solve_leaders,
        solve_cores,
        tables,
        patterns,
        hand,
        all_hands,
        all_classes,
        dealing,
        start,
        main_job,
        scaling,
    )
}
