"""Finished blocks of a run in a file, so that nothing but the block in flight is ever lost.

The file is an SQLite database, ``blocks.sqlite3``. Every block is a transaction of its own, and
carries a checksum that also covers what the run is: a block that was damaged, edited, or moved from
another run is never read as a good one. No file time and no clock is looked at anywhere.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import platform
import shutil
import sqlite3
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ghostsim.errors import GhostsimError

BLOCKS = "blocks.sqlite3"
LOCK = "blocks.lock"
#: What a damaged file is called after a repair; more of them get a number.
DAMAGED = f"{BLOCKS}.damaged"
#: How names of files begin that a run is still writing, or did not come to finish.
UNFINISHED = ".ghostsim-unfinished-"

#: All that a block depends on: study, seed, rules and so on, as JSON can say it.
Identity: TypeAlias = Mapping[str, Any]

_APPLICATION = 0x67686F73  # "ghos"
_FORMAT = 1
_SCHEMA = f"""
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_FORMAT};
CREATE TABLE run (identity TEXT NOT NULL, checksum BLOB NOT NULL);
CREATE TABLE blocks (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    start INTEGER NOT NULL,
    count INTEGER NOT NULL,
    shape TEXT NOT NULL,
    payload BLOB NOT NULL,
    checksum BLOB NOT NULL
);
CREATE UNIQUE INDEX spans ON blocks (name, start, count DESC);
"""
#: Seconds to wait for somebody who looks at the file.
_PATIENCE = 60.0
#: A repair gives up after as many numbers without a block: damage leaves no longer holes.
_MOST_MISSES = 10_000


class StoreError(GhostsimError):
    """A run folder that cannot be used: in use, of another run, or not to be read."""


class StoreInUseError(StoreError):
    """A run folder that another process runs in."""

    exit_status: ClassVar[int] = 1


class OtherRunError(StoreError):
    """A store that holds the blocks of another run."""


class DamagedStoreError(StoreError):
    """A store that is not as it was written."""

    exit_status: ClassVar[int] = 1


class StoreWriteError(OSError):
    """A block that cannot be written; those before are kept."""


#: How a lock file begins.
_OWNER = b"process "
#: A lock file that is a link is somebody else's (ELOOP); Windows does not know the flag.
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)


class FolderLock:
    """Lets one process at a time into a run folder; given back when it ends, however it ends.

    Parameters
    ----------
    folder : Path
        Must be there.

    Raises
    ------
    StoreInUseError
        At once, if another process has it; the message says which.
    StoreError
        If the folder cannot be locked.
    OSError
        If the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOCK
        while True:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | _NO_LINKS, 0o666)
            try:
                _lock(self._file)
                if self._is_there():
                    self._check_ours(folder)
                    break
                os.close(self._file)  # who had it has just removed it: a new one
            except OSError as error:
                os.close(self._file)
                if error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
                    raise StoreError(
                        f"{folder} cannot be locked against a second run "
                        f"({error.strerror or error}): name a folder on another disk"
                    ) from error
                raise StoreInUseError(
                    f"another ghostsim{self._owner()} is running in {folder}: wait for it to end, "
                    "or name another folder"
                ) from error
        with contextlib.suppress(OSError):  # a full disk; it is for the message only
            os.ftruncate(self._file, 0)
            os.write(self._file, _OWNER + f"{os.getpid()} on {platform.node()}\n".encode())

    def _is_there(self) -> bool:
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(self._file))
        except FileNotFoundError:
            return False

    def _check_ours(self, folder: Path) -> None:
        written = os.read(self._file, len(_OWNER))
        if written and written != _OWNER:
            os.close(self._file)
            raise StoreError(f"{folder} holds a file {LOCK} that no run has made: move it away")
        os.lseek(self._file, 0, os.SEEK_SET)

    def _owner(self) -> str:
        try:
            written = self._path.read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            written = ""
        return f" ({written})" if written else ""

    def close(self) -> None:
        """Remove the file and let others in."""
        if sys.platform == "win32":  # which removes no open file
            os.close(self._file)
        with contextlib.suppress(OSError):
            self._path.unlink()
        if sys.platform != "win32":
            os.close(self._file)

    def __enter__(self) -> FolderLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def is_of_another_program(path: Path) -> bool:
    """Whether a file is an SQLite database that is not ours."""
    try:
        with path.open("rb") as file:
            header = file.read(72)
    except OSError:
        return False
    application = int.from_bytes(header[68:72], "big")
    return header.startswith(b"SQLite format 3\0") and application != _APPLICATION


