"""The solar forecast: by point or site, its latest cycle, and the named sites."""
