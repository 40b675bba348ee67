"""Every text that an answer can carry: Norwegian, except where the contract quotes English."""

GET_POINT = "GET: provide ?lat=&lon= or ?site=jegerveien."
OUTSIDE_COVERAGE = "Location outside Norway coverage (57-72N, 4-32E)"
INVALID_KEY = "Invalid API key"
NEEDS_PLAN = {
    "daily": "Daily stitched forecast requires Basic tier or higher",
    "extended": "Extended forecast requires Basic tier or higher",
}

TOO_MUCH_POWER = 'Tier "{tier}" tillater maks {limit:g} kWp per anlegg (oppgitt: {kwp:g} kWp).'
TOO_MANY_SYSTEMS = 'Tier "{tier}" tillater maks {limit} anlegg per kall (oppgitt: {systems}).'
ANONYMOUS_REQUESTS_USED = (
    "Daglig grense for forespørsler uten nøkkel ({limit}/day) er brukt opp for denne IP-adressen. "
    "Telleren nullstilles kl. 00:00 UTC. En gratis nøkkel gir mer: POST /api/register."
)
TMY_REQUESTS_USED = (
    "Daglig grense for TMY-forespørsler ({limit}/day) er brukt opp for denne IP-adressen. "
    "Telleren nullstilles kl. 00:00 UTC."
)
PLAN_REQUESTS_USED = (
    "Daglig grense for forespørsler ({limit}/day) er brukt opp for planen {plan}. Telleren nullstilles kl. 00:00 UTC."
)
PLANTS_USED = (
    "Dagskvoten for anlegg ({limit} ulike koordinater per døgn) er brukt opp. Koordinater som er brukt i dag kan "
    "spørres igjen. Telleren nullstilles kl. 00:00 UTC."
)
ANONYMOUS_PLANTS_USED = f"{PLANTS_USED} En gratis nøkkel gir mer: POST /api/register."
NO_COUNTING = "Kvoten kan ikke sjekkes akkurat nå. Prøv igjen om litt."
NO_PLANT = "Anlegget finnes ikke: registrering av anlegg (anlegg_id) er ikke åpnet ennå. Oppgi arrays i stedet."

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
NO_WEATHER = f"{NO_DATA} for production: kilden ({{source}}) mangler {{variable}}. Prøv igjen senere."
NO_WIND = f"{NO_DATA} for precise production: kilden mangler wind_speed. Bruk precise=false, eller prøv igjen senere."
NO_HORIZON = (
    f"{NO_DATA} for precise production: horisonten her lar seg ikke lese. Bruk precise=false, eller prøv igjen senere."
)
NO_TURBIDITY = (
    f"{NO_DATA} beyond the weather model: klarhimmelkartet er ikke publisert ennå. Prøv igjen om noen minutter."
)
EXTERNAL_FAILED = "Den eksterne værtjenesten svarer ikke som den skal, og ferske data mangler. Prøv igjen om litt."
NO_CELL = f"{NO_DATA} for this location: værmodellen dekker ikke punktet i denne kjøringen."
DAMAGED_CELL = f"{NO_DATA} for this location: de lagrede dataene er skadet. Prøv igjen om noen minutter."

TMY_POINT = "Oppgi lat og lon som tall, for eksempel lat=59.91&lon=10.75."
TMY_OUTSIDE = "Punktet ligger utenfor dekningsområdet for TMY-data (lat 57 til 71.5, lon 4 til 31.5)."
TMY_PERIOD = (
    "Kombinasjonen source={source} og period={period} finnes ikke: period=18 (2008-2025) finnes bare for "
    "source=reanalysis. Gyldige kombinasjoner: {choices}."
)
TMY_CONTRADICTION = (
    "product={product} stemmer ikke med {given}: det er source={source} og period={period}. Oppgi enten product, eller "
    "source og period."
)
TMY_NO_CELL = "Ingen TMY-celle innen 6 km: punktet ligger utenfor masken for fastlands-Norge."
TMY_NO_PRODUCT = "Produktet {product} er ikke tilgjengelig for denne cellen. Her finnes: {choices}."
TMY_UNAVAILABLE = "TMY-data er ikke tilgjengelige"
TMY_NOT_PUBLISHED = (
    f"{TMY_UNAVAILABLE}: produktet «{{product}}» er ikke publisert, eller lar seg ikke åpne. Den som drifter "
    "tjenesten, må bygge det."
)
TMY_BEING_PUBLISHED = (
    f"{TMY_UNAVAILABLE}: {{product}} og statistikken er ikke fra samme bygging, en ny er under publisering. "
    "Prøv igjen om noen sekunder."
)
TMY_BUSY = "Akkurat nå lastes det ned for mange TMY-filer på én gang. Prøv igjen om litt."
TMY_NOT_BUILT = (
    f"{TMY_UNAVAILABLE} for denne cellen: produktet «{{product}}» er ikke bygd her ennå. Den som drifter tjenesten, må "
    "bygge det."
)
TMY_DAMAGED = f"{TMY_UNAVAILABLE} for denne cellen: de lagrede dataene er skadet. Det er loggført. Prøv igjen senere."
TMY_NO_TARGET = (
    "Langtidsverdien {confidence} er ikke tilgjengelig for {product} i denne cellen. Bruk confidence=tmy, eller prøv "
    "igjen senere."
)

