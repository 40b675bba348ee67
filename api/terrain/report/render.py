"""The report as PDF and as HTML."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from api.reports import typesetting
from api.reports.text import SYMBOL
from api.terrain.report.contents import Pictures, contents

_FOLDER = Path(__file__).parent
# 2026-01-01: the same question gives the same bytes, whenever it is asked.
_TIMESTAMP = 1_767_225_600


def report(answer: Mapping[str, Any], pictures: Pictures) -> tuple[bytes, bytes]:
    """Return the report as PDF (PDF/UA-1) and as one HTML file; the same arguments give the same bytes.

    Parameters
    ----------
    answer : mapping
        As parsed from JSON.
    pictures : Pictures
    """
    made = contents(answer, pictures)
    html = _template().render(**made, svg=_inline)
    return typesetting.pdf(_FOLDER / "report.typ", made, _TIMESTAMP), html.encode()


def _inline(drawing: str, number: str, alt: str) -> Markup:
    """Return an SVG that we drew, with its name for who cannot see it."""
    named = drawing.replace("<svg ", f'<svg role="img" aria-labelledby="{number}" ', 1)
    return Markup(named.replace(">", f'><title id="{number}">{escape(alt)}</title>', 1))  # noqa: S704


def _symbols(text: str) -> Markup:
    """Return text with the subscripts of symbols."""
    return Markup(SYMBOL.sub(r"\1<sub>\2</sub>", str(escape(text))))  # noqa: S704


@cache
def _template() -> Template:
    loader = FileSystemLoader(_FOLDER)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters["symbols"] = _symbols
    return environment.get_template("report.html")
