"""Records: what is written, what is read back, what is refused and where.

``goldens/*.txt`` but ``perft.txt`` are records of deals and games that were put together by hand.
"""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostsim.cards import Card, Suit
from ghostsim.deals import Deal
from ghostsim.rules import STANDARD, Bid, Rules
from ghostsim.table.deal import DealState, Revoke, TableError
from ghostsim.table.game import GameState, play_game, resume_game
from ghostsim.table.record import DealRecord, GameRecord, RecordError, read_record
from ghostsim.table.view import View
from strategies import deals, rules, seats, words

GOLDENS = Path(__file__).parent / "goldens"
DEALS = [
    "ordinary",
    "swap",
    "set",
    "moon-made",
    "moon-failed",
    "revoke-found",
    "revoke-not-found",
    "left-bower-led",
    "left-bower-follows",
]
GAMES = ["all-pass", "tie-at-32"]


def text_of(name: str) -> str:
    return (GOLDENS / f"{name}.txt").read_bytes().decode("ascii")


def deal_of(name: str) -> DealState:
    return DealRecord.parse(text_of(name)).state


def game_of(name: str) -> GameRecord:
    return GameRecord.parse(text_of(name))


# ------------------------------------------------------------------------------ golden playthroughs


def test_no_golden_is_forgotten() -> None:
    assert {path.stem for path in GOLDENS.glob("*.txt")} == {"perft", *DEALS, *GAMES}


@pytest.mark.parametrize("name", DEALS)
def test_a_golden_deal_is_played_again(name: str) -> None:
    read = deal_of(name)
    state = DealState.start(
        read.deal,
        read.dealer,
        read.rules,
        scores=read.scores,
        revoke_detection=read.revoke_detection,
    )
    found = {revoke.card: revoke.found for revoke in read.revokes}
    for action in read.actions:
        if isinstance(action, Card):
            state = state.play(action, found=found.get(action))
        else:
            state = state.act(action)
    assert state == read
    assert DealRecord(state).text == text_of(name)


@pytest.mark.parametrize("name", GAMES)
def test_a_golden_game_is_played_again(name: str) -> None:
    read = game_of(name)
    record = GameRecord(first_dealer=read.first_dealer, strategies=read.strategies)
    for deal in read.deals:
        record = record.with_deal(record.state.next_deal(deal.deal).act_all(deal.actions))
    assert record == read
    assert record.text == text_of(name)


@pytest.mark.parametrize(
    ("name", "declarer", "bid", "trump", "taken", "points"),
    [
        ("ordinary", 0, Bid.THREE, Suit.SPADES, (4, 1, 1), (4, 1, 1)),
        ("swap", 1, Bid.FOUR, Suit.HEARTS, (0, 5, 1), (0, 5, 1)),
        ("set", 0, Bid.FOUR, Suit.SPADES, (3, 2, 1), (-4, 2, 1)),
        ("moon-made", 2, Bid.MOON, Suit.DIAMONDS, (0, 0, 6), (0, 0, 24)),
        ("moon-failed", 0, Bid.MOON, Suit.HEARTS, (5, 1, 0), (-6, 1, 0)),
        ("revoke-found", 0, Bid.THREE, Suit.SPADES, (4, 1, 1), (4, -1, 1)),
        ("revoke-not-found", 1, Bid.FOUR, Suit.HEARTS, (0, 4, 2), (0, 4, 2)),
        ("left-bower-led", 0, Bid.THREE, Suit.HEARTS, (4, 2, 0), (4, 2, 0)),
        ("left-bower-follows", 0, Bid.THREE, Suit.HEARTS, (4, 2, 0), (4, 2, 0)),
    ],
)
def test_what_the_golden_deals_are_about(
    name: str,
    declarer: int,
    bid: Bid,
    trump: Suit,
    taken: tuple[int, int, int],
    points: tuple[int, int, int],
) -> None:
    state = deal_of(name)
    assert (state.declarer, state.bid, state.trump) == (declarer, bid, trump)
    assert (state.taken, state.points) == (taken, points)


def test_the_golden_swaps() -> None:
    assert deal_of("swap").swapper == 1
    # Seat 1 swaps under a moon, can only pass, and takes the trick that sets it.
    failed = deal_of("moon-failed")
    assert (failed.swapper, failed.tricks[5].winner) == (1, 1)
    assert failed.turns[2].bid is None


def test_the_golden_revokes() -> None:
    assert deal_of("revoke-found").revokes == (Revoke(1, 2, Card("JC"), found=True),)
    # Seat 2 keeps its only trump back and ruffs with it in the next trick.
    hidden = deal_of("revoke-not-found")
    assert hidden.revokes == (Revoke(2, 1, Card("QD"), found=False),)
    assert (hidden.tricks[1].card_of(2), hidden.tricks[1].winner) == (Card("QH"), 2)


