"""Positions: play by the rules, texts that read back, and pictures that a card player can check."""

import copy
import dataclasses
import json
import os
import pickle
import re
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from ghostsim.cards import Card, Hand, Suit, sort_cards
from ghostsim.deals import Deal
from ghostsim.errors import GhostsimError
from ghostsim.position import PlayError, Position, PositionError, legal_plays, trick_winner
from ghostsim.rules import HALF_MOON, Bid, Rules, RulesError
from strategies import bids, cards, deals, lines_of_play, positions, rules, seats, trumps

HANDS = ("JS JC AS KS AH 9D", "QS TS 9S AC KC QC", "TC 9C KH QH JH TH")
#: Seat 0 leads throughout; seats 1 and 2 follow or throw away what they can.
LINE = "JS 9S TC  AS TS 9C  AH QS TH  AC JH KS  JC QC QH  9D KC KH"
START = Position(HANDS, "S", bid=4)


def in_letters(cards: Any) -> list[str]:
    """Cards as the oracle writes them."""
    return [str(card) for card in cards]


def message(error: type[Exception], call: Any, *args: Any, **settings: Any) -> str:
    """What a call complains of, whose error must be of exactly this class."""
    with pytest.raises(error) as caught:
        call(*args, **settings)
    assert type(caught.value) is error
    return str(caught.value)


# ------------------------------------------------------------------------------------- the play


@given(deal=deals(), trump=trumps, leader=seats, declarer=seats, line=lines_of_play)
def test_play_is_as_the_oracle_says(
    deal: Deal, trump: Suit, leader: int, declarer: int, line: list[int]
) -> None:
    position = Position(deal.hands, trump, declarer, leader)
    # The same play, told by the oracle in lists of texts.
    hands, trick = [in_letters(hand) for hand in deal.hands], in_letters([])
    on_lead, taken = leader, [0, 0, 0]
    for choice in line:
        seat = (on_lead + len(trick)) % 3
        allowed = oracle.legal_plays(hands[seat], trick[0] if trick else None, trump.letter)
        assert position.to_play == seat
        assert sorted(in_letters(position.legal)) == sorted(allowed)
        for card in oracle.DECK:
            if card not in allowed:
                with pytest.raises(PlayError):
                    position.play(card)
        card = allowed[choice % len(allowed)]
        position = position.play(card)
        hands[seat].remove(card)
        trick.append(card)
        if len(trick) == 3:
            on_lead = oracle.trick_winner(trick, on_lead, trump.letter)
            taken[on_lead] += 1
            trick = []
        assert [sorted(in_letters(hand)) for hand in position.hands] == [*map(sorted, hands)]
        assert position.masks == tuple(oracle.hand_mask(hand) for hand in hands)
        assert in_letters(position.trick) == trick
        led = oracle.effective_suit(trick[0], trump.letter) if trick else None
        assert position.led == (led and Suit.parse(led))
        assert position.leader == on_lead
        assert position.tricks == tuple(taken)
        assert (position.trump, position.declarer, position.bid) == (trump, declarer, None)


@given(position=positions(), data=st.data())
def test_a_deal_is_eighteen_plays(position: Position, data: st.DataObject) -> None:
    plays = 3 * sum(position.tricks) + len(position.trick)
    while not position.is_over:
        held = [card for hand in position.hands for card in hand]
        assert len({*held, *position.trick}) == 18 - 3 * sum(position.tricks)
        assert position.tricks_to_go == 6 - sum(position.tricks) == max(map(len, position.hands))
        assert list(position.legal) == sort_cards(position.legal, position.trump) != []
        position = position.play(data.draw(st.sampled_from(position.legal)))
        plays += 1
    assert plays == 18
    assert sum(position.tricks) == 6
    assert position.hands == ((), (), ()) and position.trick == ()
    assert position.to_play is position.led is None
    assert position.legal == () and position.tricks_to_go == 0


@given(position=positions(), data=st.data())
def test_playing_changes_nothing_but_gives_a_new_position(
    position: Position, data: st.DataObject
) -> None:
    before = position.text
    for card in position.legal:
        after = position.play(card)
        assert after == position.play(str(card).lower()) == position.play_all([card])
        assert after != position
        assert sum(position.masks) - sum(after.masks) == card.mask
    assert position.text == before


@given(deal=deals(), trump=trumps, declarer=seats, bid=st.none() | bids, line=lines_of_play)
def test_a_position_from_its_plays(
    deal: Deal, trump: Suit, declarer: int, bid: Bid | None, line: list[int]
) -> None:
    position = Position(deal.hands, trump, declarer, bid=bid)
    plays = []
    for choice in line:
        plays.append(position.legal[choice % len(position.legal)])
        position = position.play(plays[-1])
    text = " ".join(map(str, plays))
    hands = [str(hand) for hand in deal.hands]
    for told in (deal, deal.hands, hands, (list(hand) for hand in deal.hands)):
        assert Position.from_plays(told, trump, declarer, plays=text, bid=bid) == position
    assert Position.from_plays(deal, trump, declarer, iter(plays), bid, declarer) == position
    values = {"hands": hands, "trump": trump.letter, "declarer": declarer, "plays": text}
    assert Position.from_dict(values | {"bid": bid}) == position
    if plays:
        line_of_text = (
            f"{' / '.join(hands)} / plays {text} / trump {trump.letter} / declarer {declarer}"
        )
        line_of_text += "" if bid is None else f" / bid {bid}"
        assert Position.parse(line_of_text) == position


