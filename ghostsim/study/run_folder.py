"""Run folders: what ``--out`` writes, while a run goes and when it is over.

A folder has the store of finished blocks as soon as there is one, and the results when they are
complete. One process at a time is in it. Whatever ends the run, the blocks stay.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostsim import __version__
from ghostsim._program import program_fingerprint
from ghostsim.errors import GhostsimError
from ghostsim.rules import Rules
from ghostsim.simulate.block_store import (
    BLOCKS,
    DAMAGED,
    LOCK,
    UNFINISHED,
    BlockStore,
    FolderLock,
    Identity,
    OtherRunError,
    is_of_another_program,
)
from ghostsim.study.output import (
    MANIFEST,
    OutputError,
    cannot_be_made,
    check_no_strangers,
    found_in,
    move_into,
    our_files,
    read_manifest,
)
from ghostsim.study.run_words import results_of, units

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ghostsim.simulate.runner import Runner, Watcher

#: Parameters that may differ from run to run in a folder, unless its blocks depend on them.
FREE = ("deals", "games", "precision", "max_deals", "max_games", "level")


def identity(study: str, rules: Rules, strategies: tuple[str, ...], **fields: Any) -> Identity:
    """All that the blocks of a run depend on.

    Parameters
    ----------
    study : str
    rules : Rules
    strategies : tuple of str
        Empty for a study that nobody plays.
    fields
        Seed, model, and whatever else there is; not how many deals.
    """
    seats = {"strategies": [_with_source(name) for name in strategies]} if strategies else {}
    return {
        "study": study,
        **fields,
        **seats,
        "rules": rules.to_dict(),
        "code": f"ghostsim {__version__}, sources {program_fingerprint()}",
    }


def _with_source(strategy: str) -> str:
    """A strategy with what it depends on beside ghostsim: the content of its file, or the version
    of the package that brings it along.
    """
    from ghostsim.strategies.registry import BUILT_IN, GROUP

    path = re.match(r".*?\.py(?=:|$)", strategy, re.DOTALL)
    if path is not None:
        file = Path(path[0]).expanduser()
        content = file.read_bytes() if file.is_file() else b""  # its absence is told elsewhere
        digest = hashlib.blake2b(content, digest_size=8).hexdigest()
        return f"{file.name}{strategy[path.end() :]} [{digest}]"
    name = strategy.partition(":")[0]
    if name not in BUILT_IN:
        from importlib.metadata import entry_points

        for point in entry_points(group=GROUP, name=name):
            if point.dist is not None:
                return f"{strategy} [{point.dist.name} {point.dist.version}]"
    return strategy


class RunFolder:
    """A folder that a run writes to; or none, if there is no ``--out``.

    Attributes
    ----------
    store : BlockStore or None
    """

    def __init__(self, path: Path | None, store: BlockStore | None) -> None:
        self.store = store
        self._path = path
        self._heard: list[_Heard] = []

    @property
    def blocks(self) -> str | None:
        """The name of the file of blocks, if there are any."""
        return None if self.store is None or self.store.is_empty() else BLOCKS

    def watch(self, runner: Runner) -> Runner:
        """A runner that keeps its blocks here, so that it can be told how much is kept."""
        if self.store is not None:
            listener = _Listener(self.store, runner.watcher, self._heard)
            runner.store = runner.watcher = listener
        return runner

    def write(self, files: Mapping[str, bytes]) -> None:
        """Put results into the folder in place of older ones: all of them or none."""
        if self._path is None:
            return
        staging = Path(tempfile.mkdtemp(dir=self._path, prefix=UNFINISHED))
        try:
            for name in sorted(files, key=lambda name: name == MANIFEST):
                (staging / name).write_bytes(files[name])
            # Again: somebody may have written there meanwhile.
            check_no_strangers(self._path, _ours(self._path))
        except BaseException as error:
            shutil.rmtree(staging, ignore_errors=True)
            if isinstance(error, OSError) and error.filename is None:
                error.filename = str(self._path)  # a full disk does not say where
            raise
        if self.blocks is None:  # and those of an earlier run are not of these results
            _remove_store(self._path)
        move_into(staging, self._path, _stays(self._path))
        if self.store is not None:
            self.store.note("")  # there is nothing to go on with

    def amounts(self) -> str:
        """How much is kept, in words: ``1,250,000 of 5,000,000 deals``."""
        if self.store is None:
            return ""
        kept = {one.name: one.units for one in self.store.kept()}
        return ", ".join(heard.words(kept.get(heard.name, 0)) for heard in self._heard)


@dataclass
class _Heard:
    """What a simulation runs, and how narrow its interval is by now."""

    name: str
    unit: str
    total: int
    precision: float | None
    half_width: float | None = None

    def words(self, kept: int) -> str:
        kept = min(kept, self.total)  # of a longer run
        if self.precision is None:
            return f"{kept:,} of {self.total:,} {self.unit}"
        width = ""
        if self.half_width is not None and math.isfinite(self.half_width):
            width = f"; half-width {self.half_width:.3g} so far, {self.precision:g} asked for"
        return f"{kept:,} {self.unit} (of at most {self.total:,}{width})"


class _Listener:
    """In front of a store and of a watcher that shows: remembers what is run."""

    def __init__(self, store: BlockStore, watcher: Watcher | None, heard: list[_Heard]) -> None:
        self._store, self._watcher, self._heard = store, watcher, heard
        self._name = ""

    def spans(self, name: str) -> Iterator[tuple[int, int]]:
        self._name = name  # before it begins
        return self._store.spans(name)

    def read(self, name: str, start: int, count: int) -> NDArray[np.int64]:
        return self._store.read(name, start, count)

    def write(self, name: str, start: int, count: int, sums: NDArray[np.int64]) -> None:
        self._store.write(name, start, count, sums)

    def begin(self, title: str, unit: str, total: int, kept: int, precision: float | None) -> None:
        self._heard.append(_Heard(self._name, unit, total, precision))
        if self._watcher is not None:
            self._watcher.begin(title, unit, total, kept, precision)

    def advance(self, fresh: int, half_width: float | None) -> None:
        self._heard[-1].half_width = half_width
        if self._watcher is not None:
            self._watcher.advance(fresh, half_width)

    def end(self) -> None:
        if self._watcher is not None:
            self._watcher.end()


@contextlib.contextmanager
def run_folder(
    path: Path | None,
    of: Identity,
    parameters: Mapping[str, Any],
    *,
    resume: bool = False,
    overwrite: bool = False,
    again: str = "",
) -> Iterator[RunFolder]:
    """The folder of a run, for as long as it goes. An error that ends it gets a note: what is kept.

    Parameters
    ----------
    path : Path, optional
        New or empty, unless there is something to resume or to overwrite. None: nothing is kept.
    of : mapping
        What blocks depend on; see ``identity``.
    parameters : mapping
        All parameters, as in the manifest.
    resume : bool
        Go on with the run that is there; if none is, begin it.
    overwrite : bool
        Begin anew. What is there goes away when the first block or the results are complete.
    again : str
        The command to go on with; it is noted in the folder until the results are written.

    Raises
    ------
    OutputError
        If ``path`` cannot be used for this; nothing in it has changed.
    StoreError
        If another process is running there, or its blocks are damaged or of another run.
    """
    if path is None:
        if resume:
            raise OutputError("--resume is for --out DIR: name the folder of the run")
        with _noted(lambda: "nothing is kept; with --out DIR a run can be resumed", short=True):
            yield RunFolder(None, None)
        return
    if resume and overwrite:
        raise OutputError(
            "--resume and --overwrite exclude each other: go on with what is there, or replace it"
        )
    made: list[Path] = []
    try:
        path = path.resolve()
        made = [folder for folder in (path, *path.parents) if not folder.exists()]
        if path.exists() and not path.is_dir():
            raise OutputError(f"the output folder {path} is a file: name a folder, new or empty")
        path.mkdir(parents=True, exist_ok=True)
        lock = FolderLock(path)
    except (OSError, RuntimeError) as error:
        _remove_empty(made)
        raise cannot_be_made(path, error) from error
    where = path
    with contextlib.ExitStack() as stack:
        stack.callback(_remove_empty, made)
        stack.callback(lock.close)
        _tidy(path)
        _check_use(path, of, parameters, resume, overwrite)
        try:
            store = BlockStore.open(
                path,
                of,
                lock=lock,
                replace=overwrite,
                before_first=(lambda: _make_way(where)) if overwrite else None,
            )
        except OtherRunError as error:
            differ = str(error).rpartition("\n")[0]  # all but what to do from Python
            raise OtherRunError(
                f"{differ}\nname another folder, or replace it with --overwrite"
            ) from error
        stack.callback(_close, store, where, keep=overwrite)
        store.note(again)
        folder = RunFolder(path, store)

        def kept() -> str:
            if not store.is_there():
                return f"nothing is kept: {where} was moved or removed meanwhile"
            if store.is_empty():
                return "nothing is kept: no block was finished"
            amounts = folder.amounts()
            what = f"{amounts} are kept in" if amounts else "what was kept before stays in"
            return f"{what} {where}; go on with\n  {again or 'the same command and --resume'}"

        with _noted(kept):
            yield folder


def _close(store: BlockStore, path: Path, *, keep: bool) -> None:
    """Close a store, and remove it if it has no block; ``keep`` an earlier one."""
    try:
        empty = store.is_empty()
    except GhostsimError:
        empty = False
    store.close()
    if empty and not keep:
        _remove_store(path)


@contextlib.contextmanager
def _noted(what: Callable[[], str], *, short: bool = False) -> Iterator[None]:
    """Add a note to an error that ends a run; ``short``: only if it is an interruption."""
    try:
        yield
    except BaseException as error:
        if not short or isinstance(error, KeyboardInterrupt | SystemExit):
            with contextlib.suppress(GhostsimError):  # a store that cannot be read any more
                error.add_note(what())
        raise


def _check_use(
    path: Path, of: Identity, parameters: Mapping[str, Any], resume: bool, overwrite: bool
) -> None:
    """OutputError if a folder cannot be used in this way."""
    if not path.exists():
        return
    ours = _ours(path)
    there = found_in(path) & ours - {LOCK, f"{BLOCKS}-journal"}
    if there and not (resume or overwrite):
        raise OutputError(
            f"the output folder {path} is not empty, it holds {_what_is_in(path)}: --resume goes "
            "on with that run, or makes it longer; --overwrite replaces it; or name a new folder"
        )
    check_no_strangers(path, ours)
    if is_of_another_program(path / BLOCKS):
        raise OutputError(
            f"{path / BLOCKS} is a database of another program: nothing is overwritten; move it "
            "away, or name another folder"
        )
    about = read_manifest(path)
    if resume and about is not None and not (path / BLOCKS).exists():
        # Results without blocks: nothing else says what they are of.
        before = {"study": about.get("study"), **_fixed(about.get("parameters"), of)}
        after = {"study": of["study"], **_fixed(parameters, of)}
        if before != after:
            differ = [name for name in after if before.get(name) != after[name]]
            raise OutputError(
                f"{path} holds the results of another run ({', '.join(differ)} differ): name "
                "another folder, or replace them with --overwrite"
            )


def _fixed(parameters: Any, of: Identity) -> dict[str, Any]:
    """Parameters that must not change from run to run: a tournament gives games up at max_deals."""
    given = parameters if isinstance(parameters, Mapping) else {}
    # As JSON has it: a list for a tuple.
    plain: dict[str, Any] = json.loads(json.dumps(dict(given)))
    return {name: value for name, value in plain.items() if name in of or name not in FREE}


def _what_is_in(path: Path) -> str:
    about = read_manifest(path)
    parts = []
    if (path / BLOCKS).exists():
        try:
            with BlockStore.look(path) as store:
                kept = ", ".join(units(one.units, one.name) for one in store.kept())
                parts.append(f"blocks of {store.identity.get('study')} ({kept})")
        except (GhostsimError, OSError):
            parts.append("blocks that cannot be read")
    if about is not None:
        parts.append(f"results of {results_of(about)}")
    return " and ".join(parts) or "what is left of a run"


def _ours(path: Path) -> set[str]:
    """The files in a run folder that are ours."""
    return our_files(path) | _stays(path)


def _stays(path: Path) -> set[str]:
    """The files that new results leave alone."""
    damaged = {
        name for name in found_in(path) if re.fullmatch(rf"{re.escape(DAMAGED)}(-\d+)?", name)
    }
    return {BLOCKS, f"{BLOCKS}-journal", LOCK, *damaged}


def _tidy(path: Path) -> None:
    """Finish or remove what a killed run has left; the caller has the lock."""
    for entry in sorted(path.iterdir()):
        if not entry.name.startswith(UNFINISHED):
            continue
        if entry.is_dir() and not entry.is_symlink():
            if _is_complete(entry, path):
                move_into(entry, path, _stays(path))
            else:
                shutil.rmtree(entry)
        else:
            entry.unlink()


def _is_complete(staging: Path, path: Path) -> bool:
    """Whether a run was killed while it moved complete results into place."""
    about = read_manifest(staging)
    return about is not None and all(
        any(
            (folder / name).is_file()
            and hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
            for folder in (staging, path)
        )
        for name, digest in about["files"].items()
    )


def _make_way(path: Path) -> None:
    """Remove earlier results, and blocks that were damaged: a new store begins."""
    for name in (our_files(path) | _stays(path)) - {LOCK}:
        if name not in (MANIFEST, BLOCKS, f"{BLOCKS}-journal"):  # which is replaced
            (path / name).unlink(missing_ok=True)
    (path / MANIFEST).unlink(missing_ok=True)  # last, as long as anything is left


def _remove_store(path: Path) -> None:
    for name in (BLOCKS, f"{BLOCKS}-journal"):
        (path / name).unlink(missing_ok=True)


def _remove_empty(folders: list[Path]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):
            os.rmdir(folder)
