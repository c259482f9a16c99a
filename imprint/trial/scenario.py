"""What is said in a trial: a fact, a question, and words that nobody ever says.

The words are made up anew for each trial, so that nothing but this trial can know them.
"""

import secrets
from dataclasses import dataclass

from imprint.sandbox.script import SHELL, CallTool, Say, Script, tool_ending

_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"


def made_up_word() -> str:
    """A pronounceable word of eight letters that is in no prompt, package or dictionary."""
    return "".join(secrets.choice(_CONSONANTS) + secrets.choice(_VOWELS) for _ in range(4))


CONTROL = Script("Say hello.", (Say("Hello."),))
"""The shortest session that there is: what a Copilot without Imprint writes and is sent."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One trial's words.

    `fact` is told in session 1 and must come back in session 2, whose own prompt lacks it;
    `never_said` is the control that must be found nowhere.
    """

    fact: str
    never_said: str

    @classmethod
    def new(cls) -> "Scenario":
        """Two different words."""
        return cls(fact=f"{made_up_word()}-{made_up_word()}", never_said=made_up_word() + "q")

    @property
    def telling(self) -> Script:
        """Session 1: the user states the fact, the model uses the shell and answers."""
        return Script(
            f"Our staging database is called {self.fact}. Check that the shell works, please.",
            (
                CallTool(SHELL, {"command": "echo shell-works", "description": "Check the shell"}),
                Say(f"The shell works, and I have noted that the staging database is {self.fact}."),
            ),
        )

    @property
    def asking(self) -> Script:
        """Session 2: the model looks it up over MCP."""
        return Script(
            "What is our staging database called?",
            (
                CallTool(tool_ending("recall"), {"query": "staging database"}),
                Say("I have looked it up in the memory."),
            ),
        )

    @property
    def last_answer(self) -> str:
        """What the Stop import must not lose: the model's last words of session 1."""
        last = self.telling.turns[-1]
        assert isinstance(last, Say)
        return last.text
