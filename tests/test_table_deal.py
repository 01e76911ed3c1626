"""The referee of one deal: what is allowed, what is not and why, what a seat may know.

The deal that most tests use, with spades as trump: seat 0 draws JS, cashes two aces, loses KS to
the left bower, ruffs KC and gives the last trick to AD. He takes 4, the others 1 each.
"""

import copy
import pickle
import random
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import oracle
from ghostsim.cards import Card, Hand, Suit
from ghostsim.deals import Deal, SeedError
from ghostsim.position import Position
from ghostsim.replay import review
from ghostsim.rules import STANDARD, VARIANTS, Bid, Rules
from ghostsim.table.chance import decision_word
from ghostsim.table.deal import DealState, OpenView, Revoke, TableError
from ghostsim.table.view import Trick, Turn, View
from strategies import DECK, deals, rules, seats, words

DEAL = Deal(("JS AS KS AH AC 9D", "JC QS 9C KC TH 9H", "AD KD QH JH TC QC"))
GHOST = "TS 9S KH QD JD TD"
PLAYS = "JS QS TC  AC 9C QC  AH 9H JH  KS JC QH  KC KD AS  9D TH AD"
#: Dealer 2, so that seat 0 has the first turn.
ORDINARY = f"3 pass pass S {PLAYS}"
#: Seat 0 takes all six tricks: trumps from the top, all but the nine.
SLAM = Deal(("JS JC AS KS QS TS", "9S KC QC AH KH QH", "AC TC 9C JH TH 9H"))
SLAM_PLAYS = "JS 9S 9C  JC QC TC  AS KC AC  KS QH 9H  QS KH TH  TS AH JH"

#: Texts of cards, to be read as a player would write them.
Cards = list[str]


def ordinary(actions: str = "", dealer: int = 2, rules: Rules = STANDARD, **more: Any) -> DealState:
    return DealState.replay(DEAL, dealer, actions, rules, **more)


def texts(cards: Any) -> Cards:
    return [str(card) for card in cards]


# -------------------------------------------------------------------------- a deal, step by step


def test_an_ordinary_deal() -> None:
    state = DealState.start(DEAL, dealer=2)
    assert (state.phase, state.to_act, state.first_bidder) == ("auction", 0, 0)
    assert state.legal_actions == ("swap", "pass", Bid.THREE, Bid.FOUR, Bid.FIVE, Bid.MOON)
    assert (state.bid, state.declarer, state.swapper, state.trump) == (None, None, None, None)
    assert (state.ghost, state.dead, state.legal) == (Hand(GHOST), None, ())

    state = state.make_bid(3)
    assert (state.to_act, state.bid, state.declarer) == (1, Bid.THREE, None)
    assert state.bids == (Bid.FOUR, Bid.FIVE, Bid.MOON)
    state = state.pass_turn().pass_turn()
    assert state.turns == (Turn(0, False, Bid.THREE), Turn(1, False, None), Turn(2, False, None))
    assert (state.phase, state.to_act, state.declarer) == ("trump", 0, 0)
    assert (state.legal_actions, state.bids, state.can_swap) == (tuple(Suit), (), False)

    state = state.name_trump("S")
    assert (state.phase, state.to_act, state.leader) == ("play", 0, 0)
    assert texts(state.hands[0]) == ["JS", "AS", "KS", "AC", "AH", "9D"]
    assert texts(state.hands[1]) == ["JC", "QS", "KC", "9C", "TH", "9H"]

    state = state.play("JS")
    assert (state.to_act, state.led, texts(state.legal)) == (1, Suit.SPADES, ["JC", "QS"])
    state = state.play("QS").play("TC")
    assert state.tricks == (Trick(0, (Card("JS"), Card("QS"), Card("TC")), 0),)
    assert (state.leader, state.trick, state.taken) == (0, (), (1, 0, 0))

    state = state.act_all("AC 9C QC AH 9H JH KS JC")
    assert (state.to_act, texts(state.trick), state.is_over) == (2, ["KS", "JC"], False)
    state = state.play("QH")
    assert (state.to_act, state.taken) == (1, (3, 1, 0))  # the left bower beats the king
    assert state.is_made is None
    with pytest.raises(
        TableError, match="points are counted when the deal is over: it is seat 1's"
    ):
        _ = state.points

    state = state.act_all("KC KD AS 9D TH AD")
    assert (state.phase, state.to_act, state.is_over) == ("over", None, True)
    assert (state.taken, state.points, state.is_made) == ((4, 1, 1), (4, 1, 1), True)
    assert (state.legal_actions, state.legal, state.hands) == ((), (), ((), (), ()))
    assert (state.leader, state.penalties, state.revokes) == (2, (0, 0, 0), ())
    assert texts(state.plays) == PLAYS.split()
    assert state == ordinary(ORDINARY)


