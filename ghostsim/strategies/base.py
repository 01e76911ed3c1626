"""What a strategy is: four decisions, each from a view of what the seat knows."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from typing import ClassVar

from ghostsim.cards import Card, Suit
from ghostsim.errors import GhostsimError
from ghostsim.rules import Bid
from ghostsim.table.view import View


class StrategyError(GhostsimError):
    """A strategy that does not exist, cannot be loaded, or has no such parameter."""


class Strategy(ABC):
    """What a seat does at every decision.

    Subclass it, and write ``bid``, ``name_trump`` and ``play``; ``swap`` too if it ever swaps. A
    decision is a function of the view alone: to draw lots, use ``view.random``. If the subclass is
    a dataclass, its fields are its parameters, and the changed ones are part of the name. A package
    registers a subclass, or an object, as an entry point of the group ``ghostsim.strategies``,
    whose name should be the strategy's.

    Attributes
    ----------
    name : str
        The class's name in lower case, and the parameters that are not at their defaults, like
        ``"steady:four=7,moon=9"``. A subclass may set its own.
    sees_all_cards : bool
        Whether it is shown all hands, as ``view.state`` of an ``OpenView``.

    Examples
    --------
    A player who bids one trick for each ace and trump, and never swaps:

    >>> from dataclasses import dataclass
    >>> from ghostsim.cards import Hand, Rank
    >>> from ghostsim.strategies import careful_card
    >>> @dataclass(frozen=True)
    ... class Hopeful(Strategy):
    ...     extra: int = 0
    ...
    ...     def hope(self, view, suit):
    ...         held = Hand(view.hand).holding(suit)
    ...         return held.trumps + held.outside_aces + self.extra
    ...
    ...     def name_trump(self, view):
    ...         return max(Suit, key=lambda suit: self.hope(view, suit))
    ...
    ...     def bid(self, view):
    ...         able = [bid for bid in view.bids if bid <= self.hope(view, self.name_trump(view))]
    ...         return able[-1] if able else None
    ...
    ...     def play(self, view):
    ...         aces = [card for card in view.legal if card.rank == Rank.ACE]
    ...         return aces[0] if aces and not view.trick else careful_card(view)

    It sits down with any others:

    >>> from ghostsim.strategies import find_strategy
    >>> from ghostsim.table.game import play_game
    >>> record = play_game([Hopeful(), Hopeful(extra=1), find_strategy("novice")], seed=1)
    >>> record.strategies, record.winner is None
    (('hopeful', 'hopeful:extra=1', 'novice'), False)
    """

    sees_all_cards: ClassVar[bool] = False

    @property
    def name(self) -> str:
        changed = ",".join(
            f"{field.name}={getattr(self, field.name)}"
            for field in parameters_of(type(self))
            if getattr(self, field.name) != default_of(field)
        )
        own = type(self).__name__.lower()
        return f"{own}:{changed}" if changed else own

    def swap(self, view: View) -> bool:
        """Whether to trade the hand for the ghost. Asked only if that can be done.

        After a moon it can be, though nothing is left to bid: to defend with other cards.
        """
        return False

    @abstractmethod
    def bid(self, view: View) -> Bid | None:
        """One of ``view.bids``, or None to pass."""

    @abstractmethod
    def name_trump(self, view: View) -> Suit:
        """The trump, once the seat is the declarer; ``view.bid`` is what it has to make."""

    @abstractmethod
    def play(self, view: View) -> Card:
        """One of ``view.legal``; any card of ``view.hand`` where ``view.revokes_allowed``."""


def parameters_of(strategy: type) -> tuple[dataclasses.Field[object], ...]:
    """The parameters of a class of strategies: the fields of a dataclass, else none."""
    if not dataclasses.is_dataclass(strategy):
        return ()
    return tuple(field for field in dataclasses.fields(strategy) if field.init)


def default_of(field: dataclasses.Field[object]) -> object:
    """The default of a parameter; ``dataclasses.MISSING`` if it must be given."""
    # Not by identity: in a class that was sent from another process, MISSING is a copy of itself.
    if not isinstance(field.default, type(dataclasses.MISSING)):
        return field.default
    return field.default_factory() if callable(field.default_factory) else dataclasses.MISSING
