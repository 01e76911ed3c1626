"""The table in writing: a deal with all cards, and what one seat knows of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from ghostsim.cards import Card

if TYPE_CHECKING:
    from ghostsim.table.deal import DealState, Revoke
    from ghostsim.table.view import Trick, Turn, View

Draw: TypeAlias = Callable[[Card], str]


def state_text(state: DealState, symbols: bool | None = None) -> str:
    """The whole table, all cards seen."""
    draw = _drawing(symbols)
    lines = [*_heading(state), ""]
    for seat, hand in enumerate(state.hands):
        mark = ">" if seat == state.to_act else " "
        lines.append(f"{mark} seat {seat}  {_cards(hand, draw) or '-'}")
    if state.dead is None:
        lines.append(f"  ghost   {_cards(state.deal.ghost, draw)}")
    else:
        lines.append(f"  dead    {_cards(state.dead, draw)} (of seat {state.swapper})")
    lines += _play(state, draw, state.revokes)
    lines.append("")
    if not state.is_over:
        return "\n".join([*lines, state.what_is_next])
    if state.all_passed:
        return "\n".join([*lines, "the deal is over: all passed, nobody scores"])
    points = ", ".join(f"seat {seat} {count:+d}" for seat, count in enumerate(state.points))
    result = "made" if state.is_made else "set"
    return "\n".join([*lines, f"the deal is over: the bid is {result}; points: {points}"])


def view_text(view: View, symbols: bool | None = None) -> str:
    """What a seat knows."""
    draw = _drawing(symbols)
    hand = _cards(view.hand, draw)
    lines = [f"what seat {view.seat} knows", *_heading(view), "", f"its hand  {hand or '-'}"]
    if view.dead is not None:
        lines.append(f"its dead hand  {_cards(view.dead, draw)}")
    return "\n".join([*lines, *_play(view, draw, ())])


def turn_text(turn: Turn) -> str:
    """A turn of the auction, like "seat 1 swaps, bids 3"."""
    swap = "swaps, " if turn.swapped else ""
    return f"seat {turn.seat} {swap}{'passes' if turn.bid is None else f'bids {turn.bid}'}"


def trick_text(
    leader: int, cards: Iterable[Card], draw: Draw = str, revokes: Iterable[Revoke] = ()
) -> str:
    """The cards of a trick with their players, like "seat 1 AC, seat 2 9C, seat 0 TC"."""
    found = {revoke.card: revoke.found for revoke in revokes}
    played = []
    for place, card in enumerate(cards):
        text = f"seat {(leader + place) % 3} {draw(card)}"
        if card in found:
            text += f" (revoke, {'found out' if found[card] else 'not found out'})"
        played.append(text)
    return ", ".join(played)


# ------------------------------------------------------------------------------------- the parts


def _heading(seen: DealState | View) -> list[str]:
    """Dealer, scores, auction and contract."""
    scores = ", ".join(f"seat {seat} has {score}" for seat, score in enumerate(seen.scores))
    lines = [f"dealer: seat {seen.dealer}; scores: {scores}"]
    if seen.rules.changes():
        lines.append(f"rules: {seen.rules}")
    lines.append(f"auction: {'; '.join(map(turn_text, seen.turns)) or 'nobody has had a turn'}")
    if seen.declarer is not None and seen.trump is None:
        lines.append(f"seat {seen.declarer} declares, bid {seen.bid}")
    elif seen.declarer is not None and seen.trump is not None:
        trump = seen.trump.name.lower()
        lines.append(f"{trump} are trump, seat {seen.declarer} declares, bid {seen.bid}")
    return lines


def _play(seen: DealState | View, draw: Draw, revokes: tuple[Revoke, ...]) -> list[str]:
    """The tricks so far."""
    lines = [_completed(number, trick, draw, revokes) for number, trick in _numbered(seen.tricks)]
    if seen.trick and seen.leader is not None:
        number = len(seen.tricks) + 1
        lines.append(f"trick {number}: {trick_text(seen.leader, seen.trick, draw, revokes)}")
    if not lines:
        return []
    taken = ", ".join(f"seat {seat} has {count}" for seat, count in enumerate(seen.taken))
    return ["", *lines, f"tricks: {taken}"]


def _numbered(tricks: tuple[Trick, ...]) -> Iterable[tuple[int, Trick]]:
    return enumerate(tricks, start=1)


def _completed(number: int, trick: Trick, draw: Draw, revokes: tuple[Revoke, ...]) -> str:
    played = trick_text(trick.leader, trick.cards, draw, revokes)
    return f"trick {number}: {played}; seat {trick.winner} wins"


def _cards(cards: Iterable[Card], draw: Draw) -> str:
    return " ".join(map(draw, cards))


def _drawing(symbols: bool | None) -> Draw:
    """How cards are drawn: with suit symbols if told so, or if standard output can print them."""
    if symbols is None:
        try:
            "♠♣♥♦".encode(sys.stdout.encoding)
            symbols = True
        except (AttributeError, LookupError, TypeError, UnicodeEncodeError):
            symbols = False
    return (lambda card: card.pretty) if symbols else str
