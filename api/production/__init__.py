"""Production of Norway's counties now."""
