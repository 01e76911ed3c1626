"""The command ``solve``: lines in, answers out, and what it says about lines that are wrong.

What a position is worth is tested in ``test_batches`` and ``test_solver``. Here: that the command
asks about what the line says, and that nothing is lost or changed on the way out.
"""

import csv
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import oracle
from ghostsim.deals import Deal
from ghostsim.position import Position
from ghostsim.rules import VARIANTS, Bid
from ghostsim.solver import best_line, card_values, format_line, solve
from ghostsim.study import position_lines
from ghostsim.study.cli import main
from strategies import bids, positions

Run = Callable[..., tuple[int, str, str]]
COMMAND = [sys.executable, "-m", "ghostsim.study", "solve"]

DEAL = "JS JC AS KS AH 9D / QS TS 9S AC KC QC / TC 9C KH QH JH TH"
#: The declarer does best to lose the diamond first: who wins it must lead into his trumps.
ENDING = "JS AS 9D / JC 9S KD / KH QH TD / trump S / leader 0 / tricks 3 0 0 / bid 5"
IN_TRICK = "QH / 9C / AH 9H / trump S / leader 0 / trick TH KH / tricks 3 1 0 / bid 4"
OVER = "- / - / - / trump H / leader 1 / tricks 1 2 3"
NO_BID = "JS AS / JC 9S / KH QH / trump S / leader 0 / tricks 3 1 0"
#: One of each kind, in both notations.
MIXED = [
    f"{DEAL} / trump S / bid moon",
    Position.parse(ENDING).to_json(),
    IN_TRICK,
    OVER,
    NO_BID,
    f"{DEAL} / trump D / declarer 2 / plays TC JC AC",
]