def test_the_golden_left_bowers() -> None:
    # Hearts are trump. JD is led: seat 1 must play a heart, seat 2 need not play a diamond.
    led = deal_of("left-bower-led").tricks[0]
    assert [str(card) for card in led.cards] == ["JD", "JH", "QC"]
    assert led.winner == 1
    # AH is led: JD is the only trump of seat 1, which has AD too. It takes the trick.
    follows = deal_of("left-bower-follows")
    assert [str(card) for card in follows.tricks[0].cards] == ["AH", "JD", "JC"]
    assert follows.tricks[0].winner == 1
    start = DealState.replay(follows.deal, 2, follows.actions[:5])
    assert start.legal == (Card("JD"),)


def test_the_golden_redeal() -> None:
    record = game_of("all-pass")
    first, second = record.deals
    assert first.all_passed
    assert (first.dealer, second.dealer, second.first_bidder) == (0, 1, 2)
    assert record.scores == ((0, 0, 0), (4, 1, 1))
    assert record.winner is None


def test_the_golden_tie() -> None:
    record = game_of("tie-at-32")
    assert record.scores == (
        (24, 0, 0),
        (24, 24, 0),
        (24, 24, 24),
        (28, 26, 24),
        (30, 30, 24),
        (32, 32, 21),
        (35, 35, 21),
        (35, 35, 45),
    )
    assert record.winner == 2
    assert [deal.dealer for deal in record.deals] == [0, 1, 2, 0, 1, 2, 0, 1]


# -------------------------------------------------------------------------------- there and back


class Lots:
    """Every choice by lot; any card where revokes stand."""

    name = "lots"

    def swap(self, view: View) -> bool:
        return view.random(2) == 1

    def bid(self, view: View) -> Bid | None:
        choices = (None, *view.bids)
        return choices[view.random(len(choices))]

    def name_trump(self, view: View) -> Suit:
        return Suit(view.random(4))

    def play(self, view: View) -> Card:
        cards = view.hand if view.revokes_allowed else view.legal
        return cards[view.random(len(cards))]


LOTS = (Lots(), Lots(), Lots())
names = st.none() | st.tuples(
    *[
        st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1)
        .map(lambda text: " ".join(text.split()))
        .filter(lambda text: text.isprintable() and text != "")
    ]
    * 3
)
chances = st.none() | st.floats(0, 1) | st.just(5e-324)


@st.composite
def deal_records(draw: st.DrawFn) -> DealRecord:
    """Any moment of any deal, by a seed or by hand, with names or without."""
    seed = draw(st.none() | words)
    chance = draw(chances)
    state = DealState.start(
        draw(deals()),
        draw(seats),
        draw(rules),
        scores=draw(st.tuples(*[st.integers(-999, 999)] * 3)),
        seed=seed,
        index=None if seed is None else draw(words),
        revoke_detection=chance,
    )
    for _ in range(draw(st.integers(0, 26))):
        if state.to_act is None:
            break
        held = state.hands[state.to_act]
        if state.phase == "play" and chance is not None and draw(st.booleans()):
            card = draw(st.sampled_from(held))
            is_free = seed is None and 0 < chance < 1 and card not in state.legal
            state = state.play(card, found=draw(st.booleans()) if is_free else None)
        else:
            state = state.act(draw(st.sampled_from(state.legal_actions)))
    return DealRecord(state, draw(names))


@st.composite
def game_records(draw: st.DrawFn) -> GameRecord:
    """Any moment of some games of few deals."""
    record = play_game(
        LOTS,
        seed=draw(words),
        game=draw(st.integers(0, 2**32 - 1)),
        rules=draw(rules),
        first_dealer=draw(seats),
        max_deals=draw(st.integers(1, 3)),
        revoke_detection=draw(chances),
    )
    record = replace(record, strategies=draw(names))
    return draw(st.sampled_from(moments(record)[:: draw(st.integers(1, 5))]))


def moments(record: GameRecord) -> list[GameRecord]:
    """The record after no deal, and after each action of each deal."""
    cut = [replace(record, deals=())]
    for number, deal in enumerate(record.deals):
        state = replace(record, deals=record.deals[:number]).next_deal()
        for action in (None, *deal.actions):
            state = state if action is None else state.act(action)
            cut.append(replace(record, deals=(*record.deals[:number], state)))
    return cut


@given(deal_records())
def test_deals_there_and_back(record: DealRecord) -> None:
    assert DealRecord.parse(record.text) == record
    assert DealRecord.parse(record.to_json()) == record
    assert DealRecord.parse(record.to_json(indent=2)) == record
    assert DealRecord.from_dict(record.to_dict()) == record
    assert read_record(record.text) == record == pickle.loads(pickle.dumps(record))
    assert record.text.isascii() or record.strategies is not None
    assert DealRecord.parse(record.text).text == record.text
    assert str(record) == record.text


