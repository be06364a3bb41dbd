"""The servers that tests need: those whose addresses are set, else private ones of our own."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from pentathlon.env import export, read_environment
from pentathlon.local.servers.postgres import UNDISTURBED, running_postgres
from pentathlon.local.servers.runtime import runtime_folder
from pentathlon.local.servers.valkey import running_valkey


@contextmanager
def exported_servers() -> Iterator[None]:
    """Provide servers; export DATABASE_URL and REDIS_URL to this process and all it starts."""
    environment = read_environment()
    with ExitStack() as stack:
        folder = stack.enter_context(runtime_folder())
        if environment.database_url is None:
            server = running_postgres(folder, settings=UNDISTURBED)
            export("DATABASE_URL", stack.enter_context(server))
        if environment.redis_url is None:
            export("REDIS_URL", stack.enter_context(running_valkey(folder)))
        yield
