"""Excel files, and the process that reads them."""

import io
import os
import threading
import zipfile
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest
import xlsxwriter
import xlwt

from api.plants.reading import excel
from api.plants.reading.read import read
from tests.api.plants.reading.checked import check, refusal, rows_of
from tests.support.hostile_excel import book, old_book, zip_of

DAY = [["Tid", "Produksjon (kWh)", "Status"], *[[datetime(2025, 6, 1, hour), hour / 4, "OK"] for hour in range(24)]]


def made(*cells: tuple[Any, ...], first: str | None = None, hidden: str | None = None) -> bytes:
    """Return an .xlsx with cells of row, column, value and, if any, format."""
    content = io.BytesIO()
    with xlsxwriter.Workbook(content, {"in_memory": True}) as workbook:
        if first:
            workbook.add_worksheet(first)
            workbook.add_chartsheet("Diagram")
        sheet = workbook.add_worksheet("Data")
        for row, column, value, *form in cells:
            write = sheet.write_string if isinstance(value, str) else sheet.write
            write(row, column, value, *[workbook.add_format({"num_format": text}) for text in form])
        if hidden:
            other = workbook.add_worksheet(hidden)
            other.write(0, 0, 1)
            other.hide()
            sheet.activate()
    return content.getvalue()


@pytest.mark.parametrize(("content", "kind"), [(book(), "xlsx"), (old_book(), "xls")])
def test_both_excel_formats_give_the_same_cells(content: bytes, kind: str) -> None:
    workbook = read(content, "export.csv")
    check(workbook)
    assert (workbook.kind, workbook.encoding, workbook.delimiter) == (kind, "", "")
    assert [(sheet.name, sheet.rows, sheet.context) for sheet in workbook.sheets] == [("Data", DAY, {})]


def test_empty_chart_and_hidden_sheets_are_left_out() -> None:
    workbook = read(made((0, 0, "a"), first="Tom", hidden="Skjult"), "")
    assert [sheet.name for sheet in workbook.sheets] == ["Data"]


@pytest.mark.parametrize("rename", [str.upper, lambda name: name.replace("/", "\\")], ids=["capitals", "backslashes"])
def test_parts_may_be_named_as_some_programs_do(rename: Callable[[str], str]) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book())) as old, zipfile.ZipFile(content, "w") as new:
        for name in old.namelist():
            new.writestr(rename(name), old.read(name))
    assert rows_of(content.getvalue()) == DAY


def test_rows_and_columns_count_from_the_first_of_the_sheet() -> None:
    assert rows_of(made((2, 1, "a"), (4, 2, 7))) == [[], [], ["", "a"], [], ["", "", 7.0]]


def test_dates_and_times_are_told_apart() -> None:
    cells = (
        (45809, "dd.mm.yyyy", datetime(2025, 6, 1)),
        (45809.5, "dd.mm.yyyy hh:mm", datetime(2025, 6, 1, 12)),
        (45809 + 299.9999 / 86400, "yyyy-mm-dd hh:mm", datetime(2025, 6, 1, 0, 5)),
        (45809 + 300.0006 / 86400, "yyyy-mm-dd hh:mm:ss.000", datetime(2025, 6, 1, 0, 5)),
        (45809 + 0.25 / 86400, "yyyy-mm-dd hh:mm:ss.000", datetime(2025, 6, 1, 0, 0, 0, 250_000)),
        (0.5, "hh:mm", time(12)),
        (0, "hh:mm", time(0)),
        (1.25, "[h]:mm", timedelta(hours=30)),
        (2958465.5, "yyyy", datetime(9999, 12, 31, 12)),
        (2.5, "0.00", 2.5),
        (2, "0", 2.0),
    )
    content = made(*[(row, 0, value, form) for row, (value, form, _) in enumerate(cells)])
    assert [row[0] for row in rows_of(content)] == [expected for *_, expected in cells]
    assert not [row for row in rows_of(content) if type(row[0]) is date]


def test_formulas_give_the_value_that_was_saved() -> None:
    content = io.BytesIO()
    with xlsxwriter.Workbook(content) as workbook:
        sheet = workbook.add_worksheet()
        for column, (formula, value) in enumerate((("=1+1", 7), ('="a"', "b"), ("=1/0", "#DIV/0!"), ("=TRUE", True))):
            sheet.write_formula(0, column, formula, None, value)
        sheet.write_string(0, 4, "=cmd|' /C calc'!A0")
        sheet.write_string(0, 5, " \xa0x\0 ")
        sheet.write_boolean(0, 6, False)
    (row,) = rows_of(content.getvalue())
    assert row == [7.0, "b", "", "true", "=cmd|' /C calc'!A0", "x", "false"]


