"""The command ``tables``: what it says, what it builds, what it finds wrong, what it removes."""

import errno
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import ghostsim
from ghostsim import endgames, table_files
from ghostsim._cache import cache_directory, kernels_fingerprint
from ghostsim.endgames import Table, known_tables
from ghostsim.openings import shipped_patterns
from ghostsim.preferences import Preferences
from ghostsim.study.cli import main
from ghostsim.study.tables_command import DETAILS, NAMES
from ghostsim.table_files import table_path, write_table

Run = Callable[..., tuple[int, str, str]]

COALITION = Table(4)
SELFISH = Table(4, Preferences())
FINGERPRINT = kernels_fingerprint()
OLD = "0123456789abcdef"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``tables`` in this process: exit status, standard output, standard error."""

    def run(*arguments: str) -> tuple[int, str, str]:
        endgames._loaded.clear()  # as a process of its own begins
        status = main(["tables", *arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of tables of an empty cache, and no tables in memory; it is not yet made."""
    monkeypatch.setattr(table_files, "cache_directory", lambda: tmp_path)
    monkeypatch.setattr(table_files, "cache_location", lambda: tmp_path)
    monkeypatch.setattr(endgames, "_loaded", {})
    return tmp_path / "tables"


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the two small tables."""
    directory = tmp_path_factory.mktemp("tables")
    for table in (COALITION, SELFISH):
        path = directory / f"{table.name}-{FINGERPRINT}.bin"
        write_table(path, table.name, table.load(), str(table))
    return directory


@pytest.fixture
def filled(tables: Path, ready: Path) -> Path:
    """The directory of tables, with the two small ones in it: links, not to be written to."""
    shutil.copytree(ready, tables, copy_function=os.link)
    return tables


def file_of(table: Table) -> Path:
    path = table_path(table.name)
    assert path is not None
    return path


def names_in(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir() if path.suffix != ".lock"}


# ------------------------------------------------------------------------------------- the names


@pytest.mark.jit_off
def test_the_names_are_those_of_the_known_tables() -> None:
    assert tuple(known_tables()) == NAMES


@pytest.mark.jit_off
def test_the_help_tells_the_size_of_each_table() -> None:
    told = dict(re.findall(r"^  ([a-z]+-\d) +(\d+) MB ", DETAILS, re.MULTILINE))
    sizes = {
        name: sum(table.entries * table.dtype.itemsize for table in tables)
        for name, tables in known_tables().items()
    }
    assert told == {name: str(round(size / 1e6)) for name, size in sizes.items()}


@pytest.mark.parametrize("action", ["", "status", "build", "verify", "clear"])
def test_help(run: Run, action: str) -> None:
    status, out, err = run(*action.split(), "--help")
    assert (status, err) == (0, "")
    if action != "status":
        for name in NAMES:
            assert name in out
    options = {
        "": ("status", "build", "verify", "clear", "GHOSTSIM_CACHE_DIR"),
        "status": ("--format", "json"),
        "build": ("--jobs", "--quiet"),
        "verify": ("--sample", "--all", "--seed", "--jobs", "--quiet", "Exit status 1"),
        "clear": ("--old",),
    }
    for word in options[action]:
        assert word in out


@pytest.mark.parametrize("action", ["", "status", "build", "verify", "clear"])
def test_help_is_light(action: str) -> None:
    script = (
        "from ghostsim.study.cli import main\nimport contextlib, io, sys\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        f"    status = main(['tables', *{action!r}.split(), '--help'])\n"
        "print(status, *sorted(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    status, *loaded = done.stdout.split()
    assert status == "0"
    assert not set(loaded) & {"numpy", "numba", "pandas", "matplotlib", "joblib"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "the following arguments are required: ACTION"),
        ("show", "invalid choice: 'show'"),
        ("build", "the following arguments are required: TABLE"),
        (
            "build coalition-7",
            "there is no table 'coalition-7': there are coalition-4, coalition-5",
        ),
        ("build coalition-7", "points-4, selfish-5, points-5, and all\n"),
        ("build coalition-5 nonsense", "there is no table 'nonsense'"),
        ("build all nonsense", "there is no table 'nonsense'"),
        ("build Coalition-4", "there is no table 'Coalition-4'"),
        ("build coalition-4 --jobs 0", "'0' is not a number of jobs"),
        ("verify coalition-3", "there is no table 'coalition-3': there are coalition-4, coal"),
        ("verify All", "there is no table 'All': there are coalition-4, "),
        ("verify --sample 0", "'0' is not a whole number above 0"),
        ("verify --seed -1", "'-1' is not a seed"),
        ("clear coalition-4 selfish", "there is no table 'selfish': there are coalition-4"),
        ("clear", "say which tables to remove: names, 'all', or --old\n"),
        ("clear --old coalition-4", "say which tables to remove: names, 'all', or --old\n"),
        ("clear --old all", "say which tables to remove: names, 'all', or --old\n"),
        ("clear --ol", "unrecognized arguments: --ol"),
        ("status --format xml", "invalid choice: 'xml'"),
        ("status coalition-4", "unrecognized arguments: coalition-4"),
    ],
)
def test_wrong_usage_says_what_is_allowed_and_does_nothing(
    run: Run, filled: Path, arguments: str, message: str
) -> None:
    before = names_in(filled)
    status, out, err = run(*arguments.split())
    assert status == 2
    assert message in err
    assert out == ""
    assert "Traceback" not in err
    assert names_in(filled) == before


# ---------------------------------------------------------------------------------------- status


def rows_of(out: str) -> list[list[str]]:
    """The rows of the table that people see: name, what it is, positions, size, state."""
    table = out.split("\n\n")[1]
    return [re.split(r" {2,}", line.strip()) for line in table.splitlines()[1:]]


def test_status_of_an_empty_cache(run: Run, tables: Path) -> None:
    status, out, err = run("status")
    assert (status, err) == (0, "")
    assert out.startswith(f"0 tables built, 0.0 MB in all: {tables}\n\nname ")
    rows = rows_of(out)
    assert [row[0] for row in rows] == [
        name for name, several in known_tables().items() for _ in several
    ]
    assert {row[-1] for row in rows} == {"not built"}
    assert rows[0] == ["coalition-4", "coalition, 4 tricks", "1,975,050", "2.0 MB", "not built"]
    assert "other versions" not in out
    assert not tables.exists()  # asking makes nothing


def test_status_of_built_tables(run: Run, filled: Path) -> None:
    status, out, _ = run("status")
    assert status == 0
    # Selfish play for tricks serves those who need one more trick as well: one file, two rows.
    assert out.startswith(f"2 tables built, 5.9 MB in all: {filled}\n")
    built = [row[:2] for row in rows_of(out) if row[-1] == "built"]
    assert built == [
        ["coalition-4", "coalition, 4 tricks"],
        ["selfish-4", "selfish, 4 tricks, for tricks"],
        ["points-4", "selfish, 4 tricks, for points, 1 more needed"],
    ]
    assert "other versions" not in out


def test_status_for_programs(run: Run, filled: Path) -> None:
    _, out, _ = run("status", "--format", "csv")
    frame = pd.read_csv(io.StringIO(out))
    assert list(frame) == ["name", "table", "positions", "bytes", "is_built", "file"]
    tables = [table for several in known_tables().values() for table in several]
    assert frame["table"].tolist() == [str(table) for table in tables]
    assert frame["positions"].tolist() == [table.positions for table in tables]
    assert frame["bytes"].tolist() == [table.entries * table.dtype.itemsize for table in tables]
    assert frame.loc[frame["is_built"], "name"].tolist() == ["coalition-4", "selfish-4", "points-4"]
    assert frame["file"][0] == str(file_of(COALITION))
    assert frame["file"][1:3].isna().all()

    _, out, _ = run("status", "--format", "json")
    answer = json.loads(out)
    assert answer["directory"] == str(filled)
    assert pd.DataFrame(answer["tables"])["file"].tolist() == frame["file"].fillna("").tolist()
    assert answer["tables"][0] == {
        "name": "coalition-4",
        "table": "coalition, 4 tricks",
        "positions": 1_975_050,
        "bytes": 1_975_050,
        "is_built": True,
        "file": str(file_of(COALITION)),
    }


#: Selfish play by another tie rule: no name on the command line.
UNKNOWN = Table(4, Preferences(ties="reversed"))


def test_status_shows_tables_that_only_a_program_asks_for(run: Run, filled: Path) -> None:
    assert UNKNOWN.name not in {
        table.name for several in known_tables().values() for table in several
    }
    write_table(file_of(UNKNOWN), UNKNOWN.name, np.zeros(5, dtype=np.uint16), str(UNKNOWN))
    damaged = filled / f"selfish-4-ffffffffffff-{FINGERPRINT}.bin"
    damaged.write_bytes(b"what is this")
    _, out, _ = run("status")
    assert out.startswith("4 tables built, ")
    table, size = "selfish, 4 tricks, for tricks, ties reversed", "0.0 MB"
    assert len(rows_of(out)) == 15  # those that have a name
    assert f"\n2 of the built ones, {size}, are for other rules or tie rules; --format csv" in out
    _, out, _ = run("status", "--format", "json")
    (row,) = [row for row in json.loads(out)["tables"] if row["table"] == table]
    assert row == {
        "name": "",
        "table": table,
        "positions": None,
        "bytes": 4096 + 10,
        "is_built": True,
        "file": str(file_of(UNKNOWN)),
    }
    _, out, _ = run("status", "--format", "csv")
    frame = pd.read_csv(io.StringIO(out))
    assert frame.loc[frame["name"].isna(), "table"].tolist() == [table, "selfish-4-ffffffffffff"]
    assert frame["positions"].isna().sum() == 2


@pytest.fixture
def left_over(filled: Path) -> dict[str, Path]:
    """What other versions and a killed process left, and files that are not ours at all."""
    files = {
        "old table": filled / f"coalition-5-{OLD}.bin",
        "old lock": filled / f"coalition-5-{OLD}.lock",
        "old unfinished": filled / f"coalition-6-{OLD}.bin.aaaaaaaa",
        "unfinished": filled / f"coalition-5-{FINGERPRINT}.bin.bbbbbbbb",
        "lock": filled / f"coalition-4-{FINGERPRINT}.lock",
        "foreign": filled / "README.txt",
        "foreign table": filled / "coalition-4.bin",
        "outside": filled.parent / "jit" / f"coalition-4-{OLD}.bin",
    }
    files["outside"].parent.mkdir()
    for path in files.values():
        path.write_bytes(b"" if path.suffix == ".lock" else bytes(1_000_000))
    return files


def test_status_tells_of_what_other_versions_and_killed_processes_left(
    run: Run, left_over: dict[str, Path]
) -> None:
    _, out, _ = run("status")
    assert out.startswith("2 tables built")
    assert [row[0] for row in rows_of(out) if row[-1] == "built"][-1] == "points-4"
    # An old table, its lock, and two unfinished files.
    assert out.endswith(
        "\n4 files of other versions or unfinished, 3.0 MB: "
        "`ghostsim tables clear --old` removes them\n"
    )


def test_status_without_a_cache_directory(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "cache_directory", lambda: None)
    monkeypatch.setattr(table_files, "cache_location", lambda: None)
    monkeypatch.setattr(endgames, "_loaded", {})
    status, out, _ = run("status")
    assert status == 0
    assert out.startswith("0 tables built, 0.0 MB in all: no cache directory\n")
    assert json.loads(run("status", "--format", "json")[1])["directory"] is None
    assert run("clear", "all") == (0, "0 files removed, 0.0 MB\n", "")


# ----------------------------------------------------------------------------------------- build


def test_build_builds_what_is_not_there(run: Run, tables: Path, ready: Path) -> None:
    for done in ("built", "was there"):
        status, out, err = run("build", "coalition-4", "--jobs", "2")
        assert (status, err) == (0, "")
        assert out == f"coalition-4: coalition, 4 tricks: {done}, 2.0 MB\n"
        assert names_in(tables) == {file_of(COALITION).name}
    assert file_of(COALITION).read_bytes() == (ready / file_of(COALITION).name).read_bytes()


def test_build_of_several(run: Run, filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = []

    def build(table: Table, *_: object) -> NDArray[Any]:
        built.append(table.name)
        return np.zeros(table.entries, dtype=np.uint16)

    monkeypatch.setattr(Table, "build", build)  # in no time, for how it is built is known
    status, out, _ = run("build", "points-4", "coalition-4", "points-4", "selfish-4")
    assert status == 0
    needed = [line.split(", ")[3] for line in out.splitlines() if "points" in line]
    done = [line.split(": ")[-1] for line in out.splitlines()]
    # From the fewest needed; the table of selfish play for tricks, which is there, is the first.
    assert [text.split(":")[0] for text in needed] == [
        *(f"{more} more needed" for more in range(1, 5)),
        "set already",
    ]
    assert needed[:2] == ["1 more needed: was there", "2 more needed: built"]
    # Each once, in the order in which they are named first, and those that are there not at all.
    names = [table.name for table in known_tables()["points-4"]]
    assert [line.split(":")[0] for line in out.splitlines()] == [
        *["points-4"] * 5,
        "coalition-4",
        "selfish-4",
    ]
    assert built == [name for name in names if name != SELFISH.name]
    assert done.count("built, 4.0 MB") == 4
    assert sorted(done)[-3:] == ["was there, 2.0 MB", "was there, 4.0 MB", "was there, 4.0 MB"]
    assert {file_of(table).name for table in known_tables()["points-4"]} < names_in(filled)


def test_build_all_builds_each_that_has_a_name(
    run: Run, tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(Table, "load", lambda table, *_: asked.append(str(table)))
    monkeypatch.setattr(table_files, "is_cached", lambda _: True)
    status, out, _ = run("build", "all")
    assert status == 0
    every = [table for several in known_tables().values() for table in several]
    assert [line.split(": ")[0] for line in out.splitlines()] == [
        name for name, several in known_tables().items() for _ in several
    ]
    assert set(asked) == {str(table) for table in every}
    assert run("build", "coalition-4", "all")[1] == out  # all is all, in the same order


def test_verify_all_tells_of_those_not_built_as_well(run: Run, filled: Path) -> None:
    status, out, _ = run("verify", "all", "--sample", "2")
    assert status == 1
    verdicts = [line.split(": ")[-1] for line in out.splitlines()]
    every = [table for several in known_tables().values() for table in several]
    built = {table.name for table in (COALITION, SELFISH)}
    assert len(verdicts) == len(every)
    assert [verdict == "not built" for verdict in verdicts] == [
        table.name not in built for table in every
    ]


def test_build_builds_what_a_table_is_built_from_as_well(
    run: Run, tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = []
    real = Table.load

    def load(table: Table, *arguments: object) -> object:
        built.append(str(table))
        return np.zeros(1) if table.tricks > 3 else real(table)

    monkeypatch.setattr(Table, "load", load)
    monkeypatch.setattr(table_files, "is_cached", lambda _: True)
    assert run("build", "coalition-6")[0] == 0
    assert built == [
        "coalition, 4 tricks",
        "coalition, 5 tricks",
        "coalition, 6 tricks, the declarer leads",
    ]


def test_build_replaces_no_damaged_table(run: Run, filled: Path) -> None:
    path = file_of(COALITION)
    content = path.read_bytes()[:1_000_000]
    path.unlink()
    path.write_bytes(content)
    status, out, err = run("build", "coalition-4")
    assert status == 2
    assert f"the endgame table {path} is damaged" in err
    assert "delete it and it is built anew" in err
    assert out == ""
    assert path.read_bytes() == content


def test_build_says_that_a_table_cannot_be_kept(run: Run, tables: Path) -> None:
    tables.write_text("a file in the way")
    status, out, err = run("build", "coalition-4")
    assert status == 1
    assert out == "coalition-4: coalition, 4 tricks: built, 2.0 MB, but it cannot be kept\n"
    assert err.count("cannot be cached in") == 1
    assert str(tables) in err


# ---------------------------------------------------------------------------------------- verify


def test_verify_what_is_built(run: Run, filled: Path) -> None:
    status, out, err = run("verify")
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "coalition-4: coalition, 4 tricks: right (7,000 positions built afresh)",
        "selfish-4: selfish, 4 tricks, for tricks: right (7,000 positions built afresh)",
        "points-4: selfish, 4 tricks, for points, 1 more needed: right "
        "(7,000 positions built afresh)",
    ]
    before = names_in(filled)
    status, out, _ = run("verify", "coalition-4", "--sample", "2e2", "--quiet", "--jobs", "1")
    assert status == 0
    assert out == "coalition-4: coalition, 4 tricks: right (14,000 positions built afresh)\n"
    assert names_in(filled) == before


def test_verify_where_nothing_is_built(run: Run, tables: Path) -> None:
    assert run("verify") == (0, "no table is built\n", "")
    status, out, _ = run("verify", "coalition-6", "selfish-5")
    assert status == 1
    assert out.splitlines() == [
        "coalition-6: coalition, 6 tricks, the declarer leads: not built",
        "selfish-5: selfish, 5 tricks, for tricks: not built",
    ]
    assert not tables.exists()


def test_verify_checks_the_others_where_one_is_not_built(run: Run, filled: Path) -> None:
    status, out, _ = run("verify", "coalition-5", "coalition-4")
    assert status == 1
    # In the order in which they were named.
    assert [line.split(": ")[-1].split(" (")[0] for line in out.splitlines()] == [
        "not built",
        "right",
    ]


def flip(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.unlink()
    path.write_bytes(content)


def test_verify_names_a_damaged_file_and_goes_on(run: Run, filled: Path) -> None:
    flip(file_of(COALITION), 100_000)
    status, out, err = run("verify")
    assert status == 1
    first, *others = out.splitlines()
    assert first == (
        f"coalition-4: the endgame table {file_of(COALITION)} is damaged (its checksum is wrong): "
        "delete it and it is built anew"
    )
    assert [": right (" in line for line in others] == [True, True]
    assert err == ""
    file_of(COALITION).unlink()
    assert run("build", "coalition-4")[0] == 0
    assert run("verify")[0] == 0


def rewritten(table: Table, places: list[int] | slice) -> None:
    """Entries of a table flipped, and the file written anew with a checksum that fits."""
    array = table.load().copy()
    array[places] ^= 1
    write_table(file_of(table), table.name, array, str(table))
    endgames._loaded.clear()


@pytest.mark.parametrize("table", [COALITION, SELFISH], ids=["coalition-4", "selfish-4"])
def test_verify_finds_wrong_entries_that_no_checksum_tells(
    run: Run, filled: Path, table: Table
) -> None:
    # Two entries of the first row, and one of the last: 70 positions a row. The other table is
    # right.
    rewritten(table, [0, 69, 1_975_049])
    name = "coalition-4" if table is COALITION else "selfish-4"
    status, out, _ = run("verify", "--all", name)
    assert status == 1
    assert out == f"{name}: {table}: 2 rows WRONG (1,975,050 positions built afresh)\n"
    other = "selfish-4" if table is COALITION else "coalition-4"
    assert run("verify", other)[0] == 0


def test_verify_draws_rows_by_its_seed(run: Run, filled: Path) -> None:
    array = COALITION.load().copy().reshape(-1, 70)
    array[::2, 35] ^= 1  # half of the rows
    write_table(file_of(COALITION), COALITION.name, array.reshape(-1), "")
    found = {}
    for seed in ("0", "1", "2", "3", "4", ""):
        option = ("--seed", seed) if seed else ()
        status, out, _ = run("verify", "coalition-4", "--sample", "300", *option)
        assert status == 1
        found[seed] = int(out.split(": ")[2].split()[0])
        assert 100 < found[seed] < 200
    assert found[""] == found["0"]
    assert len(set(found.values())) > 2


def test_verify_compares_the_opening_table_with_the_patterns(
    run: Run, tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The real one takes 80 seconds and 249 MB: here is one without a single right row.
    monkeypatch.setattr(endgames, "MAX_DEPTH", 4)
    tables.mkdir()
    table = Table(6)
    file_of(table).touch()
    real = table_files.cached_table

    def cached_table(name: str, *arguments: Any, **options: Any) -> NDArray[Any]:
        if name == table.name:
            return np.full(table.entries, 0xFF, dtype=np.uint8)
        return real(name, *arguments, **options)

    monkeypatch.setattr(endgames, "cached_table", cached_table)
    status, out, _ = run("verify", "coalition-6", "--sample", "3")
    assert status == 1
    wrong = 3 + len(shipped_patterns())
    assert out == (
        f"coalition-6: coalition, 6 tricks, the declarer leads: {wrong:,} rows WRONG (2,772 "
        "positions built afresh, and every row compared with the opening patterns)\n"
    )


# ----------------------------------------------------------------------------------------- clear


def test_clear_by_name(run: Run, filled: Path) -> None:
    status, out, err = run("clear", "coalition-4")
    assert (status, err) == (0, "")
    assert out == "1 file removed, 2.0 MB\n"
    assert names_in(filled) == {file_of(SELFISH).name}
    assert run("clear", "coalition-4", "coalition-6") == (0, "0 files removed, 0.0 MB\n", "")
    # The table for those who need one more trick is that for tricks.
    assert run("clear", "points-4")[1] == "1 file removed, 4.0 MB\n"
    assert names_in(filled) == set()


def test_clear_old(run: Run, left_over: dict[str, Path]) -> None:
    status, out, _ = run("clear", "--old")
    assert (status, out) == (0, "4 files removed, 3.0 MB\n")
    stay = {"lock", "foreign", "foreign table", "outside"}
    assert {name for name, path in left_over.items() if path.exists()} == stay
    assert file_of(COALITION).exists()
    assert file_of(SELFISH).exists()
    assert "other versions" not in run("status")[1]


def test_clear_all(run: Run, left_over: dict[str, Path], filled: Path) -> None:
    status, out, _ = run("clear", "all")
    # Two tables of 1.98 and 3.95 MB, three files of 1 MB, and two locks.
    assert (status, out) == (0, "7 files removed, 8.9 MB\n")
    stay = {"foreign", "foreign table", "outside"}
    assert {name for name, path in left_over.items() if path.exists()} == stay
    assert {path.name for path in filled.iterdir()} == {"README.txt", "coalition-4.bin"}
    assert left_over["outside"].read_bytes() == bytes(1_000_000)


def test_clear_by_name_takes_all_that_belongs_to_a_table(
    run: Run, left_over: dict[str, Path]
) -> None:
    assert run("clear", "coalition-5")[1] == "3 files removed, 2.0 MB\n"
    gone = {"old table", "old lock", "unfinished"}
    assert {name for name, path in left_over.items() if not path.exists()} == gone


@pytest.fixture
def writer(filled: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that holds the lock of a table which it has begun to write."""
    name = f"coalition-5-{FINGERPRINT}"
    (filled / f"{name}.bin.cccccccc").write_bytes(bytes(1_000_000))
    code = (
        "import time\nfrom filelock import FileLock\n"
        f"with FileLock({str(filled / name) + '.lock'!r}):\n"
        "    print('held', flush=True)\n    time.sleep(600)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.mark.parametrize("arguments", [["--old"], ["coalition-5"], ["all"]], ids=str)
def test_clear_lets_a_process_that_builds_a_table_go_on(
    run: Run, filled: Path, writer: "subprocess.Popen[str]", arguments: list[str]
) -> None:
    before = names_in(filled)
    mine = {f"coalition-5-{FINGERPRINT}.{end}" for end in ("lock", "bin.cccccccc")}
    status, out, _ = run("clear", *arguments)
    assert status == 0
    assert mine <= {path.name for path in filled.iterdir()}
    if arguments != ["all"]:
        assert out == "0 files removed, 0.0 MB\n"
        assert names_in(filled) == before
    else:
        assert out == "2 files removed, 5.9 MB\n"
    writer.kill()
    writer.wait()
    # A lock dies with its process; what it has left can be removed then.
    count = "1 file" if arguments == ["--old"] else "2 files"
    assert run("clear", *arguments)[1] == f"{count} removed, 1.0 MB\n"


def test_clear_of_an_empty_cache(run: Run, tables: Path) -> None:
    for arguments in (["all"], ["--old"], ["selfish-5"]):
        assert run("clear", *arguments) == (0, "0 files removed, 0.0 MB\n", "")
    assert not tables.exists()


def test_clear_leaves_a_directory_alone(run: Run, filled: Path) -> None:
    path = file_of(SELFISH)
    path.unlink()
    path.mkdir()
    assert run("clear", "all")[1] == "1 file removed, 2.0 MB\n"
    assert path.is_dir()


def test_clear_says_what_it_cannot_remove(
    run: Run, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file_of(SELFISH)

    def unlink(self: Path, missing_ok: bool = False) -> None:
        if self == path:  # as root, permission bits do not bind
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))
        os.unlink(self)

    monkeypatch.setattr(Path, "unlink", unlink)
    status, out, err = run("clear", "all")
    assert status == 1
    assert str(path) in err
    assert "Traceback" not in err
    assert out == ""


