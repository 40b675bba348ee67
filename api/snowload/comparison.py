"""What the table of the national annex says of a site, beside what its snow says."""

import math
from collections.abc import Sequence
from typing import Any

from api.snowload.annex import AnnexTable, Entry
from api.snowload.municipality import REACH_M, Located
from kernels.snowload.eurocode import site_load, steps

RULE = (
    "NS-EN 1991-1-3 NA.4.1(901): sk = sk0 at a height H up to Hg, else sk0 + ceil((H - Hg)/100) x dsk, at most skmax; "
    "H, Hg in m above the sea"
)
NO_TABLE = (
    "The table NA.4.1(901) of NS-EN 1991-1-3 is not available here: it is licensed, and the operator of this service "
    "has not supplied it."
)
NO_HEIGHT = "The height of the site is not known, and the table's load depends on it: give elev."
NOWHERE = f"The site lies in no municipality, and the nearest is farther than {REACH_M / 1000:g} km."
_SEVERAL = "The municipality {name} holds {n} of the table's municipalities of 1990"
_CHOOSE = "the designer must choose the one that the site lay in in 1990"
_SELECTED = f" Selected of {{n}}, as none is higher: {_CHOOSE}."
_BESIDE = "The site lies in no municipality: {name} is the nearest, {away:.0f} m away."
_NEAR = (
    "The municipality {neighbour} is only {metres:.0f} m away, and the borders are generalised: check in which of them "
    "the site lies."
)


def comparison(
    table: AnnexTable, located: Located | None, altitude: float | None, *, why_unlocated: str | None
) -> tuple[dict[str, Any], list[str]]:
    """Compare a site with the table.

    Parameters
    ----------
    table : AnnexTable
    located : Located or None
        The municipality that the site lies in, or is near.
    altitude : float or None
        Of the site, m above the sea; NaN is as none.
    why_unlocated : str or None
        A sentence: why the municipality is not known; None where the borders say that there is none.

    Returns
    -------
    dict
        `eurocode_comparison` of the answer.
    list of str
        What readers must know of it, in sentences.
    """
    height = None if altitude is None or not math.isfinite(altitude) else round(altitude, 2)
    rows = table.entries.get(located.number, ()) if located else ()
    entries = [_entry(row, height) for row in rows]
    loads = [entry["sk_at_site"] for entry in entries if height is not None]
    selected = entries[loads.index(max(loads))] if loads else None
    if selected is not None and len(rows) > 1:
        selected["note"] += _SELECTED.format(n=len(rows))
    reason = _reason(table, located, rows, height, why_unlocated)
    told = [] if reason is None else [reason]
    if located is None and not table.version:
        told.append(why_unlocated or NOWHERE)
    told += _warnings(located, loads, len(rows))
    compared = {
        "kommune": located.name if located else None,
        "kommunenummer": f"{located.number:04d}" if located else None,
        "fylke": located.county if located else None,
        "kommune_by": located.by if located else None,
        "site_elevation_m": height,
        "table_entries": entries,
        "sk_kn_m2": selected["sk_at_site"] if selected else None,
        "selected_entry": selected["kommune_1990"] if selected else None,
        "rule": RULE if reason is None else f"{RULE}. Not applied: {reason}",
        "source": _source(table, rows),
        "reason": reason,
    }
    return compared, told


def _entry(row: Entry, height: float | None) -> dict[str, Any]:
    """Return a row as the answer shows it, with what it says of the site."""
    told: dict[str, Any] = {
        "kommune_1990": row.kommune_1990, "sk0": row.sk0, "Hg": row.hg, "dsk": row.dsk, "skmax": row.skmax,
    }  # fmt: skip
    if height is None:
        return {**told, "sk_at_site": None, "above_hg": None, "note": NO_HEIGHT}
    begun = steps(row.hg, height)
    load = round(site_load(row.sk0, row.hg, row.dsk, row.skmax, height), 3)
    note = f"The site ({height:g} m) is not above Hg ({row.hg:g} m): sk = sk0."
    if begun:
        whole = round(row.sk0 + begun * row.dsk, 6)
        capped = f", at most skmax = {row.skmax:g} kN/m2" if whole > row.skmax else ""
        note = (
            f"The site ({height:g} m) is above Hg ({row.hg:g} m), and {begun} x 100 m are begun: sk = sk0 + {begun} x "
            f"{row.dsk:g} = {whole:.4g} kN/m2{capped}."
        )
    return {**told, "sk_at_site": load, "above_hg": begun > 0, "note": note}


def _reason(
    table: AnnexTable, located: Located | None, rows: Sequence[Entry], height: float | None, why_unlocated: str | None
) -> str | None:
    """Return why the table says nothing of the site; None where it does."""
    if not table.version:
        return NO_TABLE
    if located is None:
        return why_unlocated or NOWHERE
    if not rows:
        return f"The operator's table has no row for {located.name} ({located.number:04d})."
    return NO_HEIGHT if height is None else None


def _warnings(located: Located | None, loads: Sequence[float], n: int) -> list[str]:
    if located is None:
        return []
    told = []
    if n > 1:
        here = ":"
        if loads:
            alike = min(loads) == max(loads)
            between = f"each with {loads[0]:g}" if alike else f"with {min(loads):g} to {max(loads):g}"
            here = f", {between} kN/m2 here: the {'first' if alike else 'highest'} is selected, and"
        told.append(f"{_SEVERAL.format(name=located.name, n=n)}{here} {_CHOOSE}.")
    if located.by == "nearest":
        told.append(_BESIDE.format(name=located.name, away=located.away_m))
    if located.neighbour is not None and located.neighbour_m is not None:
        told.append(_NEAR.format(neighbour=located.neighbour, metres=located.neighbour_m))
    return told


def _source(table: AnnexTable, rows: Sequence[Entry]) -> str | None:
    if not table.version:
        return f"None. {NO_TABLE}"
    return "; ".join(dict.fromkeys(row.source for row in rows)) or None
