"""An audit that was kept is the audit; whatever is wrong with the cache only costs time."""

from __future__ import annotations

from pathlib import Path

import pytest

from duelist.interleaving import Probabilistic, TeamDraft, audit, kept


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "duelist"


def test_what_was_found_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = kept.kept_audit(TeamDraft())
    assert found == audit(TeamDraft())
    monkeypatch.setattr(kept, "audit", None)
    assert kept.kept_audit(TeamDraft()) == found
    assert [path.suffix for path in folder.iterdir()] == [".json"]


def test_each_parameter_and_each_source_has_its_own_entry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    files = {kept._file(method) for method in (TeamDraft(), Probabilistic(), Probabilistic(tau=1.0))}
    monkeypatch.setattr(kept, "__file__", str(tmp_path / "kept.py"))
    (tmp_path / "kept.py").write_text("edited")
    assert len({*files, kept._file(TeamDraft())}) == 4


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"fidelity": 3}'])
def test_an_entry_that_cannot_be_used_is_made_anew(folder: Path, content: str) -> None:
    path = kept._file(TeamDraft())
    path.parent.mkdir()
    path.write_text(content)
    assert kept.kept_audit(TeamDraft()) == audit(TeamDraft()) == kept._read(path)


def test_a_directory_that_cannot_be_written_is_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert kept.kept_audit(TeamDraft()) == audit(TeamDraft())


def test_a_method_of_ones_own_is_audited_every_time(folder: Path) -> None:
    class Mine(TeamDraft):
        pass

    kept.kept_audit(Mine())
    assert not folder.exists()
