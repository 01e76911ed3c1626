"""Strategies by name: the built-in ones, those of other packages, and those in a user's file."""

from __future__ import annotations

import dataclasses
import difflib
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostsim.strategies.base import Strategy, StrategyError, default_of, parameters_of
from ghostsim.strategies.odds import Cheat, Odds
from ghostsim.strategies.peek import Peek
from ghostsim.strategies.rules_of_thumb import Novice, Random, Steady

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: The group of entry points by which another package brings strategies along.
GROUP = "ghostsim.strategies"

BUILT_IN: dict[str, type[Strategy]] = {
    "random": Random,
    "novice": Novice,
    "steady": Steady,
    "odds": Odds,
    "cheat": Cheat,
    "peek": Peek,
}

_METHODS = ("swap", "bid", "name_trump", "play")
_FILE = re.compile(r"(?P<path>.*\.py)(?::(?P<name>[^:]*)(?::(?P<parameters>.*))?)?", re.DOTALL)


@dataclass(frozen=True)
class StrategyDescription:
    """What a list of strategies says of one.

    Attributes
    ----------
    name : str
    description : str
        One sentence; if the strategy cannot be loaded, why.
    parameters : mapping from str to object
        Defaults by name.
    """

    name: str
    description: str
    parameters: Mapping[str, object] = dataclasses.field(default_factory=dict)

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.name}{f' ({given})' if given else ''}: {self.description}"


def find_strategy(strategy: str | Strategy) -> Strategy:
    """A strategy from its name, or an object that is one.

    Parameters
    ----------
    strategy : str or Strategy
        A name, if need be with parameters: ``"steady"``, ``"steady:four=7,moon=9"``. A class or
        an object in a Python file: ``"path/to/file.py:ClassName"``, which runs that file. Or any
        object with the methods and attributes of a ``Strategy``, which is returned as it is.

    Returns
    -------
    Strategy

    Raises
    ------
    StrategyError
        If there is no strategy of that name, it cannot be loaded, it has no such parameter, or a
        value is not allowed. The message says what there is.
    TypeError
        If an object lacks methods or attributes of a strategy, or is a class.

    Examples
    --------
    >>> find_strategy("steady:four=7,moon=9")
    Steady(three=4, four=7, five=6, moon=9, swap_below=5)
    >>> find_strategy("odds:over_points=0.8").name
    'odds:over_points=0.8'
    >>> find_strategy("stead")
    Traceback (most recent call last):
    ghostsim.strategies.base.StrategyError: there is no strategy 'stead': did you mean 'steady'? ...
    """
    if isinstance(strategy, str):
        return _from_text(strategy)
    if isinstance(strategy, type):
        named = strategy.__name__
        raise TypeError(f"strategy {named} is a class: call it to make one, like {named}()")
    lacks = [name for name in _METHODS if not callable(getattr(strategy, name, None))]
    if not isinstance(getattr(strategy, "name", None), str):
        lacks.append("name")
    if not hasattr(strategy, "sees_all_cards"):
        lacks.append("sees_all_cards")
    if lacks:
        raise TypeError(
            f"{strategy!r} is not a strategy: it lacks {', '.join(lacks)} "
            "(a subclass of ghostsim.strategies.Strategy, or a name like 'steady', is needed)"
        )
    return strategy


def check_strategies(
    strategies: Iterable[str | Strategy],
) -> tuple[Strategy, Strategy, Strategy]:
    """Three strategies by seat, each as ``find_strategy`` takes it.

    Examples
    --------
    >>> [strategy.name for strategy in check_strategies(["odds", Steady(), "random"])]
    ['odds', 'steady', 'random']

    Raises
    ------
    StrategyError
        If there are not three, or one cannot be found; the message names its seat.
    TypeError
        If ``strategies`` is one text or no iterable, or an object is no strategy.
    """
    if isinstance(strategies, str) or not isinstance(strategies, Iterable):
        raise TypeError(
            "strategies must be three, by seat, like ('odds', 'steady', 'random'), "
            f"not {strategies!r}"
        )
    given = list(strategies)
    if len(given) != 3:
        raise StrategyError(f"strategies must be three, by seat, not {len(given)}")
    found = []
    for seat, strategy in enumerate(given):
        try:
            found.append(find_strategy(strategy))
        except (StrategyError, TypeError) as error:
            kind = StrategyError if isinstance(error, StrategyError) else TypeError
            raise kind(f"seat {seat}: {error}") from error
    return found[0], found[1], found[2]


