"""The picture of a cell's ground snow load: the highest snow of each winter, and the three fits of them."""

import math
from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from api.pictures.canvas import FAINT, GRID, HEIGHT, INK, blank, foot, heading, legend, plain, png, warn
from api.pictures.figures import NBSP, number, short

_TOP, _BOTTOM = 176, 94  # of the panels, where nothing is warned of
_PANELS = (0.084, 0.444), (0.562, 0.368)  # left edge and width: seasons, fits

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
_LEGEND = {"handlelength": 1.8, "columnspacing": 1.4, "labelspacing": 0.3}
_LEAST_TOP_MM = 10.0  # of the scale, where there is no snow
_APART = 0.15  # what stands at the edge of the axis of return periods


def draw(data: Mapping[str, Any]) -> bytes:
    """Draw the picture.

    Parameters
    ----------
    data : mapping
        Of the answer: `inputs`, `aggregate`, `warnings`, and its `data_origin`. Of the centre cell: `seasons` (years in
        which they begin), `maxima` (of each, mm, or None), `plotting` (`periods` in years and `swe` in mm of those that
        are known), `curves` (mm by fit at `periods`), `levels` (mm by fit at the return period), their mean
        `char_swe_mm`.

    Returns
    -------
    bytes
        PNG of WIDTH x HEIGHT; the same data give the same bytes.
    """
    return png(chart(data))


def chart(data: Mapping[str, Any]) -> Figure:
    """Return the picture of what `draw` is given, before it becomes a PNG."""
    figure = blank()
    bottom = (_BOTTOM + warn(figure, data["warnings"])) / HEIGHT  # from the panels: the picture's size stays
    panels = [figure.add_axes((left, bottom, width, (HEIGHT - _TOP) / HEIGHT - bottom)) for left, width in _PANELS]
    for axes in panels:
        axes.set_ylim(0, _highest(data))
        plain(axes)
        axes.tick_params(pad=6)
    _bars(panels[0], data)
    _curves(panels[1], data)
    _heading(figure, data)
    foot(figure, "Decision support for the responsible designer")
    return figure


def variate(years: float) -> float:
    """Return where a return period stands: on this axis a Gumbel distribution is a straight line."""
    return -math.log(-math.log1p(-1 / years))


def _highest(data: Mapping[str, Any]) -> float:
    """Return what the scales of both panels end with, mm."""
    drawn = (data["maxima"], data["plotting"]["swe"], *data["curves"].values(), [data["char_swe_mm"]])
    # room for the level's number, even where no winter came up to it
    return max(_LEAST_TOP_MM, *(1.15 * float(mm) for values in drawn for mm in values if mm is not None))


def _bars(axes: Axes, data: Mapping[str, Any]) -> None:
    seasons, maxima, swe = data["seasons"], data["maxima"], data["char_swe_mm"]
    missing = [season for season, mm in zip(seasons, maxima, strict=True) if mm is None]
    axes.bar(seasons, [mm or 0 for mm in maxima], 0.72, color=BAR, label="Highest SWE", zorder=2)
    if missing:
        axes.bar(missing, axes.get_ylim()[1], 0.72, facecolor="white", edgecolor=MISSING, hatch="////", linewidth=0,
                 label=f"Too few days ({len(missing)})", zorder=1.5)  # fmt: skip
    axes.set_xlim(seasons[0] - 0.8, seasons[-1] + 0.8)
    every = next(years for years in (1, 2, 5, 10) if years == 10 or len(seasons) <= 7 * years)
    axes.set_xticks([season for season in seasons if season % every == 0])
    axes.set_xlabel("Winter, by the year in which it begins", color=FAINT)
    _unit(axes, -0.158, "SWE, mm")
    axes.axhline(swe, color=LEVEL, linewidth=1.8, zorder=3)
    words = f"{data['inputs']['return_period_yr']} years: {_mm(swe)} = {_kn(_weight(swe))}"
    behind = {"boxstyle": "square,pad=0.05", "facecolor": "white", "edgecolor": "none", "alpha": 0.9}
    axes.annotate(words, (0, swe), (4, 5), ("axes fraction", "data"), "offset points", color=LEVEL, fontsize=10,
                  weight="bold", zorder=4, bbox=behind)  # fmt: skip
    legend(axes, loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=2, **_LEGEND)
    if not any(maxima):
        axes.text(0.5, 0.5, "No snow in any winter", transform=axes.transAxes, ha="center", color=FAINT, fontsize=14)