def test_a_deal_card_by_card() -> None:
    assert START.to_play == START.leader == START.declarer == 0
    assert in_letters(START.legal) == ["JS", "JC", "AS", "KS", "AH", "9D"]
    second = START.play("JS")
    assert second.to_play == 1 and second.led is Suit.SPADES
    assert in_letters(second.legal) == ["QS", "TS", "9S"]
    third = second.play("9S")
    assert third.to_play == 2
    assert in_letters(third.legal) == ["TC", "9C", "KH", "QH", "JH", "TH"], "no spade: anything"
    assert third.play("TC").tricks == (1, 0, 0)
    after = START.play_all(LINE.split()[:9])
    assert after.leader == after.to_play == 1, "he trumped the ace of hearts"
    assert after.tricks == (2, 1, 0)
    end = START.play_all(LINE)
    assert end.is_over and end.tricks == (5, 1, 0)
    assert end.points() == (5, 1, 0)
    assert Position.from_plays(HANDS, "S", bid=4) == START
    assert Position.from_plays(HANDS, "S", leader=2).to_play == 2


# Under each trump: the left bower, a card of its printed suit, and a small trump.
LEFT_BOWERS = [("S", "JC", "QC", "9S"), ("C", "JS", "QS", "9C")]
LEFT_BOWERS += [("H", "JD", "QD", "9H"), ("D", "JH", "QH", "9D")]


@pytest.mark.parametrize(("trump", "left", "printed", "small"), LEFT_BOWERS)
def test_the_left_bower_is_a_trump(trump: str, left: str, printed: str, small: str) -> None:
    bower, queen, nine = Card(left), Card(printed), Card(small)
    named = Suit.parse(trump)
    assert legal_plays([bower, queen], named.next, named) == (queen,)
    assert legal_plays([bower, queen], named, named) == (bower,)
    assert legal_plays([bower], named.next, named) == (bower,), "void: anything"
    assert legal_plays([bower, queen], None, named) == (bower, queen)
    for other in (suit for suit in Suit if suit not in (named, named.next)):
        assert legal_plays([bower, queen], other, named) == (bower, queen)
        assert legal_plays([bower, queen], named.next, other) == (bower, queen), "a plain jack"
    king = "K" + trump
    led = Position([[], [nine], [king]], trump, leader=0, trick=left, tricks=(0, 5, 0))
    assert led.led == named
    end = led.play(nine).play(king)
    assert end.tricks == (1, 5, 0), "the left bower beats the king of trumps"
    right = Position([["J" + trump], [left], [small]], trump, leader=2, tricks=(5, 0, 0))
    assert right.play_all([small, "J" + trump, left]).tricks == (6, 0, 0)


@given(trick=st.lists(cards, min_size=1, max_size=3, unique=True), leader=seats, trump=trumps)
def test_the_winner_of_a_trick(trick: list[Card], leader: int, trump: Suit) -> None:
    expected = oracle.trick_winner(in_letters(trick), leader, trump.letter)
    assert trick_winner(trick, leader, trump) == expected
    assert trick_winner(tuple(trick), leader, trump.letter) == expected


@pytest.mark.parametrize("n", [0, 4])
def test_a_trick_to_be_won_has_one_to_three_cards(n: int) -> None:
    with pytest.raises(PositionError, match=f"one to three cards, not {n}"):
        trick_winner([Card.from_index(i) for i in range(n)], 0, "S")
    with pytest.raises(PositionError, match="leader must be a seat 0, 1 or 2, not 3"):
        trick_winner([Card("JS")], 3, "S")


@given(hand=st.lists(cards, unique=True), trump=trumps, led=cards)
def test_what_may_be_played(hand: list[Card], trump: Suit, led: Card) -> None:
    legal = legal_plays(iter(hand), led.suit_under(trump), trump)
    assert in_letters(legal) == oracle.legal_plays(in_letters(hand), str(led), trump.letter)
    assert legal_plays(hand, None, trump) == tuple(hand)


# ------------------------------------------------------------------------------------- points


@given(position=positions(), rules=rules, bid=bids)
def test_points_are_what_the_rules_say(position: Position, rules: Rules, bid: Bid) -> None:
    while not position.is_over:
        assert "to go" in message(PositionError, position.points, rules)
        position = position.play(position.legal[0])
    position = dataclasses.replace(position, bid=bid)
    if bid < rules.min_bid:
        message(RulesError, position.points, rules)
    else:
        expected = rules.deal_points(position.declarer, bid, position.tricks)
        assert position.points(rules) == expected


def test_points_need_a_bid_and_rules() -> None:
    end = Position(("", "", ""), "S", leader=0, tricks=(6, 0, 0))
    assert message(PositionError, end.points) == "points need the bid: no bid is set"
    moon = dataclasses.replace(end, bid=Bid.MOON)
    assert moon.points() == (24, 0, 0) and moon.points(HALF_MOON) == (12, 0, 0)
    assert "rules must be a Rules" in message(TypeError, moon.points, "half-moon")
    assert message(PositionError, START.points) == (
        "points are counted when the deal is over: 6 to go"
    )


# ------------------------------------------------------------------------------------- a value


