"""The referee of one deal: auction, swap, trump, play and points, step by step, by any rules.

A ``DealState`` never changes. Each action returns the state after it, or raises ``TableError``
and says which rule forbids it. What a seat may know comes as a ``View``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, TypeVar

from ghostsim._checks import whole_number
from ghostsim.cards import Card, Hand, Suit, sort_cards
from ghostsim.deals import Deal, check_seed
from ghostsim.errors import GhostsimError
from ghostsim.position import Position, legal_plays, trick_winner, written
from ghostsim.rules import STANDARD, Bid, Rules, check_rules
from ghostsim.table.chance import BID, FIND, PLAY, SWAP, TRUMP, decision_word, happens
from ghostsim.table.view import Trick, Turn, View

Read = TypeVar("Read")
Phase = Literal["auction", "trump", "play", "over"]
#: What a seat may do: trade its hand, pass, bid, name trump or play a card.
Action: TypeAlias = Literal["swap", "pass"] | Bid | Suit | Card


class TableError(GhostsimError):
    """What the rules of the table do not allow, or a question that the state cannot answer."""


@dataclass(frozen=True)
class Revoke:
    """A card that broke the rule to follow suit, and stood.

    Attributes
    ----------
    seat : int
    trick : int
        1 to 6.
    card : Card
    found : bool
        Whether it was found out, and costs the penalty.
    """

    seat: int
    trick: int
    card: Card
    found: bool


@dataclass(frozen=True, repr=False)
class DealState:
    """A moment of a deal: all that has happened, all cards seen.

    ``DealState.start`` makes one. The actions ``swap``, ``make_bid``, ``pass_turn``, ``name_trump``
    and ``play`` are always those of the seat to act; each returns the next state.

    Attributes
    ----------
    rules : Rules
    deal : Deal
        The cards as dealt.
    dealer : int
    scores : tuple of int
        Of the game, by seat, before this deal.
    seed, index : int or None
        Whose random words the seats draw; None for those of seed 0, index 0.
    revoke_detection : float or None
        The chance that a revoke is found out, 0 to 1. None: the table lets no revoke stand.
    hands : tuple of tuple of Card
        The cards that each seat holds now, as a player holds them.
    turns : tuple of Turn
        The completed turns of the auction.
    has_swapped : bool
        Whether the seat to act has just traded its hand, and must now pass or bid.
    trump : Suit or None
    leader : int or None
        The seat that leads, or led, the current trick; once the deal is over, that took the last.
    trick : tuple of Card
        The cards of the current trick, in order of play.
    tricks : tuple of Trick
        The completed tricks.
    revokes : tuple of Revoke

    Examples
    --------
    >>> deal = Deal(("JS JC AS KS AH 9D", "QS TS 9S AC KC QC", "TC 9C KH QH JH TH"))
    >>> state = DealState.start(deal, dealer=2)
    >>> state = state.make_bid(3).pass_turn().pass_turn()
    >>> state.phase, state.to_act
    ('trump', 0)
    >>> state = state.name_trump("S").play("JS").play("9S").play("TC")
    >>> state.taken
    (1, 0, 0)
    >>> state.play("JC").play("AC")
    Traceback (most recent call last):
    ghostsim.table.deal.TableError: seat 1 cannot play AC: it must follow suit, spades were led
    and it holds QS TS; JC is the left bower, a spade
    """

    rules: Rules
    deal: Deal
    dealer: int
    scores: tuple[int, int, int]
    seed: int | None
    index: int | None
    revoke_detection: float | None
    hands: tuple[tuple[Card, ...], tuple[Card, ...], tuple[Card, ...]]
    turns: tuple[Turn, ...] = ()
    has_swapped: bool = False
    trump: Suit | None = None
    leader: int | None = None
    trick: tuple[Card, ...] = ()
    tricks: tuple[Trick, ...] = ()
    revokes: tuple[Revoke, ...] = ()

    @classmethod
    def start(
        cls,
        deal: Deal,
        dealer: int,
        rules: Rules = STANDARD,
        *,
        scores: Iterable[int] = (0, 0, 0),
        seed: int | None = None,
        index: int | None = None,
        revoke_detection: float | None = None,
    ) -> DealState:
        """A deal whose cards have just been dealt.

        Parameters
        ----------
        deal : Deal
        dealer : int
            Seat 0-2.
        rules : Rules
        scores : three of int
            Of the game, before this deal.
        seed, index : int, optional
            For the random words of the decisions only. ``index`` left out is 0.
        revoke_detection : float, optional
            The chance, 0 to 1, that a revoke is found out. Left out, a card that breaks the rules
            cannot be played.

        Raises
        ------
        TableError
            If the dealer is no seat, the scores are not three, an index comes without a seed, or
            the chance is not 0 to 1.
        SeedError
            If seed or index are out of range.
        TypeError
            If an argument has a wrong type.
        """
        if not isinstance(deal, Deal):
            raise TypeError(f"deal must be a Deal, not {deal!r}")
        if index is not None and seed is None:
            raise TableError(f"index {index} is a deal of a seed: give the seed too")
        if seed is not None:
            seed, index = check_seed(seed), check_seed(0 if index is None else index, "index")
        first, second, third = (tuple(hand) for hand in deal.hands)
        return cls(
            rules=check_rules(rules),
            deal=deal,
            dealer=check_seat(dealer, "dealer"),
            scores=check_scores(scores),
            seed=seed,
            index=index,
            revoke_detection=check_chance(revoke_detection),
            hands=(first, second, third),
        )

    @classmethod
    def replay(
        cls,
        deal: Deal,
        dealer: int,
        actions: str | Iterable[Action | str],
        rules: Rules = STANDARD,
        *,
        scores: Iterable[int] = (0, 0, 0),
        seed: int | None = None,
        index: int | None = None,
        revoke_detection: float | None = None,
    ) -> DealState:
        """The state that actions lead to: ``start`` and ``act_all`` in one.

        >>> deal = Deal(("JS JC AS KS AH 9D", "QS TS 9S AC KC QC", "TC 9C KH QH JH TH"))
        >>> DealState.replay(deal, 2, "3 swap pass pass S JS").trick
        (Card('JS'),)
        """
        start = cls.start(
            deal,
            dealer,
            rules,
            scores=scores,
            seed=seed,
            index=index,
            revoke_detection=revoke_detection,
        )
        return start.act_all(actions)

    # ------------------------------------------------------------------------------ what is known

    @property
    def first_bidder(self) -> int:
        """The seat with the first turn of the auction."""
        return (self.dealer + (self.rules.first_bidder == "left_of_dealer")) % 3

    @property
    def bid(self) -> Bid | None:
        """The standing bid; None if there is none."""
        made = [turn.bid for turn in self.turns if turn.bid is not None]
        if made:
            return made[-1]
        return Bid(self.rules.min_bid) if self._dealer_is_stuck else None

    @property
    def declarer(self) -> int | None:
        """The declarer; None before the auction is over, or if all passed."""
        if len(self.turns) < 3:
            return None
        bidders = [turn.seat for turn in self.turns if turn.bid is not None]
        if bidders:
            return bidders[-1]
        return self.dealer if self._dealer_is_stuck else None

    @property
    def _nobody_bid(self) -> bool:
        return len(self.turns) == 3 and all(turn.bid is None for turn in self.turns)

    @property
    def _dealer_is_stuck(self) -> bool:
        return self._nobody_bid and self.rules.all_pass == "dealer_bids"

    @property
    def all_passed(self) -> bool:
        """Whether the deal is over because nobody bid."""
        return self._nobody_bid and self.rules.all_pass == "redeal"

    @property
    def phase(self) -> Phase:
        """What the next action is of, or ``"over"``."""
        if len(self.turns) < 3:
            return "auction"
        if self.all_passed or len(self.tricks) == 6:
            return "over"
        return "trump" if self.trump is None else "play"

    @property
    def is_over(self) -> bool:
        return self.phase == "over"

    @property
    def to_act(self) -> int | None:
        """The seat that acts next; None when the deal is over."""
        match self.phase:
            case "auction":
                return (self.first_bidder + len(self.turns)) % 3
            case "trump":
                return self.declarer
            case "play":
                assert self.leader is not None  # named with trump
                return (self.leader + len(self.trick)) % 3
            case _:
                return None

    @property
    def swapper(self) -> int | None:
        """The seat that has traded its hand for the ghost; None if none has."""
        if self.has_swapped:
            return self.to_act
        return next((turn.seat for turn in self.turns if turn.swapped), None)

    @property
    def ghost(self) -> Hand | None:
        """The ghost, as long as it may be had or nobody wanted it; None after a swap."""
        return self.deal.ghost if self.swapper is None else None

    @property
    def dead(self) -> Hand | None:
        """The hand that the swapper traded away; None if nobody has swapped."""
        return None if self.swapper is None else self.deal.hands[self.swapper]

    @property
    def plays(self) -> tuple[Card, ...]:
        """All cards played so far, in order."""
        return (*(card for trick in self.tricks for card in trick.cards), *self.trick)

    @property
    def actions(self) -> tuple[Action, ...]:
        """All that has been done so far, in order: what ``act_all`` takes."""
        done: list[Action] = []
        for turn in self.turns:
            done += ["swap"] if turn.swapped else []
            done.append("pass" if turn.bid is None else turn.bid)
        done += ["swap"] if self.has_swapped else []
        done += [] if self.trump is None else [self.trump]
        return (*done, *self.plays)

    @property
    def led(self) -> Suit | None:
        """The suit led to the current trick, trump if by the left bower; None before the lead."""
        if not self.trick or self.trump is None:
            return None
        return self.trick[0].suit_under(self.trump)

    @property
    def legal(self) -> tuple[Card, ...]:
        """The cards that the seat to act may play by the rules; none outside the play."""
        if self.phase != "play" or self.trump is None or self.to_act is None:
            return ()
        return legal_plays(self.hands[self.to_act], self.led, self.trump)

    @property
    def bids(self) -> tuple[Bid, ...]:
        """The bids that the seat to act may make; none outside the auction."""
        if self.phase != "auction":
            return ()
        least = self.rules.min_bid if self.bid is None else self.bid + 1
        return tuple(bid for bid in self.rules.bids if bid >= least)

    @property
    def can_swap(self) -> bool:
        """Whether the seat to act may trade its hand for the ghost."""
        return self.phase == "auction" and self._why_no_swap() is None

    @property
    def legal_actions(self) -> tuple[Action, ...]:
        """All that the seat to act may do by the rules, none when the deal is over.

        >>> deal = Deal(("JS JC AS KS AH 9D", "QS TS 9S AC KC QC", "TC 9C KH QH JH TH"))
        >>> DealState.start(deal, dealer=2).make_bid(4).legal_actions
        ('swap', 'pass', <Bid.FIVE: 5>, <Bid.MOON: 6>)
        """
        match self.phase:
            case "auction":
                return (*(("swap",) if self.can_swap else ()), "pass", *self.bids)
            case "trump":
                return tuple(Suit)
            case _:
                return self.legal

    @property
    def taken(self) -> tuple[int, int, int]:
        """Tricks taken so far, by seat."""
        winners = [trick.winner for trick in self.tricks]
        return winners.count(0), winners.count(1), winners.count(2)

    @property
    def is_made(self) -> bool | None:
        """Whether the declarer took what he bid; None before the end, or if all passed."""
        if not self.is_over or self.declarer is None or self.bid is None:
            return None
        return self.taken[self.declarer] >= self.bid

    @property
    def points(self) -> tuple[int, int, int]:
        """The points of the deal by seat, once it is over, penalties for revokes taken off.

        Raises
        ------
        TableError
            If the deal is not over.
        """
        if not self.is_over:
            raise TableError(f"points are counted when the deal is over: {self.what_is_next}")
        if self.declarer is None or self.bid is None:
            return 0, 0, 0
        counted = self.rules.deal_points(self.declarer, self.bid, self.taken)
        first, second, third = (
            points - lost for points, lost in zip(counted, self.penalties, strict=True)
        )
        return first, second, third

    @property
    def penalties(self) -> tuple[int, int, int]:
        """What each seat loses for revokes that have been found out."""
        found = [revoke.seat for revoke in self.revokes if revoke.found]
        first, second, third = (self.rules.revoke_penalty * found.count(seat) for seat in range(3))
        return first, second, third

    @property
    def scores_after(self) -> tuple[int, int, int]:
        """The scores of the game after this deal, once it is over.

        Raises
        ------
        TableError
            If the deal is not over.
        """
        first, second, third = map(sum, zip(self.scores, self.points, strict=True))
        return first, second, third

    @property
    def position(self) -> Position:
        """The present moment of the play, for the solver.

        Raises
        ------
        TableError
            If trump is not named yet, or a revoke lies in the trick: until the trick is complete,
            there is no position with it.
        """
        if self.trump is None or self.declarer is None:
            raise TableError(f"there is no position, no card has been led: {self.what_is_next}")
        for revoke in self.revokes:
            if revoke.card in self.trick:
                raise TableError(
                    f"seat {revoke.seat} has revoked in this trick, with {revoke.card}: "
                    "there is a position again when the trick is complete"
                )
        return Position(
            self.hands, self.trump, self.declarer, self.leader, self.trick, self.taken, self.bid
        )

    @property
    def opening(self) -> Position:
        """The position at the first lead, after any swap, with the bid: what ``plays`` began from.

        So ``review(state.opening, state.plays)`` reviews the hand, if nobody has revoked.

        Raises
        ------
        TableError
            If trump is not named yet.
        """
        if self.trump is None or self.declarer is None:
            raise TableError(f"there is no position, no card has been led: {self.what_is_next}")
        hands = list(self.deal.hands)
        if self.swapper is not None:
            hands[self.swapper] = self.deal.ghost
        return Position(hands, self.trump, self.declarer, bid=self.bid)

    # ---------------------------------------------------------------------------- what a seat sees

    def view(self, seat: int, *, swap: bool = False) -> View:
        """What a seat knows now.

        Parameters
        ----------
        seat : int
        swap : bool
            Whether it is asked, in the auction, if it swaps; else it is asked what it bids. The
            two decisions draw different random words.

        Raises
        ------
        TableError
            If there is no such seat.
        """
        return View(**self._seen_by(seat, swap))

    def open_view(self, seat: int, *, swap: bool = False) -> OpenView:
        """What a seat knows that sees all cards; otherwise as ``view``."""
        return OpenView(**self._seen_by(seat, swap), state=self)

    def _seen_by(self, seat: int, swap: bool) -> dict[str, Any]:
        seat = check_seat(seat)
        return {
            "rules": self.rules,
            "seat": seat,
            "dealer": self.dealer,
            "scores": self.scores,
            "hand": self.hands[seat],
            "dead": self.dead if seat == self.swapper else None,
            "turns": self.turns,
            "declarer": self.declarer,
            "bid": self.bid,
            "trump": self.trump,
            "leader": self.leader,
            "trick": self.trick,
            "tricks": self.tricks,
            "revokes_allowed": self.revoke_detection is not None,
            # A lot is its own seat's affair.
            "word": self._word(self._decision(swap)) if seat == self.to_act else 0,
        }

    def _decision(self, swap: bool) -> int:
        """The number of the decision that comes next."""
        if self.phase == "auction":
            return (SWAP if swap else BID) + 2 * len(self.turns)
        return TRUMP if self.phase == "trump" else PLAY + len(self.plays)

    def _word(self, number: int) -> int:
        return decision_word(self.seed or 0, self.index or 0, number)

    # --------------------------------------------------------------------------------- the actions

    def swap(self, *, seat: int | None = None) -> DealState:
        """The seat to act trades its six cards for the ghost.

        Parameters
        ----------
        seat : int, optional
            Who does it, to be checked: it must be the seat to act. So for all actions.

        Raises
        ------
        TableError
            If it is not a time to swap, the seat or another has swapped, or the rules allow none.
        """
        actor = self._turn_of(seat, "auction", "swap")
        why = self._why_no_swap()
        if why is not None:
            raise TableError(why)
        first, second, third = (
            tuple(self.deal.ghost) if other == actor else hand
            for other, hand in enumerate(self.hands)
        )
        return replace(self, hands=(first, second, third), has_swapped=True)

    def _why_no_swap(self) -> str | None:
        """Why the seat to act cannot swap; None if it can."""
        if self.has_swapped:
            return f"seat {self.to_act} has swapped and must now pass or bid"
        why = f"seat {self.to_act} cannot swap"
        if self.rules.swaps_per_deal == 0:
            return f"{why}: the rules allow no swap (swaps_per_deal=0)"
        if self.swapper is not None:
            return f"{why}: seat {self.swapper} has swapped, and there is one swap a deal"
        return None

    def make_bid(self, bid: Bid | str | int, *, seat: int | None = None) -> DealState:
        """The seat to act bids.

        Raises
        ------
        TableError
            If it is not a time to bid, the bid does not exceed the standing one, or the rules do
            not have it.
        """
        actor = self._turn_of(seat, "auction", "bid")
        named = _read(Bid.parse, bid)
        if self.bid is not None and named <= self.bid:
            raise TableError(
                f"seat {actor} cannot bid {named}: a bid must exceed the standing one, {self.bid}"
            )
        if named < self.rules.min_bid:
            raise TableError(
                f"seat {actor} cannot bid {named}: the lowest bid is {Bid(self.rules.min_bid)}"
            )
        return self._turned(Turn(actor, self.has_swapped, named))

    def pass_turn(self, *, seat: int | None = None) -> DealState:
        """The seat to act passes.

        Raises
        ------
        TableError
            If it is not a time to pass.
        """
        actor = self._turn_of(seat, "auction", "pass")
        return self._turned(Turn(actor, self.has_swapped, None))

    def _turned(self, turn: Turn) -> DealState:
        return replace(self, turns=(*self.turns, turn), has_swapped=False)

    def name_trump(self, suit: Suit | str | int, *, seat: int | None = None) -> DealState:
        """The declarer names trump; he leads to the first trick.

        Raises
        ------
        TableError
            If it is not a time to name trump, or there is no such suit.
        """
        actor = self._turn_of(seat, "trump", "name trump")
        trump = _read(Suit.parse, suit, "trump")
        first, second, third = (tuple(sort_cards(hand, trump)) for hand in self.hands)
        return replace(self, trump=trump, leader=actor, hands=(first, second, third))

    def play(
        self, card: Card | str, *, seat: int | None = None, found: bool | None = None
    ) -> DealState:
        """The seat to act plays a card.

        Parameters
        ----------
        card : Card or str
        seat : int, optional
            Who does it, to be checked.
        found : bool, optional
            Whether this revoke is found out, for a deal without a seed, as one played with cards.
            Left out, it is by lot.

        Raises
        ------
        TableError
            If it is not a time to play, the seat does not hold the card, or it must follow suit
            and the table lets no revoke stand.
        """
        actor = self._turn_of(seat, "play", "play a card")
        chosen = _read(Card, card)
        held = self.hands[actor]
        if chosen not in held:
            raise TableError(self._why_not_held(actor, chosen))
        revokes = self.revokes
        if chosen not in self.legal:
            if self.revoke_detection is None:
                raise TableError(f"seat {actor} cannot play {chosen}: {self._why_follow(chosen)}")
            is_found = self._is_found(found)
            revokes = (*revokes, Revoke(actor, len(self.tricks) + 1, chosen, is_found))
        elif found is not None:
            raise TableError(f"{chosen} of seat {actor} is no revoke: nothing can be found out")
        first, second, third = (
            tuple(other for other in hand if other != chosen) if at == actor else hand
            for at, hand in enumerate(self.hands)
        )
        hands, trick = (first, second, third), (*self.trick, chosen)
        if len(trick) < 3:
            return replace(self, hands=hands, trick=trick, revokes=revokes)
        assert self.leader is not None and self.trump is not None  # in play
        winner = trick_winner(trick, self.leader, self.trump)
        done = Trick(self.leader, (trick[0], trick[1], trick[2]), winner)
        return replace(
            self,
            hands=hands,
            leader=winner,
            trick=(),
            tricks=(*self.tricks, done),
            revokes=revokes,
        )

    def _is_found(self, told: bool | None) -> bool:
        """Whether the revoke that comes now is found out."""
        chance = self.revoke_detection
        assert chance is not None  # else no revoke stands
        by_lot = happens(self._word(FIND + len(self.plays)), chance)
        if told is None or told == by_lot:
            return by_lot
        words = "is found out" if by_lot else "is not found out"
        if self.seed is not None:
            raise TableError(
                f"by the lots of seed {self.seed}, deal {self.index}, this revoke {words}"
            )
        if chance in (0, 1):
            raise TableError(f"with revoke_detection={chance:g} a revoke {words}")
        return told

    def _why_not_held(self, seat: int, card: Card) -> str:
        if card in self.plays:
            return f"{card} has been played already"
        return f"seat {seat} does not hold {card}; it holds {written(self.hands[seat])}"

    def _why_follow(self, card: Card) -> str:
        """Why a card breaks the rule to follow suit; a left bower among the reasons is named."""
        assert self.led is not None and self.trump is not None  # else any card is legal
        why = (
            f"it must follow suit, {self.led.name.lower()} were led "
            f"and it holds {written(self.legal)}"
        )
        for other in (card, self.trick[0], *self.legal):
            if other.suit_under(self.trump) != other.suit:
                why += f"; {other} is the left bower, a {self.trump.name.lower()[:-1]}"
        return why

    def act(self, action: Action | str) -> DealState:
        """The state after an action of ``legal_actions``, or one in writing.

        Parameters
        ----------
        action : Action or str
            ``"swap"``, ``"pass"``, a bid like ``"3"`` or ``"moon"``, a suit, or a card, whichever
            is due.

        Raises
        ------
        TableError
            If the action is not one, or not allowed now.
        """
        if isinstance(action, Card):
            return self.play(action)
        if isinstance(action, Suit):
            return self.name_trump(action)
        if isinstance(action, Bid):
            return self.make_bid(action)
        if not isinstance(action, str):
            raise TypeError(
                f"an action must be 'swap', 'pass', a Bid, a Suit, a Card or a text, not {action!r}"
            )
        word = action.strip().lower()
        if word == "swap":
            return self.swap()
        if word == "pass":
            return self.pass_turn()
        match self.phase:
            case "auction":
                return self.make_bid(action)
            case "trump":
                return self.name_trump(action)
            case _:
                return self.play(action)

    def act_all(self, actions: str | Iterable[Action | str]) -> DealState:
        """The state after several actions, like ``"3 pass swap pass S JS 9S TC"``.

        Raises
        ------
        TableError
            As ``act``; the message tells which action it was.
        """
        if isinstance(actions, str):
            actions = [word for word in re.split(r"[\s,]+", actions) if word]
        state = self
        for number, action in enumerate(actions, start=1):
            try:
                state = state.act(action)
            except TableError as error:
                raise TableError(f"action {number}, {action}: {error}") from None
        return state

    def _turn_of(self, seat: int | None, phase: Phase, what: str) -> int:
        """The seat to act, if it is time to do this, and this seat's turn."""
        actor = self.to_act
        if seat is not None:
            check_seat(seat)
        if actor is None or self.phase != phase:
            raise TableError(f"it is no time to {what}: {self.what_is_next}")
        if seat is not None and seat != actor:
            raise TableError(f"seat {seat} cannot {what}: {self.what_is_next}")
        return actor

    @property
    def what_is_next(self) -> str:
        """Who has to do what, in words."""
        match self.phase:
            case "auction" if self.has_swapped:
                return f"seat {self.to_act} has swapped and must now pass or bid"
            case "auction":
                return f"it is seat {self.to_act}'s turn to pass or bid"
            case "trump":
                return f"seat {self.to_act} has to name trump"
            case "play":
                return f"it is seat {self.to_act}'s turn to play"
            case _:
                return "the deal is over"

    # ------------------------------------------------------------------------------------ in words

    def table(self, symbols: bool | None = None) -> str:
        """The whole table in writing, in suit symbols if told so or if they can be printed."""
        from ghostsim.table.display import state_text

        return state_text(self, symbols)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        words = [
            action.letter if isinstance(action, Suit) else str(action) for action in self.actions
        ]
        options = "" if self.rules == STANDARD else f", {self.rules!r}"
        if self.scores != (0, 0, 0):
            options += f", scores={self.scores}"
        for name in ("seed", "index", "revoke_detection"):
            if getattr(self, name) is not None:
                options += f", {name}={getattr(self, name)!r}"
        return f"DealState.replay({self.deal!r}, {self.dealer}, {' '.join(words)!r}{options})"