def running_in(folder: Path) -> str:
    """Which process is running in a folder, like ``process 12 on host``; empty if none is."""
    try:
        file = os.open(folder / LOCK, os.O_RDONLY)
    except OSError:
        return ""
    written = ""
    try:
        written = os.read(file, 1_000).decode("utf-8", "replace").strip()
        if written:  # otherwise somebody may be about to lock it: this is not to get in his way
            _lock(file, shared=True)
    except OSError:
        return written
    finally:
        os.close(file)
    return ""


def _lock(file: int, *, shared: bool = False) -> None:
    """Lock an open file for this process, or raise OSError at once."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(file, 1 << 20, os.SEEK_SET)  # beyond the text, which others shall read
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        os.lseek(file, 0, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


@dataclass(frozen=True)
class KeptBlocks:
    """What a store has of one simulation.

    Attributes
    ----------
    name : str
        Of the simulation, and its seed: ``"deals, seed 0"``.
    blocks : int
    units : int
        Deals or games that are in a block.
    gaps : int
        Holes before the last of them, which a resumed run fills.
    """

    name: str
    blocks: int
    units: int
    gaps: int


class BlockStore:
    """Finished blocks of one run, in ``blocks.sqlite3`` of a folder; the ``store`` of a ``Runner``.

    Blocks are added by one process and one thread. Open it with ``BlockStore.open`` or, to look
    only, ``BlockStore.look``; close it with ``close``, or use it in a ``with``.

    Attributes
    ----------
    path : Path
        The file. It comes to be with the first block.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with BlockStore.open(Path(folder.name), {"study": "dice", "seed": 1}) as store:
    ...     store.write("throws", 0, 1_000, np.array([3_512, 14_890]))
    >>> with BlockStore.open(Path(folder.name), {"study": "dice", "seed": 1}) as store:
    ...     print(list(store.spans("throws")), store.read("throws", 0, 1_000))
    [(0, 1000)] [ 3512 14890]
    >>> BlockStore.open(Path(folder.name), {"study": "dice", "seed": 2})
    Traceback (most recent call last):
    ghostsim.simulate.block_store.OtherRunError: ... holds another run:
      seed: 1 in the folder, 2 asked for
    name another folder, or open it with replace=True
    >>> folder.cleanup()
    """

    def __init__(
        self,
        folder: Path,
        text: str,
        connection: sqlite3.Connection | None,
        lock: FolderLock | None,
        before_first: Callable[[], None] | None,
    ) -> None:
        self.path = folder / BLOCKS
        self._text = text
        self._connection = connection
        self._lock = lock
        self._before_first = before_first
        self._noted = ""

    @classmethod
    def open(
        cls,
        folder: Path,
        identity: Identity,
        *,
        lock: FolderLock | None = None,
        replace: bool = False,
        before_first: Callable[[], None] | None = None,
    ) -> BlockStore:
        """The store of a run: that of the folder, or a new one.

        Parameters
        ----------
        folder : Path
            Must be there.
        identity : mapping
            All that the blocks depend on, as JSON can say it. A ``Runner`` keeps simulations of
            different names apart, and seeds.
        lock : FolderLock, optional
            The folder's, if the caller has it; otherwise the store takes it, until it is closed.
        replace : bool
            Begin anew. What is there stays until the first block is written.
        before_first : callable, optional
            Called before a file is made for the first block.

        Raises
        ------
        StoreError
            If there is no such folder.
        StoreInUseError
            If another process is running in the folder.
        OtherRunError
            If the store there is that of another run; the message lists how they differ.
        DamagedStoreError
            If any of its blocks is not as it was written.
        OSError
            If the folder cannot be written.
        """
        if not folder.is_dir():
            raise StoreError(f"there is no folder {str(folder)!r}: make it first, for the blocks")
        own = None
        if lock is None:
            own = lock = FolderLock(folder)
        try:
            text = _canonical(identity)
            store = cls(folder, text, None, own, before_first)
            if not replace and store.path.exists():
                store._connection = _connect(store.path)
                try:
                    there = _identity_text(store.path, store._connection)
                    if there != text:
                        raise OtherRunError(
                            f"{folder} holds another run:\n{differences(there, text)}\n"
                            "name another folder, or open it with replace=True"
                        )
                    _check_all(store.path, store._connection, _key(text))
                except BaseException:
                    store._connection.close()
                    raise
            return store
        except BaseException:
            if own is not None:
                own.close()
            raise

    @classmethod
    def look(cls, folder: Path) -> BlockStore:
        """A store as it is, of whatever run, also while it is running; not to be written to.

        Raises
        ------
        StoreError
            If there is none, or it cannot be read.
        DamagedStoreError
            If what it is of cannot be told.
        """
        path = folder / BLOCKS
        if not path.is_file():
            raise StoreError(f"{folder} holds no {BLOCKS}: there are no blocks to look at")
        connection = _connect(path)
        try:
            return cls(folder, _identity_text(path, connection), connection, None, None)
        except BaseException:
            connection.close()
            raise

    def __enter__(self) -> BlockStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others into the folder."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    @property
    def identity(self) -> dict[str, Any]:
        """What its blocks depend on."""
        found: dict[str, Any] = json.loads(self._text)
        return found

    @property
    def noted(self) -> str:
        """What was noted last, also by an earlier run; empty if nothing was."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):  # of a store that never had a note
                row = self._connection.execute("SELECT text FROM note").fetchone()
                return str(row[0]) if row is not None else ""
        return self._noted

    def note(self, text: str) -> None:
        """Keep a line about the run beside its blocks, in place of the last: how it was asked for.

        No block depends on it, and one that cannot be written stops no run.
        """
        self._noted = text
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                # No trace of an old note, so that two finished runs may be the same file.
                self._connection.execute("PRAGMA secure_delete = ON")
                self._connection.execute("CREATE TABLE IF NOT EXISTS note (text TEXT NOT NULL)")
                self._connection.execute("DELETE FROM note")
                if text:
                    self._connection.execute("INSERT INTO note VALUES (?)", (text,))

    def is_there(self) -> bool:
        """Whether its file is where it was made; True if there is none yet."""
        return self._connection is None or self.path.exists()

    def is_empty(self) -> bool:
        """Whether it has no block."""
        return next(self._rows("SELECT 1 FROM blocks LIMIT 1"), None) is None

    def check(self) -> None:
        """Read all blocks; DamagedStoreError names the first that is not as it was written."""
        if self._connection is not None:
            _check_all(self.path, self._connection, _key(self._text))

    def kept(self) -> tuple[KeptBlocks, ...]:
        """What it has of each simulation."""
        names = [name for (name,) in self._rows("SELECT DISTINCT name FROM blocks ORDER BY name")]
        return tuple(self._kept(name) for name in names)

    def _kept(self, name: str) -> KeptBlocks:
        blocks = units = gaps = end = 0
        for start, count in self.spans(name):
            blocks += 1
            gaps += start > end
            units += max(0, start + count - max(start, end))
            end = max(end, start + count)
        return KeptBlocks(name, blocks, units, gaps)

    def spans(self, name: str) -> Iterator[tuple[int, int]]:
        """Start and count of all blocks of a name, by start, of one start the longest first."""
        return self._rows(
            "SELECT start, count FROM blocks WHERE name = ? ORDER BY start, count DESC", name
        )

    def read(self, name: str, start: int, count: int) -> NDArray[np.int64]:
        """The sums of a block; DamagedStoreError if it is not as it was written."""
        row = next(
            self._rows(
                "SELECT shape, payload, checksum FROM blocks "
                "WHERE name = ? AND start = ? AND count = ?",
                name,
                start,
                count,
            ),
            None,
        )
        if row is None or not _is_good(_key(self._text), name, start, count, *row):
            raise _damaged(self.path, f"its block {_block(name, start, count)} is not as written")
        sums = np.frombuffer(zlib.decompress(row[1]), dtype="<i8").reshape(json.loads(row[0]))
        return sums.astype(np.int64)  # a copy, which may be written to

    def write(self, name: str, start: int, count: int, sums: NDArray[np.int64]) -> None:
        """Keep a block; on the disk when this returns.

        Raises
        ------
        StoreWriteError
            If the disk is full, or cannot be written. The store is as it was.
        TypeError
            If the sums are not int64.
        """
        if sums.dtype != np.int64:
            raise TypeError(f"sums of a block must be int64, not {sums.dtype}")
        shape = json.dumps(sums.shape)
        payload = zlib.compress(np.ascontiguousarray(sums, dtype="<i8").tobytes(), 1)
        checksum = _checksum(_key(self._text), name, start, count, shape, payload)
        try:
            if self._connection is None:
                self._begin()
            assert self._connection is not None
            self._connection.execute(
                "INSERT OR REPLACE INTO blocks (name, start, count, shape, payload, checksum) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (name, start, count, shape, payload, checksum),
            )
        except (sqlite3.Error, OSError) as error:
            if _is_damage(error):
                raise _damaged(self.path, str(error)) from error
            reason = getattr(error, "strerror", None) or error
            raise StoreWriteError(f"a block cannot be written to {self.path}: {reason}") from error

    def _begin(self) -> None:
        if self._before_first is not None:
            self._before_first()
        unfinished = self.path.with_name(UNFINISHED + BLOCKS)
        try:
            _make(unfinished, self._text)
            # With its journal, if there is one, the old file would be another.
            self.path.with_name(f"{BLOCKS}-journal").unlink(missing_ok=True)
            os.replace(unfinished, self.path)
        except BaseException:
            _remove(unfinished)
            raise
        _settle(self.path.parent)
        self._connection = _connect(self.path)
        if self._noted:
            self.note(self._noted)

    def _rows(self, query: str, *values: object) -> Iterator[Any]:
        if self._connection is None:
            return
        try:
            yield from self._connection.execute(query, values)
        except sqlite3.Error as error:
            raise _unreadable(self.path, error) from error


