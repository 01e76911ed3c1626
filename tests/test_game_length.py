"""How long games are: told again game by game, and by rows whose numbers are worked out by hand."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from ghostsim.rules import STANDARD, Rules
from ghostsim.simulate import game_length
from ghostsim.simulate.game_length import quantile, simulate_game_lengths
from ghostsim.simulate.games import GameResults, play_games
from ghostsim.simulate.runner import SimulationError
from ghostsim.strategies import Steady
from ghostsim.study import game_length as study_module
from ghostsim.study.cli import main
from ghostsim.study.output import all_files
from ghostsim.study.registry import STUDIES, StudyError
from ghostsim.study.result import Parameters, StudyResult

MIXED = ("steady", "novice", "steady:four=7")


class Silent:
    """Announces nothing."""

    def say(self, message: str) -> None:
        assert message

    def watcher(self) -> None:
        return None


def study(games: int, strategies: Sequence[str] = MIXED, **more: Any) -> StudyResult:
    one, two, three = strategies
    asked = Parameters(games=games, strategies=(one, two, three), model="table", **more)
    return STUDIES["game-length"].run(asked, Silent())


def facts_of(result: StudyResult) -> pd.DataFrame:
    return result.to_frame("facts").set_index("name")


def mean_and_half(values: Sequence[float]) -> tuple[float, float]:
    """A mean, and half of its 95% interval."""
    return float(np.mean(values)), 1.959963984540054 * float(scipy.stats.sem(values))


def check(row: Any, name: str, value: float, half: float) -> None:
    assert row[name] == pytest.approx(value)
    if half == 0:  # all games agree, and tell no error
        assert np.isnan(row[f"{name}_low"]) and np.isnan(row[f"{name}_high"])
        return
    assert row[f"{name}_low"] == pytest.approx(value - half, abs=1e-12)
    assert row[f"{name}_high"] == pytest.approx(value + half, abs=1e-12)


# -------------------------------------------------------------------------------- game by game


@pytest.mark.parametrize("rules", [STANDARD, Rules(moon_points=40, target=10)])
def test_tables_are_those_of_the_games_one_by_one(rules: Rules) -> None:
    n = 300
    result = study(n, seed=5, rules=rules)
    games = play_games(MIXED, n, seed=5, rules=rules).to_frame().to_dict("records")
    assert all(game["winner"] >= 0 for game in games)
    facts = facts_of(result)
    moons = [sum(game[f"moons_{seat}"] for seat in range(3)) for game in games]
    with_moon = [game["deals"] for game, made in zip(games, moons, strict=True) if made]
    without = [game["deals"] for game, made in zip(games, moons, strict=True) if not made]
    scores = [sorted((game[f"scores_{seat}"] for seat in range(3)), reverse=True) for game in games]
    for name, values in {
        "deals": [game["deals"] for game in games],
        "redeals": [game["redeals"] for game in games],
        "moons_bid": [
            made + sum(game[f"moons_set_{seat}"] for seat in range(3))
            for game, made in zip(games, moons, strict=True)
        ],
        "deals_with_moon": with_moon,
        "deals_without": without,
        "winner": [first for first, _, _ in scores],
        "second": [second for _, second, _ in scores],
        "third": [third for _, _, third in scores],
    }.items():
        check(facts.loc[name], "value", *mean_and_half(values))
        assert facts["games"][name] == len(values)
    by_moon = sum(
        game["last_bid"] == 6 and game["last_made"] == 1 and game["winner"] == game["last_declarer"]
        for game in games
    )
    assert by_moon > 0
    for name, count in {
        "by_moon": by_moon,
        "moon_made": len(with_moon),
        "winner_moon": sum(game[f"moons_{game['winner']}"] > 0 for game in games),
    }.items():
        interval = scipy.stats.binomtest(count, n).proportion_ci(0.95, method="wilson")
        row = facts.loc[name]
        assert row["value"] == pytest.approx(100 * count / n)
        assert [row["value_low"], row["value_high"]] == pytest.approx(
            [100 * interval.low, 100 * interval.high]
        )
    deals = sum(game["deals"] for game in games)
    redealt = 100 * sum(game["redeals"] for game in games) / deals
    assert facts["value"]["redealt"] == pytest.approx(redealt)
    seats = result.to_frame("seats")
    for seat in range(3):
        row = seats.loc[seat]
        assert row["strategy"] == MIXED[seat]
        assert row["won"] == sum(game["winner"] == seat for game in games) / n
        check(row, "score", *mean_and_half([game[f"scores_{seat}"] for game in games]))
        check(row, "moons", *mean_and_half([game[f"moons_{seat}"] for game in games]))
    assert seats["won"].sum() == pytest.approx(1)
    told = result.to_frame("distribution")
    lengths = [game["deals"] for game in games]
    assert told["deals"].tolist() == list(range(min(lengths), max(lengths) + 1))
    for one in told.to_dict("records"):
        assert one["share"] == lengths.count(one["deals"]) / n
        assert one["over"] == pytest.approx(sum(x <= one["deals"] for x in lengths) / n)
    for one in result.to_frame("quantiles").to_dict("records"):
        assert one["deals"] == sorted(lengths)[math.ceil(round(one["part"] * n, 9)) - 1]
        assert one["deals"] >= one["deals_low"] or np.isnan(one["deals_low"])
    assert len(result.to_frame("by_strategy")) == 1  # the seats differ: nobody to compare with


def test_other_line_ups_play_the_same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_module, "OTHERS", ("novice", "steady"))
    result = study(200, ("steady",) * 3, seed=2)
    table = result.to_frame("by_strategy").set_index("strategies")
    assert list(table.index) == ["steady", "novice"]
    steady = play_games(["steady"] * 3, 200, seed=2).deals.astype(float)
    novice = play_games(["novice"] * 3, 200, seed=2).deals.astype(float)
    check(table.loc["steady"], "deals", *mean_and_half(steady.tolist()))
    check(table.loc["novice"], "longer", *mean_and_half((novice - steady).tolist()))
    assert np.isnan(table["longer"]["steady"])
    assert "same cards" in " ".join(result.notes)
    # A name with parameters is another strategy; one in full is the same.
    monkeypatch.setattr(study_module, "OTHERS", ("steady",))
    assert len(study(4, ("steady:four=7",) * 3).to_frame("by_strategy")) == 2
    in_full = f"steady:four={Steady().four}"
    assert len(study(4, (in_full,) * 3).to_frame("by_strategy")) == 1


# ------------------------------------------------------------------------------ games by hand


def hand_made(count: int = 4) -> GameResults:
    """Four games: won by a moon; by a bid after a moon of another; plainly; and one given up."""
    rows = {
        "winner": [0, 1, 2, -1],
        "scores": [[35, 10, 7], [20, 33, -2], [30, 12, 34], [31, 31, 0]],
        "deals": [3, 9, 12, 1000],
        "redeals": [0, 1, 2, 900],
        "ties": [0, 0, 0, 0],
        "behind": [0, 0, 0, 0],
        "moons": [[1, 0, 0], [1, 0, 0], [0, 0, 0], [1, 1, 1]],
        "moons_set": [[0, 0, 0], [1, 0, 1], [0, 0, 0], [0, 0, 5]],
        "last_declarer": [0, 1, 0, 0],
        "last_bid": [6, 3, 6, 0],
        "last_made": [1, 1, 0, 0],
    }
    columns = {name: np.array(values, dtype=np.int32)[:count] for name, values in rows.items()}
    return GameResults(
        strategies=("steady", "novice", "steady:four=7"), rules=STANDARD, seed=0, start=0, **columns
    )


def test_games_worked_out_on_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_length, "play_games", lambda seats, count, **more: hand_made(count))
    (found,) = simulate_game_lengths([MIXED], 4)
    assert (found.games, found.decided) == (4, 3)
    assert found.model == "table(steady, novice, steady:four=7)"
    assert found.deals is not None and found.deals.value == 8  # (3 + 9 + 12) / 3
    assert found.deals.standard_error == pytest.approx(math.sqrt((25 + 1 + 16) / 2 / 3))
    assert found.redeals is not None and found.redeals.value == 1
    assert found.redealt is not None and found.redealt.value == 3 / 24
    assert found.by_moon is not None and (found.by_moon.value, found.by_moon.n) == (1 / 3, 3)
    assert found.moon_made is not None and found.moon_made.value == 2 / 3
    assert found.winner_moon is not None and found.winner_moon.value == 1 / 3
    assert found.moons_bid is not None and found.moons_bid.value == 4 / 3
    assert found.moons_made is not None and found.moons_made.value == 2 / 4
    assert found.deals_with_moon is not None and found.deals_with_moon.value == 6
    assert found.deals_without is None  # one game only
    assert [place.value for place in found.places if place] == [34, 20, 17 / 3]  # of 102, 60, 17
    assert [seat.won.value for seat in found.seats if seat.won] == [1 / 3] * 3
    assert [seat.score.value for seat in found.seats if seat.score] == [85 / 3, 55 / 3, 13]
    assert {deals: share.value for deals, share in found.shares.items() if share.value} == {
        3: 1 / 3,
        9: 1 / 3,
        12: 1 / 3,
    }
    assert found.over[11].value == 2 / 3
    # Of the three that were decided, like the mean.
    deals = {one.part: one.deals for one in found.quantiles}
    assert (deals[0.01], deals[0.5], deals[0.75], deals[0.9]) == (3, 9, 12, 12)
    result = study(4)
    assert "A game to 32 that is decided takes 8.00 [" in result.answer
    assert "(half of them at most 9, nine in ten at most 12)" in result.answer
    assert ", but 1 of 4 games were given up after 1,000 deals." in result.answer
    note = "1 of 4 of steady / novice / steady:four=7. They are the longest"
    assert note in " ".join(result.notes)


def test_no_count_is_below_nothing_in_print() -> None:
    from ghostsim.study.game_length import _digits

    assert [_digits(value) for value in (-0.0002, 0.0, 0.5, -0.25, 12)] == [
        *("0.000", "0.00", "0.500", "-0.250", "12.00")
    ]


# ---------------------------------------------------------------------------------- quantiles


@given(
    lengths=st.lists(st.integers(1, 30), min_size=1, max_size=200),
    given_up=st.integers(0, 50),
    part=st.sampled_from(game_length.PARTS),
)
def test_a_quantile_is_a_game_in_the_order_of_length(
    lengths: list[int], given_up: int, part: float
) -> None:
    games = len(lengths) + given_up
    found = quantile(np.bincount(lengths, minlength=41).tolist(), games, part, 0.95)
    in_order = [*sorted(lengths), *[math.inf] * given_up]
    # The least length after which the part is over.
    expected = next(
        (one for one in in_order if sum(x <= one for x in in_order) >= part * games - 1e-9),
        math.inf,
    )
    assert (math.inf if found.deals is None else found.deals) == expected
    if found.low is not None and found.high is not None:
        assert found.low <= expected <= found.high
        # The chance that the true quantile lies between the two games, whatever it is.
        first = in_order.index(found.low) + 1
        last = games - in_order[::-1].index(found.high)
        binomial = scipy.stats.binom(games, part)
        assert binomial.cdf(last - 1) - binomial.cdf(first - 1) > 0.93


def test_quantiles_of_games_that_never_end() -> None:
    found = quantile([0] * 11, 20, 0.5, 0.95)
    assert (found.deals, found.low, found.high) == (None, None, None)


# ------------------------------------------------------------------- jobs, rules, small samples


def test_one_result_however_it_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_module, "OTHERS", ("novice",))
    files = [all_files(study(120, ("steady",) * 3, seed=7, n_jobs=jobs), "same") for jobs in (1, 2)]
    monkeypatch.setattr(game_length, "GAMES_PER_BLOCK", 37)
    files.append(all_files(study(120, ("steady",) * 3, seed=7, n_jobs=2), "same"))
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
@pytest.mark.parametrize("games", [2, 30])
def test_strange_rules_and_two_games(changes: dict[str, Any], games: int) -> None:
    result = study(games, rules=Rules(**changes))
    text = result.text()
    assert "nan" not in text.lower()
    assert games > 2 or all_files(result, "it draws")
    assert set(result.tables) == set(STUDIES["game-length"].tables)
    assert f"Rules: {Rules(**changes)}." in result.notes
    if changes.get("moon_points") == 0 and "min_bid" in changes:
        assert result.answer.startswith("It has no end that can be told: none of ")
        assert result.to_frame("distribution").empty
    else:
        assert result.answer.startswith(f"A game to {changes.get('target', 32)} takes ")
    if "min_bid" in changes and "moon_points" not in changes:
        assert result.to_frame("facts").set_index("name")["value"]["redealt"] > 50


def test_what_is_refused() -> None:
    with pytest.raises(SimulationError, match="two games or more, not 1"):
        simulate_game_lengths([MIXED], 1)
    with pytest.raises(StudyError, match="game-length needs strategies"):
        STUDIES["game-length"].run(Parameters(games=4, model="table"), Silent())
    with pytest.raises(StudyError, match="has no model 'solo'"):
        STUDIES["game-length"].run(Parameters(games=4), Silent())


def test_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["game-length", "--games", "50", "--seed", "3", "--quiet", "--strategies", *MIXED]
    assert main(asked) == 0
    text = capsys.readouterr().out
    assert text.startswith("How long is a game?\nA game to 32 takes ")
    assert "steady in seat 0, novice in seat 1, steady:four=7 in seat 2" in " ".join(text.split())
    assert main([*asked, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["parameters"]["games"] == 50 and told["parameters"]["strategies"] == list(MIXED)


def test_results_travel() -> None:
    result = study(20)
    assert pickle.loads(pickle.dumps(result)) == result
    assert max(map(len, result.text().splitlines())) <= 120
