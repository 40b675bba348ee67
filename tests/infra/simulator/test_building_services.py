"""Outlines, register points, pictures and the vision model of the simulator, as our own readers see them."""

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import rasterio
import shapely

from catalog.sources import bygninger, bygningspunkt, ortofoto, vision
from catalog.sources.errors import SourceError
from infra.simulator.buildings import vision as model
from infra.simulator.buildings.record import Building, buildings_in, objects_of
from infra.simulator.pictures import png

BOX = (266_000.0, 6_648_000.0, 266_400.0, 6_648_300.0)
LARGE = (265_000.0, 6_648_000.0, 266_500.0, 6_649_500.0)  # more than an answer and a page hold
SMALL = (266_000.0, 6_648_000.0, 266_200.0, 6_648_100.0)
AT_SEA = (200_000.0, 6_550_000.0, 200_300.0, 6_550_300.0)
HOW = {"user_agent": "test", "seconds": 20}
COLLECTION = "/bygninger/collections/buildings"
OUTLINES = pytest.mark.parametrize("path", ["/bygninger", COLLECTION])

Read = Callable[..., Any]


async def read(client: Any, of: Read, path: str, bounds: tuple[float, ...], *more: Any) -> Any:
    """Return what a reader of ours makes of the simulator."""
    url = str(client.make_url("/")).rstrip("/") + path
    return await asyncio.to_thread(of, url, bounds, *more, **HOW)


async def misbehave(client: Any, path: str, **rule: Any) -> None:
    answer = await client.post("/_misbehave", json={"path": f"{path}*", **rule})
    assert answer.status == 200, await answer.text()


def assert_outlines_are(found: bygninger.Outlines, expected: list[Building]) -> None:
    outlines = {one.id: one.rings for one in found.buildings}
    assert len(outlines) == len(found.buildings)
    assert set(outlines) == {str(building.number) for building in expected}
    for building in expected:
        (ring,) = outlines[str(building.number)]
        np.testing.assert_allclose(ring[:4], building.outline(), atol=0.02)
        walls = shapely.Polygon(building.walls())
        assert walls.hausdorff_distance(shapely.Polygon(ring)) <= 1.02


@OUTLINES
async def test_outlines_are_those_of_the_records(client: Any, path: str) -> None:
    found = await read(client, bygninger.outlines, path, BOX)
    assert_outlines_are(found, buildings_in(*BOX))
    assert found.data_origin == "simulated"


@OUTLINES
async def test_more_outlines_than_an_answer_holds_are_complete(client: Any, path: str) -> None:
    expected = buildings_in(*LARGE)
    assert len(expected) > 2000
    assert_outlines_are(await read(client, bygninger.outlines, path, LARGE), expected)


@OUTLINES
async def test_outlines_in_answers_that_are_cut_are_complete(client: Any, path: str) -> None:
    await misbehave(client, "/bygninger", mode="cut")
    expected = buildings_in(*SMALL)
    assert len(expected) > 20
    assert_outlines_are(await read(client, bygninger.outlines, path, SMALL), expected)


@pytest.mark.parametrize("of", [bygninger.outlines, bygningspunkt.points])
async def test_an_answer_in_degrees_is_put_where_it_belongs(client: Any, of: Read) -> None:
    path = "/bygninger" if of is bygninger.outlines else "/bygningspunkt"
    good = await read(client, of, path, BOX)
    await misbehave(client, path, mode="lonlat")
    found = await read(client, of, path, BOX)
    for one, other in zip(found.buildings, good.buildings, strict=True):
        places = [np.array(each.rings[0] if of is bygninger.outlines else (each.x, each.y)) for each in (one, other)]
        np.testing.assert_allclose(*places, atol=0.02)


@pytest.mark.parametrize("mode", [None, "cut"])
async def test_register_points_are_read_from_all_pages(client: Any, mode: str | None) -> None:
    box = BOX if mode else LARGE
    if mode:
        await misbehave(client, "/bygningspunkt", mode=mode)
    found = await read(client, bygningspunkt.points, "/bygningspunkt", box)
    inside = [one for one in buildings_in(*box) if box[0] <= one.x <= box[2] and box[1] <= one.y <= box[3]]
    expected = {(str(one.number), one.code, round(one.x, 2), round(one.y, 2)) for one in inside}
    assert set(found.buildings) == expected
    assert len(found.buildings) == len(expected) > (10 if mode else 2000)
    assert found.data_origin == "simulated"


@pytest.mark.parametrize(
    ("of", "path"),
    [(bygninger.outlines, "/bygninger"), (bygninger.outlines, COLLECTION), (bygningspunkt.points, "/bygningspunkt")],
)
async def test_where_a_service_has_no_buildings_there_are_none(client: Any, of: Read, path: str) -> None:
    assert (await read(client, of, path, AT_SEA)).buildings == ()
    await misbehave(client, path, mode="none")
    assert (await read(client, of, path, BOX)).buildings == ()


