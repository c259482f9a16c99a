"""Secrets are replaced before anything is stored.

Three kinds are known: tokens that their issuers gave a recognisable form; private keys, headers
and addresses that carry a password; and values that are called a password, secret, token or key
and look like one. Code that handles secrets (`token = get_token()`, `password: str`) stays.

Each rule names a sign without which it is not tried at all. A sign has no white space in it, so
each run without white space tells by itself whether it holds one.
"""

import re
from collections.abc import Iterable, Sequence
from re import IGNORECASE, Match

MASK = "[redacted]"
TOKEN_CHARACTERS = 20
"""No token of a known form is shorter."""

_START = r"(?<![A-Za-z0-9])"

# By the fixed beginning of the token: how it goes on.
_ISSUED: dict[str, str] = {
    "AKIA": r"[A-Z0-9]{16}\b",
    "ASIA": r"[A-Z0-9]{16}\b",
    "ghp_": r"[A-Za-z0-9]{30,}",
    "gho_": r"[A-Za-z0-9]{30,}",
    "ghu_": r"[A-Za-z0-9]{30,}",
    "ghs_": r"[A-Za-z0-9]{30,}",
    "ghr_": r"[A-Za-z0-9]{30,}",
    "github_pat_": r"[A-Za-z0-9_]{22,}",
    "glpat-": r"[A-Za-z0-9_\-]{20,}",
    "gldt-": r"[A-Za-z0-9_\-]{20,}",
    "glrt-": r"[A-Za-z0-9_\-]{20,}",
    "xoxa-": r"[A-Za-z0-9\-]{12,}",
    "xoxb-": r"[A-Za-z0-9\-]{12,}",
    "xoxp-": r"[A-Za-z0-9\-]{12,}",
    "xoxr-": r"[A-Za-z0-9\-]{12,}",
    "xoxs-": r"[A-Za-z0-9\-]{12,}",
    "xapp-": r"[A-Za-z0-9\-]{20,}",
    "hooks.slack.com/services/": r"[A-Za-z0-9/]{20,}",
    "AIza": r"[A-Za-z0-9_\-]{35}",
    "GOCSPX-": r"[A-Za-z0-9_\-]{20,}",
    "ya29.": r"[A-Za-z0-9_\-]{20,}",
    "sk_live_": r"[A-Za-z0-9]{16,}",
    "sk_test_": r"[A-Za-z0-9]{16,}",
    "rk_live_": r"[A-Za-z0-9]{16,}",
    "rk_test_": r"[A-Za-z0-9]{16,}",
    "whsec_": r"[A-Za-z0-9+/=]{20,}",
    "sk-": r"(?=[A-Za-z_\-]*[0-9])[A-Za-z0-9_\-]{24,}",
    "hf_": r"(?=[A-Za-z]*[0-9A-Z])[A-Za-z0-9]{30,}",
    "npm_": r"[A-Za-z0-9]{36}",
    "pypi-": r"[A-Za-z0-9_\-]{50,}",
    "SG.": r"[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}",
    "dop_v1_": r"[a-f0-9]{40,}",
    "shpat_": r"[a-fA-F0-9]{32}",
    "dapi": r"[a-f0-9]{32}",
    "hvs.": r"[A-Za-z0-9_\-]{24,}",
    "dckr_pat_": r"[A-Za-z0-9_\-]{20,}",
    "lin_api_": r"[A-Za-z0-9]{30,}",
    "ntn_": r"[A-Za-z0-9]{40,}",
    "PMAK-": r"[a-f0-9\-]{40,}",
    "NRAK-": r"[A-Z0-9]{20,}",
    "glsa_": r"[A-Za-z0-9_]{30,}",
    "sntrys_": r"[A-Za-z0-9_+/=]{30,}",
    "tskey-": r"[A-Za-z0-9\-]{16,}",
    "AGE-SECRET-KEY-1": r"[A-Z0-9]{40,}",
    "eyJ": r"[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]{8,})?",
}

