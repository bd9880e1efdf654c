"""The public face: the pages of a documentation, ready for queries."""
