"""Directives: fences in Markdown, and their checked options."""
