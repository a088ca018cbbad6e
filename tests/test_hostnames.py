"""Names of hosts on the wire: what browsers ask for."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.errors import BadUrl
from linksight.urls.idna import wire_host


@pytest.mark.parametrize(
    ("host", "wire"),
    [
        ("straße.de", "xn--strae-oqa.de"),  # strasse.de is somebody else's
        ("STRAẞE.de", "xn--strae-oqa.de"),
        ("βόλος.com", "xn--nxasmm1c.com"),
        ("ΣΑΣ.gr", "xn--mxa9ab.gr"),
        ("نامه\u200cای.com", "xn--mgba3gch31f060k.com"),
        ("Bücher.DE", "xn--bcher-kva.de"),
        ("bu\u0308cher.de", "xn--bcher-kva.de"),
        ("b%C3%BCcher.de", "xn--bcher-kva.de"),
        ("ａ。b．de", "a.b.de"),
        ("mu\xadseum.nl", "museum.nl"),
        ("i❤\ufe0f.ws", "xn--i-7iq.ws"),
        ("xn--e1afmkfd.рф", "xn--e1afmkfd.xn--p1ai"),
        ("_dmarc.ü.de", "_dmarc.xn--tda.de"),
    ],
)
def test_a_host_goes_over_the_wire_as_browsers_send_it(host, wire):
    assert wire_host(host) == wire


@pytest.mark.parametrize(
    "host", ["", "a..ü", "ü" * 70 + ".de", "a／ü.de", "a＠ü", "ü%2Fa.de", "ü\ud800.de", "ü:80"]
)
def test_what_could_be_no_name_is_refused(host):
    with pytest.raises(BadUrl):
        wire_host(host)


@given(st.text(st.characters(codec="utf-8", categories=["L", "M", "N"]), min_size=1, max_size=20))
@settings(max_examples=300, deadline=None)
def test_letters_of_all_scripts_are_written_as_by_the_idna_package(label):
    idna = pytest.importorskip("idna")
    try:
        expected = idna.encode(f"{label}.de", uts46=True).decode()
    except idna.IDNAError:
        return  # rules of the registries, which browsers do not ask after
    assert wire_host(f"{label}.de") == expected
