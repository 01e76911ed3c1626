"""What the solver is compared with, and the deals and positions that it is compared on.

The peer is bridge's DDS, as the tests' second oracle drives it (tests/dds.py); the plain-Python
solver is the tests' first oracle (tests/oracle.py). ghostsim is imported inside the functions.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import Bar, Row, Timing, Work

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TESTS = Path(__file__).resolve().parent.parent / "tests"


def oracle_module(name: str) -> Any:
    """A module of the tests: ``dds`` or ``oracle``."""
    # The tests are no package, and must not become one to lend us a module.
    if str(TESTS) not in sys.path:
        sys.path.insert(0, str(TESTS))
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise RuntimeError(
            f"the comparison with DDS needs {error.name}: pip install 'ghostsim[test]'"
        ) from error


def card_names() -> list[str]:
    """The cards by number, as the oracles write them."""
    from ghostsim.cards import cards_of

    return [str(cards_of(1 << bit)[0]) for bit in range(24)]


@dataclass(frozen=True)
class Positions:
    """Positions before the trick's first, second or third card; whole deals among them.

    ``hands`` int64 (n, 3), ``trick`` int64 (n, 2), ``tricks`` int64 (n, 3), the others int64 (n,),
    as ``solve_many`` takes them.
    """

    hands: NDArray[np.int64]
    trump: NDArray[np.int64]
    declarer: NDArray[np.int64]
    leader: NDArray[np.int64]
    trick: NDArray[np.int64]
    tricks: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.hands)

    def take(self, rows: NDArray[np.int64] | slice) -> Positions:
        """Some of the positions, as numbered."""
        return Positions(*(array[rows] for array in vars(self).values()))

    @classmethod
    def join(cls, parts: Sequence[Positions]) -> Positions:
        """All positions of several."""
        import numpy as np

        columns = zip(*(vars(part).values() for part in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))

    def arguments(self) -> dict[str, Any]:
        """What ``solve_many`` and ``card_values_many`` take."""
        return dict(vars(self))

    def whole_deals(self) -> dict[str, Any]:
        """The same for deals of which no card has been played, as anybody writes it."""
        return {
            name: array for name, array in vars(self).items() if name not in ("trick", "tricks")
        }

    def for_oracles(self) -> list[Any]:
        """The same positions as tests/dds.py and tests/oracle.py take them."""
        names = card_names()
        # A mask has at most six cards: a look-up for each hand is not worth its memory.
        hands = [
            [[name for bit, name in enumerate(names) if mask >> bit & 1] for mask in masks]
            for masks in self.hands.tolist()
        ]
        trumps = ["SCHD"[trump] for trump in self.trump]
        played = [
            tuple(names[card] for card in cards if card >= 0) for cards in self.trick.tolist()
        ]
        seats = self.declarer.tolist(), self.leader.tolist()
        position = oracle_module("dds").Position
        return [position(*parts) for parts in zip(hands, trumps, *seats, played, strict=True)]


def random_deals(n: int, seed: int, *, declarer_leads: bool = False) -> Positions:
    """Random deals, with random trump, declarer and, unless it is he, leader."""
    import numpy as np

    from ghostsim.deals import random_hands

    random = np.random.default_rng(seed)
    trump, declarer, leader = (random.integers(0, limit, n) for limit in (4, 3, 3))
    if declarer_leads:
        leader = declarer
    nothing = np.full((n, 2), -1), np.zeros((n, 3), dtype=np.int64)
    return Positions(random_hands(n, seed=seed), trump, declarer, leader, *nothing)


def random_positions(n: int, tricks: int, on_table: int, seed: int) -> Positions:
    """Random positions with some tricks to go and some cards of the first of them on the table.

    Which cards are in play and who holds them is as likely as any other way; the cards on the table
    are chosen among the legal ones. Tricks taken do not matter to the time, so all are seat 0's.
    """
    import numpy as np

    random = np.random.default_rng([seed, tricks, on_table])
    whole = random_deals(n, seed)
    rows = np.arange(n)
    # Keep some of each hand's cards: those with the highest lots.
    holds = (whole.hands[:, :, np.newaxis] >> np.arange(24) & 1).astype(bool)
    lots = np.where(holds, random.random(holds.shape), -1.0)
    kept = np.argsort(-lots, axis=2)[:, :, :tricks]
    holds[:] = False
    np.put_along_axis(holds, kept, True, axis=2)
    trick = np.full((n, 2), -1)
    for place in range(on_table):
        seat = (whole.leader + place) % 3
        may = holds[rows, seat]
        if place:
            follows = may & (_suits(whole.trump) == _suits(whole.trump)[rows, trick[:, 0]][:, None])
            may = np.where(follows.any(axis=1)[:, None], follows, may)
        trick[:, place] = np.where(may, random.random(may.shape), -1.0).argmax(axis=1)
        holds[rows, seat, trick[:, place]] = False
    taken = np.zeros((n, 3), dtype=np.int64)
    taken[:, 0] = 6 - tricks
    hands = (holds * (1 << np.arange(24))).sum(axis=2)
    return Positions(hands, whole.trump, whole.declarer, whole.leader, trick, taken)


def _suits(trump: NDArray[np.int64]) -> NDArray[np.int64]:
    """The suit of each card, the left bower being a trump: int64 (n, 24)."""
    import numpy as np

    suits = np.repeat(np.arange(4), 6)
    left_bower = (np.arange(24) % 6 == 2) & (suits == (trump ^ 1)[:, np.newaxis])
    return np.where(left_bower, trump[:, np.newaxis], suits)


def solver(batches: Sequence[Positions], depth: int, n_jobs: int = 1) -> Work:
    """``solve_many``, as anybody calls it, on the deals of a round."""
    from ghostsim import solve_many

    return lambda number: solve_many(**batches[number].whole_deals(), n_jobs=n_jobs, depth=depth)


def position_solver(batches: Sequence[Positions], depth: int, n_jobs: int = 1) -> Work:
    """``solve_many`` on the positions of a round."""
    from ghostsim import solve_many

    return lambda number: solve_many(**batches[number].arguments(), n_jobs=n_jobs, depth=depth)


def card_solver(batches: Sequence[Positions], depth: int, n_jobs: int = 1) -> Work:
    """``card_values_many`` on the positions of a round."""
    from ghostsim import card_values_many

    return lambda number: card_values_many(
        **batches[number].arguments(), n_jobs=n_jobs, depth=depth
    )


def dds_solver(batches: Sequence[Positions], threads: int) -> Work:
    """DDS on the deals of a round. Turning deals into its form is not timed."""
    dds = oracle_module("dds")
    dds.set_threads(threads)
    # A deal is a position without the cards of the trick.
    prepared = [dds.prepare([each[:4] for each in batch.for_oracles()]) for batch in batches]
    return lambda number: dds.solve_prepared(prepared[number])


@dataclass(frozen=True)
class PreparedPositions:
    """Positions as DDS takes them, and, to read its answers, as they were."""

    batches: list[Any]
    positions: list[Any]


def dds_position_solver(
    batches: Sequence[Positions], threads: int, *, every_card: bool = False
) -> tuple[Work, list[PreparedPositions]]:
    """DDS on the positions of a round, and these: neither translation is timed.

    ``dds_values`` and ``dds_card_values`` read the answers.
    """
    dds = oracle_module("dds")
    dds.set_threads(threads)
    what = dds.EVERY_CARD if every_card else dds.ONE_CARD
    prepared = []
    for batch in batches:
        positions = batch.for_oracles()
        lists = dds._batches_without_repeats([dds._board(position) for position in positions])
        prepared.append(PreparedPositions([dds._boards(list_, what) for list_ in lists], positions))

    def work(number: int) -> list[Any]:
        answers = []
        for boards in prepared[number].batches:
            solved = dds._dds.solvedBoards()
            dds._dds.SolveAllBoardsBin(boards, solved)
            answers.append(solved)
        return answers

    return work, prepared


def _answers(prepared: PreparedPositions, solved: Sequence[Any]) -> list[Any]:
    return [
        answer.solvedBoard[index]
        for boards, answer in zip(prepared.batches, solved, strict=True)
        for index in range(boards.noOfBoards)
    ]


def dds_values(prepared: PreparedPositions, solved: Sequence[Any]) -> NDArray[np.int64]:
    """The declarer's tricks to come that DDS found for each position."""
    import numpy as np

    dds = oracle_module("dds")
    values = []
    for position, answer in zip(prepared.positions, _answers(prepared, solved), strict=True):
        seat = dds._seat_to_play(position)
        own = answer.score[0]
        values.append(own if seat == position.declarer else len(position.hands[seat]) - own)
    return np.array(values)


