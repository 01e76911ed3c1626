"""Strategies: what a seat does at every decision. ``docs/strategies.md`` tells the built-in ones.

Importing this compiles nothing and reads neither numpy nor numba.
"""

from ghostsim.strategies.base import Strategy, StrategyError
from ghostsim.strategies.careful import careful_card
from ghostsim.strategies.odds import Cheat, Odds
from ghostsim.strategies.peek import Peek
from ghostsim.strategies.registry import (
    StrategyDescription,
    check_strategies,
    describe_strategies,
    find_strategy,
    strategy_names,
)
from ghostsim.strategies.rules_of_thumb import Novice, Random, Steady

__all__ = [
    "Cheat",
    "Novice",
    "Odds",
    "Peek",
    "Random",
    "Steady",
    "Strategy",
    "StrategyDescription",
    "StrategyError",
    "careful_card",
    "check_strategies",
    "describe_strategies",
    "find_strategy",
    "strategy_names",
]
