from pentathlon.core import app_configs


class InsightConfig(app_configs.FoldersConfig):
    name = "pentathlon.insight"
