"""What commands share: settings in, tables out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from duelist.core.errors import BadInput
from duelist.core.registry import Registry
from duelist.dueling.environment import Environment
from duelist.dueling.policy import POLICIES
from duelist.dueling.result import Result, views_of
from duelist.present.charts import check_chart_path
from duelist.present.tables import Table


def parse_settings(
    policies: Sequence[str], settings: Sequence[str], family: Registry[Any] = POLICIES
) -> dict[str, dict[str, Any]]:
    """The parameters of each policy or learner: NAME=VALUE for all that have it, POLICY.NAME=VALUE for one."""
    split = [_split(setting, policies) for setting in settings]
    parsed, choices = {}, set()
    for policy in policies:
        mine = {name: value for owner, name, value in split if owner in ("", policy)}
        kind = family.get(policy).resolve(mine)
        known = kind.parameters()
        choices |= known.keys() | ({"base"} if hasattr(kind, "over") else set())
        parsed[policy] = {n: known[n].check(kind.__name__, n, v) for n, v in mine.items() if n in known}
        if hasattr(kind, "over") and "base" in mine:  # it holds another
            parsed[policy]["base"] = mine["base"]
    for owner, name, _ in split:
        if not any(name in parsed[policy] for policy in ([owner] if owner else policies)):
            where = f"{owner}.{name}" if owner else name
            raise BadInput(f"--set {where}: no such parameter; known here: {', '.join(sorted(choices)) or 'none'}")
    return parsed


def _split(setting: str, policies: Sequence[str]) -> tuple[str, str, Any]:
    """The policy a setting is for ("" for all), its name and its value."""
    key, equals, text = setting.partition("=")
    owner, _, name = key.rpartition(".")
    if not equals:
        raise BadInput(f"--set needs NAME=VALUE, not {setting!r}")
    if owner and owner not in policies:
        raise BadInput(f"--set {key}: {owner!r} is not one of {', '.join(policies)}")
    return owner, name, _value(text)


def _value(text: str) -> Any:
    try:
        return json.loads(text.lower())
    except ValueError:
        try:
            return float(text)  # .5, 1e-3
        except ValueError:
            return text


def prepare_outputs(chart: Path | None, save: Path | None, n_results: int, view: str, environment: Environment) -> None:
    """Find out before a long run that its outputs can be made."""
    if view not in (views := views_of(environment.sums)):
        raise BadInput(f"{environment.describe()} has no regret view {view!r}; it has {', '.join(views)}")
    if chart is not None:
        check_chart_path(chart)
    if save is not None:
        folder = save if n_results > 1 else save.parent
        if n_results > 1 and folder.parent.is_dir() and not folder.exists():
            folder.mkdir()
        if not folder.is_dir():
            raise BadInput(f"there is no folder {str(folder)!r} to save in")
        if n_results == 1 and save.is_dir():
            raise BadInput(f"one result is saved to a file, but {str(save)!r} is a folder")


def save_results(results: Sequence[Result], path: Path) -> None:
    """One result to a file, several to a folder."""
    for result in results:
        result.save(path if len(results) == 1 else path / f"{result.policy}.npz")


def print_results(results: Sequence[Result]) -> None:
    """A table with a row a policy, the lowest strong regret first."""
    first = results[0]
    views = [view for view in first.sums if view != "strong"]  # the others follow from these
    rows = []
    for result in sorted(results, key=lambda r: float(r.regret().mean)):
        mean, _, high = result.regret()
        strong = f"{mean:.0f} ± {high - mean:.0f}" if result.runs > 1 else f"{mean:.0f}"
        others = [f"{result.regret(view).mean:.0f}" for view in views]
        shares = [f"{result.accuracy[-1]:.0%}", f"{result.best_arm_rate:.0%}"]
        rows.append([result.policy, strong, *others, *shares, f"{result.steps_per_second / 1e6:.1f}"])
    print(f"{first.environment}: {first.runs} runs of {first.horizon:,} duels, seed {first.seed}\n")
    print(Table(["policy", "strong", *views, "accuracy", "found", "M duels/s"], rows))
    print(f"\nstrong, {', '.join(views)}: cumulative regret, mean of the runs, ± 95 %")
    print("accuracy: both arms of the last duel were the best; found: best() was right; speed: one core")
