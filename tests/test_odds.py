"""Exact odds: every count recounted by another road, and every rule and wrong input honoured."""

import html
import itertools
import math
import pickle
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import oracle
from ghostsim.batches import solve_many
from ghostsim.cards import Card, CardError, Hand, Suit
from ghostsim.class_odds import (
    LAYOUTS,
    best_pattern_points,
    class_odds,
    hand_counts,
    swap_totals,
    trump_in_hand,
    what_is_left,
)
from ghostsim.hand_classes import all_hands, hand_classes
from ghostsim.kernels.bits import subsets
from ghostsim.kernels.openings import swap_totals_range
from ghostsim.odds import (
    BidTable,
    SoloValue,
    bid_table,
    solo_value,
    swap_gain,
    swap_value,
    trick_distribution,
)
from ghostsim.openings import shipped_patterns
from ghostsim.rules import (
    DOUBLE_OR_NOTHING,
    HALF_MOON,
    NO_SWAP,
    SILENT_DEFENDERS,
    STANDARD,
    STUCK_DEALER,
    Bid,
    Rules,
    RulesError,
)
from strategies import bids, card_sets, hands, relabellings, trumps
from strategies import rules as any_rules

BOWERS = Hand("JS JC AS KS AH 9D")
POOR = Hand("9S TS 9C TC 9H TH")
#: The six highest trumps.
MOON = Hand("JS JC AS KS QS TS")


@st.composite
def hands_and_dead(draw: st.DrawFn) -> tuple[Hand, Hand]:
    """Two hands without a card in common."""
    cards = draw(st.permutations(sorted(draw(card_sets(12)))))
    mine, dead = (sum(1 << card for card in part) for part in (cards[:6], cards[6:]))
    return Hand.from_mask(mine), Hand.from_mask(dead)


def points(bid: int, tricks: int, rules: Rules) -> int:
    """The declarer's points by DESIGN 2.8, told again."""
    if tricks >= bid:
        return rules.moon_points if bid == 6 else tricks
    penalty = rules.moon_set_points if bid == 6 else bid
    return (tricks if rules.set_keeps_tricks else 0) - penalty


def relabelled(hand: Hand, relabelling: tuple[int, int, int, int]) -> Hand:
    return Hand([str(Card.of(card.rank, Suit(relabelling[card.suit]))) for card in hand])


# --------------------------------------------------------------------- counts, by brute force

#: All 924 ways to choose six of twelve, as rows of zeros and ones.
SPLITS = np.array(
    [[place in chosen for place in range(12)] for chosen in itertools.combinations(range(12), 6)],
    dtype=np.int64,
)


def layouts_of(hand: Hand, dead: list[tuple[int, ...]]) -> NDArray[np.int64]:
    """Masks of the three hands in every layout with these dead cards, (924 * dead, 3)."""
    others = np.array(
        [
            [1 << card for card in range(24) if not hand.mask >> card & 1 and card not in cards]
            for cards in dead
        ]
    )
    left = others @ SPLITS.T
    right = others.sum(axis=1, keepdims=True) - left
    mine = np.full(left.size, hand.mask)
    return np.stack([mine, left.ravel(), right.ravel()], axis=1)


def card_numbers(hand: Hand) -> tuple[int, ...]:
    return tuple(card.index for card in hand)


def solved(hand: Hand, trump: Suit, dead: list[tuple[int, ...]], n_jobs: int = 1) -> list[int]:
    tricks = solve_many(layouts_of(hand, dead), trump, n_jobs=n_jobs)
    counts: list[int] = np.bincount(tricks, minlength=7).tolist()
    return counts


def test_a_distribution_is_what_solving_all_layouts_of_a_tenth_of_its_ghosts_gives() -> None:
    # All 18,564 together are those of an unknown ghost: see below.
    hand, trump = Hand("JS AC TC KH 9D AD"), Suit.CLUBS  # the left bower, and a bit of everything
    ghosts = list(itertools.combinations(sorted(set(range(24)) - set(card_numbers(hand))), 6))
    assert len(ghosts) == 18_564
    some = ghosts[3::10]
    expected = np.zeros(7, dtype=np.int64)
    for ghost in some:
        dead = Hand.from_mask(sum(1 << card for card in ghost))
        expected += trick_distribution(hand, trump, dead).counts
    counts = solved(hand, trump, some, n_jobs=2)
    assert counts == expected.tolist()
    assert sum(counts) == 1_857 * 924


@pytest.mark.bounds
@given(cards=hands_and_dead(), trump=trumps)
def test_a_distribution_with_dead_cards_is_what_solving_its_924_layouts_gives(
    cards: tuple[Hand, Hand], trump: Suit
) -> None:
    hand, dead = cards
    distribution = trick_distribution(hand, trump, dead)
    assert distribution.counts.tolist() == solved(hand, trump, [card_numbers(dead)])
    assert distribution.layouts == 924


