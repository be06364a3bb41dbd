"""Datasets: their downloads, the card and the schema."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from pentathlon.core.caching import FOR_ALL
from pentathlon.core.documents import render_markdown, title_and_body
from pentathlon.insight.datasets.contents import LICENCE
from pentathlon.insight.datasets.models import Dataset
from pentathlon.web.pagination import cursor_page
from pentathlon_engines import GAMES
from pentathlon_engines.dataset.folder import card
from pentathlon_engines.dataset.rows import TABLES, schema

_PARTS_SHOWN = 200


@require_safe
def datasets(request: HttpRequest) -> HttpResponse:
    """List the datasets, the newest first, of all games or of one."""
    found = Dataset.objects.listed().filter(is_newest=True)
    game = request.GET.get("game", "")
    if game in GAMES:
        found = found.filter(game=game)
    context = {
        "section": "docs",
        "page": cursor_page(request, found),
        "games": [each.info for each in GAMES.values()],
        "game": game,
    }
    return render(request, "web/datasets.html", context)


@require_safe
def dataset(request: HttpRequest, dataset_id: int) -> HttpResponse:
    """Show one dataset with the first of its parts; `SHA256SUMS` names all."""
    found = get_object_or_404(Dataset.objects.listed(), pk=dataset_id)
    context = {
        "section": "docs",
        "dataset": found,
        "info": GAMES[found.game].info,
        "licence": LICENCE,
        "tables": TABLES,
        "parts": range(1, min(found.parts, _PARTS_SHOWN) + 1),
        "more": max(0, found.parts - _PARTS_SHOWN),
    }
    return render(request, "web/dataset.html", context)


@require_safe
def dataset_card(request: HttpRequest) -> HttpResponse:
    """Show how datasets are made, split and biased."""
    title, body = title_and_body(card())
    context = {"section": "docs", "title": title, "body": render_markdown(body)}
    return render(request, "web/dataset_card.html", context)


@require_safe
def dataset_schema(request: HttpRequest) -> HttpResponse:
    """Return the JSON Schema of the rows."""
    answer = JsonResponse(schema(), json_dumps_params={"indent": 2})
    answer.headers["Content-Type"] = "application/schema+json"
    answer.headers["Cache-Control"] = FOR_ALL
    return answer
