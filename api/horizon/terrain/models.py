"""What `GET /api/horizon/terrain` gives, as the document declares it."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from api.horizon.profile import N


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Query(_Model):
    """What was asked for."""

    lat: float
    lon: float
    cell_distance_m: float = Field(ge=0, description="From there to the observer, m: at most half a cell's diagonal.")


class Source(_Model):
    """Whose heights they are."""

    name: str
    licence: str
    attribution: str
    data_origin: Literal["live", "simulated"]


class Terrain(_Model):
    """What terrain hides at a place, in 720 directions."""

    lat: float = Field(
        description="Where the observer stands: the centre of the cell of 100 m that holds the position."
    )
    lon: float
    query: Query
    tile_key: str = Field(description="Of the tile of 6.4 km: row and column in UTM 33.", examples=["H33-029-054"])
    dtm_year: int | None = Field(description="Year of the terrain data at the cell; null: not known.")
    api_tier: Literal["terrain"]
    version: str = Field(description="Of the horizon answers.", examples=["v3.1"])
    n_azimuth: Literal[720]
    dtm_ground_z_m: float | None = Field(description="Ground at the cell's centre, m above the sea.")
    observer_height_m: float = Field(description="Of the eye above that ground, m.")
    data_origin: Literal["live", "simulated"]
    horizon_version: str = Field(description="Of the tiles: the hour at which their build began.")
    method: str = Field(description="How the tiles were made.")
    sources: list[Source]
    warnings: list[str]
    azimuth_deg: Annotated[list[float], Field(min_length=N, max_length=N)] = Field(
        description="0 to 359.5, clockwise from true north."
    )
    elevation_deg: Annotated[list[float], Field(min_length=N, max_length=N)] = Field(
        description="Of the horizon above the horizontal plane, with the earth's curvature and refraction; below 0 "
        "where the land falls away."
    )
    distance_m: Annotated[list[float | None], Field(min_length=N, max_length=N)] = Field(
        description="To what makes the horizon, m, within 1 %; null: no land is known that way."
    )
