"""Cards, suits and hands: how they are written, what they are, and which suit a bower is in."""

import copy
import html
import itertools
import pickle
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from ghostsim.cards import (
    ALL_CARDS,
    HAND_SIZE,
    N_CARDS,
    Card,
    CardError,
    Hand,
    Holding,
    Rank,
    Suit,
    cards_html,
    cards_of,
    parse_cards,
    sort_cards,
)
from strategies import cards, hand_masks, hands, suits, trumps

pytestmark = [pytest.mark.jit_off]

S, C, H, D = Suit.SPADES, Suit.CLUBS, Suit.HEARTS, Suit.DIAMONDS
DECK = [Card.from_index(index) for index in range(24)]
BOWERS = Hand("JS JC AS KS AH 9D")

# How a card may be written, told independently of the parser.
RANK_TEXTS = {
    Rank.NINE: "9",
    Rank.TEN: ("10", "T", "t"),
    Rank.JACK: "Jj",
    Rank.QUEEN: "Qq",
    Rank.KING: "Kk",
    Rank.ACE: "Aa",
}
SUIT_TEXTS = {S: "Ss♠♤", C: "Cc♣♧", H: "Hh♥♡", D: "Dd♦♢"}
SPELLINGS = {
    rank_text + suit_text: (rank, suit)
    for rank, rank_texts in RANK_TEXTS.items()
    for suit, suit_texts in SUIT_TEXTS.items()
    for rank_text in rank_texts
    for suit_text in suit_texts
}


@st.composite
def spelled_hands(draw: st.DrawFn) -> tuple[int, str]:
    """A mask of six cards and one of the ways to write it down, in any order."""
    mask = draw(hand_masks)
    order = draw(st.permutations(cards_of(mask)))
    words = [
        draw(st.sampled_from(RANK_TEXTS[card.rank])) + draw(st.sampled_from(SUIT_TEXTS[card.suit]))
        for card in order
    ]
    separators = [draw(st.sampled_from([" ", ",", ", ", " ,", "  ", "\t", "\n"])) for _ in words]
    separators[-1] = ""
    padding = draw(st.sampled_from(["", " ", "\n"]))
    return mask, padding + "".join(map("".join, zip(words, separators, strict=True))) + padding


# ------------------------------------------------------------------------------------- one card


@given(card=cards)
def test_a_card_reads_back_as_it_is_written(card: Card) -> None:
    assert Card(str(card)) == card
    assert Card(card.pretty) == card
    assert Card(card) == card
    assert Card.of(card.rank, card.suit) == card
    assert Card.from_index(card.index) == card
    assert eval(repr(card)) == card


def test_the_bit_of_a_card_is_the_one_of_the_design() -> None:
    assert [str(card) for card in DECK] == list(oracle.DECK)
    for text in oracle.DECK:
        card = Card(text)
        assert card.index == oracle.card_bit(text) == 6 * card.suit + card.rank
        assert card.mask == oracle.hand_mask([text])


def test_every_spelling_of_a_card_is_understood() -> None:
    for text, (rank, suit) in SPELLINGS.items():
        card = Card(text)
        assert (card.rank, card.suit) == (rank, suit), text
        assert Card(f"  {text}\n") == card
        # Phones write a suit symbol with a "show as emoji" mark behind it.
        assert Card(text + "\N{VARIATION SELECTOR-16}") == card


@pytest.mark.parametrize(
    ("text", "plain"),
    [("10h", "TH"), ("Th", "TH"), ("10♥", "TH"), ("t♡", "TH"), ("js", "JS"), ("a♦", "AD")],
)
def test_examples_of_spellings(text: str, plain: str) -> None:
    assert str(Card(text)) == plain


# Everything that cards are made of, and look-alikes: X for ten, O for nought, a full-width nine, a
# Cyrillic and a Kelvin K, a long s. The last two equal K and S when case is ignored.
LETTERS = "9108TtJjQqKkAaXxO SsCcHhDd♠♡Z,-\u0661\uff19\u041a\u212a\u017f"


