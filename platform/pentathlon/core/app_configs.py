"""Apps whose folders have models of their own."""

from importlib import import_module
from pathlib import Path

from django.apps import AppConfig


class FoldersConfig(AppConfig):
    """An app with a `models.py` in each folder that has tables."""

    def import_models(self) -> None:
        """Import the models of the app and those of its folders."""
        super().import_models()
        for path in sorted(Path(self.path).glob("*/models.py")):
            module = import_module(f"{self.name}.{path.parent.name}.models")
            # Without a module of models, Django would give the app no rights and no content types.
            self.models_module = self.models_module or module
