"""Exact odds of a hand: how many tricks it takes, what to bid on it, what a swap is worth.

Everything here is counted, not sampled: with the dead hand known over the 924 splits of the
other twelve cards, with the ghost unknown over all 17,153,136 layouts. The model is
``P_coalition``: in each layout all three see all cards and play perfectly, both defenders
together. That is a way to value hands, not a forecast of real play and no bound for it. *Solo*
values leave the auction out: the player either declares or scores nothing.
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ghostsim.cards import Card, CardError, Hand, Suit
from ghostsim.class_odds import LAYOUTS, MODEL, bid_totals, hand_counts, swap_totals
from ghostsim.rules import STANDARD, Bid, Rules, check_rules

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    HandLike = Hand | str | list[Card]


@dataclass(frozen=True)
class TrickDistribution:
    """The exact distribution of a declarer's tricks.

    Attributes
    ----------
    hand : Hand
    trump : Suit
    dead : Hand or None
        The known dead hand; None if any six of the other cards may be the ghost.
    counts : int64 (7,)
        Layouts in which the declarer takes 0, 1, ... 6 tricks. Not writeable.
    """

    hand: Hand
    trump: Suit
    dead: Hand | None
    counts: NDArray[np.int64]

    def __post_init__(self) -> None:
        self.counts.flags.writeable = False

    def __reduce__(self) -> tuple[type[TrickDistribution], tuple[object, ...]]:
        # Through the constructor: an array comes out of a pickle writeable.
        return TrickDistribution, (self.hand, self.trump, self.dead, self.counts)

    @property
    def layouts(self) -> int:
        """All layouts: 17,153,136 with the ghost unknown, 924 with the dead hand known."""
        return int(self.counts.sum())

    @property
    def pmf(self) -> NDArray[np.float64]:
        """The probability of each number of tricks; float64 (7,)."""
        probabilities: NDArray[np.float64] = self.counts / self.layouts
        return probabilities

    def p_make(self, bid: Bid | str | int) -> float:
        """P_coalition(make a bid): the probability of at least as many tricks as it needs."""
        return int(self.counts[Bid.parse(bid) :].sum()) / self.layouts

    @property
    def mean(self) -> float:
        """Mean tricks."""
        return int(self.counts @ np.arange(7)) / self.layouts

    def to_frame(self) -> pd.DataFrame:
        """One row for each number of tricks: layouts, probability, probability of at least."""
        import pandas as pd

        at_least = np.cumsum(self.counts[::-1])[::-1]
        return pd.DataFrame(
            {
                "tricks": np.arange(7),
                "layouts": self.counts,
                "p": self.pmf,
                "p_at_least": at_least / self.layouts,
            }
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """A bar for each number of tricks."""
        from ghostsim import plots

        return plots.trick_distribution(self.to_frame(), title=self._title(), ax=ax)

    def _title(self) -> str:
        dead = "any ghost" if self.dead is None else f"dead {self.dead.format(pretty=True)}"
        shown = self.hand.format(self.trump, pretty=True)
        return f"{shown}, {self.trump.name.lower()} trump, {dead}"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TrickDistribution)
            and (self.hand, self.trump, self.dead) == (other.hand, other.trump, other.dead)
            and bool((self.counts == other.counts).all())
        )

    def __hash__(self) -> int:
        return hash((self.hand, self.trump, self.dead))

    def __repr__(self) -> str:
        return (
            f"TrickDistribution({self._title()}: mean {self.mean:.3f} tricks, "
            f"counts {self.counts.tolist()})"
        )

    def _repr_html_(self) -> str:
        return _table_html(self.to_frame(), f"{self._title()} (exact, {MODEL})")


@dataclass(frozen=True)
class BidTable:
    """What each bid in each trump is worth: P_coalition(make) and mean points.

    ``distributions`` has one entry a trump, in the order spades, clubs, hearts, diamonds.
    """

    hand: Hand
    dead: Hand | None
    rules: Rules
    distributions: tuple[TrickDistribution, ...]

    def to_frame(self) -> pd.DataFrame:
        """One row for each trump and bid.

        Columns: ``trump`` (letter), ``bid`` (3-6; 6 is the moon), ``p_make`` (probability),
        ``points`` (the declarer's mean points of the deal).
        """
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "trump": distribution.trump.letter,
                    "bid": int(bid),
                    "p_make": distribution.p_make(bid),
                    "points": int(total) / distribution.layouts,
                }
                for distribution in self.distributions
                for bid, total in zip(
                    self.rules.bids, bid_totals(distribution.counts, self.rules), strict=True
                )
            ]
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Mean points of every bid, a colour for each trump."""
        from ghostsim import plots

        return plots.bid_table(self.to_frame(), title=self._title(), ax=ax)

    def _title(self) -> str:
        dead = "any ghost" if self.dead is None else f"dead {self.dead.format(pretty=True)}"
        return f"{self.hand.format(pretty=True)}, {dead}"

    def __repr__(self) -> str:
        frame = self.to_frame()
        shown = frame.assign(bid=[str(Bid(bid)) for bid in frame["bid"]])
        table = shown.to_string(
            index=False, formatters={"p_make": "{:.4f}".format, "points": "{:+.3f}".format}
        )
        return f"BidTable({self._title()}; {self.rules}; exact, {MODEL})\n{table}"

    def _repr_html_(self) -> str:
        """Trumps down, bids across."""
        frame = self.to_frame()
        cells = [
            f"{points:+.2f} ({p_make:.1%})"
            for points, p_make in zip(frame["points"], frame["p_make"], strict=True)
        ]
        wide = frame.assign(cell=cells, bid=[str(Bid(bid)) for bid in frame["bid"]]).pivot(
            index="trump", columns="bid", values="cell"
        )
        wide = wide.loc[[suit.letter for suit in Suit], [str(bid) for bid in self.rules.bids]]
        caption = f"{self._title()}: mean points and P(make) ({self.rules}; exact, {MODEL})"
        return _table_html(wide.reset_index().rename_axis(columns=None), caption)


@dataclass(frozen=True)
class SoloValue:
    """The best thing to do with a hand when nobody else bids.

    Attributes
    ----------
    hand : Hand
    dead : Hand or None
    rules : Rules
    points : float
        Mean points of the deal; 0 for a pass.
    bid : Bid or None
        None to pass. A pass is preferred to a bid of the same value, a lower bid to a higher one,
        and then trumps in the order S C H D.
    trump : Suit or None
    """

    hand: Hand
    dead: Hand | None
    rules: Rules
    points: float
    bid: Bid | None
    trump: Suit | None

    def to_frame(self) -> pd.DataFrame:
        """One row."""
        import pandas as pd

        row = {
            "hand": str(self.hand),
            "dead": None if self.dead is None else str(self.dead),
            "bid": "pass" if self.bid is None else str(self.bid),
            "trump": None if self.trump is None else self.trump.letter,
            "points": self.points,
        }
        return pd.DataFrame([row])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Mean points of every bid, a colour for each trump."""
        return bid_table(self.hand, self.dead, self.rules).plot(ax)

    def __str__(self) -> str:
        if self.bid is None or self.trump is None:
            return f"{self.hand.format(pretty=True)}: pass, 0 points (exact, {MODEL})"
        return (
            f"{self.hand.format(self.trump, pretty=True)}: bid {self.bid} in "
            f"{self.trump.name.lower()}, {self.points:+.3f} points (exact, {MODEL})"
        )

    def __repr__(self) -> str:
        return f"SoloValue({self})"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(str(self))}</p>"


def trick_distribution(
    hand: HandLike, trump: Suit | str | int, dead: HandLike | None = None
) -> TrickDistribution:
    """How many tricks a declarer takes with a hand, leading to the first trick: exact.

    Parameters
    ----------
    hand : Hand or text
    trump : Suit, str or int
        The suit named: a ``Suit``, ``"S"`` or 0-3.
    dead : Hand or text, optional
        The six dead cards if the player knows them (he swapped); otherwise the ghost may be any
        six of the other 18 cards, all equally likely.

    Returns
    -------
    TrickDistribution

    Raises
    ------
    CardError
        If a hand is not six cards, ``trump`` not a suit, or ``dead`` shares a card with ``hand``.

    Examples
    --------
    The nine of diamonds wins the last trick only if all other diamonds are in the ghost: 13 ghosts
    hold these five and one card more.

    >>> trick_distribution("JS JC AS KS AH 9D", trump="S").counts.tolist()
    [0, 0, 0, 0, 0, 17141124, 12012]
    >>> 13 * 924
    12012
    """
    mine, gone = _checked(hand, dead)
    return _distribution(mine, Suit.parse(trump, "trump"), gone)


def bid_table(hand: HandLike, dead: HandLike | None = None, rules: Rules = STANDARD) -> BidTable:
    """P(make) and mean points of every bid in every trump: exact.

    Parameters, errors: as ``trick_distribution``.

    Examples
    --------
    >>> bid_table("JS JC AS KS AH 9D").to_frame().head(4).round(3)
      trump  bid  p_make  points
    0     S    3   1.000   5.001
    1     S    4   1.000   5.001
    2     S    5   1.000   5.001
    3     S    6   0.001  -5.979
    """
    check_rules(rules)
    mine, gone = _checked(hand, dead)
    distributions = tuple(_distribution(mine, suit, gone) for suit in Suit)
    return BidTable(mine, gone, rules, distributions)


def solo_value(hand: HandLike, dead: HandLike | None = None, rules: Rules = STANDARD) -> SoloValue:
    """The best of passing (0 points) and every bid in every trump, by mean points: exact.

    Parameters, errors: as ``trick_distribution``.

    Examples
    --------
    >>> value = solo_value("JS JC AS KS AH AD")
    >>> value.bid, value.trump, value.points
    (<Bid.MOON: 6>, <Suit.SPADES: 0>, 24.0)
    """
    check_rules(rules)
    mine, gone = _checked(hand, dead)
    best: tuple[int, Bid | None, Suit | None] = (0, None, None)
    distributions = [_distribution(mine, suit, gone) for suit in Suit]
    totals = [bid_totals(distribution.counts, rules) for distribution in distributions]
    for i, bid in enumerate(rules.bids):
        for suit in Suit:
            if totals[suit][i] > best[0]:
                best = (int(totals[suit][i]), bid, suit)
    return SoloValue(mine, gone, rules, best[0] / distributions[0].layouts, best[1], best[2])


def swap_value(hand: HandLike, rules: Rules = STANDARD) -> float:
    """What trading a hand for the ghost is worth: mean solo points of the new hand, exact.

    The mean is over the 18,564 hands that the ghost may be; the solo value of each is taken with
    the old hand dead, as the player then knows.

    Parameters
    ----------
    hand : Hand or text
        The hand given up.
    rules : Rules

    Returns
    -------
    float
        Points.

    Raises
    ------
    CardError
        If the hand is not six cards.
    RulesError
        If the rules allow no swap.

    Examples
    --------
    >>> round(swap_value("9S TS 9C TC 9H TH"), 4)
    2.7793
    """
    check_rules(rules)
    mine, _ = _checked(hand, None)
    return int(swap_totals(np.array([mine.mask]), rules)[0]) / LAYOUTS


def swap_gain(hand: HandLike, rules: Rules = STANDARD) -> float:
    """What a swap gains over keeping the hand: ``swap_value - solo_value``, points, exact.

    Parameters, errors: as ``swap_value``.
    """
    return swap_value(hand, rules) - solo_value(hand, rules=rules).points


def _distribution(hand: Hand, trump: Suit, dead: Hand | None) -> TrickDistribution:
    if dead is None:
        counts = hand_counts(np.array([hand.mask], dtype=np.int64), trump)[0]
    else:
        from ghostsim.kernels.openings import pattern_number
        from ghostsim.openings import shipped_patterns

        number = pattern_number(hand.mask, dead.mask, int(trump))
        counts = shipped_patterns()[number].astype(np.int64)
    return TrickDistribution(hand, trump, dead, counts)


def _checked(hand: HandLike, dead: HandLike | None) -> tuple[Hand, Hand | None]:
    mine = hand if isinstance(hand, Hand) else Hand(hand)
    if dead is None:
        return mine, None
    gone = dead if isinstance(dead, Hand) else Hand.parse(dead, "dead hand")
    shared = [str(card) for card in gone if card in mine]
    if shared:
        raise CardError(
            f"dead hand {gone} shares {' '.join(shared)} with the hand {mine}: a card is in one"
        )
    return mine, gone


def _table_html(frame: pd.DataFrame, caption: str) -> str:
    table = frame.to_html(
        index=False,
        border=0,
        float_format="{:.4f}".format,
        formatters={"layouts": "{:,}".format},
    )
    return table.replace("<thead>", f"<caption>{html.escape(caption)}</caption><thead>", 1)
