"""Who plays in a ladder, and how authors decide on it."""

from typing import Any

import pytest

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.core.errors import Conflict, NotAllowed
from pentathlon.ladders.membership import drop_out_of_play, join_ladder, leave_ladder, pause_ladder
from pentathlon.ladders.models import Choice, Ladder, LadderMember
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.tournaments.entries.withdrawals import settle_entries
from pentathlon.tournaments.models import EntryState
from tests.factories import make_user, make_version
from tests.pentathlon.ladders.playing import (
    division_of,
    make_reference,
    open_ladder,
    play_waiting,
    seat_all,
    step,
)

pytestmark = pytest.mark.django_db


def _states(ladder: Ladder) -> dict[str, str]:
    entries = division_of(ladder).tournament.entries.select_related("version__bot")
    return {entry.version.label: entry.state for entry in entries}


def _in_the_field(version: BotVersion) -> bool:
    """Return whether the next matches are its matches, too."""
    play_waiting()
    step()
    waiting = Match.objects.filter(kind=MatchKind.LADDER, state=MatchState.PENDING)
    return waiting.of_version(version.pk).exists()


def test_version_joins_the_ladders_of_its_games_when_it_may_play() -> None:
    tuned, azure = open_ladder("tuned"), open_ladder("azure", slots=0)
    version = make_version(games=["tuned", "azure"])
    upload = make_version(state=VersionState.VALIDATING)

    seat_all()

    assert _states(tuned) == _states(azure) == {version.label: EntryState.ACTIVE}
    assert not LadderMember.objects.filter(bot=upload.bot).exists()


def test_ladders_with_unusual_rules_wait_for_the_author() -> None:
    ladder = open_ladder("tash_kalar-deathmatch", all_others=True)
    version = make_version(games=["tash_kalar"])
    seat_all()
    assert _states(ladder) == {}

    join_ladder(actor=version.bot.owner, ladder=ladder, bot=version.bot)

    assert _states(ladder) == {version.label: EntryState.ACTIVE}


def test_next_version_takes_the_place_of_the_one_before() -> None:
    ladder = open_ladder()
    first = make_version()
    seat_all()
    second = make_version(bot=first.bot)

    seat_all()

    assert _states(ladder) == {
        first.label: EntryState.REPLACED,
        second.label: EntryState.ACTIVE,
    }


def test_older_version_that_is_validated_later_replaces_nothing() -> None:
    ladder = open_ladder()
    first = make_version(state=VersionState.UNCHECKED)
    second = make_version(bot=first.bot)
    seat_all()
    BotVersion.objects.filter(pk=first.pk).update(state=VersionState.ELIGIBLE)

    seat_all()

    assert _states(ladder) == {second.label: EntryState.ACTIVE}


def test_bot_whose_manifest_says_so_does_not_join_by_itself() -> None:
    ladder = open_ladder()
    version = make_version()
    version.manifest = {**version.manifest, "ladder": False}
    version.save(update_fields=("manifest",))

    seat_all()
    assert _states(ladder) == {}

    join_ladder(actor=version.bot.owner, ladder=ladder, bot=version.bot)
    assert _states(ladder) == {version.label: EntryState.ACTIVE}


def _upload(before: BotVersion, *, ladder: object = None, **fields: Any) -> BotVersion:
    """Upload the next version of a bot, with or without a word on ladders in its bot.toml."""
    version = make_version(bot=before.bot, **fields)
    if ladder is not None:
        version.manifest = {**version.manifest, "ladder": ladder}
        version.save(update_fields=("manifest",))
    return version


def test_next_version_takes_the_bot_out_by_its_manifest() -> None:
    ladder = open_ladder()
    first = make_version()
    make_version()
    make_version()
    seat_all()
    second = _upload(first, ladder=False)

    seat_all()

    assert _states(ladder)[first.label] == EntryState.WITHDRAWN
    assert second.label not in _states(ladder)
    assert not _in_the_field(first)
    assert LadderMember.objects.get(bot=first.bot).choice == Choice.OUT


def test_without_a_word_in_the_manifest_the_last_choice_holds() -> None:
    ladder = open_ladder()
    first = make_version()
    seat_all()
    second = _upload(first, ladder=False)
    seat_all()
    third = _upload(second)
    seat_all()
    assert third.label not in _states(ladder)

    fourth = _upload(third, ladder=True)
    seat_all()

    assert _states(ladder)[fourth.label] == EntryState.ACTIVE


def test_next_version_pauses_and_goes_on_by_its_manifest() -> None:
    ladder = open_ladder()
    first = make_version()
    make_version()
    make_version()
    seat_all()
    second = _upload(first, ladder="paused")

    seat_all()

    assert _states(ladder)[second.label] == EntryState.ACTIVE
    assert not _in_the_field(second)
    third = _upload(second, ladder=True)
    seat_all()
    assert _states(ladder)[third.label] == EntryState.ACTIVE
    assert _in_the_field(third)


def test_pausing_by_the_manifest_brings_nobody_back() -> None:
    ladder = open_ladder()
    first = make_version()
    seat_all()
    leave_ladder(actor=first.bot.owner, ladder=ladder, bot=first.bot)
    second = _upload(first, ladder="paused")

    seat_all()

    assert second.label not in _states(ladder)


@pytest.mark.parametrize("word", [True, "paused"])
def test_ladders_with_unusual_rules_are_not_joined_by_the_manifest(word: object) -> None:
    ladder = open_ladder("tash_kalar-deathmatch", all_others=True)
    first = make_version(games=["tash_kalar"])
    _upload(first, ladder=word, games=["tash_kalar"])

    seat_all()

    assert _states(ladder) == {}


