"""The generator of production exports is sound: what is written is the truth, and the judge knows right from wrong."""

import csv
import io
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from tests.support.exports import Answer, Export, judge, make
from tests.support.exports.clock import HOUR, local_seconds, midnight, offset_seconds, unix
from tests.support.exports.draw import draw
from tests.support.exports.number_styles import NumberStyle, formatter
from tests.support.exports.stamps import write_times

OSLO = ZoneInfo("Europe/Oslo")


@lru_cache(maxsize=1)
def exports() -> list[Export]:
    return [make(seed) for seed in range(60)]


def hourly() -> Export:
    return next(export for export in exports() if export.truth.outcome == "hours" and export.truth.interval_min == 60)


@lru_cache(maxsize=1)
def plain() -> Export:
    """Return a plain CSV of energy, stamped at the start in local time, without a difficulty of reading."""
    wanted = {"time_columns": "one", "stamp": "start", "zone": "Europe/Oslo", "unit": "kWh"}
    harmless = {"clip", "soiling", "coarse", "quotes", "declared", "mid_day"}
    for seed in range(1000):
        spec = draw(np.random.default_rng([20240621, seed]))
        if (spec.format, spec.layout, spec.quantity) == ("csv", "rows", "energi") and spec.difficulties <= harmless:
            export = make(seed)
            traits = export.traits
            if (
                wanted.items() <= traits.items()
                and traits["times"].startswith("iso h")
                and export.truth.outcome == "hours"
            ):
                return export
    raise AssertionError("no plain export among 1,000")


