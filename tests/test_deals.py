"""Deals: 24 cards conserved, dealt by number, the same everywhere and all equally likely."""

# Kernels are typed by numba, from their callers.
# mypy: allow-untyped-calls

import copy
import dataclasses
import itertools
import math
import pickle
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

import oracle
from ghostsim.cards import ALL_CARDS, CardError, Hand, Suit
from ghostsim.deals import Deal, SeedError, check_seed, random_hands
from ghostsim.kernels.rng import N_DEALS, deal_masks, deal_number, mix
from strategies import deals, words

# Those that need many deals are not marked jit_off: they are about chance, not about code paths.
pytestmark = [pytest.mark.bounds]
jit_off = pytest.mark.jit_off

LAST = 2**64 - 1
FIRST_SEAT = "JS JC AS KS AH 9D"
SECOND_SEAT = "QS TS 9S AC KC QC"
THIRD_SEAT = "TC 9C KH QH JH TH"
GHOST = "9H AD KD QD JD TD"


def masks_of(*hands: str) -> list[int]:
    """The hands as masks, worked out by the oracle."""
    return [oracle.hand_mask(hand.split()) for hand in hands]


# ------------------------------------------------------------------------------------- a deal


@jit_off
@given(deal=deals())
def test_all_24_cards_are_dealt_once(deal: Deal) -> None:
    held = [card for hand in (*deal.hands, deal.ghost) for card in hand]
    assert sorted(map(str, held)) == sorted(oracle.DECK)
    assert sum(deal.masks) + deal.ghost.mask == ALL_CARDS
    assert deal.masks == tuple(hand.mask for hand in deal.hands)


@jit_off
@given(deal=deals())
def test_a_deal_is_a_value(deal: Deal) -> None:
    assert Deal(deal.hands) == Deal(deal.hands, deal.ghost) == Deal(map(str, deal.hands)) == deal
    assert eval(repr(deal)) == deal
    for again in (pickle.loads(pickle.dumps(deal)), copy.copy(deal), copy.deepcopy(deal)):
        assert again == deal
        assert hash(again) == hash(deal)
    first, second, third = deal.hands
    assert deal != Deal((second, first, third)), "it matters who holds what"
    assert deal != Deal((first, second, deal.ghost)), "and what the ghost holds"


@jit_off
def test_a_deal_in_writing() -> None:
    deal = Deal(hands=(FIRST_SEAT, SECOND_SEAT, THIRD_SEAT), ghost=GHOST.lower().split())
    assert deal.ghost == Hand(GHOST)
    assert list(deal.masks) == masks_of(FIRST_SEAT, SECOND_SEAT, THIRD_SEAT)
    assert str(deal).splitlines() == [
        "seat 0  A♠ K♠ J♠ J♣ A♥ 9♦",
        "seat 1  Q♠ 10♠ 9♠ A♣ K♣ Q♣",
        "seat 2  10♣ 9♣ K♥ Q♥ J♥ 10♥",
        "ghost   9♥ A♦ K♦ Q♦ J♦ 10♦",
    ]
    rows = re.findall(r"<tr><th>(.*?)</th><td>(.*?)</td></tr>", deal._repr_html_())
    shown = [" ".join([name, *re.findall(r"(\w+[♠♣♥♦])", cells)]) for name, cells in rows]
    assert shown == [" ".join(row.split()) for row in str(deal).splitlines()]


@jit_off
@pytest.mark.parametrize("name", ["hands", "ghost", "masks", "note"])
def test_a_deal_cannot_be_changed(name: str) -> None:
    deal = Deal.random(seed=1, index=0)
    before = repr(deal)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(deal, name, None)
    assert repr(deal) == before


@jit_off
@given(data=st.data(), deal=deals())
def test_a_card_dealt_twice_is_named_with_both_owners(data: st.DataObject, deal: Deal) -> None:
    # One owner's card is swapped for a card that another owner has.
    named = {f"seat {seat}": list(hand) for seat, hand in enumerate(deal.hands)}
    named["the ghost"] = list(deal.ghost)
    robbed, giver = sorted(data.draw(st.permutations(list(named)))[:2])
    card = data.draw(st.sampled_from(named[giver]))
    named[robbed][data.draw(st.integers(0, 5))] = card
    *three, ghost = named.values()
    with pytest.raises(CardError) as caught:
        Deal(three, ghost)
    assert str(caught.value) == f"a card is dealt twice: {card} is with {robbed} and with {giver}"


