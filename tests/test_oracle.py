"""The oracles: equal to each other and to their naive selves, and right where a player can see it.

In the endings written out here spades are trump, seat 0 is the declarer, seat 1 the defender on his
left and seat 2 the one on his right. Tricks by seat read (declarer, left, right).
"""

import random
from collections.abc import Callable, Iterator
from math import factorial
from pathlib import Path
from typing import Any

import pytest

import dds
import oracle
from dds import Position
from oracle import BySeat, Cards, Hands, Scoring

SEATS = range(3)
GOLDEN = Path(__file__).parent / "goldens" / "perft.txt"

#: The standard rules, and others that give points in ways that those do not. By the last, nobody
#: has anything to win or lose when the moon is played for.
SCORINGS: list[Scoring] = [
    {},
    {"set_keeps_tricks": True},
    {"defenders_score": False},
    {"moon_points": 6, "moon_set_points": 0},
    {"moon_points": 3, "moon_set_points": 1, "set_keeps_tricks": True},
    {"moon_points": 0, "moon_set_points": 0, "defenders_score": False},
]


def ending(text: str) -> Hands:
    """The hands of a text such as "QH / 9C / AH 9H"; a seat that has played has one card fewer."""
    first, second, third = (tuple(hand.split()) for hand in text.split(" / "))
    return first, second, third


def random_position(rng: random.Random, tricks: int, stage: int) -> Position:
    """Any position with so many tricks to come, `stage` cards being played to the first of them."""
    deck = rng.sample(oracle.DECK, 3 * tricks)
    hands = [deck[seat * tricks : (seat + 1) * tricks] for seat in SEATS]
    trump, declarer, leader = rng.choice("SCHD"), rng.randrange(3), rng.randrange(3)
    played: Cards = ()
    for place in range(stage):
        hand = hands[(leader + place) % 3]
        card = rng.choice(oracle.legal_plays(hand, played[0] if played else None, trump))
        hand.remove(card)
        played = (*played, card)
    return Position(tuple(tuple(hand) for hand in hands), trump, declarer, leader, played)


def random_stakes(rng: random.Random, tricks: int) -> tuple[int | None, int]:
    """A bid, or none, and as many tricks as the declarer may have by then."""
    bid = rng.choice([None, 3, 4, 5, 6])
    return bid, 0 if bid is None else rng.randint(0, 6 - tricks)


def seat_to_play(position: Position) -> int:
    return (position.leader + len(position.played)) % 3


def after(position: Position, card: str) -> tuple[Position, int | None]:
    """The position once the card is played, and who won the trick if that has ended it."""
    hands = tuple(tuple(held for held in hand if held != card) for hand in position.hands)
    trick = (*position.played, card)
    if len(trick) < 3:
        return position._replace(hands=hands, played=trick), None
    winner = oracle.trick_winner(trick, position.leader, position.trump)
    return position._replace(hands=hands, leader=winner, played=()), winner


def rotated(position: Position) -> Position:
    """The same position, everybody sitting one seat on."""
    first, second, third = position.hands
    return position._replace(
        hands=(third, first, second),
        declarer=(position.declarer + 1) % 3,
        leader=(position.leader + 1) % 3,
    )


def with_suits_renamed(position: Position, suits: str) -> Position:
    """The same position with S, C, H, D renamed to the letters of `suits`."""
    renamed = dict(zip("SCHD", suits, strict=True))

    def rename(cards: Any) -> Cards:
        return tuple(card[0] + renamed[card[1]] for card in cards)

    return position._replace(
        hands=tuple(rename(hand) for hand in position.hands),
        trump=renamed[position.trump],
        played=rename(position.played),
    )


# ------------------------------------------------------------- the coalition, as players see it


