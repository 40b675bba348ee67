"""Borders of the municipalities: the real file, and what is refused in one sentence."""

import json
from pathlib import Path
from typing import Any

import pytest
import shapely

from catalog.sources import http
from catalog.sources.errors import NotYetAvailable, Origin, SourceError
from catalog.sources.kartverket import borders as kartverket
from tests.support.http_files import FileServer, Status

ORIGIN = Origin("kartverket", "http://x/Kommuner-M.geojson")
SQUARE = [[10.0, 60.0], [11.0, 60.0], [11.0, 61.0], [10.0, 61.0], [10.0, 60.0]]
ISLAND = [[9.0, 60.0], [9.1, 60.0], [9.1, 60.1], [9.0, 60.0]]


def collection(*properties: dict[str, Any], **more: Any) -> bytes:
    geometry = {"type": "MultiPolygon", "coordinates": [[SQUARE], [ISLAND]]}
    features = [{"type": "Feature", "properties": each, "geometry": geometry} for each in properties]
    return json.dumps({"type": "FeatureCollection", "features": features, **more}).encode()


def municipalities(url: str) -> kartverket.Borders:
    return kartverket.municipalities(url, user_agent="test", deadline_s=10)


def test_the_real_file_in_a_folder(shared_data: Path) -> None:
    found = municipalities(str(shared_data / "borders"))
    assert len(found.areas) == found.areas["number"].nunique() == 357
    named = dict(zip(found.areas["number"], found.areas["name"], strict=True))
    assert (named[301], named[4601], named[5501], named[3440]) == ("Oslo", "Bergen", "Tromsø", "Øyer")
    assert sorted(number for number, name in named.items() if name == "Herøy") == [1515, 1818], "two of one name"
    oslo = found.areas.geometry[found.areas["number"] == 301].item()
    assert shapely.box(10.4, 59.8, 11.0, 60.2).contains(oslo)
    assert found.data_origin == "live"
    assert found.input["bytes"] == (shared_data / "borders" / kartverket.MUNICIPALITIES).stat().st_size


@pytest.mark.parametrize("number", [None, "", "x", "12", 300, 5700, "-301"])
def test_what_is_no_kommunenummer_is_refused(number: Any, tmp_path: Path) -> None:
    (tmp_path / kartverket.MUNICIPALITIES).write_bytes(collection({"kommunenummer": number, "name": "Oslo"}))
    with pytest.raises(SourceError, match=r"^kartverket: .*Kommuner-M.geojson .*no kommunenummer"):
        municipalities(str(tmp_path))


def test_a_number_that_comes_twice_is_refused(tmp_path: Path) -> None:
    body = collection({"kommunenummer": "0301", "name": "Oslo"}, {"kommunenummer": "301", "name": "Moss"})
    (tmp_path / kartverket.MUNICIPALITIES).write_bytes(body)
    with pytest.raises(SourceError, match="or with the same"):
        municipalities(str(tmp_path))


def test_over_http_and_where_there_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)
    with FileServer() as server:
        server.put("/at/Kommuner-M.geojson", collection({"kommunenummer": "0301", "name": "Oslo"}))
        server.fail("/at/Kommuner-M.geojson", Status(503), times=1)
        assert municipalities(f"{server.url}/at/").areas["number"].tolist() == [301]
        with pytest.raises(NotYetAvailable, match="HTTP 404"):
            municipalities(f"{server.url}/elsewhere")
    with pytest.raises(NotYetAvailable, match="does not exist"):
        municipalities(str(tmp_path))
