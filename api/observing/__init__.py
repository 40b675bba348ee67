"""What operators see of the API: request ids, log lines and metrics."""
