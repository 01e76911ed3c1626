"""The moon: exact numbers from other roads, the table row by row, and what the study tells."""

from __future__ import annotations

import functools
import math
import pickle
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import strategies
from ghostsim import Bid, Hand, Rules, bid_table, solo_value
from ghostsim.cards import Rank, Suit
from ghostsim.class_odds import LAYOUTS, class_odds
from ghostsim.deals import Deal
from ghostsim.hand_classes import hand_classes
from ghostsim.rules import STANDARD
from ghostsim.simulate import moon
from ghostsim.simulate.games import DealResults, GameResults, play_deals, play_games
from ghostsim.simulate.moon import MoonResults, simulate_moons, simulate_thumbs
from ghostsim.simulate.runner import Runner, SimulationError
from ghostsim.stats import Estimate
from ghostsim.study import moon as moon_study
from ghostsim.study.cli import main
from ghostsim.study.moon_odds import (
    MoonOdds,
    clean_trumps,
    means,
    moon_odds,
    rules_of_thumb,
    shooting,
)
from ghostsim.study.registry import STUDIES
from ghostsim.study.result import Parameters, StudyResult

Run = Callable[..., tuple[int, str, str]]

# -------------------------------------------------------------------------------- the exact numbers

HANDS = ["JS JC AS KS AH AD", "JS JC AS KS AH 9D", "9S TS 9C TC 9H TH", "JH AH KH AC KC QC"]
KEEPS_TRICKS = Rules(moon_points=9, moon_set_points=3, set_keeps_tricks=True)


@functools.cache
def exact(rules: Rules = STANDARD, standing: Bid | None = None) -> MoonOdds:
    return moon_odds(class_odds(STANDARD), rules, standing)


def number_of(hand: str) -> int:
    return int(hand_classes().number(np.array([Hand(hand).mask]))[0])


@pytest.mark.parametrize("rules", [STANDARD, KEEPS_TRICKS], ids=str)
@pytest.mark.parametrize("hand", HANDS)
def test_the_moon_and_the_next_best_of_a_hand(hand: str, rules: Rules) -> None:
    odds, at = exact(rules), number_of(hand)
    table = bid_table(hand, rules=rules).to_frame()
    moons = table[table["bid"] == Bid.MOON]
    assert odds.moon[at] / LAYOUTS == moons["points"].max()
    best = moons[moons["points"] == moons["points"].max()]
    assert odds.made[at] / LAYOUTS in best["p_make"].to_list()
    others = table[table["bid"] != Bid.MOON]
    assert odds.other[at] / LAYOUTS == max(0, others["points"].max())
    assert bool(odds.shoots[at]) == (solo_value(hand, rules=rules).bid == Bid.MOON)


@pytest.mark.parametrize("standing", [Bid.THREE, Bid.FOUR, Bid.FIVE])
def test_over_a_bid_only_higher_ones_are_left(standing: Bid) -> None:
    odds = exact(STANDARD, standing)
    for hand in HANDS:
        table = bid_table(hand).to_frame()
        others = table[(table["bid"] > standing) & (table["bid"] < Bid.MOON)]["points"].to_list()
        assert odds.other[number_of(hand)] / LAYOUTS == max([0, *others])


def test_break_even_on_paper() -> None:
    # 24 p - 6 (1 - p) = next: a sure six tricks are worth 6 as a bid of 3, so p = 12 / 30.
    odds = exact()
    sure = number_of("JS JC AS KS AH AD")
    assert (odds.made[sure], odds.other[sure]) == (LAYOUTS, 6 * LAYOUTS)
    assert odds.break_even()[sure] == pytest.approx(0.4)
    hopeless = number_of("9S TS 9C TC 9H TH")
    assert odds.other[hopeless] == 0
    assert odds.break_even()[hopeless] == pytest.approx(0.2)
    assert exact(STANDARD, Bid.FIVE).break_even() == pytest.approx(0.2)
    # At break-even the moon is worth the next best: p made + (1 - p) set = next.
    for rules in (STANDARD, KEEPS_TRICKS, Rules(moon_set_points=24)):
        odds = exact(rules)
        p, unsure = odds.break_even(), odds.made < LAYOUTS
        missed = LAYOUTS - odds.made[unsure]
        when_set = (odds.moon[unsure] - rules.moon_points * odds.made[unsure]) / missed
        worth = p[unsure] * rules.moon_points + (1 - p[unsure]) * when_set
        assert worth == pytest.approx(odds.other[unsure] / LAYOUTS, abs=1e-9)
        # And whoever makes it more often than that should shoot.
        margin = odds.made / LAYOUTS - p
        clear = np.abs(margin) > 1e-9
        assert ((margin > 0) == odds.shoots)[clear & unsure].all()
    assert np.isnan(exact(Rules(moon_points=0, moon_set_points=0)).break_even()).all()


