"""Names are compared as they look."""

import pytest

from pentathlon.core.names import is_of_the_house, name_key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("r-mac", "r-mac "),
        ("r-mac", "R MAC"),
        ("r-mac", "r.mac"),
        ("r-mac", "rmac"),
        ("r-mac", "r-rnac"),
        ("big  cat", "big cat"),
        ("tiger", "TlGER"),
        ("tiger", "t1ger"),
        ("zorro", "z0rr0"),
        ("wave", "vvave"),
        ("paypal", "p\N{CYRILLIC SMALL LETTER A}ypal"),
        ("BETA", "\N{GREEK CAPITAL LETTER BETA}ETA"),
        ("caf\N{LATIN SMALL LETTER E WITH ACUTE}", "CAFE\N{COMBINING ACUTE ACCENT}"),
        ("owls", "o\N{ZERO WIDTH SPACE}wls"),
        ("ada", "\N{FULLWIDTH LATIN SMALL LETTER A}da"),
    ],
)
def test_names_that_look_alike_have_one_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("tiger", "tigers"), ("bot-2", "bot-3"), ("C++ owls", "C owls"), ("!!!", "???")],
)
def test_names_that_differ_have_keys_of_their_own(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


@pytest.mark.parametrize("name", ["", " ", "\N{ZERO WIDTH SPACE}", "\N{RIGHT-TO-LEFT OVERRIDE}"])
def test_every_text_has_a_key(name: str) -> None:
    assert isinstance(name_key(name), str)


@pytest.mark.parametrize(
    "name",
    ["Admin", "adm1n", "s-t-a-f-f", "greedy", "GREEDY ", "flat-mc", "deleted-3", "reference-x"],
)
def test_names_of_the_house(name: str) -> None:
    assert is_of_the_house(name)


@pytest.mark.parametrize("name", ["ada", "tuned-tiger", "greedier", "randomly", "firsts", "bot"])
def test_other_names_are_not_of_the_house(name: str) -> None:
    assert not is_of_the_house(name)
