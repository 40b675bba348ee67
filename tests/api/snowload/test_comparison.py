"""What is said of the national annex' table, with rows that are invented: loads, and an honest null with its reason."""

import math
from dataclasses import replace

import pytest

from api.snowload.annex import AnnexTable, Entry
from api.snowload.comparison import NO_HEIGHT, NO_TABLE, NOWHERE, RULE, comparison
from api.snowload.models import Comparison
from api.snowload.municipality import Located

VIK = Entry(5699, "Eksempelvik", 1.5, 100.0, 0.5, 4.0, "a book, page 1")
DAL = Entry(5699, "Eksempeldal", 2.0, 300.0, 0.25, 3.0, "a book, page 2")
NES = Entry(399, "Tenktnes", 3.0, 150.0, 1.0, 3.0, "elsewhere")
ONE = AnnexTable({5699: (VIK,), 399: (NES,)}, "of-one")
TWO = AnnexTable({5699: (VIK, DAL)}, "of-two")
PLACE = Located(5699, "Storeksempel", "Tenkt fylke", "inside", 0.0, None, None)


@pytest.mark.parametrize(
    ("altitude", "sk", "above"),
    [(-3.0, 1.5, False), (100.0, 1.5, False), (100.001, 1.5, False), (101.0, 2.0, True), (200.0, 2.0, True),
     (201.0, 2.5, True), (600.0, 4.0, True), (601.0, 4.0, True), (2469.0, 4.0, True)],
)  # fmt: skip
def test_the_load_of_a_height(altitude: float, sk: float, above: bool) -> None:
    told, warnings = comparison(ONE, PLACE, altitude, why_unlocated=None)
    [entry] = told["table_entries"]
    note = entry.pop("note")
    assert entry == {
        "kommune_1990": "Eksempelvik", "sk0": 1.5, "Hg": 100.0, "dsk": 0.5, "skmax": 4.0, "sk_at_site": sk,
        "above_hg": above,
    }  # fmt: skip
    assert ("is above Hg" in note, "at most skmax" in note) == (above, altitude > 600)
    assert (told["sk_kn_m2"], told["selected_entry"], told["reason"]) == (sk, "Eksempelvik", None)
    assert warnings == []


def test_what_is_told_of_the_place_and_the_table() -> None:
    told, _ = comparison(ONE, PLACE, 333.333, why_unlocated=None)
    assert Comparison.model_validate(told).model_dump() == told
    assert told["table_entries"][0]["note"] == (
        "The site (333.33 m) is above Hg (100 m), and 3 x 100 m are begun: sk = sk0 + 3 x 0.5 = 3 kN/m2."
    )
    del told["table_entries"]
    assert told == {
        "kommune": "Storeksempel", "kommunenummer": "5699", "fylke": "Tenkt fylke", "kommune_by": "inside",
        "site_elevation_m": 333.33, "sk_kn_m2": 3.0, "selected_entry": "Eksempelvik", "rule": RULE,
        "source": "a book, page 1", "reason": None,
    }  # fmt: skip


def test_a_number_of_three_digits_has_four_and_a_county_may_be_unknown() -> None:
    told, _ = comparison(ONE, replace_of(number=399, county=None), 200.0, why_unlocated=None)
    assert (told["kommunenummer"], told["fylke"], told["selected_entry"]) == ("0399", None, "Tenktnes")
    assert told["table_entries"][0]["note"].endswith("= 4 kN/m2, at most skmax = 3 kN/m2.")


@pytest.mark.parametrize(
    ("altitude", "selected", "loads"),
    [
        (90.0, "Eksempeldal", "with 1.5 to 2 kN/m2 here: the highest"),
        (120.0, "Eksempelvik", "each with 2 kN/m2 here: the first"),
        (650.0, "Eksempelvik", "with 3 to 4 kN/m2 here: the highest"),
    ],
)
def test_of_several_the_highest_is_selected_and_the_designer_told(altitude: float, selected: str, loads: str) -> None:
    told, warnings = comparison(TWO, PLACE, altitude, why_unlocated=None)
    assert [entry["kommune_1990"] for entry in told["table_entries"]] == ["Eksempelvik", "Eksempeldal"]
    assert told["selected_entry"] == selected
    assert told["sk_kn_m2"] == max(entry["sk_at_site"] for entry in told["table_entries"])
    assert told["source"] == "a book, page 1; a book, page 2"
    noted = {entry["kommune_1990"]: "the designer must choose" in entry["note"] for entry in told["table_entries"]}
    assert noted == {name: name == selected for name in ("Eksempelvik", "Eksempeldal")}
    [warning] = warnings
    assert warning == (
        f"The municipality Storeksempel holds 2 of the table's municipalities of 1990, {loads} is selected, and the "
        "designer must choose the one that the site lay in in 1990."
    )


