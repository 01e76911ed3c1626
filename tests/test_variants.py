"""Variants of the rules: which there are, their numbers row by row, and what the study tells."""

from __future__ import annotations

import functools
import math
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ghostsim.rules import HALF_MOON, STANDARD, VARIANTS, Rules
from ghostsim.simulate import variants
from ghostsim.simulate.games import DealResults, GameResults, play_deals, play_games
from ghostsim.simulate.runner import Runner, SimulationError
from ghostsim.simulate.variants import (
    OTHER_VALUES,
    Variant,
    VariantResult,
    rule_variants,
    simulate_variants,
)
from ghostsim.stats import Estimate
from ghostsim.study import variants as variants_study
from ghostsim.study.cli import main
from ghostsim.study.registry import STUDIES
from ghostsim.study.result import Parameters, StudyResult

Run = Callable[..., tuple[int, str, str]]
SEATS = ("steady", "steady:moon=7", "novice")
GAMES, SEED = 50, 5


def test_every_rule_has_another_value() -> None:
    assert set(OTHER_VALUES) | {"revoke_penalty"} == set(Rules().to_dict())
    first, *others = rule_variants()
    assert (first.change, first.name, first.rules) == ("standard rules", "standard", STANDARD)
    changed = []
    for variant in others:
        ((field, value),) = variant.rules.changes().items()
        assert variant.change == f"{field}={value}" == str(variant.rules)
        changed.append(field)
    assert set(changed) == set(OTHER_VALUES)
    assert len({variant.rules for variant in rule_variants()}) == len(rule_variants())


@pytest.mark.parametrize("base", [STANDARD, HALF_MOON, Rules(target=50, min_bid=4)], ids=str)
def test_named_variants_are_among_them(base: Rules) -> None:
    found = rule_variants(base)
    assert found[0].rules == base
    by_rules = {variant.rules: variant for variant in found}
    assert len(by_rules) == len(found)
    for name, rules in VARIANTS.items():
        assert by_rules[rules].name == name
    # Every field alone, also back to the standard.
    alone = [rules for rules in by_rules if sum(_differ(base, rules)) == 1]
    fields = {field for rules in alone for field in _fields(base, rules)}
    assert fields == set(OTHER_VALUES)
    back = {
        field
        for rules in alone
        for field in _fields(base, rules)
        if getattr(rules, field) == getattr(STANDARD, field)
    }
    assert back == set(base.changes())


def _fields(one: Rules, other: Rules) -> list[str]:
    return [field for field in one.to_dict() if getattr(one, field) != getattr(other, field)]


def _differ(one: Rules, other: Rules) -> list[bool]:
    return [getattr(one, field) != getattr(other, field) for field in one.to_dict()]


# ------------------------------------------------------------------------------ row by row, plainly


@pytest.fixture(scope="module")
def found() -> tuple[VariantResult, ...]:
    return simulate_variants(GAMES, SEATS, seed=SEED)


@functools.cache
def rows(rules: Rules) -> tuple[list[dict[str, int]], list[dict[str, int]]]:
    """Games and deals, one a row, worked out one at a time."""
    games = play_games(SEATS, GAMES, seed=SEED, rules=rules)
    deals = play_deals(SEATS, 10 * GAMES, seed=SEED, rules=rules)
    return plain_games(games), plain_deals(deals)


def plain_games(games: GameResults) -> list[dict[str, int]]:
    return [
        {
            "finished": int(row["winner"] >= 0),
            "deals": row["deals"],
            "decided": int(
                row["winner"] >= 0
                and row["last_bid"] == 6
                and row["last_made"]
                and row["last_declarer"] == row["winner"]
            ),
            "first_dealer": int(row["winner"] == 0),
        }
        for row in games.to_frame().to_dict("records")
    ]


def plain_deals(deals: DealResults) -> list[dict[str, int]]:
    told = []
    for row in deals.to_frame().to_dict("records"):
        seat = row["declarer"]
        points = [row[f"points_{i}"] for i in range(3)]
        declared = seat >= 0
        own = points[seat] if declared else 0
        told.append(
            {
                "declared": int(declared),
                "swapped": int(row["swapper"] >= 0),
                "is_set": int(declared and row[f"tricks_{seat}"] < row["bid"]),
                "moon": int(row["bid"] == 6),
                "declarer": own,
                "defenders": sum(points) - own,
            }
        )
    return told


