"""The operator's table of the national annex: how it is read, and what is said of faults. All rows are invented."""

from pathlib import Path

import pytest

from api.settings import Settings
from api.snowload.annex import LARGEST_BYTES, AnnexError, AnnexTable, Entry, read_annex

HEADER = "kommunenummer,kommune_1990,sk0,Hg,dsk,skmax,source"
VIK = "5699,Eksempelvik,1.5,100,0.5,4.0,invented"
DAL = "5699,Påfunndal,2,250.5,0,2,invented"
NES = "0399,Tenktnes,20,0,5,30,elsewhere"
VIK_READ = Entry(5699, "Eksempelvik", 1.5, 100.0, 0.5, 4.0, "invented")
DAL_READ = Entry(5699, "Påfunndal", 2.0, 250.5, 0.0, 2.0, "invented")
NES_READ = Entry(399, "Tenktnes", 20.0, 0.0, 5.0, 30.0, "elsewhere")


def read(folder: Path, *lines: str | bytes, between: str = "\n") -> AnnexTable:
    file = folder / "table.csv"
    file.write_bytes(between.encode().join(line.encode() if isinstance(line, str) else line for line in lines))
    return read_annex(file)


def refused(folder: Path, *lines: str | bytes) -> str:
    """Return what is wrong with a file, behind its name."""
    with pytest.raises(AnnexError) as error:
        read(folder, *lines)
    text = str(error.value)
    assert text.startswith(f"{folder / 'table.csv'}: ")
    assert text.isprintable(), "one line"
    return text.removeprefix(f"{folder / 'table.csv'}: ")


def test_without_a_file_there_are_no_rows_and_no_version() -> None:
    assert read_annex(None) == AnnexTable({}, "")


def test_rows_are_kept_by_todays_number_in_the_files_order(tmp_path: Path) -> None:
    table = read(tmp_path, HEADER, VIK, NES, DAL)
    assert table.entries == {5699: (VIK_READ, DAL_READ), 399: (NES_READ,)}


@pytest.mark.parametrize(
    "lines",
    [
        [b"\xef\xbb\xbf" + HEADER.encode(), VIK],
        ["", HEADER, "", " , ,,,,, ", VIK, ""],
        ["KOMMUNENUMMER, Kommune_1990 ,SK0,hg,dsk,skmax,source", " 5699 ,  Eksempelvik,1.50,0100,0.5,4, invented "],
        ["source,skmax,dsk,Hg,sk0,kommune_1990,kommunenummer", "invented,4,0.5,100,1.5,Eksempelvik,5699"],
        [f"fylke,{HEADER},remark", f"Tenkt,{VIK},ours"],
        [HEADER.replace(",", ";"), "5699;Eksempelvik;1,5;100;0,5;4,0;invented"],
        ['"kommunenummer","kommune_1990","sk0","Hg","dsk","skmax","source"',
         '"5699","Eksempelvik","1.5","100","0.5","4.0","invented"'],
    ],
)  # fmt: skip
@pytest.mark.parametrize("between", ["\n", "\r\n"])
def test_ways_to_write_the_same(tmp_path: Path, lines: list[str | bytes], between: str) -> None:
    assert read(tmp_path, *lines, between=between).entries == {5699: (VIK_READ,)}


def test_a_number_that_lost_its_0_and_text_with_what_separates(tmp_path: Path) -> None:
    table = read(tmp_path, HEADER, '399,"Nes, indre",1,0,0,1,"a ""book"", page 1"')
    assert table.entries[399] == (Entry(399, "Nes, indre", 1.0, 0.0, 0.0, 1.0, 'a "book", page 1'),)


def test_the_version_is_the_contents(tmp_path: Path) -> None:
    one, same, other = (read(tmp_path, HEADER, row).version for row in (VIK, VIK, VIK.replace("1.5", "1.6")))
    assert one == same != other
    assert len(one) == 16


