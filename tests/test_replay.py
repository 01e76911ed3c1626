"""A hand that was played, against best play: which cards cost something, whose, and how much.

In the endings written out here spades are trump and seat 0 is the declarer.
"""

import copy
import pickle
import random
from collections.abc import Callable, Iterator
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from ghostsim.batches import Defence
from ghostsim.cards import Card, Suit
from ghostsim.deals import Deal
from ghostsim.position import PlayError, Position, PositionError
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

Options = dict[str, Any]
FOR_TRICKS: Options = {"defence": "selfish"}
FOR_POINTS: Options = {"defence": "selfish", "objective": "points"}
WAYS: list[Options] = [{"defence": "coalition"}, FOR_TRICKS, FOR_POINTS]
every_way = pytest.mark.parametrize("how", WAYS, ids=["coalition", "for tricks", "for points"])


def with_bid(position: Position, bid: Bid) -> Position:
    return Position.from_dict(position.to_dict() | {"bid": bid})


positions_with_bid = st.builds(with_bid, positions(), bids)


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
def test_a_mistake_of_each_side() -> None:
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
    assert (second.number, second.trick, second.seat, second.card) == (2, 4, 1, Card("9H"))
    assert [play.trick for play in played.plays] == [4, 4, 4, 5, 5, 5, 6, 6, 6]
    assert str(played.plays[3]) == "trick 5, seat 0: JS"
    assert (played.worth, played.lost, played.end) == (4, (1, 1, 0), OVER)


@pytest.mark.jit_off
def test_a_hand_that_is_not_finished() -> None:
    assert str(review(DRAW_TRUMPS, "JS AS 9S")) == (
        "spades are trump, seat 0 declares, bid 4: worth 4 tricks, he has taken 3\n"
        "3 cards played, no mistake (exact)"
    )
    # What is lost is lost though the trick is not complete: the value is of the position.
    assert str(review(NO_BID, "AD")) == (
        "spades are trump, seat 0 declares: worth 4 tricks, he has taken 2\n"
        "1 card played, 1 mistake: seat 0 lost 1 trick (exact)\n"
        "trick 4, seat 0: AD cost 1 trick; JS was best"
    )


@pytest.mark.jit_off
def test_a_start_in_the_middle_of_a_trick() -> None:
    # Right throws his ace away, and with it his only trick; to the coalition that is right.
    played = review(OWN_TRICK, "9H 9C", **FOR_TRICKS)
    assert str(played) == (
        "spades are trump, seat 0 declares, bid 4: worth 4 tricks, he has taken 3\n"
        "2 cards played, 1 mistake: seat 2 lost 1 trick, 1 point (exact)\n"
        "trick 5, seat 2: 9H cost 1 trick, 1 point; AH was best"
    )
    assert [play.trick for play in played.plays] == [5, 6]
    assert [play.seat for play in played.plays] == [2, 1]
    together = review(OWN_TRICK, "9H 9C")
    assert (together.mistakes, together.lost, together.worth) == ((), (0, 0, 0), 3)
    # The other way round, it gives the coalition's trick, and the contract, away.
    assert [str(play) for play in review(OWN_TRICK, "AH 9H").mistakes] == [
        "trick 5, seat 2: AH cost 1 trick, 8 points; 9H was best"
    ]


@pytest.mark.jit_off
def test_what_is_played_for_makes_the_mistake() -> None:
    # Where defenders score nothing, either card is as good for right: set or made, he scores 0.
    silent: Options = {**FOR_POINTS, "rules": SILENT_DEFENDERS}
    assert card_values(OWN_TRICK, **silent).best == (Card("9H"),)  # by the tie rule
    assert review(OWN_TRICK, "AH", **silent).mistakes == ()
    assert review(OWN_TRICK, "9H", **silent).mistakes == ()
    # If he plays for tricks his trick is what he minds, though it is worth no point.
    played = review(OWN_TRICK, "9H", **FOR_TRICKS, rules=SILENT_DEFENDERS)
    (mistake,) = played.mistakes
    assert (mistake.cost, mistake.cost_in_points) == (1, 0)
    assert "seat 2 lost 1 trick, 0 points (exact)" in str(played)
    # A declarer who is set, whatever he does, scores no less for a trick that he gives away.
    is_set = Position(("JS AD", "AS KH", "9S 9D"), "S", leader=0, tricks=(1, 2, 1), bid=5)
    for_points = review(is_set, "AD", **FOR_POINTS)
    assert (for_points.plays[0].cost, for_points.plays[0].cost_in_points) == (1, 0)
    assert (for_points.mistakes, for_points.lost) == ((), (0, 0, 0))
    for_tricks = review(is_set, "AD", **FOR_TRICKS)
    assert for_tricks.lost == (1, 0, 0)
    assert str(for_tricks.mistakes[0]).endswith("AD cost 1 trick, 0 points; JS was best")


