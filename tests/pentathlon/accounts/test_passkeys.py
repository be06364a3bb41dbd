import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pentathlon.accounts import services
from pentathlon.accounts.models import Passkey, RecoveryCode, User
from pentathlon.accounts.passkeys import (
    add_passkey,
    begin_check,
    begin_passkey,
    check_passkey,
    remove_passkey,
)
from pentathlon.accounts.second_factors import has_second_factor
from pentathlon.core.errors import Conflict, InvalidInput, NotFound
from tests.factories import make_user
from tests.pentathlon.accounts.authenticator import Authenticator
from tests.pentathlon.accounts.mailing import SITE, delivered

pytestmark = pytest.mark.django_db
HOST = "testserver"


def as_json(options: dict[str, Any]) -> dict[str, Any]:
    """Return options as they reach a browser."""
    read: dict[str, Any] = json.loads(json.dumps(options))
    return read


def add(person: User, device: Authenticator, *, name: str = "phone") -> list[str]:
    options, state = begin_passkey(person, host=HOST)
    answer = device.make(as_json(options))
    return add_passkey(actor=person, name=name, answer=answer, state=state, site=SITE)[1]


def show(device: Authenticator, *, person: User | None = None) -> User:
    options, state = begin_check(host=HOST, person=person)
    return check_passkey(answer=device.show(as_json(options)), state=state, person=person)


def refusal_of(device: Authenticator, *, person: User | None = None) -> str:
    with pytest.raises(InvalidInput) as refusal:
        show(device, person=person)
    return refusal.value.code


def test_passkey_signs_in_with_and_without_a_password() -> None:
    person, device = make_user(), Authenticator()

    codes = add(person, device)

    assert len(codes) == RecoveryCode.objects.count() == 10
    assert has_second_factor(person)
    assert show(device) == person
    assert show(device, person=person) == person
    assert Passkey.objects.get().sign_count == 2
    assert delivered() == [(person.email, "Pentathlon: a second factor was added")]


def test_second_passkey_brings_no_new_recovery_codes() -> None:
    person = make_user()
    add(person, Authenticator())

    assert add(person, Authenticator(), name="blue key") == []
    assert Passkey.objects.filter(person=person).count() == 2


def test_browser_is_told_which_passkeys_there_are() -> None:
    person, device = make_user(), Authenticator()
    add(person, device)
    own = as_json(begin_passkey(person, host=HOST)[0])["publicKey"]
    asked = as_json(begin_check(host=HOST, person=person)[0])["publicKey"]
    open_to_all = as_json(begin_check(host=HOST)[0])["publicKey"]

    assert len(own["excludeCredentials"]) == len(asked["allowCredentials"]) == 1
    assert not open_to_all.get("allowCredentials")
    assert open_to_all["userVerification"] == "required"
    assert person.username not in own["user"]["id"]
    assert (
        own["user"]["id"]
        == as_json(begin_passkey(person, host=HOST)[0])["publicKey"]["user"]["id"]
    )


def test_passkey_of_somebody_else_is_no_second_factor() -> None:
    person, other, device = make_user(), make_user(), Authenticator()
    add(person, Authenticator())
    add(other, device)

    assert refusal_of(device, person=person) == "unknown_passkey"


def test_passkey_of_a_closed_account_and_a_removed_one_are_unknown() -> None:
    person, closed, device, lost = make_user(), make_user(), Authenticator(), Authenticator()
    add(closed, device)
    add(person, lost)
    User.objects.filter(pk=closed.pk).update(is_active=False)
    remove_passkey(actor=person, passkey_id=person.passkeys.get().pk, site=SITE)

    assert refusal_of(device) == refusal_of(lost) == "unknown_passkey"
    assert not has_second_factor(person)
    assert not RecoveryCode.objects.filter(person=person).exists()


def test_alone_it_has_to_verify_its_owner() -> None:
    person, device = make_user(), Authenticator()
    add(person, device)
    device.verifies = False

    assert refusal_of(device) == "bad_passkey"
    assert show(device, person=person) == person