@pytest.mark.parametrize(
    ("hand", "dead", "trump"),
    [("JH JD AH KH QH AS", "9S TS 9C TC 9D TD", "H"), (str(MOON), "9H TH 9D TD 9C TC", "S")],
)
def test_a_distribution_with_dead_cards_is_what_the_oracle_counts(
    hand: str, dead: str, trump: str
) -> None:
    # The openings' tests compare more patterns with it; here is the road from words to a pattern.
    expected = oracle.distribution_given_dead(hand.split(), dead.split(), trump)
    assert trick_distribution(hand, trump, dead).counts.tolist() == expected


@pytest.mark.jit_off
@pytest.mark.bounds
@settings(max_examples=50)
@given(hand=hands, trump=trumps)
def test_the_layouts_of_a_hand_add_up(hand: Hand, trump: Suit) -> None:
    distribution = trick_distribution(hand, trump)
    assert distribution.counts.dtype == np.int64
    assert distribution.counts.shape == (7,)
    assert distribution.counts.min() >= 0
    assert distribution.counts.sum() == distribution.layouts == 17_153_136


@given(hand=hands, trump=trumps)
@settings(max_examples=5)
def test_an_unknown_ghost_is_all_known_ones_together(hand: Hand, trump: Suit) -> None:
    total = np.zeros(7, dtype=np.int64)
    for ghost in oracle.ghosts([str(card) for card in hand]):
        dead = Hand.from_mask(oracle.hand_mask(ghost))
        total += trick_distribution(hand, trump, dead).counts
    assert total.tolist() == trick_distribution(hand, trump).counts.tolist()


# ------------------------------------------------------------------------- swaps, by plain Python


def plain_best_points(dead: Hand, rules: Rules) -> Iterator[int]:
    """For every ghost, the best bid's points summed over the 924 splits, or 0 for a pass.

    Plain Python over the shipped rows of patterns: the place of a row by its definition, the points
    by the rules of the design.
    """
    patterns = shipped_patterns()
    shapes = sorted(
        {
            (18 - a - b - c, *sorted((a, b, c), reverse=True))
            for a, b, c in itertools.product(range(7), range(7), range(6))
            if 0 <= 18 - a - b - c <= 7
        }
    )
    place_of: list[dict[str, int]] = []  # of each card left, by trump
    first_row = []
    for trump in "SCHD":
        suits: dict[str, list[str]] = {suit: [] for suit in "SCHD"}
        for card in oracle.DECK:
            if card not in dead:
                suits[oracle.effective_suit(card, trump)].append(card)
        plain = sorted((suits[suit] for suit in "SCHD" if suit != trump), key=len, reverse=True)
        in_order = [
            card
            for cards in [*plain, suits[trump]]
            for card in sorted(cards, key=lambda card: oracle.strength(card, trump))
        ]
        place_of.append({card: place for place, card in enumerate(in_order)})
        shape = (len(suits[trump]), *map(len, plain))
        first_row.append(shapes.index(shape) * math.comb(18, 6))
    worth: dict[tuple[int, ...], int] = {}
    for ghost in oracle.ghosts([str(card) for card in dead]):
        best = 0
        for places, first in zip(place_of, first_row, strict=True):
            subset = sorted(places[card] for card in ghost)
            row = first + sum(math.comb(place, i + 1) for i, place in enumerate(subset))
            counts = tuple(patterns[row].tolist())
            if counts not in worth:
                worth[counts] = max(
                    sum(n * points(bid, tricks, rules) for tricks, n in enumerate(counts))
                    for bid in range(rules.min_bid, 7)
                )
            best = max(best, worth[counts])
        yield best


@pytest.mark.bounds
@pytest.mark.parametrize(
    ("hand", "rules"),
    [
        (POOR, STANDARD),
        (BOWERS, STANDARD),
        (Hand("JH KS QS AC 9D TD"), Rules(moon_points=12, set_keeps_tricks=True)),
    ],
    ids=str,
)
def test_swap_value_is_what_plain_python_finds_over_all_ghosts(hand: Hand, rules: Rules) -> None:
    totals = list(plain_best_points(hand, rules))
    assert len(totals) == 18_564
    expected = Fraction(sum(totals), 17_153_136)
    assert swap_value(hand, rules) == float(expected)
    assert swap_totals(np.array([hand.mask]), rules).tolist() == [sum(totals)]


def test_swap_value_is_the_mean_of_solo_values_with_the_old_hand_dead() -> None:
    hand = Hand("JD TD 9S KS AC QH")
    ghosts = [Hand.from_mask(oracle.hand_mask(ghost)) for ghost in oracle.ghosts(str(hand).split())]
    values = [solo_value(ghost, dead=hand) for ghost in ghosts]
    assert swap_value(hand) == pytest.approx(
        math.fsum(v.points for v in values) / 18_564, rel=1e-14
    )
    # ... and some of these solo values by solving every layout that is left.
    for ghost, value in list(zip(ghosts, values, strict=True))[::500]:
        tables = [solved(ghost, trump, [card_numbers(hand)]) for trump in Suit]
        by_action = {
            (bid, trump): sum(n * points(bid, k, STANDARD) for k, n in enumerate(tables[trump]))
            for bid in (3, 4, 5, 6)
            for trump in Suit
        }
        best = max(by_action.values())
        assert value.points == max(best, 0) / 924
        if best > 0:
            assert by_action[int(value.bid or 0), Suit(value.trump or 0)] == best
        else:
            assert (value.bid, value.trump) == (None, None)


