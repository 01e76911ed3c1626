"""How things are timed: works in turn, whole processes, fresh processes, peak memory."""

from __future__ import annotations

import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

Result = TypeVar("Result")

#: Whether this is a trial: a twentieth of the work and two rounds (``run.py --quick`` sets it).
#: In the environment, for processes to hand it on.
QUICK = "GHOSTSIM_BENCHMARKS_QUICK"

#: A piece of work; it is told the number of its round, so that each can have data of its own.
Work = Callable[[int], Any]


@dataclass(frozen=True)
class Bar:
    """What a median must reach: at most ``limit``, or at least it."""

    limit: float
    at_least: bool = False

    def met_by(self, value: float) -> bool:
        """Whether a value reaches the bar."""
        return value >= self.limit if self.at_least else value <= self.limit


@dataclass(frozen=True)
class Row:
    """One line of the results.

    Attributes
    ----------
    work : str
        What was done.
    unit : str
        ``"s"``, ``"B"`` or ``"x"`` (a ratio), or things a second like ``"deals/s"``.
    values : tuple of float
        One for each round.
    bar : Bar, optional
    note : str
        Why the bar, what the ratio is of, or what to keep in mind.
    series, deals : str, int
        The line of a figure that the row is a point of, and its place there.
    """

    work: str
    unit: str
    values: tuple[float, ...]
    bar: Bar | None = None
    note: str = ""
    series: str = ""
    deals: int = 0


@dataclass(frozen=True)
class Timing:
    """The seconds of a work in each round, and what it returned."""

    seconds: tuple[float, ...]
    results: tuple[Any, ...]


def say(message: str) -> None:
    """Tell the person how far we are."""
    print(message, file=sys.stderr, flush=True)


def sized(n: int, at_least: int = 200) -> int:
    """How many of something to do: n, or in a trial a twentieth."""
    return max(at_least, n // 20) if os.environ.get(QUICK) else n


def warm_up(works: Mapping[str, Work]) -> None:
    """Do every work once, as round 0, untimed: compile, build tables, touch memory."""
    for name, work in works.items():
        say(f"  warm-up: {name}")
        work(0)


def in_turn(works: Mapping[str, Work], rounds: int) -> dict[str, Timing]:
    """Time works in turn, A B A B: what slows the machine down for a while slows all of them."""
    if os.environ.get(QUICK):
        rounds = min(rounds, 2)
    seconds: dict[str, list[float]] = {name: [] for name in works}
    results: dict[str, list[Any]] = {name: [] for name in works}
    said = 0.0
    for number in range(1, rounds + 1):
        if time.perf_counter() - said > 5:
            said = time.perf_counter()
            say(f"  round {number} of {rounds}")
        for name, work in works.items():
            start = time.perf_counter()
            result = work(number)
            seconds[name].append(time.perf_counter() - start)
            results[name].append(result)
    return {name: Timing(tuple(seconds[name]), tuple(results[name])) for name in works}


def rates(things: int, timing: Timing) -> tuple[float, ...]:
    """Things done a second, round by round."""
    return tuple(things / seconds for seconds in timing.seconds)


def ratios(above: Sequence[float], below: Sequence[float]) -> tuple[float, ...]:
    """Ratios within each round, so that noise both have in common cancels."""
    return tuple(a / b for a, b in zip(above, below, strict=True))


def median(values: Sequence[float]) -> float:
    """The median of the rounds."""
    return statistics.median(values)


def in_fresh_process(function: Callable[..., Result], *arguments: Any) -> Result:
    """Call a module's function in a new interpreter, which shares nothing with this one."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(function, *arguments).result()


def peak_memory() -> int:
    """The most memory that this process has had so far, in bytes."""
    return _bytes(resource.getrusage(resource.RUSAGE_SELF))


@dataclass(frozen=True)
class Cost:
    """Seconds of a call after warm-up, and the peak memory of its process in bytes."""

    seconds: float
    memory: int


def cost_of(call: Callable[[int], object], deals: int) -> Cost:
    """What a call on some deals costs."""
    begin = time.perf_counter()
    call(deals)
    return Cost(time.perf_counter() - begin, peak_memory())


def run_process(command: Sequence[str], **environment: str) -> int:
    """Run a command to its end, its output thrown away; return its peak memory in bytes.

    Linux counts the caller's own memory at the start into a child's peak, so the caller must be
    small: benchmarks that call this do not import ghostsim.
    """
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    )
    assert process.stderr is not None
    with process.stderr:
        messages = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command} ended with status {process.returncode}:\n{messages}")
    return _bytes(usage)


def others_cpu_seconds() -> float | None:
    """CPU seconds so far of all processes but this one and those it has waited for (Linux).

    What others use meanwhile is the first thing to look at when times surprise. On two cores, one
    busy stranger makes two threads look no better than one.
    """
    try:
        fields = Path("/proc/stat").read_text(encoding="ascii").split(maxsplit=4)
    except OSError:
        return None
    user, nice, system = (int(ticks) for ticks in fields[1:4])
    mine = sum(os.times()[:4])
    return (user + nice + system) / os.sysconf("SC_CLK_TCK") - mine


def _bytes(usage: resource.struct_rusage) -> int:
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
