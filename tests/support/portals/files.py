"""The files: what each portal calls its columns, how it writes times and numbers, and what stands around the table."""

import io
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import xlsxwriter

from tests.support.portals.series import Series, series


class File(NamedTuple):
    """A file and how it must be read.

    Parameters
    ----------
    name : str
        With its ending.
    content : bytes
    truth : Series
    reading : tuple of str
        Unit, quantity, stamp and zone.
    asks : str
        Beginning of the only question; empty where none may be asked.
    refused : str
        Part of the refusal; empty where it must be read.
    """

    name: str
    content: bytes
    truth: Series
    reading: tuple[str, str, str, str] = ("", "", "", "")
    asks: str = ""
    refused: str = ""


KWH, WH = ("kWh", "energi", "start", "Europe/Oslo"), ("Wh", "energi", "start", "Europe/Oslo")
W, KW = ("W", "effekt", "start", "Europe/Oslo"), ("kW", "effekt", "start", "Europe/Oslo")
COUNTER = ("kWh", "teller", "slutt", "Europe/Oslo")
DMY, ISO = "%d.%m.%Y %H:%M", "%Y-%m-%d %H:%M:%S"
FILES: list[Callable[[], File]] = []


def _text(rows: Iterable[Sequence[Any]], delimiter: str = ";", encoding: str = "utf-8", above: str = "") -> bytes:
    return (above + "\n".join(delimiter.join(map(str, row)) for row in rows) + "\n").encode(encoding)


def _excel(sheets: dict[str, Sequence[Sequence[Any]]]) -> bytes:
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"default_date_format": "dd.mm.yyyy hh:mm", "remove_timezone": True}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
    return out.getvalue()


def _comma(value: float, decimals: int = 3) -> str:
    return f"{value:.{decimals}f}".replace(".", ",")


def _load(one: Series) -> np.ndarray:
    """Return a household's consumption, Wh."""
    hour = one.starts / 3600 + 2
    return (500 + 400 * np.cos((hour - 19) / 24 * 2 * np.pi) ** 2) * one.step_s / 3600


def _file(function: Callable[[], File]) -> Callable[[], File]:
    FILES.append(function)
    return function


@_file
def fronius_solar_web() -> File:
    one = series(5)
    load = _load(one)
    rows = [
        [time.strftime(DMY), _comma(wh, 2), _comma(use, 2)]
        for time, wh, use in zip(one.local(), one.wh, load, strict=True)
    ]
    heads = [["Dato og tid", "PV-produksjon", "Forbruk"], ["[dd.MM.yyyy HH:mm]", "[Wh]", "[Wh]"]]
    return File("Solar.web_Export.csv", _text([*heads, *rows]), one, WH)


@_file
def sma_sunny_portal() -> File:
    one = series(15)
    above = "\ufeffsep=;\nVersion CSV 1|Tool SP|Linebreaks CR/LF|Delimiter semicolon|Decimalpoint comma|Precision 3\n\n"
    rows = [
        [time.strftime("%d.%m.%Y %H:%M:%S"), _comma(w / 1000), _comma(w / 1000 * 1.04)]
        for time, w in zip(one.local(ends=True), one.watts, strict=True)
    ]
    heads = [
        ["", "SN: 3004512345", "SN: 3004512345"],
        ["", "Power / Mean Values", "DC power input / Mean Values"],
        ["dd.MM.yyyy HH:mm:ss", "kW", "kW"],
    ]
    return File(
        "SUNNY_TRIPOWER.csv", _text([*heads, *rows], above=above), one, ("kW", "effekt", "slutt", "Europe/Oslo")
    )


@_file
def solaredge_site() -> File:
    one = series(15)
    rows = [[time.strftime("%m/%d/%Y %H:%M"), w] for time, w in zip(one.local(), one.watts, strict=True)]
    return File("Site_Power.csv", _text([["Time", "System Production (W)"], *rows], ","), one, W)


@_file
def solaredge_meters() -> File:
    one = series(15)
    meters = [
        {
            "meterSerialNumber": "1234",
            "type": kind,
            "values": [
                {"date": time.strftime(ISO), "value": value}
                for time, value in zip(one.local(), values.tolist(), strict=True)
            ],
        }
        for kind, values in (
            ("Consumption", _load(one)),
            ("Production", one.wh),
            ("FeedIn", np.maximum(one.wh - _load(one), 0)),
        )
    ]
    document = {"energyDetails": {"timeUnit": "QUARTER_OF_AN_HOUR", "unit": "Wh", "meters": meters}}
    return File("energyDetails.json", json.dumps(document).encode(), one, WH)


