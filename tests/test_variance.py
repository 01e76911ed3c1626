"""Fewer deals for the same interval: what each piece gives has the right mean, and an honest error.

Exact where everything can be listed, else by some hundred independent repetitions.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ghostsim import Bid, Hand, Rules, Suit, solo_value, swap_value, trick_distribution
from ghostsim.batches import DealError, solve_many
from ghostsim.cards import ALL_CARDS, CardError
from ghostsim.class_odds import LAYOUTS, class_odds, hand_counts
from ghostsim.deals import random_hands
from ghostsim.hand_classes import RELABELLINGS, all_hands, holdings
from ghostsim.kernels.rng import deal_number
from ghostsim.rules import STANDARD, RulesError
from ghostsim.simulate.moments import Moments, moment_sums
from ghostsim.simulate.runner import Runner, Simulation, SimulationError
from ghostsim.simulate.variance import (
    HAND_ORDERS,
    SEAT_ORDERS,
    SUIT_ORDERS,
    GhostStrata,
    HandControl,
    control_coefficients,
    controlled_mean,
    ghost_points,
    ghosts_beside,
    hand_orders,
    seat_orders,
    stratify_ghosts,
    suit_relabellings,
    variance_factor,
)
from ghostsim.simulate.variance.ghosts import _deal_numbers
from ghostsim.stats import Estimate, EstimateError

LITTLE = "9S TS 9C TC 9H TH"


def moments(columns: dict[str, NDArray[Any]], level: float = 0.95) -> Moments:
    n = len(next(iter(columns.values())))
    return Moments(tuple(columns), moment_sums(columns), n, level, "m")


def check_calibrated(estimates: list[Estimate], exact: float) -> None:
    """Independent estimates have a mean, a spread and a coverage as they say."""
    values = np.array([estimate.value for estimate in estimates])
    errors = np.array([estimate.standard_error for estimate in estimates])
    n = len(values)
    spread = values.std(ddof=1)
    assert abs(values.mean() - exact) < 4 * spread / np.sqrt(n)
    # The standard error of a standard deviation of n normal numbers.
    assert abs(np.sqrt((errors**2).mean()) / spread - 1) < 4 / np.sqrt(2 * n)
    missed = sum(not estimate.contains(exact) for estimate in estimates)
    level = estimates[0].level
    assert abs(missed / n - (1 - level)) < 4 * np.sqrt(level * (1 - level) / n)


# ---------------------------------------------------------------------------------------- orbits


def test_orders_are_all_and_rotations_come_first() -> None:
    assert sorted(SEAT_ORDERS) == sorted(itertools.permutations(range(3)))
    assert sorted(HAND_ORDERS) == sorted(itertools.permutations(range(4)))
    assert sorted(SUIT_ORDERS) == sorted(RELABELLINGS)
    for orders, first in ((SEAT_ORDERS, 3), (HAND_ORDERS, 4), (SUIT_ORDERS, 4)):
        assert orders[0] == tuple(range(len(orders[0])))
        for place in range(len(orders[0])):  # everything once in each place
            assert len({order[place] for order in orders[:first]}) == first


def test_orbits_of_a_deal() -> None:
    hands = random_hands(50, seed=3)
    ghosts = ALL_CARDS & ~np.bitwise_or.reduce(hands, axis=1)
    for i, (deal, ghost) in enumerate(zip(hands.tolist(), ghosts.tolist(), strict=True)):
        six = {tuple(order) for order in seat_orders(hands)[i].tolist()}
        assert six == set(itertools.permutations(deal))
        four = {tuple(order) for order in hand_orders(hands)[i].tolist()}
        assert four == set(itertools.permutations([*deal, ghost], 3))
    assert (suit_relabellings(hands)[:, 0] == hands).all()


def test_suit_relabellings_move_the_trump() -> None:
    hands = random_hands(300, seed=4)
    relabelled = suit_relabellings(hands)
    for member, order in enumerate(SUIT_ORDERS):
        for trump in Suit:
            before = solve_many(hands, trump)
            assert (solve_many(relabelled[:, member], Suit(order[trump])) == before).all()
    # For one trump the last four are the first four again.
    spades = solve_many(relabelled.reshape(-1, 3), "S").reshape(-1, 8)
    assert (np.sort(spades[:, :4]) == np.sort(spades[:, 4:])).all()


def test_orbits_have_no_preferred_member() -> None:
    """The orbit of any member is that deal's orbit: so the mean over all deals is kept."""
    hands = random_hands(20, seed=5)
    for orbit in (seat_orders, hand_orders, suit_relabellings):
        members = orbit(hands)
        for member in range(members.shape[1]):
            again = orbit(members[:, member])
            assert [sorted(map(tuple, deal)) for deal in again.tolist()] == [
                sorted(map(tuple, deal)) for deal in members.tolist()
            ]