class Stdin(io.TextIOWrapper):
    """Standard input with these bytes in it, and nobody typing."""

    def __init__(self, content: bytes) -> None:
        super().__init__(io.BytesIO(content), encoding="utf-8")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``solve`` in this process, on this standard input: status, output, error output."""

    def run(*arguments: str, stdin: str | bytes = b"") -> tuple[int, str, str]:
        content = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", Stdin(content))
        status = main(["solve", *arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def answers(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def table(out: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out)))


def process(*arguments: str, stdin: bytes | None = None) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [*COMMAND, *arguments],
        input=stdin,
        capture_output=True,
        timeout=120,
    )


# ---------------------------------------------------------------------- where positions come from


ONE = '{"line": 1, "trump": "S", "declarer": 0, "to_play": 0, '


@pytest.mark.parametrize(
    "arguments",
    [
        [*DEAL.split(), "/", "trump", "S"],
        [f"{DEAL} / trump S"],
        [*DEAL.split(), "--trump", "S"],
        ["--trump", "spades", DEAL],
        [DEAL.lower(), "/ TRUMP s", "--trump", "H"],
        [json.dumps({"hands": DEAL.split(" / "), "trump": "S"})],
    ],
)
def test_a_position_as_arguments(run: Run, arguments: list[str]) -> None:
    status, out, err = run(*arguments, "--format", "json")
    assert (status, err) == (0, "")
    (answer,) = answers(out)
    assert Position.from_dict(answer["position"]) == Position(DEAL.split(" / "), "S")
    assert answer["declarer_tricks"] == 6
    assert out.startswith(ONE)


def test_an_empty_hand_as_an_argument(run: Run) -> None:
    words = [
        "AS",
        "/",
        "KS",
        "/",
        "-",
        "/",
        "trump",
        "S",
        "/",
        "leader",
        "2",
        "/",
        "trick",
        "JC",
        "/",
        "tricks",
        "1",
        "1",
        "3",
    ]
    (answer,) = answers(run(*words, "--format", "json")[1])
    assert answer["position"]["hands"] == ["AS", "KS", ""]
    assert answer["to_play"] == 0


@pytest.mark.parametrize("source", ["file", "file -", "-", "nothing"])
def test_lines_from_a_file_and_from_standard_input(run: Run, tmp_path: Path, source: str) -> None:
    text = "\n".join(MIXED)
    path = tmp_path / "positions.txt"
    path.write_text(text)
    arguments = {
        "file": ["--file", str(path)],
        "file -": ["--file", "-"],
        "-": ["-"],
        "nothing": [],
    }[source]
    status, out, err = run(
        *arguments, "--format", "json", stdin="no position" if source == "file" else text
    )
    assert (status, err) == (0, "")
    expected = [Position.parse(line) for line in MIXED]
    assert [Position.from_dict(answer["position"]) for answer in answers(out)] == expected
    assert [answer["line"] for answer in answers(out)] == [1, 2, 3, 4, 5, 6]


def test_comments_empty_lines_and_marks_of_other_systems(run: Run) -> None:
    lines = [
        "\N{BYTE ORDER MARK}# deals of Monday",
        "",
        f"  {ENDING}\t",
        "   # indented",
        "\t",
        Position.parse(NO_BID).to_json(),
    ]
    content = "\r\n".join(lines).encode()
    _, out, _ = run("--format", "json", stdin=content)
    assert [answer["line"] for answer in answers(out)] == [3, 6]
    assert [answer["declarer_tricks"] for answer in answers(out)] == [5, 4]
    first = f"\N{BYTE ORDER MARK}{ENDING}\n\N{BYTE ORDER MARK}{NO_BID}"  # files put together
    _, out, _ = run("--format", "json", stdin=first)
    assert [answer["line"] for answer in answers(out)] == [1, 2]


def test_a_file_with_a_mark_of_its_byte_order(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "windows.txt"
    path.write_bytes(f"{ENDING}\r\n{NO_BID}\r\n".encode("utf-8-sig"))
    status, out, _ = run("--file", str(path), "--format", "csv")
    assert status == 0
    assert [row["declarer_tricks"] for row in table(out)] == ["5", "4"]


@pytest.mark.skipif(os.name == "nt", reason="shells are others on Windows")
def test_in_a_shell_of_a_strange_code(tmp_path: Path) -> None:
    # Lines are UTF-8 whatever the locale says.
    line = ENDING.replace("trump S", "trump ♠").replace("JS", "J♠")
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "ghostsim.study", "solve", "--format", "csv"],
        input=line.encode(),
        capture_output=True,
        env=environment,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert table(done.stdout.decode("ascii"))[0]["declarer_tricks"] == "5"


# ---------------------------------------------------------------------------------------- settings


def test_settings_for_lines_that_have_none(run: Run) -> None:
    lines = [
        DEAL,
        f"{DEAL} / trump C / declarer 0 / leader 2 / bid 3",
        json.dumps({"hands": DEAL.split(" / ")}),
        json.dumps({"hands": DEAL.split(" / "), "declarer": 2, "bid": None}),
    ]
    given = ["--trump", "H", "--declarer", "1", "--leader", "1", "--bid", "moon"]
    _, out, _ = run(*given, "--format", "json", stdin="\n".join(lines))
    hands = DEAL.split(" / ")
    assert [Position.from_dict(answer["position"]) for answer in answers(out)] == [
        Position(hands, "H", 1, 1, bid="moon"),
        Position(hands, "C", 0, 2, bid=3),
        Position(hands, "H", 1, 1, bid="moon"),
        Position(hands, "H", 2, 1, bid="moon"),
    ]


def test_plays_for_every_line(run: Run) -> None:
    other = "JS JC AS KS AC 9D / QS TS 9S AH KC QC / TC 9C KH QH JH TH"
    lines = f"{DEAL}\n{other}\n{DEAL} / plays JS TS"
    _, out, _ = run("--trump", "S", "--plays", "JS 9S", "--format", "json", stdin=lines)
    assert [answer["position"]["trick"] for answer in answers(out)] == ["JS 9S", "JS 9S", "JS TS"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--trump", "X"], "setting trump: trump 'X' is not a suit"),
        (["--declarer", "3"], "setting declarer: '3' is not a seat: seats are 0, 1 and 2"),
        (["--leader", ""], "setting leader: leader has no value"),
        (["--bid", "2"], "setting bid: bid '2' is not a bid: bids are 3, 4, 5 and moon"),
        (["--bid", "7", "--trump", "Q"], "trump 'Q' is not a suit"),
        (["--bid", "7", "--trump", "Q"], "; setting bid: bid '7' is not a bid"),
        (["--plays", "JS ZZ", "--trump", "S"], "line 1: setting plays, play 2: 'ZZ' is not a card"),
        (["--defence", "both"], "invalid choice: 'both'"),
        (["--objective", "money"], "invalid choice: 'money'"),
        (["--format", "xml"], "invalid choice: 'xml'"),
        (["--jobs", "0"], "'0' is not a number of jobs"),
        (["--rule", "min_bid=7"], "min_bid must be 3 to 6, not 7"),
        (["--rules", "nonsense"], "invalid choice: 'nonsense'"),
        (["--lines-at-once", "0"], "'0' is not a whole number above 0"),
        (["--trum", "S"], "unrecognized arguments: --trum"),
        (["--file"], "expected one argument"),
    ],
)
def test_settings_that_are_none(run: Run, arguments: list[str], message: str) -> None:
    status, out, err = run(*arguments, stdin=DEAL)
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
    # Of a wrong setting the lines are not to blame.
    assert err.count("\n") == 1 or "usage:" in err


# ------------------------------------------------------------------------- answers, in every form


def with_bid(position: Position, bid: Bid) -> Position:
    return Position.from_dict(position.to_dict() | {"bid": bid})


def expected_row(position: Position, number: int, **how: Any) -> dict[str, Any]:
    """A row as docs/solver.md describes it, from the position and from what is solved."""
    solution = solve(position, **how)
    row: dict[str, Any] = {
        "line": number,
        "trump": "SCHD"[position.trump],
        "declarer": position.declarer,
        "to_play": None if position.is_over else (position.leader + len(position.trick)) % 3,
        "defence": how.get("defence", "coalition"),
        "objective": how.get("objective", "tricks"),
        "declarer_tricks": solution.declarer_tricks,
    }
    if row["defence"] == "selfish":
        row |= dict(zip(("tricks_0", "tricks_1", "tricks_2"), solution.tricks, strict=True))
    row["bid"] = None if position.bid is None else {6: "moon"}.get(position.bid, str(position.bid))
    row["declarer_points"] = None if position.bid is None else solution.declarer_points
    return row


def expected_cards(position: Position, **how: Any) -> list[dict[str, Any]]:
    if position.is_over:
        return []
    values = card_values(position, **how)
    rows = []
    for card in position.legal:
        row: dict[str, Any] = {"seat": position.to_play, "card": str(card)}
        row["declarer_tricks"] = values[card]
        if how.get("defence") == "selfish":
            row |= {f"tricks_{seat}": values.tricks(card)[seat] for seat in range(3)}
        row |= {"cost": values.cost(card), "is_best": card in values.best}
        bid = position.bid is not None
        row["declarer_points"] = values.declarer_points(card) if bid else None
        row["cost_in_points"] = values.cost_in_points(card) if bid else None
        row["equals"] = " ".join(map(str, values.equals(card)))
        rows.append(row)
    return rows


def as_texts(row: dict[str, Any]) -> dict[str, str]:
    """A row as CSV has it: nothing for what is missing."""
    return {name: "" if value is None else str(value) for name, value in row.items()}


WAYS: list[dict[str, Any]] = [
    {},
    {"defence": "selfish"},
    {"defence": "selfish", "objective": "points"},
    {"objective": "points"},
]


def options_of(how: dict[str, str]) -> list[str]:
    return [word for name, value in how.items() for word in (f"--{name}", value)]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    some=st.lists(st.builds(with_bid, positions(), bids) | positions(), min_size=1, max_size=5),
    how=st.sampled_from(WAYS),
    as_json=st.booleans(),
    together=st.integers(1, 6),
)
def test_every_form_says_what_the_library_says(
    run: Run, some: list[Position], how: dict[str, Any], as_json: bool, together: int
) -> None:
    if "objective" in how:
        some = [position if position.bid else with_bid(position, Bid.FOUR) for position in some]
    text = "\n".join(position.to_json() if as_json else position.text for position in some)
    asked = [*options_of(how), "--jobs", "1", "--lines-at-once", str(together)]
    rows = [expected_row(position, i, **how) for i, position in enumerate(some, start=1)]
    places = [position.text for position in some]
    lines = [best_line(position, **how) for position in some]
    plays = [" ".join(str(card) for _, card in line) for line in lines]
    cards = [expected_cards(position, **how) for position in some]

    _, out, err = run(*asked, "--format", "csv", stdin=text)
    assert err == ""
    assert table(out) == [
        as_texts(row | {"position": place}) for row, place in zip(rows, places, strict=True)
    ]
    _, out, _ = run(*asked, "--format", "csv", "--line", stdin=text)
    assert table(out) == [
        as_texts(row | {"best_line": play, "position": place})
        for row, play, place in zip(rows, plays, places, strict=True)
    ]
    assert list(table(out)[0]) == [*rows[0], "best_line", "position"]  # in the order of the docs
    _, out, _ = run(*asked, "--format", "csv", "--cards", stdin=text)
    assert table(out) == [
        as_texts({"line": i} | row) for i, rows_ in enumerate(cards, start=1) for row in rows_
    ]
    _, out, _ = run(*asked, "--format", "json", "--cards", "--line", stdin=text)
    assert answers(out) == [
        row
        | {"position": position.to_dict(), "cards": of_cards}
        | {"best_line": [{"seat": seat, "card": str(card)} for seat, card in line]}
        for row, position, of_cards, line in zip(rows, some, cards, lines, strict=True)
    ]
    if len(some) > 1:
        _, out, _ = run(*asked, "--line", stdin=text)
        heading, *body = out.splitlines()
        assert heading.split() == [*rows[0], "best_line", "position"]
        assert len(body) == len(some)
        for line, row, place in zip(body, rows, places, strict=True):
            assert line.split()[: len(row)] == [
                "-" if value is None else str(value) for value in row.values()
            ]
            assert line.endswith(place)


def to_come(position: Position) -> int:
    """The declarer's tricks of the deal against the coalition, by the oracle."""
    hands = [[str(card) for card in hand] for hand in position.hands]
    played = [str(card) for card in position.trick]
    if position.is_over:
        return position.tricks[position.declarer]
    values = oracle.coalition_card_tricks(
        hands, position.trump.letter, position.declarer, position.leader, played
    ).values()
    best = max(values) if position.to_play == position.declarer else min(values)
    return position.tricks[position.declarer] + best


