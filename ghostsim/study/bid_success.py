"""Study ``bid-success``: how often does each bid make, and which bid is worth most?"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pandas as pd

from ghostsim.cards import Suit
from ghostsim.class_odds import LAYOUTS, MODEL, ClassOdds, class_odds
from ghostsim.rules import Bid
from ghostsim.simulate.runner import Runner
from ghostsim.simulate.solo import simulate_bids
from ghostsim.study.hands import (
    HOLDING,
    HOLDING_COLUMNS,
    MODEL_NOTE,
    class_frame,
    mean_over_hands,
    means_by,
    percent,
    rules_note,
    signed_points,
)
from ghostsim.study.registry import STUDIES
from ghostsim.study.result import Announce, Column, Parameters, StudyResult, Table
from ghostsim.study.simulated import check_sentence, check_table


def run(parameters: Parameters, announce: Announce, runner: Runner) -> StudyResult:
    """Count the odds of all hand classes, check them by simulation, lay out the tables."""
    announce.say("counting the odds of all 18,133 kinds of hand ...")
    odds = class_odds(parameters.rules)
    bids = _bids(odds)
    tables = {"bids": bids, "by_holding": _by_holding(odds)}
    notes = _notes(parameters)
    if parameters.deals:
        tables["check"] = _check(parameters, runner, bids.frame, odds)
        notes = (*notes, check_sentence(tables["check"]))
    tables["classes"] = _classes(odds)
    study = STUDIES["bid-success"]
    return StudyResult(
        study=study.name,
        question=study.question,
        answer=_answer(bids.frame),
        notes=notes,
        parameters=parameters,
        tables=tables,
        unprinted=("classes",),
        charts=("bid_success_by_holding", "bid_points"),
    )


def _bid_columns(odds: ClassOdds) -> dict[str, Column]:
    columns = {f"p_make_{bid}": Column(f"P(make {bid})", percent) for bid in odds.rules.bids}
    return columns | {
        f"points_{bid}": Column(f"points {bid}", signed_points) for bid in odds.rules.bids
    }


def _bids(odds: ClassOdds) -> Table:
    hands = odds.classes.hands
    n_hands = int(hands.sum())
    made, totals = odds.made().max(axis=1), odds.totals.max(axis=1)
    best, _ = odds.best_actions()
    rows = []
    for i, bid in enumerate(odds.rules.bids):
        chosen = best == i
        rows.append(
            {
                "bid": str(bid),
                "p_make": mean_over_hands(hands, made[:, i]),
                "points": mean_over_hands(hands, totals[:, i]),
                "share_profitable": int(hands[totals[:, i] > 0].sum()) / n_hands,
                "share_best": int(hands[chosen].sum()) / n_hands,
                "points_when_best": mean_over_hands(hands[chosen], totals[chosen, i])
                if chosen.any()
                else np.nan,
            }
        )
    passes = int(hands[best < 0].sum()) / n_hands
    rows.append({"bid": "pass", "points": 0.0, "share_best": passes, "points_when_best": 0.0})
    columns = {
        "bid": Column("bid"),
        "p_make": Column("P(make)", functools.partial(_or_dash, percent)),
        "points": Column("mean points", signed_points),
        "share_profitable": Column("better than a pass", functools.partial(_or_dash, percent)),
        "share_best": Column("best of all", percent),
        "points_when_best": Column(
            "mean points when best", functools.partial(_or_dash, signed_points)
        ),
    }
    title = (
        "each bid on every hand, good or bad, all 134,596 as likely; P(make) in the trump that "
        "makes it most, points in the trump that scores most; shares are of hands "
        f"(exact, {MODEL}, {odds.rules})"
    )
    return Table(title, pd.DataFrame(rows), columns)


def _or_dash(form: Callable[[float], str], value: float) -> str:
    """A number in a format, or a dash where it is missing."""
    return "-" if pd.isna(value) else form(value)


def _by_holding(odds: ClassOdds) -> Table:
    made, totals = odds.made().max(axis=1), odds.totals.max(axis=1)
    best, _ = odds.best_actions()
    sums = {}
    for i, bid in enumerate(odds.rules.bids):
        sums[f"p_make_{bid}"] = made[:, i]
    for i, bid in enumerate(odds.rules.bids):
        sums[f"points_{bid}"] = totals[:, i]
    sums["share_pass"] = np.where(best < 0, LAYOUTS, 0)
    frame = means_by(class_frame(odds.classes)[HOLDING], odds.classes.hands, sums)
    columns = {**HOLDING_COLUMNS, **_bid_columns(odds), "share_pass": Column("pass", percent)}
    title = (
        "by what you see: longest trump holding (left bower included), bowers in it, aces outside "
        f"it; 'pass' is the share of hands on which no bid is worth more than 0 (exact, {MODEL})"
    )
    return Table(title, frame, columns)


def _classes(odds: ClassOdds) -> Table:
    frame = class_frame(odds.classes)
    made, totals = odds.made(), odds.totals
    for i, bid in enumerate(odds.rules.bids):
        frame[f"p_make_{bid}"] = made[:, :, i].max(axis=1) / LAYOUTS
        frame[f"p_make_trump_{bid}"] = [
            Suit(t).letter for t in made[:, :, i].argmax(axis=1).tolist()
        ]
        frame[f"points_{bid}"] = totals[:, :, i].max(axis=1) / LAYOUTS
        frame[f"points_trump_{bid}"] = [
            Suit(t).letter for t in totals[:, :, i].argmax(axis=1).tolist()
        ]
    columns = {"hand": Column("hand"), **HOLDING_COLUMNS, **_bid_columns(odds)}
    return Table(f"every kind of hand (exact, {MODEL})", frame, columns)


def _check(parameters: Parameters, runner: Runner, bids: pd.DataFrame, odds: ClassOdds) -> Table:
    estimates = simulate_bids(
        parameters.deals,
        seed=parameters.seed,
        rules=parameters.rules,
        level=parameters.level,
        runner=runner,
    )
    rows = []
    for i, bid in enumerate(odds.rules.bids):
        rows.append((f"make {bid}", "share", float(bids["p_make"][i]), estimates.made[i]))
    for i, bid in enumerate(odds.rules.bids):
        rows.append((f"bid {bid}", "points", float(bids["points"][i]), estimates.points[i]))
    return check_table(parameters.ran(estimates.made[0].n), rows)


def _answer(bids: pd.DataFrame) -> str:
    by_bid = bids.set_index("bid")
    named = [bid for bid in by_bid.index if bid != "pass"]
    makes = ", ".join(f"{_spoken(bid)}: {by_bid['p_make'][bid]:.1%}" for bid in named)
    best = ", ".join(
        f"{_spoken(bid)} on {by_bid['share_best'][bid]:.1%}"
        for bid in named
        if by_bid["share_best"][bid] > 0
    )
    passed = by_bid["share_best"]["pass"]
    best = f"the best action is {best} of hands" if best else "no bid is better than a pass"
    return (
        f"In the best trump, over all hands, bids make this often: {makes} (exact). With nobody "
        f"else in the auction {best}, and a pass is best on {passed:.1%}."
    )


def _spoken(bid: str) -> str:
    return "the moon" if bid == str(Bid.MOON) else f"bid {bid}"


def _notes(parameters: Parameters) -> tuple[str, ...]:
    overcall = "" if parameters.rules.min_bid > Bid.FOUR else " Bid higher only to overcall."
    return (
        MODEL_NOTE,
        "The lowest bid that is legal always beats a middle one: it scores the same tricks and is "
        "set less."
        + overcall
        + " The trump that a bid is best in need not be the longest holding.",
        rules_note(parameters.rules),
    )
