"""Fewer deals for the same interval: orbits, control variates, stratified ghosts.

All of them give whole-number columns for ``simulate.moments``, so blocks add up as ever. The fourth
piece is there already: options compared on common deals are ``Moments.mean({"a": 1, "b": -1})``.
``docs/variance.md`` says what each saves, measured.
"""

from ghostsim.simulate.variance.controls import (
    HandControl,
    control_coefficients,
    controlled_mean,
    variance_factor,
)
from ghostsim.simulate.variance.ghosts import (
    GhostStrata,
    ghost_points,
    ghosts_beside,
    stratify_ghosts,
)
from ghostsim.simulate.variance.orbits import (
    HAND_ORDERS,
    SEAT_ORDERS,
    SUIT_ORDERS,
    hand_orders,
    seat_orders,
    suit_relabellings,
)

__all__ = [
    "HAND_ORDERS",
    "SEAT_ORDERS",
    "SUIT_ORDERS",
    "GhostStrata",
    "HandControl",
    "control_coefficients",
    "controlled_mean",
    "ghost_points",
    "ghosts_beside",
    "hand_orders",
    "seat_orders",
    "stratify_ghosts",
    "suit_relabellings",
    "variance_factor",
]
