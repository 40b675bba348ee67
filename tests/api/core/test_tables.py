"""Files of one table: the same columns in each format, units in names, and no pyarrow before it is asked for."""

import io
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from api.core.tables import TABLE_FORMATS, Table

TABLE = Table(
    {
        "timestamp": np.array([0, 3600, 7200], "datetime64[s]"),
        'sør, "a"_W': np.array([1.5, np.nan, 2]),
        "=1+1_W": np.array([0.1, 2.0, 3.0]),
        "source": np.array(["here", "a,b", ""]),
        "hour": np.array([0, 1, 2]),
        "is_forecast": np.array([True, True, None], object),
    },
    {"site": "59.91,10.75", "grid": {"i": 1}},
    ["A comment."],
)


def test_csv_is_read_back_with_metadata_in_comments() -> None:
    text = TABLE_FORMATS["csv"].write(TABLE).decode()
    assert text.splitlines()[:3] == ["# site: 59.91,10.75", '# grid: {"i":1}', "# A comment."]
    frame = pd.read_csv(io.StringIO(text), comment="#")
    assert list(frame) == ["timestamp", 'sør, "a"_W', "'=1+1_W", "source", "hour", "is_forecast"], (
        "no name is a spreadsheet's formula"
    )
    assert frame["timestamp"].tolist() == [f"1970-01-01T0{hour}:00:00Z" for hour in range(3)]
    assert frame["source"].tolist()[:2] == ["here", "a,b"]
    np.testing.assert_array_equal(frame['sør, "a"_W'], [1.5, np.nan, 2])


def test_parquet_and_arrow_hold_the_same_with_types() -> None:
    parquet = pq.read_table(io.BytesIO(TABLE_FORMATS["parquet"].write(TABLE)))
    arrow = pa.ipc.open_file(io.BytesIO(TABLE_FORMATS["arrow"].write(TABLE))).read_all()
    for found in (parquet, arrow):
        assert found.column_names == list(TABLE.columns)
        assert found.schema.metadata[b"grid"] == b'{"i":1}'
        assert found["timestamp"].type.tz == "UTC"
        assert found['sør, "a"_W'].to_pylist() == [1.5, None, 2]
        assert found["source"].to_pylist() == ["here", "a,b", ""]
        assert found["is_forecast"].to_pylist() == [True, True, None]
    assert arrow["timestamp"].to_pylist() == parquet["timestamp"].to_pylist()


def test_pyarrow_is_imported_where_it_is_needed() -> None:
    code = "import api.core.app, sys; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
