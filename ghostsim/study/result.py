"""What a study is asked, and what it answers."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import pandas as pd

from ghostsim._checks import whole_number
from ghostsim.deals import check_seed
from ghostsim.errors import GhostsimError
from ghostsim.rules import Rules
from ghostsim.simulate.runner import Watcher
from ghostsim.stats import check_level


class ParameterError(GhostsimError):
    """A number of deals that makes no sense."""


class Announce(Protocol):
    """Tells the person what is going on; its watcher shows how simulations do."""

    def say(self, message: str) -> None: ...

    def watcher(self) -> Watcher | None: ...


@dataclass(frozen=True)
class Parameters:
    """All that a study's numbers depend on, and the jobs, on which they do not.

    Attributes
    ----------
    deals : int
        Deals of the simulation that checks the exact numbers; 0 for no check.
    seed : int
    level : float
        Confidence level of intervals.
    model : str
        How a hand is valued: ``"solo"``.
    rules : Rules
    n_jobs : int or None
        As joblib counts them.
    games : int or None
        For a study that plays games instead of single deals: how many.
    strategies : three of str, or None
        For a study that is played at a table: who sits in seats 0, 1, 2.
    precision : float or None
        The half-width at which to stop, of the interval of what the study watches; ``deals`` or
        ``games`` are then the most.
    """

    deals: int = 200_000
    seed: int = 0
    level: float = 0.95
    model: str = "solo"
    rules: Rules = field(default_factory=Rules)
    n_jobs: int | None = field(default=None, compare=False)
    games: int | None = None
    strategies: tuple[str, str, str] | None = None
    precision: float | None = None

    def __post_init__(self) -> None:
        check_seed(self.seed)
        check_level(self.level)
        if self.games is not None and whole_number(self.games, "games") < 2:
            raise ParameterError(f"games must be 2 or more, not {self.games}")
        if self.strategies is not None:
            names = tuple(self.strategies)
            if isinstance(self.strategies, str) or len(names) != 3:
                raise ParameterError(
                    f"strategies must be three names, by seat, not {self.strategies!r}"
                )
            object.__setattr__(self, "strategies", names)  # a list, in a file that says them
        if whole_number(self.deals, "deals") < 0 or self.deals == 1:
            raise ParameterError(f"deals must be 0 (no check) or 2 and more, not {self.deals}")
        if self.precision is not None:
            if isinstance(self.precision, bool) or not 0 < self.precision < math.inf:
                raise ParameterError(
                    f"precision must be a half-width above 0, like 0.01, not {self.precision!r}"
                )
            if self.games is None and not self.deals:
                raise ParameterError("precision needs deals: how many at most")

    @property
    def unit(self) -> str:
        """What is counted: ``"deals"`` or ``"games"``."""
        return "deals" if self.games is None else "games"

    @property
    def amount(self) -> int:
        """How many deals or games, at most if there is a precision."""
        return self.deals if self.games is None else self.games

    def ran(self, amount: int) -> Parameters:
        """The same with the number of deals or games that were run, to tell it."""
        if self.games is None:
            return replace(self, deals=amount, precision=None)
        return replace(self, games=amount, precision=None)

    def to_dict(self) -> dict[str, Any]:
        """What results depend on, for JSON."""
        amount: dict[str, Any] = {self.unit: self.amount}
        if self.precision is not None:
            amount = {"precision": self.precision, f"max_{self.unit}": self.amount}
        seats = {} if self.strategies is None else {"strategies": list(self.strategies)}
        return {
            **amount,
            "seed": self.seed,
            "level": self.level,
            "model": self.model,
            **seats,
            "rules": self.rules.to_dict(),
        }

    def arguments(self) -> list[str]:
        """The command-line arguments that say the same."""
        amount = [f"--{self.unit}={self.amount}"]
        if self.precision is not None:
            amount = [f"--precision={self.precision!r}", f"--max-{self.unit}={self.amount}"]
        arguments = [f"--model={self.model}", *amount, f"--seed={self.seed}"]
        arguments.append(f"--level={self.level}")
        if self.strategies is not None:
            arguments += ["--strategies", *self.strategies]
        arguments += [f"--rule={name}={value}" for name, value in self.rules.changes().items()]
        return arguments


@dataclass(frozen=True)
class Column:
    """How a column of a table is printed: its heading and its format.

    With ``interval`` the columns NAME_low and NAME_high are printed beside it, in brackets; dashes
    where they are missing.
    """

    heading: str
    form: Callable[[Any], str] = str
    interval: bool = False


@dataclass(frozen=True, eq=False)
class Table:
    """A tidy frame, and how a person reads it.

    Attributes
    ----------
    title : str
        What the rows are, with units and model.
    frame : pandas.DataFrame
        Raw numbers, as CSV and JSON give them.
    columns : dict
        The columns printed as text, in order; the frame may have more.
    """

    title: str
    frame: pd.DataFrame
    columns: dict[str, Column]

    def shown(self) -> pd.DataFrame:
        """The frame as text, with its printed headings."""
        return pd.DataFrame(
            {column.heading: self._cells(name, column) for name, column in self.columns.items()}
        )

    def _cells(self, name: str, column: Column) -> list[str]:
        values = map(column.form, self.frame[name])
        if not column.interval:
            return list(values)
        ends = zip(self.frame[f"{name}_low"], self.frame[f"{name}_high"], strict=True)
        return [
            f"{value} [-, -]"
            if pd.isna(low)
            else f"{value} [{self._end(column, low)}, {self._end(column, high)}]"
            for value, (low, high) in zip(values, ends, strict=True)
        ]

    def _end(self, column: Column, value: float) -> str:
        return column.form(value).removesuffix("%")  # once is enough in "12% [11, 13]"

    def text(self) -> str:
        """The title and the aligned table."""
        return f"{wrapped(self.title)}\n{textwrap.indent(aligned(self.shown()), '  ')}"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Table)
            and self.title == other.title
            and self.frame.equals(other.frame)
        )

    __hash__ = None  # type: ignore[assignment]  # frames have no hash


@dataclass(frozen=True)
class StudyResult:
    """The answer to a study's question.

    Attributes
    ----------
    study, question : str
    answer : str
        One sentence that answers the question first.
    notes : tuple of str
        What the numbers mean and do not mean.
    parameters : Parameters
    tables : dict of Table
        By name, in the order printed.
    unprinted : tuple of str
        Tables too long to print unless asked for.
    charts : tuple of str
        Names of charts in ``ghostsim.plots``, drawn from the tables.
    """

    study: str
    question: str
    answer: str
    notes: tuple[str, ...]
    parameters: Parameters
    tables: dict[str, Table]
    unprinted: tuple[str, ...]
    charts: tuple[str, ...]

    def to_frame(self, table: str | None = None) -> pd.DataFrame:
        """One of the tables as a tidy frame; the first by default."""
        return self.tables[table or next(iter(self.tables))].frame

    def frames(self) -> dict[str, pd.DataFrame]:
        """All tables as frames, by name."""
        return {name: table.frame for name, table in self.tables.items()}

    def plot(self, ax: Any = None) -> Any:
        """The study's first chart; ``ax`` is not supported by charts of several panels."""
        from ghostsim import plots

        if ax is not None:
            raise TypeError("this chart has panels of its own: call plot() without ax")
        return plots.CHARTS[self.charts[0]](self.frames())

    def text(self) -> str:
        """The whole answer as a person reads it in a terminal."""
        printed = [table for name, table in self.tables.items() if name not in self.unprinted]
        parts = [f"{self.question}\n{wrapped(self.answer)}", *(table.text() for table in printed)]
        parts.append("\n".join(map(wrapped, self.notes)))
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        return f"StudyResult({self.study}: {self.answer})"

    def _repr_html_(self) -> str:
        import html

        parts = [f"<p><b>{html.escape(self.question)}</b> {html.escape(self.answer)}</p>"]
        for name, table in self.tables.items():
            if name not in self.unprinted:
                parts.append(f"<p>{html.escape(table.title)}</p>")
                parts.append(table.shown().to_html(index=False, border=0))
        parts += [f"<p>{html.escape(note)}</p>" for note in self.notes]
        return "\n".join(parts)


def aligned(frame: pd.DataFrame) -> str:
    """A frame of texts as aligned columns: numbers to the right, words to the left."""
    columns = []
    for heading in frame.columns:
        cells = [str(heading), *frame[heading]]
        width = max(map(len, cells))
        numbers = all(cell[:1] in "<+-0123456789" or cell in ("", "-") for cell in cells[1:])
        columns.append([cell.rjust(width) if numbers else cell.ljust(width) for cell in cells])
    return "\n".join("  ".join(row).rstrip() for row in zip(*columns, strict=True))


def wrapped(text: str) -> str:
    """Text in lines that fit a terminal."""
    return textwrap.fill(text, width=96)
