"""Strategy in Ghost Hand Euchre: exact odds, an exact solver, simulation.

Names are loaded when first used, so that importing the package compiles nothing and reads
neither numba nor pandas nor matplotlib.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from ghostsim.cards import Card, CardError, Hand, Holding, Rank, Suit
    from ghostsim.deals import Deal
    from ghostsim.odds import (
        BidTable,
        SoloValue,
        TrickDistribution,
        bid_table,
        solo_value,
        swap_gain,
        swap_value,
        trick_distribution,
    )
    from ghostsim.rules import Bid, Rules, RulesError
    from ghostsim.solver import Solution, solve, solve_many

_MODULES = {
    "cards": ("Card", "CardError", "Hand", "Holding", "Rank", "Suit"),
    "deals": ("Deal",),
    "odds": (
        "BidTable",
        "SoloValue",
        "TrickDistribution",
        "bid_table",
        "solo_value",
        "swap_gain",
        "swap_value",
        "trick_distribution",
    ),
    "rules": ("Bid", "Rules", "RulesError"),
    "solver": ("Solution", "solve", "solve_many"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Bid",
    "BidTable",
    "Card",
    "CardError",
    "Deal",
    "Hand",
    "Holding",
    "Rank",
    "Rules",
    "RulesError",
    "SoloValue",
    "Solution",
    "Suit",
    "TrickDistribution",
    "bid_table",
    "solo_value",
    "solve",
    "solve_many",
    "swap_gain",
    "swap_value",
    "trick_distribution",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        import importlib

        value = getattr(importlib.import_module(f"ghostsim.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'ghostsim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
