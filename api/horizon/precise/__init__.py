"""Level 3: what shades a panel, and what that costs in a typical year."""
