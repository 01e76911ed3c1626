"""Commands that simulate: their options, and how their results are kept and printed."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostsim.errors import GhostsimError
from ghostsim.study.options import Messages, add_jobs, amount_value, positive_value

if TYPE_CHECKING:
    from ghostsim.simulate.block_store import Identity
    from ghostsim.simulate.runner import Runner
    from ghostsim.study.result import StudyResult

#: How many times the usual number of deals or games a run to a precision may take, unless told.
MOST = 100
#: The table that a run to a precision has more than others.
STOPPING = "stopping"


def add_amount(group: Any, unit: str, usual: int, watched: str, *, none_allowed: bool) -> None:
    """``--deals``, or ``--precision`` with ``--max-deals``; the same for games."""
    read = amount_value(unit, none_allowed=none_allowed)
    share = "of a share, 0.01 is one percentage point; " if "share" in watched else ""
    group.add_argument(
        f"--{unit}",
        dest="count",
        type=read,
        metavar="N",
        help=f"{unit} to simulate, like 200000, 200_000 or 2e5"
        + ("; 0 for no check" if none_allowed else "")
        + f" (default: {usual})",
    )
    group.add_argument(
        "--precision",
        type=precision_value,
        metavar="H",
        help=f"in place of --{unit}: go on until half the width of the interval of {watched} is H "
        f"or less, like 0.01; {share}it is a confidence sequence, which one may look at again and "
        "again: see 'When to stop' in docs/method.md",
    )
    group.add_argument(
        f"--max-{unit}",
        dest="max_count",
        type=amount_value(unit, none_allowed=False),
        metavar="N",
        help=f"with --precision: stop after N {unit} in any case (default: {MOST * usual})",
    )


def amount(options: argparse.Namespace, unit: str, usual: int) -> int:
    """How many deals or games, at most; refuses options that contradict each other."""
    if options.precision is None:
        if options.max_count is not None:
            raise GhostsimError(
                f"--max-{unit} is for --precision: say --{unit} N for a fixed number"
            )
        return usual if options.count is None else int(options.count)
    if options.count is not None:
        raise GhostsimError(
            f"--precision and --{unit} exclude each other: leave out --{unit}; --max-{unit} says "
            "how many at most"
        )
    return MOST * usual if options.max_count is None else int(options.max_count)


def precision_value(text: str) -> float:
    try:
        precision = float(text)
    except ValueError:
        precision = math.nan
    if not 0 < precision < math.inf:
        hint = ", which of a share is one percentage point" if text.endswith("%") else ""
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a precision: a half-width above 0, like 0.01{hint}"
        )
    return precision


def add_output(group: Any) -> None:
    """``--out`` and what becomes of what is there already."""
    group.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="also write a run folder: every table as CSV, charts as SVG and PNG, manifest.json, "
        "and while it runs every finished block, so that nothing is lost if it is interrupted",
    )
    group.add_argument(
        "--resume",
        action="store_true",
        help="go on with the run in --out, or make it longer: blocks that are there are not run "
        "again",
    )
    group.add_argument(
        "--overwrite",
        action="store_true",
        help="let --out replace an earlier result, its blocks as well",
    )
    group.add_argument("--quiet", action="store_true", help="no messages, no progress")


def add_running(group: Any) -> None:
    """Where blocks are computed."""
    add_jobs(group)
    group.add_argument(
        "--backend",
        metavar="NAME",
        help="threads, loky (processes), sequential, dask, or another that joblib knows (default: "
        "threads, or processes for strategies without a compiled form). No result depends on it",
    )
    group.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="of a dask scheduler, like tcp://127.0.0.1:8786; --backend dask goes without saying",
    )
    group.add_argument(
        "--block-size",
        type=positive_value,
        metavar="N",
        help="deals or games a block, the piece of work that is handed out and kept; on a cluster "
        "more than the default, which is a second's work or less. No result depends on it",
    )


def _runner(options: argparse.Namespace, messages: Messages) -> Runner:
    """The runner that a command's options ask for."""
    from ghostsim.simulate.runner import Runner

    return Runner(
        n_jobs=options.jobs,
        backend=options.backend,
        scheduler=options.scheduler,
        block_size=options.block_size,
        watcher=messages.watcher(),
    )


def run_and_print(
    options: argparse.Namespace,
    of: Identity,
    parameters: Mapping[str, Any],
    run: Callable[[Messages, Runner], StudyResult],
    command: str,
    table: str | None,
) -> int:
    """Run what a command asks for, keep it in ``--out``, print it (or one table); exit status."""
    from ghostsim.study.output import all_files, render
    from ghostsim.study.run_folder import run_folder

    messages = Messages(options.quiet)
    with run_folder(
        options.out,
        of,
        parameters,
        resume=options.resume,
        overwrite=options.overwrite,
        again=options.again,
    ) as folder:
        result = run(messages, folder.watch(_runner(options, messages)))
        text = render(result, options.format, table)
        if options.out is not None:
            folder.write(all_files(result, command, blocks=folder.blocks))
    if options.out is not None:
        messages.say(f"written to {options.out}")
    sys.stdout.write(text)
    return 0
