"""The search index: sentences and postings, the terms of a query, the pages of a source."""