_KEY_BLOCK = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr])+"
    r"(?:[A-Za-z\-]+: [^\n]*\n\s*)*[A-Za-z0-9+/=\s\\]{20,}"
    r"(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----)?"
)
_ADDRESS = re.compile(r"(?<=://)([^\s:/@'\"<>]{0,64}):([^\s/@'\"<>]{1,256})@(?=[\w\[])")
_BOT = re.compile(r"(?<![\w])[0-9]{8,10}:AA[A-Za-z0-9_\-]{33}(?![\w\-])")
_HEADER = re.compile(
    r"\b((?:bearer|basic)\s+|x-(?:api|auth)[\w\-]*:\s*|(?:set-)?cookie:\s*[\w\-]+=)"
    r"([A-Za-z0-9+/=_\-.~]{16,})",
    IGNORECASE,
)
_NAMED = re.compile(
    r"""((?:pass(?:word|wd|phrase|code)?|pwd|secret|token|credentials?|private_?key"""
    r"""|(?:api|access|account|auth|encryption|signing|master|secret|shared|storage)[_\-. ]?key"""
    r"""|signature|sig)(?:[_\-](?:id|value|base64|hash|prod|dev|test))?)"""
    r"""(\\?["'`]?\]?\s{0,3}(?::=|=>|==?|:(?!:)|\s(?:is|was|are)(?:\s(?:now|set\sto)){0,2}:?\s)\s{0,3}\\?)"""
    r"""(?:(["'`])([^"'`\s]{6,512})\\?\3|([^\s"'`,;<>(){}\[\]|&]{6,512}+)(?![(\[{<]))""",
    IGNORECASE,
)
# What a lower-cased text must hold for `_NAMED`, which itself is ten times slower, by its sign.
_NAMED_HINTS = {
    sign: re.compile(
        sign + r"""[a-z0-9_\-]{0,20}["'`\]\\ ]{0,3}(?:[:=]|\s(?:is|was|are)\b)""",
    )
    for sign in ("pass", "pwd", "secret", "token", "credential", "key", "sig")
}
_OPTION = re.compile(
    r"((?:--?(?:password|passwd|pass|token|secret|api-key|apikey|auth-token)|sshpass -p)[ =])"
    r"(['\"]?)(?!-)([^\s'\"$<>{}\[\]]{6,512})\2"
)
_USER = re.compile(r"((?:-u|--user)[ =]['\"]?[\w.@\-]{1,64}:)([^\s'\"$<>{}]{4,256})")
_NETRC = re.compile(r"(\blogin\s+\S{1,128}\s+password\s+)(\S{4,256})")

_PLACEHOLDER = re.compile(
    r"(?i)^(?:[x*.\-_#?]+$|your|my[_\-]|the[_\-]|some|example|sample|dummy|fake|test[_\-]?(?:ing)?$"
    r"|placeholder|change|redacted|none$|null$|true$|false$|undefined$|insert|replace|todo"
    r"|(?:pass(?:word|wd)?|pwd|secret)$|(?:id|src|name|type|env)=|\d+$"
    r"|env[:.]|process\.|os\.|secrets?\.|vars?\.|config\.|self\.|this\.|https?:|file:|[/~.]"
    r"|#[0-9a-f]{3,8}$|[$%@&!\\(\[{<])"
)
_WORDS = re.compile(r"_*[A-Za-z]+(?:[._\-/:][A-Za-z]+)*\Z")
_CODE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:(?:\??\.|::|->)[A-Za-z_][A-Za-z0-9_]*)+\Z")

_TYPE = re.compile(r"(?=(?:[^A-Z]*[A-Z]){3})[A-Z][A-Za-z]*[0-9]{1,6}[A-Za-z]{3,}\Z")


_TOKENS = tuple(
    (sign, re.compile(_START + re.escape(sign) + rest)) for sign, rest in _ISSUED.items()
)


def redact(text: str) -> str:
    """The text with every recognised secret replaced by `MASK`; doing it twice changes nothing."""
    return redact_among(text, [chunk for chunk in text.split() if holds_sign(chunk, len(chunk))])


