"""What a file says of itself where its format has room for it."""

from api.horizon.profile import VERSION, HorizonProfile
from api.tmy.formats.common.words import plain

# Readers split at these.
_APART = str.maketrans(",:'", "   ")


def remarks(profile: HorizonProfile) -> list[str]:
    """Return what the file is, in at most four lines of ASCII without comma, semicolon, colon and quote."""
    lines = [f"Solflis horizon {VERSION} level {profile.tier}{f' tile {profile.tile_key}' if profile.tile_key else ''}"]
    heights = [
        f"ground {profile.ground_z:.1f} m above sea" if profile.ground_z is not None else "",
        f"eye {profile.observer_z:.1f} m above sea" if profile.observer_z is not None else "",
        f"terrain model of {profile.dtm_year or 'unknown year'}",
        f"surface model of {profile.dom_year or 'unknown year'}" if profile.tier == "rooftop" else "",
        f"near field of {profile.near_alone_m:g} m alone" if profile.near_alone_m else "",
    ]
    said = " - ".join(one for one in heights if one)
    lines.append(f"{said[0].upper()}{said[1:]}")
    if profile.sources:
        lines.append(_from(profile))
    if profile.simulated:
        lines.append("SIMULATED terrain - invented and of no use for a real plant")
    return list(map(_bare, lines))


def name_of(profile: HorizonProfile) -> str:
    """Return the shortest text that says whose heights they are, and whether invented; as `remarks`, without commas."""
    what = f"Solflis horizon {VERSION} {profile.tile_key or profile.tier}"
    said = (what, "SIMULATED" if profile.simulated else "", _from(profile) if profile.sources else "")
    return _bare(" - ".join(one for one in said if one))


def _from(profile: HorizonProfile) -> str:
    return f"Heights from {' and '.join(profile.sources)}"


def _bare(line: str) -> str:
    return " ".join(plain(line).translate(_APART).split())
