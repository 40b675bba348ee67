"""Regridding against a direct implementation, and its laws."""

from dataclasses import dataclass

import numpy as np
import pyproj
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.regrid import RegridPlan, compact, plan, regrid, regrid_ghi
from kernels.regrid_plan import REACH

LAT0, LON0, STEP = 60.0, 10.0, 0.03


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


@st.composite
def case(draw: st.DrawFn) -> Case:
    nx, ny = draw(st.integers(2, 9)), draw(st.integers(2, 9))
    n_lat, n_lon = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    spacing = draw(st.floats(800, 6000))
    turn = np.deg2rad(draw(st.floats(-40, 40)))
    x = 1234.5 + spacing * np.arange(nx)
    y = -777.7 + spacing * np.arange(ny)
    # Degrees per metre, turned; the source's first centre lies somewhere near the target grid.
    to_degrees = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) / [[111e3], [55e3]]
    origin = np.array([LAT0, LON0]) + STEP * np.array([draw(st.floats(-3, 9)), draw(st.floats(-3, 9))])
    xx, yy = np.meshgrid(x, y)
    offset = np.stack([yy - y[0], xx - x[0]])
    lat, lon = np.tensordot(to_degrees, offset, 1) + origin[:, None, None]
    lats, lons = np.meshgrid(LAT0 + STEP * np.arange(n_lat), LON0 + STEP * np.arange(n_lon), indexing="ij")
    back = np.tensordot(np.linalg.inv(to_degrees), np.stack([lats, lons]) - origin[:, None, None], 1)
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
        if inside.any():
            valid = values[inside][~np.isnan(values[inside])]
            out[i, j] = valid.mean() if valid.size else np.nan
            continue
        tx, ty = c.target_x[i, j], c.target_y[i, j]
        if np.hypot(xx - tx, yy - ty).min() > REACH * h:
            continue
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


def on_an_edge(c: Case) -> bool:
    """Whether a centre sits so near a decision that rounding may fall either way."""
    cells = np.stack([(c.lat - LAT0) / STEP, (c.lon - LON0) / STEP]) + 0.5
    h = c.x[1] - c.x[0]
    xx, yy = np.meshgrid(c.x, c.y)
    far = np.hypot(xx[..., None] - c.target_x.ravel(), yy[..., None] - c.target_y.ravel()).min((0, 1)) / h
    knots = np.stack([(c.target_x - c.x[0]) / h, (c.target_y - c.y[0]) / h])
    return bool(
        (np.abs(cells - np.rint(cells)) < 1e-7).any()
        or (np.abs(far - REACH) < 1e-7).any()
        or (np.abs(knots - np.rint(knots)) < 1e-6).any()
    )


@given(c=case(), seed=st.integers(0, 10**6), missing=st.sampled_from([0.0, 0.3]))
@settings(max_examples=150)
def test_agrees_with_the_direct_implementation(c: Case, seed: int, missing: float) -> None:
    if on_an_edge(c):
        return
    ghi, gcs, gcs_target = irradiance(c, seed, missing)
    p = c.plan()
    out = np.full(c.target_x.shape, -9, np.float32)
    regrid(p, ghi, out)
    np.testing.assert_allclose(out, brute(c, ghi), rtol=1e-5, atol=1e-4)
    out[:] = -9
    regrid_ghi(p, ghi, gcs, gcs_target, out)
    np.testing.assert_allclose(out, brute(c, ghi, gcs, gcs_target), rtol=1e-5, atol=1e-4)
    everywhere = brute(c, np.ones_like(ghi))
    np.testing.assert_array_equal(p.covered.reshape(out.shape), ~np.isnan(everywhere))


@given(c=case(), value=st.floats(0, 1300, width=32))
def test_a_constant_field_stays_constant_to_the_bit(c: Case, value: float) -> None:
    p, out = c.plan(), np.empty(c.target_x.shape, np.float32)
    field = np.full(c.lat.shape, value, np.float32)
    for clear in (0, 700):
        regrid(p, field, out) if clear == 0 else regrid_ghi(
            p, field, np.full_like(field, clear), np.full_like(out, clear), out
        )
        assert (out.ravel()[p.covered] == np.float32(value)).all()
        assert np.isnan(out.ravel()[~p.covered]).all()


@given(c=case(), seed=st.integers(0, 10**6))
def test_no_target_lies_outside_the_sources_it_came_from(c: Case, seed: int) -> None:
    ghi, gcs, gcs_target = irradiance(c, seed, 0.0)
    p, out = c.plan(), np.empty(c.target_x.shape, np.float32)
    regrid_ghi(p, ghi, gcs, gcs_target * 30, out)
    flat = out.ravel()
    for t in np.flatnonzero(np.diff(p.first) > 0):
        own = ghi.ravel()[p.source[p.first[t] : p.first[t + 1]]]
        assert own.min() <= flat[t] <= own.max()
    neighbours = ghi.ravel()[p.corner]
    assert (flat[p.bilinear] <= neighbours.max(1)).all()
    assert (flat[p.bilinear] >= neighbours.min(1)).all()


@given(c=case(), seed=st.integers(0, 10**6))
def test_the_compact_plan_gives_the_same_bits_from_the_used_sources_alone(c: Case, seed: int) -> None:
    ghi, gcs, gcs_target = irradiance(c, seed, 0.1)
    p = c.plan()
    used, small = compact(p)
    assert small.n_source == used.size == np.unique(np.append(p.source, p.corner)).size
    whole, part = np.empty((2, p.n_target), np.float32)
    regrid_ghi(p, ghi, gcs, gcs_target, whole)
    regrid_ghi(small, ghi.ravel()[used], gcs.ravel()[used], gcs_target, part)
    assert whole.tobytes() == part.tobytes()