READERS: dict[str, tuple[Read, tuple[Any, ...]]] = {
    "/bygninger": (bygninger.outlines, ()),
    COLLECTION: (bygninger.outlines, ()),
    "/bygningspunkt": (bygningspunkt.points, ()),
    "/ortofoto?LAYERS=ortofoto": (ortofoto.picture, (0.5,)),
    "/ortofoto/wmts?LAYER=ortofoto": (ortofoto.picture, (0.5,)),
}


@pytest.mark.parametrize("path", READERS)
@pytest.mark.parametrize(
    "rule",
    [
        {"mode": "exception"},
        {"mode": "error", "status": 500},
        {"mode": "garbage"},
        {"mode": "empty"},
        {"mode": "truncate"},
        {"mode": "truncate", "how": "file"},
        {"mode": "reset"},
    ],
    ids=lambda rule: f"{rule['mode']}{rule.get('how', '')}",
)
async def test_a_fault_of_a_service_is_one_sentence_without_the_query(
    client: Any, path: str, rule: dict[str, Any]
) -> None:
    of, more = READERS[path]
    service = path.partition("?")[0]
    await misbehave(client, service, **rule)
    with pytest.raises(SourceError, match=f"^{service.split('/')[1]}: http") as failed:
        await read(client, of, path, BOX, *more)
    assert not {"BBOX", "bbox", "266000"} & set(str(failed.value).replace("=", " ").split())


@pytest.mark.parametrize("path", READERS)
async def test_a_service_that_is_silent_is_given_up_in_time(client: Any, path: str) -> None:
    of, more = READERS[path]
    await misbehave(client, path.partition("?")[0], mode="slow", seconds=30)
    url = str(client.make_url("/")).rstrip("/") + path
    with pytest.raises(SourceError, match=r"slow|could not be read"):
        await asyncio.to_thread(of, url, BOX, *more, user_agent="test", seconds=0.3)


def detached(thing: str) -> Building:
    """Return a building of the box with such a thing."""
    inner = (BOX[0] + 30, BOX[1] + 30, BOX[2] - 30, BOX[3] - 30)
    return next(one for one in buildings_in(*inner) if thing in {each.kind for each in objects_of(one)})


async def picture_of(client: Any, building: Building, more: str = "", pixel: float = 0.1) -> ortofoto.Picture:
    x, y = (pixel * round(value / pixel) for value in (building.x, building.y))
    box = (x - 20, y - 20, x + 20, y + 20)
    found = await read(client, ortofoto.picture, f"/ortofoto?LAYERS=ortofoto{more}", box, pixel)
    assert isinstance(found, ortofoto.Picture)
    return found


def colour(found: ortofoto.Picture, corners: np.ndarray) -> np.ndarray:
    """Return the median colour within corners; row 0 of a picture is the northernmost."""
    rows, columns = found.rgb.shape[:2]
    x = found.bounds[0] + found.pixel * (np.arange(columns) + 0.5)
    y = found.bounds[3] - found.pixel * (np.arange(rows) + 0.5)
    inside = shapely.contains_xy(shapely.Polygon(corners), *np.meshgrid(x, y))
    return np.asarray(np.median(found.rgb[inside], axis=0))


@pytest.mark.parametrize("more", ["", "&VERSION=1.3.0&format=image/jpeg", "&Format=image/png&styles="])
async def test_a_picture_shows_what_the_records_say(client: Any, more: str) -> None:
    for kind in ("overlys", "solceller"):
        building = detached(kind)
        found = await picture_of(client, building, more)
        assert (found.rgb.shape, found.rgb.dtype, found.data_origin) == ((400, 400, 3), np.uint8, "simulated")
        assert found.year == (None if "jpeg" in more else 2024)
        thing = next(each for each in objects_of(building) if each.kind == kind)
        red, _, blue = colour(found, thing.corners)
        assert red < 60
        assert blue > red
        grass = building.at(np.array([[0, -11], [2, -11], [2, -10], [0, -10]], np.float64))
        assert colour(found, grass).argmax() == 1


@pytest.mark.parametrize("path", ["", "/1.0.0/WMTSCapabilities.xml"])
@pytest.mark.parametrize("pixel", [0.125, 0.25, 0.2])
async def test_a_picture_of_tiles_is_that_of_the_map(client: Any, path: str, pixel: float) -> None:
    building = detached("solceller")
    x, y = round(building.x), round(building.y)
    box = (x - 20, y - 20, x + 20, y + 20)
    expected = await read(client, ortofoto.picture, "/ortofoto?LAYERS=ortofoto", box, pixel)
    found = await read(client, ortofoto.picture, f"/ortofoto/wmts{path}?LAYER=ortofoto", box, pixel)
    assert (found.rgb.shape, found.data_origin, found.year) == (expected.rgb.shape, "simulated", 2024)
    if pixel == 0.2:
        off = np.abs(found.rgb.astype(int) - expected.rgb)
        assert np.median(off) < 8
    else:
        np.testing.assert_array_equal(found.rgb, expected.rgb)


