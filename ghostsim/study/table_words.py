"""The card table in words for a person who sits at it: no line is wider than 78 columns.

Lines about a deal that is going on are made from the ``View`` of the person's seat, and from
actions that everybody sees.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ghostsim.cards import Card, Suit, sort_cards
from ghostsim.rules import Bid, Rules
from ghostsim.table.deal import DealState, Revoke
from ghostsim.table.view import Trick, View

WIDTH = 78
#: The widest name of a strategy beside its seat; the first lines of a session have it whole.
NAME_WIDTH = 12

_RED, _PLAIN = "\x1b[31m", "\x1b[0m"


@dataclass(frozen=True)
class Words:
    """How seats, cards and suits are written for the person at one seat.

    Attributes
    ----------
    seat : int
        The person's.
    names : tuple of str
        Of the strategies, by seat.
    symbols : bool
        Suit symbols, or letters.
    colour : bool
        Red suits in red.
    """

    seat: int
    names: tuple[str, str, str]
    symbols: bool = False
    colour: bool = False

    # ---------------------------------------------------------------------------- single words

    def card(self, card: Card) -> str:
        """A card without colour, like ``10`` and the suit's symbol, or ``10H``."""
        return card.pretty if self.symbols else card.pretty[:-1] + card.suit.letter

    def painted(self, card: Card, width: int = 0) -> str:
        """A card, in red if it is and colours are wanted, filled up to a width."""
        text = self.card(card)
        fill = " " * (width - len(text))
        if self.colour and card.suit >= Suit.HEARTS:
            return f"{_RED}{text}{_PLAIN}{fill}"
        return text + fill

    def cards(self, cards: Iterable[Card]) -> str:
        return " ".join(self.painted(card) for card in cards)

    def who(self, seat: int) -> str:
        """A seat beside others, or where its name has just been said."""
        return "you" if seat == self.seat else f"seat {seat}"

    def named(self, seat: int) -> str:
        """A seat and its strategy, without parameters: ``you``, ``seat 2 (odds)``."""
        if seat == self.seat:
            return "you"
        whole = self.names[seat]
        name = whole.split(":")[0] or whole
        if len(name) > NAME_WIDTH:
            name = name[: NAME_WIDTH - 1].rstrip() + "."
        return f"seat {seat} ({name})"

    def does(self, seat: int, verb: str) -> str:
        """A seat and what it does: ``you pass``, ``seat 2 (odds) passes``."""
        return f"{self.named(seat)} {self._verb(seat, verb)}"

    def _verb(self, seat: int, verb: str) -> str:
        if seat == self.seat:
            return verb
        return f"{verb}{'es' if verb.endswith('s') else 's'}"

    def counts(self, numbers: Iterable[int]) -> str:
        """A number for each seat, like ``seat 0: 12, you: 5, seat 2: -3``."""
        return ", ".join(f"{self.who(seat)}: {number}" for seat, number in enumerate(numbers))

    # ------------------------------------------------------------------------- a deal going on

    def hand(self, view: View) -> str:
        """The person's hand, trumps first once they are named, a bar between suits."""
        cards = sort_cards(view.hand, view.trump)
        parts: list[list[Card]] = []
        for card in cards:
            suit = card.suit if view.trump is None else card.suit_under(view.trump)
            last = parts[-1][0] if parts else None
            same = last and (last.suit if view.trump is None else last.suit_under(view.trump))
            if last is not None and same == suit:
                parts[-1].append(card)
            else:
                parts.append([card])
        return " | ".join(self.cards(part) for part in parts)

    def numbered(self, view: View) -> str:
        """The person's hand, each card with its number."""
        cards = sort_cards(view.hand, view.trump)
        return "  ".join(f"{i} {self.painted(card)}" for i, card in enumerate(cards, start=1))

    def auction_turn(self, seat: int, swapped: bool, bid: Bid | None) -> str:
        """A turn of the auction in a line."""
        says = self._verb(seat, "pass")
        if bid is not None:
            says = f"{self._verb(seat, 'bid')} {'the moon' if bid is Bid.MOON else bid}"
        if swapped:
            says = f"{self._verb(seat, 'swap')} and {says}"
        return f"{self.named(seat)} {says}"

    def contract(self, view: View) -> str:
        """Trump, declarer and bid in a line."""
        assert view.trump is not None and view.declarer is not None
        bid = "the moon" if view.bid is Bid.MOON else view.bid
        return f"{view.trump.name.lower()} are trump, {self.does(view.declarer, 'declare')} {bid}"

    def played(self, seat: int, card: Card, leads: bool) -> str:
        return f"{self.does(seat, 'lead' if leads else 'play')} {self.painted(card)}"

    def trick(self, number: int, trick: Trick) -> str:
        """A completed trick in a line."""
        cards = ", ".join(
            f"{self.who((trick.leader + place) % 3)} {self.painted(card)}"
            for place, card in enumerate(trick.cards)
        )
        return f"trick {number}: {cards}; {self.does(trick.winner, 'take')} it"

    def table(self, view: View, number: int) -> list[str]:
        """All that the person may know of a deal."""
        lines = [f"deal {number}: {self.does(view.dealer, 'deal')}", *self.score_lines(view)]
        lines += [
            f"  {self.auction_turn(turn.seat, turn.swapped, turn.bid)}" for turn in view.turns
        ]
        if view.trump is not None:
            lines.append(f"  {self.contract(view)}")
        lines += [f"  {self.trick(i, trick)}" for i, trick in enumerate(view.tricks, start=1)]
        if view.trump is not None:
            lines.append(f"  tricks  {self.counts(view.taken)}")
        lines += [
            f"  {self.played((leader + place) % 3, card, place == 0)}"
            for leader in [view.leader]
            if leader is not None
            for place, card in enumerate(view.trick)
        ]
        lines.append(f"your hand: {self.hand(view)}")
        if view.dead is not None:
            lines.append(f"you traded away: {self.cards(sort_cards(view.dead, view.trump))}")
        return lines

    def score_lines(self, view: View) -> list[str]:
        """The scores before a deal: one line, or two if they are long."""
        scores = [f"{self.named(seat)}: {score}" for seat, score in enumerate(view.scores)]
        text = f"scores  {', '.join(scores)}; the game is to {view.rules.target}"
        return textwrap.wrap(text, WIDTH, subsequent_indent=" " * 8)

    def seat_table(self, columns: Mapping[str, Sequence[int]]) -> list[str]:
        """Seats down; numbers by seat across, under the words for them."""
        lines = [" " * (2 + self._width) + "  ".join(columns)]
        for seat in range(3):
            cells = [f"{numbers[seat]:>{len(head)}}" for head, numbers in columns.items()]
            lines.append(f"  {self.named(seat):<{self._width}}{'  '.join(cells)}")
        return lines

    @property
    def _width(self) -> int:
        """Of the column of seats in a table."""
        return max(len(self.named(seat)) for seat in range(3)) + 2

    # --------------------------------------------------------------------------- a deal laid open

    def laid_open(self, state: DealState, scores: Iterable[int]) -> list[str]:
        """A deal that is over: all hands, who played what, points and scores."""
        width = self._width
        hands = list(state.deal.hands)
        rest = "ghost"
        if state.swapper is not None:
            hands[state.swapper] = state.deal.ghost
            rest = "dead"
        lines = [
            self._result(state),
            f"  {'':<{width}}{'hand':<25}{'tricks':>6}{'points':>8}{'score':>8}",
        ]
        rows = zip(hands, state.taken, state.points, scores, strict=True)
        for seat, (hand, tricks, points, score) in enumerate(rows):
            shown = self._row(hand, state.trump)
            lines.append(f"  {self.named(seat):<{width}}{shown} {tricks:>6}{points:>+8}{score:>8}")
        lines.append(
            f"  {rest:<{width}}"
            + self._row(state.deal.ghost if state.dead is None else state.dead, state.trump)
            + (f"  {self.who(state.swapper)} traded it away" if state.swapper is not None else "")
        )
        if state.tricks:
            lines += ["", *self._trick_table(state)]
        lines += [f"  {self._revoke(revoke, state.rules)}" for revoke in state.revokes]
        return lines

    def _result(self, state: DealState) -> str:
        if state.declarer is None or state.bid is None or state.trump is None:
            return "all pass: no score, and the deal moves on"
        bid = "the moon" if state.bid is Bid.MOON else state.bid
        made = "made" if state.is_made else "set"
        return (
            f"{self.does(state.declarer, 'declare')} {bid} in {state.trump.name.lower()} and "
            f"{self._verb(state.declarer, 'take')} {state.taken[state.declarer]}: {made}"
        )

    def _revoke(self, revoke: Revoke, rules: Rules) -> str:
        found = f"found out, {rules.revoke_penalty} points off" if revoke.found else "not found out"
        card = self.painted(revoke.card)
        return f"{self.does(revoke.seat, 'revoke')} in trick {revoke.trick} with {card}: {found}"

    def _row(self, hand: Iterable[Card], trump: Suit | None) -> str:
        return " ".join(self.painted(card, 3) for card in sort_cards(hand, trump)) + " "

    def _trick_table(self, state: DealState) -> list[str]:
        """Tricks across, seats down: ``>`` led, ``*`` won."""
        heads = "".join(f"{number:<6}" for number in range(1, len(state.tricks) + 1))
        width = self._width
        lines = [f"  {'trick':<{width + 1}}{heads.rstrip()}"]
        for seat in range(3):
            cells = "".join(
                (">" if trick.leader == seat else " ")
                + self.painted(trick.card_of(seat))
                + ("*" if trick.winner == seat else " ")
                + " " * (4 - len(self.card(trick.card_of(seat))))
                for trick in state.tricks
            )
            lines.append(f"  {self.named(seat):<{width}}{cells.rstrip()}")
        lines[0] += "   (> led, * took it)"
        return lines


