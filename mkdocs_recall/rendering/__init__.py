"""A result as HTML or Markdown, put in the place of its directive."""
