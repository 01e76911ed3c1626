"""The double-dummy solver: one position, its value, its cards and its best play, all cards seen.

Two defences. The *coalition*: both defenders see everything and play together for as few of the
declarer's tricks as they can; he is sure of the value against any defence. *Selfish* (max^n):
every seat plays for its own tricks or points alone, and by the tie rule of ``Preferences``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ghostsim.batches import DealError, Defence, card_values_many, solve_many
from ghostsim.cards import Card, Hand, Suit, cards_html
from ghostsim.deals import Deal
from ghostsim.position import Position, PositionError
from ghostsim.preferences import Objective, preferences
from ghostsim.rules import STANDARD, Bid, Rules

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = [
    "CardValues",
    "DealError",
    "Solution",
    "best_line",
    "best_lines",
    "can_make",
    "card_values",
    "card_values_of",
    "format_line",
    "position_arrays",
    "solve",
    "solve_positions",
]

TrickCounts = tuple[int, int, int]


@dataclass(frozen=True)
class Solution:
    """The exact double-dummy value of a position.

    Attributes
    ----------
    position : Position
    declarer_tricks : int
        The tricks of the deal, 0-6, that the declarer takes, those taken already included.
    defence : str
        ``"coalition"`` or ``"selfish"``.
    objective : str
        What selfish seats play for: ``"tricks"`` or ``"points"``.
    rules : Rules
        How points are scored.
    settled : tuple of three int, or None
        The tricks of each seat, where the defence settles them: when selfish.
    """

    position: Position
    declarer_tricks: int
    defence: Defence = "coalition"
    objective: Objective = "tricks"
    rules: Rules = STANDARD
    settled: TrickCounts | None = None

    @functools.cached_property
    def tricks(self) -> TrickCounts:
        """The tricks of the deal by seat.

        Against the coalition the split between the defenders is that of ``best_line``; there may
        be other best lines with another split.
        """
        if self.settled is not None:
            return self.settled
        end = self.position
        for _, card in best_line(self.position):
            end = end.play(card)
        return end.tricks

    @property
    def points(self) -> TrickCounts:
        """The points of the deal by seat.

        Raises
        ------
        PositionError
            If the position has no bid.
        RulesError
            If the rules do not allow the bid.
        """
        return self.rules.deal_points(self.declarer, self._bid(), self.tricks)

    @property
    def declarer_points(self) -> int:
        """The declarer's points of the deal; raises as ``points`` does."""
        return self.rules.declarer_points(self._bid(), self.declarer_tricks)

    def _bid(self) -> Bid:
        if self.position.bid is None:
            raise PositionError("points depend on the contract: give a bid")
        return self.position.bid

    @property
    def trump(self) -> Suit:
        return self.position.trump

    @property
    def declarer(self) -> int:
        return self.position.declarer

    @property
    def leader(self) -> int:
        return self.position.leader

    def to_row(self) -> dict[str, object]:
        """What was asked and answered by column name: a row of ``to_frame``."""
        position = self.position
        row: dict[str, object] = {
            "trump": position.trump.letter,
            "declarer": position.declarer,
            "to_play": position.to_play,
            "defence": self.defence,
            "objective": self.objective,
            "declarer_tricks": self.declarer_tricks,
        }
        if self.settled is not None:
            row |= {f"tricks_{seat}": taken for seat, taken in enumerate(self.settled)}
        row["bid"] = row["declarer_points"] = None
        if position.bid is not None:
            row |= {"bid": str(position.bid), "declarer_points": self.declarer_points}
        row["position"] = position.text
        return row

    def to_frame(self) -> pd.DataFrame:
        """One row: what was asked, tricks, points if there is a bid, and the position."""
        import pandas as pd

        return pd.DataFrame([self.to_row()])

    def plot(self, ax: Axes | None = None) -> Axes:
        """The hands as a picture."""
        from ghostsim import plots

        return plots.hands(self._rows(), title=str(self), ax=ax)

    def _rows(self) -> list[tuple[str, list[str]]]:
        position = self.position
        names = [f"seat {seat}" for seat in range(3)]
        names[position.declarer] += ", declarer"
        if position.to_play is not None:
            names[position.to_play] += ", leads" if not position.trick else ", to play"
        rows = [
            (name, [card.pretty for card in hand])
            for name, hand in zip(names, position.hands, strict=True)
        ]
        if position.trick:
            rows.append(("trick", [card.pretty for card in position.trick]))
        elif position.tricks_to_go == 6:
            ghost = Deal(Hand(hand) for hand in position.hands).ghost
            rows.append(("ghost", ghost.format(position.trump, pretty=True).split()))
        return rows

    def __str__(self) -> str:
        against = (
            "against any defence"
            if self.defence == "coalition"
            else f"if each seat plays for its own {self.objective}"
        )
        bid, points = self.position.bid, ""
        if self.position.is_over:
            if bid is not None:
                made = "made" if self.declarer_tricks >= bid else "set"
                points = f": {_promise(bid)} is {made}, {self.declarer_points:+d} points"
            return (
                f"{self.trump.name.lower()} were trump: seat {self.declarer} took "
                f"{self.declarer_tricks} of 6 tricks{points}"
            )
        if bid is not None:
            points = f", {self.declarer_points:+d} points for {_promise(bid)},"
        return (
            f"{self.trump.name.lower()} are trump: seat {self.declarer} takes "
            f"{self.declarer_tricks} of 6 tricks{points} {against} (exact)"
        )

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>{self.position._repr_html_()}"


