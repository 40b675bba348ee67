"""Every row of the contract's errors, and cells that cannot be computed."""

from pathlib import Path

import pytest

from api.core import problems as core
from api.core.errors import Problem
from api.data.snow.reader import FAILED
from api.snowload import problems
from tests.api.conftest import Api, MovableClock, Start
from tests.api.snowload.conftest import NOVEMBER, PATH, address, calc, listed, points_of, read_csv
from tests.support.snowload import ALL_MISSING, CENTRE, FIVE_YEARS, usual
from tiles.grid import SENORGE1KM
from tiles.products.snowload import BLOCK

OSLO = "lat=59.9113&lon=10.7553"
LATE = {"latest": "2006-10-06", "least": 20}
REFUSED: list[tuple[Problem, str | None, dict[str, object], list[str]]] = [
    (problems.POINT, None, {}, [""]),
    (problems.POINT, "lon", {}, ["lat=59.91"]),
    (problems.POINT, "x", {}, ["lat=59.91&lon=10.75&y=6649500"]),
    (problems.OUTSIDE, "lat", {}, ["lat=56.99&lon=10.75", "lat=inf&lon=10"]),
    (problems.OUTSIDE, "lon", {}, ["lat=59.91&lon=32.01"]),
    (problems.OUTSIDE, "y", {}, ["x=262500&y=66495", "x=-999999999&y=999999999"]),
    (problems.OUTSIDE, "x", {}, ["x=2900000&y=6649500", "x=-1900000&y=6649500"]),
    (problems.OUTSIDE, None, {}, ["x=1500000&y=6400000"]),
    (core.NOT_A_NUMBER, "lat", {}, ["lat=nan&lon=10", "lat=Oslo&lon=10.75"]),
    (problems.METRES, "x", {}, ["x=262500.5&y=6649500", "x=1e300&y=6649500"]),
    (problems.GRID, "grid", {}, [f"{OSLO}&grid={value}" for value in ("2", "three", "7", "")]),
    (core.NOT_BETWEEN, "variability", {"low": 1, "high": 3}, [f"{OSLO}&variability={v}" for v in ("0.99", "3.01", "")]),
    (problems.PERIOD, "returnperiod", {}, [f"{OSLO}&returnperiod={value}" for value in ("25", "50.5", "0")]),
    (problems.START, "start", {}, [f"{OSLO}&start={value}" for value in
                                   ("1991", "1991-2-30", "1991-13-1", "01-09-1991", "0000-1-1")]),
    (problems.START_LATE, "start", LATE, [f"{OSLO}&start={value}" for value in ("2006-10-7", "9999-12-31")]),
    (core.NOT_BETWEEN, "elev", {"low": -50, "high": 3000}, [f"{OSLO}&elev=3001", f"{OSLO}&elev=high"]),
    (core.NOT_A_CHOICE, "format", {"choices": "json, csv, png"}, [f"{OSLO}&format=pdf"]),
    (problems.CELLS, "cells", {}, [f"{OSLO}&cells={value}" for value in
                                   ("", "262500", "262500_6649500,", "262500.5_6649500", "a_b", "9" * 5000,
                                    listed(*[CENTRE] * 37))]),
    (core.REPEATED, "variability", {}, [f"{OSLO}&variability=1&variability=1"]),
]  # fmt: skip


@pytest.mark.parametrize(("problem", "parameter", "values", "queries"), REFUSED)
async def test_a_wrong_parameter_is_refused_by_name(
    api: Api, problem: Problem, parameter: str | None, values: dict[str, object], queries: list[str]
) -> None:
    for query in queries:
        refused = await api.ask(f"{PATH}?{query}")
        named = {} if parameter is None else {"parameter": parameter}
        text = problem.text(name=parameter, **values)
        assert (refused.status, refused.json) == (400, {"error": text, "code": "INVALID_INPUT", **named}), query


