"""`parquet`: the columns of `csv` as Parquet, with what `json` says of the year in the schema."""

from api.tmy.formats.common.metadata import table_format

FORMAT = table_format("parquet")
