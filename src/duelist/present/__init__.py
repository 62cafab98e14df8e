"""How results are shown: tables and charts, as values that are printed or drawn when somebody looks."""

from duelist.present.charts import Boxes, Chart, Dots, Heat, Lines, Panel, Series, check_chart_path
from duelist.present.tables import Table, show

__all__ = ["Boxes", "Chart", "Dots", "Heat", "Lines", "Panel", "Series", "Table", "check_chart_path", "show"]
