"""Search for parameters with the least regret or the best NDCG, by optuna. Needs the extra `search`.

Trials are asked for in batches and told in order, so that the same plan asks for the same trials whoever runs them: a
search that was interrupted asks again, and finds what was made before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from duelist.core.errors import BadInput, MissingExtra
from duelist.core.intervals import Interval, interval
from duelist.core.parallel import check_whole
from duelist.core.parameters import Parameter, meant, refuse_unknown
from duelist.core.registry import find_family
from duelist.core.spec import Spec
from duelist.present.charts import Lines, Panel, Series
from duelist.present.tables import Table
from duelist.sweeps.cell import Cell
from duelist.sweeps.memory import Kept
from duelist.sweeps.plan import Plan
from duelist.sweeps.runner import Engine, run_cells
from duelist.sweeps.tasks import Done

MOST = ("final_ndcg", "online_ndcg")  # of everything else, the least is wanted


@dataclass(frozen=True)
class Search:
    """What is looked for, and where."""

    goal: str
    parameters: Mapping[str, Any]  # ranges: {low, high, log} or a list of values
    trials: int = 40
    batch: int = 8  # trials that are asked for at once; more run at once, but know less
    seed: int = 0

    @classmethod
    def of(cls, plan: Plan, trials: int | None = None) -> Search:
        """What the plan's table [search] says."""
        given = dict(plan.search)
        refuse_unknown("[search]", ["goal", "parameters", "trials", "batch", "seed"], given)
        if not given.get("parameters"):
            raise BadInput("a search needs [search.parameters], such as alpha = {low = 0.5, high = 4.0, log = true}")
        found = cls(**{"goal": default_goal(plan), **given, **({} if trials is None else {"trials": trials})})
        check_whole(1, trials=found.trials, batch=found.batch)
        check_whole(0, seed=found.seed)
        return found


@dataclass(frozen=True)
class Trial:
    """One setting of the parameters, and what it came to."""

    number: int
    spec: Spec
    sample: Any  # the goal of every run

    @property
    def value(self) -> Interval:
        """What is compared: the mean."""
        return interval(self.sample)


@dataclass(frozen=True)
class Tuned:
    """All trials, the best first."""

    goal: str
    trials: Sequence[Trial]
    aside: Sequence[Done] = ()

    @property
    def best(self) -> Spec:
        """The policy or learner with the best parameters found."""
        return self.trials[0].spec

    def summary(self) -> dict[str, Any]:
        """For JSON: all trials, the best first."""
        trials = [{"trial": t.number, "setting": t.spec.to_dict(), "mean": float(t.value.mean)} for t in self.trials]
        return {"goal": self.goal, "best": str(self.best), "trials": trials}

    @property
    def table(self) -> Table:
        """The ten best."""
        rows = [[str(t.spec), str(t.number), f"{t.value.mean:.5g}", _half(t.value)] for t in self.trials[:10]]
        return Table(["setting", "trial", self.goal, "± 95 %"], rows, [f"the best of {len(self.trials)} trials"])

    @property
    def chart(self) -> Lines:
        """What each trial came to, and the best so far."""
        ordered = sorted(self.trials, key=lambda trial: trial.number)
        means = np.array([trial.value.mean for trial in ordered])
        best = np.maximum.accumulate(means) if self.goal in MOST else np.minimum.accumulate(means)
        numbers = [trial.number for trial in ordered]
        lines = [Series("trial", numbers, means), Series("best so far", numbers, best)]
        return Lines([Panel(self.goal, lines)], "trial", str(self.best), x_logarithmic=False)


