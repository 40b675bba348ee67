"""Every text that an answer can carry: Norwegian, except where the contract quotes English."""

GET_POINT = "GET: provide ?lat=&lon= or ?site=jegerveien."
OUTSIDE_COVERAGE = "Location outside Norway coverage (57-72N, 4-32E)"
INVALID_KEY = "Invalid API key"
NEEDS_PLAN = {
    "daily": "Daily stitched forecast requires Basic tier or higher",
    "extended": "Extended forecast requires Basic tier or higher",
}

NO_DATA = "No forecast data available"
NO_CYCLE = (
    f"{NO_DATA}: ingen prognose fra de siste {{hours:g}} timene for modellen {{model}}. Prøv igjen om noen minutter."
)
NOT_OPEN = (
    f"{NO_DATA} for model {{model}}: siste prognose åpnes nå, eller lar seg ikke lese. Prøv igjen om noen minutter."
)
NO_VARIABLE = (
    f"{NO_DATA} for model {{model}}: kilden ({{source}}) mangler det modellen trenger. "
    "Bruk model=v23b, eller prøv igjen senere."
)
NO_CELL = f"{NO_DATA} for this location: værmodellen dekker ikke punktet i denne kjøringen."
DAMAGED_CELL = f"{NO_DATA} for this location: de lagrede dataene er skadet. Prøv igjen om noen minutter."

UNKNOWN_PATH = "Ukjent adresse. Se /docs for adressene som finnes."
WRONG_METHOD = "Metoden {method} er ikke tillatt her. Tillatt: {allowed}."
TOO_LARGE = "Forespørselen er for stor."
BODY_TOO_LARGE = "Forespørselen er for stor: innholdet kan ha høyst {limit} byte."
BODY_TOO_SLOW = "Innholdet i forespørselen kom ikke fram innen {seconds:g} sekunder. Prøv igjen."
WRONG_MEDIA = "Innholdet må sendes som {media} (feltet Content-Type i hodet)."
MALFORMED = "Forespørselen er ikke gyldig HTTP, eller adressen eller et felt i hodet er for langt."
NOT_ACCEPTED = "Forespørselen kan ikke behandles."
INTERNAL = "Intern feil. Den er loggført. Prøv igjen senere."

REPEATED = "Parameteren {name} er oppgitt mer enn én gang."
NOT_A_NUMBER = "Parameteren {name} må være et tall, for eksempel 59.91."
NOT_A_FLAG = "Parameteren {name} må være true, 1, false eller 0."
NOT_A_CHOICE = "Parameteren {name} må være en av: {choices}."
INVALID_VALUE = "Parameteren {name} har en ugyldig verdi."
UNKNOWN_SITE = "Ukjent site. Gyldige verdier: {sites}."
ONE_PLACE = "Oppgi enten lat og lon, eller site, ikke begge deler."

INVALID_JSON = "Invalid JSON body"
INVALID_FORM = "Skjemaet lar seg ikke lese."
FIELD_MISSING = "Feltet {name} mangler."
FIELD_UNKNOWN = "Feltet {name} er ukjent."
FIELD_INVALID = "Feltet {name} har en ugyldig verdi."
FIELD_NOT_TEXT = "Feltet {name} må være tekst."
FIELD_NOT_A_NUMBER = "Feltet {name} må være et tall."
FIELD_NOT_WHOLE = "Feltet {name} må være et heltall."
FIELD_NOT_A_FLAG = "Feltet {name} må være true eller false."
FIELD_NOT_A_LIST = "Feltet {name} må være en liste."
FIELD_NOT_AN_OBJECT = "Feltet {name} må være et objekt."
FIELD_NOT_A_CHOICE = "Feltet {name} må være en av: {expected}."
FIELD_GREATER = "Feltet {name} må være større enn {gt}."
FIELD_AT_LEAST = "Feltet {name} må være minst {ge}."
FIELD_LESS = "Feltet {name} må være mindre enn {lt}."
FIELD_AT_MOST = "Feltet {name} må være høyst {le}."
FIELD_TOO_SHORT = "Feltet {name} må ha minst {min_length} tegn."
FIELD_TOO_LONG = "Feltet {name} kan ha høyst {max_length} tegn."
FIELD_TOO_FEW = "Feltet {name} må ha minst {min_length} verdier."
FIELD_TOO_MANY = "Feltet {name} kan ha høyst {max_length} verdier."
