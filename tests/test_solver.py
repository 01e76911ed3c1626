"""One position at a time: its value, its cards, its best line, and a hand that was played.

Whether values are right is tested on arrays, in ``test_batches``. Here: that all answers about one
position agree with each other and with the rules, and what the results are like to use.

In the endings written out here spades are trump and seat 0 is the declarer.
"""

import copy
import itertools
import pickle
import re
from collections.abc import Callable, Mapping
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oracle
from ghostsim.batches import DealError, Defence, solve_many
from ghostsim.cards import Card, CardError, Hand, Suit
from ghostsim.deals import Deal
from ghostsim.position import PlayError, Position, PositionError
from ghostsim.preferences import PreferenceError
from ghostsim.replay import review
from ghostsim.rules import HALF_MOON, SILENT_DEFENDERS, STANDARD, Bid, Rules, RulesError
from ghostsim.solver import (
    CardValues,
    Solution,
    best_line,
    best_lines,
    can_make,
    card_values,
    card_values_of,
    format_line,
    position_arrays,
    solve,
    solve_positions,
)
from strategies import (
    bids,
    deals,
    lines_of_play,
    positions,
    relabellings,
    rules,
    seats,
    trumps,
)

#: A deal a beginner can play: the four top trumps, an ace, and a nine.
BOWERS = Deal(hands=("JS JC AS KS AH 9D", "QS TS 9S AC KC QC", "TC 9C KH QH JH TH"))
#: JS draws the trumps, AD is safe then: two tricks. On AD at once left ruffs with AS.
DRAW_TRUMPS = Position(("JS TH AD", "AS KH 9H", "9S AH 9D"), "S", leader=0, tricks=(2, 1, 0), bid=4)
#: Declarer led TH, left played KH. Right takes it with AH, but then has to lead 9H to declarer's
#: QH. If he throws 9H, left's KH wins and left's 9C too: declarer gets nothing, but neither does
#: right.
OWN_TRICK = Position(("QH", "9C", "AH 9H"), "S", leader=0, trick="TH KH", tricks=(3, 1, 0), bid=4)
#: Right has one trick in any case: now, and left's KH takes the other; or later, and declarer's QH
#: takes this one.
EITHER_WAY = Position(("JH", "KH", "AH 9H"), "S", leader=0, trick="QH TH", tricks=(2, 1, 1))
OVER = DRAW_TRUMPS.play_all("AD 9H 9D JS AS 9S TH KH AH")

Options = dict[str, Any]
COALITION: Options = {"defence": "coalition"}
FOR_TRICKS: Options = {"defence": "selfish"}
FOR_POINTS: Options = {"defence": "selfish", "objective": "points"}
WAYS = [COALITION, FOR_TRICKS, FOR_POINTS]
every_way = pytest.mark.parametrize("how", WAYS, ids=["coalition", "for tricks", "for points"])


def cards(text: str) -> list[Card]:
    return [Card(word) for word in text.split()]


def with_bid(position: Position, bid: Bid) -> Position:
    return Position.from_dict(position.to_dict() | {"bid": bid})


#: Positions with a bid, and those of them for which tables are built in no time.
positions_with_bid = st.builds(with_bid, positions(), bids)
small_positions = positions_with_bid.filter(lambda position: position.tricks_to_go <= 4)


def preferred(
    outcomes: list[tuple[int, int, int]], position: Position, how: Options, rules: Rules = STANDARD
) -> tuple[int, int, int]:
    """Which tricks of the deal the seat to play picks if it is selfish: the oracle's choice."""
    seat = position.to_play
    assert seat is not None
    taken = position.tricks
    scoring = {
        name: getattr(rules, name)
        for name in ("moon_points", "moon_set_points", "set_keeps_tricks", "defenders_score")
    }
    bid = position.bid if how.get("objective") == "points" else None
    contract = oracle.Contract(position.trump.letter, position.declarer, bid, **scoring)
    to_come = {(end[0] - taken[0], end[1] - taken[1], end[2] - taken[2]): end for end in outcomes}
    return to_come[oracle.selfish_choice(list(to_come), seat, contract, taken[position.declarer])]


# ------------------------------------------------------------------------ one deal, one position


@given(deal=deals(), trump=trumps, declarer=seats, leader=st.none() | seats)
def test_solve_is_solve_many_of_one(
    deal: Deal, trump: Suit, declarer: int, leader: int | None
) -> None:
    solution = solve(deal, trump, declarer, leader)
    assert solution.position == Position(deal.hands, trump, declarer, leader)
    assert (solution.trump, solution.declarer) == (trump, declarer)
    assert solution.leader == (declarer if leader is None else leader)
    assert solution.defence == "coalition"
    tricks = solve_many([deal.masks], trump, declarer, leader)
    assert solution.declarer_tricks == tricks[0]
    assert type(solution.declarer_tricks) is int
    selfish = solve(deal, trump, declarer, leader, "selfish")
    tricks = solve_many([deal.masks], trump, declarer, leader, defence="selfish")
    assert selfish.tricks == selfish.settled == tuple(tricks[0].tolist())
    assert selfish.declarer_tricks == selfish.tricks[declarer]


@given(deal=deals(), trump=trumps, declarer=seats, leader=st.none() | seats, bid=bids)
def test_a_deal_is_its_first_position(
    deal: Deal, trump: Suit, declarer: int, leader: int | None, bid: Bid
) -> None:
    position = Position(deal.hands, trump, declarer, leader, bid=bid)
    for how in WAYS:
        told = solve(deal, trump, declarer, leader, bid=bid, **how)
        assert told == solve(position, **how)
        assert review(deal, "", trump, declarer, leader, bid=bid, **how).end == position


def test_what_is_left_out() -> None:
    assert solve(BOWERS) == solve(BOWERS, "S", 0, 0, "coalition", "tricks", None, STANDARD)
    assert solve(BOWERS, declarer=2).leader == 2
    assert solve(BOWERS, declarer=2, leader=0).leader == 0


