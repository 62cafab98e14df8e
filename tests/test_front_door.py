"""What somebody sees who imports duelist: in a type checker, in a console, in help."""

from __future__ import annotations

import inspect
import pydoc
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import assert_type

import pytest

import duelist
from duelist.dueling import environments, policies


def test_a_strict_type_checker_knows_the_public_names() -> None:
    """`make check` reads this file strictly: every wrong type here is an error, and so is an ignore of nothing."""
    assert (Path(duelist.__file__).parent / "py.typed").is_file()
    assert_type(duelist.RUCB(3), duelist.RUCB)
    assert_type(duelist.simulate("rucb", "arxiv", horizon=10, runs=1), duelist.Result)
    assert_type(duelist.online.PDGD(2), duelist.online.learners.pdgd.PDGD)
    with pytest.raises(TypeError):
        duelist.simulate("rucb", "arxiv", horizno=10)  # type: ignore[call-arg]


def test_every_public_name_is_there() -> None:
    for name in duelist.__all__:
        assert getattr(duelist, name) is not None
    assert {*policies.__all__, *environments.__all__, "Duel", "Spec", "analyze", "online", "__version__"} <= set(
        dir(duelist)
    )
    with pytest.raises(AttributeError, match="no attribute 'RUBC'"):
        _ = duelist.RUBC  # type: ignore[attr-defined]


def test_looking_around_does_not_load_the_compiler() -> None:
    program = "import sys, duelist; dir(duelist); duelist.__version__; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_live_experiments_and_clients_are_at_the_front_door_without_the_extra() -> None:
    program = """if True:
        import sys
        sys.modules |= dict.fromkeys(["httpx", "starlette", "uvicorn", "prometheus_client", "psycopg"])
        import duelist
        duelist.Client, duelist.AsyncClient, duelist.client.Client
        with duelist.live.open("memory://") as experiments:
            experiments.define(duelist.Definition("a", "pair", arms=("x", "y"))).start()
            print(experiments["a"].status()["state"])
        try:
            duelist.Client("http://127.0.0.1:1")
        except duelist.MissingExtra as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "running\nthe client needs httpx: pip install 'duelist[service]'\n", done.stderr


@pytest.mark.parametrize(("kind", "parameter"), [(duelist.RUCB, "alpha"), (duelist.online.PDGD, "rate")])
def test_a_signature_shows_the_parameters(kind: type, parameter: str) -> None:
    shown = inspect.signature(kind).parameters
    assert shown[parameter].default == kind.fields[parameter].default  # type: ignore[attr-defined]
    assert {"seed", "max_open"} <= shown.keys()
    assert kind.fields[parameter].help in pydoc.render_doc(kind)  # type: ignore[attr-defined]


def test_the_lock_has_every_extra_but_cuda() -> None:
    root = Path(__file__).parents[1]
    extras = tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    (line,) = [line for line in (root / "Makefile").read_text().splitlines() if line.startswith("EXTRAS := ")]
    assert {*line.split()[2:], "cuda"} == set(extras)
    assert "numba-cuda" not in (root / "requirements.lock").read_text()
