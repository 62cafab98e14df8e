"""Summaries by SVM-div, thesis 4.6: sentences of Cranfield's abstracts that cover the words of their titles.

The thesis says that SVM-div can be trained for ROUGE and reports no experiment. Titles are summaries by people;
two sentences are chosen, and the loss is the share of a title's words that they lack.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from duelist.core.memory import Floats, Ints
from duelist.offline.diversity import (
    Candidates,
    SVMDiv,
    SVMDiv2,
    choose_at_random,
    choose_essential_pages,
    choose_knowing_subtopics,
    choose_unweighted,
    fit_best,
    summary_candidates,
)
from duelist.present.charts import Boxes
from duelist.reproductions.catalogue import listed
from duelist.reproductions.cranfield import read_cranfield, stemmed_content_words
from duelist.reproductions.reproduction import Report, Reproduction, Setting
from duelist.reproductions.samples import mean_of
from duelist.reproductions.thesis_diversity import less, losses
from duelist.reproductions.verdicts import OBSERVATION, Reference, Row

SIZE, LEAST, SEED = 2, 5, 1  # sentences chosen; sentences a text must have
APPLIED = Reference(
    "claim",
    "section 4.6: SVM-div can be naturally applied here, with the explicit goal of optimizing ROUGE on a training set",
    below=0.0,
    reason="to be worth training it must lose less than what is not trained",
)
MISSING = (
    "The thesis has no figures on summaries. Titles are short, and the first sentence often repeats them, which is why "
    "the first two sentences are hard to beat."
)


class Scale(NamedTuple):
    """How many texts train and choose C, and which C are tried."""

    train: int
    costs: tuple[float, ...]


FULL, QUICK = Scale(100, (0.1, 1.0, 10.0)), Scale(100, (1.0,))


def read_text(document: str) -> Candidates | None:
    """An abstract as sentences and its title, which comes first; None if it has too few sentences.

    Where a sentence stands is told by two features: whether it is the first, and 1 over its place.
    """
    parts = [words for words in map(stemmed_content_words, re.split(r"\s\.\s", document + " ")) if words]
    title, sentences = set(parts[0] if parts else ()), parts[1:]
    if len(sentences) < LEAST:
        return None
    places = [[float(place == 0), 1.0 / (place + 1)] for place in range(len(sentences))]
    return summary_candidates([Counter(words) for words in sentences], [title], features=places)


def first_sentences(text: Candidates) -> Ints:
    return np.arange(SIZE)


def untrained(texts: Sequence[Candidates]) -> dict[str, Floats]:
    """The losses of choices that do not learn, and of the one that knows the title."""
    rng = np.random.default_rng(SEED)
    return {
        "random": losses(texts, lambda text: choose_at_random(text, SIZE, rng)),
        "Essential Pages": losses(texts, lambda text: choose_essential_pages(text, SIZE)),
        "most words": losses(texts, lambda text: choose_unweighted(text, SIZE)),
        "first sentences": losses(texts, first_sentences),
        "title known": losses(texts, lambda text: choose_knowing_subtopics(text, SIZE)),
    }


def run(setting: Setting) -> Report:
    scale = QUICK if setting.quick else FULL
    texts = [text for text in map(read_text, read_cranfield(setting.folder("cranfield")).documents) if text]
    train, validation, test = texts[: scale.train], texts[scale.train : 2 * scale.train], texts[2 * scale.train :]
    found = untrained(test)
    setting.advance(1)
    models = {"SVM-div2": SVMDiv2(k=SIZE), "distances": SVMDiv(k=SIZE, discriminant="distances")}
    for name, model in models.items():
        found[name] = losses(test, fit_best(model, train, validation, scale.costs).predict)
        setting.advance(1)
    rows = [less(found, "SVM-div2", other, APPLIED) for other in ("random", "most words", "first sentences")]
    rows += [Row(name, OBSERVATION, mean_of(sample)) for name, sample in found.items()]
    lines = {name.replace(" ", "\n"): sample for name, sample in found.items()}
    return Report(rows, Boxes(lines, "two sentences chosen by", "share of the title's words left out", "Cranfield"))


SUMMARIES = Reproduction(*listed("title-summaries"), MISSING, code=run, steps=3)
