"""Both defences by simulation: counts told again deal by deal, and what the study makes of them."""

import functools
import io
import json
import math
import operator
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import joblib
import numpy as np
import pandas as pd
import pytest

import oracle
from ghostsim.batches import solve_many
from ghostsim.cards import Suit
from ghostsim.class_odds import LAYOUTS
from ghostsim.deals import Deal
from ghostsim.odds import bid_table
from ghostsim.preferences import Objective, Ties
from ghostsim.rules import SILENT_DEFENDERS, STANDARD, VARIANTS, Bid, Rules
from ghostsim.simulate import defence
from ghostsim.simulate.defence import BidDefences, Change, simulate_defences
from ghostsim.simulate.runner import Runner, Simulation, SimulationError
from ghostsim.solver import solve
from ghostsim.stats import Estimate, EstimateError
from ghostsim.study.cli import main
from ghostsim.study.registry import STUDIES, StudyError
from ghostsim.study.result import Parameters, StudyResult

OBJECTIVES: tuple[Objective, ...] = get_args(Objective)
TIES: tuple[Ties, ...] = get_args(Ties)
DEALS = 200
REPORT = Path(__file__).parents[1] / "reports" / "defence-model"

Tricks = tuple[int, int, int]


# ---------------------------------------------------------------- the same deals, one after another


class Told:
    """What of a bid is told of each deal in which it is worth more than a pass."""

    def __init__(self) -> None:
        self.coalition: list[int] = []
        self.selfish: dict[tuple[Objective, Ties], list[Tricks]] = {
            (objective, ties): [] for objective in OBJECTIVES for ties in TIES
        }


def trump_of(frame: pd.DataFrame, bid: Bid) -> Suit | None:
    """The trump in which the bid scores most, by the odds of one hand; None where a pass is best.

    Of trumps that are worth the same, as two of a colour may be, the first; in the deals of these
    seeds it makes no difference which.
    """
    rows = frame[frame["bid"] == bid]
    most = rows["points"].max()
    return Suit.parse(rows.loc[rows["points"] == most, "trump"].iloc[0]) if most > 0 else None


def tell(deals: range, seed: int, rules: Rules) -> dict[Bid, Told]:
    """Deal by deal, one at a time, through ``solve`` where it has the words."""
    told = {bid: Told() for bid in rules.bids}
    for index in deals:
        deal = Deal.random(seed=seed, index=index)
        frame = bid_table(deal.hands[0], rules=rules).to_frame()
        for bid in rules.bids:
            trump = trump_of(frame, bid)
            if trump is None:
                continue
            one = told[bid]
            one.coalition.append(solve(deal, trump).declarer_tricks)
            for (objective, ties), found in one.selfish.items():
                if ties == "standard":
                    how: dict[str, Any] = {"objective": objective, "bid": bid, "rules": rules}
                    found.append(solve(deal, trump, defence="selfish", **how).tricks)
                else:
                    (tricks,) = solve_many(
                        [deal.masks],
                        trump,
                        defence="selfish",
                        objective=objective,
                        bid=bid,
                        rules=rules,
                        ties=ties,
                    ).tolist()
                    found.append(tuple(tricks))
    return told


def check_share(estimate: Estimate, count: int, n: int) -> None:
    assert (estimate.value, estimate.n, estimate.method) == (count / n, n, "Wilson")
    assert estimate.low <= estimate.value <= estimate.high


def check_mean(estimate: Estimate, values: list[int]) -> None:
    n = len(values)
    mean = Fraction(sum(values), n)
    assert estimate.value == pytest.approx(float(mean), abs=1e-15)
    variance = sum((value - mean) ** 2 for value in values) / (n - 1)
    assert estimate.standard_error == pytest.approx(math.sqrt(variance / n), rel=1e-12, abs=1e-15)
    half = 1.959963984540054 * estimate.standard_error
    assert (estimate.low, estimate.high) == pytest.approx(
        (estimate.value - half, estimate.value + half), rel=1e-9, abs=1e-12
    )
    assert (estimate.n, estimate.method) == (n, "normal")


