"""The benchmarks of the solver: deals, positions, every card, selfish play, one position at a time.

suite.py lists them. Each is a function whose docstring says what is timed.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import (
    Bar,
    Cost,
    Row,
    Timing,
    Work,
    cost_of,
    in_fresh_process,
    in_turn,
    median,
    rates,
    ratios,
    run_process,
    say,
    sized,
    warm_up,
)
from peers import (
    Positions,
    agreement,
    card_solver,
    dds_card_values,
    dds_position_solver,
    dds_solver,
    dds_values,
    deals_agreement,
    oracle_module,
    position_solver,
    random_deals,
    random_positions,
    solver,
    to_come,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: DESIGN 9.
SOLVE_BAR = Bar(100, at_least=True)
SOLVE_WHY = "DESIGN 9: 100 x DDS on one core"
OPENING_BAR = Bar(500, at_least=True)
OPENING_WHY = "DESIGN 9: 500 x DDS with the 6-trick table"


def _solve_rows(batches: Sequence[Positions], bar: Bar | None, note: str) -> list[Row]:
    works = {
        "DDS": dds_solver(batches, threads=1),
        "solve_many, 4-trick table": solver(batches, depth=4),
        "solve_many, 5-trick table": solver(batches, depth=5),
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
    return [*rows, deals_agreement(timings[peer], [timings[name] for name in ours])]


def solve() -> list[Row]:
    """`solve_many` beside DDS on one core: the same 20,000 random deals, other ones each round."""
    batches = [random_deals(sized(20_000), seed) for seed in range(8)]
    return _solve_rows(batches, SOLVE_BAR, SOLVE_WHY)


def solve_leaders() -> list[Row]:
    """The same where DDS is at its best: each deal comes three times running, once a leader."""
    import dataclasses

    import numpy as np

    def three_leaders(deals: Positions) -> Positions:
        deals = deals.take(np.repeat(np.arange(len(deals)), 3))
        return dataclasses.replace(deals, leader=np.arange(len(deals)) % 3)

    batches = [three_leaders(random_deals(sized(7_000), seed)) for seed in range(6)]
    return _solve_rows(batches, None, "DDS keeps its tables from leader to leader")


def _beside_dds(
    batches: Sequence[Positions],
    n_dds: int,
    depths: Sequence[int],
    cores: int,
    bars: dict[int, tuple[Bar | None, str]],
) -> list[Row]:
    """``solve_many`` on all deals beside DDS on the first of them, on as many cores."""
    samples = [deals.take(slice(n_dds)) for deals in batches]
    on = "1 core" if cores == 1 else f"{cores} cores"
    peer = f"DDS, {on}"
    names = {depth: f"solve_many, {depth}-trick table, {on}" for depth in depths}
    works = {peer: dds_solver(samples, threads=cores)}
    works |= {name: solver(batches, depth, n_jobs=cores) for depth, name in names.items()}
    warm_up(works)
    timings = in_turn(works, len(batches) - 1)
    speeds = {name: rates(len(batches[0]), timings[name]) for name in names.values()}
    speeds = {peer: rates(n_dds, timings[peer])} | speeds
    rows = [Row(name, "deals/s", speeds[name]) for name in works]
    for depth, name in names.items():
        bar, note = bars.get(depth, (None, ""))
        rows.append(Row(f"{name}, over DDS", "x", ratios(speeds[name], speeds[peer]), bar, note))
    return [*rows, deals_agreement(timings[peer], [timings[name] for name in names.values()])]


def solve_opening() -> list[Row]:
    """Whole deals that the declarer leads to, with the opening table too: a million; DDS 20,000."""
    n, n_dds = sized(1_000_000), sized(20_000)
    batches = [random_deals(n, seed, declarer_leads=True) for seed in range(8)]
    bars: dict[int, tuple[Bar | None, str]] = {6: (OPENING_BAR, OPENING_WHY)}
    rows = _beside_dds(batches, n_dds, (4, 5, 6), 1, bars)
    return rows + _beside_dds(batches[:4], n_dds, (4, 5, 6), 2, {})


def solve_cores() -> list[Row]:
    """`solve_many` on one core and two, a million deals, beside DDS with two threads on 20,000."""
    n, n_dds = sized(1_000_000), sized(20_000)
    batches = [random_deals(n, seed) for seed in range(4)]
    samples = [deals.take(slice(n_dds)) for deals in batches]
    works = {"DDS, 2 threads": dds_solver(samples, threads=2)}
    for depth in (4, 5):
        for cores in ("1 core", "2 cores"):
            work = solver(batches, depth, n_jobs=int(cores[0]))
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
    return [*rows, deals_agreement(timings[peer], [timings[name] for name in ours])]


# ------------------------------------------------------------------------------------- positions

#: Tricks to go, and cards on the table.
Kind = tuple[int, int]

#: Reads DDS's answers: values, or every card's.
Reader = Callable[..., Any]


def _kind(kind: Kind) -> str:
    tricks, on_table = kind
    return f"{tricks} to go, {on_table or 'none'} on the table"


def _position_rows(
    kinds: Sequence[Kind], n: int, n_dds: int, *, every_card: bool, rounds: int = 3
) -> list[Row]:
    """Positions of each kind on one core, then of all kinds together on two, beside DDS."""
    rows: list[Row] = []
    ours = card_solver if every_card else position_solver
    name = "card_values_many" if every_card else "solve_many"
    by_kind = {
        kind: [random_positions(n, *kind, seed) for seed in range(rounds + 1)] for kind in kinds
    }
    shares: list[float] = []
    compared = 0

    def side_by_side(
        batches: list[Positions], samples: list[Positions], cores: int, what: str
    ) -> None:
        nonlocal compared
        on = "1 core" if cores == 1 else f"{cores} cores"
        dds, prepared = dds_position_solver(samples, cores, every_card=every_card)
        works = {"DDS": dds, name: ours(batches, 4, cores)}
        warm_up(works)
        timings = in_turn(works, rounds)
        speeds = {
            "DDS": rates(len(samples[0]), timings["DDS"]),
            name: rates(len(batches[0]), timings[name]),
        }
        rows.extend(Row(f"{what}: {who}, {on}", "positions/s", speeds[who]) for who in works)
        rows.append(Row(f"{what}: over DDS, {on}", "x", ratios(speeds[name], speeds["DDS"])))
        read: Reader = dds_card_values if every_card else dds_values
        pairs = zip(timings["DDS"].results, timings[name].results, strict=True)
        for number, (theirs, mine) in enumerate(pairs, start=1):
            expected = read(prepared[number], theirs)
            found = to_come(mine[: len(expected)], samples[number])
            same = found == expected
            shares.append(float((same.all(axis=1) if every_card else same).mean()))
            compared += len(expected)

    for kind, batches in by_kind.items():
        samples = [batch.take(slice(n_dds)) for batch in batches]
        side_by_side(batches, samples, 1, _kind(kind))
    together = [Positions.join(list(parts)) for parts in zip(*by_kind.values(), strict=True)]
    some = [
        Positions.join([batches[number].take(slice(n_dds)) for batches in by_kind.values()])
        for number in range(rounds + 1)
    ]
    # Of the positions of all kinds in one call DDS gets as many of each, in the same order; for the
    # answers to be comparable ours begin with the same ones.
    rest = [batch.take(_shuffled(len(batch))) for batch in together]
    side_by_side([Positions.join(pair) for pair in zip(some, rest, strict=True)], some, 2, "all")
    return [*rows, agreement(shares, compared, "positions")]


def _shuffled(n: int) -> NDArray[np.int64]:
    import numpy as np

    return np.random.default_rng(0).permutation(n)


def positions() -> list[Row]:
    """The values of positions in the middle of a hand, and of a trick, beside DDS."""
    kinds = [(tricks, 0) for tricks in (2, 3, 4, 5, 6)]
    kinds += [(tricks, on_table) for tricks in (2, 4, 6) for on_table in (1, 2)]
    return _position_rows(kinds, sized(100_000), sized(5_000), every_card=False)


def cards() -> list[Row]:
    """Every card's value, beside DDS asked for all solutions: at the lead, and in mid-hand."""
    kinds = [(6, 0), (6, 1), (4, 0), (4, 1), (4, 2)]
    return _position_rows(kinds, sized(100_000), sized(5_000), every_card=True)


