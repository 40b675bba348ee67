"""The v2.3b correction: factors on the clear-sky index by sun height, index class and lead."""

from tiles.dimensions import LEADS
from tiles.product import Dimension, Product, Variable
from tiles.validators import NothingMissing

PRODUCT = Product(
    name="correction",
    title="Correction table of the v2.3b forecast",
    description=(
        "Factor on the clear-sky index by sun elevation, index class and lead time, learned from past cycles and "
        "pyranometers. The version `identity` is all ones: nothing has been learned yet."
    ),
    dimensions=(
        Dimension("elevation", size=10, long_name="sun elevation, centre of the class", units="degree"),
        Dimension("kc", size=13, long_name="clear-sky index, centre of the class", units="1"),
        LEADS,
    ),
    variables=(
        Variable(
            "factor",
            long_name="factor on the clear-sky index",
            scale=0.0001,
            valid_min=0.2,
            valid_max=3.0,
            comment="1 leaves the source's clear-sky index as it is. Never missing.",
        ),
    ),
    chunk=(10, 13, 8),
    version_rule="`identity`, or the date of the training",
    validators=(NothingMissing(),),
)
