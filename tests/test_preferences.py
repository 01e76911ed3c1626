"""What selfish players want: the tie rule of the design, clause by clause."""

import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostsim.kernels.selfish import OUTCOMES
from ghostsim.preferences import PreferenceError, Preferences, Ties, preferences
from ghostsim.rules import STANDARD, VARIANTS, Bid, Rules
from strategies import bids, rules

#: Tricks to come: the declarer's, his left's, his right's.
Tricks = tuple[int, int, int]

DECLARER, LEFT, RIGHT = range(3)
TIES: tuple[Ties, ...] = ("standard", "defenders reversed", "declarer reversed", "reversed")


def possible(to_go: int) -> list[Tricks]:
    """Every way to share so many tricks."""
    return [
        (declarer, left, to_go - declarer - left)
        for declarer in range(to_go + 1)
        for left in range(to_go - declarer + 1)
    ]


def ranked(wanted: Preferences, to_go: int, taken: int, role: int) -> list[Tricks]:
    """The outcomes by their ranks in the table that the kernels read, the worst first."""
    by_rank = {}
    for number, (declarer, left) in enumerate(OUTCOMES.tolist()):
        rank = int(wanted.ranks[to_go, taken, role, number])
        if declarer + left <= to_go:
            assert rank not in by_rank, "two outcomes of one rank"
            by_rank[rank] = (declarer, left, to_go - declarer - left)
        else:
            assert rank == -1
    assert sorted(by_rank) == list(range(len(possible(to_go))))
    return [by_rank[rank] for rank in sorted(by_rank)]


def likes_better(
    wanted: Preferences, role: int, one: Tricks, other: Tricks, to_go: int = 0, taken: int = 0
) -> bool:
    """Whether a role ranks one outcome above another."""
    order = ranked(wanted, to_go or sum(one), taken, role)
    return order.index(one) > order.index(other)


# ------------------------------------------------------------------- the words of the tie rule


TRICKS = Preferences()


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("role", "better", "worse"),
    [
        # Each wants the most for himself, whatever becomes of the others.
        (DECLARER, (2, 2, 0), (1, 1, 2)),
        (LEFT, (3, 1, 0), (0, 0, 4)),
        (RIGHT, (3, 0, 1), (4, 0, 0)),
        # An indifferent defender picks the least for the declarer; the rest is then the other's.
        (LEFT, (0, 1, 3), (1, 1, 2)),
        (LEFT, (2, 0, 2), (3, 0, 1)),
        (RIGHT, (1, 2, 1), (2, 1, 1)),
        # An indifferent declarer: the most even split between the defenders.
        (DECLARER, (0, 2, 2), (0, 1, 3)),
        (DECLARER, (0, 2, 2), (0, 3, 1)),
        (DECLARER, (0, 1, 3), (0, 4, 0)),
        (DECLARER, (0, 3, 1), (0, 0, 4)),
        # Then the least for the left one.
        (DECLARER, (1, 1, 2), (1, 2, 1)),
        (DECLARER, (0, 1, 3), (0, 3, 1)),
        (DECLARER, (0, 0, 4), (0, 4, 0)),
    ],
)
def test_four_tricks(role: int, better: Tricks, worse: Tricks) -> None:
    assert likes_better(TRICKS, role, better, worse)
    own = better[role] != worse[role]
    for ties, turned in (
        ("defenders reversed", role != DECLARER),
        ("declarer reversed", role == DECLARER),
        ("reversed", True),
    ):
        # Reversed are the ties, and never what is wanted for oneself.
        expected = own or not turned
        assert likes_better(Preferences(ties=ties), role, better, worse) == expected  # type: ignore[arg-type]


def points(bid: int, **changes: Any) -> Preferences:
    ties = changes.pop("ties", "standard")
    return Preferences("points", Bid(bid), STANDARD.replace(**changes), ties)


@pytest.mark.jit_off
def test_a_declarer_who_is_set_lets_the_defenders_share_evenly_what_he_leaves_them() -> None:
    # He has none of four tricks, and bid 5: what he takes now is worth nothing to him. The least
    # for the defenders together is to take all the tricks that he can.
    wanted = points(5)
    assert likes_better(wanted, DECLARER, (4, 0, 0), (3, 0, 1))
    assert likes_better(wanted, DECLARER, (3, 0, 1), (2, 1, 1))
    assert likes_better(wanted, DECLARER, (2, 1, 1), (2, 0, 2))
    assert likes_better(wanted, DECLARER, (2, 0, 2), (2, 2, 0))
    # Reversed, he leaves them the most, the least evenly, and most to the left one.
    reverse = points(5, ties="declarer reversed")
    assert ranked(reverse, 4, 0, DECLARER) == ranked(wanted, 4, 0, DECLARER)[::-1]


