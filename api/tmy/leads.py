"""The form of `POST /api/tmy/lead`, and its rows in the database."""

import re
from datetime import datetime
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, PlainValidator, WithJsonSchema
from sqlalchemy.ext.asyncio import AsyncEngine

from api.core import problems
from api.core.email_address import EmailAddress
from api.core.errors import problem
from api.core.fields import CONTROL, MAX_LABEL, Label, Number, Warnings
from api.core.printing import cell
from api.data.tmy_products import ProductName
from api.data.typical_year import LAT, LON
from api.database.database import Database, to_its_end
from api.database.engine import READS
from api.database.tables import lead
from api.tmy.formats.registry import NAMES
from tiles.clock import Clock, iso

NOT_ACCEPTED = problem("tmy.NOT_ACCEPTED")
NO_LEADS = problem("tmy.NO_LEADS")
# What changes the direction of text, and what is common and has no width.
_HIDDEN = r"\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"


def _accepted(value: Any) -> bool:
    if value is not True:
        raise NOT_ACCEPTED("license_accepted")
    return True


def _format(value: str) -> str:
    if value not in NAMES:
        raise problems.FIELDS["literal_error"]("format", expected=", ".join(NAMES))
    return value


def _visible(value: Any) -> Any:
    """Return a text without hidden characters, such as those of direction, and blanks for control characters.

    A text that is too long with them stays as it is, to be refused as the document says.
    """
    short = isinstance(value, str) and len(value) <= MAX_LABEL
    return re.sub(f"[{_HIDDEN}]", "", re.sub(f"[{CONTROL}]", " ", value)) if short else value


Text = Annotated[
    Label,
    BeforeValidator(_visible),
    WithJsonSchema({"type": "string", "maxLength": MAX_LABEL, "pattern": rf"[^\s{CONTROL}{_HIDDEN}]"}),
    Field(description="Characters of control and of direction are not stored."),
]


class Lead(BaseModel, arbitrary_types_allowed=True):
    """The download form: the caller and the site."""

    company: Text
    name: Text
    email: EmailAddress
    lat: Annotated[Number, Field(ge=LAT[0], le=LAT[1])] = Field(description="Degrees north of the site.")
    lon: Annotated[Number, Field(ge=LON[0], le=LON[1])] = Field(description="Degrees east of the site.")
    license_accepted: Annotated[bool, PlainValidator(_accepted), WithJsonSchema({"const": True})] = Field(
        description="The licence is accepted; nothing else is taken."
    )
    phone: Text | None = None
    address: Text | None = None
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
    warnings: Warnings = None


async def table(engine: AsyncEngine) -> list[tuple[Any, ...]]:
    """Return the names of the columns, then the leads, oldest first, as cells that a spreadsheet does not run."""
    async with engine.execution_options(**READS).connect() as connection:
        rows = (await connection.execute(sa.select(lead).order_by(lead.c.id))).all()
    cells = (tuple(iso(value) if isinstance(value, datetime) else cell(value) for value in row) for row in rows)
    return [tuple(lead.c.keys()), *cells]


class Leads:
    """Stores leads.

    Parameters
    ----------
    database : Database
    clock : Clock
    license_version : str
        That who fills in the form accepts; empty where there is none.
    """

    def __init__(self, database: Database, clock: Clock, license_version: str) -> None:
        self._database, self._clock, self.license_version = database, clock, license_version

    @to_its_end
    async def store(self, form: Lead) -> int:
        """Store a lead, and return its number.

        Raises
        ------
        ApiError
            The database cannot be written.
        """
        new = sa.insert(lead).values(
            created_at=self._clock.now(),
            email=form.email.mailbox,
            license_version=self.license_version,
            **form.model_dump(exclude={"email", "license_accepted"}),
        )
        async with self._database.transaction(NO_LEADS) as connection:
            number = await connection.scalar(new.returning(lead.c.id))
        return int(number)
