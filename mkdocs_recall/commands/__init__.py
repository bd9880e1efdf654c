"""The commands of `mkdocs-recall`, a module each, and what they share."""
