"""The store of finished blocks: what is read is what was written, or an error says what to do."""

from __future__ import annotations

import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ghostsim.simulate.block_store import (
    BLOCKS,
    DAMAGED,
    LOCK,
    BlockStore,
    DamagedStoreError,
    KeptBlocks,
    OtherRunError,
    StoreError,
    StoreInUseError,
    StoreWriteError,
    repair,
)
from ghostsim.simulate.runner import Runner, Simulation

IDENTITY = {"study": "dice", "seed": 1, "rules": {"sides": 6}}
SEED = 1


def throws(seed: int, start: int, count: int) -> NDArray[np.int64]:
    """A block of plain numpy: sum, sum of squares, and count of dice that numbers stand for."""
    dice = (np.arange(start, start + count) * 2_654_435_761 + seed) % 1_000_003 % 6 + 1
    return np.array([dice.sum(), (dice**2).sum(), count])


SIMULATION = Simulation("throws", throws, unit="throws", per_block=100)


#: What the runner calls its blocks.
NAME = f"throws, seed {SEED}"


def write_run(folder: Path, amount: int = 2_000) -> NDArray[np.int64]:
    with BlockStore.open(folder, IDENTITY) as store:
        return Runner(store=store).run(SIMULATION, amount, seed=SEED).sums


def test_two_seeds_in_one_store(tmp_path: Path) -> None:
    for seed in (1, 2, 1):
        with BlockStore.open(tmp_path, {"study": "dice"}) as store:
            sums = Runner(store=store).run(SIMULATION, 2_000, seed=seed).sums
        assert (sums == throws(seed, 0, 2_000)).all()
    with BlockStore.look(tmp_path) as store:
        assert [one.name for one in store.kept()] == ["throws, seed 1", "throws, seed 2"]


def contents(folder: Path) -> list[tuple[object, ...]]:
    """All blocks of a store, as SQLite gives them."""
    connection = sqlite3.connect(folder / BLOCKS)
    rows = connection.execute(
        "SELECT name, start, count, shape, payload, checksum FROM blocks ORDER BY name, start"
    ).fetchall()
    connection.close()
    return rows


