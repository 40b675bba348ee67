"""One worker of the horizon's builder: the piece in the middle of the made-up land, in a process of its own."""

import sys

from dags.areas import Area
from dags.build.horizon import horizon
from tests.bench.horizon_land import CLOCK, piece_in_the_middle
from tests.support.context import context_of
from tiles.grid import HORIZON


def main(store: str) -> None:
    """Begin a build of that piece, and make it."""
    place = piece_in_the_middle()
    lat, lon = HORIZON.centre((place.row + place.rows // 2, place.column + place.columns // 2))
    area = Area("piece", lat, lon, (place.rows - 4) * HORIZON.size / 1000)
    context = context_of(store, CLOCK, (area,), report=print)
    for group in horizon.build.begin(context):
        horizon.build.make_group(context, group)


if __name__ == "__main__":
    main(sys.argv[1])
