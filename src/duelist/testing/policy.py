"""What every policy must do, whoever wrote it."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.core.compile import kernel, plain, specialise
from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.core.record import write_record
from duelist.dueling.environment import SUMS
from duelist.dueling.environments.matrix import Matrix
from duelist.dueling.loop import compiled_run
from duelist.dueling.policy import POLICIES, Duel, Policy, reset
from duelist.dueling.simulate import simulate
from duelist.testing.elsewhere import trace_elsewhere
from duelist.testing.source import check_findable, check_kernels, compiling, plainly

# Easy for every assumption: a total order with SST and STI, and a best arm far ahead.
EASY = (
    (0.5, 0.9, 0.9, 0.9, 0.9),
    (0.1, 0.5, 0.7, 0.7, 0.7),
    (0.1, 0.3, 0.5, 0.7, 0.7),
    (0.1, 0.3, 0.3, 0.5, 0.7),
    (0.1, 0.3, 0.3, 0.3, 0.5),
)
HORIZON = 20_000
OUTCOMES = (1.0, 0.0, 0.5, 0.25)  # wins, ties and a graded preference


def check_policy(policy: type[Policy], **parameters: Any) -> None:
    """Run the contract on `policy`; an AssertionError says what is broken.

    A policy that needs the horizon is given one. Takes some seconds, most of them to compile.

    >>> from duelist import Uniform
    >>> check_policy(Uniform)
    """
    policy = policy.resolve(parameters)
    if "horizon" in policy.parameters():
        parameters = {"horizon": HORIZON} | parameters

    def make(n_arms: int = 5, seed: int = 0) -> Policy:
        return policy(n_arms, seed=seed, **parameters)

    check_kernels(policy, make().memory, ("start", "choose", "update"))
    check_first_duels(make)
    check_arms(policy, parameters)
    check_compiled_equals_plain(make)
    check_choose_settles(make)
    check_scratch(make)
    check_reset(policy, make)
    check_other_process(policy, parameters)
    check_late_tells(policy, make)
    check_applied(make)
    check_json(make)
    check_copies(make)
    check_labels(policy, parameters)
    check_flattens(policy, parameters)


def check_first_duels(make: Callable[..., Policy]) -> None:
    """As plain Python, it chooses duels of arms that there are; then it compiles."""
    policy = make()
    kind, (choose, update) = type(policy), plain_methods(type(policy))
    for t in range(1, 51):
        duel = plainly(kind, "choose", choose, policy.memory, t, policy.rng)
        expect(isinstance(duel, Duel), kind, f"at t={t} choose returned {duel!r}, not a Duel: Duel(left, right, t)")
        for arm in (duel.left, duel.right):
            whole = isinstance(arm, int | np.integer) and not isinstance(arm, bool)
            expect(whole and 0 <= arm < 5, kind, f"at t={t} choose returned the arm {arm!r}; 5 arms are 0 to 4")
        plainly(kind, "update", update, policy.memory, duel, OUTCOMES[t % 4], t, policy.rng)
    with compiling(kind):
        make().warm_up()


def check_arms(policy: type[Policy], parameters: dict[str, Any]) -> None:
    """Two arms work, one is refused."""
    try:
        policy(1, seed=0, **parameters)
    except BadInput:
        pass
    else:
        raise AssertionError(f"{policy.name}: one arm must be refused with BadInput")
    two = policy(2, seed=0, **parameters)
    outcomes = np.random.default_rng(0)
    for _ in range(300):
        duel = two.ask()
        two.tell(duel, float(outcomes.choice(OUTCOMES)))
    expect(two.best() in (0, 1), policy, f"best() of two arms is {two.best()!r}")


def check_compiled_equals_plain(make: Callable[..., Policy]) -> None:
    """The same steps as plain Python give the same duels and the same memory."""
    compiled, interpreted = make(), make()
    kind = type(compiled)
    choose, update = plain_methods(kind)
    outcomes = np.random.default_rng(1)
    for t in range(1, 401):
        duel, drawn = compiled.ask(), choose(interpreted.memory, t, interpreted.rng)
        expect(
            duel[:5] == tuple(drawn)[:5], kind, f"at t={t} compiled chose {duel[:5]}, plain Python {tuple(drawn)[:5]}"
        )
        expect(0 <= duel.left < 5 and 0 <= duel.right < 5, kind, f"at t={t} the arms {duel.left}, {duel.right} of 5")
        outcome = float(outcomes.choice(OUTCOMES)) if t < 200 else float(duel.left < duel.right)
        compiled.tell(duel, outcome)
        update(interpreted.memory, drawn, outcome, t, interpreted.rng)
        expect_same_memory(compiled, interpreted, f"at t={t} compiled and plain Python remember different things")
    expect_same_luck(compiled, interpreted, "compiled and plain Python used their generators differently")


def check_choose_settles(make: Callable[..., Policy]) -> None:
    """A second choose at one time, with the same luck, chooses the same and changes nothing."""
    policy = make()
    kind = type(policy)
    choose, _ = plain_methods(kind)
    for t in range(1, 201):
        luck = policy.rng.bit_generator.state
        first = choose(policy.memory, t, policy.rng)
        after = {name: array.copy() for name, array in policy.tables().items()}
        policy.rng.bit_generator.state = luck
        second = choose(policy.memory, t, policy.rng)
        expect(tuple(first) == tuple(second), kind, f"at t={t} choose gave {first}, and asked again {second}")
        changed = [name for name, array in policy.tables().items() if not np.array_equal(array, after[name])]
        expect(not changed, kind, f"at t={t} a second choose changed {changed}: progress belongs in update")
        duel = policy.ask()
        policy.tell(duel, float(duel.left <= duel.right))


def check_scratch(make: Callable[..., Policy]) -> None:
    """Arrays declared as scratch carry nothing from one call to the next: rubbish in them is not noticed."""
    clean, spoilt = make(), make()
    kind = type(clean)
    choose, update = plain_methods(kind)
    for t in range(1, 301 if clean.scratch_tables() else 1):
        duel = choose(clean.memory, t, clean.rng)
        outcome = OUTCOMES[t % 4] if t < 150 else float(duel.left < duel.right)
        update(clean.memory, duel, outcome, t, clean.rng)
        try:
            spoil(spoilt)
            again = choose(spoilt.memory, t, spoilt.rng)
            spoil(spoilt)
            update(spoilt.memory, again, outcome, t, spoilt.rng)
        except IndexError as error:
            raise AssertionError(f"{kind.name}: at t={t} it read what was left in its scratch: {error}") from error
        complaint = f"at t={t} it read what was left in its scratch"
        expect(tuple(duel) == tuple(again), kind, f"{complaint}: it chose {again} instead of {duel}")
        expect_same_memory(clean, spoilt, complaint)


def spoil(policy: Policy) -> None:
    """Fill all scratch with what nobody can use unnoticed."""
    for array in policy.scratch_tables():
        array[...] = ~array if array.dtype == bool else np.nan if array.dtype.kind == "f" else np.iinfo(array.dtype).min


def check_reset(policy: type[Policy], make: Callable[..., Policy]) -> None:
    """A policy that holds this one can restart it, inside compiled code: nothing is remembered."""
    fresh, used = make(seed=7), make(seed=8)
    for step in range(100):
        duel = used.ask()
        used.tell(duel, OUTCOMES[step % 4])
    # The same luck as the constructor of the fresh one had.
    luck = np.random.default_rng(np.random.SeedSequence(7))
    with compiling(policy):
        specialise(_reset, {"reset": policy.method("reset", kernel)})(used.memory, luck)
    expect_same_memory(fresh, used, "a policy that was reset differs from a fresh one")


def _reset(memory: Any, rng: np.random.Generator) -> None:
    reset(memory, rng)


def check_other_process(policy: type[Policy], parameters: dict[str, Any]) -> None:
    """The same seed gives the same run in another process."""
    # A wrapper around a named base is made anew from its own class and that name.
    own, settings = POLICIES.get(policy.name), policy(2, seed=0, **parameters).parameter_values()
    check_findable(own)
    there = trace_elsewhere(__name__, policy.__module__, own.__name__, settings)
    expect(not isinstance(there, str), policy, f"another process failed:\n{there}")
    same = there is None or there == trace(policy, parameters)
    expect(same, policy, "the same seed ran differently in another process")


def trace(policy: type[Policy], parameters: dict[str, Any]) -> Any:
    """The duels of a short run and the state after it, but for ids, which are random."""
    run = policy(5, seed=11, **parameters)
    duels = []
    for step in range(200):
        duel = run.ask()
        duels.append(duel[:5])
        run.tell(duel, OUTCOMES[step % 3])
    record = {name: value for name, value in run.record().items() if name not in ("open", "closed")}
    return json.loads(write_record({"duels": duels, **record}, f"the {policy.name}"))


def check_applied(make: Callable[..., Policy]) -> None:
    """What `apply` learns depends on what was applied alone: not on draws, nor on being stored in between."""
    alone, drawn, stored = make(), make(), make()
    kind, luck = type(alone), np.random.default_rng(3)
    waiting: list[Duel] = []
    for step in range(300):
        waiting = [*waiting[-5:], *(drawn.draw(luck) for _ in range(int(luck.integers(1, 4))))]
        duel = waiting.pop(int(luck.integers(len(waiting))))
        for policy in (alone, drawn, stored):
            policy.apply(duel, OUTCOMES[step % 4] if step < 150 else float(duel.left < duel.right))
        drawn.draw(luck)
        expect_same_memory(alone, drawn, f"after {step + 1} duels were applied, what was drawn in between matters")
        if step % 100 == 50:
            stored = Policy.from_json(stored.to_json())
    expect_same_luck(alone, drawn, "what was drawn in between used up the policy's own luck")
    expect_same_memory(alone, stored, "a policy that was stored and loaded learnt something else")
    expect_same_luck(alone, stored, "a policy that was stored and loaded has other luck")
    expect((alone.told, alone.asked) == (300, 0), kind, "apply must count as told, and nothing as asked")


def check_json(make: Callable[..., Policy]) -> None:
    """A policy stored and loaded goes on identically, its open duels included."""
    original = make()
    waiting = [original.ask() for _ in range(5)]
    for step in range(150):
        original.tell(original.ask(), OUTCOMES[step % 4])
    loaded = Policy.from_json(original.to_json())
    expect(type(loaded) is type(original), type(original), f"from_json made a {type(loaded).__name__}")
    for duel in waiting:
        original.tell(duel, 1.0)
        loaded.tell(duel, 1.0)
    for step in range(150):
        here, there = original.ask(id=f"{step}"), loaded.ask(id=f"{step}")
        expect(here == there, type(original), f"{step} duels after loading, {there} instead of {here}")
        original.tell(here, OUTCOMES[step % 4])
        loaded.tell(there, OUTCOMES[step % 4])
    expect(original.to_json() == loaded.to_json(), type(original), "the loaded policy ended in another state")


def check_copies(make: Callable[..., Policy]) -> None:
    """Copies, by JSON, pickle or deepcopy, are the same policy, share nothing, and never issue the same id."""
    original = make()
    waiting = original.ask()
    for step in range(20):
        original.tell(original.ask(), OUTCOMES[step % 4])
    text, kind, ids = original.to_json(), type(original), {original.ask().id}
    for way, copied in (
        ("JSON", Policy.from_json(text)),
        ("JSON again", Policy.from_json(text)),
        ("pickle", pickle.loads(pickle.dumps(Policy.from_json(text)))),
        ("deepcopy", copy.deepcopy(Policy.from_json(text))),
    ):
        same = type(copied) is kind and copied.to_json() == text
        expect(same, kind, f"a copy by {way} is {copied}, not {Policy.from_json(text)}")
        copied.tell(waiting, 1.0)
        issued = copied.ask().id
        expect(issued not in ids, kind, f"a copy by {way} issued the id {issued!r} of another")
        ids.add(issued)
    before = original.to_json()
    copy.deepcopy(original).tell(waiting, 0.0)
    expect(original.to_json() == before, kind, "what a copy was told changed the original")


def check_late_tells(kind: type[Policy], make: Callable[..., Policy]) -> None:
    """Tells that come late, out of order or never do no harm: the best arm is still found."""
    matrix, luck = np.array(EASY), np.random.default_rng(5)
    right = Matrix(matrix).best_arms(kind.view, HORIZON)
    found = 0
    for seed in range(5):
        policy = make(seed=seed)
        waiting: list[Duel] = []
        for _ in range(600):
            waiting += [policy.ask() for _ in range(int(luck.integers(0, 4)))]
            if waiting:
                duel = waiting.pop(int(luck.integers(len(waiting))))
                if luck.random() < 0.8:  # the others are never told
                    policy.tell(duel, float(luck.random() < matrix[duel.left, duel.right]))
        for duel in waiting:
            policy.tell(duel, float(luck.random() < matrix[duel.left, duel.right]))
        go_on(policy, 8000, luck)
        for name, array in policy.tables().items():
            expect(bool(np.isfinite(array).all()), kind, f"after late tells, {name} holds infinite numbers")
        found += policy.best() in right
    expect(found >= 4 or kind.view == "none", kind, f"after late tells, the best arm was found {found} times of 5")


def go_on(policy: Policy, duels: int, luck: np.random.Generator) -> None:
    """So many more duels, in the compiled loop of simulations."""
    run, told = compiled_run(type(policy), Matrix), policy.told
    run(policy.memory, Matrix(EASY).memory(HORIZON), told, told + duels, np.zeros(len(SUMS)), policy.rng, luck)


def check_labels(policy: type[Policy], parameters: dict[str, Any]) -> None:
    """Numbering the arms the other way round changes nothing but luck."""
    curves = [
        simulate(
            policy, matrix, horizon=300, runs=400, seed=seed, points=12, parameters=parameters, progress=False
        ).curve()
        for seed, matrix in enumerate((np.array(EASY), np.array(EASY)[::-1, ::-1]))
    ]
    for point in range(curves[0].shape[1]):
        p = scipy.stats.ks_2samp(curves[0][:, point], curves[1][:, point], method="asymp").pvalue
        expect(bool(p > 1e-5), policy, f"the order of the arms matters (p = {p:.1g}): break ties at random")


def check_flattens(policy: type[Policy], parameters: dict[str, Any]) -> None:
    """On an easy instance the declared regret stops growing, and the best arm is found."""
    if policy.view == "none":
        return
    result = simulate(policy, EASY, horizon=HORIZON, runs=20, seed=1, parameters=parameters, progress=False)
    late = np.searchsorted(result.checkpoints, 3 * HORIZON // 4)
    growth = late_growth(result.curve(policy.view), result.checkpoints, int(late))
    uniform = simulate("uniform", EASY, horizon=HORIZON, runs=1, seed=1, progress=False)
    yardstick = late_growth(uniform.curve(policy.view), uniform.checkpoints, int(late))
    expect(
        growth < 0.1 * yardstick,
        policy,
        f"{policy.view} regret still grows by {growth:.4f} a duel, {growth / yardstick:.0%} of uniform's",
    )
    expect(result.best_arm_rate >= 0.9, policy, f"best() is right in {result.best_arm_rate:.0%} of easy runs")


def late_growth(curve: Floats, checkpoints: Any, late: int) -> float:
    """Regret a duel after checkpoint `late`, a mean over runs."""
    return float((curve[:, -1] - curve[:, late]).mean() / (checkpoints[-1] - checkpoints[late]))


def plain_methods(kind: type[Policy]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """`choose` and `update` as plain Python."""
    return plain(kind.method("choose", plain)), plain(kind.method("update", plain))


def expect_same_memory(a: Policy, b: Policy, complaint: str) -> None:
    """Complain if the arrays of two policies differ, naming the first that does."""
    for name, array in a.tables().items():
        other = b.tables()[name]
        if not np.array_equal(array, other):
            expect(False, type(a), f"{complaint}: {name} is {array} and {other}")


def expect_same_luck(a: Policy, b: Policy, complaint: str) -> None:
    """Complain if two policies would draw differently from now on."""
    expect(a.rng.bit_generator.state == b.rng.bit_generator.state, type(a), complaint)


def expect(condition: bool, policy: type[Policy], complaint: str) -> None:
    """Raise an AssertionError with the policy's name unless `condition` holds."""
    if not condition:
        raise AssertionError(f"{policy.name}: {complaint}")
