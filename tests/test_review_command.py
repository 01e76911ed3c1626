"""The command ``review``: hands that were played in; which cards were mistakes, and of whom, out.

The reviews themselves are tested in ``test_replay``, and how lines are read in
``test_solve_command``.
"""

import csv
import io
import json
import os
import random
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

from ghostsim.cards import Card
from ghostsim.deals import Deal
from ghostsim.notation import parse_record
from ghostsim.position import Position
from ghostsim.replay import Review, review
from ghostsim.rules import HALF_MOON
from ghostsim.study.cli import main

Run = Callable[..., tuple[int, str, str]]
COMMAND = [sys.executable, "-m", "ghostsim.study", "review"]

#: Spades are trump, three tricks are to go, the declarer needs two of them and has the ace of
#: diamonds and the right bower, which draws the trumps.
BOTH_ERR = (
    "JS TH AD / AS KH 9H / 9S AH 9D / trump S / leader 0 / tricks 2 1 0 / bid 4 / "
    "plays AD 9H 9D JS AS 9S TH KH AH"
)
#: The declarer draws trumps from the top, and has to lose a diamond at the end. Had he led it, left
#: would have had to lead trumps into JS AS.
TOO_EARLY = "JS AS 9D / JC 9S KD / KH QH TD / trump S / leader 0 / tricks 3 0 0 / plays AS JC QH"
#: Right takes his ace; if he throws it away, left's king wins, and left's club.
IN_TRICK = "QH / 9C / AH 9H / trump S / leader 0 / trick TH KH / tricks 3 1 0 / bid 4 / plays AH 9H"
NOTHING = "JS AS / JC 9S / KH QH / trump S / leader 0 / tricks 3 1 0"
OVER = "- / - / - / trump H / leader 1 / tricks 1 2 3"
MANY = [NOTHING, OVER, TOO_EARLY, BOTH_ERR, IN_TRICK, f"{NOTHING} / bid 3 / plays JS 9S"]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``review`` in this process, on this standard input: status, output, error output."""

    def run(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8"))
        status = main(["review", *arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def table(out: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out)))


def reviewed(line: str, **how: Any) -> Review:
    record = parse_record(line)
    return review(record.start, record.plays, **how)


# --------------------------------------------------------------------------------- one hand to read


def test_a_hand_to_read(run: Run) -> None:
    # Trick 4: AD before trumps are drawn, when left can ruff it with AS and the declarer gets JS
    # only. But left throws a heart, and in trick 5 his AS falls under JS. So each cost his side a
    # trick, and with it the contract: 4 points made, or 4 lost.
    status, out, err = run(*BOTH_ERR.split())
    assert (status, err) == (0, "")
    assert (
        out
        == """\
spades are trump, seat 0 declares, bid 4: worth 4 tricks, he took 4
9 cards played, 2 mistakes: seat 0 lost 1 trick, 8 points; seat 1 lost 1 trick, 8 points (exact)
trick 4, seat 0: AD cost 1 trick, 8 points; JS was best
trick 4, seat 1: 9H cost 1 trick, 8 points; AS was best

tricks of the declarer before and after each card
trick  seat  card  before  after  cost  best   cost in points
    4     0  AD         4      3     1  JS                  8
    4     1  9H         3      4     1  AS                  8
    4     2  9D         4      4     -  9D                  -
    5     0  JS         4      4     -  JS TH               -
    5     1  AS         4      4     -  AS                  -
    5     2  9S         4      4     -  9S                  -
    6     0  TH         4      4     -  TH                  -
    6     1  KH         4      4     -  KH                  -
    6     2  AH         4      4     -  AH                  -
"""
    )


def test_a_hand_without_a_bid_to_read(run: Run) -> None:
    # Led at once, 9D goes to KD; whichever spade left leads then, JS and AS take both of his. On AS
    # left plays JC, and KD takes 9D later as well.
    assert (
        run(TOO_EARLY)[1]
        == """\
