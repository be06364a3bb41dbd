"""Requests of workers to `/api/v1/fleet/`, and the answers."""

from typing import Any

from rest_framework import serializers

from api.endpoint import LARGEST_ID
from api.requests import RequestSerializer
from pentathlon.matches.wire import MOST_RESULTS
from pentathlon_engines.match.launcher import SandboxLevel

MOST_MATCHES = 64
"""That one request may name."""
LONGEST_WAIT_S = 25
_LONGEST_NAME = 60
_LONGEST_WORD = 40
_MOST_WORDS = 64
_LONGEST_TEXT = 2000
_LONGEST_LOG = 200_000
_MOST_SHOWN = 10_000
"""Events of a match that spectators follow; all games end sooner."""


class MatchIdField(serializers.IntegerField):
    """The id of a match."""

    def __init__(self, **kwargs: Any) -> None:  # Any: as the framework has it
        super().__init__(**{"min_value": 0, "max_value": LARGEST_ID, **kwargs})


class WordField(serializers.CharField):
    """A name of something, in one line."""

    def __init__(self, **kwargs: Any) -> None:  # Any: as the framework has it
        super().__init__(**{"max_length": _LONGEST_WORD, **kwargs})


class FoundLayerSerializer(RequestSerializer):
    """What the worker found of one layer of its sandbox."""

    layer = WordField()
    state = WordField()
    detail = serializers.CharField(max_length=_LONGEST_TEXT, allow_blank=True)
    remedy = serializers.CharField(max_length=_LONGEST_TEXT, allow_blank=True, required=False)


class AnnouncementSerializer(RequestSerializer):
    """What a worker can play."""

    name = serializers.CharField(max_length=_LONGEST_NAME, help_text="Of the host and process.")
    slots = serializers.IntegerField(min_value=1, max_value=1024)
    games = serializers.DictField(
        child=serializers.IntegerField(min_value=0, max_value=1_000_000),
        help_text="Version of the rules by key of the game.",
    )
    runtimes = serializers.ListField(child=WordField(), max_length=_MOST_WORDS)
    untried = serializers.ListField(child=WordField(), max_length=_MOST_WORDS)
    sandbox = serializers.ChoiceField(choices=[level.value for level in SandboxLevel])
    layers = FoundLayerSerializer(many=True, max_length=_MOST_WORDS)  # type: ignore[call-arg]  # of many
    version = WordField()
    age_s = serializers.FloatField(min_value=0, max_value=1e9)


class HeartbeatSerializer(RequestSerializer):
    """A sign of life."""

    name = serializers.CharField(max_length=_LONGEST_NAME)
    starved = serializers.FloatField(min_value=0, max_value=1, default=0.0)
    held_slots = serializers.IntegerField(min_value=0, max_value=1024, default=0)
    is_draining = serializers.BooleanField(default=False)
    announcement = AnnouncementSerializer(required=False)


class HeardSerializer(serializers.Serializer[Any]):
    """Whether the site knows the worker."""

    is_known = serializers.BooleanField(help_text="False: announce yourself again.")


class WaitSerializer(RequestSerializer):
    """How long the worker waits for a hint."""

    wait_s = serializers.FloatField(min_value=0, max_value=LONGEST_WAIT_S, default=0.0)
    only_friendlies = serializers.BooleanField(
        default=False, help_text="Leave everything else to other slots: this one is held back."
    )


class MatchIdsSerializer(RequestSerializer):
    """Matches, by their ids."""

    match_ids = serializers.ListField(
        child=MatchIdField(), max_length=MOST_MATCHES, allow_empty=True
    )


class HintSerializer(serializers.Serializer[Any]):
    """What waits; empty if nothing came."""

    match_ids = serializers.ListField(child=serializers.IntegerField())
    friendly_ids = serializers.ListField(child=serializers.IntegerField())
    analysis_ids = serializers.ListField(
        child=serializers.IntegerField(), help_text="Matches whose win-chance curves are wanted."
    )
    lent_ids = serializers.ListField(
        child=serializers.IntegerField(), help_text="The same, while matches wait."
    )


class ClaimSerializer(RequestSerializer):
    """Matches that a slot would play."""

    match_ids = serializers.ListField(child=MatchIdField(), max_length=MOST_MATCHES)
    slot = serializers.CharField(max_length=_LONGEST_NAME, help_text="The worker and its slot.")
    announcement = AnnouncementSerializer()


class JobsSerializer(serializers.Serializer[Any]):
    """The matches that the slot is to play now, each for 30 s under a token of its own."""

    jobs = serializers.ListField(child=serializers.DictField())


class HeldMatchSerializer(RequestSerializer):
    """An attempt: the match, and the token that the claim gave."""

    match_id = MatchIdField()
    token = serializers.UUIDField()


class LeaseSerializer(HeldMatchSerializer):
    """An attempt that goes on."""

    ply = serializers.IntegerField(min_value=0, max_value=2**31 - 1)


class LeasesSerializer(RequestSerializer):
    """Attempts that go on."""

    leases = LeaseSerializer(many=True, max_length=MOST_MATCHES)  # type: ignore[call-arg]  # of many


class LostSerializer(serializers.Serializer[Any]):
    """Matches that are no longer this worker's."""

    lost = serializers.ListField(child=serializers.IntegerField())


