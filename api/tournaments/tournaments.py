from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.utils.functional import SimpleLazyObject
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from api.protocol.access import lacks_scope
from api.protocol.pagination import (
    PAGE_PARAMETERS,
    GameFilter,
    IdFilter,
    MadeFilterSet,
    OnePage,
    TextFilter,
)
from api.tournaments.arrangements import FullTournamentSerializer, TournamentSerializer
from api.tournaments.drafts import ChangeActions, ChangeSerializer, DraftActions
from api.tournaments.entries import EntryActions
from api.tournaments.handovers import HandoverActions
from api.tournaments.requests import (
    ORDER,
    BlockOrderSerializer,
    OrderedSerializer,
    RoundOrderSerializer,
    TournamentRequestSerializer,
    read_new_tournament,
)
from api.tournaments.tables import (
    CrosstableRowSerializer,
    DryRunSerializer,
    ProgressSerializer,
    ScheduleActions,
    SeatRateSerializer,
    StandingSerializer,
)
from pentathlon.accounts.models import Scope
from pentathlon.core.caching import answer_packed, tag_of
from pentathlon.tournaments import services
from pentathlon.tournaments.batches import BlockOrder
from pentathlon.tournaments.corrections.orders import Order, give_order
from pentathlon.tournaments.documents.document import document_json
from pentathlon.tournaments.estimates.dry_runs import dry_run, dry_run_of_new
from pentathlon.tournaments.estimates.progress import progress
from pentathlon.tournaments.guards import check_organiser
from pentathlon.tournaments.handovers.services import visible_or_offered
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.organising.drafts import delete_draft, open_tournament
from pentathlon.tournaments.results.files import state_of_matches, state_of_tables
from pentathlon.tournaments.results.hidden_results import (
    check_shown,
    hidden_lanes,
    release_results,
)
from pentathlon.tournaments.results.standings import crosstable, seat_rates, standings
from pentathlon.tournaments.scheduling.secrecy import places_of_part, proof
from pentathlon_engines.tournament.document import document_hash
from pentathlon_engines.tournament.document_schema import document_schema
from pentathlon_engines.tournament.formats.registry import newest_formats

_LARGEST_PART_NUMBER = 1000
_OF_OFFERS = ("handover", "accept_handover", "end_handover")
"""Actions for people who were asked to organise a draft, which they do not see otherwise."""


class PartSerializer(serializers.Serializer[Any]):
    """The part of a long answer to return."""

    part = serializers.IntegerField(min_value=1, max_value=_LARGEST_PART_NUMBER, default=1)


class TournamentFilter(MadeFilterSet):
    """Filters of tournaments."""

    game = GameFilter()
    state = filters.ChoiceFilter(choices=TournamentState.choices)
    owner = TextFilter(field_name="owner__username", lookup_expr="iexact")
    format = filters.ChoiceFilter(choices=[(kind, kind) for kind in newest_formats()])
    event = IdFilter(help_text="Id of the event that it belongs to.")


