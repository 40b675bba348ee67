"""What every file says of itself in words: whose it is, of what, under which licence, and whether it is invented."""

import re

from api.core.printing import plain
from api.tmy.year import TypicalYear

_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def name_of(year: TypicalYear) -> str:
    """Return the shortest text that says it all, of letters, digits, spaces, `_`, `.` and `-`: for fields of a name."""
    said = f"{year.cell_id} {year.product} {year.confidence}{_origin(year, ' SIMULATED')} {year.generator}"
    if (held := year.licence) is not None:
        said += f" licence {held.version} until {held.last_day}{' EXPIRED' if held.expired else ''}"
    return " ".join(re.sub(r"[^\w .-]", " ", plain(said), flags=re.ASCII).split())


def title(year: TypicalYear) -> str:
    """Return what the file is."""
    first, last = year.product_years
    what = f"{year.generator}: typical year of {first}-{last}, product {year.product}, confidence {year.confidence}"
    return plain(f"{what}, cell {year.cell_id}{_origin(year, '. SIMULATED: invented weather, not for design')}")


def licence(year: TypicalYear) -> str:
    """Return the licence, and whether its last day has passed; nothing where there is none."""
    if (held := year.licence) is None:
        return ""
    state = "EXPIRED, ask for a newer version" if held.expired else "not expired"
    return plain(f"Licence {held.version}: {held.sentence}. Last day {held.last_day}, {state}")


def months(year: TypicalYear) -> str:
    """Return which year each month is of."""
    return plain("Months of " + ", ".join(f"{m} {y}" for m, y in zip(_MONTHS, year.selected_years, strict=True)))


def sources(year: TypicalYear) -> str:
    """Return whose data it is made of, and how they want it said."""
    said = ([one["name"], one["licence"], one["attribution"]] for one in year.sources)
    return plain("Sources: " + ", ".join(" - ".join(str(words) for words in one if words) for one in said))


def sentences(*said: str) -> str:
    """Return some texts, with a full stop or without, as sentences of one line; the last has none."""
    return ". ".join(plain(one).rstrip(". ") for one in said if one)


def remarks(year: TypicalYear, unverified: str = "") -> list[str]:
    """Return all of it, a sentence each.

    Parameters
    ----------
    year : TypicalYear
    unverified : str
        What the format says of itself.
    """
    said = [title(year), licence(year), months(year), sources(year), plain(f"Method: {year.method}")]
    said += [plain(f"Unverified: {unverified}")] if unverified else []
    return [one for one in said if one]


def _origin(year: TypicalYear, where_simulated: str) -> str:
    return where_simulated if year.data_origin == "simulated" else ""