def _curves(axes: Axes, data: Mapping[str, Any]) -> None:
    plotted, period = data["plotting"], data["inputs"]["return_period_yr"]
    places = [variate(years) for years in plotted["periods"]]
    along = [variate(years) for years in data["periods"]]
    axes.plot(places, plotted["swe"], "o", color=POINTS, markersize=4, markerfacecolor="none", label="Winters",
              zorder=4)  # fmt: skip
    axes.plot([], [], "D", color=LEVEL, markersize=7, label=f"Mean of the fits: {_mm(data['char_swe_mm'])}")
    for method, (name, colour, dash) in CURVES.items():
        label = f"{name} {_mm(data['levels'][method])}"
        axes.plot(along, data["curves"][method], color=colour, linestyle=dash, linewidth=1.8, label=label, zorder=3)
    axes.axvline(variate(period), color=LEVEL, linewidth=1.0, zorder=2)
    axes.axhline(data["char_swe_mm"], color=LEVEL, linewidth=1.0, zorder=2)
    axes.plot([variate(period)], [data["char_swe_mm"]], "D", color=LEVEL, markersize=7, zorder=5, clip_on=False)
    shown = [*places, *along, *map(variate, TICKS)]
    axes.set_xlim(min(shown) - _APART, max(shown) + _APART)
    axes.set_xticks([variate(years) for years in TICKS], [str(years) for years in TICKS])
    axes.grid(axis="x", color=GRID, linewidth=0.8)
    axes.set_xlabel("Return period, years", color=FAINT)
    axes.set_yticklabels([])
    weight = axes.secondary_yaxis("right", functions=(_weight, _water))
    weight.yaxis.set_major_formatter(lambda value, _: number(value))
    weight.tick_params(length=0, labelcolor=INK)
    weight.spines["right"].set_visible(False)
    _unit(axes, 1.15, "Weight, kN/m²")
    legend(axes, loc="lower right", bbox_to_anchor=(1.14, 1.0), ncols=3, **_LEGEND)


def _weight(mm: Any) -> Any:
    return mm * _KN_PER_MM


def _water(kn: Any) -> Any:
    return kn / _KN_PER_MM


def _unit(axes: Axes, across: float, text: str) -> None:
    axes.text(across, 0.5, text, transform=axes.transAxes, rotation=90, ha="center", va="center", color=FAINT)


def _heading(figure: Figure, data: Mapping[str, Any]) -> None:
    inputs, aggregate, cell = data["inputs"], data["aggregate"], data["inputs"]["center_cell"]
    altitude, known = cell["altitude_m"], sum(mm is not None for mm in data["maxima"])
    drawn = [
        f"Drawn for the cell {cell['x']}{NBSP}E, {cell['y']}{NBSP}N (UTM 33)",
        "altitude not known" if altitude is None else f"{short(altitude, 0)} m above the sea",
        f"{known} of {len(data['seasons'])} winters known",
        f"{data['data_origin']} data",
    ]
    swe = "SWE: the snow's water equivalent, its highest of each winter (September to August); 1 mm weighs 9.8 N/m²"
    n, grid = aggregate["n_cells"], "chosen by hand" if inputs["manual_cells"] else inputs["grid"]
    result = [
        f"Characteristic load {_kn(aggregate['characteristic_snow_load_kn_m2'])}",
        f"{inputs['return_period_yr']} years",
        "one cell" if n == 1 else f"median of {n} cells ({grid})",
        f"variability factor {short(inputs['variability_factor'], 2)}",
    ]
    place = inputs["lat"], inputs["lon"]
    heading(figure, "Ground snow load", place, (drawn, [swe], result), data_origin=data["data_origin"])


def _mm(swe: float) -> str:
    return f"{number(swe)}{NBSP}mm"


def _kn(load: float) -> str:
    return f"{load:.2f}{NBSP}kN/m²"
