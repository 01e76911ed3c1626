"""When the moon is worth more than the next best bid, exactly, for every kind of hand.

Solo, as in ``swap-value``: nobody else bids, or nobody bids any more; a pass is worth 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ghostsim.cards import HAND_SIZE, Rank, Suit
from ghostsim.class_odds import LAYOUTS, ClassOdds, bid_totals
from ghostsim.hand_classes import counts, holdings
from ghostsim.rules import Bid, Rules
from ghostsim.study.hands import HOLDING


@dataclass(frozen=True, eq=False)
class MoonOdds:
    """The moon beside the best of a pass and all other bids, one entry a hand class.

    Attributes
    ----------
    rules : Rules
    masks, hands : int64 (18133,)
        As in ``HandClasses``.
    made : int64 (18133,)
        Layouts in which the moon makes, in the trump in which it is worth most.
    moon : int64 (18133,)
        Its points summed over the layouts.
    other : int64 (18133,)
        Those of the best of a pass and every other bid in every trump.
    """

    rules: Rules
    masks: NDArray[np.int64]
    hands: NDArray[np.int64]
    made: NDArray[np.int64]
    moon: NDArray[np.int64]
    other: NDArray[np.int64]

    @property
    def shoots(self) -> NDArray[np.bool_]:
        """Whether the moon is worth more than anything else; bool (18133,)."""
        return self.moon > self.other

    @property
    def gain(self) -> NDArray[np.int64]:
        """What being able to shoot is worth, summed over the layouts; int64 (18133,)."""
        gain: NDArray[np.int64] = np.maximum(self.moon - self.other, 0)
        return gain

    def break_even(self) -> NDArray[np.float64]:
        """The chance of making it at which the moon is worth as much as the next best.

        Above 1 where even a sure moon is worth less.

        Returns
        -------
        float64 (18133,)
            NaN where a made moon scores no more than one that is set.
        """
        made = self.rules.moon_points
        missed = LAYOUTS - self.made
        # What a set moon scores may depend on its tricks, so on the hand.
        lost = self.moon - made * self.made
        when_set = np.where(
            missed > 0, lost / np.maximum(missed, 1), -float(self.rules.moon_set_points)
        )
        at_stake = made - when_set
        needed = self.other / LAYOUTS - when_set
        even: NDArray[np.float64] = needed / np.where(at_stake > 0, at_stake, np.nan)
        return even

    def share_that_shoots(self) -> float:
        """Of all hands, each as likely."""
        return int(self.hands[self.shoots].sum()) / int(self.hands.sum())

    def p_make_if_shot(self) -> float:
        """P_coalition(make) over the hands that shoot; NaN if none does."""
        shot = int(self.hands[self.shoots].sum())
        if not shot:
            return np.nan
        return int((self.made * self.hands)[self.shoots].sum()) / (shot * LAYOUTS)

    def gain_per_deal(self) -> float:
        """Points that being able to shoot is worth, in the mean over all hands."""
        return int(self.gain @ self.hands) / (int(self.hands.sum()) * LAYOUTS)

    def mean_break_even(self) -> float:
        """The mean break-even over the hands that shoot; NaN if none does."""
        return _mean(self.break_even(), self.hands * self.shoots)

    def classes(self) -> pd.DataFrame:
        """One row a class: holding, hand count, and all that means are made of, points a deal."""
        frame = pd.DataFrame(holdings(self.masks), columns=HOLDING)
        frame["count"] = counts(self.masks)
        frame["hands"] = self.hands
        frame["shoots"] = self.shoots.astype(float)
        frame["p_make"] = self.made / LAYOUTS
        frame["moon"] = self.moon / LAYOUTS
        frame["next"] = self.other / LAYOUTS
        frame["break_even"] = self.break_even()
        frame["gain"] = self.gain / LAYOUTS
        return frame


def moon_odds(odds: ClassOdds, rules: Rules, standing: Bid | None = None) -> MoonOdds:
    """The moon of every hand class under some rules.

    Parameters
    ----------
    odds : ClassOdds
        Whose counts are read; its rules are not.
    rules : Rules
    standing : Bid, optional
        A bid to be exceeded, below the moon; left out, there is none yet.
    """
    totals = bid_totals(odds.counts, rules)
    rows = np.arange(len(totals))
    trump = totals[:, :, -1].argmax(axis=1)
    lower = [i for i, bid in enumerate(rules.bids) if (standing or 0) < bid < Bid.MOON]
    other = np.zeros(len(totals), dtype=np.int64)
    if lower:
        other = np.maximum(totals[:, :, lower].max(axis=(1, 2)), 0)
    return MoonOdds(
        rules=rules,
        masks=odds.classes.masks,
        hands=odds.classes.hands,
        made=odds.counts[rows, trump, 6],
        moon=totals[rows, trump, -1],
        other=other,
    )


def means(classes: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Means over the hands of each combination of keys, of the columns of ``MoonOdds.classes``."""
    names = ["shoots", "p_make", "moon", "next", "break_even", "gain"]
    rows = []
    for key, group in classes.groupby(keys):
        hands = group["hands"].to_numpy()
        row = dict(zip(keys, key if isinstance(key, tuple) else (key,), strict=True))
        row["hands"] = int(hands.sum())
        rows.append(row | {name: _mean(group[name].to_numpy(), hands) for name in names})
    return pd.DataFrame(rows)