class TournamentViewSet(
    ListModelMixin,
    RetrieveModelMixin,
    ChangeActions,
    DraftActions,
    EntryActions,
    HandoverActions,
    ScheduleActions,
):
    """Tournaments: everybody can read them, their organiser runs them."""

    noun = "tournament"
    queryset = Tournament.objects.listed()
    serializer_class = FullTournamentSerializer
    filterset_class = TournamentFilter
    write_scope = Scope.TOURNAMENTS_WRITE
    private_scopes = {"handover": Scope.PRIVATE_READ}
    query_parameters = {
        "proof": ("part",),
        "results_csv": ("part",),
        "schedule": (*PAGE_PARAMETERS, "round"),
        "faults": PAGE_PARAMETERS,
    }
    conflicting_actions = (
        *("draft", "dry_run", "progress", "standings", "crosstable", "seats", "proof"),
        *("faults", "standings_csv", "results_csv"),
    )

    def get_queryset(self) -> QuerySet[Tournament]:
        """Leave the divisions of ladders out of lists, since they are resources of their own."""
        # A token that may write tournaments may also read their drafts.
        needed = (Scope.PRIVATE_READ, Scope.TOURNAMENTS_WRITE)
        is_blind = all(lacks_scope(self.request, scope) for scope in needed)
        reader = None if is_blind else self.person
        if self.action in _OF_OFFERS and reader is not None:
            return visible_or_offered(reader).listed()
        found = Tournament.objects.visible_to(reader).listed()
        return found.organised() if self.action == "list" else found

    def get_serializer_class(self) -> type[serializers.BaseSerializer[Tournament]]:
        """Leave texts and organisers out of lists."""
        return TournamentSerializer if self.action == "list" else FullTournamentSerializer

    def get_serializer_context(self) -> dict[str, Any]:  # Any: as the framework has it
        """Add the tournaments that hide their results from the reader; one query if needed."""
        hidden = SimpleLazyObject(lambda: hidden_lanes(self.reader))
        return {**super().get_serializer_context(), "hidden": hidden}

    @extend_schema(request=TournamentRequestSerializer, responses={201: FullTournamentSerializer})
    def create(self, request: Request) -> Response:
        """Create a tournament that is open for entries.

        Post its fields, or a whole document from `…/document/` as `{"document": {…}}`.
        """
        wanted = read_new_tournament(request, self.actor)
        made = wanted.named(wanted.create)()
        return self._as_it_stands(made, status.HTTP_201_CREATED)

    @extend_schema(request=TournamentRequestSerializer, responses=DryRunSerializer)
    @action(detail=False, methods=["post"], url_path="dry-run")
    def dry_run_of_new(self, request: Request) -> Response:
        """Preview a new tournament; post the fields that would create it.

        Nothing is stored. A request that creation would refuse is refused here as well.
        """
        wanted = read_new_tournament(request, self.actor)
        rehearsed = wanted.named(lambda: dry_run_of_new(wanted.create))()
        return Response(rehearsed.to_json())

    @extend_schema(responses=DryRunSerializer)
    @action(detail=True, url_path="dry-run")
    def dry_run(self, request: Request, pk: str) -> Response:
        """Preview an open tournament with the entries so far."""
        return Response(dry_run(self.get_object()).to_json())

    @extend_schema(responses=OpenApiTypes.OBJECT, filters=False)
    @action(detail=False, url_path="schema", pagination_class=None)
    def document_schema(self, request: Request) -> Response:
        """Return the JSON Schema of tournament documents."""
        return Response(document_schema())

    @extend_schema(responses=OpenApiTypes.OBJECT)
    @action(detail=True)
    def document(self, request: Request, pk: str) -> Response:
        """Return the whole document; it can be posted as a new tournament."""
        return Response(document_json(self.get_object()))

    @extend_schema(request=ORDER, responses=OrderedSerializer)
    @action(detail=True, methods=["post"])
    def void(self, request: Request, pk: str) -> Response:
        """Make a block or a round void: none of its matches counts."""
        return self._order(BlockOrder.VOID)

    @extend_schema(request=ORDER, responses=OrderedSerializer)
    @action(detail=True, methods=["post"])
    def rerun(self, request: Request, pk: str) -> Response:
        """Play a block or a round again with the same seeds; its earlier results do not count."""
        return self._order(BlockOrder.RERUN)

    @extend_schema(request=ChangeSerializer, responses=FullTournamentSerializer)
    def partial_update(self, request: Request, pk: str) -> Response:
        """Change what no seed rests on, while the tournament is open; everybody in it is told.

        Send the fields that change, and the `revision` that you read. Rules of entry are for bots
        that enter from now on; a cap below what has entered is refused.
        """
        return self._as_it_stands(self.change(request), status.HTTP_200_OK)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, pk: str) -> Response:
        """Delete a draft. A tournament that was ever open can only be cancelled."""
        delete_draft(actor=self.actor, tournament=self.get_object())
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=None, responses=FullTournamentSerializer)
    @action(detail=True, methods=["post"])
    def open(self, request: Request, pk: str) -> Response:
        """Open a draft for entries; it becomes public."""
        return self._change(open_tournament)

    @extend_schema(request=None, responses=FullTournamentSerializer)
    @action(detail=True, methods=["post"])
    def start(self, request: Request, pk: str) -> Response:
        """Start the tournament: make its schedule and play it."""
        return self._change(services.start_tournament)

    @extend_schema(request=None, responses=FullTournamentSerializer)
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, pk: str) -> Response:
        """Pause the tournament: start no more matches for now."""
        return self._change(services.pause_tournament)

    @extend_schema(request=None, responses=FullTournamentSerializer)
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, pk: str) -> Response:
        """Resume the tournament after a pause."""
        return self._change(services.resume_tournament)

    @extend_schema(request=None, responses=FullTournamentSerializer)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """Cancel the tournament: void all matches that have not ended."""
        return self._change(services.cancel_tournament)

    @extend_schema(request=None, responses=FullTournamentSerializer)
    @action(detail=True, methods=["post"])
    def release(self, request: Request, pk: str) -> Response:
        """Permanently release the hidden results of the tournament to everybody."""
        return self._change(release_results)

    @extend_schema(responses=ProgressSerializer)
    @action(detail=True)
    def progress(self, request: Request, pk: str) -> Response:
        """Return how many matches are done, running and waiting, and the time remaining."""
        return Response(ProgressSerializer(progress(self._shown())).data)

    @extend_schema(responses=StandingSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=OnePage)
    def standings(self, request: Request, pk: str) -> HttpResponseBase:
        """Return the table, best first."""
        return self._table(StandingSerializer, standings)

    @extend_schema(responses=CrosstableRowSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=OnePage)
    def crosstable(self, request: Request, pk: str) -> HttpResponseBase:
        """Return the scores of every entry against every other."""
        return self._table(CrosstableRowSerializer, crosstable)

    @extend_schema(responses=SeatRateSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=OnePage)
    def seats(self, request: Request, pk: str) -> HttpResponseBase:
        """Return the results by seat, which show whether one has an advantage."""
        return self._table(SeatRateSerializer, seat_rates)

    @extend_schema(parameters=[PartSerializer], responses=OpenApiTypes.OBJECT)
    @action(detail=True)
    def proof(self, request: Request, pk: str) -> HttpResponseBase:
        """Return the data that `pentathlon verify --tournament` checks; sealed values are null.

        The matches of a long tournament are split into `parts`; each repeats everything else.
        """
        tournament = self._shown()
        values = self.checked(PartSerializer)
        part = values["part"]
        state = state_of_matches(tournament, places_of_part(tournament, part))
        return _answer_json(
            request,
            tag=tag_of("proof", part, document_hash(document_json(tournament)), *state),
            make=lambda: proof(tournament, part=part),
        )

    def _shown(self) -> Tournament:
        """Return the tournament; refuse if its results are hidden from the reader."""
        tournament = self.get_object()
        check_shown(tournament, self.reader)
        return tournament

    def _table(
        self,
        serializer: type[serializers.BaseSerializer[Any]],
        read: Callable[[Tournament], Any],  # Any: lines of one kind
    ) -> HttpResponseBase:
        tournament = self._shown()
        return _answer_json(
            self.request,
            # Read before the rows: if they change meanwhile, the client asks again.
            tag=tag_of(read.__name__, *state_of_tables(tournament)),
            make=lambda: self.one_page(serializer, read(tournament)).data,
        )

    def _change(self, service: Callable[..., Tournament]) -> Response:
        tournament = service(actor=self.actor, tournament=self.get_object())
        return self._as_it_stands(tournament, status.HTTP_200_OK)

    def _order(self, kind: BlockOrder) -> Response:
        tournament = self.get_object()
        check_organiser(self.actor, tournament, to="change the matches of")
        data = self.request.data
        wanted = (RoundOrderSerializer if "round" in data else BlockOrderSerializer)(data=data)
        wanted.is_valid(raise_exception=True)
        order = Order(kind=kind, **wanted.validated_data)
        blocks = give_order(actor=self.actor, tournament=tournament, order=order)
        return Response(OrderedSerializer({"blocks": blocks}).data)

    def _as_it_stands(self, tournament: Tournament, code: int) -> Response:
        stored = self.get_queryset().get(pk=tournament.pk)
        return Response(self.get_serializer(stored).data, status=code)


def _answer_json(request: Request, *, tag: str, make: Callable[[], object]) -> HttpResponseBase:
    """Answer with JSON that this process keeps."""
    return answer_packed(
        request._request,
        tag=tag,
        content_type="application/json",
        make=lambda: bytes(JSONRenderer().render(make())),
    )
