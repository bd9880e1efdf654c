"""A directive: where it stands, what its options are, what its quote looks like."""
