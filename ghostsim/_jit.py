"""The only numba decorator of the package.

numba's own disk cache does not notice an edited helper in another file, and ignores the
bounds-check flag. So every combination of kernel sources, numba and bounds check has a cache
directory of its own, chosen while decorating.
"""

from __future__ import annotations

import contextlib
import pickle
import sys
from collections.abc import Callable
from typing import Any

import llvmlite
import numba
from filelock import FileLock
from numba.core import config as numba_config
from numba.core.typeinfer import register_dispatcher

from ghostsim._cache import cache_directory, kernels_fingerprint

Function = Callable[..., Any]
config: Any = numba_config  # a module whose settings appear at run time


def _jit_cache_directory() -> str | None:
    root = cache_directory()
    if root is None:
        return None
    versions = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    versions += f"-numba{numba.__version__}-llvmlite{llvmlite.__version__}"
    checks = "-boundscheck" if config.BOUNDSCHECK else ""
    return str(root / "jit" / f"{kernels_fingerprint()}-{versions}{checks}")


def _forgive_cache(compiled: Any) -> None:
    """Take a damaged cache file for a missing one, a full disk for no cache, and save in turn.

    numba raises EOFError, UnpicklingError or OSError from the call of the kernel, for ever: it
    neither skips nor mends a file that a power cut has emptied. And two processes that save two
    signatures of a kernel at one moment may both write file 1, while the index that comes later
    takes it for the other's.
    """
    cache: Any = getattr(compiled, "_cache", None)
    if getattr(cache, "cache_path", None) is None:  # no cache
        return
    lock = FileLock(f"{cache.cache_path}.lock")
    load, save = cache.load_overload, cache.save_overload

    def load_overload(*arguments: Any) -> Any:
        try:
            return load(*arguments)
        except Exception:
            with contextlib.suppress(OSError):
                cache.flush()
            return None

    def save_overload(*arguments: Any) -> None:
        with contextlib.suppress(OSError, EOFError, pickle.UnpicklingError), lock:
            save(*arguments)

    cache.load_overload, cache.save_overload = load_overload, save_overload


def jit(signature: str | None = None) -> Callable[[Function], Function]:
    """Compile a kernel: ``nogil``, no Python objects, cached on disk where that is possible.

    Parameters
    ----------
    signature : str, optional
        A numba signature. Recursive kernels need one: cached without it they crash on load.
    """

    def decorate(function: Function) -> Function:
        directory = _jit_cache_directory()
        before = config.CACHE_DIR
        options: dict[str, Any] = {"nogil": True, "cache": directory is not None}
        if directory is not None:
            config.CACHE_DIR = directory
        try:
            compiled: Any = numba.njit(**options)(function)
            _forgive_cache(compiled)
            if signature is not None and hasattr(compiled, "compile"):
                with register_dispatcher(compiled):  # a recursive kernel finds itself by name
                    compiled.compile(signature)
                compiled.disable_compile()
        finally:
            config.CACHE_DIR = before
        kernel: Function = compiled
        return kernel

    return decorate
