"""For which areas products too heavy for a laptop are built, as `SOLFLIS_AREAS` names them. Light: commands read it."""

from dataclasses import dataclass

SIDE_KM = 12.0
EVERYWHERE = "norway"


@dataclass(frozen=True)
class Area:
    """A square in UTM 33, of about 12 x 12 km.

    Parameters
    ----------
    name : str
        What the operator calls it.
    lat, lon : float
        Centre, WGS84 degrees.
    side_km : float
        Length of a side, km.
    """

    name: str
    lat: float
    lon: float
    side_km: float = SIDE_KM


def parse_areas(text: str) -> tuple[Area, ...]:
    """Read `Oslo:59.91,10.75;Bergen:60.39,5.32`; `norway` is the whole country, which has no squares.

    Raises
    ------
    ValueError
        The text is neither; it says what is expected.
    """
    if text.strip().lower() == EVERYWHERE:
        return ()
    areas = []
    for item in filter(None, (part.strip() for part in text.split(";"))):
        label, colon, place = item.partition(":")
        try:
            lat, lon = (float(number) for number in place.split(","))
        except ValueError:
            colon, lat, lon = "", 0.0, 0.0
        if not (label and colon) or not (-90 <= lat <= 90 and -180 <= lon <= 180):
            raise ValueError(f"'{item}' is no area; write Oslo:59.91,10.75 with ';' between areas, or {EVERYWHERE}")
        areas.append(Area(label, lat, lon))
    if not areas:
        raise ValueError(f"expected at least one area such as Oslo:59.91,10.75, or {EVERYWHERE}")
    return tuple(areas)


def format_areas(areas: tuple[Area, ...]) -> str:
    """Return the text that `parse_areas` reads."""
    return ";".join(f"{area.name}:{area.lat},{area.lon}" for area in areas) or EVERYWHERE