spades are trump, seat 0 declares: worth 5 tricks, he has taken 3
3 cards played, 1 mistake: seat 0 lost 1 trick (exact)
trick 4, seat 0: AS cost 1 trick; 9D was best

tricks of the declarer before and after each card
trick  seat  card  before  after  cost  best
    4     0  AS         5      4     1  9D
    4     1  JC         4      4     -  JC
    4     2  QH         4      4     -  KH QH TD
"""
    )


def test_a_hand_of_the_selfish_to_read(run: Run) -> None:
    thrown = IN_TRICK.replace("plays AH 9H", "plays 9H 9C")
    told, _, rows = run(thrown, "--defence", "selfish")[1].partition("\n\ntricks of the declarer")
    assert told == (
        "spades are trump, seat 0 declares, bid 4: worth 4 tricks, he has taken 3\n"
        "2 cards played, 1 mistake: seat 2 lost 1 trick, 1 point (exact)\n"
        "trick 5, seat 2: 9H cost 1 trick, 1 point; AH was best"
    )
    assert [line.split() for line in rows.splitlines()[2:]] == [
        ["5", "2", "9H", "4", "3", "1", "AH", "1"],
        ["6", "1", "9C", "3", "3", "-", "9C", "-"],
    ]
    assert "2 cards played, no mistake (exact)\n" in run(thrown)[1]


@pytest.mark.parametrize(
    "arguments",
    [
        [BOTH_ERR],
        [*BOTH_ERR.split(" / plays")[0].split(), "--plays", "AD 9H 9D, JS AS 9S, TH KH AH"],
        [BOTH_ERR.replace(" / bid 4", ""), "--bid", "4"],
        [
            json.dumps(
                {
                    "hands": ["JS TH AD", "AS KH 9H", "9S AH 9D"],
                    **{"trump": "S", "leader": 0, "tricks": [2, 1, 0], "bid": 4},
                    "plays": "AD 9H 9D JS AS 9S TH KH AH",
                }
            )
        ],
    ],
)
def test_the_same_hand_said_otherwise(run: Run, arguments: list[str]) -> None:
    assert run(*arguments) == run(BOTH_ERR)
    assert run(stdin=f"\n{BOTH_ERR}")[1] == run(BOTH_ERR)[1]


def test_a_hand_of_which_nothing_was_played(run: Run) -> None:
    assert run(NOTHING)[1] == (
        "spades are trump, seat 0 declares: worth 4 tricks, he has taken 3\n"
        "0 cards played, no mistake (exact)\n"
    )
    assert run(f"{OVER} / bid 3")[1] == (
        "hearts are trump, seat 0 declares, bid 3: worth 1 trick, he took 1\n"
        "0 cards played, no mistake (exact)\n"
    )


def test_rules_change_the_points(run: Run) -> None:
    moon = BOTH_ERR.replace("tricks 2 1 0 / bid 4", "tricks 3 0 0 / bid moon")
    assert "he took 5\n" in run(moon)[1]
    lost = "JS AD / AS 9H / 9S 9D / trump S / leader 0 / tricks 4 0 0 / bid moon / plays AD AS"
    assert "AD cost 1 trick, 30 points; JS was best" in run(lost)[1]
    assert "AD cost 1 trick, 18 points; JS was best" in run(lost, "--rules", "half-moon")[1]
    # By rules under which a declarer who is set keeps his tricks.
    told = run(lost, "--rule", "set_keeps_tricks=true")[1]
    assert "AD cost 1 trick, 25 points; JS was best" in told


# --------------------------------------------------------------------------------------- many hands


def test_many_hands_to_read(run: Run) -> None:
    status, out, err = run(stdin="\n".join(["# Monday", *MANY]))
    assert (status, err) == (0, "")
    expected = "".join(
        f"line {number}\n{reviewed(line)}\n\n" for number, line in enumerate(MANY, start=2)
    )
    assert out == expected
    assert out.startswith(
        "line 2\n"
        "spades are trump, seat 0 declares: worth 4 tricks, he has taken 3\n"
        "0 cards played, no mistake (exact)\n\n"
        "line 3\n"
    )
    for together in ("1", "2", "4", "6"):
        assert run("--lines-at-once", together, stdin="\n".join(["# Monday", *MANY]))[1] == out


PLAYS = (
    "line,play,trick,seat,card,declarer_tricks_before,declarer_tricks_after,cost,is_mistake,best,"
    "cost_in_points"
)
CARDS = (
    "line,play,trick,played,seat,card,declarer_tricks,cost,is_best,declarer_points,cost_in_points,"
    "equals"
)


def test_csv_of_the_cards_played(run: Run) -> None:
    assert (
        run("--format", "csv", stdin=f"{TOO_EARLY}\n{IN_TRICK}")[1]
        == f"""\
{PLAYS}
1,1,4,0,AS,5,4,1,True,9D,
1,2,4,1,JC,4,4,0,False,JC,
1,3,4,2,QH,4,4,0,False,KH QH TD,
2,1,5,2,AH,3,4,1,True,9H,8
2,2,6,2,9H,4,4,0,False,9H,0
"""
    )


def test_csv_of_the_cards_that_could_be_played(run: Run) -> None:
    assert (
        run("--format", "csv", "--cards", stdin=f"{TOO_EARLY}\n{IN_TRICK}")[1]
        == f"""\
{CARDS}
1,1,4,AS,0,JS,4,1,False,,,
1,1,4,AS,0,AS,4,1,False,,,
1,1,4,AS,0,9D,5,0,True,,,
1,2,4,JC,1,JC,4,0,True,,,
1,2,4,JC,1,9S,5,1,False,,,
1,3,4,QH,2,KH,4,0,True,,,QH
1,3,4,QH,2,QH,4,0,True,,,KH
1,3,4,QH,2,TD,4,0,True,,,
2,1,5,AH,2,AH,4,1,False,4,8,
2,1,5,AH,2,9H,3,0,True,-4,0,
2,2,6,9H,2,9H,4,0,True,4,0,
"""
    )
    _, out, _ = run("--format", "csv", "--cards", "--defence", "selfish", stdin=IN_TRICK)
    by_seat = "declarer_tricks,tricks_0,tricks_1,tricks_2"
    assert out.splitlines()[:3] == [
        CARDS.replace("declarer_tricks", by_seat),
        "1,1,5,AH,2,AH,4,4,1,1,0,True,4,0,",
        "1,1,5,AH,2,9H,3,3,3,0,1,False,-4,1,",
    ]


@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("cards", [False, True])
def test_columns_are_the_same_whatever_comes_first(run: Run, order: int, cards: bool) -> None:
    """Hands without bid, without plays: CSV that was begun cannot change its columns."""
    lines = MANY[order:] + MANY[:order]
    asked = ["--format", "csv", *(["--cards"] if cards else [])]
    _, whole, _ = run(*asked, stdin="\n".join(lines))
    assert whole.splitlines()[0] == (CARDS if cards else PLAYS)
    for together in ("1", "2", "3", "6"):
        assert run(*asked, "--lines-at-once", together, stdin="\n".join(lines))[1] == whole
    # Each line alone has the same rows, under the same heading.
    rows = []
    for number, line in enumerate(lines, start=1):
        heading, *alone = run(*asked, line)[1].splitlines()
        assert heading == (CARDS if cards else PLAYS)
        rows += [re.sub("^1", str(number), row) for row in alone]
    assert whole.splitlines()[1:] == rows


def random_hands_played(count: int) -> list[str]:
    """Lines of whole deals played at random, or a part of them; every other with a bid."""
    chance = random.Random(5)
    lines = []
    for index in range(count):
        position = Position(Deal.random(seed=31, index=index).hands, "SCHD"[index % 4], index % 3)
        text, plays = position.text, list[Card]()
        for _ in range(18 if index % 3 else 7):
            plays.append(chance.choice(position.legal))
            position = position.play(plays[-1])
        text += " / bid 3" if index % 2 else ""
        lines.append(f"{text} / plays {' '.join(map(str, plays))}")
    return lines


@pytest.mark.parametrize(
    "how",
    [{}, {"defence": "selfish"}, {"defence": "selfish", "objective": "points"}],
    ids=str,
)
def test_every_form_says_what_the_library_says(run: Run, how: dict[str, str]) -> None:
    lines = random_hands_played(8)
    if "objective" in how:
        lines = [line for line in lines if "bid" in line]
    options: dict[str, Any] = {**how, "rules": HALF_MOON}
    asked = [word for name, value in how.items() for word in (f"--{name}", value)]
    asked += ["--rules", "half-moon"]
    found = [reviewed(line, **options) for line in lines]
    assert sum(len(each.mistakes) for each in found) > 3

    answers = [
        json.loads(line)
        for line in run(*asked, "--format", "json", stdin="\n".join(lines))[1].splitlines()
    ]
    rows = table(run(*asked, "--format", "csv", stdin="\n".join(lines))[1])
    cards = table(run(*asked, "--format", "csv", "--cards", stdin="\n".join(lines))[1])
    for number, (answer, expected) in enumerate(zip(answers, found, strict=True), start=1):
        assert answer["line"] == number
        assert answer["declarer_tricks"] == expected.worth
        assert answer["lost"] == list(expected.lost)
        assert Position.from_dict(answer["end"]) == expected.end
        mine = [row for row in rows if row["line"] == str(number)]
        for told, row, play in zip(answer["plays"], mine, expected.plays, strict=True):
            told_as_text = {name: str(value) for name, value in told.items()}
            bid = expected.end.bid is not None
            assert told_as_text == {
                name: value for name, value in row.items() if name != "line" and value != ""
            }
            assert bid == (row["cost_in_points"] != "")
            assert row["card"] == str(play.card)
            assert row["play"] == str(play.number)
            assert row["trick"] == str((play.number - 1) // 3 + 1)
            assert row["seat"] == str(play.seat)
            assert row["cost"] == str(play.cost)
            assert row["is_mistake"] == str(play.is_mistake)
            assert row["best"] == " ".join(map(str, play.values.best))
            assert row["declarer_tricks_after"] == str(play.values[play.card])
            could = [
                card for card in cards if (card["line"], card["play"]) == (str(number), row["play"])
            ]
            assert [card["card"] for card in could] == [str(card) for card in play.values]
            assert {card["played"] for card in could} == {str(play.card)}
            for card in could:
                assert card["declarer_tricks"] == str(play.values[card["card"]])
                assert card["cost"] == str(play.values.cost(card["card"]))
                if bid:
                    points = play.values.declarer_points(card["card"])
                    assert card["declarer_points"] == str(points)


def test_json_of_one_hand(run: Run) -> None:
    (line,) = run(IN_TRICK, "--format", "json")[1].splitlines()
    answer = json.loads(line)
    assert Position.from_dict(answer.pop("position")).play_all("AH 9H") == Position.from_dict(
        answer["end"]
    )
    assert answer == {
        "line": 1,
        "declarer_tricks": 3,
        "lost": [0, 0, 1],
        "end": {
            "hands": ["QH", "9C", ""],
            **{"trump": "S", "declarer": 0, "leader": 2, "trick": "9H", "tricks": [3, 1, 1]},
            "bid": "4",
        },
        "plays": [
            {
                **{"play": 1, "trick": 5, "seat": 2, "card": "AH", "declarer_tricks_before": 3},
                **{"declarer_tricks_after": 4, "cost": 1, "is_mistake": True, "best": "9H"},
                "cost_in_points": 8,
            },
            {
                **{"play": 2, "trick": 6, "seat": 2, "card": "9H", "declarer_tricks_before": 4},
                **{"declarer_tricks_after": 4, "cost": 0, "is_mistake": False, "best": "9H"},
                "cost_in_points": 0,
            },
        ],
    }
    (nothing,) = run(NOTHING, "--format", "json")[1].splitlines()
    assert json.loads(nothing)["plays"] == []
    assert json.loads(nothing)["declarer_tricks"] == 4


# ------------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([BOTH_ERR.replace("AD 9H 9D", "AD 9H KD")], "part 8, play 3, KD: seat 2 does not hold KD"),
        ([BOTH_ERR.replace("JS AS", "JS KH")], "play 5, KH: seat 1 cannot play KH: it must follow"),
        ([f"{BOTH_ERR} 9C"], "play 10, 9C: 9C cannot be played: the deal is over"),
        ([NOTHING, "--plays", "JS QQ"], "setting plays, play 2: 'QQ' is not a card"),
        ([BOTH_ERR, "--cards"], "--cards is for --format csv"),
        ([BOTH_ERR, "--cards", "--format", "json"], "--cards is for --format csv"),
        ([TOO_EARLY, "--objective", "points"], "points need a bid: add '/ bid 4', or say --bid 4"),
        ([BOTH_ERR, "--rule", "min_bid=5"], "bid 4 is below the lowest bid, 5"),
        ([BOTH_ERR, "--file", "x"], "a position and --file: give one of them"),
        (["JS / QS"], "three hands come first, with / between them: 2 found"),
        ([], "no position: give one as an argument, with --file, or on standard input"),
        ([BOTH_ERR, "--jobs", "2"], "unrecognized arguments: --jobs"),
        ([BOTH_ERR, "--defence", "none"], "invalid choice: 'none'"),
    ],
)
def test_wrong_usage_says_what_is_allowed(run: Run, arguments: list[str], message: str) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_all_wrong_lines_are_named(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "hands.txt"
    wrong = BOTH_ERR.replace("AD 9H", "AD AD")
    path.write_text("\n".join([BOTH_ERR, wrong, "# c", TOO_EARLY, "x / y / z"]))
    for form in ("table", "csv", "json"):
        status, out, err = run("--file", str(path), "--format", form)
        assert (status, out) == (2, "")
        heading, *named = err.splitlines()
        assert heading == "ghostsim: error: 2 lines are wrong"
        assert named[0] == (
            f"  {path}, line 2: part 8, play 2, AD: AD has been played already, as play 1"
        )
        assert named[1].startswith(f"  {path}, line 5: part 1, hand of seat 0, 'x': ")
    status, out, err = run("--objective", "points", stdin=f"{BOTH_ERR}\n{TOO_EARLY}")
    assert err.startswith("ghostsim: error: standard input, line 2: points need a bid")


def test_a_missing_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "missing"
    assert run("--file", str(path)) == (
        1,
        "",
        f"ghostsim: error: {path}: No such file or directory\n",
    )


# ------------------------------------------------------------------------------ as its own process


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent otherwise on Windows")
def test_hand_by_hand_until_it_is_interrupted() -> None:
    started = subprocess.Popen(
        [*COMMAND, "--lines-at-once", "1", "--format", "json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stdin is not None and started.stdout is not None
    for line, lost in ((BOTH_ERR, [1, 1, 0]), (NOTHING, [0, 0, 0]), (IN_TRICK, [0, 0, 1])):
        started.stdin.write(f"{line}\n")
        started.stdin.flush()
        assert json.loads(started.stdout.readline())["lost"] == lost
    time.sleep(0.2)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out, err) == (130, "", "interrupted\n")


def test_the_examples_of_the_help(run: Run) -> None:
    status, out, _ = run("--help")
    assert status == 0
    examples = re.findall(r"^  review (J.*)$", out, re.MULTILINE)
    assert len(examples) == 1
    status, answer, err = run(*shlex.split(examples[0]))
    assert (status, err) == (0, "")
    assert "3 cards played" in answer
