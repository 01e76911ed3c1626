"""The solver: equal to two others that share no code with it, blind to names, strict with input."""

import functools
import itertools
import pickle
import re
from collections.abc import Callable
from typing import Any

import joblib
import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import dds
import oracle
from ghostsim import solver
from ghostsim.cards import CardError, Hand, Suit
from ghostsim.deals import Deal
from ghostsim.endgames import DEPTH, MAX_DEPTH, endgame_table, table_is_ready
from ghostsim.kernels.endgame import best_tricks, deal_tricks
from ghostsim.kernels.relabel import count_lengths, squeeze_lanes, to_lanes
from ghostsim.solver import DealError, Solution, solve, solve_many
from strategies import EIGHT_RELABELLINGS, as_mask, deals, layouts, relabellings, seats, trumps

Masks = NDArray[np.int64]

SEATS = range(3)
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


def as_cards(masks: Any) -> oracle.Hands:
    first, second, third = (oracle.mask_hand(int(mask)) for mask in masks)
    return first, second, third


def relabelled(mask: Any, relabelling: tuple[int, ...]) -> Any:
    """Cards after each suit s has become ``relabelling[s]``; a mask or an array of them."""
    return sum((mask >> 6 * suit & 63) << 6 * new for suit, new in enumerate(relabelling))


def oracle_by_leader(masks: Any, trump: int, declarer: int) -> list[int]:
    """The oracle's value for each of the three leaders.

    One memo serves all three: its keys are the cards left and the seat on lead, and trump and
    declarer stay the same. That makes the three leaders as cheap as one.
    """
    hands = oracle._as_hands(as_cards(masks))
    memo: oracle.Memo = {}
    return [
        oracle._best_at_trick_start(hands, "SCHD"[trump], declarer, leader, memo)
        for leader in SEATS
    ]


def kernel_tricks(
    masks: Any,
    trump: int,
    declarer: int,
    leader: int,
    depth: int,
    window: tuple[int, int] | None = None,
) -> int:
    """The compiled search for a position with any number of cards each."""
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
            low,
            high,
            depth,
            endgame_table(depth),
        )
    )


# ------------------------------------------------------------------------- two other solvers


@pytest.mark.parametrize("trump", Suit)
@pytest.mark.parametrize("declarer", SEATS)
def test_full_deals_are_worth_what_the_plain_python_oracle_says(trump: Suit, declarer: int) -> None:
    # 60 deals x 3 leaders for each of the 12 trumps and declarers: 2,160 deals of every leader.
    masks = random_masks(60, seed=100 + 3 * trump + declarer)
    expected = [oracle_by_leader(row, trump, declarer) for row in masks]
    got = [solve_many(masks, trump, declarer, leader) for leader in SEATS]
    assert np.stack(got, axis=1).tolist() == expected


@pytest.mark.bounds
@pytest.mark.parametrize(("tricks", "deals"), [(1, 2000), (2, 2000), (3, 2000), (4, 800), (5, 120)])
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


# ------------------------------------------------------------------ tables of different depths


def test_all_depths_of_search_agree_on_full_deals() -> None:
    trump, declarer, leader = random_choices(400, seed=6)
    masks = random_masks(400, seed=5)
    by_table = solve_many(masks, trump, declarer, leader, depth=DEPTH)
    for i, row in enumerate(masks):
        for depth in range(1, DEPTH + 1):
            tricks = kernel_tricks(row, trump[i], declarer[i], leader[i], depth)
            assert tricks == by_table[i], (as_cards(row), trump[i], declarer[i], leader[i], depth)


def test_the_five_trick_table_gives_the_same_answers() -> None:
    if not table_is_ready(MAX_DEPTH):
        pytest.skip("no 5-trick table is cached, and building one takes 20 core-seconds")
    n = 100_000
    masks = random_masks(n, seed=7)
    trump, declarer, leader = random_choices(n, seed=8)
    shallow = solve_many(masks, trump, declarer, leader, depth=DEPTH)
    deep = solve_many(masks, trump, declarer, leader, depth=MAX_DEPTH)
    assert deep.tobytes() == shallow.tobytes()


@pytest.mark.bounds
@given(
    position=st.integers(1, 6).flatmap(lambda n: layouts(tricks=n)),
    trump=trumps,
    declarer=seats,
    leader=seats,
    window=st.tuples(st.integers(0, 6), st.integers(0, 6)),
)
def test_a_narrow_window_tells_the_values_inside_it_apart(
    position: tuple[int, int, int],
    trump: Suit,
    declarer: int,
    leader: int,
    window: tuple[int, int],
) -> None:
    n = position[0].bit_count()
    low, high = sorted(min(bound, n) for bound in window)
    depth = min(n - 1, DEPTH)
    exact = kernel_tricks(position, trump, declarer, leader, depth)
    narrow = kernel_tricks(position, trump, declarer, leader, depth, (low, high))
    assert min(max(narrow, low), high) == min(max(exact, low), high)


