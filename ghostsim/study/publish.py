"""Publishing: from ``analyses/NAME/study.toml`` to ``reports/NAME``, and back to check it."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ghostsim.errors import GhostsimError
from ghostsim.report import index_page, report_page
from ghostsim.rules import Rules
from ghostsim.study.output import MANIFEST, all_files, data_files, output_folder
from ghostsim.study.registry import Study, find_study
from ghostsim.study.result import Announce, Parameters, StudyResult

INDEX = "index.html"


class AnalysisError(GhostsimError):
    """An analysis that does not exist, or whose study.toml cannot be used."""


@dataclass(frozen=True)
class VerificationReport:
    """What comparing a rebuild with the published tables found.

    Attributes
    ----------
    files, numbers : int
        Tables and cells compared.
    differences : tuple of str
        One for each table that differs: where, and what.
    """

    files: int
    numbers: int
    differences: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether all is as published."""
        return not self.differences

    def __str__(self) -> str:
        if self.same:
            return f"as published (page and {self.files} tables, {self.numbers:,} cells)"
        return "NOT as published\n  " + "\n  ".join(self.differences)


def analyses(root: Path, name: str) -> list[str]:
    """The analyses a name means: itself, or every one for ``all``."""
    found = sorted(path.parent.name for path in (root / "analyses").glob("*/study.toml"))
    if name == "all" and found:
        return found
    if name not in found:
        where = (root / "analyses").resolve()
        raise AnalysisError(
            f"there is no analysis {name!r} in {where}: "
            + (f"there are {', '.join(found)}" if found else "run this in a clone, or say --root")
        )
    return [name]


def publish(root: Path, name: str, n_jobs: int | None, announce: Announce) -> Path:
    """Run an analysis and replace its report, whole or not at all; then the index of reports."""
    folder = root / "reports" / name
    with output_folder(folder, overwrite=True) as staging:
        result = _run(root, name, n_jobs, announce)
        files = all_files(result, _command(name), {INDEX: _page(result, name)})
        for file_name, content in files.items():
            (staging / file_name).write_bytes(content)
    write_index(root)
    return folder


def _command(name: str) -> str:
    return f"python -m ghostsim.study publish {name}"


def _page(result: StudyResult, name: str) -> bytes:
    return report_page(result, _command(name), f"../../analyses/{name}/README.md").encode()


def write_index(root: Path) -> None:
    """The index of all reports, from their manifests."""
    reports = root / "reports"
    manifests = {}
    for path in sorted(reports.glob(f"*/{MANIFEST}")):
        try:
            about = json.loads(path.read_text(encoding="utf-8"))
            manifests[path.parent.name] = {name: about[name] for name in ("question", "answer")}
        except (ValueError, KeyError, TypeError) as error:
            raise AnalysisError(
                f"{path} is damaged ({error}): delete {path.parent} and publish it again"
            ) from error
    (reports / INDEX).write_text(index_page(manifests), encoding="utf-8")


def verify(root: Path, name: str, n_jobs: int | None, announce: Announce) -> VerificationReport:
    """Run an analysis again and compare tables and page with the published ones, byte for byte."""
    folder = root / "reports" / name
    result = _run(root, name, n_jobs, announce)
    tables = data_files(result)
    files = tables | {INDEX: _page(result, name)}
    differences = _manifest_differences(folder)
    for file_name, rebuilt in files.items():
        path = folder / file_name
        if not path.exists():
            differences.append(f"{path}: not published")
        elif path.read_bytes() != rebuilt:
            differences.append(f"{path}: {_first_difference(path.read_bytes(), rebuilt)}")
    extra = sorted({path.name for path in folder.glob("*.csv")} - set(files))
    differences += [f"{folder / file_name}: published, but not rebuilt" for file_name in extra]
    cells = sum(content.count(b",") + content.count(b"\n") for content in tables.values())
    return VerificationReport(len(tables), cells, tuple(differences))


def _manifest_differences(folder: Path) -> list[str]:
    """Files of a report that are not what its manifest lists: the charts cannot be compared with a
    rebuild, because another matplotlib draws other bytes, but nobody may have changed them.
    """
    try:
        listed = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError) as error:
        return [f"{folder / MANIFEST}: cannot be read ({error})"]
    return [
        f"{folder / file_name}: not the file that the manifest lists"
        for file_name, digest in listed.items()
        if file_name.endswith((".svg", ".png"))
        and (
            not (folder / file_name).exists()
            or hashlib.sha256((folder / file_name).read_bytes()).hexdigest() != digest
        )
    ]


def _first_difference(published: bytes, rebuilt: bytes) -> str:
    old = published.decode(errors="replace").splitlines()
    new = rebuilt.decode().splitlines()
    for line, (was, now) in enumerate(zip(old, new, strict=False), start=1):
        if was != now:
            return f"line {line}: published {was!r}, rebuilt {now!r}"
    return f"{len(old)} lines published, {len(new)} rebuilt, or another line end"


def _run(root: Path, name: str, n_jobs: int | None, announce: Announce) -> StudyResult:
    study, parameters = read_analysis(root / "analyses" / name / "study.toml", n_jobs)
    return study.run(parameters, announce)


def read_analysis(path: Path, n_jobs: int | None = None) -> tuple[Study, Parameters]:
    """The study and the parameters that a study.toml names.

    Raises
    ------
    AnalysisError
        If the file is not TOML, or has keys or values that the study does not take.
    """
    try:
        settings: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        study = find_study(settings.pop("study"))
        rules = Rules.from_dict(settings.pop("rules", {}))
        return study, Parameters(**settings, rules=rules, n_jobs=n_jobs)
    except (ValueError, KeyError, TypeError) as error:
        raise AnalysisError(f"{path} cannot be used: {error}") from error