@jit_off
def test_all_cards_dealt_twice_are_listed() -> None:
    with pytest.raises(CardError) as caught:
        Deal(("JS JC AS KS AH 9D", "JS TS 9S AC KC QC", "TC 9C KH JC JH 9S"))
    assert str(caught.value) == (
        "a card is dealt twice: JS is with seat 0 and with seat 1; "
        "JC is with seat 0 and with seat 2; 9S is with seat 1 and with seat 2"
    )


@jit_off
@pytest.mark.parametrize("n", [0, 1, 2, 4])
def test_a_deal_has_three_hands(n: int) -> None:
    with pytest.raises(CardError, match=f"three hands and the ghost, not {n} hands"):
        Deal([FIRST_SEAT, SECOND_SEAT, THIRD_SEAT, GHOST][:n])


@jit_off
@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("JS JC AS KS AH", "6 cards are needed, not 5"),
        ("JS JC AS KS AH 9D 9H", "6 cards are needed, not 7"),
        ("JS JC AS KS AH AH", "card 6 AH comes twice"),
        ("JS JC AS KS AH 8D", "card 6 '8D' is not a card"),
    ],
)
def test_every_hand_of_a_deal_is_six_cards(place: int, wrong: str, why: str) -> None:
    four = [FIRST_SEAT, SECOND_SEAT, THIRD_SEAT, GHOST]
    four[place] = wrong
    with pytest.raises(CardError, match=re.escape(why)):
        Deal(four[:3], four[3])


# ------------------------------------------------------------------------------------- by number

# How deals are numbered and dealt, again, in plain Python, from the words of kernels/rng.py: the
# finaliser of splitmix64 keyed by the seed, rejection below 24!/6!^4, and mixed radix.

TOTAL = math.factorial(24) // math.factorial(6) ** 4
GOLDEN_RATIO = 0x9E3779B97F4A7C15


def plain_mix(word: int) -> int:
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & LAST
    word = (word ^ word >> 27) * 0x94D049BB133111EB & LAST
    return word ^ word >> 31


def plain_number(seed: int, index: int) -> int:
    word = plain_mix(plain_mix(seed + GOLDEN_RATIO & LAST) + index * GOLDEN_RATIO & LAST)
    while True:
        word = plain_mix(word + GOLDEN_RATIO & LAST)
        if word >> 22 < TOTAL:
            return word >> 22


def unmix(word: int) -> int:
    """The inverse of `plain_mix`."""
    word ^= word >> 31 ^ word >> 62
    word = word * pow(0x94D049BB133111EB, -1, 2**64) & LAST
    word ^= word >> 27 ^ word >> 54
    word = word * pow(0xBF58476D1CE4E5B9, -1, 2**64) & LAST
    return word ^ word >> 30 ^ word >> 60


def index_that_draws(number: int, seed: int) -> int:
    """The index at which the first number drawn, of 42 bits, is a given one."""
    key = plain_mix(seed + GOLDEN_RATIO & LAST)
    word = unmix(unmix(number << 22) - GOLDEN_RATIO & LAST)
    return (word - key) * pow(GOLDEN_RATIO, -1, 2**64) & LAST


def unrank(number: int, cards: list[str]) -> list[str]:
    """The six of these cards with a number in colexicographic order: highest card first."""
    chosen = []
    for size in range(6, 0, -1):
        slot = max(slot for slot in range(len(cards)) if math.comb(slot, size) <= number)
        number -= math.comb(slot, size)
        chosen.append(cards[slot])
    assert number == 0
    return chosen


def plain_deal(number: int) -> list[list[str]]:
    """The hands of seats 0, 1, 2 and the ghost."""
    number, third = divmod(number, math.comb(12, 6))
    first, second = divmod(number, math.comb(18, 6))
    left, dealt = list(oracle.DECK), []
    for part in (first, second, third):
        hand = unrank(part, left)
        left = [card for card in left if card not in hand]
        dealt.append(hand)
    return [*dealt, left]


def rank(hand: list[str], cards: list[str]) -> int:
    """The inverse of `unrank`."""
    slots = sorted(cards.index(card) for card in hand)
    return sum(math.comb(slot, size) for size, slot in enumerate(slots, start=1))


