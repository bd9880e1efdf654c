"""Models of meaning and the vectors they make of texts; opt-in."""
