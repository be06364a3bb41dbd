import pytest
from pytest_django import DjangoAssertNumQueries, Settings
from rest_framework.test import APIClient

from pentathlon.accounts.models import User
from pentathlon.bots.models import Archive, Bot, BotVersion, VersionState
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon_engines.archive.files import LARGEST_UPLOAD
from tests.api.client import V1, assert_problem, client_of, upload
from tests.factories import (
    make_bot,
    make_match,
    make_staff,
    make_upload,
    make_user,
    make_version,
    make_worker,
    zip_files,
)
from tests.pentathlon.bots.hostile import ARCHIVES, HONEST, MANIFEST, Hostile

pytestmark = pytest.mark.django_db


def test_upload_makes_a_bot_that_is_being_validated() -> None:
    owner = make_user("ada")

    answer = upload(client_of(owner), "/bots/", make_upload("Tiger"), notes="first")

    assert answer.status_code == 201
    body = answer.json()
    assert (body["name"], body["owner"]["username"]) == ("Tiger", "ada")
    assert body["version_count"] == 1
    assert body["latest_version"]["state"] == "validating"
    assert body["latest_version"]["notes"] == "first"
    assert Match.objects.get().kind == MatchKind.VALIDATION


def test_upload_that_no_worker_can_build_is_a_problem_with_the_list_of_what_is_had() -> None:
    make_worker(runtimes=["build:cc", "command", "python"])
    manifest = (
        'name = "crab"\ngames = ["tuned"]\ncommand = ["./bot"]\nbuild = ["cargo", "build"]\n'
    )

    answer = upload(client_of(make_user()), "/bots/", zip_files({"bot.toml": manifest}))

    assert_problem(answer, status=400, code="no_worker_for_build", attr="archive")
    (error,) = answer.json()["errors"]
    assert error["pointer"] == "/archive"
    assert error["allowed"] == {"languages": ["command", "python"], "build_tools": ["cc"]}


def test_upload_tells_what_was_put_right() -> None:
    client = client_of(make_user())

    made = upload(client, "/bots/", zip_files({**HONEST, "bot.toml": "\ufeff" + MANIFEST}))

    assert made.status_code == 201
    repairs = [
        {
            "code": "byte_order_mark",
            "detail": "bot.toml: removed the byte order mark before its first line.",
        }
    ]
    assert made.json()["latest_version"]["repairs"] == repairs
    log = client.get(f"{V1}/versions/{made.json()['latest_version']['id']}/log/")
    assert log.json()["repairs"] == repairs


def test_next_version_is_uploaded_to_versions() -> None:
    version = make_version(name="Tiger")
    client = client_of(version.bot.owner)

    answer = upload(client, "/versions/", make_upload("Tiger", salt="2"), bot=version.bot.pk)

    assert answer.status_code == 201
    assert (answer.json()["number"], answer.json()["label"]) == (2, "Tiger v2")


@pytest.mark.parametrize("hostile", ARCHIVES[::6], ids=lambda hostile: hostile.name)
def test_hostile_upload_names_field_and_reason_and_stores_nothing(hostile: Hostile) -> None:
    answer = upload(client_of(make_user()), "/bots/", hostile.make())

    if hostile.name == "empty":
        assert_problem(answer, status=400, code="empty", attr="archive")
    elif hostile.name == "17 MiB":
        assert_problem(answer, status=413, code="too_large")
    else:
        status = 413 if hostile.code in {"too_large", "too_many_files"} else 400
        assert_problem(answer, status=status, code=hostile.code, attr="archive")
    assert not Bot.objects.exists()
    assert not Archive.objects.exists()
    assert not Match.objects.exists()


def test_body_that_announces_too_much_is_refused_unread(anonymous: APIClient) -> None:
    # The test client's stream fails if the server reads more than there is.
    answer = anonymous.generic(
        "POST",
        f"{V1}/bots/",
        content_type="multipart/form-data; boundary=x",
        CONTENT_LENGTH=str(LARGEST_UPLOAD * 2),
    )

    assert_problem(answer, status=413, code="too_large")


def test_body_of_unknown_length_is_refused(anonymous: APIClient) -> None:
    answer = anonymous.post(f"{V1}/bots/", {}, headers={"Transfer-Encoding": "chunked"})

    assert_problem(answer, status=400, code="length_required")


