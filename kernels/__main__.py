"""`python -m kernels`: compile what the API calls and keep it beside the source; its workers then need not at start."""

import numpy as np

# What has a signature is compiled by importing it.
import kernels.horizon.objects
import kernels.horizon.rays
import kernels.horizon.shade
import kernels.irradiance
import kernels.production_rows
import kernels.pv.mean_days
import kernels.pv.optimum
import kernels.pv.plant
import kernels.roof.layout.search
import kernels.roof.shade
import kernels.snow.cover
import kernels.text_rows
import kernels.tmy.scaling  # noqa: F401
from kernels.clearsky import hours_at
from kernels.cloud import ghi_under_cloud
from kernels.position import apparent
from kernels.roof.field import Field
from kernels.roof.growing import candidates
from kernels.sun import sun_table

_HOUR = np.array([1_781_431_200], np.int64)
ghi_under_cloud(
    hours_at(60.0, 10.0, 100.0, np.array([3.0]), _HOUR).astype(np.float32),
    np.zeros(1, np.float32),
    np.empty(1, np.float32),
)
apparent(sun_table(_HOUR), 60.0, 10.0, 100.0)
_FLAT = np.zeros((12, 12))
candidates(Field(_FLAT, _FLAT, np.array([0.0, 0, 1, 0, 0, 1])), np.ones(_FLAT.shape, bool), 0.15, 4)
