"""A hand that was played, card by card, against best play."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ghostsim.batches import Defence
from ghostsim.cards import Card, Suit
from ghostsim.deals import Deal
from ghostsim.position import Position
from ghostsim.preferences import Objective
from ghostsim.rules import STANDARD, Bid, Rules
from ghostsim.solver import CardValues, as_position, card_values_of, solve_positions

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class ReviewedPlay:
    """One card of a hand that was played, and what it cost.

    Attributes
    ----------
    number : int
        1 to 18, in order of play.
    values : CardValues
        Of the position before it.
    card : Card
    """

    number: int
    values: CardValues
    card: Card

    @property
    def seat(self) -> int:
        return self.values.seat

    @property
    def trick(self) -> int:
        """The trick it was played to, 1 to 6."""
        return 7 - self.values.position.tricks_to_go

    @property
    def cost(self) -> int:
        """Tricks it cost the seat that played it."""
        return self.values.cost(self.card)

    @property
    def cost_in_points(self) -> int | None:
        """Points it cost, if there was a bid."""
        if self.values.position.bid is None:
            return None
        return self.values.cost_in_points(self.card)

    @property
    def is_mistake(self) -> bool:
        """Whether another card would have been worth more to the seat, in what it plays for.

        A selfish seat that an equal card would have served as well has made no mistake, though the
        tie rule picks another.
        """
        return self.values.loss(self.card) > 0

    def __str__(self) -> str:
        text = f"trick {self.trick}, seat {self.seat}: {self.card}"
        if not self.is_mistake:
            return text
        best = self.values.best
        better = f"{' or '.join(map(str, best))} was best"
        if 2 < len(best) == len(self.values) - 1:
            better = "any other card was better"
        elif len(best) > 2:
            better = f"{', '.join(map(str, best[:-1]))} and {best[-1]} were best"
        return f"{text} cost {_cost(self.cost, self.cost_in_points)}; {better}"


@dataclass(frozen=True)
class Review:
    """A hand that was played, card by card, against best play.

    Attributes
    ----------
    plays : tuple of ReviewedPlay
        Every card that was played.
    end : Position
        What they led to.
    worth : int
        The declarer's tricks of the deal if all had played their best.
    """

    plays: tuple[ReviewedPlay, ...]
    end: Position
    worth: int

    @property
    def mistakes(self) -> tuple[ReviewedPlay, ...]:
        """The plays for which there was a better card."""
        return tuple(play for play in self.plays if play.is_mistake)

    @property
    def lost(self) -> tuple[int, int, int]:
        """Tricks that each seat's mistakes cost it."""
        first, second, third = (
            sum(play.cost for play in self.mistakes if play.seat == seat) for seat in range(3)
        )
        return first, second, third

    def to_frame(self, cards: bool = False) -> pd.DataFrame:
        """One row a card played: trick, seat, card, declarer's tricks before and after, its cost.

        With ``cards`` one row for each card that could have been played, as
        ``CardValues.to_frame`` gives them.
        """
        import pandas as pd

        if cards:
            frames = [
                play.values.to_frame().assign(
                    play=play.number, trick=play.trick, played=str(play.card)
                )
                for play in self.plays
            ]
            frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
            first = [name for name in ("play", "trick", "played") if name in frame]
            return frame[[*first, *(name for name in frame if name not in first)]]
        rows = []
        for play in self.plays:
            values = play.values
            row: dict[str, object] = {
                "play": play.number,
                "trick": play.trick,
                "seat": play.seat,
                "card": str(play.card),
                "declarer_tricks_before": values[values.best[0]],
                "declarer_tricks_after": values[play.card],
                "cost": play.cost,
                "is_mistake": play.is_mistake,
                "best": " ".join(map(str, values.best)),
            }
            if values.position.bid is not None:
                row["cost_in_points"] = play.cost_in_points
            rows.append(row)
        return pd.DataFrame(rows)

    def plot(self, ax: Axes | None = None) -> Axes:
        """The declarer's tricks with best play from each card on; mistakes are marked."""
        from ghostsim import plots

        return plots.review(self.to_frame(), title="\n".join(self._heading()), ax=ax)

    def _heading(self) -> tuple[str, str]:
        """What was played, and what was lost, in a sentence each."""
        end = self.end
        bid = "" if end.bid is None else f", bid {end.bid}"
        taken = end.tricks[end.declarer]
        so_far = "took" if end.is_over else "has taken"
        deal = (
            f"{end.trump.name.lower()} are trump, seat {end.declarer} declares{bid}: "
            f"worth {_counted(self.worth, 'trick')}, he {so_far} {taken}"
        )
        return deal, self._losses()

    def _losses(self) -> str:
        by_seat = []
        for seat in range(3):
            mine = [play for play in self.mistakes if play.seat == seat]
            if mine:
                points = [play.cost_in_points for play in mine]
                total = None if None in points else sum(p for p in points if p is not None)
                lost = _cost(sum(play.cost for play in mine), total)
                by_seat.append(f"seat {seat} lost {lost}")
        played = f"{_counted(len(self.plays), 'card')} played"
        if not by_seat:
            return f"{played}, no mistake (exact)"
        mistakes = _counted(len(self.mistakes), "mistake")
        return f"{played}, {mistakes}: {'; '.join(by_seat)} (exact)"

    def __str__(self) -> str:
        return "\n".join([*self._heading(), *map(str, self.mistakes)])

    def __repr__(self) -> str:
        return f"<Review: {self._losses()}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<li>{play}</li>" for play in self.mistakes)
        return f"<p>{'<br>'.join(self._heading())}</p><ul>{rows}</ul>"


