"""Numbers as a chart prints them: few digits, thousands apart, in the unit that suits."""

NBSP, THIN = "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}"


def number(value: float) -> str:
    """Return a number with three digits, all of them before the point, and thousands apart."""
    if value < 99.95:
        return f"{value:.3g}"
    return apart(value, 0)


def apart(value: float, digits: int) -> str:
    """Return a number with so many decimals, thousands apart."""
    return f"{value:,.{digits}f}".replace(",", THIN)


def power(kw: float) -> str:
    """Return a power, kW, with the decimals that matter."""
    return short(kw, 3 if kw < 1 else 2 if kw < 1000 else 0)


def degrees(value: float) -> str:
    """Return an angle in tenths of a degree."""
    return f"{short(value, 1)}°"


def short(value: float, digits: int) -> str:
    """Return a number with at most so many decimals."""
    text = apart(round(value, digits) + 0.0, digits).replace("-", "−")  # no -0
    return text.rstrip("0").rstrip(".") if digits else text


def energy(kwh: float) -> str:
    """Return an energy in the unit that suits it."""
    divisor, unit = unit_of(kwh)
    return f"{number(kwh / divisor)}{NBSP}{unit}"


def unit_of(kwh: float) -> tuple[float, str]:
    """Return by what to divide, and the unit that gives at most five digits."""
    for divisor, unit in ((1.0, "kWh"), (1e3, "MWh")):
        if kwh < 99_999.5 * divisor:
            return divisor, unit
    return 1e6, "GWh"
