"""What an aerial picture shows of a roof: asked of a vision model, else looked at by the classical analysis."""

import logging
from typing import Any, NamedTuple

import numpy as np
import shapely
from shapely import Polygon

from api.core.settings import Settings
from api.reports.pictures import png
from api.roof.frame import Frame
from catalog.sources import ortofoto, vision
from catalog.sources.errors import Misconfigured, SourceError
from catalog.sources.http import Deadline
from kernels.roof import image as classical
from kernels.roof.roof import Obstacle, Roof

_PIXEL_M, _AROUND_M = 0.1, 3.0
_PICTURE_S, _VISION_S = 20.0, 30.0

log = logging.getLogger("solflis.roof")


class Look(NamedTuple):
    """What an aerial picture shows.

    Parameters
    ----------
    form, material : str or None
    tilt : float or None
        Degrees.
    panels : bool or None
    obstacles : tuple of Obstacle
        In the frame.
    confidence : float
        In the form, 0 to 1.
    method : str
        What looked: `klassisk`, or the model's name; empty where nothing did.
    year : int or None
        Of the picture.
    data_origin : str
    """

    form: str | None = None
    tilt: float | None = None
    material: str | None = None
    panels: bool | None = None
    obstacles: tuple[Obstacle, ...] = ()
    confidence: float = 0.0
    method: str = ""
    year: int | None = None
    data_origin: str = "live"


def look(settings: Settings, frame: Frame, roof: Roof, deadline: Deadline) -> tuple[Look | None, str | None]:
    """Return what a picture of a roof shows, None without picture; and the key of a warning where something failed."""
    if not settings.address(ortofoto.NAME):
        return None, "uten_ortofoto"
    try:
        url, bounds, pixel = settings.address(ortofoto.NAME), *_window(frame, roof.outline)
        picture = ortofoto.picture(
            url, bounds, pixel, user_agent=settings.user_agent, seconds=deadline.at_most(_PICTURE_S)
        )
    except SourceError as error:
        log.warning("%s", error)
        return None, "ortofoto_feil_oppsett" if isinstance(error, Misconfigured) else "ortofoto_borte"
    about: dict[str, Any] = {"year": picture.year, "data_origin": picture.data_origin}
    if settings.vision_url:
        try:
            seen = vision.ask(
                settings.vision_url, settings.vision_key, settings.vision_model, png(picture.rgb), bounds,
                centre=_middle(frame, roof.outline), user_agent=settings.user_agent,
                seconds=deadline.at_most(_VISION_S),
            )  # fmt: skip
        except SourceError as error:
            log.warning("%s", error)
            return Look(**about), "bildeanalyse_borte"
        obstacles = tuple(Obstacle(Polygon(frame.into(one.polygon)), one.kind, None, "bilde") for one in seen.obstacles)
        return Look(
            _known(seen.form), seen.tilt, _known(seen.material), seen.panels, obstacles, seen.confidence, seen.model,
            picture.year, picture.data_origin,
        ), None  # fmt: skip
    return _classical(frame, roof, picture, about), None


def _known(word: str) -> str | None:
    return None if word == "ukjent" else word


def _classical(frame: Frame, roof: Roof, picture: ortofoto.Picture, about: dict[str, Any]) -> Look:
    """Return what `kernels.roof.image` finds in a picture: neither form nor tilt."""
    west, _, _, north = picture.bounds
    axes = frame.raster(west + picture.pixel / 2, north - picture.pixel / 2, picture.pixel)
    axes[4:] *= -1  # rows go south
    seen = classical.look(picture.rgb, axes, roof.surfaces)
    return Look(
        None, None, _known(seen.material or "ukjent"), seen.panels, seen.obstacles, seen.confidence, "klassisk", **about
    )


def _window(frame: Frame, outline: Polygon) -> tuple[tuple[float, float, float, float], float]:
    """Return bounds in UTM 33 around an outline, whole pixels apart, and the pixel's side, m."""
    at = frame.utm(shapely.get_coordinates(outline.buffer(_AROUND_M)))
    (west, south), (east, north) = np.floor(at.min(axis=0)), np.ceil(at.max(axis=0))
    side = max(east - west, north - south)
    pixel = _PIXEL_M * max(1.0, np.ceil(side / _PIXEL_M / ortofoto.MOST_PIXELS))
    columns, rows = (np.ceil((high - low) / pixel) for low, high in ((west, east), (south, north)))
    return (float(west), float(south), float(west + columns * pixel), float(south + rows * pixel)), float(pixel)


def _middle(frame: Frame, outline: Polygon) -> tuple[float, float]:
    point = outline.representative_point()
    x, y = frame.utm([point.x, point.y])
    return float(x), float(y)
