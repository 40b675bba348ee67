"""The upstream sources: one module per authority, and what they share."""