@given(position=positions())
def test_a_position_reads_back(position: Position) -> None:
    assert Position.parse(position.text) == position
    assert (
        Position.parse(position.text.lower()) == Position.parse(position.text.upper()) == position
    )
    assert Position.parse(position.to_json()) == position
    assert Position.parse(json.dumps(position.to_dict(), indent=2)) == position
    assert Position.from_dict(position.to_dict()) == position
    assert eval(repr(position)) == position
    hands, *settings = re.split(r" / (?=trump)", position.text)
    reordered = " / ".join([hands, *reversed(settings[0].split(" / "))])
    assert Position.parse(reordered) == position
    assert shlex.split(position.text) == position.text.split(), "nothing that a shell would change"


@given(position=positions())
def test_a_position_is_a_value(position: Position) -> None:
    for again in (
        pickle.loads(pickle.dumps(position)),
        copy.copy(position),
        copy.deepcopy(position),
    ):
        assert again == position and hash(again) == hash(position)
    first, second, third = (hand[::-1] for hand in position.hands)
    shuffled = dataclasses.replace(position, hands=(first, second, third))
    assert shuffled == position and hash(shuffled) == hash(position), "however the cards are held"
    others = [
        dataclasses.replace(position, declarer=(position.declarer + 1) % 3),
        dataclasses.replace(position, bid=None if position.bid else Bid.THREE),
    ]
    assert position not in others


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(Position)])
def test_a_position_cannot_be_changed(name: str) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(START, name, None)


def test_liberal_input_gives_the_same_value() -> None:
    # numpy's whole numbers are numbers too.
    numbers: dict[str, Any] = {"trump": np.int64(0), "declarer": np.int8(0), "bid": np.uint8(4)}
    for same in (
        Position(map(Hand, HANDS), 0, leader=0, trick="", tricks=[0, 0, 0], bid="four"),
        Position([hand.lower().split() for hand in HANDS], "♠", bid=Bid.FOUR),
        Position(HANDS, leader=0, tricks=np.zeros(3, np.int64), **numbers),
    ):
        assert same == START and same.text == START.text
    assert START.hands[0] == tuple(map(Card, ("JS", "JC", "AS", "KS", "AH", "9D")))
    assert (type(START.trump), type(START.bid)) == (Suit, Bid)
    one = Position(("JS", "TS", "9S"), "S", leader=1, tricks=(3, 1, 1))
    two = Position(("", "10♠", ["9s"]), Suit.SPADES, 1, 0, [Card("JS")], (3, 1, 1))
    assert one != two and one.declarer == 0 and two.declarer == 1
    assert two.to_play == 1


def test_a_position_in_writing() -> None:
    assert START.text == (
        "JS JC AS KS AH 9D / QS TS 9S AC KC QC / TC 9C KH QH JH TH / trump S / declarer 0 / bid 4"
    )
    position = START.play_all("JS 9S TC AH KC")
    assert position.text == (
        "JC AS KS 9D / QS TS AC QC / 9C KH QH JH TH / trump S / declarer 0 / leader 0 / "
        "trick AH KC / tricks 1 0 0 / bid 4"
    )
    assert position.to_dict() == {
        "hands": ["JC AS KS 9D", "QS TS AC QC", "9C KH QH JH TH"],
        "trump": "S",
        "declarer": 0,
        "leader": 0,
        "trick": "AH KC",
        "tricks": [1, 0, 0],
        "bid": "4",
    }
    assert repr(START) == f"Position.parse('{START.text}')"
    end = START.play_all(LINE)
    assert end.text == ("- / - / - / trump S / declarer 0 / leader 0 / tricks 5 1 0 / bid 4")
    assert end.to_dict()["hands"] == ["", "", ""]
    other = Position(HANDS, "H", declarer=1, leader=2, bid="moon")
    assert other.text.endswith("/ trump H / declarer 1 / leader 2 / bid moon")
    assert other.to_dict()["bid"] == "moon" and START.play("JS").to_dict()["trick"] == "JS"
    assert Position(HANDS, "H").to_dict()["bid"] is None


# ------------------------------------------------------------------------------- what is wrong