def test_nothing_else_is_a_card() -> None:
    texts = ("".join(text) for n in (0, 1, 2, 3) for text in itertools.product(LETTERS, repeat=n))
    understood = set()
    for text in texts:
        try:
            Card(text)
        except CardError:
            continue
        understood.add(text.strip())
    assert understood == {text for text in SPELLINGS if set(text) <= set(LETTERS)}


@given(text=st.text(max_size=6))
def test_junk_is_refused_and_shown(text: str) -> None:
    if text.strip().removesuffix("\N{VARIATION SELECTOR-16}") not in SPELLINGS:
        with pytest.raises(CardError, match=re.escape(repr(text))):
            Card(text)


@pytest.mark.parametrize("text", ["", "J", "S", "SJ", "1S", "8S", "XH", "010H", "JSS", "J S"])
def test_examples_of_junk(text: str) -> None:
    with pytest.raises(CardError, match="is not a card"):
        Card(text)


@pytest.mark.parametrize("value", [None, 4, 4.0, ["JS"], b"JS"])
def test_a_card_is_made_of_text(value: Any) -> None:
    with pytest.raises(TypeError, match="a card is written as text"):
        Card(value)


@pytest.mark.parametrize("index", [-1, 24, 2**70])
def test_a_card_number_out_of_range(index: int) -> None:
    with pytest.raises(CardError, match=rf"index {index} is not a card.*0 to 23"):
        Card.from_index(index)


@pytest.mark.parametrize("index", [None, "0", 1.0, True, np.float64(1)])
def test_a_card_number_is_whole(index: Any) -> None:
    with pytest.raises(TypeError, match="index must be a whole number"):
        Card.from_index(index)


def test_card_errors_are_value_errors() -> None:
    assert issubclass(CardError, ValueError)


def test_pretty_cards() -> None:
    assert [Card(text).pretty for text in ("JS", "9C", "TH", "AD")] == ["J♠", "9♣", "10♥", "A♦"]


# ------------------------------------------------------------------------------------- the suits


def test_suits_and_ranks_are_numbered_as_in_the_design() -> None:
    assert [(suit.letter, suit.symbol, int(suit)) for suit in Suit] == [
        ("S", "♠", 0),
        ("C", "♣", 1),
        ("H", "♥", 2),
        ("D", "♦", 3),
    ]
    assert [(rank.letter, int(rank)) for rank in Rank] == list(zip("9TJQKA", range(6), strict=True))


def test_next_is_the_other_suit_of_the_colour() -> None:
    assert [suit.next for suit in (S, C, H, D)] == [C, S, D, H]


@given(suit=suits)
def test_a_suit_reads_back_however_it_is_written(suit: Suit) -> None:
    name = suit.name
    outline = SUIT_TEXTS[suit][-1]
    texts = [suit.letter, suit.symbol, outline, name, name[:-1], name.capitalize(), f" {name} "]
    for text in texts:
        assert Suit.parse(text) is suit
        assert Suit.parse(text.lower()) is suit
    numbers: tuple[Any, ...] = (suit, int(suit), np.int8(suit), np.uint64(suit))
    for number in numbers:
        assert Suit.parse(number) is suit


def test_a_suit_symbol_from_a_phone_is_understood_as_on_a_card() -> None:
    assert Suit.parse("♥\N{VARIATION SELECTOR-16}") is Card("J♥\N{VARIATION SELECTOR-16}").suit is H


@pytest.mark.parametrize("value", ["", "X", "SC", "JS", "none", "\u017f", -1, 4, 2**70])
def test_what_is_not_a_suit_is_refused(value: str | int) -> None:
    message = f"trump {value!r} is not a suit: use S C H D"
    with pytest.raises(CardError, match=re.escape(message)):
        Suit.parse(value, "trump")


@pytest.mark.parametrize("value", [None, True, 1.0, np.float64(1), ["S"]])
def test_a_suit_is_text_or_a_whole_number(value: Any) -> None:
    with pytest.raises(TypeError, match="trump must be a Suit, a text or 0-3"):
        Suit.parse(value, "trump")


@pytest.mark.parametrize("method", ["suit_under", "is_bower", "strength"])
def test_methods_of_a_card_take_trump_in_any_form_and_say_if_it_is_none(method: str) -> None:
    for suit in Suit:
        expected = getattr(Card("JS"), method)(suit)
        for trump in (int(suit), suit.letter, suit.symbol, suit.name.lower()):
            assert getattr(Card("JS"), method)(trump) == expected
    with pytest.raises(CardError, match="trump 'X' is not a suit"):
        getattr(Card("JS"), method)("X")