# The declarer has led JS, and left has no trump. AD takes KD in the end, unless it is thrown.
@pytest.mark.parametrize(
    ("hands", "tricks", "play", "told"),
    [
        (("KD", "AD 9H", "TC 9D"), 4, "AD", "AD cost 1 trick; 9H was best"),
        (("AS KD", "AD 9H TH", "TC 9C 9D"), 3, "AD", "AD cost 1 trick; TH or 9H was best"),
        (
            ("AS KS KD", "AD QH TH 9H", "TC 9C 9D AC"),
            2,
            "AD",
            "AD cost 1 trick; any other card was better",
        ),
        # Here AC is to take KC as well: it is as bad a card to throw.
        (
            ("AS KS KD KC", "AD AC QH TH 9H", "TC 9C 9D TD JH"),
            1,
            "AC",
            "AC cost 1 trick; QH, TH and 9H were best",
        ),
    ],
)
def test_how_better_cards_are_named(
    hands: tuple[str, str, str], tricks: int, play: str, told: str
) -> None:
    position = Position(hands, "S", leader=0, trick="JS", tricks=(tricks, 0, 0))
    (mistake,) = review(position, [play]).mistakes
    assert str(mistake) == f"trick {tricks + 1}, seat 1: {told}"


# ----------------------------------------------------------------------------- nothing was played


@pytest.mark.jit_off
@every_way
def test_no_plays_at_all(how: Options) -> None:
    nothings: list[Any] = ["", "  ", [], ()]
    for position in (DRAW_TRUMPS, OWN_TRICK, OVER):
        worth = solve(position, **how).declarer_tricks
        for plays in nothings:
            nothing = review(position, plays, **how)
            assert nothing == Review((), position, worth)
            assert (nothing.worth, nothing.lost, nothing.mistakes) == (worth, (0, 0, 0), ())
            assert len(nothing.to_frame()) == len(nothing.to_frame(cards=True)) == 0
    # What the hand is worth, not what has been taken of it.
    assert str(review(DRAW_TRUMPS, "", **how)) == (
        "spades are trump, seat 0 declares, bid 4: worth 4 tricks, he has taken 2\n"
        "0 cards played, no mistake (exact)"
    )
    assert str(review(OVER, "", **how)).startswith(
        "spades are trump, seat 0 declares, bid 4: worth 4 tricks, he took 4\n"
    )


@pytest.mark.jit_off
def test_what_is_wrong_is_refused_though_nothing_is_played() -> None:
    for position in (DRAW_TRUMPS, OVER):
        with pytest.raises(RulesError, match=r"^bid 4 is below the lowest bid, 5$"):
            review(position, "", rules=Rules(min_bid=5))
        wrong: Any = "both"
        with pytest.raises(PreferenceError, match="defence must be coalition or selfish"):
            review(position, "", defence=wrong)
    for defence in get_args(Defence):
        with pytest.raises(PreferenceError, match="needs a bid"):
            review(NO_BID, "", defence=defence, objective="points")


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("plays", "message"),
    [
        ("AD TH", r"^play 2, TH: seat 1 does not hold TH; it holds AS KH 9H$"),
        ("JS KH", r"^play 2, KH: seat 1 cannot play KH: it must follow suit"),
        ("JS AS JS", r"^play 3, JS: JS has been played already, as play 1$"),
        (f"{BOTH_ERR} 9C", r"^play 10, 9C: 9C cannot be played: the deal is over$"),
        ("JS XX", r"^play 2: 'XX' is not a card"),
    ],
)
def test_plays_that_break_the_rules(plays: str, message: str) -> None:
    with pytest.raises(PlayError, match=message):
        review(DRAW_TRUMPS, plays)
    with pytest.raises(PlayError, match=message):
        review(DRAW_TRUMPS, iter(plays.split()))


@pytest.mark.jit_off
def test_plays_that_are_no_cards() -> None:
    none: list[Any] = [None, 5, 1.5]
    for plays in none:
        with pytest.raises(TypeError, match=f"plays must be text or cards, not {plays}"):
            review(DRAW_TRUMPS, plays)
    # A position brings its settings; a deal needs them.
    with pytest.raises(PositionError, match="a position has its own trump and bid"):
        review(DRAW_TRUMPS, "JS", trump="S", bid=4)


# ----------------------------------------------------------------- it adds up, whatever is played


