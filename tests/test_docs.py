"""Every link and picture of README and the pages leads somewhere, in a clone too."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from duelist.dueling.policy import POLICIES

REPOSITORY = Path(__file__).parents[1]
PAGES = sorted([*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/*.md")])
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """What #... may name: headings in lower case without punctuation, as hosts of repositories make them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    names = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
    seen: Counter[str] = Counter()
    found = set()
    for name in names:
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return found


@cache
def in_a_clone() -> set[Path]:
    """The files that are committed or about to be: what git ignores is on one machine only."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a clone: what git ignores is not known")
    return {REPOSITORY / line for line in done.stdout.splitlines()}


def broken_links(page: Path) -> list[str]:
    broken = []
    for target in LINK.findall(prose(page)):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if re.match(r"(https?|mailto):", target):
            continue
        if (path and file not in in_a_clone()) or not file.is_file() or (anchor and anchor not in anchors(file)):
            broken.append(target)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    assert broken_links(page) == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A *heading*\n[in](#a-heading) [out](#other) ![none](none.png) [web](https://example.org)\n")
    assert broken_links(page) == ["#other", "none.png"]


def test_every_policy_is_in_the_table_of_speeds() -> None:
    text = (REPOSITORY / "docs" / "correctness.md").read_text(encoding="utf-8")
    ours = [name for name in POLICIES if POLICIES.get(name).__module__.startswith("duelist.")]
    assert [name for name in ours if f"\n{name} " not in text] == []


def test_the_page_on_experiments_quotes_the_example() -> None:
    page = (REPOSITORY / "docs" / "live-experiment.md").read_text(encoding="utf-8")
    example = (REPOSITORY / "examples" / "search_experiment.py").read_text(encoding="utf-8")
    quoted = [block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if ">>>" not in block]
    assert len(quoted) == 2
    assert all(block in example for block in quoted)
