"""Comparison of a site with the table of the national annex."""

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from api.core.prose import prose
from api.snowload.annex import LIMITS, AnnexTable, Entry
from api.snowload.municipality import REACH_M, Located
from kernels.snowload.eurocode import site_load, steps

PROSE = prose(__file__, "comparison")
RULE, NO_TABLE, NO_HEIGHT = PROSE["rule"], PROSE["no_table"], PROSE["no_height"]
NO_BORDERS = PROSE["no_borders"]
NOWHERE = f"The site lies in no municipality, and the nearest is farther than {REACH_M / 1000:g} km."
_CHOOSE = "the designer must choose the one that the site lay in in 1990"


def comparison(table: AnnexTable, located: Located | str, altitude: float | None) -> tuple[dict[str, Any], list[str]]:
    """Compare a site with the table.

    Parameters
    ----------
    table : AnnexTable
    located : Located or str
        The municipality that the site lies in or is near, or a sentence on why it is not known.
    altitude : float or None
        Of the site, m above the sea.

    Returns
    -------
    dict
        `eurocode_comparison` of the answer.
    list of str
        Warnings.
    """
    height = None if altitude is None else round(altitude, 2)
    place = None if isinstance(located, str) else located
    rows = table.entries.get(place.number, ()) if place else ()
    entries = [_entry(row, height) for row in rows]
    selected = max(entries, key=itemgetter("sk_at_site")) if entries and height is not None else None
    if selected is not None and len(rows) > 1:
        selected["note"] += f" Selected of {len(rows)}, as none is higher: {_CHOOSE}."
    reason = _reason(table, located, rows, height)
    source = "; ".join(dict.fromkeys(row.source for row in rows)) if table.version else f"None. {NO_TABLE}"
    compared = {
        "kommune": place.name if place else None,
        "kommunenummer": f"{place.number:04d}" if place else None,
        "fylke": place.county if place else None,
        "kommune_by": place.by if place else None,
        "site_elevation_m": height,
        "table_entries": entries,
        "sk_kn_m2": selected["sk_at_site"] if selected else None,
        "selected_entry": selected["kommune_1990"] if selected else None,
        "rule": f"{RULE}. Not applied: {reason}" if reason else RULE,
        "source": source or None,
        "reason": reason,
    }
    warnings = [reason] if reason else []
    if isinstance(located, str):
        return compared, warnings if table.version else [*warnings, located]
    loads = [entry["sk_at_site"] for entry in entries if selected]
    return compared, [*warnings, *_warnings(located, loads, len(rows))]


def _entry(row: Entry, height: float | None) -> dict[str, Any]:
    """Return a row as the answer shows it, with its load at the site."""
    load, above, note = None, None, NO_HEIGHT
    if height is not None:
        begun = steps(row.Hg, height)
        load, above = round(site_load(row.sk0, row.Hg, row.dsk, row.skmax, height), 3), begun > 0
        note = f"The site ({height:g} m) is not above Hg ({row.Hg:g} m): sk = sk0."
        if begun:
            uncapped = round(row.sk0 + begun * row.dsk, 6)
            capped = f", at most skmax = {row.skmax:g} kN/m2" if uncapped > row.skmax else ""
            note = (
                f"The site ({height:g} m) is above Hg ({row.Hg:g} m), and {begun} x 100 m are begun: sk = sk0 + "
                f"{begun} x {row.dsk:g} = {uncapped:.4g} kN/m2{capped}."
            )
    shown = {name: getattr(row, name) for name in ("kommune_1990", *LIMITS)}
    return {**shown, "sk_at_site": load, "above_hg": above, "note": note}


def _reason(table: AnnexTable, located: Located | str, rows: Sequence[Entry], height: float | None) -> str | None:
    """Return why the table has no load for the site; None where it has."""
    if not table.version:
        return NO_TABLE
    if isinstance(located, str):
        return located
    if not rows:
        return f"The operator's table has no row for {located.name} ({located.number:04d})."
    return NO_HEIGHT if height is None else None


def _warnings(place: Located, loads: Sequence[float], n: int) -> Iterator[str]:
    if n > 1:
        here = ":"
        if loads:
            alike = min(loads) == max(loads)
            values = f"each with {loads[0]:g}" if alike else f"with {min(loads):g} to {max(loads):g}"
            here = f", {values} kN/m2 here: the {'first' if alike else 'highest'} is selected, and"
        yield f"The municipality {place.name} holds {n} of the table's municipalities of 1990{here} {_CHOOSE}."
    if place.by == "nearest":
        yield f"The site lies in no municipality: {place.name} is the nearest, {place.away_m:.0f} m away."
    if place.neighbour is not None:
        yield (
            f"The municipality {place.neighbour} is only {place.neighbour_m:.0f} m away, and the borders are "
            "generalised: check in which of them the site lies."
        )
