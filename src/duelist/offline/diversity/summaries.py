"""Summaries as coverage: sentences chosen for the words that people used in theirs, thesis 4.6.

Lin. ROUGE: A Package for Automatic Evaluation of Summaries. ACL Workshop 2004. Of several summaries by people, each
different word of each one counts the same. The share of these words that a choice of sentences has is the recall
of ROUGE-1 with words counted once; 1 less is the loss that SVM-div trains for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from typing import Any

from duelist.core.errors import BadInput
from duelist.offline.diversity.candidates import Candidates, Fields, Words, candidates


def summary_candidates(
    sentences: Sequence[Words],
    summaries: Sequence[Collection[Hashable]],
    features: Any = None,
    fields: Fields | None = None,
) -> Candidates:
    """A text to be summarised: its sentences are the documents, the words of summaries by people the subtopics.

    Words that no sentence has are lost whatever is chosen, as in ROUGE. `features` are a row of numbers a sentence,
    such as its place in the text; `fields` are words of each sentence by where they stand, as for `candidates`.

    >>> sentences = [{"cats": 1, "purr": 1}, {"dogs": 1, "chase": 1, "cats": 1}]
    >>> text = summary_candidates(sentences, [["dogs", "chase", "us"]])
    >>> round(text.loss([1]), 3), round(text.loss([0]), 3)
    (0.333, 1.0)
    """
    wanted = Counter(word for summary in summaries for word in set(summary))
    if not wanted:
        raise BadInput("a text needs a summary with words; for a new text use candidates")
    shared = [wanted.keys() & sentence.keys() for sentence in sentences]
    return candidates(sentences, subtopics=shared, features=features, weights=wanted, fields=fields)


def rouge_recall(chosen: Collection[Hashable], summaries: Sequence[Collection[Hashable]]) -> float:
    """The share of the words of summaries by people, each once a summary, that are among these words.

    >>> rouge_recall({"dogs", "cats"}, [["dogs", "chase", "cats"], ["dogs", "run"]])
    0.6
    """
    sizes = [len(set(summary)) for summary in summaries]
    if not sum(sizes):
        raise BadInput("the recall needs a summary with words")
    return sum(len(set(summary) & set(chosen)) for summary in summaries) / sum(sizes)
