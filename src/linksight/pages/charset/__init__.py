"""charset."""
