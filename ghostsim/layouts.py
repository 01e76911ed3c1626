"""Layouts: the ways the unseen cards may lie, given what a seat knows.

A layout fits a view if every other seat holds as many cards as it must, and none of a suit that
it did not follow. The left bower counts as a trump, here as in play. All layouts that fit are
taken as equally likely: what the others bid, passed, swapped or chose to play is no evidence.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ghostsim._checks import whole_number
from ghostsim.cards import HAND_SIZE, Card, Suit
from ghostsim.deals import check_seed
from ghostsim.errors import GhostsimError
from ghostsim.table.view import View


class LayoutError(GhostsimError):
    """A view that no layout fits, or a number of layouts that cannot be given."""


def shown_voids(view: View) -> tuple[frozenset[Suit], frozenset[Suit], frozenset[Suit]]:
    """The suits that each seat has shown it does not hold, by the cards that it played.

    A seat shows a void if it does not follow suit. Where revokes are allowed, a seat that plays a
    card of such a suit later has revoked, and is not void.

    Parameters
    ----------
    view : View

    Returns
    -------
    three frozensets of Suit
        By seat, that of the view among them.

    Examples
    --------
    >>> from ghostsim.rules import STANDARD
    >>> from ghostsim.table.view import Trick
    >>> trick = Trick(leader=0, cards=(Card("KC"), Card("9C"), Card("AH")), winner=0)
    >>> hand = (Card("AS"), Card("KS"), Card("QS"), Card("TS"), Card("9S"))
    >>> view = View(rules=STANDARD, seat=0, dealer=2, scores=(0, 0, 0), hand=hand,
    ...             trump=Suit.SPADES, leader=0, tricks=(trick,))
    >>> shown_voids(view)[2]
    frozenset({<Suit.CLUBS: 1>})
    """
    voids: tuple[set[Suit], set[Suit], set[Suit]] = (set(), set(), set())
    if view.trump is None:
        return frozenset(), frozenset(), frozenset()
    begun = [] if view.leader is None else [(view.leader, view.trick)]
    for leader, cards in [*((trick.leader, trick.cards) for trick in view.tricks), *begun]:
        for place, card in enumerate(cards):
            seat, suit = (leader + place) % 3, card.suit_under(view.trump)
            led = cards[0].suit_under(view.trump)
            voids[seat].discard(suit)
            if suit != led:
                voids[seat].add(led)
    first, second, third = map(frozenset, voids)
    return first, second, third


def count_layouts(view: View) -> int:
    """How many layouts fit a view: exact.

    Parameters, errors: as ``sample_layouts``.

    Examples
    --------
    >>> from ghostsim import Hand, Rules
    >>> hand = tuple(Hand("JS JC AS KS AH 9D"))
    >>> count_layouts(View(rules=Rules(), seat=0, dealer=2, scores=(0, 0, 0), hand=hand))
    17153136
    """
    return _Unseen.of(view).total


def all_layouts(view: View) -> NDArray[np.int64]:
    """Every layout that fits a view, once each.

    Meant for the end of a deal, when there are few: with ``count_layouts`` one can see how many.

    Parameters, returns, errors: as ``sample_layouts``, but for ``n`` and ``word``.
    """
    unseen = _Unseen.of(view)
    rows = [
        [sum(masks) for masks in zip(*parts, strict=True)]
        for split in unseen.splits
        for parts in itertools.product(*map(_ways, unseen.suits, split))
    ]
    return unseen.columns(np.array(rows, dtype=np.int64))


def sample_layouts(view: View, n: int, word: int) -> NDArray[np.int64]:
    """Layouts that fit a view, drawn with replacement, all equally likely.

    How many cards of each suit each seat holds is drawn first, by the number of layouts of each
    such split; then which they are.

    Parameters
    ----------
    view : View
    n : int
        How many layouts.
    word : int
        The key of the generator, 0 to 2**64 - 1: the same view, number and word give the same
        layouts everywhere. ``view.word`` is one.

    Returns
    -------
    int64 (n, 4)
        Masks: the cards that seats 0, 1, 2 hold now, and the six dead cards. These are the ghost
        as dealt, or the hand that somebody traded for it.

    Raises
    ------
    LayoutError
        If no layout fits the view, or n is negative.
    SeedError
        If the word is out of range.

    Examples
    --------
    >>> from ghostsim import Hand, Rules
    >>> hand = tuple(Hand("JS JC AS KS AH 9D"))
    >>> view = View(rules=Rules(), seat=0, dealer=2, scores=(0, 0, 0), hand=hand)
    >>> layouts = sample_layouts(view, 100, word=1)
    >>> layouts.shape, sorted(set(layouts.sum(axis=1).tolist())) == [2**24 - 1]
    ((100, 4), True)
    """
    count, key = whole_number(n, "n"), check_seed(word, "word")
    if count < 0:
        raise LayoutError(f"n must not be negative, not {count}")
    unseen = _Unseen.of(view)
    # Its raw words are the same in every version of numpy.
    raw = np.random.Philox(key=key).random_raw
    chosen = raw(count) >> np.uint64(11)
    numbers = (chosen * 2.0**-53 * unseen.total).astype(np.int64)
    ends = np.cumsum([unseen.ways(split) for split in unseen.splits])
    splits = np.array(unseen.splits, dtype=np.int64)  # (splits, suits, places)
    split = splits[np.searchsorted(ends, numbers, side="right")]  # (n, suits, places)
    rows = np.zeros((count, 3), dtype=np.int64)
    for suit, cards in enumerate(unseen.suits):
        order = np.argsort(raw(count * len(cards)).reshape(count, len(cards)), axis=1)
        masks = np.array([1 << card.index for card in cards], dtype=np.int64)[order]
        last = np.cumsum(split[:, suit], axis=1)
        for place in range(3):
            first = last[:, place] - split[:, suit, place]
            index = np.arange(len(cards))
            held = (index >= first[:, np.newaxis]) & (index < last[:, place, np.newaxis])
            rows[:, place] += np.where(held, masks, 0).sum(axis=1)
    return unseen.columns(rows)


@dataclass(frozen=True)
class _Unseen:
    """The unseen cards of a view by suit, and how many of each suit may lie where.

    The places are the two other seats, left first, and the dead cards; these hold none of the
    unseen ones if they are known.

    Attributes
    ----------
    view : View
    suits : tuple of tuples of Card
        The unseen cards of each suit, as suits are in play.
    splits : tuple
        Every way that the cards of the suits may be split: for each suit how many lie at each of
        the three places.
    """

    view: View
    suits: tuple[tuple[Card, ...], ...]
    splits: tuple[tuple[tuple[int, int, int], ...], ...]

    @classmethod
    def of(cls, view: View) -> _Unseen:
        places = ((view.seat + 1) % 3, (view.seat + 2) % 3)
        sizes = (*(_held(view, seat) for seat in places), 0 if view.dead else HAND_SIZE)
        unseen = view.unseen
        if sum(sizes) != len(unseen):
            raise LayoutError(
                f"no layout fits: {len(unseen)} cards are unseen, but the others hold "
                f"{sizes[0]} and {sizes[1]}, and {sizes[2]} unseen ones are dead"
            )
        # With no trump named, suits do not matter, and all cards go in one.
        groups = [list(unseen)]
        if view.trump is not None:
            groups = [[c for c in unseen if c.suit_under(view.trump) == suit] for suit in Suit]
        voids = shown_voids(view)
        closed = [tuple(suit in voids[seat] for seat in places) for suit in range(len(groups))]
        splits = tuple(_splits([len(group) for group in groups], closed, sizes))
        if not splits and view.revokes_allowed:
            # Somebody has revoked, though nobody can say who.
            splits = tuple(_splits([len(g) for g in groups], [(False, False)] * 4, sizes))
        if not splits:
            told = "; ".join(
                f"seat {seat} is void in {', '.join(suit.name.lower() for suit in voids[seat])}"
                for seat in places
                if voids[seat]
            )
            raise LayoutError(
                f"no layout fits: {told}, and the {len(unseen)} unseen cards have no other place"
            )
        return cls(view, tuple(map(tuple, groups)), splits)

    def ways(self, split: Sequence[tuple[int, int, int]]) -> int:
        """In how many layouts the suits are split so."""
        return math.prod(
            math.comb(sum(part), part[0]) * math.comb(part[1] + part[2], part[1]) for part in split
        )

    @property
    def total(self) -> int:
        return sum(map(self.ways, self.splits))

    def columns(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Masks by place, (n, 3), as masks by seat and the dead cards, (n, 4)."""
        view = self.view
        found = np.empty((len(rows), 4), dtype=np.int64)
        found[:, view.seat] = sum(card.mask for card in view.hand)
        found[:, (view.seat + 1) % 3] = rows[:, 0]
        found[:, (view.seat + 2) % 3] = rows[:, 1]
        found[:, 3] = rows[:, 2] if view.dead is None else view.dead.mask
        return found


