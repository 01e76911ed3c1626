"""Positions in writing: one line of text, or JSON.

A line is the cards held by seats 0, 1, 2, then settings in any order, with / between all of them:

    AS / KS / - / trump S / declarer 0 / leader 2 / trick JC / tricks 1 1 3 / bid 4
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ghostsim.cards import Card, CardError, Suit
from ghostsim.errors import GhostsimError
from ghostsim.position import PlayError, Position, PositionError, different_cards, noted, written
from ghostsim.rules import Bid


def position_text(position: Position) -> str:
    """A position in one line; what it would be anyway when left out is left out."""
    parts = [written(hand) or "-" for hand in position.hands]
    parts += [f"trump {position.trump.letter}", f"declarer {position.declarer}"]
    if position.leader != position.declarer or any(position.tricks):
        parts.append(f"leader {position.leader}")
    if position.trick:
        parts.append(f"trick {written(position.trick)}")
    if any(position.tricks):
        parts.append("tricks " + " ".join(map(str, position.tricks)))
    if position.bid is not None:
        parts.append(f"bid {position.bid}")
    return " / ".join(parts)


def position_dict(position: Position) -> dict[str, Any]:
    """A position as texts and numbers."""
    return {
        "hands": [written(hand) for hand in position.hands],
        "trump": position.trump.letter,
        "declarer": position.declarer,
        "leader": position.leader,
        "trick": written(position.trick),
        "tricks": list(position.tricks),
        "bid": None if position.bid is None else str(position.bid),
    }


def position_json(position: Position) -> str:
    """A position as a JSON object in one line."""
    return json.dumps(position_dict(position))


@dataclass(frozen=True)
class Record:
    """What a line tells: a position, the cards then played, and what they led to."""

    start: Position
    plays: str | Iterable[Card | str]
    end: Position


def position_from_dict(values: Mapping[str, Any]) -> Position:
    """The inverse of ``position_dict``, after the ``plays`` if there are any."""
    if not isinstance(values, Mapping):
        raise TypeError(f"a position is made from a mapping, not from {values!r}")
    return _from_mapping(values, {}).end


def parse_position(text: str, **defaults: str | int) -> Position:
    """A position from a line or from JSON; ``defaults`` are settings that it need not say."""
    return parse_record(text, **defaults).end


def parse_record(text: str, **defaults: str | int) -> Record:
    """``parse_position`` that also tells what was played from where."""
    if not isinstance(text, str):
        raise TypeError(f"a position is parsed from text, not from {text!r}")
    given = read_defaults(defaults)
    if text.lstrip()[:1] in {"{", "[", '"'}:
        return _from_json(text, given)
    return _from_line(text, given)


def _from_line(text: str, given: Mapping[str, Any]) -> Record:
    wrong: list[str] = []
    hands: list[list[Card]] = []
    settings: dict[str, Any] = {}
    places: dict[str, int] = {}
    parts = [part.strip() for part in text.split("/")]
    if len(parts) < 3:
        raise PositionError(f"three hands come first, with / between them: {len(parts)} found")
    for place, part in enumerate(parts, start=1):
        if place <= 3:
            hands.append(noted(wrong, _read_hand, place, part) or [])
        else:
            settings |= noted(wrong, _read_setting, place, part, places) or {}
    # A part that cannot be read may be the trump.
    if "trump" not in places and "trump" not in given and not wrong:
        wrong.append("trump is missing: add '/ trump H', or S, C, D")
    if wrong:
        raise PositionError("; ".join(wrong))
    plays_from = f"part {places['plays']}, " if "plays" in places else _DEFAULT_PLAYS
    return _made({"hands": hands, **given, **settings}, plays_from)


def _from_json(text: str, given: Mapping[str, Any]) -> Record:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise PositionError(f"JSON key {key!r} comes twice")
            found[key] = value
        return found

    try:
        values = json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise PositionError(f"JSON cannot be read: {error.msg}, {place}") from None
    except PositionError:
        raise
    except (ValueError, RecursionError) as error:  # a number too long; too many brackets
        raise PositionError(f"JSON cannot be read: {error}") from None
    if not isinstance(values, dict):
        raise PositionError(f"a position in JSON is an object, {{...}}, not {values!r}")
    try:
        return _from_mapping(values, given)
    except TypeError as error:  # in a text, a value of the wrong type is a wrong text
        raise PositionError(str(error)) from None


def _from_mapping(values: Mapping[str, Any], given: Mapping[str, Any]) -> Record:
    """A position from values by name; ``given`` are those of settings left out or null."""
    # Null says nothing: it is as if the key were not there.
    values = {key: value for key, value in values.items() if value is not None}
    left_out = {name: value for name, value in given.items() if name not in values}
    values = {**values, **left_out}
    keys = ("hands", *_SETTINGS)
    wrong = [_no_such("key", str(key), keys) for key in values if key not in keys]
    wrong += [f"{key} is missing" for key in ("hands", "trump") if key not in values]
    if wrong:
        raise PositionError("; ".join(wrong))
    return _made(values, _DEFAULT_PLAYS if "plays" in left_out else "")


#: What is said before an error in plays that the text itself does not tell.
_DEFAULT_PLAYS = "setting plays, "


def _made(values: dict[str, Any], plays_from: str) -> Record:
    """The position of these values, and the plays among them; errors say where plays are from."""
    plays = values.pop("plays", ())
    start = Position(**values)
    try:
        return Record(start, plays, start.play_all(plays))
    except PlayError as error:
        raise PlayError(f"{plays_from}{error}") from None


# ------------------------------------------------------------------------------------- the parts


def _no_such(what: str, name: str, allowed: Iterable[str]) -> str:
    near = difflib.get_close_matches(name.lower(), list(allowed), n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"there is no {what} {name!r}: {hint}there are {', '.join(allowed)}"


def _read_seat(text: str) -> int:
    if text not in ("0", "1", "2"):
        raise PositionError(f"{text!r} is not a seat: seats are 0, 1 and 2")
    return int(text)


def _read_tricks(text: str) -> list[int]:
    if not re.fullmatch(r"[0-6]( +|, *)[0-6]( +|, *)[0-6]", text):
        raise PositionError(f"{text!r} is not tricks by seat: three numbers 0-6, like 1 2 0")
    return [int(digit) for digit in re.findall("[0-6]", text)]


#: How the value of each setting is read from text.
_SETTINGS: dict[str, Callable[[str], Any]] = {
    "trump": lambda text: Suit.parse(text, "trump"),
    "declarer": _read_seat,
    "leader": _read_seat,
    "trick": lambda text: different_cards(text, "trick"),
    "tricks": _read_tricks,
    "bid": Bid.parse,
    "plays": str,
}


def _looks_like_a_hand(word: str) -> bool:
    try:
        return word == "-" or bool(different_cards(word, "hand"))
    except CardError:
        return False


def _read_hand(place: int, part: str) -> list[Card]:
    if not part:
        raise PositionError(f"part {place} is empty: write - for a hand without cards")
    if part.split()[0].lower() in _SETTINGS:
        raise PositionError(f"part {place} {part!r} is a setting: the three hands come first")
    return [] if part == "-" else different_cards(part, f"part {place}, hand of seat {place - 1},")


def _read_setting(place: int, part: str, places: dict[str, int]) -> dict[str, Any]:
    """A setting by name; ``places`` tells where each was found, and is added to."""
    name, value = (*part.split(maxsplit=1), "", "")[:2]
    where = f"part {place} {part!r}"
    key = name.lower()
    if not part:
        raise PositionError(f"part {place} is empty: leave out the / before it")
    if key not in _SETTINGS and _looks_like_a_hand(name):
        raise PositionError(f"{where} is a fourth hand: only the three in play are told")
    if key not in _SETTINGS:
        raise PositionError(f"{where}: {_no_such('setting', name, _SETTINGS)}")
    if key in places:
        raise PositionError(f"{where}: {key} is set already, in part {places[key]}")
    places[key] = place
    return {key: _read_value(key, value, where)}


def read_defaults(texts: Mapping[str, object]) -> dict[str, Any]:
    """The values of settings by name, from texts as in a line."""
    wrong: list[str] = []
    values: dict[str, Any] = {}
    for name, text in texts.items():
        if name not in _SETTINGS:
            raise TypeError(_no_such("setting", name, _SETTINGS))
        if not isinstance(text, str | int):
            raise TypeError(f"setting {name} must be a text, as in a line, not {text!r}")
        if name == "trump" and isinstance(text, int):
            values[name] = noted(wrong, Suit.parse, text, "setting trump")
        else:
            values[name] = noted(wrong, _read_value, name, str(text).strip(), f"setting {name}")
    if wrong:
        raise PositionError("; ".join(wrong))
    return values


def _read_value(name: str, text: str, where: str) -> Any:
    if not text:
        raise PositionError(f"{where}: {name} has no value")
    try:
        return _SETTINGS[name](text)
    except GhostsimError as error:
        raise PositionError(f"{where}: {error}") from None