def change(folder: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(folder / BLOCKS)
    with connection:
        connection.execute(statement, values)
    connection.close()


# What it keeps


@pytest.mark.parametrize("shape", [(3,), (0,), (), (2, 3, 4)])
def test_what_is_read_is_what_was_written(tmp_path: Path, shape: tuple[int, ...]) -> None:
    numbers = np.random.default_rng(1).integers(-(1 << 63), (1 << 63) - 1, shape, dtype=np.int64)
    numbers = np.asarray(numbers)
    with BlockStore.open(tmp_path, IDENTITY) as store:
        store.write("a", 0, 5, numbers)
        store.write("a", 10**12, 1, numbers.T)
    with BlockStore.open(tmp_path, IDENTITY) as store:
        read = store.read("a", 0, 5)
        assert read.dtype == np.int64
        assert read.shape == shape
        assert (read == numbers).all()
        assert (store.read("a", 10**12, 1) == numbers.T).all()
        read[...] = 0  # its own memory
        assert (store.read("a", 0, 5) == numbers).all()


def test_only_whole_numbers(tmp_path: Path) -> None:
    with (
        BlockStore.open(tmp_path, IDENTITY) as store,
        pytest.raises(TypeError, match="int64, not float64"),
    ):
        store.write("a", 0, 5, np.array([1.5]))


def test_spans_are_in_order_the_longest_first(tmp_path: Path) -> None:
    with BlockStore.open(tmp_path, IDENTITY) as store:
        assert list(store.spans("a")) == []
        for start, count in [(50, 20), (0, 30), (50, 50), (200, 5), (0, 50)]:
            store.write("a", start, count, np.array([start]))
        store.write("b", 7, 1, np.array([0]))
        assert list(store.spans("a")) == [(0, 50), (0, 30), (50, 50), (50, 20), (200, 5)]
        assert store.kept() == (KeptBlocks("a", 5, 105, 1), KeptBlocks("b", 1, 1, 1))


def test_a_file_comes_with_the_first_block_and_the_lock_goes(tmp_path: Path) -> None:
    with BlockStore.open(tmp_path, IDENTITY) as store:
        assert [file.name for file in tmp_path.iterdir()] == [LOCK]
        store.write("a", 0, 1, np.array([1]))
    assert [file.name for file in tmp_path.iterdir()] == [BLOCKS]


def test_longer_and_shorter_runs_use_what_is_there(tmp_path: Path) -> None:
    calls: list[tuple[int, int]] = []

    def counted(seed: int, start: int, count: int) -> NDArray[np.int64]:
        calls.append((start, count))
        return throws(seed, start, count)

    simulation = Simulation("throws", counted, per_block=50_000)
    done: list[list[tuple[int, int]]] = []
    for amount, size, jobs in [(70_000, 50_000, 1), (200_000, 50_000, 2), (120_000, 7_000, 2)]:
        calls.clear()
        with BlockStore.open(tmp_path, IDENTITY) as store:
            runner = Runner(n_jobs=jobs, block_size=size, store=store)
            sums = runner.run(simulation, amount, seed=SEED).sums
        assert (sums == throws(SEED, 0, amount)).all(), amount
        done.append(sorted(calls))
    first, longer, shorter = done
    assert first == [(0, 50_000), (50_000, 20_000)]
    # Only what was missing, as soon as blocks cannot be cut: never one that fits.
    assert sum(count for _, count in longer) < 200_000 - 50_000 + 1
    assert sum(count for _, count in shorter) <= 20_000


def test_flat_names_of_other_runs_are_refused(tmp_path: Path) -> None:
    write_run(tmp_path)
    before = contents(tmp_path)
    other = {"study": "dice", "seed": 2, "rules": {"sides": 8}, "model": "fair"}
    with pytest.raises(OtherRunError) as caught:
        BlockStore.open(tmp_path, other)
    assert str(caught.value) == (
        f"{tmp_path} holds another run:\n"
        "  model: nothing in the folder, fair asked for\n"
        "  rules sides: 6 in the folder, 8 asked for\n"
        "  seed: 1 in the folder, 2 asked for\n"
        "name another folder, or open it with replace=True"
    )
    assert contents(tmp_path) == before
    with BlockStore.open(tmp_path, other, replace=True) as store:
        assert list(store.spans(NAME)) == []
        assert contents(tmp_path) == before, "kept until there is a new block"
        store.write("throws", 0, 1, np.array([1]))
        assert len(contents(tmp_path)) == 1


# Damage


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("good")
    write_run(folder)
    return folder


EXPECTED = throws(SEED, 0, 2_000)


def never_wrong(folder: Path, good: bytes) -> str:
    """Whatever is in the folder: the right sums, or an error. Then repaired: the right sums."""
    try:
        with BlockStore.open(folder, IDENTITY) as store:
            sums = Runner(store=store).run(SIMULATION, 2_000, seed=SEED).sums
        assert (sums == EXPECTED).all()
        return "right"
    except DamagedStoreError as error:
        assert str(folder / BLOCKS) in str(error)
        assert "--repair" in str(error)
        assert "--resume" in str(error)
    except StoreError as error:  # a changed number of the format
        assert "has format" in str(error)
        return "format"
    damaged = (folder / BLOCKS).read_bytes()
    done = repair(folder)
    assert done is not None
    assert done[1].read_bytes() == damaged
    with BlockStore.open(folder, IDENTITY) as store:
        sums = Runner(store=store).run(SIMULATION, 2_000, seed=SEED).sums
    assert (sums == EXPECTED).all()
    return f"repaired, {done[0]} blocks"


def test_cut_short_at_any_length(good: Path, tmp_path: Path) -> None:
    whole = (good / BLOCKS).read_bytes()
    chance = random.Random(5)
    lengths = [0, 1, 15, 16, 99, 100, 4_095, 4_096, 8_192, len(whole) - 4_096, len(whole) - 1]
    lengths += [chance.randrange(len(whole)) for _ in range(15)]
    for number, length in enumerate(lengths):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / BLOCKS).write_bytes(whole[:length])
        assert never_wrong(folder, whole).startswith("repaired"), length


