"""Hints: the odds and the layouts behind a decision, held against slower ways to count them."""

import math
import random
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostsim.cards import ALL_CARDS, Card, Hand, Suit, cards_of
from ghostsim.deals import Deal
from ghostsim.hints import (
    BidHint,
    CardsHint,
    HintError,
    bid_hint,
    card_hint,
    swap_hint,
    trump_hint,
)
from ghostsim.kernels.bits import spread, subsets
from ghostsim.kernels.openings import pattern_number
from ghostsim.layouts import all_layouts, count_layouts
from ghostsim.odds import bid_table, solo_value, swap_value
from ghostsim.openings import shipped_patterns
from ghostsim.position import Position
from ghostsim.rules import HALF_MOON, STANDARD, STUCK_DEALER, Bid, Rules
from ghostsim.solver import card_values
from ghostsim.strategies import Odds
from ghostsim.table.deal import DealState
from ghostsim.table.view import Trick, Turn, View
from strategies import deals, hands, seats, trumps

STRONG = "JS JC AS KS AH 9D"
WEAK = "9S TS 9C TC 9H TH"


def view_of(
    hand: str | Hand, rules: Rules = STANDARD, dead: str | None = None, bid: Bid | None = None
) -> View:
    """The view of seat 2, the dealer, who speaks last; seat 1 has bid, or both have passed."""
    return View(
        rules=rules,
        seat=2,
        dealer=2,
        scores=(0, 0, 0),
        hand=tuple(Hand(hand)),
        dead=None if dead is None else Hand(dead),
        turns=(Turn(0, False, None), Turn(1, False, bid)),
        bid=bid,
    )


# ----------------------------------------------------------------------------------- bids and trump


@settings(max_examples=20)
@given(hands, st.sampled_from([STANDARD, HALF_MOON, Rules(min_bid=4, set_keeps_tricks=True)]))
def test_bids_are_those_of_the_exact_odds(hand: Hand, rules: Rules) -> None:
    hint = bid_hint(view_of(hand, rules))
    value = solo_value(hand, rules=rules)
    assert hint.best == (value.bid, value.trump)
    assert hint.points(*hint.best) == pytest.approx(value.points)
    frame = bid_table(hand, rules=rules).to_frame()
    assert len(frame) == 4 * len(hint.bids)
    rows: list[dict[Any, Any]] = frame.to_dict(orient="records")
    for row in rows:
        bid, suit = Bid(row["bid"]), Suit.parse(row["trump"])
        assert hint.p_make(bid, suit) == row["p_make"]
        assert hint.points(bid, suit) == pytest.approx(row["points"])
        assert hint.missed(bid, suit) == pytest.approx(value.points - row["points"])
    assert hint.points(None) == 0
    assert hint.missed(None) == pytest.approx(value.points)
    for bid in hint.bids:
        best = frame[frame["bid"] == bid]["points"].max()
        assert hint.points(bid) == pytest.approx(best)


def test_bids_above_the_standing_one() -> None:
    hint = bid_hint(view_of(STRONG, bid=Bid.FOUR))
    assert hint.bids == (Bid.FIVE, Bid.MOON) and hint.may_pass
    # It takes five tricks whatever lies where, and six if five of seven diamonds are in the ghost.
    assert hint.best == (Bid.FIVE, Suit.SPADES)
    assert hint.points(Bid.FIVE) == (5 * 17_141_124 + 6 * 12_012) / 17_153_136
    assert hint.missed(None) == hint.points(Bid.FIVE)
    assert bid_hint(view_of(WEAK, bid=Bid.FOUR)).best == (None, None)


def test_a_dead_hand_counts() -> None:
    # The other diamonds are dead, but for one: nine is good.
    dead = "AD KD QD JD TD 9H"
    hint = bid_hint(view_of(STRONG, dead=dead))
    assert hint.best == (Bid.MOON, Suit.SPADES)
    assert hint.points(*hint.best) == 24
    assert hint.distributions[0].layouts == 924


