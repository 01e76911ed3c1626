"""Tournaments: a small one worked out on paper, fairness, and the same answer however it is run."""

from __future__ import annotations

import math
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from ghostsim.cards import Card, Suit
from ghostsim.plots import figure_bytes
from ghostsim.rules import STANDARD, STUCK_DEALER, Bid, Rules
from ghostsim.simulate import tournament
from ghostsim.simulate.games import COMPILED_PER_REFEREE, GameResults, GamesError, play_games
from ghostsim.simulate.runner import Runner, Simulation, SimulationError
from ghostsim.simulate.tournament import (
    TournamentError,
    TournamentResult,
    check_entrants,
    play_tournament,
    seat_orders,
)
from ghostsim.strategies import Random, Steady, Strategy, StrategyError, find_strategy
from ghostsim.study.output import csv_text
from ghostsim.table import TableError
from ghostsim.table.view import View


@dataclass(frozen=True)
class Named:
    """A strategy that is never asked anything: the games are made up."""

    name: str
    sees_all_cards: bool = False

    def swap(self, view: View) -> bool:
        raise AssertionError

    def bid(self, view: View) -> Bid | None:
        raise AssertionError

    def name_trump(self, view: View) -> Suit:
        raise AssertionError

    def play(self, view: View) -> Card:
        raise AssertionError


A, B, C = Named("A"), Named("B"), Named("C")


def made_up(
    strategies: Sequence[Any], games: int, only: int | None = None, **settings: Any
) -> GameResults:
    """Three kinds of games, by their number.

    Game 0: seat 0 wins, the scores are 32 8 2 after 10 deals, one of them a redeal.
    Game 1: the last seat of B wins with 40 against 10 and 10, after 16 deals; it was tied.
    Game 2: nobody has won after 20 deals, 1 2 3.
    """
    names = tuple(strategy.name for strategy in strategies)
    winner, scores = np.full(games, -1), np.zeros((games, 3))
    deals, redeals, ties, behind = np.zeros((4, games))
    start = settings["start"]
    for i in range(games):
        kind = (start + i) % 3 if only is None else only
        deals[i] = (10, 16, 20)[kind]
        if kind == 0:
            winner[i], scores[i], redeals[i] = 0, (32, 8, 2), 1
        elif kind == 1:
            winner[i] = max(seat for seat in range(3) if names[seat] == "B")
            scores[i] = [40 if seat == winner[i] else 10 for seat in range(3)]
            ties[i], behind[i] = 2, 1
        else:
            scores[i], ties[i] = (1, 2, 3), 1

    def whole(array: Any) -> Any:
        return np.asarray(array, dtype=np.int32)

    return GameResults(
        strategies=(names[0], names[1], names[2]),
        rules=settings["rules"],
        seed=settings["seed"],
        start=start,
        winner=whole(winner),
        scores=whole(scores),
        deals=whole(deals),
        redeals=whole(redeals),
        ties=whole(ties),
        behind=whole(behind),
        moons=whole(np.zeros((games, 3))),
        moons_set=whole(np.zeros((games, 3))),
        last_declarer=whole(winner),
        last_bid=whole(np.where(winner == 0, 6, 4)),
        last_made=whole(np.ones(games)),
    )


@pytest.fixture
def on_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament, "play_games", made_up)


def by_name(rows: Sequence[Any], **wanted: Any) -> Any:
    """The one row with these entries."""
    (row,) = [
        row for row in rows if all(getattr(row, name) == value for name, value in wanted.items())
    ]
    return row


# ------------------------------------------------------------------------------- two games on paper
#
# A and B in six orders: AAB ABA BAA ABB BAB BBA; games 0 and 1 in each. Each has nine seats.


@pytest.fixture
def two(on_paper: None) -> TournamentResult:
    return play_tournament([A, B], 2, seed=7)  # type: ignore[list-item]  # duck-typed