class AskedForTableError(Exception):
    """Raised in place of building a table, to see which one was asked for."""


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("ready", "deals", "depth"),
    [(False, 5, 4), (False, 299, 4), (False, 300, 5), (True, 19, 4), (True, 20, 5)],
)
def test_the_deep_table_is_for_many_deals(
    monkeypatch: pytest.MonkeyPatch, ready: bool, deals: int, depth: int
) -> None:
    def ask(tricks: int, n_jobs: int | None) -> None:
        raise AskedForTableError(tricks)

    monkeypatch.setattr(solver, "DEALS_WORTH_READING", 20)
    monkeypatch.setattr(solver, "DEALS_WORTH_A_TABLE", 300)
    monkeypatch.setattr(solver, "table_is_ready", lambda tricks: ready)
    monkeypatch.setattr(solver, "endgame_table", ask)
    with pytest.raises(AskedForTableError, match=str(depth)):
        solve_many(random_masks(deals, seed=9), "S")


# ---------------------------------------------------------------------- names do not matter


@pytest.mark.bounds
def test_relabelling_the_suits_changes_nothing() -> None:
    n = 5_000
    masks = random_masks(n, seed=11)
    trump, declarer, leader = random_choices(n, seed=12)
    expected = solve_many(masks, trump, declarer, leader)
    for relabelling in EIGHT_RELABELLINGS:
        renamed = solve_many(
            relabelled(masks, relabelling), np.array(relabelling)[trump], declarer, leader
        )
        assert renamed.tobytes() == expected.tobytes()


def test_rotating_the_seats_changes_nothing() -> None:
    n = 5_000
    masks = random_masks(n, seed=13)
    trump, declarer, leader = random_choices(n, seed=14)
    expected = solve_many(masks, trump, declarer, leader)
    for turn in (1, 2):
        rotated = solve_many(
            np.roll(masks, turn, axis=1), trump, (declarer + turn) % 3, (leader + turn) % 3
        )
        assert rotated.tobytes() == expected.tobytes()


@given(deal=deals(), trump=trumps, declarer=seats, leader=seats, relabelling=relabellings)
def test_names_of_suits_and_seats_do_not_matter(
    deal: Deal, trump: Suit, declarer: int, leader: int, relabelling: tuple[int, int, int, int]
) -> None:
    expected = solve(deal, trump, declarer, leader).declarer_tricks
    hands = [Hand.from_mask(relabelled(hand.mask, relabelling)) for hand in deal.hands]
    renamed = Deal(hands=(hands[2], hands[0], hands[1]))  # and all move one seat on
    turned = ((declarer + 1) % 3, (leader + 1) % 3)
    assert solve(renamed, relabelling[trump], *turned).declarer_tricks == expected


@given(deal=deals(), trump=trumps, declarer=seats, leader=seats, order=st.permutations(range(6)))
def test_the_order_of_the_ghost_cards_does_not_matter(
    deal: Deal, trump: Suit, declarer: int, leader: int, order: list[int]
) -> None:
    cards = list(deal.ghost)
    shuffled = Deal(hands=deal.hands, ghost=[cards[i] for i in order])
    assert solve(shuffled, trump, declarer, leader) == solve(deal, trump, declarer, leader)


@given(data=st.data(), deal=deals(), trump=trumps, declarer=seats, leader=seats)
def test_only_the_order_of_the_cards_in_play_matters(
    data: st.DataObject, deal: Deal, trump: Suit, declarer: int, leader: int
) -> None:
    # In each suit (the left bower in trump), the owners in order stay, the ghost takes others.
    owner = {str(card): seat for seat, hand in enumerate(deal.hands) for card in hand}
    moved = [0, 0, 0]
    for suit in "SCHD":
        cards = [c for c in oracle.DECK if oracle.effective_suit(c, trump.letter) == suit]
        cards.sort(key=lambda card: oracle.strength(card, trump.letter))
        owners = [owner[card] for card in cards if card in owner]
        places = st.sets(
            st.sampled_from(range(len(cards))), min_size=len(owners), max_size=len(owners)
        )
        for place, seat in zip(sorted(data.draw(places)), owners, strict=True):
            moved[seat] |= oracle.hand_mask([cards[place]])
    expected = solve(deal, trump, declarer, leader).declarer_tricks
    assert solve_many([moved], trump, declarer, leader).tolist() == [expected]


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


