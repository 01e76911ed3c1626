"""Positions in writing: texts and JSON read back, and a wrong one is told where it is wrong."""

import json
import re
import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostsim.cards import Suit
from ghostsim.deals import Deal
from ghostsim.position import PlayError, Position, PositionError
from ghostsim.rules import Bid
from strategies import bids, deals, positions, seats, trumps

HANDS = ("JS JC AS KS AH 9D", "QS TS 9S AC KC QC", "TC 9C KH QH JH TH")
#: Seat 0 leads throughout; seats 1 and 2 follow or throw away what they can.
LINE = "JS 9S TC  AS TS 9C  AH QS TH  AC JH KS  JC QC QH  9D KC KH"
START = Position(HANDS, "S", bid=4)


def message(error: type[Exception], call: Any, *args: Any, **settings: Any) -> str:
    """What a call complains of, whose error must be of exactly this class."""
    with pytest.raises(error) as caught:
        call(*args, **settings)
    assert type(caught.value) is error
    return str(caught.value)


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


THREE = " / ".join(HANDS)
THERE_ARE = "there are trump, declarer, leader, trick, tricks, bid, plays"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "three hands come first, with / between them: 1 found"),
        ("JS QX / trump X", "three hands come first, with / between them: 2 found"),
        (f"{HANDS[0]} / TRUMP S / bid 4", "part 2 'TRUMP S' is a setting: the three hands come "
         "first; part 3 'bid 4' is a setting: the three hands come first"),
        (f"{HANDS[0]} / {HANDS[1]} / ",
         "part 3 is empty: write - for a hand without cards"),
        (f"{THREE} / 9H AD / trump S",
         "part 4 '9H AD' is a fourth hand: only the three in play are told"),
        (f"{THREE} / - / trump S",
         "part 4 '-' is a fourth hand: only the three in play are told"),
        (f"{THREE}", "trump is missing: add '/ trump H', or S, C, D"),
        # A part that cannot be read may be the trump: that one is missing is not said.
        (f"{THREE} / turmp S",
         f"part 4 'turmp S': there is no setting 'turmp': did you mean 'trump'? {THERE_ARE}"),
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
         "not a position: tricks by seat must be given, like 'tricks 5 0 0': 5 tricks have been "
         "played"),
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


# ------------------------------------------------------------------------------------- defaults


def settings_of(line: str) -> dict[str, str]:
    """The settings of a line by name, as they are written there."""
    return dict(part.split(maxsplit=1) for part in line.split(" / ")[3:])


@given(position=positions(), data=st.data())
def test_settings_may_be_said_by_the_text_or_by_defaults(
    position: Position, data: st.DataObject
) -> None:
    settings = settings_of(position.text)
    left_out = data.draw(st.sets(st.sampled_from(sorted(settings))))
    hands = position.text.split(" / ")[:3]
    said = [f"{name} {value}" for name, value in settings.items() if name not in left_out]
    defaults = {name: settings[name] for name in left_out}
    assert Position.parse(" / ".join(hands + said), **defaults) == position
    for absent in (None, ...):
        values = position.to_dict() | dict.fromkeys(left_out, absent)
        values = {name: value for name, value in values.items() if value is not ...}
        assert Position.parse(json.dumps(values), **defaults) == position


@given(position=positions(), trump=trumps, declarer=seats, leader=seats, bid=bids)
def test_what_the_text_says_wins(
    position: Position, trump: Suit, declarer: int, leader: int, bid: Bid
) -> None:
    said = settings_of(position.text) | {
        "leader": str(position.leader),
        "tricks": " ".join(map(str, position.tricks)),
    }
    others = {
        "trump": trump.name,
        "declarer": str(declarer),
        "leader": str(leader),
        "trick": "9S",
        "tricks": "1 2 3",
        "bid": str(bid),
    }
    defaults = {name: value for name, value in others.items() if name in said}
    settings = [f"{name} {value}" for name, value in said.items()]
    line = " / ".join(position.text.split(" / ")[:3] + settings)
    assert Position.parse(line, **defaults) == position
    assert Position.parse(position.to_json(), **defaults) == position


@given(deal=deals(), trump=trumps, declarer=seats, leader=seats, bid=bids)
def test_a_deal_and_its_settings(
    deal: Deal, trump: Suit, declarer: int, leader: int, bid: Bid
) -> None:
    line = " / ".join(map(str, deal.hands))
    settings = {"declarer": f" {declarer} ", "leader": str(leader), "bid": str(bid)}
    position = Position.parse(line, trump=trump.name, **settings)
    assert position == Position(deal.hands, trump, declarer, leader, bid=bid)


