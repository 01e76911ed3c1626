"""What the progress display shows, where, and that it never gets in the way of a run."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ghostsim.progress import ProgressDisplay
from ghostsim.simulate.runner import Runner, Simulation, Watch
from ghostsim.study.options import Messages

unix = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")


@pytest.fixture(autouse=True)
def able(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")


class Clock:
    """Tells the time that the test sets."""

    now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Paper(io.StringIO):
    """A stream without a terminal that keeps what is written."""

    def lines(self) -> list[str]:
        return self.getvalue().splitlines()


class Glass(Paper):
    """What says it is a terminal."""

    def isatty(self) -> bool:
        return True

    def frames(self) -> list[str]:
        return [frame.strip("\n") for frame in self.getvalue().split("\r")[1:]]


def begun(
    clock: Clock, total: int = 5_000_000, kept: int = 0, precision: float | None = None
) -> tuple[ProgressDisplay, Paper]:
    paper = Paper()
    display = ProgressDisplay(stream=paper, clock=clock)
    display.begin("dealing", "deals", total, kept, precision)
    return display, paper


def line_after(
    seconds: float,
    fresh: int,
    half_width: float | None,
    total: int = 5_000_000,
    kept: int = 0,
    precision: float | None = None,
) -> str:
    """The plain line so long after the beginning."""
    clock = Clock()
    display, paper = begun(clock, total, kept, precision)
    clock.now += seconds
    display.advance(fresh, half_width)
    (line,) = paper.lines()
    return line


def block(seed: int, start: int, count: int) -> NDArray[np.int64]:
    """How many of some deals have an odd number."""
    return np.array([(start + count) // 2 - start // 2], dtype=np.int64)


def read(sums: NDArray[np.int64], n: int) -> tuple[int, int, int]:
    return n, int(sums[0]), int(sums[0])


ODD = Simulation("odd", block, title="counting", unit="numbers", per_block=1_000)
WATCHED = Simulation(
    "odd",
    block,
    title="counting",
    unit="numbers",
    per_block=1_000,
    watch=Watch("odd numbers", read, "exact", "share of numbers"),
)


def test_a_line() -> None:
    assert line_after(10, 1_250_000, None) == (
        "dealing: 1,250,000 of 5,000,000 deals (25%), 125,000 deals/s, 30 s left"
    )


def test_kept_deals_are_done_but_not_fast() -> None:
    assert line_after(10, 1_000_000, None, kept=3_000_000) == (
        "dealing: 4,000,000 of 5,000,000 deals (80%), 100,000 deals/s, 10 s left"
    )


@pytest.mark.parametrize(
    ("half_width", "rest"),
    [
        # Twice as wide as it should be: four times as many deals are needed.
        (0.02, "400,000 deals (25%), 10,000 deals/s, 30 s left, half-width 0.02 of 0.01"),
        # To three digits, up: 100,000 * 1.23 ** 2 is 151,290.
        (0.0123, "152,000 deals (65%), 10,000 deals/s, 5 s left, half-width 0.0123 of 0.01"),
    ],
)
def test_precision_gives_an_estimate(half_width: float, rest: str) -> None:
    line = line_after(10, 100_000, half_width, precision=0.01)
    assert line == f"dealing: 100,000 of about {rest}"


def test_the_most_bounds_the_estimate() -> None:
    assert line_after(10, 100_000, 0.5, precision=0.01) == (
        "dealing: 100,000 of 5,000,000 deals (2%), 10,000 deals/s, 8 min left,"
        " half-width 0.5 of 0.01"
    )


def test_before_the_first_look_nothing_is_known() -> None:
    assert line_after(10, 100_000, float("inf"), precision=0.01) == (
        "dealing: 100,000 of at most 5,000,000 deals (2%), 10,000 deals/s"
    )


def test_precision_without_anything_watched_does_not_count() -> None:
    assert line_after(10, 100_000, None, precision=0.01) == line_after(10, 100_000, None)


def test_precise_enough_is_all() -> None:
    assert line_after(10, 100_000, 0.0099, precision=0.01) == (
        "dealing: 100,000 of 100,000 deals (100%), 10,000 deals/s, 0 s left,"
        " half-width 0.0099 of 0.01"
    )


def test_lines_get_rarer() -> None:
    clock = Clock()
    display, paper = begun(clock)
    seen: list[int] = []
    for second in range(2_000):
        clock.now = 1_000.0 + second
        display.advance(second, None)
        if len(paper.lines()) > len(seen):
            seen.append(second)
    assert seen == [10, 30, 70, 150, 310, 610, 910, 1_210, 1_510, 1_810]
    display.end()
    assert paper.lines()[-1] == "dealing: 1,999 of 5,000,000 deals in 33 min, 1 deals/s"


def test_a_short_run_prints_no_lines() -> None:
    paper = Paper()
    result = Runner(watcher=ProgressDisplay(stream=paper)).run(ODD, 10_000, seed=1)
    assert result.sums.tolist() == [5_000]
    assert paper.getvalue() == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (89, "89 s"),
        (100, "2 min"),
        (5_000, "83 min"),
        (10_000, "2 h 47 min"),
        (400_000, "4 d 15 h"),
        (10**9, "over 999 d"),
    ],
)
def test_time_left_in_words(seconds: int, words: str) -> None:
    line = line_after(100, 1_000, None, total=1_000 + 10 * seconds)
    assert line.endswith(f", 10 deals/s, {words} left")


def test_a_suspended_laptop_does_not_slow_the_rate_for_ever() -> None:
    clock = Clock()
    display, paper = begun(clock)
    for second in range(100):
        clock.now += 1 if second != 20 else 8 * 3_600
        display.advance(1_000 * (second + 1), None)
    clock.now += 1_000
    display.advance(1_100_000, None)
    assert "1,090 deals/s" not in paper.lines()[0]
    rate = int(re.findall(r"([\d,]+) deals/s", paper.lines()[-1])[0].replace(",", ""))
    # The last 29 seconds and the 1000 after them, at 1000 a second: the eight hours are forgotten.
    assert rate == pytest.approx(1_000, rel=0.01)


def test_the_last_line_has_the_rate_of_the_whole_run() -> None:
    clock = Clock()
    display, paper = begun(clock)
    for second in range(100):  # 30 of them at 1,000 deals a second, then 3,000
        clock.now += 1
        display.advance(1_000 * second if second < 30 else 3_000 * second - 60_000, None)
    assert "3,000 deals/s" in paper.lines()[-1]
    display.end()
    assert paper.lines()[-1] == ("dealing: 237,000 of 5,000,000 deals in 2 min, 2,370 deals/s")


NUMBER = r"\d{1,3}(,\d{3})*"
SHAPE = re.compile(
    rf"dealing: {NUMBER}( of (about |at most )?{NUMBER})? deals"
    rf"( \(\d{{1,3}}%\)| in (over )?[\dsminhd ]+)(, (under )?[\d.,]+ deals/s)?"
    r"(, (over )?[\dsminhd ]+ left)?"
    r"(, half-width [\d.e+-]+ of 0.01)?"
)


@example(times=[0.0, 0.0, 5e-324], widths=[1.0, 1.0, 1.0], kept=0)
@given(
    times=st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=20),
    widths=st.lists(st.floats(1e-300, allow_nan=False), min_size=2, max_size=20),
    kept=st.integers(0, 10**12),
)
def test_no_clock_and_no_width_makes_nonsense(
    times: list[float], widths: list[float], kept: int
) -> None:
    clock = Clock()
    clock.now = times[0]
    paper, glass = Paper(), Glass()
    displays = [ProgressDisplay(stream=stream, clock=clock) for stream in (paper, glass)]
    for display in displays:
        display.begin("dealing", "deals", 10**12, kept, 0.01)
    for i, (now, width) in enumerate(zip(times, widths, strict=False)):
        clock.now = now
        for display in displays:
            display.advance(i * 50_000, width)
    for display in displays:
        display.end()
    for line in paper.lines():
        assert SHAPE.fullmatch(line), line
    for frame in glass.frames():
        assert not re.search(r"inf|nan|[\[<]-|-\d+[/%]", frame), frame


def test_a_bar() -> None:
    clock, glass = Clock(), Glass()
    display = ProgressDisplay(stream=glass, clock=clock)
    display.begin("dealing", "deals", 200_000_000, 0, 0.01)
    clock.now += 20
    display.advance(60_000_000, 0.0173)
    clock.now += 40
    display.advance(180_000_000, 0.0099)
    display.end()
    first, second, third, last = glass.frames()  # each drawn once
    assert first.startswith("dealing:   0%|")
    assert first.endswith("| 0 of at most 200M deals [00:00<?]")
    assert second.startswith("dealing:  33%|██")
    assert second.endswith("| 60.0M/~180M deals [00:20<00:40, 3.00M/s, ± 0.017 of 0.01]")
    assert third.startswith("dealing: 100%|██")
    assert last.endswith("█| 180M/180M deals [01:00, 3.00M/s, ± 0.0099 of 0.01]")
    assert glass.getvalue().endswith("\n")


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (7, "7"),
        (999, "999"),
        (1_000, "1.00k"),
        (999_499, "999k"),
        (999_500, "1.00M"),
        (68_000_000, "68.0M"),
        (10**12, "1.00T"),
        (5 * 10**15, "5000T"),
    ],
)
def test_short_numbers(number: int, shown: str) -> None:
    glass = Glass()
    ProgressDisplay(stream=glass).begin("dealing", "deals", number, 0, None)
    assert f"| 0/{shown} deals" in glass.getvalue()


def test_a_bar_is_not_drawn_for_every_block() -> None:
    clock, glass = Clock(), Glass()
    display = ProgressDisplay(stream=glass, clock=clock)
    display.begin("dealing", "deals", 100_000, 0, None)
    for fresh in range(0, 100_000, 10):
        clock.now += 0.001
        display.advance(fresh, None)
    display.end()
    assert 80 < len(glass.frames()) < 120


def test_braces_in_a_title() -> None:
    glass = Glass()
    display = ProgressDisplay(stream=glass)
    display.begin("{bar} {0}", "deals", 10, 0, None)
    display.end()
    assert glass.frames()[-1].startswith("{bar} {0}:   0%|")


def test_of_few_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    clock, stream = Clock(), io.TextIOWrapper(raw, encoding="ascii", errors="strict")
    monkeypatch.setattr(stream, "isatty", lambda: True)
    display = ProgressDisplay(stream=stream, clock=clock)
    display.begin("spielen für Ünal", "deals", 100, 0, 0.01)
    clock.now += 1
    display.advance(50, 0.0123)
    display.end()
    assert b"spielen f?r ?nal:" in raw.getvalue()
    assert b"+- 0.012 of 0.01]" in raw.getvalue()


class Broken(Glass):
    """Fails in some way as soon as it is used."""

    def __init__(self, error: Exception, *, terminal: bool) -> None:
        super().__init__()
        self._error, self._terminal = error, terminal
        self.writes = 0

    def isatty(self) -> bool:
        return self._terminal

    def write(self, _: str) -> int:
        self.writes += 1
        raise self._error

    def flush(self) -> None:
        raise self._error


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize(
    "error",
    [
        BrokenPipeError(32, "Broken pipe"),
        OSError(5, "Input/output error"),
        OSError(28, "No space left on device"),
        ValueError("I/O operation on closed file."),
    ],
    ids=["pipe", "gone", "full", "closed"],
)
def test_a_stream_that_fails_stops_no_run(error: Exception, terminal: bool) -> None:
    clock = Clock()

    def slow(seed: int, start: int, count: int) -> NDArray[np.int64]:
        clock.now += 60
        return block(seed, start, count)

    stream = Broken(error, terminal=terminal)
    watcher = ProgressDisplay(stream=stream, clock=clock)
    assert Runner(watcher=watcher).run(Simulation("odd", slow), 200_000, seed=1).sums == 100_000
    assert stream.writes == 1  # and is left alone from then on


def test_no_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    closed.close()
    for stream in (None, closed):
        monkeypatch.setattr(sys, "stderr", stream)
        every_minute = iter(range(0, 10_000, 60)).__next__
        result = Runner(watcher=ProgressDisplay(clock=every_minute)).run(ODD, 10_000, seed=1)
        assert result.sums.tolist() == [5_000]


def test_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    clock, glass = Clock(), Glass()
    for display in (
        ProgressDisplay(stream=glass, quiet=True, clock=clock),
        ProgressDisplay(quiet=True, clock=clock),
    ):
        display.begin("dealing", "deals", 100, 0, None)
        clock.now += 1_000
        display.advance(50, None)
        display.end()
    assert glass.getvalue() == ""
    assert capsys.readouterr() == ("", "")


def test_a_dumb_terminal_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    clock, glass = Clock(), Glass()
    display = ProgressDisplay(stream=glass, clock=clock)
    display.begin("dealing", "deals", 100, 0, None)
    clock.now += 10
    display.advance(50, None)
    assert glass.getvalue() == "dealing: 50 of 100 deals (50%), 5 deals/s, 10 s left\n"


def test_one_display_for_several_runs() -> None:
    glass = Glass()
    runner = Runner(watcher=ProgressDisplay(stream=glass))
    for amount in (3_000, 5_000):
        runner.run(ODD, amount, seed=1)
    shown = glass.getvalue()
    assert shown.count("\n") == 2
    assert "3.00k/3.00k numbers" in shown
    assert "5.00k/5.00k numbers" in shown


def test_an_interrupted_run_ends_its_bar() -> None:
    def interrupted(seed: int, start: int, count: int) -> NDArray[np.int64]:
        if start:
            raise KeyboardInterrupt
        return block(seed, start, count)

    glass = Glass()
    runner = Runner(watcher=ProgressDisplay(stream=glass), backend="sequential")
    with pytest.raises(KeyboardInterrupt):
        runner.run(Simulation("odd", interrupted, per_block=10), 100, seed=1)
    assert "| 10/100 deals [" in glass.frames()[-1]
    assert glass.getvalue().endswith("]\n")


def test_to_a_precision() -> None:
    glass = Glass()
    runner = Runner(precision=0.05, watcher=ProgressDisplay(stream=glass))
    result = runner.run(WATCHED, 10**9, seed=1)
    assert result.n < 10**5
    assert "0 of at most 1.00G numbers" in glass.frames()[0]


# Terminals that are really there.


class Terminal:
    """A pseudo-terminal: what a program writes to ``stream``, a reader at the other end sees."""

    def __init__(self, columns: int) -> None:
        import fcntl
        import pty
        import struct
        import termios

        self.reader, self.writer = pty.openpty()
        fcntl.ioctl(self.writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.stream = os.fdopen(self.writer, "w", encoding="utf-8", closefd=False)
        self._seen = bytearray()
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        while True:
            try:
                some = os.read(self.reader, 65_536)
            except OSError:  # nobody writes any more
                return
            if not some:
                return
            self._seen += some

    def frames(self) -> list[str]:
        """What was drawn over one another, once all is written."""
        self.stream.close()
        os.close(self.writer)
        self._thread.join()
        os.close(self.reader)
        return [frame.strip("\r\n") for frame in self._seen.decode().split("\r")[1:]]


@unix
@pytest.mark.parametrize("columns", [1, 20, 40, 80, 200])
def test_a_bar_fits_its_terminal(columns: int) -> None:
    terminal, clock = Terminal(columns), Clock()
    display = ProgressDisplay(stream=terminal.stream, clock=clock)
    display.begin("dealing, swapping, solving", "deals", 5_000_000, 0, 0.01)
    for fresh in range(0, 400_000, 50_000):
        clock.now += 2
        display.advance(fresh, 0.0234)
    display.end()
    frames = [frame for frame in terminal.frames() if frame]
    assert all(len(frame) < max(columns, 2) for frame in frames)
    last = frames[-1]
    if columns >= 20:
        assert re.search(r" 18%\|", last)
    if columns == 80:
        assert last.startswith("dealing, swapping:  18%|█")
        assert last.endswith("| 350k/~1.92M [00:16, 21.9k/s, ± 0.023 of 0.01]")
    if columns == 40:
        assert not last.startswith("dealing")
    if columns == 200:
        assert last.startswith("dealing, swapping, solving:  18%|████")


@unix
@pytest.mark.parametrize(
    ("title", "seconds", "shown"),
    [
        ("playing deals", 20, "playing deals:  18%|"),
        ("playing deals, honestly and not", 20, "playing deals:  18%|"),
        ("playing all there is to play", 20, "playing all..:  18%|"),
        ("playing deals", 7_300, "playing de..:  18%|"),
    ],
)
def test_a_title_is_not_lost_in_a_usual_terminal(title: str, seconds: int, shown: str) -> None:
    terminal, clock = Terminal(80), Clock()
    display = ProgressDisplay(stream=terminal.stream, clock=clock)
    display.begin(title, "deals", 30_000_000, 0, 0.001)
    clock.now += seconds
    display.advance(350_000, 0.00234)
    display.end()
    _, shown_last, _ = (frame for frame in terminal.frames() if frame)
    assert shown_last.startswith(shown)
    assert re.search(r"\| 350k/~1.92M \[.*/s, ± 0.0023 of 0.001\]$", shown_last)


@unix
def test_a_terminal_that_goes_away() -> None:
    import pty

    reader, writer = pty.openpty()
    clock, stream = Clock(), os.fdopen(writer, "w", encoding="utf-8")
    display = ProgressDisplay(stream=stream, clock=clock)
    display.begin("dealing", "deals", 100, 0, None)
    os.close(reader)
    with pytest.raises(OSError, match="Input/output"):
        os.write(writer, b"nobody reads this")
    for fresh in range(1, 101):
        clock.now += 1
        display.advance(fresh, None)
    display.end()
    display.begin("dealing", "deals", 100, 0, None)
    display.end()
    with pytest.raises(OSError, match="Input/output"):  # what could not be written
        stream.close()


PROGRAM = """
import test_progress as here
from ghostsim.progress import ProgressDisplay
from ghostsim.simulate.runner import Runner
print(Runner(n_jobs=2, watcher=ProgressDisplay()).run(here.ODD, 20_000, seed=1).sums[0])
"""


@unix
def test_in_a_terminal() -> None:
    terminal = Terminal(100)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=Path(__file__).parent,
        stdout=subprocess.PIPE,
        stderr=terminal.writer,
        env=os.environ | {"TERM": "xterm", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"},
        text=True,
        check=True,
    )
    frames = terminal.frames()
    assert done.stdout == "10000\n"
    assert frames[0].startswith("counting:   0%|")
    assert "| 0/20.0k numbers [00:00<?]" in frames[0]
    assert any(
        re.fullmatch(r"counting: 100%\|█+\| 20.0k/20.0k numbers \[00:\d\d, .*/s\]", frame)
        for frame in frames
    )
    assert not any("\x1b" in frame for frame in frames)


def test_in_a_notebook(tmp_path: Path) -> None:
    import jupytext
    import nbclient

    path = f"import sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\n"
    notebook = jupytext.reads(path + PROGRAM.strip(), fmt="py:percent")
    client = nbclient.NotebookClient(
        notebook, timeout=60, resources={"metadata": {"path": tmp_path}}
    )
    client.execute()
    outputs = [output for cell in notebook.cells for output in cell["outputs"]]
    shown = [output for output in outputs if output["output_type"] == "display_data"]
    (output,) = shown  # one, replaced again and again
    assert re.fullmatch(
        r"counting: 20,000 numbers in \d+ s, .* numbers/s", output["data"]["text/plain"]
    )
    assert output["data"]["text/html"] == output["data"]["text/plain"]
    written = [output for output in outputs if output["output_type"] == "stream"]
    assert [(output["name"], output["text"]) for output in written] == [("stdout", "10000\n")]


def test_what_is_loaded() -> None:
    code = (
        "from ghostsim.progress import ProgressDisplay\n"
        "display = ProgressDisplay()\n"
        "display.begin('dealing', 'deals', 100, 0, None)\n"
        "display.end()\n"
        "import sys\nprint(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"tqdm", "IPython", "numpy", "joblib"}


# The command line's.


def test_a_bar_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    glass = Glass()
    monkeypatch.setattr(sys, "stderr", glass)
    assert list(Messages(quiet=False).bar("counting")(iter("abc"), 3)) == ["a", "b", "c"]
    assert "| 3/3 blocks [" in glass.frames()[-1]
    assert glass.getvalue().endswith("\n")


def test_a_bar_of_blocks_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    glass = Glass()
    monkeypatch.setattr(sys, "stderr", glass)
    blocks = Messages(quiet=False).bar("counting")(iter("abc"), 3)
    assert next(blocks) == "a"
    del blocks
    assert "| 1/3 blocks [" in glass.frames()[-1]
    assert glass.getvalue().endswith("\n")


def test_quiet_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    glass = Glass()
    monkeypatch.setattr(sys, "stderr", glass)
    messages = Messages(quiet=True)
    assert list(messages.bar("counting")(iter("abc"), 3)) == ["a", "b", "c"]
    Runner(watcher=messages.watcher()).run(ODD, 2_000, seed=1)
    assert glass.getvalue() == ""
