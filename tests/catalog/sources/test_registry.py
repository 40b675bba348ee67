"""The registry of sources: every row is complete, light to read, played by the simulator and told by the README."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from catalog.sources.registry import FORECAST_SOURCES, SOURCES, Source, addresses, forecast_source
from infra.simulator.server import create_app
from tiles.clock import Clock

README = Path(__file__).resolve().parents[3] / "catalog" / "sources" / "README.md"

every_source = pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)


@every_source
def test_a_source_names_its_producer_licence_address_and_module(source: Source) -> None:
    assert all((source.title, source.attribution, source.contact, source.producer.name, source.licence.name))
    assert source.licence.spdx in {"CC-BY-4.0", "NLOD-2.0", "other"}
    assert all(url.startswith("https://") for url in (source.producer.url, source.licence.url))
    assert source.default_url.startswith("https://") or (source.default_url, source.contact) == ("", "ordered")
    assert source.setting == f"SOLFLIS_{source.name.upper()}_URL"
    module: ModuleType = import_module(f"catalog.sources.{source.module or source.name}")
    assert getattr(module, "NAME", source.name) == source.name
    if source.cycle_every_h:
        assert source.open_cycle is module.open_cycle


@every_source
def test_the_readme_lists_each_source(source: Source) -> None:
    [row] = [line for line in README.read_text().splitlines() if line.startswith(f"| `{source.name}` |")]
    told = (source.title, source.producer.url, source.licence.url, source.setting, source.default_url, source.contact)
    assert [text for text in told if text not in row] == []


def test_the_simulator_serves_the_sources_that_the_registry_says_it_does(tmp_path: Path) -> None:
    app = create_app(Clock.parse("2026-06-21T12:30:00Z!"), tmp_path, 20)
    routes = " ".join(str(resource.get_info()) for resource in app.router.resources())
    assert {name for name in SOURCES if name in routes} >= {n for n, source in SOURCES.items() if source.simulated}
    assert not [name for name, source in SOURCES.items() if not source.simulated and name in routes]


def test_the_registry_is_imported_without_any_library() -> None:
    code = "import sys, catalog.sources.registry; print(*{m.split('.')[0] for m in sys.modules})"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"numpy", "httpx", "h5py", "rasterio", "orjson"} & set(told.split())


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("kartverket", "ftp://user:password@example.org", "path of a folder"),
        ("met_nordic", "user:password@example.org", "expected an address"),
        ("nve_gts", "./answers", r"expected an address \(http://, https://\)$"),
        ("corine", "/srv/corine.gpkg", r"expected an address \(http://, https://\)$"),
    ],
)
def test_a_malformed_address_names_its_variable_and_keeps_its_password(name: str, value: str, expected: str) -> None:
    with pytest.raises(ValueError, match=f"^{SOURCES[name].setting}: .*{expected}") as refused:
        addresses({SOURCES[name].setting: value})
    assert "password" not in str(refused.value)


def test_addresses_are_those_that_are_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    given = {"SOLFLIS_FROST_URL": " https://me@frost.met.no/ ", "SOLFLIS_ERA5_URL": "./era5/", "SOLFLIS_NORA3_URL": " "}
    found = addresses(given)
    assert found == {"frost": "https://me@frost.met.no", "era5": str(tmp_path / "era5")}
    files = {"SOLFLIS_AR50_URL": "./ar50.gpkg", "SOLFLIS_BYGNINGER_URL": "file:///srv/osm"}
    assert addresses(files) == {"ar50": str(tmp_path / "ar50.gpkg"), "bygninger": "file:///srv/osm"}
    assert SOURCES["frost"].address(found) == "https://me@frost.met.no"
    assert SOURCES["nve_gts"].address(found) == "https://gts.nve.no"


def test_only_a_source_of_cycles_is_chosen_for_the_forecast() -> None:
    assert {forecast_source({"SOLFLIS_FORECAST_SOURCE": name}) for name in FORECAST_SOURCES} == set(FORECAST_SOURCES)
    assert forecast_source({}) == "met_nordic"
    with pytest.raises(ValueError, match="SOLFLIS_FORECAST_SOURCE='frost': expected one of met_nordic, arome_metcoop"):
        forecast_source({"SOLFLIS_FORECAST_SOURCE": "frost"})


def test_terms_of_simulated_data_name_no_authority() -> None:
    live, simulated = (SOURCES["nve_gts"].named(origin) for origin in ("live", "simulated"))
    assert live["licence"] == "NLOD 2.0"
    assert live["attribution"].startswith("NVE")
    assert simulated["licence"] == "none: simulated data"
    assert simulated["attribution"] == "SIMULATED by Solflis in the format of nve_gts"