@pytest.mark.jit_off
def test_a_defender_would_rather_set_the_declarer() -> None:
    # Bid 3, one trick taken, three to go: (1, ...) sets him, which is worse for him than (2, ...).
    wanted = points(3)
    assert likes_better(wanted, LEFT, (1, 1, 1), (2, 1, 0), taken=1)
    assert likes_better(wanted, RIGHT, (1, 1, 1), (2, 0, 1), taken=1)
    # A trick of his own is better still.
    assert likes_better(wanted, LEFT, (2, 1, 0), (1, 0, 2), taken=1)
    # The declarer is set either way: the tie is broken for the other defender, then by tricks.
    assert likes_better(wanted, LEFT, (1, 1, 1), (0, 1, 2), taken=1)
    assert likes_better(points(3, ties="reversed"), LEFT, (0, 1, 2), (1, 1, 1), taken=1)
    # Where a set declarer keeps his tricks, they are worth something to him.
    assert likes_better(points(3, set_keeps_tricks=True), LEFT, (0, 1, 2), (1, 1, 1), taken=1)


@pytest.mark.jit_off
def test_tricks_decide_where_all_points_are_equal() -> None:
    # Only the declarer scores, and he is set: there is nothing in it for anybody but tricks.
    wanted = points(6, defenders_score=False)
    assert ranked(wanted, 4, 0, DECLARER) == ranked(TRICKS, 4, 0, DECLARER)
    assert ranked(wanted, 4, 0, LEFT) == ranked(TRICKS, 4, 0, LEFT)
    # As long as the moon is possible, it decides: one trick less or four are the same to him.
    assert ranked(wanted, 4, 2, DECLARER)[-1] == (4, 0, 0)
    assert likes_better(wanted, LEFT, (3, 0, 1), (4, 0, 0), taken=2)
    assert likes_better(wanted, LEFT, (3, 1, 0), (3, 0, 1), taken=2)
    # A moon that wins as little as it loses: for a declarer who may still make it there is
    # nothing to play for, so that he would deny the defenders.
    level = points(6, moon_points=0, moon_set_points=0)
    assert ranked(level, 2, 4, DECLARER) == [
        (0, 2, 0),
        (0, 0, 2),
        (0, 1, 1),
        (1, 1, 0),
        (1, 0, 1),
        (2, 0, 0),
    ]


@pytest.mark.jit_off
def test_a_moon_worth_less_than_being_set_is_not_wanted() -> None:
    # No declarer would bid it, but the rules allow it: points 0, or lost 6, or kept tricks.
    wanted = points(6, moon_points=0, moon_set_points=0, set_keeps_tricks=True)
    assert ranked(wanted, 2, 4, DECLARER)[-1] == (1, 0, 1)  # five points and not none
    assert ranked(wanted, 2, 4, DECLARER)[0] == (2, 0, 0)


@pytest.mark.jit_off
def test_to_make_the_bid_comes_before_overtricks() -> None:
    wanted = points(4)
    order = [tricks[0] for tricks in ranked(wanted, 3, 2, DECLARER)]
    assert order == [0, 0, 0, 0, 1, 1, 1, 2, 2, 3]  # -4, -4, 4 and 5 points
    assert ranked(wanted, 3, 2, DECLARER)[:4] == [(0, 3, 0), (0, 0, 3), (0, 2, 1), (0, 1, 2)]
    # One trick needed is like playing for tricks: being set costs more than any trick.
    assert ranked(wanted, 3, 3, DECLARER) == ranked(TRICKS, 3, 0, DECLARER)


# -------------------------------------------------------- every order, by an independent reference


def points_of(bid: Bid, rules: Rules, tricks: Tricks, taken: int) -> Tricks:
    """The declarer's points of the deal by the words of the rules, and what defenders still get."""
    total = tricks[DECLARER] + taken
    is_moon = bid == 6
    if total >= bid:
        declarer = rules.moon_points if is_moon else total
    else:
        declarer = -(rules.moon_set_points if is_moon else int(bid))
        if rules.set_keeps_tricks:
            declarer += total
    if rules.defenders_score:
        return declarer, tricks[LEFT], tricks[RIGHT]
    return declarer, 0, 0


