"""Options that several commands of the command line share, and what they print on the side."""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ghostsim.errors import GhostsimError
from ghostsim.progress import ProgressDisplay
from ghostsim.rules import VARIANTS, Rules

MAX_DEALS = 10**12
MAX_JOBS = 256


class Messages:
    """What goes to standard error: messages, and how far long runs are."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet

    def say(self, message: str) -> None:
        if not self.quiet:
            with contextlib.suppress(OSError):  # results matter more than messages
                print(message, file=sys.stderr, flush=True)

    def watcher(self) -> ProgressDisplay:
        """What shows the progress of a ``Runner``."""
        return ProgressDisplay(quiet=self.quiet)

    def bar(self, title: str) -> Callable[[Iterable[Any], int], Iterator[Any]]:
        """What shows the progress of an iterator over blocks, given their number."""

        def progress(blocks: Iterable[Any], total: int) -> Iterator[Any]:
            display = self.watcher()
            display.begin(title, "blocks", total, kept=0, precision=None)
            try:
                for done, block in enumerate(blocks, 1):
                    display.advance(done, None)
                    yield block
            finally:
                display.end()

        return progress


def add_command(
    commands: Any, name: str, summary: str, details: str = "", *, mark: str = ""
) -> Any:
    """A parser for a command; ``mark`` stands before its summary in the list of commands."""
    parser = commands.add_parser(
        name,
        help=mark + summary,
        description=f"{summary[0].upper()}{summary[1:]}\n\n{details}".strip(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(parser=parser)  # who can tell its options
    return parser


def add_rules(parser: Any) -> None:
    parser.add_argument(
        "--rules",
        choices=sorted(VARIANTS),
        default="standard",
        metavar="VARIANT",
        help=f"a named variant of the rules: {', '.join(sorted(VARIANTS))} (default: standard)",
    )
    parser.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="change one rule, like moon_points=12; may be given again for another "
        f"({', '.join(Rules().to_dict())})",
    )


def add_jobs(parser: Any) -> None:
    parser.add_argument(
        "--jobs",
        type=jobs_value,
        default=-1,
        metavar="N",
        help="cores to use; -1 for all, the default. No result depends on it",
    )


def whole_or_none(text: str) -> int | None:
    """A whole number, also as 200_000 or 2e5; None if the text is anything else."""
    match = re.fullmatch(r"([+-]?\d+(?:_\d+)*)(?:[eE](\d{1,2}))?", text.strip(), re.ASCII)
    return None if match is None else int(match[1]) * 10 ** int(match[2] or 0)


def amount_value(unit: str, *, none_allowed: bool) -> Callable[[str], int]:
    """What reads a number of deals or games; 0 means no check where that is allowed."""

    def read(text: str) -> int:
        number = whole_or_none(text)
        if number is None:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not a number of {unit}: write it like 200000, 200_000 or 2e5"
            )
        if not 2 <= number <= MAX_DEALS and not (none_allowed and number == 0):
            none = ", or 0 for no check" if none_allowed else ""
            raise argparse.ArgumentTypeError(
                f"{text!r} {unit} cannot be simulated: write 2 to 1e12{none}"
            )
        return number

    return read


def positive_value(text: str) -> int:
    number = whole_or_none(text)
    if number is None or number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return number


def seed_value(text: str) -> int:
    number = whole_or_none(text)
    if number is None or not 0 <= number < 1 << 64:
        raise argparse.ArgumentTypeError(f"{text!r} is not a seed: a whole number below 2**64")
    return number


def jobs_value(text: str) -> int:
    number = whole_or_none(text)
    if number != -1 and (number is None or not 1 <= number <= MAX_JOBS):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of jobs: write 1 to {MAX_JOBS}, or -1 for all cores"
        )
    return number


def level_value(text: str) -> float:
    try:
        level = float(text)
    except ValueError:
        level = 0.0
    # The bound of ghostsim.stats, whose import would slow --help down.
    if not 0 < level <= 0.999999999:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a level: write it like 0.95, at most 0.999999999"
        )
    return level


def rules_from(variant: str, changes: Sequence[str]) -> Rules:
    """A variant with single fields changed, written FIELD=VALUE."""
    values: dict[str, object] = {}
    for change in changes:
        name, equals, text = change.partition("=")
        if name in values:
            raise GhostsimError(f"--rule {change}: {name} is given twice")
        if not equals:
            raise GhostsimError(f"--rule {change!r}: write it FIELD=VALUE, like moon_points=12")
        word = {"true": True, "false": False}.get(text.lower())
        number = whole_or_none(text)
        values[name] = word if word is not None else text if number is None else number
    return VARIANTS[variant].replace(**values)


def three_seats(names: Sequence[str]) -> tuple[str, str, str]:
    """Strategies by seat from one name for all, or three."""
    if len(names) == 1:
        return names[0], names[0], names[0]
    if len(names) != 3:
        raise GhostsimError(
            f"--strategies takes one name for all seats, or three by seat, not {len(names)}"
        )
    return names[0], names[1], names[2]
