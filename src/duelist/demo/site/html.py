"""HTML that is escaped unless it was made here: text of visitors and documents never becomes markup."""

from __future__ import annotations

from html import escape


class Markup(str):
    """Text that is markup. Made by `tag` and `join` alone."""

    __slots__ = ()


def tag(element: str, /, *children: str, **attributes: str | bool | None) -> Markup:
    """An element. Children that are not markup are escaped, and so are all values of attributes.

    Underscores of attributes become hyphens, and one at the end is left out; None and False leave the attribute out.

    >>> tag("a", "<b>", tag("em", "x"), href='/?q="', class_="big", hidden=True, title=None)
    '<a href="/?q=&quot;" class="big" hidden>&lt;b&gt;<em>x</em></a>'
    """
    opening = element
    for key, value in attributes.items():
        plain = key.removesuffix("_").replace("_", "-")
        if value is True:
            opening += f" {plain}"
        elif value is not None and value is not False:
            opening += f' {plain}="{escape(value)}"'
    if element in ("input", "link", "meta"):
        return Markup(f"<{opening}>")
    return Markup(f"<{opening}>{join(*children)}</{element}>")


def join(*parts: str) -> Markup:
    """Several parts as one; those that are not markup are escaped."""
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in parts))
