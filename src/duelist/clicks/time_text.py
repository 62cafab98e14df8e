"""Times as bytes of text, as kernels: seconds, milliseconds, and dates of ISO 8601.

A time of -1 says that it is not plain: a date without dashes or by weeks, an hour of 24, before 1970, or none at all.
"""

from __future__ import annotations

from duelist.clicks.json_text import (
    BLANK,
    COLON,
    COMMA,
    DOT,
    MINUS,
    QUOTE,
    ZERO,
    Bytes,
    end_of_number,
    number_of,
)
from duelist.clicks.records import LATEST, MILLISECONDS
from duelist.core.compile import kernel, subroutine

PLUS, LETTER_T, LETTER_Z = 43, 84, 90
MICROSECONDS = 1_000_000
EXACT = 1 << 53  # microseconds, in the year 2255


@kernel
def digits_of(text: Bytes, at: int, number: int) -> int:
    """What so many digits say; -1 if they are not all digits."""
    found = 0
    for place in range(at, at + number):
        if not ZERO <= text[place] <= ZERO + 9:
            return -1
        found = 10 * found + (int(text[place]) - ZERO)
    return found


@kernel
def day_of(text: Bytes, at: int) -> int:
    """The days since 1970 of YYYY-MM-DD; -1 if there is no such day."""
    year, month, day = digits_of(text, at, 4), digits_of(text, at + 5, 2), digits_of(text, at + 8, 2)
    if text[at + 4] != MINUS or text[at + 7] != MINUS or year < 1970 or not 1 <= month <= 12:
        return -1
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    longest = 28 + leap if month == 2 else 30 + (month + month // 8) % 2
    if not 1 <= day <= longest:
        return -1
    # Years that begin in March, so that the day that some have more is their last one.
    years, months = (year - 1, month + 9) if month <= 2 else (year, month - 3)
    return 365 * years + years // 4 - years // 100 + years // 400 + (153 * months + 2) // 5 + day - 719469


@kernel
def minutes_of(text: Bytes, at: int, end: int) -> int:
    """The minutes of HH:MM; -1 if there are none."""
    if end - at < 5 or text[at + 2] != COLON:
        return -1
    hours, minutes = digits_of(text, at, 2), digits_of(text, at + 3, 2)
    return 60 * hours + minutes if 0 <= hours < 24 and 0 <= minutes < 60 else -1


@kernel
def zone_of(text: Bytes, at: int, end: int) -> int:
    """How many minutes a zone is before UTC, which is Z, nothing or +00:00; EXACT if it is no zone."""
    if at == end or (text[at] == LETTER_Z and end == at + 1):
        return 0
    if (text[at] != PLUS and text[at] != MINUS) or end != at + 6:
        return EXACT
    minutes = minutes_of(text, at + 1, end)
    if minutes < 0:
        return EXACT
    return minutes if text[at] == PLUS else -minutes


@kernel
def date_of(text: Bytes, begin: int, end: int) -> float:
    """The seconds since 1970 of YYYY-MM-DD, alone or with T or a blank and HH:MM[:SS[.f]] and a zone; or -1."""
    days = day_of(text, begin) if end - begin >= 10 else -1
    if days < 0 or end == begin + 10:
        return 86400.0 * days if days >= 0 else -1.0
    minutes, at = minutes_of(text, begin + 11, end), begin + 16
    if minutes < 0 or (text[begin + 10] != LETTER_T and text[begin + 10] != BLANK):
        return -1.0
    seconds = micros = 0
    if at < end and text[at] == COLON:
        seconds = digits_of(text, at + 1, 2) if end - at >= 3 else -1
        if not 0 <= seconds < 60:
            return -1.0
        at += 3
        if at < end and (text[at] == DOT or text[at] == COMMA):
            first, unit = at + 1, MICROSECONDS
            at += 1
            while at < end and ZERO <= text[at] <= ZERO + 9:
                unit //= 10  # digits behind the sixth are nothing
                micros += unit * (int(text[at]) - ZERO)
                at += 1
            if at == first:
                return -1.0
    zone = zone_of(text, at, end)
    total = 60 * (1440 * days + minutes - zone) + seconds
    if zone == EXACT or total < 0 or MICROSECONDS * (total + 1) > EXACT:
        return -1.0
    return float((MICROSECONDS * total + micros) / MICROSECONDS)


@subroutine
def moment_of(text: Bytes, begin: int, end: int) -> float:
    """A time in seconds, from seconds, milliseconds or a date; -1 if it is not plain or no time."""
    if end_of_number(text, begin) != end:
        return date_of(text, begin, end)
    found = number_of(text, begin, end)
    found = found / 1000 if found >= MILLISECONDS else found
    return found if found < LATEST else -1.0


@kernel
def moment_in(text: Bytes, begin: int, end: int) -> float:
    """The same of a value of JSON: a number, or a text with a number or a date."""
    quoted = text[begin] == QUOTE
    return moment_of(text, begin + quoted, end - quoted)
