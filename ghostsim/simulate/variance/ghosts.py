"""Stratified ghosts: of the 18,564 hands that may be picked up, equally many good and bad ones.

The ghosts beside a hand are put in order, best last, and cut into strata of one size. A round draws
one of each. Each ghost is as likely as any other, so the mean of a round has the right mean; what
no longer varies is how good a ghost it is. Rounds are independent, and are the units.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ghostsim._checks import whole_number
from ghostsim.cards import ALL_CARDS, N_CARDS, Hand
from ghostsim.class_odds import best_pattern_points
from ghostsim.deals import check_seed
from ghostsim.kernels.bits import subsets
from ghostsim.kernels.openings import N_HANDS, N_SPLITS, number_ghosts
from ghostsim.kernels.rng import N_DEALS, STEP, mix
from ghostsim.rules import STANDARD, Rules
from ghostsim.simulate.runner import SimulationError

if TYPE_CHECKING:
    from ghostsim.odds import HandLike

#: Where the left defender's six cards lie among the twelve that are left, by split.
_SPLIT_SLOTS = np.nonzero(subsets(12, 6)[:, np.newaxis] >> np.arange(12) & 1)[1].reshape(-1, 6)


@dataclass(frozen=True, eq=False)
class GhostStrata:
    """All the ghosts beside a hand, in strata.

    Attributes
    ----------
    hand : Hand
    ghosts : int64 (strata, 18564 // strata)
        Masks, a row a stratum.
    """

    hand: Hand
    ghosts: NDArray[np.int64]

    def deal(self, rounds: int, *, seed: int = 0, start: int = 0) -> NDArray[np.int64]:
        """Rounds ``start``, ``start + 1``, ... of a seed: a ghost of each stratum, the rest split.

        Draw j of round r is a function of the seed and ``r * strata + j``. Every ghost of the
        stratum and every split of the other twelve cards is equally likely.

        Parameters
        ----------
        rounds : int
        seed, start : int

        Returns
        -------
        int64 (rounds, strata, 3)
            The ghost, and the hands of the two other seats; ``hand`` is dead. Sum what becomes of
            them over the strata, and tell it with ``Moments.mean(..., per=strata)``.

        Raises
        ------
        SimulationError
            If ``rounds`` is negative or the draws run past 2**64.
        """
        strata, size = self.ghosts.shape
        count, first = whole_number(rounds, "rounds"), check_seed(start, "start")
        if count < 0 or (first + count) * strata > 1 << 64:
            raise SimulationError(
                f"rounds must be 0 or more, and its draws within 2**64, not {count} from {first}"
            )
        numbers = _deal_numbers(check_seed(seed), first * strata, count * strata)
        place, split = np.divmod(numbers % (size * N_SPLITS), N_SPLITS)
        ghosts = self.ghosts[np.arange(strata), place.reshape(count, strata)].ravel()
        others = ALL_CARDS & ~self.hand.mask & ~ghosts
        cards = np.nonzero(others[:, np.newaxis] >> np.arange(N_CARDS) & 1)[1].reshape(-1, 12)
        mine = np.take_along_axis(cards, _SPLIT_SLOTS[split], axis=1)
        left = (np.int64(1) << mine).sum(axis=1)
        return np.stack([ghosts, left, others ^ left], axis=1).reshape(count, strata, 3)


def stratify_ghosts(
    hand: HandLike, by: ArrayLike | None = None, *, strata: int = 84, rules: Rules = STANDARD
) -> GhostStrata:
    """Cut the ghosts beside a hand into strata of one size.

    Parameters
    ----------
    hand : Hand or text
        The hand given up.
    by : float (18564,), optional
        What to order the ghosts by, in the order of ``ghosts_beside(hand)``: anything that goes
        with what is estimated. Left out, ``ghost_points``.
    strata : int
        A divisor of 18,564 = 2 * 2 * 3 * 7 * 13 * 17; draws a round.
    rules : Rules
        Of ``ghost_points``.

    Raises
    ------
    CardError
        If the hand is not six cards.
    SimulationError
        If there are not 18,564 numbers, or the strata would be of different sizes.

    Examples
    --------
    >>> strata = stratify_ghosts("9S TS 9C TC 9H TH", strata=3)
    >>> strata.ghosts.shape, strata.deal(2, seed=1).shape
    ((3, 6188), (2, 3, 3))
    """
    mine = hand if isinstance(hand, Hand) else Hand(hand)
    if whole_number(strata, "strata") < 1 or N_HANDS % strata:
        raise SimulationError(f"strata must divide {N_HANDS:,}, like 84, not {strata}")
    key = ghost_points(mine, rules) if by is None else np.asarray(by)
    if key.shape != (N_HANDS,):
        raise SimulationError(f"by must be {N_HANDS:,} numbers, one a ghost, not {key.shape}")
    ordered = ghosts_beside(mine)[np.argsort(key, kind="stable")]
    return GhostStrata(mine, ordered.reshape(strata, -1))


def ghosts_beside(hand: HandLike) -> NDArray[np.int64]:
    """The masks of the 18,564 hands that the ghost may be, increasing; int64."""
    mine = hand if isinstance(hand, Hand) else Hand(hand)
    left = ALL_CARDS & ~mine.mask
    bits = np.int64(1) << np.flatnonzero(left >> np.arange(N_CARDS) & 1)
    slots = np.nonzero(subsets(18, 6)[:, np.newaxis] >> np.arange(18) & 1)[1].reshape(-1, 6)
    ghosts: NDArray[np.int64] = bits[slots].sum(axis=1)
    return ghosts


def ghost_points(hand: HandLike, rules: Rules = STANDARD) -> NDArray[np.int64]:
    """The exact solo value of each ghost, the hand given up dead, summed over the 924 splits.

    Returns
    -------
    int64 (18564,)
        In the order of ``ghosts_beside``. Its sum over ``LAYOUTS`` is ``swap_value``.
    """
    mine = hand if isinstance(hand, Hand) else Hand(hand)
    ghosts = subsets(18, 6)
    low, high = (ghosts & 511).astype(np.uint16), (ghosts >> 9).astype(np.uint16)
    numbers = np.zeros((4, N_HANDS), dtype=np.int32)
    number_ghosts(mine.mask, low, high, np.zeros((2, 512), dtype=np.int32), numbers)
    points: NDArray[np.int64] = best_pattern_points(rules)[numbers].max(axis=0).astype(np.int64)
    return points


def _deal_numbers(seed: int, start: int, count: int) -> NDArray[np.int64]:
    """``kernels.rng.deal_number`` of many deals: uniform below ``N_DEALS``; int64 (count,)."""
    index = np.uint64(start) + np.arange(count, dtype=np.uint64)
    word = mix(mix(np.array([seed], dtype=np.uint64) + STEP) + index * STEP)
    numbers = np.full(count, N_DEALS, dtype=np.int64)
    while len(again := np.flatnonzero(numbers >= N_DEALS)):
        word[again] = mix(word[again] + STEP)
        numbers[again] = (word[again] >> np.uint64(22)).astype(np.int64)
    return numbers
