"""Files: where machine code is kept, and how a file is replaced so that nobody ever sees half of it.

Machine code is kept so that the next process need not compile it again. Numba looks for a folder that can be written:
$NUMBA_CACHE_DIR, `__pycache__` beside the source, the user's cache. Where none can, as in a container whose user owns
nothing, there is a private folder among the temporary files, or none.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from tempfile import gettempdir, mkstemp
from typing import Any

import numba
from numba.core.caching import NullCache
from numba.core.runtime.nrt import rtsys

from duelist.core.errors import BadInput
from duelist.core.progress import say_once

njit: Any = numba.njit  # its options are more than its types know


def kept(function: Any, **options: Any) -> Any:
    """`njit(cache=True)` that finds a place for its code, or does without."""
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError as error:  # numba finds no place
        if "no locator" not in str(error):
            raise
    folder = private_folder()
    if folder is not None:
        # Numba reads it whenever it compiles; code of others that asks to be kept has no other place either.
        numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    _say_where(folder)
    return njit(cache=folder is not None, **options)(function)


def find_kept(function: Any, signature: tuple[Any, ...]) -> Any:
    """The machine code of a `kept` function that a process before this one has kept, or None.

    Numba gets ready to compile before it looks into its cache, which takes ten times as long as to read the code.
    Code needs numba's runtime, and the modules of all functions in it, which are loaded with their environments.
    """
    if isinstance(function._cache, NullCache):
        return None
    cache, context = function._cache, function.targetctx
    rtsys.initialize(context)
    try:
        with cache._guard_against_spurious_io_errors():
            found = cache._cache_file.load(cache._index_key(signature, context.codegen()))
    except Exception:  # of a module that has another name here, as a script has, and may refuse to be loaded by both
        return None
    if found is None:
        return None
    function._cache_hits[signature] += 1  # as numba counts
    return cache._impl.rebuild(context, found).entry_point


def private_folder() -> Path | None:
    """A folder for temporary files that nobody else can write to: what is read from it is run."""
    user = os.getuid() if hasattr(os, "getuid") else None
    try:
        folder = Path(gettempdir(), "duelist" if user is None else f"duelist-{user}")
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    alone = user is None or (found.st_uid == user and not found.st_mode & 0o077)
    return folder if stat.S_ISDIR(found.st_mode) and alone and os.access(folder, os.W_OK) else None


def _say_where(folder: Path | None) -> None:
    place = f"is kept in {folder}" if folder is not None else "is not kept: every process compiles anew"
    why = "neither the package's folder nor the user's cache can be written"
    say_once(f"duelist: compiled code {place}, because {why}; NUMBA_CACHE_DIR names another folder", always=True)


def replace_file(path: Path, data: bytes) -> None:
    """Write a file so that a reader, or whoever comes after a crash, finds what was there before or all of `data`."""
    try:
        handle, part = mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise BadInput(f"{str(path)!r} cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        os.unlink(part)
        raise BadInput(f"{str(path)!r} cannot be written: {error.strerror}") from None
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """The new name is safe on disk too, where folders can be synced."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
