"""The only numba decorator of the package.

numba's own disk cache does not notice an edited helper in another file, and ignores the
bounds-check flag. So every combination of kernel sources, numba and bounds check has a cache
directory of its own, chosen while decorating.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import llvmlite
import numba
from numba.core import config as numba_config

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
            if signature is None:
                compiled: Function = numba.njit(**options)(function)
            else:
                compiled = numba.njit(signature, **options)(function)
        finally:
            config.CACHE_DIR = before
        return compiled

    return decorate
