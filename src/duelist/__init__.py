"""Learn which ranking people prefer, from their clicks, by letting rankings duel.

>>> import duelist
>>> policy = duelist.RUCB(arms=["bm25", "ltr-v3", "vector"], seed=1)
>>> duel = policy.ask()
>>> policy.tell(duel, winner=duel.left)
>>> policy.best() == duel.left
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duelist.core.errors import *  # noqa: F403
    from duelist.dueling import *  # noqa: F403

__version__ = "0.1.0"

# The public names are those of these packages. They are looked up at first use, so that
# `import duelist` and the command line's help do not wait for the compiler to load.
HOMES = ("duelist.core.errors", "duelist.dueling")
# The others keep their names to themselves: duelist.interleaving.TeamDraft.
PACKAGES = ("analysis", "clicks", "data", "dueling", "evidence", "interleaving", "offline", "online", "testing")


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    if name in PACKAGES:
        return importlib.import_module(f"duelist.{name}")
    for home in () if name.startswith("_") else HOMES:
        module = importlib.import_module(home)
        if name in module.__all__:
            return getattr(module, name)
    raise AttributeError(f"module 'duelist' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(name for home in HOMES for name in importlib.import_module(home).__all__)
