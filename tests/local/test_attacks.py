"""What strangers try on the real web command: archives, many sign-ins, headers that lie."""

import base64
import io
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest
from django.db import connection
from pytest_django.plugin import DjangoDbBlocker

from tests.databases import extra_database
from tests.deep import mostly_deep
from tests.local.serving import Site, serving
from tools.benchmark.meter import cpu_s_of

pytestmark = pytest.mark.django_db
MOST_CPU_S = 2.0
MOST_MEMORY_MB = 200.0
PERSON = ("somebody", "a password of mine")
MANIFEST = 'name = "tiger"\ngames = ["tuned"]\nlanguage = "python"\nmain = "main.py"\n'
MEGABYTE = 1024 * 1024
CHEAP = "tests.cheap_passwords"
STYLED = ("collectstatic", "--noinput", "-v0")
NAMED = ("createsuperuser", "--noinput", "--username", PERSON[0], "--email", "a@example.org")


@pytest.fixture(scope="module")
def database(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    if connection.vendor != "postgresql":
        pytest.skip("about PostgreSQL alone")
    with extra_database(django_db_blocker, name="attacked") as address:
        yield address


@pytest.fixture(scope="module")
def attacked(
    tmp_path_factory: pytest.TempPathFactory, database: str
) -> Iterator[tuple[Site, str]]:
    """One web process and a token of a person for nearly all of these tests."""
    folder = tmp_path_factory.mktemp("attacked")
    settings = {
        "DATABASE_URL": database,
        "DJANGO_SETTINGS_MODULE": CHEAP,
        "DJANGO_SUPERUSER_PASSWORD": PERSON[1],
    }
    with serving(folder, first=(NAMED, STYLED), variables=settings) as site:
        headers = {**basic(*PERSON), "Content-Type": "application/json"}
        # Get the token at once: one of the tests uses up all tries to sign in.
        answer = site.send("POST", "/api/v1/tokens/", b'{"name": "attacker"}', headers)
        yield site, str(json.loads(answer.text)["token"])  # type: ignore[attr-defined]  # read by `send`


@pytest.fixture
def site(attacked: tuple[Site, str]) -> Site:
    return attacked[0]


@pytest.fixture
def token(attacked: tuple[Site, str]) -> str:
    return attacked[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """What is uploaded, and the answers that it may get."""

    name: str
    files: Callable[[], Sequence[tuple[str, bytes]]] = tuple
    manifest: str = MANIFEST
    is_packed: bool = True
    statuses: tuple[int, ...] = (400, 413)

    def __str__(self) -> str:
        return self.name

    def pack(self) -> bytes:
        target = io.BytesIO()
        kind = ZIP_DEFLATED if self.is_packed else ZIP_STORED
        with ZipFile(target, "w", kind) as archive:
            name = self.name.replace(" ", "-")
            archive.writestr("bot.toml", self.manifest.replace("tiger", name))
            archive.writestr("main.py", "print()\n")
            for name, content in self.files():
                archive.writestr(name, content)
        return target.getvalue()


def nested_bomb() -> bytes:
    """Return an archive of archives of zeros."""
    target = io.BytesIO()
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for number in range(50):
            archive.writestr(f"{number}", bytes(MEGABYTE))
    return target.getvalue()


def noise(size: int) -> bytes:
    return random.Random(1).randbytes(size)


def small_files(count: int) -> list[tuple[str, bytes]]:
    return [(f"{number}.bin", noise(70_000)) for number in range(count)]


ARCHIVES = (
    Archive(name="zeros of 100 MB", files=lambda: [("zeros", bytes(100 * MEGABYTE))]),
    Archive(
        name="many zeros",
        files=lambda: [(f"{number}", bytes(MEGABYTE)) for number in range(60)],
    ),
    Archive(
        name="archive of archives",
        files=lambda: [
            (f"{number}.zip", bomb) for bomb in [nested_bomb()] for number in range(20)
        ],
        statuses=(201,),
    ),
    Archive(name="dotted key of 62 kB", manifest=".".join("a" * 31_000) + " = 1"),
    Archive(name="dotted key that fits", manifest=MANIFEST + ".".join("a" * 1900) + " = 1"),
    Archive(name="deep tables", manifest=MANIFEST + f"[{'.'.join('a' * 1900)}]\nb = 1"),
    Archive(name="200 files", files=lambda: small_files(198), is_packed=False, statuses=(201,)),
    Archive(name="302 files", files=lambda: small_files(300), is_packed=False),
    Archive(
        name="deep folders",
        files=lambda: [("d/" * 2000 + "file", b"x"), ("e/" * 30_000 + "f", b"x")],
    ),
    Archive(
        name="16 MB of noise",
        files=lambda: [(name, noise(8 * MEGABYTE - 4096)) for name in ("a", "b")],
        is_packed=False,
        statuses=(201,),
    ),
)


_IN_EVERY_RUN = [each for each in ARCHIVES if each.name in ("many zeros", "dotted key that fits")]


@pytest.mark.parametrize("archive", mostly_deep(ARCHIVES, keep=_IN_EVERY_RUN), ids=str)
def test_no_archive_is_dear(site: Site, token: str, archive: Archive) -> None:
    body, headers = form_of(archive.pack()), {"Authorization": f"Bearer {token}", **FORM}
    pid = site.process.pid
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    memory_mb, cpu_s = peak_mb(pid), cpu_s_of([pid])

    answer = site.send("POST", "/api/v1/bots/", body, headers)

    assert answer.status in archive.statuses, answer.text  # type: ignore[attr-defined]  # as above
    assert cpu_s_of([pid]) - cpu_s < MOST_CPU_S
    assert peak_mb(pid) - memory_mb < MOST_MEMORY_MB
    assert site.get("/healthz").status == 200


LIES = (
    "X-Forwarded-For",
    "X_Forwarded_For",
    "X-Real-IP",
    "Forwarded",
    "X-Client-IP",
    "X-Cluster-Client-IP",
    "CF-Connecting-IP",
    "True-Client-IP",
    "Remote-Addr",
    "X-Remote-Addr",
)


def test_no_header_and_no_hurry_gives_more_tries(site: Site) -> None:
    def try_to_sign_in(number: int) -> int:
        address = f"10.{number}.2.3"
        lie = f"for={address}" if LIES[number % len(LIES)] == "Forwarded" else address
        headers = {LIES[number % len(LIES)]: lie, **basic(f"person{number}", "guessed")}
        return site.send("POST", "/api/v1/tokens/", headers=headers).status

    with ThreadPoolExecutor(max_workers=30) as pool:
        statuses = list(pool.map(try_to_sign_in, range(60)))

    assert set(statuses) == {401, 429}
    assert statuses.count(401) <= 20


def test_client_behind_a_proxy_is_who_the_proxy_says(tmp_path: Path, database: str) -> None:
    settings = {"DATABASE_URL": database, "DJANGO_SETTINGS_MODULE": CHEAP}

    with serving(tmp_path, variables={**settings, "PENTATHLON_PROXIES": "1"}) as site:

        def try_from(told: str) -> int:
            headers = {"X-Forwarded-For": told, **basic("nobody", "guessed")}
            return site.send("POST", "/api/v1/tokens/", headers=headers).status

        changing = [try_from(f"10.0.0.{number}, 192.0.2.1") for number in range(24)]
        other = try_from("10.0.0.1, 192.0.2.2")

    assert changing.count(401) == 20
    assert other == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"X-Forwarded-Host": "evil.example"},
        {"X_Forwarded_Host": "evil.example"},
        {"X-Host": "evil.example"},
        {"X-Forwarded-Server": "evil.example"},
        {"Forwarded": "host=evil.example;proto=https"},
    ],
    ids=str,
)
def test_host_of_a_stranger_is_in_no_answer(site: Site, headers: dict[str, str]) -> None:
    for path in ("/docs/verify/", "/docs/bots/", "/api/v1/matches/", "/account/"):
        answer = site.send("GET", path, headers=headers)

        said = str(answer.headers).encode() + answer.text  # type: ignore[attr-defined]  # as above
        is_refused = "Host" in headers
        assert answer.status == (400 if is_refused else 302 if path == "/account/" else 200)
        assert b"evil.example" not in said


@pytest.mark.parametrize("name", ["X-Forwarded-Proto", "X_Forwarded_Proto", "X-Forwarded-Ssl"])
def test_scheme_is_not_what_a_stranger_says(site: Site, name: str) -> None:
    answer = site.send("GET", "/docs/verify/", headers={name: "https"})

    assert b"https://localhost" not in answer.text  # type: ignore[attr-defined]  # read by `send`


FORM = {"Content-Type": "multipart/form-data; boundary=border-of-parts"}


def form_of(archive: bytes) -> bytes:
    head = (
        '--border-of-parts\r\nContent-Disposition: form-data; name="archive"; filename="b.zip"\r\n'
        "Content-Type: application/zip\r\n\r\n"
    )
    return head.encode() + archive + b"\r\n--border-of-parts--\r\n"


def basic(name: str, password: str) -> dict[str, str]:
    login = base64.b64encode(f"{name}:{password}".encode()).decode()
    return {"Authorization": f"Basic {login}"}


def peak_mb(pid: int) -> float:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0