@given(game_records())
def test_games_there_and_back(record: GameRecord) -> None:
    assert GameRecord.parse(record.text) == record
    assert GameRecord.parse(record.to_json()) == record
    assert GameRecord.from_dict(record.to_dict()) == record
    assert read_record(record.to_json()) == record == pickle.loads(pickle.dumps(record))
    assert GameRecord.parse(record.text).text == record.text
    assert str(record) == record.text


@pytest.mark.parametrize("detection", [None, 0.5])
def test_a_record_is_played_on_from_any_action(detection: float | None) -> None:
    whole = play_game(LOTS, seed=8, game=1, max_deals=3, revoke_detection=detection)
    assert detection is None or any(deal.revokes for deal in whole.deals)
    assert any(deal.swapper is not None for deal in whole.deals)
    for cut in moments(whole):
        for text in (cut.text, cut.to_json()):
            assert resume_game(GameRecord.parse(text), LOTS, max_deals=3) == whole


@given(st.data(), game_records())
def test_a_text_may_end_after_any_line(data: st.DataObject, record: GameRecord) -> None:
    """A file that was cut off at the end of a line: what is left is read, or the end is named."""
    lines = record.text.splitlines(keepends=True)
    text = "".join(lines[: data.draw(st.integers(0, len(lines)))])
    try:
        read = GameRecord.parse(text)
    except RecordError as error:
        assert "the record ends" in str(error) or "end of the record" in str(error)
        return
    assert record.text.startswith(text.rstrip())
    assert read.deals[:-1] == record.deals[: max(len(read.deals) - 1, 0)]


# ---------------------------------------------------------------------------- the spelling is free


def test_cards_in_any_spelling_and_order() -> None:
    text = (
        text_of("ordinary")
        .replace("seat 0: AS KS JS AC AH 9D", "seat 0: 9d, a♥  ac js Ks a♠")
        .replace("seat 2 TC;", "seat 2   10c;")
        .replace("declares spades", "declares ♠")
    )
    assert DealRecord.parse(text) == DealRecord.parse(text_of("ordinary"))


def test_remarks_and_empty_lines() -> None:
    text = "# played in the train\n\n" + text_of("ordinary").replace(
        "trick 4", "\n  # here he could have drawn the last trump\n\ttrick 4"
    )
    assert DealRecord.parse(text.replace("\n", "\r\n")).state == deal_of("ordinary")


# --------------------------------------------------------------------------------- what is refused


