"""JSON files: the tables in them, wherever they are.

| in the file | table |
|---|---|
| `[{"time": "12:00", "ac": {"power": 5}}]` | a column by key, `ac.power` |
| `{"time": ["12:00", "13:00"], "value": [1, 2]}`, `{"time": {"0": "12:00", "1": ...}, ...}` | a column by key |
| `{"2025-06-01 12:00": 1.2}` | `time` and `value`; `key` where keys are plain numbers |
| `[["12:00", 1], ["13:00", 2]]` | its rows; with a list of as many names beside it, these first |
| `{"labels": ["12:00", "13:00"], "series": [{"name": "A", "data": [1, 2]}]}` | `labels` and `A` |
| `[1, 2, 3]` | one column |
| the same columns under several parents, such as meters | one table; what tells the parents apart comes first |

What stands above a table is its context.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import orjson

from api.plants.reading.json_values import are_scalars, cell_of, has_rows, is_scalar, listed, measured
from api.plants.reading.problems import check_size, unreadable
from api.plants.reading.workbook import Cell, Sheet

_DEPTH = 25
_SHEETS = 100
_CONTEXT = 100
_CONTEXT_CHARS = 200
# A list of numbers in a record that makes columns of its own: the quarters of a day that has 25 hours, at most.
_INLINE = 100
# Python's objects for a table, in entries of its context.
_TABLE_COST = 20
_COST = 3_000_000

_NOT_A_NUMBER = re.compile(r"(?<=[:,\[\s])(NaN|-?Infinity)(?=[\s,\]}])")
_STAMP = re.compile(r"\d{4}-?\d\d-?\d\d.{0,30}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}.{0,30}|\d{1,2}[:.]\d\d.{0,10}|\d{1,13}")
_SMALL_NUMBER = re.compile(r"\d{1,7}")


class _Table(NamedTuple):
    name: str
    columns: tuple[str, ...]
    rows: list[list[Cell]]
    context: dict[str, Any]


def sheets_of(text: str) -> tuple[Sheet, ...]:
    """Return the tables of a JSON text, or of one whose lines are JSON.

    Raises
    ------
    ApiError
        `UNREADABLE`.
    """
    tables = _Walk().tables(_loaded(text), "", 0)
    if not tables:
        raise unreadable("json_no_table")
    # A list of numbers is noise where there are tables.
    tables = [table for table in tables if len(table.columns) != 1] or tables
    if len(tables) > _SHEETS:
        tables = sorted(tables, key=lambda table: -len(table.rows))[:_SHEETS]
    check_size(
        sum(len(table.rows) for table in tables), 0, sum(len(table.rows) * len(table.columns) for table in tables)
    )
    return tuple(
        Sheet(
            table.name[:_CONTEXT_CHARS],
            [[*map(cell_of, table.columns)], *table.rows] if table.columns else table.rows,
            {
                str(cell_of(key))[:_CONTEXT_CHARS]: str(cell_of(value, number=str))[:_CONTEXT_CHARS]
                for key, value in table.context.items()
            },
        )
        for table in tables
    )


def _loaded(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if "ecursion" in str(error):
            raise unreadable("json_deep") from None
    try:
        return orjson.loads(_NOT_A_NUMBER.sub("null", text))
    except orjson.JSONDecodeError:
        pass
    lines = [line for line in text.split("\n") if line and not line.isspace()]
    values = []
    for number, line in enumerate(lines):
        try:
            values.append(orjson.loads(_NOT_A_NUMBER.sub("null", line)))
        except orjson.JSONDecodeError:
            if number == 0 or number < len(lines) - 1:  # the last may be cut
                raise unreadable("json_damaged") from None
    return values


class _Walk:
    """Finds tables; counts what they cost, so that a file of tiny ones ends in time."""

    def __init__(self) -> None:
        self._cost = 0

    def tables(self, value: Any, name: str, depth: int) -> list[_Table]:
        if depth > _DEPTH:
            raise unreadable("json_deep")
        if isinstance(value, dict):
            return self._of_object(value, name, depth)
        return self._of_list(value, name, depth) if isinstance(value, list) else []

    def _of_list(self, values: list[Any], name: str, depth: int) -> list[_Table]:
        objects = [value for value in values if isinstance(value, dict)]
        if objects and len(objects) * 2 >= len(values):
            return self._of_records(objects, name, depth)
        lists = [value for value in values if isinstance(value, list)]
        if lists and len(lists) * 2 >= len(values):
            if all(map(are_scalars, lists)):
                width = max(map(len, lists))
                check_size(len(lists), width, sum(map(len, lists)))
                return [self._table(name, (), [list(map(cell_of, row)) for row in lists], {})] if width else []
            return self._joined([table for value in lists for table in self.tables(value, name, depth + 1)], name)
        if len(values) < 2 or not are_scalars(values):
            return []
        check_size(len(values), 1, len(values))
        return [self._table(name, (name.rpartition(".")[2] or "value",), [[cell_of(value)] for value in values], {})]

    def _of_object(self, value: dict[str, Any], name: str, depth: int) -> list[_Table]:
        if value and all(map(_STAMP.fullmatch, value)):
            return self._of_stamps(value, name, depth)
        context: dict[str, Any] = {}
        rest: dict[str, Any] = {}
        for key, inner in value.items():
            (context if is_scalar(inner) else rest)[key] = listed(inner)
        tables = [*self._chart(rest, name), *self._parallel(rest, name), *self._with_head(rest, name)]
        for key, inner in rest.items():
            found = self.tables(inner, f"{name}.{key}" if name else key, depth + 1)
            if not found and isinstance(inner, dict):
                context |= {f"{key}.{own}": cell for own, cell in inner.items() if is_scalar(cell)}
            tables += found
        return self._joined([self._under(context, table) for table in tables], name)

    def _of_stamps(self, value: dict[str, Any], name: str, depth: int) -> list[_Table]:
        check_size(len(value), 0, 0)
        numbers = all(map(_SMALL_NUMBER.fullmatch, value))
        head, keys = ("key", map(int, value)) if numbers else ("time", value)
        if are_scalars(value.values()):
            rows = [[cell_of(key), cell_of(inner)] for key, inner in zip(keys, value.values(), strict=True)]
            return [self._table(name, (head, "value"), rows, {})]
        records = [
            {head: key, **(inner if isinstance(inner, dict) else {"value": inner})}
            for key, inner in zip(keys, value.values(), strict=True)
        ]
        return self._of_records(records, name, depth)

    def _chart(self, rest: dict[str, Any], name: str) -> Iterable[_Table]:
        """Take series that have a list of as many labels beside them out of an object's members."""
        lists = {key: inner for key, inner in rest.items() if isinstance(inner, list) and len(inner) > 1}
        labels = {key: inner for key, inner in lists.items() if are_scalars(inner)}
        if len(labels) != 1 or len(lists) != 2:
            return
        ((head, first),) = labels.items()
        ((key, series),) = ((key, inner) for key, inner in lists.items() if key != head)
        columns: dict[str, list[Any]] = {head: first}
        for number, one in enumerate(series):
            values = one.values() if isinstance(one, dict) else ()
            found = [value for value in values if isinstance(value, list) and len(value) == len(first)]
            if len(found) != 1 or not are_scalars(found[0]):
                return
            text = next((value for value in values if isinstance(value, str)), "")
            columns[text if text and text not in columns else f"{key}.{number}"] = found[0]
        del rest[head], rest[key]
        yield self._of_columns(columns, name)

    def _of_columns(self, columns: dict[str, list[Any]], name: str) -> _Table:
        length = len(next(iter(columns.values())))
        check_size(length, len(columns), length * len(columns))
        return self._table(
            name, tuple(columns), [list(map(cell_of, row)) for row in zip(*columns.values(), strict=True)], {}
        )

    def _parallel(self, rest: dict[str, Any], name: str) -> Iterable[_Table]:
        """Take lists of one length out of an object's members."""
        lists = {key: inner for key, inner in rest.items() if isinstance(inner, list) and are_scalars(inner)}
        lengths = Counter(length for inner in lists.values() if (length := len(inner)) > 1)
        if not lengths or (most := max(lengths.items(), key=lambda item: (item[1], item[0])))[1] < 2:
            return
        yield self._of_columns({key: rest.pop(key) for key, inner in lists.items() if len(inner) == most[0]}, name)

    def _with_head(self, rest: dict[str, Any], name: str) -> Iterable[_Table]:
        """Take lists of rows that have a list of names beside them out of an object's members."""
        for key, head in list(rest.items()):
            if not (isinstance(head, list) and head and all(isinstance(cell, str) for cell in head)):
                continue
            for other, inner in list(rest.items()):
                if (
                    isinstance(inner, list)
                    and inner
                    and all(isinstance(row, list) and len(row) == len(head) and are_scalars(row) for row in inner)
                ):
                    del rest[other]
                    rest.pop(key, None)
                    index = rest.pop("index", None)  # as pandas splits tables
                    if isinstance(index, list) and len(index) == len(inner) and are_scalars(index):
                        head, inner = ["index", *head], [[one, *row] for one, row in zip(index, inner, strict=True)]
                    check_size(len(inner), len(head), len(inner) * len(head))
                    yield self._table(
                        f"{name}.{other}" if name else other,
                        tuple(head),
                        [list(map(cell_of, row)) for row in inner],
                        {},
                    )

    def _of_records(self, records: list[dict[str, Any]], name: str, depth: int) -> list[_Table]:
        check_size(len(records), 0, 0)
        flat: list[dict[str, Any]] = []
        tables: list[list[_Table]] = []
        for record in records:
            cells: dict[str, Any] = {}
            nested: dict[str, Any] = {}
            self._flatten(record, "", cells, nested, depth)
            flat.append(cells)
            tables.append(self.tables(nested, name, depth + 1) if nested else [])
        own = measured(flat) if any(tables) else set()
        inner = [
            self._under({key: cell for key, cell in cells.items() if key not in own}, table)
            for cells, found in zip(flat, tables, strict=True)
            for table in found
        ]
        columns = tuple(dict.fromkeys(key for cells in flat for key in cells))
        if not columns or (inner and not own):
            return self._joined(inner, name)
        check_size(len(flat), len(columns), len(flat) * len(columns))
        rows = [[cell_of(cells.get(key)) for key in columns] for cells in flat]
        return [*self._joined(inner, name), self._table(name, columns, rows, {})]

    def _flatten(
        self, record: dict[str, Any], above: str, cells: dict[str, Any], nested: dict[str, Any], depth: int
    ) -> None:
        """Divide a record into what is its own and what may hold tables."""
        if depth > _DEPTH:
            raise unreadable("json_deep")
        for key, inner in record.items():
            path = above + key
            if is_scalar(inner):
                cells[path] = inner
            elif isinstance(inner, dict):
                if inner and all(map(_STAMP.fullmatch, inner)):
                    nested[path] = inner
                else:
                    self._flatten(inner, f"{path}.", cells, nested, depth + 1)
            elif len(inner) <= _INLINE and are_scalars(inner) and not any(map(has_rows, record.values())):
                cells |= {f"{path}.{number}": cell for number, cell in enumerate(inner)}
            else:
                nested[path] = inner

    def _table(self, name: str, columns: tuple[str, ...], rows: list[list[Cell]], context: dict[str, Any]) -> _Table:
        self._cost += _TABLE_COST + len(context)
        if self._cost > _COST:
            raise unreadable("many_cells")
        return _Table(name, columns, rows, context)

    def _under(self, context: Mapping[str, Any], table: _Table) -> _Table:
        """Return a table with the context of what is above it; the nearest wins."""
        both = {**dict(list(context.items())[:_CONTEXT]), **table.context}
        return self._table(table.name, table.columns, table.rows, both)

    def _joined(self, tables: list[_Table], name: str) -> list[_Table]:
        """Join tables of the same columns; what tells them apart becomes columns before theirs."""
        groups: dict[tuple[str, ...], list[_Table]] = {}
        for table in tables:
            groups.setdefault(table.columns, []).append(table)
        return [group[0] if len(group) == 1 else self._one(group, name) for group in groups.values()]

    def _one(self, group: list[_Table], name: str) -> _Table:
        names = {table.name for table in group}
        if len(names) > 1:
            cut = len(name) + 1 if name else 0
            group = [
                self._under({}, table._replace(context={"series": table.name[cut:], **table.context}))
                for table in group
            ]
        keys = dict.fromkeys(key for table in group for key in table.context)
        labels = [key for key in keys if len({cell_of(table.context.get(key)) for table in group}) > 1]
        rows = sum(len(table.rows) for table in group)
        check_size(rows, 0, rows * (len(labels) + 1))
        joined: list[list[Cell]] = []
        for table in group:
            before = [cell_of(table.context.get(key)) for key in labels]
            joined += [before + row for row in table.rows]
        heads = tuple(f"parent.{key}" if key in group[0].columns else key for key in labels)
        context = {key: value for key, value in group[0].context.items() if key not in labels}
        columns = heads + group[0].columns if group[0].columns else ()
        return self._table(names.pop() if len(names) == 1 else name, columns, joined, context)
