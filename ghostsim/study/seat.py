"""Study ``seat``: is first seat worse, and what is the deal worth?"""

from __future__ import annotations

import pandas as pd

from ghostsim.rules import Rules
from ghostsim.simulate.runner import Runner
from ghostsim.simulate.seat import MAX_DEALS, SeatValues, simulate_seats
from ghostsim.study.played import (
    ends,
    fixed,
    flat,
    or_dash,
    players_note,
    rules_sentence,
    seats_of,
    signed,
    small_percent,
    span,
    table_title,
)
from ghostsim.study.registry import STUDIES
from ghostsim.study.result import Announce, Column, Parameters, StudyResult, Table

#: Deals for every game: games are longer, and take more of them to tell as much.
DEALS_PER_GAME = 5

_ORDER = ("first", "second", "third")

_points, _signed, _signed_share = fixed(3), signed(3), signed(2, "%")
_share = or_dash(small_percent)


def run(parameters: Parameters, announce: Announce, runner: Runner) -> StudyResult:
    """Play deals and games in three rotations, lay out the tables."""
    announce.say("reading what the strategies do with every hand ...")
    found = simulate_seats(
        seats_of(parameters),
        parameters.deals,
        max(2, parameters.deals // DEALS_PER_GAME),
        seed=parameters.seed,
        rules=parameters.rules,
        level=parameters.level,
        runner=runner,
    )
    tables = {
        "positions": _positions(found, parameters),
        "actions": _actions(found, parameters),
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
            **flat("declarer_points", one.declarer_points),
            **flat("other_points", one.other_points),
        }
        for one in found.positions
    ]
    columns = {
        "position": Column("position"),
        "points": Column("points a deal", _points, interval=True),
        "declarer_points": Column("if it declares", _points, interval=True),
        "other_points": Column("if it does not", _points, interval=True),
    }
    title = (
        "by position, in the order of their turns to bid: mean points of all deals, of those that "
        "it declares, and of all others"
    )
    return Table(_title(title, found, parameters), pd.DataFrame(rows), columns)


def _actions(found: SeatValues, parameters: Parameters) -> Table:
    rows = [
        {
            "position": one.position,
            "turn": one.turn,
            **flat("swaps", one.swaps),
            **flat("bids", one.bids),
            **flat("declares", one.declares),
            **flat("set", one.set),
        }
        for one in found.positions
    ]
    columns = {
        "position": Column("position"),
        "swaps": Column("swaps", _share, interval=True),
        "bids": Column("bids", _share, interval=True),
        "declares": Column("declares", _share, interval=True),
        "set": Column("set if so", _share, interval=True),
    }
    title = (
        "what is done from it: share of deals in which a position swaps, bids, declares, and of "
        "those it declares the share in which it is set"
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
            "deals": f"{_ORDER[i]} deal",
            **flat("won", won),
            **flat("than_next", pairs[0, 1] if i == 0 else pairs[1, 2] if i == 1 else None),
            **flat("than_third", pairs[i, 2] if i < 2 else None),
        }
        for i, won in enumerate(found.equity)
    ]
    columns = {
        "deals": Column("who deals the game's"),
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
    first = found.positions[0].position
    worth = found.against_others
    low, high = ends(worth[first])
    verdict = "It cannot be told whether first seat is worse"
    if low > 0:
        verdict = "No, first seat is better"
    elif high < 0:
        verdict = "Yes, first seat is worse"
    who = "who bids first, the dealer," if first == "dealer" else "who bids first"
    makes = f"{who} makes {span(worth[first], _signed)} points a deal over the others, with the"
    deal = "" if first == "dealer" else f", and the dealer {span(worth['dealer'], _signed)}"
    return f"{verdict}: {makes} same hands{deal}; {_game(found)}."


def _game(found: SeatValues) -> str:
    if not found.decided:
        return f"none of {found.games:,} games was decided in {MAX_DEALS:,} deals"
    won = span(found.equity[0], _share)
    return f"who deals the first deal of a game wins {won} of games (a third is fair)"


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
        "First seat is the position that bids first. What a position is worth in a deal is worth "
        "far less in a game: the deal passes to the left after every deal, so that all three deal "
        f"equally often, but for the last round.{left}",
        rules_sentence(rules),
    )
