"""langid."""
