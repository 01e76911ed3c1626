"""The endgame tables: which there are, what is in them, and how each is built from smaller ones.

Three kinds: against the coalition, up to five tricks; for selfish play, up to five tricks, one for
each set of preferences; and the opening table, six tricks that the declarer leads to.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ghostsim._parallel import Progress, run_shared
from ghostsim.kernels.bits import subsets
from ghostsim.kernels.endgame import build_table
from ghostsim.kernels.openings import N_SPLITS, build_opening_table
from ghostsim.kernels.relabel import SHAPES
from ghostsim.kernels.selfish import build_selfish_table
from ghostsim.preferences import Preferences, preferences
from ghostsim.rules import Bid
from ghostsim.table_files import TableError, cached_table, is_cached

#: The deepest table that is always there: 2 MB, built in about a second.
DEPTH = 4
#: The deepest table that a search looks into: 38 MB, built in fifteen seconds of one core.
MAX_DEPTH = 5
#: The opening table needs no search: 249 MB, built in 80 seconds of one core.
OPENING = 6

_build_lock = threading.RLock()
_loaded: dict[str, NDArray[Any]] = {}


@dataclass(frozen=True)
class Table:
    """One endgame table.

    Parameters
    ----------
    tricks : int
        Tricks to go: 0 to 5; 6 is the opening table, which the coalition only has.
    preferences : Preferences, optional
        What selfish seats play for; None for the coalition.
    taken : int
        Tricks that the declarer took before: it matters to selfish seats who play for points.

    Raises
    ------
    TableError
        If there is no such table.
    """

    tricks: int
    preferences: Preferences | None = None
    taken: int = 0

    def __post_init__(self) -> None:
        deepest = OPENING if self.preferences is None else MAX_DEPTH
        if not 0 <= self.tricks <= deepest:
            raise TableError(f"tables are for 0 to {deepest} tricks, not {self.tricks}")
        if not 0 <= self.taken <= 6 - self.tricks:
            raise TableError(
                f"with {self.tricks} tricks to go 0 to {6 - self.tricks} have been taken, "
                f"not {self.taken}"
            )

    @property
    def name(self) -> str:
        """Names the table and its file; tables that must be equal have one name."""
        if self.preferences is None:
            return f"coalition-{self.tricks}"
        return f"selfish-{self.tricks}-{self.preferences.key(self.tricks, self.taken)}"

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.uint8 if self.preferences is None else np.uint16)

    @property
    def positions(self) -> int:
        """Positions in the table; one entry answers for all three leaders."""
        n = self.tricks
        return len(SHAPES[n]) * math.comb(3 * n, n) * math.comb(2 * n, n)

    @property
    def entries(self) -> int:
        """Elements of the array: one a position, but two positions a byte in the opening table."""
        return self.positions // 2 if self.tricks == OPENING else self.positions

    @property
    def is_kept(self) -> bool:
        """Whether it is worth a file: below ``DEPTH`` building is faster than opening one."""
        return self.tricks >= DEPTH

    def is_loaded(self) -> bool:
        """Whether the table is in memory, so that using it costs nothing."""
        return self.name in _loaded

    def is_ready(self) -> bool:
        """Whether the table is in memory or on disk, so that nothing need be built."""
        return self.is_loaded() or (self.is_kept and is_cached(self.name))

    def load(self, n_jobs: int | None = None, progress: Progress | None = None) -> NDArray[Any]:
        """The table, built if it is not cached. Not to be written to.

        Parameters
        ----------
        n_jobs : int, optional
            Threads that build it, as joblib counts them.
        progress : callable, optional
            Wraps the iterator over the parts built, given their number.

        Returns
        -------
        uint8 or uint16 (entries,)
            As ``ghostsim.kernels.endgame``, ``selfish`` and ``openings`` describe it.

        Raises
        ------
        TableError
            If the cached file is damaged.
        """
        with _build_lock:
            if self.name not in _loaded:
                _loaded[self.name] = (
                    cached_table(
                        self.name,
                        self.dtype,
                        self.entries,
                        lambda: self.build(n_jobs, progress),
                        about=str(self),
                    )
                    if self.is_kept
                    else self.build(n_jobs, progress)
                )
            return _loaded[self.name]

    def build(self, n_jobs: int | None = None, progress: Progress | None = None) -> NDArray[Any]:
        """The table, built in memory whether it is cached or not."""
        table = np.zeros(self.entries, dtype=self.dtype)  # one position of no tricks: none taken
        if self.tricks > 0:
            fill, rows, per_row = self.builder(n_jobs)
            step = max(1, min(rows, 500_000 // per_row))
            calls = [
                functools.partial(fill, start, min(start + step, rows), table)
                for start in range(0, rows, step)
            ]
            run_shared(calls, n_jobs, progress)
        return table

    def builder(self, n_jobs: int | None) -> tuple[Callable[..., None], int, int]:
        """What fills rows of the table, how many rows there are, and positions a row.

        A row is a declarer's hand. The tables of one trick less are loaded for it.
        """
        n = self.tricks
        shapes = np.array(SHAPES[n], dtype=np.int64)
        declarer_hands, left_hands = subsets(3 * n, n), subsets(2 * n, n)
        rows = len(shapes) * len(declarer_hands)
        parts = (shapes, declarer_hands, left_hands)
        if n == OPENING:
            deeper = Table(MAX_DEPTH).load(n_jobs)

            def fill(start: int, stop: int, table: NDArray[Any]) -> None:
                build_opening_table(*parts, MAX_DEPTH, deeper, start, stop, table)

        elif self.preferences is None:
            deeper = Table(n - 1).load(n_jobs)

            def fill(start: int, stop: int, table: NDArray[Any]) -> None:
                build_table(n, *parts, deeper, start, stop, table)

        else:
            ranks = ranks_from(self.preferences, self.taken)
            after = selfish_tables(n, n - 1, self.taken, self.preferences, n_jobs)

            def fill(start: int, stop: int, table: NDArray[Any]) -> None:
                build_selfish_table(n, *parts, ranks, after, start, stop, table)

        return fill, rows, N_SPLITS if n == OPENING else len(left_hands)

    def __str__(self) -> str:
        tricks = "1 trick" if self.tricks == 1 else f"{self.tricks} tricks"
        if self.preferences is None:
            leads = ", the declarer leads" if self.tricks == OPENING else ""
            return f"coalition, {tricks}{leads}"
        wanted = self.preferences
        if wanted.bid is None:
            return f"selfish, {tricks}, for {wanted}"
        need = wanted.bid - self.taken
        missing = "set already" if need > self.tricks else f"{max(need, 0)} more needed"
        return f"selfish, {tricks}, for {wanted.terms()}, {missing}"


def endgame_table(tricks: int, n_jobs: int | None = None) -> NDArray[np.uint8]:
    """The coalition's table for some tricks to go: ``Table(tricks).load(n_jobs)``."""
    return Table(tricks).load(n_jobs)


