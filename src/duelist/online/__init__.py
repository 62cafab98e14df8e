"""Learn the weights of a ranker from clicks, one impression at a time."""

from duelist.online import learners
from duelist.online.impression import Impression
from duelist.online.learner import LEARNERS, Learner
from duelist.online.learners import *  # noqa: F403
from duelist.online.result import Learning
from duelist.online.simulate import learn

__all__ = ["LEARNERS", "Impression", "Learner", "Learning", "learn", *learners.__all__]
