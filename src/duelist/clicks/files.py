"""Text files line by line, plain or .gz."""

from __future__ import annotations

import codecs
import gzip
import os
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from duelist.core.errors import BadInput

PIECE = 1 << 13  # characters that are read at once: few, so that little is lost where a file breaks off
MODES = {"new": "x", "append": "a", "replace": "w"}


def suffix(path: str | Path) -> str:
    """The ending that says what is in the file: ".csv" for log.csv and log.csv.gz."""
    endings = [ending.lower() for ending in Path(path).suffixes]
    if endings and endings[-1] == ".gz":
        endings.pop()
    return endings[-1] if endings else ""


def numbered_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Each line with its number, from 1; bytes that are not UTF-8 become lone surrogates.

    A compressed file that breaks off raises CutShort after its last line.
    """
    for first, lines in portions(path, 1):
        yield first, lines[0]


def portions(path: str | Path, size: int) -> Iterator[tuple[int, list[str]]]:
    """So many lines at a time, with the number of the first; otherwise as `numbered_lines`."""
    if not Path(path).is_file():
        raise BadInput(f"no log file {str(path)!r}")
    number = 0
    held: list[str] = []
    try:
        with _open(path) as file:
            while True:
                for line in islice(file, size):
                    held.append(line.rstrip("\r\n"))
                if not held:
                    return
                yield number + 1, held
                number += len(held)
                held = []
    except (OSError, EOFError, zlib.error) as error:
        if held:
            yield number + 1, held
            number += len(held)
        if number == 0:
            raise BadInput(f"cannot read {str(path)!r}: {error}") from None
        raise CutShort(number + 1, f"the file breaks off here: {error}") from None


def blocks(path: str | Path, size: int) -> Iterator[tuple[int, bytes]]:
    """Whole lines, about so many bytes at a time, with the number of the first; otherwise as `portions`."""
    if not Path(path).is_file():
        raise BadInput(f"no log file {str(path)!r}")
    number, held = 0, b""
    opener: Any = gzip.open if _is_packed(path) else open
    try:
        with opener(path, "rb") as file:
            while more := file.read1(size):
                held += more if number or held else more.removeprefix(codecs.BOM_UTF8)
                end = held.rfind(b"\n") + 1
                if end:
                    yield number + 1, held[:end]
                    number, held = number + held.count(b"\n", 0, end), held[end:]
        if held:
            yield number + 1, held + b"\n"
    except (OSError, EOFError, zlib.error) as error:
        if number == 0:
            raise BadInput(f"cannot read {str(path)!r}: {error}") from None
        raise CutShort(number + 1, f"the file breaks off here: {error}") from None


def texts(path: str | Path, size: int) -> Iterator[str]:
    """So many characters at a time, whatever lines they are in; otherwise as `portions`."""
    if not Path(path).is_file():
        raise BadInput(f"no log file {str(path)!r}")
    held, begun = "", False
    try:
        with _open(path) as file:
            while text := file.read(PIECE):
                held, begun = held + text, True
                if len(held) >= size:
                    yield held
                    held = ""
        if held:
            yield held
    except (OSError, EOFError, zlib.error) as error:
        if not begun:
            raise BadInput(f"cannot read {str(path)!r}: {error}") from None
        if held:
            yield held
        raise CutShort(0, str(error)) from None


class CutShort(Exception):
    """Where and why a file cannot be read further."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = line, reason


def _open(path: str | Path) -> TextIO:
    opener: Any = gzip.open if _is_packed(path) else open
    file: TextIO = opener(path, "rt", encoding="utf-8-sig", errors="surrogateescape", newline="\n")
    return file


def check_mode(path: str | Path, mode: str) -> None:
    """An error if a file cannot be written in this mode, before anything is."""
    if mode not in MODES:
        raise BadInput(f"mode must be one of {', '.join(MODES)}, not {mode!r}")
    if mode == "new" and Path(path).exists():
        raise BadInput(f"{str(path)!r} exists already: mode='append' adds to it, mode='replace' begins anew")


def open_to_write(path: str | Path, mode: str = "new") -> TextIO:
    """A text file, plain or .gz; what is appended to a line that was never finished begins on a new one."""
    check_mode(path, mode)
    broken = mode == "append" and not _is_packed(path) and _breaks_off(Path(path))
    opener: Any = gzip.open if _is_packed(path) else open
    file: TextIO = opener(path, MODES[mode] + "t", encoding="utf-8", newline="")
    if broken:
        file.write("\n")
    return file


def _breaks_off(path: Path) -> bool:
    """Whether the last line has no end, as when a writer was stopped."""
    if not path.is_file() or not path.stat().st_size:
        return False
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read() != b"\n"


def _is_packed(path: str | Path) -> bool:
    return Path(path).suffix.lower() == ".gz"
