"""The chart of a plant's months: what is delivered, and on top of it what snow, the horizon and the limit take."""

import io
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

mpl.rcdefaults()  # whatever a matplotlibrc on the machine says
mpl.rcParams.update({"font.family": "DejaVu Sans", "font.size": 10.5, "hatch.linewidth": 0.8})

WIDTH, HEIGHT = 1000, 560
_DPI = 100

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_INK, _FAINT, _GRID, _ALARM = "#222222", "#5c5c5c", "#dddddd", "#b00020"
_NBSP, _THIN = "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}"
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
    layers = parts(data)
    figure = Figure(figsize=(WIDTH / _DPI, HEIGHT / _DPI), dpi=_DPI, facecolor="white")
    axes = figure.add_axes((0.095, 0.165, 0.885, 0.565))
    _bars(axes, layers)
    _heading(figure, data)
    _notes(figure, data)
    out = io.BytesIO()
    figure.savefig(out, format="png", metadata={"Software": None})
    return out.getvalue()


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
        Part("Snow", "#56b4e9", "//", snow),
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
    divisor, unit = _unit(highest)
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
    axes.set_xticks(list(places), [f"{name}\n{_apart(kwh / divisor, digits)}" for name, kwh in named])
    axes.yaxis.set_major_formatter(lambda value, _: number(value))
    axes.set_ylabel(f"{unit} a month", color=_FAINT)
    axes.yaxis.set_label_coords(-0.077, 0.5)
    axes.text(-0.012, -0.104, unit, transform=axes.transAxes, ha="right", color=_FAINT)  # of the row of numbers
    axes.grid(axis="y", color=_GRID, linewidth=0.8, zorder=0)
    axes.tick_params(length=0, labelcolor=_INK)
    axes.spines[["top", "left", "right"]].set_visible(False)
    axes.spines["bottom"].set_color(_FAINT)
    axes.legend(loc="lower left", bbox_to_anchor=(-0.097, 1.0), ncols=4, frameon=False, fontsize=9.5,
                handlelength=1.4, handleheight=1.0, columnspacing=1.6, handletextpad=0.5)  # fmt: skip
    if not highest:
        axes.text(0.5, 0.5, "No production", transform=axes.transAxes, ha="center", color=_FAINT, fontsize=16)


def _heading(figure: Figure, data: Mapping[str, Any]) -> None:
    asked, year = data["inputs"], data["annual"]
    figure.text(0.02, 0.935, f"PV production in a typical year at {_place(asked)}", fontsize=15, weight="bold",
                color=_INK)  # fmt: skip
    figure.text(0.02, 0.882, _plant(data), color=_FAINT)
    solar = data["tmy"]["confidence"]
    which = "a year" if solar == "p50" else f"in a {solar.upper()} solar year"
    sums = [f"{energy(year['e_kwh'])} {which}", f"{number(year['specific_yield_kwh_kwp'])}{_NBSP}kWh/kWp"]
    known = year["percentiles_kwh"]
    sums += [f"{name.upper()} {energy(known[name])}" for name in ("p50", "p90") if known.get(name) is not None]
    figure.text(0.02, 0.828, "   ·   ".join(sums), color=_INK, fontsize=12)
    if data["tmy"]["data_origin"] != "live":
        figure.text(0.98, 0.94, "SIMULATED DATA", ha="right", fontsize=12, weight="bold", color="white",
                    bbox={"boxstyle": "round,pad=0.35", "facecolor": _ALARM, "edgecolor": "none"})  # fmt: skip


def _notes(figure: Figure, data: Mapping[str, Any]) -> None:
    tmy = data["tmy"]
    words = [
        f"Typical year {tmy['product']}, cell {tmy['cell_id']} ({tmy['cell_distance_km']:.1f} km away)",
        f"solar year {tmy['confidence'].upper()}",
        f"{tmy['data_origin']} data",
        "months in UTC",
    ]
    figure.text(0.02, 0.025, "   ·   ".join(words), color=_FAINT, fontsize=9)


def _place(asked: Mapping[str, Any]) -> str:
    return f"{asked['lat']:.4f}°{_THIN}N, {asked['lon']:.4f}°{_THIN}E"


def _plant(data: Mapping[str, Any]) -> str:
    planes, asked = data["arrays"], data["inputs"]
    if len(planes) == 1:
        what = f"{_power(planes[0]['kwp'])} kWp, tilt {planes[0]['angle']:g}°, azimuth {planes[0]['aspect']:g}°"
        words = [f"{what} (0 south, −90 east, 90 west)".replace("azimuth -", "azimuth −")]
    else:
        words = [f"{_power(sum(plane['kwp'] for plane in planes))} kWp on {len(planes)} surfaces"]
    words += [str(asked[name]) for name in ("pvtechchoice", "mountingplace") if asked.get(name)]
    if asked.get("maxpower"):
        words.append(f"at most {_power(asked['maxpower'])} kW")
    return "   ·   ".join(words)


def number(value: float) -> str:
    """Return a number with three digits, all of them before the point, and thousands apart."""
    if value < 99.95:
        return f"{value:.3g}"
    return _apart(value, 0)


def _apart(value: float, digits: int) -> str:
    return f"{value:,.{digits}f}".replace(",", _THIN)


def _power(kw: float) -> str:
    return _apart(kw, 2).rstrip("0").rstrip(".")


def energy(kwh: float) -> str:
    """Return an energy in the unit that suits it."""
    divisor, unit = _unit(kwh)
    return f"{number(kwh / divisor)}{_NBSP}{unit}"


def _unit(kwh: float) -> tuple[float, str]:
    """Return by what to divide, and the unit that gives at most five digits."""
    for divisor, unit in ((1.0, "kWh"), (1e3, "MWh")):
        if kwh < 99_999.5 * divisor:
            return divisor, unit
    return 1e6, "GWh"