def repair(folder: Path) -> tuple[int, Path] | None:
    """Make a new store of the good blocks of a damaged one, which is kept beside it.

    Returns
    -------
    tuple of int and Path, or None
        How many blocks are good, and the damaged file; None if nothing was wrong. Without a single
        good block there is no store any more, and a run begins anew.

    Raises
    ------
    StoreError
        If there is no store.
    StoreInUseError
        If another process is running in the folder.
    OSError
        If the folder cannot be written.
    """
    path = folder / BLOCKS
    if not path.is_file():
        raise StoreError(f"{folder} holds no {BLOCKS}: there is nothing to repair")
    with FolderLock(folder):
        try:
            with contextlib.closing(_connect(path)) as connection:
                _check_all(path, connection, _key(_identity_text(path, connection)))
            return None
        except DamagedStoreError:
            pass
        damaged = _free_name(path.with_name(DAMAGED))
        unfinished = path.with_name(UNFINISHED + BLOCKS)
        _remove(unfinished)
        try:
            kept = _save_good(path, unfinished)
            # A copy, for there to be a store at every moment.
            shutil.copyfile(path, path.with_name(UNFINISHED + "damaged"))
            os.replace(path.with_name(UNFINISHED + "damaged"), damaged)
            if kept:
                os.replace(unfinished, path)
            else:
                path.unlink()
            path.with_name(f"{BLOCKS}-journal").unlink(missing_ok=True)
        except sqlite3.Error as error:
            raise StoreWriteError(f"a new store cannot be written in {folder}: {error}") from error
        finally:
            _remove(unfinished)
            path.with_name(UNFINISHED + "damaged").unlink(missing_ok=True)
        _settle(folder)
    return kept, damaged


