"""Records as JSON: every key is checked, every fact that is told is computed again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ghostsim.cards import Hand
from ghostsim.deals import Deal
from ghostsim.errors import GhostsimError
from ghostsim.rules import Rules
from ghostsim.table.deal import DealState, Revoke, check_chance
from ghostsim.table.game import deal_index
from ghostsim.table.record import DealRecord, GameRecord, RecordError

DEAL_FORMAT = "ghostsim deal record"
GAME_FORMAT = "ghostsim game record"
VERSION = 1

Value = TypeVar("Value")

# ---------------------------------------------------------------------------------------- to write


def deal_dict(record: DealRecord) -> dict[str, Any]:
    """The record of a deal as texts and numbers."""
    state = record.state
    return {
        "format": DEAL_FORMAT,
        "version": VERSION,
        "rules": state.rules.to_dict(),
        "seed": state.seed,
        "index": state.index,
        "revoke_detection": state.revoke_detection,
        "strategies": None if record.strategies is None else list(record.strategies),
        "deal": _state_dict(state),
    }


def game_dict(record: GameRecord) -> dict[str, Any]:
    """The record of a game as texts and numbers."""
    return {
        "format": GAME_FORMAT,
        "version": VERSION,
        "rules": record.rules.to_dict(),
        "seed": record.seed,
        "game": record.game,
        "first_dealer": record.first_dealer,
        "revoke_detection": record.revoke_detection,
        "strategies": None if record.strategies is None else list(record.strategies),
        "deals": [_state_dict(deal) for deal in record.deals],
        **_game_facts(record),
    }


def _state_dict(state: DealState) -> dict[str, Any]:
    auction: list[dict[str, Any]] = [
        {
            "seat": turn.seat,
            "swap": turn.swapped,
            "bid": "pass" if turn.bid is None else str(turn.bid),
        }
        for turn in state.turns
    ]
    if state.has_swapped:
        auction.append({"seat": state.to_act, "swap": True, "bid": None})
    tricks: list[dict[str, Any]] = [
        {"leader": trick.leader, "cards": [str(card) for card in trick.cards]}
        for trick in state.tricks
    ]
    if state.trick:
        tricks.append({"leader": state.leader, "cards": [str(card) for card in state.trick]})
    for place, trick in enumerate(tricks):
        trick["winner"] = _winner(state, place)
    return {
        "dealer": state.dealer,
        "scores": list(state.scores),
        "hands": [str(hand) for hand in state.deal.hands],
        "ghost": str(state.deal.ghost),
        "auction": auction,
        "trump": None if state.trump is None else state.trump.letter,
        "tricks": tricks,
        "revokes": [_revoke_dict(revoke) for revoke in state.revokes],
        **_state_facts(state),
    }


def _winner(state: DealState, place: int) -> int | None:
    return state.tricks[place].winner if place < len(state.tricks) else None


def _revoke_dict(revoke: Revoke) -> dict[str, Any]:
    return {
        "seat": revoke.seat,
        "trick": revoke.trick,
        "card": str(revoke.card),
        "found": revoke.found,
    }


def _state_facts(state: DealState) -> dict[str, Any]:
    """What follows from the actions of a deal."""
    return {
        "declarer": state.declarer,
        "bid": None if state.bid is None else str(state.bid),
        "taken": list(state.taken),
        "points": list(state.points) if state.is_over else None,
    }


def _game_facts(record: GameRecord) -> dict[str, Any]:
    """What follows from the deals of a game."""
    return {"scores": [list(scores) for scores in record.scores], "winner": record.winner}


# ----------------------------------------------------------------------------------------- to read


def read_json(text: str) -> DealRecord | GameRecord:
    """The record that a JSON object tells."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise RecordError(f"JSON key {key!r} comes twice")
            found[key] = value
        return found

    try:
        values = json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise RecordError(f"JSON cannot be read: {error.msg}, {place}") from None
    except RecordError:
        raise
    except (ValueError, RecursionError) as error:  # a number too long; too many brackets
        raise RecordError(f"JSON cannot be read: {error}") from None
    if isinstance(values, dict) and values.get("format") == DEAL_FORMAT:
        return deal_from_dict(values)
    return game_from_dict(values)


