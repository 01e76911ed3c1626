"""What a seat is worth: rotations told again one by one, and rows worked out by hand."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import scipy.stats

from ghostsim.rules import DEALER_FIRST, STANDARD, STUCK_DEALER, Rules
from ghostsim.simulate import seat as module
from ghostsim.simulate.games import (
    COMPILED_PER_REFEREE,
    DealResults,
    GameResults,
    play_deals,
    play_games,
)
from ghostsim.simulate.runner import Runner, Simulated, Simulation, SimulationError
from ghostsim.simulate.seat import simulate_seats
from ghostsim.stats import Estimate
from ghostsim.strategies import Steady
from ghostsim.study.cli import main
from ghostsim.study.output import all_files
from ghostsim.study.registry import STUDIES
from ghostsim.study.result import Parameters, StudyResult

MIXED = ("steady", "novice", "steady:four=7")
PLACES = ["left of dealer", "right of dealer", "dealer"]
Z = 1.959963984540054


class Silent:
    """Announces nothing."""

    def say(self, message: str) -> None:
        assert message

    def watcher(self) -> None:
        return None


def study(deals: int, strategies: Sequence[str] = MIXED, **more: Any) -> StudyResult:
    one, two, three = strategies
    asked = Parameters(deals=deals, strategies=(one, two, three), model="table", **more)
    return STUDIES["seat"].run(asked, Silent())


def check_mean(row: Any, name: str, values: Any) -> None:
    value, error = float(np.mean(values)), float(scipy.stats.sem(values))
    assert row[name] == pytest.approx(value, abs=1e-12)
    assert row[f"{name}_low"] == pytest.approx(value - Z * error, abs=1e-9)
    assert row[f"{name}_high"] == pytest.approx(value + Z * error, abs=1e-9)


def place_of(seat: int, dealer: int) -> str:
    """By walking around the table from the dealer's left."""
    return PLACES[[(dealer + 1) % 3, (dealer + 2) % 3, dealer].index(seat)]


# ---------------------------------------------------------------------------- deal by deal


@pytest.mark.parametrize("rules", [STANDARD, DEALER_FIRST, STUCK_DEALER])
def test_tables_are_those_of_the_rotations_one_by_one(rules: Rules) -> None:
    n, seed = 400, 4
    result = study(n, seed=seed, rules=rules)
    points: dict[str, list[float]] = {place: [0.0] * n for place in PLACES}
    did = {place: dict.fromkeys(("swaps", "bids", "declares", "set"), 0) for place in PLACES}
    declared_points = dict.fromkeys(PLACES, 0)
    for dealer in range(3):
        for row in (
            play_deals(MIXED, n, seed=seed, rules=rules, dealer=dealer)
            .to_frame()
            .to_dict("records")
        ):
            first = dealer if rules == DEALER_FIRST else (dealer + 1) % 3
            for seat in range(3):
                place = place_of(seat, dealer)
                points[place][row["deal"]] += row[f"points_{seat}"] / 3
                counts = did[place]
                counts["swaps"] += row["swapper"] == seat
                turn = [(first + turn) % 3 for turn in range(3)].index(seat)
                counts["bids"] += row[f"bids_{turn}"] > 0
                if row["declarer"] == seat:
                    counts["declares"] += 1
                    counts["set"] += row[f"tricks_{seat}"] < row["bid"]
                    declared_points[place] += row[f"points_{seat}"]
    table = result.to_frame("positions").set_index("position")
    in_turn = PLACES[2:] + PLACES[:2] if rules == DEALER_FIRST else PLACES
    assert table.index.tolist() == in_turn and table["turn"].tolist() == [1, 2, 3]
    actions = result.to_frame("actions").set_index("position")
    assert actions.index.tolist() == in_turn
    for place in PLACES:
        told = {**table.loc[place].to_dict(), **actions.loc[place].to_dict()}
        counts = did[place]
        check_mean(told, "points", points[place])
        for name in ("swaps", "bids", "declares"):
            assert told[name] == pytest.approx(counts[name] / (3 * n))
            assert told[f"{name}_low"] < told[name] < told[f"{name}_high"]
        assert told["set"] == pytest.approx(counts["set"] / counts["declares"])
        declared = counts["declares"]
        assert told["declarer_points"] == pytest.approx(declared_points[place] / declared)
        others = 3 * sum(points[place]) - declared_points[place]
        assert told["other_points"] == pytest.approx(others / (3 * n - declared))
    differences = result.to_frame("differences").set_index(["position", "less"])
    assert len(differences) == 6
    for place in PLACES:
        both = np.mean([points[other] for other in PLACES if other != place], axis=0)
        apart = np.array(points[place]) - both
        check_mean(differences.loc[(place, "mean of the two others")], "points", apart)
    for one, other in (PLACES[:2], PLACES[::2], PLACES[1:]):
        apart = np.array(points[one]) - np.array(points[other])
        check_mean(differences.loc[(one, other)], "points", apart)