@pytest.mark.parametrize(
    ("hands", "leader", "played", "expected"),
    [
        # One trick. The ace of hearts beats the queen, and the lowest trump beats the ace.
        ("QH / AH / 9S", 0, "", {"QH": 0}),
        ("9S / AH / KH", 1, "", {"AH": 1}),
        # JC is a trump, second to JS. It beats the ace of trumps, and it ruffs the ace of clubs.
        ("JC / AS / AC", 0, "", {"JC": 1}),
        ("JC / JS / AC", 0, "", {"JC": 0}),
        ("JC / QC / AC", 2, "", {"AC": 1}),
        # On a spade it must be played. It takes the trick, and AH the other.
        ("KC / JC AH / 9D TD", 0, "9S", {"JC": 0}),
        # On a club it may not be played if there is a club to follow with: it takes but the second
        # trick. If there is none it may, and AH takes the other; or AH goes, and it takes the king.
        ("KC / JC TC / 9D TD", 0, "QC", {"TC": 1}),
        ("KC / JC AH / 9D TD", 0, "QC", {"JC": 0, "AH": 1}),
        # Whoever leads away from a holding like K J into A Q loses it; whoever waits wins.
        ("AH QH / KH JH / 9C TC", 0, "", {"AH": 1, "QH": 1}),
        ("AH QH / KH JH / 9C TC", 1, "", {"KH": 2, "JH": 2}),
        # On the jack the queen is enough: the ace leaves the queen to the king.
        ("AH QH / KH / TC", 1, "JH 9C", {"AH": 1, "QH": 2}),
        # Draw trumps first: JS takes AS and 9S, AD is safe then. If AD goes first, left ruffs it;
        # if TH does, right takes it and leads a diamond, for left to ruff.
        ("JS TH AD / AS KH 9H / 9S AH 9D", 0, "", {"JS": 2, "TH": 1, "AD": 1}),
        ("JS TH / AS KH 9H / 9S AH 9D", 0, "AD", {"AS": 1, "KH": 2, "9H": 2}),
        # The play is over.
        (" /  / ", 0, "", {}),
    ],
)
def test_what_each_card_is_worth_in_endings_that_can_be_checked_by_hand(
    hands: str, leader: int, played: str, expected: dict[str, int]
) -> None:
    position = Position(ending(hands), "S", 0, leader, tuple(played.split()))
    assert oracle.coalition_card_tricks(*position) == expected
    assert oracle.coalition_card_tricks_naive(*position) == expected
    if expected:
        assert dds.dds_card_tricks([position]) == [expected]
        best = max(expected.values()) if seat_to_play(position) == 0 else min(expected.values())
        assert dds.dds_position_tricks([position]) == [best]


# ------------------------------------------------------------------ the coalition, three solvers


@pytest.mark.parametrize(("tricks", "number"), [(1, 600), (2, 600), (3, 120)])
@pytest.mark.parametrize("stage", SEATS)
def test_each_card_is_worth_what_every_line_of_play_says(
    tricks: int, number: int, stage: int
) -> None:
    rng = random.Random(10 * tricks + stage)
    for _ in range(number):
        position = random_position(rng, tricks, stage)
        expected = oracle.coalition_card_tricks_naive(*position)
        assert oracle.coalition_card_tricks(*position) == expected, position


@pytest.mark.parametrize(
    ("tricks", "number"), [(1, 400), (2, 400), (3, 300), (4, 150), (5, 40), (6, 8)]
)
@pytest.mark.parametrize("stage", SEATS)
def test_each_card_is_worth_what_bridges_solver_says(tricks: int, number: int, stage: int) -> None:
    rng = random.Random(100 * tricks + stage)
    positions = [random_position(rng, tricks, stage) for _ in range(number)]
    expected = [oracle.coalition_card_tricks(*position) for position in positions]
    assert dds.dds_card_tricks(positions) == expected
    assert dds.dds_position_tricks(positions) == [
        max(values.values())
        if seat_to_play(position) == position.declarer
        else min(values.values())
        for position, values in zip(positions, expected, strict=True)
    ]


def test_bridges_solver_tells_tricks_apart_when_the_cards_left_are_the_same() -> None:
    # Left takes the trick with the only trump, or declarer has it and takes the trick. Within one
    # call, DDS by itself would give the second the answer of the first.
    ruffed = Position(ending(" / 9S / TD"), "S", 0, 0, ("AH",))
    trumped_high = ruffed._replace(played=("AS",))
    assert dds.dds_card_tricks([ruffed, trumped_high, ruffed]) == [{"9S": 0}, {"9S": 1}, {"9S": 0}]


def test_whole_positions_and_those_at_the_start_of_a_trick_are_worth_the_same() -> None:
    rng = random.Random(1)
    positions = [random_position(rng, tricks, 0) for tricks in (1, 2, 3, 4) for _ in range(40)]
    deals = [position[:4] for position in positions]
    expected = [oracle.coalition_tricks(*deal) for deal in deals]
    assert dds.dds_position_tricks(positions) == dds.dds_tricks(deals) == expected


