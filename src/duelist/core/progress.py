"""A progress bar and single lines on standard error, where somebody is looking."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

SAID: set[str] = set()


def say_once(text: str, always: bool = False) -> None:
    """A line, once in a process; on a terminal only, unless it must `always` be said."""
    if text not in SAID and (always or sys.stderr.isatty()):
        SAID.add(text)
        print(text, file=sys.stderr)


class Advance(Protocol):
    """Moves a bar on, and makes the note beside it anew if somebody is looking."""

    def __call__(self, amount: int, note: Callable[[], str] | None = None) -> None: ...


@contextmanager
def progress_bar(label: str, total: int | None, show: bool | None = None) -> Iterator[Advance]:
    """Yields a function that advances the bar; `show=None` shows it on a terminal only. Without a total it counts."""
    if not (sys.stderr.isatty() if show is None else show):
        yield lambda amount, note=None: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f}" if total is None else "{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True, force_terminal=show), transient=True) as bar:
        task = bar.add_task(label, total=total, note="")

        def advance(amount: int, note: Callable[[], str] | None = None) -> None:
            bar.advance(task, amount)
            if note is not None:
                bar.update(task, note=note())

        yield advance
