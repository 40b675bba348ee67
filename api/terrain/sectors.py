"""The fields of a sector: category with its reasons, terrain form, wind. Rounded once, here."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from kernels.terrain import roughness, wind
from kernels.terrain.change import nearest_change, wind_behind
from kernels.terrain.form import FLAT_GROUND, Form, Rise, form_of
from kernels.terrain.polar import AZIMUTHS, SECTORS
from kernels.terrain.roughness import RINGS_M, TRANSITION_M, Around, Roughness

Fields = dict[str, Any]

# A share so near to 10 % that land cover drawn a little differently would change the category.
_NARROW = 0.03
_UNKNOWN = 0.05
_NO_HEIGHTS = 0.01  # of a line: 140 m
K_I = 1.0


@dataclass(frozen=True)
class Question:
    """Parameters of all sectors, as `TerrainRequest.model_dump` has them."""

    z: float
    v_b0: float | None
    unverified: bool
    categories: Mapping[int, Mapping[str, Any]]
    forms: Mapping[int, Mapping[str, Any]]
    confirmed: frozenset[int]

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> "Question":
        """Return the question of a request."""
        given, confirmed = request["overstyring"], frozenset(request["bekreftelser"])
        categories, forms = ({one["sektor"]: one for one in given[name]} for name in ("sektorer", "terrengform"))
        return cls(request["hoyde_m"], request["v_b0"], request["ubekreftet"], categories, forms, confirmed)


def sectors(question: Question, land: Around, found: Roughness, forms: Sequence[Form]) -> list[Fields]:
    """Return the fields of all sectors."""
    rings = [_ring(begin, end, land.within(begin, end)) for begin, end in pairwise(RINGS_M)]
    return [_sector(k, question, land, found, forms[k], [ring[k] for ring in rings]) for k in range(SECTORS)]


def _sector(k: int, question: Question, land: Around, found: Roughness, form: Form, rings: Sequence[Fields]) -> Fields:
    own, number = int(found.category[k]), k + 1
    override, form_override = question.categories.get(number), question.forms.get(number)
    category = wind.NAMES.index(override["kategori"]) if override else own
    values = wind.CATEGORIES[category] if category >= 0 else None
    calculated = form_fields(form)
    shape = calculated if form_override is None else form_fields(_overridden(form_override, question.z), form_override)
    fields: Fields = {
        "sektor": number,
        "retning_deg": float(AZIMUTHS[k]),
        "kategori": values and values.name,
        "kategori_beregnet": _name(own),
        "kategori_begrunnelse": override and override["begrunnelse"],
        "bekreftet": number in question.confirmed,
        "z0_m": values and values.z0,
        "z_min_m": values and values.z_min,
        "k_r": values and values.k_r,
        "overgang": _transition(k, found),
        "ringer": rings,
        "profil": [
            {"klasse": part.kind, "fra_m": part.begin_m, "til_m": part.end_m} for part in roughness.outward(land, k)
        ],
        "sikkerhet": _certainty(k, found, form, override is not None, form_override is not None),
        "terrengform": shape,
        "terrengform_beregnet": calculated if form_override else None,
        "terrengform_begrunnelse": form_override and form_override["begrunnelse"],
        "vind": None if values is None else _wind(question, category, shape["c_o"]),
    }
    if question.unverified and override is None and (change := _change(question, land, k, shape["c_o"])):
        fields["ubekreftet"] = change
    return fields


def _name(category: int) -> str | None:
    return wind.NAMES[category] if category >= 0 else None


def _transition(k: int, found: Roughness) -> Fields:
    category, commonest = int(found.category[k]), int(found.commonest[k])
    counts = 0 <= category < len(TRANSITION_M) and found.share[category, k] > roughness.PATCH
    begins = found.begins_m[k]
    return {
        "regel": "ukjent" if category < 0 else "glattere" if counts and category != commonest else "vanligst",
        "grense_m": TRANSITION_M[category] if 0 <= category < len(TRANSITION_M) else TRANSITION_M[-1],
        "andel_pct": _percent(found.share[category, k]) if category >= 0 else 0.0,
        "avstand_m": None if math.isnan(begins) else int(begins),
        "vanligst_1km": _name(commonest),
    }


def _ring(begin: int, end: int, ring: Around) -> list[Fields]:
    """Return the fields of a ring in each sector."""
    names = (*wind.NAMES, "ukjent")
    return [
        {
            "fra_m": begin,
            "til_m": end,
            "andel_pct": dict(zip(names, map(_percent, shares), strict=True)),
            "bygg_pct": _percent(cover) if seen else None,
            "bygg_hoyde_m": round(float(height), 1) if seen else None,
        }
        for shares, cover, height, seen in zip(ring.shares.T, ring.cover, ring.height, ring.is_seen, strict=True)
    ]


def _certainty(k: int, found: Roughness, form: Form, own_category: bool, own_form: bool) -> Fields:
    """Return how sure a sector is; what the designer gave himself is."""
    margin, unknown = float(found.margin[k]), float(found.unknown[k])
    of_category = {
        "ukjent_dekke": unknown > _UNKNOWN,
        "knapp_margin": margin < _NARROW,
        "ukjent_bygg": found.unseen[k],
        "knapp_bygg": found.nearly_dense[k],
    }
    reasons = [name for name, holds in of_category.items() if holds and not own_category]
    reasons += ["ukjent_terreng"] if form.unknown > _NO_HEIGHTS and not own_form else []
    return {
        "sikker": not reasons,
        "margin_pct": _percent(margin) if math.isfinite(margin) else None,
        "ukjent_pct": _percent(unknown),
        "ukjent_terreng_pct": _percent(form.unknown),
        "grunner": reasons,
    }


def _percent(share: float) -> float:
    return round(100 * float(share), 2)


def form_fields(form: Form, override: Mapping[str, Any] | None = None) -> Fields:
    """Return the fields of a terrain form."""
    rise, o = form.rise, form.orography
    c_o = round(float(o.c_o), 4) if override is None or override["c_o"] is None else override["c_o"]
    measures: Fields = dict.fromkeys(("L_H_m", "L_u_m", "L_d_m", "B_m", "x_m", "L_e_m", "phi", "s"))
    if rise is not None:
        measures = {
            "L_H_m": rise.l_h,
            "L_u_m": rise.l_u,
            "L_d_m": _finite(rise.l_d),
            "B_m": _finite(rise.b),
            "x_m": rise.x,
            "L_e_m": round(float(o.l_e), 1),
            "phi": round(float(o.phi), 4),
            "s": round(float(o.s), 4),
        }
    return {
        "form": form.shape,
        "c_o": c_o,
        "k_I": K_I,
        "H_m": 0.0 if rise is None else rise.h,
        **measures,
        "teller": form.counts,
        "isolert": form.isolated,
        "le": form.lee,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _overridden(override: Mapping[str, Any], z: float) -> Form:
    """Return the form that a designer has given."""
    if override["c_o"] is not None or override["form"] == "flat" or override["H_m"] is None:
        return Form(override["form"], None, FLAT_GROUND, override["c_o"] is not None, isolated=True, lee=False)
    l_d = math.inf if override["form"] == "escarpment" or override["L_d_m"] is None else override["L_d_m"]
    rise = Rise(override["H_m"], override["L_H_m"], l_d, math.nan, override["x_m"])
    return form_of(rise, override["form"], z)


def _wind(question: Question, category: int, c_o: float) -> Fields:
    # c_e is that of any v_b0
    unit = wind.wind_at(question.v_b0 or 1.0, category, question.z, c_o, K_I)
    known = question.v_b0 is not None
    return {
        "c_r": round(float(unit.c_r), 4),
        "I_v": round(float(unit.i_v), 4),
        "c_e": round(float(unit.q_p) / (0.5 * wind.AIR_DENSITY * (question.v_b0 or 1.0) ** 2), 4),
        "v_m_ms": round(float(unit.v_m), 2) if known else None,
        "q_p_pa": round(float(unit.q_p), 1) if known else None,
    }


def _change(question: Question, land: Around, k: int, c_o: float) -> Fields | None:
    """Return the wind behind the nearest lasting change of category, by the unverified rule; None without one."""
    change = nearest_change(land, k)
    if change is None:
        return None
    found = wind_behind(change, question.v_b0 or 1.0, question.z, c_o)
    known = question.v_b0 is not None
    return {
        "fra": wind.NAMES[change.upwind],
        "til": wind.NAMES[change.site],
        "x_B_km": round(change.km, 2),
        "c_S": round(found.c_s, 4),
        "v_m_ms": round(found.v_m, 2) if known else None,
        "q_p_pa": round(found.q_p, 1) if known else None,
    }