def _promise(bid: Bid) -> str:
    return "the moon" if bid is Bid.MOON else f"a bid of {bid}"


def solve(
    deal: Deal | Position,
    trump: Suit | str | int | None = None,
    declarer: int | None = None,
    leader: int | None = None,
    defence: Defence = "coalition",
    objective: Objective = "tricks",
    bid: Bid | str | int | None = None,
    rules: Rules = STANDARD,
) -> Solution:
    """What a deal or a position is worth with best play, all cards seen.

    Parameters
    ----------
    deal : Deal or Position
        A position brings its own trump, declarer, leader and bid, so they are not given again.
    trump : Suit, str or int
        The suit named: a ``Suit``, ``"S"`` or 0-3; spades if left out.
    declarer : int
        His seat, 0-2; 0 if left out.
    leader : int, optional
        The seat that leads to the first trick; by the rules the declarer.
    defence : {"coalition", "selfish"}
        Both defenders together against the declarer, or every seat for itself (max^n).
    objective : {"tricks", "points"}
        What selfish seats play for; for points there must be a bid. See ``Preferences``.
    bid : Bid, str or int, optional
        The contract.
    rules : Rules
        How points are scored.

    Returns
    -------
    Solution

    Raises
    ------
    CardError
        If ``trump`` is not a suit.
    PositionError
        If a seat is not 0, 1 or 2, or a position is given its trump, seats or bid twice.
    PreferenceError
        If an option is no such word, or there is no bid to count points for.
    RulesError
        If the bid is none, or the rules do not allow it.

    Examples
    --------
    Seat 0 has the four top trumps, an ace and the nine of diamonds. It wins, too: once three rounds
    of trumps are drawn, nobody has a trump left, and all other diamonds are in the ghost.

    >>> deal = Deal(hands=("JS JC AS KS AH 9D", "QS TS 9S AC KC QC", "TC 9C KH QH JH TH"))
    >>> solve(deal, trump="S").declarer_tricks
    6
    >>> solve(deal, trump="D", declarer=2, defence="selfish").tricks
    (2, 3, 1)
    >>> solve(deal, trump="S", bid="moon").declarer_points
    24
    """
    position = as_position(deal, trump, declarer, leader, bid)
    return solve_positions([position], defence, objective, rules)[0]


