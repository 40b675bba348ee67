"""The picture of a cell's ground snow load: the highest snow of each winter, and what is read from them by the fits."""

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont
from matplotlib.ft2font import FT2Font, LoadFlags

from api.pictures import look
from api.pictures.figures import NBSP, number, short
from api.pictures.letters import SIZE, STEP, Letters, write_warned
from api.pictures.look import BETWEEN, FAINT, GRID, HEIGHT, INK, WIDTH, write

mpl.rcdefaults()
mpl.rcParams.update(look.SETTINGS)

_TOP, _BOTTOM = 176, 94  # of the panels, where nothing is warned of
_NOTE_LINES, _FOOT = 2, HEIGHT - 14
_SEASONS, _FITS = (0.084, 0.444), (0.562, 0.368)  # left edge and width of each panel

BAR, MISSING, POINTS = "#56b4e9", "#b9b9b9", INK
# Of Okabe and Ito, which the colour-blind tell apart, each with a dash of its own for print.
CURVES = {
    "gamma": ("Gamma", "#d55e00", "-"),
    "gumbel": ("Gumbel", "#0072b2", (0, (5, 1.5))),
    "empirical": ("Empirical", "#009e73", (0, (1.2, 1.2))),
}
LEVEL = "#aa3377"
TICKS = (2, 5, 10, 20, 50, 100)
_KN_PER_MM = 9.8e-3
_LEAST_TOP_MM = 10.0  # of the scale, where there is no snow
_APART = 0.15  # what stands at the edge of the axis of return periods


def draw(data: Mapping[str, Any]) -> bytes:
    """Draw the picture.

    Parameters
    ----------
    data : mapping
        Of the cell: `x`, `y` (centre, UTM 33, m), `altitude_m` (or None), `seasons` (years in which they begin),
        `maxima` (of each, mm, or None), `plotting` (`periods` in years and `swe` in mm of those that are known),
        `curves` (mm by fit at `periods`), `levels` (mm by fit at `return_period_yr`), their mean `char_swe_mm`, and
        `char_sd_kn_m2`. Of the answer: `lat`, `lon`, `characteristic_snow_load_kn_m2`, `n_cells`, `grid`,
        `variability_factor`, `data_origin`, `warnings`, and `note`, a sentence on what it is for.

    Returns
    -------
    bytes
        PNG of WIDTH x HEIGHT; the same data give the same bytes.
    """
    return look.png(chart(data))


def chart(data: Mapping[str, Any]) -> Figure:
    """Return the picture of what `draw` is given, before it becomes a PNG."""
    figure = Figure(figsize=(WIDTH / look.DPI, HEIGHT / look.DPI), dpi=look.DPI, facecolor="white")
    note = _letters().wrapped(_letters().harmless(data["note"]), _NOTE_LINES)
    lines = _letters().warned(data["warnings"])
    below = STEP * (len(note) - 1 + len(lines))  # they take their room from the panels: the picture's size stays
    bottom, top = (_BOTTOM + below) / HEIGHT, max(_highest(data), _LEAST_TOP_MM)
    height = (HEIGHT - _TOP) / HEIGHT - bottom
    seasons = figure.add_axes((_SEASONS[0], bottom, _SEASONS[1], height))
    fits = figure.add_axes((_FITS[0], bottom, _FITS[1], height))
    for axes in (seasons, fits):
        _scale(axes, top)
    _bars(seasons, data)
    _curves(fits, data)
    _heading(figure, data)
    for i, line in enumerate(reversed(note)):
        write(figure, _FOOT - STEP * i, line, size=SIZE, colour=FAINT)
    write_warned(figure, lines, _FOOT - STEP * (len(note) - 1) - 20)
    return figure


def variate(years: float) -> float:
    """Return where a return period stands: on this axis a Gumbel distribution is a straight line."""
    return -math.log(-math.log1p(-1 / years))


def _highest(data: Mapping[str, Any]) -> float:
    """Return what the scales of both panels end with, mm."""
    known = [*data["maxima"], data["char_swe_mm"], *data["plotting"]["swe"]]
    for curve in data["curves"].values():
        known += curve
    # room for the level's number, even where no winter came up to it
    return max([1.15 * float(mm) for mm in known if mm is not None], default=0.0)


def _scale(axes: Axes, top: float) -> None:
    axes.set_ylim(0, top)
    axes.yaxis.set_major_formatter(lambda value, _: number(value))
    axes.set_axisbelow(True)
    axes.grid(axis="y", color=GRID, linewidth=0.8)
    axes.tick_params(length=0, labelcolor=INK, pad=6)
    axes.spines[["top", "left", "right"]].set_visible(False)
    axes.spines["bottom"].set_color(FAINT)


