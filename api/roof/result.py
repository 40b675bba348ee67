"""The result of an analysis: the contract's fields, of a roof and its layout."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import shapely

from api.core.prose import prose
from api.data.surfaces import MOST, Surface, aspect_of
from api.roof.frame import Frame
from api.roof.image import Look
from kernels.roof.layout.result import Layout, Reason, SurfaceLayout, Zone
from kernels.roof.layout.rules import Module
from kernels.roof.roof import Roof
from kernels.roof.roof import Surface as Plane

Fields = dict[str, Any]

GENERATOR, VERSION = "Solflis takanalyse", "1.0"
SURE = 0.7
"""Confidence from which the heights' tilt and form count against a picture's."""

_GUESSED = 0.5
"""Confidence of a picture below which its form does not count against the heights'."""

_TILT_OFF = 5.0
_MUCH = 0.1  # of a surface
_DIGITS = 7
_MOUNTING = {"pitched": "skraatak", "east_west": "ost_vest", "south": "sor"}


class Analysis(NamedTuple):
    """All that the result is made of.

    Parameters
    ----------
    request : mapping
    frame : Frame
    roof : Roof
    layout : Layout
    module : Module
    look : Look or None
    sources : mapping
        `hoydemodell`, `ortofoto`, `omriss`: texts.
    outline_source : str
    warnings : list of str
        Norwegian.
    corrected : tuple of int
        Numbers of the surfaces whose tilt is the picture's.
    refused : tuple of str
        Kinds of obstacles of the picture that the heights contradict.
    seconds : float
    """

    request: Mapping[str, Any]
    frame: Frame
    roof: Roof
    layout: Layout
    module: Module
    look: Look | None
    sources: Mapping[str, str | None]
    outline_source: str
    warnings: list[str]
    corrected: tuple[int, ...]
    refused: tuple[str, ...]
    seconds: float

    @property
    def is_simulated(self) -> bool:
        """Whether any source is."""
        return "SIMULERT" in str(self.sources)


def warning(key: str, **values: Any) -> str:
    """Return a warning in Norwegian."""
    return prose(__file__, "advarsler")[key].format(**values)


def marked(text: str, origin: str) -> str:
    """Return the text of a source, marked where its data are simulated."""
    return f"{text} (SIMULERT)" if origin == "simulated" else text


def result_of(found: Analysis) -> Fields:
    """Return the result, as `answers.Result`."""
    frame, roof, layout, request = found.frame, found.roof, found.layout, found.request
    surfaces = [
        _surface(plane, laid, found.module, [zone for zone in layout.zones if zone.surface == plane.number])
        for plane, laid in zip(roof.surfaces, layout.surfaces, strict=True)
    ]
    check, form = quality(found)
    array, merged = arrays(layout, found.module)
    warnings = [*found.warnings, *([warning("flater_slatt_sammen")] if merged else [])]
    kinds = sorted({laid.mounting for laid in layout.surfaces if laid.count})
    kind = kinds[0] if len(kinds) == 1 else "blandet" if "pitched" in kinds else "east_west" if kinds else "ingen"
    area, look = layout.gross_area, found.look or Look()
    fields: Fields = {
        "punkt": point_of(frame, request),
        "bygning": {
            "kilde_omriss": found.outline_source,
            "areal_m2": round(roof.outline.area, 1),
            "hoyde_m": round(roof.height, 1) if roof.surfaces else None,
            **form,
            "helning_flyfoto_grader": look.tilt,
            "takmateriale": look.material,
            "eksisterende_solceller": bool(look.panels),
            "hovedakse_grader": round(roof.axis, 1) % 180 if roof.surfaces else None,
            "omriss": _geometry(frame, roof.outline),
        },
        "resultat": {
            "moduler": layout.count,
            "kwp": round(layout.kwp, 3),
            "modul": {"wp": found.module.wp, "lengde_mm": request["modul_lengde_mm"],
                      "bredde_mm": request["modul_bredde_mm"]},
            "montering": _MOUNTING.get(kind, kind),
            "montering_tekst": prose(__file__, "montering")[kind],
            "brutto_takareal_m2": round(area, 1),
            "brukbart_areal_m2": round(layout.usable_area, 1),
            "modulareal_m2": round(layout.module_area, 1),
            "dekningsgrad_pst": round(100 * layout.module_area / area, 1) if area else 0.0,
            "kwp_per_m2_tak": round(layout.kwp / area, 4) if area else 0.0,
            "takflater": surfaces,
            "pv_kalkulator": {
                "flater": [{"kwp": one.kwp, "helning_grader": one.angle, "asimut_grader": one.aspect} for one in array],
                "arrays_param": ",".join(one.written() for one in array),
                "mounting": "building" if kind in ("pitched", "blandet", "ingen") else "free",
            },
        },
        "takflater": surfaces,
        "utelukkelser": [
            {"type": zone.kind, "kilde": zone.source, "areal_m2": round(zone.area, 2), "flate": zone.surface}
            for zone in layout.zones
        ],
        "kvalitetssjekk": check,
        "grunnlag": {**found.sources, "ai": look.method or "ingen", "advarsler": warnings,
                     "tid_s": round(found.seconds, 2)},
        "meta": {"generator": GENERATOR, "versjon": VERSION},
    }  # fmt: skip
    return fields