def check_change(
    change: Change, before: list[Any], after: list[Any], bid: Bid, rules: Rules
) -> None:
    """All of a change, from the tricks by seat (or the declarer's only) before and after."""
    n = len(before)

    def own(tricks: Any) -> int:
        declarer: int = tricks if isinstance(tricks, int) else tricks[0]
        return declarer

    check_share(change.any_seat, sum(a != b for a, b in zip(before, after, strict=True)), n)
    tricks = [own(b) - own(a) for a, b in zip(before, after, strict=True)]
    check_share(change.declarer, sum(t != 0 for t in tricks), n)
    counts = Counter(tricks)
    assert list(change.by_tricks) == list(range(-6, 7))
    for gained, estimate in change.by_tricks.items():
        check_share(estimate, counts[gained], n)
    check_mean(change.tricks, tricks)

    def points(tricks: int) -> int:
        return rules.deal_points(0, bid, (tricks, 6 - tricks, 0))[0]

    gains = [points(own(b)) - points(own(a)) for a, b in zip(before, after, strict=True)]
    check_mean(change.points, gains)


def check_all(found: BidDefences, told: Told, rules: Rules) -> None:
    n = len(told.coalition)
    assert found.n == n
    bid = found.bid
    assert set(found.made) == {"P_coalition", "P_selfish(tricks)", "P_selfish(points)"}
    for model, estimate in found.made.items():
        assert estimate.model == model
    check_share(found.made["P_coalition"], sum(t >= bid for t in told.coalition), n)
    assert set(found.selfish) == set(OBJECTIVES)
    assert set(found.ties) == {(o, t) for o, t in told.selfish if t != "standard"}
    for objective in OBJECTIVES:
        standard = told.selfish[objective, "standard"]
        made = found.made[f"P_selfish({objective})"]
        check_share(made, sum(tricks[0] >= bid for tricks in standard), n)
        # A coalition does not settle who of the defenders takes what.
        mine = [tricks[0] for tricks in standard]
        check_change(found.selfish[objective], told.coalition, mine, bid, rules)
        for ties in TIES[1:]:
            other = told.selfish[objective, ties]
            check_change(found.ties[objective, ties], standard, other, bid, rules)


RULES = [
    STANDARD,
    # Of few bids: selfish play has tables of its own for each number of tricks that one may need,
    # and under most rules each takes seconds to make.
    SILENT_DEFENDERS.replace(min_bid=6),
    Rules(min_bid=5, moon_points=9, set_keeps_tricks=True),
]


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_counts_told_again_deal_by_deal(rules: Rules) -> None:
    deals = range(DEALS)
    told = tell(deals, 17, rules)
    found = simulate_defences(len(deals), seed=17, rules=rules)
    assert [one.bid for one in found] == [bid for bid in rules.bids if len(told[bid].coalition) > 1]
    assert len(found) == len(rules.bids)
    for one in found:
        check_all(one, told[one.bid], rules)
    if rules == STANDARD:
        # Enough of each kind for a wrong count to be seen.
        assert found[0].selfish["points"].declarer.value > 0.04
        assert found[0].ties["tricks", "reversed"].any_seat.value > 0.1
        assert found[0].n > 100 and found[-1].bid is Bid.MOON


def test_some_deals_by_the_oracle() -> None:
    """The standard tie rule, by the program that shares no code with this one."""
    checked = 0
    for index in range(12):
        deal = Deal.random(seed=17, index=index)
        trump = trump_of(bid_table(deal.hands[0]).to_frame(), Bid.THREE)
        if trump is None:
            continue
        checked += 1
        found = defence._block(17, index, 1, STANDARD).reshape(4, -1)[0].tolist()
        n, made, *rest = found
        hands = [str(hand).split() for hand in deal.hands]
        coalition = oracle.coalition_tricks(hands, trump.letter, 0, 0)
        assert (n, made) == (1, coalition >= 3)
        per_change = 16
        for objective in OBJECTIVES:
            tricks = oracle.selfish_tricks(
                hands, trump.letter, 0, 0, bid=3 if objective == "points" else None
            )
            makes, *changes = rest[: 1 + 4 * per_change]
            rest = rest[1 + 4 * per_change :]
            gained = tricks[0] - coalition
            points = oracle.declarer_points(3, tricks[0]) - oracle.declarer_points(3, coalition)
            by_tricks = [int(change == gained) for change in range(-6, 7)]
            assert makes == (tricks[0] >= 3)
            expected = [int(gained != 0), *by_tricks, points, points**2]
            assert changes[:per_change] == expected
        assert rest == []
    assert checked >= 6


# ---------------------------------------------------------------------- however it is computed


BLOCK_DEALS = 2_001


def block(seed: int, start: int, count: int) -> Any:
    return defence._block(seed, start, count, STANDARD)


