"""The table that sets exact numbers beside simulated ones."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ghostsim.stats import Estimate
from ghostsim.study.result import Column, Parameters, Table


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

    def four(value: float) -> str:
        return f"{value:.4f}"

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
        f"{parameters.level:.0%} intervals"
    )
    return Table(title, frame, columns)


def check_sentence(table: Table) -> str:
    """How many of the intervals contain the exact number."""
    frame = table.frame
    inside = int(((frame["low"] <= frame["exact"]) & (frame["exact"] <= frame["high"])).sum())
    farthest = frame["standard_errors_apart"].abs().max()
    level = frame["level"].iloc[0]
    return (
        f"Check: {inside} of {len(frame)} intervals contain the exact number; the farthest is "
        f"{farthest:.1f} standard errors away. (Of {level:.0%} intervals around right numbers, "
        f"{1 - level:.0%} miss; quantities of one simulation share their deals and miss together.)"
    )
