"""`solflis build correction`: learns from published forecasts and observations, judges on days not seen, refuses."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catalog.sources.errors import SourceError
from catalog.sources.frost import Station
from catalog.versions import read_index
from dags.build.context import NothingToBuild
from dags.build.correction import correction
from dags.build.correction import training as correction_training
from tests.support.context import context_of
from tests.support.stations import clear_sky, frost_stub, publish_cycle, publish_table
from tests.support.tiles import hour_starts
from tiles.manifest import Manifest
from tiles.store import Store, open_store

NOW = "2026-06-21T03:00:00Z!"
FIRST = datetime(2026, 6, 8, tzinfo=UTC)
BIAS = 0.8


def kc(number: int, hour: int) -> float:
    """The weather: a clear-sky index for each station and hour."""
    return 0.55 + 0.4 * float(np.sin(number + hour / 7200))


PLACES = tuple(
    Station(i, f"MADE UP {i}", lat, lon, 10.0)
    for i, (lat, lon) in enumerate(product(np.linspace(58, 70, 8), np.linspace(5, 29, 5)))
)
SKY = clear_sky(PLACES, hour_starts(FIRST, 24 * 16))[0]


def truth(number: int, hour: int) -> float | None:
    row = (hour - int(FIRST.timestamp())) // 3600
    if hour % (97 * 3600) == 0:
        return None  # a gap now and then
    return round(kc(number, hour) * float(SKY[row, number]), 2)


def noisy(number: int, hour: int) -> float | None:
    """The same with an error of the instrument that no forecast could know."""
    value = truth(number, hour)
    draw = np.random.default_rng((number, hour)).uniform(0.8, 1.2)
    return None if value is None else round(value * float(draw), 2)


def fill(store: Store, days: int = 13, bias: float = BIAS) -> None:
    for day in range(days):
        cycle = FIRST + timedelta(days=day)
        hours = hour_starts(cycle)
        sky = clear_sky(PLACES, hours, FIRST)
        indices = np.array([[kc(place.number, hour) for place in PLACES] for hour in hours.tolist()])
        raw = (bias * indices * sky[0]).astype(np.float32)
        publish_cycle(store, cycle, raw, stations=PLACES, sky=sky)


def learn(store: Store, url: str, source: str = "met_nordic", report: Any = lambda _: None) -> Any:
    return correction_training.build(context_of(store, NOW, source=source, addresses={"frost": url}, report=report))


@pytest.fixture(scope="module")
def forecasts(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = open_store(str(tmp_path_factory.mktemp("forecasts")))
    fill(store)
    return store


@pytest.fixture(scope="module")
def learned(forecasts: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, str, Any, list[str]]]:
    folder, lines = tmp_path_factory.mktemp("learned") / "tiles", list[str]()
    store = open_store(str(shutil.copytree(forecasts.url, folder)))
    with frost_stub(truth) as url:
        entry = learn(store, url, report=lines.append)
        yield store, url, entry, lines


def test_the_bias_is_found_and_the_table_is_in_force(learned: Any) -> None:
    store, _, entry, _ = learned
    assert (entry.version, entry.source, entry.data_origin) == ("2026-06-21", "met_nordic", "simulated")
    table, in_force = correction.current(context_of(store, NOW), "met_nordic", "simulated")
    assert in_force == entry
    where_pairs_are = table.factor[5:8, 2:7, 3:7]
    np.testing.assert_allclose(where_pairs_are, 1 / BIAS, atol=0.08)


def test_the_provenance_says_what_was_learned_from_and_how_good_it_is(learned: Any) -> None:
    store, _, entry, lines = learned
    assert any("RMSE" in line and "nMAE" in line for line in lines)
    said = Manifest.read(store, entry.manifest).provenance
    days, judged = set(said["days_learned_from"]), set(said["days_judged_on"])
    assert days.isdisjoint(judged)
    assert sorted(days | judged) == [f"2026-06-{day:02}" for day in range(8, 22)]
    assert said["stations"] == [place.number for place in PLACES]
    assert said["pairs"]["learned_from"] > said["pairs"]["judged_on"] > 500
    assert said["replaces"] == "identity"
    before, after = said["judged"]["without_correction"], said["judged"]["this"]
    assert before["bias"] < -30
    assert after["rmse"] < 0.3 * before["rmse"]
    assert said["sources"][0]["cycles"] == 13
    assert "SIMULATED" in said["sources"][1]["attribution"]


def test_instruments_that_show_what_cannot_be_teach_nothing(learned: Any, forecasts: Store, tmp_path: Path) -> None:
    store, _, entry, _ = learned
    broken = tuple(range(0, 40, 4))

    def stuck(number: int, hour: int) -> float | None:
        return 1490.0 if number in broken else truth(number, hour)

    other = open_store(str(shutil.copytree(forecasts.url, tmp_path / "tiles")))
    with frost_stub(stuck) as url:
        table = correction.read_table(other, learn(other, url))
    expected = correction.read_table(store, entry)
    np.testing.assert_allclose(table.factor, expected.factor, atol=0.05)


def test_learning_the_same_again_is_refused_with_figures(learned: Any) -> None:
    store, url, entry, _ = learned
    with pytest.raises(NothingToBuild, match=r"RMSE of \d+\.\d\d W/m2, the one in force \(2026-06-21\) \d"):
        learn(store, url)
    assert read_index(store, "correction").get("2026-06-21") == entry


@pytest.mark.slow
def test_what_says_nothing_new_is_refused_and_a_table_worse_than_none_gives_way_to_ones(store: Store) -> None:
    """A forecast that is right in the mean: no table can be better than none."""
    fill(store, 10, bias=1.0)
    with frost_stub(noisy) as url:
        with pytest.raises(NothingToBuild, match="no correction is published"):
            learn(store, url)
        assert [e.version for e in read_index(store, "correction").entries] == ["identity"]
        publish_table(store, 0.5, "2026-06-08")
        entry = learn(store, url)
    np.testing.assert_array_equal(correction.read_table(store, entry).factor, 1)
    assert Manifest.read(store, entry.manifest).provenance["replaces"] == "2026-06-08"


def test_too_little_is_not_learned_from(store: Store) -> None:
    with frost_stub(truth) as url:
        with pytest.raises(NothingToBuild, match="no station_forecast of met_nordic"):
            learn(store, url)
        fill(store, 2)
        with pytest.raises(NothingToBuild, match=r"4 days, 40 stations, \d+ pairs in daylight; at least 9 days"):
            learn(store, url)
        with pytest.raises(NothingToBuild, match="no station_forecast of arome_metcoop"):
            learn(store, url, "arome_metcoop")
    with frost_stub(lambda *_: None) as url, pytest.raises(NothingToBuild, match="0 days, 0 stations, 0 pairs"):
        learn(store, url)
    with pytest.raises(SourceError, match=r"^frost: "):
        learn(store, "ftp://nowhere")


def test_the_command_publishes_the_identity(store: Store) -> None:
    assert correction_training.build(context_of(store, NOW, partition="identity")).version == "identity"
