"""Confidence sequences: small ones counted out, ends by brute force, real quantities by chance."""

import copy
import itertools
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostsim.sequential import MeanSequence, ProportionSequence, SequenceError
from ghostsim.stats import EstimateError
from verification import calibration

PROPORTION_BETS = [2.0**k for k in range(3, -20, -1)]
MEAN_BETS = [2.0**k for k in range(-1, -20, -1)]


def wealth_of_proportion(zeros_and_ones: list[int], p: float, sign: int) -> float:
    """A bettor's wealth, number by number: the likelihood ratio, shared out over the bets."""
    wealth = 0.0
    for bet in PROPORTION_BETS:
        odds = math.exp(sign * bet)
        other = p * odds / (1 - p + p * odds)  # log-odds shifted by the bet
        ratio = 1.0
        for x in zeros_and_ones:
            ratio *= other / p if x else (1 - other) / (1 - p)
        wealth += ratio / len(PROPORTION_BETS)
    return wealth


def wealth_of_mean(
    numbers: list[int], bounds: tuple[int, int], mean: float, sign: int, bets: list[float]
) -> float:
    """A bettor's wealth: the product over all numbers, shared out over the bets."""
    wealth = 0.0
    for bet in bets:
        made = 1.0
        for x, times in Counter(numbers).items():
            far = sign * (x - mean) / (bounds[1] - bounds[0])
            made *= math.exp(times * (bet * far + (math.log(1 - bet) + bet) * far**2))
        wealth += made / len(bets)
    return wealth


def not_ruled_out(wealth: Callable[[float, int], float], candidates: list[float]) -> list[float]:
    """The numbers against which neither bettor has made 40 of 1, as it takes for 95 %."""
    return [each for each in candidates if max(wealth(each, 1), wealth(each, -1)) < 40]


def looked(
    sequence: MeanSequence | ProportionSequence, numbers: list[int], at: list[int]
) -> MeanSequence | ProportionSequence:
    for n in at:
        sequence.look(n, sum(numbers[:n]), sum(x * x for x in numbers[:n]))
    return sequence


# ---------------------------------------------------------------------------- ends, by brute force


@given(st.lists(st.integers(0, 1), min_size=1, max_size=40))
def test_the_interval_of_a_proportion_is_all_that_is_not_ruled_out(numbers: list[int]) -> None:
    sequence = looked(ProportionSequence(0.95), numbers, [len(numbers)])
    grid = [i / 100 for i in range(1, 100)]
    left = not_ruled_out(lambda p, sign: wealth_of_proportion(numbers, p, sign), grid)
    assert left == [p for p in grid if sequence.low < p < sequence.high]
    # The ends are out, or bounds.
    for end, sign, bound in ((sequence.low, 1, 0), (sequence.high, -1, 1)):
        assert end == bound or wealth_of_proportion(numbers, end, sign) >= 40 * (1 - 1e-9)


@given(st.lists(st.sampled_from([-6, 0, 3, 24]), min_size=1, max_size=60), st.integers(1, 9))
def test_the_interval_of_a_mean_is_all_that_is_not_ruled_out(
    numbers: list[int], times: int
) -> None:
    numbers = numbers * times
    sequence = looked(MeanSequence(-6, 24, 0.95), numbers, [len(numbers)])
    grid = [-5.97 + 0.6 * i for i in range(50)]
    left = not_ruled_out(lambda m, s: wealth_of_mean(numbers, (-6, 24), m, s, MEAN_BETS), grid)
    assert left == [m for m in grid if sequence.low < m < sequence.high]
    for end, sign, bound in ((sequence.low, 1, -6), (sequence.high, -1, 24)):
        wealth = wealth_of_mean(numbers, (-6, 24), end, sign, MEAN_BETS)
        assert end == bound or wealth >= 40 * (1 - 1e-9)


# ------------------------------------------------------------------------- the level, counted out


@pytest.mark.parametrize("p", [0.02, 0.3, 0.5, 0.9])
def test_a_bettor_on_a_proportion_plays_a_fair_game(p: float) -> None:
    for n, sign in itertools.product((1, 7), (1, -1)):
        expected = math.fsum(
            math.comb(n, k)
            * p**k
            * (1 - p) ** (n - k)
            * wealth_of_proportion([1] * k + [0] * (n - k), p, sign)
            for k in range(n + 1)
        )
        assert expected == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("bet", MEAN_BETS)
