"""With a plainly fictitious table of the national annex: what it says beside the cells, and which is more."""

from pathlib import Path
from typing import Any

import pytest_asyncio

from tests.api.conftest import Api, MovableClock, Start
from tests.api.snowload.conftest import NOVEMBER, asking, calc
from tests.support.snowload import CENTRE

TABLE = """kommunenummer,kommune_1990,sk0,Hg,dsk,skmax,source
0301,Oppdiktet vest,2.0,150,0.5,9.0,made up
0301,Oppdiktet øst,4.5,50,1.0,6.0,made up
0302,Oppdiktet nabo,9.0,500,1.0,9.0,made up
"""


@pytest_asyncio.fixture
async def api(start: Start, loaded: Path, tmp_path: Path) -> Api:
    """An application whose operator has supplied the table."""
    table = tmp_path / "table.csv"
    table.write_text(TABLE)
    return await start(
        store_folder=loaded, state_folder=tmp_path / "state", clock=MovableClock(NOVEMBER), snowload_table=table
    )


def _told(answer: Any, *words: str) -> bool:
    return any(all(word in warning for word in words) for warning in answer["warnings"])


async def test_the_highest_of_several_rows_is_selected_at_the_plots_height(api: Api) -> None:
    answer = await calc(api, elev=151)
    compared = answer["eurocode_comparison"]
    assert [entry["sk_at_site"] for entry in compared["table_entries"]] == [2.5, 6.0]  # 4.5 + 2 x 1, at most 6
    assert (compared["sk_kn_m2"], compared["selected_entry"]) == (6.0, "Oppdiktet øst")
    assert (compared["site_elevation_m"], compared["reason"]) == (151.0, None)
    assert _told(answer, "gives 6.00 kN/m2, more than the", "the designer decides")
    assert not _told(answer, "height was not given")


async def test_without_elev_the_table_is_read_at_the_cells_height_and_says_so(api: Api) -> None:
    answer = await calc(api)
    assert answer["eurocode_comparison"]["site_elevation_m"] == 100.0
    assert answer["eurocode_comparison"]["sk_kn_m2"] == 5.5
    assert _told(answer, "height was not given", "at 100 m")


async def test_cells_that_say_more_than_the_table_are_told_too(api: Api) -> None:
    answer = await calc(api, elev=40, variability=3)
    assert answer["aggregate"]["characteristic_snow_load_kn_m2"] > 4.5
    assert _told(answer, "gives 4.50 kN/m2, less than the")


async def test_the_table_is_of_50_years(api: Api) -> None:
    answer = await calc(api, elev=40, returnperiod=20)
    assert _told(answer, "of 50 years, the value from the cells of 20")
    assert not _told(answer, "more than the")


async def test_another_table_is_another_answer(api: Api, start: Start, loaded: Path, tmp_path: Path) -> None:
    first = await api.ask(asking())
    other = tmp_path / "other.csv"
    other.write_text(TABLE.replace("2.0,150", "2.1,150"))
    later = await start(
        store_folder=loaded, state_folder=tmp_path / "state", clock=MovableClock(NOVEMBER), snowload_table=other
    )
    again = await later.ask(asking(), headers={"If-None-Match": first.headers["ETag"]})
    assert again.status == 200
    assert again.json["eurocode_comparison"]["table_entries"][0]["sk0"] == 2.1


async def test_another_municipality_has_another_row(api: Api) -> None:
    answer = await calc(api, x=CENTRE[0] + 12_000, y=CENTRE[1], cells=f"{CENTRE[0]}_{CENTRE[1]}", elev=10)
    assert answer["eurocode_comparison"]["sk_kn_m2"] == 9.0
