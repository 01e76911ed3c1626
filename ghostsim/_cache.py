"""The user cache: where it is, and what happens when it cannot be written."""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import shutil
import tempfile
import warnings
from pathlib import Path

import platformdirs

#: Free bytes that the cache needs: kernels and the 4-trick table take a few million.
_ROOM = 16_000_000


class CacheWarning(UserWarning):
    """The cache directory cannot be used; results are the same, but the next start is slower."""


def cache_location() -> Path | None:
    """Where the cache directory is or would be, whether or not it can be written.

    ``GHOSTSIM_CACHE_DIR`` names it; otherwise it is the platform's usual place. None where that
    cannot be told.
    """
    try:
        # Both ask for the home directory, which a user in a container may not have.
        usual = os.environ.get("GHOSTSIM_CACHE_DIR") or platformdirs.user_cache_dir("ghostsim")
        return Path(usual).expanduser().absolute()
    except (OSError, RuntimeError):
        return None


@functools.cache
def cache_directory() -> Path | None:
    """The writable cache directory, or None after one warning if there is none.

    The answer is fixed for the life of the process.
    """
    path = cache_location()
    try:
        if path is None:
            raise OSError("there is no home directory")
        path.mkdir(parents=True, exist_ok=True)
        # Asking for permission bits is not enough: root and network drives answer yes and fail.
        with tempfile.TemporaryFile(dir=path):
            pass
        if shutil.disk_usage(path).free < _ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError as error:
        named = path or os.environ.get("GHOSTSIM_CACHE_DIR") or "of this user"
        warnings.warn(
            f"the cache directory {named} cannot be written ({error.strerror or error}): kernels "
            "are compiled, and tables that are not there built, anew in each process; set "
            "GHOSTSIM_CACHE_DIR to a writable directory",
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
