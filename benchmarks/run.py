"""Measure how fast ghostsim is, beside bridge's DDS and beside the bars of its design.

    python benchmarks/run.py

takes about a quarter of an hour on two quiet cores, and two minutes more the first time, to build
the tables for five and six tricks. README.md says what is compared with what.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from measure import QUICK, in_fresh_process, others_cpu_seconds, say
from report import Run, Section, machine, text, versions, write
from suite import BENCHMARKS, LONG

RESULTS = Path(__file__).resolve().parent / "results"


def _what(name: str) -> str:
    """What a benchmark times: its docstring."""
    return (BENCHMARKS[name].__doc__ or "").strip()


def _parser() -> argparse.ArgumentParser:
    listed = "\n".join(
        f"  {name:14} {_what(name)}{' (--all)' if name in LONG else ''}" for name in BENCHMARKS
    )
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=f"benchmarks:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=BENCHMARKS,
        metavar="NAME",
        help="run these only, and write no files unless --out says where",
    )
    parser.add_argument("--all", action="store_true", help="run the long ones too")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="try everything out: a twentieth of the deals, two rounds; writes no files unless "
        "--out says where",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="where to write results.json, results.md and figures, replacing earlier ones "
        f"(default: {os.path.relpath(RESULTS)})",
    )
    return parser


def measured(name: str) -> Section:
    """Run a benchmark in a process of its own."""
    say(f"{name}: {_what(name)}")
    begin, others_before = time.perf_counter(), others_cpu_seconds()
    rows = in_fresh_process(BENCHMARKS[name])
    seconds, others_after = time.perf_counter() - begin, others_cpu_seconds()
    others = None
    if others_before is not None and others_after is not None:
        others = max(0.0, others_after - others_before) / seconds
    section = Section(name, _what(name), tuple(rows), seconds, others)
    say(f"  done in {seconds:.0f} s; {section.quiet()}")
    return section


def main(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.only and options.all:
        parser.error("--only and --all: give one of them")
    usual = [name for name in BENCHMARKS if options.all or name not in LONG]
    names = list(dict.fromkeys(options.only or usual))
    folder = options.out or (None if options.only or options.quick else RESULTS)
    if options.quick:
        os.environ[QUICK] = "1"
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            parser.error(f"--out {folder} cannot be made: {error.strerror}")
    date = datetime.now(UTC)
    sections = tuple(measured(name) for name in names)
    run = Run(
        shlex.join(["python", "benchmarks/run.py", *arguments]),
        f"{date:%Y-%m-%d %H:%M} UTC",
        machine(),
        versions(),
        sections,
    )
    print(text(run.sections))
    if folder is not None:
        write(run, folder)
        say(f"written to {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
