from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.protocol.rates import CountedView
from api.protocol.requests import check_parameters
from pentathlon.core.wheel import Wheel, engines_wheel, install_line
from pentathlon_engines.match.protocol import PROTOCOL
from pentathlon_engines.version import __version__


class KitSerializer(serializers.Serializer[Wheel]):
    """The package with the `pentathlon` command that this site serves."""

    version = serializers.CharField(help_text="The version of the package.")
    protocol = serializers.IntegerField(help_text="The supported version of the bot protocol.")
    wheel = serializers.CharField(help_text="The address of the wheel.")
    sha256 = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes.")
    install = serializers.CharField(help_text="The shell command that installs it.")


class KitView(CountedView):
    """The author's kit."""

    @extend_schema(operation_id="kit", responses=KitSerializer, tags=["kit"])
    def get(self, request: Request) -> Response:
        """Describe the package that this site serves, and how to install it."""
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
