"""Hints: what the odds and the layouts say about the decision that a seat has before it.

Everything is computed from a ``View``, so a hint knows no more than its seat does. Swaps, bids
and trumps are judged by exact odds of the hand (``P_coalition``), as if nobody else bid. Cards are
judged by mean values over layouts that fit the view, one set of layouts for all cards
(``P_pimc``): in each layout all see all cards from this card on, and the defenders work together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ghostsim.batches import card_values_many
from ghostsim.cards import Card, Hand, Suit, sort_cards
from ghostsim.class_odds import LAYOUTS, MODEL, points_by_tricks
from ghostsim.errors import GhostsimError
from ghostsim.layouts import all_layouts, count_layouts, sample_layouts
from ghostsim.odds import TrickDistribution, bid_table
from ghostsim.rules import Bid, Rules
from ghostsim.stats import Estimate, check_level, estimate_mean, estimate_proportion
from ghostsim.strategies.choice import best_choice
from ghostsim.strategies.odds import worth_of_swap
from ghostsim.table.view import View

#: Layouts that a hint about a card looks at, if more than these fit.
HINT_LAYOUTS = 4_000
#: The completion model of a hint about a card: perfect information, Monte Carlo.
PIMC = "P_pimc"

ShowCard = Callable[[Card], str]


class HintError(GhostsimError):
    """A view that has no decision of the kind that a hint is asked about."""


# ------------------------------------------------------------------------- swaps, bids and trumps


@dataclass(frozen=True)
class BidHint:
    """What each bid that a seat may make is worth in each trump, by exact odds of its hand.

    Attributes
    ----------
    rules : Rules
    bids : tuple of Bid
        The bids to choose from.
    may_pass : bool
        Whether a pass, worth 0 points, may be chosen too. It may not by a dealer who must bid,
        nor when trump is named for a bid that stands.
    distributions : tuple of TrickDistribution
        Of the hand as declarer, by trump in the order S C H D.
    """

    rules: Rules
    bids: tuple[Bid, ...]
    may_pass: bool
    distributions: tuple[TrickDistribution, ...]

    def p_make(self, bid: Bid, trump: Suit) -> float:
        """P_coalition(make the bid), exact."""
        return self.distributions[trump].p_make(bid)

    def points(self, bid: Bid | None, trump: Suit | None = None) -> float:
        """Mean points of a bid, in its best trump if none is named; 0 for a pass."""
        return self._total(bid, trump) / self.distributions[0].layouts

    def _total(self, bid: Bid | None, trump: Suit | None = None) -> int:
        if bid is None:
            return 0
        if trump is None:
            return max(self._total(bid, suit) for suit in Suit)
        return int(self.distributions[trump].counts @ points_by_tricks(bid, self.rules))

    @property
    def best(self) -> tuple[Bid | None, Suit | None]:
        """The best bid and its trump; of equals a pass, the lower bid, the first trump S C H D."""
        worth = {(bid, suit): self._total(bid, suit) for bid in self.bids for suit in Suit}
        choice = best_choice(worth, self.bids, 0 if self.may_pass else None)
        return choice.bid, choice.trump

    def missed(self, bid: Bid | None, trump: Suit | None = None) -> float:
        """How many points a choice is worth less than the best one."""
        if bid is None and not self.may_pass:
            bid = self.bids[0]  # a dealer who must bid, and passes, has made the lowest bid
        best = self._total(*self.best)
        return (best - self._total(bid, trump)) / self.distributions[0].layouts

    def best_text(self) -> str:
        """The best choice in words, like "bid 4 in hearts"."""
        bid, trump = self.best
        return "pass" if bid is None or trump is None else f"bid {bid} in {trump.name.lower()}"

    def text(self) -> str:
        """A table of trumps and bids, and what is best."""
        heads = "".join(f"{f'bid {bid}' if bid < Bid.MOON else 'moon':>16}" for bid in self.bids)
        rows = [
            f"  {suit.name.lower():<9}"
            + "".join(
                f"{f'{self.p_make(bid, suit):.1%}':>8}{self.points(bid, suit):>+8.2f}"
                for bid in self.bids
            )
            for suit in Suit
        ]
        made = "chance to make it, mean points"
        best = f"{self.best_text()}, {self.points(*self.best):+.2f}"
        if self.best[0] is None:
            best = "pass, which counts as 0"
        elif self.may_pass:
            best += "; a pass counts as 0"
        return "\n".join(
            [
                f"  {made} ({MODEL}, exact; nobody else bids)",
                f"  {'':<9}{heads}",
                *rows,
                f"  best: {best}",
            ]
        )


@dataclass(frozen=True)
class SwapHint:
    """Whether to trade the hand for the ghost, by exact odds.

    Attributes
    ----------
    keep : BidHint
        What the hand is worth if it is kept.
    swap_points : float
        Mean points of the best choice with the ghost, over the 18,564 hands that it may be.
    """

    keep: BidHint
    swap_points: float

    @property
    def keep_points(self) -> float:
        """Mean points of the best choice with the hand kept."""
        return self.keep.points(*self.keep.best)

    @property
    def gain(self) -> float:
        """Mean points that a swap gains over keeping the hand; below 0 if it loses."""
        return self.swap_points - self.keep_points

    def missed(self, swapped: bool) -> float:
        """How many points a choice is worth less than the better one."""
        return max(0.0, -self.gain if swapped else self.gain)

    def text(self) -> str:
        """Both choices, and the gain."""
        verdict = f"a swap gains {self.gain:.2f}"
        if self.gain <= 0:
            verdict = f"a swap loses {-self.gain:.2f}"
        return "\n".join(
            [
                f"  mean points ({MODEL}, exact; nobody else bids)",
                f"  keep: {self.keep_points:+.2f}  ({self.keep.best_text()})",
                f"  swap: {self.swap_points:+.2f}  (the best with each of the 18,564 ghosts)",
                f"  best: {'swap' if self.gain > 0 else 'keep'}; {verdict}",
            ]
        )


def bid_hint(view: View) -> BidHint:
    """The worth of every bid that may be made; the dead hand counts if the seat knows it.

    Raises
    ------
    HintError
        If no bid may be made, or the auction is over.
    """
    if view.trump is not None or view.declarer is not None or not view.bids:
        raise HintError(f"seat {view.seat} has no bid to make")
    return _hint(view, view.bids, not view.must_bid)


def trump_hint(view: View) -> BidHint:
    """The worth of every trump for the bid that stands.

    Raises
    ------
    HintError
        If it is not this seat that names trump now.
    """
    if view.bid is None or view.declarer != view.seat or view.trump is not None:
        raise HintError(f"seat {view.seat} has no trump to name")
    return _hint(view, (view.bid,), False)


def swap_hint(view: View) -> SwapHint:
    """The worth of keeping the hand, and of trading it for the ghost.

    Raises
    ------
    HintError
        If there is nothing to be had any more, or no bid to make with it.
    """
    if not view.can_swap:
        raise HintError(f"seat {view.seat} cannot swap")
    keep = bid_hint(view)
    passing = 0 if keep.may_pass else None
    total = worth_of_swap(Hand(view.hand), view.bids, passing, view.rules)
    return SwapHint(keep, total / LAYOUTS)


def _hint(view: View, bids: tuple[Bid, ...], may_pass: bool) -> BidHint:
    table = bid_table(Hand(view.hand), view.dead, view.rules)
    return BidHint(view.rules, bids, may_pass, table.distributions)


# ------------------------------------------------------------------------------------------- cards


@dataclass(frozen=True)
class CardHint:
    """What one legal card is worth to the declarer, over the layouts of a hint.

    Attributes
    ----------
    card : Card
    tricks : Estimate
        Of the declarer, in the whole deal.
    p_make : Estimate
        P_pimc(the declarer makes his bid).
    points : Estimate
        Of the declarer, in the deal.
    behind : Estimate
        How many of the declarer's points the card is worse than the best one, for the seat that
        plays it. The difference is taken layout by layout.
    """

    card: Card
    tricks: Estimate
    p_make: Estimate
    points: Estimate
    behind: Estimate


@dataclass(frozen=True)
class CardsHint:
    """Every legal card over one set of layouts.

    Attributes
    ----------
    cards : tuple of CardHint
        The best first. A declarer wants more points for himself, a defender fewer for him; of
        equals in points the better in tricks, then as a player holds them.
    seat, declarer : int
    bid : Bid
    n : int
        How many layouts were looked at.
    fitting : int
        How many fit the view. If n is as many, the hint is exact for its model.
    """

    cards: tuple[CardHint, ...]
    seat: int
    declarer: int
    bid: Bid
    n: int
    fitting: int

    @property
    def is_exact(self) -> bool:
        """Whether every layout that fits has been looked at."""
        return self.n == self.fitting

    @property
    def best(self) -> Card:
        return self.cards[0].card

    def text(self, show: ShowCard = str, *, symbols: bool = False) -> str:
        """A row for each card, the best first; ``symbols`` if more than ASCII can be printed."""
        if len(self.cards) == 1:
            return f"  your only card by the rules: {show(self.best)}"
        layouts = f"{self.n:,} of the {self.fitting:,} layouts that fit, drawn by lot"
        if self.is_exact:
            layouts = f"all {self.n:,} layouts that fit" if self.n > 1 else "the one layout left"
        bid = "the moon" if self.bid is Bid.MOON else self.bid
        heads = ["declarer's tricks", f"he makes {bid}", "his points"]
        aim = "you defend: lower is better"
        if self.seat == self.declarer:
            heads = ["your tricks", f"you make {bid}", "your points"]
            aim = "you declare: higher is better"
        off = "±" if symbols else "+-"
        rows = [
            f"  {show(hint.card):<5}{_shown(hint.tricks, off):>18}{_percent(hint.p_make):>21}"
            f"{_shown(hint.points, off):>16}{_behind(hint.behind, off):>16}"
            for hint in self.cards
        ]
        level = f"{100 * self.cards[0].points.level:g}%"
        luck = f"; {off} and [ ]: the luck of the draw ({level} intervals)"
        return "\n".join(
            [
                f"  {PIMC}: means over {layouts}",
                f"  in each, all see all cards from here on; {aim}",
                f"  {'':<5}{heads[0]:>18}{heads[1]:>21}{heads[2]:>16}{'worse by':>16}",
                *rows,
                f"  worse by: in points{'' if self.is_exact else luck}",
            ]
        )


def card_hint(
    view: View, n: int = HINT_LAYOUTS, word: int | None = None, *, level: float = 0.95
) -> CardsHint:
    """The mean worth of every legal card over layouts that fit the view.

    Parameters
    ----------
    view : View
        Of the seat that is to play.
    n : int
        Layouts to draw, two or more. If no more than these fit, each is taken once.
    word : int, optional
        The key of the draw; by default ``view.word``, so that a hint is the same when it is asked
        for again.
    level : float
        Of the intervals.

    Raises
    ------
    HintError
        If the seat has no card to play, or n is below 2.
    LayoutError
        If no layout fits the view.
    """
    if (
        view.trump is None
        or view.bid is None
        or view.declarer is None
        or view.leader is None
        or (view.leader + len(view.trick)) % 3 != view.seat
        or not view.hand
    ):
        raise HintError(f"seat {view.seat} has no card to play")
    if n < 2:
        raise HintError(f"a hint takes two layouts or more, not {n}")
    check_level(level)
    fitting = count_layouts(view)
    exact = fitting <= n
    key = view.word if word is None else word
    layouts = all_layouts(view) if exact else sample_layouts(view, n, key)
    trick = [card.index for card in view.trick]
    values = card_values_many(
        layouts[:, :3],
        view.trump,
        view.declarer,
        view.leader,
        trick=np.array([*trick, -1, -1][:2]),
        tricks=np.array(view.taken),
    ).astype(np.int64)
    legal = sort_cards(view.legal, view.trump)
    sign = 1 if view.seat == view.declarer else -1
    by_tricks = points_by_tricks(view.bid, view.rules)
    tricks = {card: values[:, card.index] for card in legal}
    points = {card: by_tricks[tricks[card]] for card in legal}
    # The sort is stable: of equals, as a player holds them.
    legal.sort(key=lambda card: (-sign * points[card].sum(), -sign * tricks[card].sum()))
    best = points[legal[0]]

    def mean(numbers: NDArray[np.int64]) -> Estimate:
        total, squares = int(numbers.sum()), int((numbers * numbers).sum())
        if exact:
            return _exactly(total / len(numbers), len(numbers), level)
        return estimate_mean(total, squares, n, level=level, model=PIMC)

    def proportion(made: NDArray[np.bool_]) -> Estimate:
        if exact:
            return _exactly(int(made.sum()) / len(made), len(made), level)
        return estimate_proportion(int(made.sum()), n, level=level, model=PIMC)

    hints = tuple(
        CardHint(
            card,
            mean(tricks[card]),
            proportion(tricks[card] >= view.bid),
            mean(points[card]),
            mean(sign * (best - points[card])),
        )
        for card in legal
    )
    return CardsHint(hints, view.seat, view.declarer, view.bid, len(layouts), fitting)


def _exactly(value: float, n: int, level: float) -> Estimate:
    """A mean over every layout: there is no error."""
    return Estimate(value, 0.0, value, value, level, n, "exact", PIMC)


def _shown(estimate: Estimate, off: str) -> str:
    if estimate.method == "exact":
        return f"{estimate.value:.2f}"
    return f"{estimate.value:.2f} {off}{estimate.high - estimate.value:.2f}"


def _percent(estimate: Estimate) -> str:
    if estimate.method == "exact":
        return f"{estimate.value:.1%}"
    value, low, high = (f"{x:.0%}" for x in (estimate.value, estimate.low, estimate.high))
    return value if low == high else f"{value} [{low}, {high}]"


def _behind(estimate: Estimate, off: str) -> str:
    return "best" if estimate.value == estimate.standard_error == 0 else _shown(estimate, off)
