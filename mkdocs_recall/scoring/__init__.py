"""How sentences are scored: one file for each scorer or algorithm."""
