"""The history and age of pages, from git and the clock; opt-in."""