def test_a_dealer_who_must_bid() -> None:
    hint = bid_hint(view_of(WEAK, STUCK_DEALER))
    assert not hint.may_pass and hint.best[0] == Bid.THREE
    best = max(hint.points(Bid.THREE, suit) for suit in Suit)
    assert hint.points(*hint.best) == best < 0
    # To pass is to bid three.
    assert hint.missed(None) == hint.missed(Bid.THREE) == 0
    assert "a pass counts" not in hint.text()


def test_trump_for_the_bid_that_stands() -> None:
    state = DealState.start(Deal.random(3), dealer=2).make_bid(4).pass_turn().pass_turn()
    hint = trump_hint(state.view(0))
    assert hint.bids == (Bid.FOUR,) and not hint.may_pass
    points = {suit: hint.points(Bid.FOUR, suit) for suit in Suit}
    assert hint.best[1] is not None and points[hint.best[1]] == max(points.values())
    for suit in Suit:
        assert hint.missed(Bid.FOUR, suit) == pytest.approx(max(points.values()) - points[suit])
    with pytest.raises(HintError, match="seat 1 has no trump to name"):
        trump_hint(state.view(1))
    with pytest.raises(HintError, match="seat 0 has no bid to make"):
        bid_hint(state.view(0))
    with pytest.raises(HintError, match="seat 0 has no trump to name"):
        trump_hint(state.name_trump("S").view(0))


def test_after_a_moon_there_is_nothing_to_bid() -> None:
    view = view_of(STRONG, bid=Bid.MOON)
    for hint in (bid_hint, swap_hint):
        with pytest.raises(HintError, match="seat 2 has no bid to make"):
            hint(view)


# --------------------------------------------------------------------------------------------- swap


def test_swap_of_the_worst_hand() -> None:
    hint = swap_hint(view_of(WEAK))
    assert round(hint.swap_points, 4) == 2.7793  # what `ghostsim hand` prints
    assert hint.keep_points == 0 and hint.gain == hint.swap_points
    assert hint.missed(swapped=True) == 0
    assert hint.missed(swapped=False) == hint.gain


@settings(max_examples=10)
@given(hands, st.sampled_from([None, Bid.THREE, Bid.FOUR, Bid.FIVE]))
def test_swap_over_a_standing_bid(hand: Hand, bid: Bid | None) -> None:
    hint = swap_hint(view_of(hand, bid=bid))
    allowed = STANDARD if bid is None else Rules(min_bid=bid + 1)
    assert hint.swap_points == pytest.approx(swap_value(hand, allowed))
    assert hint.keep_points == pytest.approx(solo_value(hand, rules=allowed).points)
    assert hint.gain == pytest.approx(hint.swap_points - hint.keep_points)
    assert max(hint.missed(True), hint.missed(False)) == pytest.approx(abs(hint.gain))


def test_swap_of_a_dealer_who_must_bid() -> None:
    """Every ghost, one by one: the best of four bids in four trumps, and no pass."""
    rules = STUCK_DEALER
    hand = Hand("9S KS 9C TC 9H QD")
    left = ALL_CARDS & ~hand.mask
    patterns = shipped_patterns().astype(np.int64)
    points = [[rules.declarer_points(bid, tricks) for tricks in range(7)] for bid in Bid]
    total = 0
    for subset in subsets(18, 6):
        ghost = spread(int(subset), left)
        numbers = [pattern_number(ghost, hand.mask, int(suit)) for suit in Suit]
        total += int((patterns[numbers] @ np.array(points).T).max())
    assert swap_hint(view_of(hand, rules)).swap_points == pytest.approx(total / 17_153_136)


@settings(max_examples=15)
@given(hands, st.sampled_from([None, Bid.THREE, Bid.FOUR]), st.booleans())
def test_the_strategy_odds_does_what_hints_say(hand: Hand, bid: Bid | None, stuck: bool) -> None:
    view = view_of(hand, STUCK_DEALER if stuck else STANDARD, bid=bid)
    swap = swap_hint(view)
    assert Odds().swap(view) == (swap.gain > 0)
    assert Odds().bid(view) == bid_hint(view).best[0]