def test_a_byte_changed_anywhere(good: Path, tmp_path: Path) -> None:
    whole = (good / BLOCKS).read_bytes()
    chance = random.Random(6)
    found = set()
    for number in range(80):
        place = chance.randrange(len(whole)) if number > 20 else chance.randrange(300)
        damaged = bytearray(whole)
        damaged[place] ^= 1 << chance.randrange(8)
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / BLOCKS).write_bytes(damaged)
        found.add(never_wrong(folder, whole).partition(",")[0])
    assert {"right", "repaired"} <= found


def test_a_page_changed_anywhere_keeps_the_others(tmp_path: Path) -> None:
    with BlockStore.open(tmp_path, IDENTITY) as store:
        Runner(store=store, block_size=10).run(SIMULATION, 2_000, seed=SEED)
    whole = (tmp_path / BLOCKS).read_bytes()
    kept = []
    for place in range(0, len(whole), 4_096):
        folder = tmp_path / str(place)
        folder.mkdir()
        (folder / BLOCKS).write_bytes(whole[:place] + b"\xff" * 4_096 + whole[place + 4_096 :])
        kept.append(never_wrong(folder, whole))
    saved = [int(told.split()[1]) for told in kept]
    assert len(saved) > 6
    assert sum(100 < blocks < 200 for blocks in saved) > 2, saved
    assert 200 in saved, "a page of the index only"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE blocks SET payload = x'00' WHERE start = 300",
        "UPDATE blocks SET payload = (SELECT payload FROM blocks LIMIT 1) WHERE start = 300",
        "UPDATE blocks SET start = 5000 WHERE start = 300",
        "UPDATE blocks SET count = 101 WHERE start = 300",
        "UPDATE blocks SET count = 'many' WHERE start = 300",
        "UPDATE blocks SET name = 'others' WHERE start = 300",
        "UPDATE blocks SET name = CAST(x'ff' AS TEXT) WHERE start = 300",
        "UPDATE blocks SET shape = '[1, 3]' WHERE start = 300",
        "UPDATE blocks SET checksum = x'' WHERE start = 300",
        "UPDATE blocks SET number = 9223372036854775807, checksum = x'' WHERE start = 300",
        "UPDATE run SET identity = replace(identity, '1', '2')",
        "DELETE FROM run",
        "INSERT INTO run SELECT * FROM run",
        "DROP TABLE run",
        "DROP TABLE blocks",
        "ALTER TABLE blocks DROP COLUMN shape",
        "PRAGMA application_id = 7",
    ],
)
def test_edited(good: Path, tmp_path: Path, statement: str) -> None:
    shutil.copy(good / BLOCKS, tmp_path)
    change(tmp_path, statement)
    with pytest.raises(DamagedStoreError):
        BlockStore.open(tmp_path, IDENTITY)
    told = never_wrong(tmp_path, b"")
    assert told == ("repaired, 19 blocks" if "start = 300" in statement else "repaired, 0 blocks")


def test_blocks_of_another_run_do_not_pass(good: Path, tmp_path: Path) -> None:
    with BlockStore.open(tmp_path, {**IDENTITY, "seed": 2}) as store:
        Runner(store=store).run(SIMULATION, 2_000, seed=2)
    # Who edits the identity, and makes its checksum right, has still no right blocks.
    change(tmp_path, "ATTACH ? AS good", str(good / BLOCKS))
    connection = sqlite3.connect(tmp_path / BLOCKS)
    connection.execute("ATTACH ? AS good", (str(good / BLOCKS),))
    with connection:
        connection.execute("DELETE FROM run")
        connection.execute("INSERT INTO run SELECT * FROM good.run")
    connection.close()
    with pytest.raises(
        DamagedStoreError, match="block 1, 'throws, seed 2' from 0 on, 100 long, is not"
    ):
        BlockStore.open(tmp_path, IDENTITY)


