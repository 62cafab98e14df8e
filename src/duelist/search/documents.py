"""Documents that every machine has: the documentation strings of its own Python, read without importing anything."""

from __future__ import annotations

import ast
import re
import sysconfig
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from duelist.core.errors import BadInput

SKIPPED = {"__pycache__", "dist-packages", "ensurepip", "idlelib", "lib2to3", "site-packages", "turtledemo"}
TESTS = re.compile(r"tests?|test_.*|.*_tests?|idle_test")
LONGEST = 4_000  # characters of a text that are kept
ENOUGH = 500  # documents to search in; where Python has fewer, those of libraries are taken as well
LIBRARIES = ("numpy", "scipy")
WORD = re.compile(r"[^\W_]+")
HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
Defined = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Document(NamedTuple):
    """One page: of a module, a class or a function."""

    name: str  # with its module, such as json.dumps; no two documents share it
    kind: str  # module, class or function
    signature: str  # of a function, what it takes
    text: str

    @property
    def parent(self) -> str:
        """The module or class that it is in; of a module the package, if it is in one."""
        return self.name.rpartition(".")[0]

    @property
    def summary(self) -> str:
        """The first line."""
        return self.text.partition("\n")[0]

    @property
    def title(self) -> str:
        """The name, and its parts where words are glued together.

        >>> Document("http.client.HTTPConnection", "class", "", "").title
        'http.client.HTTPConnection HTTP Connection'
        """
        parts = [part for word in WORD.findall(self.name) if len(found := HUMP.findall(word)) > 1 for part in found]
        return " ".join([self.name, *parts])


def python_documents() -> list[Document]:
    """The documents of this Python: a few thousand, within a few seconds."""
    documents = gathered(Path(sysconfig.get_path("stdlib")))
    for library in LIBRARIES:  # some systems have Python without its sources
        spec = find_spec(library) if len(documents) < ENOUGH else None
        if spec is not None and spec.origin is not None:
            documents += gathered(Path(spec.origin).parent, library)
    if not documents:
        raise BadInput(f"there is nothing to search in: {sysconfig.get_path('stdlib')} has no sources of Python")
    return documents


def gathered(root: Path, package: str = "") -> list[Document]:
    """The documents of all sources in a folder, which may be that of a package, in the order of their names."""
    found = (each for file in sources(root) for each in read_source(file, module_of(file.relative_to(root), package)))
    return sorted({each.name: each for each in found}.values())


def sources(folder: Path) -> Iterator[Path]:
    """What others may import, in a fixed order: no tests, and nothing that begins with an underscore."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.suffix == ".py" and (entry.stem == "__init__" or not _hidden(entry.stem)):
            yield entry
        elif entry.is_dir() and not entry.is_symlink() and not _hidden(entry.name) and "." not in entry.name:
            yield from sources(entry)


def _hidden(name: str) -> bool:
    return name.startswith("_") or name in SKIPPED or TESTS.fullmatch(name) is not None


def module_of(path: Path, package: str = "") -> str:
    """The name of a module by its file.

    >>> module_of(Path("json/__init__.py")), module_of(Path("json/decoder.py")), module_of(Path("decoder.py"), "json")
    ('json', 'json.decoder', 'json.decoder')
    """
    parts = [package] * bool(package) + [part for part in path.with_suffix("").parts if part != "__init__"]
    return ".".join(parts)


def read_source(file: Path, module: str) -> list[Document]:
    """The documents of one source; none where it cannot be read."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    text = _text(tree)
    first = [Document(module, "module", "", text)] if text and module else []
    return first + list(_inside(tree.body, module))


def _inside(body: Iterable[ast.stmt], parent: str) -> Iterator[Document]:
    for node in body:
        if not isinstance(node, Defined) or node.name.startswith("_"):
            continue
        name, text = f"{parent}.{node.name}".strip("."), _text(node)
        if isinstance(node, ast.ClassDef):
            if text:
                yield Document(name, "class", "", text)
            yield from _inside(node.body, name)
        elif text:
            yield Document(name, "function", f"({ast.unparse(node.args)})", text)


def _text(node: ast.Module | Defined) -> str:
    return (ast.get_docstring(node) or "").strip()[:LONGEST]