@_file
def huawei_plant_report() -> File:
    one = series(60)
    heads = [
        "Statistical Period",
        "Plant Name",
        "Global Irradiation (kWh/㎡)",
        "PV Yield (kWh)",
        "Export (kWh)",
        "CO₂ Avoided (t)",
    ]
    rows = [
        [time.strftime(ISO), "Solveien 12", 0.0, round(wh / 1000, 2), round(wh / 2000, 2), round(wh / 1e6, 3)]
        for time, wh in zip(one.local(), one.wh, strict=True)
    ]
    return File("Plant Report.xlsx", _excel({"Plant Report": [["Plant Report"], heads, *rows]}), one, KWH)


@_file
def huawei_inverter() -> File:
    one = series(5)
    total, today = one.counter[:-1] / 1000, one.today / 1000
    heads = [
        "Site Name",
        "ManageObject",
        "Start Time",
        "Inverter status",
        "Total yield(kWh)",
        "Daily energy(kWh)",
        "Active power(kW)",
        "Internal temperature(℃)",
        "PV1 input voltage(V)",
    ]
    rows = [
        [
            "Solveien 12",
            "Inverter-1",
            time.strftime(ISO),
            "Grid connected",
            f"{all_of_it:.2f}",
            f"{day:.2f}",
            f"{w / 1000:.3f}",
            31.5,
            640,
        ]
        for time, all_of_it, day, w in zip(one.local(), total, today, one.watts, strict=True)
    ]
    above = "Inverter data\n\n"
    return File(
        "Inverter data.csv", _text([heads, *rows], ",", above=above), one, ("kWh", "teller", "slutt", "Europe/Oslo")
    )


@_file
def growatt_history() -> File:
    one = series(5)
    late = np.random.default_rng(1).integers(0, 40, len(one.starts))  # stamps such as 10:03:27
    heads = [
        "Serial Number",
        "Time",
        "Status",
        "Vpv1(V)",
        "Ppv(W)",
        "Vac1(V)",
        "Pac(W)",
        "Eac_today(kWh)",
        "Eac_total(kWh)",
        "Temperature(℃)",
    ]
    today = one.today / 1000
    rows = [
        [
            "QXH4B0",
            (time.replace(second=int(seconds))).strftime(ISO),
            "Normal",
            412.5,
            round(w * 1.03, 1),
            233.1,
            round(w, 1),
            round(day, 1),
            4321.0 + round(day, 1),
            41.2,
        ]
        for time, seconds, w, day in zip(one.local(), late, one.watts, today, strict=True)
    ]
    return File("Inverter History Data.xlsx", _excel({"history": [heads, *rows]}), one, W)


@_file
def goodwe_sems() -> File:
    one = series(5)
    rows = [
        [time.strftime("%d.%m.%Y %H:%M:%S"), round(w), 0, round(w - use), round(use), 55]
        for time, w, use in zip(one.local(), one.watts, _load(one) * 12, strict=True)
    ]
    heads = [
        ["Plant:", "Solveien 12"],
        ["Classification:", "Residential"],
        [],
        ["Time", "PV(W)", "Battery(W)", "Grid (W)", "Load(W)", "SOC(%)"],
    ]
    return File("Plant_Power.xlsx", _excel({"Plant Power": [*heads, *rows]}), one, W)


@_file
def solis_cloud() -> File:
    one = series(5)
    heads = [
        "Time",
        "Inverter SN",
        "DC Voltage Pv1(V)",
        "Total DC Input Power(W)",
        "AC Voltage R/U/A(V)",
        "Total Active Power(W)",
        "Daily Generation(kWh)",
        "Grid Frequency(Hz)",
    ]
    rows = [
        [
            time.strftime("%Y/%m/%d %H:%M:%S"),
            "1801020",
            "381.2",
            f"{w * 1.03:.0f}",
            "231.4",
            f"{w:.0f}",
            f"{day / 1000:.1f}",
            "49.98",
        ]
        for time, w, day in zip(one.local(), one.watts, one.today, strict=True)
    ]
    return File("1801020_history.csv", _text([heads, *rows], "\t", "utf-16"), one, COUNTER)


