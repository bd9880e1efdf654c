"""Other generators than MkDocs: directives in finished sites, and in what builds them."""
