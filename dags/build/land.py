"""How land is built, which does not age: from blocks, over what is published already."""

from datetime import UTC, datetime
from typing import NamedTuple

from catalog.publish import Moment
from catalog.versions import Entry, read_index
from dags.build.blocks import BlockBuild, I
from dags.build.context import BuildContext
from tiles.blocks import published_records
from tiles.building import Corner
from tiles.clock import format_partition, parse_partition
from tiles.manifest import Manifest
from tiles.product import Product

_FOR_EVER = datetime(2100, 1, 1, tzinfo=UTC)


class Newest(NamedTuple):
    """The version that is published."""

    entry: Entry
    manifest: Manifest


class LandBuild(BlockBuild[I]):
    """Builds land: a version is the hour at which its build began, and stands for ever."""

    def newest(self, context: BuildContext) -> Newest | None:
        """Return the newest version; None where there is none yet."""
        entry = read_index(context.store, self.products[-1].name).newest(context.clock.now())
        return None if entry is None else Newest(entry, Manifest.read(context.store, entry.manifest))

    def published_keys(self, context: BuildContext, newest: Newest | None) -> dict[Corner, str]:
        """Return the keys of the published blocks."""
        records = published_records(context.store, newest.manifest) if newest else {}
        return {corner: record.key for corner, record in records.items()}

    def version(self, context: BuildContext, newest: Newest | None, build: str) -> str:
        """Return the newest version where it says that it is this build, else the hour."""
        same = newest is not None and newest.manifest.provenance.get("build") == build
        return newest.entry.version if newest and same else format_partition(context.clock.now())

    def moment(self, context: BuildContext, version: str) -> Moment:  # noqa: ARG002
        """Return the hour at which it was begun, and for ever."""
        hour = parse_partition(version)
        return Moment(hour, hour, _FOR_EVER)

    def base(self, context: BuildContext, product: Product, version: str) -> str | None:  # noqa: ARG002
        """Return the newest manifest, whatever its version."""
        newest = read_index(context.store, product.name).newest(context.clock.now())
        return None if newest is None else newest.manifest
