"""The table of all limits on one client.

Data only: the server, the throttles, the services and the page at `/docs/limits/` read it, and a
test compares it with the Ingress.
"""

import re
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from typing import Final

from pentathlon_engines.archive.files import LARGEST_ARCHIVE, LARGEST_MODEL

KILOBYTE: Final = 1024
MEGABYTE: Final = 1024 * KILOBYTE

LARGEST_UPLOAD: Final = LARGEST_ARCHIVE + LARGEST_MODEL + 64 * KILOBYTE
"""Bytes of an upload: an archive with its model, and the other fields of its form."""
LARGEST_BUILD: Final = LARGEST_ARCHIVE * 4 // 3 + 64 * KILOBYTE
"""Bytes of a build that a worker sends: an archive in base64."""
LARGEST_RESULTS: Final = 8 * MEGABYTE
"""Bytes of a worker's results: some matches with the logs of their bots."""
LARGEST_BODY: Final = MEGABYTE
LARGEST_FORM: Final = 64 * KILOBYTE
LARGEST_HEAD: Final = 32 * KILOBYTE
"""Bytes of request line and headers together."""

DEEPEST_JSON: Final = 64
"""How deep arrays and objects in a request may be nested."""
PAGE: Final = 50
"""Rows on one page of a list by default."""
LARGEST_PAGE: Final = 200
"""The most rows that one page of a list may have."""
MOST_FIELDS: Final = 1000
"""The most fields of one query or form."""
LONGEST_FILTER: Final = 200
"""The most characters of a text by which a list is filtered."""

HEAD_S: Final = 10.0
"""Seconds from the first byte of a connection, or of its next request, to the headers' end."""
IDLE_S: Final = 8.0
"""Seconds between an answer and the next request on the same connection. Longer than heartbeats of
workers are apart: else each of them meets a connection that is just being closed."""
BODY_S: Final = 30.0
UPLOAD_S: Final = 300.0
"""Seconds for the body of an upload: 48 MiB arrive in time at 1.4 megabits a second."""
STALL_S: Final = 30.0
"""How many seconds a client may leave what is written to it unread."""
SLOWEST_READER: Final = 48 * KILOBYTE
"""Bytes a second; an answer that is read more slowly than this is cut off."""
LINGER_S: Final = 5.0
"""How long the rest of a refused body is read and dropped, so that the refusal can be read."""

GRACE_S: Final = 20
"""How long requests under way may take when a server in production is asked to stop."""

SEND_BUFFER: Final = 256 * KILOBYTE
"""How much the kernel keeps for a client that does not read; its default is some megabytes."""
MOST_CONNECTIONS: Final = 800
"""The most connections; beyond, the one that has waited longest for its client is closed."""
MOST_STREAMS: Final = 500
"""The most live streams that one process has open."""
STREAMS: Final = r"/live/|/api/v1/((matches|tournaments|friendlies)/\d+|matches)/events/$"
"""The addresses of live streams."""
HISTORIES: Final = r"/api/v1/(datasets|matches)/history/[a-z_]+\.ndjson$"
"""The addresses of answers that the server puts together from many stretches."""
MOST_FOLLOWED: Final = 16
"""The most matches that one stream follows."""
HEARTBEAT_S: Final = 15.0
"""Seconds between two heartbeats of a stream that has no news."""
MOST_PIPELINED: Final = 64
"""The most requests that one connection may send ahead of their answers."""
MOST_WAITING: Final = 200
"""The most requests that wait for a thread of one group."""
IN_MEMORY: Final = 64 * KILOBYTE
"""A body or an answer with more bytes than this goes to a temporary file."""
BODIES_ON_DISK: Final = 160 * MEGABYTE
ANSWERS_ON_DISK: Final = 96 * MEGABYTE
"""Disk space for bodies and for answers of a process: slow readers take no room from uploads."""

LARGEST_MANIFEST: Final = 4096
"""Bytes of bot.toml, because the time to read it grows with the square of its length."""
MOST_IN_BATCH: Final = 10
"""The most archives of one upload; together they may be as large as a single one."""
MOST_VALIDATING: Final = 10
"""The most versions of one author that are being validated at a time."""
MOST_OF_UNVERIFIED: Final = 3
"""The most versions of an author without a verified e-mail address."""
ACCOUNT_BYTES: Final = 1024 * MEGABYTE
"""Bytes of all archives that one author may keep here."""

