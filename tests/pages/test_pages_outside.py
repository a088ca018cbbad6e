"""What readers from outside found: names of elements, comments, codecs, mixed bytes, single signs."""

from __future__ import annotations

import pytest

from linksight.pages import identify
from linksight.pages.charset import codepage_refinement, detector, labels
from linksight.pages.html import declarations, scanner

ARTICLE = b"The council decided yesterday that the old library beside the river will be rebuilt next spring."


@pytest.mark.parametrize(
    "name",
    [
        b"video-page",
        b"code-app",
        b"button-group",
        b"select-view",
        b"template-root",
        b"object-list",
        b"svg:g",
        b"Script-x",
    ],
)
def test_a_custom_element_is_not_the_element_that_its_name_begins_with(name):
    page = b"<%b class='a'><p>%b</p></%b>" % (name, ARTICLE, name)
    assert [block.text for block in scanner.parse(page)] == [ARTICLE]


@pytest.mark.parametrize("end", [b"</video>", b"</VIDEO >", b"</video/>", b"</video\n>"])
def test_only_the_exact_name_ends_a_raw_element(end):
    page = b"<video><p>no</video-page><p>neither" + end + b"<p>" + ARTICLE
    assert [block.text for block in scanner.parse(page)] == [ARTICLE]


def test_an_article_inside_a_custom_element_has_its_language():
    assert identify(b"<video-page><article>" + ARTICLE + b"</article></video-page>").language == "en"


def declared(head: bytes) -> list[tuple[str, str, str]]:
    return declarations.scan(b"<html><head>" + head + b"</head><body><p>" + ARTICLE)


@pytest.mark.parametrize(
    "comment",
    [
        b"<!-- %b -->",
        b"<!--[if IE]>%b<![endif]-->",
        b"<!--> <!-- %b -->",
        b"<!--" + b" " * 3_000 + b"%b" + b" " * 20_000 + b"-->",
    ],
)
def test_metas_inside_comments_declare_nothing(comment):
    old = b'<meta charset="koi8-r"><meta http-equiv="content-language" content="fr"><link hreflang="de">'
    assert declared(comment % old) == []
    now = b'<meta charset="windows-1251">'
    assert declared(comment % old + now) == [("meta", "encoding", "windows-1251")]


def test_a_comment_without_an_end_hides_nothing():
    assert declared(b'<!-- old <meta charset="koi8-r">') == [("meta", "encoding", "koi8-r")]


def test_an_unknown_label_does_not_hide_the_next_meta():
    found = declared(b'<meta charset="none-such"><meta charset="windows-1251"><meta charset="koi8-r">')
    assert found == [("meta", "encoding", "none-such"), ("meta", "encoding", "windows-1251")]
    text = "Привет, мир: новости".encode("cp1251")
    label = identify(b'<meta charset="none-such"><meta charset="windows-1251"><p>' + text)
    assert [(one.value, one.agrees) for one in label.declared] == [
        ("none-such", None),
        ("windows-1251", True),
    ]


RETURNED = sorted(
    {
        *labels.names(),
        *(name for name, _ in detector.load().names),
        *(name for family in codepage_refinement.FAMILIES for name in family),
        "ascii",
        "gb2312",
        "utf-16",
        "utf-32",
    }
)


@pytest.mark.parametrize("name", RETURNED)
def test_python_decodes_every_encoding_that_a_label_can_have(name, tmp_path):
    data = b"abc" * 4
    if name in ("utf-16", "utf-32", "utf-32le", "utf-32be"):
        data = "abc".encode(name)
    assert data.decode(name) == labels.decode(data, name)
    (tmp_path / "page").write_bytes(data)
    with (tmp_path / "page").open(encoding=name) as file:
        assert file.read() == labels.decode(data, name)


def test_codecs_of_the_package_decode_letters_as_it_does():
    text = "Բոլոր մարդիկ ծնվում են ազատ"
    assert text.encode("armscii-8").decode("ARMSCII-8") == text
    with pytest.raises(UnicodeEncodeError, match="only be read"):
        "abc".encode("t.61")
    with pytest.raises(LookupError):
        b"abc".decode("none-such")


@pytest.mark.parametrize("body", [b"plain words", "cafés à Paris".encode(), "\ufeffслово".encode("utf-16")])
def test_an_encoding_that_the_bytes_show_is_certain(body):
    label = identify(body)
    assert label.encoding_candidates == ((label.encoding, 1.0),)
    assert label.as_dict()["encoding_confidence"] == label.encoding_confidence == 1.0