@given(hand=hands, rules=any_rules)
@settings(max_examples=20)
def test_swap_gain_is_the_swap_less_the_hand(hand: Hand, rules: Rules) -> None:
    assume(rules.swaps_per_deal)
    gain = swap_gain(hand, rules)
    assert gain == swap_value(hand, rules) - solo_value(hand, rules=rules).points
    assert swap_value(hand, rules) >= 0  # the new hand may pass


def test_the_new_hand_is_judged_with_the_old_one_dead() -> None:
    # Giving up both black bowers: no ghost can hold or meet one, so black trumps are headed by the
    # ace. Giving up the red ones, the same with red. What is dead matters, not only what is left.
    black, red = Hand("JS JC 9H TH QD KD"), Hand("JH JD 9S TS QC KC")
    assert swap_value(black) == swap_value(red)
    assert swap_value(black) != swap_value(Hand("9S TS 9C TC QH KH"))


def test_knowing_the_ghost_never_costs() -> None:
    # The best action for each ghost is worth more, on average, than the best one for all of them.
    hand = Hand("JS AS JH AH 9C 9D")
    ghosts = list(oracle.ghosts([str(card) for card in hand]))[::9]
    values = [solo_value(hand, dead=Hand.from_mask(oracle.hand_mask(ghost))) for ghost in ghosts]
    unknown = solo_value(hand)
    assert math.fsum(value.points for value in values) / len(ghosts) > unknown.points + 0.1
    assert {value.trump for value in values} >= {Suit.SPADES, Suit.HEARTS}


# ------------------------------------------------------------------------- names do not matter


@pytest.mark.jit_off
@settings(max_examples=25)
@given(cards=hands_and_dead(), trump=trumps, relabelling=relabellings)
def test_relabelling_the_suits_changes_nothing(
    cards: tuple[Hand, Hand], trump: Suit, relabelling: tuple[int, int, int, int]
) -> None:
    hand, dead = cards
    new_hand, new_dead = relabelled(hand, relabelling), relabelled(dead, relabelling)
    new_trump = relabelling[trump]
    for before, after in ((None, None), (dead, new_dead)):
        expected = trick_distribution(hand, trump, before).counts
        assert trick_distribution(new_hand, new_trump, after).counts.tolist() == expected.tolist()
        old, new = solo_value(hand, before), solo_value(new_hand, after)
        assert (old.points, old.bid) == (new.points, new.bid)


@settings(max_examples=20)
@given(hand=hands, relabelling=relabellings)
def test_swap_value_does_not_depend_on_the_names_of_the_suits(
    hand: Hand, relabelling: tuple[int, int, int, int]
) -> None:
    assert swap_value(relabelled(hand, relabelling)) == swap_value(hand)


# ----------------------------------------------------------------- what went wrong elsewhere


@pytest.mark.jit_off
@pytest.mark.bounds
@given(cards=hands_and_dead(), rules=any_rules)
def test_a_hopeless_moon_is_worth_exactly_its_set_penalty(
    cards: tuple[Hand, Hand], rules: Rules
) -> None:
    hand, dead = cards
    frame = bid_table(hand, dead, rules).to_frame()
    for trump in Suit:
        live = [card for card in oracle.DECK if Card(card) not in dead]
        trumps = [c for c in live if oracle.effective_suit(c, trump.letter) == trump.letter]
        top = max(trumps, key=lambda card: oracle.strength(card, trump.letter))
        (moon,) = frame[(frame.trump == trump.letter) & (frame.bid == 6)].to_dict("records")
        if Card(top) not in hand:  # a defender has it, and wins with it
            assert moon["p_make"] == 0
            if not rules.set_keeps_tricks:
                assert moon["points"] == -rules.moon_set_points
        # As many tricks as there are top trumps in hand are certain, as the declarer leads.
        trumps.sort(key=lambda card: -oracle.strength(card, trump.letter))
        sure = len(list(itertools.takewhile(lambda card: Card(card) in hand, trumps)))
        for bid, p_make in frame[frame.trump == trump.letter][["bid", "p_make"]].to_numpy():
            if bid <= sure:
                assert p_make == 1


@pytest.mark.jit_off
def test_a_hopeless_hand_passes() -> None:
    value = solo_value(POOR, dead="9D TD QD KD QH KH")
    assert (value.points, value.bid, value.trump) == (0, None, None)


