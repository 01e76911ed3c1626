"""Ties at the target: games added up from their deals, and rows worked out by hand."""

from __future__ import annotations

import functools
import json
import pickle
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.stats

from ghostsim.rules import STANDARD, Rules
from ghostsim.simulate import tie_break as module
from ghostsim.simulate.games import GameResults, play_deals
from ghostsim.simulate.runner import SimulationError
from ghostsim.simulate.tie_break import simulate_tie_breaks
from ghostsim.stats import Estimate
from ghostsim.study.cli import main
from ghostsim.study.output import all_files
from ghostsim.study.registry import STUDIES
from ghostsim.study.result import Parameters, StudyResult

MIXED = ("steady", "novice", "steady:four=7")
#: A game that is short, and ties often.
SHORT = Rules(target=4, set_keeps_tricks=True)


class Silent:
    """Announces nothing."""

    def say(self, message: str) -> None:
        assert message

    def watcher(self) -> None:
        return None


def study(games: int, strategies: Sequence[str] = MIXED, **more: Any) -> StudyResult:
    one, two, three = strategies
    asked = Parameters(games=games, strategies=(one, two, three), model="table", **more)
    return STUDIES["tie-break"].run(asked, Silent())


@dataclass(frozen=True)
class Tie:
    """A tied game, as its score sheet tells it."""

    sharing: int
    gap: int
    extra: int
    again: bool
    from_behind: bool
    ending: str


def score_sheet(seed: int, game: int, rules: Rules) -> Tie | None:
    """A game deal by deal; None if it does not tie."""
    dealt = [
        play_deals(MIXED, 25, seed=seed, start=game << 32, rules=rules, dealer=dealer)
        for dealer in range(3)
    ]
    scores = [0, 0, 0]
    ties: list[tuple[int, list[int]]] = []
    for number in range(25):
        deal = dealt[number % 3]
        if deal.declarer[number] < 0:
            continue
        scores = [score + int(deal.points[number, seat]) for seat, score in enumerate(scores)]
        top = max(scores)
        if top < rules.target:
            continue
        if scores.count(top) > 1:
            ties.append((number, list(scores)))
            continue
        if not ties:
            return None
        winner, declarer = scores.index(top), int(deal.declarer[number])
        made = deal.tricks[number, declarer] >= deal.bid[number]
        ending = "another is set"
        if made and winner == declarer:
            moon = deal.bid[number] == 6
            ending = f"the winner makes a {'moon' if moon else 'lower bid'}"
        elif made:
            ending = "another makes his bid"
        at, then = ties[0]
        return Tie(
            sharing=then.count(max(then)),
            gap=max(then) - min(then),
            extra=number - at,
            again=len(ties) > 1,
            from_behind=then[winner] < max(then),
            ending=ending,
        )
    raise AssertionError("25 deals are not enough")


@functools.cache
def sheets() -> tuple[list[Tie], StudyResult]:
    games = 1_500
    found = [score_sheet(2, game, SHORT) for game in range(games)]
    return [tie for tie in found if tie], study(games, seed=2, rules=SHORT)


def check_share(row: Any, name: str, count: int, n: int) -> None:
    if n == 0:
        assert np.isnan(row[name]) and np.isnan(row[f"{name}_low"])
        return
    interval = scipy.stats.binomtest(count, n).proportion_ci(0.95, method="wilson")
    assert row[name] == pytest.approx(count / n)
    assert row[f"{name}_low"] == pytest.approx(interval.low, abs=1e-12)
    assert row[f"{name}_high"] == pytest.approx(interval.high, abs=1e-12)


def test_there_are_ties_of_all_kinds() -> None:
    ties, _ = sheets()
    assert {tie.sharing for tie in ties} == {2, 3}
    assert {tie.ending for tie in ties} == set(module.ENDINGS)
    assert any(tie.again for tie in ties) and any(tie.from_behind for tie in ties)
    assert any(tie.extra > 1 for tie in ties)


