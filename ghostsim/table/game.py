"""The referee of a game: deal after deal to the target, and strategies that play at its table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from ghostsim._checks import whole_number
from ghostsim.cards import Card, Suit
from ghostsim.deals import Deal, check_seed
from ghostsim.errors import GhostsimError
from ghostsim.rules import STANDARD, Bid, Rules, check_rules
from ghostsim.table.deal import (
    Action,
    DealState,
    TableError,
    check_chance,
    check_scores,
    check_seat,
)

if TYPE_CHECKING:
    from ghostsim.table.record import GameRecord
    from ghostsim.table.view import View

#: Deal d of game g of a seed is deal number ``g * DEALS_A_GAME + d`` of that seed.
DEALS_A_GAME = 1 << 32


@dataclass(frozen=True)
class GameState:
    """A game between two deals.

    Parameters
    ----------
    rules : Rules
    scores : three of int
    dealer : int
        Of the next deal.
    deals : int
        How many deals have been played, those that all passed among them.

    Examples
    --------
    >>> GameState(scores=(33, 35, 35)).winner is None  # 35 is shared: another deal
    True
    >>> GameState(scores=(33, 35, 36)).winner
    2
    """

    rules: Rules = STANDARD
    scores: tuple[int, int, int] = (0, 0, 0)
    dealer: int = 0
    deals: int = 0

    def __post_init__(self) -> None:
        check_rules(self.rules)
        deals = whole_number(self.deals, "deals")
        if deals < 0:
            raise TableError(f"deals must not be negative, not {deals}")
        object.__setattr__(self, "scores", check_scores(self.scores))
        object.__setattr__(self, "dealer", check_seat(self.dealer, "dealer"))
        object.__setattr__(self, "deals", deals)

    @property
    def leaders(self) -> tuple[int, ...]:
        """The seats with the highest score."""
        return tuple(seat for seat in range(3) if self.scores[seat] == max(self.scores))

    @property
    def is_tied(self) -> bool:
        """Whether the highest score, at the target or above, is shared: another deal decides."""
        return max(self.scores) >= self.rules.target and len(self.leaders) > 1

    @property
    def winner(self) -> int | None:
        """The seat that is alone on top with the target or more; None if the game goes on."""
        if max(self.scores) < self.rules.target or self.is_tied:
            return None
        return self.leaders[0]

    @property
    def is_over(self) -> bool:
        return self.winner is not None

    def next_deal(
        self,
        deal: Deal,
        *,
        seed: int | None = None,
        index: int | None = None,
        revoke_detection: float | None = None,
    ) -> DealState:
        """The next deal, with these cards: its dealer and scores are those of the game.

        Raises
        ------
        TableError
            If the game is over; and as for ``DealState.start``.
        """
        self._check_goes_on()
        return DealState.start(
            deal,
            self.dealer,
            self.rules,
            scores=self.scores,
            seed=seed,
            index=index,
            revoke_detection=revoke_detection,
        )

    def add(self, state: DealState) -> GameState:
        """The game after a deal: its points count, and the deal moves one seat to the left.

        Raises
        ------
        TableError
            If the game or the deal do not fit: the game is over, the deal is not, or it has
            another dealer, other scores or other rules.
        """
        self.check_fits(state)
        return replace(
            self,
            scores=state.scores_after,
            dealer=(self.dealer + 1) % 3,
            deals=self.deals + 1,
        )

    def check_fits(self, state: DealState) -> None:
        """Raise ``TableError`` unless a deal, finished or not, is one that may come next."""
        self._check_goes_on()
        if state.rules != self.rules:
            raise TableError(f"the rules of the deal, {state.rules}, are not those of the game")
        if state.dealer != self.dealer:
            raise TableError(f"the dealer is seat {self.dealer}, not seat {state.dealer}")
        if state.scores != self.scores:
            raise TableError(
                f"the scores before the deal are {_spaced(self.scores)}, "
                f"not {_spaced(state.scores)}"
            )

    def _check_goes_on(self) -> None:
        if self.winner is not None:
            raise TableError(
                f"the game is over: seat {self.winner} has won it, {_spaced(self.scores)}"
            )

    def __str__(self) -> str:
        scores = ", ".join(f"seat {seat} has {score}" for seat, score in enumerate(self.scores))
        if self.winner is not None:
            end = f"seat {self.winner} has won"
        else:
            tie = "the highest score is shared, another deal decides; " if self.is_tied else ""
            end = f"{tie}seat {self.dealer} deals next"
        return f"{self.deals} {'deal' if self.deals == 1 else 'deals'} played: {scores}; {end}"


# ------------------------------------------------------------------------------ strategies at work


class Player(Protocol):
    """What decides for a seat, as ``ghostsim.strategies.Strategy`` does.

    One with a true attribute ``sees_all_cards`` is shown an ``OpenView``.
    """

    @property
    def name(self) -> str: ...
    def swap(self, view: Any) -> bool: ...
    def bid(self, view: Any) -> Bid | None: ...
    def name_trump(self, view: Any) -> Suit: ...
    def play(self, view: Any) -> Card: ...


def next_action(state: DealState, strategy: Player) -> Action:
    """What a strategy does when it is its turn: an action that the rules allow.

    In the auction it is asked first whether it swaps, if the ghost may be had; if it does, that is
    the action, and it is asked for its bid the next time. An exception that a strategy raises
    passes through, with a note that says whose it is.

    Raises
    ------
    TableError
        If the deal is over, or the strategy answers what the rules do not allow; the message names
        the strategy, the seat, the decision and the rule.
    """
    return _step(state, strategy)[0]


def _step(state: DealState, strategy: Player) -> tuple[Action, DealState]:
    """What a strategy does, and the state after it."""
    seat = state.to_act
    if seat is None:
        raise TableError("no action is due: the deal is over")
    sees = state.open_view if getattr(strategy, "sees_all_cards", False) else state.view
    if state.phase == "auction" and state.can_swap:
        answer = _ask(strategy, "swap", sees(seat, swap=True))
        if not _is_truth(answer):
            why = f"the answer must be True or False, not {answer!r}"
            raise _wrong(strategy, seat, "swap", why)
        if answer:
            return "swap", state.swap()
    view = sees(seat)
    match state.phase:
        case "auction":
            return _checked(strategy, seat, "bid", _ask(strategy, "bid", view), state)
        case "trump":
            return _checked(strategy, seat, "name_trump", _ask(strategy, "name_trump", view), state)
        case _:
            return _checked(strategy, seat, "play", _ask(strategy, "play", view), state)


def _ask(strategy: Player, decision: str, view: View) -> Any:
    """A strategy's answer; if it raises instead, the exception says where."""
    try:
        return getattr(strategy, decision)(view)
    except SystemExit as error:
        raise _wrong(
            strategy, view.seat, decision, "a strategy must not end the program"
        ) from error
    except Exception as error:
        whose = f"raised by strategy {strategy.name}, seat {view.seat}, {decision}, of"
        error.add_note(f"{whose}\n{view}")
        raise


