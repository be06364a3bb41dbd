"""What the rule promises, shown by simulated fields of authors."""

import random
from statistics import fmean

import pytest
from trueskill import BETA, TrueSkill, calc_draw_margin

from pentathlon.ratings.rankings.rule import (
    Placing,
    RankedField,
    expected_points,
    expected_shares,
    rank_authors,
)
from pentathlon_engines.strength.pair_model import draw_margin
from tests.deep import mostly_deep

GAMES = ("azure", "maatatahay", "tash_kalar", "tuned", "way_of_the_dragon")
RANDOM = 5.0
Skills = dict[str, dict[int, float]]


def ranking(skills: Skills) -> dict[int, Placing]:
    fields = {
        game: RankedField(skills=skills[game], random=RANDOM, draw_probability=0.1)
        for game in GAMES
    }
    return {placing.author: placing for placing in rank_authors(fields)}


def random_field(seed: int, *, authors: int = 12) -> Skills:
    """Return authors of whom each has entered about half of the games, some worse than random."""
    rng = random.Random(seed)
    talent = {author: rng.gauss(0, 4) for author in range(authors)}
    return {
        game: {
            author: 18 + talent[author] + rng.gauss(0, 6)
            for author in range(authors)
            if rng.random() < 0.5
        }
        for game in GAMES
    }


class TestShares:
    @pytest.mark.parametrize("lead", [-12.0, -1.0, 0.0, 3.5, 30.0])
    @pytest.mark.parametrize("draws", [0.005, 0.1, 0.5])
    def test_points_are_a_win_and_half_a_draw_as_trueskill_sees_them(
        self, lead: float, draws: float
    ) -> None:
        environment = TrueSkill(draw_probability=draws)
        margin = calc_draw_margin(draws, 2, environment)
        noise = 2**0.5 * BETA
        win = environment.cdf((lead - margin) / noise)
        loss = environment.cdf((-lead - margin) / noise)

        points = expected_points(lead, margin=draw_margin(draws))

        assert points == pytest.approx(
            win + (1 - win - loss) / 2, abs=1e-7
        )  # its cdf has seven digits

    @pytest.mark.parametrize("seed", range(4))
    def test_sum_over_the_grid_is_the_mean_over_all_others(self, seed: int) -> None:
        rng = random.Random(seed)
        skills = [rng.gauss(20, 8) for _ in range(60)] + [RANDOM] * 20
        margin = draw_margin(0.1)

        shares = expected_shares(skills, draw_probability=0.1)

        for index, (skill, share) in enumerate(zip(skills, shares, strict=True)):
            others = skills[:index] + skills[index + 1 :]
            exact = fmean(expected_points(skill - other, margin=margin) for other in others)
            assert share == pytest.approx(exact, abs=5e-6)

    def test_all_shares_together_are_one_half_each(self) -> None:
        shares = expected_shares([3.0, 40.0, 17.5, 17.5], draw_probability=0.2)

        assert fmean(shares) == pytest.approx(0.5, abs=1e-12)
        assert shares[2] == shares[3]

    def test_nobody_and_one_alone_are_no_error(self) -> None:
        assert expected_shares([], draw_probability=0.1) == []
        assert expected_shares([12.0], draw_probability=0.1) == [0.5]
        assert ranking({game: {} for game in GAMES}) == {}


class TestPromises:
    @pytest.mark.parametrize("seed", mostly_deep(range(3), keep=[0]))
    def test_doing_nothing_in_a_game_never_pays(self, seed: int) -> None:
        skills = random_field(seed)
        before = ranking(skills)

        for author, placing in before.items():
            for game in GAMES:
                if author not in skills[game]:
                    continue
                entered = {**skills, game: dict(skills[game])}
                del entered[game][author]
                after = ranking(entered).get(author)
                assert after is None or after.rank >= placing.rank
                assert after is None or after.share <= placing.share

    @pytest.mark.parametrize("seed", mostly_deep(range(3), keep=[0]))
    def test_entering_a_game_never_costs_a_place_however_weak_the_bot(self, seed: int) -> None:
        skills = random_field(seed)
        before = ranking(skills)
        rng = random.Random(seed)

        for author, placing in before.items():
            for game in GAMES:
                if author in skills[game]:
                    continue
                entered = {**skills, game: {**skills[game], author: rng.uniform(-20, 40)}}
                after = ranking(entered)[author]
                assert after.rank <= placing.rank
                assert after.share >= placing.share

    @pytest.mark.parametrize("seed", mostly_deep(range(6), keep=[0]))
    def test_one_great_game_does_not_decide(self, seed: int) -> None:
        rng = random.Random(seed)
        everybody = range(30)
        skills: Skills = {game: {a: rng.gauss(20, 4) for a in everybody} for game in GAMES}
        specialist = 99
        skills["tuned"][specialist] = 1000.0

        placings = ranking(skills)

        assert placings[specialist].by_game["tuned"] > 0.999
        assert placings[specialist].share < 0.2 + 4 * 0.1
        assert placings[specialist].rank > 20

    @pytest.mark.parametrize("seed", mostly_deep(range(6), keep=[0]))
    def test_better_play_in_one_game_is_worth_a_fifth_at_most(self, seed: int) -> None:
        skills = random_field(seed)
        author = next(iter(skills["tuned"]))
        before = ranking(skills)[author]

        after = ranking({**skills, "tuned": {**skills["tuned"], author: 1000.0}})[author]

        assert before.share <= after.share <= before.share + 0.2
        assert {game: after.by_game[game] for game in GAMES[:3]} == {
            game: before.by_game[game] for game in GAMES[:3]
        }

    def test_all_round_strength_beats_one_great_game(self) -> None:
        field = dict.fromkeys(range(10), 20.0)
        skills: Skills = {game: {**field, 77: 22.0} for game in GAMES}
        skills["azure"][88] = 60.0

        placings = ranking(skills)

        assert placings[77].rank == 1
        assert placings[88].rank == len(placings)

    def test_worse_than_random_counts_as_random(self) -> None:
        skills: Skills = {game: {1: 20.0, 2: 20.0} for game in GAMES}
        skills["tuned"][2] = RANDOM - 10

        weak = ranking(skills)[2]
        del skills["tuned"][2]
        absent = ranking(skills)[2]

        assert weak == absent

    def test_equals_share_a_rank_and_the_next_one_is_counted_on(self) -> None:
        skills: Skills = {game: {1: 20.0, 2: 20.0, 3: 10.0} for game in GAMES}

        placings = ranking(skills)

        assert [placings[author].rank for author in (1, 2, 3)] == [1, 1, 3]

    def test_order_of_the_authors_changes_no_bit(self) -> None:
        skills = random_field(3)
        turned = {game: dict(reversed(field.items())) for game, field in skills.items()}

        assert ranking(skills) == ranking(turned)