AZIMUTH_FROM_SOUTH = "Retningen er regnet fra sør: 0 = sør, -90 = øst, 90 = vest, 180 = nord."
PV_ARRAYS = (
    "Parameteren arrays må være 1 til {most} flater, hver som kwp:angle:azimuth, atskilt med komma, for eksempel "
    "5:35:-90,3:20:90."
)
PV_SURFACE = f"{PV_ARRAYS} Flate {{number}}: {{what}}"
PV_THREE_NUMBERS = "den må ha tre tall med kolon mellom."
PV_SURFACE_RANGE = "{name} må være et tall fra {low} til {high}."
PV_OPTIMIZE_ARRAYS = (
    "Parameteren optimize={optimize} kan ikke brukes sammen med arrays: bare én flate kan optimeres. Oppgi peakpower, "
    "angle og aspect i stedet."
)
PV_ALIAS = "Parameterne {name} og {alias} er to navn på det samme, og er oppgitt med ulike verdier. Oppgi bare én."
PV_NO_TARGET = (
    "Langtidsverdien {confidence} er ikke tilgjengelig for {product} i denne cellen. Velg en annen confidence, eller "
    "prøv igjen senere."
)
PV_NO_HORIZON = (
    "Horisonten for dette punktet er ikke tilgjengelig: den lar seg ikke lese. Bruk horizon=0, eller prøv igjen senere."
)
PV_NO_SNOW = "{why} Bruk snowloss=0 for produksjonen uten tap av snø."
PV_ALBEDO = "må være tile (stedets albedo for hver måned) eller et tall fra 0 til 1, for eksempel albedo=0.2."
PV_NO_ALBEDO = (
    "Albedo for denne cellen er skadet der den er lagret. Det er loggført. Bruk albedo=0.2 for produksjonen uten den."
)
PV_BUSY = "Akkurat nå beregnes det for mange anlegg på én gang. Prøv igjen om litt."

SNOW_FAILED = (
    "Snødata kan ikke hentes fra vannmyndigheten (NVE) akkurat nå, og er ikke lagret for denne cellen. Prøv igjen om "
    "litt."
)
SNOW_FORECAST_FAILED = (
    "Snøprognosen kan ikke hentes fra vannmyndigheten (NVE) akkurat nå, og er ikke lagret for denne cellen. Prøv igjen "
    "om litt."
)
SNOW_NO_CELL = "Snødata kan ikke hentes: fant ingen celle med snødata innen 5 km fra punktet hos vannmyndigheten (NVE)."
SNOW_NOTHING = "Snødata kan ikke hentes: vannmyndigheten (NVE) har ingen hele måneder fra {start} for denne cellen."
SNOW_FORECAST_NOTHING = "Snøprognosen kan ikke hentes: vannmyndigheten (NVE) har ingen verdier for denne cellen nå."
SNOW_DAMAGED = "Snødata for denne cellen er skadet der de er lagret. Det er loggført. Prøv igjen senere."
SNOW_NO_HORIZON = (
    "Horisonten for dette punktet er ikke tilgjengelig: den lar seg ikke lese. Det er loggført. Prøv igjen senere."
)
SNOW_BUSY = "Akkurat nå beregnes snø for mange steder på én gang. Prøv igjen om litt."

