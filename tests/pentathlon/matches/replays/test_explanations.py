"""What the owner of a bot is told about a match, and nobody else."""

import io
from zipfile import ZipFile

import pytest

from pentathlon.accounts.models import User
from pentathlon.core.errors import NotFound
from pentathlon.matches.models import Match, MatchSeat, SeatLog
from pentathlon.matches.replays.explanations import (
    Explanation,
    as_text,
    bundle_seat,
    explain_match,
    explain_seat,
    limit_usage,
)
from pentathlon.matches.replays.services import seat_results
from pentathlon.matches.uploads.services import submit_version
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.traces import TraceLine
from pentathlon_engines.record.answers import legal_texts
from pentathlon_engines.record.bundle import read_bundle
from tests.factories import make_match, make_upload, make_user, make_version
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, report_of, submit, trace

pytestmark = pytest.mark.django_db


def owner_of(match: Match, seat: int) -> User:
    return MatchSeat.objects.get(match=match, seat=seat).version.bot.owner


def loaded(match: Match) -> Match:
    return Match.objects.with_seats().select_related("replay").get(pk=match.pk)


def failed(**changes: object) -> Match:
    """Store a match that seat 0 lost by a fault at ply 2."""
    job = claimed(make_match())
    traces = [trace(**changes), trace(lines=[TraceLine(">", "SECRET", 6)])]
    logs = ("Traceback: no idea", "mine")
    return loaded(submit(job, record_of(job, fault_at=2), logs=logs, traces=traces))


def beaten() -> tuple[Match, int]:
    """Store a match that was lost by the rules, and say by which seat."""
    job = claimed(make_match())
    match = loaded(submit(job, record_of(job), traces=[trace(), trace()]))
    return match, next(seat.seat for seat in match.seats.all() if seat.rank)


def told(match: Match, seat: int = 0) -> Explanation:
    return explain_seat(match=match, actor=owner_of(match, seat), seat=seat)


def test_fault_is_told_with_cause_sentence_and_advice() -> None:
    explanation = told(failed())

    assert (explanation.code, explanation.ply) == ("cpu_time", 2)
    assert explanation.what_happened == (
        "Asked for an action at ply 2, it was expelled: used 1.2 s of CPU time. "
        "The match was over with that."
    )
    assert "cpu_left_ms" in explanation.what_to_do
    assert (explanation.is_fault, explanation.has_lost) == (True, True)


def test_bad_answer_is_told_with_what_was_expected() -> None:
    job = claimed(make_match())
    record = record_of(job, fault_at=2, fault=FaultKind.ILLEGAL_ACTION)
    said = [TraceLine(">", "{}", 2), TraceLine("<", '{"action": "sing"}', 18)]
    match = loaded(submit(job, record, traces=[trace(lines=said), trace()]))

    explanation = told(match)

    legal = legal_texts(record, 2)
    assert explanation.answer == (
        'It wrote “{"action": "sing"}”. Expected: {"action": "…"} with one of the '
        f'{len(legal)} legal actions, such as "{legal[0]}", letter for letter.'
    )
    assert f"Its answer: {explanation.answer}" in as_text(explanation)
    assert told(match, seat=1).answer == ""


def test_checks_of_an_upload_tell_a_bad_answer_in_the_same_words() -> None:
    version = submit_version(actor=make_user(), archive=make_upload())
    job = claimed(Match.objects.get())
    record = record_of(job, fault_at=2, fault=FaultKind.ILLEGAL_ACTION)
    said = [TraceLine(">", "{}", 2), TraceLine("<", '{"action": "sing"}', 18)]
    logs = ("Traceback: no idea\n", "")

    match = loaded(submit(job, record, logs=logs, traces=[trace(lines=said), trace()]))

    version.refresh_from_db()
    *before, last = version.validation_log.splitlines()
    assert version.state_reason.startswith("tuned: illegal_action at ply 2: ")
    assert "Traceback: no idea" in before
    assert last == f"tuned, seat 0: {told(match).answer}"
    assert "sing" in last


