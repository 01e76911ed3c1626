"""Whole deals and whole games, with every decision made by a compiled strategy.

The twin of ``ghostsim.table`` and ``ghostsim.strategies``, which say the same in plain Python; the
rules of thumb are told in ``docs/strategies.md``. Cards are in lanes once trump is named (see
``relabel``): *lane order* is next, green, green, trump.

A **setting** is all that does not change from deal to deal. Strategies are numbered in it; ``who``
says which plays in each seat. Before trump a tabled strategy looks its decision up by context (what
has been bid) and by the number of the hand among all 134,596.

A **log** row has the columns named below: DEALER to CARDS + 17.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ghostsim._jit import jit
from ghostsim.kernels.bits import popcount
from ghostsim.kernels.endgame import best_tricks, highest, lane_number
from ghostsim.kernels.openings import pattern_number
from ghostsim.kernels.relabel import TRUMP_LANE, count_lengths, squeeze_lanes, to_lanes
from ghostsim.kernels.rng import ALL_CARDS, deal_masks, deal_number, decision_key, decision_word

# How a strategy bids and how it plays, in ``Setting.numbers``.
BIDS_BY_LOT, BIDS_BY_TABLE, BIDS_BY_ODDS, BIDS_BY_SIGHT = range(4)
PLAYS_BY_LOT, PLAYS_HIGH, PLAYS_CAREFULLY, PLAYS_BY_SIGHT = range(4)
#: Columns of ``Setting.numbers``.
BIDDER, PLAYER, OPEN_TOTAL, OVER_TOTAL, REVOKES = range(5)
N_NUMBERS = 5

#: Places of ``Setting.rules``; before them, the declarer's points at 7 * bid + tricks.
MIN_BID, SWAPS, DEALER_BIDS, DEALER_FIRST = 49, 50, 51, 52
DEFENDERS_SCORE, PENALTY, TARGET, DETECTION = 53, 54, 55, 56
#: From here, where the table for 0, 1, ... 4 tricks begins in ``Setting.endgames``.
ENDGAMES = 57
N_RULES = 62
#: The tables of endgames that there are.
DEPTH = 4

# Contexts of a bid: no bid before, a bid of 3, 4 or 5 before, and a dealer who must bid.
N_CONTEXTS = 5
MUST_BID = 4
#: The row of the trumps to name, after those of the contexts.
TRUMPS = 5
#: What a table entry says beside the bid: trade the hand first.
SWAP_FIRST = 8

# The numbers of a deal's decisions, for its random words.
SWAP, BID, TRUMP, PLAY, FIND = 0, 1, 6, 7, 25

# Columns of a log row; each but the dealer -1 or, for bids and tricks, 0 where there was none.
DEALER, SWAPPER, BIDS, DECLARER, CONTRACT, TRUMP_NAMED, TRICKS, CARDS = 0, 1, 2, 5, 6, 7, 8, 11
LOG_COLUMNS = 29

#: Columns of a row of games.
GAME_COLUMNS = 17
(
    WINNER,
    SCORES,
    DEALS,
    REDEALS,
    TIES,
    BEHIND,
    MOONS,
    MOONS_SET,
    LAST_DECLARER,
    LAST_BID,
    LAST_MADE,
) = (0, 1, 4, 5, 6, 7, 8, 11, 14, 15, 16)

ALL_LANES = 0x1F | 0x3F << 8 | 0x3F << 16 | 0x7F << 24
PLAIN_LANES = ALL_LANES & ~TRUMP_LANE

#: The plain rank of each bit of the plain lanes (9 0, 10 1, J 2, Q 3, K 4, A 5): next has no jack.
RANKS = np.array(
    [0, 1, 3, 4, 5, 0, 0, 0, *([0, 1, 2, 3, 4, 5, 0, 0] * 2), *([0] * 8)], dtype=np.int64
)


def _card_numbers() -> NDArray[np.int8]:
    """The card number 0-23 of each lane bit, by trump; -1 where there is no card."""
    numbers = np.full((4, 32), -1, dtype=np.int8)
    for trump in range(4):
        green = 2 - (trump & 2)
        suits = (trump ^ 1, green, green + 1, trump)
        slots = ([0, 1, 3, 4, 5], range(6), range(6), [0, 1, 3, 4, 5])
        for lane, (suit, ranks) in enumerate(zip(suits, slots, strict=True)):
            for slot, rank in enumerate(ranks):
                numbers[trump, 8 * lane + slot] = 6 * suit + rank
        numbers[trump, 8 * 3 + 5] = 6 * (trump ^ 1) + 2
        numbers[trump, 8 * 3 + 6] = 6 * trump + 2
    return numbers


CARD_NUMBERS = _card_numbers()


def _hand_number_tables() -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Shares of the low and of the high twelve cards in the number of a hand of six."""
    low = np.zeros(4096, dtype=np.int32)
    high = np.zeros(4096, dtype=np.int32)
    for mask in range(4096):
        slots = [slot for slot in range(12) if mask >> slot & 1]
        below = 6 - len(slots)
        low[mask] = sum(math.comb(slot, i + 1) for i, slot in enumerate(slots))
        if below >= 0:
            high[mask] = sum(math.comb(slot + 12, below + i + 1) for i, slot in enumerate(slots))
    return low, high


