"""What is compared: clicks, or any other action, by number or by value; clicks also without the bias of positions."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from duelist.clicks.records import CLICK
from duelist.core.errors import BadInput
from duelist.core.memory import Floats

VALUE, DEBIASED = "value", "debiased"
CLOSE = 0.85  # likeness of two names of which one seems a slip of the other
LEAST = 0.1  # a position that is looked at less often counts as if it were looked at this often


class Outcome(NamedTuple):
    """An action that counts for the ranker whose document it is done with.

    >>> Outcome.read("purchase:value").by_value
    True
    >>> str(Outcome.read("clicks")), Outcome.read("clicks").action
    ('clicks', 'click')
    >>> Outcome.read("clicks:debiased=1+0.5+0.02").weights().tolist()
    [1.0, 2.0, 10.0]
    """

    action: str
    by_value: bool = False  # the sum of values instead of the number
    examination: tuple[float, ...] = ()  # how likely each position is looked at, where clicks are debiased

    @classmethod
    def read(cls, text: str) -> Outcome:
        """From "clicks", "purchase", "purchase:value" or "clicks:debiased=1+0.6+0.4"."""
        name, colon, rest = text.partition(":")
        action = CLICK if name in ("clicks", CLICK) else name
        how, _, chances = rest.partition("=")
        if action == CLICK and how == DEBIASED:
            return cls(action, examination=_chances(chances))
        if not name or (colon and rest != VALUE):
            raise BadInput(f"an outcome is clicks, the name of an action, or that and :{VALUE}, not {text!r}")
        return cls(action, bool(colon))

    def __str__(self) -> str:
        name = "clicks" if self.action == CLICK else self.action
        if self.examination:
            return f"{name}:{DEBIASED}=" + "+".join(f"{chance:.4g}" for chance in self.examination)
        return name + (f":{VALUE}" if self.by_value else "")

    def weights(self) -> Floats:
        """What a click at each position counts: one over how likely it is looked at, beside the most likely one."""
        chances = np.array(self.examination)
        return np.asarray(1 / np.maximum(chances / chances.max(), LEAST))


def check_actions(outcomes: Sequence[Outcome], recorded: Sequence[str]) -> None:
    """An error for an action that seems misspelt, or that stands alone in a log without any.

    On the first day of an experiment nobody may have bought anything yet: what else is asked is answered all the same.

    >>> check_actions([Outcome("refund"), Outcome("purchase2")], ["click", "purchase"])
    >>> check_actions([Outcome("purchased")], ["click", "purchase"])
    Traceback (most recent call last):
    duelist.core.errors.BadInput: no action in the log is called 'purchased' (did you mean 'purchase'?); ...
    """
    missing = [outcome.action for outcome in outcomes if outcome.action not in (CLICK, *recorded)]
    for name in missing:
        close = difflib.get_close_matches(_plain(name), map(_plain, known := names_of(recorded)), 1, CLOSE)
        hint = [f" (did you mean {other!r}?)" for other in known if [_plain(other)] == close and _slip(name, other)]
        if hint or (len(missing) == len(outcomes) and len(known) == 1):
            allowed = f"outcomes of this log: {', '.join(known)}"
            raise BadInput(f"no action in the log is called {name!r}{''.join(hint[:1])}; {allowed}")


def names_of(recorded: Sequence[str]) -> list[str]:
    """The actions of a log as outcomes are asked for.

    >>> names_of(["click", "view", "cart"])
    ['clicks', 'cart', 'view']
    """
    return ["clicks", *sorted(set(recorded) - {CLICK})]


def _slip(name: str, other: str) -> bool:
    """Whether one may be a slip of the other: names that differ in digits alone are meant, as step-1 and step-2."""
    letters, others = (re.sub(r"[\W\d_]", "", each.casefold()) for each in (name, other))
    return letters != others or _plain(name) == _plain(other)


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _chances(text: str) -> tuple[float, ...]:
    try:
        found = tuple(map(float, text.split("+")))
    except ValueError:
        found = ()
    if not found or not all(0 <= chance <= 1 for chance in found) or not any(found):
        raise BadInput(
            f"clicks:{DEBIASED}= needs how likely each position is looked at, from 0 to 1, as 1+0.6+0.4, not {text!r}"
        )
    return found


CLICKS = Outcome(CLICK)
