"""Tournaments from before seeds were sealed survive the migration."""

from typing import Any

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import RunPython
from django.db.migrations.state import ProjectState

from pentathlon.tournaments.documents.document import document_json
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.scheduling.proof import proof
from pentathlon_engines.tournament.proof import BadProof, check_proof
from tests.factories import make_user, make_version

BEFORE = ("tournaments", "0003_results_version")
_SEALING = ("tournaments", "0004_sealed_seeds")


def _old_models() -> ProjectState:
    """Return the models as the release before had them; today's tables take their rows."""
    return MigrationLoader(None, replace_migrations=False).project_state(BEFORE)


def _seal() -> None:
    """Do what the migration does to rows; `manage.py test upgrades` lets it change tables, too."""
    loader = MigrationLoader(None, replace_migrations=False)
    models = loader.project_state(BEFORE)
    *columns, seals, _ = loader.disk_migrations[_SEALING].operations
    for operation in columns:
        operation.state_forwards("tournaments", models)
    assert isinstance(seals, RunPython)
    seals.code(models.apps, connection.schema_editor())


def stored(model: Any, state: str, **fields: Any) -> int:
    """Store a tournament of the release before, with the two entries of the current one."""
    owner = make_user(organiser=True)
    made = model.objects.create(
        owner_id=owner.pk, name=f"Old {state}", game="tuned", format="round_robin",
        state=state, seed=7, **fields,
    )  # fmt: skip
    entries = model.entries.rel.related_model
    for number in range(2):
        version = make_version(owner=owner)
        entries.objects.create(tournament_id=made.pk, version_id=version.pk, number=number)
    return int(made.pk)


@pytest.mark.django_db
def test_open_ones_get_a_secret_and_running_ones_keep_their_matches() -> None:
    model = _old_models().apps.get_model("tournaments", "Tournament")
    made = [stored(model, state) for state in ("open", "running", "closed")]

    _seal()

    demand_that_they_were_sealed(*made)


def demand_that_they_were_sealed(open_one: int, running: int, closed: int) -> None:
    """Compare with what the migration promises."""
    found = Tournament.objects.in_bulk([open_one, running, closed])
    assert len(bytes.fromhex(found[open_one].secret)) == 32
    assert found[running].secret == found[closed].secret == ""
    assert found[running].revealed_at is None
    assert found[closed].revealed_at is not None
    assert document_json(found[closed])["seed"] == 7
    assert "seed" not in document_json(found[running])
    for pk in (running, closed):
        with pytest.raises(BadProof, match="before seeds were sealed"):
            check_proof(proof(found[pk]))
