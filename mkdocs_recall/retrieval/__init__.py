"""Retrieval: the sentences of an index that answer queries or sum up pages, as a result."""
