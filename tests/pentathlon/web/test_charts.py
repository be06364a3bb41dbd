"""The chart of a bot's strength."""

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon.ratings.models import RatingChange, live_key
from pentathlon.ratings.skill import SIGMA
from pentathlon.ratings.uncertainty import half_width
from pentathlon.web.drawing.charts import rating_chart
from tests.factories import make_version
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.scene import Scene

pytestmark = pytest.mark.django_db


def test_bot_without_rated_match_has_no_chart() -> None:
    version = make_version()

    assert rating_chart(bot_id=version.bot_id, pool_key=live_key("tuned")) is None
    page = page_of(Client().get(reverse("bot", args=[version.bot_id])))
    assert "No rated match yet." in page.text


def test_chart_ends_where_the_rating_stands(scene: Scene) -> None:
    version = scene.versions[0]
    rating = version.ratings.get(pool__key=live_key("tuned"))

    chart = rating_chart(bot_id=version.bot_id, pool_key=live_key("tuned"))

    assert chart is not None
    (line,) = chart.lines
    assert (line.mu, line.sigma, line.matches) == (rating.mu, rating.sigma, rating.matches)
    assert line.path.startswith("M0.0 ")
    assert line.end_x == "100.0%"


def test_band_is_never_clipped(scene: Scene) -> None:
    version = scene.versions[0]
    changes = RatingChange.objects.filter(version=version, row__pool__key=live_key("tuned"))
    sigmas = [SIGMA, *changes.order_by("row__seq").values_list("sigma_after", flat=True)]

    chart = rating_chart(bot_id=version.bot_id, pool_key=live_key("tuned"))

    assert chart is not None
    points = chart.lines[0].band.removeprefix("M").removesuffix("Z").split("L")
    heights = [float(point.split()[1]) for point in points]
    upper, lower = heights[: len(heights) // 2], heights[len(heights) // 2 :][::-1]
    # A band that has lost a part is narrower than its sigma says; heights have one decimal.
    widths = [below - above for above, below in zip(upper, lower, strict=True)]
    assert widths == pytest.approx([widths[0] * sigma / SIGMA for sigma in sigmas], abs=0.25)
    assert 0 < min(heights) < max(heights) < 100


def test_chart_has_its_figures_below(scene: Scene) -> None:
    rating = scene.versions[0].ratings.get(pool__key=live_key("tuned"))

    page = page_of(Client().get(reverse("bot", args=[scene.versions[0].bot_id])))

    assert f"{rating.mu:.1f} ± {half_width(rating.sigma):.1f}" in page.text
