"""Requests of workers without keys: `workers.remote.adapter` is the client.

Every claim, renewal and result goes through the same services as that of a worker beside the
database. A worker learns nothing about matches that it does not hold.
"""

import base64
import binascii
from collections.abc import Callable, Collection, Iterator, Mapping
from http import HTTPStatus
from itertools import islice
from typing import Any, Final, cast

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from api import fleet_requests as told
from api.fleet_requests import RateOfWorkers, WorkerAuthentication, WorkersOnly
from api.protocol.endpoint import LARGEST_ID, Endpoint, read_id
from api.protocol.requests import RequestSerializer
from pentathlon import work
from pentathlon.bots.archives import find_files
from pentathlon.core.caching import in_part
from pentathlon.core.errors import Conflict, DomainError, InvalidInput, NotFound
from pentathlon.fleet.announcements import ANALYSE_MATCH, MOVE_BOTS, PLAY_MATCHES, TASKS, Work
from pentathlon.fleet.capabilities import Capabilities
from pentathlon.fleet.hints import PAUSE_HEADER, messages
from pentathlon.fleet.hints import Work as Waiting
from pentathlon.fleet.models import WorkerToken
from pentathlon.fleet.queues import FRIENDLIES, MATCHES
from pentathlon.fleet.tokens import announce_worker, mark_draining, record_heartbeat
from pentathlon.friendlies.jobs import stretch_result_from_json
from pentathlon.friendlies.stretches import is_moved_by, sent_friendlies
from pentathlon.insight.analyses.services import sent_analyses, sent_loans
from pentathlon.insight.analyses.wire import result_from_json
from pentathlon.live.reports import note_changes, show_events
from pentathlon.matches.jobs import Outcome
from pentathlon.matches.models import Match
from pentathlon.matches.uploads import services
from pentathlon.matches.wire import announcement_from_json, jobs_to_json, submission_from_json
from pentathlon.matches.worker_tokens import is_played_by, note_told, sent_matches

HASH: Final = r"sha256:[0-9a-f]{64}"