@pytest.mark.jit_off
def test_one_trump_is_chosen_for_all_layouts() -> None:
    # Choosing trump and bid inside each layout ("strategy fusion") would be worth more than any
    # one choice: the ghosts for which this hand should pass, and those for which it should not.
    hand = Hand("JS AS JH AH 9C 9D")
    value = solo_value(hand)
    totals = {
        (trump, bid): int(
            trick_distribution(hand, trump).counts
            @ np.array([points(bid, tricks, STANDARD) for tricks in range(7)])
        )
        for trump in Suit
        for bid in (3, 4, 5, 6)
    }
    assert value.points == max(totals.values()) / LAYOUTS
    ghosts = [Hand("QS KS TS JC AC TH"), Hand("QH KH TH JD AD TS")]
    assert [solo_value(hand, dead=ghost).trump for ghost in ghosts] == [Suit.SPADES, Suit.HEARTS]


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("hand", "trump", "why"),
    [
        (MOON, Suit.SPADES, "all six top trumps"),
        (Hand("JC JS AC KC QC TC"), Suit.CLUBS, "the same in clubs: the right bower is the other"),
        (Hand("JH JD AH KH QH TH"), Suit.HEARTS, "and in a red suit"),
    ],
)
def test_a_certain_moon(hand: Hand, trump: Suit, why: str) -> None:
    distribution = trick_distribution(hand, trump)
    assert distribution.counts.tolist() == [0, 0, 0, 0, 0, 0, LAYOUTS], why
    assert distribution.p_make("moon") == 1
    assert distribution.mean == 6
    value = solo_value(hand)
    assert (value.points, value.bid, value.trump) == (24, Bid.MOON, trump)


# ------------------------------------------------------------------ distributions as objects


@pytest.mark.jit_off
@given(cards=hands_and_dead(), trump=trumps, bid=bids)
def test_numbers_of_a_distribution_follow_from_its_counts(
    cards: tuple[Hand, Hand], trump: Suit, bid: Bid
) -> None:
    hand, dead = cards
    distribution = trick_distribution(hand, trump, dead)
    counts = distribution.counts.tolist()
    assert (distribution.hand, distribution.trump, distribution.dead) == (hand, trump, dead)
    assert distribution.mean == sum(k * n for k, n in enumerate(counts)) / 924
    assert distribution.pmf.tolist() == [n / 924 for n in counts]
    made = sum(counts[int(bid) :]) / 924
    assert distribution.p_make(bid) == made
    assert distribution.p_make(str(bid)) == distribution.p_make(int(bid)) == made
    frame = distribution.to_frame()
    assert frame.columns.tolist() == ["tricks", "layouts", "p", "p_at_least"]
    assert frame.tricks.tolist() == list(range(7))
    assert frame.layouts.tolist() == counts
    assert frame.p.tolist() == [n / 924 for n in counts]
    assert frame.p_at_least.tolist() == [sum(counts[k:]) / 924 for k in range(7)]


@pytest.mark.jit_off
def test_counts_that_a_player_can_check() -> None:
    # Four top trumps draw the other three, the ace of hearts is good. The nine of diamonds takes
    # the last trick if the five other diamonds are all in the ghost, with any one of 13 cards: 13
    # ghosts of 18,564. If but one diamond is out, its holder keeps it.
    distribution = trick_distribution("JS JC AS KS AH 9D", trump="S")
    assert distribution.counts.tolist() == [0, 0, 0, 0, 0, 18_551 * 924, 13 * 924]
    assert distribution.p_make(5) == 1
    assert distribution.mean == (5 * 18_551 + 6 * 13) / 18_564
    value = solo_value("JS JC AS KS AH 9D")
    # Three, four and five score the same here, and the moon loses almost always.
    assert (value.points, value.bid, value.trump) == (distribution.mean, Bid.THREE, Suit.SPADES)


@pytest.mark.jit_off
@pytest.mark.parametrize("bid", [2, 7, "seven", "", None, 3.0, True])
def test_what_is_no_bid_has_no_probability(bid: Any) -> None:
    with pytest.raises((RulesError, TypeError), match="bid"):
        trick_distribution(BOWERS, "S", POOR_DEAD).p_make(bid)


POOR_DEAD = Hand("9C TC 9H TH TD QD")


@pytest.mark.jit_off
def test_a_distribution_is_a_frozen_value() -> None:
    known = trick_distribution(BOWERS, "S", POOR_DEAD)
    same = trick_distribution(str(BOWERS).lower(), Suit.SPADES, list(POOR_DEAD))
    assert same == known
    assert hash(same) == hash(known)
    others = [
        trick_distribution(BOWERS, "S"),
        trick_distribution(BOWERS, "C", POOR_DEAD),
        trick_distribution(BOWERS, "S", "9C TC 9H TH TD KD"),
        trick_distribution("JS JC AS KS AH AD", "S", POOR_DEAD),
    ]
    assert all(known != other for other in others)
    assert known != known.counts.tolist()
    assert len({known, same, *others}) == 5
    again = pickle.loads(pickle.dumps(known))
    assert again == known
    assert hash(again) == hash(known)
    for distribution in (known, again):
        with pytest.raises(AttributeError):
            distribution.trump = Suit.CLUBS  # type: ignore[misc]
        with pytest.raises(ValueError, match="read-only"):
            distribution.counts[0] = 1
    # A caller who unlocks the array writes to the result alone, not to the patterns.
    known.counts.flags.writeable = True
    known.counts[:] = 0
    assert trick_distribution(BOWERS, "S", POOR_DEAD) == again


