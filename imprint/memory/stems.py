"""Word forms and typing errors of English words: `failed` and `failing`, `databse`."""

import string

_VOWELS = frozenset("aeiouy")
_LETTERS = string.ascii_lowercase + string.digits
STEM_CHARACTERS = 3
"""No stem is shorter."""


def stem(word: str) -> str:
    """What the forms of a word have in common; not always a word itself."""
    if len(word) <= STEM_CHARACTERS or not (word.isascii() and word.isalpha()):
        return word
    return _without_e(_without_suffix(_singular(word)))


def stem_prefix(root: str) -> str:
    """What every form of a stem begins with (`retry`, `retries`: `retr`)."""
    return root[:-1] if root.endswith("y") and len(root) > STEM_CHARACTERS else root


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_suffix(word: str) -> str:
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for suffix in ("ing", "ed", "ment", "ly"):
        rest = word.removesuffix(suffix)
        if rest != word and len(rest) >= STEM_CHARACTERS and not _VOWELS.isdisjoint(rest):
            return _undoubled(rest) if suffix in {"ing", "ed"} else rest
    if word.endswith(("tion", "sion")) and len(word) > 6:
        return word[:-3]
    return word


def _undoubled(rest: str) -> str:
    double = len(rest) > STEM_CHARACTERS and rest[-1] == rest[-2] and rest[-1] not in "aeiouls"
    return rest[:-1] if double else rest


def _without_e(word: str) -> str:
    return word[:-1] if word.endswith("e") and len(word) > STEM_CHARACTERS else word


def misspellings(word: str) -> set[str]:
    """Words that somebody may have meant by this one: one letter missing, too many or swapped
    (from five letters), or wrong (from six). The first letter is taken for right.

    Short words have too many neighbours that mean something else: `horse` is no `house`.
    """
    if len(word) < 5 or not word.isascii():
        return set()
    splits = [(word[:i], word[i:]) for i in range(1, len(word) + 1)]
    found = {a + b[1:] for a, b in splits if b}
    found |= {a + letter + b for a, b in splits for letter in _LETTERS}
    found |= {a[:-1] + b[0] + a[-1] + b[1:] for a, b in splits if b}
    if len(word) >= 6:
        found |= {a + letter + b[1:] for a, b in splits if b for letter in _LETTERS}
    found.discard(word)
    return found