def solve_positions(
    positions: Sequence[Position],
    defence: Defence = "coalition",
    objective: Objective = "tricks",
    rules: Rules = STANDARD,
    n_jobs: int | None = None,
) -> list[Solution]:
    """``solve`` for many positions at once; ``n_jobs`` as for ``solve_many``."""
    values = solve_many(
        **position_arrays(positions),
        n_jobs=n_jobs,
        defence=defence,
        objective=objective,
        rules=rules,
    )
    if defence == "coalition":
        return [
            Solution(position, tricks, defence, objective, rules)
            for position, tricks in zip(positions, values.tolist(), strict=True)
        ]
    return [
        Solution(position, settled[position.declarer], defence, objective, rules, settled)
        for position, settled in zip(positions, map(_counts, values), strict=True)
    ]


def can_make(
    position: Position,
    bid: Bid | str | int,
    defence: Defence = "coalition",
    objective: Objective = "tricks",
    rules: Rules = STANDARD,
) -> bool:
    """Whether the declarer takes as many tricks of the deal as a bid needs.

    Against the coalition: whether he can be sure to. Parameters and errors: as ``solve``, with the
    bid in the place of the position's own.

    Examples
    --------
    >>> position = Position(("JS AS", "JC 9S", "KH QH"), "S", leader=0, tricks=(3, 1, 0))
    >>> can_make(position, 4), can_make(position, 5)
    (True, False)
    """
    named = Bid.parse(bid)
    asked = _with_bid(_checked(position), named)
    solution = solve(asked, defence=defence, objective=objective, rules=rules)
    return solution.declarer_tricks >= named


