"""Hosting countries and the IP algorithm, against a real name server on loopback and a database written here."""

import numpy as np
import pytest

from linksight.errors import BadConfig, BadData
from linksight.features.geo import HostingCountries
from linksight.models import load, make_classifier

#: Seconds for an answer that does come: a busy machine may be long about it.
PATIENCE_S = 60.0


def test_hosts_are_found_by_name_and_by_address(hosting):
    assert hosting.country("www.zeitung.de") == "de"
    assert hosting.country("10.4.9.9") == "fr"
    assert hosting.countries(["a.it", "a.es", "a.it"]) == ["it", "es", "it"]


def test_what_cannot_be_found_is_none_and_counted(database, dns_server):
    hosting = HostingCountries(database, nameservers=[dns_server.address], timeout_s=PATIENCE_S)
    assert hosting.countries(["a.unknown", "site.nowhere", "::1", "a.de"]) == [None, None, None, "de"]
    assert hosting.problems == {"no such host": 1, "no country": 2}


def test_who_does_not_answer_is_waited_for_no_longer_than_wanted(database, dns_server):
    hosting = HostingCountries(database, nameservers=[dns_server.address], timeout_s=0.3)
    assert hosting.country("slow.de") is None
    assert hosting.problems == {"no answer in time": 1}


def test_a_host_is_asked_for_once(database, serve_dns):
    server = serve_dns(lambda host: "10.1.0.1")
    hosting = HostingCountries(database, nameservers=[server.address], timeout_s=PATIENCE_S)
    assert hosting.countries(["a.de", "b.de"] * 20) == ["de"] * 40
    assert set(server.asked) == {"a.de", "b.de"}
    assert len(server.asked) < 20, "an answer that is late is asked for again, but not forty times"
    server.answer = lambda host: None
    assert hosting.country("a.de") == "de"


def test_the_cache_is_bounded_and_answers_stay_right(database, serve_dns):
    server = serve_dns(lambda host: "10.1.0.1" if host.endswith("de") else "10.4.0.1")
    hosting = HostingCountries(database, nameservers=[server.address], cache_size=2)
    assert hosting.countries(["a.de", "b.fr", "c.de", "d.fr"]) == ["de", "fr", "de", "fr"]
    assert hosting.countries(["a.de", "d.fr"]) == ["de", "fr"]
    assert len(hosting._cache) == 2


def test_hosts_wait_together(database, serve_dns):
    """Nobody is answered before eight are asked for: one after the other, the first would wait for ever."""
    names = {f"{name}.de" for name in "abcdefgh"}
    server = serve_dns(lambda host: "10.1.0.1" if names <= {*server.asked} else "silence")
    hosting = HostingCountries(database, nameservers=[server.address], timeout_s=PATIENCE_S)
    assert hosting.countries(sorted(names)) == ["de"] * 8
    assert not hosting.problems


@pytest.mark.parametrize(
    "record", [lambda code: {"country_code": code}, lambda code: {"registered_country": {"iso_code": code}}]
)
def test_databases_of_other_makers_are_read(record, tmp_path, make_mmdb):
    path = make_mmdb(tmp_path / "other.mmdb", {"10.0.0.0/8": "NL"}, record)
    assert HostingCountries(path).country("10.9.9.9") == "nl"


def test_a_database_that_is_none_is_refused(tmp_path):
    with pytest.raises(BadData, match="no such file"):
        HostingCountries(tmp_path / "missing.mmdb").country("10.0.0.1")
    (tmp_path / "text.mmdb").write_text("not a database")
    with pytest.raises(BadData, match=r"not an \.mmdb database"):
        HostingCountries(tmp_path / "text.mmdb").country("10.0.0.1")


def test_a_name_server_must_be_an_address(database):
    with pytest.raises(BadConfig, match="not a name server"):
        HostingCountries(database, nameservers=["dns.example"]).country("a.de")


def test_ip_needs_a_database_and_no_training(hosting):
    for algorithm in ("ip", "svm+ip"):
        with pytest.raises(BadConfig, match="needs hosting="):
            make_classifier(algorithm, language="de").fit(["http://a.de/", "http://a.fr/"], ["de", "fr"])
    classifier = make_classifier("ip", language="de", hosting=hosting)
    assert classifier.predict(["http://a.de/", "http://a.fr/", "not a url"]).tolist() == ["de", "und", "und"]


def test_ip_takes_the_path_of_a_database(database):
    classifier = make_classifier("ip", language="fr", hosting=database)
    assert classifier.predict(["http://10.4.0.1/", "http://10.1.0.1/"]).tolist() == ["fr", "und"]


def test_multi_class_ip_answers_und_for_other_countries(hosting):
    classifier = make_classifier("ip", hosting=hosting)
    assert classifier.predict(["http://a.de/", "http://a.nowhere/"]).tolist() == ["de", "und"]


def test_a_saved_ip_classifier_knows_where_it_looked(hosting, tmp_path):
    make_classifier("ip", language="it", hosting=hosting).fit().save(tmp_path / "ip.model")
    loaded = load(tmp_path / "ip.model")
    assert loaded.hosting.as_dict() == hosting.as_dict()
    assert loaded.predict(["http://a.it/", "http://a.de/"]).tolist() == ["it", "und"]


def test_svm_with_ip_says_no_only_when_both_do(hosting, corpus):
    urls, languages = corpus
    svm = make_classifier("svm", "words", "de", bits=14).fit(urls, languages)
    ip = make_classifier("ip", language="de", hosting=hosting)
    both = make_classifier("svm+ip", "words", "de", hosting=hosting, bits=14).fit(urls, languages)
    either = (svm.predict(urls) == "de") | (ip.predict(urls) == "de")
    np.testing.assert_array_equal(both.predict(urls) == "de", either)
    assert (ip.predict(urls) != svm.predict(urls)).any()