def tune(
    plan: Plan,
    kept: Callable[[Sequence[Cell]], Kept],
    engine: Engine | None = None,
    trials: int | None = None,
    progress: bool | None = None,
) -> Tuned:
    """Search as the plan says; `kept` makes the place where the results of cells are kept."""
    search, optuna = Search.of(plan, trials), load_optuna()
    base = _subject(plan)
    ranges = {name: _range(optuna, base, name, given) for name, given in search.parameters.items()}
    direction = "maximize" if search.goal in MOST else "minimize"
    study = optuna.create_study(direction=direction, sampler=optuna.samplers.TPESampler(seed=search.seed))
    found, aside = list[Trial](), list[Done]()
    for first in range(0, search.trials, search.batch):
        asked = [study.ask(ranges) for _ in range(min(search.batch, search.trials - first))]
        specs = [Spec(base.family, base.name, {**base.parameters, **trial.params}).check() for trial in asked]
        cells = [replace(cell, **{base.family: spec}) for spec in specs for cell in plan.cells]
        place = kept(cells)
        label = f"trials {first + 1} to {first + len(asked)} of {search.trials}"
        trouble = run_cells(cells, place, engine, label=label, progress=progress)
        lost = {part.place // len(plan.cells) for done in trouble for part in done.task}
        for number, (trial, spec) in enumerate(zip(asked, specs, strict=True)):
            if number in lost:
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
                continue
            ours = range(number * len(plan.cells), (number + 1) * len(plan.cells))
            sample = np.concatenate([_ends(cells[at], place.result(at), search.goal) for at in ours])
            study.tell(trial, float(sample.mean()))
            found.append(Trial(trial.number, spec, sample))
        aside += trouble
    sign = -1.0 if search.goal in MOST else 1.0
    return Tuned(search.goal, sorted(found, key=lambda trial: sign * trial.value.mean), aside)


def default_goal(plan: Plan) -> str:
    """Strong regret of policies, what learners show."""
    return "strong" if plan.cells[0].kind == "policy" else "online_ndcg"


def _subject(plan: Plan) -> Spec:
    """The one policy or learner of a plan."""
    specs = {str(spec): spec for cell in plan.cells for spec in [getattr(cell, cell.kind)]}
    if len(specs) != 1:
        raise BadInput(f"a search is for one policy or learner, not for {', '.join(specs)}")
    found: Spec = next(iter(specs.values()))
    return found


def _range(optuna: Any, base: Spec, name: str, given: Any) -> Any:
    """Where to look for a parameter, in optuna's words."""
    known = find_family(base.family).parameters(base.name, base.parameters)
    refuse_unknown(base.name, known, [name])
    wanted: Parameter = known[name]
    if isinstance(given, list | tuple):
        return optuna.distributions.CategoricalDistribution([wanted.check(base.name, name, v) for v in given])
    if not isinstance(given, Mapping) or not {"low", "high"} <= given.keys():
        raise BadInput(f"{name} is searched in {{low = ..., high = ...}} or in a list of values, not in {given!r}")
    for key in given.keys() - {"low", "high", "log"}:
        raise BadInput(f"a range has low, high and log, not {key!r}{meant(key, ('low', 'high', 'log'))}")
    low, high = (wanted.check(base.name, name, given[end]) for end in ("low", "high"))
    if isinstance(wanted.default, bool) or not isinstance(wanted.default, int | float) or low >= high:
        raise BadInput(f"{name} has no range from {low!r} to {high!r}; a list of values would do")
    whole = isinstance(wanted.default, int)
    kind = optuna.distributions.IntDistribution if whole else optuna.distributions.FloatDistribution
    return kind(low, high, log=bool(given.get("log", False)))


def _ends(cell: Cell, result: Any, goal: str) -> Any:
    curves = cell.curves(result)
    if goal not in curves:
        raise BadInput(f"there is no goal {goal!r} here{meant(goal, curves)}; there is {', '.join(curves)}")
    return curves[goal][:, -1]


def _half(found: Interval) -> str:
    return f"{found.high - found.mean:.2g}" if np.isfinite(found.high) else ""


def load_optuna() -> Any:
    """The package, which says nothing of single trials."""
    try:
        import optuna
    except ImportError as error:
        raise MissingExtra("a search needs optuna: pip install 'duelist[search]'") from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
