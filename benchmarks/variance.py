"""Variance reduction: how many deals each piece saves, what it costs, and what is left.

    python benchmarks/variance.py

prints the table of docs/variance.md; the same measurements are benchmarks of run.py.
"""

from __future__ import annotations

import functools
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from measure import Row, Timing, Work, in_turn, median, ratios, sized, warm_up

if TYPE_CHECKING:
    from ghostsim.simulate.moments import Moments

#: A hand worth nothing unless it is traded, and one worth something.
LITTLE, MIDDLING = "9S TS 9C TC 9H TH", "JS AS TS 9C KH 9D"
ROUNDS = 10

#: The numbers of deals 0 to n - 1 of a seed, one a deal.
Numbers: TypeAlias = Callable[[int, int], Any]


@dataclass(frozen=True)
class Question:
    """What is estimated, with and without.

    Attributes
    ----------
    piece, asked : str
        What is tried, and on which question.
    n : int
        Deals a round, for either side.
    plain, reduced : callable
        The variance that a deal brings, from n deals of a seed.
    """

    piece: str
    asked: str
    n: int
    plain: Callable[[int, int], float]
    reduced: Callable[[int, int], float]

    def measured(self) -> Measured:
        """Both sides in turn, on other deals in every round."""

        def work(side: Callable[[int, int], float]) -> Work:
            return lambda number: side(number, self.n)

        works = {
            f"{self.asked}: plain": work(self.plain),
            f"{self.asked}: {self.piece}": work(self.reduced),
        }
        warm_up(works)
        plain, reduced = in_turn(works, ROUNDS).values()
        return Measured(self, plain, reduced)


@dataclass(frozen=True)
class Measured:
    """The variances and the seconds of both sides, round by round."""

    question: Question
    plain: Timing
    reduced: Timing

    @property
    def factor(self) -> tuple[float, ...]:
        """The variance over that with the piece: how many plain deals one deal is worth."""
        return ratios(self.plain.results, self.reduced.results)

    @property
    def cost(self) -> tuple[float, ...]:
        """The time of a deal with the piece over that of a plain one."""
        return ratios(self.reduced.seconds, self.plain.seconds)

    @property
    def net(self) -> tuple[float, ...]:
        """The time for an interval without the piece, over that with it."""
        return ratios(self.factor, self.cost)

    def rows(self) -> list[Row]:
        """As benchmarks show them."""
        factor = self.factor
        note = (
            f"{_saved(factor)} % of deals saved; {self.question.n:,} deals a round, "
            f"standard error {_error(factor):.2g}"
        )
        name = f"{self.question.asked}: {self.question.piece}"
        return [
            Row(f"{name}: variance, plain over this", "x", factor, note=note),
            Row(f"{name}: time of a deal, this over plain", "x", self.cost),
            Row(f"{name}: time for an interval, plain over this", "x", self.net),
        ]

    def cells(self) -> tuple[str, ...]:
        """As the page shows them."""
        factor = self.factor
        return (
            self.question.piece,
            self.question.asked,
            f"{median(factor):.2f} ± {_error(factor):.2g}",
            _saved(factor),
            f"{median(self.cost):.2f}",
            f"{median(self.net):.2f}",
            f"{len(factor)} x {self.question.n:,}",
        )


def _error(values: Sequence[float]) -> float:
    """The standard error of the mean of the rounds."""
    error: float = statistics.stdev(values) / len(values) ** 0.5
    return error


def _saved(factor: Sequence[float]) -> str:
    return f"{100 * (1 - 1 / median(factor)):.0f}"


def _variance(columns: Mapping[str, Any], *, y: Any = "y", per: int = 1) -> float:
    """What a unit brings to the variance of a mean."""
    mean = _moments(columns).mean(y, per=per)
    assert mean is not None
    return float(mean.standard_error**2 * mean.n)


def _controlled(columns: Mapping[str, Any], means: Mapping[str, Fraction], per: int = 1) -> float:
    from ghostsim.simulate.variance import controlled_mean

    mean = controlled_mean(_moments(columns), "y", means, per=per)
    return mean.standard_error**2 * mean.n


