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


@functools.cache
def cache_directory() -> Path | None:
    """The writable cache directory, or None after one warning if there is none.

    ``GHOSTSIM_CACHE_DIR`` names it; otherwise it is the platform's usual place. The answer is
    fixed for the life of the process.
    """
    named = os.environ.get("GHOSTSIM_CACHE_DIR")
    path: Path | str = named or "of this user"
    try:
        # Both ask for the home directory, which a user in a container may not have.
        usual = named or platformdirs.user_cache_dir("ghostsim")
        path = Path(usual).expanduser().absolute()
        path.mkdir(parents=True, exist_ok=True)
        # Asking for permission bits is not enough: root and network drives answer yes and fail.
        with tempfile.TemporaryFile(dir=path):
            pass
        if shutil.disk_usage(path).free < _ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        warnings.warn(
            f"the cache directory {path} cannot be written ({reason}): kernels "
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
