"""Results as data frames and as files of rows, for those who go on elsewhere. Needs pandas, or the extra `frames`."""

from __future__ import annotations

import csv
import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.errors import BadInput, MissingExtra

LIBRARIES = ("pandas", "polars")
ENDINGS = (".csv", ".parquet")

Columns = Mapping[str, Any]  # arrays of one length, by name


def data_frame(columns: Columns, library: str | None = None) -> Any:
    """The columns as a frame of pandas or polars; of the one that is installed, pandas first, unless one is named."""
    return importlib.import_module(_chosen(library)).DataFrame(dict(columns))


def arrow_frame(table: Any, library: str | None = None) -> Any:
    """The same of an Arrow table, whose columns may have gaps."""
    name = _chosen(library)
    return table.to_pandas() if name == "pandas" else importlib.import_module(name).from_arrow(table)


def _chosen(library: str | None) -> str:
    if library is not None and library not in LIBRARIES:
        raise BadInput(f"data frames are made by {' or '.join(LIBRARIES)}, not by {library!r}")
    found = _installed([library] if library else LIBRARIES)
    if not found:
        package = "pandas" if library == "pandas" else "'duelist[frames]'"  # the extra has polars
        raise MissingExtra(f"data frames need {library or ' or '.join(LIBRARIES)}: pip install {package}")
    return found


def join_columns(parts: Sequence[Columns]) -> dict[str, Any]:
    """The rows of several, one below the other; they have the same columns."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def check_rows_path(path: Path, endings: Sequence[str] = ENDINGS) -> None:
    """An error before any work is done for a file that could not be written."""
    if path.suffix not in endings:
        raise BadInput(f"results are saved as {', '.join(endings)}, not as {str(path)!r}")
    if path.suffix == ".parquet" and not _installed(("pyarrow", "polars")):
        raise MissingExtra("a .parquet file needs pyarrow or polars: pip install 'duelist[frames]'")


def write_rows(columns: Columns, path: Path) -> None:
    """Write the columns as .csv or .parquet, which the ending says."""
    check_rows_path(path)
    if path.suffix == ".parquet" and _installed(("pyarrow",)):
        importlib.import_module("pyarrow.parquet").write_table(
            importlib.import_module("pyarrow").table(dict(columns)), path
        )
    elif path.suffix == ".parquet":
        data_frame(columns, "polars").write_parquet(path)
    else:
        with path.open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(columns)
            rows.writerows(zip(*(np.asarray(values).tolist() for values in columns.values()), strict=True))


def _installed(names: Sequence[str]) -> str:
    return next((name for name in names if importlib.util.find_spec(name)), "")
