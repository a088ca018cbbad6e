"""Input and output of the API, as OpenAPI describes them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict, WithJsonSchema

EXAMPLE = "https://www.lemonde.fr/economie/"
MAX_PATTERNS = 10_000
MAX_URL_CHARACTERS = 60_000  #: of a single URL; the HTTP parser takes request lines of 64 KiB


class WrongPart(BaseModel):
    """One wrong part of a request."""

    pointer: str | None = Field(None, description="JSON pointer into the body", examples=["/languages"])
    parameter: str | None = Field(None, description="name of the query parameter")
    detail: str


class Problem(BaseModel):
    """An error, as application/problem+json (RFC 9457)."""

    type: str = Field(examples=["/api#bad-url"])
    title: str
    status: int
    detail: str = Field(description="a sentence that names the input and the reason")
    code: str = Field(description="a slug for programs", examples=["bad-url"])
    request_id: str = Field(description="also in the header X-Request-Id")
    errors: list[WrongPart] | None = Field(None, description="the wrong parts of the input")


_TEXTS = {
    400: "the body cannot be read",
    401: "a token is needed",
    403: "sent by a page of another site",
    404: "no such site, crawl, job or route",
    408: "the body stalled or was too slow",
    409: "the action conflicts with the state of the resource",
    413: "larger than allowed",
    415: "unsupported content type",
    421: "the studio is not called by this name",
    422: "invalid input; the detail names it",
    429: "too many requests, jobs or crawls",
    431: "the request line or the headers are too large",
    503: "service unavailable",
}
#: The errors of every route.
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {
        "description": text,
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for status, text in _TEXTS.items()
}


def json_body(model: type[BaseModel]) -> dict[str, Any]:
    """The description of a JSON body that a route parses by itself, with the example of its model."""
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


LanguageList = Annotated[
    list[str] | None, Field(description="choose among these only: codes, ISO 639-3 or names", max_length=300)
]
RateTable = Annotated[
    dict[str, Annotated[float, Strict()]] | None,
    Field(description="base rates of languages on your web", examples=[{"nl": 0.02}]),
]

Row = Annotated[
    Any, WithJsonSchema({"description": "a URL as text; any other value is a row with a problem"})
]


class Asked(BaseModel):
    """One URL and how to predict its language."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"url": EXAMPLE, "explain": True}]}
    )
    url: str = Field(examples=[EXAMPLE], max_length=MAX_URL_CHARACTERS)
    languages: LanguageList = None
    rates: RateTable = None
    explain: bool = Field(False, description="add the parts of the URL that decided")


class Candidate(BaseModel):
    """A language and its probability."""

    language: str
    probability: float


class Reason(BaseModel):
    """What one part of the URL adds to the score of a language."""

    feature: str
    language: str
    weight: float = Field(description="added to the log odds: +0.69 doubles the odds")
    text: str = Field(
        description="the same in words", examples=["“.fr” (top-level domain) counts for French"]
    )


class Answer(BaseModel):
    """The predicted language of one URL."""

    url: str
    language: str = Field(description="shortest BCP 47 code; und when no language is sure enough")
    probability: float
    candidates: list[Candidate]
    reasons: list[Reason] | None = Field(None, description="only with explain")


class Batch(BaseModel):
    """Many URLs."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"urls": [EXAMPLE, "http://www.zeitung.de/politik"]}]}
    )
    urls: list[Row] = Field(examples=[[EXAMPLE, "http://www.zeitung.de/politik"]])
    languages: LanguageList = None
    rates: RateTable = None


class BatchAnswer(BaseModel):
    """Columns in the order of the URLs."""

    count: int
    language: list[str]
    probability: list[float]
    problems: dict[str, str] = Field(description="why rows could not be used, by their position")


class Label(BaseModel):
    """Language, script and encoding of a page."""

    language: str
    script: str
    encoding: str
    confidence: float
    candidates: list[Candidate]
    spans: list[dict[str, Any]]
    declared: list[dict[str, Any]]
    reason: str | None


class Match(BaseModel):
    """URLs and the patterns to match them with: a site of the workbench, or wildcarded URLs."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"urls": ["https://a.org/p/17"], "patterns": ["http://a.org/p/*"]}]},
    )
    urls: list[Row] = Field(examples=[["https://a.org/p/17", "https://a.org/about"]])
    site: str | None = Field(None, description="the name of a site of the workbench")
    patterns: list[str] | None = Field(None, examples=[["http://a.org/p/*"]], max_length=MAX_PATTERNS)


