from datetime import timedelta

import pytest

from pentathlon.fleet import models as fleet_models


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count workers as alive however long a test takes on a busy machine."""
    monkeypatch.setattr(fleet_models, "_SILENT_AFTER", timedelta(hours=1))
