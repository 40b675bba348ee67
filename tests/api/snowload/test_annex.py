"""The operator's table of the national annex: how it is read, and what is said of faults. All rows are invented."""

from pathlib import Path

import pytest

from api.core.settings import Settings, SettingsError
from api.snowload.annex import LARGEST_BYTES, AnnexTable, Entry, read_annex

HEADER = "kommunenummer,kommune_1990,sk0,Hg,dsk,skmax,source"
VIK = "5699,Eksempelvik,1.5,100,0.5,4.0,invented"
DAL = "5699,Påfunndal,2,250.5,0,2,invented"
NES = "0399,Tenktnes,20,0,5,30,elsewhere"
VIK_READ = Entry(5699, "Eksempelvik", 1.5, 100.0, 0.5, 4.0, "invented")
DAL_READ = Entry(5699, "Påfunndal", 2.0, 250.5, 0.0, 2.0, "invented")
NES_READ = Entry(399, "Tenktnes", 20.0, 0.0, 5.0, 30.0, "elsewhere")


def read(folder: Path, *lines: str, end: str = "\n") -> AnnexTable:
    file = folder / "table.csv"
    file.write_bytes(end.join(lines).encode())
    return read_annex(file)


def refusal(file: Path) -> str:
    """Return what is wrong with a file, behind its name."""
    with pytest.raises(SettingsError) as error:
        read_annex(file)
    assert str(error.value).startswith(f"{file}: ")
    assert str(error.value).isprintable(), "one line"
    return str(error.value).removeprefix(f"{file}: ")


def test_rows_are_ordered_by_todays_number_and_as_in_the_file(tmp_path: Path) -> None:
    assert read(tmp_path, HEADER, VIK, NES, DAL).entries == {5699: (VIK_READ, DAL_READ), 399: (NES_READ,)}


@pytest.mark.parametrize(
    "lines",
    [
        [f"\ufeff{HEADER}", VIK],
        ["", HEADER, "", " , ,,,,, ", VIK, ""],
        ["KOMMUNENUMMER, Kommune_1990 ,SK0,hg,dsk,skmax,source", " 5699 ,  Eksempelvik,1.50,0100,0.5,4, invented "],
        ["source,skmax,dsk,Hg,sk0,kommune_1990,kommunenummer", "invented,4,0.5,100,1.5,Eksempelvik,5699"],
        [f"fylke,{HEADER},remark", f"Tenkt,{VIK},ours"],
        [HEADER.replace(",", ";"), "5699;Eksempelvik;1,5;100;0,5;4,0;invented"],
        [f'"{HEADER}"'.replace(",", '","'), f'"{VIK}"'.replace(",", '","')],
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_ways_to_write_the_same(tmp_path: Path, lines: list[str], end: str) -> None:
    assert read(tmp_path, *lines, end=end).entries == {5699: (VIK_READ,)}


def test_a_number_that_lost_its_0_and_text_with_separators(tmp_path: Path) -> None:
    table = read(tmp_path, HEADER, '399,"Nes, indre",1,0,0,1,"a ""book"", page 1"')
    assert table.entries[399] == (Entry(399, "Nes, indre", 1.0, 0.0, 0.0, 1.0, 'a "book", page 1'),)


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (VIK.replace("5699", "300"), "kommunenummer is '300': expected a number from 0301 to 5699"),
        (VIK.replace("5699", "٥٦٩٩"), "kommunenummer is '٥٦٩٩': expected a number from"),
        (VIK.replace("1.5", "0"), "sk0 is '0': expected a number from 0.01 to 20"),
        (VIK.replace("1.5", "20.1"), "sk0 is '20.1': expected a number from 0.01 to 20, with a decimal point"),
        (VIK.replace("1.5", "1e0"), "sk0 is '1e0': expected"),
        (VIK.replace("1.5", '"1,5"'), "sk0 is '1,5': expected a number from 0.01 to 20, with a decimal point"),
        (VIK.replace("100", "2501"), "Hg is '2501': expected a number from 0 to 2500"),
        (VIK.replace("4.0", "1.49"), "skmax is '1.49': expected no less than sk0, which is 1.5"),
        (VIK.replace("Eksempelvik", " "), "kommune_1990 is '': expected 1 to 200 characters of text"),
        (VIK.replace("Eksempelvik", "a\x1bb"), "kommune_1990 is 'a?b': expected"),
        (VIK.replace("1.5", "1,5"), "has 8 columns, the header 7: expected as many, separated by ','"),
        ('5699,"Eksempelvik,1.5', "is not CSV: "),
        (NES.replace("Tenktnes,20", " TENKTNES ,19"), "0399 with 'TENKTNES' is on an earlier line: expected each pair"),
    ],
)
def test_a_fault_is_named_with_its_line_and_what_is_expected(tmp_path: Path, row: str, fault: str) -> None:
    (tmp_path / "table.csv").write_text("\n".join((HEADER, "", NES, row)))
    assert refusal(tmp_path / "table.csv").startswith(f"line 4: {fault}")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "is empty: expected a header with the columns kommunenummer, kommune_1990, sk0, Hg, dsk, skmax, source"),
        (HEADER.encode(), "holds no row: expected at least one under the header"),
        (VIK.encode(), "line 1: expected a header with the columns kommunenummer, kommune_1990"),
        (HEADER.replace("dsk,", "").encode(), "line 1: expected a header"),
        (f"{HEADER}\n{VIK}".replace(",", ";").encode(), "line 2: sk0 is '1.5': expected a number from 0.01 to 20"),
        (HEADER.encode() + b"\n5699,\xd8rland,1,0,0,1,x", "is not text in UTF-8"),
        (b"x" * (LARGEST_BYTES + 1), "is larger than 1000 kB: expected the table"),
        (b"x" * 200_000, "line 1: is not CSV: "),
    ],
)  # fmt: skip
def test_a_file_that_is_no_table(tmp_path: Path, content: bytes, fault: str) -> None:
    (tmp_path / "table.csv").write_bytes(content)
    assert refusal(tmp_path / "table.csv").startswith(fault)


def test_a_file_that_is_not_there_is_refused_and_none_is_an_empty_table(tmp_path: Path) -> None:
    assert read_annex(None) == AnnexTable({}, "")
    assert refusal(tmp_path / "none.csv") == "cannot be read: No such file or directory"


def test_the_manuals_example_can_be_used() -> None:
    assert Settings.from_environment({"SOLFLIS_SNOWLOAD_TABLE": "a/b.csv"}).snowload_table == Path("a/b.csv")
    readme = (Path(__file__).resolve().parents[3] / "infra" / "README.md").read_text(encoding="utf-8")
    assert f"```\n{HEADER}\n{VIK}\n```" in readme
