"""Regridding against a direct implementation, and its laws."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.regrid import RegridPlan, compact, plan, regrid, regrid_ghi
from kernels.regrid_plan import REACH

LAT0, LON0, STEP = 60.0, 10.0, 0.03
seeds = st.integers(0, 2**32 - 1)


@dataclass
class Case:
    """A source grid, turned and stretched against the target grid by an affine map."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    lat: NDArray[np.float64]
    lon: NDArray[np.float64]
    target_x: NDArray[np.float64]
    target_y: NDArray[np.float64]

    def plan(self) -> RegridPlan:
        return plan(self.lat, self.lon, self.x, self.y, self.target_x, self.target_y, LAT0, LON0, STEP)


def made_up(seed: int) -> Case:
    rng = np.random.default_rng(seed)
    (nx, ny), (n_lat, n_lon) = rng.integers(2, 10, 2), rng.integers(1, 10, 2)
    spacing, turn = rng.uniform(800, 6000), np.deg2rad(rng.uniform(-40, 40))
    x, y = 1234.5 + spacing * np.arange(nx), -777.7 + spacing * np.arange(ny)
    # Degrees per metre, turned; the source's first centre lies somewhere near the target grid.
    to_degrees = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) / [[111e3], [55e3]]
    origin = np.array([LAT0, LON0]) + STEP * rng.uniform(-3, 9, 2)
    yy, xx = np.meshgrid(y - y[0], x - x[0], indexing="ij")
    lat, lon = np.tensordot(to_degrees, np.stack([yy, xx]), 1) + origin[:, None, None]
    targets = np.stack(np.meshgrid(LAT0 + STEP * np.arange(n_lat), LON0 + STEP * np.arange(n_lon), indexing="ij"))
    back = np.tensordot(np.linalg.inv(to_degrees), targets - origin[:, None, None], 1)
    return Case(x, y, lat, lon, back[1] + x[0], back[0] + y[0])


def brute(
    c: Case, ghi: NDArray[np.float32], gcs: NDArray[np.float32] | None = None, gcs_target: NDArray | None = None
) -> NDArray[np.float64]:
    """Every target against every source, straight from the definition."""
    out = np.full(c.target_x.shape, np.nan)
    h = c.x[1] - c.x[0]
    xx, yy = np.meshgrid(c.x, c.y)
    values, clear = ghi.astype(float), None if gcs is None else gcs.astype(float)
    for i, j in np.ndindex(out.shape):
        inside = (np.abs(c.lat - (LAT0 + i * STEP)) < STEP / 2) & (np.abs(c.lon - (LON0 + j * STEP)) < STEP / 2)
        tx, ty = c.target_x[i, j], c.target_y[i, j]
        if inside.any():
            valid = values[inside][~np.isnan(values[inside])]
            out[i, j] = valid.mean() if valid.size else np.nan
        elif np.hypot(xx - tx, yy - ty).min() <= REACH * h:
            tx, ty = np.clip(tx, c.x[0], c.x[-1]), np.clip(ty, c.y[0], c.y[-1])
            # The tent functions of bilinear interpolation, evaluated for all sources.
            tent = np.clip(1 - np.abs(xx - tx) / h, 0, None) * np.clip(1 - np.abs(yy - ty) / h, 0, None)
            used = tent > 1e-9
            if clear is None or (clear[used] < 5).any():
                out[i, j] = (tent[used] * values[used]).sum()
            else:
                index = (tent[used] * values[used] / clear[used]).sum()
                out[i, j] = np.clip(index * gcs_target[i, j], values[used].min(), values[used].max())
    return out


def irradiance(c: Case, seed: int, missing: float) -> tuple[NDArray, NDArray, NDArray]:
    rng = np.random.default_rng(seed)
    gcs = rng.uniform(0, 60, c.lat.shape).astype(np.float32)
    ghi = (gcs * rng.uniform(0, 1.2, gcs.shape)).astype(np.float32)
    ghi[rng.uniform(size=ghi.shape) < missing] = np.nan
    return ghi, gcs, rng.uniform(0, 60, c.target_x.shape).astype(np.float32)


def regridded(c: Case, *fields: NDArray) -> NDArray[np.float32]:
    """Of one field, or of GHI with its clear skies."""
    out = np.full(c.target_x.shape, -9, np.float32)
    (regrid if len(fields) == 1 else regrid_ghi)(c.plan(), *fields, out)
    return out


