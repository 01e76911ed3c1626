"""From card masks to lanes, where no bower is special any more.

**Lanes** (the trump-relative form). A mask of four bytes, one a suit: byte 0 *next*, bytes 1 and
2 the *greens*, byte 3 trump. Bit 8*lane + slot; the higher the slot, the higher the card:

    lane 0  next     9 10 Q K A               five slots
    lane 1  green    9 10 J Q K A             six slots (the green suit with the lower number)
    lane 2  green    9 10 J Q K A             six slots
    lane 3  trump    9 10 Q K A left right    seven slots

The eighth bit of a byte is always 0. A card beats a lower bit if both are in one lane or it is
in lane 3.

**Lengths** are packed three bits a lane: ``length >> 3*lane & 7`` slots in play in that lane.

**Normal form.** Only the order of the cards in play matters: their slots are squeezed together
lane by lane, and the plain lanes are laid end to end, longest first, then trump, to one mask
of 3n slots (n tricks to go). ``SHAPES[n]`` lists the lengths that can occur.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from ghostsim._jit import jit
from ghostsim.kernels.bits import popcount, squeeze_lane

TRUMP_LANE = 0x7F << 24
FULL_LENGTHS = 5 | 6 << 3 | 6 << 6 | 7 << 9  # all 24 cards


def pack_lengths(plain: tuple[int, ...], trump: int) -> int:
    return plain[0] | plain[1] << 3 | plain[2] << 6 | trump << 9


def _shapes(tricks: int) -> list[tuple[int, int, int, int]]:
    """(trump; plain suits, longest first) of 3n cards: one plain suit, next, has only five."""
    return [
        (trump, a, b, c)
        for trump in range(8)
        for a in range(7)
        for b in range(a + 1)
        for c in range(min(b, 5) + 1)
        if trump + a + b + c == 3 * tricks
    ]


SHAPES = [_shapes(tricks) for tricks in range(7)]


def _forms() -> NDArray[np.int16]:
    """By packed lengths: number of the shape, and the three plain lanes, longest first.

    ``shape | lane << 6 | lane << 8 | lane << 10``; -1 where no such lengths exist. Sixteen bits
    each, for the table to stay in the first-level cache.
    """
    forms = np.full(1 << 12, -1, dtype=np.int16)
    for shapes in SHAPES:
        for number, (trump, *plain) in enumerate(shapes):
            for lengths in set(itertools.permutations(plain)):
                first, second, third = sorted(range(3), key=lambda lane: -lengths[lane])
                forms[pack_lengths(lengths, trump)] = (
                    number | first << 6 | second << 8 | third << 10
                )
    return forms


FORMS = _forms()


@jit()
def to_lanes(mask, trump):
    """Lanes of a mask of cards (24 bits, six a suit: 9 10 J Q K A) when ``trump`` is named."""
    named = mask >> 6 * trump & 63
    other = mask >> 6 * (trump ^ 1) & 63  # the other suit of trump's colour
    green = 2 - (trump & 2)
    return (
        (other & 3 | other >> 1 & 28)
        | (mask >> 6 * green & 63) << 8
        | (mask >> 6 * green + 6 & 63) << 16
        | (named & 3 | named >> 1 & 28 | (other >> 2 & 1) << 5 | (named >> 2 & 1) << 6) << 24
    )


@jit()
def count_lengths(lanes):
    """Packed lengths: how many bits are set in each lane."""
    return (
        popcount(lanes & 0x7F)
        | popcount(lanes & 0x7F << 8) << 3
        | popcount(lanes & 0x7F << 16) << 6
        | popcount(lanes >> 24) << 9
    )


@jit()
def all_slots(lengths):
    """The lanes with every slot in play set."""
    return (
        ((1 << (lengths & 7)) - 1)
        | ((1 << (lengths >> 3 & 7)) - 1) << 8
        | ((1 << (lengths >> 6 & 7)) - 1) << 16
        | ((1 << (lengths >> 9)) - 1) << 24
    )


@jit()
def squeeze_lanes(lanes, keep):
    """Drop the slots not in ``keep`` and move the others together, lane by lane."""
    out = 0
    for lane in range(0, 32, 8):
        out |= squeeze_lane(lanes >> lane & 0x7F, keep >> lane & 0x7F) << lane
    return out


@jit()
def lay_out(lanes, form, lengths):
    """Lanes laid end to end in the order of ``form``: a mask of as many slots as ``lengths``."""
    first = form >> 6 & 3
    second = form >> 8 & 3
    third = form >> 10 & 3
    at_second = lengths >> 3 * first & 7
    at_third = at_second + (lengths >> 3 * second & 7)
    at_trump = at_third + (lengths >> 3 * third & 7)
    return (
        (lanes >> 8 * first & 0x7F)
        | (lanes >> 8 * second & 0x7F) << at_second
        | (lanes >> 8 * third & 0x7F) << at_third
        | (lanes >> 24) << at_trump
    )


@jit()
def take_up(mask, lengths):
    """The inverse of laying out for lengths in normal form (lanes 0 1 2, longest first)."""
    first = lengths & 7
    second = lengths >> 3 & 7
    third = lengths >> 6 & 7
    return (
        (mask & (1 << first) - 1)
        | (mask >> first & (1 << second) - 1) << 8
        | (mask >> first + second & (1 << third) - 1) << 16
        | mask >> first + second + third << 24
    )
