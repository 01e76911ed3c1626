"""The command ``play``: a person at the card table, against two strategies."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostsim.errors import GhostsimError
from ghostsim.study.options import (
    add_command,
    add_rules,
    positive_value,
    rules_from,
    seed_value,
    whole_or_none,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ghostsim.strategies import Strategy
    from ghostsim.study.table_words import Words
    from ghostsim.table.record import GameRecord

DETAILS = """\
You sit at one seat of the table, two strategies at the others. You see what your seat may know. At
each question the answers are said; ? lists what else can be asked: a hint, the table, the scores, a
review. Without a terminal answers are read from standard input, one a line. Examples:
  play                                        seat 0, a game to 32 against odds and odds
  play --seat 1 --against odds steady         seat 1; odds is at seat 0, steady at seat 2
  play --seed 7 --hints                       these cards again, with a hint at every decision
  play --save evening.txt                     the record is written after every deal
  play --resume evening.txt                   go on where it ended

Hints: swaps, bids and trumps by exact odds of your hand, as if nobody else bid (P_coalition);
cards by means over layouts that fit what you know (P_pimc). docs/play.md tells more."""

#: Chance that a revoke is found out, if revokes are allowed and nothing else is said.
DETECTION = 0.5


class PlayCommandError(GhostsimError):
    """Options of ``play`` that do not go together, or a record that cannot be gone on with."""


def add(commands: Any, name: str) -> None:
    parser = add_command(
        commands, name, "play a game in the terminal, against strategies, with hints", DETAILS
    )
    table = parser.add_argument_group("the table")
    table.add_argument(
        "--seat", type=_seat_value, metavar="N", help="where you sit: 0, 1 or 2 (default: 0)"
    )
    table.add_argument(
        "--against",
        nargs="+",
        metavar="NAME",
        help="the strategies at the other seats, in the order of seats; one name for both "
        "(default: odds)",
    )
    table.add_argument(
        "--seed",
        type=seed_value,
        metavar="N",
        help="which cards (default: drawn, and told)",
    )
    table.add_argument(
        "--game", type=_game_value, metavar="N", help="which game of the seed (default: 0)"
    )
    table.add_argument(
        "--deals", type=positive_value, metavar="N", help="stop after so many deals in all"
    )
    add_rules(table)
    table.add_argument(
        "--revokes",
        choices=("refused", "allowed"),
        help="whether a card that breaks the rules is refused, or stands and may be found out "
        "(default: refused)",
    )
    table.add_argument(
        "--detection",
        type=_chance_value,
        metavar="P",
        help="the chance that a revoke is found out, with --revokes allowed (default: "
        f"{DETECTION})",
    )
    record = parser.add_argument_group("the record")
    record.add_argument(
        "--save", type=Path, metavar="FILE", help="write the record here, after every deal"
    )
    record.add_argument("--overwrite", action="store_true", help="let --save replace a file")
    record.add_argument(
        "--resume",
        type=Path,
        metavar="FILE",
        help="go on with a saved record, and keep it up to date (unless --save names another file)",
    )
    output = parser.add_argument_group("what is shown")
    output.add_argument("--hints", action="store_true", help="a hint at every decision, unasked")
    output.add_argument(
        "--no-review", action="store_true", help="do not say at the end what cost you most"
    )
    output.add_argument(
        "--ascii", action="store_true", help="letters for suits, also where symbols can be printed"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Sit down and play."""
    from ghostsim.study.table_session import Manners, Session

    record = _new_record(options) if options.resume is None else _old_record(options)
    seat, strategies = _strategies(record, options.against)
    if record.is_over:
        raise PlayCommandError(f"--resume {options.resume}: this game is over")
    save, is_saved = _record_file(options)
    manners = Manners(
        max_deals=options.deals,
        hints=options.hints,
        review=not options.no_review,
        save=save,
        is_saved=is_saved,
        against=tuple(options.against or ()) if _needs_against(strategies) else (),
    )
    _prepare_input()
    assert record.strategies is not None  # both ways to a record name them
    return Session(record, strategies, _words(seat, record, options.ascii), manners).run()


