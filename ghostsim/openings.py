"""The opening patterns that ship with the package: loading, building, verifying.

For every hand a declarer can hold among the 18 cards in play (29 shapes of the four suits times
18,564 subsets), in how many of the 924 splits of the other cards he takes 0, 1, ... 6 tricks.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ghostsim._once import once
from ghostsim._parallel import Progress, run_shared
from ghostsim.endgames import DEPTH, MAX_DEPTH, endgame_table
from ghostsim.errors import GhostsimError
from ghostsim.kernels.bits import subsets
from ghostsim.kernels.openings import N_HANDS, N_PATTERNS, N_SPLITS, count_patterns
from ghostsim.kernels.relabel import SHAPES
from ghostsim.kernels.rng import deal_number

PATTERNS_FILE = Path(__file__).parent / "data" / "opening_patterns.npz"
MADE_BY = "ghostsim patterns build"

_PATTERNS_PER_BLOCK = 2_000


class PatternsError(GhostsimError):
    """A file of opening patterns that is missing, damaged or wrong."""


def shape_of(number: int) -> str:
    """The shape of a pattern in words, like ``trump 4, plain suits 5 5 4``."""
    trump, *plain = SHAPES[6][number // N_HANDS]
    return f"trump {trump}, plain suits {' '.join(map(str, plain))}"


def load_patterns(path: Path = PATTERNS_FILE) -> NDArray[np.uint16]:
    """The patterns of a file.

    Returns
    -------
    uint16 (538356, 7)
        Splits by the declarer's tricks; each row adds up to 924.

    Raises
    ------
    PatternsError
        If the file is missing, damaged, or not the patterns of this version.
    """
    try:
        # Opened here: np.load leaves a file it cannot read open.
        with path.open("rb") as file, np.load(file) as arrays:
            patterns: NDArray[np.uint16] = arrays["patterns"]
            about = json.loads(str(arrays["about"]))
        if patterns.shape != (N_PATTERNS, 7) or patterns.dtype != np.uint16:
            raise ValueError(f"it holds {patterns.dtype} {patterns.shape}")
        if _digest(patterns) != about["blake2b"]:
            raise ValueError("its checksum is wrong")
    except Exception as error:  # numpy and zipfile raise a dozen kinds on damaged files
        raise PatternsError(
            f"the opening patterns {path} cannot be read ({error}): install ghostsim again, or run "
            f"`{MADE_BY}`"
        ) from error
    return patterns


@once()
def shipped_patterns() -> NDArray[np.uint16]:
    """The patterns that came with the package, read once a process. Not to be written to."""
    return load_patterns()


def build_patterns(
    numbers: NDArray[np.int64] | None = None,
    *,
    depth: int = MAX_DEPTH,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> NDArray[np.uint16]:
    """Patterns counted afresh from the endgame tables.

    Parameters
    ----------
    numbers : int64 (n,), optional
        Which patterns; all by default.
    depth : {4, 5}
        The endgame table to search down to.
    n_jobs : int, optional
        Threads, as joblib counts them.
    progress : callable, optional
        Wraps the iterator over finished blocks, given their number.

    Returns
    -------
    uint16 (n, 7)
    """
    if numbers is None:
        numbers = np.arange(N_PATTERNS, dtype=np.int64)
    out = np.empty((len(numbers), 7), dtype=np.uint16)
    shapes = np.array(SHAPES[6], dtype=np.int64)
    hands, splits = subsets(18, 6), subsets(12, 6)
    table = endgame_table(depth, n_jobs)
    per_block = max(1, min(_PATTERNS_PER_BLOCK, len(numbers) // 8))
    starts = range(0, len(numbers), per_block)
    calls = [
        functools.partial(
            count_patterns,
            numbers,
            shapes,
            hands,
            splits,
            depth,
            table,
            start,
            min(start + per_block, len(numbers)),
            out,
        )
        for start in starts
    ]
    run_shared(calls, n_jobs, progress)
    return out


def save_patterns(patterns: NDArray[np.uint16], path: Path) -> None:
    """Write patterns to a file, whole or not at all; the same patterns give the same bytes."""
    about = {
        "what": "opening patterns: splits of the other twelve cards by the declarer's tricks",
        "made_by": MADE_BY,
        "shapes": SHAPES[6],
        "blake2b": _digest(patterns),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=path.parent, suffix=".npz")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez_compressed(file, patterns=patterns, about=np.array(json.dumps(about)))
        os.chmod(beside, 0o644)  # mkstemp makes files that only their owner may read
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


@dataclass(frozen=True)
class Verification:
    """What a comparison of shipped patterns with freshly counted ones found.

    Attributes
    ----------
    checked, wrong : int
        Patterns compared, and those that differ.
    first_wrong : str
        The first pattern that differs, in words; empty if none does.
    """

    checked: int
    wrong: int
    first_wrong: str

    @property
    def layouts(self) -> int:
        """Layouts solved for the comparison."""
        return self.checked * N_SPLITS


def verify_patterns(
    path: Path = PATTERNS_FILE,
    *,
    sample: int | None = 500,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Compare a file of patterns with patterns counted afresh.

    Parameters
    ----------
    path : Path
        The file; by default the one that ships with the package.
    sample : int or None
        How many different patterns, drawn by ``seed``; None for all.
    seed, n_jobs, progress
        As elsewhere.
    """
    patterns = load_patterns(path)
    if sample is None:
        numbers = np.arange(N_PATTERNS, dtype=np.int64)
    else:
        drawn: set[int] = set()
        for index in itertools.count():
            if len(drawn) >= min(sample, N_PATTERNS):
                break
            drawn.add(int(deal_number(np.uint64(seed), np.uint64(index))) % N_PATTERNS)
        numbers = np.array(sorted(drawn), dtype=np.int64)
    fresh = build_patterns(
        numbers,
        depth=MAX_DEPTH if sample is None else DEPTH,
        n_jobs=n_jobs,
        progress=progress,
    )
    wrong = np.flatnonzero((fresh != patterns[numbers]).any(axis=1))
    first = ""
    if len(wrong):
        at = int(wrong[0])
        first = (
            f"pattern {numbers[at]} ({shape_of(int(numbers[at]))}): "
            f"file {patterns[numbers[at]].tolist()}, counted {fresh[at].tolist()}"
        )
    return Verification(len(numbers), len(wrong), first)


def check_opening_table(table: NDArray[np.uint8]) -> int:
    """How many rows of the opening table (``ghostsim.endgames``) disagree with the patterns.

    A row holds the tricks of the 924 splits of a pattern, and the pattern how often each number
    of tricks comes up.
    """
    patterns = shipped_patterns()
    rows = table.reshape(N_PATTERNS, N_SPLITS // 2)
    wrong = 0
    for start in range(0, N_PATTERNS, _PATTERNS_PER_BLOCK):
        part = rows[start : start + _PATTERNS_PER_BLOCK]
        tricks = np.concatenate([part & 15, part >> 4], axis=1)
        counts = np.stack([(tricks == k).sum(axis=1) for k in range(7)], axis=1)
        wrong += int((counts != patterns[start : start + len(part)]).any(axis=1).sum())
    return wrong


def _digest(patterns: NDArray[np.uint16]) -> str:
    little_endian = np.ascontiguousarray(patterns, dtype="<u2")
    return hashlib.blake2b(little_endian.data, digest_size=16).hexdigest()
