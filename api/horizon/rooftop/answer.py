"""From what is seen to the answer's fields, and to what files and pictures take."""

from typing import Any, NamedTuple

import numpy as np
import orjson

from api.horizon.profile import AZIMUTHS, VERSION, Floats, HorizonProfile, N
from api.horizon.provenance import Source, distinct, ends, sentence, source, sources_of
from api.horizon.rooftop import told
from api.horizon.rooftop.calculation import Seen, data_origin, year_of
from api.horizon.rooftop.land import NEAR_M, Blocks
from api.horizon.rooftop.method import method
from api.horizons import View
from catalog.sources.kartverket.heights import NAME
from catalog.sources.registry import SOURCES

_AZIMUTHS = orjson.Fragment(orjson.dumps(AZIMUTHS, option=orjson.OPT_SERIALIZE_NUMPY))


class Asked(NamedTuple):
    """A point, and what was found of it.

    Parameters
    ----------
    lat, lon : float
        Degrees.
    x, y : float
        m in UTM 33.
    blocks : mapping of Square to Block
    far : View or None
        Level 1; None where it was not wanted.
    ignored : tuple of str
        Fields and parameters that nobody knows.
    """

    lat: float
    lon: float
    x: float
    y: float
    blocks: Blocks
    far: View | None
    ignored: tuple[str, ...] = ()

    @property
    def origin(self) -> str:
        """`live` or `simulated`."""
        return data_origin(self.blocks, self.far)

    @property
    def sources(self) -> list[Source]:
        """Whose heights they are, near by and beyond."""
        made_up = dict.fromkeys(block.simulated for block in self.blocks.values())
        near = [source(**SOURCES[NAME].named("live"), simulated=simulated) for simulated in made_up]
        far = [] if self.far is None else sources_of(self.far.provenance, self.far.horizon.data_origin)
        return distinct(near + far)

    @property
    def ends(self) -> str:
        """In how many directions level 1 ends before its reach."""
        return "" if self.far is None else ends(self.far.provenance)


def fields(asked: Asked, seen: Seen, compute_ms: float) -> dict[str, Any]:
    """Return the answer as JSON is made of it."""
    simulated = asked.origin == "simulated"
    return {
        "lat": asked.lat,
        "lon": asked.lon,
        "api_tier": "rooftop",
        "version": VERSION,
        "n_azimuth": N,
        "tier1_used": seen.far_used,
        "dtm_ground_z_m": seen.ground,
        "observer_height_above_dtm_m": seen.height,
        "observer_z_masl": seen.z,
        "dom_year": year_of(asked.blocks, "dom", asked.x, asked.y),
        "dtm_year": year_of(asked.blocks, "dtm", asked.x, asked.y),
        "near_field_m": NEAR_M,
        "tile_key": None if asked.far is None else asked.far.horizon.tile_key,
        "data_origin": asked.origin,
        "method": method(asked.far),
        "sources": asked.sources,
        "warnings": [
            *told.warnings(seen, asked.blocks, near_alone=asked.far is None, simulated=simulated),
            *_of_asking(asked),
        ],
        "compute_ms": round(compute_ms, 2),
        "azimuth_deg": _AZIMUTHS,
        "elevation_deg": _numbers(seen.elevation, 3),
        "near_horizon_only": _numbers(seen.near, 3),
        "near_distance_m": _numbers(seen.near_distance, 1),
    }


def profile_of(asked: Asked, seen: Seen) -> HorizonProfile:
    """Return what files and pictures take."""
    return HorizonProfile(
        tier="rooftop",
        lat=asked.lat,
        lon=asked.lon,
        observer_z=seen.z,
        ground_z=seen.ground,
        elevation=seen.elevation,
        distance=seen.distance,
        data_origin=asked.origin,
        dtm_year=year_of(asked.blocks, "dtm", asked.x, asked.y),
        dom_year=year_of(asked.blocks, "dom", asked.x, asked.y),
        tile_key=None if asked.far is None else asked.far.horizon.tile_key,
        near=seen.near,
        sources=tuple(map(sentence, asked.sources)),
        near_alone_m=NEAR_M if asked.far is None else None,
        ends=asked.ends,
    )


def _of_asking(asked: Asked) -> list[str]:
    said = [f"Level 1: {asked.ends[0].lower()}{asked.ends[1:]}; what stands beyond is missing."] if asked.ends else []
    if asked.ignored:
        said.append(f"Unknown fields were ignored: {', '.join(asked.ignored)}.")
    return said


def _numbers(values: Floats, digits: int) -> orjson.Fragment:
    return orjson.Fragment(orjson.dumps(np.round(values, digits) + 0.0, option=orjson.OPT_SERIALIZE_NUMPY))  # no -0
