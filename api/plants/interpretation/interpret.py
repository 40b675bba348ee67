"""From a workbook to an interpretation: dates, columns, zone and stamp, unit."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from api.plants.interpretation.answers import NOTHING_SAID, Answers
from api.plants.interpretation.apply import HOUR_S, Hours, Rows, hours_of, interval_of, rows_of
from api.plants.interpretation.clocks import decide_clock
from api.plants.interpretation.column_choice import decide_column
from api.plants.interpretation.columns import SITE, choices_of
from api.plants.interpretation.date_order import decide_dates
from api.plants.interpretation.description import describe
from api.plants.interpretation.doubts import Doubts
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.frames import LEAST_VALUES, frame_of_workbook
from api.plants.interpretation.headings import plain, unit_of_notes
from api.plants.interpretation.mapping import FILE, OSLO, Mapping
from api.plants.interpretation.measured_elsewhere import is_behind_battery, is_grid_meter, is_metering_point
from api.plants.interpretation.mixed import busiest_rows, mixed_rows
from api.plants.interpretation.numbers import is_missing
from api.plants.interpretation.problems import not_interpreted
from api.plants.interpretation.scoring import level, level_cost, timing, timing_cost
from api.plants.interpretation.units import decide_unit, likeliest_unit, with_choice
from api.plants.interpretation.zones import DAY_S, seasons_of
from api.plants.model import PlantModel
from api.plants.reading.workbook import Workbook

_LONGEST_S, _DAILY_S = HOUR_S, 20 * HOUR_S
_UNFIT = 5.0
_LEAST_DAYS, _LISTED = 5, 6
_MOST_UNREADABLE = 0.01
_REMEMBERED = 0.99


@dataclass
class Interpretation:
    """How a file is read, and what it gives.

    Parameters
    ----------
    mapping : Mapping
    hours : Hours
    columns : list of str
        Headings of the columns that are read.
    role : str
        Of these columns: `production`, `generic`, `unknown`, `dc`, `phase`, `feed_in`, `import` or `consumption`.
    description : str
        How it was read, in Norwegian.
    certainty : float
        0 to 1: of the least certain decision.
    questions, changes : list
        Sentences; corrections with `kode` and `tekst`.
    source : str
        `regelbasert`, `lagret tolkning` or `SunPoint datatolkning`.
    fingerprint : str
        Of the headings.
    """

    mapping: Mapping
    hours: Hours
    columns: list[str]
    role: str
    description: str
    certainty: float
    questions: list[str]
    changes: list[dict[str, str]]
    source: str
    fingerprint: str


def interpret(
    workbook: Workbook,
    model: PlantModel,
    answers: Answers = NOTHING_SAID,
    remembered: Sequence[tuple[str, Mapping]] = (),
    *,
    file_name: str = "",
    correct: bool = True,
) -> Interpretation:
    """Return the interpretation of a file.

    Parameters
    ----------
    workbook : Workbook
    model : PlantModel
        Decides what headings leave open.
    answers : Answers
    remembered : sequence of (fingerprint, Mapping)
        Confirmed before.
    file_name : str
        May name the unit.
    correct : bool
        Whether what is stated may be corrected where it cannot be true.

    Raises
    ------
    ApiError
        `NOT_INTERPRETED`, with a sentence that says what to send instead.
    """
    frame = frame_of_workbook(workbook)
    frame.notes = f"{frame.notes} {re.sub(r'[-_.]', ' ', file_name)}"
    known = dict(remembered).get(frame.fingerprint)
    if known is not None and answers == NOTHING_SAID and (hours := _as_before(known, frame, model)) is not None:
        doubts = Doubts(certainty=_REMEMBERED)
        return _interpretation(frame, known, hours, "production", doubts, "lagret tolkning")
    return _by_rules(frame, model, answers, correct=correct)


def _interpretation(
    frame: Frame, mapping: Mapping, hours: Hours, role: str, doubts: Doubts, source: str
) -> Interpretation:
    names = [frame.headings[one].text for one in mapping.values]
    return Interpretation(
        mapping, hours, names, role, describe(frame, mapping), doubts.certainty, doubts.questions, doubts.changes,
        source, frame.fingerprint,
    )  # fmt: skip


def _as_before(mapping: Mapping, frame: Frame, model: PlantModel) -> Hours | None:
    """Return the hours that a mapping of before reads, None where it does not fit any longer."""
    if not (set(mapping.time) <= set(frame.moments) and set(mapping.values) <= set(frame.numeric)):
        return None
    rows = rows_of(frame, mapping)
    if mapping.zone != FILE and not set(seasons_of(rows.local)) <= set(mapping.seasons):
        return None
    if len(rows.local) < max(LEAST_VALUES, 0.9 * len(frame.rows)) or interval_of(rows.local)[0] != mapping.interval_s:
        return None
    if mapping.label is not None and not set(mapping.kept) <= set(frame.labels(mapping.label).tolist()):
        return None
    hours = hours_of(frame, mapping, rows)
    fits = level_cost(level(hours, model)) < _UNFIT and timing_cost(timing(hours, model)) < _UNFIT
    return hours if fits else None


def _by_rules(frame: Frame, model: PlantModel, answers: Answers, *, correct: bool) -> Interpretation:
    doubts = Doubts()
    mapping = decide_dates(frame, answers, doubts)
    rows = rows_of(frame, mapping)
    mapping, single, role = _devices(frame, mapping, rows, doubts)
    choices = choices_of(frame, single, mapping.interval_s, unit_of_notes(frame.notes))
    if role:
        choices = [one._replace(role=role) for one in choices]
    choice = decide_column(frame, mapping, choices, model, answers, doubts)
    if is_grid_meter(frame, mapping, choice):
        choice = choice._replace(role="feed_in")
    mapping = with_choice(mapping, choice, likeliest_unit(choice))
    if _is_negative(frame, mapping):
        mapping, choice = replace(mapping, sign=-1), choice._replace(role="feed_in")
        doubts.change("negative", 0.9)
    mapping = decide_clock(frame, rows, single, mapping, model, answers, doubts, correct=correct)
    mapping = decide_unit(frame, mapping, choice, model, answers, doubts, correct=correct)
    if choice.role == "feed_in":
        doubts.ask("feed_in")
    elif is_behind_battery(frame, choice) and answers.column is None:
        doubts.ask("battery", 0.6, column=f"«{frame.headings[choice.values[0]].text}»")
    if choice.role == "dc" and answers.column is None:
        doubts.ask("dc", 0.7, column=f"«{frame.headings[choice.values[0]].text}»")
    _tell_unreadable(frame, mapping, doubts)
    mapping = replace(mapping, seasons=seasons_of(rows.local))
    return _interpretation(frame, mapping, hours_of(frame, mapping, rows), choice.role, doubts, "regelbasert")


def _tell_unreadable(frame: Frame, mapping: Mapping, doubts: Doubts) -> None:
    """Ask about cells that are neither numbers nor empty, where there are more than a few."""
    for column in mapping.values:
        cells = frame.cells(column)
        odd = [cells[row] for row in np.flatnonzero(np.isnan(frame.numbers(column))).tolist()]
        odd = [cell for cell in odd if not is_missing(cell)]
        if len(odd) > _MOST_UNREADABLE * len(cells):
            doubts.ask("unreadable", 0.6, count=len(odd), cell=str(odd[0])[:20])


def _is_daily(rows: Rows) -> bool:
    """Return whether rows come within an hour of each day, such as those of several inverters at midnight."""
    _, day = np.unique(rows.local // DAY_S, return_inverse=True)
    first, last = np.full(day.max() + 1, DAY_S), np.zeros(day.max() + 1, np.int64)
    np.minimum.at(first, day, rows.local % DAY_S)
    np.maximum.at(last, day, rows.local % DAY_S)
    return len(first) >= _LEAST_DAYS and bool(np.median(last - first) < HOUR_S)


def _is_negative(frame: Frame, mapping: Mapping) -> bool:
    """Return whether the values of all columns together are far below nought."""
    values = np.array([np.nan_to_num(frame.numbers(column)) for column in mapping.values])
    return bool(values.sum() < -0.5 * np.abs(values).sum())


def _devices(frame: Frame, mapping: Mapping, rows: Rows, doubts: Doubts) -> tuple[Mapping, Rows, str]:
    """Return the mapping with interval and labels, the rows of one device, and the labels' role where it is the grid's.

    Raises
    ------
    ApiError
        `NOT_INTERPRETED`: there are few values, or they are of days.
    """
    if len(rows.local) < LEAST_VALUES:
        raise not_interpreted("daily" if interval_of(rows.local)[0] >= _DAILY_S else "few")
    if not frame.numeric:
        raise not_interpreted("no_values")
    mixed = mixed_rows(frame, rows)
    single, role = rows, ""
    if mixed is not None and mixed.label < 0:
        doubts.ask("doubled", 0.6)
    elif mixed is not None:
        mapping = replace(mapping, label=mixed.label, kept=mixed.kept)
        if mixed.is_alike:
            doubts.ask("alike", 0.5, labels=", ".join(mixed.kept))
        if len(mixed.kept) > 1 and all(map(is_metering_point, mixed.kept)):
            doubts.ask("meters", 0.5, labels=", ".join(mixed.kept))
        elif len(mixed.kept) > 1 and SITE.search(plain(frame.headings[mixed.label].text)):
            doubts.ask("plants", 0.5, labels=", ".join(mixed.kept[:_LISTED]))
        single = busiest_rows(frame, rows, mixed.label, mixed.kept)
        role = "" if mixed.role == "production" else mixed.role
    interval, _ = interval_of(single.local)
    if interval >= _DAILY_S or _is_daily(rows):
        raise not_interpreted("daily")
    if interval > _LONGEST_S:
        raise not_interpreted("coarse", hours=interval / HOUR_S)
    has_offsets = np.isfinite(rows.offset).mean() > 0.9
    return replace(mapping, interval_s=interval or HOUR_S, zone=FILE if has_offsets else OSLO), single, role
