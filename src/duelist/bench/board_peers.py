"""Measure other libraries' strengths: run as a script by an interpreter that has them; imports nothing of ours.

Reads the path of an npz file with `left`, `right` and `left_won` from standard input and prints a JSON list of
{"library", "seconds", "strengths"}: CPU seconds from arrays to strengths, the best of three, libraries that are not
installed left out. Strengths are log-odds. Rows of wins and losses alone, because one of them knows no ties.
"""

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module, metadata
from typing import Any

import numpy as np

Arrays = Any
TRIES = 3


def evalica(left: Arrays, right: Arrays, won: Arrays) -> Arrays:
    module = import_module("evalica")
    winners = [module.Winner.X if each else module.Winner.Y for each in won.tolist()]
    clock = time.process_time()
    scores = module.bradley_terry(left, right, winners, tolerance=1e-9, limit=10_000).scores
    return time.process_time() - clock, np.log(scores.sort_index().to_numpy())


def choix(left: Arrays, right: Arrays, won: Arrays) -> Arrays:
    module = import_module("choix")
    rows = np.where(won[:, None], np.stack([left, right], 1), np.stack([right, left], 1)).tolist()
    clock = time.process_time()
    found = module.ilsr_pairwise(int(max(left.max(), right.max())) + 1, rows, alpha=0.0)
    return time.process_time() - clock, found


def arena_rank(left: Arrays, right: Arrays, won: Arrays) -> Arrays:
    model = import_module("arena_rank.models.bradley_terry").BradleyTerry
    dataset = import_module("arena_rank.utils.data_utils").PairDataset
    frame = import_module("pandas").DataFrame(
        {"model_a": left, "model_b": right, "winner": np.where(won, "model_a", "model_b")}
    )
    clock = time.process_time()
    pairs = dataset.from_pandas(frame)
    fitted = model(len(pairs.competitors))
    fitted.fit(pairs)
    seconds = time.process_time() - clock
    ratings = np.asarray(fitted.params["ratings"])
    return seconds, ratings[np.argsort(np.asarray(pairs.competitors))]


def main() -> None:
    columns = np.load(sys.stdin.read().strip())
    arrays = columns["left"], columns["right"], columns["left_won"]
    libraries: dict[str, Callable[..., Any]] = {"evalica": evalica, "choix": choix, "arena-rank": arena_rank}
    rows = []
    for name, measure in libraries.items():
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
        tries = [measure(*arrays) for _ in range(TRIES)]
        seconds, strengths = min(tries, key=lambda each: each[0])
        centred = np.asarray(strengths) - np.mean(strengths)
        rows.append({"library": f"{name} {version}", "seconds": seconds, "strengths": centred.tolist()})
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