@settings(max_examples=75)
@given(position=positions_with_bid, line=lines_of_play, rules=st.sampled_from([None, HALF_MOON]))
def test_what_is_lost_is_the_difference_between_worth_and_taken(
    position: Position, line: list[int], rules: Rules | None
) -> None:
    how: Options = {} if rules is None else {"rules": rules}
    played = review(position, some_play(position, line), **how)
    declarer, left, right = (played.lost[(position.declarer + i) % 3] for i in range(3))
    assert played.worth == solve(position).declarer_tricks
    # What is still to come is worth this much, if they have not played to the end.
    comes_to = solve(played.end, **how)
    assert played.worth - comes_to.declarer_tricks == declarer - (left + right)
    # In points alike: the defenders lose what the declarer gains.
    points = [0, 0, 0]
    for play in played.plays:
        assert play.cost_in_points is not None
        points[(play.seat - position.declarer) % 3] += play.cost_in_points
    before = solve(position, **how).declarer_points
    assert before - comes_to.declarer_points == points[0] - points[1] - points[2]


@settings(max_examples=40)
@given(
    deal=deals(),
    trump=trumps,
    declarer=seats,
    line=st.lists(st.integers(0, 5), min_size=18, max_size=18),
)
def test_hands_played_to_their_end(deal: Deal, trump: Suit, declarer: int, line: list[int]) -> None:
    start = Position(deal.hands, trump, declarer)
    plays = some_play(start, line)
    played = review(deal, plays, trump, declarer)
    assert played == review(start, plays)
    assert played.end.is_over and len(played.plays) == 18
    lost = list(played.lost)
    own = lost.pop(declarer)
    # By the referee who took what, and by the solver what it was worth: 0 to 6 of each.
    assert played.worth - played.end.tricks[declarer] == own - sum(lost)
    assert played.worth == solve(deal, trump, declarer).declarer_tricks
    assert f"worth {played.worth} trick" in str(played)
    assert f"he took {played.end.tricks[declarer]}\n" in str(played)


def test_costs_are_those_of_the_oracle() -> None:
    mistakes = 0
    for index in range(6):
        deal = Deal.random(seed=21, index=index)
        trump, declarer = "SCHD"[index % 4], index % 3
        start = Position(deal.hands, trump, declarer)
        plays = some_play(start, random.Random(index).choices(range(6), k=18))
        played = review(start, plays)
        memo: oracle.Memo = {}
        hands, leader, trick = [str(hand).split() for hand in deal.hands], declarer, list[str]()
        lost = [0, 0, 0]
        for play, card in zip(played.plays, map(str, plays), strict=True):
            values = oracle.coalition_card_tricks(hands, trump, declarer, leader, trick, memo)
            seat = (leader + len(trick)) % 3
            best = max(values.values()) if seat == declarer else min(values.values())
            assert play.cost == abs(best - values[card])
            assert {str(c) for c in play.values.best} == {c for c in values if values[c] == best}
            assert play.is_mistake == (values[card] != best)
            lost[seat] += play.cost
            hands[seat].remove(card)
            trick.append(card)
            if len(trick) == 3:
                leader, trick = oracle.trick_winner(trick, leader, trump), []
        assert played.lost == tuple(lost)
        mistakes += len(played.mistakes)
    assert mistakes >= 4


@every_way
@settings(max_examples=25)
@given(position=positions_with_bid)
def test_best_play_costs_nothing(how: Options, position: Position) -> None:
    played = review(position, [card for _, card in best_line(position, **how)], **how)
    assert played.mistakes == ()
    assert played.lost == (0, 0, 0)
    assert played.worth == played.end.tricks[position.declarer]


# ----------------------------------------------------------------------------- as frames, as values


@pytest.mark.jit_off
def test_a_row_for_each_card_played() -> None:
    assert review(DRAW_TRUMPS, "AD 9H 9D JS").to_frame().to_dict("list") == {
        "play": [1, 2, 3, 4],
        "trick": [4, 4, 4, 5],
        "seat": [0, 1, 2, 0],
        "card": ["AD", "9H", "9D", "JS"],
        "declarer_tricks_before": [4, 3, 4, 4],
        "declarer_tricks_after": [3, 4, 4, 4],
        "cost": [1, 1, 0, 0],
        "is_mistake": [True, True, False, False],
        "best": ["JS", "AS", "9D", "JS TH"],
        "cost_in_points": [8, 8, 0, 0],
    }
    assert "cost_in_points" not in review(NO_BID, "AD").to_frame()
    assert review(NO_BID, "AD").plays[0].cost_in_points is None


@pytest.mark.jit_off
def test_a_row_for_each_card_that_could_be_played() -> None:
    frame = review(DRAW_TRUMPS, "AD 9H").to_frame(cards=True)
    assert frame.to_dict("list") == {
        "play": [1, 1, 1, 2, 2, 2],
        "trick": [4, 4, 4, 4, 4, 4],
        "played": ["AD"] * 3 + ["9H"] * 3,
        "seat": [0, 0, 0, 1, 1, 1],
        "card": ["JS", "TH", "AD", "AS", "KH", "9H"],
        "declarer_tricks": [4, 3, 3, 3, 4, 4],
        "cost": [0, 1, 1, 0, 1, 1],
        "is_best": [True, False, False, True, False, False],
        "declarer_points": [4, -4, -4, -4, 4, 4],
        "cost_in_points": [0, 8, 8, 0, 8, 8],
        "equals": [""] * 6,
    }
    assert not {"declarer_points", "cost_in_points"} & {*review(NO_BID, "AD").to_frame(cards=True)}


