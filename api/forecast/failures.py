"""What the routes of this group have in common: headers and errors, as the document declares them."""

from api import texts
from api.routing import Failure

ORIGIN = ("X-Data-Origin", "`live` or `simulated`.")
SUNSET = ("Sunset", "When the model choice that was used ends, or ended (RFC 8594).")

OUTSIDE = Failure(400, texts.OUTSIDE_COVERAGE, "coordinate outside the coverage")
NO_DATA = Failure(503, f"{texts.NO_DATA} ...", "forecast missing, too old, damaged, or outside the weather model")
NO_PLANT = Failure(404, texts.NO_PLANT, "`anlegg_id`: no plant is registered under it")
TOO_MUCH_POWER = Failure(
    403,
    texts.TOO_MUCH_POWER.replace("{tier}", "...").replace("{limit:g}", "N").replace("{kwp:g}", "N"),
    "the sum of a plant's arrays is more than the caller's plan allows",
)
TOO_MANY_SYSTEMS = Failure(
    403,
    texts.TOO_MANY_SYSTEMS.replace("{tier}", "...").replace("{limit}", "N").replace("{systems}", "N"),
    "more systems in one call than the caller's plan allows",
)
