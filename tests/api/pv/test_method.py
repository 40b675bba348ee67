"""`method` and `warnings`: short and full; and of parameters that mean nothing."""

import pytest

from api.data.location import SIMULATED
from tests.api.conftest import Api
from tests.api.pv.conftest import production, pv
from tests.support.tmy import TROMSO

UNKNOWN = "Unknown parameters were ignored: azimuth, optimalangles."
COMBINED = [
    ({"azimuth": 90, "optimalangles": 1}, [UNKNOWN]),
    ({"arrays": "1:35:0", "angle": 35, "peakpower": 1}, ["Ignored with arrays: peakpower, angle."]),
    ({"optimize": "both", "angle": 35}, ["Ignored with optimize=both: angle."]),
    ({"snowmounting": "roof", "azimuth": 1},
     ["Unknown parameters were ignored: azimuth.", "Ignored with snowloss=0: snowmounting."]),
    ({"tech": "CIS", "mounting": "building", "api_key": "sk_live_x"}, []),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "expected"), COMBINED)
async def test_ignored_parameters_are_told(api: Api, asked: dict[str, object], expected: list[str]) -> None:
    assert (await production(api, **asked))["warnings"] == [SIMULATED, *expected]


async def test_a_picture_is_shown(api: Api) -> None:
    picture = await api.ask(pv(snowmounting="roof", format="png"))
    assert picture.body.startswith(b"\x89PNG")
    assert picture.headers["Content-Disposition"] == "inline; filename=service_pv_59.91_10.75_snowmounting-roof.png"


async def test_the_short_method_is_names(api: Api) -> None:
    answers = [await api.ask(pv(snowloss=1, method=method)) for method in ("short", "full")]
    assert len(answers[0].text) < 0.6 * len(answers[1].text)
    short, full = [asked.json["method"] for asked in answers]
    assert list(short) == ["engine", "horizon", "albedo", "snow", "sources", "generator", "docs"]
    assert short["engine"] == "perez_huld_tmy_v1"
    assert "A reanalysis (CC BY 4.0; An institute)" in short["sources"]
    assert {**full, **short, "snow": ""} == {**full, "snow": ""}


async def test_the_full_method_says_all_of_it(api: Api) -> None:
    full = (await production(api, method="full"))["method"]
    assert "horizon can be some hundredths below 0, which is no error" in full["losses"]
    assert "typical months of 1991-2020 (archive 1991-2025)" in full["tmy"]
    assert "Perez 1990" in full["chain"]
    assert "0.60" in full["sources"]
    north = (await production(api, TROMSO))["method"]
    assert north["sources"].startswith("the reanalysis alone, for the solar model does not reach this cell")


async def test_the_coefficients_are_those_of_the_modules(api: Api) -> None:
    full = (await production(api, mounting="building", tech="CIS", method="full"))["method"]
    assert "u0 20 W/m2/K, u1 2 " in full["coefficients"]