def test_a_bet_on_a_mean_makes_no_more_than_a_fair_game(bet: float) -> None:
    # x - m in units of the range is within -1 and 1; 1 + bet * that is a fair game.
    for far in np.linspace(-1, 1, 2001).tolist():
        assert math.exp(bet * far + (math.log(1 - bet) + bet) * far**2) <= (1 + bet * far) * (
            1 + 1e-15
        )


def test_a_bet_on_a_mean_wins_less_against_a_higher_number() -> None:
    # Else the numbers that are not ruled out would not be an interval. A larger bet fails.
    def falls(bet: float) -> bool:
        made = [wealth_of_mean([1], (0, 1), i / 1000, 1, [bet]) for i in range(1001)]
        return all(a > b for a, b in itertools.pairwise(made))

    assert all(map(falls, MEAN_BETS))
    assert not falls(0.75)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_a_proportion_is_ever_missed_by_no_more_than_the_level(level: float) -> None:
    """All 2**40 sequences of 0 and 1, looked at after each number, by how many are 1."""
    ends = {}
    for n in range(1, 41):
        for k in range(n + 1):
            sequence = ProportionSequence(level)
            sequence.look(n, k, k)
            ends[n, k] = sequence.low, sequence.high
    found = []
    for p in (Fraction(1, 50), Fraction(1, 5), Fraction(1, 2), Fraction(2, 3)):
        never = {0: Fraction(1)}  # by how many are 1: the probability that p was always inside
        for n in range(1, 41):
            after: dict[int, Fraction] = {}
            for k, share in never.items():
                for successes, chance in ((k, 1 - p), (k + 1, p)):
                    if ends[n, successes][0] <= p <= ends[n, successes][1]:
                        after[successes] = after.get(successes, Fraction(0)) + share * chance
            never = after
        missed = 1 - sum(never.values())
        assert missed <= 1 - Fraction(str(level))
        found.append(float(missed))
    assert max(found) > (1 - level) / 10  # it is no test of nothing


class OneBet(MeanSequence):
    """With its largest bet only, so that it rules numbers out after a few."""

    _BETS = np.array([0.5])


@pytest.mark.parametrize("weights", [(5, 3, 1, 1), (1, 2, 6, 3)], ids=lambda weights: str(weights))
def test_a_mean_is_ever_missed_by_no_more_than_the_level(weights: tuple[int, ...]) -> None:
    """All 4**5 sequences of four numbers, looked at after each."""
    values, level = (-6, 0, 3, 24), 0.05
    chances = [Fraction(w, sum(weights)) for w in weights]
    mean = sum(x * chance for x, chance in zip(values, chances, strict=True))

    def missed(sequence: MeanSequence, sums: tuple[int, int, int]) -> Fraction:
        """How probable it is that the mean is ever outside, if it has not been so far."""
        total = Fraction(0)
        n = sums[0] + 1
        for x, chance in zip(values, chances, strict=True):
            after, then = copy.copy(sequence), (n, sums[1] + x, sums[2] + x * x)
            after.look(*then)
            if not after.low <= mean <= after.high:
                total += chance
            elif n < 5:
                total += chance * missed(after, then)
        return total

    found = missed(OneBet(-6, 24, level), (0, 0, 0))
    assert 0 < found <= 1 - Fraction(str(level))


def test_the_full_bets_on_a_mean_of_two_numbers() -> None:
    """Looks after 60 and after 120 numbers, -6 or 24, with probabilities counted out."""
    missed_most = 0.0
    for p in (0.05, 0.3, 0.6):
        mean = -6 + 30 * p
        share = [math.comb(60, k) * p**k * (1 - p) ** (60 - k) for k in range(61)]

        def outside(n: int, ones: int, mean: float = mean) -> bool:
            sequence = MeanSequence(-6, 24, 0.1)
            sequence.look(n, 24 * ones - 6 * (n - ones), 576 * ones + 36 * (n - ones))
            return not sequence.low <= mean <= sequence.high

        first = [outside(60, k) for k in range(61)]
        second = [outside(120, k) for k in range(121)]
        missed = math.fsum(
            share[j] * share[k]
            for j, k in itertools.product(range(61), repeat=2)
            if first[j] or second[j + k]
        )
        assert missed <= 0.9
        missed_most = max(missed, missed_most)
    assert missed_most > 0.01  # it is no test of nothing


