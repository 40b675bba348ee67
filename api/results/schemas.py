"""The query of a signed link."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from api.core.query import Query


@dataclass(slots=True, kw_only=True)
class LinkQuery(Query):
    """The parameters of a signed link."""

    expires: Annotated[str, Field(description="Until when the link is valid, s since 1970.")]
    signature: Annotated[str, Field(description="From the answer that gave the link.")]
