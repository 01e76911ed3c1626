"""Deals and games as records: text that a card player reads, and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ghostsim._checks import whole_number
from ghostsim.deals import Deal, check_seed
from ghostsim.rules import STANDARD, Rules, check_rules
from ghostsim.table.deal import DealState, TableError, check_chance, check_seat
from ghostsim.table.game import GameState, deal_index

Names = tuple[str, str, str]


class RecordError(TableError):
    """A record that cannot be read, breaks a rule or states a wrong fact; it names the place."""


@dataclass(frozen=True)
class DealRecord:
    """A deal, finished or not, and who played it.

    Parameters
    ----------
    state : DealState
    strategies : three of str, optional
        The names of the strategies, or players, by seat.
    """

    state: DealState
    strategies: Names | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.state, DealState):
            raise TypeError(f"state must be a DealState, not {self.state!r}")
        object.__setattr__(self, "strategies", check_names(self.strategies))

    # The modules that write and read records import this one.

    @property
    def text(self) -> str:
        """The record in lines, which ``DealRecord.parse`` reads."""
        from ghostsim.table.record_text import deal_text

        return deal_text(self)

    def to_dict(self) -> dict[str, Any]:
        """The record as texts and numbers, for JSON; ``docs/table.md`` tells the keys."""
        from ghostsim.table.record_json import deal_dict

        return deal_dict(self)

    def to_json(self, indent: int | None = None) -> str:
        """The record as a JSON object, which ``DealRecord.parse`` reads."""
        return json.dumps(self.to_dict(), indent=indent)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> DealRecord:
        """The inverse of ``to_dict``.

        Raises
        ------
        RecordError
            If a key is unknown or missing, a rule is broken or a fact is wrong; the message names
            the place, like ``deal.tricks[2].cards[1]``.
        """
        from ghostsim.table.record_json import deal_from_dict

        return deal_from_dict(values)

    @classmethod
    def parse(cls, text: str) -> DealRecord:
        """A deal from a text like ``text`` writes, or from JSON like ``to_json`` does.

        It may end after any action. Cards may be in any spelling and hands in any order; empty
        lines and lines that begin with # are left out.

        Raises
        ------
        RecordError
            If the text is no record of a deal, breaks a rule, or states a wrong fact; the message
            names the line, and the trick or turn.
        """
        record = read_record(text)
        if not isinstance(record, cls):
            raise RecordError("line 1: this is the record of a game, not of a deal")
        return record

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, repr=False)
class GameRecord:
    """A game, finished or not: its deals, and what they were played by.

    Parameters
    ----------
    rules : Rules
    seed, game : int or None
        Whose deals they are; None for a game that was dealt by hand.
    first_dealer : int
    strategies : three of str, optional
        The names of the strategies, or players, by seat.
    revoke_detection : float or None
        The chance that a revoke is found out; None: the table lets no revoke stand.
    deals : tuple of DealState
        All are finished but perhaps the last.

    Raises
    ------
    TableError
        If the deals do not follow from one another, or an argument is out of range.
    """

    rules: Rules = STANDARD
    seed: int | None = None
    game: int | None = None
    first_dealer: int = 0
    strategies: Names | None = None
    revoke_detection: float | None = None
    deals: tuple[DealState, ...] = ()

    def __post_init__(self) -> None:
        check_rules(self.rules)
        if (self.seed is None) != (self.game is None):
            raise TableError("seed and game come together: give both, or none of them")
        if self.seed is not None and self.game is not None:
            object.__setattr__(self, "seed", check_seed(self.seed))
            deal_index(self.game, 0)
            object.__setattr__(self, "game", whole_number(self.game, "game"))
        object.__setattr__(self, "first_dealer", check_seat(self.first_dealer, "first_dealer"))
        object.__setattr__(self, "strategies", check_names(self.strategies))
        object.__setattr__(self, "revoke_detection", check_chance(self.revoke_detection))
        object.__setattr__(self, "deals", tuple(self.deals))
        state = self.start
        for number, deal in enumerate(self.deals):
            try:
                state = self._checked(state, deal)
            except TableError as error:
                raise TableError(f"deal {number + 1}: {error}") from None

    def _checked(self, state: GameState, deal: DealState) -> GameState:
        """The game after one of its deals; before it, if it is the last and not finished."""
        state.check_fits(deal)
        index = None if self.game is None else deal_index(self.game, state.deals)
        if (deal.seed, deal.index) != (self.seed, index):
            raise TableError(
                f"it is deal {deal.index} of seed {deal.seed}, not {index} of {self.seed}"
            )
        if deal.revoke_detection != self.revoke_detection:
            raise TableError(
                f"its revoke_detection is {deal.revoke_detection}, not {self.revoke_detection}"
            )
        if not deal.is_over and state.deals == len(self.deals) - 1:
            return state
        return state.add(deal)

    @property
    def start(self) -> GameState:
        """The game before its first deal."""
        return GameState(self.rules, dealer=self.first_dealer)

    @property
    def state(self) -> GameState:
        """The game after its finished deals."""
        state = self.start
        for deal in self.finished:
            state = state.add(deal)
        return state

    @property
    def finished(self) -> tuple[DealState, ...]:
        """The finished deals."""
        return self.deals[:-1] if self.current is not None else self.deals

    @property
    def current(self) -> DealState | None:
        """The deal that is not finished; None if there is none."""
        return self.deals[-1] if self.deals and not self.deals[-1].is_over else None

    @property
    def scores(self) -> tuple[tuple[int, int, int], ...]:
        """The scores after each finished deal, by seat."""
        return tuple(deal.scores_after for deal in self.finished)

    @property
    def winner(self) -> int | None:
        """The seat that has won; None if the game is not over."""
        return self.state.winner

    @property
    def is_over(self) -> bool:
        return self.winner is not None

    def next_deal(self) -> DealState:
        """The deal that comes next, dealt from the seed; or the one that is not finished.

        Raises
        ------
        TableError
            If the game is over, or has no seed.
        """
        if self.current is not None:
            return self.current
        if self.seed is None or self.game is None:
            raise TableError(
                "the game has no seed to deal from: deal by hand, state.next_deal(...)"
            )
        state = self.state
        index = deal_index(self.game, state.deals)
        return state.next_deal(
            Deal.random(self.seed, index),
            seed=self.seed,
            index=index,
            revoke_detection=self.revoke_detection,
        )

    def with_deal(self, deal: DealState) -> GameRecord:
        """The record with one more deal, which takes the place of one that was not finished.

        Raises
        ------
        TableError
            If the deal does not fit.
        """
        return replace(self, deals=(*self.finished, deal))

    @property
    def text(self) -> str:
        """The record in lines, which ``GameRecord.parse`` reads."""
        from ghostsim.table.record_text import game_text

        return game_text(self)

    def to_dict(self) -> dict[str, Any]:
        """The record as texts and numbers, for JSON; ``docs/table.md`` tells the keys."""
        from ghostsim.table.record_json import game_dict

        return game_dict(self)

    def to_json(self, indent: int | None = None) -> str:
        """The record as a JSON object, which ``GameRecord.parse`` reads."""
        return json.dumps(self.to_dict(), indent=indent)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> GameRecord:
        """The inverse of ``to_dict``.

        Raises
        ------
        RecordError
            If a key is unknown or missing, a rule is broken or a fact is wrong; the message names
            the place, like ``deals[0].tricks[2].cards[1]``.
        """
        from ghostsim.table.record_json import game_from_dict

        return game_from_dict(values)

    @classmethod
    def parse(cls, text: str) -> GameRecord:
        """A game from a text like ``text`` writes, or from JSON like ``to_json`` does.

        It may end after any action. Cards may be in any spelling and hands in any order; empty
        lines and lines that begin with # are left out.

        Raises
        ------
        RecordError
            If the text is no record of a game, breaks a rule, or states a wrong fact; the message
            names the line, and the deal, trick or turn.
        """
        record = read_record(text)
        if not isinstance(record, cls):
            raise RecordError("line 1: this is the record of a deal, not of a game")
        return record

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        scores = " ".join(map(str, self.state.scores))
        end = "not finished" if self.winner is None else f"won by seat {self.winner}"
        seed = "" if self.seed is None else f" seed {self.seed}, game {self.game},"
        return f"<GameRecord:{seed} {len(self.deals)} deals, scores {scores}, {end}>"


def read_record(text: str) -> DealRecord | GameRecord:
    """A record of either kind, from text or JSON.

    Raises
    ------
    RecordError
        As ``DealRecord.parse`` and ``GameRecord.parse``.
    """
    if not isinstance(text, str):
        raise TypeError(f"a record is read from text, not from {text!r}")
    if text.lstrip().startswith("{"):
        from ghostsim.table.record_json import read_json

        return read_json(text)
    from ghostsim.table.record_text import read_text

    return read_text(text)


def check_names(names: Iterable[str] | None) -> Names | None:
    """Three names that fit a record, by seat; or None."""
    if names is None:
        return None
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError(f"strategies must be three names, by seat, not {names!r}")
    three = tuple(names)
    for name in three:
        if not isinstance(name, str):
            raise TypeError(f"strategies must be names, not {name!r}")
        if not name.isprintable() or not name or name != " ".join(name.split()):
            raise TableError(
                "a name must be text that can be printed, with single spaces between words only, "
                f"not {name!r}"
            )
    if len(three) != 3:
        raise TableError(f"strategies must be three names, by seat, not {len(three)}")
    return three[0], three[1], three[2]