TWO = ("JC KS", "TS AC", "TC QH")


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [
        ({"trump": "X"}, ["trump 'X' is not a suit: use S C H D, a symbol ♠ ♣ ♥ ♦, a name, or "
                          "0 1 2 3"]),
        ({"declarer": 3}, ["declarer must be a seat 0, 1 or 2, not 3"]),
        ({"leader": -1}, ["leader must be a seat 0, 1 or 2, not -1"]),
        ({"bid": 2}, ["bid 2 is not a bid: bids are 3, 4, 5 and moon (6)"]),
        ({"hands": HANDS[:2]}, ["three hands are needed, by seat, not 2"]),
        ({"hands": (*HANDS, "9H")}, ["three hands are needed, by seat, not 4"]),
        ({"hands": ("JS 8S JS", *HANDS[1:])}, [
            "hand of seat 0 'JS 8S JS': card 2 '8S' is not a card; card 3 JS comes twice "
            "(write the rank (9 T J Q K A) first, then the suit (S C H D))"]),
        ({"trick": "9X"}, ["trick '9X': card 1 '9X' is not a card (write the rank (9 T J Q K A) "
                           "first, then the suit (S C H D))"]),
        # Whether the hands fit a trick that cannot be read is not known.
        ({"hands": ("JC AS KS AH 9D", *HANDS[1:]), "trick": "9"}, [
            "trick '9': card 1 '9' is not a card (write the rank (9 T J Q K A) first, then the "
            "suit (S C H D))"]),
        ({"hands": ("JS JC AS KS AH QS", *HANDS[1:])}, ["QS is with seat 0 and with seat 1"]),
        ({"hands": (HANDS[0], *["QS TS 9S AC KC 9C"] * 2)}, [
            f"{card} is with seat 1 and with seat 2"
            for card in ["QS", "TS", "9S", "AC", "KC", "9C"]]),
        ({"hands": ("JC AS KS AH 9D", *HANDS[1:]), "trick": "TC"},
         ["TC is with seat 2 and in the trick"]),
        ({"hands": (HANDS[0] + " 9H", *HANDS[1:])}, [
            "seat 0 holds 7 cards, not 6: 6 tricks to go"]),
        ({"trick": "9H"}, ["seat 0 holds 6 cards, not 5: 6 tricks to go, and it has played to the "
                           "trick"]),
        ({"hands": ("JC AS KS AH 9D", *HANDS[1:]), "trick": "JS", "leader": 1}, [
            "seat 0 holds 5 cards, not 6: 6 tricks to go, and it has not played to the trick",
            "seat 1 holds 6 cards, not 5: 6 tricks to go, and it has played to the trick"]),
        ({"hands": ("JC AS", "TS", "TC 9C"), "leader": 0, "tricks": (4, 0, 0)}, [
            "seat 1 holds 1 card, not 2: 2 tricks to go"]),
        ({"hands": ("JC KS", "TS AC", "TC"), "leader": 0, "tricks": (4, 0, 0), "trick": "AS 9S KH"},
         ["the trick has 3 cards: two at most, before it is complete"]),
        ({"hands": ("", "", ""), "leader": 0, "tricks": (5, 0, 0), "trick": "AS QH"}, [
            "seat 2 holds 0 cards, not 1: 1 trick to go, and it has not played to the trick"]),
        ({"hands": TWO, "leader": 0}, ["tricks by seat must be given: 4 tricks have been played"]),
        ({"hands": TWO, "tricks": (4, 0, 0)}, ["leader must be given: 4 tricks have been played"]),
        ({"hands": TWO}, ["tricks by seat must be given: 4 tricks have been played",
                          "leader must be given: 4 tricks have been played"]),
        ({"hands": ("A" + s for s in "SCH"), "leader": 1, "tricks": (4, 0, 0)},
         ["tricks by seat, 4 0 0, add up to 4, but 5 tricks have been played"]),
        ({"tricks": (1, 0, 0)}, [
            "tricks by seat, 1 0 0, add up to 1, but 0 tricks have been played"]),
        ({"tricks": (1, -1, 0)}, ["seat 1 cannot have -1 tricks"]),
        ({"tricks": (0, 0)}, ["tricks by seat must be three numbers, not 2"]),
        ({"hands": ("JC", "TS QH", "AC 9S"), "leader": 0, "trick": "AS", "tricks": (0, 2, 2)}, []),
        ({"hands": ("JC", "TS", "AC 9S"), "leader": 0, "trick": "AS QH", "tricks": (0, 2, 2)}, [
            "seat 1 cannot have played QH: it must follow suit, spades were led and it holds TS"]),
        ({"hands": ("QC", "JC", "AC 9S"), "leader": 0, "trick": "AS QH", "tricks": (0, 2, 2)}, [
            "seat 1 cannot have played QH: it must follow suit, spades were led and it holds JC; "
            "JC is the left bower, a spade"]),
        ({"hands": ("QC", "JC", "9C 9S"), "leader": 0, "trick": "AC QH", "tricks": (0, 2, 2)}, []),
        ({"trump": "Q", "leader": 4, "hands": ("", "AS AS", "JS"), "tricks": (1, 2, 3)}, [
            "trump 'Q' is not a suit: use S C H D, a symbol ♠ ♣ ♥ ♦, a name, or 0 1 2 3",
            "leader must be a seat 0, 1 or 2, not 4",
            "hand of seat 1 'AS AS': card 2 AS comes twice"]),
    ],
)  # fmt: skip
def test_all_that_is_wrong_with_a_position_is_listed(
    settings: dict[str, Any], wrong: list[str]
) -> None:
    settings = {"hands": HANDS, "trump": "S"} | settings
    if wrong:
        assert message(PositionError, Position, **settings) == "not a position: " + "; ".join(wrong)
    else:
        Position(**settings)


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [
        ({"hands": "JS"}, "hands must be three collections of cards, by seat, not 'JS'"),
        ({"hands": 7}, "hands must be three collections of cards, by seat, not 7"),
        ({"hands": (1, 2, 3)}, "hand of seat 0 must be text or cards, not 1"),
        ({"hands": ([1], [2], [3])}, "a card is written as text like 'JS', not 1"),
        ({"trump": None}, "trump must be a Suit, a text or 0-3, not None"),
        ({"declarer": True}, "declarer must be a seat 0, 1 or 2, not True"),
        ({"declarer": None}, "declarer must be a seat 0, 1 or 2, not None"),
        ({"leader": 1.0}, "leader must be a seat 0, 1 or 2, not 1.0"),
        ({"trick": 3}, "trick must be text or cards, not 3"),
        ({"tricks": 3}, "tricks by seat must be three whole numbers, not 3"),
        ({"tricks": "123"}, "tricks by seat must be three whole numbers, not '123'"),
        ({"tricks": (1.5, 0, 0)}, "tricks by seat must be three whole numbers, not 1.5"),
        ({"bid": 3.0}, "bid must be a Bid, 3-6 or a text, not 3.0"),
    ],
)
def test_wrong_types(settings: dict[str, Any], wrong: str) -> None:
    assert message(TypeError, Position, **{"hands": HANDS, "trump": "S"} | settings) == wrong


