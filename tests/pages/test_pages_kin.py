"""Code pages that differ in a few letters, told apart once the language is known."""

from __future__ import annotations

import pytest

import linksight
from linksight.pages.charset import labels

TEXTS = {
    "is": "Bæjarstjórnin ákvað í gær að gamla bókasafnið við ána verði endurbyggt næsta vor. Margir íbúar höfðu óskað eftir stað þar sem börn geta lesið og leikið sér. Þetta er ágæt hugmynd.",
    "fo": "Býráðið avgjørdi í gjár, at tað gamla bókasavnið við ánna skal byggjast upp aftur næsta vár. Nógvir íbúgvar høvdu ynskt sær eitt stað, har børn kunnu lesa og spæla.",
    "br": "Divizet eo bet dec'h gant kuzul-kêr e vo adsavet al levraoueg kozh e-tal ar stêr en nevezamzer a zeu. Kalz a dud o doa goulennet ul lec'h gwelloc'h evit ar re yaouank: ur sal vras, bet savet gwechall, a zo e-kichen an iliz kozh, hag an dud a zo laouen-bras gant ar c'helou-mañ, hervez ar gêr.",
    "sq": "Këshilli i qytetit vendosi dje që biblioteka e vjetër pranë lumit të rindërtohet pranverën e ardhshme. Shumë banorë kishin kërkuar një vend ku fëmijët të mund të lexojnë dhe të luajnë.",
    "nb": "Kommunestyret vedtok i går at det gamle biblioteket ved elva skal bygges opp igjen neste vår. Mange innbyggere hadde ønsket seg et sted der barn kan lese og leke, også på søndager.",
    "uk": "Міська рада вчора вирішила, що стару бібліотеку біля річки буде відбудовано наступної весни. Багато мешканців просили місце, де діти могли б читати та гратися. Її відкриють урочисто, є надія.",
    "tt": "Шәһәр советы кичә елга буендагы иске китапханәне киләсе язда яңадан төзергә карар кылды. Күп кенә кешеләр балалар укый һәм уйный ала торган урын сораган иде.",
    "hu": "A városi tanács tegnap úgy döntött, hogy a folyó melletti régi könyvtárat jövő tavasszal újjáépítik. Sok lakos szeretett volna egy helyet, ahol a gyerekek olvashatnak és játszhatnak.",
}


@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        ("is", "ibm861"), ("is", "ibm850"), ("is", "mac-iceland"), ("fo", "ibm861"), ("fo", "ibm850"), ("br", "ibm850"), ("sq", "ibm852"),
        ("nb", "ibm865"), ("uk", "cp1125"), ("uk", "ibm866"), ("tt", "ptcp154"), ("tt", "windows-1251"), ("hu", "ibm852"), ("hu", "mac-latin2"),
    ],
)  # fmt: skip
def test_the_code_page_of_a_language_is_found(language, encoding):
    try:
        body = TEXTS[language].encode(labels.codec(encoding))
    except UnicodeEncodeError:  # the letters that the code page lacks are written as others
        body = TEXTS[language].encode(labels.codec(encoding), "replace")
    label = linksight.identify(f"<p>{'x'}</p><p>".encode() + body)
    assert label.language == ("no" if language == "nb" else language)
    assert labels.decode(body, label.encoding) == labels.decode(body, encoding)


SELDOM = {
    "fy": "De gemeente hat sneon in nije fytsbrêge oer it kanaal iepene. Neffens de wethâlder besparret de brêge hûnderten skoalbern deistich in kertier. De bewenners kleie lykwols oer de ferljochting, dy't nachts fierstente fel wêze soe.",
    "ku": "Şaredariyê roja şemiyê pireke nû ya duçerxeyan li ser kanalê vekir. Li gorî şaredarê, bi sedan xwendekar dê her roj çaryek saetê bi dest bixin. Lê niştecih ji ronahiya zêde ya şevê gilî dikin.",
    "fur": "Il comun al à viert sabide un puint gnûf pes bicicletis parsore dal canâl. Seont la sindiche, centenârs di students a sparagnaran un cuart di ore ogni dì. I abitants però si lamentin de lûs masse fuarte vie pe gnot.",
}


@pytest.mark.parametrize(
    ("language", "encoding"), [("fy", "windows-1252"), ("ku", "windows-1254"), ("fur", "windows-1252")]
)
@pytest.mark.parametrize("declared", [None, "utf-8", "right"])
def test_the_code_page_of_a_language_that_the_pairs_of_bytes_do_not_know_is_found(
    language, encoding, declared
):
    charset = {"right": encoding}.get(declared, declared)
    body = SELDOM[language].encode(encoding)
    label = linksight.identify(b"<p>" + body, f"text/html; charset={charset}" if charset else None)
    assert label.language == language
    assert labels.decode(body, label.encoding) == SELDOM[language]


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("cp861", "ibm861"),
        ("cp865", "ibm865"),
        ("IBM860", "ibm860"),
        ("863", "ibm863"),
        ("x-mac-icelandic", "mac-iceland"),
    ],
)
def test_declared_code_pages_are_known(label, name):
    assert labels.find(label) == name
    assert labels.decode(b"abc", name) == "abc"
