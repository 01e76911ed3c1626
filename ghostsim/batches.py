"""Many positions at once, as arrays: what each is worth, and every card of each.

Everything is double dummy: all cards are seen. The defence is the *coalition*, both defenders
together for as few of the declarer's tricks as they can, or *selfish*: each seat for itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ghostsim._checks import whole_number
from ghostsim._parallel import run_shared
from ghostsim.cards import ALL_CARDS, Suit, cards_of
from ghostsim.endgames import (
    DEPTH,
    MAX_DEPTH,
    OPENING,
    Table,
    ranks_from,
    selfish_tables,
)
from ghostsim.errors import GhostsimError
from ghostsim.preferences import Objective, PreferenceError, Preferences, Ties, preferences
from ghostsim.rules import STANDARD, Bid, Rules, RulesError, check_rules

Defence = Literal["coalition", "selfish"]

#: Deals a core should have to solve before the 5-trick table is built for them: below, building
#: it (fifteen seconds of one core) costs more than it saves. ``benchmarks/`` measures both.
DEALS_WORTH_A_TABLE = 50_000_000
#: Deals for which reading a table that is already on disk pays.
DEALS_WORTH_READING = {MAX_DEPTH: 200_000, OPENING: 1_000_000}

_ROWS_PER_BLOCK = 50_000  # about 50 ms: small enough to share out and to interrupt

Item = TypeVar("Item")


class DealError(GhostsimError):
    """Hands, a trick, a seat or a shape that the solver cannot take."""


def solve_many(
    hands: ArrayLike,
    trump: Suit | str | ArrayLike | Sequence[Suit | str],
    declarer: ArrayLike = 0,
    leader: ArrayLike | None = None,
    n_jobs: int | None = None,
    *,
    trick: ArrayLike | None = None,
    tricks: ArrayLike | None = None,
    defence: Defence = "coalition",
    objective: Objective = "tricks",
    bid: Bid | str | ArrayLike | Sequence[Bid | str] | None = None,
    rules: Rules = STANDARD,
    ties: Ties = "standard",
    depth: int | None = None,
) -> NDArray[np.int8]:
    """The tricks that many deals give with best play, all cards seen.

    Parameters
    ----------
    hands : int (n, 3)
        Masks of the cards held by seat, as ``Hand.mask`` gives them; the ghost is the rest. Six
        each, unless ``tricks`` says that some have been played.
    trump : Suit, str, int or (n,) of these
        The suit named, for all deals or one by one.
    declarer : int or int (n,)
        Seats 0-2.
    leader : int or int (n,), optional
        The seats that lead, or have led, to the current trick; by default the declarer's.
    n_jobs : int, optional
        Threads, as joblib counts them: None for one (or what an ambient
        ``joblib.parallel_config`` says), -1 for all cores. The result does not depend on it.
    trick : int (n, 2) or (2,), optional
        Cards of the current trick in order of play, numbered 0-23 as ``Card.index`` is; -1 for
        none. They are no longer in ``hands``. Whether they follow suit is not checked.
    tricks : int (n, 3) or (3,), optional
        Tricks taken so far by seat; none if left out.
    defence : {"coalition", "selfish"}
        Both defenders together against the declarer, or every seat for itself (max^n).
    objective : {"tricks", "points"}
        What selfish seats play for: see ``Preferences``. To the coalition both are the same.
    bid : Bid, str, int or (n,) of these, optional
        The contracts; needed for points.
    rules : Rules
        How points are scored.
    ties : str
        The tie rule of selfish seats, as ``Preferences`` names them.
    depth : {4, 5, 6}, optional
        The endgame table to search down to. By default the deepest that is cached already, if
        there are many deals (200,000; for 6 a million); and 5 if there are so many that building
        it pays. 6 is the opening table, which answers by one look-up for whole deals against the
        coalition that the declarer leads to (others are searched to 5): it takes 249 MB and 80
        seconds of one core to build, once, and pays from about a hundred million deals.

    Returns
    -------
    int8 (n,) or (n, 3)
        Against the coalition the tricks of the declarer; how they are split between the defenders
        is not settled. Selfish: the tricks of each seat. All with those taken so far, 0-6.

    Raises
    ------
    DealError
        If a shape or length is wrong, a mask does not have as many of 24 cards as it must, a card
        comes twice, or a seat or a card's number is out of range; the message names the first such
        row.
    CardError
        If ``trump`` is not a suit.
    RulesError, PreferenceError
        If a bid is none, is missing, or is not allowed by the rules; or an option is no such word.
    TypeError
        If a number is not a whole number.

    Examples
    --------
    >>> from ghostsim import Deal, solve_many
    >>> deal = Deal(hands=("JS JC AS KS AH 9D", "QS TS 9S AC KC QC", "TC 9C KH QH JH TH"))
    >>> solve_many([deal.masks], trump=["S"]).tolist()
    [6]
    >>> solve_many([deal.masks] * 2, trump=["S", "D"], defence="selfish").tolist()
    [[6, 0, 0], [4, 1, 1]]
    """
    rows = _Rows.of(hands, trump, declarer, leader, trick, tricks, bid, rules)
    if depth is None:
        is_opening = leader is None and trick is None and tricks is None
        depth = _depth_that_pays(len(rows), defence, OPENING if is_opening else MAX_DEPTH)
    play = _Play.of(defence, objective, rules, ties, rows.bid, depth)
    out = np.empty((len(rows), 3) if play.is_selfish else len(rows), dtype=np.int8)
    _run(rows, play, n_jobs, out, _solve_group)
    return out


def card_values_many(
    hands: ArrayLike,
    trump: Suit | str | ArrayLike | Sequence[Suit | str],
    declarer: ArrayLike = 0,
    leader: ArrayLike | None = None,
    n_jobs: int | None = None,
    *,
    trick: ArrayLike | None = None,
    tricks: ArrayLike | None = None,
    defence: Defence = "coalition",
    objective: Objective = "tricks",
    bid: Bid | str | ArrayLike | Sequence[Bid | str] | None = None,
    rules: Rules = STANDARD,
    ties: Ties = "standard",
    depth: int | None = None,
) -> NDArray[np.int8]:
    """What every card of the seat to play is worth, in many positions, all cards seen.

    Parameters: as ``solve_many``; ``depth`` 4 or 5.

    Returns
    -------
    int8 (n, 24) or (n, 24, 3)
        By card, numbered as ``Card.index`` is: against the coalition the declarer's tricks of the
        deal if that card is played and best play follows; selfish: the tricks of each seat. -1
        where the card cannot be played.

    Raises
    ------
    As ``solve_many``.

    Examples
    --------
    >>> from ghostsim import Card, Deal, card_values_many
    >>> deal = Deal(hands=("JS JC AS KS AH 9D", "QS TS 9S AC KC QC", "TC 9C KH QH JH TH"))
    >>> values = card_values_many([deal.masks], trump="S")
    >>> values.shape, values[0, Card("JS").index], values[0, Card("9D").index]
    ((1, 24), np.int8(6), np.int8(5))
    """
    if depth == OPENING:
        raise DealError(f"depth must be {DEPTH} or {MAX_DEPTH}: the opening table has no cards")
    rows = _Rows.of(hands, trump, declarer, leader, trick, tricks, bid, rules)
    if depth is None:
        depth = _depth_that_pays(len(rows), defence, MAX_DEPTH)
    play = _Play.of(defence, objective, rules, ties, rows.bid, depth)
    out = np.empty((len(rows), 24, 3) if play.is_selfish else (len(rows), 24), dtype=np.int8)
    _run(rows, play, n_jobs, out, _card_group)
    return out


# ------------------------------------------------------------------------------ how it is played


@dataclass(frozen=True)
class _Play:
    """Checked options: the defence, what seats play for, the depth of search."""

    defence: Defence
    objective: Objective
    rules: Rules
    ties: Ties
    depth: int

    @property
    def is_selfish(self) -> bool:
        return self.defence == "selfish"

    @classmethod
    def of(
        cls,
        defence: Defence,
        objective: Objective,
        rules: Rules,
        ties: Ties,
        bids: NDArray[np.int64] | None,
        depth: int,
    ) -> _Play:
        if defence not in get_args(Defence):
            raise PreferenceError(
                f"defence must be {' or '.join(get_args(Defence))}, not {defence!r}"
            )
        named = [] if bids is None else [Bid(bid) for bid in np.unique(bids).tolist()]
        # Each of these refuses what does not go together.
        _ = [preferences(objective, bid, rules, ties) for bid in named]
        if not named:  # of no rows there are no bids, but they are not missing
            preferences(objective, None if bids is None else Bid.MOON, rules, ties)
        if defence == "coalition" and objective == "points":
            for bid in named:
                points = [rules.declarer_points(bid, tricks) for tricks in range(7)]
                if points != sorted(points):
                    raise PreferenceError(
                        f"under these rules ({rules}) a declarer who bid {bid} may score less for "
                        "more tricks: the coalition's value is in tricks; use objective='tricks'"
                    )
        if whole_number(depth, "depth") not in (DEPTH, MAX_DEPTH, OPENING):
            raise DealError(f"depth must be {DEPTH}, {MAX_DEPTH} or {OPENING}, not {depth!r}")
        elif depth == OPENING and defence == "selfish":
            raise DealError(f"depth must be {DEPTH} or {MAX_DEPTH} for selfish play, not {depth!r}")
        return cls(defence, objective, rules, ties, depth)

    def preferences(self, bid: int) -> Preferences:
        """What the seats want under one bid; 0 for none."""
        return preferences(self.objective, Bid(bid) if bid else None, self.rules, self.ties)


def _depth_that_pays(n: int, defence: Defence, deepest: int) -> int:
    """The table that answers n deals soonest, of those there are or that are worth building."""
    if defence == "selfish":
        return DEPTH
    for depth in range(deepest, DEPTH, -1):
        table = Table(depth)
        # A look at the disk is not worth it for a few.
        if table.is_loaded() or (n >= DEALS_WORTH_READING[depth] and table.is_ready()):
            return depth
    return MAX_DEPTH if n >= DEALS_WORTH_A_TABLE else DEPTH


# ------------------------------------------------------------------------------- rows, in groups


@dataclass(frozen=True, eq=False)
class _Rows:
    """Checked positions. The arrays have one row for all, or one for each.

    ``hands`` may still be of any integer type: a block is converted when its turn comes, for
    memory not to grow with their number.
    """

    hands: NDArray[Any]  # (n, 3)
    trump: NDArray[np.int64]
    declarer: NDArray[np.int64]
    leader: NDArray[np.int64]
    trick: NDArray[np.int64]  # (n, 2)
    tricks: NDArray[np.int64]  # (n, 3)
    bid: NDArray[np.int64] | None

    def __len__(self) -> int:
        return len(self.hands)

    @classmethod
    def of(
        cls,
        hands: ArrayLike,
        trump: object,
        declarer: ArrayLike,
        leader: ArrayLike | None,
        trick: ArrayLike | None,
        tricks: ArrayLike | None,
        bid: object,
        rules: Rules,
    ) -> _Rows:
        check_rules(rules)
        masks = _hand_array(hands)
        n = len(masks)
        trumps = _per_row(trump, n, "trump", lambda value: int(Suit.parse(value, "trump")), 0, 4)
        declarers = _per_row(declarer, n, "declarer", functools.partial(_seat, "declarer"), 0, 3)
        leaders = declarers
        if leader is not None:
            leaders = _per_row(leader, n, "leader", functools.partial(_seat, "leader"), 0, 3)
        bids = None
        if bid is not None:
            bids = _per_row(bid, n, "bid", lambda value: int(Bid.parse(value)), 3, 7)
            if len(bids) and bids.min() < rules.min_bid:
                lowest = Bid(rules.min_bid)
                raise RulesError(f"bid {Bid(bids.min())} is below the lowest bid, {lowest}")
        rows = cls(
            masks,
            trumps,
            declarers,
            leaders,
            _small_array(trick, n, "trick", 2, -1, 24, "card numbers 0-23, or -1"),
            _small_array(tricks, n, "tricks", 3, 0, 7, "0 to 6"),
            bids,
        )
        for start, stop in _blocks(n):
            _check_cards(rows, start, stop)
        return rows

    def part(self, which: slice | NDArray[np.int64]) -> _Rows:
        """Some of the rows, as the kernels take them."""

        def rows(array: NDArray[Any]) -> NDArray[Any]:
            return array if len(array) == 1 else array[which]

        return _Rows(
            np.ascontiguousarray(self.hands[which], dtype=np.int64),
            rows(self.trump),
            rows(self.declarer),
            rows(self.leader),
            rows(self.trick),
            rows(self.tricks),
            None if self.bid is None else rows(self.bid),
        )

    def groups(self, *, by_contract: bool) -> Iterator[_Group]:
        """The rows with as many tricks to go; and, if it matters, one contract."""
        gone = self.tricks.sum(axis=1)
        taken = bid = np.zeros(1, dtype=np.int64)
        if by_contract and self.bid is not None:
            bid = self.bid
            rows = np.arange(len(self)) if len(self.tricks) > 1 else 0
            taken = self.tricks[rows, self.declarer]
        code = (bid * 8 + taken) * 8 + gone
        if code.min() == code.max():
            yield _Group.of(self, slice(None), int(code[0]))
            return
        for value in np.unique(code).tolist():
            index = np.flatnonzero(code == value)
            yield _Group.of(self.part(index), index, value)

    def declarer_of_rows(self) -> NDArray[np.int64]:
        return np.broadcast_to(self.declarer, len(self))


@dataclass(frozen=True, eq=False)
class _Group:
    """Rows of one block that go to the kernels together.

    ``bid`` and ``taken``, the declarer's tricks so far, are 0 where they do not matter.
    """

    rows: _Rows
    where: NDArray[np.int64] | slice
    to_go: int
    bid: int
    taken: int

    @classmethod
    def of(cls, rows: _Rows, where: NDArray[np.int64] | slice, code: int) -> _Group:
        return cls(rows, where, 6 - code % 8, code // 64, code // 8 % 8)


def _blocks(n: int) -> list[tuple[int, int]]:
    return [(start, min(start + _ROWS_PER_BLOCK, n)) for start in range(0, n, _ROWS_PER_BLOCK)]


def _run(
    rows: _Rows,
    play: _Play,
    n_jobs: int | None,
    out: NDArray[np.int8],
    solve_group: Callable[[_Group, _Play, int | None], NDArray[np.int8]],
) -> None:
    """Solve block after block, in threads if there are several."""

    def solve_block(start: int, stop: int, jobs: int | None) -> None:
        part = rows.part(slice(start, stop))
        for group in part.groups(by_contract=play.is_selfish and play.objective == "points"):
            out[start:stop][group.where] = solve_group(group, play, jobs)

    if n_jobs is not None and whole_number(n_jobs, "n_jobs", "a whole number or None") == 0:
        raise DealError("n_jobs must be a number of threads, or -1 for all cores, not 0")
    blocks = _blocks(len(rows))
    if not blocks:
        return
    # Tables are built here, by all threads; later the first who needs one would build it alone.
    if len(blocks) > 1:
        solve_block(*blocks[0], n_jobs)
        run_shared([functools.partial(solve_block, *block, 1) for block in blocks[1:]], n_jobs)
    else:
        solve_block(*blocks[0], n_jobs)


def _solve_group(group: _Group, play: _Play, n_jobs: int | None) -> NDArray[np.int8]:
    from ghostsim.kernels.positions import read_rows, solve_rows, solve_rows_selfishly

    rows, n = group.rows, group.to_go
    if n == 0:
        return _totals(group, play, np.zeros(len(rows), dtype=np.int8))
    out = np.empty(len(rows), dtype=np.int8)
    position = rows.hands, rows.trick, rows.trump, rows.declarer, rows.leader
    if play.is_selfish:
        depth = min(play.depth, n - 1)
        wanted = play.preferences(group.bid)
        tables = selfish_tables(n, depth, group.taken, wanted, n_jobs)
        ranks = ranks_from(wanted, group.taken)
        solve_rows_selfishly(*position, n, depth, ranks, tables, out)
    elif play.depth == OPENING and n == 6 and _declarer_leads(rows):
        table = Table(OPENING).load(n_jobs)
        read_rows(rows.hands, rows.trump, rows.declarer, table, out)
    else:
        depth = min(play.depth, MAX_DEPTH, n - 1)
        solve_rows(*position, n, depth, Table(depth).load(n_jobs), out)
    return _totals(group, play, out)


def _card_group(group: _Group, play: _Play, n_jobs: int | None) -> NDArray[np.int8]:
    from ghostsim.kernels.positions import card_rows, card_rows_selfishly

    rows, n = group.rows, group.to_go
    out = np.full((len(rows), 24), -1, dtype=np.int8)
    if n > 0:
        position = rows.hands, rows.trick, rows.trump, rows.declarer, rows.leader
        depth = min(play.depth, n - 1)
        if play.is_selfish:
            wanted = play.preferences(group.bid)
            tables = selfish_tables(n, depth, group.taken, wanted, n_jobs)
            ranks = ranks_from(wanted, group.taken)
            card_rows_selfishly(*position, n, depth, ranks, tables, out)
        else:
            card_rows(*position, n, depth, Table(depth).load(n_jobs), out)
    totals = _totals(group, play, out.ravel(), cards=24)
    playable = out >= 0
    if play.is_selfish:
        return np.where(playable[:, :, np.newaxis], totals.reshape(-1, 24, 3), -1).astype(np.int8)
    return np.where(playable, totals.reshape(-1, 24), -1).astype(np.int8)


def _declarer_leads(rows: _Rows) -> bool:
    """Whether no card has been played, and every row's leader is its declarer."""
    return bool((rows.leader == rows.declarer).all() and (rows.trick < 0).all())


