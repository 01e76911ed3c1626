"""The double-dummy solver: what a deal is worth to the declarer, all cards seen.

The defence is the *coalition*: both defenders see everything and play together for as few tricks
of the declarer's as they can. The value is the number of tricks he can be sure of against it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ghostsim._checks import whole_number
from ghostsim._parallel import shared_memory_parallel
from ghostsim.cards import ALL_CARDS, Suit, cards_html, cards_of
from ghostsim.deals import Deal
from ghostsim.endgames import DEPTH, MAX_DEPTH, endgame_table, table_is_loaded, table_is_ready
from ghostsim.errors import GhostsimError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: Deals a core should have to solve before the 5-trick table is built for them: below, building
#: it (fifteen seconds of one core) costs more than it saves. ``benchmarks/`` measures both.
DEALS_WORTH_A_TABLE = 50_000_000
#: Deals for which reading a 5-trick table that is already on disk pays.
DEALS_WORTH_READING = 200_000

_DEALS_PER_BLOCK = 50_000  # about 50 ms: small enough to share out and to interrupt

Scalar = TypeVar("Scalar", bound=int)


class DealError(GhostsimError):
    """Hands, a seat or a shape that the solver cannot take."""


@dataclass(frozen=True)
class Solution:
    """The exact double-dummy value of a deal.

    Attributes
    ----------
    deal : Deal
    trump : Suit
    declarer, leader : int
        Seats 0-2; the leader plays the first card.
    declarer_tricks : int
        The tricks that the declarer takes, 0-6.
    defence : str
        ``"coalition"``: the defenders see all cards and help each other.
    """

    deal: Deal
    trump: Suit
    declarer: int
    leader: int
    declarer_tricks: int
    defence: str = "coalition"

    def to_frame(self) -> pd.DataFrame:
        """One row: the deal, trump, declarer, leader, defence and tricks."""
        import pandas as pd

        row: dict[str, object] = {
            f"seat_{seat}": str(hand) for seat, hand in enumerate(self.deal.hands)
        }
        row |= {
            "ghost": str(self.deal.ghost),
            "trump": self.trump.letter,
            "declarer": self.declarer,
            "leader": self.leader,
            "defence": self.defence,
            "declarer_tricks": self.declarer_tricks,
        }
        return pd.DataFrame([row])

    def plot(self, ax: Axes | None = None) -> Axes:
        """The four hands as a card diagram."""
        from ghostsim import plots

        return plots.hands(self._rows(), title=str(self), ax=ax)

    def _rows(self) -> list[tuple[str, list[str]]]:
        names = [f"seat {seat}" for seat in range(3)]
        names[self.declarer] += ", declarer"
        names[self.leader] += ", leads"
        hands = [*self.deal.hands, self.deal.ghost]
        return [
            (name, hand.format(self.trump, pretty=True).split())
            for name, hand in zip([*names, "ghost"], hands, strict=True)
        ]

    def __str__(self) -> str:
        return (
            f"{self.trump.name.lower()} are trump: seat {self.declarer} takes "
            f"{self.declarer_tricks} of 6 tricks against any defence (exact)"
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{name}</th><td>{cards_html(hand, self.trump)}</td></tr>"
            for (name, _), hand in zip(
                self._rows(), [*self.deal.hands, self.deal.ghost], strict=True
            )
        )
        return f"<table><caption>{self}</caption>{rows}</table>"


def solve(
    deal: Deal, trump: Suit | str | int = "S", declarer: int = 0, leader: int | None = None
) -> Solution:
    """The declarer's tricks of one deal against the best defence, all cards seen.

    Parameters
    ----------
    deal : Deal
    trump : Suit, str or int
        The suit named: a ``Suit``, ``"S"`` or 0-3.
    declarer : int
        His seat, 0-2.
    leader : int, optional
        The seat that leads to the first trick; by the rules the declarer.

    Returns
    -------
    Solution

    Raises
    ------
    CardError
        If ``trump`` is not a suit.
    DealError
        If a seat is not 0, 1 or 2.

    Examples
    --------
    Seat 0 has the four top trumps, an ace and the nine of diamonds. It wins, too: once three rounds
    of trumps are drawn, nobody has a trump left, and all other diamonds are in the ghost.

    >>> deal = Deal(hands=("JS JC AS KS AH 9D", "QS TS 9S AC KC QC", "TC 9C KH QH JH TH"))
    >>> solve(deal, trump="S").declarer_tricks
    6
    """
    if not isinstance(deal, Deal):
        raise TypeError(f"deal must be a Deal, not {deal!r}; solve_many takes masks")
    named = Suit.parse(trump, "trump")
    seat = _seat(declarer)
    first = seat if leader is None else _seat(leader)
    tricks = solve_many(np.array([deal.masks]), named, seat, first)
    return Solution(deal, named, seat, first, int(tricks[0]))


def solve_many(
    hands: ArrayLike,
    trump: Suit | str | ArrayLike | Sequence[Suit | str],
    declarer: ArrayLike = 0,
    leader: ArrayLike | None = None,
    n_jobs: int | None = None,
    *,
    depth: int | None = None,
) -> NDArray[np.int8]:
    """The declarer's tricks of many deals against the best defence, all cards seen.

    Parameters
    ----------
    hands : int (n, 3)
        Masks of the hands by seat, as ``Hand.mask`` gives them; the ghost is the rest.
    trump : Suit, str, int or (n,) of these
        The suit named, for all deals or one by one.
    declarer : int or int (n,)
        Seats 0-2.
    leader : int or int (n,), optional
        The seats that lead to the first trick; by the rules the declarer's.
    n_jobs : int, optional
        Threads, as joblib counts them: None for one (or what an ambient
        ``joblib.parallel_config`` says), -1 for all cores. The result does not depend on it.
    depth : {4, 5}, optional
        The endgame table to search down to. By default the 5-trick table if it is cached already
        and there are many deals, or if there are so many that building it pays.

    Returns
    -------
    int8 (n,)
        Tricks, 0-6.

    Raises
    ------
    DealError
        If the shape is not (n, 3), a mask is not six of 24 cards, hands share a card, or a seat
        or an array's length is wrong; the message names the first such row.
    CardError
        If ``trump`` is not a suit.
    TypeError
        If a number is not a whole number.

    Examples
    --------
    >>> from ghostsim import Deal, solve_many
    >>> deal = Deal(hands=("JS JC AS KS AH 9D", "QS TS 9S AC KC QC", "TC 9C KH QH JH TH"))
    >>> solve_many([deal.masks], trump=["S"]).tolist()
    [6]
    """
    from ghostsim.kernels.endgame import solve_range

    masks = _checked_hands(hands)
    n = len(masks)
    trumps = _per_deal(trump, n, "trump", lambda value: int(Suit.parse(value, "trump")), 4)
    declarers = _per_deal(declarer, n, "declarer", _seat, 3)
    leaders = declarers if leader is None else _per_deal(leader, n, "leader", _seat, 3)
    if depth is None:
        depth = _depth_that_pays(n)
    elif whole_number(depth, "depth") not in (DEPTH, MAX_DEPTH):
        raise DealError(f"depth must be {DEPTH} or {MAX_DEPTH}, not {depth!r}")
    out = np.empty(n, dtype=np.int8)
    if n == 0:
        return out
    table = endgame_table(depth, n_jobs)
    arguments = masks, trumps, declarers, leaders, depth, table
    if n <= _DEALS_PER_BLOCK:
        solve_range(*arguments, 0, n, out)
        return out
    shared_memory_parallel(n_jobs)(
        joblib.delayed(solve_range)(*arguments, start, min(start + _DEALS_PER_BLOCK, n), out)
        for start in range(0, n, _DEALS_PER_BLOCK)
    )
    return out


def _depth_that_pays(n: int) -> int:
    if table_is_loaded(MAX_DEPTH):
        return MAX_DEPTH
    enough = DEALS_WORTH_READING if table_is_ready(MAX_DEPTH) else DEALS_WORTH_A_TABLE
    return MAX_DEPTH if n >= enough else DEPTH


def _checked_hands(hands: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(hands)
    if array.ndim != 2 or array.shape[1] != 3:
        raise DealError(f"hands must have shape (n, 3), one column a seat, not {array.shape}")
    if len(array) == 0:
        return np.empty((0, 3), dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"hands must be whole numbers (masks), not {array.dtype}")
    # On the caller's numbers: as int64 a large uint64 would be a negative one.
    bad = (array < 0) | (array > ALL_CARDS) | (np.bitwise_count(array) != 6)
    if bad.any():
        row, seat = (int(i) for i in np.argwhere(bad)[0])
        raise DealError(
            f"hands[{row}, {seat}] = {array[row, seat]} is not a hand: six of bits 0-23 must be set"
        )
    masks = np.ascontiguousarray(array, dtype=np.int64)
    twice = masks[:, 0] & masks[:, 1] | masks[:, 0] & masks[:, 2] | masks[:, 1] & masks[:, 2]
    if twice.any():
        row = int(np.flatnonzero(twice)[0])
        shared = " ".join(map(str, cards_of(int(twice[row]))))
        raise DealError(f"hands[{row}]: two seats hold {shared}")
    return masks


def _seat(value: object) -> int:
    seat = whole_number(value, "a seat", "0, 1 or 2")
    if seat not in (0, 1, 2):
        raise DealError(f"a seat must be 0, 1 or 2, not {seat}")
    return seat


def _per_deal(
    value: object, n: int, name: str, parse: Callable[..., int], limit: int
) -> NDArray[np.int64]:
    """One number for all deals (length 1) or one a deal (length n), checked."""
    if isinstance(value, str) or np.ndim(value) == 0:  # type: ignore[arg-type]
        return np.array([parse(value.item() if isinstance(value, np.ndarray) else value)])
    array = np.asarray(value)
    if array.shape != (n,):
        raise DealError(f"{name} must be one value or have shape ({n},), not {array.shape}")
    if array.dtype.kind not in "iu":
        # From the caller's own list: numpy has made texts of all items if one of them is.
        items = array.tolist() if isinstance(value, np.ndarray) else list(value)  # type: ignore[call-overload]
        return np.array([parse(item) for item in items], dtype=np.int64)
    numbers = np.ascontiguousarray(array, dtype=np.int64)
    bad = np.flatnonzero((numbers < 0) | (numbers >= limit))
    if len(bad):
        row = int(bad[0])
        raise DealError(f"{name}[{row}] must be 0 to {limit - 1}, not {numbers[row]}")
    return numbers
