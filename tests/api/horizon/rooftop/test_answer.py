"""What a roof's answer says of its data and of its request beside the figures."""

from typing import Any

from api.data.heights.block import pack, unpack
from api.data.horizons import View
from api.horizon.profile import HorizonProfile
from api.horizon.rooftop.answer import answer
from api.horizon.rooftop.heights import around
from tests.api.horizon.rooftop.made import OSLO, heights, observer, place, view
from tests.api.horizon.terrain.test_terrain import PROVENANCE
from tests.support.coverages import flat

KARTVERKET = "Kartverket, Nasjonal høydemodell"


def answered(origin: str, far: View | None) -> tuple[dict[str, Any], HorizonProfile]:
    x, y = place(*OSLO)
    blocks = {square: unpack(square, pack(heights(square, flat(100.0), origin=origin))) for square in around(x, y)}
    roof = observer(x, y, 3.0, blocks, far)
    fields, profile = answer("json", "full", roof), answer("csv", "full", roof)
    assert isinstance(fields, dict)
    assert isinstance(profile, HorizonProfile)
    return fields, profile


def test_real_heights_go_out_under_their_name_and_licence() -> None:
    fields, profile = answered("live", None)
    [near] = fields["sources"]
    assert (near["licence"], near["attribution"], near["data_origin"]) == ("CC BY 4.0", KARTVERKET, "live")
    assert profile.credits == [f"{KARTVERKET} - licence CC BY 4.0"]
    assert (fields["method"]["far"], "level_1" in fields["method"]) == ("nothing beyond", False)
    assert profile.near_alone_m == 500


def test_invented_heights_do_not() -> None:
    fields, profile = answered("simulated", None)
    said = f"{fields['sources']} {profile.credits}"
    assert "CC BY" not in said
    assert KARTVERKET not in said
    assert "SIMULATED by Solflis" in said


def test_the_far_horizon_has_its_own_sources_and_says_where_it_ends() -> None:
    far = view(1.0, 5000.0)._replace(provenance=PROVENANCE | {"method": "rays"})
    fields, profile = answered("live", far)
    assert [one["name"] for one in fields["sources"]] == ["kartverket_wcs", "survey"]
    assert fields["method"]["level_1"] == "rays"
    assert profile.near_alone_m is None
    assert any(one.startswith("Level 1: in 10 % of all directions") for one in fields["warnings"])


def test_the_short_method_is_names_and_a_link() -> None:
    x, y = place(*OSLO)
    blocks = {square: unpack(square, pack(heights(square, flat(100.0)))) for square in around(x, y)}
    short = answer("json", "short", observer(x, y, 3.0, blocks, view(1.0, 5000.0)))
    assert isinstance(short, dict)
    docs = "/docs#post_api_horizon_rooftop"
    assert short["method"] == {"near": "surface model of 1 m within 500 m", "far": "level 1", "docs": docs}
