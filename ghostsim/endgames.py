"""The endgame tables on disk: built once, checked when read, mapped into memory, shared.

A file is one line of JSON that says what it is, padded to 4,096 bytes, then the table. Its name
holds a hash of the kernels' sources, so tables of other versions are never read.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import tempfile
import threading
import warnings
from pathlib import Path

import joblib
import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from ghostsim._cache import CacheWarning, cache_directory, kernels_fingerprint
from ghostsim._parallel import shared_memory_parallel
from ghostsim.errors import GhostsimError
from ghostsim.kernels.bits import subsets
from ghostsim.kernels.endgame import build_table
from ghostsim.kernels.relabel import SHAPES

#: The deepest table that is always there: 2 MB, built in about a second.
DEPTH = 4
#: The deepest table: 38 MB, built in fifteen seconds of one core.
MAX_DEPTH = 5

_HEADER_BYTES = 4096
_build_lock = threading.RLock()


class TableError(GhostsimError):
    """A table file that is damaged, or is not the table it should be."""


def table_path(tricks: int) -> Path | None:
    """Where the table for a number of tricks is cached; None without a cache directory."""
    directory = cache_directory()
    if directory is None:
        return None
    return directory / "tables" / f"endgame-{tricks}-{kernels_fingerprint()}.bin"


def endgame_table(tricks: int, n_jobs: int | None = None) -> NDArray[np.uint8]:
    """The table of values for positions with some tricks to go, built if it is not cached.

    Parameters
    ----------
    tricks : int
        0 to 5.
    n_jobs : int, optional
        Threads that build it, as joblib counts them.

    Returns
    -------
    uint8 (positions,)
        As ``ghostsim.kernels.endgame`` describes it. Not to be written to.

    Raises
    ------
    TableError
        If the cached file is damaged.
    """
    if not 0 <= tricks <= MAX_DEPTH:
        raise TableError(f"tables are for 0 to {MAX_DEPTH} tricks, not {tricks}")
    with _build_lock:
        return _loaded_table(tricks, n_jobs)


def table_entries(tricks: int) -> int:
    """How many positions have some tricks to go; a byte each."""
    n = tricks
    return len(SHAPES[n]) * math.comb(3 * n, n) * math.comb(2 * n, n)


_tables: dict[int, NDArray[np.uint8]] = {}


def _loaded_table(tricks: int, n_jobs: int | None) -> NDArray[np.uint8]:
    if tricks not in _tables:
        # Below DEPTH a table is built faster than a file is opened.
        path = table_path(tricks) if tricks >= DEPTH else None
        if path is None:
            _tables[tricks] = _build(tricks, n_jobs)
        else:
            _tables[tricks] = _read_or_build(path, tricks, n_jobs)
    return _tables[tricks]


def table_is_loaded(tricks: int) -> bool:
    """Whether a table is in memory, so that using it costs nothing."""
    return tricks in _tables


def table_is_ready(tricks: int) -> bool:
    """Whether a table is in memory or on disk, so that nothing need be built."""
    path = table_path(tricks)
    return tricks in _tables or (path is not None and path.exists())


def _build(tricks: int, n_jobs: int | None) -> NDArray[np.uint8]:
    if tricks == 0:
        return np.zeros(1, dtype=np.uint8)  # one position, no trick to take
    previous = _loaded_table(tricks - 1, n_jobs)
    shapes = np.array(SHAPES[tricks], dtype=np.int64)
    declarer_hands = subsets(3 * tricks, tricks)
    left_hands = subsets(2 * tricks, tricks)
    rows = len(shapes) * len(declarer_hands)
    table = np.empty(table_entries(tricks), dtype=np.uint8)
    block = max(1, min(rows, 500_000 // len(left_hands)))
    shared_memory_parallel(n_jobs)(
        joblib.delayed(build_table)(
            tricks,
            shapes,
            declarer_hands,
            left_hands,
            previous,
            start,
            min(start + block, rows),
            table,
        )
        for start in range(0, rows, block)
    )
    return table


def _read_or_build(path: Path, tricks: int, n_jobs: int | None) -> NDArray[np.uint8]:
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            # One process builds while the others wait; if it dies, its lock dies with it.
            with FileLock(path.with_suffix(".lock")):
                if not path.exists():
                    _write(path, tricks, _build(tricks, n_jobs))
        return _read(path, tricks)
    except OSError as error:
        warnings.warn(
            f"the endgame table cannot be cached in {path.parent} ({error.strerror or error}): "
            "it is built anew in each process",
            CacheWarning,
            stacklevel=2,
        )
        return _build(tricks, n_jobs)


def _write(path: Path, tricks: int, table: NDArray[np.uint8]) -> None:
    """Write beside, then rename: no reader ever sees half a table."""
    header = {
        "what": "ghostsim endgame table",
        "tricks": tricks,
        "bytes": len(table),
        "blake2b": hashlib.blake2b(table.data, digest_size=16).hexdigest(),
        "kernels": kernels_fingerprint(),
    }
    line = json.dumps(header).encode().ljust(_HEADER_BYTES - 1) + b"\n"
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(line)
            file.write(table.tobytes())
        os.chmod(beside, 0o644)  # mkstemp makes files that only their owner may read
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _read(path: Path, tricks: int) -> NDArray[np.uint8]:
    try:
        with path.open("rb") as file:
            header = json.loads(file.read(_HEADER_BYTES))
        expected = ("ghostsim endgame table", tricks, kernels_fingerprint())
        if (header["what"], header["tricks"], header["kernels"]) != expected:
            raise ValueError("it is some other file")
        # Copy on write rather than read only: to numba the two are different types.
        mapped = np.memmap(path, dtype=np.uint8, mode="c", offset=_HEADER_BYTES)
        entries = table_entries(tricks)
        if not len(mapped) == header["bytes"] == entries:
            raise ValueError(f"it has {len(mapped)} of {entries} bytes")
        if hashlib.blake2b(mapped.data, digest_size=16).hexdigest() != header["blake2b"]:
            raise ValueError("its checksum is wrong")
    except (ValueError, KeyError, TypeError, RecursionError, IsADirectoryError) as error:
        raise TableError(
            f"the endgame table {path} is damaged ({error}): delete it and it is built anew"
        ) from error
    return np.asarray(mapped)
