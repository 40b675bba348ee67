"""What answers tell of a version's provenance."""

from typing import Any

import pytest

from api.horizon.provenance import ends, sentence, sources_of

AREA = {"name": "survey", "licence": "CC BY 4.0", "attribution": "A survey", "data_origin": "live", "area": "Oslo"}
RAYS = {"points": 1000, "rays_without_land": 9, "rays_cut": 90_000}


def test_a_source_of_many_areas_is_told_once() -> None:
    found = sources_of({"sources": [AREA, AREA | {"area": "Bergen"}, AREA | {"name": "other"}]}, "live")
    assert [one["name"] for one in found] == ["survey", "other"]
    assert set(found[0]) == {"name", "licence", "attribution", "data_origin"}
    assert sentence(found[0]) == "A survey - licence CC BY 4.0"


@pytest.mark.parametrize(
    "said", [AREA | {"data_origin": "simulated"}, {k: AREA[k] for k in AREA if k != "data_origin"}]
)
def test_what_is_invented_has_no_name_and_no_licence_of_another(said: dict[str, Any]) -> None:
    [found] = sources_of({"sources": [said]}, "simulated")
    assert found["data_origin"] == "simulated"
    assert sentence(found) == "SIMULATED by Solflis in the format of survey"
    assert "CC BY" not in str(found)
    assert "A survey" not in str(found)


def test_a_version_that_tells_nothing_has_no_sources() -> None:
    assert sources_of({}, "live") == []


def test_where_the_heights_end() -> None:
    assert ends({"rays": RAYS, "reach_m": 150_000.0}) == (
        "In 12.5 % of all directions of all places of this version the heights end before 150 km"
    )
    assert ends({"rays": RAYS | {"rays_cut": 1}, "reach_m": 20_000.0}).startswith("In < 0.1 % ")


@pytest.mark.parametrize("rays", [None, {}, RAYS | {"rays_cut": 0}])
def test_nothing_is_said_where_nothing_ends_or_is_known(rays: Any) -> None:
    assert ends({"rays": rays, "reach_m": 150_000.0}) == ""
    assert ends({"rays": RAYS}) == ""
