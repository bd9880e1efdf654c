"""What git and the clock say of pages; opt-in."""