def _moments(columns: Mapping[str, Any]) -> Moments:
    from ghostsim.simulate.moments import Moments, moment_sums

    n = len(next(iter(columns.values())))
    return Moments(tuple(columns), moment_sums(columns), n, 0.95, "benchmark")


def _plainly(numbers: Numbers) -> Callable[[int, int], float]:
    return lambda seed, n: _variance({"y": numbers(seed, n)})


# ---------------------------------------------------------------------------------- common deals


def common_deals() -> list[Row]:
    """The difference of two options: each on deals of its own, and both on the same deals."""
    return _rows(_common_deals())


def _common_deals() -> list[Question]:
    from ghostsim.rules import Rules

    def question(name: str, n: int, a: Numbers, b: Numbers) -> Question:
        def apart(seed: int, n: int) -> float:
            return _variance({"y": a(2 * seed, n)}) + _variance({"y": b(2 * seed + 1, n)})

        def together(seed: int, n: int) -> float:
            return _variance({"a": a(seed, n), "b": b(seed, n)}, y={"a": 1, "b": -1})

        return Question("common deals", name, sized(n), apart, together)

    return [
        question("bid 5 less bid 4", 50_000, _solo(5), _solo(4)),
        question("bid 4 in the best trump less the second", 50_000, _solo(4), _solo(4, 1)),
        question(f"swap less keep, {MIDDLING}", 50_000, _swap(MIDDLING), _keep(MIDDLING)),
        question(
            "odds less steady, beside two steady",
            100_000,
            _table(["odds", "steady", "steady"]),
            _table(["steady", "steady", "steady"]),
        ),
        question(
            "a moon for 12 less one for 24, three odds",
            100_000,
            _table(["odds"] * 3, Rules(moon_points=12)),
            _table(["odds"] * 3),
        ),
        question(
            "defenders score nothing less something, three odds",
            100_000,
            _table(["odds"] * 3, Rules(defenders_score=False)),
            _table(["odds"] * 3),
        ),
    ]


def _solo(bid: int, place: int = 0) -> Numbers:
    """Seat 0's points of a bid in his best trump by the odds, or in the one at another place."""
    import numpy as np

    from ghostsim.batches import solve_many
    from ghostsim.class_odds import class_odds, points_by_tricks, trump_in_hand
    from ghostsim.deals import random_hands
    from ghostsim.rules import STANDARD, Bid

    def numbers(seed: int, n: int) -> Any:
        hands = random_hands(n, seed=seed)
        odds = class_odds(STANDARD)
        totals = odds.totals[:, :, STANDARD.bids.index(Bid(bid))]
        trump = np.argsort(-totals, axis=1, kind="stable")[:, place]
        own = hands[:, 0]
        named = trump_in_hand(own, trump[odds.classes.number(own)])
        return points_by_tricks(Bid(bid), STANDARD)[solve_many(hands, named)]

    return numbers


def _table(names: list[str], rules: Any = None, dealer: int | None = None) -> Numbers:
    """Points of seat 0, played in turn by each dealer or by one."""
    from ghostsim.rules import STANDARD
    from ghostsim.simulate.games import play_deals

    return lambda seed, n: play_deals(
        names, n, seed=seed, dealer=dealer, rules=rules or STANDARD, n_jobs=1
    ).points[:, 0]


# ---------------------------------------------------------------------------------------- orbits


def orbits() -> list[Row]:
    """One deal used several times, over one deal used once; an orbit is one deal."""
    return _rows(_orbits())