def test_no_swap_twice_nor_where_rules_allow_none() -> None:
    with pytest.raises(HintError, match="seat 2 cannot swap"):
        swap_hint(view_of(STRONG, dead=WEAK.replace("9S TS", "9S QD")))
    with pytest.raises(HintError, match="seat 2 cannot swap"):
        swap_hint(view_of(STRONG, Rules(swaps_per_deal=0)))


# -------------------------------------------------------------------------------------------- cards


def in_play(deal: Deal, trump: Suit, cards: int, lot: int, bid: Bid = Bid.FOUR) -> DealState:
    """A deal some random legal cards after seat 1 has bid."""
    chance = random.Random(lot)
    state = DealState.start(deal, dealer=0).make_bid(bid).pass_turn().pass_turn()
    state = state.name_trump(trump)
    for _ in range(cards):
        state = state.play(chance.choice(state.legal))
    return state


@settings(max_examples=15)
@given(deals(), trumps, st.integers(13, 17), st.integers(0, 10**6))
def test_cards_are_means_over_every_layout(deal: Deal, trump: Suit, cards: int, lot: int) -> None:
    """Layout by layout through ``card_values``, which takes one position."""
    state = in_play(deal, trump, cards, lot)
    assert state.to_act is not None and state.bid is not None
    view = state.view(state.to_act)
    hint = card_hint(view, n=1_000_000)
    assert hint.is_exact and hint.fitting == count_layouts(view)
    tricks: dict[Card, list[int]] = {card: [] for card in view.legal}
    for row in all_layouts(view).tolist():
        held = [cards_of(mask) for mask in row[:3]]
        position = Position(
            held, trump, 1, leader=view.leader, trick=view.trick, tricks=view.taken, bid=state.bid
        )
        for card, value in card_values(position).items():
            tricks[card].append(value)
    assert {card.card for card in hint.cards} == set(tricks)
    points = {c: [STANDARD.declarer_points(4, t) for t in found] for c, found in tricks.items()}
    sign = 1 if view.seat == 1 else -1
    best = max(sign * sum(found) for found in points.values())
    for told in hint.cards:
        taken, scored = tricks[told.card], points[told.card]
        n = len(taken)
        assert told.tricks.value == pytest.approx(sum(taken) / n)
        assert told.p_make.value == pytest.approx(sum(t >= 4 for t in taken) / n)
        assert told.points.value == pytest.approx(sum(scored) / n)
        assert told.behind.value == pytest.approx((best - sign * sum(scored)) / n)
        assert told.points.standard_error == 0 and told.points.n == n
    assert sign * sum(points[hint.best]) == best


def two_to_go(dead: str) -> View:
    """The declarer of a moon has four tricks, the last trump and the queen of hearts."""
    tricks = ("JS 9S TC", "AC 9C KC", "JC TS AD", "QS 9D TD")
    return View(
        rules=STANDARD,
        seat=0,
        dealer=2,
        scores=(0, 0, 0),
        hand=(Card("AS"), Card("QH")),
        dead=Hand(dead),
        declarer=0,
        bid=Bid.MOON,
        trump=Suit.SPADES,
        leader=0,
        tricks=tuple(
            Trick(0, (Card(first), Card(second), Card(third)), 0)
            for first, second, third in map(str.split, tricks)
        ),
    )


def test_cards_by_hand() -> None:
    # Out are KH JH TH 9H: left or right has the king, and keeps it.
    hint = card_hint(two_to_go(dead="KS KD QD JD AH QC"))
    assert hint.n == hint.fitting == math.comb(4, 2)
    told = [(str(card.card), card.tricks.value, card.points.value) for card in hint.cards]
    assert told == [("AS", 5.0, -6.0), ("QH", 5.0, -6.0)]
    # Out are QC JH TH 9H: the queen of hearts is high.
    told = [
        (str(card.card), card.p_make.value, card.points.value)
        for card in card_hint(two_to_go(dead="KS KD QD JD AH KH")).cards
    ]
    assert told == [("AS", 1.0, 24.0), ("QH", 1.0, 24.0)]


