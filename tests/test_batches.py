"""Arrays of positions: equal to two other solvers, blind to names, and strict with their input.

Whole deals, endings, and tricks under way, against both defences, by value and by card. The two
other solvers share no code with the package, nor do the random positions here: numpy or ``random``
deals them, and the oracle's rules play them.
"""

import functools
import itertools
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import joblib
import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import dds
import oracle
from ghostsim import batches
from ghostsim.batches import DealError, card_values_many, solve_many
from ghostsim.cards import CardError, Hand, Suit
from ghostsim.deals import Deal
from ghostsim.endgames import DEPTH, MAX_DEPTH, OPENING, Table, endgame_table
from ghostsim.kernels.endgame import best_tricks, deal_tricks
from ghostsim.kernels.relabel import count_lengths, squeeze_lanes, to_lanes
from ghostsim.preferences import PreferenceError, Preferences
from ghostsim.rules import HALF_MOON, SILENT_DEFENDERS, STANDARD, Bid, Rules, RulesError
from strategies import EIGHT_RELABELLINGS, as_mask, layouts, seats, trumps

Masks = NDArray[np.int64]

SEATS = range(3)
SIZES = range(1, 7)
BIDS = (3, 4, 5, 6)
ALL = (1 << 24) - 1


def random_masks(n: int, seed: int, cards_each: int = 6) -> Masks:
    """Random hands by seat, (n, 3), dealt by numpy so that nothing of ghostsim has a part in it."""
    order = np.random.default_rng(seed).permuted(np.tile(np.arange(24), (n, 1)), axis=1)
    bits = np.int64(1) << order[:, : 3 * cards_each].reshape(n, 3, cards_each)
    masks: Masks = bits.sum(axis=2)
    return masks


def random_choices(n: int, seed: int) -> tuple[Masks, Masks, Masks]:
    """Trump, declarer and leader for n deals."""
    rng = np.random.default_rng(seed)
    return rng.integers(4, size=n), rng.integers(3, size=n), rng.integers(3, size=n)


class Ending(NamedTuple):
    """A moment of the play: cards held, trump's letter, seats, the trick, and tricks taken."""

    hands: oracle.Hands
    trump: str
    declarer: int
    leader: int
    played: oracle.Cards
    tricks: oracle.BySeat

    @property
    def position(self) -> dds.Position:
        return dds.Position(*self[:5])

    @property
    def seat(self) -> int:
        """The seat to play."""
        return (self.leader + len(self.played)) % 3


def random_ending(rng: random.Random, to_go: int, stage: int) -> Ending:
    """A position with some tricks to go, ``stage`` cards on the table, by random legal play."""
    deck = rng.sample(oracle.DECK, 18)
    hands = [deck[:6], deck[6:12], deck[12:]]
    trump, declarer, leader = rng.choice("SCHD"), rng.randrange(3), rng.randrange(3)
    tricks, played = [0, 0, 0], list[str]()
    for _ in range(3 * (6 - to_go) + stage):
        hand = hands[(leader + len(played)) % 3]
        card = rng.choice(oracle.legal_plays(hand, played[0] if played else None, trump))
        hand.remove(card)
        played.append(card)
        if len(played) == 3:
            leader = oracle.trick_winner(played, leader, trump)
            tricks[leader] += 1
            played = []
    first, second, third = map(tuple, hands)
    taken = tricks[0], tricks[1], tricks[2]
    return Ending((first, second, third), trump, declarer, leader, tuple(played), taken)


def random_endings(n: int, seed: int, sizes: Sequence[int] = SIZES) -> list[Ending]:
    """Positions of any of some sizes, at any stage of the trick."""
    rng = random.Random(seed)
    drawn = [(rng.choice(sizes), rng.randrange(3)) for _ in range(n)]
    return [random_ending(rng, to_go, stage if to_go else 0) for to_go, stage in drawn]


def arrays(endings: Sequence[Ending]) -> dict[str, Any]:
    """Positions as the arguments of ``solve_many``."""
    tricks = [[oracle.card_bit(card) for card in ending.played] for ending in endings]
    return {
        "hands": [[oracle.hand_mask(hand) for hand in ending.hands] for ending in endings],
        "trump": [ending.trump for ending in endings],
        "declarer": [ending.declarer for ending in endings],
        "leader": [ending.leader for ending in endings],
        "trick": np.array([[*trick, -1, -1][:2] for trick in tricks]),
        "tricks": np.array([ending.tricks for ending in endings]),
    }


def by_card(values: NDArray[np.int8]) -> list[dict[str, Any]]:
    """What ``card_values_many`` gives, as the oracle does: by name, legal cards only."""
    rows = []
    for row in values:
        legal = [bit for bit in range(24) if (row[bit] != -1).all()]
        # A card that cannot be played has -1 for every seat, not for some.
        assert (row == -1).reshape(24, -1).any(axis=1).sum() == 24 - len(legal)
        rows.append({oracle.DECK[bit]: row[bit].tolist() for bit in legal})
    return rows


def wrong(endings: Iterable[Any], got: Iterable[Any], expected: Iterable[Any]) -> list[Any]:
    """The first of the positions for which two answers differ, with the answers."""
    rows = zip(endings, got, expected, strict=True)
    return [row for row in rows if row[1] != row[2]][:3]


def best_of(values: dict[str, int], ending: Ending) -> int:
    """The coalition's value of a position from those of its cards."""
    if not values:
        return ending.tricks[ending.declarer]
    return max(values.values()) if ending.seat == ending.declarer else min(values.values())


def as_cards(masks: Any) -> oracle.Hands:
    first, second, third = (oracle.mask_hand(int(mask)) for mask in masks)
    return first, second, third


def relabelled(mask: Any, relabelling: tuple[int, ...]) -> Any:
    """Cards after each suit s has become ``relabelling[s]``; a mask or an array of them."""
    return sum((mask >> 6 * suit & 63) << 6 * new for suit, new in enumerate(relabelling))


def oracle_by_leader(masks: Any, trump: int, declarer: int) -> list[int]:
    """The oracle's value for each of the three leaders.

    One memo serves all three, so that they are as cheap as one.
    """
    hands = as_cards(masks)
    memo: oracle.Memo = {}
    values = [
        oracle.coalition_card_tricks(hands, "SCHD"[trump], declarer, leader, memo=memo)
        for leader in SEATS
    ]
    return [
        max(cards.values()) if leader == declarer else min(cards.values())
        for leader, cards in enumerate(values)
    ]


def kernel_tricks(
    masks: Any,
    trump: int,
    declarer: int,
    leader: int,
    depth: int,
    window: tuple[int, int] | None = None,
    played: int = 0,
) -> int:
    """The compiled search for a position with any number of cards each.

    ``played`` are cards of the hands that lie on the table already.
    """
    n = int(masks[0]).bit_count()
    lanes = [to_lanes(int(masks[(declarer + i) % 3]), trump) for i in SEATS]
    keep = lanes[0] | lanes[1] | lanes[2]
    low, high = (0, n) if window is None else window
    return int(
        best_tricks(
            n,
            count_lengths(keep),
            squeeze_lanes(lanes[0], keep),
            squeeze_lanes(lanes[1], keep),
            (leader - declarer) % 3,
            squeeze_lanes(to_lanes(played, trump), keep),
            low,
            high,
            depth,
            endgame_table(depth),
        )
    )


# --------------------------------------------------------------- the coalition, by two others


@pytest.mark.parametrize("trump", Suit)
@pytest.mark.parametrize("declarer", SEATS)
def test_full_deals_are_worth_what_the_plain_python_oracle_says(trump: Suit, declarer: int) -> None:
    # 3 deals x 3 leaders for each of the 12 trumps and declarers.
    masks = random_masks(3, seed=100 + 3 * trump + declarer)
    expected = [oracle_by_leader(row, trump, declarer) for row in masks]
    got = [solve_many(masks, trump, declarer, leader) for leader in SEATS]
    assert np.stack(got, axis=1).tolist() == expected


#: How many positions of each size the oracle solves, for each number of cards on the table.
ORACLE_POSITIONS = [(1, 200), (2, 200), (3, 150), (4, 80), (5, 30), (6, 9)]


@pytest.mark.parametrize("stage", SEATS)
@pytest.mark.parametrize(("to_go", "number"), ORACLE_POSITIONS)
def test_every_card_of_any_position_is_worth_what_the_oracle_says(
    to_go: int, number: int, stage: int
) -> None:
    rng = random.Random(10 * to_go + stage)
    endings = [random_ending(rng, to_go, stage) for _ in range(number)]
    expected = []
    for ending in endings:
        values = oracle.coalition_card_tricks(*ending.position)
        taken = ending.tricks[ending.declarer]
        expected.append({card: value + taken for card, value in values.items()})
    assert wrong(endings, by_card(card_values_many(**arrays(endings))), expected) == []
    best = [best_of(*pair) for pair in zip(expected, endings, strict=True)]
    assert wrong(endings, solve_many(**arrays(endings)).tolist(), best) == []


@pytest.mark.jit_off
@pytest.mark.bounds
@pytest.mark.parametrize("stage", SEATS)
def test_cards_of_a_few_small_positions_are_worth_what_the_oracle_says(stage: int) -> None:
    rng = random.Random(20 + stage)
    endings = [random_ending(rng, to_go, stage) for to_go in (1, 2, 3) for _ in range(40)]
    expected = []
    for ending in endings:
        values = oracle.coalition_card_tricks(*ending.position)
        taken = ending.tricks[ending.declarer]
        expected.append({card: value + taken for card, value in values.items()})
    assert wrong(endings, by_card(card_values_many(**arrays(endings))), expected) == []
    best = [best_of(*pair) for pair in zip(expected, endings, strict=True)]
    assert wrong(endings, solve_many(**arrays(endings)).tolist(), best) == []