def rules_lines(rules: Rules, detection: float | None) -> list[str]:
    """The rules in some lines, as they are at this table."""
    bids = ", ".join(map(str, rules.bids))
    moon = "; the moon is all six tricks" if Bid.MOON in rules.bids else ""
    first = (
        "from the dealer's left" if rules.first_bidder == "left_of_dealer" else "the dealer first"
    )
    told = [
        f"One turn each, clockwise, {first}: pass, or bid more than the standing bid. "
        f"Bids are {bids}{moon}."
    ]
    if rules.swaps_per_deal:
        told.append(
            "Before that a player may trade his hand, unseen, for the ghost, once a deal for the "
            "whole table; then he must pass or bid."
        )
    stuck = f"the dealer must bid {Bid(rules.min_bid)}"
    nobody = "nobody scores" if rules.all_pass == "redeal" else stuck
    told.append(f"If all pass, {nobody}. The highest bidder declares: he names trump and leads.")
    revoke = "a card that breaks this is refused"
    if detection is not None:
        revoke = (
            "a card that breaks this stands, and costs "
            f"{rules.revoke_penalty} points if it is found out"
        )
    told.append(f"Follow the suit led if you can; {revoke}.")
    told.append(
        "Trumps from the top: J (right bower), the J of the same colour (left bower, a trump in "
        "every respect), A K Q 10 9. Other suits: A K Q J 10 9."
    )
    keeps = ", but keeps the points of his tricks" if rules.set_keeps_tricks else ""
    who = "a trick" if rules.defenders_score else "a trick, to the declarer only"
    told.append(
        f"A point {who}; {rules.moon_points} for a made moon. A declarer who takes fewer tricks "
        f"than he bid loses his bid ({rules.moon_set_points} for a moon){keeps}. The first to "
        f"{rules.target} wins, counted at the end of a deal."
    )
    return [line for text in told for line in textwrap.wrap(text, WIDTH)]