def test_crash_for_want_of_threads_names_the_limit() -> None:
    job = claimed(make_match())
    record = record_of(job, fault_at=2, fault=FaultKind.CRASH)
    logs = ("RuntimeError: can't start new thread", "")

    explanation = told(loaded(submit(job, record, logs=logs, traces=[trace(), trace()])))

    assert "The likely cause is its limit `tasks`: 16 threads" in explanation.what_to_do


def test_fault_comes_with_the_last_lines_as_they_were_said() -> None:
    explanation = told(failed())

    assert explanation.lines == trace().lines
    assert not explanation.lines_are_rebuilt
    assert explanation.log == "Traceback: no idea"


def test_turns_end_with_the_request_of_the_fault() -> None:
    explanation = told(failed())

    *before, last = explanation.turns
    assert [turn.ply for turn in before] == [0]
    assert (last.ply, last.cpu_ms, last.wall_ms, last.is_fault) == (2, 1200, 1300, True)


def test_use_stands_beside_its_limit() -> None:
    uses = {use.name: use for use in told(failed()).uses}

    assert (uses["action_cpu"].used, uses["action_cpu"].limit) == (1.2, 1)
    assert uses["action_cpu"].share == 1
    assert (uses["memory"].used, uses["memory"].limit) == (12.5, 256)
    assert (uses["stdout"].used, uses["stderr"].used) == (42, 7)
    # Wall minus CPU time, for the answered action and for the one that ended with the fault.
    assert (uses["action_wall"].used, uses["action_wall"].limit) == (0.1, 3)
    assert (uses["match_wall"].used, uses["match_wall"].limit) == (0.101, 60)
    assert uses["process_cpu"].share is None


def test_fault_out_of_turn_is_no_request_that_failed() -> None:
    job = claimed(make_match())
    record = record_of(job, fault_at=2, fault=FaultKind.OUT_OF_TURN)
    match = submit(job, record, traces=[trace(requests=1), trace()])

    explanation = told(loaded(match))

    assert explanation.what_happened.startswith("At ply 2, out of its turn, it was expelled")
    assert [turn.ply for turn in explanation.turns] == [0]


def test_record_from_before_a_limit_was_made_is_told_without_it() -> None:
    record = record_of(claimed(make_match()))
    del record["limits"]["match_wall_s"]

    uses = {use.name: use for use in limit_usage(MatchSeat(seat=0), record, None)}

    assert uses["match_wall"].limit is None


@pytest.mark.parametrize(
    ("ended", "words"), [(True, "ended with exit status 0"), (False, "still ran")]
)
def test_ending_of_the_process_is_told(ended: bool, words: str) -> None:
    assert words in told(failed(ended=ended)).ending


def test_fault_before_the_first_request_is_one_of_the_start() -> None:
    job = claimed(make_match())
    match = submit(job, record_of(job, fault_at=0), traces=[trace(requests=0), trace()])

    explanation = told(loaded(match))

    assert explanation.what_happened.startswith("At its start, it was expelled")
    assert explanation.turns == []


def test_failure_of_all_is_told_as_a_loss_of_all() -> None:
    job = claimed(make_match())
    match = submit(job, record_of(job, all_fail=True))

    assert "all have lost, and no rating changes" in told(loaded(match)).what_happened


def test_fault_among_many_says_that_a_stand_in_played_on() -> None:
    versions = [make_version(games=["way_of_the_dragon"]) for _ in range(3)]
    job = claimed(make_match(versions, game="way_of_the_dragon", ranks=(0, 1, 2)))
    record = record_of(job, fault_at=20)
    seat = record["faults"][0]["seat"]
    match = submit(job, record, logs=("", "", ""), traces=[trace()] * 3)

    explanation = told(loaded(match), seat)

    assert "a stand-in played on in its place" in explanation.what_happened
    assert explanation.ply == 20 < match.ply
    assert explanation.turns[-1].is_fault
    assert all(turn.ply < 20 for turn in explanation.turns[:-1])


