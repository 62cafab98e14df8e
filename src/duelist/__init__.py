"""Learn which ranking people prefer, from their clicks, by letting rankings duel.

>>> import duelist
>>> policy = duelist.RUCB(arms=["bm25", "ltr-v3", "vector"], seed=1)
>>> duel = policy.ask()
>>> policy.tell(duel, winner=duel.left)
>>> policy.best() == duel.left
True
"""

import importlib

__version__ = "0.1.0"


def _read_stub():
    """Where each public name comes from, as __init__.pyi says to type checkers: one list serves both."""
    with open(f"{__file__}i", encoding="utf-8") as stub:
        words = [line.split() for line in stub if line.startswith("from ")]
    return {name: home for _, home, _, name, *_ in words}  # from HOME import NAME as NAME


# Names are looked up at first use, so that `import duelist`, `dir(duelist)` and the command line's help
# do not wait for the compiler to load.
_HOMES = _read_stub()
__all__ = sorted([*_HOMES, "__version__"])


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module 'duelist' has no attribute {name!r}")
    home = _HOMES[name]
    if home == "duelist":
        return importlib.import_module(f"duelist.{name}")
    return getattr(importlib.import_module(home), name)


def __dir__():
    return __all__
