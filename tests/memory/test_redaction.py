"""Secrets do not reach the store; talk about secrets does.

No secret stands here in one piece: the repository must not set off anybody's scanner.
"""

import random
import string
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.memory import Memory, SessionMeta, Turn, WorkRecord
from imprint.memory.redaction import MASK, redact

_DICE = random.Random(20260501)
_ALNUM = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_UPPER = string.ascii_uppercase + string.digits


def _made(alphabet: str, count: int) -> str:
    return "".join(_DICE.choice(alphabet) for _ in range(count - 4)) + "a1B2"[: min(4, count)]


def _hex(count: int) -> str:
    return "".join(_DICE.choice(_HEX) for _ in range(count))


def _upper(count: int) -> str:
    return "".join(_DICE.choice(_UPPER) for _ in range(count))


@dataclass(frozen=True, slots=True)
class Positive:
    """A text with a secret in it."""

    name: str
    text: str
    secret: str


def _joined(*parts: str) -> str:
    return "".join(parts)


def _issued() -> list[tuple[str, str]]:
    return [
        ("aws access key", "AK" + "IA" + _upper(16)),
        ("aws session key", "AS" + "IA" + _upper(16)),
        ("github token", "gh" + "p_" + _made(_ALNUM, 36)),
        ("github oauth", "gh" + "o_" + _made(_ALNUM, 36)),
        ("github app", "gh" + "s_" + _made(_ALNUM, 36)),
        ("github fine-grained", "github" + "_pat_" + _made(_ALNUM + "_", 82)),
        ("gitlab", "gl" + "pat-" + _made(_ALNUM, 20)),
        ("slack bot", "xo" + "xb-" + "12345678901-" + _made(_ALNUM, 24)),
        ("slack user", "xo" + "xp-" + "12345678901-" + _made(_ALNUM, 24)),
        ("google api", "AI" + "za" + _made(_ALNUM + "_-", 35)),
        ("google client", "GOC" + "SPX-" + _made(_ALNUM, 28)),
        ("google access", "ya" + "29." + _made(_ALNUM, 60)),
        ("stripe live", "sk" + "_live_" + _made(_ALNUM, 24)),
        ("stripe test", "sk" + "_test_" + _made(_ALNUM, 24)),
        ("stripe webhook", "wh" + "sec_" + _made(_ALNUM, 32)),
        ("openai project", "sk" + "-proj-" + _made(_ALNUM, 48)),
        ("openai old", "sk" + "-" + "a1" + _made(_ALNUM, 46)),
        ("anthropic", "sk" + "-ant-api03-" + _made(_ALNUM + "-", 80)),
        ("huggingface", "h" + "f_" + "A" + _made(_ALNUM, 33)),
        ("npm", "np" + "m_" + _made(_ALNUM, 36)),
        ("pypi", "py" + "pi-" + "AgEI" + _made(_ALNUM, 60)),
        ("sendgrid", "S" + "G." + _made(_ALNUM, 22) + "." + _made(_ALNUM, 43)),
        ("digitalocean", "dop" + "_v1_" + _hex(64)),
        ("shopify", "shp" + "at_" + _hex(32)),
        ("databricks", "da" + "pi" + _hex(32)),
        ("vault", "hv" + "s." + _made(_ALNUM, 24)),
        ("docker", "dckr" + "_pat_" + _made(_ALNUM, 27)),
        ("linear", "lin" + "_api_" + _made(_ALNUM, 40)),
        ("telegram", "123456789" + ":A" + "A" + _made(_ALNUM, 33)),
        (
            "jwt",
            _joined("ey", "J")
            + _made(_ALNUM, 20)
            + ".ey"
            + "J"
            + _made(_ALNUM, 40)
            + "."
            + _made(_ALNUM, 43),
        ),
        ("tailscale", "ts" + "key-auth-" + _made(_ALNUM, 24)),
        ("age", "AGE-SECRET" + "-KEY-1" + _upper(58)),
    ]


def _wrapped(name: str, before: str, secret: str, after: str = "") -> Positive:
    return Positive(name, before + secret + after, secret)


