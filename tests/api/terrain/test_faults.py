"""The job of a site when land, tiles or what is kept of them is away, late or damaged."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from api.core.errors import ApiError
from api.core.settings import Settings
from api.jobs.results import Results
from api.jobs.run import Run
from api.terrain.job import run
from api.terrain.schemas import Terrain, TerrainRequest
from tests.api.conftest import damage
from tests.api.terrain.conftest import SITE, X, Y, heights, north
from tests.support.coverages import EXCEPTION, Coverages
from tests.support.sources import SEA, Sources

Job = Callable[..., dict[str, Any]]


@pytest.fixture
def sources(monkeypatch: pytest.MonkeyPatch) -> Sources:
    return Sources(monkeypatch)


@pytest.fixture
def ground() -> Iterator[Coverages]:
    with Coverages(dtm=heights) as service:
        yield service


@pytest.fixture
def job(ground: Coverages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    """Run a job in this process, without its report; without a store its land is fetched."""
    monkeypatch.setattr("api.terrain.job.report", lambda *_: (b"", b""))

    def running(store: Path | None = None, **body: Any) -> dict[str, Any]:
        folder = store or tmp_path / "empty"
        urls = {"kartverket_wcs": ground.url}
        settings = Settings(store=str(folder), state=tmp_path / "state", urls=urls)
        request = TerrainRequest.model_validate(SITE | body).model_dump()
        content = orjson.dumps({"terrain": None, "landcover": None} | manifests(store) | {"request": request})
        run(Run("test", 1, content, settings, "job/1", tmp_path / "progress"))
        answer: dict[str, Any] = orjson.loads(Results(settings.results_address).get("job/1", "result.json"))
        Terrain.model_validate(answer)
        return answer

    return running


def manifests(folder: Path | None) -> dict[str, str]:
    """The versions of a store."""
    if folder is None:
        return {}
    names = {"terrain": "terrain_250m", "landcover": "landcover"}
    found = {name: next((folder / product).rglob("*.manifest.json")) for name, product in names.items()}
    return {name: str(path.relative_to(folder)) for name, path in found.items()}


def refusal(job: Job, **more: Any) -> tuple[int, str]:
    with pytest.raises(ApiError) as refused:
        job(**more)
    return refused.value.status, refused.value.problem.code


def warnings(answer: dict[str, Any]) -> set[str]:
    return {one["kode"] for one in answer["advarsler"]} - {
        "beta",
        "simulert",
        "nasjonale_verdier",
        "knapp_margin",
        "ikke_isolert",
    }


def forms(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return [one["terrengform"] for one in answer["sektorer"]]


def test_land_that_is_fetched_gives_what_tiles_give(job: Job, sources: Sources, land_store: Path) -> None:
    fetched, tiled = job(), job(land_store)
    assert {one["navn"] for one in fetched["kilder"]} == {"kartverket_wcs", "ar50", "ar5"}
    assert {one["navn"] for one in tiled["kilder"]} == {"made_up", "ar5"}
    assert [one["c_o"] for one in forms(fetched)] == pytest.approx([one["c_o"] for one in forms(tiled)], abs=0.01)
    assert fetched["resultat"]["c_o_maks"] == pytest.approx(tiled["resultat"]["c_o_maks"], abs=0.005)
    assert (warnings(fetched), fetched["data_origin"]) == (set(), "simulated")


def test_a_second_job_asks_no_source(job: Job, sources: Sources, ground: Coverages) -> None:
    first = job()
    asked, reads = len(ground.asked), dict(sources.reads)
    assert asked > 0
    assert job() == first
    assert (len(ground.asked), sources.reads) == (asked, reads)


@pytest.mark.parametrize("height", [0.004, np.nan])
def test_a_point_at_sea_is_refused_whatever_its_height_is_said_to_be(
    job: Job, sources: Sources, ground: Coverages, height: float
) -> None:
    sources.codes = dict.fromkeys(sources.codes, SEA)
    ground.surfaces["dtm"] = lambda x, y: np.where(north(x, y) > 3000, 1.0, height)
    assert refusal(job) == (422, "NOT_ON_LAND")


def test_a_point_abroad_is_refused(job: Job, sources: Sources, ground: Coverages) -> None:
    ground.surfaces["dtm"] = lambda x, y: np.where(x < X - 500, 40.0, np.nan) + 0 * y
    assert refusal(job) == (422, "NOT_ON_LAND")
    assert refusal(job, lat=57.1, lon=31.9) == (422, "NOT_ON_LAND")


def test_a_sea_without_heights_is_as_one_at_0(job: Job, sources: Sources, ground: Coverages, tmp_path: Path) -> None:
    level = job()
    ground.surfaces["dtm"] = lambda x, y: np.where(north(x, y) > 1900, np.nan, heights(x, y))
    sources.at_sea = lambda x, y: north(x, y) > 1800
    shutil.rmtree(tmp_path / "state")
    holed = job()
    assert "terreng_mangler" not in warnings(holed)
    assert forms(holed) == forms(level)


def test_land_without_heights_is_told(job: Job, sources: Sources, ground: Coverages) -> None:
    ground.surfaces["dtm"] = lambda x, y: np.where(y > Y + 3000, np.nan, 50.0) + 0 * x
    answer = job()
    assert {"terreng_mangler", "ukjent_terreng"} <= warnings(answer)
    unsure = {one["retning_deg"] for one in answer["sektorer"] if "ukjent_terreng" in one["sikkerhet"]["grunner"]}
    assert {0, 180} <= unsure
    assert not unsure & {90, 270}


def test_without_heights_or_without_land_cover_there_is_no_answer(
    job: Job, sources: Sources, ground: Coverages
) -> None:
    sources.fails = lambda name, bounds: True
    assert refusal(job) == (502, "BACKEND_ERROR")
    sources.fails = lambda name, bounds: False
    ground.instead = lambda asked: EXCEPTION
    assert job()["terreng_moh"] > 0, "heights are kept from before"
    assert refusal(job, lat=65.5) == (502, "BACKEND_ERROR")


def test_ar5_and_the_surface_model_may_be_away(job: Job, sources: Sources) -> None:
    sources.codes = dict.fromkeys(sources.codes, 11)
    sources.fails = lambda name, bounds: name in ("ar5", "built")
    answer = job()
    assert warnings(answer) == {"uten_ar5", "uten_bygg", "ukjent_bygg"}
    assert {one["kategori"] for one in answer["sektorer"]} == {"III"}


@pytest.mark.parametrize(
    ("product", "variable"), [("terrain_10m", "ground"), ("landcover", "cover"), ("landcover", "manifest")]
)
def test_a_damaged_tile_is_told_as_such(
    job: Job, sources: Sources, land_store: Path, tmp_path: Path, product: str, variable: str
) -> None:
    store = Path(shutil.copytree(land_store, tmp_path / "store"))
    if variable == "manifest":
        next((store / product).rglob("*.manifest.json")).write_bytes(b"{")
    else:
        damage(store, product, variable)
    assert refusal(job, store=store) == (503, "DAMAGED")


def test_what_is_kept_and_damaged_is_fetched_anew(job: Job, sources: Sources, tmp_path: Path) -> None:
    first = job()
    kept = [path for path in (tmp_path / "state" / "readthrough").rglob("*") if path.is_file() and path.stat().st_size]
    assert len(kept) > 5
    for path in kept:
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2] + bytes(len(content) - len(content) // 2))
    assert job() == first


def test_progress_is_told_in_norwegian(
    job: Job, sources: Sources, land_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[float, str]] = []
    monkeypatch.setattr(Run, "report_progress", lambda _, progress, phrase: said.append((progress, phrase)))
    job(land_store)
    assert [phrase for _, phrase in said] == [
        "leser terrenget",
        "leser arealdekket",
        "regner ut sektorene",
        "skriver rapporten",
    ]
    assert said == sorted(said)
