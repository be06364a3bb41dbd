"""The final table of a tournament: how much its results say, whatever order they came in."""

from __future__ import annotations

from pentathlon.ratings.fit import fit
from pentathlon.ratings.results import counting_seats, read_results
from pentathlon.ratings.skill import Result, Skill, fold
from pentathlon.ratings.uncertainty import chances_of_best, groups
from pentathlon.tournaments.models import FinalRow, Tournament


def final_rows(tournament: Tournament) -> list[FinalRow]:
    """Return the rows of the final table, best first, not yet stored; those that left have none.

    The order is that of the fit, in which no result counts more for being late; beside it stands
    the rating rule folded in schedule order. Both depend on the results alone, so the same
    tournament gives the same table bit for bit, in whatever order its matches ended.
    """
    pool = tournament.pool
    if pool is None:
        return []
    results = results_in_order(tournament)
    fitted = fit(results, draw_probability=pool.draw_probability)
    folded = fold(results, draw_probability=pool.draw_probability)
    entries = sorted(
        tournament.entries.active(),
        key=lambda entry: (-fitted.get(entry.version_id, Skill()).mu, entry.number or 0),
    )
    skills = [fitted.get(entry.version_id, Skill()) for entry in entries]
    places = zip(entries, skills, groups(skills), chances_of_best(skills), strict=True)
    return [
        FinalRow(
            entry=entry,
            place=place,
            group=group,
            mu=skill.mu,
            sigma=skill.sigma,
            fold_mu=folded.get(entry.version_id, Skill()).mu,
            fold_sigma=folded.get(entry.version_id, Skill()).sigma,
            chance_of_best=chance,
        )
        for place, (entry, skill, group, chance) in enumerate(places, start=1)
    ]


def results_in_order(tournament: Tournament) -> list[Result]:
    """Return the results that count, in schedule order."""
    seats = counting_seats().filter(match__place__tournament=tournament)
    in_order = seats.order_by("match__place__index", "seat")
    return [result for _, result in read_results(in_order, by="match_id")]
