"""How near greedy choices come to the best ones on real judgements: subtopics of the TREC Web track, 2009 to 2012."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from duelist.core.memory import Flags, Floats
from duelist.data import alpha_ndcg, subtopic_recall
from duelist.offline.diversity import (
    Candidates,
    choose_at_random,
    choose_exactly,
    choose_knowing_subtopics,
    read_subtopic_judgements,
)
from duelist.offline.diversity.greedy import make_cover
from duelist.present.charts import Boxes
from duelist.reproductions.catalogue import listed
from duelist.reproductions.reproduction import Report, Reproduction, Setting
from duelist.reproductions.samples import mean_of
from duelist.reproductions.verdicts import OBSERVATION, Reference, Row

YEARS, SIZES, SEED = ("09", "10", "11", "12"), (1, 2, 3), 1
MEASURES: dict[str, Callable[[Flags], float]] = {
    "alpha-nDCG@10": lambda subtopics: alpha_ndcg(subtopics, 10),
    "subtopic recall@3": lambda subtopics: subtopic_recall(subtopics, 3),
}
PROMISE = 1 - 1 / math.e
MUCH_BETTER = Reference(
    "claim",
    "section 4.1: greedy typically performs much better than the worst-case lower bound",
    above=1 - 0.1 * (1 - PROMISE),
    reason="much better than 1 - 1/e is read as: nine tenths of the way from there to the best",
)


def best_coverage(query: Candidates, k: int) -> float:
    """The largest weight of subtopics that k documents cover; of documents with equal subtopics one is tried."""
    rows = np.unique(query.subtopics, axis=0)
    documents, subtopics = np.nonzero(rows)
    weights = query.subtopic_weights()
    chosen = choose_exactly(make_cover(documents, subtopics, len(rows)), weights, k)
    return float(weights[rows[chosen].any(0)].sum())


def run(setting: Setting) -> Report:
    folder = setting.folder("trec-web-diversity")
    years = YEARS[:1] if setting.quick else YEARS
    files = [read_subtopic_judgements(folder / f"qrels.diversity-w{year}.gz") for year in years]
    queries, rng = [query for file in files for query in file.values()], np.random.default_rng(SEED)
    rows = []
    for k in SIZES:
        shares = [(1 - query.loss(choose_knowing_subtopics(query, k))) / best_coverage(query, k) for query in queries]
        # One document: greedy is the best by definition.
        rows.append(Row(f"greedy coverage / the best, K = {k}", MUCH_BETTER if k > 1 else OBSERVATION, mean_of(shares)))
        setting.advance(1)
    greedy = [query.subtopics[choose_knowing_subtopics(query, query.n_documents)] for query in queries]
    random = [query.subtopics[choose_at_random(query, query.n_documents, rng)] for query in queries]
    samples: dict[str, Floats] = {}
    for name, measure in MEASURES.items():
        one, other = (np.array([measure(own) for own in orders]) for orders in (greedy, random))
        samples |= {f"greedy, {name}": one, f"random, {name}": other}
        cell = f"{name}, greedy ({one.mean():.3f}) less random ({other.mean():.3f})"
        rows.append(Row(cell, OBSERVATION, mean_of(one - other)))
    return Report(rows, Boxes(samples, "order of the documents", "measure", "Web track: greedy with subtopics known"))


WEB_DIVERSITY = Reproduction(
    *listed("web-diversity"),
    "The judgements come without text, so that only choices that know the subtopics can be made.",
    code=run,
    steps=len(SIZES),
)
