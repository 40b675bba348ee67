"""`adressesok`: from an address or a place name to coordinates."""

from typing import Any

from api.mcp.texts import SIMULATED, degrees, first, joined
from api.mcp.tool import Api, Fields, Tool

PLACES = "GET /api/places"


async def _fetch(api: Api, arguments: Fields) -> dict[str, Fields]:
    answer = await api.get("/api/places", arguments)
    for hit in answer["hits"]:
        hit["kind"] = hit["kind"].replace("address", "adresse")
    return {"": answer}


def _summary(parts: dict[str, Fields]) -> str:
    answer = parts[""]
    hits: list[dict[str, Any]] = answer["hits"]
    searched = f"«{answer['text']}»"
    if not hits:
        return joined(
            f"Ingen treff på {searched}. Prøv færre ord, en annen skrivemåte, eller kommunen bak navnet.",
            "Stedsregisteret er SIMULERT: mange virkelige steder mangler."
            if answer["data_origin"] == "simulated"
            else "",
        )
    best = hits[0]
    where = f" i {best['municipality']}" if best["municipality"] else ""
    others = len(hits) - 1
    return joined(
        f"Beste treff på {searched}: {best['name']} ({best['kind']}){where}, "
        f"{degrees(best['latitude'], best['longitude'])}.",
        f"Det finnes {others} treff til; spør brukeren hvis stedet kan være et annet." if others else "",
        first((answer["data_origin"] == "simulated", SIMULATED)),
        f"Kilde: {'simulert stedsregister' if answer['data_origin'] == 'simulated' else answer['attribution']}.",
    )


TOOL = Tool(
    name="adressesok",
    answers={"": PLACES},
    fetch=_fetch,
    summarise=_summary,
    takes={PLACES: ("text",)},
    required=("text",),
    open_world=True,
)
