"""Study ``tie-break``: how often do two players tie at the target, and who wins it?"""

from __future__ import annotations

import pandas as pd

from ghostsim.rules import Rules
from ghostsim.simulate.runner import Runner
from ghostsim.simulate.tie_break import EXTRA, MAX_DEALS, TieBreaks, simulate_tie_breaks
from ghostsim.study.hands import whole
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

_SHARING = {"two": "two share the lead", "three": "three share it", "all": "all ties"}

_two = or_dash("{:.2f}".format)
_share = or_dash(small_percent)


def run(parameters: Parameters, announce: Announce, runner: Runner) -> StudyResult:
    """Play the games, look at those that tie, lay out the tables."""
    announce.say("reading what the strategies do with every hand ...")
    found = simulate_tie_breaks(
        seats_of(parameters),
        parameters.games or 0,
        seed=parameters.seed,
        rules=parameters.rules,
        level=parameters.level,
        runner=runner,
    )
    tables = {
        "ties": _ties(found, parameters),
        "by_gap": _by_gap(found, parameters),
        "extra": _extra(found, parameters),
        "how_won": _how_won(found, parameters),
    }
    study = STUDIES["tie-break"]
    return StudyResult(
        study=study.name,
        question=study.question,
        answer=_answer(found, parameters.rules),
        notes=_notes(found, parameters.rules),
        parameters=parameters,
        tables=tables,
        unprinted=(),
        charts=("tie_breaks",),
    )


def _title(what: str, found: TieBreaks, parameters: Parameters) -> str:
    return table_title(f"{what}; {found.model}", parameters, f"{found.games:,} games")


def _ties(found: TieBreaks, parameters: Parameters) -> Table:
    rows = [
        {
            "sharing": one.sharing,
            "games": one.games,
            **flat("of_games", one.of_games),
            **flat("again", one.again),
            **flat("extra", one.extra),
            **flat("tied_wins", one.tied_wins),
            **flat("behind_wins", one.behind_wins),
        }
        for one in found.groups
    ]
    columns = {
        "sharing": Column("at the first tie", _SHARING.__getitem__),
        "games": Column("games", whole),
        "of_games": Column("of all games", _share, interval=True),
        "again": Column("tie again", _share, interval=True),
        "extra": Column("extra deals", _two, interval=True),
        "behind_wins": Column("won from behind", _share, interval=True),
    }
    title = (
        "games in which the highest score, at the target or above, was shared: how often, mean "
        "number of extra deals, and share won by the player who was behind at the first tie"
    )
    return Table(_title(title, found, parameters), pd.DataFrame(rows), columns)


def _by_gap(found: TieBreaks, parameters: Parameters) -> Table:
    rows = [
        {
            "behind": f"{one.low}+" if one.high is None else f"{one.low}-{one.high}",
            "games": one.games,
            **flat("of_tied", one.of_tied),
            **flat("behind_wins", one.behind_wins),
            **flat("by_moon", one.by_moon),
        }
        for one in found.gaps
    ]
    columns = {
        "behind": Column("points behind"),
        "games": Column("games", whole),
        "of_tied": Column("of such ties", _share, interval=True),
        "behind_wins": Column("won from behind", _share, interval=True),
        "by_moon": Column("by a moon", _share, interval=True),
    }
    title = (
        "games in which two share the lead, by how far the third player is behind: share that he "
        "wins, and that he wins by a moon"
    )
    return Table(_title(title, found, parameters), pd.DataFrame(rows), columns)


def _extra(found: TieBreaks, parameters: Parameters) -> Table:
    rows = [
        {
            "extra": f"{number}+" if number == EXTRA[-1] else str(number),
            **flat("share", found.extra.get(number)),
        }
        for number in EXTRA
    ]
    columns = {
        "extra": Column("extra deals"),
        "share": Column("of tied games", _share, interval=True),
    }
    title = "share of tied games by the deals it took to decide them, redeals among them"
    return Table(_title(title, found, parameters), pd.DataFrame(rows), columns)


def _how_won(found: TieBreaks, parameters: Parameters) -> Table:
    rows = [
        {
            "ending": one.name,
            "games": one.games,
            **flat("of_tied", one.of_tied),
            "behind_games": one.behind_games,
            **flat("of_behind", one.of_behind),
        }
        for one in found.endings
    ]
    columns = {
        "ending": Column("in the deciding deal"),
        "games": Column("games", whole),
        "of_tied": Column("of all ties", _share, interval=True),
        "behind_games": Column("won from behind", whole),
        "of_behind": Column("share of these", _share, interval=True),
    }
    title = "by what ties are decided, and by what the player behind wins them"
    return Table(_title(title, found, parameters), pd.DataFrame(rows), columns)


def _answer(found: TieBreaks, rules: Rules) -> str:
    two, _, every = found.groups
    if not found.decided:
        return (
            f"It cannot be told: none of {found.games:,} games to {rules.target} was decided in "
            f"{MAX_DEALS:,} deals."
        )
    often = (
        f"{span(every.of_games, _share)} of games to {rules.target} are tied at the end of a deal "
        f"({every.games:,} of {found.decided:,})"
    )
    if not two.games:
        return f"{often}, and in none of them was a player behind."
    assert two.behind_wins is not None
    won = round(two.behind_wins.value * two.games)
    does = "does win" if won else "never won here"
    return (
        f"{often}; the player behind {does}: {span(two.behind_wins, _share)} of the ties that two "
        f"share ({won:,} of {two.games:,})."
    )


def _notes(found: TieBreaks, rules: Rules) -> tuple[str, ...]:
    lost = found.games - found.decided
    left = (
        f"{lost:,} of {found.games:,} games were not decided within {MAX_DEALS:,} deals; shares "
        "are of the others."
        if lost
        else "Every game was decided."
    )
    return (
        players_note(found.strategies, found.model),
        f"A tie: after a deal the highest score is {rules.target} or more, and shared. All three "
        "play another deal, and again, until one is alone on top. Who is behind, and by how much, "
        "is told of the first tie of a game. A game won by the player behind is one that he was "
        "behind in then; those who shared the lead win the rest.",
        "Shares have Wilson intervals, also where nothing was seen, and means normal ones; of "
        f"tied games, or of a part of them, the games in it are the sample. {left} [-, -]: no "
        "interval can be told.",
        rules_sentence(rules),
    )
