"""The public face: the pages of a documentation, ready to be asked."""
