"""Many deals and many games: the compiled game against the referee, and both against the rules.

The two programs share the numbers of cards and decisions, and nothing else: what one does, the
other must do, card for card. What they do is also counted again from the cards, by tables made
with tests/oracle.py.
"""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import joblib
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import oracle
from ghostsim.cards import Card, Suit
from ghostsim.deals import SeedError, random_hands
from ghostsim.kernels import game as kernel
from ghostsim.kernels.rng import decision_key
from ghostsim.kernels.rng import decision_word as kernel_word
from ghostsim.rules import DEALER_FIRST, STANDARD, STUCK_DEALER, Bid, Rules
from ghostsim.simulate import games
from ghostsim.simulate.games import DealResults, GameResults, GamesError, play_deals, play_games
from ghostsim.strategies import Cheat, Novice, Odds, Peek, Random, Steady, Strategy, find_strategy
from ghostsim.table import TableError, chance
from ghostsim.table.view import View
from strategies import rules, seats, words

LAST = 2**64 - 1
#: A dealer with the first turn is stuck with the lowest bid if all pass.
STUCK_FIRST = Rules(all_pass="dealer_bids", first_bidder="dealer")
#: The same, and the moon is the only bid.
STUCK_WITH_A_MOON = STUCK_FIRST.replace(min_bid=6, target=9)
#: A dealer with the last turn must bid, and bids are dear.
DEAR = Rules(all_pass="dealer_bids", set_keeps_tricks=True, moon_set_points=24, target=5)
#: Found revokes are dear, and nothing is traded.
HONEST = Rules(swaps_per_deal=0, revoke_penalty=9, target=11)
SILENT_FOUR = Rules(swaps_per_deal=0, min_bid=4, defenders_score=False, target=1)

#: Rules, and what a pass is worth to those who bid by the odds there.
BY_ODDS: list[tuple[Rules, list[tuple[float, float]]]] = [
    (STANDARD, [(0.0, 0.0)]),
    (DEAR, [(-0.5, 0.8)]),
    (STUCK_WITH_A_MOON, [(0.0, 0.0)]),
    (HONEST, [(0.0, 0.0), (1.25, -0.75), (-3.0, -3.0)]),
    (STUCK_WITH_A_MOON.replace(swaps_per_deal=0, moon_points=2), [(0.0, 0.0), (-1.5, 0.0)]),
    (SILENT_FOUR, [(0.0, 0.0), (0.5, 1.0)]),
]

detections: st.SearchStrategy[float | None] = st.sampled_from([None, 0.0, 0.5, 1.0])
#: Hands count 0 to 9 or so; beyond that a threshold is never met.
counts = st.integers(0, 9) | st.integers(0, 20)
thumbs: st.SearchStrategy[Strategy] = st.one_of(
    st.just(Random()),
    st.just(Novice()),
    st.builds(Steady, three=counts, four=counts, five=counts, moon=counts, swap_below=counts),
)
some_tricks = st.sets(st.sampled_from("123456"), min_size=1).map("".join)