def test_a_memo_may_be_kept_for_other_positions_of_the_same_trump_and_declarer() -> None:
    rng = random.Random(2)
    memo: oracle.Memo = {}
    for _ in range(40):
        position = random_position(rng, 3, rng.randrange(3))._replace(trump="H", declarer=1)
        expected = oracle.coalition_card_tricks(*position)
        assert oracle.coalition_card_tricks(*position, memo=memo) == expected
        assert oracle.coalition_card_tricks(*position, memo=memo) == expected
    assert memo


def test_a_card_is_worth_what_its_best_answer_is_worth() -> None:
    rng = random.Random(3)
    for _ in range(300):
        position = random_position(rng, rng.randint(1, 4), rng.randrange(3))
        for card, value in oracle.coalition_card_tricks(*position).items():
            then, winner = after(position, card)
            answers = oracle.coalition_card_tricks(*then).values()
            best = max if seat_to_play(then) == position.declarer else min
            assert value == best(answers, default=0) + (winner == position.declarer)


# ----------------------------------------------------- the selfish defence, as players see it

#: Declarer led TH, left plays KH. Right can take it with AH, but then has to lead 9H to declarer's
#: QH. If he throws 9H, left's KH wins and left's 9C too: declarer gets nothing, but neither does
#: right.
OWN_TRICK = ("QH / 9C / AH 9H", 0, "TH KH")
#: Declarer led QH, left plays TH. Right gets one trick in any case: now, and left's KH takes the
#: other; or AH later, and declarer's QH takes this one.
WHOSE_TRICK = ("JH / KH / AH 9H", 0, "QH TH")
#: The same a trick earlier: declarer's JS draws the last trumps, then he leads QH or JH.
WHOSE_LATER_TRICK = ("QH JH / TH KH / TS AH 9H", 0, "JS 9S")
#: Left led QH, right plays TH; declarer is the last to play. If he takes it, right ruffs his 9H.
#: If he does not, left leads JH, and right ruffs declarer's ace.
HOPELESS = ("AH 9H / JH / 9S", 1, "QH TH")
#: Declarer leads and can win nothing. On 9H left takes AH and leads QC, which right's KC beats. On
#: 9D right takes AD and KC.
MORE_EVEN = ("9H 9D / AH QC / AD KC", 0, "")
#: The same, but whoever wins the first trick wins the second, too.
ALL_OR_NOTHING = ("9H 9D / AH 9C / AD KD", 0, "")


