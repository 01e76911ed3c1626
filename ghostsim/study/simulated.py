"""The table that sets exact numbers beside simulated ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ghostsim.stats import Estimate
from ghostsim.study.result import Column, Parameters, Table


def four(value: float) -> str:
    """A number to four decimals."""
    return f"{value:.4f}"


def check_table(parameters: Parameters, rows: Sequence[tuple[str, str, float, Estimate]]) -> Table:
    """One row a quantity: its name, unit, exact value and estimate."""
    frame = pd.DataFrame(
        [
            {
                "quantity": quantity,
                "unit": unit,
                "exact": exact,
                "simulated": estimate.value,
                "standard_error": estimate.standard_error,
                "low": estimate.low,
                "high": estimate.high,
                "level": estimate.level,
                "n": estimate.n,
                "method": estimate.method,
                "model": estimate.model,
                "standard_errors_apart": estimate.standard_errors_from(exact),
            }
            for quantity, unit, exact, estimate in rows
        ]
    )

    columns = {
        "quantity": Column("quantity"),
        "unit": Column("unit"),
        "exact": Column("exact", four),
        "simulated": Column("simulated", four),
        "low": Column("from", four),
        "high": Column("to", four),
        "method": Column("interval"),
        "standard_errors_apart": Column("standard errors apart", "{:+.2f}".format),
    }
    title = (
        f"check by simulation: {parameters.deals:,} deals, seed {parameters.seed}, "
        f"{100 * parameters.level:g}% intervals"
    )
    return Table(title, frame, columns)


def check_sentence(table: Table) -> str:
    """How many of the intervals contain the exact number."""
    frame = table.frame
    inside = int(((frame["low"] <= frame["exact"]) & (frame["exact"] <= frame["high"])).sum())
    # Not told where all deals of a small sample agree: there is no error to measure by.
    apart = frame["standard_errors_apart"].abs()
    farthest = apart[np.isfinite(apart)].max()
    level = frame["level"].iloc[0]
    return (
        f"Check: {inside} of {len(frame)} intervals contain the exact number; the farthest is "
        f"{farthest:.1f} standard errors away. (Of {100 * level:g}% intervals around right "
        f"numbers, {100 - 100 * level:.3g}% miss; quantities of one simulation share their deals "
        "and miss together.)"
    )
