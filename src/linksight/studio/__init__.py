"""The studio: linksight in the browser, and over HTTP.

config, server, http_protocol (settings, socket, limits on request heads) · app (the ASGI application) · middleware (host,
token, sizes, rates) · security (headers, cookies, form tokens) · routes (pages, API) · templating, rendering, templates,
static (HTML) · responses, openapi (JSON, errors, description) · jobs, tasks (background work) · services (without HTTP)
"""

from __future__ import annotations