def changed(name: str, old: str, new: str) -> str:
    text = text_of(name)
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        # the head
        ("ordinary", "deal record 1", "deal record 2", r"line 1: a record begins with"),
        (
            "ordinary",
            "standard",
            "moon_points=-1",
            r"line 2: moon_points must be 0 to 1000, not -1",
        ),
        ("ordinary", "standard", "moon=12", r"line 2: there is no rule 'moon'"),
        ("ordinary", "standard", "half-moon", r"line 2: 'half-moon' is not a rule"),
        ("ordinary", "standard", "min_bid=4, min_bid=4", r"line 2: the rule min_bid comes twice"),
        ("ordinary", "standard", "set_keeps_tricks=yes", r"line 2: set_keeps_tricks must be True"),
        ("ordinary", "refused", "allowed", r"line 3: there must be a line like 'revokes: refused'"),
        ("ordinary", "refused", "stand, found out with chance 2", r"line 3: a chance is from 0"),
        (
            "ordinary",
            "revokes:",
            "seed 99999999999999999999, deal 0\nrevokes:",
            r"line 3: seed and",
        ),
        ("ordinary", "revokes: refused", "", r"line 5: there must be a line like 'revokes"),
        (
            "ordinary",
            "dealer: seat 2",
            "dealer: seat 3",
            r"line 5: there must be a line like 'deal",
        ),
        ("ordinary", "scores: 0 0 0", "scores: 0 0", r"line 5: there must be a line like 'dealer:"),
        # the cards
        (
            "ordinary",
            "seat 1: QS",
            "seat 1: AS",
            r"line 9: a card is dealt twice: AS is with seat 0",
        ),
        ("ordinary", "seat 1: QS", "seat 1: XS", r"line 7: hand of seat 1 .* card 1 'XS' is not a"),
        ("ordinary", "seat 1: QS ", "seat 1: ", r"line 7: hand of seat 1 .*: 6 cards are needed"),
        ("ordinary", "ghost: TS", "ghost: QS", r"line 9: a card is dealt twice: QS is with seat 1"),
        (
            "ordinary",
            "ghost: TS 9S KH QD JD TD\n",
            "",
            r"line 9: there must be a line like 'ghost:",
        ),
        # the auction
        (
            "ordinary",
            "seat 1 passes",
            "seat 1 bids 3",
            r"line 11, turn 2: seat 1 cannot bid 3: a bid must exceed the standing one, 3",
        ),
        (
            "ordinary",
            "seat 1 passes",
            "seat 2 passes",
            r"line 11, turn 2: seat 2 cannot pass: it is",
        ),
        ("ordinary", "seat 1 passes", "seat 1 bids 7", r"line 11, turn 2: bid '7' is not a bid"),
        (
            "ordinary",
            "seat 1 passes",
            "seat 1 sleeps",
            r"line 11, turn 2: there must be a line like",
        ),
        ("ordinary", "seat 1 passes\n", "", r"line 11, turn 2: seat 2 cannot pass: it is seat 1's"),
        (
            "ordinary",
            "seat 1 passes",
            "seat 1 swaps\nseat 1 passes",
            r"line 12, turn 2: seat 1 has swapped and must now pass or bid, in one line",
        ),
        (
            "swap",
            "seat 2 passes",
            "seat 2 swaps, passes",
            r"line 11, turn 2: seat 2 cannot swap: s",
        ),
        (
            "swap",
            "rules: standard",
            "rules: swaps_per_deal=0",
            r"seat 1 cannot swap: the rules allo",
        ),
        ("ordinary", "standard", "min_bid=4", r"line 10, turn 1: seat 0 cannot bid 3: the lowest"),
        # the trump
        ("ordinary", "seat 0 declares", "seat 1 declares", r"line 13: seat 1 cannot name trump"),
        ("ordinary", "spades, bid 3", "spoons, bid 3", r"line 13: trump 'spoons' is not a suit"),
        ("ordinary", "spades, bid 3", "spades, bid 4", r"line 13: the bid is 3, not 4"),
        # the play
        (
            "ordinary",
            "trick 2:",
            "trick 3:",
            r"line 15, trick 2: there must be a line like 'trick 2",
        ),
        (
            "ordinary",
            "seat 1 9C",
            "seat 1 JC",
            r"line 15, trick 2: card 2: seat 1 cannot play JC: it must follow suit, clubs were led",
        ),
        ("ordinary", "seat 1 9C", "seat 1 QS", r"line 15, trick 2: card 2: QS has been played"),
        (
            "ordinary",
            "seat 1 9C",
            "seat 1 9S",
            r"line 15, trick 2: card 2: seat 1 does not hold 9S",
        ),
        ("ordinary", "seat 1 9C", "seat 1 9X", r"line 15, trick 2: card 2: '9X' is not a card"),
        ("ordinary", "seat 1 9C", "seat 2 9C", r"line 15, trick 2: card 2: seat 2 cannot play a c"),
        ("ordinary", "seat 1 9C", "9C", r"line 15, trick 2: card 1: 'seat 0 AC, 9C' must be like"),
        (
            "ordinary",
            "seat 2 QC; seat 0",
            "seat 2 QC; seat 1",
            r"trick 2: seat 0 wins the trick, n",
        ),
        (
            "ordinary",
            "QC; seat 0 wins",
            "QC",
            r"line 15, trick 2: it must be said who wins the tri",
        ),
        ("ordinary", ", seat 2 QC; seat", "; seat", r"line 15, trick 2: a trick of 2 cards has no"),
        (
            "ordinary",
            ", seat 2 QC; seat 0 wins",
            "",
            r"line 16, trick 2: the line above has 2 card",
        ),
        (
            "ordinary",
            "QC; seat",
            "QC, seat 0 AH; seat",
            r"line 15, trick 2: a trick has three card",
        ),
        # the revokes
        (
            "ordinary",
            "seat 1 9C",
            "seat 1 9C (revoke, found out)",
            r"line 15, trick 2: card 2: 9C of seat 1 is no revoke: nothing can be found out",
        ),
        ("revoke-found", " (revoke, found out)", "", r"card 2: JC of seat 1 is a revoke: say"),
        (
            "revoke-found",
            "stand, found out with chance 0.5",
            "refused",
            r"seat 1 cannot play JC: i",
        ),
        (
            "revoke-found",
            "chance 0.5",
            "chance 0.0",
            r"with revoke_detection=0 a revoke is not fou",
        ),
        # what came of it
        (
            "ordinary",
            "tricks: 4 1 1",
            "tricks: 5 1 0",
            r"line 20: it says 'tricks: 5 1 0; the bid is made', but it must be 'tricks: 4 1 1; th",
        ),
        (
            "ordinary",
            "is made",
            "is set",
            r"line 20: it says 'tricks: 4 1 1; the bid is set', but ",
        ),
        (
            "ordinary",
            "points: +4 +1",
            "points: +5 +1",
            r"line 21: it says 'points: \+5 \+1 \+1', b",
        ),
        (
            "ordinary",
            "scores: 4 1 1",
            "scores: 4 1 2",
            r"line 22: it says 'scores: 4 1 2', but it ",
        ),
        ("revoke-found", "penalties: 0 -2 0\n", "", r"line 21: it says 'points: .* 'penalties: 0"),
        (
            "ordinary",
            "scores: 4 1 1",
            "scores: 4 1 1\nbye",
            r"line 23: the record of the deal is a",
        ),
        # games
        ("tie-at-32", "first dealer: seat 0", "first dealer: seat 1", r"line 10, deal 1: it says"),
        ("tie-at-32", "seat 1 is Ben\n", "", r"line 6: there must be a line like 'seat 1 is stead"),
        (
            "tie-at-32",
            "deal 2\n",
            "deal 3\n",
            r"line 29: it says 'deal 3', but it must be 'deal 2'",
        ),
        (
            "tie-at-32",
            "scores: 24 0 0\nseat",
            "scores: 9 0 0\nseat",
            r"line 30, deal 2: it says 'd",
        ),
        ("tie-at-32", "dealer: seat 1;", "dealer: seat 2;", r"line 30, deal 2: it says 'dealer: s"),
        (
            "tie-at-32",
            "seat 0 JS, seat 1 KC, seat 2 TC; seat 0",
            "seat 0 JS, seat 1 KC, seat 2 TC; seat 2",
            r"line 1\d\d, deal 7, trick 1: seat 0 wins the trick, not seat 2",
        ),
        (
            "tie-at-32",
            "the highest score, 32, is shared: another deal decides",
            "seat 0 wins the game",
            r"line 1\d\d, deal 6: it says 'seat 0 wins the game', but it must be 'the highest scor",
        ),
        (
            "tie-at-32",
            "seat 2 wins the",
            "seat 1 wins the",
            r"deal 8: it says 'seat 1 wins the game'",
        ),
        (
            "tie-at-32",
            "wins the game",
            "wins the game\ndeal 9",
            r"line 1\d\d: the game is over, bu",
        ),
        (
            "all-pass",
            "all pass, nobody scores\n",
            "",
            r"line 15, deal 1: it says 'scores: 0 0 0', ",
        ),
    ],
)
def test_a_wrong_text_is_refused_with_its_place(name: str, old: str, new: str, says: str) -> None:
    with pytest.raises(RecordError, match=says):
        read_record(changed(name, old, new))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "end of the record: a record begins with 'ghostsim game record 1' or"),
        ("hello", "line 1: a record begins with .*, not with 'hello'"),
        (
            "ghostsim deal record 1",
            "there must be a line like 'rules: standard', but the record ends",
        ),
        (
            "ghostsim game record 1\nrules: standard\n",
            "like 'first dealer: seat 0', but the record",
        ),
    ],
)
def test_a_text_that_is_no_record(text: str, says: str) -> None:
    with pytest.raises(RecordError, match=says):
        read_record(text)


