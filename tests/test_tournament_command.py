"""The command ``tournament``: what it prints, what it writes, what it refuses."""

import csv
import io
import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ghostsim.rules import Rules
from ghostsim.simulate.tournament import play_tournament
from ghostsim.strategies import strategy_names
from ghostsim.study.cli import main
from ghostsim.study.output import csv_text
from ghostsim.study.tournament_command import TABLES
from ghostsim.study.tournament_report import TournamentParameters, answer, notes

Run = Callable[..., tuple[int, str, str]]
THREE = ("steady", "novice", "random")

PASSER = '''\
from ghostsim.cards import Suit
from ghostsim.strategies import Strategy, careful_card


class Passer(Strategy):
    """Never bids."""

    def bid(self, view):
        return None

    def name_trump(self, view):
        return Suit.SPADES

    def play(self, view):
        return careful_card(view)
'''


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command in this process: status, output, error output."""

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(["tournament", *arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


# ----------------------------------------------------------------------------------------- printed


def test_a_tournament_to_read(run: Run) -> None:
    status, out, err = run(*THREE, "--games", "30")
    assert status == 0
    first, second, *rest = out.split("\n")
    assert first == "Which strategy wins, and by how much?"
    assert second.startswith("steady wins ")
    text = "\n".join(rest)
    for heading in ("win rate", "points a deal", "points a game", "rating", "-inf [-, -]", "±"):
        assert heading in text
    assert text.endswith("Rules: standard rules.\n")
    assert "random: -inf, as it never won" in " ".join(text.split())
    assert err == "30 sets of cards, 1 table of three, 6 orders of seats: 180 games\n"
    assert max(map(len, out.splitlines())) <= 100


def test_quiet(run: Run) -> None:
    status, out, err = run("steady", "novice", "--games=5", "--quiet", "--jobs=1")
    assert (status, err) == (0, "")
    assert "6 orders of seats" in out


@pytest.mark.parametrize("name", TABLES)
def test_each_table_as_csv_and_as_text(run: Run, name: str) -> None:
    expected = play_tournament(THREE, 6, seed=2).to_frame(name)
    status, out, _ = run(*THREE, "--games=6", "--seed=2", "--format=csv", "--table", name)
    assert (status, out) == (0, csv_text(expected))
    status, out, _ = run(*THREE, "--games=6", "--seed=2", "--table", name)
    assert status == 0
    assert "Which strategy" not in out
    # Title, headings, a line for each row; a square for the cross table.
    rows = 3 if name == "cross" else len(expected)
    assert len([line for line in out.splitlines() if line.startswith("  ")]) == rows + 1


def test_csv_prints_the_ranking_unless_told(run: Run) -> None:
    _, out, _ = run(*THREE, "--games=6", "--format=csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["strategy"] for row in rows] == ["steady", "novice", "random"]
    assert float(rows[0]["win_rate_low"]) <= float(rows[0]["win_rate"])


def test_json(run: Run) -> None:
    _, out, _ = run(*THREE, "--games=6", "--rule", "moon_points=12", "--format=json")
    answered = json.loads(out)
    assert answered["study"] == "tournament"
    assert list(answered["tables"]) == ["ranking", "cross", "seats", "games"]
    parameters = answered["parameters"]
    assert parameters["strategies"] == list(THREE)
    assert (parameters["games"], parameters["rules"]["moon_points"]) == (6, 12)
    # An infinite rating is missing in JSON, which has no word for it.
    assert answered["tables"]["ranking"][-1]["rating"] is None


def test_long_names_become_numbers_above_the_square(run: Run) -> None:
    longer = [f"steady:moon={moon},four=6,five=7" for moon in (8, 9, 10, 11)]
    _, out, _ = run(*longer, "--games=4", "--table=cross")
    heading, *rows = out.splitlines()[2:]
    assert heading.split() == ["minus", "(1)", "(2)", "(3)", "(4)"]
    assert [row.split()[1] for row in rows] == ["(1)", "(2)", "(3)", "(4)"]


def test_two_that_play_alike(run: Run) -> None:
    # Where nobody may revoke, cheat is odds.
    _, out, _ = run("odds", "cheat", "--games=10")
    assert "cheat and odds win equally often in every set of cards: 33.3% of" in " ".join(
        out.split()
    )


def test_a_strategy_from_a_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(PASSER)
    status, out, err = run("steady", f"{file}:Passer", "--games=2", "--jobs=1")
    assert status == 0
    assert "passer: no compiled form" in err
    # In both sets of cards steady won whenever it could: no scatter, and no tie either.
    assert "steady wins " in out and "equally often" not in out
    assert "With so few sets intervals are narrower" in " ".join(out.split())


def test_games_given_up(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(PASSER)
    _, out, _ = run("random", f"{file}:Passer", "--games=2", "--max-deals=2", "--jobs=1")
    text = " ".join(out.split())
    assert "Nobody knows: too few games were finished within 2 deals." in text
    assert "12 of the 12 games were not finished within 2 deals" in text
    assert "- [-, -]" in out


def test_who_sees_all_cards_is_told(run: Run) -> None:
    _, out, _ = run("peek", "novice", "--allow-peek", "--games=2")
    assert "peek saw all cards: an upper bound" in out
    _, out, _ = run("cheat", "novice", "--games=2", "--revoke-detection=0.25")
    assert "Revokes stand, and are found out with a chance of 0.25." in out


def test_no_telling_who_is_best() -> None:
    result = play_tournament(["steady", "novice"], 50)
    assert result.lead is not None and result.lead.low > 0
    assert "luck" not in answer(result)
    unsure = replace(result, lead=replace(result.lead, value=0.02, low=-0.01, high=0.05))
    assert answer(unsure).startswith("No telling who is best by games won: steady wins ")
    assert "the difference, +2.0 [-1.0, +5.0] percentage points, may be luck;" in answer(unsure)
    assert answer(unsure).endswith(" points a deal more than novice: this is clear.")
    for low, high, ending in (
        (-0.01, 0.05, "steady gets +0.020 [-0.010, +0.050] points a deal more than novice: this"),
        (-0.05, -0.01, "novice gets +0.020 [+0.010, +0.050] points a deal more than steady: this"),
    ):
        value = 0.02 if high > 0 else -0.02
        cross = [
            replace(
                one, points_per_deal=replace(one.points_per_deal, value=value, low=low, high=high)
            )
            for one in unsure.cross
        ]
        told = answer(replace(unsure, cross=tuple(cross)))
        assert ending in told
        assert told.endswith("this may be luck too." if high > 0 else "this is clear.")


def test_shares_are_shown_in_percent(run: Run) -> None:
    _, out, _ = run(*THREE, "--games=300", "--table=games")
    lines = {line.strip().split("  ")[0]: line for line in out.splitlines()}
    assert lines["won by one who was behind then"].endswith("of ties")
    result = play_tournament(THREE, 300)
    how = {one.quantity: one.value for one in result.how}
    length, moon = how["length"], how["decided by a made moon"]
    assert length is not None and moon is not None
    assert f" {length.value:.2f} [{length.low:.2f}, {length.high:.2f}]  deals a game" in out
    assert f" {moon.value:.1%} [{100 * moon.low:.1f}, {100 * moon.high:.1f}]  of games" in out


def test_the_worst_fit_of_the_ratings_is_told() -> None:
    result = play_tournament([*THREE, "odds"], 50)
    about = notes(result)[1]
    worst = max(
        (one for one in result.by_table if one.win_rate is not None),
        key=lambda one: abs(one.win_rate.value - one.rated_win_rate) if one.win_rate else 0,
    )
    assert worst.win_rate is not None
    assert f"at the table {worst.table}, where they do worst, {worst.strategy} wins" in about


# ------------------------------------------------------------------------------------------ folders


def test_a_folder(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    status, out, err = run(*THREE, "--games=6", "--level=0.9", "--out", str(folder), "--jobs=1")
    assert status == 0
    names = {f"{name}.csv" for name in TABLES}
    names |= {"tournament.svg", "tournament.png", "manifest.json"}
    assert {file.name for file in folder.iterdir()} == names | {"blocks.sqlite3"}
    assert f"written to {folder}" in err
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["parameters"]["level"] == 0.9
    # The command of the manifest makes the same files, with any number of jobs.
    words = shlex.split(manifest["command"])
    assert words[:4] == ["python", "-m", "ghostsim.study", "tournament"]
    again = tmp_path / "again"
    status, same, _ = run(*words[4:], "--out", str(again), "--jobs=2")
    assert (status, same) == (0, out)
    for name in names:
        assert (again / name).read_bytes() == (folder / name).read_bytes(), name


def test_nothing_is_overwritten_unasked(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    status, _, err = run("steady", "novice", "--games=2", "--out", str(tmp_path))
    assert status == 2
    assert "(mine.txt): nothing is overwritten" in err
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_the_command_says_all_that_matters() -> None:
    parameters = TournamentParameters(
        strategies=("odds", "peek"),
        games=7,
        tables="all",
        seed=3,
        level=0.9,
        rules=Rules(moon_points=12),
        max_deals=99,
        revoke_detection=0.5,
        allow_peek=True,
        n_jobs=4,
    )
    assert parameters.arguments() == [
        *("odds", "peek", "--games=7", "--tables=all", "--seed=3", "--level=0.9"),
        *("--rule=moon_points=12", "--revoke-detection=0.5", "--max-deals=99", "--allow-peek"),
    ]
    assert parameters.to_dict() == {
        "strategies": ["odds", "peek"],
        "games": 7,
        "tables": "all",
        "seed": 3,
        "level": 0.9,
        "max_deals": 99,
        "revoke_detection": 0.5,
        "allow_peek": True,
        "rules": Rules(moon_points=12).to_dict(),
    }


# --------------------------------------------------------------------------------- the list, errors


@pytest.mark.parametrize("arguments", [(), ("--list",), ("odds", "--list")])
def test_the_list_of_strategies(run: Run, arguments: tuple[str, ...]) -> None:
    status, out, err = run(*arguments)
    assert (status, err) == (0, "")
    named = [line.split()[0] for line in out.splitlines() if not line.startswith(" ")]
    assert named == list(strategy_names())
    assert "odds:open_points=0.0,over_points=0.0" in out


def test_the_list_for_programs(run: Run) -> None:
    _, out, _ = run("--list", "--format=json")
    rows = json.loads(out)
    assert [row["strategy"] for row in rows] == list(strategy_names())
    assert rows[3]["parameters"] == {"open_points": 0.0, "over_points": 0.0}
    _, out, _ = run("--list", "--format=csv")
    assert [row["strategy"] for row in csv.DictReader(io.StringIO(out))] == list(strategy_names())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("steady",), "a tournament takes two strategies or more, not 1"),
        (("steady", "steady"), "steady is given twice"),
        (("steady", "peek"), "peek sees all cards"),
        (("steady", "stedy"), "did you mean 'steady'?"),
        (("steady", "odds", "--tables=distinct"), "'distinct' takes three strategies"),
        (("steady", "odds", "--games=1"), "'1' is not a number of games"),
        (("steady", "odds", "--games=many"), "'many' is not a number of games"),
        (("steady", "odds", "--revoke-detection=2"), "'2' is not a chance"),
        (("steady", "odds", "--revoke-detection=nan"), "'nan' is not a chance"),
        (("steady", "odds", "--max-deals=0"), "'0' is not a whole number above 0"),
        (("steady", "odds", "--tables=some"), "invalid choice: 'some'"),
        (("steady", "odds", "--table=winners"), "invalid choice: 'winners'"),
        (("steady", "odds", "--rule=moon_points"), "write it FIELD=VALUE"),
    ],
)
def test_mistakes_are_told_in_a_sentence(
    run: Run, arguments: tuple[str, ...], message: str
) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
