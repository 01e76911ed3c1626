"""Study ``seat``: is first seat worse, and what is the deal worth?"""

from __future__ import annotations

import pandas as pd

from ghostsim.rules import Rules
from ghostsim.simulate.seat import MAX_DEALS, PositionValue, SeatValues, simulate_seats
from ghostsim.study.hands import signed_points
from ghostsim.study.played import (
    ends,
    flat,
    or_dash,
    players_note,
    rules_sentence,
    seats_of,
    small_percent,
    span,
    table_title,
)
from ghostsim.study.registry import STUDIES
from ghostsim.study.result import Announce, Column, Parameters, StudyResult, Table

#: Deals for every game: games are longer, and take more of them to tell as much.
DEALS_PER_GAME = 5

_ORDER = ("first", "second", "third")

_points = or_dash("{:.3f}".format)
_signed = or_dash(signed_points)
_share = or_dash(small_percent)
_signed_share = or_dash("{:+.2%}".format)


def run(parameters: Parameters, announce: Announce) -> StudyResult:
    """Play deals and games in three rotations, lay out the tables."""
    announce.say("reading what the strategies do with every hand ...")
    found = simulate_seats(
        seats_of(parameters),
        parameters.deals,
        max(2, parameters.deals // DEALS_PER_GAME),
        seed=parameters.seed,
        rules=parameters.rules,
        level=parameters.level,
        n_jobs=parameters.n_jobs,
        deals_progress=announce.bar("playing deals"),
        games_progress=announce.bar("playing games"),
    )
    tables = {
        "positions": _positions(found, parameters),
        "differences": _differences(found, parameters),
        "equity": _equity(found, parameters),
    }
    study = STUDIES["seat"]
    return StudyResult(
        study=study.name,
        question=study.question,
        answer=_answer(found),
        notes=_notes(found, parameters.rules),
        parameters=parameters,
        tables=tables,
        unprinted=(),
        charts=("seat_values",),
    )


def _title(what: str, found: SeatValues, parameters: Parameters) -> str:
    amount = f"{found.deals:,} deals, each dealt by all three seats"
    return table_title(f"{what}; {found.model}", parameters, amount)


def _positions(found: SeatValues, parameters: Parameters) -> Table:
    rows = [
        {
            "position": one.position,
            "turn": one.turn,
            **flat("points", one.points),
            **flat("swaps", one.swaps),
            **flat("bids", one.bids),
            **flat("declares", one.declares),
            **flat("set", one.set),
            **flat("declarer_points", one.declarer_points),
            **flat("other_points", one.other_points),
        }
        for one in found.positions
    ]
    columns = {
        "position": Column("position"),
        "points": Column("points", _points, interval=True),
        "swaps": Column("swaps", _share, interval=True),
        "bids": Column("bids", _share, interval=True),
        "declares": Column("declares", _share, interval=True),
        "set": Column("set if so", _share, interval=True),
    }
    title = (
        "by position, in the order of their turns to bid: mean points a deal, share of deals in "
        "which it swaps, bids, declares, and of those it declares the share in which it is set"
    )
    return Table(_title(title, found, parameters), pd.DataFrame(rows), columns)


def _differences(found: SeatValues, parameters: Parameters) -> Table:
    rows = [
        {"position": one, "less": "mean of the two others", **flat("points", estimate)}
        for one, estimate in found.against_others.items()
    ]
    rows += [
        {"position": one, "less": other, **flat("points", estimate)}
        for (one, other), estimate in found.differences.items()
    ]
    columns = {
        "position": Column("position"),
        "less": Column("less"),
        "points": Column("points a deal", _signed, interval=True),
    }
    title = "what a position is worth: points more than another's, with the same hands"
    return Table(_title(title, found, parameters), pd.DataFrame(rows), columns)


def _equity(found: SeatValues, parameters: Parameters) -> Table:
    pairs = found.equity_differences
    rows = [
        {
            "deals": _ORDER[i],
            **flat("won", won),
            **flat("than_next", pairs[0, 1] if i == 0 else pairs[1, 2] if i == 1 else None),
            **flat("than_third", pairs[i, 2] if i < 2 else None),
        }
        for i, won in enumerate(found.equity)
    ]
    columns = {
        "deals": Column("who deals"),
        "won": Column("wins", _share, interval=True),
        "than_next": Column("more than the next", _signed_share, interval=True),
        "than_third": Column("more than the third", _signed_share, interval=True),
    }
    title = (
        "share of decided games won by the seat that deals first, second (left of the first), "
        f"third; differences are of the same games; {found.model}"
    )
    amount = f"{found.games:,} games, each begun by all three seats"
    return Table(table_title(title, parameters, amount), pd.DataFrame(rows), columns)


def _answer(found: SeatValues) -> str:
    first = found.positions[0]
    low, high = ends(found.against_others[first.position])
    verdict = "It cannot be told whether first seat is worse"
    if low > 0:
        verdict = "No, first seat is better"
    elif high < 0:
        verdict = "Yes, first seat is worse"
    who = f"who bids first, {_where(first)}, makes {span(first.points, _points)} points a deal"
    more = span(found.against_others[first.position], _signed)
    others = f"{more} against what the two others make with the same hands"
    deal = "the deal is worth" if first.position == "dealer" else "having the deal is worth"
    worth = f"{deal} {span(found.against_others['dealer'], _signed)} points against the others"
    return f"{verdict}: {who}, {others}; {worth}, and {_game(found)}."


def _where(one: PositionValue) -> str:
    return "the dealer" if one.position == "dealer" else "left of the dealer"


def _game(found: SeatValues) -> str:
    if not found.decided:
        return f"none of {found.games:,} games was decided in {MAX_DEALS:,} deals"
    return f"who deals first wins {span(found.equity[0], _share)} of games, where a third is fair"


def _notes(found: SeatValues, rules: Rules) -> tuple[str, ...]:
    lost = 3 * found.games - found.decided
    left = (
        f" {lost:,} of {3 * found.games:,} plays of games were not decided in {MAX_DEALS:,} deals "
        "and do not count."
        if lost
        else ""
    )
    unlike = (
        " The seats differ, and each plays every deal from each position: a position's numbers are "
        "means over the three strategies."
        if len(set(found.strategies)) > 1
        else ""
    )
    return (
        players_note(found.strategies, found.model) + unlike,
        "Every deal is played three times, dealt by seat 0, 1 and 2, so that each hand is held "
        "once from each position. Points are means over all deals; one in which nobody bids "
        "scores 0. A deal in its three plays is one unit, and so is a game: intervals are normal, "
        "of shares Wilson's for as many independent plays as would have the same error, of means "
        "over declared deals those of a ratio. [-, -]: no interval can be told.",
        "A deal's worth is not a game's: the deal passes to the left after every deal, so that "
        "who deals first has the worst or the best position no more than one time more often than "
        f"the others.{left}",
        rules_sentence(rules),
    )
