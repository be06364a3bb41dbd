"""The platform over HTTPS, for workers that hold only a worker token.

The site's side is `api.fleet`. Nothing here knows a database or a broker.
"""

from __future__ import annotations

import base64
import json
import mmap
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import structlog
import urllib3
from urllib3.exceptions import HTTPError, ProtocolError

from pentathlon.core import tracing
from pentathlon.core.errors import Conflict, Damaged, DomainError, InvalidInput, NotFound
from pentathlon.fleet.announcements import Announcement
from pentathlon.matches.jobs import Job, SeatJob, Submission
from pentathlon.matches.wire import (
    MOST_RESULTS,
    announcement_to_json,
    jobs_from_json,
    submission_to_json,
)
from pentathlon_engines.archive.archives import CheckedArchive, DamagedArchive
from workers.port import Lease, PlatformAway
from workers.remote.unsent import UnsentResults

CONNECT_S: Final = 3.0
ANSWER_S: Final = 10.0
"""How long to wait for what the site answers at once; a lease lasts three times as long."""
HAND_IN_S: Final = 60.0
"""How long to wait for an answer to results or builds, which the site plays or unpacks first."""
LONGEST_BODY: Final = 4_000_000
"""The maximum length of a request with several results; a single one may be larger."""
_TRIES: Final = 5
"""How many downloads of one archive may break off if each has brought something."""
_LONGEST_REASON: Final = 1000
_LONGEST_LOG: Final = 200_000
_REFUSALS: Final[Mapping[int, type[DomainError]]] = {
    HTTPStatus.BAD_REQUEST: InvalidInput,
    HTTPStatus.NOT_FOUND: NotFound,
    HTTPStatus.CONFLICT: Conflict,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: InvalidInput,
}
_Json = dict[str, Any]  # Any: JSON

_log = structlog.stdlib.get_logger(__name__)


class TokenRefused(Conflict):
    """The token is unknown, revoked or in quarantine: there is no work."""

    code = "worker_token_refused"


