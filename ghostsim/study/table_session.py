"""A person at the table: questions and answers in a terminal or a pipe, deal after deal."""

from __future__ import annotations

import contextlib
import re
import shlex
import sys
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ghostsim import hints
from ghostsim.cards import Card, CardError, Suit, sort_cards
from ghostsim.layouts import LayoutError
from ghostsim.rules import Bid, RulesError
from ghostsim.study.own_costs import review_lines
from ghostsim.study.record_files import RecordFileError, target_of, write_record
from ghostsim.study.table_words import WIDTH, Words, rules_lines
from ghostsim.table.deal import Action, DealState
from ghostsim.table.game import next_action
from ghostsim.table.record import GameRecord
from ghostsim.table.view import View

Answer = TypeVar("Answer")

#: The name of the person in a record, where strategies have theirs.
PERSON = "person"


class _LeaveError(Exception):
    """The person leaves the table."""


class _AnswerError(Exception):
    """An answer that is none; the text says why, if it was understood."""


@dataclass(frozen=True)
class Manners:
    """What the person wants of the table.

    Attributes
    ----------
    max_deals : int or None
        Stop after so many deals in all; None for a whole game.
    hints : bool
        Show a hint at every decision, unasked.
    review : bool
        Say at the end what cost the person most.
    save : Path or None
        Where the record goes after every deal, and at the end.
    is_saved : bool
        Whether it is there already.
    against : tuple of str
        The words of ``--against`` that the game needs to be gone on with, if it does.
    """

    max_deals: int | None = None
    hints: bool = False
    review: bool = True
    save: Path | None = None
    is_saved: bool = False
    against: tuple[str, ...] = ()


