"""What sites publish of themselves, so that others can ask them."""
