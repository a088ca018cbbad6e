"""Encodings: labels, decoders of our own, and telling one from its bytes."""

from __future__ import annotations

import codecs
import random
import unicodedata
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.pages import identify
from linksight.pages.charset import byte_signatures, detector, labels
from linksight.pages.charset.codecs import t61

TEXTS = {
    "ru": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.",
    "pl": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.",
    "el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική και συνείδηση.",
    "he": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך חובה עליהם לנהוג איש ברעהו ברוח של אחוה.",
    "ja": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。",
    "ko": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다.",
    "zh": "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。人人有资格享有本宣言所载的一切权利和自由。",
    "zh-Hant": "人人生而自由,在尊嚴和權利上一律平等。他們賦有理性和良心,並應以兄弟關係的精神相對待。人人有資格享有本宣言所載的一切權利和自由。",
    "th": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม และควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ",
    "tr": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler. Herkesin yaşamaya hakkı vardır, öğrenim özgürlüğü de.",
    "ar": "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء.",
    "fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité, privé, célèbre, à côté.",
    "lt": "Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. Jiems suteiktas protas ir sąžinė ir jie turi elgtis vienas kito atžvilgiu kaip broliai, čia ir šiandien.",
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "encoding"),
    [("ru", "windows-1251"), ("ru", "koi8-r"), ("ru", "iso-8859-5"), ("ru", "ibm866"), ("ru", "mac-cyrillic"), ("pl", "windows-1250"), ("pl", "iso-8859-2"), ("pl", "ibm852"), ("el", "windows-1253"), ("he", "windows-1255"), ("ja", "shift_jis"), ("ja", "euc-jp"), ("ko", "euc-kr"), ("zh", "gb2312"), ("zh-Hant", "big5"), ("th", "tis-620"), ("tr", "windows-1254"), ("ar", "windows-1256"), ("ar", "iso-8859-6"), ("fr", "windows-1252"), ("fr", "macintosh"), ("lt", "windows-1257")],
)  # fmt: skip
def test_legacy_text_without_a_declaration_is_decoded_right(language, encoding):
    body = TEXTS[language].encode(encoding)
    assert labels.decode(body, detector.guess(body)) == TEXTS[language]


def test_vietnamese_encodings_without_a_codec_are_told_and_read(data):
    with zipfile.ZipFile(data / "texts/udhr2.zip") as archive:
        text = unicodedata.normalize("NFC", archive.read("udhr2/vie.txt").decode())[1500:4000].lower()
    chart = {character: bytes([place]) for place, character in enumerate(labels.chart("viscii"))}
    body = b"".join(chart.get(c, b" ") for c in text)
    assert detector.guess(body) == "viscii"
    assert "quyền" in labels.decode(body, "viscii")


@pytest.mark.parametrize(
    "label",
    [
        "UTF-8",
        "utf8",
        " iso-8859-1 ",
        "Windows-1252",
        "x-sjis",
        "ks_c_5601-1987",
        "koi8_r",
        "csISO2022JP",
        "gb_2312-80",
        "dos-874",
    ],
)
def test_labels_of_the_web_are_known(label):
    assert labels.find(label)


def test_every_name_can_be_decoded_and_python_finds_a_codec():
    for name in labels.names():
        labels.decode(b"abc", name)
        assert codecs.lookup(name)


@pytest.mark.parametrize(
    "encoding",
    [
        "utf-16",
        "utf-16-le",
        "utf-16-be",
        "utf-32",
        "utf-32-le",
        "utf-32-be",
        "iso-2022-jp",
        "hz",
        "utf-8-sig",
    ],
)
def test_marks_nuls_and_escapes_leave_no_doubt(encoding):
    text = (
        TEXTS["ja"] if encoding == "iso-2022-jp" else TEXTS["zh"] if encoding == "hz" else "<p>" + TEXTS["fr"]
    )
    body = text.encode(encoding)
    found = byte_signatures.by_mark(body)
    assert found
    assert labels.decode(body, found).lstrip("\ufeff") == text


def test_a_character_cut_at_the_end_is_still_utf_8():
    for size in range(1, 40):
        assert byte_signatures.is_utf8(("é" * 10 + "漢字" * 10).encode()[:size])


def test_a_few_damaged_characters_do_not_make_a_page_legacy():
    assert byte_signatures.is_utf8(("é" * 100).encode() + b"\xff " + ("é" * 100).encode())
    assert not byte_signatures.is_utf8(TEXTS["fr"].encode("latin-1"))


