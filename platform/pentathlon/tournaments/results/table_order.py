"""The points and the order of a tournament's table, read from its rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pentathlon.bots.models import BotVersion
from pentathlon.ratings.models import ScoreLine
from pentathlon.ratings.scores import Scores
from pentathlon.ratings.skill import MU, SIGMA, Skill
from pentathlon.tournaments.batches import BlockState
from pentathlon.tournaments.documents.document import document, event_key, format_of
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.scheduling.blocks import successors
from pentathlon.tournaments.scheduling.history import read_played
from pentathlon_engines.tournament import tie_breaks
from pentathlon_engines.tournament.departures import points_of_forfeits, results_of_rounds, settle
from pentathlon_engines.tournament.formats.interface import AS_PLAYED, Format, GivingByes
from pentathlon_engines.tournament.tie_breaks import Group, Results

_SUMS = ("matches", "wins", "draws", "faults", "ahead", "level")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableResults:
    """All that points and tie-breaks follow from, by the number of the entry."""

    results: Results
    forfeits: Mapping[int, float] = field(default_factory=dict)
    """The points that entries have without a match because others have left."""
    cancelled: frozenset[int] = frozenset()
    """Entries that have left so early that their results count for nobody."""


def order_entries(tournament: Tournament, numbers: Sequence[int], results: Results) -> list[Group]:
    """Return the numbers of entries by place; equals share one, in the order given."""
    return tie_breaks.order_entries(
        numbers, places=tournament.places, by=tournament.tie_breaks, results=results
    )


def read_results(
    tournament: Tournament,
    scores: Scores,
    numbers: Mapping[int, int],
    *,
    fit: Mapping[int, float],
    left: Collection[int],
) -> TableResults:
    """Return the results of the table: those played, byes, and what leaving means by the law.

    `scores` has one line for each entry; `numbers` gives the entry of each version, and `left` has
    the entries that have left.
    """
    scheduling = format_of(tournament)
    results = _results_of(scores, numbers, fit)
    if scheduling is None or tournament.fixed_document is None:
        return TableResults(results=results)
    if isinstance(scheduling, GivingByes):
        entries = document(tournament).field(left=left)
        played = read_played(tournament)
        return TableResults(
            results=results_of_rounds(entries, played, fit=fit),
            forfeits=points_of_forfeits(played),
        )
    return _settled(tournament, scheduling, results, left)


def _settled(
    tournament: Tournament, scheduling: Format, results: Results, left: Collection[int]
) -> TableResults:
    """Return results of matches with what the law makes of those that have left."""
    is_cut = tournament.blocks.filter(state=BlockState.PARTIAL).exists()
    planned = document(tournament)
    law = planned.leaving or AS_PLAYED
    if law == AS_PLAYED or not (left or is_cut):
        return TableResults(results=results)
    settlement = settle(
        scheduling,
        planned.plan(key=event_key(tournament)),
        planned.field(left=left),
        read_played(tournament, of=left),
        law=law,
    )
    return TableResults(
        results=settlement.apply(results),
        forfeits={player: settlement.points(player) for player in settlement.forfeits},
        cancelled=settlement.cancelled,
    )


def _results_of(scores: Scores, numbers: Mapping[int, int], fit: Mapping[int, float]) -> Results:
    lines = {numbers[pk]: line for pk, line in scores.lines.items() if pk in numbers}
    return Results(
        wins={number: line.wins for number, line in lines.items()},
        against={
            number: {
                numbers[int(other)]: (won, drawn, lost)
                for other, (won, drawn, lost) in line.against.items()
                if int(other) in numbers
            }
            for number, line in lines.items()
        },
        fit=fit,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionShare:
    """The results of one of several versions of an entry."""

    version: BotVersion
    matches: int
    points: float
    rating: Skill
    """The rating from its own results alone."""


def merge_scores(tournament: Tournament, scores: Scores) -> Scores:
    """Return scores with one line for each entry, keyed by the version that plays for it now."""
    now = successors(tournament)
    if not now:
        return scores
    lines: dict[int, ScoreLine] = {}
    for version_id, line in scores.lines.items():
        place = now.get(version_id, version_id)
        merged = lines.setdefault(place, ScoreLine(version_id=place))
        for name in _SUMS:
            setattr(merged, name, getattr(merged, name) + getattr(line, name))
        if "against" not in line.get_deferred_fields():
            _add_pairs(merged, line, now)
    return Scores(lines=lines, seats=scores.seats)


def merge_skills(tournament: Tournament, skills: Mapping[int, Skill]) -> dict[int, Skill]:
    """Return one rating for each entry, keyed by the version that plays for it now.

    The rating of a version is a common prior times the likelihood of the version's results. The
    rating of an entry is that prior times the likelihoods of all its versions, as if one version
    had played all matches.
    """
    now = successors(tournament)
    merged = dict(skills)
    for place in set(now.values()):
        versions = {place} | {old for old, current in now.items() if current == place}
        known = [skills[version] for version in versions if version in skills]
        if known:
            # A single rating is returned as stored, because joining would change the last bits.
            merged[place] = known[0] if len(known) == 1 else _join(known)
    for old in now:
        merged.pop(old, None)
    return merged


def version_shares(
    tournament: Tournament, scores: Scores, skills: Mapping[int, Skill]
) -> dict[int, tuple[VersionShare, ...]]:
    """Return the shares of each entry's versions, keyed by the version that plays for it now.

    Entries whose version was never replaced are left out.
    """
    shares: dict[int, dict[int, VersionShare]] = {}
    for each in tournament.replacements.in_order():
        found = shares.setdefault(each.entry.version_id, {})
        for version in (each.old, each.new):
            line = scores.lines.get(version.pk) or ScoreLine(version_id=version.pk)
            found[version.pk] = VersionShare(
                version=version,
                matches=line.matches,
                points=(line.ahead + line.level / 2) / (tournament.table_seats - 1),
                rating=skills.get(version.pk, Skill()),
            )
    return {version: tuple(found.values()) for version, found in shares.items()}


def _join(skills: Iterable[Skill]) -> Skill:
    prior = SIGMA**-2
    weight, sum_of_mu = prior, MU * prior
    for skill in skills:
        own = skill.sigma**-2
        weight += own - prior
        sum_of_mu += skill.mu * own - MU * prior
    return Skill(sum_of_mu / weight, weight**-0.5)


def _add_pairs(merged: ScoreLine, line: ScoreLine, now: Mapping[int, int]) -> None:
    for other, counts in line.against.items():
        opponent = str(now.get(int(other), int(other)))
        known = merged.against.setdefault(opponent, [0, 0, 0])
        for column, count in enumerate(counts):
            known[column] += count
