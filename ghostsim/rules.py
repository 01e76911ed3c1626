"""The rules as a value: every number of the game is a field, and rules travel with results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from enum import IntEnum
from typing import Any, Literal, get_args

from ghostsim._checks import whole_number
from ghostsim.errors import GhostsimError

AllPass = Literal["redeal", "dealer_bids"]
FirstBidder = Literal["left_of_dealer", "dealer"]


class RulesError(GhostsimError):
    """Rules that cannot be played, or a bid or a result that they do not allow."""


class Bid(IntEnum):
    """What a declarer promises to take; the number is the tricks it needs."""

    THREE = 3
    FOUR = 4
    FIVE = 5
    MOON = 6

    def __str__(self) -> str:
        return "moon" if self is Bid.MOON else str(int(self))

    @classmethod
    def parse(cls, value: Bid | str | int, name: str = "bid") -> Bid:
        """A bid from a bid, 3-6, or a text like ``"4"`` or ``"moon"``.

        >>> Bid.parse("moon"), Bid.parse(4)
        (<Bid.MOON: 6>, <Bid.FOUR: 4>)
        """
        if isinstance(value, str):
            text = value.strip().lower()
            for bid in cls:
                if text in (str(bid), bid.name.lower(), str(int(bid))):
                    return bid
        elif whole_number(value, name, "a Bid, 3-6 or a text") in (3, 4, 5, 6):
            return cls(value)
        raise RulesError(f"{name} {value!r} is not a bid: bids are 3, 4, 5 and moon (6)")


@dataclass(frozen=True)
class Rules:
    """The rules of a game; the defaults are Ghost Hand Euchre as ``docs/rules.md`` tells it.

    Parameters
    ----------
    target : int
        The score that ends the game, counted at the end of a deal.
    moon_points : int
        Points for a made moon.
    moon_set_points : int
        Points lost by a moon that is set.
    min_bid : int
        The lowest bid, 3 to 6.
    swaps_per_deal : int
        How many players may trade their hand for the ghost in one deal: 0 or 1.
    revoke_penalty : int
        Points lost by a player whose revoke is found out.
    set_keeps_tricks : bool
        Whether a declarer who is set still scores his tricks, beside minus his bid.
    defenders_score : bool
        Whether defenders score a point a trick.
    all_pass : {"redeal", "dealer_bids"}
        What happens if nobody bids: a new deal, or the dealer must make the lowest bid.
    first_bidder : {"left_of_dealer", "dealer"}
        Who has the first turn of the auction.

    Examples
    --------
    >>> Rules().declarer_points("moon", 6), Rules().declarer_points(4, 3)
    (24, -4)
    >>> Rules().replace(moon_points=12).declarer_points("moon", 6)
    12

    Raises
    ------
    RulesError
        If a field is out of its range; the message names every such field.
    """

    target: int = 32
    moon_points: int = 24
    moon_set_points: int = 6
    min_bid: int = 3
    swaps_per_deal: int = 1
    revoke_penalty: int = 2
    set_keeps_tricks: bool = False
    defenders_score: bool = True
    all_pass: AllPass = "redeal"
    first_bidder: FirstBidder = "left_of_dealer"

    def __post_init__(self) -> None:
        wrong = []
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not hasattr(value, "__index__"):
                wrong.append(f"{name} must be a whole number, not {value!r}")
            elif not low <= value <= high:
                wrong.append(f"{name} must be {low} to {high}, not {value}")
            else:
                object.__setattr__(self, name, value.__index__())
        wrong += [
            f"{name} must be True or False, not {getattr(self, name)!r}"
            for name in ("set_keeps_tricks", "defenders_score")
            if not isinstance(getattr(self, name), bool)
        ]
        for name, allowed in _WORDS.items():
            if getattr(self, name) not in allowed:
                wrong.append(f"{name} must be {' or '.join(allowed)}, not {getattr(self, name)!r}")
        if wrong:
            raise RulesError("; ".join(wrong))

    @property
    def bids(self) -> tuple[Bid, ...]:
        """The bids that the rules allow, low to high."""
        return tuple(bid for bid in Bid if bid >= self.min_bid)

    def declarer_points(self, bid: Bid | str | int, tricks: int) -> int:
        """The declarer's points of a deal, for the bid and the tricks he took (0-6)."""
        named = Bid.parse(bid)
        if named < self.min_bid:
            raise RulesError(f"bid {named} is below the lowest bid, {Bid(self.min_bid)}")
        tricks = whole_number(tricks, "tricks")
        if not 0 <= tricks <= 6:
            raise RulesError(f"tricks must be 0 to 6, not {tricks}")
        if tricks >= named:
            return self.moon_points if named is Bid.MOON else tricks
        lost = self.moon_set_points if named is Bid.MOON else int(named)
        return tricks - lost if self.set_keeps_tricks else -lost

    def deal_points(
        self, declarer: int, bid: Bid | str | int, tricks: Sequence[int]
    ) -> tuple[int, int, int]:
        """The points of all three seats of a deal.

        >>> Rules().deal_points(declarer=1, bid=4, tricks=(2, 3, 1))
        (2, -4, 1)
        """
        if declarer not in (0, 1, 2):
            raise RulesError(f"declarer must be a seat 0, 1 or 2, not {declarer!r}")
        by_seat = [whole_number(taken, "tricks by seat") for taken in tricks]
        if len(by_seat) != 3 or sum(by_seat) != 6 or min(by_seat) < 0:
            raise RulesError(f"tricks by seat must be three numbers that add up to 6, not {tricks}")
        points = [taken if self.defenders_score else 0 for taken in by_seat]
        points[declarer] = self.declarer_points(bid, by_seat[declarer])
        return points[0], points[1], points[2]

    def replace(self, **changes: Any) -> Rules:
        """These rules with some fields changed.

        Raises
        ------
        RulesError
            If a name is not a field, or a value out of its range.
        """
        names = [field.name for field in fields(self)]
        for name in changes:
            if name not in names:
                raise RulesError(f"there is no rule {name!r}: the rules are {', '.join(names)}")
        return replace(self, **changes)

    def to_dict(self) -> dict[str, int | bool | str]:
        """The fields by name, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Rules:
        """The inverse of ``to_dict``; fields left out have their defaults."""
        return cls().replace(**values)

    def changes(self) -> dict[str, int | bool | str]:
        """The fields that differ from the standard rules."""
        standard = Rules().to_dict()
        return {name: value for name, value in self.to_dict().items() if value != standard[name]}

    def __str__(self) -> str:
        changes = ", ".join(f"{name}={value}" for name, value in self.changes().items())
        return changes or "standard rules"


def check_rules(rules: object) -> Rules:
    """Rules, and not their name or their fields."""
    if not isinstance(rules, Rules):
        raise TypeError(
            f"rules must be a Rules, like Rules(moon_points=12) or VARIANTS['half-moon'], "
            f"not {rules!r}"
        )
    return rules


_RANGES = {
    "target": (1, 1_000_000),
    "moon_points": (0, 1000),
    "moon_set_points": (0, 1000),
    "min_bid": (3, 6),
    "swaps_per_deal": (0, 1),
    "revoke_penalty": (0, 1000),
}
_WORDS = {"all_pass": get_args(AllPass), "first_bidder": get_args(FirstBidder)}

STANDARD = Rules()
#: If nobody bids, the dealer must take the lowest bid.
STUCK_DEALER = Rules(all_pass="dealer_bids")
#: The dealer has the first turn of the auction.
DEALER_FIRST = Rules(first_bidder="dealer")
#: A made moon scores half.
HALF_MOON = Rules(moon_points=12)
#: A moon that is set loses what it would have won.
DOUBLE_OR_NOTHING = Rules(moon_set_points=24)
#: The fourth hand stays a dead hand.
NO_SWAP = Rules(swaps_per_deal=0)
#: Only the declarer scores.
SILENT_DEFENDERS = Rules(defenders_score=False)

#: The named variants, by the name that the command line takes.
VARIANTS: dict[str, Rules] = {
    "standard": STANDARD,
    "stuck-dealer": STUCK_DEALER,
    "dealer-first": DEALER_FIRST,
    "half-moon": HALF_MOON,
    "double-or-nothing": DOUBLE_OR_NOTHING,
    "no-swap": NO_SWAP,
    "silent-defenders": SILENT_DEFENDERS,
}
