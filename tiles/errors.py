"""What can be wrong with a tile."""


class TileError(Exception):
    """Base of everything that is wrong with a tile; the text is one sentence for the operator."""


class TileCorrupt(TileError):
    """Something that the manifest promises is absent, or is not what was written."""


class SchemaUnsupported(TileError):
    """The tile's schema is one that this code does not read."""


class DraftInvalid(TileError):
    """A validator refused a draft; it is not published."""
