"""Calls on the workers of a dask cluster, which only this module knows.

joblib could send them there itself, but it counts the workers once, at the start; it leaves with
the scheduler what is no longer wanted; and it does not notice workers that run another program.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import time
import uuid
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, ClassVar, TypeAlias

from ghostsim._program import program_fingerprint
from ghostsim.errors import GhostsimError

#: What this module needs of ``distributed.Client``, which has no types of its own.
Client: TypeAlias = Any

#: Seconds after which a scheduler that does not answer is not there.
CONNECT = 10
#: Seconds that a scheduler without workers is waited for.
PATIENCE = 60
#: Seconds of these after which it is said that there are none.
SILENCE = 5.0
#: How often, in seconds, the workers are counted: they come and go.
_COUNT_EVERY = 1.0
#: Calls under way beside two for each thread: on a small cluster they hide the time of travel.
_MORE = 8


class ClusterError(GhostsimError):
    """A cluster that is not there, has no workers, or runs another program."""

    exit_status: ClassVar[int] = 1


class NoDaskError(ClusterError):
    """dask is not installed."""

    exit_status: ClassVar[int] = 2


class ClusterWarning(UserWarning):
    """A scheduler that has no workers: it is waited for some."""


@contextlib.contextmanager
def connected(address: str) -> Iterator[Client]:
    """A client of the scheduler at an address.

    Raises
    ------
    ClusterError
        If dask is not installed, or no scheduler answers.
    """
    check_installed()
    import distributed

    connect: Any = distributed.Client
    # A lost worker is no news to our user, and all else becomes an error.
    logger = logging.getLogger("distributed.client")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        client = connect(address, timeout=CONNECT, set_as_default=False, name="ghostsim")
    except (OSError, ValueError) as error:
        logger.setLevel(level)
        raise ClusterError(
            f"no dask scheduler answers at {address!r}: start one with 'dask scheduler', which "
            "prints its address, like tcp://127.0.0.1:8786"
        ) from error
    try:
        yield client
    finally:
        client.close(timeout=2)
        logger.setLevel(level)


def check_installed() -> None:
    """An error that tells what to install if there is no dask."""
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise NoDaskError(
            "the backend 'dask' needs the package distributed: pip install 'ghostsim[cluster]'"
        ) from error


def run_on_workers(
    client: Client,
    calls: Iterable[Callable[[], Any]],
    *,
    in_order: bool,
    patience: float = PATIENCE,
) -> Generator[Any, None, None]:
    """The results of calls that the workers of a cluster run.

    Two calls for each thread of the cluster, and a few more, are under way at a time, however many
    workers there are by then. What a worker had when it died is run again elsewhere. Closed early,
    or interrupted, it takes back all calls that no worker has begun.

    Parameters
    ----------
    client : distributed.Client
    calls : iterable of callable
        They must travel: partials of functions whose modules the workers have.
    in_order : bool
        Whether results come in the order of the calls, or as soon as they are there.
    patience : float
        Seconds without any worker after which to give up.

    Raises
    ------
    ClusterError
        If there are no workers, if they have another version of this package, if they cannot
        import what a call needs, if they die of a call, or if the scheduler is gone.
    """
    from distributed.protocol import pickle

    pack: Any = pickle.dumps
    finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
    run = uuid.uuid4().hex
    numbered = enumerate(calls)
    workers = _Workers(client, patience)
    sent: dict[str, tuple[int, Any]] = {}
    waiting: dict[int, Any] = {}
    following = 0
    try:
        while True:
            for number, call in numbered:
                future = client.submit(
                    _run_here,
                    program_fingerprint(),
                    pack(call),  # for the scheduler not to import what it is made of
                    key=f"ghostsim-{run}-{number}",
                    pure=False,
                )
                sent[future.key] = number, future
                future.add_done_callback(finished.put)
                if len(sent) >= 2 * workers.threads() + _MORE:
                    break
            if not sent:
                return
            for future, result in _results(client, _some(finished, workers)):
                number, _ = sent.pop(future.key)
                if not in_order:
                    yield result
                    continue
                waiting[number] = result
                while following in waiting:
                    yield waiting.pop(following)
                    following += 1
    finally:
        if sent and client.status == "running":
            client.cancel([future for _, future in sent.values()])


def _run_here(sender: str, packed: bytes) -> Any:
    """Run a call on a worker. What it runs in parallel itself stays on this worker."""
    if program_fingerprint() != sender:
        raise ClusterError(
            "a worker of the cluster has another version of ghostsim than this computer, so its "
            "numbers might differ: install the same on all, then start the workers again"
        )
    from ghostsim._parallel import use_backend

    call = _unpacked(packed)
    with use_backend("threads", n_jobs=1):
        return call()


def _unpacked(packed: bytes) -> Callable[[], Any]:
    from distributed.protocol import pickle

    unpack: Any = pickle.loads
    try:
        call: Callable[[], Any] = unpack(packed)
    except (ImportError, AttributeError) as error:  # no such module, or an older one
        raise ClusterError(
            f"a worker of the cluster cannot import what the work needs ({error}). If it is a file "
            "of yours, give it to the workers with client.upload_file('FILE.py'), or start them "
            "with its folder in PYTHONPATH; if it is a package, install it on all of them"
        ) from error
    return call


class _Workers:
    """Counts the threads of a cluster now and then; loses patience if there are none."""

    def __init__(self, client: Client, patience: float) -> None:
        self._client, self._patience = client, patience
        self._threads = 0
        self._counted = -_COUNT_EVERY
        self._last_seen = time.monotonic()
        self._told = False

    def threads(self) -> int:
        """Threads of all workers, at most a second ago."""
        now = time.monotonic()
        if now - self._counted >= _COUNT_EVERY and self._client.status == "running":
            with _gone_is_an_error(self._client):
                self._threads = sum(self._client.nthreads().values())
            self._counted = now
        if self._threads:
            self._last_seen = now
        elif now - self._last_seen > self._patience:
            raise ClusterError(
                f"the scheduler {self._client.scheduler.address} has had no workers for "
                f"{self._patience:g} seconds: start some with 'dask worker ADDRESS', and this "
                "again"
            )
        elif now - self._last_seen > SILENCE and not self._told:
            self._told = True
            address = self._client.scheduler.address
            warnings.warn(
                f"the scheduler {address} has no workers: waiting for some, for "
                f"{self._patience:g} seconds in all. 'dask worker {address}' starts one",
                ClusterWarning,
                stacklevel=2,
            )
        return self._threads


def _some(finished: queue.SimpleQueue[Any], workers: _Workers) -> list[Any]:
    """Futures that are done, one or more; waits for the first."""
    while True:
        try:
            done = [finished.get(timeout=_COUNT_EVERY)]
        except queue.Empty:
            workers.threads()
            continue
        with contextlib.suppress(queue.Empty):
            while True:
                done.append(finished.get_nowait())
        return done


def _results(client: Client, futures: list[Any]) -> list[tuple[Any, Any]]:
    """Futures that are done, each with its result, fetched together."""
    for future in futures:
        if future.status == "error":
            raise _told(future.exception()).with_traceback(future.traceback())
    with _gone_is_an_error(client):
        found = list(zip(futures, client.gather(futures), strict=True))
    for future in futures:
        future.release()
    return found


@contextlib.contextmanager
def _gone_is_an_error(client: Client) -> Iterator[None]:
    from distributed import CancelledError

    try:
        yield
    except (CancelledError, OSError) as error:
        raise ClusterError(
            f"the dask scheduler {client.scheduler.address} is gone: start it and its workers "
            "again, then this"
        ) from error


def _told(error: BaseException) -> BaseException:
    """What went wrong on a worker, in words where it is the cluster's fault."""
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        return ClusterError(
            f"{error.allowed_failures + 1} workers died one after the other of the same piece of "
            "work: perhaps they have too little memory, see their logs"
        )
    if isinstance(error, ImportError | AttributeError) and "ghostsim" in str(error):
        return ClusterError(
            f"a worker, or the scheduler, cannot read the work sent to it ({error}): install the "
            "same version of ghostsim on all of them"
        )
    return error
