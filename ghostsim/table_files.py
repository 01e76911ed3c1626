"""Tables on disk: built by one process while others wait, checked when read, mapped into memory.

A file is one line of JSON that says what it is, padded to 4,096 bytes, then the table. Its name
holds a hash of the kernels' sources, so tables of other versions are never read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock
from numpy.typing import DTypeLike, NDArray

from ghostsim._cache import (
    CacheWarning,
    cache_directory,
    cache_location,
    kernels_fingerprint,
)
from ghostsim.errors import GhostsimError

WHAT = "ghostsim endgame table"

_HEADER_BYTES = 4096
#: Name (with that of the first version), fingerprint of the kernels, and the kind of file: table,
#: lock, or what is unfinished, to whose name ``mkstemp`` has added eight characters.
_FILE = re.compile(
    r"(?P<name>(coalition|endgame)-\d|selfish-\d-[0-9a-f]{12})-(?P<kernels>[0-9a-f]{16})"
    r"\.(?P<kind>bin|lock|bin\.[a-z0-9_]{8})"
)


class TableError(GhostsimError):
    """A table file that is damaged, or is not the table it should be."""


def tables_directory(*, writable: bool = True) -> Path | None:
    """Where tables are cached; None without a cache directory.

    ``writable=False`` also gives one that can be read only.
    """
    directory = cache_directory() if writable else cache_location()
    return None if directory is None else directory / "tables"


def table_path(name: str, *, writable: bool = True) -> Path | None:
    """The file of a table of this version; None without a cache directory."""
    directory = tables_directory(writable=writable)
    return None if directory is None else directory / f"{name}-{kernels_fingerprint()}.bin"


def is_cached(name: str) -> bool:
    """Whether the file of a table is there. It may be damaged."""
    path = table_path(name, writable=False)
    # Not path.exists(): it raises where a directory may not be looked into.
    return path is not None and os.path.exists(path)


def cached_table(
    name: str,
    dtype: DTypeLike,
    entries: int,
    build: Callable[[], NDArray[Any]],
    about: str = "",
) -> NDArray[Any]:
    """A table from its file; if there is none, built and written to it.

    Parameters
    ----------
    name : str
        Names the file.
    dtype, entries
        What the table must be.
    build : callable
        Makes the table.
    about : str
        What it is, for people who look at the file.

    Raises
    ------
    TableError
        If the file is damaged.
    """
    was_there = is_cached(name)
    path = table_path(name, writable=not was_there)
    if path is None:
        return build()
    built = None
    try:
        if not was_there:
            path.parent.mkdir(parents=True, exist_ok=True)
            # One process builds while the others wait; if it dies, its lock dies with it.
            with FileLock(path.with_suffix(".lock")):
                if not path.exists():
                    _remove_unfinished(path)
                    built = build()
                    write_table(path, name, built, about)
        return read_table(path, name, dtype, entries)
    except OSError as error:
        warnings.warn(
            f"the endgame table cannot be cached in {path.parent} ({error.strerror or error}): "
            "it is built anew in each process",
            CacheWarning,
            stacklevel=2,
        )
        return build() if built is None else built


def write_table(path: Path, name: str, table: NDArray[Any], about: str = "") -> None:
    """Write beside, then rename: no reader ever sees half a table."""
    header = {
        "what": WHAT,
        "name": name,
        "about": about,
        "bytes": table.nbytes,
        "blake2b": hashlib.blake2b(table.data.cast("B"), digest_size=16).hexdigest(),
        "kernels": kernels_fingerprint(),
    }
    line = json.dumps(header).encode().ljust(_HEADER_BYTES - 1) + b"\n"
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(line)
            file.write(table.data.cast("B"))
        os.chmod(beside, 0o644)  # mkstemp makes files that only their owner may read
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _remove_unfinished(path: Path) -> None:
    """Remove what writers that were killed have left. The caller holds the lock."""
    for beside in path.parent.glob(f"{path.name}.*"):
        if _FILE.fullmatch(beside.name):
            with contextlib.suppress(OSError):
                beside.unlink()


def read_table(path: Path, name: str, dtype: DTypeLike, entries: int) -> NDArray[Any]:
    """A table from its file, mapped into memory.

    Raises
    ------
    TableError
        If the file is damaged, or is some other file.
    """
    expected = np.dtype(dtype).itemsize * entries
    try:
        with path.open("rb") as file:
            header = json.loads(file.read(_HEADER_BYTES))
        if (header["what"], header["name"], header["kernels"]) != (
            WHAT,
            name,
            kernels_fingerprint(),
        ):
            raise ValueError("it is some other file")
        length = path.stat().st_size - _HEADER_BYTES
        if not length == header["bytes"] == expected:
            raise ValueError(f"it has {max(length, 0)} of {expected} bytes")
        # Copy on write rather than read only: to numba the two are different types.
        mapped = np.memmap(path, dtype=np.uint8, mode="c", offset=_HEADER_BYTES)
        if hashlib.blake2b(mapped.data, digest_size=16).hexdigest() != header["blake2b"]:
            raise ValueError("its checksum is wrong")
    except (ValueError, KeyError, TypeError, RecursionError, IsADirectoryError) as error:
        raise TableError(
            f"the endgame table {path} is damaged ({error}): delete it and it is built anew"
        ) from error
    return np.asarray(mapped).view(dtype)


@dataclass(frozen=True)
class CachedFile:
    """One file of the tables' directory.

    Attributes
    ----------
    path : Path
    name : str
        Of the table it is, or belongs to.
    kind : str
        ``"table"``, ``"lock"``, or ``"unfinished"`` for what a killed writer left.
    current : bool
        Whether it is of this version of the kernels.
    size : int
        Bytes.
    about : str
        What the file says it is; empty if it says nothing readable.
    """

    path: Path
    name: str
    kind: str
    current: bool
    size: int
    about: str


def cached_files() -> list[CachedFile]:
    """All files of the tables' directory that are ours, by name."""
    directory = tables_directory(writable=False)
    if directory is None or not os.path.isdir(directory):
        return []
    kinds = {"bin": "table", "lock": "lock"}
    found = []
    for path in sorted(directory.iterdir()):
        match = _FILE.fullmatch(path.name)
        if match is None or path.is_dir():
            continue
        current = match["kernels"] == kernels_fingerprint()
        try:
            size = path.stat().st_size
        except OSError:  # removed meanwhile
            continue
        kind = kinds.get(match["kind"], "unfinished")
        about = _about(path) if kind == "table" else ""
        found.append(CachedFile(path, match["name"], kind, current, size, about))
    return found


def _about(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return str(json.loads(file.read(_HEADER_BYTES))["about"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""


def remove_files(files: list[CachedFile]) -> list[CachedFile]:
    """Remove files of the tables' directory; return those that are gone.

    Processes that have mapped a table keep it. Locks that a process holds stay.

    Raises
    ------
    OSError
        If a file cannot be removed.
    """
    gone = []
    for file in files:
        if file.kind == "unfinished" and _is_locked(file):
            continue  # somebody is writing it now
        if file.kind == "lock" and _is_locked(file):
            continue
        file.path.unlink(missing_ok=True)
        gone.append(file)
    return gone


def _is_locked(file: CachedFile) -> bool:
    name = file.path.name.split(".bin")[0].removesuffix(".lock")
    path = file.path.with_name(f"{name}.lock")
    if not path.exists():
        return False
    lock = FileLock(path, timeout=0)
    try:
        with lock:
            return False
    except OSError:
        return True
