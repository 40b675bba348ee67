"""All that stands in a report, in the order of its pages, as the template takes it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from api.horizon.precise.report import dome, labels, method, months, panorama, relief_map
from api.horizon.precise.report.relief import REACH_M, Relief
from api.horizon.precise.report.sun import Path, paths
from api.horizon.precise.report.words import Language, Writer
from api.reports import svg
from api.reports.text import plain

Content = dict[str, Any]

# Objects that the first page tells in sentences.
_IN_SENTENCES = 5
# Objects that there is room for below the table of months.
_ON_ONE_PAGE = 28


def contents(result: Mapping[str, Any], relief: Relief, language: Language) -> Content:
    """Return what `report.typ` sets, of text, numbers as text, and drawings as SVG."""
    write = Writer(language)
    words, number = write.words, write.number
    place = words["place"].format(lat=number(result["lat"]), lon=number(result["lon"]))
    issued = words["issued"].format(date=write.date(datetime.fromisoformat(result["issued_at"])))
    return {
        "language": language,
        "title": words["title"],
        "document_title": words["document_title"].format(place=place),
        "under_title": words["under_title"].format(place=place, z=number(result["observer_z_masl"])),
        "issued": issued,
        "foot": f"Solflis · {place} · {issued}",
        "page": words["page"],
        "simulated": _simulated(result, write),
        "colours": {"terrain": svg.TERRAIN, "near": svg.NEAR, "sun": svg.ORANGE, "panel": svg.VERMILLION},
        "answer": _answer(result, write),
        "decisive": {
            "heading": write.words["decisive"],
            "sentences": [plain(sentence) for sentence in result["warnings"]["decisive"]],
        },
        "facts": _facts(result, write),
        "map": _map(result, relief, write),
        "objects": _objects(result, write),
        "sky": _sky(result, write),
        "year": _year(result, write),
        "method": method.chapter(result, write),
        "directions": _directions(result, write),
    }


def _simulated(result: Mapping[str, Any], write: Writer) -> Content | None:
    words = write.words["simulated"]
    invented = [
        words[name]
        for name, origin in (
            ("data_origin", result["data_origin"]),
            ("typical_year", result["typical_year"]["data_origin"]),
        )
        if origin == "simulated"
    ]
    if not invented:
        return None
    return {"mark": write.words["watermark"], "heading": words["heading"], "text": " ".join([*invented, words["use"]])}


def _answer(result: Mapping[str, Any], write: Writer) -> Content:
    loss = write.percent(result["annual_yield_reduction_pct"])
    words = {key: text.format(near_m=write.short(result["near_field_m"]), loss=loss)
             for key, text in write.words["answer"].items()}  # fmt: skip
    shares = {name: result[f"{name}_loss_pct"] for name in ("terrain", "near_field")}
    return {
        "sentence": words[result["typical_year"]["kind"]],
        "loss": f"{loss} %",
        "parts": [
            {"text": words["kept"], "value": "", "colour": "sun"},
            {"text": words["near"], "value": f"{write.percent(shares['near_field'])} %", "colour": "near"},
            {"text": words["terrain"], "value": f"{write.percent(shares['terrain'])} %", "colour": "terrain"},
        ],
        "bar": [max(100 - sum(shares.values()), 0), max(shares["near_field"], 0), max(shares["terrain"], 0)],
    }


def _facts(result: Mapping[str, Any], write: Writer) -> list[Content]:
    month, worst = _worst_month(result, write)
    named = {"direction": write.direction(result["panel_az_deg"]), "month": month}
    known = {**result, "worst_month_pct": worst}
    tables = []
    for name in ("panel", "facts"):
        words = write.words[name]
        shown = [row for row in words["rows"] if worst or row[1] != "worst_month_pct"]
        values = write.column([known[key] for _, key, _ in shown])
        rows = [[label.format(**named), value, unit]
                for (label, _, unit), value in zip(shown, values, strict=True)]  # fmt: skip
        tables.append({"heading": words["heading"], "head": words["head"], "rows": rows})
    return tables


def _worst_month(result: Mapping[str, Any], write: Writer) -> tuple[str, float]:
    """Return the month of the largest loss, and the loss in percent."""
    worst = max(result["monthly"], key=lambda month: month["yield_reduction_pct"] or 0)
    return write.words["months"][worst["month"] - 1], worst["yield_reduction_pct"] or 0.0


def _map(result: Mapping[str, Any], relief: Relief, write: Writer) -> Content:
    words, reach = write.words["map"], f"{REACH_M:g}"
    lines = [f"{i}: {_sentence(one, write)}" for i, one in enumerate(labels.numbered(result["near_field_objects"]), 1)]
    return {
        "heading": words["heading"],
        "picture": relief_map.draw(result, relief, write.words["compass"]),
        "caption": words["caption"].format(reach=reach),
        "alt": words["alt"].format(reach=reach, objects=" ".join(lines)).strip(),
    }


def _name(one: Mapping[str, Any], write: Writer, text: str = "name") -> str:
    kind = write.words["kinds"][one["kind"]]
    return str(write.words["objects"][text].format(kind=kind, direction=write.direction(one["azimuth_deg"])))


def _sentence(one: Mapping[str, Any], write: Writer) -> str:
    words, rounded, bare = write.words["objects"], write.rounded, one["yield_loss_bare_crowns_pct"]
    text = words["sentence"].format(
        name=_name(one, write), distance=rounded(one["distance_m"], 0), height=rounded(one["height_above_module_m"], 1),
        loss=write.percent(one["yield_loss_pct"]),
    )  # fmt: skip
    return str(text) if bare is None else text + words["bare"].format(bare=write.percent(bare))


_COLUMNS = (
    "azimuth_deg", "azimuth_width_deg", "highest_azimuth_deg", "elevation_deg", "distance_m", "height_above_module_m",
    "yield_loss_pct", "yield_loss_bare_crowns_pct", "shading_impact_score",
)  # fmt: skip


def _objects(result: Mapping[str, Any], write: Writer) -> Content:
    words, found = write.words["objects"], result["near_field_objects"]
    first = labels.numbered(found)[:_IN_SENTENCES]
    near = write.short(result["near_field_m"])
    heading = words["table_heading"].format(near_m=near)
    columns = [write.column([one[key] for one in found]) for key in _COLUMNS]
    return {
        "heading": words["heading"],
        "table_heading": heading,
        "sentences": [_sentence(one, write) for one in first],
        "guessed": words["guessed"],
        "more": words["more"].format(count=len(found), heading=heading) if len(found) > len(first) else "",
        "nothing": words["free" if found else "nothing"].format(near_m=near),
        "head": words["head"],
        "rows": [
            [str(i + 1), _name(one, write, "row"), *(column[i] for column in columns)] for i, one in enumerate(found)
        ],
        "note": words["note"],
        "goes_on": len(found) > _ON_ONE_PAGE,
    }


def _sky(result: Mapping[str, Any], write: Writer) -> Content:
    words, compass = write.words["sky"], write.words["compass"]
    suns = paths(result)
    days = [write.words["and"].join(write.day(*date) for date in path.dates) for path in suns]
    texts = [_sun(path, days, words, write) for path, days in zip(suns, days, strict=True)]
    top = int(np.argmax(result["elevation_deg"]))
    highest = {
        "highest": write.number(result["elevation_deg"][top]),
        "direction": write.direction(result["azimuth_deg"][top]),
    }
    return {
        "heading": words["heading"],
        "dome": dome.draw(result, suns, compass),
        "dome_alt": words["dome_alt"].format(**highest, suns="; ".join(texts)),
        "dome_heading": words["dome_heading"],
        "reading": words["dome"],
        "suns": [{"colour": path.colour, "text": text} for path, text in zip(suns, texts, strict=True)],
        "terrain": words["terrain"] if result["tier1_used"] else "",
        "near": words["near"].format(near_m=write.short(result["near_field_m"])),
        "panel": words["panel"],
        "panorama_heading": words["panorama_heading"],
        "panorama": panorama.draw(result, suns, compass, days),
        "panorama_alt": words["panorama_alt"].format(**highest),
        "panorama_caption": words["panorama"],
    }


def _sun(path: Path, days: str, words: Mapping[str, str], write: Writer) -> str:
    if path.up_h == 0:
        return words["no_sun"].format(days=days)
    seen = write.rounded(path.seen_h, 1)
    if path.up_h >= 24:
        return words["all_day"].format(days=days, seen=seen)
    return words["sun"].format(days=days, up=write.rounded(path.up_h, 1), seen=seen)


_MONTHLY = (
    "poa_open_kwh_m2", "poa_kwh_m2", "yield_reduction_pct", "terrain_loss_pct", "near_field_loss_pct", "shade_hours",
    "daylight_hours",
)  # fmt: skip
_ANNUAL = (
    "annual_poa_open_kwh_m2", "annual_poa_kwh_m2", "annual_yield_reduction_pct", "terrain_loss_pct",
    "near_field_loss_pct", "annual_shade_hours", "annual_daylight_hours",
)  # fmt: skip


def _year(result: Mapping[str, Any], write: Writer) -> Content:
    words, monthly = write.words["year"], result["monthly"]
    names = [write.words["months"][month["month"] - 1] for month in monthly]
    columns = [write.column([*(month[key] for month in monthly), result[total]])
               for key, total in zip(_MONTHLY, _ANNUAL, strict=True)]  # fmt: skip
    losses = [month["yield_reduction_pct"] for month in monthly]
    lost = [write.value(None) if loss is None else f"{write.rounded(loss, 1)} %" for loss in losses]
    worst, loss = _worst_month(result, write)
    return {
        "heading": words["heading"],
        "chart": months.draw(monthly, write.words["short_months"], lost),
        "alt": words["alt"].format(worst=f"{worst}, {write.percent(loss)} %"),
        "legend": [{"text": text, "colour": colour}
                   for text, colour in zip(words["legend"], ("sun", "near", "terrain"), strict=True)],
        "caption": words["caption"],
        "head": words["head"],
        "rows": [[name.capitalize(), *(column[i] for column in columns)]
                 for i, name in enumerate([*names, words["total"]])],
    }  # fmt: skip


def _directions(result: Mapping[str, Any], write: Writer) -> Content:
    words = write.words["directions_table"]
    columns: list[Sequence[str]] = [
        write.column(result[key]) for key in ("azimuth_deg", "elevation_deg", "near_horizon_only", "near_distance_m")
    ]
    return {
        "heading": words["heading"].format(count=result["n_azimuth"]),
        "note": words["note"].format(near_m=write.short(result["near_field_m"])),
        "head": words["head"],
        "cells": [cell for row in zip(*columns, strict=True) for cell in row],
        "tens_a_column": len(result["azimuth_deg"]) // 80,
    }
