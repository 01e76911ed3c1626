"""Folders of results: by a manifest files are replaced and removed, so it must be one of ours."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from ghostsim.simulate.block_store import BLOCKS, LOCK
from ghostsim.study.cli import main
from ghostsim.study.output import MANIFEST, our_files, read_manifest
from ghostsim.study.run_folder import RunFolder


@pytest.mark.parametrize(
    "about",
    [
        *({"files": {name: "00"}} for name in ("../a", "/etc/a", "a/b", "a\\b", "..", "", "c:a")),
        {"files": ["a.csv"]},
        {"files": {"a.csv": 1}},
        {"files": None},
        {"files": {}, "blocks": "../a"},
        {"files": {}, "blocks": 7},
        {"files": {}, "parameters": [1]},
        {"files": {}, "parameters": {"deals": "many"}},
        {"files": {}, "parameters": {"precision": "x"}},
        {"files": {}, "parameters": {"games": True}},
        {},
        [],
        "files",
        7,
    ],
    ids=json.dumps,
)
def test_what_is_no_manifest(about: Any, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(json.dumps(about))
    assert read_manifest(tmp_path) is None
    assert our_files(tmp_path) == set()


@pytest.mark.parametrize(
    "text", ["", "{", "\x00", "[" * 100_000], ids=["empty", "cut", "0", "deep"]
)
def test_what_is_no_json(text: str, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(text)
    assert read_manifest(tmp_path) is None


def test_a_folder_that_a_manifest_lists_is_not_ours(tmp_path: Path) -> None:
    about = {"files": {"a.csv": "00", "sub": "00"}, "blocks": "b.sqlite3"}
    (tmp_path / MANIFEST).write_text(json.dumps(about))
    (tmp_path / "sub").mkdir()
    assert our_files(tmp_path) == {"a.csv", "b.sqlite3", MANIFEST}


SEAT = ["seat", "--deals", "50", "--strategies", "steady", "--quiet", "--out"]


@pytest.mark.parametrize("how", ["--resume", "--overwrite"])
def test_nothing_outside_the_folder_is_removed(
    how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, outside = tmp_path / "run", tmp_path / "outside.txt"
    outside.write_text("mine")
    assert main([*SEAT, str(folder)]) == 0
    about = json.loads((folder / MANIFEST).read_text())
    about["files"] |= {"../outside.txt": "00", str(outside): "00"}
    (folder / MANIFEST).write_text(json.dumps(about))
    assert main([*SEAT, str(folder), how]) == 2
    assert "holds files that its manifest does not list" in capsys.readouterr().err
    assert outside.read_text() == "mine"


def test_a_lock_file_of_somebody_else_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / LOCK).write_text("precious\n")
    assert main([*SEAT, str(folder)]) == 2
    assert "blocks.lock that no run has made: move it away" in capsys.readouterr().err
    assert (folder / LOCK).read_text() == "precious\n"


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="links are followed there")
def test_a_lock_file_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    folder, target = tmp_path / "run", tmp_path / "target"
    folder.mkdir()
    target.write_text("process of another kind\n")
    (folder / LOCK).symlink_to(target)
    assert main([*SEAT, str(folder)]) != 0
    assert target.read_text() == "process of another kind\n"
    assert (folder / LOCK).is_symlink()


@pytest.mark.parametrize("how", ["--resume", "--overwrite"])
def test_a_database_of_another_program_is_left_alone(
    how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / BLOCKS)) as other:
        other.execute("CREATE TABLE precious (thing TEXT)")
    before = (tmp_path / BLOCKS).read_bytes()
    assert main([*SEAT, str(tmp_path), how]) == 2
    assert "is a database of another program: nothing is overwritten" in capsys.readouterr().err
    assert (tmp_path / BLOCKS).read_bytes() == before


def test_a_folder_that_is_moved_away_is_not_said_to_keep_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"

    def moved(*_: Any) -> None:
        folder.rename(tmp_path / "elsewhere")
        raise KeyboardInterrupt

    monkeypatch.setattr(RunFolder, "write", moved)
    assert main([*SEAT, str(folder)]) == 130
    assert f"nothing is kept: {folder} was moved or removed meanwhile" in capsys.readouterr().err
