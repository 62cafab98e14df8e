"""The contract of an online learner."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from duelist.clicks.cascade import cascade
from duelist.core.compile import plain
from duelist.core.memory import Floats
from duelist.data import Dataset, Fold, synthetic
from duelist.online.impression import Impression
from duelist.online.learner import Learner
from duelist.online.page import Page, room
from duelist.online.simulate import learn
from duelist.online.users import offline
from duelist.testing.elsewhere import trace_elsewhere
from duelist.testing.source import check_findable, check_kernels, compiling

QUERIES, DOCUMENTS, FEATURES = 40, 15, 6
IMPRESSIONS = 4000


def check_learner(learner: type[Learner], **parameters: Any) -> None:
    """Run the contract on `learner`; an AssertionError says what is broken.

    Takes some seconds, most of them to compile.

    >>> from duelist.online import PDGD
    >>> check_learner(PDGD)
    """
    learner = learner.resolve(parameters)
    fold = easy_fold()

    def make(seed: int = 0) -> Learner:
        return learner(FEATURES, seed=seed, **parameters)

    check_kernels(learner, make().memory, ("start", "choose", "update"))
    with compiling(learner):
        make().warm_up()
    check_lists(make)
    check_compiled_equals_plain(make, fold.train)
    check_other_process(learner, parameters)
    check_json(make, fold.train)
    check_apply(make, fold.train)
    check_late_tells(make, fold)
    check_beats_random(learner, parameters, fold)


def easy_fold() -> Fold:
    """Labels that follow a linear truth with little noise."""
    data = synthetic(2 * QUERIES, DOCUMENTS, FEATURES, grades=3, noise=0.1, seed=3).normalised()
    return Fold(data.select(range(QUERIES)), data.select(range(0)), data.select(range(QUERIES, 2 * QUERIES)))


def check_lists(make: Callable[..., Learner]) -> None:
    """Lists hold different documents, as many as there are up to the length; none and one work too."""
    learner, luck = make(), np.random.default_rng(2)
    for size in (0, 1, 2, 7, learner.length, 3 * learner.length):
        for _ in range(5):
            impression = learner.ask(luck.random((size, FEATURES)))
            shown = list(impression.ranking)
            expect(len(shown) == min(size, learner.length), learner, f"{len(shown)} shown of {size} documents")
            expect(len(set(shown)) == len(shown), learner, f"a document is shown twice: {shown}")
            learner.tell(impression, [0] if size and luck.random() < 0.5 else [])
            expect_finite(learner)


def check_compiled_equals_plain(make: Callable[..., Learner], data: Dataset) -> None:
    """The same steps as plain Python, with rubbish in all scratch space, give the same lists and the same memory."""
    compiled, interpreted = make(), make()
    kind = type(compiled)
    choose, update = (plain(kind.method(name, plain)) for name in ("choose", "update"))
    model, luck = cascade("informational"), np.random.default_rng(1)
    for step in range(60):
        rows = data.rows(step % data.n_queries)
        features, keys = data.features[rows], np.arange(rows.start, rows.stop)
        impression, drawn = compiled.ask(features, keys=keys), interpreted.blank.fresh()
        page = Page(features, keys, 0, len(features), *room(len(features), interpreted.n_rankers))
        spoil(interpreted)
        choose(interpreted.memory, page, drawn.memory, interpreted.rng)
        here, there = impression.shown.tolist(), drawn.shown.tolist()
        expect(here == there, compiled, f"at step {step} compiled showed {here}, plain Python {there}")
        drawn.features[:], drawn.keys[:] = impression.features, impression.keys
        clicks = model.clicks(data.labels[rows][list(impression.ranking)], luck)
        before = impression.to_json()
        compiled.tell(impression, clicks)
        expect(impression.to_json() == before, compiled, "tell changed the impression, which is a value")
        spoil(interpreted)
        update(interpreted.memory, drawn.memory, drawn.clicked(clicks), interpreted.rng)
        expect_same(compiled, interpreted, f"at step {step} compiled and plain Python remember different things")


def spoil(learner: Learner) -> None:
    """What is declared as scratch may hold anything."""
    for array in learner.scratch_tables():
        array[...] = np.nan if array.dtype.kind == "f" else 77


def check_other_process(learner: type[Learner], parameters: dict[str, Any]) -> None:
    """The same seed gives the same run in another process."""
    # One around a named base is made anew from the class that was written and that name.
    own, settings = learner.written(), learner(FEATURES, seed=0, **parameters).parameter_values()
    check_findable(own)
    there = trace_elsewhere(__name__, learner.__module__, own.__name__, settings)
    expect(not isinstance(there, str), learner, f"another process failed:\n{there}")
    same = there is None or there == trace(learner, parameters)
    expect(same, learner, "the same seed ran differently in another process")


def trace(learner: type[Learner], parameters: dict[str, Any]) -> list[Any]:
    """The lists of a short run, and what is remembered after it."""
    run, luck = learner(FEATURES, seed=11, **parameters), np.random.default_rng(5)
    lists = []
    for _ in range(50):
        impression = run.ask(luck.random((8, FEATURES)), keys=range(8))
        lists.append(list(impression.ranking))
        run.tell(impression, np.flatnonzero(luck.random(len(lists[-1])) < 0.3).tolist())
    state = json.loads(run.to_json())
    return [lists, state["spec"]["parameters"], state["tables"], state["generator"]]


def check_apply(make: Callable[..., Learner], data: Dataset) -> None:
    """What is applied alone decides: whatever is drawn in between, by whoever, with whatever luck."""
    alone, busy, luck = make(), make(), np.random.default_rng(12)
    for step in range(60):
        features = data.features[data.rows(step % data.n_queries)]
        impression = busy.draw(features, luck=luck)
        clicks = np.flatnonzero(luck.random(len(impression.ranking)) < 0.3).tolist()
        busy.draw(features, luck=luck)
        busy.apply(impression, clicks)
        alone.apply(Impression.from_json(impression.to_json()), clicks)
        if step == 30:
            alone = Learner.from_json(alone.to_json())
    expect_same(alone, busy, "lists that were drawn and never applied changed what was learnt")
    same = alone.rng.bit_generator.state == busy.rng.bit_generator.state
    expect(same, alone, "lists that were drawn with other luck used the learner's own")


def check_json(make: Callable[..., Learner], data: Dataset) -> None:
    """A learner stored and loaded goes on identically; so do impressions that waited meanwhile."""
    original, luck = make(), np.random.default_rng(4)
    rows = data.rows(0)
    waiting = [original.ask(data.features[rows]) for _ in range(3)]
    for _ in range(50):
        original.tell(original.ask(data.features[rows]), np.flatnonzero(luck.random(5) < 0.5).tolist())
    copy = Learner.from_json(original.to_json())
    expect(type(copy) is type(original), original, f"from_json made a {type(copy).__name__}")
    for impression in waiting:
        there = Impression.from_json(impression.to_json())
        expect(there == impression, original, "an impression changed on its way through JSON")
        original.tell(impression, [1])
        copy.tell(there, [1])
    for step in range(50):
        clicks = np.flatnonzero(luck.random(5) < 0.5).tolist()
        mine, yours = original.ask(data.features[rows]), copy.ask(data.features[rows])
        same = mine.ranking == yours.ranking
        expect(same, original, f"{step} impressions after loading, {yours.ranking} instead of {mine.ranking}")
        original.tell(mine, clicks)
        copy.tell(yours, clicks)
    expect_same(original, copy, "the loaded learner ended in another state")
    ids = {original.ask(data.features[rows]).id, copy.ask(data.features[rows]).id}
    expect(len(ids) == 2, original, "two learners loaded from one JSON gave two impressions one id")


def check_late_tells(make: Callable[..., Learner], fold: Fold) -> None:
    """Tells that come late, out of order or never do no harm: it still learns."""
    learner, model, luck = make(seed=3), cascade("perfect"), np.random.default_rng(6)
    waiting: list[tuple[Impression, Any]] = []

    def tell(place: int) -> None:
        impression, labels = waiting.pop(place)
        learner.tell(impression, model.clicks(labels[list(impression.ranking)], luck))

    before = float(np.mean([offline_random(fold.test, luck) for _ in range(20)]))
    for step in range(IMPRESSIONS // 2):
        rows = fold.train.rows(step % fold.train.n_queries)
        keys = np.arange(rows.start, rows.stop)
        waiting.append((learner.ask(fold.train.features[rows], keys=keys), fold.train.labels[rows]))
        if len(waiting) > 20 and luck.random() < 0.9:  # the others are never told
            tell(int(luck.integers(len(waiting))))
    expect_finite(learner)
    after = offline(learner.weights[0], fold.test)
    expect(after > before + 0.05, learner, f"with late tells, NDCG is {after:.3f}; random {before:.3f}")


def offline_random(test: Dataset, luck: np.random.Generator) -> float:
    """NDCG of weights drawn at random, about that of random rankings."""
    return offline(luck.standard_normal(test.n_features), test)


def check_beats_random(learner: type[Learner], parameters: dict[str, Any], fold: Fold) -> None:
    """Under perfect clicks it shows, and has learnt, better rankings than random ones."""
    result = learn(learner, fold, "perfect", IMPRESSIONS, 5, seed=1, parameters=parameters, points=2, progress=False)
    luck = np.random.default_rng(8)
    random = float(np.mean([offline_random(fold.test, luck) for _ in range(50)]))
    worst = float(result.final[:, -1].min())
    expect(worst > random + 0.05, learner, f"offline NDCG {worst:.3f} in one run; random {random:.3f}")
    yardstick = random_online(fold, learner(FEATURES, seed=0, **parameters).length)
    shown = float(result.online[:, -1].mean() / discounts().sum())
    expect(shown > yardstick + 0.03, learner, f"NDCG of lists shown {shown:.3f}; random {yardstick:.3f}")


def discounts() -> Floats:
    """What each impression counts."""
    return np.asarray(0.9995 ** np.arange(IMPRESSIONS))


def random_online(fold: Fold, length: int) -> float:
    """The mean NDCG of lists in random order."""
    luck, data, found = np.random.default_rng(9), fold.train, []
    for query in list(range(data.n_queries)) * 20:
        gains = 2.0 ** data.labels[data.rows(query)] - 1
        order = luck.permutation(len(gains))[:length]
        weight = 1 / np.log2(np.arange(len(order)) + 2)
        best = np.sort(gains)[::-1][: len(order)] @ weight
        found.append(float(gains[order] @ weight / best) if best > 0 else 0.0)
    return float(np.mean(found))


def expect_same(a: Learner, b: Learner, complaint: str) -> None:
    """Complain if the arrays of two learners differ, naming the first that does."""
    for name, array in a.tables().items():
        other = b.tables()[name]
        if not np.array_equal(array, other):
            expect(False, a, f"{complaint}: {name} is {array} and {other}")


def expect_finite(learner: Learner) -> None:
    """No number of a learner may be infinite: JSON has none."""
    for name, array in learner.tables().items():
        expect(bool(np.isfinite(array).all()), learner, f"{name} holds infinite numbers")


def expect(condition: bool, learner: Learner | type[Learner], complaint: str) -> None:
    """Raise an AssertionError with the learner's name unless `condition` holds."""
    if not condition:
        raise AssertionError(f"{learner.name}: {complaint}")
