"""Other letters in the encodings of East Asia: what is Russian in GB 2312 or Hindi in GB 18030, and half-width kana."""

from __future__ import annotations

import pytest

import linksight
from linksight.pages.charset import cjk_other_scripts

TEXTS = {
    "ru": "Городской совет вчера решил, что старая библиотека у реки будет перестроена следующей весной.",
    "mn": "Хотын зөвлөл өчигдөр голын эрэг дээрх хуучин номын санг ирэх хавар дахин барихаар шийдвэрлэв.",
    "el": "Το δημοτικο συμβουλιο αποφασισε σημερα οτι η παλια βιβλιοθηκη διπλα στο ποταμι θα ξαναχτιστει την ανοιξη.",
    "hi": "नगर परिषद ने कल निर्णय लिया कि नदी के किनारे का पुराना पुस्तकालय अगले वसंत में फिर से बनाया जाएगा।",
    "th": "สภาเมืองตัดสินใจเมื่อวานนี้ว่าห้องสมุดเก่าริมแม่น้ำจะได้รับการสร้างใหม่ในฤดูใบไม้ผลิหน้า",
    "ug": "شەھەرلىك كېڭەش تۈنۈگۈن دەريا بويىدىكى كونا كۇتۇپخانىنى كېلەر يىلى ئەتىيازدا قايتا سېلىشنى قارار قىلدى.",
    "vi": "Hội đồng thành phố hôm qua đã quyết định rằng thư viện cũ bên bờ sông sẽ được xây dựng lại vào mùa xuân tới.",
    "de": "Die Stadträte haben über die ältere Bücherei am Flüsschen für nächstes Frühjahr größere Pläne: alles würde schöner.",
    "ko": "시의회는 어제 강가에 있는 오래된 도서관을 내년 봄에 다시 짓기로 결정했습니다.",
}
HALF = "ﾆｭｰｽ ﾗﾝｷﾝｸﾞ ｹﾞｰﾑ ﾌﾟﾛﾌｨｰﾙ ﾏｲﾍﾟｰｼﾞ ﾀﾞｳﾝﾛｰﾄﾞ ﾎﾟｲﾝﾄ ﾌﾞﾛｸﾞ ﾒｰﾙ ﾄｯﾌﾟﾍﾟｰｼﾞﾆ ﾓﾄﾞﾙ"
DECLARED = '<meta charset="{}"><title>{}</title><p>{}</p>'


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("declared", ["", "gb18030", "gbk", "utf-8"])
def test_other_letters_in_gb_18030_are_read(language, declared):
    text = TEXTS[language]
    label = linksight.identify(DECLARED.format(declared, text[:20], text).encode("gb18030"))
    assert label.language == language
    assert label.encoding in ("gb2312", "gbk", "gb18030")


@pytest.mark.parametrize("language", ["ru", "el"])
@pytest.mark.parametrize("encoding", ["gb2312", "euc-jp", "shift_jis", "euc-kr", "iso-2022-jp"])
def test_russian_and_greek_are_read_in_the_encodings_of_east_asia(language, encoding):
    body = DECLARED.format(encoding, "1", TEXTS[language]).encode(encoding)
    label = linksight.identify(body)
    assert (label.language, label.encoding, label.declared[0].agrees) == (language, encoding, True)


def test_a_few_letters_do_where_the_encoding_is_declared():
    text = "La ville a été agrandie l’année dernière, et la bibliothèque restaurée."
    label = linksight.identify(DECLARED.format("gb2312", "Ville", text).encode("gbk"))
    assert (label.language, label.encoding) == ("fr", "gb2312")


@pytest.mark.parametrize("named", ["gb2312", "gbk", "gb18030"])
def test_chinese_agrees_with_each_name_of_its_encodings(named):
    text = "市议会昨天决定，河边的旧图书馆将于明年春天重建。许多居民要求更多的空间。"
    label = linksight.identify(DECLARED.format(named, "1", text).encode("gb2312"))
    assert (label.encoding, label.declared[0].agrees) == ("gb2312", True)


@pytest.mark.parametrize(
    ("codec", "encoding"),
    [("utf-8", "utf-8"), ("cp932", "shift_jis"), ("euc-jp", "euc-jp"), ("iso2022_jp_ext", "iso-2022-jp-ext")],
)
def test_half_width_kana_are_japanese(codec, encoding):
    label = linksight.identify(f"<p>{HALF}</p>".encode(codec))
    assert (label.language, label.script, label.encoding) == ("ja", "Jpan", encoding)


@pytest.mark.parametrize(
    "data",
    [
        "ГОРОДСКОЙ СОВЕТ РЕШИЛ: ЯНВАРЬ, ИЮНЬ, ИЮЛЬ. ЮЖНАЯ ДОЛЯ".encode("windows-1251"),
        "вчера решили, что читальня у речки - чудо, объём и объект".encode("koi8-r"),
        "РАДА ПРИЙНЯЛА РІШЕННЯ ЩОДО ЮНИХ ЧИТАЧІВ УКРАЇНИ".encode("windows-1251"),
        "ПРАВИТЕЛЬСТВО ПРИНЯЛО РЕШЕНИЕ".encode("iso-8859-5"),
        "กรกฎาคม มกราคม กรุงธน การบ้าน".encode("cp874"),
        "ΤΟ ΔΗΜΟΤΙΚΟ ΣΥΜΒΟΥΛΙΟ ΑΠΟΦΑΣΙΣΕ".encode("iso-8859-7"),
        "ÀÉÈ ÇÀ ÊTRE DÉJÀ ÂGÉ PÊCHEUR".encode("windows-1252"),
        "市议会昨天决定，河边的旧图书馆将于明年春天重建".encode("gb2312"),
        "市議会は昨日、インターネットのサービスを".encode("cp932"),
        b"",
    ],
)
def test_other_encodings_are_none_of_these(data):
    assert cjk_other_scripts.find_encoding(data) is None
