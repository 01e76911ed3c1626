"""Which program this is: two that differ in what a block may depend on do not share blocks."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

#: Sources that no block depends on: what is asked, told and written. All others count.
NOT_OF_BLOCKS = frozenset(
    [
        "diagrams.py",
        "plots.py",
        "progress.py",
        "report.py",
        "sequential.py",
        "simulate/block_store.py",
        "table/display.py",
        *(
            f"study/{name}.py"
            for name in (
                "__main__",
                "cli",
                "one_hand",
                "options",
                "output",
                "play_command",
                "position_lines",
                "publish",
                "record_files",
                "registry",
                "result",
                "review_command",
                "run_folder",
                "run_words",
                "running",
                "runs_command",
                "simulated",
                "solve_command",
                "stopping",
                "table_session",
                "table_words",
                "tables_command",
                "tournament_command",
                "tournament_report",
            )
        ),
    ]
)


@functools.cache
def program_fingerprint() -> str:
    """A hash of all sources and data on which a block of a simulation depends.

    The answer is fixed for the life of the process, as what it runs is.
    """
    package = Path(__file__).parent
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted([*package.rglob("*.py"), *package.glob("data/*")]):
        name = path.relative_to(package).as_posix()
        if path.is_file() and name not in NOT_OF_BLOCKS:
            content = path.read_bytes()
            digest.update(f"{name} {len(content)} ".encode() + content)
    return digest.hexdigest()
