from pathlib import Path

import pytest

from pentathlon.env import BadEnvironment, Mode, read_environment


def test_nothing_set_is_a_local_installation_without_debug() -> None:
    environment = read_environment({})

    assert environment.mode is Mode.LOCAL
    assert not environment.debug
    assert environment.data.name == ".pentathlon"


def test_production_logs_json_unless_told_otherwise() -> None:
    assert read_environment({"PENTATHLON_MODE": "production"}).log_json
    assert not read_environment({"PENTATHLON_LOG_JSON": "0"}).log_json


def test_lists_are_split_at_commas() -> None:
    assert read_environment({"PENTATHLON_HOSTS": " a.org, b.org,"}).hosts == ("a.org", "b.org")


def test_data_folder_is_absolute() -> None:
    assert read_environment({"PENTATHLON_DATA": "here"}).data == Path("here").absolute()


def test_pip_certificate_serves_uv_too() -> None:
    assert read_environment({"PIP_CERT": "/ca.pem"}).certificates == "/ca.pem"


def test_mail_server_is_an_address_and_its_password_is_not_told() -> None:
    assert read_environment({}).mail is None
    address = "smtps://name:word@mail.example.org:465"
    assert read_environment({"PENTATHLON_MAIL": address}).mail == address

    with pytest.raises(BadEnvironment) as refused:
        read_environment({"PENTATHLON_MAIL": "mail.example.org:word@"})

    assert "word@" not in str(refused.value).replace("password@", "")


def test_numbers_may_be_left_out() -> None:
    assert read_environment({}).bot_matches == 8
    assert read_environment({"PENTATHLON_BOT_MATCHES": "3"}).bot_matches == 3
    assert read_environment({"PENTATHLON_DRAIN_S": "0.5"}).drain_s == 0.5


def test_desk_limits_settled_ladders_and_production_leaves_them_idle_slots() -> None:
    name = "PENTATHLON_LADDER_MATCHES_AN_HOUR"
    key = {"PENTATHLON_MODE": "production", "PENTATHLON_SECRET_KEY": "k" * 32}

    assert read_environment({}).ladder_matches_an_hour == 60
    assert read_environment(key).ladder_matches_an_hour is None
    assert read_environment({**key, name: "12"}).ladder_matches_an_hour == 12
    assert read_environment({name: "unlimited"}).ladder_matches_an_hour is None
    with pytest.raises(BadEnvironment, match="from 0 or \"unlimited\", not 'many'"):
        read_environment({name: "many"})


def test_worker_in_production_gets_time_to_end_its_matches() -> None:
    drained = read_environment({"PENTATHLON_MODE": "production"}).drain_s

    assert (read_environment({}).drain_s, drained) == (2.0, 120.0)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PENTATHLON_MODE", "staging"),
        ("PENTATHLON_DEBUG", "maybe"),
        ("PENTATHLON_BOT_MATCHES", "0"),
        ("PENTATHLON_DRAIN_S", "-1"),
        ("PENTATHLON_DRAIN_S", "nan"),
        ("PENTATHLON_DRAIN_S", "long"),
    ],
)
def test_value_that_cannot_be_meant_is_refused_by_name(variable: str, value: str) -> None:
    with pytest.raises(BadEnvironment, match=f"{variable} must be .* not '{value}'"):
        read_environment({variable: value})