def _checked(
    strategy: Player, seat: int, decision: str, answer: Any, state: DealState
) -> tuple[Action, DealState]:
    """A strategy's answer as an action, and the state after it, if the rules allow it."""
    try:
        match decision:
            case "bid" if answer is None:
                return "pass", state.pass_turn()
            case "bid":
                bid = Bid.parse(answer)
                return bid, state.make_bid(bid)
            case "name_trump":
                suit = Suit.parse(answer, "trump")
                return suit, state.name_trump(suit)
            case _:
                card = Card(answer)
                return card, state.play(card)
    except (GhostsimError, TypeError) as error:
        raise _wrong(strategy, seat, decision, str(error)) from None


def _wrong(strategy: Player, seat: int, decision: str, why: str) -> TableError:
    return TableError(f"strategy {strategy.name}, seat {seat}, {decision}: {why}")


def _is_truth(answer: object) -> bool:
    """Whether an answer is True or False, also numpy's."""
    is_numpys = str(getattr(answer, "dtype", "")) == "bool" and getattr(answer, "ndim", 1) == 0
    return isinstance(answer, bool) or is_numpys


def check_table(strategies: Iterable[Player]) -> tuple[Player, Player, Player]:
    """Three strategies by seat.

    Raises
    ------
    TypeError
        If they are not three objects that decide as a strategy does. A name is not one.
    """
    if isinstance(strategies, str) or not isinstance(strategies, Iterable):
        raise TypeError(f"strategies must be three strategies by seat, not {strategies!r}")
    three = tuple(strategies)
    if len(three) != 3:
        raise TypeError(f"strategies must be three, one a seat, not {len(three)}")
    for seat, strategy in enumerate(three):
        if isinstance(strategy, str):
            raise TypeError(
                f"the strategy of seat {seat} must be an object, not the name {strategy!r}: "
                f"call ghostsim.strategies.find_strategy({strategy!r})"
            )
        if isinstance(strategy, type):
            raise TypeError(
                f"the strategy of seat {seat} is the class {strategy.__name__}: make an object of "
                f"it, like {strategy.__name__}()"
            )
        missing = [word for word in _DECISIONS if not callable(getattr(strategy, word, None))]
        if not isinstance(getattr(strategy, "name", None), str):
            missing.insert(0, "name")
        if missing:
            raise TypeError(
                f"the strategy of seat {seat}, {strategy!r}, is none: it has no "
                f"{', '.join(missing)}"
            )
    return three[0], three[1], three[2]


_DECISIONS = ("swap", "bid", "name_trump", "play")


def finish_deal(state: DealState, strategies: Iterable[Player]) -> DealState:
    """A deal from any moment to its end, played by three strategies.

    Parameters
    ----------
    state : DealState
    strategies : three of Strategy
        By seat; anything that decides as ``ghostsim.strategies.Strategy`` does.

    Raises
    ------
    TableError
        If a strategy answers what the rules do not allow.
    TypeError
        If the strategies are not three, or are names.
    """
    three = check_table(strategies)
    while (seat := state.to_act) is not None:
        _, state = _step(state, three[seat])
    return state


