"""The Cranfield collection: texts, questions and judgements, and fifteen plain ways to score a document.

Five scorers on three indexes, as in section 3.3.1 of Yue's thesis. The stemmer is Harman's, of three rules, and is
written here: libraries of stemmers have Porter's and Snowball's, which would make other indexes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array

from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints
from duelist.data import Dataset

UNDEFINED, WORST = -1, 4  # codes of judgements: 1 is a complete answer, 4 of minimum interest
# What is commonly given as Indri's defaults; not checked against Indri.
TERM_SATURATION, LENGTH_SHARE, QUERY_SATURATION = 1.2, 0.75, 7.0  # k1, b and k3 of Okapi
PRIOR_WORDS = 2500.0  # mu of Dirichlet's prior
PRIOR_SHARE = 0.4  # lambda of Jelinek and Mercer: how much the collection counts


class Collection(NamedTuple):
    """Texts, and what people think of them; documents and queries are numbered from 0."""

    documents: tuple[str, ...]
    queries: tuple[str, ...]
    codes: dict[tuple[int, int], int]  # the judgements, by query and document


def read_cranfield(folder: Path) -> Collection:
    """The files cran.all.1400, cran.qry and cranqrel of a folder.

    Judgements name queries by place: the ids in the file of queries have holes.
    """
    paths = [folder / name for name in ("cran.all.1400", "cran.qry", "cranqrel")]
    for path in paths:
        if not path.is_file():
            raise BadInput(f"no file {str(path)!r}")
    documents, queries = (_texts(path.read_text("latin-1")) for path in paths[:2])
    lines = (line.split() for line in paths[2].read_text("latin-1").splitlines())
    codes = {(int(query) - 1, int(document) - 1): int(code) for query, document, code in lines}
    return Collection(documents, queries, codes)


def _texts(file: str) -> tuple[str, ...]:
    """What follows the first .W of each record; a document's title is repeated there."""
    records = re.split(r"^\.I .*\n", file, flags=re.MULTILINE)[1:]
    return tuple(re.split(r"^\.W\n", record, maxsplit=1, flags=re.MULTILINE)[1] for record in records)


def plain_words(text: str) -> list[str]:
    """Letters and digits in a row, in small letters."""
    return re.findall(r"[a-z0-9]+", text.lower())


STOP_WORDS = frozenset(
    plain_words(
        "a about after all also am an and any are as at be been before being between both but by can could did do does "
        "for from had has have how if in into is it its may more most no nor not of on one only or other our over same "
        "should so some such than that the their them then there these they this those to under up used using very was "
        "we were what when where whether which while who why will with would"
    )
)


def stem(word: str) -> str:
    """The word without the ending of a plural: Harman. How effective is suffixing? JASIS 42(1), 1991.

    >>> [stem(word) for word in ("bodies", "slopes", "flows", "gas", "mass")]
    ['body', 'slope', 'flow', 'ga', 'mass']
    """
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    return word[:-1] if word.endswith("s") and not word.endswith(("us", "ss")) else word


def stemmed_words(text: str) -> list[str]:
    return [stem(word) for word in plain_words(text)]


def stemmed_content_words(text: str) -> list[str]:
    return [stem(word) for word in plain_words(text) if word not in STOP_WORDS]


class Match(NamedTuple):
    """A query against all documents: what scorers may look at. Only words that some document has count."""

    counts: Floats  # documents x words of the query: how often
    asked: Floats  # how often each word is in the query
    rarity: Floats  # log(documents / documents that have the word)
    frequency: Ints  # how many documents have the word
    shares: Floats  # of each word among all words of all documents
    lengths: Floats  # words of each document
    norms: Floats  # length of each document's vector of TFIDF weights


@dataclass(frozen=True, eq=False)
class Index:
    """How often each document (row) has each word (column)."""

    counts: Any  # a csc_array, which has no type of its own
    columns: dict[str, int]

    @cached_property
    def lengths(self) -> Floats:
        return np.asarray(self.counts.sum(1), np.float64)

    @cached_property
    def frequency(self) -> Ints:
        return np.asarray(np.diff(self.counts.indptr), np.int64)

    @cached_property
    def rarity(self) -> Floats:
        return np.asarray(np.log(self.counts.shape[0] / self.frequency))

    @cached_property
    def norms(self) -> Floats:
        weights = self.counts.copy()
        weights.data = 1 + np.log(weights.data)
        return np.asarray(np.sqrt(weights**2 @ self.rarity**2))

    def match(self, words: Iterable[str]) -> Match:
        """The words of a query, in any order."""
        asked = Counter(word for word in words if word in self.columns)
        if not asked:
            raise BadInput("no document has any word of the query")
        columns = [self.columns[word] for word in asked]
        counts = self.counts[:, columns].toarray()
        shares = np.asarray(self.counts[:, columns].sum(0)) / self.lengths.sum()
        repeats = np.array(list(asked.values()), np.float64)
        return Match(counts, repeats, self.rarity[columns], self.frequency[columns], shares, self.lengths, self.norms)


