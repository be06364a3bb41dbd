"""Turn what services refuse into pages."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from pentathlon.common.errors import DomainError, NotAllowed, NotFound

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def refusals_as_pages(view: View[P]) -> View[P]:
    """Answer 404 and 403 for what is not there or not allowed; go back and say the rest."""

    @wraps(view)
    def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except NotFound as error:
            raise Http404(error.detail) from error
        except NotAllowed as error:
            raise PermissionDenied(error.detail) from error
        except DomainError as error:
            messages.error(request, error.detail)
            return redirect(request.path.rstrip("/").rpartition("/")[0] + "/")

    return answer
