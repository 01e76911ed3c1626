"""What selfish players want: how each seat ranks the ways in which a deal may end."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ghostsim.errors import GhostsimError
from ghostsim.kernels.selfish import N_OUTCOMES, OUTCOMES
from ghostsim.rules import STANDARD, Bid, Rules, check_rules

Objective = Literal["tricks", "points"]
Ties = Literal["standard", "defenders reversed", "declarer reversed", "reversed"]


class PreferenceError(GhostsimError):
    """An objective or a tie rule that does not exist, or points without a bid."""


@dataclass(frozen=True)
class Preferences:
    """What the three seats play for, and which way an indifferent one turns.

    Each wants the most for himself. **The tie rule**: an indifferent defender picks the least for
    the declarer, then the least for the other defender; an indifferent declarer the least for the
    defenders together, then the most even split between them, then the least for the left one.
    What is counted is what is still to come, the current trick included; tricks taken before
    matter through the declarer's contract only.

    Parameters
    ----------
    objective : {"tricks", "points"}
        Tricks, or points of the deal: the declarer's by his contract, a defender's by his tricks.
        Where all points are equal, the same rule is applied to tricks.
    bid : Bid, optional
        The contract; needed for points.
    rules : Rules
        How points are scored.
    ties : {"standard", "defenders reversed", "declarer reversed", "reversed"}
        Whether indifferent defenders, the declarer, or all three turn the other way: for asking how
        often the tie rule decides.

    Raises
    ------
    PreferenceError
        If a word is none of these, or there is no bid to count points for.
    """

    objective: Objective = "tricks"
    bid: Bid | None = None
    rules: Rules = STANDARD
    ties: Ties = "standard"

    def __post_init__(self) -> None:
        check_rules(self.rules)
        for name, allowed in (("objective", get_args(Objective)), ("ties", get_args(Ties))):
            value = getattr(self, name)
            if value not in allowed:
                raise PreferenceError(f"{name} must be {' or '.join(allowed)}, not {value!r}")
        if self.objective == "points" and self.bid is None:
            raise PreferenceError("objective 'points' needs a bid: points depend on the contract")
        if self.bid is not None:
            object.__setattr__(self, "bid", Bid.parse(self.bid))
            self.rules.declarer_points(self.bid, 0)  # refuses a bid below the lowest
        if self.objective == "tricks":
            # Neither matters, so that equal preferences are equal values.
            object.__setattr__(self, "bid", None)
            object.__setattr__(self, "rules", STANDARD)

    @functools.cached_property
    def ranks(self) -> NDArray[np.int8]:
        """The rank of each outcome, the higher the better, as the kernels take it.

        int8 (7, 7, 3, 28): tricks to go, tricks that the declarer took before, role (declarer,
        left, right), outcome. -1 where the outcome has more tricks than are to go.
        """
        ranks = np.full((7, 7, 3, N_OUTCOMES), -1, dtype=np.int8)
        for to_go in range(7):
            possible = [i for i, (d, m) in enumerate(OUTCOMES.tolist()) if d + m <= to_go]
            for taken in range(7 - to_go):
                for role in range(3):
                    keys = {i: self._key(role, i, to_go, taken) for i in possible}
                    for place, i in enumerate(sorted(possible, key=keys.__getitem__)):
                        ranks[to_go, taken, role, i] = place
        return ranks

    def _key(self, role: int, outcome: int, to_go: int, taken: int) -> tuple[int, ...]:
        """What a role looks at, first things first; the greatest key is the best outcome."""
        declarer, left = OUTCOMES[outcome].tolist()
        tricks = (declarer, left, to_go - declarer - left)
        turn = -1 if self.ties in ("reversed", _REVERSED[role]) else 1
        key: list[int] = []
        for gains in (self._points(tricks, taken), tricks):
            own, others = gains[role], [gains[other] for other in range(3) if other != role]
            if role == 0:
                wanted = [-sum(others), -abs(others[0] - others[1]), -others[0]]
            else:
                wanted = [-others[0], -others[1]]  # the declarer first, then the other defender
            key += [own, *(turn * part for part in wanted)]
        return tuple(key)

    def _points(self, tricks: tuple[int, int, int], taken: int) -> tuple[int, int, int]:
        """The declarer's points of the deal, and those the defenders still get."""
        if self.objective == "tricks" or self.bid is None:
            return tricks
        left, right = tricks[1:] if self.rules.defenders_score else (0, 0)
        return self.rules.declarer_points(self.bid, taken + tricks[0]), left, right

    def key(self, tricks: int, taken: int) -> str:
        """A name for all the wishes that can matter with some tricks to go.

        Tables of equal names are equal, whatever bid or rules they were built for: to need one more
        trick for a bid of 3 is to need one more for a bid of 4.
        """
        digest = hashlib.blake2b(digest_size=6)
        for to_go in range(1, tricks + 1):
            digest.update(self.ranks[to_go, taken : taken + tricks - to_go + 1].tobytes())
        return digest.hexdigest()

    def terms(self) -> str:
        """What is played for, but for the bid."""
        parts: list[str] = [self.objective]
        parts += [] if self.rules == STANDARD else [str(self.rules)]
        parts += [] if self.ties == "standard" else [f"ties {self.ties}"]
        return ", ".join(parts)

    def __str__(self) -> str:
        return self.terms() if self.bid is None else f"{self.terms()}, bid {self.bid}"


_REVERSED = ("declarer reversed", "defenders reversed", "defenders reversed")


@functools.cache
def preferences(
    objective: Objective = "tricks",
    bid: Bid | None = None,
    rules: Rules = STANDARD,
    ties: Ties = "standard",
) -> Preferences:
    """``Preferences``, kept with their ranks: working these out takes milliseconds."""
    return Preferences(objective, bid, rules, ties)
