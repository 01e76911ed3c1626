"""Deals in blocks: whole-number sums that add up to the same total however they are computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import joblib
import numpy as np
from numpy.typing import NDArray

from ghostsim._parallel import Progress, run_apart

#: Deals a block: a good part of a second of work.
DEALS_PER_BLOCK = 50_000

#: The sums of deals ``start`` to ``start + count`` of a seed; int64, one entry a sum.
Block = Callable[[int, int, int], NDArray[np.int64]]


def sum_blocks(
    block: Block,
    deals: int,
    *,
    seed: int,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    deals_per_block: int = DEALS_PER_BLOCK,
) -> NDArray[np.int64]:
    """The sums over deals 0 to ``deals - 1`` of a seed.

    Sums are whole numbers and each deal depends on the seed and its number only, so the result
    does not depend on jobs, backend or block size.

    Parameters
    ----------
    block : callable
        ``block(seed, start, count)``; a module's function (or a partial of one), so that it can
        travel to another process.
    deals : int
    seed : int
    n_jobs : int, optional
        As joblib counts them. Threads, unless an ambient ``joblib.parallel_config`` says otherwise.
    progress : callable, optional
    deals_per_block : int

    Returns
    -------
    int64 (sums,)
    """
    starts = range(0, deals, deals_per_block)
    calls = [
        joblib.delayed(block)(seed, start, min(deals_per_block, deals - start)) for start in starts
    ]
    finished: Iterable[NDArray[np.int64]] = run_apart(calls, n_jobs, prefer="threads")
    if progress is not None:
        finished = progress(finished, len(starts))
    total = np.zeros(0, dtype=np.int64)
    for sums in finished:
        total = sums if not len(total) else total + sums
    return total
