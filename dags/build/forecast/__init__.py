"""Forecast, day and nowcast."""
