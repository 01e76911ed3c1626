"""The same tables, byte for byte: any jobs, backend, block size, hash seed, and state of the cache.

Every study is in the matrix. Which of them is in which cell is a matter of time: what a study has
to tabulate first, each process does for itself.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ghostsim.simulate.runner import Runner
from ghostsim.simulate.tournament import play_tournament
from ghostsim.study.options import Messages
from ghostsim.study.output import csv_text, data_files
from ghostsim.study.registry import STUDIES
from ghostsim.study.result import Parameters

SEATS = ("steady", "novice", "steady:four=6")
#: What is asked: few, and not a whole number of any block below.
AMOUNTS = {
    "swap-value": 5_003,
    "bid-success": 2_003,
    "defence-model": 1_003,
    "seat": 607,
    "game-length": 203,
    "tie-break": 1_507,
    "revoke": 103,
    "moon": 53,
    "variants": 103,
}
#: These play by rules of thumb, with nothing to tabulate: cheap in any process.
PLAYED = ("seat", "game-length", "tie-break", "variants")


def parameters(name: str, **more: Any) -> Parameters:
    study = STUDIES[name]
    amount: dict[str, Any] = {study.unit: AMOUNTS[name]}
    return Parameters(
        **(amount | more),
        seed=11,
        model=study.models[0],
        strategies=SEATS if study.is_played else None,
    )


def digests(name: str, runner: Runner, **more: Any) -> dict[str, str]:
    """All tables of a study as CSV; of each the hash of its bytes."""
    result = STUDIES[name].run(parameters(name, **more), Messages(quiet=True), runner)
    return {
        file: hashlib.sha256(content).hexdigest() for file, content in data_files(result).items()
    }


_ALONE: dict[str, dict[str, str]] = {}


def alone(name: str) -> dict[str, str]:
    """What one job gives, one block after the other."""
    if name not in _ALONE:
        _ALONE[name] = digests(name, Runner(n_jobs=1, backend="sequential"))
    return _ALONE[name]


def test_every_study_is_asked() -> None:
    assert set(AMOUNTS) == set(STUDIES)


@pytest.mark.parametrize("name", AMOUNTS)
def test_threads_and_small_blocks(name: str) -> None:
    size = max(2, AMOUNTS[name] // 7)
    assert digests(name, Runner(n_jobs=2, backend="threads", block_size=size)) == alone(name)


@pytest.mark.parametrize("name", PLAYED)
@pytest.mark.parametrize(
    "how",
    [
        {"n_jobs": 1, "block_size": 37},
        {"n_jobs": -1, "backend": "threads", "block_size": 64},
        {"n_jobs": 2, "backend": "sequential", "block_size": 1_000_000},
    ],
    ids=lambda how: "-".join(map(str, how.values())),
)
def test_jobs_backends_and_blocks(name: str, how: dict[str, Any]) -> None:
    # tests/test_cluster.py takes one study through every backend with every number of jobs.
    assert digests(name, Runner(**how)) == alone(name)


@pytest.mark.parametrize("name", ["seat", "variants", "defence-model"])
def test_other_processes(name: str) -> None:
    runner = Runner(n_jobs=2, backend="loky", block_size=max(2, AMOUNTS[name] // 3))
    assert digests(name, runner) == alone(name)


#: Half-widths that take some looks, but not all that are allowed.
PRECISIONS = {
    "swap-value": (0.04, 300_000),
    "tie-break": (0.0016, 90_000),
}


@pytest.mark.parametrize("name", PRECISIONS)
def test_the_stopping_point(name: str) -> None:
    precision, most = PRECISIONS[name]
    asked = {STUDIES[name].unit: most, "precision": precision}
    one = Runner(n_jobs=1, backend="sequential")
    tables = digests(name, one, **asked)
    assert "stopping.csv" in tables
    (stop,) = one.stops
    assert stop.looks > 1 and stop.reached and stop.n < most
    for other in (Runner(n_jobs=2, block_size=700), Runner(n_jobs=-1, block_size=10**6)):
        assert digests(name, other, **asked) == tables
        assert (other.stops[0].n, other.stops[0].looks) == (stop.n, stop.looks)
    # As many as it took, asked for as a fixed number, give all other tables.
    fixed = digests(name, Runner(n_jobs=2), **{STUDIES[name].unit: stop.n})
    del tables["stopping.csv"]
    assert tables == fixed


def test_a_tournament() -> None:
    def tables(**how: Any) -> dict[str, str]:
        found = play_tournament(["steady", "novice", "random"], 1_203, runner=Runner(**how))
        return {name: csv_text(frame) for name, frame in found.frames().items()}

    one = tables(n_jobs=1, backend="sequential")
    for how in (
        {"n_jobs": 2, "backend": "threads", "block_size": 100},
        {"n_jobs": -1, "block_size": 1_100},  # longer than there are groups of sets
        {"n_jobs": 2, "backend": "loky", "block_size": 333},
    ):
        assert tables(**how) == one


# ---------------------------------------------------------------- the process, and what it finds


def in_a_process(name: str, **environment: str) -> dict[str, str]:
    """A study in a Python of its own, through the command line: its tables as files."""
    study = STUDIES[name]
    folder = environment.pop("folder")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "ghostsim.study", name, "--quiet", "--out", folder),
            *(f"--{study.unit}={AMOUNTS[name]}", "--seed=11", "--jobs=2"),
            *(("--strategies", *SEATS) if study.is_played else ()),
        ],
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in Path(folder).glob("*.csv")
    }


@pytest.mark.parametrize(("name", "hash_seed"), [("variants", "0"), ("game-length", "12345")])
def test_hash_seeds(name: str, hash_seed: str, tmp_path: Path) -> None:
    found = in_a_process(name, folder=str(tmp_path / "out"), PYTHONHASHSEED=hash_seed)
    assert found == alone(name)


def test_a_cold_cache(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    found = in_a_process("bid-success", folder=str(tmp_path / "out"), GHOSTSIM_CACHE_DIR=str(cache))
    assert found == alone("bid-success")
    assert any(cache.rglob("*.nbi"))  # it was compiled, and for the next time
