"""The comparison with the national annex' table, whose rows here are invented: loads, or null with its reason."""

from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from api.snowload.annex import AnnexTable, Entry
from api.snowload.comparison import NO_BORDERS, NO_HEIGHT, NO_TABLE, NOWHERE, RULE, comparison
from api.snowload.municipality import Located
from api.snowload.schemas import Comparison
from tests.api.conftest import Api, MovableClock, Start
from tests.api.snowload.conftest import NOVEMBER, address, calc, listed, read_csv, warns
from tests.support.snowload import CENTRE

VIK = Entry(5699, "Eksempelvik", 1.5, 100.0, 0.5, 4.0, "a book, page 1")
DAL = Entry(5699, "Eksempeldal", 2.0, 300.0, 0.25, 3.0, "a book, page 2")
VIK_ALONE, BOTH = AnnexTable({5699: (VIK,)}, "one"), AnnexTable({5699: (VIK, DAL)}, "two")
PLACE = Located(5699, "Storeksempel", "Tenkt fylke", "inside", 0.0, None, None)
TABLE = """kommunenummer,kommune_1990,sk0,Hg,dsk,skmax,source
0301,Oppdiktet vest,2.0,150,0.5,9.0,made up
0301,Oppdiktet øst,4.5,50,1.0,6.0,made up
0302,Oppdiktet nabo,9.0,500,1.0,9.0,made up
"""


def compared(
    table: AnnexTable, located: Located | str, altitude: float | None = 120.0
) -> tuple[dict[str, Any], list[str]]:
    """Return the comparison, which has the declared form, and its warnings."""
    found, warnings = comparison(table, located, altitude)
    assert Comparison.model_validate(found).model_dump() == found
    return found, warnings


@pytest.mark.parametrize(
    ("altitude", "sk", "above"),
    [(-3.0, 1.5, False), (100.0, 1.5, False), (100.001, 1.5, False), (101.0, 2.0, True), (200.0, 2.0, True),
     (201.0, 2.5, True), (600.0, 4.0, True), (601.0, 4.0, True), (2469.0, 4.0, True)],
)  # fmt: skip
def test_the_load_grows_with_each_begun_100_m_up_to_skmax(altitude: float, sk: float, above: bool) -> None:
    found, warnings = compared(VIK_ALONE, PLACE, altitude)
    [entry] = found["table_entries"]
    assert (entry["sk_at_site"], entry["above_hg"], "at most skmax" in entry["note"]) == (sk, above, altitude > 600)
    assert (found["sk_kn_m2"], found["selected_entry"], found["reason"], warnings) == (sk, "Eksempelvik", None, [])


def test_place_rule_and_source_are_named() -> None:
    found, _ = compared(VIK_ALONE, PLACE, 333.333)
    assert found == {
        "kommune": "Storeksempel", "kommunenummer": "5699", "fylke": "Tenkt fylke", "kommune_by": "inside",
        "site_elevation_m": 333.33, "sk_kn_m2": 3.0, "selected_entry": "Eksempelvik", "rule": RULE,
        "source": "a book, page 1", "reason": None, "table_entries": [{
            "kommune_1990": "Eksempelvik", "sk0": 1.5, "Hg": 100.0, "dsk": 0.5, "skmax": 4.0, "sk_at_site": 3.0,
            "above_hg": True, "note": "The site (333.33 m) is above Hg (100 m), and 3 x 100 m are begun: sk = sk0 + 3 "
            "x 0.5 = 3 kN/m2.",
        }],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("altitude", "selected", "loads"),
    [
        (90.0, "Eksempeldal", "with 1.5 to 2 kN/m2 here: the highest"),
        (120.0, "Eksempelvik", "each with 2 kN/m2 here: the first"),
        (650.0, "Eksempelvik", "with 3 to 4 kN/m2 here: the highest"),
    ],
)
def test_of_several_the_highest_is_selected_and_the_designer_warned(altitude: float, selected: str, loads: str) -> None:
    found, [warning] = compared(BOTH, PLACE, altitude)
    assert found["selected_entry"] == selected
    assert found["sk_kn_m2"] == max(entry["sk_at_site"] for entry in found["table_entries"])
    assert found["source"] == "a book, page 1; a book, page 2"
    marked = [e["kommune_1990"] for e in found["table_entries"] if "the designer must choose" in e["note"]]
    assert marked == [selected]
    assert f"{loads} is selected, and the designer must choose the one that the site lay in in 1990." in warning


