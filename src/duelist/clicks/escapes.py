"""Escapes of JSON, written out: letters of a text that is not English, as UTF-8, and slashes.

Many programs write such letters so, and PHP every slash of an address.
"""

from __future__ import annotations

from duelist.clicks.json_text import BACKSLASH, BLANK, NEWLINE, ZERO, Bytes
from duelist.core.compile import compiled, kernel

SLASH, LETTER_A, LETTER_U, SMALL = 47, 65, 117, 32  # SMALL: what a small letter has more
HIGH, LOW, BEHIND = 0xD800, 0xDC00, 0xE000  # halves of signs, and what comes behind them


@kernel
def code_at(text: Bytes, at: int) -> int:
    """The code of an escape of four digits, -1 if none begins here."""
    if text[at] != BACKSLASH or text[at + 1] != LETTER_U:
        return -1
    code = 0
    for place in range(at + 2, at + 6):
        letter = text[place] & ~SMALL
        if ZERO <= text[place] <= ZERO + 9:
            code = 16 * code + (int(text[place]) - ZERO)
        elif LETTER_A <= letter <= LETTER_A + 5:
            code = 16 * code + (int(letter) - LETTER_A + 10)
        else:
            return -1
    return code


@kernel
def put_letter(text: Bytes, put: int, code: int) -> int:
    """Write a letter as UTF-8; where it ends."""
    more = 1 + (code >= 1 << 11) + (code >= 1 << 16)  # bytes behind the first
    text[put] = 0xFF00 >> (more + 1) & 0xFF | code >> 6 * more
    for place in range(1, more + 1):
        text[put + place] = 0x80 | code >> 6 * (more - place) & 0x3F
    return put + more + 1


@compiled
def write_out(text: Bytes) -> None:
    """Write out slashes, and letters that are not ASCII; a line stays as long as it was, by blanks at its end."""
    at = put = 0
    while text[at] != 0:
        code, size = code_at(text, at), 6
        if HIGH <= code < LOW:
            other = code_at(text, at + 6)
            code = ((code - HIGH) << 10) + (other - LOW) + (1 << 16) if LOW <= other < BEHIND else -1
            size = 12
        if code >= 128 and not LOW <= code < BEHIND:
            at, put = at + size, put_letter(text, put, code)
            continue
        if text[at] == NEWLINE:
            text[put:at] = BLANK
            put = at
        elif text[at] == BACKSLASH and text[at + 1] == SLASH:
            at += 1
        elif text[at] == BACKSLASH and text[at + 1] != NEWLINE:  # of two, the second begins no escape
            text[put] = BACKSLASH
            at, put = at + 1, put + 1
        text[put] = text[at]
        at, put = at + 1, put + 1
