"""What every stored time means, and what becomes of times ahead of a clock that was set back.

A wrong clock is mended by NTP, and a restored host may be an hour behind the one before. Then a
lease lasts an hour too long, a hint "sent in an hour" is never sent again, and an event of the
future stays the newest. So each column has a rule here, and after a step back one pass brings all
times ahead of the database's clock to where they can be at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Final

import structlog
from django.apps import apps
from django.conf import settings
from django.db.models import Case, DateTimeField, F, Model, Q, Value, When
from django.db.models.functions import Now

from pentathlon.accounts.device_logins import VALID_S
from pentathlon.accounts.letters import RETRIES_S as LETTER_RETRIES_S
from pentathlon.accounts.services import LONGEST_TOKEN_DAYS
from pentathlon.core.models import Leadership
from pentathlon.friendlies.jobs import LEASE_S as FRIENDLY_LEASE_S
from pentathlon.insight.analyses.services import LEASE_S as ANALYSIS_LEASE_S
from pentathlon.ladders.pace import longest_lead
from pentathlon.matches.jobs import LEASE_S
from pentathlon.webhooks.attempt_results import JITTER, LONGEST_PAUSE_S, RETRIES_S, ROTATION_S

_CLOCK: Final = "clock"
_HOLDER: Final = "all"
_NOTED_EVERY: Final = timedelta(seconds=1)
_STEP: Final = timedelta(seconds=2)
"""How far the clock must have gone back: NTP slews less than that, which nobody notices."""
_AT_ONCE: Final = 500

_log = structlog.stdlib.get_logger(__name__)


class Meaning(Enum):
    """What a column of times says."""

    HAPPENED = "when something happened: never ahead of the clock"
    UNTIL = "until when something lasts: at most its longest time from now"
    DUE = "when something is due: at most the interval from which it was set"
    STATED = "stated by people, or signed: nobody else changes it"


@dataclass(frozen=True, slots=True)
class TimeRule:
    """The meaning of a column, and how far ahead of the clock it can be."""

    meaning: Meaning
    leads: Sequence[timedelta] = (timedelta(),)
    """The longest lead, or one for each value of the column `by`, from 0; the last for others."""
    by: str = ""

    def ahead(self, column: str, now: datetime) -> Q:
        """Select the rows whose time is further ahead than it can be."""
        if not self.by:
            return Q(**{f"{column}__gt": now + self.leads[0]})
        *_, last = numbered = list(enumerate(self.leads))
        rows = [Q(**{self.by: n, f"{column}__gt": now + lead}) for n, lead in numbered]
        beyond = Q(**{f"{self.by}__gt": last[0], f"{column}__gt": now + last[1]})
        return Q(*rows, beyond, _connector=Q.OR)

    def latest(self, now: datetime) -> Case | Value:
        """Return the latest time that the column can have."""
        if not self.by:
            return Value(now + self.leads[0], DateTimeField())
        cases = [When(**{self.by: n}, then=Value(now + e)) for n, e in enumerate(self.leads)]
        return Case(*cases, default=Value(now + self.leads[-1]), output_field=DateTimeField())


def _until(**lead: float) -> TimeRule:
    return TimeRule(Meaning.UNTIL, (timedelta(**lead),))


def _retried(pauses_s: Sequence[float], *, jitter: float = 0.0) -> TimeRule:
    """Return the rule of a time that a row's `tries` decide."""
    pauses = (timedelta(seconds=(1 + jitter) * each) for each in pauses_s)
    return TimeRule(Meaning.DUE, (timedelta(), *pauses), by="tries")


