"""Small real data sets that come with the package or with Python: nothing is downloaded.

`mnist()` gives handwritten digits, `text()` a corpus for character models, `read_idx()` reads any IDX file.
Everything comes as plain NumPy arrays and strings; only NumPy and the standard library are needed.
"""

from minigrad.datasets.corpus import CharVocabulary as CharVocabulary, char_vocabulary as char_vocabulary, text as text
from minigrad.datasets.digits import Digits as Digits, mnist as mnist
from minigrad.datasets.idx import read_idx as read_idx

__all__ = ["CharVocabulary", "Digits", "char_vocabulary", "mnist", "read_idx", "text"]
