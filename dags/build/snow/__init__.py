"""Products of the snow authority's days."""
