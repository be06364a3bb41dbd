"""A test that cannot run for want of a compiler says which one, and CI does not let it pass."""

import pytest

from pentathlon_engines.cli.commands.init import BotTemplate
from pentathlon_engines.match.launcher import BOT_PATH
from tests import toolchains
from tests.toolchains import TOOLCHAINS, Toolchain, need

ABSENT = Toolchain(programs=("sh", "ada-of-nobody"), packages=("gnat",))


def test_list_has_every_language_of_a_template_but_python() -> None:
    assert {each.value for each in BotTemplate} == {"python", *TOOLCHAINS}


def test_missing_toolchain_skips_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchains._Demand, "is_made", False)
    monkeypatch.setitem(TOOLCHAINS, "ada", ABSENT)

    with pytest.raises(pytest.skip.Exception, match="no toolchain for ada: ada-of-nobody not"):
        need("ada")


def test_missing_toolchain_fails_where_it_is_demanded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchains._Demand, "is_made", False)
    monkeypatch.setitem(TOOLCHAINS, "ada", ABSENT)

    toolchains.demand_toolchains()

    with pytest.raises(pytest.fail.Exception, match=f"{BOT_PATH}; the Debian packages gnat"):
        need("ada")