def number_of(dealt: list[list[str]]) -> int:
    """The inverse of `plain_deal`."""
    left, ranks = list(oracle.DECK), []
    for hand in dealt[:3]:
        ranks.append(rank(hand, left))
        left = [card for card in left if card not in hand]
    return (ranks[0] * math.comb(18, 6) + ranks[1]) * math.comb(12, 6) + ranks[2]


def texts_of(masks: Any) -> list[list[str]]:
    """The hands of three masks, and the ghost's, as card texts."""
    ghost = ALL_CARDS & ~(int(masks[0]) | int(masks[1]) | int(masks[2]))
    return [list(oracle.mask_hand(int(mask))) for mask in (*masks, ghost)]


@jit_off
def test_the_number_of_deals() -> None:
    assert N_DEALS == TOTAL == 2_308_743_493_056
    assert N_DEALS < 2**42, "42 random bits are enough to draw one"


@jit_off
@given(number=st.integers(0, TOTAL - 1))
@example(number=0)
@example(number=TOTAL - 1)
@example(number=923)
@example(number=924)
@example(number=924 * 18_564 - 1)
@example(number=924 * 18_564)
def test_every_number_is_another_deal(number: int) -> None:
    dealt = texts_of(deal_masks(number))
    assert sorted(itertools.chain(*dealt)) == sorted(oracle.DECK)
    assert list(map(sorted, dealt)) == list(map(sorted, plain_deal(number)))
    assert number_of(dealt) == number, "no other number gives this deal"


@jit_off
def test_the_first_and_the_last_deal() -> None:
    assert list(deal_masks(0)) == masks_of(
        "9S TS JS QS KS AS", "9C TC JC QC KC AC", "9H TH JH QH KH AH"
    )
    assert list(deal_masks(N_DEALS - 1)) == masks_of(
        "9D TD JD QD KD AD", "9H TH JH QH KH AH", "9C TC JC QC KC AC"
    )


@jit_off
def test_random_words_are_those_of_splitmix64() -> None:
    # The published generator: add the golden ratio, then mix. First words of seed 1234567, as its
    # ports print them to check themselves.
    states = [1_234_567 + i * GOLDEN_RATIO & LAST for i in range(1, 6)]
    published = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert [int(mix(np.uint64(state))) for state in states] == published
    assert [plain_mix(state) for state in states] == published


@jit_off
@given(seed=words, index=words)
@example(seed=0, index=0)
@example(seed=LAST, index=LAST)
@example(seed=2**63, index=2**63 - 1)
def test_a_deal_is_a_function_of_seed_and_index(seed: int, index: int) -> None:
    number = plain_number(seed, index)
    assert int(deal_number(np.uint64(seed), np.uint64(index))) == number
    deal = Deal.random(seed=seed, index=index)
    shown = [sorted(map(str, hand)) for hand in (*deal.hands, deal.ghost)]
    assert shown == list(map(sorted, plain_deal(number)))


@jit_off
@given(seed=words, number=st.integers(0, 2**42 - 1))
@example(seed=0, number=TOTAL - 1)
@example(seed=0, number=TOTAL)
@example(seed=0, number=2**42 - 1)
def test_a_number_is_drawn_again_if_it_is_no_deal(seed: int, number: int) -> None:
    index = index_that_draws(number, seed)
    drawn = int(deal_number(np.uint64(seed), np.uint64(index)))
    assert drawn == plain_number(seed, index)
    if number < TOTAL:
        assert drawn == number, "every deal is drawn at some index of every seed"
    else:
        assert 0 <= drawn < TOTAL


@jit_off
@given(
    seed=words,
    start=st.integers(0, LAST - 40) | st.integers(2**63 - 40, 2**63),
    sizes=st.lists(st.integers(0, 10), max_size=4),
)
def test_any_chunking_gives_the_same_deals(seed: int, start: int, sizes: list[int]) -> None:
    whole = random_hands(sum(sizes), seed=seed, start=start)
    assert whole.shape == (sum(sizes), 3)
    assert whole.dtype == np.int64
    places = itertools.accumulate(sizes, initial=start)
    chunks = [random_hands(n, seed=seed, start=at) for n, at in zip(sizes, places, strict=False)]
    np.testing.assert_array_equal(np.concatenate([whole[:0], *chunks]), whole)
    for i, masks in enumerate(whole):
        assert Deal.random(seed=seed, index=start + i).masks == tuple(masks)


