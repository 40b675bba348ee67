"""A published version of a product that is read by cell."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from api.core import problems
from api.core.errors import ApiError, Problem
from api.core.pipeline import Origin, origin_of
from api.data.published import Followed, Opener
from catalog.versions import Entry
from tiles.chunked import ChunkedTile
from tiles.errors import TileError
from tiles.grid import distance_km
from tiles.products.registry import PRODUCTS

log = logging.getLogger("solflis.api")

# Products that a workflow of another name builds.
_BUILT_BY = {
    **dict.fromkeys(("tmy_stats", "ens_tmy30", "reanalysis_tmy30", "reanalysis_tmy18", "solarmodel_tmy30"), "tmy"),
    **dict.fromkeys(("snow_outlook", "snow_factors"), "snow_daily"),
    "turbidity": "forecast",
}


@dataclass(frozen=True)
class Version:
    """An open version.

    Parameters
    ----------
    entry : Entry
    tile : ChunkedTile
    """

    entry: Entry
    tile: ChunkedTile

    @property
    def name(self) -> str:
        """Name that no other version has."""
        return self.entry.path

    @property
    def data_origin(self) -> Origin:
        """`simulated` if any input is."""
        return origin_of(self.entry.data_origin)

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Return the builder's provenance."""
        provenance: Mapping[str, Any] = self.tile.manifest.provenance
        return provenance

    @property
    def sources(self) -> Sequence[Mapping[str, str]]:
        """`name`, `licence` and `attribution` of each source."""
        return list(self.provenance["sources"])

    @property
    def credits(self) -> str:
        """Its sources in words."""
        return credits_of(self.sources)

    @property
    def method(self) -> str:
        """Method."""
        return str(self.provenance["method"])

    @contextmanager
    def reading(self, avoid: str = "") -> Iterator[ChunkedTile]:
        """Read the tile.

        Parameters
        ----------
        avoid : str
            Parameter with which a request is answered without these data, such as `horizon=0`.

        Raises
        ------
        ApiError
            `DAMAGED`: it cannot be read; this is logged.
        """
        try:
            yield self.tile
        except (TileError, OSError) as error:
            log.error("damaged %s: %r", self.entry.path, error)
            raise damaged(self.entry.product, avoid) from error


def version_opener(*required: str) -> Opener:
    """Return the opener of a product whose provenance must hold some fields."""

    def opened(entry: Entry, tile: ChunkedTile) -> Version:
        require_provenance(entry, tile, *required)
        return Version(entry, tile)

    return opened


def require_provenance(entry: Entry, tile: ChunkedTile, *required: str) -> None:
    """Refuse a version whose provenance lacks fields.

    Raises
    ------
    ValueError
    """
    missing = [name for name in required if not tile.manifest.provenance.get(name)]
    if missing:
        raise ValueError(f"the provenance of {entry.path} lacks {', '.join(missing)}: build it anew")


def credits_of(sources: Sequence[Mapping[str, str]]) -> str:
    """Return name, licence and attribution of sources in words."""
    return "; ".join(f"{one['name']} ({one['licence']}; {one['attribution']})" for one in sources)


def not_built(
    version: Version, variable: str, lat: float, lon: float, problem: Problem = problems.NOT_BUILT_HERE, **values: Any
) -> ApiError:
    """Return the refusal of a place that is not built, with the nearest that is; it reads, so call it in a thread.

    Parameters
    ----------
    version : Version
    variable : str
    lat, lon : float
        Degrees north and east.
    problem : Problem
    **values
        Of its sentence, beside `product` and `build`.
    """
    product, grid = version.entry.product, PRODUCTS[version.entry.product].grid
    assert grid is not None  # noqa: S101 - a product that is read by cell has one
    fields: dict[str, Any] = {"build": build_command(product)}
    with version.reading() as tile:
        row, column = map(round, grid.fractional(lat, lon))
        cell = tile.nearest_built(variable, (row, column))
    if cell is not None:
        there = grid.centre(cell)
        away = round(distance_km(lat, lon, *there), 1)
        fields["nearest"] = {"lat": round(there[0], 4), "lon": round(there[1], 4), "distance_km": away}
    return problem(product=product, build=fields["build"], fields=fields, **values)


def current_of(followed: Followed, variable: str, now: datetime, avoid: str = "") -> Any | None:
    """Return the opened current version, as its opener made it; None where none is published.

    Parameters
    ----------
    followed : Followed
    variable : str
    now : datetime
    avoid : str
        As in `Version.reading`.

    Raises
    ------
    ApiError
        `DAMAGED`: one is published, and cannot be opened.
    """
    serving = followed.current(variable, now)
    if serving is not None:
        return serving.prepared
    if followed.candidates(variable, now):
        raise damaged(followed.product.name, avoid)
    return None


def damaged(product: str, avoid: str) -> ApiError:
    """Return the refusal of a product that cannot be read; `avoid` as in `Version.reading`."""
    return (problems.DAMAGED_AVOIDABLE if avoid else problems.DAMAGED)(product=product, avoid=avoid)


def not_published(product: str) -> ApiError:
    """Return the refusal of a product that is not published."""
    build = build_command(product)
    return problems.NOT_PUBLISHED(product=product, build=build, fields={"build": build})


def build_command(product: str) -> str:
    """Return the command with which an operator builds a product."""
    return f"solflis build {_BUILT_BY.get(product, product)}"