# --------------------------------------------------------------------------- as its own process


def process(cache: Path, *arguments: str) -> "subprocess.Popen[str]":
    """The command line as a process of its own, on a cache of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "ghostsim.study", "tables", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": str(Path(ghostsim.__file__).parents[1]),
            "GHOSTSIM_CACHE_DIR": str(cache),
        },
        cwd=tempfile.gettempdir(),
    )


def finished(cache: Path, *arguments: str) -> tuple[int, str, str]:
    started = process(cache, *arguments)
    out, err = started.communicate(timeout=300)
    assert "Traceback" not in err
    return started.returncode, out, err


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache directory with compiled kernels, where there are some, but without tables."""
    cache = tmp_path / "cache"
    cache.mkdir()
    own = cache_directory()
    if own is not None and (own / "jit").is_dir():
        shutil.copytree(own / "jit", cache / "jit")
    return cache


def test_from_an_empty_cache_and_back(cache: Path) -> None:
    tables = cache / "tables"
    what = "coalition-4: coalition, 4 tricks:"
    assert finished(cache, "build", "coalition-4") == (0, f"{what} built, 2.0 MB\n", "")
    assert finished(cache, "verify") == (0, f"{what} right (7,000 positions built afresh)\n", "")
    status, out, err = finished(cache, "status")
    assert (status, err) == (0, "")
    assert out.startswith(f"1 table built, 2.0 MB in all: {tables}\n")
    status, out, err = finished(cache, "clear", "all")
    assert (status, err) == (0, "")
    assert re.fullmatch(r"(1 file|2 files) removed, 2\.0 MB\n", out)
    assert list(tables.iterdir()) == []
    assert list((cache / "jit").rglob("*.nbi"))