def by_hand(export: Export, zone: ZoneInfo) -> dict[int, float]:
    text = export.content.decode(export.traits["encoding"])
    delimiter = export.traits["delimiter"].replace("tab", "\t")
    hours: dict[int, float] = defaultdict(float)
    seen: set[str] = set()
    for row in csv.reader(io.StringIO(text), delimiter=delimiter):
        if not row or not row[0][:4].isdigit():
            continue
        start = datetime.fromisoformat(row[0]).replace(tzinfo=zone, fold=int(row[0] in seen))
        seen.add(row[0])
        hours[int(start.timestamp()) // HOUR * HOUR] += float(row[1].replace(",", "."))
    return dict(hours)


def test_plain_export_read_by_hand_is_the_truth() -> None:
    export = plain()
    hours = by_hand(export, OSLO)
    assert hours.keys() == export.truth.hours.keys()
    assert all(abs(value - export.truth.hours[hour]) < 1e-6 for hour, value in hours.items())
    assert judge(export, Answer(hours)) == "right"


def test_wrong_zone_is_silently_wrong_unless_asked_or_found() -> None:
    export = plain()
    hours = by_hand(export, ZoneInfo("UTC"))
    assert judge(export, Answer(hours)) == "silently_wrong"
    assert judge(export, Answer(hours, questions=["Hvilken tidssone?"])) == "asked"
    assert judge(export, Answer(hours, findings=[{"kode": "tid", "alvor": "advarsel"}])) == "asked"
    assert judge(export, Answer(hours, findings=[{"kode": "dekning", "alvor": "info"}])) == "silently_wrong"


def test_same_seed_gives_same_file() -> None:
    assert all(make(seed).content == exports()[seed].content for seed in (0, 7, 19, 33))


@pytest.mark.parametrize(("month", "day", "hours", "twos"), [(3, 31, 23, 0), (10, 27, 25, 2), (6, 1, 24, 1)])
def test_change_over_nights_have_23_and_25_hours(month: int, day: int, hours: int, twos: int) -> None:
    first = midnight(2024, month, day, "Europe/Oslo")
    next_day = datetime(2024, month, day) + timedelta(days=1)
    times = np.arange(first, midnight(2024, next_day.month, next_day.day, "Europe/Oslo"), HOUR)
    clock = (local_seconds(times, "Europe/Oslo") % 86400 // HOUR).tolist()
    assert len(times) == hours
    assert clock.count(2) == twos


def test_offsets_are_those_of_the_zone_database() -> None:
    times = np.arange(unix(2020, 1, 1), unix(2027, 1, 1), HOUR)
    expected = [datetime.fromtimestamp(time, OSLO).utcoffset().total_seconds() for time in times.tolist()]  # type: ignore[union-attr]
    assert offset_seconds(times, "Europe/Oslo").tolist() == expected


def test_truth_is_judged_right_and_refusing_it_needless() -> None:
    for export in exports():
        if export.truth.outcome == "hours":
            assert judge(export, Answer(dict(export.truth.hours))) == "right", export.seed
            refused = "refused" if export.truth.must_ask else "needlessly_refused"
            assert judge(export, Answer(None, refusal="Nei")) == refused


def test_energy_is_that_of_a_norwegian_plant() -> None:
    for export in exports():
        if export.truth.outcome != "hours":
            continue
        kwh = np.array(list(export.truth.hours.values()))
        assert kwh.max() < 1.1 * export.plant.kwp, export.seed
        assert 0 < kwh.sum() < 8.5 * export.plant.kwp * (len(kwh) / 24 + 1), export.seed
        assert 57 < export.plant.lat < 71
        assert all(hour % HOUR == 0 for hour in export.truth.hours)


def test_an_hour_late_is_wrong_and_a_quarter_of_quarters_right() -> None:
    export = hourly()
    late = {hour + HOUR: value for hour, value in export.truth.hours.items()}
    assert judge(export, Answer(late)) == "silently_wrong"
    quarters = next(
        export
        for export in exports()
        if export.truth.steps is not None and export.truth.interval_min == 15 and not export.truth.soft
    )
    starts, kwh = quarters.truth.steps or (np.zeros(0, dtype=np.int64), np.zeros(0))
    shifted: dict[int, float] = defaultdict(float)
    for start, value in zip((starts + 900).tolist(), kwh.tolist(), strict=True):
        shifted[start // HOUR * HOUR] += value
    assert judge(quarters, Answer(dict(shifted))) == "right"


@pytest.mark.parametrize("factor", [0.25, 0.98, 1.02, 4.0, 1000.0])
def test_wrong_factor_is_wrong(factor: float) -> None:
    export = hourly()
    assert (
        judge(export, Answer({hour: value * factor for hour, value in export.truth.hours.items()})) == "silently_wrong"
    )


def test_lost_bright_day_is_wrong() -> None:
    export = plain()
    best = max(export.truth.hours, key=lambda hour: export.truth.hours[hour])
    kept = {hour: value for hour, value in export.truth.hours.items() if abs(hour - best) > 12 * HOUR}
    assert judge(export, Answer(kept)) == "silently_wrong"


def test_daily_sums_must_be_refused_and_consumption_found() -> None:
    export = plain()
    daily = replace(export, truth=replace(export.truth, outcome="refuse_daily", hours={}))
    assert judge(daily, Answer(None, refusal="Døgnsummer")) == "right"
    assert judge(daily, Answer({0: 1.0})) == "silently_wrong"
    other = replace(export, truth=replace(export.truth, outcome="not_production"))
    assert judge(other, Answer({0: 1.0}, findings=[{"kode": "ikke_produksjon", "alvor": "feil"}])) == "right"
    assert judge(other, Answer({0: 1.0}, questions=["Er dette produksjon?"])) == "asked"
    assert judge(other, Answer({0: 1.0})) == "silently_wrong"


def test_outcomes_have_their_shares() -> None:
    specs = [draw(np.random.default_rng([20240621, seed])) for seed in range(2000)]
    outcomes = Counter(spec.outcome for spec in specs)
    assert 0.05 <= outcomes["refuse_daily"] / len(specs) <= 0.08
    assert 0.03 <= outcomes["not_production"] / len(specs) <= 0.06
    assert sum(spec.undecidable for spec in specs) <= 0.055 * len(specs)


def test_dates_and_numbers_are_written_as_told() -> None:
    noon, midnight_after = datetime(2024, 6, 1, 13, 5), datetime(2024, 6, 2)
    times, offsets, seconds = [noon, midnight_after], [7200, 7200], [1717239900, 1717279200]

    def written(style: str, language: str, ends: bool = False) -> list[str]:
        return write_times(style, language, times, offsets, seconds, ends)

    assert written("long hm", "no")[0] == "1. juni 2024 13:05"
    assert written("us ampm", "en") == ["Jun 1, 2024 1:05 PM", "Jun 2, 2024 12:00 AM"]
    assert written("dmy hm", "no", ends=True)[1] == "01.06.2024 24:00"
    assert written("iso named", "no")[0] == "2024-06-01 13:05:00 CEST+0200"
    assert datetime.fromtimestamp(int(written("epoch s", "no")[0]), UTC).hour == 11
    assert formatter(NumberStyle(",", "\u00a0"), 1)(12345.67) == "12\u00a0345,7"
    assert float(formatter(NumberStyle(exponent=True), 0)(12345678)) == 12345678
    assert formatter(NumberStyle(missing="--"), 2)(float("nan")) == "--"
