"""From what was calculated to the fields of the answer, and to the table."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from api.core.printing import degrees, plain
from api.horizon.formats import csv
from api.horizon.formats.common import remarks
from api.horizon.profile import Floats, HorizonProfile
from api.horizon.provenance import sentence

if TYPE_CHECKING:  # the API, which takes `profile` alone, has no kernels at its start
    from kernels.horizon.objects import NearObject
    from kernels.horizon.shade import Shade

# November to April.
_BARE = np.isin(np.arange(1, 13), (11, 12, 1, 2, 3, 4))
_SUMMED = ("poa_open_kwh_m2", "poa_kwh_m2", "daylight_hours", "shade_hours")


def fields(
    inputs: Mapping[str, Any], objects: "Sequence[NearObject]", shade: "Shade", compute_ms: float
) -> dict[str, Any]:
    """Return the fields of the answer, but those of its job.

    Parameters
    ----------
    inputs : mapping
        Input of the job.
    objects : sequence of NearObject
    shade : Shade
    compute_ms : float
    """
    level_2, panel = inputs["fields"], inputs["panel"]
    open_, near = shade.open.sum(), shade.objects.sum(axis=0)
    bare = shade.objects * np.where(_BARE, 1 - panel["bare_crown_transmission"], 1.0)
    is_tree = np.array([one.kind == "vegetasjon" for one in objects], bool)
    with_bare = np.where(is_tree[:, None], bare, shade.objects)
    terrain_loss, near_loss = _percent(shade.terrain.sum(), open_), _percent(near.sum(), open_)
    monthly = [_month(month, shade, near) for month in range(12)]
    # as shown, so that what is shown adds up
    year = {name: sum(month[name] for month in monthly) for name in _SUMMED}
    return {
        **level_2,
        **panel,
        "api_tier": "precise",
        "compute_ms": round(compute_ms, 2),
        "annual_yield_reduction_pct": round(terrain_loss + near_loss, 3),
        "terrain_loss_pct": terrain_loss,
        "near_field_loss_pct": near_loss,
        "near_field_loss_bare_crowns_pct": _percent(with_bare.sum(), open_),
        **{f"annual_{name}": round(total, 3) for name, total in year.items()},
        "shaded_daylight_hours_pct": _percent(year["shade_hours"], year["daylight_hours"]),
        "monthly": monthly,
        "near_field_objects": _objects(objects, shade, is_tree, bare),
    }


def _month(month: int, shade: "Shade", near: Floats) -> dict[str, Any]:
    open_, terrain = shade.open[month], shade.terrain[month]
    lost = terrain + near[month]
    return {
        "month": month + 1,
        "poa_open_kwh_m2": round(float(open_), 3),
        "poa_kwh_m2": round(float(open_ - lost), 3),
        **{
            name: _percent(part, open_) if open_ > 0 else None
            for name, part in (
                ("yield_reduction_pct", lost),
                ("terrain_loss_pct", terrain),
                ("near_field_loss_pct", near[month]),
            )
        },
        "daylight_hours": round(float(shade.daylight[month]), 1),
        "shade_hours": round(float(shade.shaded[month]), 1),
    }


def _objects(
    objects: "Sequence[NearObject]", shade: "Shade", is_tree: np.typing.NDArray[np.bool_], bare: Floats
) -> list[dict[str, Any]]:
    costs, open_ = shade.objects.sum(axis=1), shade.open.sum()
    lost = shade.terrain.sum() + costs.sum()
    return [
        {
            "azimuth_deg": round(objects[i].azimuth, 2),
            "azimuth_width_deg": round(objects[i].width, 1),
            "highest_azimuth_deg": objects[i].highest,
            "elevation_deg": round(objects[i].elevation, 3),
            "distance_m": round(objects[i].distance, 1),
            "height_above_module_m": round(objects[i].height, 2),
            "kind": objects[i].kind,
            "shading_impact_score": round(float(costs[i] / lost), 4) if lost > 0 else 0.0,
            "yield_loss_pct": _percent(costs[i], open_),
            "yield_loss_bare_crowns_pct": _percent(bare[i].sum(), open_) if is_tree[i] else None,
        }
        for i in np.argsort(-costs, kind="stable")
    ]


def _percent(part: float, whole: float) -> float:
    """Return a part of a whole, %; 0 where there is no whole."""
    return round(float(100 * part / whole), 3) + 0.0 if whole > 0 else 0.0


def profile(answer: Mapping[str, Any], extra: Mapping[str, Any]) -> HorizonProfile:
    """Return what files and pictures take, of an answer and of `extra`, what else of its input its result has."""
    invented = any(source["data_origin"] != "live" for source in extra["heights"])  # in them there is no weather
    return HorizonProfile(
        tier="precise",
        elevation=np.array(answer["elevation_deg"], np.float64),
        distance=np.array(extra["distance"], np.float64),
        near=np.array(answer["near_horizon_only"], np.float64),
        observer_z=answer["observer_z_masl"],
        ground_z=answer["dtm_ground_z_m"],
        near_alone_m=None if answer["tier1_used"] else answer["near_field_m"],
        data_origin="simulated" if invented else "live",
        sources=extra["heights"],
        ends=extra["ends"],
        **{name: answer[name] for name in ("lat", "lon", "dtm_year", "dom_year", "tile_key")},
    )


def table(answer: Mapping[str, Any], extra: Mapping[str, Any]) -> bytes:
    """Return a CSV: what it is, 720 rows as those of `format=csv`, a blank line, and twelve rows of months."""
    seen, months = profile(answer, extra), answer["monthly"]
    azimuth, tilt, loss = (answer[name] for name in ("panel_az_deg", "panel_tilt_deg", "annual_yield_reduction_pct"))
    light = " and ".join(sentence(source) for source in answer["sources"] if source not in extra["heights"])
    head = [
        *remarks(seen),
        f"Light from {plain(light)}",
        f"Panel at {seen.lat} N {seen.lon} E - azimuth {degrees(azimuth)} from north - tilt {degrees(tilt)}",
        f"Loss {loss} % of the irradiation on it in a {answer['typical_year']['kind'].replace('_', ' ')} year",
    ]
    lines = [tuple(months[0]), *(tuple(month.values()) for month in months)]
    block = "\n".join([*(",".join("" if one is None else str(one) for one in line) for line in lines), ""])
    return "".join(f"# {line}\n" for line in head).encode() + csv.write(seen) + b"\n" + block.encode()