@pytest.mark.parametrize(
    "origin",
    ["https://example.org", "http://testserver", "https://a.testserver", "https://testserver.org"],
)
def test_pages_of_other_sites_are_refused(origin: str) -> None:
    person, device = make_user(), Authenticator()
    add(person, device)
    device.origin = origin

    assert refusal_of(device) == "bad_passkey"
    with pytest.raises(InvalidInput):
        add(person, Authenticator(origin=origin))


def test_signature_for_another_host_or_by_another_key_is_refused() -> None:
    person, device = make_user(), Authenticator()
    add(person, device)

    assert refusal_of(Authenticator(id=device.id)) == "bad_passkey"
    assert refusal_of(Authenticator(host="else", id=device.id, key=device.key)) == "bad_passkey"


def test_answer_is_good_for_its_own_challenge_only() -> None:
    person, device = make_user(), Authenticator()
    add(person, device)
    old = device.show(as_json(begin_check(host=HOST)[0]))
    _, state = begin_check(host=HOST)

    for kept in (state, None):
        with pytest.raises(InvalidInput) as refusal:
            check_passkey(answer=old, state=kept)
        assert refusal.value.code in {"bad_passkey", "no_challenge"}


def test_copy_of_a_key_is_noticed() -> None:
    person, device = make_user(), Authenticator()
    add(person, device)
    copy = Authenticator(id=device.id, key=device.key)
    for _ in range(3):
        show(device)

    assert refusal_of(copy) == "copied_passkey"
    assert show(device) == person


def test_authenticator_without_a_counter_works_again_and_again() -> None:
    person, device = make_user(), Authenticator(count=-1)
    device.count = 0
    add(person, device)

    for _ in range(2):
        device.count = -1
        assert show(device) == person


def test_same_passkey_is_added_once() -> None:
    device = Authenticator()
    add(make_user(), device)

    with pytest.raises(Conflict) as refusal:
        add(make_user(), device)

    assert refusal.value.code == "passkey_exists"


def test_number_and_names_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    person = make_user()
    monkeypatch.setattr(services, "MOST_PASSKEYS", 1)
    for name in ("", "  ", "x" * 61, "a\nb"):
        with pytest.raises(InvalidInput) as refusal:
            add(person, Authenticator(), name=name)
        assert refusal.value.field == "name"
    add(person, Authenticator())

    with pytest.raises(Conflict) as full:
        add(person, Authenticator())

    assert full.value.code == "too_many_passkeys"


def test_passkeys_of_others_are_not_removed() -> None:
    person = make_user()
    add(person, Authenticator())

    with pytest.raises(NotFound):
        remove_passkey(actor=make_user(), passkey_id=Passkey.objects.get().pk, site=SITE)

    assert Passkey.objects.exists()


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)
_PARTS = st.sampled_from(
    ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]
)


@given(
    answer=st.text(max_size=60)
    | _JSON.map(json.dumps)
    | st.fixed_dictionaries(
        {"id": _JSON, "rawId": _JSON, "type": st.just("public-key")},
        optional={"response": st.dictionaries(_PARTS, _JSON | st.just("oWNmbXQ"))},
    ).map(json.dumps)
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_sent_is_refused_in_words(answer: str) -> None:
    person = User(pk=1, username="ada")
    for state in (begin_check(host=HOST)[1], None):
        with pytest.raises(InvalidInput):
            check_passkey(answer=answer, state=state)
    _, state = begin_check(host=HOST)
    with pytest.raises(InvalidInput):
        add_passkey(actor=person, name="x", answer=answer, state=state, site=SITE)


def test_answers_with_single_bytes_changed_are_refused() -> None:
    person, device = make_user(), Authenticator()
    options, state = begin_passkey(person, host=HOST)
    made = json.loads(device.make(as_json(options)))
    attestation = made["response"]["attestationObject"]

    for position in range(0, len(attestation), 11):
        broken = attestation[:position] + "_" + attestation[position + 1 :]
        answer = {**made, "response": {**made["response"], "attestationObject": broken}}
        try:
            add_passkey(actor=person, name="x", answer=json.dumps(answer), state=state, site=SITE)
        except InvalidInput as refusal:
            assert refusal.code == "bad_passkey"  # noqa: PT017  some bytes do not matter
        Passkey.objects.all().delete()