# ------------------------------------------------------------------------------------- bowers


def test_suit_and_strength_of_all_cards_under_all_trumps() -> None:
    for card, trump in itertools.product(DECK, Suit):
        text, letter = str(card), trump.letter
        assert card.suit_under(trump).letter == oracle.effective_suit(text, letter)
        assert card.strength(trump) == oracle.strength(text, letter)
        assert card.is_bower(trump) == (oracle.strength(text, letter) >= 6)


@pytest.mark.parametrize(("trump", "left_suit"), [("S", "C"), ("C", "S"), ("H", "D"), ("D", "H")])
def test_the_left_bower_is_a_trump_but_not_the_king_beside_it(trump: str, left_suit: str) -> None:
    left, king = Card("J" + left_suit), Card("K" + left_suit)
    assert left.suit_under(trump).letter == trump
    assert left.suit.letter == left_suit, "its printed suit stays"
    assert king.suit_under(trump).letter == left_suit
    assert left.is_bower(trump)
    assert not king.is_bower(trump)
    for suit in {*"SCHD"} - {trump, left_suit}:
        assert not Card("J" + suit).is_bower(trump), "a green jack is no bower"


@pytest.mark.parametrize("trump", "SCHD")
def test_the_order_of_the_suits(trump: str) -> None:
    by_suit: dict[str, list[Card]] = {suit: [] for suit in "SCHD"}
    for card in DECK:
        by_suit[card.suit_under(trump).letter].append(card)
    left = {"S": "C", "C": "S", "H": "D", "D": "H"}[trump]
    for suit, held in by_suit.items():
        held.sort(key=lambda card: card.strength(trump), reverse=True)
        order = "".join(card.rank.letter + card.suit.letter for card in held)
        if suit == trump:
            assert order == f"J{trump}J{left}" + "".join(rank + trump for rank in "AKQT9")
        else:
            ranks = "AKQT9" if suit == left else "AKQJT9"
            assert order == "".join(rank + suit for rank in ranks)
        strengths = {card.strength(trump) for card in held}
        assert len(strengths) == len(held), "no two cards of a suit are equally high"


# ------------------------------------------------------------------------------------- values


@given(first=cards, second=cards)
def test_cards_compare_by_value(first: Card, second: Card) -> None:
    assert (first == second) == (first.index == second.index)
    assert (first < second) == (first.index < second.index)
    assert len({first, second, Card(str(first))}) == len({first.index, second.index})


@given(first=hands, second=hands)
def test_hands_compare_by_value(first: Hand, second: Hand) -> None:
    assert (first == second) == (first.mask == second.mask)
    assert len({first, second, Hand(str(first))}) == len({first.mask, second.mask})
    assert first.isdisjoint(second) == (not set(first) & set(second))


def test_a_card_or_a_hand_equals_nothing_but_its_like() -> None:
    assert Card("JS") != "JS"
    assert Card("JS") != 2
    mask, text = BOWERS.mask, str(BOWERS)
    assert mask != BOWERS
    assert text != BOWERS
    assert len({Card("9S"), 0, 1}) == 3
    with pytest.raises(TypeError, match="not supported"):
        sorted([Card("JS"), 3])  # type: ignore[type-var]  # on purpose


@pytest.mark.parametrize("value", [Card("JS"), BOWERS, BOWERS.holding("S"), S, Rank.JACK], ids=repr)
def test_values_survive_pickling_and_copying(value: Any) -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(value, protocol))
        assert again == value
        assert type(again) is type(value)
        assert hash(again) == hash(value)
    assert copy.copy(value) == copy.deepcopy(value) == value


@pytest.mark.parametrize(
    ("value", "name"),
    [
        *((Card("JS"), name) for name in ("index", "mask", "suit", "rank", "pretty", "note")),
        *((BOWERS, name) for name in ("mask", "note")),
        *((BOWERS.holding("S"), name) for name in ("trumps", "bowers", "outside_aces")),
    ],
)
def test_values_cannot_be_changed(value: Any, name: str) -> None:
    before = repr(value)
    with pytest.raises(AttributeError):
        setattr(value, name, 1)
    assert repr(value) == before