@jit_off
@pytest.mark.parametrize("integer", [int, np.int32, np.int64, np.uint32, np.uint64])
def test_seeds_and_indices_may_be_integers_of_any_kind(integer: Any) -> None:
    expected = random_hands(3, seed=5, start=7)
    made = random_hands(integer(3), seed=integer(5), start=integer(7))
    np.testing.assert_array_equal(made, expected)
    assert Deal.random(seed=integer(5), index=integer(7)) == Deal.random(seed=5, index=7)
    assert Deal.random(seed=Suit.HEARTS) == Deal.random(seed=2)


@jit_off
def test_the_largest_seeds_and_indices() -> None:
    last: Any = np.uint64(LAST)
    assert Deal.random(seed=last, index=last) == Deal.random(LAST, LAST)
    assert random_hands(1, seed=LAST, start=LAST).shape == (1, 3)
    assert check_seed(last) == LAST
    assert type(check_seed(last)) is int


# Frozen: whoever changes one of these changes every published number that came from a seed.
GOLDEN_DEALS = {
    (0, 0): (
        "9S AC QC TC KD TD",
        "JS TS KC QH TH JD",
        "AS KS 9C AH JH AD",
        "QS JC KH 9H QD 9D",
    ),
    (0, 1): (
        "AS AC AH KH JH TD",
        "JC 9C TH AD KD 9D",
        "KS TS 9S QC TC 9H",
        "QS JS KC QH QD JD",
    ),
    (1, 0): (
        "KS JC 9C QH AD 9D",
        "QS AC AH TH 9H JD",
        "JS TS 9S QC TC JH",
        "AS KC KH KD QD TD",
    ),
    (1, 1): (
        "JS AC KH JH JD TD",
        "AS QS TS TH 9H AD",
        "9S QC TC 9C QH KD",
        "KS KC JC AH QD 9D",
    ),
    (2024, 999999): (
        "KS TS 9S QC QH 9H",
        "QS AC TC 9C KH KD",
        "AS KC AH JH JD TD",
        "JS JC TH AD QD 9D",
    ),
    (42, 4294967296): (
        "TC 9C QH TH AD QD",
        "QS JS KC JC 9H 9D",
        "AS 9S AC AH KH JH",
        "KS TS QC KD JD TD",
    ),
    (18446744073709551615, 18446744073709551615): (
        "AS AC KH QH 9H TD",
        "TC 9C JH KD JD 9D",
        "KS JS TS QC JC QD",
        "QS 9S KC AH TH AD",
    ),
}


@jit_off
@pytest.mark.parametrize(("seed", "index"), GOLDEN_DEALS)
def test_deals_are_the_same_for_ever(seed: int, index: int) -> None:
    deal = Deal.random(seed=seed, index=index)
    assert (*map(str, deal.hands), str(deal.ghost)) == GOLDEN_DEALS[seed, index]


@jit_off
def test_the_default_is_the_first_deal_of_seed_nought() -> None:
    assert Deal.random() == Deal.random(seed=0, index=0)
    assert random_hands(1)[0].tolist() == list(Deal.random().masks)


# ------------------------------------------------------------------------------------- refusals


@jit_off
@pytest.mark.parametrize("value", [-1, 2**64, -(2**63), 2**70])
def test_seeds_and_indices_out_of_range(value: int) -> None:
    out_of_range = rf"must be from 0 to 2\*\*64 - 1, not {value}$"
    with pytest.raises(SeedError, match="^seed " + out_of_range):
        Deal.random(seed=value)
    with pytest.raises(SeedError, match="^seed " + out_of_range):
        random_hands(1, seed=value)
    with pytest.raises(SeedError, match="^start " + out_of_range):
        random_hands(1, start=value)
    with pytest.raises(SeedError):
        Deal.random(index=value)


@jit_off
def test_an_index_out_of_range_is_called_an_index() -> None:
    with pytest.raises(SeedError, match=r"^index must be from 0 to 2\*\*64 - 1, not -1$"):
        Deal.random(index=-1)


@jit_off
@pytest.mark.parametrize("value", [None, 1.0, "1", True, np.float64(1), np.bool_(True)])
def test_seeds_and_indices_are_whole_numbers(value: Any) -> None:
    for name in ("seed", "start"):
        with pytest.raises(TypeError, match=f"^{name} must be a whole number"):
            random_hands(1, **{name: value})


@jit_off
@pytest.mark.parametrize("n", [-1, -(2**40)])
def test_a_negative_number_of_deals(n: int) -> None:
    with pytest.raises(SeedError, match=f"n must not be negative, not {n}"):
        random_hands(n)


