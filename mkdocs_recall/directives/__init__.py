"""From a fence in Markdown to checked options."""
