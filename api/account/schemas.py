"""What the account endpoints take and give, as the document declares it."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from api.core.email_address import EmailAddress
from api.core.fields import Warnings
from api.core.query import Query


class Register(BaseModel, arbitrary_types_allowed=True):
    """Who asks for a key."""

    email: EmailAddress = Field(description="Where the confirmation link is sent; case does not matter.")


class Registered(BaseModel):
    """A mail is on its way."""

    ok: Literal[True] = True
    message: str = Field(description="What to do now.")
    warnings: Warnings = None


@dataclass(slots=True)
class VerifyQuery(Query):
    """The parameters of `GET /api/verify`."""

    token: Annotated[str, Field(description="From the mail.")] = ""


class Verify(BaseModel):
    """What the page's button sends."""

    token: str = Field(default="", description="From the mail.")