@pytest.mark.bounds
def test_every_card_of_20_000_positions_is_worth_what_dds_says() -> None:
    endings = random_endings(20_000, seed=2)
    assert {(len(ending.hands[ending.seat]), len(ending.played)) for ending in endings} == set(
        itertools.product(SIZES, SEATS)
    )
    expected = [
        {card: value + ending.tricks[ending.declarer] for card, value in values.items()}
        for ending, values in zip(
            endings, dds.dds_card_tricks([ending.position for ending in endings]), strict=True
        )
    ]
    assert wrong(endings, by_card(card_values_many(**arrays(endings))), expected) == []
    best = [best_of(*pair) for pair in zip(expected, endings, strict=True)]
    assert wrong(endings, solve_many(**arrays(endings)).tolist(), best) == []


@pytest.mark.bounds
def test_20_000_full_deals_are_worth_what_dds_says() -> None:
    n = 20_000
    masks = random_masks(n, seed=1)
    trump, declarer, leader = random_choices(n, seed=2)
    # Every trump, declarer and leader has a few hundred of the deals.
    combinations = np.unique(np.stack([trump, declarer, leader]), axis=1, return_counts=True)[1]
    assert len(combinations) == 36
    assert combinations.min() > 400
    deals = [
        (as_cards(row), "SCHD"[t], int(d), int(lead))
        for row, t, d, lead in zip(masks, trump, declarer, leader, strict=True)
    ]
    assert solve_many(masks, trump, declarer, leader).tolist() == dds.dds_tricks(deals)


@pytest.mark.bounds
@pytest.mark.parametrize(("tricks", "deals"), [(1, 500), (2, 500), (3, 300), (4, 100), (5, 20)])
def test_endings_are_worth_what_the_oracle_says_at_every_depth_of_search(
    tricks: int, deals: int
) -> None:
    depths = range(min(tricks, DEPTH + 1))
    trump, declarer, _ = random_choices(deals, seed=tricks)
    for i, masks in enumerate(random_masks(deals, seed=10 + tricks, cards_each=tricks)):
        expected = oracle_by_leader(masks, trump[i], declarer[i])
        for depth in depths:
            got = [kernel_tricks(masks, trump[i], declarer[i], lead, depth) for lead in SEATS]
            assert got == expected, (as_cards(masks), trump[i], declarer[i], depth)


@pytest.mark.jit_off
@pytest.mark.parametrize(("tricks", "deals"), [(1, 200), (2, 150), (3, 60), (4, 5)])
def test_a_few_endings_are_worth_what_the_oracle_says(tricks: int, deals: int) -> None:
    trump, declarer, _ = random_choices(deals, seed=20 + tricks)
    for i, masks in enumerate(random_masks(deals, seed=30 + tricks, cards_each=tricks)):
        expected = oracle_by_leader(masks, trump[i], declarer[i])
        for depth in range(min(tricks, 2)):
            got = [kernel_tricks(masks, trump[i], declarer[i], lead, depth) for lead in SEATS]
            assert got == expected, (as_cards(masks), trump[i], declarer[i], depth)


def best_by_one_trick(
    masks: Any, trump: int, declarer: int, leader: int, value: Callable[..., int]
) -> int:
    """The value of a position by the rules alone, given the values of those one trick later."""
    letter = "SCHD"[trump]
    hands = as_cards(masks)

    def after(played: tuple[str, ...]) -> int:
        if len(played) == 3:
            winner = oracle.trick_winner(played, leader, letter)
            left = [int(mask) & ~oracle.hand_mask(played) for mask in masks]
            return (winner == declarer) + value(left, trump, declarer, winner)
        seat = (leader + len(played)) % 3
        led = played[0] if played else None
        results = [after((*played, card)) for card in oracle.legal_plays(hands[seat], led, letter)]
        return max(results) if seat == declarer else min(results)

    return after(())


@pytest.mark.bounds
def test_a_deal_is_worth_its_best_legal_play() -> None:
    # No run of neighbouring cards is taken for one card here: every legal card is tried.
    trump, declarer, leader = random_choices(150, seed=4)
    masks = random_masks(150, seed=3)
    got = solve_many(masks, trump, declarer, leader)
    children = functools.partial(kernel_tricks, depth=DEPTH)
    for i, row in enumerate(masks):
        assert got[i] == best_by_one_trick(row, trump[i], declarer[i], leader[i], children)


@pytest.mark.bounds
@given(
    position=st.integers(1, 6).flatmap(lambda n: layouts(tricks=n)),
    trump=trumps,
    declarer=seats,
    leader=seats,
    window=st.tuples(st.integers(0, 6), st.integers(0, 6)),
    data=st.data(),
)
def test_a_narrow_window_tells_the_values_inside_it_apart(
    position: tuple[int, int, int],
    trump: Suit,
    declarer: int,
    leader: int,
    window: tuple[int, int],
    data: st.DataObject,
) -> None:
    n = position[0].bit_count()
    low, high = sorted(min(bound, n) for bound in window)
    depth = min(n - 1, DEPTH)
    played: list[str] = []
    for place in range(data.draw(st.integers(0, 2))):
        hand = as_cards(position)[(leader + place) % 3]
        legal = oracle.legal_plays(hand, played[0] if played else None, trump.letter)
        played.append(data.draw(st.sampled_from(legal)))
    search = functools.partial(
        kernel_tricks, position, trump, declarer, leader, depth, played=oracle.hand_mask(played)
    )
    exact, narrow = search(), search((low, high))
    assert min(max(narrow, low), high) == min(max(exact, low), high)


# ----------------------------------------------------------------------------- selfish play


def selfish_cards(
    ending: Ending, bid: int | None, **scoring: Any
) -> tuple[dict[str, list[int]], list[int]]:
    """The oracle's tricks of the deal by seat: after each card, and with best play."""
    taken = 0 if bid is None else ending.tricks[ending.declarer]
    values = oracle.selfish_card_tricks(*ending.position, bid, taken, **scoring)
    contract = oracle.Contract(ending.trump, ending.declarer, bid, **scoring)
    best = (0, 0, 0)
    if values:
        best = oracle.selfish_choice(values.values(), ending.seat, contract, taken)

    def whole_deal(to_come: oracle.BySeat) -> list[int]:
        return [sum(pair) for pair in zip(to_come, ending.tricks, strict=True)]

    return {card: whole_deal(value) for card, value in values.items()}, whole_deal(best)


def check_selfish(
    endings: list[Ending],
    bids: list[int] | None,
    rules: Rules = STANDARD,
    scoring: oracle.Scoring | None = None,
    **options: Any,
) -> None:
    """Compare values and cards with the oracle's."""
    scoring = {} if scoring is None else scoring
    of_each = bids if bids is not None else [None] * len(endings)
    expected = [
        selfish_cards(ending, bid, **scoring) for ending, bid in zip(endings, of_each, strict=True)
    ]
    how: dict[str, Any] = arrays(endings) | {"defence": "selfish", "rules": rules, **options}
    if bids is not None:
        how |= {"objective": "points", "bid": bids}
    asked = list(zip(endings, of_each, strict=True))
    got = by_card(card_values_many(**how))
    assert wrong(asked, got, [cards for cards, _ in expected]) == []
    assert wrong(asked, solve_many(**how).tolist(), [best for _, best in expected]) == []


#: How many positions of each size the oracle solves, for each number of cards on the table.
SELFISH_POSITIONS = [(1, 200), (2, 200), (3, 150), (4, 60), (5, 14), (6, 4)]


@pytest.mark.parametrize("stage", SEATS)
@pytest.mark.parametrize(("to_go", "number"), SELFISH_POSITIONS)
@pytest.mark.parametrize("objective", ["tricks", "points"])
def test_selfish_play_is_what_the_oracle_says(
    objective: str, to_go: int, number: int, stage: int
) -> None:
    rng = random.Random(f"{objective}{to_go}{stage}")
    endings = [random_ending(rng, to_go, stage) for _ in range(number)]
    # In one call: every bid, and the declarer with any number of tricks so far.
    bids = [rng.choice(BIDS) for _ in endings]
    check_selfish(endings, bids if objective == "points" else None)


@pytest.mark.jit_off
@pytest.mark.bounds
@pytest.mark.parametrize("stage", SEATS)
@pytest.mark.parametrize("bids", [None, (3, 6)])
def test_selfish_play_of_a_few_small_positions_is_what_the_oracle_says(
    bids: tuple[int, int] | None, stage: int
) -> None:
    rng = random.Random(30 + stage)
    # The declarer has a trick too few, or enough: few tables, for there may be no compiler.
    endings: list[Ending] = []
    while len(endings) < 60:
        ending = random_ending(rng, rng.choice((1, 2, 3)), stage)
        if ending.tricks[ending.declarer] in (2, 3):
            endings.append(ending)
    check_selfish(endings, None if bids is None else [rng.choice(bids) for _ in endings])


#: Rules as the package and as the oracle write them. By the last, a moon is worth nothing.
SCORINGS: list[tuple[Rules, oracle.Scoring]] = [
    (SILENT_DEFENDERS, {"defenders_score": False}),
    (Rules(set_keeps_tricks=True), {"set_keeps_tricks": True}),
    (HALF_MOON, {"moon_points": 12}),
    (Rules(moon_points=0), {"moon_points": 0}),
    (
        Rules(moon_points=3, moon_set_points=1, set_keeps_tricks=True),
        {"moon_points": 3, "moon_set_points": 1, "set_keeps_tricks": True},
    ),
    (
        Rules(moon_points=0, moon_set_points=0, defenders_score=False),
        {"moon_points": 0, "moon_set_points": 0, "defenders_score": False},
    ),
]