def test_equity_is_that_of_the_games_one_by_one() -> None:
    n, seed = 600, 9
    result = study(n, seed=seed)
    games = n // 5
    won = np.zeros((games, 3))  # by who deals first, second, third
    for first in range(3):
        for game, winner in enumerate(
            play_games(MIXED, games, seed=seed, first_dealer=first).winner
        ):
            in_order = [first, (first + 1) % 3, (first + 2) % 3]
            won[game, in_order.index(winner)] += 1
    table = result.to_frame("equity")
    assert table["deals"].tolist() == ["first deal", "second deal", "third deal"]
    table = table.set_axis(["first", "second", "third"])
    assert table["won"].tolist() == pytest.approx((won.mean(axis=0) / 3).tolist())
    check_mean(table.loc["first"], "than_next", (won[:, 0] - won[:, 1]) / 3)
    check_mean(table.loc["first"], "than_third", (won[:, 0] - won[:, 2]) / 3)
    check_mean(table.loc["second"], "than_next", (won[:, 1] - won[:, 2]) / 3)
    assert np.isnan(table["than_next"]["third"])
    # Wilson's interval for as many games as would have the error of the paired ones.
    p, error = won[:, 0].mean() / 3, float(scipy.stats.sem(won[:, 0] / 3))
    alike = p * (1 - p) / error**2
    centre = (p + Z * Z / (2 * alike)) / (1 + Z * Z / alike)
    reach = Z / (1 + Z * Z / alike) * math.sqrt(p * (1 - p) / alike + Z * Z / (4 * alike**2))
    assert table["won_low"]["first"] == pytest.approx(centre - reach)
    assert table["won_high"]["first"] == pytest.approx(centre + reach)
    assert f"{games} games, each begun by all three seats" in " ".join(
        result.tables["equity"].title.split()
    )


# ------------------------------------------------------------------------------ rows by hand


def hand_made_deals(seats: Any, count: int, *, dealer: int = 0, **_: Any) -> DealResults:
    """Two deals: in the first seat 0 makes 4 of a bid of 3 whoever deals; in the second all pass,
    but if seat 2 deals, seat 1 swaps, bids 5 and is set."""
    rows: list[dict[str, Any]] = [
        {
            "swapper": -1,
            "bids": [3 if (dealer + 1 + turn) % 3 == 0 else 0 for turn in range(3)],
            "declarer": 0,
            "bid": 3,
            "tricks": [4, 1, 1],
            "points": [4, 1, 1],
        },
        {
            "swapper": -1,
            "bids": [0, 0, 0],
            "declarer": -1,
            "bid": 0,
            "tricks": [0, 0, 0],
            "points": [0, 0, 0],
        },
    ]
    if dealer == 2:  # seat 0 bids first, seat 1 second
        rows[1] = {
            "swapper": 1,
            "bids": [0, 5, 0],
            "declarer": 1,
            "bid": 5,
            "tricks": [2, 4, 0],
            "points": [2, -5, 0],
        }
    columns: dict[str, Any] = {
        name: np.array([row[name] for row in rows], dtype=np.int8)[:count] for name in rows[0]
    }
    empty = np.zeros(count, dtype=np.int32)
    return DealResults(
        strategies=("a", "a", "a"),
        rules=STANDARD,
        seed=0,
        start=0,
        dealer=np.full(count, dealer, dtype=np.int8),
        trump=np.zeros(count, dtype=np.int8),
        cards=np.zeros((count, 18), dtype=np.int8),
        revokes=empty,
        found=empty,
        **columns,
    )


