"""The ports of a worker that knows a site's address and a worker token, and nothing else."""

from __future__ import annotations

from platformdirs import user_state_path

from pentathlon.env import (
    CHECKOUT,
    BadEnvironment,
    Environment,
    Mode,
    checked_address,
    read_environment,
)
from pentathlon_engines.match.launcher import SandboxLevel
from workers.remote.adapter import RemotePlatform
from workers.remote.analyses import RemoteAnalyses
from workers.remote.audience import RemoteAudience
from workers.remote.friendlies import RemoteFriendlies
from workers.slots.ports import Ports


def open_ports() -> Ports:
    """Return the ports to the site.

    Raises:
        BadEnvironment: an address or a token is missing or unsafe, or there are keys.
    """
    return ports_to_site(read_environment())


def ports_to_site(environment: Environment) -> Ports:
    """Return the ports to the site that an environment names."""
    _check_keys(environment)
    if environment.worker_token is None:
        raise BadEnvironment("PENTATHLON_WORKER_TOKEN", "or its _FILE must be set: ask its staff.")
    # A worker installed from a wheel has no folder of a checkout or an image.
    is_homeless = (
        environment.data == CHECKOUT / ".pentathlon" and not (CHECKOUT / "manage.py").exists()
    )
    folder = user_state_path("pentathlon-worker") if is_homeless else environment.data / "worker"
    platform = RemotePlatform(
        server=checked_address(
            "PENTATHLON_SERVER",
            str(environment.server),
            like="https://example.org",
            shows="the token",
            switch="PENTATHLON_PLAIN_HTTP",
            is_allowed=environment.plain_http,
        ),
        token=environment.worker_token,
        unsent=folder / "unsent",
    )
    # The site gives no matches to workers whose level it considers too weak.
    is_public = environment.mode is Mode.PRODUCTION
    least = SandboxLevel.NAMESPACES if is_public else SandboxLevel.LANDLOCK
    return Ports(
        platform=platform,
        friendlies=RemoteFriendlies(platform),
        analyses=RemoteAnalyses(platform),
        audience=RemoteAudience(platform),
        least_sandbox=SandboxLevel(environment.sandbox or least),
    )


def _check_keys(environment: Environment) -> None:
    """Refuse to run in production with keys, which strangers' code could read."""
    held = {
        "DATABASE_URL": environment.database_url,
        "PENTATHLON_SECRET_KEY": environment.secret_key,
        "REDIS_URL": environment.redis_url,
    }
    found = [name for name, value in held.items() if value]
    if environment.mode is Mode.PRODUCTION and found:
        raise BadEnvironment(
            ", ".join(found),
            "must not be set where bots of others run: a worker needs its token only. Start it "
            "without.",
        )