@given(seed=seeds, missing=st.sampled_from([0.0, 0.3]))
@settings(max_examples=100)
def test_regridding_is_what_the_definition_says(seed: int, missing: float) -> None:
    """And within the sources it came from."""
    c = made_up(seed)
    fields = irradiance(c, seed, missing)
    np.testing.assert_allclose(regridded(c, fields[0]), brute(c, fields[0]), rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(regridded(c, *fields), brute(c, *fields), rtol=1e-5, atol=1e-4)
    covered = ~np.isnan(brute(c, np.ones_like(fields[0])))
    np.testing.assert_array_equal(c.plan().covered.reshape(covered.shape), covered)


@given(seed=seeds, value=st.floats(0, 1300, width=32))
@settings(max_examples=50)
def test_constant_field_stays_constant_to_the_bit(seed: int, value: float) -> None:
    c = made_up(seed)
    field, clear = np.full(c.lat.shape, value, np.float32), np.full(c.lat.shape, 700, np.float32)
    expected = np.where(c.plan().covered.reshape(c.target_x.shape), np.float32(value), np.nan)
    np.testing.assert_array_equal(regridded(c, field), expected)
    np.testing.assert_array_equal(regridded(c, field, clear, np.full_like(expected, 700)), expected)


@given(seed=seeds)
@settings(max_examples=50)
def test_compact_plan_gives_the_same_bits_from_the_used_sources_alone(seed: int) -> None:
    c = made_up(seed)
    ghi, gcs, gcs_target = irradiance(c, seed, 0.1)
    used, small = compact(c.plan())
    assert small.n_source == used.size == np.unique(np.append(c.plan().source, c.plan().corner)).size
    part = np.empty(c.target_x.shape, np.float32)
    regrid_ghi(small, ghi.ravel()[used], gcs.ravel()[used], gcs_target, part)
    assert regridded(c, ghi, gcs, gcs_target).tobytes() == part.tobytes()


def straight(nx: int = 6, ny: int = 6, spacing_deg: float = 0.06) -> Case:
    """A source on whole target centres, two target steps apart, its 'projection' being degrees."""
    x, y = LON0 + 0.3 + spacing_deg * np.arange(nx), LAT0 + 0.3 + spacing_deg * np.arange(ny)
    lon, lat = np.meshgrid(x, y)
    target_y, target_x = np.meshgrid(LAT0 + STEP * np.arange(40), LON0 + STEP * np.arange(40), indexing="ij")
    return Case(x, y, lat, lon, target_x, target_y)


def test_target_beyond_one_and_a_half_spacings_is_missing() -> None:
    covered = straight().plan().covered.reshape(40, 40)
    # The outer centre is target 10; 1.5 spacings are 3 targets.
    assert covered[16].nonzero()[0].tolist() == covered[:, 16].nonzero()[0].tolist() == list(range(7, 24))
    # At the corner it is the distance to the centre that counts: (2, 2) is 1.41 spacings off, (3, 1) 1.58.
    assert covered[8, 8]
    assert not covered[7, 9]


def test_interpolation_goes_by_clear_sky_index_and_falls_back_near_the_horizon() -> None:
    gcs = np.tile(np.linspace(100, 600, 6, dtype=np.float32), (6, 1))
    ghi, gcs_target = gcs * np.float32(0.5), np.full((40, 40), 220, np.float32)
    out = regridded(straight(), ghi, gcs, gcs_target)
    # Target 11 lies midway between centres 10 and 12 (gcs 100 and 200): 0.5 x 220 is over both 50 and 100.
    assert out[12, 11] == 100
    assert out[12, 13] == pytest.approx(110)
    gcs[:, 0] = 4.9
    assert regridded(straight(), ghi, gcs, gcs_target)[12, 11] == pytest.approx(75)


@pytest.mark.parametrize("x", [[0.0, 2.0, 3.0], [2.0, 1.0, 0.0], [0.0], [0.0, np.nan, 2.0]])
def test_uneven_or_descending_axis_is_refused(x: list[float]) -> None:
    c = straight(len(x), 4)
    c.x = np.array(x)
    with pytest.raises(ValueError, match="x must hold"):
        c.plan()


def test_wrong_shapes_are_refused_before_any_memory_is_touched() -> None:
    c = straight()
    p, good, out = c.plan(), np.zeros((6, 6), np.float32), np.zeros((40, 40), np.float32)
    with pytest.raises(ValueError, match="the plan is for 36 -> 1600"):
        regrid(p, good[:5], out)
    with pytest.raises(ValueError, match="the plan is for 36 -> 1600"):
        regrid_ghi(p, good, good, out[:9], out)
    with pytest.raises(ValueError, match="contiguous"):
        regrid(p, good.T, out.T[:, :])
    c.lat = c.lat[:3]
    with pytest.raises(ValueError, match="have shapes"):
        c.plan()


def test_targets_that_the_projection_cannot_place_are_missing() -> None:
    c = straight()
    c.target_x[3:30, 11], c.target_y[3:30, 13] = np.inf, np.nan
    covered = c.plan().covered.reshape(40, 40)
    assert not covered[3:30, [11, 13]].any()
    assert covered[15, 15]
