"""One sentence is often all that a page has: an error, a notice, an abstract."""

from __future__ import annotations

import pytest

import linksight

ENGLISH = """
The order of the steps is not important, they are run as a group.
The table can be updated to include more rows and columns.
If omitted, the default directory of the server is used.
But there's an interesting mistake hiding in these figures.
Tracking and participating in software development.
Applies the chosen format to the selected paragraphs.
For full details of the terms consult the individual notices in the packages.
Requesting a password via email is no longer supported.
The service provides a minimal interface, which does one thing only.
Minor releases of the library are published every three months.
Preserve all the original notices of the document.
This article is licensed under a Creative Commons Attribution licence.
Report a mistake in the program or in the documentation.
Directives appearing in the server configuration are ignored.
Return to the reference section, terms vary from country to country.
The problem is that, if the first author has used another format.
""".strip().splitlines()


def test_a_sentence_in_english_is_english():
    answers = {text: linksight.identify(f"<p>{text}</p>".encode()).language for text in ENGLISH}
    wrong = {text: answer for text, answer in answers.items() if answer != "en"}
    assert len(wrong) <= 1, wrong


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("fr", "Page introuvable : la page que vous cherchez n'existe pas."),
        ("fr", "Vous devez être connecté pour modifier cette page de discussion."),
        ("sq", "Tok me organizma të tjera, shoqata përkrah botimin e këtij manifesti."),
    ],
)
def test_a_sentence_is_not_given_to_a_variety_that_is_hardly_written(language, text):
    assert linksight.identify(f"<p>{text}</p>".encode()).language == language


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Die Seite, die Sie suchen, gibt es leider nicht mehr."),
        ("nl", "De pagina die u zoekt is niet gevonden op deze server."),
        ("da", "Den side, du leder efter, findes desværre ikke længere."),
        ("ro", "Pagina pe care o căutați nu există sau a fost mutată."),
        ("lt", "Puslapis, kurio ieškote, nerastas arba buvo pašalintas."),
        ("sv", "Sidan som du letar efter finns tyvärr inte längre kvar."),
        ("cy", "Nid yw'r dudalen yr ydych yn chwilio amdani ar gael."),
    ],
)
def test_a_sentence_in_another_language_stays_in_it_under_an_english_menu(language, text):
    menu = "<ul><li>Home<li>About us<li>Contact<li>Log in</ul>"
    assert linksight.identify(f"{menu}<p>{text}</p>".encode()).language == language


def test_the_script_is_that_of_the_language():
    russian = "Городской совет вчера решил, что старая библиотека у реки будет перестроена следующей весной."
    english = "The city council decided yesterday that the old library by the river will be rebuilt next spring, and not later."
    label = linksight.identify(f"<p>{russian}</p><p>{english}</p>".encode())
    assert (label.language, label.script) == ("ru", "Cyrl")


@pytest.mark.parametrize("text", ["12 345 678,90", "😀😁😂🤣😃", "— … —"])
def test_tags_are_no_letters_of_a_script(text):
    label = linksight.identify(f"<html><body><p>{text}</p></body></html>".encode())
    assert (label.language, label.script, label.reason) == ("zxx", "Zyyy", "no letters")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ja", "ようこそ。木の家具を作っています。"),
        ("zh", "欢迎光临本网站。我们制作木制家具。"),
        ("ko", "저희 홈페이지에 오신 것을 환영합니다."),
        ("th", "ยินดีต้อนรับสู่เว็บไซต์ของเรา"),
        ("ru", "Добро пожаловать на наш сайт."),
    ],
)
def test_a_short_line_in_another_script_at_the_end_is_not_read_as_latin(language, text):
    menu = "<ul><li>Home<li>Products<li>Services<li>Contact us<li>Shopping cart</ul>"
    foot = "All rights reserved. Terms and conditions. Privacy policy. Follow us on Facebook and Twitter"
    label = linksight.identify(f"<title>Example Ltd</title>{menu}<p>{text}</p><p>{foot}</p>".encode())
    assert label.language == language


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("zh", "详情请访问www.example.com.cn查看，活动从五月一日开始，名额有限，欢迎报名参加。"),
        ("zh", "联系邮箱service@example.com，我们会在三个工作日之内回复您的问题，感谢您的支持。"),
        ("zh", "官方网站https://example.com/news上有最新的消息，请大家及时查看并转告其他同学。"),
        (
            "ja",
            "label.name=市議会は古い学校を秋に取り壊すことを決めた。保護者は不満だが、安全ではないと言う。",
        ),
    ],
)
def test_in_a_script_without_spaces_an_address_ends_where_the_text_goes_on(language, text):
    assert linksight.identify(f"<p>{text}</p>".encode()).language == language