@every_way
@settings(max_examples=25)
@given(position=positions_with_bid, line=lines_of_play)
def test_the_two_frames_agree(how: Options, position: Position, line: list[int]) -> None:
    played = review(position, some_play(position, line), **how)
    plays, every = played.to_frame(), played.to_frame(cards=True)
    if not played.plays:
        assert plays.empty and every.empty
        return
    chosen = every[every["card"] == every["played"]].reset_index(drop=True)
    for name in ("play", "trick", "seat", "card", "cost", "cost_in_points"):
        assert chosen[name].tolist() == plays[name].tolist()
    assert chosen["declarer_tricks"].tolist() == plays["declarer_tricks_after"].tolist()
    best = every[every["is_best"]].groupby("play")["card"].agg(" ".join)
    assert best.tolist() == plays["best"].tolist()
    for seat in range(3):
        mine = plays[(plays["seat"] == seat) & plays["is_mistake"]]
        assert played.lost[seat] == mine["cost"].sum()
    # Each card's value is where the next one starts.
    after, before = plays["declarer_tricks_after"], plays["declarer_tricks_before"]
    assert before.iloc[0] == played.worth
    assert after.tolist()[:-1] == before.tolist()[1:]


@pytest.mark.jit_off
def test_a_review_is_a_value() -> None:
    played = review(DRAW_TRUMPS, "AD 9H 9D")
    again = review(DRAW_TRUMPS, ["ad", "9h", Card("9D")])
    assert again == played and hash(again) == hash(played)
    assert {played: 1}[again] == 1
    assert pickle.loads(pickle.dumps(played)) == played == copy.deepcopy(played)
    assert str(pickle.loads(pickle.dumps(played))) == str(played)
    assert played != review(DRAW_TRUMPS, "AD 9H")
    assert played != review(DRAW_TRUMPS, "AD KH 9D")
    assert played != review(NO_BID, "AD 9H 9D")
    assert played != review(DRAW_TRUMPS, "AD 9H 9D", **FOR_TRICKS)
    assert review(DRAW_TRUMPS, "") != review(OVER, "")
    for name in ("plays", "end", "worth"):
        with pytest.raises(AttributeError):
            setattr(played, name, ())
    assert isinstance(played.plays[0], ReviewedPlay)


@pytest.mark.jit_off
def test_a_review_in_jupyter() -> None:
    played = review(DRAW_TRUMPS, "AD 9H 9D")
    assert repr(played) == (
        "<Review: 3 cards played, 2 mistakes: seat 0 lost 1 trick, 8 points; "
        "seat 1 lost 1 trick, 8 points (exact)>"
    )
    deal, lost, *mistakes = str(played).splitlines()
    items = "".join(f"<li>{mistake}</li>" for mistake in mistakes)
    assert len(mistakes) == 2
    assert played._repr_html_() == f"<p>{deal}<br>{lost}</p><ul>{items}</ul>"
    nothing = review(DRAW_TRUMPS, "")
    assert repr(nothing) == "<Review: 0 cards played, no mistake (exact)>"
    assert nothing._repr_html_().endswith("0 cards played, no mistake (exact)</p><ul></ul>")


@pytest.fixture
def axes() -> Iterator[Callable[[], Any]]:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield lambda: pyplot.subplots()[1]
    pyplot.close("all")


def test_a_review_as_a_picture(axes: Callable[[], Any]) -> None:
    ax = axes()
    played = review(DRAW_TRUMPS, BOTH_ERR)
    assert played.plot(ax=ax) is ax
    drawn: Any = ax
    steps, *marks = drawn.lines
    # Before the first card, and from each card on.
    assert steps.get_ydata().tolist()[1:] == [4, 3, 4, 4, 4, 4, 4, 4, 4, 4]
    assert [mark.get_ydata() for mark in marks if mark.get_marker() == "o"] == [[3], [4]]
    assert [text.get_text() for text in drawn.texts] == ["AD, 1 lost", "9H, 1 lost"]
    title = drawn.get_title().replace("\n", " ")
    assert "worth 4 tricks, he took 4" in title
    assert "seat 1 lost 1 trick, 8 points" in title
    empty: Any = review(DRAW_TRUMPS, "").plot(ax=axes())
    assert len(empty.lines) == 0
    assert "worth 4 tricks, he has taken 2" in empty.get_title()