def strategy_names() -> tuple[str, ...]:
    """All names that ``find_strategy`` knows: built-in, then those of installed packages."""
    return (*BUILT_IN, *sorted(set(_entry_points()) - set(BUILT_IN)))


def describe_strategies() -> tuple[StrategyDescription, ...]:
    """Every strategy by name, in a sentence, with its parameters.

    >>> print(describe_strategies()[3])
    odds (open_points=0.0, over_points=0.0): Bids and swaps by the exact odds of its hand, and ...
    """
    described = []
    for name in strategy_names():
        try:
            found = BUILT_IN.get(name) or _load(name)
        except StrategyError as error:
            described.append(StrategyDescription(name, str(error)))
            continue
        kind = found if isinstance(found, type) else type(found)
        described.append(StrategyDescription(name, _sentence(kind), _defaults(kind)))
    return tuple(described)


def _sentence(kind: type) -> str:
    """The first sentence of a class's docstring."""
    # Not of its base class, and not the signature that a dataclass without one is given.
    written = vars(kind).get("__doc__") or ""
    if not written or written.startswith(f"{kind.__name__}("):
        return "(not described)"
    return " ".join(inspect.cleandoc(written).split("\n\n")[0].split())


def _defaults(kind: type) -> dict[str, object]:
    """Parameters and their defaults; the type in the place of a default that there is not."""
    return {
        field.name: default_of(field)
        if default_of(field) is not dataclasses.MISSING
        else f"<{_type_name(field)}>"
        for field in parameters_of(kind)
    }


# ------------------------------------------------------------------------------------ from a text


def _from_text(text: str) -> Strategy:
    in_file = _FILE.fullmatch(text)
    if in_file:
        if not in_file["name"]:
            raise StrategyError(
                f"strategy {text!r}: name the class too, like {in_file['path']}:MyStrategy"
            )
        found = _from_file(Path(in_file["path"]), in_file["name"])
        own = _made(found, in_file["name"], in_file["parameters"], text)
        if own.name.partition(":")[0] in BUILT_IN and type(own) not in BUILT_IN.values():
            raise StrategyError(
                f"strategy {text!r} calls itself {own.name!r}, which is another that is built in: "
                "name the class otherwise"
            )
        return own
    name, colon, parameters = text.partition(":")
    return _made(BUILT_IN.get(name) or _load(name), name, parameters if colon else None, text)


def _made(found: object, name: str, parameters: str | None, text: str) -> Strategy:
    """The strategy that a class or an object stands for, with parameters in writing."""
    if not isinstance(found, type):
        if parameters is not None:
            raise StrategyError(f"strategy {text!r}: {name} is an object and takes no parameters")
        made: object = found
    else:
        values = {} if parameters is None else _read_parameters(found, name, parameters, text)
        try:
            made = found() if not values else found(**values)
        except StrategyError as error:
            raise StrategyError(f"strategy {text!r}: {error}") from error
        except Exception as error:  # whatever a user's class raises
            raise StrategyError(
                f"strategy {text!r}: {name} cannot be made: {type(error).__name__}: {error}"
            ) from error
    try:
        return find_strategy(made)  # type: ignore[arg-type]  # which is what it checks
    except TypeError as error:
        raise StrategyError(f"strategy {text!r}: {error}") from error


