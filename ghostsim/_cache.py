"""The user cache: where it is, and what happens when it cannot be written."""

from __future__ import annotations

import functools
import hashlib
import os
import tempfile
import warnings
from pathlib import Path

import platformdirs


class CacheWarning(UserWarning):
    """The cache directory cannot be used; results are the same, but the next start is slower."""


@functools.cache
def cache_directory() -> Path | None:
    """The writable cache directory, or None after one warning if there is none.

    ``GHOSTSIM_CACHE_DIR`` names it; otherwise it is the platform's usual place. The answer is
    fixed for the life of the process.
    """
    named = os.environ.get("GHOSTSIM_CACHE_DIR")
    path = Path(named).expanduser() if named else Path(platformdirs.user_cache_dir("ghostsim"))
    try:
        path.mkdir(parents=True, exist_ok=True)
        # Asking for permission bits is not enough: root and network drives answer yes and fail.
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        warnings.warn(
            f"the cache directory {path} cannot be written ({error.strerror or error}): kernels "
            "are compiled and tables built anew in each process; set GHOSTSIM_CACHE_DIR to a "
            "writable directory",
            CacheWarning,
            stacklevel=2,
        )
        return None
    return path


@functools.cache
def kernels_fingerprint() -> str:
    """A hash of the sources of every kernel: an edited kernel never meets an old cache entry."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for source in sorted([package / "_jit.py", *(package / "kernels").glob("*.py")]):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]
