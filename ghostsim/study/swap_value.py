"""Study ``swap-value``: should you trade a hand you dislike for one nobody has seen?"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ghostsim.cards import Suit
from ghostsim.class_odds import (
    LAYOUTS,
    MODEL,
    ClassOdds,
    check_swap_allowed,
    class_odds,
    class_swap_totals,
)
from ghostsim.hand_classes import counts
from ghostsim.simulate.runner import Runner
from ghostsim.simulate.solo import simulate_swap
from ghostsim.study.hands import (
    HOLDING,
    HOLDING_COLUMNS,
    MODEL_NOTE,
    class_frame,
    mean_over_hands,
    means_by,
    percent,
    points,
    rules_note,
    signed_points,
    whole,
)
from ghostsim.study.registry import STUDIES
from ghostsim.study.result import Announce, Column, Parameters, StudyResult, Table
from ghostsim.study.simulated import check_sentence, check_table

#: Hands shown on either side of break-even.
BREAK_EVEN_ROWS = 5

_ACTION_COLUMNS = {"bid": Column("bid"), "trump": Column("trump")}
_VALUE_COLUMNS = {
    "keep_points": Column("keep", points),
    "swap_points": Column("swap", points),
    "gain": Column("gain", signed_points),
}


def run(parameters: Parameters, announce: Announce, runner: Runner) -> StudyResult:
    """Count the exact values of all hand classes, check them by simulation, lay out the tables."""
    check_swap_allowed(parameters.rules)  # before the work, not after half of it
    announce.say("counting the odds of all 18,133 kinds of hand ...")
    odds = class_odds(parameters.rules)
    announce.say("trading each of them for all 18,564 ghosts ...")
    swap = class_swap_totals(parameters.rules, parameters.n_jobs)
    classes = _classes(odds, swap)
    headline = _headline(odds, swap)
    by_holding = _by_holding(odds, swap, classes)
    rule, count = _count_rule(odds, swap)
    tables = {
        "headline": headline,
        "by_holding": by_holding,
        "count_rule": rule,
        "break_even": _break_even(classes),
    }
    notes = _notes(parameters, headline.frame)
    if parameters.deals:
        tables["check"] = _check(parameters, runner, headline.frame)
        notes = (*notes, check_sentence(tables["check"]))
    classes["count"] = counts(odds.classes.masks)
    tables["classes"] = Table(
        f"every kind of hand: points a deal kept and swapped (exact, {MODEL}, solo)",
        classes,
        {"hand": Column("hand"), **HOLDING_COLUMNS, **_ACTION_COLUMNS, **_VALUE_COLUMNS},
    )
    study = STUDIES["swap-value"]
    return StudyResult(
        study=study.name,
        question=study.question,
        answer=_answer(headline.frame, classes, rule.frame, count),
        notes=notes,
        parameters=parameters,
        tables=tables,
        unprinted=("classes",),
        charts=("swap_gain_by_holding", "swap_gain_by_count"),
    )


def _classes(odds: ClassOdds, swap: NDArray[np.int64]) -> pd.DataFrame:
    """One row a class, with its best bid, its values and its gain."""
    frame = class_frame(odds.classes)
    bid, trump = odds.best_actions()
    bids = [str(bid) for bid in odds.rules.bids]
    frame["bid"] = ["pass" if i < 0 else bids[i] for i in bid]
    frame["trump"] = ["-" if i < 0 else Suit(i).letter for i in trump.tolist()]
    frame["keep_points"] = odds.keep_totals / LAYOUTS
    frame["swap_points"] = swap / LAYOUTS
    frame["gain"] = (swap - odds.keep_totals) / LAYOUTS
    return frame


def _headline(odds: ClassOdds, swap: NDArray[np.int64]) -> Table:
    hands, keep = odds.classes.hands, odds.keep_totals
    gain = swap - keep

    def share(which: NDArray[np.bool_]) -> float:
        return 100 * int(hands[which].sum()) / int(hands.sum())

    rows = [
        ("keep", "mean value if you always keep", "points", mean_over_hands(hands, keep)),
        ("swap", "mean value if you always swap", "points", mean_over_hands(hands, swap)),
        (
            "option",
            "value of having the choice, over always keeping",
            "points",
            mean_over_hands(hands, np.maximum(gain, 0)),
        ),
        ("should_swap", "hands that should swap", "%", share(gain > 0)),
        ("would_pass", "hands that would pass if kept", "%", share(keep == 0)),
    ]
    frame = pd.DataFrame(rows, columns=["name", "quantity", "unit", "value"])
    columns = {
        "quantity": Column("per deal"),
        "value": Column("exact", points),
        "unit": Column("unit"),
    }
    return Table(
        f"mean over all 134,596 hands, each as likely ({MODEL}, solo, {odds.rules})", frame, columns
    )


def _by_holding(odds: ClassOdds, swap: NDArray[np.int64], classes: pd.DataFrame) -> Table:
    frame = _gain_by(classes[HOLDING], odds, swap)
    columns = {
        **HOLDING_COLUMNS,
        **_VALUE_COLUMNS,
        "should_swap": Column("should swap", percent),
    }
    title = (
        "by what you see: longest trump holding (left bower included), bowers in it, aces outside "
        f"it; mean points a deal (exact, {MODEL}, solo)"
    )
    return Table(title, frame, columns)


def _gain_by(keys: pd.DataFrame, odds: ClassOdds, swap: NDArray[np.int64]) -> pd.DataFrame:
    keep = odds.keep_totals
    return means_by(
        keys,
        odds.classes.hands,
        {
            "keep_points": keep,
            "swap_points": swap,
            "gain": swap - keep,
            "should_swap": np.where(swap > keep, LAYOUTS, 0),
        },
    )


def _count_rule(odds: ClassOdds, swap: NDArray[np.int64]) -> tuple[Table, int]:
    """The rule of thumb "keep with a count of c or more", for every c; and the best c."""
    count = counts(odds.classes.masks)
    frame = _gain_by(pd.DataFrame({"count": count}), odds, swap)
    hands, gain = odds.classes.hands, swap - odds.keep_totals
    best = mean_over_hands(hands, np.maximum(gain, 0))
    lost = []
    for least in frame["count"]:
        by_rule = np.where(count < least, gain, 0)
        lost.append(best - mean_over_hands(hands, by_rule))
    frame["lost_by_rule"] = lost
    columns = {
        "count": Column("count"),
        "hands": Column("hands", whole),
        **_VALUE_COLUMNS,
        "should_swap": Column("should swap", percent),
        "lost_by_rule": Column("loss of keeping from here up", points),
    }
    title = (
        "by the hand count: trumps + bowers + outside aces, in the suit where that is most; the "
        "last column is what the rule 'keep with this count or more, else swap' loses to the exact "
        "choice, points a deal "
        f"(exact, {MODEL}, solo)"
    )
    return Table(title, frame, columns), int(frame["count"][int(np.argmin(lost))])


def _break_even(classes: pd.DataFrame) -> Table:
    """The classes whose gain is nearest to 0, on either side."""
    keeps = classes[classes["gain"] <= 0].nlargest(BREAK_EVEN_ROWS, "gain")
    swaps = classes[classes["gain"] > 0].nsmallest(BREAK_EVEN_ROWS, "gain")
    frame = pd.concat([swaps[::-1], keeps], ignore_index=True)
    columns = {
        "hand": Column("hand"),
        **HOLDING_COLUMNS,
        **_ACTION_COLUMNS,
        "keep_points": Column("keep", "{:.5f}".format),
        "swap_points": Column("swap", "{:.5f}".format),
        "gain": Column("gain", "{:+.5f}".format),
    }
    title = "the break-even hands: where keeping and swapping are nearest (points a deal, exact)"
    return Table(title, frame, columns)


def _check(parameters: Parameters, runner: Runner, headline: pd.DataFrame) -> Table:
    estimates = simulate_swap(
        parameters.deals,
        seed=parameters.seed,
        rules=parameters.rules,
        level=parameters.level,
        runner=runner,
    )
    exact = dict(zip(headline["name"], headline["value"], strict=True))
    return check_table(
        parameters.ran(estimates.keep.n),
        [
            ("always keep", "points", exact["keep"], estimates.keep),
            ("always swap", "points", exact["swap"], estimates.swap),
            ("the choice, over keeping", "points", exact["option"], estimates.option),
            ("should swap", "share", exact["should_swap"] / 100, estimates.should_swap),
        ],
    )


def _answer(headline: pd.DataFrame, classes: pd.DataFrame, rule: pd.DataFrame, count: int) -> str:
    exact = dict(zip(headline["name"], headline["value"], strict=True))
    low, high = classes["swap_points"].min(), classes["swap_points"].max()
    lost = float(rule.loc[rule["count"] == count, "lost_by_rule"].iloc[0])
    return (
        f"If nobody else bids, swap {exact['should_swap']:.1f}% of hands. The ghost is worth "
        f"{points(exact['swap'])} points a deal, nearly the same whatever you give up "
        f"({points(low)} to {points(high)}), a kept hand {points(exact['keep'])} on average; the "
        f"choice is worth {signed_points(exact['option'])} points a deal (all exact). Rule of "
        "thumb: in the suit where it comes to most, count your trumps, the bowers among them once "
        f"more, and your outside aces; keep with {count} or more. It loses {points(lost)} points a "
        "deal to the exact choice."
    )


def _notes(parameters: Parameters, headline: pd.DataFrame) -> tuple[str, ...]:
    exact = dict(zip(headline["name"], headline["value"], strict=True))
    return (
        f"Why {points(exact['swap'])} for a hand nobody has seen, if a hand is worth "
        f"{points(exact['keep'])}? It is no better than any other. But he who swapped knows six "
        f"dead cards before he bids, and that is worth "
        f"{signed_points(exact['swap'] - exact['keep'])} points a deal.",
        MODEL_NOTE,
        "Solo: nobody else bids, so a higher bid than the lowest pays only for a moon; a pass "
        "scores 0, and so do tricks taken in defence.",
        rules_note(parameters.rules),
    )
