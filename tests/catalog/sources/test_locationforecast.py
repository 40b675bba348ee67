"""Point forecasts: what they say in our units, and what is refused in one sentence."""

import copy
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catalog.sources.errors import SourceError
from catalog.sources.http import Deadline, make_client
from catalog.sources.locationforecast import ask, point_of, read
from infra.simulator.locationforecast import forecast
from tests.support.http_files import FileServer
from tests.support.reading import sentence_of

OSLO = (59.91, 10.75)
MADE = datetime(2026, 6, 20, 12, tzinfo=UTC)
GOOD = forecast(*OSLO, MADE)


def understood(answer: Any, lat: float = OSLO[0], lon: float = OSLO[1]) -> Any:
    return read(answer if isinstance(answer, bytes) else json.dumps(answer).encode(), "http://x", lat, lon)


def test_a_forecast_is_told_in_our_units_at_its_instants() -> None:
    point = understood(GOOD)
    details = [step["data"]["instant"]["details"] for step in GOOD["properties"]["timeseries"]]
    assert point.times[0] == MADE.timestamp()  # an instant AT the time: nothing is shifted
    np.testing.assert_allclose(point.cloud, [d["cloud_area_fraction"] / 100 for d in details])
    np.testing.assert_array_equal(point.temp_air, [d["air_temperature"] for d in details])
    np.testing.assert_array_equal(point.wind_speed, [d["wind_speed"] for d in details])
    assert point.altitude == GOOD["geometry"]["coordinates"][2]
    assert point.updated_at == MADE
    assert point.data_origin == "simulated"


def test_a_real_answer_of_the_service_is_read(shared_data: Path) -> None:
    sample = shared_data / "api_samples/met_locationforecast_2.0_complete_london.json"
    answer = json.loads(sample.read_text())["data"]
    point = understood(answer, 51.5, -0.1)
    assert point.times[0] == datetime(2020, 7, 20, 11, tzinfo=UTC).timestamp()
    assert (point.cloud[0], point.temp_air[0], point.wind_speed[0], point.altitude) == (0.125, 18.8, 2.3, 25)
    assert len(point.times) == 82
    assert np.isfinite([point.cloud, point.temp_air, point.wind_speed]).all()
    assert point.data_origin == "live"
    with pytest.raises(SourceError, match="another point"):
        understood(answer, -0.1, 51.5)  # longitude comes first in GeoJSON


def changed(change: Any) -> Any:
    answer = copy.deepcopy(GOOD)
    change(answer)
    return answer


def details(answer: Any, at: int = 70) -> Any:
    return answer["properties"]["timeseries"][at]["data"]["instant"]["details"]


def steps(answer: Any) -> Any:
    return answer["properties"]["timeseries"]


BAD = {
    "no JSON": (b"<html>", "no JSON"),
    "NaN": (json.dumps(changed(lambda a: details(a).update(wind_speed=float("nan")))).encode(), "no JSON"),
    "no steps": (changed(lambda a: a["properties"].update(timeseries=[])), "something else"),
    "too many steps": (changed(lambda a: steps(a).extend(steps(a) * 15)), "something else"),
    "no cloud": (changed(lambda a: details(a).pop("cloud_area_fraction")), "cloud_area_fraction"),
    "temperature is a text": (changed(lambda a: details(a).update(air_temperature="18")), "air_temperature"),
    "cloud above 100": (changed(lambda a: details(a).update(cloud_area_fraction=101)), "beyond 0..100"),
    "kelvin": (changed(lambda a: a["properties"]["meta"]["units"].update(air_temperature="K")), "in 'K'"),
    "kelvin unsaid": (changed(lambda a: details(a).update(air_temperature=291.2)), "beyond -90..60"),
    "backwards": (changed(lambda a: steps(a).reverse()), "do not ascend"),
    "half hours": (changed(lambda a: steps(a)[0].update(time="2026-06-20T11:30:00Z")), "no whole hour"),
    "a gap": (changed(lambda a: steps(a).__delitem__(slice(70, 73))), "gap of 24 hours"),
    "no zone": (changed(lambda a: steps(a)[5].update(time="2026-06-20T17:00:00")), "no time zone"),
    "elsewhere": (changed(lambda a: a["geometry"].update(coordinates=[10.76, 59.91, 5])), "another point"),
    "in orbit": (changed(lambda a: a["geometry"].update(coordinates=[10.75, 59.91, 9e5])), "height of 900000 m"),
}


@pytest.mark.parametrize(("answer", "why"), BAD.values(), ids=BAD)
def test_a_bad_answer_is_refused_in_one_sentence_without_the_place(answer: Any, why: str) -> None:
    text = sentence_of("locationforecast", lambda: understood(answer))
    assert re.search(why, text)
    assert len(text) < 250
    assert "10.75" not in text  # where somebody lives is nobody's business


def test_one_far_step_may_be_missing() -> None:
    point = understood(changed(lambda a: steps(a).__delitem__(70)))
    assert np.diff(point.times).max() == 12 * 3600


def test_a_place_is_asked_for_to_four_decimals() -> None:
    with FileServer() as server, make_client("solflis-test (test@example.com)") as client:
        server.put("/lf/complete?lat=59.9124&lon=0.0000", b"{}")
        answer = ask(server.url + "/lf/", 59.91235001, -0.00001, client, Deadline(5))
        assert answer.body == b"{}"
        assert [request.path for request in server.requests] == ["/lf/complete?lat=59.9124&lon=0.0000"]
    assert point_of(59.91235001, 10.749999999) == (59.9124, 10.75)


def test_a_time_with_another_zone_is_its_moment() -> None:
    local = MADE.astimezone(UTC) + timedelta(hours=2)
    answer = changed(lambda a: steps(a)[0].update(time=f"{local:%Y-%m-%dT%H:%M:%S}+02:00"))
    assert understood(answer).times[0] == MADE.timestamp()