@jit_off
@pytest.mark.parametrize("n", [1.5, 1.0, "1", None, True])
def test_the_number_of_deals_is_whole(n: Any) -> None:
    with pytest.raises(TypeError, match=r"^n must be a whole number"):
        random_hands(n)


@jit_off
def test_no_deals_at_all() -> None:
    assert random_hands(0).shape == (0, 3)


@jit_off
def test_a_block_does_not_run_on_past_the_last_index() -> None:
    # There is no deal number 2^64: to wrap round to number 0 would deal it twice.
    with pytest.raises(SeedError):
        random_hands(2, start=LAST)


@jit_off
def test_seed_errors_are_value_errors() -> None:
    assert issubclass(SeedError, ValueError)


# ------------------------------------------------------------------------------------- chance

# The seeds below are fixed, so these tests cannot fail by luck; a generator that is fair would
# have failed one of them with a chance below ONE_IN_A_MILLION when the seed was chosen.
ONE_IN_A_MILLION = 1e-6
MANY = 200_000


def owners(hands: NDArray[np.int64]) -> NDArray[np.int64]:
    """Who holds each card of each deal: seat 0, 1 or 2, or 3 for the ghost; (deals, 24)."""
    found = np.full((len(hands), 24), 3)
    for seat in range(3):
        found[(hands[:, seat, None] >> np.arange(24) & 1) == 1] = seat
    return found


def check_card_by_seat(hands: NDArray[np.int64]) -> None:
    """Every card is as often with every seat, by a chi-square test.

    Within a deal the cards are not independent: each owner has six of the 24. All 24 x 4 counts of
    n deals have the covariance n (I - J/24)(24/23) x (I - J/4)/4, and so 23/24 of Pearson's sum has
    a chi-square distribution with 23 x 3 degrees of freedom.
    """
    who = owners(hands)
    counts = np.array([np.bincount(who[:, card], minlength=4) for card in range(24)])
    expected = len(hands) / 4
    statistic = 23 / 24 * ((counts - expected) ** 2 / expected).sum()
    fair = stats.chi2(23 * 3)
    # Both tails: counts that are too even are as suspicious as counts that are too uneven.
    assert min(fair.sf(statistic), fair.cdf(statistic)) > ONE_IN_A_MILLION / 2, statistic


@pytest.fixture(scope="module")
def many_deals() -> NDArray[np.int64]:
    return random_hands(MANY, seed=20_240_229)


