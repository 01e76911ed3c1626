"""The parts of the verification: what is compared with what, on positions drawn by a seed.

A part is done in pieces of a second or so; piece number i of a part and a seed is always the same.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import dds
import oracle
from verification.cases import Case, Difference, Tally, arrays, draw_cells

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: None is play for tricks; the others are contracts, played for points.
BIDS = (None, 3, 4, 5, 6)


@dataclass(frozen=True)
class Part:
    """A comparison.

    Attributes
    ----------
    name, what, road : str
        Its name, what of the package is compared, and with what.
    do : callable
        Does a piece, given its random numbers and how many positions.
    share : float
        Positions, as a multiple of ``--positions``; 0 if their number is given.
    piece : int
        Positions of a piece.
    """

    name: str
    what: str
    road: str
    do: Callable[[random.Random, int], Tally]
    share: float
    piece: int

    def pieces(self, positions: int) -> list[int]:
        """How many positions each piece has."""
        total = max(1, round(self.share * positions))
        whole, rest = divmod(total, self.piece)
        return [self.piece] * whole + [rest] * (rest > 0)


def do_piece(name: str, seed: int, number: int, count: int) -> Tally:
    """Do a piece; what a worker process is told."""
    return PARTS[name].do(random.Random(f"{seed} {name} {number}"), count)


# ------------------------------------------------------------------------------------- coalition


def coalition(rng: random.Random, n: int) -> Tally:
    """Values and every card's value against DDS."""
    from ghostsim import card_values_many, solve_many

    dds.set_threads(1)
    cases = draw_cells(rng, n, range(1, 7))
    asked = arrays(cases)
    values = {depth: solve_many(**asked, depth=depth).tolist() for depth in (4, 5)}
    cards = {depth: card_values_many(**asked, depth=depth).tolist() for depth in (4, 5)}
    tally = Tally()
    for row, expected in enumerate(dds.dds_card_tricks([case.for_dds() for case in cases])):
        case = cases[row]
        taken = case.tricks[case.declarer]
        by_card = {card: taken + to_come for card, to_come in expected.items()}
        best = max if case.to_play == case.declarer else min
        differing = []
        for depth in (4, 5):
            found = {
                oracle.DECK[i]: value for i, value in enumerate(cards[depth][row]) if value != -1
            }
            if values[depth][row] != best(by_card.values()):
                differing.append(
                    f"depth {depth}: value {values[depth][row]}, DDS {best(by_card.values())}"
                )
            if found != by_card:
                differing.append(f"depth {depth}: cards {found}, DDS {by_card}")
        tally.note(case, differing, len(by_card))
    return tally


# --------------------------------------------------------------------------------------- selfish


def selfish_endings(rng: random.Random, n: int) -> Tally:
    """One to five tricks to go; up to three also with the oracle that tries every line of play."""
    return _selfish(draw_cells(rng, n, range(1, 6), BIDS))


def selfish_deals(rng: random.Random, n: int) -> Tally:
    """The first trick of whole deals."""
    return _selfish(draw_cells(rng, n, [6], BIDS))


def _selfish(cases: Sequence[Case]) -> Tally:
    from ghostsim import card_values_many, solve_many

    tally = Tally()
    for some in _by_objective(cases):
        asked = arrays(some) | {"defence": "selfish"}
        values = solve_many(**asked).tolist()
        cards = card_values_many(**asked).tolist()
        for case, value, by_card in zip(some, values, cards, strict=True):
            tally.note(case, *_against_max_n(case, tuple(value), by_card))
    return tally


def _by_objective(cases: Sequence[Case]) -> Iterator[list[Case]]:
    """Those played for tricks, and those played for points, if there are any."""
    for for_points in (False, True):
        some = [case for case in cases if (case.bid is not None) == for_points]
        if some:
            yield some


def _against_max_n(
    case: Case, value: tuple[int, ...], by_card: list[list[int]]
) -> tuple[list[str], int]:
    """What differs from the oracle, and how many cards were compared."""
    position = case.hands, case.trump, case.declarer, case.leader, case.played
    taken = 0 if case.bid is None else case.tricks[case.declarer]
    outcomes = oracle.selfish_card_tricks(*position, case.bid, taken)
    chosen = _choice(case, list(outcomes.values()))
    expected = {card: _with_taken(case, to_come) for card, to_come in outcomes.items()}
    found = {oracle.DECK[i]: tuple(tricks) for i, tricks in enumerate(by_card) if tricks[0] != -1}
    differing = []
    if value != _with_taken(case, chosen):
        differing.append(f"value {value}, max^n {_with_taken(case, chosen)}")
    if found != expected:
        differing.append(f"cards {found}, max^n {expected}")
    if case.cell[0] <= 3:
        naive = oracle.selfish_tricks_naive(*position, case.bid, taken)
        if value != _with_taken(case, naive):
            differing.append(f"value {value}, naive max^n {_with_taken(case, naive)}")
    return differing, len(expected)


