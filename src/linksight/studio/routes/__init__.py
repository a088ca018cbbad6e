"""Routes: web (pages for people), api_v1 (the HTTP API)."""