@settings(max_examples=8)
@given(deals(), trumps, seats, st.integers(0, 1000))
def test_samples_come_near_the_means(deal: Deal, trump: Suit, bidder: int, lot: int) -> None:
    state = in_play(deal, trump, 9 + bidder, lot)
    assert state.to_act is not None
    view = state.view(state.to_act)
    exact, sample = card_hint(view, n=10**6), card_hint(view, n=1_500, word=lot)
    if sample.is_exact:
        return
    assert (sample.n, sample.fitting) == (1_500, exact.fitting)
    truth = {card.card: card for card in exact.cards}
    for card in sample.cards:
        assert abs(card.tricks.standard_errors_from(truth[card.card].tricks.value)) < 5
        assert abs(card.points.standard_errors_from(truth[card.card].points.value)) < 5
        assert card.points.model == "P_pimc" and card.points.n == 1_500
        assert card.p_make.method == "Wilson"


def first_lead(word: int | None = None, level: float = 0.95) -> CardsHint:
    return card_hint(in_play(Deal.random(5, 2), Suit.CLUBS, 0, 0).view(1), 500, word, level=level)


def test_a_hint_is_the_same_when_asked_again() -> None:
    assert first_lead() == first_lead()
    assert first_lead(word=1) != first_lead(word=2)
    wide, narrow = (first_lead(word=1, level=level).cards[0].points for level in (0.99, 0.5))
    assert wide.value == narrow.value
    assert wide.high - wide.low > narrow.high - narrow.low


def test_a_hint_sees_no_hidden_card() -> None:
    """Hidden cards exchanged: the same view, the same hint."""
    state = in_play(Deal.random(5), Suit.HEARTS, 0, 0)
    deal = state.deal
    swapped = Deal((deal.hands[2], deal.hands[1], deal.ghost), deal.hands[0])
    other = in_play(swapped, Suit.HEARTS, 0, 0)
    assert other.view(1) == state.view(1)
    assert card_hint(other.view(1), 300) == card_hint(state.view(1), 300)


def test_a_revoke_in_the_trick_is_no_obstacle() -> None:
    deal = Deal(("JS JC AS KS AH 9D", "QS TS 9S AC KC QC", "TC 9C KH QH JH TH"))
    state = DealState.start(deal, dealer=2, revoke_detection=0.5)
    state = state.make_bid(4).pass_turn().pass_turn().name_trump("S").play("AS").play("AC")
    assert state.revokes and state.to_act == 2
    hint = card_hint(state.view(2), 200)
    assert {card.card for card in hint.cards} == set(state.legal)
    # The offender is taken to be void in spades; its view knows better.
    later = state.play("TC").play("KS")
    assert card_hint(later.view(1), 200).cards


def test_what_cannot_be_asked() -> None:
    state = in_play(Deal.random(5), Suit.HEARTS, 2, 0)
    for seat in ((state.to_act or 0) + 1, (state.to_act or 0) + 2):
        with pytest.raises(HintError, match=f"seat {seat % 3} has no card to play"):
            card_hint(state.view(seat % 3))
    with pytest.raises(HintError, match="two layouts or more, not 1"):
        card_hint(state.view(state.to_act or 0), 1)
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        card_hint(state.view(state.to_act or 0), 10, level=1)
    with pytest.raises(HintError, match="no card"):
        card_hint(view_of(STRONG))


# -------------------------------------------------------------------------------------------- texts


def test_texts_of_swap_and_bid() -> None:
    # The numbers are those that `ghostsim hand` prints.
    assert swap_hint(view_of(STRONG)).text() == (
        "  mean points (P_coalition, exact; nobody else bids)\n"
        "  keep: +5.00  (bid 3 in spades)\n"
        "  swap: +2.74  (the best with each of the 18,564 ghosts)\n"
        "  best: keep; a swap loses 2.26"
    )
    assert bid_hint(view_of(STRONG, bid=Bid.FOUR)).text() == (
        "  chance to make it, mean points (P_coalition, exact; nobody else bids)\n"
        "                      bid 5            moon\n"
        "  spades     100.0%   +5.00    0.1%   -5.98\n"
        "  clubs       66.5%   +1.65    0.0%   -6.00\n"
        "  hearts       0.0%   -5.00    0.0%   -6.00\n"
        "  diamonds     0.0%   -5.00    0.0%   -6.00\n"
        "  best: bid 5 in spades, +5.00; a pass counts as 0"
    )


