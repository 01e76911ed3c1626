"""The command ``runs``: what is in run folders, and mending a damaged one."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ghostsim.simulate.block_store import BLOCKS, DAMAGED, BlockStore
from ghostsim.study.cli import main

Run = Callable[..., tuple[int, str, str]]

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
            store.write("deals", start, 50_000, np.arange(100))
        store.write("games", 0, 2_000, np.arange(50))
    about = {"study": "bid-success", "files": {}, "parameters": {"deals": 3_000, "seed": 4}}
    (parent / "done" / "manifest.json").write_text(json.dumps(about))
    (parent / "no run" / "manifest.json").write_text('{"short_name": "a web page"}')
    return parent


def test_a_folder_to_read(run: Run, folders: Path) -> None:
    size = (folders / "broken" / BLOCKS).stat().st_size
    assert run(folders / "broken") == (
        0,
        f"""\
{folders / "broken"}: seat
  code: ghostsim 0.0.0, sources 0123456789abcdef
  model: table
  seed: 7
  strategies: steady odds steady
  rules: moon_points=12
  kept: 150,000 deals in 3 blocks, with 1 gap
  kept: 2,000 games in 1 block
  size of the blocks: {size:,} bytes
  results: none yet; --resume goes on
""",
        "",
    )


def test_a_folder_of_folders(run: Run, folders: Path) -> None:
    status, out, _ = run(folders)
    assert status == 0
    broken, done = out.split("\n\n")
    assert broken.startswith(f"{folders / 'broken'}: seat\n")
    assert done == (
        f"{folders / 'done'}: bid-success\n  deals: 3000\n  seed: 4\n"
        "  results: bid-success, 3,000 deals\n"
    )


def test_for_programs(run: Run, folders: Path) -> None:
    status, out, _ = run(folders, "--format", "json")
    assert status == 0
    broken, done = json.loads(out)
    assert broken["run"] == OF
    assert broken["kept"][0] == {"simulation": "deals", "blocks": 3, "units": 150_000, "gaps": 1}
    assert (broken["results"], broken["damage"]) == (None, None)
    assert (done["bytes"], done["results"]) == (0, "bid-success, 3,000 deals")
    status, out, _ = run(folders / "done", folders / "broken", "--format", "csv")
    assert status == 0
    from io import StringIO

    frame = pd.read_csv(StringIO(out), keep_default_na=False)
    assert frame["simulation"].tolist() == ["", "deals", "games"]
    assert frame["units"].tolist() == [0, 150_000, 2_000]
    assert frame["gaps"].tolist() == [0, 1, 0]
    assert set(frame["seed"]) == {4, 7}


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
    assert f"{path} is damaged: block 2, 'deals' from 50000 on, 50000 long" in out
    assert f"'ghostsim runs {path.parent} --repair' keeps what is good in it" in out
    assert run(folders / "broken", "--format", "csv")[0] == 1
    status, out, err = run(folders, "--repair")
    assert status == 0
    assert err.splitlines() == [
        f"{path.parent}: 3 good blocks kept; the damaged file is now {path.parent / DAMAGED}; "
        "--resume runs the rest again",
        f"{folders / 'done'}: there are no blocks",
    ]
    assert "kept: 100,000 deals in 2 blocks, with 1 gap" in out
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
        ("nowhere", "there is no folder {}: name the DIR of --out, or one above"),
        ("broken/blocks.sqlite3", "{} is a file: name a run folder"),
        ("no run", "{} holds no run, and no folder in it does"),
    ],
)
def test_what_is_no_run(run: Run, folders: Path, name: str, message: str) -> None:
    status, out, err = run(folders / name)
    assert (status, out) == (2, "")
    assert message.format(folders / name) in err


def test_a_run_that_is_running_is_not_repaired(run: Run, folders: Path) -> None:
    with BlockStore.open(folders / "broken", OF):
        status, _, err = run(folders / "broken", "--repair")
    assert status == 2
    assert "is running in" in err
