"""Calls in parallel through joblib, which only this module knows: apart, or over shared arrays."""

from __future__ import annotations

import contextlib
import functools
import itertools
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import resource_tracker
from typing import Any, Literal, TypeAlias

import joblib
from joblib.externals.loky.backend import resource_tracker as loky_tracker
from joblib.parallel import BACKENDS, EXTERNAL_BACKENDS, get_active_backend

from ghostsim import _cluster
from ghostsim.errors import GhostsimError

#: A function with its arguments: a ``functools.partial``, so that it can travel.
Call: TypeAlias = Callable[[], Any]

#: Wraps the iterator over finished calls, given how many there will be: a progress bar.
Progress: TypeAlias = Callable[[Iterable[Any], int], Iterator[Any]]


def run_apart(
    calls: Iterable[Call],
    n_jobs: int | None = None,
    *,
    prefer: Literal["threads", "processes"],
    in_order: bool = True,
) -> Generator[Any, None, None]:
    """The results of calls as soon as they are there; each call may travel elsewhere.

    Threads or processes as preferred, unless an ambient ``joblib.parallel_config`` says otherwise.
    Calls are asked for only as fast as they are done. Closed early, or interrupted, it waits for
    those that run in threads of this process.
    """
    backend, _ = get_active_backend(prefer=prefer)
    if isinstance(backend, BACKENDS.get("dask", ())):
        yield from _cluster.run_on_workers(
            backend.client, calls, in_order=in_order, patience=backend.wait_for_workers_timeout
        )
        return
    gate = _Gate()
    here = getattr(backend, "supports_sharedmem", False)
    wanted = True

    def jobs() -> Iterator[Any]:
        for call in calls:
            if not wanted:
                return
            yield joblib.delayed(functools.partial(gate.run, call) if here else call)()

    try:
        pool = joblib.Parallel(
            n_jobs=n_jobs,
            prefer=prefer,
            return_as="generator" if in_order else "generator_unordered",
        )
    except ValueError:  # an ambient backend that hands out results only when all are there
        pool = joblib.Parallel(n_jobs=n_jobs, prefer=prefer)
        some = 4 * joblib.effective_n_jobs(n_jobs)
        more = jobs()
        batches = iter(lambda: list(itertools.islice(more, some)), [])
        results: Generator[Any, None, None] = (
            result for batch in batches for result in pool(batch)
        )
    else:
        with _deaf_children(isinstance(backend, BACKENDS["loky"])):
            results = pool(jobs())
    try:
        for result in results:  # noqa: UP028  # "yield from" would close the results as well
            yield result
    except GeneratorExit:
        # No more is wanted. What has been sent out already is waited for: joblib would warn.
        wanted = False
        gate.close()
        with contextlib.suppress(Exception):  # which is of no interest any more
            for _ in results:
                pass
        raise
    except BaseException as error:
        # The caller was interrupted, or the calls were: what runs elsewhere is not waited for.
        with contextlib.suppress(BaseException):
            results.throw(error)
        if isinstance(error, BrokenProcessPool):
            raise LostWorkerError(
                "a worker process has ended in the middle of its work: it was killed, perhaps for "
                "want of memory, or a strategy ended it; fewer --jobs need less memory"
            ) from error
        raise
    finally:
        gate.close()


def run_shared(
    calls: Sequence[Call], n_jobs: int | None = None, progress: Progress | None = None
) -> None:
    """Run kernels that all write to one array and release the GIL.

    Interrupted, it waits for the kernels that are running: a program that ended meanwhile would
    take their compiled code away from under them.
    """
    gate = _Gate()
    pool = joblib.Parallel(
        n_jobs=n_jobs, prefer="threads", require="sharedmem", return_as="generator"
    )
    try:
        finished = pool([joblib.delayed(gate.run)(call) for call in calls])
        for _ in progress(finished, len(calls)) if progress else finished:
            pass
    finally:
        gate.close()


#: What backends are called here, beside joblib's own names for them.
_BACKENDS = {"threads": "threading", "processes": "loky"}


class BackendError(GhostsimError):
    """A backend that is not known, or that lacks what it needs."""


