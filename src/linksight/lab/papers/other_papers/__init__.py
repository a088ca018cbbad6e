"""other_papers."""
