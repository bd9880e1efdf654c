"""Directives answered from a corpus, checked against what their authors expect, and locked."""