@pytest.mark.parametrize(
    ("hands", "trump", "declarer", "leader", "tricks", "why"),
    [
        (
            ("JS JC AS KS QS TS", "9S AC KC QC TC 9C", "AH KH QH JH TH 9H"),
            "S", 0, 0, 6, "six trumps from the top",
        ),
        (
            ("9H TH 9D TD 9C TC", "JS JC AS KS QS TS", "AC KC QC AH KH AD"),
            "S", 0, 0, 0, "no trump and no high card",
        ),
        (
            ("JC AC KC QC TC 9C", "JS 9S 9H TH JH QH", "AS KS QS TS AH KH"),
            "S", 0, 0, 0, "both defenders ruff clubs, and the right bower takes the left one",
        ),
        (
            ("JC AC KC QC TC 9C", "9H TH JH QH KH AH", "9D TD JD QD KD AD"),
            "S", 0, 0, 6, "no other trump is in play, so the left bower is the highest",
        ),
        (
            ("JC AC KC QC TC 9C", "9H TH JH QH KH AH", "9D TD JD QD KD AD"),
            "C", 0, 1, 6, "a defender leads: trump the first trick and run",
        ),
        (
            ("JC AC KC QC TC 9C", "9H TH JH QH KH AH", "9D TD JD QD KD AD"),
            "H", 0, 0, 0, "seat 1 has nothing but trumps",
        ),
    ],
)  # fmt: skip
def test_examples_a_card_player_can_check(
    hands: tuple[str, str, str], trump: str, declarer: int, leader: int, tricks: int, why: str
) -> None:
    deal = Deal(hands=hands)
    assert solve(deal, trump, declarer, leader).declarer_tricks == tricks, why
    # Nobody has a choice that matters: it makes no difference what defenders play for.
    assert solve(deal, trump, declarer, leader, "selfish").declarer_tricks == tricks, why


@pytest.mark.jit_off
def test_a_defender_who_looks_after_himself_is_worth_a_trick_to_the_declarer() -> None:
    assert solve(OWN_TRICK).declarer_tricks == 3
    for how in (FOR_TRICKS, FOR_POINTS):
        assert solve(OWN_TRICK, **how).tricks == (4, 1, 1)
    # Where defenders score nothing, right lets left have both tricks, for that sets the declarer.
    silent = solve(OWN_TRICK, **FOR_POINTS, rules=SILENT_DEFENDERS)
    assert silent.tricks == (3, 3, 0)
    assert silent.points == (-4, 0, 0)


def test_the_objective_may_change_what_the_selfish_do() -> None:
    # With a moon to lose a declarer risks what he would not for one trick more: values differ.
    hands = [Deal.random(seed=1, index=i) for i in range(60)]
    assert any(
        solve(deal, "S", bid="moon", **FOR_TRICKS).tricks
        != solve(deal, "S", bid="moon", **FOR_POINTS).tricks
        for deal in hands
    )


@pytest.mark.parametrize("trump", [Suit.SPADES, "S", "s", "♠", "spades", 0, np.int64(0)])
def test_spades_by_any_name(trump: Any) -> None:
    solution = solve(BOWERS, trump)
    assert solution == solve(BOWERS, "S")
    assert solution.trump is Suit.SPADES


@pytest.mark.parametrize("bid", [Bid.MOON, "moon", "6", 6, np.int8(6)])
def test_a_moon_by_any_name(bid: Any) -> None:
    assert solve(BOWERS, bid=bid) == solve(BOWERS, bid="moon")
    assert solve(BOWERS, bid=bid).position.bid is Bid.MOON
    assert can_make(Position(BOWERS.hands, "S"), bid)


# ------------------------------------------------------------------- answers agree with the rules


@settings(max_examples=100)
@given(position=positions())
def test_a_card_is_worth_what_the_position_after_it_is(position: Position) -> None:
    assume(not position.is_over)
    values = card_values(position)
    assert list(values) == list(position.legal)
    after = {card: solve(position.play(card)).declarer_tricks for card in position.legal}
    assert values == after
    best = max if position.to_play == position.declarer else min
    value = best(after.values())
    assert solve(position).declarer_tricks == value
    assert values.best == tuple(card for card in position.legal if after[card] == value)


@settings(max_examples=75)
@given(position=positions_with_bid, how=st.sampled_from([FOR_TRICKS, FOR_POINTS]))
def test_a_selfish_seat_plays_what_it_prefers(position: Position, how: Options) -> None:
    assume(not position.is_over)
    values = card_values(position, **how)
    after = {card: solve(position.play(card), **how).tricks for card in position.legal}
    assert {card: values.tricks(card) for card in values} == after
    assert dict(values) == {card: end[position.declarer] for card, end in after.items()}
    choice = preferred(list(after.values()), position, how)
    assert solve(position, **how).tricks == choice
    assert values.best == tuple(card for card in position.legal if after[card] == choice)


@given(position=small_positions, rules=rules)
def test_a_selfish_seat_plays_what_it_prefers_by_any_rules(
    position: Position, rules: Rules
) -> None:
    assert position.bid is not None
    assume(not position.is_over and position.bid >= rules.min_bid)
    after = {
        card: solve(position.play(card), **FOR_POINTS, rules=rules).tricks
        for card in position.legal
    }
    choice = preferred(list(after.values()), position, FOR_POINTS, rules)
    solution = solve(position, **FOR_POINTS, rules=rules)
    assert solution.tricks == choice
    values = card_values(position, **FOR_POINTS, rules=rules)
    assert values.best == tuple(card for card in position.legal if after[card] == choice)
    # And points are those of the rules.
    assert solution.points == rules.deal_points(position.declarer, position.bid, choice)


@every_way
@given(position=positions_with_bid)
def test_the_best_line_is_legal_ends_the_deal_and_attains_the_value(
    how: Options, position: Position
) -> None:
    solution, end = solve(position, **how), position
    line = best_line(position, **how)
    assert len(line) == 18 - 3 * sum(position.tricks) - len(position.trick)
    for seat, card in line:
        assert seat == end.to_play
        # On the way the value never changes.
        assert solve(end, **how).declarer_tricks == solution.declarer_tricks
        assert card in card_values(end, **how).best
        end = end.play(card)  # raises if it is not legal
    assert end.is_over
    assert end.tricks[position.declarer] == solution.declarer_tricks
    # Against the coalition the split between defenders is that of this line; selfish, it is theirs.
    assert end.tricks == solution.tricks
    assert end.points() == solution.points
    assert review(position, [card for _, card in line], **how).mistakes == ()