def wish(role: int, gains: Tricks, sign: int) -> list[int]:
    """What a role looks at, in order, the more the better; ``sign`` -1 turns the ties around."""
    declarer, left, right = gains
    if role == DECLARER:
        # The least for the defenders together, the most even split, the least for the left one.
        return [declarer, -sign * (left + right), -sign * abs(left - right), -sign * left]
    # The least for the declarer, then the least for the other defender.
    own, other = (left, right) if role == LEFT else (right, left)
    return [own, -sign * declarer, -sign * other]


def expected_order(
    objective: str, bid: Bid, rules: Rules, ties: str, to_go: int, taken: int, role: int
) -> list[Tricks]:
    turned = {
        "standard": (),
        "defenders reversed": (LEFT, RIGHT),
        "declarer reversed": (DECLARER,),
        "reversed": (DECLARER, LEFT, RIGHT),
    }[ties]
    sign = -1 if role in turned else 1

    def key(tricks: Tricks) -> list[int]:
        by_tricks = wish(role, tricks, sign)
        if objective == "tricks":
            return by_tricks
        return wish(role, points_of(bid, rules, tricks, taken), sign) + by_tricks

    return sorted(possible(to_go), key=key)


def assert_is_expected(objective: Any, bid: Bid, rules: Rules, ties: Ties) -> None:
    wanted = Preferences(objective, bid, rules, ties)
    assert wanted.ranks.dtype == np.int8
    assert wanted.ranks.shape == (7, 7, 3, 28)
    for to_go, taken in itertools.product(range(7), range(7)):
        for role in range(3):
            if to_go + taken > 6:
                assert (wanted.ranks[to_go, taken, role] == -1).all()
                continue
            expected = expected_order(objective, bid, rules, ties, to_go, taken, role)
            assert ranked(wanted, to_go, taken, role) == expected, (to_go, taken, role)


@pytest.mark.jit_off
@pytest.mark.parametrize("ties", TIES)
def test_playing_for_tricks_is_ranked_by_the_words_of_the_design(ties: Ties) -> None:
    assert_is_expected("tricks", Bid.THREE, STANDARD, ties)


ODD_RULES = {
    "set keeps tricks": Rules(set_keeps_tricks=True),
    "worthless moon": Rules(moon_points=0, moon_set_points=0),
    "moon as good as five": Rules(moon_points=5, set_keeps_tricks=True),
    "silent, keeps": Rules(defenders_score=False, set_keeps_tricks=True, moon_points=0),
}


@pytest.mark.jit_off
@pytest.mark.parametrize("bid", Bid)
@pytest.mark.parametrize("name", [*VARIANTS, *ODD_RULES])
def test_playing_for_points_is_ranked_by_the_words_of_the_design(name: str, bid: Bid) -> None:
    assert_is_expected("points", bid, {**VARIANTS, **ODD_RULES}[name], "standard")


@pytest.mark.jit_off
@pytest.mark.parametrize("ties", TIES[1:])
@pytest.mark.parametrize("bid", [Bid.FOUR, Bid.MOON])
@pytest.mark.parametrize("name", ["standard", "silent-defenders", "silent, keeps"])
def test_reversed_ties_are_ranked_by_the_words_of_the_design(
    name: str, bid: Bid, ties: Ties
) -> None:
    assert_is_expected("points", bid, {**VARIANTS, **ODD_RULES}[name], ties)


@pytest.mark.jit_off
@settings(max_examples=15)  # of the millions of rules
@given(rules=rules, bid=bids, ties=st.sampled_from(TIES))
def test_any_rules_are_ranked_by_the_words_of_the_design(
    rules: Rules, bid: Bid, ties: Ties
) -> None:
    assert_is_expected("points", bid, rules.replace(min_bid=3), ties)


# ------------------------------------------------------------------------------ as values


@pytest.mark.jit_off
def test_points_need_a_bid() -> None:
    with pytest.raises(PreferenceError, match="objective 'points' needs a bid"):
        Preferences("points")
    with pytest.raises(PreferenceError, match="objective must be tricks or points, not 'equity'"):
        Preferences("equity")  # type: ignore[arg-type]
    allowed = "standard or defenders reversed or declarer reversed or reversed"
    with pytest.raises(PreferenceError, match=f"ties must be {allowed}, not 'random'"):
        Preferences(ties="random")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="rules must be a Rules"):
        Preferences("points", Bid.THREE, "half-moon")  # type: ignore[arg-type]
    assert issubclass(PreferenceError, ValueError)


