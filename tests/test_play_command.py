"""The command ``play``: scripted people at the table, and what their terminal shows.

What a person is told is read back from the transcript and held against the record, which knows
all cards.
"""

from __future__ import annotations

import contextlib
import io
import os
import pty
import random
import re
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ghostsim.cards import Card, Hand
from ghostsim.deals import Deal
from ghostsim.odds import solo_value, swap_value
from ghostsim.replay import review
from ghostsim.rules import VARIANTS
from ghostsim.strategies import find_strategy
from ghostsim.study.cli import main
from ghostsim.study.own_costs import auction_costs, card_costs, review_lines, reviewed
from ghostsim.table.deal import DealState
from ghostsim.table.game import next_action, play_game
from ghostsim.table.record import GameRecord

COMMAND = [sys.executable, "-m", "ghostsim.study", "play"]
#: Who does something, in a regular expression.
WHO = r"(?:you|seat \d \([^)]+\))"
CARD = re.compile(r"\b(?:10|[9JQKA])[SCHD]\b")


class Person(io.TextIOBase):
    """Standard input of a person who answers what is asked, by lot, after some words of his own.

    Parameters
    ----------
    screen : io.StringIO
        What he sees.
    lot : int
        Which person.
    asides : list of str
        Other things he says, one in three times that he is asked.
    stop_after : int, optional
        How many lines he says before his input ends.
    """

    def __init__(
        self, screen: io.StringIO, lot: int, asides: list[str], stop_after: int | None = None
    ) -> None:
        self.screen = screen
        self.chance = random.Random(lot)
        self.asides = list(asides)
        self.left = stop_after
        self.last: tuple[str, str] = "", ""

    def readline(self, *_: Any) -> str:  # type: ignore[override]  # as text streams do
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                return ""
        return self.answer(self.screen.getvalue().rsplit("\n", 1)[-1]) + "\n"

    def answer(self, prompt: str) -> str:
        chance = self.chance
        if self.asides and chance.random() < 0.3:
            return self.asides.pop(0)
        if prompt.startswith("swap?"):
            return chance.choice(["y", "n", "n"])
        if prompt.startswith("bid:"):
            allowed = prompt.removeprefix("bid:").split("?")[0].split("(")[0]
            return chance.choice([word.strip() for word in allowed.split(",")])
        if prompt.startswith("trump:"):
            return chance.choice("SCHD")
        if prompt.startswith("card?"):
            match = re.fullmatch(r"card\? \(1-(\d)\) ", prompt)
            assert match, prompt
            return str(chance.randint(1, int(match[1])))
        assert prompt.startswith("next deal?"), prompt
        return ""


@dataclass
class Sat:
    """How a session went."""

    status: int
    out: str
    err: str
    record: GameRecord | None = field(default=None)

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Play = Callable[..., Sat]


