"""Threads over shared arrays: an interrupt waits for what is running, and starts nothing more."""

from __future__ import annotations

import functools
import threading

from ghostsim._parallel import _Gate


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
