"""Publishing an analysis, and the check that a rebuild gives the published numbers."""

from __future__ import annotations

import html.parser
import json
import shutil
import xml.etree.ElementTree
from pathlib import Path

import pytest

from ghostsim.study.cli import main
from ghostsim.study.publish import AnalysisError, analyses, read_analysis
from ghostsim.study.registry import STUDIES

ROOT = Path(__file__).parent.parent


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A small analysis of our own, as in a clone of the repository."""
    folder = tmp_path / "analyses" / "half-moon"
    folder.mkdir(parents=True)
    (folder / "study.toml").write_text(
        'study = "bid-success"\ndeals = 500\nseed = 4\n[rules]\nmoon_points = 12\n'
    )
    return tmp_path


def command(*arguments: str, root: Path) -> int:
    return main([*arguments, "--root", str(root), "--quiet"])


class Links(html.parser.HTMLParser):
    """All links and pictures of a page; every tag closed in its order."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.open: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.targets += [value for name, value in attributes if name in ("href", "src") and value]
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.usefixtures("quick_charts")
def test_publish_then_verify_then_find_a_changed_number(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("publish", "half-moon", root=clone) == 0
    report = clone / "reports" / "half-moon"
    manifest = json.loads((report / "manifest.json").read_text())
    assert manifest["command"] == "python -m ghostsim.study publish half-moon"
    assert manifest["parameters"]["rules"]["moon_points"] == 12
    assert "half-moon/index.html" in (clone / "reports" / "index.html").read_text()
    capsys.readouterr()

    assert command("verify", "half-moon", root=clone) == 0
    assert "half-moon: as published (page and 4 tables" in capsys.readouterr().out

    table = report / "bids.csv"
    original = table.read_text()
    table.write_text(original.replace("moon,0.02", "moon,0.03"))
    assert command("verify", "all", root=clone) == 1
    out = capsys.readouterr().out
    assert "NOT as published" in out
    assert f"{table}: line 5: published 'moon,0.03" in out

    table.write_text(original)
    for changed in ("index.html", "bid_points.svg"):
        content = (report / changed).read_bytes()
        (report / changed).write_bytes(content + b"\n")
        assert command("verify", "half-moon", root=clone) == 1
        assert f"{report / changed}: " in capsys.readouterr().out
        (report / changed).write_bytes(content)

    table.unlink()
    (report / "older.csv").write_text("x\n")
    assert command("verify", "half-moon", root=clone) == 1
    out = capsys.readouterr().out
    assert f"{table}: not published" in out
    assert "older.csv: published, but not rebuilt" in out


def test_publishing_again_gives_the_same_bytes(clone: Path) -> None:
    study = clone / "analyses" / "half-moon" / "study.toml"
    study.write_text('study = "swap-value"\ndeals = 500\n')  # its charts are the quickest to draw
    command("publish", "half-moon", root=clone)
    first = {path: path.read_bytes() for path in (clone / "reports").rglob("*") if path.is_file()}
    assert command("publish", "half-moon", root=clone) == 0
    for path, content in first.items():
        assert path.read_bytes() == content, path.name
    assert {path for path in (clone / "reports").rglob("*") if path.is_file()} == set(first)


@pytest.mark.usefixtures("quick_charts")
def test_a_report_to_a_precision(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = clone / "analyses" / "half-moon" / "study.toml"
    study.write_text(
        'study = "tie-break"\nmodel = "table"\nstrategies = ["steady", "steady", "steady"]\n'
        "games = 90_000\nprecision = 0.004\n"
    )
    assert command("publish", "half-moon", root=clone) == 0
    report = clone / "reports" / "half-moon"
    manifest = json.loads((report / "manifest.json").read_text())
    assert manifest["parameters"]["precision"] == 0.004
    assert manifest["parameters"]["max_games"] == 90_000
    assert "stopping.csv" in manifest["files"]
    stopping = (report / "stopping.csv").read_text().splitlines()[1].split(",")
    n = f"{int(stopping[7]):,} games"
    assert manifest["notes"][0].startswith(f"Stopped after {n} and ")
    page = (report / "index.html").read_text(encoding="utf-8")
    assert n in page and "90,000" not in page
    assert command("verify", "half-moon", root=clone) == 0
    assert "as published (page and 5 tables" in capsys.readouterr().out


@pytest.mark.usefixtures("quick_charts")
def test_publish_spares_what_it_did_not_make(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command("publish", "half-moon", root=clone)
    (clone / "reports" / "half-moon" / "notes.txt").write_text("mine")
    assert command("publish", "half-moon", root=clone) == 2
    assert "notes.txt" in capsys.readouterr().err
    assert (clone / "reports" / "half-moon" / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('study = "bid-success', "cannot be used"),
        ("deals = 5", "cannot be used: 'study'"),
        ('study = "bid-success"\ndeal = 5', "unexpected keyword argument 'deal'"),
        ('study = "bid-success"\n[rules]\nmoon = 1', "there is no rule 'moon'"),
        ('study = "bid-success"\ndeals = "x"', "deals must be a whole number, not 'x'"),
        ('study = "bid-success"\nseed = 1.5', "seed must be a whole number, not 1.5"),
        ('study = "bid-success"\nlevel = 95', "level must be between 0 and 1"),
        ("study = 5", "a study is named by a text, not 5"),
        ('study = "bid-succes"', "did you mean 'bid-success'"),
    ],
)
def test_a_study_file_that_cannot_be_used(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "study.toml").write_text(text)
    with pytest.raises(AnalysisError, match=message):
        read_analysis(tmp_path / "study.toml")


@pytest.mark.usefixtures("quick_charts")
def test_a_damaged_manifest_is_named(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = clone / "reports" / "other"
    other.mkdir(parents=True)
    for content in ("{", "{}", "[]"):
        (other / "manifest.json").write_text(content)
        assert command("publish", "half-moon", root=clone) == 2
        assert f"{other / 'manifest.json'} is damaged" in capsys.readouterr().err


def test_an_analysis_that_does_not_exist(clone: Path, tmp_path: Path) -> None:
    assert analyses(clone, "all") == ["half-moon"]
    with pytest.raises(AnalysisError, match=r"no analysis 'moon' .* there are half-moon"):
        analyses(clone, "moon")


# What is committed


PUBLISHED = analyses(ROOT, "all")


@pytest.mark.parametrize("name", PUBLISHED)
def test_committed_reports_are_whole(name: str) -> None:
    report = ROOT / "reports" / name
    manifest = json.loads((report / "manifest.json").read_text())
    files = {path.name for path in report.iterdir()}
    assert files == {*manifest["files"], "manifest.json"}
    study, parameters = read_analysis(ROOT / "analyses" / name / "study.toml")
    assert manifest["study"] == study.name
    assert manifest["parameters"] == parameters.to_dict()
    assert manifest["command"].endswith(f"publish {name}")
    for path in report.glob("*.svg"):
        xml.etree.ElementTree.parse(path)
    for folder in ("README.md", "notebook.py", "study.toml"):
        assert (ROOT / "analyses" / name / folder).exists()


def test_committed_data_is_what_the_manifests_say() -> None:
    import hashlib

    for name in PUBLISHED:
        report = ROOT / "reports" / name
        for file_name, digest in json.loads((report / "manifest.json").read_text())[
            "files"
        ].items():
            assert hashlib.sha256((report / file_name).read_bytes()).hexdigest() == digest


@pytest.mark.parametrize(
    "page", sorted((ROOT / "reports").rglob("index.html")), ids=lambda page: page.parent.name
)
def test_pages_are_well_formed_and_their_links_lead_somewhere(page: Path) -> None:
    targets = Links(page).targets
    assert targets
    for target in targets:
        assert (page.parent / target).exists(), target


def test_every_study_is_published() -> None:
    assert {read_analysis(ROOT / "analyses" / n / "study.toml")[0].name for n in PUBLISHED} == set(
        STUDIES
    )


@pytest.mark.parametrize(
    "path",
    sorted((ROOT / "analyses").glob("*/notebook.py")),
    ids=lambda path: path.parent.name,
)
def test_notebooks_run_and_show_charts(path: Path, tmp_path: Path) -> None:
    import jupytext
    import nbclient

    name = path.parent.name
    if name in PUBLISHED:  # a tour has no report
        shutil.copytree(ROOT / "reports" / name, tmp_path / "reports" / name)
    notebook = jupytext.read(path)
    nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": tmp_path}}
    ).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    assert len(pictures) >= 3
    assert not [output for output in outputs if output.get("name") == "stderr"]