def test_wins_on_paper(two: TournamentResult) -> None:
    # Game 0 is won by seat 0, three times A and three times B; game 1 by B, six times.
    a, b = by_name(two.ranking, strategy="A"), by_name(two.ranking, strategy="B")
    assert (two.strategies, a.wins, b.wins, a.games, b.games) == (("B", "A"), 3, 9, 18, 18)
    assert (a.win_rate.value, b.win_rate.value) == (3 / 18, 9 / 18)
    # A by games: 3 of 9 and 0 of 9, each 1.5 of 18 from the mean; twice the sum of squares.
    assert a.win_rate.standard_error == pytest.approx(2 * 1.5 / 18)
    assert (a.win_rate.n, a.win_rate.level, a.win_rate.method) == (2, 0.95, "clustered Wilson")
    # B - A is 0 in one game and 6 of 9 in the other.
    assert two.lead is not None
    assert two.lead.value == pytest.approx(1 / 3)
    assert two.lead.standard_error == pytest.approx(1 / 3)


def test_points_on_paper(two: TournamentResult) -> None:
    # A in game 0, order by order: 40 + 34 + 10 + 32 + 8 + 2 = 126 of 6 * 42; in game 1
    # 20 + 20 + 20 + 10 + 10 + 10 = 90 of 6 * 60. Deals of its seats: 9 * 10 + 9 * 16 = 234.
    a, b = by_name(two.ranking, strategy="A"), by_name(two.ranking, strategy="B")
    assert a.points_per_deal.value == pytest.approx(216 / 234)
    assert b.points_per_deal.value == pytest.approx(396 / 234)
    assert (a.points_per_game.value, b.points_per_game.value) == (12, 22)
    # 14 in game 0 and 10 in game 1.
    assert a.points_per_game.standard_error == pytest.approx(2)


def test_the_cross_table_on_paper(two: TournamentResult) -> None:
    # A's mean minus B's in game 0: 20 - 2, 17 - 8, 5 - 32, 32 - 5, 8 - 17, 2 - 20: nothing in
    # all. In game 1: 10 - 40 three times, 10 - 25 three times: -135. Deals: 60 + 96.
    one = by_name(two.cross, strategy="A", against="B")
    other = by_name(two.cross, strategy="B", against="A")
    assert (one.games, other.games) == (12, 12)
    assert one.points_per_deal.value == pytest.approx(-135 / 156)
    assert other.points_per_deal.value == pytest.approx(135 / 156)
    # Game 0: A's seats win 1/2, 1/2, 0, 1, 0, 0 and B's 0, 0, 1, 0, 1/2, 1/2. In game 1 B's
    # seats win 1, 1, 1, 1/2, 1/2, 1/2. Twelve games.
    assert one.win_rate is not None
    assert one.win_rate.value == pytest.approx(-4.5 / 12)
    assert one.points_per_deal.standard_error == other.points_per_deal.standard_error


def test_ratings_on_paper(two: TournamentResult) -> None:
    # A wins 2 of the 6 games at AAB, 1 of the 6 at ABB: see test_ratings.
    weight = (math.sqrt(73) - 5) / 12
    a, b = by_name(two.ranking, strategy="A"), by_name(two.ranking, strategy="B")
    assert a.rating.value == pytest.approx(200 * math.log10(weight))
    assert b.rating.value == pytest.approx(-200 * math.log10(weight))
    # At AAB a seat of A: w of 2w + 1.
    at_table = by_name(two.by_table, table="B, A, A", strategy="A")
    assert at_table.rated_win_rate == pytest.approx(weight / (2 * weight + 1))
    assert at_table.win_rate.value == pytest.approx(2 / 12)
    assert at_table.games == 12


def test_seats_on_paper(two: TournamentResult) -> None:
    # Game 0: seat 0 six times. Game 1, the last seat of B: 2, 1, 0, 2, 2, 1.
    shares = [by_name(two.seats, strategy="all", seat=seat) for seat in range(3)]
    assert [share.win_rate.value for share in shares] == [7 / 12, 2 / 12, 3 / 12]
    # Seat 0: 6 * 32 and 40 + 5 * 10, over 6 * 26 deals.
    assert shares[0].points_per_deal.value == pytest.approx(282 / 156)
    # A in seat 1: orders AAB, BAA, BAB; it never wins there but has 3 * (8 + 10) points.
    own = by_name(two.seats, strategy="A", seat=1)
    assert own.win_rate.value == 0
    assert own.points_per_deal.value == pytest.approx(54 / 78)