@dataclass(frozen=True, eq=False)
class CardValues(Mapping[Card, int]):
    """What each legal card of a position is worth: a mapping from card to the declarer's tricks.

    Attributes
    ----------
    position : Position
    defence, objective, rules
        As asked.
    settled : tuple of (Card, int) or of (Card, tricks by seat)
        What the defence settles: the declarer's tricks of the deal, or, when selfish, every seat's.
    best : tuple of Card
        The cards that the seat to play does best to play: all of them worth the same.
    """

    position: Position
    defence: Defence
    objective: Objective
    rules: Rules
    settled: tuple[tuple[Card, int | TrickCounts], ...]
    best: tuple[Card, ...]

    def __getitem__(self, card: Card | str) -> int:
        named = Card(card)
        if named not in self._values:
            legal = " ".join(map(str, self._values)) or "none"
            raise KeyError(f"{named} may not be played: the legal cards are {legal}")
        return self._values[named]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CardValues):
            return self._identity() == other._identity()
        return super().__eq__(other)  # as a mapping, to a dict of the declarer's tricks

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[object, ...]:
        return self.position, self.defence, self.objective, self.rules, self.settled

    def __iter__(self) -> Iterator[Card]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    @functools.cached_property
    def _values(self) -> dict[Card, int]:
        return {
            card: value if isinstance(value, int) else value[self.position.declarer]
            for card, value in self.settled
        }

    @property
    def seat(self) -> int:
        """The seat to play."""
        seat = self.position.to_play
        if seat is None:
            raise PositionError("the deal is over: there is no seat to play")
        return seat

    def tricks(self, card: Card | str) -> TrickCounts:
        """The tricks of every seat after a card.

        Raises
        ------
        PositionError
            Against the coalition, which does not settle who of the defenders takes what.
        """
        self[card]  # refuses a card that may not be played
        value = dict(self.settled)[Card(card)]
        if isinstance(value, int):
            raise PositionError("against the coalition only the declarer's tricks are settled")
        return value

    def cost(self, card: Card | str) -> int:
        """Tricks that a card costs the seat that plays it, or both defenders of a coalition."""
        return self._own(self.best[0]) - self._own(Card(card))

    def cost_in_points(self, card: Card | str) -> int:
        """Points of the deal that a card costs the seat that plays it.

        A coalition's gain is the declarer's loss. Negative only where a seat that plays for tricks
        scores more by fewer.

        Raises
        ------
        PositionError
            If the position has no bid.
        """
        return self._own_points(self.best[0]) - self._own_points(Card(card))

    def loss(self, card: Card | str) -> int:
        """What a card costs the seat that plays it, in what it plays for: tricks or points."""
        for_points = self.defence == "selfish" and self.objective == "points"
        return self.cost_in_points(card) if for_points else self.cost(card)

    def declarer_points(self, card: Card | str) -> int:
        """The declarer's points of the deal after a card; raises as ``cost_in_points`` does."""
        if self.position.bid is None:
            raise PositionError("points depend on the contract: give a bid")
        return self.rules.declarer_points(self.position.bid, self[card])

    def _own(self, card: Card) -> int:
        if self.defence == "selfish":
            return self.tricks(card)[self.seat]
        return self[card] if self.seat == self.position.declarer else -self[card]

    def _own_points(self, card: Card) -> int:
        declarer = self.declarer_points(card)
        if self.seat == self.position.declarer:
            return declarer
        if self.defence == "coalition":
            return -declarer
        return self._own(card) if self.rules.defenders_score else 0

    @functools.cached_property
    def runs(self) -> tuple[tuple[Card, ...], ...]:
        """The legal cards in runs: cards of one run lie next to each other among the cards in play.

        Which of a run is played makes no difference now or later. Highest first, in the order of
        the hand.
        """
        position = self.position
        in_play = [*position.trick, *(card for hand in position.hands for card in hand)]
        runs: list[list[Card]] = []
        for card in self:
            suit = card.suit_under(position.trump)
            strength = card.strength(position.trump)
            last = runs[-1][-1] if runs else None
            between = last is not None and [
                other
                for other in in_play
                if other.suit_under(position.trump) == suit
                and strength < other.strength(position.trump) < last.strength(position.trump)
            ]
            if last is None or last.suit_under(position.trump) != suit or between:
                runs.append([card])
            else:
                runs[-1].append(card)
        return tuple(tuple(run) for run in runs)

    def equals(self, card: Card | str) -> tuple[Card, ...]:
        """The other cards of a card's run."""
        named = Card(card)
        self[named]  # refuses a card that may not be played
        return next(tuple(c for c in run if c != named) for run in self.runs if named in run)

    def to_rows(self) -> list[dict[str, object]]:
        """One dict a card, by column name; points are None without a bid."""
        rows = []
        has_bid = self.position.bid is not None
        for card in self:
            row: dict[str, object] = {"seat": self.seat, "card": str(card)}
            row["declarer_tricks"] = self[card]
            if self.defence == "selfish":
                row |= {f"tricks_{seat}": taken for seat, taken in enumerate(self.tricks(card))}
            row |= {"cost": self.cost(card), "is_best": card in self.best}
            row["declarer_points"] = self.declarer_points(card) if has_bid else None
            row["cost_in_points"] = self.cost_in_points(card) if has_bid else None
            row["equals"] = " ".join(map(str, self.equals(card)))
            rows.append(row)
        return rows

    def to_frame(self) -> pd.DataFrame:
        """One row a card: tricks, what it costs, cards equal to it; points if there is a bid."""
        import pandas as pd

        frame = pd.DataFrame(self.to_rows())
        if self.position.bid is None:
            # Without cards, the deal being over, there are no columns.
            return frame.drop(columns=["declarer_points", "cost_in_points"], errors="ignore")
        return frame

    def plot(self, ax: Axes | None = None) -> Axes:
        """A bar for each card: the declarer's tricks, or when selfish those of the seat to play."""
        from ghostsim import plots

        selfish = self.defence == "selfish"
        title = self._title()  # first, because it refuses a deal that is over
        return plots.card_values(
            self.to_frame(),
            title=title,
            tricks=f"tricks_{self.seat}" if selfish else "declarer_tricks",
            label=f"tricks seat {self.seat} takes" if selfish else "tricks the declarer takes",
            ax=ax,
        )

    def _title(self) -> str:
        if self.position.is_over:
            return "the deal is over: there is no card to play"
        who = "the declarer" if self.seat == self.position.declarer else "a defender"
        how = "coalition" if self.defence == "coalition" else f"selfish, for {self.objective}"
        return (
            f"seat {self.seat}, {who}, to play; {self.position.trump.name.lower()} are trump; "
            f"defence: {how} (exact)"
        )

    def _note(self, card: Card) -> str:
        if card in self.best:
            return "best"
        return "equal, but for the tie rule" if self.loss(card) == 0 else ""

    def _shown(self) -> list[tuple[tuple[Card, ...], list[str]]]:
        """What is printed of each run: tricks, cost, points and their cost if there is a bid."""
        rows = []
        for run in self.runs:
            card = run[0]
            tricks = [self[card]] if self.defence == "coalition" else self.tricks(card)
            cells = [" ".join(map(str, tricks)), str(self.cost(card) or "-")]
            if self.position.bid is not None:
                cells += [f"{self.declarer_points(card):+d}", str(self.cost_in_points(card) or "-")]
            rows.append((run, [*cells, self._note(card)]))
        return rows

    def _headings(self) -> list[str]:
        headings = ["cards", "declarer takes", "cost"]
        if self.defence == "selfish":
            headings = ["cards", "seats 0 1 2 take", f"cost to seat {self.seat}"]
        if self.position.bid is not None:
            headings += ["declarer's points", "cost in points"]
        return headings

    def __str__(self) -> str:
        rows = [[" ".join(map(str, run)), *cells] for run, cells in self._shown()]
        if rows:
            rows.insert(0, [*self._headings(), ""])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if i in (0, len(row) - 1) else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        return "\n".join([self._title(), *lines])

    def __repr__(self) -> str:
        values = ", ".join(f"{card}: {tricks}" for card, tricks in self.items())
        return f"CardValues({{{values}}}, defence={self.defence!r})"

    def _repr_html_(self) -> str:
        if self.position.is_over:
            return f"<p>{self._title()}</p>"
        headings = "".join(f"<th>{heading}</th>" for heading in [*self._headings(), ""])
        rows = "".join(
            f"<tr><td>{cards_html(run, self.position.trump)}</td>"
            + "".join(f"<td>{cell}</td>" for cell in cells)
            + "</tr>"
            for run, cells in self._shown()
        )
        return f"<table><caption>{self._title()}</caption><tr>{headings}</tr>{rows}</table>"