def test_deleted_rows_are_run_again(good: Path, tmp_path: Path) -> None:
    shutil.copy(good / BLOCKS, tmp_path)
    change(tmp_path, "DELETE FROM blocks WHERE start IN (0, 300, 400, 1900)")
    with BlockStore.open(tmp_path, IDENTITY) as store:
        assert store.kept() == (KeptBlocks(NAME, 16, 1_600, 2),)
        sums = Runner(store=store).run(SIMULATION, 2_000, seed=SEED).sums
        assert (sums == EXPECTED).all()
    assert contents(tmp_path) == contents(good)


def test_damaged_after_it_was_opened(good: Path, tmp_path: Path) -> None:
    shutil.copy(good / BLOCKS, tmp_path)
    with BlockStore.open(tmp_path, IDENTITY) as store:
        change(tmp_path, "UPDATE blocks SET payload = x'00' WHERE start = 300")
        with pytest.raises(DamagedStoreError, match="'throws, seed 1' from 300 on, 100 long"):
            Runner(store=store).run(SIMULATION, 2_000, seed=SEED)


def test_no_database_at_all(tmp_path: Path) -> None:
    (tmp_path / BLOCKS).write_text("my notes\n" * 1_000)
    with pytest.raises(DamagedStoreError, match="file is not a database"):
        BlockStore.open(tmp_path, IDENTITY)
    assert repair(tmp_path) == (0, tmp_path / DAMAGED)
    assert (tmp_path / DAMAGED).read_text() == "my notes\n" * 1_000
    assert not (tmp_path / BLOCKS).exists()
    (tmp_path / BLOCKS).write_text("more notes")
    assert repair(tmp_path) == (0, tmp_path / f"{DAMAGED}-2")
    with pytest.raises(StoreError, match="nothing to repair"):
        repair(tmp_path)


def test_nothing_to_repair(good: Path) -> None:
    before = contents(good)
    assert repair(good) is None
    assert contents(good) == before
    assert [file.name for file in good.iterdir()] == [BLOCKS]


def test_a_format_to_come(good: Path, tmp_path: Path) -> None:
    shutil.copy(good / BLOCKS, tmp_path)
    change(tmp_path, "PRAGMA user_version = 2")
    with pytest.raises(StoreError, match="has format 2, and this version of ghostsim knows 1"):
        BlockStore.open(tmp_path, IDENTITY)


# Two at once


def test_one_at_a_time(tmp_path: Path) -> None:
    with BlockStore.open(tmp_path, IDENTITY):
        with pytest.raises(StoreInUseError, match=f"another ghostsim \\(process {os.getpid()} on "):
            BlockStore.open(tmp_path, IDENTITY)
        with pytest.raises(StoreError, match="is running in"):
            (tmp_path / BLOCKS).touch()
            repair(tmp_path)
        (tmp_path / BLOCKS).unlink()
    BlockStore.open(tmp_path, IDENTITY).close()
    assert list(tmp_path.iterdir()) == []


def test_looking_on_while_it_runs(tmp_path: Path) -> None:
    with BlockStore.open(tmp_path, IDENTITY) as store:
        for start in range(0, 500, 100):
            store.write("throws", start, 100, throws(SEED, start, 100))
            with BlockStore.look(tmp_path) as seen:
                assert seen.identity == IDENTITY
                assert list(seen.spans("throws"))[-1] == (start, 100)