@pytest.mark.jit_off
def test_a_distribution_shows_itself() -> None:
    distribution = trick_distribution(BOWERS, "S", POOR_DEAD)
    text = repr(distribution)
    for part in ("J♠ J♣ A♠ K♠ A♥ 9♦", "spades trump", "dead", "10♣", "mean 5.", "counts ["):
        assert part in text
    page = html.unescape(distribution._repr_html_())
    assert page.startswith("<table")
    for part in ("J♠ J♣", "P_coalition", "exact", *map(str, distribution.counts)):
        assert part in page
    assert "any ghost" in repr(trick_distribution(BOWERS, "S"))


# ------------------------------------------------------------------------------- bid tables


@pytest.mark.jit_off
@settings(max_examples=50)
@given(cards=hands_and_dead(), rules=any_rules)
def test_a_bid_table_is_made_of_distributions_and_rules(
    cards: tuple[Hand, Hand], rules: Rules
) -> None:
    hand, dead = cards
    frame = bid_table(hand, dead, rules).to_frame()
    assert frame.columns.tolist() == ["trump", "bid", "p_make", "points"]
    allowed = range(rules.min_bid, 7)
    assert list(zip(frame.trump, frame.bid, strict=True)) == list(
        itertools.product("SCHD", allowed)
    )
    for trump, bid, p_make, mean_points in frame.to_numpy().tolist():
        counts = trick_distribution(hand, trump, dead).counts.tolist()
        assert p_make == sum(counts[bid:]) / 924
        total = sum(n * points(bid, tricks, rules) for tricks, n in enumerate(counts))
        assert mean_points == total / 924


@pytest.mark.jit_off
@settings(max_examples=50)
@given(cards=hands_and_dead(), rules=any_rules)
def test_the_solo_value_is_the_best_of_the_table_or_a_pass(
    cards: tuple[Hand, Hand], rules: Rules
) -> None:
    hand, dead = cards
    value = solo_value(hand, dead, rules)
    assert (value.hand, value.dead, value.rules) == (hand, dead, rules)
    frame = bid_table(hand, dead, rules).to_frame()
    best = frame.points.max()
    if best <= 0:
        assert (value.points, value.bid, value.trump) == (0, None, None)
    else:
        # Of equals, the lower bid; of equal bids, the first trump.
        equals = frame[frame.points == best].sort_values("bid", kind="stable")
        first = equals.iloc[0]
        assert value.points == best
        assert (value.bid, value.trump) == (Bid(first.bid), Suit.parse(first.trump))


@pytest.mark.jit_off
def test_ties_go_to_the_pass_then_to_the_lower_bid_then_to_the_first_trump() -> None:
    twins = Hand("JS JC AS AC 9H 9D")  # spades and clubs are worth the same
    assert solo_value(twins).trump is Suit.SPADES
    assert solo_value(relabelled(twins, (1, 0, 3, 2))).trump is Suit.SPADES
    assert solo_value(relabelled(twins, (2, 3, 0, 1))).trump is Suit.HEARTS
    # All bids take six tricks; the moon now scores no more than another bid.
    assert solo_value(MOON, rules=Rules(moon_points=6)).bid is Bid.THREE
    assert solo_value(MOON, rules=Rules(moon_points=6, min_bid=5)).bid is Bid.FIVE
    assert solo_value(MOON, rules=Rules(moon_points=7)).bid is Bid.MOON
    # A moon worth nothing, made or not, is no better than a pass.
    nothing = Rules(min_bid=6, moon_points=0, moon_set_points=0)
    value = solo_value(MOON, rules=nothing)
    assert (value.points, value.bid, value.trump) == (0, None, None)


def actions(rules: Rules) -> dict[tuple[str, int], tuple[float, float]]:
    """P(make) and mean points of BOWERS by trump and bid."""
    rows = bid_table(BOWERS, rules=rules).to_frame().to_numpy().tolist()
    return {(trump, bid): (p_make, mean) for trump, bid, p_make, mean in rows}


@pytest.mark.jit_off
def test_the_rules_flow_through() -> None:
    standard = actions(STANDARD)
    assert list(standard) == list(itertools.product("SCHD", (3, 4, 5, 6)))
    for rules, made, lost in ((STANDARD, 24, 6), (HALF_MOON, 12, 6), (DOUBLE_OR_NOTHING, 24, 24)):
        for (trump, bid), (p_make, mean) in actions(rules).items():
            assert p_make == standard[trump, bid][0]
            if bid == 6:
                assert mean == pytest.approx(made * p_make - lost * (1 - p_make), rel=1e-12)
            else:  # other bids know nothing of moons
                assert mean == standard[trump, bid][1]

    assert list(actions(Rules(min_bid=6))) == [(trump, 6) for trump in "SCHD"]
    assert solo_value(Hand("9S TS 9C TC AH KH"), rules=Rules(min_bid=6)).bid is None

    counts = trick_distribution(BOWERS, "H").counts.tolist()
    kept = actions(Rules(set_keeps_tricks=True))["H", 3][1]
    assert kept == sum(n * (k if k >= 3 else k - 3) for k, n in enumerate(counts)) / LAYOUTS

    # What only the auction or the defenders feel changes no solo value.
    for rules in (STUCK_DEALER, SILENT_DEFENDERS, NO_SWAP):
        assert solo_value(BOWERS, rules=rules).points == solo_value(BOWERS).points


