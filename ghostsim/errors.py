"""The base of every error that a caller can mend by calling differently."""


class GhostsimError(ValueError):
    """An argument, a file or a setting that cannot be used; the message says what is allowed."""
