"""Processes that a worker starts for what it cannot do itself: pictures, heights. What they have in common."""
