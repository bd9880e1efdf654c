"""The text pipeline: HTML to blocks, sentences and terms. It uses no MkDocs, files or clock."""
