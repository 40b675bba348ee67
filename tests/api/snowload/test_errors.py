"""Every row of the contract's errors, and cells of which nothing can be said."""

import csv
import io
import re
from pathlib import Path

import pytest

from api import texts
from tests.api.conftest import Api, MovableClock, Start
from tests.api.snowload.conftest import NOVEMBER, PATH, asking, calc
from tests.support.snowload import ALL_MISSING, CENTRE, FIVE_YEARS, usual
from tiles.grid import SENORGE1KM
from tiles.products.snowload import BLOCK

REFUSED = [
    ("", "Oppgi lat og lon, eller x og y"),
    ("lat=59.91", "Oppgi lat og lon"),
    ("lon=10.75&x=262500", "Oppgi lat og lon"),
    ("x=262500", "Oppgi lat og lon"),
    ("lat=59.91&lon=10.75&y=6649500", "Oppgi lat og lon"),
    ("lat=56.99&lon=10.75", "utenfor Norge"),
    ("lat=59.91&lon=32.01", "utenfor Norge"),
    ("lat=inf&lon=10", "utenfor Norge"),
    ("x=262500&y=66495", "utenfor Norge"),
    ("x=-999999999&y=999999999", "utenfor Norge"),
    ("lat=nan&lon=10", "lat"),
    ("lat=Oslo&lon=10.75", "lat"),
    ("x=262500.5&y=6649500", "heltall"),
    ("x=1e300&y=6649500", "heltall"),
    ("{point}&grid=2", "grid må være 1, 3 eller 5"),
    ("{point}&grid=three", "grid må være 1, 3 eller 5"),
    ("{point}&grid=7", "grid må være 1, 3 eller 5"),
    ("{point}&variability=0.99", "variability må være et tall fra 1 til 3"),
    ("{point}&variability=3.01", "variability må være et tall fra 1 til 3"),
    ("{point}&variability=", "variability må være et tall fra 1 til 3"),
    ("{point}&returnperiod=25", "returnperiod må være 20, 50 eller 100"),
    ("{point}&returnperiod=50.5", "returnperiod må være 20, 50 eller 100"),
    ("{point}&start=1991", "start må være en dato på formen YYYY-M-D"),
    ("{point}&start=1991-2-30", "YYYY-M-D"),
    ("{point}&start=1991-13-1", "YYYY-M-D"),
    ("{point}&start=01-09-1991", "YYYY-M-D"),
    ("{point}&start=0000-1-1", "YYYY-M-D"),
    ("{point}&start=2006-10-7", "senest 2006-10-06"),
    ("{point}&start=9999-12-31", "senest 2006-10-06"),
    ("{point}&elev=3001", "elev må være et tall fra -50 til 3000"),
    ("{point}&elev=high", "elev"),
    ("{point}&format=pdf", "format må være en av: json, csv, png"),
    ("{point}&cells=", "cells må være en liste av x_y-par"),
    ("{point}&cells=262500", "cells må være en liste av x_y-par"),
    ("{point}&cells=262500_6649500,", "cells må være en liste av x_y-par"),
    ("{point}&cells=262500.5_6649500", "cells må være en liste av x_y-par"),
    ("{point}&cells=a_b", "cells må være en liste av x_y-par"),
    ("{point}&cells=" + ",".join(["262500_6649500"] * 37), "høyst 36"),
    ("{point}&cells=" + "9" * 5000, "høyst 36"),
    ("{point}&grid=1&grid=3", "mer enn én gang"),
]


@pytest.mark.parametrize(("query", "says"), REFUSED)
async def test_what_cannot_be_meant_is_refused_by_name(api: Api, query: str, says: str) -> None:
    refused = await api.ask(f"{PATH}?{query.replace('{point}', 'lat=59.9113&lon=10.7553')}")
    assert refused.status == 400, refused.text
    assert says in refused.json["error"]
    assert set(refused.json) == {"error"}