def test_a_cache_that_can_only_be_read(cache: Path, ready: Path) -> None:
    # As root, permission bits do not bind: so a disk without room stands for a disk of others.
    shutil.copytree(ready, cache / "tables", copy_function=os.link)
    code = (
        "import shutil, sys\n"
        "usage = shutil.disk_usage('.')\n"
        "shutil.disk_usage = lambda _: usage._replace(free=0)\n"
        "from ghostsim.study.cli import main\n"
        "sys.exit(max(main(['tables', *a.split()]) for a in sys.argv[1:]))\n"
    )
    before = {path: path.stat().st_mtime_ns for path in cache.rglob("*")}
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", code, "build selfish-4", "status", "verify"],
        capture_output=True,
        text=True,
        env={**os.environ, "GHOSTSIM_CACHE_DIR": str(cache)},
    )
    assert done.returncode == 0, done.stderr
    first, *status, coalition, selfish, points = done.stdout.splitlines()
    assert first == "selfish-4: selfish, 4 tricks, for tricks: was there, 4.0 MB"
    assert status[0].startswith("2 tables built")
    for line in (coalition, selfish, points):
        assert line.endswith("right (7,000 positions built afresh)")
    assert done.stderr.count("cannot be written (No space left on device)") == 1
    assert {path: path.stat().st_mtime_ns for path in cache.rglob("*")} == before


