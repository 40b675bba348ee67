"""The tool server: eight tools for AI assistants over the Model Context Protocol."""
