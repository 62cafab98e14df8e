from __future__ import annotations

import sysconfig
from pathlib import Path

from duelist.demo.world import World
from duelist.search.documents import Document, gathered

HOSTILE = Document(
    "evil.<script>alert(1)</script>",
    "function",
    "(x='\"><img src=x onerror=alert(2)>')",
    "hostile </pre><script>alert(3)</script> & \"quoted\" 'text' <!-- ",
)


def small_world() -> World:
    root = Path(sysconfig.get_path("stdlib"))
    documents = [
        *gathered(root / "json", "json."),
        *gathered(root / "logging", "logging."),
        *gathered(root / "asyncio"),
    ]
    return World([*documents, HOSTILE], tasks=20)
