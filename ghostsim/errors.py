"""The base of every error that a caller can mend by calling differently."""

from __future__ import annotations

from typing import ClassVar


class GhostsimError(ValueError):
    """An argument, a file or a setting that cannot be used; the message says what is allowed.

    Attributes
    ----------
    exit_status : int
        Of a command that it ends: 2 if the command was wrong, 1 if it was right and failed.
    """

    exit_status: ClassVar[int] = 2
