"""Measure duelpy: run as a script by an interpreter that has duelpy; imports nothing of ours.

Reads {"matrix": ..., "horizon": ..., "policies": [...]} from standard input and prints a
JSON list of {"policy", "steps_per_second", "regret"}. duelpy's algorithms own the loop, so
the duels are counted, and the run is ended, inside the feedback they are given.
"""

import contextlib
import json
import sys
import time
from typing import Any

import numpy as np
from duelpy.algorithms.beat_the_mean import BeatTheMeanBandit
from duelpy.algorithms.interleaved_filtering import InterleavedFiltering
from duelpy.algorithms.relative_ucb import RelativeUCB
from duelpy.algorithms.savage import Savage
from duelpy.feedback import MatrixFeedback


class Finished(Exception):
    """The horizon was reached."""


class Counted(MatrixFeedback):  # type: ignore[misc]
    """Counts duels and sums their strong regret against arm `best`."""

    def __init__(self, matrix: Any, horizon: int, random_state: Any) -> None:
        super().__init__(matrix, random_state=random_state)
        self.matrix, self.horizon, self.duels, self.regret = matrix, horizon, 0, 0.0
        self.best = int((matrix > 0.5).sum(1).argmax())

    def duel(self, arm_i_index: int, arm_j_index: int) -> Any:
        if self.duels == self.horizon:
            raise Finished
        self.duels += 1
        self.regret += (self.matrix[self.best, arm_i_index] + self.matrix[self.best, arm_j_index] - 1) / 2
        return super().duel(arm_i_index, arm_j_index)


def make(policy: str, feedback: Any, horizon: int, random_state: Any) -> Any:
    if policy == "if2":
        return InterleavedFiltering(feedback, horizon, random_state=random_state)
    if policy == "btm":
        return BeatTheMeanBandit(feedback, horizon, random_state=random_state, gamma=1.2)
    if policy == "savage":
        return Savage(feedback, failure_probability=1 / horizon, time_horizon=horizon)
    return RelativeUCB(feedback, horizon, random_state=random_state)


def main() -> None:
    job = json.load(sys.stdin)
    rows = []
    for policy in job["policies"]:
        random_state = np.random.RandomState(1)
        feedback = Counted(np.array(job["matrix"]), job["horizon"], random_state)
        clock = time.process_time()
        algorithm = make(policy, feedback, job["horizon"], random_state)
        with contextlib.suppress(Finished):
            algorithm.run()
        seconds = time.process_time() - clock
        # An algorithm that stops early would play the arm it found until the horizon.
        found = algorithm.get_winner() if feedback.duels < feedback.horizon else None
        if found is not None:
            left = feedback.horizon - feedback.duels
            feedback.regret += left * (feedback.matrix[feedback.best, found] - 0.5)
        rows.append({"policy": policy, "steps_per_second": feedback.duels / seconds, "regret": feedback.regret})
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
