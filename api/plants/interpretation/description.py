"""How a file was read, in a sentence or two."""

from api.core.prose import prose
from api.plants.interpretation.clocks import clock_name
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.mapping import Mapping

_LISTED = 4


def describe(frame: Frame, mapping: Mapping) -> str:
    """Return columns, unit, quantity, interval, zone, stamp and order of dates in Norwegian."""
    texts = prose(__file__, "description")
    names = [frame.headings[one].text or texts["nameless"].format(number=one + 1) for one in mapping.values]
    listed = ", ".join(f"«{one}»" for one in names[:_LISTED]) + (" m.fl." if len(names) > _LISTED else "")
    minutes = mapping.interval_s // 60
    sentences = [
        texts["columns" if len(names) > 1 else "column"].format(names=listed),
        texts[mapping.quantity].format(unit=mapping.unit, minutes=minutes),
    ]
    clock = [texts["clock"].format(clock=clock_name(mapping))]
    if mapping.order in texts:
        clock.append(texts[mapping.order])
    rows = []
    if mapping.label is not None and mapping.kept:
        kept = ", ".join(mapping.kept[:_LISTED]) + (" m.fl." if len(mapping.kept) > _LISTED else "")
        rows = [texts["labels" if len(mapping.kept) > 1 else "label"].format(labels=kept)]
    return " ".join([f"{' '.join(sentences)}.", *(f"{one}." for one in rows), f"{', '.join(clock)}."])
