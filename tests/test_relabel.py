"""The kernels' numbering of positions: lanes, normal form, and subsets of slots.

All of it is checked against the plain words of the docstrings, worked out again here card by card.
"""

# Kernels are typed by numba, from their callers.
# mypy: allow-untyped-calls

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from ghostsim.cards import Suit
from ghostsim.hand_classes import all_hands
from ghostsim.kernels.bits import popcount, rank, spread, squeeze, subsets
from ghostsim.kernels.relabel import (
    FORMS,
    FULL_LENGTHS,
    SHAPES,
    TRUMP_LANE,
    all_slots,
    count_lengths,
    lay_out,
    pack_lengths,
    squeeze_lanes,
    take_up,
    to_lanes,
)
from strategies import layouts, trumps

pytestmark = [pytest.mark.jit_off, pytest.mark.bounds]

NEXT, GREEN, OTHER_GREEN, TRUMP = range(4)
#: The suits of lanes 0 to 3, by trump: next, the green of the lower number, the other green, trump.
LANE_SUITS = {"S": "CHDS", "C": "SHDC", "H": "DSCH", "D": "HSCD"}

slots_of_18 = st.integers(0, 2**18 - 1)


def slot_of(card: str, trump: str) -> int:
    """The bit of a card in lanes: its suit's lane, and its place among the cards of that suit."""
    suit = oracle.effective_suit(card, trump)
    weaker = [
        other
        for other in oracle.DECK
        if oracle.effective_suit(other, trump) == suit
        and oracle.strength(other, trump) < oracle.strength(card, trump)
    ]
    return 8 * LANE_SUITS[trump].index(suit) + len(weaker)


SLOTS = {trump: {card: slot_of(card, trump) for card in oracle.DECK} for trump in "SCHD"}


def plain_lanes(mask: int, trump: Suit) -> int:
    """The lanes of a mask of cards, card by card."""
    return sum(1 << SLOTS[trump.letter][card] for card in oracle.mask_hand(mask))


def read_form(lengths: int) -> tuple[int, list[int]]:
    """The number of the shape, and the lanes in the order in which they are laid out."""
    form = int(FORMS[lengths])
    assert 0 <= form < 1 << 12
    return form & 63, [form >> 6 & 3, form >> 8 & 3, form >> 10 & 3, TRUMP]


def bits_of(mask: int) -> list[int]:
    return [bit for bit in range(int(mask).bit_length()) if mask >> bit & 1]


# ------------------------------------------------------------------------------------- lanes


@pytest.mark.parametrize("trump", Suit)
def test_every_card_has_its_lane_and_slot_under_every_trump(trump: Suit) -> None:
    for card in oracle.DECK:
        lanes = to_lanes(oracle.hand_mask([card]), int(trump))
        assert lanes == 1 << SLOTS[trump.letter][card], f"{card} when {trump.name} are trumps"


@pytest.mark.parametrize(
    ("trump", "rows"),
    [
        ("S", ["9C TC QC KC AC", "9H TH JH QH KH AH", "9D TD JD QD KD AD", "9S TS QS KS AS JC JS"]),
        ("C", ["9S TS QS KS AS", "9H TH JH QH KH AH", "9D TD JD QD KD AD", "9C TC QC KC AC JS JC"]),
        ("H", ["9D TD QD KD AD", "9S TS JS QS KS AS", "9C TC JC QC KC AC", "9H TH QH KH AH JD JH"]),
        ("D", ["9H TH QH KH AH", "9S TS JS QS KS AS", "9C TC JC QC KC AC", "9D TD QD KD AD JH JD"]),
    ],
)
def test_the_lanes_by_hand(trump: str, rows: list[str]) -> None:
    for lane, row in enumerate(rows):
        for slot, card in enumerate(row.split()):
            assert (
                to_lanes(oracle.hand_mask([card]), int(Suit.parse(trump))) == 1 << 8 * lane + slot
            )


@given(first=st.integers(0, 2**24 - 1), second=st.integers(0, 2**24 - 1), trump=trumps)
def test_the_lanes_of_many_cards_are_those_of_each(first: int, second: int, trump: Suit) -> None:
    # With the 24 single cards checked, this leaves nothing open.
    assert to_lanes(first, int(trump)) == plain_lanes(first, trump)
    both = to_lanes(first, int(trump)) | to_lanes(second, int(trump))
    assert to_lanes(first | second, int(trump)) == both


