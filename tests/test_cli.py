"""The command line as a stranger meets it: output, errors, exit status, interruption."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from ghostsim import __version__
from ghostsim._cache import cache_directory
from ghostsim.study.cli import main
from ghostsim.study.registry import STUDIES
from ghostsim.table_files import table_path

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process: exit status, standard output, standard error."""

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(list(arguments))
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "ghostsim.study", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=300,
    )


# What it answers


def test_list_names_every_study(run: Run) -> None:
    status, out, _ = run("list")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == list(STUDIES)
    assert all(study.question in out for study in STUDIES.values())


@pytest.mark.parametrize("form", ["csv", "json"])
def test_list_for_programs(run: Run, form: str) -> None:
    _, out, _ = run("list", "--format", form)
    if form == "json":
        names = [row["study"] for row in json.loads(out)]
    else:
        names = pd.read_csv(io.StringIO(out))["study"].tolist()
    assert names == list(STUDIES)


def test_swap_value_answers_the_question_first(run: Run) -> None:
    status, out, err = run("swap-value", "--deals", "2000")
    assert status == 0
    question, answer, *_ = out.splitlines()
    assert question == STUDIES["swap-value"].question
    assert answer.startswith("If nobody else bids, swap 64.3% of hands.")
    for heading in ("by what you see", "break-even hands", "check by simulation: 2,000 deals"):
        assert heading in out
    assert "18,133" in err
    assert "\x1b" not in out + err


def test_quiet_is_quiet(run: Run) -> None:
    assert run("bid-success", "--deals", "0", "--quiet")[2] == ""


def test_no_check_without_deals(run: Run) -> None:
    status, out, _ = run("bid-success", "--deals", "0")
    assert status == 0
    assert "check by simulation" not in out


def test_csv_is_one_tidy_table(run: Run) -> None:
    _, out, _ = run("swap-value", "--deals", "0", "--format", "csv")
    frame = pd.read_csv(io.StringIO(out))
    assert list(frame)[:3] == ["trumps", "bowers", "outside_aces"]
    assert frame["hands"].sum() == 134_596
    _, out, _ = run("swap-value", "--deals", "0", "--format", "csv", "--table", "classes")
    assert len(pd.read_csv(io.StringIO(out))) == 18_133


def test_json_can_be_read_back(run: Run) -> None:
    _, out, _ = run("bid-success", "--deals", "1000", "--seed", "5", "--format", "json")
    answer = json.loads(out)
    assert answer["study"] == "bid-success"
    assert answer["parameters"]["seed"] == 5
    assert set(answer["tables"]) == {"bids", "by_holding", "check"}
    assert [row["bid"] for row in answer["tables"]["bids"]] == ["3", "4", "5", "moon", "pass"]


def test_one_table_as_text(run: Run) -> None:
    _, out, _ = run("swap-value", "--deals", "0", "--table", "headline")
    assert out.startswith("mean over all 134,596 hands")
    assert "break-even" not in out


def test_rules_can_be_changed(run: Run) -> None:
    quick = ("--deals", "0", "--format", "json", "--table", "bids")
    _, out, _ = run("bid-success", *quick, "--rule", "min_bid=5", "--rule", "moon_points=12")
    answer = json.loads(out)
    assert answer["parameters"]["rules"]["moon_points"] == 12
    assert [row["bid"] for row in answer["tables"]["bids"]] == ["5", "moon", "pass"]
    _, out, _ = run("bid-success", *quick, "--rules", "half-moon")
    assert json.loads(out)["parameters"]["rules"]["moon_points"] == 12


def test_one_hand(run: Run) -> None:
    status, out, _ = run("hand", "JS", "JC", "AS", "KS", "AH", "9D")
    assert status == 0
    assert "Keep it and bid 3 in spades: 5.001 points a deal" in out
    assert run("hand", "js jc as ks ah 9d")[1] == out
    _, out, _ = run("hand", "9S TS 9C TC 9H TH")
    assert "Swap: the ghost is worth 2.779 points a deal, this hand 0.000 (pass)" in out
    _, out, _ = run("hand", "9S TS 9C TC 9H TH", "--dead", "AS KS AC KC AH KH", "--format", "json")
    answer = json.loads(out)
    assert answer["dead"] == "AS KS AC KC AH KH"
    assert answer["swap_points"] is None
    assert len(answer["bids"]) == 16
    _, out, _ = run("hand", "JS JC AS KS AH 9D", "--rule", "min_bid=5", "--format", "csv")
    assert pd.read_csv(io.StringIO(out))["bid"].unique().tolist() == [5, 6]
    _, out, _ = run("hand", "9S TS 9C TC 9H TH", "--rules", "no-swap")
    assert "Pass: 0.000 points a deal (exact)." in out