SNOWLOAD_POINT = "Oppgi lat og lon, eller x og y (UTM 33), for eksempel lat=59.91&lon=10.75 eller x=262500&y=6649500."
SNOWLOAD_OUTSIDE = "Punktet ligger utenfor Norge (57-72N, 4-32E)."
SNOWLOAD_METRES = "Parameteren {name} må være et heltall: meter i UTM 33 (EPSG:25833)."
SNOWLOAD_GRID = "Parameteren {name} må være 1, 3 eller 5."
SNOWLOAD_PERIOD = "Parameteren {name} må være 20, 50 eller 100."
SNOWLOAD_START = "Parameteren {name} må være en dato på formen YYYY-M-D, for eksempel 1991-9-1."
SNOWLOAD_LATE = (
    "Parameteren start må være en dato på formen YYYY-M-D, og senest {latest}: en serie trenger minst {least} hele "
    "vintre (september til august)."
)
SNOWLOAD_CELLS = (
    "Parameteren {name} må være en liste av x_y-par: midtpunkter i UTM 33, atskilt med komma, høyst {most}, for "
    "eksempel 262500_6649500,263500_6649500."
)
SNOWLOAD_NO_CELL = "Ingen celler kunne beregnes. Se cell_errors for hvorfor."
SNOWLOAD_NO_PICTURE = "Bildet viser midtcellen, og den kunne ikke beregnes: {why}"
SNOWLOAD_BUSY = "Akkurat nå beregnes snølast for mange steder på én gang. Prøv igjen om litt."
SNOWLOAD_CELL_OUTSIDE = "Cellen ligger utenfor vannmyndighetens (NVE) rutenett."
SNOWLOAD_CELL_NONE = (
    "Vannmyndigheten (NVE) har ingen snødata for cellen: den ligger i sjøen eller utenfor Norge. Velg et punkt eller "
    "celler (cells) på land."
)
SNOWLOAD_CELL_FAILED = (
    "Cellens snødata er ikke bygd eller lagret, og kan ikke hentes fra vannmyndigheten (NVE) akkurat nå. Prøv igjen om "
    "litt."
)
SNOWLOAD_CELL_DAMAGED = "Cellens snødata er skadet der de er lagret. Det er loggført."
SNOWLOAD_CELL_EMPTY = "Cellen har ingen hele vintre fra {start}."
SNOWLOAD_CELL_SHORT = "Cellen har bare {n} hele vintre fra {start}, og trenger minst {least}."

HORIZON_POINT = "Oppgi lat og lon som tall, for eksempel lat=59.91&lon=10.75."
HORIZON_OUTSIDE = "Punktet ligger utenfor dekningsområdet for horisont (lat 57 til 72, lon 4 til 32)."
HORIZON_NO_TILE = "Ingen terrengflis for dette punktet"
HORIZON_NOT_PUBLISHED = (
    f"{HORIZON_NO_TILE}: ingen horisont er publisert ennå. Den som drifter tjenesten, må bygge den "
    "(solflis build horizon)."
)
HORIZON_OFF_GRID = (
    f"{HORIZON_NO_TILE}: det ligger utenfor rutenettet for Norge, i havet eller i et naboland. {{nearest}}"
)
HORIZON_NOT_BUILT = (
    f"{HORIZON_NO_TILE}: flisen {{tile_key}} er ikke bygd. Det er sjø, naboland, eller land som ikke er bygd ennå. "
    "{nearest}"
)
HORIZON_NO_GROUND = (
    f"{HORIZON_NO_TILE}: flisen {{tile_key}} er bygd, men ikke akkurat der. Det er helst sjø, naboland, eller et hull "
    "i terrengmodellen. Prøv et punkt på land i nærheten."
)
HORIZON_NEAREST = "Nærmeste bygde flis er {tile_key}, {km:.0f} km unna, rundt lat={lat:.4f}&lon={lon:.4f}."
HORIZON_DAMAGED = (
    "Horisonten for dette punktet er ikke tilgjengelig: den er publisert, men lar seg ikke lese. Det er loggført. "
    "Prøv igjen senere."
)
HORIZON_BUSY = "Akkurat nå skrives det for mange horisonter på én gang. Prøv igjen om litt."

ROOFTOP_BINARY = "format=binary finnes bare på nivå 1 (GET /api/horizon/terrain). Her: {choices}."
ROOFTOP_NEAR_ALONE = "Med include_tier1=false svarer nærfeltet alene."
ROOFTOP_NO_HEIGHTS = "Her finnes ingen høydedata: punktet ligger i sjøen eller utenfor Norge."
ROOFTOP_NO_GROUND = (
    "Terrengets høyde i punktet er ikke kjent (sjø eller hull i dataene), så observer_height_m kan ikke brukes. Oppgi "
    "observer_z_masl."
)
ROOFTOP_NO_HORIZON = (
    "Terrenghorisonten (nivå 1) lar seg ikke lese for dette punktet. Bruk include_tier1=false, eller prøv igjen senere."
)
ROOFTOP_FAILED = "Høydedata kan ikke hentes fra Kartverket akkurat nå. Prøv igjen om litt."
ROOFTOP_SLOW = (
    "Svaret var ikke klart innen {seconds:g} sekunder. Høydedata hentes videre: prøv igjen om litt, så ligger de klare."
)
ROOFTOP_BUSY = "Akkurat nå beregnes det for mange takhorisonter på én gang. Prøv igjen om litt."

