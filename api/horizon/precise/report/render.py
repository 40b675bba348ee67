"""The report of horizon level 3 as PDF."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from api.horizon.precise.report.contents import contents
from api.horizon.precise.report.relief import Relief
from api.horizon.precise.report.words import Language
from api.reports.typesetting import pdf

_TEMPLATE = Path(__file__).with_name("report.typ")


def report(result: Mapping[str, Any], relief: Relief, language: Language) -> bytes:
    """Return the report.

    Parameters
    ----------
    result : mapping
        The answer of level 3, as parsed from JSON.
    relief : Relief
        The surface model around the roof.
    language : {"nb", "en"}

    Returns
    -------
    bytes
        PDF/UA-1; the same arguments give the same bytes.
    """
    issued = datetime.fromisoformat(result["issued_at"])
    return pdf(_TEMPLATE, contents(result, relief, language), int(issued.timestamp()))
