"""What tells Croatian, Bosnian and Serbian in Latin letters apart, as grammars and dictionaries of differences have it.

Translations of programs, which the models learn from, hardly have these words, and the three lists of PyPI's ``wordfreq`` are one.
Stems are written out into the forms that ``wordfreq`` has seen. Beside them stand the pairs in which Serbian writes *e* where
the others write *ije* or *je* (*vreme*, *vrijeme*).
"""

from __future__ import annotations

import re

CLASSES = ("hr", "bs", "sr-Latn")
LEAST = 1e-7  # what is rarer is no form of a word

# (cost for Croatian, Bosnian, Serbian): stems; a word with a stop behind it is meant as it is.
STEMS = {
    (0, 2.5, 2.5): "tko. nitko. netko. svatko. itko. tjedan tjedn tisuć vlak zrakoplov zračn siječanj siječnj veljač ožujak ožujk travanj travnj "
    "svibanj svibnj lipanj lipnj srpanj srpnj kolovoz rujan rujn listopad prosinac prosinc kazališ glazb sveučiliš uporab gospodarst "
    "povijes znanost znanstv ravnatelj tvrtk poduzeć računal zaslon izvješć natječaj natjec veleposlan putovnic ulaznic žlic mrkv rajčic "
    "kolodvor ljekarn odvjetni županij glede. unatoč nazočn primjerice. dvojb promidžb tvornic priopćenj suradnj surađ uvjet točn točk europ "
    "kemij kirurg kaos. kaosa. prosvjed financij milijun mirovin kava. kavu. kave. obran sukladno. zemljovid rabljen sljedbeni skrb osobn redovit "
    "domovnic dužnosni čimbeni učinkovit vrhnj tijekom. suvremen utjecaj utjeca utječ knjižnic blagdan autocest momčad sudionik sudionic sudjel pričuv usporedb usporedi "
    "skladatelj opskrb djelatni datotek izbornik juha. juhe. juhu. glasovanj izvanredn povjerenstv",
    (0, 1, 2.5): "liječnik liječnic kršćan kruh obitelj sustav proračun promet nogomet glasnogovor unutarnj ponovno.",
    (0, 0, 2.5): "također. opć uopće. općin kuha skuha zrak. zraka. stoljeć sljedeć nasilj dućan plin vanjsk otok. otoka. otoku. prijevoz sigurnos sigurnosn prehran",
    (2.5, 0, 0): "ko. niko. šta. hiljad hljeb aerodrom januar februar mart. marta. martu. aprila. aprilu. juna. junu. jula. julu. septembar "
    "septembr oktobar oktobr novembar novembr decembar decembr pozoriš univerzitet fudbal tokom. porodic privred preduzeć saradnj sarađ "
    "uslov tačn tačk evrop hemij hirur saobraćaj finansij učestvova obezbje obezbed penzi takmič računar haos "
    "odbran komšij pasoš kašik fabrik organizova protestova registrova voz. voza. vozu. vozom. vozovi bioskop spisak apotek advokat "
    "savremen uticaj utica bibliotek praznik učesnik učesnic uporedi upoređ finansir funkcionisa definisa informisa kontrolisa angažova reagova interesova sertifika "
    "realizova tačan vanredn ljekara. ljekari. ljekaru. ljekarima. juni. juli. supa. supe. supu. paradajz pavlak komisij autoput",
    (1, 0, 0): "ponovo. veoma. obuk prodavnic",
    (1.5, 0, 0): "muzik nauk naučn štamp milion stepen redovn kancelarij izvještaj prisustvova upotreb vaspit sekretar ličn",
    (2.5, 1.5, 0): "takođe. opšt uopšte. opštin saopšt istorij vazduh avgust šargarep fudbaler sprat. pirinač pomorandž kuva skuva sem. kafa. kafu. kafe. "
    "sveštenik bezbedn vaspitan uverenj uspeh. uopšten lekar hrišćan prevoz",
    (2, 0, 2.5): "historij saopć kahv lahk polahk mehk sedmic august. augusta. augustu. rahmet merhum uposleni",
    (1, 0, 1): "sarajev kanton bajram džamij mahal halv hurm sevdah",
}  # fmt: skip
JAT = re.compile("ije|je")
JAT_COST = 2.5


def costs(dictionary: set[str], of_serbia: set[str]) -> dict[str, tuple[float, ...]]:
    """word -> its cost for each of ``CLASSES``; given are the words of Croatian's and of Serbian's spelling dictionary."""
    import wordfreq

    words = {w for w, f in wordfreq.get_frequency_dict("sh", "small").items() if f >= LEAST and w.isalpha()}
    found: dict[str, tuple[float, ...]] = {}
    for word in words:
        for match in JAT.finditer(word):
            twin = word[: match.start()] + "e" + word[match.end() :]
            if len(twin) > 2 and twin in words and twin in of_serbia and twin not in dictionary:
                found[word] = (0.0, 0.0, JAT_COST)
                found[twin] = (JAT_COST, JAT_COST, 0.0)
    for own, stems in STEMS.items():
        for stem in stems.split():
            exact = stem.endswith(".")
            stem = stem.rstrip(".")
            forms = {stem} if exact else {word for word in words if word.startswith(stem)} | {stem}
            for form in forms:
                before = found.get(form, (0.0, 0.0, 0.0))
                found[form] = tuple(max(a, b) for a, b in zip(before, own, strict=True))
    return {word: own for word, own in found.items() if max(own) > min(own)}