def test_actions_of_every_kind_make_the_same_state() -> None:
    by_name = DealState.start(DEAL, 2).make_bid("3", seat=0).swap(seat=1).pass_turn(seat=1)
    by_name = by_name.make_bid(Bid.FOUR, seat=2).name_trump(Suit.DIAMONDS, seat=2)
    by_name = by_name.play(Card("AD"), seat=2)
    actions = (Bid.THREE, "swap", "pass", Bid.FOUR, Suit.DIAMONDS, Card("AD"))
    assert by_name.actions == actions
    assert DealState.start(DEAL, 2).act_all(by_name.actions) == by_name
    assert ordinary("3, SWAP, pass, 4, diamonds, ad") == by_name


def test_a_swap() -> None:
    state = ordinary("3 swap")
    assert (state.phase, state.to_act, state.has_swapped, state.swapper) == ("auction", 1, True, 1)
    assert state.legal_actions == ("pass", Bid.FOUR, Bid.FIVE, Bid.MOON)
    assert (state.ghost, state.dead) == (None, DEAL.hands[1])
    assert Hand(state.hands[1]) == Hand(GHOST)
    assert state.actions == (Bid.THREE, "swap")
    state = state.make_bid("moon")
    assert state.turns[-1] == Turn(1, True, Bid.MOON)
    assert (state.has_swapped, state.swapper) == (False, 1)
    assert state.pass_turn().declarer == 1
    assert state.deal == DEAL  # as dealt


def test_a_swap_under_a_moon_can_only_be_passed_on() -> None:
    state = ordinary("moon swap")
    assert state.legal_actions == ("pass",)
    assert state.pass_turn().pass_turn().declarer == 0


def test_all_pass() -> None:
    state = ordinary("swap pass pass pass")
    assert (state.is_over, state.all_passed, state.to_act) == (True, True, None)
    assert (state.points, state.taken) == ((0, 0, 0), (0, 0, 0))
    assert (state.declarer, state.bid, state.is_made) == (None, None, None)
    assert state.legal_actions == ()


@pytest.mark.parametrize(
    ("actions", "do", "says"),
    [
        ("", lambda s: s.name_trump("S"), "no time to name trump: it is seat 0's turn to pass or"),
        ("", lambda s: s.play("JS"), "no time to play a card: it is seat 0's turn to pass or bid"),
        ("", lambda s: s.pass_turn(seat=1), "seat 1 cannot pass: it is seat 0's turn to pass or"),
        ("", lambda s: s.make_bid(7), "bid 7 is not a bid"),
        ("", lambda s: s.make_bid("two"), "bid 'two' is not a bid"),
        (
            "4",
            lambda s: s.make_bid(4),
            "seat 1 cannot bid 4: a bid must exceed the standing one, 4",
        ),
        (
            "4",
            lambda s: s.make_bid(3),
            "seat 1 cannot bid 3: a bid must exceed the standing one, 4",
        ),
        ("moon", lambda s: s.make_bid("moon"), "must exceed the standing one, moon"),
        ("swap", lambda s: s.swap(), "seat 0 has swapped and must now pass or bid"),
        ("swap", lambda s: s.play("JS"), "no time to play a card: seat 0 has swapped and must now"),
        (
            "swap pass",
            lambda s: s.swap(),
            "seat 1 cannot swap: seat 0 has swapped, and there is one swap a deal",
        ),
        ("pass pass 3", lambda s: s.swap(), "no time to swap: seat 2 has to name trump"),
        ("pass pass 3", lambda s: s.make_bid(4), "no time to bid: seat 2 has to name trump"),
        ("pass pass 3", lambda s: s.name_trump("X"), "trump 'X' is not a suit"),
        ("pass pass 3", lambda s: s.name_trump("S", seat=0), "seat 0 cannot name trump: seat 2"),
        ("3 pass pass S", lambda s: s.pass_turn(), "no time to pass: it is seat 0's turn to play"),
        ("3 pass pass S", lambda s: s.play("QS"), "seat 0 does not hold QS; it holds JS AS KS AC"),
        ("3 pass pass S", lambda s: s.play("1S"), "'1S' is not a card"),
        (
            "3 pass pass S",
            lambda s: s.play("JS", seat=1),
            "seat 1 cannot play a card: it is seat 0",
        ),
        ("3 pass pass S JS", lambda s: s.play("JS"), "JS has been played already"),
        ("3 pass pass S JS QS TC", lambda s: s.play("QS"), "QS has been played already"),
        (
            "3 pass pass S JS",
            lambda s: s.play("9H"),
            "seat 1 cannot play 9H: it must follow suit, spades were led and it holds JC QS; "
            "JC is the left bower, a spade",
        ),
        (
            "3 pass pass S JS QS TC AC",
            lambda s: s.play("JC"),
            "seat 1 cannot play JC: it must follow suit, clubs were led and it holds KC 9C; "
            "JC is the left bower, a spade",
        ),
        (
            "3 pass pass S JS QS TC AC",
            lambda s: s.play("TH"),
            "seat 1 cannot play TH: it must follow suit, clubs were led and it holds KC 9C$",
        ),
        ("3 pass pass S", lambda s: s.play("JS", found=True), "JS of seat 0 is no revoke"),
        ("pass pass pass", lambda s: s.make_bid(3), "no time to bid: the deal is over"),
        ("pass pass pass", lambda s: s.swap(), "no time to swap: the deal is over"),
        (ORDINARY, lambda s: s.play("JS"), "no time to play a card: the deal is over"),
        ("", lambda s: s.pass_turn(seat=3), "seat must be a seat 0, 1 or 2, not 3"),
        ("3 pass pass S", lambda s: s.view(-1), "seat must be a seat 0, 1 or 2, not -1"),
    ],
)
def test_what_is_illegal_says_which_rule(
    actions: str, do: Callable[[DealState], object], says: str
) -> None:
    state = ordinary(actions)
    with pytest.raises(TableError, match=says):
        do(state)


