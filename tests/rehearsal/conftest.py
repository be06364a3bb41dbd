"""A machine that can rehearse nothing says so with an exit code of its own."""

import pytest

from pentathlon.local.parts import NOT_HERE


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail if all that was chosen is left out."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and {*reporter.stats} - {"", "warnings", "deselected"} == {"skipped"}:
        session.exitstatus = NOT_HERE
