"""The command ``tables``: which endgame tables there are, building, checking and removing them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ghostsim.errors import GhostsimError
from ghostsim.study.options import (
    Messages,
    add_command,
    add_jobs,
    positive_value,
    seed_value,
)

if TYPE_CHECKING:
    import argparse

    from ghostsim.endgames import Table
    from ghostsim.table_files import CachedFile

#: The names that ``ghostsim.endgames.known_tables`` gives, for --help to answer without numpy.
NAMES = (
    "coalition-4",
    "coalition-5",
    "coalition-6",
    "selfish-4",
    "points-4",
    "selfish-5",
    "points-5",
)

DETAILS = """\
Everything is solved by look-up in endgame tables, kept in the user cache (GHOSTSIM_CACHE_DIR names
another place). Those of four tricks are built when they are first needed, in seconds. The others
are worth building for many deals:

  coalition-4  2 MB     always used; about a second of one core
  coalition-5  38 MB    15 s of one core; used by itself once it is there, from 200,000 deals
  coalition-6  249 MB   80 s of one core, beside coalition-5; answers a whole deal that the declarer
                        leads to by one look-up. Pays from about a hundred million deals; used by
                        itself once it is there, from a million
  selfish-4    4 MB     selfish play for tricks; a few seconds
  points-4     20 MB    selfish play for points, a table for each number of tricks still needed
  selfish-5    76 MB    solve_many(..., defence="selfish", depth=5): 40 s of one core
  points-5     378 MB   the same for points: 200 s of one core"""


class TablesError(GhostsimError):
    """A table that is not there to be checked."""


def add(commands: Any, name: str) -> None:
    parser = add_command(
        commands, name, "show, build, check or remove the endgame tables of the cache", DETAILS
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    status = add_command(actions, "status", "which tables there are, how large, where")
    status.add_argument("--format", choices=("table", "csv", "json"), default="table")
    status.set_defaults(run=_run_status)
    build = add_command(actions, "build", "build tables now, unless they are there")
    build.add_argument("names", nargs="+", metavar="TABLE", help=f"{', '.join(NAMES)}; or all")
    build.set_defaults(run=_run_build)
    verify = add_command(
        actions,
        "verify",
        "check the tables that are there: checksums, and rows built afresh",
        "Exit status 1 if a table is damaged or wrong, or is named and not built. Every row of\n"
        "coalition-6 is also compared with the opening patterns of the package.",
    )
    verify.add_argument("names", nargs="*", metavar="TABLE", help=f"{', '.join(NAMES)}; or all")
    verify.add_argument(
        "--sample",
        type=positive_value,
        default=100,
        metavar="N",
        help="rows of each table to build afresh (default: 100)",
    )
    verify.add_argument("--all", action="store_true", help="build every row afresh")
    verify.add_argument("--seed", type=seed_value, default=0, metavar="N", help="which rows")
    verify.set_defaults(run=_run_verify)
    clear = add_command(
        actions,
        "clear",
        "remove tables from the cache",
        "Some names share a table: that for selfish-4 also serves points-4.",
    )
    clear.add_argument("names", nargs="*", metavar="TABLE", help=f"{', '.join(NAMES)}; or all")
    clear.add_argument(
        "--old", action="store_true", help="only what other versions and killed processes left"
    )
    clear.set_defaults(run=_run_clear)
    for action in (build, verify):
        action.add_argument("--quiet", action="store_true", help="no messages, no progress bar")
        add_jobs(action)


def _tables(names: list[str]) -> dict[str, tuple[Table, ...]]:
    """The tables of some names; of all for none, or for the name ``all``."""
    from ghostsim.endgames import known_tables

    known = known_tables()
    for name in names:
        if name not in known and name != "all":
            raise TablesError(f"there is no table {name!r}: there are {', '.join(known)}, and all")
    return known if not names or "all" in names else {name: known[name] for name in names}


def _run_status(options: argparse.Namespace) -> int:
    import json

    import pandas as pd

    from ghostsim.study.output import csv_text
    from ghostsim.study.result import aligned
    from ghostsim.table_files import cached_files, tables_directory

    directory = tables_directory(writable=False)
    files = {file.name: file for file in cached_files() if file.kind == "table" and file.current}
    rows = []
    named = set()
    for name, tables in _tables([]).items():
        for table in tables:
            file = files.get(table.name)
            named.add(table.name)
            rows.append(
                {
                    "name": name,
                    "table": str(table),
                    "positions": table.positions,
                    "bytes": table.entries * table.dtype.itemsize,
                    "is_built": file is not None,
                    "file": "" if file is None else str(file.path),
                }
            )
    # Tables of other rules or tie rules, which only a program asks for.
    others = [file for file in files.values() if file.name not in named]
    for file in others:
        row = {"name": "", "table": file.about or file.name, "bytes": file.size}
        rows.append(row | {"is_built": True, "file": str(file.path)})
    frame = pd.DataFrame(rows).astype({"positions": "Int64"})
    if options.format == "csv":
        sys.stdout.write(csv_text(frame))
        return 0
    if options.format == "json":
        found = json.loads(frame.to_json(orient="records"))
        answer = {"directory": None if directory is None else str(directory), "tables": found}
        sys.stdout.write(json.dumps(answer, indent=2) + "\n")
        return 0
    built = frame[frame["is_built"]].drop_duplicates("file")  # two names may share a table
    frame = frame[frame["name"] != ""]
    shown = pd.DataFrame(
        {
            "name": frame["name"],
            "table": frame["table"],
            "positions": ["" if pd.isna(n) else f"{n:,}" for n in frame["positions"]],
            "size": frame["bytes"].map(_megabytes),
            "state": ["built" if is_built else "not built" for is_built in frame["is_built"]],
        }
    )
    sys.stdout.write(
        f"{_count(len(built), 'table')} built, {_megabytes(built['bytes'].sum())} in all: "
        f"{directory or 'no cache directory'}\n\n{aligned(shown)}\n"
    )
    if others:
        size = _megabytes(sum(file.size for file in others))
        sys.stdout.write(
            f"\n{len(others)} of the built ones, {size}, are for other rules or tie rules; "
            "--format csv lists them\n"
        )
    old = [file for file in cached_files() if _is_left_over(file)]
    if old:
        size = _megabytes(sum(file.size for file in old))
        sys.stdout.write(
            f"\n{_count(len(old), 'file')} of other versions or unfinished, {size}: "
            "`ghostsim tables clear --old` removes them\n"
        )
    return 0


def _megabytes(size: float) -> str:
    return f"{size / 1e6:.1f} MB"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _is_left_over(file: CachedFile) -> bool:
    return not file.current or file.kind == "unfinished"


def _run_build(options: argparse.Namespace) -> int:
    from ghostsim.table_files import is_cached

    messages = Messages(options.quiet)
    status = 0
    for name, tables in _tables(options.names).items():
        for table in tables:
            was_ready = table.is_ready()
            for below in _below(table):
                below.load(options.jobs, messages.bar(str(below)))
            table.load(options.jobs, messages.bar(str(table)))
            done = "was there" if was_ready else "built"
            size = _megabytes(table.entries * table.dtype.itemsize)
            is_kept = is_cached(table.name)
            kept = "" if is_kept else ", but it cannot be kept"
            sys.stdout.write(f"{name}: {table}: {done}, {size}{kept}\n")
            sys.stdout.flush()
            status = status if is_kept else 1
    return status


def _below(table: Table) -> list[Table]:
    """The tables of the coalition that one is built from, so that each has a progress bar."""
    from ghostsim.endgames import DEPTH, Table

    if table.preferences is not None:
        return []
    return [Table(tricks) for tricks in range(DEPTH, table.tricks)]


def _run_verify(options: argparse.Namespace) -> int:
    from ghostsim.endgames import OPENING, check_table
    from ghostsim.openings import check_opening_table
    from ghostsim.table_files import TableError

    messages = Messages(options.quiet)
    sample = None if options.all else options.sample
    status = 0
    checked = 0
    for name, tables in _tables(options.names).items():
        for table in tables:
            if not table.is_ready():
                if options.names:
                    sys.stdout.write(f"{name}: {table}: not built\n")
                    status = 1
                continue
            checked += 1
            try:
                found = check_table(
                    table, sample, options.seed, options.jobs, messages.bar(str(table))
                )
            except TableError as error:
                sys.stdout.write(f"{name}: {error}\n")
                status = 1
                continue
            wrong = found.wrong
            of = f"{found.positions:,} positions built afresh"
            if table.tricks == OPENING:
                wrong += check_opening_table(table.load(options.jobs))
                of += ", and every row compared with the opening patterns"
            verdict = f"{_count(wrong, 'row')} WRONG" if wrong else "right"
            sys.stdout.write(f"{name}: {table}: {verdict} ({of})\n")
            status = max(status, int(wrong > 0))
    if not checked and not options.names:
        sys.stdout.write("no table is built\n")
    return status


def _run_clear(options: argparse.Namespace) -> int:
    from ghostsim.table_files import cached_files, remove_files

    if options.old == bool(options.names):
        raise TablesError("say which tables to remove: names, 'all', or --old")
    tables = _tables(options.names)  # refuses a name that is none
    files = cached_files()
    if options.old:
        files = [file for file in files if _is_left_over(file)]
    elif "all" not in options.names:
        wanted = {table.name for named in tables.values() for table in named}
        files = [file for file in files if file.name in wanted]
    gone = remove_files(files)
    size = _megabytes(sum(file.size for file in gone))
    sys.stdout.write(f"{_count(len(gone), 'file')} removed, {size}\n")
    return 0