class Matched(BaseModel):
    """For each URL the position of its pattern; -1 where none matches, -2 where it is not a web address."""

    patterns: list[dict[str, Any]]
    matches: list[int]


class SiteTask(BaseModel):
    """A site to learn: its URLs, or its address on the web."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"name": "shop", "urls": ["https://shop.example/product/1"]}]},
    )
    name: str = Field("", max_length=200)
    urls: list[Annotated[str, Strict()]] | None = Field(
        None, description="URLs to learn from; nothing is fetched"
    )
    home: str = Field("", max_length=2_000, description="address of the site, where no URLs are given")
    source: Literal["auto", "form", "sitemap", "crawl"] = Field(
        "auto", description="where its links come from"
    )
    hubs: int = Field(100, ge=1, le=1_000)
    delay: float = Field(1.0, ge=0, le=3_600, description="seconds between requests")


class SiteDetails(BaseModel):
    """A site of the workbench with its patterns."""

    id: int
    name: str
    home: str
    source: str
    state: str
    patterns: list[dict[str, Any]]


class CrawlTask(BaseModel):
    """A crawl to start."""

    model_config = ConfigDict(
        extra="forbid", strict=True,
        json_schema_extra={"examples": [{"seeds": ["https://www.nu.nl/"], "language": "nl", "max_pages": 100,
                                         "contact": "crawls@library.example"}]},
    )  # fmt: skip
    name: str | None = Field(None, max_length=60, pattern="^[A-Za-z0-9][A-Za-z0-9_-]*$")
    language: str = Field(max_length=60)
    seeds: list[Annotated[str, Field(max_length=2_000)]] = Field(min_length=1, max_length=10_000)
    contact: str | None = Field(None, max_length=200, description="address that site owners can write to")
    include: list[Annotated[str, Field(max_length=2_000)]] | None = Field(
        None,
        max_length=1_000,
        description="scope rules KIND:VALUE, such as domain:kb.nl; URLs must match one of them",
    )
    strategy: Literal["adaptive", "classifier", "filter", "cctld", "breadth-first", "random"] = "adaptive"
    keep: Literal["all", "target"] = "all"
    max_pages: int = Field(1_000, ge=0, le=10**9)
    max_pages_per_host: int | None = Field(None, ge=0, le=10**9)
    max_pages_per_site: int | None = Field(None, ge=0, le=10**9)
    max_depth: int | None = Field(None, ge=0, le=10**6)
    max_seconds: float | None = Field(None, ge=0, le=10**9)
    delay: float | None = Field(None, ge=0, le=3_600)
    concurrency: int | None = Field(None, ge=1, le=1_000)
    sample: int | None = Field(None, ge=0, le=10**6)


class CrawlDetails(BaseModel):
    """A crawl: phase and figures."""

    name: str
    language: str
    strategy: str
    phase: str = Field(description="starting, running, paused, stopped, done or failed")
    error: str
    pages: int
    hits: int = Field(description="pages in the language")
    harvest: float = Field(description="share of the pages in the language")
    bytes: int
    hosts: int
    queued: int


class JobState(BaseModel):
    """A job and its progress."""

    id: str
    kind: str
    title: str
    state: str = Field(description="waiting, running, done, failed or cancelled")
    done: int
    total: int = Field(description="0: unknown")
    message: str
    error: str
    link: str = Field(description="page of the result")
    seconds: float


class Language(BaseModel):
    """A language that the models know."""

    code: str
    name: str
    autonym: str
    scripts: list[str]
    urls: bool = Field(description="known from URLs")
    pages: bool = Field(description="known from pages")


class Health(BaseModel):
    """Whether the service can answer."""

    status: str
    version: str


#: Models of bodies and errors that no route names as a parameter.
COMPONENTS = (Problem, Match, Batch, SiteTask)
