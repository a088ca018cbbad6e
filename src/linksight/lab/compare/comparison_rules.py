"""The rules of the comparison: what each system was given, what counts, and whom that favours."""

from __future__ import annotations

RULES = """\
- Every system of a table gets the same rows, once each, in the same process, one after the other. Speed is that of the
  second half of the rows: during the first some systems still compile or load. Only memory is
  measured in processes of their own: what a process grows by at its peak when it loads the system and asks it about
  fifty of the rows (linksight with many at a time: two thousand). What the system imports counts, NumPy and Arrow too;
  the interpreter does not.
- Intervals in brackets hold 95 %: the rows are drawn anew, with repetition, four hundred times. They say what other
  rows of the same kind would give, not what another collection would. Languages with few rows are missing in many of
  these draws, so that the interval of the mean over languages is moved to lie around the mean.
- The rows are by default the development set on which linksight's settings were chosen and on which its probabilities were calibrated, which favours linksight.
  `--url-data` takes rows of your own.
- linksight was trained on millions of URLs, the scikit-learn pipelines on a few thousand and (logistic) in four passes
  to keep the run short: they show what little work gives, not which algorithm is better.
- Loading, and in the URL table the training of the scikit-learn pipelines, is not in the speed; each system is
  warmed up first (URLs: on other URLs; pages: on ten of the pages). Speed is processor time of all threads together,
  so other work on the machine counts less; compare systems within a table, not with figures from elsewhere.
- Languages are compared as shortest codes: Norwegian is `no` whether Bokmål or Nynorsk, `zh-Hant` is `zh`.
  No answer, "unknown" and a language that a peer does not know are wrong answers. "Mean over languages" counts
  a language with few rows as much as one with many. Peers know between 55 and 200 languages; "big five" (English,
  German, French, Spanish, Italian, balanced F1 of each against all others) is a question that all of them know.
- URLs: linksight with many at a time is timed on half of the URLs that the baselines were trained on, which are
  more: a small batch would measure the start, as it does where there are none (`--train 0`, or no `--data`). Detectors of text were not made for URLs and get the words of the
  URL; they are there because people use them so. courlan keeps or drops for a language and names none, so it has
  only the big five, in its strict mode.
- Pages: detectors of text get text that resiliparse extracted, and "from bytes" adds what decoding and extraction
  cost; linksight and "CLD2 on HTML" read the page themselves. Pages whose label says `lid` were labelled by two
  detectors that agree, fastText among them, which favours them.
- Encodings: right is the labelled encoding or one that decodes the page to the same text; only labels that the
  source, the bytes or the declaration vouch for.
"""
