"""What a report says of a run to a precision: what was watched, and why it stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from ghostsim.simulate.runner import Stop
from ghostsim.study.result import Column, StudyResult, Table
from ghostsim.study.running import STOPPING


def with_stops(result: StudyResult, stops: Sequence[Stop]) -> StudyResult:
    """The result with a table and a note of where and why its simulations stopped, if they did."""
    if not stops:
        return result
    return replace(
        result,
        tables={**result.tables, STOPPING: _table(stops)},
        notes=(*map(_note, stops), *result.notes),
    )


def _table(stops: Sequence[Stop]) -> Table:
    rows = []
    for stop in stops:
        found = stop.estimate
        rows.append(
            {
                "quantity": stop.watch.quantity,
                "unit": stop.watch.unit,
                "value": found.value,
                "value_low": found.low,
                "value_high": found.high,
                "half_width": (found.high - found.low) / 2,
                "precision": stop.precision,
                "n": stop.n,
                "counted": stop.unit,
                "looks": stop.looks,
                "reached": stop.reached,
                "level": found.level,
                "method": found.method,
                "model": found.model,
            }
        )
    columns = {
        "value": Column("value", _digits, interval=True),
        "half_width": Column("half-width", _digits),
        "precision": Column("asked for", "{:g}".format),
        "reached": Column("reached", _yes),
        "n": Column("stopped after", "{:,}".format),
        "counted": Column("of"),
        "looks": Column("looks", "{:,}".format),
    }
    watched = "; ".join(f"{stop.watch.quantity}, {stop.watch.unit}" for stop in stops)
    title = (
        f"where it stopped, watching this: {watched}; in brackets the interval of a "
        f"{100 * stops[0].estimate.level:g}% confidence sequence, which holds at all looks at "
        f"once, so that one may stop at any ({stops[0].estimate.model})"
    )
    return Table(title, pd.DataFrame(rows), columns)


def _digits(value: float) -> str:
    return f"{value:z.5f}"


def _yes(reached: bool) -> str:
    return "yes" if reached else "no"


def _note(stop: Stop) -> str:
    found = stop.estimate
    half_width = (found.high - found.low) / 2
    looks = "1 look" if stop.looks == 1 else f"{stop.looks:,} looks"
    where = f"{stop.n:,} {stop.unit} and {looks}"
    why = (
        f"Stopped after {where}, as soon as the half-width was {stop.precision:g} or less: "
        f"{half_width:.3g}"
        if stop.reached
        else f"Stopped after {where}, the most that was allowed: the half-width is "
        f"{half_width:.3g}, and not yet the {stop.precision:g} that was asked for. Allow more with "
        f"--max-{stop.unit}"
    )
    return (
        f"{why}. What was watched: {stop.watch.quantity}, {_digits(found.value)} "
        f"[{_digits(found.low)}, {_digits(found.high)}] {stop.watch.unit} "
        f"({100 * found.level:g}% {found.method} interval, made for looking again and again). "
        "All other intervals are made as if the number had been fixed beforehand."
    )
