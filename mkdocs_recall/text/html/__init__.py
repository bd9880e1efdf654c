"""HTML to blocks: the only extractor there is."""
