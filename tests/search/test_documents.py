from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

from duelist.core.errors import BadInput
from duelist.search import documents
from duelist.search.documents import Document, gathered, python_documents

MODULE = '''"""About <b>things</b>.

More.
"""

def make(name, *, size: int = 1):
    """Make a thing."""

class Thing:
    """One thing."""

    def use(self):
        """Use it."""

    def _hidden(self):
        """Nobody's."""

def silent(): ...
'''


def write(root: Path, path: str, text: str = MODULE) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def test_modules_classes_and_functions_are_found_without_importing_them(tmp_path: Path) -> None:
    write(tmp_path, "things/__init__.py", MODULE + "raise SystemExit('imported')\n")
    assert gathered(tmp_path) == [
        Document("things", "module", "", "About <b>things</b>.\n\nMore."),
        Document("things.Thing", "class", "", "One thing."),
        Document("things.Thing.use", "function", "(self)", "Use it."),
        Document("things.make", "function", "(name, *, size: int=1)", "Make a thing."),
    ]


def test_tests_hidden_modules_and_what_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    for path in ("test/a.py", "b/tests/c.py", "_d.py", "test_e.py", "site-packages/f.py", "lib-dynload.x/g.py"):
        write(tmp_path, path)
    write(tmp_path, "broken.py", "def (")
    write(tmp_path, "nul.py", '"""A\0B"""')
    (tmp_path / "latin.py").write_bytes(b'"""caf\xe9"""')
    write(tmp_path, "good.py", '"""Good."""')
    assert [document.name for document in gathered(tmp_path)] == ["good"]


def test_a_package_gives_its_name_to_what_is_in_it(tmp_path: Path) -> None:
    write(tmp_path, "__init__.py", '"""Whole."""')
    write(tmp_path, "part.py", '"""Part."""')
    assert [document.name for document in gathered(tmp_path, "package")] == ["package", "package.part"]


def test_of_a_name_that_is_defined_twice_one_is_kept_and_the_order_is_fixed(tmp_path: Path) -> None:
    write(tmp_path, "twice.py", 'def f():\n    """First."""\n\ndef f():\n    """Second."""\n')
    write(tmp_path, "a.py", '"""A."""')
    found = gathered(tmp_path)
    assert [(document.name, document.text) for document in found] == [("a", "A."), ("twice.f", "Second.")]


def test_without_sources_of_python_those_of_libraries_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "lonely.py", '"""Alone."""')
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    monkeypatch.setattr(documents, "LIBRARIES", ("msgspec",))
    names = [document.name for document in python_documents()]
    assert names[0] == "lonely"
    assert any(name.startswith("msgspec.") for name in names)
    assert not [name for name in names if name.endswith(".")]
    monkeypatch.setattr(documents, "LIBRARIES", ("no_such_library",))
    (tmp_path / "lonely.py").unlink()
    with pytest.raises(BadInput, match="nothing to search in"):
        python_documents()
