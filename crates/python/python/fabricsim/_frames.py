"""Conversion of tables to the usual libraries of data frames."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._native import Table

_SHOWN = 10


def to_pyarrow(table: Table) -> Any:
    """Returns a ``pyarrow.Table`` that shares the columns."""
    import pyarrow

    return pyarrow.table(table)


def to_polars(table: Table) -> Any:
    """Returns a ``polars.DataFrame``."""
    import polars

    return polars.DataFrame(table)


def to_pandas(table: Table) -> Any:
    """Returns a ``pandas.DataFrame``: by pyarrow, or by lists if pyarrow is not installed."""
    import pandas

    try:
        return to_pyarrow(table).to_pandas()
    except ImportError:
        return pandas.DataFrame({name: table[name] for name in table.columns})


def to_html(table: Table) -> str:
    """Returns the first rows as HTML."""
    rows = [table.row(number) for number in range(min(table.num_rows, _SHOWN))]

    def line(cells: list[Any], tag: str) -> str:
        texts = ("" if cell is None else html.escape(str(cell)) for cell in cells)
        return "<tr>" + "".join(f"<{tag}>{text}</{tag}>" for text in texts) + "</tr>"

    body = "".join(line(row, "td") for row in rows)
    left = table.num_rows - len(rows)
    more = f"<p>{left} more rows</p>" if left > 0 else ""
    head = line(list(table.columns), "th")
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>{more}"


def to_text(table: Table) -> str:
    """Returns the size of the table and the names of its columns."""
    return f"<fabricsim.Table: {table.num_rows} rows of {', '.join(table.columns)}>"