@given(position=small_positions, rules=rules)
def test_the_best_line_by_any_rules(position: Position, rules: Rules) -> None:
    assert position.bid is not None
    assume(position.bid >= rules.min_bid)
    end = position.play_all([card for _, card in best_line(position, **FOR_POINTS, rules=rules)])
    solution = solve(position, **FOR_POINTS, rules=rules)
    assert end.tricks == solution.tricks
    assert end.points(rules) == solution.points


@pytest.mark.jit_off
def test_a_best_line_a_card_player_can_check() -> None:
    # Trumps are drawn first. Then the lowest of equally good cards: TH, and AD takes the last.
    line = " ".join(f"{seat}:{card}" for seat, card in best_line(DRAW_TRUMPS))
    assert line == "0:JS 1:AS 2:9S 0:TH 1:9H 2:AH 2:9D 0:AD 1:KH"
    assert best_line(OVER) == []
    # Nobody has a choice but right, and he takes his ace.
    assert best_line(OWN_TRICK, "selfish") == [
        (2, Card("AH")), (2, Card("9H")), (0, Card("QH")), (1, Card("9C")),
    ]  # fmt: skip
    assert best_line(OWN_TRICK)[0] == (2, Card("9H"))


@pytest.mark.jit_off
def test_a_line_in_writing() -> None:
    assert format_line(DRAW_TRUMPS, best_line(DRAW_TRUMPS)) == (
        "seat 0 JS  seat 1 AS  seat 2 9S  won by seat 0\n"
        "seat 0 TH  seat 1 9H  seat 2 AH  won by seat 2\n"
        "seat 2 9D  seat 0 AD  seat 1 KH  won by seat 0"
    )
    # A trick that others began, and one that is not finished.
    assert format_line(OWN_TRICK, best_line(OWN_TRICK, "selfish")[:2]) == (
        "seat 2 AH  won by seat 2\nseat 2 9H"
    )
    assert format_line(OVER, []) == ""


@settings(max_examples=50)
@given(position=positions_with_bid)
def test_selfish_defenders_give_the_declarer_no_less_than_a_coalition(position: Position) -> None:
    assert position.bid is not None
    sure = solve(position)
    assert solve(position, **FOR_TRICKS).declarer_tricks >= sure.declarer_tricks
    assert solve(position, **FOR_POINTS).declarer_points >= sure.declarer_points


# ---------------------------------------------------------------------- names do not matter


def renamed(position: Position, relabelling: tuple[int, ...], turn: int) -> Position:
    """The position with suits renamed, and everybody some seats on."""

    def moved(held: tuple[Card, ...]) -> list[Card]:
        return [Card.from_index(6 * relabelling[card.suit] + card.rank) for card in held]

    hands = [moved(position.hands[(seat - turn) % 3]) for seat in range(3)]
    return Position(
        hands,
        Suit(relabelling[position.trump]),
        (position.declarer + turn) % 3,
        (position.leader + turn) % 3,
        moved(position.trick),
        [position.tricks[(seat - turn) % 3] for seat in range(3)],
        position.bid,
    )


@settings(max_examples=50)
@given(
    position=positions_with_bid,
    relabelling=relabellings,
    turn=seats,
    how=st.sampled_from(WAYS),
    line=lines_of_play,
)
def test_names_of_suits_and_seats_do_not_matter(
    position: Position, relabelling: tuple[int, ...], turn: int, how: Options, line: list[int]
) -> None:
    other = renamed(position, relabelling, turn)

    def new(card: Card) -> Card:
        return Card.from_index(6 * relabelling[card.suit] + card.rank)

    def seats_on(tricks: tuple[int, int, int]) -> list[int]:
        return [tricks[(seat - turn) % 3] for seat in range(3)]

    solution, of_other = solve(position, **how), solve(other, **how)
    assert of_other.declarer_tricks == solution.declarer_tricks
    if how != COALITION:
        assert list(of_other.tricks) == seats_on(solution.tricks)
    end = other.play_all([card for _, card in best_line(other, **how)])
    assert end.tricks[other.declarer] == solution.declarer_tricks
    assert all(can_make(other, bid, **how) == can_make(position, bid, **how) for bid in Bid)
    plays, moment = [], position
    for choice in line[: 18 - 3 * sum(position.tricks) - len(position.trick)]:
        plays.append(moment.legal[choice % len(moment.legal)])
        moment = moment.play(plays[-1])
    told, of_told = review(position, plays, **how), review(other, map(new, plays), **how)
    assert of_told.end == renamed(told.end, relabelling, turn)
    for play, of_play in zip(told.plays, of_told.plays, strict=True):
        assert (of_play.number, of_play.seat) == (play.number, (play.seat + turn) % 3)
        assert of_play.card == new(play.card)
        assert dict(of_play.values) == {new(card): tricks for card, tricks in play.values.items()}
        assert set(of_play.values.best) == set(map(new, play.values.best))
        assert of_play.cost == play.cost
        assert of_play.cost_in_points == play.cost_in_points
        assert of_play.is_mistake == play.is_mistake


@given(deal=deals(), trump=trumps, declarer=seats, leader=seats, order=st.permutations(range(6)))
def test_the_order_of_the_ghost_cards_does_not_matter(
    deal: Deal, trump: Suit, declarer: int, leader: int, order: list[int]
) -> None:
    ghost = list(deal.ghost)
    shuffled = Deal(hands=deal.hands, ghost=[ghost[i] for i in order])
    assert solve(shuffled, trump, declarer, leader) == solve(deal, trump, declarer, leader)


@given(data=st.data(), deal=deals(), trump=trumps, declarer=seats, leader=seats)
def test_only_the_order_of_the_cards_in_play_matters(
    data: st.DataObject, deal: Deal, trump: Suit, declarer: int, leader: int
) -> None:
    # In each suit (the left bower in trump), the owners in order stay, the ghost takes others.
    owner = {str(card): seat for seat, hand in enumerate(deal.hands) for card in hand}
    moved = [0, 0, 0]
    for suit in "SCHD":
        in_suit = [c for c in oracle.DECK if oracle.effective_suit(c, trump.letter) == suit]
        in_suit.sort(key=lambda card: oracle.strength(card, trump.letter))
        owners = [owner[card] for card in in_suit if card in owner]
        places = st.sets(
            st.sampled_from(range(len(in_suit))), min_size=len(owners), max_size=len(owners)
        )
        for place, seat in zip(sorted(data.draw(places)), owners, strict=True):
            moved[seat] |= oracle.hand_mask([in_suit[place]])
    other = Deal(
        hands=(Hand.from_mask(moved[0]), Hand.from_mask(moved[1]), Hand.from_mask(moved[2]))
    )
    for how in (COALITION, FOR_TRICKS):
        expected, got = (solve(d, trump, declarer, leader, **how) for d in (deal, other))
        assert (got.declarer_tricks, got.settled) == (expected.declarer_tricks, expected.settled)


