"""The address of static files."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Compressed files whose names hold a hash; our scripts import each other by those names."""

    # Scripts of libraries import nothing, but Django would take their comments for imports.
    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        (
            "pentathlon/*.js",
            CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1],
        ),
    )