@pytest.fixture(scope="module")
def in_one_block() -> Any:
    return block(5, 0, BLOCK_DEALS)


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
@pytest.mark.parametrize("block_size", [333, 2_000, 50_000])
def test_sums_do_not_depend_on_blocks_and_jobs(
    in_one_block: Any, n_jobs: int | None, block_size: int
) -> None:
    runner = Runner(n_jobs=n_jobs, block_size=block_size)
    sums = runner.run(Simulation("defences", block), BLOCK_DEALS, seed=5).sums
    assert sums.dtype == np.int64
    assert sums.tobytes() == in_one_block.tobytes()


def test_estimates_do_not_depend_on_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    one = simulate_defences(2_500, seed=3, runner=Runner(n_jobs=1))
    assert simulate_defences(2_500, seed=3, runner=Runner(n_jobs=2)) == one
    with joblib.parallel_config("threading", n_jobs=2):
        assert simulate_defences(2_500, seed=3) == one
    sizes: list[int] = []

    whole = defence._block

    def counted(seed: int, start: int, count: int, rules: Rules) -> Any:
        sizes.append(count)
        return whole(seed, start, count, rules)

    monkeypatch.setattr(defence, "_block", counted)
    small = Runner(n_jobs=2, block_size=400)
    assert simulate_defences(2_500, seed=3, runner=small) == one
    assert sorted(sizes) == [100] + [400] * 6
    assert simulate_defences(2_500, seed=4) != one
    assert simulate_defences(2_501, seed=3) != one


# ------------------------------------------------------------------------------- what must be true


@pytest.fixture(scope="module")
def many() -> tuple[BidDefences, ...]:
    return simulate_defences(20_000, seed=1, level=0.9999, runner=Runner(n_jobs=2))


def test_the_exact_share_is_in_the_interval(many: tuple[BidDefences, ...]) -> None:
    for one, share in zip(many, exact_shares(), strict=True):
        made = one.made["P_coalition"]
        assert made.contains(share), (one.bid, made, share)
        assert not made.contains(share - 0.1) and not made.contains(share + 0.1)


@functools.cache
def exact_shares() -> list[float]:
    """How often the coalition lets each bid be made on hands that are worth it, by class."""
    from ghostsim.class_odds import class_odds

    odds = class_odds(STANDARD)
    shares = []
    for bid in STANDARD.bids:
        points = [STANDARD.declarer_points(bid, tricks) for tricks in range(7)]
        made = hands = 0
        weights = odds.classes.hands.tolist()
        for by_trump, weight in zip(odds.counts.tolist(), weights, strict=True):
            totals = [sum(map(operator.mul, counts, points)) for counts in by_trump]
            trump = totals.index(max(totals))
            if totals[trump] > 0:
                made += sum(by_trump[trump][bid:]) * weight
                hands += weight
        shares.append(float(Fraction(made, hands * LAYOUTS)))
    return shares


def test_selfish_defenders_never_hurt_the_declarer(many: tuple[BidDefences, ...]) -> None:
    for one in many:
        # For tricks he has no fewer; for points he may have fewer tricks, of a bid not made anyway.
        change = one.selfish["tricks"]
        assert all(change.by_tricks[fewer].value == 0 for fewer in range(-6, 0))
        assert change.tricks.value > 0
        for objective in OBJECTIVES:
            made = one.made[f"P_selfish({objective})"]
            assert made.value >= one.made["P_coalition"].value
            assert one.selfish[objective].points.value >= 0
        assert sum(share.value for share in change.by_tricks.values()) == pytest.approx(1)


def test_deal_by_deal_the_selfish_never_hurt_him_in_points() -> None:
    # Not only in the mean.
    told = tell(range(60), 23, STANDARD)
    for bid, one in told.items():
        for (objective, ties), found in one.selfish.items():
            for sure, tricks in zip(one.coalition, found, strict=True):
                assert sum(tricks) == 6
                if objective == "tricks":
                    assert tricks[0] >= sure, (bid, ties)
                else:
                    points = STANDARD.declarer_points(bid, tricks[0])
                    assert points >= STANDARD.declarer_points(bid, sure), (bid, ties)


