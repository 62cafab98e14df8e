"""Compiled code is kept where it can be, and nothing breaks where it cannot."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from duelist.core.disk import private_folder

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions are others on this system")
PROGRAM = "import duelist; p = duelist.Uniform(2, seed=1); p.warm_up(); print(p.ask()[:2], duelist.__file__)"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the package that can be read but not written to."""
    folder = tmp_path_factory.mktemp("site")
    source = Path(__file__).parents[2] / "src" / "duelist"
    shutil.copytree(source, folder / "duelist", ignore=shutil.ignore_patterns("__pycache__"))
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield folder
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755)  # so that pytest can remove it


def run_locked_down(installed: Path, temporary: Path) -> subprocess.CompletedProcess[str]:
    """With a home and a package that cannot be written to. Permissions hold for all but root, who is made to obey."""
    prefix = []
    if os.getuid() == 0:
        prefix = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
        if shutil.which("setpriv") is None or subprocess.run([*prefix, "true"], check=False).returncode:
            pytest.skip("root can write everywhere, and setpriv cannot change that here")
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    env = {**kept, "PYTHONPATH": str(installed), "HOME": str(installed), "TMPDIR": str(temporary)}
    command = [*prefix, sys.executable, "-c", PROGRAM]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=120)


def test_without_a_place_to_write_a_private_temporary_folder_serves(installed: Path, tmp_path: Path) -> None:
    done = run_locked_down(installed, tmp_path)
    assert done.returncode == 0, done.stderr
    assert str(installed) in done.stdout
    (folder,) = tmp_path.glob("duelist-*")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert done.stderr.count("\n") == 1
    assert f"duelist: compiled code is kept in {folder}, because neither" in done.stderr
    kept = {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")}
    assert kept
    again = run_locked_down(installed, tmp_path)
    assert again.stdout == done.stdout
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")} == kept  # read, not made again


def test_where_nothing_private_can_be_made_code_is_not_kept(installed: Path, tmp_path: Path) -> None:
    (tmp_path / f"duelist-{os.getuid()}").write_text("a file is in the way")
    done = run_locked_down(installed, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "compiled code is not kept: every process compiles anew" in done.stderr


def test_a_folder_that_others_may_write_to_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("duelist.core.disk.gettempdir", lambda: str(tmp_path))
    folder = tmp_path / f"duelist-{os.getuid()}"
    assert private_folder() == folder
    folder.chmod(0o770)
    assert private_folder() is None
    folder.rmdir()
    folder.symlink_to(tmp_path)
    assert private_folder() is None