# ------------------------------------------------------------------------------------- a hand


@given(spelled=spelled_hands())
def test_a_hand_is_read_however_it_is_written(spelled: tuple[int, str]) -> None:
    mask, text = spelled
    assert parse_cards(text) == mask
    assert Hand(text).mask == mask


@given(hand=hands)
def test_a_hand_reads_back_as_it_is_written(hand: Hand) -> None:
    assert Hand(str(hand)) == hand
    assert Hand(list(hand)) == Hand(map(str, hand)) == Hand(set(hand)) == Hand(hand) == hand
    assert Hand.from_mask(hand.mask) == hand
    assert eval(repr(hand)) == hand
    for trump in (None, *Suit):
        assert Hand(hand.format(trump)) == Hand(hand.format(trump, pretty=True)) == hand


@given(hand=hands)
def test_a_hand_is_its_six_cards(hand: Hand) -> None:
    held = list(hand)
    assert len(hand) == len(set(held)) == 6 == HAND_SIZE
    assert hand.mask == sum(card.mask for card in held) == oracle.hand_mask(list(map(str, held)))
    for card in DECK:
        assert (card in hand) == (card in held) == (str(card).lower() in hand)
    assert hand.mask not in hand
    assert None not in hand


@given(mask=st.integers(0, ALL_CARDS))
def test_the_cards_of_a_mask(mask: int) -> None:
    found = cards_of(mask)
    assert {str(card) for card in found} == set(oracle.mask_hand(mask))
    assert len(found) == mask.bit_count()
    assert list(found) == sorted(found, key=lambda card: (card.suit, -card.rank))


def test_the_deck() -> None:
    assert N_CARDS == 24
    assert ALL_CARDS == 0xFF_FFFF
    in_order = "AS KS QS JS TS 9S AC KC QC JC TC 9C AH KH QH JH TH 9H AD KD QD JD TD 9D"
    assert " ".join(map(str, cards_of(ALL_CARDS))) == in_order


def test_how_a_hand_is_written() -> None:
    assert str(BOWERS) == "AS KS JS JC AH 9D"
    assert BOWERS.format("S") == "JS JC AS KS AH 9D"
    assert BOWERS.format("C") == "JC JS AS KS AH 9D"
    assert BOWERS.format("hearts") == "AH AS KS JS JC 9D"
    assert BOWERS.format("♦") == "9D AS KS JS JC AH"
    assert BOWERS.format("S", pretty=True) == "J♠ J♣ A♠ K♠ A♥ 9♦"
    assert Hand("TS TC TH TD 9S 9C").format(pretty=True) == "10♠ 9♠ 10♣ 9♣ 10♥ 10♦"


@given(hand=hands, trump=trumps)
def test_trumps_stand_first_and_suits_from_the_top(hand: Hand, trump: Suit) -> None:
    order = sort_cards(hand, trump)
    assert sorted(order) == sorted(hand)
    follow = [card.suit_under(trump) for card in order]
    blocks = [suit for suit, _ in itertools.groupby(follow)]
    assert blocks == sorted(set(follow), key=lambda suit: (suit != trump, suit))
    for card, lower in itertools.pairwise(order):
        if card.suit_under(trump) == lower.suit_under(trump):
            assert card.strength(trump) > lower.strength(trump)


@pytest.mark.parametrize("integer", [int, np.int32, np.int64, np.uint32, np.uint64])
def test_masks_may_be_integers_of_any_kind(integer: Any) -> None:
    hand = Hand.from_mask(integer(BOWERS.mask))
    assert hand == BOWERS
    assert hash(hand) == hash(BOWERS)
    assert type(hand.mask) is int
    card = Card.from_index(integer(2))
    assert card == Card("JS")
    assert type(card.index) is type(card.mask) is int