def check_mean(estimate: Estimate | None, values: list[int]) -> None:
    n = len(values)
    assert estimate is not None and estimate.n == n
    mean = Fraction(sum(values), n)
    assert estimate.value == pytest.approx(float(mean), abs=1e-12)
    error = math.sqrt(sum((value - mean) ** 2 for value in values) / (n - 1) / n)
    assert estimate.standard_error == pytest.approx(error, abs=1e-12)


def check_share(estimate: Estimate | None, values: list[int]) -> None:
    assert estimate is not None
    assert (estimate.value, estimate.n) == (sum(values) / len(values), len(values))


def test_all_told_again(found: tuple[VariantResult, ...]) -> None:
    assert [one.variant for one in found] == list(rule_variants())
    first_games, first_deals = rows(STANDARD)
    for one in found:
        games, deals = rows(one.variant.rules)
        assert one.games.unfinished == 0
        check_mean(one.games.deals, [row["deals"] for row in games])
        check_share(one.games.decided, [row["decided"] for row in games])
        check_share(one.games.first_dealer, [row["first_dealer"] for row in games])
        check_share(one.deals.redealt, [1 - row["declared"] for row in deals])
        check_share(one.deals.swapped, [row["swapped"] for row in deals])
        check_share(one.deals.moon, [row["moon"] for row in deals])
        check_share(one.deals.is_set, [row["is_set"] for row in deals if row["declared"]])
        check_mean(one.deals.declarer, [row["declarer"] for row in deals])
        check_mean(one.deals.defenders, [row["defenders"] for row in deals])
        more: dict[str, list[int]] = {
            name: [new[name] - old[name] for new, old in zip(these, those, strict=True)]
            for these, those, names in (
                (games, first_games, ("deals", "decided", "first_dealer")),
                (deals, first_deals, ("declarer", "defenders")),
            )
            for name in names
        }
        told = (
            one.games.more_deals,
            one.games.more_decided,
            one.games.more_first_dealer,
            one.deals.more_declarer,
            one.deals.more_defenders,
        )
        if one is found[0]:
            assert told == (None,) * 5
            continue
        for estimate, name in zip(told, more, strict=True):
            check_mean(estimate, more[name])


def test_what_must_be_so(found: tuple[VariantResult, ...]) -> None:
    by_change = {one.variant.change: one for one in found}
    base = found[0]
    for target in ("target=16", "target=50", "target=64"):
        one = by_change[target]
        assert one.deals.declarer == base.deals.declarer
        assert one.deals.more_declarer is not None and one.deals.more_declarer.value == 0
        assert one.games.deals is not None and base.games.deals is not None
        assert (one.games.deals.value > base.games.deals.value) == (target != "target=16")
    assert by_change["swaps_per_deal=0"].deals.swapped.value == 0  # type: ignore[union-attr]
    assert by_change["all_pass=dealer_bids"].deals.redealt.value == 0  # type: ignore[union-attr]
    silent = by_change["defenders_score=False"].deals
    assert silent.defenders is not None and silent.defenders.value == 0
    assert silent.declarer == base.deals.declarer
    # Novices and steady players do not adapt: a moon less is 12 points less.
    half = by_change["moon_points=12"].deals
    assert half.moon == base.deals.moon and half.is_set == base.deals.is_set


def test_unfinished_games_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variants, "MAX_DEALS", 8)
    pair = (Variant("base", "", STANDARD), Variant("far", "", Rules(target=500)))
    near, far = simulate_variants(40, SEATS, variants=pair, seed=3)
    games = play_games(SEATS, 40, seed=3, max_deals=8)
    finished = games.winner >= 0
    assert 0 < finished.sum() < 40
    assert near.games.unfinished == 40 - finished.sum()
    assert near.games.deals is not None
    assert near.games.deals.value == pytest.approx(games.deals[finished].mean())
    assert far.games == variants.VariantGames(40, None, None, None, None, None, None, 40)


def test_no_number_depends_on_blocks_and_jobs(found: tuple[VariantResult, ...]) -> None:
    runner = Runner(n_jobs=2, block_size=23)
    assert simulate_variants(GAMES, SEATS, seed=SEED, runner=runner) == found
    assert simulate_variants(GAMES, SEATS, seed=SEED + 1) != found
    with pytest.raises(SimulationError, match="two games or more"):
        simulate_variants(1)


