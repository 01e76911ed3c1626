"""What each rule changes, by simulation: the same deals and games under other rules, one at a time.

Strategies that bid by odds adapt to the rules. A difference is told deal by deal and game by game.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ghostsim.rules import STANDARD, VARIANTS, Bid, Rules, check_rules
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
from ghostsim.strategies import check_strategies
from ghostsim.strategies.base import Strategy

#: Deals played for each game, numbered from 0 as deals are.
DEALS_PER_GAME = 10
GAMES_PER_BLOCK = 1_000
#: After so many deals a game is given up.
MAX_DEALS = 1_000

#: Other values of each rule. The penalty for a revoke is none of them: honest players pay none.
OTHER_VALUES: Mapping[str, tuple[object, ...]] = MappingProxyType(
    {
        "target": (16, 50, 64),
        "moon_points": (12,),
        "moon_set_points": (24,),
        "min_bid": (4,),
        "swaps_per_deal": (0,),
        "set_keeps_tricks": (True,),
        "defenders_score": (False,),
        "all_pass": ("dealer_bids",),
        "first_bidder": ("dealer",),
    }
)


@dataclass(frozen=True)
class Variant:
    """Rules that differ from others.

    Attributes
    ----------
    change : str
        What differs, like ``"min_bid=4"``; for the others themselves, what they are.
    name : str
        Of the named variant that these rules are; empty if they are none.
    rules : Rules
    """

    change: str
    name: str
    rules: Rules


@dataclass(frozen=True)
class VariantGames:
    """Games under some rules; ``more_...`` is less those under the first, game by game.

    An estimate is None where there was nothing to estimate it from, and ``more_...`` under the
    first rules.

    Attributes
    ----------
    games : int
        Played, those given up among them.
    deals, more_deals : Estimate or None
        Deals a decided game, redeals among them.
    decided, more_decided : Estimate or None
        The proportion of games that end with a made moon of the winner.
    first_dealer, more_first_dealer : Estimate or None
        The proportion of decided games that the first dealer, seat 0, wins.
    unfinished : int
        Games given up.
    """

    games: int
    deals: Estimate | None
    more_deals: Estimate | None
    decided: Estimate | None
    more_decided: Estimate | None
    first_dealer: Estimate | None
    more_first_dealer: Estimate | None
    unfinished: int


@dataclass(frozen=True)
class VariantDeals:
    """Single deals under some rules; ``more_...`` as in ``VariantGames``.

    Attributes
    ----------
    redealt, swapped : Estimate or None
        The proportion of deals in which nobody declares, and in which somebody trades his hand.
    is_set : Estimate or None
        The proportion of bids that are set.
    moon : Estimate or None
        The proportion of deals in which the moon is bid.
    declarer, more_declarer : Estimate or None
        The declarer's points a deal; 0 where there is none.
    defenders, more_defenders : Estimate or None
        The points of both defenders together a deal.
    """

    redealt: Estimate | None
    swapped: Estimate | None
    is_set: Estimate | None
    moon: Estimate | None
    declarer: Estimate | None
    more_declarer: Estimate | None
    defenders: Estimate | None
    more_defenders: Estimate | None


@dataclass(frozen=True)
class VariantResult:
    """What became of one variant."""

    variant: Variant
    games: VariantGames
    deals: VariantDeals


def rule_variants(rules: Rules = STANDARD) -> tuple[Variant, ...]:
    """Some rules, the same with each field changed alone, and the named variants.

    A field that is not what the standard rules say is set to that as well.

    >>> [variant.change for variant in rule_variants()][:4]
    ['standard rules', 'target=16', 'target=50', 'target=64']
    """
    named = {variant: name for name, variant in VARIANTS.items()}
    found = {rules: str(rules)}
    standard = STANDARD.to_dict()
    for field, values in OTHER_VALUES.items():
        for value in dict.fromkeys((*values, standard[field])):
            found.setdefault(rules.replace(**{field: value}), f"{field}={value}")
    for variant, name in named.items():
        found.setdefault(variant, name)
    return tuple(Variant(change, named.get(one, ""), one) for one, change in found.items())


def simulate_variants(
    games: int,
    strategies: Sequence[Strategy | str] = ("odds", "odds", "odds"),
    *,
    variants: Sequence[Variant] | None = None,
    seed: int = 0,
    rules: Rules = STANDARD,
    level: float = 0.95,
    runner: Runner | None = None,
) -> tuple[VariantResult, ...]:
    """Play games, and ten deals for each, under rules that differ in one field.

    Parameters
    ----------
    games : int
        At least 2.
    strategies : three of Strategy or str
        By seat.
    variants : sequence of Variant, optional
        The first is what others are compared with. Left out, ``rule_variants(rules)``.
    seed : int
    rules : Rules
    level : float
    runner : Runner, optional

    Returns
    -------
    tuple of VariantResult
        In the order of the variants.
    """
    check_units(games, "games")
    check_level(level)
    seats = check_strategies(strategies)
    every = rule_variants(check_rules(rules)) if variants is None else tuple(variants)
    for one in every:  # once, before threads would each begin it
        play_deals(seats, 0, rules=one.rules)
    model = table_model([seat.name for seat in seats])
    simulation = Simulation(
        "games",
        functools.partial(_block, seats=seats, every=tuple(one.rules for one in every)),
        title="playing deals and games",
        unit="games",
        per_block=GAMES_PER_BLOCK,
        watch=Watch(
            "the length of a game under the first rules",
            functools.partial(read_moments, names=_GAME, y="deals", among="finished"),
            model,
            "deals a game",
            bounds=(0, MAX_DEALS),
        ),
    )
    simulation = for_engine(simulation, [seats], rules)
    ran = (runner or Runner()).run(simulation, games, seed=seed, level=level)
    rows = ran.sums.reshape(len(every), -1)
    return tuple(
        _result(variant, row, ran.n, level, model, is_first=i == 0)
        for i, (variant, row) in enumerate(zip(every, rows, strict=True))
    )


def _block(
    seed: int,
    start: int,
    count: int,
    seats: tuple[Strategy, Strategy, Strategy],
    every: tuple[Rules, ...],
) -> NDArray[np.int64]:
    """For each variant, the sums over games and over deals."""
    first_games: GameResults | None = None
    known: dict[Rules, DealResults] = {}
    sums = []
    for rules in every:
        games = play_games(seats, count, seed=seed, start=start, rules=rules, max_deals=MAX_DEALS)
        first_games = first_games or games
        # The target changes nothing in a deal.
        alike = rules.replace(target=every[0].target)
        if alike not in known:
            known[alike] = play_deals(
                seats,
                count * DEALS_PER_GAME,
                seed=seed,
                start=start * DEALS_PER_GAME,
                rules=alike,
            )
        sums.append(moment_sums(_game_columns(games, first_games)))
        sums.append(moment_sums(_deal_columns(known[alike], known[every[0]])))
    return np.concatenate(sums)


def _game_columns(games: GameResults, first: GameResults) -> Columns:
    finished, decided = games.winner >= 0, games.decided_by_moon
    both = finished & (first.winner >= 0)
    return {
        "finished": finished,
        "deals": finished * games.deals,
        "both": both,
        "more_deals": both * (games.deals - first.deals),
        "decided": decided,
        "more_decided": both * (decided.astype(np.int64) - first.decided_by_moon),
        "first_dealer": games.winner == 0,
        "more_first_dealer": both * ((games.winner == 0).astype(np.int64) - (first.winner == 0)),
    }


def _deal_columns(deals: DealResults, first: DealResults) -> Columns:
    declared = deals.declarer >= 0
    declarer, defenders = _points(deals)
    first_declarer, first_defenders = _points(first)
    return {
        "declared": declared,
        "redealt": ~declared,
        "swapped": deals.swapper >= 0,
        "is_set": declared & (_tricks(deals) < deals.bid),
        "moon": deals.bid == Bid.MOON,
        "declarer": declarer,
        "more_declarer": declarer - first_declarer,
        "defenders": defenders,
        "more_defenders": defenders - first_defenders,
    }


def _of_declarer(deals: DealResults, by_seat: NDArray[np.int64]) -> NDArray[np.int64]:
    """What the declarer has; 0 where there is none."""
    rows, seats = np.arange(len(deals)), np.maximum(deals.declarer, 0).astype(np.int64)
    own: NDArray[np.int64] = np.where(deals.declarer >= 0, by_seat[rows, seats], 0)
    return own


def _tricks(deals: DealResults) -> NDArray[np.int64]:
    return _of_declarer(deals, deals.tricks.astype(np.int64))


def _points(deals: DealResults) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Points of the declarer and of both defenders."""
    points = deals.points.astype(np.int64)
    declarer = _of_declarer(deals, points)
    return declarer, points.sum(axis=1) - declarer


