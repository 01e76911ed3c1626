"""Files of tables, and the cache they are in: no mishap to them gives a wrong answer."""

import json
import mmap
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st
from numba.core import config as numba_config
from numpy.typing import NDArray

import ghostsim
from ghostsim import _cache, _jit, endgames, table_files
from ghostsim._cache import CacheWarning, cache_directory, cache_location, kernels_fingerprint
from ghostsim.endgames import DEPTH, MAX_DEPTH, OPENING, Table, endgame_table
from ghostsim.preferences import Preferences
from ghostsim.table_files import (
    CachedFile,
    TableError,
    cached_files,
    cached_table,
    is_cached,
    read_table,
    remove_files,
    table_path,
    tables_directory,
    write_table,
)

# ------------------------------------------------------------------------ writing and reading
#
# Numbers in two bytes each stand for a table here: made in no time, and easy to know again.

NAME = "coalition-3"
ENTRIES = 40_000
BYTES = 2 * ENTRIES
NUMBERS = (np.arange(ENTRIES) * 7919 % 65_536).astype(np.uint16)


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache directory, in a process that has no tables in memory and saves small ones."""
    monkeypatch.setattr(table_files, "cache_directory", lambda: tmp_path)
    monkeypatch.setattr(table_files, "cache_location", lambda: tmp_path)
    monkeypatch.setattr(endgames, "DEPTH", 3)
    monkeypatch.setattr(endgames, "_loaded", {})
    return tmp_path


def load(build: Callable[[], NDArray[np.uint16]] = NUMBERS.copy) -> NDArray[np.uint16]:
    return cached_table(NAME, np.uint16, ENTRIES, build, about="multiples of a prime")


def no_build() -> NDArray[np.uint16]:
    raise AssertionError("it is built again")


@pytest.fixture
def path(directory: Path) -> Path:
    """The file of the numbers, once it was written."""
    load()
    path = table_path(NAME)
    assert path is not None
    assert path.is_file()
    return path


def files(directory: Path) -> list[str]:
    return sorted(
        path.relative_to(directory).as_posix()
        for path in directory.rglob("*")
        if path.is_file() and path.suffix != ".lock"
    )


def test_a_table_is_written_once_and_read_back_equal(path: Path, directory: Path) -> None:
    before = path.stat()
    table = load(no_build)
    assert table.dtype == np.uint16
    assert np.array_equal(table, NUMBERS)
    after = path.stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)
    # The table and the lock that builders wait for; no file half written.
    assert path.parent == directory / "tables"
    names = {path.name, path.with_suffix(".lock").name}
    assert {file.name for file in path.parent.iterdir()} <= names
    assert files(directory) == [f"tables/{path.name}"]


def test_a_table_in_memory_is_not_read_again(directory: Path) -> None:
    table = endgame_table(3)
    for path in directory.rglob("*.bin"):
        path.unlink()
    assert endgame_table(3) is table


def test_a_file_says_what_it_is(path: Path) -> None:
    assert path.name == f"{NAME}-{kernels_fingerprint()}.bin"
    assert path.stat().st_mode & 0o777 == 0o644  # a cache may be shared by users
    with path.open("rb") as file:
        header = json.loads(file.readline())
        assert file.tell() == 4096  # a page, so that the table begins on one
        assert file.read() == NUMBERS.tobytes()
    assert header["what"] == "ghostsim endgame table"
    assert header["name"] == NAME
    assert header["about"] == "multiples of a prime"
    assert header["bytes"] == BYTES
    assert header["kernels"] == kernels_fingerprint()


def mapping_of(table: NDArray[Any]) -> object:
    owner: object = table
    while isinstance(owner, np.ndarray):
        owner = owner.base
    return owner


def test_a_table_is_mapped_into_memory_and_what_is_done_to_it_stays_there(path: Path) -> None:
    table = load(no_build)
    assert isinstance(mapping_of(table), mmap.mmap)
    table[:] = 0  # nobody should, but if somebody does, the file is safe
    assert np.array_equal(load(no_build), NUMBERS)


def test_what_is_built_is_mapped_as_well(directory: Path) -> None:
    assert isinstance(mapping_of(load()), mmap.mmap)


@pytest.mark.parametrize("wanted", [None, Preferences()], ids=["coalition", "selfish"])
def test_endgame_tables_have_files_from_four_tricks_on(
    directory: Path, monkeypatch: pytest.MonkeyPatch, wanted: Preferences | None
) -> None:
    assert (DEPTH, MAX_DEPTH, OPENING) == (4, 5, 6)
    three, two = Table(3, wanted), Table(2, wanted)
    two.load()
    assert two.is_loaded()
    assert two.is_ready()
    assert files(directory) == []
    assert not three.is_ready()
    built = three.load()
    # Here, three are the first to have one.
    assert files(directory) == [f"tables/{three.name}-{kernels_fingerprint()}.bin"]
    assert three.is_ready()
    endgames._loaded.clear()
    assert three.is_ready()
    assert not three.is_loaded()
    assert not two.is_ready()
    monkeypatch.setattr(Table, "build", None)  # it is read, not built
    assert three.load().tobytes() == built.tobytes()
    assert three.load().dtype == three.dtype
    assert isinstance(mapping_of(three.load()), mmap.mmap)


def test_the_usual_table_is_mapped() -> None:
    path = table_path(f"coalition-{DEPTH}")
    if path is None:
        pytest.skip("there is no cache directory here")
    assert isinstance(mapping_of(endgame_table(DEPTH)), mmap.mmap)
    assert path.is_file()
    assert path.parent.parent == cache_directory()


# ---------------------------------------------------------------------------------- damages


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def cut_inside_the_header(path: Path) -> None:
    os.truncate(path, 40)


def cut_after_the_header(path: Path) -> None:
    os.truncate(path, 4096)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def lengthen(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\0")


def flip(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def rewrite_header(path: Path, line: bytes) -> None:
    path.write_bytes(line.ljust(4095) + b"\n" + path.read_bytes()[4096:])


def change_header(path: Path, **changes: object) -> None:
    header = json.loads(path.read_bytes()[:4096]) | changes
    kept = {name: value for name, value in header.items() if value is not None}
    rewrite_header(path, json.dumps(kept).encode())


def directory_in_its_place(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, Callable[[Path], object]] = {
    "one byte short": truncate,
    "cut inside the header": cut_inside_the_header,
    "cut inside the padding": lambda path: os.truncate(path, 4000),
    "cut after the header": cut_after_the_header,
    "empty": empty,
    "one byte too long": lengthen,
    "first byte of the table": lambda path: flip(path, 4096),
    "last byte of the table": lambda path: flip(path, -1),
    "some byte of the table": lambda path: flip(path, 40_000),
    "first byte of the header": lambda path: flip(path, 0),
    "header not JSON": lambda path: rewrite_header(path, b"not JSON"),
    "header not text": lambda path: rewrite_header(path, b"\xff\xfe\x80"),
    "header a number": lambda path: rewrite_header(path, b"7"),
    "header a list": lambda path: rewrite_header(path, b"[]"),
    "header nested without end": lambda path: rewrite_header(path, b"[" * 4000),
    "header null": lambda path: rewrite_header(path, b"null"),
    "header of some other file": lambda path: change_header(path, what="a shopping list"),
    "header of another table": lambda path: change_header(path, name="numbers-4"),
    "header without a name": lambda path: change_header(path, name=None),
    "header with a wrong checksum": lambda path: change_header(path, blake2b="0" * 32),
    "header without a checksum": lambda path: change_header(path, blake2b=None),
    "header without a kind": lambda path: change_header(path, what=None),
    "header without a size": lambda path: change_header(path, bytes=None),
    "header with a wrong size": lambda path: change_header(path, bytes=BYTES + 1),
    "header of other kernels": lambda path: change_header(path, kernels="0123456789abcdef"),
    "another table": lambda path: write_table(path, "numbers-2", NUMBERS[:100]),
    "a smaller table of that name": lambda path: write_table(path, NAME, NUMBERS[:-1]),
    "a larger table of that name": lambda path: write_table(path, NAME, np.resize(NUMBERS, 50_000)),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "a directory": directory_in_its_place,
}


def content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b"a directory"


def remove(path: Path) -> None:
    if path.is_dir():
        path.rmdir()
    else:
        path.unlink()


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused_by_name_with_what_to_do(path: Path, damage: str) -> None:
    DAMAGES[damage](path)
    before = content(path)
    for _ in range(2):  # the second answer is no other
        with pytest.raises(TableError) as caught:
            load(no_build)
        assert str(path) in str(caught.value)
        assert "delete it and it is built anew" in str(caught.value)
        assert isinstance(caught.value, ValueError)
    assert content(path) == before  # nothing is overwritten without a word
    remove(path)
    assert np.array_equal(load(), NUMBERS)
    assert np.array_equal(load(no_build), NUMBERS)


def test_a_damaged_file_of_an_endgame_table_is_refused(directory: Path) -> None:
    expected = endgame_table(3).tobytes()
    path = table_path("coalition-3")
    assert path is not None
    endgames._loaded.clear()
    flip(path, 5_000)
    for _ in range(2):
        with pytest.raises(TableError, match=re.escape(str(path))):
            endgame_table(3)
    path.unlink()
    assert endgame_table(3).tobytes() == expected


@pytest.mark.parametrize("another", ["selfish-4-0123456789ab", "coalition-5"])
def test_a_file_under_the_name_of_another_table_is_refused(directory: Path, another: str) -> None:
    # Two tables for selfish play have one size: only the name in the header tells them apart.
    load()
    here, there = table_path(NAME), table_path(another)
    assert here is not None
    assert there is not None
    shutil.copy(here, there)
    with pytest.raises(TableError, match="it is some other file"):
        cached_table(another, np.uint16, ENTRIES, no_build)


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that stays right through the examples of a test."""
    path = tmp_path_factory.mktemp("numbers") / "table.bin"
    write_table(path, NAME, NUMBERS)
    return path


