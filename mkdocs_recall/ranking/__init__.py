"""Ranking: the scores of sentences, the choice among them, and the quotation."""