PICTURES_BUSY = "Akkurat nå venter for mange bilder på å bli tegnet. Prøv igjen om litt."
NO_PICTURE = "Bildet kan ikke tegnes nå. Det er loggført. Prøv igjen senere."
NO_LEADS = "Skjemaet kan ikke lagres akkurat nå. Prøv igjen om litt."
NOT_ACCEPTED_LICENSE = "Feltet license_accepted må være true: lisensen må godtas."

UNKNOWN_PATH = "Ukjent adresse. Se /docs for adressene som finnes."
WRONG_METHOD = "Metoden {method} er ikke tillatt her. Tillatt: {allowed}."
TOO_LARGE = "Forespørselen er for stor."
BODY_TOO_LARGE = "Forespørselen er for stor: innholdet kan ha høyst {limit} byte."
BODY_TOO_SLOW = "Innholdet i forespørselen kom ikke fram innen {seconds:g} sekunder. Prøv igjen."
WRONG_MEDIA = "Innholdet må sendes som {media} (feltet Content-Type i hodet)."
MALFORMED = "Forespørselen er ikke gyldig HTTP."
ADDRESS_TOO_LONG = "Adressen er for lang: den kan ha høyst {limit} tegn."
HEAD_TOO_LARGE = "Hodet er for stort: høyst {count} felt, hvert på høyst {limit} tegn."
TOO_SLOW = "Forespørselen kom ikke helt fram i tide. Prøv igjen."
OVERDUE = "Svaret tok for lang tid. Prøv igjen senere."
STOPPING = "Tjenesten stopper. Prøv igjen om litt."
NOT_FOR_YOU = "Denne adressen er bare for dem som drifter tjenesten."
NOT_ACCEPTED = "Forespørselen kan ikke behandles."
INTERNAL = "Intern feil. Den er loggført. Prøv igjen senere."

TOO_MANY = "For mange forespørsler på kort tid. Prøv igjen om {wait}."
NO_RATES = "Forespørselen kan ikke telles akkurat nå. Prøv igjen om litt."

REPEATED = "Parameteren {name} er oppgitt mer enn én gang."
MISSING = "Parameteren {name} mangler."
NOT_A_NUMBER = "Parameteren {name} må være et tall, for eksempel 59.91."
NOT_A_FLAG = "Parameteren {name} må være true, 1, false eller 0."
NOT_A_CHOICE = "Parameteren {name} må være en av: {choices}."
NOT_BETWEEN = "Parameteren {name} må være et tall fra {low} til {high}."
NOT_WHOLE_BETWEEN = "Parameteren {name} må være et heltall fra {low} til {high}."
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
FIELD_PATTERN = "Feltet {name} har tegn som ikke er tillatt, eller bare mellomrom."
NAME_RESERVED = "Feltet {name}[{index}].name kan ikke være total: feltet total_W er summen."
NAME_TAKEN = "Feltet {name}[{index}].name er brukt før i samme liste."
ID_TAKEN = "Feltet {name}[{index}].id er brukt før i samme kall."

NOT_AN_ADDRESS = "Feltet {name} må være en gyldig e-postadresse."
LINK_SENT = "Vi har sendt en lenke til adressen. Den gjelder i {hours} timer; siden den åpner, viser nøkkelen din."
NO_CONTACT = "den som drifter denne tjenesten"
REGISTERED = (
    "Adressen er allerede registrert. Nøkkelen ble vist da den ble bekreftet; er den borte, kontakt {contact} for å få "
    "en ny."
)
NO_MAIL = "E-posten kunne ikke sendes. Prøv igjen senere."
NO_ACCOUNTS = "Kontoene er ikke tilgjengelige akkurat nå. Prøv igjen om litt."
LINK_DAMAGED = "Lenken er ikke hel. Kopier hele lenken fra e-posten, eller be om en ny."
LINK_UNKNOWN = (
    "Lenken er brukt, erstattet av en nyere, eller ukjent. Trykket du på knappen mer enn én gang, står nøkkelen i en "
    "annen fane. Er den borte, kontakt {contact} for å få en ny nøkkel. Er ingen lenke brukt, åpne den i den siste "
    "e-posten, eller be om en ny."
)
LINK_EXPIRED = "Lenken er utløpt. Be om en ny."
