"""Threads over shared arrays, whatever backend is the ambient one."""

from __future__ import annotations

import joblib


def shared_memory_parallel(n_jobs: int | None) -> joblib.Parallel:
    """A joblib pool for kernels that all write to one array and release the GIL."""
    return joblib.Parallel(n_jobs=n_jobs, prefer="threads", require="sharedmem")