@pytest.mark.bounds
def test_the_rules_flow_through_to_swaps() -> None:
    standard = swap_value(POOR)
    assert swap_value(POOR, HALF_MOON) < standard < swap_value(POOR, Rules(moon_points=48))
    assert swap_value(POOR, Rules(min_bid=6)) < swap_value(POOR, Rules(min_bid=5)) < standard
    assert swap_value(POOR, Rules(set_keeps_tricks=True)) > standard
    assert swap_value(POOR, DOUBLE_OR_NOTHING) < standard
    assert swap_value(POOR, STUCK_DEALER) == standard


@pytest.mark.jit_off
def test_bid_tables_and_solo_values_are_frozen_values() -> None:
    table, value = bid_table(BOWERS, POOR_DEAD), solo_value(BOWERS, POOR_DEAD)
    same_table, same_value = bid_table(str(BOWERS), str(POOR_DEAD)), solo_value(BOWERS, POOR_DEAD)
    assert table == same_table
    assert hash(table) == hash(same_table)
    assert value == same_value
    assert hash(value) == hash(same_value)
    assert table != bid_table(BOWERS, POOR_DEAD, HALF_MOON) != bid_table(BOWERS)
    assert value != solo_value(BOWERS, POOR_DEAD, HALF_MOON) != solo_value(BOWERS)
    for result in (table, value):
        with pytest.raises(AttributeError):
            result.hand = POOR  # type: ignore[misc]
        again = pickle.loads(pickle.dumps(result))
        assert again == result
        assert type(again) is type(result)
        assert hash(again) == hash(result)
    assert [d.trump for d in table.distributions] == list(Suit)


@pytest.mark.jit_off
def test_a_bid_table_shows_itself() -> None:
    table = bid_table(BOWERS, POOR_DEAD, Rules(moon_points=12))
    assert isinstance(table, BidTable)
    text = repr(table)
    for part in ("J♠", "dead", "moon_points=12", "P_coalition", "p_make", "moon"):
        assert part in text
    assert len(text.splitlines()) == 1 + 1 + 16  # title, columns, 4 trumps x 4 bids
    page = html.unescape(table._repr_html_())
    cells = re.findall(r"<td>([+-]\d+\.\d\d) \((\d+\.\d)%\)</td>", page)
    frame = table.to_frame()
    assert len(cells) == 16
    # Trumps go down and bids across, as in the frame.
    assert [float(cell[0]) for cell in cells] == pytest.approx(frame.points.tolist(), abs=0.006)
    assert [float(cell[1]) for cell in cells] == pytest.approx(
        (100 * frame.p_make).tolist(), abs=0.06
    )


@pytest.mark.jit_off
def test_a_solo_value_shows_itself() -> None:
    bids_moon, passes = solo_value(MOON), solo_value(POOR, dead="9D TD QD KD QH KH")
    assert isinstance(bids_moon, SoloValue)
    assert str(bids_moon).startswith("J♠ J♣ A♠ K♠ Q♠ 10♠: bid moon in spades, +24.000 points")
    assert "pass, 0 points" in str(passes)
    assert "P_coalition" in str(bids_moon)
    assert bids_moon.to_frame().to_dict("records") == [
        {"hand": str(MOON), "dead": None, "bid": "moon", "trump": "S", "points": 24.0}
    ]
    (row,) = passes.to_frame().to_dict("records")
    assert (row["bid"], row["points"]) == ("pass", 0)
    assert row["dead"] == "KH QH KD QD TD 9D"
    assert pd.isna(row["trump"])


def test_results_as_pictures() -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    results: list[Any] = [trick_distribution(BOWERS, "S"), bid_table(BOWERS), solo_value(BOWERS)]
    for result in results:
        _, ax = plt.subplots()
        assert result.plot(ax=ax) is ax
        assert "J♠" in ax.get_title()
        assert ax.get_xlabel()
        assert ax.get_ylabel()
        result.plot()  # on axes of its own
        assert len(plt.get_fignums()) == 2
        plt.close("all")
    bars: list[Any] = list(trick_distribution(BOWERS, "S").plot().patches)
    heights = [bar.get_height() for bar in bars]
    assert heights == pytest.approx((100 * trick_distribution(BOWERS, "S").pmf).tolist())
    lines: list[Any] = list(bid_table(BOWERS).plot().lines)
    drawn = {tuple(line.get_ydata()) for line in lines}
    frame = bid_table(BOWERS).to_frame()
    for trump in "SCHD":  # each a colour, and a line at nought beside them
        assert tuple(frame[frame.trump == trump].points) in drawn
    plt.close("all")