VIETNAMESE = "Hôm qua trời mưa rất to nên chúng tôi không thể đi chợ. Mẹ tôi ở nhà nấu cơm, còn bố tôi đọc báo và kể cho chúng tôi nghe những câu chuyện về thời thơ ấu của ông ở một ngôi làng nhỏ bên bờ sông Hồng."
HEBREW = "אתמול ירד גשם חזק ולכן לא יכולנו ללכת אל השוק. אמא נשארה בבית ובישלה מרק לכולם, ואבא סיפר לנו סיפורים על הימים שבהם היה ילד קטן בכפר ליד הים. בערב באו השכנים ושתינו תה עם עוגיות."
CHINESE = "昨天下了一场大雨,所以我们没有去市场。妈妈在家里做饭,爸爸看报纸,还给我们讲他小时候在河边的村子里生活的故事。"


@pytest.mark.parametrize("encoding", ["viscii", "tcvn", "vps"])
def test_vietnamese_in_eight_bits_is_told_and_read(encoding):
    chart = {character: bytes([place]) for place, character in enumerate(labels.chart(encoding))}
    body = b"".join(chart[character] for character in VIETNAMESE)
    page = identify(b"<html><body><p>" + body)
    assert (page.encoding, page.language) == (encoding, "vi")
    assert labels.decode(body, encoding) == VIETNAMESE


def viqr(text: str) -> bytes:
    """As people typed it: the shape of a vowel, then its tone; stops and question marks escaped."""
    signs = {
        "\u0302": "^",
        "\u0306": "(",
        "\u031b": "+",
        "\u0301": "'",
        "\u0300": "`",
        "\u0309": "?",
        "\u0303": "~",
        "\u0323": ".",
    }
    typed = []
    for character in text.replace(".", "\\.").replace("?", "\\?"):
        base, *byte_signatures = unicodedata.normalize("NFD", character.replace("đ", "dd").replace("Đ", "DD"))
        typed.append(
            base + "".join(sorted((signs.get(m, m) for m in byte_signatures), key="^(+d'`?~.".index))
        )
    return "".join(typed).encode("ascii")


def test_viqr_is_told_and_read():
    body = viqr(VIETNAMESE)
    page = identify(b"<title>Nha` to^i</title><p>" + body)
    assert (page.encoding, page.language, page.script) == ("viqr", "vi", "Latn")
    assert labels.decode(body, "viqr") == VIETNAMESE


@pytest.mark.parametrize("text", ["How are you? I'm fine. It's 2^n + o(n), or a(b). C++ and foo+bar-baz.", "call +44123456789- or +4912345678-"])  # fmt: skip
def test_plain_english_is_neither_viqr_nor_utf_7(text):
    assert identify(f"<p>{text * 8}".encode()).encoding == "ascii"


@pytest.mark.parametrize("language", ["ru", "el", "ja", "th"])
def test_utf_7_is_told_with_and_without_a_declaration(language):
    body = b"<p>" + TEXTS[language].encode("utf-7")
    for content_type in (None, "text/html; charset=utf-7"):
        page = identify(body, content_type)
        assert (page.encoding, page.language) == ("utf-7", language)


def test_quotes_and_dashes_in_utf7_are_no_reason_to_doubt_it():
    text = "Selon la maire, des centaines d’élèves gagneront un quart d’heure – chaque jour – à l’école."
    label = identify(f"<p>{text}".encode("utf-7"), "text/html; charset=utf-7")
    assert (label.encoding, label.language) == ("utf-7", "fr")


def test_iso_2022_cn_is_told_and_read():
    """Simplified characters of GB 2312 in shift-out, designated anew in every line, as RFC 1922 has it."""
    lines = []
    for line in CHINESE.replace("。", "。\n").splitlines():
        pairs = bytes(byte & 0x7F for byte in line.replace(",", "，").encode("gb2312"))
        lines.append(b"\x1b$)A\x0e" + pairs + b"\x0f")
    page = identify(b"<p>" + b"\n".join(lines))
    assert (page.encoding, page.language, page.script) == ("iso-2022-cn", "zh", "Hans")
    assert labels.decode(b"\n".join(lines), "iso-2022-cn").replace("\n", "").replace("，", ",") == CHINESE