#: What a slip of the pen may put into a line.
SLIPS = [
    "",
    " ",
    "0",
    "2",
    "-",
    ",",
    ";",
    ":",
    "#",
    "\n",
    "JC",
    "moon",
    "swaps",
    "revoke",
    "٣",
    "(",
]


@given(st.sampled_from([*DEALS, "all-pass"]), st.data())
def test_a_damaged_text_is_read_or_refused(name: str, data: st.DataObject) -> None:
    """Nothing but a RecordError comes of it; what is read all the same can be written again."""
    text = text_of(name)
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = start + data.draw(st.integers(0, 8))
        text = text[:start] + data.draw(st.sampled_from(SLIPS)) + text[end:]
    try:
        record = read_record(text)
    except RecordError:
        return
    assert read_record(record.text) == record


def test_the_other_kind() -> None:
    with pytest.raises(RecordError, match="this is the record of a game, not of a deal"):
        DealRecord.parse(text_of("all-pass"))
    with pytest.raises(RecordError, match="this is the record of a deal, not of a game"):
        GameRecord.parse(text_of("ordinary"))
    with pytest.raises(TypeError, match="a record is read from text, not from 3"):
        read_record(3)  # type: ignore[arg-type]


def test_a_seed_decides_which_revokes_are_found() -> None:
    record = DealRecord(
        DealState.replay(
            deal_of("ordinary").deal,
            2,
            "3 pass pass S JS QS TC AC JC",
            seed=1,
            revoke_detection=0.5,
        )
    )
    (revoke,) = record.state.revokes
    told, other = "found out", "not found out"
    if not revoke.found:
        told, other = other, told
    wrong = record.text.replace(f"(revoke, {told})", f"(revoke, {other})")
    assert wrong != record.text
    with pytest.raises(RecordError, match=f"by the lots of seed 1, deal 0, this revoke is {told}"):
        DealRecord.parse(wrong)


# -------------------------------------------------------------------------------------- wrong JSON

