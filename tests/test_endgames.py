"""Endgame tables: what is in them, and that no mishap to a file of theirs gives a wrong answer."""

import itertools
import json
import math
import mmap
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import joblib
import llvmlite
import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core import config as numba_config
from numpy.typing import NDArray

import ghostsim
import oracle
from ghostsim import _cache, _jit, endgames
from ghostsim._cache import CacheWarning, cache_directory, kernels_fingerprint
from ghostsim.endgames import (
    DEPTH,
    MAX_DEPTH,
    TableError,
    endgame_table,
    table_is_ready,
    table_path,
)
from ghostsim.kernels.bits import subsets
from ghostsim.kernels.endgame import build_table
from ghostsim.kernels.relabel import SHAPES

# ------------------------------------------------ positions, numbered by the design's words alone


def shapes(tricks: int) -> list[tuple[int, int, int, int]]:
    """(trump; plain suits, longest first) in increasing order: next has only five cards."""
    found = set()
    for following, green, other in itertools.product(range(6), range(7), range(7)):
        trump = 3 * tricks - following - green - other
        if 0 <= trump <= 7:
            plain = sorted((following, green, other), reverse=True)
            found.add((trump, plain[0], plain[1], plain[2]))
    return sorted(found)


def subset(number: int, size: int, slots: int) -> list[int]:
    """The subset of so many slots that has a number, counted colexicographically."""
    chosen: list[int] = []
    for slot in reversed(range(slots)):
        if size and number >= math.comb(slot, size):
            number -= math.comb(slot, size)
            size -= 1
            chosen.insert(0, slot)
    assert number == size == 0
    return chosen


#: Each lane low to high with spades named: next, the greens, trump with the bowers on top. The
#: shortest plain suit of a shape has at most five cards, so it can be next.
NEXT = ("9C", "TC", "QC", "KC", "AC")
HEARTS = ("9H", "TH", "JH", "QH", "KH", "AH")
DIAMONDS = ("9D", "TD", "JD", "QD", "KD", "AD")
TRUMPS = ("9S", "TS", "QS", "KS", "AS", "JC", "JS")


def position(tricks: int, entry: int) -> tuple[list[str], list[str], list[str]]:
    """Hands of the declarer, his left and his right that have an entry's number."""
    entry, left_number = divmod(entry, math.comb(2 * tricks, tricks))
    shape, declarer_number = divmod(entry, math.comb(3 * tricks, tricks))
    trump, longest, middle, shortest = shapes(tricks)[shape]
    slots = [*HEARTS[:longest], *DIAMONDS[:middle], *NEXT[:shortest], *TRUMPS[:trump]]
    declarer = [slots[i] for i in subset(declarer_number, tricks, 3 * tricks)]
    others = [card for card in slots if card not in declarer]
    left = [others[i] for i in subset(left_number, tricks, 2 * tricks)]
    right = [card for card in others if card not in left]
    return declarer, left, right


