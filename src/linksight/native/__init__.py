"""The bundled model over bytes: the same scores as ``tables.EvidenceTable``, compiled.

Texts are UTF-8 in one buffer. A plain address (printable ASCII, no percent codes, no ``xn--``) is
scored where it lies, in the caller's Arrow buffer; of most others the text is written down first, and
the few that are left are parsed by ``Url``. What takes the time is waiting for memory, so the features
of many rows are gathered, then found, then added up: the waits of one step are over when the next one
needs the data.

``addresses``       which rows are plain, and where their text begins (``bytemasks``)
``texts``           the text of the others (``letters``, ``punycode``, ``percents``, ``codepages``)
``words``, ``hints``    the features of a text: n-grams by their letters, the rest by hashes (``hashes``)
``grams``, ``lookup``   where the sums of n-grams, and the rows of names, are
``layout``          the table as the processor likes it (``cachelines``)
``scoring``         rows to short vectors
``products``        short vectors to scores
``wordcuts``        names cut into words, where scores leave doubt
``chances``         scores to chances by Bayes' rule, and the likeliest column
``answers``         all of these, from short vectors to what is asked

The scores of tokens are kept in parts that every word shares: the sums of n-grams that begin at one
letter, of endings, of what is counted. Sums of whole words were tried: 65,536 of them save a third of
the n-grams, and finding them costs as much as that saves.

Everything here runs without the interpreter lock (``compiler``); callers give each thread its own stretch.
"""

from __future__ import annotations

from linksight.native.embedding_sums import Scratch, scratch, vectors_of
from linksight.native.memory_layout import Weights, weights_of
from linksight.native.predict import Rows, best_of_rows, room_for_best, score_rows
from linksight.native.segmentation import vocabulary_of
from linksight.native.softmax import find_best, weigh

__all__ = [
    "Rows", "Scratch", "Weights", "best_of_rows", "find_best", "room_for_best", "score_rows", "scratch", "vectors_of", "vocabulary_of",
    "weigh", "weights_of",
]  # fmt: skip
