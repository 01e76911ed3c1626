"""Cards, suits, ranks and hands; how they are written, and how they are numbered.

A card is bit ``6 * suit + rank`` of a mask of 24 bits, and a hand is six of them:

    ======== ==== ==== ==== ==== ==== ====
    suit       9   10    J    Q    K    A
    ======== ==== ==== ==== ==== ==== ====
    spades     0    1    2    3    4    5
    clubs      6    7    8    9   10   11
    hearts    12   13   14   15   16   17
    diamonds  18   19   20   21   22   23
    ======== ==== ==== ==== ==== ==== ====

This is the one place that knows the layout; ``ghostsim.kernels`` compute with it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from ghostsim._checks import whole_number
from ghostsim.errors import GhostsimError

Mask: TypeAlias = int

N_CARDS = 24
HAND_SIZE = 6
ALL_CARDS: Mask = (1 << N_CARDS) - 1


class CardError(GhostsimError):
    """A text or number that does not name a card, a hand, a suit or a deal."""


class Suit(IntEnum):
    """A suit; the other suit of its colour is ``suit ^ 1``."""

    SPADES = 0
    CLUBS = 1
    HEARTS = 2
    DIAMONDS = 3

    @property
    def letter(self) -> str:
        return "SCHD"[self]

    @property
    def symbol(self) -> str:
        return "♠♣♥♦"[self]

    @property
    def next(self) -> Suit:
        """The other suit of the same colour, called *next* when this one is trump."""
        return Suit(self ^ 1)

    @classmethod
    def parse(cls, value: Suit | str | int, name: str = "suit") -> Suit:
        """A suit from a suit, a letter, a symbol, a name or a number 0-3.

        >>> Suit.parse("h"), Suit.parse("♥"), Suit.parse("hearts"), Suit.parse(2) == Suit.HEARTS
        (<Suit.HEARTS: 2>, <Suit.HEARTS: 2>, <Suit.HEARTS: 2>, True)

        Raises
        ------
        CardError
            If the value names no suit.
        TypeError
            If it is neither text nor a whole number.
        """
        if type(value) is cls:  # first, because it is by far the most frequent
            return value
        if isinstance(value, str):
            found = _SUITS.get(value.strip().removesuffix("\N{VARIATION SELECTOR-16}").lower())
            if found is not None:
                return found
        elif whole_number(value, name, "a Suit, a text or 0-3") in (0, 1, 2, 3):
            return cls(value)
        raise CardError(
            f"{name} {value!r} is not a suit: use S C H D, a symbol ♠ ♣ ♥ ♦, a name, or 0 1 2 3"
        )


_SUITS: dict[str, Suit] = {}
for _suit in Suit:
    for _text in (_suit.letter, _suit.symbol, "♤♧♡♢"[_suit], _suit.name, _suit.name[:-1]):
        _SUITS[_text.lower()] = _suit


class Rank(IntEnum):
    """A rank, low to high as in a plain suit."""

    NINE = 0
    TEN = 1
    JACK = 2
    QUEEN = 3
    KING = 4
    ACE = 5

    @property
    def letter(self) -> str:
        return "9TJQKA"[self]


# By card index: looking a suit up is six times as fast as making it from its number.
_SUIT_OF = tuple(suit for suit in Suit for _ in Rank)
_RANK_OF = tuple(rank for _ in Suit for rank in Rank)

_ADVICE = "write the rank (9 T J Q K A) first, then the suit (S C H D)"
_RANKS = {rank.letter: rank for rank in Rank} | {"10": Rank.TEN}
_CARD = re.compile(
    # ASCII, or else the Kelvin sign would be a k and the long s an s.
    r"(9|10|[TJQKA])([SCHD♠♣♥♦♤♧♡♢])\N{VARIATION SELECTOR-16}?",
    re.IGNORECASE | re.ASCII,
)


class Card:
    """One of the 24 cards.

    Parameters
    ----------
    text : str or Card
        Rank, then suit: ``"JS"``, ``"10h"``, ``"Th"``, ``"a♦"``.

    Examples
    --------
    >>> Card("10h"), Card("t♥") == Card("TH"), Card("JC").mask
    (Card('TH'), True, 256)

    Raises
    ------
    CardError
        If the text is not exactly one card.
    """

    __slots__ = ("_index",)
    _index: int

    def __init__(self, text: str | Card) -> None:
        if isinstance(text, Card):
            self._index = text._index
            return
        if not isinstance(text, str):
            raise TypeError(f"a card is written as text like 'JS', not {text!r}")
        match = _CARD.fullmatch(text.strip())
        if match is None:
            raise CardError(f"{text!r} is not a card: {_ADVICE}")
        self._index = 6 * _SUITS[match[2].lower()] + _RANKS[match[1].upper()]

    @classmethod
    def from_index(cls, index: int) -> Card:
        """The card with a number 0-23, ``6 * suit + rank``."""
        index = whole_number(index, "index")
        if not 0 <= index < N_CARDS:
            raise CardError(f"index {index} is not a card: cards are numbered 0 to 23")
        card = cls.__new__(cls)
        card._index = index
        return card

    @classmethod
    def of(cls, rank: Rank, suit: Suit) -> Card:
        """The card of a rank and a suit."""
        return cls.from_index(6 * Suit(suit) + Rank(rank))

    @property
    def index(self) -> int:
        """The card's number, 0-23."""
        return self._index

    @property
    def mask(self) -> Mask:
        """The mask with this card's bit only."""
        return 1 << self._index

    @property
    def suit(self) -> Suit:
        """The printed suit."""
        return _SUIT_OF[self._index]

    @property
    def rank(self) -> Rank:
        return _RANK_OF[self._index]

    def suit_under(self, trump: Suit | str | int) -> Suit:
        """The suit the card belongs to in play: the left bower is a trump.

        >>> Card("JC").suit_under("S"), Card("KC").suit_under("S")
        (<Suit.SPADES: 0>, <Suit.CLUBS: 1>)
        """
        named = Suit.parse(trump, "trump")
        return named if self.is_bower(named) else self.suit

    def is_bower(self, trump: Suit | str | int) -> bool:
        """Whether the card is the right or the left bower of a trump suit."""
        return self.rank == Rank.JACK and self.suit in (
            named := Suit.parse(trump, "trump"),
            named.next,
        )

    def strength(self, trump: Suit | str | int) -> int:
        """The card's place in the order of the suit it belongs to under a trump; higher wins."""
        named = Suit.parse(trump, "trump")
        if self.is_bower(named):
            return 7 if self.suit == named else 6
        return int(self.rank)

    @property
    def pretty(self) -> str:
        """Rank and suit symbol, like ``J♠`` or ``10♥``."""
        rank = "10" if self.rank == Rank.TEN else self.rank.letter
        return rank + self.suit.symbol

    def __str__(self) -> str:
        return self.rank.letter + self.suit.letter

    def __repr__(self) -> str:
        return f"Card({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Card) and self._index == other._index

    def __lt__(self, other: Card) -> bool:
        if not isinstance(other, Card):
            return NotImplemented
        return self._index < other._index

    def __hash__(self) -> int:
        return hash((Card, self._index))

    def __reduce__(self) -> tuple[type[Card], tuple[str]]:
        return Card, (str(self),)

    def _repr_html_(self) -> str:
        return cards_html([self])


