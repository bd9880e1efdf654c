"""From an index and a query to a result: which sentences are quoted."""
