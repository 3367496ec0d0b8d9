"""Results of several columns: a DataFrame where pandas is installed."""

from __future__ import annotations

from typing import Any


def as_table(columns: dict[str, Any], index: str | None = None) -> Any:
    """The columns, all of one length, as a DataFrame; as they are where pandas is not installed.

    ``index`` is the column that names the rows of the DataFrame.
    """
    try:
        import pandas as pd
    except ImportError:
        return columns
    if index is None:
        return pd.DataFrame(columns)
    rows = pd.Index(columns[index], name=index)
    return pd.DataFrame({k: v for k, v in columns.items() if k != index}, index=rows)
