"""The analysis itself, of simulated buildings, and with services away."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import orjson
import pytest
from shapely import Polygon
from shapely.geometry import shape

from api.core.errors import ApiError
from api.data.surfaces import read_surfaces
from api.roof import job, site
from api.roof.heights import heights_around
from api.roof.image import Look
from api.roof.result import warning
from infra.simulator.buildings.record import planes_of
from kernels import utm
from kernels.horizon import earth
from kernels.horizon.levels import MISSING
from kernels.roof import analysis
from tests.api.roof.conftest import Analyse, buildings, house, point_of, street, urls_of


def off(first: float, second: float) -> float:
    return abs((first - second + 180) % 360 - 180)


def refusal(analyse: Analyse, **body: Any) -> tuple[int, str]:
    with pytest.raises(ApiError) as refused:
        analyse(**body)
    return refused.value.status, refused.value.problem.code


def test_a_gabled_house_has_its_planes(analyse: Analyse) -> None:
    building = house("saltak")
    found = analyse(**point_of(building))
    assert (found["bygning"]["kilde_omriss"], found["bygning"]["takform_profiler"]) == ("bygninger", "saltak")
    turn = float(earth.convergence(building.x, building.y))
    surfaces = found["takflater"]
    assert surfaces == found["resultat"]["takflater"]
    assert len(surfaces) == 2
    for plane in planes_of(building):
        own = min(surfaces, key=lambda one: off(one["fallretning_hoydemodell_grader"], plane.azimuth + turn))
        assert off(own["fallretning_hoydemodell_grader"], plane.azimuth + turn) < 1.5
        assert abs(own["helning_grader"] - plane.tilt) < 1
        slope = (
            Polygon(plane.corners[:, :2]).area / np.cos(np.radians(plane.tilt)) / float(earth.scale(building.x, 0)) ** 2
        )
        assert own["areal_m2"] == pytest.approx(slope, rel=0.1)
    result = found["resultat"]
    assert result["moduler"] == sum(one["moduler"] for one in surfaces) == len(found["moduler"]["features"]) > 0
    assert result["kwp"] == pytest.approx(0.65 * result["moduler"])
    read = read_surfaces(result["pv_kalkulator"]["arrays_param"], SimpleNamespace(field_name="arrays"))  # type: ignore[arg-type]
    assert sum(one.kwp for one in read) == pytest.approx(result["kwp"])
    assert {"kant_skraa"} <= {one["type"] for one in found["utelukkelser"]}
    assert "SIMULERT" in found["grunnlag"]["hoydemodell"]
    outline = shape(found["bygning"]["omriss"])
    assert all(outline.buffer(1e-5).contains(shape(one["geometry"])) for one in found["moduler"]["features"])


def test_racks_closer_than_they_are_deep_are_told_and_shade_each_other(analyse: Analyse) -> None:
    place = point_of(house("flatt"))
    asked = ({"enhetsavstand_ost_vest_m": 2.2}, {"enhetsavstand_ost_vest_m": 4})
    near, far = (analyse(**place, ai=False, helning_grader=20, **one) for one in asked)
    assert [one["takflater"][0]["radavstand_m"] for one in (near, far)] == [2.2, 4]
    assert near["takflater"][0]["skyggetap_pst"] > far["takflater"][0]["skyggetap_pst"] + 0.5
    level = analyse(**place, ai=False, enhetsavstand_ost_vest_m=2.2, helning_grader=5)
    assert level["takflater"][0]["radavstand_m"] == pytest.approx(2 * 1.134 * np.cos(np.radians(5)) + 0.05, abs=0.006)
    assert any("stativet er 2309 mm" in one for one in level["grunnlag"]["advarsler"])
    assert not any("stativet er" in one for one in near["grunnlag"]["advarsler"])


def test_obstacles_that_a_rule_ignores_are_in_no_collection_and_told(analyse: Analyse) -> None:
    def parts(found: dict[str, Any]) -> set[str]:
        return {one["properties"]["del"] for one in found["utelukkelser_geojson"]["features"]}

    building = next(one for one in buildings() if one.form == "flatt" and one.objects and not one.newer)
    usual = analyse(**point_of(building), ai=False)
    ignoring = analyse(**point_of(building), ai=False, regler={"protrusion_min_m": 3})
    assert "hindring" in parts(usual)
    assert "hindring" not in parts(ignoring)
    assert any("protrusion_min_m" in one for one in ignoring["grunnlag"]["advarsler"])
    assert not any("protrusion_min_m" in one for one in usual["grunnlag"]["advarsler"])


def test_a_point_beside_a_building_is_told(analyse: Analyse) -> None:
    building = house("saltak")
    away = building.width / 2 + 3
    lat, lon = utm.inverse(building.x - away * np.sin(building.turn), building.y + away * np.cos(building.turn))
    beside = analyse(lat=float(lat), lon=float(lon))
    assert any("3 m utenfor" in one for one in beside["grunnlag"]["advarsler"])
    assert not any("utenfor" in one for one in analyse(**point_of(building))["grunnlag"]["advarsler"])


def test_without_geojson_there_are_no_collections(analyse: Analyse) -> None:
    found = analyse(**point_of(house("saltak")), geojson=False)
    assert not {"moduler", "utelukkelser_geojson", "frie_soner_geojson"} & found.keys()


def test_a_module_that_nobody_makes_is_warned_of(analyse: Analyse) -> None:
    found = analyse(**point_of(house("saltak")), modul_wp=1000, modul_lengde_mm=1000, modul_bredde_mm=700)
    assert any("1429 W per m²" in one for one in found["grunnlag"]["advarsler"])
    usual = analyse(**point_of(house("saltak")))
    assert not any("W per m²" in one for one in usual["grunnlag"]["advarsler"])


def test_a_newer_building_is_told_and_gets_no_modules(analyse: Analyse) -> None:
    found = analyse(**point_of(house("saltak", newer=True)))
    assert (found["takflater"], found["resultat"]["moduler"]) == ([], 0)
    assert warning("stale") in found["grunnlag"]["advarsler"]
    assert found["resultat"]["pv_kalkulator"]["arrays_param"] == ""
    building = found["bygning"]
    assert [building[name] for name in ("takform", "takform_profiler", "hoyde_m", "hovedakse_grader")] == [None] * 4


def test_a_picture_of_a_newer_building_is_compared_with_nothing(
    analyse: Analyse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "look", lambda *_: (Look("valm", 30.0, confidence=0.9, method="test"), None))
    found = analyse(**point_of(house("saltak", newer=True)))
    assert (found["bygning"]["takform"], found["kvalitetssjekk"]["status"]) == ("valm", "ikke_kjort")
    [note] = found["kvalitetssjekk"]["merknader"]
    assert "ingen takflate" in note


def test_without_the_outline_service_the_outline_is_that_of_the_surface(analyse: Analyse) -> None:
    building = house("saltak")
    usual = analyse(**point_of(building))
    found = analyse(away="bygninger", **point_of(building))
    assert found["bygning"]["kilde_omriss"] == "overflate"
    assert warning("uten_omriss") in found["grunnlag"]["advarsler"]
    assert found["bygning"]["takform_profiler"] == "saltak"
    assert found["bygning"]["areal_m2"] == pytest.approx(usual["bygning"]["areal_m2"], rel=0.25)


def test_without_the_picture_service_the_analysis_goes_on(analyse: Analyse) -> None:
    found = analyse(away="ortofoto", **point_of(house("saltak")))
    assert warning("ortofoto_borte") in found["grunnlag"]["advarsler"]
    assert (found["grunnlag"]["ai"], found["grunnlag"]["ortofoto"]) == ("ingen", None)
    assert found["resultat"]["moduler"] > 0


def test_an_address_of_pictures_without_a_layer_is_told_and_logged(
    analyse: Analyse, kept_service: Any, caplog: pytest.LogCaptureFixture
) -> None:
    urls = {"urls": urls_of(kept_service) | {"ortofoto": str(kept_service.server.make_url("/ortofoto"))}}
    found = analyse(settings=urls, **point_of(house("saltak")))
    assert warning("ortofoto_feil_oppsett") in found["grunnlag"]["advarsler"]
    assert "names no layer" in caplog.text
    assert found["grunnlag"]["ortofoto"] is None


def test_all_that_is_fetched_shares_one_time(analyse: Analyse, monkeypatch: pytest.MonkeyPatch) -> None:
    at = point_of(house("saltak"))
    analyse(away="bygninger", **at)  # its heights are kept
    monkeypatch.setattr(job, "BUDGET_S", 0)
    found = analyse(**at)
    assert {warning("uten_omriss"), warning("ortofoto_borte")} <= set(found["grunnlag"]["advarsler"])
    assert found["resultat"]["moduler"] > 0


def test_without_the_vision_model_the_analysis_goes_on(analyse: Analyse, kept_service: Any) -> None:
    vision = str(kept_service.server.make_url("/vision/v1"))
    found = analyse(away="vision", settings={"vision_url": vision}, **point_of(house("saltak")))
    assert warning("bildeanalyse_borte") in found["grunnlag"]["advarsler"]
    assert (found["grunnlag"]["ai"], found["kvalitetssjekk"]["status"]) == ("ingen", "ikke_kjort")
    assert found["resultat"]["moduler"] > 0


def test_holes_in_the_heights_are_a_warning_and_get_no_modules(
    analyse: Analyse, monkeypatch: pytest.MonkeyPatch
) -> None:
    building = house("saltak")

    def with_holes(*given: Any) -> Any:
        found = heights_around(*given)
        column, row = round(building.x - found.dom.x0), round(building.y - found.dom.y0)
        z = found.dom.z.copy()
        z[row - 40 : row + 40, column : column + 40] = MISSING  # its east
        return found._replace(dom=found.dom._replace(z=z))

    whole = analyse(**point_of(building))
    monkeypatch.setattr(site, "heights_around", with_holes)
    found = analyse(**point_of(building))
    [text] = [one for one in found["grunnlag"]["advarsler"] if one.startswith("Høydemodellen mangler")]
    assert 40 < int(text.split()[2]) < 60
    assert 0 < found["resultat"]["moduler"] < whole["resultat"]["moduler"]
    wests = [shape(one["geometry"]).bounds[2] for one in found["moduler"]["features"]]
    assert max(wests) < point_of(building)["lon"] + 2e-5  # a metre


def test_a_model_that_disagrees_is_told(analyse: Analyse, kept_service: Any) -> None:
    vision = str(kept_service.server.make_url("/vision/v1"))
    found = analyse(settings={"vision_url": vision}, **point_of(house("saltak")))
    assert found["grunnlag"]["ai"] not in ("", "ingen")
    assert found["kvalitetssjekk"]["status"] in ("ok", "avvik")
    assert found["bygning"]["takform"] is not None
    off = analyse(settings={"vision_url": vision}, ai=False, **point_of(house("saltak")))
    assert (off["grunnlag"]["ai"], off["kvalitetssjekk"]["status"]) == ("ingen", "ikke_kjort")


@pytest.mark.parametrize("place", ["street", "sea"])
def test_without_a_building_it_is_422(analyse: Analyse, place: str) -> None:
    where = street() if place == "street" else {"lat": 58.5, "lon": 10.2}
    assert refusal(analyse, **where) == (422, "NO_BUILDING")


def test_without_heights_it_is_502(analyse: Analyse) -> None:
    where = point_of(house("saltak"))
    assert refusal(analyse, away="kartverket_wcs", lat=where["lat"] + 0.5, lon=where["lon"],
                   omriss=ring(where["lat"] + 0.5, where["lon"], 10)) == (502, "BACKEND_ERROR")  # fmt: skip


def test_an_outline_of_more_than_400_m_is_422(analyse: Analyse) -> None:
    where = point_of(house("saltak"))
    assert refusal(analyse, **where, omriss=ring(where["lat"], where["lon"], 450)) == (422, "NO_BUILDING")


def ring(lat: float, lon: float, side: float) -> list[list[float]]:
    """A square around a point, by the map."""
    x, y = map(float, utm.forward(lat, lon))
    corners = [(x + a * side / 2, y + b * side / 2) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return [[float(at[1]), float(at[0])] for at in (utm.inverse(*corner) for corner in corners)]


def test_an_outline_that_is_given_replaces_that_of_the_map(analyse: Analyse) -> None:
    building = house("saltak")
    walls = [[float(lon), float(lat)] for lat, lon in (utm.inverse(*at) for at in building.walls())]
    found = analyse(**point_of(building), omriss=[*walls, walls[0]])
    assert (found["bygning"]["kilde_omriss"], len(found["takflater"])) == ("oppgitt", 2)


def test_drawings_are_files_of_the_result(analyse: Analyse, monkeypatch: pytest.MonkeyPatch) -> None:
    put: dict[str, bytes] = {}
    original = job.Run.put
    monkeypatch.setattr(job.Run, "put", lambda self, files: (put.update(files), original(self, files))[1])
    analyse(**point_of(house("saltak")), tegning=True)
    assert {f"result.{kind}" for kind in ("png", "svg", "dxf", "geojson", "json", "collections")} == put.keys()
    assert put["result.png"].startswith(b"\x89PNG")
    layers = {one["properties"]["lag"] for one in orjson.loads(put["result.geojson"])["features"]}
    assert layers >= {"moduler", "frie_soner", "takflater"}


def test_two_points_on_a_building_are_one_analysis(analyse: Analyse, monkeypatch: pytest.MonkeyPatch) -> None:
    building = house("saltak", number=1)
    lat, lon = utm.inverse(*building.at(np.array([[2.0, 1.0]]))[0])
    other = {"lat": float(lat), "lon": float(lon)}
    runs: list[Any] = []
    monkeypatch.setattr(job, "analyse", lambda *given: runs.append(given) or analysis.analyse(*given))
    first, second, again = [analyse(**at, tving_ny=False) for at in (point_of(building), other, point_of(building))]
    assert len(runs) == 1
    assert (second["punkt"]["lat"], second["punkt"]["lon"]) == (other["lat"], other["lon"])
    assert first.pop("punkt") == again.pop("punkt") != second.pop("punkt")
    assert first == second == again
    analyse(**other, tving_ny=False, modul_wp=500)
    analyse(**other, tving_ny=True)
    assert len(runs) == 3


def test_a_result_without_its_picture_is_not_shared(analyse: Analyse, kept_service: Any) -> None:
    asked: dict[str, Any] = {**point_of(house("saltak", number=2)), "tving_ny": False}
    assert analyse(away="ortofoto", **asked)["grunnlag"]["ortofoto"] is None
    kept_service.behave()
    assert analyse(**asked)["grunnlag"]["ortofoto"] is not None


def test_shade_is_of_the_sun_that_the_terrain_leaves(analyse: Analyse) -> None:
    """Behind a horizon that hides the whole year's sun nothing near by takes any."""
    asked: dict[str, Any] = {**point_of(house("saltak")), "regler": {"shade_loss_max": 0}}
    near, none = analyse(**asked), analyse(**asked, far=[89.0] * 720)
    assert any(one["tapt_til_skygge"] for one in near["takflater"])
    assert not any(one["tapt_til_skygge"] for one in none["takflater"])
    assert none["resultat"]["moduler"] > near["resultat"]["moduler"]


