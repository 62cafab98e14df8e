"""What a policy says of itself: a row of the table of policies."""

from __future__ import annotations

from typing import Any

from duelist.dueling.answers import ANSWERS
from duelist.dueling.policy import Policy

NOTES = ("needs", "horizon", "regret", "departs", "ties")  # labels of lines in its docstring


def facts_of(policy: type[Policy]) -> dict[str, Any]:
    """What the docstring and the declaration say.

    >>> from duelist import RUCB
    >>> facts_of(RUCB)["needs"], facts_of(RUCB)["answers"]
    ('a Condorcet winner.', 'the best arm')
    """
    text = (policy.__doc__ or "").partition("\n    Parameters:\n")[0]  # those come from the declaration
    summary, _, rest = text.strip().partition("\n")
    notes, key = dict.fromkeys(NOTES, ""), ""
    for line in map(str.strip, rest.splitlines()):
        label, colon, text = line.partition(": ")
        if colon and label.lower() in notes:
            key, notes[label.lower()] = label.lower(), text
        elif key and line:
            notes[key] += " " + line
        else:
            key = ""
    parameters = {
        n: {"default": p.default, "help": p.help, "required": p.required} for n, p in policy.parameters().items()
    }
    kind = {"answers": ANSWERS[policy.answers], "view": policy.view}
    return {"policy": policy.name, "summary": summary, **kind, **notes, "parameters": parameters}
