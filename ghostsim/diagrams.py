"""Positions as pictures: a diagram for the terminal, and one in HTML for notebooks."""

from __future__ import annotations

import html
import sys
from collections.abc import Callable

from ghostsim.cards import Card, Suit
from ghostsim.position import Position


def position_diagram(position: Position, symbols: bool | None = None) -> str:
    """A position as card players print it, in suit symbols if told so or if they can be printed."""
    pretty = _can_print(_DRAWN) if symbols is None else symbols
    blocks = [_block(position, seat, pretty) for seat in range(3)]
    left, bottom, right = (blocks[seat] for seat in _around(position))
    w, s, e = _trick(position, lambda card: _shown(card, pretty), "?")
    top, bar, end = ("┌─┐", "│", "└─┘") if pretty else ("+-+", "|", "+-+")
    trick = [
        "",
        top[0] + 13 * top[1] + top[2],
        f"{bar} {w:<3}     {e:>3} {bar}",
        f"{bar}{s:^13}{bar}",
        end[0] + 13 * end[1] + end[2],
    ]
    lines = [
        f"{west:<27}{card:<17}{east}" for west, card, east in zip(left, trick, right, strict=True)
    ]
    lines += ["", *(f"{'':25}{line}" for line in bottom), "", *_captions(position)]
    return "\n".join(lines)


def position_html(position: Position) -> str:
    """The same picture as a table in HTML."""

    def hand(seat: int) -> str:
        weight = "bold" if seat == position.to_play else "normal"
        rows = "".join(
            f"<br>{_coloured(suit, ' '.join([suit.symbol, *(cards or ['-'])]))}"
            for suit, cards in _suits(position, seat, pretty=True)
        )
        return f'<span style="font-weight:{weight}">{_name(position, seat)}</span>{rows}'

    left, bottom, right = map(hand, _around(position))
    w, s, e = _trick(position, lambda card: _coloured(card.suit, card.pretty), "<b>?</b>")
    trick = (
        '<div style="border:1px solid;width:8em;padding:0.3em;margin-top:1.2em">'
        '<div style="display:flex;justify-content:space-between;min-height:1.5em">'
        f"<span>{w}</span><span>{e}</span></div>"
        f'<div style="text-align:center;min-height:1.5em">{s}</div></div>'
    )
    # Notebooks stripe the rows of tables and align them to the right.
    row = '<tr style="background:none">'
    cell = '<td style="text-align:left;vertical-align:top;padding:0.5em 1em">'
    return (
        '<table style="font-family:monospace;color:inherit;border:none">'
        '<caption style="caption-side:bottom;text-align:left;color:inherit">'
        f"{'<br>'.join(_captions(position))}</caption>"
        f"{row}{cell}{left}</td>{cell}{trick}</td>{cell}{right}</td></tr>"
        f"{row}{cell}</td>{cell}{bottom}</td>{cell}</td></tr></table>"
    )


# ------------------------------------------------------------------------------------- the parts


def _block(position: Position, seat: int, pretty: bool) -> list[str]:
    """A hand, one line a suit, under the name of its seat."""
    rows = [
        f"  {suit.symbol if pretty else suit.letter} {' '.join(cards) or '-'}"
        for suit, cards in _suits(position, seat, pretty)
    ]
    return [f"{'>' if seat == position.to_play else ' '} {_name(position, seat)}", *rows]


def _suits(position: Position, seat: int, pretty: bool) -> list[tuple[Suit, list[str]]]:
    """The cards of a hand by suit, trumps first; the left bower keeps its printed suit."""
    return [
        (
            suit,
            [
                _shown(card, pretty) if card.suit != suit else _shown(card, pretty)[:-1]
                for card in position.hands[seat]
                if card.suit_under(position.trump) == suit
            ],
        )
        for suit in sorted(Suit, key=lambda suit: (suit != position.trump, suit))
    ]


def _name(position: Position, seat: int) -> str:
    role = ("declarer", "left defender", "right defender")[(seat - position.declarer) % 3]
    return f"seat {seat}, {role}"


def _around(position: Position) -> tuple[int, int, int]:
    """The seats on the left, at the bottom and on the right."""
    return (position.declarer + 1) % 3, position.declarer, (position.declarer + 2) % 3


def _trick(position: Position, draw: Callable[[Card], str], turn: str) -> list[str]:
    """What lies before each of these seats: its card, nothing yet, or the mark of its turn."""
    placed = {(position.leader + i) % 3: draw(card) for i, card in enumerate(position.trick)}
    if position.to_play is not None:
        placed[position.to_play] = turn
    return [placed.get(seat, "") for seat in _around(position)]


def _captions(position: Position) -> list[str]:
    """What a picture says below the cards: the contract, the tricks, whose turn it is."""
    bid = "no bid is set" if position.bid is None else f"bid {position.bid}"
    taken = ", ".join(f"seat {seat} has {count}" for seat, count in enumerate(position.tricks))
    lead = f"seat {position.leader} led, seat {position.to_play} to play"
    turn = lead if position.trick else f"seat {position.leader} to lead"
    return [
        f"{position.trump.name.lower()} are trump, {bid}",
        f"tricks: {taken}; {position.tricks_to_go} to go",
        "the deal is over" if position.is_over else turn,
    ]


#: All that a diagram with symbols prints beyond ASCII.
_DRAWN = "♠♣♥♦┌─┐│└┘"


def _can_print(text: str) -> bool:
    """Whether standard output, if there is any, can print a text."""
    try:
        text.encode(sys.stdout.encoding)
    except (AttributeError, LookupError, TypeError, UnicodeEncodeError):
        return False
    return True


def _shown(card: Card, pretty: bool) -> str:
    return card.pretty if pretty else card.pretty[:-1] + card.suit.letter


def _coloured(suit: Suit, text: str) -> str:
    colour = "#c22" if suit >= Suit.HEARTS else "inherit"
    return f'<span style="color:{colour}">{html.escape(text)}</span>'
