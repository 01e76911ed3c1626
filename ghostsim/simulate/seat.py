"""What a seat is worth, by paired rotation: the same cards, with each seat dealing once.

Each deal is played three times, dealt by seat 0, 1 and 2, so each hand is held once from each
position at the table. A deal in its three rotations is one unit, and so is a game.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from ghostsim.rules import STANDARD, Rules
from ghostsim.simulate.games import (
    CHUNK_DEALS,
    GAMES_PER_BLOCK,
    DealResults,
    GameResults,
    for_engine,
    play_deals,
    play_games,
)
from ghostsim.simulate.moments import (
    Columns,
    Moments,
    check_units,
    moment_sums,
    point_bounds,
    read_moments,
    table_model,
)
from ghostsim.simulate.runner import Runner, Simulated, Simulation, Watch
from ghostsim.stats import Estimate, check_level
from ghostsim.strategies import Strategy, check_strategies

#: After as many deals a game is given up.
MAX_DEALS = 1_000

Seats = tuple[Strategy, Strategy, Strategy]
#: A place at the table, counted clockwise from the dealer.
Position: TypeAlias = Literal["left of dealer", "right of dealer", "dealer"]
POSITIONS: tuple[Position, ...] = get_args(Position)


@dataclass(frozen=True)
class PositionValue:
    """What a position is worth, and what is done from it. None: it never came about.

    Attributes
    ----------
    position : str
    turn : int
        Of the auction, from 1.
    points : Estimate
        A deal; a deal in which nobody bids scores 0.
    swaps, bids, declares : Estimate
        Share of deals in which this position trades its hand for the ghost, makes a bid, and
        declares.
    set : Estimate or None
        Share of its contracts in which it is set.
    declarer_points : Estimate or None
        Points of the deals that it declares.
    other_points : Estimate or None
        Points of all its other deals, redeals among them.
    """

    position: Position
    turn: int
    points: Estimate
    swaps: Estimate | None
    bids: Estimate | None
    declares: Estimate | None
    set: Estimate | None
    declarer_points: Estimate | None
    other_points: Estimate | None


@dataclass(frozen=True)
class SeatValues:
    """What positions are worth in a deal, and dealing first in a game.

    Attributes
    ----------
    strategies : three of str
        By seat.
    model : str
    deals : int
        Each played three times.
    positions : tuple of PositionValue
        In the order of their turns.
    differences : dict
        By two positions: points a deal of the first less those of the second, on the same deals.
    against_others : dict
        By position: its points a deal less the mean of the two others, on the same deals.
    games, decided : int
        Games, each played three times; plays of them that were decided, of three times as many.
    equity : tuple of Estimate or None
        Share of the decided games that are won by the seat that deals first, second, third.
    equity_differences : dict
        By two of these, from 0: the difference of the shares, on games with the same cards.
    """

    strategies: tuple[str, str, str]
    model: str
    deals: int
    positions: tuple[PositionValue, ...]
    differences: dict[tuple[Position, Position], Estimate]
    against_others: dict[Position, Estimate]
    games: int
    decided: int
    equity: tuple[Estimate | None, ...]
    equity_differences: dict[tuple[int, int], Estimate | None]


def simulate_seats(
    strategies: Sequence[Strategy | str],
    deals: int,
    games: int,
    *,
    seed: int = 0,
    rules: Rules = STANDARD,
    level: float = 0.95,
    runner: Runner | None = None,
) -> SeatValues:
    """Play deals and games, each dealt (first) by seat 0, 1 and 2.

    Parameters
    ----------
    strategies : three of Strategy or str
        By seat. If they differ, each plays as often from each position, with each hand.
    deals, games : int
        At least 2; each is played three times. Deal i is deal i of the seed, game g its game g.
    seed : int
    rules : Rules
    level : float
        Confidence level of the intervals.
    runner : Runner, optional
        Stopped early by its precision, it plays games in proportion.

    Raises
    ------
    SimulationError
        If there are fewer than two deals or games; and as ``play_deals``.
    """
    check_units(deals, "deals")
    check_units(games, "games")
    check_level(level)
    seats = check_strategies(strategies)
    # None played: compiles the strategies once, before threads would each begin it.
    no_deals = play_deals(seats, 0, rules=rules)
    no_games = play_games(seats, 0, rules=rules)
    model = table_model(no_deals.strategies)
    runner = runner or Runner()

    def run(simulation: Simulation, amount: int) -> Simulated:
        return runner.run(for_engine(simulation, [seats], rules), amount, seed=seed, level=level)

    deal_columns, game_columns = (
        tuple(_deal_columns([no_deals] * 3)),
        tuple(_game_columns([no_games] * 3)),
    )
    low, high = point_bounds(rules)
    dealt = run(
        Simulation(
            "deals",
            functools.partial(_deals_block, seats=seats, rules=rules),
            title="playing deals",
            per_block=CHUNK_DEALS,
            watch=Watch(
                "the lead of the seat left of the dealer over the mean of the two others",
                functools.partial(read_moments, names=deal_columns, y=_more_than_others(0)),
                model,
                "points a deal",
                bounds=(6 * (low - high), 6 * (high - low)),
                per=6,
            ),
        ),
        deals,
    )
    deals, games = dealt.n, max(2, games * dealt.n // deals)
    played = run(
        Simulation(
            "games",
            functools.partial(_games_block, seats=seats, rules=rules),
            title="playing games",
            unit="games",
            per_block=GAMES_PER_BLOCK,
        ),
        games,
    )
    by_deal = Moments(deal_columns, dealt.sums, deals, level, model)
    by_game = Moments(game_columns, played.sums, games, level, model, "games")
    pairs = [(a, b) for b in range(3) for a in range(b)]
    return SeatValues(
        strategies=no_deals.strategies,
        model=model,
        deals=deals,
        positions=tuple(
            _position(by_deal, place, turn) for turn, place in enumerate(_turns(rules), start=1)
        ),
        differences={
            (POSITIONS[a], POSITIONS[b]): _some(
                by_deal.mean({f"points_{a}": 1, f"points_{b}": -1}, per=3)
            )
            for a, b in pairs
        },
        against_others={
            POSITIONS[place]: _some(by_deal.mean(_more_than_others(place), per=6))
            for place in range(3)
        },
        games=games,
        decided=by_game.total("decided"),
        equity=tuple(by_game.share(f"won_{place}", "decided") for place in range(3)),
        equity_differences={
            (a, b): by_game.ratio({f"won_{a}": 1, f"won_{b}": -1}, "decided") for a, b in pairs
        },
    )


def _more_than_others(place: int) -> dict[str, int]:
    """Twice the one less both others, of three plays: six times the mean difference."""
    return {f"points_{other}": 2 if other == place else -1 for other in range(3)}


def _turns(rules: Rules) -> tuple[int, ...]:
    """Positions, as numbers, in the order of their turns."""
    return (2, 0, 1) if rules.first_bidder == "dealer" else (0, 1, 2)


def _deals_block(
    seed: int, start: int, count: int, seats: Seats, rules: Rules
) -> NDArray[np.int64]:
    return moment_sums(
        _deal_columns(
            [
                play_deals(seats, count, seed=seed, start=start, rules=rules, dealer=dealer)
                for dealer in range(3)
            ]
        )
    )


def _games_block(
    seed: int, start: int, count: int, seats: Seats, rules: Rules
) -> NDArray[np.int64]:
    return moment_sums(
        _game_columns(
            [
                play_games(
                    seats,
                    count,
                    seed=seed,
                    start=start,
                    rules=rules,
                    first_dealer=dealer,
                    max_deals=MAX_DEALS,
                )
                for dealer in range(3)
            ]
        )
    )


def _deal_columns(plays: Sequence[DealResults]) -> Columns:
    """For each position, what it did in the three plays of a deal together.

    ``plays[d]`` was dealt by seat d.
    """
    columns = {"plays": np.full(len(plays[0]), 3)}
    for place in range(3):
        name = f"_{place}"
        held = [(one, (dealer + 1 + place) % 3) for dealer, one in enumerate(plays)]
        turn = _turns(plays[0].rules).index(place)
        declared = [one.declarer == seat for one, seat in held]
        points = [one.points[:, seat] for one, seat in held]
        columns |= {
            f"points{name}": _total(points),
            f"swaps{name}": _total(one.swapper == seat for one, seat in held),
            f"bids{name}": _total(one.bids[:, turn] > 0 for one, _ in held),
            f"declares{name}": _total(declared),
            f"set{name}": _total(
                mine & (one.tricks[:, seat] < one.bid)
                for mine, (one, seat) in zip(declared, held, strict=True)
            ),
            f"declarer_points{name}": _total(
                mine * own for mine, own in zip(declared, points, strict=True)
            ),
        }
    return columns


def _total(plays: Iterable[NDArray[Any]]) -> NDArray[np.int64]:
    """The sum over the plays of a deal or game; of yes and no, how often yes."""
    total: NDArray[np.int64] = np.sum(list(plays), axis=0, dtype=np.int64)
    return total


def _game_columns(plays: Sequence[GameResults]) -> Columns:
    """How many of the three plays of a game were won by who dealt first, second, third.

    In ``plays[d]`` seat d dealt first.
    """
    columns = {"decided": _total(one.winner >= 0 for one in plays)}
    for place in range(3):
        columns[f"won_{place}"] = _total(
            one.winner == (dealer + place) % 3 for dealer, one in enumerate(plays)
        )
    return columns


def _position(found: Moments, place: int, turn: int) -> PositionValue:
    name = f"_{place}"
    others = {"plays": 1, f"declares{name}": -1}
    return PositionValue(
        position=POSITIONS[place],
        turn=turn,
        points=_some(found.mean(f"points{name}", per=3)),
        swaps=found.share(f"swaps{name}", "plays"),
        bids=found.share(f"bids{name}", "plays"),
        declares=found.share(f"declares{name}", "plays"),
        set=found.share(f"set{name}", f"declares{name}"),
        declarer_points=found.ratio(f"declarer_points{name}", f"declares{name}"),
        other_points=found.ratio({f"points{name}": 1, f"declarer_points{name}": -1}, others),
    )


def _some(estimate: Estimate | None) -> Estimate:
    """An estimate that two units or more always give."""
    assert estimate is not None
    return estimate
