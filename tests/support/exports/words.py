"""Headings and words of seven languages, as portals and grid companies write them."""

MONTHS = {
    "no": "januar februar mars april mai juni juli august september oktober november desember",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "da": "januar februar marts april maj juni juli august september oktober november december",
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
}
SHORT_MONTHS = {
    "no": "jan feb mar apr mai jun jul aug sep okt nov des",
    "sv": "jan feb mar apr maj jun jul aug sep okt nov dec",
    "da": "jan feb mar apr maj jun jul aug sep okt nov dec",
    "en": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "de": "Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    "nl": "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "fr": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
}
WEEKDAYS = {
    "no": "man. tir. ons. tor. fre. lør. søn.",
    "sv": "mån tis ons tors fre lör sön",
    "da": "man. tir. ons. tor. fre. lør. søn.",
    "en": "Mon Tue Wed Thu Fri Sat Sun",
    "de": "Mo Di Mi Do Fr Sa So",
    "nl": "ma di wo do vr za zo",
    "fr": "lun. mar. mer. jeu. ven. sam. dim.",
}

_HEADS = {
    "tid": {
        "no": "Tid|Tidspunkt|Dato og tid|Tidsstempel|Dato/klokkeslett", "sv": "Tid|Tidpunkt|Datum och tid|Datum",
        "da": "Tid|Tidspunkt|Dato|Dato og klokkeslæt", "en": "Time|Timestamp|Date/Time|Date and time|Datetime|DateTime",
        "de": "Zeit|Zeitpunkt|Datum und Uhrzeit|Zeitstempel|Datum", "nl": "Tijd|Tijdstip|Datum en tijd|Datum",
        "fr": "Heure|Date et heure|Horodatage|Date",
    },
    "dato": {"no": "Dato", "sv": "Datum", "da": "Dato", "en": "Date", "de": "Datum", "nl": "Datum", "fr": "Date|Jour"},
    "klokke": {
        "no": "Klokkeslett|Tid|Kl.", "sv": "Tid|Klockslag", "da": "Klokkeslæt|Tid", "en": "Time|Time of day", "de": "Uhrzeit|Zeit",
        "nl": "Tijd|Uur", "fr": "Heure",
    },
    "time_nr": {"no": "Time", "sv": "Timme", "da": "Time", "en": "Hour", "de": "Stunde", "nl": "Uur", "fr": "Heure"},
    "fra": {
        "no": "Fra|Fra tid|Starttid|Periode start", "sv": "Från|Starttid|Från tid", "da": "Fra|Starttidspunkt|Fra_dato",
        "en": "From|Start|Start time|Period start|Interval start", "de": "Von|Beginn|Startzeit", "nl": "Van|Begintijd|Start",
        "fr": "Début|De|Heure de début",
    },
    "til": {
        "no": "Til|Til tid|Slutttid|Periode slutt", "sv": "Till|Sluttid|Till tid", "da": "Til|Sluttidspunkt|Til_dato",
        "en": "To|End|End time|Period end|Interval end", "de": "Bis|Ende|Endzeit", "nl": "Tot|Eindtijd|Einde", "fr": "Fin|À|Heure de fin",
    },
    "energi": {
        "no": "Produksjon|Energi|Produsert energi|Solproduksjon|Solenergi|Produsert|Strømproduksjon",
        "sv": "Produktion|Energi|Producerad energi|Solelproduktion|Producerat|Solel",
        "da": "Produktion|Energi|Produceret energi|Solproduktion|Produceret",
        "en": "Energy|Production|Energy produced|PV generation|Yield|Solar production|Generation|PV yield",
        "de": "Ertrag|Erzeugung|Energie|PV-Erzeugung|Produktion|Solarertrag|Stromerzeugung",
        "nl": "Opbrengst|Productie|Energie|Opgewekt|Zonne-energie|Opwek", "fr": "Production|Énergie|Énergie produite|Production solaire",
    },
    "effekt": {
        "no": "Effekt|AC-effekt|Produksjonseffekt|Soleffekt|Effekt AC|Ytelse", "sv": "Effekt|AC-effekt|Soleffekt|Aktiv effekt",
        "da": "Effekt|AC-effekt|Aktuel effekt|Soleffekt", "en": "Power|AC power|PV power|Active power|Output power|Solar power|Pac",
        "de": "Leistung|AC-Leistung|PV-Leistung|Wirkleistung|Solarleistung|Pac", "nl": "Vermogen|AC-vermogen|PV-vermogen|Actueel vermogen",
        "fr": "Puissance|Puissance AC|Puissance PV|Puissance active",
    },
    "teller": {
        "no": "Total produksjon|Målerstand|Totalt produsert|Akkumulert energi|Energi totalt", "sv": "Total produktion|Mätarställning|Total energi",
        "da": "Total produktion|Tællerstand|Samlet produktion", "en": "Total energy|Lifetime energy|Total yield|Meter reading|Cumulative energy|E-Total",
        "de": "Gesamtertrag|Zählerstand|Gesamtenergie|E-Total", "nl": "Totale opbrengst|Meterstand|Totale energie",
        "fr": "Énergie totale|Production cumulée|Index",
    },
    "dagteller": {
        "no": "Produksjon i dag|Dagens produksjon|Energi i dag|Dagsproduksjon", "sv": "Dagens produktion|Energi idag|Dagsproduktion",
        "da": "Dagens produktion|Energi i dag", "en": "Daily yield|Energy today|Today's production|E-Today|Daily energy",
        "de": "Tagesertrag|Energie heute|Ertrag heute", "nl": "Dagopbrengst|Opbrengst vandaag", "fr": "Énergie du jour|Production du jour",
    },
    "forbruk": {
        "no": "Forbruk|Totalt forbruk|Husforbruk", "sv": "Förbrukning|Total förbrukning|Konsumtion", "da": "Forbrug|Samlet forbrug",
        "en": "Consumption|Load|Home consumption|Total consumption|Energy consumed", "de": "Verbrauch|Hausverbrauch|Gesamtverbrauch",
        "nl": "Verbruik|Totaal verbruik", "fr": "Consommation|Consommation totale",
    },
    "innmating": {
        "no": "Innmating|Solgt til nett|Matet inn|Solgt", "sv": "Inmatning|Såld el|Export till nät|Överskott", "da": "Solgt til nettet|Eksport|Levering til net",
        "en": "Feed-in|Exported to grid|Grid export|Export|Sold", "de": "Einspeisung|Netzeinspeisung|Eingespeist",
        "nl": "Teruglevering|Levering aan net|Injectie", "fr": "Injection|Export réseau|Énergie injectée",
    },
    "uttak": {
        "no": "Uttak fra nett|Kjøpt fra nett|Import|Kjøpt", "sv": "Uttag|Köpt el|Import från nät", "da": "Køb fra nettet|Import",
        "en": "Grid import|Imported from grid|Purchased energy|Import", "de": "Netzbezug|Bezug", "nl": "Afname|Levering van net", "fr": "Soutirage|Achat réseau",
    },
    "lading": {
        "no": "Batteri ladet|Batterilading", "sv": "Batteri laddat|Laddning", "da": "Batteri opladning", "en": "Battery charge|Charged to battery",
        "de": "Batterieladung|Akku Beladung", "nl": "Batterij geladen", "fr": "Charge batterie",
    },
    "soc": {"no": "Batterinivå", "sv": "Batterinivå", "da": "Batteriniveau", "en": "SOC|State of charge", "de": "Ladezustand|SOC", "nl": "SOC", "fr": "SOC"},
    "dc": {"no": "DC-effekt|Effekt DC", "sv": "DC-effekt", "da": "DC-effekt", "en": "DC power|Pdc|Input power", "de": "DC-Leistung|Pdc", "nl": "DC-vermogen", "fr": "Puissance DC"},
    "fase": {"no": "Effekt L|Fase ", "sv": "Effekt L|Fas ", "da": "Effekt L|Fase ", "en": "Power L|Phase ", "de": "Leistung L|Phase ", "nl": "Vermogen L|Fase ", "fr": "Puissance L|Phase "},
    "spenning": {"no": "Spenning|Nettspenning", "sv": "Spänning|Nätspänning", "da": "Spænding", "en": "Voltage|Grid voltage|Uac", "de": "Spannung|Netzspannung", "nl": "Spanning|Netspanning", "fr": "Tension"},
    "temp": {"no": "Temperatur|Utetemperatur", "sv": "Temperatur", "da": "Temperatur", "en": "Temperature|Inverter temperature", "de": "Temperatur|Innentemperatur", "nl": "Temperatuur", "fr": "Température"},
    "straaling": {"no": "Innstråling|Solinnstråling", "sv": "Instrålning|Solinstrålning", "da": "Indstråling", "en": "Irradiance|Irradiation", "de": "Einstrahlung|Globalstrahlung", "nl": "Instraling", "fr": "Irradiation|Ensoleillement"},
    "sum": {"no": "Sum|Totalt|Total", "sv": "Summa|Totalt", "da": "Total|I alt", "en": "Total|Sum", "de": "Summe|Gesamt|Total", "nl": "Totaal|Som", "fr": "Total|Somme"},
    "snitt": {"no": "Gjennomsnitt|Snitt", "sv": "Medel", "da": "Gennemsnit", "en": "Average|Mean", "de": "Mittelwert|Durchschnitt", "nl": "Gemiddelde", "fr": "Moyenne"},
    "maks": {"no": "Maks", "sv": "Max", "da": "Maks", "en": "Maximum|Max", "de": "Maximum", "nl": "Maximum", "fr": "Maximum"},
    "vekselretter": {"no": "Vekselretter|Omformer|Inverter", "sv": "Växelriktare|Inverter", "da": "Inverter|Vekselretter", "en": "Inverter|Device|Device name", "de": "Wechselrichter|Gerät", "nl": "Omvormer", "fr": "Onduleur"},
    "register": {"no": "Måletype|Retning", "sv": "Register|Typ", "da": "Type of MP|Måletype", "en": "Register|Type|Channel", "de": "Register|Kanal", "nl": "Register", "fr": "Registre|Type"},
    "enhet": {"no": "Enhet|Måleenhet", "sv": "Enhet", "da": "Enhed|Måleenhed", "en": "Unit|Units", "de": "Einheit", "nl": "Eenheid", "fr": "Unité"},
    "verdi": {"no": "Verdi|Mengde|Volum", "sv": "Värde|Mängd", "da": "Værdi|Mængde", "en": "Value|Quantity|Reading", "de": "Wert|Messwert", "nl": "Waarde|Volume", "fr": "Valeur"},
    "status": {"no": "Status|Kvalitet", "sv": "Status|Kvalitet", "da": "Kvalitet|Status", "en": "Status|Quality", "de": "Status|Qualität", "nl": "Status", "fr": "Statut|Qualité"},
}  # fmt: skip