def _held(view: View, seat: int) -> int:
    """How many cards a seat holds."""
    played = view.leader is not None and (seat - view.leader) % 3 < len(view.trick)
    return HAND_SIZE - len(view.tricks) - played


def _splits(
    lengths: Sequence[int], closed: Sequence[Sequence[bool]], sizes: Sequence[int]
) -> Iterator[tuple[tuple[int, int, int], ...]]:
    """The ways to split suits of these lengths over three places of these sizes.

    ``closed`` says, for each suit, which of the first two places may hold none of it.
    """
    if not lengths:
        if not any(sizes):
            yield ()
        return
    for first in range(0 if closed[0][0] else min(lengths[0], sizes[0]), -1, -1):
        rest = lengths[0] - first
        for second in range(0 if closed[0][1] else min(rest, sizes[1]), -1, -1):
            third = rest - second
            if third > sizes[2]:
                break
            left = (sizes[0] - first, sizes[1] - second, sizes[2] - third)
            for others in _splits(lengths[1:], closed[1:], left):
                yield ((first, second, third), *others)


def _ways(cards: Sequence[Card], split: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    """Every way to lay the cards of a suit at the places, as masks."""
    found = []
    whole = sum(card.mask for card in cards)
    for first in itertools.combinations(cards, split[0]):
        rest = [card for card in cards if card not in first]
        one = sum(card.mask for card in first)
        for second in itertools.combinations(rest, split[1]):
            two = sum(card.mask for card in second)
            found.append((one, two, whole - one - two))
    return found