class ReportSerializer(HeldMatchSerializer):
    """What has happened in a running match: its events so far, as rows of a record."""

    events = serializers.ListField(max_length=_MOST_SHOWN)


class WantedSerializer(serializers.Serializer[Any]):
    """When the site wants to know more."""

    wanted_after_s = serializers.FloatField()


class ResultsSerializer(RequestSerializer):
    """Results: match, token, record, and for each seat logs (base64), usage, notes, traces."""

    results = serializers.ListField(child=serializers.DictField(), max_length=MOST_RESULTS)


class RefusalSerializer(serializers.Serializer[Any]):
    """Why a result is refused."""

    code = serializers.CharField()
    detail = serializers.CharField()
    is_unwanted = serializers.BooleanField(help_text="The match is no longer this worker's.")


class AnswersSerializer(serializers.Serializer[Any]):
    """For each result null, or why it is refused."""

    answers = serializers.ListField(child=RefusalSerializer(allow_null=True))


class ReturnSerializer(HeldMatchSerializer):
    """An attempt that is given up."""

    reason = serializers.CharField(max_length=1000, allow_blank=True)
    has_failed = serializers.BooleanField(help_text="The host could not play it.")
    suspect = MatchIdField(
        allow_null=True, default=None, help_text="The bot version that may have caused it."
    )
    was_too_slow = serializers.BooleanField(default=False)


class ReturnedSerializer(serializers.Serializer[Any]):
    """Whether the match was still this worker's."""

    was_held = serializers.BooleanField()


class BuildSerializer(HeldMatchSerializer):
    """The build of a version that sits in a match of this worker."""

    version_id = MatchIdField()


class BuildLogSerializer(BuildSerializer):
    """What a build has written so far; without a log, only a look."""

    log = serializers.CharField(
        max_length=_LONGEST_LOG, allow_blank=True, trim_whitespace=False, required=False
    )


class BuiltFilesSerializer(serializers.Serializer[Any]):
    """The content hash of what was built; empty as long as nothing was."""

    files_hash = serializers.CharField(allow_blank=True)


class BuiltSerializer(BuildSerializer):
    """What a build made, as an archive in base64."""

    archive = serializers.CharField()


class BuildRefusalSerializer(BuildSerializer):
    """A build that fails through the fault of the upload."""

    reason = serializers.CharField(max_length=1000)
    log = serializers.CharField(max_length=_LONGEST_LOG, allow_blank=True, trim_whitespace=False)


class WasHeldSerializer(serializers.Serializer[Any]):
    """Whether it was still this worker's."""

    was_held = serializers.BooleanField()


class NothingSerializer(RequestSerializer):
    """A question without parameters."""


class FriendlyIdsSerializer(RequestSerializer):
    """Friendlies, by their ids."""

    friendly_ids = serializers.ListField(child=MatchIdField(), max_length=MOST_MATCHES)


class FriendlyClaimSerializer(FriendlyIdsSerializer):
    """Friendlies whose bots a slot would move."""

    slot = serializers.CharField(max_length=_LONGEST_NAME, help_text="The worker and its slot.")
    announcement = AnnouncementSerializer()


class StretchesSerializer(serializers.Serializer[Any]):
    """The friendlies in which the slot is to move bots now, each for 30 s."""

    stretches = serializers.ListField(child=serializers.DictField())


class HeldFriendlySerializer(RequestSerializer):
    """A friendly, and the token that the claim gave."""

    friendly_id = MatchIdField()
    token = serializers.UUIDField()


class StretchResultSerializer(HeldFriendlySerializer):
    """What the bots did: all events and faults since the friendly began, sandbox and layers."""

    result = serializers.DictField()


class FriendlyReturnSerializer(HeldFriendlySerializer):
    """A friendly that is given back."""

    reason = serializers.CharField(max_length=1000, allow_blank=True)
    has_failed = serializers.BooleanField(help_text="The host could not run the bots.")


class AnalysisClaimSerializer(RequestSerializer):
    """The match whose curve a slot would compute."""

    match_id = MatchIdField()
    is_lent = serializers.BooleanField(
        default=False, help_text="Matches wait, and lend it a slot for a while."
    )


class LoanSerializer(RequestSerializer):
    """A slot that was lent to an analysis, and for how long."""

    match_id = MatchIdField()
    held_s = serializers.FloatField(min_value=0, max_value=1e6)


class AnalysisJobSerializer(serializers.Serializer[Any]):
    """The right to hand in a curve, and the record; null if there is nothing to do."""

    token = serializers.UUIDField(allow_null=True)
    record = serializers.DictField(allow_null=True)
    measured = serializers.ListField(
        child=serializers.ListField(), help_text="What earlier tries have measured, to go on with."
    )


class DemandSerializer(serializers.Serializer[Any]):
    """Whether slots are needed for matches."""

    has_waiting_matches = serializers.BooleanField()


class AnalysisResultSerializer(HeldMatchSerializer):
    """A curve with the CPU time it took; or an error; or what was measured so far."""

    curve = serializers.DictField(required=False)
    cpu_ms = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=0)
    error = serializers.RegexField(r"^[a-z_]{0,30}$", default="", allow_blank=True)
    has_died = serializers.BooleanField(default=False)
    measured = serializers.ListField(
        child=serializers.ListField(),
        default=list,
        max_length=1000,
        help_text="All that was measured, also in earlier tries.",
    )