@pytest.mark.parametrize(
    ("mask", "why"),
    [
        (0, "six bits must be set, not 0"),
        (0b11111, "six bits must be set, not 5"),
        (0b1111111, "six bits must be set, not 7"),
        (0b11111 | 1 << 24, "only bits 0 to 23 are cards"),
        (-1, "only bits 0 to 23 are cards"),
        (-64, "only bits 0 to 23 are cards"),
    ],
)
def test_a_mask_that_is_no_hand(mask: int, why: str) -> None:
    with pytest.raises(CardError, match=f"mask {mask} is not a hand: {why}"):
        Hand.from_mask(mask)


@pytest.mark.parametrize("mask", [63.0, "63", None, True, np.float64(63), np.bool_(True)])
def test_a_mask_is_a_whole_number(mask: Any) -> None:
    with pytest.raises(TypeError, match="mask must be a whole number"):
        Hand.from_mask(mask)


# ------------------------------------------------------------------------------------- strictness


@given(data=st.data(), spelled=spelled_hands())
def test_one_bad_card_spoils_a_hand_and_is_pointed_out(
    data: st.DataObject, spelled: tuple[int, str]
) -> None:
    words = re.split(r"[\s,]+", spelled[1].strip())
    place = data.draw(st.integers(0, 5))
    # Letters and digits only: a junk word with a space or a comma would be two words.
    junk = st.text("9108TJQKAXSCHDtjqkaschdZ-♠♥", min_size=1, max_size=4)
    words[place] = data.draw(junk.filter(lambda text: text not in SPELLINGS))
    with pytest.raises(CardError) as caught:
        Hand(" ".join(words))
    assert re.findall(r"card (\d)", str(caught.value)) == [str(place + 1)]
    assert f"card {place + 1} {words[place]!r} is not a card" in str(caught.value)


@given(data=st.data(), spelled=spelled_hands())
def test_a_card_twice_spoils_a_hand_and_the_second_is_pointed_out(
    data: st.DataObject, spelled: tuple[int, str]
) -> None:
    words = re.split(r"[\s,]+", spelled[1].strip())
    first, second = sorted(data.draw(st.permutations(range(6)))[:2])
    words[second] = words[first].swapcase()
    card = Card(words[first])
    with pytest.raises(CardError) as caught:
        Hand(" ".join(words))
    assert str(caught.value).endswith(f": card {second + 1} {card} comes twice")


@given(hand=hands, card=cards)
def test_a_hand_has_six_cards_not_five_or_seven(hand: Hand, card: Card) -> None:
    five = str(hand).rsplit(maxsplit=1)[0]
    with pytest.raises(CardError, match=r"6 cards are needed, not 5$"):
        Hand(five)
    with pytest.raises(CardError, match=r"6 cards are needed, not 7$") as caught:
        Hand(f"{hand} {card}")
    assert (f"card 7 {card} comes twice" in str(caught.value)) == (card in hand)


def test_all_that_is_wrong_is_listed_with_its_place() -> None:
    with pytest.raises(CardError) as caught:
        Hand("JS XX js AS 9 AS 10H")
    assert str(caught.value) == (
        "hand 'JS XX js AS 9 AS 10H': card 2 'XX' is not a card; card 3 JS comes twice; "
        "card 5 '9' is not a card; card 6 AS comes twice; 6 cards are needed, not 7 "
        "(write the rank (9 T J Q K A) first, then the suit (S C H D))"
    )


def test_cards_given_one_by_one_are_checked_alike() -> None:
    with pytest.raises(CardError) as caught:
        Hand([Card("JS"), "js", "AS KS", "9D"])
    message = str(caught.value)
    assert message.startswith("hand JS js AS KS 9D: card 2 JS comes twice; ")
    assert "card 3 'AS KS' is not a card" in message
    assert "6 cards are needed, not 4" in message


@pytest.mark.parametrize("text", ["JS,,JC,AS,KS,AH,9D", ",JS JC AS KS AH 9D", "JS JC AS KS AH 9D,"])
def test_a_comma_with_no_card_is_a_mistake(text: str) -> None:
    with pytest.raises(CardError, match="'' is not a card"):
        Hand(text)


@pytest.mark.parametrize("text", ["JSJCASKSAH9D", "JS;JC;AS;KS;AH;9D", "JS-JC AS KS AH 9D"])
def test_cards_must_be_told_apart_by_spaces_or_commas(text: str) -> None:
    with pytest.raises(CardError, match=r"card 1 .* is not a card"):
        Hand(text)