class RemotePlatform:
    """Asks a site at its address, as the holder of a worker token."""

    def __init__(self, *, server: str, token: str, unsent: Path) -> None:
        """Store the site's address; `unsent` is the folder for results that cannot be sent."""
        self.address = server.rstrip("/")
        self.headers = {
            "Authorization": f"Bearer {token}",
            "Accept-Encoding": "identity",
            "User-Agent": "pentathlon-worker",
        }
        self._unsent = UnsentResults(unsent, server=self.address, token=token)
        self._pool: urllib3.PoolManager | None = None
        self._pid = 0
        self._rights: dict[str, str] = {}
        """The query string that gives the right to files, by their content hash."""
        self._refused = mmap.mmap(-1, 1)
        """Shared by all processes that are forked later."""

    def announce(self, announcement: Announcement) -> None:
        """Announce this worker and what it can play."""
        told = announcement_to_json(announcement)
        with suppress(TokenRefused):
            self.post("heartbeats", {"name": announcement.name, "announcement": told})

    def beat(self, *, name: str, starved: float, held_slots: int) -> bool:
        """Send a heartbeat; return whether the platform still knows this worker."""
        told = {"name": name, "starved": min(1.0, starved), "held_slots": held_slots}
        with suppress(TokenRefused):
            return bool(self.post("heartbeats", told)["is_known"])
        return True

    def note_draining(self, name: str) -> None:
        """Announce that this worker finishes its matches and takes no more."""
        with suppress(TokenRefused):
            self.post("heartbeats", {"name": name, "is_draining": True})

    def claim(
        self, match_ids: Sequence[int], *, slot: str, announcement: Announcement
    ) -> list[Job]:
        """Claim those of these matches that still wait and that this worker may play."""
        told = {
            "match_ids": list(match_ids),
            "slot": slot,
            "announcement": announcement_to_json(announcement),
        }
        jobs = jobs_from_json(self.post("claims", told)["jobs"])
        self._rights = {
            content_hash: _right(job)
            for job in jobs
            for seat in job.seats
            for content_hash in (seat.content_hash, seat.files_hash)
        }
        return jobs

    def publish_again(self, match_ids: Collection[int]) -> None:
        """Leave these matches to other workers."""
        self.post("passed-hints", {"match_ids": list(match_ids)})

    def renew(self, leases: Sequence[Lease]) -> Collection[int]:
        """Renew leases; return the ids of the matches that this worker has lost."""
        told = [{**_attempt(lease.job), "ply": lease.ply} for lease in leases]
        try:
            lost: list[int] = self.post("leases", {"leases": told})["lost"]
        except TokenRefused:
            return [lease.job.match_id for lease in leases]
        return lost

    def hand_in(self, submissions: Sequence[Submission]) -> list[DomainError | None]:
        """Hand in results; return for each the reason of its refusal, or None.

        The results are kept on disk until the site has answered, if the disk allows it.
        """
        results = [submission_to_json(each) for each in submissions]
        for result in results:
            self._unsent.keep(result)
        return [answer for part in _parts(results) for answer in self._hand_in(part)]

    def hand_in_unsent(self) -> int:
        """Hand in the results that an earlier process could not; return how many the site took."""
        taken = 0
        for result in self._unsent.read_all():
            try:
                (refusal,) = self._hand_in([result])
            except PlatformAway as error:
                if not self.answers():
                    raise
                # The site fails at this one; the others need not wait for it.
                _log.warning("result not handed in", match=result["match_id"], reason=str(error))
                continue
            if refusal is None:
                taken += 1
                continue
            _log.warning("result not wanted", code=refusal.code, reason=str(refusal))
            if self.has_refused:
                break
        return taken

    def return_match(self, job: Job, *, reason: str) -> bool:
        """Give back a match that did not fail; return False if its lease was lost."""
        return self._give_back(job, reason=reason, has_failed=False)

    def fail_attempt(
        self, job: Job, *, reason: str, suspect: int | None = None, was_too_slow: bool = False
    ) -> bool:
        """Give a match back after a failure of the host; return False if its lease was lost."""
        cause = {"suspect": suspect, "was_too_slow": was_too_slow}
        return self._give_back(job, reason=reason, has_failed=True, **cause)

    def archive(self, content_hash: str) -> bytes:
        """Return the files of a bot that this worker is to play."""
        got = bytearray()
        for _ in range(_TRIES):
            before = len(got)
            try:
                self._download(f"archives/{content_hash}/?{self._rights[content_hash]}", got)
            except HTTPError as error:
                if len(got) == before:
                    raise PlatformAway(_reason(error)) from error
                _log.warning("download broke off", has=len(got), reason=_reason(error))
            else:
                return bytes(got)
        raise PlatformAway(f"{_TRIES} downloads of one archive broke off.")

    def note_right(self, content_hash: str, query: str) -> None:
        """Remember the query that gives this worker the right to read files."""
        self._rights[content_hash] = query

    def built_files(self, job: Job, seat: SeatJob) -> str:
        """Return the hash of the build of this seat's upload; empty if it is not built yet."""
        return self._note_built(job, self.post("build-logs", _building(job, seat)))

    def note_build_log(self, job: Job, seat: SeatJob, log: str) -> None:
        """Show the author what the build has written so far."""
        self.post("build-logs", {**_building(job, seat), "log": log[-_LONGEST_LOG:]})

    def keep_build(self, job: Job, seat: SeatJob, built: CheckedArchive) -> str:
        """Store the files of a build and return the hash of those that count."""
        archive = base64.b64encode(built.normalised).decode()
        told = {**_building(job, seat), "archive": archive}
        return self._note_built(job, self.post("builds", told, answer_s=HAND_IN_S))

    def reject_build(self, job: Job, seat: SeatJob, *, reason: str, log: str) -> None:
        """Reject an upload whose build fails through its own fault."""
        told = {"reason": reason[:_LONGEST_REASON], "log": log[-_LONGEST_LOG:]}
        self.post("build-refusals", {**_building(job, seat), **told})

    def answers(self) -> bool:
        """Return whether the site answers at all."""
        try:
            response = self._request("GET", f"{self.address}/healthz", answer_s=ANSWER_S)
        except HTTPError:
            return False
        return response.status == HTTPStatus.OK

    @property
    def has_refused(self) -> bool:
        """Whether the site has refused the token, in any process of this worker."""
        return self._refused[0] != 0

    def leave_thread(self) -> None:
        """Do nothing: no resource here belongs to a thread."""

    def _hand_in(self, results: Sequence[_Json]) -> list[DomainError | None]:
        answers: list[DomainError | None]
        try:
            told = self.post("results", {"results": list(results)}, answer_s=HAND_IN_S)
            answers = _refusals(told, results=len(results))
        except TokenRefused as refused:
            # The results themselves are not refused, and the token may be accepted again.
            return [refused] * len(results)
        except InvalidInput as refused:
            if len(results) > 1:
                # One may have spoilt the request of all.
                return [answer for result in results for answer in self._hand_in([result])]
            answers = [refused]
        for result in results:
            self._unsent.drop(result)
        return answers

    def _give_back(self, job: Job, *, reason: str, **told: object) -> bool:
        told = {**_attempt(job), "reason": reason[:_LONGEST_REASON], **told}
        try:
            return bool(self.post("returns", told)["was_held"])
        except TokenRefused:
            return False

    def _note_built(self, job: Job, answer: _Json) -> str:
        files_hash = str(answer["files_hash"])
        self.note_right(files_hash, _right(job))
        return files_hash

    def _download(self, path: str, got: bytearray) -> None:
        """Append the missing rest of a file."""
        wanted = {"Range": f"bytes={len(got)}-"} if got else {}
        address = f"{self.address}/api/v1/fleet/{path}"
        response = self._request(
            "GET", address, answer_s=ANSWER_S, headers=wanted, preload_content=False
        )
        try:
            if response.status != HTTPStatus.PARTIAL_CONTENT:
                got.clear()
            if response.status not in (HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT):
                self.refuse(response.status, response.read())
            expected = len(got) + int(response.headers.get("Content-Length", 0))
            # Piece by piece, so that what has arrived is kept if the rest does not arrive.
            while piece := response.read1(65_536):
                got += piece
            if len(got) < expected:
                raise ProtocolError("The connection ended before the archive did.")
        finally:
            response.close()

    def post(self, path: str, told: _Json, *, answer_s: float = ANSWER_S) -> _Json:
        """Ask the site something.

        Raises:
            PlatformAway: no answer, or one that says "later".
            TokenRefused: the token is no good.
            DomainError: the site's refusal, with its code.
        """
        try:
            response = self._request(
                "POST",
                f"{self.address}/api/v1/fleet/{path}/",
                answer_s=answer_s,
                body=json.dumps(told).encode(),
                headers={"Content-Type": "application/json", **tracing.headers()},
            )
        except HTTPError as error:
            raise PlatformAway(_reason(error)) from error
        if response.status == HTTPStatus.NO_CONTENT:
            return {}
        if response.status != HTTPStatus.OK:
            self.refuse(response.status, response.data)
        try:
            answer = json.loads(response.data)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise PlatformAway("The answer is cut off, or is not the site's own.")
        return answer

    def refuse(self, status: int, body: bytes) -> None:
        """Raise the error that an unsuccessful answer stands for."""
        try:
            problem = json.loads(body)
            code, detail = str(problem["code"]), str(problem["detail"])
        except (KeyError, TypeError, ValueError):
            raise PlatformAway(f"Something in between answers with status {status}.") from None
        if status == HTTPStatus.UNAUTHORIZED:
            self._refused[0] = 1
            raise TokenRefused(detail, code=code)
        if status in _REFUSALS:
            raise _REFUSALS[status](detail, code=code)
        if code == DamagedArchive.code:  # asking again does not help
            raise Damaged(detail, code=code)
        raise PlatformAway(f"{code}: {detail}")

    def _request(
        self,
        method: str,
        address: str,
        *,
        answer_s: float,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        preload_content: bool = True,
    ) -> urllib3.BaseHTTPResponse:
        if self._pool is None or self._pid != os.getpid():
            # Two processes that share a connection would mix up their answers.
            self._pool = urllib3.PoolManager(maxsize=4, retries=False)
            self._pid = os.getpid()
        return self._pool.request(
            method,
            address,
            body=body,
            headers={**self.headers, **(headers or {})},
            timeout=urllib3.Timeout(connect=CONNECT_S, read=answer_s),
            redirect=False,
            preload_content=preload_content,
        )


