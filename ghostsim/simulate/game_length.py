"""How long games are, by playing them: deals to the target, redeals, and what moons decide."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ghostsim.rules import STANDARD, Rules
from ghostsim.simulate.games import GAMES_PER_BLOCK, GameResults, for_engine, play_games
from ghostsim.simulate.moments import (
    Columns,
    Moments,
    check_units,
    moment_sums,
    read_moments,
    table_model,
)
from ghostsim.simulate.runner import Runner, Simulation, Watch
from ghostsim.stats import Estimate, check_level, estimate_proportion
from ghostsim.strategies import Strategy, check_strategies

#: After as many deals a game is given up.
MAX_DEALS = 1_000

Seats = tuple[Strategy, Strategy, Strategy]


@dataclass(frozen=True)
class Quantile:
    """A number of deals by which a part of the games is over.

    Attributes
    ----------
    part : float
        Of the decided games, above 0 and below 1.
    deals : int or None
        The least number of deals after which so many of them are over; None of no games.
    low, high : int or None
        Its interval; None where the games are too few to tell one.
    """

    part: float
    deals: int | None
    low: int | None
    high: int | None


@dataclass(frozen=True)
class SeatGames:
    """What became of one seat, over the games that were decided.

    Attributes
    ----------
    strategy : str
    won : Estimate or None
        Share of the games.
    score : Estimate or None
        At the end, points.
    moons : Estimate or None
        Moons it made, a game.
    """

    strategy: str
    won: Estimate | None
    score: Estimate | None
    moons: Estimate | None


@dataclass(frozen=True)
class GameLengths:
    """How long the games of three strategies were.

    All is told of decided games only. An estimate is None where there were too few games.

    Attributes
    ----------
    strategies : three of str
        By seat.
    model : str
    games, decided : int
        Played, and those with a winner after ``MAX_DEALS`` deals or fewer.
    deals : Estimate or None
        Deals a game, redeals among them.
    longer : Estimate or None
        How many deals more than in the games of the first line-up with the same cards; of the
        first itself None.
    redeals : Estimate or None
        A game.
    redealt : Estimate or None
        Share of deals in which nobody bid, and that were dealt again.
    by_moon : Estimate or None
        Share of games that ended with a moon that its declarer made and won with.
    moon_made, winner_moon : Estimate or None
        Share of games in which somebody made a moon, and in which the winner did.
    moons_bid : Estimate or None
        Moons bid, a game.
    moons_made : Estimate or None
        Share of the moons bid that were made.
    deals_with_moon, deals_without : Estimate or None
        Deals a game, if somebody made a moon in it, and if nobody did.
    places : tuple of Estimate or None
        Final scores of the winner, the second and the third, points.
    seats : tuple of SeatGames
    shares, over : dict from int to Estimate
        By number of deals: share of the games that ended then, and then or before.
    quantiles : tuple of Quantile
    """

    strategies: tuple[str, str, str]
    model: str
    games: int
    decided: int
    deals: Estimate | None
    longer: Estimate | None
    redeals: Estimate | None
    redealt: Estimate | None
    by_moon: Estimate | None
    moon_made: Estimate | None
    winner_moon: Estimate | None
    moons_bid: Estimate | None
    moons_made: Estimate | None
    deals_with_moon: Estimate | None
    deals_without: Estimate | None
    places: tuple[Estimate | None, Estimate | None, Estimate | None]
    seats: tuple[SeatGames, SeatGames, SeatGames]
    shares: dict[int, Estimate]
    over: dict[int, Estimate]
    quantiles: tuple[Quantile, ...]


#: Parts of the games that quantiles are told for.
PARTS = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99)


def simulate_game_lengths(
    lineups: Sequence[Sequence[Strategy | str]],
    games: int,
    *,
    seed: int = 0,
    rules: Rules = STANDARD,
    level: float = 0.95,
    runner: Runner | None = None,
) -> tuple[GameLengths, ...]:
    """Play the same games with several line-ups.

    Parameters
    ----------
    lineups : sequence of three strategies each
        By seat. The first is the one that others are compared with.
    games : int
        At least 2. Game g is game g of the seed for every line-up: the same cards, deal by deal,
        and seat 0 deals first.
    seed : int
    rules : Rules
    level : float
        Confidence level of the intervals.
    runner : Runner, optional

    Returns
    -------
    tuple of GameLengths
        One a line-up.

    Raises
    ------
    SimulationError
        If there are fewer than two games; and as ``play_games``.
    """
    check_units(games, "games")
    check_level(level)
    seats = [check_strategies(lineup) for lineup in lineups]
    # None played: compiles each strategy once, before threads would each begin it.
    empty = [play_games(three, 0, rules=rules) for three in seats]
    names = tuple(_columns(empty[0], empty[0]))
    simulation = Simulation(
        "games",
        functools.partial(_block, lineups=tuple(seats), rules=rules),
        title="playing games",
        unit="games",
        per_block=GAMES_PER_BLOCK,
        watch=Watch(
            "the length of a game",
            functools.partial(read_moments, names=names, y="deals", among="decided"),
            table_model(empty[0].strategies),
            "deals a game",
            bounds=(0, MAX_DEALS),
        ),
    )
    simulation = for_engine(simulation, seats, rules)
    ran = (runner or Runner()).run(simulation, games, seed=seed, level=level)
    rows = ran.sums.reshape(len(seats), -1)
    return tuple(
        _lengths(results.strategies, names, row, ran.n, level, is_first=i == 0)
        for i, (results, row) in enumerate(zip(empty, rows, strict=True))
    )


def _block(
    seed: int, start: int, count: int, lineups: tuple[Seats, ...], rules: Rules
) -> NDArray[np.int64]:
    """For each line-up, the sums of its columns, and its decided games by number of deals."""
    sums = []
    first = None
    for seats in lineups:
        games = play_games(seats, count, seed=seed, start=start, rules=rules, max_deals=MAX_DEALS)
        first = games if first is None else first
        sums.append(moment_sums(_columns(games, first)))
        sums.append(np.bincount(games.deals[games.winner >= 0], minlength=MAX_DEALS + 1))
    return np.concatenate(sums)


def _columns(games: GameResults, first: GameResults) -> Columns:
    """Whole numbers of every game; 0 in games that were not decided."""
    decided = games.winner >= 0
    moons, bid = games.moons.sum(axis=1), (games.moons + games.moons_set).sum(axis=1)
    own_moons = games.moons[np.arange(len(games)), games.winner]
    made = decided & (moons > 0)
    both = decided & (first.winner >= 0)
    lowest, middle, highest = np.sort(games.scores, axis=1).T
    columns = {
        "decided": decided,
        "deals": decided * games.deals,
        "both": both,
        "longer": both * (games.deals - first.deals),
        "redeals": decided * games.redeals,
        "by_moon": games.decided_by_moon,
        "moon_made": made,
        "winner_moon": decided & (own_moons > 0),
        "moons_bid": decided * bid,
        "moons": decided * moons,
        "deals_with_moon": made * games.deals,
        "no_moon": decided & ~made,
        "deals_without": (decided & ~made) * games.deals,
        "winner": decided * highest,
        "second": decided * middle,
        "third": decided * lowest,
    }
    for seat in range(3):
        columns[f"won_{seat}"] = games.winner == seat
        columns[f"score_{seat}"] = decided * games.scores[:, seat]
        columns[f"moons_{seat}"] = decided * games.moons[:, seat]
    return columns


def _lengths(
    strategies: tuple[str, str, str],
    names: tuple[str, ...],
    sums: NDArray[np.int64],
    games: int,
    level: float,
    *,
    is_first: bool,
) -> GameLengths:
    model = table_model(strategies)
    found = Moments(names, sums[: -MAX_DEALS - 1], games, level, model, "games")
    by_deals = sums[-MAX_DEALS - 1 :].tolist()
    mean = functools.partial(found.mean, among="decided")
    share = functools.partial(found.proportion, among="decided")
    decided = found.total("decided")
    proportion = functools.partial(estimate_proportion, n=decided, level=level, model=model)
    lengths = [deals for deals, count in enumerate(by_deals) if count]
    seen = range(lengths[0], lengths[-1] + 1) if lengths else range(0)
    over = np.cumsum(by_deals).tolist()
    return GameLengths(
        strategies=strategies,
        model=model,
        games=games,
        decided=decided,
        deals=mean("deals"),
        longer=None if is_first else found.mean("longer", among="both"),
        redeals=mean("redeals"),
        redealt=found.share("redeals", "deals"),
        by_moon=share("by_moon"),
        moon_made=share("moon_made"),
        winner_moon=share("winner_moon"),
        moons_bid=mean("moons_bid"),
        moons_made=found.share("moons", "moons_bid"),
        deals_with_moon=found.mean("deals_with_moon", among="moon_made"),
        deals_without=found.mean("deals_without", among="no_moon"),
        places=(mean("winner"), mean("second"), mean("third")),
        seats=_three(
            SeatGames(name, share(f"won_{seat}"), mean(f"score_{seat}"), mean(f"moons_{seat}"))
            for seat, name in enumerate(strategies)
        ),
        shares={deals: proportion(by_deals[deals]) for deals in seen},
        over={deals: proportion(over[deals]) for deals in seen},
        quantiles=tuple(quantile(by_deals, decided, part, level) for part in PARTS),
    )


def _three(seats: Iterator[SeatGames]) -> tuple[SeatGames, SeatGames, SeatGames]:
    first, second, third = seats
    return first, second, third


def quantile(by_deals: Sequence[int], games: int, part: float, level: float) -> Quantile:
    """By how many deals a part of the games is over.

    The interval goes from one game to another of the games in the order of their length, and says
    nothing of how lengths are distributed (David and Nagaraja, Order Statistics, 7.1); the
    binomial numbers of those games are taken from their normal approximation, outwards.

    Parameters
    ----------
    by_deals : sequence of int
        Games that ended with deal number i, at i.
    games : int
        All of them; those that never ended are the longest.
    part : float
    level : float

    Examples
    --------
    >>> quantile([0, 0, 30, 40, 30], 100, 0.5, 0.95)
    Quantile(part=0.5, deals=3, low=3, high=3)
    """
    over = np.cumsum(by_deals)

    def at(number: int) -> int | None:
        """The deals of the game of this number in the order of length, from 1."""
        if not 1 <= number <= min(games, int(over[-1])):
            return None
        return int(np.searchsorted(over, number))

    reach = NormalDist().inv_cdf(0.5 + level / 2) * math.sqrt(games * part * (1 - part))
    low = at(math.floor(games * part - reach))
    high = at(math.ceil(games * part + reach) + 1)
    if low is None or high is None:
        low = high = None
    # Not a hair above a whole number: 0.1 * 30 is 3.0000000000000004.
    return Quantile(part, at(math.ceil(round(games * part, 6))), low, high)
