"""The command ``tournament``: strategies play each other at tables of three."""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import TYPE_CHECKING, Any

from ghostsim.study.options import (
    Messages,
    add_command,
    add_rules,
    level_value,
    positive_value,
    rules_from,
    seed_value,
    whole_or_none,
)
from ghostsim.study.running import add_output, add_running, run_and_print

if TYPE_CHECKING:
    from ghostsim.simulate.runner import Runner
    from ghostsim.study.result import StudyResult
    from ghostsim.study.tournament_report import TournamentParameters

DETAILS = """\
Game after game to the target, at tables of three. Every set of cards is played in every order of
seats and at every table, so that luck with the cards falls on all alike. Examples:
  tournament odds steady random            who wins, by how much, with intervals
  tournament steady steady:four=7 --games 1e5
  tournament odds steady my_file.py:Mine   a strategy of your own
  tournament --list                        the strategies there are, and their parameters

tables:
  ranking   win rate, points a deal and a game, rating (as in chess; three at a table)
  cross     who gets how many points a deal more than whom, where both are at the table
  seats     what a seat is worth; seat 0 deals first
  games     how long games are, how they end
  by_table, by_seat, by_order   the same for each table, strategy and seat, order of seats

docs/tournament.md says how it is counted."""

TABLES = ("ranking", "cross", "seats", "games", "by_table", "by_seat", "by_order")
DEFAULT_GAMES = 5_000


def add(commands: Any, name: str) -> None:
    parser = add_command(
        commands, name, "let strategies play each other: who wins, and by how much", DETAILS
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="STRATEGY",
        help="two or more; a name, with parameters like steady:four=7,moon=9 if need be, or "
        "FILE.py:CLASS. Without any, as with --list, the strategies are listed",
    )
    parser.add_argument("--list", action="store_true", help="list the strategies there are")
    played = parser.add_argument_group("what is played")
    played.add_argument(
        "--games",
        type=games_value,
        default=DEFAULT_GAMES,
        metavar="N",
        help="sets of cards, each one game in every order of seats; like 5000, 5_000 or 5e3 "
        "(default: %(default)s)",
    )
    played.add_argument(
        "--tables",
        choices=("distinct", "all"),
        help="tables of three different strategies, or also those that hold one of them twice "
        "(default: distinct; all for two strategies)",
    )
    played.add_argument(
        "--seed",
        type=seed_value,
        default=0,
        metavar="N",
        help="which cards: the same seed gives the same numbers everywhere (default: 0)",
    )
    played.add_argument(
        "--level",
        type=level_value,
        default=0.95,
        metavar="P",
        help="confidence level of the intervals (default: 0.95)",
    )
    add_rules(played)
    played.add_argument(
        "--revoke-detection",
        type=chance_value,
        metavar="P",
        help="let players revoke; P is the chance of being found out (default: nobody may)",
    )
    played.add_argument(
        "--max-deals",
        type=positive_value,
        default=1000,
        metavar="N",
        help="give a game up after as many deals (default: 1000)",
    )
    played.add_argument(
        "--allow-peek", action="store_true", help="let strategies that see all cards take part"
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "--format",
        choices=("table", "csv", "json"),
        default="table",
        help="what is printed: text for people, one table as CSV, or JSON (default: table)",
    )
    output.add_argument(
        "--table",
        choices=TABLES,
        metavar="NAME",
        help=f"print this table only: {', '.join(TABLES)} (csv prints ranking unless told)",
    )
    add_output(output)
    add_running(parser.add_argument_group("where it is computed"))
    parser.set_defaults(run=run)


def games_value(text: str) -> int:
    number = whole_or_none(text)
    if number is None or not 2 <= number <= 1 << 32:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of games: write 2 to 2**32, like 5000, 5_000 or 5e3"
        )
    return number


def chance_value(text: str) -> float:
    try:
        chance = float(text)
    except ValueError:
        chance = -1.0
    if not 0 <= chance <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a chance: write it like 0.25, 0 to 1")
    return chance


def run(options: argparse.Namespace) -> int:
    """Play the tournament and print it; or list the strategies."""
    if options.list or not options.names:
        sys.stdout.write(_list(options.format))
        return 0
    from ghostsim.simulate.tournament import check_entrants, seat_orders
    from ghostsim.strategies.compiled import compile_strategy
    from ghostsim.study.run_folder import identity
    from ghostsim.study.tournament_report import TournamentParameters, run_tournament

    parameters = TournamentParameters(
        strategies=tuple(options.names),
        games=options.games,
        tables=options.tables,
        seed=options.seed,
        level=options.level,
        rules=rules_from(options.rules, options.rule),
        max_deals=options.max_deals,
        revoke_detection=options.revoke_detection,
        allow_peek=options.allow_peek,
        n_jobs=options.jobs,
    )
    entrants = check_entrants(parameters.strategies, allow_peek=parameters.allow_peek)
    orders = seat_orders(len(entrants), parameters.tables)
    tables = len({tuple(sorted(order)) for order in orders})

    def play(messages: Messages, runner: Runner) -> StudyResult:
        messages.say(
            f"{parameters.games:,} sets of cards, {_number(tables, 'table')} of three, "
            f"{len(orders)} orders of seats: {parameters.games * len(orders):,} games"
        )
        slow = [one.name for one in entrants if compile_strategy(one, parameters.rules) is None]
        if slow:
            messages.say(
                f"{', '.join(slow)}: no compiled form, so the referee plays its tables, more than "
                "a thousand times slower"
            )
        return run_tournament(parameters, messages, runner)

    return run_and_print(
        options,
        identity(
            "tournament",
            parameters.rules,
            parameters.strategies,
            tables=parameters.tables,
            seed=parameters.seed,
            max_deals=parameters.max_deals,
            revoke_detection=parameters.revoke_detection,
        ),
        parameters.to_dict(),
        play,
        command_line(parameters),
        options.table or ("ranking" if options.format == "csv" else None),
    )


def command_line(parameters: TournamentParameters) -> str:
    """The command that makes a tournament's numbers."""
    return shlex.join(["python", "-m", "ghostsim.study", "tournament", *parameters.arguments()])


def _number(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _list(form: str) -> str:
    """The strategies that there are."""
    import csv
    import io
    import json
    import textwrap

    from ghostsim.strategies import describe_strategies

    found = describe_strategies()
    if form == "json":
        rows = [
            {"strategy": one.name, "description": one.description} | {"parameters": one.parameters}
            for one in found
        ]
        return json.dumps(rows, indent=2, default=str) + "\n"
    written = [
        ",".join(f"{name}={value}" for name, value in one.parameters.items()) for one in found
    ]
    if form == "csv":
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(("strategy", "description", "parameters"))
        for one, parameters in zip(found, written, strict=True):
            writer.writerow((one.name, one.description, parameters))
        return buffer.getvalue()
    width = max(len(one.name) for one in found) + 2
    lines = []
    for one, parameters in zip(found, written, strict=True):
        indent = " " * width
        told = textwrap.wrap(one.description, 96 - width)
        lines.append(f"{one.name:{width}}" + f"\n{indent}".join(told))
        if parameters:
            lines.append(f"{indent}{one.name}:{parameters}")
    return "\n".join(lines) + "\n"