def test_texts_of_actions_are_read_by_phase() -> None:
    with pytest.raises(TableError, match="action 2, S: bid 'S' is not a bid"):
        ordinary("3 S")
    with pytest.raises(TableError, match="action 4, 3S: trump '3S' is not a suit"):
        ordinary("3 pass pass 3S")
    with pytest.raises(TableError, match=r"action 7, AS: seat 2 does not hold AS"):
        ordinary("3 pass pass S JS QS AS")
    with pytest.raises(TypeError, match=r"an action must be 'swap'.* not 3"):
        ordinary("").act(3)  # type: ignore[arg-type]  # a number might be a bid or a suit


@pytest.mark.parametrize(
    ("arguments", "kind", "says"),
    [
        ({"deal": "JS"}, TypeError, "deal must be a Deal, not 'JS'"),
        ({"dealer": 3}, TableError, "dealer must be a seat 0, 1 or 2, not 3"),
        ({"dealer": "0"}, TypeError, "dealer must be a seat 0, 1 or 2, not '0'"),
        ({"dealer": True}, TypeError, "dealer must be a seat"),
        ({"rules": "standard"}, TypeError, "rules must be a Rules"),
        ({"scores": (1, 2)}, TableError, "scores must be three whole numbers, by seat, not 2"),
        ({"scores": (1, 2, 0.5)}, TypeError, "scores must be three whole numbers, not 0.5"),
        ({"scores": "000"}, TypeError, "scores must be three whole numbers, by seat, not '000'"),
        ({"seed": -1}, SeedError, "seed must be from 0"),
        ({"seed": 1, "index": 1 << 64}, SeedError, "index must be from 0"),
        ({"index": 1}, TableError, "index 1 is a deal of a seed: give the seed too"),
        ({"revoke_detection": 1.5}, TableError, "revoke_detection must be from 0 to 1"),
        ({"revoke_detection": float("nan")}, TableError, "revoke_detection must be from 0 to 1"),
        ({"revoke_detection": 10**400}, TableError, "revoke_detection must be from 0 to 1"),
        ({"revoke_detection": True}, TypeError, "revoke_detection must be a number"),
        ({"revoke_detection": "0.5"}, TypeError, "revoke_detection must be a number"),
    ],
)
def test_a_start_that_is_none(arguments: dict[str, Any], kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says):
        DealState.start(**{"deal": DEAL, "dealer": 0, **arguments})


# ---------------------------------------------------------------------------------- every rule


@pytest.mark.parametrize("dealer", [0, 1, 2])
def test_the_first_turn(dealer: int) -> None:
    left, right = (dealer + 1) % 3, (dealer + 2) % 3
    after = [turn.seat for turn in ordinary("pass pass pass", dealer).turns]
    assert after == [left, right, dealer]
    first = [turn.seat for turn in ordinary("pass pass pass", dealer, DEALER_FIRST).turns]
    assert first == [dealer, left, right]


DEALER_FIRST = Rules(first_bidder="dealer")
STUCK = Rules(all_pass="dealer_bids")


def test_a_stuck_dealer_takes_the_lowest_bid() -> None:
    state = ordinary("pass pass pass", 2, STUCK)
    assert (state.phase, state.to_act) == ("trump", 2)
    assert (state.bid, state.declarer, state.all_passed) == (Bid.THREE, 2, False)
    assert [turn.bid for turn in state.turns] == [None, None, None]
    view = state.view(2)
    assert (view.bid, view.declarer) == (Bid.THREE, 2)
    assert ordinary("pass pass pass", 2, STUCK.replace(min_bid=5)).bid is Bid.FIVE
    # He may also bid, and others may.
    assert ordinary("pass pass 4", 2, STUCK).bid is Bid.FOUR
    assert ordinary("pass 3 pass", 2, STUCK).declarer == 1
    # Also if he has the first turn: nobody else has bid, so it is his.
    both = STUCK.replace(first_bidder="dealer")
    assert ordinary("pass pass pass", 1, both).declarer == 1


def test_a_stuck_dealer_is_told_so() -> None:
    assert not ordinary("pass", 2, STUCK).view(2).must_bid
    assert ordinary("pass pass", 2, STUCK).view(2).must_bid
    assert not ordinary("pass 3", 2, STUCK).view(2).must_bid
    assert not ordinary("pass pass", 2).view(2).must_bid


