"""Which reproductions there are, as data: listing them loads none."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, NamedTuple

from duelist.core.errors import MissingExtra, UnknownName

if TYPE_CHECKING:
    from duelist.reproductions.reproduction import Reproduction

PACKAGES = {"offline": ("piqp", "sklearn", "threadpoolctl")}  # of our extras, by the names they are imported by


class Listed(NamedTuple):
    """Where a reproduction is."""

    source: str  # where its table or figure is in the paper
    home: str  # module:NAME
    extra: str = ""  # what has to be installed for it

    @property
    def missing(self) -> str:
        """The extra it needs, if that is not installed."""
        there = all(importlib.util.find_spec(package) for package in PACKAGES.get(self.extra, ()))
        return "" if there else self.extra


CATALOGUE = {
    "thesis-3.2": Listed("thesis Tables 3.1 to 3.4 and the examples of 2.3", "thesis_measures:MEASURES"),
    "thesis-3.6": Listed("thesis Tables 3.6 and 3.9, on Cranfield and MQ2008", "thesis_map:LEARNING", "offline"),
    "thesis-4.1": Listed("thesis Tables 4.1 and 4.2, Figure 4.4", "thesis_diversity:TABLE", "offline"),
    "thesis-4.5": Listed("thesis Figure 4.5, loss by training queries", "thesis_diversity_curves:TRAINING", "offline"),
    "thesis-4.6": Listed("thesis Figure 4.6, training loss by C", "thesis_diversity_curves:COSTS", "offline"),
    "thesis-4.7": Listed("thesis Figure 4.7, loss by documents chosen", "thesis_diversity_curves:SIZES", "offline"),
    "web-diversity": Listed(
        "thesis 4.1, greedy typically does much better than its bound; on the Web track's subtopics",
        "web_diversity:WEB_DIVERSITY",
        "offline",
    ),
    "title-summaries": Listed(
        "thesis 4.6, summaries by SVM-div; titles of Cranfield's abstracts", "title_summaries:SUMMARIES", "offline"
    ),
    "thesis-5.1": Listed("thesis Figure 5.1, worst case", "thesis_filters:WORST_CASE"),
    "thesis-5.2": Listed("thesis Figure 5.2, random Bradley-Terry", "thesis_filters:RANDOM_CASE"),
    "thesis-5.3": Listed("thesis Figures 5.3 and 5.4, on rankers of MQ2008", "thesis_web_rankers:WEB_RANKERS"),
    "thesis-B.2": Listed(
        "thesis 5.3.3 and B.2, rounds of the filters as a random walk", "thesis_random_walk:RANDOM_WALK"
    ),
    "thesis-7.1": Listed("thesis Table 7.1 and the numbers of 7.2 and 7.4.1", "thesis_evidence:EVIDENCE"),
    "thesis-7.2": Listed("thesis Figures 7.2 and 7.3, on simulated pairs", "thesis_weights:WEIGHTS"),
    "peeking": Listed("false alarms of watched experiments", "peeking:PEEKING"),
    "nulls": Listed("false alarms of watched experiments whose outcomes are skewed, tied or come back", "nulls:NULLS"),
    "debiased": Listed(
        "clicks without the bias of positions: equal rankers, fair coins and others", "debiased:DEBIASED"
    ),
    "adaptive-intervals": Listed(
        "intervals of a leaderboard whose pairs a policy chose, equal arms", "adaptive_intervals:ADAPTIVE"
    ),
    "board-fit": Listed("how often the test of fit refutes boards that are true, and circles", "board_fit:BOARD_FIT"),
    "certain": Listed(
        "how often a policy is certain, and wrong: easy, near, tied, twins, in a circle", "certain:CERTAIN"
    ),
    "certain-drift": Listed("what being certain means when preferences turn round", "certain_drift:DRIFT"),
    "interleaving-users": Listed(
        "users needed by each interleaving method, two real rankers of MQ2008, navigational clicks",
        "interleaving_users:INTERLEAVING_USERS",
    ),
    "dbgd-1": Listed("DBGD Table 1", "dbgd_table1:TABLE"),
    "dbgd-2": Listed("DBGD Figure 2", "dbgd_table1:FIGURE"),
    "dbgd-web-2": Listed("DBGD Table 2, as an analogue", "dbgd_web:GRID", "offline"),
    "dbgd-web-3": Listed("DBGD Table 3 and Figure 3, as an analogue", "dbgd_web:SAMPLED", "offline"),
    "dm2l-drift": Listed("DM2L, the claim of section 1", "dm2l_drift:DRIFT"),
    "online-mq2008": Listed(
        "PDGD and team-draft DBGD on MQ2008, five folds: an independent implementation's figures",
        "online_letor:ONLINE_FIGURES",
    ),
    "online-peers": Listed(
        "the other learners on MQ2008 and MQ2007-partial: public research code, a single run of it a fold",
        "online_letor:ONLINE_PEERS",
    ),
    "online-tally": Listed(
        "tally, the learner we recommend, against goals on MQ2008 and MQ2007-partial, stop after click",
        "online_letor:ONLINE_GOALS",
    ),
    "rex3-1": Listed("REX3 Figure 1", "rex3_bound:BOUND"),
    "rex3-2": Listed("REX3 Figure 2, arXiv", "rex3_regret:ARXIV"),
    "rex3-3": Listed("REX3 Figure 3 left, MSLR navigational", "rex3_regret:NAVIGATIONAL"),
    "rex3-5-informational": Listed(
        "REX3 Figure 5, MSLR informational (no Condorcet winner)", "rex3_regret:INFORMATIONAL"
    ),
    "rex3-5-perfect": Listed("REX3 Figure 5, MSLR perfect", "rex3_regret:PERFECT"),
    "rex3-7-savage": Listed("REX3 Figure 7, SAVAGE matrix", "rex3_regret:SAVAGE"),
    "rex3-7-bvs": Listed("REX3 Figure 7, BVS matrix", "rex3_regret:BVS"),
    "rex3-8": Listed("REX3 Figure 8, non-stationary utilities", "rex3_regret:DECEPTIVE"),
    "rex3-3-arms": Listed("REX3 Figure 3 right, regret against K", "rex3_arms:ARMS"),
    "rex3-6": Listed("REX3 Figure 6, Sparring with UCB, MSLR navigational", "rex3_sparring_ucb:SPARRING_UCB"),
}


class Identity(NamedTuple):
    """How a reproduction of the catalogue begins."""

    name: str
    source: str


def listed(name: str) -> Identity:
    """The name and the source of a reproduction, which are typed in the catalogue alone."""
    return Identity(name, CATALOGUE[name].source)


def find(name: str) -> Reproduction:
    """The reproduction called `name`; "module:NAME" is one of the user's own.

    >>> find("thesis-3.2").source
    'thesis Tables 3.1 to 3.4 and the examples of 2.3'
    """
    if ":" in name:
        return _load(*name.split(":", 1))
    if name not in CATALOGUE:
        from duelist.core.parameters import meant  # which loads numpy; a list does not need it

        raise UnknownName(f"unknown reproduction {name!r}{meant(name, CATALOGUE)}. Known: {', '.join(CATALOGUE)}")
    entry = CATALOGUE[name]
    if entry.missing:
        raise MissingExtra(f"reproduction {name!r} needs more packages: pip install 'duelist[{entry.missing}]'")
    module, attribute = entry.home.split(":")
    return _load(f"duelist.reproductions.{module}", attribute)


def _load(module: str, attribute: str) -> Reproduction:
    from duelist.reproductions.reproduction import Reproduction

    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ModuleNotFoundError, AttributeError, ValueError) as error:
        raise UnknownName(f"cannot load reproduction '{module}:{attribute}': {error}") from error
    if not isinstance(found, Reproduction):
        raise UnknownName(f"'{module}:{attribute}' is not a reproduction")
    return found
