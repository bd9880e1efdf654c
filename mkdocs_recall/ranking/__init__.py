"""From an index and a request to a result: scores, the choice, and what is quoted."""
