"""gathering."""
