"""`solflis roof`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from infra.commands.common import naming_the_error

if TYPE_CHECKING:
    from infra.roofs.roofs import FoundRoof
    from kernels.roof.layout.result import SurfaceLayout

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_HEAD = ("ID", "FORM", "PLANE", "TILT", "AZIMUTH", "AREA", "SURE", "MODULES", "KWP", "SECONDS", "NO MODULES BECAUSE")
_REASONS = {
    "shade": "too much shade", "no_room": "no room for a row", "unsure": "the heights show too little of it",
    "not_south": "faces north", "steep_north": "faces north, steeper than {:g} degrees",
}  # fmt: skip
"""By the keys of `kernels.roof.layout.result.Reason` of surfaces without modules."""


@click.command(short_help="Analyse roofs in a file of heights.")
@click.argument("file", type=_FILE)
@click.option("--ground", type=_FILE, help="GeoTIFF of the terrain; <place>_dtm*.tif beside FILE when not given.")
@click.option(
    "--outlines", type=_FILE, help="GeoJSON of buildings; <place>_outlines.geojson beside FILE when not given."
)
@click.option("--id", "only", help="Property `id` of the one building to analyse.")
@click.option("--json", "written", type=click.Path(dir_okay=False, path_type=Path), help="File to write results to.")
@click.option("--drawing", type=click.Path(file_okay=False, path_type=Path), help="Folder for a PNG of each roof.")
def command(
    file: Path, ground: Path | None, outlines: Path | None, only: str | None, written: Path | None, drawing: Path | None
) -> None:
    """Analyse the roofs of buildings in FILE, and print their planes and how many modules they hold.

    FILE is a GeoTIFF of the surface (DSM, DOM), north up, heights in metres, or a point cloud (LAS, LAZ), in any CRS
    that it names. Without --ground, class 2 of a point cloud is the ground. <place> is FILE's name before `_dsm` or
    `_dom`. Outlines are in the CRS that their file names, else in degrees or in FILE's.

    TILT and AZIMUTH are degrees, AZIMUTH where the plane falls to, clockwise from TRUE north; AREA is m2 on the slope;
    SURE is the probability that the tilt is within 3 degrees. Modules are 650 Wp, laid by the default rules of the API.

    \b
    Examples:
      solflis roof delft_west_dsm050.tif
      solflis roof delft_west_dsm050.tif --id delft-1 --drawing drawings
      solflis roof scan.laz --outlines buildings.geojson --json roofs.json
    """
    with naming_the_error():
        from infra.roofs.roofs import beside, roofs_of

        write_drawing = _drawer(drawing) if drawing else None
        near_ground, near_outlines = beside(file)
        ground, outlines = ground or near_ground, outlines or near_outlines
        if written and not written.parent.is_dir():
            raise click.ClickException(f"{written.parent} is no folder: name another file with --json")
        found = list[dict[str, Any]]()
        rows: list[tuple[str, ...]] = [_HEAD]
        for one in roofs_of(file, ground, outlines, only):
            rows += _rows(one)
            found.append(one.as_json())
            if write_drawing:
                write_drawing(one, file)
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = (
                cell.ljust(w) if n in (0, 1, len(_HEAD) - 1) else cell.rjust(w)
                for n, (cell, w) in enumerate(zip(row, widths, strict=True))
            )
            click.echo("  ".join(cells).rstrip())
        click.echo(
            f"{len(found)} roof{'s' if len(found) > 1 else ''} in {sum(one['seconds'] for one in found):.1f} s",
            err=True,
        )
        if written:
            _write(written, file, found)


def _rows(one: "FoundRoof") -> list[tuple[str, ...]]:
    """Return the lines of a building: its sum, then its planes."""
    surfaces, area = one.roof.surfaces, sum(surface.area for surface in one.roof.surfaces)
    laid = {each.surface: each for each in one.layout.surfaces}
    total, kwp, why = f"{one.layout.count}", f"{one.layout.kwp:.1f}", "" if surfaces else "the heights show no roof"
    form = one.roof.form if surfaces else "-"
    first = one.id, form, "", "", "", f"{area:.1f}", "", total, kwp, f"{one.seconds:.2f}", why
    rows: list[tuple[str, ...]] = [first]
    for surface in surfaces:
        azimuth = "-" if surface.plane.tilt < 3 else f"{round(surface.plane.azimuth, 1) % 360}"
        count = laid[surface.number].count
        rows.append((
            "", "", f"{surface.number}", f"{surface.plane.tilt:.1f}", azimuth, f"{surface.area:.1f}",
            f"{surface.confidence:.2f}", f"{count}", f"{count * one.module.wp / 1000:.1f}", "",
            _reason(laid[surface.number]),
        ))  # fmt: skip
    return rows


def _reason(laid: "SurfaceLayout") -> str:
    """Return why a surface has no modules; empty if it has."""
    if laid.used:
        return ""
    key, values = laid.reason or ("no_room", ())
    return _REASONS.get(key, _REASONS["no_room"]).format(*values)


def _write(path: Path, file: Path, found: list[dict[str, Any]]) -> None:
    import orjson

    document = {"file": file.name, "azimuth": "where a plane falls to, degrees clockwise", "buildings": found}
    path.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2))


def _drawer(folder: Path) -> Callable[["FoundRoof", Path], None]:
    """Return a function that draws a roof to a folder."""
    import datetime as dt
    import re

    from api.roof.drawing.png import png
    from api.roof.drawing.scene import Scene
    from kernels.roof.layout.rules import Rules

    folder.mkdir(parents=True, exist_ok=True)

    def draw(one: "FoundRoof", file: Path) -> None:
        drawn = Scene(
            roof=one.roof, layout=one.layout, module=one.module, title=one.id, sources=(file.name,), warnings=(),
            simulated=False, lat=one.frame.lat, lon=one.frame.lon, date=dt.datetime.now(dt.UTC).date().isoformat(),
            rules=Rules(),
        )  # fmt: skip
        name = re.sub(r"[^\w.-]", "_", one.id).lstrip(".") or "roof"
        (folder / f"{name}.png").write_bytes(png(drawn))

    return draw
