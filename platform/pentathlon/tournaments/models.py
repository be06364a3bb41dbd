from __future__ import annotations

from typing import Final, Self

from django.conf import settings
from django.db import models
from django.db.models import Case, Count, Exists, F, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce, Now

from pentathlon.accounts.models import User
from pentathlon.accounts.roles import is_staff
from pentathlon.bots.models import BotVersion
from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.ratings.models import LedgerRow, Pool
from pentathlon.tournaments.batches import Block
from pentathlon.tournaments.people_rows import CoOrganiser, Replacement, Team
from pentathlon_engines.seeds import commitment_to

ENTRIES_PER_AUTHOR: Final = 3
"""How many versions one author may enter in another person's tournament by default."""


class TournamentState(models.TextChoices):
    """States in the life of a tournament."""

    DRAFT = "draft", "a draft"
    OPEN = "open", "open for entries"
    RUNNING = "running", "running"
    PAUSED = "paused", "paused"
    CLOSED = "closed", "closed"
    CANCELLED = "cancelled", "cancelled"


UNSTARTED: Final = (TournamentState.DRAFT, TournamentState.OPEN)
"""States in which nothing is scheduled and entries may still change."""


class Event(models.Model):
    """Tournaments that belong together: one for each game."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="events"
    )
    name = models.CharField(max_length=80)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return self.name


class TournamentQuerySet(models.QuerySet["Tournament"]):
    """Named queries for tournaments."""

    def listed(self) -> Self:
        """Return tournaments with owner and numbers, the latest first."""
        short = self.defer("fixed_document")
        return short.with_counts().select_related("owner").order_by("-pk")

    def organised(self) -> Self:
        """Return tournaments that somebody organises: no divisions of ladders."""
        return self.filter(division=None)

    def visible_to(self, person: User | None) -> Self:
        """Leave out drafts of other people, unless the reader is of the staff."""
        if person is not None and is_staff(person):
            return self
        public = ~Q(state=TournamentState.DRAFT)
        return self.filter(public if person is None else public | _organised_by(person))

    def organised_by(self, person: User) -> Self:
        """Return the tournaments that this person organises, alone or with others."""
        return self.filter(_organised_by(person))

    def with_counts(self) -> Self:
        """Add `bots`, `matches` (planned) and `matches_done`."""
        entries = Entry.objects.scheduled().filter(tournament=OuterRef("pk")).order_by()
        # Counts matches only for tournaments that began before there were scores.
        done = Match.objects.filter(lane=OuterRef("pk"), state=MatchState.DONE).order_by()
        counted = When(pool__seat_scores__isnull=False, then=F("pool__done"))
        return self.annotate(
            bots=_count(entries, by="tournament"),
            matches=F("planned"),
            matches_done=Case(counted, default=_count(done, by="lane")),
        )

    def stopped(self) -> Self:
        """Return the tournaments that should go on and cannot."""
        started = (TournamentState.RUNNING, TournamentState.PAUSED)
        return self.filter(state__in=started).exclude(problem="")

    def played(self) -> Self:
        """Return running tournaments of which all matches are scheduled, ended and rated."""
        rows = LedgerRow.objects.filter(pool=OuterRef("pool"))
        running = self.filter(
            state=TournamentState.RUNNING, is_open_ended=False, is_fully_scheduled=True
        )
        return running.filter(~Exists(rows.waiting()), ~Exists(rows.ready()))

    def finished(self) -> Self:
        """Return those of them without a waiting entry or block."""
        unsettled = Entry.objects.filter(tournament=OuterRef("pk"), is_settled=False)
        blocks = Block.objects.filter(tournament=OuterRef("pk"))
        due = TournamentMatch.objects.filter(tournament=OuterRef("pk"), is_due=True)
        replacing = Replacement.objects.unsettled().filter(tournament=OuterRef("pk"))
        waits = (unsettled, due, blocks.open(), blocks.with_orders(), replacing)
        return self.played().filter(*(~Exists(rows_of_kind) for rows_of_kind in waits))


class Tournament(models.Model):
    """A tournament is a document and a secret; the schedule and all seeds follow from both."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="tournaments"
    )
    name = models.CharField(max_length=80)
    game = models.CharField(max_length=30)
    event = models.ForeignKey(
        Event, null=True, on_delete=models.SET_NULL, related_name="tournaments"
    )
    season = models.CharField(max_length=40, blank=True, db_default="")
    """The season of a ladder; empty for all other tournaments."""
    division = models.PositiveSmallIntegerField(null=True)
    """The division of a ladder, 1 being the highest; null for all other tournaments."""
    format = models.CharField(max_length=20)
    """The name of its scheduler without the version."""
    scheduler = models.CharField(max_length=30, blank=True, db_default="")
    """Its name and version; empty for the newest one of the format."""
    params = models.JSONField(default=dict, db_default={})
    """The format's own parameters, with all defaults written out."""
    table_seats = models.PositiveSmallIntegerField(default=2)
    rules_version = models.PositiveIntegerField(default=1)
    """The version of the game's rules; fixed when the tournament starts."""
    secret = models.CharField(max_length=64, default="", db_default="")
    """Hexadecimal; nobody sees it before `revealed_at`. Empty if made before seeds were sealed."""
    secret_given = models.BooleanField(default=False, db_default=False)
    """Whether the organiser supplied the secret and so knows all seeds: an unrated replay."""
    revealed_at = models.DateTimeField(null=True)
    """When the secret became public: when the tournament first closed or was cancelled."""
    fixed_document = models.JSONField(null=True)
    """The document as it was at the start; the event key is bound to its hash."""
    draw_probability = models.FloatField(null=True)
    """Given for a replay; otherwise derived at the start from the game's earlier draws."""
    beta = models.FloatField(null=True)
    """The noise of a performance; null for that of the rating rule."""
    tie_breaks = models.JSONField(default=list, db_default=[])
    """What orders the table, most important first; empty if the format decides the places."""
    leaving = models.CharField(max_length=20, blank=True, db_default="")
    """The law about bots that leave; empty on ladders."""
    entries_per_author = models.PositiveSmallIntegerField(
        default=ENTRIES_PER_AUTHOR, db_default=ENTRIES_PER_AUTHOR
    )
    """How many versions one author may enter; the organiser may enter any."""
    options = models.JSONField(default=dict)
    limits = models.JSONField(default=dict)
    rated = models.BooleanField(default=True)
    """Whether results also count on the game's live leaderboard."""
    state = models.CharField(
        max_length=10, choices=TournamentState, default=TournamentState.OPEN, db_index=True
    )
    pool = models.OneToOneField(Pool, null=True, on_delete=models.PROTECT)
    """Its own rating table; made at the start."""
    results_version = models.PositiveIntegerField(default=0, db_default=0)
    """Counts the steps that let complete results change again; written under the row's lock."""
    planned = models.PositiveIntegerField(default=0, db_default=0)
    """The number of matches in its schedule; while that depends on results, the expected one."""
    fewest = models.PositiveIntegerField(null=True)
    """The lower bound of `planned`; null if that is exact."""
    most = models.PositiveIntegerField(null=True)
    """The upper bound of `planned`; null if that is exact."""
    scheduled = models.PositiveIntegerField(default=0, db_default=0)
    """How many matches have been made, in the order of the schedule."""
    is_fully_scheduled = models.BooleanField(default=False, db_default=False)
    """Whether its format has nothing left to play."""
    places = models.JSONField(null=True)
    """Numbers of entries by place, if the format decides these and not the table; else null."""
    remark = models.CharField(max_length=200, blank=True, db_default="")
    """Why the format has ended it, where that is not obvious."""
    closes_entries_at = models.DateTimeField(null=True)
    """After this time only the organiser can enter bots."""
    starts_at = models.DateTimeField(null=True)
    """When it starts automatically."""
    hides_results = models.BooleanField(default=False, db_default=False)
    """Whether only the organiser sees results before `released_at`."""
    freezes_at = models.DateTimeField(null=True)
    """From this time on, results are hidden likewise."""
    released_at = models.DateTimeField(null=True)
    """When hidden results become public; if that is still to come, the organiser has set it."""
    is_open_ended = models.BooleanField(default=False, db_default=False)
    """Whether this is a division of a ladder, which gets matches until its season closes."""
    start_problem = models.CharField(max_length=300, blank=True, db_default="")
    """Why it did not start at its time; public."""
    problem = models.CharField(max_length=500, blank=True, db_default="")
    """Why it cannot go on although it has started; public, see `problems`."""
    entry_rules = models.JSONField(default=dict, db_default={})
    """Which bots its authors may enter, as `EntryRules` reads it."""
    by_invitation = models.BooleanField(default=False, db_default=False)
    """Whether only invited authors can enter bots."""
    description = models.TextField(blank=True, db_default="")
    """What the organisers say about it, in Markdown; public."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    # Counts for lists, added by `TournamentQuerySet.with_counts`.
    bots: int
    matches: int
    matches_done: int

    objects = TournamentQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name

    @property
    def commitment(self) -> str | None:
        """The commitment to the secret, which is public from the start; None without a secret."""
        return commitment_to(bytes.fromhex(self.secret)) if self.secret else None

    @property
    def organiser_names(self) -> list[str]:
        """The user names of its organisers, its owner first."""
        shared = self.co_organisers.order_by("since", "pk")
        return [self.owner.username, *shared.values_list("person__username", flat=True)]

    @property
    def is_ladder(self) -> bool:
        """Whether this is a division of a ladder."""
        return bool(self.season)

    @property
    def revealed_secret(self) -> str | None:
        """The secret once it is public; None before."""
        return (self.secret or None) if self.revealed_at else None


class EntryState(models.TextChoices):
    """States of an entry."""

    ACTIVE = "active", "takes part"
    WITHDRAWN = "withdrawn", "withdrawn"
    DISQUALIFIED = "disqualified", "disqualified"
    REPLACED = "replaced", "replaced by another version"


class EntryQuerySet(models.QuerySet["Entry"]):
    """Named queries for entries."""

    def scheduled(self) -> Self:
        """Return the entries in the schedule, including those that have left since."""
        return self.filter(number__isnull=False)

    def active(self) -> Self:
        """Return entries that still take part."""
        return self.scheduled().filter(state=EntryState.ACTIVE)

    def behind(self, person: User) -> Self:
        """Return the entries that a person stands behind: own bots, and those of own teams."""
        teams = Team.objects.joined_by(person)
        return self.filter(Q(version__bot__owner=person) | Q(team__in=teams))

    def in_order(self) -> Self:
        """Return entries in schedule order, with bots, owners and teams."""
        entries = self.scheduled().select_related("version__bot__owner", "team")
        return entries.defer("version__validation_log", "version__manifest").order_by("number")


class Entry(models.Model):
    """A place in the field, and the bot version that plays for it now."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="entries")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="entries")
    number = models.PositiveIntegerField(null=True)
    """Counts from 0; as in the document from the start on. Null if disqualified before it."""
    state = models.CharField(
        max_length=12,
        choices=EntryState,
        default=EntryState.ACTIVE,
        db_default=EntryState.ACTIVE.value,
    )
    reason = models.CharField(max_length=300, blank=True, db_default="")
    """Why it has left; public."""
    left_at = models.DateTimeField(null=True)
    left_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    """Who withdrew or disqualified it; null if its version was taken out of all schedules."""
    revokes_results = models.BooleanField(default=False, db_default=False)
    """Whether its finished matches do not count."""
    is_settled = models.BooleanField(default=True, db_default=True)
    """False while matches of an entry that has left still have to be voided or revoked."""
    joined_batch = models.PositiveIntegerField(default=1, db_default=1)
    """The first batch that it can have matches in."""
    left_batch = models.PositiveIntegerField(null=True)
    """The first batch in which it has none any more; null if there is none."""
    replaced_by = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, related_name="replaces"
    )
    team = models.ForeignKey(Team, null=True, on_delete=models.PROTECT, related_name="entries")
    """The team for which it plays; null if it plays for its author alone."""
    strength_hint = models.FloatField(null=True)
    """An estimate for seeding, higher being better; null if nothing is known."""

    objects = EntryQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("tournament", "version"), name="tournaments_entry_once"
            ),
            models.UniqueConstraint(
                fields=("tournament", "number"), name="tournaments_entry_number"
            ),
        )

    def __str__(self) -> str:
        return f"{self.version} in {self.tournament}"


