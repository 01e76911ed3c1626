"""Ratings of players who meet three at a table: Luce's choice rule, on the scale of chess.

Player i has a weight w_i, and a seat wins a game in proportion to the weight of its player (Luce
1959; with two at a table it is the model of Bradley and Terry 1952). Ratings are
400 * log10(w_i): 400 points more are ten times the chance to win, at any table.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ghostsim.clustered import UNIT, estimate_from
from ghostsim.errors import GhostsimError
from ghostsim.stats import Estimate

#: Rating points for each unit of the natural logarithm of a weight.
RATING_POINTS = 400 / math.log(10)

_MAX_STEPS = 1_000


class RatingError(GhostsimError):
    """Games from which no ratings follow."""


def fit_luce(seats: ArrayLike, wins: ArrayLike) -> NDArray[np.float64]:
    """The weights under which the games were likeliest, as natural logarithms.

    Parameters
    ----------
    seats : int (tables, players)
        How many seats of each table each player has.
    wins : int (tables, players)
        How many games of each table each player won, with any of its seats.

    Returns
    -------
    float64 (players,)
        The mean of the finite ones is 0. A likelihood only ties players together who have beaten
        each other, directly or through others. The largest such group (of equals the one with
        more wins) has finite weights; whoever beat it and was never beaten by it has ``inf``,
        whoever only lost to it ``-inf``, and whoever cannot be compared with it, even through
        others, ``nan``. So have all if no game was won.

    Raises
    ------
    RatingError
        If the arrays do not fit, a number is negative, or a player won where it has no seat.

    Notes
    -----
    Hunter (2004) proves that the likelihood has one maximum, for any number at a table. He climbs
    by rounds of re-weighting (MM); this uses Newton's steps, halved while they overshoot, because
    with two groups that hardly ever beat each other MM needs very many rounds.

    Examples
    --------
    Two tables, A A B and A B B. A seat of A wins three times as often as one of B:

    >>> weights = fit_luce([[2, 1], [1, 2]], [[6, 1], [3, 2]])
    >>> round(float(np.exp(weights[0] - weights[1])), 6)
    3.0
    """
    at, won = _checked(seats, wins)
    if not won.any():
        return np.full(at.shape[1], np.nan)
    finite, values = _groups(at, won)
    at, won = np.where(finite, at, 0), np.where(finite, won, 0)
    at, won = at[:, finite], won[:, finite]
    at, won = at[won.any(axis=1)], won[won.any(axis=1)]
    weights = np.zeros(int(finite.sum()))
    best = _log_likelihood(at, won, weights)
    for _ in range(_MAX_STEPS if len(weights) > 1 else 0):
        p = _chances(at, weights)
        step = _solve(won, p, won.sum(axis=0) - won.sum(axis=1) @ p)
        # Rounding may make the last steps look like steps down.
        slack = 1e-13 * (1 + abs(best))
        for _ in range(60):
            reached = _log_likelihood(at, won, weights + step)
            if reached >= best - slack:
                break
            step = step / 2
        weights, best = weights + step, reached
        if np.abs(step).max() < 1e-9:
            break
    values[finite] = weights - weights.mean()
    return values


def luce_chances(seats: ArrayLike, log_weights: ArrayLike) -> NDArray[np.float64]:
    """The chance of each player to win a game at each table, with any of its seats.

    Parameters
    ----------
    seats : int (tables, players)
        As in ``fit_luce``.
    log_weights : float64 (players,)
        As it returns them.

    Returns
    -------
    float64 (tables, players)
        nan where a weight is, and where two infinite ones would have to be compared.

    Examples
    --------
    >>> luce_chances([[1, 1, 1]], np.log([5, 3, 2])).round(3).tolist()
    [[0.5, 0.3, 0.2]]
    """
    at, weights = np.asarray(seats), np.asarray(log_weights, dtype=np.float64)
    chances = np.zeros(at.shape)
    for held, chance in zip(at, chances, strict=True):
        there = held > 0
        if not there.any():
            continue
        best = there & (weights == weights[there].max())
        if np.isnan(weights[there]).any():
            chance[there] = np.nan
        elif np.isfinite(weights[best]).all():
            chance[there] = _chances(held[np.newaxis, there], weights[there])[0]
        else:
            chance[best] = 1.0 if best.sum() == 1 else np.nan
    return chances


def luce_influence(
    seats: ArrayLike, group_wins: ArrayLike, log_weights: ArrayLike
) -> NDArray[np.float64]:
    """How far each group of games moves the logarithms of the weights, to first order.

    Parameters
    ----------
    seats : int (tables, players)
        As in ``fit_luce``.
    group_wins : int (groups, tables, players)
        The wins of each group; their sum is what ``fit_luce`` was given.
    log_weights : float64 (players,)
        What it returned.

    Returns
    -------
    float64 (groups, players)
        nan for players whose weight is not finite.
    """
    weights = np.asarray(log_weights, dtype=np.float64)
    finite = np.isfinite(weights)
    at = np.asarray(seats)[:, finite]
    by_group = np.asarray(group_wins)[:, :, finite]
    moved = np.full((len(by_group), len(weights)), np.nan)
    if finite.any():
        p = _chances(at, weights[finite])
        scores = by_group.sum(axis=1) - by_group.sum(axis=2) @ p
        moved[:, finite] = _solve(by_group.sum(axis=0), p, scores.T).T
    return moved


def rate(
    seats: ArrayLike, group_wins: ArrayLike, *, n: int, level: float, model: str
) -> tuple[Estimate | None, ...]:
    """Ratings with their uncertainty, from groups of games; their mean is 0.

    Parameters
    ----------
    seats : int (tables, players)
    group_wins : int (groups, tables, players)
    n : int
        Sets of cards in all groups together.
    level : float
    model : str
        Who played.

    Returns
    -------
    tuple of Estimate or None
        400 * log10(weight). ``inf`` and ``-inf`` have an interval without ends. None for players
        who cannot be compared with the others.
    """
    by_group = np.asarray(group_wins)
    weights = fit_luce(seats, by_group.sum(axis=0))
    moved = RATING_POINTS * luce_influence(seats, by_group, weights)
    ratings: list[Estimate | None] = []
    for player, weight in enumerate(weights.tolist()):
        value = RATING_POINTS * weight
        if math.isnan(value):
            ratings.append(None)
        elif math.isinf(value):
            ends = (-math.inf, math.inf)
            ratings.append(Estimate(value, math.inf, *ends, level, n, "none", model, UNIT))
        else:
            parts = moved[:, player].tolist()
            ratings.append(estimate_from(value, parts, n=n, level=level, model=model))
    return tuple(ratings)


def _checked(seats: ArrayLike, wins: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    at, won = np.asarray(seats), np.asarray(wins)
    if at.ndim != 2 or at.shape != won.shape or not at.shape[1]:
        raise RatingError(
            f"seats and wins must both be (tables, players), not {at.shape} and {won.shape}"
        )
    if not (np.issubdtype(at.dtype, np.integer) and np.issubdtype(won.dtype, np.integer)):
        raise TypeError(f"seats and wins must be whole numbers, not {at.dtype} and {won.dtype}")
    if (at < 0).any() or (won < 0).any():
        raise RatingError("seats and wins must not be negative")
    if (won[at == 0] > 0).any():
        table, player = np.argwhere((at == 0) & (won > 0))[0]
        raise RatingError(f"player {player} won at table {table}, where it has no seat")
    return at.astype(np.int64), won.astype(np.int64)


def _groups(
    at: NDArray[np.int64], won: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Whose weights are finite, and what the others are."""
    players = at.shape[1]
    beats = ((won > 0).astype(np.int64).T @ (at > 0)) > 0
    reaches = beats | np.eye(players, dtype=bool)
    for middle in range(players):
        reaches |= reaches[:, [middle]] & reaches[middle]
    together = reaches & reaches.T
    sizes, group_wins = together.sum(axis=1), together @ won.sum(axis=0)
    first = max(range(players), key=lambda i: (sizes[i], group_wins[i]))
    values = np.full(players, np.nan)
    values[reaches[:, first]] = np.inf
    values[reaches[first]] = -np.inf
    return together[first], values


def _chances(at: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The chance of each player to win a game at each table; (tables, players)."""
    parts = at * np.exp(weights - weights.max(initial=-math.inf))
    whole = parts.sum(axis=1, keepdims=True)
    chances: NDArray[np.float64] = parts / np.where(whole > 0, whole, 1)
    return chances


def _log_likelihood(
    at: NDArray[np.int64], won: NDArray[np.int64], weights: NDArray[np.float64]
) -> float:
    p = _chances(at, weights)
    return float((won[won > 0] * np.log(p[won > 0])).sum()) if (p[won > 0] > 0).all() else -math.inf


def _solve(
    won: NDArray[np.int64], p: NDArray[np.float64], right: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The information of the games, inverted where it is not 0 (only differences count)."""
    shared = (p.T * won.sum(axis=1)) @ p
    np.fill_diagonal(shared, 0)
    information = np.diag(shared.sum(axis=1)) - shared
    # Adding a constant makes it regular, and changes no solution whose mean is 0. It is of the
    # size of the smallest information, for no digits of that to be lost.
    constant = max(float(np.diag(information).min()), 1e-300)
    solved: NDArray[np.float64] = np.linalg.solve(information + constant, right)
    return solved
