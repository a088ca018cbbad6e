"""Reading ahead ends where the work ends: Arrow that still reads when Python ends aborts the process."""

from __future__ import annotations

import itertools
import threading
from contextlib import closing
from types import SimpleNamespace

import pyarrow as pa
import pytest

from linksight.bulk.job import label_stream
from linksight.bulk.read_ahead import ahead, mapped
from linksight.errors import BadData


class Endless:
    """A source that never ends by itself, and says when it was closed."""

    def __init__(self, block=int):
        self.closed = threading.Event()
        self.block = block

    def blocks(self):
        try:
            yield from map(self.block, itertools.count())
        finally:
            self.closed.set()


def refuse(item):
    raise BadData(f"no column in {item}")


def test_an_error_in_the_work_ends_the_reading_before_it_is_raised():
    source = Endless()
    with pytest.raises(BadData):
        list(mapped(refuse, ahead(source.blocks())))
    assert source.closed.is_set()


def test_work_that_is_left_early_ends_the_reading():
    source = Endless()
    with closing(mapped(str, ahead(source.blocks()))) as made:
        assert next(made) == (0, "0")
    assert source.closed.is_set()


def test_an_error_in_the_writing_ends_the_reading():
    source = Endless(lambda _: SimpleNamespace(where="urls.txt"))
    found = pa.table({"language": ["nl"], "probability": [1.0], "problem": pa.nulls(1, pa.string())})
    labels = SimpleNamespace(of=lambda _: found)
    with pytest.raises(BadData):
        label_stream(source, labels, SimpleNamespace(write=refuse), lambda _: None)
    assert source.closed.is_set()


def test_a_reader_that_waits_for_a_pipe_is_not_waited_for(monkeypatch):
    monkeypatch.setattr("linksight.bulk.read_ahead.TIMEOUT_SECONDS", 0.01)
    come = threading.Event()

    def waiting():
        yield 0
        come.wait()

    with closing(ahead(waiting())) as items:
        assert next(items) == 0
    come.set()