def _totals(
    group: _Group, play: _Play, to_come: NDArray[np.int8], cards: int = 1
) -> NDArray[np.int8]:
    """Tricks of the deal from values (coalition) or outcomes (selfish) of those to come."""
    from ghostsim.kernels.selfish import OUTCOMES

    rows = group.rows
    n = len(rows)
    declarer = rows.declarer_of_rows()
    taken = np.broadcast_to(rows.tricks, (n, 3))
    if not play.is_selfish:
        if not rows.tricks.any():  # whole deals need no adding up
            return to_come
        own = taken[np.arange(n), declarer].astype(np.int8)
        return to_come + np.repeat(own, cards)
    by_role = np.zeros((n * cards, 3), dtype=np.int8)
    by_role[:, :2] = OUTCOMES[to_come]
    by_role[:, 2] = group.to_go - by_role[:, 0] - by_role[:, 1]
    role = (np.arange(3) - declarer[:, np.newaxis]) % 3  # of each seat
    by_seat = np.take_along_axis(by_role, np.repeat(role, cards, axis=0), axis=1)
    return by_seat + np.repeat(taken.astype(np.int8), cards, axis=0)


# ---------------------------------------------------------------------------------------- checks


def _unmasked(value: object, name: str) -> NDArray[Any]:
    """An array of what may be one; a masked array would lose its mask."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be a masked array: leave the masked rows out")
    return np.asarray(value)


def _hand_array(hands: ArrayLike) -> NDArray[Any]:
    array = _unmasked(hands, "hands")
    if array.ndim != 2 or array.shape[1] != 3:
        raise DealError(f"hands must have shape (n, 3), one column a seat, not {array.shape}")
    if len(array) == 0:
        return np.empty((0, 3), dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"hands must be whole numbers (masks), not {array.dtype}")
    return array


def _check_cards(rows: _Rows, start: int, stop: int) -> None:
    """Check that some rows hold as many different cards as their tricks leave."""
    # On the caller's numbers: as int64 a large uint64 would be a negative one.
    array = rows.hands[start:stop]
    outside = (array < 0) | (array > ALL_CARDS)
    part = rows.part(slice(start, stop))
    n = len(array)
    gone = part.tricks.sum(axis=1)
    if (gone > 6).any():
        row = int(np.flatnonzero(gone > 6)[0])
        raise DealError(f"tricks[{start + row}] add up to {gone[row]}: there are six in a deal")
    trick = np.broadcast_to(part.trick, (n, 2))
    led, followed = trick[:, 0] >= 0, trick[:, 1] >= 0
    if (followed & ~led).any():
        row = int(np.flatnonzero(followed & ~led)[0])
        raise DealError(f"trick[{start + row}]: the second card is there, the first is not")
    late = led & (gone == 6)
    if late.any():
        row = int(np.flatnonzero(late)[0])
        raise DealError(
            f"trick[{start + row}]: a card is on the table, but all six tricks have been taken"
        )
    size = np.broadcast_to(6 - gone[:, np.newaxis], (n, 3))
    if led.any():
        place = (np.arange(3) - np.broadcast_to(part.leader, n)[:, np.newaxis]) % 3  # 0 leads
        size = size - ((place == 0) & led[:, np.newaxis] | (place == 1) & followed[:, np.newaxis])
    bad = outside | (np.bitwise_count(array) != size)
    if bad.any():
        row, seat = (int(i) for i in np.argwhere(bad)[0])
        words = ("no card", "one", "two", "three", "four", "five", "six")
        raise DealError(
            f"hands[{start + row}, {seat}] = {array[row, seat]} is not a hand: "
            f"{words[size[row, seat]]} of bits 0-23 must be set"
        )
    masks = part.hands
    twice = masks[:, 0] & masks[:, 1] | masks[:, 0] & masks[:, 2] | masks[:, 1] & masks[:, 2]
    if twice.any():
        row = int(np.flatnonzero(twice)[0])
        shared = " ".join(map(str, cards_of(int(twice[row]))))
        raise DealError(f"hands[{start + row}]: two seats hold {shared}")
    if led.any():
        table = np.where(led, 1 << np.maximum(trick[:, 0], 0), 0)
        second = np.where(followed, 1 << np.maximum(trick[:, 1], 0), 0)
        again = (table & second) | ((table | second) & np.bitwise_or.reduce(masks, axis=1))
        if again.any():
            row = int(np.flatnonzero(again)[0])
            shared = " ".join(map(str, cards_of(int(again[row]))))
            raise DealError(f"trick[{start + row}]: {shared} is in the trick and elsewhere")


def _seat(name: str, value: object) -> int:
    seat = whole_number(value, f"{name}: a seat", "0, 1 or 2")
    if seat not in (0, 1, 2):
        raise DealError(f"{name}: a seat must be 0, 1 or 2, not {seat}")
    return seat


def _small_array(
    value: ArrayLike | None, n: int, name: str, columns: int, low: int, high: int, allowed: str
) -> NDArray[np.int64]:
    """An array (n, columns), or (1, columns) for all rows, of numbers in a range."""
    if value is None:
        return np.full((1, columns), min(low, 0), dtype=np.int64)
    array = _unmasked(value, name)
    if array.shape not in ((columns,), (n, columns)):
        raise DealError(f"{name} must have shape ({n}, {columns}), not {array.shape}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be whole numbers, not {array.dtype}")
    array = array.reshape(-1, columns)
    bad = (array < low) | (array >= high)
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        raise DealError(f"{name}[{row}, {column}] must be {allowed}, not {array[row, column]}")
    return np.ascontiguousarray(array, dtype=np.int64)


def _per_row(
    value: object, n: int, name: str, parse: Callable[..., int], low: int, high: int
) -> NDArray[np.int64]:
    """One number for all rows (length 1) or one a row (length n), checked."""
    if isinstance(value, str) or np.ndim(value) == 0:  # type: ignore[arg-type]
        return np.array([parse(value.item() if isinstance(value, np.ndarray) else value)])
    array = _unmasked(value, name)
    if array.shape != (n,):
        raise DealError(f"{name} must be one value or have shape ({n},), not {array.shape}")
    if array.dtype.kind not in "iu":
        # From the caller's own list: numpy has made texts of all items if one of them is.
        items = array.tolist() if isinstance(value, np.ndarray) else list(value)  # type: ignore[call-overload]
        numbers = np.empty(n, dtype=np.int64)
        for row, item in enumerate(items):
            try:
                numbers[row] = parse(item)
            except GhostsimError as error:
                raise type(error)(f"{name}[{row}]: {error}") from None
        return numbers
    numbers = np.ascontiguousarray(array, dtype=np.int64)
    bad = np.flatnonzero((numbers < low) | (numbers >= high))
    if len(bad):
        row = int(bad[0])
        raise DealError(f"{name}[{row}] must be {low} to {high - 1}, not {numbers[row]}")
    return numbers
