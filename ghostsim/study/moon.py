"""Study ``moon``: when should you shoot the moon, and what do its points buy?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ghostsim.class_odds import MODEL, ClassOdds, class_odds
from ghostsim.rules import Bid, Rules
from ghostsim.simulate.moments import table_model
from ghostsim.simulate.moon import (
    DEALS_PER_GAME,
    MAX_DEALS,
    THUMB_BASE,
    THUMB_COUNTS,
    MoonResults,
    ThumbAtTable,
    plain_moon,
    simulate_moons,
    simulate_thumbs,
)
from ghostsim.simulate.runner import Runner
from ghostsim.stats import Estimate
from ghostsim.strategies import check_strategies
from ghostsim.study.hands import (
    HOLDING,
    HOLDING_COLUMNS,
    MODEL_NOTE,
    points,
    whole,
)
from ghostsim.study.moon_odds import MoonOdds, moon_odds, rules_of_thumb, shooting
from ghostsim.study.played import (
    fixed,
    flat,
    or_dash,
    players_note,
    rules_sentence,
    seats_of,
    signed,
    small_percent,
    span,
    table_title,
)
from ghostsim.study.registry import STUDIES
from ghostsim.study.result import Announce, Column, Parameters, StudyResult, Table

#: Points of a moon that is made, and of one that is set, counted exactly ...
MOON_POINTS = (6, 9, 12, 18, 24, 36, 48)
MOON_SET_POINTS = (3, 6, 12, 24)
#: ... and those played at a table: for each odds tabulates anew.
TABLE_MOON_POINTS = (6, 12, 24, 36)
TABLE_MOON_SET_POINTS = (3, 6, 12, 24)

#: One in so many of the games is played with the rules of thumb as well: they take twelve plays.
GAMES_PER_THUMB_GAME = 6

_share = or_dash(small_percent)
_points = or_dash(points)
_two = fixed(2)
_signed, _signed_two, _change = signed(3), signed(2), signed(1, "%")


def run(parameters: Parameters, announce: Announce, runner: Runner) -> StudyResult:
    """Count the exact odds of the moon, play the games, lay out the tables."""
    announce.say("counting the odds of all 18,133 kinds of hand ...")
    rules = parameters.rules
    odds = class_odds(rules)
    now = moon_odds(odds, rules)
    others = points_grid(rules, TABLE_MOON_POINTS, TABLE_MOON_SET_POINTS)[1:]
    seats = seats_of(parameters)
    announce.say(
        f"reading what the strategies do with every hand, under {len(others) + 1} sets of rules ..."
    )
    found = simulate_moons(
        parameters.games or 0,
        seats,
        others,
        seed=parameters.seed,
        rules=rules,
        level=parameters.level,
        runner=runner,
    )
    ran = parameters.ran(found.games)
    thumbs = simulate_thumbs(
        thumb_games(ran),
        seats,
        seed=parameters.seed,
        rules=rules,
        level=parameters.level,
        runner=runner,
    )
    tables = {
        "when": _when(now),
        "thumb": _thumb(now),
        "thumb_at_table": _thumb_at_table(thumbs, seats, ran),
        "standing": _standing(odds, rules),
        "points": _grid(odds, rules),
        "at_table": _at_table(found, ran),
        "players": _players(found, ran),
        "table_points": _table_points(found, ran),
        "table_games": _table_games(found, ran),
    }
    study = STUDIES["moon"]
    return StudyResult(
        study=study.name,
        question=study.question,
        answer=_answer(now, found),
        notes=_notes(found, thumbs, seats, rules),
        parameters=parameters,
        tables=tables,
        unprinted=(),
        charts=("moon_points",),
    )


def thumb_games(parameters: Parameters) -> int:
    """How many games are played with the rules of thumb."""
    return max(2, (parameters.games or 0) // GAMES_PER_THUMB_GAME)


def points_grid(rules: Rules, made: Sequence[int], missed: Sequence[int]) -> tuple[Rules, ...]:
    """The rules, and the same with another number of points for a moon made, or one set."""
    grid = [rules]
    grid += [rules.replace(moon_points=score) for score in made]
    grid += [rules.replace(moon_set_points=score) for score in missed]
    return tuple(dict.fromkeys(grid))


def _in_order(grid: Sequence[Rules]) -> list[Rules]:
    """By what a made moon scores, then by what one that is set costs."""
    first = grid[0]
    made = [rules for rules in grid if rules.moon_set_points == first.moon_set_points]
    missed = [rules for rules in grid if rules.moon_set_points != first.moon_set_points]
    return [
        *sorted(made, key=lambda rules: rules.moon_points),
        *sorted(missed, key=lambda rules: rules.moon_set_points),
    ]


# ------------------------------------------------------------------------------------------ exact


_EXACT = f"exact, {MODEL}, solo"


def _when(odds: MoonOdds) -> Table:
    frame = shooting(odds)
    columns = {
        **HOLDING_COLUMNS,
        "shoots": Column("should shoot", _share),
        "p_make": Column("P(make)", _share),
        "break_even": Column("break-even", _share),
        "moon": Column("the moon", _signed),
        "next": Column("next best", _points),
        "gain": Column("gain a moon", _points),
    }
    every = odds.classes()
    kinds, hands = len(every.groupby(HOLDING)), int(odds.hands.sum())
    title = (
        "by what you see, the hand's best suit (most trumps, then bowers, then aces outside it): "
        "hands, the share of them that should shoot, and of those that should: how often the moon "
        "makes, how often it must make to be worth the next best bid or a pass, what both are "
        f"worth, and the difference, in points; {kinds - len(frame)} of {kinds} kinds, with "
        f"{whole(hands - frame['hands'].sum())} of {whole(hands)} hands, should never shoot and "
        f"are left out ({_EXACT})"
    )
    return Table(title, frame, columns)


def _thumb(odds: MoonOdds) -> Table:
    columns = {
        "rule": Column("shoot by"),
        "shoots": Column("hands", _share),
        "p_make": Column("P(make)", _share),
        "gain": Column("gain over never", _signed),
        "lost": Column("lost to the exact odds", points),
    }
    title = (
        "rules of thumb, for a hand that is kept where nobody else bids, not at the table (see the "
        "next): the share of hands they shoot on, how often it makes, and points a deal over all "
        "hands. Hand count: trumps + bowers + outside aces, in the suit where that is most. Clean: "
        f"the right bower, and beside trumps nothing but unbroken runs from an ace ({_EXACT})"
    )
    return Table(title, rules_of_thumb(odds), columns)


def _thumb_at_table(
    thumbs: Sequence[ThumbAtTable], seats: tuple[str, str, str], parameters: Parameters
) -> Table:
    names = {
        count: f"a count of {count} or more" if count < THUMB_COUNTS[-1] else "never"
        for count in THUMB_COUNTS
    }
    rows = [
        {
            "rule": names[one.count],
            "strategy": f"steady:moon={one.count}",
            **flat("won", one.won),
            **flat("more_won", one.more_won),
            **flat("points", one.points),
            **flat("more_points", one.more_points),
            "unfinished": one.unfinished,
        }
        for one in thumbs
    ]
    columns = {
        "rule": Column("shoot by"),
        "won": Column("games won", _share, interval=True),
        "more_won": Column("won more", _change, interval=True),
        "points": Column("points a deal", _two, interval=True),
        "more_points": Column("points more", _signed_two, interval=True),
    }
    title = (
        f"rules of thumb at the table: one seat plays steady but for the hand count from which it "
        f"shoots, the others are {_others(seats)}; each seat in turn, with the same cards; "
        f"more: than from a count of {THUMB_BASE}, of games in percentage points"
    )
    games = thumb_games(parameters)
    amount = f"{games:,} games, {games * DEALS_PER_GAME:,} deals, each in three seats"
    return Table(table_title(title, parameters, amount), pd.DataFrame(rows), columns)


def _others(seats: tuple[str, str, str]) -> str:
    names = [strategy.name for strategy in check_strategies(seats)]
    return names[0] if len(set(names)) == 1 else f"two of {', '.join(names)}"


def _summary(odds: MoonOdds) -> dict[str, float]:
    share = odds.share_that_shoots()
    gain = odds.gain_per_deal()
    return {
        "shoots": share,
        "p_make": odds.p_make_if_shot(),
        "break_even": odds.mean_break_even(),
        "gain": gain,
        "gain_if_shot": gain / share if share else np.nan,
    }


_SUMMARY_COLUMNS = {
    "shoots": Column("hands that shoot", _share),
    "p_make": Column("P(make), if shot", _share),
    "break_even": Column("break-even of these", _share),
    "gain": Column("gain a deal", points),
    "gain_if_shot": Column("gain a moon", _points),
}


def _standing(odds: ClassOdds, rules: Rules) -> Table:
    levels = [None, *(bid for bid in rules.bids if bid < Bid.MOON)]
    rows = [
        {"standing": "no bid" if bid is None else str(bid), **_summary(moon_odds(odds, rules, bid))}
        for bid in levels
    ]
    columns = {"standing": Column("bid before"), **_SUMMARY_COLUMNS}
    title = (
        "over somebody's bid, which must be exceeded; a pass is taken to be worth nothing, as "
        f"odds takes it; gain over the same hand without a moon, in points ({_EXACT})"
    )
    return Table(title, pd.DataFrame(rows), columns)


_POINTS_COLUMNS = {
    "moon_points": Column("moon scores"),
    "moon_set_points": Column("set costs"),
}
_BY_POINTS = "the same cards by what a made moon scores and what a set one costs; strategies adapt"


def _grid(odds: ClassOdds, rules: Rules) -> Table:
    rows = [
        {
            "moon_points": one.moon_points,
            "moon_set_points": one.moon_set_points,
            **_summary(moon_odds(odds, one)),
        }
        for one in _in_order(points_grid(rules, MOON_POINTS, MOON_SET_POINTS))
    ]
    title = (
        "how rate and value move with what a made moon scores and what a set one costs; gain over "
        f"the same hand without a moon, in points ({_EXACT})"
    )
    return Table(title, pd.DataFrame(rows), {**_POINTS_COLUMNS, **_SUMMARY_COLUMNS})


# -------------------------------------------------------------------------------------- the table


def _title(what: str, parameters: Parameters) -> str:
    games = parameters.games or 0
    amount = f"{games:,} games, {games * DEALS_PER_GAME:,} deals"
    return table_title(what, parameters, amount)


def _at_table(found: MoonResults, parameters: Parameters) -> Table:
    first, worth = found.tables[0], found.worth
    rows: list[tuple[str, str, str, Estimate | None]] = [
        ("bid", "deals in which the moon is bid", "%", first.bid),
        ("made", "moons that are made", "%", first.made),
        ("swapped", "moons bid after a swap", "%", first.swapped),
        ("points", "the shooter's points, a moon", "points", first.points),
        ("plain", "the same seat on the same deal, if a moon scored 6", "points", worth.plain),
        ("gain", "the difference", "points", worth.gain),
        ("others", "the difference for the other two together", "points", worth.others),
        ("decided", "games that end with a made moon of the winner", "%", first.decided),
        ("winners", "games won by a player who made a moon", "%", worth.winners),
        ("other_winner", "games with another winner, if a moon scored 6", "%", worth.other_winner),
        ("deals_per_game", "deals a game", "deals", first.deals_per_game),
    ]
    frame = pd.DataFrame(
        [
            {
                "name": name,
                "quantity": quantity,
                "unit": unit,
                **flat("value", estimate, 100 if unit == "%" else 1),
                "n": 0 if estimate is None else estimate.n,
                "method": "" if estimate is None else estimate.method,
            }
            for name, quantity, unit, estimate in rows
        ]
    )
    columns = {
        "quantity": Column("at the table"),
        "value": Column("value", _two, interval=True),
        "unit": Column("unit"),
    }
    title = (
        "how often the moon is bid and made, what its points bring, and what they decide; 'if a "
        "moon scored 6': the same cards under such rules, to which the strategies adapt"
    )
    return Table(_title(title, parameters), frame, columns)


def _players(found: MoonResults, parameters: Parameters) -> Table:
    rows = [
        {"did": one.did, **flat("players", one.players), **flat("won", one.won)}
        for one in found.players
    ]
    columns = {
        "did": Column("moons in the game"),
        "players": Column("players", _share, interval=True),
        "won": Column("of these won the game", _share, interval=True),
    }
    title = "players of decided games, by what they did with moons; a third of all players win"
    return Table(_title(title, parameters), pd.DataFrame(rows), columns)


def _table_points(found: MoonResults, parameters: Parameters) -> Table:
    by_rules = {one.rules: one for one in found.tables}
    rows = []
    for rules in _in_order([one.rules for one in found.tables]):
        one = by_rules[rules]
        rows.append(
            {
                "moon_points": rules.moon_points,
                "moon_set_points": rules.moon_set_points,
                **flat("bid", one.bid),
                **flat("made", one.made),
                **flat("points", one.points),
            }
        )
    columns = {
        **_POINTS_COLUMNS,
        "bid": Column("deals with a moon", _share, interval=True),
        "made": Column("made", _share, interval=True),
        "points": Column("points a moon", _two, interval=True),
    }
    return Table(_title(f"deals, {_BY_POINTS}", parameters), pd.DataFrame(rows), columns)


def _table_games(found: MoonResults, parameters: Parameters) -> Table:
    by_rules = {one.rules: one for one in found.tables}
    rows = []
    for rules in _in_order([one.rules for one in found.tables]):
        one = by_rules[rules]
        rows.append(
            {
                "moon_points": rules.moon_points,
                "moon_set_points": rules.moon_set_points,
                **flat("deals_per_game", one.deals_per_game),
                **flat("decided", one.decided),
                **flat("more_decided", one.more_decided),
                "unfinished": one.unfinished,
            }
        )
    columns = {
        **_POINTS_COLUMNS,
        "deals_per_game": Column("deals a game", _two, interval=True),
        "decided": Column("decided by a moon", _share, interval=True),
        "more_decided": Column("change", _change, interval=True),
    }
    title = (
        f"games, {_BY_POINTS}; decided: by a made moon of the winner, and the change game by "
        "game, in percentage points"
    )
    return Table(_title(title, parameters), pd.DataFrame(rows), columns)


# ---------------------------------------------------------------------------------------- in words


def _answer(odds: MoonOdds, found: MoonResults) -> str:
    first, worth, rules = found.tables[0], found.worth, odds.rules
    share, even = small_percent(odds.share_that_shoots()), odds.mean_break_even()
    if odds.share_that_shoots() == 0:
        when = (
            "Never shoot: under these rules no hand is worth more as a moon than as another bid or "
            "a pass (exact)"
        )
    elif np.isnan(even):
        when = f"Shoot on {share} of hands (exact)"
    else:
        when = (
            f"Shoot when the moon makes more often than about {even:.0%} (exact: the mean of the "
            f"{share} of hands that should)"
        )
    if not first.made:
        return f"{when}; at the table nobody bid one."
    if rules == plain_moon(rules):
        return f"{when}; its points are those of its six tricks, and buy no more."
    buys = f"{when}; its {rules.moon_points} points bring the shooter "
    buys += f"{span(worth.gain, _signed_two)} more than a moon of 6 would"
    if worth.other_winner is None:
        return f"{buys}."
    return f"{buys}, and change the winner of {span(worth.other_winner, small_percent)} of games."


def _given_up(thumbs: Sequence[ThumbAtTable]) -> str:
    lost = sum(one.unfinished for one in thumbs)
    return (
        f" {lost:,} of these games were given up after {MAX_DEALS:,} deals, and are not won."
        if lost
        else ""
    )


def _break_even_sentence(rules: Rules) -> str:
    if rules.set_keeps_tricks or rules.moon_points + rules.moon_set_points <= 0:
        return ""
    stake = rules.moon_points + rules.moon_set_points
    alone = rules.moon_set_points / stake
    return (
        f"Break-even: a moon that makes with chance p is worth {rules.moon_points} p - "
        f"{rules.moon_set_points} (1 - p), so it must make with (next best points + "
        f"{rules.moon_set_points}) / {stake}: {small_percent(alone)} if the hand would pass. "
    )


def _notes(
    found: MoonResults,
    thumbs: Sequence[ThumbAtTable],
    seats: tuple[str, str, str],
    rules: Rules,
) -> tuple[str, ...]:
    model = table_model([strategy.name for strategy in check_strategies(seats)])
    first = found.tables[0]
    unfinished = (
        f" {first.unfinished:,} games were given up after {MAX_DEALS:,} deals, and count as not "
        "decided by a moon."
        if first.unfinished
        else ""
    )
    return (
        _break_even_sentence(rules) + MODEL_NOTE,
        "Solo: nobody else bids, and the hand is kept. A deal has three hands, and a swap: who has "
        "traded knows six dead cards and shoots more often. The table counts that, the exact "
        "tables do not.",
        "Rules of thumb are valued twice, and need not agree. Exactly: in points, for a kept hand, "
        "against defenders who see all cards. At the table: those who have traded shoot as well, "
        "defenders see their own cards only, and games do not reward points that come at once as "
        "they do the same points one by one. To find a rule for play, read the games won at the "
        "table." + _given_up(thumbs),
        players_note(seats, model) + f" Deals: {DEALS_PER_GAME} for each game, dealt apart from "
        "the games. Seat 0 deals first in every game." + unfinished,
        "Winning goes with moons and is not all their doing: good cards do more than one thing. "
        "What the points do by themselves is told by the same cards under a moon of 6, where the "
        "strategies bid and swap by other values.",
        "Deals and games are independent units; a game has three players, so shares of players "
        "have the error of a ratio over games. [-, -]: no interval can be told.",
        rules_sentence(rules),
    )
