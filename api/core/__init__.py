"""The shared core of the endpoint groups: routing, errors, caches, executors, the server."""