def test_a_broken_rule_is_named() -> None:
    junk = "is not a card: write the rank (9 T J Q K A) first, then the suit (S C H D)"
    follow = "it must follow suit, spades were led and it holds QS TS 9S"
    led = START.play("JS")
    assert message(PlayError, led.play, "KC") == f"seat 1 cannot play KC: {follow}"
    assert (
        message(PlayError, led.play, "kh") == "seat 1 does not hold KH; it holds QS TS 9S AC KC QC"
    )
    assert message(PlayError, led.play, "JS") == "JS has been played already, to this trick"
    assert message(PlayError, led.play, "XX") == f"'XX' {junk}"
    assert message(TypeError, led.play, 5) == "a card is written as text like 'JS', not 5"
    end = START.play_all(LINE)
    assert message(PlayError, end.play, "JS") == "JS cannot be played: the deal is over"

    play_all = START.play_all
    assert message(PlayError, play_all, "JS,KC") == f"play 2, KC: seat 1 cannot play KC: {follow}"
    assert message(PlayError, play_all, "js 9s tc JS") == (
        "play 4, JS: JS has been played already, as play 1"
    )
    assert message(PlayError, play_all, "JS 9S ZZ") == f"play 3: 'ZZ' {junk}"
    assert message(PlayError, play_all, "JS,,9S") == f"play 2: '' {junk}"
    assert message(PlayError, play_all, LINE + " 9H") == (
        "play 19, 9H: 9H cannot be played: the deal is over"
    )
    assert message(TypeError, play_all, ["JS", 5]).startswith("play 2: a card is written as text")
    assert message(TypeError, play_all, 5) == "plays must be text or cards, not 5"
    assert message(PlayError, Position.from_plays, HANDS, "S", 0, "JS 9S 9D") == (
        "play 3, 9D: seat 2 does not hold 9D; it holds TC 9C KH QH JH TH"
    )
    assert issubclass(PlayError, PositionError) and issubclass(PositionError, GhostsimError)


@pytest.mark.parametrize(("trump", "left", "printed", "small"), LEFT_BOWERS)
def test_the_left_bower_is_said_to_be_the_reason(
    trump: str, left: str, printed: str, small: str
) -> None:
    named = Suit.parse(trump)
    note = f"; {left} is the left bower, a {named.name.lower()[:-1]}"
    king, other = "K" + printed[1], "A" + "HHSS"[named]

    def after(trick: str, hand: str) -> Position:
        spare = ["9" + "DDCC"[named], "T" + "DDCC"[named]]
        return Position(
            [["Q" + spare[0][1]], hand, spare], trump, leader=0, trick=trick, tricks=(4, 0, 0)
        )

    follow = "it must follow suit, "
    trumps_led = f"{follow}{named.name.lower()} were led and it holds "
    # It is the card that must follow; it may not be thrown on its printed suit; it was led.
    assert message(PlayError, after(small, f"{left} {other}").play, other) == (
        f"seat 1 cannot play {other}: {trumps_led}{left}{note}"
    )
    assert message(PlayError, after(king, f"{left} {printed}").play, left) == (
        f"seat 1 cannot play {left}: {follow}{named.next.name.lower()} were led and it holds "
        f"{printed}{note}"
    )
    assert message(PlayError, after(left, f"{small} {printed}").play, printed) == (
        f"seat 1 cannot play {printed}: {trumps_led}{small}{note}"
    )
    # And where it has no part, it is not mentioned.
    assert "bower" not in message(PlayError, after("A" + trump, f"{small} {printed}").play, printed)


def test_hands_as_dealt_have_six_cards_each() -> None:
    assert message(PositionError, Position.from_plays, ("JS", HANDS[1], "AS AS"), "S") == (
        "not a deal: hand of seat 0 'JS': 6 cards are needed, not 1; "
        "hand of seat 2 'AS AS': card 2 AS comes twice; 6 cards are needed, not 2"
    )
    assert "three hands are needed, by seat, not 2" in message(
        PositionError, Position.from_plays, HANDS[:2], "S"
    )