CHALLENGE_BLOCKS: Final = 20
"""The most blocks of one challenge, whatever the size of its table."""
CHALLENGE_MATCHES_A_DAY: Final = 400
"""Challenge matches that one author may ask for in a day."""
CHALLENGES_UNDER_WAY: Final = 3
"""Challenges that one author may have under way at a time."""

FRIENDLIES_UNDER_WAY: Final = 5
"""Friendlies that one person may have under way at a time."""
FRIENDLIES_A_DAY: Final = 50
"""Friendlies that one person may begin in a day."""
FRIENDLIES_IN_ALL: Final = 2000
"""Friendlies of everybody that may be under way at a time."""

DESK_RECORD_BYTES: Final = 512 * KILOBYTE
"""Bytes of an uploaded record as canonical JSON; the longest games take half of them."""
DESK_RECORDS: Final = 1000
"""Desk records that one author may keep."""
DESK_RECORDS_A_DAY: Final = 200
"""Desk records that one author may upload in a day."""


class ThreadGroup(StrEnum):
    """Threads that requests of one kind share, so that no kind waits for another."""

    PAGES = "pages"
    UPLOADS = "uploads"
    EXPORTS = "exports"
    FILES = "files"
    HINTS = "hints"


THREADS: Final = {
    ThreadGroup.PAGES: 8,
    ThreadGroup.UPLOADS: 1,
    ThreadGroup.EXPORTS: 2,
    ThreadGroup.FILES: 2,
    ThreadGroup.HINTS: 2,
}
"""Threads of each group; uploads and exports cost most memory and CPU, so they have few. An upload
with a model takes some hundred megabytes for a second or two: one at a time is enough. Hundreds of
workers may ask for hints at the same moment, which is nothing a visitor should wait for."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """Limits on the requests to one kind of address."""

    what: str
    """What is asked for, in words for people."""
    paths: str
    """A pattern for the beginning of the address."""
    largest_body: int
    _: KW_ONLY
    body_s: float = BODY_S
    threads: ThreadGroup = ThreadGroup.PAGES
    rate: str | None = None
    """The name of an additional rate in `RATES`; requests count against the general one, too."""
    rated_method: str = "GET"

    def rate_of(self, method: str) -> str | None:
        """Return the additional rate that a request counts against."""
        # HEAD costs as much as GET.
        asked = "GET" if method == "HEAD" else method
        return self.rate if asked == self.rated_method else None


ALLOWANCES: Final = (
    Allowance(
        "uploads through the API",
        r"/api/v1/(bots|versions|versions/batch)/$",
        LARGEST_UPLOAD,
        body_s=UPLOAD_S,
        threads=ThreadGroup.UPLOADS,
        rate="uploads",
        rated_method="POST",
    ),
    Allowance(
        "records from desks",
        r"/(api/v1/desk-records|records/new)/$",
        LARGEST_BODY,
        threads=ThreadGroup.UPLOADS,
        rate="desk_records",
        rated_method="POST",
    ),
    Allowance(
        "uploads through pages",
        r"/bots/(new|\d+/new)/$",
        LARGEST_UPLOAD,
        body_s=UPLOAD_S,
        threads=ThreadGroup.UPLOADS,
        rate="uploads",
        rated_method="POST",
    ),
    Allowance(
        "test events and redeliveries of webhooks",
        r"(/api/v1|/account)/webhooks/\d+/(ping|(deliveries/\d+/)?redeliver)/$",
        LARGEST_FORM,
        rate="webhook_sends",
        rated_method="POST",
    ),
    Allowance(
        "codes for signing in a terminal",
        r"/api/v1/device/$",
        LARGEST_FORM,
        rate="device_logins",
        rated_method="POST",
    ),
    Allowance(
        "exports of a whole table",
        r"(/api/v1)?/(tournaments/\d+/results|leaderboards/[^/]+/table)\.csv$",
        0,
        threads=ThreadGroup.EXPORTS,
        rate="exports",
    ),
    Allowance(
        "everything about oneself",
        r"(/account/data|/api/v1/me)/export\.zip$",
        0,
        threads=ThreadGroup.EXPORTS,
        rate="own_exports",
    ),
    Allowance(
        "proofs of a tournament",
        r"/api/v1/tournaments/\d+/proof/$",
        LARGEST_FORM,
        threads=ThreadGroup.EXPORTS,
        rate="exports",
    ),
    Allowance(
        "tables of a tournament",
        r"/api/v1/tournaments/\d+/((standings|crosstable|seats|schedule)/|standings\.csv)$"
        r"|/tournaments/\d+/(schedule/|standings\.csv)?$"
        r"|(/api/v1)?/ladders/[^/]+/seasons/\d+/standings(/|\.csv)$",
        LARGEST_FORM,
        rate="tables",
    ),
    Allowance(
        "parts of datasets",
        r"/api/v1/datasets/\d+/.",
        LARGEST_FORM,
        threads=ThreadGroup.EXPORTS,
    ),
    Allowance("histories of a game", HISTORIES, 0, threads=ThreadGroup.EXPORTS, rate="histories"),
    Allowance(
        "pictures to share",
        r"/((matches|bots|tournaments)/\d+/|(leaderboards|games)/[^/]+/)?share\.png$",
        0,
        threads=ThreadGroup.EXPORTS,
        rate="pictures",
    ),
    Allowance("searches", r"(/api/v1)?/search/$", LARGEST_FORM, rate="searches"),
    Allowance(
        "what workers have built",
        r"/api/v1/fleet/builds/$",
        LARGEST_BUILD,
        body_s=UPLOAD_S,
        threads=ThreadGroup.UPLOADS,
    ),
    Allowance(
        "workers that wait for hints",
        r"/api/v1/fleet/hints/$",
        LARGEST_BODY,
        threads=ThreadGroup.HINTS,
    ),
    Allowance("results of workers", r"/api/v1/fleet/results/$", LARGEST_RESULTS),
    Allowance("static files", r"/static/", 0, threads=ThreadGroup.FILES),
    Allowance("live streams", STREAMS, 0),
    Allowance("the administration", r"/admin/", LARGEST_BODY),
    Allowance("everything else in the API", r"/api/", LARGEST_BODY),
    Allowance("all other pages", r"/", LARGEST_FORM),
)
"""The first row whose pattern fits the beginning of the address applies."""

STREAMS_OF_ONE: Final = 20
"""Live streams in one process of one person, or of all visitors from one address."""
LOCAL_STREAMS_OF_ONE: Final = MOST_STREAMS
"""The same on one's own machine, where all visitors have the same address."""

