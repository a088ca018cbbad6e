"""What travels over HTTP, as OpenAPI describes it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, Strict, WithJsonSchema

EXAMPLE = "https://www.lemonde.fr/economie/"
#: What a client may send and get wrong, in the documentation of every route.
ERRORS: dict[int | str, dict[str, Any]] = {}


class ErrorText(BaseModel):
    """What went wrong."""

    code: str = Field(description="a slug for programs", examples=["bad-url"])
    message: str = Field(description="a sentence for people, naming the input and the reason")


class Problem(BaseModel):
    """Every error has this shape."""

    error: ErrorText


_TEXTS = {
    400: "the body cannot be read",
    401: "a token is needed",
    403: "asked by a page of another site",
    413: "larger than is allowed",
    415: "a content type that is not understood here",
    421: "the studio is not called by this name",
    422: "the input cannot be used; the message names it",
    429: "too many requests",
    503: "not to be had now",
}
ERRORS.update({status: {"model": Problem, "description": text} for status, text in _TEXTS.items()})

LanguageList = Annotated[
    list[str] | None, Field(description="choose among these only: codes, ISO 639-3 or names", max_length=300)
]
RateTable = Annotated[
    dict[str, Annotated[float, Strict()]] | None,
    Field(description="base rates of languages on your web", examples=[{"nl": 0.02}]),
]

#: A row of many: text or a gap is what to send, but whatever else comes is a row that is marked, as in a list.
Row = Annotated[Any, WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "null"}]})]


class Asked(BaseModel):
    """A question about one URL."""

    model_config = ConfigDict(extra="forbid")
    url: str = Field(examples=[EXAMPLE], max_length=100_000)
    languages: LanguageList = None
    rates: RateTable = None
    explain: bool = Field(False, description="say which parts of the URL spoke for which language")


class Candidate(BaseModel):
    """A language and how likely it is."""

    language: str
    probability: float


class Reason(BaseModel):
    """What one part of the URL adds to a language's score."""

    feature: str
    language: str
    weight: float


class Answer(BaseModel):
    """The language behind one URL."""

    url: str
    language: str = Field(description="shortest BCP 47 code; und when no language is sure enough")
    probability: float
    candidates: list[Candidate]
    reasons: list[Reason] | None = Field(None, description="only where they were asked for")


class Batch(BaseModel):
    """Many URLs at a time."""

    model_config = ConfigDict(extra="forbid")
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

    model_config = ConfigDict(extra="forbid")
    urls: list[Row] = Field(examples=[["https://a.org/p/17", "https://a.org/about"]], max_length=1_000_000)
    site: str | None = Field(None, description="the name of a site of the workbench")
    patterns: list[str] | None = Field(None, examples=[["http://a.org/p/*"]], max_length=10_000)


class Matched(BaseModel):
    """For each URL the position of its pattern; -1 where none matches, -2 where it is no web address."""

    patterns: list[dict[str, Any]]
    matches: list[int]


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