@pytest.mark.parametrize(
    ("fields", "attr", "code"),
    [
        ({}, "archive", "required"),
        ({"archive": "text"}, "archive", "invalid"),
    ],
)
def test_form_without_file_is_refused(fields: dict[str, str], attr: str, code: str) -> None:
    answer = client_of(make_user()).post(f"{V1}/bots/", fields, format="multipart")

    assert_problem(answer, status=400, code=code, attr=attr)


def test_long_notes_are_refused() -> None:
    answer = upload(client_of(make_user()), "/bots/", make_upload(), notes="x" * 201)

    assert_problem(answer, status=400, code="max_length", attr="notes")


def test_json_is_no_upload() -> None:
    answer = client_of(make_user()).post(f"{V1}/bots/", {"archive": "x"}, format="json")

    assert_problem(answer, status=415, code="unsupported_media_type")


def test_taken_name_is_a_conflict() -> None:
    make_bot("Tiger")

    answer = upload(client_of(make_user()), "/bots/", make_upload("Tiger"))

    assert_problem(answer, status=409, code="name_taken", attr="archive")


def test_same_content_again_is_a_conflict() -> None:
    client = client_of(make_user())
    archive = make_upload("Tiger")
    bot = upload(client, "/bots/", archive).json()["id"]

    answer = upload(client, "/versions/", archive, bot=bot)

    assert_problem(answer, status=409, code="same_content", attr="archive")


def test_version_of_an_unknown_bot_is_not_found() -> None:
    answer = upload(client_of(make_user()), "/versions/", make_upload(), bot=10**17)

    assert_problem(answer, status=404, code="not_found", attr="bot")


def test_uploads_are_counted_apart(settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "uploads": "1/hour"}
    client = client_of(make_user())
    assert upload(client, "/bots/", make_upload()).status_code == 201

    answer = upload(client, "/bots/", make_upload())

    assert_problem(answer, status=429, code="throttled")
    assert int(answer.headers["Retry-After"]) > 0
    assert client.get(f"{V1}/bots/").status_code == 200


def test_archive_comes_back_as_a_zip_that_is_the_same_bot() -> None:
    version = make_version(name="Tiger")

    answer = client_of(version.bot.owner).get(f"{V1}/versions/{version.pk}/archive/")

    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/zip"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="Tiger-v1.zip"'
    assert answer.content == bytes(version.archive.data)


def test_answers_to_a_token_are_kept_by_no_cache(anonymous: APIClient) -> None:
    version = make_version(name="Tiger")

    private = client_of(version.bot.owner).get(f"{V1}/versions/{version.pk}/archive/")
    public = anonymous.get(f"{V1}/bots/")

    assert private.headers["Cache-Control"] == "private, no-store"
    assert "no-store" not in public.headers.get("Cache-Control", "")


def test_log_of_validation_is_for_the_owner() -> None:
    version = make_version(state=VersionState.REJECTED)
    BotVersion.objects.update(validation_log="Traceback")

    answer = client_of(version.bot.owner).get(f"{V1}/versions/{version.pk}/log/")

    assert answer.json()["validation_log"] == "Traceback"


def test_retired_version_says_so() -> None:
    version = make_version()

    answer = client_of(version.bot.owner).post(f"{V1}/versions/{version.pk}/retire/")

    assert answer.status_code == 200
    assert answer.json()["state"] == "retired"


def test_version_that_the_host_failed_is_validated_again() -> None:
    version = make_version(state=VersionState.UNCHECKED)
    make_match((version, version), kind=MatchKind.VALIDATION, state=MatchState.VOID)

    answer = client_of(version.bot.owner).post(f"{V1}/versions/{version.pk}/validate/")

    assert answer.status_code == 200
    assert answer.json()["state"] == "validating"
    assert Match.objects.waiting().of_version(version.pk).count() == 1


def test_version_with_a_verdict_is_not_validated_again() -> None:
    version = make_version(name="Tiger", state=VersionState.REJECTED)

    answer = client_of(version.bot.owner).post(f"{V1}/versions/{version.pk}/validate/")

    assert_problem(answer, status=409, code="nothing_to_validate")
    assert answer.json()["detail"].startswith("Tiger v1 is rejected for its own fault")


