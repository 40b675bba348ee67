"""Encodings, delimiters, line ends and quotation marks of text files."""

import codecs
import csv
import gc
import io
from itertools import product

import pytest

from api.plants.reading.read import read
from tests.api.plants.reading.checked import check, refusal, rows_of

HEAD = ["Måned og år", "Produksjon (kWh)", "Mengde på øvre felt", "Merknad"]
DATA = [
    [f"0{day}.06.2025 {hour:02}:00", f"1 2{hour:02},5", f"{day},{hour}", "OK"] for day in (1, 2) for hour in range(24)
]
ENCODINGS = {
    "utf-8": "utf-8",
    "utf-8-sig": "utf-8-sig",
    "cp1252": "cp1252",
    "cp850": "cp850",
    "mac_roman": "mac_roman",
    "utf-16": "utf-16",
    "utf-16-le": "utf-16-le",
    "utf-16-be": "utf-16-be",
    "utf-32": "utf-32",
}


def text_of(delimiter: str, end: str, rows: list[list[str]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator=end).writerows(rows)
    return text.getvalue()


@pytest.mark.parametrize(("encoding", "delimiter"), list(product(ENCODINGS, ";,\t|")))
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"], ids=["lf", "crlf", "cr", "crcrlf"])
def test_encodings_delimiters_and_line_ends_give_the_same_rows(encoding: str, delimiter: str, end: str) -> None:
    workbook = read(text_of(delimiter, end, [HEAD, *DATA]).encode(encoding), "a.csv")
    assert (workbook.kind, workbook.encoding, workbook.delimiter) == ("csv", ENCODINGS[encoding], delimiter)
    assert workbook.sheets[0].rows == [HEAD, *DATA]
    check(workbook)


def test_big_endian_utf16_with_mark_is_read() -> None:
    assert rows_of(codecs.BOM_UTF16_BE + text_of(";", "\n", DATA).encode("utf-16-be")) == DATA


def test_a_damaged_letter_does_not_garble_the_others() -> None:
    content = text_of(";", "\n", [HEAD, *DATA]).encode().replace("Mengde på".encode(), b"Mengde p\xc3")
    assert rows_of(content)[0][:2] == HEAD[:2]


def test_euro_and_quotation_marks_of_windows_stay() -> None:
    head = ["Pris (€/kWh)", "l’énergie – „Wort“ ×2 ²°"]
    assert rows_of(text_of(";", "\n", [head, *[["1", "2"]] * 9]).encode("cp1252"))[0] == head


def test_title_and_unit_rows_do_not_change_the_delimiter() -> None:
    top = "Anlegg: Solveien 1, 0123 Oslo\nEksport, laget 01.06.2025, kl. 12\n\n"
    rows = rows_of((top + text_of(";", "\n", DATA)).encode())
    assert rows[:4] == [["Anlegg: Solveien 1, 0123 Oslo"], ["Eksport, laget 01.06.2025, kl. 12"], [], DATA[0]]


@pytest.mark.parametrize("delimiter", ";\t|")
def test_decimal_commas_are_no_delimiters(delimiter: str) -> None:
    content = "\n".join(delimiter.join(["01.06.2025 12:00", "1,5", "2,5"][: 2 + line % 2]) for line in range(99))
    assert read(content.encode(), "").delimiter == delimiter


def test_semicolons_in_a_text_column_are_no_delimiters() -> None:
    content = "\n".join(f"2025-06-{day:02},1.5,2.5,OK;OK" for day in range(1, 31))
    assert read(content.encode(), "").delimiter == ","


def test_blanks_are_no_delimiters() -> None:
    assert rows_of(b"2025-06-01 12:00\n2025-06-01 13:00\n") == [["2025-06-01 12:00"], ["2025-06-01 13:00"]]


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "SEP=;", "sep=:"])
def test_sep_line_is_no_row(line: str) -> None:
    assert rows_of(f"{line}\r\na;1,5\r\nb;2,5\r\n".encode()) == [["a", "1,5"], ["b", "2,5"]]


def test_sep_line_settles_what_columns_leave_open() -> None:
    assert rows_of(b"sep=,\n1;5,2;5\n3;5,4;5\n") == [["1;5", "2;5"], ["3;5", "4;5"]]


