"""What revokes pay: found again deal by deal, worked out by hand, and as the study tells it."""

from __future__ import annotations

import functools
import math
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import oracle
from ghostsim.cards import Card, Suit
from ghostsim.rules import STANDARD, Rules
from ghostsim.simulate import revoke
from ghostsim.simulate.games import DealResults, play_deals
from ghostsim.simulate.revoke import RevokeGain, RevokeResults, simulate_revokes
from ghostsim.simulate.runner import Runner, SimulationError
from ghostsim.stats import Estimate
from ghostsim.strategies import Steady, Strategy, check_strategies
from ghostsim.study.cli import main
from ghostsim.study.registry import STUDIES
from ghostsim.study.result import Parameters, StudyResult
from ghostsim.table.view import View

Run = Callable[..., tuple[int, str, str]]
DEALS, SEED = 250, 11
SEATS = ("odds", "steady", "odds")
#: Who plays honestly, and who cheats, when each seat is watched.
HONEST = ("odds", "odds", "odds")
CHEATS = ("cheat:tricks={}", "cheat:tricks={}", "cheat:tricks={}")

#: Of one revoke: role, trick, place; own, declarer's and defenders' change; whether the bid turned.
Told = tuple[str, int, int, int, int, int, int]


# --------------------------------------------------------------------- the same, one after another


def lineup(seat: int, name: str) -> list[str]:
    return [name if i == seat else SEATS[i] for i in range(3)]


def leader_of(results: DealResults, row: int, trick: int) -> int:
    """Who leads a trick, by the program that shares no code with this one."""
    leader = int(results.declarer[row])
    trump = Suit(int(results.trump[row])).letter
    names = [str(Card.from_index(int(number))) for number in results.cards[row]]
    for number in range(trick - 1):
        cards = [name.replace("10", "T") for name in names[3 * number : 3 * number + 3]]
        leader = oracle.trick_winner(cards, leader, trump)
    return leader


def tell(seat: int, trick: int) -> list[list[Told]]:
    """The revokes of a seat in a trick, deal by deal."""
    play = functools.partial(play_deals, deals=DEALS, seed=SEED, revoke_detection=0.0)
    honest = play(lineup(seat, HONEST[seat]))
    cheated = play(lineup(seat, CHEATS[seat].format(trick)))
    told: list[list[Told]] = []
    for row in range(DEALS):
        told.append([])
        bits = int(cheated.revokes[row])
        if not bits:
            assert cheated.cards[row].tolist() == honest.cards[row].tolist()
            continue
        card = bits.bit_length() - 1
        assert bits == 1 << card and card // 3 == trick - 1
        place = card % 3
        assert (leader_of(cheated, row, trick) + place) % 3 == seat
        assert cheated.cards[row, :card].tolist() == honest.cards[row, :card].tolist()
        declarer = int(honest.declarer[row])
        change = (cheated.points[row] - honest.points[row]).tolist()
        made = [results.tricks[row, declarer] >= results.bid[row] for results in (honest, cheated)]
        defenders = sum(change) - change[declarer]
        role = "declarer" if declarer == seat else "defender"
        turned = int(made[0] != made[1])
        told[-1].append((role, trick, place + 1, change[seat], change[declarer], defenders, turned))
    return told


@pytest.fixture(scope="module")
def told() -> list[list[Told]]:
    """By deal, the revokes of all three seats in all five tricks."""
    parts = [tell(seat, trick) for seat in range(3) for trick in revoke.TRICKS]
    return [[one for part in parts for one in part[row]] for row in range(DEALS)]


@pytest.fixture(scope="module")
def found() -> RevokeResults:
    return simulate_revokes(DEALS, SEATS, seed=SEED)


