"""The nightly removal of plants that nobody uses, and of uploads that nobody confirmed."""

from dags.build.context import BuildContext
from dags.build.plants.command import solflis


def build(context: BuildContext) -> None:
    """Delete unused plants, tell owners 30 days before, and close old uploads."""
    solflis(context, "plants", "retention")