async def test_a_layer_without_tiles_is_refused(client: Any) -> None:
    with pytest.raises(SourceError, match="has no such layer in UTM 33 or web mercator"):
        await read(client, ortofoto.picture, "/ortofoto/wmts?LAYER=other", BOX, 1.0)


async def test_a_picture_of_another_size_is_none_of_ours_to_ask_for(client: Any) -> None:
    with pytest.raises(ValueError, match="2048"):
        await read(client, ortofoto.picture, "/ortofoto?LAYERS=ortofoto", BOX, 0.1)
    with pytest.raises(SourceError, match="names no layer"):
        await read(client, ortofoto.picture, "/ortofoto", BOX, 1.0)


async def look(client: Any, building: Building, key: str = "secret") -> vision.Vision:
    found = await picture_of(client, building)
    url = str(client.make_url("/vision/v1"))
    return await asyncio.to_thread(
        vision.ask, url, key, "any", png(found.rgb), found.bounds, centre=(building.x, building.y), **HOW
    )


async def test_the_vision_model_tells_forms_and_things_with_the_errors_it_says_it_has(client: Any) -> None:
    buildings = buildings_in(BOX[0] + 30, BOX[1] + 30, BOX[0] + 230, BOX[1] + 130)
    image = png(np.zeros((1000, 1000, 3), np.uint8))
    box = (BOX[0], BOX[1], BOX[0] + 300, BOX[1] + 300)
    url = str(client.make_url("/vision/v1"))

    def ask(building: Building) -> vision.Vision:
        return vision.ask(url, "", "any", image, box, centre=(building.x, building.y), **HOW)

    right, far = 0, []
    for building in buildings:
        said = await asyncio.to_thread(ask, building)
        assert (said.model, said.data_origin) == (model.MODEL, "simulated")
        is_right = said.form == building.form
        right += is_right
        assert said.confidence == (model.SURE if is_right else model.UNSURE)
        assert said.tilt == pytest.approx(building.tilt, abs=model.TILT_ERROR_DEGREES + 0.1)
        things = [shapely.Polygon(each.corners).centroid for each in objects_of(building)]
        seen = [shapely.Polygon(each.polygon).centroid for each in said.obstacles]
        far += [min(one.distance(other) for other in things) for one in seen]
    assert right >= 0.8 * len(buildings)
    assert max(far) < 0.3 * model.CORNER_ERROR_PIXELS * 2  # pixels of 0.3 m


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"mode": "prose"}, "answered something else than the schema: I see a house"),
        ({"mode": "error", "status": 500}, "answered HTTP 500"),
        ({"mode": "error", "status": 401}, "does not know these credentials"),
        ({"mode": "truncate", "how": "file"}, "answered no completion"),
        ({"mode": "garbage"}, "answered no completion"),
        ({"mode": "empty"}, "answered no completion"),
        ({"mode": "reset"}, "could not be read"),
    ],
)
async def test_a_fault_of_the_vision_model_is_a_sentence_without_the_key(
    client: Any, rule: dict[str, Any], sentence: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    await misbehave(client, "/vision/", **rule)
    with pytest.raises(SourceError, match=f"^vision: .*{sentence}") as failed:
        await look(client, detached("pipe"), key="sk-0123")
    assert "sk-0123" not in str(failed.value) + caplog.text


async def test_where_no_building_is_the_vision_model_says_so(client: Any) -> None:
    image, url = png(np.zeros((10, 10, 3), np.uint8)), str(client.make_url("/vision/v1"))
    said = await asyncio.to_thread(vision.ask, url, "", "any", image, AT_SEA, **HOW)
    assert (said.form, said.tilt, said.confidence, said.obstacles) == ("ukjent", None, 0, ())


@pytest.mark.parametrize("media", ["image/png", "image/jpeg"])
async def test_pictures_say_that_they_are_simulated(client: Any, media: str) -> None:
    answer = await client.get(
        "/ortofoto?SERVICE=WMS&VERSION=1.1.1&REQUEST=GetMap&LAYERS=ortofoto&STYLES=&SRS=EPSG:25833"
        f"&BBOX=266000,6648000,266050,6648050&WIDTH=100&HEIGHT=100&FORMAT={media}"
    )
    assert answer.headers["X-Data-Origin"] == "simulated"
    with rasterio.MemoryFile(await answer.read()) as file, file.open() as picture:
        assert "simulated" in " ".join(picture.tags().values())