@_file
def kostal_log() -> File:
    one = series(15, days=1)
    rows = [[second, 380, 2100, round(w), round(w)] for second, w in zip(range(0, 86_400, 900), one.watts, strict=True)]
    above = "Logdaten U[V], I[mA], P[W], E[kWh], F[Hz]\nWechselrichter Nr:\t1\nName:\tPIKO\nakt. Zeit:\t123456\n\n"
    return File(
        "LogDaten.dat",
        _text([["Zeit", "DC1 U", "DC1 I", "DC1 P", "AC1 P"], *rows], "\t", above=above),
        one,
        refused="dato",
    )


@_file
def victron_vrm() -> File:
    one = series(15)
    heads = [
        ["timestamp", "PV Inverter [20]", "PV Inverter [20]", "PV Inverter [20]", "System overview [0]"],
        ["Europe/Oslo (+02:00)", "L1 Power", "L2 Power", "L3 Power", "Battery SOC"],
        ["", "W", "W", "W", "%"],
    ]
    rows = [[time.strftime(ISO), *[round(w / 3, 1)] * 3, 66.0] for time, w in zip(one.local(), one.watts, strict=True)]
    quoted = [[f'"{cell}"' for cell in row] for row in [*heads, *rows]]
    return File("Solveien_log.csv", _text(quoted, ","), one, W)


@_file
def tibber_nodes() -> File:
    one = series(60)
    nodes = [
        {
            "from": begin.isoformat(timespec="milliseconds"),
            "to": end.isoformat(timespec="milliseconds"),
            "profit": None,
            "production": round(wh / 1000, 3),
            "productionUnit": "kWh",
        }
        for begin, end, wh in zip(one.local(), one.local(ends=True), one.wh, strict=True)
    ]
    document = {"data": {"viewer": {"homes": [{"production": {"nodes": nodes}}]}}}
    reading = ("kWh", "energi", "start", "fil")
    return File("tibber.json", json.dumps(document).encode(), one, reading, asks="Verdiene er det som er levert")


@_file
def grid_company() -> File:
    one = series(60)
    heads = ["Målepunkt-ID", "Fra", "Til", "KWH 60 Forbruk", "Kvalitet", "KWH 60 Innmating", "Kvalitet"]
    rows = [
        [
            '="707057500012345678"',
            begin.strftime(DMY),
            end.strftime(DMY),
            _comma(max(use - wh, 0) / 1000),
            "Målt",
            _comma(max(wh - use, 0) / 1000),
            "Målt",
        ]
        for begin, end, wh, use in zip(one.local(), one.local(ends=True), one.wh, _load(one), strict=True)
    ]
    fed = one._replace(wh=np.maximum(one.wh - _load(one), 0))
    return File("meteringvalues.csv", _text([heads, *rows]), fed, KWH, asks="Verdiene er det som er levert til nettet")


@_file
def date_and_hour_of_the_day() -> File:
    one = series(60)
    rows = [
        [time.strftime("%d.%m.%Y"), f"{time.hour:02}-{time.hour + 1:02}", _comma(wh / 1000)]
        for time, wh in zip(one.local(), one.wh, strict=True)
    ]
    return File("produksjon.csv", _text([["Dato", "Time", "Produksjon kWh"], *rows]), one, KWH)


@_file
def home_assistant_history() -> File:
    one = series(5)
    readings = np.round(one.counter / 1000, 2)
    times = [*one.local("UTC"), one.local("UTC", ends=True)[-1]]
    moved = np.flatnonzero(np.diff(readings, prepend=-1))
    rows = [["sensor.solar_energy_total", readings[n], times[n].strftime("%Y-%m-%dT%H:%M:%S.000Z")] for n in moved]
    rows.insert(5, ["sensor.solar_energy_total", "unavailable", rows[4][2]])
    return File(
        "history.csv",
        _text([["entity_id", "state", "last_changed"], *rows], ","),
        one,
        ("kWh", "teller", "slutt", "fil"),
    )


@_file
def home_assistant_energy() -> File:
    one = series(60)
    heads = ["entity_id", "type", "unit", *(time.strftime("%Y-%m-%dT%H:%M:%S.000Z") for time in one.local("UTC"))]
    rows = [
        ["sensor.grid_import", "grid_consumption", "kWh", *(f"{wh / 1000:.3f}" for wh in _load(one))],
        ["sensor.pv_energy", "solar_production", "kWh", *(f"{wh / 1000:.3f}" for wh in one.wh)],
    ]
    return File("energy.csv", _text([heads, *rows], ","), one, ("kWh", "energi", "start", "fil"))


