"""Shared parts of the file formats: their declaration, and the words of a file."""

from dataclasses import dataclass

from api.core import file_formats
from api.core.printing import plain
from api.horizon.profile import VERSION, HorizonProfile, Tier

# Readers split at these.
_APART = str.maketrans(",:'", "   ")


@dataclass(frozen=True, kw_only=True)
class FileFormat(file_formats.FileFormat):
    """One value of `format`; `write` makes the file from a `HorizonProfile`.

    Parameters
    ----------
    tiers : tuple of str
        Which levels answer with it.
    """

    inline: bool = True
    tiers: tuple[Tier, ...] = ("terrain", "rooftop")


def remarks(profile: HorizonProfile) -> list[str]:
    """Return what the file is, in at most four lines of ASCII without comma, semicolon, colon and quote."""
    heights = _joined(
        f"ground {profile.ground_z:.1f} m above sea" if profile.ground_z is not None else "",
        f"eye {profile.observer_z:.1f} m above sea" if profile.observer_z is not None else "",
        f"terrain model of {profile.dtm_year or 'unknown year'}",
        f"surface model of {profile.dom_year or 'unknown year'}" if profile.tier != "terrain" else "",
        f"near field of {profile.near_alone_m:g} m alone" if profile.near_alone_m else "",
    )
    lines = (
        f"Solflis horizon {VERSION} level {profile.tier}{f' tile {profile.tile_key}' if profile.tile_key else ''}",
        f"{heights[0].upper()}{heights[1:]}",
        _credit(profile),
        "SIMULATED terrain - invented and of no use for a real plant" if profile.simulated else "",
    )
    return [_bare(line) for line in lines if line]


def name_of(profile: HorizonProfile) -> str:
    """Return the shortest text that says whose heights they are, and whether invented; as `remarks`, without commas."""
    what = f"Solflis horizon {VERSION} {profile.tile_key or profile.tier}"
    return _bare(_joined(what, "SIMULATED" if profile.simulated else "", _credit(profile)))


def _credit(profile: HorizonProfile) -> str:
    return f"Heights from {' and '.join(profile.credits)}" if profile.credits else ""


def _joined(*parts: str) -> str:
    return " - ".join(part for part in parts if part)


def _bare(line: str) -> str:
    return " ".join(plain(line).translate(_APART).split())