@functools.cache
def exact_four_in_spades() -> Fraction:
    made = hand_counts(all_hands(), Suit.SPADES)[:, 4:].sum()
    return Fraction(int(made), LAYOUTS * 134_596)


@functools.cache
def four_in_spades() -> HandControl:
    return HandControl.makes(Bid(4), Suit.SPADES)


def every_hand_in_every_suit(hands: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sixteen deals of each: each of the four hands declares, each suit is spades."""
    sixteen = suit_relabellings(hand_orders(hands)[:, :4].reshape(-1, 3))[:, :4]
    return sixteen.reshape(len(hands), 16, 3)


@pytest.mark.parametrize(
    ("orbit", "members", "least"),
    [
        (seat_orders, 6, 3.5),
        (lambda hands: hand_orders(hands)[:, :4], 4, 4.0),
        (every_hand_in_every_suit, 16, 12.0),
    ],
    ids=["seats", "hands", "hands and suits"],
)
def test_orbit_means_are_calibrated(
    orbit: Callable[[NDArray[np.int64]], NDArray[np.int64]], members: int, least: float
) -> None:
    n, repetitions = 250, 200
    hands = orbit(random_hands(n * repetitions, seed=6))
    assert hands.shape == (n * repetitions, members, 3)
    made = solve_many(hands.reshape(-1, 3), "S").reshape(repetitions, n, members) >= 4
    estimates, plain = [], []
    for some in made:
        found = moments({"made": some.sum(axis=1), "first": some[:, 0]})
        mean, first = found.mean("made", per=members), found.mean("first")
        assert mean is not None and first is not None
        estimates.append(mean)
        plain.append(first)
    check_calibrated(estimates, float(exact_four_in_spades()))
    factors = [variance_factor(*pair) for pair in zip(plain, estimates, strict=True)]
    assert np.median(factors) > least


def test_orbits_refuse_other_shapes() -> None:
    for orbit in (seat_orders, hand_orders, suit_relabellings):
        with pytest.raises(DealError, match=r"shape \(n, 3\), not int64 \(3,\)"):
            orbit(np.arange(3))
        with pytest.raises(DealError, match="float64"):
            orbit(np.zeros((2, 3)))


# -------------------------------------------------------------------------------------- controls


def test_hand_controls_are_the_exact_odds() -> None:
    solo, four = HandControl.solo_points(), HandControl.bid_points(Bid(4))
    makes = four_in_spades()
    hands = random_hands(12, seed=8)
    for mask in hands.ravel().tolist():
        hand = Hand.from_mask(mask)
        masks = np.array([mask])
        assert abs(solo.of(masks)[0] / 100 - solo_value(hand).points) <= 0.005
        counts = hand_counts(masks, Suit.SPADES)[0]
        assert abs(makes.of(masks)[0] / 1000 - counts[4:].sum() / LAYOUTS) <= 0.0005
        best = max(
            hand_counts(masks, suit)[0] @ [-4, -4, -4, -4, 4, 5, 6] / LAYOUTS for suit in Suit
        )
        assert abs(four.of(masks)[0] / 100 - best) <= 0.005
    assert solo.of(hands).shape == hands.shape


def test_control_means_are_means_over_all_hands() -> None:
    odds = class_odds(STANDARD)
    exact = int(odds.keep_totals @ odds.classes.hands) / LAYOUTS / 134_596
    assert float(HandControl.solo_points().mean) / 100 == pytest.approx(exact, abs=1e-4)
    makes = float(four_in_spades().mean) / 1000
    assert makes == pytest.approx(float(exact_four_in_spades()), abs=1e-5)
    control = HandControl(np.arange(134_596))
    assert control.mean == Fraction(134_595, 2)
    assert (control.of(all_hands()) == control.by_hand).all()


def test_bids_and_trumps_of_controls_are_named_as_ever() -> None:
    four = four_in_spades()
    for bid, trump in ((4, "S"), ("4", "spades"), (Bid.FOUR, 0)):
        assert HandControl.makes(bid, trump) is four
    assert HandControl.makes(5, "H") is HandControl.makes(Bid.FIVE, Suit.HEARTS)
    assert HandControl.bid_points("moon") is HandControl.bid_points(6)
    for wrong in (2, 7, "seven"):
        with pytest.raises(RulesError, match="is not a bid: bids are 3, 4, 5 and moon"):
            HandControl.makes(wrong, "S")
        with pytest.raises(RulesError, match="is not a bid"):
            HandControl.bid_points(wrong)
    with pytest.raises(RulesError, match="bid 3 is below the lowest bid, 4"):
        HandControl.bid_points(3, Rules(min_bid=4))
    with pytest.raises(CardError, match="trump 'X'"):
        HandControl.makes(4, "X")
    with pytest.raises(TypeError, match="bid must be a Bid, 3-6 or a text"):
        HandControl.makes(4.0, "S")  # type: ignore[arg-type]


def test_controls_are_kept_and_cannot_be_written_to() -> None:
    control = HandControl.solo_points()
    assert HandControl.solo_points() is control
    assert HandControl.solo_points(Rules(moon_points=12)) is not control
    with pytest.raises(ValueError, match="read-only"):
        control.by_hand[0] = 1


def test_control_refuses_other_tables() -> None:
    with pytest.raises(EstimateError, match=r"134,596 whole numbers.*int64 \(5,\)"):
        HandControl(np.arange(5))
    with pytest.raises(EstimateError, match="float64"):
        HandControl(np.zeros(134_596))  # type: ignore[arg-type]  # as a caller may


@given(data=st.data())
def test_regression_is_that_of_numpy(data: st.DataObject) -> None:
    numbers = st.integers(-50, 50)
    rows = data.draw(st.lists(st.tuples(*[numbers] * 4), min_size=6, max_size=20))
    y, *x = np.array(rows, dtype=np.int64).T
    x.append(x[0] - x[1])  # superfluous
    names = ("a", "b", "c", "d")
    found = moments({"y": y, **dict(zip(names, x, strict=True))})
    means = {name: Fraction(number, 3) for number, name in enumerate(names)}
    mean = controlled_mean(found, "y", means)
    coefficients = control_coefficients(found, "y", means)
    assert coefficients["d"] == 0
    # The intercept of the regression on the controls less their means, and its standard error.
    used = [name for name in names if coefficients[name] != 0]
    design = np.column_stack(
        [np.ones(len(y)), *(x[names.index(name)] - float(means[name]) for name in names[:3])]
    )
    if np.linalg.matrix_rank(design) < 4 or len(used) < 3:
        return
    fitted, *_ = np.linalg.lstsq(design, y, rcond=None)
    residuals = y - design @ fitted
    variance = residuals @ residuals / (len(y) - 4) * np.linalg.inv(design.T @ design)[0, 0]
    assert mean.value == pytest.approx(fitted[0], abs=1e-6)
    assert mean.standard_error == pytest.approx(np.sqrt(variance), abs=1e-6)


def test_fixed_coefficients_are_a_plain_mean_of_differences() -> None:
    generator = np.random.default_rng(1)
    x, y = generator.integers(0, 9, size=(2, 40))
    found = moments({"x": x, "y": y})
    mean = controlled_mean(
        found, "y", {"x": Fraction(7, 2)}, coefficients={"x": Fraction(2)}, per=2
    )
    z = (y - 2 * (x - 3.5)) / 2
    assert mean.value == pytest.approx(z.mean())
    assert mean.standard_error == pytest.approx(z.std(ddof=1) / np.sqrt(40))
    assert (mean.method, mean.n) == ("controlled normal", 40)
    # Without controls it is the mean.
    plain = found.mean("y")
    assert plain is not None
    none = controlled_mean(found, "y", {})
    assert none.value == plain.value
    assert none.standard_error == pytest.approx(plain.standard_error)


def test_fixed_coefficients_are_exactly_unbiased() -> None:
    """The mean over all hands, of numbers with nothing linear about them, is the exact mean."""
    control = HandControl.solo_points()
    columns = {"y": four_in_spades().by_hand, "x": control.by_hand}
    everything = moments(columns)
    pilot = moments({name: column[::997] for name, column in columns.items()})
    coefficients = control_coefficients(pilot, "y", {"x": control.mean})
    assert coefficients["x"] > 0
    mean = controlled_mean(everything, "y", {"x": control.mean}, coefficients=coefficients)
    assert mean.value == everything.total("y") / 134_596


def test_controlled_means_are_calibrated() -> None:
    """Four in spades by the exact odds of two hands: coefficients from the same sums, and fixed."""
    n, repetitions, exact = 300, 300, float(exact_four_in_spades())
    control = four_in_spades()
    hands = random_hands(n * (repetitions + 1), seed=9)
    made = (solve_many(hands, "S") >= 4).astype(np.int64)
    columns = {"made": made, "own": control.of(hands[:, 0]), "left": control.of(hands[:, 1])}
    means = {"own": control.mean, "left": control.mean}

    def part(i: int) -> Moments:
        return moments({name: column[i * n : i * n + n] for name, column in columns.items()})

    pilot = control_coefficients(part(repetitions), "made", means)
    plain, same, other = [], [], []
    for i in range(repetitions):
        found = part(i)
        mean = found.mean("made")
        assert mean is not None
        plain.append(mean)
        same.append(controlled_mean(found, "made", means))
        other.append(controlled_mean(found, "made", means, coefficients=pilot))
    for estimates in (same, other):
        check_calibrated(estimates, exact)
        factors = [variance_factor(*pair) for pair in zip(plain, estimates, strict=True)]
        assert np.median(factors) > 1.5


def test_a_solved_control_may_have_its_exact_mean() -> None:
    """Another defence on the same deals: its mean is the exact odds', not known deal by deal."""
    hands = random_hands(4000, seed=10)
    selfish = solve_many(hands, "S", defence="selfish")[:, 0] >= 4
    coalition = solve_many(hands, "S") >= 4
    found = moments({"selfish": selfish, "coalition": coalition})
    plain = found.mean("selfish")
    mean = controlled_mean(found, "selfish", {"coalition": exact_four_in_spades()})
    assert plain is not None and variance_factor(plain, mean) > 5
    assert abs(plain.value - mean.value) < 4 * plain.standard_error


def test_controls_that_cannot_be_used() -> None:
    found = moments({"y": np.arange(4), "x": np.arange(4) ** 2, "z": np.arange(4)})
    with pytest.raises(EstimateError, match="'w' is no column: y, x, z"):
        controlled_mean(found, "y", {"w": 1})
    with pytest.raises(EstimateError, match="none for the control 'z'"):
        controlled_mean(found, "y", {"x": 1, "z": 1}, coefficients={"x": Fraction(1)})
    few = moments({"y": np.arange(3), "x": np.arange(3) ** 2, "z": np.array([1, 0, 0])})
    with pytest.raises(EstimateError, match="2 controls takes 4 units or more, not 3"):
        controlled_mean(few, "y", {"x": 1, "z": 1})
    # The same in all units, it tells nothing.
    same = moments({"y": np.arange(4), "x": np.ones(4, dtype=np.int64)})
    assert control_coefficients(same, "y", {"x": 1}) == {"x": 0}
    assert controlled_mean(same, "y", {"x": 1}).value == 1.5


# ---------------------------------------------------------------------------------------- ghosts


def test_ghosts_beside_a_hand() -> None:
    ghosts = ghosts_beside(LITTLE)
    assert len(np.unique(ghosts)) == 18_564
    assert (np.bitwise_count(ghosts) == 6).all()
    assert not (ghosts & Hand(LITTLE).mask).any()
    assert (np.diff(ghosts) > 0).all()


@pytest.mark.parametrize("rules", [STANDARD, Rules(moon_points=12)], ids=["standard", "moon 12"])
def test_ghost_points_are_exact(rules: Rules) -> None:
    points = ghost_points(LITTLE, rules)
    for i in (0, 5_000, 18_563):
        ghost = Hand.from_mask(int(ghosts_beside(LITTLE)[i]))
        assert points[i] / 924 == solo_value(ghost, LITTLE, rules).points
    assert points.sum() / LAYOUTS == swap_value(LITTLE, rules)


def test_strata_hold_every_ghost_once_in_order() -> None:
    hand = "JS AS KS 9H TH AD"
    strata = stratify_ghosts(hand, strata=221)
    assert strata.ghosts.shape == (221, 84)
    assert (np.sort(strata.ghosts.ravel()) == ghosts_beside(hand)).all()
    points = dict(zip(ghosts_beside(hand).tolist(), ghost_points(hand).tolist(), strict=True))
    assert (np.diff([points[ghost] for ghost in strata.ghosts.ravel().tolist()]) >= 0).all()
    # The mean over all that a round may draw is the swap value: each ghost counts the same.
    means = [sum(points[ghost] for ghost in row) / len(row) for row in strata.ghosts.tolist()]
    assert np.mean(means) / 924 == pytest.approx(swap_value(hand), rel=1e-12)


def test_draws_are_functions_of_seed_and_number() -> None:
    numbers = _deal_numbers(2**64 - 1, 5, 200)
    assert numbers.tolist() == [
        deal_number(np.uint64(2**64 - 1), np.uint64(5 + i)) for i in range(200)
    ]
    strata = stratify_ghosts(LITTLE, strata=12)
    whole = strata.deal(50, seed=3)
    assert (strata.deal(20, seed=3, start=30) == whole[30:]).all()
    assert not (strata.deal(50, seed=4) == whole).all()
    assert strata.deal(0).shape == (0, 12, 3)
    last = (1 << 64) // 12 - 2
    assert strata.deal(2, start=last).shape == (2, 12, 3)


def test_rounds_draw_one_ghost_a_stratum_and_split_the_rest() -> None:
    strata = stratify_ghosts(LITTLE, strata=84)
    hands = strata.deal(3000, seed=1)
    for j in (0, 40, 83):
        drawn, times = np.unique(hands[:, j, 0], return_counts=True)
        assert (drawn == np.sort(strata.ghosts[j])).all()
        # 3000 throws of a die with 221 sides: chi-square, mean 220, standard deviation 21.
        assert ((times - 3000 / 221) ** 2).sum() / (3000 / 221) < 220 + 4 * 21
    flat = hands.reshape(-1, 3)
    assert (np.bitwise_count(flat) == 6).all()
    assert (np.bitwise_or.reduce(flat, axis=1) == ALL_CARDS & ~Hand(LITTLE).mask).all()
    # Every split of the other twelve cards: of one ghost, all 924 come about as often.
    one = GhostStrata(Hand(LITTLE), strata.ghosts[50, :1].reshape(1, 1))
    left, times = np.unique(one.deal(50_000, seed=2)[..., 1], return_counts=True)
    assert len(left) == 924
    expected = 50_000 / 924
    assert ((times - expected) ** 2).sum() / expected < 923 + 4 * 43


@pytest.mark.parametrize("by", ["holdings", "points"])
def test_stratified_means_are_calibrated(by: str) -> None:
    """The value of the ghost itself, whose mean is exact: one round or more a repetition."""
    ghosts, points = ghosts_beside(LITTLE), ghost_points(LITTLE)
    key = holdings(ghosts) @ [100, 10, 1] if by == "holdings" else None
    strata = stratify_ghosts(LITTLE, key, strata=84)
    rounds, repetitions = 20, 500

    def value(masks: NDArray[np.int64]) -> NDArray[np.int64]:
        return points[np.searchsorted(ghosts, masks)]

    drawn = value(strata.deal(rounds * repetitions, seed=11)[..., 0]).sum(axis=1)
    estimates = []
    for some in drawn.reshape(repetitions, rounds):
        mean = moments({"points": some}, level=0.9).mean("points", per=84 * 924)
        assert mean is not None
        estimates.append(mean)
    # A normal interval from twenty rounds is a t interval with 19 degrees: 1.645 of it is 88.3 %.
    values = np.array([estimate.value for estimate in estimates])
    errors = np.array([estimate.standard_error for estimate in estimates])
    spread = values.std(ddof=1)
    assert abs(values.mean() - swap_value(LITTLE)) < 4 * spread / np.sqrt(repetitions)
    assert abs(np.sqrt((errors**2).mean()) / spread - 1) < 4 / np.sqrt(2 * repetitions)
    covered = sum(estimate.contains(swap_value(LITTLE)) for estimate in estimates) / repetitions
    assert abs(covered - 0.883) < 4 * np.sqrt(0.883 * 0.117 / repetitions)
    # Beside as many ghosts at random.
    plain = points.std() / 924 / np.sqrt(84 * rounds)
    assert (plain / spread) ** 2 > (2 if by == "holdings" else 20)


def tricks_of(ghost: int) -> float:
    """The ghost's mean tricks in hearts, exact."""
    return trick_distribution(Hand.from_mask(ghost), "H", LITTLE).mean


def round_block(seed: int, start: int, count: int) -> NDArray[np.int64]:
    hands = stratify_ghosts(LITTLE, strata=84).deal(count, seed=seed, start=start)
    tricks = solve_many(hands.reshape(-1, 3), "H").reshape(count, 84).astype(np.int64)
    return moment_sums({"tricks": tricks.sum(axis=1)})


def test_blocks_of_rounds_add_up() -> None:
    """Through the runner: the same sums whatever the blocks."""
    runs = [
        Runner(block_size=size).run(Simulation("rounds", round_block), 30, seed=5).sums.tolist()
        for size in (30, 7)
    ]
    assert runs[0] == runs[1]
    mean = Moments(("tricks",), np.array(runs[0]), 30, 0.95, "m").mean("tricks", per=84)
    assert mean is not None
    # The exact side is a sample of ghosts, each with its exact tricks.
    tricks = [tricks_of(ghost) for ghost in ghosts_beside(LITTLE)[::50].tolist()]
    slack = np.std(tricks) / np.sqrt(len(tricks))
    assert abs(mean.value - np.mean(tricks)) < 4 * (mean.standard_error + slack)


def test_strata_that_cannot_be() -> None:
    with pytest.raises(SimulationError, match="strata must divide 18,564, like 84, not 5"):
        stratify_ghosts(LITTLE, strata=5)
    with pytest.raises(SimulationError, match="not 0"):
        stratify_ghosts(LITTLE, strata=0)
    with pytest.raises(SimulationError, match=r"18,564 numbers, one a ghost, not \(3,\)"):
        stratify_ghosts(LITTLE, [1, 2, 3])
    with pytest.raises(CardError):
        stratify_ghosts("9S TS")
    strata = stratify_ghosts(LITTLE)
    with pytest.raises(SimulationError, match="0 or more"):
        strata.deal(-1)
    with pytest.raises(SimulationError, match="within 2\\*\\*64"):
        strata.deal(2, start=2**64 - 1)
    with pytest.raises(TypeError, match="rounds must be a whole number"):
        strata.deal(1.5)  # type: ignore[arg-type]


def test_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[1] / "docs" / "variance.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    # What a reader would paste; but steady is there at once, and plays the same way.
    exec("\n".join(code).replace('["odds"]', '["steady"]').replace("100_000", "5_000"), {})
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == len(code) == 3
    low, high = (float(number) for number in re.findall(r"[\d.]+", printed[0])[1:3])
    assert low < exact_four_in_spades() < high


# ---------------------------------------------------------------------------------- common deals


def test_differences_on_common_deals() -> None:
    """Two trumps named on the same hands: the mean difference is exactly 0, the error honest."""
    n, repetitions = 200, 200
    hands = random_hands(n * repetitions, seed=12)
    spades, hearts = (solve_many(hands, trump).astype(np.int64) for trump in "SH")
    estimates = []
    for i in range(repetitions):
        part = slice(i * n, i * n + n)
        found = moments({"spades": spades[part], "hearts": hearts[part]})
        mean = found.mean({"spades": 1, "hearts": -1})
        assert mean is not None
        estimates.append(mean)
    check_calibrated(estimates, 0.0)
