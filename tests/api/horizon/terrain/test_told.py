"""What level 1 says of its data beside the figures."""

from typing import Any

import orjson
import pytest

from api.horizon.formats.registry import FORMATS
from api.horizon.terrain.answer import profile_of, warnings
from tests.api.conftest import Api
from tests.api.horizon.conftest import fetch, terrain
from tests.api.horizon.rooftop.made import view

AREA = {"name": "survey", "licence": "CC BY 4.0", "attribution": "A survey", "data_origin": "live"}
TOLD = {"sources": [AREA] * 5, "rays": {"points": 1000, "rays_cut": 72_000}, "reach_m": 150_000.0}


def told_view(year: int | None = 2019, origin: str = "live", **provenance: Any) -> Any:
    found = view(2.0, 3000.0, origin=origin)
    return found._replace(horizon=found.horizon._replace(dtm_year=year), provenance=TOLD | provenance)


def test_data_that_end_and_a_year_that_nobody_knows_are_warned_of() -> None:
    [ending] = warnings(told_view(), ())
    assert ending.startswith("In 10 % of all directions of all places of this version the heights end before 150 km:")
    assert any("what year" in one for one in warnings(told_view(year=None), ()))
    assert any("simulated" in one for one in warnings(told_view(origin="simulated"), ()))
    assert warnings(told_view(rays=None), ()) == []


def test_files_name_each_source_once() -> None:
    profile = profile_of(told_view())
    assert profile.sources == ("A survey - licence CC BY 4.0",)
    first = FORMATS["export_a"].write(profile).decode().splitlines()[0]
    assert first.count("CC BY 4.0") == 1
    assert orjson.loads(FORMATS["geojson"].write(profile))["features"][1]["properties"]["sources"] == [
        "A survey - licence CC BY 4.0"
    ]


@pytest.mark.parametrize("name", ["formt", "formt&x=1"])
async def test_unknown_parameters_are_named(api: Api, name: str) -> None:
    plain = await fetch(api, terrain())
    odd = await fetch(api, f"{terrain()}&{name}=csv&api_key=sk_secret")
    said = [one for one in orjson.loads(odd.body)["warnings"] if "ignored" in one]
    assert said == [f"Unknown parameters were ignored: {', '.join(['formt', 'x'][: 1 + name.count('x')])}."]
    assert "ignored" not in plain.body.decode()
    assert odd.headers["ETag"] != plain.headers["ETag"], "its body is another"
    assert (await fetch(api, terrain())).body == plain.body
