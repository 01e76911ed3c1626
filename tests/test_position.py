"""Positions: play by the rules, as the oracle tells them, and all that is no position refused."""

import copy
import dataclasses
import pickle
import subprocess
import sys
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
        assert dataclasses.replace(after) == after, "play makes nothing that the checks refuse"
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
        ({"hands": TWO, "leader": 0},
         ["tricks by seat must be given, like 'tricks 4 0 0': 4 tricks have been played"]),
        ({"hands": TWO, "tricks": (4, 0, 0)},
         ["leader must be given, like 'leader 0': 4 tricks have been played"]),
        ({"hands": TWO},
         ["tricks by seat must be given, like 'tricks 4 0 0': 4 tricks have been played",
          "leader must be given, like 'leader 0': 4 tricks have been played"]),
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
