"""schemathesis asks the API everything that its description allows, and much that it does not."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from linksight.studio.app import create_app
from linksight.studio.services.crawl_processes import Crawls

ROUTES = sorted(
    f"{method.upper()} {path}"
    for path, methods in create_app().openapi()["paths"].items()
    for method in methods
)


@schemathesis.serializer("application/x-ndjson")
def as_lines(_context, value):
    """Lines as they are."""
    return str(value).encode("utf-8", "replace")


@pytest.fixture(autouse=True)
def _no_crawls(monkeypatch):
    """Crawls are described and checked, but no process starts."""
    monkeypatch.setattr(Crawls, "_spawn", lambda *_: None)


@pytest.mark.parametrize("route", ROUTES)
def test_no_request_is_a_server_error(studio, route):
    method, path = route.split()
    schema = schemathesis.openapi.from_dict(studio.app.openapi())
    operation = schema[path][method]
    checks = [not_a_server_error, status_code_conformance, response_schema_conformance]

    @settings(max_examples=25, deadline=None, database=None, derandomize=True, phases=[Phase.explicit, Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    def ask(case):
        case.call_and_validate(base_url=studio.url, checks=checks, timeout=60)

    from hypothesis import given

    given(case=operation.as_strategy())(ask)()
    if "json" in str(operation.definition.raw.get("requestBody")):  # what the description does not allow, too
        given(case=operation.as_strategy(GenerationMode.NEGATIVE))(ask)()