def test_the_gain_is_what_the_hand_loses_without_the_moon() -> None:
    never = class_odds(Rules(moon_points=0, moon_set_points=1000)).keep_totals
    for rules in (STANDARD, Rules(moon_points=36)):
        kept = class_odds(rules).keep_totals
        odds = exact(rules)
        assert (kept - never == odds.gain).all()
        hands = hand_classes().hands
        share = Fraction(int(hands[kept > never].sum()), 134_596)
        assert odds.share_that_shoots() == float(share)
        gain = Fraction(int((kept - never) @ hands), 134_596 * LAYOUTS)
        assert odds.gain_per_deal() == pytest.approx(float(gain), rel=1e-12)
    assert exact().share_that_shoots() == 2156 / 134_596
    worthless = exact(Rules(moon_points=6))
    assert worthless.share_that_shoots() == worthless.gain_per_deal() == 0
    assert np.isnan(worthless.p_make_if_shot()) and np.isnan(worthless.mean_break_even())


def test_more_points_more_moons() -> None:
    shares = [exact(Rules(moon_points=score)).share_that_shoots() for score in (6, 12, 24, 48)]
    assert shares == sorted(set(shares))
    risks = [exact(Rules(moon_set_points=cost)).share_that_shoots() for cost in (3, 6, 12, 24)]
    assert risks == sorted(set(risks), reverse=True)


def test_cells_are_means_of_their_classes() -> None:
    frame = means(exact().classes(), ["trumps", "bowers", "outside_aces"])
    assert frame["hands"].sum() == 134_596
    shot = (frame["shoots"] * frame["hands"]).sum()
    assert shot == pytest.approx(2156)
    gain = (frame["gain"] * frame["hands"]).sum() / 134_596
    assert gain == pytest.approx(exact().gain_per_deal())
    row = frame.loc[(frame["trumps"] == 6) & (frame["bowers"] == 2)].iloc[0]
    assert (row["hands"], row["p_make"], row["break_even"], row["gain"]) == (20, 1, 0.4, 18)


def test_only_hands_that_should_shoot_are_told_of() -> None:
    odds = exact()
    classes = odds.classes()
    told = shooting(odds).set_index(["trumps", "bowers", "outside_aces"])
    groups: dict[Any, Any] = dict(list(classes.groupby(["trumps", "bowers", "outside_aces"])))
    assert set(told.index) == {key for key, group in groups.items() if group["shoots"].any()}
    for key, row in told.iterrows():
        group = groups[key]
        shot = group[group["shoots"] == 1]
        assert row["hands"] == group["hands"].sum()
        assert row["shoots"] == pytest.approx(shot["hands"].sum() / group["hands"].sum())
        for name in ("p_make", "break_even", "moon", "next", "gain"):
            mean = (shot[name] * shot["hands"]).sum() / shot["hands"].sum()
            assert row[name] == pytest.approx(mean)
    assert (told["p_make"] > told["break_even"]).all()
    assert told["gain"].to_numpy() == pytest.approx((told["moon"] - told["next"]).to_numpy())
    assert (told["shoots"] * told["hands"]).sum() == pytest.approx(2156)
    assert shooting(exact(Rules(moon_points=6))).empty


