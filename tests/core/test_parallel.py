import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.core.parallel import Interrupted, Report, Timed, check_whole, checkpoints_until, in_slices, run_all

SEEDS = np.random.SeedSequence(0).spawn(3)


def ignore(number: int) -> None:
    pass


def slices_of(checkpoints: Any, every: int, breaks: Sequence[int] = ()) -> tuple[list[Any], list[Any]]:
    """The slices made, and at each checkpoint how many there were."""
    made: list[Any] = []
    noted: list[Any] = []

    def note(point: int) -> None:
        noted.append((point, len(made)))

    in_slices(lambda *part: made.append(part), checkpoints, every, ignore, note, breaks)
    return made, noted


def test_slices_are_short_and_end_at_checkpoints() -> None:
    made, noted = slices_of(np.array([3, 4, 10]), 3)
    assert made == [(0, 3), (3, 4), (4, 7), (7, 10)]
    assert noted == [(0, 1), (1, 2), (2, 4)]


def test_no_slice_crosses_a_break() -> None:
    made, _ = slices_of([10, 20], 100, breaks=[4, 10, 11, 25])
    assert made == [(0, 4), (4, 10), (10, 11), (11, 20)]


def test_a_checkpoint_at_zero_calls_once_to_compile() -> None:
    assert slices_of([0], 5) == ([(0, 0)], [(0, 1)])


def test_all_steps_are_reported() -> None:
    reported: list[int] = []
    in_slices(lambda done, until: None, [7, 20], 6, reported.append, ignore)
    assert reported == [6, 1, 6, 6, 1]


def test_only_the_steps_are_timed() -> None:
    def work(done: int, until: int) -> None:
        end = time.thread_time() + 0.02
        while time.thread_time() < end:
            pass

    def dawdle(number: int) -> None:
        end = time.thread_time() + 0.2
        while time.thread_time() < end:
            pass

    timed = Timed(work)
    in_slices(timed, [1, 2], 5, ignore, dawdle)
    assert 0.04 <= timed.seconds < 0.2


def test_results_come_in_the_order_of_the_seeds() -> None:
    def run(seed: np.random.SeedSequence, report: Report) -> int:
        time.sleep(0.02 * (2 - seed.spawn_key[0]))
        return int(seed.spawn_key[0])

    assert run_all(run, SEEDS, "runs", 3, cores=3, progress=False) == [0, 1, 2]


def test_a_failed_run_ends_the_others_inside() -> None:
    ended: list[Any] = []
    others = threading.Barrier(3, timeout=10)

    def run(seed: np.random.SeedSequence, report: Report) -> None:
        others.wait()
        if seed.spawn_key == (0,):
            raise BadInput("no")
        try:
            for _ in range(1000):
                report(1)
                time.sleep(0.01)
        except Interrupted:
            ended.append(seed.spawn_key)
            raise

    with pytest.raises(BadInput, match="no"):
        run_all(run, SEEDS, "runs", 3, cores=3, progress=False)
    assert sorted(ended) == [(1,), (2,)]


def test_an_interrupted_run_is_an_interruption_of_the_program() -> None:
    assert issubclass(Interrupted, KeyboardInterrupt)


def test_checkpoints_are_even_in_the_logarithm_and_end_at_the_horizon() -> None:
    assert checkpoints_until(100, 3).tolist() == [1, 10, 100]
    assert checkpoints_until(5, 100).tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("value", [0, 1.5, True, "2"])
def test_numbers_that_are_not_whole_are_named(value: Any) -> None:
    with pytest.raises(BadInput, match="runs must be a whole number of at least 1, not"):
        check_whole(1, seed=1, runs=value)