@dataclass(frozen=True, order=True)
class Holding:
    """What a player sees first of a hand under a trump. Ordered: more trumps, bowers, aces."""

    trumps: int  #: cards of the trump suit, the left bower among them
    bowers: int  #: right and left
    outside_aces: int  #: aces that are not trumps


class Hand:
    """Six cards, as a player would hold them.

    Iterating gives the cards spades first, each suit from the ace down, which is also how the
    hand is written.

    Parameters
    ----------
    cards : str, Hand or iterable of Card or str
        ``"JS JC AS KS AH 9D"``; spaces or commas between the cards, any case, ``T`` or ``10``,
        letters or suit symbols.

    Examples
    --------
    >>> hand = Hand("js jc as 10s a♥ 9d")
    >>> str(hand)
    'AS JS TS JC AH 9D'
    >>> Hand.from_mask(hand.mask) == hand
    True
    >>> hand.format(trump="S")
    'JS JC AS TS AH 9D'

    Raises
    ------
    CardError
        If the text is not six different cards. All that is wrong is listed, with its place.
    """

    __slots__ = ("_mask",)
    _mask: Mask

    def __init__(self, cards: str | Hand | Iterable[Card | str]) -> None:
        if isinstance(cards, Hand):
            self._mask = cards._mask
        else:
            self._mask = parse_cards(cards, count=HAND_SIZE, name="hand")

    @classmethod
    def parse(cls, cards: str | Iterable[Card | str], name: str = "hand") -> Hand:
        """A hand from cards in writing; ``name`` is what error messages call it."""
        return cls.from_mask(parse_cards(cards, count=HAND_SIZE, name=name))

    @property
    def mask(self) -> Mask:
        """The hand as a number: bit ``6 * suit + rank`` set for each card."""
        return self._mask

    @classmethod
    def from_mask(cls, mask: int) -> Hand:
        """The hand whose cards are the six bits set in a mask.

        Parameters
        ----------
        mask : int
            Bit ``6 * suit + rank`` for each card.

        Raises
        ------
        CardError
            If the mask has bits beyond the 24 cards, or not exactly six.
        """
        mask = whole_number(mask, "mask")
        if mask & ~ALL_CARDS:
            raise CardError(f"mask {mask} is not a hand: only bits 0 to 23 are cards")
        if mask.bit_count() != HAND_SIZE:
            raise CardError(
                f"mask {mask} is not a hand: six bits must be set, not {mask.bit_count()}"
            )
        hand = cls.__new__(cls)
        hand._mask = mask
        return hand

    def __iter__(self) -> Iterator[Card]:
        return iter(cards_of(self.mask))

    def __len__(self) -> int:
        return HAND_SIZE

    def __contains__(self, card: object) -> bool:
        if isinstance(card, str):
            card = Card(card)
        return isinstance(card, Card) and bool(self.mask & card.mask)

    def isdisjoint(self, other: Hand) -> bool:
        """Whether no card is in both hands."""
        return not self.mask & other.mask

    def format(self, trump: Suit | str | int | None = None, *, pretty: bool = False) -> str:
        """The hand in writing; with a trump named, trumps first and the bowers on top."""
        cards = sort_cards(self, trump)
        return " ".join(card.pretty if pretty else str(card) for card in cards)

    def holding(self, trump: Suit | str | int) -> Holding:
        """What a player sees first of the hand under a trump: trumps, bowers, outside aces."""
        named = Suit.parse(trump, "trump")
        return Holding(
            trumps=sum(card.suit_under(named) == named for card in self),
            bowers=sum(card.is_bower(named) for card in self),
            outside_aces=sum(card.rank == Rank.ACE and card.suit != named for card in self),
        )

    def count(self) -> int:
        """The hand count: trumps, the bowers once more, and outside aces, in the best suit.

        >>> Hand("JS JC AS KS AH 9D").count(), Hand("JS JC AH KH QH TH").count()
        (7, 5)
        """
        return max(
            held.trumps + held.bowers + held.outside_aces for held in map(self.holding, Suit)
        )

    def best_holding(self) -> Holding:
        """The best holding over the four suits: most trumps, then bowers, then outside aces.

        >>> Hand("JS JC AS KS AH 9D").best_holding()
        Holding(trumps=4, bowers=2, outside_aces=1)
        """
        return max(self.holding(suit) for suit in Suit)

    def __str__(self) -> str:
        return self.format()

    def __repr__(self) -> str:
        return f"Hand({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hand) and self.mask == other.mask

    def __hash__(self) -> int:
        return hash((Hand, self.mask))

    def __reduce__(self) -> tuple[type[Hand], tuple[str]]:
        return Hand, (str(self),)

    def _repr_html_(self) -> str:
        return cards_html(self)