class TournamentMatchQuerySet(models.QuerySet["TournamentMatch"]):
    """Named queries for matches of tournaments."""

    def in_order(self) -> Self:
        """Return places with matches, seats and bots in schedule order; two queries."""
        seats = MatchSeat.objects.order_by("seat").select_related("version__bot__owner")
        seated = models.Prefetch("match__seats", queryset=seats)
        return self.select_related("match").prefetch_related(seated).order_by("index")


class TournamentMatch(models.Model):
    """The place of a match in a tournament's schedule."""

    tournament = models.ForeignKey(
        Tournament, on_delete=models.CASCADE, related_name="tournament_matches"
    )
    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="place")
    round = models.PositiveIntegerField()
    """The round, from 1."""
    block = models.PositiveIntegerField()
    """The block in the whole tournament, from 1: same bots and seed, balanced seat orders."""
    leg = models.PositiveSmallIntegerField(null=True)
    """The number within its block, from 1; null if made before blocks had rows."""
    index = models.PositiveIntegerField()
    """The position in the schedule of the whole tournament, from 1."""
    is_due = models.BooleanField(default=False, db_default=False)
    """Whether its match has ended since its block was last looked at."""

    objects = TournamentMatchQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("tournament", "index"), name="tournaments_index_once"),
        )
        indexes = (
            models.Index(fields=("tournament", "block"), name="tournaments_of_block"),
            models.Index(fields=("id",), condition=Q(is_due=True), name="tournaments_due"),
        )

    def __str__(self) -> str:
        return f"match {self.index} of {self.tournament_id}"


