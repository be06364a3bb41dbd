"""A bucket of S3, or of anything with its API, as a Django storage; needs requirements/s3.txt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from boto3.exceptions import Boto3Error
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files.base import ContentFile, File
from storages.backends.s3 import S3Storage

_PATIENCE: Final = Config(
    connect_timeout=2,
    read_timeout=10,
    retries={"mode": "standard", "total_max_attempts": 2},
    s3={"addressing_style": "path"},  # names of buckets need no name in the DNS
    signature_version="s3v4",
)
"""Short timeouts and two attempts, because a page waits for the answer."""


class Bucket(S3Storage):
    """A bucket whose failures are `OSError`, as those of every other storage."""

    def get_default_settings(self) -> dict[str, Any]:  # Any: the package's own shape
        """Return the defaults, which the address of the store may override."""
        found: dict[str, Any] = super().get_default_settings()
        one_thread = TransferConfig(use_threads=False)  # replays are small
        ours = {
            "client_config": _PATIENCE,
            "file_overwrite": True,
            "transfer_config": one_thread,
        }
        return {**found, **ours}

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        with _failures_as_os_errors(), super()._open(name, mode) as file:
            return ContentFile(file.read(), name)

    def _save(self, name: str, content: File[bytes]) -> str:
        with _failures_as_os_errors():
            return str(super()._save(name, content))


@contextmanager
def _failures_as_os_errors() -> Iterator[None]:
    try:
        yield
    except (BotoCoreError, Boto3Error, ClientError) as error:
        raise OSError(str(error)) from error
