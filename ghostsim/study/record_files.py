"""Records of games as files: read, checked, and written whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from ghostsim.errors import GhostsimError
from ghostsim.table.record import GameRecord


class RecordFileError(GhostsimError):
    """A file that cannot be read or written, or holds no record of a game."""


def read_record(path: Path) -> GameRecord:
    """A saved record of a game.

    Raises
    ------
    RecordFileError
        If the file cannot be read, or is no record of a game.
    """
    try:
        return GameRecord.parse(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RecordFileError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise RecordFileError(f"{path} is no record: it is not text in UTF-8") from error
    except GhostsimError as error:
        raise RecordFileError(f"{path}: {error}") from error


def check_writable(path: Path) -> None:
    """Make sure, before anything is played, that a file can be written.

    Raises
    ------
    RecordFileError
        If it cannot.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise RecordFileError(f"{path} cannot be written: {error.strerror or error}") from error


def write_record(path: Path, record: GameRecord) -> None:
    """Write a record, whole or not at all.

    Raises
    ------
    RecordFileError
        If the file cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".ghostsim-unfinished-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(record.text)
            if path.exists():
                shutil.copymode(path, name)
            else:
                os.chmod(name, 0o644)  # mkstemp's are for their owner only
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise RecordFileError(f"{path} cannot be written: {error.strerror or error}") from error