def _orbits() -> list[Question]:
    from ghostsim.simulate.variance import hand_orders, seat_orders, suit_relabellings

    def each_hand(hands: Any) -> Any:
        return hand_orders(hands)[:, :4]

    def each_suit(hands: Any) -> Any:
        return suit_relabellings(hands)[:, :4]

    def hands_and_suits(hands: Any) -> Any:
        return each_suit(each_hand(hands).reshape(-1, 3)).reshape(len(hands), 16, 3)

    members = {
        "two orders of the defenders": lambda hands: seat_orders(hands)[:, [0, 3]],
        "three rotations": lambda hands: seat_orders(hands)[:, :3],
        "six seat orders": seat_orders,
        "each of four hands declares": each_hand,
        "four trumps": each_suit,
        "each of four hands in four trumps": hands_and_suits,
    }
    last = list(members)[-1]
    questions = [
        Question(
            name,
            f"P_coalition(make {bid} in spades)",
            sized(20_000),
            _plainly(functools.partial(_made, bid=bid)),
            functools.partial(_made_variance, bid=bid, orbit=orbit),
        )
        for bid, name, orbit in (
            *((4, name, orbit) for name, orbit in members.items()),
            (6, last, members[last]),
        )
    ]
    return [
        *questions,
        Question(
            "eight relabellings",
            "bid 4 in the best trump",
            sized(20_000),
            _plainly(_solo(4)),
            lambda seed, n: _orbit_variance(_relabelled_points(seed, n)),
        ),
        *(
            Question(
                "three rotations",
                f"points of the {place}, three odds",
                sized(100_000),
                _plainly(_table(["odds"] * 3, dealer=dealer)),
                functools.partial(_rotation_variance, dealer=dealer),
            )
            for place, dealer in (("dealer", 0), ("first bidder", 2))
        ),
    ]


def _orbit_variance(members: Any) -> float:
    """``members``: numbers, a row a deal."""
    return _variance({"y": members.sum(axis=1)}, per=members.shape[1])


def _made_variance(seed: int, n: int, bid: int, orbit: Callable[[Any], Any]) -> float:
    return _orbit_variance(_made(seed, n, bid, orbit))


def _made(
    seed: int, n: int, bid: int, orbit: Callable[[Any], Any] | None = None, **how: Any
) -> Any:
    """Whether the declarer makes a bid in spades; a row a deal if there is an orbit."""
    from ghostsim.batches import solve_many
    from ghostsim.deals import random_hands

    hands = random_hands(n, seed=seed)
    if orbit is None:
        tricks = solve_many(hands, "S", **how)
        return (tricks if tricks.ndim == 1 else tricks[:, 0]) >= bid
    return solve_many(orbit(hands).reshape(-1, 3), "S").reshape(n, -1) >= bid


def _relabelled_points(seed: int, n: int) -> Any:
    from ghostsim.batches import solve_many
    from ghostsim.class_odds import class_odds, points_by_tricks, trump_in_hand
    from ghostsim.deals import random_hands
    from ghostsim.rules import STANDARD, Bid
    from ghostsim.simulate.variance import suit_relabellings

    hands = suit_relabellings(random_hands(n, seed=seed)).reshape(-1, 3)
    odds = class_odds(STANDARD)
    trump = odds.totals[:, :, 1].argmax(axis=1)[odds.classes.number(hands[:, 0])]
    tricks = solve_many(hands, trump_in_hand(hands[:, 0], trump))
    return points_by_tricks(Bid(4), STANDARD)[tricks].reshape(n, -1)


def _rotation_variance(seed: int, n: int, dealer: int) -> float:
    return _orbit_variance(_rotated_points(seed, n, dealer))


def _rotated_points(seed: int, n: int, dealer: int = 0) -> Any:
    """Points of seat 0 and of who takes its place when another deals; three plays a deal."""
    import numpy as np

    from ghostsim.simulate.games import play_deals

    plays = [
        play_deals(["odds"] * 3, n, seed=seed, dealer=(dealer + turn) % 3, n_jobs=1).points[:, turn]
        for turn in range(3)
    ]
    return np.column_stack(plays)


# -------------------------------------------------------------------------------------- controls


def controls() -> list[Row]:
    """Control variates, over plain means; the coefficients are those of the same deals."""
    return _rows(_controls())


