"""`arrow`: the columns of `csv` as Arrow IPC, with what `json` says of the year in the schema."""

from api.tmy.formats.common.metadata import table_format

FORMAT = table_format("arrow")
