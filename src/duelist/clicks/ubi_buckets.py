"""Lines of UBI files by their queries: all lines of a query are in one bucket, which is small enough for memory.

Many buckets wait in a temporary file, which is as large as the files are.
"""

from __future__ import annotations

import json
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import msgspec

from duelist.clicks.collector import Collector
from duelist.clicks.columns import BLOCK
from duelist.clicks.files import CutShort
from duelist.clicks.ubi import fields_of
from duelist.clicks.ubi_files import PARQUET, ubi_blocks

BUCKET = 1 << 25  # bytes of lines that are joined at once
MOST = 1024  # buckets
PACKED = 12  # how much larger a compressed file may be than it looks
IN_MEMORY = 1 << 26  # bytes of lines that are not worth a file
HELD = 200  # lines of a bucket that are written at once
FILE = 1 << 48  # lines of a file, at most
NOTHING = msgspec.Raw(b"")
NOBODY = b'"None"'  # the key of rows without a query


class Lines(NamedTuple):
    """Some lines, and where they came from."""

    paths: Sequence[str]
    texts: Sequence[bytes]
    numbers: Sequence[int]

    def where(self, place: int) -> tuple[str, int]:
        """The file and the number of a line."""
        path, line = divmod(self.numbers[place], FILE)
        return self.paths[path], line


class _Peek(msgspec.Struct, gc=False):
    query_id: msgspec.Raw = NOTHING
    source: msgspec.Raw = msgspec.field(default=NOTHING, name="_source")


_peek = msgspec.json.Decoder(_Peek).decode


def key_of(query_id: bytes) -> bytes:
    """The id of a query as it is compared: as JSON text without escapes, whether it was a text or a number.

    >>> key_of(b'"q1"'), key_of(b"17"), key_of(rb'"\\u0071\\u0031"'), key_of(b"")
    (b'"q1"', b'"17"', b'"q1"', b'"None"')
    """
    if query_id[:1] == b'"' and b"\\" not in query_id:
        return query_id
    return _written(str(json.loads(query_id or b"null")))


def _written(name: str) -> bytes:
    try:
        return msgspec.json.encode(name)
    except UnicodeEncodeError:  # half of a sign
        return json.dumps(name).encode()


def key_of_line(line: bytes) -> bytes:
    """The key of the query that a line belongs to."""
    try:
        found = _peek(line)
        if found.source:
            found = _peek(found.source)
        key = bytes(found.query_id)
        return key if key[:1] == b'"' and b"\\" not in key else key_of(key)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return _written(str(fields_of(line.decode(errors="surrogateescape")).get("query_id")))


class _Bucket:
    """Lines that wait to be written, the numbers of their files and lines, and where the others are."""

    def __init__(self) -> None:
        self.lines, self.numbers = list[bytes](), array("q")
        self.places: list[tuple[int, int, int]] = []


class Buckets:
    """The lines of some files."""

    def __init__(self, paths: Sequence[str | Path], found: Collector, number: int | None = None) -> None:
        self.paths = list(map(str, paths))
        self.file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - it lives as long as this
        self.buckets = [_Bucket() for _ in range(number or max(1, min(MOST, sum(map(_size, paths)) // BUCKET)))]
        for place, path in enumerate(paths):
            try:
                for first, block in ubi_blocks(path, BLOCK):
                    self._add(block.split(b"\n"), FILE * place + first)
            except CutShort as error:
                found.reject(error.line, error.reason, "", path)

    def __del__(self) -> None:
        if hasattr(self, "file"):
            self.file.close()

    def _add(self, lines: Sequence[bytes], first: int) -> None:
        size, bucket = len(self.buckets), self.buckets[0]
        for number, line in enumerate(lines, first):
            if line and not line.isspace():
                if size > 1:
                    bucket = self.buckets[crc32(key_of_line(line)) % size]
                bucket.lines.append(line)
                bucket.numbers.append(number)
        for bucket in self.buckets:
            if len(bucket.lines) >= HELD:
                self._write(bucket)

    def _write(self, bucket: _Bucket) -> None:
        text = b"\n".join(bucket.lines)
        bucket.places.append((self.file.seek(0, 2), len(text), len(bucket.lines)))
        self.file.write(text)
        self.file.write(bucket.numbers)
        bucket.lines, bucket.numbers = [], array("q")

    def __iter__(self) -> Iterator[Lines]:
        """The lines of each bucket, in the order of the files; as often as asked."""
        for bucket in self.buckets:
            texts, numbers = list[bytes](), array("q")
            for place in bucket.places:
                self._read(place, texts, numbers)
            yield Lines(self.paths, texts + bucket.lines, numbers + bucket.numbers)

    def _read(self, place: tuple[int, int, int], texts: list[bytes], numbers: array[int]) -> None:
        self.file.seek(place[0])
        texts += self.file.read(place[1]).split(b"\n")
        numbers.frombytes(self.file.read(place[2] * numbers.itemsize))


def _size(path: Any) -> int:
    size = Path(path).stat().st_size if Path(path).is_file() else 0
    return size * PACKED if Path(path).suffix.lower() in (".gz", PARQUET) else size