def card_values(
    position: Position,
    defence: Defence = "coalition",
    objective: Objective = "tricks",
    rules: Rules = STANDARD,
) -> CardValues:
    """What every legal card is worth: the declarer's tricks if it is played and best play follows.

    Parameters
    ----------
    position : Position
    defence, objective, rules
        As for ``solve``.

    Returns
    -------
    CardValues
        A mapping from ``Card`` to the declarer's tricks of the deal, 0-6, in the order of the hand.

    Raises
    ------
    PositionError
        If the deal is over.
    PreferenceError, RulesError
        As ``solve``.

    Examples
    --------
    The declarer does best to lose the diamond first: who wins it must lead into his trumps.

    >>> position = Position(("JS AS 9D", "JC 9S KD", "KH QH TD"), "S", leader=0, tricks=(3, 0, 0))
    >>> print(card_values(position))
    seat 0, the declarer, to play; spades are trump; defence: coalition (exact)
    cards  declarer takes  cost
    JS                  4     1
    AS                  4     1
    9D                  5     -  best
    """
    if _checked(position).is_over:
        raise PositionError("the deal is over: there is no card to play")
    return card_values_of([position], defence, objective, rules)[0]


def card_values_of(
    positions: Sequence[Position],
    defence: Defence = "coalition",
    objective: Objective = "tricks",
    rules: Rules = STANDARD,
    n_jobs: int | None = None,
) -> list[CardValues]:
    """``card_values`` for many positions at once; of a deal that is over there are none."""
    arrays = card_values_many(
        **position_arrays(positions),
        n_jobs=n_jobs,
        defence=defence,
        objective=objective,
        rules=rules,
    )
    found = []
    for position, array in zip(positions, arrays, strict=True):
        settled: dict[Card, int | TrickCounts]
        if position.is_over:
            settled, merit = {}, {}
        elif defence == "coalition":
            settled = {card: int(array[card.index]) for card in position.legal}
            sign = 1 if position.to_play == position.declarer else -1
            merit = {card: sign * int(array[card.index]) for card in position.legal}
        else:
            settled = {card: _counts(array[card.index]) for card in position.legal}
            rank = _ranking(position, objective, rules)
            merit = {card: rank(_counts(array[card.index])) for card in position.legal}
        most = max(merit.values(), default=0)
        best = tuple(card for card in settled if merit[card] == most)
        found.append(CardValues(position, defence, objective, rules, tuple(settled.items()), best))
    return found