@pytest.mark.parametrize(("rules", "scoring"), SCORINGS, ids=lambda value: str(value)[:40])
def test_selfish_play_by_other_rules_is_what_the_oracle_says(
    rules: Rules, scoring: oracle.Scoring
) -> None:
    # Up to four tricks: the tables below are built in no time.
    endings = random_endings(160, seed=40, sizes=(1, 2, 3, 4))
    rng = random.Random(41)
    check_selfish(endings, [rng.choice(BIDS) for _ in endings], rules, scoring)


def test_selfish_play_of_whole_deals_by_other_rules_is_what_the_oracle_says() -> None:
    # One bid each, for one bid needs three tables. The moon's points make no other preferences.
    rng = random.Random(42)
    deals = [random_ending(rng, 6, stage) for stage in SEATS for _ in range(2)]
    check_selfish(deals, [4] * 6, SILENT_DEFENDERS, {"defenders_score": False})
    check_selfish(deals, [rng.choice(BIDS) for _ in deals], HALF_MOON, {"moon_points": 12})


@pytest.mark.parametrize("ties", ["defenders reversed", "declarer reversed", "reversed"])
@pytest.mark.parametrize("objective", ["tricks", "points"])
def test_tie_rules_turned_round_are_those_of_an_oracle_turned_round(
    monkeypatch: pytest.MonkeyPatch, objective: str, ties: Any
) -> None:
    standard = oracle.selfish_preference

    def turned(values: oracle.BySeat, seat: int, declarer: int) -> tuple[int, ...]:
        own, *others = standard(values, seat, declarer)
        role = "declarer" if seat == declarer else "defenders"
        turn = -1 if ties in ("reversed", f"{role} reversed") else 1
        return own, *(turn * other for other in others)

    endings = random_endings(160, seed=43, sizes=(1, 2, 3, 4))
    rng = random.Random(44)
    bids = [rng.choice(BIDS) for _ in endings] if objective == "points" else None
    how: dict[str, Any] = arrays(endings) | {"defence": "selfish", "objective": objective}
    assert (solve_many(**how, bid=bids) != solve_many(**how, bid=bids, ties=ties)).any()
    monkeypatch.setattr(oracle, "selfish_preference", turned)
    check_selfish(endings, bids, ties=ties)


def test_the_objective_matters_and_so_does_the_contract() -> None:
    # A guard for the tests above: if bids were lost on the way, these would be equal.
    masks = random_masks(300, seed=45)
    tricks = solve_many(masks, "H", defence="selfish")
    points = [
        solve_many(masks, "H", defence="selfish", objective="points", bid=bid) for bid in BIDS
    ]
    for one, other in itertools.combinations([tricks, *points], 2):
        assert (one != other).any()
    # A bid is only a bid when seats play for tricks.
    assert np.array_equal(solve_many(masks, "H", defence="selfish", bid="moon"), tricks)


def declarer_points(bid: NDArray[np.int64], tricks: NDArray[np.int64]) -> NDArray[np.int64]:
    """The declarer's points by the standard rules (DESIGN 2.8)."""
    made: NDArray[np.int64] = np.where(bid == 6, 24, tricks)
    return np.where(tricks >= bid, made, -bid)


def test_selfish_defenders_give_the_declarer_no_less_than_a_coalition() -> None:
    n = 20_000
    masks = random_masks(n, seed=46)
    trump, declarer, leader = random_choices(n, seed=47)
    bid = np.random.default_rng(48).integers(3, 7, size=n)
    call = functools.partial(solve_many, masks, trump, declarer, leader)
    sure = call().astype(np.int64)
    by_seat = call(defence="selfish").astype(np.int64)
    assert (by_seat.sum(axis=1) == 6).all()
    gain = by_seat[np.arange(n), declarer] - sure
    assert gain.min() == 0
    assert (gain > 0).sum() > n // 100
    for_points = call(defence="selfish", objective="points", bid=bid).astype(np.int64)
    assert (for_points.sum(axis=1) == 6).all()
    own = for_points[np.arange(n), declarer]
    gain = declarer_points(bid, own) - declarer_points(bid, sure)
    assert gain.min() == 0
    assert (gain > 0).sum() > n // 200


@pytest.mark.jit_off
def test_an_objective_is_the_same_to_a_coalition() -> None:
    endings = random_endings(60, seed=49, sizes=(1, 2, 3))
    for function in (solve_many, card_values_many):
        tricks = function(**arrays(endings))
        points = function(**arrays(endings), objective="points", bid="moon", ties="reversed")
        assert np.array_equal(tricks, points)


# ------------------------------------------------------------------ tables of different depths


def needs(table: Table, why: str) -> None:
    if not table.is_ready():
        pytest.skip(f"no table {table} is cached, and building one takes {why}")


def test_all_depths_of_search_agree_on_full_deals() -> None:
    trump, declarer, leader = random_choices(400, seed=6)
    masks = random_masks(400, seed=5)
    by_table = solve_many(masks, trump, declarer, leader, depth=DEPTH)
    for i, row in enumerate(masks):
        for depth in range(1, DEPTH + 1):
            tricks = kernel_tricks(row, trump[i], declarer[i], leader[i], depth)
            assert tricks == by_table[i], (as_cards(row), trump[i], declarer[i], leader[i], depth)


def test_the_five_trick_table_gives_the_same_answers() -> None:
    needs(Table(MAX_DEPTH), "20 core-seconds")
    n = 100_000
    masks = random_masks(n, seed=7)
    trump, declarer, leader = random_choices(n, seed=8)
    shallow = solve_many(masks, trump, declarer, leader, depth=DEPTH)
    deep = solve_many(masks, trump, declarer, leader, depth=MAX_DEPTH)
    assert deep.tobytes() == shallow.tobytes()
    endings = arrays(random_endings(6_000, seed=9, sizes=(5, 6)))
    for function in (solve_many, card_values_many):
        shallow, deep = (function(**endings, depth=depth) for depth in (DEPTH, MAX_DEPTH))
        assert deep.tobytes() == shallow.tobytes()


def test_the_selfish_five_trick_table_gives_the_same_answers() -> None:
    needs(Table(MAX_DEPTH, Preferences()), "two core-minutes")
    endings = arrays(random_endings(3_000, seed=10, sizes=(5, 6)))
    for function in (solve_many, card_values_many):
        shallow, deep = (
            function(**endings, defence="selfish", depth=depth) for depth in (DEPTH, MAX_DEPTH)
        )
        assert deep.tobytes() == shallow.tobytes()


def test_the_opening_table_gives_the_same_answers() -> None:
    needs(Table(OPENING), "80 seconds of one core")
    n = 100_000
    masks = random_masks(n, seed=11)
    trump, declarer, leader = random_choices(n, seed=12)
    searched = solve_many(masks, trump, declarer, depth=DEPTH)
    assert solve_many(masks, trump, declarer, depth=OPENING).tobytes() == searched.tobytes()
    # One look-up answers for the declarer's lead only: others, and endings, are searched.
    searched = solve_many(masks[:5000], trump[:5000], declarer[:5000], leader[:5000])
    looked_up = solve_many(
        masks[:5000], trump[:5000], declarer[:5000], leader[:5000], depth=OPENING
    )
    assert looked_up.tobytes() == searched.tobytes()
    endings = arrays(random_endings(3_000, seed=13, sizes=range(7)))
    assert np.array_equal(solve_many(**endings, depth=OPENING), solve_many(**endings))


class AskedForTableError(Exception):
    """Raised in place of building a table, to see which one was asked for."""


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("loaded", "ready", "deals", "depth"),
    [
        ([], [], 5, 4),
        ([], [], 299, 4),
        ([], [], 300, 5),
        ([], [5], 19, 4),
        ([], [5], 20, 5),
        ([], [5, 6], 19, 4),
        ([], [5, 6], 20, 5),
        ([], [6], 99, 4),
        ([], [6], 100, 6),
        ([], [5, 6], 300, 6),
        ([5], [5], 1, 5),
        ([6], [6], 1, 6),
        ([5], [5, 6], 99, 5),
        ([5], [5, 6], 100, 6),
    ],
)
def test_the_deep_tables_are_for_many_deals(
    monkeypatch: pytest.MonkeyPatch, loaded: list[int], ready: list[int], deals: int, depth: int
) -> None:
    def ask(table: Table, n_jobs: int | None = None) -> None:
        raise AskedForTableError(str(table))

    monkeypatch.setattr(batches, "DEALS_WORTH_READING", {5: 20, 6: 100})
    monkeypatch.setattr(batches, "DEALS_WORTH_A_TABLE", 300)
    monkeypatch.setattr(Table, "is_loaded", lambda table: table.tricks in loaded)
    monkeypatch.setattr(Table, "is_ready", lambda table: table.tricks in ready)
    monkeypatch.setattr(Table, "load", ask)
    hands = random_masks(deals, seed=9)
    leads = ", the declarer leads" if depth == 6 else ""
    with pytest.raises(AskedForTableError, match=f"^coalition, {depth} tricks{leads}$"):
        solve_many(hands, "S")
    # The opening table is for whole deals that the declarer leads to, and for no single card.
    deep = 5 if deals >= 300 or 5 in loaded or (5 in ready and deals >= 20) else 4
    with pytest.raises(AskedForTableError, match=f"^coalition, {deep} tricks$"):
        solve_many(hands, "S", 0, 1)
    with pytest.raises(AskedForTableError, match=f"^coalition, {deep} tricks$"):
        card_values_many(hands, "S")
    for function in (solve_many, card_values_many):
        # The selfish have a table for each set of preferences: only the shallow ones are built.
        with pytest.raises(AskedForTableError, match=r"^selfish, 4 tricks, for tricks$"):
            function(hands, "S", defence="selfish")


