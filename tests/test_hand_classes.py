"""The 134,596 hands and their classes: the exact counts of DESIGN 6 that concern hands."""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import oracle
from ghostsim.cards import Hand, Suit
from ghostsim.hand_classes import (
    RELABELLINGS,
    HandClasses,
    all_hands,
    canonical,
    hand_classes,
    holdings,
    relabel,
    written,
)
from ghostsim.kernels.rng import N_DEALS
from strategies import EIGHT_RELABELLINGS, card_sets, hand_masks, relabellings, suits

pytestmark = [pytest.mark.jit_off]

Masks = NDArray[np.int64]
Relabelling = tuple[int, int, int, int]

N_HANDS = 134_596
#: Relabellings that a player may still use once a suit is trump: only the greens may change places.
GREENS_SWAPPED = {
    Suit.SPADES: (0, 1, 3, 2),
    Suit.CLUBS: (0, 1, 3, 2),
    Suit.HEARTS: (1, 0, 2, 3),
    Suit.DIAMONDS: (1, 0, 2, 3),
}


@pytest.fixture(scope="module")
def hands() -> Masks:
    return all_hands()


@pytest.fixture(scope="module")
def classes() -> HandClasses:
    return hand_classes()


def relabelled(mask: int, relabelling: Sequence[int]) -> int:
    """The hand with every card's suit renamed, card by card."""
    new_suit = {old: "SCHD"[new] for old, new in zip("SCHD", relabelling, strict=True)}
    return oracle.hand_mask([card[0] + new_suit[card[1]] for card in oracle.mask_hand(mask)])


def percent(part: int, whole: int) -> float:
    """In percent to four places, as DESIGN 6 gives it."""
    return round(100 * part / whole, 4)


# ------------------------------------------------------------------------------------- all hands


def test_all_hands(hands: Masks) -> None:
    assert len(hands) == N_HANDS == math.comb(24, 6)
    assert hands.dtype == np.int64
    assert (np.diff(hands) > 0).all(), "increasing, and so none comes twice"
    assert (np.bitwise_count(hands) == 6).all()
    assert hands.min() >= 0
    assert hands.max() < 2**24


def test_hands_in_writing(hands: Masks) -> None:
    some = hands[::97]
    assert written(some) == [str(Hand.from_mask(int(mask))) for mask in some]
    assert written(hands[:0]) == []


def test_layouts_and_deals() -> None:
    ghosts, splits = math.comb(18, 6), math.comb(12, 6)
    assert (ghosts, splits) == (18_564, 924)
    assert ghosts * splits == 17_153_136
    assert N_HANDS * ghosts * splits == N_DEALS == 2_308_743_493_056


# ------------------------------------------------------------------------------------- classes


def test_the_eight_relabellings() -> None:
    assert sorted(RELABELLINGS) == sorted(EIGHT_RELABELLINGS)
    assert RELABELLINGS[0] == (0, 1, 2, 3)


@given(mask=hand_masks, relabelling=relabellings)
def test_a_relabelling_renames_the_suit_of_every_card(mask: int, relabelling: Relabelling) -> None:
    assert relabel(np.array([mask]), relabelling).tolist() == [relabelled(mask, relabelling)]


@given(first=relabellings, second=relabellings, mask=hand_masks)
def test_relabellings_one_after_the_other(
    first: Relabelling, second: Relabelling, mask: int
) -> None:
    both = tuple(second[suit] for suit in first)
    assert both in EIGHT_RELABELLINGS, "the eight are a group"
    one_by_one = relabel(relabel(np.array([mask]), first), second)
    assert one_by_one.tolist() == [relabelled(mask, both)]


def test_a_relabelling_by_example() -> None:
    hand = Hand("JS JC AS KS AH 9D")
    reds_for_blacks = relabel(np.array([hand.mask]), (3, 2, 0, 1))
    assert Hand.from_mask(reds_for_blacks[0]) == Hand("JD JH AD KD AS 9C")
    # The hand that stands for the class has the least number: high cards towards spades.
    assert Hand.from_mask(canonical(np.array([hand.mask]))[0]) == Hand("JS JC AS KS AH 9D")
    assert Hand.from_mask(canonical(reds_for_blacks)[0]) == Hand("JS JC AS KS AH 9D")


@given(mask=hand_masks)
def test_the_hand_that_stands_for_a_class_is_the_least_of_it(mask: int) -> None:
    orbit = {relabelled(mask, relabelling) for relabelling in EIGHT_RELABELLINGS}
    assert canonical(np.array(sorted(orbit))).tolist() == [min(orbit)] * len(orbit)


def test_canonical_hands_do_not_change_under_the_eight_relabellings(hands: Masks) -> None:
    stands_for = canonical(hands)
    assert (stands_for <= hands).all()
    assert (canonical(stands_for) == stands_for).all()
    for relabelling in EIGHT_RELABELLINGS:
        assert (canonical(relabel(hands, relabelling)) == stands_for).all()


