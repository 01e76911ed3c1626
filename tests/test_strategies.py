"""The built-in strategies, against ``docs/strategies.md``.

What a card player should do in each situation is worked out by hand from the page. Spades are
trump where nothing else is said, so that clubs are next, and hearts and diamonds green.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostsim.cards import Card, Hand, Suit
from ghostsim.deals import Deal
from ghostsim.odds import bid_table, solo_value, swap_value
from ghostsim.position import trick_winner
from ghostsim.rules import DOUBLE_OR_NOTHING, HALF_MOON, STANDARD, STUCK_DEALER, Bid, Rules
from ghostsim.solver import card_values, solve
from ghostsim.strategies import (
    Cheat,
    Novice,
    Odds,
    Peek,
    Random,
    Steady,
    Strategy,
    StrategyError,
    careful_card,
    check_strategies,
    find_strategy,
)
from ghostsim.strategies.odds import GHOSTS, LAYOUTS, SPLITS, worth_of_swap
from ghostsim.table.deal import DealState, OpenView
from ghostsim.table.game import next_action, play_deal, play_game
from ghostsim.table.view import Trick, Turn, View
from strategies import EIGHT_RELABELLINGS, deals, hands, relabellings, rules, seats, words

HONEST = ("random", "novice", "steady", "odds", "cheat")
EVERY = (*HONEST, "peek")


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card, text.split()))


def tricks(*texts: str, trump: str = "S") -> tuple[Trick, ...]:
    """Completed tricks like "0 JS 9S TS": who led, and the cards."""
    done = []
    for text in texts:
        leader, *played = text.split()
        first, second, third = map(Card, played)
        winner = trick_winner((first, second, third), int(leader), trump)
        done.append(Trick(int(leader), (first, second, third), winner))
    return tuple(done)


def at_play(hand: str, trick: str = "", *, declares: bool = False, **changes: Any) -> View:
    """The view of seat 0, which is to play; as a defender, seat 1 declares."""
    trump = Suit.parse(changes.pop("trump", "S"))
    before = tricks(*changes.pop("before", ()), trump=trump.letter)
    dead = changes.pop("dead", None)
    return View(
        rules=STANDARD,
        seat=0,
        dealer=2,
        scores=(0, 0, 0),
        hand=cards(hand),
        dead=None if dead is None else Hand(dead),
        declarer=0 if declares else 1,
        bid=Bid.THREE,
        trump=trump,
        leader=-len(trick.split()) % 3,
        trick=cards(trick),
        tricks=before,
        **changes,
    )


def in_auction(hand: str | Hand, *before: Bid | None, **changes: Any) -> View:
    """The view of the next seat to bid or pass, after the turns before it. Seat 2 deals."""
    turns = tuple(Turn(seat, False, bid) for seat, bid in enumerate(before))
    made = [bid for bid in before if bid is not None]
    values: dict[str, Any] = {
        "rules": STANDARD,
        "seat": len(turns),
        "dealer": 2,
        "scores": (0, 0, 0),
        "hand": tuple(Hand(hand)),
        "turns": turns,
        "bid": made[-1] if made else None,
    }
    return View(**(values | changes))


def lot(k: int, n: int) -> int:
    """A random word by which number k of n is drawn."""
    return (-(-(k << 32) // n)) << 32


def test_lots_are_what_they_say() -> None:
    for n in (2, 4, 5, 6):
        assert [View.random(in_auction(GOOD, word=lot(k, n)), n) for k in range(n)] == [*range(n)]


GOOD = "JS JC AS KS AH 9D"  # four trumps, two bowers, one ace: count 7
POOR = "9S TS 9C TC 9H TH"  # two trumps at most, count 2


# --------------------------------------------------------------------------------- careful: leading


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("view", "card"),
    [
        # 1. The declarer draws trumps with the highest of all, though his ace is high too.
        (at_play("JS KS 9S AH 9D TC", declares=True), "JS"),
        # The left bower is his highest trump; the right one is dead, as he knows.
        (at_play("JC AS 9S AH 9D TC", declares=True, dead="JS 9C QC TD QD KD"), "JC"),
        # Or it has been played.
        (at_play("JC AS AH 9D TC", declares=True, before=["1 KC JS 9C"]), "JC"),
        # Otherwise it is out, and beats the left bower: the ace of hearts.
        (at_play("JC AS 9S AH 9D TC", declares=True), "AH"),
        # The left bower is out, and is a trump: the ace of trumps is not high.
        (at_play("AS KS 9S AH 9D TC", declares=True, before=[], dead="JS 9C QC TD QD KD"), "AH"),
        # No other trump is out: they need not be drawn.
        (
            at_play("JC AS AH", declares=True, before=["0 JS QS 9S", "0 KS TS 9D", "0 AD TD KD"]),
            "AH",
        ),
        # A defender does not draw trumps.
        (at_play("JS KS 9S AH 9D TC"), "AH"),
        # 2. Of two aces the one of whose suit more cards are out: four hearts, three clubs.
        (at_play("AC TC AH KH TD 9D"), "AH"),
        # The left bower is no club: with it there would be as many clubs out as hearts, five.
        (at_play("AC AH TD 9D QD 9S"), "AH"),
        # As many are out: next comes before green, hearts before diamonds.
        (at_play("AC AH TH TD 9D 9S"), "AC"),
        (at_play("AH AD TH TD 9C 9S"), "AH"),
        # The declarer alike, once he has no trump to draw with.
        (at_play("AC AH TD 9D QD 9S", declares=True), "AH"),
        # Ace and king are both high, and no other card of their suit: the higher one.
        (at_play("KH AH TD 9D 9C 9S"), "AH"),
        # The king is high when the ace has been played, by whomever, or is dead.
        (at_play("KH TD 9D 9C 9S", before=["1 AH 9H QS"]), "KH"),
        (at_play("KH 9H TD QC 9S TS", dead="AH AD AC QD KD 9C"), "KH"),
        # 3. The top trump is not high, and no plain card is: a declarer with three trumps leads it.
        (at_play("JC AS KS 9H TD QC", declares=True), "JC"),
        (at_play("AS KS 9S 9H TD QC", declares=True), "AS"),
        # The left bower is the third trump.
        (at_play("JC AS 9S 9H TD QC", declares=True), "JC"),
        # With two he does not, nor if the others have none, nor does a defender.
        (at_play("JC AS KD 9H TD QC", declares=True), "9H"),
        (
            at_play("AS KS QS 9H", declares=True, before=["0 JS 9S TS", "0 JC 9D TD"]),
            "9H",
        ),
        (at_play("JC AS KS 9H TD QC"), "9H"),
        # 4. The declarer: his cheapest plain card; of equal ranks next before hearts.
        (at_play("AS KH TD 9D QC KC", declares=True), "9D"),
        (at_play("AS 9H 9D TC KC QC", declares=True), "9H"),
        (at_play("AS 9H 9D 9C KC QC", declares=True), "9C"),
        (at_play("AD 9S KC 9H QH TC", declares=True, trump="D"), "9H"),
        # A red jack is a plain card between ten and queen; the left bower is none.
        (at_play("AS JH QD KC QC KH", declares=True), "JH"),
        (at_play("JC QS QC KC QD KD", declares=True), "QC"),
        # The defender: the lowest card of his shortest plain suit.
        (at_play("QC TH KH 9D QD KD"), "QC"),
        # The left bower makes his clubs no longer.
        (at_play("JC QC TH KH 9D QD"), "QC"),
        # Suits as short: the lower rank, then next before green.
        (at_play("QC TD KH JH 9S TS"), "TD"),
        (at_play("QC QD KH JH 9S TS"), "QC"),
        (at_play("QD QC KC TH KH 9S"), "QD"),
        # 5. Trumps only, in defence: the highest if it is high.
        (at_play("AS KS", before=["0 9C JC QC", "1 JS 9S TS", "1 AC KC 9H", "1 AH TH QH"]), "AS"),
        (at_play("AS 9S", before=["0 9C AC QC", "1 JS KS TS", "1 KC TC 9H", "1 AH TH QH"]), "9S"),
        # The declarer: he still draws with three, but with two he waits.
        (at_play("AS KS 9S", declares=True), "AS"),
        (at_play("AS KS", declares=True), "KS"),
        # With all the others gone he has no trump to draw.
        (
            at_play("KS 9S", declares=True, before=["0 JS QS TS", "0 JC 9C 9D", "0 AS TD KD"]),
            "KS",
        ),
    ],
)
def test_leads(view: View, card: str) -> None:
    assert str(careful_card(view)) == card
    backwards = dataclasses.replace(view, hand=view.hand[::-1])
    assert str(careful_card(backwards)) == card


# ------------------------------------------------------------------------------- careful: following


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("view", "card"),
    [
        # 1. Last to play: the cheapest card that wins.
        (at_play("AH KH 9D TD 9C 9S", "QH 9H"), "KH"),
        (at_play("9S AS JC 9D TD KD", "QH 9H"), "9S"),
        (at_play("JS JC 9S AH KH QH", "TS AS"), "JC"),
        # A trump has been played to hearts: only a higher one wins, and he is void.
        (at_play("9S QS JC 9D TD KD", "QH TS"), "QS"),
        # The left bower leads trumps: his club need not follow, and the right bower wins.
        (at_play("JS 9S AC KC QC 9D", "JC TS"), "JS"),
        # The left bower is no club: he is void in clubs, and takes the trick with it.
        (at_play("JC 9D TD KD 9H TH", "AC KC"), "JC"),
        (at_play("JC AC 9D TD 9H TH", "KC QC"), "AC"),
        # 2. Second to play, and following: a card that is high.
        (at_play("AH TH 9D TD 9C 9S", "9H"), "AH"),
        # The cheapest of the high ones: the king is as good as the ace that he holds himself.
        (at_play("AH KH 9H TD 9C 9S", "TH"), "KH"),
        # His king wins so far, but the ace is out: second hand low.
        (at_play("KH TH 9D TD 9C 9S", "9H"), "TH"),
        (at_play("KH TH 9D TD 9C", "9H", before=["1 AC QC 9S"]), "TH"),
        # The ace has been played, or is dead, as he knows.
        (at_play("KH TH 9D TD 9C", "9H", before=["1 AH QH 9S"]), "KH"),
        (at_play("KH TH 9D TD 9C 9S", "9H", dead="AH KD QD JD AD KC"), "KH"),
        # The ten wins too, but only the ace is high; the nine is not asked for.
        (at_play("AH TH 9D TD 9C 9S", "9H"), "AH"),
        # Trumps are led, the right bower is out: low, with the left bower among them.
        (at_play("JC AS 9D TD 9C TC", "9S"), "AS"),
        # The right bower has been played: the left is high.
        (at_play("JC TS 9D TD 9C", "QS", before=["1 JS 9S KS"]), "JC"),
        # The left bower is led, and the right one is high.
        (at_play("JS 9S AC KC QC 9D", "JC"), "JS"),
        # 3. Second to play and void: the cheapest trump.
        (at_play("QS JC 9D TD 9C TC", "KH"), "QS"),
        (at_play("JC 9D TD KD 9H TH", "KC"), "JC"),
        # He has a club beside the left bower: he is not void.
        (at_play("JC 9C TD KD 9H TH", "KC"), "9C"),
        # 4. The trick is lost: the lowest card of the suit.
        (at_play("QH TH 9D TD AS 9S", "AH"), "TH"),
        (at_play("QH KH 9D TD AS 9S", "AH 9S"), "QH"),
        (at_play("JC AS 9S TD 9D AC", "JS"), "9S"),
        (at_play("JC 9D TD KD 9H TH", "JS"), "JC"),
        # A heart was led and ruffed; he cannot win with an ace.
        (at_play("AH KH 9D TD AC 9C", "QH 9S"), "KH"),
        # A discard: the lowest rank of the plain cards that are not high.
        (at_play("AC KH 9H TD QD KD", "JS"), "9H"),
        (at_play("AC 9C KH TH QD KD", "JS"), "9C"),
        # As low: from the suit of which he holds fewest.
        (at_play("9H QH KH 9D QD AC", "JS"), "9D"),
        (at_play("9H QH 9D QD KD AC", "JS"), "9H"),
        # As short: next, then hearts.
        (at_play("9D QD 9H QH 9C QC", "JS"), "9C"),
        (at_play("9D QD 9H QH TC QC", "JS"), "9H"),
        # The cheap card is high: all that could beat it has been played or is his.
        (
            at_play("9H QD KD", "JS", before=["0 AH KH QH", "1 TH JH 9S", "1 AC KC TC"]),
            "QD",
        ),
        # All plain cards are high: the cheapest of them, not the trump.
        (at_play("AC KC AH", "JS", before=["1 AD 9H 9D", "1 KD TH QD", "1 TD QH TS"]), "KC"),
        (at_play("9S AH KH", "KD QS", before=["1 TD AD 9D", "1 AC QC TC", "2 KC JD 9C"]), "KH"),
        # Only trumps that do not win: the lowest.
        (at_play("TS 9S", "KD QS"), "9S"),
        (at_play("JC TS", "KD JS"), "TS"),
    ],
)
def test_follows(view: View, card: str) -> None:
    assert str(careful_card(view)) == card
    backwards = dataclasses.replace(view, hand=view.hand[::-1])
    assert str(careful_card(backwards)) == card


@pytest.mark.jit_off
def test_nobody_plays_before_trump_is_named() -> None:
    for strategy in (Random(), Novice(), Steady(), Odds(), Cheat()):
        with pytest.raises(StrategyError, match="no trump has been named"):
            strategy.play(in_auction(GOOD))


# ------------------------------------------------------------------------------------------- random


@pytest.mark.jit_off
def test_random_draws_every_choice() -> None:
    player = Random()
    asked = [in_auction(GOOD, word=lot(k, 2)) for k in range(2)]
    assert [player.swap(view) for view in asked] == [False, True]
    asked = [in_auction(GOOD, word=lot(k, 5)) for k in range(5)]
    assert [player.bid(view) for view in asked] == [None, 3, 4, 5, 6]
    asked = [in_auction(GOOD, Bid.FOUR, word=lot(k, 3)) for k in range(3)]
    assert [player.bid(view) for view in asked] == [None, 5, 6]
    assert player.bid(in_auction(GOOD, Bid.MOON, word=lot(1, 2))) is None
    asked = [in_auction(GOOD, word=lot(k, 4)) for k in range(4)]
    assert [player.name_trump(view) for view in asked] == list(Suit)


@pytest.mark.jit_off
def test_random_draws_cards_in_lane_order_from_low_to_high() -> None:
    def all_draws(hand: str, trick: str = "", trump: str = "S") -> str:
        n = len(at_play(hand, trick, trump=trump).legal)
        drawn = [Random().play(at_play(hand, trick, trump=trump, word=lot(k, n))) for k in range(n)]
        return " ".join(map(str, drawn))

    assert all_draws("JS JC 9S AC TC KD") == "TC AC KD 9S JC JS"
    assert all_draws("9D AH 9S JD JH AC", trump="H") == "9D 9S AC AH JD JH"
    assert all_draws("JS JC 9S AC TC KD", "QS") == "9S JC JS"
    assert all_draws("JS JC 9S AC TC KD", "QC") == "TC AC"


# ------------------------------------------------------------------------------------------- novice


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("hand", "swaps", "bid", "trump"),
    [
        (POOR, True, None, Suit.SPADES),
        ("AS KS QS 9H TH 9D", False, 3, Suit.SPADES),
        # As many trumps, but one of them a bower.
        ("AS KS QS 9H TH JH", False, 3, Suit.HEARTS),
        # The left bower is the third trump; of equal holdings clubs come before diamonds.
        ("9D TD QD JS AC KC", False, 3, Suit.CLUBS),
        # As many trumps and bowers: outside aces decide, of which the heart is one for diamonds.
        ("9H TH AH 9D TD KD", False, 3, Suit.DIAMONDS),
        (GOOD, False, 4, Suit.SPADES),
        ("JH JD AH KH QH 9C", False, 5, Suit.HEARTS),
        ("JH JD AH KH QH TH", False, 6, Suit.HEARTS),
    ],
)
def test_novice_counts_trumps(hand: str, swaps: bool, bid: int | None, trump: Suit) -> None:
    player = Novice()
    assert player.swap(in_auction(hand)) == swaps
    assert player.bid(in_auction(hand)) == bid
    assert player.name_trump(in_auction(hand)) == trump


@pytest.mark.jit_off
def test_novice_bids_what_it_counts_or_nothing() -> None:
    assert Novice().bid(in_auction(GOOD, Bid.THREE)) == 4
    assert Novice().bid(in_auction(GOOD, Bid.FOUR)) is None
    assert Novice().bid(in_auction(GOOD, rules=Rules(min_bid=5))) is None
    # A dealer who must bid, and has nothing, passes and is stuck.
    stuck = in_auction(POOR, None, None, rules=STUCK_DEALER)
    assert stuck.must_bid
    assert Novice().bid(stuck) is None


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("view", "card"),
    [
        (at_play("JC AS 9S AH AC 9D", declares=True), "JC"),
        (at_play("TC AS 9S AH AC 9D"), "AC"),
        (at_play("TC AS 9S AD AH 9D"), "AH"),
        (at_play("TC KC AH AD QD 9D", declares=True), "AH"),
        (at_play("JC AS 9S"), "JC"),
        # Following: the strongest card that wins.
        (at_play("QH AH KH 9D AS 9S", "TH"), "AH"),
        (at_play("QS 9S JC AD KD TD", "TH KH"), "JC"),
        (at_play("JS AS 9S AD KD TD", "JC"), "JS"),
        # It cannot win: the cheapest legal card, which may be any plain one.
        (at_play("QH TH AS 9S AD TD", "KH"), "TH"),
        (at_play("AC TC AD TD AH TH", "JS"), "TC"),
        (at_play("9S TS AD TD AC KC", "QH KS"), "TD"),
        (at_play("9S TS", "QH KS"), "9S"),
    ],
)
def test_novice_plays_from_the_top(view: View, card: str) -> None:
    assert str(Novice().play(view)) == card


# ------------------------------------------------------------------------------------------- steady


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("hand", "count", "bids", "trump"),
    [
        # Bids with no bid before, and over 3, 4 and 5.
        (POOR, 2, (None, None, None, None), Suit.SPADES),
        ("AS KS QS 9H TH 9D", 3, (None, None, None, None), Suit.SPADES),
        ("AS KS QS 9H TH AD", 4, (3, None, None, None), Suit.SPADES),
        ("AS KS QS JC 9H 9D", 5, (3, 4, None, None), Suit.SPADES),
        ("JS KS QS JC 9H 9D", 6, (3, 4, 5, None), Suit.SPADES),
        (GOOD, 7, (6, 6, 6, 6), Suit.SPADES),
        ("JS JC AS KS AH AD", 8, (6, 6, 6, 6), Suit.SPADES),
        # Clubs count 3 trumps, a bower, two aces; spades as many trumps and bowers, no ace more.
        ("JS AC KC TH AH 9D", 5, (3, 4, None, None), Suit.CLUBS),
        # Spades count 3 and an ace, hearts 3 and an ace: the first.
        ("AS KS QS AH KH QH", 4, (3, None, None, None), Suit.SPADES),
    ],
)
def test_steady_counts(hand: str, count: int, bids: tuple[int | None, ...], trump: Suit) -> None:
    player = Steady()
    standing: list[list[Bid | None]] = [[], [Bid.THREE], [Bid.FOUR], [Bid.FIVE]]
    assert tuple(player.bid(in_auction(hand, *before)) for before in standing) == bids
    assert player.bid(in_auction(hand, Bid.MOON)) is None
    assert player.name_trump(in_auction(hand)) == trump
    assert player.swap(in_auction(hand)) == (count < 5)
    assert Steady(swap_below=count).swap(in_auction(hand)) is False
    assert Steady(swap_below=count + 1).swap(in_auction(hand)) is True


@pytest.mark.jit_off
def test_steady_thresholds() -> None:
    # Count 7. Thresholds need not rise: good for a four, though not for a three.
    assert Steady(three=8, four=7, moon=8).bid(in_auction(GOOD)) is None
    assert Steady(three=8, four=7, moon=8).bid(in_auction(GOOD, Bid.THREE)) == 4
    assert Steady(moon=7).bid(in_auction(GOOD)) == 6
    assert Steady(three=8, moon=7).bid(in_auction(GOOD, None)) == 6
    assert Steady(five=8, moon=8).bid(in_auction(GOOD, None, Bid.FOUR)) is None
    # The lowest bid of the rules is what it must be good for.
    assert Steady(moon=8).bid(in_auction(GOOD, rules=Rules(min_bid=5))) == 5
    assert Steady(moon=8).bid(in_auction(GOOD, rules=Rules(min_bid=6))) is None
    assert Steady(moon=7).bid(in_auction(GOOD, rules=Rules(min_bid=6))) == 6


@pytest.mark.jit_off
def test_steady_dealer_who_must_bid() -> None:
    assert Steady().bid(in_auction(POOR, None, None)) is None
    assert Steady().bid(in_auction(POOR, None, None, rules=STUCK_DEALER)) == 3
    assert (
        Steady().bid(in_auction(POOR, None, None, rules=Rules(all_pass="dealer_bids", min_bid=6)))
        == 6
    )
    assert Steady(moon=7).bid(in_auction(GOOD, None, None, rules=STUCK_DEALER)) == 6
    # It is not he who must.
    assert Steady().bid(in_auction(POOR, None, Bid.THREE, rules=STUCK_DEALER)) is None
    assert Steady().bid(in_auction(POOR, None, rules=STUCK_DEALER)) is None


# --------------------------------------------------------------------------------------------- odds


@settings(max_examples=25)
@given(cards_held=deals(), by=st.sampled_from([STANDARD, HALF_MOON, DOUBLE_OR_NOTHING]))
def test_odds_opens_with_the_solo_bid(cards_held: Deal, by: Rules) -> None:
    """Before anybody has bid, and a pass worth nothing, it does what the solo value is of."""
    hand, dead = cards_held.hands[0], cards_held.hands[1]
    for gone in (None, dead):
        best = solo_value(hand, gone, by)
        assert Odds().bid(in_auction(hand, rules=by, dead=gone)) == best.bid
        if best.bid is not None:
            held = in_auction(hand, rules=by, dead=gone, bid=best.bid)
            assert Odds().name_trump(held) == best.trump


@settings(max_examples=25)
@given(
    cards_held=deals(),
    before=st.sampled_from(Bid),
    points=st.sampled_from([-3.0, -0.5, 0.0, 0.8, 2.0]),
)
def test_odds_over_a_bid(cards_held: Deal, before: Bid, points: float) -> None:
    hand, dead = cards_held.hands[0], cards_held.hands[1]
    for gone, layouts in ((None, LAYOUTS), (dead, SPLITS)):
        frame = bid_table(hand, gone).to_frame()
        able = frame[frame.bid > before]
        # Totals below 2^53 divided by the same number: equal totals are equal floats.
        expected: Bid | None = None
        if len(able) and able.points.max() > round(points * layouts) / layouts:
            expected = Bid(int(able[able.points == able.points.max()].bid.min()))
        view = in_auction(hand, before, dead=gone)
        assert Odds(open_points=-1000, over_points=points).bid(view) == expected
        if expected is not None:
            fits = able[(able.bid == expected) & (able.points == able.points.max())]
            named = Odds().name_trump(dataclasses.replace(view, bid=expected))
            assert named.letter == next(letter for letter in "SCHD" if letter in set(fits.trump))


def test_odds_prefers_a_pass_that_is_worth_as_much() -> None:
    best = solo_value(GOOD)
    assert best.bid == 3
    total = Fraction(best.points).limit_denominator(LAYOUTS) * LAYOUTS
    assert total.denominator == 1
    as_much = float(total) / LAYOUTS
    assert round(as_much * LAYOUTS) == total
    assert Odds(open_points=as_much).bid(in_auction(GOOD)) is None
    assert Odds(open_points=(float(total) - 1) / LAYOUTS).bid(in_auction(GOOD)) == 3
    # What a pass is worth over somebody's bid is another thing.
    assert Odds(over_points=as_much).bid(in_auction(GOOD)) == 3
    assert Odds(open_points=as_much).bid(in_auction(GOOD, Bid.THREE)) == 4


def test_odds_knows_the_hand_it_gave_away() -> None:
    # The ace of hearts is his, all diamonds above the nine are dead: the moon is sure.
    assert Odds().bid(in_auction(GOOD, dead=Hand("AD KD QD JD TD AC"))) == 6
    assert Odds().bid(in_auction(GOOD)) == 3


def test_odds_dealer_who_must_bid() -> None:
    assert solo_value(POOR).bid is None
    assert Odds().bid(in_auction(POOR, None, None)) is None
    stuck = in_auction(POOR, None, None, rules=STUCK_DEALER)
    frame = bid_table(POOR).to_frame()
    least_bad = frame[frame.points == frame.points.max()].iloc[0]
    assert Odds().bid(stuck) == least_bad.bid
    assert Odds(open_points=1000).bid(stuck) == least_bad.bid


def swap_by_hand(hand: Hand, bids: Sequence[Bid], passing: int | None, by: Rules) -> int:
    """The worth of a swap, one ghost after the other, each by the patterns of its four trumps."""
    from ghostsim.kernels.openings import pattern_number
    from ghostsim.openings import shipped_patterns

    patterns = shipped_patterns()
    others = [card.mask for card in map(Card.from_index, range(24)) if card not in hand]
    points = [[by.declarer_points(bid, taken) for taken in range(7)] for bid in bids]
    total = 0
    for six in itertools.combinations(others, 6):
        rows = patterns[[pattern_number(sum(six), hand.mask, suit) for suit in range(4)]]
        best = int((rows.astype(np.int64) @ np.array(points).T).max())
        total += best if passing is None else max(best, passing)
    return total


@pytest.mark.parametrize(
    ("hand", "bids", "passing", "by"),
    [
        (POOR, tuple(Bid), 0, STANDARD),
        (GOOD, (Bid.FIVE, Bid.MOON), round(0.8 * 924), HALF_MOON),
        ("AD KD TH JD 9S AC", tuple(Bid), None, Rules(set_keeps_tricks=True, moon_points=1000)),
    ],
)
def test_worth_of_a_swap(hand: str, bids: tuple[Bid, ...], passing: int | None, by: Rules) -> None:
    by_hand = swap_by_hand(Hand(hand), bids, passing, by)
    assert worth_of_swap(Hand(hand), bids, passing, by) == by_hand


def test_a_swap_when_no_bid_can_be_good() -> None:
    """A pass worth more than any bid is all that the ghost is worth."""
    assert worth_of_swap(Hand(POOR), (Bid.MOON,), 1000 * SPLITS, STANDARD) == 1000 * LAYOUTS
    assert GHOSTS * SPLITS == LAYOUTS == 17_153_136
    # As much as a pass now: it keeps.
    assert Odds(open_points=1000).swap(in_auction(POOR)) is False


@settings(max_examples=25)
@given(hand=hands)
def test_odds_swaps_if_the_swap_gains(hand: Hand) -> None:
    gains = swap_value(hand) > solo_value(hand).points
    assert Odds().swap(in_auction(hand)) == gains


@pytest.mark.parametrize("pass_points", [-2.0, -0.3, 0.0, 1.1])
@pytest.mark.parametrize("hand", [POOR, "AS KS QS 9H TH AD", "JS KS QC JC 9H 9D"])
def test_odds_swaps_over_a_bid(hand: str, pass_points: float) -> None:
    frame = bid_table(hand).to_frame()
    keep = max(round(points * LAYOUTS) for points in frame[frame.bid > 3].points)
    keep = max(keep, round(pass_points * LAYOUTS))
    swap = swap_by_hand(
        Hand(hand), [Bid.FOUR, Bid.FIVE, Bid.MOON], round(pass_points * SPLITS), STANDARD
    )
    assert Odds(over_points=pass_points).swap(in_auction(hand, Bid.THREE)) == (swap > keep)


def test_odds_swaps_when_it_must_bid() -> None:
    stuck = in_auction(POOR, None, None, rules=STUCK_DEALER)
    assert Odds(open_points=1000).swap(stuck) is True
    assert Odds(open_points=1000).swap(in_auction(GOOD, None, None, rules=STUCK_DEALER)) is False


def test_odds_needs_a_bid_to_name_trump_for() -> None:
    for strategy in (Odds(), Cheat()):
        with pytest.raises(StrategyError, match="nobody has bid"):
            strategy.name_trump(in_auction(GOOD))


# -------------------------------------------------------------------------------------------- cheat


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("view", "card"),
    [
        # It must follow and cannot win: the cheapest trump.
        (at_play("9H TH AS QS 9D AC", "KH", revokes_allowed=True), "QS"),
        # Somebody has ruffed, or revoked: only a trump that beats his.
        (at_play("9H TH AS QS 9D JC", "QH KS", revokes_allowed=True), "AS"),
        (at_play("9H TH JC QS 9D AC", "QH KS", revokes_allowed=True), "JC"),
        (at_play("AH TH 9S QS 9D AC", "QH KS", revokes_allowed=True), "TH"),
        # It can win by following: it plays as odds does, though that may lose the trick.
        (at_play("KH TH AS QS 9D AC", "QH", revokes_allowed=True), "TH"),
        (at_play("KH TH AS QS 9D AC", "QH 9H", revokes_allowed=True), "KH"),
        # The left bower is a trump of his, and no club.
        (at_play("9C TC JC 9D TD KD", "AC", revokes_allowed=True), "JC"),
        # Trumps were led, it is void, or it leads: nothing to revoke.
        (at_play("9S AC KC 9D TD KD", "JS", revokes_allowed=True), "9S"),
        (at_play("9S AS KC 9D TD KD", "AH", revokes_allowed=True), "9S"),
        (at_play("9S AS KC 9D AD KD", revokes_allowed=True), "AD"),
        # It has no trump, or the table lets no revoke stand.
        (at_play("9H TH AC QC 9D AD", "KH", revokes_allowed=True), "9H"),
        (at_play("9H TH AS QS 9D AC", "KH"), "9H"),
    ],
)
def test_cheat_revokes_to_ruff(view: View, card: str) -> None:
    assert str(Cheat().play(view)) == card


@pytest.mark.jit_off
def test_cheat_revokes_in_its_tricks_only() -> None:
    second = at_play("9H TH AS 9D AC", "KH", revokes_allowed=True, before=["0 9C KC TC"])
    assert str(Cheat().play(second)) == "AS"
    assert str(Cheat(tricks="2").play(second)) == "AS"
    assert str(Cheat(tricks="13456").play(second)) == "9H"


def test_cheat_bids_as_odds() -> None:
    for hand in (GOOD, POOR, "JS KS QC JC 9H 9D"):
        view = in_auction(hand, Bid.THREE)
        assert Cheat(over_points=0.8).bid(view) == Odds(over_points=0.8).bid(view)
        assert Cheat(over_points=0.8).swap(view) == Odds(over_points=0.8).swap(view)


# --------------------------------------------------------------------------------------------- peek

#: Seat 0 takes all six in spades: the nine of diamonds wins, the others are in the ghost.
SIX = Deal((GOOD, "QS TS 9S AC KC QC", "TC 9C KH QH JH TH"), "AD KD QD JD TD 9H")


def test_peek_bids_what_it_will_take() -> None:
    start = DealState.start(SIX, dealer=2)
    assert solve(SIX, "S").declarer_tricks == 6
    assert next_action(start, Peek()) == Bid.MOON
    assert next_action(start.make_bid(6).pass_turn().pass_turn(), Peek()) == Suit.SPADES
    # 5 points beat a made moon that scores 4; of bids that score 6, the lowest.
    cheap = DealState.start(SIX, dealer=2, rules=Rules(moon_points=4))
    assert next_action(cheap, Peek()) == Bid.THREE
    assert next_action(DealState.start(SIX, dealer=2, rules=Rules(moon_points=6)), Peek()) == 3


#: Seat 1 has no card above a ten. As declarer, the ghost's cards would take a trick or two.
HOPELESS = Deal(
    ("JS JC AS KS AH AD", "9S TS 9C TC 9H TH", "JH JD AC KC KH KD"), "QS QC QH QD 9D TD"
)


def test_peek_passes_if_it_can_make_nothing() -> None:
    assert next_action(DealState.start(HOPELESS, dealer=0), Peek()) == "pass"
    assert next_action(DealState.replay(HOPELESS, 0, "swap"), Peek()) == "pass"


def test_peek_that_must_bid_loses_the_least() -> None:
    state = DealState.replay(HOPELESS, 1, "pass pass", rules=STUCK_DEALER)
    assert state.to_act == 1
    # It is set in any trump, with either hand: it keeps, bids the least, and names the first suit.
    assert next_action(state, Peek()) == Bid.THREE
    assert next_action(state.make_bid(3), Peek()) == Suit.SPADES


def test_peek_swaps_for_a_better_ghost() -> None:
    first, second, third = HOPELESS.hands
    better = Deal((HOPELESS.ghost, second, third), first)
    state = DealState.start(better, dealer=0)
    assert next_action(state, Peek()) == "swap"
    # Four top trumps of five and two aces: the moon.
    assert next_action(state.swap(), Peek()) == Bid.MOON
    assert next_action(state.swap().make_bid(6).act_all("pass pass"), Peek()) == Suit.SPADES
    # No ghost scores more than the moon that it has.
    assert next_action(DealState.start(SIX, dealer=2), Peek()) == Bid.MOON


@settings(max_examples=30)
@given(deal=deals(), line=st.lists(st.integers(0, 5), max_size=17), trump=st.sampled_from(Suit))
def test_peek_plays_the_cheapest_of_the_best(deal: Deal, line: list[int], trump: Suit) -> None:
    state = DealState.replay(deal, 2, ["3", "pass", "pass", trump])
    for choice in line:
        state = state.act(state.legal[choice % len(state.legal)])
    best = card_values(state.position).best
    # Trumps after plain cards, then by rank, then next, green, green.
    lanes = [trump ^ 1, *(suit for suit in Suit if suit not in (trump, trump ^ 1)), trump]
    order = sorted(
        best,
        key=lambda card: (
            card.suit_under(trump) == trump,
            card.strength(trump),
            lanes.index(card.suit_under(trump)),
        ),
    )
    assert next_action(state, Peek()) == order[0]


def test_peek_plays_on_after_a_revoke_in_the_trick() -> None:
    deal = Deal(("AH 9S TS QS KS AS", "TH JH JS JC 9C TC", "9H QH KH QC KC AC"))
    state = DealState.replay(deal, 2, "3 pass pass S AH JS", revoke_detection=0.0)
    assert [revoke.seat for revoke in state.revokes] == [1]
    # The trick is won by now, and the declarer's five trumps lose another to the left bower,
    # whatever heart is played: the cheapest.
    assert next_action(state, Peek()) == Card("9H")


def test_peek_needs_the_state() -> None:
    for asked in (Peek().bid, Peek().swap):
        with pytest.raises(StrategyError, match="needs an OpenView"):
            asked(in_auction(GOOD))
    with pytest.raises(StrategyError, match="nobody declares"):
        Peek().play(dataclasses.replace(at_play(GOOD), declarer=None))
    with pytest.raises(StrategyError, match="nobody has bid"):
        Peek().name_trump(in_auction(GOOD))


# --------------------------------------------------------------------------------------- parameters


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("strategy", "name"),
    [
        (Random(), "random"),
        (Novice(), "novice"),
        (Steady(), "steady"),
        (Steady(four=5), "steady"),
        (Steady(moon=9, four=7), "steady:four=7,moon=9"),
        (Steady(four=np.int64(7)), "steady:four=7"),  # type: ignore[arg-type]  # a whole number
        (Odds(over_points=0.8), "odds:over_points=0.8"),
        (Odds(open_points=1), "odds:open_points=1.0"),
        (Cheat(tricks="654", over_points=-2), "cheat:over_points=-2.0,tricks=456"),
        (Peek(), "peek"),
    ],
)
def test_names(strategy: Strategy, name: str) -> None:
    assert strategy.name == name
    assert find_strategy(name) == strategy
    assert strategy.sees_all_cards == (name == "peek")


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("kind", "parameters", "error", "message"),
    [
        (Steady, {"four": 21}, StrategyError, "steady: four must be a hand count from 0 to 20"),
        (Steady, {"swap_below": -1}, StrategyError, "steady: swap_below must be .*, not -1"),
        (Steady, {"three": 5.0}, TypeError, "steady: three must be a whole number, not 5.0"),
        (Steady, {"three": True}, TypeError, "steady: three must be a whole number, not True"),
        (Odds, {"open_points": float("nan")}, StrategyError, "odds: open_points .* not nan"),
        (Odds, {"over_points": float("inf")}, StrategyError, "odds: over_points .* not inf"),
        (Odds, {"over_points": 1000.5}, StrategyError, "from -1000 to 1000, not 1000.5"),
        (Odds, {"over_points": "0.8"}, TypeError, "over_points must be a number of points"),
        (Odds, {"over_points": True}, TypeError, "over_points must be a number of points"),
        (Cheat, {"open_points": 2000}, StrategyError, "cheat: open_points must be points from"),
        (Cheat, {"tricks": ""}, StrategyError, "cheat: tricks must be digits 1 to 6, each once"),
        (Cheat, {"tricks": "7"}, StrategyError, "not '7'"),
        (Cheat, {"tricks": "11"}, StrategyError, "not '11'"),
        (Cheat, {"tricks": "1 2"}, StrategyError, "not '1 2'"),
        (Cheat, {"tricks": 3}, TypeError, "cheat: tricks must be a text of digits 1-6, not 3"),
    ],
)
def test_parameters_are_checked(
    kind: Any, parameters: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        kind(**parameters)


@pytest.mark.jit_off
def test_built_in_strategies_are_values() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Steady().four = 7  # type: ignore[misc]  # which is the point
    assert {Steady(), Steady(four=5), Odds()} == {Odds(), Steady()}
    assert Odds() != Cheat()


# ------------------------------------------------------------------------------------- at the table


@st.composite
def moments(draw: st.DrawFn, *, any_rules: bool = False) -> DealState:
    """A moment of a deal in which any seat has done anything that it may, revokes too."""
    state = DealState.start(
        draw(deals()),
        draw(seats),
        draw(rules) if any_rules else STANDARD,
        seed=draw(words),
        index=draw(words),
        revoke_detection=draw(st.sampled_from([None, 0.0])),
    )
    line = draw(st.lists(st.integers(0, 23), min_size=22, max_size=22))
    for choice in line[: draw(st.integers(0, 22))]:
        actions = state.legal_actions
        if state.phase == "play" and state.revoke_detection is not None and choice > 17:
            actions = state.hands[state.to_act or 0]
        following = state.act(actions[choice % len(actions)])
        if following.is_over:
            break
        state = following
    return state


@settings(max_examples=60)
@given(state=moments(any_rules=True), name=st.sampled_from(EVERY))
def test_every_decision_is_allowed(state: DealState, name: str) -> None:
    action = next_action(state, find_strategy(name))  # raises if it is not
    state.act(action)


@settings(max_examples=60)
@given(state=moments(), data=st.data())
def test_hidden_cards_change_no_decision(state: DealState, data: st.DataObject) -> None:
    seat = state.to_act
    assert seat is not None
    seen = state.view(seat).seen
    hidden = [card for hand in (*state.deal.hands, state.deal.ghost) for card in hand]
    hidden = [card for card in hidden if not card.mask & seen]
    lies = dict(zip(hidden, data.draw(st.permutations(hidden)), strict=True))

    def moved(hand: Hand) -> Hand:
        return Hand([lies.get(card, card) for card in hand])

    other = DealState.start(
        Deal([moved(hand) for hand in state.deal.hands], moved(state.deal.ghost)),
        state.dealer,
        seed=state.seed,
        index=state.index,
        # With other cards, what was played may be a revoke, which nobody has noticed.
        revoke_detection=0.0,
    )
    for turn in state.turns:
        other = other.swap() if turn.swapped else other
        other = other.pass_turn() if turn.bid is None else other.make_bid(turn.bid)
    other = other.swap() if state.has_swapped else other
    if state.trump is not None:
        other = other.name_trump(state.trump)
    for card in state.plays:
        other = other.play(card)
    lenient = dataclasses.replace(state, revoke_detection=0.0)
    for swap in (False, True):
        assert other.view(seat, swap=swap) == lenient.view(seat, swap=swap)
    for name in HONEST:
        strategy = find_strategy(name)
        assert next_action(other, strategy) == next_action(lenient, strategy)


def relabelled_card(card: Card, to: tuple[int, int, int, int]) -> Card:
    return Card.of(card.rank, Suit(to[card.suit]))


def relabelled_view(view: View, to: tuple[int, int, int, int]) -> View:
    def all_of(some: Sequence[Card]) -> tuple[Card, ...]:
        return tuple(relabelled_card(card, to) for card in some)

    done = []
    for trick in view.tricks:
        first, second, third = all_of(trick.cards)
        done.append(Trick(trick.leader, (first, second, third), trick.winner))
    return dataclasses.replace(
        view,
        hand=all_of(view.hand),
        dead=None if view.dead is None else Hand(all_of(tuple(view.dead))),
        trump=None if view.trump is None else Suit(to[view.trump]),
        trick=all_of(view.trick),
        tricks=tuple(done),
    )


@settings(max_examples=50)
@given(state=moments(), to=relabellings)
def test_suits_that_change_names_change_nothing_else(
    state: DealState, to: tuple[int, int, int, int]
) -> None:
    seat = state.to_act
    assert seat is not None
    view = state.view(seat)
    other = relabelled_view(view, to)
    for name in HONEST:
        strategy = find_strategy(name)
        if state.phase == "auction":
            assert strategy.bid(other) == strategy.bid(view)
            if view.bids and view.can_swap:
                assert strategy.swap(other) == strategy.swap(view)
    if view.trump is not None:
        green = [to[suit] for suit in Suit if suit not in (view.trump, view.trump.next)]
        if green == sorted(green):  # the green suits keep their order, and so does every tie
            for name in HONEST:
                strategy = find_strategy(name)
                assert strategy.play(other) == relabelled_card(strategy.play(view), to)


def test_all_eight_relabellings_are_drawn() -> None:
    kept = [to for to in EIGHT_RELABELLINGS if to[2] < to[3]]
    assert len(kept) == 4  # of spades as trump, half keep the order of the green suits


@pytest.mark.parametrize(
    ("names", "detection"),
    [
        (("random", "random", "novice"), None),
        (("novice", "novice", "novice"), None),
        (("steady", "steady", "steady:moon=8"), 0.5),
        (("odds", "odds:open_points=0.5,over_points=0.8", "steady"), None),
        (("cheat", "cheat:tricks=12", "novice"), 0.5),
        (("cheat", "cheat:tricks=12", "novice"), None),
        (("peek", "odds", "random"), None),
        (("peek", "cheat", "peek"), 0.5),
    ],
)
def test_games_come_to_an_end(names: tuple[str, str, str], detection: float | None) -> None:
    table = check_strategies(names)
    record = play_game(table, seed=7, revoke_detection=detection)
    assert record.winner is not None
    assert record.strategies == names
    assert record == play_game(table, seed=7, revoke_detection=detection)
    revokes = [revoke for deal in record.finished for revoke in deal.revokes]
    assert bool(revokes) == (detection is not None and "cheat" in names)


def test_peek_does_better_than_the_others_on_the_same_deals() -> None:
    def points(names: Sequence[str]) -> int:
        table = check_strategies(names)
        played = [
            play_deal(table, Deal.random(3, index), dealer=index % 3, seed=3, index=index)
            for index in range(60)
        ]
        return sum(state.points[0] for state in played)

    assert points(["peek", "steady", "steady"]) > points(["steady"] * 3)
    assert points(["steady"] * 3) > points(["random", "steady", "steady"])


def test_an_honest_strategy_may_be_shown_an_open_view() -> None:
    state = DealState.start(SIX, dealer=2)
    seen = state.open_view(0)
    assert isinstance(seen, OpenView)
    assert Steady(moon=8).bid(seen) == Steady(moon=8).bid(state.view(0)) == 3
