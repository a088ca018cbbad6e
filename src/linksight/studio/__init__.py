"""The studio: linksight in the browser and over HTTP.

app, config, server, http_protocol   the ASGI application, its settings, its socket, limits on request heads
middleware, security                 layers around every request; cookies, tokens and headers
routes, responses, openapi           web pages and API; answers and errors; the description of the API
services, rendering, templating      work behind the routes; parts of pages; templates
jobs, tasks                          the job queue, and what each kind of job does
"""

from __future__ import annotations
