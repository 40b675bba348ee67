"""The line of the horizon on the map: where it is, in which order, and where it breaks off."""

from typing import Any

import numpy as np
import orjson

from api.horizon.formats.registry import FORMATS
from api.horizon.profile import AZIMUTHS, HorizonProfile
from tests.api.horizon.formats.conftest import made_up_profile


def features(profile: HorizonProfile) -> tuple[Any, Any]:
    line, observer = orjson.loads(FORMATS["geojson"].write(profile))["features"]
    return line, observer


def gaps(*missing: slice) -> Any:
    distance = 2000.0 + 10 * AZIMUTHS
    for part in missing:
        distance[part] = np.nan
    return distance


def test_all_around_the_line_ends_where_it_begins() -> None:
    line, _ = features(made_up_profile())
    assert line["geometry"]["type"] == "LineString"
    coordinates = line["geometry"]["coordinates"]
    assert len(coordinates) == len(line["properties"]["azimuth_deg"]) == 721
    assert coordinates[0] == coordinates[-1]


def test_it_breaks_off_where_nothing_is_known_and_goes_on_through_north() -> None:
    line, _ = features(made_up_profile(distance=gaps(slice(100, 200), slice(300, 400), slice(500, 501))))
    assert line["geometry"]["type"] == "MultiLineString"
    pieces = [len(piece) for piece in line["geometry"]["coordinates"]]
    assert pieces == [100, 100, 319]
    azimuths = line["properties"]["azimuth_deg"]
    assert len(azimuths) == sum(pieces)
    assert azimuths[:2] == [100.0, 100.5]
    assert azimuths[200] == 250.5
    assert azimuths[-1] == 49.5, "the last piece goes through north"


def test_a_point_alone_is_no_line() -> None:
    alone = gaps(slice(0, 10), slice(11, 720))
    line, _ = features(made_up_profile(distance=alone))
    assert line["geometry"] is None
    assert line["properties"]["azimuth_deg"] == []


def test_open_sea_all_around_has_no_line_and_an_observer() -> None:
    line, observer = features(made_up_profile(distance=gaps(slice(None)), dtm_year=None))
    assert line["geometry"] is None
    assert observer["geometry"] == {"type": "Point", "coordinates": [10.754321, 59.912346]}
    assert observer["properties"]["dtm_year"] is None
    assert observer["properties"]["sources"] == ["(c) A survey - licence CC BY 4.0"]