@pytest.mark.parametrize(
    ("confidence", "off", "sure", "asked", "is_corrected"),
    [
        (0.4, 5, 0.9, True, True),
        (0.9, 5, 0.9, True, False),  # the heights are sure
        (0.4, 25, 0.9, True, False),  # the heights contradict
        (0.4, 5, 0.6, True, False),
        (0.4, 5, 0.9, False, False),
    ],
)
def test_a_sure_picture_corrects_the_tilt_of_unsure_surfaces(
    analyse: Analyse, monkeypatch: pytest.MonkeyPatch, confidence: float, off: float, sure: float, asked: bool,
    is_corrected: bool,
) -> None:  # fmt: skip
    building = house("saltak")

    def unsure(field: Any, outline: Polygon, others: Any) -> Any:
        roof = analysis.analyse(field, outline, others)
        field.z[:] += np.random.default_rng(1).normal(0, 0.6, field.z.shape)
        return replace(roof, surfaces=tuple(replace(one, confidence=confidence) for one in roof.surfaces))

    seen = Look("saltak", building.tilt + off, confidence=sure, method="test")
    monkeypatch.setattr(job, "analyse", unsure)
    monkeypatch.setattr(job, "look", lambda *_: (seen, None))
    found = analyse(**point_of(building), kvalitetssjekk=asked)
    numbers = [one["id"] for one in found["takflater"]]
    assert found["kvalitetssjekk"]["flater_rettet"] == (numbers if is_corrected else [])
    assert any("rettet" in note for note in found["kvalitetssjekk"]["merknader"]) == is_corrected
    tilts = {round(one["helning_grader"] - building.tilt) for one in found["takflater"]}
    assert tilts == ({off} if is_corrected else {0})
