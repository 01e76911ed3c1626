"""The check of arguments that every module needs."""


def whole_number(value: object, name: str, allowed: str = "a whole number") -> int:
    """A whole number of any integer type (numpy's too) as an int.

    Raises
    ------
    TypeError
        If the value is anything else, also a bool: ``name`` must be ``allowed``.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be {allowed}, not {value!r}")
    number: int = value.__index__()
    return number