def dds_card_values(prepared: PreparedPositions, solved: Sequence[Any]) -> NDArray[np.int64]:
    """The declarer's tricks to come by card, -1 where it cannot be played: int64 (n, 24)."""
    import numpy as np

    dds = oracle_module("dds")
    place = {name: number for number, name in enumerate(card_names())}
    values = np.full((len(prepared.positions), 24), -1)
    for row, (position, answer) in enumerate(
        zip(prepared.positions, _answers(prepared, solved), strict=True)
    ):
        for card, tricks in dds._card_values(answer, position).items():
            values[row, place[card]] = tricks
    return values


def to_come(values: NDArray[np.int8], positions: Positions) -> NDArray[np.int64]:
    """Our values, which are of the whole deal, as DDS counts: from here on."""
    import numpy as np

    taken = positions.tricks[np.arange(len(positions)), positions.declarer]
    wide = values.astype(np.int64)
    if values.ndim == 1:
        return wide - taken
    return np.where(wide < 0, -1, wide - taken[:, np.newaxis])


def agreement(shares: Sequence[float], compared: int, what: str, peer: str = "DDS") -> Row:
    """The row that says which share of a peer's answers all others gave as well."""
    note = f"1 = all; {compared:,} {what} compared with {peer}"
    return Row("answers that agree", "x", tuple(shares), Bar(1, at_least=True), note)


def deals_agreement(reference: Timing, others: Sequence[Timing]) -> Row:
    """The share of DDS's answers about deals that all others give as well."""
    import numpy as np

    shares = []
    for number, expected in enumerate(reference.results):
        answers = [other.results[number][: len(expected)] == expected for other in others]
        shares.append(float(np.all(answers, axis=0).mean()))
    return agreement(shares, sum(len(answers) for answers in reference.results), "deals")