def test_the_number_of_classes(classes: HandClasses) -> None:
    assert len(classes.masks) == len(classes.hands) == 18_133
    assert classes.masks.dtype == classes.hands.dtype == np.int64
    assert (np.diff(classes.masks) > 0).all()
    assert (canonical(classes.masks) == classes.masks).all()


def test_the_number_of_classes_by_counting_fixed_hands(hands: Masks) -> None:
    # Burnside: as many classes as hands that a relabelling leaves alone, on average over the eight.
    fixed = [int((relabel(hands, relabelling) == hands).sum()) for relabelling in RELABELLINGS]
    assert sum(fixed) == 8 * 18_133

    # And those by hand. If two suits change places, a hand that stays has the same ranks in both: k
    # of the six pairs of cards, and 6 - 2k of the twelve other cards.
    one_swap = sum(math.comb(6, k) * math.comb(12, 6 - 2 * k) for k in range(4))
    # If both colours are swapped within, or with each other, there are twelve pairs: three of them.
    two_swaps = math.comb(12, 3)
    # If the suits go round in a ring of four, six cards cannot be made of fours.
    ring = 0
    assert sorted(fixed) == sorted([N_HANDS] + [one_swap] * 2 + [two_swaps] * 3 + [ring] * 2)


def test_the_sizes_of_classes(hands: Masks, classes: HandClasses) -> None:
    assert classes.hands.sum() == N_HANDS
    assert set(classes.hands.tolist()) <= {1, 2, 4, 8}, "sizes of orbits of eight relabellings"
    members = np.bincount(classes.number(hands), minlength=len(classes.masks))
    np.testing.assert_array_equal(members, classes.hands)
    orbits = np.stack([relabel(classes.masks, relabelling) for relabelling in EIGHT_RELABELLINGS])
    orbits.sort(axis=0)
    np.testing.assert_array_equal(1 + (np.diff(orbits, axis=0) > 0).sum(axis=0), classes.hands)


@given(mask=hand_masks)
def test_a_hand_is_found_in_its_class(mask: int) -> None:
    classes = hand_classes()
    number = classes.number(np.array([mask]))[0]
    orbit = {relabelled(mask, relabelling) for relabelling in EIGHT_RELABELLINGS}
    assert classes.masks[number] == min(orbit)
    assert classes.hands[number] == len(orbit)


def test_hands_that_look_alike_in_one_suit_only_are_different_classes() -> None:
    # The ranks are the same, but here the jacks are of one colour, there of two.
    pair, apart = Hand("JS JC AS KS AH 9D"), Hand("JS JH AS KS AC 9D")
    numbers = hand_classes().number(np.array([pair.mask, apart.mask]))
    assert numbers[0] != numbers[1]


def test_classes_are_made_once(classes: HandClasses) -> None:
    assert hand_classes() is classes


def test_classes_cannot_be_changed(classes: HandClasses) -> None:
    # What is written is what is there, lest a failure here spoil the classes for other tests.
    with pytest.raises(ValueError, match="read-only"):
        classes.masks[0] = classes.masks[0]
    with pytest.raises(ValueError, match="read-only"):
        classes.hands[0] = classes.hands[0]
    with pytest.raises(AttributeError):
        classes.masks = classes.hands  # type: ignore[misc]  # on purpose


def test_the_number_of_classes_with_trump_named(hands: Masks) -> None:
    for greens_swapped in GREENS_SWAPPED.values():
        least = np.minimum(hands, relabel(hands, greens_swapped))
        assert len(np.unique(least)) == 69_750
    # Of the hands, those with equal greens are one, the others two of a class.
    equal_greens = sum(math.comb(6, k) * math.comb(12, 6 - 2 * k) for k in range(4))
    assert (N_HANDS + equal_greens) // 2 == 69_750


# ------------------------------------------------------------------------------------- odds


def trumps_of(hands: Masks, trump: str) -> NDArray[np.int64]:
    """How many trumps each hand has: the left bower is one."""
    trumps = [card for card in oracle.DECK if oracle.effective_suit(card, trump) == trump]
    counts: NDArray[np.int64] = np.bitwise_count(hands & oracle.hand_mask(trumps)).astype(np.int64)
    return counts


@pytest.mark.parametrize("trump", "SCHD")
def test_how_many_trumps_of_a_named_suit(hands: Masks, trump: str) -> None:
    counts = np.bincount(trumps_of(hands, trump))
    assert counts.tolist() == [math.comb(7, k) * math.comb(17, 6 - k) for k in range(7)]
    shares = [percent(int(count), N_HANDS) for count in counts]
    assert shares == [9.1949, 32.1822, 37.1333, 17.6825, 3.5365, 0.2652, 0.0052]


