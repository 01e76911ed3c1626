"""Compare the solver with independent roads on many random positions, and more.

    python tests/verification/run.py

takes some minutes. README.md says what is compared with what. The exit status is 1 if anything
differs; the smallest position that does is printed in a form that `Position.parse` reads. The part
`stopping` looks at confidence sequences: the exit status is 1 too if they miss the truth too often.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tqdm import tqdm

FOLDER = Path(__file__).resolve().parent
# The oracles, this package, and the benchmarks' names of the machine and of versions.
sys.path[:0] = [str(FOLDER.parent), str(FOLDER.parent.parent / "benchmarks")]

from report import machine, versions  # noqa: E402
from verification import calibration  # noqa: E402
from verification.cases import Tally  # noqa: E402
from verification.parts import PARTS, Part, do_piece  # noqa: E402
from verification.report import write  # noqa: E402

RESULTS = FOLDER / "results"
INTERRUPTED = 130
#: Runs of each quantity of the part "stopping", as a multiple of --positions.
RUNS_SHARE = 0.005


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {number}")
    return number


def _parser() -> argparse.ArgumentParser:
    listed = "\n".join(
        f"  {part.name:16} {part.what};\n{'':19}with: {part.road}" for part in PARTS.values()
    )
    listed += (
        f"\n  {calibration.NAME:16} intervals of confidence sequences, at every look;\n"
        f"{'':19}with: means that are known exactly"
    )
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=f"parts:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--positions",
        type=_positive,
        default=200_000,
        metavar="N",
        help="positions compared with DDS; the other parts are in proportion (default: 200000)",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="default: 1")
    parser.add_argument(
        "--jobs",
        type=_positive,
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes (default: one for each core); the outcome does not depend on it",
    )
    parser.add_argument(
        "--part",
        nargs="+",
        choices=[*PARTS, calibration.NAME],
        metavar="NAME",
        help="do these only, and keep what the results say of the others",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=RESULTS,
        metavar="DIR",
        help=f"where results go (default: {os.path.relpath(RESULTS)})",
    )
    return parser


def _ignore_interrupts() -> None:
    # Ctrl-C reaches all processes; the parent decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def compared(part: Part, positions: int, seed: int, pool: ProcessPoolExecutor) -> Tally:
    """Do all pieces of a part."""
    tally = Tally()
    pieces = part.pieces(positions)
    jobs = [pool.submit(do_piece, part.name, seed, i, n) for i, n in enumerate(pieces)]
    for job in tqdm(jobs, desc=part.name, unit="piece", file=sys.stderr):
        tally.add(job.result())
    return tally


def calibrated(positions: int, seed: int, pool: ProcessPoolExecutor) -> dict[str, Any]:
    """Do all runs of the confidence sequences."""
    begin = time.perf_counter()
    runs = max(1, round(RUNS_SHARE * positions))
    outcomes = {name: calibration.Outcome() for name in calibration.quantities()}
    jobs = [
        (name, pool.submit(calibration.do_runs, name, seed, some))
        for name, some in calibration.pieces(runs)
    ]
    for name, job in tqdm(jobs, desc=calibration.NAME, unit="piece", file=sys.stderr):
        outcomes[name].add(job.result())
    quantities = [
        {
            "name": name,
            "mean": float(quantity.mean),
            "precision": quantity.precision,
            "holds": outcomes[name].holds,
            **outcomes[name].plain(),
        }
        for name, quantity in calibration.quantities().items()
    ]
    return {"quantities": quantities, **_about(time.perf_counter() - begin, seed)}


def _about(seconds: float, seed: int) -> dict[str, Any]:
    return {
        "seconds": round(seconds, 1),
        "seed": seed,
        "commit": versions()["commit"],
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
    }


def _plain(tally: Tally, seconds: float, seed: int) -> dict[str, Any]:
    cells = [
        {
            "to_go": to_go,
            "on_table": on_table,
            "positions": n,
            "differences": tally.wrong[to_go, on_table],
        }
        for (to_go, on_table), n in sorted(tally.compared.items())
    ]
    smallest = [{"position": each.text, "what": each.what} for each in tally.differences[:10]]
    return {
        "positions": tally.compared.total(),
        "cards": tally.cards,
        "differences": tally.wrong.total(),
        **_about(seconds, seed),
        "cells": cells,
        "smallest": smallest,
    }


def _earlier(folder: Path) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The parts of earlier results, and "stopping"; none if there are no results to be read."""
    try:
        results = json.loads((folder / "results.json").read_text("utf-8"))
        parts = {name: part for name, part in results["parts"].items() if name in PARTS}
    except (OSError, ValueError, KeyError):
        return {}, None
    return parts, results.get(calibration.NAME)


def main(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        options.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"--out {options.out} cannot be made: {error.strerror}")
    parts, stopping = _earlier(options.out) if options.part else ({}, None)
    results: dict[str, Any] = {
        "command": shlex.join(["python", "tests/verification/run.py", *arguments]),
        "machine": machine(),
        "versions": versions(),
        "parts": parts,
        calibration.NAME: stopping,
    }
    wrong: list[Any] = []
    pool = ProcessPoolExecutor(
        options.jobs, mp_context=get_context("spawn"), initializer=_ignore_interrupts
    )
    try:
        for name in dict.fromkeys(options.part or [*PARTS, calibration.NAME]):
            if name == calibration.NAME:
                stopping = calibrated(options.positions, options.seed, pool)
                results[name] = stopping
                write(results, options.out)
                continue
            begin = time.perf_counter()
            tally = compared(PARTS[name], options.positions, options.seed, pool)
            seconds = time.perf_counter() - begin
            parts[name] = _plain(tally, seconds, options.seed)
            # In the order of the parts, whatever was done when; after each, so that none is lost.
            results["parts"] = {each: parts[each] for each in PARTS if each in parts}
            write(results, options.out)
            wrong += tally.differences
    except KeyboardInterrupt:
        print("interrupted: parts that were finished are in the results", file=sys.stderr)
        return INTERRUPTED
    finally:
        pool.shutdown(cancel_futures=True)
    for name, part in results["parts"].items():
        print(f"{name:16} {part['positions']:>13,} compared, {part['differences']:,} differ")
    too_often = []
    for each in stopping["quantities"] if stopping else ():
        print(
            f"{calibration.NAME:16} {each['name']}: {each['sequence_missed']:,} of "
            f"{each['runs']:,} runs missed the truth at some look, {each['once_missed']:,} with "
            "the interval that holds once"
        )
        if not each["holds"]:
            too_often.append(each["name"])
    if too_often:
        print(f"missed too often for {calibration.LEVEL:.0%}: {', '.join(too_often)}")
    if wrong:
        smallest = min(wrong)
        print(f"the smallest that differs:\n{smallest.text}\n{smallest.what}")
    return 1 if wrong or too_often else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
