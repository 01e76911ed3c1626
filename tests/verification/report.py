"""What comes out of the verification: results.json, results.md and two figures."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verification import calibration
from verification.parts import PARTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Those whose positions are spread over tricks to go and cards on the table: the figure's panels.
PANELS = {
    "coalition, against DDS": ("coalition",),
    "selfish, against max^n": ("selfish-endings", "selfish-deals"),
}
LEVEL = 0.95


def bound(wrong: int, n: int) -> float:
    """An upper bound of the share of errors, at 95 %.

    With none found, exact and one-sided, about 3 / n (the rule of three); else Wilson's.
    """
    from ghostsim.stats import estimate_proportion

    if wrong == 0:
        return float(1 - (1 - LEVEL) ** (1 / n))
    return estimate_proportion(wrong, n, level=LEVEL, model="").high


def _percent(share: float) -> str:
    """A bound in two digits, rounded up."""
    places = 1 - math.floor(math.log10(100 * share))
    rounded = math.ceil(100 * share * 10**places) / 10**places
    return f"{rounded:.{max(0, places)}f} %"


def write(results: Mapping[str, Any], folder: Path) -> None:
    """Write all files into a folder that exists."""
    from ghostsim.plots import figure_bytes

    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    (folder / "results.md").write_text(markdown(results), encoding="utf-8")
    for kind in ("svg", "png"):
        # Each from a figure of its own: drawing one moves its parts by a hair.
        drawn = figure_bytes(agreement(results["parts"]), kind)
        (folder / f"agreement.{kind}").write_bytes(drawn)
        if results[calibration.NAME]:
            drawn = figure_bytes(misses(results[calibration.NAME]), kind)
            (folder / f"stopping.{kind}").write_bytes(drawn)


def markdown(results: Mapping[str, Any]) -> str:
    """The page results.md."""
    about = results["machine"]
    named = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    total = sum(part["differences"] for part in results["parts"].values())
    found = "No difference was found." if total == 0 else f"{total:,} DIFFERENCES WERE FOUND."
    heading = (
        "part",
        "compared",
        "with",
        "positions",
        "cards",
        "differ",
        "rate of differences below",
        "seconds",
        "made",
    )
    table = [heading, ("---",) * len(heading)]
    for name, part in results["parts"].items():
        table.append(
            (
                name,
                PARTS[name].what,
                PARTS[name].road,
                f"{part['positions']:,}",
                f"{part['cards']:,}" if part["cards"] else "",
                f"{part['differences']:,}",
                _percent(bound(part["differences"], part["positions"]))
                if PARTS[name].share
                else "all compared",
                f"{part['seconds']:.0f}",
                f"{part['date']}, seed {part['seed']}, commit {part['commit']}",
            )
        )
    parts = [
        "# Verification results",
        f"Made by `{results['command']}`; not edited by hand. What is compared, and what it does "
        "not show, is in [README.md](../README.md).",
        f"**{found}** Rates are upper bounds at {LEVEL:.0%} confidence for positions drawn as "
        "these were: with no difference in n, about 3 / n.",
        f"Machine: {about['cpu']}, {about['cores']} cores, {about['memory_gib']} GiB, "
        f"{about['system']}. Versions: {named}.",
        "\n".join(f"| {' | '.join(line)} |" for line in table),
        "![Positions compared by tricks to go and cards on the table](agreement.svg)",
    ]
    for name, part in results["parts"].items():
        if part["smallest"]:
            lines = [f"- `{each['position']}`: {each['what']}" for each in part["smallest"]]
            parts += [f"## Differences: {name}", "\n".join(lines)]
    if results[calibration.NAME]:
        parts += _stopping(results[calibration.NAME])
    return "\n\n".join(parts) + "\n"


def _stopping(results: Mapping[str, Any]) -> list[str]:
    """The section about confidence sequences."""
    heading = (
        "quantity",
        "exact mean",
        "runs",
        "the sequence ever missed it",
        "the interval for one look ever missed it",
        "stop at a precision of",
        "runs that stopped",
        "missed there",
        "deals there, on average",
        "deals for one look",
    )
    table = [heading, ("---",) * len(heading)]
    for each in results["quantities"]:
        deals = each["mean_deals_at_stop"]
        table.append(
            (
                each["name"],
                f"{each['mean']:.5f}",
                f"{each['runs']:,}",
                f"{each['sequence_missed'] / each['runs']:.1%}",
                f"{each['once_missed'] / each['runs']:.1%}",
                f"{each['precision']:.5f}",
                f"{each['stopped']:,}",
                f"{each['missed_at_stop'] / each['stopped']:.1%}" if deals else "",
                f"{deals:,.0f}" if deals else "",
                f"{calibration.FIXED_DEALS:,}",
            )
        )
    bad = [each["name"] for each in results["quantities"] if not each["holds"]]
    most = max(each["most_misses"] / each["runs"] for each in results["quantities"])
    verdict = (
        f"MISSED TOO OFTEN: {', '.join(bad)}."
        if bad
        else "No quantity was missed more often than the level allows."
    )
    return [
        "## Stopping: intervals that are looked at again and again",
        f"**{verdict}** Each run draws {calibration.LOOKS} times {calibration.DEALS_PER_LOOK:,} "
        f"deals, and looks after each at two intervals of {calibration.LEVEL:.0%}: that of the "
        "confidence sequence, and the normal one (of a proportion, Wilson's), which holds if it is "
        f"looked at once. More than {most:.1%} of runs would be too many (three standard errors). "
        f"Made {results['date']}, seed {results['seed']}, commit {results['commit']}, in "
        f"{results['seconds']:.0f} s.",
        "\n".join(f"| {' | '.join(line)} |" for line in table),
        "![Runs that have missed the truth, by the number of deals](stopping.svg)",
    ]


def misses(results: Mapping[str, Any]) -> Figure:
    """Runs whose interval has missed the truth at a look so far, by the number of deals."""
    from ghostsim.plots import Chart

    figure = Chart((8.4, 3.6))
    panels = {"confidence sequence": "sequence_by_look", "interval for one look": "once_by_look"}
    both = figure.subplots(1, 2, sharey=True)
    for axes, (title, key) in zip(both, panels.items(), strict=True):
        for each, style in zip(results["quantities"], ("-", "--", "-.", ":"), strict=True):
            shares = [100 * missed / each["runs"] for missed in each[key]]
            deals = [calibration.DEALS_PER_LOOK * look for look in range(1, len(shares) + 1)]
            axes.plot(deals, shares, style, label=each["name"], linewidth=1.5)
        allowed = 100 * (1 - calibration.LEVEL)
        axes.axhline(allowed, color="#666666", linewidth=0.8)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("deals")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.tick_params(labelsize=8)
    both[0].set_ylabel("% of runs that have missed the truth")
    both[0].set_ylim(bottom=0)
    both[0].text(0, allowed + 0.5, f"{allowed:.0f} % allowed", fontsize=8, color="#444444")
    both[1].legend(fontsize=8, frameon=False)
    return figure


def agreement(parts: Mapping[str, Any]) -> Figure:
    """Positions compared, by tricks to go and cards on the table, and the share that agrees."""
    from ghostsim.plots import Chart

    figure = Chart((8.4, 5.2))
    panels = {
        title: [parts[name] for name in names if name in parts] for title, names in PANELS.items()
    }
    for axes, (title, some) in zip(figure.subplots(1, 2), panels.items(), strict=True):
        _panel(axes, title, some)
    figure.suptitle(
        "Positions compared with independent solvers, every legal card of each\n"
        "(below, an upper bound of the rate of differences at 95 % confidence)",
        fontsize=10,
    )
    return figure


def _panel(axes: Axes, title: str, some: list[Any]) -> None:
    import numpy as np

    compared = np.zeros((6, 3), dtype=np.int64)  # rows: 6, 5, ... 1 tricks to go
    wrong = np.zeros_like(compared)
    for part in some:
        for cell in part["cells"]:
            compared[6 - cell["to_go"], cell["on_table"]] += cell["positions"]
            wrong[6 - cell["to_go"], cell["on_table"]] += cell["differences"]
    shade = np.log10(np.maximum(compared, 1))
    axes.imshow(shade, cmap="Blues", vmin=0, vmax=9, aspect="auto")
    for (row, column), n in np.ndenumerate(compared):
        if n == 0:
            axes.text(column, row, "none", ha="center", va="center", color="#666666", fontsize=8)
            continue
        bad = int(wrong[row, column])
        share = "100 % agree" if bad == 0 else f"{bad:,} DIFFER"
        text = f"{n:,}\n{share}\n< {_percent(bound(bad, int(n)))}"
        colour = "black" if bad == 0 else "#d55e00"
        axes.text(column, row, text, ha="center", va="center", fontsize=8, color=colour)
    for line in range(1, 6):
        axes.axhline(line - 0.5, color="white", linewidth=1.5)
    for line in range(1, 3):
        axes.axvline(line - 0.5, color="white", linewidth=1.5)
    axes.set_xticks(range(3))
    axes.set_yticks(range(6), [str(6 - row) for row in range(6)])
    axes.set(xlabel="cards on the table", ylabel="tricks to go")
    axes.set_title(f"{title}: {int(compared.sum()):,}", fontsize=10)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
