"""What revokes pay, by simulation: one seat cheats where the same deals are played honestly too.

Each of the three seats takes the cheat's part in turn. A revoke in trick k is measured alone: the
cheat revokes in that trick only, so the deal is the honest one up to the revoke, and what changes
afterwards is what that revoke changed. The three parts played on one deal are one unit.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ghostsim.rules import STANDARD, Rules, check_rules
from ghostsim.simulate.games import DealResults, for_engine, play_deals
from ghostsim.simulate.moments import (
    Moments,
    check_units,
    moment_sums,
    n_sums,
    point_bounds,
    read_moments,
    table_model,
)
from ghostsim.simulate.runner import Runner, Simulation, SimulationError, Watch
from ghostsim.stats import Estimate, check_level
from ghostsim.strategies import check_strategies
from ghostsim.strategies.base import Strategy
from ghostsim.strategies.odds import Cheat, Odds

#: Nobody can revoke in the sixth trick: the last card is the only one.
TRICKS = (1, 2, 3, 4, 5)
ROLES = ("declarer", "defender")
#: Second and third to play; who leads cannot revoke.
PLACES = (2, 3)
DETECTIONS = (0.0, 0.5, 1.0)

#: Deals a block: a good part of a second, for each is played some two dozen times.
DEALS_PER_BLOCK = 10_000

Strategies: TypeAlias = tuple[Strategy, Strategy, Strategy]
#: Which revokes: in these roles, tricks and places.
_Which: TypeAlias = tuple[slice, slice, slice]

#: What is added up for each kind of revoke, over the three seats of a deal.
_REVOKE = ("revokes", "own", "declarer", "defenders", "turned")
#: What is added up for each detection.
_ALWAYS = ("revokes", "found", "own", "others")


@dataclass(frozen=True)
class RevokeGain:
    """What a revoke changes, in the mean over revokes of a kind, before any penalty.

    Attributes
    ----------
    revokes : int
        In the sample.
    chance : Estimate
        Revokes of the kind in a deal of one seat.
    gain : Estimate or None
        The cheat's own points, a revoke.
    declarer, defenders : Estimate or None
        The points of the declarer, and of both defenders together; the cheat's are among them.
    turned : Estimate or None
        The proportion of revokes by which the bid is made instead of set, or set instead of made.
    break_even : Estimate or None
        The chance of being found out at which the penalty takes the gain away; above 1 the revoke
        pays even if it is always found out. None without a penalty.
    """

    revokes: int
    chance: Estimate
    gain: Estimate | None
    declarer: Estimate | None
    defenders: Estimate | None
    turned: Estimate | None
    break_even: Estimate | None


@dataclass(frozen=True)
class AlwaysCheating:
    """What a seat gets that revokes whenever it pays to ruff, beside the same seat honest.

    Attributes
    ----------
    detection : float
        The chance that a revoke is found out.
    revokes, found : Estimate
        A deal.
    gain, others : Estimate
        The change of its own points a deal, penalties included, and of both others' together.
    """

    detection: float
    revokes: Estimate
    found: Estimate
    gain: Estimate
    others: Estimate


@dataclass(frozen=True)
class RevokeResults:
    """Revokes by situation, and the seat that always cheats.

    Attributes
    ----------
    deals : int
    situations : dict of RevokeGain
        By role, trick and place; none for a declarer in the first trick, which he leads.
    by_role : dict of RevokeGain
        By role, and ``"either"``.
    always : tuple of AlwaysCheating
    always_gain : Estimate or None
        What a seat that always cheats gets more, a revoke, before any penalty.
    always_break_even : Estimate or None
        The chance of being found out at which it is as well to be honest always as to cheat
        always.
    """

    deals: int
    situations: dict[tuple[str, int, int], RevokeGain]
    by_role: dict[str, RevokeGain]
    always: tuple[AlwaysCheating, ...]
    always_gain: Estimate | None
    always_break_even: Estimate | None


def simulate_revokes(
    deals: int,
    strategies: Sequence[Strategy | str] = ("odds", "odds", "odds"),
    *,
    seed: int = 0,
    rules: Rules = STANDARD,
    level: float = 0.95,
    runner: Runner | None = None,
) -> RevokeResults:
    """Play deals honestly, and with a cheat in each seat in turn.

    Parameters
    ----------
    deals : int
        At least 2.
    strategies : three of Strategy or str
        Who sits at the table. The seat that is watched plays ``odds`` when it is honest and
        ``cheat`` when it is not, with its own parameters if it is an ``odds``.
    seed : int
    rules : Rules
    level : float
    runner : Runner, optional

    Raises
    ------
    SimulationError
        If there are fewer than two deals, or another seat revokes as well.
    """
    check_units(deals, "deals")
    check_level(level)
    check_rules(rules)
    seats = check_strategies(strategies)
    for seat, strategy in enumerate(seats):
        if isinstance(strategy, Cheat):
            raise SimulationError(
                f"strategies: seat {seat} is {strategy.name}, but the cheat is put in by the "
                "simulation, one seat at a time: name honest strategies"
            )
    for seat in range(3):  # once, before threads would each begin it
        play_deals(_with_cheat(seats, seat, "1"), 0, rules=rules, revoke_detection=0.0)
    model = table_model(_names(seats))
    low, high = point_bounds(rules)
    simulation = Simulation(
        "deals",
        functools.partial(_block, seats=seats, rules=rules),
        title="playing deals, honestly and not",
        per_block=DEALS_PER_BLOCK,
        watch=Watch(
            "the gain of a seat that always cheats and is never found out",
            functools.partial(
                read_moments,
                names=_ALWAYS,
                y="own",
                before=len(_kinds()) * n_sums(_REVOKE),
            ),
            model,
            "points a deal",
            bounds=(3 * (low - high), 3 * (high - low)),
            per=3,
        ),
    )
    simulation = for_engine(simulation, [seats], rules, 0.0)
    ran = (runner or Runner()).run(simulation, deals, seed=seed, level=level)
    return _results(ran.sums, ran.n, level, model, rules.revoke_penalty)


def _names(seats: Strategies) -> tuple[str, ...]:
    return tuple(strategy.name for strategy in seats)


def _parameters(strategy: Strategy) -> dict[str, float]:
    if not isinstance(strategy, Odds):
        return {}
    return {"open_points": strategy.open_points, "over_points": strategy.over_points}


def _put(seats: Strategies, seat: int, strategy: Strategy) -> Strategies:
    first, second, third = (strategy if i == seat else seats[i] for i in range(3))
    return first, second, third


def _honest(seats: Strategies, seat: int) -> Strategies:
    return _put(seats, seat, Odds(**_parameters(seats[seat])))


def _with_cheat(seats: Strategies, seat: int, tricks: str) -> Strategies:
    return _put(seats, seat, Cheat(**_parameters(seats[seat]), tricks=tricks))


def _kinds() -> list[_Which]:
    """The revokes that are added up together: each situation, each role, all."""
    every = slice(None)
    kinds: list[_Which] = [
        (slice(role, role + 1), slice(trick - 1, trick), slice(place - 2, place - 1))
        for role in range(len(ROLES))
        for trick in TRICKS
        for place in PLACES
    ]
    kinds += [(slice(role, role + 1), every, every) for role in range(len(ROLES))]
    return [*kinds, (every, every, every)]


def _block(seed: int, start: int, count: int, seats: Strategies, rules: Rules) -> NDArray[np.int64]:
    """The sums that ``_results`` reads."""

    def play(strategies: Strategies, detection: float = 0.0) -> DealResults:
        return play_deals(
            strategies,
            count,
            seed=seed,
            start=start,
            rules=rules,
            revoke_detection=detection,
        )

    shape = (len(_REVOKE), len(ROLES), len(TRICKS), len(PLACES), count)
    told = np.zeros(shape, dtype=np.int64)
    always = np.zeros((len(DETECTIONS), len(_ALWAYS), count), dtype=np.int64)
    known: dict[tuple[str, ...], DealResults] = {}
    for seat in range(3):
        at_table = _honest(seats, seat)
        names = _names(at_table)
        if names not in known:
            known[names] = play(at_table)
        honest = known[names]
        if honest.revokes.any():
            raise SimulationError(
                f"strategies: one of {', '.join(names)} revokes where the table lets it; next to "
                "it nothing can be said of a cheat"
            )
        for trick in TRICKS:
            _add_revokes(told, play(_with_cheat(seats, seat, str(trick))), honest, seat, trick)
        cheats = _with_cheat(seats, seat, "123456")
        for i, detection in enumerate(DETECTIONS):
            cheated = play(cheats, detection)
            change = cheated.points.astype(np.int64) - honest.points
            always[i, 0] += np.bitwise_count(cheated.revokes)
            always[i, 1] += np.bitwise_count(cheated.found)
            always[i, 2] += change[:, seat]
            always[i, 3] += change.sum(axis=1) - change[:, seat]
    sums = [
        moment_sums(
            {name: one[kind].sum(axis=(0, 1, 2)) for name, one in zip(_REVOKE, told, strict=True)}
        )
        for kind in _kinds()
    ]
    sums += [moment_sums(dict(zip(_ALWAYS, one, strict=True))) for one in always]
    return np.concatenate(sums)


def _add_revokes(
    told: NDArray[np.int64], cheated: DealResults, honest: DealResults, seat: int, trick: int
) -> None:
    """Add what the revokes of a seat in one trick changed, to the deals in which there were any."""
    did = np.flatnonzero(cheated.revokes)
    if not len(did):
        return
    # Bits 3 * (trick - 1) + 1 and + 2: second and third to play.
    place = (cheated.revokes[did] >> 3 * (trick - 1) + 1) - 1
    declarer = honest.declarer[did].astype(np.int64)
    role = (declarer != seat).astype(np.int64)
    change = cheated.points[did].astype(np.int64) - honest.points[did]
    own, his = change[:, seat], change[np.arange(len(did)), declarer]
    turned = _made(cheated, did) != _made(honest, did)
    where = (role, trick - 1, place, did)
    for i, values in enumerate((1, own, his, change.sum(axis=1) - his, turned)):
        told[i][where] += values  # a deal is named once for each seat


def _made(results: DealResults, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    declarer = results.declarer[rows].astype(np.int64)
    made: NDArray[np.bool_] = results.tricks[rows, declarer] >= results.bid[rows]
    return made


def _results(
    sums: NDArray[np.int64], deals: int, level: float, model: str, penalty: int
) -> RevokeResults:
    of_revokes, of_always = np.split(sums, [len(_kinds()) * n_sums(_REVOKE)])
    gains = [
        _gain(Moments(_REVOKE, row, deals, level, model), penalty)
        for row in of_revokes.reshape(len(_kinds()), -1)
    ]
    keys = [(role, trick, place) for role in ROLES for trick in TRICKS for place in PLACES]
    at_all = [
        Moments(_ALWAYS, row, deals, level, model) for row in of_always.reshape(len(DETECTIONS), -1)
    ]
    always_gain = at_all[0].ratio("own", "revokes")
    return RevokeResults(
        deals=deals,
        situations={
            key: gain
            for key, gain in zip(keys, gains[: len(keys)], strict=True)
            if key[:2] != ("declarer", 1)  # he leads
        },
        by_role=dict(zip((*ROLES, "either"), gains[len(keys) :], strict=True)),
        always=tuple(
            AlwaysCheating(detection, *(_a_part(found, name) for name in _ALWAYS))
            for detection, found in zip(DETECTIONS, at_all, strict=True)
        ),
        always_gain=always_gain,
        always_break_even=_break_even(always_gain, penalty),
    )


def _gain(found: Moments, penalty: int) -> RevokeGain:
    gain = found.ratio("own", "revokes")
    return RevokeGain(
        revokes=found.total("revokes"),
        chance=_a_part(found, "revokes"),
        gain=gain,
        declarer=found.ratio("declarer", "revokes"),
        defenders=found.ratio("defenders", "revokes"),
        turned=found.share("turned", "revokes"),
        break_even=_break_even(gain, penalty),
    )


def _a_part(found: Moments, name: str) -> Estimate:
    """The mean for one seat, from the sum over the three that took the cheat's part."""
    estimate = found.mean(name, per=3)
    assert estimate is not None  # there are two deals or more
    return estimate


def _break_even(gain: Estimate | None, penalty: int) -> Estimate | None:
    """The chance of being found out at which the penalty takes away what a revoke gains."""
    if gain is None or penalty == 0:
        return None
    return replace(
        gain,
        value=gain.value / penalty,
        standard_error=gain.standard_error / penalty,
        low=gain.low / penalty,
        high=gain.high / penalty,
    )
