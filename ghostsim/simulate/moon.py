"""Moons at a table, by simulation: how often, what they bring, and what their points decide.

Every set of rules is played with the same deals and the same games, so differences are of pairs.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ghostsim.rules import STANDARD, Bid, Rules, check_rules
from ghostsim.simulate.games import DealResults, GameResults, for_engine, play_deals, play_games
from ghostsim.simulate.moments import (
    Columns,
    Moments,
    check_units,
    moment_sums,
    n_sums,
    read_moments,
    table_model,
)
from ghostsim.simulate.runner import Runner, Simulation, Watch
from ghostsim.stats import Estimate, check_level
from ghostsim.strategies import Steady, check_strategies
from ghostsim.strategies.base import Strategy

#: Deals played for each game, numbered from 0 as deals are.
DEALS_PER_GAME = 10
GAMES_PER_BLOCK = 2_000
#: After so many deals a game is given up.
MAX_DEALS = 1_000

#: Hand counts from which one seat shoots; 20 is more than any hand has. Others are compared with
#: the second.
THUMB_COUNTS = (6, 7, 8, 20)
THUMB_BASE = 7
THUMB_GAMES_PER_BLOCK = 500

#: What a player did with moons in a game.
PLAYERS = ("none bid", "set only", "one made", "two or more made")


@dataclass(frozen=True)
class MoonTable:
    """Moons under some rules. An estimate is None where there was nothing to estimate it from.

    Attributes
    ----------
    rules : Rules
    bid : Estimate
        The proportion of deals in which the moon is bid.
    made : Estimate or None
        The proportion of moons that are made.
    points : Estimate or None
        The declarer's, a moon.
    swapped : Estimate or None
        The proportion of moons bid by a player who has traded his hand.
    deals_per_game : Estimate or None
        Redeals among them; of decided games.
    decided : Estimate
        The proportion of games that end with a made moon of the winner.
    more_decided : Estimate or None
        The same less that of the first rules, game by game; None of the first rules.
    unfinished : int
        Games given up.
    """

    rules: Rules
    bid: Estimate
    made: Estimate | None
    points: Estimate | None
    swapped: Estimate | None
    deals_per_game: Estimate | None
    decided: Estimate
    more_decided: Estimate | None
    unfinished: int


@dataclass(frozen=True)
class MoonWorth:
    """What the points of a moon buy: beside the same cards if it scored its six tricks only.

    Attributes
    ----------
    plain : Estimate or None
        What the seat that shoots would get on the same deal, points.
    gain : Estimate or None
        What it gets more, a moon.
    others : Estimate or None
        What the other two get more, together.
    other_winner : Estimate or None
        The proportion of games with another winner.
    winners : Estimate or None
        The proportion of games won by a player who made a moon in it.
    """

    plain: Estimate | None
    gain: Estimate | None
    others: Estimate | None
    other_winner: Estimate | None
    winners: Estimate | None


@dataclass(frozen=True)
class MoonPlayers:
    """Players of decided games who did the same with moons.

    Attributes
    ----------
    did : str
        One of ``PLAYERS``.
    players : Estimate or None
        Their share of all players.
    won : Estimate or None
        The share of them that won the game.
    """

    did: str
    players: Estimate | None
    won: Estimate | None


@dataclass(frozen=True)
class MoonResults:
    """Moons at the table.

    Attributes
    ----------
    games : int
    tables : tuple of MoonTable
        By rules, as asked for.
    worth : MoonWorth
        Under the first rules.
    players : tuple of MoonPlayers
        Under the first rules.
    """

    games: int
    tables: tuple[MoonTable, ...]
    worth: MoonWorth
    players: tuple[MoonPlayers, ...]


@dataclass(frozen=True)
class ThumbAtTable:
    """A seat that shoots from a hand count, in each of the three seats in turn.

    Attributes
    ----------
    count : int
        It plays ``steady:moon=COUNT``.
    won : Estimate or None
        The proportion of games that it wins; one that is given up is not won.
    points : Estimate or None
        Its points a deal.
    more_won, more_points : Estimate or None
        The same less those of ``THUMB_BASE``, game by game and deal by deal; None of that itself.
    unfinished : int
        Games given up, of three times as many as there are.
    """

    count: int
    won: Estimate | None
    points: Estimate | None
    more_won: Estimate | None
    more_points: Estimate | None
    unfinished: int


def plain_moon(rules: Rules) -> Rules:
    """The same rules with a moon that scores its six tricks, and no more."""
    return rules.replace(moon_points=6)


def simulate_moons(
    games: int,
    strategies: Sequence[Strategy | str] = ("odds", "odds", "odds"),
    other_rules: Sequence[Rules] = (),
    *,
    seed: int = 0,
    rules: Rules = STANDARD,
    level: float = 0.95,
    runner: Runner | None = None,
) -> MoonResults:
    """Play games, and ten deals for each, under some rules and others.

    Parameters
    ----------
    games : int
        At least 2.
    strategies : three of Strategy or str
        By seat.
    other_rules : sequence of Rules
        Played as well, with the same cards.
    seed : int
    rules : Rules
        Those that are told in full.
    level : float
    runner : Runner, optional
    """
    check_units(games, "games")
    check_level(level)
    seats = check_strategies(strategies)
    every = (check_rules(rules), *other_rules)
    for one in (*every, plain_moon(rules)):  # once, before threads would each begin it
        play_deals(seats, 0, rules=one)
    model = table_model([seat.name for seat in seats])
    simulation = Simulation(
        "moons",
        functools.partial(_block, seats=seats, every=every),
        title="playing deals and games",
        unit="games",
        per_block=GAMES_PER_BLOCK,
        watch=Watch(
            "the share of deals in which the moon is bid",
            functools.partial(read_moments, names=_DEAL, y="moon", units=DEALS_PER_GAME),
            model,
            "share of deals",
        ),
    )
    simulation = for_engine(simulation, [seats], rules)
    ran = (runner or Runner()).run(simulation, games, seed=seed, level=level)
    return _results(ran.sums, ran.n, every, level, model)


def simulate_thumbs(
    games: int,
    strategies: Sequence[Strategy | str] = ("odds", "odds", "odds"),
    *,
    seed: int = 0,
    rules: Rules = STANDARD,
    level: float = 0.95,
    runner: Runner | None = None,
) -> tuple[ThumbAtTable, ...]:
    """Play games, and ten deals for each, with one seat that shoots from a hand count.

    Parameters
    ----------
    games : int
        At least 2; each is played with each of the three seats as the one that shoots so.
    strategies : three of Strategy or str
        Who sits in the other seats.
    seed, rules, level, runner
        As in ``simulate_moons``.

    Returns
    -------
    tuple of ThumbAtTable
        By ``THUMB_COUNTS``.
    """
    check_units(games, "games")
    check_level(level)
    check_rules(rules)
    seats = check_strategies(strategies)
    tables = tuple(
        tuple(_with_thumb(seats, seat, count) for seat in range(3)) for count in THUMB_COUNTS
    )
    for one in tables:  # once, before threads would each begin it
        for table in one:
            play_deals(table, 0, rules=rules)
    simulation = Simulation(
        "thumbs",
        functools.partial(_thumb_block, tables=tables, rules=rules),
        title="playing rules of thumb",
        unit="games",
        per_block=THUMB_GAMES_PER_BLOCK,
    )
    simulation = for_engine(simulation, [seats], rules)
    ran = (runner or Runner()).run(simulation, games, seed=seed)
    of_games, of_deals = np.split(ran.sums, [n_sums(_THUMB_GAME)])
    model = table_model([seat.name for seat in seats])
    won = Moments(_THUMB_GAME, of_games, games, level, model, "games")
    points = Moments(_THUMB_DEAL, of_deals, games * DEALS_PER_GAME, level, model)
    return tuple(_thumb(count, won, points) for count in THUMB_COUNTS)


def _with_thumb(
    seats: tuple[Strategy, Strategy, Strategy], seat: int, count: int
) -> tuple[Strategy, Strategy, Strategy]:
    first, second, third = (Steady(moon=count) if i == seat else one for i, one in enumerate(seats))
    return first, second, third


_THUMB_GAME = (
    "plays",
    *(f"won_{count}" for count in THUMB_COUNTS),
    *(f"finished_{count}" for count in THUMB_COUNTS),
)
_THUMB_DEAL = tuple(f"points_{count}" for count in THUMB_COUNTS)


def _thumb_block(
    seed: int,
    start: int,
    count: int,
    tables: tuple[tuple[tuple[Strategy, Strategy, Strategy], ...], ...],
    rules: Rules,
) -> NDArray[np.int64]:
    """Sums over games and over deals, of what the three seats got that shot in turn."""
    games = {name: np.zeros(count, dtype=np.int64) for name in _THUMB_GAME}
    deals = {name: np.zeros(count * DEALS_PER_GAME, dtype=np.int64) for name in _THUMB_DEAL}
    games["plays"] += 3
    for least, by_seat in zip(THUMB_COUNTS, tables, strict=True):
        for seat, table in enumerate(by_seat):
            played = play_games(
                table, count, seed=seed, start=start, rules=rules, max_deals=MAX_DEALS
            )
            games[f"won_{least}"] += played.winner == seat
            games[f"finished_{least}"] += played.winner >= 0
            dealt = play_deals(
                table,
                count * DEALS_PER_GAME,
                seed=seed,
                start=start * DEALS_PER_GAME,
                rules=rules,
            )
            deals[f"points_{least}"] += dealt.points[:, seat]
    return np.concatenate([moment_sums(games), moment_sums(deals)])


def _thumb(count: int, games: Moments, deals: Moments) -> ThumbAtTable:
    is_base = count == THUMB_BASE
    won, points = f"won_{count}", f"points_{count}"
    less_won, less_points = f"won_{THUMB_BASE}", f"points_{THUMB_BASE}"
    return ThumbAtTable(
        count=count,
        won=games.share(won, "plays"),
        points=deals.mean(points, per=3),
        more_won=None if is_base else games.mean({won: 1, less_won: -1}, per=3),
        more_points=None if is_base else deals.mean({points: 1, less_points: -1}, per=3),
        unfinished=games.total("plays") - games.total(f"finished_{count}"),
    )


def _block(
    seed: int,
    start: int,
    count: int,
    seats: tuple[Strategy, Strategy, Strategy],
    every: tuple[Rules, ...],
) -> NDArray[np.int64]:
    """The sums that ``_results`` reads."""
    played: dict[Rules, tuple[DealResults, GameResults]] = {}
    for rules in (*every, plain_moon(every[0])):
        if rules not in played:
            deals = play_deals(
                seats,
                count * DEALS_PER_GAME,
                seed=seed,
                start=start * DEALS_PER_GAME,
                rules=rules,
            )
            games = play_games(
                seats, count, seed=seed, start=start, rules=rules, max_deals=MAX_DEALS
            )
            played[rules] = deals, games
    first_deals, first_games = played[every[0]]
    plain_deals, plain_games = played[plain_moon(every[0])]
    columns: list[Columns] = []
    for rules in every:
        deals, games = played[rules]
        columns += [_deal_columns(deals), _game_columns(games, first_games)]
    columns += [
        _worth_columns(first_deals, plain_deals),
        _winner_columns(first_games, plain_games),
        _player_columns(first_games),
    ]
    return np.concatenate([moment_sums(one) for one in columns])


def _declared(deals: DealResults) -> NDArray[np.int64]:
    """The declarers of deals; a seat that means nothing where there is none."""
    return np.maximum(deals.declarer, 0).astype(np.int64)


def _deal_columns(deals: DealResults) -> Columns:
    moon = deals.bid == Bid.MOON
    rows, declarer = np.arange(len(deals)), _declared(deals)
    return {
        "moon": moon,
        "made": moon & (deals.tricks[rows, declarer] == 6),
        "points": moon * deals.points[rows, declarer],
        "swapped": moon & (deals.swapper == deals.declarer),
    }


def _game_columns(games: GameResults, first: GameResults) -> Columns:
    finished, decided = games.winner >= 0, games.decided_by_moon
    return {
        "finished": finished,
        "deals": finished * games.deals,
        "decided": decided,
        "more_decided": decided.astype(np.int64) - first.decided_by_moon,
    }


def _worth_columns(deals: DealResults, plain: DealResults) -> Columns:
    """Of deals in which the moon is bid: points beside those of the plain rules, by the seat."""
    moon = deals.bid == Bid.MOON
    rows, declarer = np.arange(len(deals)), _declared(deals)
    more = deals.points.astype(np.int64) - plain.points
    own = more[rows, declarer]
    return {
        "moon": moon,
        "plain": moon * plain.points[rows, declarer],
        "gain": moon * own,
        "others": moon * (more.sum(axis=1) - own),
    }


def _winner_columns(games: GameResults, plain: GameResults) -> Columns:
    finished = games.winner >= 0
    both = finished & (plain.winner >= 0)
    made = games.moons[np.arange(len(games)), np.maximum(games.winner, 0)] > 0
    return {
        "finished": finished,
        "winners": finished & made,
        "both": both,
        "other_winner": both & (games.winner != plain.winner),
    }


def _player_columns(games: GameResults) -> Columns:
    """Players of each kind in a game, and winners among them."""
    finished = (games.winner >= 0)[:, np.newaxis]
    won = games.winner[:, np.newaxis] == np.arange(3)
    kinds = (
        (games.moons == 0) & (games.moons_set == 0),
        (games.moons == 0) & (games.moons_set > 0),
        games.moons == 1,
        games.moons > 1,
    )
    columns: dict[str, NDArray[np.int64]] = {"all": 3 * finished[:, 0]}
    for did, kind in zip(PLAYERS, kinds, strict=True):
        columns[did] = (kind & finished).sum(axis=1)
        columns[f"{did}, won"] = (kind & won).sum(axis=1)
    return columns


_DEAL = ("moon", "made", "points", "swapped")
_GAME = ("finished", "deals", "decided", "more_decided")
_WORTH = ("moon", "plain", "gain", "others")
_WINNER = ("finished", "winners", "both", "other_winner")
_PLAYER = ("all", *(name for did in PLAYERS for name in (did, f"{did}, won")))


def _results(
    sums: NDArray[np.int64], games: int, every: tuple[Rules, ...], level: float, model: str
) -> MoonResults:
    names: list[tuple[str, ...]] = [*[_DEAL, _GAME] * len(every), _WORTH, _WINNER, _PLAYER]
    parts = np.split(sums, np.cumsum([n_sums(one) for one in names])[:-1])
    found = [
        Moments(one, part, games * (DEALS_PER_GAME if one in (_DEAL, _WORTH) else 1), level, model)
        for one, part in zip(names, parts, strict=True)
    ]
    *by_rules, worth, winner, player = found
    tables = [
        _table(rules, by_rules[2 * i], by_rules[2 * i + 1], is_first=i == 0)
        for i, rules in enumerate(every)
    ]
    return MoonResults(
        games=games,
        tables=tuple(tables),
        worth=MoonWorth(
            plain=worth.mean("plain", among="moon"),
            gain=worth.mean("gain", among="moon"),
            others=worth.mean("others", among="moon"),
            other_winner=winner.proportion("other_winner", among="both"),
            winners=winner.proportion("winners", among="finished"),
        ),
        players=tuple(
            MoonPlayers(did, player.share(did, "all"), player.share(f"{did}, won", did))
            for did in PLAYERS
        ),
    )


def _table(rules: Rules, deals: Moments, games: Moments, *, is_first: bool) -> MoonTable:
    bid, decided = deals.proportion("moon"), games.proportion("decided")
    assert bid is not None and decided is not None  # there are two games or more
    return MoonTable(
        rules=rules,
        bid=bid,
        made=deals.proportion("made", among="moon"),
        points=deals.mean("points", among="moon"),
        swapped=deals.proportion("swapped", among="moon"),
        deals_per_game=games.mean("deals", among="finished"),
        decided=decided,
        more_decided=None if is_first else games.mean("more_decided"),
        unfinished=games.n - games.total("finished"),
    )