@pytest.mark.parametrize(
    ("hands", "trump", "declarer", "leader", "tricks", "why"),
    [
        (
            ("JS JC AS KS QS TS", "9S AC KC QC TC 9C", "AH KH QH JH TH 9H"),
            "S", 0, 0, 6, "six trumps from the top",
        ),
        (
            ("9H TH 9D TD 9C TC", "JS JC AS KS QS TS", "AC KC QC AH KH AD"),
            "S", 0, 0, 0, "no trump and no high card",
        ),
        (
            ("JC AC KC QC TC 9C", "JS 9S 9H TH JH QH", "AS KS QS TS AH KH"),
            "S", 0, 0, 0, "both defenders ruff clubs, and the right bower takes the left one",
        ),
        (
            ("JC AC KC QC TC 9C", "9H TH JH QH KH AH", "9D TD JD QD KD AD"),
            "S", 0, 0, 6, "no other trump is in play, so the left bower is the highest",
        ),
        (
            ("JC AC KC QC TC 9C", "9H TH JH QH KH AH", "9D TD JD QD KD AD"),
            "C", 0, 1, 6, "a defender leads: trump the first trick and run",
        ),
        (
            ("JC AC KC QC TC 9C", "9H TH JH QH KH AH", "9D TD JD QD KD AD"),
            "H", 0, 0, 0, "seat 1 has nothing but trumps",
        ),
    ],
)  # fmt: skip
def test_examples_a_card_player_can_check(
    hands: tuple[str, str, str], trump: str, declarer: int, leader: int, tricks: int, why: str
) -> None:
    assert solve(Deal(hands=hands), trump, declarer, leader).declarer_tricks == tricks, why


def test_the_left_bower_follows_to_a_trump_lead_not_to_its_printed_suit() -> None:
    # Spades are trump and each has one card left, or two. The oracle agrees, and so can a reader:
    # seat 0 leads the ace of clubs; seat 1's jack of clubs is a trump and takes it.
    position = tuple(oracle.hand_mask(hand.split()) for hand in ("AC", "JC", "9C"))
    assert kernel_tricks(position, Suit.SPADES, 0, 0, 0) == 0
    assert kernel_tricks(position, Suit.HEARTS, 0, 0, 0) == 1  # now it is a club like another
    # The queen of spades draws the left bower from seat 1, who must follow with it.
    position = tuple(oracle.hand_mask(hand.split()) for hand in ("JS QS", "JC AC", "9H TH"))
    assert kernel_tricks(position, Suit.SPADES, 0, 0, 1) == 2


# ----------------------------------------------------------------- how it may be called