@pytest.mark.jit_off
@pytest.mark.parametrize("depth", [4, 5, 6])
def test_the_table_asked_for_is_the_one_that_is_read(
    monkeypatch: pytest.MonkeyPatch, depth: int
) -> None:
    def ask(table: Table, n_jobs: int | None = None) -> None:
        raise AskedForTableError(str(table))

    monkeypatch.setattr(Table, "load", ask)
    leads = ", the declarer leads" if depth == 6 else ""
    with pytest.raises(AskedForTableError, match=f"^coalition, {depth} tricks{leads}$"):
        solve_many(MASKS, "S", depth=depth)
    with pytest.raises(AskedForTableError, match=f"^coalition, {min(depth, 5)} tricks$"):
        solve_many(MASKS, "S", 0, 1, depth=depth)
    # Nor can the opening table help once a card has been led, or a trick is over.
    rng = random.Random(24)
    for to_go, stage in ((6, 1), (6, 2), (5, 0)):
        ending = random_ending(rng, to_go, stage)
        ending = ending._replace(declarer=ending.leader)
        deepest = min(depth, to_go - 1)
        with pytest.raises(AskedForTableError, match=f"^coalition, {deepest} tricks$"):
            solve_many(**arrays([ending]), depth=depth)


# ---------------------------------------------------------------------- names do not matter


