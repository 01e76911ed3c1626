"""Deals: three hands and the ghost, chosen by hand or dealt by number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ghostsim._checks import whole_number
from ghostsim.cards import ALL_CARDS, Card, CardError, Hand, cards_html
from ghostsim.errors import GhostsimError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SeedError(GhostsimError):
    """A seed or a deal number out of range."""


@dataclass(frozen=True)
class Deal:
    """All 24 cards: the hands of seats 0, 1, 2 (clockwise) and the ghost.

    Parameters
    ----------
    hands : three of Hand, str or iterable of Card
    ghost : Hand, str or iterable of Card, optional
        The fourth hand; left out, it is the six cards that are not in the hands.

    Examples
    --------
    >>> deal = Deal(hands=("JS JC AS KS AH 9D", "QS TS 9S AC KC QC", "TC 9C KH QH JH TH"))
    >>> str(deal.ghost)
    '9H AD KD QD JD TD'
    >>> Deal.random(seed=1, index=0) == Deal.random(seed=1, index=0)
    True

    Raises
    ------
    CardError
        If a hand is not six cards, or a card is in two hands; the message names the cards.
    """

    hands: tuple[Hand, Hand, Hand]
    ghost: Hand

    def __init__(
        self,
        hands: Iterable[Hand | str | Iterable[Card | str]],
        ghost: Hand | str | Iterable[Card | str] | None = None,
    ) -> None:
        three = tuple(
            hand if isinstance(hand, Hand) else Hand.parse(hand, f"hand of seat {seat}")
            for seat, hand in enumerate(hands)
        )
        if len(three) != 3:
            raise CardError(f"a deal has three hands and the ghost, not {len(three)} hands")
        named = [(f"seat {seat}", hand) for seat, hand in enumerate(three)]
        if ghost is not None:
            named.append(
                ("the ghost", ghost if isinstance(ghost, Hand) else Hand.parse(ghost, "ghost"))
            )
        twice = [
            f"{card} is with {first} and with {second}"
            for i, (first, held) in enumerate(named)
            for second, other in named[i + 1 :]
            for card in held
            if card in other
        ]
        if twice:
            raise CardError("a card is dealt twice: " + "; ".join(twice))
        left = ALL_CARDS & ~(three[0].mask | three[1].mask | three[2].mask)
        object.__setattr__(self, "hands", three)
        object.__setattr__(self, "ghost", Hand.from_mask(left))

    @classmethod
    def random(cls, seed: int = 0, index: int = 0) -> Deal:
        """Deal number ``index`` of a seed, the same on every machine.

        Parameters
        ----------
        seed, index : int
            From 0 to 2**64 - 1.
        """
        start = check_seed(index, "index")
        first, second, third = (int(mask) for mask in random_hands(1, seed=seed, start=start)[0])
        return cls(hands=(Hand.from_mask(first), Hand.from_mask(second), Hand.from_mask(third)))

    @property
    def masks(self) -> tuple[int, int, int]:
        """The three hands as masks, by seat."""
        return self.hands[0].mask, self.hands[1].mask, self.hands[2].mask

    def __str__(self) -> str:
        rows = [f"seat {seat}  {hand.format(pretty=True)}" for seat, hand in enumerate(self.hands)]
        return "\n".join([*rows, f"ghost   {self.ghost.format(pretty=True)}"])

    def __repr__(self) -> str:
        hands = ", ".join(repr(str(hand)) for hand in self.hands)
        return f"Deal(hands=({hands}), ghost={str(self.ghost)!r})"

    def _repr_html_(self) -> str:
        rows = [(f"seat {seat}", hand) for seat, hand in enumerate(self.hands)]
        rows.append(("ghost", self.ghost))
        cells = "".join(
            f"<tr><th>{name}</th><td>{cards_html(hand)}</td></tr>" for name, hand in rows
        )
        return f"<table>{cells}</table>"


def check_seed(value: int, name: str = "seed") -> int:
    """A seed or index as an int from 0 to 2**64 - 1."""
    number = whole_number(value, name)
    if not 0 <= number < 1 << 64:
        raise SeedError(f"{name} must be from 0 to 2**64 - 1, not {number}")
    return number


def random_hands(n: int, *, seed: int = 0, start: int = 0) -> NDArray[np.int64]:
    """Deals ``start``, ``start + 1``, ... of a seed, as masks.

    Any deal is the same whether it is dealt alone or among others; all deals are equally likely.

    Parameters
    ----------
    n : int
        How many deals.
    seed, start : int
        From 0 to 2**64 - 1.

    Returns
    -------
    int64 (n, 3)
        Masks of the hands by seat; the ghost is the rest.
    """
    import numpy as np

    from ghostsim.kernels.rng import deal_many

    count, first = whole_number(n, "n"), check_seed(start, "start")
    if count < 0:
        raise SeedError(f"n must not be negative, not {count}")
    if first + count > 1 << 64:
        raise SeedError(f"deals {first} to {first + count - 1} run past the last, 2**64 - 1")
    hands = np.empty((count, 3), dtype=np.int64)
    deal_many(np.uint64(check_seed(seed)), np.uint64(first), hands)
    return hands