@given(place=st.integers(0, 4096 + BYTES - 1) | st.integers(0, 400), flipped=st.integers(1, 255))
def test_any_wrong_byte_is_noticed_or_harmless(right: Path, place: int, flipped: int) -> None:
    wrong = bytearray(right.read_bytes())
    wrong[place] ^= flipped
    path = right.with_name("wrong.bin")
    path.write_bytes(wrong)
    try:
        table = read_table(path, NAME, np.uint16, ENTRIES)
    except TableError:
        return
    assert place < 4096  # a byte of the header that says nothing, like the padding
    assert np.array_equal(table, NUMBERS)


@given(length=st.integers(0, 4096 + BYTES - 1) | st.integers(4000, 4200))
def test_any_file_cut_short_is_noticed(right: Path, length: int) -> None:
    path = right.with_name("short.bin")
    path.write_bytes(right.read_bytes()[:length])
    with pytest.raises(TableError):
        read_table(path, NAME, np.uint16, ENTRIES)


def test_a_table_of_other_kernels_is_never_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flip(path, 5_000)  # whatever is in it does not matter
    monkeypatch.setattr(table_files, "kernels_fingerprint", lambda: "0123456789abcdef")
    assert not is_cached(NAME)
    assert np.array_equal(load(), NUMBERS)
    assert sorted(file.name for file in path.parent.glob("*.bin")) == sorted(
        [path.name, f"{NAME}-0123456789abcdef.bin"]
    )