def test_a_binary_file_has_no_encoding_confidence():
    for body in (b"%PDF-1.4", bytes(range(256)) * 4):
        assert (identify(body).encoding, identify(body).encoding_confidence) == ("binary", 0.0)


def test_a_long_text_is_surer_of_its_encoding_than_one_word_is():
    long, short = identify((RUSSIAN * 4).encode("koi8-r")), identify("naïve".encode("cp1252"))
    assert (long.encoding, long.encoding_confidence) == ("koi8-r", 1.0)
    assert 0 < short.encoding_confidence < 0.99
    first, *others = short.encoding_candidates
    assert first == (short.encoding, short.encoding_confidence)
    assert sum(probability for _, probability in short.encoding_candidates) <= 1.001
    letters = "naïve".encode("cp1252")
    assert others
    assert all(labels.decode(letters, name) != labels.decode(letters, first[0]) for name, _ in others)


def test_a_declared_encoding_is_surer():
    body = "<p>naïve".encode("cp1252")
    plain, named = identify(body), identify(b'<meta charset="windows-1252">' + body)
    assert named.encoding == "windows-1252"
    assert named.encoding_confidence > dict(plain.encoding_candidates).get("windows-1252", 0.0)


INVISIBLE = "\u200b\u2060\ufeff\xad\u200c\u200d\u200e"


@pytest.mark.parametrize("sign", [*INVISIBLE, "&#8203;", "&shy;"])
@pytest.mark.parametrize("language", ["en", "ru"])
def test_characters_without_width_between_letters_change_nothing(language, sign):
    text = ENGLISH[0] if language == "en" else RUSSIAN
    plain = identify(f"<p>{text}".encode())
    label = identify(f"<p>{sign.join(text)}".encode())
    assert (label.language, label.confidence, label.reason) == (language, plain.confidence, None)


def test_the_joiner_of_persian_stays_a_part_of_its_spelling():
    text = "او می\u200cخواهد خانه\u200cهای قدیمی شهر را ببیند و کتاب\u200cهای تازه بخرد."
    assert identify(f"<p>{text}".encode()).language == "fa"


WELSH = (
    "Penderfynodd y cyngor ddoe y bydd yr hen lyfrgell ger yr afon yn cael ei hailadeiladu y gwanwyn nesaf. Mae'r tŷ"
    " yn hen iawn a'r dŵr yn dod i mewn, ac mae'r llyfrau yn y seler. "
)


def test_welsh_in_its_own_encoding_is_not_taken_for_a_baltic_one():
    label = identify((WELSH * 2).encode("iso-8859-14"))
    assert (label.encoding, label.language) == ("iso-8859-14", "cy")


@pytest.mark.parametrize("first", ["Ａａ", "𝐀𝐚", "𝖠𝖺"])
def test_full_width_and_mathematical_letters_are_read(first):
    capital, small = map(ord, first)
    text = "".join(
        chr(capital + ord(c) - 65) if c.isupper() else chr(small + ord(c) - 97) if c.isalpha() else c
        for c in ENGLISH[0]
    )
    assert (identify(text.encode()).language, identify(text.encode()).script) == ("en", "Latn")


PROGRAM = (
    "const c = canvas.getContext('2d');\nfor (let i = 0; i < n; i++) {\n  c.lineTo(p[i].x, p[i].y);\n}\n"
)
ICELANDIC = (
    "Bæjarstjórnin ákvað í gær að gamla bókasafnið við ána verði endurbyggt næsta vor. Þak hússins lekur. "
)


@pytest.mark.parametrize(
    "page", [f"<p>{ICELANDIC * 3}<pre>{PROGRAM * 20}</pre>", PROGRAM + (ICELANDIC + "\n") * 3 + PROGRAM * 2]
)
def test_a_page_in_a_sibling_code_page_is_read_as_in_utf_8_without_its_programs(page):
    plain, old = identify(page.encode()), identify(page.encode("cp861"))
    assert (old.encoding, old.language) == ("ibm861", "is")
    assert (old.candidates, old.reason) == (plain.candidates, plain.reason)


@pytest.mark.parametrize("body", [b"", b"12 34 %", b"%PDF-1.4", "ᬅᬓ᭄ᬱᬭ".encode()])
def test_a_refused_answer_has_no_confidence(body):
    label = identify(body)
    assert label.language in ("und", "zxx")
    assert (label.confidence, label.reliable) == (0.0, False)


