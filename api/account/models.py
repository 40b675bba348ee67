"""What the account endpoints take and give, as the document declares it."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, WithJsonSchema

from api import texts
from api.account.address import MAX_CHARACTERS, Address, read_address
from api.query import Query, Refused


def _address(value: object) -> Address:
    address = read_address(value) if isinstance(value, str) else None
    if address is None:
        raise Refused("email", texts.NOT_AN_ADDRESS)
    return address


_ADDRESS_SCHEMA = {"type": "string", "format": "email", "maxLength": MAX_CHARACTERS}

EmailAddress = Annotated[Address, PlainValidator(_address), WithJsonSchema(_ADDRESS_SCHEMA)]
"""Of a field that is called `email`."""


class Register(BaseModel):
    """Who asks for a key."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    email: EmailAddress = Field(description="Where the confirmation link is sent; case does not matter.")


class Registered(BaseModel):
    """A mail is on its way."""

    ok: Literal[True] = True
    message: str = Field(description="What to do now.")


@dataclass(slots=True)
class VerifyQuery(Query):
    """The parameters of `GET /api/verify`."""

    token: Annotated[str, Field(description="From the mail.")] = ""


class Verify(BaseModel):
    """What the page's button sends."""

    token: str = Field(default="", description="From the mail.")