def _controls() -> list[Question]:
    from ghostsim.cards import Suit
    from ghostsim.class_odds import LAYOUTS, hand_counts
    from ghostsim.hand_classes import all_hands
    from ghostsim.rules import Bid
    from ghostsim.simulate.variance import HandControl

    makes = HandControl.makes(Bid(4), Suit.SPADES)
    made = hand_counts(all_hands(), Suit.SPADES)[:, 4:].sum()
    exact = Fraction(int(made), LAYOUTS * 134_596)
    odds = {
        "solo": HandControl.solo_points(),
        **{f"bid {bid}": HandControl.bid_points(Bid(bid)) for bid in (4, 5, 6)},
    }

    def selfish(seed: int, n: int) -> Any:
        return _made(seed, n, 4, defence="selfish")

    def by_hands(y: Numbers, tables: Mapping[str, Any], places: Sequence[int]) -> Any:
        def side(seed: int, n: int) -> float:
            columns, means = _hand_columns(seed, n, tables, [[place] for place in places])
            return _controlled({"y": y(seed, n), **columns}, means)

        return side

    def by_the_coalition(seed: int, n: int) -> float:
        columns = {"y": selfish(seed, n), "coalition": _made(seed, n, 4)}
        return _controlled(columns, {"coalition": exact})

    def rotated(seed: int, n: int) -> float:
        columns, means = _hand_columns(seed, n, odds, [[0, 1, 2], [3]])
        return _controlled({"y": _rotated_points(seed, n).sum(axis=1), **columns}, means, 3)

    dealer = _table(["odds"] * 3, dealer=0)
    asked, points = "P_selfish(make 4 in spades)", "points of the dealer, three odds"
    return [
        Question(
            "odds of his hand",
            asked,
            sized(20_000),
            _plainly(selfish),
            by_hands(selfish, {"makes": makes}, [0]),
        ),
        Question(
            "odds of all four hands",
            asked,
            sized(20_000),
            _plainly(selfish),
            by_hands(selfish, {"makes": makes}, range(4)),
        ),
        Question(
            "the coalition on the same deals",
            asked,
            sized(20_000),
            _plainly(selfish),
            by_the_coalition,
        ),
        Question(
            "solo value of his hand",
            points,
            sized(100_000),
            _plainly(dealer),
            by_hands(dealer, {"solo": odds["solo"]}, [0]),
        ),
        Question(
            "values of four bids of his hand",
            points,
            sized(100_000),
            _plainly(dealer),
            by_hands(dealer, odds, [0]),
        ),
        Question(
            "values of four bids of all hands",
            points,
            sized(100_000),
            _plainly(dealer),
            by_hands(dealer, odds, range(4)),
        ),
        Question(
            "three rotations, values of four bids of all hands",
            points,
            sized(100_000),
            _plainly(dealer),
            rotated,
        ),
    ]


def _hand_columns(
    seed: int, n: int, tables: Mapping[str, Any], places: Sequence[Sequence[int]]
) -> tuple[dict[str, Any], dict[str, Fraction]]:
    """Controls of the hands at some places (3 the ghost's), added up by group, with their means."""
    import numpy as np

    from ghostsim.cards import ALL_CARDS
    from ghostsim.deals import random_hands

    hands = random_hands(n, seed=seed)
    four = np.column_stack([hands, ALL_CARDS & ~np.bitwise_or.reduce(hands, axis=1)])
    columns, means = {}, {}
    for group in places:
        masks = four[:, list(group)]
        for name, table in tables.items():
            columns[f"{name} {group}"] = table.of(masks).sum(axis=1)
            means[f"{name} {group}"] = len(group) * table.mean
    return columns, means


# ---------------------------------------------------------------------------------------- ghosts


def ghosts() -> list[Row]:
    """What a hand may be traded for: 84 ghosts a round, one a stratum, over ghosts at random."""
    return _rows(_ghosts())


