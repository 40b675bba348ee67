"""What `POST /api/tmy/lead` takes and gives, as the document declares it."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator, WithJsonSchema

from api import texts
from api.account.models import EmailAddress
from api.fields import Label, Number
from api.query import Refused
from api.tmy.choice import ProductName
from api.tmy.formats.registry import NAMES
from api.tmy.place import LAT, LON


def _accepted(value: Any) -> bool:
    if value is not True:
        raise Refused("license_accepted", texts.NOT_ACCEPTED_LICENSE)
    return True


def _format(value: str) -> str:
    if value not in NAMES:
        raise Refused("format", texts.FIELD_NOT_A_CHOICE.replace("{expected}", ", ".join(NAMES)))
    return value


class Lead(BaseModel):
    """Who downloads, and for what site."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    company: Label
    name: Label
    email: EmailAddress
    lat: Annotated[Number, Field(ge=LAT[0], le=LAT[1])] = Field(description="Degrees north of the site.")
    lon: Annotated[Number, Field(ge=LON[0], le=LON[1])] = Field(description="Degrees east of the site.")
    license_accepted: Annotated[bool, PlainValidator(_accepted), WithJsonSchema({"const": True})] = Field(
        description="The licence is accepted; nothing else is taken."
    )
    phone: Label | None = None
    address: Label | None = None
    product: ProductName | None = None
    format: Annotated[str, AfterValidator(_format), WithJsonSchema({"type": "string", "enum": list(NAMES)})] | None = (
        Field(None, description="As in `GET /api/tmy`.")
    )


class LeadStored(BaseModel):
    """It is stored."""

    ok: Literal[True] = True
    stored: Literal[True] = True
    id: int
    license_version: str = Field(description="That was accepted.")
