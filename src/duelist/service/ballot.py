"""What people are to vote on, from a CSV file: a row a thing, or a table of prompts and what each arm answers."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from duelist.core.errors import BadInput
from duelist.live.contents import Content, Contents, Prompt
from duelist.live.definition import Definition

KINDS = ("content", "text", "markdown", "image", "link")
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg")
LARGEST_IMAGE = 20_000_000  # bytes
DAY = 86_400.0  # seconds that a question may wait for its answer
POLICIES = {"best": "rmed1", "order": "uniform"}  # of an order all pairs matter that are not sure
ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)


class Ballot(NamedTuple):
    """The arms and their contents, and the images that have to be served with them, by their names."""

    arms: list[str]
    contents: Contents
    files: dict[str, Path]

    def definition(self, name: str, target: str) -> Definition:
        """An experiment that ends when it is sure."""
        return Definition.read(
            {
                "name": name,
                "kind": "arms",
                "arms": self.arms,
                "policy": POLICIES[target],
                "contents": msgspec.to_builtins(self.contents),
                "session": {"timeout": DAY},
                "stop": {"rule": "evidence"},
                **({"target": target} if target != "best" else {}),
            }
        )


class _Row(NamedTuple):
    line: int
    cells: list[str]


def read_ballot(path: Path, markdown: bool = False) -> Ballot:
    """Read a file with columns `name` and `content` (or text, markdown, image, link), or `prompt` and one an arm.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "words.csv").write_text("name,text\\nshort,Hi\\nlong,Good morning\\n")
    ...     ballot = read_ballot(Path(folder, "words.csv"))
    >>> ballot.arms, ballot.contents["short"].text
    (['short', 'long'], 'Hi')
    """
    reader = _Cells(path, markdown)
    header, *rows = reader.rows()
    if header.cells[0].lower() == "prompt":
        return _prompts(reader, header.cells[1:], rows)
    return _things(reader, header.cells, rows)


def experiment_name(path: Path) -> str:
    """A name for the experiment of a file.

    >>> experiment_name(Path("My designs (2).csv"))
    'My-designs-2'
    """
    return re.sub(r"[^A-Za-z0-9._-]+", "-", path.stem).strip("-._")[:100] or "vote"


def _things(reader: _Cells, header: Sequence[str], rows: list[_Row]) -> Ballot:
    columns = [name.lower() for name in header]
    kinds = [name for name in columns if name in KINDS]
    beside = kinds[1:] == ["text"] or kinds[:-1] == ["text"]  # which says what an image shows, or a link says
    fits = len(kinds) == 1 or (len(kinds) == 2 and beside and {*kinds} <= {"text", "image", "link"})
    if sorted(columns) != sorted(["name", *kinds]) or not fits:
        raise BadInput(
            f"{reader.path}, line 1: the columns are name and one of {', '.join(KINDS)} (text also beside image and "
            f"link), or prompt and one for each arm, not {', '.join(map(repr, header))}"
        )
    kind = next(name for name in kinds if name != "text" or len(kinds) == 1)
    contents: dict[str, str | Content] = {}
    for row in rows:
        cells = dict(zip(columns, row.cells, strict=True))
        name = cells["name"].strip()
        if not name or name in contents:
            raise BadInput(
                f"{reader.where(row, 'name')}: {'a name is missing' if not name else f'{name!r} is there twice'}"
            )
        text = cells["text"].strip() if len(kinds) == 2 else ""
        contents[name] = reader.content(row, kind, cells[kind], text)
    if len(contents) < 2:
        raise BadInput(f"{reader.path}: two things at least are needed to compare them, and there is {len(contents)}")
    return Ballot(list(contents), contents, reader.files)


def _prompts(reader: _Cells, arms: Sequence[str], rows: list[_Row]) -> Ballot:
    if len(arms) < 2 or len({*arms}) < len(arms) or not all(arms):
        raise BadInput(f"{reader.path}, line 1: after prompt come two arms or more with different names, not {arms!r}")
    if not rows:
        raise BadInput(f"{reader.path}: there is no prompt below the names")
    contents = []
    for row in rows:
        prompt = reader.content(row, "content", row.cells[0], column="prompt")
        answers: dict[str, str | Content] = {
            arm: reader.content(row, "content", cell, column=arm) for arm, cell in zip(arms, row.cells[1:], strict=True)
        }
        contents.append(Prompt(prompt, answers))
    return Ballot(list(arms), tuple(contents), reader.files)


class _Cells:
    """Reads the cells of a file; what is wrong is named by line and column."""

    def __init__(self, path: Path, markdown: bool) -> None:
        self.path, self.markdown = path, markdown
        self.files: dict[str, Path] = {}

    def rows(self) -> list[_Row]:
        """The header, and all rows that are not empty."""
        try:
            text = self.path.read_bytes().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{str(self.path)!r} cannot be read: {error}") from None
        reader, found, line = csv.reader(io.StringIO(text, newline=""), strict=True), [], 1
        try:
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    found.append(_Row(line, cells))
                line = reader.line_num + 1
        except csv.Error as error:
            raise BadInput(f"{self.path}, line {line}: {error}") from None
        if not found:
            raise BadInput(f"{self.path} is empty")
        header = [cell.strip() for cell in found[0].cells]
        for row in found[1:]:
            if len(row.cells) != len(header):
                raise BadInput(f"{self.path}, line {row.line}: {len(row.cells)} cells under {len(header)} columns")
        return [_Row(1, header), *found[1:]]

    def where(self, row: _Row, column: str) -> str:
        """A cell, for people."""
        return f"{self.path}, line {row.line}, column {column!r}"

    def content(self, row: _Row, kind: str, cell: str, text: str = "", column: str = "") -> Content:
        """What a cell shows."""
        where, cell = self.where(row, column or kind), cell.strip("\r\n")
        if kind == "content":
            kind = self._kind_of(cell.strip())
        if kind == "image" and not ADDRESS.fullmatch(cell.strip()):
            made = Content(image=self._own_image(where, cell.strip()), text=text)
        elif kind in ("image", "link"):
            made = Content(**{kind: cell.strip()}, text=text)
        else:
            made = Content(**{kind: cell})
        made.check(where)
        return made

    def _kind_of(self, cell: str) -> str:
        plain = cell.partition("?")[0].lower()
        if ADDRESS.fullmatch(cell):
            return "image" if plain.endswith(IMAGES) else "link"
        if plain.endswith(IMAGES) and "\n" not in cell and " " not in Path(cell).suffix:
            return "image"
        return "markdown" if self.markdown else "text"

    def _own_image(self, where: str, name: str) -> str:
        """The address of an image beside the file: named by what is in it, so that another one is another content."""
        folder = self.path.parent.resolve()
        try:
            file = (folder / name).resolve()
            fine = file.is_relative_to(folder) and file.is_file() and bool(name)
        except (OSError, ValueError):
            fine = False
        if not fine or file.suffix.lower() not in IMAGES:
            kinds = ", ".join(IMAGES)
            raise BadInput(f"{where}: an image is an address or a file ({kinds}) in {str(folder)!r}, not {name!r:.100}")
        if file.stat().st_size > LARGEST_IMAGE:
            raise BadInput(f"{where}: {name!r} has {file.stat().st_size:,} bytes; allowed are {LARGEST_IMAGE:,}")
        served = f"{hashlib.blake2b(file.read_bytes(), digest_size=12).hexdigest()}{file.suffix.lower()}"
        self.files[served] = file
        return f"/files/{served}"
