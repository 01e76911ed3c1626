"""The command ``solve``: positions in, one a line; what they are worth out."""

from __future__ import annotations

import itertools
import json
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from ghostsim.errors import GhostsimError
from ghostsim.study.options import add_command, add_jobs, add_rules, rules_from

if TYPE_CHECKING:
    import argparse

    import pandas as pd

    from ghostsim.position import Position
    from ghostsim.rules import Rules
    from ghostsim.solver import CardValues, Solution

#: Lines read before they are solved together and printed.
LINES_AT_ONCE = 5_000

EXAMPLES = """\
A position is a line of text: the cards held by seats 0, 1, 2, then settings, all with / between:
trump, declarer, leader (who leads, or led, this trick), trick (cards on the table), tricks (taken
so far by seat), bid, plays (cards to play first). Or it is a JSON object with the same names and
"hands". Examples:
  solve JS JC AS KS AH 9D / QS TS 9S AC KC QC / TC 9C KH QH JH TH / trump S
  solve "JS JC AS KS AH 9D / QS TS 9S AC KC QC / TC 9C KH QH JH TH" --trump S --plays "JS 9S TC"
  solve JS AS 9D / JC 9S KD / KH QH TD / trump S / leader 0 / tricks 3 0 0 / bid 5 --line
  solve --file deals.txt --trump H --format csv
  zcat deals.gz | solve --format json

Of one position the cards are shown, each with its value; of many, one row for each. JSON is one
object a line. Against the coalition (the default) the declarer is sure of the value; with --defence
selfish every seat plays for its own tricks, or for points of the deal. All cards are seen, so this
is what perfect information is worth, not a forecast of real play. Empty lines and lines that begin
with # are skipped."""


class SolveError(GhostsimError):
    """Lines that are no positions, or options that do not go together."""


