import subprocess

import pytest

from pentathlon.env import CHECKOUT
from pentathlon.local.parts import LEFT_OUT, UnknownPart, choose

ON_REQUEST = (
    *("hostile", "languages", "rehearsal", "storm"),
    *("benchmark", "survival", "sites", "upgrades"),
)


def names(*parts: str) -> list[str]:
    return [part.name for part in choose(parts, pytest_arguments=[])]


def test_no_name_means_everything_side_by_side() -> None:
    whole = choose([], pytest_arguments=[])

    assert [part.name for part in whole] == [
        *("tests", "format", "lint", "types", "imports", "migrations", "sqlite"),
    ]
    assert [part.is_beside for part in whole] == [False, *[True] * 6]
    assert "--dist" in whole[0].command


@pytest.mark.parametrize("path", ["tests/workers/slots", "workers/slots"])
def test_path_counts_from_the_checkout_or_from_the_tests(path: str) -> None:
    (part,) = choose([path], pytest_arguments=["-x"])

    assert part.command[-2:] == ("tests/workers/slots", "-x")


def test_one_test_may_be_named() -> None:
    (part,) = choose(["local/test_parts.py::test_one_test_may_be_named"], pytest_arguments=[])

    assert part.command[-1] == "tests/local/test_parts.py::test_one_test_may_be_named"


def test_life_of_a_match_is_tested_on_sqlite() -> None:
    (sqlite,) = choose(["sqlite"], pytest_arguments=["-x"])

    assert sqlite.on_sqlite
    assert {"tests/pentathlon/matches", "tests/pentathlon/ratings"} <= set(sqlite.command)
    paths = [word for word in sqlite.command if "tests/" in word]
    assert all((CHECKOUT / path).exists() for path in paths)
    assert sqlite.command[-1] == "-x"


@pytest.mark.parametrize("part", [*ON_REQUEST, "compiled", "browser", "deep"])
def test_what_is_left_out_is_told_with_the_way_to_ask(part: str) -> None:
    assert f"`{part}`" in LEFT_OUT or f"`manage.py test {part}`" in LEFT_OUT


def test_what_is_left_out_stands_in_one_line() -> None:
    assert len(LEFT_OUT.splitlines()) == 1


def test_usual_run_looks_at_matches_on_sqlite() -> None:
    *_, sqlite = choose([], pytest_arguments=[])

    assert sqlite.on_sqlite
    assert "tests/pentathlon/matches/test_claims.py" in sqlite.command
    paths = [word for word in sqlite.command if "tests/" in word]
    assert all((CHECKOUT / path).exists() for path in paths)


def test_named_checks_are_all_that_runs() -> None:
    assert names("lint", "types") == ["lint", "types"]


def test_named_folders_become_one_run_of_pytest() -> None:
    (tests,) = choose(["api", "workers"], pytest_arguments=["-x"])

    assert tests.command[-3:] == ("tests/api", "tests/workers", "-x")


def test_compiled_engines_are_tested_on_request_only() -> None:
    (compiled,) = choose(["compiled"], pytest_arguments=["-x"])

    assert compiled.command[-2:] == ("pentathlon.local.environment.compiled_build", "-x")
    assert "compiled" not in [part.name for part in choose([], pytest_arguments=[])]


@pytest.mark.parametrize("part", ON_REQUEST)
def test_long_version_has_a_file_of_its_own(part: str) -> None:
    (long,) = choose([part], pytest_arguments=["-x"])

    file, last = long.command[-2:]
    assert (CHECKOUT / file).is_file()
    assert not (CHECKOUT / file).name.startswith("test_")  # the usual run passes it over
    assert last == "-x"


def test_long_versions_of_all_folders_are_a_part_of_their_own() -> None:
    (deep,) = choose(["deep"], pytest_arguments=["-x"])

    assert deep.name == "deep"
    assert "--deep" in deep.command
    assert "--deep" not in choose([], pytest_arguments=[])[-2].command
    assert deep.command[-1] == "-x"


def test_path_of_a_single_test_is_taken_as_it_is() -> None:
    (tests,) = choose(["tests/local/test_parts.py::test_x"], pytest_arguments=[])

    assert tests.command[-1] == "tests/local/test_parts.py::test_x"


def test_unknown_part_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownPart, match=r"no part 'lynt'.*lint, types"):
        names("lynt")


def test_mutants_are_drawn_by_a_program_that_starts() -> None:
    (part,) = choose(["mutants"], pytest_arguments=["--help"])

    ended = subprocess.run(part.command, cwd=CHECKOUT, capture_output=True, text=True, check=True)

    assert "--mutants" in ended.stdout
