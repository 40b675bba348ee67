"""The yearly production of a layout, by `/api/pv/calc`."""

from typing import Any

from api.core.errors import ApiError
from api.core.pipeline import origin_of
from api.core.prose import prose
from api.core.resources import AnnualProduction
from api.data.surfaces import Surface


async def add_production(
    result: dict[str, Any], annual_production: AnnualProduction | None, *, has_horizon: bool
) -> None:
    """Fill in the yearly production of a result, or why there is none: the place may have no typical year."""
    pv, place, texts = result["resultat"]["pv_kalkulator"], result["punkt"], prose(__file__, "produksjon")
    surfaces = tuple(Surface(one["kwp"], one["helning_grader"], one["asimut_grader"]) for one in pv["flater"])
    kwh: float | None = None
    note = texts["uten_moduler"]
    if surfaces and annual_production is not None:
        try:
            kwh, origin = await annual_production(place["lat"], place["lon"], surfaces, pv["mounting"])
        except ApiError as error:
            note = error.text("nb")
        else:
            left_out = {"uten_tap": True, "uten_horisont": not has_horizon, "simulert": origin == "simulated"}
            note = " ".join(texts[key] for key, is_so in left_out.items() if is_so)
            result["data_origin"] = origin_of(result["data_origin"], origin)
    pv |= {"arsproduksjon_kwh": kwh, "arsproduksjon_merknad": note}