def shooting(odds: MoonOdds) -> pd.DataFrame:
    """The hands that should shoot, by what a player sees; holdings of which none should left out.

    Returns
    -------
    DataFrame
        The holding; ``hands``, all that have it; ``shoots``, the share of these that should; and
        means over those that should: ``p_make``, ``break_even``, ``moon`` and ``next`` (points of
        the moon, and of the next best), ``gain``, the difference.
    """
    classes = odds.classes()
    names = ["p_make", "break_even", "moon", "next", "gain"]
    shot = classes[classes["shoots"] == 1]
    if shot.empty:
        return pd.DataFrame(columns=[*HOLDING, "hands", "shoots", *names])
    every = means(classes, HOLDING)[[*HOLDING, "hands", "shoots"]]
    return every.merge(means(shot, HOLDING)[[*HOLDING, *names]], on=HOLDING)


def _mean(values: NDArray[np.float64], hands: NDArray[np.int64]) -> float:
    """The mean over hands of what is known; NaN if nothing is."""
    known = ~np.isnan(values) & (hands > 0)
    if not known.any():
        return np.nan
    return float(np.average(values[known], weights=hands[known]))


def clean_trumps(masks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Trumps of hands that hold the right bower, and beside trumps nothing but runs from an ace.

    A run is A, A K, A K Q and so on, the left bower not being in its printed suit.

    Returns
    -------
    int64 (n,)
        In the suit where they are most; 0 for hands of another kind.

    Examples
    --------
    >>> from ghostsim import Hand
    >>> hands = ["JS AS 9S AH KH AD", "JS AS 9S AH QH AD", "JC AS 9S AH KH AD"]
    >>> clean_trumps(np.array([Hand(hand).mask for hand in hands])).tolist()
    [3, 0, 0]
    """
    best = np.zeros(len(masks), dtype=np.int64)
    for trump in Suit:
        right, left = (masks >> 6 * suit + Rank.JACK & 1 for suit in (trump, trump.next))
        trumps = np.bitwise_count(masks >> 6 * trump & 63) + left
        cards = trumps.astype(np.int64)
        for suit in Suit:
            if suit != trump:
                unbroken = np.ones(len(masks), dtype=np.int64)
                for rank in sorted(Rank, reverse=True):
                    if (suit, rank) != (trump.next, Rank.JACK):
                        unbroken &= masks >> 6 * suit + rank
                        cards += unbroken
        is_clean = (right == 1) & (cards == HAND_SIZE)
        best = np.where(is_clean, np.maximum(best, trumps), best)
    return best


def rules_of_thumb(odds: MoonOdds) -> pd.DataFrame:
    """What simple rules that tell when to shoot get of what the moon is worth.

    Returns
    -------
    DataFrame
        Columns ``rule``; ``shoots``, the share of hands that it shoots on; ``p_make``, how often it
        makes; ``gain`` over never shooting, and ``lost`` to the exact choice, points a deal over
        all hands.
    """
    count, clean = counts(odds.masks), clean_trumps(odds.masks)
    ways = {"the exact odds": odds.shoots, "never": np.zeros(len(count), dtype=bool)}
    for least in range(6, int(count.max()) + 1):
        ways[f"a hand count of {least} or more"] = count >= least
    for least in range(2, 5):
        ways[f"clean, with {least} trumps or more"] = clean >= least
    hands, every = odds.hands, int(odds.hands.sum())
    rows = []
    for rule, shoots in ways.items():
        shot = int(hands[shoots].sum())
        gain = int(((odds.moon - odds.other) * hands)[shoots].sum())
        rows.append(
            {
                "rule": rule,
                "shoots": shot / every,
                "p_make": int((odds.made * hands)[shoots].sum()) / (shot * LAYOUTS)
                if shot
                else np.nan,
                "gain": gain / (every * LAYOUTS),
                "lost": (int(odds.gain @ hands) - gain) / (every * LAYOUTS),
            }
        )
    return pd.DataFrame(rows)
