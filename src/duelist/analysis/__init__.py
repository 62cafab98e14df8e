"""What a log of interleaved impressions says: who wins, how sure, and is the experiment healthy.

>>> from duelist.clicks.log import Log
>>> analysis = analyze(Log(tuple(demo_log(users=1200, appeal={"bm25": 0.2, "ltr-v3": 0.24}, seed=1))))
>>> analysis.winner
'ltr-v3'
"""

from duelist.analysis.analysis import Analysis, RankerCredit, Unanalysed, analyze, analyze_all, each_experiment
from duelist.analysis.comparison import Comparison
from duelist.analysis.debiased import debiased_clicks
from duelist.analysis.demo import demo_log
from duelist.analysis.health import Health
from duelist.analysis.page import page
from duelist.analysis.settings import Settings
from duelist.analysis.text import format_analysis
from duelist.analysis.weighed import Weighed, weigh

__all__ = [
    "Analysis",
    "Comparison",
    "Health",
    "RankerCredit",
    "Settings",
    "Unanalysed",
    "Weighed",
    "analyze",
    "analyze_all",
    "debiased_clicks",
    "demo_log",
    "each_experiment",
    "format_analysis",
    "page",
    "weigh",
]