@_file
def shelly_pro() -> File:
    one = series(60)
    heads = [
        "timestamp",
        "a_total_act_energy",
        "b_total_act_energy",
        "c_total_act_energy",
        "total_act_energy",
        "total_act_ret_energy",
    ]
    rows = [
        [int(start), *[round(wh / 3, 2)] * 3, round(wh, 2), 0] for start, wh in zip(one.starts, one.wh, strict=True)
    ]
    return File("emdata_wh.csv", _text([heads, *rows], ","), one, ("Wh", "energi", "start", "fil"))


@_file
def ferroamp() -> File:
    one = series(15)
    rows = [
        {"ts": time.strftime("%Y-%m-%dT%H:%M:%S+02:00"), "solarEnergyWh": wh, "gridImportWh": 0, "consumptionWh": use}
        for time, wh, use in zip(one.local(), one.wh.tolist(), _load(one).tolist(), strict=True)
    ]
    return File(
        "ferroamp.json", json.dumps({"facility": 1, "items": rows}).encode(), one, ("Wh", "energi", "start", "fil")
    )


@_file
def fox_ess() -> File:
    one = series(5)
    heads = [
        "time",
        "pvPower(kW)",
        "pv1Power(kW)",
        "pv2Power(kW)",
        "generationPower(kW)",
        "feedinPower(kW)",
        "loadsPower(kW)",
        "gridConsumptionPower(kW)",
        "invTemperation(℃)",
    ]
    rows = [
        [
            time.strftime("%Y-%m-%d %H:%M:%S CEST+0200"),
            *(round(w * part, 3) for part in (1.03, 0.5, 0.53, 1.0, 0.6, 0.4, 0.0)),
            33.5,
        ]
        for time, w in zip(one.local(), one.watts / 1000, strict=True)
    ]
    return File("foxess.csv", _text([heads, *rows], ","), one, ("kW", "effekt", "start", "fil"))


@_file
def solarman() -> File:
    one = series(5)
    heads = [
        "Plant",
        "Updated Time",
        "Time Zone",
        "Production Power(W)",
        "Consumption Power(W)",
        "Grid Power(W)",
        "Cumulative Production (Active)(kWh)",
    ]
    rows = [
        ["Solveien 12", time.strftime("%Y/%m/%d %H:%M"), "UTC+02:00", round(w), 400, 0, round(total / 1000, 1)]
        for time, w, total in zip(one.local(), one.watts, one.counter, strict=False)
    ]
    return File("plant history.xlsx", _excel({"Detail Data": [heads, *rows]}), one, ("W", "effekt", "start", "+02:00"))


@_file
def apsystems_day() -> File:
    one = series(5, days=1)
    rows = [[time.strftime("%H:%M"), round(w)] for time, w in zip(one.local(), one.watts, strict=True)]
    return File("2024-06-03.csv", _text([["Time", "Power(W)"], *rows], ","), one, refused="dato")


@_file
def hoymiles() -> File:
    one = series(15)
    rows = [[time.strftime("%Y-%m-%d %H:%M"), f"{w:.1f}", ""] for time, w in zip(one.local(), one.watts, strict=True)]
    return File("S-Miles.csv", _text([["Date", "PV Power(W)", "Remarks"], *rows], ","), one, W)


@_file
def senec() -> File:
    one = series(5)
    heads = [
        "Uhrzeit",
        "Netzbezug [kW]",
        "Netzeinspeisung [kW]",
        "Stromverbrauch [kW]",
        "Akkubeladung [kW]",
        "Akkuentnahme [kW]",
        "Stromerzeugung [kW]",
        "Akku Spannung [V]",
    ]
    rows = [
        [time.strftime("%d.%m.%Y %H:%M:%S"), *(_comma(x, 6) for x in (0.1, w / 2000, 0.4, 0.0, 0.0, w / 1000, 52.1))]
        for time, w in zip(one.local(), one.watts, strict=True)
    ]
    return File("SENEC.csv", _text([heads, *rows]), one, KW)


