"""Requests of workers to `/api/v1/fleet/`, and the answers."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import serializers
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from api.protocol.access import CountingThrottle
from api.protocol.endpoint import LARGEST_ID
from api.protocol.requests import RequestSerializer
from pentathlon.fleet.announcements import MOST_SLOTS, PLAY_MATCHES, TASKS
from pentathlon.fleet.models import WorkerToken
from pentathlon.fleet.queues import QUEUES
from pentathlon.fleet.tokens import find_worker_token
from pentathlon.matches.wire import MOST_RESULTS
from pentathlon_engines.match.launcher import SandboxLevel

MOST_MATCHES = 64
"""The most matches that one request may name."""
LONGEST_WAIT_S = 25
MOST_HINTS = 64
_LONGEST_NAME = 60
_LONGEST_WORD = 40
_MOST_WORDS = 64
_LONGEST_TEXT = 2000
_LONGEST_LOG = 200_000
_MOST_SHOWN = 10_000
"""The most events of a match that spectators follow; all games end sooner."""
_PARTS = 2


class MatchIdField(serializers.IntegerField):
    """The id of a match."""

    def __init__(self, **kwargs: Any) -> None:  # Any: as the framework has it
        super().__init__(**{"min_value": 0, "max_value": LARGEST_ID, **kwargs})


class WordField(serializers.CharField):
    """A name of something, in one line."""

    def __init__(self, **kwargs: Any) -> None:  # Any: as the framework has it
        super().__init__(**{"max_length": _LONGEST_WORD, **kwargs})


class FoundLayerSerializer(RequestSerializer):
    """The state in which the worker found one layer of its sandbox."""

    layer = WordField()
    state = WordField()
    detail = serializers.CharField(max_length=_LONGEST_TEXT, allow_blank=True)
    remedy = serializers.CharField(max_length=_LONGEST_TEXT, allow_blank=True, required=False)


class AnnouncementSerializer(RequestSerializer):
    """What a worker can play."""

    name = serializers.CharField(
        max_length=_LONGEST_NAME, help_text="The name of the host and process."
    )
    slots = serializers.IntegerField(min_value=1, max_value=MOST_SLOTS)
    games = serializers.DictField(
        child=serializers.IntegerField(min_value=0, max_value=1_000_000),
        help_text="The version of the rules, by game key.",
    )
    runtimes = serializers.ListField(child=WordField(), max_length=_MOST_WORDS)
    untried = serializers.ListField(child=WordField(), max_length=_MOST_WORDS)
    sandbox = serializers.ChoiceField(choices=[level.value for level in SandboxLevel])
    layers = FoundLayerSerializer(many=True, max_length=_MOST_WORDS)  # type: ignore[call-arg]  # of many
    version = WordField()
    age_s = serializers.FloatField(min_value=0, max_value=1e9)


class HeartbeatSerializer(RequestSerializer):
    """A heartbeat."""

    name = serializers.CharField(max_length=_LONGEST_NAME)
    starved = serializers.FloatField(min_value=0, max_value=1, default=0.0)
    held_slots = serializers.IntegerField(min_value=0, max_value=MOST_SLOTS, default=0)
    is_draining = serializers.BooleanField(default=False)
    announcement = AnnouncementSerializer(required=False)


class HeardSerializer(serializers.Serializer[Any]):
    """Whether the site knows the worker."""

    is_known = serializers.BooleanField(help_text="If false, announce yourself again.")


class WaitSerializer(RequestSerializer):
    """How long the worker wants to wait for a hint."""

    wait_s = serializers.FloatField(min_value=0, max_value=LONGEST_WAIT_S, default=0.0)
    queues = serializers.ListField(
        child=serializers.ChoiceField(QUEUES),
        default=list(QUEUES),
        help_text="The queues to take from; a worker without time for matches names `friendly`.",
    )
    most = serializers.IntegerField(
        min_value=1, max_value=MOST_HINTS, default=1, help_text="How many of its slots are idle."
    )


class TaskSerializer(RequestSerializer):
    """Work of one kind, by the ids of its matches or friendlies."""

    task = serializers.ChoiceField(choices=TASKS, default=PLAY_MATCHES)
    ids = serializers.ListField(child=MatchIdField(), max_length=MOST_MATCHES)


class MessageSerializer(serializers.Serializer[Any]):
    """A message as Celery sends it."""

    queue = serializers.CharField()
    message = serializers.DictField()


class HintSerializer(serializers.Serializer[Any]):
    """Waiting work; empty if there is none."""

    messages = MessageSerializer(many=True)


class ClaimSerializer(TaskSerializer):
    """Work that a slot wants to do."""

    slot = serializers.CharField(max_length=_LONGEST_NAME, help_text="The worker and its slot.")
    announcement = AnnouncementSerializer()
    is_lent = serializers.BooleanField(
        default=False,
        help_text="Matches are waiting; one of their slots is lent to analyses for a while.",
    )


class JobsSerializer(serializers.Serializer[Any]):
    """What the slot does now, each claimed for 30 or 60 s with its own token."""

    jobs = serializers.ListField(child=serializers.DictField())


class HeldSerializer(RequestSerializer):
    """An attempt: the match or friendly, and the token from its claim."""

    id = MatchIdField()
    token = serializers.UUIDField()


class LeaseSerializer(HeldSerializer):
    """An attempt that continues."""

    ply = serializers.IntegerField(min_value=0, max_value=2**31 - 1)


class LeasesSerializer(RequestSerializer):
    """Attempts that continue."""

    task = serializers.ChoiceField(choices=TASKS, default=PLAY_MATCHES)
    leases = LeaseSerializer(many=True, max_length=MOST_MATCHES)  # type: ignore[call-arg]  # of many


class LostSerializer(serializers.Serializer[Any]):
    """The ids of what this worker no longer holds."""

    lost = serializers.ListField(child=serializers.IntegerField())


class ReportSerializer(HeldSerializer):
    """The events of a running match so far, as rows of a record."""

    events = serializers.ListField(max_length=_MOST_SHOWN)


class WantedSerializer(serializers.Serializer[Any]):
    """When the site wants the next report."""

    wanted_after_s = serializers.FloatField()


class ResultsSerializer(RequestSerializer):
    """Results, each with `task`, `id` and `token`, and by its task:

    - `play_matches`: `record`, and for each seat `logs` (base64), `usage`, `notes`, `traces`.
    - `move_bots`: all `events` and `faults` since the friendly began, `sandbox` and `layers`.
    - `analyse_match`: the `curve` and its `cpu_ms`, or an `error`.
    """

    results = serializers.ListField(child=serializers.DictField(), max_length=MOST_RESULTS)


class RefusalSerializer(serializers.Serializer[Any]):
    """Why a result is refused."""

    code = serializers.CharField()
    detail = serializers.CharField()
    is_unwanted = serializers.BooleanField(
        help_text="Whether this worker no longer holds the match."
    )


class AnswersSerializer(serializers.Serializer[Any]):
    """For each result: null, or why it was refused."""

    answers = serializers.ListField(child=RefusalSerializer(allow_null=True))


class ReturnSerializer(HeldSerializer):
    """An attempt that a worker gives up."""

    task = serializers.ChoiceField(choices=TASKS, default=PLAY_MATCHES)
    reason = serializers.CharField(max_length=1000, allow_blank=True)
    has_failed = serializers.BooleanField(help_text="Whether the host was unable to do it.")
    suspect = MatchIdField(
        allow_null=True, default=None, help_text="The bot version that may have caused it."
    )
    was_too_slow = serializers.BooleanField(default=False)
    measured = serializers.ListField(
        child=serializers.ListField(),
        default=list,
        max_length=1000,
        help_text="All measurements of an analysis, including those of earlier attempts.",
    )
    cpu_ms = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=0)


class ReturnedSerializer(serializers.Serializer[Any]):
    """Whether this worker still held it."""

    was_held = serializers.BooleanField()


class DemandSerializer(serializers.Serializer[Any]):
    """Whether slots are needed for matches."""

    has_waiting_matches = serializers.BooleanField()


class BuildSerializer(HeldSerializer):
    """The build of a version that sits in a match of this worker: what there is to report."""

    version_id = MatchIdField()
    log = serializers.CharField(
        max_length=_LONGEST_LOG,
        allow_blank=True,
        trim_whitespace=False,
        required=False,
        help_text="Its output so far, which its author reads.",
    )
    archive = serializers.CharField(required=False, help_text="Its result, in base64.")
    reason = serializers.CharField(
        max_length=1000, required=False, help_text="Why it fails because of the upload."
    )


class BuiltFilesSerializer(serializers.Serializer[Any]):
    """The content hash of the build's result; empty until there is one."""

    files_hash = serializers.CharField(allow_blank=True)


