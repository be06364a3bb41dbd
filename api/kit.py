from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.rates import CountedView
from api.requests import check_parameters
from pentathlon.web.docs.wheel import Wheel, engines_wheel, install_line
from pentathlon_engines.match.protocol import PROTOCOL
from pentathlon_engines.version import __version__


class KitSerializer(serializers.Serializer[Wheel]):
    """The package with the `pentathlon` command that this site hands out."""

    version = serializers.CharField(help_text="Of the package.")
    protocol = serializers.IntegerField(help_text="Version of the bot protocol that is spoken.")
    wheel = serializers.CharField(help_text="Its address.")
    sha256 = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes.")
    install = serializers.CharField(help_text="The command that installs it, for a shell.")


class KitView(CountedView):
    """The author's kit."""

    @extend_schema(operation_id="kit", responses=KitSerializer, tags=["kit"])
    def get(self, request: Request) -> Response:
        """Describe the package that this site hands out, and how to install it."""
        check_parameters(request.query_params, known=())
        wheel = engines_wheel()
        answer: dict[str, Any] = {  # Any: JSON
            "version": __version__,
            "protocol": PROTOCOL,
            "wheel": request.build_absolute_uri(reverse("wheel", args=[wheel.name])),
            "sha256": wheel.sha256,
            "size": len(wheel.data),
            "install": install_line(request._request, extra="cli"),
        }
        return Response(answer)