def test_an_unwritable_cache(tmp_path: Path) -> None:
    # Below a file no directory can be made, not even by root.
    (tmp_path / "file").write_text("")
    status, out, err = finished(tmp_path / "file" / "cache", "build", "coalition-4")
    assert status == 1
    assert out == "coalition-4: coalition, 4 tricks: built, 2.0 MB, but it cannot be kept\n"
    assert err.count("cannot be written") == 1
    assert (tmp_path / "file").read_text() == ""


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent otherwise on Windows")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_build_leaves_nothing(cache: Path, ready: Path, sent: int) -> None:
    shutil.copytree(ready, cache / "tables", copy_function=os.link)
    listen = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from ghostsim import endgames\n"
        "real = endgames.build_table\n"
        "def build_table(n, *arguments):\n"
        "    print('building', file=sys.stderr, flush=True)\n"
        "    real(n, *arguments)\n"
        "endgames.build_table = build_table\n"
        "from ghostsim.study.cli import main\n"
        "sys.exit(main(['tables', 'build', 'coalition-5', '--jobs', '1']))\n"
    )
    started = subprocess.Popen(
        [sys.executable, "-c", listen],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "GHOSTSIM_CACHE_DIR": str(cache)},
    )
    assert started.stderr is not None
    assert started.stderr.readline() == "building\n"
    started.send_signal(sent)
    out, err = started.communicate(timeout=60)
    assert started.returncode == (130 if sent == signal.SIGINT else 128 + signal.SIGTERM)
    assert "Traceback" not in err
    assert out == ""
    assert names_in(cache / "tables") == names_in(ready)
