"""What formats say of themselves, and what every file says of its origin."""

import re
import subprocess
import sys
from datetime import date

import numpy as np
import pytest

from api.core.printing import plain
from api.tmy.formats.common.words import name_of
from api.tmy.formats.registry import FORMATS, NAMES
from api.tmy.licence import Licence
from api.tmy.schemas import formats_in_words
from api.tmy.year import QUANTITIES, TypicalYear
from tests.support.typical_year import typical_year

ALIASES = {
    "pvsyst": "tool_a",
    "pvsol": "tool_b",
    "pvgis": "tool_c",
    "sam": "tool_d",
    "solargis": "tool_e",
    "solaranywhere": "tool_f",
    "meteonorm": "tool_g",
}
EXTENSIONS = {
    **dict.fromkeys(("csv", "tmy3", "tool_a", "tool_c", "tool_d", "tool_e", "tool_f", "custom", "measurement"), ".csv"),
    **dict.fromkeys(("tool_b", "tool_g"), ".dat"),
    "json": ".json",
    "parquet": ".parquet",
    "arrow": ".arrow",
    "epw": ".epw",
    "tool_h": ".xml",
    "wbv": ".wbv",
}
WITHOUT_WORDS = {"csv", "custom", "measurement"}
"""One row of names and no header block, which would break readers; `measurement` has a flag in each row."""
TABLES = {"parquet", "arrow"}
EACH = pytest.mark.parametrize("value", FORMATS)
TEXT = pytest.mark.parametrize("value", sorted(set(FORMATS) - TABLES))
SAID = pytest.mark.parametrize("value", sorted(set(FORMATS) - WITHOUT_WORDS - TABLES))


def head_and_foot(value: str, year: TypicalYear) -> str:
    text = FORMATS[value].write(year).decode()
    return text[:6000] + text[-3000:]


def test_the_values_and_extensions_of_the_contract() -> None:
    assert {value: declared.extension for value, declared in FORMATS.items()} == EXTENSIONS
    assert [value for value, declared in FORMATS.items() if declared.inline] == ["json"]
    assert len(NAMES) == 17 + len(ALIASES)


def test_aliases_name_the_tool() -> None:
    for alias, value in ALIASES.items():
        assert NAMES[alias] == value
        assert re.sub(r"\W", "", FORMATS[value].tool).lower() == alias


@EACH
def test_conventions_say_which_clock_and_which_end(value: str) -> None:
    declared = FORMATS[value]
    local = value not in {"json", "csv", "tool_c", "tool_e", "measurement", "parquet", "arrow"}
    assert declared.convention.startswith("local standard time (UTC+1" if local else "UTC")
    assert ("hour-end" in declared.convention) == local
    assert set(declared.lacks) < set(QUANTITIES)
    assert {"ghi", "temp_air", "wind_speed"} <= set(declared.carries)


@TEXT
def test_no_file_holds_what_is_no_number(value: str) -> None:
    year = typical_year()
    tiny = typical_year(dni=np.where(year.dni > 0, year.dni, -1e-9), temp_air=np.where(year.temp_air < 0, -0.001, 5.0))
    for one in (year, tiny):
        text = FORMATS[value].write(one).decode().lower()
        assert not re.search(r"(?<![a-z])(nan|inf|infinity|none|null)(?![a-z])", text)
        assert not re.search(r"(?<![\d.])-0(\.0+)?(?![\d.])", text)


@TEXT
def test_a_year_with_a_hole_is_refused(value: str) -> None:
    year = typical_year()
    ghi = year.ghi.copy()
    ghi[4000] = np.nan
    with pytest.raises(ValueError, match="none, infinite"):
        FORMATS[value].write(typical_year(ghi=ghi))


@SAID
def test_every_file_with_room_for_words_says_whose_and_what_it_is(value: str) -> None:
    text = head_and_foot(value, typical_year(confidence="p90", licence=Licence("tmy-v1-2026-09-30", date(2027, 1, 15))))
    for said in ("tmy-v1-2026-09-30", "2027-01-15", "ens_tmy30", "N3-214-031", "p90"):
        assert said in text
    assert re.search(r"Solflis TMY,? +record 1", text)
    assert "SIMULATED" not in text
    assert "EXPIRED" not in text


@SAID
def test_invented_weather_and_an_expired_licence_are_said(value: str) -> None:
    year = typical_year(data_origin="simulated", licence=Licence("tmy-v1", date(2025, 9, 30), expired=True))
    text = head_and_foot(value, year)
    assert re.search("SIMULATED|simulated", text)
    assert re.search(r'EXPIRED|"license_expired":true', text)
    assert "2025-09-30" in text


def test_a_measurement_says_in_each_row_that_it_is_none() -> None:
    for origin, flag in (("live", "modelled"), ("simulated", "simulated")):
        rows = FORMATS["measurement"].write(typical_year(data_origin=origin)).decode().splitlines()[1:]
        assert {row.rsplit(",", 1)[1] for row in rows} == {flag}


def test_what_is_unverified_is_said_in_the_file_and_in_the_declaration() -> None:
    unverified = {value: declared.unverified for value, declared in FORMATS.items() if declared.unverified}
    assert set(unverified) == {"tool_a", "tool_e", "tool_h", "wbv"}
    assert "api/tmy/formats/weather.xsd" in unverified["tool_h"]  # which is where who asks finds it
    assert "api/tmy/formats/weather.xsd" in formats_in_words()
    for value, sentence in unverified.items():
        text = head_and_foot(value, typical_year())
        assert sentence in text
        assert re.search("unverified", text, re.IGNORECASE)


def test_texts_become_one_line_of_plain_letters() -> None:
    assert plain('Bø;\n "Ås"–\x00æ\u2028z') == "Bo, 'As'- ae z"
    assert re.fullmatch(r"[\w .-]+", name_of(typical_year(generator='A/B: "C", <d>\n')), re.ASCII)


def test_declarations_take_in_no_kernel_and_files_no_data_frame() -> None:
    code = (
        "import sys; from api.tmy.formats.registry import FORMATS; print('numba' in sys.modules);"
        "from tests.support.typical_year import typical_year; year = typical_year();"
        "[declared.write(year) for declared in FORMATS.values()];"
        "print('numba' in sys.modules, *({'pandas', 'pvlib', 'lxml', 'ladybug', 'PySAM', 'xarray'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["False", "True"]