def point_of(frame: Frame, request: Mapping[str, Any]) -> Fields:
    """Return `punkt`."""
    return {
        "lat": request["lat"], "lon": request["lon"], "x_utm33": round(frame.x, 2), "y_utm33": round(frame.y, 2)
    }  # fmt: skip


def quality(found: Analysis) -> tuple[Fields, Fields]:
    """Return `kvalitetssjekk`, and the fields of `bygning` about the roof's form."""
    roof, layout, look = found.roof, found.layout, found.look
    irregular = [laid.surface for plane, laid in zip(roof.surfaces, layout.surfaces, strict=True)
                 if laid.used and not plane.is_flat and not laid.grid.regular and not laid.grid.obstacles]  # fmt: skip
    notes, texts = [], prose(__file__, "merknader")
    seen = look is not None and (look.form, look.tilt) != (None, None) and found.request["kvalitetssjekk"]
    form, corrected = look.form if look else None, False
    compared = seen and bool(roof.surfaces)
    if compared and look is not None:
        area = np.array([one.area for one in roof.surfaces])
        sure = float(np.average([one.confidence for one in roof.surfaces], weights=area)) >= SURE
        sure |= look.confidence < _GUESSED
        chosen = "høydemodellen" if sure else "flyfoto"
        if form and form != roof.form:
            notes.append(texts["form"].format(bilde=form, hoyde=roof.form, valgt=chosen))
            form, corrected = roof.form if sure else form, True
        tilt = float(np.average([one.plane.tilt for one in roof.surfaces], weights=area))
        if found.corrected:
            numbers = ", ".join(map(str, found.corrected))
            notes.append(texts["rettet"].format(flater=numbers, bilde=look.tilt))
        if look.tilt is not None and abs(look.tilt - tilt) > _TILT_OFF:
            notes.append(texts["helning"].format(bilde=look.tilt, hoyde=tilt, valgt="høydemodellen"))
    elif found.request["kvalitetssjekk"]:
        notes.append(texts["uten_flater" if seen else "uten_bilde"])
    if found.refused:
        notes.append(texts["avvist"].format(typer=", ".join(sorted(found.refused))))
    check = {
        "status": "ikke_kjort" if not compared else "avvik" if notes else "ok",
        "merknader": notes,
        "nett_advarsler": irregular,
        "nettsjekk": "avvik" if irregular else "ok",
        "flater_rettet": list(found.corrected),
    }
    return check, {
        "takform": form,
        "takform_profiler": roof.form if roof.surfaces else None,
        "takform_korrigert": corrected,
    }


def arrays(layout: Layout, module: Module) -> tuple[list[Surface], bool]:
    """Return the surfaces for `/api/pv/calc`, and whether different ones were merged because it takes four."""
    by_plane = _kwp_by_plane(layout, module, 0.1, 0.1)
    if len(by_plane) > MOST:
        by_plane = _kwp_by_plane(layout, module, 1, 2)
    merged = len(by_plane) > MOST
    while len(by_plane) > MOST:
        least = min(by_plane, key=lambda plane: by_plane[plane])
        kwp = by_plane.pop(least)
        by_plane[min(by_plane, key=lambda plane: _apart(plane, least))] += kwp
    ordered = sorted(by_plane.items(), key=lambda item: -item[1])
    return [Surface(round(kwp, 3), tilt, round(aspect_of(azimuth), 1)) for (tilt, azimuth), kwp in ordered], merged