def test_how_often_both_bowers_are_held(hands: Masks) -> None:
    black, red = (oracle.hand_mask(jacks.split()) for jacks in ("JS JC", "JH JD"))
    both_black, both_red = hands & black == black, hands & red == red
    assert both_black.sum() == both_red.sum() == math.comb(22, 4)
    assert percent(int(both_black.sum()), N_HANDS) == 5.4348
    some_colour = int((both_black | both_red).sum())
    assert some_colour == 2 * math.comb(22, 4) - math.comb(20, 2)
    assert percent(some_colour, N_HANDS) == 10.7284


def test_the_longest_trump_holding_over_the_four_suits(hands: Masks) -> None:
    longest = Counter(holdings(hands)[:, 0].tolist())
    assert longest == {2: 35_700, 3: 78_600, 4: 18_840, 5: 1_428, 6: 28}
    by_oracle = np.max([trumps_of(hands, trump) for trump in "SCHD"], axis=0)
    assert Counter(by_oracle.tolist()) == longest
    # Six of the seven trumps of one of four suits.
    assert longest[6] == 4 * math.comb(7, 6)


def test_a_ghost_may_bring_a_bower() -> None:
    # Holding neither bower: 18 cards are unseen, two of them bowers, and the ghost has six.
    at_least_one = 1 - Fraction(math.comb(16, 6), math.comb(18, 6))
    assert round(float(100 * at_least_one), 3) == 56.863
    hand = ["AS", "KS", "QS", "TS", "9S", "AC"]
    ghosts = list(oracle.ghosts(hand))
    brings = sum("JS" in ghost or "JC" in ghost for ghost in ghosts)
    assert Fraction(brings, len(ghosts)) == at_least_one
    # The same by masks: whatever the hand, the ghosts beside it are the hands it has no card of.
    hands, held, bowers = all_hands(), oracle.hand_mask(hand), oracle.hand_mask(["JS", "JC"])
    beside = hands[hands & held == 0]
    assert (len(beside), int((beside & bowers != 0).sum())) == (len(ghosts), brings)


# ------------------------------------------------------------------------------------- holdings


def as_rows(masks: list[int]) -> list[tuple[int, int, int]]:
    """Best holdings by the slow, clear way."""
    best = [Hand.from_mask(mask).best_holding() for mask in masks]
    return [(holding.trumps, holding.bowers, holding.outside_aces) for holding in best]


def test_holdings_are_best_holdings_of_all_classes(classes: HandClasses) -> None:
    found = holdings(classes.masks)
    assert found.shape == (18_133, 3)
    assert found.dtype == np.int64
    assert list(map(tuple, found.tolist())) == as_rows(classes.masks.tolist())


def test_holdings_are_the_same_for_all_hands_of_a_class(hands: Masks, classes: HandClasses) -> None:
    of_the_class = holdings(classes.masks)[classes.number(hands)]
    np.testing.assert_array_equal(holdings(hands), of_the_class)


@given(masks=st.lists(hand_masks, max_size=20))
def test_holdings_are_best_holdings(masks: list[int]) -> None:
    found = holdings(np.array(masks, dtype=np.int64))
    assert list(map(tuple, found.tolist())) == as_rows(masks)


@given(suit=suits, bits=card_sets(6))
def test_no_relabelling_changes_the_best_holding(suit: Suit, bits: frozenset[int]) -> None:
    hand = Hand.from_mask(sum(1 << bit for bit in bits))
    for relabelling in EIGHT_RELABELLINGS:
        other = Hand.from_mask(relabelled(hand.mask, relabelling))
        assert other.holding(relabelling[suit]) == hand.holding(suit)
        assert other.best_holding() == hand.best_holding()


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("JS JC AS KS AH 9D", (4, 2, 1)),
        ("JH JD AH KH QH TH", (6, 2, 0)),
        ("9S TS 9C TC 9H TH", (2, 0, 0)),
        ("AS AC AH AD 9S 9C", (2, 0, 3)),
        ("JS JC JH JD AS AH", (3, 2, 1)),
    ],
)
def test_examples_of_holdings(text: str, best: tuple[int, int, int]) -> None:
    assert holdings(np.array([Hand(text).mask])).tolist() == [list(best)]


def test_every_kind_of_holding_is_met(hands: Masks) -> None:
    # Three digits, nothing carried from one to the next: trumps 2-6, bowers 0-2, aces 0-3.
    found = {tuple(row) for row in np.unique(holdings(hands), axis=0).tolist()}
    assert found <= set(itertools.product(range(2, 7), range(3), range(4)))
    assert (6, 2, 0) in found
    assert (2, 0, 3) in found
    assert (5, 2, 1) in found
