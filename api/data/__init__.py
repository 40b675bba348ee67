"""Readers of published data that several endpoint groups use."""
