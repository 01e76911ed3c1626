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

In the middle of a trick DDS must be told what he has played to it. He plays right after East, so
once East's card is in the trick his lowest club follows it, and he holds one card fewer: it is
always the turn of one of the three who matter.

This module shares no code with oracle.py, so that a mistake in one is not repeated in the other.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

# endplay's layer of plain DDS structures: unlike the one above it, it leaves the filling of boards
# to the caller, so that preparing and solving can be told apart.
from endplay import _dds

# Hands by seat as strings such as "JS" and "TH", trump's letter, declarer's seat, leader's seat.
Deal: TypeAlias = tuple[Sequence[Collection[str]], str, int, int]


class Position(NamedTuple):
    """A position at the start of a trick or in its middle.

    `hands` are the cards by seat still held, `leader` is the seat that leads the trick or has led
    it, and `played` are its none, one or two cards in the order they were played. Trump is a
    letter, declarer a seat.
    """

    hands: Sequence[Collection[str]]
    trump: str
    declarer: int
    leader: int
    played: Sequence[str] = ()


NEXT_SUIT = {"S": "C", "C": "S", "H": "D", "D": "H"}
GREEN_SUITS = {"S": ("H", "D"), "C": ("H", "D"), "H": ("S", "C"), "D": ("S", "C")}

# How DDS numbers suits and players.
SPADES, HEARTS, DIAMONDS, CLUBS = range(4)
NORTH, EAST, SOUTH, WEST = range(4)
ACE = 14

# The arguments of DDS's solver: find the most tricks that the leader's side can take, name one card
# that achieves it, and search even if only one card can be led.
BEST_SCORE, ONE_CARD, ALWAYS_SEARCH = -1, 1, 1
# Or: name every card that may be played, with the tricks it leads to; equal cards as one.
EVERY_CARD = 3


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
CARD_NAMES = {
    trump: {place: card for card, place in BRIDGE_CARDS[trump].items()} for trump in "SCHD"
}


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
        boards = _boards([_board(Position(*deal)) for deal in batch], ONE_CARD)
        batches.append(boards)
    return PreparedDeals(
        batches=batches,
        cards_each=[len(hands[0]) for hands, _, _, _ in deals],
        declarer_leads=[leader == declarer for _, _, declarer, leader in deals],
    )


def _boards(batch: Sequence[_dds.deal], solutions: int) -> _dds.boards:
    """Return at most 200 boards as DDS takes them, with what it shall find out about each."""
    boards = _dds.boards()
    boards.noOfBoards = len(batch)
    for index, board in enumerate(batch):
        boards.deals[index] = board
        boards.target[index] = BEST_SCORE
        boards.solutions[index] = solutions
        boards.mode[index] = ALWAYS_SEARCH
    return boards


def _board(position: Position) -> _dds.deal:
    """Return one position, its trump and its leader as DDS takes them."""
    hands, trump, declarer, leader, played = position
    # Seats and players both go round clockwise; South has no seat.
    player_of_seat = {declarer: NORTH, (declarer + 1) % 3: EAST, (declarer + 2) % 3: WEST}
    board = _dds.deal()
    board.trump = SPADES
    board.first = player_of_seat[leader]
    for seat, hand in enumerate(hands):
        holding = board.remainCards[player_of_seat[seat]]
        for card in hand:
            suit, bit = BRIDGE_CARDS[trump][card]
            holding[suit] |= bit

    # The seat to play has not played to this trick, so he holds a card for each trick to come.
    tricks_to_come = len(hands[_seat_to_play(position)])
    south_ranks = list(range(2, 2 + tricks_to_come))
    trick = []
    for place, card in enumerate(played):
        suit, bit = BRIDGE_CARDS[trump][card]
        trick.append((suit, bit.bit_length() - 1))
        if player_of_seat[(leader + place) % 3] == EAST:
            trick.append((CLUBS, south_ranks.pop(0)))
    for place, (suit, rank) in enumerate(trick):
        board.currentTrickSuit[place] = suit
        board.currentTrickRank[place] = rank
    board.remainCards[SOUTH][CLUBS] = sum(1 << rank for rank in south_ranks)
    return board


def _seat_to_play(position: Position) -> int:
    """Return the seat that plays the trick's next card."""
    return (position.leader + len(position.played)) % 3


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


def dds_card_tricks(positions: Sequence[Position]) -> list[dict[str, int]]:
    """Return, for each position and each card that may be played now, the declarer's tricks.

    They are those from here on, the current trick included, if the card is played and best play
    follows. See `solve_prepared` for threads.
    """
    found = []
    for batch in _batches_without_repeats([_board(position) for position in positions]):
        solved = _dds.solvedBoards()
        _dds.SolveAllBoardsBin(_boards(batch, EVERY_CARD), solved)
        found += [solved.solvedBoard[index] for index in range(len(batch))]
    return [
        _card_values(future_tricks, position)
        for future_tricks, position in zip(found, positions, strict=True)
    ]


def dds_position_tricks(positions: Sequence[Position]) -> list[int]:
    """Return the declarer's tricks from here on with best play, the current trick included."""
    return [
        max(values.values())
        if _seat_to_play(position) == position.declarer
        else min(values.values())
        for position, values in zip(positions, dds_card_tricks(positions), strict=True)
    ]


def _batches_without_repeats(boards: Sequence[_dds.deal]) -> Iterator[list[_dds.deal]]:
    """Yield the boards in order, in lists for one call of DDS.

    Of a call's boards with the same cards left and the same leader, DDS solves the first and copies
    its answer to the others. It forgets that the cards of the trick may differ, so that in the
    middle of a trick the copies can be wrong. Here all boards of a list have different cards left.
    """
    batch: list[_dds.deal] = []
    seen: set[tuple[int, ...]] = set()
    for board in boards:
        cards_left = tuple(holding for player in board.remainCards for holding in player)
        if len(batch) == _dds.MAXNOOFBOARDS or cards_left in seen:
            yield batch
            batch, seen = [], set()
        batch.append(board)
        seen.add(cards_left)
    if batch:
        yield batch


def _card_values(future_tricks: _dds.futureTricks, position: Position) -> dict[str, int]:
    """Return the declarer's tricks for each card that DDS reports, equal cards one by one.

    Its scores are the tricks of the side whose turn it is. It reports the highest of equal cards,
    and the bits of the lower ones.
    """
    seat = _seat_to_play(position)
    tricks_to_come = len(position.hands[seat])
    values = {}
    for index in range(future_tricks.cards):
        score = future_tricks.score[index]
        bits = future_tricks.equals[index] | 1 << future_tricks.rank[index]
        for rank in range(2, ACE + 1):
            if bits >> rank & 1:
                card = CARD_NAMES[position.trump][future_tricks.suit[index], 1 << rank]
                values[card] = score if seat == position.declarer else tricks_to_come - score
    return values
