"""Sweeps: plans of many cells, run on all cores or on a cluster, resumed, searched, read back as one table."""

from duelist.sweeps.cell import Cell
from duelist.sweeps.descents import DescentRuns
from duelist.sweeps.engines import ENGINES, open_engine
from duelist.sweeps.folder import Folder
from duelist.sweeps.learners import LearnerRuns
from duelist.sweeps.local import Local
from duelist.sweeps.memory import Kept, Memory
from duelist.sweeps.plan import Plan
from duelist.sweeps.policies import PolicyRuns
from duelist.sweeps.runner import Engine, Here, run_cells
from duelist.sweeps.sweep import Sweep
from duelist.sweeps.tasks import Done
from duelist.sweeps.tuning import Tuned, tune

__all__ = [
    "ENGINES",
    "Cell",
    "DescentRuns",
    "Done",
    "Engine",
    "Folder",
    "Here",
    "Kept",
    "LearnerRuns",
    "Local",
    "Memory",
    "Plan",
    "PolicyRuns",
    "Sweep",
    "Tuned",
    "open_engine",
    "run_cells",
    "tune",
]