async def test_the_limits_are_taken(api: Api) -> None:
    cells = [(CENTRE[0] + 1000 * (k % 6 - 3), CENTRE[1] + 1000 * (k // 6 - 3)) for k in range(36)]
    assert (await calc(api, cells=listed(*cells)))["aggregate"]["n_cells"] == 36
    assert (await calc(api, start="2006-10-6"))["cells"][0]["n_years"] == 20
    for lat, lon in ((57.0, 8.0), (72.0, 20.0), (60.0, 4.0), (70.0, 32.0)):
        assert (await calc(api, lat=lat, lon=lon, cells=listed(CENTRE)))["inputs"]["lat"] == lat


async def test_cells_that_fail_take_no_other_with_them(api: Api) -> None:
    """The authority's grid ends with (-74 500, 6 450 500), which only it has: here it cannot be asked."""
    odd = [ALL_MISSING, FIVE_YEARS, (-75_500, 6_450_500), (1_119_500, 8_000_500), (-74_500, 6_450_500)]
    answer = await calc(api, cells=listed(*odd, CENTRE))
    assert points_of(answer["cells"]) == [CENTRE]
    assert points_of(answer["cell_errors"]) == odd
    missing, short, *outside, failed = ((cell["error"], cell["code"]) for cell in answer["cell_errors"])
    values = {"start": "1976-09-01", "least": 20}
    assert missing == (problems.CELL_SHORT.text(n=0, **values), "NO_DATA")
    assert short == (problems.CELL_SHORT.text(n=5, **values), "NO_DATA")
    assert outside == [(problems.CELL_OUTSIDE.nb, "NO_LAND")] * 2
    assert failed == (FAILED.nb, "BACKEND_ERROR")
    assert any("5 of 6 cells could not be computed" in warning for warning in answer["warnings"])
    file = await api.ask(address(cells=listed(*odd, CENTRE), format="csv"))
    _, rows = read_csv(file.text)
    assert [row["scope"] for row in rows] == ["cell", *["error"] * 5, "total"]
    assert [row["error"] for row in rows[1:6]] == [cell["error"] for cell in answer["cell_errors"]]


@pytest.mark.parametrize("form", ["json", "csv", "png"])
async def test_where_no_cell_can_be_computed_each_says_why(api: Api, form: str) -> None:
    outside = [(-75_500, 6_450_500 + 1000 * row) for row in range(8)]
    refused = await api.ask(address(cells=listed(ALL_MISSING, FIVE_YEARS, *outside), format=form))
    assert (refused.status, refused.json["code"], refused.json["error"]) == (502, "BACKEND_ERROR", problems.NO_CELL.nb)
    assert points_of(refused.json["cell_errors"]) == [ALL_MISSING, FIVE_YEARS, *outside]
    assert refused.headers["Content-Encoding"] == "gzip", "it is longer than 1 kB"
    assert "Retry-After" not in refused.headers
    assert refused.headers["Cache-Control"] == "no-store"


async def test_a_picture_needs_the_centre_cell(api: Api) -> None:
    refused = await api.ask(address(x=FIVE_YEARS[0], y=FIVE_YEARS[1], cells=listed(CENTRE), format="png"))
    assert (refused.status, refused.json["error"]) == (502, problems.NO_CENTRE.nb)


async def test_errors_are_english_where_that_is_asked_for(api: Api) -> None:
    english = {"Accept-Language": "en"}
    nothing = await api.ask(address(cells=listed(FIVE_YEARS)), headers=english)
    short = problems.CELL_SHORT.text("en", n=5, start="1976-09-01", least=20)
    assert (nothing.json["error"], nothing.json["cell_errors"][0]["error"]) == (problems.NO_CELL.en, short)
    some = address(cells=listed(FIVE_YEARS, CENTRE))
    norwegian = await api.ask(some)
    answer = await api.ask(some, headers={**english, "If-None-Match": norwegian.headers["ETag"]})
    assert (answer.status, answer.json["cell_errors"][0]["error"]) == (200, short)
    assert "Accept-Language" in ", ".join(answer.headers.getall("Vary"))


async def test_what_is_damaged_is_no_cell_of_zero(start: Start, own: Path, tmp_path: Path) -> None:
    [shard, *_] = [path for path in own.glob("snowload/*/*.zarr/swe_max/c/**/*") if path.is_file()]
    shard.write_bytes(bytes(shard.stat().st_size))
    row, column = (int(part) * BLOCK for part in shard.parts[-2:])
    x, y = int(SENORGE1KM.x0) + 1000 * column, int(SENORGE1KM.y0) + 1000 * row
    api = await start(store_folder=own, state_folder=tmp_path / "state", clock=MovableClock(NOVEMBER))
    damaged = [point for point in usual() if x <= point[0] < x + 1000 * BLOCK and y <= point[1] < y + 1000 * BLOCK]
    others = [point for point in usual() if point not in damaged]
    refused = await api.ask(address(cells=listed(*damaged[:2])))
    assert (refused.status, refused.json["code"]) == (503, "DAMAGED")
    assert {cell["code"] for cell in refused.json["cell_errors"]} == {"DAMAGED"}
    assert points_of((await calc(api, cells=listed(damaged[0], others[0])))["cell_errors"]) == damaged[:1]