class LostWorkerError(GhostsimError):
    """A process that computed blocks is gone."""

    exit_status = 1


@contextlib.contextmanager
def use_backend(
    name: str | None, n_jobs: int | None = None, scheduler: str | None = None
) -> Iterator[None]:
    """What runs calls apart meanwhile; without a name, what is there already.

    Parameters
    ----------
    name : str, optional
        ``"threads"``, ``"loky"``, ``"sequential"``, ``"dask"``, or any that joblib knows.
    n_jobs : int, optional
        As joblib counts them; on dask all threads of all workers are used, whatever it is.
    scheduler : str, optional
        The address of a dask scheduler, like ``tcp://127.0.0.1:8786``. Without one the backend
        ``"dask"`` takes the client that the caller has made.

    Raises
    ------
    BackendError
        If there is no such backend, or no client for dask.
    ClusterError
        If dask is not installed, or no scheduler answers.
    """
    if name is None and scheduler is None:
        yield
        return
    if scheduler is not None and name not in (None, "dask"):
        raise BackendError(f"a scheduler is for the backend 'dask', not for {name!r}")
    with contextlib.ExitStack() as stack:
        settings: dict[str, Any] = {}
        if scheduler is not None:
            settings["client"] = stack.enter_context(_cluster.connected(scheduler))
            settings["wait_for_workers_timeout"] = _cluster.PATIENCE
        stack.enter_context(_configured(name or "dask", n_jobs, settings))
        yield


def _configured(
    name: str, n_jobs: int | None, settings: dict[str, Any]
) -> contextlib.AbstractContextManager[Any]:
    """joblib told to use a backend; its errors in our words."""
    if name == "dask":
        _cluster.check_installed()
    backend = _BACKENDS.get(name, name)
    if backend not in {*BACKENDS, *EXTERNAL_BACKENDS}:
        joblib_names = {*BACKENDS, *EXTERNAL_BACKENDS} - {*_BACKENDS.values()}
        known = sorted({*_BACKENDS, "loky"} | joblib_names)
        raise BackendError(f"there is no backend {name!r}: there are {', '.join(known)}")
    try:
        config: contextlib.AbstractContextManager[Any] = joblib.parallel_config(
            backend=backend, n_jobs=n_jobs, **settings
        )
    except ValueError as error:
        if name != "dask":
            raise BackendError(f"the backend {name!r} cannot be used: {error}") from error
        raise BackendError(
            "the backend 'dask' needs a scheduler: give its address, like tcp://127.0.0.1:8786, or "
            "make a distributed.Client first"
        ) from error
    return config


@contextlib.contextmanager
def _deaf_children(processes: bool) -> Iterator[None]:
    """Have processes that start meanwhile not hear Ctrl-C and the hang-up of a terminal, which all
    its processes get: they would print what they were doing. It is for this one to end them.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    deaf_to = (signal.SIGINT, signal.SIGHUP)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, deaf_to)
    try:
        if processes:  # their resource trackers let signals through once they are started
            resource_tracker.ensure_running()
            loky_tracker.ensure_running()
            signal.pthread_sigmask(signal.SIG_BLOCK, deaf_to)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Unwanted(Exception):  # noqa: N818  # no error: nobody sees it
    """Ends a call whose result nobody waits for any more."""


def go_on_if_wanted() -> None:
    """To be asked now and then by a call that takes long: ends it after an interrupt.

    Raises
    ------
    Unwanted
        If the call runs in a thread of this process and its result is not waited for any more.
    """
    gate = getattr(_inside, "gate", None)
    if gate is not None and gate.is_closed:
        raise Unwanted


#: Of a thread: the gate through which it has come.
_inside = threading.local()


class _Gate:
    """Lets calls through until it is closed; closing waits for those that are inside."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._closed = False

    def run(self, call: Call) -> Any:
        with self._changed:
            if self._closed:
                return None
            self._inside += 1
        outer, _inside.gate = getattr(_inside, "gate", None), self
        try:
            return call()
        except Unwanted:
            return None
        finally:
            _inside.gate = outer
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @property
    def is_closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.wait_for(lambda: self._inside == 0)