_LABELS = {
    "anlegg": {"no": "Anlegg", "sv": "Anläggning", "da": "Anlæg", "en": "Plant", "de": "Anlage", "nl": "Installatie", "fr": "Installation"},
    "periode": {"no": "Periode", "sv": "Period", "da": "Periode", "en": "Period", "de": "Zeitraum", "nl": "Periode", "fr": "Période"},
    "rapport": {"no": "Produksjonsrapport", "sv": "Produktionsrapport", "da": "Produktionsrapport", "en": "Production report", "de": "Ertragsbericht", "nl": "Opbrengstrapport", "fr": "Rapport de production"},
    "serie": {"no": "Serienummer", "sv": "Serienummer", "da": "Serienummer", "en": "Serial number", "de": "Seriennummer", "nl": "Serienummer", "fr": "Numéro de série"},
    "installert": {"no": "Installert effekt", "sv": "Installerad effekt", "da": "Installeret effekt", "en": "Installed capacity", "de": "Anlagenleistung", "nl": "Geïnstalleerd vermogen", "fr": "Puissance installée"},
    "tidssone": {"no": "Tidssone", "sv": "Tidszon", "da": "Tidszone", "en": "Time zone", "de": "Zeitzone", "nl": "Tijdzone", "fr": "Fuseau horaire"},
    "enhet": {"no": "Enhet", "sv": "Enhet", "da": "Enhed", "en": "Unit", "de": "Einheit", "nl": "Eenheid", "fr": "Unité"},
    "laget": {"no": "Eksportert", "sv": "Exporterad", "da": "Eksporteret", "en": "Exported", "de": "Erstellt am", "nl": "Geëxporteerd", "fr": "Exporté le"},
    "omstart": {"no": "Omstart av logger", "sv": "Omstart av logger", "da": "Genstart af logger", "en": "Logger restarted", "de": "Neustart des Loggers", "nl": "Logger herstart", "fr": "Redémarrage de l'enregistreur"},
}  # fmt: skip


def heads(role: str, language: str) -> list[str]:
    """Return the headings of a role in a language."""
    return _HEADS[role][language].split("|")


def label(name: str, language: str) -> str:
    """Return a word of title rows."""
    return _LABELS[name][language]
