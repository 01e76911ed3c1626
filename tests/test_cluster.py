"""A real dask cluster on this computer: a scheduler and two worker processes, one of them killed.

And what every process of a cluster needs: tables that many threads ask for at once are made once.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import json
import operator
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import joblib
import numpy as np
import pytest

import ghostsim
from ghostsim import Rules, _cluster, class_odds
from ghostsim._cluster import ClusterError, ClusterWarning
from ghostsim._once import once
from ghostsim._parallel import BackendError, run_apart, use_backend
from ghostsim.simulate.runner import Runner, Simulation, SimulationError
from ghostsim.simulate.seat import simulate_seats
from ghostsim.study.cli import main
from ghostsim.study.options import Messages
from ghostsim.study.output import data_files
from ghostsim.study.registry import find_study
from ghostsim.study.result import Parameters

distributed = pytest.importorskip("distributed", reason="pip install 'ghostsim[cluster]'")
cloudpickle = pytest.importorskip("cloudpickle")  # which comes with it

#: Seconds after which something of these tests hangs.
HANGS = 60

SEAT = ["seat", "--strategies", "steady", "--deals", "150_000", "--block-size", "1_500", "--quiet"]


class Cluster:
    """A scheduler and its workers: processes that end with the test, whatever happens."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self._start("scheduler", "dask_scheduler", "--port", "0", "--host", "127.0.0.1")
        found = folder / "scheduler.json"
        wait_until(lambda: found.exists() and found.stat().st_size > 0)
        self.address: str = json.loads(found.read_text())["address"]

    def add_worker(self, name: str) -> subprocess.Popen[bytes]:
        """A worker with one thread, of this name."""
        options = ["--nthreads", "1", "--no-nanny", "--name", name]
        return self._start(
            name, "dask_worker", self.address, *options, "--local-directory", str(self._folder)
        )

    def _start(self, name: str, module: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{module}", *options, "--no-dashboard"]
        if module == "dask_scheduler":
            command += ["--scheduler-file", str(self._folder / "scheduler.json")]
        with (self._folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                env=os.environ | {"PYTHONPATH": str(Path(ghostsim.__file__).parents[1])},
            )
        self._processes.append(process)
        return process

    def stop(self) -> None:
        for process in reversed(self._processes):
            process.kill()
            process.wait(HANGS)


def wait_until(there: Any) -> None:
    end = time.monotonic() + HANGS
    while not there():
        assert time.monotonic() < end, "it hangs"
        time.sleep(0.02)


@contextlib.contextmanager
def client_of(address: str) -> Iterator[Any]:
    client = distributed.Client(address, set_as_default=False)
    try:
        yield client
    finally:
        client.close()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler with one worker, which stays."""
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        made.add_worker("stays")
        with client_of(made.address) as client:
            client.wait_for_workers(1, timeout=HANGS)
        yield made
    finally:
        made.stop()


def results(folder: Path) -> dict[str, bytes]:
    """What a run folder holds for people. Its store of blocks is a database: it has no order."""
    return {
        path.name: path.read_bytes()
        for path in sorted(folder.iterdir())
        if not path.name.startswith("blocks.")
    }


@contextlib.contextmanager
def started(
    cluster: Cluster, arguments: list[str], folder: Path
) -> Iterator[subprocess.Popen[str]]:
    """A study that runs on the cluster."""
    command = [sys.executable, "-m", "ghostsim.study", *arguments, "--out", str(folder)]
    run = subprocess.Popen(
        [*command, "--backend", "dask", "--scheduler", cluster.address],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield run
    finally:
        run.kill()
        run.communicate(timeout=HANGS)


def late_block(keys: Any) -> bool:
    """Whether a worker has one that is sent only when others are done: a dozen go out at once."""
    return any(int(key.rsplit("-", 1)[1]) > 15 for key in keys if key.startswith("ghostsim"))


# ------------------------------------------------------------------------------------ the cluster


def test_a_killed_worker_changes_no_byte(cluster: Cluster, tmp_path: Path) -> None:
    with client_of(cluster.address) as client:
        before = set(client.nthreads())
        doomed = cluster.add_worker("doomed")
        client.wait_for_workers(2, timeout=HANGS)
        (its_address,) = set(client.nthreads()) - before
        # Both have compiled by now what they need: otherwise one might do all the work.
        client.run(simulate_seats, ["steady"] * 3, 3_000, 600)
        with started(cluster, SEAT, tmp_path / "cluster") as run:
            wait_until(
                lambda: late_block(client.processing()[its_address]) or run.poll() is not None
            )
            doomed.kill()
            assert run.poll() is None  # it was in mid-run
            printed, said = run.communicate(timeout=HANGS)
    assert (run.returncode, said) == (0, "")
    assert main([*SEAT, "--backend", "sequential", "--out", str(tmp_path / "alone")]) == 0
    alone = results(tmp_path / "alone")
    assert {"manifest.json", "positions.csv", "seat_values.svg"} <= set(alone)
    assert results(tmp_path / "cluster") == alone
    assert "dealer" in printed


def test_an_interrupted_run_leaves_the_cluster_idle_and_can_go_on(
    cluster: Cluster, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    with client_of(cluster.address) as client:
        with started(cluster, [*SEAT, "--deals", "40_000_000"], folder) as run:
            wait_until(lambda: any(map(late_block, client.processing().values())))
            run.send_signal(signal.SIGINT)
            printed, said = run.communicate(timeout=HANGS)
        assert (run.returncode, printed) == (130, "")
        assert said.count("\n") <= 3, said  # of us, not of dask
        assert "Traceback" not in said
        wait_until(lambda: not any(client.processing().values()))
    assert main([*SEAT, "--backend", "sequential", "--out", str(folder), "--resume"]) == 0
    assert main([*SEAT, "--backend", "sequential", "--out", str(tmp_path / "alone")]) == 0
    assert results(folder) == results(tmp_path / "alone")


def test_an_ambient_client_is_used_and_precision_stops_at_the_same_deal(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted: Any = functools.partial(simulate_seats, ["steady"] * 3, 400_000, 100)
    alone = Runner(precision=0.1, backend="sequential")
    expected = wanted(runner=alone)
    ambient = Runner(precision=0.1, block_size=7_000)
    with distributed.Client(cluster.address) as client, joblib.parallel_config("dask"):
        client.wait_for_workers(1, timeout=HANGS)
        submit = Mock(wraps=client.submit)
        monkeypatch.setattr(client, "submit", submit)
        assert wanted(runner=ambient) == expected
        assert submit.call_count > 10  # it was done there
        wait_until(lambda: not any(client.processing().values()))  # what was sent is taken back
    there, here = (
        [(stop.n, stop.looks, stop.estimate) for stop in runner.stops]
        for runner in (ambient, alone)
    )
    assert there == here
    assert alone.stops[0].reached
    assert alone.stops[0].n < 400_000


def test_every_backend_with_every_number_of_jobs_and_blocks(cluster: Cluster) -> None:
    # The whole product for one study; tests/test_same_bytes.py has the others, and the processes.
    study = find_study("tie-break")
    asked = Parameters(games=403, seed=5, model="table", strategies=("steady", "novice", "steady"))

    def tables(runner: Runner) -> dict[str, bytes]:
        return data_files(study.run(asked, Messages(quiet=True), runner))

    expected = tables(Runner(backend="sequential"))
    for backend, scheduler in (
        ("threads", None),
        ("loky", None),
        ("sequential", None),
        ("dask", cluster.address),
    ):
        for n_jobs in (1, 2, -1):
            for block_size in (40, 137, 10_000):
                runner = Runner(n_jobs, backend, scheduler, block_size)
                assert tables(runner) == expected, runner


def test_many_small_calls_come_back_in_order_or_as_they_are_done(cluster: Cluster) -> None:
    calls = [functools.partial(operator.mul, i, i) for i in range(300)]
    with use_backend("dask", scheduler=cluster.address):
        assert list(run_apart(calls, prefer="threads")) == [i * i for i in range(300)]
        found = list(run_apart(calls, prefer="threads", in_order=False))
    assert sorted(found) == [i * i for i in range(300)]


def test_calls_are_asked_for_only_as_fast_as_they_are_done(cluster: Cluster) -> None:
    asked = 0

    def endless() -> Iterator[Any]:
        nonlocal asked
        while True:
            asked += 1
            yield functools.partial(operator.add, 1, 1)

    with use_backend("dask", scheduler=cluster.address):
        found = run_apart(endless(), prefer="threads")
        assert [next(found) for _ in range(5)] == [2] * 5
        found.close()
    assert asked < 40


def test_an_error_of_a_call_is_raised_here(cluster: Cluster) -> None:
    with (
        use_backend("dask", scheduler=cluster.address),
        pytest.raises(ghostsim.errors.GhostsimError, match="there is no study 'moons'"),
    ):
        list(run_apart([functools.partial(find_study, "moons")], prefer="threads"))


def test_a_worker_with_another_version_is_refused(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_cluster, "program_fingerprint", lambda: "edited")
    with (
        use_backend("dask", scheduler=cluster.address),
        pytest.raises(ClusterError, match="another version of ghostsim"),
    ):
        list(run_apart([functools.partial(operator.add, 1, 1)], prefer="threads"))


#: A block in a file of the user's own, which no worker has.
MODULE = """
import numpy as np

def block(seed, start, count):
    return np.array([count, seed])

def fails(seed, start, count):
    import a_package_of_nobody
"""


def test_a_block_of_a_module_that_workers_do_not_have(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "blocks_of_mine.py"
    file.write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    mine = importlib.import_module("blocks_of_mine")
    counting = Simulation("units", mine.block, per_block=10)
    runner = Runner(scheduler=cluster.address)
    says = r"cannot import what the work needs \(No module named 'blocks_of_mine'\).*upload_file"
    with pytest.raises(ClusterError, match=says):
        runner.run(counting, 100, seed=3)
    with client_of(cluster.address) as client:
        client.upload_file(str(file))
    assert runner.run(counting, 100, seed=3).sums.tolist() == [100, 30]
    # What a block itself cannot import is its own error.
    with pytest.raises(ModuleNotFoundError, match="a_package_of_nobody"):
        runner.run(Simulation("units", mine.fails), 100, seed=3)


def test_the_page_runs(
    cluster: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = (Path(__file__).parents[1] / "docs" / "cluster.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0]
    smaller = {
        "tcp://HOST:8786": cluster.address,
        "10**9": "400",
        "2 * 10**8": "40",
        "10**6": "100",
        '"odds"': '"steady"',
    }
    for large, small in smaller.items():
        assert large in code
        code = code.replace(large, small)
    monkeypatch.chdir(tmp_path)
    exec(code, {"__name__": "__main__"})
    said = capsys.readouterr().out
    assert said.count("95% normal interval, 400 deals, table(steady)") == 3
    assert (tmp_path / "seats" / "blocks.sqlite3").exists()


def gives_floats(seed: int, start: int, count: int) -> Any:
    return np.ones(2)


def test_what_a_block_gives_is_checked(
    cluster: Cluster,
) -> None:
    module = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(module)  # a script's own functions travel like this
    try:
        with pytest.raises(SimulationError, match="'units' gave an array of float64"):
            Runner(scheduler=cluster.address).run(Simulation("units", gives_floats), 9, seed=3)
    finally:
        cloudpickle.unregister_pickle_by_value(module)


def test_a_scheduler_without_workers_and_one_that_dies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = functools.partial(operator.add, 1, 1)
    empty = Cluster(tmp_path)
    try:
        monkeypatch.setattr(_cluster, "PATIENCE", 0.2)
        with (
            use_backend("dask", scheduler=empty.address),
            pytest.raises(ClusterError, match=r"no workers for 0\.2 seconds: start some"),
        ):
            list(run_apart([call], prefer="threads"))
        monkeypatch.setattr(_cluster, "PATIENCE", HANGS)
        monkeypatch.setattr(_cluster, "SILENCE", 0.2)
        with use_backend("dask", scheduler=empty.address):
            threading.Timer(2, empty.stop).start()
            says = f"{empty.address} has no workers: waiting for some, for {HANGS} seconds in all"
            with (
                pytest.raises(ClusterError, match="is gone"),
                pytest.warns(ClusterWarning, match=says) as told,
            ):
                list(run_apart([call], prefer="threads"))
            assert len(told) == 1
    finally:
        empty.stop()


# ----------------------------------------------------------------------------- without a cluster


def test_a_scheduler_that_is_not_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_cluster, "CONNECT", 0.2)
    assert main([*SEAT, "--scheduler", "tcp://127.0.0.1:9"]) == 1
    said = capsys.readouterr().err
    assert "no dask scheduler answers at 'tcp://127.0.0.1:9'" in said
    assert said.count("\n") == 1


def test_dask_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(ClusterError, match=r"pip install 'ghostsim\[cluster\]'"),
        use_backend("dask"),
    ):
        pass
    assert main([*SEAT, "--backend", "dask"]) == 2  # which is to be mended before it is said again


@pytest.mark.parametrize(
    ("name", "scheduler", "says"),
    [
        ("clouds", None, "no backend 'clouds': there are dask, loky, multiprocessing, processes"),
        ("dask", None, "needs a scheduler: give its address"),
        ("loky", "tcp://127.0.0.1:9", "a scheduler is for the backend 'dask', not for 'loky'"),
    ],
)
def test_backends_that_cannot_be_used(name: str, scheduler: str | None, says: str) -> None:
    with pytest.raises(BackendError, match=says), use_backend(name, scheduler=scheduler):
        pass


# ------------------------------------------------------------------------- many threads, one table


def test_threads_that_ask_at_once_make_a_table_once() -> None:
    made = []

    @once()
    def table(size: int) -> object:
        time.sleep(0.05)
        made.append(size)
        return object()

    found = in_threads(lambda: table(3))
    assert made == [3]
    assert len(set(map(id, found))) == 1


def test_the_odds_of_all_hands_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []

    def count(*_: Any, **__: Any) -> Any:
        counted.append(1)
        time.sleep(0.05)
        return np.zeros((18_133, 4, 7), dtype=np.int64)

    monkeypatch.setattr(class_odds, "class_counts", count)
    monkeypatch.setattr(class_odds, "swap_totals", count)
    rules = Rules(moon_points=23, target=17)  # which no other test asks for
    in_threads(lambda: class_odds.class_odds(rules))
    assert len(counted) == 1
    in_threads(lambda: class_odds.class_swap_totals(rules))
    assert len(counted) == 2


def in_threads(ask: Any) -> list[Any]:
    """What eight threads get that ask at the same moment."""
    ready, found = threading.Barrier(8), []

    def run() -> None:
        ready.wait(HANGS)
        found.append(ask())

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANGS)
    return found


# ------------------------------------------------------------------------------------- long blocks


def test_a_long_block_is_run_in_parts_of_the_usual_size() -> None:
    parts = []

    def block(seed: int, start: int, count: int) -> Any:
        parts.append(count)
        return np.array([seed * count, sum(range(start, start + count))])

    long = Simulation("numbers", block, per_block=7).in_parts()
    for start, count in ((3, 20), (0, 21), (5, 7), (9, 1)):
        assert long(2, start, count).tolist() == [2 * count, sum(range(start, start + count))]
    assert parts == [7, 7, 6, 7, 7, 7, 7, 1]