def test_ties_are_those_of_the_score_sheets() -> None:
    ties, result = sheets()
    table = result.to_frame("ties").set_index("sharing")
    for name, sharing in (("two", {2}), ("three", {3}), ("all", {2, 3})):
        some = [tie for tie in ties if tie.sharing in sharing]
        row, n = table.loc[name], len(some)
        assert row["games"] == n
        check_share(row, "of_games", n, 1_500)
        check_share(row, "again", sum(tie.again for tie in some), n)
        behind = sum(tie.from_behind for tie in some)
        check_share(row, "tied_wins", n - behind, n)
        if name == "three":
            assert behind == 0 and np.isnan(row["behind_wins"])
        else:
            check_share(row, "behind_wins", behind, n)
        extra = [tie.extra for tie in some]
        assert row["extra"] == pytest.approx(np.mean(extra))
        if len(set(extra)) > 1:
            half = 1.959963984540054 * float(scipy.stats.sem(extra))
            assert row["extra_low"] == pytest.approx(row["extra"] - half)
    assert f"({len(ties):,} of 1,500)" in result.answer
    two = table.loc["two"]
    won = round(two["behind_wins"] * two["games"])
    assert f"({won} of {two['games']:.0f})" in result.answer


def test_gaps_extra_deals_and_endings_are_those_of_the_score_sheets() -> None:
    ties, result = sheets()
    pairs = [tie for tie in ties if tie.sharing == 2]
    gaps = result.to_frame("by_gap")
    assert gaps["behind"].tolist() == ["1-3", "4-6", "7-12", "13-18", "19-24", "25+"]
    assert gaps["games"].sum() == len(pairs)
    for group in gaps.to_dict("records"):
        low, _, high = group["behind"].replace("+", "-999").partition("-")
        some = [tie for tie in pairs if int(low) <= tie.gap <= int(high)]
        assert group["games"] == len(some)
        check_share(group, "of_tied", len(some), len(pairs))
        won = [tie for tie in some if tie.from_behind]
        check_share(group, "behind_wins", len(won), len(some))
        moons = [tie for tie in won if tie.ending == "the winner makes a moon"]
        check_share(group, "by_moon", len(moons), len(some))
    extra = Counter(min(tie.extra, 4) for tie in ties)
    told = result.to_frame("extra").set_index("extra")
    for number in range(1, 5):
        check_share(
            told.loc["4+" if number == 4 else str(number)], "share", extra[number], len(ties)
        )
    endings = result.to_frame("how_won").set_index("ending")
    behind = [tie for tie in ties if tie.from_behind]
    for ending in module.ENDINGS:
        row = endings.loc[ending]
        n = sum(tie.ending == ending for tie in ties)
        of_behind = sum(tie.ending == ending for tie in behind)
        assert (row["games"], row["behind_games"]) == (n, of_behind)
        check_share(row, "of_tied", n, len(ties))
        check_share(row, "of_behind", of_behind, len(behind))


# ------------------------------------------------------------------------------ games by hand

#: The score sheets of three games: the scores after each deal.
SHEETS = [
    [(10, 5, 0), (20, 22, 3), (33, 33, 9), (33, 33, 9), (33, 35, 34)],  # a redeal after the tie
    [(12, 2, 30), (36, 36, 31), (37, 37, 34), (37, 38, 58)],  # tied twice, won from behind
    [(34, 0, 0)],
]


def from_sheets(seats: Any, count: int, *, start: int = 0, **more: Any) -> GameResults:
    """The rows of these games, each stopped after ``max_deals``."""
    most = more.get("max_deals", 1_000)
    rows: dict[str, list[Any]] = {
        name: []
        for name in ("winner", "scores", "deals", "redeals", "ties", "behind", "last_declarer")
    }
    for sheet in SHEETS[start : start + count]:
        played = sheet[:most]
        last = played[-1]
        changed = [
            now for now, before in zip(played, [None, *played], strict=False) if now != before
        ]
        tied = [now for now in changed if max(now) >= 32 and now.count(max(now)) > 1]
        is_over = max(last) >= 32 and last.count(max(last)) == 1
        winner = last.index(max(last)) if is_over else -1
        rows["winner"].append(winner)
        rows["scores"].append(last)
        rows["deals"].append(len(played))
        rows["redeals"].append(len(played) - len(changed))
        rows["ties"].append(len(tied))
        rows["behind"].append(int(is_over and bool(tied) and tied[0][winner] < max(tied[0])))
        rows["last_declarer"].append(2)
    three = np.zeros((count, 3), dtype=np.int32)
    return GameResults(
        strategies=("a", "b", "c"),
        rules=STANDARD,
        seed=0,
        start=start,
        moons=three,
        moons_set=three,
        last_bid=np.array([3, 6, 3], dtype=np.int32)[start : start + count],
        last_made=np.ones(count, dtype=np.int32),
        **{
            name: np.array(values, dtype=np.int32).reshape(-1, *(3,) * (name == "scores"))
            for name, values in rows.items()
        },
    )


