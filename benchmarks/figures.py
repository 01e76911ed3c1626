"""The figure of the results: seconds against deals. The same rows give the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from measure import Row, median

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Colours that colour-blind readers can tell apart (Okabe and Ito), and a marker each.
_STYLES = {
    "4-trick table": ("#56b4e9", "o"),
    "5-trick table": ("#0072b2", "s"),
    "6-trick table": ("#009e73", "D"),
    "DDS": ("#d55e00", "^"),
}


def has_figure(rows: Sequence[Row]) -> bool:
    """Whether some rows are points of lines."""
    return any(row.series for row in rows)


def figure_bytes(figure: Figure, kind: str) -> bytes:
    """A figure as SVG or PNG, the same bytes every time."""
    from ghostsim import plots

    return plots.figure_bytes(figure, kind)


def seconds_against_deals(rows: Sequence[Row]) -> Figure:
    """Lines of seconds against deals, both logarithmic; DDS's drawn on, dashed, as extrapolated."""
    from ghostsim.plots import Chart

    figure = Chart((7.5, 4.8))
    axes = figure.add_subplot()
    most = max(row.deals for row in rows)
    for series in dict.fromkeys(row.series for row in rows if row.series):
        colour, marker = _STYLES[series]
        points = [(row.deals, row.values) for row in rows if row.series == series]
        deals = [n for n, _ in points]
        middle = [median(values) for _, values in points]
        axes.fill_between(
            deals,
            [min(values) for _, values in points],
            [max(values) for _, values in points],
            color=colour,
            alpha=0.2,
            linewidth=0,
        )
        name = "DDS, bridge's solver" if series == "DDS" else f"ghostsim, {series}"
        axes.plot(deals, middle, color=colour, marker=marker, markersize=5, label=name)
        if deals[-1] < most:
            # In proportion to the largest number that was measured.
            end = middle[-1] * most / deals[-1]
            axes.plot([deals[-1], most], [middle[-1], end], color=colour, linestyle="--")
            axes.annotate(
                "EXTRAPOLATED, not measured",
                (deals[-1] * 3, middle[-1] * 3),
                xytext=(-6, 6),
                textcoords="offset points",
                ha="right",
                color=colour,
                fontsize=8,
            )
    axes.set(xscale="log", yscale="log", xlabel="whole deals in one call, the declarer leads")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.set_ylabel("seconds of the first call of a process, one core")
    axes.set_title("Seconds against deals: median of the rounds, and the extremes", fontsize=10)
    axes.grid(which="major", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=9, loc="upper left")
    return figure
