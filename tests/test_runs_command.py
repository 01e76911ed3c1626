"""The command ``runs``: what is in run folders, and mending a damaged one."""

from __future__ import annotations

import io
import json
import os
import platform
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ghostsim
from ghostsim.simulate.block_store import BLOCKS, DAMAGED, LOCK, BlockStore
from ghostsim.study.cli import main
from ghostsim.study.run_words import units

Run = Callable[..., tuple[int, str, str]]
PACKAGE = Path(ghostsim.__file__).parent

OF = {
    "study": "seat",
    "seed": 7,
    "model": "table",
    "strategies": ["steady", "odds", "steady"],
    "rules": {"moon_points": 12},
    "code": "ghostsim 0.0.0, sources 0123456789abcdef",
}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process: exit status, standard output, standard error."""

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        status = main(["runs", *map(str, arguments)])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """A folder with a run that was broken off, one that is done, and what is no run."""
    parent = tmp_path / "results"
    for name in ("broken", "done", "no run"):
        (parent / name).mkdir(parents=True)
    with BlockStore.open(parent / "broken", OF) as store:
        for start in (0, 50_000, 200_000):
            store.write("deals, seed 7", start, 50_000, np.arange(100))
        store.write("games, seed 7", 0, 2_000, np.arange(50))
        store.write("swaps", 0, 1_000_000, np.arange(2))
        store.note(
            "ghostsim seat --deals 1e6 --out elsewhere --seed=7 --strategies steady odds steady"
        )
    about = {
        "study": "bid-success",
        "command": "python -m ghostsim.study bid-success --deals=3000 --seed=4",
        "files": {},
        "parameters": {"deals": 3_000, "seed": 4, "model": "solo", "revoke_detection": None},
    }
    (parent / "done" / "manifest.json").write_text(json.dumps(about))
    (parent / "no run" / "manifest.json").write_text('{"short_name": "a web page"}')
    return parent


def test_a_folder_to_read(run: Run, folders: Path) -> None:
    size = (folders / "broken" / BLOCKS).stat().st_size
    assert run(folders / "broken") == (
        0,
        f"""\
{folders / "broken"}: seat
  model: table: strategies play, as they would at a table
  seed: 7
  strategies: steady odds steady
  rules: moon_points=12
  code: ghostsim 0.0.0, sources 0123456789abcdef
  kept: 150,000 deals in 3 blocks, with 1 gap, which --resume fills
  kept: 2,000 games in 1 block
  kept: 1,000,000 deals in 1 block
  size of the blocks: {size:,} bytes
  results: none yet
  go on with: ghostsim seat --deals 1e6 --seed=7 --strategies steady odds steady --out \
{folders / "broken"} --resume
""",
        "",
    )
    assert run(folders / "done") == (
        0,
        f"""\
{folders / "done"}: bid-success
  model: solo: nobody else bids
  seed: 4
  results: bid-success, 3,000 deals
  made by: python -m ghostsim.study bid-success --deals=3000 --seed=4
""",
        "",
    )


def test_a_folder_of_folders_is_a_line_each(run: Run, folders: Path) -> None:
    (folders / "deeper" / "run").mkdir(parents=True)
    shutil.copy(folders / "done" / "manifest.json", folders / "deeper" / "run")
    (folders / "a file").write_text("odd")
    (folders / "away").symlink_to(folders / "nowhere")
    for name, text in {
        "empty": "",
        "list": "[1]",
        "odd": '{"files": 1}',
        "half": '{"study"',
    }.items():
        (folders / name).mkdir()
        (folders / name / "manifest.json").write_text(text)
    if hasattr(os, "mkfifo"):  # nothing is waited for
        (folders / "pipe").mkdir()
        os.mkfifo(folders / "pipe" / "manifest.json")
    status, out, err = run(folders)
    assert (status, err) == (0, "")
    header, broken, done, end = (re.split("  +", line) for line in out.splitlines())
    assert header == ["folder", "run", "seed", "kept", "gaps", "state", "results"]
    kept = "150,000 deals, 2,000 games, 1,000,000 deals"
    assert broken == [str(folders / "broken"), "seat", "7", kept, "1", "unfinished", "-"]
    assert done == [str(folders / "done"), "bid-success", "4", "-", "-", "done", "3,000 deals"]
    assert end == ["2 runs; 'ghostsim runs' of one folder tells all of it"]
    words = zip(out.splitlines(), ("state", "unfinished", "done"), strict=False)
    assert len({line.rindex(word) for line, word in words}) == 1


def test_for_programs(run: Run, folders: Path) -> None:
    status, out, _ = run(folders, "--format", "json")
    assert status == 0
    broken, done = json.loads(out)
    assert broken["run"] == OF
    kept = {"simulation": "deals", "seed": 7, "blocks": 3, "units": 150_000, "gaps": 1}
    assert broken["kept"][0] == kept
    assert (broken["results"], broken["damage"], broken["made_by"]) == (None, None, None)
    assert broken["go_on"].endswith(f"--out {folders / 'broken'} --resume")
    assert (done["bytes"], done["results"]) == (0, "bid-success, 3,000 deals")
    assert done["run"]["revoke_detection"] is None
    status, out, _ = run(folders / "done", folders / "broken", "--format", "csv")
    assert status == 0
    frame = pd.read_csv(io.StringIO(out), keep_default_na=False)
    assert frame["simulation"].tolist() == ["", "deals", "games", "swaps"]
    assert frame["units"].tolist() == [0, 150_000, 2_000, 1_000_000]
    assert frame["gaps"].tolist() == [0, 1, 0, 0]
    assert frame["state"].tolist() == ["done", *["unfinished"] * 3]
    assert set(frame["seed"]) == {4, 7}


def test_a_run_that_is_going_on(run: Run, folders: Path) -> None:
    process = f"process {os.getpid()} on {platform.node()}"
    with BlockStore.open(folders / "broken", OF):
        out = run(folders / "broken")[1]
        assert f"\n  running now: {process}\n" in out
        assert "\n  if it is interrupted, go on with: ghostsim seat --deals 1e6 " in out
        assert "  running  " in run(folders)[1]
        assert json.loads(run(folders, "--format=json")[1])[0]["running"] == process
        BlockStore.look(folders / "broken").close()
    assert "running" not in run(folders / "broken")[1]
    # Left by a process that was killed, whatever has its number now.
    (folders / "broken" / LOCK).write_text(process)
    assert "running" not in run(folders / "broken")[1]


def test_a_store_made_in_python(run: Run, folders: Path) -> None:
    with BlockStore.open(folders / "no run", {"what": "both bowers", "seed": 1}) as store:
        for start in (0, 5_000):
            store.write("bowers, seed 3", start, 1_000, np.arange(2))
    size = (folders / "no run" / BLOCKS).stat().st_size
    assert run(folders / "no run")[1] == (
        f"""\
{folders / "no run"}: blocks of a run made in Python; what they depend on:
  seed: 1
  what: both bowers
  kept: 2,000 units of 'bowers' of seed 3 in 2 blocks, with 1 gap, which a longer run fills
  size of the blocks: {size:,} bytes
