"""One-liners for DuckDB, Polars, pandas and Scrapy, imported as the documentation has it."""

from __future__ import annotations

import pytest

from linksight.errors import LinksightError

URLS = ["http://www.zeitung.de/politik", "https://www.lemonde.fr/economie/", None, "mailto:a@b.org"]
LANGUAGES = ["de", "fr", "und", "und"]


class TestDuckdb:
    @pytest.fixture
    def db(self):
        import duckdb

        connection = duckdb.connect()
        yield connection
        connection.close()

    def test_functions_answer_and_leave_null_alone(self, db):
        import linksight.duckdb

        linksight.duckdb.register(db)
        db.execute("CREATE TABLE t AS SELECT unnest(?) AS url", [URLS])
        rows = db.sql("SELECT url_language(url), url_language_probability(url) FROM t").fetchall()
        assert [language for language, _ in rows] == ["de", "fr", None, "und"]
        expected = linksight.load().predict_table(URLS)["probability"].to_pylist()
        assert rows[0][1] == pytest.approx(expected[0])
        assert rows[2][1] is None

    def test_registering_again_replaces(self, db):
        import linksight.duckdb

        linksight.duckdb.register(db)
        linksight.duckdb.register(db, languages=["nl", "fr"])
        assert db.sql("SELECT url_language('http://www.zeitung.fr/nieuws')").fetchall()[0][0] in (
            "nl",
            "fr",
            "und",
        )
        with pytest.raises(LinksightError):
            linksight.duckdb.register(db, languages=["Klingonish"])


def test_polars_expressions_eager_and_lazy():
    import linksight.polars  # noqa: F401
    import polars as pl

    df = pl.DataFrame({"url": URLS})
    url = pl.col("url").linksight
    assert df.select(url.language())["url"].to_list() == LANGUAGES
    found = df.lazy().select(url.detect().struct.unnest()).collect()
    assert found.columns == ["language", "probability", "problem"]
    assert found["language"].to_list() == LANGUAGES
    assert df.select(url.probability(languages=["de", "fr"]))["url"][0] > 0.9
    assert df.lazy().with_columns(url.language().alias("l")).collect_schema()["l"] == pl.String


def test_the_pandas_accessor_keeps_the_index():
    import linksight.pandas  # noqa: F401
    import pandas as pd

    frame = pd.DataFrame({"url": URLS}, index=[7, 5, 3, 1])
    found = frame.join(frame["url"].linksight.detect())
    assert found["language"].tolist() == LANGUAGES
    assert found.index.tolist() == [7, 5, 3, 1]
    assert frame["url"].linksight.probability().loc[7] > 0.9
    assert frame["url"].linksight.language(languages="fr,nl").loc[5] == "fr"


class TestScrapy:
    def crawler(self, **settings):
        from scrapy.utils.test import get_crawler

        return get_crawler(settings_dict=settings)

    def test_links_in_the_wanted_language_come_first(self):
        from linksight.scrapy import LinkPriorityMiddleware
        from scrapy import Request

        middleware = LinkPriorityMiddleware.from_crawler(self.crawler(LINKSIGHT_LANGUAGES="Dutch,fy"))
        dutch, german = (
            Request("https://www.nu.nl/sport", priority=5),
            Request("https://www.zeitung.de/politik"),
        )
        found = list(middleware.process_spider_output(None, [german, {"an": "item"}, dutch]))
        assert found[1] == {"an": "item"}
        assert found[2].priority > 80 > 20 > found[0].priority
        assert found[2].meta["linksight_probability"] > 0.8

    def test_improbable_links_are_dropped_where_that_is_asked(self):
        from linksight.scrapy import LinkPriorityMiddleware
        from scrapy import Request

        crawler = self.crawler(LINKSIGHT_LANGUAGES=["nl"], LINKSIGHT_MIN_PROBABILITY=0.2)
        middleware = LinkPriorityMiddleware.from_crawler(crawler)
        links = [Request("https://www.zeitung.de/politik"), Request("https://www.nu.nl/sport")]
        assert [link.url for link in middleware.process_spider_output(None, links)] == [
            "https://www.nu.nl/sport"
        ]

    def test_without_languages_the_middleware_is_off(self):
        from linksight.scrapy import LinkPriorityMiddleware
        from scrapy.exceptions import NotConfigured

        with pytest.raises(NotConfigured, match="LINKSIGHT_LANGUAGES"):
            LinkPriorityMiddleware.from_crawler(self.crawler())

    @pytest.mark.parametrize("body", [str, str.encode])
    def test_items_get_the_labels_of_their_page(self, body):
        from linksight.scrapy import PageLanguagePipeline

        pipeline = PageLanguagePipeline.from_crawler(self.crawler())
        text = "<p>Dit is een gewone zin in het Nederlands, met een paar woorden over café en regen."
        item = pipeline.process_item({"url": "https://a.example/", "body": body(text)})
        assert (item["language"], item["script"], item["encoding"]) == ("nl", "Latn", "utf-8")
        assert pipeline.process_item({"title": "no page"}) == {"title": "no page"}

    def test_items_in_other_languages_are_dropped_where_that_is_asked(self):
        from linksight.scrapy import PageLanguagePipeline
        from scrapy.exceptions import DropItem

        crawler = self.crawler(LINKSIGHT_LANGUAGES=["fr"], LINKSIGHT_DROP_OTHERS=True)
        text = b"<p>Dit is een gewone zin in het Nederlands, met een paar woorden."
        with pytest.raises(DropItem, match="nl"):
            PageLanguagePipeline.from_crawler(crawler).process_item({"body": text})