HAND_LOW, HAND_HIGH = _hand_number_tables()


class Setting(NamedTuple):
    """All that does not change from deal to deal.

    Few arrays, because a kernel pays for each that it hands on: a tuple of ten of them cost as
    much as the play of the cards.

    Attributes
    ----------
    policy : uint8 (strategies, 6, 134596)
        By context and number of the hand: the bid (0 to pass), plus 8 to trade the hand first. The
        last row has the trump to name for a bid of 3, 4, 5, 6: two bits each, from the lowest.
    numbers : int64 (strategies, 5)
        How each bids and plays; what a pass is worth, in points over 924 layouts, before and over
        a bid; the tricks it revokes in, a bit each.
    rules : int64 (62,)
        The declarer's points, and what the names above say. Detection: a revoke is found out if 53
        random bits are below it; negative if nobody may revoke.
    pattern_points : int32 (538356, 4)
        By opening pattern and bid (3, 4, 5, 6), the declarer's points summed over 924 layouts;
        read by strategies that bid by the odds.
    endgames : uint8 (entries,)
        The tables for 0 to 4 tricks, one after the other; read by strategies that see all cards.
    """

    policy: NDArray[np.uint8]
    numbers: NDArray[np.int64]
    rules: NDArray[np.int64]
    pattern_points: NDArray[np.int32]
    endgames: NDArray[np.uint8]


@jit()
def hand_number(hand):
    """The number of a hand among all hands of six, in increasing order of their masks."""
    return np.int64(HAND_LOW[hand & 4095]) + np.int64(HAND_HIGH[hand >> 12])


