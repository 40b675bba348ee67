"""The answer: all sectors, the result, warnings, sources."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from api.core.pipeline import origin_of
from api.core.prose import prose
from api.terrain.sectors import Fields, Question, sectors
from kernels.horizon.levels import Level
from kernels.terrain import roughness, wind
from kernels.terrain.form import terrain_forms
from kernels.terrain.polar import Site
from kernels.terrain.profiles import Lines, height_at

STANDARD = "NS-EN 1991-1-4:2005+NA:2009"
_TEXTS = prose(__file__, "advarsler")


class Land(NamedTuple):
    """Land around a site.

    Parameters
    ----------
    heights : Level
        Of the ground; the sea is 0.
    cover : Cover
    sources : sequence of mapping
        As `schemas.Source`.
    notes : sequence of (str, mapping)
        Warnings about the data: name and values.
    """

    heights: Level
    cover: roughness.Cover
    sources: Sequence[Mapping[str, Any]]
    notes: Sequence[tuple[str, Mapping[str, Any]]]


class Assessment(NamedTuple):
    """The answer, and what its pictures show."""

    fields: Fields
    lines: Lines


def assess(request: Mapping[str, Any], site: Site, land: Land) -> Assessment:
    """Return the answer to a request.

    Parameters
    ----------
    request : mapping
        As `TerrainRequest.model_dump` has it.
    site : Site
    land : Land
    """
    question = Question.of(request)
    around = roughness.around(land.cover, site)
    forms, lines = terrain_forms(land.heights, site, question.z)
    found = sectors(question, around, roughness.categorize(around), forms)
    return Assessment(
        {
            "lat": request["lat"],
            "lon": request["lon"],
            "terreng_moh": round(_height(land.heights, site), 1),
            "hoyde_m": question.z,
            "v_b0_ms": question.v_b0,
            "standard": STANDARD,
            "status": "beta",
            "data_origin": origin_of(*(one["data_origin"] for one in land.sources)),
            "prosjekt": request["prosjekt"],
            "prosjekterende": request["prosjekterende"],
            "resultat": _result(found),
            "sektorer": found,
            "nasjonale_verdier": [
                {"kategori": one.name, "z0_m": one.z0, "z_min_m": one.z_min, "k_r": one.k_r} for one in wind.CATEGORIES
            ],
            "klasser": {kind.name: wind.NAMES[kind.category] for kind in roughness.KINDS if kind.category >= 0}
            | {"built_up": "III/IV"},
            "metode": dict(prose(__file__, "metode")),
            "advarsler": _warnings(found, land),
            "kilder": list(land.sources),
        },
        lines,
    )


def _height(level: Level, site: Site) -> float:
    """Return the height of the ground at the site, m: bilinear, else of the cell that holds it."""
    between = float(height_at(level, site.x, site.y))
    here = level.height_at(site.x, site.y)
    return here if math.isnan(between) and here is not None else between


def _result(found: Sequence[Fields]) -> Fields:
    highest = max(found, key=lambda one: float(one["terrengform"]["c_o"]))
    windy = [one for one in found if one["vind"]]
    governing = max(windy, key=lambda one: float(one["vind"]["c_e"]), default=None)
    counted = Counter(one["kategori"] for one in found)
    return {
        "c_o_maks": highest["terrengform"]["c_o"],
        "c_o_maks_sektor": highest["sektor"] if highest["terrengform"]["c_o"] > 1 else None,
        "dimensjonerende_sektor": governing and governing["sektor"],
        "c_e_maks": governing and governing["vind"]["c_e"],
        "q_p_maks_pa": governing and governing["vind"]["q_p_pa"],
        "kategorier": {name: counted[name] for name in wind.NAMES},
    }


def _warnings(found: Sequence[Fields], land: Land) -> list[Fields]:
    reasons = ("ukjent_dekke", "knapp_margin", "ukjent_bygg", "knapp_bygg", "ukjent_terreng")
    of_sectors = {
        **{
            name: [one for one in found if name in one["sikkerhet"]["grunner"] and not one["bekreftet"]]
            for name in reasons
        },
        "le": [one for one in found if one["terrengform"]["le"]],
        "ikke_isolert": [one for one in found if not one["terrengform"]["isolert"] and one["terrengform"]["c_o"] > 1],
        "dal": [one for one in found if one["terrengform"]["form"] == "valley"],
    }
    notes = [*land.notes]
    notes += [(name, {"sektorer": _numbers(those)}) for name, those in of_sectors.items() if those]
    notes += [("nasjonale_verdier", {}), ("beta", {})]
    return [{"kode": name, "tekst": _TEXTS[name].format(**values)} for name, values in notes]


def _numbers(found: Sequence[Fields]) -> str:
    """Return sector numbers as ranges, such as 3–7, 12."""
    numbers: list[int] = [one["sektor"] for one in found]
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ", ".join(f"{first}" if first == last else f"{first}–{last}" for first, last in ranges)