def test_the_lowest_bid() -> None:
    state = ordinary("", rules=Rules(min_bid=5))
    assert state.legal_actions == ("swap", "pass", Bid.FIVE, Bid.MOON)
    with pytest.raises(TableError, match="seat 0 cannot bid 4: the lowest bid is 5"):
        state.make_bid(4)
    only = ordinary("", rules=Rules(min_bid=6))
    assert only.legal_actions == ("swap", "pass", Bid.MOON)


def test_no_swap() -> None:
    state = ordinary("", rules=Rules(swaps_per_deal=0))
    assert "swap" not in state.legal_actions
    assert not state.can_swap
    assert not state.view(0).can_swap
    with pytest.raises(TableError, match=r"seat 0 cannot swap: the rules allow no swap"):
        state.swap()


@pytest.mark.parametrize(
    ("changes", "bid", "points"),
    [
        # Seat 0 takes 4, the others 1 each.
        ({}, "3", (4, 1, 1)),
        ({}, "4", (4, 1, 1)),
        ({}, "5", (-5, 1, 1)),
        ({}, "moon", (-6, 1, 1)),
        ({"moon_set_points": 24}, "moon", (-24, 1, 1)),
        ({"moon_set_points": 0}, "moon", (0, 1, 1)),
        ({"set_keeps_tricks": True}, "5", (-1, 1, 1)),
        ({"set_keeps_tricks": True}, "moon", (-2, 1, 1)),
        ({"set_keeps_tricks": True}, "4", (4, 1, 1)),
        ({"defenders_score": False}, "4", (4, 0, 0)),
        ({"defenders_score": False}, "5", (-5, 0, 0)),
        ({"moon_points": 12}, "4", (4, 1, 1)),
    ],
)
def test_points(changes: dict[str, Any], bid: str, points: tuple[int, int, int]) -> None:
    state = ordinary(f"{bid} pass pass S {PLAYS}", rules=Rules(**changes))
    assert state.points == points
    assert state.scores_after == points
    assert sum(state.taken) == 6


@pytest.mark.parametrize(
    ("changes", "bid", "points"),
    [
        ({}, "moon", (24, 0, 0)),
        ({}, "5", (6, 0, 0)),
        ({"moon_points": 12}, "moon", (12, 0, 0)),
        ({"moon_points": 12}, "5", (6, 0, 0)),
    ],
)
def test_all_six_tricks(changes: dict[str, Any], bid: str, points: tuple[int, int, int]) -> None:
    state = DealState.replay(SLAM, 2, f"{bid} pass pass S {SLAM_PLAYS}", Rules(**changes))
    assert (state.taken, state.points, state.is_made) == ((6, 0, 0), points, True)


def test_scores_may_be_negative() -> None:
    state = ordinary(f"5 pass pass S {PLAYS}", scores=(-30, 31, 0))
    assert state.scores_after == (-35, 32, 1)


