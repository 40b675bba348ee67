"""The chart of a plant's months: what is delivered, and on top of it what snow, the horizon and the limit take."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from api.pictures.canvas import FAINT, HEIGHT, blank, foot, heading, legend, plain, png, warn
from api.pictures.figures import NBSP, apart, degrees, energy, number, power, short, unit_of

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
    return png(chart(data))


def chart(data: Mapping[str, Any]) -> Figure:
    """Return the chart of what `draw` is given, before it becomes a PNG."""
    figure = blank()
    bottom = _BOTTOM + warn(figure, data["warnings"])  # from the bars: the picture's size stays
    axes = figure.add_axes((0.095, bottom / HEIGHT, 0.885, (HEIGHT - _TOP - bottom) / HEIGHT))
    _bars(axes, parts(data))
    _heading(figure, data)
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
    plain(axes)
    axes.set_ylabel(f"{unit} a month", color=FAINT)
    axes.yaxis.set_label_coords(-0.077, 0.5)
    axes.annotate(unit, (0, 0), (-11, -33), "axes fraction", "offset pixels", ha="right", color=FAINT)  # of the numbers
    legend(axes, loc="lower left", bbox_to_anchor=(-0.097, 1.0), ncols=4, handlelength=1.4, columnspacing=1.6)
    if not highest:
        axes.text(0.5, 0.5, "No production", transform=axes.transAxes, ha="center", color=FAINT, fontsize=16)


def _heading(figure: Figure, data: Mapping[str, Any]) -> None:
    asked, year, tmy = data["inputs"], data["annual"], data["tmy"]
    solar, known = tmy["confidence"], year["percentiles_kwh"]
    which = "a year" if solar == "p50" else f"in a {solar.upper()} solar year"
    sums = [f"{energy(year['e_kwh'])} {which}", f"{number(year['specific_yield_kwh_kwp'])}{NBSP}kWh/kWp"]
    sums += [f"{name.upper()} {energy(known[name])}" for name in ("p50", "p90") if known.get(name) is not None]
    heading(
        figure,
        "PV production in a typical year",
        (asked["lat"], asked["lon"]),
        ([_surfaces(data["arrays"])], [_system(data)], sums),
        data_origin=tmy["data_origin"],
    )
    foot(
        figure,
        f"Typical year {tmy['product']}, cell {tmy['cell_id']} ({tmy['cell_distance_km']:.1f} km away)",
        f"solar year {solar.upper()}",
        f"{tmy['data_origin']} data",
        "months in UTC",
    )


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
