"""The command ``runs``: what is in run folders, and mending a damaged one."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostsim.errors import GhostsimError
from ghostsim.study.options import Messages, add_command
from ghostsim.study.run_words import (
    command_in,
    field_lines,
    is_of_a_command,
    kept_words,
    name_and_seed,
    results_of,
    units,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from ghostsim.simulate.block_store import KeptBlocks

DETAILS = """\
A run folder is what --out DIR names. It holds the results of a run (tables, charts,
manifest.json) once they are complete, and its finished blocks (blocks.sqlite3) from the first
one on. A study or tournament with --resume goes on with them, or makes the run longer. All blocks
are read and checked.

Of one run folder all is told, with the command to go on with or that made it. Of several, and of
the run folders in a folder (only one level down), a line each.

Exit status 1 if blocks are damaged: --repair makes a new file of those that are good and keeps
the damaged one beside it; --resume then runs the rest again. docs/runs.md says more."""

#: A cell of the table of runs is shortened to so many letters.
_WIDEST = 44


class RunsError(GhostsimError):
    """A folder that holds no run."""


@dataclass(frozen=True)
class Run:
    """What is in a run folder.

    Attributes
    ----------
    folder : Path
    fields : mapping
        What its blocks depend on or, without any, the parameters of its results.
    kept : tuple of KeptBlocks
        By simulation.
    size : int
        Of the file of blocks, in bytes.
    results : str
        What the results are of; empty if there are none.
    made_by : str
        The command that made the results; empty if there are none.
    go_on : str
        The command to go on with; empty if the run is over, or nothing says it.
    running : str
        The process that is running in it; empty if none is.
    damage : str
        What is wrong with the blocks; empty if nothing is.
    """

    folder: Path
    fields: Mapping[str, Any]
    kept: tuple[KeptBlocks, ...]
    size: int
    results: str
    made_by: str
    go_on: str
    running: str
    damage: str

    @property
    def is_of_python(self) -> bool:
        """Whether its blocks are of a run made in Python, which no command goes on with."""
        return bool(self.fields and self.size) and not is_of_a_command(self.fields)

    @property
    def state(self) -> str:
        """How it stands, in a word or two."""
        if self.damage:
            return "damaged"
        if self.running:
            return "running"
        if self.is_of_python:
            return "made in Python"
        return "unfinished" if self.go_on or not self.results else "done"


def add(commands: Any, name: str) -> None:
    parser = add_command(
        commands, name, "what is in run folders: blocks to go on with, and results", DETAILS
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument(
        "--format",
        choices=("table", "csv", "json"),
        default="table",
        help="text for people, a row for each simulation as CSV, or JSON (default: table)",
    )
    parser.add_argument(
        "--repair",
        action="store_true",
        help="make a new file of the good blocks of a damaged one, which is kept beside it",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Show run folders; status 1 if one is damaged."""
    folders = [folder for named in options.folders for folder in _run_folders(named)]
    if options.repair:
        messages = Messages(quiet=False)
        for folder in folders:
            messages.say(f"{folder}: {_repair(folder)}")
    runs = [read_run(folder) for folder in folders]
    if options.format == "json":
        import json

        sys.stdout.write(json.dumps([_plain(run) for run in runs], indent=2) + "\n")
    elif options.format == "csv":
        _write_csv(runs)
    else:
        sys.stdout.write(_text(runs[0]) if len(runs) == 1 else _lines(runs))
    return 1 if any(run.damage for run in runs) else 0


def _run_folders(named: Path) -> list[Path]:
    """The run folder of a name, or those in the folder of that name."""
    if not named.exists():
        raise RunsError(f"there is no folder {str(named)!r}: name the DIR of --out, or one above")
    if not named.is_dir():
        raise RunsError(
            f"{str(named)!r} is a file: name a run folder, the DIR of --out, or one above"
        )
    if _is_run(named):
        return [named]
    found = [folder for folder in sorted(named.iterdir()) if _is_run(folder)]
    if not found:
        raise RunsError(
            f"{str(named)!r} holds no run, and no folder in it does: a run folder, the DIR of "
            "--out, has blocks.sqlite3 or manifest.json"
        )
    return found


def _is_run(folder: Path) -> bool:
    from ghostsim.simulate.block_store import BLOCKS
    from ghostsim.study.output import read_manifest

    try:
        if not folder.is_dir() or (folder / BLOCKS).is_file():
            return folder.is_dir()
    except OSError:  # somebody else's, and not to be looked into
        return False
    about = read_manifest(folder)
    return about is not None and "study" in about


def read_run(folder: Path) -> Run:
    """What is in a run folder, also while it is running."""
    from ghostsim.simulate.block_store import BLOCKS, BlockStore, StoreError, running_in
    from ghostsim.study.output import read_manifest

    about = read_manifest(folder) or {}
    results = results_of(about) if about else ""
    fields: dict[str, Any] = {}
    kept: tuple[KeptBlocks, ...] = ()
    size, asked, damage = 0, "", ""
    path = folder / BLOCKS
    if path.is_file():
        size = path.stat().st_size
        try:
            with BlockStore.look(folder) as store:
                fields = store.identity
                asked = store.noted
                store.check()
                kept = store.kept()
        except StoreError as error:
            damage = str(error)
    elif about:
        given = about.get("parameters")
        fields = {"study": about.get("study"), **(given if isinstance(given, dict) else {})}
    command = str(about.get("command", ""))
    return Run(
        folder=folder,
        fields=fields,
        kept=kept,
        size=size,
        results=results,
        made_by=command_in(folder, command) if "blocks" in about else command,
        go_on=command_in(folder, asked) if asked else "",
        running=running_in(folder),
        damage=damage,
    )


