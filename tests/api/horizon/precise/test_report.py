"""The report of level 3: what is in it, for whom it can be read, and what it does with odd answers."""

import json
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from api.horizon.precise.report import words
from api.horizon.precise.report.relief import Relief
from api.horizon.precise.report.render import report
from kernels import utm
from tests.api.horizon.precise import made

HOSTILE = '#panic("x") $x^2$ *b* _i_ `c` @ref <lbl> = h // c /* \\ {near_m} </text><script>&amp; #sys.inputs'


def tool(name: str) -> str:
    """The path of a program of poppler or qpdf."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def read(pdf: bytes, name: str, *arguments: str) -> str:
    """Return the output of a program that reads a file from its input."""
    told = subprocess.run([tool(name), *arguments], input=pdf, capture_output=True, check=True)
    return told.stdout.decode()


def text_of(pdf: bytes) -> str:
    return read(pdf, "pdftotext", "-layout", "-", "-")


def flat(pdf: bytes) -> str:
    """All words in the order in which they are read, breaks of lines as spaces, without places to break words at."""
    return " ".join(read(pdf, "pdftotext", "-", "-").replace("\N{ZERO WIDTH SPACE}", "").split())


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type/Page\b", pdf))


@cache
def usual(language: words.Language) -> bytes:
    return report(made.result(), made.relief(), language)


@cache
def crowded() -> bytes:
    """In simulated land at Vadsø, with 40 objects and 30 warnings."""
    year = {**made.result()["typical_year"], "kind": "clear_sky", "data_origin": "simulated", "version": "7"}
    year |= dict.fromkeys(("product", "cell_id", "cell_distance_km"))
    told = made.result(
        count=40, lat=made.VADSO[0], lon=made.VADSO[1], data_origin="simulated", typical_year=year,
        warnings={"decisive": ["Bare det nære er med."], "others": [f"Merknad {i}." for i in range(30)]},
    )  # fmt: skip
    return report(told, made.relief(*made.VADSO), "nb")


@cache
def bare() -> bytes:
    """At the North Cape without objects, years, grounds, far terrain, losses, sources or warnings."""
    nothing = ("dtm_ground_z_m", "observer_height_above_dtm_m", "dom_year", "dtm_year", "tile_key")
    told = made.result(
        scale=0.0, count=0, lat=made.NORTH_CAPE[0], lon=made.NORTH_CAPE[1], tier1_used=False, sources=[],
        warnings={"decisive": [], "others": []}, elevation_deg=[0.0] * 720, near_horizon_only=[0.0] * 720,
        panel_tilt_deg=90.0, panel_az_deg=0.0,
        **dict.fromkeys(nothing),
    )  # fmt: skip
    unknown = Relief(np.full((301, 301), np.nan, np.float32), 1.0, *map(float, utm.forward(*made.NORTH_CAPE)))
    return report(told, unknown, "en")


@cache
def hostile() -> bytes:
    year = {**made.result()["typical_year"], "product": HOSTILE, "cell_id": HOSTILE, "version": HOSTILE}
    source = {"name": HOSTILE, "licence": HOSTILE, "attribution": "attribution " * 800 + "END", "data_origin": "live"}
    told = made.result(
        warnings={"decisive": [HOSTILE], "others": ["日本 \N{GRINNING FACE} \u202e\x00\ufeff\ue000é", "x" * 400]},
        sources=[source], tile_key=HOSTILE, code_version=HOSTILE, typical_year=year, version=HOSTILE,
    )  # fmt: skip
    return report(told, made.relief(), "en")


def numbers(told: dict[str, Any]) -> Iterator[float]:
    """All numbers of an answer, but those of months, which have names."""
    for name, value in told.items():
        if name == "month":
            continue
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                yield from numbers(one)
            elif isinstance(one, int | float) and not isinstance(one, bool):
                yield one


@pytest.mark.parametrize(("language", "point"), [("nb", ","), ("en", ".")])
def test_every_number_of_the_answer_stands_there_with_all_its_digits(language: words.Language, point: str) -> None:
    told = json.loads(json.dumps(made.result()))
    found = set(re.findall(r"-?\d+(?:[.,]\d+)*", text_of(usual(language))))
    wanted = {json.dumps(one).replace(".", point) for one in numbers(told)}
    assert len(wanted) > 1000
    assert wanted - found == set()


def test_each_direction_has_its_elevations_beside_its_azimuth() -> None:
    told = made.result()
    rows = set()
    for line in text_of(usual("en")).splitlines():
        cells = line.split()
        rows.update(tuple(cells[i : i + 4]) for i in range(len(cells) - 3))
    columns = (told[name] for name in ("azimuth_deg", "elevation_deg", "near_horizon_only", "near_distance_m"))
    assert {tuple("–" if one is None else repr(one) for one in row) for row in zip(*columns, strict=True)} <= rows


def test_the_answer_in_one_line_and_objects_in_words() -> None:
    told = flat(usual("nb"))
    loss = f"{made.result()['annual_yield_reduction_pct']:.1f}".replace(".", ",")
    assert f"Skygge koster {loss} % av årets energi på panelet." in told
    assert "Trær i sørøst, 34 m unna, 6,1 m over panelet: koster 2,1 % i året." in told
    assert "2,1 % i året. Uten blader om vinteren: 1,4 %." in told
    assert "Bygning i sørvest, 22 m unna, 5,4 m over panelet: koster 1,8 % i året." in told
    english = flat(usual("en"))
    assert "Building in the south-west, 22 m away, 5.4 m above the panel: costs 1.8 % a year." in english
    assert "UTC+1" in told
    assert "UTC+1" in english


def test_foreign_text_is_shown_letter_by_letter_and_never_set() -> None:
    told = flat(hostile())
    assert told.count(HOSTILE) >= 5
    assert "attribution END" in told
    assert "\N{REPLACEMENT CHARACTER}" * 2 in told
    assert "é" in told
    assert "x" * 400 in told.replace(" ", "")


def test_the_same_answer_gives_the_same_bytes_and_its_date_is_that_of_issue() -> None:
    again = report(made.result(), made.relief(), "nb")
    assert again == usual("nb")
    assert b"D:20261126104207Z" in again
    later = report(made.result(issued_at="2027-01-02T03:04:05Z"), made.relief(), "nb")
    assert b"D:20270102030405Z" in later


def test_poppler_reads_title_author_and_tags() -> None:
    told = read(usual("nb"), "pdfinfo", "-")
    assert re.search("Title: +Skyggerapport: solcellepanel ved 59,9139° N, 10,7522° Ø", told)
    assert re.search("Author: +Solflis", told)
    assert re.search("Tagged: +yes", told)


@pytest.mark.parametrize("language", ["nb", "en"])
def test_it_is_tagged_for_readers_in_its_language_and_has_its_fonts(language: words.Language) -> None:
    pdf = usual(language)
    assert b"<pdfuaid:part>1</pdfuaid:part>" in pdf
    assert f"/Lang({language})".encode() in pdf
    assert pdf.count(b"/Alt") == 4
    assert pdf.count(b"/S/Table") == 7
    assert pdf.count(b"/S/H1") == 1
    assert pdf.count(b"/S/H2") > 5
    assert pdf.count(b"/FontFile3") == pdf.count(b"/Type/FontDescriptor") > 0


def test_what_decides_the_result_stands_on_the_first_page() -> None:
    first, *others = text_of(crowded()).split("\f")
    assert "Les dette først" in first
    assert "Bare det nære er med." in first
    assert not any("Bare det nære er med." in page for page in others)


def test_foreign_text_is_marked_as_english_in_a_norwegian_report() -> None:
    assert b"/Lang(en)" in usual("nb")
    assert b"/Lang(en)" not in report(made.result(sources=[]), made.relief(), "nb")


def test_a_loss_too_small_to_show_is_not_told_as_nothing() -> None:
    told = flat(report(made.result(annual_yield_reduction_pct=0.004), made.relief(), "nb"))
    assert "Skygge koster under 0,1 % av årets energi" in told


def test_live_sources_link_to_producer_and_licence_and_simulated_ones_to_nobody() -> None:
    assert b"https://creativecommons.org/licenses/by/4.0/" in usual("en")
    assert b"https://www.kartverket.no" in usual("en")
    simulated = [{**source, "data_origin": "simulated"} for source in made.result()["sources"]]
    pdf = report(made.result(sources=simulated), made.relief(), "en")
    assert b"kartverket.no" not in pdf
    assert b"creativecommons" not in pdf


def test_simulated_data_are_told_on_every_page_and_live_ones_are_not() -> None:
    for page in text_of(crowded()).split("\f")[:-1]:
        assert "SIMULERT" in page
    assert "kan ikke brukes for et virkelig anlegg" in flat(crowded())
    assert "SIMUL" not in text_of(usual("nb"))
    invented = {"data_origin": "simulated"}
    for changes in (invented, {"typical_year": {**made.result()["typical_year"], **invented}}):
        assert text_of(report(made.result(**changes), made.relief(), "en")).count("SIMULATED") == 5


def test_a_long_table_of_objects_repeats_its_header_and_leaves_nothing_out() -> None:
    told = text_of(crowded())
    assert len(re.findall(r"Retning +Bredde +Høyest i +Høyde +Avstand", told)) == 2
    numbered = re.findall(r"^ *(\d+) +(?:Trær|Bygning|Terreng|Ukjent)", told.split("Alt som skygger")[-1], re.MULTILINE)
    assert [int(one) for one in numbered] == list(range(1, 41))
    assert all(f"Merknad {i}." in told for i in range(30))
    assert "skyfri himmel" in told


def test_what_costs_nothing_is_not_among_what_costs_the_most() -> None:
    free = [{**one, "yield_loss_pct": 0.0} for one in made.objects(3)]
    paid = {**made.objects(1)[0], "yield_loss_pct": 0.2}
    for found, sentences in (([paid, *free], 1), (free, 0)):
        told = flat(report(made.result(near_field_objects=found), made.relief(), "en"))
        assert len(re.findall(r"above the panel: costs [\d.]+ % a year", told)) == sentences
    assert "What stands within 500 m costs this panel nothing." in told


def test_a_month_without_light_has_no_loss() -> None:
    dark = {**made.months()[11], "poa_open_kwh_m2": 0.0, "poa_kwh_m2": 0.0}
    dark |= dict.fromkeys(("yield_reduction_pct", "terrain_loss_pct", "near_field_loss_pct"))
    told = text_of(report(made.result(monthly=[*made.months()[:11], dark]), made.relief(), "en"))
    assert report(made.result(monthly=[{**dark, "month": one + 1} for one in range(12)]), made.relief(), "en")
    assert re.search(r"December +0\.0 +0\.0 +– +– +– ", told)
    assert "Loss in January, the worst" in told


def test_where_nothing_is_lost_no_month_is_the_worst() -> None:
    assert "the worst" not in flat(bare())


def test_an_answer_of_nothing_but_a_horizon_is_a_report() -> None:
    told = flat(bare())
    assert "Shade costs 0.0 % of the year’s energy" in told
    assert "Nothing was found within 500 m" in told
    assert "21 December: the sun does not rise" in told
    assert "21 June: the sun does not set, and is seen for 24.0 hours" in told
    assert "of unknown year" in told
    assert "farther away than 500 m is not in it" in told


@pytest.mark.parametrize(("make", "most"), [(lambda: usual("nb"), 5), (bare, 5), (crowded, 6), (hostile, 9)])
def test_it_is_a_few_pages_and_below_a_megabyte(make: Callable[[], bytes], most: int) -> None:
    assert 3 <= pages(make()) <= most
    assert len(make()) < 1_000_000


def test_qpdf_finds_no_errors(tmp_path: Path) -> None:
    for i, pdf in enumerate((usual("nb"), crowded(), bare(), hostile())):
        file = tmp_path / f"{i}.pdf"
        file.write_bytes(pdf)
        subprocess.run([tool("qpdf"), "--check", file], check=True, capture_output=True)


def test_both_languages_have_the_same_texts_with_the_same_numbers() -> None:
    source = Path(words.__file__).with_name("words.toml").read_text(encoding="utf-8")
    languages = tomllib.loads(source)

    def shape(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: shape(one) for name, one in value.items()}
        if isinstance(value, list):
            return [shape(one) for one in value]
        return sorted(set(re.findall(r"\{\w+\}", value)))

    assert shape(languages["nb"]) == shape(languages["en"])


@pytest.mark.parametrize(
    ("value", "text"),
    [(7.0, "7,0"), (7, "7"), (-0.125, "-0,125"), (1e-05, "0,00001"), (1234567.5, "1234567,5"), (None, "–")],
)
def test_numbers_keep_their_digits(value: float | None, text: str) -> None:
    assert words.Writer("nb").value(value) == text