def holds_sign(chunks: str, longest: int) -> bool:
    """Whether one of these runs without white space holds the sign of a rule.

    There may be several with white space between them; `longest` is the length of the longest.
    """
    if longest >= TOKEN_CHARACTERS and _TOKEN_SIGN.search(chunks) is not None:
        return True
    return _SIGN.search(chunks.lower()) is not None


def redact_among(text: str, suspects: Sequence[str]) -> str:
    """`redact` a text; `suspects` are those of its runs without white space that hold a sign."""
    if not suspects:
        return text
    signs = " ".join(suspects)
    for sign, pattern in _TOKENS:
        if sign in signs:
            text = pattern.sub(_masked_token, text)
    if ":AA" in signs:
        text = _BOT.sub(MASK, text)
    if "-----BEGIN" in signs:
        text = _KEY_BLOCK.sub(MASK, text)
    if "://" in signs:
        text = _ADDRESS.sub(_masked_address, text)
    return _redact_named(text, signs.lower())


def _redact_named(text: str, lower_signs: str) -> str:
    for signs, pattern, mask in _NAMED_RULES:
        if any(sign in lower_signs for sign in signs):
            text = pattern.sub(mask, text)
    hints = [hint for sign, hint in _NAMED_HINTS.items() if sign in lower_signs]
    if hints:
        lower = text.lower()
        if any(hint.search(lower) for hint in hints):
            text = _NAMED.sub(_masked_value, text)
    return text


def _masked_token(match: Match[str]) -> str:
    found = match.group()
    return "hooks.slack.com/services/" + MASK if found.startswith("hooks.") else MASK


def _masked_address(match: Match[str]) -> str:
    user, password = match.groups()
    return match.group() if _is_placeholder(password) else f"{user}:{MASK}@"


def _masked_rest(match: Match[str]) -> str:
    name, value = match.groups()
    return match.group() if _is_placeholder(value) or _is_plain(value) else name + MASK


def _masked_option(match: Match[str]) -> str:
    name, quote, value = match.groups()
    return match.group() if not _looks_secret(value) else f"{name}{quote}{MASK}{quote}"


def _masked_value(match: Match[str]) -> str:
    name, between, quote, quoted, bare = match.groups()
    value = quoted or bare
    if not _looks_secret(value):
        return match.group()
    return f"{name}{between}{quote or ''}{MASK}{quote or ''}"


def _is_placeholder(value: str) -> bool:
    return MASK in value or _PLACEHOLDER.match(value) is not None


def _is_plain(value: str) -> bool:
    """Words, and names in code, are no secrets."""
    return any(pattern.match(value) for pattern in (_WORDS, _CODE, _TYPE))


def _looks_secret(value: str) -> bool:
    """Letters with digits or signs, which nobody writes but as a secret."""
    value = value.rstrip(".,:!?")
    if len(value) < 6 or _is_placeholder(value) or _is_plain(value):
        return False
    letters = sum(map(str.isalpha, value))
    digits = sum(map(str.isdigit, value))
    return letters >= 2 and (digits >= 1 or len(value) - letters >= 2)


# Tried where the lower-cased text holds one of the signs.
_NAMED_RULES = (
    (("bearer", "basic", "x-api", "x-auth", "cookie:"), _HEADER, _masked_rest),
    (("-u", "--user"), _USER, _masked_rest),
    (("password",), _NETRC, _masked_rest),
    (("-pass", "-token", "-secret", "-api", "sshpass"), _OPTION, _masked_option),
)


def _any_of(signs: Iterable[str]) -> re.Pattern[str]:
    """Finds the signs, of which those that hold another one need not be named."""
    different = dict.fromkeys(signs)
    needed = (s for s in different if not any(other in s for other in different if other != s))
    return re.compile("|".join(map(re.escape, needed)))


_TOKEN_SIGN = _any_of((*_ISSUED, ":AA"))
_SIGN = _any_of(
    (
        *_NAMED_HINTS,
        *(sign for signs, *_ in _NAMED_RULES for sign in signs),
        "-----begin",
        "://",
    )
)
