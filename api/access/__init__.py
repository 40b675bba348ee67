"""Who calls, what a plan allows, and how it is counted."""