# ------------------------------------------------------------------------------- bad input

BAD_HANDS = [
    ("JS JC AS KS AH", "6 cards are needed, not 5"),
    ("JS JC AS KS AH 9D TD", "6 cards are needed, not 7"),
    ("JS JC AS KS AH JS", "JS comes twice"),
    ("JS JC AS KS AH 9X", "'9X' is not a card"),
    ("", "6 cards are needed, not 0"),
]
FUNCTIONS: dict[str, Any] = {
    "trick_distribution": lambda hand: trick_distribution(hand, "S"),
    "bid_table": bid_table,
    "solo_value": solo_value,
    "swap_value": swap_value,
    "swap_gain": swap_gain,
    "trick_distribution, dead": lambda hand: trick_distribution(POOR, "S", dead=hand),
    "bid_table, dead": lambda hand: bid_table(POOR, dead=hand),
    "solo_value, dead": lambda hand: solo_value(POOR, dead=hand),
}


@pytest.mark.jit_off
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(("hand", "message"), BAD_HANDS)
def test_hands_that_are_none(function: str, hand: str, message: str) -> None:
    with pytest.raises(CardError, match=re.escape(message)):
        FUNCTIONS[function](hand)


@pytest.mark.jit_off
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("hand", [5, BOWERS.mask, 1.5, [1, 2, 3, 4, 5, 6]])
def test_hands_of_a_wrong_type(function: str, hand: Any) -> None:
    with pytest.raises(TypeError):
        FUNCTIONS[function](hand)


@pytest.mark.jit_off
@given(cards=hands_and_dead(), shared=st.integers(1, 6), trump=trumps)
def test_dead_cards_that_are_in_the_hand_are_named(
    cards: tuple[Hand, Hand], shared: int, trump: Suit
) -> None:
    hand, dead = cards
    both = list(hand)[:shared]
    wrong = [*both, *list(dead)[shared:]]
    for call in (
        lambda: trick_distribution(hand, trump, wrong),
        lambda: bid_table(hand, wrong),
        lambda: solo_value(hand, Hand(wrong)),
    ):
        with pytest.raises(CardError) as caught:
            call()
        names = " ".join(map(str, both))
        assert re.search(rf"shares {names} with the hand", str(caught.value))


@pytest.mark.jit_off
@pytest.mark.parametrize("trump", ["X", "", "SS", 4, -1])
def test_trumps_that_are_none(trump: Any) -> None:
    with pytest.raises(CardError, match=re.escape(f"trump {trump!r} is not a suit")):
        trick_distribution(BOWERS, trump)


@pytest.mark.jit_off
@pytest.mark.parametrize("trump", [None, 0.0, True, [0]])
def test_trumps_of_a_wrong_type(trump: Any) -> None:
    with pytest.raises(TypeError, match="trump must be a Suit, a text or 0-3"):
        trick_distribution(BOWERS, trump)


@pytest.mark.jit_off
def test_rules_without_a_swap_give_it_no_value() -> None:
    for function in (swap_value, swap_gain):
        with pytest.raises(RulesError, match="no swap"):
            function(POOR, NO_SWAP)


# ---------------------------------------------------------------------- all classes at once


def test_class_arrays_are_the_single_hands() -> None:
    rng = np.random.default_rng(1)
    for rules in (STANDARD, Rules(moon_points=12, set_keeps_tricks=True), Rules(min_bid=5)):
        odds = class_odds(rules)
        bid, trump = odds.best_actions()
        made = odds.made()
        assert odds.counts.shape == (18_133, 4, 7)
        assert odds.totals.shape == made.shape == (18_133, 4, len(rules.bids))
        for number in rng.integers(18_133, size=60).tolist():
            hand = Hand.from_mask(int(odds.classes.masks[number]))
            table = bid_table(hand, rules=rules).to_frame()
            for suit in Suit:
                counts = trick_distribution(hand, suit).counts.tolist()
                assert odds.counts[number, suit].tolist() == counts
            assert (odds.totals[number].ravel() / LAYOUTS).tolist() == table.points.tolist()
            assert (made[number].ravel() / LAYOUTS).tolist() == table.p_make.tolist()
            value = solo_value(hand, rules=rules)
            assert odds.keep_totals[number] / LAYOUTS == value.points
            if value.bid is None or value.trump is None:
                assert (bid[number], trump[number]) == (-1, -1)
            else:
                assert (rules.bids[bid[number]], Suit(int(trump[number]))) == (
                    value.bid,
                    value.trump,
                )


def test_every_class_adds_up() -> None:
    odds = class_odds(STANDARD)
    assert (odds.counts.sum(axis=2) == 17_153_136).all()
    assert odds.classes.hands.sum() == 134_596
    assert len(odds.classes.masks) == 18_133
    assert class_odds(Rules()) is odds  # made once for equal rules


