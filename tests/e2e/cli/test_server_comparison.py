"""`pentathlon compare --server`: the site plays, the command follows."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.bots.services import settle_validation
from pentathlon.tournaments.challenges import services
from pentathlon.tournaments.challenges.models import Challenge, ChallengeState
from pentathlon.tournaments.challenges.services import cancel_challenge
from tests.e2e.cli.conftest import SITE
from tests.engines.commands import Run
from tests.factories import make_version
from tests.pentathlon.tournaments.challenges.acting import play, waiting, won_by

pytestmark = pytest.mark.django_db

Meanwhile = Callable[..., None]


@pytest.fixture
def active(author: User) -> BotVersion:
    """Return the version that plays for the author's bot."""
    return make_version(owner=author, name="my-bot")


@pytest.fixture
def folder(run: Run, active: BotVersion) -> Path:
    """Return the folder of a change of it."""
    assert run("init", "tuned", "--folder", "my-bot").code == 0
    return Path("my-bot")


def newest() -> BotVersion:
    return BotVersion.objects.latest("pk")


def settle() -> None:
    settle_validation(version_id=newest().pk, passed=True, reason="", log="")


def win() -> None:
    """Let the newest version win what waits."""
    challenge = Challenge.objects.latest("pk")
    play(waiting(challenge), won_by(challenge.version))


def lose() -> None:
    challenge = Challenge.objects.latest("pk")
    play(waiting(challenge), won_by(challenge.opponent))


def test_better_candidate_ends_with_0(
    run: Run, active: BotVersion, folder: Path, meanwhile: Meanwhile
) -> None:
    meanwhile(settle, win, win)

    done = run("compare", "my-bot", "--server", "--json")

    assert done.code == 0, done.err
    assert (done.data["new"], done.data["old"]) == ("my-bot v2", "my-bot v1")
    assert (done.data["decision"], done.data["passed"]) == ("better", True)
    assert done.data["counts"] == [0, 0, 0, 0, 28]
    assert done.data["url"] == f"{SITE}/challenges/{Challenge.objects.latest('pk').pk}/"
    assert newest().is_candidate
    assert not any(match.rated for each in Challenge.objects.all() for match in each.matches)
    assert "400 of your 400 challenge matches a day are left" in done.err
    assert "360 of your 400" in done.err
    assert "LLR +2.1" in done.err
    assert "Next: pentathlon submit my-bot" in done.err


def test_worse_one_ends_with_1_and_says_so(
    run: Run, active: BotVersion, folder: Path, meanwhile: Meanwhile
) -> None:
    meanwhile(settle, lose, lose)

    done = run("compare", "my-bot", "--server")

    assert done.code == 1
    assert "my-bot v2 is not better than my-bot v1" in done.out
    assert "score: 0.0%" in done.out


def test_share_of_the_points_passes_what_is_about_as_good(
    run: Run, author: User, active: BotVersion, meanwhile: Meanwhile
) -> None:
    make_version(bot=active.bot)

    def half() -> None:
        challenge = Challenge.objects.latest("pk")
        matches = waiting(challenge)
        play(matches[: len(matches) // 2], won_by(challenge.version))
        play(matches[len(matches) // 2 :], won_by(challenge.opponent))

    meanwhile(half)
    arguments = ("compare", "my-bot@2", "my-bot@1", "--server", "--max-games", "40")

    enough = run(*arguments, "--fail-under", "0.48")
    too_little = run(*arguments, "--fail-under", "0.51", "--json")

    assert enough.code == 0, enough.err
    assert "--fail-under 0.48: enough" in enough.out
    assert (too_little.code, too_little.data["passed"]) == (1, False)
    assert Challenge.objects.count() == 1


def test_same_pair_goes_on_with_what_is_under_way(
    run: Run, author: User, active: BotVersion, meanwhile: Meanwhile
) -> None:
    make_version(bot=active.bot)

    def interrupt() -> None:
        raise KeyboardInterrupt

    meanwhile(interrupt, win, win)

    stopped = run("compare", "my-bot@2", "my-bot@1", "--server")
    running = Challenge.objects.get()
    went_on = run("compare", "my-bot@2", "my-bot@1", "--server")

    assert stopped.code == 130
    assert f"It continues on the site: {SITE}/challenges/{running.pk}/" in stopped.err
    assert "Run the same command to follow it again." in stopped.err
    assert went_on.code == 0, went_on.err
    assert Challenge.objects.count() == 2
    assert went_on.out.startswith("my-bot v2 is better than my-bot v1")


def test_bot_of_somebody_else_is_met_by_its_active_version(
    run: Run, author: User, active: BotVersion, meanwhile: Meanwhile
) -> None:
    rival = make_version(name="rival")
    meanwhile(win, win)

    done = run("compare", "my-bot@1", "rival", "--server", "--json")

    assert (done.code, done.data["old"]) == (0, rival.label)


def test_old_version_of_somebody_else_cannot_be_met(
    run: Run, author: User, active: BotVersion
) -> None:
    rival = make_version(name="rival")
    make_version(bot=rival.bot)

    refused = run("compare", "my-bot@1", "rival@1", "--server")

    assert refused.code == 2
    assert "only the version that plays for another author's bot" in refused.err


def test_quota_ends_it_undecided(
    run: Run,
    author: User,
    active: BotVersion,
    meanwhile: Meanwhile,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_version(bot=active.bot)
    monkeypatch.setattr(services, "CHALLENGE_MATCHES_A_DAY", 10)
    meanwhile(win)

    done = run("compare", "my-bot@2", "my-bot@1", "--server", "--json")

    assert done.code == 1
    assert (done.data["decision"], done.data["blocks"]) == ("undecided", 5)
    assert "Your quota of challenge matches is used up for today." in done.err


def test_cancelled_challenge_ends_it(
    run: Run, author: User, active: BotVersion, meanwhile: Meanwhile
) -> None:
    make_version(bot=active.bot)
    meanwhile(lambda: cancel_challenge(actor=author, challenge=Challenge.objects.get()))

    done = run("compare", "my-bot@2", "my-bot@1", "--server", "--json")

    assert done.code == 1
    assert done.data["note"] == "The challenge was cancelled."
    assert Challenge.objects.get().state == ChallengeState.CANCELLED


def test_time_that_is_up_ends_with_3(
    run: Run, author: User, active: BotVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_version(bot=active.bot)
    now = iter(range(0, 10_000, 30))
    monkeypatch.setattr("time.monotonic", lambda: float(next(now)))
    monkeypatch.setattr("time.sleep", lambda seconds: None)

    failed = run("compare", "my-bot@2", "my-bot@1", "--server", "--timeout", "100")

    assert failed.code == 3
    assert "The requested matches are still played." in failed.err


@pytest.mark.parametrize("option", [("--seed", "1"), ("--elo1", "5"), ("--limits", "{}")])
def test_options_of_the_desk_are_refused(run: Run, author: User, option: tuple[str, str]) -> None:
    refused = run("compare", "a", "--server", *option)

    assert refused.code == 2
    assert "--server takes --game, --max-games" in refused.err


def test_only_version_has_nothing_to_be_compared_with(
    run: Run, author: User, active: BotVersion
) -> None:
    refused = run("compare", "my-bot@1", "--server")

    assert refused.code == 2
    assert "No other version plays for my-bot" in refused.err


def test_without_a_second_bot_the_desk_asks_for_one(run: Run) -> None:
    refused = run("compare", "random")

    assert refused.code == 2
    assert "Name a second bot" in refused.err
