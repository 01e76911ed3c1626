"""Study ``revoke``: what does a revoke pay, and how likely must it be found out?"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ghostsim.rules import Rules
from ghostsim.simulate.moments import table_model
from ghostsim.simulate.revoke import RevokeGain, RevokeResults, simulate_revokes
from ghostsim.simulate.runner import Runner
from ghostsim.stats import Estimate
from ghostsim.strategies import check_strategies
from ghostsim.study.hands import percent, whole
from ghostsim.study.played import (
    fixed,
    flat,
    or_dash,
    players_note,
    rules_sentence,
    seats_of,
    signed,
    span,
    table_title,
)
from ghostsim.study.registry import STUDIES
from ghostsim.study.result import Announce, Column, Parameters, StudyResult, Table

_points = signed(3)
_percent = or_dash(percent)
_chance, _a_deal = fixed(4), fixed(3)

_PLACES = {2: "second", 3: "third"}


def run(parameters: Parameters, announce: Announce, runner: Runner) -> StudyResult:
    """Play the deals honestly and with a cheat in each seat, lay out the tables."""
    announce.say("reading what the strategies do with every hand ...")
    seats = seats_of(parameters)
    found = simulate_revokes(
        parameters.deals,
        seats,
        seed=parameters.seed,
        rules=parameters.rules,
        level=parameters.level,
        runner=runner,
    )
    ran = parameters.ran(found.deals)
    tables = {
        "by_role": _by_role(found, ran),
        "sides": _sides(found, ran),
        "situations": _situations(found, ran),
        "always": _always(found, ran),
    }
    study = STUDIES["revoke"]
    return StudyResult(
        study=study.name,
        question=study.question,
        answer=_answer(found, ran),
        notes=_notes(found, seats, parameters.rules),
        parameters=parameters,
        tables=tables,
        unprinted=(),
        charts=("revoke_gains",),
    )


def _title(what: str, parameters: Parameters) -> str:
    return table_title(what, parameters, f"{parameters.deals:,} deals, a cheat in each seat")


def _cells(gain: RevokeGain) -> dict[str, float]:
    return {
        "revokes": gain.revokes,
        **flat("chance", gain.chance),
        **flat("gain", gain.gain),
        **flat("break_even", gain.break_even),
        **flat("turned", gain.turned),
    }


def _by_role(found: RevokeResults, parameters: Parameters) -> Table:
    rows = [{"role": role, **_cells(gain)} for role, gain in found.by_role.items()]
    rows.append(
        {
            "role": "always",
            "revokes": np.nan,
            **flat("gain", found.always_gain),
            **flat("break_even", found.always_break_even),
        }
    )
    columns = {
        "role": Column("cheat is"),
        "gain": Column("he gains", _points, interval=True),
        "break_even": Column("break-even", _percent, interval=True),
        "turned": Column("bid turned", _percent, interval=True),
    }
    title = (
        "one revoke, by the cheat's role: points it brings him before any penalty, the chance of "
        "being found out at which the penalty takes that away, and the share of revokes that turn "
        "a bid from set to made or from made to set; always: a seat that revokes at every chance, "
        "a revoke"
    )
    return Table(_title(title, parameters), pd.DataFrame(rows), columns)


def _sides(found: RevokeResults, parameters: Parameters) -> Table:
    rows = [
        {
            "role": role,
            **flat("declarer", gain.declarer),
            **flat("defenders", gain.defenders),
        }
        for role, gain in found.by_role.items()
    ]
    columns = {
        "role": Column("cheat is"),
        "declarer": Column("declarer", _points, interval=True),
        "defenders": Column("both defenders", _points, interval=True),
    }
    title = (
        "points that one revoke brings the declarer, and both defenders together, before any "
        "penalty; the cheat's own are among them"
    )
    return Table(_title(title, parameters), pd.DataFrame(rows), columns)


def _situations(found: RevokeResults, parameters: Parameters) -> Table:
    rows = [
        {"role": role, "trick": trick, "place": _PLACES[place], **_cells(gain)}
        for (role, trick, place), gain in found.situations.items()
    ]
    columns = {
        "role": Column("cheat is"),
        "trick": Column("trick"),
        "place": Column("plays"),
        "revokes": Column("revokes", whole),
        "chance": Column("chances a deal", _chance, interval=True),
        "gain": Column("he gains", _points, interval=True),
        "break_even": Column("break-even", _percent, interval=True),
    }
    title = "one revoke by situation: role, number of the trick, second or third to play to it"
    return Table(_title(title, parameters), pd.DataFrame(rows), columns)


def _always(found: RevokeResults, parameters: Parameters) -> Table:
    rows = [
        {
            "detection": one.detection,
            **flat("revokes", one.revokes),
            **flat("found", one.found),
            **flat("gain", one.gain),
            **flat("others", one.others),
        }
        for one in found.always
    ]
    columns = {
        "detection": Column("found out", "{:.0%}".format),
        "revokes": Column("revokes", _a_deal, interval=True),
        "found": Column("of these found out", _a_deal, interval=True),
        "gain": Column("cheat gains", _points, interval=True),
        "others": Column("the others get", _points, interval=True),
    }
    title = (
        "a seat that revokes at every chance, beside the same seat honest on the same deals, by "
        "the chance of being found out; all a deal, points with penalties"
    )
    return Table(_title(title, parameters), pd.DataFrame(rows), columns)


def _answer(found: RevokeResults, parameters: Parameters) -> str:
    either, penalty = found.by_role["either"], parameters.rules.revoke_penalty
    if either.gain is None:
        return (
            f"Nothing can be told of a revoke: in {parameters.deals:,} deals nobody had the chance "
            "to ruff a trick that he had to follow to and could not win."
        )
    pays = f"A revoke pays {span(either.gain, _points)} points before any penalty"
    if either.break_even is None:
        return f"{pays}, and there is no penalty: finding it out costs nothing."
    answer = f"{pays}, so at a penalty of {penalty} honesty wins {_if_found(either.break_even)}"
    declarer = found.by_role["declarer"].break_even
    if declarer is None:
        return f"{answer}."
    only = "only " if 1 >= declarer.value > either.break_even.value else ""
    return f"{answer}; if the declarer revokes, {only}{_if_found(declarer, '')}."


def _if_found(even: Estimate, of: str = " of revokes are found out") -> str:
    """For how many revokes found out honesty wins."""
    if even.value > 1:
        return f"not even if all are found out (break-even {span(even, percent)})"
    if even.value < 0:
        return f"even if none is found out (break-even {span(even, percent)})"
    return f"if more than {span(even, percent)}{of}"


def _notes(found: RevokeResults, seats: tuple[str, str, str], rules: Rules) -> tuple[str, ...]:
    model = table_model([strategy.name for strategy in check_strategies(seats)])
    penalty = (
        "Break-even is the gain over the penalty of "
        f"{rules.revoke_penalty}: above 100% the revoke pays even if it is always found out, below "
        "0% it never pays. "
        if rules.revoke_penalty
        else "There is no penalty, and no break-even. "
    )
    return (
        players_note(seats, model)
        + " The seat that is watched plays odds when it is honest and cheat when it is not, with "
        "its own parameters if it is an odds; the other two never cheat. Each seat is watched in "
        "turn, seat i % 3 deals deal i.",
        "The cheat is one simple way to revoke, and not the best: where he must follow a plain "
        "suit, cannot win, and holds a trump that does, he plays the cheapest such trump. Every "
        "revoke shows by the end of a deal, since all cards are played: to be found out is a "
        "matter of the others' attention. The play stands, and nobody plays differently after a "
        "revoke, as people would.",
        "Of one revoke: the cheat may revoke in that trick only, so that up to it the deal is the "
        "honest one and the difference is its doing. A declarer leads the first trick, and nobody "
        "can revoke in the sixth, with one card. " + penalty + "What is gained are points of a "
        "deal. In a game it helps him as well that the others get less, which break-even does not "
        "count. Who cheats at every chance plays on after revokes of his own, so that his "
        "break-even is another one.",
        "A deal with the cheat in each of the three seats is one unit; the error of a mean over "
        "revokes is that of a ratio over deals. [-, -]: no interval can be told.",
        rules_sentence(rules),
    )
