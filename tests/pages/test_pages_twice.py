"""Pages whose letters were encoded twice: what is identified is the text that they had before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import linksight
from linksight.pages.charset import mojibake

TEXTS = {
    "ru": "Городской совет решил, что старую школу осенью снесут. Родители недовольны, но мэр говорит, что здание опасно.",
    "uk": "Міська рада вирішила, що стару школу восени знесуть. Батьки незадоволені, але голова каже, що будівля небезпечна.",
    "el": "Το δημοτικό συμβούλιο αποφάσισε να κατεδαφιστεί το παλιό σχολείο το φθινόπωρο. Οι γονείς είναι δυσαρεστημένοι.",
    "he": "מועצת העיר החליטה להרוס את בית הספר הישן בסתיו. ההורים אינם מרוצים, אך ראש העיר אומרת שהבניין אינו בטוח.",
    "ar": "قرر مجلس المدينة هدم المدرسة القديمة في الخريف. أولياء الأمور غير راضين لكن رئيسة البلدية تقول إن المبنى لم يعد آمنا.",
    "zh": "市议会决定在秋天拆除旧学校。家长们很不高兴，但是市长说这座建筑已经不安全了。她希望孩子们能够搬进新的教室。",
    "ja": "市議会は古い学校を秋に取り壊すことを決めた。保護者は不満だが、市長は建物がもう安全ではないと言う。",
    "ko": "시의회는 가을에 오래된 학교를 철거하기로 결정했다. 학부모들은 불만스러워하지만 시장은 건물이 안전하지 않다고 말한다.",
    "hi": "नगर परिषद ने फैसला किया है कि पुराना स्कूल शरद ऋतु में गिरा दिया जाएगा। माता-पिता नाखुश हैं, लेकिन इमारत सुरक्षित नहीं है।",
    "fr": "Le conseil a décidé que la vieille école sera démolie à l'automne. La maire affirme que le bâtiment n'est plus sûr.",
    "cs": "Městská rada rozhodla, že stará škola bude na podzim zbourána. Starostka říká, že budova už není bezpečná.",
}
PAGE = '<!DOCTYPE html><html><head><meta charset="utf-8"></head><body><p>{}</p></body></html>'


def mistaken(text: str, name: str = "windows-1252") -> str:
    """UTF-8 read as another encoding; bytes that it has no character for stay control characters, as in browsers."""
    return "".join(bytes([byte]).decode(name, "ignore") or chr(byte) for byte in text.encode())


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("name", ["windows-1252", "latin-1"])
def test_utf8_that_was_taken_for_a_western_text_is_read(language, name):
    label = linksight.identify(PAGE.format(mistaken(TEXTS[language], name)).encode())
    assert (label.language, label.encoding) == (language, "utf-8")


@pytest.mark.parametrize("language", TEXTS)
def test_what_was_done_is_undone(language):
    assert mojibake.undo(mistaken(TEXTS[language])) == TEXTS[language]


@pytest.mark.parametrize("language", ["ru", "el", "cs"])
def test_it_may_have_been_done_again(language):
    text = TEXTS[language]
    assert mojibake.undo(mistaken(mistaken(text))) == text
    assert linksight.identify(PAGE.format(mistaken(mistaken(text))).encode()).language == language


@pytest.mark.parametrize("language", ["ru", "uk"])
def test_utf8_that_was_taken_for_a_cyrillic_text_is_read(language):
    page = PAGE.format(mistaken(TEXTS[language], "windows-1251"))
    assert linksight.identify(page.encode()).language == language


@pytest.mark.parametrize(
    ("real", "taken_for"),
    [("windows-1251", "latin-1"), ("koi8-u", "windows-1251"), ("windows-1251", "windows-1252")],
)
@pytest.mark.parametrize("language", ["ru", "uk"])
def test_older_encodings_that_were_taken_for_another_are_read(language, real, taken_for):
    page = PAGE.format(TEXTS[language].encode(real).decode(taken_for))
    assert linksight.identify(page.encode()).language == language


@pytest.mark.parametrize("language", ["ru", "he", "el", "zh", "ko", "ar"])
def test_the_letters_may_be_entities(language):
    spelled = mistaken(TEXTS[language]).encode("ascii", "xmlcharrefreplace").decode()
    assert linksight.identify(PAGE.format(spelled).encode()).language == language


@pytest.mark.parametrize(
    "text", [*TEXTS.values(), "CAFÉ «À L'ÉTOILE» — ÀÉÈ…", "São João, não há ã€ à venda", "Ñandú «Ñ»"]
)
def test_a_proper_text_stays_as_it_is(text):
    assert mojibake.undo(text) == text
    assert mojibake.undo(text, mojibake.CYRILLIC) == text


def test_a_few_such_letters_in_a_proper_page_change_nothing_else():
    text = TEXTS["cs"] + " CafÃ© TÃ¼rk"
    assert linksight.identify(PAGE.format(text).encode()).language == "cs"
    assert mojibake.undo(text) == text


@given(st.text(max_size=200))
def test_nothing_raises(text):
    mojibake.undo("Ã©Ã©Ã©Ã©" + text)
    list(mojibake.decode_again(text + "Ðîäèíà"))