# ------------------------------------------------------------------------------- can it be made?


@every_way
@given(position=positions())
def test_a_bid_can_be_made_that_needs_no_more_than_he_takes(
    how: Options, position: Position
) -> None:
    for bid in Bid:
        # The position's own bid, if it has one, does not matter.
        tricks = solve(with_bid(position, bid), **how).declarer_tricks
        assert can_make(position, bid, **how) is (tricks >= bid)
        assert can_make(position, str(bid), **how) is (tricks >= bid)


@pytest.mark.jit_off
def test_what_can_be_made_can_be_checked() -> None:
    assert [can_make(DRAW_TRUMPS, bid) for bid in Bid] == [True, True, False, False]
    assert [can_make(OVER, bid) for bid in Bid] == [True, True, False, False]
    # The moon needs all six.
    moon = Position(["JS", "AS", "9H"], "S", leader=0, tricks=(5, 0, 0))
    assert can_make(moon, "moon") and can_make(moon, 5)
    assert not can_make(Position(["AS", "JS", "9H"], "S", leader=0, tricks=(5, 0, 0)), "moon")
    # A selfish defender lets him make it.
    assert not can_make(OWN_TRICK, 4)
    assert can_make(OWN_TRICK, 4, "selfish")
    assert can_make(OWN_TRICK, 4, "selfish", "points")
    assert not can_make(OWN_TRICK, 4, "selfish", "points", SILENT_DEFENDERS)


# ----------------------------------------------------------------------- a solution, as a value


@pytest.fixture
def solution() -> Solution:
    return solve(BOWERS, trump="S", declarer=0, leader=2)


def test_a_solution_is_a_frozen_value(solution: Solution) -> None:
    same = solve(Deal(hands=BOWERS.hands), trump=Suit.SPADES, declarer=0, leader=2)
    assert same == solution
    assert hash(same) == hash(solution)
    assert solution != solve(BOWERS, trump="S", declarer=0, leader=1)
    assert solution != solve(BOWERS, trump="S", declarer=1, leader=2)
    assert solution != solve(BOWERS, trump="C", declarer=0, leader=2)
    assert solution != solve(BOWERS, trump="S", declarer=0, leader=2, bid=3)
    assert solution != solve(BOWERS, trump="S", declarer=0, leader=2, defence="selfish")
    assert solution != solve(BOWERS, trump="S", declarer=0, leader=2, rules=HALF_MOON)
    with pytest.raises(AttributeError):
        solution.declarer_tricks = 5  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(solution)) == copy.deepcopy(solution) == solution
    # What is worked out later does not change it.
    assert sum(solution.tricks) == 6
    assert solution == same and hash(solution) == hash(same)
    assert pickle.loads(pickle.dumps(solution)).tricks == solution.tricks


@every_way
def test_tricks_and_points_of_a_solution(how: Options) -> None:
    for i, bid in enumerate(itertools.islice(itertools.cycle(Bid), 40)):
        deal = Deal.random(seed=2, index=i)
        solution = solve(deal, "H", 1, bid=bid, **how)
        tricks = solution.tricks
        assert sum(tricks) == 6 and min(tricks) >= 0
        assert tricks[1] == solution.declarer_tricks
        made = tricks[1] >= bid
        own = -int(bid) if not made else 24 if bid == 6 else tricks[1]
        assert solution.points == (tricks[0], own, tricks[2])
        assert solution.declarer_points == own
        half = solve(deal, "H", 1, bid=bid, rules=HALF_MOON, **how)
        assert half.declarer_points == (12 if own == 24 else own)


def test_points_need_a_bid(solution: Solution) -> None:
    for name in ("points", "declarer_points"):
        with pytest.raises(PositionError, match=r"^points depend on the contract: give a bid$"):
            getattr(solution, name)


def test_a_solution_says_what_was_solved(solution: Solution) -> None:
    assert str(solution) == (
        f"spades are trump: seat 0 takes {solution.declarer_tricks} of 6 tricks "
        "against any defence (exact)"
    )
    for part in (repr(solution.position), "declarer_tricks=", "defence='coalition'"):
        assert part in repr(solution)
    assert str(solve(BOWERS, bid="moon")) == (
        "spades are trump: seat 0 takes 6 of 6 tricks, +24 points for the moon, "
        "against any defence (exact)"
    )
    assert str(solve(BOWERS, "D", 2, bid=4, **FOR_POINTS)).endswith(
        "points for a bid of 4, if each seat plays for its own points (exact)"
    )
    assert str(solve(BOWERS, **FOR_TRICKS)) == (
        "spades are trump: seat 0 takes 6 of 6 tricks if each seat plays for its own tricks (exact)"
    )
    assert str(solve(OVER)) == (
        "spades were trump: seat 0 took 4 of 6 tricks: a bid of 4 is made, +4 points"
    )
    lost = Position(("", "", ""), "H", 2, leader=0, tricks=(1, 0, 5), bid="moon")
    assert str(solve(lost)) == (
        "hearts were trump: seat 2 took 5 of 6 tricks: the moon is set, -6 points"
    )


