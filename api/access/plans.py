"""What the plans allow, read once from a TOML file."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from api import texts
from api.errors import Forbidden
from api.toml_file import TomlError, read_toml

Right = Literal["daily", "extended"]


class PlansError(Exception):
    """The file of plans cannot be read; the text names it and says what is wrong."""


class Plan(BaseModel):
    """What one kind of caller may do.

    Parameters
    ----------
    tier : str
        As texts name it; the plan's own name where the file gives none.
    requests_per_day, plants_per_day : int
        Of the forecast endpoints, per UTC day.
    kwp_per_plant : float
        Installed power of a plant, kWp.
    systems_per_bulk : int
        Systems of one bulk call.
    rights : frozenset of str
        Of the names that `texts.NEEDS_PLAN` words.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    tier: str = ""
    requests_per_day: int = Field(ge=0)
    plants_per_day: int = Field(ge=0)
    kwp_per_plant: float = Field(gt=0)
    systems_per_bulk: int = Field(ge=1)
    rights: frozenset[Right] = frozenset()

    def require_right(self, right: str) -> None:
        """Refuse what the plan does not include.

        Raises
        ------
        Forbidden
        """
        if right not in self.rights:
            raise Forbidden(texts.NEEDS_PLAN[right])

    def require_kwp(self, kwp: float) -> None:
        """Refuse a plant of more power than the plan allows; `kwp` is the sum of its arrays.

        Raises
        ------
        Forbidden
        """
        if not kwp <= self.kwp_per_plant:
            raise Forbidden(texts.TOO_MUCH_POWER.format(tier=self.tier, limit=self.kwp_per_plant, kwp=kwp))

    def require_systems(self, systems: int) -> None:
        """Refuse a bulk call of more systems than the plan allows.

        Raises
        ------
        Forbidden
        """
        if systems > self.systems_per_bulk:
            text = texts.TOO_MANY_SYSTEMS.format(tier=self.tier, limit=self.systems_per_bulk, systems=systems)
            raise Forbidden(text)


class _Tmy(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    requests_per_day: int = Field(ge=0)


class Plans(BaseModel):
    """Every plan.

    Parameters
    ----------
    anonymous : Plan
        Of callers without key.
    plans : mapping of str to Plan
        By name; accounts have one of them.
    tmy : object
        `requests_per_day` of the TMY endpoints for each address.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    anonymous: Plan
    plans: dict[str, Plan]
    tmy: _Tmy


# Of an installation that counts nothing.
UNLIMITED = Plan(
    tier="open",
    requests_per_day=2**31 - 1,
    plants_per_day=2**31 - 1,
    kwp_per_plant=float("inf"),
    systems_per_bulk=50,
    rights=frozenset({"daily", "extended"}),
)


def read_plans(path: Path) -> Plans:
    """Read the plans.

    Raises
    ------
    PlansError
    """
    try:
        read = read_toml(path, Plans)
    except TomlError as error:
        raise PlansError(str(error)) from error
    if "free" not in read.plans:
        raise PlansError(f"{path}: the plan free is missing, which registration gives")
    named = {name: plan.model_copy(update={"tier": plan.tier or name}) for name, plan in read.plans.items()}
    return read.model_copy(update={"plans": named})
