"""What a report says of a run to a precision: what was watched, and why it stopped."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd

from ghostsim.simulate.runner import Stop
from ghostsim.study.result import Column, StudyResult, Table
from ghostsim.study.running import STOPPING


def with_stops(
    result: StudyResult, stops: Sequence[Stop], *, in_answer: bool = True
) -> StudyResult:
    """The result with a table of where and why its simulations stopped, and which interval to
    quote; nothing is added if none ran to a precision.

    Parameters
    ----------
    result : StudyResult
    stops : sequence of Stop
    in_answer : bool
        Whether the answer is of the simulation, and so says it; otherwise the first note does.
    """
    if not stops:
        return result
    quotes = [_quote(stop) for stop in stops]
    return replace(
        result,
        answer=" ".join([result.answer, *quotes]) if in_answer else result.answer,
        tables={**result.tables, STOPPING: _table(stops)},
        notes=(*map(_note, stops), *([] if in_answer else quotes), *result.notes),
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
                "half_width": _half_width(stop),
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
    digits = _digits(stops[0])
    columns = {
        "value": Column("value", digits, interval=True),
        "half_width": Column("half-width", digits),
        "precision": Column("asked for", "{:g}".format),
        "reached": Column("reached", _yes),
        # All simulations of a study that watch anything count the same.
        "n": Column("stopped after", f"{{:,}} {stops[0].unit}".format),
        "looks": Column("looks", "{:,}".format),
    }
    watched = "; ".join(stop.watch.quantity + _unit(stop, " ({})") for stop in stops)
    found = stops[0].estimate
    title = (
        f"where it stopped, watching {watched}; {found.model}; in brackets the interval of a "
        f"{100 * found.level:g}% confidence sequence"
    )
    return Table(title, pd.DataFrame(rows), columns)


def _unit(stop: Stop, form: str) -> str:
    """The unit, but not where the quantity says it: the share of games that tie."""
    return "" if stop.watch.unit in stop.watch.quantity else form.format(stop.watch.unit)


def _half_width(stop: Stop) -> float:
    return (stop.estimate.high - stop.estimate.low) / 2


def _digits(stop: Stop) -> Callable[[float], str]:
    """To five decimals; to more where the precision has more."""
    decimals = max(5, 2 - math.floor(math.log10(stop.precision)))
    return f"{{:z.{decimals}f}}".format


def _yes(reached: bool) -> str:
    return "yes" if reached else "no"


def _quote(stop: Stop) -> str:
    """Which interval to quote for what was watched."""
    found, digits = stop.estimate, _digits(stop)
    interval = f"{digits(found.value)} [{digits(found.low)}, {digits(found.high)}]"
    return (
        f"This run looked again and again: for {stop.watch.quantity}, quote the interval that "
        f"allows for it, {interval}{_unit(stop, ' {}')} ({100 * found.level:g}%)."
    )


def _note(stop: Stop) -> str:
    half_width = _told(_half_width(stop), stop.precision)
    looks = "1 look" if stop.looks == 1 else f"{stop.looks:,} looks"
    where = f"{stop.n:,} {stop.unit} and {looks}"
    why = (
        f"Stopped after {where}, as soon as the half-width was {stop.precision:g} or less: "
        f"{half_width}"
        if stop.reached
        else f"Stopped after {where}, the most that was allowed: the half-width is "
        f"{half_width}, and not yet the {stop.precision:g} that was asked for. Allow more with "
        f"--max-{stop.unit}"
    )
    return (
        f"{why}. The interval to quote (table `stopping`, {stop.estimate.method}) holds at all "
        "looks at once; a narrower one of the same quantity, and all other intervals, are made as "
        "if the number had been fixed beforehand."
    )


def _told(half_width: float, precision: float) -> str:
    """With enough digits to tell it from the precision."""
    words = (f"{half_width:.{digits}g}" for digits in range(3, 17))
    return next((word for word in words if float(word) != precision), f"{half_width:g}")