KILLS = """
import os, random, signal, sys, time
from dataclasses import replace
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_block_store import IDENTITY, SIMULATION, BLOCKS, BlockStore, Runner, contents, throws

folder, amount, size = Path({folder!r}), {amount}, {size}

def slow(seed, start, count):
    time.sleep(0.002)
    return throws(seed, start, count)

def run():
    with BlockStore.open(folder, IDENTITY) as store:
        runner = Runner(n_jobs=2, store=store, block_size=size)
        return runner.run(replace(SIMULATION, block=slow), amount, seed=1).sums

chance = random.Random(7)
before = set()
kills = 0
while kills < 20:
    child = os.fork()
    if not child:
        run()
        os._exit(0)
    time.sleep(chance.uniform(0, 0.12))
    os.kill(child, signal.SIGKILL)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != -signal.SIGKILL:
        sys.exit("it was over too early")
    kills += 1
    if (folder / BLOCKS).exists():
        after = set(contents(folder))
        if not before <= after:
            sys.exit(f"lost {{before - after}}")
        before = after
print(len(before), *run())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes start otherwise on Windows")
def test_killed_at_twenty_random_moments(tmp_path: Path) -> None:
    """Nothing that was written is ever lost, and the sums are those of an unbroken run."""
    amount, size = 280_000, 400
    tests = str(Path(__file__).parent)
    script = KILLS.format(tests=tests, folder=str(tmp_path), amount=amount, size=size)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr == ""
    kept, *sums = map(int, done.stdout.split())
    assert 20 < kept < amount // size
    assert sums == throws(1, 0, amount).tolist()
    unbroken = tmp_path / "unbroken"
    unbroken.mkdir()
    with BlockStore.open(unbroken, IDENTITY) as store:
        Runner(store=store, block_size=size).run(SIMULATION, amount, seed=1)
    assert contents(tmp_path) == contents(unbroken)
    assert {file.name for file in tmp_path.iterdir()} == {BLOCKS, "unbroken"}


# Disks


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    with BlockStore.open(tmp_path, IDENTITY) as store:
        runner = Runner(store=store)
        runner.run(SIMULATION, 1_000, seed=SEED)
        before = contents(tmp_path)
        assert store._connection is not None
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreWriteError, match=r"blocks.sqlite3: database or disk is full"):
            runner.run(SIMULATION, 100_000, seed=SEED)
        there = contents(tmp_path)
        assert there[: len(before)] == before
    with BlockStore.open(tmp_path, IDENTITY) as store:
        assert contents(tmp_path) == there
        sums = Runner(store=store).run(SIMULATION, 100_000, seed=SEED).sums
    assert (sums == throws(SEED, 0, 100_000)).all()


LIMITED = """
import resource, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_block_store import IDENTITY, SIMULATION, BlockStore, Runner, StoreWriteError
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
try:
    with BlockStore.open(Path({folder!r}), IDENTITY) as store:
        Runner(store=store).run(SIMULATION, 200_000, seed=1)
