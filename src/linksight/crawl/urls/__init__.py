"""urls."""
