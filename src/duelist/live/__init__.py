"""Experiments that live: on a journal, in one process or many, with or without the service."""

from duelist.live.definition import Definition
from duelist.live.experiments import Experiments
from duelist.live.local import Experiment, LocalExperiments, open_experiments
from duelist.live.requests import Asked, Page, Question, Told

open = open_experiments  # noqa: A001 - read as duelist.live.open

__all__ = [
    "Asked",
    "Definition",
    "Experiment",
    "Experiments",
    "LocalExperiments",
    "Page",
    "Question",
    "Told",
    "open",
    "open_experiments",
]
