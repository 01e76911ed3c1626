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
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd

from ghostsim.errors import GhostsimError
from ghostsim.study.result import StudyResult

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
        raise OutputError(
            f"table {table!r} was not made: there are {', '.join(result.tables)}"
            + ("; `check` needs --deals" if table == "check" else "")
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


def manifest(result: StudyResult, command: str, files: Mapping[str, bytes]) -> dict[str, Any]:
    """What made a folder, from what, and what is in it."""
    packages = ("ghostsim", "numpy", "numba", "pandas", "matplotlib", "joblib")
    return {
        "command": command,
        "study": result.study,
        "question": result.question,
        "answer": result.answer,
        "parameters": result.parameters.to_dict(),
        "notes": list(result.notes),
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
        "versions": {name: metadata.version(name) for name in packages},
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
    }


def data_files(result: StudyResult) -> dict[str, bytes]:
    """The tables as CSV, by file name."""
    return {f"{name}.csv": csv_text(table.frame).encode() for name, table in result.tables.items()}


def all_files(
    result: StudyResult, command: str, pages: Mapping[str, bytes] | None = None
) -> dict[str, bytes]:
    """Tables, charts, pages if there are any, and the manifest that lists them; by file name."""
    from ghostsim import plots

    files = data_files(result) | dict(pages or {})
    frames = result.frames()
    for chart in result.charts:
        for kind in ("svg", "png"):
            files[f"{chart}.{kind}"] = plots.chart_bytes(chart, frames, kind)
    about = manifest(result, command, files)
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
        _check_free(path, overwrite)
        path.parent.mkdir(parents=True, exist_ok=True)
        # A new folder is made beside and renamed; an old one, perhaps the working directory or
        # another disk, is kept and the files are moved into it.
        new = not path.exists()
        staging = Path(tempfile.mkdtemp(dir=path.parent if new else path, prefix=_STAGING))
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"the output folder {path} cannot be made: {reason}") from error
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
            _move_into(staging, path, overwrite)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        for folder in made:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def make_parent(path: Path) -> None:
    """Make sure, before anything is computed, that a file can be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}") from error


_STAGING = ".ghostsim-unfinished-"


def _check_free(path: Path, overwrite: bool) -> None:
    if not path.exists():
        return
    if not path.is_dir():
        raise OutputError(f"the output folder {path} is a file: name a folder, new or empty")
    found = {entry.name for entry in path.iterdir() if not entry.name.startswith(_STAGING)}
    if found and not overwrite:
        raise OutputError(
            f"the output folder {path} is not empty: name a new one, or say --overwrite to replace "
            "earlier results"
        )
    strangers = sorted(found - _ours(path))
    if strangers:
        raise OutputError(
            f"the output folder {path} holds files that its manifest does not list "
            f"({', '.join(strangers[:3])}): nothing is overwritten; move them away, or delete the "
            "folder"
        )


def _ours(path: Path) -> set[str]:
    """The files in a folder of results, by its manifest."""
    try:
        about = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        return {*about["files"], MANIFEST}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _move_into(staging: Path, path: Path, overwrite: bool) -> None:
    """Move finished files into an existing folder, the manifest last; old results make way."""
    _check_free(path, overwrite)  # again: somebody may have written there meanwhile
    old = _ours(path)
    names = sorted((entry.name for entry in staging.iterdir()), key=lambda name: name == MANIFEST)
    for name in names:
        os.replace(staging / name, path / name)
    for name in old - set(names):
        (path / name).unlink(missing_ok=True)
    staging.rmdir()
