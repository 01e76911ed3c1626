"""Random words of a deal, as plain Python integers: the same that ``kernels.rng`` computes.

Every decision of a deal has a number, and its word is a function of (seed, index of the deal,
number) alone. So a strategy that draws lots plays the same whenever the deal is played again.
"""

from __future__ import annotations

_WORD = (1 << 64) - 1
_STEP = 0x9E37_79B9_7F4A_7C15
#: Told apart from the words that deal the cards.
_SALT = 0x6A09_E667_F3BC_C908

#: The numbers of the decisions of a deal: swap and bid of turn t, trump, card p, finding card p.
SWAP, BID, TRUMP, PLAY, FIND = 0, 1, 6, 7, 25


def _mix(word: int) -> int:
    """The finaliser of splitmix64 (Steele, Lea, Flood 2014)."""
    word = (word ^ (word >> 30)) * 0xBF58_476D_1CE4_E5B9 & _WORD
    word = (word ^ (word >> 27)) * 0x94D0_49BB_1331_11EB & _WORD
    return word ^ (word >> 31)


def decision_word(seed: int, index: int, number: int) -> int:
    """The random word of a decision: 64 bits.

    Parameters
    ----------
    seed, index : int
        Of the deal, from 0 to 2**64 - 1.
    number : int
        ``SWAP + 2 * turn``, ``BID + 2 * turn``, ``TRUMP``, ``PLAY + cards played before`` or
        ``FIND + cards played before``.
    """
    deal = _mix((_mix((seed + _STEP) & _WORD) + index * _STEP) & _WORD)
    word = (_mix(deal ^ _SALT) + (number + 1) * _STEP) & _WORD
    return _mix(_mix(word)) ^ word  # one way: a view's word must not tell the cards


def below(word: int, n: int) -> int:
    """A number from 0 to n - 1 of a random word, all as likely (but for one part in 2**32)."""
    return (word >> 32) * n >> 32


def happens(word: int, chance: float) -> bool:
    """Whether a thing of this chance happens, by a random word."""
    return (word >> 11) * 2.0**-53 < chance
