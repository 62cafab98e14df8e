"""What audits found, kept in the user's cache directory: the ten built-in ones take six seconds.

An entry is named by a digest of the method with its parameters and of all source files of this package, so that an
edit makes a new one. Methods of one's own are audited every time: nobody knows what they are made of. Whatever
goes wrong here only costs time.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import numpy as np

from duelist.interleaving.audit import Audit, Case, Finding, audit
from duelist.interleaving.method import Method

LOST = (OSError, RuntimeError, ValueError, KeyError, TypeError)  # unwritable, without a home, not what was written


def kept_audit(method: Method) -> Audit:
    """`audit(method)`, from the cache directory where it was found before."""
    if not type(method).__module__.startswith("duelist.interleaving."):
        return audit(method)
    try:
        return _read(_file(method))
    except LOST:
        found = audit(method)
        _keep(found, method)
        return found


def _file(method: Method) -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    digest = hashlib.sha256(f"{method.spec} numpy {np.__version__}".encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return Path(home) / "duelist" / f"audit-{method.name}-{digest.hexdigest()[:16]}.json"


def _read(path: Path) -> Audit:
    facts = json.loads(path.read_text())
    del facts["fidelity"]["never_loses"]  # which follows
    for name in ("unbiased", "fidelity", "considerate"):
        worst = facts[name]["worst"]
        facts[name] = Finding(facts[name]["holds"], Case(**{**worst, "rankings": tuple(worst["rankings"])}))
    return Audit(**facts)


def _keep(found: Audit, method: Method) -> None:
    """A reader sees the whole entry or none."""
    try:
        path = _file(method)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps(found.as_dict()))
        os.replace(part, path)
    except LOST:
        pass
