"""How people click, and logs of what they clicked."""

from duelist.clicks.cascade import CLICKS, Cascade, cascade, cascade_clicks
from duelist.clicks.dependent_click import DependentClick
from duelist.clicks.dynamic_bayesian import DynamicBayesian
from duelist.clicks.log import Action, Log, Record, Rejected, read_log, write_log
from duelist.clicks.model import ClickModel, Perplexity
from duelist.clicks.pages import ClickedPage, click_rates, split_pages
from duelist.clicks.position_based import PositionBased
from duelist.clicks.ubi import read_ubi, write_ubi
from duelist.clicks.yandex import read_yandex

__all__ = [
    "CLICKS",
    "Action",
    "Cascade",
    "ClickModel",
    "ClickedPage",
    "DependentClick",
    "DynamicBayesian",
    "Log",
    "Perplexity",
    "PositionBased",
    "Record",
    "Rejected",
    "cascade",
    "cascade_clicks",
    "click_rates",
    "read_log",
    "read_ubi",
    "read_yandex",
    "split_pages",
    "write_log",
    "write_ubi",
]
