"""The measurements of a plant: its clear-sky production, and what they say about the plant."""
