import pytest

from pentathlon_engines.tournament.tint import tint


@pytest.mark.parametrize(
    ("share", "name"),
    [
        (0, "t1"), (0.25, "t1"), (0.3, "t2"), (0.45, "t3"), (0.5, "t3"), (0.55, "t3"),
        (0.6, "t4"), (0.75, "t5"), (1, "t5"),
    ],
)  # fmt: skip
def test_tint_follows_the_share(share: float, name: str) -> None:
    assert tint(share) == name
