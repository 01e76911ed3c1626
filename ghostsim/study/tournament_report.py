"""What a tournament came to, as tables, a sentence and notes, like the answer to a study."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from ghostsim.rules import Rules
from ghostsim.simulate.runner import Runner
from ghostsim.simulate.tournament import (
    Tables,
    TableShare,
    TournamentResult,
    check_entrants,
    play_tournament,
)
from ghostsim.stats import Estimate
from ghostsim.study.hands import whole
from ghostsim.study.played import small_percent
from ghostsim.study.result import Announce, Column, StudyResult, Table, aligned

QUESTION = "Which strategy wins, and by how much?"
#: What fits a terminal.
WIDTH = 96
#: Sets of cards with fewer of which the normal distribution is a bad guide.
FEW = 50


@dataclass(frozen=True)
class TournamentParameters:
    """All that a tournament's numbers depend on, and the jobs, on which they do not.

    Attributes
    ----------
    strategies : tuple of str
    games, tables, seed, level, rules, max_deals, revoke_detection, allow_peek
        As in ``play_tournament``.
    n_jobs
        As in ``Runner``.
    """

    strategies: tuple[str, ...]
    games: int
    tables: Tables | None = None
    seed: int = 0
    level: float = 0.95
    rules: Rules = field(default_factory=Rules)
    max_deals: int = 1000
    revoke_detection: float | None = None
    allow_peek: bool = False
    n_jobs: int | None = field(default=None, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """What results depend on, for JSON."""
        return {
            "strategies": list(self.strategies),
            "games": self.games,
            "tables": self.tables,
            "seed": self.seed,
            "level": self.level,
            "max_deals": self.max_deals,
            "revoke_detection": self.revoke_detection,
            "allow_peek": self.allow_peek,
            "rules": self.rules.to_dict(),
        }

    def arguments(self) -> list[str]:
        """The command-line arguments that say the same."""
        arguments = [*self.strategies, f"--games={self.games}"]
        if self.tables is not None:
            arguments.append(f"--tables={self.tables}")
        arguments += [f"--seed={self.seed}", f"--level={self.level}"]
        arguments += [f"--rule={name}={value}" for name, value in self.rules.changes().items()]
        if self.revoke_detection is not None:
            arguments.append(f"--revoke-detection={self.revoke_detection}")
        arguments.append(f"--max-deals={self.max_deals}")
        if self.allow_peek:
            arguments.append("--allow-peek")
        return arguments


@dataclass(frozen=True)
class TournamentReport(StudyResult):
    """A tournament as tables to read, of the shape of the answer to a study."""

    parameters: TournamentParameters  # type: ignore[assignment]  # not those of a study

    def __repr__(self) -> str:
        return f"TournamentReport({self.answer})"


class CrossTable(Table):
    """Comparisons of all with all: a tidy frame, shown as a square."""

    def shown(self) -> pd.DataFrame:
        """A row and a column for each strategy, best first; columns by number if names are long."""
        names = list(dict.fromkeys(self.frame["strategy"]))
        square = self._square(names, names)
        if max(map(len, aligned(square).splitlines())) > WIDTH - 2:
            rows = [f"{name} ({place})" for place, name in enumerate(names, 1)]
            square = self._square(rows, [f"({place})" for place in range(1, len(names) + 1)])
        return square

    def _square(self, rows: Sequence[str], headings: Sequence[str]) -> pd.DataFrame:
        frame = self.frame
        names = list(dict.fromkeys(frame["strategy"]))
        cells = {
            (one, other): _plus_minus(value, high)
            for one, other, value, high in zip(
                frame["strategy"],
                frame["against"],
                frame["points_per_deal"],
                frame["points_per_deal_high"],
                strict=True,
            )
        }
        columns = {
            heading: [cells.get((one, other), "-") for one in names]
            for heading, other in zip(headings, names, strict=True)
        }
        return pd.DataFrame({"minus": list(rows), **columns})


class HowTable(Table):
    """Quantities of several units: shares are shown in percent, all else as it is."""

    def shown(self) -> pd.DataFrame:
        """Shares as percentages, to two decimals below one per cent."""
        frame = self.frame
        rows = zip(
            frame["quantity"],
            frame["value"],
            frame["value_low"],
            frame["value_high"],
            frame["unit"],
            strict=True,
        )
        return pd.DataFrame(
            [
                {
                    "quantity": quantity,
                    "value": _with_ends(
                        value, low, high, small_percent if unit.startswith("share") else _two
                    ),
                    "unit": unit.replace("share of", "of"),
                }
                for quantity, value, low, high, unit in rows
            ]
        )


def run_tournament(
    parameters: TournamentParameters, announce: Announce, runner: Runner | None = None
) -> TournamentReport:
    """Play, and lay out the tables."""
    runner = runner or Runner(n_jobs=parameters.n_jobs, watcher=announce.watcher())
    entrants = check_entrants(parameters.strategies, allow_peek=parameters.allow_peek)
    result = play_tournament(
        entrants,
        parameters.games,
        seed=parameters.seed,
        rules=parameters.rules,
        tables=parameters.tables,
        level=parameters.level,
        max_deals=parameters.max_deals,
        revoke_detection=parameters.revoke_detection,
        allow_peek=parameters.allow_peek,
        runner=runner,
    )
    seeing = [entrant.name for entrant in entrants if entrant.sees_all_cards]
    return TournamentReport(
        study="tournament",
        question=QUESTION,
        answer=answer(result),
        notes=notes(result, seeing),
        parameters=parameters,
        tables=tables(result),
        unprinted=("by_table", "by_seat", "by_order"),
        charts=("tournament",),
    )


# ------------------------------------------------------------------------------------------ tables


def tables(result: TournamentResult) -> dict[str, Table]:
    """The tables of a tournament, by name."""
    frames = result.frames()
    share = Column("win rate", _percent, interval=True)
    points = Column("points a deal", _three, interval=True)
    basis = f"({result.games:,} sets of cards, seed {result.seed}; {_level(result)} intervals)"
    seat = {"seat": Column("seat"), "win_rate": share, "points_per_deal": points}
    return {
        "ranking": Table(
            f"strategies by the share of their games that they win; 1/3 is fair {basis}",
            frames["ranking"],
            {
                "strategy": Column("strategy"),
                "games": Column("games", whole),
                "win_rate": share,
                "points_per_deal": points,
                "points_per_game": Column("points a game", _one, interval=True),
                "rating": Column("rating", _rating, interval=True),
            },
        ),
        "cross": CrossTable(
            "points a deal that the strategy of the row gets more than that of the column, where "
            f"both are at the table ({_level(result)} intervals as ±)",
            frames["cross"],
            {
                "strategy": Column("strategy"),
                "against": Column("against"),
                "points_per_deal": Column("points a deal", _signed, interval=True),
            },
        ),
        "seats": Table(
            f"what a seat is worth to all together; seat 0 deals first, seat 1 is left of it "
            f"{basis}",
            frames["seats"],
            seat,
        ),
        "games": HowTable(
            f"how the games went {basis}",
            frames["games"],
            {
                "quantity": Column("quantity"),
                "value": Column("value", _two, interval=True),
                "unit": Column("unit"),
            },
        ),
        "by_table": Table(
            f"each strategy at each table of three, all orders of seats {basis}",
            frames["by_table"],
            {
                "table": Column("table"),
                "strategy": Column("strategy"),
                "games": Column("games", whole),
                "win_rate": share,
                "rated_win_rate": Column("by the ratings", _percent),
                "points_per_deal": points,
            },
        ),
        "by_seat": Table(
            f"what a seat is worth to each strategy; seat 0 deals first {basis}",
            frames["by_seat"],
            {"strategy": Column("strategy"), **seat},
        ),
        "by_order": Table(
            f"each order of seats: who sits in seats 0, 1, 2; seat 0 deals first {basis}",
            frames["by_order"],
            {"table": Column("seats 0, 1, 2"), "strategy": Column("strategy"), **seat},
        ),
    }


def _level(result: TournamentResult) -> str:
    return f"{100 * result.level:g}%"


def _percent(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.1%}"


def _one(value: float) -> str:
    return f"{value:.1f}"


def _three(value: float) -> str:
    return f"{value:.3f}"


def _two(value: float) -> str:
    """To two decimals, to three below one."""
    return f"{value:.3f}" if abs(value) < 1 else f"{value:.2f}"


def _signed(value: float) -> str:
    return f"{value:+.3f}"


def _rating(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:+.0f}"


def _with_ends(value: float, low: float, high: float, form: Callable[[float], str]) -> str:
    """A number with its interval, both in one form; dashes for what is missing."""
    if math.isnan(value):
        return "- [-, -]"
    ends = "-, -" if math.isnan(low) else ", ".join(form(end).rstrip("%") for end in (low, high))
    return f"{form(value)} [{ends}]"


def _plus_minus(value: float, high: float) -> str:
    return f"{value:+.3f} ±{'-' if math.isnan(high) else format(high - value, '.3f')}"


# -------------------------------------------------------------------------- the sentence, and notes


def answer(result: TournamentResult) -> str:
    """Who won, first of all; or that nobody can tell."""
    first, second = result.ranking[:2]
    if first.win_rate is None or second.win_rate is None or result.lead is None:
        return f"Nobody knows: too few games were finished within {result.max_deals:,} deals."
    more = next(
        one.points_per_deal
        for one in result.cross
        if (one.strategy, one.against) == (first.strategy, second.strategy)
    )
    rates = (
        f"{first.strategy} wins {_span(first.win_rate)} of the games of its seats (1/3 is fair)",
        f"{second.strategy} {_span(second.win_rate)}",
    )
    if result.lead.value == result.lead.standard_error == 0:
        return (
            f"{first.strategy} and {second.strategy} win equally often in every set of cards: "
            f"{_span(first.win_rate)} of the games of their seats (1/3 is fair)."
        )
    lead = f"{_ends(result.lead, 100, '+.1f')} percentage points"
    if result.lead.low > 0:
        return (
            f"{rates[0]}, {rates[1]}: {lead}; where both are at the table, "
            f"{_in_points(more, first.strategy, second.strategy)}."
        )
    clear = "this is clear" if more.low > 0 or more.high < 0 else "this may be luck too"
    return (
        f"No telling who is best by games won: {rates[0]} and {rates[1]}, and the difference, "
        f"{lead}, may be luck; by points, where both are at the table, "
        f"{_in_points(more, first.strategy, second.strategy)}: {clear}."
    )


def _in_points(more: Estimate, first: str, second: str) -> str:
    """Who gets more points a deal than whom."""
    if more.value < 0:
        more = replace(more, value=-more.value, low=-more.high, high=-more.low)
        first, second = second, first
    return f"{first} gets {_ends(more, 1, '+.3f')} points a deal more than {second}"


def notes(result: TournamentResult, seeing: Sequence[str] = ()) -> tuple[str, ...]:
    """What the numbers mean and do not mean; ``seeing`` names those who see all cards."""
    finished = next(one.value for one in result.how if one.quantity == "not finished")
    dealt = (
        f"Each of the {result.games:,} sets of cards was played in {result.orders} orders of "
        f"seats, to {result.rules.target} points. What is independent is a set, not a game, and "
        f"so are the {_level(result)} intervals made. [-, -]: all sets agree, so that no interval "
        "can be told. Deals in which everybody passed count as deals."
    )
    if result.games < FEW:
        dealt += " With so few sets intervals are narrower than they should be."
    if finished is not None and finished.value > 0:
        played = result.games * result.orders
        dealt += (
            f" {round(finished.value * played):,} of the {played:,} games were not finished within "
            f"{result.max_deals:,} deals: nobody has won them, and win rates leave them out."
        )
    told = [dealt, _about_ratings(result)]
    if seeing:
        told.append(
            f"{' and '.join(seeing)} saw all cards: an upper bound, and no way to play for people."
        )
    revokes = (
        ""
        if result.revoke_detection is None
        else f" Revokes stand, and are found out with a chance of {result.revoke_detection:g}."
    )
    told.append(f"Rules: {result.rules}.{revokes}")
    return tuple(told)


def _about_ratings(result: TournamentResult) -> str:
    text = (
        "Rating: 400 log10 of a strategy's weight, where a seat wins in proportion to the weight "
        "of its strategy (Luce 1959), the same at every table; the mean is 0, and 400 more are "
        "ten times the chance."
    )
    worst = _worst(result.by_table)
    if worst is not None:
        assert worst.win_rate is not None
        text += (
            f" They fit as well as this: at the table {worst.table}, where they do worst, "
            f"{worst.strategy} wins {_percent(worst.win_rate.value)}, by the ratings "
            f"{_percent(worst.rated_win_rate)}."
        )
    beaten = [one.strategy for one in result.ranking if _is(one.rating, -math.inf)]
    unbeaten = [one.strategy for one in result.ranking if _is(one.rating, math.inf)]
    apart = [one.strategy for one in result.ranking if one.rating is None]
    if beaten:
        text += f" {', '.join(beaten)}: -inf, as it never won against those whose rating is finite."
    if unbeaten:
        text += f" {', '.join(unbeaten)}: +inf, as nobody whose rating is finite won against it."
    if apart:
        text += f" {', '.join(apart)}: no rating, for want of games won."
    return text


def _worst(shares: Sequence[TableShare]) -> TableShare | None:
    """Where the ratings are farthest from what happened; None if they fit to all digits shown."""
    told = [
        (abs(one.win_rate.value - one.rated_win_rate), one)
        for one in shares
        if one.win_rate is not None and not math.isnan(one.rated_win_rate)
    ]
    worst = max(told, key=lambda pair: pair[0], default=None)
    return worst[1] if worst is not None and worst[0] >= 0.0005 else None


def _is(rating: Estimate | None, value: float) -> bool:
    return rating is not None and rating.value == value


def _span(share: Estimate) -> str:
    """A share with its interval, in percent."""
    if not share.low < share.high:
        return f"{share.value:.1%}"
    return f"{share.value:.1%} [{100 * share.low:.1f}, {100 * share.high:.1f}]"


def _ends(estimate: Estimate, scale: float, form: str) -> str:
    """A difference with its interval, each with its sign."""
    value, low, high = (
        format(scale * number, form) for number in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value} [{low}, {high}]" if estimate.low < estimate.high else value