def play_deal(
    strategies: Iterable[Player],
    deal: Deal,
    dealer: int = 0,
    rules: Rules = STANDARD,
    *,
    scores: Iterable[int] = (0, 0, 0),
    seed: int | None = None,
    index: int | None = None,
    revoke_detection: float | None = None,
) -> DealState:
    """A deal played to its end by three strategies.

    Parameters
    ----------
    strategies : three of Strategy
        By seat.
    deal, dealer, rules, scores, seed, index, revoke_detection
        As for ``DealState.start``.

    Raises
    ------
    As ``DealState.start`` and ``finish_deal``.
    """
    three = check_table(strategies)
    start = DealState.start(
        deal,
        dealer,
        rules,
        scores=scores,
        seed=seed,
        index=index,
        revoke_detection=revoke_detection,
    )
    return finish_deal(start, three)


def deal_index(game: int, number: int) -> int:
    """Which deal of a seed deal ``number`` of game ``game`` is, both from 0 to 2**32 - 1."""
    of_game, of_deal = whole_number(game, "game"), whole_number(number, "deal")
    for name, value in (("game", of_game), ("deal", of_deal)):
        if not 0 <= value < DEALS_A_GAME:
            raise TableError(f"{name} must be from 0 to 2**32 - 1, not {value}")
    return of_game * DEALS_A_GAME + of_deal


def play_game(
    strategies: Iterable[Player],
    *,
    seed: int = 0,
    game: int = 0,
    rules: Rules = STANDARD,
    first_dealer: int = 0,
    max_deals: int = 1000,
    revoke_detection: float | None = None,
) -> GameRecord:
    """A game to the target, played by three strategies.

    Deal d is deal number ``game * 2**32 + d`` of the seed; its dealer is seat
    ``(first_dealer + d) % 3``.

    Parameters
    ----------
    strategies : three of Strategy
        By seat.
    seed, game : int
        Which game; the same on every machine.
    rules : Rules
    first_dealer : int
    max_deals : int
        After so many the game is left undecided.
    revoke_detection : float, optional
        As for ``DealState.start``.

    Returns
    -------
    GameRecord
        Its ``winner`` is None if ``max_deals`` were not enough.

    Raises
    ------
    TableError
        If an argument is out of range, or a strategy answers what the rules do not allow.
    TypeError
        If the strategies are not three, or are names.
    """
    from ghostsim.table.record import GameRecord

    three = check_table(strategies)
    check_seed(seed)
    deal_index(game, 0)
    record = GameRecord(
        rules=check_rules(rules),
        seed=seed,
        game=game,
        first_dealer=check_seat(first_dealer, "first_dealer"),
        strategies=(three[0].name, three[1].name, three[2].name),
        revoke_detection=check_chance(revoke_detection),
    )
    return resume_game(record, three, max_deals=max_deals)


def check_seed_deals(record: GameRecord) -> None:
    """Raise ``TableError`` unless a game has a seed, and its cards are those of the seed."""
    if record.seed is None or record.game is None:
        raise TableError("the game has no seed to deal from")
    for number, deal in enumerate(record.deals):
        if deal.deal != Deal.random(record.seed, deal_index(record.game, number)):
            raise TableError(f"deal {number + 1} has other cards than the seed deals")


def resume_game(
    record: GameRecord, strategies: Iterable[Player], *, max_deals: int = 1000
) -> GameRecord:
    """A game played on from where its record ends, also from the middle of a deal.

    With the strategies that played it so far, it becomes the game that it would have become.

    Parameters
    ----------
    record : GameRecord
        With a seed.
    strategies : three of Strategy
        By seat. If the record names strategies, they must be these.
    max_deals : int
        After so many, those in the record among them, the game is left undecided.

    Raises
    ------
    TableError
        If the record has no seed, its cards are not those of its seed, its strategies are others,
        or a strategy answers what the rules do not allow.
    TypeError
        If the strategies are not three, or are names.
    """
    three = check_table(strategies)
    if whole_number(max_deals, "max_deals") < 1:
        raise TableError(f"max_deals must be 1 or more, not {max_deals}")
    names = (three[0].name, three[1].name, three[2].name)
    if record.strategies not in (None, names):
        raise TableError(
            f"the record was played by {', '.join(record.strategies or ())}, not by "
            f"{', '.join(names)}: to go on with others, take the names out of the record"
        )
    check_seed_deals(record)
    assert record.seed is not None and record.game is not None
    deals, state = list(record.finished), record.state
    current = record.current
    while not state.is_over and (current is not None or state.deals < max_deals):
        if current is None:
            index = deal_index(record.game, state.deals)
            current = state.next_deal(
                Deal.random(record.seed, index),
                seed=record.seed,
                index=index,
                revoke_detection=record.revoke_detection,
            )
        deals.append(finish_deal(current, three))
        state, current = state.add(deals[-1]), None
    return replace(record, strategies=names, deals=tuple(deals))


def _spaced(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))