@jit()
def below(key, number, n):
    """A random number from 0 to n - 1, for one decision of a deal."""
    word = decision_word(key, number)
    return np.int64(((word >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


# ------------------------------------------------------------------------------------ the auction


@jit()
def odds_bid(hand, dead, lowest, pass_total, must_bid, pattern_points):
    """The best bid when the dead hand is known and the trump it is meant for; 0 and -1 to pass."""
    best = pass_total
    bid = 0
    named = -1
    for trump in range(4):
        by_bid = pattern_points[pattern_number(hand, dead, trump)]
        for b in range(lowest, 7):
            total = np.int64(by_bid[b - 3])
            # Equals go to a pass, then to the lower bid, then to the first trump.
            if total > best or (must_bid and bid == 0) or (total == best and b < bid):
                best = total
                bid = b
                named = trump
    return bid, named


@jit()
def odds_trump(hand, dead, bid, pattern_points):
    """The trump that is worth most for a bid when the dead hand is known; the first of equals."""
    best = 0
    named = -1
    for trump in range(4):
        total = np.int64(pattern_points[pattern_number(hand, dead, trump), bid - 3])
        if named < 0 or total > best:
            best = total
            named = trump
    return named


@jit()
def sight_tricks(own, left, right, trump, rules, endgames):
    """The tricks that a declarer takes, leading, against the coalition (card masks)."""
    declarer = to_lanes(own, trump)
    second = to_lanes(left, trump)
    keep = declarer | second | to_lanes(right, trump)
    return best_tricks(
        6,
        count_lengths(keep),
        squeeze_lanes(declarer, keep),
        squeeze_lanes(second, keep),
        0,
        0,
        0,
        6,
        DEPTH,
        endgames[rules[ENDGAMES + DEPTH] :],
    )


@jit()
def sight_bid(own, left, right, lowest, must_bid, rules, endgames):
    """The best bid by the deal as it lies, or 0 to pass, and what it scores."""
    best = 0
    bid = 0
    for trump in range(4):
        tricks = sight_tricks(own, left, right, trump, rules, endgames)
        for b in range(lowest, 7):
            total = rules[7 * b + tricks]
            if total > best or (must_bid and bid == 0) or (total == best and b < bid):
                best = total
                bid = b
    return bid, best


@jit()
def sight_trump(own, left, right, bid, rules, endgames):
    """The trump that scores most for a bid by the deal as it lies; the first of equals."""
    best = 0
    named = -1
    for trump in range(4):
        total = rules[7 * bid + sight_tricks(own, left, right, trump, rules, endgames)]
        if named < 0 or total > best:
            best = total
            named = trump
    return named


# ------------------------------------------------------------------------- the play, in lanes


@jit()
def bit_number(card):
    """The number of the bit of one card, or of the lowest of some."""
    return popcount((card & -card) - 1)


@jit()
def cheapest_card(cards):
    """Plain before trump, then the lowest rank, then the first lane."""
    plain = cards & PLAIN_LANES
    if not plain:
        return cards & -cards
    best = 0
    best_rank = 6
    for lane in range(0, 24, 8):
        lowest = plain & 0x7F << lane
        lowest &= -lowest
        if lowest:
            rank = RANKS[bit_number(lowest)]
            if rank < best_rank:
                best_rank = rank
                best = lowest
    return best


@jit()
def high_cards(cards, out):
    """Those of some cards of one lane that no card of that lane which is out beats."""
    return cards & -highest(out) if out else cards


@jit()
def careful_lead(hand, out, is_declarer):
    """The card that careful play leads."""
    trumps = hand & TRUMP_LANE
    plain = hand & PLAIN_LANES
    trumps_out = out & TRUMP_LANE
    if is_declarer and trumps > trumps_out > 0:
        return highest(trumps)
    best = 0
    most_out = -1
    for lane in range(0, 24, 8):
        own = hand & 0x7F << lane
        others = out & 0x7F << lane
        if own > others:
            n_out = popcount(others)
            if n_out > most_out:
                most_out = n_out
                best = highest(own)
    if best:
        return best
    if is_declarer and trumps_out and popcount(trumps) >= 3:
        return highest(trumps)
    if not plain:
        return highest(trumps) if trumps > trumps_out else trumps & -trumps
    if is_declarer:
        return cheapest_card(plain)
    best_key = 64
    for lane in range(0, 24, 8):
        own = plain & 0x7F << lane
        if own:
            lowest = own & -own
            key = popcount(own) << 3 | RANKS[bit_number(lowest)]
            if key < best_key:
                best_key = key
                best = lowest
    return best


@jit()
def discard(hand, out):
    """The card that careful play throws away when it is void and cannot win."""
    plain = hand & PLAIN_LANES
    if not plain:
        return hand & -hand
    best = 0
    best_key = 64
    for lane in range(0, 24, 8):
        own = plain & 0x7F << lane
        # The lowest of them is not high if and only if any card that is out beats it.
        lowest = own & -own
        if own and out & 0x7F << lane > lowest:
            key = RANKS[bit_number(lowest)] << 3 | popcount(own)
            if key < best_key:
                best_key = key
                best = lowest
    return best if best else cheapest_card(plain)


@jit()
def careful_follow(hand, out, led, winning_card, is_last):
    """The card that careful play puts on a trick; ``led`` is the lane led, all slots set."""
    suit = hand & led
    # A card beats another if it is higher in the lane led or in trump, the highest lane.
    winners = (suit if suit else hand & TRUMP_LANE) & -(winning_card << 1)
    if winners:
        if is_last or not suit:
            return cheapest_card(winners)
        high = high_cards(winners, out & led)
        if high:
            return high & -high
        return suit & -suit
    return suit & -suit if suit else discard(hand, out)


@jit()
def novice_lead(hand, is_declarer):
    """The card that a novice leads."""
    trumps = hand & TRUMP_LANE
    plain = hand & PLAIN_LANES
    if not plain or (is_declarer and trumps):
        return highest(trumps)
    best = 0
    best_rank = -1
    for lane in range(0, 24, 8):
        own = plain & 0x7F << lane
        if own:
            top = highest(own)
            rank = RANKS[bit_number(top)]
            if rank > best_rank:
                best_rank = rank
                best = top
    return best


@jit()
def novice_follow(hand, led, winning_card):
    """The card that a novice puts on a trick."""
    suit = hand & led
    winners = (suit if suit else hand & TRUMP_LANE) & -(winning_card << 1)
    if winners:
        return highest(winners)
    return suit & -suit if suit else cheapest_card(hand)


@jit()
def nth_card(cards, n):
    """Card number n of some, from the lowest lane and the lowest card."""
    for _ in range(n):
        cards &= cards - 1
    return cards & -cards


@jit()
def sight_card(seat, declarer, leader, n, hands, on_table, legal, rules, endgames):
    """The cheapest of the best cards, double dummy, declarer against both defenders.

    ``hands`` in lanes by seat, as held; ``on_table`` the cards of the trick, by seat.
    """
    own = hands[declarer] | on_table[declarer]
    left = hands[(declarer + 1) % 3] | on_table[(declarer + 1) % 3]
    keep = own | left | hands[(declarer + 2) % 3] | on_table[(declarer + 2) % 3]
    lengths = count_lengths(keep)
    own = squeeze_lanes(own, keep)
    left = squeeze_lanes(left, keep)
    table = on_table[0] | on_table[1] | on_table[2]
    depth = min(DEPTH, n - 1)
    endgame = endgames[rules[ENDGAMES + depth] :]
    best = 0
    best_value = -1
    while legal:
        card = cheapest_card(legal)
        legal ^= card
        forced = squeeze_lanes(table | card, keep)
        first = (leader - declarer) % 3
        tricks = best_tricks(n, lengths, own, left, first, forced, 0, n, depth, endgame)
        value = tricks if seat == declarer else n - tricks
        if value > best_value:
            best_value = value
            best = card
    return best


@jit()
def play_cards(
    declarer, trump, swapper, who, key, numbers, rules, endgames, hands, lanes, revokes, log
):
    """Play six tricks; write cards and tricks to the log row, revokes and those found as bits.

    ``hands`` int64 (4,), card masks by seat and the dead ones; ``lanes`` int64 (2, 3), scratch.
    """
    held, on_table = lanes[0], lanes[1]
    for seat in range(3):
        held[seat] = to_lanes(hands[seat], trump)
    dead = to_lanes(hands[3], trump) if swapper >= 0 else 0
    unplayed = ALL_LANES
    leader = declarer
    for trick in range(6):
        led = 0
        winning = 0
        winner = leader
        for seat in range(3):
            on_table[seat] = 0
        for place in range(3):
            seat = (leader + place) % 3
            played = 3 * trick + place
            strategy = who[seat]
            kind = numbers[strategy, PLAYER]
            hand = held[seat]
            suit = hand & led
            legal = suit if suit else hand
            out = unplayed & ~hand
            if seat == swapper:
                out &= ~dead
            if kind == PLAYS_BY_SIGHT:
                card = sight_card(
                    seat, declarer, leader, 6 - trick, held, on_table, legal, rules, endgames
                )
            elif kind == PLAYS_BY_LOT:
                card = nth_card(legal, below(key, PLAY + played, popcount(legal)))
            elif kind == PLAYS_HIGH:
                if place == 0:
                    card = novice_lead(hand, seat == declarer)
                else:
                    card = novice_follow(hand, led, winning)
            elif place == 0:
                card = careful_lead(hand, out, seat == declarer)
            else:
                card = careful_follow(hand, out, led, winning, place == 2)
                if (
                    rules[DETECTION] >= 0
                    and numbers[strategy, REVOKES] >> trick & 1
                    and suit
                    and led != TRUMP_LANE
                    and not suit & -(winning << 1)
                ):
                    ruffs = hand & TRUMP_LANE & -(winning << 1)
                    if ruffs:
                        card = ruffs & -ruffs
            if not card & legal:
                revokes[0] |= 1 << played
                word = decision_word(key, FIND + played)
                if np.int64(word >> np.uint64(11)) < rules[DETECTION]:
                    revokes[1] |= 1 << played
            held[seat] = hand ^ card
            on_table[seat] = card
            unplayed ^= card
            log[CARDS + played] = CARD_NUMBERS[trump, bit_number(card)]
            if place == 0:
                led = 0x7F << 8 * lane_number(card)
                winning = card
            elif card & (led | TRUMP_LANE) and card > winning:
                winning = card
                winner = seat
        log[TRICKS + winner] += 1
        leader = winner


@jit()
def play_deal(
    seed, index, dealer, who, policy, numbers, rules, pattern_points, endgames, scratch, log, points
):
    """Play deal ``index`` of a seed from the auction to the last trick.

    ``who`` int64 (3,); ``scratch`` int64 (12,). Writes ``log`` int8 (29,), ``points`` int64 (3,)
    by seat, and ``scratch[10:12]``: bit p set if card p was a revoke, and if it was found out.
    """
    hands = scratch
    revokes = scratch[10:12]
    hands[0], hands[1], hands[2] = deal_masks(deal_number(np.uint64(seed), np.uint64(index)))
    hands[3] = ALL_CARDS ^ hands[0] ^ hands[1] ^ hands[2]
    key = decision_key(np.uint64(seed), np.uint64(index))
    for column in range(LOG_COLUMNS):
        log[column] = -1
    for seat in range(3):
        log[BIDS + seat] = 0
        log[TRICKS + seat] = 0
        points[seat] = 0
    log[DEALER] = dealer
    revokes[0] = 0
    revokes[1] = 0

    standing = 0
    declarer = -1
    swapper = -1
    planned = -1  # the trump that the standing bid is meant for, if its bidder has settled it
    first = dealer if rules[DEALER_FIRST] else (dealer + 1) % 3
    for turn in range(3):
        if standing == 6:
            break
        seat = (first + turn) % 3
        strategy = who[seat]
        bidder = numbers[strategy, BIDDER]
        lowest = max(rules[MIN_BID], standing + 1)
        must_bid = rules[DEALER_BIDS] != 0 and turn == 2 and standing == 0 and seat == dealer
        can_swap = rules[SWAPS] != 0 and swapper < 0
        swaps = False
        bid = 0
        meant = -1
        if bidder == BIDS_BY_LOT:
            swaps = can_swap and below(key, SWAP + 2 * turn, 2) == 1
            choice = below(key, BID + 2 * turn, 8 - lowest)
            bid = 0 if choice == 0 else lowest + choice - 1
        elif bidder == BIDS_BY_SIGHT:
            left = hands[(seat + 1) % 3]
            right = hands[(seat + 2) % 3]
            bid, best = sight_bid(hands[seat], left, right, lowest, must_bid, rules, endgames)
            if can_swap:
                other, after = sight_bid(hands[3], left, right, lowest, must_bid, rules, endgames)
                if after > best:
                    swaps = True
                    bid = other
        else:
            context = MUST_BID if must_bid else max(standing - 2, 0)
            entry = np.int64(policy[strategy, context, hand_number(hands[seat])])
            bid = entry & 7
            if can_swap and entry & SWAP_FIRST:
                swaps = True
                if bidder == BIDS_BY_ODDS:
                    total = numbers[strategy, OVER_TOTAL if standing else OPEN_TOTAL]
                    bid, meant = odds_bid(
                        hands[3], hands[seat], lowest, total, must_bid, pattern_points
                    )
                else:
                    bid = np.int64(policy[strategy, context, hand_number(hands[3])]) & 7
        if swaps:
            hands[seat], hands[3] = hands[3], hands[seat]
            swapper = seat
        if bid:
            standing = bid
            declarer = seat
            planned = meant
            log[BIDS + turn] = bid
    log[SWAPPER] = swapper
    if declarer < 0:
        if not rules[DEALER_BIDS]:
            log[CONTRACT] = 0
            return
        declarer = dealer
        standing = rules[MIN_BID]

    strategy = who[declarer]
    bidder = numbers[strategy, BIDDER]
    own = hands[declarer]
    if planned >= 0:
        trump = planned
    elif bidder == BIDS_BY_LOT:
        trump = below(key, TRUMP, 4)
    elif bidder == BIDS_BY_SIGHT:
        left = hands[(declarer + 1) % 3]
        right = hands[(declarer + 2) % 3]
        trump = sight_trump(own, left, right, standing, rules, endgames)
    elif bidder == BIDS_BY_ODDS and swapper == declarer:
        trump = odds_trump(own, hands[3], standing, pattern_points)
    else:
        trump = np.int64(policy[strategy, TRUMPS, hand_number(own)]) >> 2 * (standing - 3) & 3
    log[DECLARER] = declarer
    log[CONTRACT] = standing
    log[TRUMP_NAMED] = trump
    lanes = scratch[4:10].reshape(2, 3)
    play_cards(
        declarer, trump, swapper, who, key, numbers, rules, endgames, hands, lanes, revokes, log
    )
    for seat in range(3):
        tricks = np.int64(log[TRICKS + seat])
        if seat == declarer:
            points[seat] = rules[7 * standing + tricks]
        elif rules[DEFENDERS_SCORE]:
            points[seat] = tricks
    if revokes[1]:
        leader = declarer
        for played in range(18):
            if played and played % 3 == 0:
                leader = trick_winner(log, played // 3 - 1, leader, trump)
            if revokes[1] >> played & 1:
                points[(leader + played % 3) % 3] -= rules[PENALTY]


@jit()
def trick_winner(log, trick, leader, trump):
    """The seat that won a trick of a log row."""
    winner = leader
    winning = 0
    led = 0
    for place in range(3):
        card = to_lanes(1 << np.int64(log[CARDS + 3 * trick + place]), trump)
        if place == 0:
            led = 0x7F << 8 * lane_number(card) | TRUMP_LANE
            winning = card
        elif card & led and card > winning:
            winning = card
            winner = (leader + place) % 3
    return winner


@jit()
def play_deals(seed, start, dealer, who, setting, log, points, revokes):
    """Play deals ``start``, ``start`` + 1, ... of a seed, a row of the outputs each.

    ``dealer`` -1: deal i is dealt by seat i % 3. ``log`` int8 (n, 29), ``points`` int32 (n, 3),
    ``revokes`` int32 (n, 2).
    """
    policy, numbers, rules, pattern_points, endgames = setting
    scratch = np.zeros(12, dtype=np.int64)
    by_seat = np.zeros(3, dtype=np.int64)
    for i in range(len(log)):
        index = np.uint64(start) + np.uint64(i)
        deals_now = np.int64(index % np.uint64(3)) if dealer < 0 else dealer
        play_deal(
            seed,
            index,
            deals_now,
            who,
            policy,
            numbers,
            rules,
            pattern_points,
            endgames,
            scratch,
            log[i],
            by_seat,
        )
        for seat in range(3):
            points[i, seat] = by_seat[seat]
        revokes[i, 0] = scratch[10]
        revokes[i, 1] = scratch[11]


@jit()
def leaders(scores, target):
    """The seats that share the highest score, a bit each; 0 if it is below the target."""
    top = max(scores[0], scores[1], scores[2])
    if top < target:
        return 0
    seats = 0
    for seat in range(3):
        if scores[seat] == top:
            seats |= 1 << seat
    return seats


@jit()
def play_games(seed, start, first_dealer, max_deals, who, setting, out):
    """Play games ``start``, ``start`` + 1, ... of a seed, a row of ``out`` each.

    Deal d of game g is deal g * 2**32 + d of the seed, dealt by seat ``first_dealer`` + d. ``out``
    int32 (n, 17), columns WINNER to LAST_MADE; the winner is -1 if the game is not decided after
    ``max_deals`` deals.
    """
    policy, numbers, rules, pattern_points, endgames = setting
    scratch = np.zeros(12, dtype=np.int64)
    log = np.zeros(LOG_COLUMNS, dtype=np.int8)
    points = np.zeros(3, dtype=np.int64)
    scores = np.zeros(3, dtype=np.int64)
    for i in range(len(out)):
        row = out[i]
        row[:] = 0
        row[WINNER] = -1
        scores[:] = 0
        tied = 0
        for d in range(max_deals):
            index = (np.uint64(start) + np.uint64(i)) << np.uint64(32) | np.uint64(d)
            play_deal(
                seed,
                index,
                (first_dealer + d) % 3,
                who,
                policy,
                numbers,
                rules,
                pattern_points,
                endgames,
                scratch,
                log,
                points,
            )
            row[DEALS] += 1
            declarer = np.int64(log[DECLARER])
            if declarer < 0:
                row[REDEALS] += 1
                continue
            bid = np.int64(log[CONTRACT])
            made = np.int64(log[TRICKS + declarer]) >= bid
            if bid == 6:
                row[(MOONS if made else MOONS_SET) + declarer] += 1
            for seat in range(3):
                scores[seat] += points[seat]
            ahead = leaders(scores, rules[TARGET])
            if popcount(ahead) == 1:
                row[WINNER] = bit_number(ahead)
                row[LAST_DECLARER] = declarer
                row[LAST_BID] = bid
                row[LAST_MADE] = made
                row[BEHIND] = tied != 0 and not tied & ahead
                break
            if ahead:
                row[TIES] += 1
                if not tied:
                    tied = ahead
        for seat in range(3):
            row[SCORES + seat] = scores[seat]