THREE = " / ".join(HANDS)
THERE_ARE = "there are trump, declarer, leader, trick, tricks, bid, plays"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "part 1 is empty: write - for a hand without cards; three hands come first, with / "
             "between them: 1 found; trump is missing: add '/ trump S'"),
        (f"{HANDS[0]} / TRUMP S / bid 4", "part 2 'TRUMP S' is a setting: the three hands come "
         "first; part 3 'bid 4' is a setting: the three hands come first; trump is missing: add "
         "'/ trump S'"),
        (f"{THREE} / 9H AD / trump S",
         "part 4 '9H AD' is a fourth hand: only the three in play are told"),
        (f"{THREE} / - / trump S",
         "part 4 '-' is a fourth hand: only the three in play are told"),
        (f"{THREE}", "trump is missing: add '/ trump S'"),
        (f"{THREE} / trump S / ", "part 5 is empty: leave out the / before it"),
        (f"{THREE} / trump", "part 4 'trump': trump has no value"),
        (f"{THREE} / trump X", "part 4 'trump X': trump 'X' is not a suit: use S C H D, a symbol "
         "♠ ♣ ♥ ♦, a name, or 0 1 2 3"),
        (f"{THREE} / trump S / declarer 3",
         "part 5 'declarer 3': '3' is not a seat: seats are 0, 1 and 2"),
        (f"{THREE} / leader ٠ / trump S",
         "part 4 'leader ٠': '٠' is not a seat: seats are 0, 1 and 2"),
        (f"{THREE} / trump S / bid 7",
         "part 5 'bid 7': bid '7' is not a bid: bids are 3, 4, 5 and moon (6)"),
        (f"{THREE} / trump S / tricks 0 0",
         "part 5 'tricks 0 0': '0 0' is not tricks by seat: three numbers 0-6, like 1 2 0"),
        (f"{THREE} / trump S / trick 1S", "part 5 'trick 1S': trick '1S': card 1 '1S' is not a "
         "card (write the rank (9 T J Q K A) first, then the suit (S C H D))"),
        (f"{THREE} / trump S / Trump H", "part 5 'Trump H': trump is set already, in part 4"),
        (f"{THREE} / trump S / ledaer 1",
         f"part 5 'ledaer 1': there is no setting 'ledaer': did you mean 'leader'? {THERE_ARE}"),
        (f"{THREE} / trump S / zzz 1", f"part 5 'zzz 1': there is no setting 'zzz': {THERE_ARE}"),
        (f"JS 9X / {HANDS[1]} / JH JH / trump S / bid 0",
         "part 1, hand of seat 0, 'JS 9X': card 2 '9X' is not a card (write the rank (9 T J Q K A) "
         "first, then the suit (S C H D)); part 3, hand of seat 2, 'JH JH': card 2 JH comes twice; "
         "part 5 'bid 0': bid '0' is not a bid: bids are 3, 4, 5 and moon (6)"),
        ("JS / QS / 9S / trump S / leader 0",
         "not a position: tricks by seat must be given: 5 tricks have been played"),
        ("{", "JSON cannot be read: Expecting property name enclosed in double quotes, line 1, "
              "column 2"),
        ('{"hands":\n [}', "JSON cannot be read: Expecting value, line 2, column 3"),
        ("[1, 2]", "a position in JSON is an object, {...}, not [1, 2]"),
        ('"JS"', "a position in JSON is an object, {...}, not 'JS'"),
        ('{"hands": [], "trump": "S", "trump": "H"}', "JSON key 'trump' comes twice"),
        ('{"trump": "S", "leadr": 0}', "there is no key 'leadr': did you mean 'leader'? there are "
         "hands, trump, declarer, leader, trick, tricks, bid, plays; hands is missing"),
        ('{"hands": 1, "trump": "S"}',
         "hands must be three collections of cards, by seat, not 1"),
    ],
)  # fmt: skip
def test_a_wrong_text_is_told_where_it_is_wrong(text: str, wrong: str) -> None:
    assert message(PositionError, Position.parse, text) == wrong


def test_wrong_plays_in_a_text_are_told_where() -> None:
    assert message(PlayError, Position.parse, f"{THREE} / trump S / plays JS KC") == (
        "part 5, play 2, KC: seat 1 cannot play KC: it must follow suit, spades were led and it "
        "holds QS TS 9S"
    )
    values = {"hands": HANDS, "trump": "S", "plays": "JS QX"}
    assert message(PlayError, Position.from_dict, values).startswith("play 2: 'QX' is not a card")


@pytest.mark.parametrize("text", ['{"hands": ' * 100_000, '{"hands": ' + "9" * 5000 + "}"])
def test_json_too_big_to_read(text: str) -> None:
    assert message(PositionError, Position.parse, text).startswith("JSON cannot be read: ")


def test_a_position_is_parsed_from_text_and_made_from_a_mapping() -> None:
    assert message(TypeError, Position.parse, 5) == "a position is parsed from text, not from 5"
    assert message(TypeError, Position.from_dict, [1]) == (
        "a position is made from a mapping, not from [1]"
    )


@given(text=st.text(alphabet='JSAKQT9CHD /-0123{}[]":,trumpleadcbiy\u212a\ud800', max_size=80))
def test_no_text_raises_anything_else(text: str) -> None:
    try:
        position = Position.parse(text)
    except PositionError as error:
        str(error).encode()
    else:
        assert Position.parse(position.text) == position


def test_plays_go_on_from_any_position() -> None:
    middle = START.play_all(LINE.split()[:7])
    rest = " ".join(LINE.split()[7:])
    assert Position.parse(f"{middle.text} / plays {rest}") == START.play_all(LINE)
    assert Position.from_dict(middle.to_dict() | {"plays": rest}).is_over
    assert Position.parse(f"{THREE} / trump spades / PLAYS js,9s, 10♣") == Position.from_plays(
        HANDS, "S", plays="JS 9S TC"
    )


# ------------------------------------------------------------------------------------- pictures