@pytest.mark.parametrize("trump", Suit)
def test_every_hand_has_six_cards_in_lanes(trump: Suit) -> None:
    named = int(trump)
    hands = all_hands().tolist()
    lanes = np.array([to_lanes(mask, named) for mask in hands])
    assert len(lanes) == 134_596
    assert (np.bitwise_count(lanes) == 6).all()
    assert len(np.unique(lanes)) == len(lanes), "different hands stay different"
    # Lanes 0 to 3 have five, six, six and seven slots.
    assert np.bitwise_or.reduce(lanes) == 0x7F3F3F1F


@pytest.mark.parametrize("trump", Suit)
def test_all_cards_in_lanes(trump: Suit) -> None:
    lanes = to_lanes(2**24 - 1, int(trump))
    assert lanes == 0x7F3F3F1F
    assert lanes & TRUMP_LANE == 0x7F << 24
    assert count_lengths(lanes) == FULL_LENGTHS == pack_lengths((5, 6, 6), 7)


@given(first=st.sampled_from(oracle.DECK), second=st.sampled_from(oracle.DECK), trump=trumps)
def test_a_card_beats_a_lower_bit_of_its_lane_and_a_trump_beats_all(
    first: str, second: str, trump: Suit
) -> None:
    named = int(trump)
    bit, lower = (to_lanes(oracle.hand_mask([card]), named) for card in (first, second))
    same_lane = (bit.bit_length() - 1) // 8 == (lower.bit_length() - 1) // 8
    wins = bit > lower and (same_lane or bool(bit & TRUMP_LANE))
    if first != second:
        # The second card is led, or at least is winning so far.
        assert wins == oracle.beats(first, second, trump.letter)


# ------------------------------------------------------------------------------------- lengths


@given(mask=st.integers(0, 2**24 - 1), trump=trumps)
def test_lengths_are_the_cards_of_each_suit(mask: int, trump: Suit) -> None:
    letter = trump.letter
    follow = [oracle.effective_suit(card, letter) for card in oracle.mask_hand(mask)]
    counts = [follow.count(suit) for suit in LANE_SUITS[letter]]
    lengths = count_lengths(to_lanes(mask, int(trump)))
    assert [lengths >> 3 * lane & 7 for lane in range(4)] == counts
    assert lengths == pack_lengths(tuple(counts[:TRUMP]), counts[TRUMP])
    in_play = all_slots(lengths)
    assert [in_play >> 8 * lane & 255 for lane in range(4)] == [(1 << n) - 1 for n in counts]
    assert in_play >> 32 == 0


# DESIGN 4 has 30 for six tricks. It counts (0; 6 6 6), no trumps and three plain suits of six: that
# cannot happen, because next, a plain suit, has only five cards. So there are 29.
N_SHAPES = [1, 7, 23, 44, 57, 50, 29]


def test_the_number_of_shapes() -> None:
    assert [len(shapes) for shapes in SHAPES] == N_SHAPES
    assert (0, 6, 6, 6) not in SHAPES[6]


def test_the_shapes_are_those_that_cards_can_have() -> None:
    # Five cards of next, six of each green, seven trumps: as many of each as may be in play.
    met: list[set[tuple[int, ...]]] = [set() for _ in range(7)]
    for *plain, trump in itertools.product(range(6), range(7), range(7), range(8)):
        tricks, rest = divmod(sum(plain) + trump, 3)
        if rest == 0 and tricks <= 6:
            met[tricks].add((trump, *sorted(plain, reverse=True)))
    for shapes, possible in zip(SHAPES, met, strict=True):
        assert len(shapes) == len(set(shapes))
        assert set(shapes) == possible


