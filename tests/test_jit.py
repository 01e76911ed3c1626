"""The decorator of kernels: what it makes of numba's cache."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from filelock import FileLock, Timeout

from ghostsim._jit import _forgive_cache


def test_kernels_are_saved_in_turn(tmp_path: Path) -> None:
    # Two processes that saved two signatures at one moment could take one's code for the other's.
    saved: list[str] = []

    class Cache:
        cache_path = str(tmp_path / "kernels")

        def load_overload(self) -> None:
            raise EOFError

        def save_overload(self, signature: str) -> None:
            with pytest.raises(Timeout):
                FileLock(f"{self.cache_path}.lock").acquire(timeout=0)
            saved.append(signature)

        def flush(self) -> None:
            raise OSError

    cache = Cache()
    _forgive_cache(SimpleNamespace(_cache=cache))
    cache.save_overload("int64")
    cache.save_overload("uint64")
    assert saved == ["int64", "uint64"]
    assert cache.load_overload() is None  # type: ignore[func-returns-value]  # as numba asks
    FileLock(f"{cache.cache_path}.lock").acquire(timeout=0).lock.release()
