"""The text pipeline, HTML to blocks, sentences and terms. Knows no MkDocs, no files, no clock."""
