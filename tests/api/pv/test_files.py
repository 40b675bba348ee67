"""The table, the picture, and the headers of all three formats."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.api.conftest import Api, Start
from tests.api.pv.conftest import production, pv
from tests.support.horizon import publish_horizon
from tiles.store import open_store


def leaves(part: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every value of a body, and the way to it."""
    if isinstance(part, dict):
        for name, value in part.items():
            yield from leaves(value, (*path, name))
    else:
        yield "_".join(path), part


def shown(value: Any) -> str:
    return "" if value is None else str(value)


@pytest.mark.parametrize(
    "more",
    [{"optimize": "slope"}, {"arrays": "5:35:-90,3:20:90", "maxpower": 6, "snowloss": 1, "method": "full"}],
)
async def test_the_table_has_everything_that_json_has(api: Api, more: dict[str, object]) -> None:
    answer, text = await production(api, **more), (await api.ask(pv(**more, format="csv"))).text
    comments = [line.removeprefix("# ") for line in text.splitlines() if line.startswith("#")]
    rows = list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
    assert [row["scope"] for row in rows] == ["month"] * 12 + ["year"] + ["array"] * len(answer["arrays"])
    assert [float(row["unshaded_kwh"]) for row in rows[:12]] == answer["monthly_unshaded_kwh"]
    for row, item in zip(rows[:12] + rows[13:], answer["monthly"] + answer["arrays"], strict=True):
        assert {name: row[name] for name in item} == {name: shown(value) for name, value in item.items()}
    year = {**dict(leaves(answer["annual"])), **dict(leaves(answer["side_by_side"]))}
    assert {name: rows[12][name] for name in year} == {name: shown(value) for name, value in year.items()}
    answer["inputs"]["format"] = "csv"
    for name, value in leaves({name: answer[name] for name in ("inputs", "tmy", "method")}):
        assert f"{name}: {value if isinstance(value, str) else orjson.dumps(value).decode()}" in comments


@pytest.mark.parametrize(
    ("form", "media", "disposition"),
    [
        ("json", "application/json", None),
        ("csv", "text/csv; charset=utf-8", "attachment; filename=service_pv_59.91_10.75_maxpower-0.5.csv"),
    ],
)
async def test_headers_of_each_format(api: Api, form: str, media: str, disposition: str | None) -> None:
    asked = pv(format=form, maxpower=0.5)
    file = await api.ask(asked)
    expected = {
        "Content-Type": media,
        "Content-Disposition": disposition,
        "Cache-Control": "public, max-age=86400",
        "X-Tmy-Cell": "N3-066-112",
        "X-Tmy-Product": "ens_tmy30",
        "X-Data-Origin": "simulated",
    }
    assert {name: file.headers.get(name) for name in expected} == expected
    assert float(file.headers["X-Tmy-Cell-Distance-Km"]) == pytest.approx(0.49, abs=0.01)
    again = await api.ask(asked, headers={"If-None-Match": file.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")


async def test_files_of_different_content_have_different_names(api: Api) -> None:
    names = set()
    variants: list[dict[str, object]] = [
        {}, {"angle": 36}, {"aspect": -1}, {"arrays": "1:35:0"}, {"arrays": "1:36:0"}, {"confidence": "p90"},
        {"horizon": 0}, {"snowloss": 1}, {"snowloss": 1, "snowmounting": "roof"}, {"albedo": 0.3}, {"tech": "CIS"},
        {"optimize": "both"},
    ]  # fmt: skip
    for more in variants:
        disposition = (await api.ask(pv(**more, format="csv"))).headers["Content-Disposition"]
        name = disposition.removeprefix("attachment; filename=")
        assert len(name) < 120
        assert not set(name) & set('/\\:*?"<>| ')
        names.add(name)
    assert len(names) == len(variants)


async def test_an_answer_on_simulated_terrain_is_simulated(start: Start, own: Path) -> None:
    for index in own.glob("*/index.json"):
        index.write_text(index.read_text().replace("simulated", "live"))
    publish_horizon(open_store(str(own)), "2026-05-02T00")
    api = await start(store_folder=own)
    hill, free = [await api.ask(pv(horizon=horizon)) for horizon in (1, 0)]
    assert [one.headers["X-Data-Origin"] for one in (hill, free)] == ["simulated", "live"]
    assert hill.json["tmy"]["data_origin"] == "live"