def make_index(documents: Iterable[Sequence[str]]) -> Index:
    """An index of documents, each a list of words."""
    columns: dict[str, int] = {}
    rows, places, counts = [], [], []
    n_documents = 0
    for row, words in enumerate(documents):
        n_documents = row + 1
        for word, count in Counter(words).items():
            rows.append(row)
            places.append(columns.setdefault(word, len(columns)))
            counts.append(float(count))
    return Index(csc_array((counts, (rows, places)), shape=(n_documents, len(columns))), columns)


def tfidf(match: Match) -> Floats:
    """Vectors of (1 + log count) * rarity, of the document and of the query, multiplied."""
    weights = np.where(match.counts > 0, 1 + np.log(np.maximum(match.counts, 1)), 0.0)
    return np.asarray(weights @ ((1 + np.log(match.asked)) * match.rarity**2))


def cosine(match: Match) -> Floats:
    """The cosine of the angle between the two vectors of TFIDF weights; 0 if one is nothing."""
    norm = float(np.linalg.norm((1 + np.log(match.asked)) * match.rarity))
    length = match.norms * norm
    return np.divide(tfidf(match), length, out=np.zeros_like(length), where=length > 0)


def okapi(match: Match) -> Floats:
    """BM25, Robertson et al., TREC-3; the weight of a word never falls below 0."""
    weight = np.log(1 + (len(match.lengths) - match.frequency + 0.5) / (match.frequency + 0.5))
    asked = match.asked * (QUERY_SATURATION + 1) / (match.asked + QUERY_SATURATION)
    relative = match.lengths / match.lengths.mean()
    damping = TERM_SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * relative)
    counts = match.counts * (TERM_SATURATION + 1) / (match.counts + damping[:, None])
    return np.asarray(counts @ (weight * asked))


def dirichlet(match: Match) -> Floats:
    """Mean log probability of the query's words in the document, to which words of the collection are added."""
    chances = (match.counts + PRIOR_WORDS * match.shares) / (match.lengths[:, None] + PRIOR_WORDS)
    return np.asarray(np.log(chances) @ match.asked / match.asked.sum())


def jelinek_mercer(match: Match) -> Floats:
    """Mean log probability of the query's words in a mixture of the document and the collection."""
    own = match.counts / np.maximum(match.lengths, 1)[:, None]
    chances = (1 - PRIOR_SHARE) * own + PRIOR_SHARE * match.shares
    return np.asarray(np.log(chances) @ match.asked / match.asked.sum())


SCORERS: dict[str, Callable[[Match], Floats]] = {
    "cosine": cosine,
    "TFIDF": tfidf,
    "Okapi": okapi,
    "Dirichlet": dirichlet,
    "Jelinek-Mercer": jelinek_mercer,
}
INDEXES: dict[str, Callable[[str], list[str]]] = {
    "words": plain_words,
    "stems": stemmed_words,
    "stems, no stop words": stemmed_content_words,
}
BASE_FUNCTIONS = tuple(f"{scorer}, {index}" for index in INDEXES for scorer in SCORERS)


def score(collection: Collection) -> Floats:
    """What each base function gives each document of each query: queries x documents x functions."""
    scores = np.empty((len(collection.queries), len(collection.documents), len(BASE_FUNCTIONS)))
    for place, split in enumerate(INDEXES.values()):
        index = make_index(map(split, collection.documents))
        for query, text in enumerate(collection.queries):
            match = index.match(split(text))
            for number, scorer in enumerate(SCORERS.values()):
                scores[query, :, place * len(SCORERS) + number] = scorer(match)
    return scores


def as_dataset(collection: Collection, scores: Floats, depth: int) -> Dataset:
    """The candidates of each query: the best `depth` documents of each base function, with their scores as features.

    The label of a document is 4 for a complete answer down to 1 for one of minimum interest, and 0 without
    a judgement. The one document of a query whose judgement is undefined is no candidate.
    """
    features, labels, lengths = [], [], []
    for query, own in enumerate(scores):
        best = np.argsort(-own, axis=0, kind="stable")[:depth]
        codes = np.array([collection.codes.get((query, document), WORST + 1) for document in range(len(own))])
        pool = np.unique(best)
        pool = pool[codes[pool] != UNDEFINED]
        features.append(own[pool])
        labels.append(WORST + 1 - codes[pool])
        lengths.append(len(pool))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    names = tuple(str(number + 1) for number in range(len(scores)))
    numbers = np.arange(1, scores.shape[2] + 1)
    return Dataset(np.concatenate(features), np.concatenate(labels), offsets, names, numbers)
