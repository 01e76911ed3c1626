"""Positions as pictures that a card player can check."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostsim.cards import Card, Suit
from ghostsim.position import Position
from strategies import positions

HANDS = ("JS JC AS KS AH 9D", "QS TS 9S AC KC QC", "TC 9C KH QH JH TH")
#: Seat 0 leads throughout; seats 1 and 2 follow or throw away what they can.
LINE = "JS 9S TC  AS TS 9C  AH QS TH  AC JH KS  JC QC QH  9D KC KH"
START = Position(HANDS, "S", bid=4)


def picture(text: str) -> str:
    """A diagram as the tests below write it, between a first and a last line of its own."""
    return "\n".join(line.removeprefix("    ") for line in text.split("\n")[1:-1])


#: The first trick is over; seat 0 has led the ace of hearts, seat 1 the king of clubs to it.
MIDDLE = START.play_all("JS 9S TC AH KC")


def test_a_trick_under_way() -> None:
    assert MIDDLE.diagram(symbols=True) == picture("""
      seat 1, left defender                     > seat 2, right defender
      ♠ Q 10                   ┌─────────────┐    ♠ -
      ♣ A Q                    │ K♣        ? │    ♣ 9
      ♥ -                      │     A♥      │    ♥ K Q J 10
      ♦ -                      └─────────────┘    ♦ -

                               seat 0, declarer
                               ♠ J♣ A K
                               ♣ -
                               ♥ -
                               ♦ 9

    spades are trump, bid 4
    tricks: seat 0 has 1, seat 1 has 0, seat 2 has 0; 5 to go
    seat 0 led, seat 2 to play
    """)


def test_the_same_in_ascii() -> None:
    assert MIDDLE.diagram(symbols=False) == picture("""
      seat 1, left defender                     > seat 2, right defender
      S Q 10                   +-------------+    S -
      C A Q                    | KC        ? |    C 9
      H -                      |     AH      |    H K Q J 10
      D -                      +-------------+    D -

                               seat 0, declarer
                               S JC A K
                               C -
                               H -
                               D 9

    spades are trump, bid 4
    tricks: seat 0 has 1, seat 1 has 0, seat 2 has 0; 5 to go
    seat 0 led, seat 2 to play
    """)


def test_before_the_lead_with_hearts_as_trump_and_seat_1_as_declarer() -> None:
    deal = ("AH KH QH TH 9H JD", "JH AD 9D TS JS JC", "AS KS QS 9S AC TC")
    assert Position(deal, "H", declarer=1, bid="moon").diagram(symbols=True) == picture("""
      seat 2, left defender                       seat 0, right defender
      ♥ -                      ┌─────────────┐    ♥ J♦ A K Q 10 9
      ♠ A K Q 9                │             │    ♠ -
      ♣ A 10                   │      ?      │    ♣ -
      ♦ -                      └─────────────┘    ♦ -

                             > seat 1, declarer
                               ♥ J
                               ♠ J 10
                               ♣ J
                               ♦ A 9

    hearts are trump, bid moon
    tricks: seat 0 has 0, seat 1 has 0, seat 2 has 0; 6 to go
    seat 1 to lead
    """)


def test_two_tens_in_the_trick_and_seat_2_as_declarer() -> None:
    position = Position(("TD", "KD", "AC QS"), "C", 2, leader=0, trick="TC TS", tricks=(1, 1, 2))
    assert position.diagram(symbols=False) == picture("""
      seat 0, left defender                       seat 1, right defender
      C -                      +-------------+    C -
      S -                      | 10C     10S |    S -
      H -                      |      ?      |    H -
      D 10                     +-------------+    D K

                             > seat 2, declarer
                               C A
                               S Q
                               H -
                               D -

    clubs are trump, no bid is set
    tricks: seat 0 has 1, seat 1 has 1, seat 2 has 2; 2 to go
    seat 0 led, seat 2 to play
    """)


def test_when_it_is_over() -> None:
    assert START.play_all(LINE).diagram(symbols=False) == picture("""
      seat 1, left defender                       seat 2, right defender
      S -                      +-------------+    S -
      C -                      |             |    C -
      H -                      |             |    H -
      D -                      +-------------+    D -

                               seat 0, declarer
                               S -
                               C -
                               H -
                               D -

    spades are trump, bid 4
    tricks: seat 0 has 5, seat 1 has 1, seat 2 has 0; 0 to go
    the deal is over
    """)


@given(position=positions(), symbols=st.booleans())
def test_every_picture_shows_every_card_in_its_place(position: Position, symbols: bool) -> None:
    drawn = position.diagram(symbols)
    assert drawn.isascii() or symbols
    lines = drawn.split("\n")
    assert all(len(line) <= 78 and line == line.rstrip() for line in lines)
    assert len(lines) == 15
    declarer = position.declarer
    above, below = lines[:5], lines[6:11]
    # The columns of the left hand, the right one and the bottom one.
    hands = [[line[:26] for line in above], [line[43:] for line in above], below]
    for place, block in zip((1, 2, 0), hands, strict=True):
        seat = (declarer + place) % 3
        assert re.fullmatch(rf"[ >]+seat {seat}, [a-z ]+", block[0])
        assert (">" in block[0]) == (seat == position.to_play)
        read = []
        for line in block[1:]:
            suit, *ranks = line.split()
            read += [rank + suit if rank in "10 9JQKA" else rank for rank in ranks if rank != "-"]
        # The left bower is in the row of trumps, but its own suit is written.
        assert [Card(text) for text in read] == list(position.hands[seat])
        assert block[1].split()[0] in (
            position.trump.symbol,
            position.trump.letter,
        )
    middle = " ".join(line[28:41] for line in above[2:4]).split()
    assert len(middle) == len(position.trick) + (not position.is_over)
    shown = {(declarer + 1) % 3: above[2][28:34], (declarer + 2) % 3: above[2][35:41]}
    shown[declarer] = above[3][28:41]
    for order, card in enumerate(position.trick):
        assert Card(shown[(position.leader + order) % 3]) == card
    if position.to_play is not None:
        assert shown[position.to_play].strip() == "?"


class Output:
    """A standard output that can print so much."""

    def __init__(self, encoding: str | None) -> None:
        self.encoding = encoding


@pytest.mark.parametrize("encoding", ["utf-8", "UTF-16"])
def test_symbols_where_they_can_be_printed(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    monkeypatch.setattr(sys, "stdout", Output(encoding))
    drawn = str(MIDDLE), MIDDLE.diagram(), MIDDLE.diagram(symbols=False)
    monkeypatch.undo()
    symbols, ascii_only = MIDDLE.diagram(symbols=True), MIDDLE.diagram(symbols=False)
    assert drawn == (symbols, symbols, ascii_only)


@pytest.mark.parametrize(
    "output",
    # Korean has ♠ but not ♦.
    [*map(Output, ["ascii", "latin-1", "cp1252", "cp949", "no-such-code", None]), None, object()],
)
def test_ascii_where_symbols_cannot_be_printed(
    monkeypatch: pytest.MonkeyPatch, output: object
) -> None:
    monkeypatch.setattr(sys, "stdout", output)
    drawn = str(MIDDLE), MIDDLE.diagram(), MIDDLE.diagram(symbols=True)
    monkeypatch.undo()
    symbols, ascii_only = MIDDLE.diagram(symbols=True), MIDDLE.diagram(symbols=False)
    assert drawn == (ascii_only, ascii_only, symbols)


@pytest.mark.parametrize(("encoding", "expected"), [("ascii", False), ("utf-8", True)])
def test_printing_a_position(encoding: str, expected: bool) -> None:
    code = f"from ghostsim.position import Position\nprint({MIDDLE!r})"
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, env=environment
    )
    printed = done.stdout.decode(encoding).replace("\r\n", "\n")
    assert printed == MIDDLE.diagram(symbols=expected) + "\n"


class Cells(HTMLParser):
    """The text of each cell of a table, of its caption, what is bold, and what is red."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[tuple[str, str]] = []
        self.cells: list[str] = []
        self.bold: list[str] = []
        self.red: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == [], "all that was opened is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self.cells[-1] += "\n"
            return
        self.open.append((tag, dict(attrs).get("style") or ""))
        if tag in ("td", "caption"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        self.cells[-1] += f"{data} " if self.open[-1][0] == "span" else data
        tag, style = self.open[-1]
        if tag == "b" or "font-weight:bold" in style:
            self.bold.append(data)
        if "color:#c22" in style:
            self.red.append(data)
        assert "color:#000" not in style and "black" not in style, "black on a dark page"


def test_the_picture_in_a_notebook() -> None:
    page = Cells(MIDDLE._repr_html_())
    assert [cell.strip().replace(" \n", "\n").split("\n") for cell in page.cells] == [
        [
            "spades are trump, bid 4",
            "tricks: seat 0 has 1, seat 1 has 0, seat 2 has 0; 5 to go",
            "seat 0 led, seat 2 to play",
        ],
        ["seat 1, left defender", "♠ Q 10", "♣ A Q", "♥ -", "♦ -"],
        ["K♣ ?A♥"],
        ["seat 2, right defender", "♠ -", "♣ 9", "♥ K Q J 10", "♦ -"],
        [""],
        ["seat 0, declarer", "♠ J♣ A K", "♣ -", "♥ -", "♦ 9"],
        [""],
    ]
    assert page.bold == ["?", "seat 2, right defender"]
    assert page.red == ["♥ -", "♦ -", "A♥", "♥ K Q J 10", "♦ -", "♥ -", "♦ 9"]


@given(position=positions())
def test_every_notebook_picture_shows_every_card(position: Position) -> None:
    page = Cells(position._repr_html_())
    caption, *around = (cell.split() for cell in page.cells)
    assert " ".join(caption[:3]) == f"{position.trump.name.lower()} are trump,"
    text = " ".join(word for cell in around for word in cell).replace("?", " ")
    red = " ".join(page.red)
    for card in position.trick:
        assert card.pretty in text and (card.pretty in red) == (card.suit >= Suit.HEARTS)
    rows = "\n".join(page.cells)
    for suit in Suit:
        ranks = [
            re.findall(rf"\n{suit.symbol} ([^\n]*)", cell)[0].split()
            for cell in page.cells
            if cell.startswith("seat")
        ]
        assert len(ranks) == 3, rows
        held = [card for hand in position.hands for card in hand]
        shown = sum(len(row) for row in ranks) - ranks.count(["-"])
        assert shown == sum(card.suit_under(position.trump) == suit for card in held)
    turn = [] if position.to_play is None else [f"seat {position.to_play},"]
    assert [" ".join(name.split()[:2]) for name in page.bold if name != "?"] == turn
