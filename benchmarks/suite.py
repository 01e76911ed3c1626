"""The benchmarks. Each is a function whose docstring says what is timed; run.py calls them.

Every benchmark has a process to itself. ghostsim is imported inside the functions, because those
that measure whole processes must stay small (see ``measure.run_process``).
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from typing import Any

import playing
import running
import solving
import variance
from measure import (
    Bar,
    Cost,
    Row,
    Work,
    cost_of,
    in_fresh_process,
    in_turn,
    rates,
    ratios,
    run_process,
    say,
    warm_up,
)


def _on_cores(function: Callable[[int], Any]) -> dict[str, Work]:
    """A function of ``n_jobs`` as two works."""
    return {"1 core": lambda _: function(1), "2 cores": lambda _: function(2)}


def tables() -> list[Row]:
    """Building endgame tables in memory, and reading them from disk, their checksums included."""
    from ghostsim import endgames
    from ghostsim.endgames import Table
    from ghostsim.preferences import Preferences

    def build(table: Table) -> Callable[[int], None]:
        """Build a table from nothing; that for five tricks from that for four."""

        def afresh(n_jobs: int) -> None:
            endgames._loaded.clear()
            if table.tricks > 4:
                endgames._loaded[four.name] = loaded_four
            table.build(n_jobs)

        return afresh

    def read(table: Table) -> Work:
        def afresh(_: int) -> None:
            endgames._loaded.pop(table.name, None)
            table.load()

        return afresh

    four, five, six = Table(4), Table(5), Table(6)
    loaded_four = four.load()
    selfish = Table(4, Preferences())
    rows = []
    for name, table, rounds in (
        ("4-trick table", four, 5),
        ("4-trick table, selfish, for tricks", selfish, 3),
        ("5-trick table", five, 3),
    ):
        works = _on_cores(build(table))
        if table.tricks == 4:
            warm_up(works)  # this compiles what they need
        note = "from nothing" if table.tricks == 4 else "from the 4-trick table"
        rows += [
            Row(f"building the {name}, {cores}", "s", timing.seconds, note=note)
            for cores, timing in in_turn(works, rounds).items()
        ]
    for name, table in (
        ("4-trick table", four),
        ("4-trick table, selfish, for tricks", selfish),
        ("5-trick table", five),
        ("6-trick table", six),
    ):
        if table is six and not six.is_ready():
            say("  skipped: the 6-trick table is not built (`ghostsim tables build coalition-6`)")
            continue
        works = {"read": read(table)}
        warm_up(works)
        seconds = in_turn(works, 5)["read"].seconds
        rows.append(
            Row(f"reading the {name}", "s", seconds, note="the system has the file in memory")
        )
    return rows


def opening_table() -> list[Row]:
    """Building the 6-trick table in memory, once, from the 5-trick table."""
    import numpy as np

    from ghostsim.endgames import Table

    Table(5).load()
    table = Table(6)
    fill, _, _ = table.builder(None)
    fill(0, 1, np.zeros(table.entries, dtype=table.dtype))  # this compiles it
    return [
        Row(f"building the 6-trick table, {cores}", "s", timing.seconds)
        for cores, timing in in_turn(_on_cores(lambda n_jobs: len(table.build(n_jobs))), 1).items()
    ]


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
    """Exact trick distribution of all hands in all trumps: `hand_counts`, which uses one core."""
    from ghostsim import Suit
    from ghostsim.class_odds import hand_counts
    from ghostsim.hand_classes import hand_classes

    masks = hand_classes().masks
    works: dict[str, Work] = {"hand_counts": lambda _: [hand_counts(masks, s) for s in Suit]}
    warm_up(works)
    seconds = in_turn(works, 5)["hand_counts"].seconds
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


def simulation_cost(deals: int) -> Cost:
    """What a simulation of bids costs, on one core."""
    from ghostsim.simulate.solo import simulate_bids

    simulate_bids(2)  # warm-up
    return cost_of(simulate_bids, deals)


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
        *_twice("solve_many", solving.solving_cost, 1_000_000, *arrays),
    ]


def _named(functions: tuple[Callable[[], list[Row]], ...]) -> dict[str, Callable[[], list[Row]]]:
    return {function.__name__.replace("_", "-"): function for function in functions}


BENCHMARKS = _named(
    (
        solving.solve,
        solving.solve_leaders,
        solving.solve_opening,
        solving.solve_cores,
        solving.positions,
        solving.cards,
        solving.selfish,
        solving.one_position,
        solving.solve_command,
        playing.play,
        playing.play_games,
        playing.tabulate,
        variance.common_deals,
        variance.orbits,
        variance.controls,
        variance.ghosts,
        solving.deals,
        solving.memory,
        tables,
        opening_table,
        patterns,
        hand,
        all_hands,
        all_classes,
        dealing,
        start,
        main_job,
        scaling,
        running.runner,
        running.runner_memory,
    )
)
#: Run if asked for by name, or with --all.
LONG = ("opening-table",)