def test_orders_on_paper(two: TournamentResult) -> None:
    row = by_name(two.by_order, table="B, A, B", seat=2)
    assert (row.strategy, row.games, row.win_rate.value) == ("B", 2, 0.5)
    assert row.points_per_deal.value == pytest.approx(42 / 26)
    assert len(two.by_order) == 18


def test_how_the_games_went_on_paper(two: TournamentResult) -> None:
    values = {one.quantity: one.value.value for one in two.how if one.value}
    assert values == {
        "length": 13,
        "everybody passed": 0.5,
        "tied at the top, so played on": 0.5,
        "won by one who was behind then": 1,  # of the ties, six games with the cards of game 1
        "decided by a made moon": pytest.approx(7 / 12),  # game 0, and game 1 won by seat 0
        "not finished": 0,
    }


def test_wins_from_behind_are_told_of_ties(two: TournamentResult) -> None:
    one = by_name(two.how, quantity="won by one who was behind then")
    assert one.unit == "share of ties"
    # All the ties there are: no scatter, and one set of cards with ties, so Wilson's of one of one.
    assert (one.value.low, one.value.high) == pytest.approx((1 / (1 + 1.959964**2), 1))
    assert (one.value.n, one.value.standard_error) == (2, 0)


def test_unfinished_games_count_for_nobody(on_paper: None) -> None:
    result = play_tournament([A, B], 3)  # type: ignore[list-item]
    a = by_name(result.ranking, strategy="A")
    # Wins and rate as without game 2; its points and deals count.
    assert (a.wins, a.games, a.win_rate.value) == (3, 27, 3 / 18)
    # Game 2: seats are worth 1 2 3; A sits in each of them three times.
    assert a.points_per_deal.value == pytest.approx((216 + 18) / (234 + 9 * 20))
    unfinished = by_name(result.how, quantity="not finished").value
    assert unfinished.value == pytest.approx(1 / 3)
    tied = by_name(result.how, quantity="tied at the top, so played on").value
    assert tied.value == 0.5  # of the finished games
    rates = [one.win_rate.value for one in result.seats if one.win_rate and one.strategy == "all"]
    assert sum(rates) == pytest.approx(1)


def test_no_game_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(strategies: Sequence[Any], games: int, **settings: Any) -> GameResults:
        return made_up(strategies, games, only=2, **settings)

    monkeypatch.setattr(tournament, "play_games", endless)
    result = play_tournament([A, B, C], 2)  # type: ignore[list-item]
    assert result.lead is None
    assert all(one.win_rate is None and one.rating is None for one in result.ranking)
    assert result.strategies == ("A", "B", "C")  # by points, which are equal, and then by name
    assert result.to_frame()["win_rate"].isna().all()
    result.plot()


