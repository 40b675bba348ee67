"""Snow of a cell as bytes: a line of JSON that says what it is, then the values, compressed."""

import json
import zlib

import numpy as np

from catalog.sources.errors import SourceError
from catalog.sources.nve_gts import QUANTITIES, SnowData

# The fastest: of 69 years it leaves some 100 kB, and takes 2 ms to undo.
_LEVEL = 1


def pack(data: SnowData) -> bytes:
    """Return the bytes of a fetch."""
    told = {
        "first": int(data.days[0]),
        "n_days": data.days.size,
        "points": data.points,
        "altitude": data.altitude.tolist(),
        "observed_until": data.observed_until,
        "data_origin": data.data_origin,
        "requests": data.requests,
    }
    values = np.stack([data.values[name] for name in QUANTITIES]).astype("<f4")
    return json.dumps(told).encode() + b"\n" + zlib.compress(values.tobytes(), _LEVEL)


def unpack(body: bytes) -> SnowData:
    """Return what `pack` made bytes of.

    Raises
    ------
    SourceError
        It is damaged, or something else.
    """
    head, _, rest = body.partition(b"\n")
    try:
        told = json.loads(head)
        points = tuple((int(x), int(y)) for x, y in told["points"])
        shape = len(QUANTITIES), int(told["n_days"]), len(points)
        values = np.frombuffer(zlib.decompress(rest), "<f4").reshape(shape)
        return SnowData(
            days=int(told["first"]) + np.arange(shape[1], dtype=np.int64),
            points=points,
            altitude=np.array(told["altitude"], dtype=np.float64).reshape(len(points)),
            values=dict(zip(QUANTITIES, values, strict=True)),
            observed_until=int(told["observed_until"]),
            data_origin="simulated" if told["data_origin"] == "simulated" else "live",
            requests=int(told["requests"]),
        )
    except (ValueError, KeyError, TypeError, zlib.error) as error:
        raise SourceError(f"kept snow of a cell is damaged: {error!r:.100}") from error