def test_button_that_is_pressed_after_the_upload_holds() -> None:
    ladder = open_ladder()
    first = make_version()
    second = _upload(first, ladder=False)
    seat_all()
    join_ladder(actor=first.bot.owner, ladder=ladder, bot=first.bot)
    # This is also what happens when a stopped version may play again.
    BotVersion.objects.filter(pk__in=(first.pk, second.pk)).update(is_seated=False)

    seat_all()

    assert _states(ladder)[second.label] == EntryState.ACTIVE


def test_older_version_that_is_validated_later_decides_nothing() -> None:
    ladder = open_ladder()
    first = make_version()
    second = _upload(first, ladder=False, state=VersionState.UNCHECKED)
    third = _upload(second)
    seat_all()
    BotVersion.objects.filter(pk=second.pk).update(state=VersionState.ELIGIBLE)

    seat_all()

    assert _states(ladder) == {third.label: EntryState.ACTIVE}


def test_bot_that_left_stays_out_with_its_next_version_until_it_joins_again() -> None:
    ladder = open_ladder()
    first = make_version()
    author = first.bot.owner
    make_version()
    seat_all()
    leave_ladder(actor=author, ladder=ladder, bot=first.bot)
    second = make_version(bot=first.bot)
    seat_all()

    assert _states(ladder)[first.label] == EntryState.WITHDRAWN
    assert second.label not in _states(ladder)
    assert not _in_the_field(second)

    join_ladder(actor=author, ladder=ladder, bot=first.bot)
    assert _states(ladder)[second.label] == EntryState.ACTIVE
    assert _in_the_field(second)


def test_leaving_does_not_call_off_what_was_paired() -> None:
    ladder = open_ladder()
    version = make_version()
    make_version()
    seat_all()
    made = step()

    leave_ladder(actor=version.bot.owner, ladder=ladder, bot=version.bot)
    settle_entries()

    assert Match.objects.filter(kind=MatchKind.LADDER, state=MatchState.PENDING).count() == made


def test_paused_bot_keeps_its_place_and_gets_no_match() -> None:
    ladder = open_ladder()
    version = make_version()
    make_version()
    make_version()
    seat_all()

    pause_ladder(actor=version.bot.owner, ladder=ladder, bot=version.bot)

    assert not _in_the_field(version)
    assert _states(ladder)[version.label] == EntryState.ACTIVE
    join_ladder(actor=version.bot.owner, ladder=ladder, bot=version.bot)
    assert _in_the_field(version)


def test_next_version_of_a_paused_bot_is_paused_too() -> None:
    ladder = open_ladder()
    first = make_version()
    make_version()
    seat_all()
    pause_ladder(actor=first.bot.owner, ladder=ladder, bot=first.bot)
    second = make_version(bot=first.bot)
    seat_all()

    assert not _in_the_field(second)
    assert LadderMember.objects.get(bot=first.bot).choice == Choice.PAUSED


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (VersionState.RETIRED, EntryState.WITHDRAWN),
        (VersionState.STOPPED, EntryState.WITHDRAWN),
        (VersionState.DISQUALIFIED, EntryState.DISQUALIFIED),
    ],
)
def test_version_that_may_no_longer_play_leaves(state: VersionState, expected: EntryState) -> None:
    ladder = open_ladder()
    version = make_version()
    make_version()
    seat_all()
    step()
    BotVersion.objects.filter(pk=version.pk).update(state=state, state_reason="So it is.")

    settle_entries()
    drop_out_of_play()

    assert _states(ladder)[version.label] == expected
    assert not Match.objects.filter(state=MatchState.PENDING).of_version(version.pk).exists()
    assert LadderMember.objects.get(bot=version.bot).version is None


def test_stopped_version_comes_back_when_it_may_play_again() -> None:
    ladder = open_ladder()
    version = make_version()
    make_version()
    seat_all()
    BotVersion.objects.filter(pk=version.pk).update(state=VersionState.STOPPED)
    settle_entries()
    drop_out_of_play()
    settle_entries()
    BotVersion.objects.filter(pk=version.pk).update(state=VersionState.ELIGIBLE, is_seated=False)

    seat_all()

    assert _states(ladder)[version.label] == EntryState.ACTIVE
    assert _in_the_field(version)


def test_only_the_author_decides_on_a_bot() -> None:
    ladder = open_ladder()
    version = make_version()
    seat_all()
    stranger = make_user()

    for decide in (join_ladder, pause_ladder, leave_ladder):
        with pytest.raises(NotAllowed):
            decide(actor=stranger, ladder=ladder, bot=version.bot)


def test_bot_without_a_version_for_the_game_cannot_join() -> None:
    ladder = open_ladder("azure")
    version = make_version(games=["tuned"])

    with pytest.raises(Conflict) as refused:
        join_ladder(actor=version.bot.owner, ladder=ladder, bot=version.bot)

    assert refused.value.code == "nothing_to_play"


def test_reference_bots_stand_in_every_ladder_of_their_games() -> None:
    usual = open_ladder("way_of_the_dragon")
    five = open_ladder("way_of_the_dragon-5", slots=0)
    mark = make_reference(games=["way_of_the_dragon"])

    seat_all()

    assert mark.label in _states(usual)
    assert mark.label in _states(five)


def test_bot_without_a_place_cannot_be_paused() -> None:
    ladder = open_ladder()
    version = make_version(state=VersionState.VALIDATING)

    with pytest.raises(Conflict, match="there is nothing to pause") as refused:
        pause_ladder(actor=version.bot.owner, ladder=ladder, bot=version.bot)

    assert refused.value.code == "not_in_ladder"
