"""Layouts that fit a view: which they are, by enumeration; that all are equally likely."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from ghostsim.cards import ALL_CARDS, Card, Hand, Suit, cards_of
from ghostsim.deals import Deal, SeedError
from ghostsim.layouts import (
    LayoutError,
    all_layouts,
    count_layouts,
    sample_layouts,
    shown_voids,
)
from ghostsim.rules import STANDARD
from ghostsim.table.deal import DealState
from ghostsim.table.view import Trick, View
from strategies import deals, seats, trumps, words


def mask(text: str) -> int:
    return sum(Card(card).mask for card in text.split())


def played(deal: Deal, trump: Suit, swaps: bool, cards: int, chance: random.Random) -> DealState:
    """A deal some random legal cards later; seat 1 may have swapped before it bid."""
    state = DealState.start(deal, dealer=0)
    state = state.swap() if swaps else state
    state = state.make_bid(3).pass_turn().pass_turn().name_trump(trump)
    for _ in range(cards):
        state = state.play(chance.choice(state.legal))
    return state


def effective(card: Card, trump: Suit) -> str:
    """The suit of a card in play, told by the rules and not by the package."""
    suit, colour = str(card)[1], {"S": "SC", "C": "CS", "H": "HD", "D": "DH"}
    named = trump.letter
    return named if str(card)[0] == "J" and suit in colour[named] else suit


def fits(view: View, hands: dict[int, frozenset[Card]]) -> bool:
    """Whether hands agree with what the seats played: nobody holds a suit it did not follow."""
    assert view.trump is not None and view.leader is not None
    seen = [*((trick.leader, trick.cards) for trick in view.tricks), (view.leader, view.trick)]
    for leader, cards in seen:
        for place, card in enumerate(cards):
            led = effective(cards[0], view.trump)
            held = hands[(leader + place) % 3]
            if effective(card, view.trump) != led and any(
                effective(other, view.trump) == led for other in held
            ):
                return False
    return True


def enumerated(view: View) -> set[tuple[int, int, int, int]]:
    """All layouts that fit, by trying every one."""
    assert view.leader is not None
    left, right = (view.seat + 1) % 3, (view.seat + 2) % 3
    behind = {(view.leader + place) % 3 for place in range(len(view.trick))}
    to_go = 6 - len(view.tricks)
    unseen = [card for card in cards_of(ALL_CARDS) if not card.mask & view.seen]
    found = set()
    for first in itertools.combinations(unseen, to_go - (left in behind)):
        rest = [card for card in unseen if card not in first]
        for second in itertools.combinations(rest, to_go - (right in behind)):
            hands = {
                view.seat: frozenset(view.hand),
                left: frozenset(first),
                right: frozenset(second),
            }
            if fits(view, hands):
                dead = set(rest) - set(second) if view.dead is None else set(view.dead)
                masks = [sum(card.mask for card in hands[seat]) for seat in range(3)]
                found.add((*masks, sum(card.mask for card in dead)))
    return {(a, b, c, d) for a, b, c, d in found}


# ----------------------------------------------------------------------------------- which they are


@settings(max_examples=40)
@given(deals(), trumps, st.booleans(), seats, st.integers(12, 17), st.integers(0, 10**6))
def test_all_layouts_are_those_that_fit(
    deal: Deal, trump: Suit, swaps: bool, seat: int, cards: int, lot: int
) -> None:
    state = played(deal, trump, swaps, cards, random.Random(lot))
    view = state.view(seat)
    expected = enumerated(view)
    found = [tuple(row) for row in all_layouts(view).tolist()]
    assert len(found) == len(set(found)) == count_layouts(view)
    assert set(found) == expected
    # How the cards lie in truth is one of them.
    truth = [sum(card.mask for card in hand) for hand in state.hands]
    dead = state.deal.ghost if state.dead is None else state.dead
    assert (*truth, dead.mask) in expected


@settings(max_examples=60)
@given(deals(), trumps, st.booleans(), seats, st.integers(0, 17), st.integers(0, 10**6), words)
def test_samples_fit(
    deal: Deal, trump: Suit, swaps: bool, seat: int, cards: int, lot: int, word: int
) -> None:
    view = played(deal, trump, swaps, cards, random.Random(lot)).view(seat)
    layouts = sample_layouts(view, 20, word)
    assert layouts.shape == (20, 4) and layouts.dtype == np.int64
    gone = sum(card.mask for trick in view.tricks for card in trick.cards)
    gone += sum(card.mask for card in view.trick)
    for row in layouts.tolist():
        # All 24 cards, each once.
        assert sum(row) + gone == ALL_CARDS
        assert sum(part.bit_count() for part in (*row, gone)) == 24
        hands = {at: frozenset(cards_of(row[at])) for at in range(3)}
        assert fits(view, hands)
        assert row[seat] == sum(card.mask for card in view.hand)
        if view.dead is not None:
            assert row[3] == view.dead.mask
    assert (sample_layouts(view, 20, word) == layouts).all()


@settings(max_examples=30)
@given(deals(), trumps, st.booleans(), seats, st.integers(0, 17), st.integers(0, 10**6))
def test_hidden_cards_do_not_matter(
    deal: Deal, trump: Suit, swaps: bool, seat: int, cards: int, lot: int
) -> None:
    """Another deal that looks the same from the seat gives the same layouts."""
    state = played(deal, trump, swaps, cards, random.Random(lot))
    view = state.view(seat)
    for row in sample_layouts(view, 3, word=9).tolist():
        hands = [[*cards_of(row[at])] for at in range(3)]
        for trick in state.tricks:
            for at in range(3):
                hands[at].append(trick.card_of(at))
        for place, card in enumerate(state.trick):
            hands[((state.leader or 0) + place) % 3].append(card)
        if state.swapper is not None:  # what he holds was the ghost; what is dead was his
            hands[state.swapper] = [*cards_of(row[3])]
        other = DealState.start(Deal(hands), dealer=0)
        other = other.swap() if swaps else other
        other = other.make_bid(3).pass_turn().pass_turn().name_trump(trump)
        for card in state.plays:
            other = other.play(card)
        assert other.view(seat) == view
        assert (sample_layouts(other.view(seat), 5, word=3) == sample_layouts(view, 5, 3)).all()


def test_numbers_of_layouts() -> None:
    # DESIGN 6: 17,153,136 layouts a hand; 924 for the one who swapped.
    hand = tuple(Hand("JS JC AS KS AH 9D"))
    view = View(rules=STANDARD, seat=2, dealer=0, scores=(0, 0, 0), hand=hand)
    assert count_layouts(view) == 17_153_136
    dead = Hand("9S TS QS 9C TC QC")
    swapped = View(rules=STANDARD, seat=2, dealer=0, scores=(0, 0, 0), hand=hand, dead=dead)
    assert count_layouts(swapped) == 924
    assert (all_layouts(swapped)[:, 3] == dead.mask).all()
    assert len(np.unique(all_layouts(swapped)[:, 0])) == 924


# -------------------------------------------------------------------------------------------- voids


def after_one_trick(*cards: str, trump: Suit, hand: str, revokes: bool = False) -> View:
    first, second, third = map(Card, cards)
    return View(
        rules=STANDARD,
        seat=0,
        dealer=2,
        scores=(0, 0, 0),
        hand=tuple(Card(card) for card in hand.split()),
        trump=trump,
        leader=0,
        tricks=(Trick(0, (first, second, third), 0),),
        revokes_allowed=revokes,
    )


def test_a_void_in_the_printed_suit_leaves_the_left_bower() -> None:
    view = after_one_trick("AC", "9H", "9C", trump=Suit.SPADES, hand="AS KS QS TS 9S")
    assert shown_voids(view) == (frozenset(), frozenset({Suit.CLUBS}), frozenset())
    layouts = sample_layouts(view, 2_000, word=1)
    assert not (layouts[:, 1] & mask("KC QC TC")).any()
    assert (layouts[:, 1] & mask("JC")).any()  # it is a spade


def test_a_void_in_trumps_rules_the_left_bower_out() -> None:
    view = after_one_trick("AS", "9H", "9S", trump=Suit.SPADES, hand="AC KC QC TC 9C")
    assert shown_voids(view)[1] == {Suit.SPADES}
    layouts = sample_layouts(view, 2_000, word=1)
    assert not (layouts[:, 1] & mask("JC JS")).any()
    assert (layouts[:, 2] & mask("JC")).any()
    assert (layouts[:, 3] & mask("JC")).any()


def test_who_does_not_follow_the_left_bower_has_no_trump() -> None:
    view = after_one_trick("JC", "9C", "9S", trump=Suit.SPADES, hand="AC KC QC TC AH")
    assert shown_voids(view)[1] == {Suit.SPADES}


def test_before_trump_is_named_nobody_is_void() -> None:
    hand = tuple(Hand("JS JC AS KS AH 9D"))
    view = View(rules=STANDARD, seat=0, dealer=2, scores=(0, 0, 0), hand=hand)
    assert shown_voids(view) == (frozenset(), frozenset(), frozenset())


def test_a_revoke_that_came_to_light_is_no_void() -> None:
    tricks = (
        Trick(0, (Card("AC"), Card("9H"), Card("9C")), 0),
        Trick(0, (Card("AS"), Card("TC"), Card("9S")), 0),  # seat 1 had a club all the time
    )
    view = View(
        rules=STANDARD,
        seat=0,
        dealer=2,
        scores=(0, 0, 0),
        hand=(Card("KS"), Card("QS"), Card("JS"), Card("TS")),
        trump=Suit.SPADES,
        leader=0,
        tricks=tricks,
        revokes_allowed=True,
    )
    assert shown_voids(view)[1] == {Suit.SPADES}
    assert (sample_layouts(view, 1_000, word=1)[:, 1] & mask("KC QC")).any()


def impossible(revokes: bool) -> View:
    """Seat 1 swapped away; both others show void in hearts, which have no other place left."""
    tricks = (
        Trick(0, (Card("AH"), Card("9S"), Card("9C")), 0),
        Trick(0, (Card("AC"), Card("TC"), Card("QC")), 0),
        Trick(0, (Card("AD"), Card("TD"), Card("QD")), 0),
    )
    return View(
        rules=STANDARD,
        seat=0,
        dealer=2,
        scores=(0, 0, 0),
        hand=tuple(map(Card, ["JS", "AS", "KS"])),
        dead=Hand("9D JD TS KD QS KC"),
        trump=Suit.SPADES,
        leader=0,
        tricks=tricks,
        revokes_allowed=revokes,
    )


def test_a_view_that_no_layout_fits() -> None:
    with pytest.raises(LayoutError, match="seat 1 is void in hearts; seat 2 is void in hearts"):
        count_layouts(impossible(revokes=False))
    # Somebody must have revoked, though nobody can say who: C(6, 3) layouts.
    assert count_layouts(impossible(revokes=True)) == 20


def test_a_view_with_too_few_cards() -> None:
    view = View(rules=STANDARD, seat=0, dealer=2, scores=(0, 0, 0), hand=(Card("AS"), Card("KS")))
    with pytest.raises(LayoutError, match="22 cards are unseen"):
        all_layouts(view)


def test_numbers_that_are_refused() -> None:
    view = View(rules=STANDARD, seat=0, dealer=2, scores=(0, 0, 0), hand=tuple(Hand.from_mask(63)))
    with pytest.raises(LayoutError, match="n must not be negative, not -1"):
        sample_layouts(view, -1, word=0)
    with pytest.raises(SeedError, match="word"):
        sample_layouts(view, 1, word=1 << 64)
    with pytest.raises(TypeError, match="n must"):
        sample_layouts(view, 1.5, word=0)  # type: ignore[arg-type]
    assert sample_layouts(view, 0, word=0).shape == (0, 4)


# ----------------------------------------------------------------------------------- equally likely


def p_value(view: View, n: int) -> float:
    """Chi-square of a sample against equal chances, over every layout that fits."""
    every = sorted(enumerated(view))
    index = {row: i for i, row in enumerate(every)}
    rows = [index[tuple(row)] for row in sample_layouts(view, n, word=12345).tolist()]
    counts = np.bincount(rows, minlength=len(every))
    expected = n / len(every)
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), len(every) - 1))


@pytest.mark.parametrize("index", range(12))
def test_layouts_are_equally_likely(index: int) -> None:
    state = played(
        Deal.random(seed=4, index=index),
        Suit(index % 4),
        swaps=index % 3 == 0,
        cards=13 + index % 3,
        chance=random.Random(index),
    )
    view = state.view(index % 3)
    assert 1 < count_layouts(view) <= 4_000
    # Twelve looks: below one in ten thousand once in eight hundred such tests.
    assert p_value(view, 40_000) > 1e-4


def test_voids_in_two_suits_are_equally_likely() -> None:
    """A constrained case with many splits of the suits, by hand: seat 1 has neither C nor D."""
    tricks = (
        Trick(0, (Card("AC"), Card("9H"), Card("9C")), 0),
        Trick(0, (Card("AD"), Card("TH"), Card("9D")), 0),
        Trick(0, (Card("AS"), Card("9S"), Card("TS")), 0),
        Trick(0, (Card("JS"), Card("QS"), Card("JC")), 0),
    )
    view = View(
        rules=STANDARD,
        seat=0,
        dealer=2,
        scores=(0, 0, 0),
        hand=(Card("KS"), Card("KC")),
        trump=Suit.SPADES,
        leader=0,
        tricks=tricks,
    )
    # Out are QC TC, AH KH QH JH, KD QD JD TD; seat 1 has two of the four hearts, seat 2 any two of
    # the other eight.
    assert count_layouts(view) == 6 * 28
    assert p_value(view, 40_000) > 1e-4


def test_each_card_lies_everywhere_alike() -> None:
    """With six cards in every place each unseen card is in each of them a third of the time."""
    hand = tuple(Hand("JS JC AS KS AH 9D"))
    view = View(rules=STANDARD, seat=1, dealer=2, scores=(0, 0, 0), hand=hand)
    layouts = sample_layouts(view, 30_000, word=7)
    bits = layouts[:, [0, 2, 3], np.newaxis] >> np.arange(24) & 1
    share = bits.mean(axis=0)[:, [card.index for card in view.unseen]]
    error = np.sqrt(1 / 3 * 2 / 3 / 30_000)
    assert abs(share - 1 / 3).max() < 5 * error