def test_values_are_those_of_the_oracle(run: Run) -> None:
    some = [Position.parse(line) for line in MIXED]
    some += [Position(Deal.random(seed=9, index=i).hands, "SCHD"[i % 4], i % 3) for i in range(6)]
    text = "\n".join(position.text for position in some)
    tricks = [row["declarer_tricks"] for row in table(run("--format", "csv", stdin=text)[1])]
    assert tricks == [str(to_come(position)) for position in some]
    assert len(set(tricks)) > 3
    for row, position in zip(
        answers(run("--cards", "--format", "json", stdin=text)[1]), some, strict=True
    ):
        for told in row["cards"]:
            assert told["declarer_tricks"] == to_come(position.play(told["card"]))


def test_selfish_values_are_those_of_the_oracle(run: Run) -> None:
    some = [
        Position(Deal.random(seed=9, index=i).hands, "SCHD"[i % 4], i % 3, bid=3 + i % 4)
        for i in range(4)
    ]
    text = "\n".join(position.text for position in some)
    asked = ["--defence", "selfish", "--format", "json"]
    for rules, points in (([], False), (["--rules", "double-or-nothing"], True)):
        objective = ["--objective", "points"] if points else []
        _, out, _ = run(*asked, *rules, *objective, stdin=text)
        for answer, position in zip(answers(out), some, strict=True):
            scoring: oracle.Scoring = {}
            if points:
                own = VARIANTS["double-or-nothing"]
                scoring = {
                    "moon_points": own.moon_points,
                    "moon_set_points": own.moon_set_points,
                    "set_keeps_tricks": own.set_keeps_tricks,
                    "defenders_score": own.defenders_score,
                }
            expected = oracle.selfish_tricks(
                [str(hand).split() for hand in Deal(position.hands).hands],
                position.trump.letter,
                position.declarer,
                position.leader,
                bid=position.bid if points else None,
                **scoring,
            )
            assert tuple(answer[f"tricks_{seat}"] for seat in range(3)) == expected