@pytest.mark.parametrize("value", [None, 63, 6.0, Card("JS")])
def test_a_hand_is_made_of_text_or_cards(value: Any) -> None:
    with pytest.raises(TypeError, match="hand must be text or cards"):
        Hand(value)


def test_parse_cards_with_another_name_and_count() -> None:
    assert parse_cards("") == 0
    assert parse_cards("9S 10S", count=2) == 0b11
    with pytest.raises(CardError, match="dead cards '9S': 2 cards are needed, not 1"):
        parse_cards("9S", count=2, name="dead cards")


# ------------------------------------------------------------------------------------- holdings


@given(hand=hands, trump=trumps)
def test_a_holding_counts_what_the_player_sees(hand: Hand, trump: Suit) -> None:
    texts, letter = oracle.mask_hand(hand.mask), trump.letter
    assert hand.holding(trump) == Holding(
        trumps=sum(oracle.effective_suit(text, letter) == letter for text in texts),
        bowers=sum(oracle.strength(text, letter) >= 6 for text in texts),
        outside_aces=sum(text[0] == "A" and text[1] != letter for text in texts),
    )


@given(hand=hands)
def test_the_best_holding_has_most_trumps_then_bowers_then_aces(hand: Hand) -> None:
    four = [hand.holding(suit) for suit in Suit]
    best = max((held.trumps, held.bowers, held.outside_aces) for held in four)
    assert hand.best_holding() == Holding(*best)


@pytest.mark.parametrize(
    ("text", "trump", "holding"),
    [
        ("JS JC AS KS AH 9D", "S", Holding(4, 2, 1)),
        ("JS JC AS KS AH 9D", "C", Holding(2, 2, 2)),
        ("JS JC AS KS AH 9D", "H", Holding(1, 0, 1)),
        ("JC KC QC TC 9C AC", "S", Holding(1, 1, 1)),
        ("JH JD 9S TS QC KC", "D", Holding(2, 2, 0)),
        ("AS AC AH AD KS KC", "D", Holding(1, 0, 3)),
    ],
)
def test_examples_of_holdings(text: str, trump: str, holding: Holding) -> None:
    assert Hand(text).holding(trump) == holding


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("JS JC AS KS AH 9D", Holding(4, 2, 1)),
        # Three spades with a bower, or three hearts with an ace outside: bowers decide.
        ("JS AS 9S KH QH TH", Holding(3, 1, 0)),
        # Three clubs or three diamonds: outside aces decide.
        ("AC KC 9C KD QD TD", Holding(3, 0, 1)),
    ],
)
def test_examples_of_best_holdings(text: str, best: Holding) -> None:
    assert Hand(text).best_holding() == best


def test_holdings_rank_by_trumps_then_bowers_then_aces() -> None:
    few, two, three, best = Holding(2, 2, 3), Holding(3, 0, 3), Holding(3, 1, 0), Holding(3, 1, 1)
    assert sorted([best, two, few, three]) == [few, two, three, best]


# ------------------------------------------------------------------------------------- html


def coloured(fragment: str) -> list[tuple[str, str]]:
    """Colour and text of each card of a fragment of HTML."""
    found = re.findall(r'<span style="color:([^"]+)">([^<]*)</span>', fragment)
    return [(colour, html.unescape(text)) for colour, text in found]


@given(hand=hands, trump=trumps)
def test_html_shows_the_hand_with_the_red_suits_in_red(hand: Hand, trump: Suit) -> None:
    for fragment, order in (
        (hand._repr_html_(), sort_cards(hand)),
        (cards_html(hand, trump), sort_cards(hand, trump)),
    ):
        shown = coloured(fragment)
        assert [text for _, text in shown] == [card.pretty for card in order]
        black = [colour == "inherit" for colour, _ in shown]
        assert black == [card.suit in (S, C) for card in order]
        assert fragment.count("<span") == fragment.count("</span>") == 7


def test_html_of_one_card() -> None:
    assert coloured(Card("TH")._repr_html_()) == [("#c22", "10♥")]
    assert coloured(Card("JC")._repr_html_()) == [("inherit", "J♣")]
