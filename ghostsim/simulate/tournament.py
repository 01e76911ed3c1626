"""Tournaments: strategies at tables of three, with the same cards in every order of seats.

Game g of a tournament is game g of its seed at every table and in every order of seats: the same
cards, dealt by the same seats. So luck with the cards falls on all alike, and what is independent
is a *set of cards*, all games that are played with the cards of one g. Every interval here is
made from whole sets (``ghostsim.clustered``).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import combinations_with_replacement, permutations
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from ghostsim._checks import whole_number
from ghostsim.clustered import (
    estimate_from,
    ratio_influence,
    ratio_of_groups,
    share_of_groups,
)
from ghostsim.deals import check_seed
from ghostsim.errors import GhostsimError
from ghostsim.ratings import RATING_POINTS, luce_chances, rate
from ghostsim.rules import STANDARD, Rules, check_rules
from ghostsim.simulate.games import COMPILED_PER_REFEREE, play_games
from ghostsim.simulate.runner import Runner, Simulation
from ghostsim.stats import Estimate, check_level
from ghostsim.strategies import Strategy, find_strategy
from ghostsim.strategies.compiled import setting_of

if TYPE_CHECKING:
    import pandas as pd

    from ghostsim.plots import Chart

Tables: TypeAlias = Literal["distinct", "all"]
#: Strategies by seat, as numbers.
Order: TypeAlias = tuple[int, int, int]

MAX_GAMES = 1 << 32
#: Sets of cards are put into as many groups, by their number.
GROUPS = 1_000
#: Games a block where all strategies are compiled: a quarter of a second of work.
COMPILED_PER_BLOCK = 12_000

#: The rows of the sums of an order of seats: three of wins, three of points, and counts.
WINS, POINTS = slice(0, 3), slice(3, 6)
FINISHED, DEALS, REDEALS, TIED, BEHIND, BY_MOON = range(6, 12)
_N_ROWS = 12


class TournamentError(GhostsimError):
    """Strategies that make no tournament, or a setting that it cannot have."""


@dataclass(frozen=True)
class Standing:
    """What one strategy achieved.

    Attributes
    ----------
    strategy : str
    games, wins : int
        Games of all its seats, finished or not (a game in which it has two seats counts twice),
        and those that it won.
    win_rate : Estimate or None
        Share of the finished games that its seats won; 1/3 is fair. None if none was finished.
    points_per_deal, points_per_game : Estimate
        Of a seat. Deals in which everybody passed count as deals.
    rating : Estimate or None
        400 * log10 of its weight in Luce's model, where the mean of all is 0; see
        ``ghostsim.ratings``. ``inf`` or ``-inf`` if it was never beaten by those who have a finite
        one, or never beat them. None if it cannot be compared with them.
    """

    strategy: str
    games: int
    wins: int
    win_rate: Estimate | None
    points_per_deal: Estimate
    points_per_game: Estimate
    rating: Estimate | None


@dataclass(frozen=True)
class Comparison:
    """One strategy minus another, where both were at the table.

    Attributes
    ----------
    strategy, against : str
    games : int
        Games in which both had a seat.
    points_per_deal : Estimate
        How many points a deal more a seat of the one got than a seat of the other. In every set of
        cards each of them held all the hands that the other held.
    win_rate : Estimate or None
        The difference of the shares of finished games that a seat of each won.
    """

    strategy: str
    against: str
    games: int
    points_per_deal: Estimate
    win_rate: Estimate | None


@dataclass(frozen=True)
class SeatShare:
    """What a seat was worth: to one strategy, or to all.

    Attributes
    ----------
    strategy : str
        ``"all"`` for all together.
    seat : int
        Seat 0 deals first; seat 1 is left of it.
    win_rate : Estimate or None
    points_per_deal : Estimate
    """

    strategy: str
    seat: int
    win_rate: Estimate | None
    points_per_deal: Estimate


@dataclass(frozen=True)
class TableShare:
    """What a strategy achieved at one table of three, or in one order of its seats.

    Attributes
    ----------
    table : str
        The strategies at the table; if ``seat`` is told, by seat.
    seat : int or None
        None for all orders of seats, and all seats of the strategy.
    strategy : str
    games : int
        As in ``Standing``.
    win_rate : Estimate or None
    points_per_deal : Estimate
    rated_win_rate : float
        What the ratings would have made of the win rate; nan if they cannot tell.
    """

    table: str
    seat: int | None
    strategy: str
    games: int
    win_rate: Estimate | None
    points_per_deal: Estimate
    rated_win_rate: float


@dataclass(frozen=True)
class Quantity:
    """A number about the games.

    Attributes
    ----------
    quantity, unit : str
    value : Estimate or None
        None if there was no game to tell it from.
    """

    quantity: str
    unit: str
    value: Estimate | None


@dataclass(frozen=True)
class TournamentResult:
    """What came out of a tournament. Everything in it is sorted by the ranking.

    Attributes
    ----------
    ranking : tuple of Standing
        By win rate, then by points a deal, then by name.
    lead : Estimate or None
        How much more often the first wins than the second: the difference of their win rates.
    cross : tuple of Comparison
        Every strategy against every other.
    seats : tuple of SeatShare
        All strategies together, then each.
    by_table, by_order : tuple of TableShare
    how : tuple of Quantity
        How the games went.
    games : int
        Sets of cards.
    orders : int
        Orders of seats, over all tables of three, in which each set was played.
    tables : str
        ``"distinct"`` or ``"all"``.
    seed, level, rules, max_deals, revoke_detection
        As they were asked for.
    """

    ranking: tuple[Standing, ...]
    lead: Estimate | None
    cross: tuple[Comparison, ...]
    seats: tuple[SeatShare, ...]
    by_table: tuple[TableShare, ...]
    by_order: tuple[TableShare, ...]
    how: tuple[Quantity, ...]
    games: int
    orders: int
    tables: Tables
    seed: int
    level: float
    rules: Rules
    max_deals: int
    revoke_detection: float | None = field(default=None)

    @property
    def strategies(self) -> tuple[str, ...]:
        """Their names, the best first."""
        return tuple(standing.strategy for standing in self.ranking)

    def frames(self) -> dict[str, pd.DataFrame]:
        """All tables as tidy frames, by name."""
        return {
            "ranking": _frame(self.ranking),
            "cross": _frame(self.cross),
            "seats": _frame(row for row in self.seats if row.strategy == "all"),
            "games": _frame(self.how),
            "by_table": _frame(self.by_table).drop(columns="seat"),
            "by_seat": _frame(row for row in self.seats if row.strategy != "all"),
            "by_order": _frame(self.by_order),
        }

    def to_frame(self, table: str = "ranking") -> pd.DataFrame:
        """One of the tables as a tidy frame.

        Parameters
        ----------
        table : str
            ranking, cross, seats, games, by_table, by_seat or by_order. An estimate is three
            columns, NAME, NAME_low and NAME_high; the ends are missing where there is no interval.
        """
        frames = self.frames()
        if table not in frames:
            raise TournamentError(f"there is no table {table!r}: there are {', '.join(frames)}")
        return frames[table]

    def plot(self) -> Chart:
        """Win rates, and who beats whom by how much."""
        from ghostsim import plots

        return plots.CHARTS["tournament"](self.frames())

    def __repr__(self) -> str:
        won = ", ".join(
            f"{one.strategy} {'-' if one.win_rate is None else format(one.win_rate.value, '.1%')}"
            for one in self.ranking
        )
        return (
            f"TournamentResult({won}; {self.games:,} sets of cards of seed {self.seed}, "
            f"each in {self.orders} orders of seats)"
        )

    def _repr_html_(self) -> str:
        table: str = self.to_frame().to_html(index=False, border=0, float_format="{:.4g}".format)
        return f"<p>{self!r}</p>{table}"


# ----------------------------------------------------------------------------------- what is played


def check_entrants(
    strategies: Iterable[Strategy | str], *, allow_peek: bool = False
) -> tuple[Strategy, ...]:
    """The strategies of a tournament, as ``find_strategy`` finds them.

    Raises
    ------
    TournamentError
        If there are fewer than two, two have one name, or one sees all cards and ``allow_peek``
        is not set.
    """
    if isinstance(strategies, str) or not isinstance(strategies, Iterable):
        raise TypeError(
            f"strategies must be several, like ('odds', 'steady', 'random'), not {strategies!r}"
        )
    found = tuple(map(find_strategy, strategies))
    names = [strategy.name for strategy in found]
    if len(found) < 2:
        raise TournamentError(f"a tournament takes two strategies or more, not {len(found)}")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise TournamentError(
            f"{', '.join(twice)} is given twice: a table of three may hold a strategy twice, "
            "the list only once"
        )
    seeing = [strategy.name for strategy in found if strategy.sees_all_cards]
    if seeing and not allow_peek:
        raise TournamentError(
            f"{', '.join(seeing)} sees all cards, which the others do not: allow_peek=True "
            "(--allow-peek) lets it play"
        )
    return found


def seat_orders(strategies: int, tables: Tables | None = None) -> tuple[Order, ...]:
    """Every order of seats of every table of three.

    Parameters
    ----------
    strategies : int
        How many, at least two.
    tables : {"distinct", "all"}, optional
        Tables of three different strategies, or also those that hold one of them twice. Left out,
        "distinct", but "all" for two strategies, who have no other tables.

    Returns
    -------
    tuple of (int, int, int)

    Examples
    --------
    >>> seat_orders(2)
    ((0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0))
    >>> len(seat_orders(3)), len(seat_orders(3, "all")), len(seat_orders(5))
    (6, 24, 60)
    """
    different = 3 if check_tables(strategies, tables) == "distinct" else 2
    return tuple(
        (first, second, third)
        for table in combinations_with_replacement(range(strategies), 3)
        if len(set(table)) >= different
        for first, second, third in sorted(set(permutations(table)))
    )


def check_tables(strategies: int, tables: str | None) -> Tables:
    """Which tables are played, of the choice or its default."""
    if tables is None:
        return "all" if strategies == 2 else "distinct"
    if tables not in get_args(Tables):
        raise TournamentError(f"tables must be {' or '.join(get_args(Tables))}, not {tables!r}")
    if tables == "distinct" and strategies == 2:
        raise TournamentError(
            "tables 'distinct' takes three strategies: two can only play 'all', "
            "tables that hold one of them twice"
        )
    return "distinct" if tables == "distinct" else "all"


def play_tournament(
    strategies: Iterable[Strategy | str],
    games: int = 5_000,
    *,
    seed: int = 0,
    rules: Rules = STANDARD,
    tables: Tables | None = None,
    level: float = 0.95,
    max_deals: int = 1000,
    revoke_detection: float | None = None,
    allow_peek: bool = False,
    runner: Runner | None = None,
) -> TournamentResult:
    """Let strategies play each other: the same cards at every table, in every order of seats.

    Parameters
    ----------
    strategies : iterable of Strategy or str
        Two or more, all different; as ``find_strategy`` takes them.
    games : int
        Sets of cards: how many games each order of seats plays, at least 2. Their numbers run from
        0, and seat 0 deals the first deal of each.
    seed : int
    rules : Rules
    tables : {"distinct", "all"}, optional
        As in ``seat_orders``.
    level : float
        Confidence level of the intervals.
    max_deals : int
        After as many deals a game is given up; nobody has won it.
    revoke_detection : float, optional
        The chance that a revoke is found out. Left out, nobody may revoke.
    allow_peek : bool
        Whether strategies that see all cards may take part.
    runner : Runner, optional
        Compiled strategies play in threads, others in processes, unless it says otherwise. One
        with a precision is refused.

    Returns
    -------
    TournamentResult

    Raises
    ------
    TournamentError
        As in ``check_entrants`` and ``check_tables``, and if there are not enough games.
    """
    found = check_entrants(strategies, allow_peek=allow_peek)
    # In one order, for the result not to depend on the one that they are named in.
    entrants = tuple(sorted(found, key=lambda strategy: strategy.name))
    number = whole_number(games, "games")
    if not 2 <= number <= MAX_GAMES:
        raise TournamentError(f"games must be 2 to 2**32, not {number}")
    check_rules(rules)
    check_level(level)
    chosen = check_tables(len(entrants), tables)
    orders = seat_orders(len(entrants), chosen)
    settings = {
        "rules": rules,
        "max_deals": max_deals,
        "revoke_detection": revoke_detection,
    }
    # No games: refuses what it cannot play, at once.
    _block(check_seed(seed), 0, 0, orders=[[entrants[0]] * 3], **settings)
    simulation = _simulation(entrants, orders, number, settings)
    sums = (runner or Runner()).run(simulation, number, seed=int(seed)).sums
    counted = _Counted(sums, orders, tuple(one.name for one in entrants), number, level)
    return TournamentResult(
        ranking=counted.ranking,
        lead=counted.lead(),
        cross=counted.cross(),
        seats=counted.seats(),
        by_table=counted.by_table(),
        by_order=counted.by_order(),
        how=counted.how(),
        games=number,
        orders=len(orders),
        tables=chosen,
        seed=int(seed),
        level=float(level),
        rules=rules,
        max_deals=int(max_deals),
        revoke_detection=None if revoke_detection is None else float(revoke_detection),
    )


def _simulation(
    entrants: Sequence[Strategy], orders: Sequence[Order], games: int, settings: dict[str, Any]
) -> Simulation:
    """All orders of seats, set by set."""
    # Compiling makes tables: here, once, before threads would each begin to.
    about = settings["rules"], settings["revoke_detection"]
    compiled = [setting_of([entrant], *about) is not None for entrant in entrants]
    slow = sum(not all(compiled[one] for one in order) for order in orders)
    work = len(orders) - slow + COMPILED_PER_REFEREE * slow
    return Simulation(
        "sets",
        functools.partial(
            _block, orders=[[entrants[one] for one in order] for order in orders], **settings
        ),
        title="playing games",
        unit="sets of cards",
        per_block=max(1, COMPILED_PER_BLOCK // work),
        merge=functools.partial(_add_groups, groups=min(games, GROUPS)),
        prefer="processes" if slow else "threads",
    )


def _block(
    seed: int, start: int, count: int, orders: Sequence[Sequence[Strategy]], **settings: Any
) -> NDArray[np.int64]:
    """The sums of a block in each order of seats, of set after set; (orders, rows, sets).

    Of more sets than there are groups, those of a group are in one sum.
    """
    sums = np.zeros((len(orders), _N_ROWS, min(count, GROUPS)), dtype=np.int64)
    for total, strategies in zip(sums, orders, strict=True):
        for begin in range(0, max(count, 1), GROUPS):
            n = min(GROUPS, count - begin)
            games = play_games(strategies, n, seed=seed, start=start + begin, n_jobs=1, **settings)
            part = total[:, :n]
            part[WINS] += [games.winner == seat for seat in range(3)]
            part[POINTS] += games.scores.T
            part[FINISHED] += games.winner >= 0
            part[DEALS] += games.deals
            part[REDEALS] += games.redeals
            part[TIED] += (games.ties > 0) & (games.winner >= 0)
            part[BEHIND] += games.behind
            part[BY_MOON] += games.decided_by_moon
    return sums


def _add_groups(
    total: NDArray[np.int64] | None, sums: NDArray[np.int64], start: int, groups: int
) -> NDArray[np.int64]:
    """The sums of each group of sets of cards, in each order of seats; (orders, rows, groups)."""
    if total is None:
        total = np.zeros((*sums.shape[:2], groups), dtype=np.int64)
    total[:, :, (start + np.arange(sums.shape[2])) % GROUPS] += sums  # no group twice
    return total


# ----------------------------------------------------------------------------------- what is told


class _Counted:
    """Sums by order of seats, and what follows from them."""

    def __init__(
        self,
        sums: NDArray[np.int64],
        orders: Sequence[Order],
        names: Sequence[str],
        games: int,
        level: float,
    ) -> None:
        self.sums, self.orders, self.names, self.games = sums, orders, names, games
        groups = sums.shape[2]
        self.sizes = games // groups + (np.arange(groups) < games % groups)
        self.about: dict[str, Any] = {"n": games, "level": level, "model": "tournament"}
        self.tables = sorted({tuple(sorted(order)) for order in orders})
        standings = self._standings()
        weights = [np.nan if one.rating is None else one.rating.value for one in standings]
        chances = luce_chances(self._held(), np.array(weights) / RATING_POINTS)
        self.chances = dict(zip(self.tables, chances.tolist(), strict=True))
        self.places = sorted(range(len(names)), key=lambda i: _merit(standings[i]))
        self.ranking = tuple(standings[i] for i in self.places)

    # Sums over groups. A seat is a pair: an order by its number, and a seat in it.

    def _seats(self, strategy: int) -> list[tuple[int, int]]:
        return [
            (i, seat)
            for i, order in enumerate(self.orders)
            for seat in range(3)
            if order[seat] == strategy
        ]

    def _sum(self, seats: Iterable[tuple[int, int]], row: slice | int) -> NDArray[np.int64]:
        """A row of the sums, added up over seats: the seats' own wins or points, or a count."""
        total = np.zeros(self.sums.shape[2], dtype=np.int64)
        for i, seat in seats:
            total += self.sums[i, row][seat] if isinstance(row, slice) else self.sums[i, row]
        return total

    def _share(self, tops: NDArray[np.int64], bottoms: NDArray[np.int64]) -> Estimate | None:
        if not bottoms.any():
            return None
        return share_of_groups(tops.tolist(), bottoms.tolist(), **self.about)

    def _ratio(self, tops: NDArray[np.int64], bottoms: NDArray[np.int64]) -> Estimate:
        return ratio_of_groups(tops.tolist(), bottoms.tolist(), **self.about)

    def _win_rate(self, seats: list[tuple[int, int]]) -> Estimate | None:
        return self._share(self._sum(seats, WINS), self._sum(seats, FINISHED))

    def _points_per_deal(self, seats: list[tuple[int, int]]) -> Estimate:
        return self._ratio(self._sum(seats, POINTS), self._sum(seats, DEALS))

    # Tables

    def _standings(self) -> list[Standing]:
        ratings = self._ratings()
        standings = []
        for i, name in enumerate(self.names):
            seats = self._seats(i)
            standings.append(
                Standing(
                    strategy=name,
                    games=len(seats) * self.games,
                    wins=int(self._sum(seats, WINS).sum()),
                    win_rate=self._win_rate(seats),
                    points_per_deal=self._points_per_deal(seats),
                    points_per_game=self._ratio(self._sum(seats, POINTS), len(seats) * self.sizes),
                    rating=ratings[i],
                )
            )
        return standings

    def _held(self) -> NDArray[np.int64]:
        """The seats of each strategy at each table; (tables, strategies)."""
        return np.array([[table.count(i) for i in range(len(self.names))] for table in self.tables])

    def _ratings(self) -> tuple[Estimate | None, ...]:
        held = self._held()
        wins = np.zeros((self.sums.shape[2], *held.shape), dtype=np.int64)
        for order, sums in zip(self.orders, self.sums, strict=True):
            table = self.tables.index(tuple(sorted(order)))
            for seat in range(3):
                wins[:, table, order[seat]] += sums[WINS][seat]
        return rate(held, wins, **self.about)

    def lead(self) -> Estimate | None:
        """The first's win rate minus the second's."""
        first, second = self.ranking[:2]
        if first.win_rate is None or second.win_rate is None:
            return None
        parts = [
            ratio_influence(
                self._sum(self._seats(i), WINS).tolist(),
                self._sum(self._seats(i), FINISHED).tolist(),
            )
            for i in self.places[:2]
        ]
        ahead = first.win_rate.value - second.win_rate.value
        return estimate_from(ahead, (parts[0] - parts[1]).tolist(), **self.about)

    def cross(self) -> tuple[Comparison, ...]:
        return tuple(self._compare(i, j) for i in self.places for j in self.places if i != j)

    def _compare(self, one: int, other: int) -> Comparison:
        """Means of a strategy's seats minus means of the other's, at the tables of both."""
        together = [i for i, order in enumerate(self.orders) if {one, other} <= set(order)]
        # Twice all, for the mean of two seats to be a whole number.
        points, wins, deals, finished = np.zeros((4, self.sums.shape[2]), dtype=np.int64)
        for i in together:
            order = self.orders[i]
            for seat in range(3):
                sign = (order[seat] == one) - (order[seat] == other)
                weight = sign * 2 // order.count(order[seat])
                points += weight * self.sums[i, POINTS][seat]
                wins += weight * self.sums[i, WINS][seat]
            deals += 2 * self.sums[i, DEALS]
            finished += 2 * self.sums[i, FINISHED]
        return Comparison(
            strategy=self.names[one],
            against=self.names[other],
            games=len(together) * self.games,
            points_per_deal=self._ratio(points, deals),
            win_rate=self._ratio(wins, finished) if finished.any() else None,
        )

    def seats(self) -> tuple[SeatShare, ...]:
        everybody = [(i, seat) for i in range(len(self.orders)) for seat in range(3)]
        sitting = [("all", everybody)]
        sitting += [(self.names[i], self._seats(i)) for i in self.places]
        rows = []
        for name, places in sitting:
            for seat in range(3):
                there = [place for place in places if place[1] == seat]
                row = SeatShare(name, seat, self._win_rate(there), self._points_per_deal(there))
                rows.append(row)
        return tuple(rows)

    def by_table(self) -> tuple[TableShare, ...]:
        ranks = {i: rank for rank, i in enumerate(self.places)}
        rows = []
        for table in sorted(self.tables, key=lambda table: sorted(ranks[i] for i in table)):
            members = sorted(table, key=ranks.__getitem__)
            name = ", ".join(self.names[i] for i in members)
            for i in dict.fromkeys(members):
                seats = [
                    place
                    for place in self._seats(i)
                    if tuple(sorted(self.orders[place[0]])) == table
                ]
                rows.append(self._table_share(name, None, i, seats))
        return tuple(rows)

    def by_order(self) -> tuple[TableShare, ...]:
        ranks = {i: rank for rank, i in enumerate(self.places)}
        by_rank = sorted(
            range(len(self.orders)),
            key=lambda i: (
                sorted(ranks[one] for one in self.orders[i]),
                [ranks[one] for one in self.orders[i]],
            ),
        )
        return tuple(
            self._table_share(
                ", ".join(self.names[one] for one in self.orders[i]),
                seat,
                self.orders[i][seat],
                [(i, seat)],
            )
            for i in by_rank
            for seat in range(3)
        )

    def _table_share(
        self, table: str, seat: int | None, strategy: int, seats: list[tuple[int, int]]
    ) -> TableShare:
        members = tuple(sorted(self.orders[seats[0][0]]))
        return TableShare(
            table=table,
            seat=seat,
            strategy=self.names[strategy],
            games=len(seats) * self.games,
            win_rate=self._win_rate(seats),
            points_per_deal=self._points_per_deal(seats),
            rated_win_rate=self.chances[members][strategy] / members.count(strategy),
        )

    def _of_ties(self, places: Iterable[tuple[int, int]]) -> Estimate | None:
        """The share of tied games that one who was behind at the first tie has won."""
        behind, tied = self._sum(places, BEHIND), self._sum(places, TIED)
        if behind.any() and (behind < tied).any():
            return self._share(behind, tied)
        # No scatter to go by: each group that has a tie counts as one game.
        groups = int((tied > 0).sum())
        if not groups:
            return None
        found = share_of_groups(behind.tolist(), tied.tolist(), **(self.about | {"n": groups}))
        return replace(found, n=self.games)

    def how(self) -> tuple[Quantity, ...]:
        every = [(i, 0) for i in range(len(self.orders))]
        played = len(every) * self.sizes
        finished = self._sum(every, FINISHED)
        rows = [
            ("length", self._ratio(self._sum(every, DEALS), played)),
            ("everybody passed", self._ratio(self._sum(every, REDEALS), played)),
            ("tied at the top, so played on", self._share(self._sum(every, TIED), finished)),
            ("won by one who was behind then", self._of_ties(every)),
            ("decided by a made moon", self._share(self._sum(every, BY_MOON), finished)),
            ("not finished", self._share(played - finished, played)),
        ]
        units = ["deals a game"] * 2 + ["share of games", "share of ties"] + ["share of games"] * 2
        return tuple(
            Quantity(name, unit, value) for (name, value), unit in zip(rows, units, strict=True)
        )


def _merit(standing: Standing) -> tuple[float, float, str]:
    rate = standing.win_rate.value if standing.win_rate is not None else 0.0
    return -rate, -standing.points_per_deal.value, standing.strategy


def _frame(rows: Iterable[Any]) -> pd.DataFrame:
    """Rows of a table as a tidy frame, estimates as three columns each."""
    import pandas as pd

    return pd.DataFrame([_flat(row) for row in rows])


def _flat(row: Any) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for one in fields(row):
        value = getattr(row, one.name)
        if isinstance(value, Estimate) or "Estimate" in str(one.type):
            flat |= _three(one.name, value)
        else:
            flat[one.name] = value
    return flat


def _three(name: str, estimate: Estimate | None) -> dict[str, float]:
    """An estimate and the ends of its interval, missing where the games tell of no error."""
    if estimate is None:
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"), np.nan)
    told = estimate.low < estimate.high and np.isfinite(estimate.standard_error)
    low, high = (estimate.low, estimate.high) if told else (np.nan, np.nan)
    return {name: estimate.value, f"{name}_low": low, f"{name}_high": high}
