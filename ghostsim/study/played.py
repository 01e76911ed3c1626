"""What the studies that are played at a table share: estimates as columns and in words."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np

from ghostsim.rules import Rules
from ghostsim.stats import Estimate
from ghostsim.study.registry import StudyError
from ghostsim.study.result import Parameters


def seats_of(parameters: Parameters) -> tuple[str, str, str]:
    """The strategies by seat, which these studies have."""
    if parameters.strategies is None:
        raise StudyError("this study needs strategies")
    return parameters.strategies


def ends(estimate: Estimate | None) -> tuple[float, float]:
    """The ends of an interval; none where all units agree, and tell no error of it."""
    if estimate is None:
        return np.nan, np.nan
    if estimate.method in ("normal", "ratio") and estimate.standard_error == 0:
        return np.nan, np.nan
    return estimate.low, estimate.high


def flat(name: str, estimate: Estimate | None, scale: float = 1) -> dict[str, float]:
    """An estimate as columns of a tidy frame; nothing known, no numbers. In per cent by 100."""
    low, high = ends(estimate)
    value = np.nan if estimate is None else estimate.value
    return {name: scale * value, f"{name}_low": scale * low, f"{name}_high": scale * high}


def or_dash(form: Callable[[float], str]) -> Callable[[float], str]:
    """A format that prints a dash for a number that is not there."""
    return functools.partial(_dashed, form)  # a function of its own could not be pickled


def _dashed(form: Callable[[float], str], value: float) -> str:
    return "-" if np.isnan(value) else form(value)


def fixed(digits: int) -> Callable[[float], str]:
    """A format of so many decimals; a dash for no number, no sign at a zero."""
    return functools.partial(_fixed, digits=digits)


def _fixed(value: float, digits: int) -> str:
    return "-" if np.isnan(value) else f"{value:z.{digits}f}"


def signed(digits: int, unit: str = "") -> Callable[[float], str]:
    """A format of a difference: its sign always, also where it rounds to zero.

    Parameters
    ----------
    digits : int
        Decimals.
    unit : str
        ``"%"`` for a difference of shares, told in percentage points.
    """
    return functools.partial(_signed, digits=digits, unit=unit)


def _signed(value: float, digits: int, unit: str) -> str:
    if np.isnan(value):
        return "-"
    kind = unit or "f"
    # An end that rounds to zero keeps its sign: it tells on which side of it the interval ends.
    return f"{value:+.{digits}{kind}}" if value else f"{0:.{digits}{kind}}"


def small_percent(value: float) -> str:
    """A percentage to a tenth, to more digits below one per cent; very small is not none."""
    if 0 < value < 0.00005:
        return "<0.01%"
    return f"{value:.2%}" if value < 0.01 else f"{value:.1%}"


def span(estimate: Estimate | None, form: Callable[[float], str]) -> str:
    """An estimate with its interval in a sentence, like ``35.0% [34.7, 35.3]``."""
    if estimate is None:
        return "- [-, -]"
    low, high = ends(estimate)
    if np.isnan(low):
        return f"{form(estimate.value)} [-, -]"
    return f"{form(estimate.value)} [{form(low).removesuffix('%')}, {form(high).removesuffix('%')}]"


def table_title(what: str, parameters: Parameters, amount: str) -> str:
    """A title that says how much was played, and at which level the intervals are."""
    return (
        f"{what} ({amount}, seed {parameters.seed}; in brackets "
        f"{100 * parameters.level:g}% intervals)"
    )


def players(strategies: Sequence[str]) -> str:
    """Who sits where, in words."""
    if len(set(strategies)) == 1:
        return f"{strategies[0]} in all three seats"
    return ", ".join(f"{name} in seat {seat}" for seat, name in enumerate(strategies))


def players_note(strategies: Sequence[str], model: str) -> str:
    """Who played, and what follows from that."""
    seeing = sorted({name for name in strategies if name.partition(":")[0] == "peek"})
    sight = f" {' and '.join(seeing)} sees all cards." if seeing else ""
    return (
        f"Played by {players(strategies)} (model {model}). docs/strategies.md tells what the "
        "built-in strategies do; none of them looks at the score of the game. Other players, and "
        f"people, get other numbers.{sight}"
    )


def rules_sentence(rules: Rules) -> str:
    """The rules in force."""
    return f"Rules: {rules}."