def test_public_answers_keep_code_and_logs_to_themselves(anonymous: APIClient) -> None:
    version = make_version()
    BotVersion.objects.update(
        validation_log="SECRET",
        manifest={"command": ["SECRET"]},
        repairs=[{"code": "junk", "detail": "SECRET"}],
    )

    for path in ("/bots/", f"/bots/{version.bot.pk}/", "/versions/", f"/versions/{version.pk}/"):
        answer = anonymous.get(f"{V1}{path}")

        assert answer.status_code == 200
        assert "SECRET" not in answer.content.decode()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("owner=ADA", ["Tiger"]),
        ("name=lion", ["Lion"]),
        ("game=tuned", ["Lion", "Tiger"]),
        ("owner=nobody", []),
    ],
)
def test_bots_are_narrowed_down(query: str, expected: list[str], anonymous: APIClient) -> None:
    tiger = make_version(name="Tiger", owner=make_user("ada"))
    make_version(bot=tiger.bot)
    make_version(name="Lion")

    answer = anonymous.get(f"{V1}/bots/?{query}")

    assert [bot["name"] for bot in answer.json()["results"]] == expected


def test_narrowing_down_by_game_counts_versions_once(anonymous: APIClient) -> None:
    bot = make_bot()
    for _ in range(3):
        make_version(bot=bot)

    answer = anonymous.get(f"{V1}/bots/?game=tuned")

    assert [row["version_count"] for row in answer.json()["results"]] == [3]


def test_versions_are_narrowed_down(anonymous: APIClient) -> None:
    version = make_version()
    make_version(state=VersionState.RETIRED)

    queries = (f"bot={version.bot.pk}", "state=eligible", f"owner={version.bot.owner.username}")
    answers = [anonymous.get(f"{V1}/versions/?{query}").json() for query in queries]

    assert [[row["id"] for row in answer["results"]] for answer in answers] == [[version.pk]] * 3


@pytest.mark.parametrize("path", ["/bots/", "/versions/"])
@pytest.mark.parametrize("rows", [3, 30])
def test_lists_take_as_many_queries_for_any_length(
    path: str, rows: int, anonymous: APIClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(rows):
        make_version()
    queries = {"/bots/": 3, "/versions/": 2}[path]

    with django_assert_num_queries(queries):
        answer = anonymous.get(f"{V1}{path}")

    assert len(answer.json()["results"]) == rows


def test_pages_follow_each_other(anonymous: APIClient) -> None:
    ids = [make_version().bot.pk for _ in range(5)]

    first = anonymous.get(f"{V1}/bots/?page_size=3").json()
    second = anonymous.get(first["next"]).json()

    assert list(first) == ["results", "next", "previous"]
    assert [bot["id"] for bot in first["results"] + second["results"]] == ids[::-1]
    assert first["previous"] is None
    assert second["next"] is None
    assert anonymous.get(second["previous"]).json()["results"] == first["results"]


@pytest.fixture
def staff() -> User:
    return make_staff()


def test_staff_disqualify_anybodys_version(staff: User) -> None:
    version = make_version()
    path = f"{V1}/versions/{version.pk}"

    answer = client_of(staff).post(f"{path}/disqualify/", {"reason": "It calls home."})

    assert answer.status_code == 200
    told = answer.json()
    assert (told["state"], told["state_reason"]) == ("disqualified", "It calls home.")
    assert told["stopped_at"]
    version.refresh_from_db()
    assert version.stopped_by == staff
    author = client_of(version.bot.owner)
    assert_problem(author.post(f"{path}/validate/"), status=409, code="nothing_to_validate")
    assert_problem(author.post(f"{path}/retire/"), status=409, code="already_retired")


def test_disqualification_is_lifted_and_the_author_asks_for_a_check(staff: User) -> None:
    version = make_version()
    path = f"{V1}/versions/{version.pk}"
    client_of(staff).post(f"{path}/disqualify/", {"reason": "It calls home."})

    lifted = client_of(staff).post(f"{path}/reinstate/")
    checked = client_of(version.bot.owner).post(f"{path}/validate/")

    assert (lifted.status_code, lifted.json()["state"]) == (200, "stopped")
    assert (checked.status_code, checked.json()["state"]) == (200, "validating")


@pytest.mark.parametrize("step", ["disqualify", "reinstate"])
def test_authors_disqualify_nobody(step: str) -> None:
    version = make_version()

    answer = client_of(version.bot.owner).post(
        f"{V1}/versions/{version.pk}/{step}/", {"reason": "No."} if step == "disqualify" else {}
    )

    assert_problem(answer, status=403, code="not_staff")
    version.refresh_from_db()
    assert version.state == VersionState.ELIGIBLE