# --------------------------------------------------------------------------------------- selfish


def selfish() -> list[Row]:
    """Selfish play, whole deals; there is no peer: beside our coalition, and plain Python."""
    import numpy as np

    from ghostsim import solve_many
    from ghostsim.endgames import known_tables

    n, n_python, rounds = sized(200_000), 10, 3
    batches = [random_deals(n, seed) for seed in range(rounds + 1)]
    bids = np.random.default_rng(0).integers(3, 7, n)
    games: dict[str, dict[str, Any]] = {
        "for tricks": {},
        "for points": {"objective": "points", "bid": bids},
    }
    works: dict[str, Work] = {"coalition, 4-trick table": solver(batches, 4)}
    skipped = []
    for game, asked in games.items():
        for depth in (4, 5):
            kind = "selfish" if game == "for tricks" else "points"
            if depth == 5 and not all(t.is_ready() for t in known_tables()[f"{kind}-5"]):
                skipped.append(f"{kind}-5")
                continue
            for cores in (1, 2):
                on = "1 core" if cores == 1 else f"{cores} cores"
                works[f"selfish, {game}, {depth}-trick tables, {on}"] = partial(
                    _selfishly, solve_many, batches, asked, depth, cores
                )
    oracle = oracle_module("oracle")

    def in_python(game: str, number: int) -> list[tuple[int, int, int]]:
        some = batches[number].take(slice(n_python)).for_oracles()
        return [
            oracle.selfish_tricks(*each, None if game == "for tricks" else int(bid))
            for each, bid in zip(some, bids, strict=False)
        ]

    for game in games:
        works[f"plain Python, {game}"] = partial(in_python, game)
    warm_up(works)
    timings = in_turn(works, rounds)
    if skipped:
        say(f"  skipped, as its tables are not built: {', '.join(skipped)}")
    note = "" if not skipped else f"5-trick tables skipped, not built: {', '.join(skipped)}"
    speeds = {
        name: rates(n_python if name.startswith("plain") else n, timing)
        for name, timing in timings.items()
    }
    rows = [
        Row(name, "deals/s", speeds[name], note=note if "4-trick tables, 1" in name else "")
        for name in works
    ]
    coalition = speeds["coalition, 4-trick table"]
    shares = [1.0] * rounds
    for game in games:
        name = f"selfish, {game}, 4-trick tables, 1 core"
        python = f"plain Python, {game}"
        rows.append(Row(f"{name}, over plain Python", "x", ratios(speeds[name], speeds[python])))
        rows.append(Row(f"{name}, over the coalition", "x", ratios(speeds[name], coalition)))
        for number in range(len(timings[python].results)):
            expected = np.array(timings[python].results[number])
            for other, timing in timings.items():
                if other.startswith(f"selfish, {game}"):
                    same = (timing.results[number][: len(expected)] == expected).all(axis=1)
                    shares[number] = min(shares[number], float(same.mean()))
    del shares[len(timings[python].results) :]
    compared = len(games) * n_python * len(shares)
    return [*rows, agreement(shares, compared, "deals", "plain Python")]


