"""The table, the picture, and the headers of all three formats."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pandas as pd
import pytest

from api.pv import table
from tests.api.conftest import Api, Start
from tests.api.pv.conftest import production, pv
from tests.api.tmy.conftest import fetch
from tests.support.horizon import publish_horizon
from tests.support.tmy import OSLO, TROMSO
from tiles.store import open_store

MORE: list[dict[str, object]] = [
    {},
    {"arrays": "5:35:-90,3:20:90", "maxpower": 6, "snowloss": 1},
    {"optimize": "both", "horizon": 0},
]


def leaves(part: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every value of a body, and the way to it."""
    if isinstance(part, dict):
        for name, value in part.items():
            yield from leaves(value, (*path, name))
    else:
        yield path, part


async def read_table(api: Api, **more: object) -> list[dict[str, str]]:
    asked = await api.ask(pv(**more, format="csv"))
    assert asked.status == 200
    return list(csv.DictReader(io.StringIO(asked.text)))


def shown(value: Any) -> str:
    return "" if value is None else str(value)


@pytest.mark.parametrize("more", MORE)
async def test_the_table_has_everything_that_json_has(api: Api, more: dict[str, object]) -> None:
    answer, rows = await production(api, **more), await read_table(api, **more)
    months = [row for row in rows if row["scope"] == "month"]
    [year] = [row for row in rows if row["scope"] == "year"]
    arrays = [row for row in rows if row["scope"] == "array"]
    assert len(rows) == len(months) + 1 + len(arrays)
    for row, item in zip(months + arrays, answer["monthly"] + answer["arrays"], strict=True):
        assert {name: row[name] for name in item} == {name: shown(value) for name, value in item.items()}
    answer["inputs"]["format"] = "csv"
    for path, value in leaves({name: answer[name] for name in answer if name not in ("monthly", "arrays")}):
        name = "_".join(path[1:] if path[0] in ("annual", "side_by_side") else path)
        assert year[name] == (" | ".join(value) if name == "warnings" else shown(value)), name


async def test_the_table_is_one_rectangle_that_pandas_reads(api: Api) -> None:
    asked = await api.ask(pv(format="csv", maxpower=0.5))
    frame = pd.read_csv(io.StringIO(asked.text))
    assert list(frame.scope) == ["month"] * 12 + ["year", "array"]
    assert list(frame.columns[:2]) == ["scope", "month"]
    months, year = frame[frame.scope == "month"], frame[frame.scope == "year"].iloc[0]
    assert months.e_kwh.sum() == pytest.approx(year.e_kwh)
    assert frame.e_kwh.dtype == frame.clipped_kwh.dtype == float
    widths = {len(row) for row in csv.reader(io.StringIO(asked.text))}
    assert len(widths) == 1


def test_no_text_is_a_formula() -> None:
    answer: dict[str, Any] = {
        "annual": {"e_kwh": -1.0}, "side_by_side": {}, "tmy": {}, "inputs": {"arrays": "=1+1"},
        "method": {"sources": "@x", "chain": "-x", "a": "+x", "b": "\tx"}, "monthly": [], "arrays": [], "warnings": [],
    }  # fmt: skip
    [year] = csv.DictReader(io.StringIO(table.write(answer).decode()))
    assert (year["inputs_arrays"], year["method_sources"], year["method_chain"]) == ("'=1+1", "'@x", "'-x")
    assert (year["method_a"], year["method_b"]) == ("'+x", "'\tx")
    assert year["e_kwh"] == "-1.0"  # a number is one