def test_ties_among_defenders_matter_to_him_more_than_his_own(
    many: tuple[BidDefences, ...],
) -> None:
    ties = many[0].ties
    for objective in OBJECTIVES:
        turned = ties[objective, "defenders reversed"]
        # An indifferent defender who helps him gives him something.
        assert turned.points.low > 0 and turned.tricks.low > 0
        for other in TIES[1:]:
            change = ties[objective, other]
            assert change.any_seat.value >= change.declarer.value


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_of_the_rules(name: str) -> None:
    rules = VARIANTS[name]
    if not rules.defenders_score:
        rules = rules.replace(min_bid=6)  # or a dozen tables are made for these rules alone
    found = simulate_defences(400, seed=8, rules=rules)
    assert [one.bid for one in found] == list(rules.bids)[: len(found)]
    assert found[0].n > (100 if rules.min_bid == 3 else 5)
    same = {key: getattr(rules, key) for key in ("moon_points", "moon_set_points", "min_bid")}
    if Rules(**same) == rules.replace(swaps_per_deal=1, all_pass="redeal").replace(
        first_bidder="left_of_dealer"
    ):
        # What makes no difference to a declared hand makes none here.
        assert simulate_defences(400, seed=8, rules=Rules(**same)) == found


def test_few_deals() -> None:
    for deals in (1, 0, -5):
        with pytest.raises(SimulationError, match=f"two deals or more, not {deals}"):
            simulate_defences(deals)
    with pytest.raises(EstimateError, match="level must be"):
        simulate_defences(10, level=95)
    assert simulate_defences(2, seed=1) == ()  # none of the two is worth a bid twice
    (one, *_) = simulate_defences(2, seed=next(seed for seed in range(50) if both_bid(seed)))
    assert (one.bid, one.n) == (Bid.THREE, 2)


def both_bid(seed: int) -> bool:
    return all(
        trump_of(bid_table(Deal.random(seed=seed, index=i).hands[0]).to_frame(), Bid.THREE)
        is not None
        for i in (0, 1)
    )


