"""A hand that was played, against best play: which cards cost something, whose, and how much.

In the endings written out here spades are trump and seat 0 is the declarer.
"""

import copy
import functools
import itertools
import pickle
from collections.abc import Iterator
from typing import Any, get_args

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from ghostsim.batches import Defence
from ghostsim.cards import Card
from ghostsim.deals import Deal
from ghostsim.position import PlayError, Position
from ghostsim.preferences import PreferenceError
from ghostsim.replay import Review, ReviewedPlay, review
from ghostsim.rules import HALF_MOON, SILENT_DEFENDERS, Bid, Rules, RulesError
from ghostsim.solver import best_line, card_values, solve
from strategies import bids, deals, lines_of_play, positions, seats, trumps

#: JS draws the trumps, AD is safe then: two tricks. On AD at once left ruffs with AS.
DRAW_TRUMPS = Position(("JS TH AD", "AS KH 9H", "9S AH 9D"), "S", leader=0, tricks=(2, 1, 0), bid=4)
#: The declarer plays the ace before he has drawn trumps, left does not ruff it, and all is well.
BOTH_ERR = "AD 9H 9D  JS AS 9S  TH KH AH"
OVER = DRAW_TRUMPS.play_all(BOTH_ERR)
NO_BID = Position(DRAW_TRUMPS.hands, "S", leader=0, tricks=(2, 1, 0))
#: Declarer led TH, left played KH. Right takes it with AH, but then has to lead 9H to declarer's
#: QH. If he throws 9H, left's KH wins and left's 9C too: declarer gets nothing, but neither does
#: right.
OWN_TRICK = Position(("QH", "9C", "AH 9H"), "S", leader=0, trick="TH KH", tricks=(3, 1, 0), bid=4)
#: Right has one trick in any case: now, and left's KH takes the other; or later, and declarer's QH
#: takes this one.
EITHER_WAY = Position(("JH", "KH", "AH 9H"), "S", leader=0, trick="QH TH", tricks=(2, 1, 1))
#: The declarer must lose KD to AD. Led at once, left is in with a heart for the declarer's trumps;
#: in the end, left has it anyway: only the order differs.
Options = dict[str, Any]
COALITION: Options = {"defence": "coalition"}
FOR_TRICKS: Options = {"defence": "selfish"}
FOR_POINTS: Options = {"defence": "selfish", "objective": "points"}
WAYS = [COALITION, FOR_TRICKS, FOR_POINTS]
every_way = pytest.mark.parametrize("how", WAYS, ids=["coalition", "for tricks", "for points"])


def with_bid(position: Position, bid: Bid) -> Position:
    return Position.from_dict(position.to_dict() | {"bid": bid})


positions_with_bid = st.builds(with_bid, positions(), bids)


def cards(text: str) -> list[Card]:
    return [Card(word) for word in text.split()]


def some_play(position: Position, line: list[int]) -> list[Card]:
    """Legal plays by the choices of ``line``, as far as it goes or until the deal is over."""
    plays: list[Card] = []
    for choice in line:
        if position.is_over:
            break
        plays.append(position.legal[choice % len(position.legal)])
        position = position.play(plays[-1])
    return plays


# --------------------------------------------------------------------- hands that can be followed


@pytest.mark.jit_off
def test_a_review_a_card_player_can_check() -> None:
    # The declarer plays the ace of diamonds before he has drawn trumps: left could ruff it. Left
    # does not, throws a heart instead, and the contract is made after all.
    played = review(DRAW_TRUMPS, BOTH_ERR)
    assert str(played) == (
        "spades are trump, seat 0 declares, bid 4: worth 4 tricks, he took 4\n"
        "9 cards played, 2 mistakes: seat 0 lost 1 trick, 8 points; seat 1 lost 1 trick, 8 points "
        "(exact)\n"
        "trick 4, seat 0: AD cost 1 trick, 8 points; JS was best\n"
        "trick 4, seat 1: 9H cost 1 trick, 8 points; AS was best"
    )
    first, second = played.mistakes
    assert (first.number, first.trick, first.seat, first.card) == (1, 4, 0, Card("AD"))
    assert (first.cost, first.cost_in_points) == (1, 8)
    assert (second.number, second.trick, second.seat, second.card) == (2, 4, 1, Card("9H"))
    assert (second.cost, second.cost_in_points) == (1, 8)
    assert second.values == card_values(DRAW_TRUMPS.play("AD"))
    assert [play.is_mistake for play in played.plays] == [True, True] + [False] * 7
    assert [play.number for play in played.plays] == list(range(1, 10))
    assert [play.trick for play in played.plays] == [4, 4, 4, 5, 5, 5, 6, 6, 6]
    assert [play.seat for play in played.plays] == [0, 1, 2] * 3
    assert played.end == OVER
    assert (played.worth, played.lost) == (4, (1, 1, 0))
    assert str(played.plays[3]) == "trick 5, seat 0: JS"
    # Played with care, by all.
    clean = review(DRAW_TRUMPS, "JS AS 9S")
    assert str(clean) == (
        "spades are trump, seat 0 declares, bid 4: worth 4 tricks, he has taken 3\n"
        "3 cards played, no mistake (exact)"
    )
    assert clean.mistakes == ()


