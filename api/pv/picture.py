"""The chart of a plant's months: what is delivered, and on top of it what snow, the horizon and the limit take."""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont
from matplotlib.ft2font import FT2Font, LoadFlags

from api.pictures import look
from api.pictures.figures import NBSP, apart, degrees, energy, number, power, short, unit_of
from api.pictures.letters import SIZE, STEP, Letters, write_warned
from api.pictures.look import FAINT, GRID, HEIGHT, INK, WIDTH, write

mpl.rcdefaults()
mpl.rcParams.update(look.SETTINGS)

_TOP, _BOTTOM = 170, 92  # of the bars, where nothing is warned of

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MOUNTED = {"free": "free-standing", "building": "on a building"}
# A part that is less than this share of the whole cannot be seen, only its name in the legend.
_NOTHING = 1e-4


class Part(NamedTuple):
    """A layer of the bars; colours (Okabe and Ito) that the colour-blind tell apart, and hatches for print."""

    name: str
    colour: str
    hatch: str
    months: list[float]


def draw(data: Mapping[str, Any]) -> bytes:
    """Draw the chart.

    Parameters
    ----------
    data : mapping
        The answer of `/api/pv/calc`. Beside it, `monthly_unshaded_kwh`: 12 numbers, what each month would give
        without the horizon, after system loss and the limit, before snow (as `side_by_side.unshaded_kwh` in the
        year); absent, no shade is shown.

    Returns
    -------
    bytes
        PNG of WIDTH x HEIGHT; the same data give the same bytes.
    """
    return look.png(chart(data))


def chart(data: Mapping[str, Any]) -> Figure:
    """Return the chart of what `draw` is given, before it becomes a PNG."""
    figure = Figure(figsize=(WIDTH / look.DPI, HEIGHT / look.DPI), dpi=look.DPI, facecolor="white")
    lines = warned(data["warnings"])
    bottom = _BOTTOM + STEP * len(lines)  # warnings take their room from the bars: the picture's size stays
    axes = figure.add_axes((0.095, bottom / HEIGHT, 0.885, (HEIGHT - _TOP - bottom) / HEIGHT))
    _bars(axes, parts(data))
    _heading(figure, data)
    write_warned(figure, lines)
    _notes(figure, data)
    return figure


def parts(data: Mapping[str, Any]) -> list[Part]:
    """Return what is delivered, and those of the losses that are any, kWh by month, from below."""
    months: Sequence[Mapping[str, float]] = data["monthly"]
    delivered = [float(month["e_kwh"]) for month in months]
    unshaded = data.get("monthly_unshaded_kwh") or [0.0] * len(months)
    snow = [
        # where snow takes all, nothing is left to reckon from: what it takes then is what the open sky would give
        max(rest - e, 0.0) if (s := month["snow_loss_pct"]) >= 100 else e * s / (100 - s)
        for month, e, rest in zip(months, delivered, unshaded, strict=True)
    ]
    shade = [max(rest - e - s, 0.0) for rest, e, s in zip(unshaded, delivered, snow, strict=True)]
    losses = [
        Part("Snow and soiling", "#56b4e9", "//", snow),
        Part("Shade of the horizon", "#999999", "\\\\", shade),
        Part("Power limit", "#cc79a7", "xx", [float(month["clipped_kwh"]) for month in months]),
    ]
    whole = sum(delivered) + sum(sum(loss.months) for loss in losses)
    seen = [loss for loss in losses if sum(loss.months) > _NOTHING * whole]
    return [Part("Delivered", "#e69f00", "", delivered), *seen]


