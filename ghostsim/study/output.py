"""Where results go: text, CSV, JSON, and folders that are written whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import platform
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Set
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd

from ghostsim.errors import GhostsimError
from ghostsim.simulate.block_store import UNFINISHED
from ghostsim.study.result import StudyResult
from ghostsim.study.running import STOPPING

MANIFEST = "manifest.json"


class OutputError(GhostsimError):
    """An output folder that cannot be used, or a table that a study does not make."""


def csv_text(frame: pd.DataFrame) -> str:
    """A frame as CSV: seven significant digits, which the doubles of every machine agree on."""
    buffer = io.StringIO()
    frame.to_csv(buffer, index=False, float_format="%.7g", lineterminator="\n")
    return buffer.getvalue()


def render(result: StudyResult, form: str, table: str | None) -> str:
    """A result as ``table`` (text), ``csv`` or ``json``; of one table only if it is named."""
    if table is not None and table not in result.tables:
        needs = {"check": "--deals", STOPPING: "--precision"}
        raise OutputError(
            f"table {table!r} was not made: there are {', '.join(result.tables)}"
            + (f"; `{table}` needs {needs[table]}" if table in needs else "")
        )
    if form == "csv":
        return csv_text(result.tables[table or _first_table(result)].frame)
    if form == "json":
        names = [table] if table else [n for n in result.tables if n not in result.unprinted]
        return json.dumps(to_json(result, names), indent=2, allow_nan=False) + "\n"
    if table is not None:
        return result.tables[table].text() + "\n"
    return result.text() + "\n"


def _first_table(result: StudyResult) -> str:
    from ghostsim.study.registry import STUDIES

    return STUDIES[result.study].tables[0]


def to_json(result: StudyResult, names: list[str]) -> dict[str, Any]:
    """A result as plain values."""
    return {
        "study": result.study,
        "question": result.question,
        "answer": result.answer,
        "notes": list(result.notes),
        "parameters": result.parameters.to_dict(),
        # Through pandas, for numpy numbers to become plain ones and a missing number null.
        "tables": {
            name: json.loads(
                result.tables[name].frame.to_json(orient="records", double_precision=12)
            )
            for name in names
        },
    }


def manifest(
    result: StudyResult, command: str, files: Mapping[str, bytes], blocks: str | None = None
) -> dict[str, Any]:
    """What made a folder, from what, and what is in it; ``blocks`` names the store, if any."""
    packages = ("ghostsim", "numpy", "numba", "pandas", "matplotlib", "joblib")
    # Not with a hash: blocks may be added, and lie in any order.
    store = {} if blocks is None else {"blocks": blocks}
    stops = to_json(result, [STOPPING])["tables"] if STOPPING in result.tables else {}
    return {
        "command": command,
        "study": result.study,
        "question": result.question,
        "answer": result.answer,
        "parameters": result.parameters.to_dict(),
        "notes": list(result.notes),
        **stops,
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
        **store,
        "versions": {name: metadata.version(name) for name in packages},
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
    }


def data_files(result: StudyResult) -> dict[str, bytes]:
    """The tables as CSV, by file name."""
    return {f"{name}.csv": csv_text(table.frame).encode() for name, table in result.tables.items()}


def all_files(
    result: StudyResult,
    command: str,
    pages: Mapping[str, bytes] | None = None,
    *,
    blocks: str | None = None,
) -> dict[str, bytes]:
    """Tables, charts, pages if there are any, and last the manifest that lists them; by file name.
    ``blocks`` names the store beside them.
    """
    from ghostsim import plots

    files = data_files(result) | dict(pages or {})
    frames = result.frames()
    for chart in result.charts:
        for kind in ("svg", "png"):
            files[f"{chart}.{kind}"] = plots.chart_bytes(chart, frames, kind)
    about = manifest(result, command, files, blocks)
    return files | {MANIFEST: (json.dumps(about, indent=2) + "\n").encode()}


@contextlib.contextmanager
def output_folder(path: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """A folder to write into; its files are in ``path`` when all is done, and gone otherwise.

    Raises
    ------
    OutputError
        At once, before anything is computed, if ``path`` is a file, cannot be made, or holds
        anything while ``overwrite`` is not set, or holds what no manifest of ours lists; and at
        the end if something has appeared there meanwhile.
    """
    try:
        path = path.resolve()
        made = [folder for folder in path.parents if not folder.exists()]
        check_free(path, overwrite)
        path.parent.mkdir(parents=True, exist_ok=True)
        # A new folder is made beside and renamed; an old one, perhaps the working directory or
        # another disk, is kept and the files are moved into it.
        new = not path.exists()
        staging = Path(tempfile.mkdtemp(dir=path.parent if new else path, prefix=UNFINISHED))
    except (OSError, RuntimeError) as error:
        raise cannot_be_made(path, error) from error
    try:
        yield staging
        if new:
            staging.chmod(0o755)  # mkdtemp makes folders that only their owner may enter
            try:
                os.rename(staging, path)  # fails if somebody has put anything there
            except OSError as error:
                raise OutputError(
                    f"{path} has appeared meanwhile: nothing is overwritten"
                ) from error
        else:
            check_free(path, overwrite)  # again: somebody may have written there meanwhile
            move_into(staging, path)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        for folder in made:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def cannot_be_made(path: Path, error: Exception) -> OutputError:
    """What is told if a folder cannot be made, or written into."""
    reason = getattr(error, "strerror", None) or error
    return OutputError(f"the output folder {path} cannot be made: {reason}")


def make_parent(path: Path) -> None:
    """Make sure, before anything is computed, that a file can be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}") from error


