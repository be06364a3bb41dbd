from pathlib import Path

import pytest

from pentathlon.env import BadEnvironment, Environment, Mode
from pentathlon.secret import secret_key


def test_local_key_is_made_once_and_private(tmp_path: Path) -> None:
    environment = Environment(data=tmp_path / "data")

    first, second = secret_key(environment), secret_key(environment)

    assert first == second
    assert len(first) >= 50
    assert (tmp_path / "data/secret_key").stat().st_mode & 0o777 == 0o600


def test_two_installations_have_different_keys(tmp_path: Path) -> None:
    keys = {secret_key(Environment(data=tmp_path / name)) for name in ("one", "two")}

    assert len(keys) == 2


def test_production_demands_a_key(tmp_path: Path) -> None:
    with pytest.raises(BadEnvironment, match="PENTATHLON_SECRET_KEY must be set"):
        secret_key(Environment(mode=Mode.PRODUCTION, data=tmp_path))

    assert list(tmp_path.iterdir()) == []


def test_short_key_is_refused() -> None:
    with pytest.raises(BadEnvironment, match="at least 32 characters"):
        secret_key(Environment(secret_key="short"))
