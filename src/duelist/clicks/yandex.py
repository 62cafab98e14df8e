"""The text form of a public sample of a Yandex click log.

A line holds many result pages of one query with ";" between them, each as
query_region TAB shown documents : clicked documents, with "," between documents.
"""

from __future__ import annotations

from pathlib import Path

from duelist.clicks.collector import Collector
from duelist.clicks.files import CutShort, numbered_lines
from duelist.clicks.records import CLICK, BadRow, Log, Record
from duelist.clicks.rows import Lost, Read, fault
from duelist.core.errors import BadInput


def read_yandex(path: str | Path) -> Log:
    """The pages as records, called by line and place in it; there are no users and no times.

    Clicks on documents that are not on the page (of a later page, say) are left out and
    reported; a second click on a document counts once.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "sample.txt"
    >>> _ = file.write_text("9_0\\t5,7,8 : 7 , 7 , 9; 9_0\\t5,7,8 :;")
    >>> log = read_yandex(file)
    >>> log.records[0].clicks, log.repeated_clicks, log.rejected[0].reason
    ((1,), 1, "a click on '9', which is not on the page")
    """
    found = Collector()
    try:
        for line, text in numbered_lines(path):
            for place, page in enumerate(text.split(";"), 1):
                if page.strip():
                    _add_page(found, path, line, place, page)
    except CutShort as error:
        found.reject(error.line, error.reason, "", path)
    if not found.records:
        raise BadInput(f"{str(path)!r} holds no page of the form: query TAB shown : clicked ; ...")
    return found.log()


def _add_page(found: Collector, path: str | Path, line: int, place: int, page: str) -> None:
    try:
        query, tab, lists = page.strip().partition("\t")
        shown, colon, clicked = ([item.strip() for item in part.split(",") if item.strip()] for part in _parts(lists))
        if not tab or not colon:
            raise BadRow("not of the form: query TAB shown : clicked")
        clicks = [shown.index(document) for document in clicked if document in shown]
        positions = tuple(dict.fromkeys(clicks))
        missing = [document for document in clicked if document not in shown]
        lost = tuple(Lost(CLICK, f"a click on {document!r}, which is not on the page") for document in missing)
        record = Record(f"{line}.{place}", "", query, 0.0, tuple(shown), positions, lost=len(lost))
        if reason := fault(record):
            raise BadRow(reason)
        again = [click for number, click in enumerate(clicks) if click in clicks[:number]]
        found.add(Read(record, tuple(again), lost), line, page, path)
    except BadRow as error:
        found.reject(line, str(error), page, path)


def _parts(lists: str) -> tuple[str, str, str]:
    return lists.partition(":")