@_file
def e3dc() -> File:
    one = series(15)
    heads = [
        "Zeitstempel",
        "Ladezustand [%]",
        "Batterie (laden) [W]",
        "Netzeinspeisung [W]",
        "Netzbezug [W]",
        "Solarproduktion Tracker 1 [W]",
        "Solarproduktion Tracker 2 [W]",
        "Solarproduktion [W]",
        "Hausverbrauch [W]",
    ]
    rows = [
        [time.strftime("%d.%m.%Y %H:%M:%S"), 80, 0, round(w / 2), 0, round(w * 0.4), round(w * 0.6), round(w), 400]
        for time, w in zip(one.local(), one.watts, strict=True)
    ]
    quoted = [[f'"{cell}"' for cell in row] for row in [heads, *rows]]
    return File("e3dc.csv", _text(quoted), one, W)


@_file
def solar_log_export() -> File:
    one = series(5)
    heads = [
        "#Datum",
        "Uhrzeit",
        "WR",
        "Pac",
        "DaySum",
        "Status",
        "Error",
        "Pdc1",
        "Udc1",
        "WR",
        "Pac",
        "DaySum",
        "Status",
        "Error",
        "Pdc1",
        "Udc1",
    ]
    rows = []
    for time, w, day in zip(one.local(ends=True), one.watts, one.today + one.wh, strict=True):
        both = [
            [number, round(w * part), round(day * part), 4, 0, round(w * part * 1.05), 410]
            for number, part in ((1, 0.4), (2, 0.6))
        ]
        rows.append([time.strftime("%d.%m.%y"), time.strftime("%H:%M:%S"), *both[0], *both[1]])
    return File("min_day.csv", _text([heads, *rows[::-1]]), one, ("W", "effekt", "slutt", "Europe/Oslo"))


@_file
def solar_log_native() -> File:
    one = series(5)
    lines = []
    for time, w, day in zip(one.local(ends=True), one.watts, one.today + one.wh, strict=True):
        if w == 0:
            continue
        both = "|".join(f"{w * part:.0f};{w * part * 1.05:.0f};{day * part:.0f};407" for part in (0.4, 0.6))
        lines.append(f'm[mi++]="{time:%d.%m.%y %H:%M:%S}|{both}"')
    return File("min_day.js", "\n".join(lines[::-1]).encode(), one, ("W", "effekt", "slutt", "Europe/Oslo"))


@_file
def hours_across() -> File:
    one = series(60)
    heads = ["Dato", *(f"{hour:02}-{hour + 1:02}" for hour in range(24)), "Sum"]
    rows = []
    for day in range(10):
        values = one.wh[24 * day : 24 * day + 24] / 1000
        rows.append([one.local()[24 * day].strftime("%d.%m.%Y"), *map(_comma, values), _comma(values.sum())])
    return File("timeverdier_kWh.csv", _text([["Solproduksjon, kWh"], heads, *rows], encoding="cp1252"), one, KWH)


@_file
def days_across() -> File:
    one = series(60)
    times = one.local()
    rows: list[list[Any]] = [["Klokke (kWh)", *(times[24 * day].strftime("%d.%m.%Y") for day in range(10))]]
    rows += [[hour, *(round(one.wh[24 * day + hour] / 1000, 3) for day in range(10))] for hour in range(24)]
    rows.append(["Sum", *(round(one.wh[24 * day : 24 * day + 24].sum() / 1000, 2) for day in range(10))])
    return File("uke.xlsx", _excel({"Produksjon": rows}), one, KWH)


@_file
def sheet_for_each_month() -> File:
    one = series(60, "2024-05-25", 14)
    sheets: dict[str, list[list[Any]]] = {}
    for time, wh in zip(one.local(), one.wh, strict=True):
        rows = sheets.setdefault(f"{time:%B}", [["Tid", "Energi (kWh)"]])
        rows.append([time.replace(tzinfo=None), round(wh / 1000, 3)])
    return File("2024.xlsx", _excel(sheets), one, KWH)


@_file
def narrow_blanks_as_thousands() -> File:
    one = series(60)
    rows = [
        [time.strftime(DMY), f"{wh:,.1f}".replace(",", "\u202f").replace(".", ",")]
        for time, wh in zip(one.local(), one.wh, strict=True)
    ]
    return File("eksport.csv", _text([["Tid", "Produsert (Wh)"], *rows]), one, WH)


@_file
def daily_sums() -> File:
    one = series(60, days=30)
    rows = [
        [f"{one.local()[24 * day]:%d.%m.%Y}", _comma(one.wh[24 * day : 24 * day + 24].sum() / 1000)]
        for day in range(30)
    ]
    return File("juni.csv", _text([["Dato", "Produksjon (kWh)"], *rows]), one, refused="én verdi per døgn")