@pytest.mark.parametrize(
    ("position", "stakes", "expected"),
    [
        # Everybody takes his own trick first, even if it makes declarer's contract.
        (OWN_TRICK, {}, {"AH": (1, 0, 1), "9H": (0, 2, 0)}),
        (OWN_TRICK, {"bid": 4, "taken": 3}, {"AH": (1, 0, 1), "9H": (0, 2, 0)}),
        # A defender without gain or loss: first the least for the declarer ...
        (WHOSE_TRICK, {}, {"AH": (0, 1, 1), "9H": (1, 0, 1)}),
        # ... be it that it sets him, 3 of 4, or that it costs him an overtrick, 5 against 4 ...
        (WHOSE_TRICK, {"bid": 4, "taken": 3}, {"AH": (0, 1, 1), "9H": (1, 0, 1)}),
        (WHOSE_TRICK, {"bid": 4, "taken": 4}, {"AH": (0, 1, 1), "9H": (1, 0, 1)}),
        # ... and if he is set in any case, 2 or 3 of 4, the least for the other defender.
        (WHOSE_TRICK, {"bid": 4, "taken": 2}, {"9H": (1, 0, 1), "AH": (0, 1, 1)}),
        # The trick under way counts for the contract from the next one on. With 2 tricks and JS he
        # needs one of the last two, and right sees that he gets none. With 1 and JS he needs both;
        # as right's ace takes one of them, right lets him have the other.
        (WHOSE_LATER_TRICK, {"bid": 4, "taken": 2}, {"TS": (1, 1, 1)}),
        (WHOSE_LATER_TRICK, {"bid": 4, "taken": 1}, {"TS": (2, 0, 1)}),
        # The moon pays 24 or costs 6; with a trick lost it costs 6, how many more are lost or not.
        (WHOSE_TRICK, {"bid": 6, "taken": 4}, {"9H": (1, 0, 1), "AH": (0, 1, 1)}),
        # A declarer who keeps his tricks when he is set has something to lose again.
        (
            WHOSE_TRICK,
            {"bid": 4, "taken": 2, "set_keeps_tricks": True},
            {"AH": (0, 1, 1), "9H": (1, 0, 1)},
        ),
        # A declarer who is set anyway: the least for the defenders together, which here is one for
        # one of them, although two would be shared evenly.
        (HOPELESS, {"bid": 4, "taken": 0}, {"AH": (1, 0, 1), "9H": (0, 1, 1)}),
        # If they get two in any case: the most even split, although left gets more by it ...
        (MORE_EVEN, {}, {"9H": (0, 1, 1), "9D": (0, 0, 2)}),
        (MORE_EVEN, {"bid": 3, "taken": 4}, {"9H": (0, 1, 1), "9D": (0, 0, 2)}),
        # ... and if both splits are as uneven: the least for left.
        (ALL_OR_NOTHING, {}, {"9D": (0, 0, 2), "9H": (0, 2, 0)}),
        (ALL_OR_NOTHING, {"bid": 3, "taken": 4}, {"9D": (0, 0, 2), "9H": (0, 2, 0)}),
        # If defenders score nothing, all they have is what declarer loses: right lets left have
        # both tricks when that sets him, 3 of 4.
        (
            OWN_TRICK,
            {"bid": 4, "taken": 3, "defenders_score": False},
            {"9H": (0, 2, 0), "AH": (1, 0, 1)},
        ),
        # If he is set in any case nobody's points change, and tricks decide: own ones first, ...
        (
            OWN_TRICK,
            {"bid": 4, "taken": 1, "defenders_score": False},
            {"AH": (1, 0, 1), "9H": (0, 2, 0)},
        ),
        # ... then the least for the declarer, set or not.
        (
            WHOSE_TRICK,
            {"bid": 4, "taken": 2, "defenders_score": False},
            {"AH": (0, 1, 1), "9H": (1, 0, 1)},
        ),
        # So it is for a declarer: own tricks first, then the most even split, then left's.
        (
            HOPELESS,
            {"bid": 4, "taken": 0, "defenders_score": False},
            {"AH": (1, 0, 1), "9H": (0, 1, 1)},
        ),
        (
            MORE_EVEN,
            {"bid": 3, "taken": 4, "defenders_score": False},
            {"9H": (0, 1, 1), "9D": (0, 0, 2)},
        ),
        (
            ALL_OR_NOTHING,
            {"bid": 3, "taken": 4, "defenders_score": False},
            {"9D": (0, 0, 2), "9H": (0, 2, 0)},
        ),
    ],
)
def test_each_clause_of_the_tie_rule_in_the_smallest_ending_where_it_decides(
    position: tuple[str, int, str], stakes: dict[str, Any], expected: dict[str, BySeat]
) -> None:
    """The first card of `expected` is the one that the seat to play prefers."""
    hands, leader, played = position
    arguments = (ending(hands), "S", 0, leader, tuple(played.split()))
    assert oracle.selfish_card_tricks(*arguments, **stakes) == expected
    preferred = next(iter(expected.values()))
    assert oracle.selfish_tricks(*arguments, **stakes) == preferred
    assert oracle.selfish_tricks_naive(*arguments, **stakes) == preferred


def test_a_defender_who_looks_after_himself_is_worth_a_trick_to_the_declarer() -> None:
    hands, leader, played = OWN_TRICK
    arguments = (ending(hands), "S", 0, leader, tuple(played.split()))
    assert min(oracle.coalition_card_tricks(*arguments).values()) == 0
    assert oracle.selfish_tricks(*arguments)[0] == 1