@pytest.fixture
def play(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Play:
    """Run ``play`` in this process: with these answers, or with a person who plays by lot."""

    def play(
        *arguments: str,
        answers: str | None = None,
        lot: int = 0,
        asides: list[str] | None = None,
        stop_after: int | None = None,
        record: str | None = None,
    ) -> Sat:
        screen = io.StringIO()
        person: Any = Person(screen, lot, asides or [], stop_after)
        if answers is not None:
            person = io.TextIOWrapper(io.BytesIO(answers.encode()), "utf-8")
        path = tmp_path / (record or "record.txt")
        saves = [] if "--save" in arguments or "--resume" in arguments else ["--save", str(path)]
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", person)
            patch.setattr(sys, "stdout", screen)
            status = main(["play", *arguments, *saves, *(["--overwrite"] if saves else [])])
        kept = GameRecord.parse(path.read_text()) if path.exists() else None
        return Sat(status, screen.getvalue(), capsys.readouterr().err, kept)

    return play


# ----------------------------------------------------------------------------------- whole sessions


def test_a_deal_to_read(play: Play) -> None:
    """Seed 1, deal 0: what the terminal says from beginning to end."""
    answers = "n\n3\nH\njd\n" + "1\n2\n3\n4\n5\n" * 6
    sat = play(
        "--seat", "1", "--against", "odds", "steady", "--seed", "1", "--deals", "1",
        "--no-review", answers=answers,
    )  # fmt: skip
    assert sat.status == 0 and sat.record is not None
    state = sat.record.finished[0]
    assert sat.out.startswith(
        """\
Ghost Hand Euchre to 32: odds at seat 0, you at seat 1, steady at seat 2
seed 1, game 0: with these the same cards come again
type ? at any question for help

deal 1: seat 0 (odds) deals, you speak first
scores  seat 0 (odds): 0, you: 0, seat 2 (steady): 0; the game is to 32
your hand: QS | AC | AH 10H 9H | JD
swap? (y/n) n
bid: pass, 3, 4, 5, moon? 3
  you bid 3
  seat 2 (steady) """
    )
    assert (
        """
trump: S C H D? H
  you name hearts
trick 1: hearts are trump, you declare 3
your cards: 1 JD  2 AH  3 10H  4 9H  5 QS  6 AC
card? (1-6) jd
  you lead JD
  seat 2 (steady) plays """
        in sat.out
    )
    first = state.tricks[0]
    two, three = (shown(first.card_of(seat)) for seat in (2, 0))
    takes = ("seat 0 (odds) takes", "you take", "seat 2 (steady) takes")[first.winner]
    counts = ", ".join(
        f"{who}: {int(first.winner == seat)}"
        for seat, who in enumerate(("seat 0", "you", "seat 2"))
    )
    assert (
        f"  seat 2 (steady) plays {two}\n  seat 0 (odds) plays {three}\n"
        f"  {takes} it; tricks  {counts}\n"
    ) in sat.out
    hands, tricks = sat.out.split("\n\n")[-2:]
    verdict = "made" if state.taken[1] >= 3 else "set"
    assert hands.splitlines()[0] == f"you declare 3 in hearts and take {state.taken[1]}: {verdict}"
    for seat, who in enumerate(("seat 0 (odds)", "you", "seat 2 (steady)")):
        (row,) = [line for line in hands.splitlines() if line.startswith(f"  {who} ")]
        numbers = [str(state.taken[seat]), f"{state.points[seat]:+d}", str(state.points[seat])]
        assert row.split()[-3:] == numbers
        held = {shown(card) for trick in state.tricks for card in [trick.card_of(seat)]}
        assert set(CARD.findall(row)) == held
    rows = tricks.splitlines()
    assert rows[0] == "  trick             1     2     3     4     5     6   (> led, * took it)"
    assert rows[2].startswith("  you              >JD")
    for seat, row in enumerate(rows[1:]):
        assert CARD.findall(row) == [shown(trick.card_of(seat)) for trick in state.tricks]
        assert row.count("*") == state.taken[seat]


def test_a_whole_game(play: Play) -> None:
    sat = play("--seed", "3", "--seat", "2", "--against", "steady", lot=4)
    assert sat.status == 0
    record = sat.record
    assert record is not None and record.is_over and record.winner is not None
    assert record.strategies == ("steady", "steady", "person")
    assert (record.seed, record.game, record.first_dealer) == (3, 0, 0)
    wins = "you win" if record.winner == 2 else f"seat {record.winner} (steady) wins"
    assert f"the game is over after {len(record.finished)} deals, {wins}; seat 0: " in sat.out
    assert "what cost you most" in sat.out.split("the game is over")[1]
    assert "the record is in" in sat.err
    assert sat.out.count("next deal?") == len(record.finished) - 1
    # The cards are those of the seed, and the others did what their strategies do.
    for number, state in enumerate(record.finished):
        assert state.deal == Deal.random(3, number)
        assert state.dealer == number % 3


@pytest.mark.parametrize("lot", range(3))
def test_the_others_are_their_strategies(play: Play, lot: int) -> None:
    names = ["odds", "steady"]
    sat = play("--seed", str(lot), "--seat", str(lot), "--against", *names, "--deals", "3", lot=lot)
    assert sat.record is not None
    names.insert(lot, "person")
    for state in sat.record.finished:
        now = DealState.start(
            state.deal, state.dealer, scores=state.scores, seed=state.seed, index=state.index
        )
        while not now.is_over:
            seat = now.to_act
            assert seat is not None
            action: Any
            if seat != lot:
                action = next_action(now, find_strategy(names[seat]))
            elif now.phase == "auction":
                turn = state.turns[len(now.turns)]
                action = "swap" if turn.swapped and not now.has_swapped else turn.bid or "pass"
            elif now.phase == "trump":
                action = state.trump
            else:
                action = state.plays[len(now.plays)]
            now = now.act(action)
        assert now == state


def test_names_beside_seats(play: Play) -> None:
    """Whoever does something is named, two of a kind too; parameters are told at the start."""
    for names, short in (
        (["odds"], ["odds", "odds"]),
        (["random", "steady:four=7,moon=9"], ["random", "steady"]),
    ):
        sat = play("--seed", "2", "--against", *names, "--deals", "4", lot=5, asides=["table"] * 9)
        start, rest = sat.out.split("\n\n", 1)
        whole = " ".join(start.split())
        for seat, name in enumerate([names[0], names[-1]], start=1):
            assert f"{name} at seat {seat}" in whole
            assert rest.count(f"  seat {seat} ({short[seat - 1]}) plays ") > 3
        verbs = "swap|bid|passe|play|lead|take|declare|deal|speak|name|win"
        assert re.findall(rf"seat \d (?:{verbs})s", rest) == []
        assert "four=7" not in rest


def test_long_names_are_cut(play: Play, tmp_path: Path) -> None:
    """The widest lines there are: two long names, and large scores."""
    path = tmp_path / "mine.py"
    path.write_text(
        "from ghostsim.strategies import Odds, Steady\n"
        "class Unstoppable(Odds): ...\n"
        "class TwelveColumn(Steady): ...\n"
        "class ThirteenWide_(Steady): ...\n"
    )
    sat = play(
        "--against", f"{path}:TwelveColumn", f"{path}:ThirteenWide_", "--seed", "4", "--rule",
        "moon_points=1000", "--rule", "moon_set_points=1000", "--rule", "target=5000", "--deals",
        "6", lot=2, asides=["score", "table", "review", "?"] * 9,
    )  # fmt: skip
    assert sat.status == 0
    assert "  seat 1 (twelvecolumn) plays " in sat.out
    assert "  seat 2 (thirteenwid.) plays " in sat.out
    assert max(map(len, sat.lines)) <= 78


@pytest.mark.parametrize("against", ["Person", "Person:four=7", "Named"])
def test_no_strategy_is_named_like_the_person(play: Play, tmp_path: Path, against: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from ghostsim.strategies import Steady\n"
        "class Person(Steady): ...\n"
        "class Named(Steady):\n"
        "    name = 'person'\n"
    )
    sat = play("--against", "odds", f"{path}:{against}", "--seed", "1", answers="")
    assert sat.status == 2 and sat.out == "" and sat.record is None
    assert "--against: a strategy may not have the name 'person" in sat.err


def test_scores_when_asked(play: Play) -> None:
    sat = play(
        "--seed", "1", "--seat", "1", "--against", "odds", "steady", "--rule", "target=20",
        answers="score\nn\n3\nH\nscore\n",
    )  # fmt: skip
    assert (
        "? (y/n) score\n"
        "no deal is finished yet; the game is to 20\n"
        "                   score  still needed\n"
        "  seat 0 (odds)        0            20\n"
        "  you                  0            20\n"
        "  seat 2 (steady)      0            20\n"
    ) in sat.out
    assert "  seat 2 (steady)      0            20           0\n" in sat.out


def test_another_game_of_the_seed(play: Play) -> None:
    first = play("--seed", "3", "--deals", "1", lot=1)
    other = play("--seed", "3", "--game", "5", "--deals", "1", lot=1)
    assert first.record is not None and other.record is not None
    assert other.record.finished[0].deal == Deal.random(3, 5 << 32)
    assert first.record.finished[0].deal == Deal.random(3, 0)
    assert "seed 3, game 5" in other.out


def test_a_seed_that_is_drawn_is_told(play: Play) -> None:
    sat = play("--deals", "1", lot=1)
    match = re.search(r"^seed (\d+), game 0: ", sat.out, re.MULTILINE)
    assert match and sat.record is not None and sat.record.seed == int(match[1])
    again = play("--deals", "1", "--seed", match[1], lot=1)
    assert again.out == sat.out
    assert play("--deals", "1", lot=1).out != sat.out


def test_deals_before_the_game_is_over(play: Play) -> None:
    sat = play("--seed", "1", "--deals", "2", lot=2)
    assert sat.record is not None and len(sat.record.finished) == 2 and not sat.record.is_over
    assert "to go on: ghostsim play --resume" in sat.err


# ----------------------------------------------------------------------------- hidden cards stay so


def shown(card: Card) -> str:
    return card.pretty[:-1] + card.suit.letter


@pytest.mark.parametrize("lot", range(9))
def test_hidden_cards_are_never_shown(play: Play, lot: int) -> None:
    """Before a deal is laid open the screen has only cards that the seat has seen by then."""
    seat = lot % 3
    asides = ["table", "hint", "legal", "score", "?", "hint", "table", "rules", "hint"] * 4
    revokes = ["--revokes", "allowed"] if lot % 2 else []
    sat = play(
        "--seat", str(seat), "--against", "odds", "cheat" if revokes else "steady", "--seed",
        str(100 + lot), "--deals", "4", "--hints", *revokes, lot=lot, asides=asides,
    )  # fmt: skip
    assert sat.record is not None and len(sat.record.finished) == 4
    deals, checked = iter(sat.record.finished), 0
    state, seen, played, is_open = None, set[str](), list[str](), True
    for line in sat.lines:
        if re.match(r"deal \d+: .* first$", line):
            state = next(deals)
            seen, played, is_open = {shown(card) for card in state.deal.hands[seat]}, [], False
        elif re.match(rf"all pass: no score|{WHO} declares? (?:\d|the moon) in ", line):
            is_open = True
        if is_open:
            continue
        assert state is not None
        if line.startswith("  you swap; "):
            seen |= {shown(card) for card in state.deal.ghost}
        card = re.match(rf"  {WHO} (?:leads?|plays?) (\S+)$", line)
        if card and card[1] not in played:  # else it is told again, by `table`
            assert card[1] == shown(state.plays[len(played)])
            played.append(card[1])
            seen.add(card[1])
        for text in CARD.findall(line):
            assert text in seen, line
            checked += 1
    assert checked > 100


# ------------------------------------------------------------------------------------ wrong answers


def test_wrong_answers_are_asked_again(play: Play) -> None:
    junk = [
        "",
        " ",
        "7",
        "foo",
        "\x00",
        "♥" * 200,
        "bid",
        "-1",
        "10",
        "XX",
        "1 2",
        "AS KS",
        "٣",
        "²",
    ]
    sat = play("--seed", "1", "--seat", "1", "--deals", "9", lot=3, asides=junk * 3)
    assert sat.status == 0
    assert sat.record is not None and len(sat.record.finished) == 9
    assert sat.out.count("is no answer here; answer ") > 20
    # Only what the person typed himself is longer.
    echoes = re.compile(r"swap\?|bid:|trump:|card\?|next deal\?")
    assert max(len(line) for line in sat.out.split("\n") if not echoes.match(line)) <= 78


def test_what_each_wrong_answer_is_told(play: Play) -> None:
    answers = "maybe\nn\n2\nbid 4\n6\nX\nH\nTC\n99\n7\n1\n"
    sat = play("--seed", "1", "--seat", "1", "--against", "steady", "--deals", "1", answers=answers)
    text = " ".join(sat.out.split())
    number = "answer a number from 1 to 6, or the card's name"
    for told in (
        "swap? (y/n) maybe 'maybe' is no answer here; answer y to trade your hand for the ghost, "
        "unseen; n to keep it swap? (y/n) n",
        "moon? 2 '2' is no answer here; answer pass, 3, 4, 5, moon bid:",
        "moon? bid 4 you bid 4 ",
        "D? 6 '6' is no answer here; answer S, C, H or D, for the suit that is to be trump trump:",
        "trump: S C H D? X 'X' is no answer here",
        "card? (1-6) TC you do not hold 10C card?",
        f"card? (1-6) 99 '99' is no answer here; {number} card?",
        "card? (1-6) 7 you have 6 cards card?",
        "card? (1-6) 1 you lead JD ",
    ):
        assert told in text


def test_bids_must_exceed_the_standing_one(play: Play) -> None:
    # Deal 1 of seed 7: seat 0 has bid 3 before the person, who deals.
    sat = play("--seed", "1", "--seat", "1", "--against", "odds", "steady", lot=1, stop_after=0)
    assert sat.record is None or not sat.record.finished
    sat = play(
        "--seed", "0", "--seat", "2", "--against", "odds", "--rule", "swaps_per_deal=0", "--rule",
        "min_bid=4", answers="3\n",
    )  # fmt: skip
    asked = re.search(r"bid: pass, (.*)\? 3\n(.*)\n", sat.out)
    assert asked and "3" not in asked[1]
    standing = re.search(r"seat \d \(odds\) bids (\d|the moon)", sat.out)
    if standing:
        assert asked[2].startswith("3 is not allowed: a bid must exceed the standing one")
    else:
        assert asked[2] == "3 is not allowed: the lowest bid is 4"


def test_next_deal(play: Play) -> None:
    """Enter goes on; what may mean no does not, and the way out is told."""
    deal = "n\n3\nH\n" + "1\n2\n3\n4\n5\n" * 6
    start = ["--seed", "1", "--seat", "1", "--against", "odds", "steady"]
    # As many answers as the deal takes: what is left over would answer `next deal?`.
    asked = play(*start, "--deals", "1", answers=deal).out.count("card? (")
    answers = "".join(deal.splitlines(keepends=True)[: 3 + asked])
    sat = play(*start, answers=f"{answers}no\nn\nfoo\n\nquit\n")
    told = "is no answer here; answer Enter for the next deal, or quit to leave\n"
    for word in ("no", "n", "foo"):
        assert f"quit) {word}\n'{word}' {told}" in sat.out
    assert "quit) \n\ndeal 2: " in sat.out


def test_help_says_what_is_possible_now(play: Play) -> None:
    def told(text: str) -> list[str]:
        """The words that can be asked for."""
        return re.findall(r"^  (\w+(?: FILE)?) {2,}\S", text.split("or ask:\n")[1], re.M)

    start = ["--seed", "1", "--seat", "1", "--against", "odds", "steady"]
    always = ["score", "rules", "save", "quit"]
    # (With fewer lines than the deal takes, the last question is the last of its text.)
    for answers, words in (
        ("?\n", ["hint", "table", *always]),
        ("n\n?\n", ["hint", "table", *always]),
        ("n\n3\n?\n", ["hint", "table", *always]),
        ("n\n3\nH\n?\n", ["hint", "table", "legal", *always]),
    ):
        assert told(play(*start, answers=answers).out.rsplit("\n", 1)[0]) == words
    sat = play("--seed", "5", "--deals", "2", lot=3, asides=["?"] * 60)
    after = re.search(r"^next deal\?.* \?\n(.*?)^next deal", sat.out, re.M | re.S)
    assert after, "nobody asked between two deals: take another lot"
    assert told(after[1]) == ["table", "score", "rules", "review", "save", "quit"]


@pytest.mark.parametrize(
    ("said", "means"),
    [("y", True), ("YES", True), ("n", False), ("No", False), ("swap", True), ("keep", False)],
)
def test_ways_to_say_it(play: Play, said: str, means: bool) -> None:
    sat = play("--seed", "1", "--seat", "1", answers=f"{said}\nPASS\n")
    assert ("you swap; your hand: " in sat.out) == means
    assert "\n  you pass\n" in sat.out


@pytest.mark.parametrize("said", ["m", "Moon", "6", "bid moon"])
def test_ways_to_bid_the_moon(play: Play, said: str) -> None:
    sat = play("--seed", "1", "--seat", "1", answers=f"n\n{said}\n♥\n")
    assert "  you bid the moon\n" in sat.out
    assert "hearts are trump, you declare the moon\n" in sat.out


# -------------------------------------------------------------------------------- leaving the table


def test_the_end_of_input(play: Play) -> None:
    for count in range(12):
        sat = play("--seed", "5", "--deals", "2", lot=5, stop_after=count, record=f"{count}.txt")
        assert sat.status == 0
        assert "to go on" in sat.err or "with --seed" in sat.err


def test_quit(play: Play) -> None:
    sat = play("--seed", "1", "--seat", "1", answers="n\nquit\n3\n")
    assert sat.status == 0
    assert "you bid" not in sat.out
    assert "saved; to go on: ghostsim play --resume" in sat.err


def test_quit_without_a_file(play: Play, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    assert main(["play", "--seed", "1", "--seat", "1"]) == 0
    assert capsys.readouterr().err == (
        "not saved (--save FILE does that); the same cards come again with\n--seed 1 --game 0\n"
    )


class Interrupting(Person):
    """Presses Ctrl-C when there is nothing left to say."""

    def readline(self, *_: Any) -> str:  # type: ignore[override]  # as text streams do
        line = super().readline()
        if not line:
            raise KeyboardInterrupt
        return line


@pytest.mark.parametrize("said", [[], ["n"]])
@pytest.mark.parametrize("leave", ["quit", "end", "ctrl-c"])
@pytest.mark.parametrize("old", [None, "letters"])
def test_leaving_at_the_first_question_saves(
    said: list[str], leave: str, old: str | None, tmp_path: Path, capsys: Any
) -> None:
    """Nothing has been played, but the file that is told to go on with is there."""
    path = tmp_path / "record.txt"
    if old is not None:
        path.write_text(old)
    kind = Interrupting if leave == "ctrl-c" else Person
    words = [*said, "quit"] if leave == "quit" else said
    screen = io.StringIO()
    person = kind(screen, 0, [], stop_after=len(words))
    person.answer = lambda prompt: words.pop(0)  # type: ignore[method-assign]
    replace = [] if old is None else ["--overwrite"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", person)
        patch.setattr(sys, "stdout", screen)
        start = ["--seed", "1", "--seat", "1", "--save", str(path), *replace]
        assert main(["play", *start]) == (130 if leave == "ctrl-c" else 0)
    said_last = capsys.readouterr().err
    assert said_last == f"saved; to go on: ghostsim play --resume {shlex.quote(str(path))}\n"
    record = GameRecord.parse(path.read_text())
    assert (record.seed, record.game, record.deals) == (1, 0, ())
    assert record.strategies == ("odds", "person", "odds")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.StringIO("n\n3\n"))
        assert main(["play", "--resume", str(path)]) == 0
    captured = capsys.readouterr()
    assert "\ndeal 1: " in captured.out and "  you bid 3\n" in captured.out


def test_leaving_at_once_a_game_gone_on_with(tmp_path: Path, capsys: Any) -> None:
    """A copy is written where --save says; the same file is left as it is, comments and all."""
    path, copy = tmp_path / "record.txt", tmp_path / "copy.txt"
    text = GameRecord(seed=1, game=0, strategies=("odds", "person", "odds")).text
    path.write_text(f"# mine\n{text}")
    for options, written in (([], path), (["--save", str(copy)], copy)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdin", io.StringIO(""))
            assert main(["play", "--resume", str(path), *options]) == 0
        assert f"saved; to go on: ghostsim play --resume {written}\n" in capsys.readouterr().err
        assert path.read_text() == f"# mine\n{text}"
    assert copy.read_text() == text


def test_no_input_at_all(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["play", "--seed", "1", "--seat", "1", "--ascii"]) == 0
    assert "your hand: QS | AC |" in capsys.readouterr().out


# -------------------------------------------------------------------------------- saved and gone on


@pytest.mark.parametrize("revokes", [False, True])
def test_a_session_in_pieces_is_the_same_game(play: Play, tmp_path: Path, revokes: bool) -> None:
    """Left after every few answers and gone on with: the record of an unbroken session."""
    options = ["--seed", "9", "--seat", "1", "--against", "odds", "random", "--deals", "3"]
    options += ["--revokes", "allowed", "--detection", "0.3"] if revokes else []
    whole = play(*options, lot=11, record="whole.txt")
    assert whole.record is not None

    class Again(Person):
        """Does what the person of the whole session did, whatever is asked when."""

        def answer(self, prompt: str) -> str:
            state = parts_state()
            index = len(state.finished)
            assert whole.record is not None
            done = whole.record.deals[index] if index < len(whole.record.deals) else None
            if prompt.startswith("next deal?") or done is None:
                return ""
            now = self.now()
            if prompt.startswith("swap?"):
                return "y" if done.turns[now["turns"]].swapped else "n"
            if prompt.startswith("bid:"):
                bid = done.turns[now["turns"]].bid
                return "pass" if bid is None else str(bid)
            if prompt.startswith("trump:"):
                assert done.trump is not None
                return done.trump.letter
            return str(done.plays[now["plays"]])

        def now(self) -> dict[str, int]:
            """How far the deal on the screen has come."""
            text = self.screen.getvalue()
            deal = re.split(r"^deal \d+: ", text, flags=re.M)[-1]
            turns = re.findall(rf"^  {WHO} (?:swaps? and )?(?:pass|bid)", deal, flags=re.M)
            plays = re.findall(rf"^  {WHO} (?:lead|play)", deal, flags=re.M)
            tricks = re.findall(r"^  trick \d: ", deal, flags=re.M)
            return {"turns": len(turns), "plays": len(plays) + 3 * len(tricks)}

    path = tmp_path / "parts.txt"

    def parts_state() -> GameRecord:
        return current[0]

    import ghostsim.study.table_session as table_session

    current: list[GameRecord] = []
    original = table_session.Session._keep

    def keep(self: Any, state: DealState) -> None:
        original(self, state)
        current[:] = [self.record]

    current[:] = [GameRecord(seed=9, game=0)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_session.Session, "_keep", keep)
        for piece in range(40):
            screen = io.StringIO()
            with pytest.MonkeyPatch.context() as streams:
                streams.setattr(sys, "stdin", Again(screen, 0, [], stop_after=3))
                streams.setattr(sys, "stdout", screen)
                how = ["--resume", str(path)] if piece else [*options, "--save", str(path)]
                assert main(["play", *how, "--deals", "3", "--no-review"]) == 0
            current[:] = [GameRecord.parse(path.read_text())]
            if len(current[0].finished) == 3:
                break
    assert current[0] == whole.record
    assert path.read_text() == (tmp_path / "whole.txt").read_text()
    assert piece > 3


MINE = """\
from ghostsim.strategies import Steady
class Mine(Steady): ...
class Other(Steady): ...
"""


@pytest.mark.parametrize(
    "against", [["my own.py:Mine", "odds"], ["odds", "my own.py:Other"], ["my own.py:Mine:four=7"]]
)
def test_the_command_to_go_on_goes_on(
    against: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """With strategies that cannot be found by their names, and words that a shell would split."""
    monkeypatch.chdir(tmp_path)
    Path("my own.py").write_text(MINE)

    def sit(*words: str) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
        assert main(list(words)) == 0
        return str(capsys.readouterr().err).strip()

    said = sit("play", "--seed", "1", "--against", *against, "--save", "a game.txt", "--ascii")
    for _ in range(2):
        ghostsim, *words = shlex.split(said.removeprefix("saved; to go on: "))
        assert ghostsim == "ghostsim" and words == [
            "play", "--resume", "a game.txt", "--against", *against,
        ]  # fmt: skip
        said = sit(*words)
    record = GameRecord.parse(Path("a game.txt").read_text())
    assert record.strategies is not None
    assert record.strategies[1] == find_strategy(against[0]).name


def test_no_more_is_told_to_go_on_than_is_needed(play: Play, tmp_path: Path) -> None:
    against = ["steady:four=7", "cheat"]
    sat = play("--seed", "1", "--against", *against, "--revokes", "allowed", answers="")
    path = tmp_path / "record.txt"
    assert sat.err == f"saved; to go on: ghostsim play --resume {shlex.quote(str(path))}\n"


def test_resume_tells_where_the_deal_stands(play: Play, tmp_path: Path) -> None:
    path = tmp_path / "record.txt"
    sat = play("--seed", "1", "--seat", "1", "--against", "odds", "steady", answers="n\n3\nH\n1\n")
    assert sat.record is not None and sat.record.current is not None
    again = play("--resume", str(path), answers="")
    assert "deal 1: seat 0 (odds) deals\n" in again.out
    assert "played before" not in again.out  # no deal has been finished
    assert "  you bid 3\n" in again.out
    assert "  hearts are trump, you declare 3\n" in again.out
    assert "your hand: " in again.out
    assert again.status == 0


def test_the_record_is_there_after_every_deal(play: Play, tmp_path: Path) -> None:
    path = tmp_path / "record.txt"
    seen = []

    class Watching(Person):
        def answer(self, prompt: str) -> str:
            if prompt.startswith("next deal?"):
                seen.append(len(GameRecord.parse(path.read_text()).finished))
            return super().answer(prompt)

    screen = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", Watching(screen, 1, []))
        patch.setattr(sys, "stdout", screen)
        assert main(["play", "--seed", "2", "--deals", "4", "--save", str(path)]) == 0
    assert seen == [1, 2, 3]
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_overwritten_unasked(play: Play, tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("letters")
    sat = play("--seed", "2", "--save", str(path), answers="")
    assert sat.status == 2 and path.read_text() == "letters" and sat.out == ""
    assert f"{path} exists: say --resume {path} to go on" in sat.err
    play("--seed", "2", "--deals", "1", "--save", str(path), "--overwrite", lot=1)
    assert GameRecord.parse(path.read_text()).seed == 2


def test_save_when_told(play: Play, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    asides = [f"save {other}", f"save {other}", "save"]
    sat = play("--seed", "2", "--deals", "2", lot=1, asides=asides)
    assert f"saved in {other}\n" in sat.err
    assert f"{other} exists: name another file" in sat.err
    assert GameRecord.parse(other.read_text()).seed == 2


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("~nobody-of-this-name/x", "~nobody-of-this-name/x: there is no such home folder\n"),
        ("a\0b", "'a\\x00b' cannot be written: embedded null"),
        ("a" * 300, f"{'a' * 300} cannot be written: File name too long\n"),
        ("nowhere/x", "nowhere/x cannot be written: No such file or directory\n"),
        ("file/x", "file/x cannot be written: Not a directory\n"),
        (".", ". is a folder: name a file\n"),
        ("file", "file exists: name another file\n"),
        ("round", "round cannot be written: Too many levels of symbolic links\n"),
        ("/dev/null", "/dev/null is a device or a pipe: name a file\n"),
    ],
)
def test_files_that_cannot_be(
    name: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Asked again after `save`; refused before anything is played as an option."""
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("letters")
    Path("round").symlink_to("round")
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"save {name}\nn\n3\n"))
    assert main(["play", "--seed", "1", "--seat", "1"]) == 0
    captured = capsys.readouterr()
    assert captured.err.startswith(told)
    assert "  you bid 3\n" in captured.out
    assert sorted(os.listdir()) == ["file", "round"] and Path("file").read_text() == "letters"
    if name.startswith(("~", "nowhere", "file")):  # words of the shell, a new folder, --overwrite
        return
    assert main(["play", "--seed", "1", "--save", name, "--overwrite"]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.startswith(f"ghostsim: error: {told}")
    assert sorted(os.listdir()) == ["file", "round"]


@pytest.mark.parametrize("name", ["~nobody-of-this-name/x", "a\0b", "a" * 300, "file/x", "."])
def test_resume_of_files_that_cannot_be(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("letters")
    assert main(["play", "--resume", name]) == 2
    captured = capsys.readouterr()
    shown = repr(name) if "\0" in name else name
    assert captured.out == ""
    assert captured.err.startswith(f"ghostsim: error: {shown} cannot be read: ")


def test_a_name_too_long_in_a_new_folder(play: Play, tmp_path: Path) -> None:
    sat = play("--seed", "1", "--save", str(tmp_path / "new" / ("a" * 300)), answers="")
    assert sat.status == 2 and "cannot be written: File name too long" in sat.err


def test_a_symbolic_link_stays(tmp_path: Path, capsys: Any) -> None:
    """Written to by --save, --resume and `save`, through it, only where nothing is replaced."""
    link, file = tmp_path / "link.txt", tmp_path / "games" / "file.txt"
    link.symlink_to(Path("games") / "file.txt")

    def sit(*options: str, answers: str = "n\n3\n") -> int:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdin", io.StringIO(answers))
            return main(["play", *options])

    def written() -> GameRecord:
        assert link.is_symlink() and os.readlink(link) == str(Path("games") / "file.txt")
        assert list(file.parent.iterdir()) == [file]  # nothing unfinished is left
        return GameRecord.parse(file.read_text())

    start = ["--seed", "1", "--seat", "1"]
    # It leads nowhere: the folder is not made.
    assert sit(*start, "--save", str(link)) == 2
    assert f"{link} cannot be written: No such file or directory" in capsys.readouterr().err
    assert not file.parent.exists() and link.is_symlink()
    # A new file at its end.
    file.parent.mkdir()
    assert sit(*start, "--save", str(link)) == 0
    assert len(written().deals[0].turns) == 3
    # There is something now.
    before = file.read_text()
    assert sit(*start, "--save", str(link)) == 2
    assert f"{link} exists" in capsys.readouterr().err
    assert sit(*start, answers=f"save {link}\n") == 0
    assert f"{link} exists: name another file" in capsys.readouterr().err
    assert file.read_text() == before
    # The same file by two names is no other file.
    assert sit("--resume", str(link), answers=f"h\njd\nsave {file}\n") == 0
    assert f"saved in {file}\n" in capsys.readouterr().err
    assert len(written().deals[0].plays) >= 3
    assert sit("--resume", str(file), "--save", str(link), answers="") == 0
    assert sit("--seed", "5", "--save", str(link), "--overwrite", answers="") == 0
    assert written().seed == 5
    # `save` to a link that leads nowhere.
    file.unlink()
    assert sit(*start, answers=f"save {link}\n") == 0
    assert written().seed == 1


def test_save_without_a_file(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("save\n"))
    assert main(["play", "--seed", "1", "--seat", "1"]) == 0
    assert "say 'save FILE': no file was named with --save\n" in capsys.readouterr().out


def test_a_file_that_cannot_be_written_any_more(play: Play, tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()

    class Destroying(Person):
        def answer(self, prompt: str) -> str:
            if folder.exists():
                folder.rmdir()
            return super().answer(prompt)

    screen = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", Destroying(screen, 1, []))
        patch.setattr(sys, "stdout", screen)
        status = main(["play", "--seed", "2", "--deals", "2", "--save", str(folder / "a.txt")])
    assert status == 1
    assert "what cost you most, 2 deals" in screen.getvalue()  # the game went on


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--resume", "nowhere.txt"], "nowhere.txt cannot be read: No such file"),
        (["--against", "odds", "odds", "odds"], "--against takes one or two strategies, not 3"),
        (["--against", "stedy"], "did you mean 'steady'?"),
        (["--detection", "0.5"], "--detection is for --revokes allowed"),
        (["--overwrite"], "--overwrite is for --save FILE"),
        (["--rule", "min_bid=9"], "min_bid must be 3 to 6"),
        (["--save", "."], "is a folder: name a file"),
        (["--save", "/proc/x/y.txt"], "cannot be written"),
    ],
)
def test_options_that_are_refused(options: list[str], told: str, capsys: Any) -> None:
    assert main(["play", *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and told in captured.err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--seat", "3"], "'3' is not a seat: write 0, 1 or 2"),
        (["--seed", "x"], "'x' is not a seed"),
        (["--game", "-1"], "'-1' is not a game"),
        (["--deals", "0"], "'0' is not a whole number above 0"),
        (["--detection", "2"], "'2' is not a chance"),
        (["--revokes", "maybe"], "invalid choice: 'maybe'"),
    ],
)
def test_options_that_cannot_be_read(options: list[str], told: str, capsys: Any) -> None:
    assert main(["play", *options]) == 2
    assert told in capsys.readouterr().err


def test_records_that_cannot_be_gone_on_with(play: Play, tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "record.txt"

    def told(*options: str) -> str:
        assert main(["play", "--resume", str(path), *options]) == 2
        return str(capsys.readouterr().err)

    for text in ("", " \n\n"):
        path.write_text(text)
        assert told() == f"ghostsim: error: {path} is empty: no game to go on with\n"
    path.write_text("# nothing\n")
    assert f"{path} has nothing but comments in it: no game to go on with" in told()
    path.write_text(GameRecord(seed=1, game=0).text)
    assert (
        "the record does not say who plays: it needs a line for each seat, like "
        "'seat 0 is person' and 'seat 1 is odds'"
    ) in told()
    path.write_text("a letter\n")
    assert str(path) in told()
    path.write_bytes(b"\xff\xfe")
    assert "not text in UTF-8" in told()
    strategies = [find_strategy("steady")] * 3
    path.write_text(play_game(strategies, seed=1, max_deals=1).text)
    assert "one seat must be played by 'person', not steady, steady, steady" in told()
    path.write_text(GameRecord(strategies=("person", "odds", "odds")).text)
    assert "the game has no seed to deal from" in told()
    path.write_text(GameRecord(seed=1, game=0, strategies=("person", "odds", "elsewhere")).text)
    assert "say --against with the strategies of this game" in told()
    path.write_text(GameRecord(seed=1, game=0, strategies=("person", "odds", "steady")).text)
    assert "--seat does not go with --resume" in told("--seat", "0")
    assert "--rules does not go with --resume" in told("--rules", "half-moon")
    assert "--against odds: in this game steady sits there" in told("--against", "odds")
    one = play_game([find_strategy("odds")] * 3, seed=7, max_deals=2).text
    one = one.replace("seat 0 is odds", "seat 0 is person")
    other = "deal 1 has other cards than the seed deals"
    for seed, game in ((8, 0), (7, 1)):
        path.write_text(one.replace("seed 7, game 0", f"seed {seed}, game {game}"))
        assert f"--resume {path}: {other}" in told()
    # One card for another in a deal that has only begun.
    record = GameRecord(seed=7, game=0, strategies=("person", "odds", "odds"))
    text = record.with_deal(record.next_deal()).text
    held = {str(card) for card in Deal.random(7, 0).hands[0]}
    mine, ghost = sorted(held)[0], str(next(iter(Deal.random(7, 0).ghost)))
    text = text.replace(mine, "??").replace(ghost, mine).replace("??", ghost)
    path.write_text(text)
    assert f"--resume {path}: {other}" in told()
    finished = play_game(strategies, seed=1)
    text = finished.text.replace("seat 0 is steady", "seat 0 is person")
    path.write_text(text)
    assert "this game is over" in told()


# ------------------------------------------------------------------------------------------ revokes

#: Seed 7, deal 0, seat 1 bids 3 in clubs and leads 9C: seat 0 deals.
REVOKE = ["--seed", "1", "--seat", "1", "--against", "odds", "steady", "--deals", "1"]


def follower(play: Play, *options: str) -> tuple[int, list[str], Sat]:
    """A seed with which the person must follow in the first trick, and holds other suits."""
    for seed in range(50):
        sat = play("--seed", str(seed), "--seat", "1", "--against", "odds", *options,
                   answers="n\npass\nlegal\n")  # fmt: skip
        legal = re.search(r"by the rules you may play (.*)\n", sat.out)
        cards = re.search(r"your cards: (.*)\n", sat.out)
        if legal and cards and "you lead" not in sat.out:
            may, has = legal[1].split(), CARD.findall(cards[1])
            if 0 < len(may) < len(has):
                return seed, [card for card in has if card not in may], sat
    raise AssertionError("no such seed")


def test_a_revoke_is_refused(play: Play) -> None:
    seed, illegal, _ = follower(play)
    sat = play("--seed", str(seed), "--seat", "1", "--against", "odds",
               answers=f"n\npass\n{illegal[0]}\n")  # fmt: skip
    assert f"\n{illegal[0]} breaks the rule to follow suit: " in sat.out
    assert re.search(r"were led\s+and\s+you\s+hold ", sat.out)
    assert f"you play {illegal[0]}" not in sat.out
    # It is asked again.
    assert sat.out.rstrip().endswith("card? (1-6)")


def test_a_revoke_stands_where_it_is_allowed(play: Play) -> None:
    found = []
    for chance in ("0", "1"):
        options = ["--revokes", "allowed", "--detection", chance]
        seed, illegal, _ = follower(play, *options)
        answers = [f"n\npass\n{illegal[0]}\n", *["1\n2\n3\n4\n5\n"] * 6]
        sat = play("--seed", str(seed), "--seat", "1", "--against", "odds", "--deals", "1",
                   *options, answers="".join(answers))  # fmt: skip
        assert f"  you play {illegal[0]}\n" in sat.out
        before, _, after = sat.out.partition(f"you play {illegal[0]}\n")
        # No word of it before the deal is laid open.
        assert "revoke" not in before.split("\n\n", 1)[1]
        assert sat.record is not None
        state = sat.record.finished[0]
        assert state.revokes[0].seat == 1 and str(state.revokes[0].trick) == "1"
        words = "found out, 2 points off" if chance == "1" else "not found out"
        assert f"  you revoke in trick 1 with {illegal[0]}: {words}\n" in after
        found.append(state.points[1])
        assert f"found out with chance {chance} and costs 2 points" in " ".join(sat.out.split())
        assert "tricks in which a seat revoked are not reviewed" in sat.out
    assert found[0] != found[1]


def test_others_revoke_too(play: Play) -> None:
    told = 0
    for lot in range(4):
        sat = play("--seed", str(lot), "--against", "cheat", "--deals", "6", "--revokes", "allowed",
                   lot=lot)  # fmt: skip
        assert sat.record is not None
        for state in sat.record.finished:
            told += sum(revoke.seat != 0 for revoke in state.revokes)
        assert sat.out.count(" in trick ") == sum(len(s.revokes) for s in sat.record.finished)
    assert told


# -------------------------------------------------------------------------------------------- hints


def test_hints_say_what_the_odds_say(play: Play) -> None:
    sat = play("--seed", "1", "--seat", "1", answers="hint\nn\nhint\n3\nhint\nH\nhint\n")
    hand = Hand("JD AH TH 9H QS AC")
    keep, swap = solo_value(hand), swap_value(hand)
    assert f"  keep: {keep.points:+.2f}  (bid 3 in hearts)\n" in sat.out
    assert f"  swap: {swap:+.2f}  (the best with each of the 18,564 ghosts)\n" in sat.out
    assert f"  best: keep; a swap loses {keep.points - swap:.2f}\n" in sat.out
    assert "bid: pass, 3, 4, 5, moon? hint\n  chance to make it, mean points" in sat.out
    assert "trump: S C H D? hint\n  chance to make it, mean points" in sat.out
    assert "card? (1-6) hint\n  P_pimc: means over 4,000 of the 17,153,136 layouts" in sat.out


def test_hints_after_a_swap_know_the_dead_hand(play: Play) -> None:
    sat = play("--seed", "1", "--seat", "1", answers="y\nhint\ntable\n")
    new, dead = Deal.random(1).ghost, Deal.random(1).hands[1]
    value = solo_value(new, dead)
    assert value.bid is not None and value.trump is not None
    best = f"bid {value.bid} in {value.trump.name.lower()}"
    assert f"  best: {best}, {value.points:+.2f}" in sat.out
    away = re.search(r"you traded away: (.*)\n", sat.out)
    assert away and set(away[1].split()) == {shown(card) for card in dead}


def test_hints_unasked(play: Play) -> None:
    sat = play("--seed", "1", "--seat", "1", "--hints", answers="n\n3\nH\n1\n")
    assert " +-" in sat.out  # the screen of a test is one of letters
    for prompt in ("swap? (y/n) ", "bid: pass", "trump: S", "card? (1-6)"):
        before = sat.out.split(prompt)[0]
        assert before.rstrip("\n").splitlines()[-1].startswith("  ")
    assert sat.out.count("P_coalition") == 3 and sat.out.count("  P_pimc") >= 1


def test_no_hint_where_nothing_can_be_bid(play: Play) -> None:
    """Somebody has bid the moon: a swap may be made, and no odds tell about it."""
    for seed in range(400):
        record = play_game([find_strategy("steady")] * 3, seed=seed, max_deals=1)
        turns = record.finished[0].turns
        if turns[0].bid == 6 and not turns[0].swapped:
            break
    else:
        raise AssertionError("no such seed")
    sat = play("--seed", str(seed), "--seat", "2", "--against", "steady", "--deals", "1",
               answers="?\nhint\nn\n")  # fmt: skip
    assert "or ask:\n  table " in sat.out
    assert "swap? (y/n) hint\n  no hint: the odds value a hand by what it can bid" in sat.out
    assert "  no bid is left: you can only pass\n  you pass\n" in sat.out


# ------------------------------------------------------------------------------------------- review


def test_review_of_the_auction_by_exact_odds(play: Play) -> None:
    # Kept, passed: the hand was worth a bid of 3 in clubs; the swap would have lost.
    state = DealState.start(Deal.random(1), dealer=0, seed=1).pass_turn().pass_turn().pass_turn()
    (cost,) = auction_costs(state, 1, number=1)
    assert cost.kind == "bid" and cost.points == solo_value("JD AH TH 9H QS AC").points
    assert cost.words == "passed; bid 3 in hearts was better"
    # Swapped, then a bid that cannot be made.
    state = DealState.start(Deal.random(1), dealer=0, seed=1).swap().make_bid(6).pass_turn()
    state = state.pass_turn().name_trump("S")
    swap, bid, *trump = auction_costs(state, 1, number=1)
    keep = solo_value("JD AH TH 9H QS AC").points
    assert swap.points == pytest.approx(keep - swap_value("JD AH TH 9H QS AC"))
    assert swap.words == "swapped; to keep the hand and bid 3 in hearts was better"
    best = solo_value(state.deal.ghost, state.deal.hands[1]).points
    assert bid.kind == "bid" and bid.points == pytest.approx(best + 6)
    assert [cost.kind for cost in trump] in ([], ["trump"])
    lines = review_lines({1: state}, 1)
    assert lines[0].startswith("deal 1: by best play") or "all passed" in lines[0]


def test_review_of_cards_is_that_of_replay(play: Play) -> None:
    sat = play("--seed", "5", "--deals", "5", lot=3)
    assert sat.record is not None
    for number, state in enumerate(sat.record.finished, start=1):
        if not state.plays:
            assert reviewed(state) == []
            continue
        whole = review(state.opening, state.plays)
        assert [part.plays for part in reviewed(state)] == [whole.plays]
        costs = card_costs(reviewed(state), 0, number, str)
        mine = [played for played in whole.mistakes if played.seat == 0]
        assert [(cost.tricks, cost.points) for cost in costs] == [
            (played.cost, played.cost_in_points) for played in mine
        ]
        for cost, played in zip(costs, mine, strict=True):
            assert cost.words.startswith(f"trick {played.trick}: {played.card} ")


def test_review_leaves_revoked_tricks_out() -> None:
    deal = Deal(("JS JC AS KS AH 9D", "QS TS 9S AC KC QC", "TC 9C KH QH JH TH"))
    state = DealState.start(deal, dealer=2, seed=1, revoke_detection=0.5)
    state = state.make_bid(3).pass_turn().pass_turn().name_trump("S")
    state = state.act_all("JS 9S TC JC AC 9C AS QS KH")  # AC is a revoke
    first, last = reviewed(state)
    assert [str(played.card) for played in first.plays] == ["JS", "9S", "TC", "JC"]
    assert [str(played.card) for played in last.plays] == ["AS", "QS", "KH"]
    assert last.plays[0].trick == 3
    # Two in one trick, and in the first: what follows is reviewed.
    state = DealState.start(deal, dealer=2, seed=1, revoke_detection=0.5)
    state = state.make_bid(3).pass_turn().pass_turn().name_trump("S").act_all("JS AC TC JC 9S 9C")
    first, last = reviewed(state)
    assert [str(played.card) for played in first.plays] == ["JS"]
    assert [str(played.card) for played in last.plays] == ["JC", "9S", "9C"]


def test_review_is_sorted_and_short(play: Play) -> None:
    sat = play("--seed", "8", "--against", "steady", lot=2)
    assert sat.record is not None
    text = sat.out.rsplit("what cost you most", 1)[1]
    auction, _, cards = text.partition("  cards, in points")
    for part in (auction, cards):
        points = [float(x) for x in re.findall(r"^ {4} *(-?[\d.]+)  deal", part, re.M)]
        assert points == sorted(points, reverse=True) and len(points) <= 4
    assert "what you could know" in cards
    assert len(text.splitlines()) <= 20


def test_review_when_asked(play: Play) -> None:
    sat = play("--seed", "5", "--deals", "2", "--no-review", lot=3, asides=["review"])
    assert "no deal has been finished yet\n" in sat.out
    asides = [*["?"] * 6, "review 1", "review all", "review 77"]
    sat = play("--seed", "5", "--deals", "6", "--no-review", lot=3, asides=asides)
    assert "deal 1: by best play, all cards seen, " in sat.out
    assert "what cost you most" in sat.out
    assert re.search(r"finished deals: 1(?: to \d)?; say review, 'review 1' or 'rev", sat.out)


def test_no_review(play: Play) -> None:
    sat = play("--seed", "5", "--deals", "1", "--no-review", lot=3)
    assert "what cost you" not in sat.out


# ---------------------------------------------------------------------------------- rules and looks


@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_every_variant_of_the_rules(play: Play, variant: str) -> None:
    sat = play("--rules", variant, "--seed", "4", "--seat", "2", "--deals", "4", lot=6,
               asides=["rules", "hint", "hint", "score"])  # fmt: skip
    assert sat.status == 0 and sat.record is not None
    assert sat.record.rules == VARIANTS[variant]
    assert len(sat.record.finished) == 4
    assert (f"rules: {VARIANTS[variant]}" in sat.out) == (variant != "standard")
    assert max(map(len, sat.lines)) <= 78


def test_a_dealer_who_must_bid_is_told(play: Play) -> None:
    for seed in range(60):
        sat = play("--rules", "stuck-dealer", "--rule", "swaps_per_deal=0", "--seed", str(seed),
                   "--against", "novice", "--deals", "1", answers="pass\n")  # fmt: skip
        if "you pass" in sat.out and "if you pass you declare 3" in sat.out:
            assert "  you declare 3: nobody bid\ntrump: S C H D? " in sat.out
            return
    raise AssertionError("no such seed")


@pytest.mark.parametrize("lot", range(3))
def test_no_line_is_wider_than_78_columns(play: Play, lot: int) -> None:
    asides = ["?", "table", "hint", "rules", "score", "legal", "review", "hint", "undo"]
    sat = play(
        "--seed", str(lot), "--seat", str(lot), "--against", "steady:three=5,four=7,five=7,moon=9",
        "odds:open_points=0.25,over_points=0.5", "--rule", "moon_points=30", "--rule",
        "set_keeps_tricks=true", "--rule", "defenders_score=false", "--rule", "target=1000",
        "--deals", "6", "--hints", "--revokes", "allowed", "--detection", "0.3333333333333333",
        lot=lot, asides=asides * 4,
    )  # fmt: skip
    assert sat.status == 0
    assert max(map(len, sat.lines)) <= 78
    assert sat.out.isascii()


def test_the_longest_seed_and_game(play: Play) -> None:
    sat = play("--seed", str(2**64 - 1), "--game", str(2**32 - 1), "--deals", "1", lot=1)
    assert sat.status == 0
    told = "seed 18446744073709551615, game 4294967295: with these the same cards come again"
    assert told in " ".join(sat.out.split())
    assert max(map(len, sat.lines)) <= 78


@pytest.mark.parametrize(
    ("encoding", "options", "hand"),
    [
        ("utf-8", [], "Q♠ | A♣ | A♥ 10♥ 9♥ | J♦"),
        ("ascii", [], "QS | AC | AH 10H 9H | JD"),
        ("utf-8", ["--ascii"], "QS | AC | AH 10H 9H | JD"),
    ],
)
def test_symbols_where_they_can_be_printed(
    monkeypatch: pytest.MonkeyPatch, encoding: str, options: list[str], hand: str
) -> None:
    screen = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO("n\n3\n♥\nhint\n".encode()), "utf-8")
    )
    monkeypatch.setattr(sys, "stdout", screen)
    assert main(["play", "--seed", "1", "--seat", "1", *options]) == 0
    screen.seek(0)
    text = screen.read()
    assert f"your hand: {hand}\n" in text
    assert (" ±0.0" in text, " +-0.0" in text) == ("♠" in hand, "♠" not in hand)
    assert "hearts are trump" in text  # the symbol is understood all the same


def test_an_answer_that_is_no_text(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe\nn\n3\n"), "utf-8"))
    assert main(["play", "--seed", "1", "--seat", "1"]) == 0
    out = capsys.readouterr().out
    assert "is no answer here" in out and "you bid 3" in out


# ----------------------------------------------------------------------------------- real terminals


#: Makes the terminal on standard input the one whose Ctrl-C interrupts, then becomes the command.
#: A test that runs in the background may ignore that signal, and its children would.
LOGIN = (
    "import fcntl, os, signal, sys, termios\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
    "os.execv(sys.argv[1], sys.argv[1:])"
)


class Terminal:
    """A command on a pseudo terminal."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.text = ""
        self.screen, terminal = pty.openpty()
        keep = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        looks = {"TERM": "xterm", "PYTHONIOENCODING": "utf-8", "LINES": "24", "COLUMNS": "80"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", LOGIN, *COMMAND, *arguments],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env=keep | looks | environment,
            start_new_session=True,
        )
        os.close(terminal)

    def until(self, text: str, seconds: float = 60) -> str:
        """Read until a text is on the screen; what came."""
        start, end = len(self.text), time.monotonic() + seconds
        while text not in self.text[start:]:
            assert time.monotonic() < end, self.text
            if select.select([self.screen], [], [], 1)[0]:
                try:
                    self.text += os.read(self.screen, 4096).decode(errors="replace")
                except OSError:  # the other end is closed
                    break
        assert text in self.text[start:], self.text
        return self.text[start:]

    def type(self, text: str) -> None:
        os.write(self.screen, text.encode())

    def interrupted(self, how: Callable[[], object]) -> int:
        """The exit status after an interruption.

        A signal that comes after the prompt, but before Python waits for a key, is noticed with
        the next one only. So it is sent again after a while.
        """
        for _ in range(20):
            time.sleep(0.2)
            how()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(3)
                break
        return self.status()

    def status(self) -> int:
        status = self.process.wait(60)
        with contextlib.suppress(OSError):  # the other end is closed
            while select.select([self.screen], [], [], 0)[0]:
                self.text += os.read(self.screen, 4096).decode(errors="replace")
        os.close(self.screen)
        return status


def test_on_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    terminal = Terminal("--seed", "1", "--seat", "1", "--save", str(path))
    terminal.until("swap? (y/n) ")
    terminal.type("n\n")
    terminal.until("moon? ")
    terminal.type("3\n")
    terminal.until("trump: S C H D? ")
    terminal.type("h\n")
    drawn = terminal.until("card? (1-6) ")
    # Red cards are red; nothing else is sent but text.
    assert "\x1b[31mJ♦\x1b[0m" in drawn
    assert set(re.findall(r"\x1b[^m]*m?", terminal.text)) == {"\x1b[31m", "\x1b[0m"}
    assert terminal.interrupted(lambda: terminal.type("\x03")) == 130
    assert "to go on: ghostsim play --resume" in terminal.text
    assert GameRecord.parse(path.read_text()).current is not None


def test_ctrl_d_and_no_colour(tmp_path: Path) -> None:
    terminal = Terminal("--seed", "1", "--seat", "1", NO_COLOR="1")
    terminal.until("swap? (y/n) ")
    terminal.type("\x04")
    terminal.until("--seed 1 --game 0")
    assert terminal.status() == 0
    assert "\x1b" not in terminal.text and "J♦" in terminal.text


def test_a_signal_to_stop_saves(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    terminal = Terminal("--seed", "1", "--seat", "1", "--save", str(path))
    terminal.until("swap? (y/n) ")
    terminal.type("n\n")
    terminal.until("moon? ")
    terminal.type("3\n")
    terminal.until("trump: S C H D? ")
    stop = signal.SIGTERM
    assert terminal.interrupted(lambda: terminal.process.send_signal(stop)) == 128 + stop
    assert GameRecord.parse(path.read_text()).current is not None


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    """As in ``ghostsim play ... | head -1``: the record is saved, no traceback."""
    path = tmp_path / "game.txt"
    process = subprocess.Popen(
        [*COMMAND, "--seed", "1", "--seat", "1", "--save", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin and process.stdout and process.stderr
    process.stdout.readline()
    process.stdout.close()
    process.stdin.write(b"n\n3\nH\n1\n2\n")
    process.stdin.close()
    assert process.wait() == 1
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()


def test_help_tells_all_options(capsys: Any) -> None:
    assert main(["play", "--help"]) == 0
    text = capsys.readouterr().out
    for option in (
        "--seat", "--against", "--seed", "--game", "--deals", "--rules", "--rule", "--revokes",
        "--detection", "--save", "--overwrite", "--resume", "--hints", "--no-review", "--ascii",
    ):  # fmt: skip
        assert option in text
