"""The HTTP API: parse, slice, serialise."""