def _selfishly(
    solve_many: Any,
    batches: Sequence[Positions],
    asked: dict[str, Any],
    depth: int,
    n_jobs: int,
    number: int,
) -> Any:
    return solve_many(
        **batches[number].whole_deals(), n_jobs=n_jobs, depth=depth, defence="selfish", **asked
    )


# ---------------------------------------------------------------------------------- one at a time


def one_position() -> list[Row]:
    """One position at a time, as in a notebook: a whole deal, and the same half way through."""
    import random

    from ghostsim import Card, Deal, Position, best_line, card_values, review
    from ghostsim import solve as solve_one

    n = 200
    chooser = random.Random(1)
    starts, halves, played = [], [], []
    for index in range(n + 1):
        start = position = Position(Deal.random(1, index).hands, index % 4, index % 3, bid="4")
        plays: list[Card] = []
        while not position.is_over:
            if len(plays) == 9:
                halves.append(position)
            plays.append(chooser.choice(position.legal))
            position = position.play(plays[-1])
        starts.append(start)
        played.append(plays)
    works: dict[str, Work] = {}
    for when, asked in (("whole deal", starts), ("three tricks to go", halves)):
        for defence in ("coalition", "selfish"):
            for function in (solve_one, card_values, best_line):
                work = partial(_ask, function, asked, defence)
                works[f"{function.__name__}, {when}, {defence}"] = work
    works["review of 18 cards, coalition"] = lambda number: review(starts[number], played[number])
    warm_up(works)
    timings = in_turn(works, n)
    return [Row(name, "s", timing.seconds) for name, timing in timings.items()]


