"""A plan: policies or learners x environments or data x parameters x seeds, as data. It is read from TOML.

    policies = ["rucb", "rex3"]
    environments = ["arxiv", "worst-case:arms=50"]
    horizon = 100_000
    runs = 100
    seeds = [1, 2]
    [set]
    rucb.alpha = [0.51, 1, 2]

Whatever may be a list is an axis, and the cells are all combinations. Files are looked for beside the plan.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from duelist.core.errors import BadInput, DuelistError
from duelist.core.parameters import meant
from duelist.core.spec import Spec
from duelist.core.variants import make_variants
from duelist.data.load import SYNTHETIC
from duelist.sweeps.cell import Cell
from duelist.sweeps.learners import LearnerRuns
from duelist.sweeps.policies import PolicyRuns

# What a plan may say, and the field of a cell that it fills; an axis may be a list.
POLICY_AXES = {"environments": "environment", "horizon": "horizon", "seeds": "seed", "engine": "engine"}
LEARNER_AXES = {
    "data": "data",
    "folds": "fold",
    "clicks": "clicks",
    "stop": "stop",
    "drift": "drift",
    "impressions": "impressions",
    "seeds": "seed",
    "engine": "engine",
}
KINDS: dict[str, tuple[str, type[Any], dict[str, str], str]] = {
    "policies": ("policy", PolicyRuns, POLICY_AXES, "environments"),
    "learners": ("learner", LearnerRuns, LEARNER_AXES, "data"),
}
COMMON = ("name", "runs", "points", "set", "search")


@dataclass(frozen=True)
class Plan:
    """What is to be run.

    >>> plan = Plan.from_dict({"policies": "rucb", "environments": ["arxiv", "cyclic"], "set": {"alpha": [0.6, 1]}})
    >>> [f"{cell.policy} on {cell.environment}" for cell in plan.cells]
    ['rucb:alpha=0.6 on arxiv', 'rucb:alpha=0.6 on cyclic', 'rucb:alpha=1.0 on arxiv', 'rucb:alpha=1.0 on cyclic']
    """

    cells: Sequence[Any]
    name: str = "sweep"
    search: Mapping[str, Any] = field(default_factory=dict)  # what `tune` is to look for

    @classmethod
    def read(cls, path: str | Path) -> Plan:
        """From a TOML file; an error says which line it is about."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
            record = tomllib.loads(text)
        except OSError as error:
            raise BadInput(f"no plan {str(path)!r}: {error.strerror}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise BadInput(f"{path}: {error}") from None
        return cls.from_dict({"name": path.stem, **record}, path.parent, Lines(str(path), text))

    @classmethod
    def from_dict(cls, record: Mapping[str, Any], folder: Path | None = None, lines: Lines | None = None) -> Plan:
        """From what TOML says; every cell is checked."""
        lines = lines or Lines()
        key = _kind_of(record, lines)
        family, make, axes, world = KINDS[key]
        _refuse_unknown(record, [key, *axes, *COMMON], lines)
        typed = []
        for given in _several(record[key]):
            with lines.at(key, given):
                typed.append(Spec.read(family, given).check())
        with lines.at("set"):
            specs = make_variants(typed, _flat(record.get("set", {})), "set ")
        if world not in record:
            raise BadInput(f"{lines.where}a plan of {key} needs {world}")
        fixed = {name: record[name] for name in ("runs", "points") if name in record}
        values = {axis: _several(record[axis]) for axis in axes if axis in record}
        values[world] = [_found_beside(given, folder) for given in values[world]]
        cells = [
            make(spec, **dict(zip([axes[axis] for axis in values], chosen, strict=True)), **fixed)
            for spec in specs
            for chosen in product(*values.values())
        ]
        _check(cells, {**axes, "runs": "runs", "points": "points", key: family}, record, lines)
        return cls(cells, str(record.get("name", "sweep")), record.get("search", {}))

    def with_engine(self, engine: str) -> Plan:
        """The same cells, computed by another engine."""
        cells = [replace(cell, engine=engine) for cell in self.cells]
        for cell in cells:
            cell.check()
        return replace(self, cells=cells)

    @property
    def workers(self) -> str:
        """The workers it needs when nobody names others: GPUs, or the cores of this machine."""
        engines = {cell.engine for cell in self.cells}
        if len(engines) > 1:
            raise BadInput("a plan with cells for both cpu and cuda needs engine dask, whose workers differ")
        return "cuda" if engines == {"cuda"} else "local"

    @property
    def runs(self) -> int:
        """Of all cells."""
        return sum(cell.runs for cell in self.cells)


@dataclass(frozen=True)
class Lines:
    """Where in a text something stands, as far as it can be found."""

    path: str = ""
    text: str = ""

    @property
    def where(self) -> str:
        """How an error about the whole begins."""
        return f"{self.path}: " if self.path else ""

    @contextmanager
    def at(self, key: str, value: Any = None) -> Iterator[None]:
        """An error inside names the line of a key, or of a value below it."""
        try:
            yield
        except DuelistError as error:
            line = self.find(key, value)
            raise type(error)(f"{self.path}, line {line}: {error}" if line else f"{self.where}{error}") from None

    def find(self, key: str, value: Any = None) -> int:
        """The number of the line, from 1; 0 when it is not found."""
        rows = self.text.splitlines()
        begins = [number for number, row in enumerate(rows) if re.match(rf'\s*\[?"?{re.escape(key)}"?\s*[=\].]', row)]
        if not begins:
            return 0
        if value is None:
            return begins[0] + 1
        text = str(value["name"] if isinstance(value, Mapping) and "name" in value else value)
        return next((number + 1 for number in range(begins[0], len(rows)) if text in rows[number]), begins[0] + 1)


def _kind_of(record: Mapping[str, Any], lines: Lines) -> str:
    found = [key for key in KINDS if key in record]
    if len(found) != 1:
        close = [f"; {key!r}: {meant(key, KINDS).strip()}" for key in record if meant(key, KINDS) and key not in KINDS]
        raise BadInput(f"{lines.where}a plan has policies or learners, one of the two{''.join(close)}")
    return found[0]


def _refuse_unknown(record: Mapping[str, Any], known: Sequence[str], lines: Lines) -> None:
    for key in record:
        if key not in known:
            with lines.at(key):
                raise BadInput(f"a plan has no {key!r}{meant(key, known)}; it has {', '.join(known)}")


def _several(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _flat(given: Any) -> dict[str, list[Any]]:
    """Values by NAME and OWNER.NAME, however the table was nested."""
    if not isinstance(given, Mapping):
        raise BadInput(f"set is a table of parameters with their values, not {given!r}")
    found: dict[str, list[Any]] = {}
    for name, value in given.items():
        if isinstance(value, Mapping):
            found |= {f"{name}.{inner}": _several(v) for inner, v in value.items()}
        else:
            found[name] = _several(value)
    return found


def _found_beside(given: Any, folder: Path | None) -> Any:
    """A file or folder beside the plan by its whole path, so that it is found by other processes too."""
    beside = Path(folder or ".") / str(given)
    is_name = not isinstance(given, str) or given.partition(":")[0] == SYNTHETIC
    return given if is_name or not beside.exists() else str(beside.resolve())


def _check(cells: Sequence[Cell], axes: Mapping[str, str], record: Mapping[str, Any], lines: Lines) -> None:
    """Every cell; an error is about the first axis whose value it names, or about the whole."""
    seen: dict[str, str] = {}
    for cell in cells:
        try:
            cell.check()
            text = str(cell)
            if text in seen:
                raise BadInput(f"a cell comes twice: {text}")
            seen[text] = text
        except DuelistError as error:
            values = {axis: getattr(cell, name) for axis, name in axes.items() if axis in record}
            names = {axis: str(value).partition(":")[0] for axis, value in values.items()}
            told = [axis for axis in names if names[axis] in str(error)]
            axis = max(told, key=lambda axis: len(names[axis]), default="")
            with lines.at(axis, values.get(axis)):
                raise
