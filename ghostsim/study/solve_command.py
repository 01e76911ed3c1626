"""The command ``solve``: positions in, one a line; what they are worth out."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ghostsim.study.options import add_command, add_jobs, add_rules, rules_from
from ghostsim.study.position_lines import TEXT_HELP, LineError, add_input, read_positions

if TYPE_CHECKING:
    import argparse

    import pandas as pd

    from ghostsim.position import Position
    from ghostsim.rules import Rules
    from ghostsim.solver import CardValues, Solution

DETAILS = f"""\
{TEXT_HELP} Examples:
  solve JS JC AS KS AH 9D / QS TS 9S AC KC QC / TC 9C KH QH JH TH / trump S
  solve "JS JC AS KS AH 9D / QS TS 9S AC KC QC / TC 9C KH QH JH TH" --trump S --plays "JS 9S TC"
  solve JS AS 9D / JC 9S KD / KH QH TD / trump S / leader 0 / tricks 3 0 0 / bid 5 --line
  solve --file deals.txt --trump H --format csv > tricks.csv
  zcat deals.gz | solve --format json

Of one position the cards are shown, each with its value; of many, one row for each. JSON is one
object a line. Against the coalition (the default) the declarer is sure of the value; with --defence
selfish every seat plays for its own tricks, or for points of the deal. All cards are seen, so this
is what perfect information is worth, not a forecast of real play. Lines are read and answered
5,000 at a time. docs/solver.md describes the columns."""


def add(commands: Any, name: str) -> None:
    parser = add_command(
        commands, name, "what a deal or any position is worth, and every card of it", DETAILS
    )
    add_input(parser)
    add_defence(parser)
    output = parser.add_argument_group("output")
    output.add_argument(
        "--cards", action="store_true", help="every card's value, also of many positions"
    )
    output.add_argument("--line", action="store_true", help="add a line of best play to the end")
    add_format(output)
    add_jobs(output)
    parser.set_defaults(run=run)


def add_defence(parser: Any) -> None:
    """The options that say how it is played."""
    how = parser.add_argument_group("how it is played")
    how.add_argument(
        "--defence",
        choices=("coalition", "selfish"),
        default="coalition",
        help="both defenders together, or every seat for itself (default: coalition)",
    )
    how.add_argument(
        "--objective",
        choices=("tricks", "points"),
        default="tricks",
        help="what selfish seats play for; points need a bid (default: tricks)",
    )
    add_rules(how)


def add_format(parser: Any) -> None:
    parser.add_argument(
        "--format",
        choices=("table", "csv", "json"),
        default="table",
        help="text for people, CSV, or JSON, one object a line (default: table)",
    )


def run(options: argparse.Namespace) -> int:
    """Read, solve and print positions, some thousand at a time."""
    from ghostsim.position import Position

    rules = rules_from(options.rules, options.rule)
    printer = _Printer(options)

    def read(line: str, **settings: str) -> Position:
        position = Position.parse(line, **settings)
        check_bid(position, options, rules)
        return position

    for lines in read_positions(options, read):
        alone = lines.is_alone
        shows_both = options.format == "json" or (alone and options.format == "table")
        if options.cards and options.line and not shows_both:
            raise LineError("--cards and --line: for many, only --format json shows both")
        printer.print(_answers(lines.items, options, rules, alone), alone)
    return 0


#: A position and the number of the line that it comes from.
Numbered = tuple[int, "Position"]


def check_bid(position: Position, options: argparse.Namespace, rules: Rules) -> None:
    """Check that there is a bid where points are played for, and that the rules allow it."""
    if position.bid is not None:
        rules.declarer_points(position.bid, 0)  # refuses a bid below the lowest
    elif options.objective == "points":
        raise LineError("points need a bid: add '/ bid 4', or say --bid 4")


# ----------------------------------------------------------------------------------------- solving


class _Answer:
    """What is printed about one position."""

    def __init__(
        self,
        number: int,
        solution: Solution,
        cards: CardValues | None,
        line: list[tuple[int, Any]] | None,
    ) -> None:
        self.number = number
        self.solution = solution
        self.cards = cards
        self.line = line

    @property
    def line_text(self) -> str:
        return " ".join(str(card) for _, card in self.line or ())

    def to_row(self) -> dict[str, object]:
        row: dict[str, object] = {"line": self.number}
        row |= self.solution.to_row()
        text = row.pop("position")
        if self.line is not None:
            row["best_line"] = self.line_text
        return row | {"position": text}

    def card_rows(self) -> list[dict[str, object]]:
        rows = [] if self.cards is None else self.cards.to_rows()
        return [{"line": self.number, **row} for row in rows]

    def to_json(self) -> str:
        answer = {"line": self.number} | self.solution.to_row()
        answer["position"] = self.solution.position.to_dict()
        if self.cards is not None:
            answer["cards"] = self.cards.to_rows()
        if self.line is not None:
            answer["best_line"] = [{"seat": seat, "card": str(card)} for seat, card in self.line]
        return json.dumps(answer)


def _answers(
    positions: list[Numbered], options: argparse.Namespace, rules: Rules, alone: bool
) -> Iterator[_Answer]:
    from ghostsim.solver import best_lines, card_values_of, solve_positions

    how = {"defence": options.defence, "objective": options.objective, "rules": rules}
    asked = [position for _, position in positions]
    solutions = solve_positions(asked, **how, n_jobs=options.jobs)
    with_cards = options.cards or (alone and options.format != "csv")
    cards: Sequence[CardValues | None] = [None] * len(asked)
    if with_cards:
        cards = card_values_of(asked, **how, n_jobs=options.jobs)
    lines: Sequence[list[tuple[int, Any]] | None] = [None] * len(asked)
    if options.line:
        lines = best_lines(asked, **how, n_jobs=options.jobs)
    for (number, _), solution, values, line in zip(positions, solutions, cards, lines, strict=True):
        yield _Answer(number, solution, values, line)


# ---------------------------------------------------------------------------------------- printing


def card_columns(defence: str) -> list[str]:
    """The columns of ``CardValues.to_rows``, also where there are no rows."""
    by_seat = [f"tricks_{seat}" for seat in range(3)] if defence == "selfish" else []
    columns = ["seat", "card", "declarer_tricks", *by_seat, "cost", "is_best"]
    return [*columns, "declarer_points", "cost_in_points", "equals"]


class _Printer:
    """Prints answers as they come; the heading of a table once."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.form = options.format
        self.card_columns = ["line", *card_columns(options.defence)] if options.cards else None
        self.printed = False

    def print(self, answers: Iterator[_Answer], alone: bool) -> None:
        found = list(answers)
        if self.form == "json":
            text = "".join(answer.to_json() + "\n" for answer in found)
        elif self.form == "csv":
            text = self._csv(self._frame(found))
        elif alone:
            text = _shown(found[0])
        else:
            text = self._table(self._frame(found))
        sys.stdout.write(text)
        sys.stdout.flush()
        self.printed = True

    def _frame(self, answers: list[_Answer]) -> pd.DataFrame:
        import pandas as pd

        if self.card_columns is not None:
            rows = [row for answer in answers for row in answer.card_rows()]
        else:
            rows = [answer.to_row() for answer in answers]
        # As objects whole numbers stay whole where some are missing.
        return pd.DataFrame(rows, columns=self.card_columns, dtype=object)

    def _csv(self, frame: pd.DataFrame) -> str:
        text: str = frame.to_csv(index=False, header=not self.printed, lineterminator="\n")
        return text

    def _table(self, frame: pd.DataFrame) -> str:
        from ghostsim.study.result import aligned

        shown = frame.map(lambda value: "-" if value is None or value != value else str(value))
        heading, *rows = aligned(shown).split("\n")
        return "".join(f"{line}\n" for line in (rows if self.printed else [heading, *rows]))


def _shown(answer: _Answer) -> str:
    """One position for people: the diagram, the answer, the cards, and a line if asked for."""
    from ghostsim.solver import format_line

    solution = answer.solution
    parts = [str(solution.position), str(solution)]
    if solution.settled is not None:
        seats = ", ".join(f"seat {seat} {taken}" for seat, taken in enumerate(solution.settled))
        parts[-1] += f"\ntricks: {seats}"
    if answer.cards is not None:
        parts.append(str(answer.cards))
    if answer.line:
        line = textwrap.indent(format_line(solution.position, answer.line), "  ")
        parts.append(f"a line of best play\n{line}")
    return "\n\n".join(parts) + "\n"
