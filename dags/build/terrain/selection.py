"""What somebody asks of the terrain: files, or the national model around areas."""

from collections.abc import Sequence

from dags.areas import Area
from dags.build.terrain import file as terrain_file
from dags.build.terrain import kartverket as terrain_kartverket
from dags.build.terrain.layer import Layer
from tiles.clock import Clock
from tiles.store import Store

KARTVERKET, FILE = "kartverket", terrain_file.NAME


def layers_of(
    source: str | None,
    paths: Sequence[str],
    year: int | None,
    areas: Sequence[Area],
    *,
    url: str,
    store: Store,
    clock: Clock,
) -> tuple[Layer, ...]:
    """Return the layers that are asked for.

    Parameters
    ----------
    source : str or None
        `kartverket` or `file`; files where there are paths and it is not said.
    paths : sequence of str
        Files, folders or patterns.
    year : int or None
        Of the heights in files.
    areas : sequence of Area
        Of the national model; none of them is the whole country, whose land has to be published.
    url : str
        Of the national model.
    store : Store
    clock : Clock

    Raises
    ------
    FileNotFoundError
        A file does not exist.
    ValueError
        The parts of the question do not go together, or a file is no terrain model.
    """
    source = source or (FILE if paths else KARTVERKET)
    if source == FILE:
        if not paths:
            raise ValueError("which file? Write --path X.tif; a folder or a pattern will do too")
        return terrain_file.files_of(paths, year)
    if source != KARTVERKET:
        raise ValueError(f"there is no terrain from '{source}'; there is {KARTVERKET}, and {FILE} with --path")
    if paths or year is not None:
        raise ValueError(f"files and their year belong to --source {FILE}; {KARTVERKET} has its own")
    if areas:
        return terrain_kartverket.around(areas, url)
    return (terrain_kartverket.everywhere(url, store, clock),)
