"""A judge that costs something decides duels: asked in parallel, paid once, stopped when the answer is certain."""

from duelist.judging.loop import Judged, run, run_async

__all__ = ["Judged", "run", "run_async"]