class Session:
    """A game with a person at one seat.

    Parameters
    ----------
    record : GameRecord
        The game so far; the person's seat is the one named ``PERSON``.
    strategies : three of Strategy or None
        By seat; None for the person.
    words : Words
    manners : Manners
    """

    def __init__(
        self, record: GameRecord, strategies: tuple[Any, Any, Any], words: Words, manners: Manners
    ) -> None:
        self.record = record
        self.strategies = strategies
        self.words = words
        self.manners = manners
        self.state: DealState | None = record.current
        self._seat = words.seat
        self._echoes = not _is_terminal(sys.stdin)
        self._said_wait = False
        self._unsaved = not manners.is_saved
        self._save_failed = False

    # --------------------------------------------------------------------------- from start to end

    def run(self) -> int:
        """Play until the game is over or the person leaves; the exit status."""
        status = 0
        try:
            self._welcome()
            self._play()
        except _LeaveError:
            pass
        except KeyboardInterrupt:
            self._say("")
            status = 130
        except BaseException:
            self._save()
            raise
        self._save()
        if status == 0:
            self._farewell()
        self._tell_how_to_go_on()
        return status or int(self._save_failed)

    def _play(self) -> None:
        while not self._is_done():
            state = self.state = self.record.next_deal()
            self._begin(state)
            while not state.is_over:
                state = self._step(state)
                self._keep(state)
            self._end_of_deal(state)
            if not self._is_done():
                self._ask(
                    "next deal? (Enter; or review, score, quit) ",
                    self._nothing_more,
                    "Enter for the next deal, or quit to leave",
                )

    def _is_done(self) -> bool:
        most = self.manners.max_deals
        return self.record.is_over or (most is not None and len(self.record.finished) >= most)

    def _keep(self, state: DealState) -> None:
        self.state = state
        self.record = self.record.with_deal(state)
        self._unsaved = True
        if state.is_over:
            self._save()

    def _welcome(self) -> None:
        words, record = self.words, self.record
        table = ", ".join(
            "you at seat " + str(seat) if seat == self._seat else f"{name} at seat {seat}"
            for seat, name in enumerate(words.names)
        )
        self._wrap(f"Ghost Hand Euchre to {record.rules.target}: {table}")
        if record.rules.changes():
            self._wrap(f"rules: {record.rules}")
        if record.revoke_detection is not None:
            self._wrap(
                f"a card that breaks the rules stands; it is found out with chance "
                f"{record.revoke_detection:g} and costs {record.rules.revoke_penalty} points"
            )
        self._wrap(f"seed {record.seed}, game {record.game}: with these the same cards come again")
        self._say("type ? at any question for help")
        if record.finished:
            self._say(f"{_deals(len(record.finished))} played before")

    def _begin(self, state: DealState) -> None:
        words, seat = self.words, self._seat
        number = len(self.record.finished) + 1
        self._say("")
        if state.turns or state.has_swapped:  # a deal that was left, and goes on
            self._say(*words.table(state.view(seat), number))
            return
        first = words.does(state.first_bidder, "speak")
        self._say(
            f"deal {number}: {words.does(state.dealer, 'deal')}, {first} first",
            *words.score_lines(state.view(seat)),
            f"your hand: {words.hand(state.view(seat))}",
        )

    def _end_of_deal(self, state: DealState) -> None:
        scores = self.record.scores[-1]
        self._say("", *self.words.laid_open(state, scores))
        game = self.record.state
        if game.winner is not None:
            win = self.words.does(game.winner, "win")
            deals = _deals(len(self.record.finished))
            self._say("")
            self._wrap(f"the game is over after {deals}, {win}; {self.words.counts(scores)}")
        elif game.is_tied:
            self._say("the highest score is shared: another deal decides")

    # --------------------------------------------------------------------------------- one action

    def _step(self, state: DealState) -> DealState:
        """The state after the next action, whoever's it is; it has been told."""
        seat = state.to_act
        assert seat is not None  # the deal is not over
        if state.phase == "play" and not state.trick:
            view, words = state.view(self._seat), self.words
            self._say(f"trick {len(view.tricks) + 1}: {words.contract(view)}")
        if seat != self._seat:
            action = next_action(state, self.strategies[seat])
        else:
            action = self._decide(state)
        after = state.act(action)
        self._tell(state, action, after)
        return after

    def _tell(self, state: DealState, action: Action, after: DealState) -> None:
        words, seat = self.words, state.to_act
        assert seat is not None
        mine = seat == self._seat
        if action == "swap":
            if mine:  # that of others is told with their bid
                self._say(f"  you swap; your hand: {words.hand(after.view(seat))}")
        elif isinstance(action, Card):
            self._say(f"  {words.played(seat, action, leads=not state.trick)}")
            if not after.trick:
                trick = after.tricks[-1]
                takes = words.does(trick.winner, "take")
                self._say(f"  {takes} it; tricks  {words.counts(after.taken)}")
        elif isinstance(action, Suit):
            self._say(f"  {words.does(seat, 'name')} {action.name.lower()}")
        else:
            turn = after.turns[-1]
            swapped = turn.swapped and not mine
            self._say(f"  {words.auction_turn(seat, swapped, turn.bid)}")
            if after.phase == "trump" and not any(t.bid for t in after.turns):
                assert after.declarer is not None
                self._say(f"  {words.does(after.declarer, 'declare')} {after.bid}: nobody bid")

    def _decide(self, state: DealState) -> Action:
        """The person's decision; where there is no choice, the only one."""
        view = state.view(self._seat)
        match state.phase:
            case "auction":
                if state.can_swap and self._ask_swap(state):
                    return "swap"
                if not view.bids:
                    self._say("  no bid is left: you can only pass")
                    return "pass"
                return self._ask_bid(state)
            case "trump":
                return self._ask_trump(state)
            case _:
                if len(view.hand) == 1:
                    return view.hand[0]
                return self._ask_card(state)

    def _ask_swap(self, state: DealState) -> bool:
        def read(answer: str) -> bool:
            word = answer.lower()
            if word in ("y", "yes", "swap"):
                return True
            if word in ("n", "no", "keep"):
                return False
            raise _AnswerError

        allowed = "y to trade your hand for the ghost, unseen; n to keep it"
        view = state.view(self._seat, swap=True)
        return self._ask("swap? (y/n) ", read, allowed, lambda: hints.swap_hint(view).text())

    def _ask_bid(self, state: DealState) -> Action:
        view = state.view(self._seat)
        bids = ", ".join(map(str, view.bids))

        def read(answer: str) -> Action:
            word = answer.lower().removeprefix("bid").strip()
            if word in ("pass", "p"):
                return "pass"
            try:
                bid = Bid.MOON if word == "m" else Bid.parse(word)
            except RulesError:
                raise _AnswerError from None
            if bid not in view.bids:
                why = f"the lowest bid is {Bid(view.rules.min_bid)}"
                if view.bid is not None:
                    why = f"a bid must exceed the standing one, {view.bid}"
                raise _AnswerError(f"{bid} is not allowed: {why}")
            return bid

        allowed = f"pass, {bids}"
        if view.must_bid:
            allowed += f" (if you pass you declare {Bid(view.rules.min_bid)})"
        return self._ask(f"bid: {allowed}? ", read, allowed, lambda: hints.bid_hint(view).text())

    def _ask_trump(self, state: DealState) -> Action:
        def read(answer: str) -> Action:
            try:
                return Suit.parse(answer, "trump")
            except CardError:
                raise _AnswerError from None

        view = state.view(self._seat)
        allowed = "S, C, H or D, for the suit that is to be trump"
        return self._ask("trump: S C H D? ", read, allowed, lambda: hints.trump_hint(view).text())

    def _ask_card(self, state: DealState) -> Action:
        view, words = state.view(self._seat), self.words
        cards = sort_cards(view.hand, view.trump)
        allowed = f"a number from 1 to {len(cards)}, or the card's name"

        def read(answer: str) -> Action:
            card = None
            if re.fullmatch(r"[1-9]", answer, re.ASCII):
                if int(answer) > len(cards):
                    raise _AnswerError(f"you have {len(cards)} cards")
                card = cards[int(answer) - 1]
            else:
                with contextlib.suppress(CardError):
                    card = Card(answer)
            if card is None:
                raise _AnswerError
            if card not in cards:
                raise _AnswerError(f"you do not hold {words.card(card)}")
            if card not in view.legal and not view.revokes_allowed:
                raise _AnswerError(self._why_not(card, view))
            return card

        self._say(f"your cards: {words.numbered(view)}")
        return self._ask(
            f"card? (1-{len(cards)}) ",
            read,
            allowed,
            lambda: hints.card_hint(view).text(words.card, symbols=words.symbols),
        )

    def _why_not(self, card: Card, view: View) -> str:
        assert view.trump is not None and view.led is not None  # a lead breaks no rule
        show = self.words.card
        why = (
            f"{show(card)} breaks the rule to follow suit: {view.led.name.lower()} were led "
            f"and you hold {' '.join(map(show, view.legal))}"
        )
        for other in (card, view.trick[0], *view.legal):
            if other.suit_under(view.trump) != other.suit:
                why += f"; {show(other)} is the left bower, a trump"
        return why

    # ----------------------------------------------------------------------- questions and answers

    def _ask(
        self,
        prompt: str,
        read: Callable[[str], Answer],
        allowed: str,
        hint: Callable[[], str] | None = None,
    ) -> Answer:
        """Ask until there is an answer; commands are done on the way.

        Parameters
        ----------
        prompt : str
        read : callable
            The answer in writing to what it means; raises ``_AnswerError``.
        allowed : str
            The answers in words.
        hint : callable, optional
            Gives the hint, if there is something to decide.
        """
        if self.manners.hints and hint is not None:
            self._hint(hint)
        while True:
            answer = self._line(prompt)
            if self._command(answer, allowed, hint):
                continue
            try:
                return read(answer)
            except _AnswerError as error:
                unknown = f"{answer[:40]!r} is no answer here; " if answer else ""
                self._wrap(str(error) or f"{unknown}answer {allowed}")

    def _line(self, prompt: str) -> str:
        """A line of the person's."""
        sys.stdout.flush()
        if sys.stdin is None:  # closed
            raise _LeaveError
        try:
            line = input(prompt)
        except EOFError:
            self._say("")
            raise _LeaveError from None
        if self._echoes:
            self._say(line)  # a transcript then reads as it would on a terminal
        return line.strip()

    def _nothing_more(self, answer: str) -> None:
        if answer.lower() not in ("", "y", "yes", "next"):
            raise _AnswerError

    def _command(self, answer: str, allowed: str, hint: Callable[[], str] | None) -> bool:
        """Do a command, if the answer is one."""
        word, _, rest = answer.partition(" ")
        rest = rest.strip()
        match word.lower():
            case "?" | "help":
                self._help(allowed, hint)
            case "hint":
                self._hint(hint)
            case "table":
                self._table()
            case "score" | "scores":
                self._score()
            case "legal":
                self._legal()
            case "rules":
                self._say(*rules_lines(self.record.rules, self.record.revoke_detection))
            case "review":
                self._review_asked(rest)
            case "save":
                self._save_asked(rest)
            case "quit" | "q" | "exit":
                raise _LeaveError
            case "undo":
                self._say("there is no undo: a card laid is a card played")
            case _:
                return False
        return True

    def _help(self, allowed: str, hint: Callable[[], str] | None) -> None:
        """The answers, and what else can be asked now."""
        state = self.state
        plays = state is not None and state.phase == "play"
        others = []
        after_moon = state is not None and state.phase == "auction" and not state.bids
        if hint is not None and not after_moon:
            told_by = "layouts that fit" if plays else "the odds of your hand"
            others.append(("hint", f"what {told_by} say"))
        if state is not None and state.is_over:
            others.append(("table", "the last deal again, laid open"))
        else:
            others.append(("table", "all that you know of this deal"))
        if plays:
            others.append(("legal", "the cards that the rules allow you now"))
        others += [
            ("score", "the scores, and what a seat still needs"),
            ("rules", "the rules of this table"),
        ]
        if len(self.record.finished) > 1:
            others.append(("review", "what cost you most in the last deal; review 1, review all"))
        elif self.record.finished:
            others.append(("review", "what cost you most in the last deal"))
        file = "" if self.manners.save is None else "; save FILE: in another file"
        others += [
            ("save" if file else "save FILE", f"write the record now{file}"),
            ("quit", "leave the table"),
        ]
        self._wrap(f"answer {allowed}")
        self._say("or ask:", *(f"  {name:<11}{what}" for name, what in others))

    def _table(self) -> None:
        if self.state is None or self.state.is_over:
            if self.state is not None:
                self._say(*self.words.laid_open(self.state, self.record.scores[-1]))
            return
        number = len(self.record.finished) + 1
        self._say(*self.words.table(self.state.view(self._seat), number))

    def _score(self) -> None:
        game, state = self.record.state, self.state
        columns = {
            "score": game.scores,
            "still needed": [max(0, game.rules.target - score) for score in game.scores],
        }
        if state is not None and state.phase == "play":
            columns["tricks now"] = state.taken
        after = f"after {_deals(game.deals)}" if game.deals else "no deal is finished yet"
        self._say(
            f"{after}; the game is to {game.rules.target}",
            *self.words.seat_table(columns),
        )

    def _legal(self) -> None:
        state = self.state
        if state is None or state.phase != "play" or state.to_act != self._seat:
            self._say("no card is asked for")
            return
        view = state.view(self._seat)
        legal = sort_cards(view.legal, view.trump)
        self._say(f"by the rules you may play {self.words.cards(legal)}")

    # --------------------------------------------------------------------------------------- hints

    def _hint(self, hint: Callable[[], str] | None) -> None:
        if hint is None:
            self._say("there is nothing to decide now")
            return
        self._wait()
        try:
            self._say(hint())
        except hints.HintError:
            self._say("  no hint: the odds value a hand by what it can bid, and no bid is left")
        except LayoutError as error:
            self._wrap(f"  no hint: {error}")

    def _wait(self) -> None:
        """Say so if tables have to be built first."""
        from ghostsim.endgames import DEPTH, Table

        table = Table(DEPTH)
        if not self._said_wait and not table.is_loaded() and not table.is_ready():
            self._message("a moment: the endgame tables are built, once for all ...")
        self._said_wait = True

    # -------------------------------------------------------------------------------------- review

    def _review_asked(self, which: str) -> None:
        finished = self.record.finished
        if not finished:
            self._say("no deal has been finished yet")
        elif which.lower() == "all":
            self._review(range(1, len(finished) + 1))
        elif not which:
            self._review([len(finished)])
        elif re.fullmatch(r"\d{1,6}", which, re.ASCII) and 1 <= int(which) <= len(finished):
            self._review([int(which)])
        else:
            deals = "1" if len(finished) == 1 else f"1 to {len(finished)}"
            self._say(f"finished deals: {deals}; say review, 'review 1' or 'review all'")

    def _review(self, numbers: Iterable[int]) -> None:
        self._wait()
        deals = {number: self.record.finished[number - 1] for number in numbers}
        self._say(*review_lines(deals, self._seat, self.words.card, self.words.named))

    # --------------------------------------------------------------------------------------- saving

    def _save_asked(self, name: str) -> None:
        usual = self.manners.save
        try:
            path = Path(name).expanduser() if name else usual
            if path is None:
                self._say("say 'save FILE': no file was named with --save")
                return
            target = target_of(path)
            if target.exists() and (usual is None or target != target_of(usual)):
                raise RecordFileError(f"{path} exists: name another file")
            write_record(path, self.record)
        except RecordFileError as error:
            self._message(str(error))
            return
        except RuntimeError:  # of expanduser
            self._message(f"{name}: there is no such home folder")
            return
        self._message(f"saved in {path}")

    def _save(self) -> None:
        """Write the record, if that is wanted; if it fails, the game goes on."""
        if self.manners.save is None or not self._unsaved:
            return
        try:
            write_record(self.manners.save, self.record)
        except RecordFileError as error:
            self._message(f"not saved: {error}")
            self._save_failed = True
            return
        self._unsaved = self._save_failed = False

    def _farewell(self) -> None:
        if self.manners.review and self.record.finished:
            self._say("")
            self._review(range(1, len(self.record.finished) + 1))

    def _tell_how_to_go_on(self) -> None:
        if self._save_failed:
            return
        if self.record.is_over:
            if self.manners.save is not None:
                self._message(f"the record is in {self.manners.save}")
        elif self.manners.save is not None:
            command = ["ghostsim", "play", "--resume", str(self.manners.save)]
            if self.manners.against:
                command += ["--against", *self.manners.against]
            self._message(f"saved; to go on: {shlex.join(command)}")
        else:
            self._message(
                "not saved (--save FILE does that); the same cards come again with\n"
                f"--seed {self.record.seed} --game {self.record.game}"
            )

    # ------------------------------------------------------------------------------------- printing

    def _say(self, *lines: str) -> None:
        sys.stdout.write("".join(f"{line}\n" for line in lines))

    def _wrap(self, text: str) -> None:
        self._say(*textwrap.wrap(text, WIDTH))

    def _message(self, text: str) -> None:
        sys.stdout.flush()
        with contextlib.suppress(OSError):
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()


def _deals(number: int) -> str:
    return "1 deal" if number == 1 else f"{number} deals"


def _is_terminal(stream: object) -> bool:
    try:
        return bool(stream.isatty())  # type: ignore[attr-defined]  # what is not a stream fails
    except (AttributeError, ValueError):
        return False