@pytest.mark.parametrize(
    ("row", "what"),
    [
        (VIK.replace("5699", "300"), "kommunenummer is '300': expected a number from 0301 to 5699"),
        (VIK.replace("5699", "5700"), "kommunenummer is '5700': expected a number from 0301 to 5699"),
        (VIK.replace("5699", "0x12"), "kommunenummer is '0x12': expected a number from"),
        (VIK.replace("5699", "٥٦٩٩"), "kommunenummer is '٥٦٩٩': expected a number from"),
        (VIK.replace("1.5", "0"), "sk0 is '0': expected a number of kN/m2 above 0"),
        (VIK.replace("1.5", "20.1"), "sk0 is '20.1': expected a number from 0 to 20, with a decimal point"),
        (VIK.replace("1.5", "nan"), "sk0 is 'nan': expected"),
        (VIK.replace("1.5", "1e0"), "sk0 is '1e0': expected"),
        (VIK.replace("1.5", '"1,5"'), "sk0 is '1,5': expected a number from 0 to 20, with a decimal point"),
        (VIK.replace("100", "2501"), "Hg is '2501': expected a number from 0 to 2500"),
        (VIK.replace("100", "-1"), "Hg is '-1': expected a number from 0 to 2500"),
        (VIK.replace("100", ""), "Hg is '': expected"),
        (VIK.replace("0.5", "5.01"), "dsk is '5.01': expected a number from 0 to 5"),
        (VIK.replace("4.0", "1.49"), "skmax is '1.49': expected a number from 1.5 to 30, with a decimal point (sk0 is"),
        (VIK.replace("4.0", "30.1"), "skmax is '30.1': expected a number from 1.5 to 30"),
        (VIK.replace("Eksempelvik", " "), "kommune_1990 is '': expected 1 to 200 characters of text"),
        (VIK.replace("Eksempelvik", "x" * 201), f"kommune_1990 is '{'x' * 30}': expected 1 to 200"),
        (VIK.replace("Eksempelvik", "a\x1bb"), "kommune_1990 is 'a?b': expected"),
        (VIK.replace("invented", ""), "source is '': expected"),
        (VIK.replace("1.5", "1,5"), "has 8 columns, the header 7: expected as many, separated by ','"),
        ("5699,Eksempelvik", "has 2 columns, the header 7: expected as many"),
        ('5699,"Eksempelvik,1.5', "is not CSV: "),
    ],
)
def test_a_fault_is_named_with_its_line_and_what_is_expected(tmp_path: Path, row: str, what: str) -> None:
    assert refused(tmp_path, HEADER, "", NES, row).startswith(f"line 4: {what}")


def test_with_semicolons_a_number_has_a_comma(tmp_path: Path) -> None:
    rows = HEADER.replace(",", ";"), VIK.replace(",", ";")
    assert refused(tmp_path, *rows) == "line 2: sk0 is '1.5': expected a number from 0 to 20, with a decimal comma"


@pytest.mark.parametrize("again", [VIK, VIK.replace("Eksempelvik,1.5", " EKSEMPELVIK ,1.6")])
def test_the_same_pair_twice(tmp_path: Path, again: str) -> None:
    assert refused(tmp_path, HEADER, VIK, NES, again).endswith("is on line 2 already: expected each pair once")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "is empty: expected a header with the columns kommunenummer, kommune_1990, sk0, Hg, dsk, skmax, source"),
        (HEADER.encode(), "holds no row: expected at least one under the header"),
        (VIK.encode(), "line 1: expected a header with the columns kommunenummer, kommune_1990"),
        (HEADER.replace("dsk,", "").encode(), "line 1: expected a header"),
        (f"{HEADER},dsk".encode(), "line 1: expected a header"),
        (HEADER.encode() + b"\n5699,\xd8rland,1,0,0,1,x", "is not text in UTF-8"),
        (HEADER.encode("utf-16"), "is not text in UTF-8"),
        (b"x" * (LARGEST_BYTES + 1), "is larger than 1000 kB: expected the table"),
        (b"x" * 200_000, "line 1: is not CSV: "),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, content: bytes, what: str) -> None:
    assert refused(tmp_path, content).startswith(what)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(AnnexError, match=r"none\.csv: cannot be read: No such file"):
        read_annex(tmp_path / "none.csv")
    with pytest.raises(AnnexError, match="cannot be read: Is a directory"):
        read_annex(tmp_path)


def test_the_setting() -> None:
    assert Settings.from_environment({}).snowload_table is None
    assert Settings.from_environment({"SOLFLIS_SNOWLOAD_TABLE": " "}).snowload_table is None
    assert Settings.from_environment({"SOLFLIS_SNOWLOAD_TABLE": "a/b.csv"}).snowload_table == Path("a/b.csv")
    # what the manual shows can be used
    readme = (Path(__file__).resolve().parents[3] / "infra" / "README.md").read_text(encoding="utf-8")
    assert f"```\n{HEADER}\n{VIK}\n```" in readme