def test_a_solution_as_a_frame(solution: Solution) -> None:
    asked = {
        "trump": "S",
        "declarer": 0,
        "to_play": 2,
        "defence": "coalition",
        "objective": "tricks",
        "declarer_tricks": solution.declarer_tricks,
        "position": "JS JC AS KS AH 9D / QS TS 9S AC KC QC / TC 9C KH QH JH TH / trump S / "
        "declarer 0 / leader 2",
    }
    assert solution.to_row() == asked | {"bid": None, "declarer_points": None}
    (row,) = solution.to_frame().to_dict("records")
    assert {name: row[name] for name in asked} == asked
    (row,) = solve(BOWERS, "S", 0, 2, bid=3, **FOR_POINTS).to_frame().to_dict("records")
    assert list(row) == [
        "trump", "declarer", "to_play", "defence", "objective", "declarer_tricks",
        "tricks_0", "tricks_1", "tricks_2", "bid", "declarer_points", "position",
    ]  # fmt: skip
    assert (row["defence"], row["objective"], row["bid"]) == ("selfish", "points", "3")
    assert row["tricks_0"] == row["declarer_tricks"] == row["declarer_points"]
    assert row["tricks_0"] + row["tricks_1"] + row["tricks_2"] == 6
    # The position can be read back from it.
    assert Position.parse(row["position"]) == Position(BOWERS.hands, "S", 0, 2, bid=3)


def test_a_solution_in_jupyter(solution: Solution) -> None:
    page = solution._repr_html_()
    assert page.startswith(f"<p>{solution}</p>")
    assert page.endswith(solution.position._repr_html_())


def texts(ax: Any) -> str:
    return " ".join(" ".join(text.get_text() for text in [*ax.texts, ax.title]).split())


@pytest.fixture
def axes() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield lambda: pyplot.subplots()[1]
    pyplot.close("all")


def test_a_solution_as_a_picture(solution: Solution, axes: Callable[[], Any]) -> None:
    from matplotlib import pyplot

    ax = axes()
    assert solution.plot(ax=ax) is ax
    for part in ("J♠", "10♦", "seat 0, declarer", "seat 2, leads", "ghost", str(solution)):
        assert part in texts(ax)
    solution.plot()  # on axes of its own
    assert len(pyplot.get_fignums()) == 2
    # Under way there is a trick, and no ghost.
    ax = solve(OWN_TRICK).plot(ax=axes())
    for part in ("seat 0, declarer", "seat 2, to play", "trick", "10♥", "K♥"):
        assert part in texts(ax)
    assert "ghost" not in texts(ax)
    # When all is over, nobody is to play.
    assert "to play" not in texts(solve(OVER).plot(ax=axes()))


# -------------------------------------------------------------------- every card, as a mapping


@pytest.mark.jit_off
def test_card_values_are_a_mapping() -> None:
    values = card_values(DRAW_TRUMPS)
    assert isinstance(values, Mapping)
    assert isinstance(values, CardValues)
    assert list(values) == list(values.keys()) == cards("JS TH AD")  # as they are held
    assert list(values.values()) == [4, 3, 3]
    assert all(type(tricks) is int for tricks in values.values())
    assert len(values) == 3
    as_dict = {Card("JS"): 4, Card("TH"): 3, Card("AD"): 3}
    assert values == as_dict and as_dict == values and dict(values) == as_dict
    assert values != {**as_dict, Card("AD"): 4}
    assert values == card_values(DRAW_TRUMPS)
    assert values != card_values(DRAW_TRUMPS.play("JS"))
    # A card in any spelling.
    assert values["JS"] == values["js"] == values["J♠"] == values.get(Card("JS")) == 4
    assert "10h" in values and Card("TH") in values
    assert values.best == (Card("JS"),)
    assert values.seat == 0


@pytest.mark.jit_off
@every_way
def test_cards_that_cannot_be_played_have_no_value(how: Options) -> None:
    # A card of another hand, a card of the hand that may not be played, a card that is out.
    position = Position(("QH 9S", "JC AD", "KH TH"), "S", leader=0, tricks=(1, 2, 1), bid=3)
    values = card_values(position.play("9S"), **how)
    assert list(values) == [Card("JC")]  # the left bower must follow
    for card in ("AD", "QH", "KH", "9S", "AS"):
        assert card not in values
        assert values.get(Card(card)) is None
        for ask in (values.__getitem__, values.cost, values.cost_in_points, values.equals):
            with pytest.raises(KeyError, match=card):
                ask(card)
        if how != COALITION:
            with pytest.raises(KeyError, match=card):
                values.tricks(card)
    with pytest.raises(CardError, match="'1H' is not a card"):
        values["1H"]
    with pytest.raises(TypeError, match="a card is written as text like 'JS', not 3"):
        values[3]  # type: ignore[index]


@pytest.mark.jit_off
@every_way
def test_card_values_are_frozen_and_can_be_sent(how: Options) -> None:
    values = card_values(DRAW_TRUMPS, **how)
    sent = pickle.loads(pickle.dumps(values))
    assert sent == values == copy.deepcopy(values)
    assert (sent.position, sent.defence, sent.objective, sent.best, sent.settled) == (
        values.position, values.defence, values.objective, values.best, values.settled,
    )  # fmt: skip
    with pytest.raises(AttributeError):
        values.best = ()  # type: ignore[misc]
    with pytest.raises(TypeError):
        values[Card("JS")] = 3  # type: ignore[index]
    assert hash(sent) == hash(values)
    # Equal to a dict of equal values; but values of another defence, or by other rules, are not.
    others = [card_values(DRAW_TRUMPS, **other) for other in WAYS]
    others.append(card_values(DRAW_TRUMPS, **how, rules=HALF_MOON))
    assert sum(values == other for other in others) == 1
    assert all(dict(values) == other for other in others)
    assert values.rules == STANDARD
    assert repr(values) == f"CardValues({{JS: 4, TH: 3, AD: 3}}, defence={how['defence']!r})"


@pytest.mark.jit_off
def test_tricks_of_every_seat_are_settled_when_all_are_selfish() -> None:
    values = card_values(OWN_TRICK, "selfish")
    assert dict(values) == {Card("AH"): 4, Card("9H"): 3}
    assert values.tricks("AH") == values.tricks(Card("AH")) == (4, 1, 1)
    assert values.tricks("9H") == (3, 3, 0)
    assert values.best == (Card("AH"),)
    coalition = card_values(OWN_TRICK)
    assert coalition.best == (Card("9H"),)
    assert dict(coalition) == dict(values)
    with pytest.raises(PositionError, match="against the coalition only the declarer's tricks"):
        coalition.tricks("AH")