@pytest.mark.parametrize(
    ("form", "media", "disposition"),
    [
        ("json", "application/json", None),
        ("csv", "text/csv; charset=utf-8", "attachment; filename=service_pv_59.91_10.75.csv"),
        ("png", "image/png", "inline; filename=service_pv_59.91_10.75.png"),
    ],
)
async def test_headers_and_what_the_caller_has(api: Api, form: str, media: str, disposition: str | None) -> None:
    asked = pv(format=form, maxpower=0.5)
    file = await fetch(api, asked)
    assert file.status == 200, file.body
    assert file.headers["Content-Type"] == media
    assert file.headers.get("Content-Disposition") == disposition
    assert file.headers["Cache-Control"] == "public, max-age=86400"
    assert (file.headers["X-Tmy-Cell"], file.headers["X-Tmy-Product"]) == ("N3-066-112", "ens_tmy30")
    assert float(file.headers["X-Tmy-Cell-Distance-Km"]) == pytest.approx(0.49, abs=0.01)
    assert file.headers["X-Data-Origin"] == "simulated"
    again = await fetch(api, asked, **{"If-None-Match": file.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")
    assert again.headers["ETag"] == file.headers["ETag"]
    async with api.session.head(api.url + asked) as head:
        assert head.status == 200
        assert {name: head.headers[name] for name in ("ETag", "Content-Type")} == {
            "ETag": file.headers["ETag"], "Content-Type": media,
        }  # fmt: skip
    if form == "png":
        assert file.body.startswith(b"\x89PNG\r\n")


async def test_the_document_declares_the_headers_of_every_format(api: Api) -> None:
    document = (await api.ask("/openapi.json")).json
    declared = document["paths"]["/api/pv/calc"]["get"]["responses"]["200"]["headers"]
    of_all = {name.lower() for name in (await fetch(api, "/health")).headers}
    own = set()
    for form in ("json", "csv", "png"):
        own |= {name.lower() for name in (await fetch(api, pv(format=form))).headers} - of_all
    assert "content-disposition" in own
    assert own <= {name.lower() for name in declared}


async def test_the_document_says_what_beside_arrays_must_be_valid(api: Api) -> None:
    parameters = (await api.ask("/openapi.json")).json["paths"]["/api/pv/calc"]["get"]["parameters"]
    [arrays] = [one for one in parameters if one["name"] == "arrays"]
    assert "given beside it must be valid all the same" in arrays["description"]


async def test_what_is_meant_makes_the_etag_and_not_how_it_is_written(api: Api) -> None:
    plain = await fetch(api, pv())
    for same in (pv(peakpower="1.000", angle="3.5e1", aspect="-0"), pv(tech="crystSi"), pv(api_key="x", horizon="1")):
        assert (await fetch(api, same)).headers["ETag"] == plain.headers["ETag"]
    tags = [
        (await fetch(api, pv(**more))).headers["ETag"]
        for more in ({"angle": 36}, {"horizon": 0}, {"format": "csv"}, {"confidence": "p90"}, {"snowmounting": "roof"})
    ]
    assert len({plain.headers["ETag"], *tags}) == 1 + len(tags)


async def test_what_the_caller_has_is_not_calculated_again(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    file = await fetch(api, pv())

    def never(*_: object) -> bytes:
        raise AssertionError

    monkeypatch.setattr("api.pv.routes._made", never)
    assert (await fetch(api, pv(), **{"If-None-Match": file.headers["ETag"]})).status == 304


async def test_what_comes_of_made_up_terrain_is_made_up(start: Start, own: Path) -> None:
    for index in own.glob("*/index.json"):
        index.write_text(index.read_text().replace("simulated", "live"))
    publish_horizon(open_store(str(own)), "2026-05-02T00")
    api = await start(store_folder=own)
    origins = {
        name: (await fetch(api, asked)).headers["X-Data-Origin"]
        for name, asked in {"hill": pv(), "off": pv(horizon=0), "not built": pv(TROMSO)}.items()
    }
    assert origins == {"hill": "simulated", "off": "live", "not built": "live"}
    assert (await production(api))["tmy"]["data_origin"] == "live"


async def test_neither_key_nor_quota(start: Start, hilly: Path) -> None:
    api = await start(store_folder=hilly, access="keys")
    for _ in range(3):
        asked = await api.ask(pv(), headers={"X-API-Key": "sk_live_unknown"})
        assert asked.status == 200
        assert "X-Quota-Limit" not in asked.headers
    assert orjson.loads(asked.text)["inputs"]["lat"] == OSLO[0]
