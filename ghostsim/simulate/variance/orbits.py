"""One deal used several times: its hands in other seats, its suits renamed.

Every member of an orbit is as likely as the deal itself, so the mean over an orbit has the right
mean. Members hang together: the unit is the orbit. Sum the members' numbers into one column and
tell it with ``Moments.mean(..., per=members)``, or a share with ``Moments.share``.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ghostsim.batches import DealError
from ghostsim.cards import ALL_CARDS
from ghostsim.hand_classes import RELABELLINGS, relabel


def _rotations_first(n: int) -> tuple[tuple[int, ...], ...]:
    """All orders of n, the n rotations first."""
    rotations = [tuple((i + turn) % n for i in range(n)) for turn in range(n)]
    others = [order for order in itertools.permutations(range(n)) if order not in rotations]
    return (*rotations, *others)


#: Which of the three hands each seat gets. The first three are the rotations: each hand once in
#: each seat.
SEAT_ORDERS: tuple[tuple[int, ...], ...] = _rotations_first(3)
#: The same of four hands; 3 is the ghost, and so is the fourth place.
HAND_ORDERS: tuple[tuple[int, ...], ...] = _rotations_first(4)
#: The relabellings that keep colours together: suit s becomes ``order[s]``. In the first four each
#: suit becomes spades once; the last four do so again, with the two suits of the other colour
#: changed over.
SUIT_ORDERS: tuple[tuple[int, int, int, int], ...] = tuple(
    sorted(RELABELLINGS, key=lambda order: order[order.index(0) ^ 2] > order[order.index(0) ^ 3])
)


def seat_orders(hands: ArrayLike) -> NDArray[np.int64]:
    """Each deal in all six seat orders.

    Parameters
    ----------
    hands : int (n, 3)
        Masks by seat, as ``random_hands`` gives them.

    Returns
    -------
    int64 (n, 6, 3)
        In the order of ``SEAT_ORDERS``, the deal itself first; ``[:, :3]`` are the rotations.

    Raises
    ------
    DealError
        If ``hands`` has another shape, or is not of whole numbers.

    Examples
    --------
    >>> seat_orders([[63, 4032, 258048]])[0, :3].tolist()
    [[63, 4032, 258048], [4032, 258048, 63], [258048, 63, 4032]]
    """
    return _checked(hands)[:, np.array(SEAT_ORDERS)]


def hand_orders(hands: ArrayLike) -> NDArray[np.int64]:
    """Each deal in all 24 orders of its four hands, the ghost among them.

    For what is not decided by the cards of the ghost, like double-dummy tricks: every hand may be
    the one that nobody holds.

    Parameters, errors: as ``seat_orders``.

    Returns
    -------
    int64 (n, 24, 3)
        In the order of ``HAND_ORDERS``, the deal itself first; in ``[:, :4]`` each hand is once in
        each seat and once the ghost.
    """
    three = _checked(hands)
    ghost = ALL_CARDS & ~np.bitwise_or.reduce(three, axis=1)
    four = np.column_stack([three, ghost])
    return four[:, np.array(HAND_ORDERS)[:, :3]]


def suit_relabellings(hands: ArrayLike) -> NDArray[np.int64]:
    """Each deal under all eight relabellings of its suits that keep colours together.

    For questions about one named trump. Where whoever plays treats suits alike, all eight play the
    same and nothing is gained.

    Parameters, errors: as ``seat_orders``.

    Returns
    -------
    int64 (n, 8, 3)
        In the order of ``SUIT_ORDERS``, the deal itself first; in ``[:, :4]`` each suit is spades
        once, and for a question about one trump the other four are the same again.
    """
    masks = _checked(hands)
    return np.stack([relabel(masks, order) for order in SUIT_ORDERS], axis=1)


def _checked(hands: ArrayLike) -> NDArray[np.int64]:
    masks = np.asarray(hands)
    if masks.ndim != 2 or masks.shape[1] != 3 or masks.dtype.kind not in "iu":
        raise DealError(
            f"hands must be whole numbers of shape (n, 3), not {masks.dtype} {masks.shape}"
        )
    return masks.astype(np.int64)
