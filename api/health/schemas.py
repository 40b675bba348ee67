"""What `/health` answers."""

from typing import Literal

from pydantic import Field

from api.core.fields import Closed, Warnings

State = Literal["missing", "building", "ready", "idle", "stale", "corrupt"]


class ProductHealth(Closed):
    """One product."""

    state: State = Field(
        description=(
            "`ready`; `idle`: nothing of it is due now, such as a nowcast at night or a horizon that was never asked "
            "for; `stale`: older than it should be, or no longer served; `building`: its first version is being made "
            "(known within ten seconds) or opened; `missing`: never published, and answers need it; "
            "`corrupt`: the newest version is damaged or cannot be opened."
        )
    )
    version: str | None = Field(description="The version that answers come from, else the newest published.")
    served: bool = Field(description="Whether answers come from `version` now; some products no endpoint reads.")
    issued_at: str | None = Field(description="The moment it stands for, ISO 8601 UTC.")
    age_s: int | None = Field(description="Seconds since issued_at.")
    stale: bool = Field(description="Whether it is older than it should be.")
    data_origin: Literal["live", "simulated"] | None
    newest_version: str | None = Field(description="The newest published version.")
    catalog_readable: bool = Field(
        description="Whether the product's index could be read at the last look; one that was there and is gone cannot."
    )
    damaged_shards: int = Field(description="Parts of the served version that fail their checksum.")


class QueueHealth(Closed):
    """Jobs of one kind."""

    queued: int = Field(description="How many wait for a run.")
    waiting_s: int = Field(description="How long the first of them has waited for its first run.")


class Health(Closed):
    """The service."""

    status: Literal["ok", "degraded"] = Field(
        description=(
            "`ok` when every product is ready or idle and its index readable, quotas can be counted where they hold, "
            "no job has waited half a minute for a worker, "
            "and `refusals` (but for `NOT_BUILT` and `NO_LAND`) are at most 5 % of the answers of these minutes."
        )
    )
    code_version: str
    now: str = Field(description="The service's clock, ISO 8601 UTC.")
    clock: Literal["real", "shifted", "frozen"]
    database: Literal["up", "down"] = Field(
        description="Whether accounts and quotas can be reached: while keys hold, counted routes answer 503 without."
    )
    refusals: dict[str, int] = Field(
        description=(
            "Answers 5xx of the last five minutes by their `code`, as the worker counts that answers this; "
            "`/metrics` sums all workers."
        )
    )
    products: dict[str, ProductHealth]
    jobs: dict[str, QueueHealth] = Field(description="By kind; empty where the queue cannot be asked.")
    warnings: Warnings = None