def straight(nx: int = 6, ny: int = 6, spacing_deg: float = 0.06) -> Case:
    """A source on whole target centres, two target steps apart, its 'projection' being degrees."""
    x, y = LON0 + 0.3 + spacing_deg * np.arange(nx), LAT0 + 0.3 + spacing_deg * np.arange(ny)
    lon, lat = np.meshgrid(x, y)
    target_y, target_x = np.meshgrid(LAT0 + STEP * np.arange(40), LON0 + STEP * np.arange(40), indexing="ij")
    return Case(x, y, lat, lon, target_x, target_y)


def test_beyond_one_and_a_half_spacings_is_missing() -> None:
    c = straight()
    covered = c.plan().covered.reshape(40, 40)
    # The outer centre is target 10; 1.5 spacings are 3 targets.
    assert covered[16].nonzero()[0].tolist() == list(range(7, 24))
    assert covered[:, 16].nonzero()[0].tolist() == list(range(7, 24))
    # At the corner it is the distance to the centre that counts: (2, 2) is 1.41 spacings off, (3, 1) 1.58.
    assert covered[8, 8]
    assert not covered[7, 9]


def test_interpolation_goes_by_clear_sky_index_and_falls_back_near_the_horizon() -> None:
    c = straight()
    p = c.plan()
    gcs = np.tile(np.linspace(100, 600, 6, dtype=np.float32), (6, 1))
    ghi = gcs * np.float32(0.5)
    gcs_target = np.full((40, 40), 220, np.float32)
    out = np.empty((40, 40), np.float32)
    regrid_ghi(p, ghi, gcs, gcs_target, out)
    # Target 11 lies midway between centres 10 and 12 (gcs 100 and 200): 0.5 x 220 is over both 50 and 100.
    assert out[12, 11] == 100
    assert out[12, 13] == pytest.approx(110)
    gcs[:, 0] = 4.9
    regrid_ghi(p, ghi, gcs, gcs_target, out)
    assert out[12, 11] == pytest.approx(75)


def test_missing_sources() -> None:
    c = straight()
    p = c.plan()
    field = np.ones((6, 6), np.float32)
    field[2, 2] = np.nan
    out = np.empty((40, 40), np.float32)
    regrid(p, field, out)
    missing = np.argwhere(np.isnan(out) & p.covered.reshape(out.shape)).tolist()
    # Its own target and all those between it and its neighbours; the neighbours' own stay.
    assert missing == [[i, j] for i in (13, 14, 15) for j in (13, 14, 15)]
    # With two sources in one target, the valid one is enough.
    fine = straight(24, 24, 0.015)
    field = np.ones((24, 24), np.float32)
    field[8, 8] = np.nan
    regrid(fine.plan(), field, out)
    assert np.nanmin(out) == np.nanmax(out) == 1
    assert np.isnan(out).sum() == (~fine.plan().covered).sum()


def test_a_lambert_model_domain_lands_where_proj_says() -> None:
    """A field linear in the projection comes back as itself at the targets' own coordinates."""
    proj = pyproj.Proj("+proj=lcc +lat_0=63 +lon_0=15 +lat_1=63 +lat_2=63 +R=6371000")
    x, y = -400_000 + 2500.0 * np.arange(60), -150_000 + 2500.0 * np.arange(50)
    lon, lat = proj(*np.meshgrid(x, y), inverse=True)
    lat0, lon0, shape = 61.5, 7.5, (20, 40)
    target_lat, target_lon = lat0 + STEP * np.arange(shape[0]), lon0 + STEP * np.arange(shape[1])
    target_x, target_y = proj(*np.meshgrid(target_lon, target_lat))
    p = plan(lat, lon, x, y, target_x, target_y, lat0, lon0, STEP)
    xx, yy = np.meshgrid(x, y)
    out = np.empty(shape, np.float32)
    regrid(p, ((xx + 2 * yy) / 1000).astype(np.float32), out)
    covered = p.covered.reshape(shape)
    inside = (target_x > x[0]) & (target_x < x[-1]) & (target_y > y[0]) & (target_y < y[-1])
    assert inside.sum() > 300
    error = (out - (target_x + 2 * target_y) / 1000)[inside]
    assert covered[inside].all()
    # Exact where interpolated; an average of the one or two centres inside is off by up to half a target.
    interpolated = np.zeros(p.n_target, bool)
    interpolated[p.bilinear] = True
    assert np.abs((out - (target_x + 2 * target_y) / 1000)[inside & interpolated.reshape(shape)]).max() < 1e-3
    assert np.abs(error).max() < 4.5
    assert abs(error.mean()) < 0.1


@pytest.mark.parametrize("x", [[0.0, 2.0, 3.0], [2.0, 1.0, 0.0], [0.0], [0.0, np.nan, 2.0]])
def test_an_uneven_or_descending_axis_is_refused(x: list[float]) -> None:
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
    c.target_x[3:30, 11] = np.inf
    c.target_y[3:30, 13] = np.nan
    covered = c.plan().covered.reshape(40, 40)
    assert not covered[3:30, 11].any()
    assert not covered[3:30, 13].any()
    assert covered[15, 15]