@pytest.mark.parametrize("text", ["hoi", "ok", "ba", "shi ni ta"])
def test_a_word_is_no_reliable_text(text):
    label = identify(text.encode())
    assert label.confidence < 0.95
    assert not label.reliable


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (b"<META CHARSET=KOI8-R>", ["koi8-r"]),
        (b"<meta charset = 'koi8-r' >", ["koi8-r"]),
        (b"<meta\nname=x\tcharset=koi8-r/>", ["koi8-r"]),
        (b'<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">', ["koi8-r"]),
        (b'<meta content="text/html;charset=koi8-r" http-equiv=content-type>', ["koi8-r"]),
        (b"<p charset=koi8-r><link charset=koi8-r>", []),
        (b"<p>meta charset=koi8-r", []),
        (b"<meta charset>", []),
        (b"<meta charset=''>", []),
        (b"<title>charset=koi8-r</title><meta charset=ibm866>", ["ibm866"]),
        (b'<?xml version="1.0" encoding="koi8-r"?>', ["koi8-r"]),
    ],
)
def test_the_prescan_reads_encodings_as_browsers_do(head, found):
    body = head if head.startswith(b"<?") else b"<html><head>" + head
    assert [value for _, kind, value in declarations.scan(body) if kind == "encoding"] == found


def test_croatian_of_the_macintosh_is_read_by_its_own_code_page():
    text = "Šest đaka iz čitave županije došlo je u školu kasno, jer je most preko rijeke “Sava” bio zatvoren cijelu noć."
    assert labels.find("x-mac-croatian") == "mac-croatian"
    body = b'<meta charset="x-mac-croatian"><p>' + (text * 3).encode("mac_croatian")
    label = identify(body)
    assert (label.encoding, body.decode(label.encoding).count("“Sava”")) == ("mac-croatian", 3)


RUSSIAN = (
    "Городской совет решил вчера, что старую библиотеку у реки весной перестроят: крыша протекает, а книги давно"
    " лежат в подвале соседней школы. "
)
HEAD = "<html><head><title>%s</title>%s<style>%s</style></head><body>"


def mixed(title: str, meta: str, body: bytes) -> bytes:
    return (HEAD % (title, meta, "p { margin: 0 } " * 400)).encode() + body


@pytest.mark.parametrize("meta", ['<meta charset="windows-1251">', '<meta charset="utf-8">', ""])
@pytest.mark.parametrize("times", [1, 40])
def test_a_title_in_utf_8_does_not_decide_for_a_body_in_another_encoding(meta, times):
    body = b"<p>" + (RUSSIAN * 40).encode("windows-1251") + b"</p>"
    label = identify(mixed("Газета города: погода, рассказы, театры " * times, meta, body))
    assert (label.encoding, label.language, label.script) == ("windows-1251", "ru", "Cyrl")


@pytest.mark.parametrize("place", [0, 20, 39])
def test_a_comment_in_another_encoding_does_not_decide_for_a_page_in_utf_8(place):
    parts = [f"<p>{RUSSIAN}</p>".encode()] * 40
    parts[place] = b"<p>" + RUSSIAN.encode("windows-1251") + b"</p>"
    for meta in ('<meta charset="utf-8">', ""):
        label = identify(mixed("Газета", meta, b"".join(parts)))
        assert (label.encoding, label.language) == ("utf-8", "ru"), meta
    parts[::5] = [b"<p>" + RUSSIAN.encode("windows-1251") + b"</p>"] * 8
    assert identify(mixed("Газета", '<meta charset="utf-8">', b"".join(parts))).encoding == "utf-8"


