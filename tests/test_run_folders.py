"""Run folders: what becomes of ``--out`` when a run is stopped, killed, resumed, made longer."""

from __future__ import annotations

import errno
import json
import os
import random
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ghostsim._program import NOT_OF_BLOCKS, program_fingerprint
from ghostsim.rules import Rules
from ghostsim.simulate.block_store import (
    BLOCKS,
    DAMAGED,
    LOCK,
    UNFINISHED,
    BlockStore,
    StoreError,
)
from ghostsim.simulate.runner import Runner, Simulation, Watch
from ghostsim.study import run_folder
from ghostsim.study.cli import main
from ghostsim.study.output import MANIFEST, OutputError
from ghostsim.study.run_folder import RunFolder, identity

Run = Callable[..., tuple[int, str, str]]
POSIX = pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise on Windows")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process: exit status, standard output, standard error."""

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(list(arguments))
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def files(folder: Path) -> dict[str, bytes]:
    """All that is in a folder, but for the blocks, which may lie in any order."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != BLOCKS}


def blocks(folder: Path) -> set[tuple[Any, ...]]:
    connection = sqlite3.connect(folder / BLOCKS)
    rows = connection.execute("SELECT name, start, count, shape, payload, checksum FROM blocks")
    found = set(rows.fetchall())
    connection.close()
    return found


# A small study, without a command


def throws(seed: int, start: int, count: int) -> NDArray[np.int64]:
    return np.array([(np.arange(start, start + count) * 7_919 + seed).sum() % 1_000_003, count])


OF = {"study": "dice", "seed": 1}


def dice(
    path: Path | None,
    amount: int,
    *,
    of: dict[str, Any] = OF,
    block: Callable[[int, int, int], NDArray[np.int64]] = throws,
    extra: dict[str, bytes] | None = None,
    **options: Any,
) -> None:
    """Throw dice into a folder."""
    parameters = {"deals": amount, **of}
    with run_folder.run_folder(path, of, parameters, **options) as folder:
        runner = folder.watch(Runner())
        found = runner.run(
            Simulation("throws", block, unit="throws", per_block=100), amount, seed=1
        )
        written = {"throws.csv": " ".join(map(str, found.sums)).encode(), **(extra or {})}
        folder.write(written | {MANIFEST: manifest(folder, amount, of, written)})


def manifest(
    folder: RunFolder, amount: int, of: dict[str, Any], written: dict[str, bytes]
) -> bytes:
    import hashlib

    digests = {name: hashlib.sha256(content).hexdigest() for name, content in written.items()}
    about = {"study": of["study"], "parameters": {"deals": amount, **of}, "files": digests}
    return json.dumps(about | {"blocks": folder.blocks}).encode()


def stopping_at(stop: int, error: BaseException) -> Callable[[int, int, int], NDArray[np.int64]]:
    def block(seed: int, start: int, count: int) -> NDArray[np.int64]:
        if start >= stop:
            raise error
        return throws(seed, start, count)

    return block


def test_resumed_and_made_longer_it_is_as_if_unbroken(tmp_path: Path) -> None:
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    with pytest.raises(KeyboardInterrupt) as caught:
        dice(broken, 1_000, block=stopping_at(550, KeyboardInterrupt()), again="dice --resume")
    (note,) = caught.value.__notes__
    assert note == f"600 of 1,000 throws are kept in {broken}; go on with\n  dice --resume"
    assert set(files(broken)) == set()
    assert noted(broken) == "dice --resume"
    dice(broken, 1_000, resume=True, again="dice --resume")
    assert noted(broken) == ""
    assert b"dice --resume" not in (broken / BLOCKS).read_bytes()
    dice(broken, 2_000, resume=True)
    dice(whole, 2_000)
    assert files(broken) == files(whole)
    assert blocks(broken) == blocks(whole)
    # And shorter again.
    dice(broken, 1_500, resume=True)
    dice(tmp_path / "short", 1_500)
    assert files(broken) == files(tmp_path / "short")


def noted(folder: Path) -> str:
    with BlockStore.look(folder) as store:
        return store.noted


def test_how_to_go_on_is_noted_while_a_run_is_made_longer(tmp_path: Path) -> None:
    dice(tmp_path, 500, again="dice 500")
    with pytest.raises(KeyboardInterrupt):
        dice(
            tmp_path,
            1_000,
            block=stopping_at(550, KeyboardInterrupt()),
            resume=True,
            again="dice 1000",
        )
    assert noted(tmp_path) == "dice 1000"
    dice(tmp_path, 300, resume=True, again="dice 300")
    assert noted(tmp_path) == ""


def test_an_interrupted_run_to_a_precision_tells_how_narrow_it_is(tmp_path: Path) -> None:
    watch = Watch("ones", lambda sums, n: (n, n // 2, n // 2), "dice", "share of throws")
    block = stopping_at(250, KeyboardInterrupt())
    simulation = Simulation("throws", block, unit="throws", per_block=100, watch=watch)
    with (
        pytest.raises(KeyboardInterrupt) as caught,
        run_folder.run_folder(tmp_path, OF, {"deals": 9_000, **OF}) as folder,
    ):
        folder.watch(Runner(precision=1e-3, backend="sequential")).run(simulation, 9_000, seed=1)
    (note,) = caught.value.__notes__
    assert note.startswith("300 throws (of at most 9,000; half-width 0.104 so far, 0.001 ")
    assert note.splitlines()[0].endswith(f"asked for) are kept in {tmp_path}; go on with")


@pytest.mark.parametrize("exists", [True, False])
def test_without_a_block_nothing_is_left(tmp_path: Path, exists: bool) -> None:
    path = tmp_path / "new" / "run"
    if exists:
        path.mkdir(parents=True)
    with pytest.raises(KeyboardInterrupt) as caught:
        dice(path, 1_000, block=stopping_at(0, KeyboardInterrupt()))
    assert caught.value.__notes__ == ["nothing is kept: no block was finished"]
    assert list(tmp_path.rglob("*")) == ([path.parent, path] if exists else [])


def test_without_a_folder_nothing_is_kept() -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        dice(None, 1_000, block=stopping_at(300, KeyboardInterrupt()))
    assert caught.value.__notes__ == ["nothing is kept; with --out DIR a run can be resumed"]
    with pytest.raises(OutputError, match="--resume is for --out DIR"):
        dice(None, 1_000, resume=True)


def test_a_run_that_is_there_is_neither_lost_nor_gone_on_with_unasked(tmp_path: Path) -> None:
    dice(tmp_path, 500)
    before = files(tmp_path)
    with pytest.raises(OutputError) as caught:
        dice(tmp_path, 600)
    assert str(caught.value) == (
        f"the output folder {tmp_path} is not empty, it holds blocks of dice (500 units of "
        "'throws') and results of dice, 500 deals: --resume goes on with that run, or makes it "
        "longer; "
        "--overwrite replaces it; or name a new folder"
    )
    with pytest.raises(OutputError, match="exclude each other"):
        dice(tmp_path, 600, resume=True, overwrite=True)
    with pytest.raises(StoreError, match=r"\n  seed: 1 in the folder, 2 asked for\n"):
        dice(tmp_path, 600, of={"study": "dice", "seed": 2}, resume=True)
    assert files(tmp_path) == before


def test_overwriting_waits_for_the_first_block(tmp_path: Path) -> None:
    dice(tmp_path, 500, extra={"chart.svg": b"old"})
    before, kept = files(tmp_path), blocks(tmp_path)
    other = {"study": "dice", "seed": 2}
    with pytest.raises(KeyboardInterrupt):
        dice(tmp_path, 500, of=other, overwrite=True, block=stopping_at(0, KeyboardInterrupt()))
    assert (files(tmp_path), blocks(tmp_path)) == (before, kept)
    with pytest.raises(KeyboardInterrupt):
        dice(tmp_path, 500, of=other, overwrite=True, block=stopping_at(200, KeyboardInterrupt()))
    assert files(tmp_path) == {}
    assert len(blocks(tmp_path)) == 2
    dice(tmp_path, 500, of=other, resume=True)
    assert set(files(tmp_path)) == {"throws.csv", MANIFEST}


def nothing_simulated(path: Path, of: dict[str, Any] = OF, **options: Any) -> None:
    with run_folder.run_folder(path, of, {"deals": 0, **of}, **options) as folder:
        assert folder.blocks is None
        folder.write({MANIFEST: manifest(folder, 0, of, {})})


def test_what_blocks_depend_on_stays_whatever_its_name(tmp_path: Path) -> None:
    # Of a study max_deals says how long a run may be; of a tournament, when a game is given up.
    of = {**OF, "max_deals": 100}
    nothing_simulated(tmp_path, of)
    nothing_simulated(tmp_path, of, resume=True)
    with pytest.raises(OutputError, match=r"results of another run \(max_deals differ\)"):
        nothing_simulated(tmp_path, {**of, "max_deals": 200}, resume=True)


def test_without_a_simulation_there_is_no_store(tmp_path: Path) -> None:
    nothing_simulated(tmp_path)
    assert set(os.listdir(tmp_path)) == {MANIFEST}
    # Its results can be gone on with, by the same study.
    with pytest.raises(OutputError, match=r"results of another run \(seed differ\)"):
        dice(tmp_path, 300, of={"study": "dice", "seed": 2}, resume=True)
    dice(tmp_path, 300, resume=True)
    assert set(os.listdir(tmp_path)) == {MANIFEST, "throws.csv", BLOCKS}
    nothing_simulated(tmp_path, overwrite=True)
    assert set(os.listdir(tmp_path)) == {MANIFEST}, "the blocks were not of these results"


def test_strangers_are_spared(tmp_path: Path) -> None:
    dice(tmp_path, 300)
    (tmp_path / "thesis.tex").write_text("mine")
    several: list[dict[str, Any]] = [{"resume": True}, {"overwrite": True}]
    for options in several:
        with pytest.raises(OutputError, match=r"does not list \(thesis.tex\)"):
            dice(tmp_path, 400, **options)
    (tmp_path / "thesis.tex").unlink()

    def writes(seed: int, start: int, count: int) -> NDArray[np.int64]:
        (tmp_path / "thesis.tex").write_text("mine")
        return throws(seed, start, count)

    with pytest.raises(OutputError, match="move them away") as caught:
        dice(tmp_path, 400, block=writes, resume=True)
    assert "400 of 400 throws are kept" in caught.value.__notes__[0]
    assert (tmp_path / "thesis.tex").read_text() == "mine"
    (tmp_path / "thesis.tex").unlink()
    dice(tmp_path, 400, resume=True)
    assert set(files(tmp_path)) == {"throws.csv", MANIFEST}


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with run_folder.run_folder(tmp_path, OF, OF):
        several: list[dict[str, Any]] = [{}, {"resume": True}, {"overwrite": True}]
        for options in several:
            with pytest.raises(StoreError, match=r"another ghostsim .* is running in .*: wait"):
                dice(tmp_path, 100, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_store_is_told_in_every_case(tmp_path: Path) -> None:
    dice(tmp_path, 300)
    (tmp_path / BLOCKS).write_bytes((tmp_path / BLOCKS).read_bytes()[:5_000])
    with pytest.raises(OutputError, match="blocks that cannot be read and results of dice"):
        dice(tmp_path, 300)
    with pytest.raises(StoreError, match=r"'ghostsim runs .* --repair' keeps what is good"):
        dice(tmp_path, 300, resume=True)
    (tmp_path / f"{DAMAGED}-2").write_text("of an earlier repair")
    dice(tmp_path, 300, overwrite=True)
    assert set(os.listdir(tmp_path)) == {"throws.csv", MANIFEST, BLOCKS}


# Killed while it writes


class Killed(BaseException):
    """Stands for a process that is no more: nobody puts the results in order."""


def moments() -> Iterator[tuple[str, Callable[[pytest.MonkeyPatch], None]]]:
    """Every moment at which moving results can be cut short."""
    for name, part in [("replace", UNFINISHED), ("unlink", ".csv"), ("rmdir", UNFINISHED)]:
        for times in range(5):

            def cut(
                patch: pytest.MonkeyPatch, name: str = name, part: str = part, times: int = times
            ) -> None:
                owner: Any = os if name == "replace" else Path
                real, left = getattr(owner, name), [times]

                def killed(path: Path, *others: Path, **named: Any) -> Any:
                    if part in str(path):
                        if left[0] == 0:
                            raise Killed
                        left[0] -= 1
                    return real(path, *others, **named)

                patch.setattr(owner, name, killed)

            yield f"{name} {times}", cut


def test_killed_while_results_are_moved(tmp_path: Path) -> None:
    dice(tmp_path / "whole", 800, extra={"b.csv": b"2", "d.csv": b"4"})
    expected = files(tmp_path / "whole")
    met = set()
    for number, (moment, cut) in enumerate(moments()):
        path = tmp_path / str(number)
        dice(path, 500, extra={"a.csv": b"1", "b.csv": b"1", "c.csv": b"1"})
        with pytest.MonkeyPatch.context() as patch:
            cut(patch)
            try:
                dice(path, 800, extra={"b.csv": b"2", "d.csv": b"4"}, resume=True)
            except Killed:
                met.add(moment.split()[0])
        dice(path, 800, extra={"b.csv": b"2", "d.csv": b"4"}, resume=True)
        assert files(path) == expected, moment
    assert met == {"replace", "unlink", "rmdir"}


def test_what_a_killed_run_left_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / f"{UNFINISHED}x").mkdir()
    (tmp_path / f"{UNFINISHED}x" / "half.csv").write_text("1,")
    (tmp_path / f"{UNFINISHED}{BLOCKS}").write_text("half")
    (tmp_path / f"{UNFINISHED}{BLOCKS}-journal").write_text("half")
    (tmp_path / LOCK).write_text("process 1 on nowhere")
    dice(tmp_path, 300)
    assert set(os.listdir(tmp_path)) == {"throws.csv", MANIFEST, BLOCKS}


def test_a_full_disk_at_the_end_keeps_the_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        with pytest.raises(OSError, match="No space left") as caught:
            dice(tmp_path, 300)
    assert "300 of 300 throws are kept" in caught.value.__notes__[0]
    assert os.listdir(tmp_path) == [BLOCKS]
    dice(tmp_path, 300, resume=True)
    assert set(files(tmp_path)) == {"throws.csv", MANIFEST}


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no such folder")
def test_a_folder_that_cannot_be_written() -> None:
    with pytest.raises(OutputError, match=r"the output folder /proc/.* cannot be made: "):
        dice(Path("/proc/self"), 100)
    with pytest.raises(OutputError, match="cannot be made: "):
        dice(Path("/proc/new/run"), 100)


def test_a_folder_of_somebody_else(tmp_path: Path) -> None:
    path = tmp_path / "run"
    dice(path, 300)
    before = files(path)
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from ghostsim.study.output import OutputError\n"
        "from ghostsim.study.run_folder import run_folder\n"
        "if os.geteuid() == 0: os.setgid(65534); os.setuid(65534)\n"
        "try:\n"
        f"    with run_folder(Path({str(path)!r}), {OF!r}, {OF!r}, resume=True): pass\n"
        "except OutputError as error: print(error)\n"
    )
    mode = path.stat().st_mode
    path.chmod(0o555)
    tmp_path.chmod(0o755)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    path.chmod(mode)
    if "No such file" not in done.stdout:  # a folder above may not be looked into either
        assert "cannot be made: Permission denied" in done.stdout, done
    assert files(path) == before


# What blocks depend on


def test_the_identity_says_what_blocks_depend_on(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("class Mine: ...")
    names = ("odds", f"{file}:Mine", "steady:four=7")
    first = identity("seat", Rules(), names, model="table", seed=5)
    assert first["study"] == "seat"
    assert first["seed"] == 5
    assert first["rules"]["moon_points"] == 24
    odds, mine, steady = first["strategies"]
    assert (odds, steady) == ("odds", "steady:four=7")
    assert mine.startswith("mine.py:Mine [")
    file.write_text("class Mine: pass")
    again = identity("seat", Rules(), names, model="table", seed=5)
    assert again["strategies"][1] != mine
    assert {**again, "strategies": 0} == {**first, "strategies": 0}
    json.dumps(first)


def test_the_code_counts_but_not_what_only_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    from ghostsim import _program

    def fingerprint() -> str:
        found: str = program_fingerprint.__wrapped__()
        return found

    before = fingerprint()
    assert before == program_fingerprint()
    package = tmp_path / "ghostsim"
    source = Path(_program.__file__).parent
    shutil.copytree(source, package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(_program, "__file__", str(package / "_program.py"))
    assert fingerprint() == before
    for name in NOT_OF_BLOCKS:
        assert (package / name).is_file(), name
        with (package / name).open("a") as text:
            text.write("# told otherwise\n")
    assert fingerprint() == before
    for name in ("kernels/game.py", "simulate/seat.py", "study/moon_odds.py", "strategies/odds.py"):
        with (package / name).open("a") as text:
            text.write("# another kernel\n")
        after = fingerprint()
        assert after != before, name
        before = after


# ------------------------------------------------------------------------------- whole commands

#: A command that is over in a moment.
SMALL = ("tournament", "steady", "novice", "--quiet")


def test_a_tournament_broken_off_and_resumed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(folder: RunFolder, files: Any) -> None:
        raise KeyboardInterrupt

    folder = tmp_path / "a b"
    with monkeypatch.context() as patched:
        patched.setattr(RunFolder, "write", broken)
        arguments = [*SMALL, "--games=20", "--overwrite", "--out", str(folder)]
        status, out, err = run(*arguments)
    assert (status, out) == (130, "")
    told, command = err.splitlines()
    assert told.startswith("interrupted: 20 of 20 ")
    assert told.endswith(f" are kept in {folder}; go on with")
    assert os.listdir(folder) == [BLOCKS]
    words = shlex.split(command)
    assert words == ["ghostsim", *SMALL, "--games=20", "--out", str(folder), "--resume"]
    status, out, err = run(*words[1:])
    assert (status, err) == (0, "")
    for games in ("60", "40"):
        status, out, _ = run(*SMALL, "--games", games, "--out", str(folder), "--resume")
        assert status == 0
        plain = tmp_path / games
        assert run(*SMALL, "--games", games, "--out", str(plain)) == (0, out, "")
        assert files(plain) == files(folder)
        assert json.loads((folder / MANIFEST).read_text())["blocks"] == BLOCKS


def test_options_that_contradict_each_other(run: Run, tmp_path: Path) -> None:
    status, _, err = run(*SMALL, "--games=20", "--resume")
    assert status == 2
    assert "--resume is for --out DIR: name the folder of the run" in err
    status, _, err = run(*SMALL, "--out", str(tmp_path / "a"), "--resume", "--overwrite")
    assert status == 2
    assert "--resume and --overwrite exclude each other" in err
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told_with_the_way_on(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a"
    assert run(*SMALL, "--games=20", "--out", str(folder))[0] == 0
    before = files(folder)
    connect = sqlite3.connect

    def full(*arguments: Any, **named: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **named)
        connection.execute("PRAGMA max_page_count = 1")  # as many as there are
        return connection

    monkeypatch.setattr(sqlite3, "connect", full)
    status, _, err = run(*SMALL, "--games=2000", "--out", str(folder), "--resume", "--jobs=1")
    assert status == 1
    error, kept, command = err.splitlines()
    assert error == (
        f"ghostsim: error: a block cannot be written to {folder / BLOCKS}: database or disk is full"
    )
    assert kept.startswith("20 of 2,000 ")
    assert command.endswith(f"--games=2000 --out {folder} --jobs=1 --resume")
    assert files(folder) == before


# Processes and signals


Study = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def study() -> Iterator[Study]:
    """Start a study in its own process group, as a terminal does."""
    all_started = []

    def study(folder: Path, *arguments: str) -> subprocess.Popen[str]:
        command = ["seat", "--strategies", "steady", "--quiet", "--out", str(folder), *arguments]
        started = subprocess.Popen(
            [sys.executable, "-m", "ghostsim.study", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        all_started.append(started)
        return started

    yield study
    for started in all_started:  # if the test has failed
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
            started.communicate()


def wait_for_blocks(started: subprocess.Popen[str], folder: Path) -> None:
    while not (folder / BLOCKS).exists():
        assert started.poll() is None, started.communicate()
        time.sleep(0.01)


@POSIX
@pytest.mark.parametrize(
    ("backend", "number"),
    [
        ("threads", signal.SIGINT),
        ("loky", signal.SIGHUP),
        ("sequential", signal.SIGTERM),
    ],
)
def test_stopped_it_says_how_to_go_on(
    tmp_path: Path, study: Study, run: Run, backend: str, number: signal.Signals
) -> None:
    folder = tmp_path / "run"
    started = study(folder, "--deals=1e9", "--backend", backend)
    wait_for_blocks(started, folder)
    time.sleep(0.3)
    # Meanwhile nobody else gets in.
    status, _, refused = run(*SMALL, "--out", str(folder), "--resume")
    assert status == 1
    assert f"another ghostsim (process {started.pid} on " in refused
    os.killpg(started.pid, number)
    out, err = started.communicate(timeout=60)
    told, command = err.splitlines()
    what = "interrupted" if number == signal.SIGINT else f"ended by {number.name}"
    kept = sum(row[2] for row in blocks(folder))
    assert kept > 0
    assert told == f"{what}: {kept:,} of 1,000,000,000 deals are kept in {folder}; go on with"
    assert command.startswith("  python -m ghostsim.study seat --strategies steady --quiet")
    assert command.endswith("--resume")
    assert out == ""
    assert started.returncode == 128 + number
    assert os.listdir(folder) == [BLOCKS]


@POSIX
def test_a_study_killed_and_resumed(tmp_path: Path, study: Study, run: Run) -> None:
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    chance = random.Random(8)
    before: set[tuple[Any, ...]] = set()
    amount = "--deals=200000"
    for jobs in ("--jobs=2", "--jobs=1"):
        started = study(broken, amount, jobs, "--block-size=2000", "--resume")
        wait_for_blocks(started, broken)
        time.sleep(chance.uniform(0.05, 0.3))
        os.killpg(started.pid, signal.SIGKILL)
        out, err = started.communicate(timeout=60)
        assert (out, err) == ("", "")
        assert before <= blocks(broken)
        before = blocks(broken)
    assert not (broken / MANIFEST).exists()
    arguments = ("seat", "--strategies", "steady", amount, "--quiet", "--out")
    assert run(*arguments, str(broken), "--resume")[0] == 0
    assert run(*arguments, str(whole))[0] == 0
    assert before <= blocks(broken)
    assert files(broken) == files(whole)
