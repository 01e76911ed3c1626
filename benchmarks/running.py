"""The runner: what it costs beside the blocks it runs, what two jobs gain, how much memory."""

from __future__ import annotations

import functools
import shutil
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import Bar, Cost, Row, Work, cost_of, in_fresh_process, in_turn, ratios, sized, warm_up

if TYPE_CHECKING:
    from ghostsim.simulate.runner import BlockStore, Runner, Simulation

#: Issue 5's bars: the runner's own time is under 5 % of the blocks'; two jobs are 1.8 times one.
OWN_TIME_BAR = Bar(0.05)
OVERHEAD_BAR = Bar(1.05)
JOBS_BAR = Bar(1.8, at_least=True)
#: Peak memory of ten times the deals, in times that of the deals.
MEMORY_BAR = Bar(1.05)
#: Many short rounds: this kind of machine is as fast as its neighbours let it be.
ROUNDS = 15


@dataclass(frozen=True)
class Question:
    """A simulation as a study runs it, and how many units of it are timed."""

    name: str
    simulate: Callable[..., Any]
    amount: int


class _CaughtError(Exception):
    """Carries a simulation out of the function that would have run it."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation


def _questions() -> list[Question]:
    from ghostsim.simulate.game_length import simulate_game_lengths
    from ghostsim.simulate.revoke import simulate_revokes
    from ghostsim.simulate.solo import simulate_bids, simulate_swap

    return [
        Question("swap-value's check", simulate_swap, sized(200_000)),
        Question("bid-success's check", simulate_bids, sized(100_000)),
        Question("revoke", simulate_revokes, sized(20_000)),
        Question(
            "game-length",
            functools.partial(simulate_game_lengths, [["odds"] * 3]),
            sized(40_000),
        ),
    ]


def simulation_of(question: Question) -> Simulation:
    """What a study hands to the runner."""
    from ghostsim.simulate.runner import Runner

    class Catcher(Runner):
        def run(self, simulation: Simulation, *_: Any, **__: Any) -> Any:
            raise _CaughtError(simulation)

    try:
        question.simulate(2, runner=Catcher())
    except _CaughtError as caught:
        return caught.simulation
    raise AssertionError(f"{question.name} runs nothing")


def _bare(simulation: Simulation, amount: int, first: int = 0) -> Work:
    """The blocks one after another, added up, and nothing else."""

    def work(number: int) -> int:
        total = None
        for start in range(first, first + amount, simulation.per_block):
            count = min(simulation.per_block, first + amount - start)
            total = simulation.merge(total, simulation.block(number, start, count), start)
        return 0 if total is None else len(total)

    return work


def _side_by_side(simulation: Simulation, amount: int) -> Work:
    """The same blocks in two bare threads: what two cores of this machine can give."""
    halves = [_bare(simulation, amount // 2, first) for first in (0, amount // 2)]

    def work(number: int) -> None:
        threads = [threading.Thread(target=half, args=(number,)) for half in halves]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return work


def _without_blocks(simulation: Simulation) -> Simulation:
    """The same simulation with blocks that take no time: what is left is the runner's own."""
    sums = simulation.block(0, 0, simulation.per_block)
    return replace(simulation, block=lambda seed, start, count: sums)


def _run(simulation: Simulation, amount: int, make: Callable[[], Runner]) -> Work:
    def work(number: int) -> int:
        return make().run(simulation, amount, seed=number).n

    return work


def _with_store(simulation: Simulation, amount: int, folder: Path) -> Work:
    from ghostsim.simulate.block_store import BlockStore
    from ghostsim.simulate.runner import Runner

    def work(number: int) -> int:
        path = folder / str(number)
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
        store: BlockStore = BlockStore.open(path, {"seed": number})
        try:
            return Runner(n_jobs=1, store=store).run(simulation, amount, seed=number).n
        finally:
            store.close()

    return work


def runner() -> list[Row]:
    """Simulations through the runner, beside their blocks in a plain loop; one job, and two."""
    from ghostsim.simulate.runner import Runner

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for question in _questions():
            simulation, amount = simulation_of(question), question.amount
            ways = {
                "one job": functools.partial(_run, make=lambda: Runner(n_jobs=1)),
                "one job, precision": functools.partial(
                    _run, make=lambda: Runner(n_jobs=1, precision=1e-9)
                ),
                "one job, run folder": functools.partial(_with_store, folder=Path(folder)),
            }
            empty = _without_blocks(simulation)
            works = {
                "plain loop": _bare(simulation, amount),
                **{name: way(simulation, amount) for name, way in ways.items()},
                **{f"{name}: own": way(empty, amount) for name, way in ways.items()},
                "two threads": _side_by_side(simulation, amount),
                "two jobs": _run(simulation, amount, lambda: Runner(n_jobs=2)),
            }
            warm_up(works)
            seconds = {name: timing.seconds for name, timing in in_turn(works, ROUNDS).items()}
            loop, one = seconds["plain loop"], seconds["one job"]
            what = f"{question.name}, {amount:,} {simulation.unit}"
            blocks = -(-amount // simulation.per_block)
            rows.append(Row(f"{what}: plain loop", "s", loop, note=f"{blocks} blocks"))
            for name in ways:
                own = ratios(seconds[f"{name}: own"], loop)
                note = "of blocks that take no time, over the time of the plain loop"
                rows.append(Row(f"{what}: {name}, the runner's own", "x", own, OWN_TIME_BAR, note))
                note = "time over that of the plain loop"
                whole = ratios(seconds[name], loop)
                rows.append(Row(f"{what}: {name}", "x", whole, OVERHEAD_BAR, note))
            note = "speed over the plain loop: what the machine gives, without a runner"
            rows.append(
                Row(f"{what}: two threads", "x", ratios(loop, seconds["two threads"]), note=note)
            )
            note = "speed over that of one job"
            rows.append(
                Row(f"{what}: two jobs", "x", ratios(one, seconds["two jobs"]), JOBS_BAR, note)
            )
    return rows


def _run_alone(deals: int) -> Cost:
    from ghostsim.simulate.runner import Runner
    from ghostsim.simulate.solo import simulate_swap

    with tempfile.TemporaryDirectory() as folder:
        from ghostsim.simulate.block_store import BlockStore

        simulate_swap(1_000)
        store: BlockStore = BlockStore.open(Path(folder), {})
        try:
            return cost_of(
                lambda amount: simulate_swap(amount, runner=Runner(n_jobs=2, store=store)), deals
            )
        finally:
            store.close()


def runner_memory() -> list[Row]:
    """Peak memory of a process that runs swap-value's check, by the number of deals."""
    few, many = sized(250_000), sized(5_000_000)
    peaks: dict[int, list[float]] = {few: [], many: []}
    for _ in range(3):
        for deals, found in peaks.items():
            found.append(float(in_fresh_process(_run_alone, deals).memory))
    rows = [Row(f"{deals:,} deals", "B", tuple(found)) for deals, found in peaks.items()]
    return [
        *rows,
        Row(
            f"{many // few} times the deals",
            "x",
            ratios(peaks[many], peaks[few]),
            MEMORY_BAR,
            "peak over peak, run folder included",
        ),
    ]
