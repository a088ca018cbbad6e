"""The bundled model over bytes: the same scores as ``tables.EvidenceTable``, compiled.

Texts are UTF-8 in one buffer. A plain address (printable ASCII, no percent codes, no ``xn--``) is
scored where it lies, in the caller's Arrow buffer; the few others are parsed by ``Url`` first and
scored from a side buffer. The features of a few hundred rows are gathered before any is looked up:
what takes the time is waiting for memory, and waits of many features overlap where they follow each
other. (A cache of whole words gained nothing: host names are seldom met twice.)

``addresses``   which rows are plain, and where their text begins
``words``, ``hints``   the features of a text, as hashes (``hashes``)
``layout``      the table as the processor likes it
``scoring``     rows to scores, and scores to the likeliest language

Everything here runs without the interpreter lock; callers give each thread its own stretch.
"""

from __future__ import annotations

from linksight.kernel.layout import Weights, weights_of
from linksight.kernel.scoring import Scratch, add_base, best_of, scratch_for, vectors_of

__all__ = ["Scratch", "Weights", "add_base", "best_of", "scratch_for", "vectors_of", "weights_of"]
