"""What of a log is analysed: each experiment, dates that fit, users who are no machines, what is closed."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import numpy as np

from duelist.analysis.clocks import Moments, fitting
from duelist.clicks.impressions import Impressions
from duelist.clicks.portions import Part, Portions
from duelist.core.errors import BadInput
from duelist.core.growing import Growing
from duelist.core.memory import Flags


def experiments_of(log: Portions) -> dict[str, Portions | None]:
    """The impressions of each experiment that compares rankers, by its name; of all if none does.

    The one whose first impression was earliest comes first. Others that have a name are there with None: what has
    neither name nor rankers beside them is other traffic.
    """
    names, setups = log.head.experiment_names, log.head.setup_names
    has_rankers = np.array([len(setup) > 0 for setup in setups], np.bool_)
    ranked, begun = np.zeros(len(names), np.bool_), np.full(len(names), np.inf)
    for portion in log.portions():
        np.minimum.at(begun, portion.experiments, portion.times)
        ranked[portion.experiments[has_rankers[portion.setups]]] = True
    every = begun < np.inf
    if not every.any():
        raise BadInput("there are no impressions to analyse")
    ranked = ranked if ranked.any() else every
    numbers = np.flatnonzero(ranked | (every & (np.array(names) != ""))).tolist()
    numbers.sort(key=begun.__getitem__)
    return {names[number]: _experiment(log, number) if ranked[number] else None for number in numbers}


def _experiment(log: Portions, number: int) -> Portions:
    losses = log.head.losses.of(log.head.experiment_names[number])
    return Part(log, lambda portion: replace(portion.take(portion.experiments == number), losses=losses))


def dated(log: Portions) -> tuple[Portions, Portions | None]:
    """The impressions whose dates fit the others, and those whose dates do not, if there are any."""
    first, last = fitting(log)

    def fits(portion: Impressions) -> Flags:
        return np.asarray((portion.times >= first) & (portion.times <= last))

    if all(fits(portion).all() for portion in log.portions()):
        return log, None
    return Part(log, lambda portion: portion.take(fits(portion))), Part(
        log, lambda portion: portion.take(~fits(portion))
    )


def check_queries(log: Portions) -> None:
    """An error where all rows are of one query, as they are where they name none."""
    ends = [(int(p.queries.min()), int(p.queries.max())) for p in log.portions() if len(p)]
    if len(set(chain(*ends))) == 1 and sum(map(len, log.portions())) > 1:
        raise BadInput("unit query needs rows that name their query; these name none, or all the same: use unit user")


def without_crowds(log: Portions, most: int | None) -> Portions:
    """The same without users who have more impressions."""
    if most is None:
        return log
    counts = Growing()
    for portion in log.portions():
        counts.add(portion.users, 1.0)
    return Part(log, lambda portion: portion.take(counts.values[portion.users] <= most))


def closed(log: Portions, moments: Moments) -> Portions:
    """Impressions whose clicks have all come."""
    return Part(log, lambda portion: portion.take(portion.times + moments.attribution <= moments.end))