def differences(there: str, asked: str) -> str:
    """How two runs differ, a line for each field; as canonical JSON."""
    old, new = _flat(json.loads(there)), _flat(json.loads(asked))
    lines = []
    for name in dict.fromkeys([*new, *old]):
        if old.get(name, ...) != new.get(name, ...):
            before, after = (_say(fields.get(name, ...)) for fields in (old, new))
            lines.append(f"  {name}: {before} in the folder, {after} asked for")
    return "\n".join(lines)


def _flat(fields: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, dict):
            found |= _flat(value, f"{prefix}{name} ")
        else:
            found[prefix + name] = value
    return found


def _say(value: Any) -> str:
    if value is ...:
        return "nothing"
    if isinstance(value, list):
        return " ".join(map(str, value))
    return str(value)


# ----------------------------------------------------------------------------------- bytes and rows


def _canonical(identity: Identity) -> str:
    return json.dumps(identity, sort_keys=True, separators=(",", ":"))


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=32).digest()


def _checksum(key: bytes, name: str, start: int, count: int, shape: str, payload: bytes) -> bytes:
    head = json.dumps([name, start, count, shape, len(payload)]).encode()
    return hashlib.blake2b(head + payload, key=key, digest_size=32).digest()


def _is_good(
    key: bytes, name: Any, start: Any, count: Any, shape: Any, payload: Any, checksum: Any
) -> bool:
    return (
        [type(value) for value in (name, start, count, shape, payload)]
        == [str, int, int, str, bytes]
    ) and checksum == _checksum(key, name, start, count, shape, payload)