_GAME = (
    "finished",
    "deals",
    "both",
    "more_deals",
    "decided",
    "more_decided",
    "first_dealer",
    "more_first_dealer",
)
_DEAL = (
    "declared",
    "redealt",
    "swapped",
    "is_set",
    "moon",
    "declarer",
    "more_declarer",
    "defenders",
    "more_defenders",
)


def _result(
    variant: Variant,
    sums: NDArray[np.int64],
    n: int,
    level: float,
    model: str,
    *,
    is_first: bool,
) -> VariantResult:
    of_games, of_deals = np.split(sums, [n_sums(_GAME)])
    games = Moments(_GAME, of_games, n, level, model)
    deals = Moments(_DEAL, of_deals, n * DEALS_PER_GAME, level, model)

    def more(found: Moments, name: str, among: str | None = None) -> Estimate | None:
        return None if is_first else found.mean(name, among=among)

    return VariantResult(
        variant=variant,
        games=VariantGames(
            games=n,
            deals=games.mean("deals", among="finished"),
            more_deals=more(games, "more_deals", "both"),
            decided=games.proportion("decided", among="finished"),
            more_decided=more(games, "more_decided", "both"),
            first_dealer=games.proportion("first_dealer", among="finished"),
            more_first_dealer=more(games, "more_first_dealer", "both"),
            unfinished=n - games.total("finished"),
        ),
        deals=VariantDeals(
            redealt=deals.proportion("redealt"),
            swapped=deals.proportion("swapped"),
            is_set=deals.proportion("is_set", among="declared"),
            moon=deals.proportion("moon"),
            declarer=deals.mean("declarer"),
            more_declarer=more(deals, "more_declarer"),
            defenders=deals.mean("defenders"),
            more_defenders=more(deals, "more_defenders"),
        ),
    )