def _choice(case: Case, outcomes: list[oracle.BySeat]) -> oracle.BySeat:
    """What the seat to play picks, by the oracle's tie rule."""
    contract = oracle.Contract(case.trump, case.declarer, case.bid)
    taken = 0 if case.bid is None else case.tricks[case.declarer]
    return oracle.selfish_choice(outcomes, case.to_play, contract, taken)


def _with_taken(case: Case, to_come: oracle.BySeat) -> oracle.BySeat:
    first, second, third = (a + b for a, b in zip(case.tricks, to_come, strict=True))
    return first, second, third


# ------------------------------------------------------------------------------------ consistency


def play(rng: random.Random, n: int) -> Tally:
    """Values against those of the legal children, and against the line of best play to its end."""
    from ghostsim.solver import best_line, card_values_of, solve_positions

    tally = Tally()
    how_many = {"coalition": n - n // 2, "selfish": n // 2}
    for defence, count in how_many.items():
        cases = draw_cells(rng, count, range(1, 7), (None,) if defence == "coalition" else BIDS)
        for some in _by_objective(cases):
            asked: dict[str, Any] = {"defence": defence}
            if some[0].bid is not None:
                asked["objective"] = "points"
            positions = [case.position() for case in some]
            solutions = solve_positions(positions, **asked)
            cards = card_values_of(positions, **asked)
            children = [[position.play(card) for card in position.legal] for position in positions]
            flat = solve_positions(list(itertools.chain.from_iterable(children)), **asked)
            after = iter(flat)
            for row, case in enumerate(some):
                legal = positions[row].legal
                line = best_line(positions[row], **asked)
                end = positions[row].play_all([card for _, card in line])
                then = [next(after) for _ in legal]
                values = cards[row]
                if defence == "coalition":
                    value: Any = solutions[row].declarer_tricks
                    by_child: list[Any] = [child.declarer_tricks for child in then]
                    by_card: list[Any] = [values[card] for card in legal]
                    best: Any = (max if case.to_play == case.declarer else min)(by_child)
                    reached: Any = end.tricks[case.declarer]
                else:
                    value = solutions[row].tricks
                    by_child = [child.tricks for child in then]
                    by_card = [values.tricks(card) for card in legal]
                    best = _best_of(case, by_child)
                    reached = end.tricks
                differing = []
                if value != best:
                    differing.append(f"value {value}, best child {best}")
                if by_card != by_child:
                    differing.append(f"cards {by_card}, children {by_child}")
                if not end.is_over or reached != value:
                    differing.append(f"value {value}, best line {reached}")
                tally.note(case, differing, len(legal))
    return tally


def _best_of(case: Case, ends: Sequence[oracle.BySeat]) -> oracle.BySeat:
    """Of tricks of the deal by seat, those that the seat to play picks."""
    to_come = []
    for end in ends:
        first, second, third = (a - b for a, b in zip(end, case.tricks, strict=True))
        to_come.append((first, second, third))
    return _with_taken(case, _choice(case, to_come))


#: Suit s becomes entry s: the eight relabellings that keep the two suits of a colour together.
RELABELLINGS = [
    suits
    for suits in itertools.permutations(range(4))
    if all(suits[suit ^ 1] == suits[suit] ^ 1 for suit in range(4))
]


def symmetry(rng: random.Random, n: int) -> Tally:
    """Every card's value under the eight relabellings of suits and three rotations of seats."""
    from ghostsim.batches import Defence, card_values_many

    cases = draw_cells(rng, n, range(1, 7))
    asked = arrays(cases)
    found = {defence: card_values_many(**asked, defence=defence) for defence in get_args(Defence)}
    differing: list[list[str]] = [[] for _ in cases]
    for suits, turn in itertools.product(RELABELLINGS, range(3)):
        cards = [6 * suits[card // 6] + card % 6 for card in range(24)]
        twin = _relabelled(asked, suits, cards, turn)
        for defence, values in found.items():
            # Card c has become card cards[c]; seat s has become seat s + turn.
            back = card_values_many(**twin, defence=defence)[:, cards]
            if defence == "selfish":
                back = back[:, :, [(seat + turn) % 3 for seat in range(3)]]
            for row in (back != values).reshape(n, -1).any(axis=1).nonzero()[0].tolist():
                differing[row].append(f"{defence}: suits {suits}, seats turned by {turn}")
    tally = Tally()
    for case, what in zip(cases, differing, strict=True):
        tally.note(case, what)
    tally.cards = int((found["coalition"] >= 0).sum())
    return tally


def _relabelled(
    asked: dict[str, NDArray[np.int64]], suits: Sequence[int], cards: list[int], turn: int
) -> dict[str, Any]:
    """Positions with other names for suits and seats."""
    import numpy as np

    held = asked["hands"][:, :, np.newaxis] >> np.arange(24) & 1
    hands = (held << np.array(cards)).sum(axis=2)
    trick = asked["trick"]
    return {
        "hands": np.roll(hands, turn, axis=1),
        "trump": np.array(suits)[asked["trump"]],
        "declarer": (asked["declarer"] + turn) % 3,
        "leader": (asked["leader"] + turn) % 3,
        "trick": np.where(trick >= 0, np.array(cards)[trick], -1),
        "tricks": np.roll(asked["tricks"], turn, axis=1),
    }


# ---------------------------------------------------------------------------------------- tables


def depths(rng: random.Random, n: int) -> Tally:
    """Whole deals that the declarer leads to: by the tables for 4, 5 and 6 tricks."""
    import numpy as np

    from ghostsim import solve_many
    from ghostsim.deals import random_hands

    hands = random_hands(n, seed=rng.getrandbits(64))
    numbers = np.random.default_rng(rng.getrandbits(64))
    trump, declarer = numbers.integers(0, 4, n), numbers.integers(0, 3, n)
    values = [solve_many(hands, trump, declarer, depth=depth) for depth in (4, 5, 6)]
    tally = Tally()
    tally.compared[6, 0] = n
    for row in ((values[0] != values[1]) | (values[1] != values[2])).nonzero()[0].tolist():
        first, second, third = (oracle.mask_hand(mask) for mask in hands[row].tolist())
        seat = int(declarer[row])
        case = Case((first, second, third), oracle.SUITS[trump[row]], seat, seat, (), (0, 0, 0))
        found = ", ".join(f"depth {d}: {v[row]}" for d, v in zip((4, 5, 6), values, strict=True))
        tally.wrong[6, 0] += 1
        tally.differences.append(Difference(18, case.position().text, found))
    return tally


def patterns(rng: random.Random, n: int) -> Tally:
    """The rows of the opening table, all of them, against the shipped opening patterns."""
    from ghostsim.endgames import Table
    from ghostsim.kernels.openings import N_PATTERNS
    from ghostsim.openings import check_opening_table

    wrong = check_opening_table(Table(6).load())
    tally = Tally()
    tally.compared[6, 0] = N_PATTERNS
    if wrong:
        tally.wrong[6, 0] = wrong
        what = f"{wrong:,} rows of the opening table disagree with the opening patterns"
        tally.differences.append(Difference(18, "(ghostsim tables verify coalition-6)", what))
    return tally


PARTS = {
    part.name: part
    for part in (
        Part(
            "coalition",
            "values and every card's value, coalition",
            "DDS, bridge's double-dummy solver",
            coalition,
            1,
            2_000,
        ),
        Part(
            "selfish-endings",
            "values and every card's value, selfish, for tricks and points; 1 to 5 tricks to go",
            "max^n in plain Python; up to 3 tricks to go also the one that tries every line",
            selfish_endings,
            0.1,
            250,
        ),
        Part(
            "selfish-deals",
            "the same; first trick of whole deals",
            "max^n in plain Python",
            selfish_deals,
            0.0015,
            10,
        ),
        Part(
            "play",
            "values and every card's value, both defences",
            "the best legal child by the oracle's preferences; the end of `best_line`",
            play,
            0.1,
            500,
        ),
        Part(
            "symmetry",
            "every card's value, both defences",
            "itself under 8 relabellings of suits x 3 rotations of seats",
            symmetry,
            0.1,
            1_000,
        ),
        Part(
            "depths",
            "values of whole deals the declarer leads to, coalition",
            "itself by the tables for 4, 5 and 6 tricks",
            depths,
            5,
            100_000,
        ),
        Part(
            "patterns",
            "the opening table, every row: in how many of 924 layouts are 0 to 6 tricks taken",
            "the opening patterns that ship, counted from the 5-trick table",
            patterns,
            0,
            1,
        ),
    )
}
