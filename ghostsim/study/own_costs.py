"""What the decisions of one seat cost it in a deal: swap, bid and trump by odds, cards in sight.

Two measures, never added up. Swaps, bids and trumps are held against the exact odds of the hand,
which the player could have known. Cards are held against best play with all cards seen, which he
could not.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from ghostsim.cards import Card, Suit
from ghostsim.hints import bid_hint, swap_hint, trump_hint
from ghostsim.replay import Review, ReviewedPlay, review
from ghostsim.rules import Bid
from ghostsim.study.table_words import WIDTH
from ghostsim.table.deal import Action, DealState

#: Costs that a review names of each measure.
MOST_COSTS = 4

ShowCard = Callable[[Card], str]


@dataclass(frozen=True)
class Cost:
    """One decision that cost its seat something.

    Attributes
    ----------
    deal : int
        The number of the deal in the game, from 1.
    kind : {"swap", "bid", "trump", "card"}
    points : float
        What was missed: mean points by exact odds, or for a card the points of this deal.
    tricks : int
        Tricks that a card cost; else 0.
    words : str
        What was done, and what was better.
    """

    deal: int
    kind: Literal["swap", "bid", "trump", "card"]
    points: float
    tricks: int
    words: str


def moments(state: DealState) -> Iterator[tuple[DealState, Action]]:
    """Every moment of a deal as it was played, and the action that followed."""
    now = DealState.start(
        state.deal,
        state.dealer,
        state.rules,
        scores=state.scores,
        seed=state.seed,
        index=state.index,
        revoke_detection=state.revoke_detection,
    )
    for action in _actions(state):
        yield now, action
        now = now.act(action)


def _actions(state: DealState) -> Iterator[Action]:
    for turn in state.turns:
        if turn.swapped:
            yield "swap"
        yield "pass" if turn.bid is None else turn.bid
    if state.trump is not None:
        yield state.trump
    yield from state.plays


def auction_costs(state: DealState, seat: int, number: int) -> list[Cost]:
    """What the swap, the bid and the trump of a seat missed, by the exact odds of its hand."""
    found = []
    for now, action in moments(state):
        if now.to_act != seat or now.phase == "play":
            continue
        if now.phase == "trump" and isinstance(action, Suit) and now.bid is not None:
            hint = trump_hint(now.view(seat))
            _, best = hint.best
            assert best is not None  # trump must be named
            words = f"named {_name(action)} for {_bid(now.bid)}; {_name(best)} was better"
            found.append(Cost(number, "trump", hint.missed(now.bid, action), 0, words))
        elif now.phase == "auction" and now.bids:
            if now.can_swap:
                swap = swap_hint(now.view(seat, swap=True))
                words = "kept the hand; a swap was better"
                if action == "swap":
                    words = f"swapped; to keep the hand and {swap.keep.best_text()} was better"
                found.append(Cost(number, "swap", swap.missed(action == "swap"), 0, words))
            if action != "swap":
                bid = action if isinstance(action, Bid) else None
                odds = bid_hint(now.view(seat))
                done = "passed" if bid is None else f"bid {bid}"
                words = f"{done}; {odds.best_text()} was better"
                found.append(Cost(number, "bid", odds.missed(bid), 0, words))
    return [cost for cost in found if cost.points > 0]


def reviewed(state: DealState) -> list[Review]:
    """The play of a deal against best play, all cards seen; nothing if there was no play.

    A revoke cannot be reviewed, nor the rest of its trick. So there is one review for the play up
    to the first revoke, and one from each trick after a revoke.
    """
    revokes = {revoke.trick: revoke.card for revoke in state.revokes[::-1]}  # the first of a trick
    if not revokes and state.plays:
        return [review(state.opening, state.plays, rules=state.rules)]
    pieces: list[tuple[DealState, list[Card]]] = []
    skips = False
    for now, action in moments(state):
        if not isinstance(action, Card):
            continue
        trick = len(now.tricks) + 1
        if not now.trick:
            if skips or not pieces:
                pieces.append((now, []))
            skips = False
        skips = skips or revokes.get(trick) == action
        if not skips:
            pieces[-1][1].append(action)
    return [review(at.position, plays, rules=state.rules) for at, plays in pieces if plays]


def card_costs(reviews: Iterable[Review], seat: int, number: int, show: ShowCard) -> list[Cost]:
    """What the cards of a seat cost it, all cards seen."""
    return [
        _card_cost(play, number, show)
        for part in reviews
        for play in part.mistakes
        if play.seat == seat
    ]


def _card_cost(play: ReviewedPlay, number: int, show: ShowCard) -> Cost:
    points = play.cost_in_points or 0
    best = " or ".join(map(show, play.values.best[:3]))
    more = " or others" if len(play.values.best) > 3 else ""
    declares = play.seat == play.values.position.declarer
    what = "cost" if declares else "gave the declarer"
    tricks = f"{play.cost} trick" + "s" * (play.cost != 1)
    words = f"trick {play.trick}: {show(play.card)} {what} {tricks}; {best}{more} was best"
    return Cost(number, "card", points, play.cost, words)


def review_lines(
    deals: Mapping[int, DealState],
    seat: int,
    show: ShowCard = str,
    named: Callable[[int], str] = "seat {}".format,
) -> list[str]:
    """What cost a seat most in some deals, by number, in lines of at most 78 columns.

    ``show`` writes a card, ``named`` another seat.
    """
    by_odds: list[Cost] = []
    in_sight: list[Cost] = []
    lines = []
    for number, state in deals.items():
        reviews = reviewed(state)
        by_odds += auction_costs(state, seat, number)
        in_sight += card_costs(reviews, seat, number, show)
        if len(deals) == 1:
            lines += textwrap.wrap(_whole_deal(state, reviews, number, seat, named), WIDTH)
        elif state.revokes:
            lines.append(f"deal {number}: tricks in which a seat revoked are not reviewed")
    title = "what cost you most" + (f", {len(deals)} deals" if len(deals) > 1 else "")
    return [
        *lines,
        title,
        "  auction, in mean points by the exact odds of your hand (nobody else bids):",
        *_listed(by_odds, 2),
        "  cards, in points of the deal, had all seen all cards and played their best;",
        "  that says how the hands could have gone, not what you could know:",
        *_listed(in_sight, 0),
    ]


def _whole_deal(
    state: DealState, reviews: list[Review], number: int, seat: int, named: Callable[[int], str]
) -> str:
    """What the declarer could have taken, and what he took."""
    if state.revokes:
        return f"deal {number}: tricks in which a seat revoked are not reviewed"
    if not reviews or state.declarer is None:
        return f"deal {number}: all passed"
    takes = "you take" if state.declarer == seat else f"{named(state.declarer)} takes"
    return (
        f"deal {number}: by best play, all cards seen, {takes} {reviews[0].worth}; "
        f"it came to {state.taken[state.declarer]}"
    )


def _listed(costs: list[Cost], digits: int) -> list[str]:
    """The highest costs, by points and then by tricks; of equals the earlier."""
    worst = sorted(costs, key=lambda cost: (-cost.points, -cost.tricks, cost.deal))[:MOST_COSTS]
    lines = [] if worst else ["    nothing"]
    for cost in worst:
        text = f"    {cost.points:>5.{digits}f}  deal {cost.deal}, {cost.words}"
        lines += textwrap.wrap(text, WIDTH, subsequent_indent=" " * 11)
    if len(costs) > len(worst):
        total = sum(cost.points for cost in costs)
        lines.append(f"    {total:>5.{digits}f}  in all {len(costs)} such decisions")
    return lines


def _name(suit: Suit) -> str:
    return suit.name.lower()


def _bid(bid: Bid) -> str:
    return "the moon" if bid is Bid.MOON else f"a bid of {bid}"
