"""The MkDocs plugin: one build of a site, its directives and their quotes."""