def best_line(
    position: Position,
    defence: Defence = "coalition",
    objective: Objective = "tricks",
    rules: Rules = STANDARD,
) -> list[tuple[int, Card]]:
    """A line of best play to the end of the deal, which attains the position's value.

    Of best cards the lowest is played, plain suits before trumps.

    Parameters and errors: as ``card_values``; of a deal that is over the line is empty.

    Returns
    -------
    list of (seat, Card)

    Examples
    --------
    >>> position = Position(("JS AS", "JC 9S", "KH QH"), "S", leader=0, tricks=(3, 1, 0))
    >>> best_line(position)
    [(0, Card('AS')), (1, Card('JC')), (2, Card('QH')), (1, Card('9S')), ...]
    """
    return best_lines([_checked(position)], defence, objective, rules)[0]


def best_lines(
    positions: Sequence[Position],
    defence: Defence = "coalition",
    objective: Objective = "tricks",
    rules: Rules = STANDARD,
    n_jobs: int | None = None,
) -> list[list[tuple[int, Card]]]:
    """``best_line`` of many positions at once; ``n_jobs`` as for ``solve_many``."""
    # Refuses what is wrong, even where no card is left to be asked about.
    solve_positions(positions, defence, objective, rules, n_jobs)
    lines: list[list[tuple[int, Card]]] = [[] for _ in positions]
    now = list(positions)
    while going := [i for i, position in enumerate(now) if not position.is_over]:
        values = card_values_of([now[i] for i in going], defence, objective, rules, n_jobs)
        for i, value in zip(going, values, strict=True):
            card = min(value.best, key=functools.partial(_thrift, now[i].trump))
            lines[i].append((value.seat, card))
            now[i] = now[i].play(card)
    return lines


def _thrift(trump: Suit, card: Card) -> tuple[bool, int, Card]:
    """Plain suits before trumps, low before high."""
    return card.suit_under(trump) == trump, card.strength(trump), card


def format_line(position: Position, line: Iterable[tuple[int, Card]]) -> str:
    """A line of play in writing, a row for each trick, with its winner.

    Examples
    --------
    >>> position = Position(("JS AS", "JC 9S", "KH QH"), "S", leader=0, tricks=(3, 1, 0))
    >>> print(format_line(position, best_line(position)))
    seat 0 AS  seat 1 JC  seat 2 QH  won by seat 1
    seat 1 9S  seat 2 KH  seat 0 JS  won by seat 0
    """
    rows: list[str] = []
    row: list[str] = []
    for seat, card in line:
        row.append(f"seat {seat} {card}")
        before = position.tricks
        position = position.play(card)
        if not position.trick:
            winner = next(s for s in range(3) if position.tricks[s] > before[s])
            rows.append("  ".join([*row, f"won by seat {winner}"]))
            row = []
    return "\n".join(rows + (["  ".join(row)] if row else []))


