"""What an answer says in words, and of names that mean nothing."""

import pytest

from tests.api.conftest import Api
from tests.api.pv.conftest import production, pv
from tests.support.tmy import OSLO, TROMSO


async def test_names_of_parameters_that_there_are_none_of_are_told(api: Api) -> None:
    asked = await production(api, azimuth=90, optimalangles=1, peakPower=12)
    plain = await production(api)
    told = "Unknown parameters were ignored: azimuth, optimalangles, peakPower. What was understood is in inputs."
    assert asked["warnings"] == [told, *plain["warnings"]]
    assert {**asked, "warnings": []} == {**plain, "warnings": []}


async def test_a_key_is_no_unknown_parameter_and_known_ones_are_none_either(api: Api) -> None:
    answer = await production(api, api_key="sk_live_x", tech="CIS", mounting="building")
    assert not any("Unknown" in warning for warning in answer["warnings"])


async def test_another_unknown_name_is_another_answer(api: Api) -> None:
    tags = {(await api.ask(pv(OSLO) + more)).headers["ETag"] for more in ("", "&azimuth=1", "&azimut=1")}
    assert len(tags) == 3
    same = {(await api.ask(pv(OSLO) + more)).headers["ETag"] for more in ("&azimuth=1", "&azimuth=2")}
    assert len(same) == 1


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("=x", "=x"),
        ("%00%0a%e2%80%ae", "???"),
        ("%ff", "\ufffd"),
        ("a" * 400, "a" * 30 + "..."),
        ("<script>", "<script>"),
    ],
)
async def test_hostile_names_are_made_legible(api: Api, name: str, shown: str) -> None:
    path = pv(OSLO) + "&" + name.replace("=", "%3D").replace("<", "%3C").replace(">", "%3E") + "=1"
    [warning, *_] = (await api.ask(path)).json["warnings"]
    assert warning == f"Unknown parameters were ignored: {shown}. What was understood is in inputs."
    assert (await api.ask(path + "&format=csv")).status == 200


async def test_no_more_than_five_names_are_told(api: Api) -> None:
    answer = await production(api, **{f"x{i}": i for i in range(40)})
    assert answer["warnings"][0].startswith("Unknown parameters were ignored: x0, x1, x2, x3, x4. ")


async def test_where_the_satellite_does_not_see_the_sources_say_so(api: Api) -> None:
    """And the years are those of the product, not of the archive."""
    north, south = await production(api, TROMSO), await production(api, OSLO)
    assert north["method"]["sources"].startswith("the reanalysis alone, for the solar model does not reach this cell")
    assert "0.60" in south["method"]["sources"]
    assert "typical months of 1991-2020 (archive 1991-2025)" in south["method"]["tmy"]


@pytest.mark.parametrize(
    ("mounting", "tech", "told"),
    [("free", "crystSi", "u0 26.9 W/m2/K, u1 6.2"), ("building", "CIS", "u0 20 W/m2/K, u1 2 ")],
)
async def test_the_coefficients_are_those_of_the_modules(api: Api, mounting: str, tech: str, told: str) -> None:
    assert told in (await production(api, mounting=mounting, tech=tech))["method"]["coefficients"]
