import pytest

from pentathlon.matches.models import MatchState
from pentathlon.ratings.models import Pool, live_key
from pentathlon.ratings.scopes import Pace, digest_in_key, pace_of, scope_of
from pentathlon.ratings.services import apply_pool, enter_matches, open_live_pool, open_pool
from pentathlon.ratings.skill import Result, Skill, fold
from pentathlon.ratings.verification import verify_pool
from pentathlon_engines.match.limits import Limits
from tests.factories import make_match, make_version
from tests.pentathlon.tournaments.acting import matches_of, settle, started


@pytest.mark.parametrize(
    ("cpu_s", "pace"),
    [
        (0.01, Pace.FAST),
        (0.29, Pace.FAST),
        (0.3, Pace.STANDARD),
        (1.2, Pace.STANDARD),
        (3.0, Pace.STANDARD),
        (3.1, Pace.SLOW),
    ],
)
def test_pace_follows_the_cpu_time_of_an_action(cpu_s: float, pace: Pace) -> None:
    assert pace_of(Limits(action_cpu_s=cpu_s)) == pace


def test_what_differs_changes_the_digest() -> None:
    dragon = "way_of_the_dragon"
    scopes = [
        scope_of(dragon),
        scope_of(dragon, seats=5),
        scope_of(dragon, limits={"action_cpu_s": 0.01}),
        scope_of(dragon, options={"powers": True}),
        scope_of("tuned"),
    ]

    assert len({scope.digest for scope in scopes}) == 5


def test_what_is_said_in_other_words_does_not() -> None:
    usual = scope_of("way_of_the_dragon")

    said = scope_of(
        "way_of_the_dragon",
        seats=2,
        options={"powers": False},
        limits={"action_cpu_s": 1.5, "memory_mb": 64},
    )

    assert said.digest == usual.digest
    assert digest_in_key("way_of_the_dragon", said.digest) == ""


def test_title_says_what_is_unusual() -> None:
    scope = scope_of(
        "way_of_the_dragon", seats=5, options={"dead": 2}, limits={"action_cpu_s": 0.01}
    )

    assert scope.title == "Way of the Dragon, 5 seats, fast, dead 2"
    assert scope_of("tuned").title == "Tuned"


@pytest.mark.django_db
class TestPools:
    def test_tournaments_of_other_settings_share_no_table(self) -> None:
        usual, fast = started(bots=2), started(bots=2, limits={"action_cpu_s": 0.01})
        for tournament in (usual, fast):
            settle(matches_of(tournament))

        scope = scope_of("tuned", limits=fast.limits)
        pools = Pool.objects.live()
        assert list(pools.values_list("key", "applied_seq")) == [
            (live_key("tuned"), 2),
            (live_key("tuned", scope.digest), 2),
        ]
        assert [verify_pool(pool_id=pool.pk) for pool in pools] == [[], []]

    def test_result_in_no_table_is_found(self) -> None:
        pool = open_live_pool(game="tuned")
        make_match(state=MatchState.DONE, rated=True, sandbox="namespaces")

        (difference,) = verify_pool(pool_id=pool.pk)

        assert difference.stored == "no row"

    def test_beta_of_the_pool_rates_its_results(self) -> None:
        pool = open_pool(key="game:x", game="tuned", title="x", draw_probability=0.1, beta=8.0)
        versions = [make_version(), make_version()]
        match = make_match(versions, state=MatchState.DONE, sandbox="namespaces")
        enter_matches(pool=pool, matches=[match])
        apply_pool(pool_id=pool.pk)

        rated = {rating.version_id: rating.skill for rating in pool.ratings.all()}
        results = [Result(tuple(version.pk for version in versions), (0, 1))]
        assert rated == fold(results, draw_probability=0.1, beta=8.0)
        assert rated != fold(results, draw_probability=0.1)
        assert verify_pool(pool_id=pool.pk) == []


def test_larger_noise_teaches_less() -> None:
    result = [Result((1, 2), (0, 1))]

    usual, noisy = (fold(result, draw_probability=0.1, beta=beta)[1] for beta in (25 / 6, 10.0))

    assert Skill().mu < noisy.mu < usual.mu


@pytest.mark.django_db
def test_pool_keeps_its_numbers() -> None:
    key = live_key("tuned")
    first = open_pool(key=key, game="tuned", title="x", draw_probability=0.2, beta=5.0)

    again = open_live_pool(game="tuned")

    assert (again.pk, again.draw_probability, again.beta) == (first.pk, 0.2, 5.0)
