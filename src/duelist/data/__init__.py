"""Queries, documents, features, labels, and how good a ranking of them is."""

from duelist.data.dataset import Dataset
from duelist.data.diversity import alpha_ndcg, evaluate_diversity, subtopic_recall
from duelist.data.export import to_elasticsearch, to_ranklib, to_solr, weights_of
from duelist.data.folds import Fold, read_fold
from duelist.data.letor import read_letor
from duelist.data.linear import Linear, ranker_of
from duelist.data.load import load_fold
from duelist.data.metrics import average_precision, err, evaluate, mean, ndcg, precision, reciprocal_rank, roc_area
from duelist.data.synthetic import synthetic

__all__ = [
    "Dataset",
    "Fold",
    "Linear",
    "alpha_ndcg",
    "average_precision",
    "err",
    "evaluate",
    "evaluate_diversity",
    "load_fold",
    "mean",
    "ndcg",
    "precision",
    "ranker_of",
    "read_fold",
    "read_letor",
    "reciprocal_rank",
    "roc_area",
    "subtopic_recall",
    "synthetic",
    "to_elasticsearch",
    "to_ranklib",
    "to_solr",
    "weights_of",
]
