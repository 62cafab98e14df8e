"""A small search engine over documents that every machine has, with rankers that compete."""

from duelist.search.documents import Document, python_documents
from duelist.search.engine import RANKERS, Engine

__all__ = ["RANKERS", "Document", "Engine", "python_documents"]