def test_defaults_may_be_numbers() -> None:
    told = Position.parse(THREE, trump="H", declarer=1, leader=2, bid=6)
    assert told == Position(HANDS, "H", 1, 2, bid="moon")
    assert Position.parse(THREE, trump="H", declarer="1", leader="2", bid="6") == told
    assert message(PositionError, Position.parse, THREE, trump="S", declarer=3, bid=2) == (
        "setting declarer: '3' is not a seat: seats are 0, 1 and 2; setting bid: bid '2' is not a "
        "bid: bids are 3, 4, 5 and moon (6)"
    )


def test_plays_by_default() -> None:
    played = Position.from_plays(HANDS, "S", plays="JS 9S TC", bid=4)
    assert Position.parse(THREE, trump="S", bid="4", plays="js,9s 10♣") == played
    values = json.dumps({"hands": HANDS, "trump": None, "bid": 4})
    assert Position.parse(values, trump="♠", plays="JS 9S TC") == played
    assert Position.parse(f"{THREE} / trump S / plays JS 9S TC / bid 4", plays="9D") == played
    # They go on from wherever in the deal the text is.
    assert (
        Position.parse(played.text, plays="JC QS", bid="5").trick
        == Position.parse(f"{played.text} / plays JC QS").trick
    )


@pytest.mark.parametrize("text", [THREE, json.dumps({"hands": HANDS})])
@pytest.mark.parametrize(
    ("defaults", "wrong"),
    [
        ({"trump": "X"}, "setting trump: trump 'X' is not a suit: use S C H D, a symbol ♠ ♣ ♥ ♦, a "
                         "name, or 0 1 2 3"),
        ({"trump": " "}, "setting trump: trump has no value"),
        ({"declarer": "3"}, "setting declarer: '3' is not a seat: seats are 0, 1 and 2"),
        ({"leader": "one"}, "setting leader: 'one' is not a seat: seats are 0, 1 and 2"),
        ({"bid": "2"}, "setting bid: bid '2' is not a bid: bids are 3, 4, 5 and moon (6)"),
        ({"bid": "4 / leader 1"},
         "setting bid: bid '4 / leader 1' is not a bid: bids are 3, 4, 5 and moon (6)"),
        ({"tricks": "0 0"},
         "setting tricks: '0 0' is not tricks by seat: three numbers 0-6, like 1 2 0"),
        ({"trick": "1S"}, "setting trick: trick '1S': card 1 '1S' is not a card (write the rank (9 "
                          "T J Q K A) first, then the suit (S C H D))"),
        ({"plays": ""}, "setting plays: plays has no value"),
        ({"leader": "4", "declarer": ""}, "setting leader: '4' is not a seat: seats are 0, 1 and "
                                          "2; setting declarer: declarer has no value"),
        ({"trump": "S", "tricks": "1 0 0"}, "not a position: tricks by seat, 1 0 0, add up to 1, "
                                            "but 0 tricks have been played"),
    ],
)  # fmt: skip
def test_a_wrong_default_is_told_by_its_setting(
    text: str, defaults: dict[str, str], wrong: str
) -> None:
    assert message(PositionError, Position.parse, text, **defaults) == wrong
    if wrong.startswith("setting"):
        # Also where it is not needed, or the text is wrong as well: it is wrong for every text.
        assert message(PositionError, Position.parse, START.text, **defaults) == wrong
        assert message(PositionError, Position.parse, "JS", **defaults) == wrong


def test_wrong_plays_by_default_are_told_by_their_setting() -> None:
    for text in (f"{THREE} / trump S", json.dumps({"hands": HANDS, "trump": "S", "plays": None})):
        assert message(PlayError, Position.parse, text, plays="JS KC") == (
            "setting plays, play 2, KC: seat 1 cannot play KC: it must follow suit, spades were "
            "led and it holds QS TS 9S"
        )
    values = json.dumps({"hands": HANDS, "trump": "S", "plays": "JS XX"})
    assert message(PlayError, Position.parse, values, plays="KC").startswith("play 2: 'XX' is not")
    line = f"{THREE} / trump S / plays JS XX"
    assert message(PlayError, Position.parse, line, plays="KC").startswith("part 5, play 2: 'XX'")


def test_defaults_are_texts_of_settings_that_there_are() -> None:
    assert message(TypeError, Position.parse, THREE, ledaer="1") == (
        f"there is no setting 'ledaer': did you mean 'leader'? {THERE_ARE}"
    )
    assert message(TypeError, Position.parse, THREE, hands="JS").startswith(
        "there is no setting 'hands'"
    )
    bids: dict[str, Any] = {"bid": 4.0}
    assert message(TypeError, Position.parse, THREE, trump="S", **bids) == (
        "setting bid must be a text, as in a line, not 4.0"
    )
    assert message(PositionError, Position.parse, THREE, bid="4") == (
        "trump is missing: add '/ trump H', or S, C, D"
    )
    assert message(PositionError, Position.parse, '{"hands": []}', bid="4") == "trump is missing"
