"""What is searched, and for what: term statistics, queries, the pages that a source names."""
