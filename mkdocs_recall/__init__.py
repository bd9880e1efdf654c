"""mkdocs-recall: a page asks the rest of the site a question, and the build quotes the answer."""

__version__ = "0.1.0"