RATES: Final = {
    "visitors": "600/min",
    "people": "1200/min",
    "pages": "1200/min",
    "tables": "240/min",
    "exports": "60/min",
    "histories": "120/min",
    "own_exports": "10/hour",
    "pictures": "60/min",
    "searches": "120/min",
    "uploads": "60/hour",
    "desk_records": "300/hour",
    "sign_ups": "50/day",
    "sign_ins": "20/min",
    "sign_ins_of_browser": "60/hour",
    "sign_ins_of_account": "600/hour",
    "letters": "5/hour",
    "second_factors": "20/hour",
    "device_logins": "30/hour",
    "typed_codes": "20/min",
    "webhook_sends": "120/hour",
    "workers": "12000/min",
}
"""`visitors` and `people` are requests to the API, counted by address and by person. `pages`,
`tables`, `exports`, `histories`, `pictures` and `searches` are counted by person, or by address
for visitors who have not signed in. `sign_ins_of_browser` are those to one account from a browser
that has signed in to it before, or else from one address; `sign_ins_of_account` are those from all
others together. The other names say what they count. Each stretch of a history
counts, and an answer that goes too fast is paused."""
LOCAL_RATES: Final = {
    **RATES,
    **dict.fromkeys(("visitors", "pages", "pictures", "tables", "searches"), "6000/min"),
    "exports": "200/min",
    "own_exports": "200/hour",
    "device_logins": "1000/hour",
    "sign_ups": "1000/day",
}
"""The rates on one's own machine, where all visitors have the same address."""


def allowance(path: str) -> Allowance:
    """Return the limits on requests to an address."""
    return next((row for row in ALLOWANCES if re.match(row.paths, path)), ALLOWANCES[-1])
