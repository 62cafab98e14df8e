"""What is compared: clicks, or any other action, by number or by value."""

from __future__ import annotations

from typing import NamedTuple

from duelist.clicks.records import CLICK
from duelist.core.errors import BadInput

VALUE = "value"


class Outcome(NamedTuple):
    """An action that counts for the ranker whose document it is done with.

    >>> Outcome.read("purchase:value")
    Outcome(action='purchase', by_value=True)
    >>> str(Outcome.read("clicks")), Outcome.read("clicks").action
    ('clicks', 'click')
    """

    action: str
    by_value: bool = False  # the sum of values instead of the number

    @classmethod
    def read(cls, text: str) -> Outcome:
        """From "clicks", "purchase" or "purchase:value"."""
        name, colon, rest = text.partition(":")
        if not name or (colon and rest != VALUE):
            raise BadInput(f"an outcome is clicks, the name of an action, or that and :{VALUE}, not {text!r}")
        return cls(CLICK if name in ("clicks", CLICK) else name, bool(colon))

    def __str__(self) -> str:
        return ("clicks" if self.action == CLICK else self.action) + (f":{VALUE}" if self.by_value else "")


CLICKS = Outcome(CLICK)
