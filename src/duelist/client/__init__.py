"""A client of the service: the same verbs as in-process, from other processes and machines.

    client = Client("http://127.0.0.1:8080", token="...", timeout=0.5, fallback=True)
    search = client["search"]
    page = search.interleave({"bm25": [...], "ltr": [...]}, user="ann")
    search.click(page.id, document=page.ranking[0])

A request that failed on its way is sent again, with the same key, so that nothing is counted twice. With `fallback`
whoever shows results gets an answer in bounded time, with or without the service: `page.fallback` says which.
"""

from duelist.client.answers import Asked, Page, Question, Tally, Told
from duelist.client.asynchronous import AsyncClient, AsyncExperiment
from duelist.client.synchronous import Client, RemoteExperiment

__all__ = ["Asked", "AsyncClient", "AsyncExperiment", "Client", "Page", "Question", "RemoteExperiment", "Tally", "Told"]
