"""What reports have in common: typesetting, drawings, text."""