def test_match_lost_by_the_rules_is_told_without_blame() -> None:
    match, loser = beaten()

    explanation = told(match, loser)

    assert explanation.code == match.outcome_reason
    assert "2nd of 2, without a fault" in explanation.what_happened
    assert explanation.lines_are_rebuilt
    assert explanation.lines[-1].way == "<"
    assert (explanation.is_fault, explanation.has_lost) == (False, True)


def test_only_seats_with_a_fault_keep_lines() -> None:
    match, _ = beaten()
    faulty = failed()

    assert not SeatLog.objects.filter(seat__match=match).exists()
    kept = SeatLog.objects.filter(seat__match=faulty, trace__isnull=False)
    assert list(kept.values_list("seat__seat", flat=True)) == [0]


def test_only_the_last_notes_are_kept() -> None:
    job = claimed(make_match())
    record = record_of(job)
    notes = [[(ply, f"note {ply}") for ply in range(300)], []]

    (told, _) = seat_results(report_of(record, notes=notes, traces=[trace(), trace()]))

    assert [ply for ply, _ in told.notes] == list(range(200, 300))


def test_lines_go_with_their_match() -> None:
    match = failed()

    match.delete()

    assert not SeatLog.objects.exists()


def test_match_of_long_ago_is_explained_without_a_trace() -> None:
    match = failed()
    SeatLog.objects.all().delete()
    MatchSeat.objects.update(exit_status=None)

    explanation = told(loaded(match))

    assert (explanation.log, explanation.ending) == ("", "Not recorded.")
    assert [line.way for line in explanation.lines] == [">", "<", ">"]
    assert [turn.ply for turn in explanation.turns] == [0]


def test_owner_is_told_of_own_seats_only() -> None:
    match = failed()

    explanations = explain_match(match=match, actor=owner_of(match, 1))

    assert explain_match(match=match, actor=make_user()) == []
    assert [each.place.seat for each in explanations] == [1]
    assert "no idea" not in as_text(explanations[0])


def test_owner_of_both_seats_is_told_of_both() -> None:
    owner = make_user()
    job = claimed(make_match([make_version(owner=owner), make_version(owner=owner)]))
    match = loaded(submit(job, record_of(job)))

    assert [each.place.seat for each in explain_match(match=match, actor=owner)] == [0, 1]


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_nothing_is_told_of_seats_of_others(seat: int) -> None:
    match = failed()
    person = make_user() if seat == 0 else owner_of(match, 0)

    with pytest.raises(NotFound):
        explain_seat(match=match, actor=person, seat=seat)
    with pytest.raises(NotFound):
        bundle_seat(match=match, actor=person, seat=seat)


def test_match_that_is_not_done_has_nothing_to_explain() -> None:
    match = loaded(make_match())

    with pytest.raises(NotFound, match="is not done"):
        explain_match(match=match, actor=owner_of(match, 0))


def test_text_holds_all_of_it() -> None:
    text = as_text(told(failed()))

    for part in (
        "Cause: cpu_time",
        "What to do: Look at the clock",
        "Position at ply 2",
        "CPU time, slowest action:  1.2 of 1 s",
        "ply     2    1,200    1,300  fault",
        '> {"type":"act","ply":2}',
        '< {"act (not one whole line)',
        "Traceback: no idea",
        "-seat-0.zip FOLDER_OF_YOUR_BOT",
    ):
        assert part in text


def test_bundle_holds_the_public_record_and_nothing_private() -> None:
    match = failed()

    bundle = bundle_seat(match=match, actor=owner_of(match, 0), seat=0)

    assert bundle.name == f"match-{match.pk}-seat-0.zip"
    assert read_bundle(bundle.data).seat == 0
    with ZipFile(io.BytesIO(bundle.data)) as archive:
        inside = b"".join(archive.read(name) for name in archive.namelist())
    assert b"no idea" not in inside
    assert b"SECRET" not in inside
