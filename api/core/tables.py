"""Series as one plain table: CSV, Parquet and Arrow IPC of the same columns.

Units stand in the names of columns; times are text in CSV, UTC moments elsewhere. pyarrow takes 60 MB, so that it is
imported where such a file is first asked for.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from api.core.pipeline import JSON_FORMAT, Format
from api.core.printing import cell, flat


@dataclass(frozen=True)
class Table:
    """Columns of equal length.

    Parameters
    ----------
    columns : mapping of str to array (n,)
        Numbers (NaN is an empty cell), texts, `datetime64[s]` in UTC, or objects: of these None is an empty cell.
    metadata : mapping
        Of the whole table: in the schema of Parquet and Arrow, and before the header of CSV as `# name: value`.
    comments : sequence of str
        Further `#` lines of CSV; one entry of the schema in the others.
    """

    columns: Mapping[str, NDArray[Any]]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    comments: Sequence[str] = ()


def table_of(answer: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], *parts: str) -> Table:
    """Return rows of an answer as a table; parts of the answer are its metadata, its warnings its comments.

    Parameters
    ----------
    answer : mapping
        As JSON is made of it.
    rows : sequence of mapping
        Columns come in the order in which rows first have them.
    *parts : str
    """
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: np.array([row.get(name) for row in rows], dtype=object) for name in names}
    metadata = {name: value for name, value in answer.items() if not isinstance(value, Mapping | list)}
    metadata.update(pair for part in parts for pair in flat(answer[part], f"{part}_"))
    return Table(columns, metadata, [f"warning: {one}" for one in answer["warnings"]])


def csv(table: Table) -> bytes:
    """Return a table as CSV: UTF-8, comma, point, line feed; names and texts with a comma or quote are quoted."""
    lines = [f"# {name}: {_text(value)}" for name, value in table.metadata.items()]
    lines += [f"# {' '.join(line.split())}" for line in table.comments]
    lines.append(",".join(map(_quoted, table.columns)))
    lines += map(",".join, zip(*map(_cells, table.columns.values()), strict=True))
    return "\n".join((*lines, "")).encode()


def _cells(values: NDArray[Any]) -> list[str]:
    if values.dtype.kind == "M":
        return [f"{text}Z" for text in np.datetime_as_string(values, unit="s").tolist()]
    return [_printed(value) for value in values.tolist()]


def _printed(value: Any) -> str:
    if isinstance(value, float):
        return "" if value != value else repr(value)
    return "" if value is None else _quoted(str(value))


def _quoted(text: str) -> str:
    text = cell(text)
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if set(text) & set(',"#\n\r') else text


def _text(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else orjson.dumps(value).decode()


def _arrow(table: Table) -> Any:
    import pyarrow as pa

    made = pa.table({name: _arrow_column(pa, values) for name, values in table.columns.items()})
    comments = {"comments": "\n".join(table.comments)} if table.comments else {}
    return made.replace_schema_metadata({**{name: _text(value) for name, value in table.metadata.items()}, **comments})


def _arrow_column(pa: Any, values: NDArray[Any]) -> Any:
    """Return a column; `pa.array` would import pandas, 60 MB, to see whether it is given a data frame."""
    known = None
    if values.dtype.kind in "OU":
        cells = values.tolist()
        known = np.array([value is not None for value in cells])
        if not all(isinstance(value, int | float | None) for value in cells):
            texts = pa.lib.StringBuilder()
            texts.append_values([None if value is None else str(value) for value in cells])
            return texts.finish()
        kinds = ((np.bool_, bool | None), (np.int64, int | None), (np.float64, object))
        kind = next(kind for kind, of in kinds if all(isinstance(value, of) for value in cells))
        values = np.array([value or 0 for value in cells], kind)
    elif values.dtype.kind == "f":
        known = ~np.isnan(values)
    is_time = values.dtype.kind == "M"
    of_type = pa.timestamp("s", "UTC") if is_time else pa.from_numpy_dtype(values.dtype)
    data = values.view(np.int64) if is_time else values
    if data.dtype.kind == "b":  # a bit each, as in `bits`
        data = np.packbits(data, bitorder="little")
    bits = None if known is None else pa.py_buffer(np.packbits(known, bitorder="little"))
    return pa.Array.from_buffers(of_type, len(values), [bits, pa.py_buffer(data)])


def parquet(table: Table) -> bytes:
    """Return a table as Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(_arrow(table), sink, compression="zstd")
    return bytes(sink.getvalue())


def arrow(table: Table) -> bytes:
    """Return a table as an Arrow IPC file."""
    import pyarrow as pa

    made, sink = _arrow(table), pa.BufferOutputStream()
    with pa.ipc.new_file(sink, made.schema) as writer:
        writer.write_table(made)
    return bytes(sink.getvalue())


TABLE_FORMATS: Mapping[str, Format] = {
    "csv": Format("text/csv; charset=utf-8", csv, ".csv"),
    "parquet": Format("application/vnd.apache.parquet", parquet, ".parquet"),
    "arrow": Format("application/vnd.apache.arrow.file", arrow, ".arrow"),
}
"""By the value of `format`; each writes a `Table`."""


def table_formats(table: Callable[[Any], Table]) -> dict[str, Format]:
    """Return JSON, and the formats of answers that become a table."""

    def writing(write: Callable[[Table], bytes]) -> Callable[[Any], bytes]:
        return lambda answer: write(table(answer))

    tables = {value: replace(one, write=writing(one.write)) for value, one in TABLE_FORMATS.items()}
    return {"json": JSON_FORMAT, **tables}
