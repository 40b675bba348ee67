"""Which layers of terrain a context names: files, or the national model around areas."""

from dags.build.context import BuildContext
from dags.build.terrain import file as terrain_file
from dags.build.terrain import kartverket as terrain_kartverket
from dags.build.terrain.layer import Layer

KARTVERKET, FILE = "kartverket", terrain_file.NAME


def layers_of(context: BuildContext) -> tuple[Layer, ...]:
    """Return the layers that are asked for: files where there are paths, else the national model.

    Raises
    ------
    FileNotFoundError
        A file does not exist.
    ValueError
        The parts of the question do not go together, or a file is no terrain model; for the whole country, the land
        is not published.
    """
    context.refuse_partition("its version is the hour at which its build began")
    source = context.source or (FILE if context.paths else KARTVERKET)
    if source == FILE:
        if not context.paths:
            raise ValueError("which file? Write --path X.tif; a folder or a pattern will do too")
        return terrain_file.files_of(context.paths, context.year)
    if source != KARTVERKET:
        raise ValueError(f"there is no terrain from '{source}'; there is {KARTVERKET}, and {FILE} with --path")
    if context.paths or context.year is not None:
        raise ValueError(f"files and their year belong to --source {FILE}; {KARTVERKET} has its own")
    url = context.address(terrain_kartverket.NAME)
    if context.areas:
        return terrain_kartverket.around(context.areas, url)
    return (terrain_kartverket.everywhere(url, context.store, context.clock),)