def _ghosts() -> list[Question]:
    import numpy as np

    from ghostsim.class_odds import LAYOUTS
    from ghostsim.hand_classes import holdings
    from ghostsim.simulate.variance import ghost_points, ghosts_beside, stratify_ghosts

    beside, points = ghosts_beside(LITTLE), ghost_points(LITTLE)
    exact = Fraction(int(points.sum()), LAYOUTS) * 924
    by_holdings = holdings(beside) @ np.array([100, 10, 1])

    def stratified(by: Any, defence: str) -> Callable[[int, int], float]:
        strata = stratify_ghosts(LITTLE, by, strata=84)

        def side(seed: int, n: int) -> float:
            hands = strata.deal(n // 84, seed=seed)
            drawn = _ghost_points(LITTLE, hands.reshape(-1, 3), defence)
            # A round is a unit; it has 84 deals.
            return 84 * _variance({"y": drawn.reshape(-1, 84).sum(axis=1)}, per=84)

        return side

    def controlled(seed: int, n: int) -> float:
        hands = stratify_ghosts(LITTLE, strata=1).deal(n, seed=seed)[:, 0]
        columns = {
            "y": _ghost_points(LITTLE, hands, "coalition"),
            "exact": points[np.searchsorted(beside, hands[:, 0])],
        }
        return _controlled(columns, {"exact": exact})

    n = sized(504 * 100, 84 * 30) // 84 * 84
    plain = _plainly(_swap(LITTLE))
    selfish = _plainly(_swap(LITTLE, "selfish"))
    return [
        Question(
            "strata by holding",
            f"swap value of {LITTLE}",
            n,
            plain,
            stratified(by_holdings, "coalition"),
        ),
        Question(
            "strata by exact value",
            f"swap value of {LITTLE}",
            n,
            plain,
            stratified(points, "coalition"),
        ),
        Question("exact value as a control", f"swap value of {LITTLE}", n, plain, controlled),
        Question(
            "strata by exact value",
            f"swap value of {LITTLE}, selfish defenders",
            n,
            selfish,
            stratified(points, "selfish"),
        ),
    ]


def _swap(hand: str, defence: str = "coalition") -> Numbers:
    """The points of the ghost, bid by the odds."""
    from ghostsim.simulate.variance import stratify_ghosts

    one = stratify_ghosts(hand, strata=1)
    return lambda seed, n: _ghost_points(hand, one.deal(n, seed=seed)[:, 0], defence)


def _keep(hand: str) -> Numbers:
    """The points of the hand itself on the same layouts, bid by the odds."""
    from ghostsim import Hand, solo_value
    from ghostsim.batches import solve_many
    from ghostsim.class_odds import points_by_tricks
    from ghostsim.rules import STANDARD
    from ghostsim.simulate.variance import stratify_ghosts

    one, value = stratify_ghosts(hand, strata=1), solo_value(hand)
    bid, trump = value.bid, value.trump
    assert bid is not None and trump is not None

    def numbers(seed: int, n: int) -> Any:
        hands = one.deal(n, seed=seed)[:, 0]
        hands[:, 0] = Hand(hand).mask
        return points_by_tricks(bid, STANDARD)[solve_many(hands, trump)]

    return numbers


def _ghost_points(hand: str, hands: Any, defence: str) -> Any:
    import numpy as np

    from ghostsim import Hand
    from ghostsim.batches import solve_many
    from ghostsim.class_odds import points_by_tricks
    from ghostsim.kernels.openings import choose_range
    from ghostsim.openings import shipped_patterns
    from ghostsim.rules import STANDARD

    n = len(hands)
    bid, trump = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    by_bid = np.stack([points_by_tricks(bid, STANDARD) for bid in STANDARD.bids])
    dead = np.full(n, Hand(hand).mask)
    choose_range(hands[:, 0].copy(), dead, shipped_patterns(), by_bid, 0, n, bid, trump)
    declares = bid >= 0
    points = np.zeros(n, dtype=np.int64)
    tricks = solve_many(hands[declares], trump[declares], defence=defence)  # type: ignore[arg-type]
    points[declares] = by_bid[bid[declares], tricks if tricks.ndim == 1 else tricks[:, 0]]
    return points


# ----------------------------------------------------------------------------------------- table


def _rows(questions: Sequence[Question]) -> list[Row]:
    return [row for question in questions for row in question.measured().rows()]


HEADINGS = (
    "piece",
    "question",
    "variance factor ± SE",
    "deals saved, %",
    "cost factor of a deal",
    "net factor",
    "deals",
)


def main() -> None:
    """Measure everything here, and print the table of docs/variance.md."""
    lines: list[tuple[str, ...]] = [HEADINGS, ("---",) * 2 + ("---:",) * (len(HEADINGS) - 2)]
    for questions in (_common_deals, _orbits, _controls, _ghosts):
        lines += [question.measured().cells() for question in questions()]
    print("\n".join(f"| {' | '.join(line)} |" for line in lines))


if __name__ == "__main__":
    main()