def relabelled_arrays(how: dict[str, Any], relabelling: tuple[int, ...]) -> dict[str, Any]:
    """The same positions with suits renamed."""
    suit = np.array(relabelling)
    trick = how["trick"]
    return how | {
        "hands": relabelled(np.array(how["hands"]), relabelling),
        "trump": suit[["SCHD".index(letter) for letter in how["trump"]]],
        "trick": np.where(trick < 0, -1, 6 * suit[trick // 6] + trick % 6),
    }


DEFENCES: list[dict[str, Any]] = [
    {"defence": "coalition"},
    {"defence": "selfish"},
    {"defence": "selfish", "objective": "points", "bid": 4},
]


@pytest.mark.bounds
@pytest.mark.parametrize("defence", DEFENCES)
def test_relabelling_the_suits_changes_nothing(defence: dict[str, Any]) -> None:
    how = arrays(random_endings(2_000, seed=14, sizes=range(7))) | defence
    values, cards = solve_many(**how), card_values_many(**how)
    for relabelling in EIGHT_RELABELLINGS:
        renamed = relabelled_arrays(how, relabelling)
        assert solve_many(**renamed).tobytes() == values.tobytes()
        place = [6 * relabelling[bit // 6] + bit % 6 for bit in range(24)]
        assert np.array_equal(card_values_many(**renamed)[:, place], cards)


@pytest.mark.parametrize("defence", DEFENCES)
def test_rotating_the_seats_changes_nothing(defence: dict[str, Any]) -> None:
    how = arrays(random_endings(2_000, seed=15, sizes=range(7))) | defence
    for function in (solve_many, card_values_many):
        expected = function(**how)
        for turn in (1, 2):
            rotated = how | {
                "hands": np.roll(how["hands"], turn, axis=1),
                "tricks": np.roll(how["tricks"], turn, axis=1),
                "declarer": (np.array(how["declarer"]) + turn) % 3,
                "leader": (np.array(how["leader"]) + turn) % 3,
            }
            if defence["defence"] == "selfish":  # the seats are the last axis
                assert np.array_equal(function(**rotated), np.roll(expected, turn, axis=-1))
            else:
                assert np.array_equal(function(**rotated), expected)


@pytest.mark.parametrize("defence", DEFENCES)
def test_only_the_order_of_the_cards_in_play_matters(defence: dict[str, Any]) -> None:
    # In each suit (the left bower in trump), the owners in order stay, cards out of play change.
    rng = random.Random(16)
    endings = random_endings(1_000, seed=17)
    moved = []
    for ending in endings:
        new: dict[str, str] = {}
        in_play = {*ending.played, *(card for hand in ending.hands for card in hand)}
        for suit in "SCHD":
            cards = [c for c in oracle.DECK if oracle.effective_suit(c, ending.trump) == suit]
            cards.sort(key=lambda card: oracle.strength(card, ending.trump))
            old = [card for card in cards if card in in_play]
            places = sorted(rng.sample(range(len(cards)), len(old)))
            new |= dict(zip(old, [cards[place] for place in places], strict=True))
        first, second, third = (tuple(new[card] for card in hand) for hand in ending.hands)
        played = tuple(new[card] for card in ending.played)
        moved.append(ending._replace(hands=(first, second, third), played=played))
    assert sum(a != b for a, b in zip(endings, moved, strict=True)) > 500
    got, expected = (solve_many(**arrays(rows), **defence) for rows in (moved, endings))
    assert wrong(endings, got.tolist(), expected.tolist()) == []


# -------------------------------------------------------------- every hand, and what is obvious


@pytest.mark.bounds
@pytest.mark.parametrize("trump", Suit)
def test_every_hand_with_every_trump_is_solved(trump: Suit) -> None:
    bits = np.array(list(itertools.combinations(range(24), 6)))
    assert len(bits) == 134_596
    # The other 18 cards are dealt at random.
    random = np.random.default_rng(15 + trump).random((len(bits), 24))
    np.put_along_axis(random, bits, -1.0, axis=1)
    order = np.argsort(random, axis=1)
    held = (np.int64(1) << order[:, :18].reshape(-1, 3, 6)).sum(axis=2)
    assert set(held[:, 0]) == {as_mask(hand) for hand in bits.tolist()}

    tricks = solve_many(held, trump)
    # A leader with the k highest trumps in play cashes them; whoever has the highest wins with it.
    trump_cards = [card for card in oracle.DECK if oracle.effective_suit(card, trump.letter)
                   == trump.letter]  # fmt: skip
    trump_cards.sort(key=lambda card: -oracle.strength(card, trump.letter))
    sure = np.zeros(len(bits), dtype=np.int64)
    still = np.ones(len(bits), dtype=bool)
    beaten = np.zeros(len(bits), dtype=bool)
    for card in trump_cards:
        mine = (held[:, 0] & oracle.hand_mask([card])) > 0
        theirs = ((held[:, 1] | held[:, 2]) & oracle.hand_mask([card])) > 0
        sure += still & mine
        beaten |= still & theirs & (sure == 0)
        still &= ~theirs
    assert (tricks >= sure).all()
    assert (tricks <= 6 - beaten).all()
    assert beaten.sum() > 20_000
    assert (sure > 1).sum() > 10_000
    assert set(tricks) == set(range(7))


def test_the_left_bower_follows_to_a_trump_lead_not_to_its_printed_suit() -> None:
    # Spades are trump and each has one card left, or two. The oracle agrees, and so can a reader:
    # seat 0 leads the ace of clubs; seat 1's jack of clubs is a trump and takes it.
    position = tuple(oracle.hand_mask(hand.split()) for hand in ("AC", "JC", "9C"))
    assert kernel_tricks(position, Suit.SPADES, 0, 0, 0) == 0
    assert kernel_tricks(position, Suit.HEARTS, 0, 0, 0) == 1  # now it is a club like another
    # The queen of spades draws the left bower from seat 1, who must follow with it.
    position = tuple(oracle.hand_mask(hand.split()) for hand in ("JS QS", "JC AC", "9H TH"))
    assert kernel_tricks(position, Suit.SPADES, 0, 0, 1) == 2


@pytest.mark.jit_off
def test_the_left_bower_under_way() -> None:
    # The queen of spades is on the table: seat 1 must play the left bower, a trump.
    hands = [[oracle.hand_mask(hand.split()) for hand in ("JS", "JC AC", "9H TH")]] * 2
    trick = [[oracle.card_bit("QS"), -1]] * 2
    left_bower, ace = oracle.card_bit("JC"), oracle.card_bit("AC")
    how: dict[str, Any] = {"hands": hands, "trick": trick, "tricks": (1, 2, 1)}
    values = card_values_many(trump=["S", "H"], **how)
    assert values[0, left_bower] == 2  # it wins this trick, JS the next
    assert values[0, ace] == -1
    # Hearts are trump: the jack of clubs is a club, and seat 2 ruffs whatever seat 1 plays.
    assert values[1, left_bower] == values[1, ace] == 1
    assert (values >= 0).sum() == 3
    assert solve_many(trump=["S", "H"], **how).tolist() == [2, 1]


@pytest.mark.jit_off
def test_a_deal_that_is_over_is_worth_what_was_taken() -> None:
    over: dict[str, Any] = {"hands": [[0, 0, 0]] * 3, "trump": "S", "declarer": [0, 1, 2]}
    over["tricks"] = (3, 1, 2)
    assert solve_many(**over).tolist() == [3, 1, 2]
    assert solve_many(**over, defence="selfish").tolist() == [[3, 1, 2]] * 3
    assert (card_values_many(**over) == -1).all()
    assert (card_values_many(**over, defence="selfish") == -1).all()


# ----------------------------------------------------------------- how it may be called


def test_a_mixed_batch_is_what_its_rows_are_one_by_one() -> None:
    endings = random_endings(150, seed=18, sizes=range(7))
    rng = random.Random(19)
    bids = [rng.choice(BIDS) for _ in endings]
    groups = {
        (len(ending.hands[ending.seat]), ending.tricks[ending.declarer], bid)
        for ending, bid in zip(endings, bids, strict=True)
    }
    assert len(groups) > 60
    for function, defence in itertools.product((solve_many, card_values_many), DEFENCES):
        how = defence | ({"bid": bids} if "bid" in defence else {})
        together = function(**arrays(endings), **how)
        for i, ending in enumerate(endings):
            one = how | ({"bid": bids[i]} if "bid" in defence else {})
            alone = function(**arrays([ending]), **one)
            assert alone.dtype == together.dtype == np.int8
            assert alone.tolist() == together[i : i + 1].tolist(), (ending, one)


@pytest.mark.parametrize("defence", DEFENCES[::2])
def test_answers_do_not_depend_on_blocks_or_jobs_or_on_the_ambient_backend(
    monkeypatch: pytest.MonkeyPatch, defence: dict[str, Any]
) -> None:
    n = 1_210
    how = arrays(random_endings(n, seed=20, sizes=range(7))) | defence
    how["trump"] = np.array(["SCHD".index(letter) for letter in how["trump"]])
    for function in (solve_many, card_values_many):
        expected = function(**how)
        # Many blocks and a short one at the end, so that threads have something to share out.
        monkeypatch.setattr(batches, "_ROWS_PER_BLOCK", 100)
        for n_jobs in (1, 2, -1):
            assert function(**how, n_jobs=n_jobs).tobytes() == expected.tobytes()
        for backend in ("threading", "loky", "sequential"):
            with joblib.parallel_config(backend, n_jobs=None if backend == "sequential" else 2):
                got = function(**how)
            assert got.tobytes() == expected.tobytes()
        for rows in (1, 7, n - 1, n, n + 1):
            monkeypatch.setattr(batches, "_ROWS_PER_BLOCK", rows)
            part: dict[str, Any] = {
                name: value[:700] if isinstance(value, np.ndarray | list) else value
                for name, value in how.items()
            }
            assert function(**part).tobytes() == expected[:700].tobytes()
        monkeypatch.undo()


def test_deals_in_blocks() -> None:
    # As many rows as make several blocks of the usual size.
    n = 2 * batches._ROWS_PER_BLOCK + 1_234
    masks = random_masks(n, seed=16)
    trump, declarer, leader = random_choices(n, seed=17)
    expected = solve_many(masks, trump, declarer, leader)
    assert solve_many(masks, trump, declarer, leader, 2).tobytes() == expected.tobytes()
    # And each deal alone, or in some other company, has the same value.
    for start in (0, 49_999, 50_000, 100_000, n - 1):
        part = slice(start, start + 2)
        alone = solve_many(masks[part], trump[part], declarer[part], leader[part])
        assert alone.tolist() == expected[part].tolist()


def test_what_is_wrong_in_a_later_block_is_named_by_its_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(batches, "_ROWS_PER_BLOCK", 4)
    hands = MASKS.copy()
    hands[9, 1] = 0
    with pytest.raises(DealError, match=re.escape("hands[9, 1] = 0 is not a hand")):
        solve_many(hands, "S")
    hands = MASKS.copy()
    hands[10, 2] = hands[10, 0]
    with pytest.raises(DealError, match=re.escape("hands[10]: two seats hold ")):
        solve_many(hands, "S")
    trick = np.full((12, 2), -1)
    trick[7, 1] = 3
    with pytest.raises(DealError, match=re.escape("trick[7]: the second card is there")):
        solve_many(MASKS, "S", trick=trick)
    tricks = np.zeros((12, 3), dtype=int)
    tricks[11] = 2, 2, 3
    with pytest.raises(DealError, match=re.escape("tricks[11] add up to 7")):
        solve_many(MASKS, "S", tricks=tricks)


MASKS = random_masks(12, seed=18)


@pytest.fixture(scope="module")
def expected() -> dict[tuple[int, int, int], list[int]]:
    """The oracle's tricks of the twelve deals of MASKS by trump, declarer and leader."""
    table: dict[tuple[int, int, int], list[int]] = {}
    for trump, declarer in ((0, 0), (2, 1), (3, 2)):
        rows = [oracle_by_leader(row, trump, declarer) for row in MASKS]
        for leader in SEATS:
            table[trump, declarer, leader] = [row[leader] for row in rows]
    return table


TRUMP_SPELLINGS: list[Any] = [
    "H", "h", "♥", "hearts", Suit.HEARTS, 2, np.int8(2), np.uint64(2), np.array(2), np.array("H"),
    ["H"] * 12, [Suit.HEARTS] * 12, (2,) * 12, np.full(12, 2), np.full(12, 2, dtype=np.uint8),
    np.array(["H"] * 12), np.array(["H"] * 12, dtype=object), ["H", "h", "♥"] * 4,
]  # fmt: skip


@pytest.mark.parametrize("trump", TRUMP_SPELLINGS, ids=repr)
def test_trump_in_every_spelling(
    trump: Any, expected: dict[tuple[int, int, int], list[int]]
) -> None:
    tricks = solve_many(MASKS, trump, 1)
    assert tricks.dtype == np.int8
    assert tricks.shape == (12,)
    assert tricks.tolist() == expected[2, 1, 1]


def test_suits_and_texts_may_be_mixed(expected: dict[tuple[int, int, int], list[int]]) -> None:
    # numpy alone would make texts of them all, and "2" names no suit.
    trump: list[Suit | str] = [Suit.HEARTS, "H", "h", Suit.HEARTS] * 3
    assert solve_many(MASKS, trump, 1).tolist() == expected[2, 1, 1]


BID_SPELLINGS: list[Any] = [
    6, "moon", "MOON", "6", Bid.MOON, np.int8(6), np.uint64(6), np.array(6), np.array("moon"),
    ["moon"] * 12, [Bid.MOON] * 12, (6,) * 12, np.full(12, 6), np.full(12, 6, dtype=np.uint8),
    np.array(["moon"] * 12), np.array(["6"] * 12, dtype=object), [Bid.MOON, "moon", "6"] * 4,
]  # fmt: skip


@pytest.mark.parametrize("bid", BID_SPELLINGS, ids=repr)
def test_a_bid_in_every_spelling(bid: Any) -> None:
    how: dict[str, Any] = {"defence": "selfish", "objective": "points"}
    expected = [solve_many([row], "H", 1, **how, bid=6).tolist()[0] for row in MASKS]
    assert solve_many(MASKS, "H", 1, **how, bid=bid).tolist() == expected


def unaligned(array: Masks) -> Masks:
    """The same array at an odd address."""
    buffer = np.empty(array.nbytes + 1, dtype=np.uint8)
    moved = buffer[1:].view(np.int64).reshape(array.shape)
    moved[...] = array
    return moved


FORMS: dict[str, Callable[[Masks], Any]] = {
    "list of lists": lambda array: array.tolist(),
    "list of tuples": lambda array: [tuple(row) for row in array.tolist()],
    "list of arrays": list,
    "int32": lambda array: array.astype(np.int32),
    "big-endian": lambda array: array.astype(">i8"),
    "columns first": np.asfortranarray,
    "every second row": lambda array: np.repeat(array, 2, axis=0)[::2],
    "turned round": lambda array: array[::-1].copy()[::-1],
    "unaligned": unaligned,
}
HANDS_FORMS: dict[str, Callable[[Masks], Any]] = FORMS | {
    "uint32": lambda array: array.astype(np.uint32),
    "uint64": lambda array: array.astype(np.uint64),
}


@pytest.mark.parametrize("form", HANDS_FORMS)
def test_hands_in_every_form_of_array(
    form: str, expected: dict[tuple[int, int, int], list[int]]
) -> None:
    hands = HANDS_FORMS[form](MASKS)
    assert solve_many(hands, "D", 2, 0).tolist() == expected[3, 2, 0]


@pytest.mark.jit_off
@pytest.mark.parametrize("form", FORMS)
def test_tricks_in_every_form_of_array(form: str) -> None:
    endings = random_endings(30, seed=21, sizes=(1, 2))
    how = arrays(endings)
    changed = how | {
        name: FORMS[form](np.array(how[name])) for name in ("hands", "trick", "tricks")
    }
    for function in (solve_many, card_values_many):
        assert function(**changed).tolist() == function(**how).tolist()


@pytest.mark.jit_off
def test_tricks_without_a_sign_or_in_a_byte() -> None:
    rng = random.Random(22)
    how = arrays([random_ending(rng, 2, 2) for _ in range(20)])
    for dtype in (np.int8, np.uint8, np.uint64):
        changed = how | {name: how[name].astype(dtype) for name in ("trick", "tricks")}
        for function in (solve_many, card_values_many):
            assert function(**changed).tolist() == function(**how).tolist()


def test_read_only_arrays_are_taken_and_nothing_is_written_to(
    expected: dict[tuple[int, int, int], list[int]],
) -> None:
    given: list[Any] = [MASKS.copy(), np.full(12, 3), np.full(12, 2), np.full(12, 1)]
    named: dict[str, Any] = {
        "trick": np.full((12, 2), -1),
        "tricks": np.zeros((12, 3), dtype=int),
        "bid": np.full(12, 3),
    }
    copies = [array.copy() for array in [*given, *named.values()]]
    for writeable in (True, False):
        for array in [*given, *named.values()]:
            array.flags.writeable = writeable
        tricks, cards = solve_many(*given, **named), card_values_many(*given, **named)
        assert tricks.tolist() == expected[3, 2, 1]
        assert all(map(np.array_equal, [*given, *named.values()], copies))
        solve_many(*given, **named, defence="selfish", objective="points")
        assert all(map(np.array_equal, [*given, *named.values()], copies))
    again = cards.copy()
    tricks[:] = cards[:] = 0  # the answers are the caller's own
    assert solve_many(*given, **named).tolist() == expected[3, 2, 1]
    assert card_values_many(*given, **named).tolist() == again.tolist()


@pytest.mark.parametrize("as_array", list(itertools.product([False, True], repeat=3)))
def test_scalars_and_arrays_mix(
    as_array: tuple[bool, bool, bool], expected: dict[tuple[int, int, int], list[int]]
) -> None:
    for (trump, declarer, leader), tricks in expected.items():
        arguments: list[Any] = [
            np.full(12, value, dtype=np.int16) if array else value
            for value, array in zip((trump, declarer, leader), as_array, strict=True)
        ]
        assert solve_many(MASKS, *arguments).tolist() == tricks


def test_arrays_go_row_by_row(expected: dict[tuple[int, int, int], list[int]]) -> None:
    keys = list(expected)
    rows = [keys[i % len(keys)] for i in range(12)]
    trump, declarer, leader = (list(column) for column in zip(*rows, strict=True))
    assert solve_many(MASKS, trump, declarer, leader).tolist() == [
        expected[key][i] for i, key in enumerate(rows)
    ]


@pytest.mark.jit_off
@pytest.mark.parametrize(
    "as_array", list(itertools.product([False, True], repeat=4)), ids=lambda flags: str(flags)
)
def test_one_trick_for_all_rows_or_one_for_each(as_array: tuple[bool, ...]) -> None:
    # Only the hands and trump differ: the rest may be told once or row by row.
    hands = [
        [oracle.hand_mask(cards.split()) for cards in row]
        for row in (("AC", "JC AH", "9C TC"), ("AC", "KC AD", "JC KH"), ("JH", "JD QC", "QH 9H"))
    ]
    once: dict[str, Any] = {
        "trick": (oracle.card_bit("QS"), -1),
        "tricks": (2, 1, 1),
        "declarer": 1,
        "leader": 0,
    }
    told: dict[str, Any] = {
        name: np.array([value] * 3) if array else value
        for (name, value), array in zip(once.items(), as_array, strict=True)
    }
    for trump in (["S", "H", "C"], "D"):
        expected = []
        for row, letter in zip(hands, trump if isinstance(trump, list) else "DDD", strict=True):
            held = as_cards(row)
            values = oracle.coalition_card_tricks(held, letter, 1, 0, ("QS",))
            expected.append({card: value + 1 for card, value in values.items()})
        assert by_card(card_values_many(hands, trump, **told)) == expected
        selfish = card_values_many(hands, trump, **told, defence="selfish")
        assert (selfish.sum(axis=2)[(selfish >= 0).all(axis=2)] == 6).all()


def test_the_declarer_leads_if_nobody_is_named(
    expected: dict[tuple[int, int, int], list[int]],
) -> None:
    for trump, declarer in ((0, 0), (2, 1), (3, 2)):
        assert solve_many(MASKS, trump, declarer).tolist() == expected[trump, declarer, declarer]
    declarers = np.arange(12) % 3
    for function in (solve_many, card_values_many):
        assert np.array_equal(
            function(MASKS, "S", declarers), function(MASKS, "S", declarers, declarers)
        )


def test_one_deal() -> None:
    deal = Deal.random(seed=3, index=1)
    assert solve_many([deal.masks], ["S"], [1], [2]).tolist() == [
        oracle_by_leader(deal.masks, 0, 1)[2]
    ]


@pytest.mark.jit_off
@pytest.mark.parametrize(
    "hands", [np.empty((0, 3), dtype=np.int64), np.empty((0, 3)), np.empty((0, 3), dtype=np.uint8)]
)
@pytest.mark.parametrize("trump", ["S", [], np.empty(0, dtype=int)])
def test_no_deals_at_all(hands: NDArray[Any], trump: Any) -> None:
    named: dict[str, Any] = {
        "trick": np.empty((0, 2), dtype=int),
        "tricks": np.empty((0, 3), dtype=int),
        "bid": [],
    }
    selfish = named | {"defence": "selfish", "objective": "points"}
    for how in (dict[str, Any](), named, selfish):
        tricks = solve_many(hands, trump, [], [], **how)
        cards = card_values_many(hands, trump, [], [], **how)
        assert tricks.dtype == cards.dtype == np.int8
        by_seat = (3,) if "defence" in how else ()
        assert tricks.shape == (0, *by_seat)
        assert cards.shape == (0, 24, *by_seat)


@pytest.mark.bounds
def test_the_kernel_can_be_called_from_a_users_own_compiled_function() -> None:
    @numba.njit
    def histogram(hands: Any, trump: Any, table: Any) -> Any:
        counts = np.zeros(7, dtype=np.int64)
        for i in range(len(hands)):
            counts[deal_tricks(hands[i, 0], hands[i, 1], hands[i, 2], trump, 0, 4, table)] += 1
        return counts

    masks = random_masks(1_000, seed=19)
    expected = np.bincount(solve_many(masks, "D"), minlength=7)
    counted: Any = histogram
    assert counted(masks, 3, endgame_table(4)).tolist() == expected.tolist()


#: Says when the second block begins, so that the parent can interrupt the third or a later one.
LONG_BATCH = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have turned it off
import numpy as np
from ghostsim import Deal, batches, solve_many

solve_group, blocks = batches._solve_group, []
def tell(*arguments):
    blocks.append(1)
    if len(blocks) == 2:
        print("started", flush=True)
    return solve_group(*arguments)

batches._ROWS_PER_BLOCK = 5_000
masks = np.array([Deal.random(seed=1, index=i).masks for i in range(500)])
few = solve_many(masks, "S")
batches._solve_group = tell
many = np.tile(masks, (8_000, 1))
try:
    solve_many(many, "S", n_jobs=int(sys.argv[1]), depth=4)
except KeyboardInterrupt:
    if sys.argv[2] == "raise":
        raise
    print("interrupted", len(blocks) < 800, (solve_many(masks, "S", n_jobs=2) == few).all())
"""


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("what", ["raise", "go on"])
def test_a_long_batch_can_be_interrupted(what: str, n_jobs: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", LONG_BATCH, str(n_jobs), what],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        os.kill(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    if what == "raise":
        assert process.returncode == -signal.SIGINT
        assert errors.rstrip().endswith("KeyboardInterrupt")
        assert output == ""
    else:
        assert (output, errors) == ("interrupted True True\n", "")
        assert process.returncode == 0


# ------------------------------------------------------------------------------- bad input


def with_entry(row: int, seat: int, mask: int, dtype: Any = np.int64) -> NDArray[Any]:
    hands = MASKS.astype(dtype)
    hands[row, seat] = mask
    return hands


FIVE, SEVEN = 0b11111, 0b1111111
SHAPES: list[tuple[Any, str]] = [
    (MASKS[0], "hands must have shape (n, 3), one column a seat, not (3,)"),
    (MASKS[:, :2], "hands must have shape (n, 3), one column a seat, not (12, 2)"),
    (MASKS.T, "hands must have shape (n, 3), one column a seat, not (3, 12)"),
    (MASKS[None], "hands must have shape (n, 3), one column a seat, not (1, 12, 3)"),
    ([], "hands must have shape (n, 3), one column a seat, not (0,)"),
    (63, "hands must have shape (n, 3), one column a seat, not ()"),
]
NOT_HANDS: list[tuple[Any, str]] = [
    (with_entry(5, 1, FIVE), f"hands[5, 1] = {FIVE} is not a hand: six of bits 0-23 must be set"),
    (with_entry(0, 0, SEVEN), f"hands[0, 0] = {SEVEN} is not a hand"),
    (with_entry(11, 2, 0), "hands[11, 2] = 0 is not a hand"),
    (with_entry(7, 0, ALL), f"hands[7, 0] = {ALL} is not a hand"),
    (with_entry(3, 2, 1 << 24 | FIVE), f"hands[3, 2] = {1 << 24 | FIVE} is not a hand"),
    (with_entry(3, 2, -1), "hands[3, 2] = -1 is not a hand"),
    # Minus a power of two has many bits set; six of them among the low ones do not make a hand.
    (with_entry(3, 2, (63 << 12) - 2**62), "hands[3, 2] = "),
    (with_entry(9, 1, 2**64 - 1, np.uint64), f"hands[9, 1] = {2**64 - 1} is not a hand"),
    (with_entry(9, 1, 2**63 + 31, np.uint64), f"hands[9, 1] = {2**63 + 31} is not a hand"),
    (with_entry(9, 1, -(2**63) + 31), "hands[9, 1] = "),
]
NOT_NUMBERS: list[tuple[Any, str]] = [
    (MASKS.astype(float), "hands must be whole numbers (masks), not float64"),
    (MASKS.astype(bool), "hands must be whole numbers (masks), not bool"),
    (MASKS.astype(str), "hands must be whole numbers (masks), not <U"),
    (MASKS.astype(object), "hands must be whole numbers (masks), not object"),
    ([[2**70, 1, 2]], "hands must be whole numbers (masks), not object"),
    ([Deal.random().hands], "hands must be whole numbers (masks), not object"),
]
both = pytest.mark.parametrize("function", [solve_many, card_values_many])


@both
@pytest.mark.jit_off
@pytest.mark.parametrize(("hands", "message"), SHAPES + NOT_HANDS)
def test_hands_that_are_none(function: Callable[..., Any], hands: Any, message: str) -> None:
    with pytest.raises(DealError, match=re.escape(message)):
        function(hands, "S")


@both
@pytest.mark.jit_off
@pytest.mark.parametrize(("hands", "message"), NOT_NUMBERS)
def test_hands_that_are_no_numbers(function: Callable[..., Any], hands: Any, message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        function(hands, "S")


@pytest.mark.jit_off
@given(data=st.data(), row=st.integers(0, 11), pair=st.sampled_from([(0, 1), (0, 2), (1, 2)]))
def test_a_card_in_two_hands_is_named_with_its_row(
    data: st.DataObject, row: int, pair: tuple[int, int]
) -> None:
    from_seat, to_seat = pair
    hands = as_cards(MASKS[row])
    shared = data.draw(st.sampled_from(hands[from_seat]))
    dropped = data.draw(st.sampled_from(hands[to_seat]))
    changed = oracle.hand_mask([*hands[to_seat], shared]) ^ oracle.hand_mask([dropped])
    # An equal mistake further down: the message is about the first.
    bad = np.concatenate([with_entry(row, to_seat, changed), with_entry(row, to_seat, changed)])
    with pytest.raises(DealError, match=f"^hands\\[{row}\\]: two seats hold {shared}$"):
        solve_many(bad, "S")


@pytest.mark.jit_off
def test_all_shared_cards_are_named() -> None:
    hand = Hand("JS JC AS KS AH 9D")
    with pytest.raises(DealError, match=re.escape("hands[0]: two seats hold AS KS JS JC AH 9D")):
        solve_many([[hand.mask, hand.mask, MASKS[0, 2]]], "S")


def under_way(row: int, first: int, second: int) -> NDArray[np.int64]:
    """The tricks of ENDINGS, but for one row."""
    trick: NDArray[np.int64] = ENDINGS["trick"].copy()
    trick[row] = first, second
    return trick


def taken(row: int, *tricks: int) -> NDArray[np.int64]:
    """The tricks taken in ENDINGS, but for one row."""
    changed: NDArray[np.int64] = ENDINGS["tricks"].copy()
    changed[row] = tricks
    return changed


#: Three tricks to go, seat 1 on lead; in rows 0-3 no card has been played, in 4-7 one, in 8-11 two.
ENDINGS: dict[str, Any] = {
    "hands": [
        [
            oracle.hand_mask(["AH", "9D", "TD"]),
            oracle.hand_mask(["QS", "TS", "9S"][: 3 - (row > 3)]),
            oracle.hand_mask(["TC", "9C", "KH"][: 3 - (row > 7)]),
        ]
        for row in range(12)
    ],
    "trump": "D",
    "leader": 1,
    "trick": np.array([[-1, -1]] * 4 + [[0, -1]] * 4 + [[0, oracle.card_bit("KH")]] * 4),
    "tricks": np.array([[1, 1, 1]] * 12),
}
BAD_TRICKS: list[tuple[type[Exception], dict[str, Any], str]] = [
    # Shapes and types.
    (DealError, {"trick": [0] * 12}, "trick must have shape (12, 2), not (12,)"),
    (DealError, {"trick": [[0, 1, 2]] * 12}, "trick must have shape (12, 2), not (12, 3)"),
    (DealError, {"trick": [[0, 1]] * 11}, "trick must have shape (12, 2), not (11, 2)"),
    (DealError, {"trick": 0}, "trick must have shape (12, 2), not ()"),
    (DealError, {"tricks": 3}, "tricks must have shape (12, 3), not ()"),
    (DealError, {"tricks": (2, 1)}, "tricks must have shape (12, 3), not (2,)"),
    (DealError, {"tricks": [[1, 1, 1]] * 13}, "tricks must have shape (12, 3), not (13, 3)"),
    (TypeError, {"trick": np.full((12, 2), -1.0)}, "trick must be whole numbers, not float64"),
    (TypeError, {"trick": [["JS", "9S"]] * 12}, "trick must be whole numbers, not <U2"),
    (TypeError, {"tricks": (True, True, True)}, "tricks must be whole numbers, not bool"),
    (TypeError, {"tricks": [[1.0, 1, 1]] * 12}, "tricks must be whole numbers, not float64"),
    # Numbers out of range.
    (DealError, {"trick": under_way(4, 24, -1)}, "trick[4, 0] must be card numbers 0-23, or -1, "
     "not 24"),
    (DealError, {"trick": under_way(9, 0, -2)}, "trick[9, 1] must be card numbers 0-23, or -1, "
     "not -2"),
    (DealError, {"trick": np.full((12, 2), 2**64 - 1, dtype=np.uint64)}, "trick[0, 0] must be "
     f"card numbers 0-23, or -1, not {2**64 - 1}"),
    (DealError, {"tricks": taken(3, 4, -1, 0)}, "tricks[3, 1] must be 0 to 6, not -1"),
    (DealError, {"tricks": taken(3, 0, 0, 7)}, "tricks[3, 2] must be 0 to 6, not 7"),
    (DealError, {"tricks": taken(5, 2, 2, 3)}, "tricks[5] add up to 7: there are six in a deal"),
    (DealError, {"tricks": (6, 6, 6)}, "tricks[0] add up to 18: there are six in a deal"),
    # Cards that do not go together.
    (DealError, {"trick": under_way(2, -1, 7)}, "trick[2]: the second card is there, the first "
     "is not"),
    (DealError, {"trick": under_way(6, 1, -1)}, "trick[6]: TS is in the trick and elsewhere"),
    (DealError, {"trick": under_way(8, 0, 1)}, "trick[8]: TS is in the trick and elsewhere"),
    (DealError, {"trick": under_way(11, 8, 8)}, "trick[11]: JC is in the trick and elsewhere"),
    (DealError, {"trick": under_way(10, 1, oracle.card_bit("AH"))}, "trick[10]: TS AH is in the "
     "trick and elsewhere"),
    # Hands of a wrong size: for the tricks taken, for the cards on the table, for who has led.
    (DealError, {"tricks": taken(1, 1, 1, 0)}, "hands[1, 0] = 917504 is not a hand: four of bits "
     "0-23 must be set"),
    (DealError, {"tricks": taken(1, 2, 1, 1)}, "hands[1, 0] = 917504 is not a hand: two of bits"),
    (DealError, {"tricks": taken(4, 2, 2, 2)}, "trick[4]: a card is on the table, but all six "
     "tricks have been taken"),
    (DealError, {"tricks": None}, "hands[0, 0] = 917504 is not a hand: six of bits"),
    (DealError, {"trick": None}, "hands[4, 1] = 10 is not a hand: three of bits"),
    (DealError, {"trick": under_way(5, -1, -1)}, "hands[5, 1] = 10 is not a hand: three of bits"),
    (DealError, {"trick": under_way(3, 8, -1)}, "hands[3, 1] = 11 is not a hand: two of bits"),
    (DealError, {"trick": under_way(7, 0, 8)}, "hands[7, 2] = "),
    (DealError, {"leader": 2}, "hands[4, 1] = 10 is not a hand: three of bits"),
    (DealError, {"leader": [1] * 8 + [2] + [1] * 3}, "hands[8, 0] = 917504 is not a hand: two"),
]  # fmt: skip


@both
@pytest.mark.jit_off
@pytest.mark.parametrize(("error", "change", "message"), BAD_TRICKS)
def test_bad_tricks(
    function: Callable[..., Any], error: type[Exception], change: dict[str, Any], message: str
) -> None:
    with pytest.raises(error, match=r"^" + re.escape(message)):
        function(**(ENDINGS | change))


@pytest.mark.jit_off
def test_the_endings_that_bad_ones_are_made_of_are_good() -> None:
    assert solve_many(**ENDINGS).shape == (12,)
    assert (card_values_many(**ENDINGS) >= 0).sum(axis=1).tolist() == [3] * 12


TWO_SHORT = ([0] * 10, "must be one value or have shape (12,), not (10,)")
BAD_SEATS: list[tuple[type[Exception], Any, str]] = [
    (DealError, 3, "must be 0, 1 or 2, not 3"),
    (DealError, -1, "must be 0, 1 or 2, not -1"),
    (DealError, 2**70, f"must be 0, 1 or 2, not {2**70}"),
    (DealError, [0, 1, 2, 0, 3, 9] * 2, "[4] must be 0 to 2, not 3"),
    (DealError, np.array([0, -1] * 6, dtype=np.int8), "[1] must be 0 to 2, not -1"),
    (DealError, *TWO_SHORT),
    (DealError, [1], "must be one value or have shape (12,), not (1,)"),
    (DealError, np.zeros((12, 1), int), "must be one value or have shape (12,), not (12, 1)"),
    (TypeError, 1.0, "must be 0, 1 or 2, not 1.0"),
    (TypeError, True, "must be 0, 1 or 2, not True"),
    (TypeError, np.True_, "must be 0, 1 or 2, not "),
    (TypeError, "1", "must be 0, 1 or 2, not '1'"),
    (TypeError, np.full(12, 1.0), "must be 0, 1 or 2, not 1.0"),
    (TypeError, np.full(12, True), "must be 0, 1 or 2, not True"),
]
BAD_TRUMPS: list[tuple[type[Exception], Any, str]] = [
    (CardError, "X", "trump 'X' is not a suit: use S C H D, a symbol ♠ ♣ ♥ ♦, a name, or 0 1 2 3"),
    (CardError, "", "trump '' is not a suit"),
    (CardError, "SH", "trump 'SH' is not a suit"),
    (CardError, 4, "trump 4 is not a suit"),
    (CardError, -1, "trump -1 is not a suit"),
    (CardError, ["S"] * 11 + ["X"], "trump[11]: trump 'X' is not a suit"),
    (DealError, [0] * 11 + [4], "trump[11] must be 0 to 3, not 4"),
    (DealError, np.array([0, 1, -1] * 4), "trump[2] must be 0 to 3, not -1"),
    (DealError, TWO_SHORT[0], "trump " + TWO_SHORT[1]),
    (DealError, ["S"], "trump must be one value or have shape (12,), not (1,)"),
    (TypeError, True, "trump must be a Suit, a text or 0-3, not True"),
    (TypeError, np.True_, "trump must be a Suit, a text or 0-3, not np.True_"),
    (TypeError, 0.0, "trump must be a Suit, a text or 0-3, not 0.0"),
    (TypeError, None, "trump must be a Suit, a text or 0-3, not None"),
    (TypeError, np.full(12, 0.0), "trump must be a Suit, a text or 0-3, not 0.0"),
    (TypeError, np.full(12, True), "trump must be a Suit, a text or 0-3, not True"),
]
BAD_BIDS: list[tuple[type[Exception], Any, str]] = [
    (RulesError, 2, "bid 2 is not a bid: bids are 3, 4, 5 and moon (6)"),
    (RulesError, 7, "bid 7 is not a bid"),
    (RulesError, "pass", "bid 'pass' is not a bid"),
    (RulesError, "", "bid '' is not a bid"),
    (RulesError, ["4"] * 11 + ["sun"], "bid[11]: bid 'sun' is not a bid"),
    (DealError, TWO_SHORT[0], "bid " + TWO_SHORT[1]),
    (DealError, [4], "bid must be one value or have shape (12,), not (1,)"),
    (TypeError, 4.0, "bid must be a Bid, 3-6 or a text, not 4.0"),
    (TypeError, True, "bid must be a Bid, 3-6 or a text, not True"),
    (TypeError, np.full(12, 4.0), "bid must be a Bid, 3-6 or a text, not 4.0"),
    (TypeError, [4, None] * 6, "bid must be a Bid, 3-6 or a text, not None"),
]


@both
@pytest.mark.jit_off
@pytest.mark.parametrize("name", ["declarer", "leader"])
@pytest.mark.parametrize(("error", "value", "message"), BAD_SEATS)
def test_bad_seats(
    function: Callable[..., Any], name: str, error: type[Exception], value: Any, message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)) as caught:
        function(MASKS, "S", **{name: value})
    assert str(caught.value).startswith(name)


@both
@pytest.mark.jit_off
@pytest.mark.parametrize(("error", "value", "message"), BAD_TRUMPS)
def test_bad_trumps(
    function: Callable[..., Any], error: type[Exception], value: Any, message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        function(MASKS, value)


@both
@pytest.mark.jit_off
@pytest.mark.parametrize("defence", ["coalition", "selfish"])
@pytest.mark.parametrize(("error", "value", "message"), BAD_BIDS)
def test_bad_bids(
    function: Callable[..., Any],
    defence: str,
    error: type[Exception],
    value: Any,
    message: str,
) -> None:
    # Whether the bid matters or not: a wrong one is a mistake.
    with pytest.raises(error, match=r"^" + re.escape(message)):
        function(MASKS, "S", defence=defence, bid=value)


@both
@pytest.mark.jit_off
def test_numbers_that_are_no_bids_are_named_with_their_row(function: Callable[..., Any]) -> None:
    for value, row in (([3, 4, 5, 6, 7, 2] * 2, 4), (np.array([6, 2] * 6, dtype=np.uint8), 1)):
        number = value[row]
        with pytest.raises(ValueError, match=re.escape(f"bid[{row}] must be 3 to 6, not {number}")):
            function(MASKS, "S", bid=value)


@both
@pytest.mark.jit_off
@pytest.mark.parametrize("bid", [3, "4", [5, 6, 3] * 4, np.full(12, 4)])
def test_bids_below_the_lowest(function: Callable[..., Any], bid: Any) -> None:
    rules = Rules(min_bid=5)
    lowest = min(int(value) for value in np.atleast_1d(bid))
    with pytest.raises(RulesError, match=f"^bid {lowest} is below the lowest bid, 5$"):
        function(MASKS, "S", bid=bid, rules=rules)


@both
@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("error", "options", "message"),
    [
        (PreferenceError, {"defence": "Coalition"}, "defence must be coalition or selfish, not "
         "'Coalition'"),
        (PreferenceError, {"defence": None}, "defence must be coalition or selfish, not None"),
        (PreferenceError, {"defence": []}, "defence must be coalition or selfish, not []"),
        (PreferenceError, {"objective": "fun"}, "objective must be tricks or points, not 'fun'"),
        (PreferenceError, {"ties": "none"}, "ties must be standard or defenders reversed or "),
        (PreferenceError, {"objective": "points"}, "objective 'points' needs a bid"),
        (PreferenceError, {"objective": "points", "defence": "selfish"}, "objective 'points' needs "
         "a bid"),
        (TypeError, {"rules": "standard"}, "rules must be a Rules"),
        (TypeError, {"rules": None}, "rules must be a Rules"),
    ],
)  # fmt: skip
def test_words_that_are_none(
    function: Callable[..., Any], error: type[Exception], options: dict[str, Any], message: str
) -> None:
    for hands in (MASKS, MASKS[:0]):
        with pytest.raises(error, match=r"^" + re.escape(message)):
            function(hands, "S", **options)


#: Five tricks of a lost moon score 5 - 0, a made one nothing.
FALLING = Rules(moon_points=0, moon_set_points=0, set_keeps_tricks=True)


@both
@pytest.mark.jit_off
def test_a_coalition_cannot_play_for_points_that_fall_with_tricks(
    function: Callable[..., Any],
) -> None:
    how: dict[str, Any] = {"objective": "points", "rules": FALLING}
    message = (
        r"^under these rules \(moon_points=0, moon_set_points=0, set_keeps_tricks=True\) a "
        "declarer who bid moon may score less for more tricks"
    )
    endings = arrays(random_endings(20, seed=23, sizes=(1, 2)))
    for bid in ("moon", [3, 4, 5, "moon"] * 5):
        with pytest.raises(PreferenceError, match=message):
            function(**endings, **how, bid=bid)
        # To play for tricks by such rules is allowed, and so is to be selfish.
        assert np.array_equal(function(**endings, rules=FALLING, bid=bid), function(**endings))
        function(**endings, **how, bid=bid, defence="selfish")
    # Nor is anything wrong with other bids, or with rules by which points are flat.
    assert np.array_equal(function(**endings, **how, bid=[3, 4] * 10), function(**endings))
    for rules in (Rules(moon_points=0, moon_set_points=0), Rules(set_keeps_tricks=True)):
        function(**endings, objective="points", bid="moon", rules=rules)


@both
@pytest.mark.jit_off
@pytest.mark.parametrize("name", ["hands", "trump", "declarer", "leader", "trick", "tricks", "bid"])
def test_masked_arrays_are_refused(function: Callable[..., Any], name: str) -> None:
    plain = {"hands": MASKS, "trick": np.full((12, 2), -1), "tricks": np.zeros((12, 3), dtype=int)}
    how: dict[str, Any] = {"hands": MASKS, "trump": "S"}
    how[name] = np.ma.masked_array(plain.get(name, np.full(12, 3 if name == "bid" else 0)))
    with pytest.raises(TypeError, match=f"^{name} must not be a masked array"):
        function(**how)


@both
@pytest.mark.jit_off
def test_jobs_that_are_none(function: Callable[..., Any]) -> None:
    with pytest.raises(DealError, match=r"^n_jobs must be .*, not 0$"):
        function(MASKS, "S", n_jobs=0)
    for n_jobs in (1.0, "2", True):
        with pytest.raises(TypeError, match=r"^n_jobs must be a whole number or None, not "):
            function(MASKS, "S", n_jobs=n_jobs)


@pytest.mark.jit_off
@pytest.mark.parametrize("depth", [0, 3, 7, -1])
def test_bad_depths(depth: int) -> None:
    with pytest.raises(DealError, match=f"^depth must be 4, 5 or 6, not {depth}$"):
        solve_many(MASKS, "S", depth=depth)
    with pytest.raises(DealError, match=r"^depth must be 4"):
        card_values_many(MASKS, "S", depth=depth)


@pytest.mark.jit_off
def test_the_opening_table_is_for_the_coalition_and_for_values() -> None:
    with pytest.raises(DealError, match=r"^depth must be 4 or 5 for selfish play, not 6$"):
        solve_many(MASKS, "S", defence="selfish", depth=6)
    with pytest.raises(DealError, match=r"^depth must be 4 or 5: the opening table has no cards$"):
        card_values_many(MASKS, "S", depth=6)


@both
@pytest.mark.jit_off
@pytest.mark.parametrize("depth", ["4", 4.0, True])
def test_depths_of_a_wrong_type(function: Callable[..., Any], depth: Any) -> None:
    with pytest.raises(TypeError, match=re.escape(f"depth must be a whole number, not {depth!r}")):
        function(MASKS, "S", depth=depth)


@both
@pytest.mark.jit_off
def test_bad_input_is_found_before_any_table_is_built(
    monkeypatch: pytest.MonkeyPatch, function: Callable[..., Any]
) -> None:
    def build(*_: object) -> None:
        raise AssertionError("a table was asked for")

    monkeypatch.setattr(Table, "load", build)
    bad: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((MASKS, "X"), {}),
        ((MASKS, "S", 3), {}),
        ((MASKS, "S", 0, 3), {}),
        ((MASKS[:, :2], "S"), {}),
        ((MASKS, "S"), {"bid": 2}),
        ((MASKS, "S"), {"tricks": (1, 0, 0)}),
        ((MASKS, "S"), {"trick": (MASKS[0, 0].item().bit_length() - 1, -1)}),
        ((MASKS, "S"), {"objective": "points", "defence": "selfish"}),
    ]
    for arguments, options in bad:
        with pytest.raises((DealError, CardError, RulesError, PreferenceError)):
            function(*arguments, **options)
    for error in (DealError, CardError, RulesError, PreferenceError):
        assert issubclass(error, ValueError)
