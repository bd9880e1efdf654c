"""The HTML reader, the only extractor: rendered HTML to runs of text and headings."""
