"""Where static files are served from."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Compressed files whose names hold a hash; scripts import each other by those names."""

    support_js_module_import_aggregation = True