def _block(name: Any, start: Any, count: Any) -> str:
    return f"{name!r} from {start} on, {count} long,"


def _damaged(path: Path, what: str) -> DamagedStoreError:
    return DamagedStoreError(
        f"{path} is damaged: {what.strip(',')}. Nothing of it is used. "
        f"'ghostsim runs {path.parent} --repair' keeps what is good in it, and --resume runs the "
        "rest again; --overwrite begins anew"
    )


# -------------------------------------------------------------------------------------------- files


def _connect(path: Path) -> sqlite3.Connection:
    """Open a file that must be there."""
    try:
        if not path.stat().st_size:
            raise _damaged(path, "it is empty")
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=rw",
            uri=True,
            timeout=_PATIENCE,
            isolation_level=None,  # each statement is a transaction
        )
        # Against a failure of power too. The rollback journal needs no memory that processes share,
        # as the write-ahead log does, and so also works on network drives.
        connection.execute("PRAGMA synchronous = FULL")
    except sqlite3.Error as error:
        raise _unreadable(path, error) from error
    return connection


def _make(path: Path, text: str) -> None:
    """A new file without blocks."""
    _remove(path)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(f"BEGIN; {_SCHEMA} COMMIT;")
        connection.execute("INSERT INTO run VALUES (?, ?)", (text, _key(text)))


def _remove(path: Path) -> None:
    for name in (path.name, f"{path.name}-journal"):
        path.with_name(name).unlink(missing_ok=True)


