"""Words that a question is made of and that no answer is found by."""

_QUESTION = """
    a about after again all also am an and any are as at be because been before being between both
    but by can could did do does doing dont down during each few for from further had has have
    having he her here hers him his how i if in into is isnt it its just lets like me more most my
    no nor not of off on once only or other our ours out over own same she should so some such than
    that the their theirs them then there these they this those through to too under until up us
    very was wasnt we were what when where which while who whom why will with would you your yours
    whats wheres hows im ive youre weve theres thats
    please tell told say said says remember recall mentioned discussed talked asked earlier
    previously previous something anything thing things again ago
"""

_ENGLISH = frozenset(_QUESTION.split())
_CHINESE = frozenset("的了吗呢吧啊我你他她它们么什怎这那哪谁")
_KOREAN_ENDINGS = frozenset("을를은는이가에의로와과도")


def is_stop_word(word: str) -> bool:
    """Whether a (lower case) word says nothing about what is looked for."""
    return word in _ENGLISH


def is_filler_pair(pair: str) -> bool:
    """Whether a pair of CJK characters is grammar rather than a word.

    Hiragana carries grammar in Japanese; Chinese has its particles; a Korean word's ending
    cannot be told from a syllable, so only the commonest, at a pair's end, count.
    """
    return any(
        "\u3041" <= character <= "\u309f" or character in _CHINESE for character in pair
    ) or (len(pair) == 2 and pair[1] in _KOREAN_ENDINGS)