# -------------------------------------------------------------------------------------- the study

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(["defence-model", *arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


class Silent:
    """Announces nothing."""

    def say(self, message: str) -> None:
        assert message

    def watcher(self) -> None:
        return None


def study(parameters: Parameters) -> StudyResult:
    return STUDIES["defence-model"].run(parameters, Silent())


PARAMETERS = Parameters(deals=4_000, seed=6, n_jobs=2)


@pytest.fixture(scope="module")
def result() -> StudyResult:
    return study(PARAMETERS)


@pytest.fixture(scope="module")
def simulated() -> tuple[BidDefences, ...]:
    return simulate_defences(4_000, seed=6)


def spans(*names: str) -> list[str]:
    return [f"{name}{end}" for name in names for end in ("", "_low", "_high")]


def test_columns_of_the_tables(result: StudyResult) -> None:
    assert tuple(result.tables) == STUDIES["defence-model"].tables
    frame = result.to_frame("by_bid")
    compared = spans("p_make_coalition", "p_make_selfish", "differ", "tricks", "points")
    assert list(frame) == ["bid", "objective", "deals", *compared]
    assert frame[["bid", "objective"]].to_numpy().tolist() == [
        [bid, objective] for bid in ("3", "4", "5", "moon") for objective in OBJECTIVES
    ]
    frame = result.to_frame("ties")
    assert list(frame) == [
        *("bid", "objective", "ties"),
        *spans("any_seat", "declarer", "tricks", "points"),
    ]
    assert frame["ties"].tolist() == [*TIES[1:]] * 8
    changes = result.to_frame("changes")
    assert list(changes)[:2] == ["bid", "objective"]
    shares = [name for name in map(str, changes) if re.fullmatch(r"share_-?\d", name)]
    assert list(changes)[2:] == spans(*shares)
    assert "share_0" in shares and shares == sorted(shares, key=lambda name: int(name[6:]))
    # Only those that were seen, and all of them: they add up to one.
    assert (changes[shares].to_numpy().max(axis=0) > 0).all()
    np.testing.assert_allclose(changes[shares].sum(axis=1), 1)
    assert result.to_frame("check")["quantity"].tolist() == [
        f"make {bid}, coalition" for bid in ("3", "4", "5", "moon")
    ]


def test_numbers_of_the_tables(result: StudyResult, simulated: tuple[BidDefences, ...]) -> None:
    by_bid = rows_of(result.to_frame("by_bid"), "bid", "objective")
    ties = rows_of(result.to_frame("ties"), "bid", "objective", "ties")
    untold = 0
    for one in simulated:
        bid = str(one.bid)
        for objective, change in one.selfish.items():
            row = by_bid[bid, objective]
            assert row["deals"] == one.n
            expected = {
                "p_make_coalition": one.made["P_coalition"],
                "p_make_selfish": one.made[f"P_selfish({objective})"],
                "differ": change.declarer,
                "tricks": change.tricks,
                "points": change.points,
            }
            for name, estimate in expected.items():
                untold += check_told([row[column] for column in spans(name)], estimate)
        for (objective, other), change in one.ties.items():
            row = ties[bid, objective, other]
            for name in ("any_seat", "declarer", "tricks", "points"):
                told = [row[column] for column in spans(name)]
                untold += check_told(told, getattr(change, name))
    assert 0 < untold < 40


def rows_of(frame: pd.DataFrame, *keys: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Rows by the values of some columns."""
    rows: list[dict[str, Any]] = [
        {str(name): value for name, value in row.items()} for row in frame.to_dict("records")
    ]
    return {tuple(row[key] for key in keys): row for row in rows}


def check_told(told: list[float], estimate: Estimate) -> bool:
    """Whether there is no interval, because all deals agree on a mean: no error can be told."""
    agree = estimate.method == "normal" and estimate.standard_error == 0
    if agree:
        assert told[0] == estimate.value and np.isnan(told[1:]).all()
    else:
        assert told == [estimate.value, estimate.low, estimate.high]
    return agree


def test_intervals_are_around_their_values(result: StudyResult) -> None:
    for name in ("by_bid", "changes", "ties"):
        frame = result.to_frame(name)
        values = [name[: -len("_low")] for name in map(str, frame) if name.endswith("_low")]
        assert values
        for value in values:
            low, high = frame[f"{value}_low"], frame[f"{value}_high"]
            known = low.notna()
            assert (known == high.notna()).all()
            assert (low[known] <= frame[value][known]).all()
            assert (frame[value][known] <= high[known]).all()
            assert known.mean() >= 0.5
    check = result.to_frame("check")
    assert ((check["low"] <= check["exact"]) & (check["exact"] <= check["high"])).all()
    assert check["exact"].tolist() == pytest.approx(exact_shares(), abs=1e-12)


def test_the_answer_says_the_numbers_of_the_table(result: StudyResult) -> None:
    row = rows_of(result.to_frame("by_bid"), "bid", "objective")["3", "points"]
    ties = rows_of(result.to_frame("ties"), "bid", "objective", "ties")
    other = ties["3", "points", "defenders reversed"]
    answer = result.answer
    assert f"lose {row['tricks']:.3f} tricks, a point each, a deal between them" in answer

    def span(row: dict[str, Any]) -> str:
        return f"{row['points']:+.3f} [{row['points_low']:+.3f}, {row['points_high']:+.3f}] points"

    assert f"the declarer gains {span(row)}." in answer
    assert f"he would gain another {span(other)} a deal" in answer
    assert answer.startswith("Against a bid of 3, ")
    assert result.text().splitlines()[0] == STUDIES["defence-model"].question


def test_the_answer_under_other_rules() -> None:
    silent = study(Parameters(deals=3_000, seed=6, rules=SILENT_DEFENDERS.replace(min_bid=6)))
    assert " tricks a deal between them" in silent.answer
    moon = study(Parameters(deals=3_000, seed=6, rules=Rules(min_bid=6)))
    assert moon.answer.startswith("Against the moon, ")
    assert set(moon.to_frame("by_bid")["bid"]) == {"moon"}


def test_bids_that_never_came_are_named() -> None:
    few = study(Parameters(deals=20, seed=6))
    present = few.to_frame("by_bid")["bid"].unique().tolist()
    missing = [bid for bid in ("3", "4", "5", "moon") if bid not in present]
    assert missing and present
    assert f"No deals to compare for: {', '.join(missing)} (too few hands worth it)." in " ".join(
        few.notes
    )
    assert few.to_frame("check")["quantity"].tolist() == [
        f"make {bid}, coalition" for bid in present
    ]


def test_too_few_deals_for_any_bid(run: Run) -> None:
    with pytest.raises(StudyError, match="is a simulation: --deals must be 2 or more"):
        study(Parameters(deals=0))
    seed = next(s for s in range(50) if simulate_defences(2, seed=s) == ())
    status, out, err = run("--deals", "2", "--seed", str(seed), "--quiet")
    assert (status, out) == (2, "")
    assert err == (
        "ghostsim: error: in 2 deals no bid was twice worth more than a pass: ask for more "
        "--deals\n"
    )
    status, out, err = run("--deals", "0")
    assert (status, out) == (2, "")
    assert "'0' deals cannot be simulated: write 2 to 1e12" in err
    for few in ("1", "-2"):
        assert run("--deals", few)[0] == 2
    with pytest.raises(StudyError, match="no bid is ever worth more than a pass"):
        study(Parameters(deals=50, rules=Rules(min_bid=6, moon_points=0)))


def test_as_csv_and_json(run: Run, result: StudyResult) -> None:
    asked = ["--deals", "4000", "--seed", "6", "--quiet"]
    for name in result.tables:
        _, out, err = run(*asked, "--format", "csv", "--table", name)
        assert err == ""
        told, frame = pd.read_csv(io.StringIO(out), dtype={"bid": str}), result.to_frame(name)
        pd.testing.assert_frame_equal(told, frame, check_dtype=False, rtol=1e-6)
    by_bid = run(*asked, "--format", "csv", "--table", "by_bid")[1]
    assert run(*asked, "--format", "csv")[1] == by_bid
    _, out, _ = run(*asked, "--format", "json")

    def refuse(constant: str) -> float:
        raise AssertionError(f"{constant} is no JSON")

    answer = json.loads(out, parse_constant=refuse)
    assert answer["answer"] == result.answer
    assert set(answer["tables"]) == set(result.tables)
    for name, rows in answer["tables"].items():
        frame = result.to_frame(name)
        assert len(rows) == len(frame)
        for row, expected in zip(rows, rows_of(frame, *frame).values(), strict=True):
            assert list(row) == list(frame)
            for column, value in row.items():
                if value is None:
                    assert np.isnan(expected[column])
                elif isinstance(value, str):
                    assert value == expected[column]
                else:
                    assert value == pytest.approx(expected[column], abs=1e-11)


def test_what_cannot_be_told_is_left_out(run: Run) -> None:
    # So few deals that in some rows all agree: a mean without an interval.
    asked = ["--deals", "40", "--seed", "6", "--quiet", "--table", "ties"]
    _, out, _ = run(*asked, "--format", "json")
    rows = json.loads(out)["tables"]["ties"]
    agree = [row for row in rows if row["points_low"] is None]
    assert agree and len(agree) < len(rows)
    for row in agree:
        assert (row["points"], row["points_high"]) == (0, None)
        assert row["declarer_low"] is not None  # of a share there is
    frame = pd.read_csv(io.StringIO(run(*asked, "--format", "csv")[1]))
    assert frame["points_low"].isna().sum() == len(agree)
    assert "nan" not in run(*asked)[1].lower()
    assert run(*asked)[1].count("[-, -]") >= len(agree)


def test_one_result_however_it_is_computed(run: Run) -> None:
    asked = ["--deals", "3000", "--seed", "2", "--format", "json", "--quiet"]
    outs = {run(*asked, "--jobs", jobs)[1] for jobs in ("1", "2", "-1")}
    assert len(outs) == 1


def test_the_published_report() -> None:
    manifest = json.loads((REPORT / "manifest.json").read_text())
    frame = pd.read_csv(REPORT / "by_bid.csv", dtype={"bid": str})
    parameters = manifest["parameters"]
    assert frame["deals"].max() < parameters["deals"]
    assert manifest["study"] == "defence-model"
    rows = rows_of(frame, "bid", "objective")
    row = rows["3", "points"]
    assert f"lose {row['tricks']:.3f} tricks" in manifest["answer"]
    assert (
        f"{row['points']:+.3f} [{row['points_low']:+.3f}, {row['points_high']:+.3f}]"
        in (manifest["answer"])
    )
    # The first deals of its seed, dealt anew: a part of them, so inside wide intervals.
    assert parameters["rules"] == STANDARD.to_dict()
    part = simulate_defences(10_000, seed=parameters["seed"], level=0.9999)
    for one in part:
        for objective, change in one.selfish.items():
            row = rows[str(one.bid), objective]
            assert one.made["P_coalition"].contains(row["p_make_coalition"])
            assert one.made[f"P_selfish({objective})"].contains(row["p_make_selfish"])
            assert change.declarer.contains(row["differ"])
            assert change.points.contains(row["points"])
            share = one.n / 10_000 - row["deals"] / parameters["deals"]
            assert abs(share) < 0.02