def _bars(axes: Axes, layers: Sequence[Part]) -> None:
    tops = [0.0] * len(MONTHS)
    places = range(len(MONTHS))
    highest = max(map(sum, zip(*(layer.months for layer in layers), strict=True)))
    divisor, unit = unit_of(highest)
    for layer in layers:
        heights = [kwh / divisor for kwh in layer.months]
        label = f"{layer.name}  {energy(sum(layer.months))}"
        axes.bar(places, heights, 0.72, tops, color=layer.colour, hatch=layer.hatch, label=label,
                 edgecolor="white", linewidth=0, zorder=2)  # fmt: skip
        tops = [top + height for top, height in zip(tops, heights, strict=True)]
    axes.set_xlim(-0.6, len(MONTHS) - 0.4)
    axes.set_ylim(0, highest / divisor * 1.06 or 1.0)
    named = zip(MONTHS, layers[0].months, strict=True)
    digits = min(max(2 - math.floor(math.log10(highest / divisor)), 0), 5) if highest else 0
    axes.set_xticks(list(places), [f"{name}\n{apart(kwh / divisor, digits)}" for name, kwh in named])
    axes.yaxis.set_major_formatter(lambda value, _: number(value))
    axes.set_ylabel(f"{unit} a month", color=FAINT)
    axes.yaxis.set_label_coords(-0.077, 0.5)
    axes.annotate(unit, (0, 0), (-11, -33), "axes fraction", "offset pixels", ha="right", color=FAINT)  # of the numbers
    axes.grid(axis="y", color=GRID, linewidth=0.8, zorder=0)
    axes.tick_params(length=0, labelcolor=INK)
    axes.spines[["top", "left", "right"]].set_visible(False)
    axes.spines["bottom"].set_color(FAINT)
    axes.legend(loc="lower left", bbox_to_anchor=(-0.097, 1.0), ncols=4, frameon=False, fontsize=9.5,
                handlelength=1.4, handleheight=1.0, columnspacing=1.6, handletextpad=0.5)  # fmt: skip
    if not highest:
        axes.text(0.5, 0.5, "No production", transform=axes.transAxes, ha="center", color=FAINT, fontsize=16)


def _heading(figure: Figure, data: Mapping[str, Any]) -> None:
    asked, year = data["inputs"], data["annual"]
    write(
        figure,
        36,
        f"PV production in a typical year at {look.place(asked['lat'], asked['lon'])}",
        size=15,
        weight="bold",
    )
    write(figure, 64, _surfaces(data["arrays"]), size=10)
    write(figure, 86, _system(data), size=10, colour=FAINT)
    solar = data["tmy"]["confidence"]
    which = "a year" if solar == "p50" else f"in a {solar.upper()} solar year"
    sums = [f"{energy(year['e_kwh'])} {which}", f"{number(year['specific_yield_kwh_kwp'])}{NBSP}kWh/kWp"]
    known = year["percentiles_kwh"]
    sums += [f"{name.upper()} {energy(known[name])}" for name in ("p50", "p90") if known.get(name) is not None]
    write(figure, 119, look.BETWEEN.join(sums), size=12)
    if data["tmy"]["data_origin"] != "live":
        look.simulated(figure)


def _notes(figure: Figure, data: Mapping[str, Any]) -> None:
    tmy = data["tmy"]
    words = [
        f"Typical year {tmy['product']}, cell {tmy['cell_id']} ({tmy['cell_distance_km']:.1f} km away)",
        f"solar year {tmy['confidence'].upper()}",
        f"{tmy['data_origin']} data",
        "months in UTC",
    ]
    write(figure, HEIGHT - 14, look.BETWEEN.join(words), size=9, colour=FAINT)


def warned(warnings: Sequence[str]) -> list[tuple[bool, str]]:
    """Return the lines that show the warnings, and of each whether it begins one."""
    return _letters().warned(warnings)


@cache
def _letters() -> Letters:
    font = FT2Font(findfont(look.FONT))
    font.set_size(SIZE, look.DPI)
    return Letters(font, LoadFlags.DEFAULT)


def _surfaces(planes: Sequence[Mapping[str, float]]) -> str:
    if len(planes) > 1:
        return "  ·  ".join(
            f"{power(one['kwp'])} kWp {degrees(one['angle'])}/{degrees(one['aspect'])}" for one in planes
        )
    [one] = planes
    tilt, azimuth = degrees(one["angle"]), degrees(one["aspect"])
    return f"{power(one['kwp'])} kWp, tilt {tilt}, azimuth {azimuth} (0 south, −90 east, 90 west)"


def _system(data: Mapping[str, Any]) -> str:
    planes, asked = data["arrays"], data["inputs"]
    words = [asked["pvtechchoice"], _MOUNTED[asked["mountingplace"]], f"system loss {short(asked['loss'], 2)} %"]
    if len(planes) > 1:
        words.insert(0, f"{power(sum(one['kwp'] for one in planes))} kWp in all (tilt/azimuth, 0 south, −90 east)")
    if asked["maxpower"] is not None:
        words.append(f"at most {power(asked['maxpower'])} kW")
    return "  ·  ".join(words)