def test_answers_do_not_depend_on_jobs_or_on_the_ambient_backend(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Many blocks and a short one at the end, so that threads have something to share out.
    monkeypatch.setattr(solver, "_DEALS_PER_BLOCK", 5_000)
    n = 61_234
    masks = random_masks(n, seed=16)
    trump, declarer, leader = random_choices(n, seed=17)
    expected = solve_many(masks, trump, declarer, leader)
    for n_jobs in (1, 2, -1):
        assert solve_many(masks, trump, declarer, leader, n_jobs).tobytes() == expected.tobytes()
    for backend in ("threading", "loky", "sequential"):
        with joblib.parallel_config(backend, n_jobs=None if backend == "sequential" else 2):
            got = solve_many(masks, trump, declarer, leader)
        assert got.tobytes() == expected.tobytes()
    # And each deal alone, or in some other company, has the same value.
    for start in (0, 4_999, 5_000, 60_000, n - 1):
        part = slice(start, start + 2)
        alone = solve_many(masks[part], trump[part], declarer[part], leader[part])
        assert alone.tolist() == expected[part].tolist()


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


HANDS_SPELLINGS: dict[str, Callable[[], Any]] = {
    "list of lists": MASKS.tolist,
    "list of tuples": lambda: [tuple(row) for row in MASKS.tolist()],
    "list of arrays": lambda: list(MASKS),
    "int32": lambda: MASKS.astype(np.int32),
    "uint32": lambda: MASKS.astype(np.uint32),
    "uint64": lambda: MASKS.astype(np.uint64),
    "big-endian": lambda: MASKS.astype(">i8"),
    "columns first": lambda: np.asfortranarray(MASKS),
    "every second row": lambda: np.repeat(MASKS, 2, axis=0)[::2],
    "turned round": lambda: MASKS[::-1].copy()[::-1],
    "unaligned": lambda: unaligned(MASKS),
}


def unaligned(array: Masks) -> Masks:
    """The same array at an odd address."""
    buffer = np.empty(array.nbytes + 1, dtype=np.uint8)
    moved = buffer[1:].view(np.int64).reshape(array.shape)
    moved[...] = array
    return moved


@pytest.mark.parametrize("spelling", HANDS_SPELLINGS)
def test_hands_in_every_form_of_array(
    spelling: str, expected: dict[tuple[int, int, int], list[int]]
) -> None:
    hands = HANDS_SPELLINGS[spelling]()
    assert solve_many(hands, "D", 2, 0).tolist() == expected[3, 2, 0]


def test_read_only_arrays_are_taken_and_nothing_is_written_to(
    expected: dict[tuple[int, int, int], list[int]],
) -> None:
    arrays: list[Any] = [MASKS.copy(), np.full(12, 3), np.full(12, 2), np.full(12, 1)]
    copies = [array.copy() for array in arrays]
    for writeable in (True, False):
        for array in arrays:
            array.flags.writeable = writeable
        tricks = solve_many(*arrays)
        assert tricks.tolist() == expected[3, 2, 1]
        assert all(map(np.array_equal, arrays, copies))
    tricks[:] = 0  # the answer is the caller's own
    assert solve_many(*arrays).tolist() == expected[3, 2, 1]


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


def test_the_declarer_leads_if_nobody_is_named(
    expected: dict[tuple[int, int, int], list[int]],
) -> None:
    for trump, declarer in ((0, 0), (2, 1), (3, 2)):
        assert solve_many(MASKS, trump, declarer).tolist() == expected[trump, declarer, declarer]
    declarers = np.arange(12) % 3
    assert np.array_equal(
        solve_many(MASKS, "S", declarers), solve_many(MASKS, "S", declarers, declarers)
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
    tricks = solve_many(hands, trump, [], [])
    assert tricks.dtype == np.int8
    assert tricks.shape == (0,)


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


@pytest.mark.jit_off
@pytest.mark.parametrize(("hands", "message"), SHAPES + NOT_HANDS)
def test_hands_that_are_none(hands: Any, message: str) -> None:
    with pytest.raises(DealError, match=re.escape(message)):
        solve_many(hands, "S")


@pytest.mark.jit_off
@pytest.mark.parametrize(("hands", "message"), NOT_NUMBERS)
def test_hands_that_are_no_numbers(hands: Any, message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        solve_many(hands, "S")


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
    (CardError, ["S"] * 11 + ["X"], "trump 'X' is not a suit"),
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


@pytest.mark.jit_off
@pytest.mark.parametrize("name", ["declarer", "leader"])
@pytest.mark.parametrize(("error", "value", "message"), BAD_SEATS)
def test_bad_seats(name: str, error: type[Exception], value: Any, message: str) -> None:
    with pytest.raises(error, match=re.escape(message)) as caught:
        solve_many(MASKS, "S", **{name: value})
    # An array is called by its name; a single value may also be called a seat.
    assert re.match(f"{name}|a seat", str(caught.value))


@pytest.mark.jit_off
@pytest.mark.parametrize(("error", "value", "message"), BAD_TRUMPS)
def test_bad_trumps(error: type[Exception], value: Any, message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        solve_many(MASKS, value)


@pytest.mark.jit_off
@pytest.mark.parametrize("depth", [0, 3, 6, -1])
def test_bad_depths(depth: int) -> None:
    with pytest.raises(DealError, match=f"depth must be 4 or 5, not {depth}"):
        solve_many(MASKS, "S", depth=depth)


@pytest.mark.jit_off
@pytest.mark.parametrize("depth", ["4", 4.0, True])
def test_depths_of_a_wrong_type(depth: Any) -> None:
    with pytest.raises(TypeError, match=re.escape(f"depth must be a whole number, not {depth!r}")):
        solve_many(MASKS, "S", depth=depth)


@pytest.mark.jit_off
def test_bad_input_is_found_before_any_table_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(*_: object) -> None:
        raise AssertionError("a table was asked for")

    monkeypatch.setattr(solver, "endgame_table", build)
    wrong: list[tuple[Any, ...]] = [
        (MASKS, "X"),
        (MASKS, "S", 3),
        (MASKS, "S", 0, 3),
        (MASKS[:, :2], "S"),
    ]
    for arguments in wrong:
        with pytest.raises((DealError, CardError)):
            solve_many(*arguments)
    assert issubclass(DealError, ValueError)
    assert issubclass(CardError, ValueError)


@pytest.mark.jit_off
def test_solve_checks_its_arguments_too() -> None:
    deal = Deal.random(seed=4)
    with pytest.raises(CardError, match="trump 'X' is not a suit"):
        solve(deal, "X")
    with pytest.raises(DealError, match="must be 0, 1 or 2, not 3"):
        solve(deal, "S", declarer=3)
    with pytest.raises(DealError, match="must be 0, 1 or 2, not -1"):
        solve(deal, "S", leader=-1)
    with pytest.raises(TypeError):
        solve(deal, True)
    with pytest.raises(TypeError, match="must be 0, 1 or 2, not True"):
        solve(deal, "S", declarer=True)


# -------------------------------------------------------------------------- one deal, shown

BOWERS = Deal(hands=("JS JC AS KS AH 9D", "QS TS 9S AC KC QC", "TC 9C KH QH JH TH"))


@pytest.fixture
def solution() -> Solution:
    return solve(BOWERS, trump="S", declarer=0, leader=2)


@given(deal=deals(), trump=trumps, declarer=seats, leader=st.none() | seats)
def test_solve_is_solve_many_of_one(
    deal: Deal, trump: Suit, declarer: int, leader: int | None
) -> None:
    solution = solve(deal, trump, declarer, leader)
    assert solution.deal == deal
    assert (solution.trump, solution.declarer) == (trump, declarer)
    assert solution.leader == (declarer if leader is None else leader)
    assert solution.defence == "coalition"
    tricks = solve_many([deal.masks], trump, declarer, leader)
    assert solution.declarer_tricks == tricks[0]
    assert type(solution.declarer_tricks) is int


@pytest.mark.parametrize("trump", [Suit.SPADES, "S", "s", "♠", "spades", 0, np.int64(0)])
def test_spades_by_any_name(trump: Any) -> None:
    solution = solve(BOWERS, trump)
    assert solution == solve(BOWERS, "S")
    assert solution.trump is Suit.SPADES


def test_a_solution_is_a_frozen_value(solution: Solution) -> None:
    same = solve(Deal(hands=BOWERS.hands), trump=Suit.SPADES, declarer=0, leader=2)
    assert same == solution
    assert hash(same) == hash(solution)
    assert solution != solve(BOWERS, trump="S", declarer=0, leader=1)
    assert solution != solve(BOWERS, trump="S", declarer=1, leader=2)
    assert solution != solve(BOWERS, trump="C", declarer=0, leader=2)
    with pytest.raises(AttributeError):
        solution.declarer_tricks = 5  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(solution)) == solution


def test_a_solution_says_what_was_solved(solution: Solution) -> None:
    text = str(solution)
    assert "spades are trump" in text
    assert f"seat 0 takes {solution.declarer_tricks} of 6 tricks" in text
    assert "exact" in text
    for part in (repr(BOWERS), "SPADES", "declarer=0", "leader=2", "coalition"):
        assert part in repr(solution)


def test_a_solution_as_a_frame(solution: Solution) -> None:
    frame = solution.to_frame()
    assert frame.to_dict("records") == [
        {
            "seat_0": "AS KS JS JC AH 9D",
            "seat_1": "QS TS 9S AC KC QC",
            "seat_2": "TC 9C KH QH JH TH",
            "ghost": "9H AD KD QD JD TD",
            "trump": "S",
            "declarer": 0,
            "leader": 2,
            "defence": "coalition",
            "declarer_tricks": solution.declarer_tricks,
        }
    ]


def test_a_solution_in_jupyter(solution: Solution) -> None:
    page = solution._repr_html_()
    assert page.startswith("<table>")
    assert page.endswith("</table>")
    assert str(solution) in page
    rows = re.findall(r"<tr><th>(.*?)</th><td>(.*?)</td></tr>", page)
    shown = {name: re.sub(r"<[^>]*>", "", cells).split() for name, cells in rows}
    assert shown == {
        "seat 0, declarer": ["J♠", "J♣", "A♠", "K♠", "A♥", "9♦"],  # trumps first, bowers on top
        "seat 1": ["Q♠", "10♠", "9♠", "A♣", "K♣", "Q♣"],
        "seat 2, leads": ["10♣", "9♣", "K♥", "Q♥", "J♥", "10♥"],
        "ghost": ["9♥", "A♦", "K♦", "Q♦", "J♦", "10♦"],
    }


def test_a_solution_as_a_picture(solution: Solution) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    _, ax = plt.subplots()
    assert solution.plot(ax=ax) is ax
    shown = " ".join(text.get_text() for text in [*ax.texts, ax.title])
    for part in ("J♠", "10♦", "seat 0, declarer", "seat 2, leads", "ghost"):
        assert part in shown
    solution.plot()  # on axes of its own
    assert len(plt.get_fignums()) == 2
    plt.close("all")