class FinalRow(models.Model):
    """One line of a closed tournament's table. Derivable from its matches, but not cheaply."""

    entry = models.OneToOneField(
        Entry, on_delete=models.CASCADE, primary_key=True, related_name="final_row"
    )
    place = models.PositiveIntegerField()
    group = models.PositiveIntegerField()
    """Bots of different groups can be told apart with 95 % confidence."""
    mu = models.FloatField()
    """The order-free strength by all results, which orders the table unless tie-breaks do."""
    sigma = models.FloatField()
    """The standard deviation of its difference to the mean of all entries."""
    rank_low = models.PositiveIntegerField(null=True)
    """The best rank that it may truly have; null if closed before there were rank intervals."""
    rank_high = models.PositiveIntegerField(null=True)
    """The worst rank that it may truly have; null like `rank_low`."""
    fold_mu = models.FloatField(null=True)
    """The mean by the live rating rule in schedule order; null at tables of more than two."""
    fold_sigma = models.FloatField(null=True)
    """The standard deviation of `fold_mu`; null if that is null."""
    chance_of_best = models.FloatField()

    def __str__(self) -> str:
        return f"place {self.place} of {self.entry}"


def _organised_by(person: User) -> Q:
    shared = CoOrganiser.objects.filter(person=person).values("tournament")
    return Q(owner=person) | Q(pk__in=shared)


def _count(rows: models.QuerySet[Entry] | models.QuerySet[Match], *, by: str) -> Coalesce:
    counted = rows.values(by).annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counted), Value(0))