def hand_made_games(seats: Any, count: int, *, first_dealer: int = 0, **_: Any) -> GameResults:
    """Two games: seat 1 wins the first whoever deals; the second is won by the first dealer, but
    not decided if that is seat 2."""
    winners = [1, -1 if first_dealer == 2 else first_dealer]
    none = np.zeros(count, dtype=np.int32)
    three = np.zeros((count, 3), dtype=np.int32)
    return GameResults(
        strategies=("a", "a", "a"),
        rules=STANDARD,
        seed=0,
        start=0,
        winner=np.array(winners, dtype=np.int32)[:count],
        scores=three,
        deals=none,
        redeals=none,
        ties=none,
        behind=none,
        moons=three,
        moons_set=three,
        last_declarer=none,
        last_bid=none,
        last_made=none,
    )


def value(estimate: Estimate | None) -> float:
    assert estimate is not None
    return estimate.value


def test_rotations_worked_out_on_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "play_deals", hand_made_deals)
    monkeypatch.setattr(module, "play_games", hand_made_games)
    found = simulate_seats(["steady"] * 3, 2, 2)
    left, right, dealer = found.positions
    # Deal 1: seat 0 sits in each position once, so each has 4 + 1 + 1 = 6 points of three plays.
    # Deal 2: dealt by seat 2, seat 0 is on its left and has 2, seat 1 on its right and has -5.
    assert value(left.points) == pytest.approx((6 / 3 + 2 / 3) / 2)
    assert value(right.points) == pytest.approx((6 / 3 - 5 / 3) / 2)
    assert value(dealer.points) == pytest.approx((6 / 3 + 0) / 2)
    # Left less right: 0 in deal 1, 7/3 in deal 2; so mean 7/6 and standard error 7/6.
    apart = found.differences["left of dealer", "right of dealer"]
    assert apart.value == pytest.approx(7 / 6) and apart.standard_error == pytest.approx(7 / 6)
    # Dealer less the mean of 2/3 and -5/3, which is -1/2: 1/2 in deal 2, 0 in deal 1.
    worth = found.against_others["dealer"]
    assert worth.value == pytest.approx(1 / 4) and worth.standard_error == pytest.approx(1 / 4)
    assert sum(one.value for one in found.against_others.values()) == pytest.approx(0)
    assert [value(one.declares) for one in found.positions] == [1 / 6, 2 / 6, 1 / 6]
    assert [value(one.bids) for one in found.positions] == [1 / 6, 2 / 6, 1 / 6]
    assert [value(one.swaps) for one in found.positions] == [0, 1 / 6, 0]
    assert [value(one.set) for one in found.positions] == [0, 1 / 2, 0]
    assert [value(one.declarer_points) for one in found.positions] == [4, -1 / 2, 4]
    assert value(left.other_points) == (1 + 1 + 2 + 0 + 0) / 5
    # Game 1: its winner, seat 1, deals second, first and third if seats 0, 1, 2 begin.
    # Game 2: two plays, both won by who deals first.
    assert (found.games, found.decided) == (2, 5)
    assert [value(one) for one in found.equity] == [3 / 5, 1 / 5, 1 / 5]
    assert value(found.equity_differences[0, 1]) == 2 / 5
    assert value(found.equity_differences[1, 2]) == 0
    answer = study(2)
    assert "who deals the first deal of a game wins 60.0% [" in answer.answer
    assert "1 of 6 plays of games were not decided" in " ".join(answer.notes)


# ------------------------------------------------------------------- jobs, rules, small samples


def test_one_result_however_it_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [all_files(study(500, seed=7, n_jobs=jobs), "same") for jobs in (1, 2)]
    monkeypatch.setattr(module, "CHUNK_DEALS", 77)
    monkeypatch.setattr(module, "GAMES_PER_BLOCK", 13)
    files.append(all_files(study(500, seed=7, n_jobs=2), "same"))
    assert files[0] == files[1] == files[2]