# ---------------------------------------------------------------------- writing that goes wrong


def test_who_waited_for_the_lock_takes_what_the_other_process_built(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class LockOfAnother:
        """A lock that is had once another process has written the table."""

        def __init__(self, lock: Path) -> None:
            self.path = lock.with_suffix(".bin")

        def __enter__(self) -> None:
            write_table(self.path, NAME, NUMBERS)

        def __exit__(self, *_: object) -> None:
            assert self.path.is_file()

    monkeypatch.setattr(table_files, "FileLock", LockOfAnother)
    assert np.array_equal(load(no_build), NUMBERS)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("where", ["os.replace", "os.chmod"])
def test_a_write_that_is_stopped_leaves_nothing_half_written(
    directory: Path, monkeypatch: pytest.MonkeyPatch, where: str, stop: type[BaseException]
) -> None:
    def interrupted(*_: object) -> None:
        raise stop

    with monkeypatch.context() as patch:
        patch.setattr(where, interrupted)
        with pytest.raises(stop):
            load()
    assert files(directory) == []
    assert np.array_equal(load(), NUMBERS)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, MemoryError])
def test_a_build_that_is_stopped_leaves_nothing(directory: Path, stop: type[BaseException]) -> None:
    def interrupted() -> NDArray[np.uint16]:
        raise stop

    with pytest.raises(stop):
        load(interrupted)
    assert files(directory) == []
    assert np.array_equal(load(), NUMBERS)  # nor is the lock still held


