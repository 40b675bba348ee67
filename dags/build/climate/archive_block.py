"""One block of the climate archive as it is stored, and what its making told of the upstreams."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.sources.data_origin import origin_of
from catalog.sources.registry import SOURCES
from dags.build.cells import block_array
from dags.build.climate.archive_hours import Hours, Upstream
from dags.build.provenance import provenance
from tiles.building import Corner
from tiles.product import FILL
from tiles.products.climate_archive import BLOCK, PRODUCT


def packed_block(
    read: Sequence[Hours], corner: Corner, cells: Sequence[int], part: slice
) -> dict[str, NDArray[np.uint16]]:
    """Return what is stored of a block, by variable.

    Parameters
    ----------
    read : sequence of Hours
        Of the reanalysis and, where there is one, of the solar model; for the cells of several blocks.
    corner : (int, int)
    cells : sequence of int
        Of the block, counted row by row.
    part : slice
        Where in `read` they are.
    """
    rows, columns = np.divmod(np.asarray(cells), BLOCK)
    reanalysis, *solar = read
    series = {"ghi_reanalysis" if name == "ghi" else name: values for name, values in reanalysis.fields.items()}
    series |= {f"{name}_solarmodel": values for hours in solar for name, values in hours.fields.items()}
    if reanalysis.altitude is not None:
        series["altitude"] = reanalysis.altitude
    packed = {}
    for name, values in series.items():
        packed[name] = block_array(values.shape[:-1], corner, FILL)
        packed[name][..., rows, columns] = PRODUCT.variable(name).pack(values[..., part])
    return packed


def notes_of(upstreams: Sequence[Upstream], read: Sequence[Hours]) -> dict[str, Any]:
    """Return what a block remembers of the files that it was made of, by archive."""
    return {
        upstream.archive: {
            "inputs": hours.inputs,
            "data_origin": hours.data_origin,
            "missing_variables": list(hours.missing_variables),
        }
        for upstream, hours in zip(upstreams, read, strict=True)
    }


def learned(upstreams: Sequence[Upstream], notes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what a version says of its sources, from the notes of its blocks.

    Parameters
    ----------
    upstreams : sequence of Upstream
    notes : sequence of mapping
        As `notes_of` made them.
    """
    sources = [_source(upstream.archive, [note[upstream.archive] for note in notes]) for upstream in upstreams]
    missing = {name for note in notes for name in note[upstreams[0].archive]["missing_variables"]}
    return provenance(sources, missing_variables=sorted(missing))


def _source(name: str, notes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    origin = origin_of(*(note["data_origin"] for note in notes))
    files: dict[str, dict[str, dict[str, Any]]] = {}
    for note in notes:
        for receipt in note["inputs"]:
            files.setdefault(receipt["url"], {})[receipt["sha256"]] = receipt
    return {
        **SOURCES[name].named(origin),
        "data_origin": origin,
        "inputs": [_file(list(parts.values())) for _, parts in sorted(files.items())],
    }


def _file(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the receipt of a file that was read in several parts: the hash is then that of their hashes."""
    hashes = sorted(str(part["sha256"]) for part in parts)
    digest = hashes[0] if len(hashes) == 1 else sha256("".join(hashes).encode()).hexdigest()
    return {**parts[0], "sha256": digest, "parts": len(parts), "bytes_read": sum(part["bytes_read"] for part in parts)}
