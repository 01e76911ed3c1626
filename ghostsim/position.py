"""Positions: any moment of the play of a deal, all cards seen.

The readable side of the play of the cards: here is the one function that says which cards may be
played, and the one that says who wins a trick. ``ghostsim.kernels`` have theirs, for speed.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from ghostsim._checks import whole_number
from ghostsim.cards import (
    ALL_CARDS,
    HAND_SIZE,
    Card,
    CardError,
    Hand,
    Suit,
    cards_of,
    parse_cards,
    sort_cards,
)
from ghostsim.errors import GhostsimError
from ghostsim.rules import STANDARD, Bid, Rules, check_rules

if TYPE_CHECKING:
    from ghostsim.deals import Deal

Cards: TypeAlias = str | Iterable[Card | str]
Value = TypeVar("Value")


class PositionError(GhostsimError):
    """A position that cannot come up in play, or a text that does not tell one."""


class PlayError(PositionError):
    """A play that the position does not allow."""


def legal_plays(
    hand: Iterable[Card], led: Suit | str | int | None, trump: Suit | str | int
) -> tuple[Card, ...]:
    """The cards of a hand that may be played: those of the suit led if there are any, else all.

    Parameters
    ----------
    hand : iterable of Card
    led : Suit or None
        The suit that the card led belongs to in play; None if nothing has been led.
    trump : Suit

    Examples
    --------
    >>> legal_plays([Card("JC"), Card("QC")], led=Suit.CLUBS, trump=Suit.SPADES)
    (Card('QC'),)
    """
    held, named = tuple(hand), Suit.parse(trump, "trump")
    if led is None:
        return held
    suit = Suit.parse(led, "led")
    return tuple(card for card in held if card.suit_under(named) == suit) or held


def trick_winner(trick: Sequence[Card], leader: int, trump: Suit | str | int) -> int:
    """The seat that wins a trick, or that is winning it so far.

    Parameters
    ----------
    trick : sequence of Card
        One to three cards, in order of play.
    leader : int
        The seat that led, 0-2.
    trump : Suit

    Examples
    --------
    >>> trick_winner([Card("AC"), Card("KC"), Card("JC")], leader=0, trump="S")
    2

    Raises
    ------
    PositionError
        If the leader is not a seat, or there are not one to three cards.
    """
    first, named = _seat(leader, "leader"), Suit.parse(trump, "trump")
    if not 1 <= len(trick) <= 3:
        raise PositionError(f"a trick is won with one to three cards, not {len(trick)}")
    led = trick[0].suit_under(named)

    def power(place: int) -> tuple[bool, bool, int]:
        suit = trick[place].suit_under(named)
        return suit == named, suit == led, trick[place].strength(named)

    return (first + max(range(len(trick)), key=power)) % 3


@dataclass(frozen=True)
class Position:
    """A moment of the play of a deal, all cards seen.

    Parameters
    ----------
    hands : three of str or iterable of Card or str
        The cards still held by seats 0, 1, 2; a hand may be empty.
    trump : Suit, str or int
    declarer : int
        Seat 0-2.
    leader : int, optional
        The seat that led, or is to lead, the current trick. Left out, it is the declarer, as long
        as no trick has been completed. It may be any seat, so that an endgame can be put as a
        problem, whoever took the last trick.
    trick : str or iterable of Card or str
        The cards of the current trick in order of play: none, one or two.
    tricks : three of int, optional
        Tricks taken so far, by seat. Left out, none have been.
    bid : Bid, str or int, optional
        What the declarer has promised to take.

    Examples
    --------
    >>> position = Position(("JS AS", "JC 9S", "KH QH"), "S", leader=0, tricks=(3, 1, 0), bid=4)
    >>> position.play_all("JS 9S QH").play("AS").to_play
    1
    >>> position.play("JS")
    Position.parse('AS / JC 9S / KH QH / trump S / declarer 0 / leader 0 / trick JS / tricks 3 1 0
    / bid 4')

    Raises
    ------
    PositionError
        If a text is not a card, a suit or a bid, a card is in two places, the hands do not fit
        the trick, the tricks taken do not fit the hands, a seat is not 0-2, or a seat has revoked
        in the current trick. The message lists all that is wrong.
    TypeError
        If a seat or a number of tricks is not a whole number, or cards are no cards.
    """

    hands: tuple[tuple[Card, ...], tuple[Card, ...], tuple[Card, ...]]
    trump: Suit
    declarer: int
    leader: int
    trick: tuple[Card, ...]
    tricks: tuple[int, int, int]
    bid: Bid | None

    def __init__(
        self,
        hands: Iterable[Cards],
        trump: Suit | str | int,
        declarer: int = 0,
        leader: int | None = None,
        trick: Cards = (),
        tricks: Iterable[int] | None = None,
        bid: Bid | str | int | None = None,
    ) -> None:
        wrong: list[str] = []
        named = noted(wrong, Suit.parse, trump, "trump")
        maker = noted(wrong, _seat, declarer, "declarer")
        first = None if leader is None else noted(wrong, _seat, leader, "leader")
        promised = None if bid is None else noted(wrong, Bid.parse, bid)
        by_seat = _three(hands)
        held = [
            noted(wrong, different_cards, hand, f"hand of seat {i}")
            for i, hand in enumerate(by_seat)
        ]
        if len(held) != 3:
            wrong.append(f"three hands are needed, by seat, not {len(held)}")
        laid = noted(wrong, different_cards, trick, "trick")
        played = laid or []
        wrong += _twice(held, played)
        taken = None if tricks is None else _counts(tricks)
        if len(played) > 2:
            wrong.append(f"the trick has {len(played)} cards: two at most, before it is complete")
        known = [hand for hand in held if hand is not None]
        if len(known) == len(held) == 3 and laid is not None:
            # With empty hands and cards in the trick, somebody has a card too few.
            to_go = min(max(map(len, known)), HAND_SIZE) or min(len(played), 1)
            wrong += _wrong_counts(taken, to_go)
            if leader is None and to_go == HAND_SIZE:
                first = maker
            elif leader is None:
                wrong.append(f"leader must be given, like 'leader 0': {_played(HAND_SIZE - to_go)}")
            if first is not None and len(played) < 3:
                wrong += _wrong_sizes(known, to_go, first, len(played))
                if named is not None:
                    wrong += _revokes(known, played, first, named)
        if wrong:
            raise PositionError("not a position: " + "; ".join(wrong))
        assert named is not None  # else something was wrong
        vars(self).update(  # a frozen dataclass sets no attributes
            hands=tuple(tuple(_sorted(hand or (), named)) for hand in held),
            trump=named,
            declarer=maker,
            leader=first,
            trick=tuple(played),
            tricks=tuple(taken or (0, 0, 0)),
            bid=promised,
        )

    def _with(self, **changes: object) -> Position:
        """This position after a play, which needs no checks."""
        position = Position.__new__(Position)
        vars(position).update(vars(self) | changes)
        return position

    @classmethod
    def from_plays(
        cls,
        hands: Deal | Iterable[Cards],
        trump: Suit | str | int,
        declarer: int = 0,
        plays: Cards = "",
        bid: Bid | str | int | None = None,
        leader: int | None = None,
    ) -> Position:
        """The position that plays lead to from the hands as dealt.

        Parameters
        ----------
        hands : Deal, or three of Hand, str or iterable of Card or str
            Six cards each.
        plays : str or iterable of Card or str
            The cards in order of play; the leader, if left out the declarer, plays the first.

        Examples
        --------
        >>> hands = ("JS JC AS KS AH 9D", "QS TS 9S AC KC QC", "TC 9C KH QH JH TH")
        >>> Position.from_plays(hands, "S", plays="JS 9S TC JC").trick
        (Card('JC'),)

        Raises
        ------
        PositionError
            If the hands are not six different cards each; and as for ``Position``.
        PlayError
            If a play breaks the rules; the message says which.
        """
        wrong: list[str] = []
        dealt = [
            noted(wrong, Hand.parse, hand, f"hand of seat {seat}")
            for seat, hand in enumerate(_three(getattr(hands, "hands", hands)))
        ]
        if wrong:
            raise PositionError("not a deal: " + "; ".join(wrong))
        start = cls([hand or () for hand in dealt], trump, declarer, leader, bid=bid)
        return start.play_all(plays)

    @property
    def tricks_to_go(self) -> int:
        """How many tricks are still to be won, the current one among them; 0 when over."""
        return HAND_SIZE - sum(self.tricks)

    @property
    def is_over(self) -> bool:
        """Whether all cards have been played."""
        return self.tricks_to_go == 0

    @property
    def to_play(self) -> int | None:
        """The seat that plays next; None when the deal is over."""
        return None if self.is_over else (self.leader + len(self.trick)) % 3

    @property
    def led(self) -> Suit | None:
        """The suit led to the current trick, trump if by the left bower; None before the lead."""
        return self.trick[0].suit_under(self.trump) if self.trick else None

    @property
    def legal(self) -> tuple[Card, ...]:
        """The cards that the seat to play may play, as a player holds them; none when over."""
        seat = self.to_play
        return () if seat is None else legal_plays(self.hands[seat], self.led, self.trump)

    @property
    def masks(self) -> tuple[int, int, int]:
        """The cards still held by seat, as masks: bit ``6 * suit + rank``."""
        first, second, third = map(_mask, self.hands)
        return first, second, third

    def play(self, card: Card | str) -> Position:
        """The position after the seat to play has played a card.

        Raises
        ------
        PlayError
            If the deal is over, the seat does not hold the card, or it must follow suit.
        """
        try:
            chosen = Card(card)
        except CardError as error:
            raise PlayError(str(error)) from None
        if chosen not in self.legal:
            raise PlayError(self._why_not(chosen))
        hands = tuple(tuple(held for held in hand if held != chosen) for hand in self.hands)
        trick = (*self.trick, chosen)
        if len(trick) < 3:
            return self._with(hands=hands, trick=trick)
        winner = trick_winner(trick, self.leader, self.trump)
        tricks = tuple(count + (seat == winner) for seat, count in enumerate(self.tricks))
        return self._with(hands=hands, leader=winner, trick=(), tricks=tricks)

    def _why_not(self, card: Card) -> str:
        """Why a card may not be played."""
        seat = self.to_play
        if seat is None:
            return f"{card} cannot be played: the deal is over"
        if card in self.trick:
            return f"{card} has been played already, to this trick"
        if card not in self.hands[seat]:
            return f"seat {seat} does not hold {card}; it holds {written(self.hands[seat])}"
        why = _must_follow(card, self.trick[0], self.legal, self.trump)
        return f"seat {seat} cannot play {card}: {why}"

    def play_all(self, plays: Cards) -> Position:
        """The position after several plays.

        Raises
        ------
        PlayError
            If one of them is no card or breaks the rules; the message says which.
        """
        position = self
        seen: dict[Card, int] = {}
        for place, token in enumerate(_tokens(plays, "plays"), start=1):
            try:
                card = Card(token)
            except (CardError, TypeError) as error:
                kind = PlayError if isinstance(error, CardError) else TypeError
                raise kind(f"play {place}: {error}") from None
            try:
                if card in seen:
                    raise PlayError(f"{card} has been played already, as play {seen[card]}")
                position = position.play(card)
            except PlayError as error:
                raise PlayError(f"play {place}, {card}: {error}") from None
            seen[card] = place
        return position

    def points(self, rules: Rules = STANDARD) -> tuple[int, int, int]:
        """The points of the deal by seat, once it is over and if the bid is known.

        Raises
        ------
        PositionError
            If the deal is not over, or no bid is set.
        """
        if not self.is_over:
            raise PositionError(
                f"points are counted when the deal is over: {self.tricks_to_go} to go"
            )
        if self.bid is None:
            raise PositionError("points need the bid: no bid is set")
        return check_rules(rules).deal_points(self.declarer, self.bid, self.tricks)

    # ------------------------------------------------------------------- in writing and in pictures

    # The modules that write and draw positions import this one: imported at the top of it, they
    # would make a circle.

    @property
    def text(self) -> str:
        """The position in one line, which ``Position.parse`` reads.

        >>> Position(["AS", "KS", ""], "S", leader=2, trick="JC", tricks=(1, 1, 3)).text
        'AS / KS / - / trump S / declarer 0 / leader 2 / trick JC / tricks 1 1 3'
        """
        from ghostsim.notation import position_text

        return position_text(self)

    def to_dict(self) -> dict[str, Any]:
        """The position as texts and numbers, for JSON."""
        from ghostsim.notation import position_dict

        return position_dict(self)

    def to_json(self) -> str:
        """The position as a JSON object in one line, which ``Position.parse`` reads."""
        from ghostsim.notation import position_json

        return position_json(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Position:
        """The inverse of ``to_dict``; all but ``hands`` and ``trump`` may be left out.

        There may be ``plays`` too, to be played from the position that the others tell.

        Raises
        ------
        PositionError
            If a key is unknown or missing; and as for ``Position``.
        """
        from ghostsim.notation import position_from_dict

        return position_from_dict(values)

    @classmethod
    def parse(cls, text: str, **defaults: str | int) -> Position:
        """A position from a line like ``text`` writes, or from JSON like ``to_json`` does.

        The three hands by seat come first, ``-`` for an empty one, then the settings in any
        order. ``plays`` are played from the position that the others tell.

        Parameters
        ----------
        text : str
        **defaults : str or int
            Settings for a text that does not say them, by name, written as in a line: ``trump``,
            ``declarer``, ``leader``, ``trick``, ``tricks``, ``bid``, ``plays``. What the text says
            wins; null in JSON says nothing.

        Examples
        --------
        >>> hands = "JS JC AS KS AH 9D / QS TS 9S AC KC QC / TC 9C KH QH JH TH"
        >>> Position.parse(hands + " / trump S / plays JS 9S TC").tricks
        (1, 0, 0)
        >>> Position.parse(hands + " / bid 5", trump="S", bid="3").bid
        <Bid.FIVE: 5>

        Raises
        ------
        PositionError
            If the text is not a position, or a default cannot be read; the message names what is
            wrong and its place in the text, or the setting.
        TypeError
            If there is no setting of the name of a default, or its value is not a text.
        """
        from ghostsim.notation import parse_position

        return parse_position(text, **defaults)

    def diagram(self, symbols: bool | None = None) -> str:
        """The position as card players print it, at most 78 columns wide.

        The declarer is at the bottom, his left-hand defender on the left; trumps come first, the
        bowers on top, the left one with its printed suit. ``>`` marks the seat to play, whose
        place in the trick is ``?``.

        Parameters
        ----------
        symbols : bool, optional
            Whether to draw with suit symbols or in plain ASCII. Left out, symbols if standard
            output can print them.

        Examples
        --------
        >>> hands = ("JC AS 9D", "QS AC", "9C KH")
        >>> print(Position(hands, "S", leader=1, trick="TC QC", tricks=(2, 1, 0)).diagram(False))
          seat 1, left defender                       seat 2, right defender
          S Q                      +-------------+    S -
          C A                      | 10C      QC |    C 9
          H -                      |      ?      |    H K
          D -                      +-------------+    D -
        <BLANKLINE>
                                 > seat 0, declarer
                                   S JC A
                                   C -
                                   H -
                                   D 9
        <BLANKLINE>
        spades are trump, no bid is set
        tricks: seat 0 has 2, seat 1 has 1, seat 2 has 0; 3 to go
        seat 1 led, seat 0 to play
        """
        from ghostsim.diagrams import position_diagram

        return position_diagram(self, symbols)

    def __str__(self) -> str:
        return self.diagram()

    def __repr__(self) -> str:
        return f"Position.parse({self.text!r})"

    def _repr_html_(self) -> str:
        from ghostsim.diagrams import position_html

        return position_html(self)


# ------------------------------------------------------------------------------------- the checks


def noted(wrong: list[str], read: Callable[..., Value], *args: object) -> Value | None:
    """What reading gives; or None, and what is wrong goes on the list."""
    try:
        return read(*args)
    except GhostsimError as error:
        wrong.append(str(error))
        return None


def _seat(value: object, name: str) -> int:
    seat = whole_number(value, name, "a seat 0, 1 or 2")
    if seat not in (0, 1, 2):
        raise PositionError(f"{name} must be a seat 0, 1 or 2, not {seat}")
    return seat


def _listed(values: object, name: str, allowed: str) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be {allowed}, not {values!r}")
    return list(values)


def _three(hands: object) -> list[Any]:
    return _listed(hands, "hands", "three collections of cards, by seat")


def _counts(tricks: object) -> list[int]:
    allowed = "three whole numbers"
    return [
        whole_number(count, "tricks by seat", allowed)
        for count in _listed(tricks, "tricks by seat", allowed)
    ]


def _tokens(cards: Cards, name: str) -> list[Card | str]:
    """The parts of cards in writing, in order."""
    if isinstance(cards, str):
        return re.split(r"\s*,\s*|\s+", cards.strip()) if cards.strip() else []
    return _listed(cards, name, "text or cards")


def different_cards(cards: Cards, name: str) -> list[Card]:
    """Different cards in writing, in order."""
    tokens = _tokens(cards, name)
    try:
        found = [Card(token) for token in tokens]
    except CardError:
        found = []
    if len({card.index for card in found}) < len(tokens):
        # It raises, and says all that is wrong.
        parse_cards(cards if isinstance(cards, str) else tokens, name=name)
    return found


def _twice(held: Sequence[Iterable[Card] | None], played: Iterable[Card]) -> list[str]:
    places = [(f"with seat {seat}", _mask(hand or ())) for seat, hand in enumerate(held)]
    places.append(("in the trick", _mask(played)))
    return [
        f"{card} is {first} and {second}"
        for (first, cards), (second, others) in itertools.combinations(places, 2)
        if cards & others
        for card in cards_of(cards & others)
    ]


def _wrong_counts(taken: list[int] | None, to_go: int) -> list[str]:
    done = HAND_SIZE - to_go
    if taken is None:
        like = f"tricks by seat must be given, like 'tricks {done} 0 0'"
        return [f"{like}: {_played(done)}"] if done else []
    if len(taken) != 3:
        return [f"tricks by seat must be three numbers, not {len(taken)}"]
    wrong = [f"seat {seat} cannot have {n} tricks" for seat, n in enumerate(taken) if n < 0]
    if sum(taken) != done:
        wrong.append(
            f"tricks by seat, {' '.join(map(str, taken))}, add up to {sum(taken)}, "
            f"but {_played(done)}"
        )
    return wrong


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _played(tricks: int) -> str:
    return f"{_number(tricks, 'trick')} {'has' if tricks == 1 else 'have'} been played"


def _wrong_sizes(
    held: Sequence[Sequence[Card]], to_go: int, leader: int, n_played: int
) -> list[str]:
    wrong = []
    for seat, hand in enumerate(held):
        has_played = (seat - leader) % 3 < n_played
        if len(hand) != to_go - has_played:
            turn = f", and it has {'' if has_played else 'not '}played to the trick"
            wrong.append(
                f"seat {seat} holds {_number(len(hand), 'card')}, not {to_go - has_played}: "
                f"{_number(to_go, 'trick')} to go{turn if n_played else ''}"
            )
    return wrong


def _revokes(
    held: Sequence[Sequence[Card]], played: Sequence[Card], leader: int, trump: Suit
) -> list[str]:
    wrong = []
    for place, card in enumerate(played[1:], start=1):
        seat = (leader + place) % 3
        led = played[0].suit_under(trump)
        kept = [other for other in held[seat] if other.suit_under(trump) == led]
        if kept and card.suit_under(trump) != led:
            why = _must_follow(card, played[0], sort_cards(kept, trump), trump)
            wrong.append(f"seat {seat} cannot have played {card}: {why}")
    return wrong


def _must_follow(card: Card, led: Card, kept: Iterable[Card], trump: Suit) -> str:
    """Why a card breaks the rules; if the left bower is a reason, it is said to be a trump."""
    kept = tuple(kept)
    suit = led.suit_under(trump)
    why = f"it must follow suit, {suit.name.lower()} were led and it holds {written(kept)}"
    for other in (card, led, *kept):
        if other.suit_under(trump) != other.suit:
            why += f"; {other} is the left bower, a {trump.name.lower()[:-1]}"
    return why


def _mask(cards: Iterable[Card]) -> int:
    """The mask of different cards."""
    return sum(card.mask for card in cards)


#: For each trump, the place of each card, by its number, among all as a player holds them.
_PLACES = {
    trump: {card.index: place for place, card in enumerate(sort_cards(cards_of(ALL_CARDS), trump))}
    for trump in Suit
}


def _sorted(cards: Iterable[Card], trump: Suit) -> list[Card]:
    """What ``sort_cards`` gives, several times as fast."""
    places = _PLACES[trump]
    return sorted(cards, key=lambda card: places[card.index])


def written(cards: Iterable[Card]) -> str:
    return " ".join(map(str, cards))
