"""The command line, `mkdocs-recall …`: a module for each command or family of commands."""