@pytest.mark.parametrize(
    ("table", "located", "altitude", "reasons"),
    [
        (AnnexTable(), PLACE, 120.0, [NO_TABLE]),
        (AnnexTable(), NOWHERE, 120.0, [NO_TABLE, NOWHERE]),
        (VIK_ALONE, NOWHERE, 120.0, [NOWHERE]),
        (VIK_ALONE, NO_BORDERS, 120.0, [NO_BORDERS]),
        (VIK_ALONE, PLACE, None, [NO_HEIGHT]),
        (VIK_ALONE, PLACE._replace(number=301), 120.0, ["The operator's table has no row for Storeksempel (0301)."]),
    ],
)
def test_where_nothing_can_be_compared_the_load_is_null_and_the_reason_said(
    table: AnnexTable, located: Located | str, altitude: float | None, reasons: list[str]
) -> None:
    found, warnings = compared(table, located, altitude)
    assert (found["sk_kn_m2"], found["selected_entry"], found["site_elevation_m"]) == (None, None, altitude)
    assert all(entry["sk_at_site"] is None for entry in found["table_entries"])
    assert (found["reason"], found["rule"]) == (reasons[0], f"{RULE}. Not applied: {reasons[0]}")
    assert warnings == reasons


def test_a_site_beside_all_municipalities_or_near_a_border_is_warned_of() -> None:
    _, [beside] = compared(VIK_ALONE, PLACE._replace(by="nearest", away_m=312.4))
    assert beside == "The site lies in no municipality: Storeksempel is the nearest, 312 m away."
    _, [near] = compared(VIK_ALONE, PLACE._replace(neighbour="Nabo", neighbour_m=87.6))
    assert near.startswith("The municipality Nabo is only 88 m away, and the borders are generalised: check")


@pytest_asyncio.fixture
async def supplied(start: Start, loaded: Path, tmp_path: Path) -> Api:
    """An application whose operator has supplied the table."""
    (tmp_path / "table.csv").write_text(TABLE)
    return await start(
        store_folder=loaded,
        state_folder=tmp_path / "state",
        clock=MovableClock(NOVEMBER),
        snowload_table=tmp_path / "table.csv",
    )


async def test_the_answer_says_which_load_is_more(supplied: Api) -> None:
    answer = await calc(supplied, elev=151)
    found = answer["eurocode_comparison"]
    assert [entry["sk_at_site"] for entry in found["table_entries"]] == [2.5, 6.0]  # 4.5 + 2 x 1, at most 6
    assert (found["sk_kn_m2"], found["selected_entry"]) == (6.0, "Oppdiktet øst")
    assert (found["site_elevation_m"], found["reason"]) == (151.0, None)
    assert warns(answer, "gives 6.00 kN/m2, more than the", "the designer decides")
    assert not warns(answer, "height was not given")
    assert warns(await calc(supplied, elev=40, variability=3), "gives 4.50 kN/m2, less than the")
    assert warns(await calc(supplied), "gives 5.50 kN/m2", "more than the")
    assert warns(await calc(supplied), "height was not given", "at 100 m")
    shorter = await calc(supplied, elev=40, returnperiod=20)
    assert warns(shorter, "of 50 years, the value from the cells of 20")
    assert not warns(shorter, "more than the")
    neighbour = await calc(supplied, x=CENTRE[0] + 12_000, y=CENTRE[1], cells=listed(CENTRE), elev=10)
    assert neighbour["eurocode_comparison"]["sk_kn_m2"] == 9.0
    comments, _ = read_csv((await supplied.ask(address(elev=151, format="csv"))).text)
    assert {"eurocode_sk_kn_m2: 6.0", "eurocode_entries: Oppdiktet vest: 2.5 | Oppdiktet øst: 6.0"} <= set(comments)


async def test_another_table_is_another_answer(supplied: Api, api: Api) -> None:
    without = await api.ask(address())
    assert without.json["eurocode_comparison"]["reason"] == NO_TABLE
    again = await supplied.ask(address(), headers={"If-None-Match": without.headers["ETag"]})
    assert again.status == 200