def plainly_clean(hand: Hand) -> int:
    """Trumps of a clean hand, card by card."""
    best = 0
    for trump in Suit:
        right, left = (trump, Rank.JACK), (trump.next, Rank.JACK)
        cards = {(card.suit, card.rank) for card in hand}
        trumps = {card for card in cards if card[0] == trump or card == left}
        fine = right in cards
        for suit, rank in cards - trumps:
            above = {(suit, higher) for higher in Rank if higher > rank} - {left}
            fine = fine and above <= cards
        if fine:
            best = max(best, len(trumps))
    return best


@given(deal=strategies.deals())
def test_clean_hands(deal: Deal) -> None:
    masks = np.array(deal.masks, dtype=np.int64)
    assert clean_trumps(masks).tolist() == [plainly_clean(hand) for hand in deal.hands]


@pytest.mark.parametrize(
    ("hand", "trumps"),
    [
        ("JS AS 9S AH KH AD", 3),
        ("JS AS 9S AH QH AD", 0),  # a gap
        ("JC AS 9S AH KH AD", 0),  # the left bower only
        ("JS 9S AC KC QC TC", 2),  # the left bower is no card of its printed suit
        ("JS JC AC KC QC AH", 5),  # clubs: the bowers change places
    ],
)
def test_clean_hands_by_eye(hand: str, trumps: int) -> None:
    assert clean_trumps(np.array([Hand(hand).mask])).tolist() == [trumps]
    assert plainly_clean(Hand(hand)) == trumps


def test_rules_of_thumb() -> None:
    odds = exact()
    frame = rules_of_thumb(odds).set_index("rule")
    best = odds.gain_per_deal()
    told = frame.to_dict("index")
    assert told["the exact odds"] == {
        "shoots": odds.share_that_shoots(),
        "p_make": odds.p_make_if_shot(),
        "gain": pytest.approx(best),
        "lost": 0,
    }
    never = told["never"]
    assert (never["shoots"], never["gain"]) == (0, 0)
    assert never["lost"] == pytest.approx(best)
    np.testing.assert_allclose(frame["gain"] + frame["lost"], best)
    assert (frame["lost"] >= 0).all()
    # The count rule class by class.
    classes = odds.classes()
    shoot = classes["count"] >= 7
    change = (classes["moon"] - classes["next"]).where(shoot, 0)
    gain = (change * classes["hands"]).sum() / 134_596
    row = told["a hand count of 7 or more"]
    assert row["gain"] == pytest.approx(gain)
    assert row["shoots"] == pytest.approx(classes["hands"][shoot].sum() / 134_596)


# ------------------------------------------------------------------------------ the table, plainly

SEATS = ("steady", "steady:moon=7", "novice")
GAMES, SEED = 60, 9
OTHER = Rules(moon_points=12)


def check_mean(estimate: Estimate | None, values: list[int]) -> None:
    n = len(values)
    if n < 2:
        assert estimate is None
        return
    assert estimate is not None and estimate.n == n
    mean = Fraction(sum(values), n)
    assert estimate.value == pytest.approx(float(mean), abs=1e-12)
    error = math.sqrt(sum((value - mean) ** 2 for value in values) / (n - 1) / n)
    assert estimate.standard_error == pytest.approx(error, abs=1e-12)


def check_share(estimate: Estimate | None, values: list[bool]) -> None:
    if not values:
        assert estimate is None
        return
    assert estimate is not None
    assert (estimate.value, estimate.n) == (sum(values) / len(values), len(values))
    assert estimate.method == "Wilson"


@pytest.fixture(scope="module")
def found() -> MoonResults:
    return simulate_moons(GAMES, SEATS, [OTHER], seed=SEED)


@functools.cache
def rows(rules: Rules) -> tuple[DealResults, GameResults]:
    deals = play_deals(SEATS, 10 * GAMES, seed=SEED, rules=rules)
    return deals, play_games(SEATS, GAMES, seed=SEED, rules=rules)


