"""Markdown as a tree of a few harmless elements. No HTML is made or read anywhere: the page builds the elements itself.

What looks like HTML stays text, a link leads to http, https or mailto or is plain text, and an image is a link to it.
"""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import urlsplit

import msgspec
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

TAGS = {
    "paragraph": "p",
    "blockquote": "blockquote",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "em": "em",
    "strong": "strong",
    "s": "s",
    "hr": "hr",
    "hardbreak": "br",
    "table": "table",
    "thead": "thead",
    "tbody": "tbody",
    "tr": "tr",
    "th": "th",
    "td": "td",
}
SCHEMES = ("http", "https", "mailto")


class Node(msgspec.Struct, omit_defaults=True):
    """An element; its children are elements and text."""

    tag: str
    children: list[Node | str] = []
    href: str = ""  # of a link


Nodes = tuple[Node | str, ...]
READER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
setattr(READER, "validateLink", lambda url: True)  # noqa: B010 - judged below, where what is refused is still read


@lru_cache(2_000)
def markdown_nodes(text: str) -> Nodes:
    """The elements of a text.

    >>> markdown_nodes("Be **brief**, <b>not</b> [so](javascript:alert(1))")[0].children
    ['Be ', Node(tag='strong', children=['brief'], href=''), ', <b>not</b> ', 'so']
    """
    return tuple(_nodes(SyntaxTreeNode(READER.parse(text)).children))


def _nodes(found: list[SyntaxTreeNode]) -> list[Node | str]:
    return [node for each in found for node in _node(each) if node]


def _node(found: SyntaxTreeNode) -> list[Node | str]:
    kind = found.type
    if kind in ("inline", "text_special") or kind not in KNOWN:
        return _nodes(found.children) if found.children else [found.content] if found.content else []
    if kind in ("text", "softbreak"):
        return [found.content if kind == "text" else "\n"]
    if kind == "heading":  # the page has its own: these begin below them
        return [Node(f"h{min(6, int(found.tag[1]) + 2)}", _nodes(found.children))]
    if kind == "code_inline":
        return [Node("code", [found.content])]
    if kind in ("fence", "code_block"):
        return [Node("pre", [Node("code", [found.content])])]
    if kind == "link":
        return _link(str(found.attrs.get("href", "")), _nodes(found.children))
    if kind == "image":
        return _link(str(found.attrs.get("src", "")), [found.content or "image"])
    return [Node(TAGS[kind], _nodes(found.children))]


KNOWN = {*TAGS, "text", "softbreak", "heading", "code_inline", "fence", "code_block", "link", "image"}


def _link(address: str, children: list[Node | str]) -> list[Node | str]:
    try:
        scheme = urlsplit(address).scheme.lower()
    except ValueError:
        scheme = ""
    return [Node("a", children, address)] if scheme in SCHEMES else children