"""
    )
    assert "made in Python" in run(folders)[1]


@pytest.mark.parametrize(("reached", "words"), [(True, "reached"), (False, "NOT reached")])
def test_whether_a_precision_was_reached(
    run: Run, folders: Path, reached: bool, words: str
) -> None:
    path = folders / "done" / "manifest.json"
    about = json.loads(path.read_text())
    about["parameters"] = {"precision": 0.01, "max_deals": 100_000, "seed": 4}
    stopping = {"n": 50_000, "counted": "deals", "precision": 0.01, "half_width": 0.009987654}
    about["stopping"] = [{**stopping, "reached": reached}]
    path.write_text(json.dumps(about))
    out = run(folders / "done")[1]
    told = f"bid-success, 50,000 deals, precision 0.01 {words} (half-width 0.00999)"
    assert f"\n  results: {told}\n" in out
    del about["stopping"]
    path.write_text(json.dumps(about))
    assert "  results: bid-success, to a precision of 0.01\n" in run(folders / "done")[1]


def test_every_simulation_of_a_study_is_told_by_what_it_counts() -> None:
    source = "".join(path.read_text() for path in (PACKAGE / "simulate").glob("*.py"))
    simulations = re.findall(
        r'Simulation\(\s+"(\w+)",.*?title=[^\n]+\n(.*?)per_block', source, re.DOTALL
    )
    assert len(simulations) > 8
    for name, options in simulations:
        unit = re.search(r'unit="([\w ]+)"', options)
        counted = "deals" if unit is None else unit[1]
        assert units(3, f"{name}, seed 0").startswith(f"3 {counted}"), name


def test_nothing_is_changed_by_looking(run: Run, folders: Path) -> None:
    path = folders / "broken" / BLOCKS
    before = path.read_bytes()
    with BlockStore.open(folders / "broken", OF):  # also while it is running
        assert run(folders)[0] == 0
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [BLOCKS]


def test_damage_is_told_and_mended(run: Run, folders: Path) -> None:
    path = folders / "broken" / BLOCKS
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE blocks SET payload = x'00' WHERE start = 50000")
    connection.close()
    damaged = path.read_bytes()
    status, out, _ = run(folders / "broken")
    assert status == 1
    assert f"{path} is damaged: block 2, 'deals, seed 7' from 50000 on, 50000 long" in out
    assert f"'ghostsim runs {path.parent} --repair' keeps what is good in it" in out
    assert run(folders / "broken", "--format", "csv")[0] == 1
    status, out, err = run(folders, "--repair")
    assert status == 0
    assert err.splitlines() == [
        f"{path.parent}: 4 good blocks kept; the damaged file is now {path.parent / DAMAGED}; "
        "--resume runs the rest again",
        f"{folders / 'done'}: there are no blocks",
    ]
    assert "  100,000 deals, 2,000 games, 1,000,000 deals  1     unfinished" in out
    assert (path.parent / DAMAGED).read_bytes() == damaged
    assert run(folders / "broken", "--repair")[2] == f"{path.parent}: no block is damaged\n"


def test_beyond_repair(run: Run, folders: Path) -> None:
    path = folders / "broken" / BLOCKS
    path.write_text("my notes")
    status, out, err = run(folders / "broken")
    assert (status, err) == (1, "")
    assert out.startswith(f"{path.parent}: a run of what cannot be told\n")
    shutil.copy(folders / "done" / "manifest.json", path.parent)
    status, out, err = run(folders / "broken", "--repair")
    assert status == 0
    assert "no good block; the damaged file is now" in err
    assert "results: bid-success, 3,000 deals" in out


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere", "there is no folder '{}': name the DIR of --out, or one above"),
        ("broken/blocks.sqlite3", "'{}' is a file: name a run folder"),
        ("no run", "'{}' holds no run, and no folder in it does"),
    ],
)
def test_what_is_no_run(run: Run, folders: Path, name: str, message: str) -> None:
    status, out, err = run(folders / name)
    assert (status, out) == (2, "")
    assert message.format(folders / name) in err


def test_a_run_that_is_running_is_not_repaired(run: Run, folders: Path) -> None:
    with BlockStore.open(folders / "broken", OF):
        status, _, err = run(folders / "broken", "--repair")
    assert status == 1
    assert "is running in" in err
