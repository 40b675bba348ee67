"""The days of snow of a place, from a tile or from the snow authority."""