@pytest.mark.parametrize(
    ("bid", "taken", "to_come", "scoring", "expected"),
    [
        # The examples of DESIGN 2, with the first tricks played.
        (3, 2, (2, 1, 0), {}, (4, 1, 0)),
        (4, 3, (0, 2, 1), {}, (-4, 2, 1)),
        (6, 5, (1, 0, 0), {}, (24, 0, 0)),
        (6, 4, (1, 1, 0), {}, (-6, 1, 0)),
        (5, 0, (6, 0, 0), {}, (6, 0, 0)),
        # Variants.
        (6, 5, (1, 0, 0), {"moon_points": 12}, (12, 0, 0)),
        (6, 4, (1, 1, 0), {"moon_set_points": 24}, (-24, 1, 0)),
        (6, 4, (1, 1, 0), {"set_keeps_tricks": True}, (-1, 1, 0)),
        (4, 3, (0, 2, 1), {"set_keeps_tricks": True}, (-1, 2, 1)),
        (4, 3, (1, 2, 0), {"set_keeps_tricks": True}, (4, 2, 0)),
        (4, 3, (0, 2, 1), {"defenders_score": False}, (-4, 0, 0)),
        (None, 0, (2, 1, 0), {}, (2, 1, 0)),
    ],
)
def test_points_that_seats_play_for(
    bid: int | None, taken: int, to_come: BySeat, scoring: Scoring, expected: BySeat
) -> None:
    assert oracle.Contract("S", 0, bid, **scoring).points(to_come, taken) == expected


# ---------------------------------------------------------------- the selfish defence at large


def the_only_one_left(outcomes: list[BySeat], seat: int, declarer: int, points: Any) -> BySeat:
    """The choice of DESIGN 5 in another way than the oracle's: strike out, clause by clause."""
    left = (declarer + 1) % 3
    right = (declarer + 2) % 3
    (other,) = {left, right} - {seat} if seat != declarer else {left}
    clauses: list[Callable[[BySeat], int]]
    if seat == declarer:
        clauses = [
            lambda worth: -worth[declarer],
            lambda worth: worth[left] + worth[right],
            lambda worth: max(worth[left], worth[right]) - min(worth[left], worth[right]),
            lambda worth: worth[left],
        ]
    else:
        clauses = [
            lambda worth: -worth[seat],
            lambda worth: worth[declarer],
            lambda worth: worth[other],
        ]
    for clause in clauses:
        least = min(clause(points(outcome)) for outcome in outcomes)
        outcomes = [outcome for outcome in outcomes if clause(points(outcome)) == least]
    for clause in clauses:
        least = min(clause(outcome) for outcome in outcomes)
        outcomes = [outcome for outcome in outcomes if clause(outcome) == least]
    (left_over,) = set(outcomes)
    return left_over


@pytest.mark.parametrize("scoring", SCORINGS)
def test_the_choice_is_what_is_left_after_striking_out_clause_by_clause(scoring: Scoring) -> None:
    rng = random.Random(4)
    for _ in range(1500):
        tricks = rng.randint(1, 6)
        bid, taken = random_stakes(rng, tricks)
        seat, declarer = rng.randrange(3), rng.randrange(3)
        outcomes: list[BySeat] = []
        for _ in range(rng.randint(1, 6)):
            winners = [rng.randrange(3) for _ in range(tricks)]
            outcomes.append((winners.count(0), winners.count(1), winners.count(2)))
        contract = oracle.Contract("S", declarer, bid, **scoring)

        def points(outcome: BySeat, contract: Any = contract, taken: int = taken) -> BySeat:
            worth: BySeat = contract.points(outcome, taken)
            return worth

        expected = the_only_one_left(outcomes, seat, declarer, points)
        assert oracle.selfish_choice(outcomes, seat, contract, taken) == expected


@pytest.mark.parametrize(("tricks", "number"), [(1, 200), (2, 600), (3, 400)])
@pytest.mark.parametrize("stage", SEATS)
def test_selfish_play_is_what_every_line_of_play_says(tricks: int, number: int, stage: int) -> None:
    rng = random.Random(1000 * tricks + stage)
    for _ in range(number):
        position = random_position(rng, tricks, stage)
        bid, taken = random_stakes(rng, tricks)
        scoring = rng.choice(SCORINGS)
        expected = oracle.selfish_tricks_naive(*position, bid, taken, **scoring)
        assert oracle.selfish_tricks(*position, bid, taken, **scoring) == expected, position
        assert sum(expected) == tricks


