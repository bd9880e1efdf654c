"""The command line, `mkdocs-recall …`, and the server and hook for agents."""
