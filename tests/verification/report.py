"""What comes out of the verification: results.json, results.md and a figure."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    return "\n\n".join(parts) + "\n"


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