def test_tricks_of_one_hand_with_one_trump(run: Run) -> None:
    hand = ("hand", "JS JC AS KS AH 9D", "--trump")
    _, out, _ = run(*hand, "s")
    assert "tricks with spades trump, 17,153,136 layouts, mean 5.001" in out
    assert "     5  17,141,124    99.9%    100.0%" in out
    _, out, _ = run(*hand, "spades", "--format", "csv")
    assert pd.read_csv(io.StringIO(out))["layouts"].tolist()[5:] == [17_141_124, 12_012]
    _, out, _ = run(*hand, "♠", "--format", "json")
    assert json.loads(out)["tricks"]["distribution"][6]["layouts"] == 12_012


def test_rules_without_effect_are_named(run: Run) -> None:
    _, out, _ = run("bid-success", "--deals", "0", "--rules", "silent-defenders")
    assert "No number here depends on defenders_score." in out


def test_help_names_all_that_can_be_asked(run: Run) -> None:
    status, out, _ = run("--help")
    assert status == 0
    for name in (*STUDIES, "list", "publish", "verify", "patterns", "exit status"):
        assert name in out
    _, out, _ = run("swap-value", "--help")
    for word in ("--deals", "--seed", "--level", "--rule", "--out", "--format", "--jobs", "solo"):
        assert word in out
    for table in STUDIES["swap-value"].tables:
        assert table in out


def test_no_arguments_show_the_help(run: Run) -> None:
    status, out, _ = run()
    assert status == 0
    assert "commands, and studies (marked *)" in out


def test_version(run: Run) -> None:
    assert run("--version") == (0, f"ghostsim {__version__}\n", "")


def test_seed_jobs_and_deals_written_differently_change_nothing(run: Run) -> None:
    form = ("--format", "csv", "--table", "check", "--seed", "3")
    first = run("swap-value", "--deals", "60000", "--jobs", "1", *form)[1]
    assert run("swap-value", "--deals", "6e4", "--jobs", "2", *form)[1] == first
    assert run("swap-value", "--deals", "60_000", "--jobs", "-1", *form)[1] == first
    assert run("swap-value", "--deals", "60000", "--jobs", "1", *form[:-1], "4")[1] != first


# What it writes


