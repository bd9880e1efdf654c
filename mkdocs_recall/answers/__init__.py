"""Answers to directives: computed, checked, locked, and written as HTML and Markdown."""
