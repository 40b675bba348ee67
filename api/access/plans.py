"""What the plans allow, read once from a TOML file."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

from api.core import problems
from api.core.settings import SettingsError, read_toml

Right = Literal["daily", "extended"]


class Plan(BaseModel, extra="forbid", frozen=True):
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
        Of the names in `problems.NEEDS_RIGHT`.
    """

    tier: str = ""
    requests_per_day: int = Field(ge=0)
    plants_per_day: int = Field(ge=0)
    kwp_per_plant: float = Field(gt=0)
    systems_per_bulk: int = Field(ge=1)
    rights: frozenset[Right] = frozenset()

    def require_right(self, right: str, parameter: str | None = None) -> None:
        """Refuse what the plan does not include; `parameter` asks for it.

        Raises
        ------
        ApiError
        """
        if right not in self.rights:
            raise problems.NEEDS_RIGHT[right](parameter)

    def require_kwp(self, kwp: float, parameter: str) -> None:
        """Refuse a plant of more power than the plan allows; `kwp` is the sum of its arrays, which `parameter` gives.

        Raises
        ------
        ApiError
        """
        if not kwp <= self.kwp_per_plant:
            raise problems.TOO_MUCH_POWER(parameter, tier=self.tier, limit=self.kwp_per_plant, kwp=kwp)

    def require_systems(self, systems: int) -> None:
        """Refuse a bulk call of more systems than the plan allows.

        Raises
        ------
        ApiError
        """
        if systems > self.systems_per_bulk:
            raise problems.TOO_MANY_SYSTEMS("systems", tier=self.tier, limit=self.systems_per_bulk, systems=systems)


class _Tmy(BaseModel, extra="forbid", frozen=True):
    requests_per_day: int = Field(ge=0)


class Plans(BaseModel, extra="forbid", frozen=True):
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

    anonymous: Plan
    plans: dict[str, Plan]
    tmy: _Tmy


def read_plans(path: Path) -> Plans:
    """Read the plans.

    Raises
    ------
    SettingsError
    """
    read = read_toml(path, Plans)
    if "free" not in read.plans:
        raise SettingsError(f"{path}: the plan free is missing, which registration gives")
    named = {name: plan.model_copy(update={"tier": plan.tier or name}) for name, plan in read.plans.items()}
    return read.model_copy(update={"plans": named})
