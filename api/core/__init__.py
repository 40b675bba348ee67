"""What every endpoint group uses: routing, errors, caches, executors, the server."""
