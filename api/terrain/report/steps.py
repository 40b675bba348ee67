"""The calculation of one sector step by step, as it is checked by hand: formula, numbers, value, clause."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from api.reports.text import written
from api.terrain.report.texts import value, words
from kernels.terrain import orography, wind

Row = list[str]

_POWERS = ("", "{0}", "{0}²", "{0}³", "{0}⁴")


def rows(answer: Mapping[str, Any], sector: Mapping[str, Any]) -> list[Row]:
    """Return the rows of the table, from the printed values of a sector."""
    form = sector["terrengform"]
    found = _orography(form, answer["hoyde_m"]) if form["s"] is not None else []
    return found + (_wind(answer, sector) if sector["vind"] else [])


def _row(name: str, numbers: str, result: str, polynomial: str = "") -> Row:
    step, formula, clause = words()["steps"]["rows"][name]
    return [step, formula.format(polynom=polynomial), numbers, result, clause]


def _orography(form: Mapping[str, Any], z: float) -> list[Row]:
    h, l_u, x, phi = form["H_m"], form["L_u_m"], form["x_m"], form["phi"]
    steep = phi > orography.STEEP
    l_e = h / orography.STEEP if steep else l_u
    a, length = z / l_e, f"{value(form['L_e_m'])} m"
    found = [
        _row("length", f"2 · {value(form['L_H_m'])}", f"{value(l_u)} m"),
        _row("slope", f"{value(h)} / {value(l_u)}", value(phi)),
        _row("effective_steep", f"{value(h)} / 0,3", length) if steep else _row("effective", value(l_u), length),
        _row("height", f"{value(z)} / {value(form['L_e_m'])}", _four(a)),
    ]
    if x > 0 and form["L_d_m"] is None:
        found += _behind_edge(form, x / l_e, a)
    else:
        found += _beside_crest(form, a)
    s = value(form["s"])
    if phi < orography.FLAT:
        last = _row("form_flat", f"Φ = {value(phi)}", value(form["c_o"]))
    elif steep:
        last = _row("form_steep", f"1 + 0,6 · {s}", value(form["c_o"]))
    else:
        last = _row("form_mild", f"1 + 2 · {s} · {value(phi)}", value(form["c_o"]))
    return [*found, last]


def _beside_crest(form: Mapping[str, Any], a: float) -> list[Row]:
    """Before a crest, or behind that of a hill or a ridge."""
    behind = form["x_m"] > 0
    case, length = ("hill", form["L_d_m"]) if behind else ("before", form["L_u_m"])
    coefficients = orography.BEHIND_HILL if behind else orography.BEFORE_CREST
    along, x = form["x_m"] / length, value(form["x_m"])
    top, slope = _at(orography.AT_CREST, a), _at(coefficients, a)
    numbers = f"{_four(top)} · exp({_signed(slope)} · {_signed(along)})"
    return [
        _row(case, f"{x} / {value(length)}", _four(along)),
        _row(f"{case}_a", f"a = {_four(a)}", _four(top), _polynomial(orography.AT_CREST)),
        _row(f"{case}_b", f"a = {_four(a)}", _four(slope), _polynomial(coefficients)),
        _row(f"{case}_s", _within(form, numbers), value(form["s"])),
    ]


def _behind_edge(form: Mapping[str, Any], along: float, a: float) -> list[Row]:
    """Behind an escarpment."""
    lg = math.log10(max(a, orography.BRIDGED))
    found = [
        _row("edge", f"{value(form['x_m'])} / {value(form['L_e_m'])}", _four(along)),
        _row("edge_lg", f"lg {_four(max(a, orography.BRIDGED))}", _four(lg)),
    ]
    factors = [_at(coefficients, lg) for coefficients in orography.BEHIND_EDGE]
    for name, coefficients, factor in zip("abc", orography.BEHIND_EDGE, factors, strict=True):
        found.append(_row(f"edge_{name}", f"g = {_four(lg)}", _four(factor), _polynomial(coefficients, "g")))
    away = math.log10(max(along, orography.BRIDGED))
    numbers = (
        f"{_signed(factors[0])} · {_signed(away)}² + {_signed(factors[1])} · {_signed(away)} + {_four(factors[2])}"
    )
    if along >= orography.BRIDGED:
        return [*found, _row("edge_s", _within(form, numbers), value(form["s"]))]
    top, end = _four(_at(orography.AT_CREST, a)), _four(max(float(np.polyval(factors, away)), 0.0))
    between = f"{top} + ({end} − {top}) · {_four(along)} / 0,1"
    return [
        *found,
        _row("bridge_0", f"a = {_four(a)}", top, _polynomial(orography.AT_CREST)),
        _row("bridge_1", numbers, end),
        _row("bridge_s", _within(form, between), value(form["s"])),
    ]


def _wind(answer: Mapping[str, Any], sector: Mapping[str, Any]) -> list[Row]:
    found, form, z, v_b0 = sector["vind"], sector["terrengform"], answer["hoyde_m"], answer["v_b0_ms"]
    height = max(z, sector["z_min_m"])
    ln, c_o = _four(math.log(height / sector["z0_m"])), value(form["c_o"])
    c_r, i_v, k_i = value(found["c_r"]), value(found["I_v"]), value(form["k_I"])
    rows = [
        _row("lowest", f"{value(z)}; {value(sector['z_min_m'])}", f"{value(height)} m"),
        _row("ln", f"ln({value(height)} / {value(sector['z0_m'])})", ln),
        _row("c_r", f"{value(sector['k_r'])} · {ln}", c_r),
        _row("i_v", f"{k_i} / ({c_o} · {ln})", i_v),
    ]
    if v_b0 is not None:
        v_m, rho = value(found["v_m_ms"]), written(wind.AIR_DENSITY)
        pressure = f"(1 + 7 · {i_v}) · ½ · {rho} · {v_m}²"
        rows.append(_row("v_m", f"{c_r} · {c_o} · {value(v_b0)}", f"{v_m} m/s"))
        rows.append(_row("q_p", pressure, f"{value(found['q_p_pa'])} Pa"))
    return [*rows, _row("c_e", f"(1 + 7 · {i_v}) · ({c_r} · {c_o})²", value(found["c_e"]))]


def _four(number: float) -> str:
    return f"{round(number, 4) + 0.0:.4f}".replace(".", ",").replace("-", "−")  # no -0


def _signed(number: float) -> str:
    """Return a factor: negative ones in parentheses."""
    return f"({_four(number)})" if number < 0 else _four(number)


def _at(coefficients: Sequence[float], a: float) -> float:
    return float(np.polyval(coefficients, a))


def _within(form: Mapping[str, Any], numbers: str) -> str:
    return str(words()["steps"]["outside"]) if form["s"] == 0 else numbers


def _polynomial(coefficients: Sequence[float], of: str = "a") -> str:
    """Return a polynomial as text, the highest power first."""
    powers = [power.format(of) for power in _POWERS[: len(coefficients)][::-1]]
    terms = [f"{'−' if number < 0 else '+'} {abs(number):.4f}{power}".replace(".", ",")
             for number, power in zip(coefficients, powers, strict=True)]  # fmt: skip
    return " ".join(terms).removeprefix("+ ").replace("− ", "−", 1 if coefficients[0] < 0 else 0)