except StoreWriteError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits on Windows")
@pytest.mark.parametrize("limit", [1_000, 30_000, 100_000])
def test_files_that_may_not_grow(tmp_path: Path, limit: int) -> None:
    script = LIMITED.format(tests=str(Path(__file__).parent), folder=str(tmp_path), limit=limit)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr == ""
    assert f"a block cannot be written to {tmp_path / BLOCKS}: " in done.stdout
    kept = len(contents(tmp_path)) if (tmp_path / BLOCKS).exists() else 0
    assert kept > 0 or limit == 1_000
    with BlockStore.open(tmp_path, IDENTITY) as store:
        assert sum(1 for _ in store.spans(NAME)) == kept
        sums = Runner(store=store, block_size=50_000).run(SIMULATION, 200_000, seed=SEED).sums
    assert (sums == throws(SEED, 0, 200_000)).all()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 100 kB, where one can be had."""
    if shutil.which("mount") is None or os.geteuid() != 0:
        pytest.skip("no disk can be mounted")
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", disk], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no disk can be mounted")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_disk_that_is_full(small_disk: Path) -> None:
    with BlockStore.open(small_disk, IDENTITY) as store, pytest.raises(StoreWriteError):
        Runner(store=store).run(SIMULATION, 200_000, seed=SEED)
    kept = len(contents(small_disk))
    assert kept > 100
    with pytest.raises(StoreWriteError), BlockStore.open(small_disk, IDENTITY) as store:
        assert sum(1 for _ in store.spans(NAME)) == kept
        Runner(store=store).run(SIMULATION, 200_000, seed=SEED)
    subprocess.run(["mount", "-o", "remount,size=10m", small_disk], check=True)
    with BlockStore.open(small_disk, IDENTITY) as store:
        sums = Runner(store=store).run(SIMULATION, 20_000, seed=SEED).sums
    assert (sums == throws(SEED, 0, 20_000)).all()


@pytest.mark.parametrize(
    "code",
    [sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_BUSY],
)
def test_a_disk_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    write_run(tmp_path, 500)

    class Failing:
        def execute(self, *_: object) -> None:
            error = sqlite3.OperationalError("it fails")
            error.sqlite_errorcode = code
            raise error

        def close(self) -> None: ...

    with BlockStore.open(tmp_path, IDENTITY) as store, monkeypatch.context() as patched:
        patched.setattr(store, "_connection", Failing())
        with pytest.raises(StoreWriteError, match=r"blocks.sqlite3: it fails"):
            store.write("throws", 500, 100, throws(SEED, 500, 100))
        with pytest.raises(StoreError, match="cannot be read: it fails"):
            store.read(NAME, 0, 100)
    assert len(contents(tmp_path)) == 5


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=f"there is no folder '{tmp_path}/blocks': make it first"):
        BlockStore.open(tmp_path / "blocks", IDENTITY)
    (tmp_path / "blocks").touch()
    with pytest.raises(StoreError, match="there is no folder"):
        BlockStore.open(tmp_path / "blocks", IDENTITY)
    with pytest.raises(StoreError, match=f"{tmp_path} holds no blocks.sqlite3"):
        BlockStore.look(tmp_path)


def test_what_is_not_the_callers_fault_has_another_exit_status() -> None:
    statuses = {OtherRunError: 2, StoreError: 2, StoreInUseError: 1, DamagedStoreError: 1}
    assert {kind: kind("").exit_status for kind in statuses} == statuses


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OSError):  # whichever the system has
        BlockStore.open(Path("/proc/self"), IDENTITY)


# Clocks


def test_no_clock_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, jumping = tmp_path / "plain", tmp_path / "jumping"
    plain.mkdir()
    jumping.mkdir()
    expected = write_run(plain)
    moments = iter(range(10**9, 0, -3_600))
    for name in ("time", "monotonic", "perf_counter"):
        monkeypatch.setattr(time, name, lambda: float(next(moments)))
    write_run(jumping, 700)
    os.utime(jumping / BLOCKS, (4e9, 4e9))
    os.utime(jumping, (0, 0))
    assert (write_run(jumping) == expected).all()
    assert contents(plain) == contents(jumping)


def test_memory_does_not_grow_with_the_number_of_blocks(tmp_path: Path) -> None:
    sums = np.random.default_rng(1).integers(0, 1 << 62, 50_000)  # 400 kB, not to be compressed
    peaks = []
    for last in (4, 24):
        with BlockStore.open(tmp_path, IDENTITY) as store:
            for start in range(last - 4, last):
                store.write("a", start, 1, sums)
            for start in range(4, last - 4):
                store.write("a", start, 1, sums)
        tracemalloc.start()
        with BlockStore.open(tmp_path, IDENTITY) as store:
            for start, count in store.spans("a"):
                store.read("a", start, count)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert (tmp_path / BLOCKS).stat().st_size > 24 * 390_000
    assert peaks[1] < peaks[0] + 400_000


# The page


def test_the_page_runs_and_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parents[1] / "docs" / "runs.md").read_text(encoding="utf-8")
    own, of_a_study = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (printed,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    for _ in range(2):  # the second time from the store
        exec(own, {"__name__": "__main__"})
        said = capsys.readouterr().out
        assert said == printed
    stop = next(line for line in said.splitlines() if line.startswith("hands with"))
    low, high = map(float, re.findall(r"\[(.*?), (.*?)\]", stop)[0])
    assert low < 0.107284 < high
    exec(of_a_study.replace("1_000_000", "1_000"), {})
    assert "95% normal interval, 1,000 deals" in capsys.readouterr().out
