"""Files made to harm: each is a workbook or a sentence, within seconds and memory, and nothing is written."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from api.core.errors import ApiError
from api.plants.reading.read import read
from tests.api.plants.reading.checked import check, refusal
from tests.support.bounded_reading import read_file, read_hostile
from tests.support.hostile_files import FILE_NAMES, FILES, fuzzed

# Reading waits at most 20 s for the process of an Excel file; the rest is for a busy machine.
SECONDS, MEMORY_MB = 30.0, 600.0
READ = {
    *("many_unbalanced_quotes", "csv_ragged_to_9999_columns", "utf7", "lone_surrogates_utf8", "lone_surrogates_utf16"),
    *("utf16_odd_length", "nul_between", "formulas", "huge_numbers", "dates_9999", "paths_in_cells", "sep_of_nothing"),
    *("random_letters", "json_levels_of_tables", "json_nan", "json_huge_numbers", "json_million_keys"),
    *("json_million_stamps", "json_long_text"),
    *("zip_names_with_paths", "zip_name_with_nul", "xlsx_dimension_lies", "xlsx_numbers", "xlsx_macro"),
    *("xlsx_external_links", "xlsx_formulas", "xlsx_dates_9999", "xlsx_1000_sheets"),
}
"""Those with rows; the others are refused."""
SENTENCES = {
    "empty": "tom",
    "csv_100k_columns": "kolonner",
    "csv_1m_rows": "rader",
    "pdf": "PDF",
    "png": "bilde",
    "html_as_xls": "nettside",
    "gzip": "pakket",
    "program": "program",
    "zip_bomb": "pakkes ut",
    "encrypted_package": "passord",
    "xls_encrypted": "passord",
    "xlsb": "xlsb",
    "ods": "OpenDocument",
    "json_lists_without_end": "skadet",
    "json_500_levels": "nivåer",
}


@pytest.fixture(scope="module")
def process() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        yield pool


@pytest.mark.parametrize("name", FILES)
def test_hostile_files_cost_little_and_write_nothing(name: str, process: ProcessPoolExecutor) -> None:
    took = process.submit(read_hostile, name).result()
    assert (took.outcome != "UNREADABLE") == (name in READ), took
    assert SENTENCES.get(name, "") in took.sentence
    assert took.seconds < SECONDS
    assert took.peak_mb < MEMORY_MB
    assert took.child_peak_mb < MEMORY_MB
    assert took.written == []


@pytest.mark.parametrize("file_name", FILE_NAMES, ids=range(len(FILE_NAMES)))
def test_names_of_files_lead_nowhere(file_name: str, process: ProcessPoolExecutor) -> None:
    took = process.submit(read_file, b"a;b\n1;2\n", file_name).result()
    assert (took.outcome, took.written) == ("csv", [])


def test_hostile_cells_stay_text() -> None:
    (sheet,) = read(FILES["formulas"](), "").sheets
    assert sheet.rows[1] == ["=cmd|' /C calc'!A0", "+1+1"]
    (sheet,) = read(FILES["xlsx_formulas"](), "").sheets
    assert [row[5] for row in sheet.rows[:5] if len(row) > 5] == ["cached", 1.0, 2.0, "=1+1"]


def read_all(n: int, seed: int, excel_share: float) -> Counter[str]:
    """Read mutations; return how many ended how."""
    ends: Counter[str] = Counter()
    for name, content in fuzzed(n, seed, excel_share):
        try:
            workbook = read(content, name)
        except ApiError:
            assert refusal(content, name), name
            ends["refused"] += 1
        else:
            check(workbook)
            ends[workbook.kind] += 1
    return ends


def test_mutations_are_read_or_refused() -> None:
    ends = read_all(300, 1, 0.1)
    assert ends["csv"] > 50
    assert ends["json"] > 20
    assert ends["refused"] > 20


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(10, 14))
def test_five_thousand_mutations_are_read_or_refused(seed: int) -> None:
    assert read_all(5000, seed, 0.1)["xlsx"] > 20