def test_text_of_cards() -> None:
    """Whose tricks and points they are, which way is better, what the signs mean."""
    hint = first_lead()
    text = hint.text()
    lines = text.splitlines()
    assert lines[0] == "  P_pimc: means over 500 of the 17,153,136 layouts that fit, drawn by lot"
    assert lines[1].endswith("; you declare: higher is better")
    assert re.split("  +", lines[2].strip()) == [
        "your tricks", "you make 4", "your points", "worse by",
    ]  # fmt: skip
    assert len(lines) == 3 + 6 + 1
    assert lines[-1] == "  worse by: in points; +- and [ ]: the luck of the draw (95% intervals)"
    best = hint.cards[0].points
    assert f" {best.value:.2f} +-{best.high - best.value:.2f} " in lines[3]
    assert text.isascii() and text.count("P_pimc") == 1 and "paired" not in text
    assert hint.text(symbols=True).split() == text.replace("+-", "±").split()


def test_text_of_cards_for_a_defender() -> None:
    # Seat 0 has led AH after four tricks in trumps; seat 2 follows with the jack or the ten.
    # Of the eight cards that it does not see seat 0 holds one, and seat 1 one that is not 9H:
    # 49 layouts. Seat 0 loses the last trick with 9H (7 layouts), and with a diamond below one
    # of seat 1's (15).
    deal = Deal(("JS JC AS KS AH 9D", "QS TS 9S AC KC QC", "TC 9C KH QH JH TH"))
    state = DealState.start(deal, dealer=2).make_bid(6).pass_turn().pass_turn().name_trump("S")
    hint = card_hint(state.act_all("JS 9S TC JC TS 9C AS QS KH KS AC QH AH KC").view(2))
    assert [" ".join(line.split()) for line in hint.text().splitlines()] == [
        "P_pimc: means over all 49 layouts that fit",
        "in each, all see all cards from here on; you defend: lower is better",
        "declarer's tricks he makes the moon his points worse by",
        "JH 5.55 55.1% 10.53 best",
        "TH 5.55 55.1% 10.53 best",
        "worse by: in points",
    ]


def test_text_of_an_only_card() -> None:
    deal = Deal(("JS JC AS KS AH 9D", "QS TS 9S AC KC QC", "TC 9C KH QH JH TH"))
    state = DealState.start(deal, dealer=2).make_bid(6).pass_turn().pass_turn().name_trump("S")
    hint = card_hint(state.act_all("JS 9S TC JC TS 9C AS").view(1), 100)
    assert hint.text(lambda card: card.pretty) == "  your only card by the rules: Q♠"


def test_text_of_a_share_without_spread() -> None:
    """An interval that is one number when it is rounded is that number."""
    deal = Deal(("JS JC AS KS QS TS", "9S AC KC QC TC 9C", "AH KH QH JH TH 9H"))
    state = DealState.start(deal, dealer=2).make_bid(3).pass_turn().pass_turn().name_trump("S")
    text = card_hint(state.view(0), 4000).text()
    assert " 100% " in text and "[100%" not in text


def test_text_where_a_pass_is_best() -> None:
    assert bid_hint(view_of(WEAK)).text().splitlines()[-1] == "  best: pass, which counts as 0"


@settings(max_examples=15)
@given(deals(), trumps, st.integers(0, 17), st.sampled_from(Bid))
def test_no_line_is_wider_than_78_columns(deal: Deal, trump: Suit, cards: int, bid: Bid) -> None:
    state = in_play(deal, trump, cards, 0, bid)
    texts = [card_hint(state.view(state.to_act or 0), 100).text(lambda card: card.pretty)]
    texts.append(card_hint(state.view(state.to_act or 0), 3).text())
    view = DealState.start(deal, dealer=0).view(1)
    hints: list[BidHint] = [bid_hint(view)]
    texts += [hint.text() for hint in hints] + [swap_hint(view).text()]
    assert max(len(line) for text in texts for line in text.splitlines()) <= 78
