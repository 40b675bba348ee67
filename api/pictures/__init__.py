"""Pictures: drawn by a process outside the API, which never holds matplotlib itself."""
