"""Lines of positions, as commands read them: from arguments, a file, or standard input."""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ghostsim.errors import GhostsimError
from ghostsim.study.options import positive_value

if TYPE_CHECKING:
    import argparse

#: Lines read before they are answered together.
LINES_AT_ONCE = 5_000
#: Bad lines that are named before the others are only counted.
NAMED_PROBLEMS = 10

TEXT_HELP = """\
A position is a line of text: the cards held by seats 0, 1, 2, then settings, all with / between:
trump, declarer, leader (who leads, or led, this trick), trick (cards on the table), tricks (taken
so far by seat), bid, plays (cards to play first). Or it is a JSON object with the same names and
"hands". Empty lines and lines that begin with # are skipped."""

_SETTINGS = ("trump", "declarer", "leader", "bid", "plays")

Item = TypeVar("Item")


class LineError(GhostsimError):
    """Lines that are no positions, or options that do not go together."""


@dataclass(frozen=True)
class Lines(Generic[Item]):
    """What some lines told.

    Attributes
    ----------
    items : list of (int, Item)
        With the number of each line.
    is_alone : bool
        Whether there is one, and none before or after it, as far as can be told without waiting.
    """

    items: list[tuple[int, Item]]
    is_alone: bool


def add_input(parser: Any) -> None:
    """The options that say which positions."""
    parser.add_argument(
        "position",
        nargs="*",
        metavar="POSITION",
        help="one position; quotation marks are not needed. Without one, and without --file, lines "
        "are read from standard input",
    )
    parser.add_argument("--file", metavar="FILE", help="read positions from a file; - for stdin")
    parser.add_argument(
        "--lines-at-once",
        type=positive_value,
        default=LINES_AT_ONCE,
        metavar="N",
        help="answer after every N lines; 1 for a program that waits for each answer (default: "
        "%(default)s)",
    )
    what = parser.add_argument_group("settings for lines that do not have their own")
    what.add_argument("--trump", metavar="SUIT", help="S C H D")
    what.add_argument("--declarer", metavar="SEAT", help="0, 1 or 2 (default: 0)")
    what.add_argument("--leader", metavar="SEAT", help="who leads, or led, the current trick")
    what.add_argument("--bid", metavar="BID", help="3 4 5 moon: values are shown in points too")
    what.add_argument("--plays", metavar="CARDS", help="cards to play first, in quotation marks")


def read_positions(options: argparse.Namespace, read: Callable[..., Item]) -> Iterator[Lines[Item]]:
    """What ``read`` makes of each line, with its number, some thousand at a time.

    Parameters
    ----------
    options : Namespace
        Those of ``add_input``.
    read : callable
        Takes a line, and the settings it need not say by keyword.

    Raises
    ------
    LineError
        If lines are wrong: all of those read together are named, and none of them is answered.
    """
    from ghostsim.notation import read_defaults

    settings = {name: getattr(options, name) for name in _SETTINGS}
    settings = {name: text for name, text in settings.items() if text is not None}
    read_defaults(settings)  # once, for a wrong one not to be every line's mistake
    with contextlib.ExitStack() as stack:
        name, lines = _source(options, stack)
        numbered = enumerate(lines, start=1)
        found = False
        at_once = min(options.lines_at_once, sys.maxsize)
        while some := list(itertools.islice(numbered, at_once)):
            items: list[tuple[int, Item]] = []
            problems = []
            for number, line in some:
                where = f"{name}, line {number}: " if name else ""
                try:
                    text = _text(line)
                    if text and not text.startswith("#"):
                        items.append((number, read(text, **settings)))
                except UnicodeDecodeError as error:
                    problems.append(f"{where}it is not text in UTF-8: {error.reason}")
                except GhostsimError as error:
                    problems.append(f"{where}{_shortened(str(error))}")
            if problems:
                raise LineError(_named(problems))
            if items:
                ended = not name or len(some) < at_once
                yield Lines(items, is_alone=len(items) == 1 and ended and not found)
                found = True
        if not found:
            raise LineError(f"no position in {name}" if options.file else _NO_POSITION)


_NO_POSITION = "no position: give one as an argument, with --file, or on standard input"


def _source(
    options: argparse.Namespace, stack: contextlib.ExitStack
) -> tuple[str, Iterable[str | bytes]]:
    """What the lines come from, for messages (empty for arguments), and the lines."""
    words: list[str] = options.position
    if words and options.file is not None:
        raise LineError("a position and --file: give one of them")
    if len(words) == 1 and Path(words[0]).is_file():
        raise LineError(f"{words[0]} is a file: say --file {words[0]}")
    if words and words != ["-"]:
        return "", [" ".join(words)]
    if options.file not in (None, "-"):
        return options.file, stack.enter_context(Path(options.file).open("rb"))
    if sys.stdin is None or sys.stdin.isatty():
        raise LineError(_NO_POSITION)
    # The bytes, because standard input may be taken for text in another code than UTF-8.
    return "standard input", getattr(sys.stdin, "buffer", sys.stdin)


def _text(line: str | bytes) -> str:
    text = line if isinstance(line, str) else line.decode("utf-8")
    return text.strip().removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}").strip()


def _shortened(message: str) -> str:
    return message if len(message) <= 1_000 else f"{message[:1_000]} ..."


def _named(problems: list[str]) -> str:
    if len(problems) == 1:
        return problems[0]
    shown = [f"{len(problems)} lines are wrong", *problems[:NAMED_PROBLEMS]]
    more = len(problems) - NAMED_PROBLEMS
    return "\n  ".join(shown + ([f"and {more} more"] if more > 0 else []))
