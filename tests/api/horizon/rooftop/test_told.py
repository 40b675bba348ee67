"""What a roof's answer says of its data beside the figures."""

from api.horizon.rooftop.answer import Asked, fields, profile_of
from api.horizon.rooftop.block import pack, unpack
from api.horizon.rooftop.calculation import Observer, calculate
from api.horizon.rooftop.land import around
from api.horizons import View
from tests.api.horizon.rooftop.conftest import Roofs
from tests.api.horizon.rooftop.made import OSLO, heights, place, view
from tests.api.horizon.terrain.test_told import TOLD
from tests.support.coverages import flat

KARTVERKET = "Kartverket, Nasjonal høydemodell"


def asked_of(origin: str, far: View | None) -> Asked:
    x, y = place(*OSLO)
    squares = around(x, y)
    blocks = {square: unpack(square, pack(heights(square, flat(100.0), origin=origin))) for square in squares}
    return Asked(*OSLO, x, y, blocks, far, ("observer_hight_m",))


def answered(asked: Asked) -> tuple[dict, tuple[str, ...]]:  # type: ignore[type-arg]
    seen = calculate(Observer(asked.x, asked.y, 3.0, None), asked.blocks, asked.far)
    profile = profile_of(asked, seen)
    assert profile.near_alone_m == (500 if asked.far is None else None)
    return fields(asked, seen, 1.0), profile.sources


def test_real_heights_go_out_under_their_name_and_licence() -> None:
    told, sources = answered(asked_of("live", None))
    [near] = told["sources"]
    assert (near["licence"], near["attribution"], near["data_origin"]) == ("CC BY 4.0", KARTVERKET, "live")
    assert sources == (f"{KARTVERKET} - licence CC BY 4.0",)
    assert told["method"].endswith("nothing beyond")


def test_invented_heights_do_not() -> None:
    told, sources = answered(asked_of("simulated", None))
    said = f"{told['sources']} {sources}"
    assert "CC BY" not in said
    assert KARTVERKET not in said
    assert "SIMULATED by Solflis" in said


def test_the_far_horizon_has_its_own_sources_and_says_where_it_ends() -> None:
    far = view(1.0, 5000.0)._replace(provenance=TOLD | {"method": "rays"})
    told, _ = answered(asked_of("live", far))
    assert [one["name"] for one in told["sources"]] == ["kartverket_wcs", "survey"]
    assert told["method"].endswith("Level 1: rays")
    assert any(one.startswith("Level 1: in 10 % of all directions") for one in told["warnings"])


async def test_a_body_that_curl_calls_a_form_is_told_what_to_call_itself(roofs: Roofs) -> None:
    asked = await roofs.raw(
        b'{"lat": 59.9139, "lon": 10.7522}', **{"Content-Type": "application/x-www-form-urlencoded"}
    )
    assert (asked.status, asked.json["code"]) == (415, "UNSUPPORTED_MEDIA")
    assert "application/json" in asked.json["error"]


async def test_unknown_fields_are_named(roofs: Roofs) -> None:
    said = (await roofs.ask("?frmat=csv", observer_hight_m=12, **{"a\u202eb" + "c" * 40: 1})).json["warnings"]
    [ignored] = [one for one in said if "ignored" in one]
    assert ignored == f"Unknown fields were ignored: observer_hight_m, a?b{'c' * 27}..., frmat."
    assert not any("ignored" in one for one in (await roofs.ask()).json["warnings"])
