"""What the layouts share: the drawn file, its brand, its ways with numbers and times, and its traits."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np

from tests.support.exports import clock, words
from tests.support.exports.draw import Spec
from tests.support.exports.number_styles import NumberStyle, draw_numbers
from tests.support.exports.series import Series
from tests.support.exports.stamps import draw_style
from tests.support.exports.words import BRANDS, Brand

EPOCH = datetime(1970, 1, 1)
START_HEADS = {"Fra", "Fra tid", "Fra_dato", "from", "Start"}


@dataclass
class Context:
    """One file in the making."""

    rng: np.random.Generator
    spec: Spec
    series: Series
    brand: Brand | None
    numbers: NumberStyle
    time_style: str
    native: bool
    traits: dict[str, str] = field(default_factory=dict)
    shift_s: int = 0
    file_stem: str = "export"

    @property
    def language(self) -> str:
        """Return the language of the headings."""
        return self.brand.language if self.brand else self.spec.language

    def word(self, role: str) -> str:
        """Return one of the generic headings of a role."""
        return str(self.rng.choice(words.heads(role, self.language)))

    def chance(self, share: float) -> bool:
        """Return true in a share of the calls."""
        return bool(self.rng.random() < share)

    def value_head(self, role: str) -> str:
        """Return the heading of the production column, without a unit where the unit stands elsewhere."""
        spec = self.spec
        unit = spec.shown_unit if spec.unit_place == "heading" else ""
        if spec.quantity == "effekt" and spec.shown_unit.endswith("h"):
            role = "energi"
        if not unit and (spec.undecidable or self.chance(0.2)):
            return self.word("verdi") if self.chance(0.5) else words.heads("energi", self.language)[0]
        if self.brand and role in self.brand.values:
            return fill(self.brand.values[role], unit)
        return self.with_unit(self.word(role), unit)

    def beside_head(self, role: str, unit: str) -> str:
        """Return the heading of a column beside; sensors name their unit anyway."""
        if self.brand and role in self.brand.beside:
            grid = "<" in self.brand.beside[role]
            return fill(self.brand.beside[role], unit if not grid or self.spec.unit_place == "heading" else "")
        if (
            unit in ("W", "kW", "Wh", "kWh")
            and self.spec.unit_place != "heading"
            and role in ("forbruk", "innmating", "uttak", "lading")
        ):
            unit = ""
        return self.with_unit(self.word(role), unit)

    def with_unit(self, word: str, unit: str) -> str:
        """Return a heading with its unit, in one of the usual ways."""
        if not unit:
            return word
        return str(
            self.rng.choice(
                [f"{word} ({unit})", f"{word} [{unit}]", f"{word} {unit}", f"{word}, {unit}", f"{word} ({unit})"]
            )
        )

    def local(self, times: clock.Ints) -> tuple[list[datetime], list[int]]:
        """Return what the file's clock shows at these times, and its offsets from UTC."""
        offsets = clock.offset_seconds(times, self.spec.zone)
        shown = (times + offsets + self.shift_s).tolist()
        return [EPOCH + timedelta(seconds=second) for second in shown], offsets.tolist()


def fill(template: str, unit: str) -> str:
    """Return a brand's heading with or without its unit."""
    if "<" not in template:
        return f"{template} [{unit}]" if unit else template
    before, rest = template.split("<", 1)
    inside, after = rest.split(">", 1)
    return before + (inside.replace("{u}", unit) if unit else "") + after


def draw_brand(rng: np.random.Generator, spec: Spec) -> Brand | None:
    """Return a brand that has the file's quantity, or none: a third of the files have generic headings."""
    role = "dagteller" if spec.daily_counter else spec.quantity
    if spec.layout == "moves":
        return next(brand for brand in BRANDS if brand.name == "Home Assistant") if rng.random() < 0.6 else None
    fitting = [
        brand
        for brand in BRANDS
        if role in brand.values
        and brand.name != "Home Assistant"
        and (brand.time not in START_HEADS or spec.stamp == "start")
    ]
    if rng.random() < 0.35 or not fitting or spec.undecidable:
        return None
    fitting = [brand for brand in fitting if brand.language == spec.language and rng.random() < 0.6] or fitting
    return fitting[int(rng.integers(len(fitting)))]


def make_context(rng: np.random.Generator, spec: Spec, series: Series) -> Context:
    """Return the context of a file, its brand and styles drawn."""
    brand = draw_brand(rng, spec)
    language = brand.language if brand else spec.language
    style = draw_style(rng, language, brand.times if brand else (), spec.has("times"))
    if spec.offsets:
        from_z = (
            ("iso z", "isoT z")
            if spec.zone == "UTC"
            else ("iso offset", "isoT offset", "isoT offset0", "iso named", "iso zone")
        )
        style = str(rng.choice(from_z))
        if rng.random() < 0.15:
            style = str(rng.choice(["epoch s", "epoch ms"]))
    numbers = draw_numbers(rng, language, spec.has("numbers"))
    sheet = spec.format in ("xlsx", "xls")
    native = sheet and not spec.has("text_cells") and not spec.offsets and not spec.has("times")
    traits = {
        "format": spec.format,
        "brand": brand.name if brand else "generic",
        "language": language,
        "quantity": "dagteller" if spec.daily_counter else spec.quantity,
        "unit": spec.unit,
        "interval": str(spec.interval_min),
        "zone": spec.zone,
        "stamp": spec.stamp,
        "layout": spec.layout,
        "times": style,
        "native_times": str(native),
        "outcome": spec.outcome,
        "days": _days(spec),
    }
    if spec.stamp == "slutt" and not native and rng.random() < 0.25:
        traits["end24"] = "yes"
    return Context(
        rng, spec, series, brand, numbers, style, native, traits, file_stem=brand.file if brand else "eksport"
    )


def _days(spec: Spec) -> str:
    days = (spec.last - spec.first) / clock.DAY
    return next(name for name, most in (("<7", 7), ("<31", 31), ("<120", 120), (">=120", 1e9)) if days < most)
