"""The upstream simulator: one synthetic weather, served as the authorities serve theirs."""