def value(estimate: Estimate | None) -> float:
    assert estimate is not None
    return estimate.value


def test_ties_worked_out_on_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "play_games", from_sheets)
    found = simulate_tie_breaks(MIXED, 3)
    assert (found.games, found.decided, found.model) == (3, 3, "table(a, b, c)")
    two, three, every = found.groups
    assert (two.games, three.games, every.games) == (2, 0, 2)
    assert value(two.of_games) == 2 / 3
    assert value(two.extra) == 2  # the redeal and the deal that decided; two deals
    assert value(two.again) == 1 / 2
    assert (value(two.tied_wins), value(two.behind_wins)) == (1 / 2, 1 / 2)
    assert three.behind_wins is None and three.tied_wins is None
    by_gap = {one.low: one for one in found.gaps if one.games}
    assert {low: one.games for low, one in by_gap.items()} == {4: 1, 19: 1}  # 36 - 31, 33 - 9
    assert value(by_gap[4].behind_wins) == value(by_gap[4].by_moon) == 1
    assert value(by_gap[19].behind_wins) == 0
    assert {number: share.value for number, share in found.extra.items()} == {
        1: 0,
        2: 1,
        3: 0,
        4: 0,
    }
    endings = {one.name: (one.games, one.behind_games) for one in found.endings}
    assert endings == {
        "the winner makes a moon": (1, 1),
        "the winner makes a lower bid": (0, 0),
        "another makes his bid": (1, 0),
        "another is set": (0, 0),
    }


@pytest.mark.parametrize("length", [1, 2, 3, 5, 8, 40])
def test_the_first_tie_is_found_wherever_it_is(length: int) -> None:
    for first in range(1, length + 1):
        asked = []

        def after(*, max_deals: int, first: int = first) -> Any:
            asked.append(max_deals)  # noqa: B023  # a new list for every ``first``
            ties = np.array([int(max_deals >= first)])
            return type("Row", (), {"ties": ties})

        assert module._first_tied(after, length) == first  # type: ignore[arg-type]
        assert all(0 < deals < length for deals in asked)
        assert len(asked) <= 12


# ------------------------------------------------------------------- jobs, rules, small samples


def test_one_result_however_it_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {"seed": 7, "rules": SHORT}
    files = [all_files(study(700, n_jobs=jobs, **asked), "same") for jobs in (1, 2)]
    monkeypatch.setattr(module, "GAMES_PER_BLOCK", 37)
    files.append(all_files(study(700, n_jobs=2, **asked), "same"))
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
@pytest.mark.parametrize("games", [2, 60])
def test_strange_rules_and_two_games(changes: dict[str, Any], games: int) -> None:
    result = study(games, rules=Rules(**changes))
    assert "nan" not in result.text().lower()
    assert games > 2 or all_files(result, "it draws")
    assert set(result.tables) == set(STUDIES["tie-break"].tables)
    undecided = len(changes) == 3
    assert ("It cannot be told: none of" in result.answer) == undecided
    assert (f"{games} of {games} games were not decided" in " ".join(result.notes)) == undecided


def test_a_tie_that_nobody_wins_from_behind() -> None:
    result = study(2)
    assert "in none of them was a player behind" in result.answer
    assert "of games to 32 are tied at the end of a deal (0 of 2)" in result.answer
    assert result.to_frame("ties")["of_games_high"].notna().all()  # what was not seen has a bound


def test_too_few() -> None:
    with pytest.raises(SimulationError, match="two games or more, not 1"):
        simulate_tie_breaks(MIXED, 1)


def test_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["tie-break", "--games", "50", "--rule", "target=3", "--quiet", "--strategies", *MIXED]
    assert main(asked) == 0
    text = capsys.readouterr().out
    assert text.startswith("How often do two players tie at the target")
    assert "games to 3 are tied" in " ".join(text.split())
    assert main([*asked, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["parameters"]["rules"]["target"] == 3
    assert len(told["tables"]["by_gap"]) == 6


def test_results_travel() -> None:
    result = study(20)
    assert pickle.loads(pickle.dumps(result)) == result
    assert max(map(len, result.text().splitlines())) <= 110