def test_rates_told_again(found: MoonResults) -> None:
    for table, rules in zip(found.tables, (STANDARD, OTHER), strict=True):
        assert table.rules == rules
        deals, games = rows(rules)
        moons = [i for i in range(len(deals)) if deals.bid[i] == 6]
        assert len(moons) > 30
        check_share(table.bid, [bool(bid == 6) for bid in deals.bid])
        declarers = [int(deals.declarer[i]) for i in moons]
        made = [bool(deals.tricks[i, d] == 6) for i, d in zip(moons, declarers, strict=True)]
        check_share(table.made, made)
        points = [rules.moon_points if one else -6 for one in made]
        check_mean(table.points, points)
        check_share(table.swapped, [bool(deals.swapper[i] == deals.declarer[i]) for i in moons])
        check_mean(table.deals_per_game, games.deals.tolist())
        check_share(table.decided, games.decided_by_moon.tolist())
        assert table.unfinished == 0
    first, second = found.tables
    assert first.more_decided is None
    change = rows(OTHER)[1].decided_by_moon.astype(int) - rows(STANDARD)[1].decided_by_moon
    check_mean(second.more_decided, change.tolist())


def test_worth_told_again(found: MoonResults) -> None:
    deals, games = rows(STANDARD)
    plain_deals, plain_games = rows(Rules(moon_points=6))
    plain, gain, others = [], [], []
    for i in np.flatnonzero(deals.bid == 6).tolist():
        seat = int(deals.declarer[i])
        plain.append(int(plain_deals.points[i, seat]))
        change = (deals.points[i] - plain_deals.points[i]).tolist()
        gain.append(change[seat])
        others.append(sum(change) - change[seat])
    check_mean(found.worth.plain, plain)
    check_mean(found.worth.gain, gain)
    check_mean(found.worth.others, others)
    # These strategies do not adapt: a moon that is made loses 18 points, one that is set nothing.
    assert set(gain) == {0, 18}
    check_share(found.worth.other_winner, (games.winner != plain_games.winner).tolist())
    won = [bool(games.moons[i, seat] > 0) for i, seat in enumerate(games.winner.tolist())]
    check_share(found.worth.winners, won)


def test_players_told_again(found: MoonResults) -> None:
    _, games = rows(STANDARD)
    players: Counter[str] = Counter()
    winners: Counter[str] = Counter()
    for game in range(GAMES):
        for seat in range(3):
            made, failed = int(games.moons[game, seat]), int(games.moons_set[game, seat])
            did = "two or more made" if made > 1 else "one made" if made else "set only"
            if not made and not failed:
                did = "none bid"
            players[did] += 1
            winners[did] += int(games.winner[game] == seat)
    assert sum(winners.values()) == GAMES
    for one in found.players:
        assert one.players is not None
        assert one.players.value == pytest.approx(players[one.did] / (3 * GAMES))
        if not players[one.did]:
            assert one.won is None
            continue
        assert one.won is not None
        assert one.won.value == pytest.approx(winners[one.did] / players[one.did])
        assert one.won.low <= one.won.value <= one.won.high
    # Two players of one game are not independent: the error is of games.
    none = found.players[0]
    assert none.won is not None and none.won.n == GAMES


def test_thumbs_told_again() -> None:
    found = simulate_thumbs(GAMES, SEATS, seed=SEED, rules=OTHER)
    assert [one.count for one in found] == [6, 7, 8, 20]
    won, points = {}, {}
    for one in found:
        won[one.count], points[one.count] = np.zeros(GAMES), np.zeros(10 * GAMES)
        for seat in range(3):
            table = [*SEATS[:seat], f"steady:moon={one.count}", *SEATS[seat + 1 :]]
            games = play_games(table, GAMES, seed=SEED, rules=OTHER)
            won[one.count] += games.winner == seat
            deals = play_deals(table, 10 * GAMES, seed=SEED, rules=OTHER)
            points[one.count] += deals.points[:, seat]
        assert one.won is not None and one.points is not None and one.unfinished == 0
        assert one.won.value == pytest.approx(won[one.count].sum() / (3 * GAMES))
        check_paired(one.points, points[one.count] / 3)
    for one in found:
        if one.count == 7:
            assert one.more_won is None and one.more_points is None
            continue
        check_paired(one.more_won, (won[one.count] - won[7]) / 3)
        check_paired(one.more_points, (points[one.count] - points[7]) / 3)


def check_paired(estimate: Estimate | None, values: Any) -> None:
    assert estimate is not None and estimate.n == len(values)
    assert estimate.value == pytest.approx(values.mean(), abs=1e-12)
    error = values.std(ddof=1) / math.sqrt(len(values))
    assert estimate.standard_error == pytest.approx(error, abs=1e-12)


