"""Threads over shared arrays, whatever backend is the ambient one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import joblib

#: A function with its arguments, as ``joblib.delayed`` makes it.
Call: TypeAlias = Any

#: Wraps the iterator over finished calls, given how many there will be: a progress bar.
Progress: TypeAlias = Callable[[Iterable[Any], int], Iterator[Any]]


def run_shared(
    calls: Sequence[Call], n_jobs: int | None = None, progress: Progress | None = None
) -> None:
    """Run kernels that all write to one array and release the GIL."""
    pool = joblib.Parallel(
        n_jobs=n_jobs, prefer="threads", require="sharedmem", return_as="generator"
    )
    finished = pool(calls)
    for _ in progress(finished, len(calls)) if progress else finished:
        pass