def test_cells_are_unwrapped_and_stripped() -> None:
    content = '="123"; 1 \xa0;"\t x";="a";\0=1+1\n=""; ;;"=""7""";=SUM(A1)\n'.encode()
    assert rows_of(content) == [["123", "1", "x", "a", "=1+1"], ["", "", "", "7", "=SUM(A1)"]]


def test_thousands_and_signs_stay_text() -> None:
    assert rows_of("1 234,5;+3\n1\xa0234,5;−3\n".encode()) == [["1 234,5", "+3"], ["1\xa0234,5", "−3"]]


def test_nul_bytes_are_left_out() -> None:
    assert rows_of(b"a;b\0\n1;2\n\0\0\0\0") == [["a", "b"], ["1", "2"]]


def test_quoted_cells_hold_delimiters_quotes_and_lines() -> None:
    content = b'"Energi\n[kWh]","a ""b"" c"\n"1,5","2"\n'
    assert rows_of(content) == [["Energi\n[kWh]", 'a "b" c'], ["1,5", "2"]]


@pytest.mark.parametrize("where", [0, 1, 300, 998])
def test_a_stray_quotation_mark_swallows_no_rows(where: int) -> None:
    lines = [f'"{number}";"1,5";OK' for number in range(1000)]
    lines[where] = lines[where].replace("OK", '"OK')
    rows = rows_of("\n".join(lines).encode())
    assert [row[:2] for row in rows] == [[str(number), "1,5"] for number in range(1000)]


def test_lines_quoted_as_a_whole_are_divided() -> None:
    lines = [f'"2025-06-{day:02},1.5,""OK, {day}"""' for day in range(1, 31)]
    assert rows_of("\n".join(lines).encode())[4] == ["2025-06-05", "1.5", "OK, 5"]


def test_blanks_before_quotes_are_left_out() -> None:
    assert rows_of(b'"a", "b,c", 1\n"d", "e,f", 2\n') == [["a", "b,c", "1"], ["d", "e,f", "2"]]


def test_blank_rows_stay_but_for_the_last() -> None:
    assert rows_of(b"a;b\n\n1;2\n;\n\n;;\n") == [["a", "b"], [], ["1", "2"]]


def test_zeros_are_content() -> None:
    assert rows_of(b'[{"a": 0}]') == [["a"], [0.0]]


@pytest.mark.parametrize("name", ["a.xlsx", "a.json", "a.pdf", "", "../../a\0"])
def test_the_kind_of_file_goes_by_its_content(name: str) -> None:
    assert read(b"a;b\n1;2\n", name).kind == "csv"


def test_sections_in_brackets_are_no_json() -> None:
    assert rows_of(b"[wechselrichter]\nDatum;kWh\n01.06.2025;1,5\n")[0] == ["[wechselrichter]"]


def test_refusals_say_what_to_send() -> None:
    assert refusal(b"%PDF-1.4 ...").startswith("Filen kan ikke leses: den er en PDF. Last ned")
    assert "tom" in refusal(b"\r\n \t")
    assert "innhold" in refusal(b";;;\n;;;\n")
    assert "nettside" in refusal(b"<table><tr><td>1</td></tr></table>")
    assert "10 MB" in refusal(b"1;2\n" * 2_700_000)
    assert "rader" in refusal(b"1;2\n" * 1_000_001)
    assert "10 000 kolonner" in refusal(b"1;" * 10_000 + b"1\n")
    assert "celler" in refusal(b"1" + b";" * 9999 + b"\n" + (b";" * 9999 + b"\n") * 510)


def test_garbage_is_collected_again_after_a_refusal() -> None:
    refusal(b"x" * 200_000)
    assert gc.isenabled()


def test_limits_themselves_are_read() -> None:
    assert len(rows_of(b"1;2\n" * 1_000_000)) == 1_000_000
    assert len(rows_of(b"1;" * 9999 + b"1\n" + b"2;3\n")[0]) == 10_000


def test_delimiters_alone_are_no_table() -> None:
    assert "innhold" in refusal(b",,,\n,,,\n,,,\n")
