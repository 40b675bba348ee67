"""`GET /api/horizon/terrain`: what terrain hides, from the tiles."""
