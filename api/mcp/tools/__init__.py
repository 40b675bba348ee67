"""The tools, one module each."""