# --------------------------------------------------------------------------------------- the study


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(["variants", "--quiet", *arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


class Silent:
    def say(self, message: str) -> None:
        assert message

    def watcher(self) -> None:
        return None


def study(games: int, seats: tuple[str, str, str] = ("steady",) * 3, **how: Any) -> StudyResult:
    parameters = Parameters(games=games, model="table", strategies=seats, **how)
    return STUDIES["variants"].run(parameters, Silent())


def test_tables_and_answer() -> None:
    result = study(1_000, seed=1)
    assert tuple(result.tables) == STUDIES["variants"].tables
    text = result.text()
    assert "nan" not in text.lower()
    assert all(len(line) <= 110 for line in text.splitlines())
    for frame in result.frames().values():
        assert frame["rule"].tolist() == [variant.change for variant in rule_variants()]
        assert frame["variant"].tolist()[0] == "standard"
        assert set(VARIANTS) <= set(frame["variant"])
    games = result.to_frame("games").set_index("rule")
    assert games["more_deals"].isna().tolist() == [True, *[False] * (len(games) - 1)]
    aside = [row for row in result.to_frame().to_dict("records")[1:] if "target" not in row["rule"]]
    row = max(aside, key=lambda row: abs(row["more_deals"]))
    span = f"{row['more_deals']:.2f} [{row['more_deals_low']:.2f}, {row['more_deals_high']:.2f}]"
    assert row["more_deals"] > 0
    longer = f"a game is {span} deals longer if {row['words']} ({row['rule']})"
    assert longer in result.answer
    moons = result.to_frame("moons")
    row = min(moons.to_dict("records")[4:], key=lambda row: row["more_decided"])
    fewest = [100 * row[f"more_decided{end}"] for end in ("", "_high", "_low")]
    fewer = "{:.1f} [{:.1f}, {:.1f}] fewer games in 100 end".format(*(-end for end in fewest))
    assert fewer in result.answer
    points = result.to_frame("declarer").set_index("rule")
    assert points["more_declarer"]["target=50"] == 0
    assert np.isnan(points["more_declarer_low"]["target=50"])
    named = result.to_frame("rules").set_index("rule")
    assert named["variant"]["moon_points=12"] == "half-moon"
    assert named["words"]["defenders_score=False"] == "defenders score nothing"
    notes = " ".join(result.notes)
    assert (
        "Not among the rules: revoke_penalty, which changes nothing where nobody revokes" in notes
    )
    assert "Every game was decided." in notes
    assert pickle.loads(pickle.dumps(result)) == result
    assert result.plot()._repr_png_().startswith(b"\x89PNG")


def test_every_change_has_words() -> None:
    changes = {one.change for base in BASES for one in rule_variants(base)} - {str(STANDARD)}
    fields = {change.partition("=")[0] for change in changes if "," not in change}
    assert set(OTHER_VALUES) <= fields
    for change in changes:
        if change.partition("=")[0] in OTHER_VALUES and "," not in change:
            words = variants_study.in_words(change)
            assert "=" not in words and len(words) <= 26, change


#: Between them they differ from the standard in every field.
BASES = [
    STANDARD,
    Rules(**{field: values[0] for field, values in OTHER_VALUES.items()}),  # type: ignore[arg-type]
]


def test_unequal_players_are_told_of() -> None:
    result = study(10, SEATS, rules=HALF_MOON)
    assert "the seats play differently" in " ".join(result.notes)
    assert result.to_frame()["rule"].tolist()[0] == "as asked"
    assert result.to_frame()["variant"].tolist()[0] == "half-moon"
    assert "from moon_points=12" in result.answer
    assert result.notes[-1] == "First row: moon_points=12."


STRANGE = [
    Rules(target=1, moon_points=0),
    Rules(min_bid=6, moon_points=0, defenders_score=False),
    Rules(swaps_per_deal=0, all_pass="dealer_bids", set_keeps_tricks=True),
]


@pytest.mark.parametrize("rules", STRANGE, ids=str)
def test_strange_rules(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variants, "MAX_DEALS", 60)
    monkeypatch.setattr(variants_study, "MAX_DEALS", 60)
    result = study(10, rules=rules)
    assert "nan" not in result.text().lower()
    result.plot()
    if rules.min_bid == 6:
        assert "Given up after 60 deals, and left out: " in " ".join(result.notes)


def test_a_stranger_gets_the_same_however_it_is_computed(run: Run) -> None:
    asked = ["--games", "30", "--strategies", "steady", "--format", "json"]
    outs = {run(*asked, "--jobs", jobs)[1] for jobs in ("1", "2")}
    assert len(outs) == 1
    status, out, err = run("--games", "2", "--strategies", "steady")
    assert (status, err) == (0, "") and "nan" not in out.lower()
    assert run("--games", "0")[0] == 2
