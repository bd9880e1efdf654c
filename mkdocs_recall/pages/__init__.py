"""Pages of a site, a folder, a built or a published site, and the corpus that answers."""