Change = Callable[[dict[str, Any]], object]


def set_to(value: object, *keys: str | int) -> Change:
    def change(values: dict[str, Any]) -> None:
        at: Any = values
        for key in keys[:-1]:
            at = at[key]
        at[keys[-1]] = value

    return change


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("ordinary", set_to(2, "version"), "version: only 1 can be read, not 2"),
        ("ordinary", set_to(True, "version"), "version: only 1 can be read, not True"),
        ("ordinary", set_to("chess", "format"), "format: must be 'ghostsim game record'|keys are"),
        ("ordinary", set_to(1, "moon"), "there is no key 'moon'; the keys are format, version,"),
        ("ordinary", lambda d: d.pop("deal"), "deal is missing; the keys are format, version"),
        ("ordinary", set_to(1, "rules", "moon"), "rules: there is no rule 'moon'"),
        ("ordinary", set_to(2, "rules", "min_bid"), "rules: min_bid must be 3 to 6, not 2"),
        ("ordinary", set_to([], "rules"), "rules: must be an object with the fields of Rules"),
        ("ordinary", set_to(1.5, "revoke_detection"), "deal: revoke_detection must be from 0 to 1"),
        ("ordinary", set_to(-1, "seed"), "deal: seed must be from 0"),
        ("ordinary", set_to("x", "seed"), "deal: seed must be a whole number, not 'x'"),
        (
            "ordinary",
            set_to(["a", "b"], "strategies"),
            "strategies: strategies must be three names",
        ),
        ("ordinary", set_to(["a", "b", ""], "strategies"), "strategies: a name must be text that"),
        ("ordinary", set_to([], "deal"), r"deal must be an object, \{...\}, not \[\]"),
        ("ordinary", set_to(3, "deal", "dealer"), "deal: dealer must be a seat 0, 1 or 2, not 3"),
        ("ordinary", set_to(1, "deal", "points"), r"deal.points: must be \[4, 1, 1\], not 1"),
        ("ordinary", set_to([5, 1, 0], "deal", "taken"), r"deal.taken: must be \[4, 1, 1\], not"),
        ("ordinary", set_to("4", "deal", "bid"), "deal.bid: must be \"3\", not '4'"),
        ("ordinary", set_to(1, "deal", "declarer"), "deal.declarer: must be 0, not 1"),
        ("ordinary", set_to(False, "deal", "declarer"), "deal.declarer: must be 0, not False"),
        ("ordinary", set_to("AS", "deal", "hands", 1), r"deal.hands\[1\]: .* 6 cards are needed"),
        ("ordinary", set_to(None, "deal", "hands"), "deal.hands: must be a list, not None"),
        ("ordinary", set_to("AS", "deal", "ghost"), "deal.ghost: .* 6 cards are needed"),
        ("ordinary", set_to(1, "deal", "ghost"), "deal.ghost: ghost must be text or cards, not 1"),
        ("ordinary", lambda d: d["deal"]["hands"].pop(), "deal.hands: a deal has three hands"),
        (
            "ordinary",
            set_to("3", "deal", "auction", 1, "bid"),
            r"deal.auction\[1\].bid: seat 1 can",
        ),
        (
            "ordinary",
            set_to(None, "deal", "auction", 1, "bid"),
            r"auction\[1\].bid: may be null aft",
        ),
        (
            "ordinary",
            set_to(0, "deal", "auction", 1, "swap"),
            r"auction\[1\].swap: must be true or",
        ),
        (
            "ordinary",
            set_to(2, "deal", "auction", 1, "seat"),
            r"auction\[1\].bid: seat 2 cannot pa",
        ),
        (
            "ordinary",
            set_to({}, "deal", "auction", 1),
            r"auction\[1\]: seat is missing; swap is mi",
        ),
        ("ordinary", set_to("X", "deal", "trump"), "deal.trump: trump 'X' is not a suit"),
        (
            "ordinary",
            set_to(None, "deal", "trump"),
            r"deal.tricks\[0\].leader: must be null, not 0",
        ),
        (
            "ordinary",
            set_to(1, "deal", "tricks", 0, "leader"),
            r"tricks\[0\].leader: must be 0, not",
        ),
        (
            "ordinary",
            set_to(1, "deal", "tricks", 0, "winner"),
            r"tricks\[0\].winner: must be 0, not",
        ),
        (
            "ordinary",
            set_to("JC", "deal", "tricks", 1, "cards", 1),
            r"deal.tricks\[1\].cards\[1\]: seat 1 cannot play JC: it must follow suit, clubs were",
        ),
        ("ordinary", set_to(7, "deal", "tricks", 1, "cards", 1), r"cards\[1\]: a card is written"),
        (
            "ordinary",
            set_to([], "deal", "tricks", 1, "cards"),
            r"tricks\[1\].cards: a trick has one",
        ),
        (
            "ordinary",
            set_to(["AC"], "deal", "tricks", 1, "cards"),
            r"tricks\[1\].winner: must be nu",
        ),
        (
            "ordinary",
            set_to({"leader": 0, "cards": ["AC"], "winner": None}, "deal", "tricks", 1),
            r"deal.tricks\[2\]: the trick before it has 1 cards, not 3",
        ),
        (
            "revoke-found",
            set_to([], "deal", "revokes"),
            r"tricks\[1\].cards\[1\]: JC is a revoke, ",
        ),
        ("revoke-found", set_to(2, "deal", "revokes", 0, "seat"), r"deal.revokes: must be \[\{"),
        (
            "revoke-found",
            set_to(3, "deal", "revokes", 0, "trick"),
            r"cards\[1\]: JC is a revoke, b",
        ),
        (
            "revoke-found",
            set_to(1, "deal", "revokes", 0, "found"),
            r"revokes\[0\].found: must be tr",
        ),
        ("revoke-found", set_to(None, "revoke_detection"), r"cards\[1\]: seat 1 cannot play JC"),
        ("tie-at-32", set_to(3, "first_dealer"), "first_dealer must be a seat 0, 1 or 2, not 3"),
        ("tie-at-32", set_to(1, "seed"), "seed and game come together"),
        ("tie-at-32", set_to(0, "winner"), "winner: must be 2, not 0"),
        ("tie-at-32", set_to([], "scores"), r"scores: must be \[\[24, 0, 0\], "),
        ("tie-at-32", set_to(2, "deals", 1, "dealer"), r"deals\[1\].dealer: must be 1, not 2"),
        (
            "tie-at-32",
            set_to([1, 0, 0], "deals", 1, "scores"),
            r"deals\[1\].scores: must be \[24, 0",
        ),
        (
            "tie-at-32",
            lambda d: d["deals"].append(d["deals"][0]),
            r"deals\[8\]: the game is over: s",
        ),
        (
            "tie-at-32",
            lambda d: d["deals"][2]["tricks"].pop(),
            r"deals\[2\].taken: must be \[0, 0, 5",
        ),
        ("tie-at-32", set_to({}, "deals"), r"deals: must be a list, not \{\}"),
    ],
)
def test_wrong_json_is_refused_with_its_place(name: str, change: Change, says: str) -> None:
    values = json.loads(read_record(text_of(name)).to_json())
    change(values)
    with pytest.raises(RecordError, match=says):
        read_record(json.dumps(values))


