"""Steps that find nothing to do are not run until something changes."""

from __future__ import annotations

import pytest
from django.db import connection, transaction
from django.db.models import QuerySet

from pentathlon.accounts.models import User
from tests.factories import make_user
from workers.step_memory import LOOK_ANYWAY_S, Remembered

pytestmark = pytest.mark.django_db(transaction=True)


class Step:
    """Greets people who were not greeted yet, and counts how often it runs."""

    def __init__(self) -> None:
        self.runs = 0
        self.now = 1000.0
        self.remembered = Remembered(self, clock=lambda: self.now)

    def __call__(self) -> int:
        self.runs += 1
        return self.work()

    def strangers(self) -> QuerySet[User]:
        return User.objects.filter(first_name="").order_by("pk")

    def work(self) -> int:
        with transaction.atomic():
            found = list(self.strangers().select_for_update().values_list("pk", flat=True))
            if found:
                User.objects.filter(pk__in=found).update(first_name="Hello")
        return len(found)

    def rest(self) -> None:
        """Run until the step is remembered."""
        for _ in range(4):
            assert not self.remembered()
        self.runs = 0


class ReadsAClock(Step):
    def work(self) -> int:
        self.now += 0.001
        return User.objects.filter(first_name=str(self.now)).count()


class WritesInVain(Step):
    def work(self) -> int:
        return User.objects.filter(first_name="").update(first_name="Hello")


class ReadsNothing(Step):
    def work(self) -> int:
        return 0


@pytest.fixture
def step() -> Step:
    step = Step()
    step.rest()
    return step


def test_step_that_found_nothing_does_not_run_while_nothing_changes(step: Step) -> None:
    for _ in range(5):
        assert not step.remembered()

    assert step.runs == 0


def test_change_is_noticed_at_once(step: Step) -> None:
    for _ in range(3):
        make_user()

        assert step.remembered() == 1
        assert not step.strangers().exists()


def test_change_between_any_two_runs_is_noticed() -> None:
    step = Step()
    for rounds in range(6):
        for _ in range(rounds):
            step.remembered()
        make_user()

        assert step.remembered() == 1


def test_step_runs_after_some_seconds_in_any_case(step: Step) -> None:
    step.now += LOOK_ANYWAY_S

    step.remembered()
    step.remembered()

    assert step.runs == 1


@pytest.mark.parametrize("kind", [ReadsAClock, WritesInVain, ReadsNothing])
def test_step_that_cannot_be_repeated_always_runs(kind: type[Step]) -> None:
    step = kind()
    step.rest()

    for _ in range(3):
        step.remembered()

    assert step.runs == 3


def test_step_that_fails_runs_again(step: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    make_user()
    monkeypatch.setattr(step, "strangers", User.objects.none().get)
    with pytest.raises(User.DoesNotExist):
        step.remembered()
    monkeypatch.undo()

    assert step.remembered() == 1


def test_look_locks_nothing(step: Step) -> None:
    told: list[str] = []

    def note(execute: object, sql: str, *rest: object) -> object:
        told.append(sql)
        return execute(sql, *rest)  # type: ignore[operator]  # Django's own

    with connection.execute_wrapper(note):
        step.remembered()

    assert len(told) == 1
    assert "FOR UPDATE" not in told[0]
