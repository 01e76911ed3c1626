"""What a run folder holds, in words."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostsim.study.registry import STUDIES

if TYPE_CHECKING:
    from ghostsim.simulate.block_store import KeptBlocks

#: What the simulations count whose name is not what they count.
UNITS = {
    "swaps": "deals",
    "bids": "deals",
    "defences": "deals",
    "moons": "games",
    "thumbs": "games",
    "sets": "sets of cards",
}
_MODELS = {
    "solo": "solo: nobody else bids",
    "table": "table: strategies play, as they would at a table",
}
_TABLES = {
    "distinct": "three different strategies",
    "all": "all, also those that hold a strategy twice",
}
#: Fields that are told as amounts and results, or lead to nothing else.
_AMOUNTS = ("study", "deals", "games", "precision", "max_games")


def name_and_seed(name: str) -> tuple[str, int | None]:
    """The simulation and the seed of blocks, from the name under which they are kept.

    >>> name_and_seed("deals, seed 7"), name_and_seed("deals")
    (('deals', 7), ('deals', None))
    """
    found = re.fullmatch(r"(.*), seed (\d+)", name, re.DOTALL)
    return (name, None) if found is None else (found[1], int(found[2]))


def units(number: int, name: str) -> str:
    """How many deals or games of a simulation are kept.

    >>> units(150_000, "deals, seed 7"), units(150_000, "swaps, seed 7"), units(9, "dice")
    ('150,000 deals', '150,000 deals', "9 units of 'dice'")
    """
    what, _ = name_and_seed(name)
    if what in ("deals", "games"):
        return f"{number:,} {what}"
    return f"{number:,} {UNITS[what]}" if what in UNITS else f"{number:,} units of {what!r}"


def kept_words(one: KeptBlocks, seed: Any, *, fills: str = "--resume") -> str:
    """What is kept of one simulation; its seed only if it is not that of the run."""
    name, own = name_and_seed(one.name)
    words = units(one.units, one.name)
    words += f" ({name})" if name in ("moons", "thumbs") else ""
    words += f" of seed {own}" if own is not None and own != seed else ""
    words += f" in {one.blocks:,} block{'' if one.blocks == 1 else 's'}"
    gaps = f", with {one.gaps:,} gap{'' if one.gaps == 1 else 's'}, which {fills} fills"
    return words + (gaps if one.gaps else "")


def is_of_a_command(fields: Mapping[str, Any]) -> bool:
    """Whether blocks are of a study or tournament of the command line, and not made in Python."""
    return "code" in fields and (fields.get("study") in STUDIES or is_tournament(fields))


def is_tournament(fields: Mapping[str, Any]) -> bool:
    return fields.get("study") == "tournament"


def field_lines(fields: Mapping[str, Any]) -> list[str]:
    """What a run is of, a line each; what nobody asked for is left out."""
    told: dict[str, Callable[[Any], str]] = {
        "model": lambda value: f"model: {_MODELS.get(value, value)}",
        "seed": lambda value: f"seed: {value}",
        "strategies": lambda value: f"strategies: {_listed(value)}",
        "tables": lambda value: f"tables: {_TABLES.get(value, value)}",
        "max_deals": lambda value: f"a game is given up after: {_number(value)} deals",
        "revoke_detection": lambda value: f"chance that a revoke is found out: {value}",
        "allow_peek": lambda _: "strategies that see all cards: may take part",
        "level": lambda value: f"level of intervals: {value}",
        "rules": lambda value: f"rules: {_rules(value)}",
        "code": lambda value: f"code: {value}",
    }
    hidden = _AMOUNTS if is_tournament(fields) else (*_AMOUNTS, "max_deals")
    asked = {
        name: value
        for name, value in fields.items()
        if value is not None and value is not False and name not in hidden
    }
    names = [name for name in told if name in asked]
    others = [f"{name}: {_listed(value)}" for name, value in asked.items() if name not in told]
    return [told[name](asked[name]) for name in names] + others


def results_of(about: Mapping[str, Any]) -> str:
    """What results a manifest is of, in words: ``seat, 300,000 deals``."""
    given = about.get("parameters")
    given = given if isinstance(given, Mapping) else {}
    told = [f"{_number(given[name])} {name}" for name in ("deals", "games") if name in given]
    if "precision" in given:
        told += _stopped(about.get("stopping")) or [f"to a precision of {given['precision']}"]
    return ", ".join([str(about.get("study")), *told])


def _stopped(rows: Any) -> list[str]:
    """Where a run to a precision stopped, if the manifest says it."""
    try:
        return [
            f"{row['n']:,} {row['counted']}, precision {row['precision']:g} "
            f"{'reached' if row['reached'] else 'NOT reached'} "
            f"(half-width {row['half_width']:.3g})"
            for row in rows
        ]
    except (TypeError, KeyError, ValueError):
        return []


def command_in(folder: Path, command: str) -> str:
    """A command with ``--out`` as the folder is called now, and ``--resume``.

    >>> command_in(Path("here"), "ghostsim seat --out there --deals 9")
    'ghostsim seat --deals 9 --out here --resume'
    """
    try:
        words = shlex.split(command)
    except ValueError:  # somebody has edited it
        return command
    kept = [
        word
        for before, word in zip(["", *words], words, strict=False)
        if before != "--out" and word not in ("--out", "--resume") and not word.startswith("--out=")
    ]
    return shlex.join([*kept, "--out", str(folder), "--resume"])


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _listed(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _rules(values: Any) -> str:
    from ghostsim.rules import Rules

    try:
        return str(Rules.from_dict(values))
    except (ValueError, TypeError, AttributeError):  # of another version
        return str(values)
