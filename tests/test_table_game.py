"""The referee of a game, and strategies at its table.

The deal that most tests use is that of tests/test_table_deal.py: with spades as trump and the
cards as told, seat 0 takes 4 tricks, the others 1 each.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostsim.cards import Card, Suit
from ghostsim.deals import Deal, SeedError
from ghostsim.rules import STANDARD, VARIANTS, Bid, Rules
from ghostsim.strategies import find_strategy
from ghostsim.table.chance import _mix, decision_word
from ghostsim.table.deal import DealState, OpenView, TableError
from ghostsim.table.game import (
    GameState,
    check_table,
    deal_index,
    finish_deal,
    next_action,
    play_deal,
    play_game,
    resume_game,
)
from ghostsim.table.record import GameRecord
from ghostsim.table.view import View
from strategies import seats, words

DEAL = Deal(("JS AS KS AH AC 9D", "JC QS 9C KC TH 9H", "AD KD QH JH TC QC"))
PLAYS = "JS QS TC  AC 9C QC  AH 9H JH  KS JC QH  KC KD AS  9D TH AD"


@dataclass(frozen=True)
class Lots:
    """Every choice by lot; now and then a revoke where it stands."""

    name: str = "lots"

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


@dataclass(frozen=True)
class Trumps:
    """Bids three if it has four trumps, plays its first legal card: games that end."""

    name: str = "trumps"

    def swap(self, view: View) -> bool:
        return False

    def _held(self, view: View, suit: Suit) -> int:
        return sum(card.suit_under(suit) == suit for card in view.hand)

    def bid(self, view: View) -> Bid | None:
        good = max(self._held(view, suit) for suit in Suit) >= 4
        return view.bids[0] if view.bids[:1] == (Bid.THREE,) and good else None

    def name_trump(self, view: View) -> Suit:
        return max(Suit, key=lambda suit: self._held(view, suit))

    def play(self, view: View) -> Card:
        return view.legal[0]


@dataclass
class Scripted:
    """Does as told, and keeps what it was asked and what it was shown."""

    answers: dict[str, Any]
    name: str = "scripted"
    asked: list[str] = field(default_factory=list)
    views: list[View] = field(default_factory=list)

    def _answer(self, what: str, view: View) -> Any:
        self.asked.append(what)
        self.views.append(view)
        answer = self.answers[what]
        return answer(view) if callable(answer) else answer

    def swap(self, view: View) -> Any:
        return self._answer("swap", view)

    def bid(self, view: View) -> Any:
        return self._answer("bid", view)

    def name_trump(self, view: View) -> Any:
        return self._answer("name_trump", view)

    def play(self, view: View) -> Any:
        return self._answer("play", view)


def passing(**answers: Any) -> Scripted:
    usual = {"swap": False, "bid": None, "name_trump": "S", "play": lambda view: view.legal[0]}
    return Scripted(usual | answers)


def by_cards(*cards: str) -> Callable[[View], str]:
    """Plays these cards in order."""
    order = iter(cards)
    return lambda view: next(order)


LOTS = (Lots(), Lots("lots:2"), Lots("lots:3"))
THREE = (Trumps(), Trumps("trumps:2"), Trumps("trumps:3"))

# --------------------------------------------------------------------------------- when it ends


@pytest.mark.parametrize(
    ("scores", "winner"),
    [
        ((0, 0, 0), None),
        ((31, 31, 31), None),
        ((32, 31, 0), 0),  # exactly the target
        ((31, 0, 33), 2),
        ((32, 33, 0), 1),  # two past the target: the higher
        ((40, 33, 32), 0),  # all three
        ((32, 33, 34), 2),
        ((32, 32, 0), None),  # shared
        ((0, 35, 35), None),
        ((33, 35, 35), None),  # past the target, but not on top: no winner either
        ((32, 32, 32), None),
        ((35, 35, 36), 2),  # he was behind in the tie
        ((31, 31, -6), None),  # the two were set after a tie: nobody is there
        ((-5, -5, -1), None),  # all negative
        ((-100, -100, 32), 2),
    ],
)
def test_who_has_won(scores: tuple[int, int, int], winner: int | None) -> None:
    game = GameState(scores=scores)
    assert (game.winner, game.is_over) == (winner, winner is not None)
    assert game.is_tied == (winner is None and max(scores) >= 32)


@pytest.mark.parametrize(("target", "winner"), [(1, 0), (33, 0), (34, None), (1_000_000, None)])
def test_the_target_is_a_rule(target: int, winner: int | None) -> None:
    assert GameState(Rules(target=target), (33, 32, 0)).winner == winner


def played(
    scores: tuple[int, int, int], bid: str, dealer: int = 2, rules: Rules = STANDARD
) -> GameState:
    """The game after the deal in which seat 0 takes 4, the others 1 each."""
    game = GameState(rules, scores, dealer)
    turns = {2: f"{bid} pass pass", 1: f"pass {bid} pass", 0: f"pass pass {bid}"}
    return game.add(game.next_deal(DEAL).act_all(f"{turns[dealer]} S {PLAYS}"))


def test_points_count_at_the_end_of_a_deal() -> None:
    # Seat 1 is at 32 with its trick, but seat 0 ends higher: no race within the deal.
    game = played((29, 31, 0), "4")
    assert (game.scores, game.winner) == ((33, 32, 1), 0)


def test_a_tie_is_played_on_by_all_three() -> None:
    tied = played((28, 31, 20), "3")
    assert (tied.scores, tied.winner, tied.is_tied) == ((32, 32, 21), None, True)
    again = played((32, 32, 21), "3", dealer=0)
    assert (again.scores, again.winner) == ((36, 33, 22), 0)
    # Seat 2 was behind, made a moon, and is alone on top.
    slam = Deal(("9S KC QC AH KH QH", "AC TC 9C JH TH 9H", "JS JC AS KS QS TS"))
    last = "pass pass moon S JS 9S 9C JC QC TC AS KC AC KS QH 9H QS KH TH TS AH JH"
    tied = replace(tied, dealer=2)
    won = tied.add(tied.next_deal(slam).act_all(last))
    assert (won.scores, won.winner) == ((32, 32, 45), 2)


def test_after_a_tie_the_leaders_may_fall_back() -> None:
    # Seat 0 is set in the deciding deal, so seat 1 is alone on top.
    lost = played((32, 32, 0), "5")
    assert (lost.scores, lost.winner) == ((27, 33, 1), 1)
    # Where defenders do not score, he may fall back and the other stay where he is.
    silent = played((32, 32, 0), "5", rules=Rules(defenders_score=False))
    assert (silent.scores, silent.winner) == ((27, 32, 0), 1)
    # With all three tied, the two others are tied still.
    all_three = played((32, 32, 32), "5")
    assert (all_three.scores, all_three.winner, all_three.is_tied) == ((27, 33, 33), None, True)


def test_all_scores_may_be_negative() -> None:
    game = played((-10, -20, -30), "5")
    assert (game.scores, game.winner, game.leaders) == ((-15, -19, -29), None, (0,))


def test_penalties_count() -> None:
    game = GameState(scores=(0, 31, 0), dealer=2)
    state = game.next_deal(DEAL, revoke_detection=1.0).act_all(
        "3 pass pass S JS QS TC AC JC QC KC KD KS AH 9H JH AS 9C QH 9D TH AD"
    )
    assert game.add(state).scores == (4, 30, 1)  # he took a trick, and lost 2 for the revoke


# ------------------------------------------------------------------------------------- the dealer


def test_the_deal_moves_on_whatever_happens() -> None:
    game = GameState(dealer=1)
    dealers, first = [], []
    for actions in ("pass pass pass", "swap pass pass pass", "pass pass pass", None):
        deal = game.next_deal(DEAL)
        dealers.append(deal.dealer)
        first.append(deal.to_act)
        game = game.add(deal.act_all(actions or f"pass 3 pass S {PLAYS}"))
    assert dealers == [1, 2, 0, 1]
    assert first == [2, 0, 1, 2]
    assert (game.deals, game.dealer, game.scores) == (4, 2, (4, 1, 1))


def test_a_deal_that_does_not_fit() -> None:
    game = GameState(scores=(1, 2, 3), dealer=0)
    over = "pass pass pass"
    fits = DealState.replay(DEAL, 0, over, scores=(1, 2, 3))
    assert game.add(fits).deals == 1
    for deal, says in [
        (DealState.replay(DEAL, 1, over, scores=(1, 2, 3)), "the dealer is seat 0, not seat 1"),
        (DealState.replay(DEAL, 0, over), "the scores before the deal are 1 2 3, not 0 0 0"),
        (DealState.replay(DEAL, 0, over, Rules(min_bid=4), scores=(1, 2, 3)), "min_bid=4, are not"),
        (DealState.replay(DEAL, 0, "pass", scores=(1, 2, 3)), "points are counted when the deal"),
    ]:
        with pytest.raises(TableError, match=says):
            game.add(deal)


def test_a_game_that_is_over() -> None:
    game = GameState(scores=(32, 0, 0), dealer=2)
    for do in (lambda: game.next_deal(DEAL), lambda: game.add(DealState.start(DEAL, 2))):
        with pytest.raises(TableError, match="the game is over: seat 0 has won it, 32 0 0"):
            do()


def test_games_in_writing() -> None:
    assert str(GameState(scores=(1, 2, -3), deals=1, dealer=1)) == (
        "1 deal played: seat 0 has 1, seat 1 has 2, seat 2 has -3; seat 1 deals next"
    )
    assert str(GameState(scores=(33, 33, 0), deals=9)).endswith(
        "the highest score is shared, another deal decides; seat 0 deals next"
    )
    assert str(GameState(scores=(33, 0, 0), deals=9)).endswith("; seat 0 has won")


@pytest.mark.parametrize(
    ("arguments", "kind", "says"),
    [
        ({"rules": "standard"}, TypeError, "rules must be a Rules"),
        ({"scores": (1, 2)}, TableError, "scores must be three"),
        ({"dealer": 3}, TableError, "dealer must be a seat"),
        ({"deals": -1}, TableError, "deals must not be negative, not -1"),
        ({"deals": 0.5}, TypeError, "deals must be a whole number"),
    ],
)
def test_games_that_are_none(arguments: dict[str, Any], kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says):
        GameState(**arguments)


# ------------------------------------------------------------------------- strategies at the table


def test_what_a_strategy_is_asked() -> None:
    declarer = passing(bid=Bid.FOUR, play=by_cards("JS", "AC", "AH", "KS", "AS", "9D"))
    left = passing(play=by_cards("QS", "9C", "9H", "JC", "KC", "TH"))
    right = passing(play=by_cards("TC", "QC", "JH", "QH", "KD", "AD"))
    state = play_deal([declarer, left, right], DEAL, 2)
    assert state == DealState.replay(DEAL, 2, f"4 pass pass S {PLAYS}")
    assert declarer.asked == ["swap", "bid", "name_trump", *["play"] * 6]
    assert left.asked == ["swap", "bid", *["play"] * 6]
    assert all(view.seat == 1 for view in left.views)
    before = list(itertools.accumulate(state.actions, DealState.act, initial=state_start(state)))
    assert declarer.views[0] == before[0].view(0, swap=True)
    assert declarer.views[1] == before[0].view(0)
    assert declarer.views[2] == before[3].view(0)
    assert [type(view) for view in declarer.views] == [View] * 9


def state_start(state: DealState) -> DealState:
    return DealState.start(state.deal, state.dealer, state.rules, scores=state.scores)


def test_a_swapper_is_asked_for_his_bid_next() -> None:
    swapper = passing(swap=True, bid=lambda view: view.bids[-1] if view.dead else None)
    state = play_deal([swapper, passing(), passing()], DEAL, 2)
    assert swapper.asked[:3] == ["swap", "bid", "name_trump"]
    assert (state.swapper, state.bid, state.declarer) == (0, Bid.MOON, 0)
    assert swapper.views[1].dead == DEAL.hands[0]


def test_nobody_is_asked_to_swap_when_he_cannot() -> None:
    for first, rules in [
        (passing(swap=True), STANDARD),  # the ghost is gone
        (passing(bid=Bid.THREE), Rules(swaps_per_deal=0)),
    ]:
        others = passing(swap=True), passing(swap=True)
        play_deal([first, *others], DEAL, 2, rules)
        for other in others:
            assert other.asked[0] == "bid"


def test_all_are_asked_to_bid_after_a_moon() -> None:
    other = passing(bid=lambda view: view.bids[0] if view.bids else None)
    state = play_deal([passing(bid="moon"), other, other], DEAL, 2)
    assert state.declarer == 0
    assert other.asked[:4] == ["swap", "bid", "swap", "bid"]


def test_a_swap_to_defend_against_a_moon() -> None:
    swapper = passing(swap=True)
    state = play_deal([passing(bid="moon"), swapper, passing()], DEAL, 2)
    assert (state.declarer, state.swapper, state.turns[1].bid) == (0, 1, None)
    assert swapper.views[1].dead == DEAL.hands[1]


@pytest.mark.parametrize("name", ["random", "novice", "steady", "odds", "cheat", "peek"])
def test_the_built_in_strategies_do_not_swap_after_a_moon(name: str) -> None:
    for index in range(8):
        deal = Deal.random(3, index)
        state = DealState.start(deal, 2, seed=3, index=index).make_bid("moon")
        assert next_action(state, find_strategy(name)) == "pass"


def test_a_strategy_that_ends_the_program() -> None:
    def leave(view: View) -> Any:
        raise SystemExit(3)

    with pytest.raises(TableError, match="seat 0, bid: a strategy must not end the program"):
        play_deal([passing(bid=leave), passing(), passing()], DEAL, 2)


@pytest.mark.parametrize("answer", [np.array([True, False]), np.zeros(0, dtype=bool), "yes", 1])
def test_a_swap_is_a_truth_value(answer: Any) -> None:
    with pytest.raises(TableError, match="swap: the answer must be True or False, not"):
        play_deal([passing(swap=answer), passing(), passing()], DEAL, 2)


def test_numpys_numbers_of_games() -> None:
    game = 2**31
    record = play_game([Lots()] * 3, seed=4, game=np.int64(game), max_deals=1)  # type: ignore[arg-type]  # a whole number
    assert record == play_game([Lots()] * 3, seed=4, game=game, max_deals=1)
    assert GameRecord.parse(record.to_json()) == record


def test_a_word_does_not_tell_the_cards() -> None:
    # splitmix64's finaliser is a bijection: undone, a word would give the key of the deal.
    def unshift(word: int, by: int) -> int:
        found = word
        for _ in range(64 // by):
            found = word ^ (found >> by)
        return found

    inverses = [pow(odd, -1, 2**64) for odd in (0x94D0_49BB_1331_11EB, 0xBF58_476D_1CE4_E5B9, 1)]

    def unmix(word: int) -> int:
        for by, inverse in zip((31, 27, 30), inverses, strict=True):
            word = unshift(word, by) * inverse % 2**64
        return word

    assert unmix(_mix(0x1234_5678_9ABC_DEF0)) == 0x1234_5678_9ABC_DEF0
    step, salt = 0x9E37_79B9_7F4A_7C15, 0x6A09_E667_F3BC_C908
    key = _mix((_mix((7 + step) % 2**64) + 3 * step) % 2**64)  # deals the cards of deal 3 of seed 7
    for times in (1, 2):
        word = decision_word(7, 3, 0)
        for _ in range(times):
            word = unmix(word)
        assert unmix((word - step) % 2**64) ^ salt != key


@pytest.mark.parametrize("decision", ["swap", "bid", "name_trump", "play"])
def test_an_exception_of_a_strategy_says_whose_it_is(decision: str) -> None:
    def fail(view: View) -> Any:
        raise ZeroDivisionError("division by zero")

    answers = {"swap": False, "bid": Bid.THREE} | {decision: fail}
    with pytest.raises(ZeroDivisionError) as caught:
        play_deal([Scripted(passing().answers | answers), passing(), passing()], DEAL, 2)
    (note,) = caught.value.__notes__
    assert f"seat 0, {decision}, of\n" in note


def test_one_that_sees_all_cards() -> None:
    class Peeking(Scripted):
        sees_all_cards = True

    peeking = Peeking(passing().answers | {"bid": 3})
    state = play_deal([peeking, passing(), passing()], DEAL, 2)
    views = [view for view in peeking.views if isinstance(view, OpenView)]
    assert len(views) == len(peeking.views) == 9
    assert views[0].state == state_start(state)
    assert views[-1].state.plays == state.plays[: len(views[-1].state.plays)]


@pytest.mark.parametrize(
    ("seat", "answers", "says"),
    [
        (0, {"swap": 1}, "seat 0, swap: the answer must be True or False, not 1"),
        (0, {"swap": None}, "seat 0, swap: the answer must be True or False, not None"),
        (1, {"swap": "no"}, "seat 1, swap: the answer must be True or False, not 'no'"),
        (0, {"bid": 2}, "seat 0, bid: bid 2 is not a bid: bids are 3, 4, 5 and moon"),
        (0, {"bid": False}, "seat 0, bid: bid must be a Bid, 3-6 or a text, not False"),
        (0, {"bid": 4.0}, "seat 0, bid: bid must be a Bid"),
        (1, {"bid": 3}, "seat 1, bid: seat 1 cannot bid 3: a bid must exceed the standing one, 3"),
        (0, {"bid": 3, "name_trump": 4}, "seat 0, name_trump: trump 4 is not a suit"),
        (0, {"bid": 3, "name_trump": None}, "seat 0, name_trump: trump must be a Suit"),
        (0, {"bid": 3, "play": "QS"}, "seat 0, play: seat 0 does not hold QS; it holds JS"),
        (
            0,
            {"bid": 3, "play": None},
            "seat 0, play: a card is written as text like 'JS', not None",
        ),
        (0, {"bid": 3, "play": "XX"}, "seat 0, play: 'XX' is not a card"),
        (
            1,
            {"play": "9H"},
            "seat 1, play: seat 1 cannot play 9H: it must follow suit, spades were",
        ),
    ],
)
def test_nonsense_is_refused(seat: int, answers: dict[str, Any], says: str) -> None:
    three = [passing(bid=3), passing(), passing()]
    three[seat] = passing(**({"bid": 3} if seat == 0 else {}) | answers)
    with pytest.raises(TableError, match=f"strategy scripted, {says}"):
        play_deal(three, DEAL, 2)


def test_answers_may_come_from_numpy_or_as_texts() -> None:
    first = passing(swap=np.True_, bid=np.int64(5), name_trump="hearts", play=lambda v: v.legal[0])
    state = play_deal([first, passing(swap=np.False_), passing()], DEAL, 2)
    assert (state.swapper, state.bid, state.trump) == (0, Bid.FIVE, Suit.HEARTS)


def test_its_own_errors_are_its_own() -> None:
    broken = passing(bid=lambda view: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        play_deal([broken, passing(), passing()], DEAL, 2)


@pytest.mark.parametrize(
    ("strategies", "says"),
    [
        (["odds", Lots(), Lots()], r"seat 0 must be an object, not the name 'odds': call .*find_s"),
        ("odds", "strategies must be three strategies by seat, not 'odds'"),
        (Lots(), "strategies must be three strategies by seat"),
        ([Lots(), Lots()], "strategies must be three, one a seat, not 2"),
        ([Lots(), Lots, Lots()], r"seat 1 is the class Lots: make an object of it, like Lots\(\)"),
        ([Lots(), Lots(), 3], "seat 2, 3, is none: it has no name, swap, bid, name_trump, play"),
        ([Lots(), Lots(), "steady"], r"seat 2 must be an object, not the name 'steady'"),
    ],
)
def test_what_is_no_strategy(strategies: Any, says: str) -> None:
    for play in (
        lambda: check_table(strategies),
        lambda: play_deal(strategies, DEAL),
        lambda: play_game(strategies),
        lambda: finish_deal(DealState.start(DEAL, 0), strategies),
        lambda: resume_game(GameRecord(seed=0, game=0), strategies),
    ):
        with pytest.raises(TypeError, match=says):
            play()


def test_nothing_is_due_when_the_deal_is_over() -> None:
    with pytest.raises(TableError, match="no action is due: the deal is over"):
        next_action(DealState.replay(DEAL, 0, "pass pass pass"), Lots())


@given(words, seats, st.sampled_from(list(VARIANTS)), st.none() | st.floats(0, 1))
def test_a_deal_is_finished_from_any_moment(
    seed: int, dealer: int, variant: str, detection: float | None
) -> None:
    whole = play_deal(LOTS, DEAL, dealer, VARIANTS[variant], seed=seed, revoke_detection=detection)
    assert whole.is_over
    state = DealState.start(DEAL, dealer, VARIANTS[variant], seed=seed, revoke_detection=detection)
    for action in whole.actions:
        assert finish_deal(state, LOTS) == whole
        state = state.act(action)
    assert state == whole


# ------------------------------------------------------------------------------------ whole games


def test_a_game() -> None:
    record = play_game(THREE, seed=11, game=3, first_dealer=2)
    assert record.winner is not None
    assert record.scores[-1][record.winner] == max(record.scores[-1]) >= 32
    assert all(max(scores) < 32 for scores in record.scores[:-1])
    assert record.strategies == ("trumps", "trumps:2", "trumps:3")
    assert (record.seed, record.game, record.first_dealer) == (11, 3, 2)
    game = GameState(dealer=2)
    for number, deal in enumerate(record.deals):
        assert deal.dealer == (2 + number) % 3
        assert (deal.seed, deal.index) == (11, 3 * 2**32 + number)
        assert deal.deal == Deal.random(11, 3 * 2**32 + number)
        assert deal == play_deal(
            THREE, deal.deal, deal.dealer, scores=game.scores, seed=11, index=deal.index
        )
        game = game.add(deal)
    assert game == record.state
    # All pass now and then: no score, and the deal has moved all the same.
    assert any(deal.all_passed for deal in record.deals)


def test_games_differ_by_seed_and_number_only() -> None:
    first = play_game(THREE, seed=1, game=0)
    assert play_game(THREE, seed=1, game=0) == first
    assert play_game(THREE, seed=1, game=1).deals[0].deal != first.deals[0].deal
    assert play_game(THREE, seed=2, game=0).deals[0].deal != first.deals[0].deal


def test_a_game_that_does_not_end() -> None:
    three = [passing() for _ in range(3)]
    record = play_game(three, max_deals=7)
    assert (len(record.deals), record.winner, record.scores[-1]) == (7, None, (0, 0, 0))
    assert [deal.dealer for deal in record.deals] == [0, 1, 2, 0, 1, 2, 0]
    assert len(resume_game(record, three, max_deals=9).deals) == 9
    assert resume_game(record, three, max_deals=7) == record
    assert resume_game(record, three, max_deals=1) == record


def test_rules_travel() -> None:
    rules = Rules(target=5, all_pass="dealer_bids")
    record = play_game(THREE, seed=1, rules=rules, revoke_detection=0.5)
    assert record.rules == rules
    assert all(deal.rules == rules for deal in record.deals)
    assert all(deal.revoke_detection == 0.5 for deal in record.deals)
    assert not any(deal.all_passed for deal in record.deals)


@pytest.mark.parametrize(
    ("arguments", "kind", "says"),
    [
        ({"seed": -1}, SeedError, "seed must be from 0"),
        ({"game": 1 << 32}, TableError, r"game must be from 0 to 2\*\*32 - 1, not 4294967296"),
        ({"game": -1}, TableError, "game must be from 0"),
        ({"game": 0.5}, TypeError, "game must be a whole number"),
        ({"first_dealer": 3}, TableError, "first_dealer must be a seat 0, 1 or 2, not 3"),
        ({"rules": None}, TypeError, "rules must be a Rules"),
        ({"max_deals": 0}, TableError, "max_deals must be 1 or more, not 0"),
        ({"max_deals": "1"}, TypeError, "max_deals must be a whole number"),
        ({"revoke_detection": 2}, TableError, "revoke_detection must be from 0 to 1"),
    ],
)
def test_arguments_of_a_game(arguments: dict[str, Any], kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says):
        play_game(LOTS, **arguments)


def test_numbers_of_deals() -> None:
    assert deal_index(0, 5) == 5
    assert deal_index(2, 1) == 8589934593
    assert deal_index(2**32 - 1, 2**32 - 1) == 2**64 - 1
    with pytest.raises(TableError, match="deal must be from 0"):
        deal_index(0, 1 << 32)


@given(words, st.integers(0, 2**32 - 1), seats, st.none() | st.floats(0, 1), st.data())
@settings(max_examples=40)
def test_a_game_is_resumed_from_any_moment(
    seed: int, game: int, dealer: int, detection: float | None, data: st.DataObject
) -> None:
    whole = play_game(
        LOTS, seed=seed, game=game, first_dealer=dealer, max_deals=3, revoke_detection=detection
    )
    number = data.draw(st.integers(0, len(whole.deals) - 1))
    deal = whole.deals[number]
    start = DealState.start(
        deal.deal,
        deal.dealer,
        scores=deal.scores,
        seed=seed,
        index=deal.index,
        revoke_detection=detection,
    )
    cut = start.act_all(deal.actions[: data.draw(st.integers(0, len(deal.actions)))])
    broken = replace(whole, deals=(*whole.deals[:number], cut))
    assert resume_game(broken, LOTS, max_deals=3) == whole
    # Also with the names left out, and from nothing.
    assert resume_game(replace(broken, strategies=None), LOTS, max_deals=3) == whole
    assert resume_game(replace(whole, deals=()), LOTS, max_deals=3) == whole


def test_what_cannot_be_resumed() -> None:
    record = play_game(LOTS, seed=1, max_deals=2)
    with pytest.raises(TableError, match="was played by lots, lots:2, lots:3, not by trumps, "):
        resume_game(record, THREE)
    with pytest.raises(TableError, match="the game has no seed to deal from"):
        resume_game(GameRecord(), LOTS)
    start = GameState().next_deal(DEAL, seed=1, index=0)
    with pytest.raises(TableError, match="deal 1 has other cards than the seed deals"):
        resume_game(GameRecord(seed=1, game=0, deals=(start,)), LOTS)


def test_a_finished_game_stays_as_it_is() -> None:
    record = play_game(THREE, seed=11)
    assert resume_game(record, THREE) == record