def test_a_card_brings_what_the_next_seat_chooses_from() -> None:
    rng = random.Random(5)
    for _ in range(300):
        tricks = rng.randint(1, 4)
        position = random_position(rng, tricks, rng.randrange(3))
        bid, taken = random_stakes(rng, tricks)
        for card, tricks_by_seat in oracle.selfish_card_tricks(*position, bid, taken).items():
            then, winner = after(position, card)
            taken_then = taken + (bid is not None and winner == position.declarer)
            rest = oracle.selfish_tricks(*then, bid, taken_then)
            assert tricks_by_seat == tuple(rest[seat] + (seat == winner) for seat in SEATS)


def test_a_memo_may_be_kept_for_other_positions_and_tricks_so_far() -> None:
    rng = random.Random(6)
    memo: oracle.SelfishMemo = {}
    changed = 0
    for _ in range(60):
        position = random_position(rng, 3, rng.randrange(3))._replace(trump="D", declarer=2)
        values = set()
        for taken in range(4):
            expected = oracle.selfish_tricks(*position, 4, taken)
            assert oracle.selfish_tricks(*position, 4, taken, memo=memo) == expected
            values.add(expected)
        changed += len(values) > 1
    assert changed >= 5, "the tricks so far must matter for this to show anything"


@pytest.mark.parametrize(("tricks", "number"), [(2, 300), (3, 200), (4, 60), (5, 12), (6, 4)])
def test_the_declarer_gets_no_less_from_selfish_defenders_than_from_a_coalition(
    tricks: int, number: int
) -> None:
    # With any bid: more tricks never mean fewer points by the standard rules, and a declarer whose
    # points are alike wants the defenders to have few. So he always plays for his tricks, and all
    # that selfish defenders do is to pass by a play that would have been worse for him.
    rng = random.Random(7)
    more = 0
    for _ in range(number):
        position = random_position(rng, tricks, rng.randrange(3))
        bid, taken = random_stakes(rng, tricks)
        values = oracle.coalition_card_tricks(*position)
        best = max if seat_to_play(position) == position.declarer else min
        gains = [
            oracle.selfish_tricks(*position, *stakes)[position.declarer] - best(values.values())
            for stakes in ((None, 0), (bid, taken))
        ]
        assert min(gains) >= 0
        more += max(gains)
    assert more > 0 or tricks == 6, "they should differ somewhere"


def test_six_tricks_of_a_deal_are_shared_out() -> None:
    rng = random.Random(8)
    for bid in (None, 5):
        position = random_position(rng, 6, 0)
        values = oracle.selfish_card_tricks(*position, bid)
        assert len(values) == 6
        assert {sum(tricks) for tricks in values.values()} == {6}


def test_seats_have_no_names() -> None:
    rng = random.Random(9)
    for _ in range(150):
        tricks = rng.randint(1, 4)
        position = random_position(rng, tricks, rng.randrange(3))
        turned = rotated(position)
        bid, taken = random_stakes(rng, tricks)
        expected = oracle.coalition_card_tricks(*position)
        assert oracle.coalition_card_tricks(*turned) == expected
        assert dds.dds_card_tricks([turned]) == [expected]
        first, second, third = oracle.selfish_tricks(*position, bid, taken)
        assert oracle.selfish_tricks(*turned, bid, taken) == (third, first, second)


@pytest.mark.parametrize("suits", ["SCDH", "CSHD", "CSDH", "HDSC", "HDCS", "DHSC", "DHCS"])
def test_suits_have_no_names_but_for_their_colour(suits: str) -> None:
    rng = random.Random(10)
    for _ in range(40):
        tricks = rng.randint(1, 4)
        position = random_position(rng, tricks, rng.randrange(3))
        renamed = with_suits_renamed(position, suits)
        bid, taken = random_stakes(rng, tricks)
        values = list(oracle.coalition_card_tricks(*position).values())
        assert list(oracle.coalition_card_tricks(*renamed).values()) == values
        expected = oracle.selfish_tricks(*position, bid, taken)
        assert oracle.selfish_tricks(*renamed, bid, taken) == expected


@pytest.mark.parametrize(
    ("hands", "played"),
    [
        ("9H / TH / JH QH", ""),  # not as many cards each
        ("9H / TH / 9H", ""),  # a card twice
        ("TH / JH / QH", "9H"),  # the leader has a card too many
        (" / JH / ", "9H 9H"),  # the same card played twice
        (" /  / ", "9H TH JH"),  # the trick is over
    ],
)
def test_what_is_no_position_is_refused(hands: str, played: str) -> None:
    arguments = (ending(hands), "S", 0, 0, tuple(played.split()))
    for solve in (
        oracle.coalition_card_tricks,
        oracle.coalition_card_tricks_naive,
        oracle.selfish_tricks,
        oracle.selfish_tricks_naive,
    ):
        with pytest.raises(AssertionError):
            solve(*arguments)


