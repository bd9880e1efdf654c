"""The configuration of the mill's documentation."""

project = "Larch Mill"
extensions = ["myst_parser", "mkdocs_recall.hosts.sphinx_extension"]
exclude_patterns = ["built"]
myst_enable_extensions = ["colon_fence"]