class FleetViewSet(Endpoint[Match]):
    """Claims, leases, results, builds and signs of life of workers."""

    authentication_classes = (WorkerAuthentication,)
    permission_classes = (WorkersOnly,)
    throttle_classes = (RateOfWorkers,)
    filter_backends = ()
    pagination_class = None
    takes_idempotency_key = False  # tokens of attempts make every request repeatable
    noun = "match"
    queryset = Match.objects.none()
    serializer_class = told.HintSerializer
    query_parameters = {"archives": ("match", "friendly")}

    @property
    def token(self) -> WorkerToken:
        """The token of the worker that asks."""
        return cast(WorkerToken, self.request.auth)

    def name_here(self, name: str) -> str:
        """Return the site's name for a worker or slot; no token can name workers of another."""
        return f"{self.token.prefix}{name}"

    @extend_schema(request=told.HeartbeatSerializer, responses=told.HeardSerializer)
    @action(detail=False, methods=["post"])
    def heartbeats(self, request: Request) -> Response:
        """Send a heartbeat, with the worker's capabilities when they have changed."""
        facts = read(told.HeartbeatSerializer, request)
        name = self.name_here(facts["name"])
        if announcement := facts.get("announcement"):
            announce_worker(announcement_from_json(announcement, name=name), token=self.token)
        if facts["is_draining"]:
            mark_draining(name=name)
            return Response({"is_known": True})
        is_known = record_heartbeat(
            name=name, starved=facts["starved"], held_slots=facts["held_slots"]
        )
        return Response({"is_known": is_known})

    @extend_schema(request=told.WaitSerializer, responses=told.HintSerializer)
    @action(detail=False, methods=["post"])
    def hints(self, request: Request) -> Response:
        """Wait for work; the response comes at once if there is any."""
        asked = read(told.WaitSerializer, request)
        waiting = list(islice(_sent_work(self.token, queues=asked["queues"]), asked["most"]))
        hints = [ids for task, ids, _ in waiting if task == PLAY_MATCHES]
        note_told(self.token, [pk for ids in hints for pk in ids])
        # The server takes the header off and answers later; see `pentathlon.asgi`.
        headers = {} if waiting else {PAUSE_HEADER: str(asked["wait_s"])}
        return Response({"messages": messages(waiting)}, headers=headers)

    @extend_schema(request=told.TaskSerializer, responses={204: None})
    @action(detail=False, methods=["post"], url_path="passed-hints")
    def passed_hints(self, request: Request) -> Response:
        """Leave work to other workers; its hints are sent again.

        A token gives back at most as many matches in a minute as it could claim: `hints_spent`.
        """
        work.publish_again(**read(told.TaskSerializer, request), token=self.token)
        return Response(status=HTTPStatus.NO_CONTENT)

    @extend_schema(request=told.ClaimSerializer, responses=told.JobsSerializer)
    @action(detail=False, methods=["post"])
    def claims(self, request: Request) -> Response:
        """Claim the listed work that was sent out, still waits and suits this worker.

        A token holds at most as many matches as its slots can: `slots_full` says that it does.
        """
        facts = read(told.ClaimSerializer, request)
        slot = facts.pop("slot")
        announcement = announcement_from_json(facts.pop("announcement"), name=slot)
        jobs = work.claim(
            **facts,
            worker=self.name_here(slot),
            capabilities=Capabilities.of(announcement).by_token(self.token),
            token=self.token,
        )
        if facts["task"] == MOVE_BOTS:
            note_changes([job.id for job in jobs], task=MOVE_BOTS)
        return Response({"jobs": jobs_to_json(jobs)})

    @extend_schema(request=told.LeasesSerializer, responses=told.LostSerializer)
    @action(detail=False, methods=["post"])
    def leases(self, request: Request) -> Response:
        """Report progress and keep matches and friendlies for another 30 s, analyses for 60 s.

        Plies must grow; a match or friendly without progress for longer than its clocks allow is
        lost.
        """
        facts = read(told.LeasesSerializer, request)
        leases = {each["token"]: (each["id"], each["ply"]) for each in facts["leases"]}
        return Response({"lost": work.renew(leases, task=facts["task"])})

    @extend_schema(request=told.NothingSerializer, responses=told.DemandSerializer)
    @action(detail=False, methods=["post"])
    def demand(self, request: Request) -> Response:
        """Return whether matches are waiting; if so, slots give their analyses back."""
        read(told.NothingSerializer, request)
        return Response({"has_waiting_matches": work.has_waiting_matches()})

    @extend_schema(request=told.ReportSerializer, responses=told.WantedSerializer)
    @action(detail=False, methods=["post"])
    def frames(self, request: Request) -> Response:
        """Report all events of a running match so far, for its spectators.

        The site draws what spectators may see, and returns when it wants the next report.
        """
        facts = read(told.ReportSerializer, request)
        wanted_s = show_events(match_id=facts.pop("id"), worker_token=self.token, **facts)
        return Response({"wanted_after_s": wanted_s})

    @extend_schema(request=told.ResultsSerializer, responses=told.AnswersSerializer)
    @action(detail=False, methods=["post"])
    def results(self, request: Request) -> Response:
        """Submit results: each counts once, and only with the token of the running attempt.

        Codes of refusals: `stale_token`, `different_result`, `not_found`, `bad_record`,
        `bad_result`, `bad_curve`. The same result of a match again gets the same answer.
        """
        given = read(told.ResultsSerializer, request)["results"]
        parsed = [_outcome(each) for each in given]
        sound = [each for each in parsed if not isinstance(each, DomainError)]
        found = iter(work.accept(sound))
        answers = [each if isinstance(each, DomainError) else next(found) for each in parsed]
        for task in TASKS:
            note_changes([each.id for each in sound if each.task == task], task=task)
        return Response({"answers": [_refusal(answer) for answer in answers]})

    @extend_schema(request=told.ReturnSerializer, responses=told.ReturnedSerializer)
    @action(detail=False, methods=["post"])
    def returns(self, request: Request) -> Response:
        """Give work back for other workers to do."""
        facts = read(told.ReturnSerializer, request)
        pk = facts.pop("id")
        was_held = work.give_back(pk, **facts)
        note_changes([pk], task=facts["task"])
        return Response({"was_held": was_held})

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "match",
                {"type": "integer", "minimum": 0, "maximum": LARGEST_ID},
                description="The running match of this worker in which the bot sits.",
            ),
            OpenApiParameter(
                "friendly",
                {"type": "integer", "minimum": 0, "maximum": LARGEST_ID},
                description="Alternatively, the friendly in which it moves the bot.",
            ),
            OpenApiParameter(
                "content_hash", {"type": "string", "pattern": f"^{HASH}$"}, "path", required=True
            ),
        ],
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
    )
    @action(detail=False, url_path=f"archives/(?P<content_hash>{HASH})")
    def archives(self, request: Request, content_hash: str) -> HttpResponse:
        """Send the files of a bot that this worker is playing; `Range: bytes=N-` resumes."""
        asked = request.query_params
        if "friendly" in asked:
            friendly_id = _place(asked["friendly"], "friendly")
            needed = is_moved_by(self.token, friendly_id=friendly_id, content_hash=content_hash)
        else:
            match_id = _place(asked.get("match", ""), "match")
            needed = is_played_by(self.token, match_id=match_id, content_hash=content_hash)
        if not needed:
            raise NotFound(
                "No match that this worker plays now needs these files.", code="unneeded_files"
            )
        data = find_files(content_hash)
        return in_part(request._request, HttpResponse(data, content_type="application/zip"))

    @extend_schema(request=told.BuildSerializer, responses=told.BuiltFilesSerializer)
    @action(detail=False, methods=["post"])
    def builds(self, request: Request) -> Response:
        """Report on a build; return the files that count, which another worker may have built.

        With a `reason` the upload is rejected. Of archives the first counts, and for rated play
        the first of a token that may play rated matches.
        """
        facts = read(told.BuildSerializer, request)
        building = services.Building(
            match_id=facts["id"], token=facts["token"], version_id=facts["version_id"]
        )
        if "reason" in facts:
            services.reject(building, reason=facts["reason"], log=facts.get("log", ""))
            return Response({"files_hash": ""})
        if "log" in facts:
            services.note_log(building, log=facts["log"])
        if "archive" not in facts:
            return Response({"files_hash": services.built_files(building)})
        try:
            data = base64.b64decode(facts["archive"], validate=True)
        except (binascii.Error, ValueError) as error:
            raise InvalidInput("The archive is not base64.", field="archive") from error
        built = services.read_built_archive(building, data)
        is_trusted = Work.RATED in self.token.work
        return Response(
            {"files_hash": services.keep(building, built=built, is_trusted=is_trusted)}
        )


