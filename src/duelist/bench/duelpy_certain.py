"""Ask duelpy for answers with confidence: run as a script by an interpreter that has it; imports nothing of ours.

Reads {"matrix", "question", "gap", "delta", "runs", "most", "seconds", "algorithms"} from standard input and prints a
JSON list of {"algorithm", "duels", "answers"}. The arms are in another order in each run. A run that makes more than
`most` duels, or is the first and takes more than `seconds`, is given up (-1), later ones are left out after `seconds`;
one that fails is an answer without arms.
"""

import json
import signal
import sys
from importlib import import_module
from typing import Any

import numpy as np
from duelpy.feedback import MatrixFeedback


class Finished(Exception):
    """As many duels as are allowed, or as much time."""


class Counted(MatrixFeedback):  # type: ignore[misc]
    """Counts duels."""

    def __init__(self, matrix: Any, most: int, random_state: Any) -> None:
        super().__init__(matrix, random_state=random_state)
        self.most, self.duels = most, 0

    def duel(self, arm_i_index: int, arm_j_index: int) -> Any:
        if self.duels == self.most:
            raise Finished
        self.duels += 1
        return super().duel(arm_i_index, arm_j_index)


def make(name: str, feedback: Any, job: Any, random_state: Any) -> Any:
    """One of duelpy's, told the same as ours."""
    room, kind, options = ALGORITHMS[name]
    given = {key: value(job) for key, value in options.items()}
    if "random_state" in given:
        given["random_state"] = random_state
    return getattr(import_module(f"duelpy.algorithms.{room}"), kind)(feedback, **given)


def delta(job: Any) -> float:
    return float(job["delta"])


def gap(job: Any) -> float:
    return float(job["gap"])


def three(job: Any) -> int:
    return 3


LUCK = {"random_state": delta}  # replaced by the luck of the run
SURE = {"failure_probability": delta}
ALGORITHMS: dict[str, Any] = {
    "knockout": ("knockout_tournament", "KnockoutTournament", {**SURE, "epsilon": gap}),
    "savage": ("savage", "Savage", {**SURE, "time_horizon": lambda job: 100_000}),
    "mallows-mpi": ("mallows", "MallowsMPI", {**SURE, **LUCK}),
    "seq-eliminate": ("sequential_elimination", "SequentialElimination", {**SURE, **LUCK, "epsilon_upper": gap}),
    "opt-max": ("optmax", "OptMax", {**SURE, **LUCK, "epsilon_range": gap}),
    "single-elimination": (
        "single_elimination_tournament",
        "SingleEliminationTop1Select",
        {"preference_separation": lambda job: gap(job) ** 2, "epsilon": delta},
    ),
    "explore-verify": ("exploreverify", "VerificationBasedCondorcet", {**SURE, **LUCK}),
    "successive-borda": ("successive_elimination", "SuccessiveElimination", {**SURE, **LUCK}),
    "plackett-luce": ("plackett_luce", "PlackettLucePACItem", {**SURE, **LUCK, "epsilon": gap}),
    "racing:k=3": (
        "preference_based_racing",
        "CopelandPBR",
        {**SURE, **LUCK, "num_top_arms": three, "max_comparisons": lambda job: 10**5},
    ),
    "single-elimination:k=3": (
        "single_elimination_tournament",
        "SingleEliminationTopKSorting",
        {"k_top_ranked": three, "preference_separation": lambda job: gap(job) ** 2, "epsilon": delta},
    ),
    "active-ranking:k=3": (
        "active_ranking",
        "ActiveRanking",
        {**SURE, **LUCK, "border_element_list": lambda job: [3, len(job["matrix"])]},
    ),
    "mallows-mpr": ("mallows", "MallowsMPR", {**SURE, **LUCK}),
    "active-ranking": ("active_ranking", "ActiveRanking", {**SURE, **LUCK}),
    "borda-ranking": ("borda_ranking", "BordaRanking", {**SURE, **LUCK, "epsilon": gap}),
    "plackett-luce-ampr": ("plackett_luce", "PlackettLuceAMPR", {**SURE, **LUCK, "epsilon": gap}),
    "binary-search-ranking": ("binary_search_ranking", "BinarySearchRanking", {**LUCK, "epsilon": gap}),
}
GIVES = (
    "get_condorcet_winner",
    "get_copeland_winner",
    "get_borda_winner",
    "get_approximate_condorcet_winners",
    "get_partial_ranking",
    "get_top_k",
    "get_ranking",
)


def answer(algorithm: Any, question: str) -> list[int]:
    """Flat, the best first."""
    order = ("get_ranking", "get_top_k") if question == "order" else GIVES
    for name in order:
        if hasattr(algorithm, name):
            found = getattr(algorithm, name)()
            return [int(arm) for part in np.atleast_1d(np.array(found, object)).tolist() for arm in np.atleast_1d(part)]
    return []


def one(name: str, job: Any, seed: int) -> tuple[int, list[int]]:
    """The duels and the arms of one run."""
    random_state = np.random.RandomState(seed)
    matrix = np.array(job["matrix"])
    names = random_state.permutation(len(matrix))
    feedback = Counted(matrix[np.ix_(names, names)], job["most"], random_state)
    try:
        algorithm = make(name, feedback, job, random_state)
        while not algorithm.exploration_finished():
            algorithm.explore() if hasattr(algorithm, "explore") else algorithm.step()
        return feedback.duels, [int(names[arm]) for arm in answer(algorithm, job["question"])]
    except Finished:
        if feedback.duels < job["most"]:
            raise  # out of time
        return -1, []
    except Exception:  # whatever goes wrong in there
        return feedback.duels, []


def stop(signum: int, frame: Any) -> None:
    raise Finished


def main() -> None:
    job = json.load(sys.stdin)
    signal.signal(signal.SIGPROF, stop)
    rows = []
    for name in job["algorithms"]:
        found: list[tuple[int, list[int]]] = []
        signal.setitimer(signal.ITIMER_PROF, job["seconds"])
        try:
            while len(found) < job["runs"]:
                found.append(one(name, job, len(found)))
        except Finished:
            found = found or [(-1, [])]
        signal.setitimer(signal.ITIMER_PROF, 0)
        rows.append({"algorithm": name, "duels": [duels for duels, _ in found], "answers": [arms for _, arms in found]})
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