def _bars(axes: Axes, data: Mapping[str, Any]) -> None:
    seasons, maxima = data["seasons"], data["maxima"]
    known = [(season, mm) for season, mm in zip(seasons, maxima, strict=True) if mm is not None]
    missing = [season for season, mm in zip(seasons, maxima, strict=True) if mm is None]
    if known:
        axes.bar([season for season, _ in known], [mm for _, mm in known], 0.72, color=BAR, label="Highest SWE",
                 zorder=2)  # fmt: skip
    if missing:
        axes.bar(missing, axes.get_ylim()[1], 0.72, facecolor="white", edgecolor=MISSING, hatch="////", linewidth=0,
                 label=f"Too few days ({len(missing)})", zorder=1.5)  # fmt: skip
    axes.set_xlim(seasons[0] - 0.8, seasons[-1] + 0.8)
    every = next(years for years in (1, 2, 5, 10) if years == 10 or len(seasons) <= 7 * years)
    axes.set_xticks([season for season in seasons if season % every == 0])
    axes.set_xlabel("Winter, by the year in which it begins", color=FAINT)
    _unit(axes, -0.158, "SWE, mm")
    axes.axhline(data["char_swe_mm"], color=LEVEL, linewidth=1.8, zorder=3)
    words = f"{data['return_period_yr']} years: {_mm(data['char_swe_mm'])} = {_kn(data['char_sd_kn_m2'])}"
    behind = {"boxstyle": "square,pad=0.05", "facecolor": "white", "edgecolor": "none", "alpha": 0.9}
    axes.annotate(words, (0, data["char_swe_mm"]), (4, 5), ("axes fraction", "data"), "offset points", color=LEVEL,
                  fontsize=10, weight="bold", zorder=4, bbox=behind)  # fmt: skip
    _legend(axes, 2, loc="lower left", bbox_to_anchor=(-0.02, 1.0))
    if not any(mm for _, mm in known):
        words = "No snow in any winter" if known else "No winter is known"
        axes.text(0.5, 0.5, words, transform=axes.transAxes, ha="center", color=FAINT, fontsize=14)


def _curves(axes: Axes, data: Mapping[str, Any]) -> None:
    plotted, asked = data["plotting"], data["return_period_yr"]
    places = [variate(years) for years in plotted["periods"]]
    along = [variate(years) for years in data["periods"]]
    axes.plot(places, plotted["swe"], "o", color=POINTS, markersize=4, markerfacecolor="none", label="Winters",
              zorder=4)  # fmt: skip
    axes.plot([], [], "D", color=LEVEL, markersize=7, label=f"Mean of the fits: {_mm(data['char_swe_mm'])}")
    for method, (name, colour, dash) in CURVES.items():
        label = f"{name} {_mm(data['levels'][method])}"
        axes.plot(along, data["curves"][method], color=colour, linestyle=dash, linewidth=1.8, label=label, zorder=3)
    axes.axvline(variate(asked), color=LEVEL, linewidth=1.0, zorder=2)
    axes.axhline(data["char_swe_mm"], color=LEVEL, linewidth=1.0, zorder=2)
    axes.plot([variate(asked)], [data["char_swe_mm"]], "D", color=LEVEL, markersize=7, zorder=5, clip_on=False)
    shown = [*places, *along, *map(variate, TICKS)]
    axes.set_xlim(min(shown) - _APART, max(shown) + _APART)
    axes.set_xticks([variate(years) for years in TICKS], [str(years) for years in TICKS])
    axes.grid(axis="x", color=GRID, linewidth=0.8)
    axes.set_xlabel("Return period, years", color=FAINT)
    axes.set_yticklabels([])
    weight = axes.secondary_yaxis("right", functions=(_weighing, _water))
    weight.yaxis.set_major_formatter(lambda value, _: number(value))
    weight.tick_params(length=0, labelcolor=INK)
    weight.spines["right"].set_visible(False)
    _unit(axes, 1.15, "Weight, kN/m²")
    _legend(axes, 3, loc="lower right", bbox_to_anchor=(1.14, 1.0))


def _weighing(mm: Any) -> Any:
    return mm * _KN_PER_MM


def _water(kn: Any) -> Any:
    return kn / _KN_PER_MM


def _unit(axes: Axes, across: float, text: str) -> None:
    axes.text(across, 0.5, text, transform=axes.transAxes, rotation=90, ha="center", va="center", color=FAINT)


def _legend(axes: Axes, columns: int, **where: Any) -> None:
    axes.legend(**where, ncols=columns, frameon=False, fontsize=9.5, handlelength=1.8, handleheight=1.0,
                columnspacing=1.4, handletextpad=0.5, labelspacing=0.3)  # fmt: skip


def _heading(figure: Figure, data: Mapping[str, Any]) -> None:
    write(figure, 36, f"Ground snow load at {look.place(data['lat'], data['lon'])}", size=15, weight="bold")
    altitude, known = data["altitude_m"], sum(mm is not None for mm in data["maxima"])
    cell = [
        f"Drawn for the cell {data['x']}{NBSP}E, {data['y']}{NBSP}N (UTM 33)",
        "altitude not known" if altitude is None else f"{short(altitude, 0)} m above the sea",
        f"{known} of {len(data['seasons'])} winters known",
        f"{data['data_origin']} data",
    ]
    write(figure, 64, BETWEEN.join(cell), size=10)
    told = "SWE: the snow's water equivalent, its highest of each winter (September to August); 1 mm weighs 9.8 N/m²"
    write(figure, 86, told, size=10, colour=FAINT)
    cells, factor = data["n_cells"], short(data["variability_factor"], 2)
    grid = data["grid"] if "x" in data["grid"] else "chosen by hand"
    words = [
        f"Characteristic load {_kn(data['characteristic_snow_load_kn_m2'])}",
        f"{data['return_period_yr']} years",
        "one cell" if cells == 1 else f"median of {cells} cells ({grid})",
        f"variability factor {factor}",
    ]
    write(figure, 119, BETWEEN.join(words), size=12)
    if data["data_origin"] != "live":
        look.simulated(figure)


def _mm(swe: float) -> str:
    return f"{number(swe)}{NBSP}mm"


def _kn(load: float) -> str:
    return f"{load:.2f}{NBSP}kN/m²"


@cache
def _letters() -> Letters:
    font = FT2Font(findfont(look.FONT))
    font.set_size(SIZE, look.DPI)
    return Letters(font, LoadFlags.DEFAULT)
