"""Pages of a site, a folder or a built site, read into documents."""