@pytest.fixture(scope="module")
def a_deal_of_many_seeds() -> NDArray[np.int64]:
    return np.concatenate([random_hands(1, seed=seed) for seed in range(MANY // 4)])


def test_every_card_is_as_often_with_every_seat(many_deals: NDArray[np.int64]) -> None:
    check_card_by_seat(many_deals)


def test_every_card_is_as_often_with_every_seat_over_seeds(
    a_deal_of_many_seeds: NDArray[np.int64],
) -> None:
    check_card_by_seat(a_deal_of_many_seeds)


def shuffled(kind: str, n: int) -> NDArray[np.int64]:
    """Deals dealt after a textbook shuffle by swaps, fair or with one of the textbook mistakes."""
    generator = np.random.default_rng(1)
    decks = np.tile(np.arange(24), (n, 1))
    rows = np.arange(n)
    for last in range(23, 0, -1):
        below = {"fair": last + 1, "never in place": last, "range does not shrink": 24}[kind]
        other = generator.integers(0, below, size=n)
        decks[rows, last], decks[rows, other] = decks[rows, other], decks[rows, last].copy()
    masks: NDArray[np.int64] = (1 << decks[:, :18]).reshape(n, 3, 6).sum(axis=2)
    return masks


@pytest.mark.parametrize("kind", ["never in place", "range does not shrink"])
def test_the_check_of_cards_by_seat_sees_a_bad_shuffle(kind: str) -> None:
    check_card_by_seat(shuffled("fair", MANY // 10))
    with pytest.raises(AssertionError):
        check_card_by_seat(shuffled(kind, MANY // 10))


def test_every_three_cards_lie_as_often_every_way(many_deals: NDArray[np.int64]) -> None:
    # For each of the 2,024 triples of cards: a chi-square test over the 4^3 ways that three cards
    # may be held. The chance of a way is that of three draws from 24 places, six an owner's.
    who = owners(many_deals)
    ways = list(itertools.product(range(4), repeat=3))
    chances = np.array(
        [
            math.prod(math.perm(6, way.count(owner)) for owner in range(4)) / (24 * 23 * 22)
            for way in ways
        ]
    )
    assert math.isclose(chances.sum(), 1)
    triples = list(itertools.combinations(range(24), 3))
    columns = np.ascontiguousarray(who.T.astype(np.uint8))
    statistics = np.empty(len(triples))
    for i, (a, b, c) in enumerate(triples):
        counts = np.bincount(columns[a] * 16 + columns[b] * 4 + columns[c], minlength=64)
        statistics[i] = ((counts - MANY * chances) ** 2 / (MANY * chances)).sum()
    fair = stats.chi2(len(ways) - 1)
    # The least of 2 x 2,024 tail probabilities: by Bonferroni whether or not they are independent.
    least = min(fair.sf(statistics).min(), fair.cdf(statistics).min())
    assert least > ONE_IN_A_MILLION / (2 * len(triples))


def test_deal_numbers_are_uniform() -> None:
    # To take a remainder instead of drawing again would make nine deals in ten twice as likely.
    numbers = [int(deal_number(np.uint64(11), np.uint64(index))) for index in range(MANY)]
    assert min(numbers) >= 0
    assert max(numbers) < N_DEALS
    for n_cells, cells in (
        (1000, [number * 1000 // N_DEALS for number in numbers]),  # the first hand, roughly
        (26, [number // 924 % 26 for number in numbers]),  # the second; 26 divides 18,564
        (924, [number % 924 for number in numbers]),  # the third
    ):
        statistic, p_value = stats.chisquare(np.bincount(cells, minlength=n_cells))
        assert ONE_IN_A_MILLION / 6 < p_value < 1 - ONE_IN_A_MILLION / 6, statistic


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((0, 0), (1, 0)),
        ((0, 0), (0, 1)),
        ((3, 5), (5, 3)),
        ((1, 0), (2**32 + 1, 0)),
        ((7, 0), (7, 2**63)),
        ((2**64 - 1, 0), (0, 0)),
        ((0, 1), (1, 0)),
    ],
    ids=str,
)
def test_neighbouring_seeds_and_starts_have_nothing_in_common(
    first: tuple[int, int], second: tuple[int, int]
) -> None:
    # In two independent deals a card is with the same owner one time in four, so that six of the 24
    # are on average. The variance: 24 x 1/4 x 3/4 of each card alone, and 24 x 23 covariances, as
    # two cards are both with the same owners with chance 4 (5/92)^2 + 12 (6/92)^2.
    variance = 24 * 3 / 16 + 24 * 23 * (4 * (5 / 92) ** 2 + 12 * (6 / 92) ** 2 - 1 / 16)
    one, other = (
        owners(random_hands(MANY // 4, seed=seed, start=at)) for seed, at in (first, second)
    )
    same = (one == other).sum(axis=1)
    z = (same.mean() - 6) / math.sqrt(variance / len(same))
    assert 2 * stats.norm.sf(abs(z)) > ONE_IN_A_MILLION / 7
    assert same.max() < 24, "no two deals are the same"


def test_neighbouring_seeds_have_nothing_in_common(a_deal_of_many_seeds: NDArray[np.int64]) -> None:
    # Deal number 0 of seeds 0, 1, 2, ..., each against the next: who holds a card now, and then?
    who = owners(a_deal_of_many_seeds)
    table = np.zeros((4, 4))
    for card in range(24):
        table += np.histogram2d(who[::2, card], who[1::2, card], bins=4)[0]
    # Every deal has six cards with each owner. Given this, the 24 cards of a pair of deals count
    # like 23 pairs drawn on their own, and the table has 3 x 3 degrees of freedom.
    expected = table.sum() / 16
    statistic = 23 / 24 * ((table - expected) ** 2 / expected).sum()
    assert stats.chi2(9).sf(statistic) > ONE_IN_A_MILLION


def test_small_seeds_and_indices_never_share_a_deal() -> None:
    # Seed plus index, or seed times something plus index, would repeat deals along a diagonal. Of
    # 40,000 deals two are the same by chance in one of 2,900 choices of the generator's constants.
    blocks = [random_hands(200, seed=seed) for seed in range(200)]
    assert len(np.unique(np.concatenate(blocks), axis=0)) == 200 * 200