def test_rules_change_the_points(run: Run) -> None:
    line = f"{DEAL} / trump S / bid moon"
    for rules, points in (
        ([], 24),
        (["--rules", "half-moon"], 12),
        (["--rule", "moon_points=17"], 17),
        (["--rules", "half-moon", "--rule", "moon_points=1_3"], 13),
    ):
        (answer,) = answers(run(line, *rules, "--format", "json")[1])
        assert answer["declarer_points"] == points
    # What defenders want depends on them, too.
    selfish = ["--defence", "selfish", "--objective", "points", "--format", "json"]
    (answer,) = answers(run(IN_TRICK, *selfish)[1])
    assert [answer[f"tricks_{seat}"] for seat in range(3)] == [4, 1, 1]
    (answer,) = answers(run(IN_TRICK, *selfish, "--rules", "silent-defenders")[1])
    assert [answer[f"tricks_{seat}"] for seat in range(3)] == [3, 3, 0]


def test_jobs_change_nothing(run: Run) -> None:
    text = "\n".join(MIXED * 30)
    outs = {run("--format", "csv", "--jobs", jobs, stdin=text)[1] for jobs in ("1", "2", "-1")}
    assert len(outs) == 1


# -------------------------------------------------------------------------- one position, to read


def test_one_position_to_read(run: Run) -> None:
    status, out, err = run(*ENDING.split(), "--line")
    assert (status, err) == (0, "")
    assert (
        out
        == """\
  seat 1, left defender                       seat 2, right defender
  ♠ J♣ 9                   ┌─────────────┐    ♠ -
  ♣ -                      │             │    ♣ -
  ♥ -                      │      ?      │    ♥ K Q
  ♦ K                      └─────────────┘    ♦ 10

                         > seat 0, declarer
                           ♠ J A
                           ♣ -
                           ♥ -
                           ♦ 9

spades are trump, bid 5
tricks: seat 0 has 3, seat 1 has 0, seat 2 has 0; 3 to go
seat 0 to lead

spades are trump: seat 0 takes 5 of 6 tricks, +5 points for a bid of 5, against any defence (exact)

seat 0, the declarer, to play; spades are trump; defence: coalition (exact)
cards  declarer takes  cost  declarer's points  cost in points
JS                  4     1                 -5              10
AS                  4     1                 -5              10
9D                  5     -                 +5               -  best

a line of best play
  seat 0 9D  seat 1 KD  seat 2 TD  won by seat 1
  seat 1 9S  seat 2 QH  seat 0 AS  won by seat 0
  seat 0 JS  seat 1 JC  seat 2 KH  won by seat 0
"""
    )
    # One line of a file is one position as well; the cards are there, asked for or not.
    for asked in ([], ["--cards"]):
        assert run(*asked, "--line", stdin=f"# one\n{ENDING}\n")[1] == out
    assert run(*ENDING.split())[1] == out[: out.index("\na line of best play")]


