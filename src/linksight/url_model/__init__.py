"""url_model."""