def _prepare_input() -> None:
    """Lines that can be edited on a terminal; and what is no text is no answer, and no failure."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    if sys.stdin is not None and sys.stdin.isatty():
        with contextlib.suppress(ImportError):
            import readline

            # The terminal is sent nothing but text.
            readline.parse_and_bind("set enable-bracketed-paste off")


def _record_file(options: argparse.Namespace) -> tuple[Path | None, bool]:
    """Where the record goes, if it can go there; and whether it is there already."""
    from ghostsim.study.record_files import check_writable, target_of

    path: Path | None = options.resume if options.save is None else options.save
    if path is None:
        if options.overwrite:
            raise PlayCommandError("--overwrite is for --save FILE")
        return None, False
    target = target_of(path)
    is_resumed = options.resume is not None and os.path.realpath(options.resume) == str(target)
    if target.exists() and not is_resumed and not options.overwrite:
        raise PlayCommandError(
            f"{path} exists: say --resume {shlex.quote(str(path))} to go on with that game, "
            "--overwrite to replace it, or name another file"
        )
    check_writable(path)
    return path, is_resumed


def _new_record(options: argparse.Namespace) -> GameRecord:
    import secrets

    from ghostsim.strategies import find_strategy
    from ghostsim.study.table_session import PERSON
    from ghostsim.table.record import GameRecord

    if options.detection is not None and options.revokes != "allowed":
        raise PlayCommandError("--detection is for --revokes allowed")
    seat = options.seat or 0
    names = [find_strategy(text).name for text in _two(options.against or ["odds"])]
    for name in names:
        if name.partition(":")[0] == PERSON:
            raise PlayCommandError(
                f"--against: a strategy may not have the name {name!r}, by which the record knows "
                "you: name its class otherwise"
            )
    names.insert(seat, PERSON)
    detection = None
    if options.revokes == "allowed":
        detection = DETECTION if options.detection is None else options.detection
    return GameRecord(
        rules=rules_from(options.rules, options.rule),
        seed=secrets.randbelow(10**9) if options.seed is None else options.seed,
        game=options.game or 0,
        strategies=(names[0], names[1], names[2]),
        revoke_detection=detection,
    )


def _old_record(options: argparse.Namespace) -> GameRecord:
    """The record to go on with; it tells all that belongs to the game."""
    from ghostsim.study.record_files import read_record
    from ghostsim.study.table_session import PERSON
    from ghostsim.table.deal import TableError
    from ghostsim.table.game import check_seed_deals

    told = {
        "--seat": options.seat,
        "--seed": options.seed,
        "--game": options.game,
        "--revokes": options.revokes,
        "--detection": options.detection,
        "--rules": options.rules if options.rules != "standard" else None,
        "--rule": options.rule or None,
    }
    given = [name for name, value in told.items() if value is not None]
    if given:
        raise PlayCommandError(
            f"{given[0]} does not go with --resume: the record {options.resume} tells it"
        )
    record = read_record(options.resume)
    names = record.strategies
    if names is None:
        raise PlayCommandError(
            f"--resume {options.resume}: the record does not say who plays: it needs a line for "
            f"each seat, like 'seat 0 is {PERSON}' and 'seat 1 is odds'"
        )
    if names.count(PERSON) != 1:
        raise PlayCommandError(
            f"--resume {options.resume}: one seat must be played by {PERSON!r}, "
            f"not {', '.join(names)}"
        )
    try:
        check_seed_deals(record)
    except TableError as error:
        raise PlayCommandError(f"--resume {options.resume}: {error}") from None
    return record


def _strategies(
    record: GameRecord, against: list[str] | None
) -> tuple[int, tuple[Strategy | None, Strategy | None, Strategy | None]]:
    """The person's seat, and the strategies by seat, as the record names them."""
    from ghostsim.strategies import StrategyError, find_strategy
    from ghostsim.study.table_session import PERSON

    names = list(record.strategies or ())
    seat = names.index(PERSON)
    others = [name for name in names if name != PERSON]
    try:
        found: list[Strategy | None] = [
            find_strategy(text) for text in (others if against is None else _two(against))
        ]
    except StrategyError as error:
        if against is not None:
            raise
        raise PlayCommandError(f"{error}; say --against with the strategies of this game") from None
    for name, strategy in zip(others, found, strict=True):
        if strategy is not None and strategy.name != name:
            raise PlayCommandError(
                f"--against {strategy.name}: in this game {name} sits there; leave --against out"
            )
    found.insert(seat, None)
    return seat, (found[0], found[1], found[2])


def _needs_against(strategies: Iterable[Strategy | None]) -> bool:
    """Whether the names in the record do not lead to these strategies."""
    from ghostsim.strategies import StrategyError, find_strategy

    for strategy in strategies:
        if strategy is None:
            continue
        try:
            found = find_strategy(strategy.name)
        except StrategyError:
            return True
        # One in a file may have the name of an installed one.
        if type(found) is not type(strategy) or found.name != strategy.name:
            return True
    return False


def _two(names: list[str]) -> list[str]:
    if len(names) > 2:
        raise PlayCommandError(f"--against takes one or two strategies, not {len(names)}")
    return [names[0], names[-1]]


def _words(seat: int, record: GameRecord, ascii_only: bool) -> Words:
    from ghostsim.study.table_words import Words

    assert record.strategies is not None
    colour = (
        not ascii_only
        and sys.stdout.isatty()
        and "NO_COLOR" not in os.environ
        and os.environ.get("TERM") != "dumb"
    )
    symbols = not ascii_only and _prints("♠♣♥♦±")
    return Words(seat, record.strategies, symbols, colour)


def _prints(text: str) -> bool:
    """Whether standard output can print a text."""
    try:
        text.encode(sys.stdout.encoding)
    except (AttributeError, LookupError, TypeError, UnicodeEncodeError):
        return False
    return True


def _seat_value(text: str) -> int:
    number = whole_or_none(text)
    if number not in (0, 1, 2):
        raise argparse.ArgumentTypeError(f"{text!r} is not a seat: write 0, 1 or 2")
    return number


def _game_value(text: str) -> int:
    number = whole_or_none(text)
    if number is None or not 0 <= number < 1 << 32:
        raise argparse.ArgumentTypeError(f"{text!r} is not a game: a whole number below 2**32")
    return number


def _chance_value(text: str) -> float:
    try:
        chance = float(text)
    except ValueError:
        chance = -1.0
    if not 0 <= chance <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a chance: write it like 0.5, 0 to 1")
    return chance