def test_out_writes_tables_charts_and_manifest(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "results"
    status, _, err = run("swap-value", "--deals", "1000", "--out", str(folder))
    assert status == 0
    assert f"written to {folder}" in err
    manifest = json.loads((folder / "manifest.json").read_text())
    assert {path.name for path in folder.iterdir()} == {
        *(*manifest["files"], "manifest.json", manifest["blocks"])
    }
    assert {"classes.csv", "by_holding.csv", "swap_gain_by_holding.svg"} <= set(manifest["files"])
    assert manifest["command"] == (
        "python -m ghostsim.study swap-value --model=solo --deals=1000 --seed=0 --level=0.95"
    )
    assert manifest["parameters"]["rules"]["moon_points"] == 24
    assert manifest["versions"]["ghostsim"] == __version__
    assert list(folder.parent.iterdir()) == [folder], "nothing is left beside it"
    assert len(pd.read_csv(folder / "classes.csv")) == 18_133


def test_out_is_the_same_bytes_again(run: Run, tmp_path: Path) -> None:
    for name in ("first", "second"):
        jobs = "1" if name == "first" else "2"
        run("swap-value", "--deals", "1000", "--jobs", jobs, "--out", str(tmp_path / name))
    for path in (tmp_path / "first").iterdir():
        assert path.read_bytes() == (tmp_path / "second" / path.name).read_bytes(), path.name


@pytest.mark.usefixtures("quick_charts")
def test_the_command_in_a_manifest_makes_the_same_tables(run: Run, tmp_path: Path) -> None:
    rules = ("--rule", "moon_points=12", "--rules", "double-or-nothing")
    run("bid-success", "--deals", "500", "--seed", "9", *rules, "--out", str(tmp_path / "a"))
    command = json.loads((tmp_path / "a" / "manifest.json").read_text())["command"].split()
    assert command[:3] == ["python", "-m", "ghostsim.study"]
    assert run(*command[3:], "--out", str(tmp_path / "b"))[0] == 0
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path.name


@pytest.mark.usefixtures("quick_charts")
def test_overwrite_replaces_results_and_nothing_else(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    quick = ("bid-success", "--deals", "0", "--out", str(folder))
    assert run(*quick)[0] == 0
    status, _, err = run(*quick)
    assert status == 2
    assert "is not empty" in err
    assert run(*quick, "--overwrite")[0] == 0
    (folder / "thesis.tex").write_text("not ours")
    status, _, err = run(*quick, "--overwrite")
    assert status == 2
    assert "thesis.tex" in err
    assert (folder / "thesis.tex").read_text() == "not ours"


@pytest.mark.usefixtures("quick_charts")
def test_an_empty_folder_is_taken(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert run("bid-success", "--deals", "0", "--out", str(tmp_path / "empty"))[0] == 0
    assert (tmp_path / "empty" / "bids.csv").exists()


QUICK = ("bid-success", "--deals", "0", "--quiet")


@pytest.mark.usefixtures("quick_charts")
def test_a_folder_that_exists_is_kept_and_filled(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to("target")
    assert run(*QUICK, "--out", str(tmp_path / "link"))[0] == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target" / "manifest.json").exists()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert run(*QUICK, "--out", ".")[0] == 0
    assert (tmp_path / "here" / "bids.csv").exists()
    assert not list((tmp_path / "here").glob(".*"))


@pytest.mark.parametrize("exists", [True, False])
def test_what_appears_meanwhile_is_not_overwritten(tmp_path: Path, exists: bool) -> None:
    from ghostsim.study.output import OutputError, output_folder

    path = tmp_path / "results"
    if exists:
        path.mkdir()

    def compute() -> None:
        with output_folder(path) as staging:
            (staging / "manifest.json").write_text("{}")
            path.mkdir(exist_ok=True)
            (path / "precious.txt").write_text("mine")

    with pytest.raises(OutputError, match=r"nothing is overwritten|is not empty"):
        compute()
    assert [entry.name for entry in path.iterdir()] == ["precious.txt"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["results"]


def test_a_failed_run_leaves_no_new_folders(run: Run, tmp_path: Path) -> None:
    assert run("swap-value", "--rules", "no-swap", "--out", str(tmp_path / "a" / "b"))[0] == 2
    (tmp_path / "loop").symlink_to("loop")
    assert run(*QUICK, "--out", str(tmp_path / "loop"))[0] == 2
    assert [entry.name for entry in tmp_path.iterdir()] == ["loop"]


# What it refuses


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["swpa-value"],
            "is no command or study 'swpa-value': did you mean 'swap-value'? there are",
        ),
        (["solv"], "there is no command or study 'solv': did you mean 'solve'? there are play, h"),
        (["--quiet", "revew"], "there is no command or study 'revew': did you mean 'review'?"),
        (
            ["nonsense"],
            "or study 'nonsense': there are play, hand, solve, review, tournament, runs, list, ",
        ),
        (
            ["nonsense"],
            "tables, publish, verify, patterns, bid-success, defence-model, swap-value, ",
        ),
        (["swap-value", "--deals", "-5"], "'-5' deals cannot be simulated: write 2 to 1e12, or 0"),
        (["swap-value", "--deals", "1e9x"], "'1e9x' is not a number of deals: write it like"),
        (["swap-value", "--deals", "1"], "'1' deals cannot be simulated: write 2 to 1e12, or 0"),
        (["seat", "--precision", "0"], "'0' is not a precision: a half-width above 0, like 0.01"),
        (["seat", "--precision", "nan"], "'nan' is not a precision"),
        (["seat", "--precision", "abc"], "'abc' is not a precision"),
        (
            ["seat", "--precision", "0.1", "--deals", "100"],
            "--precision and --deals exclude each other: leave out --deals; --max-deals says how",
        ),
        (["tie-break", "--max-games", "100"], "--max-games is for --precision: say --games N"),
        (
            ["swap-value", "--precision", "0.1", "--max-deals", "0"],
            "argument --max-deals: '0' deals cannot be simulated: write 2 to 1e12",
        ),
        (
            ["tie-break", "--strategies", "steady", "--games", "9", "--table", "stopping"],
            "table 'stopping' was not made: there are ties, by_gap, extra, how_won; `stopping` "
            "needs --precision",
        ),
        (["tie-break", "--games", "1"], "'1' games cannot be simulated: write 2 to 1e12"),
        (
            ["seat", "--deals", "0", "--precision", "0.1"],
            "argument --deals: '0' deals cannot be simulated: write 2 to 1e12",
        ),
        (["swap-value", "--deals", "2.5"], "'2.5' is not a number of deals"),
        (["swap-value", "--deals", "1e13"], "write 2 to 1e12, or 0 for no check"),
        (["swap-value", "--deals"], "expected one argument"),
        (["swap-value", "--seed", "-1"], "'-1' is not a seed"),
        (["swap-value", "--level", "0.9999999999999999"], "at most 0.999999999"),
        (["swap-value", "--jobs", "100000"], "write 1 to 256, or -1 for all cores"),
        (["swap-value", "--deals", "\u0663"], "is not a number of deals"),  # an Arabic three
        (["swap-value", "--level", "95"], "'95' is not a level: write it like 0.95"),
        (["swap-value", "--jobs", "0"], "'0' is not a number of jobs"),
        (["swap-value", "--model", "table"], "invalid choice: 'table'"),
        (["swap-value", "--format", "xml"], "invalid choice: 'xml'"),
        (["swap-value", "--table", "tricks"], "invalid choice: 'tricks'"),
        (["swap-value", "--rule", "moon_points"], "write it FIELD=VALUE"),
        (["swap-value", "--rule", "moon=3"], "there is no rule 'moon': the rules are target"),
        (["swap-value", "--rule", "min_bid=9"], "min_bid must be 3 to 6, not 9"),
        (["swap-value", "--rules", "no-swap"], "these rules allow no swap"),
        (["swap-value", "--deals", "0", "--table", "check"], "`check` needs --deals"),
        (
            ["swap-value", "extra"],
            "unrecognized arguments: extra; 'ghostsim swap-value --help' tells what it takes",
        ),
        (
            ["game-length", "--max-deals", "50"],
            "unrecognized arguments: --max-deals 50; it counts games, so say --max-games; 'gh",
        ),
        (["seat", "--games=5"], "--games=5; it counts deals, so say --deals; 'ghostsim seat --h"),
        (
            ["tournament", "odds", "steady", "--deals", "5"],
            "it counts games, so say --games; 'ghostsim tournament --help' tells what it takes",
        ),
        (
            ["tournament", "odds", "--precision", "0.1"],
            "unrecognized arguments: --precision 0.1; it takes no precision; 'ghostsim tournament",
        ),
        (
            ["patterns", "verify", "--smaple", "5"],
            "--smaple 5; did you mean --sample? 'ghostsim patterns verify --help' tells what it",
        ),
        (["--foo"], "unrecognized arguments: --foo"),
        (
            ["resume", "X"],
            "or study 'resume': add --resume to the command of the run, which 'runs DIR' tells; ",
        ),
        (
            ["seat", "--precision", "2%"],
            "'2%' is not a precision: a half-width above 0, like 0.01, which of a share is one",
        ),
        (["defence-model", "--deals", "0"], "'0' deals cannot be simulated: write 2 to 1e12"),
        (["swap-value", "--rule", "min_bid=4", "--rule", "min_bid=5"], "min_bid is given twice"),
        (
            ["hand", "JS", "JC", "AS", "KS", "AH"],
            "hand 'JS JC AS KS AH': 6 cards are needed, not 5",
        ),
        (["hand", "JS JC AS KS AH 9D TD"], "6 cards are needed, not 7"),
        (["hand", "JS JC AS KS AH AH"], "card 6 AH comes twice"),
        (["hand", "SJ JC AS KS AH 9D"], "card 1 'SJ' is not a card (write the rank"),
        (["hand", "JS JC AS KS AH 9D", "--dead", "JS TS QS KC QC TC"], "shares JS with the hand"),
        (["hand", "JS JC AS KS AH 9D", "--trump", "X"], "trump 'X' is not a suit: use S C H D"),
        (["hand"], "the following arguments are required: CARD"),
        (["patterns"], "the following arguments are required: ACTION"),
        (["patterns", "verify", "--sample", "0"], "'0' is not a whole number above 0"),
        (["patterns", "verify", "--file", "missing.npz"], "opening patterns missing.npz cannot"),
        (["patterns", "build"], "say --overwrite to replace it"),
        (["publish", "nothing", "--root", "/nonexistent"], "run this in a clone, or say --root"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_says_what_is_allowed(run: Run, arguments: list[str], message: str) -> None:
    status, out, err = run(*arguments)
    assert status == 2
    assert message in err
    assert out == ""
    assert "Traceback" not in err


def test_out_that_is_a_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("precious")
    status, _, err = run("swap-value", "--out", str(path))
    assert status == 2
    assert f"the output folder {path} is a file" in err
    assert path.read_text() == "precious"


def test_out_below_a_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    status, _, err = run("swap-value", "--out", str(tmp_path / "file" / "results"))
    assert status == 2
    assert "cannot be made" in err


def test_a_damaged_table_file(tmp_path: Path) -> None:
    cache = {"GHOSTSIM_CACHE_DIR": str(tmp_path)}
    usual = cache_directory()
    assert usual is not None
    shutil.copytree(usual / "jit", tmp_path / "jit")  # what is compiled, but no table
    assert process("bid-success", "--deals", "10", "--quiet", **cache).returncode == 0
    here = table_path("coalition-4")
    assert here is not None
    table = tmp_path / "tables" / here.name
    content = bytearray(table.read_bytes())
    content[100_000] ^= 1
    table.write_bytes(content)
    done = process("bid-success", "--deals", "10", **cache)
    assert done.returncode == 2
    assert f"the endgame table {table} is damaged (its checksum is wrong): delete it" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


# How it stops


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent otherwise on Windows")
@pytest.mark.parametrize("delay", [0.0, 0.3, 1.0, 4.0])
def test_interrupt_leaves_nothing_half_written(tmp_path: Path, delay: float) -> None:
    folder = tmp_path / "results"
    command = ["swap-value", "--deals", "1e9", "--out", str(folder)]
    started = subprocess.Popen(
        [sys.executable, "-m", "ghostsim.study", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stderr is not None
    assert "counting the odds" in started.stderr.readline()  # begun; the rest is ours to handle
    time.sleep(delay)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert started.returncode == 130
    assert "Traceback" not in err
    assert out == ""
    if not folder.exists():
        assert err.splitlines()[-1].startswith("interrupted: nothing is kept")
        assert list(tmp_path.iterdir()) == []
        return
    # Blocks that were done are there, and nothing else is.
    assert {path.name for path in folder.iterdir()} <= {"blocks.sqlite3", "blocks.lock"}
    assert re.search(r"^interrupted: [\d,]+ of 1,000,000,000 deals are kept", err, re.MULTILINE)
    assert err.splitlines()[-1].endswith("--resume")


@pytest.mark.skipif(os.name == "nt", reason="pipes close otherwise on Windows")
def test_a_closed_pipe_is_no_traceback() -> None:
    done = subprocess.run(
        f"{sys.executable} -m ghostsim.study bid-success --deals 0 --format csv --table classes "
        "--quiet | head -n 1",
        shell=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("hand,hands")
    assert done.stderr == ""


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals to handle on Windows")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_terminated_it_cleans_up(tmp_path: Path, number: signal.Signals) -> None:
    started = subprocess.Popen(
        [sys.executable, "-m", "ghostsim.study", "swap-value", "--out", str(tmp_path / "results")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stderr is not None
    assert "counting the odds" in started.stderr.readline()
    started.send_signal(number)
    out, err = started.communicate(timeout=60)
    assert started.returncode == 128 + number
    assert "Traceback" not in err
    assert out == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="shells close streams otherwise on Windows")
def test_closed_streams() -> None:
    python = f"{sys.executable} -m ghostsim.study"
    done = subprocess.run(f"{python} list >&-", shell=True, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    command = f"{python} bid-success --deals 0 --format csv --table bids 2>&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.stdout.startswith("bid,p_make"), "no message among the data"


@pytest.mark.parametrize("home", ["~nosuchuser/cache", ""])
def test_no_home_to_keep_a_cache_in(home: str) -> None:
    script = "from ghostsim._cache import cache_directory; print(cache_directory())"
    environment = {name: value for name, value in os.environ.items() if name != "HOME"}
    environment["GHOSTSIM_CACHE_DIR"] = home
    if not home:  # as in a container: a user that no table of users knows
        script = (
            "import platformdirs\n"
            "def unknown(name): raise RuntimeError('Could not determine home directory.')\n"
            f"platformdirs.user_cache_dir = unknown\n{script}"
        )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment
    )
    assert done.stdout == "None\n"
    assert done.stderr.count("cannot be written (there is no home directory)") == 1


def test_patterns_verify_reports(run: Run) -> None:
    status, out, _ = run("patterns", "verify", "--sample", "20", "--quiet")
    assert status == 0
    assert "20 patterns (18,480 layouts) are right" in out
