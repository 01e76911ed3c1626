"""Records as text: one line a turn and a trick, facts checked when read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn, TypeVar

from ghostsim.cards import Hand
from ghostsim.deals import Deal
from ghostsim.errors import GhostsimError
from ghostsim.rules import STANDARD, Rules
from ghostsim.table.deal import DealState
from ghostsim.table.display import trick_text, turn_text
from ghostsim.table.game import GameState, deal_index
from ghostsim.table.record import DealRecord, GameRecord, Names, RecordError, check_names

DEAL_TITLE = "ghostsim deal record 1"
GAME_TITLE = "ghostsim game record 1"

Value = TypeVar("Value")

# ---------------------------------------------------------------------------------------- to write


def deal_text(record: DealRecord) -> str:
    """The record of a deal in lines."""
    state = record.state
    lines = [DEAL_TITLE, _rules_line(state.rules)]
    if state.seed is not None:
        lines.append(f"seed {state.seed}, deal {state.index}")
    lines += [_revokes_line(state.revoke_detection), *_names_lines(record.strategies), ""]
    return "\n".join([*lines, *_deal_lines(state, None), ""])


def game_text(record: GameRecord) -> str:
    """The record of a game in lines."""
    lines = [GAME_TITLE, _rules_line(record.rules)]
    if record.seed is not None:
        lines.append(f"seed {record.seed}, game {record.game}")
    lines.append(f"first dealer: seat {record.first_dealer}")
    lines += [_revokes_line(record.revoke_detection), *_names_lines(record.strategies)]
    game = record.start
    for number, deal in enumerate(record.deals, start=1):
        after = game.add(deal) if deal.is_over else game
        lines += ["", f"deal {number}", *_deal_lines(deal, after)]
        game = after
    return "\n".join([*lines, ""])


def _rules_line(rules: Rules) -> str:
    return f"rules: {rules if rules.changes() else 'standard'}"


def _revokes_line(chance: float | None) -> str:
    if chance is None:
        return "revokes: refused"
    return f"revokes: stand, found out with chance {chance!r}"


def _names_lines(names: Names | None) -> list[str]:
    return [f"seat {seat} is {name}" for seat, name in enumerate(names or ())]


def _deal_lines(state: DealState, game: GameState | None) -> list[str]:
    """A deal, with what comes of it; ``game`` is the game after it, if it is one of a game."""
    lines = [
        _start_line(state.dealer, state.scores),
        *(f"seat {seat}: {hand}" for seat, hand in enumerate(state.deal.hands)),
        f"ghost: {state.deal.ghost}",
        *map(turn_text, state.turns),
    ]
    if state.has_swapped:
        lines.append(f"seat {state.to_act} swaps")
    if state.trump is not None:
        lines.append(f"seat {state.declarer} declares {state.trump.name.lower()}, bid {state.bid}")
    for number, trick in enumerate(state.tricks, start=1):
        revokes = [revoke for revoke in state.revokes if revoke.trick == number]
        cards = trick_text(trick.leader, trick.cards, revokes=revokes)
        lines.append(f"trick {number}: {cards}; seat {trick.winner} wins")
    if state.trick and state.leader is not None:
        number = len(state.tricks) + 1
        revokes = [revoke for revoke in state.revokes if revoke.trick == number]
        lines.append(f"trick {number}: {trick_text(state.leader, state.trick, revokes=revokes)}")
    return [*lines, *(_result_lines(state, game) if state.is_over else ())]


def _start_line(dealer: int, scores: Iterable[int]) -> str:
    return f"dealer: seat {dealer}; scores: {' '.join(map(str, scores))}"


def _result_lines(state: DealState, game: GameState | None) -> list[str]:
    """What comes of a finished deal."""
    lines = []
    if state.declarer is None or state.bid is None:
        lines.append("all pass, nobody scores")
    else:
        result = "made" if state.is_made else "set"
        lines.append(f"tricks: {' '.join(map(str, state.taken))}; the bid is {result}")
        if any(state.penalties):
            lines.append(f"penalties: {_signed(-lost for lost in state.penalties)}")
        lines.append(f"points: {_signed(state.points)}")
    lines.append(f"scores: {' '.join(map(str, state.scores_after))}")
    if game is not None and game.winner is not None:
        lines.append(f"seat {game.winner} wins the game")
    elif game is not None and game.is_tied:
        lines.append(f"the highest score, {max(game.scores)}, is shared: another deal decides")
    return lines


def _signed(numbers: Iterable[int]) -> str:
    return " ".join(f"{number:+d}" if number else "0" for number in numbers)


# ----------------------------------------------------------------------------------------- to read


class _Lines:
    """The lines of a text that say something, one after the other."""

    def __init__(self, text: str) -> None:
        self.lines = [
            (number, " ".join(line.split()))
            for number, line in enumerate(text.splitlines(), start=1)
            if line.strip() and not line.lstrip().startswith("#")
        ]
        self.at = 0
        #: The part of the record that is being read, like "deal 2, trick 3".
        self.part: list[str] = []

    @property
    def next(self) -> str | None:
        """The next line; None at the end."""
        return self.lines[self.at][1] if self.at < len(self.lines) else None

    @property
    def place(self) -> str:
        if self.at < len(self.lines):
            where = f"line {self.lines[self.at][0]}"
        else:
            where = "end of the record"
        return ", ".join([where, *self.part])

    def wrong(self, why: str) -> NoReturn:
        raise RecordError(f"{self.place}: {why}")

    def match(self, pattern: str) -> re.Match[str] | None:
        """The next line, if it looks like this; the caller goes on when it has used it."""
        return None if self.next is None else re.fullmatch(pattern, self.next)

    def need(self, pattern: str, example: str) -> re.Match[str]:
        found = self.match(pattern)
        if found is None:
            told = "the record ends" if self.next is None else f"it says {self.next!r}"
            self.wrong(f"there must be a line like {example!r}, but {told}")
        return found

    def done(self) -> None:
        self.at += 1

    def try_to(self, do: Callable[..., Value], *args: Any, **options: Any) -> Value:
        """What a call gives; its errors name the place."""
        try:
            return do(*args, **options)
        except RecordError:
            raise
        except GhostsimError as error:
            self.wrong(str(error))

    def expect(self, line: str) -> None:
        """Read a line of which every word is known."""
        if self.next != line:
            self.wrong(f"it says {self.next!r}, but it must be {line!r}")
        self.done()


def read_text(text: str) -> DealRecord | GameRecord:
    """The record that a text tells."""
    lines = _Lines(text)
    if lines.next == DEAL_TITLE:
        lines.done()
        return _read_deal_record(lines)
    if lines.next == GAME_TITLE:
        lines.done()
        return _read_game_record(lines)
    found = "and there is nothing" if lines.next is None else f"not with {lines.next!r}"
    lines.wrong(f"a record begins with {GAME_TITLE!r} or {DEAL_TITLE!r}, {found}")


def _read_deal_record(lines: _Lines) -> DealRecord:
    rules = _read_rules(lines)
    seed, index = _read_seed(lines, "deal")
    chance = _read_revokes(lines)
    names = _read_names(lines)
    found = lines.need(
        r"dealer: seat ([012]); scores: (-?[0-9]{1,9}) (-?[0-9]{1,9}) (-?[0-9]{1,9})",
        _start_line(2, (0, 0, 0)),
    )
    dealer, *scores = map(int, found.groups())
    lines.done()
    deal = _read_cards(lines)
    start = lines.try_to(
        DealState.start,
        deal,
        dealer,
        rules,
        scores=scores,
        seed=seed,
        index=index,
        revoke_detection=chance,
    )
    state = _read_actions(lines, start)
    if state.is_over:
        _read_result(lines, state, None)
    if lines.next is not None:
        lines.wrong(f"the record of the deal is at its end, but then comes {lines.next!r}")
    return lines.try_to(DealRecord, state, names)


def _read_game_record(lines: _Lines) -> GameRecord:
    rules = _read_rules(lines)
    seed, number = _read_seed(lines, "game")
    dealer = int(lines.need(r"first dealer: seat ([012])", "first dealer: seat 0")[1])
    lines.done()
    chance = _read_revokes(lines)
    names = _read_names(lines)
    game = GameState(rules, dealer=dealer)
    deals: list[DealState] = []
    while lines.next is not None:
        lines.part = []
        if game.is_over:
            lines.wrong(f"the game is over, but then comes {lines.next!r}")
        lines.expect(f"deal {len(deals) + 1}")
        lines.part = [f"deal {len(deals) + 1}"]
        if lines.next is None:
            lines.wrong(f"there must be a line {_start_line(game.dealer, game.scores)!r}")
        lines.expect(_start_line(game.dealer, game.scores))
        deal = _read_cards(lines)
        index = None if number is None else deal_index(number, len(deals))
        start = game.next_deal(deal, seed=seed, index=index, revoke_detection=chance)
        deals.append(_read_actions(lines, start))
        if deals[-1].is_over:
            game = game.add(deals[-1])
            _read_result(lines, deals[-1], game)
    return GameRecord(
        rules=rules,
        seed=seed,
        game=number,
        first_dealer=dealer,
        strategies=names,
        revoke_detection=chance,
        deals=tuple(deals),
    )


# ------------------------------------------------------------------------------------- its parts


def _read_rules(lines: _Lines) -> Rules:
    told = lines.need(r"rules: (.+)", "rules: standard")[1]
    changes: dict[str, int | bool | str] = {}
    for part in [] if told == "standard" else re.split(r", ?", told):
        found = re.fullmatch(r"(\w+)=(-?[0-9]{1,9}|[A-Za-z_]+)", part)
        if found is None:
            lines.wrong(f"{part!r} is not a rule: write them like moon_points=12, all_pass=redeal")
        name, value = found.groups()
        if name in changes:
            lines.wrong(f"the rule {name} comes twice")
        words: dict[str, bool] = {"True": True, "False": False}
        is_number = re.fullmatch(r"-?[0-9]+", value)
        changes[name] = int(value) if is_number else words.get(value, value)
    rules = lines.try_to(STANDARD.replace, **changes)
    lines.done()
    return rules


def _read_seed(lines: _Lines, what: str) -> tuple[int | None, int | None]:
    found = lines.match(rf"seed ([0-9]{{1,20}}), {what} ([0-9]{{1,20}})")
    if found is None:
        return None, None
    seed, number = int(found[1]), int(found[2])
    if max(seed, number) >= 1 << 64:
        lines.wrong(f"seed and {what} must be below 2**64")
    if what == "game":
        lines.try_to(deal_index, number, 0)
    lines.done()
    return seed, number


def _read_revokes(lines: _Lines) -> float | None:
    found = lines.need(
        r"revokes: (refused|stand, found out with chance ([0-9]+(?:\.[0-9]+)?(?:e-[0-9]+)?))",
        "revokes: refused",
    )
    chance = None if found[2] is None else float(found[2])
    if chance is not None and chance > 1:
        lines.wrong(f"a chance is from 0 to 1, not {found[2]}")
    lines.done()
    return chance


def _read_names(lines: _Lines) -> Names | None:
    if lines.match(r"seat \S+ is .*") is None:
        return None
    names = []
    for seat in range(3):
        names.append(lines.need(rf"seat {seat} is (.+)", f"seat {seat} is steady")[1])
        lines.try_to(check_names, [names[-1]] * 3)
        lines.done()
    return names[0], names[1], names[2]


def _read_cards(lines: _Lines) -> Deal:
    hands = []
    for seat in range(3):
        cards = lines.need(rf"seat {seat}: (.+)", f"seat {seat}: JS JC AS KS AH 9D")[1]
        hands.append(lines.try_to(Hand.parse, cards, f"hand of seat {seat}"))
        lines.done()
    cards = lines.need(r"ghost: (.+)", "ghost: AD KD QD JD TD 9H")[1]
    deal = lines.try_to(Deal, hands, lines.try_to(Hand.parse, cards, "ghost"))
    lines.done()
    return deal


def _read_actions(lines: _Lines, state: DealState) -> DealState:
    """All actions of a deal, as far as they are told."""
    above = list(lines.part)
    while lines.next is not None and not state.is_over:
        match state.phase:
            case "auction":
                lines.part = [*above, f"turn {len(state.turns) + 1}"]
                state = _read_turn(lines, state)
            case "trump":
                lines.part = above
                state = _read_trump(lines, state)
            case _:
                lines.part = [*above, f"trick {len(state.tricks) + 1}"]
                state = _read_trick(lines, state)
    lines.part = above
    return state


def _read_turn(lines: _Lines, state: DealState) -> DealState:
    example = f"seat {state.to_act} passes"
    found = lines.need(r"seat ([012]) (swaps|(swaps, )?(passes|bids (\S+)))", example)
    seat, bid = int(found[1]), found[5]
    if found[2].startswith("swaps"):
        state = lines.try_to(state.swap, seat=seat)
    if found[4] == "passes":
        state = lines.try_to(state.pass_turn, seat=seat)
    elif bid is not None:
        state = lines.try_to(state.make_bid, bid, seat=seat)
    lines.done()
    if state.has_swapped and lines.next is not None:
        lines.wrong(f"{state.what_is_next}, in one line like 'seat {seat} swaps, passes'")
    return state


def _read_trump(lines: _Lines, state: DealState) -> DealState:
    example = f"seat {state.declarer} declares hearts, bid {state.bid}"
    found = lines.need(r"seat ([012]) declares (\S+), bid (\S+)", example)
    state = lines.try_to(state.name_trump, found[2], seat=int(found[1]))
    if found[3] != str(state.bid):
        lines.wrong(f"the bid is {state.bid}, not {found[3]}")
    lines.done()
    return state


def _read_trick(lines: _Lines, state: DealState) -> DealState:
    number = len(state.tricks) + 1
    example = f"trick {number}: seat {state.to_act} AS"
    found = lines.need(rf"trick {number}: (.+?)(?:; seat ([012]) wins)?", example)
    for place, (seat, card, told) in enumerate(_plays(lines, found[1]), start=1):
        if place > 3:
            lines.wrong("a trick has three cards")
        revokes = len(state.revokes)
        try:
            state = state.play(card, seat=seat, found=told)
        except GhostsimError as error:
            lines.wrong(f"card {place}: {error}")
        if told is None and len(state.revokes) > revokes:
            lines.wrong(
                f"card {place}: {card} of seat {seat} is a revoke: say (revoke, found out) or "
                "(revoke, not found out)"
            )
    if not state.trick and found[2] is None:
        lines.wrong(f"it must be said who wins the trick: '; seat {state.leader} wins'")
    if state.trick and found[2] is not None:
        lines.wrong(f"a trick of {len(state.trick)} cards has no winner")
    if not state.trick and int(found[2]) != state.leader:
        lines.wrong(f"seat {state.leader} wins the trick, not seat {found[2]}")
    lines.done()
    if state.trick and lines.next is not None:
        cards = "1 card" if len(state.trick) == 1 else "2 cards"
        lines.wrong(f"the line above has {cards}: only at the end a trick may be incomplete")
    return state


def _plays(lines: _Lines, text: str) -> Iterator[tuple[int, str, bool | None]]:
    """Seat, card, and whether it is said to be a revoke that was found out, for each card."""
    for place, part in enumerate(re.split(r", (?=seat )", text), start=1):
        found = re.fullmatch(r"seat ([012]) (\S+)(?: \(revoke, (not )?found out\))?", part)
        if found is None:
            lines.wrong(f"card {place}: {part!r} must be like 'seat 0 AS'")
        told = None if not part.endswith(")") else found[3] is None
        yield int(found[1]), found[2], told


def _read_result(lines: _Lines, state: DealState, game: GameState | None) -> None:
    """What came of a deal; at its end, a record may leave it out."""
    for line in _result_lines(state, game):
        if lines.next is not None:
            lines.expect(line)
