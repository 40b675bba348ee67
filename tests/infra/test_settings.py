"""Settings: what they mean, and refusals that name the variable."""

from dataclasses import replace
from pathlib import Path

import pytest

from api.core.settings import Settings as ApiSettings
from catalog.sources.registry import SOURCES
from dags.areas import Area
from dags.settings import DagSettings
from infra.settings import Settings, SettingsError


def test_the_defaults(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    settings = Settings.from_environment({})
    assert (settings.port, settings.airflow_port, settings.simulator_port) == (8080, 8081, 8082)
    assert settings.state == tmp_path / "var"
    assert settings.store == str(tmp_path / "var" / "tiles")
    assert settings.clock.is_real
    assert not settings.metrics
    assert [area.name for area in settings.areas] == ["Oslo", "Bergen", "Trondheim", "Tromso", "Finse"]
    assert settings.areas[4] == Area("Finse", 60.60, 7.50, 12.0)
    assert {"met_nordic", "frost"} < set(settings.simulated_sources)
    assert settings.source_urls["met_nordic"] == "http://127.0.0.1:8082/met_nordic"
    assert settings.source_urls["ortofoto"] == "http://127.0.0.1:8082/ortofoto?LAYERS=ortofoto"


def test_a_source_with_an_address_is_not_simulated_nor_an_ordered_archive(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    plain = Settings.from_environment({})
    assert "era5" not in plain.source_urls
    assert "SOLFLIS_ERA5_URL" not in plain.child_environment()
    assert plain.source_urls["nora3"] == "http://127.0.0.1:8082/nora3"
    given = {"SOLFLIS_ERA5_URL": "./era5", "SOLFLIS_MET_NORDIC_URL": "https://example.org/files/"}
    settings = Settings.from_environment(given)
    assert settings.source_urls["met_nordic"] == "https://example.org/files"
    assert settings.source_urls["era5"] == str(tmp_path / "era5")
    assert settings.child_environment()["SOLFLIS_ERA5_URL"] == str(tmp_path / "era5")
    assert set(plain.simulated_sources) - set(settings.simulated_sources) == {"met_nordic"}


def test_a_row_of_the_registry_is_all_that_a_setting_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SOURCES, "new_one", replace(SOURCES["met_nordic"], name="new_one"))
    given = {"SOLFLIS_STORE": "/tiles", "SOLFLIS_NEW_ONE_URL": "https://example.org/new"}
    ours = Settings.from_environment(given)
    assert ours.source_urls["new_one"] == "https://example.org/new"
    assert "new_one" not in ours.simulated_sources
    assert DagSettings.from_environment(ours.child_environment()).url("new_one") == "https://example.org/new"
    assert ApiSettings.from_environment(ours.child_environment()).address("new_one") == "https://example.org/new"
    plain = Settings.from_environment({})
    assert plain.source_urls["new_one"] == "http://127.0.0.1:8082/new_one"
    assert ApiSettings.from_environment({}).address("new_one") == SOURCES["new_one"].default_url
    with pytest.raises(ValueError, match="SOLFLIS_NEW_ONE_URL is not set"):
        DagSettings.from_environment({"SOLFLIS_STORE": "/tiles"}).url("new_one")


def test_without_the_simulator_a_child_asks_the_authorities() -> None:
    given = {"SOLFLIS_NVE_GTS_URL": "https://example.org/snow", "SOLFLIS_PORT": "9080"}
    environment = Settings.from_environment(given).child_environment(simulator=False)
    assert {name for name in environment if name.endswith("_URL")} == {"SOLFLIS_NVE_GTS_URL"}
    assert environment["SOLFLIS_PORT"] == "9080"


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("PORT", "65536", "a port number"),
        ("WORKERS", "1.5", "a number of processes"),
        ("CLOCK", "yesterday", "is not a clock"),
        ("AREAS", "Oslo:nan,10.75", "is no area"),
        ("AREAS", ";", "at least one area"),
        ("FORECAST_SOURCE", "gfs", "met_nordic, arome_metcoop"),
        ("ACCESS", "everybody", "keys, open"),
        ("SIMULATOR_SPACING_KM", "nan", "a length in km"),
        ("START_DATE", "soon", "a moment"),
    ],
)
def test_a_malformed_value_names_its_variable(name: str, value: str, expected: str) -> None:
    with pytest.raises(SettingsError, match=f"^SOLFLIS_{name}='{value}': .*{expected}"):
        Settings.from_environment({f"SOLFLIS_{name}": value})


def test_a_child_reads_the_very_same_settings() -> None:
    parent = Settings.from_environment(
        {
            "SOLFLIS_CLOCK": "2026-06-21T06:00:00Z",
            "SOLFLIS_STATE": "elsewhere",
            "SOLFLIS_STORE": "s3://tiles/here",
            "SOLFLIS_AREAS": "Finse:60.6,7.5",
            "SOLFLIS_WORKERS": "3",
            "SOLFLIS_PORT": "9080",
            "SOLFLIS_FORECAST_SOURCE": "arome_metcoop",
            "SOLFLIS_ACCESS": "open",
            "SOLFLIS_SIMULATOR_SPACING_KM": "20",
            **{source.setting: f"https://example.org/{source.name}" for source in SOURCES.values()},
            "SOLFLIS_SIMULATOR_ARCHIVE_SPACING_KM": "24",
        }
    )
    assert Settings.from_environment(parent.child_environment()) == parent


def test_the_readme_tells_of_every_setting() -> None:
    readme = (Path(__file__).resolve().parents[2] / "infra" / "README.md").read_text()
    of_sources = {source.setting for source in SOURCES.values()}  # told by the table of sources
    names = {*Settings.from_environment({}).child_environment(), "SOLFLIS_START_DATE"} - of_sources
    assert {name for name in {*names, "SOLFLIS_<SOURCE>_URL"} if f"`{name}`" not in readme} == set()
