"""The extended forecast: V1.5 first, then an external service's weather, up to ten days."""
