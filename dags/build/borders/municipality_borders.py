"""The borders of the municipalities as a table, with the county of each: by them a point finds its municipality."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from catalog.publish import publish
from catalog.sources import kartverket
from catalog.versions import Entry
from dags.build.borders.publishing import DEADLINE_S, ensured, moment, provenance, version_of
from dags.build.borders.raster import projected
from dags.build.provenance import user_agent
from tiles.clock import Clock
from tiles.products.municipality_borders import AXES, PRODUCT, STEPS_PER_KM
from tiles.store import Store
from tiles.writer import Draft

_METHOD = (
    f"corners as the source has them, and points between those far apart, to {1000 / STEPS_PER_KM:g} m in UTM 33; a "
    "municipality is of the county whose number its own begins with"
)


def build(*, url: str, store: Store, clock: Clock, report: Callable[[str], None]) -> Entry:
    """Publish the borders; those that were published before give the same version again.

    Parameters
    ----------
    url : str
        Where the borders are: see `kartverket.municipalities`.
    store : Store
    clock : Clock
    report : callable
        Takes one line of progress.

    Raises
    ------
    SourceError
        The borders cannot be had or are malformed.
    DraftInvalid
        A validator refused the draft: these are not the municipalities of Norway.
    """
    borders = kartverket.municipalities(url, user_agent=user_agent(), deadline_s=DEADLINE_S)
    counties = kartverket.counties(url, user_agent=user_agent(), deadline_s=DEADLINE_S)
    rings = [
        (number, ring)
        for number, polygons in zip(borders.numbers, borders.polygons, strict=True)
        for polygon in projected(polygons)
        for ring in polygon
    ]
    table = _table(rings)
    report(f"borders of {len(borders.numbers)} municipalities: {len(rings)} rings, {len(table['ring'])} vertices")
    inputs = [borders.input, counties.input]
    simulated = "simulated" in (borders.data_origin, counties.data_origin)
    said = provenance(inputs, "simulated" if simulated else "live", {}, _METHOD)
    said["municipalities"] = _listed(borders, counties)
    version = version_of(*inputs)
    draft = Draft(store, PRODUCT, version, {"vertex": np.arange(len(table["ring"]))}, said)
    for name, values in table.items():
        draft.write_packed(name, PRODUCT.variable(name).pack(values))
    return publish(draft, moment(store, PRODUCT.name, version, clock), now=clock.now(), expected=None, report=report)


def ensure(*, url: str, store: Store, clock: Clock, report: Callable[[str], None]) -> Entry:
    """Return the version that counts; it is built first where there is none. Parameters are those of `build`."""
    return ensured(PRODUCT.name, build, url=url, store=store, clock=clock, report=report)


def _listed(borders: kartverket.Municipalities, counties: kartverket.Borders) -> list[list[int | str | None]]:
    """Return number, name and county of each municipality, by number."""
    county = dict(zip(counties.numbers, counties.names, strict=True))
    return [
        [number, name, county.get(number // 100)]
        for number, name in sorted(zip(borders.numbers, borders.names, strict=True))
    ]


def _table(rings: list[tuple[int, NDArray[np.float64]]]) -> dict[str, NDArray[np.float64]]:
    """Return the variables of rings, m, and of the municipalities that they are of."""
    count = [len(ring) for _, ring in rings]
    steps = np.rint(np.concatenate([ring for _, ring in rings]) * (STEPS_PER_KM / 1000))
    table: dict[str, NDArray[np.float64]] = {}
    for name, along in zip(AXES, steps.T, strict=True):
        whole = np.floor(along / STEPS_PER_KM)
        table |= {f"{name}_km": whole, f"{name}_m": (along - whole * STEPS_PER_KM) * (1000 / STEPS_PER_KM)}
    table["ring"] = np.repeat(np.arange(len(rings), dtype=np.float64), count)
    table["number"] = np.repeat(np.array([number for number, _ in rings], dtype=np.float64), count)
    return table
