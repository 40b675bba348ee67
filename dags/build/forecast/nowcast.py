"""The last satellite images, and the newest v2.3b forecast, to a published nowcast."""

from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment, publish
from catalog.sources import meteosat
from catalog.sources.data_origin import origin_of
from catalog.sources.errors import NotYetAvailable, SourceError
from catalog.sources.http import without_credentials
from catalog.sources.registry import SOURCES
from catalog.versions import Entry, read_index
from dags.build.context import BuildContext, NothingToBuild, Report
from dags.build.forecast.nowcast_fields import Carried, Hours, Sky, motion_over, satellite_weight, sky_of, window_around
from dags.build.forecast.nowcast_motion import Motion
from dags.build.provenance import INTERVAL, provenance, user_agent
from dags.partition import latest_image
from tiles.arrays import read_whole
from tiles.chunked import ChunkedTile
from tiles.clock import IMAGE_EVERY_MIN, IMAGE_OUT_AFTER, floor_hour, format_moment, iso, parse_moment
from tiles.grid import FORECAST as GRID
from tiles.products.forecast import PRODUCT as FORECAST
from tiles.products.nowcast import HOURS, PRODUCT, is_daylight
from tiles.store import Store
from tiles.writer import Draft

DEADLINE_S = 120.0
IMAGES = 4
"""How many are looked at: three quarters of an hour show how clouds move, and what an hour that has begun was like."""
_EVERY = timedelta(minutes=IMAGE_EVERY_MIN)


def build(context: BuildContext, *, deadline_s: float = DEADLINE_S) -> Entry:
    """Read the image of a quarter of an hour and those before it, and publish a version of `nowcast`.

    Images before it that are missing or broken are left out, and it says so; without any of them nothing moves.

    Parameters
    ----------
    context : BuildContext
        Partition: the image's nominal time, `2026-06-21T10:15`; None: of the newest that is out.
    deadline_s : float
        Seconds that the reading of an image may take.

    Raises
    ------
    ValueError
        The partition or the source is none.
    NothingToBuild
        It is night.
    SourceError
        The image is absent, late, broken, or shows nothing of the country by day; or no forecast is published yet.
    DraftInvalid
        A validator refused the result.
    """
    store, clock, report = context.store, context.clock, context.report
    url = context.address(context.require_source(meteosat.NAME))
    partition = context.partition
    nominal = latest_image(clock.now()) if partition is None else parse_moment(partition, IMAGE_EVERY_MIN)
    version = format_moment(nominal)
    if not is_daylight(nominal):
        raise NothingToBuild(f"the sun is too low over all of the country at {version}: an image shows nothing")
    first = floor_hour(nominal + IMAGE_OUT_AFTER)
    model = read_index(store, FORECAST.name).newest(min(first, clock.now()), "ghi")
    if model is None or model.valid_to < first + timedelta(hours=HOURS):
        raise NotYetAvailable(f"no forecast is published that holds the hours from {iso(first)} to blend into")
    skies, absent = _skies(nominal, url, deadline_s, report)
    nothing = SourceError(f"{meteosat.NAME}: the image of {version} shows no place of the country by day")
    if not np.isfinite(skies[-1].index).any():
        raise nothing
    motion = motion_over(skies)
    still = "motion cannot be seen: what was seen is taken to stand still"
    report(f"motion from {motion.pairs} pairs of images" if motion.pairs else still)
    starts = int(first.timestamp()) + 3600 * np.arange(HOURS, dtype=np.int64)
    ghi, model_provenance = _model(store, model, starts)
    report(f"blend into forecast {model.version}")
    packed, covered = _compute(skies, motion, starts, ghi)
    if not covered:
        raise nothing
    report(f"the satellite knows {covered:.0%} of the country's cells")
    said = _provenance(skies, absent, motion, model, model_provenance, covered)
    draft = Draft(store, PRODUCT, version, {"time": starts}, said)
    for name, values in packed.items():
        draft.write_packed(name, values)
    moment = Moment(nominal, first, first + timedelta(hours=HOURS))
    return publish(draft, moment, now=clock.now(), expected=~np.isnan(ghi[0]), report=report)


def _skies(nominal: datetime, url: str, deadline_s: float, report: Report) -> tuple[list[Sky], list[str]]:
    """Return the images, oldest first, and what is to be said of those that are not there."""
    window = window_around(GRID)
    skies: list[Sky] = []
    absent: list[str] = []
    for back in range(IMAGES):
        moment = nominal - back * _EVERY
        if back and not is_daylight(moment):
            break
        try:
            report(f"open {meteosat.NAME} {format_moment(moment)} at {without_credentials(url)}")
            image = meteosat.read_image(url, moment, window, user_agent=user_agent(), deadline_s=deadline_s)
        except SourceError as error:
            if not back:
                raise
            absent.append(str(error))
            report(f"left out: {error}")
            # what is away altogether is not waited for again and again
            if not isinstance(error, NotYetAvailable):
                break
            continue
        skies.insert(0, sky_of(image))
    return skies, absent


def _model(store: Store, entry: Entry, starts: NDArray[np.int64]) -> tuple[NDArray[np.float32], dict[str, Any]]:
    """Return v2.3b of some hours, W/m2, (hours, n_lat, n_lon), NaN where missing; and how it was made."""
    tile = ChunkedTile(store, FORECAST, entry.manifest)
    offset = (int(starts[0]) - round(entry.valid_from.timestamp())) // 3600
    packed = read_whole(store, tile.manifest, "ghi")[offset : offset + starts.size]
    return FORECAST.variable("ghi").unpack(packed).astype(np.float32), tile.manifest.provenance


def _compute(
    skies: list[Sky], motion: Motion, starts: NDArray[np.int64], model: NDArray[np.float32]
) -> tuple[dict[str, NDArray[np.uint16]], float]:
    """Return the packed variables (hours, n_lat, n_lon), and the share of cells that the satellite says anything of."""
    carried = Carried(skies, motion, GRID)
    hours = Hours(carried, GRID, skies[-1].image.nominal)
    seen_at = carried.seen_at(skies[-1])
    packed = {v.name: np.empty(model.shape, np.uint16) for v in PRODUCT.variables}
    known = np.zeros(model.shape[1:], bool)
    for k, start in enumerate(starts.tolist()):
        lead = (start + 1800 - seen_at).astype(np.float32)
        fields = hours.hour(start, by_satellite=bool(satellite_weight(lead).any())).blended(model[k], lead)
        known |= fields["satellite"] > 0
        for name, values in fields.items():
            packed[name][k] = PRODUCT.variable(name).pack(values)
    expected = ~np.isnan(model[0])
    return packed, float(known[expected].mean()) if expected.any() else 0.0


def _provenance(
    skies: list[Sky], absent: list[str], motion: Motion, model: Entry, made: dict[str, Any], covered: float
) -> dict[str, Any]:
    seen = origin_of(*(sky.image.data_origin for sky in skies))
    images = SOURCES[meteosat.NAME].named(seen) | {
        "images": [format_moment(sky.image.nominal) for sky in skies],
        "inputs": [sky.image.input for sky in skies],
        "left_out": absent,
    }
    return provenance(
        [images, *made["sources"]],
        source=meteosat.NAME,
        data_origin=origin_of(seen, model.data_origin),
        forecast_version=model.version,
        forecast_attempt=model.attempt,
        motion={"method": "Farneback 2003" if motion.pairs else "none: persistence", "pairs": motion.pairs},
        blend="weight of the satellite 1 at the image's moment, linearly to 0 four hours later",
        covered_share=round(covered, 4),
        interval=INTERVAL,
    )