def deal_from_dict(values: Mapping[str, Any]) -> DealRecord:
    """The inverse of ``deal_dict``."""
    _check_keys("", values, ("format", "version", "rules", "deal"), _DEAL_SETTINGS)
    _check_format(values, DEAL_FORMAT)
    rules = _try("rules", _rules, values["rules"])
    deal = values["deal"]
    _check_keys("deal", deal, _DEAL_NEEDED, _DEAL_ALLOWED)
    start = _try(
        "deal",
        DealState.start,
        _cards("deal", deal),
        deal["dealer"],
        rules,
        scores=deal["scores"],
        seed=values.get("seed"),
        index=values.get("index"),
        revoke_detection=values.get("revoke_detection"),
    )
    state = _replayed("deal", start, deal)
    return _try("strategies", DealRecord, state, values.get("strategies"))


def game_from_dict(values: Mapping[str, Any]) -> GameRecord:
    """The inverse of ``game_dict``."""
    needed = ("format", "version", "rules", "first_dealer", "deals")
    _check_keys("", values, needed, _GAME_SETTINGS)
    _check_format(values, GAME_FORMAT)
    rules = _try("rules", _rules, values["rules"])
    chance = _try("revoke_detection", check_chance, values.get("revoke_detection"))
    empty = _try(
        "the game",
        GameRecord,
        rules=rules,
        seed=values.get("seed"),
        game=values.get("game"),
        first_dealer=values["first_dealer"],
        strategies=values.get("strategies"),
        revoke_detection=chance,
    )
    game = empty.start
    deals: list[DealState] = []
    for number, deal in enumerate(_list("deals", values["deals"])):
        place = f"deals[{number}]"
        _check_keys(place, deal, _DEAL_NEEDED, _DEAL_ALLOWED)
        if deals and not deals[-1].is_over:
            raise RecordError(f"{place}: the deal before it is not finished")
        start = _try(
            place,
            game.next_deal,
            _cards(place, deal),
            seed=empty.seed,
            index=None if empty.game is None else deal_index(empty.game, number),
            revoke_detection=chance,
        )
        _check_fact(place, deal, "dealer", start.dealer)
        _check_fact(place, deal, "scores", list(start.scores))
        deals.append(_replayed(place, start, deal))
        game = game.add(deals[-1]) if deals[-1].is_over else game
    record = GameRecord(
        rules=rules,
        seed=empty.seed,
        game=empty.game,
        first_dealer=empty.first_dealer,
        strategies=empty.strategies,
        revoke_detection=chance,
        deals=tuple(deals),
    )
    for key, fact in _game_facts(record).items():
        _check_fact("", values, key, fact)
    return record


_DEAL_SETTINGS = ("seed", "index", "revoke_detection", "strategies")
_GAME_SETTINGS = ("seed", "game", "revoke_detection", "strategies", "scores", "winner")
_DEAL_NEEDED = ("dealer", "scores", "hands", "auction")
_DEAL_ALLOWED = (
    "ghost",
    "trump",
    "tricks",
    "revokes",
    "declarer",
    "bid",
    "taken",
    "points",
)

# ------------------------------------------------------------------------------------- its parts


def _cards(place: str, deal: Mapping[str, Any]) -> Deal:
    hands = [
        _try(f"{place}.hands[{seat}]", Hand.parse, hand, f"hand of seat {seat}")
        for seat, hand in enumerate(_list(f"{place}.hands", deal["hands"]))
    ]
    ghost = deal.get("ghost")
    if ghost is not None:
        ghost = _try(f"{place}.ghost", Hand.parse, ghost, "ghost")
    return _try(f"{place}.hands", Deal, hands, ghost)


def _replayed(place: str, state: DealState, deal: Mapping[str, Any]) -> DealState:
    """A deal after all actions that are told."""
    state = _auction(f"{place}.auction", state, deal["auction"])
    if deal.get("trump") is not None:
        state = _try(f"{place}.trump", state.name_trump, deal["trump"])
    state = _tricks(place, state, deal)
    for key, fact in _state_facts(state).items():
        _check_fact(place, deal, key, fact)
    return state


def _auction(place: str, state: DealState, turns: object) -> DealState:
    for number, turn in enumerate(_list(place, turns)):
        here = f"{place}[{number}]"
        _check_keys(here, turn, ("seat", "swap", "bid"))
        if state.has_swapped:
            raise RecordError(f"{here}: the bid of the turn before it is null: it must be the last")
        if not isinstance(turn["swap"], bool):
            raise RecordError(f"{here}.swap: must be true or false, not {turn['swap']!r}")
        if turn["swap"]:
            state = _try(f"{here}.swap", state.swap, seat=turn["seat"])
        if turn["bid"] is None and not turn["swap"]:
            raise RecordError(f"{here}.bid: may be null after a swap only")
        if turn["bid"] == "pass":
            state = _try(f"{here}.bid", state.pass_turn, seat=turn["seat"])
        elif turn["bid"] is not None:
            state = _try(f"{here}.bid", state.make_bid, turn["bid"], seat=turn["seat"])
    return state