def test_a_row_far_down_costs_no_memory() -> None:
    rows = rows_of(made((0, 0, "a"), (999_999, 0, 1)))
    assert (len(rows), rows[1], rows[-1]) == (1_000_000, [], [1.0])
    assert "rader" in refusal(made((0, 0, "a"), (1_000_000, 0, 1)))


def test_columns_have_a_limit() -> None:
    assert len(rows_of(made((0, 9_999, 1)))[0]) == 10_000
    assert "kolonner" in refusal(made((0, 0, 1), (0, 10_000, 1)))


def test_cells_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excel, "MAX_CELLS", 74)
    assert "celler" in refusal(book())
    monkeypatch.setattr(excel, "MAX_CELLS", 75)
    assert rows_of(book()) == DAY


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"xl/workbook.bin": b""}, "xlsb"),
        ({"content.xml": b""}, "OpenDocument"),
        ({"word/document.xml": b""}, "dokument"),
        ({"a.csv": b"1;2"}, "Pakk den ut"),
    ],
)
def test_other_zip_files_are_refused_by_name(parts: dict[str, bytes], sentence: str) -> None:
    assert sentence in refusal(zip_of(parts))


def test_what_unpacks_to_too_much_is_refused_by_its_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(io.BytesIO(book())) as file:
        size, number = sum(entry.file_size for entry in file.infolist()), len(file.infolist())
    for name, limit in (("_UNPACKED", size), ("_ENTRIES", number)):
        with monkeypatch.context() as patch:
            patch.setattr(excel, name, limit)
            assert rows_of(book()) == DAY
            patch.setattr(excel, name, limit - 1)
            assert "pakkes ut" in refusal(book())


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("import time; time.sleep(60)", "for lang tid"),
        ("import sys, time; sys.stdin.buffer.read(); time.sleep(60)", "for lang tid"),
        ('while True: print(\'{"sheet": "a"}\', flush=True)', "celler"),
        ("import os; os.abort()", "skadet"),
        ("import sys; sys.exit(3)", "skadet"),
        ("import sys; sys.stdin.close(); print('{\"sheet\": \"a\"}'); print('[[1,')", "skadet"),
        ("print('{\"sheet\": \"a\"}'); print('[[' + '1,' * 2_000_000 + '1]]')", "celler"),
    ],
    ids=["deaf", "hanging", "without end", "aborting", "ending", "cut off", "too much"],
)
def test_whatever_the_process_does_is_a_sentence(
    script: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = tmp_path / "child.py"
    child.write_text(script)
    monkeypatch.setattr(excel, "_CHILD", child)
    monkeypatch.setattr(excel, "_SECONDS", 1.0 if "sleep" in script else 20.0)
    monkeypatch.setattr(excel, "_OUTPUT", 1_000_000)
    content = book() + bytes(5_000_000 if "sleep" in script else 0)
    children, threads = psutil.Process().children(), threading.active_count()
    assert sentence in refusal_of_child(content)
    assert psutil.Process().children() == children
    assert threading.active_count() == threads


def refusal_of_child(content: bytes) -> str:
    with pytest.raises(Exception, match="Filen kan ikke leses") as caught:
        excel.sheets_of(content)
    return str(caught.value)


def test_the_process_has_neither_environment_nor_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = (
        "import sys, os, orjson, resource\n"
        "files = sorted(os.listdir('/proc/self/fd'))[:-1]\n"
        "print(orjson.dumps({'sheet': repr([dict(os.environ), files])}).decode())\n"
        "print('[[1]]'); print('{\"end\": \"\"}')"
    )
    child = tmp_path / "child.py"
    child.write_text("import sys; sys.path.append(sys.argv[1])\n" + told)
    monkeypatch.setattr(excel, "_CHILD", child)
    monkeypatch.setenv("SOLFLIS_SECRET", "x")
    with (tmp_path / "open").open("w") as other:
        os.set_inheritable(other.fileno(), True)
        name = excel.sheets_of(b"")[0].name
    assert "SOLFLIS" not in name
    assert name.endswith("['0', '1', '2']]")


def test_old_excel_with_a_password_is_told() -> None:
    workbook, content = xlwt.Workbook(), io.BytesIO()
    workbook.add_sheet("a").write(0, 0, 1)
    workbook.save(content)
    assert "passord" in refusal(content.getvalue()[:532] + b"\x2f\0" + content.getvalue()[534:])
