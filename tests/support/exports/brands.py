"""Headings of real portals, loggers and grid companies. `<...>` holds the unit and is left out where a file has none."""

from typing import NamedTuple


class Brand(NamedTuple):
    """One kind of export; headings by role."""

    name: str
    time: str
    language: str
    values: dict[str, str]
    beside: dict[str, str]
    times: tuple[str, ...] = ()
    file: str = "export"


BRANDS = (
    Brand("Fronius Solar.web", "Dato og tid", "no", {"energi": "Energi| PV-produksjon< [{u}]>", "effekt": "Produksjon< [{u}]>"},
          {"forbruk": "Forbruk< [{u}]>", "innmating": "Energi matet inn i nettet< [{u}]>", "uttak": "Energi kjøpt fra nettet< [{u}]>"}, ("dmy hm",), "Solar.web_Export"),
    Brand("Fronius Solar.web", "Date and time", "en", {"energi": "PV production< [{u}]>", "effekt": "Power | PV system< [{u}]>"},
          {"forbruk": "Consumption< [{u}]>", "innmating": "Energy to grid< [{u}]>", "uttak": "Energy from grid< [{u}]>", "lading": "Energy to battery< [{u}]>"}, ("dmy hm",), "Solar.web_Export"),
    Brand("SMA Sunny Portal", "Zeitraum", "de", {"energi": "Gesamtertrag<[{u}]>", "effekt": "Leistung< [{u}]>", "teller": "Zählerstand Gesamtertrag< [{u}]>"},
          {"forbruk": "Gesamtverbrauch< [{u}]>", "innmating": "Netzeinspeisung< [{u}]>", "uttak": "Netzbezug< [{u}]>", "straaling": "Einstrahlung"}, (), "Energie_und_Leistung"),
    Brand("SMA Sunny Portal", "Time", "en", {"energi": "SN: 3004512345 / Yield< / {u}>", "effekt": "Power / Mean Values< [{u}]>", "teller": "Metering.TotWhOut< [{u}]>"},
          {"forbruk": "Consumption< [{u}]>", "innmating": "Feed-in< [{u}]>", "spenning": "GridMs.PhV.phsA", "temp": "Coolsys.Inverter.TmpVal", "dc": "DcMs.Watt"}, ("dmy hms",), "SUNNY_TRIPOWER"),
    Brand("SolarEdge", "Time", "en", {"energi": "System Production< ({u})>", "effekt": "System Power< ({u})>", "teller": "Energy (lifetime)< ({u})>"},
          {"forbruk": "Consumption< ({u})>", "innmating": "Export< ({u})>", "uttak": "Import< ({u})>", "fase": "AC Power L"}, ("mdy hm", "iso hms", "dmy/ hm"), "Site_energy"),
    Brand("Huawei FusionSolar", "Statistical Period", "en", {"energi": "PV Yield< ({u})>", "effekt": "Active power<({u})>", "teller": "Total yield<({u})>", "dagteller": "Yield today<({u})>"},
          {"forbruk": "Consumption< ({u})>", "innmating": "Feed-in to grid< ({u})>", "uttak": "Energy purchased from grid< ({u})>", "straaling": "Global irradiation (W/㎡)", "dc": "Total input power(kW)", "temp": "Internal temperature(℃)"}, ("iso hms",), "Plant Report"),
    Brand("Growatt", "Time", "en", {"energi": "Energy<({u})>", "effekt": "Pac<({u})>", "teller": "Eac_total<({u})>", "dagteller": "Eac_today<({u})>"},
          {"dc": "Ppv(W)", "spenning": "Vac1(V)", "temp": "Temperature(℃)"}, ("iso hms",), "Inverter History Data"),
    Brand("GoodWe SEMS", "Time", "en", {"energi": "PV Generation<({u})>", "effekt": "PV<({u})>", "teller": "Total Generation<({u})>", "dagteller": "Generation Today<({u})>"},
          {"forbruk": "Load<({u})>", "innmating": "Sell<({u})>", "uttak": "Buy<({u})>", "lading": "Battery<({u})>", "soc": "SOC(%)"}, ("dmy hms", "iso hms"), "Plant_Power"),
    Brand("Sungrow iSolarCloud", "Time", "en", {"energi": "PV<({u})>", "effekt": "PV Power<({u})>", "teller": "Total Yield<({u})>", "dagteller": "Daily Yield<({u})>"},
          {"forbruk": "Load<({u})>", "innmating": "Feed-in<({u})>", "uttak": "Purchased Energy<({u})>"}, ("iso hm", "iso hms"), "Plant_Report"),
    Brand("Sungrow iSolarCloud", "Zeit", "de", {"energi": "PV-Ertrag<({u})>", "effekt": "PV-Leistung<({u})>", "dagteller": "Tagesertrag<({u})>"},
          {"forbruk": "Gesamtverbrauch<({u})>", "innmating": "Einspeisung<({u})>", "uttak": "Netzbezug<({u})>"}, ("iso hms",), "Tagesbericht"),
    Brand("Enphase", "Date/Time", "en", {"energi": "Energy Produced< ({u})>", "effekt": "Power Produced< ({u})>"},
          {"forbruk": "Energy Consumed< ({u})>", "innmating": "Exported to Grid< ({u})>", "uttak": "Imported from Grid< ({u})>"}, ("mdy hm",), "custom_report"),
    Brand("Solis Cloud", "Time", "en", {"effekt": "Total AC Output Power (Active)<({u})>", "energi": "Yield<({u})>", "teller": "Total Yield<({u})>", "dagteller": "Today Yield<({u})>"},
          {"dc": "Total DC Input Power(W)", "spenning": "A phase Voltage(V)", "temp": "Inverter Temperature(℃)"}, ("iso hms",), "Inverter_Detail"),
    Brand("KOSTAL", "Zeit", "de", {"effekt": "AC Leistung< [{u}]>", "energi": "Ertrag< [{u}]>", "teller": "Gesamtertrag< [{u}]>", "dagteller": "Tagesertrag< [{u}]>"},
          {"forbruk": "Hausverbrauch< [{u}]>", "spenning": "AC1 U", "dc": "DC1 P", "fase": "AC P L"}, ("dmy hms",), "LogDaten"),
    Brand("Victron VRM", "timestamp", "en", {"effekt": "PV Inverter - Power< ({u})>", "energi": "Solar yield< ({u})>", "teller": "PV Inverter - Energy< ({u})>"},
          {"forbruk": "AC Consumption L1< ({u})>", "soc": "State of charge (%)", "spenning": "Voltage (V)"}, ("iso hms",), "log"),
    Brand("Tibber", "from", "en", {"energi": "production"}, {"forbruk": "consumption"}, ("iso offset",), "tibber"),
    Brand("Otovo", "Tidspunkt", "no", {"energi": "Solproduksjon<, {u}>", "effekt": "Produksjon nå<, {u}>"}, {"forbruk": "Forbruk<, {u}>", "innmating": "Solgt til nettet<, {u}>"}, ("iso hm", "dmy hm"), "produksjon"),
    Brand("Elvia", "Fra", "no", {"energi": "Produksjon< ({u})>"}, {"uttak": "Forbruk< ({u})>", "status": "Kvalitet"}, ("dmy hm", "iso offset"), "meteringvalues-mp"),
    Brand("Norgesnett", "Fra tid", "no", {"energi": "Produsert<, {u}>"}, {"uttak": "Forbruk<, {u}>", "status": "Status"}, ("dmy hm",), "maaleverdier"),
    Brand("Elhub", "Start", "no", {"energi": "Produksjon< {u}>"}, {"uttak": "Forbruk< {u}>", "status": "Kvalitet"}, ("iso offset",), "Elhub_timeverdier"),
    Brand("Ellevio", "Datum", "sv", {"energi": "Produktion<, {u}>"}, {"forbruk": "Förbrukning<, {u}>"}, ("iso hm",), "matvarden"),
    Brand("Eloverblik", "Fra_dato", "da", {"energi": "Produktion< ({u})>"}, {"status": "Kvalitet"}, ("dmy- hm",), "MeterData"),
    Brand("Home Assistant", "last_changed", "en", {"effekt": "sensor.pv_power<_{u}>", "energi": "sensor.solar_energy<_{u}>", "teller": "sensor.pv_total_energy<_{u}>", "dagteller": "sensor.pv_energy_today<_{u}>"},
          {"forbruk": "sensor.house_load<_{u}>", "temp": "sensor.outdoor_temperature"}, ("iso z",), "history"),
    Brand("Shelly", "timestamp", "en", {"energi": "a_total_act_energy", "effekt": "a_avg_power<_{u}>"}, {"spenning": "a_avg_voltage"}, ("epoch s", "iso z"), "emdata"),
    Brand("Solar-Log", "Datum", "de", {"effekt": "Pac<_{u}>", "teller": "Zählerstand< {u}>", "dagteller": "DaySum<_{u}>", "energi": "Ertrag< {u}>"},
          {"dc": "Pdc1", "spenning": "Udc1", "temp": "Temp"}, ("dmy2 hms",), "min"),
    Brand("Ferroamp", "Tidpunkt", "sv", {"energi": "Solproduktion<, {u}>", "effekt": "Solceller<, {u}>"}, {"forbruk": "Förbrukning<, {u}>", "innmating": "Export till nät<, {u}>", "uttak": "Import från nät<, {u}>"}, ("iso hm",), "energihubb"),
    Brand("Sofar", "Time", "en", {"effekt": "ActivePower_Output_Total<({u})>", "teller": "Total Production<({u})>", "dagteller": "Daily Production<({u})>"},
          {"dc": "Power_PV1(kW)", "spenning": "Voltage_Phase_R(V)", "temp": "Temperature_Env1(℃)"}, ("iso hms",), "Device_Data"),
    Brand("Fox ESS", "Time", "en", {"effekt": "Output Power<({u})>", "energi": "PV Production<({u})>", "teller": "Total Yield<({u})>", "dagteller": "Today Yield<({u})>"},
          {"forbruk": "Load Power<({u})>", "innmating": "Feed-in Power<({u})>", "soc": "SoC(%)"}, ("iso hms",), "history_data"),
    Brand("Hoymiles", "Tijd", "nl", {"effekt": "Vermogen<({u})>", "energi": "Opbrengst<({u})>", "dagteller": "Dagopbrengst<({u})>"}, {"forbruk": "Verbruik<({u})>"}, ("dmy- hm", "iso hm"), "productie"),
    Brand("Envoy FR", "Date/Heure", "fr", {"energi": "Énergie produite< ({u})>", "effekt": "Puissance produite< ({u})>"}, {"forbruk": "Énergie consommée< ({u})>", "innmating": "Exportée vers le réseau< ({u})>"}, ("dmy/ hm",), "rapport"),
)  # fmt: skip
