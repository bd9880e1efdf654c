"""What may count beside words: models and their vectors, git, the time; all opt-in."""
