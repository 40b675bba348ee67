"""Meaning of a column's heading: role, unit and quantity, by the words of eight languages in `words.toml`."""

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

UNITS = {
    "W": 1.0, "KW": 1e3, "MW": 1e6, "WH": 1.0, "KWH": 1e3, "MWH": 1e6, "WS": 1 / 3600, "J": 1 / 3600, "KJ": 1 / 3.6,
    "MJ": 1e3 / 3.6,
}  # fmt: skip
"""Watts or watt hours of a unit, by its upper-case name."""
_CANONICAL = {
    "W": "W",
    "KW": "kW",
    "MW": "MW",
    "WH": "Wh",
    "KWH": "kWh",
    "MWH": "MWh",
    "WS": "Ws",
    "J": "J",
    "KJ": "kJ",
    "MJ": "MJ",
}
_UNIT = re.compile(
    r"(?<![A-Za-zæøåäöü])(k?Wh?/k?Wp|W/m2|W/m²|[kKM]?W[hH]|[kKM]?w[hH]|KWH|MWH|WH|[kKM]?W|kw|mw|w|Ws|[kM]?J|[kM]?VAh?|[kKM]?[vV]ar|k?V|m?A|Hz|%|°C|ºC)"
    r"(?![A-Za-z0-9æøåäöü/²])"
)
_RATIO_UNITS = ("KWH/KWP", "WH/WP", "W/WP", "W/KWP", "KW/KWP", "WH/KWP", "W/M2", "W/M²")
_TIED = re.compile(r"\b(on|off)[- ]?grid\b|\bgrid[- ]?(tied|connected)\b|\bstring (?=inverter)")


class Heading(NamedTuple):
    """Meaning of a heading.

    Parameters
    ----------
    text : str
        As it stands in the file.
    role : str
        A name of `words.toml`, or `unknown`.
    unit : str
        `W`, `kW`, `MW`, `Wh`, `kWh`, `MWh`, `Ws`, `J`, `kJ`, `MJ`; another unit as it is; empty where none is said.
    quantity : str
        `energi`, `effekt` or `teller`; empty where words leave it open.
    daily : bool
        Whether it names a counter that begins anew each day.
    """

    text: str
    role: str
    unit: str = ""
    quantity: Literal["energi", "effekt", "teller", ""] = ""
    daily: bool = False

    @property
    def is_energy(self) -> bool:
        """Return whether the unit is one of energy."""
        return self.unit in ("Wh", "kWh", "MWh", "Ws", "J", "kJ", "MJ")

    @property
    def is_power(self) -> bool:
        """Return whether the unit is one of power."""
        return self.unit in ("W", "kW", "MW")

    @property
    def is_foreign(self) -> bool:
        """Return whether the unit is neither of power nor of energy."""
        return bool(self.unit) and not self.is_energy and not self.is_power


def plain(text: str) -> str:
    """Return a text in lower case without accents; underscores and dots between words become blanks."""
    text = text.replace("ß", "ss").replace("ø", "o").replace("Ø", "o").replace("æ", "ae").replace("Æ", "ae")
    text = re.sub(r"(?<!Metering\.)GridMs", "Inverter", text)  # SMA's name of what the inverter gives
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])", " ", text)
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return re.sub(r"[\s_.]+", " ", bare.lower()).strip()


def unit_in(text: str) -> str:
    """Return the last unit that a text names, canonical where it is of power or energy; empty where there is none."""
    in_brackets = [one.strip() for one in re.findall(r"[\[(]([^\[\]()]{1,12})[\])]", text)]
    found = [one for one in _UNIT.findall(re.sub(r"[_.]", " ", text)) if one != "A" or _is_ampere(text, in_brackets)]
    if not found:
        return ""
    chosen = next((one for one in reversed(found) if one in in_brackets), found[-1])
    return _CANONICAL.get(chosen.upper(), str(chosen))


def _is_ampere(text: str, in_brackets: Sequence[str]) -> bool:
    """Return whether `A` is a unit and not a part's name, as in Inverter A."""
    return "A" in in_brackets or text.strip() == "A" or bool(words()["quantity"]["current"].search(plain(text)))


def unit_of_notes(text: str) -> str:
    """Return the unit of power or energy that titles name, empty where there is none; `9,5 kW` names the plant's."""
    unit = unit_in(re.sub(r"\d\s*[kM]?Wh?\b|[kM]?Wh?[)\]]?: ?\d", " ", text))
    return unit if unit in _CANONICAL.values() else ""


@cache
def words() -> dict[str, Any]:
    """Return `words.toml`, its patterns compiled."""
    tables = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
    roles = {name: [re.compile(one) for one in patterns] for name, patterns in tables["roles"].items()}
    compiled = {
        name: {key: re.compile(one) for key, one in tables[name].items()}
        for name in ("titles", "time", "parts", "quantity")
    }
    weekdays = tables["weekdays"]["names"]
    return {
        "roles": roles,
        **compiled,
        "weekdays": weekdays,
        "months": {int(number): names for number, names in tables["months"].items()},
    }


def read_heading(text: str, unit: str = "") -> Heading:
    """Return the meaning of a heading.

    Parameters
    ----------
    text : str
    unit : str
        Of a units row or the cells, where the heading itself names none.
    """
    bare, table = plain(text), words()
    unit = unit_in(text) or unit
    quantity = _quantity(bare, unit, table["quantity"])
    daily = bool(table["quantity"]["daily"].search(bare))
    return Heading(text, _role(bare, Heading(text, "", unit)), unit, quantity, daily)


def _role(bare: str, heading: Heading) -> str:
    if heading.unit.upper() in _RATIO_UNITS:
        return "irradiance" if "/M" in heading.unit.upper() else "ratio"
    if heading.is_foreign:
        return "battery" if heading.unit == "%" and "so" in bare else "other"
    measured = (
        heading.is_energy or heading.is_power or any(one.search(bare) for one in words()["roles"]["production"][:2])
    )
    bare = _TIED.sub("", bare)
    is_own = bool(words()["titles"]["own"].search(bare))
    for role, patterns in words()["roles"].items():
        if is_own and role in ("feed_in", "import", "consumption"):
            continue
        if measured and role in ("other", "inverter_id", "price"):
            continue  # "Strom (kWh)" is no current, "Anlegg 1 (kWh)" no name
        if any(one.search(bare) for one in patterns):
            return str(role)
    return "generic" if measured else "unknown"


def _quantity(bare: str, unit: str, patterns: Any) -> Literal["energi", "effekt", "teller", ""]:
    as_unit = Heading("", "", unit)
    if as_unit.is_power:
        return "effekt"
    if patterns["counter"].search(bare) and not patterns["power"].search(bare):
        return "teller"
    if as_unit.is_energy:
        return "energi"
    if patterns["power"].search(bare):
        return "effekt"
    return "energi" if patterns["energy"].search(bare) else ""
