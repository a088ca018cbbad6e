"""ASGI layers around the application.

guard (host, origin, token, limits, headers) · proxy (forwarded headers) · request_body (size, gzip, idle time) ·
compression (gzip answers) · head (HEAD as GET) · rate_limits (token buckets) · metrics (Prometheus counters)
"""