_HAPPENED: Final = TimeRule(Meaning.HAPPENED)
_STATED: Final = TimeRule(Meaning.STATED)
_APP_TOKEN: Final = _until(seconds=settings.OAUTH2_PROVIDER["ACCESS_TOKEN_EXPIRE_SECONDS"])
_NOT_HAPPENED: Final[Mapping[str, TimeRule]] = {
    "accounts.apitoken.expiry": _until(days=LONGEST_TOKEN_DAYS),
    "accounts.browsersession.expire_date": _until(seconds=settings.SESSION_COOKIE_AGE),
    "accounts.devicelogin.expires_at": _until(seconds=VALID_S),
    "accounts.letter.next_at": _retried(LETTER_RETRIES_S),
    "insight.analysis.lease_until": _until(seconds=ANALYSIS_LEASE_S),
    # What a leadership lasts, or a truce of `matches.expiry`; nobody leads without this pass.
    "core.leadership.until": _until(seconds=LEASE_S),
    "friendlies.friendly.lease_until": _until(seconds=FRIENDLY_LEASE_S),
    "ladders.division.due_at": TimeRule(
        Meaning.DUE, (longest_lead(settings.LADDER_MATCHES_AN_HOUR),)
    ),
    "ladders.season.closes_at": TimeRule(
        Meaning.DUE, (timedelta(days=settings.LADDER_SEASON_DAYS),)
    ),
    "matches.hiddenlane.hides_from": _STATED,
    "matches.hiddenlane.hides_until": _STATED,
    "matches.match.lease_until": _until(seconds=LEASE_S),
    "accounts.oauthapp.cimd_expires_at": _STATED,
    "oauth2_provider.accesstoken.expires": _APP_TOKEN,
    "oauth2_provider.devicegrant.expires": _APP_TOKEN,
    "oauth2_provider.grant.expires": _until(
        seconds=settings.OAUTH2_PROVIDER["AUTHORIZATION_CODE_EXPIRE_SECONDS"]
    ),
    "oauth2_provider.idtoken.expires": _APP_TOKEN,
    "tournaments.tournament.closes_entries_at": _STATED,
    "tournaments.tournament.freezes_at": _STATED,
    "tournaments.tournament.released_at": _STATED,
    "tournaments.tournament.starts_at": _STATED,
    # It stands in every signed checkpoint.
    "matches.logcontinuation.at": _STATED,
    "webhooks.delivery.next_at": _retried(RETRIES_S, jitter=JITTER),
    # The sender looks at once, and then knows better.
    "webhooks.webhookendpoint.due_at": TimeRule(Meaning.DUE),
    "webhooks.webhookendpoint.old_until": _until(seconds=ROTATION_S),
    "webhooks.webhookendpoint.paused_until": _until(seconds=LONGEST_PAUSE_S),
}
_HAPPENED_COLUMNS: Final = """
    accounts.accountdeletion: deleted_at erased_at
    accounts.apitoken: created last_used_at
    accounts.browsersession: begun_at seen_at
    accounts.devicelogin: created_at polled_at
    accounts.emailchange: asked_at
    accounts.idempotencyrecord: created_at
    accounts.letter: created_at
    accounts.passkey: created_at last_used_at
    accounts.totpkey: created_at
    accounts.user: date_joined last_login
    admin.logentry: action_time
    insight.analysis: asked_at created_at ended_at lent_at sent_at
    accounts.auditevent: at
    bots.archive: damaged_at
    bots.bot: created_at
    bots.botversion: created_at stopped_at validated_at
    tournaments.challenge: created_at finished_at
    insight.dataset: begun_at made_at
    matches.deskrecord: created_at
    insight.exploredgame: finished_at
    insight.meeting: finished_at
    fleet.worker: seen_at started_at
    fleet.workertoken: created_at fruitless_since last_used_at passed_since
    fleet.workertoken: quarantined_at revoked_at
    friendlies.friendly: begun_at created_at finished_at moved_at progressed_at sent_at
    tournaments.handover: offered_at
    ladders.ladder: created_at
    ladders.season: closed_at opened_at
    matches.attempt: ended_at started_at
    matches.match: created_at finished_at progressed_at sent_at started_at
    matches.seatlog: ended_at
    accounts.oauthapp: created updated
    oauth2_provider.accesstoken: created updated
    oauth2_provider.devicegrant: last_checked
    oauth2_provider.grant: created updated
    oauth2_provider.idtoken: created updated
    oauth2_provider.refreshtoken: created revoked updated
    ratings.rankingtable: computed_at
    ratings.ledgerrow: applied_at ended_at
    matches.replay: created_at damaged_at
    tournaments.batch: made_at
    tournaments.coorganiser: since
    tournaments.entry: left_at
    tournaments.event: created_at
    tournaments.formerleg: replaced_at
    tournaments.invitation: invited_at
    tournaments.replacement: replaced_at
    tournaments.team: created_at
    tournaments.teammember: accepted_at invited_at
    tournaments.tournament: created_at finished_at revealed_at started_at
    matches.logentry: created_at damaged_at
    matches.logroot: created_at damaged_at
    matches.logtile: damaged_at
    matches.signingkey: created_at
    trust.quarantine: began_at ended_at
    trust.review: decided_at
    trust.spotcheck: created_at ended_at
    trust.unsteadyversion: found_at
    webhooks.delivery: created_at ended_at
    webhooks.deliveryattempt: tried_at
    webhooks.outboxevent: happened_at
    webhooks.webhookendpoint: created_at deleted_at disabled_at failing_since
"""