def digits(entry: int) -> list[int]:
    """The values for the leaders declarer, left, right."""
    return [entry % 6, entry // 6 % 6, entry // 36]


Solver = Callable[[tuple[list[str], list[str], list[str]], str, int, int], int]


def by_leader(hands: tuple[list[str], list[str], list[str]], solver: Solver) -> list[int]:
    return [solver(hands, "S", 0, leader) for leader in range(3)]


# ---------------------------------------------------------------------------- what is in a table

POSITIONS = {0: 1, 1: 42, 2: 2_070, 3: 73_920, 4: 1_975_050}


@pytest.mark.jit_off
def test_shapes_are_those_of_the_design() -> None:
    assert [len(shapes(tricks)) for tricks in range(1, 6)] == [7, 23, 44, 57, 50]
    for tricks in range(7):
        assert SHAPES[tricks] == shapes(tricks)


@pytest.mark.jit_off
def test_the_numbering_gives_every_position_once() -> None:
    for tricks in (1, 2):
        entries = range(POSITIONS[tricks])
        assert len({str(position(tricks, entry)) for entry in entries}) == POSITIONS[tricks]


@pytest.mark.bounds
@pytest.mark.parametrize("tricks", POSITIONS)
def test_sizes_and_entries(tricks: int) -> None:
    table = endgame_table(tricks)
    assert table.dtype == np.uint8
    assert table.shape == (POSITIONS[tricks],)
    assert table.max() < 216
    values = np.stack([table % 6, table // 6 % 6, table // 36])
    assert values.max() == tricks
    assert values.min() == 0
    # Any number of tricks is the value of some position, whoever leads.
    assert all(set(row) == set(range(tricks + 1)) for row in values.tolist())


@pytest.mark.jit_off
@pytest.mark.parametrize("tricks", [1, 2])
def test_every_entry_of_the_small_tables_is_what_the_oracle_says(tricks: int) -> None:
    # This oracle tries every legal card: not even a run of equal cards is taken for one.
    expected = [
        by_leader(position(tricks, entry), oracle.coalition_tricks_naive)
        for entry in range(POSITIONS[tricks])
    ]
    assert [digits(int(entry)) for entry in endgame_table(tricks)] == expected


@pytest.mark.parametrize(("tricks", "sample"), [(3, 2_000), (4, 700)])
def test_a_sample_of_the_large_tables_is_what_the_oracle_says(tricks: int, sample: int) -> None:
    table = endgame_table(tricks)
    for entry in np.random.default_rng(tricks).integers(len(table), size=sample).tolist():
        hands = position(tricks, entry)
        expected = by_leader(hands, oracle.coalition_tricks)
        assert digits(int(table[entry])) == expected, (tricks, entry, hands)


@pytest.mark.bounds
def test_rows_of_the_five_trick_table_are_what_the_oracle_says() -> None:
    # Rows of it are built by themselves: the declarer has a hand, the left defender every one.
    tricks = 5
    per_row = math.comb(10, 5)
    rng = np.random.default_rng(5)
    table = np.zeros(50 * 3_003 * per_row, dtype=np.uint8)  # pages not written to cost nothing
    for row in rng.integers(50 * 3_003, size=30).tolist():
        build_table(
            tricks,
            np.array(SHAPES[tricks]),
            subsets(15, 5),
            subsets(10, 5),
            endgame_table(4),
            row,
            row + 1,
            table,
        )
        for entry in (row * per_row + rng.integers(per_row, size=3)).tolist():
            expected = by_leader(position(tricks, entry), oracle.coalition_tricks)
            assert digits(int(table[entry])) == expected, (entry, position(tricks, entry))
    if table_is_ready(MAX_DEPTH):
        built = np.flatnonzero(table)
        assert np.array_equal(endgame_table(MAX_DEPTH)[built], table[built])


@pytest.mark.bounds
@pytest.mark.parametrize("n_jobs", [1, 2, -1])
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_table_is_the_same_for_any_number_of_jobs(
    monkeypatch: pytest.MonkeyPatch, n_jobs: int, backend: str
) -> None:
    expected = endgame_table(3)
    monkeypatch.setattr(endgames, "_tables", {})
    with joblib.parallel_config(backend):
        built = endgame_table(3, n_jobs)
    assert built is not expected
    assert built.tobytes() == expected.tobytes()


def test_threads_that_need_a_table_at_once_share_one(monkeypatch: pytest.MonkeyPatch) -> None:
    builds = []
    real = endgames._build

    def build(tricks: int, n_jobs: int | None) -> NDArray[np.uint8]:
        builds.append(tricks)
        return real(tricks, n_jobs)

    monkeypatch.setattr(endgames, "_build", build)
    monkeypatch.setattr(endgames, "_tables", {})
    with ThreadPoolExecutor(8) as pool:
        tables = list(pool.map(endgame_table, [3] * 16))
    assert all(table is tables[0] for table in tables)
    assert sorted(builds) == [0, 1, 2, 3]


@pytest.mark.jit_off
@pytest.mark.parametrize("tricks", [-1, 6, 100])
def test_there_are_no_other_tables(tricks: int) -> None:
    with pytest.raises(TableError, match=f"tables are for 0 to 5 tricks, not {tricks}"):
        endgame_table(tricks)
    assert issubclass(TableError, ValueError)


# --------------------------------------------------------------------------------- its file
#
# A table of three tricks stands for the larger ones here: it is built in a moment.


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache directory, in a process that has no tables in memory and saves small ones."""
    monkeypatch.setattr(endgames, "cache_directory", lambda: tmp_path)
    monkeypatch.setattr(endgames, "DEPTH", 3)
    monkeypatch.setattr(endgames, "_tables", {})
    return tmp_path


@pytest.fixture
def path(directory: Path) -> Path:
    """The file of the table of three tricks, once it was built."""
    endgame_table(3)
    endgames._tables.clear()
    path = table_path(3)
    assert path is not None
    assert path.is_file()
    return path


@pytest.fixture(scope="module")
def three_tricks() -> bytes:
    """The table of three tricks as it should be; asked for before anything is patched."""
    return endgame_table(3).tobytes()


def files(directory: Path) -> list[Path]:
    return sorted(path.relative_to(directory) for path in directory.rglob("*") if path.is_file())


def test_a_table_is_written_once_and_read_back_equal(
    path: Path, directory: Path, monkeypatch: pytest.MonkeyPatch, three_tricks: bytes
) -> None:
    before = path.stat()

    def build(*_: object) -> None:
        raise AssertionError("it is built again")

    monkeypatch.setattr(endgames, "_build", build)
    table = endgame_table(3)
    assert table.tobytes() == three_tricks
    assert endgame_table(3) is table  # and is read once a process
    after = path.stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)
    # The table and the lock that builders wait for; no file half written.
    names = {path.name, path.with_suffix(".lock").name}
    assert {file.name for file in files(directory)} <= names


def test_a_file_says_what_it_is(path: Path, three_tricks: bytes) -> None:
    assert kernels_fingerprint() in path.name
    assert path.name.startswith("endgame-3-")
    assert path.stat().st_mode & 0o777 == 0o644  # a cache may be shared by users
    with path.open("rb") as file:
        header = json.loads(file.readline())
        assert file.tell() == 4096  # a page, so that the table begins on one
        assert file.read() == three_tricks
    assert header["tricks"] == 3
    assert header["bytes"] == 73_920
    assert header["kernels"] == kernels_fingerprint()


def mapping_of(table: NDArray[np.uint8]) -> object:
    owner: object = table
    while isinstance(owner, np.ndarray):
        owner = owner.base
    return owner


def test_a_table_is_mapped_into_memory_and_what_is_done_to_it_stays_there(
    path: Path, three_tricks: bytes
) -> None:
    table = endgame_table(3)
    assert isinstance(mapping_of(table), mmap.mmap)
    table[:] = 0  # nobody should, but if somebody does, the file is safe
    endgames._tables.clear()
    assert endgame_table(3).tobytes() == three_tricks


def test_tables_below_the_usual_depth_are_not_saved(directory: Path) -> None:
    endgame_table(2)
    assert files(directory) == []
    assert not table_is_ready(3)
    endgame_table(3)
    assert table_is_ready(3)
    endgames._tables.clear()
    assert table_is_ready(3)
    assert not table_is_ready(2)


def test_the_usual_table_is_mapped() -> None:
    assert (DEPTH, MAX_DEPTH) == (4, 5)
    path = table_path(DEPTH)
    if path is None:
        pytest.skip("there is no cache directory here")
    assert isinstance(mapping_of(endgame_table(DEPTH)), mmap.mmap)
    assert path.is_file()
    assert path.parent.parent == cache_directory()


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


def copy_of_another_table(path: Path) -> None:
    endgames._write(path, 2, endgame_table(2))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "one byte short": truncate,
    "cut inside the header": cut_inside_the_header,
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
    "header of another number of tricks": lambda path: change_header(path, tricks=4),
    "header with a wrong checksum": lambda path: change_header(path, blake2b="0" * 32),
    "header without a checksum": lambda path: change_header(path, blake2b=None),
    "header without a kind": lambda path: change_header(path, what=None),
    "header without a size": lambda path: change_header(path, bytes=None),
    "header with a wrong size": lambda path: change_header(path, bytes=73_921),
    "header of other kernels": lambda path: change_header(path, kernels="0123456789abcdef"),
    "another table": copy_of_another_table,
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused_by_name_with_what_to_do(
    path: Path, damage: str, three_tricks: bytes
) -> None:
    DAMAGES[damage](path)
    content = path.read_bytes()
    for _ in range(2):  # the second answer is no other
        with pytest.raises(TableError) as caught:
            endgame_table(3)
        assert str(path) in str(caught.value)
        assert "delete it and it is built anew" in str(caught.value)
    assert path.read_bytes() == content  # nothing is overwritten without a word
    path.unlink()
    assert endgame_table(3).tobytes() == three_tricks


def test_a_directory_in_the_place_of_a_table_is_refused_too(path: Path) -> None:
    path.unlink()
    path.mkdir()
    with pytest.raises(TableError, match=re.escape(str(path))):
        endgame_table(3)


@given(place=st.integers(4096, 4096 + 73_919), bit=st.integers(0, 7))
def test_any_wrong_bit_of_a_table_is_noticed(
    tmp_path_factory: pytest.TempPathFactory, place: int, bit: int, three_tricks: bytes
) -> None:
    path = tmp_path_factory.mktemp("table") / "table.bin"
    endgames._write(path, 3, np.frombuffer(three_tricks, dtype=np.uint8))
    with path.open("r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 1 << bit]))
    with pytest.raises(TableError, match="its checksum is wrong"):
        endgames._read(path, 3)
    path.unlink()


def test_a_table_of_other_kernels_is_never_read(
    path: Path, monkeypatch: pytest.MonkeyPatch, three_tricks: bytes
) -> None:
    flip(path, 5_000)  # whatever is in it does not matter
    monkeypatch.setattr(endgames, "kernels_fingerprint", lambda: "0123456789abcdef")
    assert endgame_table(3).tobytes() == three_tricks
    assert sorted(file.name for file in path.parent.glob("*.bin")) == sorted(
        [path.name, "endgame-3-0123456789abcdef.bin"]
    )


def test_who_waited_for_the_lock_takes_what_the_other_process_built(
    directory: Path, monkeypatch: pytest.MonkeyPatch, three_tricks: bytes
) -> None:
    class LockOfAnother:
        """A lock that is had once another process has written the table."""

        def __init__(self, lock: Path) -> None:
            self.path = lock.with_suffix(".bin")

        def __enter__(self) -> None:
            endgames._write(self.path, 3, np.frombuffer(three_tricks, dtype=np.uint8))

        def __exit__(self, *_: object) -> None:
            assert self.path.is_file()

    def build(*_: object) -> None:
        raise AssertionError("it is built twice")

    monkeypatch.setattr(endgames, "FileLock", LockOfAnother)
    monkeypatch.setattr(endgames, "_build", build)
    assert endgame_table(3).tobytes() == three_tricks


@pytest.mark.parametrize("stop", [KeyboardInterrupt, MemoryError])
def test_a_write_that_is_stopped_leaves_nothing_half_written(
    directory: Path, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException], three_tricks: bytes
) -> None:
    def interrupted(*_: object) -> None:
        raise stop

    with monkeypatch.context() as patch:
        patch.setattr("os.replace", interrupted)
        with pytest.raises(stop):
            endgame_table(3)
    assert [file for file in files(directory) if file.suffix != ".lock"] == []
    assert endgame_table(3).tobytes() == three_tricks


def test_a_full_disk_is_no_reason_to_stop(
    directory: Path, monkeypatch: pytest.MonkeyPatch, three_tricks: bytes
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.warns(CacheWarning, match="No space left on device") as caught:
        tables = [endgame_table(3) for _ in range(2)]
    assert [table.tobytes() for table in tables] == [three_tricks] * 2
    assert len(caught) == 1
    assert str(directory) in str(caught[0].message)
    assert [file for file in files(directory) if file.suffix != ".lock"] == []


def test_a_tables_directory_that_is_a_file_is_no_reason_to_stop(
    directory: Path, three_tricks: bytes
) -> None:
    (directory / "tables").write_text("in the way")
    with pytest.warns(CacheWarning, match="cannot be cached") as caught:
        tables = [endgame_table(3) for _ in range(2)]
    assert [table.tobytes() for table in tables] == [three_tricks] * 2
    assert len(caught) == 1
    assert (directory / "tables").read_text() == "in the way"


def test_without_a_cache_directory_tables_are_built_in_memory(
    monkeypatch: pytest.MonkeyPatch, three_tricks: bytes
) -> None:
    monkeypatch.setattr(endgames, "cache_directory", lambda: None)
    monkeypatch.setattr(endgames, "DEPTH", 3)
    monkeypatch.setattr(endgames, "_tables", {})
    assert table_path(3) is None
    assert not table_is_ready(3)
    table = endgame_table(3)
    assert table.tobytes() == three_tricks
    assert endgame_table(3) is table
    assert table_is_ready(3)


# -------------------------------------------------------------------- other processes at it too

#: Solves a few deals and prints the answers, for comparison with those of this process.
SOLVE = """
import numpy as np
from ghostsim.deals import random_hands
from ghostsim.solver import solve_many
print(solve_many(random_hands(500, seed=1), np.arange(500) % 4, 1, 2).tobytes().hex())
"""


def run_python(code: str, cache: Path, **variables: str) -> "subprocess.Popen[str]":
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
    from ghostsim.deals import random_hands
    from ghostsim.solver import solve_many

    tricks = solve_many(random_hands(500, seed=1), np.arange(500) % 4, 1, 2)
    return tricks.tobytes().hex()


def test_several_processes_on_an_empty_cache_all_succeed(tmp_path: Path) -> None:
    cache = tmp_path / "empty"  # not even made, and nothing is compiled yet
    processes = [run_python(SOLVE, cache) for _ in range(3)]
    assert [output_of(process) for process in processes] == [(solved_here(), "")] * 3
    tables = cache / "tables"
    assert [path.name for path in tables.glob("*.bin")] == [
        f"endgame-4-{kernels_fingerprint()}.bin"
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
from ghostsim import endgames
def replace(*_):
    print("stopped", flush=True)
    time.sleep(600)
endgames.os.replace = replace
endgames.endgame_table(4)
"""


@pytest.mark.parametrize("code", [STOP_WHILE_BUILDING, STOP_WHILE_WRITING])
def test_a_process_that_is_killed_leaves_no_table_and_no_lock(cache: Path, code: str) -> None:
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
    assert output_of(second) == (solved_here(), "")
    assert [path.name for path in cache.rglob("*.bin")] == [
        f"endgame-4-{kernels_fingerprint()}.bin"
    ]
    assert output_of(run_python(SOLVE, cache)) == (solved_here(), "")


def test_an_interrupted_build_leaves_no_table(cache: Path) -> None:
    # A shell that starts tests in the background may have told them to ignore Ctrl-C.
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    process = run_python(listen + STOP_WHILE_WRITING, cache)
    assert process.stdout is not None
    assert process.stdout.readline() == "stopped\n"
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
from ghostsim.endgames import endgame_table, table_path
for _ in range(2):
    solve(Deal.random(seed=1))
    endgame_table(4)
    assert table_path(4) is None
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


@pytest.mark.jit_off
def test_the_cache_directory_is_where_the_variable_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = cache_directory.__wrapped__  # what is computed anew each time
    monkeypatch.setenv("GHOSTSIM_CACHE_DIR", str(tmp_path / "a" / "b"))
    assert find() == tmp_path / "a" / "b"
    assert (tmp_path / "a" / "b").is_dir()
    assert list((tmp_path / "a" / "b").iterdir()) == []  # trying it out leaves nothing
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GHOSTSIM_CACHE_DIR", "~/c")
    assert find() == tmp_path / "c"
    monkeypatch.delenv("GHOSTSIM_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    usual = find()
    assert usual is not None
    assert "ghostsim" in usual.parts


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
    # A disk that is as good as full, on which the directory itself can still be made.
    monkeypatch.setenv("GHOSTSIM_CACHE_DIR", str(tmp_path / "cache"))
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage._replace(free=1_000_000))
    with pytest.warns(CacheWarning, match="No space left"):
        assert find() is None
