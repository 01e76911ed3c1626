"""How far a long run is, on standard error: a bar in a terminal or a notebook, else a few lines.

It only shows: whatever goes wrong with the showing, the run goes on.
"""

from __future__ import annotations

import contextlib
import html
import math
import os
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

#: Seconds between two looks of a bar, and of a notebook's, which travel further.
_BAR_WAIT, _NOTEBOOK_WAIT = 0.1, 0.25
#: Columns of the bar itself for which a title is shortened.
_LEAST_BAR = 4
#: Letters below which a title is left out.
_LEAST_TITLE = 4
#: Seconds before the first plain line; then twice as many each time, up to the most.
_FIRST_LINE, _MOST_WAIT = 10.0, 300.0
#: The rate is that of the last so many samples, taken a second apart or more.
_SAMPLES = 30
_SAMPLE_WAIT = 1.0
#: In less time there is no rate.
_LEAST_TIME = 1e-6
#: More than so many days are not told.
_MOST_DAYS = 999


class ProgressDisplay:
    """Shows how a run goes: the ``watcher`` of a ``Runner``.

    In a terminal and in a notebook there is a bar at once. Anywhere else (a log file, a job of a
    cluster) there are lines, the first after ten seconds and then ever fewer, so a short run prints
    none. Speed and time left count only what is computed now, not what a run folder had. With a
    precision, how much is left is an estimate from how narrow the interval is by now.

    Parameters
    ----------
    stream : text file, optional
        Where to; left out, the notebook if there is one, else ``sys.stderr`` of the moment.
    quiet : bool
        Show nothing at all.
    clock : callable
        Seconds since some moment, as a float.

    Examples
    --------
    >>> import sys
    >>> every_12_seconds = iter(range(0, 100, 12)).__next__
    >>> display = ProgressDisplay(stream=sys.stdout, clock=every_12_seconds)
    >>> display.begin("dealing", "deals", total=5_000_000, kept=0, precision=None)
    >>> display.advance(1_200_000, None)
    dealing: 1,200,000 of 5,000,000 deals (24%), 100,000 deals/s, 38 s left
    >>> display.advance(5_000_000, None)
    >>> display.end()
    dealing: 5,000,000 deals in 36 s, 139,000 deals/s
    """

    def __init__(
        self,
        *,
        stream: Any = None,
        quiet: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stream, self._quiet, self._clock = stream, quiet, clock
        self._surface: _Surface | None = None

    def begin(self, title: str, unit: str, total: int, kept: int, precision: float | None) -> None:
        """A run begins.

        Parameters
        ----------
        title : str
            What is being done.
        unit : str
            What is counted, like ``"deals"``.
        total : int
            How many there will be; with a precision, at most.
        kept : int
            How many of them are there already.
        precision : float or None
            The half-width at which the run stops.
        """
        self.end()
        if self._quiet:
            return
        self._surface = _surface(self._stream)
        self._title, self._unit, self._total, self._kept = title, unit, total, kept
        self._precision, self._half_width, self._fresh = precision, math.inf, 0
        self._time, self._ticked = 0.0, self._clock()
        self._samples = deque([(0.0, 0)], maxlen=_SAMPLES)
        self._due = self._surface.wait
        if self._surface.at_once:
            self._surface.show(self._moment())

    def advance(self, fresh: int, half_width: float | None) -> None:
        """So many units are computed by now, beside those kept.

        Parameters
        ----------
        fresh : int
        half_width : float or None
            Half the interval's width by now; None if the run does not look at one.
        """
        if self._surface is None:
            return
        if half_width is None:
            self._precision = None
        else:
            self._half_width = half_width
        self._fresh = fresh
        self._tick()
        if self._time >= self._due:
            self._surface.show(self._moment())
            self._due = self._time + self._surface.wait
        # After it is shown: a rate needs a sample from before.
        if self._time - self._samples[-1][0] >= _SAMPLE_WAIT:
            self._samples.append((self._time, fresh))

    def end(self) -> None:
        """The run is over, or interrupted."""
        if self._surface is None:
            return
        surface, self._surface = self._surface, None
        self._tick()
        self._samples = deque([(0.0, 0)])
        surface.end(self._moment())

    def _tick(self) -> None:
        """Add the time since the last call. A clock that went back adds none."""
        now = self._clock()
        self._time += max(0.0, now - self._ticked)
        self._ticked = now

    def _moment(self) -> _Moment:
        done = self._kept + self._fresh
        goal, mark = max(self._total, done), ""
        if self._precision is not None:
            # Widths shrink with the root of the number, or a little faster.
            ratio = self._half_width / self._precision
            expected = done * ratio * ratio
            if not math.isfinite(self._half_width):
                mark = "at most "
            elif expected <= done:
                goal = done
            elif expected < goal:
                goal, mark = min(goal, _rounded_up(math.ceil(expected))), "about "
        time_before, fresh_before = self._samples[0]
        seconds, units = self._time - time_before, self._fresh - fresh_before
        rate = left = None
        if seconds >= _LEAST_TIME and units > 0:
            rate = units / seconds
            left = (goal - done) / rate if mark != "at most " else None
        width = self._half_width if math.isfinite(self._half_width) else None
        return _Moment(
            self._title,
            self._unit,
            done,
            goal,
            mark,
            self._time,
            rate,
            left,
            width if self._precision is not None else None,
            self._precision,
        )


@dataclass(frozen=True)
class _Moment:
    """What there is to show: ``done`` of ``goal``, which may be "about" or "at most" so many."""

    title: str
    unit: str
    done: int
    goal: int
    mark: str
    seconds: float
    rate: float | None
    left: float | None
    half_width: float | None
    precision: float | None

    @property
    def percent(self) -> int:
        """Rounded down: 100 is for all."""
        return 100 * self.done // self.goal if self.goal else 100

    def line(self) -> str:
        goal = f"{self.mark}{self.goal:,}"
        parts = [f"{self.title}: {self.done:,} of {goal} {self.unit} ({self.percent}%)"]
        if self.rate is not None:
            parts.append(f"{_comma(self.rate)} {self.unit}/s")
        if self.left is not None:
            parts.append(f"{_words(self.left)} left")
        return ", ".join(parts + self._width("half-width", 3))

    def last_line(self) -> str:
        goal = f" of {self.goal:,}" if not self.mark and self.done < self.goal else ""
        parts = [f"{self.title}: {self.done:,}{goal} {self.unit} in {_words(self.seconds)}"]
        if self.rate is not None:
            parts.append(f"{_comma(self.rate)} {self.unit}/s")
        return ", ".join(parts + self._width("half-width", 3))

    def around_bar(self, columns: int, plus_minus: str, *, over: bool) -> tuple[str, str]:
        """What stands to the left and right of a bar; what does not fit is shortened: first what
        is right of it, then the title.
        """
        left = "" if over else f"<{'?' if self.left is None else _clock(self.left)}"
        parts = [f"{_clock(self.seconds)}{left}"]
        if self.rate is not None:
            parts.append(f"{_short(self.rate)}/s")
        inside = ", ".join(parts + self._width(plus_minus, 2))
        of = {"about ": "/~", "at most ": " of at most "}.get(self.mark, "/")
        amount = f"{_short(self.done)}{of}{_short(self.goal)}"
        afters = [f"| {amount} {self.unit} [{inside}]", f"| {amount} [{inside}]"]
        percent = f"{self.percent:3d}%|"
        words = self.title.split(", ")
        while words:
            before = f"{', '.join(words)}: {percent}"
            for after in afters:
                if len(before) + _LEAST_BAR + len(after) <= columns:
                    return before, after
            words.pop()
        room = columns - _LEAST_BAR - len(f"..: {percent}{afters[-1]}")
        if room < _LEAST_TITLE:
            return percent, afters[-1]
        return f"{self.title[:room].rstrip(' ,')}..: {percent}", afters[-1]

    def _width(self, name: str, digits: int) -> list[str]:
        if self.half_width is None:
            return []
        return [f"{name} {self.half_width:.{digits}g} of {self.precision:g}"]


class _Surface(Protocol):
    """What moments are shown on."""

    #: Whether there is something to see from the beginning.
    at_once: bool
    #: Seconds until it may be called again.
    wait: float

    def show(self, moment: _Moment) -> None: ...

    def end(self, moment: _Moment) -> None: ...


def _surface(stream: Any) -> _Surface:
    if stream is None and _in_notebook():
        return _Notebook()
    text = _Text(sys.stderr if stream is None else stream)
    return _Terminal(text) if text.isatty() and os.environ.get("TERM") != "dumb" else _Lines(text)


class _Text:
    """A text file whose errors do not matter: closed, full, gone, or of few letters."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.encoding = getattr(stream, "encoding", None) or "utf-8"
        self._failed = False

    def write(self, text: str) -> None:
        known = text.encode(self.encoding, "replace").decode(self.encoding)
        self._try(lambda: self._stream.write(known))

    def flush(self) -> None:
        self._try(lambda: self._stream.flush())

    def _try(self, action: Callable[[], object]) -> None:
        # Once it has failed no more is sent: the file would keep it all for a later attempt.
        if not self._failed:
            try:
                action()
            except (OSError, ValueError, AttributeError):
                self._failed = True

    def isatty(self) -> bool:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            return bool(self._stream.isatty())
        return False

    def columns(self) -> int:
        """Of the terminal; 80 if it does not say."""
        with contextlib.suppress(OSError, ValueError, AttributeError):
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        return 80

    def can(self, letter: str) -> bool:
        return letter.encode(self.encoding, "replace") != b"?"


class _Lines:
    at_once = False

    def __init__(self, text: _Text) -> None:
        self.wait = _FIRST_LINE
        self._text = text
        self._any = False

    def show(self, moment: _Moment) -> None:
        self._say(moment.line())
        self.wait = min(2 * self.wait, _MOST_WAIT)
        self._any = True

    def end(self, moment: _Moment) -> None:
        if self._any:
            self._say(moment.last_line())

    def _say(self, line: str) -> None:
        self._text.write(f"{line}\n")
        self._text.flush()


class _Terminal:
    """The numbers are ours, tqdm draws: it knows widths, letters, and other bars."""

    at_once = True
    wait = _BAR_WAIT

    def __init__(self, text: _Text) -> None:
        self._text = text
        self._plus_minus = "±" if text.can("±") else "+-"
        self._bar: Any = None

    def show(self, moment: _Moment) -> None:
        is_new = self._bar is None
        self._set(moment, over=False)
        if not is_new:  # which has drawn itself
            self._bar.refresh()

    def _set(self, moment: _Moment, *, over: bool) -> None:
        # Some terminals begin a new line as soon as the last column is written.
        columns = max(1, self._text.columns() - 1)
        before, after = moment.around_bar(columns, self._plus_minus, over=over)
        layout = f"{_literal(before)}{{bar}}{_literal(after)}"
        if self._bar is None:
            from tqdm import tqdm

            self._bar = tqdm(
                initial=moment.done,
                total=moment.goal,
                bar_format=layout,
                file=self._text,
                ncols=columns,
                miniters=1,
            )
        else:
            self._bar.n, self._bar.total = moment.done, moment.goal
            self._bar.ncols, self._bar.bar_format = columns, layout

    def end(self, moment: _Moment) -> None:
        self._set(moment, over=True)
        self._bar.close()  # which draws it


class _Notebook:
    """One output of the cell, replaced again and again. Needs no widgets, and can be saved."""

    at_once = True
    wait = _NOTEBOOK_WAIT

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, moment: _Moment) -> None:
        bar = f'<progress value="{moment.done}" max="{max(moment.goal, 1)}"></progress> '
        self._put(bar, moment.line())

    def end(self, moment: _Moment) -> None:
        self._put("", moment.last_line())

    def _put(self, bar: str, line: str) -> None:
        from IPython.display import display

        output = {"text/plain": line, "text/html": bar + html.escape(line)}
        # A notebook that was closed meanwhile, in whatever way its kernel says so.
        with contextlib.suppress(Exception):
            if self._handle is None:
                self._handle = display(  # type: ignore[no-untyped-call]
                    output, raw=True, display_id=True
                )
            else:
                self._handle.update(output, raw=True)


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return any(kind.__name__ == "ZMQInteractiveShell" for kind in type(shell).__mro__)


def _rounded_up(number: int) -> int:
    """To three digits."""
    step: int = 10 ** max(0, len(str(number)) - 3)
    return -(-number // step) * step


def _comma(rate: float) -> str:
    """Three digits or so: ``310,000``, ``4.2``."""
    if rate < 0.001:
        return "under 0.001"
    return f"{float(f'{rate:.3g}'):,.0f}" if rate >= 10 else f"{rate:.2g}"


def _short(number: float) -> str:
    """Three digits or so, and a letter: ``68.0M``."""
    if 0 < number < 0.001:
        return "<0.001"
    if number < 10 and number != int(number):
        return f"{number:.2g}"
    if number < 1_000:
        return f"{number:.0f}"
    exponent = min(int(math.log10(float(f"{number:.3g}"))) // 3, 4)
    value = number / 1_000**exponent
    return f"{value:.{max(0, 2 - int(math.log10(value)))}f}{'kMGT'[exponent - 1]}"


def _clock(seconds: float) -> str:
    """Like ``01:05``, ``2:00:00``, ``3d 04:00:00``."""
    days, rest = divmod(int(seconds), 86_400)
    hours, minutes = rest // 3_600, rest % 3_600 // 60
    if days > _MOST_DAYS:
        return f">{_MOST_DAYS}d"
    if days:
        return f"{days}d {hours:02d}:{minutes:02d}:{rest % 60:02d}"
    return f"{hours}:{minutes:02d}:{rest % 60:02d}" if hours else f"{minutes:02d}:{rest % 60:02d}"


def _words(seconds: float) -> str:
    """Like ``12 s``, ``5 min``, ``2 h 5 min``, ``3 d 4 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    if minutes < 2_880:
        return f"{minutes // 60} h {minutes % 60} min"
    if minutes // 1_440 > _MOST_DAYS:
        return f"over {_MOST_DAYS} d"
    return f"{minutes // 1_440} d {minutes % 1_440 // 60} h"


def _literal(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