def test_two_deals_on_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 1 makes a moon, seat 2 fails one; with a moon of 6 they get 5, and -3 for a set 3."""

    def column(values: Any) -> Any:
        return np.array(values, dtype=np.int8)

    def deals(seats: Any, count: int, *, rules: Rules, **how: Any) -> DealResults:
        full = rules == STANDARD
        return DealResults(
            strategies=("steady",) * 3,
            rules=rules,
            seed=0,
            start=0,
            dealer=column([0, 1]),
            swapper=column([1, 0]),
            bids=column([[6, 0, 0], [6, 0, 0]]),
            declarer=column([1, 2]),
            bid=column([6, 6] if full else [3, 3]),
            trump=column([0, 0]),
            cards=column([[0] * 18] * 2),
            tricks=column([[0, 6, 0], [0, 1, 5]]) if full else column([[1, 5, 0], [2, 2, 2]]),
            points=np.array([[0, 24, 0], [0, 1, -6]] if full else [[1, 5, 0], [2, 2, -3]]),
            revokes=np.zeros(2, dtype=np.int32),
            found=np.zeros(2, dtype=np.int32),
        )

    monkeypatch.setattr(moon, "play_deals", deals)
    monkeypatch.setattr(moon, "DEALS_PER_GAME", 1)
    found = simulate_moons(2, ["steady"] * 3)
    table, worth = found.tables[0], found.worth
    assert table.bid.value == 1
    assert table.made and table.points and table.swapped
    assert (table.made.value, table.points.value, table.swapped.value) == (0.5, 9, 0.5)
    assert worth.plain and worth.gain and worth.others
    assert (worth.plain.value, worth.gain.value) == (1, 8)  # 5 and -3; 19 and -3
    assert worth.others.value == -2  # -1 and -3


def test_no_number_depends_on_blocks_and_jobs(found: MoonResults) -> None:
    whole = simulate_thumbs(GAMES, SEATS, seed=SEED)
    runner = Runner(n_jobs=2, block_size=7)
    assert simulate_thumbs(GAMES, SEATS, seed=SEED, runner=runner) == whole
    assert simulate_moons(GAMES, SEATS, [OTHER], seed=SEED, runner=runner) == found
    assert simulate_moons(GAMES, SEATS, [OTHER], seed=SEED + 1) != found
    with pytest.raises(SimulationError, match="two games or more"):
        simulate_moons(1)


# --------------------------------------------------------------------------------------- the study


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(["moon", "--quiet", *arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


class Silent:
    def say(self, message: str) -> None:
        assert message

    def watcher(self) -> None:
        return None


def study(games: int, **how: Any) -> StudyResult:
    parameters = Parameters(games=games, model="table", strategies=("steady",) * 3, **how)
    return STUDIES["moon"].run(parameters, Silent())


def test_grids_hold_the_rules_themselves() -> None:
    grid = moon_study.points_grid(Rules(moon_points=18), (6, 24), (6, 12))
    assert grid == (
        Rules(moon_points=18),
        Rules(moon_points=6),
        Rules(),
        Rules(moon_points=18, moon_set_points=12),
    )


def test_tables_and_answer() -> None:
    result = study(500, seed=1)
    assert tuple(result.tables) == STUDIES["moon"].tables
    text = result.text()
    assert "nan" not in text.lower()
    assert all(len(line) <= 110 for line in text.splitlines())
    found = simulate_moons(500, ["steady"] * 3, seed=1)
    told = result.to_frame("at_table").set_index("name").to_dict("index")
    first, worth = found.tables[0], found.worth
    assert worth.gain is not None
    assert told["bid"]["value"] == 100 * first.bid.value
    assert [told["gain"][name] for name in ("value", "value_low", "value_high")] == [
        worth.gain.value,
        worth.gain.low,
        worth.gain.high,
    ]
    points = result.to_frame("table_points")
    assert points["moon_points"].tolist() == [6, 12, 24, 36, 24, 24, 24]
    assert points["moon_set_points"].tolist() == [6, 6, 6, 6, 3, 12, 24]
    games = result.to_frame("table_games")
    assert games["moon_points"].tolist() == points["moon_points"].tolist()
    assert games["more_decided"].isna().tolist() == [False, False, True, *[False] * 4]
    thumbs = result.to_frame("thumb_at_table")
    again = simulate_thumbs(500 // 6, ["steady"] * 3, seed=1)
    assert thumbs["won"].tolist() == [one.won.value for one in again if one.won]
    assert thumbs["more_won"].isna().tolist() == [False, True, False, False]
    assert "not at the table" in result.tables["thumb"].title
    title = result.tables["when"].title
    assert "18 of 40 kinds, with 76,844 of 134,596 hands, should never shoot" in title
    exactly = result.to_frame("points")
    assert exactly["moon_points"].tolist() == [6, 9, 12, 18, 24, 36, 48, 24, 24, 24]
    assert exactly.loc[4, "shoots"] == exact().share_that_shoots()
    assert result.to_frame("standing")["standing"].tolist() == ["no bid", "3", "4", "5"]
    assert worth.other_winner is not None
    assert result.answer == (
        "Shoot when the moon makes more often than about 38% (exact: the mean of the 1.6% of hands "
        f"that should); its 24 points bring the shooter {worth.gain.value:+.2f} "
        f"[{worth.gain.low:+.2f}, {worth.gain.high:+.2f}] more than a moon of 6 would, and change "
        f"the winner of {worth.other_winner.value:.1%} [{100 * worth.other_winner.low:.1f}, "
        f"{100 * worth.other_winner.high:.1f}] of games."
    )
    assert "(next best points + 6) / 30: 20.0% if the hand would pass" in " ".join(result.notes)
    assert "table(steady)" in " ".join(result.notes)
    assert pickle.loads(pickle.dumps(result)) == result
    assert result.plot()._repr_png_().startswith(b"\x89PNG")


def test_what_a_moon_of_six_buys() -> None:
    answer = study(20, rules=Rules(moon_points=6)).answer
    assert answer.startswith("Never shoot: ")
    assert answer.endswith("; its points are those of its six tricks, and buy no more.")
    # A moon that is set may score more than one that is made: there is no break-even.
    odd = Rules(min_bid=6, moon_points=3, moon_set_points=0, set_keeps_tricks=True)
    assert study(20, rules=odd).answer.startswith("Shoot ")


STRANGE = [
    Rules(moon_points=0, target=1),
    Rules(moon_points=0, moon_set_points=0, defenders_score=False),
    Rules(min_bid=6, swaps_per_deal=0, all_pass="dealer_bids"),
    Rules(set_keeps_tricks=True, first_bidder="dealer"),
]


@pytest.mark.parametrize("rules", STRANGE, ids=str)
def test_strange_rules(rules: Rules) -> None:
    result = study(20, rules=rules)
    assert "nan" not in result.text().lower()
    result.plot()
    never = rules.moon_points == 0
    assert result.answer.startswith("Never shoot" if never else "Shoot ")


def test_games_that_never_end_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moon, "MAX_DEALS", 3)
    found = simulate_moons(30, ["steady"] * 3, rules=Rules(target=1_000))
    table = found.tables[0]
    assert (table.unfinished, table.decided.value, table.deals_per_game) == (30, 0, None)
    assert found.worth.winners is None and found.players[0].won is None
    monkeypatch.setattr(moon_study, "MAX_DEALS", 3)
    result = study(30, rules=Rules(target=1_000))
    assert "30 games were given up after 3 deals" in " ".join(result.notes)
    assert "60 of these games were given up after 3 deals" in " ".join(result.notes)
    assert "nan" not in result.text().lower()


def test_a_stranger_gets_the_same_however_it_is_computed(run: Run) -> None:
    asked = ["--games", "40", "--strategies", "steady", "--format", "json"]
    outs = {run(*asked, "--jobs", jobs)[1] for jobs in ("1", "2")}
    assert len(outs) == 1
    status, out, err = run("--games", "2", "--strategies", "steady")
    assert (status, err) == (0, "") and "nan" not in out.lower()
    assert run("--games", "1")[0] == 2
