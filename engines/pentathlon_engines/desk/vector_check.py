"""Checks rules in another language by the vectors of a game.

The program reads questions from standard input, one JSON object a line, and answers each with one
line: the value that is asked for, or `null` for what it does not know.

    > {"ask":"legal","position":{…}}                        < ["add donkey a1",…] in any order
    > {"ask":"after","position":{…},"action":"add dog b2"}  < {…}, the position after it
    > {"ask":"observation","position":{…},"seat":0}         < {…}; a spectator is the seat null
    > {"ask":"perft","position":{…},"depth":3}              < 24561
"""

import json
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pentathlon_engines import strict_json
from pentathlon_engines.desk.vectors import Json
from pentathlon_engines.errors import BadJson, EngineError

ASKS: Final = ("legal", "after", "observation", "perft")
_SHOWN: Final = 300


class ProgramFailed(EngineError):
    """The program could not be started, ended, or wrote a line that is not JSON."""

    code = "program_failed"


@dataclass(slots=True)
class AskResult:
    """The answers to one kind of question."""

    right: int = 0
    unknown: int = 0
    wrong: list[str] = field(default_factory=list)
    """A sentence for each wrong answer."""


def check_program(command: Sequence[str], vectors: Json) -> dict[str, AskResult]:
    """Put all questions of the vectors to a program, and compare its answers.

    Raises:
        ProgramFailed: there is no answer.
    """
    results = {ask: AskResult() for ask in ASKS}
    try:
        program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except OSError as error:
        raise ProgramFailed(f"{command[0]} cannot be started: {error.strerror}") from error
    with program:
        try:
            for question, expected in _questions(vectors):
                _compare(results[question["ask"]], question, expected, _answer(program, question))
        finally:
            program.kill()
    return results


def _questions(vectors: Json) -> Iterator[tuple[Json, Any]]:
    for case in vectors["cases"]:
        position = case["position"]
        yield {"ask": "legal", "position": position}, case["legal"]
        for action, after in case["after"].items():
            yield {"ask": "after", "position": position, "action": action}, after
        last = len(case["observations"]) - 1
        for seat, seen in enumerate(case["observations"]):
            number = None if seat == last else seat
            yield {"ask": "observation", "position": position, "seat": number}, seen
        for depth, count in enumerate(case["perft"], start=1):
            yield {"ask": "perft", "position": position, "depth": depth}, count


def _answer(program: subprocess.Popen[bytes], question: Json) -> Any:
    if program.stdin is None or program.stdout is None:
        raise AssertionError
    try:
        program.stdin.write(json.dumps(question, ensure_ascii=False).encode() + b"\n")
        program.stdin.flush()
        line = program.stdout.readline()
        if not line:
            raise ProgramFailed(f"the program ended at {_shown(question)}")
        return strict_json.loads(line)
    except BrokenPipeError as error:
        raise ProgramFailed(f"the program ended before {_shown(question)}") from error
    except BadJson as error:
        raise ProgramFailed(f"its answer is not JSON: {error}, to {_shown(question)}") from error


def _compare(result: AskResult, question: Json, expected: Any, answer: Any) -> None:
    if answer is None:
        result.unknown += 1
        return
    if question["ask"] == "legal" and _are_texts(answer):
        missing, more = set(expected) - set(answer), set(answer) - set(expected)
        is_right = not missing and not more and len(answer) == len(expected)
        said = f"missing {sorted(missing)}, not legal {sorted(more)}"
    elif isinstance(expected, dict) and isinstance(answer, dict):
        differing = [key for key in {**expected, **answer} if expected.get(key) != answer.get(key)]
        is_right = not differing
        said = "; ".join(
            f"{key} is {_shown(expected.get(key))}, not {_shown(answer.get(key))}"
            for key in differing
        )
    else:
        is_right = type(answer) is type(expected) and answer == expected
        said = f"it is {_shown(expected)}, not {_shown(answer)}"
    if is_right:
        result.right += 1
        return
    about = {name: value for name, value in question.items() if name not in ("ask", "position")}
    result.wrong.append(f"{said}\n  {_shown(about)} in {json.dumps(question['position'])}")


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(type(item) is str for item in value)


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