ENGLISH = [
    "The city council decided yesterday that the old library beside the river will be rebuilt next spring.",
    "Many residents asked for longer opening hours and for a reading room that is quiet in the evening.",
    "The architect showed a model of the new entrance, which leads straight to the shelves for children.",
    "Nobody knows yet how the repairs of the roof will be paid for, as the budget was spent last year.",
    "Until the work is finished the books are kept in the cellar of the school on the other bank.",
]
FOREIGN = {
    "de": "Unsere Agentur aus Hamburg gestaltet Webseiten und Anwendungen für Kunden in ganz Europa. Wir beraten"
    " Unternehmen bei der Auswahl ihrer Werkzeuge und begleiten sie von der ersten Skizze bis zum fertigen Auftritt.",
    "es": "Nuestra agencia de Sevilla diseña páginas y programas para clientes de toda Europa. Aconsejamos a las"
    " empresas sobre sus herramientas y las acompañamos desde el primer boceto hasta el resultado final.",
    "ru": "Наше агентство из Казани создаёт сайты и программы для заказчиков со всей Европы. Мы советуем"
    " компаниям, какие инструменты выбрать, и помогаем им от первого наброска до готовой страницы.",
    "ko": "저희 회사는 유럽 전역의 고객을 위해 웹사이트와 프로그램을 만듭니다. 어떤 도구를 고를지 조언하고 첫 그림부터"
    " 완성된 페이지까지 함께합니다.",
}


@pytest.mark.parametrize("language", FOREIGN)
@pytest.mark.parametrize("place", [0, 10, 20])
def test_one_foreign_paragraph_does_not_decide_for_twenty_english_ones(language, place):
    paragraphs = [f"{ENGLISH[n % 5]} {ENGLISH[(n // 5 + n) % 5]}" for n in range(20)]
    paragraphs.insert(place, FOREIGN[language])
    page = "<title>News</title>" + "".join(f"<p>{text}</p>" for text in paragraphs)
    assert identify(page.encode()).language == "en"


@pytest.mark.parametrize("language", FOREIGN)
def test_one_english_paragraph_does_not_decide_for_ten_foreign_ones(language):
    page = f"<title>X</title><p>{' '.join(ENGLISH[:2])}</p>" + f"<p>{FOREIGN[language]}</p>" * 10
    assert identify(page.encode()).language == language


GOODS = "KLINTARP SÖDERHAMN VISSLE LÅNGBAN HYLTARP TALLMYRA GRÄNSEL HEMMESTA KLAGSHAMN FÄRINGE GUNNARED MORABO".split()


def test_goods_with_foreign_names_leave_a_page_to_the_english_that_it_declares():
    names = [f"<li>Option: {a}, loveseat, {b} dark green</li>" for a in GOODS for b in GOODS[:2] if a != b]
    text = f"<p>{ENGLISH[0]} {ENGLISH[1]}</p><p>{ENGLISH[2]}</p>"
    page = f'<html lang="en-US"><title>Modern sofas</title>{text}<ul>{"".join(names)}</ul>'
    assert identify(page.encode()).language == "en"


def test_filler_is_no_latin():
    lorem = "<p>Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore.</p>"
    page = f"<p>{ENGLISH[0]} {ENGLISH[1]}</p><p>{ENGLISH[3]}</p>" + lorem * 20
    assert identify(page.encode()).language == "en"


def test_a_style_sheet_that_is_cut_off_is_no_text():
    css = '.a::b{background-image:url("data:image/svg+xml,<svg width=1><path d=M0/></svg>");color:red}' * 300
    assert identify(f"<title>{ENGLISH[0]}</title><style>{css}".encode()).language == "en"


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (b"<meta charset=koi8-r>", ["koi8-r"]),
        (b"<META CharSet = 'koi8-r' />", ["koi8-r"]),
        (b"<meta content='text/html; charset=koi8-r' http-equiv=Content-Type>", ["koi8-r"]),
        (b"<meta content='text/html; charset=koi8-r'>", []),
        (b"<meta http-equiv='Content-Style-Type' content='text/css; charset=koi8-r'>", []),
        (b"<meta http-equiv=Content-Type content='text/html; charset=\"koi8-r'>", []),
        (b"<metacharset=koi8-r>", []),
        (b"<p title='<meta charset=koi8-r>'>", []),
        (b"<meta title='\" charset=koi8-r>'>", []),
        (b"<meta charset=koi8-r", []),
        (b"<meta charset=no-such><meta charset=koi8-r>", ["koi8-r"]),
        (b"<meta charset=utf-16>", ["utf-8"]),
    ],
)
def test_encodings_are_declared_as_the_html_standard_reads_them(head, found):
    assert declarations.encodings_of(declarations.scan(head)) == found


@pytest.mark.parametrize("part", [b"<a ", b'<a b="', b"<a x='\"", b"<m = ", b"<", b"<a /"])
def test_a_prescan_of_markup_without_end_is_linear(part):
    """A failed match at each of thousands of places would take seconds."""
    assert declarations.scan(part * 2_000 + b"charset=utf-8") == []
