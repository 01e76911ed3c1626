"""Threads over shared arrays: an interrupt waits for what is running, and starts nothing more."""

from __future__ import annotations

import functools
import os
import threading

import pytest

from ghostsim._parallel import (
    LostWorkerError,
    _Gate,
    go_on_if_wanted,
    run_apart,
    use_backend,
)


def test_a_closed_gate_has_let_every_call_out_and_lets_none_in() -> None:
    # A kernel that ran on while the program ended lost its compiled code, and crashed.
    begun, may_end, ended = threading.Event(), threading.Event(), threading.Event()
    late: list[int] = []

    def work() -> None:
        begun.set()
        assert may_end.wait(10)
        ended.set()

    gate = _Gate()
    running = threading.Thread(target=gate.run, args=(work,))
    closing = threading.Thread(target=gate.close)
    running.start()
    assert begun.wait(10)
    closing.start()
    closing.join(0.1)
    assert closing.is_alive()  # it waits for the call inside
    may_end.set()
    closing.join(10)
    assert ended.is_set()
    assert not closing.is_alive()
    gate.run(functools.partial(late.append, 1))
    assert late == []
    running.join(10)


def test_a_long_call_ends_when_nobody_waits_for_it_any_more() -> None:
    # Ctrl-C waited for minutes while a block of a billion deals was being summed.
    begun = threading.Event()

    def long() -> None:
        while True:
            go_on_if_wanted()
            begun.set()

    go_on_if_wanted()  # outside of all gates
    gate = _Gate()
    found: list[object] = []
    running = threading.Thread(target=lambda: found.append(gate.run(long)))
    running.start()
    assert begun.wait(10)
    gate.close()
    running.join(10)
    assert found == [None]
    go_on_if_wanted()


def test_a_worker_process_that_is_killed_is_told_in_a_sentence() -> None:
    calls = [functools.partial(os.kill, os.getpid(), 0), functools.partial(_end_this_process)]
    with (
        use_backend("loky", n_jobs=2),
        pytest.raises(LostWorkerError, match="a worker process has ended in the middle"),
    ):
        list(run_apart(calls, 2, prefer="processes"))


def _end_this_process() -> None:
    os._exit(9)