# ---------------------------------------------------------------------------- looks and their sums


@given(
    st.lists(st.integers(-30, 30), min_size=1, max_size=50),
    st.lists(st.integers(1, 50), max_size=5),
    st.sampled_from([0.5, 0.95, 0.999999999]),
)
def test_whatever_is_seen(numbers: list[int], at: list[int], level: float) -> None:
    n = len(numbers)
    ends = sorted({min(each, n) for each in at} | {n})
    sequence = looked(MeanSequence(-30, 30, level), numbers, ends)
    assert -30 <= sequence.low <= sum(numbers) / n <= sequence.high <= 30
    assert sequence.looks == len(ends)
    assert 0 < sequence.half_width <= 30
    # Earlier looks cost nothing.
    once = looked(MeanSequence(-30, 30, level), numbers, [n])
    assert (sequence.low, sequence.high) == (once.low, once.high)
    # Seen from the other side, the interval is the other way round.
    turned = looked(MeanSequence(-30, 30, level), [-x for x in numbers], ends)
    assert (turned.low, turned.high) == pytest.approx((-sequence.high, -sequence.low), abs=1e-9)
    estimate = sequence.estimate(model="m", unit="games")
    assert (estimate.low, estimate.high, estimate.level) == (sequence.low, sequence.high, level)
    assert estimate.value == pytest.approx(np.mean(numbers), abs=1e-12)
    assert estimate.standard_error == pytest.approx(np.std(numbers) / math.sqrt(n), abs=1e-12)


@given(st.integers(1, 10**13), st.floats(0, 1), st.sampled_from([0.5, 0.95, 0.999999999]))
def test_proportions_of_any_number(n: int, share: float, level: float) -> None:
    successes = min(n, round(n * share))
    sequence, others = ProportionSequence(level), ProportionSequence(level)
    sequence.look(n, successes, successes)
    others.look(n, n - successes, n - successes)
    assert 0 <= sequence.low <= successes / n <= sequence.high <= 1
    assert 0 < sequence.half_width <= 0.5
    assert (others.low, others.high) == pytest.approx(
        (1 - sequence.high, 1 - sequence.low), abs=1e-9
    )
    assert (sequence.low == 0) >= (successes == 0)
    assert (sequence.high == 1) >= (successes == n)


@pytest.mark.parametrize("n", [10**3, 10**6, 10**9, 10**12])
@pytest.mark.parametrize("value", [-6, 0, 7, 24])
def test_numbers_that_are_all_equal(n: int, value: int) -> None:
    sequence = MeanSequence(-6, 24, 0.95)
    sequence.look(n, n * value, n * value**2)
    assert -6 <= sequence.low <= value <= sequence.high <= 24
    # But for a little, all is made by the largest of 19 bets: exp(0.5 * n * far) / 19 is 40.
    far = math.log(19 * 40) / (0.5 * n)
    assert max(value - sequence.low, sequence.high - value) == pytest.approx(30 * far, rel=0.02)
    assert sequence.estimate(model="m").standard_error == 0


