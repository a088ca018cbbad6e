"""The commonest characters of Chinese, Japanese and Korean, for src/linksight/urls/legacy_encodings.py.

    python recipes/common_characters.py

Counted over the word lists of wordfreq; prints the constant, which is pasted by hand.
"""

from __future__ import annotations

from collections import Counter

from wordfreq import get_frequency_dict

SIZES = {"gb2312": ("zh", 700), "euc_jp": ("ja", 500), "euc_kr": ("ko", 250)}
WIDTH = 48


def commonest(language: str, codec: str, size: int) -> str:
    """Characters of two bytes, most frequent first, but for punctuation."""
    counts: Counter[str] = Counter()
    for word, frequency in get_frequency_dict(language).items():
        for char in word:
            data = char.encode(codec, "ignore")
            if len(data) == 2 and data[0] not in b"\xa1\xa3":
                counts[char] += frequency
    return "".join(char for char, _ in counts.most_common(size))


if __name__ == "__main__":
    print("COMMON = {")
    for codec, (language, size) in SIZES.items():
        chars = commonest(language, codec, size)
        print(f'    "{codec}": (')
        for i in range(0, len(chars), WIDTH):
            print(f'        "{chars[i : i + WIDTH]}"')
        print("    ),")
    print("}")