Table = tuple[tuple[Strategy, Strategy, Strategy], Rules]
#: Arguments by keyword.
Options = dict[str, Any]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Three strategies, and rules: any, if nobody bids by the odds."""
    played, kinds = draw(rules), thumbs | st.just(Peek())
    if draw(st.booleans()):
        played, worth = draw(st.sampled_from(BY_ODDS))
        odds = st.sampled_from(worth).map(lambda points: Odds(*points))
        cheats = st.builds(
            lambda points, tricks: Cheat(points[0], points[1], "".join(sorted(tricks))),
            st.sampled_from(worth),
            some_tricks,
        )
        kinds = kinds | odds | cheats | cheats
    return draw(st.tuples(kinds, kinds, kinds)), played


def names_of(*names: str) -> tuple[Strategy, Strategy, Strategy]:
    first, second, third = map(find_strategy, names)
    return first, second, third


def check_same(compiled: DealResults | GameResults, referee: DealResults | GameResults) -> None:
    """The same in everything; if not, it says in what."""
    for field in dataclasses.fields(compiled):
        ours, theirs = getattr(compiled, field.name), getattr(referee, field.name)
        if isinstance(ours, np.ndarray):
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs, err_msg=field.name)
        else:
            assert ours == theirs, field.name
    assert compiled == referee


# ---------------------------------------------------------------- compiled and referee, by deals


def check_deals(table: Table, deals: int, start: int, **options: Any) -> None:
    three, played = table
    start = min(start, LAST + 1 - deals)
    compiled, referee = (
        play_deals(three, deals, start=start, rules=played, engine=engine, **options)
        for engine in ("compiled", "referee")
    )
    check_same(compiled, referee)


@settings(max_examples=75)
@given(tables(), words, words, st.none() | seats, detections)
@example((names_of("random", "random", "random"), STANDARD), LAST, LAST, None, None)
@example((names_of("novice", "random", "steady"), STUCK_WITH_A_MOON), 0, 2**63 - 2, 1, None)
@example((names_of("cheat", "peek", "cheat"), STANDARD), 2**63, LAST, 0, 0.5)
def test_the_engines_play_the_same_deals(
    table: Table, seed: int, start: int, dealer: int | None, detection: float | None
) -> None:
    check_deals(table, 3, start, seed=seed, dealer=dealer, revoke_detection=detection)


@pytest.mark.jit_off
@pytest.mark.bounds
@settings(max_examples=25)
@given(st.tuples(thumbs, thumbs, thumbs), rules, words, words, st.none() | seats)
def test_the_engines_play_the_same_deals_by_rules_of_thumb(
    three: tuple[Strategy, Strategy, Strategy],
    played: Rules,
    seed: int,
    start: int,
    dealer: int | None,
) -> None:
    check_deals((three, played), 2, start, seed=seed, dealer=dealer)


@pytest.mark.bounds
@settings(max_examples=25)
@given(
    st.tuples(*[st.sampled_from([Odds(), Cheat(), Cheat(tricks="16"), Peek()])] * 3),
    words,
    words,
    detections,
)
def test_the_engines_play_the_same_deals_by_odds_and_by_sight(
    three: tuple[Strategy, Strategy, Strategy], seed: int, start: int, detection: float | None
) -> None:
    check_deals((three, HONEST), 2, start, seed=seed, revoke_detection=detection)


#: Which deals are such: bool (n,).
Happens = Callable[[DealResults], Any]


#: Neither swaps nor bids, if it need not.
SITS_STILL = "steady:three=20,four=20,five=20,moon=20,swap_below=0"


def nobody_bids(results: DealResults) -> NDArray[np.bool_]:
    passes: NDArray[np.bool_] = (results.bids == 0).all(axis=1)
    return passes


CORNERS: dict[str, tuple[Sequence[str], Options, Happens]] = {
    "all pass": (
        ["steady:three=6,swap_below=0", "random", "steady:three=7,swap_below=0"],
        {},
        lambda found: nobody_bids(found) & (found.declarer == -1) & (found.swapper == -1),
    ),
    "all pass, one has swapped": (
        ["novice", "novice", "random"],
        {},
        lambda found: nobody_bids(found) & (found.declarer == -1) & (found.swapper >= 0),
    ),
    "the dealer bids first and is stuck": (
        ["novice", "random", "steady:three=9"],
        {"rules": STUCK_FIRST},
        lambda found: nobody_bids(found) & (found.declarer == found.dealer),
    ),
    "the dealer bids last, swaps, passes and is stuck": (
        [SITS_STILL, "novice", SITS_STILL],
        {"rules": STUCK_DEALER},
        lambda found: nobody_bids(found) & (found.swapper == found.dealer),
    ),
    "the dealer bids first, swaps, passes and is stuck": (
        ["novice", "random", "novice"],
        {"rules": STUCK_FIRST},
        lambda found: nobody_bids(found) & (found.swapper == found.dealer),
    ),
    "the dealer bids first by the odds, swaps, passes and is stuck": (
        ["odds"] * 3,
        {"rules": STUCK_WITH_A_MOON},
        lambda found: nobody_bids(found) & (found.swapper == found.dealer),
    ),
    "the dealer must bid by the odds, after a swap": (
        [SITS_STILL, SITS_STILL, "odds:open_points=-0.5,over_points=0.8"],
        {"rules": DEAR},
        lambda found: (
            (found.bids[:, 2] > 0)
            & (found.declarer == found.dealer)
            & (found.swapper == found.dealer)
            & (found.bids[:, :2] == 0).all(axis=1)
        ),
    ),
    "another is stuck than the one who swapped": (
        ["random", SITS_STILL, "novice"],
        {"rules": STUCK_DEALER},
        lambda found: nobody_bids(found) & (found.swapper >= 0) & (found.swapper != found.dealer),
    ),
    "the lowest bid is the moon": (
        ["random", "steady:moon=5", "novice"],
        {"rules": Rules(min_bid=6)},
        lambda found: found.bid == 6,
    ),
    "stuck with a moon": (
        ["steady", "novice", "random"],
        {"rules": STUCK_WITH_A_MOON},
        lambda found: nobody_bids(found) & (found.bid == 6),
    ),
    "no swap": (
        ["novice", "random", "steady:swap_below=20"],
        {"rules": Rules(swaps_per_deal=0)},
        lambda found: found.swapper == -1,
    ),
    "a moon before two turns": (
        ["random", "random", "novice"],
        {},
        lambda found: found.bids[:, 0] == 6,
    ),
    "a moon before one turn, the ghost still there": (
        ["random", "steady", "novice"],
        {},
        lambda found: (found.bids[:, 1] == 6) & (found.swapper == -1),
    ),
    "three bids": (
        ["random", "random", "steady:four=2,five=3"],
        {},
        lambda found: (found.bids > 0).all(axis=1),
    ),
    "the one who swapped declares": (
        ["odds", "steady", "novice"],
        {},
        lambda found: (found.swapper == found.declarer) & (found.swapper == 0),
    ),
    "the one who swapped defends": (
        ["steady", "steady", "random"],
        {},
        lambda found: (found.swapper >= 0) & (found.declarer >= 0) & (found.swapper < 2),
    ),
    "a revoke is found": (
        ["cheat", "steady", "novice"],
        {"revoke_detection": 0.5, "rules": HONEST},
        lambda found: found.found > 0,
    ),
    "a revoke is not found": (
        ["odds", "cheat", "steady"],
        {"revoke_detection": 0.5},
        lambda found: (found.revokes > 0) & (found.found == 0),
    ),
    "two revokes, one found": (
        ["cheat"] * 3,
        {"revoke_detection": 0.5},
        lambda found: (np.bitwise_count(found.revokes) > 1) & (np.bitwise_count(found.found) == 1),
    ),
    "three revokes": (
        ["cheat", "cheat", "peek"],
        {"revoke_detection": 1.0},
        lambda found: np.bitwise_count(found.found) >= 3,
    ),
}


@pytest.mark.parametrize("corner", CORNERS)
def test_the_engines_agree_in_the_corners(corner: str) -> None:
    names, options, happens = CORNERS[corner]
    many = play_deals(names, 4_000, seed=11, engine="compiled", **options)
    rows = np.flatnonzero(happens(many))
    assert len(rows) >= 4, f"only {len(rows)} of 4000 deals are such"
    for i in rows[:4].tolist():
        alone = play_deals(names, 1, seed=11, start=i, engine="compiled", **options)
        check_same(alone, play_deals(names, 1, seed=11, start=i, engine="referee", **options))
        assert alone.cards.tolist() == many.cards[i : i + 1].tolist()
        assert alone.points.tolist() == many.points[i : i + 1].tolist()


# -------------------------------------------------------------------------------- game by game


def check_games(table: Table, count: int, start: int, **options: Any) -> None:
    three, played = table
    start = min(start, 2**32 - count)
    compiled, referee = (
        play_games(three, count, start=start, rules=played, engine=engine, **options)
        for engine in ("compiled", "referee")
    )
    check_same(compiled, referee)


@settings(max_examples=40)
@given(tables(), words, st.integers(0, 2**32 - 1), seats, st.integers(1, 9), detections)
@example((names_of("steady", "novice", "steady"), Rules(target=1)), LAST, 2**32 - 1, 2, 9, None)
def test_the_engines_play_the_same_games(
    table: Table, seed: int, start: int, first_dealer: int, max_deals: int, detection: float | None
) -> None:
    three, played = table
    options: Options = {"seed": seed, "max_deals": max_deals, "revoke_detection": detection}
    check_games((three, played), 1, start, first_dealer=first_dealer, **options)


@pytest.mark.jit_off
@pytest.mark.bounds
@settings(max_examples=15)
@given(st.tuples(thumbs, thumbs, thumbs), rules, st.integers(1, 9), words, seats)
def test_the_engines_play_the_same_games_by_rules_of_thumb(
    three: tuple[Strategy, Strategy, Strategy],
    played: Rules,
    target: int,
    seed: int,
    first_dealer: int,
) -> None:
    table = three, played.replace(target=target)
    check_games(table, 1, seed >> 32, seed=seed, first_dealer=first_dealer, max_deals=4)


#: Which games are such: bool (n,).
Ends = Callable[[GameResults], Any]

GAME_CORNERS: dict[str, tuple[Sequence[str], Options, Ends]] = {
    "exactly 32": (["steady"] * 3, {}, lambda found: found.scores.max(axis=1) == 32),
    "two past 32": (["steady"] * 3, {}, lambda found: (found.scores > 32).sum(axis=1) == 2),
    "a tie at 32 or more": (["novice"] * 3, {}, lambda found: found.ties > 0),
    "a tie, won by the one behind": (
        ["novice"] * 3,
        {"rules": Rules(target=7)},
        lambda found: found.behind == 1,
    ),
    "two ties": (
        ["steady"] * 3,
        {"rules": Rules(target=1, moon_points=0)},
        lambda found: found.ties >= 2,
    ),
    "a tie, and redeals": (
        ["steady:three=6,swap_below=0"] * 3,
        {"rules": Rules(target=4)},
        lambda found: (found.ties > 0) & (found.redeals > 3 * found.ties),
    ),
    "all passed, again and again": (
        ["steady:three=6,swap_below=0"] * 3,
        {},
        lambda found: found.redeals > 6,
    ),
    "not finished": (
        ["steady"] * 3,
        {"max_deals": 12},
        lambda found: (found.winner == -1) & (found.scores.max(axis=1) < 32),
    ),
    "not finished, tied past 32": (
        ["novice"] * 3,
        {"max_deals": 14},
        lambda found: (found.winner == -1) & (found.scores.max(axis=1) >= 32),
    ),
    "not finished, all redeals": (
        [SITS_STILL] * 3,
        {"max_deals": 5},
        lambda found: (found.winner == -1) & (found.redeals == 5),
    ),
    "all negative": (
        ["random"] * 3,
        {"max_deals": 30},
        lambda found: (found.scores < 0).all(axis=1),
    ),
    "won by a moon": (["steady"] * 3, {}, lambda found: found.decided_by_moon),
    "won when another was set": (
        ["random", "steady", "novice"],
        {"first_dealer": 2},
        lambda found: (found.last_made == 0) & (found.winner >= 0),
    ),
    "a moon was set": (
        ["random", "steady", "novice"],
        {"first_dealer": 1},
        lambda found: found.moons_set.any(axis=1) & found.moons.any(axis=1),
    ),
    "two lose by penalties": (
        ["cheat"] * 3,
        {"rules": HONEST.replace(target=3), "revoke_detection": 0.5},
        lambda found: (found.scores < 0).sum(axis=1) == 2,
    ),
}


@pytest.mark.parametrize("corner", GAME_CORNERS)
def test_the_engines_agree_at_the_end(corner: str) -> None:
    names, options, happens = GAME_CORNERS[corner]
    many = play_games(names, 6_000, seed=5, engine="compiled", **{"max_deals": 100, **options})
    rows = np.flatnonzero(happens(many))
    assert len(rows) >= 2, f"only {len(rows)} of 6000 games are such"
    for i in rows[:2].tolist():
        alone: Options = {"seed": 5, "start": i, "max_deals": 100, **options}
        compiled = play_games(names, 1, engine="compiled", **alone)
        check_same(compiled, play_games(names, 1, engine="referee", **alone))
        assert compiled.scores.tolist() == many.scores[i : i + 1].tolist()
        assert compiled.deals.tolist() == many.deals[i : i + 1].tolist()


# ---------------------------------------------------------------------- strategies without a kernel


@dataclasses.dataclass(frozen=True)
class AsSteady(Steady):
    """A subclass plays by its own methods: the compiled game must not take it for its parent."""

    def bid(self, view: View) -> Bid | None:
        return super().bid(view) if view.is_dealer else None


class Listless(Strategy):
    """Bids three with three jacks, and plays its first legal card."""

    def bid(self, view: View) -> Bid | None:
        jacks = sum(card.rank.letter == "J" for card in view.hand)
        return view.bids[0] if jacks >= 3 and view.bids else None

    def name_trump(self, view: View) -> Suit:
        return Suit.HEARTS

    def play(self, view: View) -> Card:
        return view.legal[0]


@dataclasses.dataclass  # not frozen: it has no hash
class Changing(Listless):
    weights: list[int] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Weighed(Listless):
    """It says that it has a hash, and has none."""

    weights: list[int] = dataclasses.field(default_factory=list)


@pytest.mark.parametrize("own", [AsSteady(), Listless(), Changing([1])], ids=lambda own: own.name)
def test_ones_own_strategy_goes_through_the_referee(own: Strategy) -> None:
    for play in (play_deals, play_games):
        options: Options = {"seed": 3, "revoke_detection": 1.0}
        if play is play_games:
            options |= {"max_deals": 4}
        by_default = play([own, "random", own], 3, **options)
        check_same(by_default, play([own, "random", own], 3, engine="referee", **options))
        assert by_default.strategies == (own.name, "random", own.name)
        with pytest.raises(GamesError, match=r"the compiled game does not know all of .*random"):
            play([own, "random", own], 3, engine="compiled", **options)


def test_a_strategy_whose_fields_have_no_hash_goes_through_the_referee() -> None:
    assert len(play_deals([Weighed([1]), "random", "random"], 2)) == 2


def test_a_subclass_decides_for_itself() -> None:
    own = play_deals([AsSteady()] * 3, 40, seed=8)
    assert (own.bids[:, :2] == 0).all()  # only the dealer, who is last, bids
    assert (own.bids[:, 2] > 0).any()


@dataclasses.dataclass(frozen=True)
class Copied(Strategy):
    """Another strategy by another name: it has no compiled form, but must play the same."""

    of: Strategy

    @property
    def name(self) -> str:
        return self.of.name

    def swap(self, view: View) -> bool:
        return self.of.swap(view)

    def bid(self, view: View) -> Bid | None:
        return self.of.bid(view)

    def name_trump(self, view: View) -> Suit:
        return self.of.name_trump(view)

    def play(self, view: View) -> Card:
        return self.of.play(view)


def test_auto_chooses_the_engine_and_nothing_else() -> None:
    names = ["steady", "random", "novice"]
    copies = [Copied(find_strategy(name)) for name in names]
    check_same(play_deals(names, 30, seed=2), play_deals(copies, 30, seed=2))
    check_same(play_games(names, 4, seed=2), play_games(copies, 4, seed=2))


# ------------------------------------------------------------------- any jobs, any chunks, any part


def counted(calls: list[int]) -> Callable[[Iterable[Any], int], Iterator[Any]]:
    """A progress bar that notes how many steps it is told of, and how many come."""

    def progress(finished: Iterable[Any], total: int) -> Iterator[Any]:
        calls.append(total)
        for done in finished:
            calls.append(1)
            yield done

    return progress


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("size", [1, 7, 60])
def test_jobs_and_chunks_change_nothing(
    n_jobs: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["steady", "random", "cheat"]
    many: Options = {"rules": HONEST, "revoke_detection": 0.5}
    deals = play_deals(names, 53, seed=4, start=LAST - 60, n_jobs=1, **many)
    few = play_games(names, 20, seed=4, start=2**32 - 30, n_jobs=1, **many)
    monkeypatch.setattr(games, "CHUNK_DEALS", size)
    monkeypatch.setattr(games, "CHUNK_GAMES", size)
    calls: list[int] = []
    options: Options = {"n_jobs": n_jobs, "progress": counted(calls), **many}
    check_same(deals, play_deals(names, 53, seed=4, start=LAST - 60, **options))
    assert calls == [-(-53 // size)] + [1] * -(-53 // size)
    check_same(few, play_games(names, 20, seed=4, start=2**32 - 30, **options))
    assert calls[1 - (-53 // size) :] == [-(-20 // size)] + [1] * -(-20 // size)


def test_jobs_of_the_referee_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["steady", "random", "novice"]
    rows: Options = {"seed": 6, "start": LAST - 40}
    deals = play_deals(names, 31, engine="compiled", **rows)
    some = play_games(names, 5, seed=6, engine="compiled")
    monkeypatch.setattr(games, "CHUNK_REFEREE", 3)
    calls: list[int] = []
    with joblib.parallel_config("threading"):
        for n_jobs in (1, 2):
            own: Options = {"engine": "referee", "n_jobs": n_jobs, "progress": counted(calls)}
            check_same(deals, play_deals(names, 31, **own, **rows))
            check_same(some, play_games(names, 5, seed=6, **own))
    assert calls == 2 * [11, *[1] * 11, 2, 1, 1]


def test_the_referee_plays_in_processes() -> None:
    own = Changing([1])
    alone = play_deals([own, "random", own], 60, seed=9)
    check_same(alone, play_deals([own, "random", own], 60, seed=9, n_jobs=2))


@pytest.mark.bounds
@given(st.integers(0, LAST - 20), st.integers(0, 20), st.none() | seats)
@settings(max_examples=20)
def test_any_part_of_the_deals_is_the_same(start: int, at: int, dealer: int | None) -> None:
    names = ["random", "steady", "novice"]
    options: Options = {"seed": 1, "dealer": dealer}
    whole = play_deals(names, 20, start=start, **options)
    parts = [
        play_deals(names, at, start=start, **options),
        play_deals(names, 20 - at, start=start + at, **options),
    ]
    for field in dataclasses.fields(whole):
        values = getattr(whole, field.name)
        if isinstance(values, np.ndarray):
            joined = np.concatenate([getattr(part, field.name) for part in parts])
            np.testing.assert_array_equal(values, joined, err_msg=field.name)


@pytest.mark.bounds
def test_any_part_of_the_games_is_the_same() -> None:
    names = ["random", "steady", "novice"]
    whole = play_games(names, 9, seed=2**64 - 1, start=100, max_deals=40)
    alone = [play_games(names, 1, seed=2**64 - 1, start=100 + i, max_deals=40) for i in range(9)]
    for field in dataclasses.fields(whole):
        values = getattr(whole, field.name)
        if isinstance(values, np.ndarray):
            joined = np.concatenate([getattr(one, field.name) for one in alone])
            np.testing.assert_array_equal(values, joined, err_msg=field.name)


def test_other_seeds_are_other_deals() -> None:
    found = [play_deals(["steady"] * 3, 50, seed=seed).cards.tolist() for seed in range(3)]
    assert found[0] != found[1] != found[2] != found[0]


# ------------------------------------------------------------------------------------ random words


@pytest.mark.jit_off
@pytest.mark.bounds
@given(words, words, st.integers(0, 42), st.integers(2, 6))
@example(LAST, LAST, 42, 5)
def test_the_random_words_are_the_same(seed: int, index: int, number: int, n: int) -> None:
    key = decision_key(np.uint64(seed), np.uint64(index))
    word = chance.decision_word(seed, index, number)
    assert int(kernel_word(np.uint64(key), number)) == word
    assert int(kernel.below(np.uint64(key), number, n)) == chance.below(word, n)
    assert (kernel.SWAP, kernel.BID, kernel.TRUMP, kernel.PLAY, kernel.FIND) == (
        chance.SWAP,
        chance.BID,
        chance.TRUMP,
        chance.PLAY,
        chance.FIND,
    )


def test_decisions_draw_different_words() -> None:
    numbers = [chance.SWAP, 2, 4, chance.BID, 3, 5, chance.TRUMP]
    numbers += [first + card for first in (chance.PLAY, chance.FIND) for card in range(18)]
    assert sorted(numbers) == list(range(43))  # each decision has a number of its own
    drawn = {
        chance.decision_word(seed, index, number)
        for seed in (0, 1, 2**32)
        for index in (0, 1, 2**32, 2**32 + 1)
        for number in numbers
    }
    assert len(drawn) == 3 * 4 * 43


# ------------------------------------------------------------ what is played, counted from cards

CARDS = [str(Card.from_index(i)) for i in range(24)]
#: The suit that each card belongs to in play, by trump and card.
SUITS_IN_PLAY = np.array(
    [["SCHD".index(oracle.effective_suit(card, trump)) for card in CARDS] for trump in "SCHD"]
)
#: By trump and card, the mask of all cards that follow it when it is led.
FOLLOWERS = np.array(
    [[sum(1 << i for i in range(24) if row[i] == suit) for suit in row] for row in SUITS_IN_PLAY]
)
#: By trump, card and other card: whether the card, played later, takes the trick from the other.
BEATS = np.array(
    [[[oracle.beats(card, other, trump) for other in CARDS] for card in CARDS] for trump in "SCHD"]
)

PLAYED: dict[str, tuple[Sequence[str], Options]] = {
    "random": (["random"] * 3, {}),
    "novice": (["novice"] * 3, {"dealer": 2}),
    "steady": (["steady"] * 3, {"rules": STUCK_DEALER}),
    "odds": (["odds"] * 3, {}),
    "peek": (["peek"] * 3, {}),
    "cheat": (["cheat"] * 3, {"rules": HONEST, "revoke_detection": 0.5}),
    "all sorts": (
        ["cheat:tricks=246", "peek", "random"],
        {"rules": STUCK_WITH_A_MOON.replace(swaps_per_deal=0, moon_points=2)}
        | {"revoke_detection": 1.0},
    ),
    "by lot, stuck": (
        ["random", "steady:three=2,four=3,five=3,moon=4", "novice"],
        {"rules": Rules(all_pass="dealer_bids", first_bidder="dealer", set_keeps_tricks=True)},
    ),
}


@pytest.mark.parametrize("kind", PLAYED)
def test_every_row_obeys_the_rules(kind: str) -> None:
    names, options = PLAYED[kind]
    n, seed, start = 20_000, 77, 2**40
    played = options.get("rules", STANDARD)
    rows = play_deals(names, n, seed=seed, start=start, engine="compiled", **options)
    every = np.arange(n)

    # The auction.
    dealers = options.get("dealer", (start + every) % 3)
    assert (rows.dealer == dealers).all()
    first = (rows.dealer + (played.first_bidder == "left_of_dealer")) % 3
    standing, declarer = np.zeros(n, dtype=int), np.full(n, -1)
    for turn in range(3):
        bid = rows.bids[:, turn].astype(int)
        assert ((bid == 0) | (bid > standing) & (bid >= played.min_bid) & (bid <= 6)).all()
        declarer = np.where(bid > 0, (first + turn) % 3, declarer)
        # Nobody swaps after a moon: there is nothing to bid any more.
        assert not ((standing == 6) & (rows.swapper == (first + turn) % 3)).any()
        standing = np.maximum(standing, bid)
    if played.all_pass == "dealer_bids":
        stuck = standing == 0
        standing, declarer = np.where(stuck, played.min_bid, standing), declarer.copy()
        declarer[stuck] = rows.dealer[stuck]
    assert (rows.bid == standing).all()
    assert (rows.declarer == declarer).all()
    assert (rows.swapper >= 0).any() == (played.swaps_per_deal == 1)
    over = declarer < 0
    assert over.any() == (played.all_pass == "redeal")
    for nothing in (rows.trump[over] + 1, rows.cards[over] + 1, rows.tricks[over]):
        assert not nothing.any()
    assert not rows.points[over].any() and not rows.revokes[over].any()

    # The cards: each hand plays its own six.
    on = every[~over]
    hands = random_hands(n, seed=seed, start=start)
    ghost = (1 << 24) - 1 ^ hands[:, 0] ^ hands[:, 1] ^ hands[:, 2]
    swapped = rows.swapper >= 0
    hands[every[swapped], rows.swapper[swapped]] = ghost[swapped]
    hands, cards, trump = hands[on], rows.cards[on].astype(int), rows.trump[on].astype(int)
    assert (np.sort(cards, axis=1)[:, 1:] > np.sort(cards, axis=1)[:, :-1]).all()
    assert cards.min() >= 0 and cards.max() < 24 and trump.min() >= 0 and trump.max() < 4
    leader, here = declarer[on], np.arange(len(on))
    taken, lost = np.zeros((len(on), 3), dtype=int), np.zeros((len(on), 3), dtype=int)
    for trick in range(6):
        led = cards[:, 3 * trick]
        winning, winner = led, leader
        for place in range(3):
            at, seat = 3 * trick + place, (leader + place) % 3
            card = cards[:, at]
            assert (hands[here, seat] >> card & 1).all()
            follows = hands[here, seat] & FOLLOWERS[trump, led]
            broken = (follows > 0) & (follows >> card & 1 == 0) & (place > 0)
            assert (broken == (rows.revokes[on] >> at & 1)).all()
            found = rows.found[on] >> at & 1
            assert (broken >= found).all()
            lost[here, seat] += found * played.revoke_penalty
            hands[here, seat] ^= 1 << card
            takes = BEATS[trump, card, winning] & (place > 0)
            winning, winner = np.where(takes, card, winning), np.where(takes, seat, winner)
        taken[here, winner] += 1
        leader = winner
    assert not hands.any()
    assert (taken == rows.tricks[on]).all() and (taken.sum(axis=1) == 6).all()

    # The points.
    contracts = np.column_stack([declarer[on], standing[on], taken])
    different, which = np.unique(contracts, axis=0, return_inverse=True)
    points = np.array([played.deal_points(row[0], row[1], row[2:]) for row in different.tolist()])
    assert (rows.points[on] == points[which.reshape(-1)] - lost).all()

    # Revokes are found out by lot.
    detection = options.get("revoke_detection")
    assert (rows.revokes > 0).any() == (detection is not None)
    for i in np.flatnonzero(rows.revokes)[:300].tolist():
        for at in range(18):
            if rows.revokes[i] >> at & 1:
                word = chance.decision_word(seed, start + i, chance.FIND + at)
                assert rows.found[i] >> at & 1 == chance.happens(word, detection or 0.0)


def test_detection_is_a_chance() -> None:
    counts = {}
    for detection in (0.0, 0.25, 1.0):
        rows = play_deals(["cheat"] * 3, 20_000, rules=HONEST, revoke_detection=detection)
        found, revokes = (np.bitwise_count(bits).sum() for bits in (rows.found, rows.revokes))
        counts[detection] = (int(found), int(revokes))
    assert counts[0.0][1] == counts[0.25][1] == counts[1.0][1] > 10_000  # they play the same
    assert counts[0.0][0] == 0
    assert counts[1.0][0] == counts[1.0][1]
    n = counts[0.25][1]
    assert abs(counts[0.25][0] - 0.25 * n) < 5 * (0.25 * 0.75 * n) ** 0.5


# ------------------------------------------------------------------- games counted from their deals


@pytest.mark.parametrize(
    ("names", "first_dealer", "options"),
    [
        (["odds", "steady", "novice"], 0, {}),
        (["novice", "steady:four=3", "novice"], 1, {"rules": Rules(target=3, moon_points=5)}),
        (["cheat", "random", "cheat"], 2, {"rules": HONEST, "revoke_detection": 0.5}),
        (["steady:three=5,swap_below=0"] * 3, 2, {"rules": Rules(target=6, revoke_penalty=3)}),
    ],
    ids=["standard", "short", "cheats", "redeals"],
)
def test_games_are_what_their_deals_make(
    names: Sequence[str], first_dealer: int, options: Options
) -> None:
    seed, start, n, limit = 2**63 + 5, 2**32 - 400, 300, 40
    played = options.get("rules", STANDARD)
    found = play_games(
        names, n, seed=seed, start=start, first_dealer=first_dealer, max_deals=limit, **options
    )
    ends: set[str] = set()
    for game in range(n):
        index = (start + game) * 2**32
        # The deals of the game, each by every dealer; deal d is dealt by seat first_dealer + d.
        by_dealer = [
            play_deals(names, limit, seed=seed, start=index, dealer=dealer, **options)
            for dealer in range(3)
        ]
        scores, moons, failed = [0, 0, 0], [0, 0, 0], [0, 0, 0]
        redeals = ties = deals = 0
        winner, last = -1, (0, 0, 0)
        tied: list[int] = []
        while winner < 0 and deals < limit:
            rows, row = by_dealer[(first_dealer + deals) % 3], deals
            deals += 1
            declarer, bid = int(rows.declarer[row]), int(rows.bid[row])
            if declarer < 0:
                redeals += 1
                continue
            scores = [a + b for a, b in zip(scores, rows.points[row].tolist(), strict=True)]
            made = int(rows.tricks[row, declarer]) >= bid
            if bid == 6:
                (moons if made else failed)[declarer] += 1
            on_top = [seat for seat in range(3) if scores[seat] == max(scores)]
            if max(scores) < played.target:
                continue
            if len(on_top) == 1:
                winner, last = on_top[0], (declarer, bid, int(made))
            else:
                ties += 1
                tied = tied or on_top
        behind = int(winner >= 0 and bool(tied) and winner not in tied)
        assert found.winner[game] == winner
        assert found.scores[game].tolist() == scores
        assert (found.deals[game], found.redeals[game], found.ties[game]) == (deals, redeals, ties)
        assert found.behind[game] == behind
        assert (found.moons[game].tolist(), found.moons_set[game].tolist()) == (moons, failed)
        own = (found.last_declarer[game], found.last_bid[game], found.last_made[game])
        assert own == last
        ends |= {"over"} if winner >= 0 else {"unfinished"}
        ends |= {"redeal"} if redeals else set()
        ends |= {"tie"} if ties else set()
    assert "over" in ends
    assert (found.decided_by_moon <= ((found.last_bid == 6) & (found.winner >= 0))).all()
    expected = {0: {"over", "tie"}, 1: {"over", "tie"}, 2: {"over"}}
    assert ends >= expected.get(first_dealer, set())


def test_dealers_differ_in_who_bids_first_only() -> None:
    """A deal that starts with the dealer is one that his right neighbour deals, if all may pass."""
    names = ["steady", "random", "novice"]
    for first_dealer in range(3):
        usual = play_games(names, 200, first_dealer=first_dealer, max_deals=30)
        moved = play_games(
            names, 200, first_dealer=(first_dealer + 1) % 3, max_deals=30, rules=DEALER_FIRST
        )
        check_same(dataclasses.replace(moved, rules=STANDARD), usual)
    stuck = [
        play_deals(names, 500, dealer=dealer, rules=played)
        for dealer, played in ((0, STUCK_DEALER), (1, STUCK_FIRST))
    ]
    assert stuck[0].points.tolist() != stuck[1].points.tolist()  # who is stuck is the dealer


# ------------------------------------------------------------------------------ arguments, results


@pytest.mark.parametrize(
    ("arguments", "kind", "says"),
    [
        ({"count": -1}, GamesError, "must not be negative, not -1"),
        ({"count": 1.0}, TypeError, "must be a whole number, not 1.0"),
        ({"count": True}, TypeError, "must be a whole number, not True"),
        ({"start": -1}, SeedError, "start must be from 0 to 2\\*\\*64 - 1, not -1"),
        ({"seed": 2**64}, SeedError, "seed must be from 0 to 2\\*\\*64 - 1"),
        ({"engine": "fast"}, GamesError, "engine must be auto or compiled or referee, not 'fast'"),
        ({"revoke_detection": 1.5}, TableError, "from 0 to 1, or None, not 1.5"),
        ({"revoke_detection": float("nan")}, TableError, "from 0 to 1, or None, not nan"),
        ({"rules": "standard"}, TypeError, "rules must be a Rules"),
        ({"names": ["steady"] * 2}, ValueError, "three"),
        ({"names": ["steady", "steady", "stead"]}, ValueError, "did you mean 'steady'"),
    ],
)
@pytest.mark.parametrize("play", [play_deals, play_games])
def test_arguments_are_checked(
    play: Callable[..., Any], arguments: dict[str, Any], kind: type[Exception], says: str
) -> None:
    options: Options = {"names": ["steady"] * 3, "count": 1} | arguments
    with pytest.raises(kind, match=says):
        play(options.pop("names"), options.pop("count"), **options)


@pytest.mark.parametrize("engine", ["compiled", "referee"])
def test_ranges(engine: Any) -> None:
    three = ["novice"] * 3
    assert play_deals(three, 1, start=LAST, seed=LAST, engine=engine).dealer.tolist() == [0]
    assert len(play_games(three, 1, start=2**32 - 1, max_deals=1, engine=engine)) == 1
    with pytest.raises(GamesError, match="run past the last, 2\\*\\*64 - 1"):
        play_deals(three, 2, start=LAST, engine=engine)
    with pytest.raises(GamesError, match="run past the last, 2\\*\\*32 - 1"):
        play_games(three, 2, start=2**32 - 1, engine=engine)
    for dealer in (3, -1):
        with pytest.raises(GamesError, match=f"dealer must be a seat 0, 1 or 2.*not {dealer}"):
            play_deals(three, 1, dealer=dealer, engine=engine)
        with pytest.raises(GamesError, match=f"first_dealer must be a seat.*not {dealer}"):
            play_games(three, 1, first_dealer=dealer, engine=engine)
    for limit in (0, -1, 2**31):
        with pytest.raises(GamesError, match=f"max_deals must be from 1 to .*, not {limit}"):
            play_games(three, 1, max_deals=limit, engine=engine)


@pytest.mark.parametrize(
    ("engine", "detection"), [("compiled", True), ("compiled", "0.5"), ("referee", "0.5")]
)
def test_a_detection_that_is_no_number(engine: Any, detection: Any) -> None:
    with pytest.raises(TypeError, match="revoke_detection must be a number from 0 to 1, or None"):
        play_deals(["novice"] * 3, 1, revoke_detection=detection, engine=engine)


def test_no_deals_and_no_games() -> None:
    engines: list[Any] = ["compiled", "referee"]
    for engine in engines:
        calls: list[int] = []
        nothing = play_deals(["novice"] * 3, 0, engine=engine, progress=counted(calls))
        assert (len(nothing), nothing.cards.shape, calls) == (0, (0, 18), [0])
        none = play_games(["novice"] * 3, 0, engine=engine)
        assert (len(none), none.scores.shape) == (0, (0, 3))
        assert len(nothing.to_frame()) == len(none.to_frame()) == 0


def test_no_deals_in_writing() -> None:
    assert repr(play_deals(["novice"] * 3, 0)).startswith("DealResults(0 deals of seed 0 from 0")


def test_results_are_values() -> None:
    deals = play_deals(["steady", "novice", "random"], 30, seed=4, start=9)
    few = play_games(["steady", "novice", "random"], 5, seed=4, start=9)
    for results, other in (
        (deals, play_deals(["steady", "novice", "random"], 30, seed=4, start=10)),
        (few, play_games(["steady", "novice", "random"], 5, seed=4, start=10)),
    ):
        assert pickle.loads(pickle.dumps(results)) == results != other
        assert results != "results"
        with pytest.raises(TypeError, match="unhashable"):
            hash(results)
        renamed = dataclasses.replace(results, strategies=("steady", "steady", "random"))
        assert renamed != results
    assert deals != few
    assert repr(deals).startswith("DealResults(30 deals of seed 4 from 9, steady / novice / random")
    assert repr(few).startswith("GameResults(5 games of seed 4 from 9, steady / novice / random")
    frame = deals.to_frame()
    assert frame["deal"].tolist() == list(range(9, 39))
    assert frame["cards_17"].tolist() == deals.cards[:, 17].tolist()
    assert list(frame.filter(like="points")) == ["points_0", "points_1", "points_2"]
    assert few.to_frame()["winner"].tolist() == few.winner.tolist()


@pytest.mark.parametrize("start", [2**63 - 1, LAST - 2])
def test_frames_of_the_last_deals(start: int) -> None:
    frame = play_deals(["novice"] * 3, 2, start=start).to_frame()
    assert [int(deal) for deal in frame["deal"]] == [start, start + 1]


@pytest.mark.parametrize("backend", ["multiprocessing", "threading", "sequential"])
def test_the_referee_plays_on_any_backend(backend: str) -> None:
    # multiprocessing hands out results only when all are there.
    with joblib.parallel_config(backend, n_jobs=2):
        played = play_deals(["random", "novice", "novice"], 120, seed=5, engine="referee")
    assert played == play_deals(["random", "novice", "novice"], 120, seed=5, engine="compiled")


def test_games_that_may_be_long_are_played_in_small_pieces() -> None:
    calls: list[int] = []
    few = play_games(["steady"] * 3, 40, max_deals=300_000, progress=counted(calls))
    assert calls == [4, 1, 1, 1, 1]  # how many there will be, then one by one
    assert few == play_games(["steady"] * 3, 40, max_deals=1_000)