@pytest.mark.parametrize(
    "changes",
    [
        {"moon_points": 0},
        {"target": 1},
        {"min_bid": 6},
        {"defenders_score": False, "swaps_per_deal": 0},
        {"all_pass": "dealer_bids", "first_bidder": "dealer"},
        {"min_bid": 6, "moon_points": 0, "defenders_score": False},
    ],
)
@pytest.mark.parametrize("deals", [2, 60])
def test_strange_rules_and_two_deals(changes: dict[str, Any], deals: int) -> None:
    result = study(deals, rules=Rules(**changes))
    assert "nan" not in result.text().lower()
    assert deals > 2 or all_files(result, "it draws")
    assert set(result.tables) == set(STUDIES["seat"].tables)
    assert ("none of" in result.answer) == (len(changes) == 3)
    if changes.get("first_bidder") == "dealer":
        assert "who bids first, the dealer, makes" in result.answer
        assert "and the dealer" not in result.answer
    if changes.get("swaps_per_deal") == 0:
        assert result.to_frame("actions")["swaps"].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("first", "verdict"),
    [
        ((5, 4, 6), "No, first seat is better: "),
        ((1, 0, 2), "Yes, first seat is worse: "),
        ((2, 6, 1), "It cannot be told whether first seat is worse: "),
    ],
)
def test_the_answer_says_what_can_be_told(
    monkeypatch: pytest.MonkeyPatch, first: tuple[int, int, int], verdict: str
) -> None:
    def deals(seats: Any, count: int, *, dealer: int = 0, **_: Any) -> DealResults:
        """Three deals: so many points for who bids first, 3 for the others."""
        made = play_deals(seats, count)
        points = np.full((count, 3), 3, dtype=np.int32)
        points[:, (dealer + 1) % 3] = first[:count]
        return dataclasses.replace(made, points=points)

    monkeypatch.setattr(module, "play_deals", deals)
    assert study(3, ("steady",) * 3).answer.startswith(verdict)


def test_too_few() -> None:
    with pytest.raises(SimulationError, match="two deals or more, not 1"):
        simulate_seats(MIXED, 1, 2)
    with pytest.raises(SimulationError, match="two games or more, not 0"):
        simulate_seats(MIXED, 2, 0)


def test_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["seat", "--deals", "60", "--seed", "3", "--quiet", "--strategies", *MIXED]
    assert main(asked) == 0
    text = capsys.readouterr().out
    assert text.startswith("Is first seat worse, and what is the deal worth?\n")
    assert "means over the three strategies" in " ".join(text.split())
    assert main([*asked, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["parameters"]["deals"] == 60
    assert len(told["tables"]["differences"]) == 6


def test_results_travel() -> None:
    result = study(20)
    assert pickle.loads(pickle.dumps(result)) == result
    assert max(map(len, result.text().splitlines())) <= 110


@dataclasses.dataclass(frozen=True)
class AsSteady(Steady):
    """The same as ``Steady``, but no compiled form is known of it."""


def test_a_strategy_in_python_plays_small_blocks_elsewhere() -> None:
    # The referee takes a thousand times as long, and holds the lock that threads would wait for.
    asked: list[Simulation] = []

    class Told(Runner):
        def run(self, simulation: Simulation, amount: int, **how: Any) -> Simulated:
            asked.append(simulation)
            return super().run(simulation, amount, **how)

    compiled = simulate_seats([Steady()] * 3, 4, 2, seed=1, runner=Told())
    assert [one.prefer for one in asked] == ["threads", "threads"]
    big = [one.per_block for one in asked]
    asked.clear()
    python = simulate_seats([AsSteady()] * 3, 4, 2, seed=1, runner=Told(n_jobs=2))
    assert [one.prefer for one in asked] == ["processes", "processes"]
    assert [one.per_block for one in asked] == [n // COMPILED_PER_REFEREE for n in big] == [25, 5]
    assert python.decided == compiled.decided
    assert [one.points.value for one in python.positions] == [
        one.points.value for one in compiled.positions
    ]
