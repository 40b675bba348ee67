"""The parameters and the answer of the search for places."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from api.core.errors import Problem, problem
from api.core.fields import Closed, Warnings
from api.core.query import Query
from catalog.sources.kartverket.addresses import MOST_HITS

SHORTEST, LONGEST = 2, 100
NOT_A_TEXT = problem("places.NOT_A_TEXT", low=SHORTEST, high=LONGEST)
SEARCH_FAILED = problem("places.SEARCH_FAILED")


def trimmed(value: Any) -> Any:
    """Return a text without blanks around it.

    Raises
    ------
    ValueError
        It holds control characters, or others that no name has.
    """
    if not isinstance(value, str):
        return value
    text = value.strip()
    if any(unicodedata.category(letter)[0] == "C" for letter in text):
        raise ValueError("control character")
    return text


@dataclass(slots=True, kw_only=True)
class PlacesQuery(Query):
    """The parameters of `GET /api/places`."""

    guidance: ClassVar[Mapping[str, Problem]] = {"text": NOT_A_TEXT}

    text: Annotated[
        str,
        BeforeValidator(trimmed),
        Field(
            min_length=SHORTEST,
            max_length=LONGEST,
            description="An address or a place name, with the municipality behind it where there are several; blanks "
            "around it do not count, control characters are refused.",
            examples=["Storgata 5, Tromsø"],
        ),
    ]
    limit: Annotated[int, Field(ge=1, le=MOST_HITS, description="Hits at most.")] = MOST_HITS


class PlaceHit(Closed):
    """An address or a place."""

    name: str = Field(description="Street and number, or the place's name.", examples=["Storgata 5"])
    kind: str = Field(
        description="`address`, or the register's type of the place in lower case, such as `by`, `tettsted`, `fjell`."
    )
    municipality: str | None = Field(description="Of a place in several, the first; null: not known.")
    municipality_number: str | None = Field(pattern=r"^[0-9]{4}$", description="Null: not known.", examples=["0301"])
    county: str | None = Field(description="Null: not known, as of all addresses.")
    latitude: float = Field(ge=-90, le=90, description="Degrees north.")
    longitude: float = Field(ge=-180, le=180, description="Degrees east.")


class Places(Closed):
    """The hits of a search, best first."""

    text: str = Field(description="What was searched for.")
    hits: list[PlaceHit] = Field(max_length=MOST_HITS, description="Empty where nothing is found.")
    data_origin: Literal["live", "simulated"]
    attribution: str = Field(description="Name it where you show the hits.")
    warnings: Warnings = None
