"""From text to the terms that are indexed and searched; both sides come through here.

- `get_user_id`, `getUserId`, `get-user-id`: `get`, `user`, `id` and the whole `getuserid`, so
  that each spelling finds the others;
- `HTTPServer`: `http`, `server`, `httpserver`; `TS2345`: `ts`, `2345`, `ts2345`;
- paths: each component, `session_store.py` also as `sessionstorepy`;
- `1.0.40`: its numbers and the whole `1_0_40`;
- Chinese, Japanese, Korean: each character and each pair of neighbours;
- everything in NFKC, lower case, Latin letters without diacritics.

A term holds letters, digits and `_`, and never starts with `_`: such terms are free for filters.
"""

import re
import unicodedata
from dataclasses import dataclass

TERM_CHARACTERS = 64
"""Longer runs are cut: base64 and minified code are nothing that anybody types."""

WORD_CHARACTERS = 40
MIXED_CHARACTERS = 12

_CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u3100-\u312f\u3130-\u318f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003134f"
)
_PIECE = re.compile(rf"[{_CJK}]+|(?:(?![{_CJK}])[^\W_])+(?:[_.\-]+(?:(?![{_CJK}])[^\W_])+)*")
_ASCII_PIECE = re.compile(r"[A-Za-z0-9]+(?:[_.\-]+[A-Za-z0-9]+)*")
_IS_CJK = re.compile(rf"[{_CJK}]")
_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])['\u2019](?:s\b)?(?=\W|[^\W\d_]|$)")
_MARKS = re.compile("[\u0300-\u036f]+")
_HUMPS_AT_MOST = 6
"""A word with more changes of letter and digit is a hash or random: only the whole counts."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What a person would call one word: found as a `whole`, or by all of its `parts`.

    A plain word has no parts. A run of CJK characters has no whole, unless it is a single one.
    `inner` are the wholes of a dotted name's pieces: `sessionstore` of `session_store.py`.
    """

    whole: str
    parts: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()
    cjk: bool = False

    @property
    def terms(self) -> tuple[str, ...]:
        """All terms that a text with this unit is indexed under."""
        if not self.cjk:
            return (self.whole, *self.parts, *self.inner)
        run = self.whole or "".join(part[0] for part in self.parts) + self.parts[-1][1]
        return (*run, *self.parts)


def clean(text: str) -> str:
    """Text that can be stored as UTF-8: pairs of surrogates joined, lone ones replaced, no NUL."""
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", "") if "\0" in text else text


def units_of(text: str) -> list[Unit]:
    """The units of a text in order, repetitions included."""
    return [unit for chunk in text.split() for unit in _chunk_units(chunk)]


def terms_of(text: str) -> set[str]:
    """The terms of a text."""
    return _CACHE.terms_of(text)


def is_word(term: str) -> bool:
    """Whether `word` lists a term; hashes and other random runs would only swell it."""
    return len(term) <= WORD_CHARACTERS and (term.isalpha() or len(term) <= MIXED_CHARACTERS)


def is_plain(chunk: str) -> bool:
    """Whether a run without white space is its own only term, plainly, unless it is too long."""
    if not chunk.isascii():
        return False
    letters = chunk.encode()  # bytes look each one up in a table, str asks for its properties
    return letters.islower() and letters.isalpha()


class TermCache(dict[str, tuple[str, ...]]):
    """The terms of chunks that were seen: people and programs repeat themselves."""

    ENTRIES = 100_000
    CHARACTERS = 40

    def terms_of(self, text: str) -> set[str]:
        """The terms of a text."""
        return set().union(*map(self.__getitem__, set(text.split())))

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        terms = self._make(chunk)
        if len(chunk) <= self.CHARACTERS:
            if len(self) >= self.ENTRIES:
                self._forget()
            self[chunk] = terms
        return terms

    def _forget(self) -> None:
        super().clear()

    def _make(self, chunk: str) -> tuple[str, ...]:
        if is_plain(chunk):
            return (chunk[:TERM_CHARACTERS],)
        terms: set[str] = set()
        for unit in _chunk_units(chunk):
            terms.update(unit.terms)
        return tuple(terms)


_CACHE = TermCache()


def _chunk_units(chunk: str) -> list[Unit]:
    """The units of a run without white space."""
    if "'" in chunk or "\u2019" in chunk:
        chunk = _APOSTROPHE.sub("", chunk)
    if chunk.isascii():
        return [_word(piece) for piece in _ASCII_PIECE.findall(chunk)]
    chunk = unicodedata.normalize("NFKC", chunk)
    return [
        _cjk_run(piece) if _IS_CJK.match(piece) else _word(_without_marks(piece))
        for piece in _PIECE.findall(chunk)
    ]


def _cjk_run(run: str) -> Unit:
    if len(run) == 1:
        return Unit(run, cjk=True)
    return Unit("", tuple(run[i : i + 2] for i in range(len(run) - 1)), cjk=True)


def _without_marks(piece: str) -> str:
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", piece)))


def _word(piece: str) -> Unit:
    """A word, identifier, file name or number, in any spelling of its parts."""
    parts: list[str] = []
    inner: list[str] = []
    dotted = piece.split(".")
    for name in dotted:
        humps = [hump for word in re.split(r"[_\-]+", name) if word for hump in _humps(word)]
        if len(dotted) > 1 and len(humps) > 1:
            inner.append(_joined(humps))
        parts.extend(humps)
    if len(parts) == 1:
        return Unit(parts[0])
    return Unit(_joined(parts), tuple(parts), inner=tuple(inner))


def _humps(word: str) -> list[str]:
    lower = word.lower()[:TERM_CHARACTERS]
    if not word.isascii() or (lower == word and word.isalpha()):
        return [lower]
    humps = _HUMP.findall(word)
    if len(humps) > _HUMPS_AT_MOST or len(word) > TERM_CHARACTERS:
        return [lower]
    return [hump.lower() for hump in humps]


def _joined(parts: list[str]) -> str:
    """Parts as one term; numbers stay apart (`1.0.40` is not `10.40`)."""
    whole = parts[0]
    for part in parts[1:]:
        whole += f"_{part}" if whole[-1].isdigit() and part[0].isdigit() else part
    return whole[:TERM_CHARACTERS]