def parse_cards(
    cards: str | Iterable[Card | str], *, count: int | None = None, name: str = "cards"
) -> Mask:
    """The mask of cards in writing, all different.

    Parameters
    ----------
    cards : str or iterable of Card or str
        One text with spaces or commas between the cards, or the cards one by one.
    count : int, optional
        How many there must be.
    name : str
        What error messages call them.

    Raises
    ------
    CardError
        If a part is not a card, a card comes twice, or the count is wrong; the message lists
        everything found wrong.
    TypeError
        If ``cards`` is neither text nor an iterable of cards and texts.

    Examples
    --------
    >>> parse_cards("9S 10S")
    3
    >>> parse_cards("9S 9x 9s")
    Traceback (most recent call last):
    ghostsim.cards.CardError: cards '9S 9x 9s': card 2 '9x' is not a card; card 3 9S comes ...
    """
    tokens: list[Card | str]
    if isinstance(cards, str):
        shown = repr(cards)
        tokens = list(re.split(r"\s*,\s*|\s+", cards.strip())) if cards.strip() else []
    else:
        try:
            tokens = list(cards)
        except TypeError:
            raise TypeError(f"{name} must be text or cards, not {cards!r}") from None
        shown = " ".join(map(str, tokens))
    mask = 0
    wrong = []
    misread = False
    for place, token in enumerate(tokens, start=1):
        try:
            card = Card(token)
        except CardError:
            misread = True
            wrong.append(f"card {place} {token!r} is not a card")
            continue
        if mask & card.mask:
            wrong.append(f"card {place} {card} comes twice")
        mask |= card.mask
    if count is not None and len(tokens) != count:
        wrong.append(f"{count} cards are needed, not {len(tokens)}")
    if wrong:
        advice = f" ({_ADVICE})" if misread else ""
        raise CardError(f"{name} {shown}: " + "; ".join(wrong) + advice)
    return mask


def cards_of(mask: Mask) -> tuple[Card, ...]:
    """The cards of a mask, spades first, each suit from the ace down."""
    return tuple(
        Card.from_index(index)
        for suit in Suit
        for index in range(6 * suit + 5, 6 * suit - 1, -1)
        if mask >> index & 1
    )


def sort_cards(cards: Iterable[Card], trump: Suit | str | int | None = None) -> list[Card]:
    """Cards as a player holds them: trumps first (if named), suits together, high to low."""
    named = None if trump is None else Suit.parse(trump, "trump")

    def place(card: Card) -> tuple[bool, int, int]:
        if named is None:
            return False, card.suit, -card.rank
        suit = card.suit_under(named)
        return suit != named, suit, -card.strength(named)

    return sorted(cards, key=place)


def cards_html(cards: Iterable[Card], trump: Suit | str | int | None = None) -> str:
    """Cards as a line of HTML, red suits in red: what Jupyter shows."""
    spans = []
    for card in sort_cards(cards, trump):
        colour = "#c22" if card.suit >= Suit.HEARTS else "inherit"
        spans.append(f'<span style="color:{colour}">{html.escape(card.pretty)}</span>')
    return f'<span style="font-family:monospace">{" ".join(spans)}</span>'