def _read_parameters(kind: type, name: str, parameters: str, text: str) -> dict[str, object]:
    """Parameters like ``four=7,moon=9``, each of the type of its field."""
    allowed = {field.name: field for field in parameters_of(kind)}
    values: dict[str, object] = {}
    for part in parameters.split(","):
        key, equals, written = part.partition("=")
        if not equals:
            raise StrategyError(
                f"strategy {text!r}: {part!r} is not a parameter: write {name}:NAME=VALUE, with a "
                f"comma between two; {_told(name, kind)}"
            )
        if key not in allowed:
            near = difflib.get_close_matches(key, allowed, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise StrategyError(
                f"strategy {text!r}: {name} has no parameter {key!r}: {hint}{_told(name, kind)}"
            )
        if key in values:
            raise StrategyError(f"strategy {text!r}: {key} is given twice")
        try:
            values[key] = _read_value(written, _type_name(allowed[key]))
        except ValueError as error:
            raise StrategyError(f"strategy {text!r}: {name}: {key} {error}") from None
    return values


def _told(name: str, kind: type) -> str:
    """The parameters of a class of strategies in words."""
    defaults = ", ".join(f"{key}={value}" for key, value in _defaults(kind).items())
    return f"the parameters of {name} are {defaults}" if defaults else f"{name} has no parameters"


def _type_name(field: dataclasses.Field[object]) -> str:
    """The type of a field as it is written, which is all there is of it in most modules."""
    return (
        field.type
        if isinstance(field.type, str)
        else getattr(field.type, "__name__", str(field.type))
    )


def _read_value(written: str, kind: str) -> object:
    """A value in writing, of a type by its name; ValueError says what is allowed."""
    if kind == "str":
        return written
    if kind == "int":
        if not re.fullmatch(r"[+-]?\d+", written, re.ASCII):
            raise ValueError(f"must be a whole number, not {written!r}")
        return int(written)
    if kind == "float":
        if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", written, re.ASCII | re.I):
            raise ValueError(f"must be a number, like 0.8, not {written!r}")
        return float(written)
    if kind == "bool":
        if written not in ("True", "False"):
            raise ValueError(f"must be True or False, not {written!r}")
        return written == "True"
    raise ValueError(f"cannot be given in a text: it is a {kind}, not an int, float, bool or str")


# ------------------------------------------------------------------------ other people's strategies


def _entry_points() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=GROUP)}


def _load(name: str) -> object:
    """The class or object that an installed package registers under a name."""
    points = _entry_points()
    if name not in points:
        known = (*BUILT_IN, *sorted(set(points) - set(BUILT_IN)))
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise StrategyError(
            f"there is no strategy {name!r}: {hint}the strategies are {', '.join(known)}, or "
            "path/to/file.py:ClassName"
        )
    try:
        return points[name].load()
    except Exception as error:  # whatever importing somebody's module raises
        raise StrategyError(
            f"strategy {name!r} cannot be loaded from {points[name].value}: "
            f"{type(error).__name__}: {error}"
        ) from error


def _from_file(path: Path, name: str) -> object:
    """The class or object of a name in a Python file."""
    file = path.expanduser()
    if not file.is_file():
        raise StrategyError(f"strategy file {path} is not there: name a Python file")
    module_name = f"_ghostsim_strategies_in_{file.stem}"
    spec = importlib.util.spec_from_file_location(module_name, file)
    assert spec is not None and spec.loader is not None  # the name ends in .py
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up while they are made. Afterwards it must not be found, for
    # cloudpickle to send such a class to other processes whole, and not by a name they lack.
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever a user's file raises
        raise StrategyError(
            f"strategy file {path} cannot be run: {type(error).__name__}: {error}"
        ) from error
    finally:
        del sys.modules[module_name]
    if not hasattr(module, name):
        own = [key for key, value in vars(module).items() if _is_defined_in(value, module_name)]
        there = f"its classes are {', '.join(own)}" if own else "it defines no class"
        raise StrategyError(f"strategy file {path} has no {name!r}: {there}")
    return getattr(module, name)


def _is_defined_in(value: Any, module_name: str) -> bool:
    return isinstance(value, type) and value.__module__ == module_name
