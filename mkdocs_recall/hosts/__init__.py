"""Hosts of directives: MkDocs, other generators, Markdown and Sphinx extensions."""