def test_one_position_of_the_selfish_to_read(run: Run) -> None:
    _, out, _ = run(IN_TRICK, "--defence", "selfish", "--objective", "points", "--line")
    assert out.endswith("""
spades are trump: seat 0 takes 4 of 6 tricks, +4 points for a bid of 4, if each seat plays for its \
own points (exact)
tricks: seat 0 4, seat 1 1, seat 2 1

seat 2, a defender, to play; spades are trump; defence: selfish, for points (exact)
cards  seats 0 1 2 take  cost to seat 2  declarer's points  cost in points
AH                4 1 1               -                 +4               -  best
9H                3 3 0               1                 -4               1

a line of best play
  seat 2 AH  won by seat 2
  seat 2 9H  seat 0 QH  seat 1 9C  won by seat 0
""")


def test_a_deal_that_is_over_to_read(run: Run) -> None:
    status, out, _ = run(f"{OVER} / bid 3", "--line", "--cards")
    assert status == 0
    assert out.endswith(
        "\nthe deal is over\n\n"
        "hearts were trump: seat 0 took 1 of 6 tricks: a bid of 3 is set, -3 points\n\n"
        "the deal is over: there is no card to play\n"
    )
    (answer,) = answers(run(OVER, "--format", "json", "--line")[1])
    assert (answer["declarer_tricks"], answer["to_play"]) == (1, None)
    assert (answer["cards"], answer["best_line"]) == ([], [])


def test_deals_that_are_over_have_no_cards_but_columns(run: Run) -> None:
    heading = "line,seat,card,declarer_tricks,cost,is_best,declarer_points,cost_in_points,equals"
    assert run("--cards", "--format", "csv", stdin=OVER)[1] == f"{heading}\n"
    assert run("--cards", stdin=f"{OVER}\n{OVER}")[1].split() == heading.split(",")
    rows = run("--cards", "--format", "csv", "--lines-at-once", "1", stdin=f"{OVER}\n{NO_BID}")[1]
    assert rows == f"{heading}\n2,0,JS,4,0,True,,,\n2,0,AS,4,0,True,,,\n"