def test_groups_of_games_by_their_number(on_paper: None, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = play_tournament([A, B], 5)  # type: ignore[list-item]
    monkeypatch.setattr(tournament, "GROUPS", 2)
    grouped = play_tournament([A, B], 5)  # type: ignore[list-item]
    for size in (1, 2, 3, 4, 5):  # within groups, and across them
        runner = Runner(block_size=size)
        assert play_tournament([A, B], 5, runner=runner) == grouped  # type: ignore[list-item]
    # Games 0 2 4 and 1 3 are of the kinds 0 2 1 and 1 0. A wins 3 of 9 in kind 0, none of 9 in
    # kind 1, and kind 2 is not finished: 3 of 18 and 3 of 18. No scatter between the groups.
    a, same = (by_name(one.ranking, strategy="A") for one in (grouped, alone))
    assert a.win_rate.value == same.win_rate.value == pytest.approx(6 / 36)
    assert a.win_rate.standard_error == 0
    assert same.win_rate.standard_error > 0
    # Points a game: 126 + 90 + 18 over 3 * 9 games, and 126 + 90 over 2 * 9; in all 450 over 45.
    u = (234 - 10 * 27) / 45
    assert a.points_per_game.value == 10
    assert a.points_per_game.standard_error == pytest.approx(math.sqrt(2 * 2 * u * u))


def test_blocks_change_nothing(on_paper: None) -> None:
    result = play_tournament([A, B, C], 23)  # type: ignore[list-item]
    for size in (1, 4, 100):
        runner = Runner(block_size=size)
        assert play_tournament([A, B, C], 23, runner=runner) == result  # type: ignore[list-item]


def test_a_tournament_to_a_precision_is_refused(on_paper: None) -> None:
    with pytest.raises(SimulationError, match="'sets' cannot be run to a precision"):
        play_tournament([A, B], 5, runner=Runner(precision=100))  # type: ignore[list-item]


# -------------------------------------------------------------------------------------- seat orders


def test_orders_of_seats() -> None:
    assert seat_orders(3) == (
        *((0, 1, 2), (0, 2, 1), (1, 0, 2)),
        *((1, 2, 0), (2, 0, 1), (2, 1, 0)),
    )
    # Four tables of three different, six orders each; twelve pairs (twice, once), three each.
    assert len(seat_orders(4)) == 24
    assert len(seat_orders(4, "all")) == 24 + 36
    for strategies, tables in ((2, "all"), (3, None), (5, "distinct"), (5, "all")):
        orders = seat_orders(strategies, tables)  # type: ignore[arg-type]
        assert len(set(orders)) == len(orders)
        sitting = np.array(
            [[sum(o[s] == i for o in orders) for s in range(3)] for i in range(strategies)]
        )
        # Every strategy sits in every seat equally often, and all as often as the others.
        assert (sitting == sitting[0, 0]).all()
        assert all(len(set(order)) > 1 for order in orders)


# ----------------------------------------------------------------------------- the games themselves


@pytest.fixture(scope="module")
def real() -> TournamentResult:
    return play_tournament(["steady", "novice", "random"], 40, seed=3, runner=Runner(n_jobs=1))


def all_csv(result: TournamentResult) -> dict[str, str]:
    return {name: csv_text(frame) for name, frame in result.frames().items()}


def test_sums_of_the_games_played(real: TournamentResult) -> None:
    # The same games one order at a time, counted plainly.
    wins = dict.fromkeys(("steady", "novice", "random"), 0)
    points, deals = dict(wins), 0
    for order in ("snr", "srn", "nsr", "nrs", "rsn", "rns"):
        names = [{"s": "steady", "n": "novice", "r": "random"}[one] for one in order]
        games = play_games(names, 40, seed=3)
        deals += int(games.deals.sum())
        for seat, name in enumerate(names):
            wins[name] += int((games.winner == seat).sum())
            points[name] += int(games.scores[:, seat].sum())
    for one in real.ranking:
        assert one.wins == wins[one.strategy]
        assert one.points_per_deal.value == pytest.approx(points[one.strategy] / deals)
    assert real.how[0].value is not None
    assert real.how[0].value.value == pytest.approx(deals / 240)


def test_the_order_of_the_names_changes_nothing(real: TournamentResult) -> None:
    again = play_tournament(["random", "steady", "novice"], 40, seed=3)
    assert again == real
    assert all_csv(again) == all_csv(real)


def test_the_same_answer_with_any_number_of_jobs(real: TournamentResult) -> None:
    again = play_tournament(["steady", "novice", "random"], 40, seed=3, runner=Runner(n_jobs=2))
    assert again == real
    assert all_csv(again) == all_csv(real)


def test_results_travel(real: TournamentResult) -> None:
    assert pickle.loads(pickle.dumps(real)) == real
    assert real != play_tournament(["steady", "novice", "random"], 40, seed=4)


def test_a_pair_is_one_difference_with_two_signs(real: TournamentResult) -> None:
    for one in real.cross:
        other = by_name(real.cross, strategy=one.against, against=one.strategy)
        assert one.points_per_deal.value == -other.points_per_deal.value
        assert one.points_per_deal.low == pytest.approx(-other.points_per_deal.high)


@dataclass(frozen=True)
class Second(Random):
    """The same as ``Random``, by another name; through the referee."""


@dataclass(frozen=True)
class Third(Random):
    """The same again."""


def test_three_equal_strategies_are_equal() -> None:
    # In all orders of seats equal strategies hold the same hands: not a third within the
    # interval, but a third, and no difference.
    rules = Rules(target=5)  # by lot, a game to 32 takes hundreds of deals
    result = play_tournament([Random(), Second(), Third()], 3, rules=rules, runner=Runner(n_jobs=1))
    for standing in result.ranking:
        assert standing.win_rate is not None and standing.rating is not None
        assert standing.win_rate.value == pytest.approx(1 / 3)
        assert standing.rating.value == pytest.approx(0, abs=1e-9)
    for one in result.cross:
        assert (one.points_per_deal.value, one.points_per_deal.standard_error) == (0, 0)
    assert result.lead is not None and result.lead.standard_error == 0


def test_python_strategies_in_processes() -> None:
    def play(n_jobs: int) -> TournamentResult:
        entrants: list[Any] = [Steady(), Second(), "novice"]
        return play_tournament(entrants, 4, rules=Rules(target=9), runner=Runner(n_jobs=n_jobs))

    assert play(2) == play(1)


def test_settings_reach_the_games(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []

    def spy(strategies: Sequence[Any], games: int, **settings: Any) -> GameResults:
        asked.append(settings | {"games": games})
        return made_up(strategies, games, **settings)

    monkeypatch.setattr(tournament, "play_games", spy)
    result = play_tournament(
        [A, B],  # type: ignore[list-item]
        4,
        seed=9,
        rules=STUCK_DEALER,
        max_deals=50,
        revoke_detection=0.25,
        level=0.8,
    )
    for settings in asked:
        assert (settings["seed"], settings["rules"]) == (9, STUCK_DEALER)
        assert (settings["max_deals"], settings["revoke_detection"]) == (50, 0.25)
    assert sum(settings["games"] for settings in asked) == 6 * 4
    assert (result.seed, result.rules, result.max_deals) == (9, STUCK_DEALER, 50)
    assert (result.revoke_detection, result.level, result.tables) == (0.25, 0.8, "all")
    assert result.ranking[0].points_per_deal.level == 0.8


def test_blocks_of_all_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    # Sets of cards a block, and where it runs: it depends on the entrants only.
    settings = {"rules": STANDARD, "max_deals": 1000, "revoke_detection": None}

    def simulation(*entrants: Strategy) -> Simulation:
        orders = seat_orders(len(entrants))
        return tournament._simulation(entrants, orders, 5_000, settings)

    fast = simulation(Steady(), Random(), find_strategy("novice"))
    slow = simulation(Steady(), Random(), Second())
    assert (fast.prefer, fast.unit) == ("threads", "sets of cards")
    assert slow.prefer == "processes"
    assert fast.per_block == tournament.COMPILED_PER_BLOCK // 6
    assert slow.per_block == max(1, fast.per_block // COMPILED_PER_REFEREE)
    many = [Steady(four=four) for four in range(2, 12)]
    assert simulation(*many).per_block == tournament.COMPILED_PER_BLOCK // 720


# ------------------------------------------------------------------------------------ what is shown


def test_frames(real: TournamentResult) -> None:
    frames = real.frames()
    assert list(frames) == [
        *("ranking", "cross", "seats", "games", "by_table", "by_seat", "by_order"),
    ]
    assert list(real.to_frame()) == [
        *("strategy", "games", "wins", "win_rate", "win_rate_low", "win_rate_high"),
        *("points_per_deal", "points_per_deal_low", "points_per_deal_high"),
        *("points_per_game", "points_per_game_low", "points_per_game_high"),
        *("rating", "rating_low", "rating_high"),
    ]
    assert [len(frame) for frame in frames.values()] == [3, 6, 3, 6, 3, 9, 18]
    # In 40 games of six random never won: rating without an interval, rate with one.
    last = real.to_frame().iloc[-1]
    assert (last["strategy"], last["win_rate"], last["rating"]) == ("random", 0, -math.inf)
    assert math.isnan(last["rating_low"]) and last["win_rate_high"] > 0
    with pytest.raises(TournamentError, match=r"no table 'winners': there are ranking, cross"):
        real.to_frame("winners")


def test_repr_and_chart(real: TournamentResult) -> None:
    assert repr(real).startswith("TournamentResult(steady ")
    assert "40 sets of cards of seed 3, each in 6 orders of seats" in repr(real)
    assert "<table" in real._repr_html_()
    left, right, bar, *_ = real.plot().axes
    # The scale goes as far as the data, for random not to be one block of colour.
    widest = real.to_frame("cross")["points_per_deal"].abs().max()
    assert widest > 1
    assert bar.get_ylim() == pytest.approx((-widest, widest))
    assert [text.get_text() for text in left.get_yticklabels()] == ["steady", "novice", "random"]
    assert len(right.texts) == 6


class Dollars(Steady):
    @property
    def name(self) -> str:
        return "a $\\frac{x$ b_$y^$"


def test_a_name_is_drawn_as_it_is() -> None:
    # $ begins a formula in matplotlib, and half a formula is an error once all has been played.
    figure_bytes(play_tournament([Dollars(), "novice"], 2).plot(), "svg")


# ------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("strategies", "settings", "message"),
    [
        ([], {}, "two strategies or more, not 0"),
        (["steady"], {}, "two strategies or more, not 1"),
        (["steady", "odds", Steady()], {}, "steady is given twice"),
        (["steady", "peek"], {}, r"peek sees all cards.*allow_peek=True \(--allow-peek\)"),
        (["steady", "novice"], {"games": 1}, r"games must be 2 to 2\*\*32, not 1"),
        (["steady", "novice"], {"games": 2**32 + 1}, r"games must be 2 to 2\*\*32"),
        (["steady", "novice"], {"tables": "distinct"}, "'distinct' takes three strategies"),
        (["steady", "novice"], {"tables": "some"}, "tables must be distinct or all, not 'some'"),
    ],
)
def test_no_tournament(
    strategies: list[Strategy | str], settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(TournamentError, match=message):
        play_tournament(strategies, **({"games": 2} | settings))


def test_errors_of_others_come_through() -> None:
    with pytest.raises(StrategyError, match="did you mean 'steady'"):
        play_tournament(["stead", "odds"], 2)
    with pytest.raises(GamesError, match="max_deals must be"):
        play_tournament(["steady", "novice"], 2, max_deals=0)
    with pytest.raises(TableError, match="revoke_detection must be from 0 to 1"):
        play_tournament(["steady", "novice"], 2, revoke_detection=1.5)
    with pytest.raises(ValueError, match="level must be"):
        play_tournament(["steady", "novice"], 2, level=2)
    with pytest.raises(ValueError, match="seed must be"):
        play_tournament(["steady", "novice"], 2, seed=-1)
    with pytest.raises(TypeError, match="strategies must be several"):
        play_tournament("steady", 2)
    with pytest.raises(TypeError, match="games must be a whole number"):
        play_tournament(["steady", "novice"], 2.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="rules must be a Rules"):
        play_tournament(["steady", "novice"], 2, rules="standard")  # type: ignore[arg-type]


def test_peek_is_let_in_if_asked_for() -> None:
    found = check_entrants(["peek", "steady"], allow_peek=True)
    assert [entrant.name for entrant in found] == ["peek", "steady"]
    assert Rules() == STANDARD  # what play_tournament plays by default