@pytest.mark.jit_off
def test_what_a_card_costs_whom() -> None:
    # The declarer loses what he does not take, the contract with it.
    values = card_values(DRAW_TRUMPS)
    assert [values.cost(card) for card in values] == [0, 1, 1]
    assert [values.declarer_points(card) for card in values] == [4, -4, -4]
    assert [values.cost_in_points(card) for card in values] == [0, 8, 8]
    # The coalition loses what the declarer gains.
    values = card_values(DRAW_TRUMPS.play("AD"))
    assert dict(values) == {Card("AS"): 3, Card("KH"): 4, Card("9H"): 4}
    assert values.best == (Card("AS"),)
    assert [values.cost(card) for card in values] == [0, 1, 1]
    assert [values.cost_in_points(card) for card in values] == [0, 8, 8]
    # A selfish defender loses his own trick, and no more than that.
    for how in (FOR_TRICKS, FOR_POINTS):
        values = card_values(OWN_TRICK, **how)
        assert [values.cost(card) for card in cards("AH 9H")] == [0, 1]
        assert [values.cost_in_points(card) for card in cards("AH 9H")] == [0, 1]
    # One that scores nothing loses nothing; in tricks, what is best for him may cost him one.
    values = card_values(OWN_TRICK, **FOR_POINTS, rules=SILENT_DEFENDERS)
    assert values.best == (Card("9H"),)
    assert [values.cost(card) for card in cards("9H AH")] == [0, -1]
    assert [values.cost_in_points(card) for card in cards("9H AH")] == [0, 0]
    # Without a contract there are no points.
    no_bid = Position(DRAW_TRUMPS.hands, "S", leader=0, tricks=(2, 1, 0))
    for ask in (card_values(no_bid).cost_in_points, card_values(no_bid).declarer_points):
        with pytest.raises(PositionError, match=r"^points depend on the contract: give a bid$"):
            ask("JS")


@every_way
@given(position=positions_with_bid)
def test_costs_are_differences_of_values(how: Options, position: Position) -> None:
    assume(not position.is_over)
    values = card_values(position, **how)
    seat, declarer = values.seat, position.declarer
    best = solve(position, **how)
    for card in values:
        after = solve(position.play(card), **how)
        sign = 1 if seat == declarer else -1
        if how == COALITION:
            cost = sign * (best.declarer_tricks - after.declarer_tricks)
            in_points = sign * (best.declarer_points - after.declarer_points)
        else:
            cost = best.tricks[seat] - after.tricks[seat]
            in_points = best.points[seat] - after.points[seat]
        assert values.declarer_points(card) == after.declarer_points
        assert values.cost(card) == cost
        assert values.cost_in_points(card) == in_points
        # In what is played for, no card is better than the best.
        assert values.loss(card) == (in_points if how == FOR_POINTS else cost) >= 0
        assert values.cost(card) == 0 or card not in values.best
    assert all(values.cost_in_points(card) == 0 for card in values.best)


@every_way
@given(position=positions_with_bid)
def test_cards_of_a_run_have_one_value(how: Options, position: Position) -> None:
    assume(not position.is_over)
    values = card_values(position, **how)
    runs = values.runs
    assert [card for run in runs for card in run] == list(values)
    trump = position.trump.letter
    in_play = {*map(str, position.trick), *(str(card) for hand in position.hands for card in hand)}
    for run in runs:
        assert len({values.settled[list(values).index(card)][1] for card in run}) == 1
        for card in run:
            assert values.equals(card) == tuple(other for other in run if other != card)
    for one, other in itertools.pairwise(map(str, values)):
        # Two cards are of one run if and only if nothing in play lies between them.
        same_suit = oracle.effective_suit(one, trump) == oracle.effective_suit(other, trump)
        ends = sorted(oracle.strength(card, trump) for card in (one, other))
        between = [
            card
            for card in in_play
            if oracle.effective_suit(card, trump) == oracle.effective_suit(one, trump)
            and ends[0] < oracle.strength(card, trump) < ends[1]
        ]
        together = any(Card(one) in run and Card(other) in run for run in runs)
        assert together == (same_suit and not between)


def test_runs_a_card_player_can_check() -> None:
    # Both bowers and the ace are neighbours; between them and the queen is the king.
    hands = ("JS JC AS QS", "KS AC QC 9C", "AD KD QH 9D")
    position = Position(hands, "S", leader=0, tricks=(1, 1, 0))
    assert card_values(position).runs == (tuple(cards("JS JC AS")), (Card("QS"),))
    assert card_values(position).equals("JC") == tuple(cards("JS AS"))
    assert card_values(position).equals("QS") == ()
    # When the king has gone, all are of one run; on the table he still lies between them.
    hands = ("JS JC QS", "AC QC 9C", "AD QH 9D")
    position = Position(hands, "S", leader=0, tricks=(2, 1, 0))
    assert card_values(position).runs == (tuple(cards("JS JC QS")),)
    position = Position(
        ("JS QS", "AC", "9D AD"), "S", leader=1, trick="KS", tricks=(2, 1, 1), declarer=2
    )
    assert card_values(position.play("9D")).runs == ((Card("JS"),), (Card("QS"),))


@pytest.mark.jit_off
def test_card_values_as_a_frame() -> None:
    frame = card_values(DRAW_TRUMPS, "selfish", "points").to_frame()
    assert frame.to_dict("list") == {
        "seat": [0, 0, 0],
        "card": ["JS", "TH", "AD"],
        "declarer_tricks": [4, 3, 3],
        "tricks_0": [4, 3, 3],
        "tricks_1": [1, 2, 2],
        "tricks_2": [1, 1, 1],
        "cost": [0, 1, 1],
        "is_best": [True, False, False],
        "declarer_points": [4, -4, -4],
        "cost_in_points": [0, 8, 8],
        "equals": ["", "", ""],
    }
    no_bid = Position(("JS JC AD", "AS KH 9H", "9S AH 9D"), "S", leader=0, tricks=(2, 1, 0))
    frame = card_values(no_bid).to_frame()
    assert list(frame) == ["seat", "card", "declarer_tricks", "cost", "is_best", "equals"]
    assert frame["equals"].tolist() == ["JC", "JS", ""]
    assert frame["is_best"].tolist() == [True, True, False]


