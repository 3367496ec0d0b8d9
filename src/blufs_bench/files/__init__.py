"""Files that are complete whenever they exist."""