def check_ratio(estimate: Estimate | None, pairs: list[tuple[int, int]]) -> None:
    """Against the sum of y over the sum of x, (y, x) being of a deal, and its linearised error."""
    n, total = len(pairs), sum(x for _, x in pairs)
    if not total:
        assert estimate is None
        return
    assert estimate is not None
    ratio = Fraction(sum(y for y, _ in pairs), total)
    assert estimate.value == pytest.approx(float(ratio), abs=1e-12)
    scatter = sum((y - ratio * x) ** 2 for y, x in pairs) * Fraction(n, n - 1)
    error = math.sqrt(scatter) / total
    assert estimate.standard_error == pytest.approx(error, rel=1e-9, abs=1e-12)
    if estimate.method == "ratio":
        reach = 1.959963984540054 * error
        assert estimate.low == pytest.approx(estimate.value - reach, abs=1e-9)
        assert estimate.high == pytest.approx(estimate.value + reach, abs=1e-9)
    else:
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


def check_gain(gain: RevokeGain, deals: list[list[Told]], wanted: Callable[[Told], bool]) -> None:
    of_kind = [[one for one in deal if wanted(one)] for deal in deals]
    assert gain.revokes == sum(map(len, of_kind))

    def pairs(column: int) -> list[tuple[int, int]]:
        return [(sum(int(one[column]) for one in deal), len(deal)) for deal in of_kind]

    check_ratio(gain.gain, pairs(3))
    check_ratio(gain.declarer, pairs(4))
    check_ratio(gain.defenders, pairs(5))
    check_ratio(gain.turned, pairs(6))
    assert gain.chance.value == pytest.approx(gain.revokes / (3 * len(deals)))
    counts = [Fraction(len(deal), 3) for deal in of_kind]
    mean = sum(counts) / len(deals)
    variance = sum((count - mean) ** 2 for count in counts) / (len(deals) - 1)
    assert gain.chance.standard_error == pytest.approx(math.sqrt(variance / len(deals)))
    if gain.gain is None:
        assert gain.break_even is None
    else:
        assert gain.break_even is not None
        assert gain.break_even.value == gain.gain.value / 2
        assert (gain.break_even.low, gain.break_even.high) == (
            gain.gain.low / 2,
            gain.gain.high / 2,
        )


def test_every_kind_of_revoke_told_again(found: RevokeResults, told: list[list[Told]]) -> None:
    assert set(found.situations) == {
        (role, trick, place)
        for role in ("declarer", "defender")
        for trick in (1, 2, 3, 4, 5)
        for place in (2, 3)
        if (role, trick) != ("declarer", 1)
    }
    for key, gain in found.situations.items():
        check_gain(gain, told, lambda one, key=key: one[:3] == key)  # type: ignore[misc]
    for role, gain in found.by_role.items():
        check_gain(gain, told, lambda one, role=role: role in (one[0], "either"))  # type: ignore[misc]
    assert found.by_role["either"].revokes > 200
    assert found.by_role["declarer"].revokes > 30


def test_the_seat_that_always_cheats(found: RevokeResults) -> None:
    for one, detection in zip(found.always, (0.0, 0.5, 1.0), strict=True):
        assert one.detection == detection
        rows = np.zeros((4, DEALS), dtype=np.int64)
        for seat in range(3):
            play = functools.partial(play_deals, deals=DEALS, seed=SEED)
            honest = play(lineup(seat, HONEST[seat]))  # the same where nobody may revoke
            name = CHEATS[seat].format("123456")
            cheated = play(lineup(seat, name), revoke_detection=detection)
            change = cheated.points - honest.points
            rows[0] += [int(bits).bit_count() for bits in cheated.revokes]
            rows[1] += [int(bits).bit_count() for bits in cheated.found]
            rows[2] += change[:, seat]
            rows[3] += np.delete(change, seat, axis=1).sum(axis=1)
        for estimate, row in zip(
            (one.revokes, one.found, one.gain, one.others), rows.tolist(), strict=True
        ):
            assert estimate.value == pytest.approx(sum(row) / (3 * DEALS))
            mean = Fraction(sum(row), DEALS)
            variance = sum((y - mean) ** 2 for y in row) / (DEALS - 1)
            assert 3 * estimate.standard_error == pytest.approx(math.sqrt(variance / DEALS))
        # The play is the same: each revoke that is found out costs two points, nothing else.
        unpunished = found.always[0]
        assert one.gain.value == pytest.approx(unpunished.gain.value - 2 * one.found.value)
        assert one.others == unpunished.others
        assert one.revokes == unpunished.revokes
    never, half, sure = found.always
    assert never.found.value == 0 < half.found.value < sure.found.value == sure.revokes.value
    even = found.always_break_even
    assert even is not None
    assert even.value == pytest.approx(never.gain.value / never.revokes.value / 2)


