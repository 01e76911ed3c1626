"""Study ``defence-model``: what do defenders lose by not helping each other?"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from ghostsim.class_odds import LAYOUTS, MODEL, ClassOdds, class_odds
from ghostsim.rules import Bid, Rules
from ghostsim.simulate.defence import (
    OBJECTIVES,
    BidDefences,
    Change,
    selfish_model,
    simulate_defences,
)
from ghostsim.simulate.runner import Runner
from ghostsim.stats import Estimate
from ghostsim.study.hands import percent, signed_points
from ghostsim.study.registry import STUDIES, StudyError
from ghostsim.study.result import Announce, Column, Parameters, StudyResult, Table
from ghostsim.study.simulated import check_sentence, check_table


def run(parameters: Parameters, announce: Announce, runner: Runner) -> StudyResult:
    """Simulate both defences on the same deals, lay out the tables."""
    announce.say("building the tables of selfish play, unless they are cached ...")
    found = simulate_defences(
        parameters.deals,
        seed=parameters.seed,
        rules=parameters.rules,
        level=parameters.level,
        runner=runner,
    )
    if not found:
        odds = class_odds(parameters.rules)
        raise StudyError(
            f"in {parameters.deals:,} deals no bid was twice worth more than a pass: ask for more "
            "--deals"
            if (odds.totals > 0).any()
            else "under these rules no bid is ever worth more than a pass: nothing to compare"
        )
    ran = parameters.ran(found[0].deals)
    tables = {
        "by_bid": _by_bid(found, ran),
        "changes": _changes(found, ran),
        "ties": _ties(found, ran),
        "check": _check(found, ran),
    }
    study = STUDIES["defence-model"]
    return StudyResult(
        study=study.name,
        question=study.question,
        answer=_answer(found, parameters.rules),
        notes=(*_notes(found, parameters.rules), check_sentence(tables["check"])),
        parameters=parameters,
        tables=tables,
        unprinted=(),
        charts=("defence_by_bid",),
    )


def _interval(estimate: Estimate) -> tuple[float, float]:
    """The ends of an interval; none where all deals agree on a mean, and tell no error of it."""
    if estimate.method == "normal" and estimate.standard_error == 0:
        return np.nan, np.nan
    return estimate.low, estimate.high


def _flat(name: str, estimate: Estimate) -> dict[str, float]:
    """An estimate as columns of a tidy frame."""
    low, high = _interval(estimate)
    return {name: estimate.value, f"{name}_low": low, f"{name}_high": high}


def _title(what: str, parameters: Parameters) -> str:
    return (
        f"{what} ({parameters.deals:,} deals, seed {parameters.seed}; in brackets "
        f"{100 * parameters.level:g}% intervals)"
    )


def _by_bid(found: Iterable[BidDefences], parameters: Parameters) -> Table:
    rows = []
    for one in found:
        for objective in OBJECTIVES:
            change = one.selfish[objective]
            rows.append(
                {
                    "bid": str(one.bid),
                    "objective": objective,
                    "deals": one.n,
                    **_flat("p_make_coalition", one.made[MODEL]),
                    **_flat("p_make_selfish", one.made[selfish_model(objective)]),
                    **_flat("differ", change.declarer),
                    **_flat("tricks", change.tricks),
                    **_flat("points", change.points),
                }
            )
    columns = {
        "bid": Column("bid"),
        "objective": Column("each for"),
        "deals": Column("deals", "{:,}".format),
        "p_make_coalition": Column("P_coalition(make)", _share, interval=True),
        "p_make_selfish": Column("P_selfish(make)", _share, interval=True),
        "differ": Column("deals that differ", _share, interval=True),
        "tricks": Column("tricks he gains", signed_points, interval=True),
        "points": Column("points he gains", "{:+.2f}".format, interval=True),
    }
    title = (
        "what the declarer gains if defenders play each for itself rather than together; a hand "
        "counts under every bid that it is worth, and the tricks he gains are those they lose"
    )
    return Table(_title(title, parameters), pd.DataFrame(rows), columns)


def _changes(found: tuple[BidDefences, ...], parameters: Parameters) -> Table:
    changes = [change.by_tricks for one in found for change in one.selfish.values()]
    seen = [tricks for tricks in range(-6, 7) if any(each[tricks].value for each in changes)]
    rows = []
    for one in found:
        for objective in OBJECTIVES:
            row: dict[str, object] = {"bid": str(one.bid), "objective": objective}
            for tricks in seen:
                row |= _flat(f"share_{tricks}", one.selfish[objective].by_tricks[tricks])
            rows.append(row)
    columns = {"bid": Column("bid"), "objective": Column("each for")}
    columns |= {f"share_{tricks}": Column(_more(tricks), _share, interval=True) for tricks in seen}
    title = "share of deals by the tricks that the declarer gains from selfish defenders"
    return Table(_title(title, parameters), pd.DataFrame(rows), columns)


def _more(tricks: int) -> str:
    return "the same" if tricks == 0 else f"{tricks:+d}"


def _ties(found: Iterable[BidDefences], parameters: Parameters) -> Table:
    rows = []
    for one in found:
        for (objective, ties), change in one.ties.items():
            rows.append(
                {
                    "bid": str(one.bid),
                    "objective": objective,
                    "ties": ties,
                    **_flat("any_seat", change.any_seat),
                    **_flat("declarer", change.declarer),
                    **_flat("tricks", change.tricks),
                    **_flat("points", change.points),
                }
            )
    columns = {
        "bid": Column("bid"),
        "objective": Column("each for"),
        "ties": Column("ties"),
        "any_seat": Column("any seat differs", _share, interval=True),
        "declarer": Column("declarer differs", _share, interval=True),
        "tricks": Column("tricks he gains", signed_points, interval=True),
        "points": Column("points he gains", "{:+.2f}".format, interval=True),
    }
    title = (
        "how often the tie rule decides: what changes if those who are indifferent turn the other "
        "way; he is the declarer"
    )
    return Table(_title(title, parameters), pd.DataFrame(rows), columns)


def _check(found: Iterable[BidDefences], parameters: Parameters) -> Table:
    odds = class_odds(parameters.rules)
    rows = [
        (f"make {one.bid}, coalition", "share", _exact_share(odds, one.bid), one.made[MODEL])
        for one in found
    ]
    return check_table(parameters, rows)


def _exact_share(odds: ClassOdds, bid: Bid) -> float:
    """How often a bid makes on the hands it is worth more than a pass on, in its richest trump."""
    i = odds.rules.bids.index(bid)
    totals = odds.totals[:, :, i]
    richest = totals.argmax(axis=1)
    worth_it = totals.max(axis=1) > 0
    made = odds.made()[np.arange(len(richest)), richest, i]
    hands = odds.classes.hands[worth_it]
    return int((made[worth_it] * hands).sum()) / (int(hands.sum()) * LAYOUTS)


def _span(estimate: Estimate) -> str:
    low, high = _interval(estimate)
    ends = "-, -" if np.isnan(low) else f"{signed_points(low)}, {signed_points(high)}"
    return f"{signed_points(estimate.value)} [{ends}]"


def _answer(found: tuple[BidDefences, ...], rules: Rules) -> str:
    first = found[0]
    change: Change = first.selfish["points"]
    other = first.ties["points", "defenders reversed"]
    spoken = "the moon" if first.bid is Bid.MOON else f"a bid of {first.bid}"
    lost = "tricks, a point each," if rules.defenders_score else "tricks"
    together, reverse = _interval(change.points), _interval(other.points)
    tie_rule = "As for the tie rule"
    if reverse[0] > together[1]:
        tie_rule = "The tie rule matters more"
    elif reverse[1] < together[0]:
        tie_rule = "The tie rule matters less"
    return (
        f"Against {spoken}, defenders who each play for their own points, and hurt the declarer "
        f"when they are indifferent, lose {change.tricks.value:.3f} {lost} a deal between them, "
        f"and the declarer gains {_span(change.points)} points. {tie_rule}: were "
        f"indifferent defenders to turn the other way, he would gain another {_span(other.points)} "
        "points a deal."
    )


def _share(value: float) -> str:
    """A percentage; small ones do not look like none."""
    return "<0.1%" if 0 < value < 0.0005 else percent(value)


def _notes(found: tuple[BidDefences, ...], rules: Rules) -> tuple[str, ...]:
    missing = [str(bid) for bid in rules.bids if bid not in [one.bid for one in found]]
    left_out = (
        f" No deals to compare for: {', '.join(missing)} (too few hands worth it)."
        if missing
        else ""
    )
    return (
        "All seats see all cards (double dummy). Seat 0 declares every hand on which the bid is "
        f"worth more than a pass by its exact odds ({MODEL}, nobody else bids), in the trump that "
        "scores most, and leads. Every way to play is solved exactly; which deals are dealt is "
        "sampled. [-, -]: all deals of the sample agree, so that no interval can be told."
        f"{left_out}",
        "Coalition: both defenders for as few of the declarer's tricks as possible. Selfish: each "
        "seat for its own tricks, or for its own points of the deal, where a declarer who is set "
        "scores the same however badly. Ties: an indifferent defender picks the least for the "
        "declarer, then the least for the other defender; an indifferent declarer the least for "
        "both, then the most even split, then the least for the left one. Only what is still to "
        "come is compared. Tricks and points may part: a declarer who is set scores the same with "
        "however many tricks.",
        f"Rules: {rules}.",
    )
