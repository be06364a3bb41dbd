"""Versions of a benchmark's data have been validated, as those of people are."""

import pytest

from pentathlon.matches.models import Match, MatchState
from tests.factories import make_version
from tools.benchmark.load.validations import add_validations


@pytest.mark.django_db
def test_every_version_gets_one_match_against_itself() -> None:
    versions = [make_version().pk for _ in range(3)]

    add_validations("tuned", versions)

    for version in versions:
        match = Match.objects.validations_of(version).get()
        assert match.state == MatchState.DONE
        assert [seat.version_id for seat in match.seats.all()] == [version, version]
