"""Text for character models: a corpus that every Python carries; characters to numbers and back."""

from collections.abc import Sequence

import numpy as np


def text(name: str = "topics") -> str:
    """A corpus of English text from the standard library.

    Args:
        name: "topics", the pages that `help("LOOPING")` and its like show: about half a million characters of
            prose and code about Python, in the order of their keys. They differ a little between versions of
            Python; one version always gives the same text.

    Raises:
        ValueError: there is no corpus of that name.
    """
    if name != "topics":
        raise ValueError(f"text({name!r}): expected the name of a corpus, which is 'topics' alone so far")
    from pydoc_data.topics import topics

    return "\n".join(topics[key] for key in sorted(topics))


class CharVocabulary:
    """The characters of a text, numbered in the order of their code points.

    Attributes:
        chars: the characters, sorted; the number of a character is its place in this list.
        ids: the text that the vocabulary was made from, as int64 numbers of shape (len(text),).
    """

    def __init__(self, text: str):
        self.chars = sorted(set(text))
        self._id_of = {char: number for number, char in enumerate(self.chars)}
        self.ids = self.encode(text)

    def __len__(self) -> int:
        return len(self.chars)

    def __repr__(self) -> str:
        return f"CharVocabulary({len(self)} characters, made from a text of {len(self.ids)})"

    def encode(self, text: str) -> np.ndarray:
        """The numbers of the characters of `text`, int64 of shape (len(text),).

        Raises:
            TypeError: `text` is not a str.
            ValueError: a character is not in the vocabulary; the message names it and its position.
        """
        if not isinstance(text, str):
            raise TypeError(f"CharVocabulary.encode: expected a str, got {type(text).__name__}")
        try:
            return np.array([self._id_of[char] for char in text], dtype=np.int64)
        except KeyError as error:
            char = error.args[0]
        raise ValueError(
            f"CharVocabulary.encode: {char!r} (U+{ord(char):04X}) at position {text.index(char)} is not one "
            f"of the {len(self)} characters of this vocabulary; make the vocabulary from a text that has it"
        )

    def decode(self, ids: Sequence[int] | np.ndarray) -> str:
        """The text whose characters have the numbers `ids`, integers of shape (N,) or one integer.

        Raises:
            TypeError: `ids` are not integers.
            ValueError: `ids` have more than one axis, or a number is below 0 or not below len(vocabulary).
        """
        numbers = np.atleast_1d(np.asarray(ids))
        if numbers.ndim > 1:
            raise ValueError(
                f"CharVocabulary.decode: expected ids of shape (N,), got {numbers.shape}; decode row by row"
            )
        if numbers.size and numbers.dtype.kind not in "iu":
            raise TypeError(f"CharVocabulary.decode: expected integers, got dtype {numbers.dtype}")
        unknown = numbers[(numbers < 0) | (numbers >= len(self))]
        if unknown.size:
            raise ValueError(
                f"CharVocabulary.decode: expected numbers from 0 to {len(self) - 1}, got {unknown[0]}"
            )
        return "".join(self.chars[number] for number in numbers)


def char_vocabulary(text: str) -> CharVocabulary:
    """Number the characters of `text`: `.ids` (int64), `.chars` (sorted), `.encode(str)`, `.decode(ids)`.

    Args:
        text: a str, possibly empty.

    Raises:
        TypeError: `text` is not a str.
    """
    return CharVocabulary(text)