def read(kind: type[RequestSerializer], request: Request) -> dict[str, Any]:  # Any: JSON
    """Return the validated request of a worker."""
    given = kind(data=request.data)
    given.is_valid(raise_exception=True)
    checked: dict[str, Any] = given.validated_data
    return checked


_READ: Final[Mapping[str, Callable[[object], Outcome]]] = {
    PLAY_MATCHES: submission_from_json,
    MOVE_BOTS: stretch_result_from_json,
    ANALYSE_MATCH: result_from_json,
}


def _outcome(given: dict[str, Any]) -> Outcome | DomainError:  # Any: JSON
    task = given.pop("task", PLAY_MATCHES)
    try:
        return _READ[task](given)
    except InvalidInput as error:
        return error
    except (KeyError, TypeError):
        return InvalidInput(f"There is no task {task!r}.", code="bad_result", field="task")


def _refusal(answer: DomainError | None) -> dict[str, Any] | None:  # Any: JSON
    if answer is None:
        return None
    is_unwanted = isinstance(answer, Conflict | NotFound)
    return {"code": answer.code, "detail": answer.detail, "is_unwanted": is_unwanted}


def _place(text: str, field: str) -> int:
    found = read_id(text)
    if found is None:
        raise InvalidInput(f"Name the {field} in which the bot sits.", field=field)
    return found


def _sent_work(token: WorkerToken, *, queues: Collection[str]) -> Iterator[Waiting]:
    """Yield waiting work that was sent out, that the token allows and that is for these queues.

    Friendlies come first, because people wait for them; analyses give way to all but the matches
    from which a slot is lent.
    """
    if FRIENDLIES in queues and Work.UNRATED in token.work:
        yield from ((MOVE_BOTS, [pk], {}) for pk in sent_friendlies())
    if MATCHES not in queues:
        return
    if Work.ANALYSES in token.work:
        yield from ((ANALYSE_MATCH, [pk], {"is_lent": True}) for pk in sent_loans())
    has_matches = False
    for match_ids in sent_matches(token):
        has_matches = True
        yield PLAY_MATCHES, match_ids, {}
    if Work.ANALYSES in token.work and not has_matches:
        yield from ((ANALYSE_MATCH, [pk], {}) for pk in sent_analyses())
