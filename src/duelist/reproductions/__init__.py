"""Tables and figures of the papers, made again and judged: one file a table or figure. `duelist reproduce` lists them.

>>> report = find("thesis-3.2").run()
>>> report.agrees, len(report.rows)
(True, 12)
"""

from duelist.reproductions.catalogue import CATALOGUE, find

__all__ = ["CATALOGUE", "find"]