def test_a_full_disk_is_no_reason_to_stop_and_no_reason_to_build_twice(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    builds = []

    def build() -> NDArray[np.uint16]:
        builds.append(1)
        return NUMBERS.copy()

    monkeypatch.setattr("os.replace", full)
    with pytest.warns(CacheWarning, match="No space left on device") as caught:
        assert np.array_equal(load(build), NUMBERS)
    assert len(builds) == 1  # the largest takes minutes
    assert len(caught) == 1
    assert str(directory) in str(caught[0].message)
    assert files(directory) == []


def test_an_endgame_table_that_cannot_be_kept_is_built_once_a_process(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.warns(CacheWarning, match="No space left on device") as caught:
        tables = [endgame_table(3) for _ in range(2)]
    assert tables[0] is tables[1]
    assert len(caught) == 1
    assert tables[0].tobytes() == Table(3).build().tobytes()


def test_a_tables_directory_that_is_a_file_is_no_reason_to_stop(directory: Path) -> None:
    (directory / "tables").write_text("in the way")
    with pytest.warns(CacheWarning, match="cannot be cached") as caught:
        assert np.array_equal(load(), NUMBERS)
    assert len(caught) == 1
    assert (directory / "tables").read_text() == "in the way"
    assert not is_cached(NAME)
    assert cached_files() == []


def test_a_file_that_may_not_be_read_is_no_reason_to_stop(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Permission bits do not bind root, who runs tests in containers.
    def refused(self: Path, *_: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refused)
    with pytest.warns(CacheWarning, match="Permission denied"):
        assert np.array_equal(load(), NUMBERS)


def test_without_a_cache_directory_tables_are_built_in_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(table_files, "cache_directory", lambda: None)
    monkeypatch.setattr(table_files, "cache_location", lambda: None)
    monkeypatch.setattr(endgames, "DEPTH", 3)
    monkeypatch.setattr(endgames, "_loaded", {})
    assert tables_directory() is None
    assert tables_directory(writable=False) is None
    assert table_path(NAME) is None
    assert not is_cached(NAME)
    assert cached_files() == []
    assert np.array_equal(load(), NUMBERS)
    assert not Table(3).is_ready()
    table = endgame_table(3)
    assert endgame_table(3) is table
    assert Table(3).is_ready()


def test_a_cache_directory_that_cannot_even_be_looked_for(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_files, "cache_directory", lambda: None)
    monkeypatch.setattr(table_files, "cache_location", lambda: directory / ("c" * 300))
    assert not is_cached(NAME)
    assert not Table(4, taken=1).is_ready()
    assert cached_files() == []
    assert np.array_equal(load(), NUMBERS)


# ------------------------------------------------------------------- caches that can only be read


@pytest.fixture
def read_only(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the numbers in a cache that cannot be written, as that of an installation."""
    monkeypatch.setattr(table_files, "cache_directory", lambda: None)

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("something is written")

    for function in ("tempfile.mkstemp", "os.replace", "pathlib.Path.mkdir"):
        monkeypatch.setattr(function, refused)
    monkeypatch.setattr(table_files, "FileLock", refused)
    return path


def test_a_table_in_a_cache_that_can_only_be_read_is_read(read_only: Path) -> None:
    assert table_path(NAME) is None
    assert table_path(NAME, writable=False) == read_only
    assert is_cached(NAME)
    table = load(no_build)
    assert np.array_equal(table, NUMBERS)
    assert isinstance(mapping_of(table), mmap.mmap)
    assert [file.path for file in cached_files() if file.kind == "table"] == [read_only]


def test_a_table_that_is_not_in_such_a_cache_is_built_in_memory(read_only: Path) -> None:
    read_only.unlink()
    assert not is_cached(NAME)
    assert np.array_equal(load(), NUMBERS)
    assert not read_only.exists()


def test_a_damaged_table_in_such_a_cache_is_refused(read_only: Path) -> None:
    damaged = bytearray(read_only.read_bytes())
    damaged[-1] ^= 1
    read_only.write_bytes(damaged)
    with pytest.raises(TableError, match=re.escape(str(read_only))):
        load(no_build)


# -------------------------------------------------------------------- what killed writers left


@pytest.fixture
def unfinished(directory: Path) -> list[Path]:
    """What writers that were killed left: of this table, of another, and of another version."""
    tables = directory / "tables"
    tables.mkdir()
    names = (
        f"{NAME}-{kernels_fingerprint()}.bin.x_1abcde",
        f"coalition-33-{kernels_fingerprint()}.bin.abcdefgh",
        f"{NAME}-0123456789abcdef.bin.abcdefgh",
    )
    for name in names:
        (tables / name).write_bytes(b"half of it")
    return [tables / name for name in names]


def test_the_next_builder_of_a_table_removes_what_killed_writers_left_of_it(
    unfinished: list[Path],
) -> None:
    mine, *others = unfinished
    there_when_built = []

    def build() -> NDArray[np.uint16]:
        there_when_built.append(mine.exists())
        return NUMBERS.copy()

    load(build)
    assert there_when_built == [False]  # there may be no room for both
    assert not mine.exists()
    assert all(path.exists() for path in others)
    assert np.array_equal(load(no_build), NUMBERS)


def test_a_reader_removes_nothing(path: Path) -> None:
    # Somebody may be writing it at this moment, for a file that was deleted meanwhile.
    left = path.with_name(f"{path.name}.abcdefgh")
    left.write_bytes(b"half of it")
    load(no_build)
    cached_files()
    assert is_cached(NAME)
    assert left.read_bytes() == b"half of it"


def test_unfinished_files_that_cannot_be_removed_are_no_reason_to_stop(
    unfinished: list[Path],
) -> None:
    unfinished[0].unlink()
    unfinished[0].mkdir()
    assert np.array_equal(load(), NUMBERS)
    assert is_cached(NAME)


# ---------------------------------------------------------------------- listing and removing


#: Names that others may have given to files of theirs; {} is the fingerprint of the kernels.
NOT_OURS = (
    *("README", ".hidden", "numbers.bin", "{}.bin", "numbers-{}.bin", "my-photos-{}.bin"),
    *("coalition-4-{}.bin.bak", "coalition-4-{}.bin.old-copy", "thesis-{}.bin.docx"),
)


def test_backups_of_tables_stay_when_a_table_is_built(directory: Path) -> None:
    path = table_path(NAME)
    assert path is not None
    path.parent.mkdir()
    for suffix in ("bak", "old-copy"):
        path.with_name(f"{path.name}.{suffix}").write_text("mine")
    load()
    for suffix in ("bak", "old-copy"):
        assert path.with_name(f"{path.name}.{suffix}").read_text() == "mine"


def test_files_are_listed_for_what_they_are(path: Path) -> None:
    tables = path.parent
    ours = kernels_fingerprint()
    path.with_suffix(".lock").touch()
    (tables / f"coalition-4-{ours}.bin").write_bytes(b"{}")  # damaged
    (tables / f"coalition-4-{ours}.bin.abcdefgh").write_bytes(b"12345")
    (tables / "selfish-4-0123456789ab-fedcba9876543210.bin").write_bytes(b"old")
    (tables / "selfish-4-0123456789ab-fedcba9876543210.lock").touch()
    for name in NOT_OURS:
        (tables / name.format(ours)).write_text("not ours")
    (tables / f"coalition-5-{ours}.bin").mkdir()
    assert cached_files() == [
        CachedFile(path, NAME, "table", True, 4096 + BYTES, "multiples of a prime"),
        CachedFile(path.with_suffix(".lock"), NAME, "lock", True, 0, ""),
        CachedFile(tables / f"coalition-4-{ours}.bin", "coalition-4", "table", True, 2, ""),
        CachedFile(
            tables / f"coalition-4-{ours}.bin.abcdefgh", "coalition-4", "unfinished", True, 5, ""
        ),
        CachedFile(
            tables / "selfish-4-0123456789ab-fedcba9876543210.bin",
            "selfish-4-0123456789ab",
            "table",
            False,
            3,
            "",
        ),
        CachedFile(
            tables / "selfish-4-0123456789ab-fedcba9876543210.lock",
            "selfish-4-0123456789ab",
            "lock",
            False,
            0,
            "",
        ),
    ]


@pytest.mark.parametrize("damage", [name for name in DAMAGES if name != "a directory"])
def test_damaged_files_can_be_listed(path: Path, damage: str) -> None:
    DAMAGES[damage](path)
    (file,) = [file for file in cached_files() if file.kind == "table"]
    assert file.path == path
    assert file.name == NAME


def test_removing_keeps_what_a_process_works_on(path: Path) -> None:
    lock = path.with_suffix(".lock")
    writing = path.with_name(f"{path.name}.abcdefgh")
    writing.touch()
    mapped = load(no_build)
    with FileLock(lock):
        gone = remove_files(cached_files())
        assert [file.kind for file in gone] == ["table"]
        assert not path.exists()
        assert writing.exists()
        assert lock.exists()
    assert np.array_equal(mapped, NUMBERS)  # who has mapped a table keeps it
    gone = remove_files(cached_files())
    assert sorted(file.kind for file in gone) == ["lock", "unfinished"]
    assert list(path.parent.iterdir()) == []
    assert remove_files(gone) == gone  # somebody else may have been faster


# -------------------------------------------------------------------- other processes at it too

#: Solves a few deals and prints the answers, for comparison with those of this process.
SOLVE = """
import numpy as np
from ghostsim import solve_many
from ghostsim.deals import random_hands
print(solve_many(random_hands(500, seed=1), np.arange(500) % 4, 1, 2).tobytes().hex())
"""


def run_python(code: str, cache: Path | str, **variables: str) -> "subprocess.Popen[str]":
    """Start Python on some code, with a cache directory of its own."""
    environment = {
        **os.environ,
        # The package under test, however this process came to import it.
        "PYTHONPATH": str(Path(ghostsim.__file__).parents[1]),
        "GHOSTSIM_CACHE_DIR": str(cache),
        **variables,
    }
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tempfile.gettempdir(),  # where no other ghostsim is
    )


def output_of(process: "subprocess.Popen[str]") -> tuple[str, str]:
    out, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return out.strip(), errors


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache directory with compiled kernels, where there are some, but without tables."""
    cache = tmp_path / "cache"
    cache.mkdir()
    own = cache_directory()
    if own is not None and (own / "jit").is_dir():
        shutil.copytree(own / "jit", cache / "jit")
    return cache


def solved_here() -> str:
    from ghostsim import solve_many
    from ghostsim.deals import random_hands

    tricks = solve_many(random_hands(500, seed=1), np.arange(500) % 4, 1, 2)
    return tricks.tobytes().hex()


def test_several_processes_on_an_empty_cache_all_succeed(tmp_path: Path) -> None:
    cache = tmp_path / "empty"  # not even made, and nothing is compiled yet
    processes = [run_python(SOLVE, cache) for _ in range(2)]
    assert [output_of(process) for process in processes] == [(solved_here(), "")] * 2
    tables = cache / "tables"
    assert [path.name for path in tables.glob("*.bin")] == [
        f"coalition-4-{kernels_fingerprint()}.bin"
    ]
    assert {path.suffix for path in tables.iterdir()} <= {".bin", ".lock"}
    assert len(list(tables.iterdir())) <= 2
    (jit,) = (cache / "jit").iterdir()
    assert kernels_fingerprint() in jit.name


#: Stops for good after some blocks of the table are built, and says so.
STOP_WHILE_BUILDING = """
import time
from ghostsim import endgames
blocks = 0
real = endgames.build_table
def build_table(n, *arguments):
    global blocks
    blocks += n == 4
    if blocks == 3:
        print("stopped", flush=True)
        time.sleep(600)
    real(n, *arguments)
endgames.build_table = build_table
endgames.endgame_table(4)
"""

#: Stops for good when the table is written, but has not got its name yet.
STOP_WHILE_WRITING = """
import time
from ghostsim import endgames, table_files
def replace(*_):
    print("stopped", flush=True)
    time.sleep(600)
table_files.os.replace = replace
endgames.endgame_table(4)
"""


@pytest.mark.parametrize(
    ("code", "left"), [(STOP_WHILE_BUILDING, 0), (STOP_WHILE_WRITING, 1)], ids=["build", "write"]
)
def test_a_process_that_is_killed_leaves_no_table_and_no_lock(
    cache: Path, code: str, left: int
) -> None:
    first = run_python(code, cache)
    assert first.stdout is not None
    try:
        assert first.stdout.readline() == "stopped\n"
        # The second process waits for the first, and takes over when that one dies.
        second = run_python(SOLVE, cache)
        assert list(cache.rglob("*.bin")) == []
    finally:
        first.kill()
        first.communicate()
    # What the first has written meanwhile is removed by the second.
    assert output_of(second) == (solved_here(), "")
    name = f"coalition-4-{kernels_fingerprint()}"
    names = {path.name for path in (cache / "tables").iterdir()}
    assert names - {f"{name}.lock"} == {f"{name}.bin"}
    assert output_of(run_python(SOLVE, cache)) == (solved_here(), "")


def test_an_interrupted_build_leaves_no_table(cache: Path) -> None:
    # A shell that starts tests in the background may have told them to ignore Ctrl-C.
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    process = run_python(listen + STOP_WHILE_WRITING, cache)
    assert process.stdout is not None
    assert process.stdout.readline() == "stopped\n"
    assert len(list((cache / "tables").glob("*.bin.*"))) == 1
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert {path.suffix for path in (cache / "tables").iterdir()} <= {".lock"}


def test_damaged_compiled_code_is_compiled_anew(cache: Path) -> None:
    # numba itself fails for ever on a cache file that a power cut has emptied.
    indices = sorted((cache / "jit").rglob("*.nbi"))
    for i, index in enumerate(indices):
        content = index.read_bytes()
        index.write_bytes([b"", content[:-5], bytes(len(content))][i % 3])
    for code in list((cache / "jit").rglob("*.nbc"))[::2]:
        code.write_bytes(b"")
    for _ in range(2):  # and the files are mended
        assert output_of(run_python(SOLVE, cache)) == (solved_here(), "")


#: Does all that a cache is used for, twice, with every warning shown each time.
EVERYTHING = """
import warnings
warnings.simplefilter("always")
from ghostsim import Deal, solve
from ghostsim.endgames import endgame_table
from ghostsim.table_files import cached_files, table_path
for _ in range(2):
    solve(Deal.random(seed=1))
    endgame_table(4)
    assert table_path("coalition-4") is None
    assert cached_files() == []
"""


def test_an_unwritable_cache_is_said_once_and_changes_no_answer(tmp_path: Path) -> None:
    # Below a file no directory can be made, not even by root.
    (tmp_path / "file").write_text("in the way")
    cache = tmp_path / "file" / "cache"
    out, errors = output_of(run_python(EVERYTHING + SOLVE, cache))
    assert out == solved_here()
    assert errors.count("CacheWarning") == 1
    assert str(cache) in errors
    assert "GHOSTSIM_CACHE_DIR" in errors
    assert errors.count("Warning") == 1
    assert (tmp_path / "file").read_text() == "in the way"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


# ------------------------------------------------------------------- the cache of compiled code


@pytest.fixture
def copied_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package's sources, of which ``_cache`` takes itself to be a part."""
    copy = tmp_path / "ghostsim"
    shutil.copytree(
        Path(_cache.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__", "data")
    )
    monkeypatch.setattr(_cache, "__file__", str(copy / "_cache.py"))
    return copy


@pytest.mark.jit_off
def test_the_fingerprint_tells_any_edit_of_a_kernel(copied_sources: Path) -> None:
    fingerprint = kernels_fingerprint.__wrapped__  # what is computed anew each time
    assert fingerprint() == kernels_fingerprint()
    seen = {fingerprint()}
    sources = [copied_sources / "_jit.py", *sorted((copied_sources / "kernels").glob("*.py"))]
    assert len(sources) > 5
    for source in sources:
        text = source.read_text()
        source.write_text(text + "\n# edited\n")
        seen.add(fingerprint())
        source.write_text(text)
    assert len(seen) == len(sources) + 1
    assert fingerprint() == kernels_fingerprint()
    (copied_sources / "kernels" / "new.py").write_text("")
    assert fingerprint() not in seen


@pytest.mark.jit_off
def test_the_fingerprint_leaves_out_what_no_kernel_reads(copied_sources: Path) -> None:
    (copied_sources / "cards.py").write_text("# edited")
    assert kernels_fingerprint.__wrapped__() == kernels_fingerprint()


def test_compiled_code_has_a_directory_for_each_state_of_the_kernels(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(_jit, "cache_directory", lambda: tmp_path)
    monkeypatch.setattr(numba_config, "BOUNDSCHECK", None)
    plain = _jit._jit_cache_directory()
    assert plain is not None
    assert Path(plain).parent == tmp_path / "jit"
    for part in (kernels_fingerprint(), f"numba{numba.__version__}", llvmlite.__version__):
        assert part in plain
    monkeypatch.setattr(numba_config, "BOUNDSCHECK", 1)
    checked = _jit._jit_cache_directory()
    monkeypatch.setattr(numba_config, "BOUNDSCHECK", None)
    monkeypatch.setattr(_jit, "kernels_fingerprint", lambda: "other")
    other = _jit._jit_cache_directory()
    assert len({plain, checked, other}) == 3
    monkeypatch.setattr(_jit, "cache_directory", lambda: None)
    assert _jit._jit_cache_directory() is None


@pytest.mark.bounds
def test_kernels_are_cached_in_that_directory_and_nowhere_else() -> None:
    directory = _jit._jit_cache_directory()
    if directory is None:
        pytest.skip("there is no cache directory here")
    endgame_table(1)  # compiles, or loads what was compiled
    indices = list(Path(directory).rglob("*.nbi"))
    assert any("build_table" in index.name for index in indices)
    package = Path(ghostsim.__file__).parent
    assert list(package.rglob("*.nbi")) == []
    # What numba does with other people's functions is left as it was.
    others = numba_config.CACHE_DIR  # type: ignore[attr-defined]
    assert others == os.environ.get("NUMBA_CACHE_DIR", "")


def test_bounds_checks_are_not_lost_to_a_warm_cache(tmp_path: Path) -> None:
    # numba itself takes compiled code from the cache whether or not it checks bounds.
    code = """
import numpy as np
from ghostsim.kernels.bits import rank
print(rank(63, 6))
try:
    rank(63, 9)  # the tables of ranks have rows for up to six bits
except IndexError:
    print("checked")
"""
    cache = tmp_path / "cache"
    unchecked, _ = output_of(run_python(code, cache, NUMBA_BOUNDSCHECK="0"))
    checked, _ = output_of(run_python(code, cache, NUMBA_BOUNDSCHECK="1"))
    assert unchecked == "0"
    assert checked == "0\nchecked"
    assert len(list((cache / "jit").iterdir())) == 2


# ---------------------------------------------------------------------- where the cache is


@pytest.mark.jit_off
def test_the_cache_directory_is_where_the_variable_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = cache_directory.__wrapped__  # what is computed anew each time
    monkeypatch.setenv("GHOSTSIM_CACHE_DIR", str(tmp_path / "a" / "b"))
    assert cache_location() == tmp_path / "a" / "b"
    assert list(tmp_path.iterdir()) == []  # asking where it would be makes nothing
    assert find() == tmp_path / "a" / "b"
    assert (tmp_path / "a" / "b").is_dir()
    assert list((tmp_path / "a" / "b").iterdir()) == []  # trying it out leaves nothing
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GHOSTSIM_CACHE_DIR", "~/c")
    assert find() == cache_location() == tmp_path / "c"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GHOSTSIM_CACHE_DIR", "d")
    assert find() == cache_location() == tmp_path / "d"  # wherever the process goes later
    monkeypatch.delenv("GHOSTSIM_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    usual = find()
    assert usual is not None
    assert "ghostsim" in usual.parts
    assert cache_location() == usual


@pytest.mark.jit_off
def test_cache_directories_that_will_not_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = cache_directory.__wrapped__
    (tmp_path / "file").write_text("")
    for name in (str(tmp_path / "file"), str(tmp_path / "file" / "cache"), "~no-such-user/cache"):
        monkeypatch.setenv("GHOSTSIM_CACHE_DIR", name)
        with pytest.warns(CacheWarning, match=r"cannot be written.*set GHOSTSIM_CACHE_DIR") as told:
            assert find() is None
        assert len(told) == 1
        assert name in str(told[0].message)
    assert cache_location() is None  # nobody knows where that user lives
    # A disk that is as good as full, on which the directory itself can still be made.
    monkeypatch.setenv("GHOSTSIM_CACHE_DIR", str(tmp_path / "cache"))
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage._replace(free=1_000_000))
    with pytest.warns(CacheWarning, match="No space left"):
        assert find() is None
    assert cache_location() == tmp_path / "cache"  # what is there can still be read
