"""The command ``runs``: what is in run folders, and mending a damaged one."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostsim.errors import GhostsimError
from ghostsim.study.options import Messages, add_command

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from ghostsim.simulate.block_store import KeptBlocks

DETAILS = """\
A run folder is what --out DIR names. It holds the results of a run (tables, charts,
manifest.json) once they are complete, and its finished blocks (blocks.sqlite3) from the first
one on. A study or tournament with --resume goes on with them, or makes the run longer. For a
folder that holds run folders, those are listed. All blocks are read and checked.

Exit status 1 if blocks are damaged: --repair makes a new file of those that are good and keeps
the damaged one beside it; --resume then runs the rest again. docs/runs.md says more."""


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
    damage : str
        What is wrong with the blocks; empty if nothing is.
    """

    folder: Path
    fields: Mapping[str, Any]
    kept: tuple[KeptBlocks, ...]
    size: int
    results: str
    damage: str


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
    if options.format == "table":
        sys.stdout.write("\n".join(_text(run) for run in runs))
    elif options.format == "json":
        import json

        sys.stdout.write(json.dumps([_plain(run) for run in runs], indent=2) + "\n")
    else:
        _write_csv(runs)
    return 1 if any(run.damage for run in runs) else 0


def _run_folders(named: Path) -> list[Path]:
    """The run folder of a name, or those in the folder of that name."""
    if not named.exists():
        raise RunsError(f"there is no folder {named}: name the DIR of --out, or one above")
    if not named.is_dir():
        raise RunsError(f"{named} is a file: name a run folder, the DIR of --out, or one above")
    if _is_run(named):
        return [named]
    found = [folder for folder in sorted(named.iterdir()) if folder.is_dir() and _is_run(folder)]
    if not found:
        raise RunsError(
            f"{named} holds no run, and no folder in it does: a run folder, the DIR of --out, has "
            "blocks.sqlite3 or manifest.json"
        )
    return found


def _is_run(folder: Path) -> bool:
    from ghostsim.simulate.block_store import BLOCKS
    from ghostsim.study.output import read_manifest

    about = read_manifest(folder)
    return (folder / BLOCKS).exists() or (about is not None and "study" in about)


def read_run(folder: Path) -> Run:
    """What is in a run folder, also while it is running.

    Raises
    ------
    StoreError
        If its blocks are not damaged, but cannot be read.
    """
    from ghostsim.simulate.block_store import BLOCKS, BlockStore, DamagedStoreError
    from ghostsim.study.output import read_manifest
    from ghostsim.study.run_folder import results_of

    about = read_manifest(folder) or {}
    results = results_of(about) if about else ""
    fields: dict[str, Any] = {}
    kept: tuple[KeptBlocks, ...] = ()
    size, damage = 0, ""
    path = folder / BLOCKS
    if path.exists():
        size = path.stat().st_size
        try:
            with BlockStore.look(folder) as store:
                fields = store.identity
                store.check()
                kept = store.kept()
        except DamagedStoreError as error:
            damage = str(error)
    elif about:
        fields = {"study": about.get("study"), **about.get("parameters", {})}
    return Run(folder, fields, kept, size, results, damage)


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
    fields = dict(run.fields)
    lines = [f"{run.folder}: {fields.pop('study', 'a run of what cannot be told')}"]
    rules = fields.pop("rules", None)
    lines += [f"  {name}: {_say(value)}" for name, value in fields.items()]
    if rules is not None:
        lines.append(f"  rules: {_rules(rules)}")
    for one in run.kept:
        gaps = f", with {one.gaps} gap{'' if one.gaps == 1 else 's'}" if one.gaps else ""
        blocks = f"{one.blocks:,} block{'' if one.blocks == 1 else 's'}"
        lines.append(f"  kept: {one.units:,} {one.name} in {blocks}{gaps}")
    if run.size:
        lines.append(f"  size of the blocks: {run.size:,} bytes")
    lines.append(f"  results: {run.results or 'none yet; --resume goes on'}")
    if run.damage:
        lines.append(f"  {run.damage}")
    return "\n".join(lines) + "\n"


def _say(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _rules(values: Any) -> str:
    from ghostsim.rules import Rules

    try:
        return str(Rules.from_dict(values))
    except (ValueError, TypeError):  # of another version
        return str(values)


def _plain(run: Run) -> dict[str, Any]:
    return {
        "folder": str(run.folder),
        "run": dict(run.fields),
        "kept": [
            {"simulation": one.name, "blocks": one.blocks, "units": one.units, "gaps": one.gaps}
            for one in run.kept
        ],
        "bytes": run.size,
        "results": run.results or None,
        "damage": run.damage or None,
    }


def _write_csv(runs: list[Run]) -> None:
    import csv

    def rows() -> Iterator[tuple[Any, ...]]:
        for run in runs:
            about = (run.folder, run.fields.get("study", ""), run.fields.get("seed", ""))
            for one in run.kept:
                kept = (one.name, one.blocks, one.units, one.gaps)
                yield *about, *kept, run.size, run.results, run.damage
            if not run.kept:
                yield *about, "", 0, 0, 0, run.size, run.results, run.damage

    writer = csv.writer(sys.stdout, lineterminator="\n")
    columns = ["folder", "study", "seed", "simulation", "blocks", "units", "gaps", "bytes"]
    writer.writerow([*columns, "results", "damage"])
    writer.writerows(rows())
