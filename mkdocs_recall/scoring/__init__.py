"""The scorers of sentences, one module each: pure functions that do not import each other."""
