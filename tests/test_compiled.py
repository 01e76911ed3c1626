"""What the compiled game reads and decides, against the strategies in plain Python.

``tests/test_games.py`` compares whole deals. Here it is each decision alone, also where a deal
comes to it once in a million.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import oracle
from ghostsim.cards import Card, Hand, Suit
from ghostsim.kernels import game as kernel
from ghostsim.kernels.openings import pattern_number
from ghostsim.kernels.relabel import TRUMP_LANE, to_lanes
from ghostsim.position import trick_winner
from ghostsim.rules import STANDARD, Bid, Rules
from ghostsim.strategies import (
    Cheat,
    Novice,
    Odds,
    Peek,
    Random,
    Steady,
    Strategy,
    careful,
    careful_card,
)
from ghostsim.strategies.compiled import (
    N_HANDS,
    CompiledStrategy,
    compile_strategy,
    pattern_points,
    setting_of,
)
from ghostsim.strategies.words import cheapest
from ghostsim.table.chance import below, happens
from ghostsim.table.game import GameState
from ghostsim.table.view import Trick, Turn, View
from strategies import DECK, as_mask, card_sets, hand_masks, rules, trumps, words

STUCK = Rules(all_pass="dealer_bids")
FREE = Rules(swaps_per_deal=0, all_pass="dealer_bids", set_keeps_tricks=True)

#: By context: the bids before, by turn.
CONTEXTS: tuple[tuple[Bid | None, ...], ...] = (
    (),
    (Bid.THREE,),
    (None, Bid.FOUR),
    (Bid.THREE, Bid.FIVE),
    (None, None),
)


def in_auction(hand: int | Hand, context: int, played: Rules) -> View:
    """The view of a seat that has to decide, in one of the contexts; in the last, it must bid."""
    before = CONTEXTS[context]
    made = [bid for bid in before if bid is not None]
    cards = Hand.from_mask(hand) if isinstance(hand, int) else hand
    return View(
        rules=played,
        seat=len(before),
        dealer=2 if context == kernel.MUST_BID else 1,
        scores=(0, 0, 0),
        hand=tuple(cards),
        turns=tuple(Turn(seat, False, bid) for seat, bid in enumerate(before)),
        bid=made[-1] if made else None,
    )


def possible_contexts(played: Rules) -> Iterator[int]:
    """The contexts that these rules let happen."""
    for context, before in enumerate(CONTEXTS):
        made = [bid for bid in before if bid is not None]
        if context == kernel.MUST_BID:
            if played.all_pass == "dealer_bids":
                yield context
        elif not made or made[-1] >= played.min_bid:
            yield context


def compiled(strategy: Strategy, played: Rules) -> CompiledStrategy:
    found = compile_strategy(strategy, played)
    assert found is not None
    return found


# --------------------------------------------------------------------------------- cards and hands


@pytest.mark.jit_off
@pytest.mark.bounds
def test_numbers_of_cards() -> None:
    for trump in Suit:
        bits = {int(to_lanes(1 << card, int(trump))): card for card in DECK}
        assert len(bits) == 24
        for bit in range(32):
            assert kernel.CARD_NUMBERS[trump, bit] == bits.get(1 << bit, -1)
        for lanes, number in bits.items():
            card = Card.from_index(number)
            assert int(kernel.bit_number(np.int64(lanes))) == lanes.bit_length() - 1
            if card.suit_under(trump) != trump:
                assert kernel.RANKS[lanes.bit_length() - 1] == card.rank
                assert lanes & kernel.PLAIN_LANES == lanes
            else:
                assert lanes & TRUMP_LANE == lanes
        assert sum(bits) == kernel.ALL_LANES


@pytest.mark.bounds
def test_numbers_of_hands() -> None:
    masks = sorted(sum(1 << card for card in six) for six in itertools.combinations(DECK, 6))
    assert len(masks) == N_HANDS == 134_596
    for number, mask in enumerate(masks):
        assert kernel.hand_number(mask) == number


@pytest.mark.jit_off
@pytest.mark.bounds
@given(hand_masks)
def test_numbers_of_some_hands(mask: int) -> None:
    """The combinatorial number system: card c is the i-th of the hand and counts C(c, i)."""
    held = [card for card in DECK if mask >> card & 1]
    smaller = sum(math.comb(card, i) for i, card in enumerate(held, start=1))
    assert int(kernel.hand_number(np.int64(mask))) == smaller


# ------------------------------------------------------------------------- policies, by the rules


def check_policy(strategy: Strategy, played: Rules, hands: Iterable[int]) -> None:
    """The tables say what the strategy does with these hands, in every context."""
    found = compiled(strategy, played)
    assert found.policy.dtype == np.uint8
    assert found.policy.shape == (kernel.TRUMPS + 1, N_HANDS)
    for mask in hands:
        number = int(kernel.hand_number(np.int64(mask)))
        for context in possible_contexts(played):
            view = in_auction(mask, context, played)
            assert view.must_bid == (context == kernel.MUST_BID)
            entry = int(found.policy[context, number])
            assert entry & 7 == int(strategy.bid(view) or 0), (context, view)
            if played.swaps_per_deal:
                assert bool(entry & kernel.SWAP_FIRST) == strategy.swap(view), (context, view)
        for bid in played.bids:
            declares = dataclasses.replace(in_auction(mask, 0, played), bid=bid)
            trump = int(found.policy[kernel.TRUMPS, number]) >> 2 * (bid - 3) & 3
            assert trump == strategy.name_trump(declares), (bid, declares)


def some_hands(n: int, lot: int) -> list[int]:
    """Hands by lot, and some that lie at the ends: bowers, one suit, two suits, nothing."""
    chosen = random.Random(lot)
    hands = [sum(1 << card for card in chosen.sample(DECK, 6)) for _ in range(n)]
    told = ["JS JC AS KS QS TS", "9S TS 9C TC 9H TH", "JH JD AH AD AS AC", "9H TH JH QH KH AH"]
    return [*hands, *(Hand(text).mask for text in [*told, "JS JC JH JD 9S 9H"])]


@pytest.mark.jit_off
@pytest.mark.parametrize(
    "strategy",
    [Novice(), Steady(), Steady(three=2, four=5, five=4, moon=6, swap_below=9), Steady(0, 0, 0, 0)],
    ids=lambda strategy: strategy.name,
)
@pytest.mark.parametrize("played", [STANDARD, STUCK, Rules(min_bid=5)], ids=str)
def test_tables_of_thumb(strategy: Strategy, played: Rules) -> None:
    check_policy(strategy, played, some_hands(40, lot=1))


@settings(max_examples=30)
@given(st.builds(Steady, *[st.integers(0, 9)] * 5), rules, st.lists(hand_masks, max_size=8))
def test_tables_of_steady(strategy: Steady, played: Rules, hands: list[int]) -> None:
    check_policy(strategy, played, hands)


@pytest.mark.parametrize(
    "strategy",
    [
        Odds(),
        Odds(open_points=1.5, over_points=-0.5),
        Odds(open_points=-4.0, over_points=2.25),
        Cheat(over_points=1.0),
    ],
    ids=lambda strategy: strategy.name,
)
@pytest.mark.parametrize("played", [FREE, FREE.replace(min_bid=4, moon_points=7)], ids=str)
def test_tables_of_odds(strategy: Strategy, played: Rules) -> None:
    check_policy(strategy, played, some_hands(60, lot=2))


def test_tables_of_odds_that_swap() -> None:
    # Where both a pass and a swap are worth less than nothing.
    played = Rules(all_pass="dealer_bids", set_keeps_tricks=True, moon_set_points=24, target=5)
    check_policy(Odds(open_points=-0.5, over_points=0.8), played, some_hands(30, lot=3))


def test_tables_are_not_those_of_other_rules() -> None:
    first, second = (
        compiled(Odds(), FREE.replace(moon_points=points)).policy for points in (6, 1000)
    )
    assert (first[0] & 7 == 6).sum() < (second[0] & 7 == 6).sum()


@pytest.mark.parametrize("points", [0.0, 0.8, -1.0005, 1000.0])
def test_the_points_of_a_pass(points: float) -> None:
    numbers = compiled(Odds(open_points=points, over_points=-points / 3), FREE).numbers
    assert numbers[kernel.OPEN_TOTAL] == round(points * 924)
    assert numbers[kernel.OVER_TOTAL] == round(-points / 3 * 924)


def test_cheats_numbers() -> None:
    for tricks in ("1", "6", "246", "123456"):
        numbers = compiled(Cheat(tricks=tricks), FREE).numbers
        assert numbers[kernel.REVOKES] == sum(1 << "123456".index(digit) for digit in tricks)
        honest = compiled(Odds(), FREE).numbers
        assert honest[kernel.REVOKES] == 0
        assert numbers.tolist()[:4] == honest.tolist()[:4]


@pytest.mark.parametrize("played", [FREE, Rules(moon_points=30, min_bid=5)], ids=str)
def test_points_of_patterns(played: Rules) -> None:
    from ghostsim.openings import shipped_patterns

    found, patterns = pattern_points(played), shipped_patterns()
    assert found.shape == (len(patterns), 4)
    for row in random.Random(4).sample(range(len(patterns)), 200):
        for bid in (3, 4, 5, 6):
            total = 0
            if bid >= played.min_bid:
                for tricks, layouts in enumerate(patterns[row].tolist()):
                    total += layouts * oracle.declarer_points(
                        bid,
                        tricks,
                        played.moon_points,
                        played.moon_set_points,
                        played.set_keeps_tricks,
                    )
            assert found[row, bid - 3] == total


# ---------------------------------------------------------------- bids when the dead hand is known

AFTER_SWAP = [STUCK, FREE, Rules(min_bid=4, moon_points=0), Rules(min_bid=6, moon_set_points=0)]


@pytest.mark.bounds
@settings(max_examples=75)
@given(
    st.permutations(DECK),
    st.sampled_from(AFTER_SWAP),
    st.integers(0, 4),
    st.floats(-8, 8) | st.sampled_from([0.0, -1000.0, 1000.0]),
)
def test_bids_and_trumps_after_a_swap(
    order: list[int], played: Rules, context: int, points: float
) -> None:
    if context not in possible_contexts(played):
        context = 0
    own, dead = as_mask(order[:6]), as_mask(order[6:12])
    strategy = Odds(open_points=points, over_points=-points)
    view = dataclasses.replace(in_auction(own, context, played), dead=Hand.from_mask(dead))
    total = round((points if view.bid is None else -points) * 924)
    lowest = min(map(int, view.bids))
    bid, trump = kernel.odds_bid(
        own, dead, lowest, total, context == kernel.MUST_BID, pattern_points(played)
    )
    told = strategy.bid(view)
    assert bid == int(told or 0)
    assert (trump == -1) == (told is None)
    for held in played.bids:
        named = strategy.name_trump(dataclasses.replace(view, bid=held))
        assert kernel.odds_trump(own, dead, int(held), pattern_points(played)) == named
        if held == told:
            assert trump == named  # what it meant when it bid


def test_equal_bids_after_a_swap() -> None:
    """A moon in one trump, worth as much as the lowest bid in a later one: the lower bid."""
    lot = random.Random(1)
    orders = [lot.sample(DECK, 12) for _ in range(20_000)]
    hands = [(as_mask(order[:6]), as_mask(order[6:])) for order in orders]
    rows = np.array([[pattern_number(*both, trump) for trump in range(4)] for both in hands])
    ties = 0
    for lost in (0, 1, 2):
        played = Rules(moon_set_points=lost, swaps_per_deal=0, all_pass="dealer_bids")
        table = pattern_points(played)
        three, moon = table[rows, 0], table[rows, 3]
        best = np.maximum(three, moon).max(axis=1)
        for trump, later in itertools.combinations(range(4), 2):
            tied = (moon[:, trump] == best) & (three[:, later] == best) & (three[:, trump] < best)
            for i in np.flatnonzero(tied).tolist():
                own, dead = hands[i]
                view = in_auction(own, kernel.MUST_BID, played)
                view = dataclasses.replace(view, dead=Hand.from_mask(dead))
                bid, named = kernel.odds_bid(own, dead, 3, 0, True, table)
                assert bid == Odds().bid(view) == 3
                assert named == Odds().name_trump(dataclasses.replace(view, bid=Bid.THREE))
                ties += 1
    assert ties > 5


@pytest.mark.bounds
def test_equal_trumps_after_a_swap() -> None:
    """A hand that is the same in spades and clubs, and in hearts and diamonds: the first is named.

    And a moon that wins nothing is worth as much as any other bid that makes nothing.
    """
    own, dead = Hand("JS JC AS AC 9H 9D"), Hand("KS KC QS QC JH JD")
    played = Rules(moon_points=0, moon_set_points=0, swaps_per_deal=0)
    view = dataclasses.replace(in_auction(own, 0, played), dead=dead)
    table = pattern_points(played)
    for bid in Bid:
        named = Odds().name_trump(dataclasses.replace(view, bid=bid))
        assert kernel.odds_trump(own.mask, dead.mask, int(bid), table) == named == Suit.SPADES
    own, dead = Hand("9H 9D TH TD 9S 9C"), Hand("TS TC QS QC QH QD")
    view = dataclasses.replace(in_auction(own, 0, played), dead=dead)
    for points in (-1.0, 0.0):
        strategy = Odds(open_points=points)
        bid, trump = kernel.odds_bid(own.mask, dead.mask, 3, int(points * 924), False, table)
        told = strategy.bid(view)
        assert bid == int(told or 0)
        assert trump == (-1 if told is None else Suit.SPADES)


# ------------------------------------------------------------------------------ cards, view by view


@dataclasses.dataclass(frozen=True)
class Seen:
    """What a seat that has to play sees: as a view, and as the lanes that kernels take."""

    view: View
    hand: int
    out: int
    led: int
    winning: int


def seen(lot: random.Random) -> Seen:
    """Any cards in the hand, played and dead, whether or not a deal comes to it."""
    done, place, swapped = lot.randrange(6), lot.randrange(3), lot.random() < 0.3
    order = [Card.from_index(card) for card in lot.sample(DECK, 24)]
    trump = Suit(lot.randrange(4))
    sizes = [6 - done, 3 * done, place, 6 if swapped else 0]
    hand, played, trick, dead = (order[sum(sizes[:i]) : sum(sizes[: i + 1])] for i in range(4))
    tricks = []
    for first in range(0, 3 * done, 3):
        three = (played[first], played[first + 1], played[first + 2])
        tricks.append(Trick(0, three, trick_winner(three, 0, trump)))
    view = View(
        rules=STANDARD,
        seat=0,
        dealer=2,
        scores=(0, 0, 0),
        hand=tuple(hand),
        dead=Hand(dead) if swapped else None,
        declarer=lot.randrange(3),
        bid=Bid.THREE,
        trump=trump,
        leader=-place % 3,
        trick=tuple(trick),
        tricks=tuple(tricks),
        revokes_allowed=True,
        word=lot.getrandbits(64),
    )
    led = winning = 0
    if trick:
        suit = trick[0].suit_under(trump)
        for card in map(Card.from_index, DECK):
            if card.suit_under(trump) == suit:
                led |= 0x7F << (lane(card, trump).bit_length() - 1) // 8 * 8
        winning = lane(trick[trick_winner(trick, 0, trump)], trump)
    mine = lanes(hand, trump)
    return Seen(
        view, mine, kernel.ALL_LANES & ~lanes([*hand, *played, *trick, *dead], trump), led, winning
    )


def lane(card: Card, trump: Suit) -> int:
    return int(to_lanes(card.mask, int(trump)))


def lanes(cards: Iterable[Card], trump: Suit) -> int:
    return sum(lane(card, trump) for card in cards)


def many_seen(n: int, lot: int) -> Iterator[Seen]:
    chosen = random.Random(lot)
    for _ in range(n):
        yield seen(chosen)


def check_cards(n: int, lot: int) -> None:
    """Every function that chooses a card, on as many views."""
    for it in many_seen(n, lot):
        view, trump = it.view, it.view.trump
        assert trump is not None
        is_declarer = view.declarer == view.seat

        def named(card: Any, trump: Suit = trump) -> Card:
            assert card > 0 and card & (card - 1) == 0
            return Card.from_index(int(kernel.CARD_NUMBERS[trump, int(card).bit_length() - 1]))

        hand = np.int64(it.hand)
        assert named(kernel.cheapest_card(hand)) == cheapest(view.hand, trump)
        assert named(kernel.discard(hand, it.out)) == careful.discard(view)
        legal = lanes(view.legal, trump)
        assert legal == (it.hand & it.led or it.hand)
        number = below(view.word, len(view.legal))
        assert named(kernel.nth_card(np.int64(legal), number)) == Random().play(view)
        if not view.trick:
            assert named(kernel.careful_lead(hand, it.out, is_declarer)) == careful.lead(view)
            assert named(kernel.novice_lead(hand, is_declarer)) == Novice().play(view)
            continue
        last = len(view.trick) == 2
        followed = kernel.careful_follow(hand, it.out, it.led, np.int64(it.winning), last)
        assert named(followed) == careful_card(view)
        thrown = kernel.novice_follow(hand, it.led, np.int64(it.winning))
        assert named(thrown) == Novice().play(view)


@pytest.mark.jit_off
@pytest.mark.bounds
def test_cards_of_some_views() -> None:
    check_cards(300, lot=5)


def test_cards_of_many_views() -> None:
    check_cards(6_000, lot=6)


# ------------------------------------------------------------------------------ a trick by a kernel


@pytest.mark.jit_off
@pytest.mark.bounds
@given(card_sets(3), st.permutations(range(3)), trumps, st.integers(0, 2), st.integers(0, 5))
def test_winners_of_logged_tricks(
    three: frozenset[int], order: list[int], trump: Suit, leader: int, trick: int
) -> None:
    log = np.full(kernel.LOG_COLUMNS, -1, dtype=np.int8)
    played = [sorted(three)[i] for i in order]
    log[kernel.CARDS + 3 * trick : kernel.CARDS + 3 * trick + 3] = played
    cards = [str(Card.from_index(card)) for card in played]
    winner = oracle.trick_winner(cards, leader, trump.letter)
    assert kernel.trick_winner(log, trick, leader, int(trump)) == winner


@pytest.mark.jit_off
@pytest.mark.bounds
@given(st.tuples(*[st.integers(-50, 50)] * 3), st.integers(1, 50))
@example((32, 31, 0), 32)
@example((31, 31, 31), 32)
@example((33, 35, 35), 32)
@example((33, 34, 35), 32)
@example((40, 40, 40), 32)
@example((-3, -6, -1), 1)
def test_who_is_ahead(scores: tuple[int, int, int], target: int) -> None:
    ahead = int(kernel.leaders(np.array(scores), target))
    state = GameState(rules=Rules(target=target), scores=scores)
    seats = [seat for seat in range(3) if ahead >> seat & 1]
    if len(seats) == 1:
        assert state.winner == seats[0]
    else:
        assert state.winner is None
        assert state.is_tied == bool(seats)
        assert not seats or tuple(seats) == state.leaders


# ---------------------------------------------------------------------------------------- settings


class Other(Strategy):
    def bid(self, view: View) -> Bid | None:
        return None

    def name_trump(self, view: View) -> Suit:
        return Suit.SPADES

    def play(self, view: View) -> Card:
        return view.legal[0]


class OwnSteady(Steady):
    """Not ``Steady``, whatever it does."""


@dataclasses.dataclass
class NoHash(Other):
    weight: int = 0


class Duck:
    """Decides as a strategy does, and is none."""

    name = "duck"
    sees_all_cards = False
    swap = Other.swap
    bid = Other.bid
    name_trump = Other.name_trump
    play = Other.play


def test_equal_strategies_have_one_number() -> None:
    found = setting_of([Steady(), Random(), Steady()], STANDARD)
    assert found is not None
    setting, who = found
    assert who.tolist() == [0, 1, 0]
    assert who.dtype == np.int64
    assert len(setting.policy) == len(setting.numbers) == 2

    found = setting_of([Steady(moon=9), Steady(moon=8), Steady(moon=9)], STANDARD)
    assert found is not None
    assert found[1].tolist() == [0, 1, 0]
    four, five = Cheat(tricks="6"), Cheat(tricks="56")
    found = setting_of([Odds(), four, five, four, Peek(), Novice(), Odds()], FREE)
    assert found is not None
    assert found[1].tolist() == [0, 1, 2, 1, 3, 4, 0]


@pytest.mark.parametrize("own", [Other(), OwnSteady(), NoHash(), Duck()], ids=lambda own: own.name)
def test_strategies_without_a_compiled_form(own: Any) -> None:
    assert compile_strategy(own, STANDARD) is None
    for three in ([own, Steady(), Steady()], [Steady(), Steady(), own], [own, own, own]):
        assert setting_of(three, STANDARD) is None
    assert compile_strategy(Steady(), STANDARD) is not None


@given(rules, st.none() | st.floats(0, 1))
@settings(max_examples=20)
def test_settings_are_the_rules(played: Rules, detection: float | None) -> None:
    found = setting_of([Random()] * 3, played, detection)
    assert found is not None
    setting, who = found
    assert who.tolist() == [0, 0, 0]
    for bid in range(3, 7):
        for tricks in range(7):
            points = 0
            if bid >= played.min_bid:
                points = oracle.declarer_points(
                    bid,
                    tricks,
                    played.moon_points,
                    played.moon_set_points,
                    played.set_keeps_tricks,
                )
            assert setting.rules[7 * bid + tricks] == points
    values = {
        kernel.MIN_BID: played.min_bid,
        kernel.SWAPS: played.swaps_per_deal,
        kernel.DEALER_BIDS: played.all_pass == "dealer_bids",
        kernel.DEALER_FIRST: played.first_bidder == "dealer",
        kernel.DEFENDERS_SCORE: played.defenders_score,
        kernel.PENALTY: played.revoke_penalty,
        kernel.TARGET: played.target,
    }
    assert {place: setting.rules[place] for place in values} == values
    assert (setting.rules[kernel.DETECTION] < 0) == (detection is None)


@given(st.floats(0, 1), st.integers(-2, 2), words)
@example(0.0, 0, 0)
@example(1.0, 0, 2**64 - 1)
@example(5e-324, 0, 0)
@example(1 - 2.0**-53, 0, 2**64 - 1)
def test_a_chance_in_whole_numbers(detection: float, near: int, word: int) -> None:
    """A revoke is found out by 53 bits of a word below a whole number: the same by the referee."""
    found = setting_of([Random()] * 3, STANDARD, detection)
    assert found is not None
    limit = int(found[0].rules[kernel.DETECTION])
    for bits in (word >> 11, limit + near, int(detection * 2**53) + near):
        if 0 <= bits < 2**53:
            assert (bits < limit) == happens(bits << 11, detection)
