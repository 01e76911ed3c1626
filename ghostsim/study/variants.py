"""Study ``variants``: what does each rule change?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import pandas as pd

from ghostsim.rules import STANDARD
from ghostsim.simulate.moments import table_model
from ghostsim.simulate.runner import Runner
from ghostsim.simulate.variants import (
    DEALS_PER_GAME,
    MAX_DEALS,
    VariantResult,
    rule_variants,
    simulate_variants,
)
from ghostsim.stats import Estimate
from ghostsim.strategies import check_strategies
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

_share = or_dash(small_percent)
_two, _points = fixed(2), fixed(3)
_more, _signed, _change = signed(2), signed(3), signed(1, "%")


def run(parameters: Parameters, announce: Announce, runner: Runner) -> StudyResult:
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
        runner=runner,
    )
    ran = parameters.ran(found[0].games.games)
    tables = {
        "games": _games(found, ran),
        "moons": _moons(found, ran),
        "first_dealer": _first_dealer(found, ran),
        "deals": _deals(found, ran),
        "declarer": _declarer(found, ran),
        "defenders": _defenders(found, ran),
        "rules": _rules(found),
    }
    study = STUDIES["variants"]
    return StudyResult(
        study=study.name,
        question=study.question,
        answer=_answer(found),
        notes=_notes(found, seats, ran),
        parameters=parameters,
        tables=tables,
        unprinted=(),
        charts=("variants",),
    )


#: A change in words that also make sense after "if".
_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "target": "games go to {}",
        "moon_points": "a made moon scores {}",
        "moon_set_points": "a set moon costs {}",
        "min_bid": "the lowest bid is {}",
        "swaps_per_deal=0": "nobody may swap",
        "swaps_per_deal=1": "one may swap",
        "set_keeps_tricks=True": "a set scores its tricks",
        "set_keeps_tricks=False": "a set scores no tricks",
        "defenders_score=True": "defenders score",
        "defenders_score=False": "defenders score nothing",
        "all_pass=redeal": "three passes are redealt",
        "all_pass=dealer_bids": "a stuck dealer must bid",
        "first_bidder=left_of_dealer": "left of dealer bids first",
        "first_bidder=dealer": "the dealer bids first",
    }
)


def in_words(change: str) -> str:
    """A changed rule as a card player says it, like ``nobody may swap``.

    >>> in_words("moon_points=12"), in_words("defenders_score=False")
    ('a made moon scores 12', 'defenders score nothing')
    """
    field, _, value = change.partition("=")
    return _WORDS.get(change) or _WORDS.get(field, change).format(value)


_WORD_COLUMN = {"words": Column("one rule changed")}


def _names(one: VariantResult, found: Sequence[VariantResult]) -> dict[str, str]:
    is_long = one is found[0] and one.variant.rules != STANDARD
    rule = "as asked" if is_long else one.variant.change
    return {"rule": rule, "words": in_words(rule), "variant": one.variant.name or "-"}


def _rules(found: Sequence[VariantResult]) -> Table:
    columns = {
        **_WORD_COLUMN,
        "rule": Column("--rule"),
        "variant": Column("named variant (--rules)"),
    }
    title = "the rules that are changed, each alone, and how the command line calls them"
    return Table(title, pd.DataFrame([_names(one, found) for one in found]), columns)


def _title(what: str, parameters: Parameters, times: int = 1) -> str:
    unit = "games" if times == 1 else "deals"
    return table_title(what, parameters, f"{times * (parameters.games or 0):,} {unit}")


_MORE_GAMES = "more: than in the first row, game by game with the same cards"
_MORE_DEALS = (
    "more: than in the first row, deal by deal with the same cards; a deal in which nobody "
    "declares counts 0"
)


def _games(found: Sequence[VariantResult], parameters: Parameters) -> Table:
    rows = [
        {
            **_names(one, found),
            **flat("deals", one.games.deals),
            **flat("more_deals", one.games.more_deals),
            "unfinished": one.games.unfinished,
        }
        for one in found
    ]
    columns = {
        **_WORD_COLUMN,
        "deals": Column("deals a game", _two, interval=True),
        "more_deals": Column("more", _more, interval=True),
    }
    title = f"how long games are, one rule changed; {_MORE_GAMES}"
    return Table(_title(title, parameters), pd.DataFrame(rows), columns)


def _moons(found: Sequence[VariantResult], parameters: Parameters) -> Table:
    rows = [
        {
            **_names(one, found),
            **flat("decided", one.games.decided),
            **flat("more_decided", one.games.more_decided),
        }
        for one in found
    ]
    columns = {
        **_WORD_COLUMN,
        "decided": Column("decided by a moon", _share, interval=True),
        "more_decided": Column("more", _change, interval=True),
    }
    title = (
        "games that end with a made moon of the winner, one rule changed; "
        f"{_MORE_GAMES}, in percentage points"
    )
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
        **_WORD_COLUMN,
        "won": Column("first dealer wins", _share, interval=True),
        "more_won": Column("more", _change, interval=True),
    }
    title = f"games won by the first dealer, one rule changed; {_MORE_GAMES}, in percentage points"
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
        **_WORD_COLUMN,
        "redealt": Column("nobody bids", _share, interval=True),
        "swapped": Column("a hand is swapped", _share, interval=True),
        "moon": Column("the moon is bid", _share, interval=True),
        "is_set": Column("of bids, set", _share, interval=True),
    }
    title = "what becomes of a deal, one rule changed"
    return Table(_title(title, parameters, DEALS_PER_GAME), pd.DataFrame(rows), columns)


def _declarer(found: Sequence[VariantResult], parameters: Parameters) -> Table:
    rows = [
        {
            **_names(one, found),
            **flat("declarer", one.deals.declarer),
            **flat("more_declarer", one.deals.more_declarer),
        }
        for one in found
    ]
    columns = {
        **_WORD_COLUMN,
        "declarer": Column("declarer", _points, interval=True),
        "more_declarer": Column("more", _signed, interval=True),
    }
    title = f"points of the declarer a deal, one rule changed; {_MORE_DEALS}"
    return Table(_title(title, parameters, DEALS_PER_GAME), pd.DataFrame(rows), columns)


def _defenders(found: Sequence[VariantResult], parameters: Parameters) -> Table:
    rows = [
        {
            **_names(one, found),
            **flat("defenders", one.deals.defenders),
            **flat("more_defenders", one.deals.more_defenders),
        }
        for one in found
    ]
    columns = {
        **_WORD_COLUMN,
        "defenders": Column("both defenders", _points, interval=True),
        "more_defenders": Column("more", _signed, interval=True),
    }
    title = f"points of both defenders a deal, one rule changed; {_MORE_DEALS}"
    return Table(_title(title, parameters, DEALS_PER_GAME), pd.DataFrame(rows), columns)


def _most(
    found: Sequence[VariantResult], of: Callable[[VariantResult], Estimate | None]
) -> tuple[VariantResult, Estimate] | None:
    """The variant in which something changes most; the first of equals, None if nothing does."""
    known = [(one, estimate) for one in found[1:] if (estimate := of(one)) and estimate.value]
    return max(known, key=lambda pair: abs(pair[1].value), default=None)


def _answer(found: Sequence[VariantResult]) -> str:
    base = found[0].variant.change
    bidding = [one for one in found if not one.variant.change.startswith("target=")]
    length = _most(bidding, lambda one: one.games.more_deals)
    moons = _most(bidding, lambda one: one.games.more_decided)
    declarer = _most(bidding, lambda one: one.deals.more_declarer)
    parts = []
    if length:
        by = _by(length[1], _two, "longer", "shorter", "deals")
        parts.append(f"a game is {by} if {_if(length[0])}")
    if moons:
        by = _by(moons[1], _percent_points, "more", "fewer")
        parts.append(f"{by} games in 100 end with a moon if {_if(moons[0])}")
    if declarer:
        by = _by(declarer[1], _points, "more", "less", "points a deal")
        parts.append(f"a declarer makes {by} if {_if(declarer[0])}")
    if not parts:
        return f"No rule changed anything in these deals and games, from {base}."
    return f"The largest changes from {base}, the target aside: {'; '.join(parts)}."


def _percent_points(value: float) -> str:
    return f"{100 * value:.1f}"


def _by(
    change: Estimate, form: Callable[[float], str], more: str, less: str, unit: str = ""
) -> str:
    """How much more, or how much less, with the interval: ``3.83 [3.21, 4.45] deals longer``."""
    word = more
    if change.value < 0:
        word = less
        change = replace(change, value=-change.value, low=-change.high, high=-change.low)
    return " ".join(filter(None, (span(change, form), unit, word)))


def _if(one: VariantResult) -> str:
    """A change in words, and as an option."""
    words = in_words(one.variant.change)
    return words if words == one.variant.change else f"{words} ({one.variant.change})"


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
        "Not among the rules: revoke_penalty, which changes nothing where nobody "
        "revokes (the study revoke is about that). The target changes games, and nothing in a "
        "deal. [-, -]: no interval can be told, as for a difference that is 0 in every deal.",
        f"First row: {rules_sentence(parameters.rules).removeprefix('Rules: ')}",
    )