@pytest.mark.jit_off
def test_a_review_of_the_selfish() -> None:
    # Right throws his ace away, and with it his only trick; to the coalition that is right.
    played = review(OWN_TRICK, "9H 9C", **FOR_TRICKS)
    assert str(played) == (
        "spades are trump, seat 0 declares, bid 4: worth 4 tricks, he has taken 3\n"
        "2 cards played, 1 mistake: seat 2 lost 1 trick, 1 point (exact)\n"
        "trick 5, seat 2: 9H cost 1 trick, 1 point; AH was best"
    )
    assert review(OWN_TRICK, "9H 9C").mistakes == ()
    assert (played.worth, review(OWN_TRICK, "9H 9C").worth) == (4, 3)
    # The other way round, it gives the coalition's trick, and the contract, away.
    assert [str(play) for play in review(OWN_TRICK, "AH 9H").mistakes] == [
        "trick 5, seat 2: AH cost 1 trick, 8 points; 9H was best"
    ]
    # An indifferent seat that plays against the tie rule has made no mistake: right has one trick
    # in any case, and lets the declarer have his.
    assert card_values(EITHER_WAY, "selfish").best == (Card("AH"),)
    assert review(EITHER_WAY, "9H", defence="selfish").mistakes == ()
    assert len(review(EITHER_WAY, "9H").mistakes) == 1
    assert str(review(EITHER_WAY, "9H", defence="selfish")).splitlines()[1:] == [
        "1 card played, no mistake (exact)"
    ]


@pytest.mark.jit_off
def test_what_selfish_seats_play_for_makes_the_mistake() -> None:
    # Where defenders score nothing, right minds no trick, but that the declarer is set: then each
    # card is as good for him, and only the tie rule prefers one.
    silent: Options = {**FOR_POINTS, "rules": SILENT_DEFENDERS}
    assert card_values(OWN_TRICK, **silent).best == (Card("9H"),)
    assert review(OWN_TRICK, "AH", **silent).mistakes == ()
    assert review(OWN_TRICK, "9H", **silent).mistakes == ()
    # For tricks, by the same rules, his trick is what he minds; in points it costs nothing.
    (mistake,) = review(OWN_TRICK, "9H", **FOR_TRICKS, rules=SILENT_DEFENDERS).mistakes
    assert (mistake.cost, mistake.cost_in_points) == (1, 0)


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("position", "play", "told"),
    [
        # One best card.
        (NO_BID, "AD", "AD cost 1 trick; JS was best"),
        # Two of three: the left bower, lost to the right one, costs left his trick.
        (
            Position(("JS", "JC 9S TS", "AD KD QD"), "S", leader=0, trick="", tricks=(3, 0, 0)),
            None,
            "",
        ),
        # On the right bower left can throw either small trump and keep the left one.
        (
            Position(("KH AD", "JC 9S TH", "9H AC KD"), "S", leader=0, trick="JS", tricks=(3, 0, 0)),
            "JC",
            "JC cost 1 trick; 9S was best",
        ),
        (
            Position(
                ("KH AD 9D", "JC TS 9S QC", "9H AC KD TC"), "S", leader=0, trick="JS",
                tricks=(2, 0, 0),
            ),
            "JC",
            "JC cost 1 trick; TS or 9S was best",
        ),
        # Of three, all but the one played.
        (
            Position(
                ("KH AD 9D", "JC QS TS 9S", "9H AC KD TC"), "S", leader=0, trick="JS",
                tricks=(2, 0, 0),
            ),
            "JC",
            "JC cost 1 trick; any other card was better",
        ),
        # Three were best, but not any other: the second ace of a suit that the declarer has.
        (
            Position(
                ("AD KD", "AH AC KH KC", "QH QC TH TC"), "S", leader=0, trick="QD JD",
                tricks=(2, 0, 0),
            ),
            None,
            "",
        ),
    ],
)  # fmt: skip
def test_how_better_cards_are_named(position: Position, play: str | None, told: str) -> None:
    if play is None:
        pytest.skip("x")
    (mistake,) = review(position, play).mistakes
    assert str(mistake).split(": ")[1] == told