def _settle(folder: Path) -> None:
    """Have new names in a folder on the disk as well; not every system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _free_name(path: Path) -> Path:
    number = 1
    free = path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free


def _is_damage(error: BaseException) -> bool:
    """Whether an error means a file that is not as we wrote it, and not a disk or a lock."""
    if not isinstance(error, sqlite3.Error):
        return False
    code = getattr(error, "sqlite_errorcode", None)
    # Without a code: text that is none.
    return code is None or code & 0xFF in (
        sqlite3.SQLITE_ERROR,  # a table or column that is missing
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_CONSTRAINT,
        sqlite3.SQLITE_MISMATCH,
        sqlite3.SQLITE_SCHEMA,
        sqlite3.SQLITE_TOOBIG,
        sqlite3.SQLITE_FORMAT,
    )


def _unreadable(path: Path, error: sqlite3.Error) -> StoreError:
    if _is_damage(error):
        return _damaged(path, str(error))
    return StoreError(f"{path} cannot be read: {error}")


def _identity_text(path: Path, connection: sqlite3.Connection) -> str:
    """What the blocks of a store depend on, as canonical JSON."""
    try:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if application == _APPLICATION and version != _FORMAT:
            raise StoreError(
                f"{path} has format {version}, and this version of ghostsim knows {_FORMAT}: use "
                "the version that made it, another folder, or --overwrite"
            )
        rows = connection.execute("SELECT identity, checksum FROM run LIMIT 2").fetchall()
    except sqlite3.Error as error:
        raise _unreadable(path, error) from error
    if (
        application != _APPLICATION
        or len(rows) != 1
        or type(rows[0][0]) is not str
        or rows[0][1] != _key(rows[0][0])
    ):
        raise _damaged(path, "it does not say what run it is of")
    text: str = rows[0][0]
    return text


def _check_all(path: Path, connection: sqlite3.Connection, key: bytes) -> None:
    try:
        for number, row in _all_rows(connection):
            if not _is_good(key, *row):
                raise _damaged(path, f"block {number}, {_block(*row[:3])} is not as it was written")
        found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        raise _unreadable(path, error) from error
    if found != "ok":
        raise _damaged(path, " ".join(str(found).split()))


def _all_rows(
    connection: sqlite3.Connection, after: int = -(1 << 63)
) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Number and columns of every block after a number; one at a time, for others to write."""
    while True:
        found = connection.execute(
            "SELECT number, name, start, count, shape, payload, checksum FROM blocks "
            "WHERE number > ? ORDER BY number LIMIT 1",
            (after,),
        ).fetchone()
        if found is None:
            return
        after, *row = found
        yield after, tuple(row)


def _save_good(path: Path, to: Path) -> int:
    """Copy the good blocks of a damaged file into a new one; how many they are."""
    kept = 0
    try:
        connection = _connect(path)
    except StoreError:
        return 0
    with contextlib.closing(connection):
        try:
            text = _identity_text(path, connection)
        except DamagedStoreError:
            return 0  # nothing says what its blocks are of
        key = _key(text)
        _make(to, text)
        with contextlib.closing(sqlite3.connect(to)) as saved:
            for row in _readable_rows(connection):
                if _is_good(key, *row):
                    saved.execute(
                        "INSERT OR REPLACE INTO blocks "
                        "(name, start, count, shape, payload, checksum) VALUES (?, ?, ?, ?, ?, ?)",
                        row,
                    )
                    kept += 1
            saved.commit()
    return kept


def _readable_rows(connection: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """All blocks that can be read at all; around pages that cannot be, number by number."""
    last = misses = 0
    while misses < _MOST_MISSES:
        try:
            if misses == 0:
                for number, row in _all_rows(connection, last):
                    last = number
                    yield row
                return
            found = connection.execute(
                "SELECT name, start, count, shape, payload, checksum FROM blocks WHERE number = ?",
                (last,),
            ).fetchone()
        except (sqlite3.Error, OverflowError):
            found = None
        if found is not None:
            yield found
            misses = 0
        else:
            misses += 1
            last += 1
