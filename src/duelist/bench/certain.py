"""Duels until certain, and how often rightly: the best arm, the top three, the whole order, on the same instances."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.core.progress import progress_bar
from duelist.dueling.environments.instances import arithmetic
from duelist.dueling.preferences import borda_scores
from duelist.dueling.until import until_certain
from duelist.present.tables import Table

DELTA = 0.05
QUESTIONS = ("best", "top three", "order")
MOST = 30_000_000  # duels of ours that are waited for
PEERS_RUNS, PEERS_MOST, PEERS_SECONDS = 100, 100_000, 4.0  # of a peer's algorithm on an instance

# {gap} is how far the arms that are looked for are ahead of the others, at least, {scores} how far neighbours' Borda
# scores are apart: told to those marked with it.
OURS = {
    "best": (
        "rule-out",
        "mallows-mpi",
        "mallows-mpi:bets=true",
        "savage:horizon=100000,delta=0.05",
        "successive-borda",
        "knockout:epsilon={gap}",
        "seq-eliminate:epsilon={gap}",
        "single-elimination:gap={gap}",
        "pl-pac",
        "pl-pac:epsilon={gap}",
    ),
    "top three": (
        "rule-out:k=3",
        "racing:k=3",
        "active-ranking:k=3",
        "active-ranking:k=3,radii=2",
        "single-elimination:k=3,gap={gap}",
    ),
    "order": (
        "mallows-mpr",
        "mallows-mpr:bets=true",
        "active-ranking",
        "active-ranking:radii=2",
        "borda-ranking:epsilon={scores}",
        "pl-ampr",
    ),
}
PEERS = {
    "best": (
        "mallows-mpi",
        "savage",
        "successive-borda",
        "explore-verify",
        "knockout",
        "seq-eliminate",
        "opt-max",
        "single-elimination",
        "plackett-luce",
    ),
    "top three": ("racing:k=3", "active-ranking:k=3", "single-elimination:k=3"),
    "order": ("mallows-mpr", "active-ranking", "borda-ranking", "binary-search-ranking", "plackett-luce-ampr"),
}


def prompts() -> Floats:
    """The twelve prompts of docs/judges.md: strengths 1.5 and 0.6 to -1 in log-odds, a tenth of the answers ties."""
    strength = np.array([1.5, *np.linspace(0.6, -1.0, 11)])
    return np.asarray(0.05 + 0.9 / (1 + np.exp(strength[None, :] - strength[:, None])))


INSTANCES = {
    "easy": arithmetic(arms=5, step=0.1).preference,
    "hard": arithmetic(arms=8, step=0.05).preference,
    "near ties": arithmetic(arms=5, step=0.02).preference,
    "prompts": prompts(),
}


class Row(NamedTuple):
    """A policy on an instance."""

    question: str
    policy: str
    library: str
    instance: str
    runs: int
    duels: float  # the median of runs that ended; nan if none did
    right: float  # share of all runs
    never: float  # share that did not end within the limit


def bench_certain(
    runs: int = 200,
    duelpy: str | None = None,
    questions: Sequence[str] = QUESTIONS,
    instances: Sequence[str] = tuple(INSTANCES),
) -> list[Row]:
    """All policies that are certain by themselves, and duelpy's in the interpreter that has it.

    >>> rows = bench_certain(runs=3, questions=["best"], instances=["easy"])
    >>> rows[0].policy, rows[0].right
    ('rule-out', 1.0)
    """
    if unknown := [name for name in questions if name not in QUESTIONS]:
        raise BadInput(f"a question must be one of {', '.join(QUESTIONS)}, not {unknown[0]!r}")
    rows = []
    with progress_bar("certain", len(instances) * sum(len(OURS[question]) for question in questions)) as advance:
        for question in questions:
            for instance in instances:
                for policy in OURS[question]:
                    rows.append(_ours(question, policy, instance, runs))
                    advance(1)
                rows += _peers(question, instance, min(runs, PEERS_RUNS), duelpy) if duelpy else []
    return rows


def gap_of(preference: Floats, question: str) -> float:
    """What the best arms are ahead by, a little less: who is beaten by that much is no right answer.

    >>> [round(gap_of(INSTANCES["prompts"], question), 3) for question in QUESTIONS]
    [0.188, 0.036, 0.036]
    """
    if question == "order":
        least = float(preference.diagonal(1).min())
    else:
        wanted = 1 if question == "best" else 3
        least = float(preference[:wanted, wanted:].min())
    return 0.99 * (least - 0.5)


def _ours(question: str, policy: str, instance: str, runs: int) -> Row:
    preference = INSTANCES[instance]
    scores = 0.99 * -np.diff(borda_scores(preference)).max()
    spec = policy.format(gap=gap_of(preference, question), scores=scores)
    ended = until_certain(spec, preference, runs, seed=1, most=MOST)
    name = policy.replace("{gap}", "gap").replace("{scores}", "gap").replace("bets=true", "bets")
    return _row(question, name, "duelist", instance, ended.duels.tolist(), ended.answers)


def _row(
    question: str, policy: str, library: str, instance: str, duels: Sequence[int], answers: Sequence[Sequence[int]]
) -> Row:
    wanted = list(range({"best": 1, "top three": 3}.get(question, len(INSTANCES[instance]))))
    right = [(list(arms) if question == "order" else sorted(arms)) == wanted for arms in answers]
    made = [each for each in duels if each >= 0]
    right_ones = float(np.mean([good and each >= 0 for good, each in zip(right, duels, strict=True)]))
    median = float(np.median(made)) if made else float("nan")
    return Row(question, policy, library, instance, len(duels), median, right_ones, 1 - len(made) / len(duels))


def _peers(question: str, instance: str, runs: int, interpreter: str) -> list[Row]:
    preference = INSTANCES[instance]
    job = {
        "matrix": preference.tolist(),
        "question": question,
        "gap": gap_of(preference, question),
        "delta": DELTA,
        "runs": runs,
        "most": PEERS_MOST,
        "seconds": PEERS_SECONDS,
        "algorithms": PEERS[question],
    }
    command = [interpreter, str(Path(__file__).with_name("duelpy_certain.py"))]
    try:
        done = subprocess.run(command, input=json.dumps(job), capture_output=True, text=True, check=True)
    except OSError as error:
        raise BadInput(f"cannot run the interpreter {interpreter!r}: {error.strerror}") from None
    except subprocess.CalledProcessError as error:
        said = error.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        raise BadInput(f"{interpreter!r} cannot run duelpy: {said[0]}") from None
    return [
        _row(question, each["algorithm"], "duelpy", instance, each["duels"], each["answers"])
        for each in json.loads(done.stdout)
    ]


def certain_table(rows: Sequence[Row]) -> str:
    """A table a question: a line a policy, the median of its duels on each instance and the share of right answers."""
    tables = []
    for question in dict.fromkeys(row.question for row in rows):
        mine = [row for row in rows if row.question == question]
        instances = list(dict.fromkeys(row.instance for row in mine))
        lines = []
        for library, policy in dict.fromkeys((row.library, row.policy) for row in mine):
            cells = {row.instance: row for row in mine if (row.library, row.policy) == (library, policy)}
            lines.append([policy, library, *(_cell(cells[name]) if name in cells else "" for name in instances)])
        notes = [
            "median of the duels of runs that ended, share of right answers in all",
            "gap: it is told how large it is",
        ]
        tables.append(str(Table(["policy", "library", *instances], lines, notes, f"{question}, {1 - DELTA:.0%} sure")))
    return "\n\n".join(tables)


def _cell(row: Row) -> str:
    return f"{row.duels:,.0f}, {row.right:.1%}" if np.isfinite(row.duels) else "never"
