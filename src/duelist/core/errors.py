"""Every error a user can meet.

DuelistError                     the root: catch this to catch them all
├── BadInput                     a value that cannot be used (also a ValueError)
│   └── Unsolved                 training came to no end with these settings; others may do
├── UnknownName                  a name nobody registered (also a LookupError)
├── AlreadyDefined               an experiment that is there, or cannot become what is wanted
├── DuelError                    a tell that does not fit its duel or impression
│   ├── AlreadyTold              this duel or impression was told before
│   ├── ForeignDuel              this duel was not asked from this policy
│   ├── ForeignImpression        this impression was not asked from this learner
│   ├── ExpiredDuel              too many newer duels were opened since
│   └── ExpiredImpression        too many newer impressions were opened since
├── CannotStore                  the journal failed; nothing was acknowledged
│   └── Overloaded               too many wait for the journal: try again later
├── NotAllowed                   the service wants another token
├── Unreachable                  the service did not answer in time
├── CannotCompile                a kernel reaches something that cannot be compiled safely
└── MissingExtra                 an optional package is not installed (also an ImportError)
"""

__all__ = [
    "AlreadyDefined",
    "AlreadyTold",
    "BadInput",
    "CannotCompile",
    "CannotStore",
    "DuelError",
    "DuelistError",
    "ExpiredDuel",
    "ExpiredImpression",
    "ForeignDuel",
    "ForeignImpression",
    "MissingExtra",
    "NotAllowed",
    "Overloaded",
    "UnknownName",
    "Unreachable",
    "Unsolved",
    "printable",
]


class DuelistError(Exception):
    """Root of all errors raised on purpose."""


class BadInput(DuelistError, ValueError):
    """A value that cannot be used; the message names it and what is allowed."""


class Unsolved(BadInput):
    """Training came to no end with these settings; the message says which to change."""


class UnknownName(DuelistError, LookupError):
    """A name that nobody registered; the message lists the known ones."""


class AlreadyDefined(DuelistError):
    """Another experiment has this name, or this one cannot become what is wanted."""


class DuelError(DuelistError):
    """A tell that does not fit its duel or impression; the policy or learner is unchanged."""


class AlreadyTold(DuelError):
    """The duel or impression was told before."""


class ForeignDuel(DuelError):
    """The duel was not asked from this policy."""


class ForeignImpression(DuelError):
    """The impression was not asked from this learner, or is of another kind."""


class ExpiredDuel(DuelError):
    """The duel was dropped because too many newer ones were opened."""


class ExpiredImpression(DuelError):
    """The impression was dropped because too many newer ones were opened."""


class CannotCompile(DuelistError):
    """A kernel reaches something that cannot be compiled safely."""


class CannotStore(DuelistError):
    """The journal failed and nothing was acknowledged; the message says when it is not known what was written."""


class Overloaded(CannotStore):
    """Too many callers wait for the journal; nothing was written, and trying again later helps."""


class NotAllowed(DuelistError):
    """The service wants a token, or another one."""


class Unreachable(DuelistError):
    """The service did not answer in time; whether it did what was wanted is not known."""


class MissingExtra(DuelistError, ImportError):
    """An optional package is not installed; the message says how to get it."""


def printable(text: str) -> str:
    """Text without codes that a terminal obeys: names come from files, and files from anywhere.

    >>> printable("\\x1b[31mred")
    '\\\\x1b[31mred'
    """
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)