@pytest.mark.parametrize("n", [10**6, 10**9, 10**12])
def test_the_price_of_looking_is_nearly_the_same_at_any_number(n: int) -> None:
    # A fixed interval has a half-width of 1.96 standard errors; docs/method.md has these figures.
    for p in (2, 10, 1000):
        proportion = ProportionSequence(0.95)
        proportion.look(n, n // p, n // p)
        fixed = 1.959964 * math.sqrt(1 / p * (1 - 1 / p) / n)
        assert 1.84 < proportion.half_width / fixed < 1.89
    points = MeanSequence(-6, 24, 0.95)
    points.look(n, 2 * n, 16 * n)  # mean 2, variance 12
    assert 1.8 < points.half_width / (1.959964 * math.sqrt(12 / n)) < 1.9


def test_a_higher_level_is_wider() -> None:
    for make in (ProportionSequence, lambda level: MeanSequence(0, 1, level)):
        widths = []
        for level in (0.1, 0.5, 0.9, 0.99, 0.999999999):
            sequence = make(level)
            sequence.look(10_000, 3_000, 3_000)
            widths.append(sequence.half_width)
        assert widths == sorted(set(widths))


def test_before_the_first_look() -> None:
    for sequence in (ProportionSequence(0.95), MeanSequence(-6, 24, 0.95)):
        sequence.look(0, 0, 0)
        assert sequence.looks == 0
        assert sequence.half_width == math.inf
        with pytest.raises(SequenceError, match="before the first look"):
            sequence.estimate(model="m")


def test_a_second_look_at_the_same_numbers_is_none() -> None:
    sequence = looked(ProportionSequence(0.95), [0, 1, 1, 0, 1], [2, 5, 5])
    assert sequence.looks == 2


def test_numbers_of_numpy_may_be_given() -> None:
    plain, of_numpy = MeanSequence(-6, 24, 0.95), MeanSequence(-6, 24, 0.95)
    plain.look(1_000_000, 2_000_000, 13_000_000)
    of_numpy.look(*np.array([1_000_000, 2_000_000, 13_000_000]).tolist())
    of_numpy.look(*np.array([2_000_000, 4_000_000, 26_000_000]))
    assert of_numpy.estimate(model="m").value == 2 == plain.estimate(model="m").value


@pytest.mark.parametrize(
    ("n", "total", "squares", "words"),
    [
        (9, 3, 9, "n must not fall from look to look: 9 after 10"),
        (10, 4, 9, "no 0 whole numbers"),
        (
            12,
            60,
            2000,
            "from -6 to 24 have the sum 57 and the sum of squares 1,991",
        ),
        (12, -12, 120, "no 2 whole numbers"),  # a sum below two times -6
        (12, 13, 49, "no 2 whole numbers"),  # the sum 10 has squares of 50 or more
        (12, 13, 700, "no 2 whole numbers"),  # 24 and -6 have 612; more apart they cannot be
    ],
)
def test_sums_that_no_numbers_have(n: int, total: int, squares: int, words: str) -> None:
    sequence = MeanSequence(-6, 24, 0.95)
    sequence.look(10, 3, 9)
    before = sequence.low, sequence.high, sequence.looks
    with pytest.raises(SequenceError, match=words):
        sequence.look(n, total, squares)
    assert (sequence.low, sequence.high, sequence.looks) == before


def test_a_proportion_is_of_zeros_and_ones() -> None:
    for total, squares in ((6, 6), (-1, 1), (3, 4), (3, 2)):
        with pytest.raises(SequenceError, match="no 5 whole numbers from 0 to 1 have the sum"):
            ProportionSequence(0.95).look(5, total, squares)


def test_sequences_that_cannot_be() -> None:
    for low, high in ((1, 1), (2, 1), (-math.inf, 0), (0, math.inf), (math.nan, 1)):
        with pytest.raises(SequenceError, match="bounds must be numbers low < high"):
            MeanSequence(low, high, 0.95)
    for level in (0, 1, 1.5, math.nan):
        with pytest.raises(EstimateError, match="level"):
            ProportionSequence(level)


def test_totals_must_be_whole_numbers() -> None:
    with pytest.raises(TypeError):
        ProportionSequence(0.95).look(2, 0.5, 0.5)  # type: ignore[arg-type]


# -------------------------------------------------------------------- the level, on real quantities


@pytest.mark.parametrize("name", ["points of a kept hand", "hands that would pass"])
def test_a_sequence_may_be_looked_at_again_and_again_and_other_intervals_may_not(name: str) -> None:
    """Thirty looks each; tests/verification/ does more of them, in more runs."""
    outcome = calibration.do_runs(name, 1, range(40), looks=30)
    assert outcome.sequence.total() <= 2  # 5 %; the sequence's share is about 1 %
    assert outcome.once.total() >= 3 * 2
    assert outcome.holds


def test_a_sequence_that_misses_too_often_does_not_hold() -> None:
    assert calibration.most_misses(1000) == 70
    outcome = calibration.Outcome(1000)
    outcome.sequence.update({5: 40, 80: 30})
    assert outcome.holds
    outcome.sequence[9] += 1
    assert not outcome.holds
