"""Ties at the target: how often they come about, how long they last, who wins them.

What a row of ``GameResults`` does not tell, who shared the lead and by how much the third player
was behind, is found by playing the few tied games again and stopping them at the tie.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

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
from ghostsim.stats import Estimate, check_level
from ghostsim.strategies import Strategy, check_strategies

#: After as many deals a game is given up.
MAX_DEALS = 1_000
#: Points behind, first and last of each group; the last group has no end.
GAPS = ((1, 3), (4, 6), (7, 12), (13, 18), (19, 24), (25, None))
#: Extra deals; the last number stands for itself and more.
EXTRA = (1, 2, 3, 4)
#: What the deciding deal was.
ENDINGS = (
    "the winner makes a moon",
    "the winner makes a lower bid",
    "another makes his bid",
    "another is set",
)

Seats = tuple[Strategy, Strategy, Strategy]


@dataclass(frozen=True)
class TieGroup:
    """Tied games, by how many shared the lead at the first tie.

    Attributes
    ----------
    sharing : str
        ``"two"``, ``"three"`` or ``"all"`` for all tied games.
    games : int
    of_games : Estimate or None
        Share of the decided games.
    again : Estimate or None
        Share of these games in which the lead was shared again, after an extra deal.
    extra : Estimate or None
        Extra deals, those in which nobody bid among them.
    tied_wins, behind_wins : Estimate or None
        Share that was won by one of those who shared the lead, and by the player behind. If three
        share it, nobody is behind.
    """

    sharing: str
    games: int
    of_games: Estimate | None
    again: Estimate | None
    extra: Estimate | None
    tied_wins: Estimate | None
    behind_wins: Estimate | None


@dataclass(frozen=True)
class GapGroup:
    """Games in which two shared the lead, by how far the third player was behind.

    Attributes
    ----------
    low, high : int, int or None
        Points behind; no end if None.
    games : int
    of_tied : Estimate or None
        Share of the games in which two shared the lead.
    behind_wins : Estimate or None
        Share of these games that the player behind won.
    by_moon : Estimate or None
        Share of these games that he won by a moon of his.
    """

    low: int
    high: int | None
    games: int
    of_tied: Estimate | None
    behind_wins: Estimate | None
    by_moon: Estimate | None


@dataclass(frozen=True)
class Ending:
    """By what deal ties are decided.

    Attributes
    ----------
    name : str
        One of ``ENDINGS``.
    games, behind_games : int
        Tied games that ended so, and those among them that the player behind won.
    of_tied : Estimate or None
        Share of all tied games.
    of_behind : Estimate or None
        Share of those that the player behind won.
    """

    name: str
    games: int
    behind_games: int
    of_tied: Estimate | None
    of_behind: Estimate | None


@dataclass(frozen=True)
class TieBreaks:
    """Ties at the target, over the games that were decided.

    Attributes
    ----------
    strategies : three of str
        By seat.
    model : str
    games, decided : int
        Played, and those with a winner after ``MAX_DEALS`` deals or fewer.
    groups : tuple of TieGroup
        Two, three, all.
    gaps : tuple of GapGroup
    extra : dict from int to Estimate
        Share of tied games by the number of extra deals. Empty if no game was tied.
    endings : tuple of Ending
    """

    strategies: tuple[str, str, str]
    model: str
    games: int
    decided: int
    groups: tuple[TieGroup, ...]
    gaps: tuple[GapGroup, ...]
    extra: dict[int, Estimate]
    endings: tuple[Ending, ...]


def simulate_tie_breaks(
    strategies: Sequence[Strategy | str],
    games: int,
    *,
    seed: int = 0,
    rules: Rules = STANDARD,
    level: float = 0.95,
    runner: Runner | None = None,
) -> TieBreaks:
    """Play games, and those that tie once more.

    Parameters
    ----------
    strategies : three of Strategy or str
        By seat; seat 0 deals first.
    games : int
        At least 2. Game g is game g of the seed.
    seed : int
    rules : Rules
    level : float
        Confidence level of the intervals.
    runner : Runner, optional

    Raises
    ------
    SimulationError
        If there are fewer than two games; and as ``play_games``.
    """
    check_units(games, "games")
    check_level(level)
    seats = check_strategies(strategies)
    # None played: compiles the strategies once, before threads would each begin it.
    empty = play_games(seats, 0, rules=rules)
    names = tuple(_columns(empty, _first_ties(empty, seats)))
    model = table_model(empty.strategies)
    simulation = Simulation(
        "games",
        functools.partial(_block, seats=seats, rules=rules),
        title="playing games",
        unit="games",
        per_block=GAMES_PER_BLOCK,
        watch=Watch(
            "the share of games that tie at the target",
            functools.partial(read_moments, names=names, y="all", among="decided"),
            model,
            "share of games",
        ),
    )
    simulation = for_engine(simulation, [seats], rules)
    ran = (runner or Runner()).run(simulation, games, seed=seed, level=level)
    found = Moments(names, ran.sums, ran.n, level, model, "games")
    shares = [found.proportion(f"extra_{extra}", among="all") for extra in EXTRA]
    return TieBreaks(
        strategies=empty.strategies,
        model=model,
        games=ran.n,
        decided=found.total("decided"),
        groups=tuple(_group(found, sharing) for sharing in ("two", "three", "all")),
        gaps=tuple(_gap(found, low, high) for low, high in GAPS),
        extra={
            extra: share for extra, share in zip(EXTRA, shares, strict=True) if share is not None
        },
        endings=tuple(_ending(found, name) for name in ENDINGS),
    )


def _block(seed: int, start: int, count: int, seats: Seats, rules: Rules) -> NDArray[np.int64]:
    games = play_games(seats, count, seed=seed, start=start, rules=rules, max_deals=MAX_DEALS)
    return moment_sums(_columns(games, _first_ties(games, seats)))


def _first_ties(games: GameResults, seats: Seats) -> NDArray[np.int64]:
    """How each decided game stood at its first tie.

    Returns
    -------
    int64 (games, 4)
        The number of deals until then, and the scores; 0 for games that did not tie.
    """
    found = np.zeros((len(games), 4), dtype=np.int64)
    for i in np.flatnonzero((games.ties > 0) & (games.winner >= 0)).tolist():
        after = functools.partial(
            play_games, seats, 1, seed=games.seed, start=games.start + i, rules=games.rules
        )
        deals = _first_tied(after, int(games.deals[i]) - 1)
        found[i] = [deals, *after(max_deals=deals).scores[0]]
    return found


def _first_tied(after: functools.partial[GameResults], tied: int) -> int:
    """The first number of deals after which a game has tied; after ``tied`` it has."""
    step, before = 1, tied - 1
    while before > 0 and after(max_deals=before).ties[0]:
        tied, step = before, 2 * step
        before = max(tied - step, 0)
    while tied - before > 1:
        middle = (before + tied) // 2
        if after(max_deals=middle).ties[0]:
            tied = middle
        else:
            before = middle
    return tied


def _columns(games: GameResults, first_ties: NDArray[np.int64]) -> Columns:
    """Yes and no, and whole numbers, of every game; 0 in games that did not tie."""
    at, scores = first_ties[:, 0], first_ties[:, 1:]
    tied = at > 0
    top = scores.max(axis=1)
    sharing = (scores == top[:, np.newaxis]).sum(axis=1)
    gap = top - scores.min(axis=1)
    extra = np.where(tied, games.deals - at, 0)
    behind = tied & (games.behind == 1)
    moon = games.last_bid == 6
    own = games.last_declarer == games.winner
    made = games.last_made == 1
    endings = (made & own & moon, made & own & ~moon, made & ~own, ~made)
    columns = {"decided": games.winner >= 0}
    groups = {"two": tied & (sharing == 2), "three": tied & (sharing == 3), "all": tied}
    for name, which in groups.items():
        columns |= {
            name: which,
            f"{name}_again": which & (games.ties > 1),
            f"{name}_extra": which * extra,
            f"{name}_tied_wins": which & ~behind,
            f"{name}_behind_wins": which & behind,
        }
    for low, high in GAPS:
        which = groups["two"] & (gap >= low)
        if high is not None:
            which &= gap <= high
        columns |= {
            f"gap_{low}": which,
            f"gap_{low}_wins": which & behind,
            f"gap_{low}_moon": which & behind & endings[0],
        }
    for number in EXTRA:
        last = number == EXTRA[-1]
        columns[f"extra_{number}"] = tied & (extra >= number if last else extra == number)
    for name, which in zip(ENDINGS, endings, strict=True):
        columns |= {name: tied & which, f"{name}, behind": behind & which}
    return columns


def _group(found: Moments, sharing: str) -> TieGroup:
    share = functools.partial(found.proportion, among=sharing)
    return TieGroup(
        sharing=sharing,
        games=found.total(sharing),
        of_games=found.proportion(sharing, among="decided"),
        again=share(f"{sharing}_again"),
        extra=found.mean(f"{sharing}_extra", among=sharing),
        tied_wins=share(f"{sharing}_tied_wins"),
        behind_wins=None if sharing == "three" else share(f"{sharing}_behind_wins"),
    )


def _gap(found: Moments, low: int, high: int | None) -> GapGroup:
    name = f"gap_{low}"
    return GapGroup(
        low=low,
        high=high,
        games=found.total(name),
        of_tied=found.proportion(name, among="two"),
        behind_wins=found.proportion(f"{name}_wins", among=name),
        by_moon=found.proportion(f"{name}_moon", among=name),
    )


def _ending(found: Moments, name: str) -> Ending:
    return Ending(
        name=name,
        games=found.total(name),
        behind_games=found.total(f"{name}, behind"),
        of_tied=found.proportion(name, among="all"),
        of_behind=found.proportion(f"{name}, behind", among="all_behind_wins"),
    )
