"""Calls in parallel through joblib: apart, on any backend, or by threads over shared arrays."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, TypeAlias

import joblib

#: A function with its arguments, as ``joblib.delayed`` makes it.
Call: TypeAlias = Any

#: Wraps the iterator over finished calls, given how many there will be: a progress bar.
Progress: TypeAlias = Callable[[Iterable[Any], int], Iterator[Any]]


def run_apart(
    calls: Sequence[Call], n_jobs: int | None = None, *, prefer: Literal["threads", "processes"]
) -> Iterable[Any]:
    """The results of calls, in order, as soon as they are there; each may travel elsewhere.

    Threads or processes as preferred, unless an ambient ``joblib.parallel_config`` says otherwise.
    """
    if not calls:
        return []
    try:
        pool = joblib.Parallel(n_jobs=n_jobs, prefer=prefer, return_as="generator")
    except ValueError:  # an ambient backend that hands out results only when all are there
        pool = joblib.Parallel(n_jobs=n_jobs, prefer=prefer)
    results: Iterable[Any] = pool(calls)
    return results


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


class _Gate:
    """Lets calls through until it is closed; closing waits for those that are inside."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._closed = False

    def run(self, call: Call) -> None:
        with self._changed:
            if self._closed:
                return
            self._inside += 1
        try:
            function, arguments, named = call
            function(*arguments, **named)
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.wait_for(lambda: self._inside == 0)
