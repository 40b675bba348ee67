"""The simulated borders: the outline of `borders_outline.geojson`, in the GeoJSON of the real counties."""

from typing import Any

from infra.simulator.borders_municipal import areas, collection, municipalities, serving

NAMES = {24: "Norge", 25: "Nord i Norge", 3: "Oslo"}
"""Of the counties that the numbers of the simulated municipalities begin with."""


def document(*, swapped: bool = False) -> dict[str, Any]:
    """Return the GeoJSON; with `swapped`, latitude comes before longitude, as it must not."""
    rings: dict[int, list[Any]] = {county: [] for county in NAMES}
    for number, _, parts in municipalities():
        rings[number // 100] += parts
    rings[24] = list(areas().values())  # the others lie in it: all land of the outline, and no seams
    return collection(
        [
            ({"fylkesnummer": f"{county:02d}", "name": f"{NAMES[county]} (SIMULATED)"}, rings[county])
            for county in NAMES
        ],
        swapped,
    )


serve = serving(document)
