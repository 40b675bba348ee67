"""Every file format: a module of this folder with a `FORMAT` in it."""

import api.tmy.formats
from api.core.file_formats import declared
from api.tmy.formats.common.declaration import FileFormat

FORMATS: dict[str, FileFormat] = declared(api.tmy.formats)
"""By value."""

NAMES = {name: one.value for one in FORMATS.values() for name in one.names}
"""Values, by themselves and their aliases."""
