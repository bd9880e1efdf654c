"""The text pipeline: pages to blocks, sentences and terms. Knows no MkDocs, no files, no clock."""
