"""Opt-in factors beside words: models and their vectors, git, the time."""
