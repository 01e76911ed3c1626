"""Tables that a process makes once, also when several threads ask at the same moment."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


def once(maxsize: int | None = None) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """``functools.lru_cache`` whose function runs in one thread at a time.

    ``lru_cache`` alone lets every thread that asks before the first is done make the table too. A
    function that waits for other threads must not be asked for again by these.

    Parameters
    ----------
    maxsize : int, optional
        Results kept; without a number, all.
    """

    def decorate(function: Callable[_P, _T]) -> Callable[_P, _T]:
        cached = functools.lru_cache(maxsize)(function)
        lock = threading.RLock()

        @functools.wraps(function)
        def ask(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            with lock:
                return cached(*args, **kwargs)  # type: ignore[arg-type]  # it says hashable

        return ask

    return decorate
