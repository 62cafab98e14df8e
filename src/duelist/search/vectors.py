"""Search by meaning, as far as words that occur together tell it.

Deerwester, Dumais, Furnas, Landauer, Harshman. Indexing by Latent Semantic Analysis. JASIS 1990: documents as weighted
counts of words, reduced to a few dimensions in which words of the same documents lie close to each other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy import sparse

from duelist.core.memory import Floats

WORD = re.compile(r"[^\W\d_]{2,}")
DIMENSIONS = 64
ROUNDS = 5  # of subspace iteration; more turn no ranking around
SEED = 1  # of where it starts: the same documents, the same vectors


def words_of(text: str) -> list[str]:
    """The words of a text.

    >>> words_of("Parse (a) JSON_file, v2.")
    ['parse', 'json', 'file']
    """
    return WORD.findall(text.lower())


class Vectors:
    """A vector for each text, and one for each word that at least two texts have."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(words_of(text)) for text in texts]
        found = Counter(word for each in counts for word in each)
        self.words = {word: place for place, word in enumerate(sorted(w for w, n in found.items() if n > 1))}
        self.rarity = np.log(len(texts) / np.array([found[word] for word in self.words]))
        table = self._table(counts)
        # Cosines are the same for every basis of the leading subspace: there is no need for the singular vectors.
        basis = np.random.default_rng(SEED).normal(size=(len(self.words), min(DIMENSIONS, *table.shape)))
        for _ in range(ROUNDS):
            basis = _orthonormal(table.T @ (table @ basis))
        self.of_words = basis
        self.of_texts = _unit(table @ basis)

    def _table(self, counts: Sequence[Counter[str]]) -> sparse.csr_array:
        """Texts by words: the logarithm of the count times the word's rarity, each row of length 1."""
        rows, columns, values = [], [], []
        for row, each in enumerate(counts):
            for word, n in each.items():
                if (place := self.words.get(word)) is not None:
                    rows.append(row)
                    columns.append(place)
                    values.append((1 + np.log(n)) * self.rarity[place])
        table = sparse.csr_array((values, (rows, columns)), shape=(len(counts), len(self.words)), dtype=np.float64)
        size = np.sqrt(table.power(2).sum(1))
        return sparse.csr_array(sparse.diags_array(1 / np.maximum(size, 1e-12)) @ table)

    def scores(self, query: str) -> Floats:
        """How close each text is to a query: the cosine, from -1 to 1; 0 where no word of it is known."""
        known = [place for word in words_of(query) if (place := self.words.get(word)) is not None]
        if not known:
            return np.zeros(len(self.of_texts))
        wanted = (self.rarity[known, None] * self.of_words[known]).sum(0)
        # Not by @, which would wake all threads for what one does in less time.
        return np.asarray(np.einsum("ij,j->i", self.of_texts, _unit(wanted[None])[0]))


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))


def _orthonormal(columns: Floats) -> Floats:
    """A basis of what the columns span, in few large steps; a decomposition by columns wakes all threads for each."""
    sizes, turned = np.linalg.eigh(columns.T @ columns)
    kept = sizes > 1e-12 * sizes.max(initial=1e-300)
    return np.asarray(columns @ (turned[:, kept] / np.sqrt(sizes[kept])))
