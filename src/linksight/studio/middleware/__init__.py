"""ASGI layers around the application.

guard, proxy, rate_limits    host, origin, token and limits; forwarded headers; token buckets
request_body, compression    size and gzip of bodies; gzip of answers
head, metrics                HEAD as GET; Prometheus counters
"""
