"""What mkdocs-recall costs a build, measured; `README.md` says how to run it and how to read it."""
