"""The platform over HTTPS, for workers that hold only a worker token.

The site's side is `api.fleet`. Nothing here knows a database or a broker.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog
from platformdirs import user_state_path

from pentathlon.core.errors import Conflict, DomainError, InvalidInput
from pentathlon.env import (
    CHECKOUT,
    BadEnvironment,
    Environment,
    Mode,
    checked_address,
    read_environment,
)
from pentathlon.fleet.announcements import PLAY_MATCHES, Announcement
from pentathlon.friendlies.jobs import FriendlyStretch
from pentathlon.insight.analyses.jobs import AnalysisJob
from pentathlon.matches.jobs import Claimed, Job, Outcome, SeatJob, Submission
from pentathlon.matches.wire import (
    MOST_RESULTS,
    announcement_to_json,
    jobs_from_json,
    submission_to_json,
)
from pentathlon_engines.archive.archives import CheckedArchive
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.launcher import SandboxLevel
from workers.port import Lease, PlatformAway, Play
from workers.remote.client import ANSWER_S, SiteClient, TokenRefused
from workers.remote.unsent import UnsentResults

HAND_IN_S: Final = 60.0
"""How long to wait for an answer to results or builds, which the site plays or unpacks first."""
SHOW_S: Final = 2.0
"""How long to wait for an answer to frames: a site that takes longer has more important work."""
LONGEST_BODY: Final = 4_000_000
"""The maximum length of a request with several results; a single one may be larger."""
_LONGEST_REASON: Final = 1000
_LONGEST_LOG: Final = 200_000
_Json = dict[str, Any]  # Any: JSON
_KINDS: Final[Mapping[str, type[Job | FriendlyStretch | AnalysisJob]]] = {
    kind.task: kind for kind in (Job, FriendlyStretch, AnalysisJob)
}

_log = structlog.stdlib.get_logger(__name__)


def open_platform() -> RemotePlatform:
    """Return the platform behind the site.

    Raises:
        BadEnvironment: an address or a token is missing or unsafe, or there are keys.
    """
    return platform_of(read_environment())


def platform_of(environment: Environment) -> RemotePlatform:
    """Return the platform behind the site that an environment names."""
    _check_keys(environment)
    if environment.worker_token is None:
        raise BadEnvironment("PENTATHLON_WORKER_TOKEN", "or its _FILE must be set: ask its staff.")
    # A worker installed from a wheel has no folder of a checkout or an image.
    is_homeless = (
        environment.data == CHECKOUT / ".pentathlon" and not (CHECKOUT / "manage.py").exists()
    )
    folder = user_state_path("pentathlon-worker") if is_homeless else environment.data / "worker"
    # The site gives no matches to workers whose level it considers too weak.
    is_public = environment.mode is Mode.PRODUCTION
    least = SandboxLevel.NAMESPACES if is_public else SandboxLevel.LANDLOCK
    return RemotePlatform(
        server=checked_address(
            "PENTATHLON_SERVER",
            str(environment.server),
            like="https://example.org",
            shows="the token",
            switch="PENTATHLON_PLAIN_HTTP",
            is_allowed=environment.plain_http,
        ),
        token=environment.worker_token,
        unsent=folder / "unsent",
        least_sandbox=SandboxLevel(environment.sandbox or least),
    )


class RemotePlatform:
    """Asks a site at its address, as the holder of a worker token."""

    look_s = 2.0
    has_audience = True

    def __init__(
        self,
        *,
        server: str,
        token: str,
        unsent: Path,
        least_sandbox: SandboxLevel = SandboxLevel.NAMESPACES,
    ) -> None:
        """Store the site's address; `unsent` is the folder for results that cannot be sent."""
        self.site = SiteClient(server.rstrip("/"), token)
        self.least_sandbox = least_sandbox
        self._unsent = UnsentResults(unsent, server=self.site.address, token=token)
        self._rights: dict[str, str] = {}
        """The query string that gives the right to files, by their content hash."""

    def announce(self, announcement: Announcement) -> None:
        """Announce this worker and what it can play."""
        told = announcement_to_json(announcement)
        with suppress(TokenRefused):
            self.site.post("heartbeats", {"name": announcement.name, "announcement": told})

    def beat(self, *, name: str, starved: float, held_slots: int) -> bool:
        """Send a heartbeat; return whether the platform still knows this worker."""
        told = {"name": name, "starved": min(1.0, starved), "held_slots": held_slots}
        with suppress(TokenRefused):
            return bool(self.site.post("heartbeats", told)["is_known"])
        return True

    def note_draining(self, name: str) -> None:
        """Announce that this worker finishes its matches and takes no more."""
        with suppress(TokenRefused):
            self.site.post("heartbeats", {"name": name, "is_draining": True})

    def claim(
        self,
        ids: Sequence[int],
        *,
        slot: str,
        announcement: Announcement,
        task: str = PLAY_MATCHES,
        is_lent: bool = False,
    ) -> Sequence[Any]:  # Any: of the kind of this task
        """Claim those of these that still wait and that this worker may do."""
        told = {
            "task": task,
            "ids": list(ids),
            "slot": slot,
            "announcement": announcement_to_json(announcement),
            "is_lent": is_lent,
        }
        jobs = jobs_from_json(self.site.post("claims", told)["jobs"], _KINDS[task])
        self._rights = {
            content_hash: _right(job)
            for job in jobs
            if not isinstance(job, AnalysisJob)
            for seat in job.seats
            for content_hash in (seat.content_hash, seat.files_hash, seat.model_hash)
        }
        return jobs

    def publish_again(self, ids: Collection[int], *, task: str = PLAY_MATCHES) -> None:
        """Leave these to other workers."""
        self.site.post("passed-hints", {"task": task, "ids": list(ids)})

    def renew(self, leases: Sequence[Lease]) -> Collection[int]:
        """Renew leases of one kind of work; return the ids of what this worker has lost."""
        told = [{**_attempt(lease.job), "ply": lease.ply} for lease in leases]
        try:
            answer = self.site.post("leases", {"task": leases[0].job.task, "leases": told})
        except TokenRefused:
            return [lease.job.id for lease in leases]
        return list(answer["lost"])

    def hand_in(self, results: Sequence[Outcome]) -> list[DomainError | None]:
        """Hand in results; return for each the reason of its refusal, or None.

        They are kept on disk until the site has answered, if the disk allows it.
        """
        told = [_result_to_json(result) for result in results]
        for result in told:
            self._unsent.keep(result)
        return [answer for part in _parts(told) for answer in self._hand_in(part)]

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
                _log.warning("result not handed in", match=result["id"], reason=str(error))
                continue
            if refusal is None:
                taken += 1
                continue
            _log.warning("result not wanted", code=refusal.code, reason=str(refusal))
            if self.has_refused:
                break
        return taken

    def give_back(
        self, job: Claimed, *, reason: str = "", has_failed: bool = False, **cause: Any
    ) -> bool:  # Any: as the port has it
        """Give work back for others to do; return False if its lease was lost."""
        told = {"reason": reason[:_LONGEST_REASON], "has_failed": has_failed, **cause}
        try:
            answer = self.site.post("returns", {"task": job.task, **_attempt(job), **told})
        except TokenRefused:
            return False
        return bool(answer["was_held"])

    def has_waiting_matches(self) -> bool:
        """Return whether a match waits for a slot."""
        return bool(self.site.post("demand", {})["has_waiting_matches"])

    def show(self, job: Job, events: Sequence[Event]) -> float:
        """Report what has happened: the site draws it; return when it wants the next report."""
        told = {**_attempt(job), "events": [event.to_row() for event in events]}
        return float(self.site.post("frames", told, answer_s=SHOW_S)["wanted_after_s"])

    def note_changes(self, jobs: Sequence[Play]) -> None:
        """Do nothing, as the site knows the results that it was handed."""

    def archive(self, content_hash: str) -> bytes:
        """Return the files of a bot that this worker is to play."""
        return self.site.download(f"archives/{content_hash}/?{self._rights[content_hash]}")

    def built_files(self, job: Job, seat: SeatJob) -> str:
        """Return the hash of the build of this seat's upload; empty if it is not built yet."""
        return self._report_build(job, seat)

    def note_build_log(self, job: Job, seat: SeatJob, log: str) -> None:
        """Show the author what the build has written so far."""
        self._report_build(job, seat, log=log[-_LONGEST_LOG:])

    def keep_build(self, job: Job, seat: SeatJob, built: CheckedArchive) -> str:
        """Store the files of a build and return the hash of those that count."""
        archive = base64.b64encode(built.normalised).decode()
        return self._report_build(job, seat, HAND_IN_S, archive=archive)

    def reject_build(self, job: Job, seat: SeatJob, *, reason: str, log: str) -> None:
        """Reject an upload whose build fails through its own fault."""
        reason, log = reason[:_LONGEST_REASON], log[-_LONGEST_LOG:]
        self._report_build(job, seat, reason=reason, log=log)

    def answers(self) -> bool:
        """Return whether the site answers at all."""
        return self.site.answers()

    @property
    def has_refused(self) -> bool:
        """Whether the site has refused the token, in any process of this worker."""
        return self.site.has_refused

    def leave_thread(self) -> None:
        """Do nothing: no resource here belongs to a thread."""

    def _hand_in(self, results: Sequence[_Json]) -> list[DomainError | None]:
        answers: list[DomainError | None]
        try:
            told = self.site.post("results", {"results": list(results)}, answer_s=HAND_IN_S)
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

    def _report_build(
        self, job: Job, seat: SeatJob, answer_s: float = ANSWER_S, **told: str
    ) -> str:
        report = {**_attempt(job), "version_id": seat.version_id, **told}
        files_hash = str(self.site.post("builds", report, answer_s=answer_s)["files_hash"])
        self._rights[files_hash] = _right(job)
        return files_hash


def _right(job: Play) -> str:
    return f"{'match' if isinstance(job, Job) else 'friendly'}={job.id}"


def _attempt(job: Claimed) -> _Json:
    return {"id": job.id, "token": str(job.token)}


def _result_to_json(result: Outcome) -> _Json:
    if isinstance(result, Submission):
        return {"task": result.task, **submission_to_json(result)}
    return {"task": result.task, **msgspec.to_builtins(result)}


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


def _check_keys(environment: Environment) -> None:
    """Refuse to run in production with keys, which strangers' code could read."""
    held = {
        "DATABASE_URL": environment.database_url,
        "PENTATHLON_SECRET_KEY": environment.secret_key,
        "REDIS_URL": environment.redis_url,
    }
    found = [name for name, value in held.items() if value]
    if environment.mode is Mode.PRODUCTION and found:
        raise BadEnvironment(
            ", ".join(found),
            "must not be set where bots of others run: a worker needs its token only. Start it "
            "without.",
        )