def _carried() -> list[Positive]:
    word = "Tr0ub4dor" + "&3"
    long = _made(_ALNUM, 32)
    body = "\n".join(_made(_ALNUM + "+/", 64) for _ in range(6))
    dashes, pem = "-" * 5, _joined("PRIVATE", " KEY")
    block = f"{dashes}BEGIN RSA {pem}{dashes}\n{body}\n{dashes}END RSA {pem}{dashes}"
    cut = f"{dashes}BEGIN OPENSSH {pem}{dashes}\n{body}\n"
    return [
        _wrapped("password in url", "postgres://app:", "s3cr" + "etpw", "@db.example.com:5432/app"),
        _wrapped("password in redis url", "redis://:", long, "@cache:6379/0"),
        _wrapped("token in git url", "git clone https://oauth2:", long, "@git.example.com/x.git"),
        Positive("private key", f"here it is:\n{block}\nthanks", body),
        Positive("private key cut off", cut, body),
        _wrapped("assignment", "DB_PASSWORD=", word),
        _wrapped("quoted assignment", 'password = "', word, '"'),
        _wrapped("json", '{"api_key": "', long, '"}'),
        _wrapped("escaped json", '{\\"client_secret\\": \\"', long, '\\"}'),
        _wrapped("yaml", "  secret_key: ", long),
        _wrapped("said", "the admin password is ", word, " by the way"),
        _wrapped("said, set to", "my token is now set to ", long),
        _wrapped("bearer", "Authorization: Bearer ", long),
        _wrapped("basic", "authorization: Basic ", "dXNlcjpwYXNz" + "d29yZDEyMw=="),
        _wrapped("api header", "curl -H 'X-Api-Key: ", long, "' https://api.example.com"),
        _wrapped("cookie", "Cookie: session=", long),
        _wrapped("curl user", "curl -u admin:", word, " https://example.com"),
        _wrapped("option", "mysqldump --password=", word, " app"),
        _wrapped("sshpass", "sshpass -p ", word, " ssh host"),
        _wrapped("netrc", "machine example.com login me password ", word),
        _wrapped("environment", "export AWS_SECRET_ACCESS_KEY=", _made(_ALNUM + "/+", 40)),
        _wrapped(
            "azure", "AccountName=x;AccountKey=", _made(_ALNUM + "/+", 86) + "==", ";Suffix=y"
        ),
        _wrapped("connection string", "Server=db;User Id=sa;Password=", word, ";Encrypt=true"),
        _wrapped("php", "'password' => '", word, "',"),
        _wrapped("go", 'apiKey := "', long, '"'),
        _wrapped("python dict", "config['auth_token'] = '", long, "'"),
        _wrapped("slack hook", "https://hooks.slack.com/services/", "T0001/B0002/" + long),
        _wrapped("chinese sentence", "密码 password: ", word, " 请记住"),
    ]


POSITIVES: list[Positive] = [
    *(Positive(name, f"please use {token} for it", token) for name, token in _issued()),
    *_carried(),
]

LOOKALIKES = (Path(__file__).parent / "data/lookalikes.txt").read_text("utf-8").splitlines()


def test_the_corpus_is_large_enough_to_say_something():
    assert len({case.secret for case in POSITIVES}) >= 40
    assert len(set(LOOKALIKES)) >= 200


@pytest.mark.parametrize("case", POSITIVES, ids=lambda case: case.name)
def test_a_secret_is_replaced_and_its_surroundings_stay(case):
    cleaned = redact(case.text)
    assert case.secret not in cleaned
    before, mask, after = cleaned.partition(MASK)
    assert mask
    assert case.text.startswith(before)
    assert case.text.endswith(after)


@pytest.mark.parametrize("text", LOOKALIKES)
def test_what_only_looks_like_a_secret_stays(text):
    assert redact(text) == text


def test_one_secret_among_many_lines_is_found_and_the_lines_stay():
    lines = [f"{line}\n" for line in LOOKALIKES]
    for case in POSITIVES:
        text = "".join([*lines[:50], case.text, "\n", *lines[50:100]])
        cleaned = redact(text)
        assert case.secret not in cleaned, case.name
        assert cleaned.startswith("".join(lines[:50])), case.name
        assert cleaned.endswith("".join(lines[51:100])), case.name


@given(st.lists(st.sampled_from([*LOOKALIKES, *(case.text for case in POSITIVES)]), max_size=6))
def test_redacting_twice_is_redacting_once(lines):
    once = redact("\n".join(lines))
    assert redact(once) == once


@given(st.text(max_size=300))
def test_any_text_can_be_redacted(text):
    assert redact(redact(text)) == redact(text)


def test_every_way_into_the_store_redacts(tmp_path):
    secret = POSITIVES[2].secret
    sentence = f"take {secret} for it"
    with Memory.open(tmp_path / "a" / "memory.db") as memory:
        with memory.importing(SessionMeta("conversation/a", "p", "/p", ("/p",))) as session:
            session.add_turn(Turn("1", "user", sentence))
            session.add_work(WorkRecord("2", "command", f"login {secret}", sentence))
            session.finish(SessionMeta("conversation/a", "p", "/p", ("/p",)), b"")
        memory.remember(sentence)
        lines = [line.replace(MASK.encode(), secret.encode()) for line in memory.export()]
    assert sum(secret.encode() in line for line in lines) == 3
    with Memory.open(tmp_path / "b" / "memory.db") as memory:
        memory.import_(lines)
        assert secret.encode() not in b"".join(memory.export())
        assert not memory.search(secret)
    for file in tmp_path.rglob("*"):
        assert file.is_dir() or secret.encode() not in file.read_bytes()