def ranks_from(preferences: Preferences, taken: int) -> NDArray[np.int8]:
    """Ranks of outcomes, counted from a position before which the declarer took some tricks."""
    ranks = np.full_like(preferences.ranks, -1)
    ranks[:, : 7 - taken] = preferences.ranks[:, taken:]
    return ranks


def selfish_tables(
    tricks: int, depth: int, taken: int, preferences: Preferences, n_jobs: int | None = None
) -> tuple[NDArray[np.uint16], NDArray[np.uint16], NDArray[np.uint16]]:
    """The tables at ``depth`` that a selfish search from some tricks to go looks into.

    One for each number, 0 to 2, of tricks that the declarer may take on the way; where that is
    more than there are on the way, the last one again.
    """
    first, second, third = (
        Table(depth, preferences, taken + min(won, tricks - depth)).load(n_jobs) for won in range(3)
    )
    return first, second, third


@functools.cache
def known_tables() -> dict[str, tuple[Table, ...]]:
    """The tables that can be asked for, by the name that the command line takes.

    Selfish play for points needs several: one for each number of tricks that the declarer may
    still need for a bid of the standard rules.
    """
    known: dict[str, tuple[Table, ...]] = {
        f"coalition-{tricks}": (Table(tricks),) for tricks in (DEPTH, MAX_DEPTH, OPENING)
    }
    for tricks in (DEPTH, MAX_DEPTH):
        known[f"selfish-{tricks}"] = (Table(tricks, Preferences()),)
        by_name = {
            table.name: table
            for bid in Bid
            for taken in range(OPENING - tricks + 1)
            for table in [Table(tricks, preferences("points", bid), taken)]
        }
        known[f"points-{tricks}"] = tuple(sorted(by_name.values(), key=str))
    return known


@dataclass(frozen=True)
class TableCheck:
    """What a check of a table found.

    Attributes
    ----------
    rows, positions : int
        Rows of the table that were built afresh, and the positions in them.
    wrong : int
        Rows that differ.
    """

    rows: int
    positions: int
    wrong: int


def check_table(
    table: Table,
    sample: int | None = 100,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> TableCheck:
    """Build rows of a table afresh from the tables below it, and compare.

    Parameters
    ----------
    table : Table
        Loaded, which checks its checksum, or built if it is not cached.
    sample : int or None
        How many rows, drawn by ``seed``; None for all.
    n_jobs, progress
        As for ``Table.load``.

    Raises
    ------
    TableError
        If the cached file is damaged.
    """
    loaded = table.load(n_jobs)
    fill, rows, per_row = table.builder(n_jobs)
    elements = len(loaded) // rows
    # Pages that are never written to take no memory.
    fresh = np.empty_like(loaded)
    chosen = np.arange(rows)
    if sample is not None and sample < rows:
        chosen = np.sort(np.random.default_rng(seed).choice(rows, sample, replace=False))
    calls = [functools.partial(fill, row, row + 1, fresh) for row in chosen.tolist()]
    run_shared(calls, n_jobs, progress)
    shape = (rows, elements)
    differ = (loaded.reshape(shape)[chosen] != fresh.reshape(shape)[chosen]).any(axis=1)
    return TableCheck(len(chosen), len(chosen) * per_row, int(differ.sum()))
