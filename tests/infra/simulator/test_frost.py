"""Frost as simulated: what our own source reads of it, near the truth, and its faults."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from catalog.sources import frost as source
from infra.simulator import frost
from infra.simulator.bias import Bias
from infra.simulator.weather import true_hour_mean_ghi
from tiles.grid import FORECAST

CLOCK = "2026-06-20T14:10:00Z!"
NOW = datetime(2026, 6, 20, 14, 10, tzinfo=UTC)


async def observe(client: Any, numbers: list[int], start: datetime, end: datetime) -> source.Observations:
    url = str(client.make_url("/frost"))
    return await asyncio.to_thread(source.observations, url, numbers, start, end, user_agent="test", deadline_s=20.0)


async def test_our_source_reads_the_stations(client: Any) -> None:
    url = str(client.make_url("/frost"))
    listed = await asyncio.to_thread(source.stations, url, user_agent="test", deadline_s=20.0)
    assert listed.data_origin == "simulated"
    assert len(listed.stations) == len(frost.PLACES) >= 40
    assert all(station.name.startswith("SIMULATED") for station in listed.stations)
    assert all(FORECAST.lats[0] < s.lat < FORECAST.lats[-1] for s in listed.stations)
    assert (await client.get("/frost/sources/v0.jsonld")).headers["X-Data-Origin"] == "simulated"


async def test_what_is_observed_is_near_the_truth_of_the_same_hour(client: Any) -> None:
    places = range(0, len(frost.PLACES), 5)
    start = NOW.replace(hour=0, minute=0) - timedelta(days=1)
    got = await observe(client, [frost.number_of(i) for i in places], start, start + timedelta(days=1))
    assert got.data_origin == "simulated"
    lat, lon = (np.array([frost.PLACES[i][k] for i in places]) for k in (1, 2))
    truth = true_hour_mean_ghi(lat, lon, got.hours)
    there = np.isfinite(got.ghi)
    assert 0.95 < there.mean() < 1
    lit = there & (truth > 50)
    ratio = got.ghi[lit] / truth[lit]
    assert abs(ratio.mean() - 1) < 0.01
    assert 0.01 < ratio.std() < 0.04, "an hour off would be far more"
    again = await observe(client, [frost.number_of(i) for i in places], start, start + timedelta(days=1))
    np.testing.assert_array_equal(again.ghi, got.ghi)


async def test_no_hour_is_measured_before_it_has_ended(client: Any) -> None:
    got = await observe(client, [frost.number_of(0)], NOW.replace(hour=12, minute=0), NOW.replace(hour=17, minute=0))
    assert np.isfinite(got.ghi[:, 0]).tolist() == [True, True, False, False, False]
    later = await observe(client, [frost.number_of(0)], NOW + timedelta(days=1), NOW + timedelta(days=2))
    assert np.isnan(later.ghi).all()


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("sources=x&referencetime=2026-06-20T00:00:00Z/2026-06-20T04:00:00Z", 400),
        ("sources=SN900001&referencetime=2026-06-20T00:00:00/2026-06-20T04:00:00", 400),
        ("sources=SN900001&referencetime=2026-06-20T00:00:00Z/2026-06-20T04:00:00Z&elements=air_temperature", 412),
        ("sources=SN900001&referencetime=1990-06-20T00:00:00Z/2026-06-20T04:00:00Z", 403),
    ],
)
async def test_refusals(client: Any, query: str, status: int) -> None:
    query += "" if "elements" in query else f"&elements={frost.ELEMENT}"
    assert (await client.get(f"/frost/observations/v0.jsonld?{query}")).status == status


def test_a_bias_is_read_and_refused() -> None:
    bias = Bias.parse("0.8,1,-0.002")
    assert Bias.parse(bias.text) == bias
    np.testing.assert_allclose(bias.factor(np.array([-0.1, 0, 0.5, 1], np.float32), 50.0), [0.72, 0.72, 0.81, 0.9])
    for text in ("", "1,2", "1,2,3,4", "x,1,0", "nan,1,0", "0.1,1,0", "1,1,-0.02"):
        with pytest.raises(ValueError, match="is no bias"):
            Bias.parse(text)