@pytest.mark.parametrize("encoding", ["iso-8859-8", "windows-1255", "ibm862"])
def test_hebrew_is_read_in_both_orders(encoding):
    logical = identify(b"<p>" + HEBREW.encode(encoding))
    visual = identify(b"<p>" + HEBREW[::-1].encode(encoding))
    assert logical.language == visual.language == "he"
    if encoding == "ibm862":
        assert logical.encoding == visual.encoding == "ibm862"
    else:
        assert (logical.encoding, visual.encoding) == ("windows-1255", "iso-8859-8")


def test_teletex_is_told_and_read():
    text = "Hieraŭ pluvis forte, tial ni ne povis iri al la bazaro; mia patrino restis hejme kaj kuiris supon por ĉiuj, dum mia patro rakontis al ni pri siaj infanaj tagoj ĉe la maro, kiam li loĝis en malgranda vilaĝo apud ŝia domo."
    body = t61.encode(text)
    assert t61.decode(body) == text
    page = identify(body)
    assert (page.encoding, page.language) == ("t.61", "eo")


def test_all_of_the_declaration_s_encodings_have_a_name():
    for label in ("Latin1", "Latin2", "Cyrillic", "Greek", "Hebrew", "Arabic", "EUC-JP", "SJIS", "JIS", "HZ", "GB2312", "TCVN", "VPS", "VIQR", "T61", "UTF8", "Unicode"):  # fmt: skip
        assert labels.find(label), label


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_have_an_encoding_that_decodes_them(body):
    assert isinstance(labels.decode(body, detector.guess(body, ["windows-1251"])), str)
    byte_signatures.is_utf8(body)
    byte_signatures.by_mark(body)


RIGHTS_IN_CHINESE = "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。"
THAI = "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิต่างมีเหตุผลและมโนธรรม"
TIBETAN = "འགྲོ་བ་མིའི་རིགས་རྒྱུད་ཡོངས་ལ་སྐྱེས་ཙམ་ཉིད་ནས་ཆེ་མཐོངས་དང༌།"
POLYTONIC = "Ὅλοι οἱ ἄνθρωποι γεννιοῦνται ἐλεύθεροι καὶ ἴσοι στὴν ἀξιοπρέπεια καὶ τὰ δικαιώματα."


@pytest.mark.parametrize("text", [RIGHTS_IN_CHINESE, THAI, TIBETAN, POLYTONIC], ids=["zh", "th", "bo", "el"])
@pytest.mark.parametrize("encoding", ["utf-16le", "utf-16be"])
@pytest.mark.parametrize("tags", ["<html><body><p>", "<p>", ""])
def test_utf_16_without_a_mark_is_known_with_few_tags_or_none(text, encoding, tags):
    # The low byte of 一, the commonest of Chinese, is NUL.
    assert identify((tags + text).encode(encoding)).encoding == encoding


@pytest.mark.parametrize("body", [random.Random(seed).randbytes(400) for seed in range(40)])
def test_bytes_by_chance_are_no_utf_16(body):
    assert not identify(body).encoding.startswith("utf-16")


def test_names_in_a_program_are_no_chinese():
    body = b"\0".join(b"symbol_of_%d_the_linker" % number for number in range(200)) + b"\x01\x02\x80\xff" * 60
    assert identify(body).encoding == "binary"


@pytest.mark.parametrize("encoding", ["windows-1251", "koi8-r"])
def test_the_mark_of_an_included_file_does_not_make_a_page_utf8(encoding):
    text = "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью."
    label = identify(codecs.BOM_UTF8 + f"<p>{text}</p>".encode(encoding))
    assert (label.language, label.encoding) == ("ru", encoding)


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("cp932", "①番線の電車は、市役所の前の駅で止まります。髙橋さんはそこで降りました。"),
        ("cp949", "시청은 어제 강가의 오래된 도서관을 다시 짓기로 결정했다. 똠방각하와 펲시콜라."),
        ("big5hkscs", "市議會昨日決定,明年春天重建河邊嘅舊圖書館,佢哋好開心,喺度睇書。"),
    ],
)
def test_a_page_with_characters_of_a_larger_variant_is_decoded_by_its_name(codec, text):
    body = f"<meta charset={codec}><p>{text * 3}".encode(codec)
    page = identify(body)
    assert text in body.decode(page.encoding)
    assert page.declared[0].agrees
