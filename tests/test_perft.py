"""Ways to play a deal by the rules, counted: a slip in the rules of play changes these numbers.

The oracle wrote ``goldens/perft.txt``, which a card player can read. Here ``Position`` counts the
same deals, and the compiled solver says of as many cards that they may be played.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ghostsim.batches import card_values_many
from ghostsim.cards import Card
from ghostsim.position import Position
from ghostsim.solver import position_arrays

GOLDEN = Path(__file__).parent / "goldens" / "perft.txt"

#: One by one, so many ways are counted for each deal.
MANY = 30_000


class Golden(NamedTuple):
    """A deal, what is special about it, and its ways to play 1, 2, ... 18 cards."""

    about: str
    deal: Position
    counts: list[int]


def goldens() -> Iterator[Golden]:
    for block in GOLDEN.read_text(encoding="utf-8").split("\n\n")[1:]:
        about, deal, *lines = block.splitlines()
        numbers = [line.split() for line in lines]
        assert [int(depth) for depth, _ in numbers] == list(range(1, 19))
        position = Position.parse(deal.removeprefix("deal "))
        yield Golden(about.removeprefix("# "), position, [int(count) for _, count in numbers])


GOLDENS = list(goldens())
#: The one with the fewest positions that can come up: 73,000 plays of a card in all.
SMALLEST = GOLDENS[-1]


def ways(position: Position, depth: int) -> int:
    """The ways to play so many cards, one by one."""
    if depth == 0:
        return 1
    return sum(ways(position.play(card), depth - 1) for card in position.legal)


#: Positions by the cards held, the seat on lead and the trick, with the ways that lead to each.
Level = dict[tuple[object, ...], tuple[Position, int]]


@pytest.fixture(scope="module")
def levels() -> list[Level]:
    """The positions after 0, 1, ... cards; those that differ in tricks taken only are one."""
    found: list[Level] = []
    level: Level = {(): (SMALLEST.deal, 1)}
    while level:
        found.append(level)
        after: Level = {}
        for held, number in level.values():
            for card in held.legal:
                then = held.play(card)
                key = (then.masks, then.leader, then.trick)
                after[key] = then, number + after.get(key, (then, 0))[1]
        level = after
    return found


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.about)
def test_positions_can_be_played_in_as_many_ways_as_the_oracle_counts(golden: Golden) -> None:
    depth = sum(count <= MANY for count in golden.counts)
    assert depth >= 5
    for cards in range(1, depth + 1):
        assert ways(golden.deal, cards) == golden.counts[cards - 1], cards


def test_a_whole_deal_can_be_played_in_as_many_ways_as_the_oracle_counts(
    levels: list[Level],
) -> None:
    counts = [sum(number for _, number in level.values()) for level in levels]
    assert counts == [1, *SMALLEST.counts]
    assert all(position.is_over for position, _ in levels[-1].values())


@pytest.mark.bounds
def test_the_compiled_solver_lets_as_many_cards_be_played(levels: list[Level]) -> None:
    counts = []
    for level in levels:
        positions, numbers = zip(*level.values(), strict=True)
        values = card_values_many(**position_arrays(positions))
        may_be_played = values >= 0
        # The very same cards, not only as many.
        for position, allowed in zip(positions[:500], may_be_played, strict=False):
            assert [Card.from_index(i) for i in range(24) if allowed[i]] == sorted(position.legal)
        counts.append(int(may_be_played.sum(axis=1) @ numbers))
    assert counts == [*SMALLEST.counts, 0]
