"""Validations from before they named their version survive the migration."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from pentathlon.matches.models import Match, MatchKind, MatchState
from tests.factories import make_match, make_version


@pytest.mark.django_db
def test_every_validation_names_its_version() -> None:
    versions = [make_version(), make_version()]
    checks = [make_match([each] * 2, kind=MatchKind.VALIDATION) for each in versions]
    other = make_match(versions, state=MatchState.DONE)
    Match.objects.update(validated_version=None)
    migration = import_module("pentathlon.matches.migrations.0023_name_validated_versions")

    migration.name_versions(apps, connection.SchemaEditorClass(connection))

    named = dict(Match.objects.values_list("pk", "validated_version"))
    expected = {check.pk: version.pk for check, version in zip(checks, versions, strict=True)}
    assert named == {**expected, other.pk: None}
