"""Strategy in Ghost Hand Euchre: exact odds, an exact solver, simulation.

Names are loaded when first used, so that importing the package compiles nothing and reads
neither numba nor pandas nor matplotlib.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from ghostsim.batches import card_values_many, solve_many
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
    from ghostsim.position import PlayError, Position, PositionError
    from ghostsim.replay import Review, review
    from ghostsim.rules import Bid, Rules, RulesError
    from ghostsim.simulate.games import play_deals, play_games
    from ghostsim.simulate.tournament import play_tournament
    from ghostsim.solver import (
        CardValues,
        Solution,
        best_line,
        can_make,
        card_values,
        solve,
    )
    from ghostsim.strategies import Strategy, check_strategies, find_strategy
    from ghostsim.table import DealState, GameRecord, View, play_game, read_record

_MODULES = {
    "batches": ("card_values_many", "solve_many"),
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
    "simulate.games": ("play_deals", "play_games"),
    "simulate.tournament": ("play_tournament",),
    "strategies": ("Strategy", "check_strategies", "find_strategy"),
    "table": ("DealState", "GameRecord", "View", "play_game", "read_record"),
    "position": ("PlayError", "Position", "PositionError"),
    "replay": ("Review", "review"),
    "solver": (
        "CardValues",
        "Solution",
        "best_line",
        "can_make",
        "card_values",
        "solve",
    ),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Bid",
    "BidTable",
    "Card",
    "CardError",
    "CardValues",
    "Deal",
    "DealState",
    "GameRecord",
    "Hand",
    "Holding",
    "PlayError",
    "Position",
    "PositionError",
    "Rank",
    "Review",
    "Rules",
    "RulesError",
    "SoloValue",
    "Solution",
    "Strategy",
    "Suit",
    "TrickDistribution",
    "View",
    "best_line",
    "bid_table",
    "can_make",
    "card_values",
    "card_values_many",
    "check_strategies",
    "find_strategy",
    "play_deals",
    "play_game",
    "play_games",
    "play_tournament",
    "read_record",
    "review",
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