def review(
    deal: Deal | Position,
    plays: str | Iterable[Card | str],
    trump: Suit | str | int | None = None,
    declarer: int | None = None,
    leader: int | None = None,
    defence: Defence = "coalition",
    objective: Objective = "tricks",
    bid: Bid | str | int | None = None,
    rules: Rules = STANDARD,
) -> Review:
    """Replay a hand, and name each card that cost something, by whom, and how much.

    Parameters
    ----------
    deal : Deal or Position
        What the play started from.
    plays : str or iterable of Card or str
        The cards in order of play, as far as they go.
    trump, declarer, leader, defence, objective, bid, rules
        As for ``solve``.

    Raises
    ------
    PlayError
        If a play is illegal; the message names the card, the seat and the rule.
    As ``solve``.

    Examples
    --------
    >>> from ghostsim import Position, review
    >>> position = Position(("JS AS 9D", "JC 9S KD", "KH QH TD"), "S", leader=0, tricks=(3, 0, 0))
    >>> print(review(position, "AS JC QH"))
    spades are trump, seat 0 declares: worth 5 tricks, he has taken 3
    3 cards played, 1 mistake: seat 0 lost 1 trick (exact)
    trick 4, seat 0: AS cost 1 trick; 9D was best
    """
    start = as_position(deal, trump, declarer, leader, bid)
    if not isinstance(plays, str) and not isinstance(plays, Iterable):
        raise TypeError(f"plays must be text or cards, not {plays!r}")
    given = plays if isinstance(plays, str) else list(plays)
    end = start.play_all(given)  # raises, and says which play is wrong
    written = given.replace(",", " ").split() if isinstance(given, str) else given
    cards = [Card(card) for card in written]
    positions = list(itertools.accumulate(cards, Position.play, initial=start))
    (solution,) = solve_positions([start], defence, objective, rules)
    values = card_values_of(positions[:-1], defence, objective, rules)
    reviewed = map(ReviewedPlay, itertools.count(1), values, cards)
    return Review(tuple(reviewed), end, solution.declarer_tricks)


def _cost(tricks: int, points: int | None) -> str:
    """A cost in words, like "1 trick, 8 points"."""
    words = [_counted(tricks, "trick")]
    if points is not None:
        words.append(_counted(points, "point"))
    return ", ".join(words)


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
