"""Routes: ``web`` (pages for people) and ``api_v1`` (the HTTP API)."""