def check_free(path: Path, overwrite: bool) -> None:
    """OutputError if a folder holds anything, or with ``overwrite`` anything that is not ours."""
    if not path.exists():
        return
    if not path.is_dir():
        raise OutputError(f"the output folder {path} is a file: name a folder, new or empty")
    if not overwrite and found_in(path):
        raise OutputError(
            f"the output folder {path} is not empty: name a new one, or say --overwrite to replace "
            "earlier results"
        )
    check_no_strangers(path, our_files(path))


def check_no_strangers(path: Path, ours: Set[str]) -> None:
    """OutputError if a folder holds what is not ours."""
    strangers = sorted(found_in(path) - ours)
    if strangers:
        raise OutputError(
            f"the output folder {path} holds files that its manifest does not list "
            f"({', '.join(strangers[:3])}): nothing is overwritten; move them away, or delete the "
            "folder"
        )


def found_in(path: Path) -> set[str]:
    """What a folder holds, but for what a run has not finished."""
    return {entry.name for entry in path.iterdir() if not entry.name.startswith(UNFINISHED)}


def read_manifest(path: Path) -> dict[str, Any] | None:
    """The manifest of a folder of results; None if there is none, or none that a run has written.

    By what it lists, files are replaced and removed: so a file that names others, elsewhere, or is
    of another shape is no manifest.
    """
    try:
        if not (path / MANIFEST).is_file():  # a pipe would be waited for
            return None
        about = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(about, dict):
        return None
    files, store, given = about.get("files"), about.get("blocks"), about.get("parameters", {})
    good = (
        isinstance(files, dict)
        and all(_is_plain(name) and isinstance(digest, str) for name, digest in files.items())
        and (store is None or _is_plain(store))
        and isinstance(given, dict)
        and all(_is_number(given[name]) for name in _AMOUNTS if name in given)
    )
    return about if good else None


#: Parameters that are told as numbers.
_AMOUNTS = ("deals", "games", "max_deals", "max_games", "precision")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_plain(name: object) -> bool:
    """Whether this is the name of a file in a folder, and no way out of it."""
    return (
        isinstance(name, str)
        and name not in ("", ".", "..")
        and not set(name) & {"/", "\\", "\0", ":"}
    )


def our_files(path: Path) -> set[str]:
    """The files in a folder of results, by its manifest."""
    about = read_manifest(path)
    if about is None:
        return set()
    listed = {*about["files"], *([about["blocks"]] if about.get("blocks") else []), MANIFEST}
    return {name for name in listed if not (path / name).is_dir()}


def move_into(staging: Path, path: Path, stays: Set[str] = frozenset()) -> None:
    """Move finished files into an existing folder, the manifest last; old results make way, but
    for those that stay.
    """
    names = {entry.name for entry in staging.iterdir()}
    for name in sorted(names - {MANIFEST}):
        os.replace(staging / name, path / name)
    # Before there is a new manifest: whenever this is cut short, one lists what is left.
    for name in our_files(path) - names - stays - {MANIFEST}:
        (path / name).unlink(missing_ok=True)
    if MANIFEST in names:
        os.replace(staging / MANIFEST, path / MANIFEST)
    staging.rmdir()
