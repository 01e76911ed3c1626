"""The referee: every rule of the game in plain Python, what a seat may know, and records."""

from ghostsim.table.deal import DealState, OpenView, Revoke, TableError
from ghostsim.table.game import GameState, play_deal, play_game, resume_game
from ghostsim.table.record import DealRecord, GameRecord, RecordError, read_record
from ghostsim.table.view import Trick, Turn, View

__all__ = [
    "DealRecord",
    "DealState",
    "GameRecord",
    "GameState",
    "OpenView",
    "RecordError",
    "Revoke",
    "TableError",
    "Trick",
    "Turn",
    "View",
    "play_deal",
    "play_game",
    "read_record",
    "resume_game",
]