def picture(text: str) -> str:
    """A diagram as the tests below write it, between a first and a last line of its own."""
    return "\n".join(line.removeprefix("    ") for line in text.split("\n")[1:-1])


#: The first trick is over; seat 0 has led the ace of hearts, seat 1 the king of clubs to it.
MIDDLE = START.play_all("JS 9S TC AH KC")


def test_a_trick_under_way() -> None:
    assert MIDDLE.diagram(symbols=True) == picture("""
      seat 1, left defender                     > seat 2, right defender
      ♠ Q 10                   ┌─────────────┐    ♠ -
      ♣ A Q                    │ K♣        ? │    ♣ 9
      ♥ -                      │     A♥      │    ♥ K Q J 10
      ♦ -                      └─────────────┘    ♦ -

                               seat 0, declarer
                               ♠ J♣ A K
                               ♣ -
                               ♥ -
                               ♦ 9

    spades are trump, bid 4
    tricks: seat 0 has 1, seat 1 has 0, seat 2 has 0; 5 to go
    seat 0 led, seat 2 to play
    """)


def test_the_same_in_ascii() -> None:
    assert MIDDLE.diagram(symbols=False) == picture("""
      seat 1, left defender                     > seat 2, right defender
      S Q 10                   +-------------+    S -
      C A Q                    | KC        ? |    C 9
      H -                      |     AH      |    H K Q J 10
      D -                      +-------------+    D -

                               seat 0, declarer
                               S JC A K
                               C -
                               H -
                               D 9

    spades are trump, bid 4
    tricks: seat 0 has 1, seat 1 has 0, seat 2 has 0; 5 to go
    seat 0 led, seat 2 to play
    """)


def test_before_the_lead_with_hearts_as_trump_and_seat_1_as_declarer() -> None:
    deal = ("AH KH QH TH 9H JD", "JH AD 9D TS JS JC", "AS KS QS 9S AC TC")
    assert Position(deal, "H", declarer=1, bid="moon").diagram(symbols=True) == picture("""
      seat 2, left defender                       seat 0, right defender
      ♥ -                      ┌─────────────┐    ♥ J♦ A K Q 10 9
      ♠ A K Q 9                │             │    ♠ -
      ♣ A 10                   │      ?      │    ♣ -
      ♦ -                      └─────────────┘    ♦ -

                             > seat 1, declarer
                               ♥ J
                               ♠ J 10
                               ♣ J
                               ♦ A 9

    hearts are trump, bid moon
    tricks: seat 0 has 0, seat 1 has 0, seat 2 has 0; 6 to go
    seat 1 to lead
    """)


def test_two_tens_in_the_trick_and_seat_2_as_declarer() -> None:
    position = Position(("TD", "KD", "AC QS"), "C", 2, leader=0, trick="TC TS", tricks=(1, 1, 2))
    assert position.diagram(symbols=False) == picture("""
      seat 0, left defender                       seat 1, right defender
      C -                      +-------------+    C -
      S -                      | 10C     10S |    S -
      H -                      |      ?      |    H -
      D 10                     +-------------+    D K

                             > seat 2, declarer
                               C A
                               S Q
                               H -
                               D -

    clubs are trump, no bid is set
    tricks: seat 0 has 1, seat 1 has 1, seat 2 has 2; 2 to go
    seat 0 led, seat 2 to play
    """)


def test_when_it_is_over() -> None:
    assert START.play_all(LINE).diagram(symbols=False) == picture("""
      seat 1, left defender                       seat 2, right defender
      S -                      +-------------+    S -
      C -                      |             |    C -
      H -                      |             |    H -
      D -                      +-------------+    D -

                               seat 0, declarer
                               S -
                               C -
                               H -
                               D -

    spades are trump, bid 4
    tricks: seat 0 has 5, seat 1 has 1, seat 2 has 0; 0 to go
    the deal is over
    """)


@given(position=positions(), symbols=st.booleans())
def test_every_picture_shows_every_card_in_its_place(position: Position, symbols: bool) -> None:
    drawn = position.diagram(symbols)
    assert drawn.isascii() or symbols
    lines = drawn.split("\n")
    assert all(len(line) <= 78 and line == line.rstrip() for line in lines)
    assert len(lines) == 15
    declarer = position.declarer
    above, below = lines[:5], lines[6:11]
    # The columns of the left hand, the right one and the bottom one.
    hands = [[line[:26] for line in above], [line[43:] for line in above], below]
    for place, block in zip((1, 2, 0), hands, strict=True):
        seat = (declarer + place) % 3
        assert re.fullmatch(rf"[ >]+seat {seat}, [a-z ]+", block[0])
        assert (">" in block[0]) == (seat == position.to_play)
        read = []
        for line in block[1:]:
            suit, *ranks = line.split()
            read += [rank + suit if rank in "10 9JQKA" else rank for rank in ranks if rank != "-"]
        # The left bower is in the row of trumps, but its own suit is written.
        assert [Card(text) for text in read] == list(position.hands[seat])
        assert block[1].split()[0] in (
            position.trump.symbol,
            position.trump.letter,
        )
    middle = " ".join(line[28:41] for line in above[2:4]).split()
    assert len(middle) == len(position.trick) + (not position.is_over)
    shown = {(declarer + 1) % 3: above[2][28:34], (declarer + 2) % 3: above[2][35:41]}
    shown[declarer] = above[3][28:41]
    for order, card in enumerate(position.trick):
        assert Card(shown[(position.leader + order) % 3]) == card
    if position.to_play is not None:
        assert shown[position.to_play].strip() == "?"