def test_cards_and_lines_of_many_are_for_json(run: Run) -> None:
    text = f"{ENDING}\n{NO_BID}"
    for form in ("csv", "table"):
        status, out, err = run("--cards", "--line", "--format", form, stdin=text)
        assert (status, out) == (2, "")
        assert "--cards and --line: for many, only --format json shows both" in err


# ------------------------------------------------------------------------------- some at a time


@pytest.mark.parametrize("asked", [[], ["--cards"], ["--line"]], ids=str)
@pytest.mark.parametrize("form", ["csv", "json"])
def test_how_many_lines_are_answered_together_changes_nothing(
    run: Run, form: str, asked: list[str]
) -> None:
    # Among them lines without cards, without bid, and empty ones, wherever the answers are cut.
    text = "\n".join(["# a", OVER, "", NO_BID, *MIXED, "", "", "", OVER, ENDING])
    whole = run("--format", form, *asked, stdin=text)
    assert whole[::2] == (0, "")
    assert len(whole[1].splitlines()) > 9
    for together in (1, 2, 3, 5, 7, 15, 10**30):
        few = run("--format", form, *asked, "--lines-at-once", str(together), stdin=text)
        assert few == whole


def test_a_table_in_pieces_has_one_heading(run: Run) -> None:
    text = "\n".join(MIXED)
    whole = [line.split() for line in run(stdin=text)[1].splitlines()]
    for together in ("1", "2", "5"):  # with 5 the last line is alone, but not the only one
        _, out, _ = run("--lines-at-once", together, stdin=text)
        assert [line.split() for line in out.splitlines()] == whole
    cards = run("--cards", stdin=text)[1]
    pieces = run("--cards", "--lines-at-once", "1", stdin=text)[1]
    assert [line.split() for line in pieces.splitlines()] == [
        line.split() for line in cards.splitlines()
    ]


def test_the_last_line_alone_is_no_other_than_the_rest(run: Run) -> None:
    found = answers(run("--format", "json", "--lines-at-once", "2", stdin="\n".join(MIXED[:5]))[1])
    assert len({tuple(sorted(set(answer) - {"line"})) for answer in found}) == 1
    # One position alone is told with its cards.
    (alone,) = answers(run("--format", "json", stdin=ENDING)[1])
    assert [card["card"] for card in alone["cards"]] == ["JS", "AS", "9D"]


