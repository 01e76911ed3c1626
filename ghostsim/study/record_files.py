"""Records of games as files: read, checked, and written whole or not at all."""

from __future__ import annotations

import os
import shutil
import stat
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
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise RecordFileError(f"{path} is no record: it is not text in UTF-8") from error
    except (OSError, ValueError) as error:
        raise _failed(path, "read", error) from error
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if all(line.startswith("#") for line in lines):
        only = "has nothing but comments in it" if lines else "is empty"
        raise RecordFileError(f"{path} {only}: no game to go on with")
    try:
        return GameRecord.parse(text)
    except GhostsimError as error:
        raise RecordFileError(f"{path}: {error}") from error


def target_of(path: Path) -> Path:
    """The file that a path leads to, through symbolic links; there may be none yet.

    Raises
    ------
    RecordFileError
        If that is a folder, a device or the like, or the path cannot be one of a file.
    """
    try:
        target = Path(os.path.realpath(path))
        try:
            mode = target.stat().st_mode
        except FileNotFoundError:
            return target
    except (OSError, ValueError) as error:
        raise _failed(path, "written", error) from error
    if stat.S_ISDIR(mode):
        raise RecordFileError(f"{path} is a folder: name a file")
    if not stat.S_ISREG(mode):
        raise RecordFileError(f"{path} is a device or a pipe: name a file")
    return target


def check_writable(path: Path) -> None:
    """Make sure, before anything is played, that a file can be written.

    Its folder is made. The folder that a symbolic link leads to is not.

    Raises
    ------
    RecordFileError
        If it cannot.
    """
    try:
        target_of(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=target_of(path).parent):
            pass
    except OSError as error:
        raise _failed(path, "written", error) from error


def write_record(path: Path, record: GameRecord) -> None:
    """Write a record, whole or not at all; a symbolic link stays, its file is written.

    Raises
    ------
    RecordFileError
        If the file cannot be written.
    """
    target = target_of(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".ghostsim-unfinished-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(record.text)
            if target.exists():
                shutil.copymode(target, name)
            else:
                os.chmod(name, 0o644)  # mkstemp's are for their owner only
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise _failed(path, "written", error) from error


def _failed(path: Path, what: str, error: OSError | ValueError) -> RecordFileError:
    why = (error.strerror if isinstance(error, OSError) else None) or error
    name = str(path)
    return RecordFileError(f"{name if name.isprintable() else repr(name)} cannot be {what}: {why}")