@dataclass(frozen=True)
class OpenView(View):
    """The view of a seat that sees all cards, for strategies with ``sees_all_cards``.

    Attributes
    ----------
    state : DealState
        The whole table.
    """

    state: DealState = field(kw_only=True, repr=False)

    def table(self, symbols: bool | None = None) -> str:
        """The whole table, in writing."""
        return self.state.table(symbols)


# ------------------------------------------------------------------------------------- the checks


def _read(read: Callable[..., Read], *args: object) -> Read:
    """What reading gives; what cannot be read is no action of the table."""
    try:
        return read(*args)
    except TableError:
        raise
    except GhostsimError as error:
        raise TableError(str(error)) from None


def check_seat(value: object, name: str = "seat") -> int:
    """A seat as an int 0-2."""
    seat = whole_number(value, name, "a seat 0, 1 or 2")
    if seat not in (0, 1, 2):
        raise TableError(f"{name} must be a seat 0, 1 or 2, not {seat}")
    return seat


def check_scores(values: Iterable[int]) -> tuple[int, int, int]:
    """Three scores by seat as ints; they may be negative."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"scores must be three whole numbers, by seat, not {values!r}")
    scores = tuple(whole_number(score, "scores", "three whole numbers") for score in values)
    if len(scores) != 3:
        raise TableError(f"scores must be three whole numbers, by seat, not {len(scores)}")
    return scores[0], scores[1], scores[2]


def check_chance(value: object, name: str = "revoke_detection") -> float | None:
    """A chance from 0 to 1 as a float, or None."""
    if value is None:
        return None
    if isinstance(value, bool | str) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} must be a number from 0 to 1, or None, not {value!r}")
    if not 0 <= value <= 1:  # type: ignore[operator]  # it can be made a float
        raise TableError(f"{name} must be from 0 to 1, or None, not {value!r}")
    return float(value) + 0.0  # -0.0 is 0.0