@pytest.mark.jit_off
def test_card_values_in_print_and_in_jupyter() -> None:
    values = card_values(DRAW_TRUMPS.play("AD"))
    assert str(values) == (
        "seat 1, a defender, to play; spades are trump; defence: coalition (exact)\n"
        "cards  declarer takes  cost  declarer's points  cost in points\n"
        "AS                  3     -                 -4               -  best\n"
        "KH                  4     1                 +4               8\n"
        "9H                  4     1                 +4               8"
    )
    page = values._repr_html_()
    title = str(values).partition("\n")[0]
    assert page.startswith(f"<table><caption>{title}</caption>")
    assert page.endswith("</table>")
    rows = re.findall(r"<tr>(<td>.*?)</tr>", page)
    assert [re.sub(r"<[^>]*>", " ", row).split() for row in rows] == [
        ["A♠", "3", "-", "-4", "-", "best"], ["K♥", "4", "1", "+4", "8"],
        ["9♥", "4", "1", "+4", "8"],
    ]  # fmt: skip
    # Equal cards have one row; who plays for what is said.
    position = Position(("JS JC AD", "AS KH 9H", "9S AH 9D"), "S", leader=0, tricks=(2, 1, 0))
    lines = str(card_values(position, "selfish")).splitlines()
    assert lines[0].endswith("defence: selfish, for tricks (exact)")
    assert lines[1].split() == ["cards", "seats", "0", "1", "2", "take", "cost", "to", "seat", "0"]
    assert lines[2].split() == ["JS", "JC", "5", "1", "0", "-", "best"]
    assert len(lines) == 4
    # A card that costs nothing, and yet is not what the tie rule picks.
    lines = str(card_values(EITHER_WAY, "selfish")).splitlines()
    assert lines[2].split() == ["AH", "2", "2", "2", "-", "best"]
    assert lines[3].split(maxsplit=5) == ["9H", "3", "1", "2", "-", "equal, but for the tie rule"]
    # To the coalition it is not equal.
    assert str(card_values(EITHER_WAY)).splitlines()[3].split() == ["9H", "3", "1"]


def test_card_values_as_a_picture(axes: Callable[[], Any]) -> None:
    values = card_values(DRAW_TRUMPS)
    ax = axes()
    assert values.plot(ax=ax) is ax
    drawn: Any = ax
    assert [bar.get_height() for bar in drawn.patches] == [4, 3, 3]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["JS", "TH", "AD"]
    assert str(values).partition("\n")[0] in texts(ax)
    best, *others = (bar.get_facecolor() for bar in drawn.patches)
    assert best not in others
    # When selfish, it is his own tricks that the seat to play looks at.
    drawn = card_values(OWN_TRICK, "selfish").plot(ax=axes())
    assert [bar.get_height() for bar in drawn.patches] == [1, 0]
    assert drawn.get_ylabel() == "tricks seat 2 takes"


# ------------------------------------------------------------------------- when all is over


@pytest.mark.jit_off
def test_a_deal_that_is_over_is_worth_what_was_taken() -> None:
    for how in WAYS:
        solution = solve(OVER, **how)
        assert solution.declarer_tricks == 4
        assert solution.tricks == OVER.tricks == (4, 1, 1)
        assert solution.points == (4, 1, 1)
        assert best_line(OVER, **how) == []
        with pytest.raises(PositionError, match=r"^the deal is over: there is no card to play$"):
            card_values(OVER, **how)
        (nothing,) = card_values_of([OVER], **how)
        assert nothing == {} and nothing.best == () and nothing.runs == ()
        assert len(nothing.to_frame()) == 0
        assert str(nothing) == "the deal is over: there is no card to play"
        assert str(nothing) in nothing._repr_html_()
        with pytest.raises(PositionError, match=r"^the deal is over: there is no seat to play$"):
            nothing.seat  # noqa: B018
    no_bid = Position(("", "", ""), "S", leader=0, tricks=(2, 3, 1))
    assert solve(no_bid).tricks == (2, 3, 1)
    assert len(card_values_of([no_bid])[0].to_frame()) == 0


# ---------------------------------------------------------------------------- many at a time


@settings(max_examples=30)
@given(
    some=st.lists(positions_with_bid, max_size=12),
    how=st.sampled_from(WAYS),
    n_jobs=st.sampled_from([None, 2]),
)
def test_many_positions_are_each_of_them(
    some: list[Position], how: Options, n_jobs: int | None
) -> None:
    assert solve_positions(some, **how, n_jobs=n_jobs) == [solve(one, **how) for one in some]
    found = card_values_of(some, **how, n_jobs=n_jobs)
    assert [values.position for values in found] == some
    for values in found:
        if not values.position.is_over:
            one = card_values(values.position, **how)
            assert (values.settled, values.best) == (one.settled, one.best)
    assert best_lines(some, **how, n_jobs=n_jobs) == [best_line(one, **how) for one in some]


@pytest.mark.jit_off
def test_positions_as_arrays() -> None:
    arrays = position_arrays([DRAW_TRUMPS, OWN_TRICK, OVER])
    assert arrays["hands"].tolist() == [[*DRAW_TRUMPS.masks], [*OWN_TRICK.masks], [0, 0, 0]]
    assert arrays["trick"].tolist() == [[-1, -1], [13, 16], [-1, -1]]
    assert arrays["tricks"].tolist() == [[2, 1, 0], [3, 1, 0], [4, 1, 1]]
    assert arrays["trump"].tolist() == [0, 0, 0]
    assert arrays["declarer"].tolist() == [0, 0, 0]
    assert arrays["leader"].tolist() == [0, 0, OVER.leader]
    assert arrays["bid"].tolist() == [4, 4, 4]
    assert solve_many(**arrays).tolist() == [4, 3, 4]
    # If one has no bid, none is told: where bids matter that is refused.
    no_bid = Position(("JS", "AS", "9H"), "S", leader=0, tricks=(5, 0, 0))
    assert position_arrays([DRAW_TRUMPS, no_bid])["bid"] is None
    with pytest.raises(PreferenceError, match="needs a bid"):
        solve_positions([DRAW_TRUMPS, no_bid], **FOR_POINTS)
    assert [s.declarer_tricks for s in solve_positions([DRAW_TRUMPS, no_bid])] == [4, 6]
    assert solve_positions([]) == []
    assert card_values_of([]) == []
    assert best_lines([]) == []
    assert solve_positions([], **FOR_POINTS) == []


# ------------------------------------------------------------------------------- bad input