def test_positions_of_each_leader() -> None:
    # The last column of DESIGN 4: shapes times the ways to share 3n slots among three hands.
    patterns = [math.factorial(3 * n) // math.factorial(n) ** 3 for n in range(7)]
    assert patterns == [1, 6, 90, 1_680, 34_650, 756_756, 17_153_136]
    positions = [len(shapes) * ways for shapes, ways in zip(SHAPES, patterns, strict=True)]
    assert positions[1:4] == [42, 2_070, 73_920]
    assert positions[4:] == [1_975_050, 37_837_800, 497_440_944]


def test_forms() -> None:
    seen: list[set[int]] = [set() for _ in range(7)]
    for lengths in range(1 << 12):
        *plain, trump = (lengths >> 3 * lane & 7 for lane in range(4))
        tricks, rest = divmod(sum(plain) + trump, 3)
        # Lanes 0 to 2 in any order: a form is also looked up after next has lost its place.
        possible = rest == 0 and tricks <= 6 and max(plain) <= 6 and min(plain) <= 5
        assert (FORMS[lengths] != -1) == possible, (plain, trump)
        if possible:
            number, order = read_form(lengths)
            assert sorted(order) == [NEXT, GREEN, OTHER_GREEN, TRUMP]
            longest_first = tuple(plain[lane] for lane in order[:TRUMP])
            assert longest_first == tuple(sorted(plain, reverse=True))
            assert SHAPES[tricks][number] == (trump, *longest_first)
            seen[tricks].add(number)
    assert [len(numbers) for numbers in seen] == N_SHAPES, "every shape has forms"
    # 876 quadruples of lengths to 6, 6, 6 and 7 add up to 0, 3, ... 18 cards; no trumps and three
    # plain suits of six are left out, as above.
    assert (FORMS != -1).sum() == 875
    assert len(FORMS) == 1 << 12


# ------------------------------------------------------------------------------------- normal form


@st.composite
def shapes(draw: st.DrawFn) -> tuple[int, int]:
    """Packed lengths in normal form, the longest plain suit in lane 0, and their sum."""
    tricks = draw(st.integers(0, 6))
    trump, *plain = draw(st.sampled_from(SHAPES[tricks]))
    return pack_lengths(tuple(plain), trump), 3 * tricks


@given(hands=layouts(), trump=trumps)
def test_the_cards_in_play_are_laid_out_suit_by_suit(
    hands: tuple[int, int, int], trump: Suit
) -> None:
    named, letter = int(trump), trump.letter
    in_play = to_lanes(sum(hands), named)
    lengths = count_lengths(in_play)
    form = int(FORMS[lengths])
    _, order = read_form(lengths)
    slots = [
        lay_out(squeeze_lanes(to_lanes(hand, named), in_play), form, lengths) for hand in hands
    ]
    # Told again with cards: the suits one after the other, each from its lowest card in play up.
    cards = sorted(
        oracle.mask_hand(sum(hands)),
        key=lambda card: (
            order.index(LANE_SUITS[letter].index(oracle.effective_suit(card, letter))),
            oracle.strength(card, letter),
        ),
    )
    for hand, laid_out in zip(hands, slots, strict=True):
        held = oracle.mask_hand(hand)
        assert laid_out == sum(1 << slot for slot, card in enumerate(cards) if card in held)
    assert sum(slots) == (1 << len(cards)) - 1, "each slot has one owner"

    # Taken up again, they are in lanes, the longest plain suit first.
    normal = pack_lengths(tuple(lengths >> 3 * lane & 7 for lane in order[:TRUMP]), lengths >> 9)
    for hand, laid_out in zip(hands, slots, strict=True):
        squeezed = squeeze_lanes(to_lanes(hand, named), in_play)
        expected = sum((squeezed >> 8 * lane & 255) << 8 * i for i, lane in enumerate(order))
        assert take_up(laid_out, normal) == expected


def test_an_endgame_laid_out_by_hand() -> None:
    # Spades are trumps and two tricks are to go. Hearts, the longest plain suit, come first, then
    # next (clubs), then diamonds, then trumps; cards out of play leave no gaps.
    hands = [oracle.hand_mask(text.split()) for text in ("JS 9H", "KH AC", "AH JD")]
    in_play = to_lanes(sum(hands), 0)
    lengths = count_lengths(in_play)
    form = int(FORMS[lengths])
    number, _ = read_form(lengths)
    assert SHAPES[2][number] == (1, 3, 1, 1)
    slots = [lay_out(squeeze_lanes(to_lanes(hand, 0), in_play), form, lengths) for hand in hands]
    #  slot          5  4  3  2  1  0
    #  card         JS JD AC AH KH 9H
    assert slots == [0b100001, 0b001010, 0b010100]


@given(shape=shapes(), data=st.data())
def test_taking_up_is_the_inverse_of_laying_out(
    shape: tuple[int, int], data: st.DataObject
) -> None:
    lengths, n_cards = shape
    everything = (1 << n_cards) - 1
    assert count_lengths(take_up(everything, lengths)) == lengths
    assert take_up(everything, lengths) == all_slots(lengths)
    mask = data.draw(st.integers(0, everything))
    lanes = take_up(mask, lengths)
    assert lay_out(lanes, int(FORMS[lengths]), lengths) == mask
    assert lanes & ~take_up(everything, lengths) == 0
    # Lane by lane: the mask is read from the low end.
    for lane in range(4):
        length = lengths >> 3 * lane & 7
        assert lanes >> 8 * lane & 255 == mask & (1 << length) - 1
        mask >>= length


@given(lanes=st.integers(0, 2**24 - 1), keep=st.integers(0, 2**24 - 1), trump=trumps)
def test_squeezing_lanes_keeps_the_order_of_a_suit(lanes: int, keep: int, trump: Suit) -> None:
    lanes, keep = to_lanes(lanes, int(trump)), to_lanes(keep, int(trump))
    squeezed = squeeze_lanes(lanes, keep)
    assert squeezed >> 32 == 0
    for lane in range(4):
        kept = [slot for slot in range(8) if keep >> 8 * lane + slot & 1]
        expected = [i for i, slot in enumerate(kept) if lanes >> 8 * lane + slot & 1]
        assert bits_of(squeezed >> 8 * lane & 255) == expected


# ------------------------------------------------------------------------------------- bits


@given(mask=st.integers(0, 2**62))
def test_popcount(mask: int) -> None:
    assert popcount(mask) == mask.bit_count()


@given(mask=slots_of_18, keep=slots_of_18)
def test_squeeze_moves_the_kept_bits_together(mask: int, keep: int) -> None:
    kept = bits_of(keep)
    assert bits_of(squeeze(mask, keep)) == [i for i, slot in enumerate(kept) if mask >> slot & 1]
    assert spread(squeeze(mask, keep), keep) == mask & keep


@given(slots=st.integers(0, 2**24 - 1), data=st.data())
def test_spread_puts_bit_i_into_slot_i(slots: int, data: st.DataObject) -> None:
    mask = data.draw(st.integers(0, (1 << slots.bit_count()) - 1))
    assert bits_of(spread(mask, slots)) == [bits_of(slots)[i] for i in bits_of(mask)]
    if slots < 2**18:
        assert squeeze(spread(mask, slots), slots) == mask


@pytest.mark.parametrize("kept", [0, 1, 5, 6, 11, 12, 17, 18])
def test_squeeze_across_the_borders_of_its_tables(kept: int) -> None:
    # Tables of six slots: a run of ones must cross from one to the next wherever it starts.
    for start in range(18 - kept + 1):
        run = (1 << kept) - 1 << start
        assert squeeze(run, run) == squeeze(2**18 - 1, run) == (1 << kept) - 1
        assert squeeze(2**18 - 1 ^ run, run) == 0


@pytest.mark.parametrize("n", [0, 1, 5, 12])
def test_subsets_are_all_of_them_in_increasing_order(n: int) -> None:
    for k in range(n + 2):
        found = subsets(n, k)
        assert found.dtype == np.int64
        chosen = itertools.combinations(range(n), k)
        assert found.tolist() == sorted(sum(1 << slot for slot in slots) for slots in chosen)


@pytest.mark.parametrize("k", range(7))
def test_the_rank_of_a_subset_is_its_place(k: int) -> None:
    in_order = subsets(18, k).tolist()
    assert len(in_order) == math.comb(18, k)
    assert [rank(mask, k) for mask in in_order] == list(range(len(in_order)))


@given(bits=st.frozensets(st.integers(0, 17), max_size=6))
def test_the_rank_of_a_subset_is_a_sum_of_binomials(bits: frozenset[int]) -> None:
    expected = sum(math.comb(slot, i) for i, slot in enumerate(sorted(bits), start=1))
    assert rank(sum(1 << bit for bit in bits), len(bits)) == expected
