"""The rules of the comparison: inputs of the systems, counting, and known biases."""

from __future__ import annotations

RULES = """\
- **Rows.** Every system of a table gets the same rows, once each, in one process. By default the rows are the development set,
  on which linksight's settings and probabilities were chosen; that favours linksight. `--url-data` takes your rows.
- **Speed** is that of the second half of the rows, after all systems are loaded and warm. It is processor time of all
  threads together. Compare systems within a table, not with figures from elsewhere. Loading and training do not count.
- **Memory** is measured in separate processes: the peak growth while a system loads and answers fifty rows.
  linksight with many at a time answers two thousand. Imports such as NumPy and Arrow count; the interpreter does not.
- **Intervals** in brackets hold 95 %, from four hundred bootstrap samples: of registered domains among URLs, else of rows. They describe other rows of the same kind,
  not another collection. For the mean over languages the interval is centred on the mean, because samples lack rare languages.
- **Training data.** linksight was trained on millions of URLs, the scikit-learn pipelines on a few thousand.
  The pipelines show what little work gives, not which algorithm is better.
- **Languages** are compared as shortest codes: Norwegian is `no`, and `zh-Hant` is `zh`. No answer, "unknown" and a language that a
  peer does not know are wrong answers. "Mean over languages" counts each language alike. Peers know between 55 and 200 languages.
  All of them know the "big five": English, German, French, Spanish and Italian, each against all others in balanced F1.
- **Real pages.** The second table of URLs has pages of a web corpus, labelled by the text; the training file holds
  some of their domains. Speed and memory are those of the first.
- **fastText trained on URLs** learns character n-grams of a million rows of the file that linksight learns from.
- **URLs.** linksight with many at a time is timed on half of the URLs that the baselines were trained on, because a small
  batch would measure the start. Detectors of text get the words of the URL; they are here because people use them so.
  courlan only keeps or drops a URL for a language, so it has only the big five, in its strict mode.
- **Pages.** Detectors of text get text that resiliparse extracted; "from bytes" adds decoding and extraction.
  linksight and "CLD2 on HTML" read the page themselves. Two detectors, fastText among them, agreed on pages with the label `lid`,
  which favours both.
- **Encodings.** Right is the labelled encoding, or one that decodes the page to the same text. Only labels that the source, the bytes
  or the declaration support count.
"""
