"""Windows' own CPython on Linux, under Wine: the suite's Windows parts, and WSL's Windows side.

    python    the interpreter (python.org's embeddable build, from PyPI) and wheels for Windows
    wine      a Wine prefix of our own; programs in it, with pipes and a deadline
    suite     which tests run there, and running them

Wine is like Windows in sharing violations, locks, case, reserved names, code pages and command
lines; not in links, permissions and long paths. What it can't show is not claimed.
"""