class NothingSerializer(RequestSerializer):
    """A request without parameters."""


class WorkerAuthentication(BaseAuthentication):
    """`Authorization: Bearer ptw_...`."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, WorkerToken] | None:
        """Return the token without a person, since a worker is none.

        Raises:
            AuthenticationFailed: `worker_token_unknown`, `worker_token_revoked` or
                `worker_token_quarantined`.
        """
        header = get_authorization_header(request).split()
        if len(header) != _PARTS or header[0].lower() != b"bearer":
            return None
        token = find_worker_token(header[1].decode("latin-1"))
        if token is None:
            raise AuthenticationFailed(
                "No worker has this token. Ask the staff of this site for one.",
                code="worker_token_unknown",
            )
        if token.revoked_at is not None:
            raise AuthenticationFailed(
                "This worker token was revoked. Stop the worker.", code="worker_token_revoked"
            )
        if token.quarantined_at is not None:
            raise AuthenticationFailed(
                "This worker token is in quarantine, because other workers got different results "
                "for its matches, or because it held matches and did not play them. Stop the "
                "worker and ask the staff of this site.",
                code="worker_token_quarantined",
            )
        return AnonymousUser(), token

    def authenticate_header(self, request: Request) -> str:
        """Name the missing credentials, so that a refusal is a 401."""
        return "Bearer"


class WorkersOnly(BasePermission):
    """Admits only workers with a token."""

    def has_permission(self, request: Request, view: object) -> bool:
        """Return whether the request is by a worker."""
        return isinstance(request.auth, WorkerToken)


class RateOfWorkers(CountingThrottle):
    """All requests by one token."""

    def allow_request(self, request: Request, view: object) -> bool:
        """Count the request."""
        token = request.auth
        return not isinstance(token, WorkerToken) or self._admits("workers", token.pk)


class WorkerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # spectacular
    """How the OpenAPI document describes worker tokens."""

    target_class = WorkerAuthentication
    name = "worker"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """Return the security scheme."""
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "The token of a worker; staff make it.",
        }
