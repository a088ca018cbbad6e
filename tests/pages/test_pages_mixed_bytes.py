"""Pages in several languages and one byte a letter: no single language of an encoding fits them."""

from __future__ import annotations

import itertools

import pytest

from linksight.pages import identify
from linksight.pages.charset import labels

WESTERN = {
    "de": "Der Stadtrat hat gestern beschlossen, dass die alte Bücherei am Fluss im nächsten Frühjahr neu gebaut wird. Viele Bürger hatten sich einen Ort gewünscht, an dem Kinder lesen und spielen können.",
    "fr": "Le conseil municipal a décidé hier que l'ancienne bibliothèque au bord de la rivière serait reconstruite au printemps prochain, là où les enfants puissent lire et jouer.",
    "es": "El ayuntamiento decidió ayer que la antigua biblioteca junto al río será reconstruida la próxima primavera. Muchos vecinos habían pedido un lugar donde los niños puedan leer y jugar.",
    "it": "Il consiglio comunale ha deciso ieri che la vecchia biblioteca lungo il fiume sarà ricostruita la prossima primavera, perché è più bella e la città ne ha bisogno.",
    "no": "Kommunestyret vedtok i går at det gamle biblioteket ved elva skal bygges opp igjen neste vår. Mange innbyggere hadde ønsket seg et sted der barn kan lese og leke.",
    "pt": "A câmara municipal decidiu ontem que a antiga biblioteca junto ao rio será reconstruída na próxima primavera. Muitos moradores pediram um lugar para as crianças.",
}


@pytest.mark.parametrize("languages", list(itertools.combinations(WESTERN, 2)), ids="-".join)
def test_two_western_languages_are_read_as_western(languages):
    text = "".join(f"<p>{WESTERN[language]}</p>" for language in languages)
    label = identify(text.encode("windows-1252"))
    assert labels.decode(text.encode("windows-1252"), label.encoding) == text
    assert label.language in languages


@pytest.mark.parametrize("encoding", ["windows-1250", "iso-8859-2"])
@pytest.mark.parametrize("language", ["de", "en"])
def test_a_central_european_page_stays_one_beside_another_language(encoding, language):
    czech = "Městská rada včera rozhodla, že stará knihovna u řeky bude příští jaro znovu postavena. Všichni jsou s tím spokojeni."
    other = WESTERN.get(
        language, "The city council decided that the old library will be rebuilt next spring."
    )
    text = f"<p>{czech}</p><p>{other}</p>"
    label = identify(text.encode(encoding))
    assert labels.decode(text.encode(encoding), label.encoding) == text
