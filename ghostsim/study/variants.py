"""Study ``variants``: what does each rule change?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from ghostsim.rules import STANDARD
from ghostsim.simulate.moments import table_model
from ghostsim.simulate.variants import (
    DEALS_PER_GAME,
    MAX_DEALS,
    VariantResult,
    rule_variants,
    simulate_variants,
)
from ghostsim.stats import Estimate
from ghostsim.strategies import check_strategies
from ghostsim.study.hands import points, signed_points
from ghostsim.study.played import (
    flat,
    or_dash,
    players_note,
    rules_sentence,
    seats_of,
    small_percent,
    span,
    table_title,
)
from ghostsim.study.registry import STUDIES
from ghostsim.study.result import Announce, Column, Parameters, StudyResult, Table

_share = or_dash(small_percent)
_points = or_dash(points)
_signed = or_dash(signed_points)
_two = or_dash("{:.2f}".format)


def _signed_two(value: float) -> str:
    """A difference; a plain zero where it would round to one."""
    return f"{value:+.2f}" if round(value, 2) else "0.00"


def _signed_share(value: float) -> str:
    """A difference of shares, likewise."""
    return f"{value:+.1%}" if round(value, 3) else "0.0%"


_more, _change = or_dash(_signed_two), or_dash(_signed_share)


def run(parameters: Parameters, announce: Announce) -> StudyResult:
    """Play the same cards under every variant, lay out the tables."""
    seats = seats_of(parameters)
    every = rule_variants(parameters.rules)
    announce.say(
        f"reading what the strategies do with every hand, under {len(every)} sets of rules ..."
    )
    found = simulate_variants(
        parameters.games or 0,
        seats,
        variants=every,
        seed=parameters.seed,
        level=parameters.level,
        n_jobs=parameters.n_jobs,
        progress=announce.bar("playing deals and games"),
    )
    tables = {
        "games": _games(found, parameters),
        "first_dealer": _first_dealer(found, parameters),
        "deals": _deals(found, parameters),
        "points": _points_table(found, parameters),
    }
    study = STUDIES["variants"]
    return StudyResult(
        study=study.name,
        question=study.question,
        answer=_answer(found),
        notes=_notes(found, seats, parameters),
        parameters=parameters,
        tables=tables,
        unprinted=(),
        charts=("variants",),
    )


_RULE = {"rule": Column("rule")}


def _names(one: VariantResult, found: Sequence[VariantResult]) -> dict[str, str]:
    is_long = one is found[0] and one.variant.rules != STANDARD
    rule = "as asked" if is_long else one.variant.change
    return {"rule": rule, "variant": one.variant.name or "-"}


def _title(what: str, parameters: Parameters, times: int = 1) -> str:
    unit = "games" if times == 1 else "deals"
    return table_title(what, parameters, f"{times * (parameters.games or 0):,} {unit}")


def _games(found: Sequence[VariantResult], parameters: Parameters) -> Table:
    rows = [
        {
            **_names(one, found),
            **flat("deals", one.games.deals),
            **flat("more_deals", one.games.more_deals),
            **flat("decided", one.games.decided),
            **flat("more_decided", one.games.more_decided),
            "unfinished": one.games.unfinished,
        }
        for one in found
    ]
    columns = {
        **_RULE,
        "deals": Column("deals a game", _two, interval=True),
        "more_deals": Column("deals more", _more, interval=True),
        "decided": Column("decided by a moon", _share, interval=True),
        "more_decided": Column("moons more", _change, interval=True),
    }
    title = "games, one rule changed; more: than in the first row, game by game with the same cards"
    return Table(_title(title, parameters), pd.DataFrame(rows), columns)


def _first_dealer(found: Sequence[VariantResult], parameters: Parameters) -> Table:
    rows = [
        {
            **_names(one, found),
            **flat("won", one.games.first_dealer),
            **flat("more_won", one.games.more_first_dealer),
        }
        for one in found
    ]
    columns = {
        **_RULE,
        "won": Column("first dealer wins", _share, interval=True),
        "more_won": Column("wins more", _change, interval=True),
    }
    title = (
        "games won by the first dealer, one rule changed; more: than in the first row, game by "
        "game with the same cards"
    )
    return Table(_title(title, parameters), pd.DataFrame(rows), columns)


def _deals(found: Sequence[VariantResult], parameters: Parameters) -> Table:
    rows = [
        {
            **_names(one, found),
            **flat("redealt", one.deals.redealt),
            **flat("swapped", one.deals.swapped),
            **flat("moon", one.deals.moon),
            **flat("is_set", one.deals.is_set),
        }
        for one in found
    ]
    columns = {
        **_RULE,
        "redealt": Column("nobody bids", _share, interval=True),
        "swapped": Column("a hand is swapped", _share, interval=True),
        "moon": Column("the moon is bid", _share, interval=True),
        "is_set": Column("of bids, set", _share, interval=True),
    }
    title = "what becomes of a deal, one rule changed"
    return Table(_title(title, parameters, DEALS_PER_GAME), pd.DataFrame(rows), columns)


def _points_table(found: Sequence[VariantResult], parameters: Parameters) -> Table:
    rows = [
        {
            **_names(one, found),
            **flat("declarer", one.deals.declarer),
            **flat("more_declarer", one.deals.more_declarer),
            **flat("defenders", one.deals.defenders),
            **flat("more_defenders", one.deals.more_defenders),
        }
        for one in found
    ]
    columns = {
        **_RULE,
        "declarer": Column("declarer", _points, interval=True),
        "more_declarer": Column("declarer more", _signed, interval=True),
        "defenders": Column("both defenders", _points, interval=True),
        "more_defenders": Column("defenders more", _signed, interval=True),
    }
    title = (
        "points a deal, one rule changed; more: than in the first row, deal by deal; a deal in "
        "which nobody declares counts 0"
    )
    return Table(_title(title, parameters, DEALS_PER_GAME), pd.DataFrame(rows), columns)


def _most(
    found: Sequence[VariantResult], of: Callable[[VariantResult], Estimate | None]
) -> tuple[VariantResult, Estimate] | None:
    """The variant in which something changes most; the first of equals, None if nothing does."""
    known = [(one, estimate) for one in found[1:] if (estimate := of(one)) and estimate.value]
    return max(known, key=lambda pair: abs(pair[1].value), default=None)


def _answer(found: Sequence[VariantResult]) -> str:
    base = found[0]
    bidding = [one for one in found if not one.variant.change.startswith("target=")]
    parts = []
    length = _most(bidding, lambda one: one.games.more_deals)
    if length:
        parts.append(
            f"the length of a game ({span(base.games.deals, _two)} deals) changes most by "
            f"{length[0].variant.change}, {span(length[1], _more)} deals"
        )
    decided = _most(bidding, lambda one: one.games.more_decided)
    if decided:
        parts.append(
            f"the share decided by a moon ({span(base.games.decided, small_percent)}) by "
            f"{decided[0].variant.change}, {span(decided[1], _change)}"
        )
    declarer = _most(bidding, lambda one: one.deals.more_declarer)
    if declarer:
        parts.append(
            f"a declarer's points a deal ({span(base.deals.declarer, points)}) by "
            f"{declarer[0].variant.change}, {span(declarer[1], signed_points)}"
        )
    if not parts:
        return f"No rule changed anything in these deals and games, from {base.variant.change}."
    return f"Target aside, and from {base.variant.change}: {'; '.join(parts)}."


def _named(found: Sequence[VariantResult]) -> str:
    """The named variants that some rows are."""
    named = [
        f"{one.variant.name} is {one.variant.change}"
        for one in found
        if one.variant.name and one.variant.change not in (one.variant.name, str(STANDARD))
    ]
    return f"Named variants: {', '.join(named)}. " if named else ""


def _notes(
    found: Sequence[VariantResult], seats: tuple[str, str, str], parameters: Parameters
) -> tuple[str, ...]:
    names = [strategy.name for strategy in check_strategies(seats)]
    given_up = [
        f"{one.games.unfinished:,} under {one.variant.change}"
        for one in found
        if one.games.unfinished
    ]
    unfinished = (
        f" Given up after {MAX_DEALS:,} deals, and left out: {', '.join(given_up)}."
        if given_up
        else " Every game was decided."
    )
    dealer = (
        " Seat 0 deals first in every game; the seats play differently, so that what the first "
        "dealer wins is not the worth of the deal."
        if len(set(names)) > 1
        else " Seat 0 deals first in every game."
    )
    return (
        players_note(seats, table_model(names))
        + " odds counts with the rules in force, and its bids and swaps adapt to them; rules of "
        "thumb do not.",
        "Each rule is changed alone. Game g and deal i have the same cards and the same dealer "
        "under all rules, and what is more is a mean of differences, of shares in percentage "
        "points. Points of a deal under other rules buy more or less of a game: only games tell "
        "what a rule does to it." + dealer + unfinished,
        _named(found) + "Not among the rules: revoke_penalty, which changes nothing where nobody "
        "revokes (the study revoke is about that). The target changes games, and nothing in a "
        "deal. [-, -]: no interval can be told, as for a difference that is 0 in every deal.",
        f"First row: {rules_sentence(parameters.rules).removeprefix('Rules: ')}",
    )