def as_position(
    deal: Deal | Position,
    trump: Suit | str | int | None,
    declarer: int | None,
    leader: int | None,
    bid: Bid | str | int | None,
) -> Position:
    if isinstance(deal, Position):
        given = {"trump": trump, "declarer": declarer, "leader": leader, "bid": bid}
        again = [name for name, value in given.items() if value is not None]
        if again:
            raise PositionError(
                f"a position has its own {' and '.join(again)}: do not give it again"
            )
        return deal
    if not isinstance(deal, Deal):
        raise TypeError(f"deal must be a Deal or a Position, not {deal!r}; solve_many takes masks")
    named = Suit.SPADES if trump is None else Suit.parse(trump, "trump")
    seat = 0 if declarer is None else declarer
    promised = None if bid is None else Bid.parse(bid)
    return Position(deal.hands, named, seat, leader, bid=promised)


def _checked(position: Position) -> Position:
    if not isinstance(position, Position):
        raise TypeError(
            f"position must be a Position, not {position!r}; Position.from_plays makes one of "
            "hands and cards played"
        )
    return position


def _with_bid(position: Position, bid: Bid) -> Position:
    return Position(
        position.hands,
        position.trump,
        position.declarer,
        position.leader,
        position.trick,
        position.tricks,
        bid,
    )


def position_arrays(positions: Sequence[Position]) -> dict[str, Any]:
    """Positions as the arguments of ``solve_many`` and ``card_values_many``.

    The bids are left out unless every position has one.

    Examples
    --------
    >>> positions = [Position(("JS AS", "JC 9S", "KH QH"), "S", leader=0, tricks=(3, 1, 0))]
    >>> solve_many(**position_arrays(positions)).tolist()
    [4]
    """
    positions = [_checked(position) for position in positions]
    tricks = [[card.index for card in position.trick] + [-1, -1] for position in positions]
    bids = [position.bid for position in positions]
    masks = np.array([position.masks for position in positions], dtype=np.int64)
    return {
        "hands": masks.reshape(-1, 3),
        "trump": np.array([position.trump for position in positions], dtype=np.int64),
        "declarer": np.array([position.declarer for position in positions], dtype=np.int64),
        "leader": np.array([position.leader for position in positions], dtype=np.int64),
        "trick": np.array([trick[:2] for trick in tricks], dtype=np.int64).reshape(-1, 2),
        "tricks": np.array([p.tricks for p in positions], dtype=np.int64).reshape(-1, 3),
        "bid": None if None in bids else np.array(bids, dtype=np.int64),
    }


def _counts(array: NDArray[np.int8]) -> TrickCounts:
    first, second, third = array.tolist()
    return first, second, third


@functools.cache
def _outcome_numbers() -> dict[tuple[int, int], int]:
    from ghostsim.kernels.selfish import OUTCOMES

    return {(declarer, left): i for i, (declarer, left) in enumerate(OUTCOMES.tolist())}


def _ranking(
    position: Position, objective: Objective, rules: Rules
) -> Callable[[TrickCounts], int]:
    """How the seat to play ranks the tricks of the deal by seat."""
    wanted = preferences(objective, position.bid, rules)
    declarer, seat = position.declarer, position.to_play
    assert seat is not None
    left = (declarer + 1) % 3
    taken = position.tricks
    ranks = wanted.ranks[position.tricks_to_go, taken[declarer], (seat - declarer) % 3]

    def rank(end: TrickCounts) -> int:
        to_come = end[declarer] - taken[declarer], end[left] - taken[left]
        return int(ranks[_outcome_numbers()[to_come]])

    return rank