def test_a_source_is_named_once() -> None:
    table = AnnexTable({5699: (VIK, replace(DAL, source=VIK.source))}, "x")
    assert comparison(table, PLACE, 0.0, why_unlocated=None)[0]["source"] == VIK.source


def test_without_a_table_nothing_is_compared_and_it_is_said_why() -> None:
    told, warnings = comparison(AnnexTable(), PLACE, 120.0, why_unlocated=None)
    Comparison.model_validate(told)
    assert (told["kommune"], told["site_elevation_m"]) == ("Storeksempel", 120.0)
    assert (told["table_entries"], told["sk_kn_m2"], told["selected_entry"]) == ([], None, None)
    assert told["reason"] == NO_TABLE
    assert (told["rule"], told["source"]) == (f"{RULE}. Not applied: {NO_TABLE}", f"None. {NO_TABLE}")
    assert warnings == [NO_TABLE]


@pytest.mark.parametrize("table", [AnnexTable(), ONE])
@pytest.mark.parametrize("why", [None, "No borders are published yet."])
def test_a_site_in_no_municipality(table: AnnexTable, why: str | None) -> None:
    told, warnings = comparison(table, None, 120.0, why_unlocated=why)
    Comparison.model_validate(told)
    assert [told[name] for name in ("kommune", "kommunenummer", "fylke", "kommune_by")] == [None] * 4
    assert (told["table_entries"], told["sk_kn_m2"]) == ([], None)
    expected = why or NOWHERE
    assert told["reason"] == (expected if table.version else NO_TABLE)
    assert warnings == ([expected] if table.version else [NO_TABLE, expected])


def test_a_municipality_without_a_row() -> None:
    told, warnings = comparison(ONE, replace_of(number=301, name="Ny"), 120.0, why_unlocated=None)
    assert told["reason"] == "The operator's table has no row for Ny (0301)."
    assert (told["table_entries"], told["sk_kn_m2"], told["selected_entry"], told["source"]) == ([], None, None, None)
    assert told["rule"].endswith(told["reason"])
    assert warnings == [told["reason"]]


@pytest.mark.parametrize("altitude", [None, math.nan])
def test_a_site_whose_height_is_not_known(altitude: float | None) -> None:
    told, warnings = comparison(TWO, PLACE, altitude, why_unlocated=None)
    Comparison.model_validate(told)
    assert (told["site_elevation_m"], told["sk_kn_m2"], told["selected_entry"]) == (None, None, None)
    assert [(one["sk_at_site"], one["above_hg"], one["note"]) for one in told["table_entries"]] == [
        (None, None, NO_HEIGHT)
    ] * 2
    assert (told["reason"], warnings[0]) == (NO_HEIGHT, NO_HEIGHT)
    assert warnings[1] == (
        "The municipality Storeksempel holds 2 of the table's municipalities of 1990: the designer must choose the one "
        "that the site lay in in 1990."
    )


@pytest.mark.parametrize("table", [AnnexTable(), ONE])
def test_a_site_beside_all_and_one_near_a_border(table: AnnexTable) -> None:
    beside, near = replace_of(by="nearest", away_m=312.4), replace_of(neighbour="Nabo", neighbour_m=87.6)
    told, warnings = comparison(table, beside, 120.0, why_unlocated=None)
    assert told["kommune_by"] == "nearest"
    assert warnings[-1] == "The site lies in no municipality: Storeksempel is the nearest, 312 m away."
    told, warnings = comparison(table, near, 120.0, why_unlocated=None)
    assert told["kommune_by"] == "inside"
    assert warnings[-1].startswith("The municipality Nabo is only 88 m away, and the borders are generalised: check")


def replace_of(**more: object) -> Located:
    return PLACE._replace(**more)
