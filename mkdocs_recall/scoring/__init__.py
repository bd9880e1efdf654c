"""The scorers, one file each: pure functions of an index and a query. None imports another."""
