"""Many deals and many games at once: compiled where the strategies are, through the referee else.

The two engines play the same deals with the same random words, so they give the same results; a
strategy without a compiled form makes all three seats go through the referee.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from ghostsim._checks import whole_number
from ghostsim._parallel import Progress, run_apart, run_shared
from ghostsim.deals import Deal, check_seed
from ghostsim.errors import GhostsimError
from ghostsim.kernels import game as kernel
from ghostsim.rules import STANDARD, Rules, check_rules
from ghostsim.simulate.runner import Simulation
from ghostsim.strategies import check_strategies
from ghostsim.strategies.base import Strategy
from ghostsim.strategies.compiled import setting_of
from ghostsim.table.deal import DealState, check_chance
from ghostsim.table.game import play_deal as referee_deal
from ghostsim.table.game import play_game as referee_game

if TYPE_CHECKING:
    import pandas as pd

Engine: TypeAlias = Literal["auto", "compiled", "referee"]

#: Deals and games that one call of a kernel plays: a tenth of a second or so.
CHUNK_DEALS = 50_000
CHUNK_GAMES = 2_000
#: Games a block of a simulation: a good part of a second of work.
GAMES_PER_BLOCK = 10_000
#: Deals that such a call may play at most, for Ctrl-C not to wait for long.
MOST_DEALS = 3_000_000
#: Deals and games that one job plays through the referee.
CHUNK_REFEREE = 50
#: The referee plays a deal, or a game, in the time of as many compiled ones.
COMPILED_PER_REFEREE = 2_000
#: A game's deals are numbered from its number times this.
DEALS_A_GAME = 1 << 32


class GamesError(GhostsimError):
    """A number of deals or games that cannot be played, or an engine that cannot play them."""


@dataclass(frozen=True, eq=False)
class _Results:
    """What results have in common: equality by value, and a frame of the columns."""

    strategies: tuple[str, str, str]
    rules: Rules
    seed: int
    start: int

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and all(
            np.array_equal(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays have no hash

    def _frame(self, row: str) -> pd.DataFrame:
        import pandas as pd

        columns: dict[str, NDArray[Any]] = {}
        for field in fields(self):
            values = getattr(self, field.name)
            if isinstance(values, np.ndarray):
                if values.ndim == 1:
                    columns[field.name] = values
                else:
                    for i in range(values.shape[1]):
                        columns[f"{field.name}_{i}"] = values[:, i]
        frame = pd.DataFrame(columns)
        numbers = np.uint64(self.start) + np.arange(len(frame), dtype=np.uint64)
        frame.insert(0, row, numbers)  # unsigned: there are deals from 2**63 on
        return frame


@dataclass(frozen=True, eq=False)
class DealResults(_Results):
    """What became of deals ``start``, ``start`` + 1, ... of a seed, a row each.

    Attributes
    ----------
    strategies : tuple of str
        By seat.
    rules : Rules
    seed, start : int
    dealer : int8 (n,)
    swapper : int8 (n,)
        The seat that traded its hand; -1 if none did.
    bids : int8 (n, 3)
        By turn of the auction; 0 for a pass, 6 for the moon.
    declarer : int8 (n,)
        -1 if all passed and nobody had to bid.
    bid : int8 (n,)
        The declarer's; 0 if there was none.
    trump : int8 (n,)
        -1 if there was none.
    cards : int8 (n, 18)
        Card numbers, ``6 * suit + rank``, in order of play; -1 if there was no play.
    tricks : int8 (n, 3)
        By seat.
    points : int32 (n, 3)
        By seat, penalties included.
    revokes, found : int32 (n,)
        Bit p is set if card p of the play was a revoke, and if it was found out.
    """

    dealer: NDArray[np.int8]
    swapper: NDArray[np.int8]
    bids: NDArray[np.int8]
    declarer: NDArray[np.int8]
    bid: NDArray[np.int8]
    trump: NDArray[np.int8]
    cards: NDArray[np.int8]
    tricks: NDArray[np.int8]
    points: NDArray[np.int32]
    revokes: NDArray[np.int32]
    found: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.dealer)

    def __repr__(self) -> str:
        means = self.points.sum(axis=0) / max(len(self), 1)
        points = ", ".join(f"{value:+.3f}" for value in means)
        return (
            f"DealResults({len(self):,} deals of seed {self.seed} from {self.start}, "
            f"{' / '.join(self.strategies)}; mean points by seat {points})"
        )

    def to_frame(self) -> pd.DataFrame:
        """One row a deal."""
        return self._frame("deal")


@dataclass(frozen=True, eq=False)
class GameResults(_Results):
    """What became of games ``start``, ``start`` + 1, ... of a seed, a row each.

    Attributes
    ----------
    strategies : tuple of str
        By seat.
    rules : Rules
    seed, start : int
    winner : int32 (n,)
        The seat; -1 if the game was not decided within the deals allowed.
    scores : int32 (n, 3)
        At the end, by seat.
    deals, redeals : int32 (n,)
        All deals, and those among them in which everybody passed.
    ties : int32 (n,)
        Deals after which the highest score was at the target or above, and shared.
    behind : int32 (n,)
        1 if the winner was not among those who shared the lead at the first tie.
    moons, moons_set : int32 (n, 3)
        Moons that each seat made, and that it failed.
    last_declarer, last_bid, last_made : int32 (n,)
        Of the deal that decided the game; ``last_made`` is 1 if the bid was made.
    """

    winner: NDArray[np.int32]
    scores: NDArray[np.int32]
    deals: NDArray[np.int32]
    redeals: NDArray[np.int32]
    ties: NDArray[np.int32]
    behind: NDArray[np.int32]
    moons: NDArray[np.int32]
    moons_set: NDArray[np.int32]
    last_declarer: NDArray[np.int32]
    last_bid: NDArray[np.int32]
    last_made: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.winner)

    @property
    def decided_by_moon(self) -> NDArray[np.bool_]:
        """Whether the last deal of the game was a moon that its declarer made and won with.

        Returns
        -------
        bool (n,)
        """
        made = (self.last_bid == 6) & (self.last_made == 1)
        decided: NDArray[np.bool_] = made & (self.winner >= 0) & (self.winner == self.last_declarer)
        return decided

    def __repr__(self) -> str:
        won = ", ".join(f"{int((self.winner == seat).sum()):,}" for seat in range(3))
        return (
            f"GameResults({len(self):,} games of seed {self.seed} from {self.start}, "
            f"{' / '.join(self.strategies)}; won by seat {won})"
        )

    def to_frame(self) -> pd.DataFrame:
        """One row a game."""
        return self._frame("game")


def play_deals(
    strategies: Sequence[Strategy | str],
    deals: int,
    *,
    seed: int = 0,
    start: int = 0,
    rules: Rules = STANDARD,
    dealer: int | None = None,
    revoke_detection: float | None = None,
    engine: Engine = "auto",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> DealResults:
    """Play deals ``start`` to ``start + deals - 1`` of a seed, from the auction to the points.

    Parameters
    ----------
    strategies : three of Strategy or str
        By seat.
    deals : int
    seed, start : int
        From 0 to 2**64 - 1.
    rules : Rules
    dealer : int, optional
        The seat that deals all of them; left out, seat i % 3 deals deal i.
    revoke_detection : float, optional
        The chance that a revoke is found out. Left out, nobody may revoke.
    engine : {"auto", "compiled", "referee"}
        Which program plays; they give the same results. "auto" is the compiled one if it knows all
        three strategies.
    n_jobs : int, optional
        As joblib counts them. No result depends on it.
    progress : callable, optional
        Wraps the iterator over finished parts, given how many there will be.

    Returns
    -------
    DealResults

    Examples
    --------
    >>> results = play_deals(["steady", "novice", "steady"], 3, seed=1)
    >>> results.bid.tolist(), results.declarer.tolist()
    ([4, 4, 3], [1, 0, 0])
    >>> results.points.tolist()
    [[0, 5, 1], [4, 2, 0], [3, 1, 2]]

    Raises
    ------
    GamesError
        If a number is out of range, or the compiled game does not know a strategy.
    TableError
        If ``revoke_detection`` is no chance, or a strategy answers what the rules do not allow.
    """
    count, first = _checked_range(deals, start, "deals", 1 << 64)
    seats = check_strategies(strategies)
    _check_table(rules, seed, revoke_detection)
    if dealer is not None and whole_number(dealer, "dealer") not in (0, 1, 2):
        raise GamesError(f"dealer must be a seat 0, 1 or 2, or None, not {dealer!r}")
    found = _setting(seats, rules, revoke_detection, engine)
    log = np.empty((count, kernel.LOG_COLUMNS), dtype=np.int8)
    points = np.empty((count, 3), dtype=np.int32)
    revokes = np.empty((count, 2), dtype=np.int32)
    if found is not None:
        setting, who = found

        def chunk(begin: int, end: int) -> None:
            kernel.play_deals(
                np.uint64(seed),
                np.uint64(first + begin),
                -1 if dealer is None else int(dealer),
                who,
                setting,
                log[begin:end],
                points[begin:end],
                revokes[begin:end],
            )

        _run_compiled(chunk, count, CHUNK_DEALS, n_jobs, progress)
    else:
        play = functools.partial(
            _referee_deals, seats, seed=seed, dealer=dealer, rules=rules, found=revoke_detection
        )
        rows = _run_referee(play, first, count, n_jobs, progress)
        for i, (log_row, points_row, revokes_row) in enumerate(rows):
            log[i], points[i], revokes[i] = log_row, points_row, revokes_row
    return DealResults(
        strategies=_names(seats),
        rules=rules,
        seed=int(seed),
        start=first,
        dealer=log[:, kernel.DEALER].copy(),
        swapper=log[:, kernel.SWAPPER].copy(),
        bids=log[:, kernel.BIDS : kernel.BIDS + 3].copy(),
        declarer=log[:, kernel.DECLARER].copy(),
        bid=log[:, kernel.CONTRACT].copy(),
        trump=log[:, kernel.TRUMP_NAMED].copy(),
        cards=log[:, kernel.CARDS : kernel.CARDS + 18].copy(),
        tricks=log[:, kernel.TRICKS : kernel.TRICKS + 3].copy(),
        points=points,
        revokes=revokes[:, 0].copy(),
        found=revokes[:, 1].copy(),
    )


def play_games(
    strategies: Sequence[Strategy | str],
    games: int,
    *,
    seed: int = 0,
    start: int = 0,
    rules: Rules = STANDARD,
    first_dealer: int = 0,
    max_deals: int = 1000,
    revoke_detection: float | None = None,
    engine: Engine = "auto",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> GameResults:
    """Play games ``start`` to ``start + games - 1`` of a seed, each to the end.

    Deal d of game g is deal number ``g * 2**32 + d`` of the seed, so any of them can be dealt and
    played again alone: ``Deal.random(seed, g * 2**32 + d)``.

    Parameters
    ----------
    strategies : three of Strategy or str
        By seat.
    games : int
    seed, start : int
        The seed from 0 to 2**64 - 1, games from 0 to 2**32 - 1.
    rules : Rules
    first_dealer : int
        The seat that deals first; the deal passes to the left after every deal.
    max_deals : int
        After as many deals a game is given up, with nobody the winner.
    revoke_detection, engine, n_jobs, progress
        As in ``play_deals``.

    Returns
    -------
    GameResults

    Examples
    --------
    >>> results = play_games(["steady", "novice", "steady"], 4, seed=1)
    >>> results.winner.tolist(), results.deals.tolist()
    ([1, 2, 0, 1], [18, 10, 17, 19])

    Raises
    ------
    GamesError
        As in ``play_deals``.
    """
    count, first = _checked_range(games, start, "games", DEALS_A_GAME)
    seats = check_strategies(strategies)
    _check_table(rules, seed, revoke_detection)
    if whole_number(first_dealer, "first_dealer") not in (0, 1, 2):
        raise GamesError(f"first_dealer must be a seat 0, 1 or 2, not {first_dealer!r}")
    if not 1 <= whole_number(max_deals, "max_deals") < 1 << 31:
        raise GamesError(f"max_deals must be from 1 to 2**31 - 1, not {max_deals}")
    found = _setting(seats, rules, revoke_detection, engine)
    out = np.empty((count, kernel.GAME_COLUMNS), dtype=np.int32)
    if found is not None:
        setting, who = found

        def chunk(begin: int, end: int) -> None:
            kernel.play_games(
                np.uint64(seed),
                np.uint64(first + begin),
                int(first_dealer),
                int(max_deals),
                who,
                setting,
                out[begin:end],
            )

        size = min(CHUNK_GAMES, max(1, MOST_DEALS // max_deals))
        _run_compiled(chunk, count, size, n_jobs, progress)
    else:
        play = functools.partial(
            _referee_games,
            seats,
            seed=seed,
            first_dealer=first_dealer,
            max_deals=max_deals,
            rules=rules,
            found=revoke_detection,
        )
        out[:] = np.array(_run_referee(play, first, count, n_jobs, progress)).reshape(out.shape)
    return GameResults(
        strategies=_names(seats),
        rules=rules,
        seed=int(seed),
        start=first,
        winner=out[:, kernel.WINNER].copy(),
        scores=out[:, kernel.SCORES : kernel.SCORES + 3].copy(),
        deals=out[:, kernel.DEALS].copy(),
        redeals=out[:, kernel.REDEALS].copy(),
        ties=out[:, kernel.TIES].copy(),
        behind=out[:, kernel.BEHIND].copy(),
        moons=out[:, kernel.MOONS : kernel.MOONS + 3].copy(),
        moons_set=out[:, kernel.MOONS_SET : kernel.MOONS_SET + 3].copy(),
        last_declarer=out[:, kernel.LAST_DECLARER].copy(),
        last_bid=out[:, kernel.LAST_BID].copy(),
        last_made=out[:, kernel.LAST_MADE].copy(),
    )


# --------------------------------------------------------------------------------------- checks


def _checked_range(count: int, start: int, what: str, limit: int) -> tuple[int, int]:
    number, first = whole_number(count, what), check_seed(start, "start")
    if number < 0:
        raise GamesError(f"{what} must not be negative, not {number}")
    if first + number > limit:
        raise GamesError(
            f"{what} {first} to {first + number - 1} run past the last, 2**{limit.bit_length() - 1}"
            " - 1"
        )
    return number, first


def _check_table(rules: Rules, seed: int, revoke_detection: float | None) -> None:
    check_rules(rules)
    check_seed(seed)
    check_chance(revoke_detection)


def _names(seats: Sequence[Strategy]) -> tuple[str, str, str]:
    return seats[0].name, seats[1].name, seats[2].name


def _setting(
    seats: tuple[Strategy, Strategy, Strategy],
    rules: Rules,
    revoke_detection: float | None,
    engine: Engine,
) -> tuple[kernel.Setting, NDArray[np.int64]] | None:
    """What the compiled game takes; None for the referee."""
    if engine not in get_args(Engine):
        raise GamesError(f"engine must be {' or '.join(get_args(Engine))}, not {engine!r}")
    if engine == "referee":
        return None
    found = setting_of(seats, rules, revoke_detection)
    if found is None and engine == "compiled":
        raise GamesError(
            f"the compiled game does not know all of {', '.join(_names(seats))}: "
            "engine='referee' does"
        )
    return found


# -------------------------------------------------------------------------------------- engines


def for_engine(
    simulation: Simulation,
    tables: Iterable[Sequence[Strategy]],
    rules: Rules,
    revoke_detection: float | None = None,
) -> Simulation:
    """A simulation of compiled deals or games, in smaller blocks if the referee plays some of them.

    It is slower by far, and holds Python's lock: such blocks run in processes unless told
    otherwise. It depends on the strategies and rules only.
    """
    if all(setting_of(table, rules, revoke_detection) is not None for table in tables):
        return simulation
    per_block = max(1, simulation.per_block // COMPILED_PER_REFEREE)
    return replace(simulation, per_block=per_block, prefer="processes")


def _run_compiled(
    chunk: Callable[[int, int], None],
    count: int,
    size: int,
    n_jobs: int | None,
    progress: Progress | None,
) -> None:
    calls = [
        functools.partial(chunk, begin, min(begin + size, count)) for begin in range(0, count, size)
    ]
    if len(calls) == 1 and progress is None:
        chunk(0, count)  # a caller with blocks of its own pays nothing for a pool
    else:
        run_shared(calls, n_jobs, progress)


def _run_referee(
    play: Callable[[int, int], list[Any]],
    first: int,
    count: int,
    n_jobs: int | None,
    progress: Progress | None,
) -> list[Any]:
    """Rows in order, from processes: plain Python holds the lock."""
    starts = range(first, first + count, CHUNK_REFEREE)
    calls = [
        functools.partial(play, start, min(CHUNK_REFEREE, first + count - start))
        for start in starts
    ]
    found = run_apart(calls, n_jobs, prefer="processes")
    chunks = progress(found, len(starts)) if progress else found
    return [row for chunk in chunks for row in chunk]


def _referee_deals(
    seats: tuple[Strategy, Strategy, Strategy],
    start: int,
    count: int,
    *,
    seed: int,
    dealer: int | None,
    rules: Rules,
    found: float | None,
) -> list[tuple[list[int], tuple[int, int, int], tuple[int, int]]]:
    """Log, points and revokes of deals, as the kernel writes them."""
    rows = []
    for index in range(start, start + count):
        state = referee_deal(
            seats,
            Deal.random(seed, index),
            index % 3 if dealer is None else dealer,
            rules,
            seed=seed,
            index=index,
            revoke_detection=found,
        )
        rows.append((_log_row(state), state.points, _revoke_bits(state)))
    return rows


def _log_row(state: DealState) -> list[int]:
    row = [-1] * kernel.LOG_COLUMNS
    row[kernel.DEALER] = state.dealer
    if state.swapper is not None:
        row[kernel.SWAPPER] = state.swapper
    for turn in range(3):
        bid = state.turns[turn].bid
        row[kernel.BIDS + turn] = 0 if bid is None else int(bid)
    row[kernel.CONTRACT] = 0 if state.bid is None else int(state.bid)
    row[kernel.TRICKS : kernel.TRICKS + 3] = state.taken
    if state.declarer is not None and state.trump is not None:
        row[kernel.DECLARER] = state.declarer
        row[kernel.TRUMP_NAMED] = int(state.trump)
        row[kernel.CARDS : kernel.CARDS + 18] = [card.index for card in state.plays]
    return row


def _revoke_bits(state: DealState) -> tuple[int, int]:
    revokes = found = 0
    for revoke in state.revokes:
        trick = state.tricks[revoke.trick - 1]
        bit = 1 << 3 * (revoke.trick - 1) + (revoke.seat - trick.leader) % 3
        revokes |= bit
        found |= bit if revoke.found else 0
    return revokes, found


def _referee_games(
    seats: tuple[Strategy, Strategy, Strategy],
    start: int,
    count: int,
    *,
    seed: int,
    first_dealer: int,
    max_deals: int,
    rules: Rules,
    found: float | None,
) -> list[list[int]]:
    """Rows of games, as the kernel writes them."""
    rows = []
    for game in range(start, start + count):
        record = referee_game(
            seats,
            seed=seed,
            game=game,
            rules=rules,
            first_dealer=first_dealer,
            max_deals=max_deals,
            revoke_detection=found,
        )
        rows.append(_game_row(record.deals, record.winner, rules))
    return rows


def _game_row(deals: Sequence[DealState], winner: int | None, rules: Rules) -> list[int]:
    row = [0] * kernel.GAME_COLUMNS
    row[kernel.WINNER] = -1 if winner is None else winner
    row[kernel.DEALS] = len(deals)
    scores = [0, 0, 0]
    tied: list[int] = []
    for state in deals:
        if state.all_passed:
            row[kernel.REDEALS] += 1
            continue
        assert state.declarer is not None
        made = state.taken[state.declarer] >= (state.bid or 0)
        if state.bid == 6:
            row[(kernel.MOONS if made else kernel.MOONS_SET) + state.declarer] += 1
        scores = [score + points for score, points in zip(scores, state.points, strict=True)]
        leaders = [seat for seat in range(3) if scores[seat] == max(scores)]
        if max(scores) >= rules.target and len(leaders) > 1:
            row[kernel.TIES] += 1
            tied = tied or leaders
        if winner is not None and state is deals[-1]:
            row[kernel.LAST_DECLARER] = state.declarer
            row[kernel.LAST_BID] = int(state.bid or 0)
            row[kernel.LAST_MADE] = int(made)
            row[kernel.BEHIND] = int(bool(tied) and winner not in tied)
    row[kernel.SCORES : kernel.SCORES + 3] = scores
    return row