def test_facts_may_be_left_out_of_json() -> None:
    record = game_of("tie-at-32")
    values = record.to_dict()
    for key in ("scores", "winner", "seed", "game", "revoke_detection"):
        del values[key]
    for deal in values["deals"]:
        for key in ("ghost", "revokes", "declarer", "bid", "taken", "points"):
            del deal[key]
        for trick in deal["tricks"]:
            del trick["winner"]
    assert GameRecord.from_dict(values) == record


def test_a_deal_that_is_not_finished_must_be_the_last() -> None:
    values = game_of("all-pass").to_dict()
    del values["scores"]
    first = values["deals"][0]
    first["auction"].pop()
    first["points"] = None
    with pytest.raises(RecordError, match=r"deals\[1\]: the deal before it is not finished"):
        GameRecord.from_dict(values)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "JSON cannot be read: .*, line 1, column 2"),
        ('{"format": 1, "format": 2}', "JSON key 'format' comes twice"),
        ('{"version": 1' + "0" * 5000 + "}", "JSON cannot be read: "),
        ('{"deals": ' + "[" * 100_000, "JSON cannot be read: "),
        ("{}", "format is missing; version is missing"),
    ],
)
def test_json_that_is_no_record(text: str, says: str) -> None:
    with pytest.raises(RecordError, match=says):
        read_record(text)


# ---------------------------------------------------------------------------------- making records


def test_the_parts_of_a_game_record() -> None:
    record = game_of("tie-at-32")
    assert (record.is_over, record.current, len(record.finished)) == (True, None, 8)
    assert record.start == GameState()
    assert repr(record) == "<GameRecord: 8 deals, scores 35 35 45, won by seat 2>"
    with pytest.raises(TableError, match="the game is over"):
        record.state.next_deal(record.deals[0].deal)
    open_one = replace(record, deals=record.deals[:1])
    assert "not finished" in repr(open_one)
    with pytest.raises(TableError, match="the game has no seed to deal from"):
        open_one.next_deal()


