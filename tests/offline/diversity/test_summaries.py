from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duelist.core.errors import BadInput
from duelist.offline.diversity import (
    Candidates,
    SVMDiv,
    choose_exactly,
    choose_knowing_subtopics,
    choose_unweighted,
    rouge_recall,
    summary_candidates,
)
from duelist.offline.diversity.coverage import Features, word_coverage
from duelist.offline.diversity.training import Example

from .cases import fast

words = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 3), min_size=1, max_size=4)
texts = st.lists(words, min_size=2, max_size=5)
by_people = st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=5), min_size=1, max_size=3)


@fast
@given(texts, by_people, st.data())
def test_the_loss_is_what_rouge_recall_lacks(
    text: list[dict[str, int]], people: list[str], data: st.DataObject
) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(text) - 1), unique=True))
    query = summary_candidates(text, people)
    used = {word for sentence in chosen for word in text[sentence]}
    assert query.loss(chosen) == pytest.approx(1 - rouge_recall(used, people))
    assert query.subtopic_weights().sum() == pytest.approx(rouge_recall(set().union(*text), people))


@fast
@given(texts, by_people, st.integers(1, 3), st.integers(0, 99))
def test_the_exact_oracle_finds_the_most_violated_summary(
    text: list[dict[str, int]], people: list[str], k: int, seed: int
) -> None:
    query = summary_candidates(text, people)
    example = Example(word_coverage(query, Features(("occurs",), (0.0, 0.5))), k)
    weights = np.random.default_rng(seed).normal(0, 0.3, 2)

    def violation(chosen: tuple[int, ...]) -> float:
        used = {word for sentence in chosen for word in text[sentence]}
        return 1 - rouge_recall(used, people) + float(weights @ example.worth.joint_features(np.array(chosen)))

    subsets = combinations(range(len(text)), min(k, len(text)))
    found = tuple(example.most_violated(weights, choose_exactly).tolist())
    assert violation(found) == pytest.approx(max(map(violation, subsets)))
    plane = example.plane(np.array(found))
    truth = tuple(example.truth.tolist())
    assert plane.loss - weights @ plane.direction == pytest.approx(violation(found) - weights @ example.truth_features)
    best = max(
        rouge_recall({w for s in pick for w in text[s]}, people) for pick in combinations(range(len(text)), len(truth))
    )
    assert query.loss(truth) <= 1 - (1 - np.exp(-1)) * best + 1e-9


def made_text(luck: np.random.Generator) -> Candidates:
    """People repeat the words that come in several sentences; each sentence has details of its own."""
    theme = [f"theme {n}" for n in range(6)]
    sentences = [
        {**{str(w): 1 for w in luck.choice(theme, size=luck.integers(0, 4), replace=False)}, **details}
        for details in ({f"detail {s} {n}": 1 for n in range(luck.integers(2, 9))} for s in range(12))
    ]
    return summary_candidates(sentences, [theme])


def test_it_learns_what_people_repeat() -> None:
    luck = np.random.default_rng(3)
    made = [made_text(luck) for _ in range(60)]
    model = SVMDiv(C=0.1, k=3).fit(made[:20])
    best, most_words = (
        np.mean([text.loss(choose(text, 3)) for text in made[20:]])
        for choose in (choose_knowing_subtopics, choose_unweighted)
    )
    assert best < model.loss(made[20:]) < most_words - 0.1


def test_a_summary_needs_words() -> None:
    with pytest.raises(BadInput, match="a summary with words; for a new text use candidates"):
        summary_candidates([{"a": 1}], [[]])
    with pytest.raises(BadInput, match="the recall needs"):
        rouge_recall({"a"}, [])