def test_answers_come_before_all_lines_are_read() -> None:
    """A program that asks line by line gets an answer to each."""
    asked = subprocess.Popen(
        [*COMMAND, "--lines-at-once", "1", "--format", "json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert asked.stdin is not None and asked.stdout is not None
    for number, (line, tricks) in enumerate([(ENDING, 5), (NO_BID, 4), (OVER, 1)], start=1):
        asked.stdin.write(f"{line}\n")
        asked.stdin.flush()
        answer = json.loads(asked.stdout.readline())
        assert (answer["line"], answer["declarer_tricks"]) == (number, tricks)
    asked.communicate(timeout=60)
    assert asked.returncode == 0


# ------------------------------------------------------------------------------------ wrong lines


BAD = [
    ("JS / QS", "three hands come first, with / between them: 2 found"),
    (f"{DEAL} / trump X", "part 4 'trump X': trump 'X' is not a suit"),
    ("{", "JSON cannot be read"),
    (f"{DEAL} / trump S / plays JS ZZ", "part 5, play 2: 'ZZ' is not a card"),
    (DEAL, "trump is missing: add '/ trump H', or S, C, D"),
    (ENDING.replace(" / leader 0", ""), "not a position: leader must be given, like 'leader 0'"),
]


@pytest.mark.parametrize(("line", "message"), BAD)
def test_a_wrong_line_is_named_by_its_number(run: Run, line: str, message: str) -> None:
    status, out, err = run(stdin=f"# c\n{ENDING}\n\n{line}\n{NO_BID}")
    assert (status, out) == (2, "")
    assert err.startswith(f"ghostsim: error: standard input, line 4: {message}")
    assert err.count("\n") == 1


def test_a_wrong_argument_has_no_number(run: Run) -> None:
    status, out, err = run(DEAL)
    assert (status, out) == (2, "")
    assert err == "ghostsim: error: trump is missing: add '/ trump H', or S, C, D\n"
    assert run(ENDING, "--lines-at-once", "1")[0] == 0


def test_all_wrong_lines_are_named_and_none_is_answered(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "deals.txt"
    path.write_text("\n".join([ENDING, *(line for line, _ in BAD), NO_BID]))
    status, out, err = run("--file", str(path), "--format", "csv")
    assert (status, out) == (2, "")
    heading, *named = err.splitlines()
    assert heading == "ghostsim: error: 6 lines are wrong"
    for number, (line, (_, message)) in enumerate(zip(named, BAD, strict=True), start=2):
        assert line.startswith(f"  {path}, line {number}: {message}")


@pytest.mark.parametrize(("count", "more"), [(10, 0), (11, 1), (2500, 2490)])
def test_ten_wrong_lines_are_named_at_most(run: Run, count: int, more: int) -> None:
    _, out, err = run(stdin="nonsense\n" * count)
    assert out == ""
    heading, *named = err.splitlines()
    assert heading == f"ghostsim: error: {count} lines are wrong"
    assert named[:10] == [
        f"  standard input, line {i}: three hands come first, with / between them: 1 found"
        for i in range(1, 11)
    ]
    assert named[10:] == ([f"  and {more} more"] if more else [])
    assert position_lines.NAMED_PROBLEMS == 10


def test_a_very_long_line_is_not_repeated(run: Run) -> None:
    _, _, err = run(stdin=f"{DEAL} / trump {'X' * 100_000}")
    assert len(err) < 2_000
    assert "line 1: part 4 'trump XXX" in err


def test_lines_before_wrong_ones_are_answered_if_they_were_read_earlier(run: Run) -> None:
    text = f"{ENDING}\n{NO_BID}\nwrong\n{OVER}\nwrong too"
    status, out, err = run("--format", "csv", "--lines-at-once", "2", stdin=text)
    assert status == 2
    assert [row["line"] for row in table(out)] == ["1", "2"]
    assert "line 3: " in err and "line 5" not in err


def test_points_without_a_bid(run: Run) -> None:
    message = "points need a bid: add '/ bid 4', or say --bid 4"
    for defence in ("coalition", "selfish"):
        asked = ["--objective", "points", "--defence", defence]
        status, out, err = run(*asked, stdin="\n".join([ENDING, NO_BID, OVER]))
        assert (status, out) == (2, "")
        assert err == (
            "ghostsim: error: 2 lines are wrong\n"
            f"  standard input, line 2: {message}\n  standard input, line 3: {message}\n"
        )
        assert run(*asked, NO_BID)[2] == f"ghostsim: error: {message}\n"
        status, out, _ = run(*asked, "--bid", "4", "--format", "csv", stdin=f"{NO_BID}\n{ENDING}")
        assert [row["bid"] for row in table(out)] == ["4", "5"]


def test_a_bid_that_the_rules_do_not_allow(run: Run) -> None:
    status, out, err = run("--rule", "min_bid=5", stdin=f"{ENDING}\n{IN_TRICK}")
    assert (status, out) == (2, "")
    assert err == ("ghostsim: error: standard input, line 2: bid 4 is below the lowest bid, 5\n")


@pytest.mark.parametrize("stdin", [b"", b"\n\n", b"# only a comment\n", b"\xef\xbb\xbf"])
def test_no_position(run: Run, stdin: bytes) -> None:
    status, out, err = run(stdin=stdin)
    assert (status, out) == (2, "")
    assert "no position: give one as an argument, with --file, or on standard input" in err
    assert run("--file", "-", stdin=stdin)[2] == "ghostsim: error: no position in standard input\n"


def test_an_empty_file_is_named(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.write_text("# nothing\n")
    assert run("--file", str(path))[::2] == (2, f"ghostsim: error: no position in {path}\n")


def test_nobody_types_positions_into_a_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stdin, "isatty", lambda _: True)
    status, out, err = run(stdin=ENDING)
    assert (status, out) == (2, "")
    assert "no position: give one as an argument" in err


def test_a_position_and_a_file(run: Run, tmp_path: Path) -> None:
    for arguments in (["-"], [ENDING]):
        status, out, err = run(*arguments, "--file", str(tmp_path / "missing"))
        assert (status, out) == (2, "")
        assert "a position and --file: give one of them" in err


def test_files_that_cannot_be_read(run: Run, tmp_path: Path) -> None:
    missing = tmp_path / "missing.txt"
    status, out, err = run("--file", str(missing))
    assert (status, out) == (1, "")
    assert err == f"ghostsim: error: {missing}: No such file or directory\n"
    status, out, err = run("--file", str(tmp_path))
    assert (status, out) == (1, "")
    assert str(tmp_path) in err and err.count("\n") == 1


def test_what_is_not_utf_8(run: Run, tmp_path: Path) -> None:
    lines = [
        ENDING.encode(),
        b"# caf\xe9",
        NO_BID.replace("trump S", "trump \xe9").encode("cp1252"),
    ]
    path = tmp_path / "latin.txt"
    path.write_bytes(b"\n".join(lines))
    for arguments, stdin, name in (
        (["--file", str(path)], b"", str(path)),
        ([], path.read_bytes(), "standard input"),
    ):
        status, out, err = run(*arguments, stdin=stdin)
        assert (status, out) == (2, "")
        assert f"{name}, line 3: it is not text in UTF-8: " in err
        assert "Traceback" not in err
    status, out, err = run(stdin=ENDING.encode("utf-16"))
    assert (status, out) == (2, "")
    assert "line 1: it is not text in UTF-8" in err


# --------------------------------------------------------------------------- as its own process


def test_as_a_process_of_its_own(tmp_path: Path) -> None:
    done = process(*ENDING.split(), "--format", "csv", stdin=b"not read")
    assert (done.returncode, done.stderr) == (0, b"")
    assert table(done.stdout.decode())[0]["declarer_tricks"] == "5"
    done = process("--format", "csv", stdin=b"JS\n")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"python -m ghostsim.study: error: standard input, line 1: three")
    done = process(stdin=b"")
    assert done.returncode == 2
    assert b"no position" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="pipes close otherwise on Windows")
def test_a_closed_pipe_is_no_traceback(tmp_path: Path) -> None:
    path = tmp_path / "deals.txt"
    path.write_text(f"{DEAL} / trump S\n" * 3_000)
    command = f"{sys.executable} -m ghostsim.study solve --file {path} --format csv"
    done = subprocess.run(
        f"{command} --lines-at-once 100 | head -n 2", shell=True, capture_output=True, text=True
    )
    assert done.stdout.splitlines()[1].startswith("1,S,0,0,coalition,tricks,6")
    assert done.stderr == ""


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent otherwise on Windows")
def test_interrupted_in_the_middle_of_a_stream() -> None:
    started = subprocess.Popen(
        [*COMMAND, "--lines-at-once", "1", "--format", "csv"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stdin is not None and started.stdout is not None
    started.stdin.write(f"{ENDING}\n")
    started.stdin.flush()
    assert started.stdout.readline().startswith("line,trump")
    assert started.stdout.readline().startswith("1,S,0")
    time.sleep(0.2)  # it waits for the next line
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert started.returncode == 130
    assert (out, err) == ("", "interrupted\n")


def test_help_tells_how_a_position_is_written(run: Run) -> None:
    status, out, err = run("--help")
    assert (status, err) == (0, "")
    for word in ("--file", "--lines-at-once", "--cards", "--line", "--defence", "--objective"):
        assert word in out
    for setting in ("trump", "declarer", "leader", "trick", "tricks", "bid", "plays"):
        assert setting in out
    # The examples are right.
    examples = re.findall(r'^  solve ("?J.*)$', out, re.MULTILINE)
    assert len(examples) == 3
    for example in examples:
        status, answer, err = run(*shlex.split(example))
        assert (status, err) == (0, "")
        assert "(exact)" in answer


def test_lines_of_best_play_in_a_table_are_those_of_the_library(run: Run) -> None:
    _, out, _ = run(*DEAL.split(), "--trump", "S", "--line")
    position = Position(DEAL.split(" / "), "S")
    line = format_line(position, best_line(position))
    assert out.endswith("a line of best play\n" + "".join(f"  {x}\n" for x in line.splitlines()))
