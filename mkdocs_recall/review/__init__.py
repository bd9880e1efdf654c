"""What teams ask of answers: approved ones, the impact of an edit, receipts."""
