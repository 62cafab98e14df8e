"""What arms look like to somebody who votes: text, Markdown, an image or a link, for each arm or for each prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec

from duelist.core.errors import BadInput

LONGEST, LONGEST_ADDRESS = 20_000, 2_000  # signs of one content
LARGEST = 1_000_000  # signs of all contents of an experiment
MOST_ARMS, MOST_PROMPTS, MOST_HOSTS = 200, 1_000, 20
ADDRESS = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?(?:[/?#][^\s\x00-\x1f\x7f]*)?")
OWN = re.compile(r"/files/[A-Za-z0-9][A-Za-z0-9._-]*")  # images that the service itself serves


class Content(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One of four: text as it is, Markdown, the address of an image, or a link."""

    text: str = ""  # beside an image: what it shows; beside a link: what it says
    markdown: str = ""
    image: str = ""
    link: str = ""

    def check(self, where: str) -> None:
        """Raise BadInput for what cannot be shown."""
        given = [name for name in ("markdown", "image", "link") if getattr(self, name)]
        if len(given) > 1 or (self.markdown and self.text):
            raise BadInput(f"{where} is one of text, markdown, image (with text) and link (with text), not {given!r}")
        if not given and not self.text.strip():
            raise BadInput(f"{where} is empty: give text, markdown, image or link")
        for name in ("text", "markdown"):
            if len(getattr(self, name)) > LONGEST:
                raise BadInput(f"{where} has {len(getattr(self, name))} signs of {name}; allowed are {LONGEST}")
        own = self.image and OWN.fullmatch(self.image)
        address = self.image or self.link
        if address and not own and (not ADDRESS.fullmatch(address) or len(address) > LONGEST_ADDRESS):
            raise BadInput(f"{where} must be an address that begins with https:// or http://, not {address!r:.100}")


class Prompt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What all arms answer, and their answers."""

    prompt: str | Content
    answers: dict[str, str | Content]


Contents = dict[str, str | Content] | tuple[Prompt, ...]  # of each arm, or of each arm for each prompt


def as_content(given: str | Content) -> Content:
    """Text alone is text.

    >>> as_content("blue").text, as_content(Content(markdown="**blue**")).markdown
    ('blue', '**blue**')
    """
    return Content(text=given) if isinstance(given, str) else given


def prompts_of(contents: Contents) -> tuple[Prompt, ...]:
    """Contents as prompts; without any there is one that says nothing.

    >>> len(prompts_of({"a": "blue", "b": "green"}))
    1
    """
    return (Prompt("", contents),) if isinstance(contents, Mapping) else contents


def check_contents(contents: Contents, arms: Sequence[str]) -> None:
    """Raise BadInput unless every arm has something to show for every prompt, and all of it is of a size."""
    prompts = prompts_of(contents)
    if not 2 <= len(arms) <= MOST_ARMS or not 1 <= len(prompts) <= MOST_PROMPTS:
        limits = f"from 2 to {MOST_ARMS} arms and from 1 to {MOST_PROMPTS} prompts"
        raise BadInput(f"contents are for {limits}, not {len(arms)} and {len(prompts)}")
    for place, prompt in enumerate(prompts):
        where = "contents" if isinstance(contents, Mapping) else f"contents[{place}]"
        if missing := [arm for arm in arms if arm not in prompt.answers]:
            raise BadInput(f"{where}: the arm {missing[0]!r} has none")
        if unknown := [arm for arm in prompt.answers if arm not in arms]:
            raise BadInput(f"{where}: {unknown[0]!r} is no arm; the arms: {list(arms)[:20]!r}")
        if prompt.prompt or not isinstance(contents, Mapping):
            as_content(prompt.prompt).check(f"{where}: the prompt")
        for arm, given in prompt.answers.items():
            as_content(given).check(f"{where}: that of {arm!r}")
    size = sum(len(text) for content in _all(contents) for text in msgspec.structs.astuple(content))
    if size > LARGEST:
        raise BadInput(f"contents have {size} signs together; allowed are {LARGEST}")
    if len(hosts := hosts_of(contents)) > MOST_HOSTS:
        raise BadInput(f"contents have images from {len(hosts)} hosts; allowed are {MOST_HOSTS}")


def hosts_of(contents: Contents) -> list[str]:
    """Where images come from, as a browser's policy names it.

    >>> hosts_of({"a": Content(image="https://pictures.example:8443/a.png"), "b": Content(image="/files/b.png")})
    ['https://pictures.example:8443']
    """
    parts = [
        urlsplit(content.image) for content in _all(contents) if content.image and not OWN.fullmatch(content.image)
    ]
    return sorted({f"{part.scheme}://{part.netloc}" for part in parts})


def _all(contents: Contents) -> Iterator[Content]:
    for prompt in prompts_of(contents):
        given: list[Any] = [prompt.prompt, *prompt.answers.values()]
        yield from (as_content(each) for each in given if each)