def _kwp_by_plane(layout: Layout, module: Module, step: float, turn: float) -> dict[tuple[float, float], float]:
    """Return kWp by tilt and azimuth, which are rounded to a step and a turn, degrees."""
    found: dict[tuple[float, float], float] = {}
    for laid in layout.surfaces:
        for group in laid.groups:
            plane = round(round(group.tilt / step) * step, 1), round(round(group.azimuth / turn) * turn, 1) % 360
            found[plane] = found.get(plane, 0.0) + len(group.modules) * module.wp / 1000
    return found


def norwegian(reason: Reason) -> str:
    """Return what the layout says of a surface, in Norwegian."""
    return prose(__file__, "grunner")[reason.key].format(*reason.values)


def _unused_because(plane: Plane, reason: Reason, zones: Sequence[Zone]) -> str:
    """Return why a surface has no modules; of one without room, beside which obstacles."""
    large = {zone.kind for zone in zones if zone.source != "regler" and zone.area > _MUCH * plane.area}
    if reason.key != "no_room" or not large:
        return norwegian(reason)
    kinds = prose(__file__, "hindringer")
    return prose(__file__, "grunner")["no_room_beside"].format(", ".join(kinds.get(one, one) for one in sorted(large)))


def _surface(plane: Plane, laid: SurfaceLayout, module: Module, zones: Sequence[Zone]) -> Fields:
    falls = {round(group.azimuth, 1) % 360 for group in laid.groups}
    measured = None if plane.is_flat else round(plane.plane.azimuth, 1) % 360
    return {
        "id": plane.number,
        "type": "flat" if plane.is_flat else "skraa",
        "areal_m2": round(plane.area, 1),
        "helning_grader": round(plane.plane.tilt, 1),
        "moduler": laid.count,
        "kwp": round(laid.count * module.wp / 1000, 3),
        "retning_grader": round(laid.row_azimuth, 1) % 180,
        "fallretning_grader": falls.pop() if len(falls) == 1 else measured,
        "fallretning_hoydemodell_grader": measured,
        "sikkerhet": round(plane.confidence, 2),
        "montering": _MOUNTING[laid.mounting],
        "radavstand_m": None if laid.spacing is None else round(laid.spacing, 2),
        "rad_justering": laid.alignment,
        "rad_merknad": norwegian(laid.reason) if laid.used and laid.reason else None,
        "brukt": laid.used,
        "ikke_brukt_fordi": None if laid.used else _unused_because(plane, laid.reason or Reason("no_room"), zones),
        "tapt_til_skygge": laid.lost_to_shade,
        "skyggetap_pst": None if laid.shade is None else round(100 * laid.shade, 1),
        "nett": {
            "moduler_per_rad": list(laid.grid.per_row),
            "moduler_per_kolonne": list(laid.grid.per_column),
            "regelmessig": laid.grid.regular,
            "rektangularitet": round(laid.grid.rectangularity, 3),
            "hindringer": laid.grid.obstacles,
            "advarsel": "; ".join(map(norwegian, laid.grid.warnings)) or None,
        },
    }


def _apart(first: Sequence[float], second: Sequence[float]) -> float:
    """Return how far two planes' normals are apart."""
    normals = []
    for tilt, azimuth in np.radians([first, second]):
        normals.append([np.sin(tilt) * np.sin(azimuth), np.sin(tilt) * np.cos(azimuth), np.cos(tilt)])
    return float(np.linalg.norm(np.array(normals[0]) - normals[1]))


def _geometry(frame: Frame, shape: Any) -> Fields:
    at = shapely.transform(shape, frame.lonlat)
    return dict(shapely.geometry.mapping(shapely.set_precision(at, 10.0**-_DIGITS, mode="pointwise")))