def test_a_game_is_recorded_as_it_goes() -> None:
    record = GameRecord(seed=3, game=1, revoke_detection=0.5)
    state = record.next_deal()
    assert (state.seed, state.index, state.revoke_detection) == (3, 2**32, 0.5)
    assert state.deal == Deal.random(3, 2**32)
    record = record.with_deal(state)
    assert record.current == state == record.next_deal()
    record = record.with_deal(state.pass_turn())  # in place of what it was
    assert len(record.deals) == 1
    record = record.with_deal(state.act_all("pass pass pass"))
    assert (record.current, record.scores) == (None, ((0, 0, 0),))
    following = record.next_deal()
    assert (following.dealer, following.index) == (1, 2**32 + 1)
    assert len(record.with_deal(following).deals) == 2


@pytest.mark.parametrize(
    ("arguments", "kind", "says"),
    [
        ({"rules": "standard"}, TypeError, "rules must be a Rules"),
        ({"seed": 1}, TableError, "seed and game come together"),
        ({"game": 1}, TableError, "seed and game come together"),
        ({"seed": 1, "game": 1 << 32}, TableError, "game must be from 0"),
        ({"first_dealer": 3}, TableError, "first_dealer must be a seat"),
        ({"strategies": "odd"}, TypeError, "strategies must be three names, by seat, not 'odd'"),
        ({"strategies": ("a", "b")}, TableError, "strategies must be three names, by seat, not 2"),
        ({"strategies": ("a", "b", 1)}, TypeError, "strategies must be names, not 1"),
        ({"strategies": ("a", "b", "c\nd")}, TableError, r"a name must be text .*, not 'c\\nd'"),
        ({"strategies": ("a", "b", " c")}, TableError, "a name must be text that can be printed"),
        ({"revoke_detection": -1}, TableError, "revoke_detection must be from 0 to 1"),
    ],
)
def test_records_that_are_none(arguments: dict[str, Any], kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says):
        GameRecord(**arguments)


def test_deals_that_do_not_belong_to_a_game() -> None:
    deal = deal_of("ordinary").deal
    over = "pass pass pass"
    for deals_of_it, says in [
        ([DealState.replay(deal, 1, over)], "deal 1: the dealer is seat 0, not seat 1"),
        ([DealState.replay(deal, 0, over, Rules(min_bid=4))], "deal 1: the rules of the deal, min"),
        ([DealState.replay(deal, 0, over, seed=1)], "deal 1: it is deal 0 of seed 1, not None of"),
        (
            [DealState.replay(deal, 0, over, revoke_detection=1)],
            "deal 1: its revoke_detection is 1",
        ),
        (
            [DealState.replay(deal, 0, "pass"), DealState.replay(deal, 1, over)],
            "deal 1: points are counted when the deal is over",
        ),
        (
            [DealState.replay(deal, 0, over), DealState.replay(deal, 1, "", scores=(1, 0, 0))],
            "deal 2: the scores before the deal are 0 0 0, not 1 0 0",
        ),
    ]:
        with pytest.raises(TableError, match=says):
            GameRecord(deals=tuple(deals_of_it))
    with pytest.raises(TypeError, match="state must be a DealState"):
        DealRecord(deal)  # type: ignore[arg-type]


@settings(max_examples=20)
@given(rules)
def test_rules_travel_with_records(table: Rules) -> None:
    record = GameRecord(rules=table)
    assert GameRecord.parse(record.text).rules == table
    assert ("rules: standard" in record.text) == (table == STANDARD)
    assert GameRecord.parse(record.to_json()).rules == table


# ----------------------------------------------------------------------------------- docs/table.md

PAGE = (Path(__file__).parent.parent / "docs" / "table.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_record_on_the_page() -> None:
    (text,) = blocks("record")
    record = DealRecord.parse(text)
    assert record.text == text
    assert record.strategies == ("Ann", "Ben", "Cleo")
    assert record.state.deal == deal_of("swap").deal


def test_the_python_on_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    namespace: dict[str, Any] = {}
    for block in blocks("python"):
        exec(block, namespace)
    assert "what seat 1 knows" in capsys.readouterr().out
    assert namespace["record"].winner is not None


def test_the_error_on_the_page() -> None:
    with pytest.raises(RecordError) as caught:
        read_record(changed("ordinary", "seat 1 9C", "seat 1 JC"))
    assert str(caught.value) in " ".join(PAGE.split())


@pytest.mark.parametrize("name", ["revoke-found", "tie-at-32"])
def test_every_key_is_on_the_page(name: str) -> None:
    def keys_of(values: Any) -> set[str]:
        if isinstance(values, list):
            return set().union(*map(keys_of, values))
        if isinstance(values, dict):
            inner = (keys_of(value) for key, value in values.items() if key != "rules")
            return set(values).union(*inner)
        return set()

    for key in keys_of(read_record(text_of(name)).to_dict()):
        assert f"`{key}`" in PAGE or f'"{key}"' in PAGE, key


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_an_empty_record_is_said_to_be_one(text: str) -> None:
    with pytest.raises(RecordError, match=r"a record begins with .*, and there is nothing"):
        read_record(text)