#: What all that a variant changes comes to, in a deal whose dealer is seat 0.
PLAYED_VARIANTS: dict[str, tuple[str, int | None, tuple[int, int, int]]] = {
    # actions before the play; declarer; points
    "standard": ("swap pass pass pass", None, (0, 0, 0)),
    "stuck-dealer": (f"pass pass pass S {PLAYS}", 0, (4, 1, 1)),
    "dealer-first": (f"4 pass pass S {PLAYS}", 0, (4, 1, 1)),
    "half-moon": (f"pass pass moon S {PLAYS}", 0, (-6, 1, 1)),
    "double-or-nothing": (f"pass pass moon S {PLAYS}", 0, (-24, 1, 1)),
    "no-swap": (f"3 pass 4 S {PLAYS}", 0, (4, 1, 1)),
    "silent-defenders": (f"3 pass 5 S {PLAYS}", 0, (-5, 0, 0)),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_is_played(name: str) -> None:
    actions, declarer, points = PLAYED_VARIANTS[name]
    state = ordinary(actions, 0, VARIANTS[name])
    assert (state.is_over, state.declarer, state.points) == (True, declarer, points)
    assert str(state.rules) in state.table() or name == "standard"


# ------------------------------------------------------------------------------------- revokes

REVOKE = "3 pass pass S JS QS TC AC"


def test_a_revoke_stands_and_costs_when_found() -> None:
    state = ordinary(REVOKE, revoke_detection=0.5).play("JC", found=True)
    assert state.revokes == (Revoke(seat=1, trick=2, card=Card("JC"), found=True),)
    with pytest.raises(TableError, match=r"seat 1 has revoked in this trick, with JC: there is a"):
        _ = state.position
    state = state.play("QC")
    assert state.taken == (1, 1, 0)
    assert state.position.to_play == 1  # there is one again
    state = state.act_all("KC KD KS  AH 9H JH  AS 9C QH  9D TH AD")
    assert (state.taken, state.penalties, state.points) == ((4, 1, 1), (0, 2, 0), (4, -1, 1))


@pytest.mark.parametrize(("penalty", "points"), [(0, (4, 1, 1)), (2, (4, -1, 1)), (9, (4, -8, 1))])
def test_the_penalty(penalty: int, points: tuple[int, int, int]) -> None:
    state = ordinary(REVOKE, rules=Rules(revoke_penalty=penalty), revoke_detection=1.0)
    state = state.act_all("JC QC KC KD KS AH 9H JH AS 9C QH 9D TH AD")
    assert state.points == points


def test_a_revoke_that_is_not_found_costs_nothing() -> None:
    state = ordinary(REVOKE, revoke_detection=0.5).play("JC", found=False)
    state = state.act_all("QC KC KD KS AH 9H JH AS 9C QH 9D TH AD")
    assert [revoke.found for revoke in state.revokes] == [False]
    assert (state.penalties, state.points) == ((0, 0, 0), (4, 1, 1))


def test_every_revoke_found_costs() -> None:
    state = ordinary("3 pass pass S", revoke_detection=1.0)
    state = state.act_all("JS QS TC  AH TH QC  AC 9C KD")  # seat 2 holds QH JH
    assert [(r.seat, r.trick, str(r.card)) for r in state.revokes] == [(2, 2, "QC")]
    state = state.act_all("KS JC QH  9H")  # a lead is never a revoke
    assert len(state.revokes) == 1
    state = state.act_all("AD AS  9D KC JH")  # seat 2 holds JH still
    assert [(r.seat, r.trick, str(r.card)) for r in state.revokes][1:] == [(2, 5, "AD")]
    assert (state.taken, state.penalties, state.points) == ((5, 1, 0), (0, 0, 4), (5, 1, -4))


def test_revokes_are_found_by_lot() -> None:
    """Card 4 of the play has decision number 25 + 4; its word, as a fraction, is told here."""
    found = 0
    for index in range(400):
        state = ordinary(REVOKE, seed=5, index=index, revoke_detection=0.25).play("JC")
        (revoke,) = state.revokes
        fraction = (decision_word(5, index, 29) >> 11) / 2**53
        assert revoke.found == (fraction < 0.25)
        found += revoke.found
    assert 70 <= found <= 130  # 100 expected, standard deviation 8.7


def test_revokes_at_certain_tables() -> None:
    never, always = (ordinary(REVOKE, revoke_detection=chance) for chance in (0, 1))
    assert [revoke.found for revoke in never.play("JC").revokes] == [False]
    assert [revoke.found for revoke in always.play("JC").revokes] == [True]
    with pytest.raises(TableError, match="revoke_detection=0 a revoke is not found out"):
        never.play("JC", found=True)
    with pytest.raises(TableError, match="revoke_detection=1 a revoke is found out"):
        always.play("JC", found=False)


def test_with_a_seed_it_is_always_by_lot() -> None:
    state = ordinary(REVOKE, seed=5, revoke_detection=0.5)
    by_lot = state.play("JC").revokes[0].found
    assert state.play("JC", found=by_lot) == state.play("JC")
    with pytest.raises(TableError, match="by the lots of seed 5, deal 0, this revoke is"):
        state.play("JC", found=not by_lot)


def test_the_led_left_bower_asks_for_trumps() -> None:
    # Hearts are trump, JD is the left bower. Seat 2 has diamonds but no heart: it is free.
    deal = Deal(("JD AH KH AC 9C 9D", "JH QH AD KS QS TC", "KD QD AS TS KC QC"))
    state = DealState.replay(deal, 2, "3 pass pass H JD")
    assert state.led is Suit.HEARTS
    assert texts(state.legal) == ["JH", "QH"]
    assert len(state.play("JH").legal) == 6
    assert state.play("JH").play("QC").leader == 1


# ------------------------------------------------------------------- positions, for the solver


def test_positions() -> None:
    state = ordinary("3 pass pass S")
    assert state.position == state.opening
    assert state.opening == Position(DEAL.hands, "S", declarer=0, bid=3)
    middle = state.act_all("JS QS TC AC")
    assert middle.position == state.opening.play_all(middle.plays)
    assert middle.opening == state.opening
    over = ordinary(ORDINARY)
    assert over.position == over.opening.play_all(over.plays)
    assert over.position.points() == (4, 1, 1)


def test_the_opening_comes_after_the_swap() -> None:
    state = ordinary("3 swap pass pass S JS")
    assert Hand(state.opening.hands[1]) == Hand(GHOST)
    assert state.position == state.opening.play("JS")


@pytest.mark.parametrize("actions", ["", "3 pass pass", "pass pass pass"])
def test_no_position_before_the_play(actions: str) -> None:
    state = ordinary(actions)
    with pytest.raises(TableError, match="there is no position, no card has been led"):
        _ = state.position
    with pytest.raises(TableError, match="there is no position, no card has been led"):
        _ = state.opening


def test_a_finished_hand_is_reviewed() -> None:
    state = ordinary(ORDINARY)
    played = review(state.opening, state.plays)
    assert played.end.points() == state.points
    assert len(played.plays) == 18


# ---------------------------------------------------------------------------------- every step

#: What a player picks at each step, and whether he would rather revoke.
choices = st.lists(st.tuples(st.integers(0, 99), st.booleans()), min_size=25, max_size=25)


def stepped(state: DealState, choice: tuple[int, bool]) -> DealState:
    """The state after one of the actions, or of the revokes if one is wanted and stands."""
    number, revokes = choice
    if state.phase == "play" and state.to_act is not None and state.revoke_detection is not None:
        broken = [card for card in state.hands[state.to_act] if card not in state.legal]
        if revokes and broken:
            return state.play(broken[number % len(broken)])
    return state.act(state.legal_actions[number % len(state.legal_actions)])


@st.composite
def starts(draw: st.DrawFn, table: st.SearchStrategy[Rules] = rules) -> DealState:
    seed = draw(st.none() | words)
    return DealState.start(
        draw(deals()),
        draw(seats),
        draw(table),
        scores=draw(st.tuples(*[st.integers(-100, 100)] * 3)),
        seed=seed,
        index=None if seed is None else draw(words),
        revoke_detection=draw(st.none() | st.floats(0, 1)),
    )


@st.composite
def states(draw: st.DrawFn) -> DealState:
    """Any moment of any deal."""
    state = draw(starts())
    for choice in draw(choices)[: draw(st.integers(0, 25))]:
        if state.is_over:
            break
        state = stepped(state, choice)
    return state


def expected_points(state: DealState) -> list[int]:
    """The points of a finished deal, counted by hand from its cards."""
    if all(turn.bid is None for turn in state.turns) and state.rules.all_pass == "redeal":
        return [0, 0, 0]
    bids = [(int(turn.bid), turn.seat) for turn in state.turns if turn.bid is not None]
    bid, declarer = max(bids, default=(state.rules.min_bid, state.dealer))
    assert state.trump is not None
    trump, leader, taken = state.trump.letter, declarer, [0, 0, 0]
    cards = texts(state.plays)
    for first in range(0, 18, 3):
        leader = oracle.trick_winner(cards[first : first + 3], leader, trump)
        taken[leader] += 1
    points = [count if state.rules.defenders_score else 0 for count in taken]
    points[declarer] = oracle.declarer_points(
        bid,
        taken[declarer],
        state.rules.moon_points,
        state.rules.moon_set_points,
        state.rules.set_keeps_tricks,
    )
    for revoke in state.revokes:
        points[revoke.seat] -= state.rules.revoke_penalty * revoke.found
    return points


@given(starts(), choices)
def test_sums_hold_after_every_step(state: DealState, picks: list[tuple[int, bool]]) -> None:
    for choice in picks:
        held = [card for hand in state.hands for card in hand]
        out = state.ghost or state.dead
        assert out is not None
        everywhere = [*held, *out, *state.plays]
        assert sorted(card.index for card in everywhere) == list(DECK)
        assert sum(state.taken) == len(state.tricks) == len(state.plays) // 3
        assert (state.ghost is None) == (state.swapper is not None)
        for seat, hand in enumerate(state.hands):
            assert len(hand) + len(state.tricks) + (seat in played_now(state)) == 6
        assert sum(turn.swapped for turn in state.turns) <= state.rules.swaps_per_deal
        if state.is_over:
            break
        state = stepped(state, choice)
    assert state.is_over  # after a swap, three turns, trump and 18 cards at most
    assert state.points == tuple(expected_points(state))
    if not state.all_passed:
        assert sum(state.taken) == 6


def played_now(state: DealState) -> list[int]:
    """The seats that have played to the current trick."""
    return [] if state.leader is None else [(state.leader + i) % 3 for i in range(len(state.trick))]


@given(starts(), choices)
def test_legal_actions_are_those_that_do_not_raise(
    state: DealState, picks: list[tuple[int, bool]]
) -> None:
    everything = ["swap", "pass", *Bid, *Suit, *map(Card.from_index, DECK)]
    state = DealState.start(state.deal, state.dealer, state.rules)
    for choice in picks[::2]:
        allowed = []
        for action in everything:
            try:
                state.act(action)
            except TableError:
                continue
            allowed.append(action)
        assert {(type(a), a) for a in allowed} == {(type(a), a) for a in state.legal_actions}
        if state.is_over:
            break
        state = stepped(state, choice)


@given(states())
def test_a_state_is_what_its_actions_make(state: DealState) -> None:
    start = DealState.start(
        state.deal,
        state.dealer,
        state.rules,
        scores=state.scores,
        seed=state.seed,
        index=state.index,
        revoke_detection=state.revoke_detection,
    )
    assert start.act_all(state.actions) == state
    assert pickle.loads(pickle.dumps(state)) == state == copy.deepcopy(state)
    assert hash(state) == hash(copy.deepcopy(state))
    assert eval(repr(state), {"DealState": DealState, "Deal": Deal, "Rules": Rules}) == state


@given(states(), seats)
def test_seats_are_symmetric(state: DealState, by: int) -> None:
    """The same deal a seat or two further on: everything moves along."""
    first, second, third = ((seat - by) % 3 for seat in range(3))
    hands = state.deal.hands
    moved = DealState.replay(
        Deal((hands[first], hands[second], hands[third])),
        (state.dealer + by) % 3,
        [],
        state.rules,
        revoke_detection=state.revoke_detection and 1.0,
    ).act_all(state.actions)
    assert moved.taken == tuple(state.taken[seat] for seat in (first, second, third))
    assert moved.phase == state.phase
    if state.to_act is not None:
        assert moved.to_act == (state.to_act + by) % 3
    if state.is_over and not state.revokes:
        assert moved.points == tuple(state.points[seat] for seat in (first, second, third))


# ------------------------------------------------------------------------------ what a seat knows


def test_a_view_in_the_auction() -> None:
    state = ordinary("3 swap", seed=4, index=9)
    mine, other = state.view(1), state.view(2)
    assert Hand(mine.hand) == Hand(GHOST)
    assert mine.dead == DEAL.hands[1]
    assert (mine.bid, mine.declarer, mine.trump) == (Bid.THREE, None, None)
    assert mine.bids == (Bid.FOUR, Bid.FIVE, Bid.MOON)
    assert not mine.can_swap
    assert other.dead is None
    assert Hand(other.hand) == DEAL.hands[2]
    assert other.turns == (Turn(0, False, Bid.THREE),)


def test_a_view_in_the_play() -> None:
    state = ordinary("3 swap pass pass S JS TS TC AC", scores=(1, 2, 3))
    view = state.view(1)
    assert (view.seat, view.dealer, view.scores) == (1, 2, (1, 2, 3))
    assert (view.trump, view.leader, texts(view.trick)) == (Suit.SPADES, 0, ["AC"])
    assert texts(view.hand) == ["9S", "KH", "QD", "JD", "TD"]
    assert view.legal == view.hand  # no club
    assert view.tricks == state.tricks
    assert view.turns == (Turn(0, False, Bid.THREE), Turn(1, True, None), Turn(2, False, None))
    assert not view.revokes_allowed
    assert len(view.unseen) == 24 - 5 - 6 - 4
    assert ordinary("", revoke_detection=0.0).view(0).revokes_allowed


def test_words_belong_to_decisions() -> None:
    """The numbers of the decisions are part of the format of seeds: see ``table/chance.py``."""
    state = ordinary("", seed=4, index=9)
    assert state.view(0, swap=True).word == decision_word(4, 9, 0)
    assert state.view(0).word == decision_word(4, 9, 1)
    assert state.view(1).word == state.view(2).word == 0  # a lot is its own seat's affair
    state = state.act_all("3 swap")
    assert state.view(1).word == decision_word(4, 9, 3)
    state = state.act_all("pass pass")
    assert state.view(0).word == decision_word(4, 9, 6)
    state = state.act_all("S JS")
    assert state.view(1).word == decision_word(4, 9, 8)
    assert ordinary("").view(0).word == decision_word(0, 0, 1)  # without a seed
    assert ordinary("pass pass pass").view(0).word == 0


def test_an_open_view() -> None:
    state = ordinary("3")
    view = state.open_view(1, swap=True)
    assert isinstance(view, OpenView)
    assert isinstance(view, View)
    assert view.state is state
    assert str(view) == str(state)
    closed = state.view(1, swap=True)
    assert {name: getattr(view, name) for name in vars(closed)} == vars(closed)
    assert not hasattr(closed, "state")


@given(states(), seats, st.randoms(use_true_random=False))
def test_hidden_cards_change_no_view(state: DealState, seat: int, lots: random.Random) -> None:
    """Any other cards where the seat does not see: the same actions, the same view."""
    view = state.view(seat)
    hidden = list(view.unseen)
    shuffled = hidden.copy()
    lots.shuffle(shuffled)
    becomes = dict(zip(hidden, shuffled, strict=True))
    hands = [[becomes.get(card, card) for card in hand] for hand in state.deal.hands]
    # Whether a card was a revoke may depend on what is hidden: the view does not tell.
    detection = state.revoke_detection
    try:
        other = DealState.replay(
            Deal(hands),
            state.dealer,
            state.actions,
            state.rules,
            scores=state.scores,
            seed=state.seed,
            index=state.index,
            revoke_detection=detection,
        )
    except TableError as error:
        assert detection is None
        assume("must follow suit" not in str(error))  # a seat that showed out now has the suit
        raise
    assert other.view(seat) == view
    assert repr(other.view(seat)) == repr(view)
    assert str(other.view(seat)) == str(view)
    assert other.view(seat, swap=True) == state.view(seat, swap=True)


@given(states(), seats)
def test_a_view_shows_what_its_seat_has_seen(state: DealState, seat: int) -> None:
    view = state.view(seat)
    mine = set(view.hand) | set(state.plays) | set(view.dead or ())
    assert set(view.unseen) == set(map(Card.from_index, DECK)) - mine
    assert (view.dead is not None) == (seat == state.swapper)
    if seat == state.to_act:
        assert view.legal == state.legal or state.phase != "play"
        assert view.bids == state.bids or state.phase != "auction"
        assert view.can_swap == state.can_swap or state.phase != "auction"
    assert view.taken == state.taken


# ------------------------------------------------------------------------------------ in writing


def test_a_table_in_writing() -> None:
    state = ordinary("3 swap pass pass S JS TS", scores=(12, 8, -3))
    assert state.table(symbols=False) == (
        "dealer: seat 2; scores: seat 0 has 12, seat 1 has 8, seat 2 has -3\n"
        "auction: seat 0 bids 3; seat 1 swaps, passes; seat 2 passes\n"
        "spades are trump, seat 0 declares, bid 3\n"
        "\n"
        "  seat 0  AS KS AC AH 9D\n"
        "  seat 1  9S KH QD JD TD\n"
        "> seat 2  QC TC QH JH AD KD\n"
        "  dead    QS KC JC 9C TH 9H (of seat 1)\n"
        "\n"
        "trick 1: seat 0 JS, seat 1 TS\n"
        "tricks: seat 0 has 0, seat 1 has 0, seat 2 has 0\n"
        "\n"
        "it is seat 2's turn to play"
    )
    assert "> seat 2  Q♣ 10♣ Q♥ J♥ A♦ K♦\n" in state.table(symbols=True)


def test_a_table_before_anything_has_happened() -> None:
    assert ordinary("").table(symbols=False) == (
        "dealer: seat 2; scores: seat 0 has 0, seat 1 has 0, seat 2 has 0\n"
        "auction: nobody has had a turn\n"
        "\n"
        "> seat 0  AS KS JS AC AH 9D\n"
        "  seat 1  QS KC JC 9C TH 9H\n"
        "  seat 2  QC TC QH JH AD KD\n"
        "  ghost   TS 9S KH QD JD TD\n"
        "\n"
        "it is seat 0's turn to pass or bid"
    )


def test_ends_in_writing() -> None:
    assert (
        ordinary(ORDINARY)
        .table(False)
        .endswith(
            "tricks: seat 0 has 4, seat 1 has 1, seat 2 has 1\n"
            "\n"
            "the deal is over: the bid is made; points: seat 0 +4, seat 1 +1, seat 2 +1"
        )
    )
    assert "the bid is set; points: seat 0 -5" in ordinary(f"5 pass pass S {PLAYS}").table(False)
    assert ordinary("pass pass pass").table(False).endswith("over: all passed, nobody scores")
    assert "seat 0 declares, bid 3\n" in ordinary("3 pass pass").table(False)
    assert "seat 0 has swapped and must now pass or bid" in ordinary("swap").table(False)


def test_a_revoke_in_writing() -> None:
    state = ordinary(REVOKE, revoke_detection=0.5).play("JC", found=True)
    assert "trick 2: seat 0 AC, seat 1 JC (revoke, found out)\n" in state.table(False)
    state = ordinary(REVOKE, revoke_detection=0.5).play("JC", found=False)
    assert "seat 1 JC (revoke, not found out)\n" in state.table(False)
    assert "revoke" not in str(state.view(0)).replace("revokes", "")


def test_a_view_in_writing() -> None:
    view = ordinary("3 swap pass pass S JS TS TC AC", rules=Rules(target=20)).view(1)
    assert view.table(symbols=False) == (
        "what seat 1 knows\n"
        "dealer: seat 2; scores: seat 0 has 0, seat 1 has 0, seat 2 has 0\n"
        "rules: target=20\n"
        "auction: seat 0 bids 3; seat 1 swaps, passes; seat 2 passes\n"
        "spades are trump, seat 0 declares, bid 3\n"
        "\n"
        "its hand  9S KH QD JD TD\n"
        "its dead hand  QS KC JC 9C TH 9H\n"
        "\n"
        "trick 1: seat 0 JS, seat 1 TS, seat 2 TC; seat 0 wins\n"
        "trick 2: seat 0 AC\n"
        "tricks: seat 0 has 1, seat 1 has 0, seat 2 has 0"
    )


@pytest.mark.parametrize(("encoding", "shown"), [("utf-8", "A♠"), ("ascii", "AS")])
def test_symbols_where_they_can_be_printed(
    encoding: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Output:
        pass

    output = Output()
    output.encoding = encoding  # type: ignore[attr-defined]
    monkeypatch.setattr(sys, "stdout", output)
    state, view = ordinary(""), ordinary("").view(0)
    texts_of_both = str(state), str(view)
    monkeypatch.undo()
    assert all(shown in text for text in texts_of_both)


def test_the_repr_can_be_typed_in() -> None:
    state = ordinary("3 swap pass 4 D AD", scores=(1, 2, 3), seed=1, revoke_detection=0.5)
    assert repr(state).endswith(
        ", 2, '3 swap pass 4 D AD', scores=(1, 2, 3), seed=1, index=0, revoke_detection=0.5)"
    )
