"""No seat, no suit and no hidden card is better than another, whoever plays.

Of one deal, the referee and ``tests/test_table_*.py`` see to it that the rules treat all alike.
Here strategies play: by the referee with any cards, and by the compiled game, whose play of the
cards takes any hands too.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import chi2_contingency

from ghostsim.cards import ALL_CARDS, Card, Hand, Suit
from ghostsim.deals import Deal
from ghostsim.kernels import game as kernel
from ghostsim.rules import STANDARD, STUCK_DEALER, Rules
from ghostsim.simulate.games import play_deals, play_games
from ghostsim.strategies import Novice, Odds, Random, Steady, Strategy, find_strategy, odds, peek
from ghostsim.strategies.compiled import setting_of
from ghostsim.strategies.words import is_high, lane_of
from ghostsim.table.deal import Action, DealState
from ghostsim.table.game import GameState, finish_deal, next_action, play_deal
from ghostsim.table.view import View
from strategies import EIGHT_RELABELLINGS, deals, rules, seats, words

HONEST = ("random", "novice", "steady", "odds", "cheat")
EVERY = (*HONEST, "peek")
#: Of rules under which ``odds`` needs no tables of swaps, which take seconds.
NO_SWAP = Rules(swaps_per_deal=0)

Three = tuple[Strategy, Strategy, Strategy]
Relabelling = tuple[int, int, int, int]


def three(*names: str) -> Three:
    first, second, third = map(find_strategy, names)
    return first, second, third


lineups = st.tuples(*[st.sampled_from(EVERY).map(find_strategy)] * 3)
cheap_lineups = st.tuples(
    *[st.sampled_from(["random", "novice", "steady", "steady:moon=5"]).map(find_strategy)] * 3
)


def turned(values: Sequence[Any], by: int = 1) -> tuple[Any, Any, Any]:
    """What seat s had, seat s + 1 has."""
    first, second, third = (values[(seat - by) % 3] for seat in range(3))
    return first, second, third


# --------------------------------------------------------------------- seats: the same, moved round


def check_turned(state: DealState, moved: DealState) -> None:
    """The same deal, a seat further on: every action and every number of it."""
    assert moved.actions == state.actions
    assert [turn.seat for turn in moved.turns] == [(turn.seat + 1) % 3 for turn in state.turns]
    for name in ("declarer", "swapper", "leader"):
        seat = getattr(state, name)
        assert getattr(moved, name) == (None if seat is None else (seat + 1) % 3), name
    assert (moved.bid, moved.trump) == (state.bid, state.trump)
    assert moved.taken == turned(state.taken)
    assert moved.points == turned(state.points)
    assert [(revoke.seat, revoke.trick, revoke.card, revoke.found) for revoke in moved.revokes] == [
        ((revoke.seat + 1) % 3, revoke.trick, revoke.card, revoke.found) for revoke in state.revokes
    ]


def check_rotation(
    deal: Deal, dealer: int, at_table: Three, played: Rules, **options: Any
) -> DealState:
    state = play_deal(at_table, deal, dealer, played, **options)
    moved = play_deal(
        turned(at_table), Deal(turned(deal.hands)), (dealer + 1) % 3, played, **options
    )
    check_turned(state, moved)
    return state


detections = st.sampled_from([None, 0.5])


@settings(max_examples=60)
@given(deals(), seats, lineups, words, words, detections)
def test_seats_turn_with_the_players(
    deal: Deal, dealer: int, at_table: Three, seed: int, index: int, detection: float | None
) -> None:
    options = {"seed": seed, "index": index, "revoke_detection": detection}
    check_rotation(deal, dealer, at_table, STANDARD, **options)


@pytest.mark.jit_off
@settings(max_examples=40)
@given(deals(), seats, cheap_lineups, rules, words)
def test_seats_turn_with_the_players_by_any_rules(
    deal: Deal, dealer: int, at_table: Three, played: Rules, seed: int
) -> None:
    check_rotation(deal, dealer, at_table, played, seed=seed)


def game_of(
    at_table: Three, first_dealer: int, by: int, played: Rules, seed: int, limit: int
) -> tuple[GameState, list[DealState]]:
    """A game of the deals of a seed, whose hands have moved ``by`` seats."""
    game, done = GameState(rules=played, dealer=first_dealer), []
    while not game.is_over and game.deals < limit:
        deal = Deal.random(seed, game.deals)
        moved = Deal(turned(deal.hands, by))
        state = game.next_deal(moved, seed=seed, index=game.deals, revoke_detection=0.5)
        done.append(finish_deal(state, at_table))
        game = game.add(done[-1])
    return game, done


@pytest.mark.parametrize("names", [("steady", "novice", "odds"), ("cheat", "random", "peek")])
@pytest.mark.parametrize("played", [STANDARD, Rules(target=5, all_pass="dealer_bids")], ids=str)
def test_games_turn_with_the_players(names: tuple[str, str, str], played: Rules) -> None:
    at_table = three(*names)
    for seed in range(2):
        game, done = game_of(at_table, 0, 0, played, seed, limit=25)
        for by in (1, 2):
            moved, others = game_of(turned(at_table, by), by, by, played, seed, limit=25)
            assert moved.scores == turned(game.scores, by)
            assert moved.winner == (None if game.winner is None else (game.winner + by) % 3)
            assert moved.deals == game.deals
            assert [state.actions for state in others] == [state.actions for state in done]


# ---------------------------------------------------- seats and suits in the compiled play of cards


@dataclasses.dataclass(frozen=True)
class Table:
    """Three strategies as the compiled game takes them."""

    setting: kernel.Setting
    who: NDArray[np.int64]

    @classmethod
    def of(cls, names: Sequence[str], played: Rules, detection: float | None) -> Table:
        found = setting_of([find_strategy(name) for name in names], played, detection)
        assert found is not None
        return cls(*found)

    def play(
        self, hands: Sequence[int], declarer: int, trump: int, swapper: int, key: int
    ) -> tuple[list[int], list[int], list[int]]:
        """The cards in order of play, the tricks by seat, the revokes and those found."""
        log = np.full(kernel.LOG_COLUMNS, -1, dtype=np.int8)
        log[kernel.TRICKS : kernel.TRICKS + 3] = 0
        dead = ALL_CARDS ^ sum(hands)
        revokes = np.zeros(2, dtype=np.int64)
        kernel.play_cards(
            declarer,
            trump,
            swapper,
            self.who,
            np.uint64(key),
            self.setting.numbers,
            self.setting.rules,
            self.setting.endgames,
            np.array([*hands, dead], dtype=np.int64),
            np.zeros((2, 3), dtype=np.int64),
            revokes,
            log,
        )
        return (
            log[kernel.CARDS :].tolist(),
            log[kernel.TRICKS : kernel.TRICKS + 3].tolist(),
            revokes.tolist(),
        )


def some_hands(lot: random.Random) -> tuple[int, int, int]:
    order = lot.sample(range(24), 18)
    first, second, third = (sum(1 << card for card in order[at : at + 6]) for at in (0, 6, 12))
    return first, second, third


def relabelled_mask(mask: int, to: Relabelling) -> int:
    return sum((mask >> 6 * suit & 63) << 6 * to[suit] for suit in range(4))


def keeps_green_order(trump: int, to: Relabelling) -> bool:
    """Whether the two green suits keep their order, by which ties are broken."""
    first, second = (to[suit] for suit in range(4) if suit not in (trump, trump ^ 1))
    return first < second


TABLES = [
    (("random", "novice", "steady"), None),
    (("peek", "steady", "novice"), None),
    (("cheat", "cheat:tricks=135", "peek"), 0.5),
    (("odds", "cheat", "random"), 1.0),
]


@pytest.mark.bounds
@pytest.mark.parametrize(("names", "detection"), TABLES[:1] + TABLES[2:])
def test_seats_turn_in_the_compiled_play(
    names: tuple[str, str, str], detection: float | None
) -> None:
    lot = random.Random(1)
    tables = [Table.of(turned(names, by), NO_SWAP, detection) for by in range(3)]
    for _ in range(300):
        hands, declarer, trump = some_hands(lot), lot.randrange(3), lot.randrange(4)
        swapper, key = lot.randrange(-1, 3), lot.getrandbits(64)
        cards, tricks, revokes = tables[0].play(hands, declarer, trump, swapper, key)
        for by in (1, 2):
            moved = tables[by].play(
                turned(hands, by),
                (declarer + by) % 3,
                trump,
                -1 if swapper < 0 else (swapper + by) % 3,
                key,
            )
            assert moved == (cards, list(turned(tricks, by)), revokes)


@pytest.mark.bounds
@pytest.mark.parametrize(("names", "detection"), TABLES)
def test_suits_change_names_in_the_compiled_play(
    names: tuple[str, str, str], detection: float | None
) -> None:
    lot = random.Random(2)
    table = Table.of(names, NO_SWAP, detection)
    for _ in range(150):
        hands, declarer, trump = some_hands(lot), lot.randrange(3), lot.randrange(4)
        swapper, key = lot.randrange(-1, 3), lot.getrandbits(64)
        cards, tricks, revokes = table.play(hands, declarer, trump, swapper, key)
        kept = [to for to in EIGHT_RELABELLINGS if keeps_green_order(trump, to)]
        assert len(kept) == 4
        for to in kept:
            renamed = [relabelled_mask(hand, to) for hand in hands]
            expected = [6 * to[card // 6] + card % 6 for card in cards]
            found = table.play(renamed, declarer, to[trump], swapper, key)
            assert found == (expected, tricks, revokes)


# ------------------------------------------------------------------------ suits: the same, renamed


def relabelled_card(card: Card, to: Relabelling) -> Card:
    return Card.of(card.rank, Suit(to[card.suit]))


def relabelled_hand(cards: Iterable[Card], to: Relabelling) -> Hand:
    return Hand([relabelled_card(card, to) for card in cards])


def worth_of_trump(strategy: Strategy, view: View, suit: Suit) -> Any:
    """What a strategy names trump by."""
    hand = Hand(view.hand)
    held = hand.holding(suit)
    match strategy:
        case Novice():
            return held
        case Steady():
            return held.trumps + held.bowers + held.outside_aces
        case Odds():
            assert view.bid is not None
            return odds.worth_of_bids(hand, view.dead, view.rules)[view.bid, suit]
        case _:
            assert view.bid is not None
            masks = peek.held_by_seat(view)
            return peek.worth_of_bids(masks, view.seat, view.rules)[view.bid, suit]


def are_equals(strategy: Strategy, view: View, card: Card, other: Card) -> bool:
    """Whether only the order of the green suits tells which of two cards is to be played."""
    trump = view.trump
    assert trump is not None
    lanes = {lane_of(card, trump), lane_of(other, trump)}
    if isinstance(strategy, Random):  # drawn by its place among the legal cards
        return lanes <= {1, 2} and other in view.legal
    if lanes != {1, 2}:
        return False
    if card.rank == other.rank:
        return True
    # Of suits to cash a high card in, that of which most cards are out.
    out = view.unseen
    both_high = is_high(card, out, trump) and is_high(other, out, trump)
    many = [sum(hidden.suit_under(trump) == of.suit for hidden in out) for of in (card, other)]
    return not view.trick and both_high and many[0] == many[1]


@pytest.mark.parametrize(
    ("names", "detection"),
    [
        (("random", "novice", "steady"), None),
        (("novice", "steady", "novice"), None),
        (("odds", "cheat", "steady"), 0.5),
        (("peek", "odds", "peek"), None),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, tuple) else "",
)
def test_suits_that_change_names_change_no_decision(
    names: tuple[str, str, str], detection: float | None
) -> None:
    """All eight relabellings of whole deals, decision by decision.

    Nobody's swap or bid knows which suit is which. A trump may be the first of equals, and a card
    the first of equals in the green suits; nothing else differs, and that only where those suits
    change places.
    """
    at_table = three(*names)
    seen = {"the same": 0, "an equal trump": 0, "an equal card": 0}
    for index in range(25):
        options: dict[str, Any] = {"seed": 8, "index": index, "revoke_detection": detection}
        deal, dealer = Deal.random(8, index), index % 3
        state = DealState.start(deal, dealer, **options)
        others = {
            to: DealState.start(
                Deal([relabelled_hand(hand, to) for hand in deal.hands]), dealer, **options
            )
            for to in EIGHT_RELABELLINGS[1:]
        }
        while state.to_act is not None:
            strategy = at_table[state.to_act]
            action = next_action(state, strategy)
            view = state.open_view(state.to_act)
            for to, other in others.items():
                found = next_action(other, strategy)
                same: Action = action
                if isinstance(action, Suit):
                    same = Suit(to[action])
                    if isinstance(strategy, Random):
                        found = Suit(to[found]) if isinstance(found, Suit) else found
                    if found != same:
                        assert isinstance(found, Suit)
                        equal = Suit(to.index(found))
                        worth = [worth_of_trump(strategy, view, suit) for suit in (action, equal)]
                        assert worth[0] == worth[1]
                        assert to[action] > to[equal] and action < equal
                        seen["an equal trump"] += 1
                elif isinstance(action, Card):
                    same = relabelled_card(action, to)
                    if found != same:
                        assert isinstance(found, Card)
                        assert state.trump is not None
                        assert not keeps_green_order(state.trump, to)
                        back = Card.of(found.rank, Suit(to.index(found.suit)))
                        assert are_equals(strategy, view, action, back)
                        seen["an equal card"] += 1
                else:
                    assert found == action
                seen["the same"] += found == same
                others[to] = other.act(same)
            state = state.act(action)
        for other in others.values():
            assert (other.points, other.taken) == (state.points, state.taken)
    assert seen["the same"] > 2_000
    assert seen["an equal card"] > 0
    assert seen["an equal trump"] > 0 or "novice" not in names


# -------------------------------------------------------------------------- what nobody can see


def exchanged(state: DealState, lies: dict[Card, Card]) -> DealState:
    """The same moment with other cards in the places of some."""

    def moved(cards: Iterable[Card]) -> tuple[Card, ...]:
        return tuple(lies.get(card, card) for card in cards)

    first, second, third = map(moved, state.hands)
    return dataclasses.replace(
        state,
        deal=Deal([Hand(moved(hand)) for hand in state.deal.hands]),
        hands=(first, second, third),
    )


def decisions(
    at_table: Three, deals: int, detection: float | None
) -> Iterator[tuple[DealState, Strategy, Action]]:
    """Every decision of some deals, and what was decided."""
    for index in range(deals):
        state = DealState.start(
            Deal.random(13, index), index % 3, seed=13, index=index, revoke_detection=detection
        )
        while state.to_act is not None:
            strategy = at_table[state.to_act]
            action = next_action(state, strategy)
            yield state, strategy, action
            state = state.act(action)


def decided_otherwise(at_table: Three, deals: int, detection: float | None) -> int:
    """In how many decisions other hidden cards, three times, would have made a difference."""
    lot, differences = random.Random(3), 0
    for state, strategy, action in decisions(at_table, deals, detection):
        assert state.to_act is not None
        hidden = list(state.view(state.to_act).unseen)
        assert len(hidden) == 24 - state.view(state.to_act).seen.bit_count()
        for _ in range(3):
            other = exchanged(
                state, dict(zip(hidden, lot.sample(hidden, len(hidden)), strict=True))
            )
            held = [card for hand in other.hands for card in hand]
            out = other.ghost if other.dead is None else other.dead
            assert out is not None
            assert sorted([*held, *out, *other.plays]) == list(map(Card.from_index, range(24)))
            differences += next_action(other, strategy) != action
    return differences


@pytest.mark.parametrize(
    ("names", "detection"),
    [
        (("random", "random", "random"), None),
        (("novice", "steady", "novice"), None),
        (("steady", "steady", "steady"), None),
        (("odds", "odds", "steady"), None),
        (("cheat", "cheat", "cheat"), 0.5),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, tuple) else "",
)
def test_hidden_cards_change_no_decision(
    names: tuple[str, str, str], detection: float | None
) -> None:
    assert decided_otherwise(three(*names), 12, detection) == 0


def test_hidden_cards_change_the_decisions_of_one_that_sees_them() -> None:
    assert decided_otherwise(three("peek", "peek", "peek"), 4, None) > 20


# -------------------------------------------------------------------- three equals win a third each

#: Of how many intervals at once 99.9999 % shall hold what is true.
N_INTERVALS = 3 * len(HONEST)
Z = NormalDist().inv_cdf(1 - 1e-6 / (2 * N_INTERVALS))


@pytest.mark.parametrize("name", HONEST)
def test_three_equals_win_a_third_each(name: str) -> None:
    """Over games in which each seat deals first as often: the first dealer may have it better.

    Three binomials, with chances that add up to 1, scatter no more than one with a third.
    """
    n = 40_000
    options: dict[str, Any] = {}
    if name == "random":  # points are lost by lot: 32 would take hundreds of deals
        n, options = 22_000, {"rules": Rules(target=2)}
    if name == "cheat":
        options = {"rules": NO_SWAP, "revoke_detection": 0.5}
    wins = np.zeros((3, 3), dtype=np.int64)
    for first_dealer in range(3):
        found = play_games(
            [name] * 3,
            n,
            seed=2024,
            start=first_dealer * n,
            first_dealer=first_dealer,
            n_jobs=2,
            **options,
        )
        won = found.winner[found.winner >= 0]
        wins[first_dealer] = np.bincount(won, minlength=3)
        assert len(won) > 0.99 * n
    total = int(wins.sum())
    reach = Z * math.sqrt(total * 2 / 9)
    assert reach < 0.01 * total  # a seat that won one game in a hundred more would show
    assert (abs(wins.sum(axis=0) - total / 3) < reach).all()
    # Seen from the first dealer, it is the same whoever he is.
    from_dealer = np.array([np.roll(row, -dealer) for dealer, row in enumerate(wins)])
    assert chi2_contingency(from_dealer).pvalue > 1e-6 / len(HONEST)


@pytest.mark.parametrize("name", EVERY)
def test_three_equals_score_the_same(name: str) -> None:
    """Points of a deal by seat, over deals that each seat deals as often, and from the dealer."""
    options: dict[str, Any] = {"rules": STUCK_DEALER} if name == "novice" else {}
    n = 30_000 if name == "peek" else 100_000
    points = play_deals([name] * 3, n, seed=7, n_jobs=2, **options).points.astype(np.int64)
    for seat in range(3):
        apart = points[:, seat] - points[:, (seat + 1) % 3]
        assert abs(apart.mean()) < Z * apart.std() / math.sqrt(n)
    places = [points[dealer::3, (dealer + place) % 3] for place in range(3) for dealer in range(3)]
    for at in range(0, 9, 3):
        for one, other in ((at, at + 1), (at + 1, at + 2)):
            error = math.hypot(places[one].std(), places[other].std()) / math.sqrt(n / 3)
            assert abs(places[one].mean() - places[other].mean()) < Z * error


def test_lots_are_fair() -> None:
    n = 40_000
    found = play_deals(["random"] * 3, n, seed=21)
    first = (found.dealer + 1) % 3
    named = found.trump[found.declarer >= 0]
    draws = [
        (found.swapper == first, 1 / 2),
        *((found.bids[:, 0] == bid, 1 / 5) for bid in (0, 3, 4, 5, 6)),
        *((found.bids[found.bids[:, 0] == 4, 1] == bid, 1 / 3) for bid in (0, 5, 6)),
        *((named == suit, 1 / 4) for suit in range(4)),
    ]
    for drawn, chance in draws:
        assert abs(drawn.mean() - chance) < Z * math.sqrt(chance * (1 - chance) / len(drawn))