def _tricks(place: str, state: DealState, deal: Mapping[str, Any]) -> DealState:
    told = _list(f"{place}.revokes", deal.get("revokes") or [])
    for number, revoke in enumerate(told):
        _check_keys(f"{place}.revokes[{number}]", revoke, ("seat", "trick", "card", "found"))
        if not isinstance(revoke["found"], bool):
            raise RecordError(
                f"{place}.revokes[{number}].found: must be true or false, not {revoke['found']!r}"
            )
    for number, trick in enumerate(_list(f"{place}.tricks", deal.get("tricks") or [])):
        here = f"{place}.tricks[{number}]"
        _check_keys(here, trick, ("leader", "cards"), ("winner",))
        if state.trick:
            raise RecordError(f"{here}: the trick before it has {len(state.trick)} cards, not 3")
        cards = _list(f"{here}.cards", trick["cards"])
        if not 1 <= len(cards) <= 3:
            raise RecordError(f"{here}.cards: a trick has one to three cards, not {len(cards)}")
        _check_fact(here, trick, "leader", state.leader if state.phase == "play" else None)
        for at, card in enumerate(cards):
            found = [
                revoke["found"]
                for revoke in told
                if (revoke["trick"], revoke["card"]) == (number + 1, card)
            ]
            revokes = len(state.revokes)
            where = f"{here}.cards[{at}]"
            state = _try(where, state.play, card, found=found[0] if found else None)
            if not found and len(state.revokes) > revokes:
                raise RecordError(f"{where}: {card} is a revoke, but it is not in revokes")
        _check_fact(here, trick, "winner", _winner(state, number))
    made = [_revoke_dict(revoke) for revoke in state.revokes]
    if not _is_same(told, made):
        raise RecordError(f"{place}.revokes: must be {json.dumps(made)}, not {told!r}")
    return state


def _rules(values: object) -> Rules:
    if not isinstance(values, Mapping):
        raise TypeError(f"must be an object with the fields of Rules, not {values!r}")
    return Rules.from_dict(values)


def _try(place: str, do: Callable[..., Value], *args: Any, **options: Any) -> Value:
    """What a call gives; its errors name the place."""
    try:
        return do(*args, **options)
    except (GhostsimError, TypeError) as error:  # in a record, a wrong type is a wrong record
        raise RecordError(f"{place}: {error}") from None


def _list(place: str, values: object) -> list[Any]:
    if not isinstance(values, list | tuple):
        raise RecordError(f"{place}: must be a list, not {values!r}")
    return list(values)


def _check_keys(
    place: str, values: object, needed: Iterable[str], allowed: Iterable[str] = ()
) -> None:
    """Whether an object has all keys that it needs, and no others than these."""
    before = f"{place}: " if place else ""
    if not isinstance(values, Mapping):
        raise RecordError(f"{place or 'a record'} must be an object, {{...}}, not {values!r}")
    keys = [*needed, *allowed]
    wrong = [f"there is no key {key!r}" for key in values if key not in keys]
    wrong += [f"{key} is missing" for key in needed if key not in values]
    if wrong:
        raise RecordError(f"{before}{'; '.join(wrong)}; the keys are {', '.join(keys)}")


def _check_format(values: Mapping[str, Any], name: str) -> None:
    if values["format"] != name:
        raise RecordError(f"format: must be {name!r}, not {values['format']!r}")
    if not _is_same(values["version"], VERSION):
        raise RecordError(f"version: only {VERSION} can be read, not {values['version']!r}")


def _check_fact(place: str, values: Mapping[str, Any], key: str, fact: object) -> None:
    """Whether a fact, if it is told, is what follows from the actions."""
    if key in values and not _is_same(values[key], fact):
        where = f"{place}.{key}" if place else key
        raise RecordError(f"{where}: must be {json.dumps(fact)}, not {values[key]!r}")


def _is_same(told: object, fact: object) -> bool:
    """Whether two values are the same JSON: 1 is neither true nor 1.0."""
    try:
        return json.dumps(told, sort_keys=True) == json.dumps(fact, sort_keys=True)
    except (TypeError, ValueError):
        return False