Ask = Callable[..., Any]


def ask_solve(position: Any, **options: Any) -> Any:
    return solve(position, **options)


def ask_can_make(position: Any, **options: Any) -> Any:
    return can_make(position, getattr(position, "bid", None) or 4, **options)


def ask_review(position: Any, **options: Any) -> Any:
    return review(position, "", **options)


ASKS: list[Ask] = [ask_solve, card_values, best_line, ask_can_make, ask_review]
every_question = pytest.mark.parametrize("ask", ASKS, ids=lambda ask: ask.__name__)


@every_question
@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("error", "options", "message"),
    [
        (PreferenceError, {"defence": "both"}, "^defence must be coalition or selfish, not 'both'"),
        (PreferenceError, {"defence": None}, "^defence must be coalition or selfish, not None"),
        (PreferenceError, {"objective": "money"}, "^objective must be tricks or points, not 'mo"),
        (TypeError, {"rules": "half-moon"}, "^rules must be a Rules"),
        (RulesError, {"rules": Rules(min_bid=5)}, "^bid 4 is below the lowest bid, 5$"),
    ],
)
def test_options_that_are_none(
    ask: Ask, error: type[Exception], options: Options, message: str
) -> None:
    with pytest.raises(error, match=message):
        ask(DRAW_TRUMPS, **options)
    if ask is not card_values:  # where there is no card to ask about, too
        with pytest.raises(error, match=message):
            ask(OVER, **options)


@pytest.mark.jit_off
def test_points_without_a_bid() -> None:
    no_bid = Position(DRAW_TRUMPS.hands, "S", leader=0, tricks=(2, 1, 0))
    for defence, ask in itertools.product(get_args(Defence), (ask_solve, card_values, best_line)):
        with pytest.raises(PreferenceError, match="objective 'points' needs a bid"):
            ask(no_bid, defence=defence, objective="points")
    assert can_make(no_bid, 4, "selfish", "points")  # the bid is what is asked about


@every_question
@pytest.mark.jit_off
def test_a_coalition_cannot_play_for_points_that_fall_with_tricks(ask: Ask) -> None:
    falling = Rules(moon_points=0, moon_set_points=0, set_keeps_tricks=True)
    how: Options = {"objective": "points", "rules": falling}
    moon = with_bid(DRAW_TRUMPS, Bid.MOON)
    with pytest.raises(PreferenceError, match="who bid moon may score less for more tricks"):
        ask(moon, **how)
    ask(moon, **how, defence="selfish")
    ask(moon, rules=falling)
    ask(DRAW_TRUMPS, **how)  # with a bid of 4 more tricks are never worse


@pytest.mark.jit_off
def test_a_position_brings_its_own_settings() -> None:
    given: list[tuple[Options, str]] = [
        ({"trump": "S"}, "trump"),
        ({"trump": 0}, "trump"),
        ({"declarer": 0}, "declarer"),
        ({"leader": 0}, "leader"),
        ({"bid": 4}, "bid"),
        ({"trump": "S", "bid": 4, "declarer": 0}, "trump and declarer and bid"),
    ]
    for settings_, names in given:
        message = f"^a position has its own {names}: do not give it again$"
        with pytest.raises(PositionError, match=message):
            solve(DRAW_TRUMPS, **settings_)
        with pytest.raises(PositionError, match=message):
            review(DRAW_TRUMPS, "JS", **settings_)


@pytest.mark.jit_off
@pytest.mark.parametrize("value", [BOWERS.masks, [BOWERS.masks], BOWERS.hands, "JS", None, 3])
def test_what_is_neither_a_deal_nor_a_position(value: Any) -> None:
    message = "^deal must be a Deal or a Position, not .*; solve_many takes masks$"
    with pytest.raises(TypeError, match=message):
        solve(value)
    with pytest.raises(TypeError, match=message):
        review(value, "")
    message = "^position must be a Position, not .*; Position.from_plays makes one of"
    for ask in (card_values, best_line, ask_can_make):
        with pytest.raises(TypeError, match=message):
            ask(value)
    for ask_many in (solve_positions, card_values_of, best_lines, position_arrays):
        many: Any = ask_many
        with pytest.raises(TypeError, match=message):
            many([DRAW_TRUMPS, value])


@pytest.mark.jit_off
def test_a_deal_is_no_position() -> None:
    asks: list[Ask] = [card_values, best_line, ask_can_make]
    for ask in asks:
        with pytest.raises(TypeError, match=r"^position must be a Position, not Deal"):
            ask(BOWERS)


@pytest.mark.jit_off
def test_solve_checks_its_arguments_too() -> None:
    deal = Deal.random(seed=4)
    with pytest.raises(CardError, match="trump 'X' is not a suit"):
        solve(deal, "X")
    with pytest.raises(TypeError):
        solve(deal, True)
    for declarer, leader, message in (
        (3, None, "declarer must be a seat 0, 1 or 2, not 3"),
        (None, -1, "leader must be a seat 0, 1 or 2, not -1"),
        (3, 3, "declarer must be a seat 0, 1 or 2, not 3; leader must be a seat 0, 1 or 2, not 3"),
    ):
        with pytest.raises(PositionError, match=f"^not a position: {message}$"):
            solve(deal, "S", declarer, leader)
    with pytest.raises(TypeError, match="must be a seat 0, 1 or 2, not True"):
        solve(deal, "S", declarer=True)
    with pytest.raises(TypeError, match=re.escape("must be a seat 0, 1 or 2, not 1.0")):
        solve(deal, "S", leader=1.0)  # type: ignore[arg-type]


@pytest.mark.jit_off
@pytest.mark.parametrize("bid", [2, 7, "pass", ""])
def test_bids_that_are_none(bid: Any) -> None:
    message = f"^bid {bid!r} is not a bid: bids are 3, 4, 5 and moon"
    for ask in (
        lambda: solve(BOWERS, bid=bid),
        lambda: review(BOWERS, "", bid=bid),
        lambda: can_make(DRAW_TRUMPS, bid),
    ):
        with pytest.raises(RulesError, match=message):
            ask()


@pytest.mark.jit_off
def test_errors_are_those_of_python() -> None:
    for error in (PositionError, PlayError, PreferenceError, RulesError, CardError, DealError):
        assert issubclass(error, ValueError)
