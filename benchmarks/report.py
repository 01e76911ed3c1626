"""What comes out of a run: an aligned table, results.json, results.md; and the machine's name."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from figures import figure_bytes, has_figure, seconds_against_deals
from measure import Bar, Row

PACKAGES = ("ghostsim", "numpy", "numba", "llvmlite", "joblib", "pandas", "endplay")
HEADINGS = ("work", "median", "min to max", "rounds", "bar", "met", "note")

_PREFIXES: dict[str, tuple[tuple[float, str], ...]] = {
    "s": ((1, "s"), (1e-3, "ms"), (1e-6, "µs")),
    "B": ((2**20, "MiB"),),
    "deals": ((1, "deals"),),
    "deals/s": ((1e6, "M deals/s"), (1e3, "k deals/s"), (1, "deals/s")),
    "positions/s": ((1e6, "M positions/s"), (1e3, "k positions/s")),
    "games/s": ((1e3, "k games/s"), (1, "games/s")),
    "lines/s": ((1e3, "k lines/s"),),
    "x": ((1, "x"),),
}


@dataclass(frozen=True)
class Section:
    """A benchmark that has run.

    Attributes
    ----------
    name, what : str
        Its name and what it times.
    rows : tuple of Row
    seconds : float
        How long all of it took.
    others : float or None
        The cores that other programs kept busy meanwhile; None where that is not known.
    """

    name: str
    what: str
    rows: tuple[Row, ...]
    seconds: float
    others: float | None

    def quiet(self) -> str:
        """In words, how far other programs were in the way."""
        if self.others is None:
            return "what other programs did is not known"
        return f"other programs kept {self.others:.2f} cores busy"


@dataclass(frozen=True)
class Run:
    """A run of benchmarks, and where and how it was made."""

    command: str
    date: str
    machine: dict[str, Any]
    versions: dict[str, str]
    sections: tuple[Section, ...]


def machine() -> dict[str, Any]:
    """The machine's name, what is in it."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory_gib": round(pages / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python_writes_bytecode": not sys.dont_write_bytecode,
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    fields = dict(line.partition(":")[::2] for line in lines if ":" in line)
    named = {name.strip(): value.strip() for name, value in fields.items()}
    words = [named.get("model name", platform.machine())]
    if "cpu family" in named:  # virtual machines often hide the rest of the name
        words.append(f"(family {named['cpu family']}, model {named['model']})")
    return " ".join(words)


def versions() -> dict[str, str]:
    """Python, the packages that matter, and a hash of ghostsim's kernels."""
    from ghostsim._cache import kernels_fingerprint

    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found | {"commit": _commit(), "kernels": kernels_fingerprint()}


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()


def _scale(value: float, unit: str) -> tuple[float, str]:
    """The scale and the name of the prefixed unit that fits a value."""
    prefixes = _PREFIXES[unit]
    return next((prefix for prefix in prefixes if value >= prefix[0]), prefixes[-1])


def _three_digits(value: float) -> str:
    exponent = int(f"{value:.2e}".partition("e")[2])
    return f"{value:,.{max(0, 2 - exponent)}f}"


def cells(row: Row) -> tuple[str, ...]:
    """A row as texts, under ``HEADINGS``."""
    middle = statistics.median(row.values)
    scale, unit = _scale(middle, row.unit)
    median, low, high = (
        _three_digits(value / scale) for value in (middle, min(row.values), max(row.values))
    )
    bar = met = ""
    if row.bar is not None:
        bar = _bar(row.bar, row.unit)
        met = "yes" if row.bar.met_by(middle) else "NO"
    return (
        row.work,
        f"{median} {unit}",
        f"{low} to {high}",
        str(len(row.values)),
        bar,
        met,
        row.note,
    )


def _bar(bar: Bar, unit: str) -> str:
    scale, name = _scale(bar.limit, unit)
    return f"{'>=' if bar.at_least else '<='} {bar.limit / scale:g} {name}"


def text(sections: Sequence[Section]) -> str:
    """An aligned table for a terminal."""
    lines = [HEADINGS, *(cells(row) for section in sections for row in section.rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]

    def aligned(line: Sequence[str]) -> str:
        left = {0, len(HEADINGS) - 1}  # the first and the last column are words
        padded = [
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        return "  ".join(padded).rstrip()

    parts = [aligned(HEADINGS)]
    for section in sections:
        parts += ["", f"{section.name}: {section.what} ({section.quiet()})"]
        parts += [aligned(cells(row)) for row in section.rows]
    return "\n".join(parts)


def markdown(run: Run) -> str:
    """The page results.md."""
    about = run.machine
    bytecode = "cached" if about["python_writes_bytecode"] else "NOT cached"
    named = ", ".join(f"{name} {version}" for name, version in run.versions.items())
    parts = [
        "# Benchmark results",
        f"Made by `{run.command}` on {run.date}; not edited by hand. What is compared with what, "
        "and what not to conclude, is in [README.md](../README.md).",
        f"Machine: {about['cpu']}, {about['cores']} cores, {about['memory_gib']} GiB, "
        f"{about['system']}; Python's byte code of ghostsim {bytecode}.",
        f"Versions: {named}.",
    ]
    for section in run.sections:
        table = [HEADINGS, ("---",) * len(HEADINGS), *(cells(row) for row in section.rows)]
        parts += [f"## {section.name}", f"{section.what} While this ran, {section.quiet()}."]
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in table))
        if has_figure(section.rows):
            parts.append(f"![{section.what}]({section.name}.svg)")
    return "\n\n".join(parts) + "\n"


def to_json(run: Run) -> str:
    """All raw numbers of a run, in seconds, bytes, deals a second and plain ratios."""
    about = {
        "command": run.command,
        "date": run.date,
        "machine": run.machine,
        "versions": run.versions,
        "benchmarks": {
            section.name: {
                "what": section.what,
                "seconds_in_all": section.seconds,
                "cores_busy_with_other_programs": section.others,
                "rows": [_plain(row) for row in section.rows],
            }
            for section in run.sections
        },
    }
    return json.dumps(about, indent=1) + "\n"


def _plain(row: Row) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "work": row.work,
        "unit": row.unit,
        "median": statistics.median(row.values),
        "min": min(row.values),
        "max": max(row.values),
        "values": row.values,
    }
    if row.bar is not None:
        plain["bar"] = {"at_least" if row.bar.at_least else "at_most": row.bar.limit}
        plain["met"] = row.bar.met_by(plain["median"])
    if row.series:
        plain |= {"series": row.series, "deals": row.deals}
    return plain | {"note": row.note} if row.note else plain


def write(run: Run, folder: Path) -> None:
    """Write results.json, results.md and the figures into a folder that exists."""
    (folder / "results.json").write_text(to_json(run), encoding="utf-8")
    (folder / "results.md").write_text(markdown(run), encoding="utf-8")
    for section in run.sections:
        if has_figure(section.rows):
            for kind in ("svg", "png"):
                # Each from a figure of its own: drawing one moves its parts by a hair.
                figure = figure_bytes(seconds_against_deals(section.rows), kind)
                (folder / f"{section.name}.{kind}").write_bytes(figure)