def _ask(function: Any, positions: Sequence[Any], defence: str, number: int) -> Any:
    return function(positions[number], defence=defence)


def write_lines(path: Path, n: int) -> None:
    """Write positions, one a line, as the command line reads them: whole deals and mid-hand."""
    import random

    from ghostsim import Deal, Position

    chooser = random.Random(2)
    lines = []
    for index in range(n):
        position = Position(Deal.random(2, index).hands, index % 4, index % 3)
        for _ in range(chooser.randrange(18)):
            position = position.play(chooser.choice(position.legal))
        lines.append(position.text)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def solve_command() -> list[Row]:
    """`ghostsim solve`, whole processes: one position, and 20,000 lines of text to CSV."""
    n = sized(20_000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "positions.txt"
        in_fresh_process(write_lines, path, n)
        command = [sys.executable, "-m", "ghostsim.study", "solve"]
        deal = "JS JC AS KS AH 9D / QS TS 9S AC KC QC / TC 9C KH QH JH TH / trump S"
        many = ["--file", str(path), "--format", "csv"]
        works: dict[str, Work] = {
            "one position, its cards": lambda _: run_process([*command, deal]),
            "lines, 1 core": lambda _: run_process([*command, *many, "--jobs", "1"]),
            "lines, 2 cores": lambda _: run_process([*command, *many, "--jobs", "2"]),
        }
        warm_up(works)
        timings = in_turn(works, 5)
    rows = [Row("one position, its cards", "s", timings["one position, its cards"].seconds)]
    for name in ("lines, 1 core", "lines, 2 cores"):
        rows.append(Row(f"{n:,} {name}", "s", timings[name].seconds))
        rows.append(Row(name, "lines/s", rates(n, timings[name])))
        rows.append(Row(f"{name}, peak memory", "B", timings[name].results))
    return rows


# ------------------------------------------------------------------------- how it grows with deals

#: What the opening table needs is what all are asked: the declarer leads.
DEALS = tuple(10**power for power in range(2, 8))
DDS_DEALS = (100, 1_000, 5_000, 20_000)


def first_call(depth: int, deals: int) -> float:
    """Seconds of the first ``solve_many`` of a process: it loads kernels and tables, and solves."""
    from ghostsim import solve_many

    arguments = random_deals(deals, seed=deals, declarer_leads=True).whole_deals()
    begin = time.perf_counter()
    solve_many(**arguments, depth=depth)
    return time.perf_counter() - begin


def first_call_of_dds(deals: int) -> float:
    """The same for DDS on one core, the translation of the deals not counted."""
    batch = random_deals(deals, seed=deals, declarer_leads=True)
    work = dds_solver([batch], threads=1)
    begin = time.perf_counter()
    work(0)
    return time.perf_counter() - begin


def deals() -> list[Row]:
    """The first call of a fresh process, which reads its table from disk: 100 to 10 M deals."""
    counts = [n for n in DEALS if n <= sized(10**7, at_least=10**4)]
    dds_counts = [n for n in DDS_DEALS if n <= sized(20_000, at_least=1_000)]
    for depth in (4, 5, 6):
        say(f"  warm-up: the {depth}-trick table is built unless it is there")
        in_fresh_process(first_call, depth, 100)
    works: dict[str, Work] = {}
    for n in counts:
        for depth in (4, 5, 6):
            works[f"{depth}-trick table, {n:,} deals"] = partial(_fresh, first_call, depth, n)
        if n in dds_counts:
            works[f"DDS, {n:,} deals"] = partial(_fresh, first_call_of_dds, n)
    for n in dds_counts:
        works.setdefault(f"DDS, {n:,} deals", partial(_fresh, first_call_of_dds, n))
    timings = in_turn(works, 3)
    rows = []
    curves: dict[str, dict[int, tuple[float, ...]]] = {}
    for series in ("4-trick table", "5-trick table", "6-trick table", "DDS"):
        for n in dds_counts if series == "DDS" else counts:
            name = f"{series}, {n:,} deals"
            seconds = timings[name].results
            rows.append(Row(name, "s", seconds, series=series, deals=n))
            curves.setdefault(series, {})[n] = seconds
    for less, more in (("4", "5"), ("5", "6"), ("4", "6")):
        pays = _pays_from(curves[f"{less}-trick table"], curves[f"{more}-trick table"])
        if pays is not None:
            work = f"the {more}-trick table pays, over the {less}-trick table, from"
            note = "once it is on disk; between medians, two digits"
            rows.append(Row(work, "deals", (float(f"{pays:.2g}"),), note=note))
    return rows


def _fresh(function: Callable[..., float], *arguments: int) -> float:
    # The last argument is the number of the round.
    return in_fresh_process(function, *arguments[:-1])


def _pays_from(
    less: dict[int, tuple[float, ...]], more: dict[int, tuple[float, ...]]
) -> float | None:
    """From how many deals the second is faster for good; None if it never is, or always."""
    logs = [math.log(n) for n in less]
    gaps = [math.log(median(more[n]) / median(less[n])) for n in less]
    for i in range(len(gaps) - 1, 0, -1):
        if gaps[i] < 0 <= gaps[i - 1]:
            share = gaps[i - 1] / (gaps[i - 1] - gaps[i])
            return math.exp(logs[i - 1] + share * (logs[i] - logs[i - 1]))
        if gaps[i] >= 0:
            return None
    return None


def solving_cost(deals: int) -> Cost:
    """What solving many deals in one call costs, on one core."""
    from ghostsim import solve_many
    from ghostsim.deals import random_hands

    hands = random_hands(deals)
    solve_many(hands[:1], "S", depth=4)  # warm-up
    return cost_of(lambda n: solve_many(hands[:n], "S", depth=4), deals)


def memory() -> list[Row]:
    """The peak memory of a million deals and of ten, in fresh processes, less the arrays."""
    counts = sized(1_000_000), sized(10_000_000)
    works: dict[str, Work] = {f"{n:,} deals": partial(_fresh_cost, solving_cost, n) for n in counts}
    warm_up(works)
    timings = in_turn(works, 3)
    # The caller's hands, three masks of eight bytes, and the answers, a byte each.
    less = {
        name: tuple(cost.memory - 25 * n for cost in timing.results)
        for n, (name, timing) in zip(counts, timings.items(), strict=True)
    }
    few, many = less
    rows = [Row(f"solve_many, {name}, peak memory", "B", _memory(timings[name])) for name in works]
    rows += [
        Row(f"solve_many, {name}, peak memory less deals and answers", "B", less[name])
        for name in works
    ]
    why = "DESIGN 9: flat, and a twentieth for noise"
    return [
        *rows,
        Row("memory of ten times the deals", "x", ratios(less[many], less[few]), Bar(1.05), why),
    ]


def _memory(timing: Timing) -> tuple[int, ...]:
    return tuple(cost.memory for cost in timing.results)


def _fresh_cost(function: Callable[[int], Cost], deals: int, _: int) -> Cost:
    return in_fresh_process(function, deals)
