"""Last chapter of the report: method, national values, classes of land cover, sources."""

from collections.abc import Mapping
from typing import Any

from api.reports.text import plain
from api.terrain.report.blocks import Content, chapter, section, table, text, texts
from api.terrain.report.texts import value, words


def chapter_of(answer: Mapping[str, Any]) -> Content:
    """Return the chapter."""
    w, kinds = words()["basis"], words()["kinds"]
    values = [[one["kategori"], *(value(one[name]) for name in ("z0_m", "z_min_m", "k_r"))]
              for one in answer["nasjonale_verdier"]]  # fmt: skip
    classes = [[kinds[name], category] for name, category in answer["klasser"].items()]
    texts_of = ("navn", "brukt_til", "lisens", "navngivelse")
    sources = [[*(plain(one[name]) for name in texts_of), value(one["dato"]), w[f"origin_{one['data_origin']}"]]
               for one in answer["kilder"]]  # fmt: skip
    return chapter(
        w["heading"],
        section(w["method"]),
        texts([plain(words) for words in answer["metode"].values()]),
        section(w["values"]),
        text(w["values_note"]),
        table(w["values"], w["values_head"], values, "few", shown=False),
        section(w["classes"]),
        table(w["classes"], w["classes_head"], classes, "classes", shown=False),
        section(w["sources"]),
        table(w["sources"], w["sources_head"], sources, "sources", shown=False),
    )