def _happened() -> Iterator[str]:
    for line in _HAPPENED_COLUMNS.split("\n"):
        table, _, columns = line.strip().partition(": ")
        for column in columns.split():
            yield f"{table}.{column}"


RULES: Final[Mapping[str, TimeRule]] = {**dict.fromkeys(_happened(), _HAPPENED), **_NOT_HAPPENED}
"""The rule of every column of times, by `app.model.column`."""


def watch_clock() -> int:
    """Mend all times once the database's clock has gone back: a step of the reconciler.

    The latest time seen is kept in the database, so that a clock set back while nothing ran is
    noticed, too. Returns how many rows were mended.
    """
    row = Leadership.objects.filter(name=_CLOCK).annotate(now=Now())
    seen = row.values_list("until", "now").first()
    if seen is None:
        Leadership.objects.get_or_create(name=_CLOCK, defaults={"holder": _HOLDER, "until": Now()})
        return 0
    latest, now = seen
    mended = 0
    if latest - now > _STEP:
        mended = mend_times(now)
        _log.warning("clock set back", seconds=(latest - now).total_seconds(), mended=mended)
    elif now - latest < _NOTED_EVERY:
        return 0
    Leadership.objects.filter(name=_CLOCK).update(until=now)
    return mended


def mend_times(now: datetime) -> int:
    """Bring all times that are too far ahead of `now` to the latest that they can be.

    Returns how many rows were changed. It can be repeated, and cut off anywhere.
    """
    return sum(_mend(model, columns, now) for model, columns in _columns().items())


def time_columns() -> Iterator[tuple[type[Model], str, str]]:
    """Yield every column of times with its model, and its name in `RULES`."""
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.local_fields:
            if isinstance(field, DateTimeField):
                yield model, field.name, f"{model._meta.label_lower}.{field.name}"


def _columns() -> dict[type[Model], dict[str, TimeRule]]:
    found: dict[type[Model], dict[str, TimeRule]] = {}
    for model, column, label in time_columns():
        rule = RULES[label]
        if rule.meaning is not Meaning.STATED:
            found.setdefault(model, {})[column] = rule
    return found


def _mend(model: type[Model], columns: Mapping[str, TimeRule], now: datetime) -> int:
    ahead = {column: rule.ahead(column, now) for column, rule in columns.items()}
    rows = model._base_manager.filter(Q(*ahead.values(), _connector=Q.OR)).order_by("pk")
    changes = {
        column: Case(When(ahead[column], then=rule.latest(now)), default=F(column))
        for column, rule in columns.items()
    }
    mended = 0
    # The clock's own row comes last: until then, a pass that is cut off is made again.
    if model is Leadership:
        rows = rows.exclude(name=_CLOCK)
    while ids := list(rows.values_list("pk", flat=True)[:_AT_ONCE]):
        mended += model._base_manager.filter(pk__in=ids).update(**changes)
    return mended
