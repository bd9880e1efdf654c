"""Benchmarks of mkdocs-recall; `README.md` says how to run and read them."""