@pytest.mark.bounds
@given(hand=hands, data=st.data())
@settings(max_examples=50)
def test_the_trump_of_a_class_is_found_in_each_of_its_hands(
    hand: Hand, data: st.DataObject
) -> None:
    classes = hand_classes()
    masks = np.array([hand.mask])
    number = int(classes.number(masks)[0])
    trump = data.draw(trumps)
    found = trump_in_hand(masks, np.array([int(trump)]))
    assert found.shape == (1,)
    stands_for_it = classes.masks[number : number + 1]
    counts = hand_counts(masks, Suit(int(found[0])))
    assert counts.tolist() == hand_counts(stands_for_it, trump).tolist()
    assert trump_in_hand(masks, np.array([-1])).tolist() == [-1]


def test_hands_that_leave_the_same_are_worth_the_same_given_up() -> None:
    masks = all_hands()
    left = what_is_left(masks)
    assert len(np.unique(left)) == 496
    # By definition: cards left above and below the jack, or how many where it is gone; suit names
    # aside. The first hand of each number has it in plain words.
    words: dict[int, set[tuple[object, ...]]] = {}
    for mask, number in zip(masks[::19].tolist(), left[::19].tolist(), strict=True):
        suits = []
        for suit in "SCHD":
            ranks = [rank for rank in "9TJQKA" if f"{rank}{suit}" not in oracle.mask_hand(mask)]
            above, below = sum(r in "QKA" for r in ranks), sum(r in "9T" for r in ranks)
            suits.append((1, above, below) if "J" in ranks else (0, above + below, 0))
        black, red = sorted(suits[:2]), sorted(suits[2:])
        words.setdefault(number, set()).add(tuple(sorted([tuple(black), tuple(red)])))
    assert all(len(of_number) == 1 for of_number in words.values())
    assert len(set.union(*words.values())) == len(words) > 400
    # And counted for each by itself.
    rng = np.random.default_rng(12)
    some = rng.choice(masks, size=250, replace=False)
    alone = np.empty((len(some), 1), dtype=np.int64)
    best = best_pattern_points(STANDARD)[np.newaxis]
    swap_totals_range(some, best, subsets(18, 6), 0, len(some), alone)
    assert swap_totals(some, STANDARD).tolist() == alone[:, 0].tolist()


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_swap_totals_of_many_hands_are_those_of_each(n_jobs: int) -> None:
    # More hands than a block of them.
    masks = np.random.default_rng(2).choice(hand_classes().masks, size=1_203)
    totals = swap_totals(masks, STANDARD, n_jobs)
    assert totals.dtype == np.int64
    for i in (0, 499, 500, 1_000, 1_202):
        hand = Hand.from_mask(int(masks[i]))
        assert totals[i] / LAYOUTS == swap_value(hand)
        assert totals[i] == swap_totals(masks[i : i + 1], STANDARD)[0]


def test_the_headline_as_exact_rationals() -> None:
    # Recounted by a program of its own before they were written here: each of the 18,564 ghosts
    # beside each of the 18,133 classes, one by one. Shared with ghostsim: the patterns alone.
    classes = hand_classes()
    keep = class_odds(STANDARD).keep_totals
    swap = swap_totals(classes.masks, STANDARD, n_jobs=2)
    weights = classes.hands
    should = swap > keep
    all_layouts = 134_596 * 17_153_136

    mean_keep = Fraction(int(weights @ keep), all_layouts)
    mean_swap = Fraction(int(weights @ swap), all_layouts)
    option = Fraction(int(weights @ np.maximum(swap - keep, 0)), all_layouts)
    share = Fraction(int(weights[should].sum()), 134_596)

    assert mean_keep == Fraction(KEEP_TOTAL, all_layouts)
    assert mean_swap == Fraction(SWAP_TOTAL, all_layouts)
    assert option == Fraction(OPTION_TOTAL, all_layouts)
    assert share == Fraction(SWAPPING_HANDS, 134_596)
    assert f"{float(mean_keep):.8f}" == "1.97188028"
    assert f"{float(mean_swap):.8f}" == "2.75771460"
    assert f"{float(option):.8f}" == "1.36242058"
    assert f"{float(share):.8f}" == "0.64267883"
    # No class is worth exactly the same kept and swapped, so "should swap" needs no rule for ties.
    assert not (swap == keep).any()


#: Points over all 134,596 hands times 17,153,136 layouts; hands that should swap.
KEEP_TOTAL = 4_552_565_763_408
SWAP_TOTAL = 6_366_855_645_558
OPTION_TOTAL = 3_145_479_647_890
SWAPPING_HANDS = 86_502


@pytest.mark.jit_off
def test_oracle_and_rules_score_alike() -> None:
    # The oracle's scoring is a third version of the rule, for the standard game.
    for bid, tricks in itertools.product((3, 4, 5, 6), range(7)):
        assert points(bid, tricks, STANDARD) == oracle.declarer_points(bid, tricks)
