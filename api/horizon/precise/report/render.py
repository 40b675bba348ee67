"""The report of horizon level 3 as PDF."""

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, cast

import orjson
import typst

from api.horizon.precise.report.contents import contents
from api.horizon.precise.report.relief import Relief
from api.horizon.precise.report.words import Language

_FOLDER = Path(__file__).parent
# What typst remembers of a report, 20 MB, it forgets after ten more: it would be 220 MB. Ten empty ones take 10 ms.
_FORGOTTEN_AFTER = 10


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
    text = orjson.dumps(contents(result, relief, language)).decode()
    made = _compiler("report.typ").compile(
        format="pdf",
        sys_inputs={"contents": text},
        pdf_standards="ua-1",
        timestamp=int(datetime.fromisoformat(result["issued_at"]).timestamp()),
    )
    for _ in range(_FORGOTTEN_AFTER):
        _compiler("empty.typ").compile(format="svg")
    return cast("bytes", made)


@cache
def _compiler(template: str) -> typst.Compiler:
    """Return the compiler of a template, which keeps its fonts."""
    return typst.Compiler(_FOLDER / template, root=_FOLDER, ignore_system_fonts=True)