def test_tricks_that_the_declarer_cannot_have_are_refused() -> None:
    hands = ending("9H TH / JH QH / KH AH")
    for bid, taken in ((4, 5), (4, -1), (None, 1)):
        for solve in (oracle.selfish_tricks, oracle.selfish_tricks_naive):
            with pytest.raises(AssertionError):
                solve(hands, "S", 0, 0, (), bid, taken)


# ------------------------------------------------------------------------ ways to play a deal


def golden_deals() -> Iterator[tuple[Hands, str, int, dict[int, int]]]:
    """Hands, trump, declarer and the counts by depth, for each deal of the golden file."""
    for block in GOLDEN.read_text(encoding="utf-8").split("\ndeal ")[1:]:
        first_line, *lines = block.splitlines()
        hands, stakes = first_line.split(" / trump ")
        trump, declarer = stakes.split(" / declarer ")
        counts: dict[int, int] = {}
        for line in lines:
            if line and not line.startswith("#"):
                depth, count = line.split()
                counts[int(depth)] = int(count)
        yield ending(hands), trump, int(declarer), counts


def test_golden_counts_are_what_the_oracle_counts() -> None:
    lines = GOLDEN.read_text(encoding="utf-8").splitlines()
    up_to_eight = [
        line for line in lines if line[:2] not in {str(n).ljust(2) for n in range(9, 19)}
    ]
    assert list(oracle.perft_lines(max_depth=8)) == up_to_eight


@pytest.mark.parametrize("index", [0])
def test_golden_counts_of_whole_deals_are_what_the_oracle_counts(index: int) -> None:
    hands, trump, declarer, counts = list(golden_deals())[index]
    assert oracle.perft(hands, trump, declarer, 18) == [counts[depth] for depth in range(1, 19)]


def test_golden_counts_make_sense() -> None:
    deals = list(golden_deals())
    assert len(deals) == len(oracle.PERFT_DEALS)
    for hands, _, _, counts in deals:
        assert len({card for hand in hands for card in hand}) == 18
        assert list(counts) == list(range(1, 19))
        assert counts[1] == 6, "the leader may play any card"
        assert all(counts[depth] <= counts[depth + 1] for depth in range(1, 18))
        # In the last trick nobody has a choice.
        assert counts[15] == counts[16] == counts[17] == counts[18]
    # If nobody can ever follow, each of the three may play his six in any order.
    assert [counts[18] for *_, counts in deals].count(factorial(6) ** 3) == 2


def test_ways_to_play_can_be_counted_one_by_one() -> None:
    rng = random.Random(11)
    for _ in range(150):
        tricks, stage = rng.randint(1, 3), rng.randrange(3)
        position = random_position(rng, tricks, stage)
        hands, trump, _, leader, played = position
        for depth in range(3 * tricks - stage + 1):
            expected = oracle.count_plays_naive(hands, trump, leader, played, depth=depth)
            assert oracle.count_plays(hands, trump, leader, played, depth=depth) == expected
    position = random_position(rng, 6, 0)
    hands, trump, _, leader, _ = position
    counts = oracle.perft(hands, trump, leader, 6)
    assert counts == [
        oracle.count_plays_naive(hands, trump, leader, depth=depth) for depth in range(1, 7)
    ]


def test_ways_to_play_two_tricks_counted_by_hand() -> None:
    # Declarer leads AH: left must follow with 9H, right has no heart and two choices. Declarer
    # leads 9S: left's JC must follow, right's 9D and TD are as good as each other. The last trick
    # has no choices, so that there are four ways, by cards: 2, 2, 4, 4, 4, 4.
    hands = ending("AH 9S / 9H JC / 9D TD")
    assert oracle.perft(hands, "S", 0, 6) == [2, 2, 4, 4, 4, 4]
    # With hearts as trump JC is a club: on 9S left may play either.
    assert oracle.perft(hands, "H", 0, 6) == [2, 3, 6, 6, 6, 6]
    # There are no ways to play more cards than there are.
    assert oracle.count_plays(hands, "S", 0, depth=7) == 0
