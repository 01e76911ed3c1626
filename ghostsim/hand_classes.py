"""The 134,596 hands sorted into 18,133 classes, and what a player sees of each.

Swapping the two black suits, the two red suits, or the colours changes nothing about a hand
before trump is named: the hands that these eight relabellings turn into each other are a class.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ghostsim._once import once
from ghostsim.cards import HAND_SIZE, N_CARDS, Rank, Suit, cards_of

#: The relabellings that keep colours together: suit s becomes ``relabelling[s]``.
RELABELLINGS: tuple[tuple[int, int, int, int], ...] = tuple(
    relabelling  # type: ignore[misc]  # permutations of four have four entries
    for relabelling in itertools.permutations(range(4))
    if relabelling[0] ^ 1 == relabelling[1] and relabelling[2] ^ 1 == relabelling[3]
)


def relabel(masks: NDArray[np.int64], relabelling: tuple[int, int, int, int]) -> NDArray[np.int64]:
    """Masks of cards after each suit s has become ``relabelling[s]``; int64, same shape."""
    out = np.zeros_like(masks)
    for suit, new in enumerate(relabelling):
        out |= (masks >> 6 * suit & 63) << 6 * new
    return out


def canonical(masks: NDArray[np.int64]) -> NDArray[np.int64]:
    """The least mask of each hand's class: the hand that stands for it."""
    relabelled = [relabel(masks, relabelling) for relabelling in RELABELLINGS]
    least: NDArray[np.int64] = np.minimum.reduce(relabelled)
    return least


def all_hands() -> NDArray[np.int64]:
    """The masks of all 134,596 hands, increasing; int64."""
    cards = itertools.chain.from_iterable(itertools.combinations(range(N_CARDS), HAND_SIZE))
    bits = np.fromiter(cards, dtype=np.int64).reshape(-1, HAND_SIZE)
    return np.sort((np.int64(1) << bits).sum(axis=1))


def written(masks: NDArray[np.int64]) -> list[str]:
    """``str(Hand)`` of many hands at once: spades first, each suit from the ace down."""
    cards = cards_of((1 << N_CARDS) - 1)
    bits = np.array([card.mask for card in cards])
    _, held = np.nonzero(masks[:, np.newaxis] & bits)
    names = np.array([str(card) for card in cards])
    return [" ".join(hand) for hand in names[held].reshape(len(masks), HAND_SIZE).tolist()]


@dataclass(frozen=True, eq=False)
class HandClasses:
    """The classes, one an entry.

    Attributes
    ----------
    masks : int64 (18133,)
        The hand that stands for the class, its least mask; increasing.
    hands : int64 (18133,)
        How many hands the class has; they add up to 134,596.
    """

    masks: NDArray[np.int64]
    hands: NDArray[np.int64]

    def number(self, masks: NDArray[np.int64]) -> NDArray[np.int64]:
        """The class number of each hand."""
        return np.searchsorted(self.masks, canonical(masks))


@once()
def hand_classes() -> HandClasses:
    """All classes under the eight colour-preserving relabellings of the suits."""
    masks, hands = np.unique(canonical(all_hands()), return_counts=True)
    hands = hands.astype(np.int64)
    masks.flags.writeable = False  # cached: all callers share them
    hands.flags.writeable = False
    return HandClasses(masks, hands)


def holdings(masks: NDArray[np.int64]) -> NDArray[np.int64]:
    """``Hand.best_holding`` of many hands at once.

    Returns
    -------
    int64 (n, 3)
        Trumps, bowers and outside aces under the suit that is best by this order.
    """
    held = holdings_by_suit(masks)
    order = held @ np.array([100, 10, 1])  # trumps first, then bowers, then aces
    best: NDArray[np.int64] = held[order.argmax(axis=0), np.arange(len(masks))]
    return best


def counts(masks: NDArray[np.int64]) -> NDArray[np.int64]:
    """``Hand.count`` of many hands at once; int64 (n,)."""
    best: NDArray[np.int64] = holdings_by_suit(masks).sum(axis=2).max(axis=0)
    return best


def holdings_by_suit(masks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Trumps, bowers and outside aces under each suit; int64 (4, n, 3)."""
    rows = []
    for suit in Suit:
        jacks = (masks >> (6 * suit + Rank.JACK) & 1) + (masks >> (6 * suit.next + Rank.JACK) & 1)
        left = masks >> (6 * suit.next + Rank.JACK) & 1
        trumps = np.bitwise_count(masks >> 6 * suit & 63).astype(np.int64) + left
        aces = sum(masks >> (6 * other + Rank.ACE) & 1 for other in Suit if other != suit)
        rows.append(np.stack([trumps, jacks, aces], axis=1))
    return np.stack(rows)