@pytest.mark.jit_off
def test_equal_by_value() -> None:
    # Neither bid nor rules matter to those who play for tricks.
    assert Preferences("tricks", Bid.FIVE, Rules(moon_points=12)) == Preferences()
    assert Preferences("tricks", Bid.FIVE).bid is None
    assert Preferences("tricks", rules=Rules(moon_points=12)).rules == STANDARD
    different = [
        Preferences(),
        Preferences(ties="reversed"),
        points(3),
        points(4),
        points(3, moon_points=12),
        points(3, ties="reversed"),
    ]
    assert len(set(different)) == len(different)
    for one, other in itertools.product(different, different):
        assert (one == other) == (one is other)
    same = [pickle.loads(pickle.dumps(wanted)) for wanted in different]
    for wanted in different:
        _ = wanted.ranks  # having worked them out changes nothing
    assert same == different
    assert [hash(wanted) for wanted in same] == [hash(wanted) for wanted in different]
    assert np.array_equal(pickle.loads(pickle.dumps(different[3])).ranks, different[3].ranks)


@pytest.mark.jit_off
def test_equal_preferences_are_kept_with_their_ranks() -> None:
    kept = preferences("points", Bid.FOUR)
    assert kept == points(4)
    assert preferences("points", Bid.FOUR) is kept
    assert kept.ranks is kept.ranks


@pytest.mark.jit_off
def test_in_words() -> None:
    assert str(Preferences()) == "tricks"
    assert str(Preferences(ties="declarer reversed")) == "tricks, ties declarer reversed"
    assert str(points(4)) == "points, bid 4"
    assert str(points(6, moon_points=12)) == "points, moon_points=12, bid moon"
    assert points(6, moon_points=12, ties="reversed").terms() == (
        "points, moon_points=12, ties reversed"
    )


# --------------------------------------------------------------------------------- their keys


def orders_that_matter(wanted: Preferences, tricks: int, taken: int) -> tuple[Any, ...]:
    """How every role ranks the outcomes, wherever so many tricks may lead to."""
    return tuple(
        tuple(ranked(wanted, to_go, now, role))
        for to_go in range(1, tricks + 1)
        for now in range(taken, taken + tricks - to_go + 1)
        for role in range(3)
    )


@pytest.mark.jit_off
@pytest.mark.parametrize("tricks", [1, 2, 4, 5])
def test_keys_are_equal_if_and_only_if_all_wishes_that_matter_are(tricks: int) -> None:
    many = [
        Preferences(),
        Preferences(ties="reversed"),
        *(points(bid) for bid in (3, 4, 5, 6)),
        points(5, ties="defenders reversed"),
        *(points(bid, moon_points=0) for bid in (5, 6)),
        *(points(bid, set_keeps_tricks=True) for bid in (3, 6)),
        *(points(bid, defenders_score=False) for bid in (3, 6)),
    ]
    by_key: dict[str, set[Any]] = {}
    by_orders: dict[Any, set[str]] = {}
    for wanted, taken in itertools.product(many, range(7 - tricks)):
        key, orders = wanted.key(tricks, taken), orders_that_matter(wanted, tricks, taken)
        by_key.setdefault(key, set()).add(orders)
        by_orders.setdefault(orders, set()).add(key)
    assert {len(orders) for orders in by_key.values()} == {1}
    assert {len(keys) for keys in by_orders.values()} == {1}
    assert len(by_key) > 2


@pytest.mark.jit_off
def test_keys_of_bids_that_need_as_much() -> None:
    assert points(3).key(4, 0) == points(4).key(4, 1) == points(5).key(4, 2)
    assert points(3).key(4, 0) != points(4).key(4, 0)
    assert points(3).key(2, 4) == Preferences().key(2, 4) == Preferences().key(2, 0)
    # Rules for the auction and the score of the game do not matter to a deal that is played.
    for changes in ({"target": 100}, {"all_pass": "dealer_bids"}, {"swaps_per_deal": 0}):
        assert points(3, **changes).key(4, 0) == points(3).key(4, 0)