def add(commands: Any, name: str) -> None:
    parser = add_command(
        commands, name, "what a deal or any position is worth, and every card of it", EXAMPLES
    )
    parser.add_argument(
        "position",
        nargs="*",
        metavar="POSITION",
        help="one position; quotation marks are not needed. Without one, and without --file, lines "
        "are read from standard input",
    )
    parser.add_argument("--file", metavar="FILE", help="read positions from a file; - for stdin")
    what = parser.add_argument_group("settings for lines that do not have their own")
    what.add_argument("--trump", metavar="SUIT", help="S C H D")
    what.add_argument("--declarer", metavar="SEAT", help="0, 1 or 2 (default: 0)")
    what.add_argument("--leader", metavar="SEAT", help="who leads, or led, the current trick")
    what.add_argument("--bid", metavar="BID", help="3 4 5 moon: values are shown in points too")
    what.add_argument("--plays", metavar="CARDS", help="cards to play first, in quotation marks")
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
    output = parser.add_argument_group("output")
    output.add_argument(
        "--cards", action="store_true", help="every card's value, also of many positions"
    )
    output.add_argument("--line", action="store_true", help="add a line of best play to the end")
    output.add_argument(
        "--format",
        choices=("table", "csv", "json"),
        default="table",
        help="text for people, CSV, or JSON, one object a line (default: table)",
    )
    add_jobs(output)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read, solve and print positions, some thousand at a time."""
    rules = rules_from(options.rules, options.rule)
    printer = _Printer(options)
    with _lines(options) as lines:
        for positions, problem in _chunks(lines, _settings(options)):
            _check_bids(positions, options)
            if positions:
                printer.print(_answers(positions, options, rules))
            if problem is not None:
                raise problem
    if not printer.printed:
        raise SolveError("no position: give one as an argument, with --file, or on standard input")
    return 0


# ----------------------------------------------------------------------------------------- reading


class _Lines:
    """Numbered lines with the name of where they come from; closes what it opened."""

    def __init__(self, name: str, lines: Iterable[str], to_close: TextIO | None = None) -> None:
        self.name = name
        self.lines = lines
        self._to_close = to_close

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *_: object) -> None:
        if self._to_close is not None:
            self._to_close.close()

    def __iter__(self) -> Iterator[tuple[int, str]]:
        try:
            for number, line in enumerate(self.lines, start=1):
                if line.strip() and not line.lstrip().startswith("#"):
                    yield number, line.strip()
        except UnicodeDecodeError as error:
            raise SolveError(f"{self.name} is not text in UTF-8: {error.reason}") from None


def _lines(options: argparse.Namespace) -> _Lines:
    words: list[str] = options.position
    if words and words != ["-"]:
        if options.file is not None:
            raise SolveError("a position and --file: give one of them")
        return _Lines("", [" ".join(words)])
    if options.file not in (None, "-"):
        file = Path(options.file).open(encoding="utf-8-sig")  # noqa: SIM115  # _Lines closes it
        return _Lines(options.file, file, file)
    if sys.stdin is None or sys.stdin.isatty():
        raise SolveError("no position: give one as an argument, with --file, or on standard input")
    return _Lines("standard input", sys.stdin)


def _settings(options: argparse.Namespace) -> dict[str, str]:
    names = ("trump", "declarer", "leader", "bid", "plays")
    return {name: getattr(options, name) for name in names if getattr(options, name) is not None}


#: A position and the number of the line that it comes from.
_Numbered = tuple[int, "Position"]


def _chunks(
    lines: _Lines, settings: dict[str, str]
) -> Iterator[tuple[list[_Numbered], SolveError | None]]:
    """Positions, some thousand at a time; with the last of them, what is wrong with a line."""
    from ghostsim.position import Position

    numbered = iter(lines)
    while some := list(itertools.islice(numbered, LINES_AT_ONCE)):
        positions: list[_Numbered] = []
        for number, line in some:
            try:
                positions.append((number, Position.parse(line, **settings)))
            except GhostsimError as error:
                where = f"{lines.name}, line {number}: " if lines.name else ""
                yield positions, SolveError(f"{where}{error}")
                return
        yield positions, None


def _check_bids(positions: list[_Numbered], options: argparse.Namespace) -> None:
    if options.objective == "points":
        for number, position in positions:
            if position.bid is None:
                raise SolveError(f"line {number}: points need a bid: add '/ bid 4', or say --bid 4")


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
        if self.line is not None:
            row["best_line"] = self.line_text
        row["position"] = self.solution.position.text
        return row

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
    positions: list[_Numbered], options: argparse.Namespace, rules: Rules
) -> Iterator[_Answer]:
    from ghostsim.solver import best_lines, card_values_of, solve_positions

    how = {"defence": options.defence, "objective": options.objective, "rules": rules}
    asked = [position for _, position in positions]
    solutions = solve_positions(asked, **how, n_jobs=options.jobs)
    with_cards = options.cards or (len(positions) == 1 and options.format != "csv")
    cards: Sequence[CardValues | None] = [None] * len(asked)
    if with_cards:
        cards = card_values_of(asked, **how, n_jobs=options.jobs)
    lines: Sequence[list[tuple[int, Any]] | None] = [None] * len(asked)
    if options.line:
        lines = best_lines(asked, **how, n_jobs=options.jobs)
    for (number, _), solution, values, line in zip(positions, solutions, cards, lines, strict=True):
        yield _Answer(number, solution, values, line)


# ---------------------------------------------------------------------------------------- printing


class _Printer:
    """Prints answers as they come; the heading of a table once."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.form = options.format
        self.cards = options.cards
        self.printed = False

    def print(self, answers: Iterator[_Answer]) -> None:
        found = list(answers)
        if self.form == "json":
            text = "".join(answer.to_json() + "\n" for answer in found)
        elif self.form == "csv":
            text = self._csv(self._frame(found))
        elif len(found) == 1 and not self.printed:
            text = _shown(found[0])
        else:
            text = self._table(self._frame(found))
        sys.stdout.write(text)
        sys.stdout.flush()
        self.printed = True

    def _frame(self, answers: list[_Answer]) -> pd.DataFrame:
        import pandas as pd

        if self.cards:
            rows = [row for answer in answers for row in answer.card_rows()]
        else:
            rows = [answer.to_row() for answer in answers]
        return pd.DataFrame(rows, dtype=object)  # whole numbers stay whole where some are missing

    def _csv(self, frame: pd.DataFrame) -> str:
        text: str = frame.to_csv(index=False, header=not self.printed, lineterminator="\n")
        return text

    def _table(self, frame: pd.DataFrame) -> str:
        from ghostsim.study.result import aligned

        shown = frame.map(lambda value: "-" if value is None or value != value else str(value))
        text = aligned(shown)
        return text.split("\n", 1)[1] + "\n" if self.printed else text + "\n"


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
