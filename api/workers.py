from django_filters import rest_framework as filters
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin

from api.protocol.endpoint import Endpoint
from api.protocol.filters import GameFilter
from api.protocol.pagination import OnePage
from pentathlon.fleet.models import Worker, WorkerQuerySet
from pentathlon_engines.match.launcher import SandboxLevel


class LayerSerializer(serializers.Serializer[None]):
    """The state of one layer of a sandbox."""

    layer = serializers.CharField()
    state = serializers.CharField()
    detail = serializers.CharField()


class WorkerSerializer(serializers.ModelSerializer[Worker]):
    """The capabilities of a worker; its name and host stay private."""

    games = serializers.DictField(
        child=serializers.IntegerField(), help_text="The version of the rules, by game key."
    )
    runtimes = serializers.ListField(child=serializers.CharField())
    untried = serializers.ListField(
        child=serializers.CharField(), help_text="Runtimes that it is still testing."
    )
    layers = LayerSerializer(many=True)

    class Meta:
        model = Worker
        fields = (
            "slots",
            "games",
            "runtimes",
            "untried",
            "sandbox",
            "layers",
            "starved",
            "held_slots",
            "version",
            "started_at",
            "seen_at",
        )
        read_only_fields = fields


class WorkerFilter(filters.FilterSet):
    """Filters of workers."""

    game = GameFilter(method="that_play")
    sandbox = filters.ChoiceFilter(choices=[(level.value, level.value) for level in SandboxLevel])

    def that_play(self, workers: WorkerQuerySet, name: str, value: str) -> WorkerQuerySet:
        """Keep the workers that have the rules of a game."""
        return workers.filter(games__has_key=value)


class WorkerViewSet(ListModelMixin, Endpoint[Worker]):
    """Workers that are alive and play matches."""

    noun = "worker"
    queryset = Worker.objects.none()
    serializer_class = WorkerSerializer
    pagination_class = OnePage
    filterset_class = WorkerFilter
    shared_actions = ("list",)

    def get_queryset(self) -> WorkerQuerySet:
        """Return the workers with a recent heartbeat."""
        return Worker.objects.alive()
