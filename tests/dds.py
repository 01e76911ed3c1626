"""Bridge's double-dummy solver DDS, through endplay, as a second oracle and the benchmarks' peer.

A deal of Ghost Hand Euchre becomes a bridge deal with the same play (DESIGN 5): the declarer sits
North, the defender on his left East, the one on his right West. Trump becomes the seven top spades,
next the five top hearts, each green the six top cards of a minor. Bridge knows no bowers, so they
become the two highest spades.

South holds the lowest clubs: 2, 3, 4 and so on, one for each trick. He changes nothing. He is never
on lead at first. A trick is led by one of the others, with a card that South cannot beat: in clubs
all their cards are higher than his, in another suit he can only discard, and he has no spade to
ruff with. So he never wins a trick, never leads, and what he plays obliges nobody to anything.
His cards are neighbours in one suit, which DDS takes for one card, so he costs it no search either.

This module shares no code with oracle.py, so that a mistake in one is not repeated in the other.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

# endplay's layer of plain DDS structures: unlike the one above it, it leaves the filling of boards
# to the caller, so that preparing and solving can be told apart.
from endplay import _dds

# Hands by seat as strings such as "JS" and "TH", trump's letter, declarer's seat, leader's seat.
Deal: TypeAlias = tuple[Sequence[Collection[str]], str, int, int]

NEXT_SUIT = {"S": "C", "C": "S", "H": "D", "D": "H"}
GREEN_SUITS = {"S": ("H", "D"), "C": ("H", "D"), "H": ("S", "C"), "D": ("S", "C")}

# How DDS numbers suits and players.
SPADES, HEARTS, DIAMONDS, CLUBS = range(4)
NORTH, EAST, SOUTH, WEST = range(4)
ACE = 14

# The arguments of DDS's solver: find the most tricks that the leader's side can take, name one card
# that achieves it, and search even if only one card can be led.
BEST_SCORE, ONE_CARD, ALWAYS_SEARCH = -1, 1, 1


def _bridge_cards(trump: str) -> dict[str, tuple[int, int]]:
    """Return each card's suit and rank bit in DDS, for one trump."""
    following = NEXT_SUIT[trump]
    green, other_green = GREEN_SUITS[trump]
    high_to_low = {
        SPADES: ["J" + trump, "J" + following, *(rank + trump for rank in "AKQT9")],
        HEARTS: [rank + following for rank in "AKQT9"],
        DIAMONDS: [rank + green for rank in "AKQJT9"],
        CLUBS: [rank + other_green for rank in "AKQJT9"],
    }
    return {
        card: (suit, 1 << (ACE - place))
        for suit, cards in high_to_low.items()
        for place, card in enumerate(cards)
    }


BRIDGE_CARDS = {trump: _bridge_cards(trump) for trump in "SCHD"}


@dataclass(frozen=True)
class PreparedDeals:
    """Deals as DDS takes them.

    `batches` are its arrays of at most 200 boards; `cards_each` and `declarer_leads` have one entry
    for each deal, in order.
    """

    batches: list[_dds.boards]
    cards_each: list[int]
    declarer_leads: list[bool]


def prepare(deals: Sequence[Deal]) -> PreparedDeals:
    """Translate deals for `solve_prepared`, so that a benchmark can time the solving alone.

    A benchmark needs different deals: DDS solves boards of a batch that are equal only once.
    """
    batches = []
    for start in range(0, len(deals), _dds.MAXNOOFBOARDS):
        batch = deals[start : start + _dds.MAXNOOFBOARDS]
        boards = _dds.boards()
        boards.noOfBoards = len(batch)
        for index, deal in enumerate(batch):
            _fill_board(boards.deals[index], deal)
            boards.target[index] = BEST_SCORE
            boards.solutions[index] = ONE_CARD
            boards.mode[index] = ALWAYS_SEARCH
        batches.append(boards)
    return PreparedDeals(
        batches=batches,
        cards_each=[len(hands[0]) for hands, _, _, _ in deals],
        declarer_leads=[leader == declarer for _, _, declarer, leader in deals],
    )


def _fill_board(board: _dds.deal, deal: Deal) -> None:
    """Write one deal, its trump and its leader into a board of zeros."""
    hands, trump, declarer, leader = deal
    # Seats and players both go round clockwise; South has no seat.
    player_of_seat = {declarer: NORTH, (declarer + 1) % 3: EAST, (declarer + 2) % 3: WEST}
    board.trump = SPADES
    board.first = player_of_seat[leader]
    for seat, hand in enumerate(hands):
        holding = board.remainCards[player_of_seat[seat]]
        for card in hand:
            suit, bit = BRIDGE_CARDS[trump][card]
            holding[suit] |= bit
    board.remainCards[SOUTH][CLUBS] = sum(1 << rank for rank in range(2, 2 + len(hands[0])))


def solve_prepared(prepared: PreparedDeals) -> list[int]:
    """Return the declarer's tricks for each deal, as the coalition of defenders allows.

    DDS shares each batch out to its own threads: importing endplay lets it use one for each
    processor, and `set_threads(1)` makes it single-threaded for the rest of the process. It keeps
    its state in globals, so call this from one Python thread at a time.
    """
    leader_side_tricks: list[int] = []
    for boards in prepared.batches:
        solved = _dds.solvedBoards()
        _dds.SolveAllBoardsBin(boards, solved)
        leader_side_tricks += [
            solved.solvedBoard[index].score[0] for index in range(boards.noOfBoards)
        ]
    return [
        tricks if declarer_leads else cards_each - tricks
        for tricks, cards_each, declarer_leads in zip(
            leader_side_tricks, prepared.cards_each, prepared.declarer_leads, strict=True
        )
    ]


def dds_tricks(deals: Sequence[Deal]) -> list[int]:
    """Return the declarer's tricks for each deal; see `solve_prepared` for threads."""
    return solve_prepared(prepare(deals))


def set_threads(count: int) -> None:
    """Let DDS use this many threads, at most one for each processor; 0 means one for each.

    It stands for the whole process. The tables that DDS had filled are thrown away.
    """
    _dds.SetMaxThreads(count)
