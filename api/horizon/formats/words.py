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
        f"terrain model of {profile.dtm_year}" if profile.dtm_year else "",
        f"surface model of {profile.dom_year}" if profile.dom_year else "",
    ]
    if said := " - ".join(one for one in heights if one):
        lines.append(said.capitalize())
    if profile.sources:
        lines.append(f"Heights from {' and '.join(profile.sources)}")
    if profile.simulated:
        lines.append("SIMULATED terrain - invented and of no use for a real plant")
    return [" ".join(plain(line).translate(_APART).split()) for line in lines]