class Output:
    """A standard output that can print so much."""

    def __init__(self, encoding: str | None) -> None:
        self.encoding = encoding


@pytest.mark.parametrize("encoding", ["utf-8", "UTF-16"])
def test_symbols_where_they_can_be_printed(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    monkeypatch.setattr(sys, "stdout", Output(encoding))
    drawn = str(MIDDLE), MIDDLE.diagram(), MIDDLE.diagram(symbols=False)
    monkeypatch.undo()
    symbols, ascii_only = MIDDLE.diagram(symbols=True), MIDDLE.diagram(symbols=False)
    assert drawn == (symbols, symbols, ascii_only)


@pytest.mark.parametrize(
    "output",
    # Korean has ♠ but not ♦.
    [*map(Output, ["ascii", "latin-1", "cp1252", "cp949", "no-such-code", None]), None, object()],
)
def test_ascii_where_symbols_cannot_be_printed(
    monkeypatch: pytest.MonkeyPatch, output: object
) -> None:
    monkeypatch.setattr(sys, "stdout", output)
    drawn = str(MIDDLE), MIDDLE.diagram(), MIDDLE.diagram(symbols=True)
    monkeypatch.undo()
    symbols, ascii_only = MIDDLE.diagram(symbols=True), MIDDLE.diagram(symbols=False)
    assert drawn == (ascii_only, ascii_only, symbols)


@pytest.mark.parametrize(("encoding", "expected"), [("ascii", False), ("utf-8", True)])
def test_printing_a_position(encoding: str, expected: bool) -> None:
    code = f"from ghostsim.position import Position\nprint({MIDDLE!r})"
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, env=environment
    )
    printed = done.stdout.decode(encoding).replace("\r\n", "\n")
    assert printed == MIDDLE.diagram(symbols=expected) + "\n"


class Cells(HTMLParser):
    """The text of each cell of a table, of its caption, what is bold, and what is red."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[tuple[str, str]] = []
        self.cells: list[str] = []
        self.bold: list[str] = []
        self.red: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == [], "all that was opened is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self.cells[-1] += "\n"
            return
        self.open.append((tag, dict(attrs).get("style") or ""))
        if tag in ("td", "caption"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        self.cells[-1] += f"{data} " if self.open[-1][0] == "span" else data
        tag, style = self.open[-1]
        if tag == "b" or "font-weight:bold" in style:
            self.bold.append(data)
        if "color:#c22" in style:
            self.red.append(data)
        assert "color:#000" not in style and "black" not in style, "black on a dark page"


def test_the_picture_in_a_notebook() -> None:
    page = Cells(MIDDLE._repr_html_())
    assert [cell.strip().replace(" \n", "\n").split("\n") for cell in page.cells] == [
        [
            "spades are trump, bid 4",
            "tricks: seat 0 has 1, seat 1 has 0, seat 2 has 0; 5 to go",
            "seat 0 led, seat 2 to play",
        ],
        ["seat 1, left defender", "♠ Q 10", "♣ A Q", "♥ -", "♦ -"],
        ["K♣ ?A♥"],
        ["seat 2, right defender", "♠ -", "♣ 9", "♥ K Q J 10", "♦ -"],
        [""],
        ["seat 0, declarer", "♠ J♣ A K", "♣ -", "♥ -", "♦ 9"],
        [""],
    ]
    assert page.bold == ["?", "seat 2, right defender"]
    assert page.red == ["♥ -", "♦ -", "A♥", "♥ K Q J 10", "♦ -", "♥ -", "♦ 9"]


@given(position=positions())
def test_every_notebook_picture_shows_every_card(position: Position) -> None:
    page = Cells(position._repr_html_())
    caption, *around = (cell.split() for cell in page.cells)
    assert " ".join(caption[:3]) == f"{position.trump.name.lower()} are trump,"
    text = " ".join(word for cell in around for word in cell).replace("?", " ")
    red = " ".join(page.red)
    for card in position.trick:
        assert card.pretty in text and (card.pretty in red) == (card.suit >= Suit.HEARTS)
    rows = "\n".join(page.cells)
    for suit in Suit:
        ranks = [
            re.findall(rf"\n{suit.symbol} ([^\n]*)", cell)[0].split()
            for cell in page.cells
            if cell.startswith("seat")
        ]
        assert len(ranks) == 3, rows
        held = [card for hand in position.hands for card in hand]
        shown = sum(len(row) for row in ranks) - ranks.count(["-"])
        assert shown == sum(card.suit_under(position.trump) == suit for card in held)
    turn = [] if position.to_play is None else [f"seat {position.to_play},"]
    assert [" ".join(name.split()[:2]) for name in page.bold if name != "?"] == turn


def test_positions_need_no_numpy() -> None:
    code = (
        f"from ghostsim.position import Position\n"
        f"position = Position.from_plays({HANDS!r}, 'S', plays={LINE!r}, bid=4)\n"
        "position.points(), str(position)\n"
        "import sys\n"
        "print({'numpy', 'numba', 'pandas', 'joblib', 'matplotlib'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
