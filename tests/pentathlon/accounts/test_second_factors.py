import base64

import pytest
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP

from pentathlon.accounts.audit.models import AuditAction, AuditEvent
from pentathlon.accounts.models import RecoveryCode, TotpKey, User
from pentathlon.accounts.second_factors import (
    RECOVERY_CODES,
    add_totp,
    has_second_factor,
    new_totp_salt,
    remove_totp,
    renew_recovery_codes,
    reset_second_factors,
    take_code,
    totp_address,
    totp_secret,
)
from pentathlon.core.errors import Conflict, InvalidInput, NotFound
from tests.factories import make_staff, make_user
from tests.pentathlon.accounts.authenticator_app import code_of, set_up
from tests.pentathlon.accounts.mailing import SITE, delivered

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Let a test set the time by which codes are computed."""
    now = [1_700_000_000.0]
    monkeypatch.setattr("pentathlon.accounts.second_factors.time.time", lambda: now[0])
    return now


def refused(person: User, code: str) -> bool:
    with pytest.raises(InvalidInput) as refusal:
        take_code(person=person, code=code)
    return (refusal.value.code, refusal.value.field) == ("wrong_code", "code")


def test_codes_are_those_that_every_app_computes(clock: list[float]) -> None:
    person, salt = make_user("ada"), new_totp_salt()
    key = base64.b32decode(totp_secret(salt).replace(" ", ""))
    code = TOTP(key, 6, SHA1(), 30).generate(clock[0]).decode()

    add_totp(actor=person, salt=salt, code=code, site=SITE)

    assert has_second_factor(person)
    address = totp_address(salt, person, site_name="example.org")
    assert address.startswith("otpauth://totp/Pentathlon%20example.org:ada?")
    assert f"secret={totp_secret(salt).replace(' ', '')}" in address


def test_key_is_nowhere_in_the_database() -> None:
    person = make_user()
    salt, codes = set_up(person)

    stored = str([*TotpKey.objects.values(), *RecoveryCode.objects.values()])
    assert totp_secret(salt).replace(" ", "") not in stored
    assert not [code for code in codes if code in stored or code.replace("-", "") in stored]


@pytest.mark.parametrize(("late_s", "is_good"), [(-30, True), (0, True), (30, True), (90, False)])
def test_clocks_may_differ_a_little(late_s: int, is_good: bool, clock: list[float]) -> None:
    person = make_user()
    salt, _ = set_up(person)
    clock[0] += 300
    code = code_of(salt, at=clock[0] - late_s)

    if is_good:
        take_code(person=person, code=code)
    else:
        assert refused(person, code)


def test_code_is_good_once_and_older_ones_then_never(clock: list[float]) -> None:
    person = make_user()
    salt, _ = set_up(person)
    assert refused(person, code_of(salt, at=clock[0]))  # the one that set it up
    clock[0] += 300
    code, older = code_of(salt, at=clock[0]), code_of(salt, at=clock[0] - 30)

    take_code(person=person, code=f" {code[:3]} {code[3:]} ")

    assert refused(person, code)
    assert refused(person, older)


@pytest.mark.parametrize("code", ["", "000000", "12345", "abcdef", "\u0661" * 6, "1" * 500])
def test_wrong_code_is_refused(code: str) -> None:
    person = make_user()
    set_up(person)

    assert refused(person, code)


def test_code_of_somebody_else_is_refused(clock: list[float]) -> None:
    person, other = make_user(), make_user()
    set_up(person)
    salt, codes = set_up(other)
    clock[0] += 300

    assert refused(person, code_of(salt, at=clock[0]))
    assert refused(person, codes[0])


def test_recovery_code_is_good_once() -> None:
    person = make_user()
    _, codes = set_up(person)
    assert len(set(codes)) == RECOVERY_CODES == 10

    take_code(person=person, code=codes[3].lower().replace("-", " "))

    assert refused(person, codes[3])
    assert RecoveryCode.objects.filter(person=person).count() == RECOVERY_CODES - 1


def test_new_recovery_codes_replace_the_old() -> None:
    person = make_user()
    _, codes = set_up(person)

    fresh = renew_recovery_codes(actor=person)

    assert refused(person, codes[0])
    take_code(person=person, code=fresh[0])


def test_recovery_codes_need_a_second_factor() -> None:
    with pytest.raises(Conflict) as refusal:
        renew_recovery_codes(actor=make_user())

    assert refusal.value.code == "no_second_factor"


def test_app_is_added_only_with_a_right_code_and_once(clock: list[float]) -> None:
    person, salt = make_user(), new_totp_salt()
    with pytest.raises(InvalidInput):
        add_totp(actor=person, salt=salt, code="000000", site=SITE)
    assert not has_second_factor(person)
    set_up(person)

    with pytest.raises(Conflict) as refusal:
        add_totp(actor=person, salt=salt, code=code_of(salt, at=clock[0]), site=SITE)

    assert refusal.value.code == "totp_exists"


def test_removing_the_last_factor_takes_the_recovery_codes_along() -> None:
    person = make_user()
    set_up(person)

    remove_totp(actor=person, site=SITE)

    assert not has_second_factor(person)
    assert not RecoveryCode.objects.exists()
    assert [subject for _, subject in delivered()] == [
        "Pentathlon: a second factor was added",
        "Pentathlon: a second factor was removed",
    ]
    with pytest.raises(NotFound):
        remove_totp(actor=person, site=SITE)


def test_staff_take_factors_off_and_the_person_is_told() -> None:
    person, staff = make_user(), make_staff()
    set_up(person)
    delivered()

    assert reset_second_factors(actor=staff, person=person, site=SITE)
    assert not reset_second_factors(actor=staff, person=person, site=SITE)

    assert not has_second_factor(person)
    assert delivered() == [(person.email, "Pentathlon: a second factor was removed")]
    event = AuditEvent.objects.get()
    assert (event.actor, event.person, event.action) == (staff, person, AuditAction.FACTORS_RESET)
