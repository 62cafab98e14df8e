"""A reproduction of one's own: what a page says is simulated, and judged. duelist reproduce my_reproduction:CLAIM"""

from duelist.core.spec import Spec
from duelist.dueling.result import regret_chart
from duelist.present import Chart
from duelist.reproductions.policy_cells import PolicyCell
from duelist.reproductions.reproduction import Found, Reproduction, Setting
from duelist.reproductions.samples import ratio_of
from duelist.reproductions.verdicts import Reference, Row

# What is simulated, as data: a policy, where, and for how long.
CELLS = [
    PolicyCell("D-TS", Spec.read("policy", "d-ts"), "arxiv", horizon=20_000, runs=40, points=50),
    PolicyCell("RUCB", Spec.read("policy", "rucb"), "arxiv", horizon=20_000, runs=40, points=50),
]
# What is said, and where. A claim has limits; a published or independent number has a value and its error.
LESS = Reference("claim", "examples/my_reproduction.py: D-TS has less than half of RUCB's regret on arXiv", below=0.5)


def judge(found: Found) -> list[Row]:
    """Rows that need several cells; the verdict follows from the interval of the ratio."""
    return [Row("D-TS over RUCB", LESS, ratio_of(found["D-TS"].sample, found["RUCB"].sample))]


def draw(found: Found) -> Chart:
    return regret_chart([measured.curves for measured in found.values()])


CLAIM = Reproduction("my-claim", "an example", "Nothing is missing.", CELLS, judge, draw)

if __name__ == "__main__":
    report = CLAIM.run(Setting(quick=True))
    print(f"{report}\n\n{report.verdict}")
