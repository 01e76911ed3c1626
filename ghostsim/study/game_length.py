"""Study ``game-length``: how long is a game?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ghostsim.rules import Rules
from ghostsim.simulate.game_length import MAX_DEALS, GameLengths, simulate_game_lengths
from ghostsim.simulate.runner import Runner
from ghostsim.stats import Estimate
from ghostsim.strategies import check_strategies
from ghostsim.study.hands import whole
from ghostsim.study.played import (
    fixed,
    flat,
    or_dash,
    players,
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

#: Built-in strategies that the same games are played with in all seats, for comparison. ``random``
#: is not one of them: many of its games are not decided in ``MAX_DEALS`` deals.
OTHERS = ("novice", "steady", "odds")


def _digits(value: float) -> str:
    """To two decimals, to three below one."""
    return f"{value:z.3f}" if 0 < abs(value) < 1 else f"{value:.2f}"


_two = or_dash(_digits)
_share = or_dash(small_percent)


def run(parameters: Parameters, announce: Announce, runner: Runner) -> StudyResult:
    """Play the games with the line-up asked for, and with others; lay out the tables."""
    announce.say("reading what the strategies do with every hand ...")
    found = simulate_game_lengths(
        _lineups(seats_of(parameters)),
        parameters.games or 0,
        seed=parameters.seed,
        rules=parameters.rules,
        level=parameters.level,
        runner=runner,
    )
    first = found[0]
    tables = {
        "facts": _facts(first, parameters),
        "quantiles": _quantiles(first, parameters),
        "seats": _seats(first, parameters),
        "by_strategy": _by_strategy(found, parameters),
        "distribution": _distribution(first, parameters),
    }
    study = STUDIES["game-length"]
    return StudyResult(
        study=study.name,
        question=study.question,
        answer=_answer(first, parameters.rules),
        notes=_notes(found, parameters.rules),
        parameters=parameters,
        tables=tables,
        unprinted=("distribution",),
        charts=("game_lengths",),
    )


def _lineups(seats: tuple[str, str, str]) -> list[tuple[str, str, str]]:
    """The line-up asked for; if its seats are alike, others of which that is so too."""
    names = [strategy.name for strategy in check_strategies(seats)]
    alike = len(set(names)) == 1
    return [seats, *((name, name, name) for name in OTHERS if alike and name != names[0])]


def _names(strategies: Sequence[str]) -> str:
    """One name if all seats are alike, else all by seat."""
    return strategies[0] if len(set(strategies)) == 1 else " / ".join(strategies)


def _title(what: str, found: GameLengths, parameters: Parameters) -> str:
    return table_title(f"{what}; {found.model}", parameters, f"{found.games:,} games")


def _facts(found: GameLengths, parameters: Parameters) -> Table:
    winner, second, third = found.places
    rows: list[tuple[str, str, Estimate | None]] = [
        ("deals", "deals a game", found.deals),
        ("redeals", "redeals a game (nobody bid)", found.redeals),
        ("redealt", "share of deals that are redealt", found.redealt),
        ("by_moon", "games that end with a made moon", found.by_moon),
        ("moon_made", "games in which somebody makes a moon", found.moon_made),
        ("winner_moon", "games whose winner makes a moon", found.winner_moon),
        ("moons_bid", "moons bid a game", found.moons_bid),
        ("moons_made", "share of the moons bid that make", found.moons_made),
        ("deals_with_moon", "deals a game, if somebody makes a moon", found.deals_with_moon),
        ("deals_without", "deals a game, if nobody does", found.deals_without),
        ("winner", "final score of the winner", winner),
        ("second", "final score of the second", second),
        ("third", "final score of the third", third),
    ]
    units = dict.fromkeys(("deals", "redeals", "deals_with_moon", "deals_without"), "deals")
    units |= {"moons_bid": "moons", **dict.fromkeys(("winner", "second", "third"), "points")}
    frame = pd.DataFrame(
        [
            {
                "name": name,
                "quantity": quantity,
                "unit": units.get(name, "%"),
                **flat("value", estimate, 1 if name in units else 100),
                "games": 0 if estimate is None else estimate.n,
                "method": "" if estimate is None else estimate.method,
            }
            for name, quantity, estimate in rows
        ]
    )
    columns = {
        "quantity": Column("of decided games"),
        "value": Column("value", _two, interval=True),
        "unit": Column("unit"),
    }
    return Table(_title("what a game is like", found, parameters), frame, columns)


def _quantiles(found: GameLengths, parameters: Parameters) -> Table:
    rows = [
        {
            "part": one.part,
            "deals": np.nan if one.deals is None else float(one.deals),
            "deals_low": np.nan if one.low is None else float(one.low),
            "deals_high": np.nan if one.high is None else float(one.high),
        }
        for one in found.quantiles
    ]
    columns = {
        "part": Column("part of these", "{:.0%}".format),
        "deals": Column("over after deals", or_dash(whole), interval=True),
    }
    title = "after how many deals a part of the decided games is over"
    return Table(_title(title, found, parameters), pd.DataFrame(rows), columns)


def _seats(found: GameLengths, parameters: Parameters) -> Table:
    rows = [
        {
            "seat": seat,
            "strategy": one.strategy,
            **flat("won", one.won),
            **flat("score", one.score),
            **flat("moons", one.moons),
        }
        for seat, one in enumerate(found.seats)
    ]
    columns = {
        "seat": Column("seat"),
        "strategy": Column("strategy"),
        "won": Column("games won", _share, interval=True),
        "score": Column("final score", _two, interval=True),
        "moons": Column("moons made a game", fixed(3), interval=True),
    }
    title = "by seat, of decided games; seat 0 deals first"
    return Table(_title(title, found, parameters), pd.DataFrame(rows), columns)


def _by_strategy(found: Sequence[GameLengths], parameters: Parameters) -> Table:
    rows = [
        {
            "strategies": _names(one.strategies),
            "games": one.games,
            "decided": one.decided,
            **flat("deals", one.deals),
            **flat("longer", one.longer),
            **flat("redeals", one.redeals),
            **flat("by_moon", one.by_moon),
            **flat("moon_made", one.moon_made),
            **flat("winner", one.places[0]),
        }
        for one in found
    ]
    columns = {
        "strategies": Column("players"),
        "deals": Column("deals", _two, interval=True),
        "longer": Column("more than first", signed(2), interval=True),
        "redeals": Column("redeals", _two, interval=True),
        "by_moon": Column("end with a moon", _share, interval=True),
    }
    title = (
        "a game by who plays it, with the same cards; deals and redeals are means of decided "
        "games, 'more than first' is the mean difference of games with the same cards"
    )
    amount = f"{found[0].games:,} games"
    return Table(table_title(title, parameters, amount), pd.DataFrame(rows), columns)


def _distribution(found: GameLengths, parameters: Parameters) -> Table:
    rows = [
        {"deals": deals, **flat("share", share), **flat("over", found.over[deals])}
        for deals, share in found.shares.items()
    ]
    names = ["deals", "share", "share_low", "share_high", "over", "over_low", "over_high"]
    columns = {
        "deals": Column("deals"),
        "share": Column("games that end then", _share, interval=True),
        "over": Column("then or before", _share, interval=True),
    }
    title = "share of the decided games by the number of their deals"
    return Table(_title(title, found, parameters), pd.DataFrame(rows, columns=names), columns)


def _answer(found: GameLengths, rules: Rules) -> str:
    if not found.decided:
        return (
            f"It has no end that can be told: none of {found.games:,} games to {rules.target} "
            f"between {players(found.strategies)} was decided in {MAX_DEALS:,} deals."
        )
    parts = {one.part: one.deals for one in found.quantiles}
    lost = found.games - found.decided
    decided = " that is decided" if lost else ""
    answer = f"A game to {rules.target}{decided} takes {span(found.deals, _two)} deals on average"
    if found.decided > 1:
        answer += f" (half of them at most {parts[0.5]}, nine in ten at most {parts[0.9]})"
    if lost:
        return (
            f"{answer}, but {lost:,} of {found.games:,} games were given up after {MAX_DEALS:,} "
            "deals."
        )
    return f"{answer}, and {span(found.by_moon, _share)} of games end with a made moon."


def _notes(found: Sequence[GameLengths], rules: Rules) -> tuple[str, ...]:
    first = found[0]
    undecided = [
        f"{one.games - one.decided:,} of {one.games:,} of {_names(one.strategies)}"
        for one in found
        if one.decided < one.games
    ]
    left = (
        f"Not decided within {MAX_DEALS:,} deals, and given up: {'; '.join(undecided)}. They are "
        "the longest, and all numbers are of the others: a game that may go on for ever has no "
        "mean length."
        if undecided
        else "Every game was decided."
    )
    others = (
        " The other line-ups play games with the same cards, deal by deal, so that their "
        "differences are means of differences."
        if len(found) > 1
        else ""
    )
    return (
        players_note(first.strategies, first.model) + others,
        "A game is a unit: games are independent. Means have normal intervals, shares of games "
        "Wilson's; of shares of deals and of moons, of which a game has several, the error is "
        "that of a ratio over games. An interval of a quantile goes from one game to another in "
        "the order of length. [-, -]: no interval can be told.",
        "A game ends with a made moon if its last deal is one, and its declarer wins the game "
        f"with it. Deals count redeals. {left}",
        rules_sentence(rules),
    )
