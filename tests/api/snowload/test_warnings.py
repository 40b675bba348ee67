"""What the designer must know: warnings, and what is not hidden from them."""

from tests.api.conftest import Api
from tests.api.snowload.conftest import asking, calc
from tests.support.snowload import CENTRE, ONE_BIG


def _warned(answer: dict[str, list[str]], *words: str) -> bool:
    return any(all(word in warning for word in words) for warning in answer["warnings"])


def _cells(*norths: int) -> str:
    return ",".join(f"{CENTRE[0]}_{CENTRE[1] + 1000 * north}" for north in norths)


async def test_nothing_is_warned_of_where_nothing_is_odd_but_the_missing_table(api: Api) -> None:
    answer = await calc(api, cells=_cells(0))
    assert all("table" in warning for warning in answer["warnings"]), answer["warnings"]


async def test_a_plot_that_lies_higher_than_its_cells_is_told(api: Api) -> None:
    for elev in (40, 160):  # the cells lie at 90 to 110
        assert not _warned(await calc(api, elev=elev), "The plot lies at")
    assert _warned(await calc(api, elev=161), "The plot lies at 161 m", "90 to 110 m", "more snow")
    assert _warned(await calc(api, elev=39), "The plot lies at 39 m", "less snow")


async def test_few_winters_are_told(api: Api) -> None:
    assert not _warned(await calc(api, start="1996-9-1"), "winters count")
    assert _warned(await calc(api, start="1997-9-1"), "Only 29 winters count")
    assert not _warned(await calc(api, returnperiod=100), "winters count")
    assert _warned(await calc(api, returnperiod=100, start="1977-9-1"), "Only 49 winters count", "100 years")


async def test_cells_that_are_named_twice_count_once(api: Api) -> None:
    once, twice = await calc(api, cells=_cells(0, 1)), await calc(api, cells=_cells(0, 1, 0, 0))
    assert twice["cells"] == once["cells"]
    assert twice["aggregate"] == once["aggregate"]
    assert _warned(twice, "2 of the chosen cells named a cell again")
    assert twice["inputs"]["grid"] == "2 cells"
    assert twice["inputs"]["manual_cells"] is True


async def test_cells_far_from_the_point_are_told(api: Api) -> None:
    assert _warned(await calc(api, cells="303500_6700500"), "km from the point")
    assert not _warned(await calc(api, cells=_cells(3)), "km from the point")


async def test_a_winter_that_stands_out_is_told_and_fits_that_disagree(api: Api) -> None:
    answer = await calc(api, cells=f"{ONE_BIG[0]}_{ONE_BIG[1]}")
    assert answer["cells"][0]["factor_combined"] < 0.85
    assert _warned(answer, "one winter stands out", "304500, 6700500", "2500 mm")
    assert _warned(answer, "1 of 1 cells the three fits lie more than 25 % apart")


async def test_lat_and_lon_beside_x_and_y_are_not_used_and_told(api: Api) -> None:
    assert _warned(await calc(api, lat=69.65, lon=18.96, x=262715, y=6649143), "lat and lon were not used")
    assert not _warned(await calc(api, x=262715, y=6649143), "lat and lon were not used")


async def test_what_is_not_known_is_ignored_and_told(api: Api) -> None:
    assert _warned(await calc(api, return_period=100), "Unknown parameters were ignored: return_period")


async def test_the_municipality_is_named_with_its_county(api: Api) -> None:
    compared = (await calc(api))["eurocode_comparison"]
    assert (compared["kommune"], compared["kommunenummer"], compared["fylke"]) == ("Ruteby 0", "0301", "Rutefylke")
    assert compared["site_elevation_m"] == 100.0
    assert compared["table_entries"] == []
    assert compared["sk_kn_m2"] is None
    assert compared["reason"]
    east = (await calc(api, x=CENTRE[0] + 10_600, y=CENTRE[1], cells=_cells(0)))["eurocode_comparison"]
    assert (east["kommune"], east["kommunenummer"]) == ("Ruteby 1", "0302")


async def test_an_answer_that_a_caller_has_is_not_sent_again(api: Api) -> None:
    first = await api.ask(asking())
    assert first.headers["Cache-Control"] == "public, max-age=86400"
    again = await api.ask(asking(), headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status, again.text) == (304, "")
    for other in ({"variability": 1.4}, {"elev": 5}, {"grid": 5}, {"format": "csv"}, {"start": "1990-1-1"}):
        asked = await api.ask(asking(**other), headers={"If-None-Match": first.headers["ETag"]})
        assert asked.status == 200, other