# ----------------------------------------------------------------------------- worked out by hand


def results(
    revokes: list[int], tricks: list[list[int]], points: list[list[int]], names: list[str]
) -> DealResults:
    """Rows of two deals: seat 0 declares 3 in the first, seat 1 declares 4 in the second."""

    def column(values: Any) -> Any:
        return np.array(values, dtype=np.int8)

    return DealResults(
        strategies=(names[0], names[1], names[2]),
        rules=STANDARD,
        seed=0,
        start=0,
        dealer=column([0, 1]),
        swapper=column([-1, -1]),
        bids=column([[3, 0, 0], [4, 0, 0]]),
        declarer=column([0, 1]),
        bid=column([3, 4]),
        trump=column([0, 0]),
        cards=column([[0] * 18] * 2),
        tricks=column(tricks),
        points=np.array(points, dtype=np.int32),
        revokes=np.array(revokes, dtype=np.int32),
        found=np.zeros(2, dtype=np.int32),
    )


def test_two_deals_on_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 1 revokes second in trick 1 of deal 0, and third in trick 2 of deal 1; no other does.

    Deal 0: 3 bid and made with points 3 2 1; after the revoke the declarer is set: -3 3 1.
    Deal 1: seat 1 bid 4 and was set, 1 -4 2; by his revoke he makes it, 1 4 1.
    """
    honest = results([0, 0], [[3, 2, 1], [1, 3, 2]], [[3, 2, 1], [1, -4, 2]], ["odds"] * 3)

    def play(seats: Any, count: int, **how: Any) -> DealResults:
        assert how["rules"] == STANDARD and how["revoke_detection"] in (0.0, 0.5, 1.0)
        names = [seat.name for seat in seats]
        if count == 0 or names[1] in ("odds", "cheat"):
            return honest
        if names[1] == "cheat:tricks=1":
            return results([2, 0], [[2, 3, 1], [1, 3, 2]], [[-3, 3, 1], [1, -4, 2]], names)
        if names[1] == "cheat:tricks=2":
            return results([0, 32], [[3, 2, 1], [1, 4, 1]], [[3, 2, 1], [1, 4, 1]], names)
        return honest

    monkeypatch.setattr(revoke, "play_deals", play)
    found = simulate_revokes(2)
    first = found.situations["defender", 1, 2]
    assert first.revokes == 1
    assert first.chance.value == pytest.approx(1 / 6)
    assert first.gain and first.declarer and first.defenders and first.turned and first.break_even
    assert (first.gain.value, first.declarer.value, first.defenders.value) == (1, -6, 1)
    assert (first.turned.value, first.break_even.value) == (1, 0.5)
    second = found.situations["declarer", 2, 3]
    assert second.gain and second.declarer and second.defenders and second.break_even
    assert (second.gain.value, second.declarer.value, second.defenders.value) == (8, 8, -1)
    assert second.break_even.value == 4  # pays even if always found out
    either = found.by_role["either"]
    assert either.gain and (either.revokes, either.gain.value) == (2, 4.5)
    # Per deal: y 1 and 8, x 1 and 1. Residuals -3.5 and 3.5, so the error is sqrt(2 * 24.5) / 2.
    assert either.gain.standard_error == pytest.approx(3.5)
    others = [
        gain
        for key, gain in found.situations.items()
        if key not in (("defender", 1, 2), ("declarer", 2, 3))
    ]
    assert all(gain.revokes == 0 and gain.gain is None for gain in others)
    assert found.always_break_even is None


# ------------------------------------------------------------------------------- what is refused


class AlsoRevokes(Strategy):
    """Plays any card it likes where the table lets it."""

    name = "also-revokes"

    def swap(self, view: View) -> bool:
        return False

    def bid(self, view: View) -> Any:
        return None

    def name_trump(self, view: View) -> Suit:
        raise AssertionError("never bids")

    def play(self, view: View) -> Card:
        return next(iter(view.hand if view.revokes_allowed else view.legal))


def test_other_seats_are_honest() -> None:
    with pytest.raises(SimulationError, match="seat 2 is cheat:tricks=1"):
        simulate_revokes(5, ["steady", "steady", "cheat:tricks=1"])
    with pytest.raises(SimulationError, match=r"one of .*also-revokes.* revokes where the table"):
        simulate_revokes(10, [Steady(), AlsoRevokes(), "steady"])
    with pytest.raises(SimulationError, match="two deals or more"):
        simulate_revokes(1)


def test_the_watched_seat_keeps_its_parameters() -> None:
    seats = check_strategies(["odds:open_points=0.5,over_points=0.8", "steady", "novice"])
    assert [revoke._honest(seats, seat)[seat].name for seat in range(3)] == [
        "odds:open_points=0.5,over_points=0.8",
        "odds",
        "odds",
    ]
    assert [revoke._with_cheat(seats, seat, "24")[seat].name for seat in range(3)] == [
        "cheat:open_points=0.5,over_points=0.8,tricks=24",
        "cheat:tricks=24",
        "cheat:tricks=24",
    ]
    assert revoke._with_cheat(seats, 1, "1")[::2] == seats[::2]


def test_no_number_depends_on_blocks_and_jobs() -> None:
    one = simulate_revokes(120, seed=2)
    assert simulate_revokes(120, seed=2, runner=Runner(n_jobs=2, block_size=37)) == one
    assert simulate_revokes(120, seed=3) != one


# --------------------------------------------------------------------------------------- the study


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(["revoke", "--quiet", *arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


class Silent:
    def say(self, message: str) -> None:
        assert message

    def watcher(self) -> None:
        return None


def study(deals: int, seats: tuple[str, str, str] = ("odds",) * 3, **how: Any) -> StudyResult:
    parameters = Parameters(deals=deals, model="table", strategies=seats, **how)
    return STUDIES["revoke"].run(parameters, Silent())


def test_tables_and_answer() -> None:
    result = study(3_000, seed=4)
    found = simulate_revokes(3_000, seed=4)
    assert tuple(result.tables) == STUDIES["revoke"].tables
    frame = result.to_frame("by_role")
    assert frame["role"].tolist() == ["declarer", "defender", "either", "always"]
    *by_role, always = frame.to_dict("records")
    even, more = found.always_break_even, found.always_gain
    assert even is not None and more is not None
    assert (always["gain"], always["break_even"]) == (more.value, even.value)
    assert even.value == pytest.approx(more.value / 2)
    revoked = found.always[0]
    assert more.value == pytest.approx(revoked.gain.value / revoked.revokes.value)
    for row, gain in zip(by_role, found.by_role.values(), strict=True):
        assert gain.gain and gain.break_even and gain.turned
        assert [row["gain"], row["gain_low"], row["gain_high"]] == [
            gain.gain.value,
            gain.gain.low,
            gain.gain.high,
        ]
        assert row["break_even"] == gain.break_even.value
        assert row["turned"] == gain.turned.value
    situations = result.to_frame("situations")
    assert situations["revokes"].sum() == frame["revokes"].iloc[2]
    assert list(zip(situations["role"], situations["trick"], situations["place"], strict=True)) == [
        (role, trick, {2: "second", 3: "third"}[place]) for role, trick, place in found.situations
    ]
    assert result.to_frame("always")["detection"].tolist() == [0, 0.5, 1]
    sides = result.to_frame("sides")
    for row, one in zip(sides.to_dict("records"), found.by_role.values(), strict=True):
        assert one.declarer and one.defenders
        assert (row["declarer"], row["defenders"]) == (one.declarer.value, one.defenders.value)
    either, declarer = found.by_role["either"], found.by_role["declarer"]
    assert either.gain and either.break_even and declarer.break_even
    assert result.answer == (
        f"A revoke pays {either.gain.value:+.3f} [{either.gain.low:+.3f}, {either.gain.high:+.3f}] "
        f"points before any penalty, so at a penalty of 2 honesty wins if more than "
        f"{percents(either.break_even)} of revokes are found out; if the declarer revokes, only "
        f"if more than {percents(declarer.break_even)}."
    )
    assert "table(odds)" in " ".join(result.notes)
    assert result.text().splitlines()[0] == STUDIES["revoke"].question
    assert all(len(line) <= 110 for line in result.text().splitlines())
    assert pickle.loads(pickle.dumps(result)) == result
    assert result.plot()._repr_png_().startswith(b"\x89PNG")


def percents(estimate: Estimate) -> str:
    return f"{estimate.value:.1%} [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"


def test_who_cannot_lose_by_it_is_told() -> None:
    answer = study(3_000, rules=Rules(revoke_penalty=1)).answer
    assert "; if the declarer revokes, not even if all are found out (break-even 1" in answer
    assert "honesty wins if more than " in answer


def test_a_stranger_gets_the_same_however_it_is_computed(run: Run) -> None:
    asked = ["--deals", "400", "--format", "json"]
    outs = {run(*asked, "--jobs", jobs)[1] for jobs in ("1", "2")}
    assert len(outs) == 1
    csv = run("--deals", "400", "--format", "csv")[1]
    assert csv.startswith("role,revokes,chance,chance_low,chance_high,gain,")


@pytest.mark.parametrize("penalty", [0, 5])
def test_the_penalty(penalty: int) -> None:
    result = study(600, ("steady",) * 3, rules=Rules(revoke_penalty=penalty))
    frame = result.to_frame("by_role")
    if penalty:
        np.testing.assert_allclose(frame["break_even"], frame["gain"] / 5)
        assert "at a penalty of 5 honesty wins if more than " in result.answer
    else:
        assert frame["break_even"].isna().all()
        assert "there is no penalty" in result.answer
        always = result.to_frame("always")
        assert always["gain"].nunique() == 1


STRANGE = [
    Rules(min_bid=6, moon_points=0, swaps_per_deal=0),
    Rules(defenders_score=False, swaps_per_deal=0, all_pass="dealer_bids"),
]


@pytest.mark.parametrize("rules", STRANGE, ids=str)
def test_strange_rules(rules: Rules) -> None:
    result = study(60, rules=rules)
    text = result.text()
    assert "nan" not in text.lower()
    result.plot()
    if rules.min_bid == 6:
        assert result.answer.startswith("Nothing can be told of a revoke: in 60 deals")
        assert (result.to_frame("situations")["revokes"] == 0).all()


def test_two_deals(run: Run) -> None:
    status, out, err = run("--deals", "2", "--strategies", "steady")
    assert (status, err) == (0, "")
    assert "- [-, -]" in out and "nan" not in out.lower()
    assert run("--deals", "0")[0] == 2
    assert "seat 0 is cheat" in run("--deals", "5", "--strategies", "cheat")[2]


def test_frames_are_tidy() -> None:
    for frame in study(300).frames().values():
        assert isinstance(frame, pd.DataFrame) and not frame.empty
        assert len(set(frame)) == len(frame.columns)