def _repair(folder: Path) -> str:
    """What became of a store, in words."""
    from ghostsim.simulate.block_store import BLOCKS, repair

    if not (folder / BLOCKS).exists():
        return "there are no blocks"
    done = repair(folder)
    if done is None:
        return "no block is damaged"
    kept, damaged = done
    what = f"{kept:,} good block{'' if kept == 1 else 's'} kept" if kept else "no good block"
    return f"{what}; the damaged file is now {damaged}; --resume runs the rest again"


def _text(run: Run) -> str:
    """All of one run."""
    what = run.fields.get("study", "a run of what cannot be told")
    if run.is_of_python:
        what = "blocks of a run made in Python; what they depend on:"
        fields = [f"{name}: {value}" for name, value in run.fields.items()]
    else:
        fields = field_lines(run.fields)
    lines = [f"{_name(run.folder)}: {what}", *(f"  {line}" for line in fields)]
    seed = run.fields.get("seed")
    fills = "a longer run" if run.is_of_python else "--resume"
    lines += [f"  kept: {kept_words(one, seed, fills=fills)}" for one in run.kept]
    if run.size:
        lines.append(f"  size of the blocks: {run.size:,} bytes")
    if run.running:
        lines.append(f"  running now: {run.running}")
    if run.results or not run.is_of_python:
        way_on = "" if run.go_on or run.damage else "; --resume goes on"
        lines.append(f"  results: {run.results or f'none yet{way_on}'}")
    if run.made_by:
        lines.append(f"  made by: {run.made_by}")
    if run.running and run.go_on:
        lines.append(f"  if it is interrupted, go on with: {run.go_on}")
    elif run.go_on and not run.damage:
        lines.append(f"  go on with: {run.go_on}")
    if run.damage:
        lines.append(f"  {run.damage}")
    return "\n".join(lines) + "\n"


def _lines(runs: list[Run]) -> str:
    """A line for each run, aligned; then what is wrong with those that are damaged."""
    rows = [("folder", "run", "seed", "kept", "gaps", "state", "results")]
    for run in runs:
        seeds = {name_and_seed(one.name)[1] for one in run.kept} - {None}
        seed = run.fields.get("seed", seeds.pop() if len(seeds) == 1 else "-")
        gaps = sum(one.gaps for one in run.kept)
        results = run.results.removeprefix(f"{run.fields.get('study')}, ")
        rows.append(
            (
                _name(run.folder),
                "-" if run.is_of_python else str(run.fields.get("study", "-")),
                str(seed),
                ", ".join(units(one.units, one.name) for one in run.kept) or "-",
                f"{gaps:,}" if gaps else "-",
                run.state,
                results or "-",
            )
        )
    cells = [[row[0], *map(_short, row[1:])] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]
    wrong = [run.damage for run in runs if run.damage]
    end = [f"{len(runs):,} runs; 'ghostsim runs' of one folder tells all of it"]
    return "\n".join([*lines, *wrong, *end]) + "\n"


def _name(folder: Path) -> str:
    name = str(folder)
    return name if name.isprintable() else repr(name)


def _short(cell: str) -> str:
    return cell if len(cell) <= _WIDEST else f"{cell[: _WIDEST - 4]} ..."


def _plain(run: Run) -> dict[str, Any]:
    return {
        "folder": str(run.folder),
        "run": dict(run.fields),
        "kept": [
            {
                "simulation": name_and_seed(one.name)[0],
                "seed": _seed(run, one),
                "blocks": one.blocks,
                "units": one.units,
                "gaps": one.gaps,
            }
            for one in run.kept
        ],
        "bytes": run.size,
        "state": run.state,
        "results": run.results or None,
        "made_by": run.made_by or None,
        "go_on": run.go_on or None,
        "running": run.running or None,
        "damage": run.damage or None,
    }


def _seed(run: Run, one: KeptBlocks) -> Any:
    own = name_and_seed(one.name)[1]
    return run.fields.get("seed") if own is None else own


def _write_csv(runs: list[Run]) -> None:
    import csv

    def rows() -> Iterator[tuple[Any, ...]]:
        for run in runs:
            study = run.fields.get("study", "")
            about = (run.size, run.state, run.results, run.made_by, run.go_on, run.running)
            for one in run.kept:
                name = name_and_seed(one.name)[0]
                kept = (_seed(run, one), name, one.blocks, one.units, one.gaps)
                yield run.folder, study, *kept, *about, run.damage
            if not run.kept:
                seed = run.fields.get("seed", "")
                yield run.folder, study, seed, "", 0, 0, 0, *about, run.damage

    writer = csv.writer(sys.stdout, lineterminator="\n")
    columns = ["folder", "study", "seed", "simulation", "blocks", "units", "gaps", "bytes"]
    writer.writerow([*columns, "state", "results", "made_by", "go_on", "running", "damage"])
    writer.writerows(rows())
