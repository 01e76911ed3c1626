"""Random positions, drawn by the oracle's rules; what has been compared, and what differed.

Legal play is the oracle's (tests/oracle.py), so that a position, too, owes nothing to the package.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import dds
import oracle

if TYPE_CHECKING:
    from ghostsim import Position

#: Tricks to go, and cards on the table.
Cell: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Case:
    """A position in the oracle's words.

    ``tricks`` are those taken so far by seat; ``bid`` is 3 to 6, or None for none.
    """

    hands: oracle.Hands
    trump: str
    declarer: int
    leader: int
    played: oracle.Cards
    tricks: oracle.BySeat
    bid: int | None = None

    @property
    def cell(self) -> Cell:
        return 6 - sum(self.tricks), len(self.played)

    @property
    def to_play(self) -> int:
        return (self.leader + len(self.played)) % 3

    def for_dds(self) -> dds.Position:
        return dds.Position(self.hands, self.trump, self.declarer, self.leader, self.played)

    def position(self) -> Position:
        """The same in the package's words."""
        from ghostsim import Position

        return Position(
            self.hands,
            self.trump,
            self.declarer,
            self.leader,
            self.played,
            self.tricks,
            self.bid,
        )


def draw(rng: random.Random, to_go: int, on_table: int, bid: int | None = None) -> Case:
    """A position that random legal play from a random deal has led to."""
    deck = rng.sample(oracle.DECK, 18)
    hands = [deck[:6], deck[6:12], deck[12:]]
    trump, declarer, leader = rng.choice("SCHD"), rng.randrange(3), rng.randrange(3)
    tricks, played = [0, 0, 0], list[str]()
    for _ in range(3 * (6 - to_go) + on_table):
        hand = hands[(leader + len(played)) % 3]
        card = rng.choice(oracle.legal_plays(hand, played[0] if played else None, trump))
        hand.remove(card)
        played.append(card)
        if len(played) == 3:
            leader = oracle.trick_winner(played, leader, trump)
            tricks[leader] += 1
            played = []
    first, second, third = map(tuple, hands)
    taken = tricks[0], tricks[1], tricks[2]
    return Case((first, second, third), trump, declarer, leader, tuple(played), taken, bid)


def draw_cells(
    rng: random.Random, n: int, to_go: Sequence[int], bids: Sequence[int | None] = (None,)
) -> list[Case]:
    """As many positions of each number of tricks to go, of cards on the table and of bids."""
    kinds = [(tricks, on_table, bid) for bid in bids for on_table in range(3) for tricks in to_go]
    # Pieces are small: each begins somewhere else, for the kinds to come up equally often.
    first = rng.randrange(len(kinds))
    return [draw(rng, *kinds[(first + i) % len(kinds)]) for i in range(n)]


def arrays(cases: Sequence[Case]) -> dict[str, Any]:
    """Positions as ``solve_many`` and ``card_values_many`` take them, by the layout of DESIGN 4."""
    import numpy as np

    trick = [[*map(oracle.card_bit, case.played), -1, -1][:2] for case in cases]
    found: dict[str, Any] = {
        "hands": np.array([[oracle.hand_mask(hand) for hand in case.hands] for case in cases]),
        "trump": np.array([oracle.SUITS.index(case.trump) for case in cases]),
        "declarer": np.array([case.declarer for case in cases]),
        "leader": np.array([case.leader for case in cases]),
        "trick": np.array(trick),
        "tricks": np.array([case.tricks for case in cases]),
    }
    bids = [case.bid for case in cases]
    if None not in bids:
        found |= {"bid": np.array(bids), "objective": "points"}
    return found


@dataclass(frozen=True, order=True)
class Difference:
    """A position on which two roads part; the smallest comes first."""

    cards_left: int
    text: str
    what: str


@dataclass
class Tally:
    """What has been compared.

    Attributes
    ----------
    compared, wrong : Counter
        Positions, and those that differ, by cell.
    cards : int
        Cards of them whose value was compared.
    differences : list of Difference
        At most a hundred, the smallest.
    """

    compared: Counter[Cell] = field(default_factory=Counter)
    wrong: Counter[Cell] = field(default_factory=Counter)
    cards: int = 0
    differences: list[Difference] = field(default_factory=list)

    def note(self, case: Case, differing: Iterable[str], cards: int = 0) -> None:
        """Count a position, and what differs about it, if anything does."""
        self.compared[case.cell] += 1
        self.cards += cards
        what = "; ".join(differing)
        if what:
            left = sum(map(len, case.hands)) + len(case.played)
            self.wrong[case.cell] += 1
            self.differences.append(Difference(left, case.position().text, what))

    def add(self, other: Tally) -> None:
        """Add what another piece compared."""
        self.compared += other.compared
        self.wrong += other.wrong
        self.cards += other.cards
        self.differences = sorted(self.differences + other.differences)[:100]