async def test_36_cells_are_not_too_many(api: Api) -> None:
    cells = [f"{CENTRE[0] + 1000 * (k % 6 - 3)}_{CENTRE[1] + 1000 * (k // 6 - 3)}" for k in range(36)]
    assert (await calc(api, cells=",".join(cells)))["aggregate"]["n_cells"] == 36


async def test_the_last_start_that_is_taken(api: Api) -> None:
    assert (await calc(api, start="2006-10-6"))["cells"][0]["n_years"] == 20


async def test_cells_of_which_nothing_can_be_said_take_no_other_with_them(api: Api) -> None:
    odd = [ALL_MISSING, FIVE_YEARS, (-99_500, 6_700_500), (300_500, 9_000_500)]
    cells = ",".join(f"{x}_{y}" for x, y in (*odd, CENTRE))
    answer = await calc(api, cells=cells)
    assert [(cell["x"], cell["y"]) for cell in answer["cells"]] == [CENTRE]
    assert [(one["x"], one["y"]) for one in answer["cell_errors"]] == odd
    missing, short, outside, far = (one["error"] for one in answer["cell_errors"])
    assert "ingen hele vintre" in missing
    assert "bare 5 hele vintre" in short
    assert "minst 20" in short
    assert "rutenett" in outside
    assert far == outside
    assert answer["aggregate"]["n_cells"] == 1
    assert any("4 of 5 cells could not be computed" in warning for warning in answer["warnings"])


async def test_a_table_with_cells_that_failed_says_so_in_rows(api: Api) -> None:
    file = await api.ask(asking(cells=f"{FIVE_YEARS[0]}_{FIVE_YEARS[1]},{CENTRE[0]}_{CENTRE[1]}", format="csv"))
    rows = list(csv.DictReader(io.StringIO(file.text)))
    assert [row["scope"] for row in rows] == ["cell", "error", "total"]
    assert "bare 5 hele vintre" in rows[1]["error"]


async def test_what_is_damaged_is_no_cell_of_zero(start: Start, own: Path, tmp_path: Path) -> None:
    """It stands in `cell_errors`; where nothing can be read that is 503."""
    [shard, *_] = [path for path in own.glob("snowload/*/*.zarr/swe_max/c/**/*") if path.is_file()]
    shard.write_bytes(bytes(shard.stat().st_size))
    row, column = (int(part) * BLOCK for part in shard.parts[-2:])
    x, y = int(SENORGE1KM.x0) + 1000 * column, int(SENORGE1KM.y0) + 1000 * row
    api = await start(store_folder=own, state_folder=tmp_path / "state", clock=MovableClock(NOVEMBER))
    held = [point for point in usual() if x <= point[0] < x + 1000 * BLOCK and y <= point[1] < y + 1000 * BLOCK]
    others = [point for point in usual() if point not in held]
    listed = [",".join(f"{one[0]}_{one[1]}" for one in cells) for cells in (held[:2], [held[0], others[0]])]
    refused = await api.ask(asking(cells=listed[0]))
    assert refused.status == 503, refused.text
    assert {one["error"] for one in refused.json["cell_errors"]} == {texts.SNOWLOAD_CELL_DAMAGED}
    assert [(one["x"], one["y"]) for one in (await calc(api, cells=listed[1]))["cell_errors"]] == held[:1]


@pytest.mark.parametrize("form", ["json", "csv", "png"])
async def test_where_no_cell_can_be_computed_each_says_why(api: Api, form: str) -> None:
    refused = await api.ask(
        asking(cells=f"{ALL_MISSING[0]}_{ALL_MISSING[1]},{FIVE_YEARS[0]}_{FIVE_YEARS[1]}", format=form)
    )
    assert refused.status == 502
    assert "Ingen celler kunne beregnes" in refused.json["error"]
    assert [(one["x"], one["y"]) for one in refused.json["cell_errors"]] == [ALL_MISSING, FIVE_YEARS]
    assert all(re.search("vintre", one["error"]) for one in refused.json["cell_errors"])
    assert "Retry-After" not in refused.headers
    assert refused.headers["Cache-Control"] == "no-store"
