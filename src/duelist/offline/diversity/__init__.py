"""Diversified retrieval: documents chosen for what they cover together, thesis chapter 4."""

from duelist.offline.diversity.baselines import (
    choose_at_random,
    choose_by_okapi,
    choose_essential_pages,
    choose_knowing_subtopics,
    choose_unweighted,
    okapi_scores,
)
from duelist.offline.diversity.candidates import Candidates, candidates, count_words, subtopic_weights
from duelist.offline.diversity.greedy import choose_exactly, choose_greedily
from duelist.offline.diversity.summaries import rouge_recall, summary_candidates
from duelist.offline.diversity.svm_div import SVMDiv, SVMDiv2, fit_best
from duelist.offline.diversity.synthetic import synthetic_queries
from duelist.offline.diversity.web_track import read_subtopic_judgements

__all__ = [
    "Candidates",
    "SVMDiv",
    "SVMDiv2",
    "candidates",
    "choose_at_random",
    "choose_by_okapi",
    "choose_essential_pages",
    "choose_exactly",
    "choose_greedily",
    "choose_knowing_subtopics",
    "choose_unweighted",
    "count_words",
    "fit_best",
    "okapi_scores",
    "read_subtopic_judgements",
    "rouge_recall",
    "subtopic_weights",
    "summary_candidates",
    "synthetic_queries",
]
