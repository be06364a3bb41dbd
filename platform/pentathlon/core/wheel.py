"""The wheels of what this site runs: the engines for bot authors, the worker for machines.

They are installed by address, never by name from a package index: a name that we do not own could
belong to a stranger tomorrow.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from django.http import HttpRequest
from django.urls import reverse
from hatchling.builders.wheel import WheelBuilder

from pentathlon.env import CHECKOUT


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """A wheel, ready to be sent."""

    name: str
    """The file name that pip demands: distribution, version and tags."""
    data: bytes
    sha256: str
    """The SHA-256 of the data, in hexadecimal digits."""


@cache
def engines_wheel() -> Wheel:
    """Return the wheel of the `pentathlon_engines` that run here."""
    return build_wheel(CHECKOUT / "engines")


@cache
def worker_wheel() -> Wheel:
    """Return the wheel of the worker without keys."""
    return build_wheel(CHECKOUT / "workers")


def wheels() -> dict[str, Wheel]:
    """Return all wheels of this site by their names."""
    return {wheel.name: wheel for wheel in (engines_wheel(), worker_wheel())}


def build_wheel(source: Path) -> Wheel:
    """Build a wheel; the same files give the same bytes everywhere."""
    with TemporaryDirectory(prefix="pentathlon-wheel-") as folder:
        (made,) = WheelBuilder(str(source)).build(directory=folder, versions=["standard"])
        data = Path(made).read_bytes()
    return Wheel(name=Path(made).name, data=data, sha256=sha256(data).hexdigest())


def install_line(request: HttpRequest, *, extra: str) -> str:
    """Return the shell command that installs the engines from this site and checks their hash.

    The command uses double quotes, which every usual shell understands, including that of Windows.
    """
    return f"pip install {_source(request, f'pentathlon-engines[{extra}]', engines_wheel())}"


def worker_install_line(request: HttpRequest) -> str:
    """Return the shell command that installs the worker from this site and checks the hashes."""
    engines = _source(request, "pentathlon-engines", engines_wheel())
    return f"pip install {engines} {_source(request, 'pentathlon-worker', worker_wheel())}"


def _source(request: HttpRequest, name: str, wheel: Wheel) -> str:
    address = request.build_absolute_uri(reverse("wheel", args=[wheel.name]))
    return f'"{name} @ {address}#sha256={wheel.sha256}"'
