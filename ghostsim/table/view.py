"""What a seat may know: the only thing that a strategy is shown."""

from __future__ import annotations

from dataclasses import dataclass, field

from ghostsim.cards import ALL_CARDS, Card, Hand, Mask, Suit, cards_of
from ghostsim.position import legal_plays
from ghostsim.rules import Bid, Rules
from ghostsim.table.chance import below


@dataclass(frozen=True)
class Turn:
    """One player's turn of the auction.

    Attributes
    ----------
    seat : int
    swapped : bool
        Whether he traded his hand for the ghost first.
    bid : Bid or None
        None for a pass.
    """

    seat: int
    swapped: bool
    bid: Bid | None


@dataclass(frozen=True)
class Trick:
    """A completed trick.

    Attributes
    ----------
    leader : int
    cards : tuple of Card
        Three, in order of play.
    winner : int
    """

    leader: int
    cards: tuple[Card, Card, Card]
    winner: int

    def card_of(self, seat: int) -> Card:
        """The card that a seat played to the trick."""
        return self.cards[(seat - self.leader) % 3]


@dataclass(frozen=True)
class View:
    """What a seat knows when it has to decide.

    Attributes
    ----------
    rules : Rules
    seat : int
        Whose view it is, and whose decision.
    dealer : int
    scores : tuple of int
        Of the game, by seat, before this deal.
    hand : tuple of Card
        The cards it holds now, as a player holds them: suits together from the ace down, trumps
        first once they are named.
    dead : Hand or None
        The six cards that this seat has traded away; None if it has not swapped.
    turns : tuple of Turn
        The turns of the auction so far. A swap is in here once its player has bid or passed.
    declarer : int or None
        None before the auction is over.
    bid : Bid or None
        The highest bid so far; None before anybody has bid. With ``all_pass="dealer_bids"``, the
        lowest bid if all have passed.
    trump : Suit or None
    leader : int or None
        The seat that leads, or led, the current trick.
    trick : tuple of Card
        The cards of the current trick, in order of play.
    tricks : tuple of Trick
        The completed tricks.
    revokes_allowed : bool
        Whether the table lets a card stand that breaks the rules (and may find it out).
    word : int
        A random word of this decision, 64 bits: see ``random``. 0 if it is another seat's turn.
    """

    rules: Rules
    seat: int
    dealer: int
    scores: tuple[int, int, int]
    hand: tuple[Card, ...]
    dead: Hand | None = None
    turns: tuple[Turn, ...] = ()
    declarer: int | None = None
    bid: Bid | None = None
    trump: Suit | None = None
    leader: int | None = None
    trick: tuple[Card, ...] = ()
    tricks: tuple[Trick, ...] = ()
    revokes_allowed: bool = False
    word: int = field(default=0, repr=False)

    @property
    def is_dealer(self) -> bool:
        return self.seat == self.dealer

    @property
    def bids(self) -> tuple[Bid, ...]:
        """The bids that this seat may make now; a pass is always allowed too."""
        least = self.rules.min_bid if self.bid is None else self.bid + 1
        return tuple(bid for bid in self.rules.bids if bid >= least)

    @property
    def can_swap(self) -> bool:
        """Whether the ghost may still be had."""
        swaps = sum(turn.swapped for turn in self.turns) + (self.dead is not None)
        return swaps < self.rules.swaps_per_deal

    @property
    def must_bid(self) -> bool:
        """Whether a pass makes this seat the declarer, by the rule ``all_pass="dealer_bids"``.

        True for a dealer with the last turn, when nobody has bid.
        """
        return (
            self.rules.all_pass == "dealer_bids"
            and self.is_dealer
            and len(self.turns) == 2
            and self.bid is None
        )

    @property
    def led(self) -> Suit | None:
        """The suit led to the current trick, trump if by the left bower."""
        if not self.trick or self.trump is None:
            return None
        return self.trick[0].suit_under(self.trump)

    @property
    def legal(self) -> tuple[Card, ...]:
        """The cards of the hand that the rules allow to be played now."""
        if self.trump is None:
            return ()
        return legal_plays(self.hand, self.led, self.trump)

    @property
    def taken(self) -> tuple[int, int, int]:
        """Tricks taken so far, by seat."""
        winners = [trick.winner for trick in self.tricks]
        return winners.count(0), winners.count(1), winners.count(2)

    @property
    def seen(self) -> Mask:
        """The cards that this seat has seen: its own, its dead ones, and all that were played."""
        mask = 0 if self.dead is None else self.dead.mask
        played = [card for trick in self.tricks for card in trick.cards]
        for card in (*self.hand, *played, *self.trick):
            mask |= card.mask
        return mask

    @property
    def unseen(self) -> tuple[Card, ...]:
        """The cards that others hold, or that are dead, as far as this seat knows."""
        return cards_of(ALL_CARDS & ~self.seen)

    def random(self, n: int) -> int:
        """A number from 0 to n - 1, the same whenever this decision is played again."""
        return below(self.word, n)

    def table(self, symbols: bool | None = None) -> str:
        """What the seat knows, in writing; in suit symbols if told so or if they can be printed."""
        from ghostsim.table.display import view_text

        return view_text(self, symbols)

    def __str__(self) -> str:
        return self.table()
