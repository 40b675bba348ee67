"""The picture of an upload: measured against clear sky by day, and a heat map in which a shift shows at a glance."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

import matplotlib.dates as mdates
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray

from api.pictures.canvas import ALARM, FAINT, INK, blank, foot, legend, plain, png, warn, write
from api.pictures.figures import energy
from kernels.plants.output import sun_angles

_MEASURED, _CLEAR, _SUN = "#0072b2", "#e69f00", "#d55e00"
_COLOURS = "cividis"
_DAY_S, _HOUR_S = 86_400, 3600
_LONGEST_NAME, _FEW_DAYS = 60, 60
_TEXTS = {"ok": "kontroll: ok", "advarsel": "kontroll: advarsel", "feil": "kontroll: feil"}


def draw(data: Mapping[str, Any]) -> bytes:
    """Draw the picture.

    Parameters
    ----------
    data : mapping
        `navn`, `kontroll`, `endringer`, `forhandsvisning` as they are answered; `starts` (unix seconds) and `wh` of the
        hours, in arrays; `lat`, `lon` and `kwp` of the plant.

    Returns
    -------
    bytes
        PNG; the same data give the same bytes.
    """
    return png(chart(data))


def chart(data: Mapping[str, Any]) -> Figure:
    """Return the picture of what `draw` is given, before it becomes a PNG."""
    figure = blank()
    bottom = 0.09 + warn(figure, [one["tekst"] for one in (*data["kontroll"]["funn"], *data["endringer"])]) / 640
    height = (0.84 - bottom) / 2
    days = figure.add_axes((0.075, bottom + height + 0.04, 0.86, height - 0.05))
    hours = figure.add_axes((0.075, bottom, 0.86, height - 0.03))
    _by_day(days, data["forhandsvisning"])
    _by_hour(figure, hours, data)
    summary = data["kontroll"]["oppsummering"]
    name = data["navn"] if len(data["navn"]) <= _LONGEST_NAME else f"{data['navn'][:_LONGEST_NAME]}…"
    write(figure, 36, f"Målt produksjon, {name}", size=15, weight="bold")
    told = [f"{summary['timer']} timer", energy(summary["kwh_totalt"]), _TEXTS[data["kontroll"]["status"]]]
    write(figure, 60, "   ·   ".join(told), colour=ALARM if data["kontroll"]["status"] == "feil" else INK)
    sun = "med soloppgang, solnedgang og sol i sør (stiplet)"
    foot(figure, f"Øverst: siste 60 døgn mot klarvær. Nederst: time for time (UTC), {sun}")
    return figure


def _by_day(axes: Axes, preview: list[dict[str, Any]]) -> None:
    plain(axes)
    if not preview:
        return
    dates = [date.fromisoformat(one["dato"]) for one in preview]
    axes.bar(dates, [one["klarvaer_kwh"] for one in preview], 0.9, color=_CLEAR, alpha=0.35, label="klarvær, kWh")  # type: ignore[arg-type]
    axes.bar(dates, [one["malt_kwh"] for one in preview], 0.6, color=_MEASURED, label="målt, kWh")  # type: ignore[arg-type]
    _dates(axes, len(dates))
    first, last = mdates.date2num([dates[0], dates[-1]])  # type: ignore[no-untyped-call]
    axes.set_xlim(first - 0.6, last + 0.6)
    axes.yaxis.set_major_formatter(_comma)
    legend(axes, loc="lower left", bbox_to_anchor=(-0.01, 0.98), ncols=2)


def _by_hour(figure: Figure, axes: Axes, data: Mapping[str, Any]) -> None:
    starts, wh = np.array(data["starts"], np.int64), np.array(data["wh"], np.float64)
    if not starts.size:
        return
    first, last = int(starts[0]) // _DAY_S, int(starts[-1]) // _DAY_S
    table = np.full((24, last - first + 1), np.nan)
    table[starts // _HOUR_S % 24, starts // _DAY_S - first] = wh / 1000
    begin = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=first)
    extent = (mdates.date2num(begin), mdates.date2num(begin + timedelta(days=table.shape[1])), 0, 24)  # type: ignore[no-untyped-call]
    image = axes.imshow(table, origin="lower", aspect="auto", extent=extent, cmap=_COLOURS, interpolation="nearest")
    noons = np.full(table.shape[1] + 1, 12 - data["lon"] / 15)
    edges = extent[0] + np.arange(table.shape[1] + 1)
    axes.plot(edges, noons, color=_SUN, linewidth=1.0, linestyle="--")
    for rise_or_set in _sun_limits(data["lat"], data["lon"], first, table.shape[1]):
        axes.plot(edges, np.append(rise_or_set, rise_or_set[-1]), color=_SUN, linewidth=1.2, drawstyle="steps-post")
    axes.set_ylim(0, 24)
    axes.set_yticks([0, 6, 12, 18, 24])
    axes.set_ylabel("time (UTC)", color=FAINT)
    axes.xaxis_date()
    _dates(axes, table.shape[1])
    axes.tick_params(length=0, labelcolor=INK)
    bar = figure.colorbar(image, ax=axes, pad=0.01, fraction=0.02, format=_comma)
    bar.set_label("kWh per time", color=FAINT)
    bar.outline.set_visible(False)  # type: ignore[operator]


def _sun_limits(lat: float, lon: float, first: int, days: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the hours (UTC) at which the sun rises and sets on each day, NaN where it does not."""
    minutes = np.arange(0, 1440, 10)
    moments = (first + np.arange(days))[:, None] * _DAY_S + minutes * 60
    up = sun_angles(lat, lon, moments.ravel() - _HOUR_S // 2)[0].reshape(days, -1) > -0.8
    partly = up.any(axis=1) & ~up.all(axis=1)
    rise = np.where(partly & ~up[:, 0], minutes[np.argmax(up, axis=1)] / 60, np.nan)
    down = minutes[len(minutes) - 1 - np.argmax(up[:, ::-1], axis=1)] / 60
    return rise, np.where(partly & ~up[:, -1], down, np.nan)


def _dates(axes: Axes, days: int) -> None:
    few = mdates.DayLocator(interval=max(1, -(-days // 8)))  # type: ignore[no-untyped-call]
    many = mdates.AutoDateLocator(minticks=3, maxticks=9)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(few if days <= _FEW_DAYS else many)
    axes.xaxis.set_major_formatter(mdates.DateFormatter("%d.%m.%y"))  # type: ignore[no-untyped-call]


@FuncFormatter
def _comma(value: float, _: int | None) -> str:
    """Return a number as Norwegians write it."""
    return f"{value:g}".replace(".", ",")
