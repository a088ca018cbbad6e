"""HEAD: what health checks, link checkers and load balancers send."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "path", ["/v1/health", "/", "/pages", "/static/studio.css", "/v1/languages", "/nowhere"]
)
def test_a_head_is_what_get_answers_without_its_body(visitor, path):
    got, head = visitor.get(path), visitor.head(path)
    assert head.status_code == got.status_code
    assert head.content == b""
    for name in ("content-type", "content-length", "content-security-policy"):
        assert head.headers.get(name) == got.headers.get(name), name
    # On the same connection, which nothing is left over on.
    assert visitor.get("/v1/health").status_code == 200


def test_a_head_changes_nothing_and_needs_the_token_too(make_studio):
    with make_studio(token="secret" * 4).visitor() as stranger:
        assert stranger.head("/v1/health").status_code == 200
        assert stranger.head("/v1/languages").status_code == stranger.get("/v1/languages").status_code == 401
    with make_studio().visitor() as visitor:
        assert visitor.head("/v1/detect/batch").status_code == 405  # there is only a POST