def _right(job: Job) -> str:
    return f"match={job.match_id}"


def _attempt(job: Job) -> _Json:
    return {"match_id": job.match_id, "token": str(job.token)}


def _building(job: Job, seat: SeatJob) -> _Json:
    return {**_attempt(job), "version_id": seat.version_id}


def _parts(results: Sequence[_Json]) -> Iterator[list[_Json]]:
    """Group the results into parts that each fit into one request."""
    part: list[_Json] = []
    room = LONGEST_BODY
    for result in results:
        size = len(json.dumps(result))
        if part and (len(part) == MOST_RESULTS or size > room):
            yield part
            part, room = [], LONGEST_BODY
        part.append(result)
        room -= size
    if part:
        yield part


def _refusals(told: _Json, *, results: int) -> list[DomainError | None]:
    """Return the site's answers, one for each result that it was given."""
    try:
        answers = [_refusal(answer) for answer in told["answers"]]
    except (LookupError, TypeError):
        answers = []
    if len(answers) != results:
        raise PlatformAway("The answer does not say what became of each result.")
    return answers


def _refusal(answer: _Json | None) -> DomainError | None:
    if answer is None:
        return None
    kind = Conflict if answer["is_unwanted"] else InvalidInput
    return kind(str(answer["detail"]), code=str(answer["code"]))


def _reason(error: HTTPError) -> str:
    # The text begins with the address of the pool, which says nothing.
    return str(error).rpartition(": ")[2] or type(error).__name__
